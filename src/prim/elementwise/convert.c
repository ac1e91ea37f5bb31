/* SPDX-License-Identifier: Apache-2.0
 * convert.c -- elementwise primitives between dtypes: conversions, bit patterns, complex parts; stop_gradient.
 *
 *     type       the operand's shape with another dtype
 *     jvp        linear, but nothing for bit patterns, integer results and stop_gradient
 *     transpose  the way back. Cotangents of complex numbers are not conjugated: real has (ct, 0), imag (0, -ct)
 *     batch      as all elementwise primitives
 *     lower      casts and bit casts; the parts are the nodes that a complex number travels as; bitcast_last_axis,
 *                which is not elementwise, is an alias
 */
#include "prim/rules.h"

#define ONE_OPERAND .n_in = 1, .n_out = 1, .factors = "... -> ...", .batch = knp_batch_elementwise

/* convert_element_type */

static knx_error *convert_type(kni_rule *r, kni_type *y)
{
    const kni_p_convert *p = r->params;
    if (p->new_dtype != r->xt->dtype && (r->xt->dtype->kind == KN_KIND_KEY || p->new_dtype->kind == KN_KIND_KEY))
        return knx_error_new(KN_ERROR_TYPE, "cannot convert %s to %s", r->xt->dtype->name, p->new_dtype->name);
    KN_TRY(knp_type_like(r->arena, *r->xt, p->new_dtype, y));
    y->weak = p->weak_type;
    return NULL;
}

static void convert_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    if (kni_has_tangent(r->yt[0]))
        knp_jvp_linear(r, tx, ty);
}

static knx_error *convert_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    ct_in[0] = knb_convert(r->b, ct[0], r->xt[0].dtype);
    return NULL;
}

static void convert_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    const kni_p_convert *p = r->params;
    *y = (p->wraps ? knp_value_cast : knp_value_saturate)(k, r->xt[0].dtype, r->v[0], r->yt[0].dtype);
}

const kni_prim knp_prim_convert_element_type = {
    .name = "convert_element_type",
    .events = KN_EVENTS | KN_EVENTS_CAST,
    ONE_OPERAND,
    .bits = KN_ELEMENTWISE | KN_CHEAP,
    .linear_in = 1,
    .fields = kni_fields_convert,
    .params_size = sizeof(kni_p_convert),
    .type = convert_type,
    .jvp = convert_jvp,
    .transpose = convert_transpose,
    .expr = convert_expr,
    .doc = "each element converted to another dtype: floats become the nearest integer of the range, NaN 0; with wraps "
           "as NumPy's astype has it on x86-64 (jax.lax.convert_element_type)",
};

/* bitcast_convert_type */

static knx_error *bitcast_type(kni_rule *r, kni_type *y)
{
    const kni_p_bitcast *p = r->params;
    if (p->new_dtype->size != r->xt->dtype->size)
        return knx_error_new(KN_ERROR_VALUE, "cannot see the bits of %s as %s: their sizes differ", r->xt->dtype->name,
                             p->new_dtype->name);
    if (p->new_dtype != r->xt->dtype && (r->xt->dtype == KN_DT(KEY) || p->new_dtype == KN_DT(KEY)))
        return knx_error_new(KN_ERROR_TYPE, "does not accept random keys");
    KN_TRY(knp_type_like(r->arena, *r->xt, p->new_dtype, y));
    y->weak = false;
    return NULL;
}

static kn_dtype unsigned_of_size(int size)
{
    return size == 1 ? KN_DT(U8) : size == 2 ? KN_DT(U16) : size == 4 ? KN_DT(U32) : KN_DT(U64);
}

/* The part of a complex64 that lies in the low or high word of its 64 bits: the real part is the first in memory. */
static knk_node *part_in_word(kni_pair *z, bool low)
{
    return low == (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__) ? &z->re : &z->im;
}

/* The bits of an element of at most eight bytes as an unsigned node of its size. */
static knk_node bits_of(knk_builder *k, kn_dtype d, kni_pair x)
{
    knx_dtype_id id = (knx_dtype_id)unsigned_of_size(d->size)->id;
    if (knx_is_stored(d))
        return x.re;
    if (d->id == KN_ID_C64) {
        knk_node lo = knk_cast(k, KN_ID_U64, knk_bitcast(k, KN_ID_U32, *part_in_word(&x, true))),
                 hi = knk_cast(k, KN_ID_U64, knk_bitcast(k, KN_ID_U32, *part_in_word(&x, false)));
        return knk_binary(k, KNK_OR, lo, knk_binary(k, KNK_SHL, hi, knk_const_int(k, KN_ID_U64, 32)));
    }
    if (d->kind == KN_KIND_BOOL)
        return knk_cast(k, id, x.re);
    if (knp_node_dtype(d) != (knx_dtype_id)d->id) /* 16-bit floats travel as float32 */
        x.re = knk_cast(k, (knx_dtype_id)d->id, x.re);
    return d->id == (uint8_t)id ? x.re : knk_bitcast(k, id, x.re);
}

static kni_pair value_of_bits(knk_builder *k, kn_dtype d, knk_node bits)
{
    if (knx_is_stored(d))
        return knp_real(bits);
    if (d->id == KN_ID_C64) {
        knk_node hi = knk_cast(k, KN_ID_U32, knk_binary(k, KNK_SHR, bits, knk_const_int(k, KN_ID_U64, 32)));
        kni_pair z;
        *part_in_word(&z, true) = knk_bitcast(k, KN_ID_F32, knk_cast(k, KN_ID_U32, bits));
        *part_in_word(&z, false) = knk_bitcast(k, KN_ID_F32, hi);
        return z;
    }
    if (d->kind == KN_KIND_BOOL)
        return knp_real(knk_cast(k, KN_ID_BOOL, bits));
    knk_node y = knk_dtype(k, bits) == (knx_dtype_id)d->id ? bits : knk_bitcast(k, (knx_dtype_id)d->id, bits);
    return knp_real(knp_node_dtype(d) == (knx_dtype_id)d->id ? y : knk_cast(k, knp_node_dtype(d), y));
}

static void bitcast_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    kn_dtype from = r->xt[0].dtype, to = r->yt[0].dtype;
    *y = from == to ? r->v[0] : value_of_bits(k, to, bits_of(k, from, r->v[0]));
}

static kni_atom bitcast_put(const kni_rule *r, kni_atom v) { return knb_bitcast(r->b, v, r->xt[0].dtype); }

const kni_prim knp_prim_bitcast_convert_type = {
    .name = "bitcast_convert_type",
    ONE_OPERAND,
    .bits = KN_ELEMENTWISE | KN_CHEAP | KN_COMPONENT,
    .why_no_jvp = KN_WHY_NOT_DIFFERENTIABLE,
    .why_no_transpose = KN_WHY_NOT_DIFFERENTIABLE,
    .fields = kni_fields_bitcast,
    .params_size = sizeof(kni_p_bitcast),
    .type = bitcast_type,
    .expr = bitcast_expr,
    .put = bitcast_put,
    .doc = "the bits of each element read as another dtype of the same size (jax.lax.bitcast_convert_type)",
};

/* bitcast_last_axis: the memory of the last axis as elements of another size. An alias of the stored operand. */

static knx_error *last_axis_type(kni_rule *r, kni_type *y)
{
    kn_dtype to = ((const kni_p_bitcast *)r->params)->new_dtype;
    if (r->xt->dtype == KN_DT(KEY) || to == KN_DT(KEY))
        return knx_error_new(KN_ERROR_TYPE, "does not accept random keys");
    if (to->kind == KN_KIND_BOOL) /* not all bytes are booleans */
        return knx_error_new(KN_ERROR_TYPE, "does not accept dtype bool");
    if (!r->xt->ndim)
        return knx_error_new(KN_ERROR_VALUE,
                             "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    knp_dims shape = knp_dims_of(*r->xt);
    int64_t bytes =
        knx_dim_mul(shape.v[r->xt->ndim - 1], (int64_t)r->xt->dtype->size); /* fits: no array is larger than memory */
    if (!knx_dim_eq(knx_dim_mod(bytes, (int64_t)to->size), 0))
        return knx_error_new(KN_ERROR_VALUE, "When changing to a larger dtype, its size must be a divisor of the total "
                                             "size in bytes of the last axis of the array.");
    shape.v[r->xt->ndim - 1] = knx_dim_floordiv(bytes, (int64_t)to->size);
    return knp_type_dims(r->arena, to, false, shape.n, shape.v, y);
}

static knx_error *last_axis_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_bitcast *p = r->params;
    y[0] = knb_bitcast_last_axis(r->b, knp_batched_at(r, 0, size, axis[0], 0), p->new_dtype);
    axis_out[0] = 0;
    return NULL;
}

static bool last_axis_map_exists(const kni_rule *r)
{
    (void)r;
    return false;
}

/* Never called: an element of the result is no element of the operand. */
static void last_axis_map(const kni_rule *r, const kni_index *out, kni_index *in) { (void)r, (void)out, (void)in; }

static kni_atom last_axis_put(const kni_rule *r, kni_atom v)
{
    kn_dtype d = r->xt[0].dtype;
    bool truth = d->kind == KN_KIND_BOOL;
    v = knb_bitcast_last_axis(r->b, v, truth ? KN_DT(U8) : d);
    return truth ? knb_bitcast(r->b, v, d) : v;
}

static void last_axis_spread(const kni_rule *r, kni_spread *s)
{
    knp_spread_but(r, s, (kni_ints){1, &(const int64_t){r->xt[0].ndim - 1}});
}

const kni_prim knp_prim_bitcast_last_axis = {
    .name = "bitcast_last_axis",
    .n_in = 1,
    .n_out = 1,
    .factors = "... a -> ... b",
    .bits = KN_VIEW,
    .why_no_jvp = KN_WHY_NOT_DIFFERENTIABLE,
    .why_no_transpose = KN_WHY_NOT_DIFFERENTIABLE,
    .fields = kni_fields_bitcast,
    .params_size = sizeof(kni_p_bitcast),
    .type = last_axis_type,
    .batch = last_axis_batch,
    .map = last_axis_map,
    .map_exists = last_axis_map_exists,
    .put = last_axis_put,
    .spread = last_axis_spread,
    .cost = knp_cost_none,
    .doc = "the bytes along the last axis read as a dtype of another size (x.view(dtype) of NumPy)",
};

/* stop_gradient */

static knx_error *same_type(kni_rule *r, kni_type *y) { return knp_type_like(r->arena, *r->xt, r->xt->dtype, y); }

const kni_prim knp_prim_stop_gradient = {
    .name = "stop_gradient",
    ONE_OPERAND,
    .bits = KN_ELEMENTWISE | KN_CHEAP | KN_IDENTITY,
    .cost = knp_cost_none,
    .type = same_type,
    .jvp = knp_jvp_zero,
    .expr = knp_expr_same,
    .doc = "x itself, which counts as a constant in derivatives (jax.lax.stop_gradient)",
};

/* real, imag, conj of complex numbers */

static knx_error *part_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt->dtype, KNP_COMPLEX));
    return knp_type_like(r->arena, *r->xt, knx_component(r->xt->dtype), y);
}

static knx_error *conj_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt->dtype, KNP_COMPLEX));
    return knp_type_like(r->arena, *r->xt, r->xt->dtype, y);
}

static knx_error *real_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    ct_in[0] = knb_complex(r->b, ct[0], knb_like(r->b, ct[0], 0));
    return NULL;
}

static knx_error *imag_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    ct_in[0] = knb_complex(r->b, knb_like(r->b, ct[0], 0), knb_neg(r->b, ct[0]));
    return NULL;
}

static void real_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { (void)k, *y = knp_real(r->v[0].re); }
static void imag_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { (void)k, *y = knp_real(r->v[0].im); }

static void conj_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    *y = (kni_pair){r->v[0].re, knk_unary(k, KNK_NEG, r->v[0].im)};
}

static kni_atom real_put(const kni_rule *r, kni_atom v) { return knb_complex(r->b, v, knb_imag(r->b, r->x[0])); }
static kni_atom imag_put(const kni_rule *r, kni_atom v) { return knb_complex(r->b, knb_real(r->b, r->x[0]), v); }

enum { TAKES_APART = KN_ELEMENTWISE | KN_CHEAP };

const kni_prim knp_prim_real = {
    .name = "real",
    ONE_OPERAND,
    .bits = TAKES_APART | KN_COMPONENT,
    .linear_in = 1,
    .cost = knp_cost_none,
    .type = part_type,
    .jvp = knp_jvp_linear,
    .transpose = real_transpose,
    .expr = real_expr,
    .put = real_put,
    .doc = "the real part of complex numbers (np.real)",
};
const kni_prim knp_prim_imag = {
    .name = "imag",
    ONE_OPERAND,
    .bits = TAKES_APART | KN_COMPONENT,
    .component = 1,
    .linear_in = 1,
    .cost = knp_cost_none,
    .type = part_type,
    .jvp = knp_jvp_linear,
    .transpose = imag_transpose,
    .expr = imag_expr,
    .put = imag_put,
    .doc = "the imaginary part of complex numbers (np.imag)",
};
const kni_prim knp_prim_conj = {
    .name = "conj",
    ONE_OPERAND,
    .bits = TAKES_APART,
    .linear_in = 1,
    .fields = kni_fields_conj,
    .type = conj_type,
    .jvp = knp_jvp_linear,
    .transpose = knp_transpose_same,
    .expr = conj_expr,
    .doc = "the complex conjugate (np.conjugate)",
};

/* complex: a complex number from its parts */

static knx_error *complex_type(kni_rule *r, kni_type *y)
{
    if (r->xt[0].dtype != KN_DT(F32) && r->xt[0].dtype != KN_DT(F64))
        return knp_accepts(r->xt[0].dtype, 0);
    KN_TRY(knp_join(r->n_in, r->xt, r->arena, y));
    y->dtype = knx_complex_of(y->dtype);
    return NULL;
}

static knx_error *complex_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    if (r->x[0] == KN_ATOM_LINEAR)
        ct_in[0] = knp_unbroadcast(r->b, knb_real(r->b, ct[0]), r->xt[0]);
    if (r->x[1] == KN_ATOM_LINEAR)
        ct_in[1] = knb_neg(r->b, knp_unbroadcast(r->b, knb_imag(r->b, ct[0]), r->xt[1]));
    return NULL;
}

static void complex_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    (void)k, *y = (kni_pair){r->v[0].re, r->v[1].re};
}

const kni_prim knp_prim_complex = {
    .name = "complex",
    .n_in = 2,
    .n_out = 1,
    .factors = "..., ... -> ...",
    .batch = knp_batch_elementwise,
    .bits = TAKES_APART,
    .linear_in = 3,
    .cost = knp_cost_none,
    .type = complex_type,
    .jvp = knp_jvp_linear,
    .transpose = complex_transpose,
    .expr = complex_expr,
    .doc = "complex numbers from their real and imaginary parts (jax.lax.complex)",
};
