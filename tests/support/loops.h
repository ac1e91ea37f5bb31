/* SPDX-License-Identifier: Apache-2.0
 * loops.h -- scan, while, fori, cond and switch with random bodies, which hold further loops and branches up to
 * three deep; and the same steps written out. */
#ifndef KN_TEST_LOOPS_H
#define KN_TEST_LOOPS_H
#include <kiln/kiln.h>

enum {
    SLOTS = 24,
    GROUP = 12,
    CARRIES = 3,
    XS = 2,
    CONSTS = 2,
    YS = 4,
    OPS = 7,
    VARIANTS = 3,
    VALUES = CARRIES + XS + CONSTS + 1 + OPS
};
enum { SCAN, WHILE, FORI, COND, SWITCH, FORMS };
enum { F32, F64, I32, I64, BOOL };
enum { SCALAR, ROW, TWO_ROWS };
enum { MOST_ROUNDS = 4 };

typedef struct {
    int dtype, shape;
} spec;
typedef struct {
    int kind, a, b, c, form, slot; /* form and slot: of a loop inside */
    spec to;
} operation;
typedef struct {
    bool smooth; /* its numbers are float64, its conditions do not depend on them */
    int width;   /* of a row: a few elements, or more than one writes out */
    int n_carry, n_x, n_const, n_y, n_op, depth;
    spec carry[CARRIES], x[XS], konst[CONSTS];
    operation op[VARIANTS][OPS];
    int next[CARRIES], y[YS];
} loop_recipe;
typedef struct {
    int32_t slot, form, length, unrolled, reverse, checkpoint, unroll, accept, total, bounded;
} loop_setting;
enum { LEAVES = 2 + CARRIES + XS + CONSTS, LANES = 3 };
typedef struct {
    kn_array floats[LEAVES], others[LEAVES];
    int n_floats, n_others;
} loop_inputs;

extern loop_recipe loop_recipes[SLOTS];

void loops_make(uint32_t first_seed); /* the recipes, which depend on it; once */
/* A function of two structs of arrays around a loop: numbers that derivatives are taken by (the first one does
 * nothing), and how often with all others. It gives carries, then outputs, or their sum with weights. */
kn_fn loop_top(const loop_setting *s);
int loop_n_out(const loop_setting *s);
loop_inputs loop_some_inputs(const loop_setting *s, int lane);
kn_args loop_args_of(const loop_inputs *in);
int loop_call(kn_fn f, const loop_inputs *in, kn_array *out, int n);
#endif
