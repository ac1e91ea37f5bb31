/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/array.hpp -- the class array: making, looking at, indexing, writing.
 *
 * An array is a handle with owners: a copy is another name of the same array, as in Python, so writing through one (x += 1,
 * x(0) = 2) is seen through the other. `x = y` lets x be y. */
#ifndef KILN_CPP_ARRAY_HPP
#define KILN_CPP_ARRAY_HPP
#include "kiln/cpp/index.hpp"
#include "kiln/cpp/methods/forward.hpp"
#include <iosfwd>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace kiln {

/* A number or a list of them in braces: array{{1, 2}, {3, 4}}. */
class braced {
  public:
    template <class T, detail::if_number<T> = 0>
    braced(T v) : id_(std::is_integral<T>::value && !std::is_same<T, bool>::value ? 4 : detail::type_id<T>()),
                re_(static_cast<double>(v)), integer_(static_cast<int64_t>(v))
    {
    }
    template <class T, detail::if_complex<T> = 0>
    braced(const T &z) : id_(detail::type_id<T>()), re_(static_cast<double>(z.real())),
                       im_(static_cast<double>(z.imag()))
    {
    }
    braced(std::initializer_list<braced> items) : is_list_(true), items_(items) {}

  private:
    friend class array;
    int id_ = 0;
    bool is_list_ = false;
    double re_ = 0, im_ = 0;
    int64_t integer_ = 0;
    std::vector<braced> items_;
};

class array {
  public:
    array() noexcept = default; /* no array: an option that is not given */
    array(const array &) = default;
    array(array &&) noexcept = default;
    ~array() = default;
    array &operator=(const array &other) & = default;
    array &operator=(array &&other) & noexcept = default;

    /* A number of C++: weak, it takes the dtype of what it meets. */
    template <class T, detail::if_number<T> = 0> array(T v) { *this = weak(number(v)); }
    template <class T, detail::if_complex<T> = 0> array(const T &z) { *this = weak(number(z)); }
    /* Numbers in braces, with NumPy's dtypes: integers are int64, 1.0 is float64, 1.0f is float32. */
    array(std::initializer_list<braced> items, ::kiln::dtype d = {}, place where = here())
    {
        *this = of_items(braced(items), d, where);
    }
    /* A copy of memory: std::vector, std::array, std::span of bool, integers, floating or complex numbers. */
    template <class C, class T = std::remove_const_t<std::remove_pointer_t<decltype(std::declval<const C &>().data())>>,
              detail::if_element<T> = 0>
    explicit array(const C &from, place where = here())
    {
        *this = copy_of(from.data(), ::kiln::shape(from.size()), where);
    }
    template <class C, class T = std::remove_const_t<std::remove_pointer_t<decltype(std::declval<const C &>().data())>>,
              detail::if_element<T> = 0>
    array(const C &from, const ::kiln::shape &s, place where = here())
    {
        int64_t n = 1;
        for (int64_t extent : s)
            n *= extent;
        if (n != static_cast<int64_t>(from.size()))
            detail::refuse(KN_ERROR_VALUE, "ValueError", "the memory has another number of elements than the shape", where);
        *this = copy_of(from.data(), s, where);
    }
    /* A copy of the elements between two iterators. */
    template <class It, class T = typename std::iterator_traits<It>::value_type, detail::if_element<T> = 0>
    array(It first, It last, place where = here())
    {
        if constexpr (std::is_same<T, bool>::value) {
            std::vector<unsigned char> v(first, last);
            detail::call c(where);
            ::kiln::shape s(v.size());
            c.here();
            *this = share(c.take(kn_from_memory(v.data(), &s, kn_dtype_builtin(0))));
        } else {
            std::vector<T> v(first, last);
            *this = copy_of(v.data(), ::kiln::shape(v.size()), where);
        }
    }
    template <class T> static array from(const T *data, const ::kiln::shape &s, place where = here())
    {
        return copy_of(data, s, where);
    }

    /* ---- Handles of C. */
    kn_array c() const noexcept { return h_.get(); } /* lives as long as this object */
    static array share(kn_array handle) /* one more owner */
    {
        array x;
        x.h_ = detail::owned<kn_array>::share(handle);
        return x;
    }
    explicit operator bool() const { return item<bool>(); } /* the truth value of the one element */
    bool given() const noexcept { return h_.get() != nullptr; }
    bool is_number() const noexcept { return is_number_; } /* of C++: weak, and a value that += does not write to */

    /* ---- What it is. */
    int ndim(place where = here()) const { return ask(kn_ndim, where); }
    int64_t size(place where = here()) const { return ask(kn_size, where); }
    int64_t itemsize(place where = here()) const { return ask(kn_itemsize, where); }
    int64_t nbytes(place where = here()) const { return ask(kn_nbytes, where); }
    ::kiln::shape shape(place where = here()) const { return ask(kn_shape_of, where); }
    ::kiln::dtype dtype(place where = here()) const { return ask(kn_dtype_of, where); }
    int64_t len(place where = here()) const /* the first extent */
    {
        detail::call c(where);
        c.here();
        return c.value(kn_dim(h_.get(), 0));
    }

    /* ---- Looking at values. */
    template <class T> T item(place where = here()) const { return element<T>(nullptr, where); }
    /* x.item<double>({1, 2}): one index counts in the flattened array. */
    template <class T> T item(const ::kiln::shape &index, place where = here()) const
    {
        return element<T>(&index, where);
    }
    template <class T, detail::if_number<T> = 0> explicit operator T() const { return item<T>(); }
    /* The elements, in C order; TypeError if they are of another type. Valid while the array is, and until the next write. */
    template <class T> const T *data(place where = here()) const
    {
        ::kiln::dtype d = dtype_of<T>();
        detail::call c(where);
        c.here();
        return static_cast<const T *>(c.value(kn_data_bytes(h_.get(), d)));
    }
#if __cplusplus >= 202002L
    template <class T> std::span<const T> span(place where = here()) const
    {
        const T *p = data<T>(where);
        return {p, static_cast<size_t>(size(where))};
    }
#endif
    /* The elements in C order, converted to T. */
    template <class T> std::vector<T> to_vector(place where = here()) const
    {
        static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no elements in memory: to_vector<char>()");
        ::kiln::dtype d = dtype_of<T>();
        detail::call c(where);
        c.here();
        kn_array converted = c.take(kn_astype(h_.get(), d, nullptr));
        std::vector<T> v(static_cast<size_t>(kn_size(converted)));
        c.here();
        kn_copy_to(converted, v.data(), v.size() * sizeof(T));
        detail::check();
        return v;
    }
    void eval(place where = here()) const
    {
        detail::call c(where);
        c.here();
        kn_eval(h_.get());
        detail::check();
    }
    std::string str(place where = here()) const { return words(kn_array_str, where); } /* as NumPy's str and repr */
    std::string repr(place where = here()) const { return words(kn_repr, where); }

    /* ---- Indexing: a view, or the elements that an array of positions or a mask takes. */
    array operator()(const detail::basic &a, place p = here()) const { return view(p, a); }
    array operator()(const detail::basic &a, const detail::basic &b, place p = here()) const { return view(p, a, b); }
    array operator()(const detail::basic &a, const detail::basic &b, const detail::basic &c, place p = here()) const
    {
        return view(p, a, b, c);
    }
    array operator()(const detail::basic &a, const detail::basic &b, const detail::basic &c, const detail::basic &d,
                     place p = here()) const
    {
        return view(p, a, b, c, d);
    }
    array operator()(const detail::basic &a, const detail::basic &b, const detail::basic &c, const detail::basic &d,
                     const detail::basic &e, place p = here()) const
    {
        return view(p, a, b, c, d, e);
    }
    template <class A, std::enable_if_t<detail::is_mask<A>, int> = 0>
    selection operator()(const A &a, place p = here()) const;
    template <class A, class B, std::enable_if_t<detail::is_mask<A> || detail::is_mask<B>, int> = 0>
    selection operator()(const A &a, const B &b, place p = here()) const;
    template <class A, class B, class C,
              std::enable_if_t<detail::is_mask<A> || detail::is_mask<B> || detail::is_mask<C>, int> = 0>
    selection operator()(const A &a, const B &b, const C &c, place p = here()) const;
    template <class A, class B, class C, class D,
              std::enable_if_t<detail::is_mask<A> || detail::is_mask<B> || detail::is_mask<C> || detail::is_mask<D>, int> = 0>
    selection operator()(const A &a, const B &b, const C &c, const D &d, place p = here()) const;
    array operator[](const detail::subscript &s) const { return at(s.words, s.at); }
    inline selection operator[](const detail::array_subscript &s) const;

    /* ---- Writing: into the elements, so everyone who has the array or a view of it sees it. */
    void operator=(const placed &v) && { write(kn_set_at, v); } /* x(0) = v */
    void set(const placed &v) const { write(kn_set_at, v); }    /* x[...] = v */
    /* A number of C++ is a value, as in Python: `array sum = 0; sum += x;` lets sum be another array. */
#define KILN_IN_PLACE(op, f, g)                                                                                        \
    array &operator op(const placed &v) &                                                                              \
    {                                                                                                                  \
        if (is_number_)                                                                                                \
            *this = joined(g, v);                                                                                      \
        else                                                                                                           \
            in_place(f, v);                                                                                            \
        return *this;                                                                                                  \
    }                                                                                                                  \
    const array &operator op(const placed &v) const &                                                                  \
    {                                                                                                                  \
        in_place(f, v);                                                                                                \
        return *this;                                                                                                  \
    }                                                                                                                  \
    void operator op(const placed &v) && { in_place(f, v); }
    KILN_IN_PLACE(+=, kn_iadd, kn_add)
    KILN_IN_PLACE(-=, kn_isub, kn_subtract)
    KILN_IN_PLACE(*=, kn_imul, kn_multiply)
    KILN_IN_PLACE(/=, kn_idiv, kn_divide)
    KILN_IN_PLACE(%=, kn_imod, kn_remainder)
    KILN_IN_PLACE(&=, kn_iand, kn_bitwise_and)
    KILN_IN_PLACE(|=, kn_ior, kn_bitwise_or)
    KILN_IN_PLACE(^=, kn_ixor, kn_bitwise_xor)
    KILN_IN_PLACE(<<=, kn_ilshift, kn_left_shift)
    KILN_IN_PLACE(>>=, kn_irshift, kn_right_shift)
#undef KILN_IN_PLACE

    /* ---- Along the first axis: for (array row : x). */
    class iterator {
      public:
        iterator(const array *x, int64_t i) : x_(x), i_(i) {}
        array operator*() const { return (*x_)(i_); }
        iterator &operator++()
        {
            ++i_;
            return *this;
        }
        bool operator!=(const iterator &other) const { return i_ != other.i_; }
        bool operator==(const iterator &other) const { return i_ == other.i_; }

      private:
        const array *x_;
        int64_t i_;
    };
    iterator begin() const { return {this, 0}; }
    iterator end() const { return {this, len()}; }

    array T(place where = here()) const
    {
        detail::call c(where);
        c.here();
        return share(c.take(kn_transpose(h_.get(), nullptr)));
    }
    /* ---- NumPy's methods: each is the function of its name, which tells what it does. */
#include "kiln/cpp/methods/declare.hpp"

  private:
    friend class selection;
    static array weak(const number &n)
    {
        detail::call c(place("", 0, ""));
        array x = share(c.take(n.c()));
        x.is_number_ = true;
        return x;
    }
    template <class T> static array copy_of(const T *data, const ::kiln::shape &s, place where)
    {
        ::kiln::dtype d = dtype_of<T>();
        detail::call c(where);
        c.here();
        return share(c.take(kn_from_memory(data, &s, d)));
    }
    static inline array of_items(const braced &list, ::kiln::dtype d, place where);
    template <class R> R ask(R (*f)(kn_array), place where) const
    {
        detail::call c(where);
        c.here();
        return c.value(f(h_.get()));
    }
    template <class F> std::string words(F f, place where) const
    {
        detail::call c(where);
        c.here();
        return c.text(f(h_.get(), nullptr));
    }
    template <class T> T element(const ::kiln::shape *i, place where) const
    {
        detail::call c(where);
        c.here();
        if constexpr (std::is_same<T, bool>::value)
            return c.value(i ? kn_item_bool_at(h_.get(), i) : kn_item_bool(h_.get()));
        else if constexpr (std::is_integral<T>::value)
            return static_cast<T>(c.value(i ? kn_item_int_at(h_.get(), i) : kn_item_int(h_.get())));
        else if constexpr (std::is_floating_point<T>::value)
            return static_cast<T>(c.value(i ? kn_item_at(h_.get(), i) : kn_item(h_.get())));
        else {
            static_assert(detail::complex_parts<T>::size != 0, "item<T>: T is a number");
            using part = typename T::value_type;
            kn_c128 z = c.value(i ? kn_item_complex_at(h_.get(), i) : kn_item_complex(h_.get()));
            return T(static_cast<part>(z.re), static_cast<part>(z.im));
        }
    }
    /* Integers alone would be a scalar, a copy; with an ellipsis they are a view of one element. */
    array at(detail::index_words w, place where) const
    {
        if (w.text.find("...") == std::string::npos)
            w.put(ellipsis);
        detail::call c(where);
        c.here();
        return share(c.take(kn_at(h_.get(), w.text.c_str(), static_cast<int>(w.args.size()), w.args.data())));
    }
    template <class... I> array view(place where, const I &...i) const
    {
        detail::index_words w;
        (i.put(w), ...);
        return at(std::move(w), where);
    }
    template <class F> void write(F f, const placed &v) const
    {
        detail::call c(v.at);
        kn_array value = v.c();
        c.here();
        f(h_.get(), value, "...", 0, nullptr);
        detail::check();
    }
    template <class F> void in_place(F f, const placed &v) const
    {
        detail::call c(v.at);
        kn_array value = v.c();
        c.here();
        f(h_.get(), value);
        detail::check();
    }

    template <class F> array joined(F f, const placed &v) const
    {
        detail::call c(v.at);
        kn_array value = v.c();
        c.here();
        array x = share(c.take(f(h_.get(), value)));
        x.is_number_ = v.is_number();
        return x;
    }

    detail::owned<kn_array> h_;
    bool is_number_ = false; /* of C++ */
};

/* x(mask), x(rows, 0): elements that can be written to, x(mask) = 0, or taken: array y = x(mask). It is used where it is
 * made; what it names lives only that long. */
class selection {
  public:
    selection(const array &x, detail::index_words words, place where) : x_(x), words_(std::move(words)), at_(where) {}
    selection(const selection &) = delete;
    selection &operator=(const selection &) = delete;
    operator array() const { return get(); }
    array get() const { return x_.at(words_, at_); }
    kn_array c() const /* of the scope */
    {
        kn_here(detail::lasting(at_));
        return kn_at(x_.c(), words_.text.c_str(), static_cast<int>(words_.args.size()), words_.args.data());
    }
    void operator=(const placed &v) && { write(kn_set_at, v); }
#define KILN_IN_PLACE(op, f) void operator op(const placed &v) && { write(f, v); }
    KILN_IN_PLACE(+=, kn_iadd_at)
    KILN_IN_PLACE(-=, kn_isub_at)
    KILN_IN_PLACE(*=, kn_imul_at)
    KILN_IN_PLACE(/=, kn_idiv_at)
    KILN_IN_PLACE(%=, kn_imod_at)
    KILN_IN_PLACE(&=, kn_iand_at)
    KILN_IN_PLACE(|=, kn_ior_at)
    KILN_IN_PLACE(^=, kn_ixor_at)
    KILN_IN_PLACE(<<=, kn_ilshift_at)
    KILN_IN_PLACE(>>=, kn_irshift_at)
#undef KILN_IN_PLACE

  private:
    template <class F> void write(F f, const placed &v) const
    {
        detail::call c(v.at);
        kn_array value = v.c();
        c.here();
        f(x_.c(), value, words_.text.c_str(), static_cast<int>(words_.args.size()), words_.args.data());
        detail::check();
    }
    array x_;
    detail::index_words words_;
    place at_;
};

namespace detail {
template <class... I> selection select(const array &x, place where, const I &...i)
{
    index_words w;
    (put_any(w, i), ...);
    return {x, std::move(w), where};
}
inline void index_words::put(const array &x)
{
    comma();
    text += '%';
    kn_index_arg a = {};
    a.kind = KN_ARG_ARRAY;
    a.array = x.c();
    args.push_back(a);
}
} // namespace detail

template <class A, std::enable_if_t<detail::is_mask<A>, int>> selection array::operator()(const A &a, place p) const
{
    return detail::select(*this, p, a);
}
template <class A, class B, std::enable_if_t<detail::is_mask<A> || detail::is_mask<B>, int>>
selection array::operator()(const A &a, const B &b, place p) const
{
    return detail::select(*this, p, a, b);
}
template <class A, class B, class C,
          std::enable_if_t<detail::is_mask<A> || detail::is_mask<B> || detail::is_mask<C>, int>>
selection array::operator()(const A &a, const B &b, const C &c, place p) const
{
    return detail::select(*this, p, a, b, c);
}
template <class A, class B, class C, class D,
          std::enable_if_t<detail::is_mask<A> || detail::is_mask<B> || detail::is_mask<C> || detail::is_mask<D>, int>>
selection array::operator()(const A &a, const B &b, const C &c, const D &d, place p) const
{
    return detail::select(*this, p, a, b, c, d);
}
inline selection array::operator[](const detail::array_subscript &s) const
{
    return detail::select(*this, s.at, *s.mask);
}

inline kn_array operand::c() const
{
    return is_number_ ? number_.c() : array_ ? array_->c() : selection_ ? selection_->c() : nullptr;
}
inline bool operand::is_number() const noexcept { return array_ ? array_->is_number() : is_number_; }
inline void bound::put(std::string &text, std::vector<kn_index_arg> &args) const
{
    if (kind_ == 0)
        return;
    text += '%';
    kn_index_arg a = {};
    a.kind = kind_ == 1 ? KN_ARG_INT : KN_ARG_ARRAY;
    a.integer = value_;
    a.array = array_ ? array_->c() : nullptr;
    args.push_back(a);
}

/* A strong scalar: of the dtype of the C++ type. */
template <class T> array scalar(T v, place where = here())
{
    return array::from(&v, shape(), where);
}

/* The list in braces: its shape, then its numbers in order, in the dtype that all of them have. */
inline array array::of_items(const braced &list, ::kiln::dtype d, place where)
{
    ::kiln::shape s;
    for (const braced *i = &list; i->is_list_; i = i->items_.data()) {
        if (s.ndim == KN_MAX_NDIM)
            detail::refuse(KN_ERROR_VALUE, "ValueError", "array: too many braces", where);
        s.dim[s.ndim++] = static_cast<int64_t>(i->items_.size());
        if (i->items_.empty())
            break;
    }
    struct {
        int depth, id = -1;
        std::vector<kn_c128> numbers;
        std::vector<int64_t> integers;
        const ::kiln::shape *s;
        bool walk(const braced &i, int level)
        {
            if (i.is_list_ != (level < s->ndim))
                return false;
            if (!i.is_list_) {
                kn_c128 z = {i.re_, i.im_};
                numbers.push_back(z);
                integers.push_back(i.integer_);
                id = id < 0 || id == i.id_ ? i.id_ : joined(id, i.id_);
                return true;
            }
            if (static_cast<int64_t>(i.items_.size()) != s->dim[level])
                return false;
            for (const braced &x : i.items_)
                if (!walk(x, level + 1))
                    return false;
            return true;
        }
        static int joined(int a, int b) /* of bool, int64, float32, float64, complex64, complex128 */
        {
            int low = a < b ? a : b, high = a < b ? b : a;
            if ((low == 4 && high == 11) || (low == 12 && high == 13))
                return low == 4 ? 12 : 14;
            return low == 4 && high == 13 ? 14 : high;
        }
    } w = {0, -1, {}, {}, &s};
    if (!w.walk(list, 0))
        detail::refuse(KN_ERROR_VALUE, "ValueError", "array: the lists in braces do not have one shape", where);
    detail::call c(where);
    bool whole = w.id == 0 || w.id == 4;
    c.here();
    kn_array x = c.take(whole ? kn_from_memory(w.integers.data(), &s, kn_dtype_builtin(4))
                              : kn_from_memory(w.numbers.data(), &s, kn_dtype_builtin(14)));
    int id = w.id < 0 ? 12 : w.id;
    if (!whole && id < 13)
        x = c.take(kn_real(x));
    ::kiln::dtype to = d == ::kiln::dtype() ? ::kiln::dtype(dtype_id{id}) : d;
    c.here();
    return share(c.take(kn_copy(c.take(kn_astype(x, to, nullptr)), nullptr)));
}

/* ---- Operators. == and its kin compare elements; && and || are those of C++, of truth values. */
namespace detail {
template <class F> array binary(F f, const placed &a, const placed &b)
{
    call c(a.at);
    kn_array x = a.c(), y = b.c();
    c.here();
    return array::share(c.take(f(x, y)));
}
template <class F> array unary(F f, const placed &a)
{
    call c(a.at);
    kn_array x = a.c();
    c.here();
    return array::share(c.take(f(x)));
}
} // namespace detail
#define KILN_BINARY(op, f)                                                                                             \
    inline array operator op(const placed &a, const placed &b) { return detail::binary(f, a, b); }
KILN_BINARY(+, kn_add)
KILN_BINARY(-, kn_subtract)
KILN_BINARY(*, kn_multiply)
KILN_BINARY(/, kn_divide)
KILN_BINARY(%, kn_remainder)
KILN_BINARY(&, kn_bitwise_and)
KILN_BINARY(|, kn_bitwise_or)
KILN_BINARY(^, kn_bitwise_xor)
KILN_BINARY(<<, kn_left_shift)
KILN_BINARY(>>, kn_right_shift)
KILN_BINARY(==, kn_equal)
KILN_BINARY(!=, kn_not_equal)
KILN_BINARY(<, kn_less)
KILN_BINARY(<=, kn_less_equal)
KILN_BINARY(>, kn_greater)
KILN_BINARY(>=, kn_greater_equal)
#undef KILN_BINARY
inline array operator-(const placed &a) { return detail::unary(kn_negative, a); }
inline array operator+(const placed &a) { return detail::unary(kn_positive, a); }
inline array operator~(const placed &a) { return detail::unary(kn_invert, a); }

/* As NumPy's print. */
template <class Char, class Traits>
std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &out, const array &x)
{
    return out << x.str();
}

} // namespace kiln
#endif
