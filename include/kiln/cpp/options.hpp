/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/options.hpp -- what the functions that are made of descriptions need: options with setters, lists of arrays, results. */
#ifndef KILN_CPP_OPTIONS_HPP
#define KILN_CPP_OPTIONS_HPP
#include "kiln/cpp/callables.hpp"

/* A member of an options struct, {.axis = 1} in C++20, and its setter, sum_opts().with_axis(1) in C++17. */
#define KILN_STRIP(...) __VA_ARGS__
#define KILN_OPTION(type, name, initial)                                                                               \
    KILN_STRIP type name = initial;                                                                                    \
    auto &with_##name(KILN_STRIP type v)                                                                               \
    {                                                                                                                  \
        name = std::move(v);                                                                                           \
        return *this;                                                                                                  \
    }

namespace kiln {

/* Several arrays or numbers as one argument: {x, 1, y}, a vector of arrays. They live as long as the call. */
class operands {
  public:
    operands() = default;
    operands(std::initializer_list<operand> list) : list_(list) {}
    operands(const std::vector<array> &list) : list_(list.begin(), list.end()) {}
    size_t size() const noexcept { return list_.size(); }
    std::vector<kn_array> handles() const
    {
        std::vector<kn_array> h;
        h.reserve(list_.size() + 1);
        for (const operand &x : list_)
            h.push_back(x.c());
        return h;
    }
    kn_list list() const
    {
        std::vector<kn_array> h = handles();
        return kn_list_from(h.data(), static_cast<int>(h.size()));
    }

    kn_list c() const { return list(); }

  private:
    std::vector<operand> list_;
};

/* An axis of mgrid and ogrid: start:stop:step, or `num` samples with both ends. */
struct grid {
    grid(const operand &start_, const operand &stop_, const operand &step_ = 1, int64_t num_ = -1)
        : start(start_), stop(stop_), step(num_ < 0 ? step_ : none), num(num_)
    {
    }
    kn_slice c() const { return kn_slice{start.c(), stop.c(), step.c(), num}; }
    operand start, stop, step;
    int64_t num;
};

/* A dtype, its name, or an array that has it. */
class dtype_like {
  public:
    dtype_like(const dtype &d) : dtype_(d) {}
    dtype_like(dtype_id d) : dtype_(d) {}
    dtype_like(const char *s) : text_(s) {}
    dtype_like(const std::string &s) : text_(s.c_str()) {}
    dtype_like(const array &x) : array_(x), is_array_(true) {}
    template <class T, detail::if_number<T> = 0> dtype_like(T v) : array_(v), is_array_(true) {}
    kn_dtype_like c() const
    {
        kn_dtype_like d = {};
        d.dtype = dtype_;
        d.text = text_;
        d.array = is_array_ ? array_.c() : nullptr;
        return d;
    }

  private:
    dtype dtype_;
    const char *text_ = nullptr;
    operand array_ = none;
    bool is_array_ = false;
};

namespace detail {
inline kn_array c_of(const array &v) { return v.c(); }
inline kn_tree c_of(const pytree &v) { return v.c(); }
inline kn_fn c_of(const fn &v) { return v.c(); }
inline kn_list c_of(const std::vector<array> &v) { return v.empty() ? nullptr : operands(v).list(); }
template <class To, class T> std::vector<To> all_of(const std::vector<T> &list)
{
    std::vector<To> v;
    v.reserve(list.size() + 1);
    for (const T &x : list)
        v.push_back(x.c());
    return v;
}
inline std::string text_of(const char *s) { return s ? s : ""; }
inline std::vector<array> arrays_of(kn_list list)
{
    std::vector<array> v;
    for (int i = 0, n = list ? kn_list_count(list) : 0; i < n; i++)
        v.push_back(array::share(kn_list_get(list, i)));
    return v;
}
/* Where C puts an array that the caller wants, too. */
class out_array {
  public:
    explicit out_array(array *to) : to_(to) {}
    out_array(const out_array &) = delete;
    ~out_array()
    {
        if (to_ && h_)
            *to_ = array::share(h_);
    }
    kn_array *c() { return to_ ? &h_ : nullptr; }

  private:
    array *to_;
    kn_array h_ = nullptr;
};
} // namespace detail
} // namespace kiln
#endif
