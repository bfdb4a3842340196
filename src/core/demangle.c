#include "core/demangle.h"

#include "base/mem.h"

#ifdef CPF_WITH_LIBIBERTY

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <libiberty/demangle.h>

#include "base/rowset.h"

#define MAX_SYMBOL 16384 /* bytes of a mangled name */
#define MAX_TEXT   (1 << 20)
/*
 * The printer keeps a table of (templates x references to template parameters) on the stack. Names
 * of real programs stay far below.
 */
#define MAX_SCOPES 50000
/* Each conversion operator ("cv") within another is parsed twice, so nesting doubles the work. */
#define MAX_CONVERSIONS 12
#define OPTIONS         (DMGL_PARAMS | DMGL_ANSI)

typedef struct demangle_component node; /* libiberty's */

static node *left(const node *n)
{
	return n->u.s_binary.left;
}

/* C++. */

static int is_this_qualifier(const node *n)
{
	switch (n->type) {
	case DEMANGLE_COMPONENT_CONST_THIS:
	case DEMANGLE_COMPONENT_VOLATILE_THIS:
	case DEMANGLE_COMPONENT_RESTRICT_THIS:
	case DEMANGLE_COMPONENT_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_TRANSACTION_SAFE:
	case DEMANGLE_COMPONENT_NOEXCEPT:
	case DEMANGLE_COMPONENT_THROW_SPEC:
		return 1;
	default:
		return 0;
	}
}

/* Standard abbreviations (Ss, Si ...) spell their arguments out before a constructor. */
static void cut_standard(node *n)
{
	const char *angle = memchr(n->u.s_string.string, '<', (size_t)n->u.s_string.len);

	if (angle)
		n->u.s_string.len = (int)(angle - n->u.s_string.string);
}

/* What a place in the tree is for. */
enum role {
	ROLE_PLAIN,     /* a function in an expression is its name alone */
	ROLE_ENCLOSING, /* a function that something is inside of: "f() const" */
	ROLE_WHOLE,     /* a function as such, or behind "thunk to": with its parameters */
	ROLE_CONVERSION /* part of the type an operator converts to */
};

/* Places still to be looked at. The tree shares parts, so each node is entered once. */
struct pass {
	enum cpf_demangle_mode mode;
	struct place {
		node **at;
		enum role role;
	} *stack;
	size_t n, cap;
	struct cpf_rowset seen;
	node **nodes;
	size_t nodes_cap;
	node *arguments; /* of the template that was taken off last */
};

/* An encoding without parameters and return type, or a template without arguments. */
static node *bare(struct pass *p, node *n, enum cpf_demangle_mode mode)
{
	for (;; n = left(n)) {
		if (n && n->type == DEMANGLE_COMPONENT_TEMPLATE)
			p->arguments = n->u.s_binary.right;
		if (!n || !(n->type == DEMANGLE_COMPONENT_TYPED_NAME || is_this_qualifier(n) ||
				  (mode == CPF_DEMANGLE_SIMPLE &&
					  n->type == DEMANGLE_COMPONENT_TEMPLATE)))
			return n;
	}
}

static void push(struct pass *p, node **at, enum role role)
{
	if (!*at)
		return;
	CPF_GROW(p->stack, p->cap, p->n + 1);
	p->stack[p->n].at = at;
	p->stack[p->n++].role = role;
}

static int seen(struct pass *p, node *n)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)(uintptr_t)n);
	struct cpf_rowset_it it;
	uint32_t id;

	for (id = cpf_rowset_first(&p->seen, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&p->seen, &it))
		if (p->nodes[id] == n)
			return 1;
	id = (uint32_t)p->seen.n;
	CPF_GROW(p->nodes, p->nodes_cap, (size_t)id + 1);
	p->nodes[id] = n;
	cpf_rowset_add(&p->seen, h, id);
	return 0;
}

/* Constructors and destructors of a type without name are called what the type is called. */
static void name_structor(node *n)
{
	node *scope = left(n), *last = n->u.s_binary.right;

	while (scope && (scope->type == DEMANGLE_COMPONENT_QUAL_NAME ||
				scope->type == DEMANGLE_COMPONENT_LOCAL_NAME))
		scope = scope->u.s_binary.right;
	if (!scope || !last || (scope->type != DEMANGLE_COMPONENT_UNNAMED_TYPE &&
				       scope->type != DEMANGLE_COMPONENT_LAMBDA))
		return;
	if (last->type == DEMANGLE_COMPONENT_CTOR)
		last->u.s_ctor.name = scope;
	else if (last->type == DEMANGLE_COMPONENT_DTOR)
		last->u.s_dtor.name = scope;
}

static void push_parts(struct pass *p, node *n, enum role role)
{
	switch (n->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		return;
	case DEMANGLE_COMPONENT_SUB_STD:
		if (p->mode == CPF_DEMANGLE_SIMPLE)
			cut_standard(n);
		return;
	case DEMANGLE_COMPONENT_CTOR:
		push(p, &n->u.s_ctor.name, ROLE_PLAIN);
		return;
	case DEMANGLE_COMPONENT_DTOR:
		push(p, &n->u.s_dtor.name, ROLE_PLAIN);
		return;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		push(p, &n->u.s_extended_operator.name, ROLE_PLAIN);
		return;
	case DEMANGLE_COMPONENT_FIXED_TYPE:
		push(p, &n->u.s_fixed.length, ROLE_PLAIN);
		return;
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
		push(p, &n->u.s_unary_num.sub, ROLE_PLAIN);
		return;
	case DEMANGLE_COMPONENT_LOCAL_NAME:
		push(p, &n->u.s_binary.left,
			p->mode == CPF_DEMANGLE_FULL ? ROLE_WHOLE : ROLE_ENCLOSING);
		push(p, &n->u.s_binary.right, ROLE_PLAIN);
		return;
	case DEMANGLE_COMPONENT_THUNK:
	case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
	case DEMANGLE_COMPONENT_COVARIANT_THUNK:
	case DEMANGLE_COMPONENT_TRANSACTION_CLONE:
	case DEMANGLE_COMPONENT_NONTRANSACTION_CLONE:
	case DEMANGLE_COMPONENT_GLOBAL_CONSTRUCTORS:
	case DEMANGLE_COMPONENT_GLOBAL_DESTRUCTORS:
		push(p, &n->u.s_binary.left, ROLE_WHOLE);
		return;
	case DEMANGLE_COMPONENT_CONVERSION:
		push(p, &n->u.s_binary.left, ROLE_CONVERSION);
		return;
	case DEMANGLE_COMPONENT_QUAL_NAME:
		name_structor(n);
		break;
	default:
		break;
	}
	if (role != ROLE_CONVERSION && !is_this_qualifier(n))
		role = ROLE_PLAIN;
	push(p, &n->u.s_binary.left, role);
	push(p, &n->u.s_binary.right, role == ROLE_CONVERSION ? role : ROLE_PLAIN);
}

/* "operator T": T has to be put in before its template is taken off. */
static node *argument(const struct pass *p, node *n)
{
	node *list = p->arguments;
	long k = n->u.s_number.number;

	for (; k > 0 && list; k--)
		list = list->u.s_binary.right;
	return list && left(list) ? left(list) : n;
}

/* "f(int)" around something is "f()". */
static void empty_parameters(node *n)
{
	node *type;

	while (n && is_this_qualifier(n))
		n = left(n);
	if (!n || n->type != DEMANGLE_COMPONENT_TYPED_NAME)
		return;
	for (type = n->u.s_binary.right; type && is_this_qualifier(type);)
		type = left(type);
	if (type && type->type == DEMANGLE_COMPONENT_FUNCTION_TYPE)
		type->u.s_binary.left = type->u.s_binary.right = NULL;
}

/* Takes out of the tree what the mode does not show. */
static node *simplify(node *tree, enum cpf_demangle_mode mode)
{
	struct pass p = {.mode = mode};
	struct place place;
	node *n;

	if (mode != CPF_DEMANGLE_FULL) {
		tree = bare(&p, tree, mode);
		if (tree && tree->type == DEMANGLE_COMPONENT_LOCAL_NAME)
			tree->u.s_binary.right =
				bare(&p, tree->u.s_binary.right, mode);
	}
	push(&p, &tree, ROLE_WHOLE);
	while (p.n) {
		place = p.stack[--p.n];
		n = *place.at;
		if (place.role == ROLE_ENCLOSING)
			empty_parameters(n);
		while (n && ((mode == CPF_DEMANGLE_SIMPLE && n->type == DEMANGLE_COMPONENT_TEMPLATE) ||
				    (place.role == ROLE_PLAIN &&
					    n->type == DEMANGLE_COMPONENT_TYPED_NAME))) {
			if (n->type == DEMANGLE_COMPONENT_TEMPLATE && place.role != ROLE_CONVERSION)
				p.arguments = n->u.s_binary.right;
			n = left(n);
		}
		if (n && n->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM &&
			place.role == ROLE_CONVERSION && p.arguments)
			n = argument(&p, n);
		*place.at = n;
		if (n && !seen(&p, n))
			push_parts(&p, n, place.role);
	}
	cpf_rowset_release(&p.seen);
	cpf_free(p.stack);
	cpf_free(p.nodes);
	return tree;
}

/*
 * The types that functions return, as far as they are what is named or stand around it. DMGL_RET_DROP
 * of libiberty takes them out of pointers to functions, too, if what is named is no function.
 */
static void drop_return_types(node *n)
{
	node *around[64], *type;
	size_t left_to_do = 0;

	for (;; n = left_to_do ? around[--left_to_do] : NULL) {
		while (n && is_this_qualifier(n))
			n = left(n);
		if (!n)
			return;
		switch (n->type) {
		case DEMANGLE_COMPONENT_TYPED_NAME:
			for (type = n->u.s_binary.right; type && is_this_qualifier(type);)
				type = left(type);
			if (type && type->type == DEMANGLE_COMPONENT_FUNCTION_TYPE)
				type->u.s_binary.left = NULL;
			break;
		case DEMANGLE_COMPONENT_LOCAL_NAME:
		case DEMANGLE_COMPONENT_QUAL_NAME:
		case DEMANGLE_COMPONENT_CLONE:
		case DEMANGLE_COMPONENT_TEMPLATE:
		case DEMANGLE_COMPONENT_THUNK:
		case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
		case DEMANGLE_COMPONENT_COVARIANT_THUNK:
		case DEMANGLE_COMPONENT_GUARD:
			break;
		default:
			continue;
		}
		if (left_to_do + 2 > CPF_LEN(around))
			return;
		if (n->type == DEMANGLE_COMPONENT_LOCAL_NAME && n->u.s_binary.right)
			around[left_to_do++] = n->u.s_binary.right;
		if (left(n))
			around[left_to_do++] = left(n);
	}
}

struct sink {
	struct cpf_buf *out;
	size_t limit;
	jmp_buf full;
};

/* The printer cannot be asked to stop, and a short name can stand for gigabytes of text. */
static void add_text(const char *s, size_t n, void *arg)
{
	struct sink *k = arg;

	if (k->out->n + n > k->limit)
		longjmp(k->full, 1);
	cpf_buf_add(k->out, s, n);
}

/*
 * The printer parts closing brackets ("> >"), but forgets to behind an empty pack. What else looks
 * like ">>" is the operator, by name or between two expressions in brackets.
 */
static void part_brackets(struct cpf_buf *out, size_t start)
{
	static const char op[] = "operator";
	size_t i;

	for (i = start + 1; i + 1 < out->n; i++) {
		const char *s = out->s + i;

		if (s[0] != '>' || s[1] != '>' || (s[-1] == ')' && i + 2 < out->n && s[2] == '('))
			continue;
		if (i - start >= sizeof(op) - 1 && !memcmp(s - sizeof(op) + 1, op, sizeof(op) - 1)) {
			i++;
			continue;
		}
		cpf_buf_char(out, ' ');
		memmove(out->s + i + 2, out->s + i + 1, out->n - i - 2);
		out->s[i + 1] = ' ';
	}
}

/* tree NULL: libiberty parses name by itself. */
static int print(struct cpf_buf *out, node *tree, const char *name, enum cpf_demangle_mode mode)
{
	const int drop = mode == CPF_DEMANGLE_SIGNATURE ? DMGL_RET_DROP : 0;
	size_t start = out->n;
	struct sink k;
	volatile int ok = 0;

	k.out = out;
	k.limit = start + MAX_TEXT;
	if (!setjmp(k.full))
		ok = tree ? cplus_demangle_print_callback(OPTIONS, tree, add_text, &k)
			  : cplus_demangle_v3_callback(name, OPTIONS | drop, add_text, &k);
	if (!ok || out->n == start) {
		out->n = start;
		return 0;
	}
	if (mode != CPF_DEMANGLE_SIGNATURE)
		part_brackets(out, start);
	return 1;
}

static int too_hostile(const char *name)
{
	size_t templates = 0, references = 0, conversions = 0, n;

	for (n = 0; name[n] && n <= MAX_SYMBOL; n++) {
		templates += name[n] == 'I';
		references += name[n] == 'R' || name[n] == 'O';
		/* "2cv" is a namespace. */
		conversions += name[n] == 'c' && name[n + 1] == 'v' &&
			       !(n && name[n - 1] >= '0' && name[n - 1] <= '9');
	}
	return n > MAX_SYMBOL || templates * references > MAX_SCOPES || conversions > MAX_CONVERSIONS;
}

static node *edit(node *tree, enum cpf_demangle_mode mode)
{
	if (mode == CPF_DEMANGLE_SIGNATURE) {
		drop_return_types(tree);
		return tree;
	}
	while (tree && tree->type == DEMANGLE_COMPONENT_CLONE)
		tree = left(tree);
	return tree ? simplify(tree, mode) : NULL;
}

static int demangle_cpp(struct cpf_buf *out, const char *name, enum cpf_demangle_mode mode)
{
	const int whole = mode == CPF_DEMANGLE_FULL || mode == CPF_DEMANGLE_SIGNATURE;
	void *mem = NULL;
	node *tree = cplus_demangle_v3_components(name, OPTIONS, &mem);
	int ok = 0;

	/* If only the name is wanted, what follows it may be anything. */
	if (!tree && !whole)
		tree = cplus_demangle_v3_components(name, DMGL_ANSI, &mem);
	if (tree)
		tree = edit(tree, mode);
	/* It tries older spellings of names in expressions (sr) only if it is to give text. */
	if (tree || whole)
		ok = print(out, tree, name, mode);
	free(mem);
	return ok;
}

/* Rust. */

static int is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

/*
 * Generic arguments become "<>": those are the brackets behind a word or "::". Others stand around
 * "<T as Trait>" or behind "for" and stay.
 */
static void add_without_generics(struct cpf_buf *out, const char *s)
{
	size_t start = out->n, depth = 0;
	char last = 0;

	for (; *s; last = *s++) {
		if (*s == '>' && last == '-') { /* an arrow */
			if (!depth)
				cpf_buf_char(out, '>');
			continue;
		}
		if (depth) {
			depth += *s == '<';
			depth -= *s == '>';
			if (!depth)
				cpf_buf_char(out, '>');
			continue;
		}
		if (*s == '<' && out->n > start && (is_word(last) || last == ':') &&
			!(out->n - start >= 3 && !memcmp(out->s + out->n - 3, "for", 3)))
			depth = 1;
		cpf_buf_char(out, *s);
	}
}

/* Puts with in place of every old; both are NUL-terminated. */
static void replace_all(struct cpf_buf *b, const char *old, const char *with)
{
	struct cpf_buf out = {0};
	const char *s = b->s, *at;

	for (; (at = strstr(s, old)) != NULL; s = at + strlen(old)) {
		cpf_buf_add(&out, s, (size_t)(at - s));
		cpf_buf_str(&out, with);
	}
	cpf_buf_str(&out, s);
	cpf_buf_release(b);
	*b = out;
}

/*
 * Numbers of more than 64 bits among generic arguments ("Knn8000...0_"): libiberty prints their
 * digits from the second one on, and the underscore that ends them.
 */
static void repair_wide_numbers(struct cpf_buf *text, const char *mangled)
{
	static const char hex[] = "0123456789abcdef";
	char wrong[64], right[64];
	const char *s = mangled;
	size_t n, left = 16; /* hostile names may have many, and a long text */

	while (left && (s = strchr(s, 'K')) != NULL) {
		s++;
		if (*s < 'a' || *s > 'z')
			continue;
		s += s[1] == 'n' ? 2 : 1;
		n = strspn(s, hex);
		if (n <= 16 || n > 32 || s[n] != '_')
			continue;
		snprintf(wrong, sizeof(wrong), "0x%.*s_", (int)n - 1, s + 1);
		snprintf(right, sizeof(right), "0x%.*s", (int)n, s);
		replace_all(text, wrong, right);
		left--;
	}
}

static int demangle_rust(struct cpf_buf *out, const char *name, enum cpf_demangle_mode mode)
{
	char *text = rust_demangle(name, OPTIONS);
	struct cpf_buf b = {0};

	if (!text)
		return 0;
	cpf_buf_str(&b, text);
	free(text);
	if (name[1] == 'R')
		repair_wide_numbers(&b, name);
	if (mode == CPF_DEMANGLE_SIMPLE && name[1] == 'R')
		add_without_generics(out, b.s);
	else
		cpf_buf_str(out, b.s);
	cpf_buf_release(&b);
	return 1;
}

/* "___Z1fv_block_invoke_2": a block in f, an extension of C by Apple. */
static int demangle_block(struct cpf_buf *out, const char *name, enum cpf_demangle_mode mode)
{
	static const char tail[] = "_block_invoke";
	const char *z = name + strspn(name, "_") - 1, *end = strstr(name, tail), *at;
	size_t start = out->n;
	char *inner;
	int ok;

	if (z - name < 2 || z - name > 3 || z[1] != 'Z' || !end)
		return 0;
	at = end + sizeof(tail) - 1;
	if (*at == '_')
		at++;
	at += strspn(at, "0123456789");
	if (*at && *at != '.')
		return 0;
	inner = cpf_strndup(z, (size_t)(end - z));
	cpf_buf_str(out, "invocation function for block in ");
	ok = demangle_cpp(out, inner, mode);
	if (!ok)
		out->n = start;
	cpf_free(inner);
	return ok;
}

int cpf_demangle(struct cpf_buf *out, const char *name, enum cpf_demangle_mode mode)
{
	if (name[0] != '_' || too_hostile(name))
		return 0;
	return demangle_rust(out, name, mode) || demangle_cpp(out, name, mode) ||
	       demangle_block(out, name, mode);
}

int cpf_demangle_available(void)
{
	return 1;
}

#else

int cpf_demangle(struct cpf_buf *out, const char *name, enum cpf_demangle_mode mode)
{
	(void)out;
	(void)name;
	(void)mode;
	return 0;
}

int cpf_demangle_available(void)
{
	return 0;
}

#endif

/*
 * Endings of symbols that are a piece or a copy of the function in front of them. number: whether
 * ".N" follows the word; gcc writes .cold and .localalias with and without, clang .cold.N.
 */
static const struct {
	const char *word;
	enum { NUMBER_NO, NUMBER_MAYBE, NUMBER_YES } number;
} clones[] = {
	{"cold", NUMBER_MAYBE},
	{"part", NUMBER_YES},
	{"isra", NUMBER_YES},
	{"constprop", NUMBER_YES},
	{"lto_priv", NUMBER_YES},
	{"localalias", NUMBER_MAYBE},
	{"llvm", NUMBER_YES},
	{"__uniq", NUMBER_YES},
	{"specialized", NUMBER_YES},
};

/* Length of the name without its last ending, n if there is none to take off. */
static size_t without_clone(const char *s, size_t n)
{
	size_t end = n, at, i;
	int number = 0;

	while (end && s[end - 1] >= '0' && s[end - 1] <= '9')
		end--;
	if (end < n && end && s[end - 1] == '.') {
		number = 1;
		end--;
	} else {
		end = n;
	}
	for (at = end; at && s[at - 1] != '.';)
		at--;
	if (at < 2)
		return n;
	for (i = 0; i < CPF_LEN(clones); i++)
		if (strlen(clones[i].word) == end - at && !memcmp(clones[i].word, s + at, end - at) &&
			(number ? clones[i].number != NUMBER_NO : clones[i].number != NUMBER_YES))
			return at - 1;
	return n;
}

/*
 * The same for endings as demanglers write them: "f(int) [clone .isra.0]", a row of them in one pair of
 * brackets or in several.
 */
static size_t without_clone_in_words(const char *s, size_t n)
{
	static const char word[] = " [clone ";
	const size_t k = sizeof(word) - 1;
	size_t at = n, len, less;

	if (!n || s[n - 1] != ']')
		return n;
	while (at && s[at - 1] != '[')
		at--;
	/* In front of the first dot: the blank. */
	if (at < 3 || n - at < k || memcmp(s + at - 2, word, k))
		return n;
	s += at + k - 3;
	len = n - 1 - (at + k - 3);
	while ((less = without_clone(s, len)) < len)
		len = less;
	return len == 1 ? at - 2 : n;
}

/*
 * Where a Rust name ends: what follows a dot there is no part of it (LLVM numbers the parts of
 * variables that it took apart). n for other names.
 */
static size_t rust_end(const char *s, size_t n)
{
	static const char hash[] = "0123456789abcdef";
	const char *dot;
	size_t i;

	if (n > 2 && s[0] == '_' && s[1] == 'R') {
		dot = memchr(s, '.', n);
		return dot ? (size_t)(dot - s) : n;
	}
	for (i = 3; i + 20 < n && !memcmp(s, "_ZN", 3); i++)
		if (!memcmp(s + i, "17h", 3) && strspn(s + i + 3, hash) >= 16 && s[i + 19] == 'E' &&
			s[i + 20] == '.')
			return i + 20;
	return n;
}

int cpf_shown_name(struct cpf_buf *out, const char *linkage_name)
{
	const char *tail = strchr(linkage_name, '@');
	const size_t whole = strlen(linkage_name), start = out->n;
	size_t n = tail ? (size_t)(tail - linkage_name) : whole, less, end;
	char *name;
	int ok;

	if (!tail)
		tail = "";
	while ((less = without_clone(linkage_name, n)) < n ||
		(less = without_clone_in_words(linkage_name, n)) < n)
		n = less;
	end = rust_end(linkage_name, n);
	name = cpf_strndup(linkage_name, end);
	ok = cpf_demangle(out, name, CPF_DEMANGLE_SIGNATURE);
	cpf_free(name);
	if (!ok && n + strlen(tail) == whole)
		return 0;
	if (!ok)
		end = 0;
	cpf_buf_add(out, linkage_name + end, n - end);
	cpf_buf_str(out, tail);
	return out->n > start;
}
