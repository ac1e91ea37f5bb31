/* SPDX-License-Identifier: Apache-2.0
 * rows_lax.c -- the calls of lax.def. */
#include "coverage/coverage.h"

static kn_array plus(const kn_array *a, const kn_array *c) { return kn_add(*a, *c); }
KN_FUNCTION(plus, kn_array, kn_array, kn_array)
static kn_array product(const kn_array *a, const kn_array *c) { return kn_mul(*a, *c); }
KN_FUNCTION(product, kn_array, kn_array, kn_array)
static kn_array negated(const kn_array *a) { return kn_negative(*a); }
KN_FUNCTION(negated, kn_array, kn_array)
static kn_array thrice(const kn_array *a) { return kn_mul(3, *a); }
KN_FUNCTION(thrice, kn_array, kn_array)
static kn_array is_small(const kn_array *a) { return kn_less(kn_sum(*a), 100); }
KN_FUNCTION(is_small, kn_array, kn_array)
static kn_array halve_and_add(const kn_array *k, const kn_array *a) { return kn_add(kn_mul(*a, 0.5), *k); }
KN_FUNCTION(halve_and_add, kn_array, kn_array, kn_array)
static Pair running(const kn_array *c, const kn_array *a) { return (Pair){kn_add(*c, *a), kn_mul(*c, *a)}; }
KN_FUNCTION(running, Pair, kn_array, kn_array)

#define GATHER_ROWS                     \
    ((kn_lax_gather_dimension_numbers){ \
        .offset_dims = KN_AXIS(1), .collapsed_slice_dims = KN_AXIS(0), .start_index_map = KN_AXIS(0)})
#define SCATTER_ROWS                                                        \
    ((kn_lax_scatter_dimension_numbers){.update_window_dims = KN_AXIS(1),   \
                                        .inserted_window_dims = KN_AXIS(0), \
                                        .scatter_dims_to_operand_dims = KN_AXIS(0)})

/* a function of *a for each lane of `in`, over the axis "i"; the functions come first */
#define LANES(f, in, ...) AT(kn_vmap(KN_FN(lane_##f), .axis_name = "i"), in)
#define LANE(f, ...)                                                    \
    static kn_array lane_##f(const kn_array *a) { return __VA_ARGS__; } \
    KN_FUNCTION(lane_##f, kn_array, kn_array)
LANE(psum, kn_lax_psum(*a, "i"))
LANE(pmean, kn_lax_pmean(*a, "i"))
LANE(pmax, kn_lax_pmax(*a, "i"))
LANE(pmin, kn_lax_pmin(*a, "i"))
LANE(all_gather, kn_lax_all_gather(*a, "i"))
LANE(all_to_all, kn_lax_all_to_all(*a, "i", 0, 0))
LANE(psum_scatter, kn_lax_psum_scatter(*a, "i"))
LANE(ppermute, kn_lax_ppermute(*a, "i", KN_PAIRS({0, 1}, {1, 0}, {2, 2})))
LANE(pshuffle, kn_lax_pshuffle(*a, "i", KN_LANES(1, 2, 0)))
LANE(pswapaxes, kn_lax_pswapaxes(*a, "i", 0))
LANE(pbroadcast, kn_lax_pbroadcast(*a, "i", 1))
LANE(axis_index, kn_add(*a, kn_lax_axis_index("i")))
LANE(axis_size, kn_mul(*a, kn_lax_axis_size("i")))

static kn_array axes_array(kn_axes a)
{
    int64_t at[KN_MAX_NDIM];
    for (int k = 0; k < a.n - 1; k++)
        at[k] = a.axis[k];
    return kn_from(at, KN_SHAPE(a.n - 1));
}
#define AXES(axes) axes_array(axes)
/* a scan's state at the end, then its outputs */
#define SCANNED(call) OUT2(call)

#define TABLE         "coverage/lax.def"
#define NAME          rows_lax
#include "coverage/table.h"
