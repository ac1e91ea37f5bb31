/* SPDX-License-Identifier: Apache-2.0
 * test_prim_scatter.c -- the scatters against loops written down from the definition: values of every dtype, tangents,
 * transposes by inner products, batching against a loop over examples. */
#include "support/group.h"
#include "support/indexing.h"
#include "support/bits.h"
#include "transform/transform.h"

enum { SET, ADD, MUL, MIN, MAX, N_OPS };
static const kni_prim *const rows[N_OPS] = {&knp_prim_scatter, &knp_prim_scatter_add, &knp_prim_scatter_mul,
                                            &knp_prim_scatter_min, &knp_prim_scatter_max};

/* --- values ----------------------------------------------------------------------------------- */

static double combine_real(int op, double x, double y)
{
    switch (op) {
    case SET: return y;
    case ADD: return x + y;
    case MUL: return x * y;
    case MIN: return isnan(x) || x < y ? x : y;
    default: return isnan(x) || x > y ? x : y;
    }
}

static uint64_t combine_bits(int op, bool is_signed, uint64_t x, uint64_t y)
{
    bool less = is_signed ? (int64_t)x < (int64_t)y : x < y;
    switch (op) {
    case SET: return y;
    case ADD: return x + y;
    case MUL: return x * y;
    case MIN: return less ? x : y;
    default: return less ? y : x;
    }
}

/* Complex numbers: NaN first, then by real and imaginary part. */
static void combine_complex(int op, const double x[2], const double y[2], double out[2])
{
    bool nan_x = isnan(x[0]) || isnan(x[1]), nan_y = isnan(y[0]) || isnan(y[1]);
    bool less = x[0] < y[0] || (x[0] == y[0] && x[1] < y[1]), equal = x[0] == y[0] && x[1] == y[1];
    bool takes_x = nan_x || (!nan_y && (equal || less == (op == MIN)));
    for (int i = 0; i < 2; i++)
        out[i] = op == ADD ? x[i] + y[i] : op == SET || !takes_x ? y[i] : x[i];
    if (op == MUL) {
        out[0] = x[0] * y[0] - x[1] * y[1];
        out[1] = x[0] * y[1] + x[1] * y[0];
    }
}

static void combine(kn_dtype d, int op, char *table, const char *update)
{
    kn_dtype part = knx_component(d);
    double x[2] = {0, 0}, y[2] = {0, 0}, z[2];
    uint64_t xi = 0, yi = 0;
    if (op == SET) {
        memcpy(table, update, d->size);
    } else if (knx_is_inexact(d)) {
        for (int i = 0; i < (d == part ? 1 : 2); i++) {
            knx_scalar_bits s = {.u = {0}}, t = {.u = {0}};
            memcpy(&s, table + i * part->size, part->size), memcpy(&t, update + i * part->size, part->size);
            x[i] = knx_scalar_to_double(part, s), y[i] = knx_scalar_to_double(part, t);
        }
        z[0] = combine_real(op, x[0], y[0]);
        if (d != part)
            combine_complex(op, x, y, z);
        for (int i = 0; i < (d == part ? 1 : 2); i++) {
            knx_scalar_bits s = knx_scalar_from_double(part, z[i]);
            memcpy(table + i * part->size, &s, part->size);
        }
    } else if (d->kind == KN_KIND_BOOL) {
        *table = op == ADD || op == MAX ? *table | *update : *table & *update;
    } else {
        if (d->kind == KN_KIND_INT)
            knx_convert(d, table, KN_DT(I64), &xi), knx_convert(d, update, KN_DT(I64), &yi);
        else
            xi = bits_at(table, d->size), yi = bits_at(update, d->size);
        xi = combine_bits(op, d->kind == KN_KIND_INT, xi, yi);
        bits_put(table, xi, d->size);
    }
}

/* Equal bits, or both NaN. */
static bool same_numbers(const value *a, const value *b)
{
    kn_dtype part = knx_component(a->t.dtype);
    value p = *a, q = *b;
    for (size_t i = 0, n = kni_type_bytes(a->t) / part->size; i < n; i++) {
        p.t.dtype = q.t.dtype = part;
        if (memcmp(a->p + i * part->size, b->p + i * part->size, part->size) &&
            !(knx_is_float(part) && isnan(get(&p, (int64_t)i)) && isnan(get(&q, (int64_t)i))))
            return false;
    }
    return true;
}

/* Updates for the problem, and where each of them goes (-1: nowhere). */
static value *updates_of(const problem *q, int64_t *to)
{
    knx_arena a = KN_ARENA_INIT;
    kni_type t = result_type(&knp_prim_gather, &q->p, 2, (value *[]){q->table, q->indices}, &a);
    value *u = new_value(t.dtype, t.ndim, t.dim);
    knx_arena_free(&a);
    for (int64_t i = 0; to && i < kni_type_size(u->t); i++) {
        int64_t at[KN_MAX_NDIM];
        position(u->t, i, at);
        to[i] = table_element(q, at, u->t.ndim, q->p.mode == KN_GATHER_CLIP);
    }
    return u;
}

static void drop_problem(problem *q) { drop(q->table), drop(q->indices); }

enum { MOST = 4096 };

static void test_values(void **unused)
{
    (void)unused;
    int64_t to[MOST];
    for (int round = 0; round < 6000; round++) {
        problem q;
        int op = round % N_OPS, id = round / N_OPS % KN_ID_COUNT, mode = round % 4;
        kn_dtype d = &knx_dtype_table[id];
        if (d->kind == KN_KIND_KEY && op != SET)
            continue;
        make_problem(&q, d->kind == KN_KIND_KEY ? KN_DT(U64) : d, KN_DT(I32), mode, mode >= KN_GATHER_PROMISE);
        value *u = updates_of(&q, to), *want;
        q.table->t.dtype = u->t.dtype = d;
        /* float sums and products of odd numbers round in float: infinities, but no products of complex ones */
        bool small = op == MUL && knx_is_complex(d);
        small ? fill_small(q.table) : fill_odd(q.table);
        small ? fill_small(u) : fill_odd(u);
        want = new_value(d, q.table->t.ndim, q.table->dim);
        memcpy(want->p, q.table->p, kni_type_bytes(want->t));
        for (int64_t i = 0; i < kni_type_size(u->t); i++)
            if (to[i] >= 0)
                combine(d, op, want->p + to[i] * d->size, u->p + i * d->size);
        kni_p_scatter p = scatter_of(&q);
        value *y = run_new(rows[op], &p, 3, (value *[]){q.table, q.indices, u});
        if (!same_numbers(y, want))
            fail_msg("%s of %s, round %d", rows[op]->name, d->name, round);
        drop(y), drop(want), drop(u), drop_problem(&q);
    }
}

static void test_errors(void **unused)
{
    (void)unused;
    int64_t zero = 0, four = 4;
    value *x = new_value(KN_DT(F32), 1, &four), *i = new_value(KN_DT(I32), 2, (int64_t[]){2, 1}),
          *u = new_value(KN_DT(F32), 1, (int64_t[]){2});
    ((int32_t *)i->p)[1] = 4;
    kni_p_scatter p = {
        .inserted_window_dims = {1, &zero}, .scatter_dims_to_operand_dims = {1, &zero}, .mode = KN_GATHER_CHECK};
    for (int op = 0; op < N_OPS; op++) {
        float y[4];
        kni_type xt[] = {x->t, i->t, u->t};
        knx_error *e = rows[op]->run(&(kni_rule){.params = &p, .n_in = 3, .n_out = 1, .xt = xt, .yt = xt},
                                     &(kni_routine_args){(const void *[]){x->p, i->p, u->p}, (void *[]){y}, NULL, 1});
        assert_non_null(e);
        assert_string_equal(e->message, "index 4 is out of bounds for axis 0 with size 4");
        knx_error_release(e);
        kni_type keys[] = {kni_type_of(KN_DT(KEY), 1, &four), i->t, kni_type_of(KN_DT(KEY), 1, u->dim)}, t;
        knx_arena a = KN_ARENA_INIT;
        kni_rule r = {.params = &p, .n_in = 3, .n_out = 1, .xt = keys, .arena = &a};
        e = rows[op]->type(&r, &t);
        assert_true(op == SET ? !e : e && strstr(e->message, "does not accept"));
        knx_error_release(e);
        keys[2].dtype = KN_DT(F32);
        e = rows[op]->type(&r, &t);
        assert_non_null(e);
        knx_error_release(e);
        knx_arena_free(&a);
    }
    drop(x), drop(i), drop(u);
}

/* An array added to itself backwards: what is read has not been written. */
static void test_same_array_twice(void **unused)
{
    (void)unused;
    static const float numbers[] = {1, 2, 4}, reversed[] = {5, 4, 5};
    static const int32_t backwards[] = {2, 1, 0};
    int64_t zero = 0, three = 3;
    kni_p_scatter p = {.inserted_window_dims = {1, &zero}, .scatter_dims_to_operand_dims = {1, &zero}};
    value *x = new_value(KN_DT(F32), 1, &three), *i = new_value(KN_DT(I32), 2, (int64_t[]){3, 1}), *y;
    kni_builder b;
    memcpy(x->p, numbers, sizeof numbers), memcpy(i->p, backwards, sizeof backwards);
    for (int computed = 0; computed < 2; computed++) { /* an input, or a value of the program's own */
        knb_init(&b);
        kni_atom a = knb_invar(&b, x->t), at = knb_invar(&b, i->t);
        a = computed ? knb_mul(&b, a, knb_number(&b, KN_DT(F32), 1)) : a;
        y = evaluate(&b, knb_scatter_add(&b, a, at, a, &p), (value *[]){x, i});
        assert_memory_equal(y->p, reversed, sizeof reversed);
        drop(y);
    }
    assert_memory_equal(x->p, numbers, sizeof numbers);
    drop(x), drop(i);
}

/* --- derivatives ------------------------------------------------------------------------------ */

static kni_jaxpr *jaxpr_of(int op, const kni_p_scatter *p, value *const *x)
{
    kni_atom (*const make[])(kni_builder *, kni_atom, kni_atom, kni_atom, const kni_p_scatter *) = {
        knb_scatter, knb_scatter_add, knb_scatter_mul, knb_scatter_min, knb_scatter_max};
    kni_builder b;
    kni_atom in[3], y;
    kni_jaxpr *j = NULL;
    knb_init(&b);
    for (int i = 0; i < 3; i++)
        in[i] = knb_invar(&b, x[i]->t);
    y = make[op](&b, in[0], in[1], in[2], p);
    assert_null(knb_finish(&b, 1, &y, "f", false, &j));
    knb_free(&b);
    assert_ptr_equal(j->eqn[0].prim, rows[op]);
    return j;
}

/* The tangent's element e, from the definition. */
static double tangent_of(int op, int64_t e, value *const *x, const value *dx, const value *du, const int64_t *to)
{
    double y = get(x[0], e), dy = get(dx, e), sum = 0, count = 0;
    for (int64_t i = 0; i < kni_type_size(x[2]->t); i++) {
        double u = get(x[2], i);
        if (to[i] != e)
            continue;
        dy = op == SET ? get(du, i) : op == ADD ? dy + get(du, i) : dy * u + y * get(du, i); /* MUL: only once */
        y = combine_real(op, y, u);
    }
    if (op < MIN)
        return dy;
    if (get(x[0], e) == y)
        sum += get(dx, e), count++;
    for (int64_t i = 0; i < kni_type_size(x[2]->t); i++)
        if (to[i] == e && get(x[2], i) == y)
            sum += get(du, i), count++;
    return sum / count;
}

static bool all_distinct(const int64_t *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < i; k++)
            if (to[i] == to[k] && to[i] >= 0)
                return false;
    return true;
}

static void test_tangents(void **unused)
{
    (void)unused;
    int64_t to[MOST];
    for (int round = 0; round < 3000; round++) {
        problem q;
        int op = round % N_OPS, mode = round % 4, which = 1 + round % 3;
        make_problem(&q, KN_DT(F64), KN_DT(I32), mode, mode >= KN_GATHER_PROMISE);
        value *x[5] = {q.table, q.indices, updates_of(&q, to)}, *y[2], *du = NULL, *dx = NULL;
        kni_p_scatter p = scatter_of(&q);
        p.unique_indices = round % 7 < 4 && all_distinct(to, kni_type_size(x[2]->t));
        if (op == MUL && !p.unique_indices)
            which = 1;
        fill_small(x[2]);
        dx = new_value(KN_DT(F64), x[0]->t.ndim, x[0]->dim), du = new_value(KN_DT(F64), x[2]->t.ndim, x[2]->dim);
        which & 1 ? fill_small(dx) : (void)0;
        which & 2 ? fill_small(du) : (void)0;
        x[3] = which & 1 ? dx : du, x[4] = du;
        kni_jaxpr *j = jaxpr_of(op, &p, x), *d = NULL;
        assert_null(knt_jvp(j, (bool[]){which & 1, false, which & 2}, &d));
        kni_release(j);
        run_jaxpr(d, x, 2, y);
        for (int64_t e = 0; e < kni_type_size(y[1]->t); e++)
            if (get(y[1], e) != tangent_of(op, e, x, dx, du, to))
                fail_msg("%s, round %d: tangent %g, not %g", rows[op]->name, round, get(y[1], e),
                         tangent_of(op, e, x, dx, du, to));
        drop(y[0]), drop(y[1]), drop(dx), drop(du), drop(x[2]), drop_problem(&q);
    }
}

static void test_transposes(void **unused)
{
    (void)unused;
    for (int round = 0; round < 1500; round++) {
        problem q;
        int mode = round % 4, op = round % 3;
        make_problem(&q, KN_DT(F64), KN_DT(I32), mode, mode >= KN_GATHER_PROMISE);
        value *x[3] = {q.table, q.indices, updates_of(&q, NULL)};
        kni_p_scatter p = scatter_of(&q);
        if (op == MUL)
            fill_small(x[2]);
        check_transpose(rows[op], &p, 3, x, 0, op == MUL ? 0 : 4);
        if (op != MUL) {
            memset(x[0]->p, 0, kni_type_bytes(x[0]->t));
            fill_small(x[2]);
            check_transpose(rows[op], &p, 3, x, 2, 1);
        }
        drop(x[2]), drop_problem(&q);
    }
}

/* As in JAX: products of several updates of one element have no rule. */
static void test_product_of_repeated(void **unused)
{
    (void)unused;
    int64_t zero = 0;
    value *x[] = {new_value(KN_DT(F32), 1, (int64_t[]){4}), new_value(KN_DT(I32), 2, (int64_t[]){2, 1}),
                  new_value(KN_DT(F32), 1, (int64_t[]){2})};
    kni_p_scatter p = {.inserted_window_dims = {1, &zero}, .scatter_dims_to_operand_dims = {1, &zero}};
    kni_jaxpr *j = jaxpr_of(MUL, &p, x), *d = NULL;
    knx_error *e = knt_jvp(j, (bool[]){true, false, true}, &d);
    assert_non_null(e);
    assert_int_equal(e->kind, KN_ERROR_NOT_IMPLEMENTED);
    assert_string_equal(e->message, "scatter-mul: the derivative with respect to the updates needs "
                                    "unique_indices=True");
    knx_error_release(e);
    kni_release(j);
    drop(x[0]), drop(x[1]), drop(x[2]);
}

/* --- batching --------------------------------------------------------------------------------- */

static void test_batching(void **unused)
{
    (void)unused;
    for (int round = 0; round < 2000; round++) {
        problem q;
        int op = round % N_OPS, axis[3], which = 1 + below(7);
        make_problem(&q, KN_DT(F32), KN_DT(I32), round / N_OPS % 2 ? KN_GATHER_CLIP : KN_GATHER_FILL, false);
        value *u = updates_of(&q, NULL), *one[] = {q.table, q.indices, u}, *x[3];
        for (int i = 0; i < 3; i++) {
            axis[i] = which >> i & 1 ? below(one[i]->t.ndim + (i != 1)) : -1;
            x[i] = batched(one[i], axis[i], 3);
            fill_small(x[i]);
        }
        for (int64_t i = 0; i < kni_type_size(x[1]->t); i++)
            ((int32_t *)x[1]->p)[i] = below(5) - 1;
        kni_p_scatter p = scatter_of(&q);
        check_batch(rows[op], &p, 3, x, axis, 3);
        drop(x[0]), drop(x[1]), drop(x[2]), drop(u), drop_problem(&q);
    }
}

KN_TEST_GROUP(test_prim_scatter)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),   cmocka_unit_test(test_errors),     cmocka_unit_test(test_same_array_twice),
        cmocka_unit_test(test_tangents), cmocka_unit_test(test_transposes), cmocka_unit_test(test_product_of_repeated),
        cmocka_unit_test(test_batching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
