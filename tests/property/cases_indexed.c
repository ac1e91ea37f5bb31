/* SPDX-License-Identifier: Apache-2.0
 * cases_indexed.c -- samples of the primitives that read and write at computed places, and of random bits. */
#include "cases.h"

/* gather: lists are offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims,
 * start_indices_batching_dims, slice_sizes. */
#define GATHER_SAMPLE(name, list, from) \
    .prim = &knp_prim_gather, .label = name, .dtypes = list, .operands = from, .whole = ref_gather
#define GATHER(name, list, from, how, o, c, m, ob, ib, s) \
    {GATHER_SAMPLE(name, list, from),                     \
     .params = &(kni_p_gather){o, c, m, ob, ib, s, KN_GATHER_##how, false, false, false}},
/* Negative indices count from the end. */
#define GATHER_WRAPS(name, list, from, how, o, c, m, ob, ib, s) \
    {GATHER_SAMPLE(name, list, from),                           \
     .params = &(kni_p_gather){o, c, m, ob, ib, s, KN_GATHER_##how, false, false, true}},
#define SCATTER(op, name, list, from, mode, unique, how, error, o, c, m, ob, ib) \
    {.prim = &knp_prim_##op,                                                     \
     .label = name,                                                              \
     .dtypes = list,                                                             \
     .operands = from,                                                           \
     .whole = ref_scatter,                                                       \
     .flags = how,                                                               \
     .ulp = error,                                                               \
     .params = &(kni_p_scatter){o, c, m, ob, ib, KN_GATHER_##mode, false, unique, false}},

/* Rows of a matrix and elements of a vector in every mode; i..: indices within the bounds and beyond them. */
#define TAKES(how, name, low, high)                                                                                    \
    GATHER("rows_" name, "f64 f32 i32", "T[5,3] i32[4,1]{" low ",5" high "}", how, INTS(1), INTS(0), INTS(0), NONE,    \
           NONE, INTS(1, 3))                                                                                           \
    GATHER("elements_" name, EVERYTHING, "T[6] i64[7,1]{" low ",6" high "}", how, NONE, INTS(0), INTS(0), NONE, NONE,  \
           INTS(1))                                                                                                    \
    GATHER("windows_" name, "f64 c64 u8", "T[7] i32[3,1]{" low ",5" high "}", how, INTS(1), NONE, INTS(0), NONE, NONE, \
           INTS(3))
#define KEYS(how, name) \
    GATHER("keys_" name, "key<fry>", "T[6] i64[7,1]{0,5}", how, NONE, INTS(0), INTS(0), NONE, NONE, INTS(1))
#define ADDS(mode, name, low, high)                                                                                   \
    SCATTER(scatter_add, "rows_" name, "f64 f32 i32", "T[5,3] i32[4,1]{" low ",5" high "} T[4,3]", mode, false, 0, 0, \
            INTS(1), INTS(0), INTS(0), NONE, NONE)                                                                    \
    SCATTER(scatter_add, "elements_" name, EVERYTHING, "T[6] i64[7,1]{" low ",6" high "} T[7]", mode, false, 0, 0,    \
            NONE, INTS(0), INTS(0), NONE, NONE)                                                                       \
    SCATTER(scatter_add, "windows_" name, "f64 c64 u8", "T[7] i32[3,1]{" low ",5" high "} T[3,3]", mode, false, 0, 0, \
            INTS(1), NONE, INTS(0), NONE, NONE)

/* Of all of them: indices that meet each other and that do not. `meet`: flags where they do. */
#define SCATTERS(op, types, how, meet, error)                                                                          \
    SCATTER(op, "rows", "f64 f32 i32", "T[5,3] i32[4,1]{-2,6} T[4,3]", FILL, false, (how) | (meet), error, INTS(1),    \
            INTS(0), INTS(0), NONE, NONE)                                                                              \
    SCATTER(op, "elements", types, "T[6] i64[7,1]{-1,6} T[7]", CLIP, false, (how) | (meet), error, NONE, INTS(0),      \
            INTS(0), NONE, NONE)                                                                                       \
    SCATTER(op, "unique", types, "T[6] i64[4,1]{1} T[4]; T[6] u8[5,1]{3} T[5]", FILL, true, how, error, NONE, INTS(0), \
            INTS(0), NONE, NONE)                                                                                       \
    SCATTER(op, "apart", "f64 c128 bf16", "T[6] i64[4,1]{1} T[4]", CHECK, false, (how) | (meet), error, NONE, INTS(0), \
            INTS(0), NONE, NONE)                                                                                       \
    SCATTER(op, "windows", "f64 c64 u8", "T[7] i32[3,1]{0,4} T[3,3]", CHECK, false, (how) | (meet), error, INTS(1),    \
            NONE, INTS(0), NONE, NONE)                                                                                 \
    SCATTER(op, "two_axes", "f64 i32 bf16", "T[4,5] u32[3,2]{0,3} T[3]", CLIP, false, (how) | (meet), error, NONE,     \
            INTS(0, 1), INTS(0, 1), NONE, NONE)                                                                        \
    SCATTER(op, "axes_swapped", "f64", "T[4,5] i32[3,2]{-1,5} T[3,2]", FILL, false, (how) | (meet), error, INTS(1),    \
            INTS(0), INTS(1, 0), NONE, NONE)                                                                           \
    SCATTER(op, "matrix_of_points", "f64", "T[3,4] i32[2,3,1]{0,3} T[3,2,3]", CLIP, false, (how) | (meet), error,      \
            INTS(0), INTS(1), INTS(1), NONE, NONE)                                                                     \
    SCATTER(op, "one_point", "f64 c64", "T[3,4] i32[1]{0,2} T[4]", CLIP, true, how, error, INTS(0), INTS(0), INTS(0),  \
            NONE, NONE)                                                                                                \
    SCATTER(op, "batched", "f64 f32 i32", "T[3,5] i32[3,2,1]{-1,5} T[3,2]", FILL, false, (how) | (meet), error, NONE,  \
            INTS(1), INTS(1), INTS(0), INTS(0))                                                                        \
    SCATTER(op, "no_points", "f64 i32", "T[5,3] i32[0,1] T[0,3]", CLIP, true, how, error, INTS(1), INTS(0), INTS(0),   \
            NONE, NONE)                                                                                                \
    SCATTER(op, "large", "f32", "T[100] i32[3000,1]{-5,105} T[3000]", FILL, false, (how) | (meet), error, NONE,        \
            INTS(0), INTS(0), NONE, NONE)

#define DYNAMIC(name, list, from, ...)                    \
    {.prim = &knp_prim_dynamic_slice,                     \
     .label = name,                                       \
     .dtypes = list,                                      \
     .operands = from,                                    \
     .params = &(kni_p_dynamic_slice){INTS(__VA_ARGS__)}, \
     .whole = ref_dynamic_slice},
#define UPDATE(name, list, from)             \
    {.prim = &knp_prim_dynamic_update_slice, \
     .label = name,                          \
     .dtypes = list,                         \
     .operands = from,                       \
     .whole = ref_dynamic_update_slice},

#define STRIDED(name, list, from, ...)                     \
    {.prim = &knp_prim_strided_update,                     \
     .label = name,                                        \
     .dtypes = list,                                       \
     .operands = from,                                     \
     .params = &(kni_p_strided_update){INTS(__VA_ARGS__)}, \
     .whole = ref_strided_update},

#define ALL EVERYTHING " key<fry>"
#define BITS(n)                                                         \
    {.prim = &knp_prim_random_bits,                                     \
     .label = "bits" #n,                                                \
     .operands = "key<fry>[]; key<fry>[3]; key<fry>[2,2]; key<fry>[0]", \
     .params = &(kni_p_random_bits){n, INTS(2, 5)},                     \
     .whole = ref_random_bits},                                         \
        {.prim = &knp_prim_random_bits,                                 \
         .label = "bits" #n "_one",                                     \
         .operands = "key<fry>[]; key<fry>[2]",                         \
         .params = &(kni_p_random_bits){n, NONE},                       \
         .whole = ref_random_bits},                                     \
        {.prim = &knp_prim_random_bits,                                 \
         .label = "bits" #n "_none",                                    \
         .operands = "key<fry>[]",                                      \
         .params = &(kni_p_random_bits){n, INTS(0)},                    \
         .whole = ref_random_bits},

#define SPLIT(name, ...)                                                \
    {.prim = &knp_prim_random_split,                                    \
     .label = name,                                                     \
     .operands = "key<fry>[]; key<fry>[3]; key<fry>[0]; key<fry>[2,2]", \
     .params = &(kni_p_random_split){__VA_ARGS__},                      \
     .whole = ref_random_split},
/* In 16 bits the rounding decides what is rejected: test_random_samples has JAX's numbers. */
#define GAMMA_AS(name, log, of, from)      \
    {.prim = &knp_prim_random_gamma,       \
     .label = name,                        \
     .dtypes = of,                         \
     .operands = from,                     \
     .params = &(kni_p_random_gamma){log}, \
     .whole = ref_random_gamma,            \
     .flags = NO_SLOPE,                    \
     .lo = 0.2,                            \
     .hi = 9,                              \
     .ulp = 120},
#define GAMMA(name, log)                                                                                 \
    GAMMA_AS(name, log, "f32 f64",                                                                       \
             "key<fry>[] T[]; key<fry>[] T[0]; key<fry>[] T[3,4]; key<fry>[2] T[2,5]; key<fry>[3] T[3]") \
    GAMMA_AS(name, log, "f16 bf16", "key<fry>[] T[0]; key<fry>[0] T[0]")
/* Of every dtype. The state stands close below 2^64, too. */
#define GENERATE_AS(how, name, ID, from, ...)                                    \
    {.prim = &knp_prim_rng_bit_generator,                                        \
     .label = #how "_" name,                                                     \
     .operands = from,                                                           \
     .params = &(kni_p_rng_bit_generator){KN_RNG_##how, KN_DT(ID), __VA_ARGS__}, \
     .whole = ref_rng_bit_generator,                                             \
     .lo = 0,                                                                    \
     .hi = 4.2e9},
#define STATES "u32[4]; u64[2]{0,1.8e19}; u32[4]{4294967295,4294967295}"
#define GENERATE(name, ...)                                       \
    GENERATE_AS(THREE_FRY, name "_u32", U32, STATES, __VA_ARGS__) \
    GENERATE_AS(THREE_FRY, name "_u64", U64, STATES, __VA_ARGS__) \
    GENERATE_AS(PHILOX, name "_u32", U32, STATES, __VA_ARGS__)    \
    GENERATE_AS(PHILOX, name "_u64", U64, STATES, __VA_ARGS__)    \
    GENERATE_AS(DEFAULT, name "_u8", U8, "u32[4]", __VA_ARGS__)   \
    GENERATE_AS(THREE_FRY, name "_u16", U16, "u32[4]", __VA_ARGS__)

static int bounded(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    knb_check_bounds(b, x[0], &(kni_p_check_bounds){INTS(0, 1), INTS(4, 2), INTS(5, 3), false});
    y[0] = x[0];
    return 1;
}
#define BOUNDED(from) {.prim = &knp_prim_check_bounds, .operands = from, .each = ref_same, .build = bounded},

const sample samples_indexed[] = {
#include "indexed.def"
    {.prim = NULL},
};
