#include "base/base.h"

#include "base/buf.h"
#include "base/input.h"
#include "formats/formats.h"

#define ENTRY(name) &cpf_format_##name,
const struct cpf_format *const cpf_formats[] = {CPF_FORMATS(ENTRY) NULL};

const struct cpf_format *cpf_format_by_name(const char *name)
{
	size_t i;

	for (i = 0; cpf_formats[i]; i++)
		if (!strcmp(cpf_formats[i]->name, name))
			return cpf_formats[i];
	return NULL;
}

static int ends_with(const char *s, size_t n, const char *suffix, size_t len)
{
	return n > len && !memcmp(s + n - len, suffix, len);
}

const struct cpf_format *cpf_format_by_suffix(const char *path, int *gzip)
{
	const struct cpf_format *best = NULL;
	size_t i, len, n = strlen(path), longest = 0;
	const char *s;

	*gzip = 0;
	for (i = 0; cpf_formats[i]; i++) {
		if (!cpf_formats[i]->write)
			continue;
		for (s = cpf_formats[i]->suffixes; *s; s += len) {
			s += strspn(s, " ");
			len = strcspn(s, " ");
			if (len <= longest || !ends_with(path, n, s, len))
				continue;
			longest = len;
			best = cpf_formats[i];
			/* pprof tools write .pprof packed without saying so in the name. */
			*gzip = ends_with(path, n, ".gz", 3) || ends_with(path, n, ".pprof", 6);
		}
	}
	return best;
}

/* Files people try that no reader takes, by their first bytes. */
static const struct {
	const char *magic;
	uint8_t len;
	const char *what;
} known[] = {
	{"PK\003\004", 4, "a ZIP archive; unpack it first"},
	{"\x1f\x8b", 2, "packed twice with gzip; unpack it once"},
	{"\x28\xb5\x2f\xfd", 4, "packed with zstd; unpack it first"},
	{"\xfd" "7zXZ", 6, "packed with xz; unpack it first"},
	{"BZh", 3, "packed with bzip2; unpack it first"},
	{"\x04\x22\x4d\x18", 4, "packed with lz4; unpack it first"},
	{"PERFILE2", 8, "a perf.data file; convert it with 'samply import' or 'perf script' first"},
	{"\x7f" "ELF", 4, "an ELF file, not a profile"},
	{"\xcf\xfa\xed\xfe", 4, "a Mach-O file, not a profile"},
	{"heap profile:", 13, "a heap profile in text form, which is not read"},
	{"--- heap", 8, "a heap profile in text form, which is not read"},
	{"--- contention", 14, "a contention profile in text form, which is not read"},
	{"--- mutex:", 10, "a mutex profile in text form, which is not read"},
	{"--- thread", 10, "a thread profile in text form, which is not read"},
	{"--- Thread", 10, "a thread profile in text form, which is not read"},
	{"goroutine profile:", 18, "a goroutine profile in text form, which is not read"},
};

static int unknown_format(const uint8_t *head, size_t n, struct cpf_err *e)
{
	struct cpf_buf first = {0}, names = {0};
	size_t i;

	if (n >= 2 && (!memcmp(head, "\xff\xfe", 2) || !memcmp(head, "\xfe\xff", 2)))
		return cpf_fail(e, CPF_E_FORMAT, "this is UTF-16 text; convert it to UTF-8 first");
	for (i = 0; i < n && i < 16; i++) {
		if (head[i] == '"' || head[i] == '\\')
			cpf_buf_fmt(&first, "\\%c", head[i]);
		else if (head[i] >= 0x20 && head[i] < 0x7f)
			cpf_buf_char(&first, (char)head[i]);
		else
			cpf_buf_fmt(&first, "\\x%02x", head[i]);
	}
	for (i = 0; cpf_formats[i]; i++)
		if (cpf_formats[i]->read)
			cpf_buf_fmt(&names, "%s%s", names.n ? ", " : "", cpf_formats[i]->name);
	cpf_fail(e, CPF_E_FORMAT,
		"unrecognized profile format: starts with \"%s\"%s; readable are: %s", first.s,
		n > 16 ? "..." : "", names.s);
	cpf_buf_release(&first);
	cpf_buf_release(&names);
	return -1;
}

static int detect(const struct cpf_format **out, const uint8_t *head, size_t n, struct cpf_err *e)
{
	const struct cpf_format *best = NULL, *rival = NULL;
	int sure = 0, s;
	size_t i;

	/* First, since their first bytes can pass for protobuf or folded stacks. */
	for (i = 0; i < CPF_LEN(known); i++)
		if (n >= known[i].len && !memcmp(head, known[i].magic, known[i].len))
			return cpf_fail(e, CPF_E_FORMAT, "this is %s", known[i].what);
	for (i = 0; cpf_formats[i]; i++) {
		if (!cpf_formats[i]->probe || !cpf_formats[i]->read)
			continue;
		s = cpf_formats[i]->probe(head, n);
		if (s > sure) {
			sure = s;
			best = cpf_formats[i];
			rival = NULL;
		} else if (s && s == sure) {
			rival = cpf_formats[i];
		}
	}
	if (!best)
		return unknown_format(head, n, e);
	if (rival)
		return cpf_fail(e, CPF_E_FORMAT, "the format is not clear: %s or %s", best->name,
			rival->name);
	*out = best;
	return 0;
}

int cpf_load_input(struct cpf_profile *p, struct cpf_input *in, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e)
{
	static const struct cpf_load_opts all = {.want = CPF_WANT_ALL};
	const struct cpf_format *f = NULL;
	const uint8_t *head;
	size_t n;
	int r;

	r = cpf_input_head(in, &head, &n, e);
	if (!r && !n)
		r = cpf_fail(e, CPF_E_FORMAT, "empty input file");
	if (!r)
		r = detect(&f, head, n, e);
	if (!r)
		r = f->read(in, p, o ? o : &all, d, e);
	cpf_profile_seal(p);
	if (r) {
		cpf_err_source(e, cpf_input_name(in));
		if (e && e->byte != CPF_NO_POS && cpf_input_packed(in))
			e->unpacked = 1;
	}
	return r;
}

int cpf_load(struct cpf_profile *p, const char *path, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e)
{
	struct cpf_input *in;
	int r;

	if (cpf_input_open(&in, path, d, e)) {
		cpf_err_source(e, path);
		return -1;
	}
	r = cpf_load_input(p, in, o, d, e);
	cpf_input_close(in);
	return r;
}
