/* SPDX-License-Identifier: Apache-2.0
 * product_dot.c -- one number: two long vectors multiplied and summed. The blocks of 256 steps are the lanes of the
 * inner loops; their sums are added in order. And many numbers, of the rows of two matrices: each has a lane. */
#include "host/routine/product_dot.h"
#include "base/line.h"
#include "base/pool.h"

static bool is_number(const knr_plan *p)
{
    const knr_side *l = &p->left, *r = &p->right;
    return p->maker && p->number <= KNH_NUMBER_C128 && p->direct && p->into == KNR_SET && l->row.total == 1 &&
           r->row.total == 1 && l->plain && r->plain && l->k.stride[0] == 1 && r->k.stride[0] == 1;
}

bool knr_dot_fits(const knr_plan *p) { return is_number(p) && p->left.k.total >= 2 * KNR_BLOCK_STEPS; }

static knh_product_function *function_of(const knr_plan *p, int64_t columns)
{
    knh_product_request q = knr_request(p, 1, columns, KNH_B_TURNED);
    q.a_from = KNH_A_LANES;
    return knh_product_for(p->maker, &q);
}

/* Columns that are worked on at once: 16, where there is room for them. */
static int64_t columns_at_once(const knr_plan *p)
{
    int vectors = 16 / p->lanes;
    if (vectors > 1 && knh_product_rows_turned(p->maker, p->number, vectors, KNH_A_LANES) < 1)
        vectors = 1;
    return vectors * p->lanes;
}

/* Blocks that are worked on at once, and the functions for so many, for the last ones, and for one. */
bool knr_dot_plan(knr_plan *p)
{
    int64_t at_once = columns_at_once(p), blocks = p->left.k.total / KNR_BLOCK_STEPS;
    p->dot_columns = at_once;
    p->dot_function[0] = blocks >= at_once ? function_of(p, at_once) : NULL;
    p->dot_function[1] = blocks % at_once ? function_of(p, blocks % at_once) : NULL;
    p->dot_function[2] = p->left.k.total % KNR_BLOCK_STEPS ? function_of(p, 1) : NULL;
    return (p->dot_function[0] || blocks < at_once) && (p->dot_function[1] || blocks % at_once == 0) &&
           (p->dot_function[2] || p->left.k.total % KNR_BLOCK_STEPS == 0);
}

bool knr_dots_plan(knr_plan *p)
{
    if (!is_number(p) || !p->simple || p->left.k.total < 4 || p->batch.n != 1 || p->batch.c[0] != 1)
        return false;
    p->dot_columns = columns_at_once(p);
    p->dot_function[0] = p->batches >= p->dot_columns ? function_of(p, p->dot_columns) : NULL;
    return p->dot_function[0] != NULL;
}

void knr_dots_run(const knr_plan *p, const char *a, const char *b, char *c, int64_t batch, int64_t end)
{
    int64_t a_step = p->swapped ? p->batch.b[0] : p->batch.a[0], b_step = p->swapped ? p->batch.a[0] : p->batch.b[0];
    knh_product_args args = {.a_row = a_step * p->size, .b_k = b_step * p->size, .k = p->left.k.total};
    for (int64_t i = batch; i < end; i += p->dot_columns) {
        i = knr_least(i, end - p->dot_columns); /* the last ones share rows with those before */
        args.a = a + i * args.a_row;
        args.b = b + i * args.b_k;
        args.c = c + i * p->size;
        p->dot_function[0](&args);
    }
}

size_t knr_dot_bytes(const knr_plan *p)
{
    return knx_whole_lines((size_t)((p->left.k.total / KNR_BLOCK_STEPS + 1) * p->size));
}

typedef struct call {
    const knr_plan *p;
    const char *a, *b;
    char *values;
    int64_t groups_of_a_part;
} call;

static void run_groups(void *env, int64_t part, int worker)
{
    const call *x = env;
    const knr_plan *p = x->p;
    int64_t blocks = p->left.k.total / KNR_BLOCK_STEPS, rest = p->left.k.total % KNR_BLOCK_STEPS, size = p->size;
    int64_t first = part * x->groups_of_a_part * p->dot_columns;
    int64_t end = knr_least(first + x->groups_of_a_part * p->dot_columns, blocks);
    knh_product_args args = {.a_row = KNR_BLOCK_STEPS * size, .b_k = KNR_BLOCK_STEPS * size, .k = KNR_BLOCK_STEPS};
    (void)worker;
    for (int64_t i = first; i < end; i += p->dot_columns) {
        args.a = x->a + i * KNR_BLOCK_STEPS * size;
        args.b = x->b + i * KNR_BLOCK_STEPS * size;
        args.c = x->values + i * size;
        p->dot_function[end - i < p->dot_columns](&args);
    }
    if (end == blocks && rest) {
        args.a = x->a + blocks * KNR_BLOCK_STEPS * size;
        args.b = x->b + blocks * KNR_BLOCK_STEPS * size;
        args.c = x->values + blocks * size;
        args.k = rest;
        p->dot_function[2](&args);
    }
}

#define ADD_UP(name, T)                                         \
    static void name(const T *value, int64_t n, int step, T *c) \
    {                                                           \
        T total = value[0];                                     \
        for (int64_t i = 1; i < n; i++)                         \
            total = total + value[i * step];                    \
        *c = total;                                             \
    }
ADD_UP(add_floats, float)
ADD_UP(add_doubles, double)

void knr_dot_run(const knr_plan *p, const char *a, const char *b, char *c, char *values, int threads)
{
    call x = {.p = p, .a = a, .b = b, .values = values};
    int64_t k = p->left.k.total, groups = knr_divide_up(k / KNR_BLOCK_STEPS, p->dot_columns);
    int64_t parts = knr_least(threads, groups);
    x.groups_of_a_part = knr_divide_up(groups, parts);
    parts = knr_divide_up(groups, x.groups_of_a_part);
    knx_parallel((int)parts, parts, run_groups, &x);
    int64_t n = knr_divide_up(k, KNR_BLOCK_STEPS);
    for (int i = 0; i < p->parts; i++)
        if (p->size / p->parts == 4)
            add_floats((const float *)values + i, n, p->parts, (float *)c + i);
        else
            add_doubles((const double *)values + i, n, p->parts, (double *)c + i);
}
