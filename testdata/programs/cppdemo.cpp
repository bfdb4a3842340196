/*
 * cppdemo: a small multi-threaded C++ program to record with a profiler.
 *
 * Its purpose is names: namespaces, templates, operators, lambdas and virtual calls give a
 * recording long mangled symbols, and inline chains through the standard library.
 *
 *   sorter     std::sort with a lambda over a vector of structs with an operator<
 *   shapes     virtual calls through a base class, a recursive template
 *   words-*    two threads that share a std::map<std::string, ...> behind a std::mutex
 *   main       asleep until the end
 *
 * Build: g++ -g -O2 -std=c++17 -pthread -o cppdemo cppdemo.cpp
 * Run:   ./cppdemo [milliseconds]      (default 400)
 */
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace demo
{

std::atomic<bool> stop;
std::atomic<unsigned long> result;

struct Record {
	unsigned long key;
	double value;
};

bool operator<(const Record &a, const Record &b)
{
	return a.key < b.key;
}

struct Shape {
	virtual ~Shape() = default;
	virtual double area(int steps) const = 0;
};

template <int N> double raise(double x)
{
	if constexpr (N > 0)
		return x / (1 + raise<N - 1>(x));
	return 1;
}

template <typename T, int Power> struct Curve : Shape {
	double area(int steps) const override
	{
		T sum = 0;
		for (int i = 0; i < steps; i++)
			sum += raise<Power>(static_cast<double>(i) / steps);
		return sum / steps;
	}
};

namespace
{
std::mutex words_lock;
std::map<std::string, std::vector<int>> words;

void sorter()
{
	const auto by_value = [](auto &a, auto &b) { return a.value < b.value; };
	std::vector<Record> records(5000);
	for (unsigned long x = 1; !stop; result ^= records[17].key) {
		for (auto &r : records)
			r = {x = x * 6364136223846793005u + 1, 1.0 / (1 + x % 100)};
		std::sort(records.begin(), records.end());
		std::sort(records.begin(), records.end(), by_value);
	}
}

void shapes()
{
	const Curve<float, 3> flat;
	const Curve<double, 8> steep;
	while (!stop)
		for (const Shape *shape : std::initializer_list<const Shape *>{&flat, &steep})
			result += static_cast<unsigned long>(shape->area(2000) * 1000);
}

void count_words(int start)
{
	for (int i = start; !stop; i += 2) {
		std::lock_guard<std::mutex> hold(words_lock);
		words["a rather long key " + std::to_string(i % 200)].push_back(i);
	}
}

} // namespace
} // namespace demo

static std::vector<std::thread> threads;

static void start(const char *name, void (*run)())
{
	threads.emplace_back(run);
	pthread_setname_np(threads.back().native_handle(), name);
}

int main(int argc, char **argv)
{
	start("sorter", demo::sorter);
	start("shapes", demo::shapes);
	start("words-even", [] { demo::count_words(0); });
	start("words-odd", [] { demo::count_words(1); });
	const int ms = argc > 1 ? std::stoi(argv[1]) : 400;
	std::this_thread::sleep_for(std::chrono::milliseconds(ms));
	demo::stop = true;
	for (auto &t : threads)
		t.join();
	std::printf("%d %zu\n", static_cast<int>(demo::result & 1), demo::words.size());
}
