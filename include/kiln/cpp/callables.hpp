/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/callables.hpp -- C++ functions and lambdas as functions of C: `fn` is any of them, `function<R(A...)>` one with its types.
 *
 * A closure is an object that C knows by a number; functions that are made of it, and functions whose recording made it, keep it
 * alive. An exception that it throws is kept while C returns, and thrown again by the call that C was called for. */
#ifndef KILN_CPP_CALLABLES_HPP
#define KILN_CPP_CALLABLES_HPP
#include "kiln/cpp/trees.hpp"
#include <mutex>
#include <unordered_map>

namespace kiln {
namespace detail {

class closure;
inline std::mutex closures_lock;
inline std::unordered_map<uint64_t, closure *> closures; /* those that are alive, by number */
inline uint64_t closures_made;
inline thread_local closure *innermost_closure; /* of those that C is calling */

class closure {
  public:
    closure()
    {
        std::lock_guard<std::mutex> lock(closures_lock);
        serial = ++closures_made;
        closures[serial] = this;
    }
    closure(const closure &) = delete;
    closure &operator=(const closure &) = delete;
    virtual ~closure()
    {
        std::lock_guard<std::mutex> lock(closures_lock);
        closures.erase(serial);
    }
    virtual void call(void *out, const void *const *in) = 0;
    static closure *find(uint64_t number)
    {
        std::lock_guard<std::mutex> lock(closures_lock);
        auto found = closures.find(number);
        return found == closures.end() ? nullptr : found->second;
    }
    uint64_t serial;
    closure *outer = nullptr;
    std::vector<std::shared_ptr<void>> kept; /* what its recordings may still call */
};
/* What C calls. */
inline void call_closure(const void *env, void *out, const void *const *in) noexcept
{
    uint64_t serial;
    std::memcpy(&serial, env, sizeof serial);
    closure *c = closure::find(serial);
    closure *outer = innermost_closure;
    try {
        if (!c)
            throw RuntimeError(KN_ERROR_RUNTIME, "RuntimeError", "a C++ function that is gone was to be traced", "", 0);
        innermost_closure = c;
        c->call(out, in);
    } catch (...) {
        keep_exception();
    }
    innermost_closure = outer;
}

/* How a value of a type goes to C and comes from there. */
template <class T> struct pass {
    using traits = tree_traits<T>;
    static_assert(traits::is_tree, "arguments and results are trees of arrays: kiln::array, tuples, std::array, vectors, "
                                   "maps with std::string keys, structs with KILN_TREE");
    static constexpr bool fixed = traits::count > 0;
    static_assert(traits::count != 0, "an argument or result has at least one array");
    static constexpr size_t bytes = fixed ? sizeof(kn_array) * static_cast<size_t>(traits::count) : 2;
    /* Memory for its handles. */
    struct slot {
        kn_array handle[fixed ? traits::count : 1];
        kn_tree tree;
        void *at() { return fixed ? static_cast<void *>(handle) : static_cast<void *>(&tree); }
        void fill(const T &x)
        {
            if constexpr (fixed) {
                int i = 0;
                for_each_array(x, [&](const array &a) { handle[i++] = a.c(); });
            } else {
                tree = traits::make(x);
            }
        }
    };
    static T read(const void *from)
    {
        T x;
        if constexpr (fixed) {
            const kn_array *h = static_cast<const kn_array *>(from);
            for_each_array(x, [&](array &a) { a = array::share(*h++); });
        } else {
            kn_tree t = *static_cast<const kn_tree *>(from);
            tree_reader r = {t, kn_tree_structure(t), 0, 0};
            traits::read(x, r);
        }
        return x;
    }
    /* As the result of a function that C called: handles of C's scope. */
    static void give(void *out, const T &x)
    {
        if constexpr (fixed) {
            kn_array h[traits::count];
            int i = 0;
            for_each_array(x, [&](const array &a) { h[i++] = a.c(); });
            kn_list l = kn_list_from(h, traits::count);
            check();
            for (i = 0; i < traits::count; i++)
                static_cast<kn_array *>(out)[i] = kn_list_get(l, i);
        } else {
            *static_cast<kn_tree *>(out) = traits::make(x);
        }
        check();
    }
};

template <class F, class R, class... A> class closure_of final : public closure {
  public:
    explicit closure_of(F f) : f_(std::move(f)) {}
    void call(void *out, const void *const *in) override { with(out, in, std::index_sequence_for<A...>()); }
    /* What C knows of it. */
    static const kn_function *described()
    {
        static_assert(sizeof...(A) <= KN_MAX_ARGS, "a function has at most 8 arguments");
        static const kn_function d = [] {
            kn_function k = {};
            k.size_ = sizeof k;
            k.name = "lambda";
            k.call = call_closure;
            k.env_bytes = sizeof(uint64_t);
            k.out_bytes = pass<R>::bytes;
            k.n_args = static_cast<int>(sizeof...(A));
            size_t i = 0;
            ((k.arg_bytes[i] = pass<A>::bytes, k.arg_fields[i] = tree_traits<A>::fields(), i++), ...);
            k.out_fields = tree_traits<R>::fields();
            return k;
        }();
        return &d;
    }

  private:
    template <size_t... I> void with(void *out, const void *const *in, std::index_sequence<I...>)
    {
        (void)in;
        pass<R>::give(out, static_cast<R>(f_(pass<A>::read(in[I])...)));
    }
    F f_;
};

/* R(A...) of a function, a function pointer or an object with one operator(). */
template <class T> using plain = std::remove_cv_t<std::remove_reference_t<T>>;
template <class F, class = void> struct signature {};
template <class F> struct signature<F, std::void_t<decltype(&F::operator())>> : signature<decltype(&F::operator())> {};
template <class R, class... A> struct signature<R (*)(A...)> { using type = plain<R>(plain<A>...); };
template <class R, class... A> struct signature<R(A...)> { using type = plain<R>(plain<A>...); };
template <class C, class R, class... A> struct signature<R (C::*)(A...)> { using type = plain<R>(plain<A>...); };
template <class C, class R, class... A> struct signature<R (C::*)(A...) const> { using type = plain<R>(plain<A>...); };
template <class F> using signature_of = typename signature<std::decay_t<F>>::type;

} // namespace detail

template <class Signature> class function;

/* A function, whatever it takes: the argument of functions that call one. Lambdas are converted. */
class fn {
  public:
    fn() = default;
    explicit fn(kn_fn f) : h_(detail::owned<kn_fn>::share(f)) {}
    template <class F, class S = detail::signature_of<F>,
              std::enable_if_t<!std::is_base_of<fn, std::decay_t<F>>::value, int> = 0>
    fn(F &&f, place where = here()) : fn(function<S>(std::forward<F>(f), where))
    {
    }
    kn_fn c() const noexcept { return h_.get(); }
    const char *name() const { return kn_fn_name(h_.get()); }
    int trace_count() const { return kn_fn_trace_count(h_.get()); } /* how often a jitted function was recorded */
    std::string explain() const                                     /* what it was recorded for */
    {
        detail::call c(place("", 0, ""));
        return c.text(kn_fn_explain(h_.get()));
    }
    const std::shared_ptr<void> &kept() const noexcept { return kept_; }

  protected:
    fn(kn_fn f, std::shared_ptr<void> kept) : h_(detail::owned<kn_fn>::share(f)), kept_(std::move(kept)) {}

  private:
    detail::owned<kn_fn> h_;
    std::shared_ptr<void> kept_; /* the closures that it calls */
};

/* A function with its types. Calling it takes the arguments in C++ and returns its result; every transformation makes another one. */
template <class R, class... A> class function<R(A...)> : public fn {
  public:
    using result_type = R;
    using arguments = std::tuple<A...>;
    function() = default;
    /* Of a handle of C, and what has to live as long as it. */
    function(kn_fn f, std::shared_ptr<void> kept) : fn(f, std::move(kept)) {}
    template <class F, std::enable_if_t<!std::is_base_of<fn, std::decay_t<F>>::value, int> = 0>
    function(F &&f, place where = here()) : fn(made(std::forward<F>(f), where))
    {
    }
    R operator()(const A &...a, place where = here()) const
    {
        detail::call c(where);
        std::tuple<typename detail::pass<A>::slot...> in;
        kn_args args = {};
        put(args, in, std::index_sequence_for<A...>(), a...);
        detail::check();
        typename detail::pass<R>::slot out = {};
        kn_outs outs = {1, {{out.at(), detail::pass<R>::bytes}}};
        c.here();
        kn_call(this->c(), &outs, &args);
        detail::check();
        R y = detail::pass<R>::read(out.at());
        detail::check();
        return y;
    }

  private:
    template <size_t... I, class S>
    static void put(kn_args &args, S &in, std::index_sequence<I...>, const A &...a)
    {
        (void)in;
        args.n = static_cast<int>(sizeof...(A));
        ((std::get<I>(in).fill(a), args.part[I] = kn_const_part{std::get<I>(in).at(), detail::pass<A>::bytes}), ...);
    }
    template <class F> static function made(F &&f, place where)
    {
        using closure = detail::closure_of<std::decay_t<F>, R, A...>;
        std::shared_ptr<detail::closure> object;
        if constexpr (std::is_empty<std::decay_t<F>>::value) { /* has no state: one for all, so that recordings are shared */
            static const auto only = std::make_shared<closure>(f);
            object = only;
        } else {
            object = std::make_shared<closure>(std::forward<F>(f));
        }
        detail::call c(where);
        c.here();
        kn_fn h = c.take(kn_fn_of(closure::described(), &object->serial));
        return function(h, object);
    }
};
template <class F, class S = detail::signature_of<F>> function(F) -> function<S>;

namespace detail {
/* Anything callable as a function<R(A...)>. */
template <class F> auto to_function(F &&f, place where)
{
    if constexpr (std::is_base_of<fn, std::decay_t<F>>::value)
        return std::decay_t<F>(std::forward<F>(f));
    else
        return function<signature_of<F>>(std::forward<F>(f), where);
}
template <class F> using function_of = decltype(to_function(std::declval<F>(), std::declval<place>()));
template <class F> struct types;
template <class R, class... A> struct types<function<R(A...)>> {
    using result = R;
    using arguments = std::tuple<A...>;
    template <class R2> using returning = function<R2(A...)>;
};
template <class F> using types_of = types<function_of<F>>;
template <class F> using result_of = typename types_of<F>::result;
template <class F> using arguments_of = typename types_of<F>::arguments;
template <class F, size_t I> using argument_of = std::tuple_element_t<I, arguments_of<F>>;
/* What recordings may call later lives as long as the functions that are being recorded. */
inline void keep_with_callers(const std::shared_ptr<void> &p)
{
    if (innermost_closure)
        innermost_closure->kept.push_back(p);
}
inline std::shared_ptr<void> keep_all(std::vector<std::shared_ptr<void>> v)
{
    return std::make_shared<std::vector<std::shared_ptr<void>>>(std::move(v));
}
} // namespace detail
} // namespace kiln
#endif
