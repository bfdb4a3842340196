#include "symbolize/perfmap.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/input.h"
#include "base/mem.h"

#include <stdio.h>
#include <sys/stat.h>

/* What writing out may lag behind. */
#define GRACE_NS INT64_C(2000000000)

#define MAX_LINE (1u << 16)

struct image {
	char *path;
	int relative;
};

/* A piece of code that holds at least one of the addresses asked for. */
struct piece {
	uint64_t start, size;
	const char *name;
	size_t first, last; /* addresses [first, last) */
};

struct pieces {
	struct piece *v;
	size_t n, cap;
	struct cpf_arena names;
};

static int map_open(
        void **state, const struct cpf_sym_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	(void)d;
	(void)e;
	*state = (void *)(uintptr_t)o;
	return 0;
}

static void map_close(void *state)
{
	(void)state;
}

/* The last element of path if it is perf-DIGITS.map, else NULL. */
static const char *map_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n;

	if (strncmp(name, "perf-", 5))
		return NULL;
	n = strspn(name + 5, "0123456789");
	return n && !strcmp(name + 5 + n, ".map") ? name : NULL;
}

/* 1: take it; 0: not there, or r says why not. */
static int acceptable(const char *path, const struct cpf_module *m, int given, struct cpf_reason *r)
{
	struct stat st;
	int64_t written;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (given)
		return 1;
	if (!m->began || !m->ended) {
		cpf_reason(r, CPF_WHY_NO_ID,
		        "%s: the profile does not say when it was recorded, so nothing says that "
		        "the map is of that process (--binary takes it)",
		        path);
		return 0;
	}
	/* Seconds do: clocks of files are coarse. */
	written = (int64_t)st.st_mtime;
	if (written >= (m->began - GRACE_NS) / 1000000000 &&
	        written <= (m->ended + GRACE_NS) / 1000000000)
		return 1;
	cpf_reason(r, CPF_WHY_NO_ID,
	        "%s: last written %s the recording, by another process of that id or with other "
	        "code (--binary takes it)",
	        path, written > m->ended / 1000000000 ? "after" : "before");
	return 0;
}

static int map_find(void *state, const struct cpf_module *m, void **image, struct cpf_reason *r)
{
	const struct cpf_sym_opts *o = state;
	const char *name = map_name(m->path), *b;
	struct cpf_buf path = {0};
	struct image *im;
	int found = 0;
	size_t i;

	if (!name)
		name = map_name(m->name);
	if (!name)
		return 0;
	for (i = 0; i < o->nbinaries && !found; i++) {
		b = map_name(o->binaries[i]);
		if (!b || strcmp(b, name))
			continue;
		cpf_buf_str(&path, o->binaries[i]);
		found = acceptable(path.s, m, 1, r);
	}
	for (i = 0; i < o->ndirs + 2 && !found; i++) {
		if (i == o->ndirs && !o->sysroot)
			continue;
		cpf_buf_clear(&path);
		if (i < o->ndirs)
			cpf_buf_fmt(&path, "%s/%s", o->dirs[i], name);
		else if (map_name(m->path) && *m->path == '/')
			cpf_buf_fmt(&path, "%s%s", i == o->ndirs ? o->sysroot : "", m->path);
		else
			cpf_buf_fmt(&path, "%s/tmp/%s", i == o->ndirs ? o->sysroot : "", name);
		found = acceptable(path.s, m, 0, r);
	}
	if (!found) {
		cpf_reason(r, CPF_WHY_NO_FILE, "%s", path.s);
		cpf_buf_release(&path);
		return 0;
	}
	im = cpf_calloc(1, sizeof(*im));
	im->path = path.s;
	im->relative = m->relative;
	*image = im;
	return 1;
}

/* Reading. */

static const char *hex(const char *s, const char *end, uint64_t *out)
{
	int digits = 0, d;

	if (end - s > 2 && s[0] == '0' && (s[1] | 0x20) == 'x')
		s += 2;
	for (*out = 0; s < end; s++, digits++) {
		d = *s >= '0' && *s <= '9' ? *s - '0' : (*s | 0x20) - 'a' + 10;
		if (d < 0 || d > 15 || (d < 10 && *s > '9'))
			break;
		if (*out >> 60)
			return NULL;
		*out = *out << 4 | (uint64_t)d;
	}
	return digits ? s : NULL;
}

/* The first of addr[0 .. n-1] that is not below v. */
static size_t lower(const uint64_t *addr, size_t n, uint64_t v)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (addr[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Lines that are none of a map (the process may still be writing) are passed over. */
static void take_line(
        struct pieces *p, const char *s, const char *end, const uint64_t *addr, size_t n)
{
	struct piece piece;

	while (end > s && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	s = hex(s, end, &piece.start);
	if (!s || s >= end || *s != ' ')
		return;
	s = hex(s + 1, end, &piece.size);
	if (!s || s >= end || *s != ' ' || !piece.size || ++s == end)
		return;
	if (piece.size > UINT64_MAX - piece.start)
		piece.size = UINT64_MAX - piece.start;
	piece.first = lower(addr, n, piece.start);
	piece.last = lower(addr, n, piece.start + piece.size);
	if (piece.first == piece.last)
		return;
	piece.name = cpf_arena_text(&p->names, s, (size_t)(end - s));
	CPF_GROW(p->v, p->cap, p->n + 1);
	p->v[p->n++] = piece;
}

static int read_map(
        struct pieces *p, const char *path, const uint64_t *addr, size_t n, struct cpf_err *e)
{
	struct cpf_buf line = {0};
	struct cpf_input *in;
	size_t got, at;
	char *end;
	int ret;

	if (cpf_input_open(&in, path, NULL, e))
		return -1;
	do {
		ret = cpf_input_read(in, cpf_buf_room(&line, MAX_LINE), MAX_LINE, &got, e);
		if (ret)
			break;
		line.n += got;
		for (at = 0; (end = memchr(line.s + at, '\n', line.n - at));
		        at = (size_t)(end - line.s) + 1)
			take_line(p, line.s + at, end, addr, n);
		/* What has no end after so many bytes is no line of a map. */
		if (!got || line.n - at > 16 * MAX_LINE)
			at = line.n;
		memmove(line.s, line.s + at, line.n - at);
		line.n -= at;
	} while (got);
	cpf_input_close(in);
	cpf_buf_release(&line);
	return ret;
}

/* The next address at or behind i that has no answer yet; next is shortened on the way. */
static size_t open_one(size_t *next, size_t i)
{
	size_t to = i, step;

	while (next[to] != to)
		to = next[to];
	while (next[i] != to) {
		step = next[i];
		next[i] = to;
		i = step;
	}
	return to;
}

static void map_lookup(void *image, const uint64_t *addr, size_t n, struct cpf_sink *s)
{
	struct image *im = image;
	struct pieces p = {0};
	struct cpf_err e = {0};
	size_t *next, i, k;
	char text[600];

	if (im->relative) {
		for (i = 0; i < n; i++)
			cpf_sink_miss(s, i, CPF_WHY_UNSUPPORTED,
			        "addresses are not those in memory, which the perf map names");
		return;
	}
	if (read_map(&p, im->path, addr, n, &e)) {
		cpf_err_text(&e, text, sizeof(text));
		for (i = 0; i < n; i++)
			cpf_sink_miss(s, i, CPF_WHY_FAILED, text);
		cpf_free(p.v);
		cpf_arena_release(&p.names);
		return;
	}
	next = cpf_realloc_array(NULL, n + 1, sizeof(*next));
	for (i = 0; i <= n; i++)
		next[i] = i;
	/* From the last line to the first, each address is answered once. */
	for (k = p.n; k-- > 0;) {
		struct cpf_sym_frame frame = {0};
		struct cpf_sym_symbol sym = {0};

		sym.name = frame.name = p.v[k].name;
		sym.address = p.v[k].start;
		sym.size = p.v[k].size;
		for (i = open_one(next, p.v[k].first); i < p.v[k].last; i = open_one(next, i)) {
			cpf_sink_frames(s, i, &frame, 1, &sym);
			next[i] = i + 1;
		}
	}
	for (i = 0; i < n; i++)
		cpf_sink_miss(s, i, CPF_WHY_OUTSIDE, im->path);
	cpf_free(next);
	cpf_free(p.v);
	cpf_arena_release(&p.names);
}

static void map_drop(void *image)
{
	struct image *im = image;

	cpf_free(im->path);
	cpf_free(im);
}

const struct cpf_symbolizer cpf_symbolizer_perfmap = {
        "perfmap",
        "perf-PID.map files of JIT compilers",
        map_open,
        map_find,
        map_lookup,
        map_drop,
        map_close,
};
