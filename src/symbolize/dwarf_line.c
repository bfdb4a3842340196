/*
 * Line tables (DWARF 5, 6.2). The program of a unit is run once; its rows are not kept but met with
 * the wanted addresses as they come.
 *
 * Which row an address belongs to: that of the sequence around it with the lowest end (the first of
 * several that are alike), and in this the last one that does not lie behind the address. Rows with
 * line 0 count: the compiler says that the code belongs to no line, and so the line is unknown.
 */
#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

#include "base/mem.h"

enum { LNCT_path = 1, LNCT_directory_index = 2 };

/* A table of directories or files of DWARF 5; calls add for each row. */
static int table5(struct cpf_dw_lines *l, struct cpf_dw_cur *c, int files)
{
	uint64_t types[32], forms[32], count, i, dir;
	struct cpf_dw_val v;
	struct cpf_dw_unit u = *l->u;
	unsigned n = cpf_dw_u8(c), k;
	const char *name;
	const uint8_t *from;

	u.off_size = l->off_size;
	u.version = l->version;
	if (n > CPF_LEN(types))
		return -1;
	for (k = 0; k < n; k++) {
		types[k] = cpf_dw_uleb(c);
		forms[k] = cpf_dw_uleb(c);
	}
	count = cpf_dw_uleb(c);
	for (i = 0; i < count && !c->bad; i++) {
		from = c->p;
		name = NULL;
		dir = 0;
		for (k = 0; k < n; k++) {
			if (forms[k] > UINT16_MAX || cpf_dw_form_size((unsigned)forms[k], &u) == -2)
				return -1;
			cpf_dw_value(c, &u, (unsigned)forms[k], 0, &v);
			if (types[k] == LNCT_path)
				name = cpf_dw_string(&u, &v);
			else if (types[k] == LNCT_directory_index)
				dir = v.u;
		}
		if (c->p == from || c->bad)
			return -1; /* rows without bytes could be any number */
		if (files) {
			CPF_GROW(l->files, l->files_cap, l->nfiles + 1);
			l->files[l->nfiles++] = (struct cpf_dw_linefile){name, NULL, dir};
		} else {
			CPF_GROW(l->dirs, l->dirs_cap, l->ndirs + 1);
			l->dirs[l->ndirs++] = name;
		}
	}
	return c->bad ? -1 : 0;
}

/* Text in place; NULL at the end of the table or of the data. */
static const char *inline_text(struct cpf_dw_cur *c)
{
	const char *s = (const char *)c->p;
	const uint8_t *nul = c->p < c->end ? memchr(c->p, 0, (size_t)(c->end - c->p)) : NULL;

	if (!nul) {
		c->bad = 1;
		return NULL;
	}
	c->p = nul + 1;
	return *s ? s : NULL;
}

static void add_file(struct cpf_dw_lines *l, struct cpf_dw_cur *c, const char *name)
{
	uint64_t dir = cpf_dw_uleb(c);

	(void)cpf_dw_uleb(c); /* time */
	(void)cpf_dw_uleb(c); /* size */
	CPF_GROW(l->files, l->files_cap, l->nfiles + 1);
	l->files[l->nfiles++] = (struct cpf_dw_linefile){name, NULL, dir};
}

/* Until DWARF 4: both count from 1, and directory 0 is that of the compilation. */
static int tables4(struct cpf_dw_lines *l, struct cpf_dw_cur *c)
{
	const char *s;

	CPF_GROW(l->dirs, l->dirs_cap, 1);
	l->dirs[l->ndirs++] = NULL;
	while ((s = inline_text(c)) != NULL) {
		CPF_GROW(l->dirs, l->dirs_cap, l->ndirs + 1);
		l->dirs[l->ndirs++] = s;
	}
	CPF_GROW(l->files, l->files_cap, 1);
	l->files[l->nfiles++] = (struct cpf_dw_linefile){NULL, NULL, 0};
	while (!c->bad && (s = inline_text(c)) != NULL)
		add_file(l, c, s);
	return c->bad ? -1 : 0;
}

static int header(struct cpf_dw_lines *l, struct cpf_dw_cur *c)
{
	uint64_t len = cpf_dw_uint(c, 4), rest;

	l->off_size = 4;
	if (len == 0xffffffff) {
		len = cpf_dw_uint(c, 8);
		l->off_size = 8;
	}
	if (c->bad)
		return -1;
	if (len < (uint64_t)(c->end - c->p))
		c->end = c->p + len;
	l->version = (uint16_t)cpf_dw_uint(c, 2);
	if (l->version < 2 || l->version > 5)
		return -1;
	l->addr_size = l->u->addr_size;
	if (l->version >= 5) {
		l->addr_size = cpf_dw_u8(c);
		if (cpf_dw_u8(c)) /* segment selectors */
			return -1;
	}
	rest = cpf_dw_uint(c, l->off_size);
	if (c->bad || rest > (uint64_t)(c->end - c->p))
		return -1;
	l->program = *c;
	l->program.p += rest;
	c->end = l->program.p;
	l->min_inst = cpf_dw_u8(c);
	l->max_ops = l->version >= 4 ? cpf_dw_u8(c) : 1;
	(void)cpf_dw_u8(c); /* default_is_stmt: every row counts */
	l->line_base = (int8_t)cpf_dw_u8(c);
	l->line_range = cpf_dw_u8(c);
	l->opcode_base = cpf_dw_u8(c);
	l->lengths = c->p;
	cpf_dw_skip(c, l->opcode_base ? l->opcode_base - 1u : 0);
	if (c->bad || !l->opcode_base)
		return -1;
	if (!l->max_ops)
		l->max_ops = 1;
	return 0;
}

int cpf_dw_lines_open(struct cpf_dw_lines *l, const struct cpf_dw_unit *u)
{
	struct cpf_dw_sec s;
	struct cpf_dw_cur c;

	l->ndirs = l->nfiles = 0;
	cpf_arena_clear(&l->paths);
	l->u = NULL;
	if (!u || !u->has_stmt)
		return -1;
	s = u->line.p ? u->line : cpf_dw_section(u->file, CPF_DW_LINE);
	if (!s.p || u->stmt_list >= s.n)
		return -1;
	l->u = u;
	c = cpf_dw_at(u->file, s, u->stmt_list);
	if (header(l, &c)) {
		l->u = NULL;
		return -1;
	}
	/* Names that cannot be read leave the lines alone. */
	if (l->version >= 5) {
		if (!table5(l, &c, 0))
			table5(l, &c, 1);
	} else {
		tables4(l, &c);
	}
	return 0;
}

static int is_absolute(const char *s)
{
	if (s[0] == '/' || s[0] == '\\')
		return 1;
	return ((s[0] >= 'a' && s[0] <= 'z') || (s[0] >= 'A' && s[0] <= 'Z')) && s[1] == ':' &&
	       (s[2] == '\\' || s[2] == '/');
}

static size_t put(char *out, const char *part)
{
	size_t n = strlen(part);

	if (out) {
		memcpy(out, part, n);
		if (n && part[n - 1] != '/')
			out[n] = '/';
	}
	return n && part[n - 1] != '/' ? n + 1 : n;
}

/* Folder of the compilation, directory and name, as far as they are relative. */
static const char *join(struct cpf_dw_lines *l, const struct cpf_dw_linefile *f)
{
	const char *dir = f->dir < l->ndirs ? l->dirs[f->dir] : NULL;
	const char *comp = l->u->comp_dir;
	size_t n;
	char *out, *at;

	if (is_absolute(f->name))
		return f->name;
	/* In DWARF 5 directory 0 is the folder of the compilation itself, and relative as that may be. */
	if (dir && (is_absolute(dir) || (l->version >= 5 && !f->dir)))
		comp = NULL;
	n = strlen(f->name) + 1;
	n += comp ? put(NULL, comp) : 0;
	n += dir ? put(NULL, dir) : 0;
	out = at = cpf_arena_alloc(&l->paths, n);
	if (comp)
		at += put(at, comp);
	if (dir)
		at += put(at, dir);
	memcpy(at, f->name, strlen(f->name) + 1);
	return out;
}

const char *cpf_dw_lines_path(struct cpf_dw_lines *l, uint64_t file)
{
	struct cpf_dw_linefile *f;

	if (!l->u || file >= l->nfiles || !l->files[file].name)
		return NULL;
	f = &l->files[file];
	if (!f->path)
		f->path = join(l, f);
	return f->path;
}

/* Registers of the program, and where it stands among the addresses. */
struct run {
	struct cpf_dw_lines *l;
	struct cpf_dw_cur c;
	uint64_t address, op_index, file, line, column;
	struct cpf_dw_row row;  /* the last one, from prev on */
	uint64_t prev, lowest;
	uint64_t budget;        /* rows that lead back and forth would cost their product */
	int started, dead;      /* dead: the sequence is of code that is not there */
	const uint64_t *addr;
	size_t n, at, first, last; /* at: next address; [first, last): those in this sequence */
	struct cpf_dw_row *rows, *pending;
};

static size_t lower(const uint64_t *addr, size_t n, uint64_t a)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (addr[mid] < a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void reset(struct run *r)
{
	r->address = r->op_index = r->column = 0;
	r->file = r->line = 1;
	r->started = r->dead = 0;
	r->first = SIZE_MAX;
	r->last = 0;
}

/* The last row holds up to address; at is the first of the addresses from prev on. */
static void flush(struct run *r)
{
	if (r->address < r->prev)
		r->at = lower(r->addr, r->n, r->address);
	while (r->at < r->n && r->addr[r->at] < r->address && r->budget) {
		if (r->at < r->first)
			r->first = r->at;
		r->pending[r->at++] = r->row;
		if (r->at > r->last)
			r->last = r->at;
		r->budget--;
	}
}

static uint32_t narrow(uint64_t v)
{
	return v > UINT32_MAX ? 0 : (uint32_t)v;
}

static void emit(struct run *r)
{
	if (!r->started) {
		r->started = 1;
		r->dead = r->address < r->lowest || r->address >= UINT64_MAX - 1;
		r->at = lower(r->addr, r->n, r->address);
	} else if (!r->dead) {
		flush(r);
	}
	r->prev = r->address;
	r->row.file = narrow(r->file);
	r->row.line = narrow(r->line);
	r->row.column = narrow(r->column);
	r->row.have = 1;
}

static void end_sequence(struct run *r)
{
	size_t i;

	if (r->started && !r->dead)
		flush(r);
	for (i = r->first; i < r->last; i++) {
		if (!r->pending[i].have)
			continue;
		r->pending[i].high = r->address;
		if (!r->rows[i].have || r->address < r->rows[i].high)
			r->rows[i] = r->pending[i];
		r->pending[i].have = 0;
	}
	reset(r);
}

static void advance(struct run *r, uint64_t ops)
{
	if (r->l->max_ops == 1) {
		r->address += ops * r->l->min_inst;
		return;
	}
	ops += r->op_index;
	r->address += ops / r->l->max_ops * r->l->min_inst;
	r->op_index = ops % r->l->max_ops;
}

static void extended(struct run *r)
{
	uint64_t n = cpf_dw_uleb(&r->c);
	struct cpf_dw_cur c = r->c;
	const char *s;

	cpf_dw_skip(&r->c, n);
	if (r->c.bad || !n)
		return;
	c.end = r->c.p;
	switch (cpf_dw_u8(&c)) {
	case 1:
		end_sequence(r);
		break;
	case 2:
		n--;
		if (n == 4 || n == 8 || n == 2)
			r->address = cpf_dw_uint(&c, (unsigned)n);
		if (n == 4 && r->address >= UINT32_MAX - 1)
			r->address = UINT64_MAX;
		r->op_index = 0;
		break;
	case 3:
		s = inline_text(&c);
		if (s)
			add_file(r->l, &c, s);
		break;
	default:
		break;
	}
}

static void standard(struct run *r, unsigned op)
{
	struct cpf_dw_lines *l = r->l;
	unsigned k;

	switch (op) {
	case 1:
		emit(r);
		return;
	case 2:
		advance(r, cpf_dw_uleb(&r->c));
		return;
	case 3:
		r->line += (uint64_t)cpf_dw_sleb(&r->c);
		return;
	case 4:
		r->file = cpf_dw_uleb(&r->c);
		return;
	case 5:
		r->column = cpf_dw_uleb(&r->c);
		return;
	case 6:
	case 7:
	case 10:
	case 11:
		return;
	case 8:
		if (l->line_range)
			advance(r, (255u - l->opcode_base) / l->line_range);
		return;
	case 9:
		r->address += cpf_dw_uint(&r->c, 2);
		r->op_index = 0;
		return;
	case 12:
		(void)cpf_dw_uleb(&r->c);
		return;
	default:
		for (k = 0; k < l->lengths[op - 1]; k++)
			(void)cpf_dw_uleb(&r->c);
	}
}

void cpf_dw_lines_run(struct cpf_dw_lines *l, const uint64_t *addr, size_t n,
	struct cpf_dw_row *rows)
{
	struct run r = {.l = l, .addr = addr, .n = n, .rows = rows};
	unsigned op, adj;

	if (!l->u)
		return;
	r.c = l->program;
	r.lowest = l->u->file->dwarf->file.lowest;
	CPF_GROW(l->pending, l->pending_cap, n);
	memset(l->pending, 0, n * sizeof(*l->pending));
	r.pending = l->pending;
	reset(&r);
	r.budget = 1000000 + 64 * (uint64_t)n;
	while (r.c.p < r.c.end) {
		op = *r.c.p++;
		if (op >= l->opcode_base) {
			if (!l->line_range)
				break;
			adj = op - l->opcode_base;
			advance(&r, adj / l->line_range);
			r.line += (uint64_t)(int64_t)(l->line_base + (int)(adj % l->line_range));
			emit(&r);
		} else if (op) {
			standard(&r, op);
		} else {
			extended(&r);
		}
	}
}

void cpf_dw_lines_release(struct cpf_dw_lines *l)
{
	cpf_free(l->dirs);
	cpf_free(l->files);
	cpf_free(l->pending);
	cpf_arena_release(&l->paths);
	memset(l, 0, sizeof(*l));
}

#endif
