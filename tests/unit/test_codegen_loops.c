/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_loops.c -- stages with loops as machine code, bit for bit against a reference that takes one point after
 * the other and one turn after the other: all kinds of loops, numbers of points and turns, threads; random programs. */
#include "codegen/native.h"
#include "kernel/expr.h"
#include "kernel/internal.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { Z = KNK_STRIDE_ZERO, U = KNK_STRIDE_ONE, ANY = KNK_STRIDE_ANY, MOST_MAPS = 128, MOST_BUFFERS = 128, MOST_DIMS = 16 };

static uint64_t seed_;
static uint32_t random32(void)
{
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed_ >> 33) ^ (uint32_t)(seed_ >> 50);
}
static int below(int n) { return (int)(random32() % (uint32_t)n); }

/* The numbers of a launch and its memory. */
typedef struct problem {
    const knk_kernel *k;
    int64_t par[MOST_DIMS], inner[MOST_DIMS], stride[MOST_MAPS][MOST_DIMS];
    const int64_t *inner_of[4];
    knk_map_values map[MOST_MAPS];
    size_t bytes[MOST_BUFFERS];
    void *data[MOST_BUFFERS];
} problem;

static void fill(void *data, int d, size_t bytes)
{
    int size = knk_size(d);
    for (size_t i = 0; i + (size_t)size <= bytes; i += (size_t)size) {
        double v = (double)(int32_t)random32() / 1e9;
        float f = (float)v;
        uint64_t bits = (uint64_t)(int64_t)(below(2000) - 1000);
        if (d == KN_ID_BOOL)
            bits = random32() & 1;
        else if (d == KN_ID_F16)
            bits = 0x3800 + random32() % 0x800;
        else if (d == KN_ID_BF16)
            bits = 0x3f00 + random32() % 0x100;
        memcpy((char *)data + i, d == KN_ID_F32 ? (void *)&f : d == KN_ID_F64 ? (void *)&v : (void *)&bits, (size_t)size);
    }
}

/* Maps without gaps, the innermost index the one of class ONE, and memory for them. par, loops: extents; one stage with
 * loops; of others there is one inner extent of 5 if they have one. */
static void lay_out(problem *q, const knk_kernel *k, const int64_t *par, const int64_t *loops)
{
    static const int64_t five[MOST_DIMS] = {5, 5};
    memset(q, 0, sizeof *q);
    q->k = k;
    memcpy(q->par, par, (size_t)k->n_par * sizeof *par);
    assert_true(k->n_map <= MOST_MAPS && k->n_buffer <= MOST_BUFFERS);
    int64_t elements[MOST_BUFFERS] = {0};
    for (int s = 0; s < k->n_stage; s++)
        q->inner_of[s] = k->stage[s].n_loop ? loops : five;
    for (int m = 0; m < k->n_map; m++) {
        int n = knk_map_loops(k, m);
        int64_t size = 1;
        for (int pass = 0; pass < 2; pass++)
            for (int d = n - 1; d >= 0; d--) {
                int64_t extent = d < k->n_par ? par[d] : q->inner_of[k->map[m].stage][d - k->n_par];
                bool one = k->map[m].cls[d] == KNK_STRIDE_ONE;
                if (k->map[m].cls[d] == KNK_STRIDE_ZERO || one != !pass)
                    continue;
                q->stride[m][d] = one ? 1 : size == 1 ? 2 : size;
                size += q->stride[m][d] * (extent > 0 ? extent - 1 : 0) + !one;
            }
        q->map[m].stride = q->stride[m];
        for (int i = 0; i < k->n_node; i++)
            if ((k->node[i].op == KNK_LOAD || k->node[i].op == KNK_STORE) && k->node[i].map == m) {
                int64_t room = size + (k->node[i].op == KNK_LOAD && k->node[i].a >= 0 ? 64 : 0);
                int b = k->node[i].buffer;
                elements[b] = room > elements[b] ? room : elements[b];
            }
    }
    for (int b = 0; b < k->n_buffer; b++) {
        q->bytes[b] = (size_t)elements[b] * (size_t)knk_size(knk_memory_dtype((kn_dtype_id)k->buffer[b].dtype));
        q->data[b] = aligned_alloc(64, (q->bytes[b] + 128) & ~(size_t)63);
        fill(q->data[b], (int)knk_memory_dtype((kn_dtype_id)k->buffer[b].dtype), q->bytes[b]);
    }
}

static void release(problem *q)
{
    for (int b = 0; b < q->k->n_buffer; b++)
        free(q->data[b]);
}

/* The reference: one point. */
typedef struct walker {
    const problem *q;
    void *const *data;
    int64_t index[MOST_DIMS], turn[MOST_DIMS];
    uint64_t *value, *next;
} walker;

static int64_t at_map(const walker *w, int m)
{
    const knk_kernel *k = w->q->k;
    int64_t at = w->q->map[m].offset;
    for (int d = 0; d < knk_map_loops(k, m); d++)
        at += w->q->stride[m][d] * (d < k->n_par ? w->index[d] : w->turn[d - k->n_par]);
    return at;
}

static void one_node(walker *w, int i)
{
    const knk_kernel *k = w->q->k;
    const knk_inst *n = &k->node[i];
    uint64_t *v = w->value;
    int size = knk_size(n->dtype);
    if (n->op == KNK_CONST) {
        v[i] = n->imm;
    } else if (n->op == KNK_INDEX) {
        v[i] = (uint64_t)at_map(w, n->map);
    } else if (n->op == KNK_LOAD) {
        v[i] = n->c >= 0 ? v[n->c] : 0;
        if (n->b < 0 || v[n->b] & 1)
            memcpy(&v[i], (char *)w->data[n->buffer] + (at_map(w, n->map) + (n->a >= 0 ? (int64_t)v[n->a] : 0)) * size,
                   (size_t)size);
    } else if (n->op == KNK_STORE) {
        size = knk_size(k->node[n->a].dtype);
        memcpy((char *)w->data[n->buffer] + at_map(w, n->map) * size, &v[n->a], (size_t)size);
    } else if (n->op == KNK_LAST || n->op == KNK_BITCAST) {
        v[i] = v[n->a];
    } else {
        int row = n->op == KNK_CAST ? KNK_LOOP_OPS + k->node[n->a].dtype : n->op;
        int dtype = n->op == KNK_SELECT || n->op == KNK_CAST ? n->dtype : k->node[n->a].dtype;
        uint64_t d[16] = {0}, x[3][16] = {{0}};
        for (int j = 0; j < 3; j++)
            if (knk_operand(n, j) >= 0)
                x[j][0] = v[knk_operand(n, j)];
        knk_isa_base.loop[row][dtype][0](d, x[0], x[1], x[2], 1);
        v[i] = d[0];
    }
}

/* Nodes from `i` on to the end of the stage or of the loop that they lie in; false: a condition was false. */
static bool walk(walker *w, int i, int end)
{
    const knk_kernel *k = w->q->k;
    for (; i < end; i++) {
        const knk_inst *n = &k->node[i];
        if (n->op == KNK_WHILE && !(w->value[n->a] & 1))
            return false;
        if (n->op == KNK_NEXT)
            w->next[n->a] = w->value[n->b];
        if (n->op != KNK_LOOP) {
            if (!knk_is_loop_op(n->op) || n->op == KNK_LAST)
                one_node(w, i);
            continue;
        }
        int last = i + 1, first = i + 1;
        while (!(k->node[last].op == KNK_END && k->node[last].sub == n->sub))
            last++;
        for (; k->node[first].op == KNK_CARRY && k->node[first].sub == n->sub; first++)
            w->value[first] = w->value[k->node[first].a];
        for (int64_t t = 0; t < w->q->inner_of[n->stage][n->sub]; t++) {
            w->turn[n->sub] = t;
            if (!walk(w, first, last))
                break;
            for (int c = i + 1; c < first; c++)
                w->value[c] = w->next[c];
        }
        w->turn[n->sub] = 0;
        i = last;
    }
    return true;
}

static void reference(const problem *q, void *const *data)
{
    const knk_kernel *k = q->k;
    walker w = {.q = q, .data = data};
    w.value = calloc((size_t)k->n_node + 1, sizeof *w.value);
    w.next = calloc((size_t)k->n_node + 1, sizeof *w.next);
    int64_t points = 1;
    for (int d = 0; d < k->n_par; d++)
        points *= q->par[d];
    for (int64_t p = 0; p < points; p++) {
        int64_t rest = p;
        for (int d = k->n_par - 1; d >= 0; d--) {
            w.index[d] = rest % q->par[d];
            rest /= q->par[d];
        }
        walk(&w, 0, k->n_node);
    }
    free(w.value);
    free(w.next);
}

/* Equal bits, NaNs being equal. */
static bool same_value(int d, const char *a, const char *b)
{
    int size = knk_size(d);
    if (!memcmp(a, b, (size_t)size))
        return true;
    float f[2];
    double g[2];
    if (d == KN_ID_F32) {
        memcpy(&f[0], a, 4);
        memcpy(&f[1], b, 4);
        return isnan(f[0]) && isnan(f[1]);
    }
    if (d != KN_ID_F64)
        return false;
    memcpy(&g[0], a, 8);
    memcpy(&g[1], b, 8);
    return isnan(g[0]) && isnan(g[1]);
}

static void expect_same(const problem *q, void *const *want, void *const *got, const char *what)
{
    for (int b = 0; b < q->k->n_buffer; b++) {
        int d = (int)knk_memory_dtype((kn_dtype_id)q->k->buffer[b].dtype), size = knk_size(d);
        for (size_t i = 0; i < q->bytes[b]; i += (size_t)size)
            if (!same_value(d, (char *)want[b] + i, (char *)got[b] + i)) {
                uint64_t x = 0, y = 0;
                char *text = NULL;
                memcpy(&x, (char *)want[b] + i, (size_t)size);
                memcpy(&y, (char *)got[b] + i, (size_t)size);
                if (!knk_text(q->k, &text))
                    fprintf(stderr, "%s", text);
                knx_free(text);
                fail_msg("%s: points %lld, turns %lld: buffer %d, element %zu: %llx, not %llx", what,
                         (long long)q->par[0], (long long)q->inner_of[0][0], b, i / (size_t)size, (unsigned long long)y,
                         (unsigned long long)x);
            }
    }
}

static void copy_data(const problem *q, void **to)
{
    for (int b = 0; b < q->k->n_buffer; b++) {
        to[b] = aligned_alloc(64, (q->bytes[b] + 128) & ~(size_t)63);
        memcpy(to[b], q->data[b], q->bytes[b]);
    }
}

static void run_backend(const problem *q, kng_backend b, int threads, void *const *want, const char *what)
{
    void *data[MOST_BUFFERS], *scratch = aligned_alloc(64, (kng_scratch_bytes(q->k, threads) + 127) & ~(size_t)63);
    copy_data(q, data);
    uint64_t before = kng_count().fallbacks;
    knk_launch l = {data, q->map, q->par, q->inner_of};
    kng_run_on(b, q->k, &l, scratch, threads);
    if (b != KNG_INTERPRETER)
        assert_int_equal(kng_count().fallbacks, before);
    expect_same(q, want, data, what);
    for (int i = 0; i < q->k->n_buffer; i++)
        free(data[i]);
    free(scratch);
}

static void check(const knk_kernel *k, const int64_t *par, const int64_t *loops, int threads)
{
    static const char *const name[] = {"interpreter", "avx2", "avx512"};
    problem q;
    void *want[MOST_BUFFERS];
    lay_out(&q, k, par, loops);
    copy_data(&q, want);
    reference(&q, want);
    for (int b = KNG_INTERPRETER; b <= KNG_NATIVE_AVX512; b++)
        if (kng_backend_works((kng_backend)b))
            run_backend(&q, (kng_backend)b, threads, want, name[b]);
    for (int b = 0; b < k->n_buffer; b++)
        free(want[b]);
    release(&q);
}

/* All numbers of points along the last parallel loop (others have 3) and of turns (inner loops have 3 at most). */
static void check_all(knk_kernel *k, int64_t most_turns)
{
    static const int64_t points[] = {0, 1, 3, 16, 17, 70, 1000}, turns[] = {0, 1, 2, 100};
    for (size_t p = 0; p < sizeof points / sizeof *points; p++)
        for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
            int64_t par[MOST_DIMS], loops[MOST_DIMS];
            for (int d = 0; d < MOST_DIMS; d++) {
                par[d] = d == k->n_par - 1 ? points[p] : points[p] == 1 ? 1 : 3;
                loops[d] = d && turns[t] > 3 ? 3 : turns[t];
            }
            if ((k->n_par || !p) && turns[t] <= most_turns)
                check(k, par, loops, 1 + (int)(p + t) % 3);
        }
    knk_release(k);
}

/* Building. */
static knk_kernel *finish(knk_builder *b)
{
    knk_kernel *k = NULL;
    kn_error *e = knk_finish(b, &k);
    if (e)
        fail_msg("%s", e->message);
    return k;
}

static knk_node load(knk_builder *k, int d, const uint8_t *cls, bool in_loop)
{
    int b = knk_add_buffer(k, (kn_dtype_id)d, false), m = in_loop ? knk_add_loop_map(k, cls) : knk_add_map(k, cls);
    return knk_load(k, b, m, KNK_NONE, KNK_NONE, KNK_NONE);
}

static void store(knk_builder *k, knk_node x, const uint8_t *cls, bool in_loop)
{
    int b = knk_add_buffer(k, knk_dtype(k, x), true), m = in_loop ? knk_add_loop_map(k, cls) : knk_add_map(k, cls);
    knk_store(k, b, m, x);
}

static knk_builder *begin(int n_par)
{
    knk_builder *k = knk_new(n_par);
    knk_begin_stage(k, 0);
    return k;
}

/* y[p, t] = x[p, 0] + .. + x[p, t]; both with the turns and the points innermost. */
static knk_kernel *sums(const uint8_t *cls, int n_par)
{
    knk_builder *k = begin(n_par);
    knk_loop_begin(k);
    knk_node s = knk_carry(k, F64(0.5)), next = ADD(s, load(k, KN_ID_F64, cls, true));
    store(k, next, cls, true);
    knk_next(k, s, next);
    knk_loop_end(k);
    return finish(k);
}

static void running_sums(void **state)
{
    (void)state;
    check_all(sums((uint8_t[]){U, ANY}, 1), 100);
    check_all(sums((uint8_t[]){ANY, U}, 1), 100);
    check_all(sums((uint8_t[]){U}, 0), 100);
    check_all(sums((uint8_t[]){ANY, U, ANY}, 2), 100);
}

static void the_last_value_of_a_carry(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_F32, (uint8_t[]){U}, false), y = load(k, KN_ID_F32, (uint8_t[]){ANY}, false);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, x), b = knk_carry(k, F32(1)), c = knk_carry(k, y);
    knk_next(k, a, FMA(a, F32(0.5), y));
    knk_next(k, b, ADD(b, a));
    knk_next(k, c, b);
    knk_loop_end(k);
    store(k, knk_last(k, a), (uint8_t[]){U}, false);
    store(k, SUB(knk_last(k, b), x), (uint8_t[]){ANY}, false);
    store(k, knk_last(k, c), (uint8_t[]){U}, false);
    check_all(finish(k), 100);
}

/* Carries that change places: their registers are read before they are written. */
static void carries_go_round(void **state)
{
    (void)state;
    for (int n = 2; n <= 40; n = n < 5 ? n + 1 : n * 2) {
        knk_builder *k = begin(1);
        knk_node x[40], c[40];
        for (int i = 0; i < n; i++)
            x[i] = load(k, KN_ID_F64, (uint8_t[]){U}, false);
        knk_loop_begin(k);
        for (int i = 0; i < n; i++)
            c[i] = knk_carry(k, x[i]);
        for (int i = 0; i < n; i++)
            knk_next(k, c[i], i % 4 == 3 ? ADD(c[(i + 1) % n], c[i]) : c[(i + 1) % n]);
        knk_loop_end(k);
        for (int i = 0; i < n; i++)
            store(k, knk_last(k, c[i]), (uint8_t[]){U}, false);
        check_all(finish(k), 100);
    }
}

/* A sum of products of all carries as the next value of each: nobody may see new values too early. */
static void many_carries_read_each_other(void **state)
{
    (void)state;
    for (int n = 3; n <= 40; n += 9) {
        knk_builder *k = begin(1);
        knk_node x[40], c[40];
        for (int i = 0; i < n; i++)
            x[i] = load(k, KN_ID_F32, (uint8_t[]){U}, false);
        knk_loop_begin(k);
        for (int i = 0; i < n; i++)
            c[i] = knk_carry(k, x[i]);
        for (int i = 0; i < n; i++) {
            knk_node sum = MUL(c[i], F32(0.25));
            for (int j = 0; j < n; j++)
                sum = FMA(c[j], F32(1.0 / (3 + i * j)), sum);
            knk_next(k, c[i], MIN(MAX(sum, F32(-100)), F32(100)));
        }
        knk_loop_end(k);
        for (int i = 0; i < n; i++)
            store(k, knk_last(k, c[i]), (uint8_t[]){U}, false);
        check_all(finish(k), 100);
    }
}

/* Newton's iteration until each point is exact enough: points take different numbers of turns. */
static knk_kernel *newton(int n_par, int d)
{
    knk_builder *k = begin(n_par);
    knk_node x = ABS(load(k, d, (uint8_t[]){U}, false));
    knk_loop_begin(k);
    knk_node y = knk_carry(k, x), n = knk_carry(k, I32(0));
    knk_while(k, LT(MUL(NUM(d, 1e-5), x), ABS(SUB(MUL(y, y), x))));
    knk_next(k, y, MUL(NUM(d, 0.5), ADD(y, DIV(x, y))));
    knk_next(k, n, ADD(n, I32(1)));
    knk_loop_end(k);
    store(k, knk_last(k, y), (uint8_t[]){U}, false);
    store(k, knk_last(k, n), (uint8_t[]){U}, false);
    return finish(k);
}

static void points_are_done_at_different_times(void **state)
{
    (void)state;
    check_all(newton(1, KN_ID_F32), 100);
    check_all(newton(1, KN_ID_F64), 100);
    check_all(newton(0, KN_ID_F64), 100);
    int64_t par[] = {100}, loops[] = {KNK_NO_LIMIT};
    knk_kernel *k = newton(1, KN_ID_F32);
    check(k, par, loops, 1);
    knk_release(k);
}

/* The condition asks for the turn's number: once false it must stay so. */
static void a_condition_that_comes_true_again(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_I64, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node n = knk_carry(k, I64(0));
    knk_node t = knk_index(k, knk_add_loop_map(k, (uint8_t[]){Z, U}));
    knk_while(k, NE(t, AND(x, I64(7))));
    knk_next(k, n, ADD(n, x));
    knk_loop_end(k);
    store(k, knk_last(k, n), (uint8_t[]){U}, false);
    check_all(finish(k), 100);
}

static void loops_in_loops(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_F32, (uint8_t[]){U}, false), y = load(k, KN_ID_F32, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, x), b = knk_carry(k, y);
    knk_node xt = load(k, KN_ID_F32, (uint8_t[]){U, ANY}, true);
    knk_loop_begin(k);
    knk_node c = knk_carry(k, xt), d = knk_carry(k, a);
    knk_node xs = load(k, KN_ID_F32, (uint8_t[]){U, ANY, ANY}, true), ys = load(k, KN_ID_F32, (uint8_t[]){Z, Z, U}, true);
    knk_node i = CAST(F32, knk_index(k, knk_add_loop_map(k, (uint8_t[]){U, ANY, ANY})));
    knk_next(k, c, FMA(c, F32(0.25), ADD(xs, b)));
    knk_next(k, d, ADD(d, MUL(ys, FMA(xt, i, y))));
    store(k, SUB(d, c), (uint8_t[]){U, ANY, ANY}, true);
    knk_loop_end(k);
    knk_node last = knk_last(k, d);
    knk_next(k, a, MUL(last, F32(0.125)));
    knk_next(k, b, SUB(knk_last(k, c), a));
    store(k, last, (uint8_t[]){ANY, U, Z}, true);
    knk_loop_end(k);
    store(k, knk_last(k, a), (uint8_t[]){U}, false);
    store(k, ADD(knk_last(k, b), x), (uint8_t[]){U}, false);
    check_all(finish(k), 100);
}

/* Eight loops in each other. */
static void deep_loops(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node carry[8], x = load(k, KN_ID_I32, (uint8_t[]){U}, false), sum = x;
    for (int i = 0; i < 8; i++) {
        knk_loop_begin(k);
        carry[i] = knk_carry(k, sum);
        sum = ADD(carry[i], I32(i + 1));
    }
    for (int i = 7; i >= 0; i--) {
        knk_next(k, carry[i], XOR(MUL(sum, I32(3)), carry[i]));
        knk_loop_end(k);
        sum = knk_last(k, carry[i]);
    }
    store(k, sum, (uint8_t[]){U}, false);
    check_all(finish(k), 2);
}

/* A condition in a condition: points that are done outside take no part inside, where they might go on for ever. */
static void conditions_in_conditions(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        knk_builder *k = begin(1);
        knk_node x = AND(load(k, KN_ID_I32, (uint8_t[]){U}, false), I32(31));
        knk_loop_begin(k);
        knk_node a = knk_carry(k, x), n = knk_carry(k, I32(0));
        knk_while(k, NE(a, I32(0)));
        knk_loop_begin(k);
        knk_node b = knk_carry(k, I32(0)), m = knk_carry(k, n);
        knk_while(k, NE(b, MUL(a, I32(2))));
        knk_next(k, b, ADD(b, a));
        knk_next(k, m, ADD(m, I32(1)));
        knk_loop_end(k);
        knk_next(k, a, SHR(a, I32(1)));
        knk_next(k, n, ADD(knk_last(k, m), limited ? knk_last(k, b) : I32(1)));
        knk_loop_end(k);
        store(k, knk_last(k, a), (uint8_t[]){U}, false);
        store(k, knk_last(k, n), (uint8_t[]){U}, false);
        knk_kernel *kernel = finish(k);
        int64_t par[] = {1000}, loops[] = {KNK_NO_LIMIT, limited ? 2 : KNK_NO_LIMIT};
        check(kernel, par, loops, 1);
        check_all(kernel, 100);
    }
}

/* The cold side of a select in a turn, of bits of it, and an expensive one after the loop. */
static void cold_sides_in_loops(void **state)
{
    (void)state;
    for (int d = KN_ID_F32; d <= KN_ID_F64; d++) {
        knk_builder *k = begin(1);
        knk_node x = load(k, d, (uint8_t[]){U}, false), q = knk_sin(k, x);
        knk_loop_begin(k);
        knk_node a = knk_carry(k, x), b = knk_carry(k, q);
        knk_node xt = load(k, d, (uint8_t[]){U, ANY}, true);
        knk_node far = LT(NUM(d, 2), ABS(xt));
        knk_node cold = MUL(knk_exp(k, NEG(ABS(xt))), ADD(a, q));
        knk_next(k, a, COLD(far, cold, ADD(a, xt)));
        knk_next(k, b, knk_sin(k, MUL(NUM(d, 3000), b)));
        store(k, knk_log(k, ADD(ABS(a), NUM(d, 1))), (uint8_t[]){U, ANY}, true);
        knk_loop_end(k);
        store(k, knk_last(k, a), (uint8_t[]){U}, false);
        store(k, COLD(LT(knk_last(k, b), NUM(d, 0)), knk_tanh(k, knk_last(k, b)), q), (uint8_t[]){U}, false);
        check_all(finish(k), 100);
    }
}

/* Operations without instructions: calls in turns. */
static void calls_in_loops(void **state)
{
    (void)state;
    for (int d = KN_ID_I64; d <= KN_ID_F64; d = d == KN_ID_I64 ? KN_ID_F64 : KN_ID_F64 + 1) {
        knk_builder *k = begin(1);
        knk_node x = load(k, d, (uint8_t[]){U}, false);
        knk_loop_begin(k);
        knk_node a = knk_carry(k, x), b = knk_carry(k, x);
        knk_node xt = load(k, d, (uint8_t[]){U, ANY}, true);
        knk_node rest = knk_binary(k, KNK_REM, ADD(a, xt), ADD(b, knk_const_double(k, (kn_dtype_id)d, 7)));
        knk_next(k, a, ADD(xt, rest));
        knk_next(k, b, a);
        store(k, rest, (uint8_t[]){U, ANY}, true);
        knk_loop_end(k);
        store(k, knk_last(k, b), (uint8_t[]){U}, false);
        check_all(finish(k), 100);
    }
}

/* Carries of every dtype, read, written and chosen from. */
static void every_dtype(void **state)
{
    (void)state;
    for (int d = 0; d < KN_ID_COUNT; d++) {
        if (d != KN_ID_BOOL && !knk_is_int_id(d) && !knk_is_float_id(d))
            continue;
        for (int until = 0; until < 2; until++) {
            knk_builder *k = begin(1);
            knk_node x = load(k, d, (uint8_t[]){U}, false), y = load(k, d, (uint8_t[]){ANY}, false);
            knk_node n = load(k, KN_ID_I32, (uint8_t[]){U}, false);
            knk_loop_begin(k);
            knk_node a = knk_carry(k, x), b = knk_carry(k, y), i = knk_carry(k, I32(0));
            if (until)
                knk_while(k, LE(i, AND(n, I32(15))));
            knk_node xt = until ? y : load(k, d, (uint8_t[]){U, ANY}, true);
            knk_node sum = ADD(a, xt), less = LT(a, b);
            knk_next(k, a, SELECT(less, sum, b));
            knk_next(k, b, MUL(a, b));
            knk_next(k, i, ADD(i, I32(1)));
            if (!until)
                store(k, sum, (uint8_t[]){U, ANY}, true);
            knk_loop_end(k);
            store(k, knk_last(k, a), (uint8_t[]){U}, false);
            store(k, knk_last(k, b), (uint8_t[]){ANY}, false);
            check_all(finish(k), 100);
        }
    }
}

/* Elements of tables at places that the carries say, and under predicates. */
static void tables_in_loops(void **state)
{
    (void)state;
    for (int d = 0; d < KN_ID_COUNT; d++) {
        if (d != KN_ID_BOOL && !knk_is_int_id(d) && !knk_is_float_id(d))
            continue;
        knk_builder *k = begin(1);
        int table = knk_add_buffer(k, (kn_dtype_id)d, false), other = knk_add_buffer(k, (kn_dtype_id)d, false);
        knk_node x = load(k, KN_ID_I64, (uint8_t[]){U}, false), y = load(k, d, (uint8_t[]){U}, false);
        knk_loop_begin(k);
        int zero = knk_add_loop_map(k, (uint8_t[]){Z, Z}), row = knk_add_loop_map(k, (uint8_t[]){U, ANY});
        knk_node a = knk_carry(k, x);
        knk_node at = AND(a, I64(63)), odd = EQ(AND(a, I64(1)), I64(1));
        knk_node v = knk_load(k, table, zero, at, KNK_NONE, KNK_NONE);
        knk_node w = knk_load(k, other, row, KNK_NONE, odd, y);
        knk_node u = knk_load(k, other, row, AND(a, I64(31)), odd, KNK_NONE);
        store(k, v, (uint8_t[]){U, ANY}, true);
        store(k, w, (uint8_t[]){U, ANY}, true);
        store(k, u, (uint8_t[]){ANY, U}, true);
        knk_next(k, a, ADD(MUL(a, I64(5)), I64(3)));
        knk_loop_end(k);
        store(k, knk_last(k, a), (uint8_t[]){U}, false);
        check_all(finish(k), 100);
    }
}

/* What a loop leaves is read by a later stage, and by a later loop. */
static void values_go_on_behind_loops(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_F64, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, x);
    knk_next(k, a, MUL(ADD(a, F64(1)), F64(0.75)));
    knk_loop_end(k);
    knk_node b = knk_last(k, a);
    knk_loop_begin(k);
    knk_node c = knk_carry(k, b), d = knk_carry(k, x);
    knk_next(k, c, SUB(MUL(d, F64(0.5)), b));
    knk_next(k, d, ADD(c, x));
    knk_loop_end(k);
    knk_node e = knk_last(k, c);
    store(k, ADD(e, b), (uint8_t[]){U}, false);
    knk_begin_stage(k, 0);
    store(k, ADD(MUL(e, e), x), (uint8_t[]){ANY}, false);
    check_all(finish(k), 100);
}

/* In place: what a turn stores is where it has loaded from. */
static void a_loop_in_place(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    int buffer = knk_add_buffer(k, KN_ID_F32, true);
    knk_loop_begin(k);
    int map = knk_add_loop_map(k, (uint8_t[]){U, ANY});
    knk_node a = knk_carry(k, F32(0)), xt = knk_load(k, buffer, map, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_next(k, a, ADD(xt, a));
    knk_store(k, buffer, map, SUB(xt, MUL(a, F32(0.5))));
    knk_loop_end(k);
    check_all(finish(k), 100);
}

/* Random programs: loops in each other and after each other, carries of all dtypes, whatever can be said about them. */
typedef struct maker {
    knk_builder *k;
    knk_node pool[400];
    uint8_t loop[400]; /* 0: outside of loops, else the depth at which the node was made */
    int n, depth, open, stride[8], turns;
    bool tested;
} maker;

static knk_node pick(maker *m, int dtype)
{
    for (int i = 0; i < 30; i++) {
        int at = m->n - 1 - below(i < 15 && m->n > 20 ? 20 : m->n);
        if (knk_dtype(m->k, m->pool[at]) == (kn_dtype_id)dtype)
            return m->pool[at];
    }
    return dtype == KN_ID_BOOL ? knk_const(m->k, KN_ID_BOOL, random32() & 1)
                               : knk_const_double(m->k, (kn_dtype_id)dtype, below(9) - 4);
}

static void put(maker *m, knk_node x)
{
    if (m->n < 400 && x >= 0)
        m->pool[m->n++] = x;
}

static const uint8_t dtypes[] = {KN_ID_F32, KN_ID_F64, KN_ID_I32, KN_ID_I64, KN_ID_U8, KN_ID_I16, KN_ID_U32, KN_ID_BOOL};
static int narrow_only;
static int any_dtype(void)
{
    static const uint8_t narrow[] = {KN_ID_F32, KN_ID_I32, KN_ID_U8, KN_ID_BOOL};
    return narrow_only ? narrow[below(4)] : dtypes[below(8)];
}

static void random_load(maker *m)
{
    uint8_t cls[MOST_DIMS] = {(uint8_t)(below(4) ? U : below(2) ? ANY : Z)};
    for (int d = 0; d < m->turns; d++)
        cls[1 + d] = Z;
    for (int d = 0; d < m->depth && !m->tested; d++)
        cls[1 + m->stride[d]] = (uint8_t)(below(3) ? ANY : Z);
    if (below(4)) {
        put(m, load(m->k, any_dtype(), cls, true));
    } else {
        for (int d = 0; d < m->depth; d++)
            cls[1 + m->stride[d]] = (uint8_t)(below(3) ? ANY : Z);
        put(m, knk_index(m->k, knk_add_loop_map(m->k, cls)));
    }
}

static void random_node(maker *m)
{
    static const uint8_t floats[] = {KNK_ADD, KNK_SUB, KNK_MUL, KNK_MIN, KNK_MAX, KNK_DIV},
                         ints[] = {KNK_ADD, KNK_SUB, KNK_MUL, KNK_AND, KNK_OR, KNK_XOR, KNK_MIN, KNK_DIV},
                         tests[] = {KNK_LT, KNK_LE, KNK_EQ, KNK_NE};
    knk_builder *k = m->k;
    int d = any_dtype(), how = below(14);
    bool is_float = knk_is_float_id(d);
    knk_node a = pick(m, d), b = pick(m, d), c = pick(m, d), p = pick(m, KN_ID_BOOL);
    if (d == KN_ID_BOOL && how > 8)
        how = 0;
    if (how < 2 && m->depth)
        random_load(m);
    else if (how < 3)
        put(m, knk_binary(k, (knk_op)tests[below(4)], a, b));
    else if (how < 4)
        put(m, SELECT(p, a, b));
    else if (how < 5)
        put(m, COLD(p, d == KN_ID_BOOL ? AND(a, c) : MUL(ADD(a, c), SUB(b, a)), b));
    else if (how < 6 && is_float)
        put(m, FMA(a, b, c));
    else if (how < 7)
        put(m, knk_cast(k, (kn_dtype_id)any_dtype(), a));
    else if (d == KN_ID_BOOL)
        put(m, knk_binary(k, below(2) ? KNK_AND : KNK_XOR, a, b));
    else if (is_float)
        put(m, knk_binary(k, (knk_op)floats[below(6)], a, b));
    else
        put(m, knk_binary(k, (knk_op)ints[below(below(6) ? 7 : 8)], a, b));
}

static void random_store(maker *m, knk_node x)
{
    uint8_t cls[MOST_DIMS] = {(uint8_t)(below(3) ? U : ANY)};
    for (int d = 0; d < m->turns; d++)
        cls[1 + d] = Z;
    for (int d = 0; d < m->depth; d++)
        cls[1 + m->stride[d]] = ANY;
    store(m->k, x, cls, true);
}

static void random_loop(maker *m)
{
    knk_builder *k = m->k;
    knk_node carry[24];
    bool tested = m->tested, asks = !below(3);
    int n = 1 + below(below(4) ? 5 : 24), before = m->n;
    for (int i = 0; i < n; i++)
        carry[i] = pick(m, any_dtype());
    m->stride[m->depth++] = knk_loop_begin(k);
    m->turns++;
    m->tested |= asks;
    for (int i = 0; i < n; i++)
        put(m, carry[i] = knk_carry(k, carry[i]));
    for (int i = 2 + below(30), inner = 0; i > 0; i--) {
        if (!below(25) && m->depth < 3 && inner++ < 2)
            random_loop(m);
        random_node(m);
        if (asks && !below(i)) {
            knk_while(k, pick(m, KN_ID_BOOL));
            asks = false;
        }
        if (!m->tested && !below(10))
            random_store(m, m->pool[m->n - 1]);
    }
    if (asks)
        knk_while(k, pick(m, KN_ID_BOOL));
    for (int i = 0; i < n; i++)
        knk_next(k, carry[i], pick(m, knk_dtype(k, carry[i])));
    knk_loop_end(k);
    m->depth--;
    m->tested = tested;
    m->n = before;
    for (int i = 0; i < n; i++)
        put(m, knk_last(k, carry[i]));
}

static void random_programs(void **state)
{
    (void)state;
    int programs = getenv("KILN_TEST_LONG") ? 3000 : 120;
    const char *first = getenv("KILN_TEST_SEED");
    for (int i = 0; i < programs; i++) {
        uint64_t seed = (first ? strtoull(first, NULL, 10) : 1) + (uint64_t)i;
        seed_ = seed * 0x9E3779B97F4A7C15u;
        narrow_only = below(2);
        maker m = {.k = begin(1)};
        for (int j = 0; j < 4; j++)
            put(&m, load(m.k, any_dtype(), (uint8_t[]){(uint8_t)(below(3) ? U : below(2) ? ANY : Z)}, false));
        for (int j = below(8); j > 0; j--)
            random_node(&m);
        for (int j = 1 + below(2); j > 0; j--)
            random_loop(&m);
        for (int j = 0; j < 6; j++)
            random_node(&m);
        for (int j = 0; j < 8; j++)
            random_store(&m, m.pool[m.n - 1 - below(m.n < 12 ? m.n : 12)]);
        knk_kernel *k = finish(m.k);
        int64_t turns = below(5), more = turns ? 3 : 0, par[] = {below(3) ? 1 + below(90) : 1},
                loops[MOST_DIMS] = {turns, 2, more, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
        if (k->n_map <= MOST_MAPS && k->n_buffer <= MOST_BUFFERS && (!k->n_stage || k->stage->n_loop <= 14)) {
            if (first)
                print_message("seed %llu\n", (unsigned long long)seed);
            check(k, par, loops, 1 + below(3));
        }
        knk_release(k);
    }
}

/* A carry that does not change lives in a register, and is put into the frame for the sake of a loop inside: also where
 * there is no turn. */
static void a_carry_that_stays_as_it_is(void **state)
{
    (void)state;
    knk_builder *k = begin(1);
    knk_node x = load(k, KN_ID_F32, (uint8_t[]){U}, false);
    knk_loop_begin(k);
    knk_node a = knk_carry(k, ADD(x, F32(1)));
    knk_loop_begin(k);
    store(k, load(k, KN_ID_F32, (uint8_t[]){U, ANY, ANY}, true), (uint8_t[]){U, ANY, ANY}, true);
    knk_loop_end(k);
    knk_next(k, a, a);
    knk_loop_end(k);
    store(k, MUL(knk_last(k, a), x), (uint8_t[]){U}, false);
    check_all(finish(k), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_sums),
        cmocka_unit_test(the_last_value_of_a_carry),
        cmocka_unit_test(carries_go_round),
        cmocka_unit_test(many_carries_read_each_other),
        cmocka_unit_test(points_are_done_at_different_times),
        cmocka_unit_test(a_condition_that_comes_true_again),
        cmocka_unit_test(loops_in_loops),
        cmocka_unit_test(deep_loops),
        cmocka_unit_test(conditions_in_conditions),
        cmocka_unit_test(cold_sides_in_loops),
        cmocka_unit_test(calls_in_loops),
        cmocka_unit_test(every_dtype),
        cmocka_unit_test(tables_in_loops),
        cmocka_unit_test(values_go_on_behind_loops),
        cmocka_unit_test(a_loop_in_place),
        cmocka_unit_test(a_carry_that_stays_as_it_is),
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
