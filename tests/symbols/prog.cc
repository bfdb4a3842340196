// C++ to be looked up: templates, lambdas, local classes, virtual functions, anonymous namespaces,
// operators, constructors of several kinds, exceptions. It is compiled and never run.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace shapes {
struct base {
	virtual ~base() {}
	virtual double area() const = 0;
	virtual std::string name() const { return "base"; }
};
namespace {
struct hidden : virtual base {
	explicit hidden(double s) : side(s) {}
	double area() const override { return side * side; }
	std::string name() const override { return "hidden " + std::to_string(side); }
	double side;
};
double helper(const std::vector<double> &v)
{
	double sum = 0;
	for (double d : v)
		sum += d > 1 ? d / 2 : d * 3;
	return sum;
}
} // namespace
template <typename T, int N> struct ring {
	T items[N];
	int at = 0;
	void push(const T &t)
	{
		items[at++ % N] = t;
	}
	template <typename F> auto fold(F f) const -> decltype(f(T(), T()))
	{
		T acc = T();
		for (int i = 0; i < N; i++)
			acc = f(acc, items[i]);
		return acc;
	}
};
struct circle : base {
	circle() = default;
	circle(const circle &) = default;
	circle(double r) : r(r)
	{
		if (r < 0)
			throw std::invalid_argument("negative: " + std::to_string(r));
	}
	double area() const override { return 3.14159 * r * r; }
	circle operator+(const circle &o) const { return circle(r + o.r); }
	bool operator<(const circle &o) const { return r < o.r; }
	double r = 0;
};
inline std::unique_ptr<base> make(int kind, double d)
{
	if (kind == 0)
		return std::unique_ptr<base>(new hidden(d));
	return std::unique_ptr<base>(new circle(d));
}
double total(const std::vector<std::unique_ptr<base>> &v)
{
	double sum = 0;
	std::vector<double> parts;
	for (auto &p : v) {
		sum += p->area();
		parts.push_back(p->area());
	}
	return sum + helper(parts);
}
} // namespace shapes

static int collatz(int n)
{
	auto step = [](int x) { return x % 2 ? 3 * x + 1 : x / 2; };
	int count = 0;
	while (n != 1) {
		n = step(n);
		count++;
	}
	return count;
}

static std::map<std::string, int> words(const std::string &text)
{
	struct counter {
		std::map<std::string, int> seen;
		void add(const std::string &w)
		{
			if (!w.empty())
				seen[w]++;
		}
	};
	counter c;
	std::istringstream in(text);
	std::string w;
	while (in >> w)
		c.add(w);
	return c.seen;
}

static std::string joined(const std::unordered_map<std::string, std::function<int(int)>> &fs, int x)
{
	std::vector<std::string> out;
	for (auto &f : fs) {
		try {
			out.push_back(f.first + "=" + std::to_string(f.second(x)));
		} catch (const std::exception &e) {
			out.push_back(f.first + " failed: " + e.what());
		}
	}
	std::sort(out.begin(), out.end(), [](const std::string &a, const std::string &b) {
		return a.size() != b.size() ? a.size() < b.size() : a < b;
	});
	std::string all;
	for (auto &s : out)
		all += s + ";";
	return all;
}

int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<shapes::base>> v;
	shapes::ring<double, 8> ring;
	std::string text;
	std::unordered_map<std::string, std::function<int(int)>> fs;
	std::regex re("([a-z]+)=(\\d+)");
	for (int i = 0; i < argc; i++) {
		v.push_back(shapes::make(i % 2, i));
		ring.push(i * 1.5);
		text += std::string(argv[i]) + " ";
		fs["collatz" + std::to_string(i)] = collatz;
		fs["square" + std::to_string(i)] = [i](int x) { return x * x + i; };
	}
	for (auto &w : words(text))
		std::printf("%s %d %d\n", w.first.c_str(), w.second, (int)std::regex_match(w.first, re));
	shapes::circle sum = shapes::circle(1) + shapes::circle(2);
	std::printf("%f %f %s\n", shapes::total(v) + sum.area(),
		ring.fold([](double a, double b) { return a + b * 2; }), joined(fs, argc).c_str());
	return 0;
}
