#include "base/par.h"

#include <pthread.h>
#include <signal.h>

struct job {
	void (*run)(void *);
	void *arg;
};

static void *start(void *arg)
{
	struct job *job = arg;

	job->run(job->arg);
	return NULL;
}

void cpf_run_both(void (*run)(void *), void *a, void *b)
{
	struct job job = {run, b};
	pthread_t thread;
	sigset_t all, old;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failed = pthread_create(&thread, NULL, start, &job);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	run(a);
	if (failed)
		run(b);
	else
		pthread_join(thread, NULL);
}
