/* SPDX-License-Identifier: Apache-2.0
 * rows_libraries.c -- the calls of libraries.def, and functions that they use. */
#include "judge.h"

#define D(i, axis) kn_dim(x[i], axis)
#define K          kn_random_key(0)
#define SAME       KN_SHAPE(D(0, 0), D(0, 1))

static const kn_lax_scatter_dimension_numbers rows_back = {
    .update_window_dims = KN_AXIS(1), .inserted_window_dims = KN_AXIS(0), .scatter_dims_to_operand_dims = KN_AXIS(0)};

static kn_array plus(const kn_array *x, const kn_array *y) { return kn_add(*x, *y); }
KN_FUNCTION(plus, kn_array, kn_array, kn_array)

/* ---- Lanes. */

#define OF_LANES(name, call)                                 \
    static kn_array name(const kn_array *x) { return call; } \
    KN_FUNCTION(name, kn_array, kn_array)
OF_LANES(psum_of_lanes, kn_lax_psum(*x, "i"))
OF_LANES(pmean_of_lanes, kn_lax_pmean(*x, "i"))
OF_LANES(pmax_of_lanes, kn_lax_pmax(*x, "i"))
OF_LANES(pmin_of_lanes, kn_lax_pmin(*x, "i"))
OF_LANES(index_of_lane, kn_add(*x, kn_lax_axis_index("i")))
OF_LANES(all_lanes, kn_lax_all_gather(*x, "i"))
OF_LANES(swapped_lanes, kn_lax_pswapaxes(*x, "i", 0))

static kn_array mapped(kn_fn f, kn_array x)
{
    kn_array y = NULL;
    kn_call(kn_vmap(f, .axis_name = "i"), &y, &x);
    return y;
}

/* ---- Loops of unknown length, branches. */

typedef struct Step {
    kn_array carry, out;
} Step;
static Step decay(const kn_array *carry, const kn_array *x)
{
    kn_array y = kn_add(kn_mul(*carry, 0.5f), *x);
    return (Step){y, kn_tanh(y)};
}
KN_FUNCTION(decay, Step, kn_array, kn_array)

static kn_list scanned(kn_array x)
{
    kn_array first = kn_zeros(KN_SHAPE(kn_dim(x, 1)), .dtype = KN_F32), last = NULL, all = NULL;
    kn_scan(KN_FN(decay), KN_OUT(&last, &all), &first, &x);
    return KN_LIST(last, all);
}

typedef struct Cell {
    kn_array h, w;
} Cell;
typedef struct CellStep {
    Cell carry;
    kn_array out;
} CellStep;
static CellStep cell(const Cell *c, const kn_array *x)
{
    kn_array h = kn_tanh(kn_add(kn_matmul(c->h, c->w), *x));
    return (CellStep){{h, c->w}, h};
}
KN_FUNCTION(cell, CellStep, Cell, kn_array)

static kn_list recurrent(kn_array x, kn_array w)
{
    Cell first = {kn_zeros(KN_SHAPE(kn_dim(x, 1)), .dtype = KN_F32), w}, last;
    kn_array all = NULL;
    kn_scan(KN_FN(cell), KN_OUT(&last, &all), &first, &x);
    return KN_LIST(last.h, all);
}

static kn_array softened(const kn_array *x) { return kn_nn_softmax(*x); }
KN_FUNCTION(softened, kn_array, kn_array)

static kn_array mapped_one_by_one(kn_array x)
{
    kn_array y = NULL;
    kn_lax_map(KN_FN(softened), &y, &x);
    return y;
}

static kn_array grown(const kn_array *i, const kn_array *x) { return kn_add(kn_mul(*x, 0.9f), *i); }
KN_FUNCTION(grown, kn_array, kn_array, kn_array)

static kn_array looped(kn_array x)
{
    kn_array y = NULL;
    kn_fori_loop(0, kn_dim(x, 0), KN_FN(grown), &y, &x);
    return y;
}

static kn_array reversed(const kn_array *x) { return kn_flip(*x); }
KN_FUNCTION(reversed, kn_array, kn_array)

static kn_array branched(kn_array x)
{
    kn_array y = NULL;
    kn_cond(kn_greater(kn_sum(x), 1), KN_FN(softened), KN_FN(reversed), &y, &x);
    return y;
}

/* ---- Networks. */

static kn_array attention(kn_array x)
{
    kn_array heads = kn_reshape(x, KN_SHAPE(kn_dim(x, 0), kn_dim(x, 1), 4, 16));
    kn_array y = kn_nn_dot_product_attention(heads, heads, heads, .is_causal = true);
    return kn_nn_standardize(kn_add(x, kn_reshape(y, KN_SHAPE(kn_dim(x, 0), kn_dim(x, 1), 64))));
}

static kn_array stepped(kn_optimizer o, const kn_array *x)
{
    kn_tree updates = NULL, next = NULL, state = kn_optim_init(o, KN_TREE(&x[0]));
    if (kn_optim_update(o, KN_TREE(&x[1]), state, KN_TREE(&x[0]), &updates, &next))
        return NULL;
    return kn_tree_get(kn_optim_apply_updates(KN_TREE(&x[0]), updates), 0);
}

#define TABLE "symbolic/libraries.def"
#define NAME  rows_libraries
#include "symbolic/rows.h"
