/* SPDX-License-Identifier: Apache-2.0
 * memory.cpp -- numbers in and out: braces, vectors, iterators, spans, elements, dtypes of C++ types; printing. */
#include "check.hpp"
#include <array>
#include <complex>
#include <list>

using kiln::array;

static void braces()
{
    CHECK(array{1, 2}.dtype() == kiln::int64);
    CHECK(array{1.0f, 2.0f}.dtype() == kiln::float32);
    CHECK(array{1.0f, 2}.dtype() == kiln::float64);
    CHECK(array{true, false}.dtype() == kiln::bool_);
    CHECK(array{1, std::complex<double>(0, 1)}.dtype() == kiln::complex128);
    CHECK(array({1, 2}, kiln::float32).dtype() == kiln::float32);
    PRINTS(array({{1, 2}, {3, 4}, {5, 6}}), "[[1 2]\n [3 4]\n [5 6]]");
    PRINTS(array({{{1.5}}, {{2.5}}}), "[[[1.5]]\n\n [[2.5]]]");
    PRINTS(array({9007199254740993}), "[9007199254740993]");
    CHECK(array{5.0}.ndim() == 1 && array(5.0).ndim() == 0);
    THROWS(ValueError, "array: the lists in braces do not have one shape", array({{1, 2}, {3}}));
    THROWS(ValueError, "array: the lists in braces do not have one shape", array({{1, 2}, 3}));
}

static void containers()
{
    std::vector<int> v = {1, 2, 3, 4};
    PRINTS(array(v), "[1 2 3 4]");
    CHECK(array(v).dtype() == kiln::int32);
    CHECK(array(std::vector<uint8_t>{1}).dtype() == kiln::uint8);
    CHECK(array(std::array<float, 2>{1, 2}).dtype() == kiln::float32);
    PRINTS(array(v, {2, 2}), "[[1 2]\n [3 4]]");
    THROWS(ValueError, "the memory has another number of elements than the shape", array(v, {3, 2}));
    std::list<double> l = {1.5, 2.5};
    PRINTS(array(l.begin(), l.end()), "[1.5 2.5]");
    std::vector<bool> bits = {true, false};
    PRINTS(array(bits.begin(), bits.end()), "[ True False]");
    std::vector<std::complex<float>> z = {{1, 2}};
    CHECK(array(z).dtype() == kiln::complex64);
    double memory[] = {1, 2, 3, 4, 5, 6};
    PRINTS(array::from(memory, {2, 3}), "[[1. 2. 3.]\n [4. 5. 6.]]");
    PRINTS(array(std::vector<double>()), "[]");
}

static void out()
{
    array x = {{1.5, 2.5}, {3.5, 4.5}};
    CHECK(x.item<double>({1, 0}) == 3.5 && x.item<int>(3) == 4 && x(0, 1).item<float>() == 2.5f);
    CHECK(x.data<double>()[2] == 3.5);
    CHECK(x.T().to_vector<double>() == std::vector<double>{1.5, 3.5, 2.5, 4.5});
    CHECK(x.to_vector<int>() == std::vector<int>{1, 2, 3, 4});
    CHECK((array{1, 2} > 1).to_vector<char>() == std::vector<char>{0, 1});
    CHECK((x * std::complex<double>(0, 1))(0, 0).item<std::complex<double>>() == std::complex<double>(0, 1.5));
    CHECK(static_cast<double>(x.sum()) == 12.0 && bool(x.sum() > 11));
    THROWS(TypeError, "data: the array has dtype float64, not float32", x.data<float>());
#if __cplusplus >= 202002L
    double total = 0;
    for (double e : x.span<double>())
        total += e;
    CHECK(total == 12.0);
    CHECK(array(x.span<double>()).size() == 4);
#endif
    CHECK(x.ndim() == 2 && x.size() == 4 && x.nbytes() == 32 && x.len() == 2 && x.dtype().name() == "float64");
    CHECK((x.shape() == kiln::shape{2, 2}));
    int64_t product = 1;
    for (int64_t extent : x.shape())
        product *= extent;
    CHECK(product == 4);
}

static void wrapped()
{
    std::vector<float> mine = {1, 2, 3};
    array x = kiln::wrap(mine.data(), {3}, kiln::float32);
    x *= 2;
    x.eval();
    CHECK(mine[2] == 6);
}

static void dtypes()
{
    CHECK(kiln::dtype_of<long>() == kiln::int64 && kiln::dtype_of<unsigned short>() == kiln::uint16);
    CHECK(kiln::dtype_of<std::complex<float>>() == kiln::complex64);
    CHECK(kiln::result_type({kiln::int8, "float32"}) == kiln::float32);
    CHECK(kiln::finfo(kiln::float32).bits == 32);
}

static void tests()
{
    braces();
    containers();
    out();
    wrapped();
    dtypes();
}
