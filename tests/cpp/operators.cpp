/* SPDX-License-Identifier: Apache-2.0
 * operators.cpp -- each operator is the function of C: for arrays on both sides, and for numbers on either side, which stay weak. */
#include "check.hpp"
#include <complex>

using kiln::array;

static bool same(const array &x, kn_array y)
{
    bool equal = x.dtype() == kiln::dtype(kn_dtype_of(y)) && kn_array_equal(x.c(), y, nullptr);
    kiln::detail::check();
    return equal;
}

#define ALL(op, f)                                                                                                     \
    CHECK(same(x op y, f(x.c(), y.c())));                                                                              \
    CHECK(same(x op 3, f(x.c(), kn_like_int(3))));                                                                     \
    CHECK(same(3 op y, f(kn_like_int(3), y.c())))

static void arithmetic(const array &x, const array &y)
{
    kiln::scope s;
    ALL(+, kn_add);
    ALL(-, kn_subtract);
    ALL(*, kn_multiply);
    ALL(/, kn_divide);
    ALL(%, kn_remainder);
    ALL(==, kn_equal);
    ALL(!=, kn_not_equal);
    ALL(<, kn_less);
    ALL(<=, kn_less_equal);
    ALL(>, kn_greater);
    ALL(>=, kn_greater_equal);
    CHECK(same(-x, kn_negative(x.c())));
    CHECK(same(+x, kn_positive(x.c())));
}

static void bits(const array &x, const array &y)
{
    kiln::scope s;
    ALL(&, kn_bitwise_and);
    ALL(|, kn_bitwise_or);
    ALL(^, kn_bitwise_xor);
    ALL(<<, kn_left_shift);
    ALL(>>, kn_right_shift);
    CHECK(same(~x, kn_invert(x.c())));
}

static void weak_numbers()
{
    array f = kiln::ones({2}, kiln::ones_opts().with_dtype(kiln::float32)), i = kiln::ones({2}, kiln::ones_opts().with_dtype(kiln::int8));
    CHECK((f * 2.0).dtype() == kiln::float32);
    CHECK((2 - i).dtype() == kiln::int8);
    CHECK((i + 1.5).dtype() == kiln::float64);
    CHECK((f + std::complex<double>(0, 1)).dtype() == kiln::complex64);
    CHECK((f + kiln::scalar(1.0)).dtype() == kiln::float64);
    CHECK((i + true).dtype() == kiln::int8);
    CHECK((i > 0).dtype() == kiln::bool_);
    THROWS(OverflowError, "add: integer 300 out of bounds for int8", i + 300);
}

static void in_place()
{
    array x = {1.0, 2.0, 3.0}, y = x;
    x += 1;
    PRINTS(y, "[2. 3. 4.]");
    x -= y;
    PRINTS(y, "[0. 0. 0.]");
    x += 3;
    x *= 4;
    x /= 2;
    x %= 4;
    PRINTS(y, "[2. 2. 2.]");
    array n = {12, 10};
    const array m = n;
    m &= 6;
    m |= 1;
    m ^= 15;
    m <<= 2;
    m >>= 1;
    PRINTS(n, "[20 24]");
    array sum = 0, kept = sum;
    sum += 2;
    sum += array{0.5, 1.5};
    PRINTS(sum, "[2.5 3.5]");
    PRINTS(kept, "0");
    THROWS(TypeError, "iadd: Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'", n += 0.5);
}

static void truth()
{
    array x = {1, 2};
    CHECK(x(0) == 1 && x(1) == 2);
    CHECK(!(x(0) > 1) || x(0) > 5);
    CHECK(double(x(1)) == 2.0);
    THROWS(ValueError, "item: can only convert an array of size 1 to a scalar, not one of shape (2,)", x.item<double>());
}

static void tests()
{
    arithmetic({5.0, -2.5, 4.0}, {2.0, 3.0, 0.5});
    arithmetic({5, -2, 4}, {2, 3, 7});
    arithmetic({{1.0f, 2.0f}, {3.0f, 4.0f}}, {10, 20});
    bits({5, 2, 4}, {2, 3, 1});
    weak_numbers();
    in_place();
    truth();
}
