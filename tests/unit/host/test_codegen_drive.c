/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_drive.c -- launches by stage functions against the interpreter, bit for bit: random loops, strides and
 * stages, in place, reductions of any shape, any number of threads, every way to run a stage forced. With the
 * reference functions, which also check what the driver promises, and with native code where it runs. */
#include "base/half.h"
#include "base/pool.h"
#include "host/drive.h"
#include "support/group.h"
#include "support/scratch.h"
#include "support/stage_reference.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_BUFFERS = 32, MOST_MAPS = 40, MOST_DIMS = 8, MOST_STAGES = 4 };
typedef struct problem {
    knk_kernel *k;
    int64_t par[MOST_DIMS], inner[MOST_STAGES][MOST_DIMS], stride[MOST_MAPS][MOST_DIMS];
    const int64_t *inner_of[MOST_STAGES];
    knk_map_values map[MOST_MAPS];
    char *data[MOST_BUFFERS];
    size_t bytes[MOST_BUFFERS];
    int same_as[MOST_BUFFERS]; /* the buffer whose memory it is, or itself */
    /* while it is built */
    knk_builder *b;
    int n_par, stage, n_inner[MOST_STAGES], n_map, n_buffer;
} problem;

static uint64_t state_;
static uint32_t random32(void)
{
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_ >> 33) ^ (uint32_t)(state_ >> 50);
}
static int below(int n) { return (int)(random32() % (uint32_t)n); }

static void fill_random(char *data, int d, size_t bytes)
{
    int size = knx_dtype_table[d].size;
    for (size_t i = 0; i + (size_t)size <= bytes; i += (size_t)size) {
        knx_scalar_bits s = {.u = {0, 0}};
        if (d == KN_ID_BOOL)
            s.u8 = random32() & 1;
        else if (knk_is_int_id(d))
            s.u64 = (uint64_t)(int64_t)(below(2000) - 1000);
        else
            s = knx_scalar_from_double(&knx_dtype_table[d], below(50)  ? (double)(int32_t)random32() / 1e9
                                                            : below(8) ? -0.0
                                                                       : NAN);
        memcpy(data + i, &s, (size_t)size);
    }
}

/* Building. */
static void begin(problem *q, int n_par, const int64_t *par)
{
    memset(q, 0, sizeof *q);
    q->n_par = n_par;
    q->stage = -1;
    for (int d = 0; d < n_par; d++)
        q->par[d] = par[d];
    q->b = knk_new(n_par);
}

static void stage(problem *q, int n_inner, const int64_t *inner)
{
    q->stage++;
    q->n_inner[q->stage] = n_inner;
    for (int d = 0; d < n_inner; d++)
        q->inner[q->stage][d] = inner[d];
    knk_begin_stage(q->b, n_inner);
}

static int loops(const problem *q) { return q->n_par + q->n_inner[q->stage]; }
static int64_t extent(const problem *q, int d) { return d < q->n_par ? q->par[d] : q->inner[q->stage][d - q->n_par]; }

/* A map with these strides; the offset makes the lowest element number 0. Returns its number. */
static int map_of(problem *q, const int64_t *stride, int64_t *elements)
{
    uint8_t cls[MOST_DIMS];
    int64_t low = 0, high = 0;
    int m = q->n_map++;
    for (int d = 0; d < loops(q); d++) {
        int64_t far = stride[d] * (extent(q, d) > 0 ? extent(q, d) - 1 : 0);
        *(far < 0 ? &low : &high) += far;
        q->stride[m][d] = stride[d];
        cls[d] = stride[d] == 0 ? KNK_STRIDE_ZERO : stride[d] == 1 ? KNK_STRIDE_ONE : KNK_STRIDE_ANY;
    }
    q->map[m] = (knk_map_values){-low, q->stride[m]};
    *elements = high - low + 1;
    knk_add_map(q->b, cls);
    return m;
}

static int buffer_of(problem *q, int d, bool written, int64_t elements)
{
    int b = knk_add_buffer(q->b, (knx_dtype_id)d, written);
    q->bytes[b] = (size_t)elements * (size_t)knx_dtype_table[d].size;
    q->data[b] = aligned_alloc(64, (q->bytes[b] + 64) / 64 * 64);
    fill_random(q->data[b], d, q->bytes[b]);
    q->same_as[b] = b;
    q->n_buffer = b + 1;
    return b;
}

static knk_node load(problem *q, int d, const int64_t *stride)
{
    int64_t n;
    int m = map_of(q, stride, &n);
    return knk_load(q->b, buffer_of(q, d, false, n), m, KNK_NONE, KNK_NONE, KNK_NONE);
}

static int store(problem *q, knk_node x, const int64_t *stride)
{
    int64_t n;
    int m = map_of(q, stride, &n), b = buffer_of(q, knk_dtype(q->b, x), true, n);
    knk_store(q->b, b, m, x);
    return b;
}

static void end(problem *q)
{
    knx_error *e = knk_finish(q->b, &q->k);
    if (e)
        fail_msg("%s", e->message);
    for (int s = 0; s <= q->stage; s++)
        q->inner_of[s] = q->inner[s];
}

static void release(problem *q)
{
    for (int b = 0; b < q->n_buffer; b++)
        if (q->same_as[b] == b)
            free(q->data[b]);
    knk_release(q->k);
}

/* Running and comparing. */
static bool equal(int dtype, const char *a, const char *b)
{
    int size = knx_dtype_table[dtype].size;
    if (!memcmp(a, b, (size_t)size))
        return true;
    float f, g;
    double x, y;
    uint16_t h, i;
    switch (dtype) {
    case KN_ID_F32: memcpy(&f, a, 4), memcpy(&g, b, 4); return f != f && g != g;
    case KN_ID_F64: memcpy(&x, a, 8), memcpy(&y, b, 8); return x != x && y != y;
    case KN_ID_F16: memcpy(&h, a, 2), memcpy(&i, b, 2); return isnan(knx_f16_to_f32(h)) && isnan(knx_f16_to_f32(i));
    case KN_ID_BF16: memcpy(&h, a, 2), memcpy(&i, b, 2); return isnan(knx_bf16_to_f32(h)) && isnan(knx_bf16_to_f32(i));
    default: return false;
    }
}

/* Buffers begin at a multiple of 64, or so many bytes behind one. */
static int shift;

static void copies(const problem *q, char **data)
{
    for (int b = 0; b < q->n_buffer; b++) {
        if (q->same_as[b] != b) {
            data[b] = data[q->same_as[b]];
            continue;
        }
        data[b] = (char *)aligned_alloc(64, (q->bytes[b] + 127) / 64 * 64) + shift;
        memcpy(data[b], q->data[b], q->bytes[b]);
    }
}

static void free_copies(const problem *q, char **data)
{
    for (int b = 0; b < q->n_buffer; b++)
        if (q->same_as[b] == b)
            free(data[b] - shift);
}

static knk_launch launch_of(const problem *q, char **data)
{
    return (knk_launch){(void *const *)data, q->map, q->par, q->inner_of};
}

static void expect_same(const problem *q, char **want, const knh_generator *g, int threads, const char *how)
{
    char *data[MOST_BUFFERS];
    copies(q, data);
    size_t bytes = any_scratch(q->k, threads);
    char *scratch = aligned_alloc(64, (bytes + 64 + 63) / 64 * 64);
    memset(scratch, 0xa5, bytes + 64);
    knk_launch l = launch_of(q, data);
    knh_run_on(g, q->k, &l, scratch, threads);
    for (int i = 0; i < 64; i++)
        if ((uint8_t)scratch[bytes + (size_t)i] != 0xa5)
            fail_msg("%s: it writes beyond its scratch", how);
    free(scratch);
    const char *complaint = stage_reference_complaint();
    if (complaint)
        fail_msg("%s: %s", how, complaint);
    for (int b = 0; b < q->n_buffer; b++) {
        int d = q->k->buffer[b].dtype, size = knx_dtype_table[d].size;
        size_t n = memcmp(data[b], want[b], q->bytes[b]) ? q->bytes[b] / (size_t)size : 0;
        for (size_t i = 0; i < n; i++)
            if (!equal(d, data[b] + i * (size_t)size, want[b] + i * (size_t)size)) {
                char *text = NULL;
                knk_text(q->k, &text);
                fail_msg("%s, %s, %d threads, mode %d lane %d turn %d points %d repeat %d wide %d: buffer %d "
                         "element %zu "
                         "of %zu\n%s",
                         how, g->name, threads, knh_tune.mode, knh_tune.lane, knh_tune.turn, (int)knh_tune.points,
                         knh_tune.repeat, knh_tune.wide, b, i, n, text);
            }
    }
    free_copies(q, data);
}

static const knh_tuning usual = KNH_USUAL_TUNING;

static void expect_right_on(const problem *q, char **want, const knh_generator *g, const char *how, int rounds)
{
    static const int threads[] = {1, 2, 3, 7};
    knh_tune = usual;
    for (int t = 0; t < 2; t++)
        expect_same(q, want, g, threads[t], how);
    knh_tune.split_ns = 0; /* everything is cut */
    for (int t = 0; t < 4; t++)
        expect_same(q, want, g, threads[t], how);
    for (int i = 0; i < rounds; i++) {
        static const int64_t points[] = {0, 0, 1, 7, 100};
        knh_tune = (knh_tuning){.mode = below(5) - 1,
                                .lane = below(5) - 1,
                                .turn = below(3) - 1,
                                .points = points[below(5)],
                                .split_ns = below(3) ? 0 : 50e3,
                                .bypass_bytes = below(2) ? 0 : 16 << 20,
                                .repeat = below(3) - 1,
                                .weave = below(3) - 1,
                                .wide = below(3) - 1};
        int before = shift;
        shift = below(3) ? 0 : 8 * below(8);
        expect_same(q, want, g, threads[below(4)], how);
        shift = before;
    }
    knh_tune = usual;
}

#ifdef NDEBUG
enum { SLOW_BUILD = 0 };
#else
enum { SLOW_BUILD = 1 };
#endif
static bool thorough(void) { return getenv("KILN_TEST_LONG") != NULL; }

/* With so many random choices of how to run it; half of them in short tests, one where the build is slow. */
static void expect_right(problem *q, const char *how, int rounds)
{
    if (!thorough() && rounds < 100)
        rounds = SLOW_BUILD ? 1 : (rounds + 1) / 2;
    char *want[MOST_BUFFERS];
    copies(q, want);
    char *scratch = aligned_alloc(64, (interpreter_scratch(q->k) + 63) / 64 * 64);
    knk_launch l = launch_of(q, want);
    knk_interpret(q->k, &l, scratch);
    free(scratch);
    uint64_t before = knh_count().fallbacks;
    const knh_generator *g;
    for (int i = 0; (g = knh_generator_number(i)); i++)
        if (g->make && knh_generator_works(g))
            expect_right_on(q, want, g, how, rounds);
    expect_right_on(q, want, &stage_reference, how, rounds);
    if (knh_count().fallbacks != before)
        fail_msg("%s: the interpreter ran it", how);
    free_copies(q, want);
    release(q);
}

/* Random launches. */
static const uint8_t dtypes[] = {KN_ID_F32, KN_ID_F32, KN_ID_F64, KN_ID_I32, KN_ID_I64, KN_ID_U8, KN_ID_I16};

/* Strides of an array whose axes lie in some order, with gaps, backwards, some axes equal. `own`: every point has its
 * own element. */
static void random_strides(const problem *q, bool own, int64_t *stride)
{
    int order[MOST_DIMS], n = loops(q);
    int64_t run = 1;
    for (int i = 0; i < n; i++)
        order[i] = n - 1 - i;
    for (int i = below(3) ? 0 : n - 1; i > 0; i--) {
        int j = below(i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    bool gaps = below(3) == 0, backwards = below(4) == 0;
    for (int i = 0; i < n; i++) {
        int d = order[i];
        if (!own && below(6) == 0) {
            stride[d] = 0;
            continue;
        }
        if (gaps && below(3) == 0)
            run = run * 2 + below(3);
        stride[d] = backwards && below(2) ? -run : run;
        run *= extent(q, d) > 1 ? extent(q, d) : 1;
    }
}

static knk_node convert(problem *q, knk_node x, int d)
{
    return (int)knk_dtype(q->b, x) == d ? x : knk_cast(q->b, (knx_dtype_id)d, x);
}

static knk_node join_all(problem *q, const knk_node *x, int n, int d)
{
    knk_node y = convert(q, x[0], d);
    for (int i = 1; i < n; i++)
        y = knk_binary(q->b, below(3) ? KNK_ADD : KNK_MUL, y, convert(q, x[i], d));
    return y;
}

static void random_stage(problem *q, knk_node *kept, int *n_kept, bool last)
{
    knk_node x[16];
    int n = 0, n_load = 1 + below(3), own_map = -1, own_buffer = -1;
    for (int i = 0; i < n_load; i++) {
        int64_t stride[MOST_DIMS], elements;
        bool own = i == 0 && below(2);
        random_strides(q, own, stride);
        int m = map_of(q, stride, &elements), b = buffer_of(q, dtypes[below(7)], false, elements);
        x[n++] = knk_load(q->b, b, m, KNK_NONE, KNK_NONE, KNK_NONE);
        if (own) {
            own_map = m;
            own_buffer = b;
        }
    }
    if (below(4) == 0) {
        int64_t stride[MOST_DIMS], elements;
        random_strides(q, false, stride);
        x[n++] = knk_index(q->b, map_of(q, stride, &elements));
    }
    for (int i = 0; i < *n_kept && n < 10; i++)
        if (below(3))
            x[n++] = kept[i];
    int d = dtypes[below(7)];
    knk_node y = join_all(q, x, n, d), new_kept[4];
    int n_new = 0;
    bool inner = q->n_inner[q->stage] > 0;
    for (int i = inner ? below(3) : 0; i > 0; i--) {
        int e = dtypes[below(7)], how = below(knk_is_float_id(e) ? 4 : 7);
        new_kept[n_new++] = knk_reduce(q->b, (knk_reduction)how, join_all(q, x, n, e));
    }
    if (!inner && !last)
        new_kept[n_new++] = join_all(q, x, n, dtypes[below(7)]);
    if (own_map >= 0 && below(2)) { /* in place */
        int e = q->b ? (int)knk_dtype(q->b, x[0]) : 0, b = knk_add_buffer(q->b, (knx_dtype_id)e, true);
        q->bytes[b] = q->bytes[own_buffer];
        q->data[b] = q->data[own_buffer];
        q->same_as[b] = own_buffer;
        q->n_buffer = b + 1;
        knk_store(q->b, b, own_map, convert(q, y, e));
    }
    for (int i = (inner && n_new && below(3)) || below(6) == 0 ? 0 : 1 + below(2); i > 0; i--) {
        int64_t stride[MOST_DIMS];
        random_strides(q, true, stride);
        store(q, y, stride);
    }
    for (int i = 0; i < n_new && *n_kept < 8; i++)
        kept[(*n_kept)++] = new_kept[i];
}

static void random_problem(problem *q, unsigned seed)
{
    static const int64_t extents[] = {1, 2, 3, 5, 16, 17, 64, 65, 130};
    state_ = seed * 2654435761u + 77;
    random32();
    int64_t par[MOST_DIMS], total = 1, inner[MOST_DIMS];
    int n_par = below(5), stages = 1 + below(3), n_kept = 0;
    for (int d = 0; d < n_par; d++) {
        par[d] = below(60) == 0 ? 0 : extents[below(9)];
        if (total * par[d] > 20000)
            par[d] = 2;
        total *= par[d] ? par[d] : 1;
    }
    begin(q, n_par, par);
    knk_node kept[8];
    for (int s = 0; s < stages; s++) {
        int n_inner = below(3) ? below(4) : 0;
        int64_t all = total;
        for (int d = 0; d < n_inner; d++) {
            inner[d] = below(40) == 0 ? 0 : below(3) ? extents[below(9)] : 1 + below(200);
            if (total < 4 && below(3) == 0)
                inner[d] = 16000 + below(20000);
            if (all * inner[d] > 60000)
                inner[d] = 2;
            all *= inner[d] ? inner[d] : 1;
        }
        stage(q, n_inner, inner);
        random_stage(q, kept, &n_kept, s + 1 == stages);
    }
    if (n_kept) { /* so that they are read */
        int64_t stride[MOST_DIMS];
        stage(q, 0, NULL);
        random_strides(q, true, stride);
        store(q, join_all(q, kept, n_kept, KN_ID_F64), stride);
    }
    end(q);
}

/* One seed with many choices: the program's argument. */
static unsigned only_seed;
static void test_one_seed(void **unused)
{
    (void)unused;
    problem q;
    random_problem(&q, only_seed);
    expect_right(&q, "this seed", 300);
}

static void test_random_launches(void **unused)
{
    (void)unused;
    for (unsigned seed = 1; seed <= (thorough() ? 5000u : 150u) / (SLOW_BUILD ? 5 : 1); seed++) {
        problem q;
        char how[32];
        snprintf(how, sizeof how, "seed %u", seed);
        random_problem(&q, seed);
        expect_right(&q, how, 6);
    }
    assert_int_equal(stage_reference_live(), 0);
}

/* Kernels that people write. */
enum { ROWS_FIRST, COLUMNS_FIRST };

/* max, then exp(x - max) and its sum, then the quotient: three stages over one row. */
static void softmax(problem *q, int64_t rows, int64_t n, int order, bool in_place)
{
    const int64_t across[2] = {order == ROWS_FIRST ? n : 1, order == ROWS_FIRST ? 1 : rows};
    begin(q, 1, &rows);
    stage(q, 1, &n);
    int64_t elements;
    int x_map = map_of(q, across, &elements), x = buffer_of(q, KN_ID_F32, false, elements);
    knk_node most = knk_reduce(q->b, KNK_RED_MAX, knk_load(q->b, x, x_map, KNK_NONE, KNK_NONE, KNK_NONE));
    stage(q, 1, &n);
    knk_node e =
        knk_exp(q->b, knk_binary(q->b, KNK_SUB, knk_load(q->b, x, map_of(q, across, &elements), -1, -1, -1), most));
    knk_node sum = knk_reduce(q->b, KNK_RED_ADD, e);
    int y = store(q, e, across);
    stage(q, 1, &n);
    int y_map = map_of(q, across, &elements);
    knk_node part = knk_binary(q->b, KNK_DIV, knk_load(q->b, y, y_map, -1, -1, -1), sum);
    if (in_place)
        knk_store(q->b, y, y_map, part);
    else
        store(q, part, across);
    end(q);
}

static void test_softmax_by_rows_and_by_columns(void **unused)
{
    (void)unused;
    static const int64_t shape[][2] = {{1, 1}, {3, 10}, {700, 10}, {40, 1024}, {2, 40000}, {130, 65}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int order = 0; order < 4; order++) {
            problem q;
            softmax(&q, shape[i][0], shape[i][1], order & 1, order & 2);
            expect_right(&q, "softmax", 8);
        }
}

/* mean, then the mean of the squared distances from it */
static void test_variance(void **unused)
{
    (void)unused;
    static const int64_t shape[][2] = {{1, 50000}, {300, 33}, {33, 300}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        problem q;
        const int64_t rows = shape[i][0], n = shape[i][1], across[2] = {n, 1};
        begin(&q, 1, &rows);
        stage(&q, 1, &n);
        int64_t elements;
        int m = map_of(&q, across, &elements), x = buffer_of(&q, KN_ID_F64, false, elements);
        knk_node sum = knk_reduce(q.b, KNK_RED_ADD, knk_load(q.b, x, m, -1, -1, -1));
        stage(&q, 0, NULL);
        knk_node mean = knk_binary(q.b, KNK_DIV, sum, knk_const_double(q.b, KN_ID_F64, (double)n));
        stage(&q, 1, &n);
        knk_node d = knk_binary(q.b, KNK_SUB, knk_load(q.b, x, map_of(&q, across, &elements), -1, -1, -1), mean);
        knk_node squares = knk_reduce(q.b, KNK_RED_ADD, knk_binary(q.b, KNK_MUL, d, d));
        stage(&q, 0, NULL);
        store(&q, knk_binary(q.b, KNK_DIV, squares, knk_const_double(q.b, KN_ID_F64, (double)n)), (int64_t[]){1});
        end(&q);
        expect_right(&q, "variance", 10);
    }
}

/* Reductions over leading, trailing, middle and separate axes, and over several blocks. */
static void reduction(int n_par, const int64_t *par, int n_inner, const int64_t *inner, const int64_t *stride,
                      const int64_t *to, const char *how)
{
    static const uint8_t dtype[] = {KN_ID_F32, KN_ID_F64, KN_ID_I16, KN_ID_BOOL};
    for (int i = 0; i < 4; i++) {
        problem q;
        begin(&q, n_par, par);
        stage(&q, n_inner, inner);
        knk_node x = load(&q, dtype[i], stride), sum = knk_reduce(q.b, KNK_RED_ADD, x),
                 most = knk_reduce(q.b, KNK_RED_MAX, x);
        stage(&q, 0, NULL);
        store(&q, sum, to);
        store(&q, most, to);
        end(&q);
        expect_right(&q, how, 4);
    }
}

static void test_reductions_over_some_axes(void **unused)
{
    (void)unused;
    reduction(1, (int64_t[]){70}, 1, (int64_t[]){300}, (int64_t[]){300, 1}, (int64_t[]){1}, "trailing");
    reduction(1, (int64_t[]){300}, 1, (int64_t[]){130}, (int64_t[]){1, 300}, (int64_t[]){1}, "leading");
    reduction(1, (int64_t[]){9000}, 1, (int64_t[]){3}, (int64_t[]){1, 9000}, (int64_t[]){1}, "leading, few");
    reduction(1, (int64_t[]){9000}, 1, (int64_t[]){1}, (int64_t[]){1, 9000}, (int64_t[]){1}, "one");
    reduction(2, (int64_t[]){5, 40}, 1, (int64_t[]){70}, (int64_t[]){2800, 1, 40}, (int64_t[]){40, 1}, "middle");
    reduction(1, (int64_t[]){7}, 2, (int64_t[]){40, 33}, (int64_t[]){33, 231, 1}, (int64_t[]){1}, "separate");
    reduction(1, (int64_t[]){6}, 2, (int64_t[]){400, 90}, (int64_t[]){90, 540, 1}, (int64_t[]){1}, "separate, long");
    reduction(0, NULL, 2, (int64_t[]){500, 70}, (int64_t[]){1, 500}, NULL, "all, across");
    reduction(1, (int64_t[]){3}, 3, (int64_t[]){3, 5, 7}, (int64_t[]){0, 70, 7, 1}, (int64_t[]){1}, "with gaps");
    reduction(1, (int64_t[]){5}, 1, (int64_t[]){0}, (int64_t[]){1, 1}, (int64_t[]){1}, "nothing");
}

/* Many columns of few and of many rows, beside each other or not; a lane of -0 alone gives +0 in every way. */
static void columns(int64_t lanes, int64_t n, int64_t apart, bool widened)
{
    problem q;
    begin(&q, 1, &lanes);
    stage(&q, 1, &n);
    knk_node x = load(&q, widened ? KN_ID_F32 : KN_ID_F64, (int64_t[]){1, apart});
    knk_node sum = knk_reduce(q.b, KNK_RED_ADD, widened ? knk_cast(q.b, KN_ID_F64, x) : x);
    stage(&q, 0, NULL);
    store(&q, sum, (int64_t[]){1});
    end(&q);
    for (int64_t i = 0; i < n && !widened; i++)
        ((double *)q.data[0])[i * apart] = -0.0;
    expect_right(&q, "columns", 1);
}

static void test_columns(void **unused)
{
    (void)unused;
    static const int64_t n[] = {9, 15, 17, 33, 63, 64, 65, 130, 511, 512, 600}, lanes[] = {100, 530, 260, 257};
    for (size_t i = 0; i < 4 * sizeof n / sizeof *n; i++)
        columns(lanes[i & 3], n[i / 4], lanes[i & 3] + 3 * (i & 1), i & 2);
    reduction(1, (int64_t[]){1100}, 1, (int64_t[]){70}, (int64_t[]){1, 1103}, (int64_t[]){1}, "columns, two results");
}

static void test_reductions_over_blocks(void **unused)
{
    (void)unused;
    static const int64_t n[] = {16384, 16385, 32768, 5 * 16384, 7 * 16384 + 1, 64 * 16384 + 5, 200000};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        reduction(0, NULL, 1, &n[i], (int64_t[]){1}, NULL, "one sum");
        if (n[i] < 100000) {
            reduction(1, (int64_t[]){3}, 1, &n[i], (int64_t[]){n[i], 1}, (int64_t[]){1}, "three sums");
            reduction(1, (int64_t[]){5}, 1, &n[i], (int64_t[]){1, 5}, (int64_t[]){1}, "five columns");
        }
    }
}

/* Extents and strides that are not in order: turned, with both edges of blocks. */
static void test_transposed_operands(void **unused)
{
    (void)unused;
    static const uint8_t dtype[] = {KN_ID_U8, KN_ID_BF16, KN_ID_F32, KN_ID_F64};
    static const int64_t shape[][2] = {{64, 64}, {65, 130}, {16, 16}, {7, 200}, {200, 9}, {129, 257}};
    for (int i = 0; i < 4; i++)
        for (size_t j = 0; j < sizeof shape / sizeof *shape; j++) {
            problem q;
            const int64_t *s = shape[j], straight[2] = {s[1], 1}, across[2] = {1, s[0]};
            begin(&q, 2, s);
            stage(&q, 0, NULL);
            store(&q, load(&q, dtype[i], across), straight);
            end(&q);
            expect_right(&q, "transpose", 6);
            if (dtype[i] == KN_ID_BF16)
                continue;
            begin(&q, 2, s);
            stage(&q, 0, NULL);
            knk_node x = load(&q, dtype[i], across), y = load(&q, dtype[i], straight), z = load(&q, dtype[i], across);
            knk_node sum = knk_binary(q.b, KNK_MAX, knk_binary(q.b, KNK_MAX, x, y), z);
            store(&q, sum, straight);
            store(&q, sum, across);
            end(&q);
            expect_right(&q, "sum with a transposed operand", 6);
        }
}

/* A transposed operand that is padded: what the predicate excludes is not in memory. */
static void test_predicated_loads_are_not_turned(void **unused)
{
    (void)unused;
    problem q;
    const int64_t s[2] = {100, 90};
    begin(&q, 2, s);
    stage(&q, 0, NULL);
    int64_t n;
    int row = map_of(&q, (int64_t[]){1, 0}, &n), m = map_of(&q, (int64_t[]){1, 100}, &n);
    knk_node p = knk_binary(q.b, KNK_LT, knk_index(q.b, row), knk_const_int(q.b, KN_ID_I64, 3));
    int b = buffer_of(&q, KN_ID_F32, false, 89 * 100 + 3); /* ends with the last row's third element */
    store(&q, knk_load(q.b, b, m, KNK_NONE, p, knk_const_double(q.b, KN_ID_F32, 7)), (int64_t[]){90, 1});
    end(&q);
    expect_right(&q, "padded", 10);
}

/* Short rows one behind the other, with operands that are the same for all rows: in order, backwards, one number; and a
 * third axis along which everything changes. */
static void test_rows_that_are_shorter_than_a_vector(void **unused)
{
    (void)unused;
    static const struct {
        int64_t rows, n;
    } shape[] = {{1, 3}, {2, 2}, {50, 3}, {1000, 3}, {5000, 2}, {300, 17}, {70, 256}, {4099, 4}, {9, 300}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int how = 0; how < 4; how++) {
            problem q;
            int64_t rows = shape[i].rows, n = shape[i].n, s[3] = {3, rows, n};
            int three = how == 3;
            begin(&q, 2 + three, s + !three);
            stage(&q, 0, NULL);
            const int64_t whole[] = {rows * n, n, 1},
                          same[] = {n, 0,
                                    how == 1   ? -1
                                    : how == 2 ? 2
                                               : 1},
                          one[] = {1, 0, 0};
            knk_node x = load(&q, KN_ID_F32, whole + !three), y = load(&q, KN_ID_F32, same + !three),
                     z = load(&q, KN_ID_F32, one + !three);
            store(&q, knk_binary(q.b, KNK_ADD, knk_binary(q.b, KNK_MUL, x, y), z), whole + !three);
            end(&q);
            expect_right(&q, "short rows", 8);
        }
}

/* An index that is the same for all lanes, which are those of 32 bits. */
static void test_a_place_that_all_lanes_share(void **unused)
{
    (void)unused;
    static const int element[] = {KN_ID_F32, KN_ID_F64, KN_ID_I32, KN_ID_U8, KN_ID_BOOL};
    for (size_t i = 0; i < sizeof element / sizeof *element; i++) {
        problem q;
        int64_t n = 100, elements;
        begin(&q, 1, &n);
        stage(&q, 0, NULL);
        int at = buffer_of(&q, KN_ID_I64, false, 1), m = map_of(&q, (int64_t[]){0}, &elements);
        ((int64_t *)(void *)q.data[at])[0] = 5;
        knk_node index = knk_load(q.b, at, m, KNK_NONE, KNK_NONE, KNK_NONE);
        knk_node x = knk_load(q.b, buffer_of(&q, element[i], false, 9), m, index, KNK_NONE, KNK_NONE);
        knk_node y = load(&q, element[i], (int64_t[]){1});
        store(&q, element[i] == KN_ID_BOOL ? knk_binary(q.b, KNK_XOR, x, y) : knk_binary(q.b, KNK_MAX, x, y),
              (int64_t[]){1});
        end(&q);
        expect_right(&q, "one place", 4);
    }
}

/* Elements that lie far apart, forwards and backwards. */
static void test_far_strides(void **unused)
{
    (void)unused;
    problem q;
    const int64_t s[2] = {3, 70}, far = 1 << 20;
    begin(&q, 2, s);
    stage(&q, 0, NULL);
    knk_node x = load(&q, KN_ID_U8, (int64_t[]){far, -1}), y = load(&q, KN_ID_U8, (int64_t[]){1, -far / 64});
    store(&q, knk_binary(q.b, KNK_XOR, x, y), (int64_t[]){-far, 3});
    end(&q);
    expect_right(&q, "far strides", 20);
}

static void scaled_sum(problem *q, int64_t n)
{
    begin(q, 1, &n);
    stage(q, 0, NULL);
    knk_node x = load(q, KN_ID_F32, (int64_t[]){1}), y = load(q, KN_ID_F32, (int64_t[]){1});
    store(q, knk_binary(q->b, KNK_ADD, knk_binary(q->b, KNK_MUL, x, y), x), (int64_t[]){1});
    end(q);
}

/* One plan serves launches with other addresses, and any number of threads. */
static void test_a_prepared_launch_runs_with_other_addresses(void **unused)
{
    (void)unused;
    static const int64_t n[] = {1, 10, 1000, 300001};
    for (size_t i = 0; i < sizeof n / sizeof *n && knh_generator_best() != &knh_interpreter; i++) {
        problem q;
        scaled_sum(&q, n[i]);
        void *room = malloc(knh_plan_bytes(q.k));
        char *want[MOST_BUFFERS], *data[MOST_BUFFERS];
        copies(&q, want);
        knk_launch l = launch_of(&q, want);
        void *scratch = aligned_alloc(64, (interpreter_scratch(q.k) + 63) / 64 * 64);
        knk_interpret(q.k, &l, scratch);
        free(scratch);
        knh_tune.bypass_bytes = 0;
        const knh_prepared *p = NULL;
        assert_null(knh_prepare_in(room, q.k, &l, NULL, &p));
        knh_tune = usual;
        assert_non_null(p);
        for (int threads = 1; threads < 4; threads++)
            for (int by = 0; by <= 64; by += 4) {
                int before = shift;
                shift = by > 56 ? 0 : by;
                copies(&q, data);
                l = launch_of(&q, data);
                scratch = aligned_alloc(64, (knh_prepared_scratch(p, threads) + 64) / 64 * 64);
                knh_run_prepared(p, &l, scratch, threads);
                for (int64_t e = 0; e < n[i]; e++)
                    assert_true(equal(KN_ID_F32, data[2] + 4 * e, want[2] + 4 * e));
                free(scratch);
                free_copies(&q, data);
                shift = before;
            }
        free_copies(&q, want);
        release(&q);
        free(room);
    }
}

/* What cannot be made is interpreted, and counted; what lacked memory is made the next time. */
static knx_error *refuses(const knh_generator *g, const knh_request *r, knh_function **out, void **keep)
{
    (void)g, (void)r, (void)out, (void)keep;
    return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "not this one");
}
static int starved;
static knx_error *has_no_memory_at_times(const knh_generator *g, const knh_request *r, knh_function **out, void **keep)
{
    return starved ? knx_error_nomem() : stage_reference.make(g, r, out, keep);
}
static void drop_reference(void *keep) { stage_reference.drop(keep); }

static void test_what_can_not_be_made_is_interpreted(void **unused)
{
    (void)unused;
    static const knh_generator no = {.name = "none", .make = refuses, .lanes = 16},
                               poor = {
                                   .name = "poor", .make = has_no_memory_at_times, .drop = drop_reference, .lanes = 16};
    problem q;
    scaled_sum(&q, 100);
    char *want[MOST_BUFFERS];
    copies(&q, want);
    knk_launch l = launch_of(&q, want);
    void *scratch = aligned_alloc(64, (interpreter_scratch(q.k) + 63) / 64 * 64);
    knk_interpret(q.k, &l, scratch);
    free(scratch);
    uint64_t before = knh_count().fallbacks;
    starved = 1;
    expect_same(&q, want, &poor, 1, "no memory");
    assert_int_equal(knh_count().fallbacks, before + 1);
    starved = 0;
    expect_same(&q, want, &poor, 1, "memory again");
    assert_int_equal(knh_count().fallbacks, before + 1);
    expect_same(&q, want, &no, 1, "refused");
    expect_same(&q, want, &no, 1, "refused");
    assert_int_equal(knh_count().fallbacks, before + 3);
    free_copies(&q, want);
    release(&q);
}

static int tear_down(void **state)
{
    (void)state;
    knx_pool_stop();
    return 0;
}

KN_TEST_GROUP(test_codegen_drive)
{
    const struct CMUnitTest one[] = {cmocka_unit_test(test_one_seed)};
    if (argc > 1) {
        only_seed = (unsigned)atoi(argv[1]);
        return cmocka_run_group_tests(one, NULL, tear_down);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_that_are_shorter_than_a_vector),
        cmocka_unit_test(test_a_place_that_all_lanes_share),
        cmocka_unit_test(test_far_strides),
        cmocka_unit_test(test_a_prepared_launch_runs_with_other_addresses),
        cmocka_unit_test(test_what_can_not_be_made_is_interpreted),
        cmocka_unit_test(test_transposed_operands),
        cmocka_unit_test(test_predicated_loads_are_not_turned),
        cmocka_unit_test(test_reductions_over_some_axes),
        cmocka_unit_test(test_softmax_by_rows_and_by_columns),
        cmocka_unit_test(test_variance),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_reductions_over_blocks),
        cmocka_unit_test(test_random_launches),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
