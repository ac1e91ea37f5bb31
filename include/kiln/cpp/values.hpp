/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/values.hpp -- plain values of the C++ interface: dtypes, shapes, axes, numbers, and the small structures that functions of
 * jax.lax take. */
#ifndef KILN_CPP_VALUES_HPP
#define KILN_CPP_VALUES_HPP
#include "kiln/cpp/base.hpp"
#include <initializer_list>
#include <type_traits>

namespace kiln {

class array;
class selection;
class operands;

/* Python's None, where an argument or an option may be that: axis = none, x(none) is a new axis. */
struct none_t { explicit constexpr none_t(int) {} };
inline constexpr none_t none{0};

/* ---- dtypes. float32 and its kin are constants; dtype_of<float>() is that of a C++ type. */
struct dtype_id {
    int id;
};
inline constexpr dtype_id bool_{0}, int8{1}, int16{2}, int32{3}, int64{4}, uint8{5}, uint16{6}, uint32{7}, uint64{8},
    float16{9}, bfloat16{10}, float32{11}, float64{12}, complex64{13}, complex128{14}, key{15};

class dtype {
  public:
    dtype() noexcept = default; /* not given */
    dtype(kn_dtype d) noexcept : d_(d) {}
    dtype(dtype_id d) : d_(kn_dtype_builtin(d.id)) {}
    operator kn_dtype() const noexcept { return d_; }
    std::string name() const { return d_ ? kn_dtype_name(d_) : "None"; }
    size_t itemsize() const { return kn_dtype_size(d_); }
    char kind() const { return kn_dtype_kind(d_); } /* b i u f c k */
    friend bool operator==(const dtype &a, const dtype &b) noexcept { return a.d_ == b.d_; }
    friend bool operator!=(const dtype &a, const dtype &b) noexcept { return a.d_ != b.d_; }

  private:
    kn_dtype d_ = nullptr;
};

namespace detail {
/* The number of the dtype of a C++ type; -1: it has none. Complex numbers are told by their size: two floating parts. */
template <class T, class = void> struct complex_parts { static constexpr size_t size = 0; };
template <class T>
struct complex_parts<T, std::enable_if_t<std::is_floating_point<typename T::value_type>::value &&
                                         sizeof(std::declval<const T &>().imag()) == sizeof(typename T::value_type)>> {
    static constexpr size_t size = sizeof(typename T::value_type);
};
template <class T> constexpr int type_id()
{
    if constexpr (std::is_same<T, bool>::value)
        return 0;
    else if constexpr (std::is_integral<T>::value)
        return (std::is_signed<T>::value ? 1 : 5) +
               (sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3);
    else if constexpr (std::is_same<T, float>::value)
        return 11;
    else if constexpr (std::is_same<T, double>::value)
        return 12;
    else if constexpr (std::is_same<T, kn_c64>::value || complex_parts<T>::size == sizeof(float))
        return 13;
    else if constexpr (std::is_same<T, kn_c128>::value || complex_parts<T>::size == sizeof(double))
        return 14;
    else
        return -1;
}
template <class T> using if_number = std::enable_if_t<std::is_arithmetic<T>::value, int>;
template <class T> using if_integer = std::enable_if_t<std::is_integral<T>::value, int>;
template <class T> using if_complex = std::enable_if_t<complex_parts<T>::size != 0, int>;
template <class T> using if_element = std::enable_if_t<type_id<T>() >= 0, int>;
} // namespace detail

template <class T> dtype dtype_of()
{
    static_assert(detail::type_id<T>() >= 0, "this C++ type is no dtype: bool, integers, float, double, std::complex");
    return dtype(dtype_id{detail::type_id<T>()});
}

/* ---- Shapes: {2, 3}, 5, a vector of extents. */
struct extent {
    int64_t value;
    template <class T, detail::if_integer<T> = 0> constexpr extent(T v) : value(static_cast<int64_t>(v)) {}
};
class shape : public kn_shape {
  public:
    shape() : kn_shape() {}
    shape(const kn_shape &s) : kn_shape(s) {}
    template <class T, detail::if_integer<T> = 0> shape(T length) : kn_shape()
    {
        ndim = 1;
        dim[0] = static_cast<int64_t>(length);
    }
    shape(std::initializer_list<extent> extents) : kn_shape() { fill(extents.begin(), extents.size()); }
    template <class T, detail::if_integer<T> = 0> shape(const std::vector<T> &extents) : kn_shape()
    {
        fill(extents.data(), extents.size());
    }
    size_t size() const noexcept { return ndim > 0 ? static_cast<size_t>(ndim) : 0; }
    const int64_t *begin() const noexcept { return dim; }
    const int64_t *end() const noexcept { return dim + size(); }
    int64_t operator[](size_t i) const noexcept { return dim[i]; }
    friend bool operator==(const shape &a, const shape &b) noexcept
    {
        return a.ndim == b.ndim && std::memcmp(a.dim, b.dim, a.size() * sizeof *a.dim) == 0;
    }
    friend bool operator!=(const shape &a, const shape &b) noexcept { return !(a == b); }

  private:
    static int64_t number(const extent &e) { return e.value; }
    template <class T> static int64_t number(const T &e) { return static_cast<int64_t>(e); }
    template <class T> void fill(const T *v, size_t n)
    {
        if (n > KN_MAX_NDIM)
            detail::refuse(KN_ERROR_VALUE, "ValueError", "a shape has at most 64 extents", place("", 0, ""));
        ndim = static_cast<int>(n);
        for (size_t i = 0; i < n; i++)
            dim[i] = number(v[i]);
    }
};

/* A shape as an option: empty if it is not given. */
class optional_shape {
  public:
    optional_shape() = default;
    optional_shape(const shape &s) : given_(true), shape_(s) {}
    optional_shape(std::initializer_list<extent> extents) : given_(true), shape_(extents) {}
    template <class T, detail::if_integer<T> = 0> optional_shape(T length) : given_(true), shape_(length) {}
    const kn_shape *c() const noexcept { return given_ ? &shape_ : nullptr; }

  private:
    bool given_ = false;
    shape shape_;
};

/* ---- Axes: 1, {0, 1}, none; empty if they are not given. */
class axes : public kn_axes {
  public:
    axes() : kn_axes() {}
    axes(const kn_axes &a) : kn_axes(a) {}
    axes(none_t) : kn_axes() { n = -1; }
    axes(int axis_number) : axes({axis_number}) {}
    axes(std::initializer_list<int> numbers) : kn_axes() { fill(numbers.begin(), numbers.size()); }
    axes(const std::vector<int> &numbers) : kn_axes() { fill(numbers.data(), numbers.size()); }

  private:
    void fill(const int *v, size_t count)
    {
        if (count > KN_MAX_NDIM)
            detail::refuse(KN_ERROR_VALUE, "ValueError", "there are at most 64 axes", place("", 0, ""));
        n = static_cast<int>(count) + 1;
        for (size_t i = 0; i < count; i++)
            axis[i] = v[i];
    }
};

/* Positions of arguments: 0, {0, 2}. */
class positions : public kn_argnums {
  public:
    positions() : kn_argnums() {}
    positions(const kn_argnums &a) : kn_argnums(a) {}
    positions(int argument) : positions({argument}) {}
    positions(std::initializer_list<int> numbers) : kn_argnums()
    {
        if (numbers.size() > KN_MAX_ARGS)
            detail::refuse(KN_ERROR_VALUE, "ValueError", "there are at most 8 arguments", place("", 0, ""));
        n = static_cast<int>(numbers.size());
        int i = 0;
        for (int a : numbers)
            arg[i++] = a;
    }
};

/* ---- Texts: a literal or a std::string, which has to live until the call is done; empty if it is not given. */
class text {
  public:
    text() noexcept = default;
    text(const char *s) noexcept : s_(s) {}
    text(const std::string &s) noexcept : s_(s.c_str()) {}
    text(none_t) noexcept {}
    const char *c() const noexcept { return s_; }

  private:
    const char *s_ = nullptr;
};

/* ---- Numbers of C++: weak, they take the dtype of the arrays beside them. */
class number {
  public:
    template <class T, detail::if_number<T> = 0> number(T v) noexcept
    {
        if constexpr (std::is_same<T, bool>::value) {
            kind_ = boolean;
            natural_ = v;
        } else if constexpr (std::is_floating_point<T>::value) {
            kind_ = real;
            re_ = static_cast<double>(v);
        } else if constexpr (std::is_signed<T>::value) {
            kind_ = integer;
            integer_ = v;
        } else {
            kind_ = natural;
            natural_ = v;
        }
    }
    template <class T, detail::if_complex<T> = 0> number(const T &z) noexcept
        : kind_(complex), re_(static_cast<double>(z.real())), im_(static_cast<double>(z.imag()))
    {
    }
    /* A weak scalar, of the scope. */
    kn_array c() const
    {
        switch (kind_) {
        case boolean: return kn_like_bool(natural_ != 0);
        case integer: return kn_like_int(integer_);
        case natural: return kn_like_uint(natural_);
        case real: return kn_like_double(re_);
        default: return kn_like_complex(re_, im_);
        }
    }

  private:
    enum { boolean, integer, natural, real, complex } kind_ = boolean;
    union {
        int64_t integer_;
        uint64_t natural_;
        double re_;
    };
    double im_ = 0;
};

/* An array or a number as the argument of a function. It does not own the array: it lives as long as the call. */
class operand {
  public:
    operand(const array &x) noexcept : array_(&x) {}
    operand(const selection &x) noexcept : selection_(&x) {}
    operand(none_t) noexcept {}
    template <class T, detail::if_number<T> = 0> operand(T v) noexcept : number_(v), is_number_(true) {}
    template <class T, detail::if_complex<T> = 0> operand(const T &z) noexcept : number_(z), is_number_(true) {}
    inline kn_array c() const; /* of the scope, or of the array's owner */
    inline bool is_number() const noexcept;

  private:
    const array *array_ = nullptr;
    const selection *selection_ = nullptr;
    number number_ = number(false);
    bool is_number_ = false;
};

/* An operand of an operator: it knows its place. */
class placed : public operand {
  public:
    placed(const array &x, place p = here()) noexcept : operand(x), at(p) {}
    placed(const selection &x, place p = here()) noexcept : operand(x), at(p) {}
    template <class T, detail::if_number<T> = 0> placed(T v, place p = here()) noexcept : operand(v), at(p) {}
    template <class T, detail::if_complex<T> = 0>
    placed(const T &z, place p = here()) noexcept : operand(z), at(p) {}
    place at;
};

/* ---- What functions of jax.lax take. */
struct pads : kn_lax_pads { /* "SAME", or {{1, 1}, {0, 2}}: low and high of each axis */
    pads() : kn_lax_pads() {}
    pads(const kn_lax_pads &p) : kn_lax_pads(p) {}
    pads(const char *name) : kn_lax_pads() { type = name; }
    pads(std::initializer_list<kn_lax_pad_pair> pairs) : kn_lax_pads()
    {
        n = static_cast<int>(pairs.size());
        pair = pairs.begin();
    }
};
struct axis_names : kn_axis_names { /* "i", or {"i", "j"} */
    axis_names() : kn_axis_names() {}
    axis_names(const kn_axis_names &a) : kn_axis_names(a) {}
    axis_names(const char *one) : axis_names({one}) {}
    axis_names(std::initializer_list<const char *> names) : kn_axis_names()
    {
        for (const char *s : names)
            if (n < KN_MAX_ARGS)
                name[n++] = s;
    }
};
struct padding_config : kn_lax_padding_config { /* {{low, high, interior}, ...} */
    padding_config(const kn_lax_padding_config &p) : kn_lax_padding_config(p) {}
    padding_config(std::initializer_list<kn_lax_padding> list) : kn_lax_padding_config()
    {
        n = static_cast<int>(list.size());
        axis = list.begin();
    }
};

namespace detail {
/* Options of C from those of C++. */
inline bool c_of(bool v) { return v; }
template <class T> T c_of(const T &v) { return v; }
inline kn_dtype c_of(const dtype &v) { return v; }
inline kn_axes c_of(const axes &v) { return v; }
inline kn_shape c_of(const shape &v) { return v; }
inline kn_argnums c_of(const positions &v) { return v; }
inline const kn_shape *c_of(const optional_shape &v) { return v.c(); }
inline const char *c_of(const text &v) { return v.c(); }
inline kn_lax_pads c_of(const pads &v) { return v; }
template <class H> H c_of(const handle<H> &v) { return v.c(); }
template <class T, size_t N> void put(T (&to)[N], const T (&from)[N]) { std::memcpy(&to, &from, sizeof to); }
} // namespace detail

} // namespace kiln
#endif
