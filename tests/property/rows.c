/* SPDX-License-Identifier: Apache-2.0
 * rows.c -- checks of whole rows: columns and factors, what their type rules refuse, and that every dtype they take has a case. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- calls that must be refused --------------------------------------------------------------- */

#define P_REDUCE(...) &(kn_p_reduce){INTS(__VA_ARGS__)}
#define P_DIMS(...) &(kn_p_dims){INTS(__VA_ARGS__)}
#define BINARY(p) {&kn_prim_##p, "f32[3] i32[3]", NULL}, {&kn_prim_##p, "f32[3] f32[4]", NULL}, {&kn_prim_##p, "f32[3] f32[1,3]", NULL}, {&kn_prim_##p, "key<fry>[3] key<fry>[3]", NULL}
#define LOGIC(p) {&kn_prim_##p, "f32[3] f32[3]", NULL}, {&kn_prim_##p, "i32[3] bool[3]", NULL}, {&kn_prim_##p, "i32[3] i32[4]", NULL}
#define FLOATING(p) {&kn_prim_##p, "i32[3]", NULL}, {&kn_prim_##p, "bool[]", NULL}, {&kn_prim_##p, "key<fry>[]", NULL}
#define REDUCTION(p, type) {&kn_prim_##p, type "[3]", P_REDUCE(1)}, {&kn_prim_##p, type "[3]", P_REDUCE(-1)}, {&kn_prim_##p, type "[3,4]", P_REDUCE(0, 0)}, {&kn_prim_##p, type "[]", P_REDUCE(0)}
#define ARGUMENT(p) {&kn_prim_##p, "f32[0]", &(kn_p_argreduce){INTS(0), KN_DT(I32)}}, {&kn_prim_##p, "f32[3]", &(kn_p_argreduce){INTS(1), KN_DT(I32)}}, {&kn_prim_##p, "f32[3]", &(kn_p_argreduce){INTS(0), KN_DT(F32)}}
#define BROADCAST(from, shape, dims) {&kn_prim_broadcast_in_dim, from, &(kn_p_broadcast_in_dim){shape, dims}}
#define SLICED(from, stop, start, step) {&kn_prim_slice, from, &(kn_p_slice){stop, start, step}}
#define PADDED(from, a, b, c) {&kn_prim_pad, from, &(kn_p_pad){a, b, c}}
#define PRODUCT(from, a, b, c, d) {&kn_prim_dot_general, from, &(kn_p_dot_general){a, b, c, d, NULL}}
#define GATHERED(from, o, c, m, s) {&kn_prim_gather, from, &(kn_p_gather){o, c, m, NONE, NONE, s, KN_GATHER_CLIP, false, false}}
#define SCATTERED(from, o, c, m) {&kn_prim_scatter_add, from, &(kn_p_scatter){o, c, m, NONE, NONE, KN_GATHER_CLIP, false, false}}

const refusal refusals[] = {
    FLOATING(sin), FLOATING(cos), FLOATING(tanh), FLOATING(exp), FLOATING(log), FLOATING(logistic), FLOATING(sqrt), FLOATING(erf_inv),
    {&kn_prim_erf_inv, "c64[2]", NULL}, {&kn_prim_neg, "bool[3]", NULL}, {&kn_prim_neg, "key<fry>[]", NULL}, {&kn_prim_abs, "bool[3]", NULL},
    {&kn_prim_sign, "bool[3]", NULL}, {&kn_prim_integer_pow, "bool[3]", &(kn_p_integer_pow){2}}, {&kn_prim_integer_pow, "i32[3]", &(kn_p_integer_pow){-1}},
    {&kn_prim_not, "f32[3]", NULL}, {&kn_prim_real, "f32[3]", NULL}, {&kn_prim_imag, "i32[3]", NULL}, {&kn_prim_conj, "i32[3]", NULL},
    {&kn_prim_complex, "f32[3] f64[3]", NULL}, {&kn_prim_complex, "i32[3] i32[3]", NULL}, {&kn_prim_complex, "f32[3] f32[2]", NULL},
    BINARY(add), BINARY(sub), BINARY(mul), BINARY(div), BINARY(pow), BINARY(max), BINARY(min), 
    {&kn_prim_sub, "bool[3] bool[3]", NULL}, {&kn_prim_add_any, "f32[3] f64[3]", NULL}, {&kn_prim_add_any, "f32[3] f32[4]", NULL},
    {&kn_prim_eq, "f32[3] i32[3]", NULL}, {&kn_prim_eq, "f32[3] f32[4]", NULL}, {&kn_prim_ne, "f32[3] f64[3]", NULL}, {&kn_prim_ne, "f32[3] f32[4]", NULL},
    BINARY(lt), BINARY(le), BINARY(gt), BINARY(ge), LOGIC(and), LOGIC(or), LOGIC(xor), LOGIC(shift_left), LOGIC(shift_right_logical),
    {&kn_prim_select_n, "", NULL}, {&kn_prim_select_n, "bool[3]", NULL}, {&kn_prim_select_n, "f32[3] f32[3] f32[3]", NULL},
    {&kn_prim_select_n, "bool[3] f32[3] f32[3] f32[3]", NULL}, {&kn_prim_select_n, "bool[3] f32[3] i32[3]", NULL},
    {&kn_prim_select_n, "bool[2] f32[3] f32[3]", NULL}, {&kn_prim_select_n, "bool[3] f32[3] f32[4]", NULL},
    {&kn_prim_convert_element_type, "key<fry>[3]", &(kn_p_convert){KN_DT(F32), false}}, {&kn_prim_convert_element_type, "f32[3]", &(kn_p_convert){KN_DT(KEY), false}},
    {&kn_prim_bitcast_convert_type, "f32[3]", &(kn_p_bitcast){KN_DT(KEY)}},
    BROADCAST("f32[3]", INTS(3, 4), INTS(1)), BROADCAST("f32[3]", INTS(3), INTS(1)), BROADCAST("f32[3]", INTS(3), NONE), BROADCAST("f32[2,3]", INTS(3, 2), INTS(1, 0)),
    BROADCAST("f32[3]", INTS(-3), INTS(0)), BROADCAST("f32[2,2]", INTS(2, 2), INTS(0, 0)),
    {&kn_prim_reshape, "f32[3,4]", &(kn_p_reshape){INTS(5)}}, {&kn_prim_reshape, "f32[3,4]", &(kn_p_reshape){INTS(-3, -4)}}, {&kn_prim_reshape, "f32[2]", &(kn_p_reshape){NONE}},
    {&kn_prim_squeeze, "f32[3,1]", P_DIMS(0)}, {&kn_prim_squeeze, "f32[1]", P_DIMS(1)}, {&kn_prim_squeeze, "f32[1,1]", P_DIMS(0, 0)},
    {&kn_prim_transpose, "f32[3,4]", &(kn_p_transpose){INTS(0, 0)}}, {&kn_prim_transpose, "f32[3,4]", &(kn_p_transpose){INTS(0)}},
    {&kn_prim_transpose, "f32[3,4]", &(kn_p_transpose){INTS(1, 2)}}, {&kn_prim_rev, "f32[3]", P_DIMS(1)}, {&kn_prim_rev, "f32[3]", P_DIMS(0, 0)},
    SLICED("f32[3]", INTS(4), INTS(0), NONE), SLICED("f32[3]", INTS(1), INTS(2), NONE), SLICED("f32[3]", INTS(2), INTS(-1), NONE), SLICED("f32[3]", INTS(2), INTS(0), INTS(0)),
    SLICED("f32[3]", INTS(2, 2), INTS(0, 0), NONE), SLICED("f32[3]", INTS(2), INTS(0), INTS(-1)),
    {&kn_prim_concatenate, "", &(kn_p_concatenate){0}}, {&kn_prim_concatenate, "f32[3] f64[3]", &(kn_p_concatenate){0}}, {&kn_prim_concatenate, "f32[2,3] f32[2,4]", &(kn_p_concatenate){0}},
    {&kn_prim_concatenate, "f32[3] f32[3]", &(kn_p_concatenate){1}}, {&kn_prim_concatenate, "f32[3] f32[1,3]", &(kn_p_concatenate){0}}, {&kn_prim_concatenate, "f32[] f32[]", &(kn_p_concatenate){0}},
    PADDED("f32[3] f64[]", INTS(0), INTS(0), INTS(0)), PADDED("f32[3] f32[1]", INTS(0), INTS(0), INTS(0)), PADDED("f32[3] f32[]", INTS(0, 0), INTS(0), INTS(0)),
    PADDED("f32[3] f32[]", INTS(0), INTS(0), INTS(-1)), PADDED("f32[3] f32[]", INTS(-2), INTS(-2), INTS(0)),
    {&kn_prim_iota, "", &(kn_p_iota){1, KN_DT(I32), INTS(3)}}, {&kn_prim_iota, "", &(kn_p_iota){0, KN_DT(I32), NONE}}, {&kn_prim_iota, "", &(kn_p_iota){0, KN_DT(KEY), INTS(3)}},
    {&kn_prim_iota, "", &(kn_p_iota){0, KN_DT(I32), INTS(-3)}},
    REDUCTION(reduce_sum, "f32"), REDUCTION(reduce_max, "f32"), REDUCTION(reduce_min, "f32"), REDUCTION(reduce_and, "bool"), REDUCTION(reduce_or, "bool"),
    {&kn_prim_reduce_and, "f32[3]", P_REDUCE(0)}, {&kn_prim_reduce_or, "f32[3]", P_REDUCE(0)}, {&kn_prim_reduce_sum, "key<fry>[3]", P_REDUCE(0)}, {&kn_prim_reduce_sum, "bool[3]", P_REDUCE(0)}, {&kn_prim_reduce_max, "f32[0]", P_REDUCE(0)}, ARGUMENT(argmax), ARGUMENT(argmin),
    PRODUCT("f32[3,4] f32[5,6]", INTS(1), INTS(0), NONE, NONE), PRODUCT("f32[3,4] f64[4,6]", INTS(1), INTS(0), NONE, NONE), PRODUCT("f32[3,4] f32[4,6]", INTS(1), NONE, NONE, NONE),
    PRODUCT("f32[3,4] f32[4,6]", INTS(2), INTS(0), NONE, NONE), PRODUCT("f32[3,4] f32[4,6]", NONE, NONE, INTS(0), INTS(0)), PRODUCT("f32[4,4] f32[4,4]", INTS(0), INTS(0), INTS(0), INTS(1)),
    GATHERED("f32[5] f32[2,1]", NONE, INTS(0), INTS(0), INTS(1)), GATHERED("f32[5] i32[2,2]", NONE, INTS(0), INTS(0), INTS(1)), GATHERED("f32[5] i32[2,1]", INTS(1), NONE, INTS(0), INTS(6)),
    GATHERED("f32[5] i32[2,1]", NONE, INTS(0), INTS(1), INTS(1)), GATHERED("f32[5] i32[2,1]", NONE, INTS(0), INTS(0), INTS(2)), GATHERED("f32[5] i32[2,1]", NONE, INTS(0), INTS(0), INTS(1, 1)),
    SCATTERED("f32[5] f32[2,1] f32[2]", NONE, INTS(0), INTS(0)), SCATTERED("f32[5] i32[2,1] f64[2]", NONE, INTS(0), INTS(0)), SCATTERED("f32[5] i32[2,1] f32[3]", NONE, INTS(0), INTS(0)),
    SCATTERED("f32[5] i32[2,1] f32[2,6]", INTS(1), NONE, INTS(0)), SCATTERED("f32[5] i32[2,2] f32[2]", NONE, INTS(0), INTS(0)), SCATTERED("f32[5] i32[2,1] f32[2]", NONE, INTS(0), INTS(1)),
    {&kn_prim_dynamic_slice, "f32[5] f32[]", &(kn_p_dynamic_slice){INTS(2)}}, {&kn_prim_dynamic_slice, "f32[5] i32[1]", &(kn_p_dynamic_slice){INTS(2)}},
    {&kn_prim_dynamic_slice, "f32[5] i32[]", &(kn_p_dynamic_slice){INTS(6)}}, {&kn_prim_dynamic_slice, "f32[5] i32[] i32[]", &(kn_p_dynamic_slice){INTS(2)}},
    {&kn_prim_dynamic_slice, "f32[5] i32[]", &(kn_p_dynamic_slice){INTS(-1)}}, {&kn_prim_dynamic_slice, "", &(kn_p_dynamic_slice){INTS(2)}},
    {&kn_prim_dynamic_update_slice, "f32[5] f64[2] i32[]", NULL}, {&kn_prim_dynamic_update_slice, "f32[5] f32[6] i32[]", NULL}, {&kn_prim_dynamic_update_slice, "f32[5] f32[2] f32[]", NULL},
    {&kn_prim_dynamic_update_slice, "f32[5] f32[2]", NULL}, {&kn_prim_dynamic_update_slice, "f32[5] f32[1,2] i32[]", NULL}, {&kn_prim_dynamic_update_slice, "f32[5]", NULL},
    {&kn_prim_sort, "", &(kn_p_sort){0, 1, true}}, {&kn_prim_sort, "f32[3]", &(kn_p_sort){1, 1, true}}, {&kn_prim_sort, "f32[3]", &(kn_p_sort){0, 2, true}},
    {&kn_prim_sort, "f32[3] f32[4]", &(kn_p_sort){0, 1, true}}, {&kn_prim_sort, "f32[3]", &(kn_p_sort){0, 0, true}}, {&kn_prim_sort, "f32[]", &(kn_p_sort){0, 1, true}},
    {&kn_prim_threefry2x32, "u32[] u32[] i32[] u32[]", NULL}, {&kn_prim_threefry2x32, "u64[] u64[] u64[] u64[]", NULL}, {&kn_prim_threefry2x32, "u32[2] u32[2] u32[3] u32[3]", NULL},
    {&kn_prim_random_bits, "u32[2]", &(kn_p_random_bits){32, INTS(3)}}, {&kn_prim_random_bits, "key<fry>[]", &(kn_p_random_bits){12, INTS(3)}}, {&kn_prim_random_bits, "key<fry>[]", &(kn_p_random_bits){32, INTS(-3)}},
    {&kn_prim_random_wrap, "u32[3]", NULL}, {&kn_prim_random_wrap, "i32[2]", NULL}, {&kn_prim_random_wrap, "u32[]", NULL}, {&kn_prim_random_unwrap, "u32[2]", NULL},
    {NULL, NULL, NULL},
};

/* Must be refused, with a text that says why. */
static void refused(bench *b, const kn_prim *p, const void *params, int n, const kn_type *type, const char *what)
{
    kn_builder k;
    kn_atom x[MAX_OPERANDS + 1], y[MAX_VALUES];
    knb_init(&k);
    for (int i = 0; i < n; i++)
        x[i] = knb_invar(&k, type[i]);
    knb_emit(&k, p, params, n, x, y, MAX_VALUES);
    kn_error *e = knb_take_error(&k);
    if (!e)
        bench_fail(b, "%s of %s is not refused", p->name, what);
    else if (!e->message || !*e->message || e->kind == KN_NO_ERROR || e->kind == KN_ERROR_MEMORY)
        bench_fail(b, "%s of %s is refused without a reason", p->name, what);
    knx_error_release(e);
    knb_free(&k);
}

/* One operand more, and one less, than a call that is right. */
static void wrong_counts(bench *b, const kn_prim *p)
{
    operand x[MAX_OPERANDS];
    kn_type type[MAX_OPERANDS + 1];
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

void check_refuses(bench *b, const kn_prim *p)
{
    operand x[MAX_OPERANDS];
    kn_type type[MAX_OPERANDS];
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

/* Groups of a factors text up to `end`: their number; whether all are just "...". An empty one beside others is a scalar. */
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

void check_row(bench *b, const kn_prim *p)
{
    const char *fault = kni_prim_fault(p), *arrow = p->factors ? strstr(p->factors, "->") : NULL;
    bool plain = true;
    if (fault)
        bench_fail(b, "%s", fault);
    else if (!p->doc || !strchr(p->doc, ' '))
        bench_fail(b, "no documentation");
    else if (!arrow && !(p->bits & KN_CALLS)) /* a call has the factors of its body */
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

static bool has_case(const kn_prim *p, kn_dtype d)
{
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *s = *list; s->prim; s++)
            if (s->prim == p && bench_has_dtype(s, d))
                return true;
    return false;
}

void check_dtypes(bench *b, const kn_prim *p)
{
    bool any = false;
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *s = *list; s->prim; s++) {
            any |= s->prim == p;
            for (int id = 0; s->prim == p && s->dtypes && id < KN_ID_COUNT; id++) {
                bench probe = {0};
                if (has_case(p, &kn_dtype_table[id]) || !bench_open(&probe, s, &kn_dtype_table[id], s->operands))
                    continue;
                probe.j = bench_build(&probe, false);
                if (probe.j)
                    bench_fail(b, "%s takes %s, and no case does", p->name, kn_dtype_table[id].name);
                bench_close(&probe);
            }
        }
    if (!any)
        bench_fail(b, "%s has no case", p->name);
}
