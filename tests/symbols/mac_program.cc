/* A program for macOS without any library, so that it can be linked where there is no SDK. */
namespace app {
namespace {
volatile int sink;
__attribute__((noinline)) int leaf(int x)
{
	for (int i = 0; i < x; i++)
		sink += i;
	return sink;
}
}
template <typename T> struct Box {
	T v;
	__attribute__((always_inline)) T twice(T by)
	{
		return leaf(by) + leaf((int)v);
	}
};
__attribute__((noinline)) int work(int a, char b)
{
	Box<int> box = {a};
	return box.twice(b);
}
}
extern "C" __attribute__((noinline)) int plain_c(int n)
{
	return app::work(n, 'c') + 1;
}
extern "C" int start_here(void)
{
	return plain_c(3) + 1;
}
