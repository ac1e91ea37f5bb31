/* SPDX-License-Identifier: Apache-2.0
 * control.cpp -- branches and loops of lambdas, eager, jitted, differentiated. */
#include "check.hpp"
#include <cmath>

using kiln::array;

struct state {
    array x, n;
};
KILN_TREE(state, x, n);

static void branches()
{
    auto f = [](array x) { return kiln::cond(x > 0, [](array y) { return y * 2; }, [](array y) { return -y; }, x); };
    PRINTS(f(3.0), "6.0");
    PRINTS(kiln::jit(f)(-3.0), "3.0");
    PRINTS(kiln::vmap(f)({-1.0, 1.0}), "[1. 2.]");
    PRINTS(kiln::grad(f)(-3.0), "-1.0");
    array other = 10.0;
    PRINTS(kiln::cond(false, [](auto x, auto) { return x; }, [&](auto x, auto y) { return x + y + other; }, array(1.0), 2.0), "13.0");
    std::vector<kiln::function<array(array)>> list = {[](array x) { return x; }, [](array x) { return x * x; }, [](array x) { return -x; }};
    PRINTS(kiln::switch_(1, list, 3.0), "9.0");
    PRINTS(kiln::jit([list](array i) { return kiln::switch_(i, list, 3.0); })(7), "-3.0");
}

static void loops()
{
    PRINTS(kiln::fori_loop(0, 5, [](auto i, auto sum) { return sum + i; }, 0), "10");
    auto power = [](array x) { return kiln::fori_loop(0, 3, [&](array, array y) { return y * x; }, 1.0); };
    PRINTS(kiln::jit(power)(2.0), "8.0");
    PRINTS(kiln::grad(power)(2.0), "12.0");
    state end = kiln::while_loop([](state s) { return s.x < 100; }, [](state s) { return state{s.x * 2, s.n + 1}; }, state{1.0, 0});
    PRINTS(end.x, "128.0");
    PRINTS(end.n, "7");
    auto root = [](array a) {
        return kiln::while_loop([&](array r) { return kiln::abs(r * r - a) > 1e-12; }, [&](array r) { return (r + a / r) / 2; }, a, 50);
    };
    CHECK(std::abs(kiln::jit(root)(4.0).item<double>() - 2) < 1e-12);
    CHECK(std::abs(kiln::grad(root)(4.0).item<double>() - 0.25) < 1e-12);
}

static void scans()
{
    auto sums = [](array xs) { return kiln::scan([](array c, array x) { return std::pair(c + x, c * x); }, 0.0, xs); };
    auto [last, ys] = kiln::jit(sums)({1.0, 2.0, 3.0});
    PRINTS(last, "6.0");
    PRINTS(ys, "[0. 2. 9.]");
    PRINTS(kiln::grad([&](array xs) { return sums(xs).second.sum(); })({1.0, 2.0, 3.0}), "[5. 4. 3.]");
    auto backwards = kiln::scan([](state s, std::pair<array, array> x) { return std::pair(state{s.x - x.first, s.n + 1}, s.x * x.second); },
                                state{0.0, 0}, std::pair(array{1.0, 2.0}, array{1.0, 1.0}), kiln::scan_opts().with_reverse(true));
    PRINTS(backwards.first.x, "-3.0");
    PRINTS(backwards.second, "[-2.  0.]");
    auto fibonacci = kiln::scan([](std::pair<array, array> s) { return std::pair(std::pair(s.second, s.first + s.second), s.first); },
                                std::pair<array, array>(0, 1), kiln::none, kiln::scan_opts().with_length(8));
    PRINTS(fibonacci.second, "[ 0  1  1  2  3  5  8 13]");
    PRINTS(kiln::map([](array x) { return x * x; }, array{1.0, 2.0, 3.0}), "[1. 4. 9.]");
    PRINTS(kiln::associative_scan([](array a, array b) { return a * b; }, array{1.0, 2.0, 3.0, 4.0}), "[ 1.  2.  6. 24.]");
}

static void effects()
{
    std::vector<double> seen;
    auto f = kiln::jit([&](array x) {
        kiln::debug::callback([&](const std::vector<array> &v) { seen.push_back(v[0].item<double>()); }, {x * 2});
        return kiln::pure_callback([](const std::vector<array> &v) { return std::vector<array>{v[0] + 1}; }, {{{}, kiln::float64}}, {x})[0];
    });
    PRINTS(f(3.0), "4.0");
    PRINTS(f(4.0), "5.0");
    CHECK(seen == std::vector<double>{6.0, 8.0});
}

static void tests()
{
    branches();
    loops();
    scans();
    effects();
}
