#include "base/lane.h"

#include <signal.h>

static void *work(void *arg)
{
	struct cpf_lane *l = arg;

	pthread_mutex_lock(&l->lock);
	for (;;) {
		while (l->done == l->given && !l->stop)
			pthread_cond_wait(&l->filled, &l->lock);
		if (l->done == l->given)
			break;
		pthread_mutex_unlock(&l->lock);
		l->run(l->arg, l->done % CPF_LANE_SLOTS);
		pthread_mutex_lock(&l->lock);
		l->done++;
		pthread_cond_signal(&l->emptied);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

void cpf_lane_init(struct cpf_lane *l, void (*run)(void *arg, unsigned slot), void *arg)
{
	memset(l, 0, sizeof(*l));
	l->run = run;
	l->arg = arg;
}

/* Runs here what no thread has taken on. */
static void catch_up(struct cpf_lane *l)
{
	while (l->done != l->given) {
		l->run(l->arg, l->done % CPF_LANE_SLOTS);
		l->done++;
	}
}

static void start(struct cpf_lane *l)
{
	sigset_t all, old;

	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->filled, NULL);
	pthread_cond_init(&l->emptied, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	l->stop = 0;
	l->running = !pthread_create(&l->thread, NULL, work, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (l->running)
		return;
	pthread_cond_destroy(&l->emptied);
	pthread_cond_destroy(&l->filled);
	pthread_mutex_destroy(&l->lock);
}

unsigned cpf_lane_slot(struct cpf_lane *l)
{
	if (l->running) {
		pthread_mutex_lock(&l->lock);
		while (l->given - l->done == CPF_LANE_SLOTS)
			pthread_cond_wait(&l->emptied, &l->lock);
		pthread_mutex_unlock(&l->lock);
	} else if (l->given - l->done == CPF_LANE_SLOTS) {
		catch_up(l);
	}
	return l->given % CPF_LANE_SLOTS;
}

void cpf_lane_give(struct cpf_lane *l)
{
	if (!l->running && l->given - l->done == 1)
		start(l);
	if (l->running)
		pthread_mutex_lock(&l->lock);
	l->given++;
	if (!l->running)
		return;
	pthread_cond_signal(&l->filled);
	pthread_mutex_unlock(&l->lock);
}

void cpf_lane_stop(struct cpf_lane *l)
{
	if (l->running) {
		pthread_mutex_lock(&l->lock);
		l->stop = 1;
		pthread_cond_signal(&l->filled);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->thread, NULL);
		pthread_cond_destroy(&l->emptied);
		pthread_cond_destroy(&l->filled);
		pthread_mutex_destroy(&l->lock);
		l->running = 0;
	}
	catch_up(l);
}
