/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/trees.hpp -- values of C++ as trees of arrays: arrays, std::tuple, std::pair, std::array, std::vector, std::map with names, and
 * structs that KILN_TREE(Type, members...) describes.
 *
 * A type whose number of arrays is fixed is handed to C as a struct of handles, with the names of its members; one with
 * vectors or maps in it as a kn_tree. */
#ifndef KILN_CPP_TREES_HPP
#define KILN_CPP_TREES_HPP
#include "kiln/cpp/array.hpp"
#include <array>
#include <map>
#include <tuple>

namespace kiln {

/* Where a kn_tree is read: which structure it has, and how far its leaves are read. */
namespace detail {
struct tree_reader {
    kn_tree tree;
    kn_treedef at; /* of the part that is being read */
    int leaf;
    int depth;
    array next() { return array::share(kn_tree_get(tree, leaf++)); }
    /* The key by which the node that is being read has the next leaf. */
    std::string key() const
    {
        kn_tree_keystr_opts o = kn_tree_keystr_opts_default();
        o.simple = true;
        o.separator = "\x1f";
        const char *s = kn_tree_keystr(tree, leaf, &o);
        for (int i = 1; s && i < depth; i++) {
            s = std::strchr(s, '\x1f');
            s = s ? s + 1 : nullptr;
        }
        const char *end = s ? std::strchr(s, '\x1f') : nullptr;
        return s ? end ? std::string(s, end) : std::string(s) : std::string();
    }
    /* The children of a node, one after the other. */
    template <class F> void children(F f)
    {
        kn_treedef node = at;
        int n = kn_treedef_children_count(node);
        depth++;
        for (int i = 0; i < n; i++) {
            at = kn_treedef_child(node, i);
            f(i);
        }
        depth--;
        at = node;
    }
};
} // namespace detail

/* How a type is a tree. `count`: its arrays, -1 if that is not known before. */
template <class T, class = void> struct tree_traits {
    static constexpr bool is_tree = false;
    static constexpr int count = 0;
};
template <class T> constexpr bool is_tree = tree_traits<T>::is_tree;
template <> struct tree_traits<array> {
    static constexpr bool is_tree = true;
    static constexpr int count = 1;
    static const kn_fields *fields() { return nullptr; }
    template <class T, class F> static void each(T &x, F &f) { f(x); }
    static kn_tree make(const array &x) { return kn_tree_leaf(x.c()); }
    static void read(array &x, detail::tree_reader &r) { x = r.next(); }
};

namespace detail {
template <class... T> constexpr int sum_counts()
{
    int n = 0;
    ((n = n < 0 || tree_traits<T>::count < 0 ? -1 : n + tree_traits<T>::count), ...);
    return n;
}
template <class T> const kn_fields *fields_of() { return tree_traits<T>::fields(); }

/* Everything that has members in a tuple of references. */
template <class Tuple> struct members_traits;
template <class... T> struct members_traits<std::tuple<T &...>> {
    static constexpr bool all_trees = (tree_traits<std::remove_const_t<T>>::is_tree && ...);
    static constexpr int count = sum_counts<std::remove_const_t<T>...>();
    template <class F> static void each(std::tuple<T &...> m, F &f)
    {
        std::apply([&f](auto &...x) { (tree_traits<std::remove_const_t<std::remove_reference_t<decltype(x)>>>::each(x, f), ...); }, m);
    }
    static kn_tree make(std::tuple<T &...> m)
    {
        return std::apply(
            [](auto &...x) {
                kn_tree part[] = {tree_traits<std::remove_const_t<std::remove_reference_t<decltype(x)>>>::make(x)...};
                return kn_tree_tuple(static_cast<int>(sizeof...(x)), part);
            },
            m);
    }
    static void read(std::tuple<T &...> m, tree_reader &r)
    {
        kn_treedef node = r.at;
        int i = 0;
        r.depth++;
        std::apply(
            [&](auto &...x) {
                ((r.at = kn_treedef_child(node, i++),
                  tree_traits<std::remove_const_t<std::remove_reference_t<decltype(x)>>>::read(x, r)), ...);
            },
            m);
        r.depth--;
        r.at = node;
    }
    /* Names of fields for C; without names NULL. */
    static const kn_fields *fields(const char *type, const char *const *names)
    {
        if constexpr (count > 0) {
            static const kn_field list[] = {
                kn_field{nullptr, sizeof(kn_array) * static_cast<size_t>(tree_traits<std::remove_const_t<T>>::count),
                         fields_of<std::remove_const_t<T>>()}...};
            static kn_field named[sizeof...(T)];
            static const kn_fields all = [&] {
                for (size_t i = 0; i < sizeof...(T); i++) {
                    named[i] = list[i];
                    named[i].name = names[i];
                }
                return kn_fields{sizeof(kn_fields), type, sizeof(kn_array) * static_cast<size_t>(count),
                                 static_cast<int>(sizeof...(T)), named};
            }();
            return &all;
        } else {
            return nullptr;
        }
    }
};
template <class T, size_t... I> auto tie_all(T &x, std::index_sequence<I...>) { return std::tie(std::get<I>(x)...); }
template <class T> auto members_of(T &x)
{
    return tie_all(x, std::make_index_sequence<std::tuple_size<std::remove_const_t<T>>::value>());
}
template <class T> struct tuple_like {
    using of = members_traits<decltype(members_of(std::declval<T &>()))>;
    static constexpr bool is_tree = of::all_trees;
    static constexpr int count = of::count;
    static const kn_fields *fields() { return nullptr; }
    template <class U, class F> static void each(U &x, F &f) { members_traits<decltype(members_of(x))>::each(members_of(x), f); }
    static kn_tree make(const T &x) { return members_traits<decltype(members_of(x))>::make(members_of(x)); }
    static void read(T &x, tree_reader &r) { of::read(members_of(x), r); }
};
} // namespace detail

template <class... T> struct tree_traits<std::tuple<T...>> : detail::tuple_like<std::tuple<T...>> {};
template <class A, class B> struct tree_traits<std::pair<A, B>> : detail::tuple_like<std::pair<A, B>> {};
template <class T, size_t N> struct tree_traits<std::array<T, N>> : detail::tuple_like<std::array<T, N>> {};
template <class T> struct tree_traits<std::vector<T>, std::enable_if_t<tree_traits<T>::is_tree>> {
    static constexpr bool is_tree = true;
    static constexpr int count = -1;
    static const kn_fields *fields() { return nullptr; }
    template <class V, class F> static void each(V &v, F &f)
    {
        for (auto &x : v)
            tree_traits<T>::each(x, f);
    }
    static kn_tree make(const std::vector<T> &v)
    {
        std::vector<kn_tree> part;
        for (const T &x : v)
            part.push_back(tree_traits<T>::make(x));
        return kn_tree_list(static_cast<int>(part.size()), part.data());
    }
    static void read(std::vector<T> &v, detail::tree_reader &r)
    {
        v.clear();
        r.children([&](int) {
            T x;
            tree_traits<T>::read(x, r);
            v.push_back(std::move(x));
        });
    }
};
template <class T> struct tree_traits<std::map<std::string, T>, std::enable_if_t<tree_traits<T>::is_tree>> {
    static constexpr bool is_tree = true;
    static constexpr int count = -1;
    static const kn_fields *fields() { return nullptr; }
    template <class V, class F> static void each(V &v, F &f)
    {
        for (auto &x : v)
            tree_traits<T>::each(x.second, f);
    }
    static kn_tree make(const std::map<std::string, T> &v)
    {
        std::vector<kn_tree_item> part;
        for (const auto &x : v)
            part.push_back(kn_tree_item{x.first.c_str(), tree_traits<T>::make(x.second)});
        return kn_tree_dict(static_cast<int>(part.size()), part.data());
    }
    static void read(std::map<std::string, T> &v, detail::tree_reader &r)
    {
        v.clear();
        r.children([&](int) {
            if (kn_treedef_count(r.at) == 0)
                detail::refuse(KN_ERROR_VALUE, "ValueError", "a map with an entry without arrays cannot be given back",
                               place("", 0, ""));
            std::string name = r.key();
            tree_traits<T>::read(v[name], r);
        });
    }
};
/* Structs that KILN_TREE describes. */
template <class T> struct tree_traits<T, decltype(void(kiln_members(std::declval<T &>())))> {
    using of = detail::members_traits<decltype(kiln_members(std::declval<T &>()))>;
    static_assert(of::all_trees, "a member of this struct is no tree of arrays");
    static constexpr bool is_tree = true;
    static constexpr int count = of::count;
    static const kn_fields *fields()
    {
        return of::fields(kiln_type_name(static_cast<T *>(nullptr)), kiln_member_names(static_cast<T *>(nullptr)));
    }
    template <class U, class F> static void each(U &x, F &f)
    {
        detail::members_traits<decltype(kiln_members(x))>::each(kiln_members(x), f);
    }
    static kn_tree make(const T &x) { return detail::members_traits<decltype(kiln_members(x))>::make(kiln_members(x)); }
    static void read(T &x, detail::tree_reader &r) { of::read(kiln_members(x), r); }
};

/* f(array &) for each array of a tree, in order. */
template <class T, class F> void for_each_array(T &x, F f)
{
    tree_traits<std::remove_const_t<T>>::each(x, f);
}
template <class T> int count_arrays(const T &x)
{
    int n = 0;
    for_each_array(x, [&n](const array &) { n++; });
    return n;
}

/* A tree as a value of its own, for functions of kiln::tree, optimizers and files; of any tree of C++, and back: t.as<Params>(). */
class pytree {
  public:
    pytree() = default;
    explicit pytree(kn_tree t) : h_(detail::owned<kn_tree>::share(t)) {}
    template <class T, std::enable_if_t<tree_traits<T>::is_tree, int> = 0> pytree(const T &x, place where = here())
    {
        detail::call c(where);
        c.here();
        h_ = detail::owned<kn_tree>::share(c.take(tree_traits<T>::make(x)));
    }
    kn_tree c() const noexcept { return h_.get(); }
    template <class T> T as(place where = here()) const
    {
        detail::call c(where);
        c.here();
        T x;
        detail::tree_reader r = {h_.get(), kn_tree_structure(h_.get()), 0, 0};
        detail::check();
        tree_traits<T>::read(x, r);
        detail::check();
        return x;
    }
    int size(place where = here()) const
    {
        detail::call c(where);
        c.here();
        return c.value(kn_tree_count(h_.get()));
    }
    array operator[](const char *path) const
    {
        detail::call c(place("", 0, ""));
        return array::share(c.take(kn_tree_at(h_.get(), path)));
    }

  private:
    detail::owned<kn_tree> h_;
};

} // namespace kiln

/* KILN_TREE(Params, w, b) behind a struct, in its namespace: its members are a tree. Up to 16. */
#define KILN_TREE(Type, ...)                                                                                           \
    inline auto kiln_members([[maybe_unused]] Type &x) { return std::tie(KILN_EACH(KILN_MEMBER, __VA_ARGS__)); }       \
    inline auto kiln_members([[maybe_unused]] const Type &x)                                                           \
    {                                                                                                                  \
        return std::tie(KILN_EACH(KILN_MEMBER, __VA_ARGS__));                                                          \
    }                                                                                                                  \
    inline const char *kiln_type_name(const Type *) { return #Type; }                                                  \
    inline const char *const *kiln_member_names(const Type *)                                                          \
    {                                                                                                                  \
        static const char *const names[] = {KILN_EACH(KILN_QUOTED, __VA_ARGS__)};                                      \
        return names;                                                                                                  \
    }                                                                                                                  \
    static_assert(true, "")
#define KILN_MEMBER(m) x.m
#define KILN_QUOTED(m) #m
#define KILN_EACH(m, ...)                                                                                              \
    KILN_NTH(__VA_ARGS__, KILN_E16, KILN_E15, KILN_E14, KILN_E13, KILN_E12, KILN_E11, KILN_E10, KILN_E9, KILN_E8,      \
             KILN_E7, KILN_E6, KILN_E5, KILN_E4, KILN_E3, KILN_E2, KILN_E1, )(m, __VA_ARGS__)
#define KILN_NTH(a, b, c, d, e, f, g, h, i, j, k, l, n, o, p, q, x, ...) x
#define KILN_E1(m, a) m(a)
#define KILN_E2(m, a, ...) m(a), KILN_E1(m, __VA_ARGS__)
#define KILN_E3(m, a, ...) m(a), KILN_E2(m, __VA_ARGS__)
#define KILN_E4(m, a, ...) m(a), KILN_E3(m, __VA_ARGS__)
#define KILN_E5(m, a, ...) m(a), KILN_E4(m, __VA_ARGS__)
#define KILN_E6(m, a, ...) m(a), KILN_E5(m, __VA_ARGS__)
#define KILN_E7(m, a, ...) m(a), KILN_E6(m, __VA_ARGS__)
#define KILN_E8(m, a, ...) m(a), KILN_E7(m, __VA_ARGS__)
#define KILN_E9(m, a, ...) m(a), KILN_E8(m, __VA_ARGS__)
#define KILN_E10(m, a, ...) m(a), KILN_E9(m, __VA_ARGS__)
#define KILN_E11(m, a, ...) m(a), KILN_E10(m, __VA_ARGS__)
#define KILN_E12(m, a, ...) m(a), KILN_E11(m, __VA_ARGS__)
#define KILN_E13(m, a, ...) m(a), KILN_E12(m, __VA_ARGS__)
#define KILN_E14(m, a, ...) m(a), KILN_E13(m, __VA_ARGS__)
#define KILN_E15(m, a, ...) m(a), KILN_E14(m, __VA_ARGS__)
#define KILN_E16(m, a, ...) m(a), KILN_E15(m, __VA_ARGS__)
#endif
