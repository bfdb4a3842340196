#include "unit/test.h"

#include "core/classes.h"

static const struct row {
	const char *name, *lib, *category, *class;
} rows[] = {
	{"malloc", "libc.so.6", NULL, "allocator"},
	{"__libc_malloc", NULL, NULL, "allocator"},
	{"__GI___libc_free", NULL, NULL, "allocator"},
	{"_int_malloc", NULL, NULL, "allocator"},
	{"int_free", NULL, NULL, "allocator"},
	{"_GI___libc_malloc", NULL, NULL, "allocator"},
	{"malloc_consolidate", NULL, NULL, "allocator"},
	{"free@plt", NULL, NULL, "allocator"},
	{"operator new(unsigned long)", NULL, NULL, "allocator"},
	{"je_arena_malloc_hard", NULL, NULL, "allocator"},
	{"_rjem_je_tcache_bin_flush_small", NULL, NULL, "allocator"},
	{"mi_malloc", NULL, NULL, "allocator"},
	{"_mi_page_malloc", NULL, NULL, "allocator"},
	{"tiny_malloc_should_clear", "libsystem_malloc.dylib", NULL, "allocator"},
	{"nanov2_malloc", NULL, NULL, "allocator"},
	{"RtlpAllocateHeapInternal", "ntdll.dll", NULL, "allocator"},
	{"__rust_alloc", NULL, NULL, "allocator"},
	{"runtime.mallocgc", NULL, NULL, "allocator"},
	{"runtime.mallocgcSmallNoscan", NULL, NULL, "allocator"},
	{"main.malloc", NULL, NULL, "other"},
	{"my_malloc_test", NULL, NULL, "other"},
	{"pthread_mutex_lock", NULL, NULL, "lock and wait"},
	{"__GI___pthread_mutex_lock", NULL, NULL, "lock and wait"},
	{"pthread_cond_wait@@GLIBC_2.3.2", NULL, NULL, "lock and wait"},
	{"__lll_lock_wait", NULL, NULL, "lock and wait"},
	{"__futex_abstimed_wait_common64", NULL, NULL, "lock and wait"},
	{"epoll_wait", NULL, NULL, "lock and wait"},
	{"__psynch_cvwait", NULL, NULL, "lock and wait"},
	{"__ulock_wait", NULL, NULL, "lock and wait"},
	{"semaphore_wait_trap", NULL, NULL, "lock and wait"},
	{"NtWaitForSingleObject", "ntdll.dll", NULL, "lock and wait"},
	{"RtlEnterCriticalSection", NULL, NULL, "lock and wait"},
	{"parking_lot_core::parking_lot::park", NULL, NULL, "lock and wait"},
	{"tokio::runtime::park::CachedParkThread::park", NULL, NULL, "lock and wait"},
	{"std::sys::sync::mutex::futex::Mutex::lock_contended", NULL, NULL, "lock and wait"},
	{"runtime.futex", NULL, NULL, "lock and wait"},
	{"<std::sys::sync::mutex::futex::Mutex>::lock", NULL, NULL, "lock and wait"},
	{"sync.(*Mutex).Lock", NULL, NULL, "lock and wait"},
	{"read", NULL, NULL, "syscall and I/O"},
	{"__GI___writev", NULL, NULL, "syscall and I/O"},
	{"__read_nocancel", NULL, NULL, "syscall and I/O"},
	{"NtWriteFile", NULL, NULL, "syscall and I/O"},
	{"syscall.Syscall", NULL, NULL, "syscall and I/O"},
	{"internal/poll.(*FD).Read", NULL, NULL, "syscall and I/O"},
	{"__memmove_avx_unaligned_erms", NULL, NULL, "memory copy"},
	{"_platform_memmove", NULL, NULL, "memory copy"},
	{"memcpy", NULL, NULL, "memory copy"},
	{"runtime.memmove", NULL, NULL, "memory copy"},
	{"__memcpy_chk", NULL, NULL, "memory copy"},
	{"_platform_memmove$VARIANT$Haswell", NULL, NULL, "memory copy"},
	{"core::hash::BuildHasher::hash_one", NULL, NULL, "hashing"},
	{"<ahash::fallback_hash::AHasher as core::hash::Hasher>::write", NULL, NULL, "hashing"},
	{"XXH64_update", NULL, NULL, "hashing"},
	{"runtime.memhash64", NULL, NULL, "hashing"},
	{"crypto/sha256.block", NULL, NULL, "hashing"},
	{"runtime.gcDrain", NULL, NULL, "garbage collector"},
	{"runtime.scanobject", NULL, NULL, "garbage collector"},
	{"js::gc::GCRuntime::markRoots", NULL, NULL, "garbage collector"},
	{"GC_mark_from", NULL, NULL, "garbage collector"},
	{"tcp_sendmsg", "[kernel.kallsyms]", NULL, "kernel"},
	{NULL, "[kernel.kallsyms]", NULL, "kernel"},
	{NULL, "vmlinux-6.1", NULL, "kernel"},
	{"vfs_read_[k]", NULL, NULL, "kernel"},
	{"anything", NULL, "Kernel", "kernel"},
	{"intel_idle", "[kernel.kallsyms]", NULL, "idle"},
	{"KiIdleLoop", "ntoskrnl.exe", NULL, "idle"},
	{"f", NULL, "Idle", "idle"},
	{"js::jit::CodeGenerator::generate", NULL, NULL, "JIT"},
	{"f", NULL, "JIT", "JIT"},
	{NULL, NULL, NULL, "unnamed"},
	{NULL, "libfoo.so", NULL, "unnamed"},
	{"fun_1a2b", "a.out", NULL, "unnamed"},
	{"[unknown]", NULL, NULL, "unnamed"},
	{"main", "a.out", NULL, "other"},
	{"std::vector<int>::push_back(int const&)", NULL, NULL, "other"},
	{"core::ptr::drop_in_place<alloc::vec::Vec<u8>>", NULL, NULL, "other"},
	{"time_step", NULL, NULL, "other"},
	{"readme", NULL, NULL, "other"},
	{"hash_join_plan", NULL, NULL, "other"},
};

static uint32_t class_of(struct cpf_classes *c, struct cpf_profile *p, const struct row *r)
{
	struct cpf_class_place at = {0, 0, CPF_NONE, CPF_NONE, 0};
	struct cpf_mapping m = {0};

	at.unnamed = !r->name;
	if (r->name)
		at.name = cpf_intern_z(p, r->name);
	if (r->lib) {
		m.file = cpf_intern_z(p, r->lib);
		at.mapping = cpf_add_mapping(p, &m);
	}
	if (r->category)
		at.category = cpf_add_category(p, cpf_intern_z(p, r->category), 0, NULL, 0);
	return cpf_class_of(c, p, &at);
}

static void test_builtin(void **state)
{
	struct cpf_classes *c;
	struct cpf_profile p;
	struct cpf_err e = {0};
	size_t i;
	int bad = 0;

	(void)state;
	cpf_profile_init(&p);
	if (cpf_classes_parse(&c, "rules", "builtin\n", 8, &e))
		fail_msg("%d: %s", (int)e.line, e.reason);
	for (i = 0; i < CPF_LEN(rows); i++) {
		const char *class = cpf_class_name(c, class_of(c, &p, &rows[i]));

		if (strcmp(class, rows[i].class) != 0) {
			print_error("%s: %s, not %s\n", rows[i].name ? rows[i].name : "(none)", class,
				rows[i].class);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
	assert_int_equal(cpf_classes_status(c, &e), 0);
	assert_int_equal(cpf_classes_count(c), 11);
	cpf_classes_free(c);
	cpf_classes_builtin(&c);
	assert_int_equal(cpf_classes_count(c), 11);
	cpf_classes_free(c);
	cpf_profile_release(&p);
}

/* The first rule counts, whatever follows; classes are in order of first mention behind "other". */
static void test_order(void **state)
{
	static const char text[] = "\xef\xbb\xbf# mine\r\n\r\n  parse:  name ^parse\r\n"
				   "allocator: name ^parse_alloc$\n"
				   "two words: lib ^libx\\.so$\n"
				   "parse: file /parser/\n"
				   "builtin";
	static const struct row own[] = {
		{"parse_alloc", NULL, NULL, "parse"},
		{"f", "/usr/lib/libx.so", NULL, "two words"},
		{"f", "liby.so", NULL, "other"},
		{"malloc", NULL, NULL, "allocator"},
	};
	struct cpf_class_place at = {0, 0, CPF_NONE, CPF_NONE, 0};
	struct cpf_classes *c;
	struct cpf_profile p;
	struct cpf_err e = {0};
	size_t i;

	(void)state;
	cpf_profile_init(&p);
	assert_int_equal(cpf_classes_parse(&c, "rules", text, sizeof(text) - 1, &e), 0);
	assert_string_equal(cpf_class_name(c, 0), "other");
	assert_string_equal(cpf_class_name(c, 1), "parse");
	assert_string_equal(cpf_class_name(c, 2), "allocator");
	assert_string_equal(cpf_class_name(c, 3), "two words");
	for (i = 0; i < CPF_LEN(own); i++)
		assert_string_equal(cpf_class_name(c, class_of(c, &p, &own[i])), own[i].class);
	at.name = cpf_intern_z(&p, "g");
	at.file = cpf_intern_z(&p, "/src/parser/a.c");
	assert_string_equal(cpf_class_name(c, cpf_class_of(c, &p, &at)), "parse");
	cpf_classes_free(c);
	cpf_profile_release(&p);
}

static const struct bad {
	const char *text;
	uint64_t line;
	const char *reason; /* part of it */
} bad[] = {
	{"", 0, "no rules"},
	{"# only\n\n", 0, "no rules"},
	{"a: name x\nallocator name ^malloc\n", 2, "no ':'"},
	{"a: nome x\n", 1, "'nome' is none of"},
	{"a:\n", 1, "'' is none of"},
	{": name x\n", 1, "name of a class"},
	{"\n\na: name\n", 3, "needs a regular expression"},
	{"a: unnamed x\n", 1, "takes no regular expression"},
	{"a: name (x\n", 1, "missing closing )"},
	{"a: name (?=x)\n", 1, "error parsing regexp"},
	{"builtin\nbuiltin\n", 2, "in already"},
};

static void test_bad(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(bad); i++) {
		struct cpf_err e = {0};
		struct cpf_classes *c = NULL;

		assert_int_equal(
			cpf_classes_parse(&c, "rules", bad[i].text, strlen(bad[i].text), &e), -1);
		assert_int_equal(e.code, CPF_E_FORMAT);
		assert_int_equal(e.line, bad[i].line);
		assert_string_equal(e.source, "rules");
		if (!strstr(e.reason, bad[i].reason))
			fail_msg("%s: %s", bad[i].text, e.reason);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtin),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
