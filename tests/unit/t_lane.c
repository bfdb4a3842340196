/* Work handed to another thread: all of it, in order, whatever the number of pieces. */
#include "base/base.h"

#include "base/lane.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct pot {
	int piece[CPF_LANE_SLOTS];
	int got[1000];
	int n;
};

static void take(void *arg, unsigned slot)
{
	struct pot *p = arg;

	p->got[p->n++] = p->piece[slot];
}

static void in_order(void **state)
{
	static const int counts[] = {0, 1, 2, 3, CPF_LANE_SLOTS, CPF_LANE_SLOTS + 1, 100, 500};
	struct cpf_lane l;
	struct pot p;
	size_t k;
	int i, round;

	(void)state;
	for (k = 0; k < CPF_LEN(counts); k++) {
		memset(&p, 0, sizeof(p));
		cpf_lane_init(&l, take, &p);
		/* Twice: a lane can be used again after it was stopped. */
		for (round = 0; round < 2; round++) {
			for (i = 0; i < counts[k]; i++) {
				p.piece[cpf_lane_slot(&l)] = round * counts[k] + i;
				cpf_lane_give(&l);
			}
			cpf_lane_stop(&l);
			assert_int_equal(p.n, (round + 1) * counts[k]);
		}
		for (i = 0; i < p.n; i++)
			assert_int_equal(p.got[i], i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(in_order)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("lane", tests, NULL, NULL);
}
