#include "unit/test.h"

#include "core/scope.h"

static const struct row {
	const char *name, *scope; /* NULL: none */
} scopes[] = {
	{"main", NULL},
	{"", NULL},
	{"_int_malloc", NULL},
	{"memcpy@plt", NULL},
	{"std::vector<int, std::allocator<int> >::push_back(int const&)", "std"},
	{"void foo::bar<int>(int)", "foo"},
	{"app::main()::impl", "app"},
	{"(anonymous namespace)::helper(int)", NULL},
	{"ns::(anonymous namespace)::helper(int)", "ns"},
	{"ns::Widget::paint()", "ns"},
	{"Widget::paint()", "Widget"},
	{"ns::operator<(ns::A const&, ns::A const&)", "ns"},
	{"ns::operator<< <int>(std::ostream&, int)", "ns"},
	{"operator new(unsigned long)", NULL},
	{"std::chrono::duration_cast<long>(long)", "std::chrono"},
	{"main::{lambda()#1}::operator()() const", "main"},
	{"core::ptr::drop_in_place", "core::ptr"},
	{"moon_runtime::lua_zset::SkipList::rank", "moon_runtime::lua_zset"},
	{"tokio::runtime::task::core::Core<T,S>::poll", "tokio::runtime::task::core"},
	{"app::run::{{closure}}", "app::run"},
	{"<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend", "alloc::vec"},
	{"<F as futures_core::future::Future>::poll", "futures_core::future"},
	{"<&mut a::b::T as core::fmt::Write>::write_str", "a::b"},
	{"<u8 as core::fmt::Debug>::fmt", "core::fmt"},
	{"<a::b::T>::go", "a::b"},
	{"core::iter::traits::iterator::Iterator::fold", "core::iter::traits::iterator"},
	{"runtime.mallocgc", "runtime"},
	{"main.main", "main"},
	{"main.(*T).run", "main"},
	{"main.main.func1", "main"},
	{"strings.Map.func2.1", "strings"},
	{"runtime.typePointers.next", "runtime"},
	{"finish_task_switch.isra.0", NULL},
	{"f.constprop.0.cold", NULL},
	{"net/http.(*conn).serve", "net/http"},
	{"github.com/a/b%2ec.Run[...]", "github.com/a/b%2ec"},
	{"java.util.HashMap.get", "java.util"},
	{"java.util.concurrent.ForkJoinPool$WorkQueue.runTask", "java.util.concurrent"},
	{"Array.map", "Array"},
	{"-[NSString length]", "NSString"},
	{"+[NSObject(Category) new]", "NSObject"},
	{"<unclosed", NULL},
	{"a<b<c", NULL},
	{"::", NULL},
	{".hidden", NULL},
};

static void test_scopes(void **state)
{
	struct cpf_buf out = {0};
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(scopes); i++) {
		const struct row *r = &scopes[i];
		int some;

		cpf_buf_clear(&out);
		cpf_buf_str(&out, "");
		some = cpf_name_scope(r->name, strlen(r->name), &out);
		if (some != (r->scope != NULL) || strcmp(out.s, r->scope ? r->scope : "") != 0)
			fail_msg("%s: %d '%s', not '%s'", r->name, some, out.s,
				r->scope ? r->scope : "(none)");
	}
	cpf_buf_release(&out);
}

static const struct merged {
	const char *name, *merged;
} generics[] = {
	{"main", "main"},
	{"", ""},
	{"f(int)", "f(int)"},
	{"std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector::push_back"},
	{"void foo::bar<int>(int)", "foo::bar"},
	{"a::Map<K,V>::get", "a::Map::get"},
	{"a::b::<K,V>", "a::b"},
	{"a::b::<T>::c", "a::b::c"},
	{"<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend",
		"<alloc::vec::Vec as core::iter::Extend>::extend"},
	{"ns::operator<< <int>(std::ostream&, int)", "ns::operator<<"},
	{"bool operator< <int>(A<int>, A<int>)", "operator<"},
	{"A::operator->()", "A::operator->()"},
	{"main.Map[go.shape.int,go.shape.[]uint8]", "main.Map[...]"},
	{"main.Map[go.shape.int].func1", "main.Map[...].func1"},
	{"f[abi:cxx11](int)", "f[abi:cxx11](int)"},
	{"fn_of<fn(A) -> B>::call", "fn_of::call"},
	{"a<b<c", "a<b<c"},
	{"<<<<", "<<<<"},
};

static void test_generics(void **state)
{
	struct cpf_buf out = {0};
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(generics); i++) {
		const struct merged *r = &generics[i];

		cpf_buf_clear(&out);
		cpf_buf_str(&out, "");
		cpf_name_merge_generics(r->name, strlen(r->name), &out);
		assert_string_equal(out.s, r->merged);
	}
	cpf_buf_release(&out);
}

/* Work stays in proportion to the name, whatever it is made of. */
static void test_long(void **state)
{
	static const char *const pieces[] = {"<", "a<", "(", "<a as ", "a::", "operator<", ">", " <"};
	struct cpf_buf name = {0}, out = {0};
	size_t i, k;

	(void)state;
	for (i = 0; i < CPF_LEN(pieces); i++) {
		cpf_buf_clear(&name);
		for (k = 0; k < 200000; k++)
			cpf_buf_str(&name, pieces[i]);
		cpf_buf_clear(&out);
		cpf_name_merge_generics(name.s, name.n, &out);
		assert_true(out.n <= name.n);
		cpf_buf_clear(&out);
		cpf_name_scope(name.s, name.n, &out);
		assert_true(out.n <= name.n);
	}
	cpf_buf_release(&name);
	cpf_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_generics),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
