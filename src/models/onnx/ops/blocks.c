/* SPDX-License-Identifier: Apache-2.0
 * blocks.c -- elements of images moved as blocks: DepthToSpace, SpaceToDepth, CenterCropPad. */
#include "models/onnx/ops/layers.h"

/* x (N, C, H, W), the size of blocks, and whether features stand in front of blocks (CRD). NULL with an error. */
static kn_array blocks_of(knonnx_call *c, bool has_mode, int64_t *block, bool *features_first)
{
    kn_array x = knonnx_in(c, 0);
    const char *mode = has_mode ? knonnx_string(c, "mode", "DCR") : "DCR";
    *block = knonnx_int(c, "blocksize", 0);
    if (!x || !mode)
        return NULL;
    *features_first = !strcmp(mode, "CRD");
    if (kn_ndim(x) != 4 || *block < 1 || *block > INT32_MAX || (!*features_first && strcmp(mode, "DCR"))) {
        knonnx_fail(c, KN_ERROR_VALUE, "an image with %d axes, blocksize %lld, mode \"%.40s\"", kn_ndim(x),
                    (long long)*block, mode);
        return NULL;
    }
    return x;
}

static int depth_to_space(knonnx_call *c)
{
    int64_t b;
    bool first;
    kn_array x = blocks_of(c, c->version >= 11, &b, &first);
    if (!x)
        return -1;
    kn_shape s = kn_shape_of(x);
    if (s.dim[1] % (b * b))
        return knonnx_fail(c, KN_ERROR_VALUE, "%lld features and blocks of %lld", (long long)s.dim[1],
                           (long long)b * b);
    int64_t features = s.dim[1] / (b * b);
    kn_shape parts = first ? (kn_shape){6, {s.dim[0], features, b, b, s.dim[2], s.dim[3]}}
                           : (kn_shape){6, {s.dim[0], b, b, features, s.dim[2], s.dim[3]}};
    kn_shape whole = {4, {s.dim[0], features, s.dim[2] * b, s.dim[3] * b}};
    const int32_t *order = first ? (int32_t[]){0, 1, 4, 2, 5, 3} : (int32_t[]){0, 3, 4, 1, 5, 2};
    return knonnx_set(c, 0, knonnx_reshaped(knonnx_permuted(knonnx_reshaped(x, &parts), 6, order), &whole));
}

static int space_to_depth(knonnx_call *c)
{
    int64_t b;
    bool first;
    kn_array x = blocks_of(c, c->version >= 28, &b, &first);
    if (!x)
        return -1;
    kn_shape s = kn_shape_of(x);
    if (s.dim[2] % b || s.dim[3] % b)
        return knonnx_fail(c, KN_ERROR_VALUE, "an image of %lld by %lld and blocks of %lld", (long long)s.dim[2],
                           (long long)s.dim[3], (long long)b);
    kn_shape parts = {6, {s.dim[0], s.dim[1], s.dim[2] / b, b, s.dim[3] / b, b}};
    kn_shape whole = {4, {s.dim[0], s.dim[1] * b * b, s.dim[2] / b, s.dim[3] / b}};
    const int32_t *order = first ? (int32_t[]){0, 1, 3, 5, 2, 4} : (int32_t[]){0, 3, 5, 1, 2, 4};
    return knonnx_set(c, 0, knonnx_reshaped(knonnx_permuted(knonnx_reshaped(x, &parts), 6, order), &whole));
}

/* The middle of x, or x in the middle of zeros; an odd element is missing, or added, at the end. */
static int center_crop_pad(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_lax_padding pad[KN_MAX_NDIM] = {0};
    int n, given;
    const int64_t *shape = x ? knonnx_ints_in(c, 1, &n) : NULL, *axes = knonnx_ints(c, "axes", &given);
    if (!shape)
        return -1;
    kn_shape s = kn_shape_of(x);
    if (n != (axes ? given : s.ndim))
        return knonnx_fail(c, KN_ERROR_VALUE, "shape has %d numbers for %d axes", n, axes ? given : s.ndim);
    for (int i = 0; i < n; i++) {
        int axis = knonnx_axis(c, axes ? axes[i] : i, s.ndim);
        if (axis < 0)
            return -1;
        if (shape[i] < 0 || shape[i] > INT64_C(1) << 40)
            return knonnx_fail(c, KN_ERROR_VALUE, "shape has the number %lld", (long long)shape[i]);
        int64_t more = shape[i] - s.dim[axis];
        pad[axis].low = more / 2; /* towards zero */
        pad[axis].high = more - more / 2;
    }
    return knonnx_set(
        c, 0, kn_lax_pad(x, knonnx_zeros(&(kn_shape){0, {0}}, kn_dtype_of(x)), (kn_lax_padding_config){s.ndim, pad}));
}

const knonnx_row knonnx_rows_blocks[] = {
    {"DepthToSpace", 1, depth_to_space, 1, 1, 1, 1},
    {"SpaceToDepth", 1, space_to_depth, 1, 1, 1, 1},
    {"CenterCropPad", 18, center_crop_pad, 2, 2, 1, 1},
    {0},
};
