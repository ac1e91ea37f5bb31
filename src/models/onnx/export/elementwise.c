/* SPDX-License-Identifier: Apache-2.0
 * elementwise.c -- elementwise primitives as nodes. Where ONNX's operator has another meaning for some dtype or value,
 * what is written is the meaning of the primitive. */
#include "models/onnx/export/export.h"
#include <string.h>

static bool is_bool(const knout_var *v) { return v->dtype == KN_BOOL; }
static bool is_float(const knout_var *v) { return kn_dtype_kind(v->dtype) == 'f'; }
static bool is_signed(const knout_var *v) { return kn_dtype_kind(v->dtype) == 'i'; }

static const char *number(knout_eqn *e, double v) { return knout_number(e->w, e->in_var[0].dtype, v); }

/* ---- Of one operand. */

static void exp2_(knout_eqn *e) { e->out[0] = OP(e->w, "Pow", number(e, 2), e->in[0]); }
static void square(knout_eqn *e) { e->out[0] = OP(e->w, "Mul", e->in[0], e->in[0]); }
static void rsqrt(knout_eqn *e) { e->out[0] = OP(e->w, "Reciprocal", OP(e->w, "Sqrt", e->in[0])); }
static void erfc_(knout_eqn *e) { e->out[0] = OP(e->w, "Sub", number(e, 1), OP(e->w, "Erf", e->in[0])); }
static void is_finite(knout_eqn *e)
{
    e->out[0] = OP(e->w, "Not", OP(e->w, "Or", OP(e->w, "IsInf", e->in[0]), OP(e->w, "IsNaN", e->in[0])));
}

/* e^x - 1 = 2 tanh(x/2) / (1 - tanh(x/2)) keeps the digits near 0; far away e^x - 1 is right as it stands. */
static void expm1_(knout_eqn *e)
{
    knout_out *w = e->w;
    const char *x = e->in[0], *one = number(e, 1), *half = OP(w, "Tanh", OP(w, "Mul", x, number(e, 0.5)));
    const char *near = OP(w, "Div", OP(w, "Mul", number(e, 2), half), OP(w, "Sub", one, half));
    const char *far = OP(w, "Sub", OP(w, "Exp", x), one);
    e->out[0] = OP(w, "Where", OP(w, "Less", OP(w, "Abs", x), number(e, 0.5)), near, far);
}

/* log(1 + x) with u = 1 + x as it is rounded: x log(u) / (u - 1), and x where u is 1. */
static void log1p_(knout_eqn *e)
{
    knout_out *w = e->w;
    const char *x = e->in[0], *one = number(e, 1), *u = OP(w, "Add", x, one), *d = OP(w, "Sub", u, one);
    const char *zero = number(e, 0), *is_zero = OP(w, "Equal", d, zero),
               *large = OP(w, "Greater", OP(w, "Abs", x), one);
    const char *safe = OP(w, "Where", is_zero, one, d);
    const char *near = OP(w, "Where", is_zero, x, OP(w, "Div", OP(w, "Mul", x, OP(w, "Log", u)), safe));
    e->out[0] = OP(w, "Where", large, OP(w, "Log", u), near);
}

static void log_base(knout_eqn *e, double factor)
{
    e->out[0] = OP(e->w, "Mul", OP(e->w, "Log", e->in[0]), number(e, factor));
}
static void log2_(knout_eqn *e) { log_base(e, 1.4426950408889634); }
static void log10_(knout_eqn *e) { log_base(e, 0.43429448190325182); }

static void cbrt_(knout_eqn *e)
{
    const char *root = OP(e->w, "Pow", OP(e->w, "Abs", e->in[0]), number(e, 1.0 / 3));
    e->out[0] = OP(e->w, "Mul", OP(e->w, "Sign", e->in[0]), root);
}

static void cosm1_(knout_eqn *e) /* -2 sin^2(x / 2) */
{
    const char *s = OP(e->w, "Sin", OP(e->w, "Mul", e->in[0], number(e, 0.5)));
    e->out[0] = OP(e->w, "Mul", number(e, -2), OP(e->w, "Mul", s, s));
}

static void round_(knout_eqn *e)
{
    knout_out *w = e->w;
    if (knout_param_int(e, "rounding_method", 0) == 1) { /* to even ones, as ONNX's */
        e->out[0] = OP(w, "Round", e->in[0]);
        return;
    }
    const char *up = OP(w, "Floor", OP(w, "Add", OP(w, "Abs", e->in[0]), number(e, 0.5)));
    e->out[0] = OP(w, "Mul", OP(w, "Sign", e->in[0]), up);
}

static void neg(knout_eqn *e)
{
    bool is_unsigned = kn_dtype_kind(e->in_var[0].dtype) == 'u';
    e->out[0] = is_unsigned ? OP(e->w, "Sub", number(e, 0), e->in[0]) : OP(e->w, "Neg", e->in[0]);
}

static void not_(knout_eqn *e) { e->out[0] = OP(e->w, is_bool(&e->in_var[0]) ? "Not" : "BitwiseNot", e->in[0]); }
static void same(knout_eqn *e) { e->out[0] = e->in[0]; }

static void same_all(knout_eqn *e)
{
    for (int i = 0; i < e->n_out; i++)
        e->out[i] = e->in[i];
}

static void nothing(knout_eqn *e) { (void)e; /* what it prints or checks is no part of a model */ }

static void integer_pow(knout_eqn *e)
{
    knout_out *w = e->w;
    int64_t n = knout_param_int(e, "y", 1), left = n < 0 ? -n : n;
    const char *x = e->in[0], *made = NULL;
    for (; left; left >>= 1) {
        if (left & 1)
            made = made ? OP(w, "Mul", made, x) : x;
        if (left > 1)
            x = OP(w, "Mul", x, x);
    }
    made = made ? made : OP(w, "Expand", number(e, 1), OP(w, "Shape", e->in[0])); /* of NaN and infinities, too */
    e->out[0] = n < 0 ? OP(w, "Div", number(e, 1), made) : made;
}

/* ---- Of two. */

static void pair(knout_eqn *e, const char *numbers, const char *booleans)
{
    if (kn_dtype_kind(e->in_var[0].dtype) == 'c')
        knout_refuse(e, "of complex numbers");
    else
        e->out[0] = OP(e->w, is_bool(&e->in_var[0]) ? booleans : numbers, e->in[0], e->in[1]);
}

static void add(knout_eqn *e) { pair(e, "Add", "Or"); }
static void mul(knout_eqn *e) { pair(e, "Mul", "And"); }
static void and_(knout_eqn *e) { pair(e, "BitwiseAnd", "And"); }
static void or_(knout_eqn *e) { pair(e, "BitwiseOr", "Or"); }
static void xor_(knout_eqn *e) { pair(e, "BitwiseXor", "Xor"); }
static void max_(knout_eqn *e) { pair(e, "Max", "Or"); }
static void min_(knout_eqn *e) { pair(e, "Min", "And"); }
static void ne(knout_eqn *e) { e->out[0] = OP(e->w, "Not", OP(e->w, "Equal", e->in[0], e->in[1])); }

static void compare(knout_eqn *e, const char *op)
{
    knout_out *w = e->w;
    bool as_numbers = is_bool(&e->in_var[0]); /* ONNX does not order booleans */
    const char *x = as_numbers ? knout_cast(w, e->in[0], KN_I32) : e->in[0];
    const char *y = as_numbers ? knout_cast(w, e->in[1], KN_I32) : e->in[1];
    e->out[0] = OP(w, op, x, y);
}

static void lt(knout_eqn *e) { compare(e, "Less"); }
static void le(knout_eqn *e) { compare(e, "LessOrEqual"); }
static void gt(knout_eqn *e) { compare(e, "Greater"); }
static void ge(knout_eqn *e) { compare(e, "GreaterOrEqual"); }

static void pow_(knout_eqn *e)
{
    kn_dtype d = e->in_var[0].dtype;
    if (strchr("iu", kn_dtype_kind(d)) && d != KN_I32 && d != KN_I64) /* wider ones do not wrap as these */
        knout_refuse(e, "of integers but int32 and int64");
    else
        e->out[0] = OP(e->w, "Pow", e->in[0], e->in[1]);
}

static void rem(knout_eqn *e)
{
    knout_put_attr_int(e->w, "fmod", 1);
    e->out[0] = OP(e->w, "Mod", e->in[0], e->in[1]);
}

static void hypot_(knout_eqn *e)
{
    knout_out *w = e->w;
    /* The larger one in front of the root: squares do not overflow. NaN beside an infinity is one. */
    const char *x = OP(w, "Abs", e->in[0]), *y = OP(w, "Abs", e->in[1]), *zero = number(e, 0), *one = number(e, 1);
    const char *most = OP(w, "Max", x, y), *flat = OP(w, "Or", OP(w, "Equal", most, zero), OP(w, "IsInf", most));
    const char *by = OP(w, "Where", flat, one, most), *a = OP(w, "Div", x, by), *b = OP(w, "Div", y, by);
    const char *root = OP(w, "Sqrt", OP(w, "Add", OP(w, "Mul", a, a), OP(w, "Mul", b, b)));
    const char *far = OP(w, "Or", OP(w, "IsInf", x), OP(w, "IsInf", y)), *inf = number(e, (double)__builtin_inff());
    e->out[0] = OP(w, "Where", far, inf, OP(w, "Mul", by, root));
}

/* atan(y/x), turned by pi where x is negative; x = 0 gives half of pi with the sign of y. */
static void atan2_(knout_eqn *e)
{
    knout_out *w = e->w;
    const char *zero = number(e, 0);
    /* Two infinities have the angle of two ones. */
    const char *far = OP(w, "And", OP(w, "IsInf", e->in[0]), OP(w, "IsInf", e->in[1]));
    const char *y = OP(w, "Where", far, OP(w, "Sign", e->in[0]), e->in[0]);
    const char *x = OP(w, "Where", far, OP(w, "Sign", e->in[1]), e->in[1]), *none = OP(w, "Equal", x, zero);
    const char *angle = OP(w, "Atan", OP(w, "Div", y, OP(w, "Where", none, number(e, 1), x)));
    const char *turn =
        OP(w, "Where", OP(w, "Less", y, zero), number(e, -3.14159265358979323846), number(e, 3.14159265358979323846));
    const char *turned = OP(w, "Where", OP(w, "Less", x, zero), OP(w, "Add", angle, turn), angle);
    e->out[0] = OP(w, "Where", none, OP(w, "Mul", OP(w, "Sign", y), number(e, 1.57079632679489661923)), turned);
}

static kn_dtype unsigned_of(kn_dtype d)
{
    switch (kn_dtype_size(d)) {
    case 1: return KN_U8;
    case 2: return KN_U16;
    case 4: return KN_U32;
    default: return KN_U64;
    }
}

/* BitShift is there for unsigned integers; what is shifted out from the width on is 0 here. */
static const char *shifted(knout_eqn *e, const char *x, const char *direction)
{
    knout_out *w = e->w;
    kn_dtype u = unsigned_of(e->in_var[0].dtype), own = e->in_var[0].dtype;
    const char *by = e->in[1], *wide = knout_number(w, u, 8 * (double)kn_dtype_size(own));
    if (u != own) {
        x = knout_cast(w, x, u);
        by = knout_cast(w, by, u);
    }
    const char *out_of = OP(w, "GreaterOrEqual", by, wide), *zero = knout_number(w, u, 0);
    const char *safe = OP(w, "Where", out_of, zero, by);
    knout_put_attr_text(w, "direction", direction);
    const char *made = OP(w, "BitShift", x, safe);
    made = OP(w, "Where", out_of, zero, made);
    return u == own ? made : knout_cast(w, made, own);
}

static void shift_left(knout_eqn *e) { e->out[0] = shifted(e, e->in[0], "LEFT"); }
static void shift_right_logical(knout_eqn *e) { e->out[0] = shifted(e, e->in[0], "RIGHT"); }

static void shift_right_arithmetic(knout_eqn *e)
{
    knout_out *w = e->w;
    if (!is_signed(&e->in_var[0])) {
        e->out[0] = shifted(e, e->in[0], "RIGHT");
        return;
    }
    const char *negative = OP(w, "Less", e->in[0], number(e, 0));
    const char *flipped = OP(w, "BitwiseNot", shifted(e, OP(w, "BitwiseNot", e->in[0]), "RIGHT"));
    e->out[0] = OP(w, "Where", negative, flipped, shifted(e, e->in[0], "RIGHT"));
}

/* ---- Choosing and converting. */

static void clamp(knout_eqn *e)
{
    const char *x = OP(e->w, "Max", e->in[1], e->in[0]);
    e->out[0] = OP(e->w, "Min", x, e->in[2]);
}

static void select_n(knout_eqn *e)
{
    knout_out *w = e->w;
    if (is_bool(&e->in_var[0])) {
        e->out[0] = e->n_in > 2 ? OP(w, "Where", e->in[0], e->in[2], e->in[1]) : e->in[1];
        return;
    }
    e->out[0] = e->in[1];
    for (int i = 2; i < e->n_in; i++)
        e->out[0] = OP(w, "Where", OP(w, "GreaterOrEqual", e->in[0], number(e, i - 1)), e->in[i], e->out[0]);
}

static void convert(knout_eqn *e)
{
    knout_out *w = e->w;
    kn_dtype from = e->in_var[0].dtype, to = e->out_var[0].dtype;
    bool to_int = strchr("iu", kn_dtype_kind(to));
    if (kn_dtype_kind(from) == 'c' || kn_dtype_kind(to) == 'c') {
        knout_refuse(e, "of complex numbers");
        return;
    }
    if (!is_float(&e->in_var[0]) || !to_int || kn_dtype_size(to) > 4 || knout_param_is(e, "wraps", "True")) {
        e->out[0] = knout_cast(w, e->in[0], to);
        return;
    }
    /* Floats become the nearest number of the range, NaN 0; ONNX leaves that open. int64 in between has room for all.
     * */
    double bits = 8 * (double)kn_dtype_size(to), most = 1;
    for (int i = is_signed(&e->out_var[0]); i < bits; i++)
        most *= 2;
    const char *high = knout_number(w, from, most), *low = knout_number(w, from, is_signed(&e->out_var[0]) ? -most : 0);
    const char *x = OP(w, "Where", OP(w, "IsNaN", e->in[0]), knout_number(w, from, 0), e->in[0]);
    x = knout_cast(w, OP(w, "Min", OP(w, "Max", x, low), high), KN_I64);
    e->out[0] = knout_cast(w, OP(w, "Min", x, knout_number(w, KN_I64, most - 1)), to);
}

/* Whether all that is asked about the bits of a float is whether they are negative. */
static bool only_sign(const knout_eqn *e)
{
    kn_equation own = {.size_ = sizeof own}, q = {.size_ = sizeof q};
    bool only = !kn_jaxpr_equation(e->jaxpr, e->index, &own);
    for (int i = e->index + 1; only && i < kn_jaxpr_equation_count(e->jaxpr); i++) {
        only = !kn_jaxpr_equation(e->jaxpr, i, &q);
        for (int k = 0; k < q.n_in && only; k++) {
            kn_variable zero = {.size_ = sizeof zero};
            if (q.in[k] == own.first_out)
                only = !k && !strcmp(q.primitive, "lt") && (q.in[1] & KN_JAXPR_LITERAL) &&
                       !kn_jaxpr_variable(e->jaxpr, q.in[1], &zero) && zero.value == 0;
        }
    }
    for (int i = 0; only && i < kn_jaxpr_count(e->jaxpr).outvars; i++)
        only = kn_jaxpr_outvar(e->jaxpr, i) != own.first_out;
    return only;
}

static void bitcast(knout_eqn *e)
{
    knout_out *w = e->w;
    if (w->opset >= 26 && knonnx_elem_of(e->out_var[0].dtype)) {
        knout_put_attr_int(w, "to", knonnx_elem_of(e->out_var[0].dtype));
        e->out[0] = OP(w, "BitCast", e->in[0]);
    } else if (is_float(&e->in_var[0]) && is_signed(&e->out_var[0]) && only_sign(e)) { /* -0 by its reciprocal */
        const char *zero = number(e, 0), *below = OP(w, "Less", e->in[0], zero);
        const char *sign = OP(w, "Or", below, OP(w, "Less", OP(w, "Reciprocal", e->in[0]), zero));
        kn_dtype d = e->out_var[0].dtype;
        e->out[0] = OP(w, "Where", sign, knout_number(w, d, -1), knout_number(w, d, 1));
    } else if (e->in_var[0].dtype == e->out_var[0].dtype) {
        e->out[0] = e->in[0];
    } else {
        knout_refuse(e, "before opset 26");
    }
}

static void erf_inv(knout_eqn *e) /* Giles 2012, as single precision has it */
{
    static const double near[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                  -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
    static const double far[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                 -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
    knout_out *w = e->w;
    if (e->in_var[0].dtype == KN_F64) {
        knout_refuse(e, "of float64");
        return;
    }
    const char *x = e->in[0], *one = number(e, 1), *five = number(e, 5);
    const char *t = OP(w, "Neg", OP(w, "Log", OP(w, "Mul", OP(w, "Sub", one, x), OP(w, "Add", one, x))));
    const char *u = OP(w, "Sub", t, number(e, 2.5)), *v = OP(w, "Sub", OP(w, "Sqrt", t), number(e, 3));
    const char *p = number(e, near[0]), *q = number(e, far[0]);
    for (int i = 1; i < 9; i++) {
        p = OP(w, "Add", OP(w, "Mul", p, u), number(e, near[i]));
        q = OP(w, "Add", OP(w, "Mul", q, v), number(e, far[i]));
    }
    const char *edge = OP(w, "Equal", OP(w, "Abs", x), one), *factor = OP(w, "Where", OP(w, "Less", t, five), p, q);
    e->out[0] = OP(w, "Mul", x, OP(w, "Where", edge, number(e, (double)__builtin_inff()), factor));
}

const knout_writer knout_write_elementwise[] = {
    {"neg", neg, NULL},
    {"sin", NULL, "Sin"},
    {"cos", NULL, "Cos"},
    {"tanh", NULL, "Tanh"},
    {"exp", NULL, "Exp"},
    {"log", NULL, "Log"},
    {"logistic", NULL, "Sigmoid"},
    {"sqrt", NULL, "Sqrt"},
    {"exp2", exp2_, NULL},
    {"expm1", expm1_, NULL},
    {"log1p", log1p_, NULL},
    {"log2", log2_, NULL},
    {"log10", log10_, NULL},
    {"tan", NULL, "Tan"},
    {"asin", NULL, "Asin"},
    {"acos", NULL, "Acos"},
    {"atan", NULL, "Atan"},
    {"sinh", NULL, "Sinh"},
    {"cosh", NULL, "Cosh"},
    {"asinh", NULL, "Asinh"},
    {"acosh", NULL, "Acosh"},
    {"atanh", NULL, "Atanh"},
    {"cbrt", cbrt_, NULL},
    {"rsqrt", rsqrt, NULL},
    {"square", square, NULL},
    {"abs", NULL, "Abs"},
    {"erf", NULL, "Erf"},
    {"erfc", erfc_, NULL},
    {"erf_inv", erf_inv, NULL},
    {"cosm1", cosm1_, NULL},
    {"sign", NULL, "Sign"},
    {"floor", NULL, "Floor"},
    {"ceil", NULL, "Ceil"},
    {"round", round_, NULL},
    {"is_finite", is_finite, NULL},
    {"copy", same, NULL},
    {"optimization_barrier", same_all, NULL},
    {"sharding_constraint", same, NULL},
    {"stop_gradient", same, NULL},
    {"name", same, NULL},
    {"clamp", clamp, NULL},
    {"rem", rem, NULL},
    {"integer_pow", integer_pow, NULL},
    {"not", not_, NULL},
    {"add", add, NULL},
    {"add_any", add, NULL},
    {"sub", NULL, "Sub"},
    {"mul", mul, NULL},
    {"div", NULL, "Div"},
    {"pow", pow_, NULL},
    {"atan2", atan2_, NULL},
    {"hypot", hypot_, NULL},
    {"max", max_, NULL},
    {"min", min_, NULL},
    {"eq", NULL, "Equal"},
    {"ne", ne, NULL},
    {"lt", lt, NULL},
    {"le", le, NULL},
    {"gt", gt, NULL},
    {"ge", ge, NULL},
    {"and", and_, NULL},
    {"or", or_, NULL},
    {"xor", xor_, NULL},
    {"shift_left", shift_left, NULL},
    {"shift_right_logical", shift_right_logical, NULL},
    {"shift_right_arithmetic", shift_right_arithmetic, NULL},
    {"select_n", select_n, NULL},
    {"convert_element_type", convert, NULL},
    {"bitcast_convert_type", bitcast, NULL},
    {"debug_print", nothing, NULL},
    {"debug_callback", nothing, NULL},
    {"check_bounds", nothing, NULL},
    {NULL, NULL, NULL},
};
