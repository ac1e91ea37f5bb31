/* SPDX-License-Identifier: Apache-2.0
 * resolve.c -- which loop of a ufunc operands of these dtypes get, by NumPy's rules: the first one that all can be cast
 * to safely, of those that have the dtypes that the caller asks for. */
#include "numpy/ufunc/ufunc.h"
#include <string.h>

/* ---- Casts. */

/* bool, integers, floats, complex numbers */
static int rank_of(kn_dtype d)
{
    return d->kind == KN_KIND_BOOL ? 0 : knx_is_integer(d) ? 1 : knx_is_float(d) ? 2 : knx_is_complex(d) ? 3 : -1;
}

bool knn_can_cast(kni_type from, kn_dtype to, knx_casting how)
{
    if (from.weak && how != KN_CAST_UNSAFE)
        return rank_of(to) >= 0 && rank_of(from.dtype) <= rank_of(to);
    return knx_can_cast(from.dtype, to, how);
}

bool knn_check_cast(kna_op *op, const knn_ufunc *u, int i, kni_type from, kn_dtype to, knx_casting how)
{
    bool input = i < u->n_in;
    char number[16] = "";
    if (!kna_failed(op) && from.weak && from.dtype->kind != KN_KIND_BOOL && how == KN_CAST_EQUIV &&
        knn_can_cast(from, to, how) && to != from.dtype) /* so NumPy has it, though not for 'no' */
        kna_fail(op, KN_ERROR_TYPE, "cannot cast Python %s to %s under the casting rule 'equiv'",
                 knx_is_integer(from.dtype) ? "int"
                 : knx_is_float(from.dtype) ? "float"
                                            : "complex",
                 to->name);
    if (kna_failed(op) || knn_can_cast(from, to, how))
        return !kna_failed(op);
    if (input ? u->n_in != 1 : u->n_out != 1)
        snprintf(number, sizeof number, "%d ", i);
    kna_fail(op, KN_ERROR_TYPE, "Cannot cast ufunc '%s' %s %sfrom dtype('%s') to dtype('%s') with casting rule '%s'",
             u->name, input ? "input" : "output", number, kna_strong_dtype(from)->name, to->name,
             knl_casting_name(how));
    return false;
}

/* ---- Signatures. */

static bool letters_of(kna_op *op, const char *s, int n, kn_dtype *to)
{
    for (int i = 0; i < n; i++)
        if (!(to[i] = knn_dtype_of_letter(s[i]))) {
            kna_fail(op, KN_ERROR_VALUE, "Invalid data-type for array");
            return false;
        }
    return true;
}

bool knn_read_signature(kna_op *op, const knn_ufunc *u, const char *signature, kn_dtype dtype, kn_dtype *fixed)
{
    for (int i = 0; i < u->n_in + u->n_out; i++)
        fixed[i] = i < u->n_in ? NULL : dtype;
    if (!signature)
        return dtype != NULL;
    const char *arrow = strstr(signature, "->");
    if (dtype)
        kna_fail(op, KN_ERROR_TYPE, "cannot specify both 'signature' and 'dtype'");
    else if (!arrow && strlen(signature) == 1 && u->n_in + u->n_out != 1)
        kna_fail(op, KN_ERROR_TYPE, "Use `dtype` or  fill the tuple with more than one 'None'.");
    else if (!arrow || arrow - signature != u->n_in || strlen(arrow + 2) != (size_t)u->n_out)
        kna_fail(op, KN_ERROR_VALUE, "a type-string for %s, %d typecode(s) before and %d after the -> sign", u->name,
                 u->n_in, u->n_out);
    else if (letters_of(op, signature, u->n_in, fixed))
        letters_of(op, arrow + 2, u->n_out, fixed + u->n_in);
    return true;
}

/* ---- Loops. */

/* brain: float32's letter stands for bfloat16, which has none. */
static void read_loop(const knn_ufunc *u, const char *text, bool brain, kn_dtype *loop)
{
    for (int i = 0; i < u->n_in + u->n_out; i++) {
        loop[i] = knn_dtype_of_letter(text[i < u->n_in ? i : i + 2]);
        if (brain && loop[i] == KN_DT(F32))
            loop[i] = KN_DT(BF16);
    }
}

/* Do the operands go to this loop? Where the default float is float32, wide integers become that. */
static bool takes(const knn_ufunc *u, const kni_type *in, knx_casting how, const kn_dtype *loop)
{
    bool all_whole = true;
    for (int i = 0; i < u->n_in; i++) {
        bool whole = knx_is_integer(in[i].dtype) || in[i].dtype->kind == KN_KIND_BOOL;
        bool by_default = loop[i] == KN_DT(F32) && kna_default_float() == loop[i] && knx_is_integer(in[i].dtype);
        if (!by_default && !knn_can_cast(in[i], loop[i], how))
            return false;
        all_whole = all_whole && whole;
    }
    return how != KN_CAST_SAFE || !u->in_default_floats || !all_whole || loop[0] == kna_default_float();
}

static bool is_asked_for(const knn_ufunc *u, const kn_dtype *fixed, const kn_dtype *loop)
{
    for (int i = 0; fixed && i < u->n_in + u->n_out; i++)
        if (fixed[i] && fixed[i] != loop[i])
            return false;
    return true;
}

/* The first loop of those that are asked for that takes the operands, or (in NULL) any; false: there is none. */
static bool find_loop(const knn_ufunc *u, const kni_type *in, const kn_dtype *fixed, bool brain, knx_casting how,
                      kn_dtype *loop)
{
    for (const char *p = u->loops; *p; p += strlen(p) + 1)
        for (int b = brain && strchr(p, 'f'); b >= 0; b--) {
            read_loop(u, p, b, loop);
            if (is_asked_for(u, fixed, loop) && (!in || takes(u, in, how, loop)))
                return true;
        }
    return false;
}

static bool same_operands(const knn_ufunc *u)
{
    bool same = true;
    for (const char *p = u->loops; same && *p; p += strlen(p) + 1)
        for (int i = 1; i < u->n_in; i++)
            same = same && (p[i] == p[0] || (p[0] == 'l' && p[i] == 'L') || (p[0] == 'L' && p[i] == 'l'));
    return same;
}

/* C numbers beside arrays count by what all are together; alone they have their own dtypes. */
static void strengthen(kna_op *op, const knn_ufunc *u, const kni_type *in, kni_type *strong)
{
    int weak = 0;
    for (int i = 0; i < u->n_in; i++) {
        weak += in[i].weak;
        strong[i] = in[i];
    }
    if (!weak)
        return;
    kn_dtype d = kna_result_type_of(op, u->n_in, in);
    bool same = same_operands(u), all = true; /* of different dtypes: are the arrays truth values? */
    for (int i = 0; i < u->n_in; i++)
        all = all && (in[i].weak || in[i].dtype->kind == KN_KIND_BOOL);
    for (int i = 0; d && i < u->n_in; i++) {
        if (!same && (!in[i].weak || (!all && knx_is_integer(in[i].dtype))))
            continue;
        strong[i].dtype = weak == u->n_in || !same ? kna_strong_dtype(in[i]) : d;
        strong[i].weak = false;
    }
}

/* Functions of truth values have loops for all dtypes; operands of several are truth values first. */
static bool counts_as_truth(const knn_ufunc *u, const kni_type *in)
{
    bool mixed = false;
    for (int i = 0; i < u->n_in; i++)
        mixed = mixed || in[i].weak || in[i].dtype != in[0].dtype;
    return mixed && u->identity_kind == 'b' && !u->own;
}

/* The loop that is asked for: all of its dtypes are known, or it is that of the operands and results that are. */
static bool resolve_asked(kna_op *op, const knn_ufunc *u, const kni_type *in, const kni_type *strong,
                          const kn_dtype *fixed, bool brain, knx_casting how, kn_dtype *loop)
{
    bool found = find_loop(u, strong, fixed, brain, KN_CAST_SAFE, loop);
    if (!found && same_operands(u))
        found = find_loop(u, in, fixed, brain, how, loop) || find_loop(u, NULL, fixed, brain, how, loop);
    if (!found)
        kna_fail(op, KN_ERROR_TYPE, "No loop matching the specified signature and casting was found for ufunc %s",
                 u->name);
    return !kna_failed(op);
}

/* What the function itself says of operands that it does not take. */
static void refuse(kna_op *op, const knn_ufunc *u, const kni_type *in)
{
    kn_scope scope = kn_scope_begin();
    kn_array x[KNN_MOST_OPERANDS] = {NULL}, y[KNN_MOST_OPERANDS] = {NULL};
    const knx_scalar_bits zero = {{0}};
    for (int i = 0; i < u->n_in; i++)
        x[i] = kna_from_number(in[i].dtype, in[i].weak, zero);
    if (u->call && !u->signature) {
        u->call(x, y);
        (void)kna_type(op, y[0]);
    }
    if (!kna_failed(op))
        knl_not_supported(op, u->name);
    kn_scope_end(&scope);
}

bool knn_resolve(kna_op *op, const knn_ufunc *u, const kni_type *in, const kn_dtype *fixed, knx_casting how,
                 kn_dtype *loop)
{
    kni_type strong[KNN_MOST_OPERANDS] = {0};
    bool brain = false, only_bool = true;
    for (int i = 0; i < u->n_in + u->n_out; i++) {
        only_bool = only_bool && (i >= u->n_in || in[i].dtype->kind == KN_KIND_BOOL);
        brain = brain || (fixed && fixed[i] == KN_DT(BF16)) || (i < u->n_in && in[i].dtype == KN_DT(BF16));
        if (i < u->n_in && knl_not_a_number(op, u->name, in[i].dtype))
            return false;
    }
    strengthen(op, u, in, strong);
    if (kna_failed(op))
        return false;
    if (!*u->loops) { /* a ufunc of the user's own that takes any */
        kn_dtype d = kna_result_type_of(op, u->n_in, in);
        for (int i = 0; i < u->n_in + u->n_out; i++)
            loop[i] = d;
        return !kna_failed(op);
    }
    if (!fixed && counts_as_truth(u, in)) {
        for (int i = 0; i < u->n_in + u->n_out; i++)
            loop[i] = KN_DT(BOOL);
        return true;
    }
    if (fixed)
        resolve_asked(op, u, in, strong, fixed, brain, how, loop);
    else if ((u->not_of_bool && only_bool) || !find_loop(u, strong, NULL, brain, KN_CAST_SAFE, loop))
        refuse(op, u, in);
    for (int i = 0; i < u->n_in && !kna_failed(op); i++)
        if (fixed || how < KN_CAST_SAFE)
            knn_check_cast(op, u, i, in[i], loop[i], how);
    return !kna_failed(op);
}

/* ---- What the user asks. */

static kni_type type_of(kn_dtype d, bool weak)
{
    kni_type t = kni_scalar_type(d);
    t.weak = weak;
    return t;
}

/* Reductions join a value of the first dtype with the elements, and give that dtype. */
static bool read_reduction(kna_op *op, kn_ufunc f, const knn_ufunc *u, const kn_dtype *given, kni_type *in)
{
    if (u->n_in != 2 || u->n_out != 1)
        kna_fail(op, KN_ERROR_VALUE, "ufunc is not compatible with reduction operations.");
    else if (given[2])
        kna_fail(op, KN_ERROR_TYPE, "Output dtype must not be passed for reductions, pass the first input instead.");
    else if (!given[1])
        kna_fail(op, KN_ERROR_TYPE, "All input dtypes must be provided (except the first one in reductions)");
    if (kna_failed(op))
        return false;
    in[0] = in[1] = type_of(given[0] ? given[1] : knn_widened(f, given[1]), false);
    if (given[0])
        in[0].dtype = given[0];
    else if (u->identity_kind == 'b' && !u->own)
        in[0].dtype = in[1].dtype = KN_DT(BOOL);
    return true;
}

static void resolve_given(kna_op *op, kn_ufunc f, const knn_ufunc *u, const kn_dtype *given, kn_dtype *loop,
                          const kn_ufunc_resolve_dtypes_opts *o)
{
    kni_type in[KNN_MOST_OPERANDS] = {0};
    kn_dtype fixed[KNN_MOST_OPERANDS] = {NULL};
    knx_casting how = knl_casting(op, o->casting, KN_CAST_SAME_KIND, KN_CAST_UNSAFE);
    for (int i = 0; i < u->n_in && !kna_failed(op); i++) {
        if (!given[i] && !(o->reduction && !i))
            kna_fail(op, KN_ERROR_TYPE, "All input dtypes must be provided (except the first one in reductions)");
        else
            in[i] = type_of(given[i] ? given[i] : KN_DT(F64), i < 32 && o->weak >> i & 1);
    }
    if (kna_failed(op) || (o->reduction && !read_reduction(op, f, u, given, in)))
        return;
    bool asked = knn_read_signature(op, u, o->signature, NULL, fixed);
    if (kna_failed(op) || !knn_resolve(op, u, in, asked ? fixed : NULL, how, loop))
        return;
    for (int k = u->n_in; k < u->n_in + u->n_out; k++)
        if (given[k])
            knn_check_cast(op, u, k, type_of(loop[k], false), given[k], how);
}

int kn_ufunc_resolve_dtypes(kn_ufunc ufunc, int n, const kn_dtype *dtypes, kn_dtype *resolved,
                            const kn_ufunc_resolve_dtypes_opts *opts)
{
    KNX_OPTS(kn_ufunc_resolve_dtypes_opts, o, opts);
    kna_op op;
    kn_dtype loop[KNN_MOST_OPERANDS] = {NULL};
    kna_begin(&op, "ufunc_resolve_dtypes");
    const knn_ufunc *u = knn_ufunc_of(&op, ufunc);
    if (u && kna_given_pointer(&op, dtypes, "dtypes") && kna_given_pointer(&op, resolved, "resolved") &&
        n != u->n_in + u->n_out)
        kna_fail(&op, KN_ERROR_TYPE, "resolve_dtypes: The dtypes must be a tuple of `ufunc.nargs` length.");
    if (!kna_failed(&op))
        resolve_given(&op, ufunc, u, dtypes, loop, &o);
    if (!kna_failed(&op))
        memcpy(resolved, loop, (size_t)n * sizeof *resolved);
    return kna_end_plain(&op) ? 0 : -1;
}
