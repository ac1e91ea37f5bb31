/* SPDX-License-Identifier: Apache-2.0
 * errors.cpp -- exceptions: their classes, messages and lines, also out of functions that C is calling. */
#include "check.hpp"

using kiln::array;

struct mine {
    int value;
};

static void classes()
{
    array x = {1.0, 2.0, 3.0};
    THROWS(ValueError, "add: operands could not be broadcast together with shapes (3,) (4,)", x + kiln::ones({4}));
    THROWS(AxisError, "sum: axis 1 is out of bounds for array of dimension 1", kiln::sum(x, kiln::sum_opts().with_axis(1)));
    THROWS(ValueError, "sum: axis 1 is out of bounds for array of dimension 1", x.sum(kiln::sum_opts().with_axis(1)));
    THROWS(IndexError, "at: index 3 is out of bounds for axis 0 with size 3", x(3));
    THROWS(LinAlgError, "inv: Singular matrix", kiln::linalg::inv(kiln::zeros({2, 2})));
    THROWS(TypeError, "invert: ufunc 'invert' not supported for the input types, and the inputs could not be safely coerced to any "
                      "supported types according to the casting rule ''safe''", ~x);
    bool any = false;
    try {
        (void)(x + kiln::ones({2}));
    } catch (const std::runtime_error &e) {
        any = true;
    }
    CHECK(any);
    try {
        (void)(x + kiln::ones({2}));
    } catch (const kiln::error &e) {
        CHECK(std::string(e.kind_name()) == "ValueError" && e.kind() == KN_ERROR_VALUE);
    }
}

static void lines()
{
    array x = {1.0, 2.0};
    int line = 0;
    try {
        line = __LINE__ + 1;
        (void)kiln::exp(x + kiln::ones({3}));
    } catch (const kiln::error &e) {
        CHECK(e.line() == line && std::strstr(e.file(), "errors.cpp"));
    }
    auto f = kiln::jit([&line](array y) {
        line = __LINE__ + 1;
        return y * kiln::ones({3});
    });
    bool thrown = false;
    try {
        f(x);
    } catch (const kiln::ValueError &e) {
        thrown = e.line() == line;
    }
    CHECK(thrown);
}

/* What the user throws comes out as it is, through any number of transformations. */
static void through_c()
{
    array x = {1.0, 2.0};
    int n = 0;
    auto bad = [](array) -> array { throw mine{7}; };
    auto catches = [&](auto call) {
        try {
            call();
        } catch (const mine &m) {
            n += m.value;
        }
        CHECK(!kn_error_pending());
    };
    catches([&] { kiln::jit(bad)(x); });
    catches([&] { kiln::grad(kiln::jit(bad))(x); });
    catches([&] { kiln::vmap(bad)(x); });
    catches([&] { kiln::jvp(bad, x, x); });
    catches([&] { kiln::vjp(bad, x); });
    catches([&] { kiln::linearize(bad, x); });
    catches([&] { kiln::hessian(bad)(x); });
    catches([&] { kiln::make_jaxpr(bad, x); });
    catches([&] { kiln::fori_loop(0, 3, [](array, array) -> array { throw mine{7}; }, x); });
    catches([&] { kiln::while_loop([](array) -> array { throw mine{7}; }, bad, x); });
    catches([&] { kiln::cond(true, bad, bad, x); });
    catches([&] { kiln::scan([](array, array) -> std::pair<array, array> { throw mine{7}; }, 0.0, x); });
    catches([&] { kiln::map(bad, x); });
    catches([&] { kiln::jit([&](array y) { return kiln::fori_loop(0, 2, [](array, array) -> array { throw mine{7}; }, y); })(x); });
    catches([&] { kiln::lax::reduce(x, 0.0, [](array, array) -> array { throw mine{7}; }, {0}); });
    CHECK(n == 15 * 7);
    PRINTS(kiln::jit([](array y) { return y + 1; })(x), "[2. 3.]");
    auto inside = kiln::jit([&](array y) {
        try {
            return kiln::jit(bad)(y);
        } catch (const mine &) {
            return y * 2;
        }
    });
    PRINTS(inside(x), "[2. 4.]");
}

static void callbacks()
{
    array x = {1.0, 2.0};
    auto f = kiln::jit([](array y) {
        return kiln::pure_callback([](const std::vector<array> &) -> std::vector<array> { throw mine{3}; }, {{{2}, kiln::float64}}, {y})[0];
    });
    int n = 0;
    try {
        f(x).eval();
    } catch (const mine &m) {
        n = m.value;
    }
    CHECK(n == 3);
}

static void tests()
{
    classes();
    lines();
    through_c();
    callbacks();
}
