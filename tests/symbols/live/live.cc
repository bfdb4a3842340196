/*
 * live.cc - for live recordings: templates, lambdas, virtual functions, the standard library, functions
 * inlined over several levels, several threads. usage: live [SECONDS]
 */
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace live {

std::atomic<double> sink{0};

template <typename T> struct point {
	T x, y, z;
	point operator+(const point &o) const { return {x + o.x, y + o.y, z + o.z}; }
	point operator*(T k) const { return {x * k, y * k, z * k}; }
	T length() const { return std::sqrt(x * x + y * y + z * z); }
};

struct body {
	virtual ~body() = default;
	virtual double pull(const point<double> &p) const = 0;
};

struct sun final : body {
	double pull(const point<double> &p) const override { return 1 / (1 + p.length()); }
};

struct ring final : body {
	std::vector<point<double>> parts{64, {1, 2, 3}};
	double pull(const point<double> &p) const override
	{
		return std::accumulate(parts.begin(), parts.end(), 0.0,
			[&](double sum, const point<double> &q) { return sum + (p + q * 0.5).length(); });
	}
};

template <typename F> double repeat(int n, F f)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += f(i);
	return sum;
}

double orbits()
{
	std::vector<std::unique_ptr<body>> all;

	all.push_back(std::make_unique<sun>());
	all.push_back(std::make_unique<ring>());
	return repeat(2000, [&](int i) {
		point<double> p{double(i), 1, 2};
		double sum = 0;
		for (auto &b : all)
			sum += b->pull(p);
		return sum;
	});
}

double words()
{
	std::unordered_map<std::string, int> counts;
	std::map<int, std::string> by_count;

	for (int i = 0; i < 3000; i++)
		counts["word " + std::to_string(i % 700)]++;
	for (auto &[word, n] : counts)
		by_count[n * 1000 + int(word.size())] += word;
	return double(by_count.size());
}

double sorting()
{
	std::vector<std::pair<int, double>> v(5000);

	for (size_t i = 0; i < v.size(); i++)
		v[i] = {int((i * 7919) % v.size()), double(i)};
	std::sort(v.begin(), v.end(), [](auto &a, auto &b) { return a.first < b.first; });
	std::stable_sort(v.begin(), v.end(), [](auto &a, auto &b) { return a.second > b.second; });
	return v[17].second;
}

double text()
{
	std::ostringstream out;

	for (int i = 0; i < 1500; i++)
		out << i << ' ' << double(i) / 3 << '\n';
	return double(out.str().size());
}

struct counter {
	std::function<double()> work;
	double operator()(double seconds) const
	{
		auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
		double sum = 0;

		while (std::chrono::steady_clock::now() < end)
			sum += work();
		return sum;
	}
};

} // namespace live

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? std::atof(argv[1]) : 1;
	std::vector<std::thread> threads;

	for (auto f : {live::orbits, live::words, live::sorting, live::text})
		threads.emplace_back([f, seconds] { live::sink = live::counter{f}(seconds); });
	for (auto &t : threads)
		t.join();
}
