/* SPDX-License-Identifier: Apache-2.0
 * test_prim_calls.c -- dynamic_slice, dynamic_update_slice, sort, random bits and jit: values, batching and
 * derivatives. */
#include "support/group.h"
#include "support/rules.h"
#include "support/bits.h"
#include "transform/transform.h"

/* --- dynamic slices --------------------------------------------------------------------------- */

static value *scalar(kn_dtype d, int64_t v)
{
    value *s = new_value(d, 0, NULL);
    knx_scalar_bits bits = knx_scalar_from_int(d, v);
    memcpy(s->p, &bits, d->size);
    return s;
}

static const knx_dtype_id start_dtypes[] = {KN_ID_I32, KN_ID_I64, KN_ID_U8, KN_ID_I8, KN_ID_U64};

typedef struct {
    int n;
    value *x, *update, *start[4], *in[6];
    int64_t size[4], at[4];
} window;

static void make_window(window *w, kn_dtype d, int round)
{
    int64_t dim[4];
    memset(w, 0, sizeof *w);
    w->n = below(4);
    for (int i = 0; i < w->n; i++) {
        dim[i] = 1 + below(5);
        w->size[i] = below((int)dim[i] + 1);
        kn_dtype s = &knx_dtype_table[start_dtypes[round % 5]];
        int64_t v = below(9) - (s->kind == 'i' ? 3 : 0), most = dim[i] - w->size[i];
        w->at[i] = v < 0 ? 0 : v > most ? most : v;
        if (s->id == KN_ID_U64 && v == 8)
            v = -1, w->at[i] = most; /* 2^64 - 1 */
        w->start[i] = scalar(s, v);
    }
    w->x = new_value(d, w->n, dim);
    w->update = new_value(d, w->n, w->size);
    fill_small(w->x), fill_small(w->update);
}
static value **slice_operands(window *w)
{
    w->in[0] = w->x;
    memcpy(w->in + 1, w->start, sizeof w->start);
    return w->in;
}
static value **update_operands(window *w)
{
    w->in[0] = w->x, w->in[1] = w->update;
    memcpy(w->in + 2, w->start, sizeof w->start);
    return w->in;
}
static void drop_window(window *w)
{
    drop(w->x), drop(w->update);
    for (int i = 0; i < w->n; i++)
        drop(w->start[i]);
}

static void test_dynamic_slices(void **unused)
{
    (void)unused;
    static const knx_dtype_id dtypes[] = {KN_ID_F32, KN_ID_I8, KN_ID_C64, KN_ID_F16, KN_ID_BOOL, KN_ID_U64};
    for (int round = 0; round < 400; round++) {
        window w;
        make_window(&w, &knx_dtype_table[dtypes[round % 6]], round);
        kni_p_dynamic_slice p = {{w.n, w.size}};
        value *y = run_new(&knp_prim_dynamic_slice, &p, 1 + w.n, slice_operands(&w));
        value *z = run_new(&knp_prim_dynamic_update_slice, NULL, 2 + w.n, update_operands(&w));
        int64_t d = w.x->t.dtype->size;
        for (int64_t i = 0; i < kni_type_size(w.x->t); i++) {
            int64_t at[4];
            bool inside = true;
            position(w.x->t, i, at);
            for (int k = 0; k < w.n; k++) {
                at[k] -= w.at[k];
                inside = inside && at[k] >= 0 && at[k] < w.size[k];
            }
            int64_t in = inside ? number_of(y->t, at) : 0;
            if (inside)
                assert_memory_equal(y->p + in * d, w.x->p + i * d, (size_t)d);
            assert_memory_equal(z->p + i * d, inside ? w.update->p + in * d : w.x->p + i * d, (size_t)d);
        }
        drop(y), drop(z), drop_window(&w);
    }
}

static void test_dynamic_rules(void **unused)
{
    (void)unused;
    static const knx_dtype_id dtypes[] = {KN_ID_F32, KN_ID_I8, KN_ID_C64, KN_ID_F16, KN_ID_BOOL, KN_ID_KEY};
    for (int round = 0; round < 400; round++) {
        window w;
        make_window(&w, KN_DT(F64), round);
        kni_p_dynamic_slice p = {{w.n, w.size}};
        check_transpose(&knp_prim_dynamic_slice, &p, 1 + w.n, slice_operands(&w), 0, 0);
        value *x = w.x, *u = w.update;
        w.x = new_value(KN_DT(F64), w.n, x->dim);
        check_transpose(&knp_prim_dynamic_update_slice, NULL, 2 + w.n, update_operands(&w), 1, 1);
        drop(w.x);
        w.x = x, w.update = new_value(KN_DT(F64), w.n, w.size);
        check_transpose(&knp_prim_dynamic_update_slice, NULL, 2 + w.n, update_operands(&w), 0, 2);
        drop(w.update);
        w.update = u;
        drop_window(&w);

        make_window(&w, &knx_dtype_table[dtypes[round % 6]], round);
        p = (kni_p_dynamic_slice){{w.n, w.size}};
        int axis[6], axis_u[6];
        bool any = false;
        value *in[6] = {batched(w.x, axis[0] = below(2) ? below(w.n + 1) : -1, 3)}, *in_u[6];
        any = axis[0] >= 0;
        for (int i = 0; i < w.n; i++) {
            axis[1 + i] = below(2) - 1;
            any = any || axis[1 + i] >= 0;
            in[1 + i] = batched(w.start[i], axis[1 + i], 3);
            for (int64_t k = 0; k < kni_type_size(in[1 + i]->t); k++) {
                knx_scalar_bits s = knx_scalar_from_int(in[1 + i]->t.dtype, below(6));
                memcpy(in[1 + i]->p + k * in[1 + i]->t.dtype->size, &s, in[1 + i]->t.dtype->size);
            }
        }
        in_u[0] = in[0], axis_u[0] = axis[0];
        in_u[1] = batched(w.update, axis_u[1] = below(w.n + 1), 3);
        memcpy(in_u + 2, in + 1, 3 * sizeof *in), memcpy(axis_u + 2, axis + 1, 3 * sizeof *axis);
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < kni_type_bytes(in_u[k]->t); i++) { /* any bits but NaN; -0 is moved as it is */
                bool is_top = i % w.x->t.dtype->size % knx_component(w.x->t.dtype)->size ==
                              knx_component(w.x->t.dtype)->size - 1u;
                char any_bits = (char)(w.x->t.dtype->kind == 'b' ? below(2) : below(256));
                in_u[k]->p[i] = (char)(is_top && knx_is_inexact(w.x->t.dtype) ? any_bits & 0x83 : any_bits);
            }
        if (w.x->t.dtype->kind != 'k' && any)
            check_batch(&knp_prim_dynamic_slice, &p, 1 + w.n, in, axis, 3);
        check_batch(&knp_prim_dynamic_update_slice, NULL, 2 + w.n, in_u, axis_u, 3);
        for (int i = 0; i < 2 + w.n; i++)
            drop(in_u[i]);
        drop_window(&w);
    }
}

/* --- random bits ------------------------------------------------------------------------------ */

static value *key_words(uint32_t hi, uint32_t lo)
{
    value *v = new_value(KN_DT(U32), 1, (int64_t[]){2});
    memcpy(v->p, (uint32_t[]){hi, lo}, 8);
    return v;
}

static void check_bits(uint32_t seed, int width, int ndim, int64_t n, const uint64_t *want)
{
    kni_builder b;
    knb_init(&b);
    value *words = key_words(0, seed);
    kni_atom key = knb_random_wrap(&b, knb_invar(&b, words->t));
    value *y = evaluate(&b, knb_random_bits(&b, key, width, ndim, &n), &words);
    assert_int_equal(y->t.dtype->size * 8, width);
    for (int64_t i = 0; i < kni_type_size(y->t); i++) {
        assert_true(bits_at(y->p + i * width / 8, (size_t)width / 8) == want[i]);
    }
    drop(words), drop(y);
}

static void test_known_bits(void **unused)
{
    (void)unused;
    check_bits(0, 32, 0, 0, (uint64_t[]){4070199207u});
    check_bits(10, 32, 1, 4, (uint64_t[]){169096361u, 1572511259u, 2689743692u, 2228103506u});
    check_bits(42, 32, 1, 4, (uint64_t[]){2098992034u, 2919706841u, 2646866425u, 2409546199u});
    check_bits(42, 16, 1, 4, (uint64_t[]){5026, 12505, 63993, 49623});
    check_bits(42, 8, 1, 4, (uint64_t[]){162, 217, 249, 215});
    check_bits(42, 64, 1, 3, (uint64_t[]){7871734211187709741u, 276886910877598708u, 10591095138341673235u});
    check_bits(942802475, 32, 1, 5, (uint64_t[]){4038424914u, 1672141972u, 3132287730u, 1558872429u, 1728513782u});
}

static void test_known_threefry(void **unused)
{
    (void)unused;
    static const uint32_t cases[][6] = {{0, 0, 0, 0, 0x6b200159, 0x99ba4efe},
                                        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1cb996fc, 0xbb002be7},
                                        {0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3, 0xc4923a9c, 0x483df7a0},
                                        {0, 0, 0, 7, 0xa1ef7a4d, 0x116eb6b3}};
    for (int i = 0; i < 4; i++) {
        kni_builder b;
        kni_atom in[4], out[2];
        kni_jaxpr *j = NULL;
        value *x[4], *y[2];
        knb_init(&b);
        for (int k = 0; k < 4; k++) {
            x[k] = new_value(KN_DT(U32), 0, NULL);
            memcpy(x[k]->p, &cases[i][k], 4);
            in[k] = knb_invar(&b, x[k]->t);
        }
        knb_threefry2x32(&b, in, out);
        assert_null(knb_finish(&b, 2, out, "", false, &j));
        run_jaxpr(j, x, 2, y);
        assert_memory_equal(y[0]->p, &cases[i][4], 4);
        assert_memory_equal(y[1]->p, &cases[i][5], 4);
        for (int k = 0; k < 4; k++)
            drop(x[k]);
        drop(y[0]), drop(y[1]);
    }
}

static void test_random_rules(void **unused)
{
    (void)unused;
    for (int round = 0; round < 60; round++) {
        int64_t dim[] = {1 + below(3), 2, 3}, shape[] = {below(3) + 1, 2};
        int ndim = 1 + round % 2, axis = below(ndim);
        value *keys = new_value(KN_DT(KEY), ndim, dim), *pairs = new_value(KN_DT(U32), ndim + 1, (int64_t[]){2, 2, 2});
        for (size_t i = 0; i < kni_type_bytes(keys->t); i++)
            keys->p[i] = (char)below(256);
        for (size_t i = 0; i < kni_type_bytes(pairs->t); i++)
            pairs->p[i] = (char)below(256);
        kni_p_random_bits p = {8 << round % 4, {round % 3, shape}};
        check_batch(&knp_prim_random_bits, &p, 1, &keys, &axis, keys->dim[axis]);
        check_batch(&knp_prim_random_unwrap, NULL, 1, &keys, &axis, keys->dim[axis]);
        axis = below(ndim + 1);
        check_batch(&knp_prim_random_wrap, NULL, 1, &pairs, &axis, 2);
        drop(keys), drop(pairs);
    }
}

/* --- sort ------------------------------------------------------------------------------------- */

static void test_sort_derivative(void **unused)
{
    (void)unused;
    kni_builder b;
    kni_jaxpr *j = NULL;
    kni_atom in[4], y[2], ty[2] = {KN_ATOM_ZERO, KN_ATOM_ZERO}, tx[2];
    value *v[4], *out[4];
    kni_type xt[2];
    static const double data[2][6] = {{3, 1, 2, 1, 5, 4}, {10, 11, 12, 13, 14, 15}};
    knb_init(&b);
    for (int i = 0; i < 4; i++) {
        v[i] = new_value(KN_DT(F64), 2, (int64_t[]){3, 2});
        for (int k = 0; k < 6; k++)
            ((double *)v[i]->p)[k] = data[i % 2][k] + (i < 2 ? 0 : 100);
        in[i] = knb_invar(&b, v[i]->t);
        xt[i % 2] = v[i]->t;
        tx[i % 2] = in[i];
    }
    kni_p_sort p = {0, 1, true};
    assert_null(knp_prim_sort.linearize(
        &(kni_rule){.b = &b, .prim = &knp_prim_sort, .params = &p, .n_in = 2, .n_out = 2, .x = in, .xt = xt, .yt = xt},
        tx, y, ty));
    assert_null(knb_finish(&b, 4, (kni_atom[]){y[0], y[1], ty[0], ty[1]}, "", false, &j));
    run_jaxpr(j, v, 4, out);
    static const double want[2][6] = {{2, 1, 3, 1, 5, 4},
                                      {12, 11, 10, 13, 14, 15}}; /* column 0: 3 2 5, column 1: 1 1 4 */
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 6; k++)
            assert_true(((double *)out[i]->p)[k] == want[i % 2][k] + (i < 2 ? 0 : 100));
    for (int i = 0; i < 4; i++)
        drop(v[i]), drop(out[i]);
}

static void test_sort_batch(void **unused)
{
    (void)unused;
    for (int round = 0; round < 60; round++) {
        value *x = new_value(KN_DT(F32), 3, (int64_t[]){2, 3, 4});
        fill_small(x);
        int axis = below(3);
        kni_p_sort p = {below(2), 1, true};
        check_batch(&knp_prim_sort, &p, 1, &x, &axis, x->dim[axis]);
        drop(x);
    }
}

/* --- jit -------------------------------------------------------------------------------------- */

/* f(x, y) = (sin(x) y, x + y) for x f64[2,3] and y f64[]. */
static kni_jaxpr *make_body(void)
{
    kni_builder b;
    kni_jaxpr *j = NULL;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_type_of(KN_DT(F64), 2, (int64_t[]){2, 3})),
             y = knb_invar(&b, kni_scalar_type(KN_DT(F64)));
    kni_atom out[] = {knb_mul(&b, knb_sin(&b, x), y), knb_add(&b, x, y)};
    assert_null(knb_finish(&b, 2, out, "f", false, &j));
    return j;
}

/* The function that calls the body, or that does what it does. */
static kni_jaxpr *make_caller(bool calls)
{
    kni_builder b;
    kni_jaxpr *j = NULL, *body = make_body();
    knb_init(&b);
    kni_atom in[] = {knb_invar(&b, kni_in_type(body, 0)), knb_invar(&b, kni_in_type(body, 1))}, out[2];
    if (calls)
        knb_jit(&b, "f", body, 0, in, out);
    else
        knb_inline(&b, body, in, out);
    assert_null(knb_finish(&b, 2, out, "g", false, &j));
    kni_release(body);
    return j;
}

static value *numbers(int ndim, const int64_t *dim)
{
    value *v = new_value(KN_DT(F64), ndim, dim);
    fill_small(v);
    return v;
}

static void same_results(kni_jaxpr *a, kni_jaxpr *b)
{
    value *in[8] = {NULL}, *ya[8], *yb[8];
    int n = (int)a->n_in, n_out = (int)a->n_out;
    assert_int_equal(a->n_in, b->n_in);
    assert_int_equal(a->n_out, b->n_out);
    assert_null(kni_check(a));
    for (int i = 0; i < n; i++)
        in[i] = numbers(kni_in_type(a, (uint32_t)i).ndim, kni_in_type(a, (uint32_t)i).dim);
    run_jaxpr(a, in, n_out, ya);
    run_jaxpr(b, in, n_out, yb);
    for (int i = 0; i < n_out; i++) {
        assert_true(same(ya[i], yb[i]));
        drop(ya[i]), drop(yb[i]);
    }
    for (int i = 0; i < n; i++)
        drop(in[i]);
}

static void test_jit(void **unused)
{
    (void)unused;
    kni_jaxpr *j[2], *t[2], *back[2];
    knt_linearized l[2];
    for (int i = 0; i < 2; i++)
        j[i] = make_caller(i == 0);
    for (int i = 0; i < 2; i++)
        assert_null(knt_jvp(j[i], (bool[]){true, true}, &t[i]));
    same_results(t[0], t[1]);
    for (int i = 0; i < 2; i++)
        assert_null(knt_batch(j[i], 4, NULL, (int[]){1, -1}, (int[]){2, 0}, &t[i]));
    same_results(t[0], t[1]);
    for (int i = 0; i < 2; i++) {
        assert_null(knt_linearize(j[i], (bool[]){true, false}, &l[i]));
        bool linear[8] = {false};
        for (uint32_t k = l[i].n_residual; k < l[i].linear->n_in; k++)
            linear[k] = true;
        assert_null(knt_transpose(l[i].linear, linear, &back[i]));
    }
    assert_int_equal(l[0].n_tangent_out, 2);
    if (back[0]->n_in == back[1]->n_in)
        same_results(kni_retain(back[0]), kni_retain(back[1]));
    for (int i = 0; i < 2; i++)
        knt_linearized_free(&l[i]), kni_release(back[i]);
    same_results(j[0], j[1]);
}

static void test_jit_types(void **unused)
{
    (void)unused;
    kni_jaxpr *body = make_body();
    kni_builder b;
    kni_atom out[2];
    knb_init(&b);
    kni_atom in[] = {knb_invar(&b, kni_type_of(KN_DT(F64), 1, (int64_t[]){3})),
                     knb_invar(&b, kni_scalar_type(KN_DT(F64)))};
    knb_jit(&b, "f", body, 0, in, out);
    knx_error *e = knb_take_error(&b);
    assert_non_null(e);
    assert_int_equal(e->kind, KN_ERROR_TYPE);
    assert_non_null(strstr(e->message, "argument 0 has type f64[3], not f64[2,3]"));
    knx_error_release(e);
    knb_free(&b);
    kni_release(body);
}

KN_TEST_GROUP(test_prim_calls)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dynamic_slices), cmocka_unit_test(test_dynamic_rules),
        cmocka_unit_test(test_known_bits),     cmocka_unit_test(test_known_threefry),
        cmocka_unit_test(test_random_rules),   cmocka_unit_test(test_sort_derivative),
        cmocka_unit_test(test_sort_batch),     cmocka_unit_test(test_jit),
        cmocka_unit_test(test_jit_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
