/* SPDX-License-Identifier: Apache-2.0
 * rows.c -- checks of whole rows: columns and factors, what their type rules refuse, and that every dtype they take has
 * a case. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- calls that must be refused --------------------------------------------------------------- */

#define P_REDUCE(...) \
    &(kni_p_reduce) { INTS(__VA_ARGS__) }
#define P_DIMS(...) \
    &(kni_p_dims) { INTS(__VA_ARGS__) }
#define BINARY(p)                                                                   \
    {&knp_prim_##p, "f32[3] i32[3]", NULL}, {&knp_prim_##p, "f32[3] f32[4]", NULL}, \
        {&knp_prim_##p, "f32[3] f32[1,3]", NULL},                                   \
    {                                                                               \
        &knp_prim_##p, "key<fry>[3] key<fry>[3]", NULL                              \
    }
#define LOGIC(p)                                                                     \
    {&knp_prim_##p, "f32[3] f32[3]", NULL}, {&knp_prim_##p, "i32[3] bool[3]", NULL}, \
    {                                                                                \
        &knp_prim_##p, "i32[3] i32[4]", NULL                                         \
    }
#define FLOATING(p) \
    {&knp_prim_##p, "i32[3]", NULL}, {&knp_prim_##p, "bool[]", NULL}, { &knp_prim_##p, "key<fry>[]", NULL }
#define REDUCTION(p, type)                                                               \
    {&knp_prim_##p, type "[3]", P_REDUCE(1)}, {&knp_prim_##p, type "[3]", P_REDUCE(-1)}, \
        {&knp_prim_##p, type "[3,4]", P_REDUCE(0, 0)},                                   \
    {                                                                                    \
        &knp_prim_##p, type "[]", P_REDUCE(0)                                            \
    }
#define CUMULATIVE(p)                                              \
    {&knp_prim_##p, "f32[3]", &(kni_p_cumulative){1, false}},      \
        {&knp_prim_##p, "f32[3]", &(kni_p_cumulative){-1, false}}, \
        {&knp_prim_##p, "f32[]", &(kni_p_cumulative){0, false}},   \
    {                                                              \
        &knp_prim_##p, "bool[3]", &(kni_p_cumulative) { 0, false } \
    }
#define ARGUMENT(p)                                                         \
    {&knp_prim_##p, "f32[0]", &(kni_p_argreduce){INTS(0), KN_DT(I32)}},     \
        {&knp_prim_##p, "f32[3]", &(kni_p_argreduce){INTS(1), KN_DT(I32)}}, \
    {                                                                       \
        &knp_prim_##p, "f32[3]", &(kni_p_argreduce) { INTS(0), KN_DT(F32) } \
    }
#define BROADCAST(from, shape, dims)                                                \
    {                                                                               \
        &knp_prim_broadcast_in_dim, from, &(kni_p_broadcast_in_dim) { shape, dims } \
    }
#define SLICED(from, stop, start, step)                             \
    {                                                               \
        &knp_prim_slice, from, &(kni_p_slice) { stop, start, step } \
    }
#define PADDED(from, a, b, c)                         \
    {                                                 \
        &knp_prim_pad, from, &(kni_p_pad) { a, b, c } \
    }
#define PRODUCT(from, a, b, c, d)                                              \
    {                                                                          \
        &knp_prim_dot_general, from, &(kni_p_dot_general) { a, b, c, d, NULL } \
    }
#define LINE3 INTS(0, 1, 2), INTS(0, 1, 2), INTS(0, 1, 2)
#define CONVOLVED(from, features, batches, s, lo, hi, ld, ...)         \
    {                                                                  \
        &knp_prim_conv_general_dilated, from, &(kni_p_conv)            \
        {                                                              \
            s, lo, hi, ld, __VA_ARGS__, LINE3, features, batches, NULL \
        }                                                              \
    }
#define GATHERED(from, o, c, m, s)                                                                              \
    {                                                                                                           \
        &knp_prim_gather, from, &(kni_p_gather) { o, c, m, NONE, NONE, s, KN_GATHER_CLIP, false, false, false } \
    }
#define SCATTERED(from, o, c, m)                                                                                   \
    {                                                                                                              \
        &knp_prim_scatter_add, from, &(kni_p_scatter) { o, c, m, NONE, NONE, KN_GATHER_CLIP, false, false, false } \
    }

#define LANE_I                           \
    {                                    \
        1, (const char *const[]) { "i" } \
    }
#define NAMED(p, from, T, ...)                    \
    {                                             \
        &knp_prim_##p, from, &(T) { __VA_ARGS__ } \
    }

#define WINDOWED(p, from, w, s, l, b)                                                                               \
    {                                                                                                               \
        &knp_prim_##p, from, &(kni_p_window)                                                                        \
        {                                                                                                           \
            .window_dimensions = w, .window_strides = s, .lo = l, .hi = l, .base_dilation = b, .window_dilation = b \
        }                                                                                                           \
    }

const refusal refusals[] = {
#include "refusals.def"
    {NULL, NULL, NULL},
};

/* Must be refused, with a text that says why. */
static void refused(bench *b, const kni_prim *p, const void *params, int n, const kni_type *type, const char *what)
{
    kni_builder k;
    kni_atom x[MAX_OPERANDS + 1], y[MAX_VALUES];
    knb_init(&k);
    for (int i = 0; i < n; i++)
        x[i] = knb_invar(&k, type[i]);
    knb_emit(&k, p, params, n, x, y, MAX_VALUES);
    knx_error *e = knb_take_error(&k);
    if (!e)
        bench_fail(b, "%s of %s is not refused", p->name, what);
    else if (!e->message || !*e->message || e->kind == KN_NO_ERROR || e->kind == KN_ERROR_MEMORY)
        bench_fail(b, "%s of %s is refused without a reason", p->name, what);
    knx_error_release(e);
    knb_free(&k);
}

/* One operand more, and one less, than a call that is right. */
static void wrong_counts(bench *b, const kni_prim *p)
{
    operand x[MAX_OPERANDS];
    kni_type type[MAX_OPERANDS + 1];
    int n = 0;
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *s = *list; s->prim; s++) {
            if (s->prim != p || s->build || p->n_in < 0)
                continue;
            bench_operands(s->operands, KN_DT(F32), x, &n);
            for (int i = 0; i < n; i++)
                type[i] = tensor_type(&x[i].shape);
            type[n] = n ? type[n - 1] : kni_scalar_type(KN_DT(F32));
            refused(b, p, s->params, n + 1, type, "one operand too many");
            if (n)
                refused(b, p, s->params, n - 1, type, "one operand too few");
            return;
        }
}

void check_refuses(bench *b, const kni_prim *p)
{
    operand x[MAX_OPERANDS];
    kni_type type[MAX_OPERANDS];
    int n = 0;
    wrong_counts(b, p);
    for (const refusal *r = refusals; r->prim; r++) {
        if (r->prim != p)
            continue;
        bench_operands(r->operands, NULL, x, &n);
        if (n < 0) {
            bench_fail(b, "operands not understood: %s", r->operands);
            return;
        }
        for (int i = 0; i < n; i++)
            type[i] = tensor_type(&x[i].shape);
        refused(b, p, r->params, n, type, *r->operands ? r->operands : "no operands");
    }
}

/* --- columns ---------------------------------------------------------------------------------- */

/* Groups of a factors text up to `end`: their number; whether all are just "...". An empty one beside others is a
 * scalar. */
static int groups(const char *from, const char *end, bool *plain)
{
    int commas = 0, letters = 0;
    for (const char *s = from; s < end; s++) {
        commas += *s == ',';
        letters += *s != ' ' && *s != ',';
        *plain &= *s == '.' || *s == ' ' || *s == ',';
    }
    return commas || letters ? commas + 1 : 0;
}

static bool holds_jaxpr(const kni_prim *p)
{
    for (const kni_param_field *f = p->fields; f && f->name; f++)
        if (f->kind == KN_P_JAXPR || f->kind == KN_P_JAXPRS)
            return true;
    return false;
}

void check_row(bench *b, const kni_prim *p)
{
    const char *fault = kni_prim_fault(p), *arrow = p->factors ? strstr(p->factors, "->") : NULL;
    bool plain = true;
    if (fault)
        bench_fail(b, "%s", fault);
    else if (!p->doc || !strchr(p->doc, ' '))
        bench_fail(b, "no documentation");
    else if (!arrow && !(p->bits & (KN_CALLS | KN_LOOPS)) && !holds_jaxpr(p)) /* a call has the factors of its body */
        bench_fail(b, "no factors");
    if (b->failed || !arrow)
        return;
    int n_in = groups(p->factors, arrow, &plain), n_out = groups(arrow + 2, arrow + strlen(arrow), &plain);
    if (p->n_in >= 0 ? n_in != p->n_in : n_in < 1)
        bench_fail(b, "factors \"%s\" are not of %d operands", p->factors, p->n_in);
    if (p->n_out >= 0 ? n_out != p->n_out : n_out < 1)
        bench_fail(b, "factors \"%s\" are not of %d results", p->factors, p->n_out);
    if ((p->bits & KN_ELEMENTWISE) && !plain)
        bench_fail(b, "factors \"%s\" are not those of an elementwise primitive", p->factors);
}

/* --- dtypes ----------------------------------------------------------------------------------- */

static bool has_case(const kni_prim *p, kn_dtype d)
{
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *s = *list; s->prim; s++)
            if (s->prim == p && bench_has_dtype(s, d))
                return true;
    return false;
}

void check_dtypes(bench *b, const kni_prim *p)
{
    bool any = false;
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *s = *list; s->prim; s++) {
            any |= s->prim == p;
            for (int id = 0; s->prim == p && s->dtypes && id < KN_ID_COUNT; id++) {
                bench probe = {0};
                if (has_case(p, &knx_dtype_table[id]) || !bench_open(&probe, s, &knx_dtype_table[id], s->operands))
                    continue;
                probe.j = bench_build(&probe, false);
                if (probe.j)
                    bench_fail(b, "%s takes %s, and no case does", p->name, knx_dtype_table[id].name);
                bench_close(&probe);
            }
        }
    if (!any)
        bench_fail(b, "%s has no case", p->name);
}
