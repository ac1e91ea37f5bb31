/* SPDX-License-Identifier: Apache-2.0
 * table.c -- the table of NumPy's ufuncs, and what can be asked of a ufunc. */
#include "numpy/ufunc/ufunc.h"
#include <string.h>

/* ---- How each is called. */

#define ONE(name, ...) \
    static void call_##name(const kn_array *x, kn_array *y) { y[0] = kn_##name(x[0]); }
#define TWO(name, ...) \
    static void call_##name(const kn_array *x, kn_array *y) { y[0] = (kn_##name)(x[0], x[1]); }
#define TWO_AS(name, ...) TWO(name)
#define CORE(name, ...)   TWO(name)
#define THREE(name, ...) \
    static void call_##name(const kn_array *x, kn_array *y) { y[0] = kn_##name(x[0], x[1], x[2]); }
#define PAIR_OF_ONE(name, first, second, ...)               \
    static void call_##name(const kn_array *x, kn_array *y) \
    {                                                       \
        kn_##name##_result r = kn_##name(x[0]);             \
        y[0] = r.first;                                     \
        y[1] = r.second;                                    \
    }
#define PAIR_OF_TWO(name, first, second, ...)               \
    static void call_##name(const kn_array *x, kn_array *y) \
    {                                                       \
        kn_##name##_result r = kn_##name(x[0], x[1]);       \
        y[0] = r.first;                                     \
        y[1] = r.second;                                    \
    }
#include "numpy/ufunc/ufuncs.def"

/* ---- The table. */

/* clang-format off */
#define BOOL(P)    P("?")
#define WHOLE(P)   P("b") P("B") P("h") P("H") P("i") P("I") P("l") P("L")
#define FLOATS(P)  P("e") P("f") P("d")
#define COMPLEX(P) P("F") P("D")
#define X_X(t)     t "->" t "\0"
#define X_T(t)     t "->?\0"
#define X_BYTE(t)  t "->B\0"
#define X_XX(t)    t "->" t t "\0"
#define XX_X(t)    t t "->" t "\0"
#define XX_T(t)    t t "->?\0"
#define XX_XX(t)   t t "->" t t "\0"
#define XXX_X(t)   t t t "->" t "\0"
#define ORDERED
#define FREE                                         .reorderable = true
#define NOT_OF_BOOL                                  .not_of_bool = true
#define IN_DEFAULT_FLOATS                            .in_default_floats = true
#define IDENTITY(kind, value)                        .reorderable = true, .identity_kind = (kind), .identity = (value)
#define ROW(id, in, out, l) .name = #id, .n_in = (in), .n_out = (out), .call = call_##id, .loops = (l)
#define ONE(name, l, ...) [kn_ufunc_##name] = {ROW(name, 1, 1, l), __VA_ARGS__},
#define TWO(name, formula, kind, wide, full, l, ...) [kn_ufunc_##name] = {ROW(name, 2, 1, l), __VA_ARGS__},
#define TWO_AS(name, l) [kn_ufunc_##name] = {ROW(name, 2, 1, l)},
#define THREE(name, l) [kn_ufunc_##name] = {ROW(name, 3, 1, l), FREE},
#define PAIR_OF_ONE(name, first, second, l) [kn_ufunc_##name] = {ROW(name, 1, 2, l)},
#define PAIR_OF_TWO(name, first, second, l) [kn_ufunc_##name] = {ROW(name, 2, 2, l)},
#define CORE(name, s) [kn_ufunc_##name] = {ROW(name, 2, 1, ALL(XX_X)), .signature = (s)},
/* clang-format on */
static const knn_ufunc table[] = {
#include "numpy/ufunc/ufuncs.def"
};
enum { COUNT = sizeof table / sizeof *table };
_Static_assert(COUNT == kn_ufunc_vecmat + 1, "ufuncs.def has every number of kn_ufunc");

const knn_ufunc *knn_ufunc_plain(kn_ufunc f) { return f >= 0 && (int)f < COUNT ? &table[f] : NULL; }

static const knn_ufunc *find(kn_ufunc f)
{
    const knn_ufunc *u = knn_ufunc_plain(f);
    return u ? u : knn_is_own(f) ? knn_own_of(f) : NULL;
}

const knn_ufunc *(knn_ufunc_of)(kna_op *op, kn_ufunc f)
{
    const knn_ufunc *u = find(f);
    if (!u)
        kna_fail(op, KN_ERROR_VALUE, "there is no ufunc with the number %d", (int)f);
    return kna_failed(op) ? NULL : u;
}

const char *knl_ufunc_name(kn_ufunc f) { return find(f)->name; }

static const char letters[] = "?bBhHiIlLefdFD";
static const kn_dtype dtypes[] = {KN_DT(BOOL), KN_DT(I8),  KN_DT(U8),  KN_DT(I16), KN_DT(U16), KN_DT(I32), KN_DT(U32),
                                  KN_DT(I64),  KN_DT(U64), KN_DT(F16), KN_DT(F32), KN_DT(F64), KN_DT(C64), KN_DT(C128)};

kn_dtype knn_dtype_of_letter(char c)
{
    const char *at = c ? strchr(letters, c) : NULL;
    return c == 'q' ? KN_DT(I64) : c == 'Q' ? KN_DT(U64) : at ? dtypes[at - letters] : NULL;
}

bool knn_reduces(kna_op *op, const knn_ufunc *u, const char *method)
{
    if (u->signature)
        kna_fail(op, KN_ERROR_RUNTIME, "Reduction not defined on ufunc with signature");
    else if (u->n_in != 2)
        kna_fail(op, KN_ERROR_VALUE, "%s only supported for binary functions", method);
    else if (u->n_out != 1)
        kna_fail(op, KN_ERROR_VALUE, "%s only supported for functions returning a single value", method);
    return !kna_failed(op);
}

/* ---- What the user asks. */

static const knn_ufunc *asked(kna_op *op, const char *name, kn_ufunc f)
{
    kna_begin(op, name);
    const knn_ufunc *u = knn_ufunc_of(op, f);
    kna_end_plain(op);
    return u;
}

static const struct {
    const char *name;
    kn_ufunc ufunc;
} aliases[] = {{"abs", kn_ufunc_absolute},
               {"acos", kn_ufunc_arccos},
               {"acosh", kn_ufunc_arccosh},
               {"asin", kn_ufunc_arcsin},
               {"asinh", kn_ufunc_arcsinh},
               {"atan", kn_ufunc_arctan},
               {"atan2", kn_ufunc_arctan2},
               {"atanh", kn_ufunc_arctanh},
               {"bitwise_invert", kn_ufunc_invert},
               {"bitwise_left_shift", kn_ufunc_left_shift},
               {"bitwise_not", kn_ufunc_invert},
               {"bitwise_right_shift", kn_ufunc_right_shift},
               {"conj", kn_ufunc_conjugate},
               {"mod", kn_ufunc_remainder},
               {"pow", kn_ufunc_power},
               {"true_divide", kn_ufunc_divide}};

kn_ufunc kn_ufunc_named(const char *name)
{
    kna_op op;
    kna_begin(&op, "ufunc_named");
    if (kna_given_pointer(&op, name, "name")) {
        for (int f = 0; f < COUNT; f++)
            if (!strcmp(table[f].name, name))
                return kna_end_plain(&op) ? (kn_ufunc)f : kn_ufunc_none;
        for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
            if (!strcmp(aliases[i].name, name))
                return kna_end_plain(&op) ? aliases[i].ufunc : kn_ufunc_none;
    }
    return kna_end_plain(&op) ? knn_own_named(name) : kn_ufunc_none;
}

const char *kn_ufunc_name(kn_ufunc ufunc)
{
    kna_op op;
    const knn_ufunc *u = asked(&op, "ufunc_name", ufunc);
    return u ? u->name : NULL;
}

int kn_ufunc_nin(kn_ufunc ufunc)
{
    kna_op op;
    const knn_ufunc *u = asked(&op, "ufunc_nin", ufunc);
    return u ? u->n_in : -1;
}

int kn_ufunc_nout(kn_ufunc ufunc)
{
    kna_op op;
    const knn_ufunc *u = asked(&op, "ufunc_nout", ufunc);
    return u ? u->n_out : -1;
}

int kn_ufunc_nargs(kn_ufunc ufunc)
{
    kna_op op;
    const knn_ufunc *u = asked(&op, "ufunc_nargs", ufunc);
    return u ? u->n_in + u->n_out : -1;
}

int kn_ufunc_ntypes(kn_ufunc ufunc)
{
    kna_op op;
    int n = 0;
    const knn_ufunc *u = asked(&op, "ufunc_ntypes", ufunc);
    for (const char *p = u ? u->loops : ""; *p; p += strlen(p) + 1)
        n++;
    return u ? n : -1;
}

const char *kn_ufunc_types(kn_ufunc ufunc, int i)
{
    kna_op op;
    kna_begin(&op, "ufunc_types");
    const knn_ufunc *u = knn_ufunc_of(&op, ufunc);
    const char *p = u && i >= 0 ? u->loops : "";
    for (int k = 0; *p && k < i; k++)
        p += strlen(p) + 1;
    if (u && !*p)
        kna_fail(&op, KN_ERROR_INDEX, "list index out of range");
    return kna_end_plain(&op) ? p : NULL;
}

const char *kn_ufunc_signature(kn_ufunc ufunc)
{
    kna_op op;
    const knn_ufunc *u = asked(&op, "ufunc_signature", ufunc);
    return u ? u->signature : NULL;
}

kn_array kn_ufunc_identity(kn_ufunc ufunc)
{
    kna_op op;
    const knn_ufunc *u = asked(&op, "ufunc_identity", ufunc);
    if (!u || !u->identity_kind)
        return NULL;
    return u->identity_kind == 'b'   ? kn_like_bool(u->identity != 0)
           : u->identity_kind == 'i' ? kn_like_int((int64_t)u->identity)
                                     : kn_like_double(u->identity);
}
