/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/index.hpp -- what stands between the parentheses of x(...): integers, slice(), ellipsis, newaxis, arrays. */
#ifndef KILN_CPP_INDEX_HPP
#define KILN_CPP_INDEX_HPP
#include "kiln/cpp/values.hpp"

namespace kiln {

struct ellipsis_t { explicit constexpr ellipsis_t(int) {} };
inline constexpr ellipsis_t ellipsis{0};
inline constexpr none_t newaxis{0};

/* A bound of a slice: a number, a scalar array, or nothing: {} or none. */
class bound {
  public:
    bound() = default;
    bound(none_t) {}
    template <class T, detail::if_integer<T> = 0> bound(T v) : kind_(1), value_(static_cast<int64_t>(v)) {}
    bound(const array &x) : kind_(2), array_(&x) {}
    inline void put(std::string &text, std::vector<kn_index_arg> &args) const;

  private:
    int kind_ = 0;
    int64_t value_ = 0;
    const array *array_ = nullptr;
};
/* start:stop:step of Python: slice(1, {}) is 1:, slice({}, {}, -1) is ::-1, slice() is : */
struct slice {
    slice(bound start_ = {}, bound stop_ = {}, bound step_ = {}) : start(start_), stop(stop_), step(step_) {}
    bound start, stop, step;
};

namespace detail {

/* The index in Kiln's words: a text, and what its % stand for. */
struct index_words {
    std::string text;
    std::vector<kn_index_arg> args;
    void comma()
    {
        if (!text.empty())
            text += ", ";
    }
    void integer(int64_t i)
    {
        comma();
        text += '%';
        kn_index_arg a = {};
        a.kind = KN_ARG_INT;
        a.integer = i;
        args.push_back(a);
    }
    void put(const slice &s)
    {
        comma();
        s.start.put(text, args);
        text += ':';
        s.stop.put(text, args);
        text += ':';
        s.step.put(text, args);
    }
    void put(ellipsis_t)
    {
        comma();
        text += "...";
    }
    void put(none_t)
    {
        comma();
        text += "None";
    }
    void put(const char *s)
    {
        comma();
        text += s;
    }
    void put(bool b)
    {
        integer(b);
        args.back().kind = KN_ARG_BOOL;
    }
    inline void put(const array &x);
};

/* One of those that make a view: no array. */
class basic {
  public:
    template <class T, if_integer<T> = 0> basic(T i) : kind_(0), integer_(static_cast<int64_t>(i))
    {
        static_assert(!std::is_same<T, bool>::value, "a bool is a mask");
    }
    basic(const slice &s) : kind_(1), slice_(s) {}
    basic(ellipsis_t) : kind_(2) {}
    basic(none_t) : kind_(3) {}
    void put(index_words &w) const
    {
        switch (kind_) {
        case 0: return w.integer(integer_);
        case 1: return w.put(slice_);
        case 2: return w.put(ellipsis);
        default: return w.put(none);
        }
    }

  private:
    int kind_;
    int64_t integer_ = 0;
    slice slice_;
};
template <class T> void put_any(index_words &w, const T &x)
{
    if constexpr (std::is_same<T, bool>::value || std::is_same<T, array>::value)
        w.put(x);
    else
        basic(x).put(w);
}
template <class T> constexpr bool is_mask = std::is_same<T, bool>::value || std::is_same<T, array>::value;

/* x[...] with one thing between the brackets: Python's index as a text, or what x(...) takes. */
class subscript {
  public:
    subscript(const char *s, place p = here()) : at(p) { words.put(s); }
    subscript(const std::string &s, place p = here()) : at(p) { words.put(s.c_str()); }
    template <class T, if_integer<T> = 0> subscript(T i, place p = here()) : at(p) { basic(i).put(words); }
    subscript(const slice &s, place p = here()) : at(p) { words.put(s); }
    subscript(ellipsis_t e, place p = here()) : at(p) { words.put(e); }
    subscript(none_t n, place p = here()) : at(p) { words.put(n); }
    index_words words;
    place at;
};
/* ... an array of positions or a mask. */
class array_subscript {
  public:
    array_subscript(const array &x, place p = here()) : mask(&x), at(p) {}
    const array *mask;
    place at;
};

} // namespace detail
} // namespace kiln
#include "kiln/cpp/array.hpp" /* bounds and masks are arrays */
#endif
