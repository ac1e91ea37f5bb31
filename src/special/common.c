/* SPDX-License-Identifier: Apache-2.0
 * common.c -- operands and results of special functions. */
#include "special/internal.h"

/* wide: 32 bits are computed in 64; complex: complex numbers are welcome. */
static void begin(kns_call *c, const char *name, int n, const kn_array *x, bool wide, bool complex)
{
    *c = (kns_call){.d = KN_DT(F64), .result = KN_DT(F64)};
    kna_begin(&c->op, name);
    kn_dtype d = kna_join(&c->op, n, x, &c->shape);
    c->b = c->op.b;
    if (!kna_failed(&c->op) && !knl_not_a_number(&c->op, name, d)) {
        kni_type t = n == 1 ? kna_type(&c->op, x[0]) : kni_scalar_type(d);
        c->result = knl_float_for(t);
        if (knx_is_complex(c->result) && !complex)
            knl_not_supported(&c->op, name);
        c->d = c->result->size == 2 ? KN_DT(F32) : c->result;
        if (wide)
            c->d = knx_is_complex(c->d) ? KN_DT(C128) : KN_DT(F64);
    }
    for (int i = 0; i < n; i++)
        c->x[i] = kna_failed(&c->op) ? KN_ATOM_NONE : knl_operand(&c->op, x[i], c->d, &c->shape);
    for (int i = 0; i < n && c->shape.ndim;
         i++) /* what is made of a scalar operand alone may meet a mask of the shape */
        if (!kna_failed(&c->op))
            c->x[i] = knb_broadcast_to(c->b, c->x[i], knl_shaped(c->d, &c->shape));
}

void kns_begin(kns_call *c, const char *name, int n, const kn_array *x) { begin(c, name, n, x, false, false); }

void kns_begin_wide(kns_call *c, const char *name, int n, const kn_array *x) { begin(c, name, n, x, true, false); }

void kns_begin_complex(kns_call *c, const char *name, kn_array x) { begin(c, name, 1, &x, true, true); }

kn_array kns_end(kns_call *c, kni_atom y)
{
    return kna_end(&c->op, kna_failed(&c->op) ? KN_ATOM_NONE : knb_convert(c->b, y, c->result));
}

void kns_end_n(kns_call *c, int n, const kni_atom *y, kn_array *out)
{
    kni_atom result[KNS_MAX_OPERANDS];
    for (int i = 0; i < n; i++)
        result[i] = kna_failed(&c->op) ? KN_ATOM_NONE : knb_convert(c->b, y[i], c->result);
    kna_end_n(&c->op, n, result, out);
}

kni_atom(kns_choose)(kns_call *c, kni_atom pred, kni_atom yes, kni_atom no)
{
    return knl_select(&c->op, pred, yes, no, &c->shape);
}

kni_atom kns_settle(kns_call *c, kni_atom whole, kni_atom y)
{
    kni_builder *b = c->b;
    double most = c->d->size == 4 ? 0x1p18 : 0x1p45;
    kni_atom exact = knb_and(b, whole, kns_below(c, knb_abs(b, y), most));
    kni_atom error = knb_stop_gradient(b, knb_sub(b, knb_round(b, y, true), y));
    return knb_add(b, y, kns_choose(c, exact, error, kns_number(c, 0)));
}

/* Veltkamp's halves of x. */
static kni_atom high_half(kns_call *c, kni_atom x)
{
    kni_atom scaled = kns_times(c, x, 0x1p27 + 1);
    return knb_sub(c->b, scaled, knb_sub(c->b, scaled, x));
}

kni_atom kns_product_error(kns_call *c, kni_atom x, kni_atom y, kni_atom product)
{
    kni_builder *b = c->b;
    kni_atom p = high_half(c, x), q = high_half(c, y), r = knb_sub(b, x, p), s = knb_sub(b, y, q);
    kni_atom e = knb_sub(b, product, knb_mul(b, p, q));
    e = knb_sub(b, knb_sub(b, e, knb_mul(b, r, q)), knb_mul(b, p, s));
    return knb_sub(b, knb_mul(b, r, s), e);
}

kni_atom kns_polynomial(kns_call *c, kni_atom x, int n, const double *coefficient)
{
    kni_atom y = kns_number(c, coefficient[n - 1]);
    for (int k = n - 2; k >= 0; k--)
        y = kns_plus(c, knb_mul(c->b, y, x), coefficient[k]);
    return y;
}
