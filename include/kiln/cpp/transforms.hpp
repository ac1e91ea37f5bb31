/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/transforms.hpp -- jit, grad, vmap and their kin, of lambdas and of each other. */
#ifndef KILN_CPP_TRANSFORMS_HPP
#define KILN_CPP_TRANSFORMS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {

/* As the second argument of grad and its kin: the function returns a std::pair of what is differentiated and of something else. */
struct has_aux_t { explicit constexpr has_aux_t(int) {} };
inline constexpr has_aux_t has_aux{0};

struct jit_opts {
    KILN_OPTION((positions), donate_argnums, {})
    KILN_OPTION((positions), static_argnums, {})
    KILN_OPTION((text), symbolic, {})
    KILN_OPTION((text), constraints, {})
    KILN_OPTION((bool), checks, false)
};
struct grad_opts {
    KILN_OPTION((bool), holomorphic, false)
    KILN_OPTION((bool), allow_int, false)
};
/* An axis, or none: the argument is the same for all. */
struct mapping : kn_mapping {
    mapping() : kn_mapping() {}
    mapping(int axis) : kn_mapping{axis < 0 ? axis : axis + 2} {}
    mapping(none_t) : kn_mapping{1} {}
};
struct mappings {
    mappings() = default;
    mappings(mapping one) : axis{one} {}
    mappings(std::initializer_list<mapping> list)
    {
        size_t i = 0;
        for (const mapping &m : list)
            if (i < KN_MAX_ARGS)
                axis[i++] = m;
    }
    kn_mapping axis[KN_MAX_ARGS] = {};
};
struct vmap_opts {
    KILN_OPTION((mappings), in_axes, {})
    KILN_OPTION((mappings), out_axes, {})
    KILN_OPTION((text), axis_name, {})
    KILN_OPTION((int64_t), axis_size, 0)
};
/* Of a mesh: one spec for all arguments or results, or one for each: "data, None". */
struct specs {
    specs() = default;
    specs(const char *one) : spec{one} {}
    specs(std::initializer_list<const char *> list)
    {
        size_t i = 0;
        for (const char *s : list)
            if (i < KN_MAX_ARGS)
                spec[i++] = s;
    }
    const char *spec[KN_MAX_ARGS] = {};
};
struct shard_map_opts {
    KILN_OPTION((specs), in_specs, {})
    KILN_OPTION((specs), out_specs, {})
    KILN_OPTION((bool), check_vma, true)
};
struct checkpoint_opts {
    KILN_OPTION((kn_policy), policy, {})
    KILN_OPTION((bool), prevent_cse, true)
};

namespace detail {
/* The function that C makes of f, with what f keeps. */
template <class To, class F, class Make> To transformed(const F &f, place where, Make make)
{
    call c(where);
    c.here();
    kn_fn h = c.take(make(f.c()));
    return To(h, f.kept());
}
template <class F, int... I> struct gradient { using type = std::tuple<argument_of<F, static_cast<size_t>(I)>...>; };
template <class F, int I> struct gradient<F, I> { using type = argument_of<F, static_cast<size_t>(I)>; };
template <class F> struct gradient<F> { using type = argument_of<F, 0>; };
template <class F, int... I> using gradient_of = typename gradient<F, I...>::type;
template <int... I> kn_argnums argnums_of()
{
    return positions({I...});
}
template <class O, int... I> O derivative_opts(const grad_opts &o, bool aux)
{
    O k = {};
    k.size_ = sizeof k;
    if constexpr (sizeof...(I) > 0)
        k.argnums = argnums_of<I...>();
    k.has_aux = aux;
    k.holomorphic = o.holomorphic;
    k.allow_int = o.allow_int;
    return k;
}
template <class P> using first_of = typename P::first_type;
template <class P> using second_of = typename P::second_type;
/* Each array of the result of a Jacobian is a struct of the argument. */
template <class R, class G> struct jacobian { using type = std::array<G, static_cast<size_t>(tree_traits<R>::count > 0 ? tree_traits<R>::count : 1)>; };
template <class G> struct jacobian<array, G> { using type = G; };
template <class R, class G> using jacobian_of = typename jacobian<R, G>::type;
} // namespace detail

/* jax.jit: records f for the types of its arguments, compiles it, and runs that from then on. */
template <class F> auto jit(F &&f, const jit_opts &o = {}, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    kn_jit_opts k = {};
    k.size_ = sizeof k;
    k.donate_argnums = o.donate_argnums;
    k.static_argnums = o.static_argnums;
    k.symbolic = o.symbolic.c();
    k.constraints = o.constraints.c();
    k.checks = o.checks;
    return detail::transformed<decltype(g)>(g, where, [&](kn_fn h) { return kn_jit(h, &k); });
}

/* jax.grad: of the first argument; grad<1>(f) of the second, grad<0, 2>(f) of two, which are a tuple. */
template <int... I, class F> auto grad(F &&f, const grad_opts &o = {}, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    using G = decltype(g);
    using To = typename detail::types<G>::template returning<detail::gradient_of<G, I...>>;
    auto k = detail::derivative_opts<kn_grad_opts, I...>(o, false);
    return detail::transformed<To>(g, where, [&](kn_fn h) { return kn_grad(h, &k); });
}
/* ... a pair of the gradient and the rest of the result */
template <int... I, class F> auto grad(F &&f, has_aux_t, const grad_opts &o = {}, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    using G = decltype(g);
    using To = typename detail::types<G>::template returning<
        std::pair<detail::gradient_of<G, I...>, detail::second_of<detail::result_of<G>>>>;
    auto k = detail::derivative_opts<kn_grad_opts, I...>(o, true);
    return detail::transformed<To>(g, where, [&](kn_fn h) { return kn_grad(h, &k); });
}
/* jax.value_and_grad: a pair of the value and the gradient. */
template <int... I, class F> auto value_and_grad(F &&f, const grad_opts &o = {}, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    using G = decltype(g);
    using To = typename detail::types<G>::template returning<std::pair<detail::result_of<G>, detail::gradient_of<G, I...>>>;
    auto k = detail::derivative_opts<kn_grad_opts, I...>(o, false);
    return detail::transformed<To>(g, where, [&](kn_fn h) { return kn_value_and_grad(h, &k); });
}
template <int... I, class F> auto value_and_grad(F &&f, has_aux_t, const grad_opts &o = {}, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    using G = decltype(g);
    using To = typename detail::types<G>::template returning<std::pair<detail::result_of<G>, detail::gradient_of<G, I...>>>;
    auto k = detail::derivative_opts<kn_grad_opts, I...>(o, true);
    return detail::transformed<To>(g, where, [&](kn_fn h) { return kn_value_and_grad(h, &k); });
}

#define KILN_JACOBIAN(name, result)                                                                                    \
    template <int... I, class F> auto name(F &&f, const grad_opts &o = {}, place where = here())                       \
    {                                                                                                                  \
        auto g = detail::to_function(std::forward<F>(f), where);                                                       \
        using G = decltype(g);                                                                                         \
        using R = detail::result_of<G>;                                                                                \
        static_assert(tree_traits<R>::count > 0, "the result has a number of arrays that is known: no vector, no map"); \
        using D = detail::gradient_of<G, I...>;                                                                        \
        using To = typename detail::types<G>::template returning<result>;                                              \
        auto k = detail::derivative_opts<kn_jac_opts, I...>(o, false);                                                 \
        return detail::transformed<To>(g, where, [&](kn_fn h) { return kn_##name(h, &k); });                           \
    }
#define KILN_COMMA ,
KILN_JACOBIAN(jacfwd, detail::jacobian_of<R KILN_COMMA D>) /* jax.jacfwd; of several results an array of Jacobians */
KILN_JACOBIAN(jacrev, detail::jacobian_of<R KILN_COMMA D>) /* jax.jacrev */
KILN_JACOBIAN(hessian, detail::jacobian_of<D KILN_COMMA D>) /* jax.hessian of a function with one array as result */
#undef KILN_COMMA
#undef KILN_JACOBIAN

/* jax.vmap: {.in_axes = {0, none}} says along which axis of each argument. */
namespace detail {
inline kn_vmap_opts lanes_of(const vmap_opts &o)
{
    kn_vmap_opts k = {};
    k.size_ = sizeof k;
    for (int i = 0; i < KN_MAX_ARGS; i++) {
        k.in_axes[i] = o.in_axes.axis[i];
        k.out_axes[i] = o.out_axes.axis[i];
    }
    k.axis_name = o.axis_name.c();
    k.axis_size = o.axis_size;
    return k;
}
} // namespace detail
template <class F> auto vmap(F &&f, const vmap_opts &o = {}, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    kn_vmap_opts k = detail::lanes_of(o);
    return detail::transformed<decltype(g)>(g, where, [&](kn_fn h) { return kn_vmap(h, &k); });
}
/* jax.pmap: the same over devices, where there is a mesh of that axis. */
template <class F> auto pmap(F &&f, const vmap_opts &o = {}, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    kn_vmap_opts k = detail::lanes_of(o);
    return detail::transformed<decltype(g)>(g, where, [&](kn_fn h) { return kn_pmap(h, &k); });
}
/* jax.shard_map: f on each device of the mesh, for its parts of the arguments. */
template <class F> auto shard_map(F &&f, kn_mesh mesh, const shard_map_opts &o = {}, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    kn_shard_map_opts k = {};
    k.size_ = sizeof k;
    for (int i = 0; i < KN_MAX_ARGS; i++) {
        k.in_specs[i] = o.in_specs.spec[i];
        k.out_specs[i] = o.out_specs.spec[i];
    }
    k.check_vma = o.check_vma;
    return detail::transformed<decltype(g)>(g, where, [&](kn_fn h) { return kn_shard_map(h, mesh, &k); });
}

/* jax.checkpoint: derivatives compute f again instead of keeping its values. */
template <class F> auto checkpoint(F &&f, const checkpoint_opts &o = {}, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    kn_checkpoint_opts k = {};
    k.size_ = sizeof k;
    k.policy = o.policy;
    k.prevent_cse = o.prevent_cse;
    detail::keep_with_callers(g.kept());
    return detail::transformed<decltype(g)>(g, where, [&](kn_fn h) { return kn_checkpoint(h, &k); });
}

/* jax.custom_jvp: rule(arguments..., tangents...) returns a pair of the value and its tangent. */
template <class F, class Rule> auto custom_jvp(F &&f, Rule &&rule, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    auto r = detail::to_function(std::forward<Rule>(rule), where);
    static_assert(std::tuple_size<detail::arguments_of<decltype(r)>>::value ==
                      2 * std::tuple_size<detail::arguments_of<decltype(g)>>::value,
                  "the rule takes all arguments and then as many tangents");
    std::shared_ptr<void> kept = detail::keep_all({g.kept(), r.kept()});
    detail::keep_with_callers(kept);
    detail::call c(where);
    c.here();
    return decltype(g)(c.take(kn_custom_jvp(g.c(), r.c())), kept);
}
/* jax.custom_vjp: forward(arguments...) returns a pair of the value and of residuals; backward(residuals, cotangent) one cotangent for
 * each argument. */
template <class F, class Forward, class Backward>
auto custom_vjp(F &&f, Forward &&forward, Backward &&backward, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    auto a = detail::to_function(std::forward<Forward>(forward), where);
    auto b = detail::to_function(std::forward<Backward>(backward), where);
    std::shared_ptr<void> kept = detail::keep_all({g.kept(), a.kept(), b.kept()});
    detail::keep_with_callers(kept);
    detail::call c(where);
    c.here();
    return decltype(g)(c.take(kn_custom_vjp(g.c(), a.c(), b.c())), kept);
}

namespace detail {
/* Arguments of a call as parts of C. */
template <class... A> class packed {
  public:
    explicit packed(std::tuple<A...> t) : values_(std::move(t))
    {
        put(values_, std::index_sequence_for<A...>());
        check();
    }
    packed(const packed &) = delete;
    const kn_args *c() const { return &args_; }

  private:
    template <size_t... I> void put(const std::tuple<A...> &t, std::index_sequence<I...>)
    {
        (void)t;
        args_.n = static_cast<int>(sizeof...(A));
        ((std::get<I>(slots_).fill(std::get<I>(t)),
          args_.part[I] = kn_const_part{std::get<I>(slots_).at(), pass<A>::bytes}), ...);
    }
    std::tuple<A...> values_; /* own what the slots name */
    std::tuple<typename pass<A>::slot...> slots_;
    kn_args args_ = {};
};
template <class R> class result_slot {
  public:
    result_slot()
    {
        outs_.n = 1;
        outs_.part[0] = kn_part{slot_.at(), pass<R>::bytes};
    }
    result_slot(const result_slot &) = delete;
    const kn_outs *c() const { return &outs_; }
    R read()
    {
        R y = pass<R>::read(slot_.at());
        check();
        return y;
    }

  private:
    typename pass<R>::slot slot_ = {};
    kn_outs outs_ = {};
};
template <class T> struct one_or_tuple { using type = T; };
template <class T> struct one_or_tuple<std::tuple<T>> { using type = T; };
template <class T> std::tuple<T> tuple_of(const T &x) { return std::tuple<T>(x); }
template <class... T> const std::tuple<T...> &tuple_of(const std::tuple<T...> &x) { return x; }
template <class Tuple> struct packed_of;
template <class... T> struct packed_of<std::tuple<T...>> { using type = packed<T...>; };
template <class Tuple, class R> struct taking;
template <class R, class... T> struct taking<std::tuple<T...>, R> { using type = function<R(T...)>; };
/* The arguments of f from what the caller wrote: one value, or a tuple of them. */
template <class G, class P> arguments_of<G> arguments_from(const P &p)
{
    using A = arguments_of<G>;
    if constexpr (std::is_convertible<P, A>::value && !std::is_same<std::decay_t<P>, array>::value)
        return A(p);
    else
        return A(std::tuple_element_t<0, A>(p));
}
} // namespace detail

/* jax.jvp: {value, tangent} at primals in the direction of tangents; both are one argument or a std::tuple of all. */
template <class F, class P, class T> auto jvp(F &&f, const P &primals, const T &tangents, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    using G = decltype(g);
    using R = detail::result_of<G>;
    detail::call c(where);
    typename detail::packed_of<detail::arguments_of<G>>::type x(detail::arguments_from<G>(primals)),
        dx(detail::arguments_from<G>(tangents));
    detail::result_slot<R> y, dy;
    c.here();
    kn_jvp(g.c(), x.c(), dx.c(), y.c(), dy.c());
    detail::check();
    return std::pair<R, R>(y.read(), dy.read());
}
/* jax.vjp: {value, pullback}: that takes the cotangent of the result and returns the one of the argument, or a tuple of them. */
template <class F, class... P> auto vjp(F &&f, const std::tuple<P...> &primals, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    using G = decltype(g);
    using R = detail::result_of<G>;
    using Back = function<typename detail::one_or_tuple<detail::arguments_of<G>>::type(R)>;
    detail::call c(where);
    typename detail::packed_of<detail::arguments_of<G>>::type x(detail::arguments_from<G>(primals));
    detail::result_slot<R> y;
    c.here();
    kn_fn back = c.take(kn_vjp(g.c(), x.c(), y.c()));
    return std::pair<R, Back>(y.read(), Back(back, g.kept()));
}
template <class F> auto vjp(F &&f, const detail::argument_of<F, 0> &primal, place where = here())
{
    return vjp(std::forward<F>(f), std::tuple<detail::argument_of<F, 0>>(primal), where);
}
/* jax.linearize: {value, the derivative there, as a function of the tangents}. */
template <class F, class... P> auto linearize(F &&f, const std::tuple<P...> &primals, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    using G = decltype(g);
    using R = detail::result_of<G>;
    detail::call c(where);
    typename detail::packed_of<detail::arguments_of<G>>::type x(detail::arguments_from<G>(primals));
    detail::result_slot<R> y;
    c.here();
    kn_fn linear = c.take(kn_linearize(g.c(), x.c(), y.c()));
    return std::pair<R, G>(y.read(), G(linear, g.kept()));
}
template <class F> auto linearize(F &&f, const detail::argument_of<F, 0> &primal, place where = here())
{
    return linearize(std::forward<F>(f), std::tuple<detail::argument_of<F, 0>>(primal), where);
}
/* jax.make_jaxpr: what f does with arguments of these types, as a text of the jaxpr language. */
template <class F, class... P> auto make_jaxpr(F &&f, const std::tuple<P...> &args, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    using G = decltype(g);
    detail::call c(where);
    typename detail::packed_of<detail::arguments_of<G>>::type x(detail::arguments_from<G>(args));
    c.here();
    return jaxpr_t(c.take(kn_make_jaxpr(g.c(), x.c(), nullptr)));
}
template <class F> auto make_jaxpr(F &&f, const detail::argument_of<F, 0> &arg, place where = here())
{
    return make_jaxpr(std::forward<F>(f), std::tuple<detail::argument_of<F, 0>>(arg), where);
}
/* jax.eval_shape: arrays that have shape and dtype but no value. */
template <class F, class... P> auto eval_shape(F &&f, const std::tuple<P...> &args, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    using G = decltype(g);
    detail::call c(where);
    typename detail::packed_of<detail::arguments_of<G>>::type x(detail::arguments_from<G>(args));
    detail::result_slot<detail::result_of<G>> y;
    c.here();
    kn_eval_shape(g.c(), x.c(), y.c());
    detail::check();
    return y.read();
}
/* jax.lax.stop_gradient: x, which counts as a constant in derivatives. */
inline array stop_gradient(const operand &x, place where = here())
{
    detail::call c(where);
    kn_array h = x.c();
    c.here();
    return array::share(c.take(kn_stop_gradient(h)));
}
/* jax.ad_checkpoint.checkpoint_name */
inline array checkpoint_name(const operand &x, const text &name, place where = here())
{
    detail::call c(where);
    kn_array h = x.c();
    c.here();
    return array::share(c.take(kn_checkpoint_name(h, name.c())));
}
} // namespace kiln
#endif
