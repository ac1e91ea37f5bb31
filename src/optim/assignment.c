/* SPDX-License-Identifier: Apache-2.0
 * assignment.c -- the linear assignment problem, as optax.assignment: the Hungarian algorithm in two forms. Each row in
 * turn looks for the cheapest path to a column that is free and takes it; the others on the path move on. What optax
 * does to one column after the other is done to all of them at once here, with the same numbers.
 *
 * Every loop has a bound, which it reaches for costs that have no assignment (NaN, rows of infinities) alone. */
#include "kiln/control.h"
#include "kiln/lax.h"
#include "kiln/optim.h"
#include "optim/compose.h"
#include <math.h>

/* ---- Elements of vectors, by an index that is an array. */

static kn_array at(kn_array x, kn_array i)
{
    return kn_take(x, i, KNL_WITH(kn_take_opts, .axis = knl_one_axis(0), .mode = "clip"));
}

static kn_array counting(int64_t from, int64_t to)
{
    return kn_arange(kn_like_int(from), kn_like_int(to), kn_like_int(1), NULL);
}

static kn_array size_of(kn_array x) { return counting(0, kn_shape_of(x).dim[0]); }

static kn_array put(kn_array x, kn_array i, kn_array v) { return kn_where(kn_equal(size_of(x), i), v, x); }

static kn_array none_yet(int64_t n)
{
    return kn_zeros(&(kn_shape){1, {n}}, KNL_WITH(kn_zeros_opts, .dtype = KN_DT(BOOL)));
}

static kn_array integers(int64_t n, int v)
{
    return kn_full(&(kn_shape){1, {n}}, kno_num(v), KNL_WITH(kn_zeros_opts, .dtype = KN_DT(I64)));
}

static kn_array numbers(int64_t n, double v, kn_dtype d)
{
    return kn_full(&(kn_shape){1, {n}}, kno_num(v), KNL_WITH(kn_zeros_opts, .dtype = d));
}

static kn_array behind_first(kn_array x)
{
    return knl_part("optim_hungarian_algorithm", x, 0, 1, kn_shape_of(x).dim[0]);
}

static kn_array whole(int64_t v) { return kn_astype(kn_like_int(v), KN_DT(I64), NULL); }

/* The function of a number and a struct, as kn_fori_loop takes it. */
#define ROUND(function, Captured, State)                                                \
    static const kn_function function##_function = {.size_ = sizeof(kn_function),       \
                                                    .name = #function,                  \
                                                    .call = function,                   \
                                                    .captured_bytes = sizeof(Captured), \
                                                    .out_bytes = sizeof(State),         \
                                                    .n_args = 2,                        \
                                                    .arg_bytes = {sizeof(kn_array), sizeof(State)}};

/* ---- The form of Scenic. Columns and rows are counted from 1; row 0 is none, and column 0 is where a row comes in. */

typedef struct costs {
    kn_array cost;
} costs;
typedef struct matching {
    kn_array u, v, parent; /* the potentials of rows and columns, and the row that has each column */
} matching;
typedef struct search {
    kn_array u, v, used, seen, least, path, column; /* used: columns; seen: the rows that have them */
} search;
typedef struct searched {
    kn_array cost, parent;
} searched;

static void search_goes_on(const void *captured, void *out, const void *const *in)
{
    const searched *g = captured;
    const search *s = in[0];
    *(kn_array *)out = kn_not_equal(at(g->parent, s->column), kno_num(0));
}
KNO_STEP(search_goes_on, searched, search, kn_array)

static void search_step(const void *captured, void *out, const void *const *in)
{
    const searched *g = captured;
    const search *s = in[0];
    kn_array row = at(g->parent, s->column), far = kno_num(INFINITY), one = kn_like_int(1);
    kn_array used = put(s->used, s->column, kn_like_bool(true)), seen = put(s->seen, row, kn_like_bool(true));
    kn_array open = kn_logical_not(behind_first(used));
    kn_array cost = kn_subtract(kn_subtract(at(g->cost, kn_subtract(row, one)), at(s->u, row)), behind_first(s->v));
    kn_array now = kn_where(open, cost, far), less = kn_less(now, s->least);
    kn_array path = kn_where(less, s->column, s->path), least = kn_where(less, now, s->least);
    kn_array left = kn_where(open, least, far), delta = kn_min(left, NULL);
    *(search *)out = (search){.u = kn_where(seen, kn_add(s->u, delta), s->u),
                              .v = kn_where(used, kn_subtract(s->v, delta), s->v),
                              .used = used,
                              .seen = seen,
                              .least = kn_where(open, kn_subtract(least, delta), least),
                              .path = path,
                              .column = kn_add(kn_argmin(left, NULL), one)};
}
KNO_STEP(search_step, searched, search, search)

typedef struct way {
    kn_array path;
} way;
typedef struct back {
    kn_array parent, column;
} back;

static void back_goes_on(const void *captured, void *out, const void *const *in)
{
    const back *s = in[0];
    (void)captured;
    *(kn_array *)out = kn_not_equal(s->column, kno_num(0));
}
KNO_STEP(back_goes_on, way, back, kn_array)

static void back_step(const void *captured, void *out, const void *const *in)
{
    const way *g = captured;
    const back *s = in[0];
    kn_array from = at(g->path, kn_subtract(s->column, kn_like_int(1)));
    *(back *)out = (back){put(s->parent, s->column, at(s->parent, from)), from};
}
KNO_STEP(back_step, way, back, back)

static void row_step(const void *captured, void *out, const void *const *in)
{
    const costs *g = captured;
    const kn_array *row = in[0];
    const matching *m = in[1];
    kn_dtype d = kn_dtype_of(m->u);
    int64_t rows = kn_shape_of(g->cost).dim[0], columns = kn_shape_of(g->cost).dim[1];
    kn_array parent = put(m->parent, kn_like_int(0), kn_add(*row, kn_like_int(1)));
    searched to = {g->cost, parent};
    search s = {
        m->u,    m->v, none_yet(columns + 1), none_yet(rows + 1), numbers(columns, INFINITY, d), integers(columns, 0),
        whole(0)};
    kno_repeat(&search_goes_on_function, &search_step_function, &to, &s, rows + 1);
    way along = {s.path};
    back b = {parent, s.column};
    kno_repeat(&back_goes_on_function, &back_step_function, &along, &b, rows + 1);
    *(matching *)out = (matching){s.u, s.v, b.parent};
}
ROUND(row_step, costs, matching)

/* ---- The form of Crouse. What is not there yet is -1. */

typedef struct crouse {
    kn_array u, v, path, row_of, column_of;
} crouse;
typedef struct augmenting {
    kn_array path, row, least, n_left, left, rows, columns, shortest, sink; /* rows, columns: those that were seen */
} augmenting;
typedef struct augmented {
    kn_array cost, u, v, row_of;
} augmented;

static void no_sink(const void *captured, void *out, const void *const *in)
{
    const augmenting *s = in[0];
    (void)captured;
    *(kn_array *)out = kn_equal(s->sink, kno_num(-1));
}
KNO_STEP(no_sink, augmented, augmenting, kn_array)

/* Which of the columns that are left is nearest: among equal ones the last that is free, else the first. */
static kn_array nearest(const augmented *g, const augmenting *s, kn_array shortest, kn_array *least)
{
    kn_array place = size_of(s->left), live = kn_less(place, s->n_left);
    kn_array length = kn_where(live, at(shortest, s->left), kno_num(INFINITY));
    *least = kn_min(length, NULL);
    kn_array least_here = kn_logical_and(live, kn_equal(length, *least));
    kn_array is_free = kn_logical_and(least_here, kn_equal(at(g->row_of, s->left), kno_num(-1)));
    kn_array last_free = kn_max(kn_where(is_free, place, kn_like_int(-1)), NULL);
    return kn_where(kn_less(last_free, kno_num(0)), kn_argmax(least_here, NULL), last_free);
}

static void augmenting_step(const void *captured, void *out, const void *const *in)
{
    const augmented *g = captured;
    const augmenting *s = in[0];
    kn_array to_row = kn_subtract(kn_add(s->least, at(g->cost, s->row)), at(g->u, s->row));
    kn_array length = kn_subtract(to_row, g->v), open = kn_logical_not(s->columns), least;
    kn_array path = kn_where(kn_logical_and(open, kn_less(length, s->shortest)), s->row, s->path);
    kn_array shortest = kn_where(open, kn_minimum(s->shortest, length), s->shortest);
    kn_array index = nearest(g, s, shortest, &least), column = at(s->left, index), row = at(g->row_of, column);
    kn_array is_free = kn_equal(row, kno_num(-1)), found = kn_where(is_free, column, kn_like_int(-1));
    kn_array n_left = kn_subtract(s->n_left, kn_like_int(1));
    *(augmenting *)out = (augmenting){.path = path,
                                      .row = kn_where(is_free, s->row, row),
                                      .least = least,
                                      .n_left = n_left,
                                      .left = put(s->left, index, at(s->left, n_left)),
                                      .rows = put(s->rows, s->row, kn_like_bool(true)),
                                      .columns = put(s->columns, column, kn_like_bool(true)),
                                      .shortest = shortest,
                                      .sink = kn_where(kn_equal(least, kno_num(INFINITY)), kn_like_int(-1), found)};
}
KNO_STEP(augmenting_step, augmented, augmenting, augmenting)

typedef struct turn {
    kn_array path, current;
} turn;
typedef struct turning {
    kn_array sink, row_of, column_of, done;
} turning;

static void not_done(const void *captured, void *out, const void *const *in)
{
    const turning *s = in[0];
    (void)captured;
    *(kn_array *)out = kn_logical_not(s->done);
}
KNO_STEP(not_done, turn, turning, kn_array)

static void turn_step(const void *captured, void *out, const void *const *in)
{
    const turn *g = captured;
    const turning *s = in[0];
    kn_array row = at(g->path, s->sink);
    *(turning *)out = (turning){at(s->column_of, row), put(s->row_of, s->sink, row), put(s->column_of, row, s->sink),
                                kn_equal(row, g->current)};
}
KNO_STEP(turn_step, turn, turning, turning)

static void crouse_step(const void *captured, void *out, const void *const *in)
{
    const costs *g = captured;
    const kn_array *row = in[0];
    const crouse *m = in[1];
    kn_dtype d = kn_dtype_of(m->u);
    int64_t rows = kn_shape_of(g->cost).dim[0], columns = kn_shape_of(g->cost).dim[1];
    augmented to = {g->cost, m->u, m->v, m->row_of};
    augmenting s = {.path = m->path,
                    .row = *row,
                    .least = kn_astype(kno_num(0), d, NULL),
                    .n_left = whole(columns),
                    .left = kn_subtract(kn_like_int(columns - 1), counting(0, columns)),
                    .rows = none_yet(rows),
                    .columns = none_yet(columns),
                    .shortest = numbers(columns, INFINITY, d),
                    .sink = whole(-1)};
    kno_repeat(&no_sink_function, &augmenting_step_function, &to, &s, columns);
    kn_array u = kn_where(kn_equal(size_of(m->u), *row), kn_add(m->u, s.least), m->u);
    kn_array others = kn_logical_and(s.rows, kn_not_equal(size_of(u), *row));
    kn_array moved = kn_subtract(kn_add(u, s.least), at(s.shortest, m->column_of));
    turn along = {s.path, *row};
    turning t = {s.sink, m->row_of, m->column_of, kn_astype(kn_like_bool(false), KN_DT(BOOL), NULL)};
    kno_repeat(&not_done_function, &turn_step_function, &along, &t, rows + 1);
    *(crouse *)out = (crouse){.u = kn_where(others, moved, u),
                              .v = kn_where(s.columns, kn_subtract(kn_add(m->v, s.shortest), s.least), m->v),
                              .path = s.path,
                              .row_of = t.row_of,
                              .column_of = t.column_of};
}
ROUND(crouse_step, costs, crouse)

/* ---- The functions. */

/* The matrix with no more rows than columns, as a constant of derivatives; false: there is nothing to assign, or the
 * body has failed. */
static bool read_costs(knl_body *c, kn_array *cost, kni_type *t, bool *turned)
{
    *t = kna_type(&c->op, *cost);
    if (!kna_failed(&c->op) && t->ndim != 2)
        kna_fail(&c->op, KN_ERROR_VALUE, "expected a matrix (2-D array), got a %d-D array", t->ndim);
    else if (!kna_failed(&c->op) && !knx_is_float(t->dtype) && !knx_is_integer(t->dtype) &&
             t->dtype->kind != KN_KIND_BOOL)
        kna_fail(&c->op, KN_ERROR_TYPE, "costs are real numbers, but these are %s", t->dtype->name);
    if (kna_failed(&c->op) || !t->dim[0] || !t->dim[1])
        return false;
    *turned = t->dim[0] > t->dim[1];
    *cost = kn_stop_gradient(*turned ? kn_transpose(*cost, NULL) : *cost);
    return true;
}

static void fori(kn_fn body, int64_t n, void *state, size_t bytes)
{
    if (body)
        kn_fori_loop(kn_like_int(0), kn_like_int(n), body, &(const kn_outs){1, {{state, bytes}}},
                     &(const kn_args){1, {{state, bytes}}}, NULL);
}

static kn_assignment_result pair_end(knl_body *c, kn_array i, kn_array j)
{
    kn_array out[2] = {i, j};
    for (int k = 0; k < 2 && !kna_failed(&c->op); k++)
        out[k] = out[k] ? out[k] : integers(0, 0);
    knl_end_n(c, 2, out);
    return (kn_assignment_result){out[0], out[1]};
}

kn_assignment_result kn_optim_hungarian_algorithm(kn_array cost_matrix)
{
    knl_body c;
    kni_type t;
    bool turned = false;
    knl_begin(&c, "optim_hungarian_algorithm");
    if (!read_costs(&c, &cost_matrix, &t, &turned))
        return pair_end(&c, NULL, NULL);
    int64_t rows = turned ? t.dim[1] : t.dim[0], columns = turned ? t.dim[0] : t.dim[1];
    kn_dtype d = knx_promote(kna_default_float(), t.dtype);
    costs given = {cost_matrix};
    matching m = {numbers(rows + 1, 0, d), numbers(columns + 1, 0, d), integers(columns + 1, 0)};
    fori(kn_fn_of(&row_step_function, &given), rows, &m, sizeof m);
    kn_lax_top_k_result r = {behind_first(m.parent), counting(0, rows)};
    if (rows != columns)
        r = kn_lax_top_k(r.values, rows, NULL);
    kn_array row = kn_subtract(r.values, kn_like_int(1));
    return turned ? pair_end(&c, r.indices, row) : pair_end(&c, row, r.indices);
}

kn_assignment_result kn_optim_base_hungarian_algorithm(kn_array cost_matrix)
{
    knl_body c;
    kni_type t;
    bool turned = false;
    knl_begin(&c, "optim_base_hungarian_algorithm");
    if (!read_costs(&c, &cost_matrix, &t, &turned))
        return pair_end(&c, NULL, NULL);
    int64_t rows = turned ? t.dim[1] : t.dim[0], columns = turned ? t.dim[0] : t.dim[1];
    kn_dtype d = kna_default_float();
    costs given = {kn_astype(cost_matrix, d, NULL)};
    crouse m = {numbers(rows, 0, d), numbers(columns, 0, d), integers(columns, -1), integers(columns, -1),
                integers(rows, -1)};
    fori(kn_fn_of(&crouse_step_function, &given), rows, &m, sizeof m);
    if (!turned)
        return pair_end(&c, counting(0, rows), m.column_of);
    kn_array order = kn_argsort(m.column_of, NULL);
    return pair_end(&c, at(m.column_of, order), order);
}
