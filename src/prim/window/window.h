/* SPDX-License-Identifier: Apache-2.0
 * window.h -- what the rows over windows share: where windows lie, their types and batching, and how a kernel looks at
 * the positions of one.
 */
#ifndef KN_PRIM_WINDOW_WINDOW_H
#define KN_PRIM_WINDOW_WINDOW_H
#include "prim/rules.h"
#include "host/routine/pooling.h"

typedef knr_pooling_axis knp_window_axis;
typedef knr_pooling knp_window;

enum { KNP_MAX_POSITIONS = 64 }; /* that a kernel looks at one after the other; more are a routine's */

/* n elements, so far apart: from the first to the last. */
int64_t knp_window_spread(int64_t n, int64_t dilation);
/* Whether a kernel can look at the windows: their sizes and steps are numbers; extents, and the padding of operands
 * without holes, may be expressions. */
bool knp_window_is_fixed(const knp_window *w);
/* Likely numbers in place of expressions, for costs. */
void knp_window_guess(knp_window *w);
/* Of an operand with the extents of x. dilated: the row has fields for the dilations. y: the type of the windows, or
 * NULL (then `count` is 0). */
void knp_window_read(const kni_p_window *p, bool dilated, kni_type x, const kni_type *y, knp_window *w);
/* How many windows there are along each axis; JAX's TypeErrors. */
knx_error *knp_window_counts(const kni_p_window *p, bool dilated, kni_type x, knp_dims *counts);
/* The type of one number per window. */
knx_error *knp_window_type(const kni_p_window *p, bool dilated, kni_type x, kn_dtype d, bool weak, knx_arena *a,
                          kni_type *y);

/* Column `spread`: axes along which no two windows have an element together, and each has as many elements of the array
 * to itself (a pool of 2 by 2 with strides of 2; each position a window) are cut between windows, those of all arrays.
 * */
void knp_window_factors(const kni_rule *r, kni_spread *s);
bool knp_windows_are_apart(const kni_rule *r, int d); /* axis d is one of these */

typedef struct knp_window_lists {
    knp_dims base_dilation, lo, hi, window_dilation, window_dimensions, window_strides, shape;
} knp_window_lists;
/* The same windows with one more axis in front of axis `at`, of extent `size`, along which each position is a window.
 * Points into *lists. */
kni_p_window knp_window_insert(const kni_p_window *p, bool dilated, int at, int64_t size, knp_window_lists *lists);

/* The identity of the larger or the smaller as a kernel constant: the lowest or the highest number. */
knk_node knp_extreme_node(knk_builder *k, kn_dtype d, bool largest);

/* --- kernels ------------------------------------------------------------------------------------ */

knk_node knp_both(knk_builder *k, knk_node a, knk_node b); /* and; KNK_NONE: true */
/* low <= the position along the axis, and below `end` */
knk_node knp_not_below(kni_lower *l, const kni_index *i, int axis, int64_t low, knk_node pred);
knk_node knp_below(kni_lower *l, const kni_index *i, int axis, int64_t end, knk_node pred);

/* The places that may count along one axis: at[axis] of `at`, each where its pred holds. */
typedef struct knp_places {
    int n;
    kni_index *at;
    knk_node *pred;  /* KNK_NONE: always */
    int64_t *number; /* what the place adds to the position in the window; ~number: there is never an element */
    knk_node *node;  /* an int64 that it adds, too; KNK_NONE: nothing */
} knp_places;
typedef struct knp_places_room {
    int used;
    knk_node pred[2 * KNP_MAX_POSITIONS], node[2 * KNP_MAX_POSITIONS];
    int64_t number[2 * KNP_MAX_POSITIONS];
    knp_places axis[KN_MAX_NDIM];
} knp_places_room;
bool knp_places_new(kni_lower *l, knp_places_room *room, int axis, int n, const kni_index *like);

/* How many elements a window may hold along an axis. */
int64_t knp_window_holds(const knp_window_axis *a);
/* The elements that window i holds: `visit` is called for each in C order of the positions. With `every` it is for all
 * positions: `in` is NULL where there is never an element, and `position` is right. Returns false after a failure. */
typedef void knp_window_visit(void *env, int64_t position, knk_node node, const kni_index *in, knk_node pred);
bool knp_window_walk(kni_lower *l, const knp_window *w, const kni_index *i, bool every, knp_window_visit *visit,
                     void *env);
/* All combinations of the places of n axes, in C order, and the sums of what they add to the position. */
bool knp_places_walk(kni_lower *l, const kni_index *like, int n, const knp_places_room *room, knp_window_visit *visit,
                     void *env);
#endif
