/* SPDX-License-Identifier: Apache-2.0
 * constants.c -- what is made of attributes and shapes: ONNX's Constant, ConstantOfShape, EyeLike, Range, the windows
 * and MelWeightMatrix. */
#include "models/onnx/ops/numbers.h"
#include "models/onnx/run.h"
#include <math.h>
#include <string.h>

/* ---- Constant. */

static int texts(knonnx_call *c, int ndim, size_t n, const char *const *text)
{
    knonnx_strings *t = knonnx_take(c, 1, sizeof *t);
    if (!t)
        return -1;
    *t = (knonnx_strings){.ndim = ndim, .dim = {(int64_t)n}, .n = n, .text = text};
    return knonnx_set_value(c, 0, (knonnx_value){.kind = KNONNX_STRINGS_VALUE, .strings = t});
}

static int op_constant(knonnx_call *c)
{
    if (c->node->n_attrs != 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "a constant has exactly one attribute, not %d", c->node->n_attrs);
    const knonnx_attr *a = &c->node->attrs[0];
    int n = 0;
    if (!strcmp(a->name, "value") && a->kind == KNONNX_A_TENSOR)
        return knonnx_set_value(c, 0, knonnx_value_of(c, a->tensors));
    if (!strcmp(a->name, "sparse_value") && a->kind == KNONNX_A_SPARSE && c->version >= 11)
        return knonnx_set(c, 0, knonnx_sparse_array(c->run->operation, c->run->model, a->sparses));
    if (c->version < 12)
        return knonnx_fail(c, KN_ERROR_VALUE, "opset %lld has no attribute \"%s\"", (long long)c->version, a->name);
    if (!strcmp(a->name, "value_float"))
        return knonnx_set(c, 0, kn_strong(&(float){(float)knonnx_float(c, a->name, 0)}, KN_F32));
    if (!strcmp(a->name, "value_int"))
        return knonnx_set(c, 0, kn_strong(&(int64_t){knonnx_int(c, a->name, 0)}, KN_I64));
    if (!strcmp(a->name, "value_floats")) {
        const float *x = knonnx_floats(c, a->name, &n);
        return knonnx_set(c, 0, knonnx_of_floats(x, n));
    }
    if (!strcmp(a->name, "value_ints")) {
        const int64_t *x = knonnx_ints(c, a->name, &n);
        return knonnx_set(c, 0, knonnx_of_ints(x, n));
    }
    if (!strcmp(a->name, "value_strings")) {
        const char *const *x = knonnx_texts(c, a->name, &n);
        return texts(c, 1, (size_t)n, x);
    }
    const char **one = knonnx_take(c, 1, sizeof *one);
    if (strcmp(a->name, "value_string") || !one)
        return knonnx_fail(c, KN_ERROR_VALUE, "\"%s\" is no attribute of a constant", a->name);
    one[0] = knonnx_string(c, a->name, "");
    return one[0] ? texts(c, 0, 1, one) : -1;
}

/* ---- Of shapes and bounds. */

static int op_constant_of_shape(knonnx_call *c)
{
    int n = 0;
    kn_shape s = {0};
    float zero = 0;
    const knonnx_attr *value = knonnx_attr_of(c, "value");
    const int64_t *dim = knonnx_ints_in(c, 0, &n);
    if (!dim || n > KN_MAX_NDIM)
        return dim ? knonnx_fail(c, KN_ERROR_VALUE, "arrays have at most %d axes", KN_MAX_NDIM) : -1;
    s.ndim = n;
    memcpy(s.dim, dim, (size_t)n * sizeof *dim);
    kn_array x =
        value && value->kind == KNONNX_A_TENSOR ? knonnx_array_of(c, value->tensors) : kn_strong(&zero, KN_F32);
    if (x && kn_size(x) != 1)
        return knonnx_done(c) ? -1 : knonnx_fail(c, KN_ERROR_VALUE, "the value is a tensor of one element");
    kn_zeros_opts o = kn_zeros_opts_default();
    o.dtype = kn_dtype_of(x);
    return knonnx_set(c, 0, kn_full(&s, knonnx_shaped(x, 0, NULL), &o));
}

static int op_eye_like(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_shape s = kn_shape_of(x);
    if (s.ndim != 2)
        return knonnx_done(c) ? -1 : knonnx_fail(c, KN_ERROR_VALUE, "the input is a matrix, it has %d axes", s.ndim);
    kn_eye_opts o = kn_eye_opts_default();
    o.M = s.dim[1];
    o.k = knonnx_int(c, "k", 0);
    o.dtype = knonnx_dtype_of(c, "dtype", kn_dtype_of(x));
    return o.dtype ? knonnx_set(c, 0, kn_eye(s.dim[0], &o)) : -1;
}

/* How many steps there are from the start to before the limit; -1 with an error. */
static int64_t steps_of_ints(knonnx_call *c)
{
    int64_t v[3];
    for (int i = 0; i < 3; i++)
        if (knonnx_int_in(c, i, &v[i]))
            return -1;
    bool up = v[2] > 0;
    uint64_t step = up ? (uint64_t)v[2] : 0 - (uint64_t)v[2];
    if (!step)
        return knonnx_fail(c, KN_ERROR_VALUE, "delta is 0");
    if (up ? v[1] <= v[0] : v[1] >= v[0])
        return 0;
    uint64_t way = up ? (uint64_t)v[1] - (uint64_t)v[0] : (uint64_t)v[0] - (uint64_t)v[1], n = (way - 1) / step + 1;
    if (n > INT64_MAX)
        return knonnx_fail(c, KN_ERROR_VALUE, "from %lld to %lld by %lld are too many numbers", (long long)v[0],
                           (long long)v[1], (long long)v[2]);
    return (int64_t)n;
}

static int64_t steps_of_floats(knonnx_call *c)
{
    double v[3];
    for (int i = 0; i < 3; i++) {
        int n = 0;
        const double *x = knonnx_doubles_in(c, i, &n);
        if (!x || n != 1)
            return x ? knonnx_fail(c, KN_ERROR_VALUE, "input %d is one number", i) : -1;
        v[i] = *x;
    }
    double n = ceil((v[1] - v[0]) / v[2]);
    if (!(n < 9e18))
        return knonnx_fail(c, KN_ERROR_VALUE, "from %g to %g by %g is no finite range", v[0], v[1], v[2]);
    return n > 0 ? (int64_t)n : 0;
}

static int op_range(knonnx_call *c)
{
    kn_array start = knonnx_in(c, 0), delta = knonnx_in(c, 2);
    kn_dtype d = start ? kn_dtype_of(start) : NULL;
    if (!d || !delta)
        return knonnx_done(c);
    bool whole = !knonnx_is_float(start);
    int64_t n = whole ? steps_of_ints(c) : steps_of_floats(c);
    if (n < 0)
        return -1;
    start = knonnx_shaped(start, 0, NULL);
    delta = knonnx_shaped(delta, 0, NULL);
    if (!whole) { /* float16 cannot count far: the sum is of float32 */
        start = knonnx_wide(start);
        delta = knonnx_wide(delta);
    }
    kn_array x = kn_multiply(kn_lax_iota(kn_dtype_of(start), n), delta);
    return knonnx_set(c, 0, knonnx_as(kn_add(start, x), d));
}

/* ---- Windows: a - b cos(2 pi k / n) + e cos(4 pi k / n). */

static int window(knonnx_call *c, double a, double b, double e)
{
    int64_t size;
    kn_dtype d = knonnx_dtype_of(c, "output_datatype", KN_F32);
    if (!d || knonnx_int_in(c, 0, &size))
        return -1;
    if (size < 0)
        return knonnx_fail(c, KN_ERROR_VALUE, "the size %lld is negative", (long long)size);
    int64_t n = knonnx_int(c, "periodic", 1) ? size : size - 1;
    kn_shape s = {.ndim = 1, .dim = {size}};
    kn_array angle = kn_multiply(kn_lax_iota(KN_F64, size), kn_like_double(2 * KN_PI / (double)(n > 0 ? n : 1)));
    kn_array y = kn_subtract(kn_like_double(a), kn_multiply(kn_like_double(b), kn_cos(angle)));
    if (e != 0)
        y = kn_add(y, kn_multiply(kn_like_double(e), kn_cos(kn_multiply(angle, kn_like_int(2)))));
    if (n <= 0 && size == 1) { /* one sample that is not periodic has no angle */
        kn_zeros_opts o = kn_zeros_opts_default();
        o.dtype = KN_F64;
        y = kn_ones(&s, &o);
    }
    return knonnx_set(c, 0, knonnx_as(y, d));
}

static int op_blackman(knonnx_call *c) { return window(c, 0.42, 0.5, 0.08); }
static int op_hamming(knonnx_call *c) { return window(c, 25.0 / 46, 1 - 25.0 / 46, 0); }
static int op_hann(knonnx_call *c) { return window(c, 0.5, 0.5, 0); }

/* ---- The triangles of the mel scale: bin j of a spectrum counts for band i by how near it is to the band's middle. */

static double mel_of(double hertz) { return 2595 * log1p(hertz / 700) / log(10); }
static double hertz_of(double mel) { return 700 * expm1(mel / 2595 * log(10)); }

static kn_array triangles(int64_t bands, int64_t bins, const int64_t *edge)
{
    kn_array at = knonnx_of_ints(edge, bands + 2), j = kn_lax_iota(KN_I64, bins);
    kn_array left = knonnx_part(at, 0, 0, bands), middle = knonnx_part(at, 0, 1, bands + 1);
    kn_array right = knonnx_part(at, 0, 2, bands + 2);
    j = knonnx_shaped(j, 2, (int64_t[]){bins, 1});
    kn_array one = kn_like_int(1), rise = kn_subtract(middle, left), fall = kn_subtract(right, middle);
    kn_array up = kn_divide(kn_subtract(j, left), kn_maximum(rise, one));
    kn_array down = kn_divide(kn_subtract(right, j), kn_maximum(fall, one));
    kn_array before = kn_logical_and(kn_greater_equal(j, left), kn_less(j, middle));
    kn_array behind = kn_logical_and(kn_greater(j, middle), kn_less(j, right));
    kn_array y = kn_where(before, up, kn_where(behind, down, kn_like_double(0)));
    return kn_where(kn_equal(j, middle), kn_like_double(1), y);
}

static int op_mel(knonnx_call *c)
{
    int64_t bands, length, rate;
    int n[2] = {0};
    kn_dtype d = knonnx_dtype_of(c, "output_datatype", KN_F32);
    if (!d || knonnx_int_in(c, 0, &bands) || knonnx_int_in(c, 1, &length) || knonnx_int_in(c, 2, &rate))
        return -1;
    const double *low = knonnx_doubles_in(c, 3, &n[0]), *high = knonnx_doubles_in(c, 4, &n[1]);
    if (!low || !high)
        return -1;
    if (bands < 0 || length < 0 || length > INT32_MAX || rate <= 0 || n[0] != 1 || n[1] != 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "%lld bands of transforms of length %lld at %lld Hz", (long long)bands,
                           (long long)length, (long long)rate);
    int64_t *edge = knonnx_take(c, (uint64_t)bands + 2, sizeof *edge);
    if (!edge)
        return -1;
    double first = mel_of(*low), step = (mel_of(*high) - first) / (double)(bands + 2);
    for (int64_t i = 0; i < bands + 2; i++) {
        double at = floor((double)(length + 1) * hertz_of(first + (double)i * step) / (double)rate);
        if (!(fabs(at) < 9e18))
            return knonnx_fail(c, KN_ERROR_VALUE, "from %g Hz to %g Hz", *low, *high);
        edge[i] = (int64_t)at;
    }
    return knonnx_set(c, 0, knonnx_as(triangles(bands, length / 2 + 1, edge), d));
}

const knonnx_row knonnx_rows_constants[] = {
    {"BlackmanWindow", 17, op_blackman, 1, 1, 1, 1},
    {"Constant", 1, op_constant, 0, 0, 1, 1},
    {"ConstantOfShape", 9, op_constant_of_shape, 1, 1, 1, 1},
    {"EyeLike", 9, op_eye_like, 1, 1, 1, 1},
    {"HammingWindow", 17, op_hamming, 1, 1, 1, 1},
    {"HannWindow", 17, op_hann, 1, 1, 1, 1},
    {"MelWeightMatrix", 17, op_mel, 5, 5, 1, 1},
    {"Range", 11, op_range, 3, 3, 1, 1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};
