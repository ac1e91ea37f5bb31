/* SPDX-License-Identifier: Apache-2.0
 * ownership.cpp -- who owns handles: objects of C++, whichever scopes of C are open; nothing stays behind. */
#include "check.hpp"
#include <map>
#include <thread>

using kiln::array;

static void copies()
{
    int64_t before = kiln::live_count();
    {
        array x = {1.0, 2.0};
        CHECK(kiln::live_count() == before + 1);
        array y = x, z = std::move(x);
        CHECK(kiln::live_count() == before + 1);
        CHECK(y.c() == z.c() && !x.given());
        array &same = y;
        y = same;
        z = kiln::sin(y) + 1;
        CHECK(kiln::live_count() == before + 2);
        std::vector<array> list(10, y);
        std::map<std::string, array> named{{"a", y}};
        std::swap(y, z);
        CHECK(kiln::live_count() == before + 2);
    }
    CHECK(kiln::live_count() == before);
}

static void temporaries()
{
    array x = {1.0, 2.0, 3.0};
    int64_t before = kiln::live_count();
    for (int i = 0; i < 100; i++)
        x = kiln::exp(-(x * x + 1)) / 2;
    CHECK(kiln::live_count() == before);
    (void)kiln::linalg::svd(kiln::eye(3));
    (void)kiln::split(x, 3);
    CHECK(kiln::live_count() == before);
}

static void scopes_of_c()
{
    array kept;
    {
        kiln::scope s;
        kiln::shape two = {2};
        kn_array c = kn_ones(&two, nullptr);
        kept = array::share(c);
        kept += 1;
    }
    PRINTS(kept, "[2. 2.]");
}

static void after_errors()
{
    int64_t before = kiln::live_count();
    array x = {1.0, 2.0};
    for (int i = 0; i < 10; i++) {
        try {
            (void)kiln::add(x * 2, array{1.0, 2.0, 3.0});
        } catch (const kiln::ValueError &) {
        }
        try {
            (void)kiln::jit([](array y) -> array { throw std::runtime_error(y.str()); })(x);
        } catch (const std::exception &) {
        }
    }
    x = array();
    CHECK(kiln::live_count() == before);
}

static void functions()
{
    int64_t before = kiln::live_count();
    {
        array captured = {1.0, 2.0};
        auto f = kiln::jit([captured](array x) { return x * captured; });
        auto g = kiln::grad([f](array x) { return kiln::sum(f(x)); });
        PRINTS(g({1.0, 1.0}), "[1. 2.]");
        auto outlived = [&] {
            auto inner = [captured](array x) { return kiln::sum(captured * x * x); };
            return kiln::jit(kiln::grad(inner));
        }();
        PRINTS(outlived({1.0, 1.0}), "[2. 4.]");
        auto back = kiln::vjp([captured](array x) { return x * captured; }, captured).second;
        PRINTS(back({1.0, 1.0}), "[1. 2.]");
    }
    CHECK(kiln::live_count() == before);
}

static void threads()
{
    std::thread other([] {
        {
            array x = {1.0, 2.0};
            PRINTS(kiln::jit([](array y) { return y * 2; })(x), "[2. 4.]");
        }
        CHECK(kiln::live_count() == 0);
        kn_shutdown();
    });
    other.join();
}

static void tests()
{
    copies();
    temporaries();
    after_errors();
    functions();
    threads();
    scopes_of_c();
}
