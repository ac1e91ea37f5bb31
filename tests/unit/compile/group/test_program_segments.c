/* SPDX-License-Identifier: Apache-2.0
 * test_program_segments.c -- kernels that are run in segments: where loops are cut, what is left of a kernel on a box, which boxes
 * share code; and the values of what is made so, element by element. */
#include "support/group.h"
#include "support/programs.h"

#include <kiln/kiln.h>

#include "host/native.h"
#include "kernel/narrow.h"

/* --- cuts ------------------------------------------------------------------------------------- */

/* out[i][j] = low <= p && p < high ? in[p] : 0 for p = offset + di * i + dj * j. */
static knk_kernel *asking(int64_t low, int64_t high)
{
    static const uint8_t any[] = {KNK_STRIDE_ANY, KNK_STRIDE_ANY};
    knk_builder *k = knk_new(2);
    int in = knk_add_buffer(k, KN_ID_F64, false), out = knk_add_buffer(k, KN_ID_F64, true);
    knk_begin_stage(k, 0);
    int at = knk_add_map(k, any), to = knk_add_map(k, any);
    knk_node p = knk_index(k, at), from = knk_binary(k, KNK_LE, knk_const_int(k, KN_ID_I64, low), p),
             inside = knk_binary(k, KNK_AND, from, knk_binary(k, KNK_LT, p, knk_const_int(k, KN_ID_I64, high)));
    knk_store(k, out, to, knk_load(k, in, at, KNK_NONE, inside, KNK_NONE));
    knk_kernel *kernel;
    test_ok(knk_finish(k, &kernel));
    return kernel;
}

typedef struct launched {
    int64_t par[2], stride[2][2];
    knk_map_values map[2];
    knk_launch l;
} launched;

static void launch(launched *x, int64_t n, int64_t m, int64_t offset, int64_t di, int64_t dj)
{
    static const int64_t *const inner[1] = {NULL};
    *x = (launched){.par = {n, m}, .stride = {{di, dj}, {m, 1}}};
    x->map[0] = (knk_map_values){offset, x->stride[0]};
    x->map[1] = (knk_map_values){0, x->stride[1]};
    x->l = (knk_launch){.map = x->map, .par = x->par, .inner = inner};
}

static void expect_cuts(int64_t n, int64_t m, int64_t offset, int64_t di, int64_t dj, int want, const knk_cut *cut)
{
    knk_cut got[8];
    launched x;
    knk_kernel *k = asking(10, 30);
    launch(&x, n, m, offset, di, dj);
    bool known;
    assert_int_equal(knk_cuts(k, &x.l, got, 8, &known), want);
    for (int i = 0; i < want; i++) {
        assert_int_equal(got[i].loop, cut[i].loop);
        assert_int_equal(got[i].at, cut[i].at);
    }
    knk_release(k);
}
#define CUTS(...) \
    (int)(sizeof((knk_cut[]){__VA_ARGS__}) / sizeof(knk_cut)), (knk_cut[]) { __VA_ARGS__ }

static void loops_are_cut_where_a_predicate_changes(void **state)
{
    (void)state;
    expect_cuts(100, 7, 0, 1, 0, CUTS({0, 10}, {0, 30}));
    expect_cuts(7, 100, 0, 0, 1, CUTS({1, 10}, {1, 30}));
    expect_cuts(20, 1, 0, 1, 0, CUTS({0, 10}));          /* the end is not reached */
    expect_cuts(100, 1, 12, 1, 0, CUTS({0, 18}));        /* the start is not before it */
    expect_cuts(100, 1, 0, 3, 0, CUTS({0, 4}, {0, 10})); /* 12, ..., 27 */
    expect_cuts(100, 1, 99, -1, 0, CUTS({0, 70}, {0, 90}));
    expect_cuts(40, 5, 0, 5, 1, CUTS({0, 2}, {0, 6})); /* rows as a whole */
    expect_cuts(40, 7, 0, 7, 1, CUTS({0, 1}, {0, 2}, {0, 4}, {0, 5}));
}

static void what_runs_across_is_not_cut(void **state)
{
    (void)state;
    expect_cuts(100, 100, 0, 1, 1, 0, NULL);
    expect_cuts(100, 1, 0, 0, 0, 0, NULL);
}

static void on_a_box_what_is_known_is_gone(void **state)
{
    (void)state;
    int16_t buffer[8], map[8];
    launched x;
    knk_kernel *k = asking(10, 30), *inside, *outside, *across;
    launch(&x, 100, 7, 0, 1, 0);
    test_ok(knk_narrow(k, &x.l, &(knk_box){(int64_t[]){10, 0}, (int64_t[]){20, 7}}, &inside, buffer, map));
    assert_int_equal(inside->n_node, 2); /* load, store */
    assert_int_equal(inside->node[0].b, KNK_NONE);
    assert_int_equal(inside->n_buffer, 2);
    test_ok(knk_narrow(k, &x.l, &(knk_box){(int64_t[]){30, 0}, (int64_t[]){70, 7}}, &outside, buffer, map));
    assert_int_equal(outside->n_buffer, 1); /* nothing of the operand */
    assert_int_equal(buffer[0], 1);
    assert_int_equal(map[0], 1);
    test_ok(knk_narrow(k, &x.l, &(knk_box){(int64_t[]){5, 0}, (int64_t[]){70, 7}}, &across, buffer, map));
    assert_int_equal(across->n_node, k->n_node);
    knk_release(k);
    knk_release(inside);
    knk_release(outside);
    knk_release(across);
}

/* --- programs --------------------------------------------------------------------------------- */

static kni_jaxpr *two_vectors(int64_t n, int64_t m)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x[2] = {knb_invar(&b, kni_type_of(KN_DT(F64), 1, &n)), knb_invar(&b, kni_type_of(KN_DT(F64), 1, &m))};
    return FINISH(&b, knb_concatenate(&b, 2, x, 0));
}

static void concatenations_of_all_shapes_are_one_copy(void **state)
{
    (void)state;
    if (knh_generator_best() == &knh_interpreter)
        return;
    knc_kernel_cache *cache = knc_kernel_cache_new(1 << 20);
    kni_jaxpr *j[2] = {two_vectors(1000, 400), two_vectors(733, 512)};
    knd_loaded *p[2];
    for (int i = 0; i < 2; i++)
        test_ok(knd_compile(&knd_host, j[i], &(knc_compile_options){.fuse = true, .kernels = cache}, &p[i]));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(p[i]->program->n_step, 1);
        assert_int_equal(p[i]->program->step[0].u.k.n_segment, 2);
        for (int s = 0; s < 2; s++)
            assert_ptr_equal(p[i]->program->step[0].u.k.segment[s].kernel,
                             p[0]->program->step[0].u.k.segment[0].kernel);
    }
    for (int i = 0; i < 2; i++) {
        knd_release(p[i]);
        kni_release(j[i]);
    }
    knc_kernel_cache_free(cache);
}

/* What joins parts of a joined array reads each of its elements about once: nothing is stored in between. */
static kn_array rolled_twice(const kn_array *x) { return kn_roll(kn_roll(*x, 5, KN_AXIS(0)), 7, KN_AXIS(1)); }
static kn_array reflected(const kn_array *x) { return kn_pad(*x, 3, .mode = "reflect"); }
static kn_array rolled_and_read_often(const kn_array *x)
{
    kn_array y = kn_roll(*x, 5, KN_AXIS(0));
    return kn_add(kn_add(kn_roll(y, 1, KN_AXIS(1)), kn_roll(y, 2, KN_AXIS(1))), kn_roll(y, 3, KN_AXIS(1)));
}
KN_FUNCTION(rolled_twice, kn_array, kn_array)
KN_FUNCTION(reflected, kn_array, kn_array)
KN_FUNCTION(rolled_and_read_often, kn_array, kn_array)

static void arrays_joined_along_several_axes_are_one_step(void **state)
{
    KN_SCOPE;
    int n = 0;
    kn_array x = kn_reshape(kn_arange(0, 300 * 200, 1, .dtype = KN_I32), KN_SHAPE(300, 200));
    (void)state;
    assert_non_null(kn_jaxpr_groups(kn_make_jaxpr(KN_FN(rolled_twice), KN_ARGS(&x)), &n));
    assert_int_equal(n, 1);
    assert_non_null(kn_jaxpr_groups(kn_make_jaxpr(KN_FN(reflected), KN_ARGS(&x)), &n));
    assert_int_equal(n, 1);
    assert_non_null(kn_jaxpr_groups(kn_make_jaxpr(KN_FN(rolled_and_read_often), KN_ARGS(&x)), &n));
    assert_int_equal(n, 2);
    kn_array y = NULL, z = NULL;
    kn_call(kn_jit(KN_FN(rolled_twice)), &y, &x);
    kn_call(kn_jit(KN_FN(reflected)), &z, &x);
    const int32_t *v = kn_data(y, int32_t), *w = kn_data(z, int32_t);
    assert_true(v && w);
    for (int i = 0; i < 300; i++)
        for (int j = 0; j < 200; j++)
            assert_int_equal(v[i * 200 + j], (i + 295) % 300 * 200 + (j + 193) % 200);
    for (int i = 0; i < 306; i++)
        for (int j = 0; j < 206; j++) {
            int r = abs(i - 3), c = abs(j - 3);
            r = r < 300 ? r : 598 - r;
            c = c < 200 ? c : 398 - c;
            assert_int_equal(w[i * 206 + j], r * 200 + c);
        }
}

/* The turns of a short loop are one kernel, which stores an element for each. */
static kni_jaxpr *stacked_last(int n, int64_t rows)
{
    kni_builder b;
    kni_atom part[8];
    knb_init(&b);
    for (int i = 0; i < n; i++)
        part[i] = knb_invar(&b, kni_type_of(KN_DT(F64), 2, (int64_t[]){rows, 1}));
    return FINISH(&b, knb_concatenate(&b, n, part, 1));
}

static void arrays_stacked_last_are_one_segment(void **state)
{
    (void)state;
    if (knh_generator_best() == &knh_interpreter)
        return;
    for (int n = 2; n <= 8; n++) {
        kni_jaxpr *j = stacked_last(n, 2000);
        knd_loaded *p;
        test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &p));
        assert_int_equal(p->program->step[0].u.k.n_segment, 1);
        assert_int_equal(p->program->step[0].u.k.segment[0].kernel->n_node, 2 * n); /* loads and stores */
        knd_release(p);
        kni_release(j);
    }
}

static void stacked_values_are_where_they_belong(void **state)
{
    const kn_dtype dtypes[] = {KN_I8, KN_I16, KN_F32, KN_F64, KN_C64};
    (void)state;
    for (int d = 0; d < 5; d++)
        for (int n = 1; n <= 9; n++) {
            KN_SCOPE;
            enum { ROWS = 1500 };
            kn_array part[9];
            for (int k = 0; k < n; k++) {
                part[k] = kn_astype(kn_remainder(kn_add(kn_arange(0, ROWS, 1), 10 * k), 113), dtypes[d]);
                part[k] = kn_mul(part[k], kn_astype(kn_ones(KN_SHAPE(ROWS)), dtypes[d]));
            }
            const int64_t *v = kn_data(kn_astype(kn_stack(kn_list_from(part, n), KN_AXIS(-1)), KN_I64), int64_t);
            assert_non_null(v);
            for (int i = 0; i < ROWS; i++)
                for (int k = 0; k < n; k++)
                    assert_int_equal(v[i * n + k], (i + 10 * k) % 113);
        }
}

/* Of x around its middle: at the ends a kernel of their own would be worth little. */
static void small_boxes_keep_the_whole_kernel(void **state)
{
    (void)state;
    if (knh_generator_best() == &knh_interpreter)
        return;
    int64_t n = 1000, lo = 1, hi = 1;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_type_of(KN_DT(F64), 1, &n));
    kni_atom padded = knb_pad(&b, knb_neg(&b, x), knb_number(&b, KN_DT(F64), 3), &lo, &hi, NULL);
    kni_jaxpr *j = FINISH(&b, knb_mul(&b, padded, padded));
    knd_loaded *p = test_compile(j, true);
    int whole = 0;
    assert_int_equal(p->program->n_step, 1);
    assert_int_equal(p->program->step[0].u.k.n_segment, 3);
    for (int s = 0; s < 3; s++)
        whole += p->program->step[0].u.k.segment[s].kernel == p->program->step[0].u.k.kernel;
    assert_int_equal(whole, 2);
    knd_release(p);
    kni_release(j);
}

/* The negated n and m others. */
static int kept_whole(int64_t n, int64_t m)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x[2] = {knb_neg(&b, knb_invar(&b, kni_type_of(KN_DT(F64), 1, &n))),
                     knb_invar(&b, kni_type_of(KN_DT(F64), 1, &m))};
    kni_jaxpr *j = FINISH(&b, knb_concatenate(&b, 2, x, 0));
    knd_loaded *p = test_compile(j, true);
    int whole = 0;
    assert_int_equal(p->program->step[0].u.k.n_segment, 2);
    for (int s = 0; s < 2; s++)
        whole += p->program->step[0].u.k.segment[s].kernel == p->program->step[0].u.k.kernel;
    knd_release(p);
    kni_release(j);
    return whole;
}

/* What is padded is cut away again: the load has no predicate, though nothing is cut. */
static void what_is_known_at_all_points_is_gone(void **state)
{
    (void)state;
    if (knh_generator_best() == &knh_interpreter)
        return;
    int64_t n = 1000, one = 1, end = 1001;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_type_of(KN_DT(F64), 1, &n));
    kni_atom padded = knb_pad(&b, x, knb_number(&b, KN_DT(F64), 3), &one, &one, NULL);
    kni_jaxpr *j = FINISH(&b, knb_neg(&b, knb_slice(&b, padded, &one, &end, NULL)));
    knd_loaded *p = test_compile(j, true);
    assert_int_equal(p->program->n_step, 1);
    assert_int_equal(p->program->step[0].u.k.n_segment, 1);
    assert_int_equal(p->program->step[0].u.k.segment[0].kernel->n_node, 3);
    knd_release(p);
    kni_release(j);
}

static void boxes_of_many_points_have_code_of_their_own(void **state)
{
    (void)state;
    if (knh_generator_best() == &knh_interpreter)
        return;
    assert_int_equal(kept_whole(1000, 400000), 1);
    assert_int_equal(kept_whole(20000, 400000), 0);
    assert_int_equal(kept_whole(1000, 4000), 0);
}

/* --- values ----------------------------------------------------------------------------------- */

enum { MOST_NDIM = 3 };
typedef struct shape {
    int n;
    int64_t dim[MOST_NDIM];
} shape;
static const shape shapes[] = {{1, {301}},    {1, {2000}},   {2, {33, 17}},    {2, {5, 700}},
                               {2, {700, 3}}, {2, {60, 70}}, {3, {9, 11, 13}}, {3, {18, 30, 22}}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int64_t size_of(const shape *s)
{
    int64_t n = 1;
    for (int d = 0; d < s->n; d++)
        n *= s->dim[d];
    return n;
}

static void index_of(const shape *s, int64_t flat, int64_t *i)
{
    for (int d = s->n - 1; d >= 0; flat /= s->dim[d--])
        i[d] = flat % s->dim[d];
}

static int64_t flat_of(const shape *s, const int64_t *i)
{
    int64_t flat = 0;
    for (int d = 0; d < s->n; d++)
        flat = flat * s->dim[d] + i[d];
    return flat;
}

static kn_shape face_shape(const shape *s)
{
    kn_shape out = {.ndim = s->n};
    for (int d = 0; d < s->n; d++)
        out.dim[d] = s->dim[d];
    return out;
}

/* A number of each element that fits into any dtype and tells it from its neighbours. */
static double number_of(int64_t flat) { return (double)(flat % 97 + 1); }

static kn_array numbered(const shape *s, kn_dtype d)
{
    kn_array x = kn_add(kn_remainder(kn_arange(0, (double)size_of(s), 1), 97.0), 1.0);
    return kn_astype(kn_reshape(x, face_shape(s)), d);
}

/* The element of the result at i, of x. */
typedef double element_of(const shape *x, const int64_t *i, int axis, int64_t by);

static void expect(kn_array got, const shape *x, const shape *y, element_of *f, int axis, int64_t by)
{
    kn_array as = kn_real(kn_astype(got, KN_C128));
    const double *data = kn_data(as, double);
    assert_non_null(data);
    assert_int_equal(kn_ndim(got), y->n);
    for (int d = 0; d < y->n; d++)
        assert_int_equal(kn_dim(got, d), y->dim[d]);
    for (int64_t e = 0; e < size_of(y); e++) {
        int64_t i[MOST_NDIM];
        index_of(y, e, i);
        double want = f(x, i, axis, by);
        if (data[e] != want)
            fail_msg("%s, axis %d, by %lld: element %lld is %g, not %g", kn_dtype_name(kn_dtype_of(got)), axis,
                     (long long)by, (long long)e, data[e], want);
    }
}

static double rolled(const shape *x, const int64_t *i, int axis, int64_t by)
{
    int64_t j[MOST_NDIM];
    memcpy(j, i, sizeof j);
    j[axis] = ((i[axis] - by) % x->dim[axis] + x->dim[axis]) % x->dim[axis];
    return number_of(flat_of(x, j));
}

static double joined(const shape *x, const int64_t *i, int axis, int64_t by) /* x, x from `by` on, x */
{
    int64_t j[MOST_NDIM], n = x->dim[axis], at = i[axis];
    memcpy(j, i, sizeof j);
    j[axis] = at < n ? at : at < 2 * n - by ? at - n + by : at - (2 * n - by);
    return number_of(flat_of(x, j));
}

/* `by` elements of 5 before, 2 behind; negative: fewer */
static double padded(const shape *x, const int64_t *i, int axis, int64_t by)
{
    int64_t j[MOST_NDIM];
    (void)axis;
    for (int d = 0; d < x->n; d++) {
        j[d] = i[d] - by;
        if (j[d] < 0 || j[d] >= x->dim[d])
            return 5;
    }
    return number_of(flat_of(x, j));
}

static double apart(const shape *x, const int64_t *i, int axis, int64_t by) /* `by` of 5 between neighbours */
{
    int64_t j[MOST_NDIM];
    (void)axis;
    for (int d = 0; d < x->n; d++) {
        j[d] = i[d] / (by + 1);
        if (i[d] % (by + 1))
            return 5;
    }
    return number_of(flat_of(x, j));
}

static double around(const shape *x, const int64_t *i, int axis,
                     int64_t by) /* neighbours on a torus, 2 n times itself */
{
    double sum = 2 * x->n * rolled(x, i, 0, 0);
    (void)axis;
    for (int d = 0; d < x->n; d++)
        sum += rolled(x, i, d, by) + rolled(x, i, d, -by);
    return sum;
}

static double slope(const shape *x, const int64_t *i, int axis, int64_t by) /* twice np.gradient */
{
    int64_t lo[MOST_NDIM], hi[MOST_NDIM], n = x->dim[axis];
    (void)by;
    memcpy(lo, i, sizeof lo);
    memcpy(hi, i, sizeof hi);
    lo[axis] -= i[axis] > 0;
    hi[axis] += i[axis] < n - 1;
    return (number_of(flat_of(x, hi)) - number_of(flat_of(x, lo))) * (hi[axis] - lo[axis] == 2 ? 1 : 2);
}

/* --- what is made ----------------------------------------------------------------------------- */

static kn_array part(kn_array x, int axis, int64_t from, int64_t to)
{
    kn_shape low = {.ndim = kn_ndim(x)}, high = kn_shape_of(x);
    low.dim[axis] = from;
    high.dim[axis] = to;
    return kn_lax_slice(x, low, high);
}

static void make_moves(kn_array x, const shape *s, int axis)
{
    int64_t n = s->dim[axis], by[] = {1, -1, 2, n / 2, n - 1};
    for (int i = 0; i < 5; i++)
        expect(kn_roll(x, by[i], KN_AXIS(axis)), s, s, rolled, axis, by[i]);
    for (int i = 0; i < 3; i++) {
        shape y = *s;
        int64_t from = i == 0 ? 0 : i == 1 ? n - 1 : n / 3;
        y.dim[axis] = 3 * n - from;
        expect(kn_concatenate(KN_LIST(x, part(x, axis, from, n), x), KN_AXIS(axis)), s, &y, joined, axis, from);
    }
}

static void make_pads(kn_array x, const shape *s)
{
    for (int64_t by = -1; by <= 2; by++) {
        kn_lax_padding w[MOST_NDIM];
        shape y = *s, z = *s;
        for (int d = 0; d < s->n; d++) {
            w[d] = (kn_lax_padding){by, by + 1, 0};
            y.dim[d] += 2 * by + 1;
        }
        kn_array five = kn_astype(kn_scalar(5.0), kn_dtype_of(x));
        expect(kn_lax_pad(x, five, (kn_lax_padding_config){s->n, w}), s, &y, padded, 0, by);
        if (by <= 0)
            continue;
        for (int d = 0; d < s->n; d++) {
            w[d] = (kn_lax_padding){0, 0, by};
            z.dim[d] += (z.dim[d] - 1) * by;
        }
        expect(kn_lax_pad(x, five, (kn_lax_padding_config){s->n, w}), s, &z, apart, 0, by);
    }
}

/* In float64. */
static void make_stencils(kn_array x, const shape *s)
{
    for (int64_t by = 1; by < 3; by++) {
        kn_array sum = kn_mul(x, 2.0 * s->n);
        for (int d = 0; d < s->n; d++)
            sum = kn_add(sum, kn_roll(x, by, KN_AXIS(d)), kn_roll(x, -by, KN_AXIS(d)));
        expect(sum, s, s, around, 0, by);
    }
    for (int d = 0; d < s->n; d++) {
        int64_t n = s->dim[d];
        kn_array first = kn_mul(kn_sub(part(x, d, 1, 2), part(x, d, 0, 1)), 2.0),
                 last = kn_mul(kn_sub(part(x, d, n - 1, n), part(x, d, n - 2, n - 1)), 2.0),
                 middle = kn_sub(part(x, d, 2, n), part(x, d, 0, n - 2));
        expect(kn_concatenate(KN_LIST(first, middle, last), KN_AXIS(d)), s, s, slope, d, 0);
    }
}

static void every_element_is_the_one_that_it_should_be(void **state)
{
    (void)state;
    const kn_dtype dtype[] = {KN_F32, KN_F64, KN_I8, KN_I64, KN_F16, KN_C64, KN_C128, KN_U16};
    for (int t = 0; t < 8; t++)
        for (int i = 0; i < SHAPES; i++) {
            KN_SCOPE;
            kn_array x = numbered(&shapes[i], dtype[t]);
            for (int d = 0; d < shapes[i].n; d++)
                make_moves(x, &shapes[i], d);
            make_pads(x, &shapes[i]);
            if (dtype[t] == KN_F64)
                make_stencils(x, &shapes[i]);
            assert_true(kn_ok(x));
        }
}

/* What a predicate leaves out is not looked at: no NaN comes from there, and none is lost. */
static void nothing_comes_from_beside_an_operand(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_full(KN_SHAPE(1000), NAN), y = kn_ones(KN_SHAPE(1000));
    kn_array z = kn_mul(kn_concatenate(KN_LIST(part(x, 0, 0, 1), part(y, 0, 1, 999), part(x, 0, 999, 1000))), 2.0);
    const double *data = kn_data(z, double);
    assert_non_null(data);
    for (int i = 1; i < 999; i++)
        assert_true(data[i] == 2);
    assert_true(isnan(data[0]) && isnan(data[999]));
}

/* More than a kernel has buffers. */
static void very_many_arrays_are_joined(void **state)
{
    (void)state;
    enum { N = 33000 };
    kn_scope scope = kn_scope_begin();
    kn_array *x = malloc(N * sizeof *x);
    kn_array joined;
    assert_non_null(x);
    for (int i = 0; i < N; i++) {
        const double v[1] = {i};
        x[i] = kn_from_memory(v, &KN_SHAPE(1), KN_F64);
    }
    joined = kn_concatenate(kn_list_from(x, N));
    free(x);
    const double *at = kn_data(joined, double);
    assert_non_null(at);
    for (int i = 0; i < N; i++)
        assert_true(at[i] == i);
    kn_scope_end(&scope);
}

KN_TEST_GROUP(test_program_segments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_cut_where_a_predicate_changes),
        cmocka_unit_test(what_runs_across_is_not_cut),
        cmocka_unit_test(on_a_box_what_is_known_is_gone),
        cmocka_unit_test(concatenations_of_all_shapes_are_one_copy),
        cmocka_unit_test(very_many_arrays_are_joined),
        cmocka_unit_test(arrays_joined_along_several_axes_are_one_step),
        cmocka_unit_test(arrays_stacked_last_are_one_segment),
        cmocka_unit_test(stacked_values_are_where_they_belong),
        cmocka_unit_test(small_boxes_keep_the_whole_kernel),
        cmocka_unit_test(what_is_known_at_all_points_is_gone),
        cmocka_unit_test(boxes_of_many_points_have_code_of_their_own),
        cmocka_unit_test(every_element_is_the_one_that_it_should_be),
        cmocka_unit_test(nothing_comes_from_beside_an_operand),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return kn_finish() || failed;
}
