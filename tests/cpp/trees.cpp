/* SPDX-License-Identifier: Apache-2.0
 * trees.cpp -- structs, tuples, arrays, vectors and maps of arrays as arguments and results, with their transformations. */
#include "check.hpp"
#include <array>
#include <cmath>
#include <map>

using kiln::array;

namespace user {
struct layer {
    array w, b;
};
KILN_TREE(layer, w, b);
struct pair_of_layers {
    layer first, second;
    std::array<array, 2> scales;
};
KILN_TREE(pair_of_layers, first, second, scales);
struct network {
    std::vector<layer> layers;
    std::map<std::string, array> extra;
};
KILN_TREE(network, layers, extra);
} // namespace user
using user::layer, user::network, user::pair_of_layers;

static_assert(kiln::is_tree<array> && kiln::is_tree<layer> && kiln::is_tree<network> && !kiln::is_tree<int>, "");
static_assert(kiln::tree_traits<pair_of_layers>::count == 6 && kiln::tree_traits<network>::count == -1, "");
static_assert(kiln::is_tree<std::tuple<array, std::pair<layer, std::vector<array>>>>, "");

static array apply(const layer &l, const array &x) { return x * l.w + l.b; }

static void fixed()
{
    pair_of_layers p = {{2.0, 1.0}, {3.0, 0.5}, {array(1.0), array(10.0)}};
    auto f = [](const pair_of_layers &q, const array &x) { return apply(q.second, apply(q.first, x) * q.scales[0]) * q.scales[1]; };
    pair_of_layers g = kiln::jit(kiln::grad(f))(p, 4.0);
    PRINTS(g.first.w, "120.0");
    PRINTS(g.first.b, "30.0");
    PRINTS(g.second.w, "90.0");
    PRINTS(g.second.b, "10.0");
    PRINTS(g.scales[0], "270.0");
    PRINTS(g.scales[1], "27.5");
    auto [value, grads] = kiln::value_and_grad<0, 1>(f)(p, 4.0);
    PRINTS(value, "275.0");
    PRINTS(std::get<1>(grads), "60.0");
}

static void growing()
{
    network n;
    for (int i = 1; i < 4; i++)
        n.layers.push_back({array{1.0 * i, 2.0}, 1.0});
    n.extra["scale"] = 2.0;
    n.extra["it's"] = array{1.0, 1.0};
    auto f = [](const network &m) {
        array sum = 0.0;
        for (const layer &l : m.layers)
            sum += kiln::sum(l.w * l.w) + l.b;
        return sum * m.extra.at("scale") + kiln::sum(m.extra.at("it's"));
    };
    auto [value, g] = kiln::jit(kiln::value_and_grad(f))(n);
    PRINTS(value, "60.0");
    CHECK(g.layers.size() == 3 && g.extra.size() == 2);
    PRINTS(g.layers[2].w, "[12.  8.]");
    PRINTS(g.layers[0].b, "2.0");
    PRINTS(g.extra["scale"], "29.0");
    PRINTS(g.extra["it's"], "[1. 1.]");
}

static void shapes_of_results()
{
    auto f = kiln::jit([](std::vector<array> v) {
        std::map<std::string, std::vector<array>> m;
        for (array &x : v)
            m[x.ndim() ? "vectors" : "scalars"].push_back(x * 2);
        return std::pair(m, v.at(0));
    });
    auto [m, first] = f({array(1.0), array{1.0, 2.0}, array(3.0)});
    CHECK(m.size() == 2 && m["scalars"].size() == 2 && m["vectors"].size() == 1);
    PRINTS(m["scalars"][1], "6.0");
    PRINTS(first, "1.0");
}

static void vmap_and_jvp()
{
    layer l = {{1.0, 2.0}, {3.0, 4.0}};
    auto mapped = kiln::vmap([](layer p, array x) { return layer{p.w * x, p.b}; }, kiln::vmap_opts().with_in_axes({0, kiln::none}));
    layer y = mapped(l, 10.0);
    PRINTS(y.w, "[10. 20.]");
    PRINTS(y.b, "[3. 4.]");
    auto [z, dz] = kiln::jvp([](layer p) { return p.w * p.b; }, l, layer{{1.0, 0.0}, {0.0, 1.0}});
    PRINTS(z, "[3. 8.]");
    PRINTS(dz, "[3. 2.]");
    auto [v, back] = kiln::vjp([](layer p) { return p.w * p.b; }, l);
    layer ct = back({1.0, 1.0});
    PRINTS(ct.w, "[3. 4.]");
    PRINTS(ct.b, "[1. 2.]");
    CHECK(v.size() == 2);
}

static void values()
{
    network n;
    n.layers.push_back({1.0, 2.0});
    n.extra["a"] = 3.0;
    kiln::pytree t = n;
    CHECK(t.size() == 3);
    network back = t.as<network>();
    PRINTS(back.extra["a"], "3.0");
    layer l = kiln::tree::map([](array a, array b) { return a - 2 * b; }, layer{5.0, 6.0}, layer{1.0, 2.0});
    PRINTS(l.w + l.b, "5.0");
    PRINTS(kiln::tree::reduce([](array a, array b) { return a + b; }, layer{5.0, 6.0}, 0.0), "11.0");
}

static void optimizers()
{
    layer p = {array{1.0, 2.0}, array(0.5)};
    kiln::optimizer adam = kiln::optim::adam({0.1});
    kiln::pytree state = kiln::optim::init(adam, p);
    auto loss = kiln::jit(kiln::grad([](layer q) { return kiln::sum(q.w * q.w) + q.b * q.b; }));
    for (int i = 0; i < 200; i++)
        kiln::optim::step(adam, p, state, loss(p));
    CHECK(kiln::abs(p.w).max().item<double>() < 0.05 && std::abs(p.b.item<double>()) < 0.05);
}

static void tests()
{
    fixed();
    growing();
    shapes_of_results();
    vmap_and_jvp();
    values();
    optimizers();
}
