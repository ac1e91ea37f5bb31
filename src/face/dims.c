/* SPDX-License-Identifier: Apache-2.0
 * dims.c -- extents in C code: arithmetic and comparisons of numbers and of the expressions that a function meets that
 * is recorded with dimension variables. */
#include "array/handle.h"
#include "array/op.h"

/* Where there are no dimension variables an expression is one of a function that has ended, or no one's. */
static bool known(kna_op *op, int64_t d)
{
    knx_text t = {0};
    if (knx_is_symbolic(d) && !knx_dim_now() && !kna_failed(op))
        kna_fail(op, KN_ERROR_DIMENSION, "'%s' has a meaning only while the function runs that was recorded with it",
                 knx_dim_show(&t, d));
    return !kna_failed(op);
}

static bool begin(kna_op *op, const char *name, int64_t a, int64_t b)
{
    kna_begin(op, name);
    return known(op, a) && known(op, b);
}

static void too_large(kna_op *op) { kna_fail(op, KN_ERROR_OVERFLOW, "an extent is too large"); }

static int64_t end(kna_op *op, int64_t d) { return kna_end_plain(op) ? d : -1; }

int64_t kn_dim_add(int64_t a, int64_t b)
{
    kna_op op;
    int64_t d = -1;
    if (begin(&op, "dim_add", a, b) && !knx_any_symbolic(a, b) && __builtin_add_overflow(a, b, &d))
        too_large(&op);
    else if (!kna_failed(&op))
        d = knx_dim_add(a, b);
    return end(&op, d);
}

int64_t kn_dim_sub(int64_t a, int64_t b)
{
    kna_op op;
    int64_t d = -1;
    if (begin(&op, "dim_sub", a, b) && !knx_any_symbolic(a, b) && __builtin_sub_overflow(a, b, &d))
        too_large(&op);
    else if (!kna_failed(&op))
        d = knx_dim_sub(a, b);
    return end(&op, d);
}

int64_t kn_dim_mul(int64_t a, int64_t b)
{
    kna_op op;
    int64_t d = -1;
    if (begin(&op, "dim_mul", a, b) && !knx_any_symbolic(a, b) && __builtin_mul_overflow(a, b, &d))
        too_large(&op);
    else if (!kna_failed(&op))
        d = knx_dim_mul(a, b);
    return end(&op, d);
}

static int64_t divide(const char *name, int64_t a, int64_t b, bool rest)
{
    kna_op op;
    int64_t d = -1;
    if (begin(&op, name, a, b) && !b)
        kna_fail(&op, KN_ERROR_VALUE, "division by zero");
    else if (!kna_failed(&op) && a == INT64_MIN && b == -1)
        too_large(&op);
    else if (!kna_failed(&op))
        d = rest ? knx_dim_mod(a, b) : knx_dim_floordiv(a, b);
    return end(&op, d);
}

int64_t kn_dim_floordiv(int64_t a, int64_t b) { return divide("dim_floordiv", a, b, false); }
int64_t kn_dim_mod(int64_t a, int64_t b) { return divide("dim_mod", a, b, true); }

int64_t kn_dim_max(int64_t a, int64_t b)
{
    kna_op op;
    bool fine = begin(&op, "dim_max", a, b);
    return end(&op, fine ? knx_dim_max(a, b) : -1);
}

int64_t kn_dim_min(int64_t a, int64_t b)
{
    kna_op op;
    bool fine = begin(&op, "dim_min", a, b);
    return end(&op, fine ? knx_dim_min(a, b) : -1);
}

bool kn_dim_eq(int64_t a, int64_t b)
{
    kna_op op;
    bool equal = begin(&op, "dim_eq", a, b) && knx_dim_eq(a, b);
    return kna_end_plain(&op) && equal;
}

bool kn_dim_le(int64_t a, int64_t b)
{
    kna_op op;
    bool is = begin(&op, "dim_le", a, b) && knx_dim_le(a, b);
    return kna_end_plain(&op) && is;
}

bool kn_dim_lt(int64_t a, int64_t b)
{
    kna_op op;
    bool is = begin(&op, "dim_lt", a, b) && knx_dim_lt(a, b);
    return kna_end_plain(&op) && is;
}

static void drop_text(void *p) { knx_free(p); }

const char *kn_dim_text(int64_t d)
{
    kna_op op;
    knx_str s = {0};
    kna_begin(&op, "dim_text");
    if (!knx_dim_text(&s, d) || !s.s)
        kna_fail_with(&op, knx_error_nomem());
    bool fine = kna_end_plain(&op);
    if (!fine)
        knx_str_free(&s);
    return fine && kna_handle_new(KN_H_TEXT, s.s, drop_text) ? s.s : "";
}

kn_array kn_dim_as_array(int64_t d)
{
    kna_op op;
    kna_begin(&op, "dim_as_array");
    kni_atom a = known(&op, d) ? knb_dimension(op.b, KN_DT(I64), d) : KN_ATOM_NONE;
    return kna_end(&op, a);
}
