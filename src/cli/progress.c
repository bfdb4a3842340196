#include "cli/progress.h"

#include "base/buf.h"
#include "cli/term.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define DELAY_MS 500
#define EVERY_MS 100

static int64_t now_ms(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts))
		return 0;
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void cpf_progress_start(struct cpf_progress *p, int on, const char *what)
{
	memset(p, 0, sizeof(*p));
	p->on = on && cpf_term_is_tty(STDERR_FILENO);
	p->what = what;
	if (p->on)
		p->start = now_ms();
}

void cpf_progress_clear(struct cpf_progress *p)
{
	if (p && p->width) {
		fprintf(stderr, "\r%*s\r", p->width, "");
		fflush(stderr);
		p->width = 0;
	}
}

/* "1.2 GB" in powers of 1000, as file managers show sizes. */
static void size_text(struct cpf_buf *b, uint64_t n)
{
	if (n >= 1000000000)
		cpf_buf_fmt(b, "%" PRIu64 ".%" PRIu64 " GB", n / 1000000000, n / 100000000 % 10);
	else
		cpf_buf_fmt(b, "%" PRIu64 ".%" PRIu64 " MB", n / 1000000, n / 100000 % 10);
}

void cpf_progress_update(void *arg, uint64_t done, uint64_t total)
{
	struct cpf_progress *p = arg;
	struct cpf_buf b = {0};
	size_t n;
	int64_t now;
	int width;

	if (!p->on)
		return;
	now = now_ms();
	if (now - p->start < DELAY_MS || (p->last && now - p->last < EVERY_MS) ||
		!cpf_term_is_foreground(STDERR_FILENO))
		return;
	p->last = now;
	/* A long name must not wrap, or the line could not be wiped: its end is what tells. */
	n = strlen(p->what);
	cpf_buf_str(&b, "reading ");
	if (n > 40)
		cpf_buf_str(&b, "...");
	cpf_buf_terminal(&b, n > 40 ? p->what + n - 37 : p->what, n > 40 ? 37 : n);
	cpf_buf_str(&b, ": ");
	if (total)
		cpf_buf_fmt(&b, "%d%%", (int)((double)done / (double)total * 100));
	else
		size_text(&b, done);
	width = (int)b.n;
	fprintf(stderr, "\r%s%*s", b.s, p->width > width ? p->width - width : 0, "");
	fflush(stderr);
	p->width = p->width > width ? p->width : width;
	cpf_buf_release(&b);
}
