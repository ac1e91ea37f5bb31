/* SPDX-License-Identifier: Apache-2.0
 * cases_branches.c -- a choice between jaxprs: x y, y; x + x, y; x y + y, x, which is not worked out for lanes that take
 * another one. */
#include "cases.h"

static kni_jaxpr *branch(kni_builder *outer, int k, kni_type x, kni_type y)
{
    kni_builder b;
    kni_jaxpr *j = NULL;
    knb_init(&b);
    kni_atom in[2] = {knb_invar(&b, x), knb_invar(&b, y)}, out[2] = {KN_ATOM_NONE, in[1]};
    if (k == 0)
        out[0] = knb_mul(&b, in[0], in[1]);
    if (k == 1)
        out[0] = knb_add(&b, in[0], in[0]);
    if (k == 2) {
        kni_atom apart = KN_ATOM_NONE; /* neither elementwise nor a view */
        knb_emit(&b, &knp_prim_optimization_barrier, NULL, 1, in, &apart, 1);
        out[0] = knb_add(&b, knb_mul(&b, apart, in[1]), in[1]);
        out[1] = apart;
    }
    knx_error *e = knb_finish(&b, 2, out, "", false, &j);
    if (e)
        knb_fail(outer, e);
    knb_free(&b);
    return j;
}

static int build(kni_builder *b, int n, const kni_atom *x, kni_atom *y)
{
    kni_jaxpr *all[3] = {NULL};
    bool made = true;
    y[0] = y[1] = KN_ATOM_NONE;
    for (int k = 0; k < n && made; k++)
        made = (all[k] = branch(b, k, knb_type(b, x[0]), knb_type(b, x[1]))) != NULL;
    if (made)
        knb_cond(b, &(kni_p_cond){.branches = {n, all}}, (kni_atom[]){x[2], x[0], x[1]}, y);
    for (int k = 0; k < n; k++)
        kni_release(all[k]);
    return made ? 2 : 0;
}
static int build_cond(kni_builder *b, const kni_atom *x, kni_atom *y) { return build(b, 2, x, y); }
static int build_switch(kni_builder *b, const kni_atom *x, kni_atom *y) { return build(b, 3, x, y); }

static void ref_choice(call *c, int n)
{
    const tensor *x = &c->x[0], *y = &c->x[1];
    int64_t index = (int32_t)c->x[2].at[0].bits;
    int k = index < 0 ? 0 : index >= n ? n - 1 : (int)index;
    tensor *u = result(c, x->dtype, x->ndim, x->dim), *v = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < x->n; i++) {
        num a = x->at[i], b = y->at[i];
        u->at[i] = k == 1 ? num_add(x->dtype, a, a) : num_mul(x->dtype, a, b);
        if (k == 2)
            u->at[i] = num_add(x->dtype, u->at[i], b);
        v->at[i] = k == 2 ? a : b;
    }
}
static void ref_cond(call *c) { ref_choice(c, 2); }
static void ref_switch(call *c) { ref_choice(c, 3); }

#define SHAPES "T[3] T[3] i32[]{-2,1}; T[2,3] T[2,3] i32[]{1,5}; T[] T[] i32[]{2,3}; T[0] T[0] i32[]{0,3}"

const sample samples_branches[] = {
    {.prim = &knp_prim_cond,
     .label = "cond",
     .dtypes = EVERYTHING,
     .operands = SHAPES,
     .build = build_cond,
     .whole = ref_cond,
     .ulp = 4},
    {.prim = &knp_prim_cond, /* of 16 bits it rounds more often than the reference does */
     .label = "switch",
     .dtypes = "bool f32 f64 " INTEGERS " " COMPLEX,
     .operands = SHAPES,
     .build = build_switch,
     .whole = ref_switch,
     .ulp = 4},
    {.prim = NULL},
};
