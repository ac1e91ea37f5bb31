/* SPDX-License-Identifier: Apache-2.0
 * case_copies.c -- arrays put together, repeated, padded, rolled, turned, and made of nothing, in millions. */
#include "plain.h"

static kn_array concatenate4(const work_arrays *x) { return kn_concatenate(KN_LIST(x->a, x->b, x->c, x->a)); }
static kn_array concatenate_columns(const work_arrays *x) { return kn_concatenate(KN_LIST(x->a, x->b), KN_AXIS(1)); }
static kn_array roll_both(const work_arrays *x) { return kn_roll(kn_roll(x->a, 100, KN_AXIS(0)), 100, KN_AXIS(1)); }
static kn_array roll_flat(const work_arrays *x) { return kn_roll(x->a, 1000); }
static kn_array pad_zeros(const work_arrays *x) { return kn_pad(x->a, 16); }
static kn_array pad_reflect(const work_arrays *x) { return kn_pad(x->a, 16, .mode = "reflect"); }
static kn_array pad_edge(const work_arrays *x) { return kn_pad(x->a, 16, .mode = "edge"); }
static kn_array repeat3(const work_arrays *x) { return kn_repeat(x->a, 3); }
static kn_array tile1000(const work_arrays *x) { return kn_tile(x->a, KN_SHAPE(1000, 1)); }
static kn_array outer(const work_arrays *x) { return kn_outer(x->a, x->b); }
static kn_array tril(const work_arrays *x) { return kn_tril(x->a); }
static kn_array transposed(const work_arrays *x) { return kn_copy(kn_transpose(x->a)); }
static kn_array transposed_021(const work_arrays *x) { return kn_copy(kn_transpose(x->a, KN_AXIS(0, 2, 1))); }
static kn_array transposed_102(const work_arrays *x) { return kn_copy(kn_transpose(x->a, KN_AXIS(1, 0, 2))); }
static kn_array transposed_201(const work_arrays *x) { return kn_copy(kn_transpose(x->a, KN_AXIS(2, 0, 1))); }
static kn_array transposed_0213(const work_arrays *x) { return kn_copy(kn_transpose(x->a, KN_AXIS(0, 2, 1, 3))); }
static kn_array gradient0(const work_arrays *x) { return kn_list_get(kn_gradient(x->a, .axis = KN_AXIS(0)), 0); }
static kn_array stencil_rolled(const work_arrays *x)
{
    kn_array rows = kn_add(kn_roll(x->a, 1, KN_AXIS(0)), kn_roll(x->a, -1, KN_AXIS(0)));
    return kn_sub(kn_add(rows, kn_add(kn_roll(x->a, 1, KN_AXIS(1)), kn_roll(x->a, -1, KN_AXIS(1)))),
                  kn_mul(x->a, 4.0f));
}
static kn_array stencil_inside(const work_arrays *x)
{
    kn_array rows = kn_add(kn_at(x->a, ":-2, 1:-1"), kn_at(x->a, "2:, 1:-1"));
    kn_array columns = kn_add(kn_at(x->a, "1:-1, :-2"), kn_at(x->a, "1:-1, 2:"));
    return kn_sub(kn_add(rows, columns), kn_mul(kn_at(x->a, "1:-1, 1:-1"), 4.0f));
}
static kn_array range(const work_arrays *x) { return kn_arange(0, kn_size(x->a), 1); }
static kn_array zeros(const work_arrays *x) { return kn_zeros_like(x->a); }

#define ROW(f, what, ...)   WORK(f, what, "ms", ASK_WORK, 1e-6, .in = {__VA_ARGS__})
#define EAGER(f, what, ...) WORK(f, what, "ms", ASK_WORK, 1e-6, .in = {__VA_ARGS__}, .eager = true)
const bench_case bench_copies[] = {
    ROW(concatenate4, 1e7, "float32 25e5", "float32 25e5", "float32 25e5"),
    EAGER(concatenate4, eager_1e7, "float32 25e5", "float32 25e5", "float32 25e5"),
    ROW(concatenate_columns, 4096x1024, "float32 4096x1024", "float32 4096x1024"),
    ROW(roll_both, 4096x4096, "float32 4096x4096"),
    ROW(roll_flat, 1e7, "float32 1e7"),
    ROW(pad_zeros, 4096x4096, "float32 4096x4096"),
    ROW(pad_reflect, 2048x2048, "float32 2048x2048"),
    ROW(pad_edge, 2048x2048, "float32 2048x2048"),
    ROW(repeat3, 4e6, "float32 4e6"),
    ROW(tile1000, 1e4, "float32 1x1e4"),
    ROW(outer, 3000, "float32 3000", "float32 3000"),
    ROW(tril, 3000, "float32 3000x3000"),
    ROW(transposed, f64_3000, "float64 3000x3000"),
    ROW(transposed, u8_4096, "uint8 4096x4096"),
    ROW(transposed, 1000x1001, "float32 1000x1001"),
    ROW(transposed_021, 256, "float32 256x256x256"),
    ROW(transposed_102, 256, "float32 256x256x256"),
    ROW(transposed_201, 256, "float32 256x256x256"),
    ROW(transposed_0213, 64x128x32x64, "float32 64x128x32x64"),
    ROW(gradient0, 3000, "float32 3000x3000"),
    WORK(stencil_rolled, 4096, "ms", ASK_WORK, 1e-5, .in = {"float32 4096x4096"}),
    WORK(stencil_inside, 4096, "ms", ASK_WORK, 1e-5, .in = {"float32 4096x4096"}, .c = plain_stencil),
    WORK(stencil_inside, eager_4096, "ms", ASK_WORK, 1e-5, .in = {"float32 4096x4096"}, .c = plain_stencil,
         .eager = true),
    EAGER(range, 1e7, "int8 1e7"),
    EAGER(zeros, 1e7, "float32 1e7"),
    {0},
};
