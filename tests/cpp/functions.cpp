/* SPDX-License-Identifier: Apache-2.0
 * functions.cpp -- functions made of descriptions: options in both forms, results of several parts, lists, names, methods; with -DKEEP_ALL
 * and -fkeep-inline-functions all of them are compiled and linked. */
#include "check.hpp"

using kiln::array;

static void options()
{
    array x = {{1.0, 2.0}, {3.0, 4.0}};
    PRINTS(kiln::sum(x, kiln::sum_opts().with_axis(1).with_keepdims(true)), "[[3.]\n [7.]]");
    PRINTS(kiln::sum(x, {1}), "[3. 7.]");
    PRINTS(x.sum({0}), "[4. 6.]");
    PRINTS(kiln::max(x, kiln::max_opts().with_axis({0, 1})), "4.0");
    PRINTS(kiln::sum(x, kiln::sum_opts().with_axis(kiln::none)), "10.0");
    PRINTS(kiln::sum(x, kiln::sum_opts().with_where(x > 1).with_initial(100)), "109.0");
    CHECK(kiln::zeros({2}, kiln::zeros_opts().with_dtype(kiln::int8)).dtype() == kiln::int8);
    array weights;
    PRINTS(kiln::average(x, kiln::average_opts().with_axis(0).with_returned(&weights)), "[2. 3.]");
    PRINTS(weights, "[2. 2.]");
    CHECK(kiln::allclose(x, x + 1e-9) && !kiln::allclose(x, x + 1e-9, kiln::allclose_opts().with_rtol(0).with_atol(0)));
    CHECK(kiln::array_str(x, kiln::print_opts().with_precision(1)) == "[[1. 2.]\n [3. 4.]]");
#if __cplusplus >= 202002L
    PRINTS(kiln::sum(x, {.axis = 1, .keepdims = true}), "[[3.]\n [7.]]");
    PRINTS(x.mean({.axis = 0}), "[2. 3.]");
    CHECK(kiln::ones({2}, {.dtype = kiln::float32}).dtype() == kiln::float32);
    PRINTS(kiln::linalg::norm(x, {.named = "fro"}), "5.477225575051661");
#endif
}

static void results()
{
    auto [q, r] = kiln::divmod(array{7, -7}, 3);
    PRINTS(q, "[ 2 -3]");
    PRINTS(r, "[1 2]");
    auto [values, vectors] = kiln::linalg::eigh(array{{2.0, 0.0}, {0.0, 3.0}});
    PRINTS(values, "[2. 3.]");
    CHECK(vectors.ndim() == 2);
    auto parts = kiln::split(kiln::arange(0, 6, 1), 3);
    CHECK(parts.size() == 3);
    PRINTS(parts[1], "[2 3]");
    PRINTS(kiln::concatenate({parts[0], parts[2]}), "[0 1 4 5]");
    PRINTS(kiln::concatenate(parts), "[0 1 2 3 4 5]");
    PRINTS(kiln::stack({parts[0], parts[1]}), "[[0 1]\n [2 3]]");
    PRINTS(kiln::einsum("ij,j->i", {array{{1, 2}, {3, 4}}, array{1, 1}}), "[3 7]");
    CHECK(kiln::broadcast_shapes({{2, 1}, {3}}) == kiln::shape({2, 3}));
    auto grids = kiln::ogrid({{0, 2}, {0, 3}});
    CHECK(grids.size() == 2 && grids[1].size() == 3);
}

static void modules()
{
    array key = kiln::random::key(0);
    CHECK(kiln::random::normal(key, {3}).size() == 3);
    kiln::rng_t g = kiln::default_rng(0);
    PRINTS(kiln::rng::integers(g, 0, 10, {3}), "[8 6 5]"); /* np.random.default_rng(0).integers(0, 10, 3) */
    CHECK(kiln::rng::spawn(g, 2).size() == 2);
    PRINTS(kiln::fft::fft(array{1.0, 0.0}), "[1.+0.j 1.+0.j]");
    PRINTS(kiln::nn::relu(array{-1.0, 2.0}), "[0. 2.]");
    PRINTS(kiln::special::gamma(5.0), "24.0");
    PRINTS(kiln::lax::pad(array{1.0}, 0.0, {{1, 2, 0}}), "[0. 1. 0. 0.]");
    PRINTS(kiln::lax::reduce(array{1.0, 5.0}, -1.0, [](array a, array b) { return kiln::maximum(a, b); }, {0}), "5.0");
    PRINTS(kiln::linalg::solve(array{{2.0, 0.0}, {0.0, 4.0}}, array{2.0, 2.0}), "[1.  0.5]");
    PRINTS(kiln::ufunc::reduce(kn_ufunc_add, array{1, 2, 3}), "6");
}

static void methods()
{
    array x = {{3.0, 1.0}, {2.0, 4.0}};
    PRINTS(x.reshape({4}), "[3. 1. 2. 4.]");
    PRINTS(x.astype(kiln::int32).T(), "[[3 2]\n [1 4]]");
    PRINTS(x.argmax(), "3");
    PRINTS(x.std(), "1.118033988749895");
    x.sort();
    PRINTS(x, "[[1. 3.]\n [2. 4.]]");
    array y = x.copy();
    y(0) = 0;
    PRINTS(x(0), "[1. 3.]");
    PRINTS(x.dot(array{1.0, 1.0}), "[4. 6.]");
}

static void devices()
{
    kn_set_local_device_count(4);
    kn_mesh mesh = kiln::make_mesh({4}, "x");
    auto whole = kiln::shard_map([](array x) { return x - kiln::lax::pmean(kiln::mean(x), "x"); }, mesh,
                                 kiln::shard_map_opts().with_in_specs("x").with_out_specs({"x"}));
    PRINTS(whole(kiln::arange(0, 8, 1)), "[-3.5 -2.5 -1.5 -0.5  0.5  1.5  2.5  3.5]");
    auto twice = kiln::pmap([](array x) { return x * 2; });
    PRINTS(twice(kiln::arange(0, 4, 1)), "[0 2 4 6]");
}

static void tests()
{
    devices();
    options();
    results();
    modules();
    methods();
}
