/* SPDX-License-Identifier: Apache-2.0
 * dim_expr.h -- how dimension expressions are kept; for the files of dim.h alone. */
#ifndef KN_BASE_DIM_EXPR_H
#define KN_BASE_DIM_EXPR_H
#include "base/dim.h"

typedef enum { KNX_DIM_VARIABLE, KNX_DIM_FLOORDIV, KNX_DIM_MOD, KNX_DIM_MAX, KNX_DIM_MIN } knx_dim_op;
extern const char *const knx_dim_operation[]; /* their names */

enum { KNX_DIM_PARTS = 32 }; /* terms of an expression, factors of a term: at most so many */

/* Variables and operations have a number each, terms (products) and expressions (sums) too. `size` counts what is
 * written: the order of terms begins with it. */
typedef struct knx_dim_factor {
    uint8_t op;
    int64_t size, operand[2];
    const char *name; /* of a variable, ... */
    uint64_t key;     /* ... and the key of its scope */
    uint64_t hash;
} knx_dim_factor;
typedef struct knx_dim_power {
    uint32_t factor, power;
} knx_dim_power;
typedef struct knx_dim_term {
    uint32_t n;
    int64_t size;
    const knx_dim_power *factor; /* the largest first */
    uint64_t hash;
} knx_dim_term; /* number 0: the product of nothing, 1 */
typedef struct knx_dim_part {
    uint64_t term; /* its number; without padding: parts are compared as bytes */
    int64_t times;
} knx_dim_part;
typedef struct knx_dim_expr {
    uint32_t n;
    const knx_dim_part *part; /* the largest first */
    uint64_t hash;
} knx_dim_expr; /* number 0: unknown */

const knx_dim_factor *knx_dim_factor_at(uint32_t i);
const knx_dim_term *knx_dim_term_at(uint32_t i);
const knx_dim_expr *knx_dim_expr_at(uint32_t i);
int64_t knx_dim_handle(uint32_t number, int64_t constant);
uint32_t knx_dim_number(int64_t d);
bool knx_dim_of_var(knx_dim_var v, int64_t *d); /* UINT32_MAX: there was no memory; false then */
/* A dimension as a sum: its terms with the number that each is multiplied by, the largest first, the constant last. */
int knx_dim_terms(int64_t d, knx_dim_part *out);
int64_t knx_dim_of_parts(const knx_dim_part *p, int n); /* the inverse; no number is 0 */
/* x * kx + y * ky; -1: more parts than there is room, -2: a number does not fit */
int knx_dim_join(const knx_dim_part *x, int n, int64_t kx, const knx_dim_part *y, int m, int64_t ky, knx_dim_part *out);
int knx_dim_order_of_terms(uint32_t a, uint32_t b);
uint32_t knx_dim_term_of(const knx_dim_power *p, uint32_t n); /* UINT32_MAX without memory */
#endif
