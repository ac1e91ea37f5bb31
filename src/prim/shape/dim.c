/* SPDX-License-Identifier: Apache-2.0
 * dim.c -- dim_as_value: the number of a dimension, as an array. What is computed of an extent says it by this row
 * where the extent is an expression, which has no number before the program runs.
 *
 *     type       an int64 scalar
 *     jvp        an integer without operands
 *     batch      it has no operands
 *     lower      a number that the launch gives, as the positions of an iota are: kernels know no number of it
 */
#include "prim/rules.h"

static knx_error *dim_type(kni_rule *r, kni_type *y)
{
    const kni_p_dim *p = r->params;
    KN_TRY(kni_dim_fits(p, p->dim));
    return knp_type_dims(r->arena, KN_DT(I64), false, 0, NULL, y);
}

static void dim_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    kni_index *at = kni_lower_index(l, 1, i);
    if (!at)
        return;
    at->axis[0].offset = ((const kni_p_dim *)r->params)->dim;
    *y = knp_real(kni_lower_axis_value(l, at, 0)); /* of a number, too: kernels are the same for all */
}

static kni_atom dim_simplify(const kni_rule *r)
{
    int64_t d = ((const kni_p_dim *)r->params)->dim;
    return knx_is_symbolic(d) ? KN_ATOM_NONE : knb_integer(r->b, KN_DT(I64), d);
}

const kni_prim knp_prim_dim_as_value = {
    .name = "dim_as_value",
    .n_in = 0,
    .n_out = 1,
    .bits = KN_CHEAP | KN_INTEGER_RESULT,
    .factors = "-> ...",
    .why_no_jvp = KN_WHY_INTEGERS,
    .why_no_transpose = KN_WHY_INTEGERS,
    .fields = kni_fields_dim,
    .params_size = sizeof(kni_p_dim),
    .type = dim_type,
    .batch = knp_batch_none,
    .pull = dim_pull,
    .simplify = dim_simplify,
    .doc = "the number of a dimension, which may be an expression of variables (jax.export's dim_as_value)",
};
