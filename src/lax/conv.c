/* SPDX-License-Identifier: Apache-2.0
 * conv.c -- jax.lax: convolutions. All of them fill in the parameters of one primitive; its row checks what is not said
 * here. */
#include "lax/conv.h"
#include <string.h>
#include <strings.h>

/* A convolution that is being written: the parameters, and what they point to. */
typedef struct conv {
    kna_op op;
    kni_type lhs, rhs; /* of the operands; rhs may be one that is made yet */
    int n;             /* spatial axes */
    knlax_conv_specs specs;
    int64_t lo[KN_MAX_NDIM], hi[KN_MAX_NDIM], lhs_dilation[KN_MAX_NDIM], rhs_dilation[KN_MAX_NDIM];
    kni_p_conv p;
} conv;

static int64_t spatial(const conv *c, int side, int i)
{
    const kni_type *t = side ? &c->rhs : &c->lhs;
    int64_t axis = c->specs.n[side] > 2 + i ? c->specs.v[side][2 + i] : -1;
    return axis >= 0 && axis < t->ndim ? t->dim[axis] : 0;
}

/* Dimension numbers and groups; all else is 1 or none yet. The operation has begun, c->lhs and c->rhs are known. */
static void begin(conv *c, const kn_lax_conv_numbers *numbers, kn_dtype preferred)
{
    knlax_conv_specs_of(&c->op, numbers, c->lhs.ndim, c->lhs.dim, c->rhs.ndim, c->rhs.dim, &c->specs);
    c->n = c->lhs.ndim > 2 ? c->lhs.ndim - 2 : 0;
    c->p = (kni_p_conv){.lhs_spec = {c->specs.n[0], c->specs.v[0]},
                        .rhs_spec = {c->specs.n[1], c->specs.v[1]},
                        .out_spec = {c->specs.n[2], c->specs.v[2]},
                        .feature_group_count = 1,
                        .batch_group_count = 1,
                        .preferred_element_type = preferred ? kna_lookup_dtype(preferred, NULL) : NULL};
}

/* The numbers given, or ones. */
static kni_ints or_ones(const kn_shape *given, int n, int64_t *room)
{
    if (given)
        return (kni_ints){given->ndim, given->dim};
    for (int i = 0; i < n; i++)
        room[i] = 1;
    return (kni_ints){n, room};
}

static void set_windows(conv *c, const kn_shape *strides, const kn_shape *lhs_dilation, const kn_shape *rhs_dilation)
{
    c->p.window_strides = (kni_ints){strides->ndim, strides->dim};
    c->p.lhs_dilation = or_ones(lhs_dilation, c->n, c->lhs_dilation);
    c->p.rhs_dilation = or_ones(rhs_dilation, c->n, c->rhs_dilation);
}

/* The extent of axis i of the kernel with its holes; what does not make sense is the row's to say. */
static int64_t holey(const conv *c, int i)
{
    int64_t n = spatial(c, 1, i), d = i < c->p.rhs_dilation.n ? c->p.rhs_dilation.v[i] : 1, y;
    if (knx_is_symbolic(n))
        return knx_dim_add(knx_dim_mul(n - 1, d), 1);
    return n < 1 || __builtin_mul_overflow(n - 1, d, &y) || y == INT64_MAX ? n : y + 1;
}

static void set_named_padding(conv *c, const kn_lax_pads *padding)
{
    int64_t extent[KN_MAX_NDIM], window[KN_MAX_NDIM];
    kn_lax_pad_pair pair[KN_MAX_NDIM];
    for (int i = 0; i < c->p.lhs_dilation.n; i++)
        if (c->p.lhs_dilation.v[i] != 1) {
            kna_fail(&c->op, KN_ERROR_VALUE,
                     "String padding is not implemented for transposed convolution using this op. Please either "
                     "exactly specify the required padding or use conv_transpose.");
            return;
        }
    if (c->p.window_strides.n != c->n) {
        kna_fail(&c->op, KN_ERROR_VALUE,
                 "conv_general_dilated window and window_strides must have the same number of dimensions, but got %d "
                 "and %d",
                 c->n, c->p.window_strides.n);
        return;
    }
    for (int i = 0; i < c->n; i++) {
        extent[i] = spatial(c, 0, i);
        window[i] = holey(c, i);
    }
    knlax_read_pads(&c->op, padding, c->n, extent, window, c->p.window_strides.v, pair);
    for (int i = 0; i < c->n && !kna_failed(&c->op); i++) {
        c->lo[i] = pair[i].low;
        c->hi[i] = pair[i].high;
    }
    c->p.lo = (kni_ints){c->n, c->lo};
    c->p.hi = (kni_ints){c->n, c->hi};
}

/* After the strides and dilations. Wrong numbers of pairs are left to the row. */
static void set_padding(conv *c, const kn_lax_pads *padding)
{
    if (!padding->type)
        kna_given_list(&c->op, padding->n, padding->pair, KN_MAX_NDIM, "padding");
    if (kna_failed(&c->op))
        return;
    if (padding->type || (!padding->pair && padding->n == 0 && c->n)) {
        set_named_padding(c, padding);
        return;
    }
    int n = padding->n;
    KN_KNOWN(!n || padding->pair);
    for (int i = 0; i < n; i++) {
        c->lo[i] = padding->pair[i].low;
        c->hi[i] = padding->pair[i].high;
    }
    c->p.lo = (kni_ints){n, c->lo};
    c->p.hi = (kni_ints){n, c->hi};
}

static kni_atom emit(conv *c, kni_atom lhs, kni_atom rhs)
{
    return kna_failed(&c->op) ? KN_ATOM_NONE : knb_conv_general_dilated(c->op.b, lhs, rhs, &c->p);
}

/* Begins an operation on two arrays of one dtype. */
static void begin_operands(conv *c, const char *name, kn_array lhs, kn_array rhs, kni_atom a[2])
{
    kna_begin(&c->op, name);
    knlax_same_dtypes(&c->op, 2, (kn_array[]){lhs, rhs}, a);
    c->lhs = kna_failed(&c->op) ? (kni_type){0} : knb_type(c->op.b, a[0]);
    c->rhs = kna_failed(&c->op) ? (kni_type){0} : knb_type(c->op.b, a[1]);
}

static kn_array convolve(const char *name, kn_array lhs, kn_array rhs, const kn_shape *strides,
                         const kn_lax_pads *padding, const kn_lax_conv_general_dilated_opts *o)
{
    conv c;
    kni_atom a[2];
    begin_operands(&c, name, lhs, rhs, a);
    strides = kna_given_shape(&c.op, strides, "window_strides");
    begin(&c, &o->dimension_numbers, o->preferred_element_type);
    c.p.feature_group_count = o->feature_group_count;
    c.p.batch_group_count = o->batch_group_count;
    set_windows(&c, strides, o->lhs_dilation, o->rhs_dilation);
    set_padding(&c, padding);
    return kna_end(&c.op, emit(&c, a[0], a[1]));
}

kn_array kn_lax_conv_general_dilated(kn_array lhs, kn_array rhs, const kn_shape *window_strides, kn_lax_pads padding,
                                     const kn_lax_conv_general_dilated_opts *opts)
{
    KNX_OPTS(kn_lax_conv_general_dilated_opts, o, opts);
    return convolve("lax.conv_general_dilated", lhs, rhs, window_strides, &padding, &o);
}

kn_array kn_lax_conv(kn_array lhs, kn_array rhs, const kn_shape *window_strides, kn_lax_pads padding,
                     const kn_lax_dot_opts *opts)
{
    KNX_OPTS(kn_lax_dot_opts, o, opts);
    kn_lax_conv_general_dilated_opts all = kn_lax_conv_general_dilated_opts_default();
    all.preferred_element_type = o.preferred_element_type;
    return convolve("lax.conv", lhs, rhs, window_strides, &padding, &all);
}

kn_array kn_lax_conv_with_general_padding(kn_array lhs, kn_array rhs, const kn_shape *window_strides,
                                          kn_lax_pads padding, const kn_lax_conv_with_general_padding_opts *opts)
{
    KNX_OPTS(kn_lax_conv_with_general_padding_opts, o, opts);
    kn_lax_conv_general_dilated_opts all = kn_lax_conv_general_dilated_opts_default();
    all.lhs_dilation = o.lhs_dilation;
    all.rhs_dilation = o.rhs_dilation;
    all.preferred_element_type = o.preferred_element_type;
    return convolve("lax.conv_with_general_padding", lhs, rhs, window_strides, &padding, &all);
}

/* ---- The transpose of a convolution. */

/* TensorFlow's order. */
static const kn_lax_conv_numbers *default_numbers(kna_op *op, int ndim)
{
    static const kn_lax_conv_numbers numbers[] = {
        {"NC", "IO", "NC", {{0}, {0}}, {{0}, {0}}, {{0}, {0}}},
        {"NHC", "HIO", "NHC", {{0}, {0}}, {{0}, {0}}, {{0}, {0}}},
        {"NHWC", "HWIO", "NHWC", {{0}, {0}}, {{0}, {0}}, {{0}, {0}}},
        {"NHWDC", "HWDIO", "NHWDC", {{0}, {0}}, {{0}, {0}}, {{0}, {0}}},
    };
    int i = ndim - 2;
    if (!kna_failed(op) && i >= (int)(sizeof numbers / sizeof *numbers))
        kna_fail(op, KN_ERROR_VALUE, "No 4+ dimensional dimension_number defaults.");
    return &numbers[kna_failed(op) || i < 0 ? 0 : i];
}

/* The padding of this convolution from that of the one that it is the transpose of; k: the extent of the kernel, s: the
 * stride. */
static kn_lax_pad_pair transposed_pad(const char *type, kn_lax_pad_pair given, int64_t k, int64_t s)
{
    if (!type)
        return (kn_lax_pad_pair){knx_dim_sub(k, given.low) - 1, knx_dim_sub(k, given.high) - 1};
    bool same = !strcasecmp(type, "SAME");
    int64_t all = knx_dim_add(k + s - 2, !same && knx_dim_lt(s, k) ? k - s : 0);
    int64_t low = !same || knx_dim_lt(k - 1, s) ? k - 1
                  : knx_is_symbolic(all)        ? knx_dim_floordiv(all + 1, 2)
                                                : (all + 1) / 2;
    return (kn_lax_pad_pair){low, knx_dim_sub(all, low)};
}

static void set_transposed_padding(conv *c, const kn_lax_pads *padding, const kn_shape *strides, bool consistent)
{
    kn_lax_pad_pair pair[KN_MAX_NDIM];
    const char *type = padding->type ? padding->type : padding->pair ? NULL : "VALID";
    bool known = type && (!strcasecmp(type, "SAME") || !strcasecmp(type, "VALID"));
    if (kna_failed(&c->op))
        return;
    if (!consistent && !known) {
        set_padding(c, padding);
        return;
    }
    if (type && !known)
        kna_fail(&c->op, KN_ERROR_VALUE, "Invalid padding mode: %s", type);
    else if (strides->ndim != c->n || (!type && padding->n != c->n))
        kna_fail(&c->op, KN_ERROR_VALUE, "strides and padding must have a number for each of %d spatial axes", c->n);
    for (int i = 0; i < c->n && !kna_failed(&c->op); i++) {
        int64_t k = holey(c, i), s = strides->dim[i];
        kn_lax_pad_pair given = type ? (kn_lax_pad_pair){0, 0} : padding->pair[i];
        bool fits = s < INT64_MAX >> 2 && s > -(INT64_MAX >> 2) && (k < INT64_MAX >> 2 || knx_is_symbolic(k));
        pair[i] = fits ? transposed_pad(type, given, k, s) : given;
    }
    set_padding(c, &(kn_lax_pads){NULL, c->n, pair});
}

/* Can the axes of rhs be looked up? Lists come from the caller. */
static bool names_all_axes(const conv *c)
{
    bool fits = c->specs.n[1] == c->rhs.ndim;
    for (int i = 0; fits && i < c->rhs.ndim; i++)
        fits = c->specs.v[1][i] >= 0 && c->specs.v[1][i] < c->rhs.ndim;
    return fits;
}

kn_array kn_lax_conv_transpose(kn_array lhs, kn_array rhs, const kn_shape *strides, kn_lax_pads padding,
                               const kn_lax_conv_transpose_opts *opts)
{
    KNX_OPTS(kn_lax_conv_transpose_opts, o, opts);
    const kn_lax_conv_numbers *numbers = &o.dimension_numbers;
    conv c;
    kni_atom a[2];
    kn_shape ones = {0};
    begin_operands(&c, "lax.conv_transpose", lhs, rhs, a);
    strides = kna_shape(&c.op, strides);
    if (!kna_failed(&c.op) && (c.lhs.ndim != c.rhs.ndim || c.lhs.ndim < 2))
        kna_fail(&c.op, KN_ERROR_VALUE,
                 "lhs and rhs must have the same number of dimensions, at least 2, got %d and %d", c.lhs.ndim,
                 c.rhs.ndim);
    if (!numbers->lhs && !numbers->rhs && !numbers->out && !numbers->lhs_spec.n)
        numbers = default_numbers(&c.op, c.lhs.ndim);
    begin(&c, numbers, o.preferred_element_type);
    for (; ones.ndim < c.n; ones.ndim++)
        ones.dim[ones.ndim] = 1;
    set_windows(&c, &ones, strides, o.rhs_dilation);
    set_transposed_padding(&c, &padding, strides, o.use_consistent_padding);
    if (o.transpose_kernel && names_all_axes(&c)) {
        int64_t order[KN_MAX_NDIM];
        for (int i = 0; i < c.rhs.ndim; i++)
            order[i] = i;
        for (int i = 0; i < c.n; i++)
            a[1] = knb_rev(c.op.b, a[1], 1, &c.specs.v[1][2 + i]);
        order[c.specs.v[1][0]] = c.specs.v[1][1];
        order[c.specs.v[1][1]] = c.specs.v[1][0];
        a[1] = knb_transpose(c.op.b, a[1], order);
    }
    return kna_end(&c.op, emit(&c, a[0], a[1]));
}

/* ---- Patches. */

/* A kernel that puts each element of the window into an output feature of its own. */
static kni_atom unit_kernel(conv *c, kn_dtype d, int64_t features, const kn_shape *filter)
{
    kni_builder *b = c->op.b;
    int64_t size = 1, shape[KN_MAX_NDIM + 2];
    kna_need_number(&c->op, features, "patches have a group for each feature");
    for (int i = 0; i < filter->ndim; i++)
        if (kna_need_number(&c->op, filter->dim[i], "the shape of a filter") &&
            __builtin_mul_overflow(size, filter->dim[i], &size))
            kna_fail(&c->op, KN_ERROR_VALUE, "the filter is too large");
    if (kna_failed(&c->op))
        return KN_ATOM_NONE;
    int64_t square[] = {size, size}, stack[] = {features, size, size};
    kni_atom row = knb_iota(b, KN_DT(I32), 2, square, 0);
    row = knb_add(b, row, knb_integer(b, KN_DT(I32), 0));
    kni_atom unit = knb_eq(b, row, knb_iota(b, KN_DT(I32), 2, square, 1));
    unit = knb_broadcast_in_dim(b, knb_convert(b, unit, d), 3, stack, (int64_t[]){1, 2});
    shape[0] = features * size;
    shape[1] = 1;
    memcpy(shape + 2, filter->dim, (size_t)filter->ndim * sizeof *shape);
    kni_atom kernel = knb_reshape(b, unit, filter->ndim + 2, shape);
    int64_t order[KN_MAX_NDIM];
    int next = 2, out = (int)c->specs.v[1][0], in = (int)c->specs.v[1][1];
    for (int i = 0; i < filter->ndim + 2; i++)
        order[i] = i == out ? 0 : i == in ? 1 : next++;
    return knb_transpose(b, kernel, order);
}

/* The patches of lhs, which c->lhs describes; the operation has begun. */
static kni_atom patches(conv *c, kni_atom lhs, const kn_shape *filter, const kn_shape *strides,
                        const kn_lax_pads *padding, const kn_lax_conv_general_dilated_patches_opts *o)
{
    int64_t dim[KN_MAX_NDIM];
    if (kna_failed(&c->op))
        return KN_ATOM_NONE;
    if (filter->ndim > KN_MAX_NDIM - 2) {
        kna_fail(&c->op, KN_ERROR_VALUE, "filter_shape has %d dimensions", filter->ndim);
        return KN_ATOM_NONE;
    }
    dim[0] = dim[1] = 1; /* only their number counts until the specs are known */
    memcpy(dim + 2, filter->dim, (size_t)filter->ndim * sizeof *dim);
    c->rhs = kni_type_of(c->lhs.dtype, filter->ndim + 2, dim);
    begin(c, &o->dimension_numbers, o->preferred_element_type);
    if (kna_failed(&c->op))
        return KN_ATOM_NONE;
    bool fits = c->lhs.ndim == c->rhs.ndim && c->specs.n[0] == c->lhs.ndim && c->specs.n[1] == c->rhs.ndim;
    for (int i = 0; fits && i < c->rhs.ndim; i++)
        fits = c->specs.v[0][i] >= 0 && c->specs.v[0][i] < c->lhs.ndim && c->specs.v[1][i] >= 0 &&
               c->specs.v[1][i] < c->rhs.ndim;
    if (!fits) {
        kna_fail(&c->op, KN_ERROR_TYPE, "dimension_numbers do not fit arrays of %d dimensions", c->lhs.ndim);
        return KN_ATOM_NONE;
    }
    int64_t features = c->lhs.dim[c->specs.v[0][1]];
    kni_atom rhs = unit_kernel(c, c->lhs.dtype, features, filter);
    if (kna_failed(&c->op))
        return KN_ATOM_NONE;
    c->rhs = knb_type(c->op.b, rhs);
    c->p.feature_group_count = features;
    set_windows(c, strides, o->lhs_dilation, o->rhs_dilation);
    set_padding(c, padding);
    return emit(c, lhs, rhs);
}

kn_array kn_lax_conv_general_dilated_patches(kn_array lhs, const kn_shape *filter_shape, const kn_shape *window_strides,
                                             kn_lax_pads padding, const kn_lax_conv_general_dilated_patches_opts *opts)
{
    KNX_OPTS(kn_lax_conv_general_dilated_patches_opts, o, opts);
    conv c;
    kna_begin(&c.op, "lax.conv_general_dilated_patches");
    filter_shape = kna_shape(&c.op, filter_shape);
    window_strides = kna_shape(&c.op, window_strides);
    kni_atom a = kna_in(&c.op, lhs);
    c.lhs = kna_failed(&c.op) ? (kni_type){0} : knb_type(c.op.b, a);
    return kna_end(&c.op, patches(&c, a, filter_shape, window_strides, &padding, &o));
}

/* Products of the patches with the kernels of their positions: the spatial axes are batch axes, in the order of the
 * result. */
static kni_atom each_kernel(conv *c, kni_atom x, kni_atom rhs)
{
    const int64_t *out = c->specs.v[2], *kernel = c->specs.v[1];
    int64_t left[KN_MAX_NDIM], right[KN_MAX_NDIM];
    for (int i = 0; i < c->n; i++) { /* sorted by the axes of the result */
        int at = i;
        for (; at > 0 && left[at - 1] > out[2 + i]; at--) {
            left[at] = left[at - 1];
            right[at] = right[at - 1];
        }
        left[at] = out[2 + i];
        right[at] = kernel[2 + i];
    }
    kni_p_dot_general p = {{1, &out[1]}, {1, &kernel[1]}, {c->n, left}, {c->n, right}, NULL};
    kni_atom y = knb_dot_general(c->op.b, x, rhs, &p);
    if (kna_failed(&c->op))
        return KN_ATOM_NONE;
    int64_t order[KN_MAX_NDIM];
    int next = 0, ndim = c->n + 2;
    for (int i = 0; i < ndim; i++)
        order[i] = i == out[0] ? ndim - 2 : i == out[1] ? ndim - 1 : next++;
    return knb_transpose(c->op.b, y, order);
}

kn_array kn_lax_conv_general_dilated_local(kn_array lhs, kn_array rhs, const kn_shape *window_strides,
                                           kn_lax_pads padding, const kn_shape *filter_shape,
                                           const kn_lax_conv_general_dilated_patches_opts *opts)
{
    KNX_OPTS(kn_lax_conv_general_dilated_patches_opts, o, opts);
    conv c;
    kni_atom a[2];
    o.preferred_element_type = NULL;
    begin_operands(&c, "lax.conv_general_dilated_local", lhs, rhs, a);
    window_strides = kna_shape(&c.op, window_strides);
    filter_shape = kna_shape(&c.op, filter_shape);
    kni_atom x = patches(&c, a[0], filter_shape, window_strides, &padding, &o);
    return kna_end(&c.op, kna_failed(&c.op) ? KN_ATOM_NONE : each_kernel(&c, x, a[1]));
}
