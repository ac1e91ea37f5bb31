/* SPDX-License-Identifier: Apache-2.0
 * activation.c -- activation functions: elementwise, by the formulas of jax.nn, so that values and derivatives at their
 * kinks and far away are JAX's. */
#include "array/formula.h"
#include "kiln/nn.h"
#include "nn/operand.h"
#include "lib/internal.h"
#include <math.h>

kn_dtype knnn_inexact(kna_op *op, int n, const kn_array *x)
{
    kna_type(op, x[0]); /* null is an error for the first one; the others may be left out */
    kn_dtype d = kna_failed(op) ? NULL : kna_result_type(op, n, x);
    return !d || knx_is_inexact(d) || d->kind == KN_KIND_KEY ? d : kna_default_float();
}

kni_atom knnn_in(kna_op *op, kn_array x)
{
    kn_dtype d = knnn_inexact(op, 1, &x);
    return d ? kna_in_as(op, x, d) : KN_ATOM_NONE;
}

/* ---- Tools: arithmetic with numbers, and functions of one array. */

static kni_atom plus(kni_builder *b, kni_atom x, double v) { return knb_add(b, x, knb_like(b, x, v)); }
static kni_atom times(kni_builder *b, kni_atom x, double v) { return knb_mul(b, x, knb_like(b, x, v)); }
static kni_atom over(kni_builder *b, kni_atom x, double v) { return knb_div(b, x, knb_like(b, x, v)); }
static kni_atom above(kni_builder *b, kni_atom x, double v) { return knb_gt(b, x, knb_like(b, x, v)); }
static kni_atom below(kni_builder *b, kni_atom x, double v) { return knb_lt(b, x, knb_like(b, x, v)); }
static kni_atom at_least(kni_builder *b, kni_atom x, double v) { return knb_ge(b, x, knb_like(b, x, v)); }
static kni_atom at_most(kni_builder *b, kni_atom x, double v) { return knb_le(b, x, knb_like(b, x, v)); }

/* f of x in its dtype; integers and booleans become the default float, or (`integers`) stay integers: int64 for
 * bool. */
static kn_array each(const char *name, kn_array x, bool integers, kni_atom (*f)(kni_builder *b, kni_atom x))
{
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = integers ? kna_in(&op, x) : knnn_in(&op, x);
    if (!kna_failed(&op) && knb_type(op.b, a).dtype == KN_DT(BOOL))
        a = knb_convert(op.b, a, KN_DT(I64));
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : f(op.b, a));
}

/* ---- With derivatives of their own. */

static kni_atom relu_value(kni_builder *b, const kni_atom *x) { return knb_max(b, *x, knb_like(b, *x, 0)); }
static kni_atom relu_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    (void)y;
    return knb_select(b, above(b, *x, 0), *t, knb_like(b, *t, 0));
}
static const kna_formula relu_formula = {"relu", "relu_jvp", 1, relu_value, relu_tangent};

static kni_atom relu(kni_builder *b, kni_atom x)
{
    return knx_is_float(knb_type(b, x).dtype) ? kna_formula_of(b, &relu_formula, &x) : relu_value(b, &x);
}
kn_array kn_nn_relu(kn_array x) { return each("nn_relu", x, true, relu); }

static kni_atom relu6_value(kni_builder *b, const kni_atom *x)
{
    return knb_min(b, knb_max(b, *x, knb_like(b, *x, 0)), knb_like(b, *x, 6));
}
static kni_atom relu6_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    (void)y;
    return knb_select(b, knb_and(b, above(b, *x, 0), below(b, *x, 6)), *t, knb_like(b, *t, 0));
}
static const kna_formula relu6_formula = {"relu6", "relu6_jvp", 1, relu6_value, relu6_tangent};

static kni_atom relu6(kni_builder *b, kni_atom x) { return kna_formula_of(b, &relu6_formula, &x); }
kn_array kn_nn_relu6(kn_array x) { return each("nn_relu6", x, false, relu6); }

static kni_atom softplus_value(kni_builder *b, const kni_atom *x)
{
    return knb_add(b, knb_max(b, *x, knb_like(b, *x, 0)), knb_log1p(b, knb_exp(b, knb_neg(b, knb_abs(b, *x)))));
}
static kni_atom finite_above(kni_builder *b, kni_atom x)
{
    return knb_select(b, knb_eq(b, x, knb_like(b, x, INFINITY)), knb_like(b, x, 0), x);
}
/* t e^(x - y), which is the sigmoid, without the difference of infinities */
static kni_atom softplus_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    return knb_mul(b, *t, knb_exp(b, knb_sub(b, finite_above(b, *x), finite_above(b, y))));
}
static const kna_formula softplus_formula = {"logaddexp", "logaddexp_jvp", 1, softplus_value, softplus_tangent};

static kni_atom softplus(kni_builder *b, kni_atom x) { return kna_formula_of(b, &softplus_formula, &x); }
kn_array kn_nn_softplus(kn_array x) { return each("nn_softplus", x, false, softplus); }

/* y = 1 / (e^x - 1); the slope is -y (1 + y) = y(x) y(-x), which neither overflows nor cancels on the way */
static kni_atom inverse_expm1_value(kni_builder *b, const kni_atom *x)
{
    return knb_div(b, knb_like(b, *x, 1), knb_expm1(b, *x));
}
static kni_atom inverse_expm1_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t);
static const kna_formula inverse_expm1_formula = {"inverse_expm1", "inverse_expm1_jvp", 1, inverse_expm1_value,
                                                  inverse_expm1_tangent};
static kni_atom inverse_expm1_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    kni_atom minus = knb_neg(b, *x);
    return knb_mul(b, *t, knb_mul(b, y, kna_formula_of(b, &inverse_expm1_formula, &minus)));
}

static kni_atom log1mexp_value(kni_builder *b, const kni_atom *x)
{
    kni_atom minus = knb_neg(b, *x);
    return knb_select(b, below(b, *x, 0.6931471805599453), knb_log(b, knb_neg(b, knb_expm1(b, minus))),
                      knb_log1p(b, knb_neg(b, knb_exp(b, minus))));
}
static kni_atom log1mexp_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    (void)y;
    return knb_mul(b, *t, kna_formula_of(b, &inverse_expm1_formula, x));
}
static const kna_formula log1mexp_formula = {"log1mexp", "log1mexp_jvp", 1, log1mexp_value, log1mexp_tangent};

static kni_atom log1mexp(kni_builder *b, kni_atom x) { return kna_formula_of(b, &log1mexp_formula, &x); }
kn_array kn_nn_log1mexp(kn_array x) { return each("nn_log1mexp", x, false, log1mexp); }

/* ---- Made of these and of primitives. */

kn_array kn_nn_identity(kn_array x)
{
    kna_op op;
    kna_begin(&op, "nn_identity");
    return kna_end(&op, kna_in(&op, x));
}

kn_array kn_nn_sigmoid(kn_array x) { return each("nn_sigmoid", x, false, knb_logistic); }
kn_array kn_nn_tanh(kn_array x) { return each("nn_tanh", x, false, knb_tanh); }

static kni_atom silu(kni_builder *b, kni_atom x) { return knb_mul(b, x, knb_logistic(b, x)); }
kn_array kn_nn_silu(kn_array x) { return each("nn_silu", x, false, silu); }
kn_array kn_nn_swish(kn_array x) { return each("nn_swish", x, false, silu); }

static kni_atom log_sigmoid(kni_builder *b, kni_atom x) { return knb_neg(b, softplus(b, knb_neg(b, x))); }
kn_array kn_nn_log_sigmoid(kn_array x) { return each("nn_log_sigmoid", x, false, log_sigmoid); }

static kni_atom mish(kni_builder *b, kni_atom x) { return knb_mul(b, x, knb_tanh(b, softplus(b, x))); }
kn_array kn_nn_mish(kn_array x) { return each("nn_mish", x, false, mish); }

static kni_atom soft_sign(kni_builder *b, kni_atom x) { return knb_div(b, x, plus(b, knb_abs(b, x), 1)); }
kn_array kn_nn_soft_sign(kn_array x) { return each("nn_soft_sign", x, false, soft_sign); }

static kni_atom sparse_plus(kni_builder *b, kni_atom x)
{
    kni_atom between = over(b, knb_integer_pow(b, plus(b, x, 1), 2), 4);
    return knb_select(b, at_most(b, x, -1), knb_like(b, x, 0), knb_select(b, at_least(b, x, 1), x, between));
}
kn_array kn_nn_sparse_plus(kn_array x) { return each("nn_sparse_plus", x, false, sparse_plus); }

static kni_atom sparse_sigmoid(kni_builder *b, kni_atom x)
{
    kni_atom clipped = knb_min(b, knb_max(b, plus(b, x, 1), knb_like(b, x, 0)), knb_like(b, x, 2));
    return times(b, clipped, 0.5);
}
kn_array kn_nn_sparse_sigmoid(kn_array x) { return each("nn_sparse_sigmoid", x, false, sparse_sigmoid); }

static kni_atom hard_sigmoid(kni_builder *b, kni_atom x) { return over(b, relu6(b, plus(b, x, 3)), 6); }
kn_array kn_nn_hard_sigmoid(kn_array x) { return each("nn_hard_sigmoid", x, false, hard_sigmoid); }

static kni_atom hard_silu(kni_builder *b, kni_atom x) { return knb_mul(b, x, hard_sigmoid(b, x)); }
kn_array kn_nn_hard_silu(kn_array x) { return each("nn_hard_silu", x, false, hard_silu); }
kn_array kn_nn_hard_swish(kn_array x) { return each("nn_hard_swish", x, false, hard_silu); }

static kni_atom hard_tanh(kni_builder *b, kni_atom x)
{
    if (knb_type(b, x).dtype->kind != KN_KIND_UINT)
        x = knb_select(b, below(b, x, -1), knb_like(b, x, -1), x);
    return knb_select(b, above(b, x, 1), knb_like(b, x, 1), x);
}
kn_array kn_nn_hard_tanh(kn_array x) { return each("nn_hard_tanh", x, true, hard_tanh); }

/* alpha (e^x - 1) where x <= 0; the argument elsewhere is 0, so that no infinity meets a cotangent of 0 */
static kni_atom elu(kni_builder *b, kni_atom x, kni_atom alpha)
{
    kni_atom positive = above(b, x, 0), safe = knb_select(b, positive, knb_like(b, x, 0), x);
    return knb_select(b, positive, x, knb_mul(b, alpha, knb_expm1(b, safe)));
}

static kni_atom selu(kni_builder *b, kni_atom x)
{
    return times(b, elu(b, x, knb_like(b, x, 1.6732632423543772848170429916717)), 1.0507009873554804934193349852946);
}
kn_array kn_nn_selu(kn_array x) { return each("nn_selu", x, false, selu); }

/* ---- With a parameter that may be an array. */

/* f of x and p, broadcast together; p not given is `otherwise`. */
static kn_array each2(const char *name, kn_array x, kn_array p, double otherwise,
                      kni_atom (*f)(kni_builder *b, kni_atom x, kni_atom p))
{
    kna_op op;
    kn_shape shape;
    kna_begin(&op, name);
    kn_dtype d = knnn_inexact(&op, 2, (kn_array[]){x, p});
    kna_common_shape(&op, 2, (kn_array[]){x, p}, &shape);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom a = knb_broadcast_to(op.b, kna_in_as(&op, x, d), knl_shaped(d, &shape));
    return kna_end(&op, f(op.b, a, p ? knl_operand(&op, p, d, &shape) : knb_number(op.b, d, otherwise)));
}

static kni_atom leaky_relu(kni_builder *b, kni_atom x, kni_atom slope)
{
    return knb_select(b, at_least(b, x, 0), x, knb_mul(b, slope, x));
}
kn_array kn_nn_leaky_relu(kn_array x, const kn_nn_leaky_relu_opts *opts)
{
    return each2("nn_leaky_relu", x, opts ? opts->negative_slope : NULL, 1e-2, leaky_relu);
}

kn_array kn_nn_elu(kn_array x, const kn_nn_elu_opts *opts)
{
    return each2("nn_elu", x, opts ? opts->alpha : NULL, 1, elu);
}
static kni_atom celu(kni_builder *b, kni_atom x, kni_atom alpha)
{
    kni_atom zero = knb_like(b, x, 0), negative = knb_div(b, knb_min(b, x, zero), alpha);
    return knb_add(b, knb_max(b, x, zero), knb_mul(b, alpha, knb_expm1(b, negative)));
}
kn_array kn_nn_celu(kn_array x, const kn_nn_elu_opts *opts)
{
    return each2("nn_celu", x, opts ? opts->alpha : NULL, 1, celu);
}

static kni_atom squareplus(kni_builder *b, kni_atom x, kni_atom p)
{
    return over(b, knb_add(b, x, knb_sqrt(b, knb_add(b, knb_integer_pow(b, x, 2), p))), 2);
}
kn_array kn_nn_squareplus(kn_array x, const kn_nn_squareplus_opts *opts)
{
    return each2("nn_squareplus", x, opts ? opts->b : NULL, 4, squareplus);
}

/* ---- gelu and glu. */

static kni_atom gelu_exact(kni_builder *b, kni_atom x)
{
    return knb_mul(b, times(b, x, 0.5), knb_erfc(b, times(b, knb_neg(b, x), sqrt(0.5))));
}
static kni_atom gelu_by_tanh(kni_builder *b, kni_atom x)
{
    kni_atom inner = times(b, knb_add(b, x, times(b, knb_integer_pow(b, x, 3), 0.044715)), 0.7978845608028654);
    return knb_mul(b, x, times(b, plus(b, knb_tanh(b, inner), 1), 0.5));
}

kn_array kn_nn_gelu(kn_array x, const kn_nn_gelu_opts *opts)
{
    return each("nn_gelu", x, false, opts && !opts->approximate ? gelu_exact : gelu_by_tanh);
}

kn_array kn_nn_glu(kn_array x, const kn_nn_glu_opts *opts)
{
    kna_op op;
    kna_begin(&op, "nn_glu");
    KNX_OPTS(kn_nn_glu_opts, o, opts);
    kni_atom a = knnn_in(&op, x), half[2];
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = knb_type(op.b, a);
    int axis = kna_axis(&op, o.axis, t.ndim, -1);
    if (!kna_failed(&op) && !knx_dim_eq(knx_dim_mod(t.dim[axis], 2), 0))
        kna_fail(&op, KN_ERROR_ASSERTION, "axis size must be divisible by 2");
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    int64_t n = knx_dim_floordiv(t.dim[axis], 2);
    knb_split(op.b, a, 2, (int64_t[]){n, n}, axis, half);
    return kna_end(&op, knb_mul(op.b, half[0], knb_logistic(op.b, half[1])));
}
