/* SPDX-License-Identifier: Apache-2.0
 * cases_indexed.c -- samples of the primitives that read and write at computed places, and of random bits. */
#include "cases.h"

/* gather: lists are offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims, start_indices_batching_dims, slice_sizes. */
#define GATHER(name, list, from, how, o, c, m, ob, ib, s)                                                                                \
    {.prim = &kn_prim_gather, .label = name, .dtypes = list, .operands = from, .whole = ref_gather,                                      \
     .params = &(kn_p_gather){o, c, m, ob, ib, s, KN_GATHER_##how, false, false}},
#define SCATTER(name, list, from, how, o, c, m, ob, ib)                                                                                  \
    {.prim = &kn_prim_scatter_add, .label = name, .dtypes = list, .operands = from, .whole = ref_scatter_add,                            \
     .params = &(kn_p_scatter){o, c, m, ob, ib, KN_GATHER_##how, false, false}},

/* Rows of a matrix and elements of a vector in every mode; i..: indices within the bounds and beyond them. */
#define TAKES(how, name, low, high)                                                                                                      \
    GATHER("rows_" name, "f64 f32 i32", "T[5,3] i32[4,1]{" low ",5" high "}", how, INTS(1), INTS(0), INTS(0), NONE, NONE, INTS(1, 3))   \
    GATHER("elements_" name, EVERYTHING, "T[6] i64[7,1]{" low ",6" high "}", how, NONE, INTS(0), INTS(0), NONE, NONE, INTS(1))           \
    GATHER("windows_" name, "f64 c64 u8", "T[7] i32[3,1]{" low ",5" high "}", how, INTS(1), NONE, INTS(0), NONE, NONE, INTS(3))
#define KEYS(how, name) GATHER("keys_" name, "key<fry>", "T[6] i64[7,1]{0,5}", how, NONE, INTS(0), INTS(0), NONE, NONE, INTS(1))
#define ADDS(how, name, low, high)                                                                                                       \
    SCATTER("rows_" name, "f64 f32 i32", "T[5,3] i32[4,1]{" low ",5" high "} T[4,3]", how, INTS(1), INTS(0), INTS(0), NONE, NONE)        \
    SCATTER("elements_" name, EVERYTHING, "T[6] i64[7,1]{" low ",6" high "} T[7]", how, NONE, INTS(0), INTS(0), NONE, NONE)                 \
    SCATTER("windows_" name, "f64 c64 u8", "T[7] i32[3,1]{" low ",5" high "} T[3,3]", how, INTS(1), NONE, INTS(0), NONE, NONE)

#define DYNAMIC(name, list, from, ...)                                                                                                   \
    {.prim = &kn_prim_dynamic_slice, .label = name, .dtypes = list, .operands = from, .params = &(kn_p_dynamic_slice){INTS(__VA_ARGS__)},   \
     .whole = ref_dynamic_slice},
#define UPDATE(name, list, from)                                                                                                         \
    {.prim = &kn_prim_dynamic_update_slice, .label = name, .dtypes = list, .operands = from, .whole = ref_dynamic_update_slice},

#define ALL EVERYTHING " key<fry>"
#define BITS(n)                                                                                                                          \
    {.prim = &kn_prim_random_bits, .label = "bits" #n, .operands = "key<fry>[]; key<fry>[3]; key<fry>[2,2]; key<fry>[0]",                \
     .params = &(kn_p_random_bits){n, INTS(2, 5)}, .whole = ref_random_bits},                                                            \
    {.prim = &kn_prim_random_bits, .label = "bits" #n "_one", .operands = "key<fry>[]; key<fry>[2]",                                     \
     .params = &(kn_p_random_bits){n, NONE}, .whole = ref_random_bits},                                                                  \
    {.prim = &kn_prim_random_bits, .label = "bits" #n "_none", .operands = "key<fry>[]",                                                 \
     .params = &(kn_p_random_bits){n, INTS(0)}, .whole = ref_random_bits},

const sample samples_indexed[] = {
    TAKES(CLIP, "clip", "-3", "+4") TAKES(FILL, "fill", "-3", "+4") TAKES(PROMISE, "promise", "0", "-1") TAKES(CHECK, "check", "0", "-1")
    TAKES(FILL_ZERO, "zero", "-3", "+4") KEYS(CLIP, "clip") KEYS(PROMISE, "promise") KEYS(CHECK, "check")
    GATHER("two_axes", "f64 i32 bf16", "T[4,5] u32[3,2]{0,3}", CLIP, NONE, INTS(0, 1), INTS(0, 1), NONE, NONE, INTS(1, 1))
    GATHER("axes_swapped", "f64", "T[4,5] i32[3,2]{-1,5}", FILL, INTS(1), INTS(0), INTS(1, 0), NONE, NONE, INTS(1, 2))
    GATHER("matrix_of_points", "f64 i16", "T[3,4] i32[2,3,1]{0,3}", CLIP, INTS(0), INTS(1), INTS(1), NONE, NONE, INTS(3, 1))
    GATHER("one_point", "f64 c64", "T[3,4] i32[1]{0,2}; T[3,4] i32[1]{2,2}", CLIP, INTS(0), INTS(0), INTS(0), NONE, NONE, INTS(1, 4))
    GATHER("batched", "f64 f32 i32", "T[3,5] i32[3,2,1]{-1,5}", FILL, NONE, INTS(1), INTS(1), INTS(0), INTS(0), INTS(1, 1))
    GATHER("batched_windows", "f64", "T[5,3,4] i32[2,3,1]{0,3}", CLIP, INTS(1, 3), NONE, INTS(0), INTS(1), INTS(1), INTS(2, 1, 4))
    GATHER("no_points", "f64 i32", "T[5,3] i32[0,1]", CLIP, INTS(1), INTS(0), INTS(0), NONE, NONE, INTS(1, 3))
    GATHER("small_indices", "f64", "T[5] i8[4,1]{-2,6}; T[5] u8[4,1]{0,6}; T[5] i64[4,1]{-9e18,9e18}; T[5] u64[4,1]{0,6}; T[5] u32[4,1]{0,4e9}", FILL, NONE,
           INTS(0), INTS(0), NONE, NONE, INTS(1))
    GATHER("large", "f32", "T[500,8] i32[600,1]{-5,505}", CLIP, INTS(1), INTS(0), INTS(0), NONE, NONE, INTS(1, 8))

    ADDS(CLIP, "clip", "-3", "+4") ADDS(FILL, "fill", "-3", "+4") ADDS(PROMISE, "promise", "0", "-1") ADDS(CHECK, "check", "0", "-1")
    SCATTER("two_axes", "f64 i32 bf16", "T[4,5] u32[3,2]{0,3} T[3]", CLIP, NONE, INTS(0, 1), INTS(0, 1), NONE, NONE)
    SCATTER("axes_swapped", "f64", "T[4,5] i32[3,2]{-1,5} T[3,2]", FILL, INTS(1), INTS(0), INTS(1, 0), NONE, NONE)
    SCATTER("matrix_of_points", "f64", "T[3,4] i32[2,3,1]{0,3} T[3,2,3]", CLIP, INTS(0), INTS(1), INTS(1), NONE, NONE)
    SCATTER("one_point", "f64 c64", "T[3,4] i32[1]{0,2} T[4]", CLIP, INTS(0), INTS(0), INTS(0), NONE, NONE)
    SCATTER("batched", "f64 f32 i32", "T[3,5] i32[3,2,1]{-1,5} T[3,2]", FILL, NONE, INTS(1), INTS(1), INTS(0), INTS(0))
    SCATTER("no_points", "f64 i32", "T[5,3] i32[0,1] T[0,3]", CLIP, INTS(1), INTS(0), INTS(0), NONE, NONE)
    SCATTER("large", "f32", "T[100] i32[3000,1]{-5,105} T[3000]", FILL, NONE, INTS(0), INTS(0), NONE, NONE)

    DYNAMIC("3", ALL, "T[7] i32[]{-2,9}; T[3] i32[]{-1,1}; T[7] i32=3", 3) DYNAMIC("2x2", "f64 i32", "T[4,5] i32[]{-2,6} i32[]{-2,6}; T[2,3] i64[]{0,1} i64[]{0,1}", 2, 2)
    DYNAMIC("index_types", "f64", "T[9] i8[]{-5,12}; T[9] u8[]{0,12}; T[9] i16[]{0,7}; T[9] u32[]{0,4e9}; T[9] i64[]{-9e18,9e18}; T[9] u64[]{1e19,1.2e19}; T[9] i32=2", 4)
    DYNAMIC("empty", "f64 i32", "T[4] i32[]{-1,5}; T[0] i32[]{0,2}", 0) DYNAMIC("large", "f32", "T[9000] i32[]{0,2000}", 8000)
    {.prim = &kn_prim_dynamic_slice, .label = "scalar", .dtypes = "f64 i32", .operands = "T[]", .params = &(kn_p_dynamic_slice){NONE}, .whole = ref_dynamic_slice},
    UPDATE("clamped", ALL, "T[7] T[3] i32[]{-2,9}") UPDATE("matrix", "f64 i32 c64", "T[4,5] T[2,3] i32[]{-1,4} i32[]{-1,4}; T[2,2] T[2,2] i64[] i64[]")
    UPDATE("index_types", "f64", "T[9] T[4] i8[]{-5,12}; T[9] T[4] u8[]{0,12}; T[9] T[4] i64[]{-9e18,9e18}; T[9] T[4] u32[]{0,4e9}; T[9] T[4] i32=2; T[9] T[4] u64[]{1e19,1.2e19}")
    UPDATE("empty", "f64 i32", "T[4] T[0] i32[]; T[0] T[0] i32[]") UPDATE("scalar", "f64 i32", "T[] T[]") UPDATE("large", "f32", "T[9000] T[8000] i32[]{0,2000}")

    {.prim = &kn_prim_threefry2x32, .whole = ref_threefry2x32, .lo = 0, .hi = 4.2e9,
     .operands = "u32[] u32[] u32[] u32[]; u32[7] u32[7] u32[7] u32[7]; u32[] u32[] u32[3,4] u32[3,4]; u32[0] u32[0] u32[0] u32[0]; u32=0 u32=0 u32[1]{0,0} "
                 "u32[1]{0,0}; u32[] u32[] u32[5000] u32[5000]"},
    BITS(8) BITS(16) BITS(32) BITS(64)
    {.prim = &kn_prim_random_bits, .label = "large", .operands = "key<fry>[]", .params = &(kn_p_random_bits){32, INTS(5000)}, .whole = ref_random_bits},
    {.prim = &kn_prim_random_wrap, .operands = "u32[2]; u32[3,2]; u32[2,3,2]; u32[0,2]", .whole = ref_random_wrap, .lo = 0, .hi = 4.2e9},
    {.prim = &kn_prim_random_unwrap, .operands = "key<fry>[]; key<fry>[3]; key<fry>[2,3]; key<fry>[0]", .whole = ref_random_unwrap},
    {.prim = NULL},
};
