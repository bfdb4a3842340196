#include "cli/pprof_flags.h"

#include <errno.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/num.h"
#include "cli/common.h"

/* Flags that are not part of struct cpf_pprof_cfg. */
struct extra {
	int inuse_space, inuse_objects, alloc_space, alloc_objects, total_delay, contentions,
		mean_delay;
	int flat, functions, filefunctions, files, lines, addresses;
	int no_browser;
	int64_t seconds, timeout, max_depth;
	const char *max_size, *max_string; /* as pprof has none of these, names are ours */
	const char *tools, *http, *tls_cert, *tls_key, *tls_ca;
};

struct flags {
	struct cpf_pprof_cfg c;
	struct extra x;
};

enum kind {
	F_BOOL,
	F_INT,
	F_FLOAT,
	F_STRING
};

#define CFG(name, kind)   {#name, kind, offsetof(struct flags, c) + offsetof(struct cpf_pprof_cfg, name)}
#define EXTRA(name, kind) {#name, kind, offsetof(struct flags, x) + offsetof(struct extra, name)}

static const struct flag {
	const char *name;
	enum kind kind;
	size_t offset;
} flags[] = {
	CFG(add_comment, F_STRING),
	CFG(all_frames, F_BOOL),
	CFG(base, F_STRING),
	CFG(buildid, F_STRING),
	CFG(call_tree, F_BOOL),
	CFG(compact_labels, F_BOOL),
	CFG(cum, F_BOOL),
	CFG(diff_base, F_STRING),
	CFG(divide_by, F_FLOAT),
	CFG(drop_negative, F_BOOL),
	CFG(edgefraction, F_FLOAT),
	CFG(focus, F_STRING),
	CFG(hide, F_STRING),
	CFG(ignore, F_STRING),
	CFG(intel_syntax, F_BOOL),
	CFG(mean, F_BOOL),
	CFG(nodecount, F_INT),
	CFG(nodefraction, F_FLOAT),
	CFG(noinlines, F_BOOL),
	CFG(normalize, F_BOOL),
	CFG(output, F_STRING),
	CFG(prune_from, F_STRING),
	CFG(relative_percentages, F_BOOL),
	CFG(sample_index, F_STRING),
	CFG(show, F_STRING),
	CFG(show_from, F_STRING),
	CFG(showcolumns, F_BOOL),
	CFG(source_path, F_STRING),
	CFG(symbolize, F_STRING),
	CFG(tagfocus, F_STRING),
	CFG(taghide, F_STRING),
	CFG(tagignore, F_STRING),
	CFG(tagleaf, F_STRING),
	CFG(tagroot, F_STRING),
	CFG(tagshow, F_STRING),
	CFG(trim, F_BOOL),
	CFG(trim_path, F_STRING),
	CFG(unit, F_STRING),
	EXTRA(addresses, F_BOOL),
	EXTRA(alloc_objects, F_BOOL),
	EXTRA(alloc_space, F_BOOL),
	EXTRA(contentions, F_BOOL),
	EXTRA(filefunctions, F_BOOL),
	EXTRA(files, F_BOOL),
	EXTRA(flat, F_BOOL),
	EXTRA(functions, F_BOOL),
	EXTRA(http, F_STRING),
	EXTRA(inuse_objects, F_BOOL),
	EXTRA(inuse_space, F_BOOL),
	EXTRA(lines, F_BOOL),
	{"max-depth", F_INT, offsetof(struct flags, x) + offsetof(struct extra, max_depth)},
	{"max-size", F_STRING, offsetof(struct flags, x) + offsetof(struct extra, max_size)},
	{"max-string", F_STRING, offsetof(struct flags, x) + offsetof(struct extra, max_string)},
	EXTRA(mean_delay, F_BOOL),
	EXTRA(no_browser, F_BOOL),
	EXTRA(seconds, F_INT),
	EXTRA(timeout, F_INT),
	EXTRA(tls_ca, F_STRING),
	EXTRA(tls_cert, F_STRING),
	EXTRA(tls_key, F_STRING),
	EXTRA(tools, F_STRING),
	EXTRA(total_delay, F_BOOL),
};

static const struct command {
	const char *name;
	int has_argument; /* a regular expression */
} commands[] = {
	{"callgrind", 0},
	{"comments", 0},
	{"disasm", 1},
	{"dot", 0},
	{"eog", 0},
	{"evince", 0},
	{"gif", 0},
	{"gv", 0},
	{"kcachegrind", 0},
	{"list", 1},
	{"pdf", 0},
	{"peek", 1},
	{"png", 0},
	{"proto", 0},
	{"ps", 0},
	{"raw", 0},
	{"svg", 0},
	{"tags", 0},
	{"text", 0},
	{"top", 0},
	{"topproto", 0},
	{"traces", 0},
	{"tree", 0},
	{"web", 0},
	{"weblist", 1},
};

struct parser {
	struct flags f;
	int chosen[CPF_LEN(commands)];
	const char *argument[CPF_LEN(commands)];
};

/* Values, as Go's strconv reads them. */

static int parse_bool(int *out, const char *s)
{
	static const char *const yes[] = {"1", "t", "T", "TRUE", "true", "True"};
	static const char *const no[] = {"0", "f", "F", "FALSE", "false", "False"};
	size_t i;

	for (i = 0; i < CPF_LEN(yes); i++)
		if (!strcmp(s, yes[i])) {
			*out = 1;
			return 0;
		}
	for (i = 0; i < CPF_LEN(no); i++)
		if (!strcmp(s, no[i])) {
			*out = 0;
			return 0;
		}
	return -1;
}

/* Decimal, 0x, 0o, 0b, or octal by a leading 0. */
static int parse_int(int64_t *out, const char *s)
{
	const char *digits = s + (*s == '+' || *s == '-');
	char *end;
	int base = 10;

	if (digits[0] == '0' && digits[1]) {
		base = 8;
		if (digits[1] == 'x' || digits[1] == 'X')
			base = 16;
		else if (digits[1] == 'b' || digits[1] == 'B')
			base = 2;
		if (base != 8 || digits[1] == 'o' || digits[1] == 'O')
			digits += 2;
	}
	/* strtoll would take blanks, signs and another prefix. */
	if (!((*digits >= '0' && *digits <= '9') || (*digits >= 'a' && *digits <= 'f') ||
		    (*digits >= 'A' && *digits <= 'F')) ||
		(base == 16 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')))
		return -1;
	errno = 0;
	*out = strtoll(digits, &end, base);
	if (*end)
		return -1;
	if (errno)
		return -2;
	if (*s == '-')
		*out = -*out;
	return 0;
}

static int parse_float(double *out, const char *s)
{
	char *end;

	if (!*s || strspn(s, "0123456789+-.eExXpPaAbBcCdDfFiInNtTyY") != strlen(s))
		return -1;
	errno = 0;
	*out = strtod(s, &end);
	if (*end)
		return -1;
	/* A value that is too small is 0 without complaint. */
	return errno == ERANGE && (*out > 1 || *out < -1) ? -2 : 0;
}

static int bad_value(struct cpf_err *e, const char *kind, const char *name, const char *value, int why)
{
	return cpf_fail(e, CPF_E_USAGE, "invalid %s\"%s\" for %s-%s: %s", kind, value,
		*kind == 'b' ? "" : "flag ", name, why == -2 ? "value out of range" : "parse error");
}

static int set_bool(struct cpf_err *e, const char *name, const char *value, int *out)
{
	if (!value) {
		*out = 1;
		return 0;
	}
	return parse_bool(out, value) ? bad_value(e, "boolean value ", name, value, -1) : 0;
}

static int set_flag(struct parser *p, const struct flag *flag, const char *value, struct cpf_err *e)
{
	void *field = (char *)&p->f + flag->offset;
	int why;

	switch (flag->kind) {
	case F_BOOL:
		return set_bool(e, flag->name, value, field);
	case F_INT:
		why = parse_int(field, value);
		return why ? bad_value(e, "value ", flag->name, value, why) : 0;
	case F_FLOAT:
		why = parse_float(field, value);
		return why ? bad_value(e, "value ", flag->name, value, why) : 0;
	default:
		*(const char **)field = value;
		return 0;
	}
}

/* Takes one flag, and its value from the next argument if it needs one. */
static int take(struct parser *p, int argc, char *const *argv, int *at, int *help, struct cpf_err *e)
{
	const char *arg = argv[*at], *name = arg + 1 + (arg[1] == '-'), *value;
	size_t n, i, cmd;

	value = *name ? strchr(name + 1, '=') : NULL;
	n = value ? (size_t)(value - name) : strlen(name);
	value = value ? value + 1 : NULL;
	if (!*name || *name == '-' || *name == '=')
		return cpf_fail(e, CPF_E_USAGE, "bad flag syntax: %s", arg);
	for (i = 0; i < CPF_LEN(flags); i++)
		if (strlen(flags[i].name) == n && !memcmp(flags[i].name, name, n))
			break;
	for (cmd = 0; cmd < CPF_LEN(commands); cmd++)
		if (strlen(commands[cmd].name) == n && !memcmp(commands[cmd].name, name, n))
			break;
	if (i == CPF_LEN(flags) && cmd == CPF_LEN(commands)) {
		if ((n == 1 && *name == 'h') || (n == 4 && !memcmp(name, "help", 4))) {
			*help = 1;
			return 0;
		}
		return cpf_fail(e, CPF_E_USAGE, "flag provided but not defined: -%.*s", (int)n, name);
	}
	if (cmd < CPF_LEN(commands) && !commands[cmd].has_argument)
		return set_bool(e, commands[cmd].name, value, &p->chosen[cmd]);
	if (!value && !(i < CPF_LEN(flags) && flags[i].kind == F_BOOL)) {
		if (*at + 1 >= argc)
			return cpf_fail(e, CPF_E_USAGE, "flag needs an argument: -%.*s", (int)n, name);
		value = argv[++*at];
	}
	if (cmd < CPF_LEN(commands)) {
		p->argument[cmd] = value;
		return 0;
	}
	return set_flag(p, &flags[i], value, e);
}

static int choose_sort(struct flags *f, struct cpf_err *e)
{
	const struct {
		int set;
		enum cpf_by by;
		const char *name;
	} by[] = {
		{f->x.functions, CPF_BY_FUNCTION, "functions"},
		{f->x.filefunctions, CPF_BY_FILEFUNCTION, "filefunctions"},
		{f->x.files, CPF_BY_FILE, "files"},
		{f->x.lines, CPF_BY_LINE, "lines"},
		{f->x.addresses, CPF_BY_ADDRESS, "addresses"},
	};
	struct cpf_buf names = {0};
	size_t i, n = 0;

	if (f->c.cum && f->x.flat)
		return cpf_fail(e, CPF_E_USAGE, "conflicting options set: [cum flat]");
	for (i = 0; i < CPF_LEN(by); i++) {
		if (!by[i].set)
			continue;
		f->c.granularity = by[i].by;
		cpf_buf_fmt(&names, "%s%s", n++ ? " " : "", by[i].name);
	}
	if (n > 1)
		cpf_fail(e, CPF_E_USAGE, "conflicting options set: [%s]", names.s);
	cpf_buf_release(&names);
	return n > 1 ? -1 : 0;
}

static int choose_command(struct parser *p, struct cpf_err *e)
{
	size_t i, n = 0;

	for (i = 0; i < CPF_LEN(commands); i++) {
		if (!p->chosen[i] && !(p->argument[i] && *p->argument[i]))
			continue;
		n++;
		p->f.c.command = commands[i].name;
		p->f.c.argument = p->argument[i];
	}
	if (n > 1)
		return cpf_fail(e, CPF_E_USAGE, "must set at most one output format");
	if (n && *p->f.x.http)
		return cpf_fail(e, CPF_E_USAGE,
			"-http is not compatible with an output format on the command line");
	if (p->f.x.no_browser && !*p->f.x.http)
		return cpf_fail(e, CPF_E_USAGE, "-no_browser only makes sense with -http");
	return 0;
}

/* -inuse_space and its kind: the first one counts if -sample_index is not given. */
static void choose_index(struct flags *f, struct cpf_buf *messages)
{
	const struct {
		int set;
		const char *option, *type;
	} shorts[] = {
		{f->x.total_delay, "-total_delay", "delay"},
		{f->x.mean_delay, "-mean_delay", "delay"},
		{f->x.contentions, "-contentions", "contentions"},
		{f->x.inuse_space, "-inuse_space", "inuse_space"},
		{f->x.inuse_objects, "-inuse_objects", "inuse_objects"},
		{f->x.alloc_space, "-alloc_space", "alloc_space"},
		{f->x.alloc_objects, "-alloc_objects", "alloc_objects"},
	};
	size_t i;

	for (i = 0; i < CPF_LEN(shorts); i++) {
		if (!shorts[i].set)
			continue;
		if (!*f->c.sample_index)
			f->c.sample_index = shorts[i].type;
		else
			cpf_buf_fmt(messages, "Multiple value selections, ignoring %s\n",
				shorts[i].option);
	}
	if (f->x.mean_delay)
		f->c.mean = 1;
}

static void defaults(struct parser *p)
{
	struct flags *f = &p->f;
	size_t i;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < CPF_LEN(flags); i++)
		if (flags[i].kind == F_STRING)
			*(const char **)((char *)f + flags[i].offset) = "";
	f->c.unit = "minimum";
	f->c.divide_by = 1;
	f->c.nodefraction = 0.005;
	f->c.edgefraction = 0.001;
	f->c.nodecount = -1;
	f->c.trim = 1;
	f->c.granularity = CPF_BY_FUNCTION;
	f->x.seconds = f->x.timeout = -1;
}

static int choose_limit(uint64_t *out, const char *name, const char *text, int64_t most,
	struct cpf_err *e)
{
	struct cpf_err inner = {0};
	int64_t v = 0;

	if (*text && cpf_parse_size(&v, text, &inner))
		return cpf_fail(e, CPF_E_USAGE, "-%s: %s", name, inner.reason);
	if (*text && (!v || v > most))
		return cpf_fail(e, CPF_E_USAGE, "-%s: '%s' is out of range", name, text);
	*out = (uint64_t)v;
	return 0;
}

static int choose_limits(const struct flags *f, struct cpf_limits *l, struct cpf_err *e)
{
	if (f->x.max_depth < 0 || f->x.max_depth > CPF_CLI_MOST_DEPTH)
		return cpf_fail(e, CPF_E_USAGE, "-max-depth: %" PRId64 " is out of range", f->x.max_depth);
	l->depth = (uint32_t)f->x.max_depth;
	if (choose_limit(&l->unpacked, "max-size", f->x.max_size, INT64_MAX, e))
		return -1;
	return choose_limit(&l->string, "max-string", f->x.max_string, CPF_CLI_MOST_STRING, e);
}

static int check(struct parser *p, struct cpf_pprof_args *a, struct cpf_err *e)
{
	if (!a->nsources)
		return cpf_fail(e, CPF_E_USAGE, "no profile source specified");
	if (choose_sort(&p->f, e) || choose_command(p, e) || choose_limits(&p->f, &a->limits, e))
		return -1;
	choose_index(&p->f, &a->messages);
	if (*p->f.c.base && *p->f.c.diff_base)
		return cpf_fail(e, CPF_E_USAGE,
			"-base and -diff_base flags cannot both be specified");
	if (p->f.c.normalize && !*p->f.c.base && !*p->f.c.diff_base)
		return cpf_fail(e, CPF_E_USAGE, "must have base profile to normalize by");
	if (*p->f.x.http)
		return cpf_fail(e, CPF_E_USAGE, "not offered: -http; ask for a report, for example "
						      "-top, or -dot and Graphviz for a picture");
	return 0;
}

int cpf_pprof_parse(struct cpf_pprof_args *a, int argc, char *const *argv, struct cpf_err *e)
{
	struct parser p;
	int i, ret;

	memset(a, 0, sizeof(*a));
	defaults(&p);
	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (take(&p, argc, argv, &i, &a->help, e))
			return -1;
		if (a->help)
			return 0;
	}
	a->sources = argv + i;
	a->nsources = argc - i;
	ret = check(&p, a, e);
	a->cfg = p.f.c;
	return ret;
}

void cpf_pprof_args_release(struct cpf_pprof_args *a)
{
	cpf_buf_release(&a->messages);
}
