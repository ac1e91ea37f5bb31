/* SPDX-License-Identifier: Apache-2.0
 * chains.c -- see chains.h. */
#include "support/chains.h"
#include "support/programs.h"

typedef struct chain {
    kni_builder b;
    uint64_t state;
    int64_t batch, dim[3];
    kni_atom value[64];
    uint8_t rows[64], columns[64]; /* numbers in dim */
    int n;
} chain;

static int below(chain *c, int n) { return test_below(&c->state, n); }

static void add(chain *c, kni_atom x, int rows, int columns)
{
    c->value[c->n] = x;
    c->rows[c->n] = (uint8_t)rows;
    c->columns[c->n++] = (uint8_t)columns;
}

/* The product of two values over a common dimension, whichever axes it is. */
static void add_product(chain *c, int x, int y)
{
    int xs = below(c, 2), ys = below(c, 2);
    int shared_x = xs ? c->columns[x] : c->rows[x], shared_y = ys ? c->columns[y] : c->rows[y];
    if (shared_x != shared_y)
        return;
    int64_t left = 1 + xs, right = 1 + ys, zero = 0;
    kni_p_dot_general p = {{1, &left}, {1, &right}, {1, &zero}, {1, &zero}, NULL};
    add(c, knb_dot_general(&c->b, c->value[x], c->value[y], &p), xs ? c->rows[x] : c->columns[x],
        ys ? c->rows[y] : c->columns[y]);
}

/* Something that one axis is joined for, beside the value itself. */
static void add_joined(chain *c, int x)
{
    int64_t axis[] = {below(c, 3) ? 2 : 1}, kept[] = {0, 3 - axis[0]};
    kni_type t = knb_type(&c->b, c->value[x]);
    if (c->rows[x] == c->columns[x] && below(c, 2)) /* what belongs to rows is read by column */
        kept[1] = axis[0];
    kni_atom joined =
        below(c, 2) ? knb_reduce_max(&c->b, c->value[x], 1, axis) : knb_reduce_sum(&c->b, c->value[x], 1, axis);
    kni_atom spread = knb_broadcast_in_dim(&c->b, joined, 3, t.dim, kept);
    kni_atom y =
        below(c, 2) ? knb_sub(&c->b, c->value[x], spread) : knb_mul(&c->b, knb_cos(&c->b, spread), c->value[x]);
    add(c, below(c, 2) ? knb_cos(&c->b, y) : y, c->rows[x], c->columns[x]);
}

/* Elements of other rows or columns than one's own: turned round an axis, backwards, or neighbours. */
static void add_moved(chain *c, int x)
{
    int64_t axis[] = {1 + below(c, 2)}, n = knb_type(&c->b, c->value[x]).dim[axis[0]], zero[3] = {0};
    kni_type t = knb_type(&c->b, c->value[x]);
    kni_atom moved = c->value[x];
    int64_t from[3] = {0, 0, 0}, to[3] = {t.dim[0], t.dim[1], t.dim[2]};
    from[axis[0]] = n / 3;
    switch (below(c, 4)) {
    case 0: moved = knb_rev(&c->b, moved, 1, axis); break;
    case 1: {
        kni_atom part = knb_slice(&c->b, moved, from, to, NULL), value = knb_number(&c->b, t.dtype, 0.5);
        moved = knb_pad(&c->b, part, value, zero, from, zero);
        break;
    }
    case 2: {
        kni_atom part[] = {knb_slice(&c->b, moved, from, to, NULL), KN_ATOM_NONE};
        to[axis[0]] = from[axis[0]];
        from[axis[0]] = 0;
        part[1] = knb_slice(&c->b, moved, from, to, NULL);
        moved = knb_concatenate(&c->b, 2, part, (int)axis[0]);
        break;
    }
    case 3: /* the first row, column or matrix for all */
        axis[0] = below(c, 3);
        from[1] = from[2] = 0;
        to[axis[0]] = 1;
        moved = knb_broadcast_to(&c->b, knb_slice(&c->b, moved, from, to, NULL), t);
    }
    add(c, knb_add(&c->b, c->value[x], moved), c->rows[x], c->columns[x]);
}

static void add_one(chain *c)
{
    int x = c->n - 1 - below(c, c->n < 6 ? c->n : 6), y = below(c, c->n);
    switch (below(c, 10)) {
    case 0:
    case 1:
    case 2:
    case 3: add_product(c, x, y); break;
    case 4: add_joined(c, x); break;
    case 5: add(c, knb_cos(&c->b, c->value[x]), c->rows[x], c->columns[x]); break;
    case 6:
        if (c->rows[x] == c->rows[y] && c->columns[x] == c->columns[y])
            add(c, knb_add(&c->b, c->value[x], knb_cos(&c->b, c->value[y])), c->rows[x], c->columns[x]);
        break;
    case 7:
        if (!below(c, 3))
            add(c, knb_transpose(&c->b, c->value[x], (int64_t[]){0, 2, 1}), c->columns[x], c->rows[x]);
        break;
    case 8: add_joined(c, x); break;
    case 9: add_moved(c, x); break;
    }
}

kni_jaxpr *test_random_chain(uint64_t seed)
{
    chain c = {.state = seed};
    kn_dtype dtypes[] = {KN_DT(F32), KN_DT(F32), KN_DT(F64), KN_DT(BF16)};
    kn_dtype d = dtypes[below(&c, 4)];
    knb_init(&c.b);
    c.batch = 1 + below(&c, 3);
    for (int i = 0; i < 3; i++)
        c.dim[i] = 1 + below(&c, i ? 12 : 40);
    for (int i = 0; i < 4; i++) {
        int rows = below(&c, 3), columns = below(&c, 3);
        add(&c, knb_invar(&c.b, test_type(d, 3, (int64_t[]){c.batch, c.dim[rows], c.dim[columns]})), rows, columns);
    }
    for (int i = 6 + below(&c, 20); i > 0; i--)
        add_one(&c);
    kni_atom out[4];
    int n = 1 + below(&c, 3);
    for (int i = 0; i < n; i++)
        out[i] = c.value[i ? below(&c, c.n) : c.n - 1];
    return test_finish(&c.b, n, out);
}
