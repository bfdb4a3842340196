#include "unit/test.h"

#include "core/demangle.h"

static const struct row {
	const char *name, *simple, *templates, *full; /* NULL: not mangled */
} rows[] = {
	{"_ZN3foo3BarIiE3runEv", "foo::Bar::run", "foo::Bar<int>::run", "foo::Bar<int>::run()"},
	{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back",
		"std::vector<int, std::allocator<int> >::push_back",
		"std::vector<int, std::allocator<int> >::push_back(int const&)"},
	{"_ZZN3app4mainEiE4impl", "app::main()::impl", "app::main()::impl", "app::main(int)::impl"},
	{"_ZN12_GLOBAL__N_16helperEi", "(anonymous namespace)::helper",
		"(anonymous namespace)::helper", "(anonymous namespace)::helper(int)"},
	{"_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place",
		"core::ptr::drop_in_place", "core::ptr::drop_in_place"},
	{"_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<>", "std::mem::align_of::<usize>",
		"std::mem::align_of::<usize>"},
	{"_Z3addii.constprop.0", "add", "add", "add(int, int)"},
	{"_Z1fIiEvT_", "f", "f<int>", "void f<int>(int)"},
	{"_ZNK3Foo3getEv", "Foo::get", "Foo::get", "Foo::get() const"},
	{"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()", "main::{lambda()#1}::operator()",
		"main::{lambda()#1}::operator()() const"},
	{"_ZN1AcvT_IiEEv", "A::operator int", "A::operator int<int>", "A::operator int<int>()"},
	{"_ZTv0_n12_N3foo3barEi", "virtual thunk to foo::bar(int)", "virtual thunk to foo::bar(int)",
		"virtual thunk to foo::bar(int)"},
	{"_ZNSsC1ERKSs", "std::basic_string::basic_string",
		"std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string",
		"std::basic_string<char, std::char_traits<char>, std::allocator<char> "
		">::basic_string(std::string const&)"},
	{"_ZN1N1TUt_D1Ev", "N::T::{unnamed type#1}::~{unnamed type#1}",
		"N::T::{unnamed type#1}::~{unnamed type#1}",
		"N::T::{unnamed type#1}::~{unnamed type#1}()"},
	{"_Z1fI1AI1BJEEEvv", "f", "f<A<B> >", "void f<A<B> >()"},
	{"_ZrsIiEvT_i", "operator>>", "operator>><int>", "void operator>><int>(int, int)"},
	{"___Z3foov_block_invoke_2", "invocation function for block in foo",
		"invocation function for block in foo", "invocation function for block in foo()"},
	{"_Z3foov@plt", "foo", "foo", NULL},
	{"main", NULL, NULL, NULL},
	{"_start", NULL, NULL, NULL},
	{"_Z", NULL, NULL, NULL},
	{"_R", NULL, NULL, NULL},
	{"", NULL, NULL, NULL},
};

static void check(const char *name, enum cpf_demangle_mode mode, const char *want)
{
	struct cpf_buf b = {0};
	int got;

	cpf_buf_str(&b, "before ");
	got = cpf_demangle(&b, name, mode);
	assert_int_equal(got, want != NULL);
	assert_string_equal(b.s + 7, want ? want : "");
	cpf_buf_release(&b);
}

static void names(void **state)
{
	size_t i;

	(void)state;
	if (!cpf_demangle_available())
		skip();
	for (i = 0; i < CPF_LEN(rows); i++) {
		check(rows[i].name, CPF_DEMANGLE_SIMPLE, rows[i].simple);
		check(rows[i].name, CPF_DEMANGLE_TEMPLATES, rows[i].templates);
		check(rows[i].name, CPF_DEMANGLE_FULL, rows[i].full);
	}
}

static void shown(void **state)
{
	static const struct {
		const char *name, *shown; /* NULL: as it is */
	} cases[] = {
		{"_Z1fIiEvT_", "f<int>(int)"},
		{"_Z1fIiEvT_.isra.0.cold", "f<int>(int)"},
		{"_Z1fv.llvm.1234567890", "f()"},
		{"_Z1fv.constprop.0.isra.1", "f()"},
		{"_Z1fv._omp_fn.0", "f() [clone ._omp_fn.0]"},
		{"_Z1fv._omp_fn.0.cold", "f() [clone ._omp_fn.0]"},
		{"_Z3foov@plt", "foo()@plt"},
		{"_Z3foov.cold@plt", "foo()@plt"},
		{"_ZNSt8functionIFivEEC1Ev", "std::function<int ()>::function()"},
		{"_ZZ1fIiEvT_ENKUlvE_clEv", "f<int>(int)::{lambda()#1}::operator()() const"},
		{"_ZNSs7replaceEmmPKcm",
			"std::string::replace(unsigned long, unsigned long, char const*, unsigned "
			"long)"},
		{"_ZTSN1N3optIFPNS_1AEPNS_1BEEEE", "typeinfo name for N::opt<N::A* (N::B*)>"},
		{"_ZThn16_N1A1fIiEEvv", "non-virtual thunk to A::f<int>()"},
		/* An older spelling of "std::is_signed<T>::value". */
		{"_ZN4llvm10checkedAddIiEENSt9enable_ifIXsr3std9is_signedIT_EE5valueENS_8OptionalIS2_EEE"
		 "4typeES2_S2_",
			"llvm::checkedAdd<int>(int, int)"},
		{"_ZN1AcvPFivEIiEEv", "A::operator int (*)()<int>()"},
		{"_ZN11colorchoice4USER17h6b847c7f2432399cE.0", "colorchoice::USER.0"},
		{"_ZN41_$LT$T$u20$as$u20$core..fmt..Debug..X$GT$3fmt17h0123456789abcdefE.llvm.7",
			"<T as core::fmt::Debug::X>::fmt"},
		{"_RNvXs8Z_NtNtCsgVdDwkt78Uu_4jiff4util8rangeintINtB6_5ri128Knn8000000000000000000000000"
		 "0000000_Kn7fffffffffffffffffffffffffffffff_ENtNtCs8NwYtU1Mohg_4core3fmt7Display3fmtBa_",
			"<jiff::util::rangeint::ri128<-0x80000000000000000000000000000000, "
			"0x7fffffffffffffffffffffffffffffff> as core::fmt::Display>::fmt"},
		{"_RNvNtCs2_3std2io4USED.0", "std::io::USED.0"},
		{"_ZN4core3ptr13drop_in_place17h0123456789abcdefE.llvm.1234",
			"core::ptr::drop_in_place"},
		{"_RINvNtC3std3mem8align_ofjE.llvm.99", "std::mem::align_of::<usize>"},
	}, plain[] = {
		{"foo.part.0", "foo"},
		{"foo.part.0.cold", "foo"},
		{"foo.isra.0.constprop.1.part.2", "foo"},
		{"foo.cold", "foo"},
		{"foo.cold.3", "foo"},
		{"foo.localalias", "foo"},
		{"f(int) [clone .isra.0]", "f(int)"},
		{"f(int) [clone .isra.0] [clone .cold]", "f(int)"},
		{"f(int) [clone .isra.0.cold]", "f(int)"},
		{"f(int) [clone ._omp_fn.0] [clone .cold]", "f(int) [clone ._omp_fn.0]"},
		{"f(int) [clone ._omp_fn.0]", NULL},
		{"f(int) [clone ._omp_fn.0.cold]", NULL},
		{"f(int) [clone .part.x]", NULL},
		{"f(int) [clone .]", NULL},
		{"f(int) [clone ]", NULL},
		{"f(int) [clone", NULL},
		{"[clone .cold]", NULL},
		{" [clone .cold]", NULL},
		{"f [.cold]", NULL},
		{"f[]", NULL},
		{"]", NULL},
		{"foo.lto_priv.0", "foo"},
		{"foo.__uniq.81254.llvm.11", "foo"},
		{"main._omp_fn.0.cold", "main._omp_fn.0"},
		{"main._omp_fn.0", NULL},
		{"foo.resume", NULL},
		{"foo.part", NULL},
		{"foo.part.x", NULL},
		{"foo.part.0x", NULL},
		{".cold", NULL},
		{".part.0", NULL},
		{"x.cold", "x"},
		{"memcpy@plt", NULL},
		{"_start", NULL},
		{"colder.warm", NULL},
		{"file.c:12", NULL},
		{"3.14", NULL},
		{".", NULL},
		{"", NULL},
	};
	struct cpf_buf b = {0};
	size_t i;

	(void)state;
	cpf_buf_str(&b, "before ");
	for (i = 0; i < CPF_LEN(plain); i++) {
		b.n = 7;
		b.s[7] = 0;
		assert_int_equal(cpf_shown_name(&b, plain[i].name), plain[i].shown != NULL);
		assert_string_equal(b.s + 7, plain[i].shown ? plain[i].shown : "");
	}
	for (i = 0; cpf_demangle_available() && i < CPF_LEN(cases); i++) {
		b.n = 7;
		b.s[7] = 0;
		assert_int_equal(cpf_shown_name(&b, cases[i].name), 1);
		assert_string_equal(b.s + 7, cases[i].shown);
	}
	cpf_buf_release(&b);
}

/* Each parameter doubles what the one before stands for. */
static void text_that_explodes(void **state)
{
	char name[1024] = "_Z1fSt4pairIiiE";
	struct cpf_buf b = {0};
	int i;

	(void)state;
	for (i = 0; i < 60; i++) {
		char one[40];

		snprintf(one, sizeof(one), "S_IS%d_S%d_E", i, i);
		if (strlen(name) + strlen(one) + 1 < sizeof(name))
			strcat(name, one);
	}
	(void)cpf_demangle(&b, name, CPF_DEMANGLE_FULL);
	assert_true(b.n < 2000000);
	cpf_buf_release(&b);
}

/* Every conversion operator inside another is tried twice. */
static void conversions_that_nest(void **state)
{
	struct cpf_buf b = {0};
	char name[1024] = "_Z";
	int i;

	(void)state;
	for (i = 0; i < 60; i++)
		strcat(name, "N1AcvT_I");
	(void)cpf_demangle(&b, name, CPF_DEMANGLE_SIMPLE);
	cpf_buf_clear(&b);
	/* One without an argument to convert to. */
	(void)cpf_demangle(&b, "_ZN1AcvT_IEEv", CPF_DEMANGLE_SIMPLE);
	cpf_buf_release(&b);
}

static void deep_names(void **state)
{
	struct cpf_buf b = {0};
	static char name[40000];
	size_t n = 0;

	(void)state;
	n += (size_t)sprintf(name, "_Z1f");
	while (n < 16000)
		name[n++] = 'P';
	name[n++] = 'i';
	name[n] = 0;
	(void)cpf_demangle(&b, name, CPF_DEMANGLE_FULL);
	while (n < sizeof(name) - 2)
		name[n++] = 'v';
	assert_int_equal(cpf_demangle(&b, name, CPF_DEMANGLE_SIMPLE), 0);
	cpf_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(shown),
		cmocka_unit_test(text_that_explodes),
		cmocka_unit_test(conversions_that_nest),
		cmocka_unit_test(deep_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
