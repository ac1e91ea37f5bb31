/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/control.hpp -- branches and loops that stay inside of a recording (jax.lax): cond, switch_, while_loop, fori_loop, scan, map.
 *
 * Their functions may be lambdas with `auto` parameters: the types follow from the carry and the arguments. */
#ifndef KILN_CPP_CONTROL_HPP
#define KILN_CPP_CONTROL_HPP
#include "kiln/cpp/transforms.hpp"

namespace kiln {

struct scan_opts {
    KILN_OPTION((int64_t), length, 0)
    KILN_OPTION((bool), reverse, false)
    KILN_OPTION((int64_t), unroll, 0)
    KILN_OPTION((int64_t), checkpoint, 0) /* what reverse mode keeps: each k-th carry; KN_CHECKPOINT_SQRT */
    KILN_OPTION((int32_t), accept, 0)
};

namespace detail {
/* A number as a carry is an array. */
template <class T> using carry = std::conditional_t<std::is_arithmetic<T>::value, array, T>;
template <class F, class... A> using returned = carry<plain<decltype(std::declval<F &>()(std::declval<A>()...))>>;
/* A body as a function of these types. */
template <class R, class... A, class F> function<R(A...)> body_of(F &&f, place where)
{
    if constexpr (std::is_base_of<fn, std::decay_t<F>>::value) {
        static_assert(std::is_convertible<F, function<R(A...)>>::value, "the function has other types than the loop");
        return f;
    } else {
        return function<R(A...)>(std::forward<F>(f), where);
    }
}
inline kn_scan_opts c_of(const scan_opts &o)
{
    kn_scan_opts k = {};
    k.size_ = sizeof k;
    k.length = o.length;
    k.reverse = o.reverse;
    k.unroll = o.unroll;
    k.checkpoint = o.checkpoint;
    k.accept = o.accept;
    return k;
}
template <class C, class Y> class two_results {
  public:
    two_results()
    {
        outs_.n = 2;
        outs_.part[0] = kn_part{c_.at(), pass<C>::bytes};
        outs_.part[1] = kn_part{y_.at(), pass<Y>::bytes};
    }
    two_results(const two_results &) = delete;
    const kn_outs *c() const { return &outs_; }
    std::pair<C, Y> read()
    {
        std::pair<C, Y> r(pass<C>::read(c_.at()), pass<Y>::read(y_.at()));
        check();
        return r;
    }

  private:
    typename pass<C>::slot c_ = {};
    typename pass<Y>::slot y_ = {};
    kn_outs outs_ = {};
};
} // namespace detail

/* jax.lax.cond: on_true(args...) or on_false(args...); only one of them runs. */
template <class F, class G, class... A>
auto cond(const placed &pred, F &&on_true, G &&on_false, const A &...args)
{
    using R = detail::returned<F, detail::carry<A>...>;
    auto f = detail::body_of<R, detail::carry<A>...>(std::forward<F>(on_true), pred.at);
    auto g = detail::body_of<R, detail::carry<A>...>(std::forward<G>(on_false), pred.at);
    detail::call c(pred.at);
    kn_array p = pred.c();
    detail::packed<detail::carry<A>...> x{std::tuple<detail::carry<A>...>(args...)};
    detail::result_slot<R> y;
    c.here();
    kn_cond(p, f.c(), g.c(), y.c(), x.c());
    detail::check();
    return y.read();
}
/* jax.lax.switch: branches[index](args...); they are a std::vector of functions of one type. */
template <class R, class... P, class... A>
R switch_(const placed &index, const std::vector<function<R(P...)>> &branches, const A &...args)
{
    detail::call c(index.at);
    kn_array i = index.c();
    std::vector<kn_fn> f;
    for (const auto &b : branches)
        f.push_back(b.c());
    detail::packed<P...> x{std::tuple<P...>(P(args)...)};
    detail::result_slot<R> y;
    c.here();
    kn_switch(i, f.data(), static_cast<int>(f.size()), y.c(), x.c());
    detail::check();
    return y.read();
}
/* jax.lax.while_loop: while (condition(carry)) carry = body(carry). */
template <class P, class F, class T>
auto while_loop(P &&condition, F &&body, const T &init, int64_t max_steps = 0, place where = here())
{
    using C = detail::carry<T>;
    auto p = detail::body_of<array, C>(std::forward<P>(condition), where);
    auto f = detail::body_of<C, C>(std::forward<F>(body), where);
    kn_while_opts k = {};
    k.size_ = sizeof k;
    k.max_steps = max_steps;
    detail::call c(where);
    detail::packed<C> x{std::tuple<C>(C(init))};
    detail::result_slot<C> y;
    c.here();
    kn_while_loop(p.c(), f.c(), y.c(), x.c(), &k);
    detail::check();
    return y.read();
}
/* jax.lax.fori_loop: for (i = lower; i < upper; i++) carry = body(i, carry). */
template <class F, class T>
auto fori_loop(const operand &lower, const operand &upper, F &&body, const T &init, int64_t checkpoint = 0,
               place where = here())
{
    using C = detail::carry<T>;
    auto f = detail::body_of<C, array, C>(std::forward<F>(body), where);
    kn_fori_opts k = {};
    k.size_ = sizeof k;
    k.checkpoint = checkpoint;
    detail::call c(where);
    kn_array from = lower.c(), to = upper.c();
    detail::packed<C> x{std::tuple<C>(C(init))};
    detail::result_slot<C> y;
    c.here();
    kn_fori_loop(from, to, f.c(), y.c(), x.c(), &k);
    detail::check();
    return y.read();
}
/* jax.lax.scan: {carry, y} = body(carry, x) for each element x of xs; returns {carry, stacked ys}. */
template <class F, class T, class X>
auto scan(F &&body, const T &init, const X &xs, const scan_opts &o = {}, place where = here())
{
    using C = detail::carry<T>;
    using R = detail::plain<decltype(body(std::declval<C>(), std::declval<X>()))>;
    using Y = detail::second_of<R>;
    auto f = detail::body_of<R, C, X>(std::forward<F>(body), where);
    kn_scan_opts k = detail::c_of(o);
    detail::call c(where);
    detail::packed<C> carry{std::tuple<C>(C(init))};
    detail::packed<X> elements{std::tuple<X>(xs)};
    detail::two_results<C, Y> y;
    c.here();
    kn_scan(f.c(), y.c(), carry.c(), elements.c(), &k);
    detail::check();
    return y.read();
}
/* ... with nothing to take in: {.length = n} steps of body(carry). */
template <class F, class T> auto scan(F &&body, const T &init, none_t, const scan_opts &o, place where = here())
{
    using C = detail::carry<T>;
    using R = detail::plain<decltype(body(std::declval<C>()))>;
    using Y = detail::second_of<R>;
    auto f = detail::body_of<R, C>(std::forward<F>(body), where);
    kn_scan_opts k = detail::c_of(o);
    detail::call c(where);
    detail::packed<C> carry{std::tuple<C>(C(init))};
    kn_args nothing = {};
    detail::two_results<C, Y> y;
    c.here();
    kn_scan(f.c(), y.c(), carry.c(), &nothing, &k);
    detail::check();
    return y.read();
}
/* jax.lax.map: f of each element along the first axis, stacked. */
template <class F, class X> auto map(F &&f, const X &xs, int64_t batch_size = 0, place where = here())
{
    using R = detail::returned<F, X>;
    auto g = detail::body_of<R, X>(std::forward<F>(f), where);
    kn_lax_map_opts k = {};
    k.size_ = sizeof k;
    k.batch_size = batch_size;
    detail::call c(where);
    detail::packed<X> x{std::tuple<X>(xs)};
    detail::result_slot<R> y;
    c.here();
    kn_lax_map(g.c(), y.c(), x.c(), &k);
    detail::check();
    return y.read();
}
} // namespace kiln
#endif
