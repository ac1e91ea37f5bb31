/* SPDX-License-Identifier: Apache-2.0
 * gcd.c -- greatest common divisors and least common multiples of integers, by Euclid, in unsigned numbers. */
#include "lib/formulas.h"
#include "prim/iterate.h"

static kn_dtype unsigned_of(kn_dtype d)
{
    return d->size == 1 ? KN_DT(U8) : d->size == 2 ? KN_DT(U16) : d->size == 4 ? KN_DT(U32) : KN_DT(U64);
}

static kni_atom size_of(kni_builder *b, kni_atom x)
{
    kn_dtype d = knb_type(b, x).dtype;
    return knb_astype(b, d->kind == KN_KIND_INT ? knb_abs(b, x) : x, unsigned_of(d));
}

/* Of unsigned numbers. */
static kni_atom divisor(kni_builder *b, kni_atom x, kni_atom y)
{
    knp_iteration it;
    kni_atom init[] = {knb_ne(b, y, knb_like(b, y, 0)), x, y}, out[3];
    knp_iterate(&it, b, 0, 3, init);
    kni_builder *body = &it.body;
    kni_atom rest = knb_rem(body, it.in[1], it.in[2]); /* x % 0 is x: not used */
    kni_atom next[] = {knb_ne(body, rest, knb_like(body, rest, 0)), it.in[2], rest};
    knp_iterate_end(&it, next, out);
    return out[1];
}

kni_atom knl_gcd(kni_builder *b, kni_atom x, kni_atom y)
{
    return knb_astype(b, divisor(b, size_of(b, x), size_of(b, y)), knb_type(b, x).dtype);
}

kni_atom knl_lcm(kni_builder *b, kni_atom x, kni_atom y)
{
    kni_atom p = size_of(b, x), q = size_of(b, y), common = divisor(b, p, q);
    kni_atom none = knb_eq(b, common, knb_like(b, common, 0));
    kni_atom part = knb_div(b, p, knb_select(b, none, knb_like(b, common, 1), common));
    return knb_astype(b, knb_mul(b, part, q), knb_type(b, x).dtype);
}
