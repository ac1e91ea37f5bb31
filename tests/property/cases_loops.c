/* SPDX-License-Identifier: Apache-2.0
 * cases_loops.c -- rows that run jaxprs again and again: their samples and references. */
#include "cases.h"

/* x = x * w + w, n times. */
static kni_jaxpr *finished(kn_builder *outer, kn_builder *b, int n, const kn_atom *out)
{
    kni_jaxpr *j = NULL;
    kn_error *e = knb_finish(b, n, out, "", false, &j);
    if (e)
        knb_fail(outer, e);
    knb_free(b);
    return j;
}

static kni_jaxpr *count_condition(kn_builder *outer, kn_type x)
{
    kn_builder b;
    knb_init(&b);
    kn_atom n = knb_invar(&b, kni_scalar_type(KN_DT(I32))), i = knb_invar(&b, kni_scalar_type(KN_DT(I32)));
    knb_invar(&b, x);
    kn_atom y = knb_lt(&b, i, n);
    return finished(outer, &b, 1, &y);
}

static kni_jaxpr *step_body(kn_builder *outer, kn_type w, kn_type x)
{
    kn_builder b;
    knb_init(&b);
    kn_atom by = knb_invar(&b, w), i = knb_invar(&b, kni_scalar_type(KN_DT(I32))), at = knb_invar(&b, x);
    kn_atom y[2] = {knb_add(&b, i, knb_integer(&b, KN_DT(I32), 1)), knb_add(&b, knb_mul(&b, at, by), by)};
    return finished(outer, &b, 2, y);
}

static int build_while(kn_builder *b, const kn_atom *x, kn_atom *y)
{
    kn_atom in[4] = {x[2], x[1], knb_integer(b, KN_DT(I32), 0), x[0]}, out[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kni_jaxpr *body = step_body(b, knb_type(b, x[1]), knb_type(b, x[0])),
              *condition = count_condition(b, knb_type(b, x[0]));
    if (body && condition)
        knb_while(b, &(kn_p_while){body, 1, condition, 1, 0}, in, out);
    kni_release(body);
    kni_release(condition);
    y[0] = out[1];
    return body && condition ? 1 : 0;
}

static void ref_while(call *c)
{
    const tensor *x = &c->x[0], *w = &c->x[1];
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < x->n; i++) {
        num v = x->at[i], by = w->at[w->n == 1 ? 0 : i];
        for (int k = 0; k < (int)(int64_t)c->x[2].at[0].bits; k++)
            v = num_add(x->dtype, num_mul(x->dtype, v, by), by);
        y->at[i] = v;
    }
}

const sample samples_loops[] = {
    {.prim = &kn_prim_while,
     .label = "rounds",
     .dtypes = "bool f32 f64 " INTEGERS " " COMPLEX,
     .operands = "T[3] T[3] i32[]{0,5}; T[] T[] i32[]{0,5}; T[2,3] T[] i32[]{-2,3}; T[0] T[0] i32[]{0,5}",
     .build = build_while,
     .whole = ref_while,
     .lo = -1,
     .hi = 1,
     .ulp = 4},
    {.prim = &kn_prim_while, /* more rounds round more often than the reference does */
     .label = "once",
     .dtypes = "f16 bf16",
     .operands = "T[3] T[3] i32[]{0,2}; T[2,3] T[] i32[]{-2,2}",
     .build = build_while,
     .whole = ref_while,
     .lo = 1,
     .hi = 2,
     .ulp = 4},
    {.prim = NULL},
};
