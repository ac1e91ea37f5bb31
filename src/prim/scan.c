/* SPDX-License-Identifier: Apache-2.0
 * scan.c -- scan: a body that runs once for each element of its inputs, with a carry, and gives an element of each
 * output. */
#include "prim/frame.h"
#include "prim/scan_separate.h"

static bool is_element(kn_type whole, int64_t length, kn_type element)
{
    if (whole.ndim != element.ndim + 1 || whole.dtype != element.dtype || whole.dim[0] != length)
        return false;
    for (int d = 0; d < element.ndim; d++)
        if (whole.dim[d + 1] != element.dim[d])
            return false;
    return true;
}

static kn_error *check_counts(const kn_p_scan *p, int n_in)
{
    const kni_jaxpr *j = p->jaxpr;
    if (!j || j->n_const)
        return knx_error(KN_ERROR_VALUE, "scan needs a jaxpr without constants");
    if (p->length < 0 || p->num_carry < 0 || p->num_consts < 0 || p->num_consts > n_in - p->num_carry)
        return knx_error(KN_ERROR_VALUE, "%lld constants and %lld carries do not fit %d operands",
                         (long long)p->num_consts, (long long)p->num_carry, n_in);
    if (j->n_in != (uint32_t)n_in || j->n_out < p->num_carry)
        return knx_error(KN_ERROR_TYPE, "the body takes %u and gives %u arrays, not %d and at least %lld", j->n_in,
                         j->n_out, n_in, (long long)p->num_carry);
    return NULL;
}

static kn_error *scan_type(const void *params, int n_in, const kn_type *x, kn_arena *a, int *n_out, kn_type *y)
{
    const kn_p_scan *p = params;
    KN_TRY(check_counts(p, n_in));
    const kni_jaxpr *j = p->jaxpr;
    int64_t first_x = p->num_consts + p->num_carry;
    for (int64_t i = 0; i < p->num_carry; i++)
        KN_TRY(knp_check_carry(NULL, (uint32_t)i, kni_in_type(j, (uint32_t)(p->num_consts + i)),
                               kni_out_type(j, (uint32_t)i)));
    for (int i = 0; i < n_in; i++) {
        kn_type t = kni_in_type(j, (uint32_t)i);
        if (i < first_x ? knp_same_type(x[i], t) : is_element(x[i], p->length, t))
            continue;
        kn_text s = {0}, e = {0};
        return knx_error(KN_ERROR_TYPE, "input %d of the body has type %s, but scan was given %s", i,
                         kni_type_text(&e, t, true), kni_type_text(&s, x[i], true));
    }
    if ((uint32_t)*n_out < j->n_out)
        return knx_error(KN_ERROR_VALUE, "scan has more results than there is room for");
    for (uint32_t i = 0; i < j->n_out; i++) {
        kn_type t = kni_out_type(j, i);
        int64_t dim[KN_MAX_NDIM + 1] = {p->length};
        if (i >= p->num_carry) {
            if (t.ndim >= KN_MAX_NDIM)
                return knx_error(KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d",
                                 KN_MAX_NDIM, t.ndim + 1);
            for (int d = 0; d < t.ndim; d++)
                dim[d + 1] = t.dim[d];
            t.ndim++;
            t.dim = dim;
        }
        if (!kni_type_copy(a, t, &y[i]))
            return knx_error_nomem();
    }
    *n_out = (int)j->n_out;
    return NULL;
}

const kn_prim kn_prim_scan = {
    .name = "scan",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_LOOPS | KN_CAN_FAIL,
    .loops = KN_LOOP_SCAN,
    .linear_in = UINT32_MAX,
    .fields = kni_fields_scan,
    .params_size = sizeof(kn_p_scan),
    .doc = "runs a body once for each element of its inputs, with a carry (jax.lax.scan)",
    .type = scan_type,
    .expand = knp_scan_separate,
    .expands = knp_scan_separates,
};
