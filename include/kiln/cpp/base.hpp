/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/base.hpp -- the ground of the C++ interface: the place of a call, exceptions, calls into C, handles with an owner.
 *
 * Who owns what: every call opens a C scope of its own, and what it returns is retained by a C++ object before that scope
 * ends. So C++ objects own their handles by themselves, whichever C scopes are open around them, and nothing is left in
 * the scope of the caller. */
#ifndef KILN_CPP_BASE_HPP
#define KILN_CPP_BASE_HPP
#include "kiln/kiln.h"
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kiln {

/* ---- The place of a call in the user's source. Functions have one as their last argument, which is filled in. */
struct place {
    constexpr explicit place(const char *file_, int line_, const char *function_) noexcept
        : file(file_), line(line_), function(function_)
    {
    }
    const char *file;
    int line;
    const char *function;
};
constexpr place here(const char *file = __builtin_FILE(), int line = __builtin_LINE(),
                     const char *function = __builtin_FUNCTION())
{
    return place(file, line, function);
}

/* ---- Exceptions: one class for each kind of error, related as in Python. */
class error : public std::runtime_error {
  public:
    error(kn_error_kind kind, const char *kind_name, const char *message, const char *file, int line)
        : std::runtime_error(message), kind_(kind), kind_name_(kind_name), file_(file ? file : ""), line_(line)
    {
    }
    kn_error_kind kind() const noexcept { return kind_; }
    const char *kind_name() const noexcept { return kind_name_.c_str(); } /* "ValueError" */
    const char *file() const noexcept { return file_.c_str(); }          /* of the call; "" if it is not known */
    int line() const noexcept { return line_; }                          /* 0 if it is not known */

  private:
    kn_error_kind kind_;
    std::string kind_name_, file_;
    int line_;
};
struct ValueError : error { using error::error; };
struct TypeError : error { using error::error; };
struct LookupError : error { using error::error; };
struct ArithmeticError : error { using error::error; };
struct RuntimeError : error { using error::error; };
struct IndexError : LookupError { using LookupError::LookupError; };
struct KeyError : LookupError { using LookupError::LookupError; };
struct AxisError : ValueError { using ValueError::ValueError; };
struct LinAlgError : ValueError { using ValueError::ValueError; };
struct OverflowError : ArithmeticError { using ArithmeticError::ArithmeticError; };
struct ZeroDivisionError : ArithmeticError { using ArithmeticError::ArithmeticError; };
struct FloatingPointError : ArithmeticError { using ArithmeticError::ArithmeticError; };
struct NotImplementedError : RuntimeError { using RuntimeError::RuntimeError; };
struct ConcretizationError : TypeError { using TypeError::TypeError; };
struct LeakedTracerError : error { using error::error; };
struct MutationError : error { using error::error; };
struct ContextError : error { using error::error; };
struct FileError : error { using error::error; };
struct MemoryError : error { using error::error; };
struct NameError : error { using error::error; };
struct AssertionError : error { using error::error; };
struct InconclusiveDimensionOperation : error { using error::error; };

/* Arrays, functions and other things that are alive in this thread's context. */
inline int64_t live_count() { return kn_live_count(); }

namespace detail {

/* C keeps the address of a place, so each place is there once and stays. */
struct place_node {
    kn_place at;
    place_node *next;
};
inline std::atomic<place_node *> place_table[1024];
inline const kn_place *lasting(const place &p)
{
    size_t slot = (reinterpret_cast<uintptr_t>(p.file) / 16 + static_cast<size_t>(p.line) * 31) % 1024;
    place_node *first = place_table[slot].load(std::memory_order_acquire);
    for (place_node *n = first; n; n = n->next)
        if (n->at.file == p.file && n->at.line == p.line && n->at.function == p.function)
            return &n->at;
    place_node *fresh = new place_node{{p.file, p.line, p.function}, first};
    while (!place_table[slot].compare_exchange_weak(fresh->next, fresh, std::memory_order_acq_rel)) {
    }
    return &fresh->at;
}

/* The exception that a function of the user threw while C called it: thrown again when C has returned. */
inline thread_local std::exception_ptr kept_exception;
inline void keep_exception() noexcept
{
    if (!kept_exception)
        kept_exception = std::current_exception();
}

[[noreturn]] inline void throw_kind(kn_error_kind kind, const char *name, const char *message, const char *file,
                                    int line)
{
    switch (kind) {
#define KILN_KIND(id, type) case KN_ERROR_##id: throw type(kind, name, message, file, line);
    KILN_KIND(VALUE, ValueError)
    KILN_KIND(TYPE, TypeError)
    KILN_KIND(INDEX, IndexError)
    KILN_KIND(KEY, KeyError)
    KILN_KIND(AXIS, AxisError)
    KILN_KIND(OVERFLOW, OverflowError)
    KILN_KIND(LINALG, LinAlgError)
    KILN_KIND(NOT_IMPLEMENTED, NotImplementedError)
    KILN_KIND(CONCRETIZATION, ConcretizationError)
    KILN_KIND(LEAKED_TRACER, LeakedTracerError)
    KILN_KIND(MUTATION, MutationError)
    KILN_KIND(CONTEXT, ContextError)
    KILN_KIND(FILE, FileError)
    KILN_KIND(MEMORY, MemoryError)
    KILN_KIND(NAME, NameError)
    KILN_KIND(RUNTIME, RuntimeError)
    KILN_KIND(ASSERTION, AssertionError)
    KILN_KIND(ZERO_DIVISION, ZeroDivisionError)
    KILN_KIND(DIMENSION, InconclusiveDimensionOperation)
    KILN_KIND(FLOATING_POINT, FloatingPointError)
#undef KILN_KIND
    case KN_NO_ERROR: break;
    }
    throw error(kind, name, message, file, line);
}

[[noreturn]] inline void throw_pending()
{
    if (kept_exception) {
        std::exception_ptr e = std::exchange(kept_exception, nullptr);
        kn_error_clear();
        std::rethrow_exception(e);
    }
    kn_error_kind kind = kn_error_get_kind();
    std::string name = kn_error_kind_name(), message = kn_error_message();
    const char *f = kn_error_file();
    std::string file = f ? f : "";
    int line = kn_error_line();
    kn_error_clear();
    throw_kind(kind, name.c_str(), message.c_str(), file.c_str(), line);
}
/* Throws the error that waits, if there is one. */
inline void check()
{
    if (kn_error_pending())
        throw_pending();
}
[[noreturn]] inline void refuse(kn_error_kind kind, const char *name, const char *message, const place &p)
{
    throw_kind(kind, name, message, p.file, p.line);
}

template <class H> class owned;

/* A call into C: a scope for what it makes, and the place of the caller. `here()` stands directly before the function of
 * C, because the conversions of operands before it are calls, too. */
class call {
  public:
    explicit call(const place &p) : place_(p), scope_(kn_scope_begin()) {}
    call(const call &) = delete;
    call &operator=(const call &) = delete;
    ~call() { kn_scope_end(&scope_); }
    void here() const { kn_here(lasting(place_)); }
    /* What was returned, after looking for an error. */
    template <class H> H *take(H *handle) const
    {
        check();
        return handle;
    }
    template <class T> T value(T x) const
    {
        check();
        return x;
    }
    std::string text(const char *s) const
    {
        check();
        return s ? s : "";
    }

  private:
    place place_;
    kn_scope scope_;
};

/* A handle with owners in C++: copies share it. */
template <class H> class owned {
  public:
    owned() noexcept = default;
    /* One more owner of a handle that a scope has. */
    static owned share(H handle)
    {
        owned o;
        o.h_ = handle ? static_cast<H>(kn_retain(handle)) : nullptr;
        return o;
    }
    owned(const owned &other) : h_(other.h_ ? static_cast<H>(kn_retain(other.h_)) : nullptr) {}
    owned(owned &&other) noexcept : h_(std::exchange(other.h_, nullptr)) {}
    owned &operator=(owned other) noexcept
    {
        std::swap(h_, other.h_);
        return *this;
    }
    ~owned()
    {
        if (h_)
            kn_release(h_);
    }
    H get() const noexcept { return h_; }

  private:
    H h_ = nullptr;
};

} // namespace detail

/* A block that ends what was made in it in C: calls of C functions between the lines of C++ belong to it. Arrays of C++
 * need none. */
class scope {
  public:
    scope() : scope_(kn_scope_begin()) {}
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
    ~scope() { kn_scope_end(&scope_); }

  private:
    kn_scope scope_;
};

/* A handle of another kind than an array, as an object: optimizer, schedule, rng_t, ... Copies share it. */
template <class H> class handle {
  public:
    handle() noexcept = default;
    /* One more owner of a handle of C. */
    explicit handle(H h) : h_(detail::owned<H>::share(h)) {}
    H c() const noexcept { return h_.get(); }
    explicit operator bool() const noexcept { return h_.get() != nullptr; }

  private:
    detail::owned<H> h_;
};
using schedule_t = handle<kn_schedule>;
using treedef_t = handle<kn_treedef>;
using jaxpr_t = handle<kn_jaxpr>;
using archive = handle<kn_archive>;
using rng_t = handle<kn_rng>;
using bit_generator_t = handle<kn_bit_generator>;
using seed_sequence_t = handle<kn_seed_sequence>;
using random_state_t = handle<kn_random_state>;
using optimizer = handle<kn_optimizer>;

} // namespace kiln
#endif
