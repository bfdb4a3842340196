#include "core/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/buf.h"
#include "base/mem.h"

/* Far above what any sensible pattern needs on a name, and well below a second. */
#define MATCH_LIMIT    2000000
#define HEAP_LIMIT_KIB 65536
#define DFA_LIMIT      200000
#define MAX_WORKSPACE  65536
/* A pattern that ran away this often is matched breadth first from then on. */
#define MAX_RUNAWAYS   20

/* The breadth-first matcher reads the rest of a name from each of its places: for one name, for all. */
#define WIDE_NAME_MAX 8192
#define WIDE_WORK_MAX (UINT64_C(1) << 29)

struct cpf_regex {
	char *what;
	pcre2_code *code;
	pcre2_match_context *limits;
	pcre2_match_data *data;
	int *workspace;
	uint8_t *known;      /* per string id: 0 not matched yet, 1 no, 2 yes */
	size_t known_cap;
	struct cpf_buf text; /* the subject made valid */
	int runaways;        /* texts that went past the limit of backtracking */
	uint64_t wide_work;  /* squares of the lengths matched breadth-first */
	int gave_up;
};

static int compile(struct cpf_regex *re, const struct cpf_buf *pattern, struct cpf_err *e)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	PCRE2_UCHAR text[256];
	PCRE2_SIZE at;
	int code;

	if (!c)
		return cpf_fail(e, CPF_E_LIMIT, "no memory for a regular expression");
	pcre2_set_newline(c, PCRE2_NEWLINE_LF);
	re->code = pcre2_compile((PCRE2_SPTR)(pattern->s ? pattern->s : ""), pattern->n,
		PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_CIRCUMFLEX |
			PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE,
		&code, &at, c);
	pcre2_compile_context_free(c);
	if (!re->code) {
		pcre2_get_error_message(code, text, sizeof(text));
		return cpf_fail(e, CPF_E_USAGE, "parsing %s regexp: error parsing regexp: %s", re->what,
			(const char *)text);
	}
	/* Not every build of the library has a compiler for this machine; then it interprets. */
	(void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	return 0;
}

int cpf_regex_new(struct cpf_regex **out, const char *what, const char *pattern, struct cpf_err *e)
{
	struct cpf_regex *re = cpf_calloc(1, sizeof(*re));
	struct cpf_buf b = {0};
	struct cpf_err why = {0};
	int r;

	*out = NULL;
	re->what = cpf_strdup(what);
	r = cpf_regex_translate(&b, pattern, &why);
	if (r)
		cpf_fail(e, why.code, "parsing %s regexp: %s", what, why.reason);
	else
		r = compile(re, &b, e);
	cpf_buf_release(&b);
	if (!r) {
		re->limits = pcre2_match_context_create(NULL);
		re->data = pcre2_match_data_create(1, NULL);
		if (!re->limits || !re->data)
			r = cpf_fail(e, CPF_E_LIMIT, "no memory for a regular expression");
	}
	if (r) {
		cpf_regex_free(re);
		return -1;
	}
	pcre2_set_match_limit(re->limits, MATCH_LIMIT);
	pcre2_set_heap_limit(re->limits, HEAP_LIMIT_KIB);
	*out = re;
	return 0;
}

void cpf_regex_free(struct cpf_regex *re)
{
	if (!re)
		return;
	pcre2_match_data_free(re->data);
	pcre2_match_context_free(re->limits);
	pcre2_code_free(re->code);
	cpf_free(re->workspace);
	cpf_free(re->known);
	cpf_free(re->what);
	cpf_buf_release(&re->text);
	cpf_free(re);
}

/* The breadth-first matcher: no backtracking to run away, but slower, and quadratic in the name. */
static int match_wide(struct cpf_regex *re, const char *s, size_t n)
{
	int r;

	re->gave_up |= n > WIDE_NAME_MAX || re->wide_work > WIDE_WORK_MAX;
	if (re->gave_up)
		return 0;
	re->wide_work += (uint64_t)n * n;
	if (!re->workspace)
		re->workspace = cpf_calloc(MAX_WORKSPACE, sizeof(*re->workspace));
	pcre2_set_match_limit(re->limits, DFA_LIMIT);
	r = pcre2_dfa_match(re->code, (PCRE2_SPTR)s, n, 0, PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST,
		re->data, re->limits, re->workspace, MAX_WORKSPACE);
	pcre2_set_match_limit(re->limits, MATCH_LIMIT);
	if (r < 0 && r != PCRE2_ERROR_NOMATCH)
		re->gave_up = 1;
	return r >= 0;
}

/* Copies the subject if it holds invalid UTF-8. */
static void make_valid(struct cpf_regex *re, const char **s, size_t *n)
{
	size_t i = 0;
	int len;

	while (i < *n) {
		len = (unsigned char)(*s)[i] < 0x80 ? 1 : cpf_utf8_len(*s + i, *n - i);
		if (len <= 0)
			break;
		i += (size_t)len;
	}
	if (i == *n)
		return;
	cpf_buf_clear(&re->text);
	for (i = 0; i < *n; i += (size_t)len) {
		len = cpf_utf8_len(*s + i, *n - i);
		if (len > 0) {
			cpf_buf_add(&re->text, *s + i, (size_t)len);
		} else {
			cpf_buf_add(&re->text, "\xef\xbf\xbd", 3);
			len = 1;
		}
	}
	*s = re->text.s;
	*n = re->text.n;
}

int cpf_regex_match(struct cpf_regex *re, const char *s, size_t n)
{
	int r;

	/* The answer will not be used. */
	if (re->gave_up)
		return 0;
	make_valid(re, &s, &n);
	if (re->runaways > MAX_RUNAWAYS)
		return match_wide(re, s, n);
	r = pcre2_match(re->code, (PCRE2_SPTR)s, n, 0, PCRE2_NO_UTF_CHECK, re->data, re->limits);
	if (r >= 0)
		return 1;
	if (r == PCRE2_ERROR_NOMATCH)
		return 0;
	re->runaways++;
	return match_wide(re, s, n);
}

int cpf_regex_match_str(struct cpf_regex *re, const struct cpf_profile *p, cpf_str id)
{
	struct cpf_text t;

	if (id >= re->known_cap) {
		size_t was = re->known_cap;

		CPF_GROW(re->known, re->known_cap, cpf_nstrings(p));
		memset(re->known + was, 0, re->known_cap - was);
	}
	if (!re->known[id]) {
		t = cpf_text(p, id);
		re->known[id] = cpf_regex_match(re, t.s, t.len) ? 2 : 1;
	}
	return re->known[id] == 2;
}

int cpf_regex_status(const struct cpf_regex *re, struct cpf_err *e)
{
	if (!re->gave_up)
		return 0;
	return cpf_fail(e, CPF_E_LIMIT, "the %s regexp takes too long to match some names", re->what);
}
