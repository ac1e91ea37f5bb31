/* SPDX-License-Identifier: Apache-2.0
 * test_prim_put.c -- the column `put`: put(x, get(x)) is x and get(put(x, v)) is v, bit for bit, for random views of
 * every dtype; what repeats takes the last value in C order; what is read-only says so. */
#include "support/group.h"
#include "support/rules.h"

/* A view: `get` and `put` of x with these parameters and operands behind x. */
typedef struct {
    const kni_prim *prim;
    const void *params;
    int n_more;
    value *more[2];
} view;

static kni_atom emit_get(kni_builder *b, const view *w, const kni_atom *in)
{
    return knb_emit1(b, w->prim, w->params, 1 + w->n_more, in);
}

/* in[0]: x. KN_ATOM_NONE if it is read-only. */
static kni_atom emit_put(kni_builder *b, const view *w, const kni_atom *in, kni_atom y, kni_atom v)
{
    kni_type xt[4], yt = knb_type(b, y);
    for (int i = 0; i <= w->n_more; i++)
        xt[i] = knb_type(b, in[i]);
    kni_atom out = w->prim->put(&(kni_rule){.b = b,
                                            .prim = w->prim,
                                            .params = w->params,
                                            .n_in = 1 + w->n_more,
                                            .n_out = 1,
                                            .x = in,
                                            .xt = xt,
                                            .y = &y,
                                            .yt = &yt},
                                v);
    if (out != KN_ATOM_NONE) {
        assert_true(kni_type_same_shape(knb_type(b, out), xt[0]));
        assert_ptr_equal(knb_type(b, out).dtype, xt[0].dtype);
    }
    return out;
}

static int invars(kni_builder *b, const view *w, value *x, value *v, kni_atom *in, value **input)
{
    int n = 0;
    knb_init(b);
    input[n] = x, in[n++] = knb_invar(b, x->t);
    for (int i = 0; i < w->n_more; i++)
        input[n] = w->more[i], in[n++] = knb_invar(b, w->more[i]->t);
    if (v)
        input[n] = v, in[n++] = knb_invar(b, v->t);
    return n;
}

static value *get_of(const view *w, value *x)
{
    kni_builder b;
    kni_atom in[4];
    value *input[4];
    invars(&b, w, x, NULL, in, input);
    return evaluate(&b, emit_get(&b, w, in), input);
}

static value *put_of(const view *w, value *x, value *v)
{
    kni_builder b;
    kni_atom in[4];
    value *input[4];
    int n = invars(&b, w, x, v, in, input);
    return evaluate(&b, emit_put(&b, w, in, emit_get(&b, w, in), in[n - 1]), input);
}

static bool is_read_only(const view *w, value *x)
{
    kni_builder b;
    kni_atom in[4];
    value *input[4];
    invars(&b, w, x, NULL, in, input);
    kni_atom y = emit_get(&b, w, in), out = emit_put(&b, w, in, y, y);
    assert_null(b.error);
    knb_free(&b);
    return out == KN_ATOM_NONE;
}

/* v may come filled; NULL: one is made. It is kept. */
static void check_put(const view *w, value *x, value *v, bool distinct)
{
    value *old = get_of(w, x), *same_x = put_of(w, x, old);
    if (!same(same_x, x))
        fail_msg("%s: putting back what was read changes the array", w->prim->name);
    value *fresh = v ? v : new_value(old->t.dtype, old->t.ndim, old->t.dim);
    if (!v)
        fill_odd(fresh);
    value *put = put_of(w, x, fresh), *got = get_of(w, put);
    if (distinct && !same(got, fresh))
        fail_msg("%s: what was put is not read again", w->prim->name);
    drop(old), drop(same_x), drop(put), drop(got);
    if (!v)
        drop(fresh);
}

/* --- views by parameters alone ---------------------------------------------------------------- */

static value *random_x(int round)
{
    int64_t dim[4];
    int ndim = below(5);
    for (int i = 0; i < ndim; i++)
        dim[i] = below(12) ? 1 + below(7) : 0;
    value *x = new_value(&knx_dtype_table[round % KN_ID_COUNT], ndim, dim);
    fill_odd(x);
    return x;
}

static void test_slice(void **unused)
{
    (void)unused;
    for (int round = 0; round < 3000; round++) {
        value *x = random_x(round);
        int64_t start[4] = {0}, limit[4] = {0}, stride[4] = {1, 1, 1, 1};
        int n = x->t.ndim, steps = below(2);
        for (int i = 0; i < n; i++) {
            start[i] = below(2) ? below((int)x->dim[i] + 1) : 0;
            limit[i] = below(2) ? start[i] + below((int)(x->dim[i] - start[i]) + 1) : x->dim[i];
            stride[i] = steps ? 1 + below(4) : 1;
        }
        kni_p_slice p = {{n, limit}, {n, start}, {steps ? n : 0, stride}};
        check_put(&(view){.prim = &knp_prim_slice, .params = &p}, x, NULL, true);
        drop(x);
    }
}

static void test_shapes(void **unused)
{
    (void)unused;
    for (int round = 0; round < 1500; round++) {
        value *x = random_x(round);
        int64_t a[8], b[8];
        int n = 0, m = 0;
        for (int i = 0; i < x->t.ndim; i++)
            if (below(2))
                a[n++] = i;
        check_put(&(view){.prim = &knp_prim_rev, .params = &(kni_p_dims){{n, a}}}, x, NULL, true);
        for (int i = n = 0; i < x->t.ndim; i++) {
            int at = below(n + 1);
            memmove(a + at + 1, a + at, (size_t)(n++ - at) * sizeof *a);
            a[at] = i;
        }
        check_put(&(view){.prim = &knp_prim_transpose, .params = &(kni_p_transpose){{n, a}}}, x, NULL, true);
        for (int i = n = 0; i < x->t.ndim; i++)
            if (x->dim[i] == 1 && below(3))
                a[n++] = i;
        check_put(&(view){.prim = &knp_prim_squeeze, .params = &(kni_p_dims){{n, a}}}, x, NULL, true);
        int64_t size = kni_type_size(x->t), left = size;
        for (n = 0; size && left > 1 && n < 3; n++) {
            for (a[n] = 1 + below((int)left); left % a[n]; a[n]--)
                ;
            left /= a[n];
        }
        a[n++] = left;
        check_put(&(view){.prim = &knp_prim_reshape, .params = &(kni_p_reshape){{n, a}}}, x, NULL, true);
        for (int i = n = 0; i < x->t.ndim; i++) {
            for (; m < 8 - x->t.ndim + i && below(3) == 0; m++)
                a[m] = 1;
            b[i] = m;
            a[m++] = x->dim[i];
        }
        kni_p_broadcast_in_dim wide = {{m, a}, {x->t.ndim, b}};
        check_put(&(view){.prim = &knp_prim_broadcast_in_dim, .params = &wide}, x, NULL, true);
        drop(x);
    }
}

static void test_read_only(void **unused)
{
    (void)unused;
    int64_t one = 1;
    value *x = new_value(KN_DT(F32), 1, (int64_t[]){1}), *row = new_value(KN_DT(F32), 1, (int64_t[]){3}),
          *none = new_value(KN_DT(F32), 2, (int64_t[]){0, 1});
    kni_p_broadcast_in_dim wider = {{2, (int64_t[]){1, 5}}, {1, &one}}, rows = {{2, (int64_t[]){2, 3}}, {1, &one}},
                           same_rows = {{2, (int64_t[]){1, 3}}, {1, &one}},
                           empty = {{2, (int64_t[]){0, 4}}, {2, (int64_t[]){0, 1}}};
    assert_true(is_read_only(&(view){.prim = &knp_prim_broadcast_in_dim, .params = &wider}, x));
    assert_true(is_read_only(&(view){.prim = &knp_prim_broadcast_in_dim, .params = &rows}, row));
    assert_false(is_read_only(&(view){.prim = &knp_prim_broadcast_in_dim, .params = &same_rows}, row));
    assert_true(is_read_only(&(view){.prim = &knp_prim_broadcast_in_dim, .params = &empty}, none));
    drop(x), drop(row), drop(none);
}

/* --- parts of elements ------------------------------------------------------------------------ */

static void test_parts(void **unused)
{
    (void)unused;
    for (int round = 0; round < 300; round++) {
        value *x = random_x(round), *z = new_value(round % 2 ? KN_DT(C64) : KN_DT(C128), x->t.ndim, x->dim);
        fill_odd(z);
        check_put(&(view){.prim = &knp_prim_real}, z, NULL, true);
        check_put(&(view){.prim = &knp_prim_imag}, z, NULL, true);
        drop(x), drop(z);
    }
}

/* Bits that both dtypes have: those of a boolean, or of the narrow float of the two. */
static void test_bitcast(void **unused)
{
    (void)unused;
    for (int from = 0; from < KN_ID_KEY; from++)
        for (int to = 0; to < KN_ID_KEY; to++) {
            kn_dtype d = &knx_dtype_table[from], e = &knx_dtype_table[to];
            bool both_half = d != e && d->size == 2 && knx_is_float(d) && knx_is_float(e);
            if (d->size != e->size || d->size > 8 || both_half)
                continue;
            kn_dtype bits = e->kind == KN_KIND_BOOL || knx_is_float(e) ? e : d;
            for (int ndim = 0; ndim < 3; ndim++) {
                int64_t dim[] = {3, 40};
                value *x = new_value(d, ndim, dim), *v = new_value(e, ndim, dim), *some = new_value(bits, ndim, dim);
                fill_odd(some);
                memcpy(x->p, some->p, kni_type_bytes(x->t));
                fill_odd(some);
                memcpy(v->p, some->p, kni_type_bytes(v->t));
                check_put(&(view){.prim = &knp_prim_bitcast_convert_type, .params = &(kni_p_bitcast){e}}, x, v, true);
                drop(x), drop(v), drop(some);
            }
        }
}

/* --- positions that are data ------------------------------------------------------------------ */

static void test_dynamic_slice(void **unused)
{
    (void)unused;
    for (int round = 0; round < 600; round++) {
        int64_t dim[2] = {1 + below(6), 1 + below(6)}, size[2] = {1 + below((int)dim[0]), below((int)dim[1] + 1)};
        value *x = new_value(&knx_dtype_table[round % KN_ID_COUNT], 2, dim);
        view w = {&knp_prim_dynamic_slice, &(kni_p_dynamic_slice){{2, size}}, 2, {NULL}};
        for (int i = 0; i < 2; i++) {
            w.more[i] = new_value(KN_DT(I32), 0, NULL);
            *(int32_t *)w.more[i]->p = below(12) - 3; /* moved inside */
        }
        fill_odd(x);
        check_put(&w, x, NULL, true);
        drop(x), drop(w.more[0]), drop(w.more[1]);
    }
    value *x = new_value(KN_DT(F16), 0, NULL);
    fill_odd(x);
    check_put(&(view){.prim = &knp_prim_dynamic_slice, .params = &(kni_p_dynamic_slice){{0, NULL}}}, x, NULL, true);
    drop(x);
}

static int by_number(const void *a, const void *b) { return memcmp(a, b, sizeof(int32_t)); }

/* take(x, i, 0) of a table of rows: with indices once, with repeated ones, with some out of bounds. */
static void test_gather(void **unused)
{
    (void)unused;
    static const int64_t modes[] = {KN_GATHER_CLIP, KN_GATHER_FILL, KN_GATHER_PROMISE, KN_GATHER_CHECK,
                                    KN_GATHER_FILL_ZERO};
    for (int round = 0; round < 2000; round++) {
        int64_t dim[] = {1 + below(6), below(4)}, points[] = {below(8), 1}, zero = 0, one = 1, size[] = {1, dim[1]};
        int64_t mode = modes[round % 5];
        bool inside = mode == KN_GATHER_PROMISE || mode == KN_GATHER_CHECK, distinct = true;
        value *x = new_value(&knx_dtype_table[round / 5 % KN_ID_COUNT], 2, dim), *i = new_value(KN_DT(I32), 2, points);
        kni_p_gather p = {{1, &one}, {1, &zero}, {1, &zero}, {0, NULL}, {0, NULL},
                          {2, size}, mode,       false,      false,     false};
        int32_t seen[8], *at = (int32_t *)i->p;
        for (int k = 0; k < points[0]; k++) {
            at[k] = below((int)dim[0] + (inside ? 0 : 2)) - !inside;
            seen[k] = at[k];
            distinct = distinct && at[k] >= 0 && at[k] < dim[0];
        }
        qsort(seen, (size_t)points[0], sizeof *seen, by_number);
        for (int k = 1; k < points[0]; k++)
            distinct = distinct && seen[k] != seen[k - 1];
        fill_odd(x);
        view w = {&knp_prim_gather, &p, 1, {i}};
        check_put(&w, x, NULL, distinct);
        value *v = get_of(&w, x), *put;
        size_t row = (size_t)dim[1] * x->t.dtype->size;
        fill_odd(v);
        put = put_of(&w, x, v);
        for (int k = 0; k < points[0]; k++) { /* one after the other */
            int64_t to = mode == KN_GATHER_CLIP ? (at[k] < 0 ? 0 : at[k] < dim[0] ? at[k] : dim[0] - 1) : at[k];
            if (to >= 0 && to < dim[0])
                memcpy(x->p + (size_t)to * row, v->p + (size_t)k * row, row);
        }
        assert_true(same(put, x));
        drop(x), drop(i), drop(v), drop(put);
    }
}

/* Windows of three that overlap, as np.lib.stride_tricks makes them: the last write in C order of the windows. */
static void test_sliding_windows(void **unused)
{
    (void)unused;
    for (int front = 0; front < 2; front++) { /* where the windows' axis is */
        int64_t n = 9, three = 3, zero = 0, axis = front ? 0 : 1, points[] = {7, 1};
        value *x = new_value(KN_DT(I64), 1, &n), *i = new_value(KN_DT(I32), 2, points);
        for (int k = 0; k < 7; k++)
            ((int32_t *)i->p)[k] = k;
        fill_odd(x);
        kni_p_gather p = {.offset_dims = {1, &axis},
                          .start_index_map = {1, &zero},
                          .slice_sizes = {1, &three},
                          .mode = KN_GATHER_PROMISE};
        view w = {&knp_prim_gather, &p, 1, {i}};
        check_put(&w, x, NULL, false);
        value *v = get_of(&w, x), *put;
        fill_odd(v);
        put = put_of(&w, x, v);
        int64_t *to = (int64_t *)x->p;
        const int64_t *from = (const int64_t *)v->p;
        for (int a = 0; a < v->dim[0]; a++)
            for (int b = 0; b < v->dim[1]; b++)
                to[a + b] = from[a * v->dim[1] + b];
        assert_true(same(put, x));
        drop(x), drop(i), drop(v), drop(put);
    }
}

/* The diagonal of a matrix with further axes, as np.diagonal. */
static void test_diagonal(void **unused)
{
    (void)unused;
    for (int round = 0; round < 200; round++) {
        int64_t dim[] = {1 + below(5), 1 + below(5), below(4)}, n = dim[0] < dim[1] ? dim[0] : dim[1], zero = 0;
        int64_t pair[] = {0, 1}, size[] = {1, 1, dim[2]}, points[] = {n, 2};
        value *x = new_value(&knx_dtype_table[round % KN_ID_COUNT], 3, dim), *i = new_value(KN_DT(I64), 2, points);
        for (int64_t k = 0; k < 2 * n; k++)
            ((int64_t *)i->p)[k] = k / 2;
        fill_odd(x);
        kni_p_gather p = {.offset_dims = {1, &zero},
                          .collapsed_slice_dims = {2, pair},
                          .start_index_map = {2, pair},
                          .slice_sizes = {3, size},
                          .mode = KN_GATHER_PROMISE};
        check_put(&(view){&knp_prim_gather, &p, 1, {i}}, x, NULL, true);
        drop(x), drop(i);
    }
}

/* Views one behind the other go back in reverse order. */
static void test_chain(void **unused)
{
    (void)unused;
    kni_builder b;
    value *x = new_value(KN_DT(C64), 2, (int64_t[]){4, 6}), *v = new_value(KN_DT(F32), 2, (int64_t[]){3, 2});
    value *input[] = {x, v};
    fill_odd(x), fill_odd(v);
    knb_init(&b);
    kni_atom in = knb_invar(&b, x->t), fresh = knb_invar(&b, v->t);
    view step[] = {{.prim = &knp_prim_slice,
                    .params = &(kni_p_slice){{2, (int64_t[]){4, 6}}, {2, (int64_t[]){1, 1}}, {2, (int64_t[]){2, 2}}}},
                   {.prim = &knp_prim_transpose, .params = &(kni_p_transpose){{2, (int64_t[]){1, 0}}}},
                   {.prim = &knp_prim_rev, .params = &(kni_p_dims){{1, (int64_t[]){0}}}},
                   {.prim = &knp_prim_imag}};
    kni_atom at[5] = {in}, back = fresh;
    for (int i = 0; i < 4; i++)
        at[i + 1] = emit_get(&b, &step[i], &at[i]);
    for (int i = 3; i >= 0; i--)
        back = emit_put(&b, &step[i], &at[i], at[i + 1], back);
    value *y = evaluate(&b, back, input);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            memcpy(x->p + ((1 + 2 * k) * 6 + 1 + 2 * (2 - i)) * 8 + 4, v->p + (i * 2 + k) * 4, 4);
    assert_true(same(y, x));
    drop(x), drop(v), drop(y);
}

KN_TEST_GROUP(test_prim_put)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slice),  cmocka_unit_test(test_shapes),          cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_parts),  cmocka_unit_test(test_bitcast),         cmocka_unit_test(test_dynamic_slice),
        cmocka_unit_test(test_gather), cmocka_unit_test(test_sliding_windows), cmocka_unit_test(test_diagonal),
        cmocka_unit_test(test_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
