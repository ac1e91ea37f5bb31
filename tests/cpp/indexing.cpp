/* SPDX-License-Identifier: Apache-2.0
 * indexing.cpp -- x(...) and x[...] as Python's x[...]: views, masks, positions, and writing through them. */
#include "check.hpp"

using kiln::array, kiln::slice, kiln::ellipsis, kiln::newaxis, kiln::none;

static array matrix() { return kiln::reshape(kiln::arange(0, 12, 1), {3, 4}); }

static void views()
{
    array m = matrix();
    PRINTS(m(1), "[4 5 6 7]");
    PRINTS(m(1, 2), "6");
    PRINTS(m(-1, slice(1, {})), "[ 9 10 11]");
    PRINTS(m(slice({}, {}, -2), slice({}, 2)), "[[8 9]\n [0 1]]");
    PRINTS(m(ellipsis, 0), "[0 4 8]");
    CHECK(m(newaxis, ellipsis).shape() == kiln::shape{1, 3, 4});
    CHECK(m(none, 0, none).shape() == kiln::shape{1, 1, 4});
    PRINTS(m["1:, ::-1"], "[[ 7  6  5  4]\n [11 10  9  8]]");
    PRINTS(m[2], "[ 8  9 10 11]");
    PRINTS(m[slice(1, 2)], "[[4 5 6 7]]");
    array i = 1;
    PRINTS(m(slice(i, i + 2), 0), "[4 8]");
    unsigned char byte = 2;
    PRINTS(m(byte, 0L), "8");
    array row = m(1);
    row(0) = 40;
    PRINTS(m(1), "[40  5  6  7]");
    THROWS(IndexError, "at: index 3 is out of bounds for axis 0 with size 3", m(3));
    THROWS(IndexError, "at: index 9 is out of bounds for axis 1 with size 4", m["0, 9"]);
}

static void masks_and_positions()
{
    array m = matrix(), rows = {2, 0};
    array taken = m(rows);
    PRINTS(taken, "[[ 8  9 10 11]\n [ 0  1  2  3]]");
    PRINTS(m(rows, 1), "[9 1]");
    PRINTS(m(slice(), rows), "[[ 2  0]\n [ 6  4]\n [10  8]]");
    PRINTS(m[m > 8], "[ 9 10 11]");
    PRINTS(m(m > 8) + 1, "[10 11 12]");
    PRINTS(1 + m(rows, slice(0, 1)), "[[9]\n [1]]");
    PRINTS(kiln::sum(m[rows]), "44");
    taken += 100;
    PRINTS(m(0), "[0 1 2 3]");
}

static void writes()
{
    array m = kiln::zeros({2, 3}), all = m;
    m(0) = array{1, 2, 3};
    m(1, slice(1, {})) += 5;
    m["1, 0"] = 7;
    PRINTS(all, "[[1. 2. 3.]\n [7. 5. 5.]]");
    m(m > 4) = -1;
    m[m == 2.0] *= 10;
    PRINTS(all, "[[ 1. 20.  3.]\n [-1. -1. -1.]]");
    array positions = {0, 2};
    m(1, positions) = array{8, 9};
    m(1, positions) -= 1;
    PRINTS(all, "[[ 1. 20.  3.]\n [ 7. -1.  8.]]");
    m = kiln::ones({2}); /* a name for another array */
    PRINTS(all(0), "[ 1. 20.  3.]");
    PRINTS(m, "[1. 1.]");
    for (array row : all)
        row.set(row * 2);
    PRINTS(all(0), "[ 2. 40.  6.]");
    array x = {1, 2, 3};
    x(0) = x(2);
    PRINTS(x, "[3 2 3]");
    THROWS(ValueError, "set_at: could not broadcast input array from shape (2,) into shape (3,)", x(slice()) = array{1, 2});
}

static void under_jit()
{
    auto f = kiln::jit([](array x) {
        array y = kiln::zeros_like(x);
        y(0) = x(1) * 2;
        y(x > 2) = 9;
        y(slice(1, 2)) += 1;
        return y;
    });
    PRINTS(f({1.0, 2.0, 3.0}), "[4. 1. 9.]");
    array x = {1.0, 2.0};
    auto outside = kiln::jit([x](array y) {
        x(0) = y;
        return x;
    });
    bool refused = false;
    try {
        outside(1.0);
    } catch (const kiln::MutationError &) {
        refused = true;
    }
    CHECK(refused);
}

static void tests()
{
    views();
    masks_and_positions();
    writes();
    under_jit();
}
