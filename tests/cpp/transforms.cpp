/* SPDX-License-Identifier: Apache-2.0
 * transforms.cpp -- jit, grad and their kin of lambdas, functions and each other, against derivatives worked out by hand. */
#include "check.hpp"
#include <cmath>

using kiln::array;

static array cube(const array &x) { return x * x * x; }

static bool near(const array &x, double y) { return std::abs(x.item<double>() - y) < 1e-12 * (1 + std::abs(y)); }

static void derivatives()
{
    auto f = [](array x) { return kiln::sin(x) * kiln::exp(-x); };
    auto d1 = [](double x) { return (std::cos(x) - std::sin(x)) * std::exp(-x); };
    auto d2 = [](double x) { return -2 * std::cos(x) * std::exp(-x); };
    for (double x : {0.0, 0.3, -1.0, 2.5}) {
        CHECK(near(kiln::grad(f)(x), d1(x)));
        CHECK(near(kiln::jit(kiln::grad(kiln::grad(f)))(x), d2(x)));
        CHECK(near(kiln::grad(kiln::jit(f))(x), d1(x)));
        CHECK(near(kiln::jacfwd(f)(x), d1(x)));
        CHECK(near(kiln::jacrev(f)(x), d1(x)));
        CHECK(near(kiln::hessian(f)(x), d2(x)));
        CHECK(near(kiln::jvp(f, x, 2.0).second, 2 * d1(x)));
        CHECK(near(kiln::vjp(f, x).second(3.0), 3 * d1(x)));
        CHECK(near(kiln::linearize(f, x).second(0.5), 0.5 * d1(x)));
        CHECK(near(kiln::grad(kiln::checkpoint(f))(x), d1(x)));
    }
    PRINTS(kiln::grad(cube)(2.0), "12.0");
    PRINTS(kiln::vmap(kiln::grad(cube))({1.0, 2.0}), "[ 3. 12.]");
    PRINTS(kiln::jacrev(cube)({1.0, 2.0}), "[[ 3.  0.]\n [ 0. 12.]]");
}

static void arguments()
{
    auto f = [](array a, array b, array c) { return kiln::sum(a * b * b + c); };
    PRINTS(kiln::grad<1>(f)(2.0, 3.0, 4.0), "12.0");
    auto [ga, gc] = kiln::grad<0, 2>(f)(2.0, 3.0, 4.0);
    PRINTS(ga, "9.0");
    PRINTS(gc, "1.0");
    auto aux = [](array x) { return std::pair(x * x, std::pair(x + 1, x + 2)); };
    auto [g, rest] = kiln::grad(aux, kiln::has_aux)(3.0);
    PRINTS(g, "6.0");
    PRINTS(rest.second, "5.0");
    auto [value, gradient] = kiln::value_and_grad(aux, kiln::has_aux)(3.0);
    PRINTS(value.first, "9.0");
    PRINTS(value.second.first, "4.0");
    PRINTS(gradient, "6.0");
    auto [ja, jb] = kiln::jacfwd([](array x) { return std::pair(x * 2, x * x); })(array{1.0, 2.0});
    PRINTS(ja, "[[2. 0.]\n [0. 2.]]");
    PRINTS(jb, "[[2. 0.]\n [0. 4.]]");
    auto [y, back] = kiln::vjp(f, std::tuple(2.0, 3.0, 4.0));
    PRINTS(std::get<1>(back(1.0)), "12.0");
    PRINTS(y, "22.0");
}

static void recordings()
{
    int calls = 0;
    auto f = kiln::jit([&calls](array x) {
        calls++;
        return x + 1;
    });
    f({1.0, 2.0});
    f({3.0, 4.0});
    CHECK(calls == 1 && f.trace_count() == 1);
    f({1.0, 2.0, 3.0});
    CHECK(calls == 2);
    for (int i = 0; i < 3; i++)
        PRINTS(kiln::jit(cube)(2.0), "8.0");
    array captured = {1.0, 2.0};
    auto g = kiln::jit([captured](array x) { return x * captured; });
    PRINTS(kiln::grad([&](array x) { return kiln::sum(g(x)); })({5.0, 5.0}), "[1. 2.]");
    kiln::function<array(array)> stored = cube;
    stored = kiln::jit(stored);
    PRINTS(stored(3.0), "27.0");
    kiln::function deduced = [](array x, array y) { return x - y; };
    PRINTS(kiln::jit(deduced)(3.0, 1.0), "2.0");
    CHECK(kiln::jaxpr::text(kiln::make_jaxpr(cube, 1.0), KN_JAXPR_CLASSIC).find("mul") != std::string::npos);
    CHECK((kiln::eval_shape(cube, std::tuple(kiln::zeros({3, 4}))).shape() == kiln::shape{3, 4}));
}

/* A lambda that uses arrays of the function around it: they are operands. */
static void closures()
{
    auto f = [](array x) {
        auto inner = [&](array y) { return x * y; };
        return kiln::grad(inner)(2.0) + kiln::jit(inner)(3.0) + kiln::vmap(inner)(array{1.0, 2.0})(1);
    };
    PRINTS(f(5.0), "30.0");
    PRINTS(kiln::jit(f)(5.0), "30.0");
    PRINTS(kiln::grad(f)(5.0), "6.0");
    PRINTS(kiln::vmap(f)({1.0, 2.0}), "[ 6. 12.]");
}

static void custom()
{
    auto forward = kiln::custom_jvp([](array x) { return kiln::log(1 + kiln::exp(x)); },
                                    [](array x, array dx) { return std::pair(kiln::log(1 + kiln::exp(x)), dx * kiln::nn::sigmoid(x)); });
    PRINTS(kiln::grad(forward)(0.0), "0.5");
    auto clipped = kiln::custom_vjp([](array x) { return x * x; }, [](array x) { return std::pair(x * x, x); },
                                    [](array x, array ct) { return kiln::clip(2 * x * ct, -1, 1); });
    PRINTS(kiln::grad(clipped)(3.0), "1.0");
    PRINTS(kiln::jit(kiln::grad(clipped))(0.25), "0.5");
    /* Rules that were made inside of a recorded function are recorded after it has returned. */
    auto f = kiln::jit([](array x) {
        array scale = x * 0 + 7;
        auto own = kiln::custom_jvp([](array y) { return y; }, [](array y, array dy) { return std::pair(y, 7 * dy); });
        return own(x) * scale;
    });
    PRINTS(kiln::grad(f)(2.0), "49.0");
}

static void named_axes()
{
    auto f = kiln::vmap([](array x) { return x - kiln::lax::pmean(x, "i"); }, kiln::vmap_opts().with_axis_name("i"));
    PRINTS(f({1.0, 2.0, 3.0}), "[-1.  0.  1.]");
    kiln::testing::check_grads([](array x) { return kiln::sin(x) * x; }, std::tuple(array{0.5, 1.5}), 2);
}

static void tests()
{
    derivatives();
    arguments();
    recordings();
    closures();
    custom();
    named_axes();
}
