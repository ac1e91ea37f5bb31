/* SPDX-License-Identifier: Apache-2.0
 * cases_loops.c -- rows that run jaxprs again and again: their samples and references. */
#include "cases.h"

/* x = x * w + w, n times. */
static kni_jaxpr *finished(kni_builder *outer, kni_builder *b, int n, const kni_atom *out)
{
    kni_jaxpr *j = NULL;
    knx_error *e = knb_finish(b, n, out, "", false, &j);
    if (e)
        knb_fail(outer, e);
    knb_free(b);
    return j;
}

static kni_jaxpr *count_condition(kni_builder *outer, kni_type x)
{
    kni_builder b;
    knb_init(&b);
    kni_atom n = knb_invar(&b, kni_scalar_type(KN_DT(I32))), i = knb_invar(&b, kni_scalar_type(KN_DT(I32)));
    knb_invar(&b, x);
    kni_atom y = knb_lt(&b, i, n);
    return finished(outer, &b, 1, &y);
}

static kni_jaxpr *step_body(kni_builder *outer, kni_type w, kni_type x)
{
    kni_builder b;
    knb_init(&b);
    kni_atom by = knb_invar(&b, w), i = knb_invar(&b, kni_scalar_type(KN_DT(I32))), at = knb_invar(&b, x);
    kni_atom y[2] = {knb_add(&b, i, knb_integer(&b, KN_DT(I32), 1)), knb_add(&b, knb_mul(&b, at, by), by)};
    return finished(outer, &b, 2, y);
}

static int build_while(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom in[4] = {x[2], x[1], knb_integer(b, KN_DT(I32), 0), x[0]}, out[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kni_jaxpr *body = step_body(b, knb_type(b, x[1]), knb_type(b, x[0])),
              *condition = count_condition(b, knb_type(b, x[0]));
    if (body && condition)
        knb_while(b, &(kni_p_while){body, 1, condition, 1, 0, 0, 0}, in, out);
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

/* w, c, e -> c + c + w e, twice: the carry and an output. Linear in each operand while the others stay fixed. */
static kni_jaxpr *scan_body(kni_builder *outer, kni_type w, kni_type c)
{
    kni_builder b;
    knb_init(&b);
    kni_atom by = knb_invar(&b, w), at = knb_invar(&b, c), e = knb_invar(&b, c);
    kni_atom next = knb_add(&b, knb_add(&b, at, at), knb_mul(&b, by, e));
    return finished(outer, &b, 2, (kni_atom[]){next, next});
}

static int write_scan(kni_builder *b, const kni_atom *x, kni_atom *y, kni_p_scan p)
{
    p.jaxpr = scan_body(b, knb_type(b, x[1]), knb_type(b, x[0]));
    p.length = knb_type(b, x[2]).dim[0];
    p.num_carry = p.num_consts = 1;
    y[0] = y[1] = KN_ATOM_NONE;
    if (p.jaxpr)
        knb_scan(b, &p, (kni_atom[]){x[1], x[0], x[2]}, y);
    kni_release(p.jaxpr);
    return p.jaxpr ? 2 : 0;
}
static int build_scan(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return write_scan(b, x, y, (kni_p_scan){.unroll = 1});
}
static int build_reversed(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return write_scan(b, x, y, (kni_p_scan){.reverse = true});
}
static int build_chunks(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return write_scan(b, x, y, (kni_p_scan){.checkpoint = 2});
}
static int build_reversed_chunks(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return write_scan(b, x, y, (kni_p_scan){.reverse = true, .checkpoint = 2});
}

static void scan_in_order(call *c, bool reverse)
{
    const tensor *x = &c->x[0], *w = &c->x[1], *e = &c->x[2];
    tensor *y = result(c, x->dtype, x->ndim, x->dim), *all = result(c, e->dtype, e->ndim, e->dim);
    for (int64_t i = 0; i < x->n; i++) {
        num v = x->at[i], by = w->at[w->n == 1 ? 0 : i];
        for (int64_t k = 0; k < e->dim[0]; k++) {
            int64_t at = (reverse ? e->dim[0] - 1 - k : k) * x->n + i;
            v = all->at[at] = num_add(x->dtype, num_add(x->dtype, v, v), num_mul(x->dtype, by, e->at[at]));
        }
        y->at[i] = v;
    }
}
static void ref_scan(call *c) { scan_in_order(c, false); }
static void ref_reversed(call *c) { scan_in_order(c, true); }

#define SCANS "T[3] T[3] T[4,3]; T[] T[] T[5]; T[2,3] T[] T[1,2,3]; T[2] T[2] T[0,2]; T[0] T[0] T[3,0]"

const sample samples_loops[] = {
    {.prim = &knp_prim_scan,
     .label = "steps",
     .dtypes = "bool f32 f64 " INTEGERS " " COMPLEX,
     .operands = SCANS,
     .build = build_scan,
     .whole = ref_scan,
     .lo = 1,
     .hi = 2,
     .ulp = 8},
    {.prim = &knp_prim_scan, /* more steps round more often than the reference does */
     .label = "once",
     .dtypes = "f16 bf16",
     .operands = "T[3] T[3] T[1,3]; T[2,3] T[] T[1,2,3]",
     .build = build_scan,
     .whole = ref_scan,
     .lo = 1,
     .hi = 2,
     .ulp = 4},
    {.prim = &knp_prim_scan,
     .label = "reversed",
     .dtypes = "i32 f64 c128",
     .operands = SCANS,
     .build = build_reversed,
     .whole = ref_reversed,
     .lo = 1,
     .hi = 2,
     .ulp = 8},
    {.prim = &knp_prim_scan,
     .label = "chunks",
     .dtypes = "i32 f64 c128",
     .operands = SCANS,
     .build = build_chunks,
     .whole = ref_scan,
     .lo = 1,
     .hi = 2,
     .ulp = 8},
    {.prim = &knp_prim_scan,
     .label = "reversed chunks",
     .dtypes = "f64",
     .operands = SCANS,
     .build = build_reversed_chunks,
     .whole = ref_reversed,
     .lo = 1,
     .hi = 2,
     .ulp = 8},
    {.prim = &knp_prim_while,
     .label = "rounds",
     .dtypes = "bool f32 f64 " INTEGERS " " COMPLEX,
     .operands = "T[3] T[3] i32[]{0,5}; T[] T[] i32[]{0,5}; T[2,3] T[] i32[]{-2,3}; T[0] T[0] i32[]{0,5}",
     .build = build_while,
     .whole = ref_while,
     .lo = -1,
     .hi = 1,
     .ulp = 4},
    {.prim = &knp_prim_while, /* more rounds round more often than the reference does */
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
