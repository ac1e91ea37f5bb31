/* SPDX-License-Identifier: Apache-2.0
 * sweep.h -- what tests have in common that run an operation on pseudo-random cases and compare bits: random numbers,
 * operands that lie in memory in every way, their elements, and judging results. */
#ifndef KN_TEST_SWEEP_H
#define KN_TEST_SWEEP_H
#include "support/fold.h"
#include <kiln/kiln.h>
#include <stdio.h>

enum { SWEEP_MAX_AXES = 6 };

void sweep_begin(uint64_t seed); /* all that follows depends on it */
uint64_t sweep_random64(void);
int64_t sweep_below(int64_t n);
int64_t sweep_one_of(int n, const int64_t *of);
#define SWEEP_ONE_OF(...) sweep_one_of((int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (const int64_t[]){__VA_ARGS__})
int64_t sweep_product(int64_t n, const int64_t *x);
void sweep_unravel(int64_t i, int64_t n, const int64_t *extent, int64_t *to); /* C order */

/* An axis of an operand: elements start, start + step, ... of the stored axis (backwards from its end if step is
 * negative), or its one element again and again (spread). */
typedef struct sweep_axis {
    int64_t extent, start, step, stored;
    int64_t spread;
} sweep_axis;
typedef struct sweep_operand { /* without gaps, so that it can be a part of a function's constant */
    int64_t n;
    sweep_axis axis[SWEEP_MAX_AXES]; /* `extent` is the user's */
    int64_t order[SWEEP_MAX_AXES];   /* stored axis number i is axis order[i] */
} sweep_operand;
void sweep_lay_out(sweep_operand *o); /* chooses all but the extents */
void sweep_show(const char *name, const sweep_operand *o);
int64_t sweep_place(const sweep_operand *o, const int64_t *at); /* the stored element of these indices */
kn_shape sweep_stored_shape(const sweep_operand *o);
int64_t sweep_stored_size(const sweep_operand *o);
kn_array sweep_view(const sweep_operand *o, kn_array stored); /* the operand, as a view */

/* How elements look: common ones; with a few odd ones among k; of very different sizes. */
enum { SWEEP_COMMON, SWEEP_ODD, SWEEP_UNEVEN };
char *sweep_elements(kn_dtype d, int64_t n, int64_t k, int kind); /* to be freed */
kn_array sweep_array(const char *elements, const kn_shape *shape, kn_dtype d);

typedef struct sweep_values {
    kn_dtype d;
    int64_t n;
    char *at; /* to be freed; NULL: an error */
} sweep_values;
sweep_values sweep_take(kn_array x);
/* Is x equal to `want`, NaNs being equal? If not, it says so on standard error. */
bool sweep_equals(uint64_t seed, const char *what, kn_array x, const sweep_values *want);
void sweep_complain(uint64_t seed, const char *what, int64_t i, kn_dtype d, const void *got, const void *want);
/* false, and says it, if `got` (element i) is not what the definition f gives or not as accurate as that. */
bool sweep_as_defined(uint64_t seed, int64_t i, const fold *f, const void *got);

/* KILN_TEST_SEED: that one; else 1 .. rounds, with KILN_TEST_LONG `thorough` of them. */
typedef struct sweep_range {
    uint64_t first, end;
} sweep_range;
sweep_range sweep_seeds(uint64_t rounds, uint64_t thorough);
bool sweep_chosen(void); /* by KILN_TEST_SEED */
/* How many of these seeds check() is false for. */
int sweep_failures(sweep_range seeds, bool (*check)(uint64_t seed));
bool sweep_has_error(uint64_t seed); /* Kiln's pending error, shown and cleared */

/* Each backend in a process of its own: this group of this program, called with "--hashes FIRST END", prints a line for each seed.
 * How many lines differ from those of the first backend. */
int sweep_backends(const char *program, const char *group, sweep_range seeds);
bool sweep_is_child(int argc, char **argv);
int sweep_print_hashes(char **argv, uint64_t (*hash)(uint64_t seed)); /* what the child does; its exit status */
uint64_t sweep_hash(const sweep_values *v);                           /* of the elements; 0: an error */
#endif
