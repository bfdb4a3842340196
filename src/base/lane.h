/*
 * lane.h - work handed to one other thread, piece by piece, in order.
 *
 * The caller owns CPF_LANE_SLOTS pieces and fills them in turn:
 *
 *     slot = cpf_lane_slot(&l);   waits until this piece has been worked off
 *     ... fill piece number slot ...
 *     cpf_lane_give(&l);          run(arg, slot) will be called
 *     cpf_lane_stop(&l);          all that was given is done; what run wrote may be read
 *
 * The thread is started when the second piece is given, so that small inputs do without. Where no
 * thread can be had, run is called by the caller. Signals stay with the caller's thread.
 */
#ifndef CPF_LANE_H
#define CPF_LANE_H

#include "base/base.h"

#include <pthread.h>

#define CPF_LANE_SLOTS 4

struct cpf_lane {
	void (*run)(void *arg, unsigned slot);
	void *arg;
	unsigned given, done; /* pieces; only their difference and their slots matter */
	int running, stop;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
};

void cpf_lane_init(struct cpf_lane *l, void (*run)(void *arg, unsigned slot), void *arg);
unsigned cpf_lane_slot(struct cpf_lane *l);
void cpf_lane_give(struct cpf_lane *l);
/* Works off what was given. The lane can be used again afterwards. */
void cpf_lane_stop(struct cpf_lane *l);

#endif
