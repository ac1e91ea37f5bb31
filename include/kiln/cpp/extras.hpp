/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/extras.hpp -- what takes functions, trees or callbacks and is written by hand: printing, callbacks, trees, optimizers, settings. */
#ifndef KILN_CPP_EXTRAS_HPP
#define KILN_CPP_EXTRAS_HPP
#include "kiln/cpp/control.hpp"
#include "kiln/cpp/functions.hpp"
#include <functional>

namespace kiln {

/* ---- Printing to where kn_set_print says, standard output at first. */
inline void print(const operand &x, const print_opts &opts = {}, place where = here())
{
    detail::call c(where);
    kn_array h = x.c();
    kn_print_opts o = opts.c();
    c.here();
    kn_print(h, &o);
    detail::check();
}
/* np.array_repr, np.array_str */
inline std::string array_repr(const operand &x, const print_opts &opts = {}, place where = here())
{
    detail::call c(where);
    kn_array h = x.c();
    kn_print_opts o = opts.c();
    c.here();
    return c.text(kn_array_repr(h, &o));
}
inline std::string array_str(const operand &x, const print_opts &opts = {}, place where = here())
{
    detail::call c(where);
    kn_array h = x.c();
    kn_print_opts o = opts.c();
    c.here();
    return c.text(kn_array_str(h, &o));
}

/* ---- Settings of this thread's context. */
inline dtype set_default_float(const dtype &d, place where = here())
{
    detail::call c(where);
    c.here();
    return c.value(kn_set_default_float(d));
}
inline void set_debug(int level) { kn_set_debug(level); }
inline bool set_lazy(bool lazy) { return kn_set_lazy(lazy); }
inline bool check_nans(bool on) { return kn_check_nans(on); }
inline int set_threads(int threads, place where = here())
{
    detail::call c(where);
    c.here();
    return c.value(kn_set_threads(threads));
}

/* ---- C++ code inside of recorded functions (jax.debug, jax.pure_callback, jax.experimental.io_callback). */
namespace debug {
inline void print(const text &format, const operands &args = {}, place where = here())
{
    detail::call c(where);
    kn_list l = args.list();
    c.here();
    kn_debug_print(format.c(), l);
    detail::check();
}
} // namespace debug
namespace detail {
/* A function of C++ as a callback of C. Programs may run it as long as the process lives, so it stays. */
using callback_function = std::function<std::vector<array>(const std::vector<array> &)>;
inline int call_back(void *env, int n_in, const kn_array *in, int n_out, kn_array *out) noexcept
{
    try {
        std::vector<array> x;
        for (int i = 0; i < n_in; i++)
            x.push_back(array::share(in[i]));
        std::vector<array> y = (*static_cast<callback_function *>(env))(x);
        if (static_cast<int>(y.size()) != n_out)
            throw ValueError(KN_ERROR_VALUE, "ValueError", "the callback returned another number of arrays than promised", "", 0);
        std::vector<kn_array> h;
        for (const array &a : y)
            h.push_back(a.c());
        kn_list l = n_out ? kn_list_from(h.data(), n_out) : nullptr;
        for (int i = 0; i < n_out; i++)
            out[i] = kn_list_get(l, i);
        check();
        return 0;
    } catch (...) {
        keep_exception();
        return 1;
    }
}
inline void *lasting_callback(callback_function f)
{
    static std::mutex lock;
    static std::vector<std::unique_ptr<callback_function>> all;
    std::lock_guard<std::mutex> locked(lock);
    all.push_back(std::make_unique<callback_function>(std::move(f)));
    return all.back().get();
}
inline kn_list types_list(const std::vector<std::pair<shape, dtype>> &types)
{
    std::vector<kn_array> h;
    for (const auto &t : types)
        h.push_back(kn_shape_dtype_struct(&t.first, t.second));
    return kn_list_from(h.data(), static_cast<int>(h.size()));
}
} // namespace detail
namespace debug {
/* jax.debug.callback: f(values) each time that the program runs. */
inline void callback(std::function<void(const std::vector<array> &)> f, const operands &args, place where = here())
{
    detail::call c(where);
    kn_list l = args.list();
    void *env = detail::lasting_callback([f = std::move(f)](const std::vector<array> &x) {
        f(x);
        return std::vector<array>();
    });
    c.here();
    kn_debug_callback(detail::call_back, env, l);
    detail::check();
}
} // namespace debug
/* jax.pure_callback: results have these shapes and dtypes. */
inline std::vector<array> pure_callback(detail::callback_function f, const std::vector<std::pair<shape, dtype>> &results,
                                        const operands &args, place where = here())
{
    detail::call c(where);
    kn_list types = detail::types_list(results), l = args.list();
    void *env = detail::lasting_callback(std::move(f));
    c.here();
    return detail::arrays_of(c.take(kn_pure_callback(detail::call_back, env, types, l, nullptr)));
}
/* jax.experimental.io_callback: f runs once each time, in order. */
inline std::vector<array> io_callback(detail::callback_function f, const std::vector<std::pair<shape, dtype>> &results,
                                      const operands &args, place where = here())
{
    detail::call c(where);
    kn_list types = detail::types_list(results), l = args.list();
    void *env = detail::lasting_callback(std::move(f));
    c.here();
    return detail::arrays_of(c.take(kn_io_callback(detail::call_back, env, types, l, nullptr)));
}

/* ---- Trees: f(arrays...) for the arrays at each place of trees of one type. */
namespace tree {
template <class F, class T, class... More> T map(F &&f, const T &first, const More &...more)
{
    static_assert((std::is_same<T, More>::value && ...), "the trees are of one type");
    T out = first;
    std::vector<array> leaves[sizeof...(More) + 1];
    size_t k = 0;
    auto gather = [&](const T &t) {
        for_each_array(t, [&](const array &x) { leaves[k].push_back(x); });
        k++;
    };
    gather(first);
    (gather(more), ...);
    for (size_t j = 1; j <= sizeof...(More); j++)
        if (leaves[j].size() != leaves[0].size())
            detail::refuse(KN_ERROR_VALUE, "ValueError", "tree::map: the trees have different numbers of arrays", place("", 0, ""));
    size_t i = 0;
    for_each_array(out, [&](array &x) {
        auto one = [&](const std::vector<array> &list) -> const array & { return list[i]; };
        size_t j = 0;
        std::array<array, sizeof...(More) + 1> at;
        for (const auto &list : leaves)
            at[j++] = one(list);
        x = std::apply(f, at);
        i++;
    });
    return out;
}
/* f(f(initial, a), b), ... */
template <class F, class T> array reduce(F &&f, const T &t, array initial)
{
    for_each_array(t, [&](const array &x) { initial = f(initial, x); });
    return initial;
}
} // namespace tree

/* jax.lax.associative_scan: element k of the result is f of the first k + 1 elements; f works on many at once. */
template <class F, class T> T associative_scan(F &&f, const T &elems, const lax::cumulative_opts &opts = {}, place where = here())
{
    auto g = detail::body_of<T, T, T>(std::forward<F>(f), where);
    kn_lax_cumulative_opts k = opts.c();
    detail::call c(where);
    detail::packed<T> x{std::tuple<T>(elems)};
    detail::result_slot<T> y;
    c.here();
    kn_associative_scan(g.c(), y.c(), x.c(), &k);
    detail::check();
    return y.read();
}

/* ---- Optimizers: init(optimizer, params) is the state; a step makes new parameters and a new state of gradients. */
namespace optim {
struct update_result { pytree updates, state; };
inline update_result update(const optimizer &o, const pytree &grads, const pytree &state, const pytree &params = {},
                            const update_opts &opts = {}, place where = here())
{
    detail::call c(where);
    kn_optim_update_opts k = opts.c();
    kn_tree updates = nullptr, next = nullptr;
    c.here();
    kn_optim_update(o.c(), grads.c(), state.c(), params.c(), &updates, &next, &k);
    detail::check();
    return update_result{pytree(updates), pytree(next)};
}
/* Whole step: params and state are the new ones. */
template <class P>
void step(const optimizer &o, P &params, pytree &state, const P &grads, const update_opts &opts = {}, place where = here())
{
    update_result r = update(o, pytree(grads, where), state, pytree(params, where), opts, where);
    params = apply_updates(pytree(params, where), r.updates, where).template as<P>(where);
    state = r.state;
}
} // namespace optim

/* ---- Children of generators of random numbers. */
namespace detail {
template <class H, class F> std::vector<handle<H>> spawned(F f, const handle<H> &from, int n, place where)
{
    call c(where);
    std::vector<H> h(static_cast<size_t>(n > 0 ? n : 0) + 1);
    c.here();
    f(from.c(), n, h.data());
    check();
    std::vector<handle<H>> v;
    for (int i = 0; i < n; i++)
        v.push_back(handle<H>(h[static_cast<size_t>(i)]));
    return v;
}
} // namespace detail
namespace rng {
inline std::vector<rng_t> spawn(const rng_t &g, int n, place where = here()) { return detail::spawned(kn_rng_spawn, g, n, where); }
} // namespace rng
namespace bit_generator {
inline std::vector<bit_generator_t> spawn(const bit_generator_t &g, int n, place where = here())
{
    return detail::spawned(kn_bit_generator_spawn, g, n, where);
}
} // namespace bit_generator
namespace seed_sequence {
inline std::vector<seed_sequence_t> spawn(const seed_sequence_t &s, int n, place where = here())
{
    return detail::spawned(kn_seed_sequence_spawn, s, n, where);
}
} // namespace seed_sequence

/* ---- Files: np.savez with names. */
inline void savez(const text &path, const std::map<std::string, array> &arrays, bool compressed = false, place where = here())
{
    detail::call c(where);
    std::vector<kn_named> v;
    for (const auto &x : arrays)
        v.push_back(kn_named{x.first.c_str(), x.second.c()});
    c.here();
    (compressed ? kn_savez_compressed : kn_savez)(path.c(), static_cast<int>(v.size()), v.data());
    detail::check();
}

/* ---- Derivatives against differences along random directions (jax.test_util.check_grads): AssertionError. */
namespace testing {
template <class F, class... P>
void check_grads(F &&f, const std::tuple<P...> &args, int order, const check_opts &opts = {}, place where = here())
{
    auto g = detail::to_function(std::forward<F>(f), where);
    using G = decltype(g);
    kn_testing_check_opts k = opts.c();
    detail::call c(where);
    typename detail::packed_of<detail::arguments_of<G>>::type x(detail::arguments_from<G>(args));
    c.here();
    kn_testing_check_grads(g.c(), x.c(), order, &k);
    detail::check();
}
} // namespace testing

} // namespace kiln
#endif
