/* SPDX-License-Identifier: Apache-2.0
 * test_updates.c -- updates in place: where no copy is needed, which copies are and why, and random programs of
 * updates and reads against plain loops. */
#include "support/group.h"
#include "support/programs.h"

#include "base/log.h"

typedef struct made {
    kni_jaxpr *j;
    knd_loaded *p;
} made;

static made compile(kni_jaxpr *j, bool fuse, const bool *donated)
{
    made m = {j, NULL};
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = fuse, .donated = donated}, &m.p));
    return m;
}

static void drop(made m)
{
    knd_release(m.p);
    kni_release(m.j);
}

static bool says(const knd_loaded *p, const char *what)
{
    char *text = NULL;
    test_ok(knc_text(p->program, &text));
    bool found = strstr(text, what) != NULL;
    knx_free(text);
    return found;
}

static kni_atom at(kni_builder *b, int64_t i) { return knb_integer(b, KN_DT(I64), i); }

/* x[i] = v */
static kni_atom set(kni_builder *b, kni_atom x, int64_t i, double v)
{
    kni_atom one = knb_full(b, F32(1), v), start[] = {at(b, i)};
    return knb_dynamic_update_slice(b, x, one, start);
}

static kni_atom get(kni_builder *b, kni_atom x, int64_t i)
{
    return knb_slice(b, x, (int64_t[]){i}, (int64_t[]){i + 1}, NULL);
}

static kni_atom sum(kni_builder *b, kni_atom x) { return knb_reduce_sum(b, x, 1, (int64_t[]){0}); }
#define BOTH(fuse) for (int fuse = 0; fuse < 2; fuse++)
static const bool yes[80] = {[0 ... 79] = true};

/* --- in place --------------------------------------------------------------------------------- */

static void a_donated_operand_is_written_where_it_lies(void **state)
{
    (void)state;
    BOTH(fuse)
    {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(4));
        made m = compile(FINISH(&b, set(&b, set(&b, x, 1, 5), 2, 6)), fuse, yes);
        assert_int_equal(knc_copied_bytes(m.p->program), 0);
        assert_true(says(m.p, "in place, in the buffer of its donated operand"));
        knx_buffer *in = knx_buffer_new(16), *out[1];
        float v[4] = {1, 2, 3, 4};
        memcpy(in->data, v, 16);
        test_ok(knd_run(m.p, (knd_operand[]){{.buffer = in, .data = in->data}}, out, NULL));
        assert_ptr_equal(out[0], in);
        EXPECT(in, 1, 5, 6, 4);
        test_release(1, out);
        test_ok(knd_run(m.p, (knd_operand[]){{.data = v}}, out, NULL)); /* plain memory stays as it is */
        EXPECT(out[0], 1, 5, 6, 4);
        assert_true(v[1] == 2 && v[2] == 3);
        test_release(1, out);
        memcpy(in->data, v, sizeof v);
        test_ok(
            knd_run(m.p, (knd_operand[]){{.buffer = in, .lent = true}}, out, NULL)); /* somebody else writes there */
        assert_ptr_not_equal(out[0], in);
        EXPECT(out[0], 1, 5, 6, 4);
        EXPECT(in, 1, 2, 3, 4);
        test_release(1, out);
        knx_buffer_release(in);
        drop(m);
    }
}

/* The new value is no output: the buffer is scratch. */
static void a_donated_operand_holds_temporaries(void **state)
{
    (void)state;
    BOTH(fuse)
    {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(4)), y = knb_invar(&b, F32(4));
        y = set(&b, set(&b, y, 0, 10), 1, 20);
        kni_jaxpr *j = FINISH(&b, sum(&b, y), sum(&b, set(&b, x, 2, 30)));
        made m = compile(j, fuse, (bool[]){false, true});
        assert_int_equal(knc_copied_bytes(m.p->program), 16); /* x */
        knx_buffer *in = knx_buffer_new(16), *out[2];
        float v[4] = {1, 2, 3, 4};
        memcpy(in->data, v, 16);
        test_ok(knd_run(m.p, (knd_operand[]){{.data = v}, {.buffer = in, .data = in->data}}, out, NULL));
        EXPECT(out[0], 37);
        EXPECT(out[1], 37);
        EXPECT(in, 10, 20, 3, 4);
        test_release(2, out);
        test_ok(knd_run(m.p, (knd_operand[]){{.data = v}, {.data = v}}, out, NULL));
        EXPECT(out[0], 37);
        EXPECT(out[1], 37);
        assert_true(v[0] == 1 && v[1] == 2 && v[2] == 3);
        test_release(2, out);
        knx_buffer_release(in);
        drop(m);
    }
}

static void an_operand_of_the_caller_is_copied_once(void **state)
{
    (void)state;
    BOTH(fuse)
    {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(4));
        made m = compile(FINISH(&b, set(&b, set(&b, set(&b, x, 1, 5), 2, 6), 0, 7)), fuse, NULL);
        assert_int_equal(knc_copied_bytes(m.p->program), 16);
        assert_true(says(m.p, "copies 16 bytes: the operand belongs to the caller"));
        knx_buffer *in = knx_buffer_new(16), *out[1];
        memcpy(in->data, (float[]){1, 2, 3, 4}, 16);
        test_ok(knd_run(m.p, (knd_operand[]){{.buffer = in, .data = in->data}}, out, NULL));
        EXPECT(out[0], 7, 5, 6, 4);
        EXPECT(in, 1, 2, 3, 4);
        test_release(1, out);
        knx_buffer_release(in);
        drop(m);
    }
}

/* Kernel results, broadcast literals and chains of updates: the steps that write name one place. */
static void temporaries_are_updated_in_one_buffer(void **state)
{
    (void)state;
    BOTH(fuse)
    {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(4)), y = knb_exp(&b, x), z = knb_full(&b, F32(4), 0);
        for (int i = 0; i < 3; i++) {
            y = set(&b, y, i, i);
            z = set(&b, z, i, 10 + i);
        }
        made m = compile(FINISH(&b, y, z), fuse, NULL);
        assert_int_equal(knc_copied_bytes(m.p->program), 0);
        for (uint32_t i = 0; i < m.p->program->n_step; i++) {
            const knc_step *s = &m.p->program->step[i];
            assert_true(s->kind != KNC_COPY);
            if (s->kind == KNC_ROUTINE)
                assert_true(s->ref[0].space == KNC_AT_OUTPUT && s->ref[0].index == s->ref[s->n_ref - 1].index &&
                            !s->ref[0].offset);
        }
        knx_buffer *out[2];
        test_ok(knd_run(m.p, (knd_operand[]){{.data = (float[]){0, 0, 0, 0}}}, out, NULL));
        EXPECT(out[0], 0, 1, 2, 1);
        EXPECT(out[1], 10, 11, 12, 0);
        test_release(2, out);
        drop(m);
    }
}

static void scatters_are_in_place_too(void **state)
{
    (void)state;
    int64_t zero[] = {0}, dim[] = {3, 1};
    kni_p_scatter q = {
        .inserted_window_dims = {1, zero}, .scatter_dims_to_operand_dims = {1, zero}, .mode = KN_GATHER_CLIP};
    BOTH(fuse)
    {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(4)), i = knb_invar(&b, kni_type_of(KN_DT(I32), 2, dim)),
                 u = knb_invar(&b, F32(3));
        bool donated[] = {true, false, false};
        made m = compile(FINISH(&b, knb_scatter_add(&b, x, i, u, &q)), fuse, donated);
        assert_int_equal(knc_copied_bytes(m.p->program), 0);
        knx_buffer *in = knx_buffer_new(16), *out[1];
        memcpy(in->data, (float[]){1, 2, 3, 4}, 16);
        knd_operand o[] = {
            {.buffer = in, .data = in->data}, {.data = (int32_t[]){1, 3, 1}}, {.data = (float[]){10, 20, 30}}};
        test_ok(knd_run(m.p, o, out, NULL));
        assert_ptr_equal(out[0], in);
        EXPECT(in, 1, 42, 3, 24);
        test_release(1, out);
        knx_buffer_release(in);
        drop(m);
    }
}

/* Readers of the old value come first, through views, in kernels, and beside a reader of the new one. */
static void readers_of_the_old_value_run_before(void **state)
{
    (void)state;
    BOTH(fuse)
    {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(4)), t = knb_mul(&b, x, x);
        kni_atom flat = knb_reshape(&b, t, 2, (int64_t[]){2, 2}); /* an alias */
        kni_atom y = set(&b, t, 1, 100);
        kni_atom s = knb_reduce_sum(&b, knb_transpose(&b, flat, (int64_t[]){1, 0}), 1, (int64_t[]){0}); /* after it */
        kni_atom old = knb_mul(&b, get(&b, t, 1), knb_number(&b, KN_DT(F32), 2));
        kni_atom z = knb_add(&b, sum(&b, y), knb_reshape(&b, old, 0, NULL)); /* reads both, but old[1] only */
        kni_atom w = knb_mul(&b, sum(&b, knb_neg(&b, t)), sum(&b, y));
        made m = compile(FINISH(&b, y, s, z, w), fuse, NULL);
        assert_int_equal(knc_copied_bytes(m.p->program), 0);
        knx_buffer *out[4];
        test_ok(knd_run(m.p, (knd_operand[]){{.data = (float[]){1, 2, 3, 4}}}, out, NULL));
        EXPECT(out[0], 1, 100, 9, 16);
        EXPECT(out[1], 5, 25);
        EXPECT(out[2], 126 + 8);
        EXPECT(out[3], -30 * 126);
        test_release(4, out);
        drop(m);
    }
}

/* x[i], x[j] = x[j], x[i]: the elements wait in memory of their own. */
static void a_swap_copies_two_elements(void **state)
{
    (void)state;
    BOTH(fuse)
    {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(5)), i = get(&b, x, 1), k = get(&b, x, 3);
        kni_atom y = knb_dynamic_update_slice(&b, x, k, (kni_atom[]){at(&b, 1)});
        made m = compile(FINISH(&b, knb_dynamic_update_slice(&b, y, i, (kni_atom[]){at(&b, 3)})), fuse, (bool[]){true});
        assert_int_equal(knc_copied_bytes(m.p->program), 0);
        knx_buffer *in = knx_buffer_new(20), *out[1];
        memcpy(in->data, (float[]){0, 1, 2, 3, 4}, 20);
        test_ok(knd_run(m.p, (knd_operand[]){{.buffer = in, .data = in->data}}, out, NULL));
        assert_ptr_equal(out[0], in);
        EXPECT(in, 0, 3, 2, 1, 4);
        test_release(1, out);
        knx_buffer_release(in);
        drop(m);
    }
}

static void kernels_are_not_merged_across_an_update(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4)), w = knb_invar(&b, F32(4)), y = set(&b, x, 0, 9);
    made m =
        compile(FINISH(&b, knb_mul(&b, x, w), knb_mul(&b, y, w), sum(&b, knb_exp(&b, x)), sum(&b, knb_exp(&b, y)), y),
                true, (bool[]){true, false});
    assert_int_equal(knc_copied_bytes(m.p->program), 0);
    drop(m);
}

/* Equal zeros are one value until somebody writes into them. */
static void fills_are_made_again_rather_than_copied(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2)), zeros = knb_full(&b, F32(2), 0);
    made m =
        compile(FINISH(&b, zeros, set(&b, zeros, 0, 1), set(&b, knb_full(&b, F32(2), 0), 1, 2), knb_add(&b, zeros, x)),
                true, NULL);
    assert_int_equal(knc_copied_bytes(m.p->program), 0);
    knx_buffer *out[4];
    test_ok(knd_run(m.p, (knd_operand[]){{.data = (float[]){3, 4}}}, out, NULL));
    EXPECT(out[0], 0, 0);
    EXPECT(out[1], 1, 0);
    EXPECT(out[2], 0, 2);
    EXPECT(out[3], 3, 4);
    test_release(4, out);
    drop(m);
}

/* --- copies ----------------------------------------------------------------------------------- */

static void every_copy_has_its_reason(void **state)
{
    (void)state;
    BOTH(fuse)
    {
        static const kn_place place = {"user.c", 7, "f"};
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(4)), t = knb_exp(&b, x), y = set(&b, t, 0, 1);
        made m = compile(FINISH(&b, t, y), fuse, NULL);
        assert_true(says(m.p, "dynamic_update_slice copies 16 bytes: the old value is an output\n"));
        drop(m);
        x = knb_invar(&b, F32(4));
        m = compile(FINISH(&b, x, set(&b, x, 0, 1)), fuse, yes);
        assert_true(says(m.p, "dynamic_update_slice copies 16 bytes: the old value is an output\n"));
        drop(m);
        x = knb_invar(&b, F32(4)), t = knb_exp(&b, x), y = set(&b, t, 0, 1);
        b.place = &place;
        kni_atom z = knb_mul(&b, t, y);
        b.place = NULL;
        m = compile(FINISH(&b, z), fuse, NULL);
        assert_int_equal(knc_copied_bytes(m.p->program), 16);
        assert_true(says(m.p, "copies 16 bytes: the old value is read later by mul (user.c:7)\n"));
        assert_true(says(m.p, ", copied 16 bytes\n"));
        drop(m);
        x = knb_invar(&b, F32(4)), t = knb_exp(&b, x);
        m = compile(
            FINISH(&b, knb_dynamic_update_slice(&b, t, knb_reshape(&b, t, 1, (int64_t[]){4}), (kni_atom[]){at(&b, 0)})),
            fuse, NULL);
        assert_true(says(m.p, "copies 16 bytes: it reads the old value at other places too\n"));
        drop(m);
        x = knb_invar(&b, SCALAR(F32));
        m = compile(FINISH(&b, knb_dynamic_update_slice(&b, knb_number(&b, KN_DT(F32), 3), x, NULL)), fuse, NULL);
        assert_true(says(m.p, "copies 4 bytes: its operand is a literal\n"));
        drop(m);
        x = knb_invar(&b, F32(4)), t = knb_exp(&b, x);
        m = compile(FINISH(&b, set(&b, knb_slice(&b, t, (int64_t[]){2}, (int64_t[]){4}, NULL), 0, 1)), fuse, NULL);
        assert_true(says(m.p, "copies 8 bytes: its operand is a part of a larger array\n"));
        drop(m);
    }
}

static char logged[512];
static void keep_log(void *env, int level, const char *text)
{
    (void)env, (void)level;
    if (!strncmp(text, "copy: ", 6))
        snprintf(logged, sizeof logged, "%s", text);
}

static void copies_are_logged_with_their_place(void **state)
{
    (void)state;
    static const kn_place place = {"user.c", 12, "f"};
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4));
    b.place = &place;
    kni_atom y = set(&b, x, 0, 1);
    b.place = NULL;
    int level = knx_debug_level;
    knx_debug_level = 1;
    knx_log_callback(keep_log, NULL);
    made m = compile(FINISH(&b, y), true, NULL);
    knx_log_callback(NULL, NULL);
    knx_debug_level = level;
    assert_string_equal(logged,
                        "copy: user.c:12: dynamic_update_slice copies 16 bytes: the operand belongs to the caller");
    drop(m);
}

/* Two readers that wait for each other's update: one copy, not two. */
static void a_circle_costs_one_copy(void **state)
{
    (void)state;
    BOTH(fuse)
    {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(4)), t = knb_exp(&b, x), u = knb_sin(&b, x);
        kni_atom t2 = set(&b, t, 0, 1), u2 = set(&b, u, 0, 1);
        made m = compile(FINISH(&b, knb_mul(&b, t, u2), knb_mul(&b, u, t2), t2, u2), fuse, NULL);
        assert_int_equal(knc_copied_bytes(m.p->program), 16);
        drop(m);
    }
}

/* A long chain in which every old value is read after its update, and one in which none is. */
static void long_chains_are_planned_fast(void **state)
{
    (void)state;
    enum { N = 20000 };
    for (int late = 0; late < 2; late++) {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(4)), y = knb_exp(&b, x), acc = knb_number(&b, KN_DT(F32), 0);
        for (int i = 0; i < N; i++) {
            kni_atom old = y;
            y = set(&b, y, i % 4, i);
            acc = knb_add(&b, acc, late ? sum(&b, knb_mul(&b, old, y)) : sum(&b, old));
        }
        made m = compile(FINISH(&b, y, acc), true, NULL);
        assert_int_equal(knc_copied_bytes(m.p->program), late ? 16 * N : 0);
        drop(m);
    }
}

static void compiling_and_running_without_memory_leaks_nothing(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4)), t = knb_exp(&b, x), y = set(&b, t, 0, 1);
    kni_atom z = knb_mul(&b, t, y);
    kni_jaxpr *j = FINISH(&b, z, set(&b, y, 2, 3), sum(&b, set(&b, x, 0, 2)));
    int64_t live = knx_alloc_live(), k = 0;
    for (bool done = false; !done; k++) {
        knd_loaded *p = NULL;
        knx_buffer *out[3];
        knx_fail_after(k, true);
        knx_error *e = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = k % 2, .donated = yes}, &p);
        if (!e)
            e = knd_run(p, (knd_operand[]){{.data = (float[]){1, 2, 3, 4}}}, out, NULL);
        knx_fail_after(-1, false);
        done = !e;
        if (done)
            test_release(3, out);
        knx_error_release(e);
        knd_release(p);
        assert_int_equal(knx_alloc_live(), live);
    }
    assert_true(k > 20);
    kni_release(j);
}

/* --- random programs against plain loops ------------------------------------------------------ */

enum { MOST = 40, ELEMENTS = 24 };
typedef struct value {
    kni_atom atom;
    int n0, n1; /* a matrix of int32 */
    uint32_t v[ELEMENTS];
} value;
typedef struct world {
    kni_builder b;
    uint64_t state;
    value at[MOST];
    int n, n_given, n_index;
    int32_t index[MOST]; /* starts that come as operands */
    kni_atom index_atom[MOST];
} world;

#define MATRIX(n0, n1) kni_type_of(KN_DT(I32), 2, (int64_t[]){n0, n1})
static int below(world *w, int n) { return test_below(&w->state, n); }
static value *pick(world *w) { return &w->at[below(w, 3) ? w->n - 1 - below(w, w->n < 5 ? w->n : 5) : below(w, w->n)]; }
static value *add_value(world *w, kni_atom a, int n0, int n1)
{
    value *y = &w->at[w->n++];
    *y = (value){.atom = a, .n0 = n0, .n1 = n1};
    return y;
}
static int clamp(int v, int most) { return v < 0 ? 0 : v > most ? most : v; }

/* A start: an operand of the program, or a literal; now and then out of bounds. */
static kni_atom start(world *w, int most, int *where)
{
    int32_t v = below(w, most + 3) - 1;
    *where = clamp(v, most);
    if (below(w, 2) || w->n_index == MOST)
        return knb_integer(&w->b, KN_DT(I32), v);
    w->index[w->n_index] = v;
    return w->index_atom[w->n_index++] = knb_invar(&w->b, SCALAR(I32));
}

static void update_window(world *w)
{
    value x = *pick(w), u = *pick(w);
    int r, c;
    if (u.n0 > x.n0 || u.n1 > x.n1) {
        u = *add_value(w, knb_slice(&w->b, x.atom, (int64_t[]){0, 0}, (int64_t[]){1, 1}, NULL), 1, 1);
        w->at[w->n - 1].v[0] = u.v[0] = x.v[0];
    }
    kni_atom s[2] = {start(w, x.n0 - u.n0, &r), start(w, x.n1 - u.n1, &c)};
    value *y = add_value(w, knb_dynamic_update_slice(&w->b, x.atom, u.atom, s), x.n0, x.n1);
    memcpy(y->v, x.v, sizeof x.v);
    for (int i = 0; i < u.n0; i++)
        for (int k = 0; k < u.n1; k++)
            y->v[(r + i) * x.n1 + c + k] = u.v[i * u.n1 + k];
}

static void add_rows(world *w)
{
    value x = *pick(w), u = *pick(w), *i = pick(w);
    if (u.n1 != x.n1 || i->n1 != 1 || i->n0 != u.n0)
        return;
    kni_p_scatter q = {.update_window_dims = {1, (int64_t[]){1}},
                       .inserted_window_dims = {1, (int64_t[]){0}},
                       .scatter_dims_to_operand_dims = {1, (int64_t[]){0}},
                       .mode = KN_GATHER_CLIP};
    value index = *i, *y = add_value(w, knb_scatter_add(&w->b, x.atom, index.atom, u.atom, &q), x.n0, x.n1);
    memcpy(y->v, x.v, sizeof x.v);
    for (int r = 0; r < u.n0; r++)
        for (int k = 0; k < u.n1; k++)
            y->v[clamp((int32_t)index.v[r], x.n0 - 1) * x.n1 + k] += u.v[r * u.n1 + k];
}

static void read_view(world *w)
{
    value x = *pick(w), *y;
    int r = below(w, x.n0), c = below(w, x.n1), n0 = 1 + below(w, x.n0 - r), n1 = 1 + below(w, x.n1 - c);
    switch (below(w, 4)) {
    case 0: /* an alias */
        y = add_value(w, knb_reshape(&w->b, x.atom, 2, (int64_t[]){x.n1, x.n0}), x.n1, x.n0);
        memcpy(y->v, x.v, sizeof x.v);
        return;
    case 1:
        y = add_value(w, knb_transpose(&w->b, x.atom, (int64_t[]){1, 0}), x.n1, x.n0);
        for (int i = 0; i < x.n0 * x.n1; i++)
            y->v[i % x.n1 * x.n0 + i / x.n1] = x.v[i];
        return;
    case 2:
        y = add_value(w, knb_slice(&w->b, x.atom, (int64_t[]){r, c}, (int64_t[]){r + n0, c + n1}, NULL), n0, n1);
        break;
    default: {
        kni_atom s[2] = {start(w, x.n0 - n0, &r), start(w, x.n1 - n1, &c)};
        y = add_value(w, knb_dynamic_slice(&w->b, x.atom, s, (int64_t[]){n0, n1}), n0, n1);
    }
    }
    for (int i = 0; i < n0; i++)
        for (int k = 0; k < n1; k++)
            y->v[i * n1 + k] = x.v[(r + i) * x.n1 + c + k];
}

static void compute(world *w)
{
    value x = *pick(w), z = *pick(w), *y;
    if (!below(w, 3)) {
        kni_atom s = knb_reduce_sum(&w->b, x.atom, 1, (int64_t[]){1});
        y = add_value(w, knb_broadcast_in_dim(&w->b, s, 2, (int64_t[]){x.n0, 1}, (int64_t[]){0}), x.n0, 1);
        for (int i = 0; i < x.n0 * x.n1; i++)
            y->v[i / x.n1] += x.v[i];
        return;
    }
    for (int i = 0; i < 20 && (z.n0 != x.n0 || z.n1 != x.n1); i++)
        z = *pick(w);
    if (z.n0 != x.n0 || z.n1 != x.n1)
        z = x;
    bool mul = below(w, 2);
    y = add_value(w, mul ? knb_mul(&w->b, x.atom, z.atom) : knb_sub(&w->b, x.atom, z.atom), x.n0, x.n1);
    for (int i = 0; i < x.n0 * x.n1; i++)
        y->v[i] = mul ? x.v[i] * z.v[i] : x.v[i] - z.v[i];
}

static void make_world(world *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->state = seed;
    knb_init(&w->b);
    w->n_given = 1 + below(w, 3);
    for (int i = 0; i < w->n_given; i++) {
        int n0 = i ? 1 + below(w, 4) : 4, n1 = i ? 1 + below(w, 3) : 6;
        value *x = add_value(w, knb_invar(&w->b, MATRIX(n0, n1)), n0, n1);
        for (int k = 0; k < n0 * n1; k++)
            x->v[k] = (uint32_t)(below(w, 9) - 2);
    }
    if (below(w, 2))
        add_value(w, knb_full(&w->b, MATRIX(4, 6), 0), 4, 6);
    for (int i = 2 + below(w, 24); i > 0 && w->n < MOST - 2; i--)
        switch (below(w, 6)) {
        case 0:
        case 1: update_window(w); break;
        case 2: add_rows(w); break;
        case 3:
        case 4: read_view(w); break;
        default: compute(w); break;
        }
}

/* In plain order of the operands: matrices and starts were made as they were needed. */
static int operands(const world *w, knd_operand *in, knx_buffer **hold)
{
    for (int i = 0; i < w->n_given; i++) {
        size_t bytes = (size_t)(w->at[i].n0 * w->at[i].n1) * 4;
        hold[i] = knx_buffer_new(bytes);
        memcpy(hold[i]->data, w->at[i].v, bytes);
        in[i] = (knd_operand){.buffer = w->state >> i & 1 ? hold[i] : NULL, .data = hold[i]->data};
    }
    for (int i = 0; i < w->n_index; i++)
        in[w->n_given + i] = (knd_operand){.data = &w->index[i]};
    return w->n_given;
}

static void run_world(const world *w, const kni_jaxpr *j, const value *const *want, bool fuse, const bool *donated,
                      uint64_t seed)
{
    knd_loaded *p = NULL;
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = fuse, .donated = donated}, &p));
    knd_operand in[2 * MOST];
    knx_buffer *hold[MOST], *out[8];
    int n = operands(w, in, hold);
    test_ok(knd_run(p, in, out, NULL));
    for (uint32_t k = 0; k < j->n_out; k++)
        if (memcmp(out[k]->data, want[k]->v, (size_t)(want[k]->n0 * want[k]->n1) * 4))
            fail_msg("seed %llu, fuse %d, donated %d: output %u differs", (unsigned long long)seed, fuse,
                     donated != NULL, (unsigned)k);
    for (int i = 0; i < n; i++)
        if (!donated || !donated[i] || !in[i].buffer)
            assert_memory_equal(hold[i]->data, w->at[i].v, (size_t)(w->at[i].n0 * w->at[i].n1) * 4);
    test_release((int)j->n_out, out);
    test_release(n, hold);
    knd_release(p);
}

static void random_updates_are_what_loops_compute(void **state)
{
    (void)state;
    static world w;
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        make_world(&w, seed);
        const value *want[8] = {NULL};
        kni_atom result[8];
        int n = 1 + below(&w, 4);
        for (int i = 0; i < n; i++) {
            want[i] = i ? pick(&w) : &w.at[w.n - 1];
            result[i] = want[i]->atom;
        }
        bool donated[2 * MOST] = {false};
        for (int i = 0; i < w.n_given; i++)
            donated[i] = below(&w, 3) > 0;
        kni_jaxpr *j = test_finish(&w.b, n, result);
        BOTH(fuse)
        {
            run_world(&w, j, want, fuse, NULL, seed);
            run_world(&w, j, want, fuse, donated, seed);
        }
        kni_release(j);
    }
}

/* Does equation `reader` need the result of `update`? */
static bool depends(const kni_jaxpr *j, uint32_t reader, uint32_t update)
{
    bool *on = calloc(j->n_var + 1, sizeof *on), yes_it_does = false;
    for (uint32_t i = update; i <= reader; i++) {
        bool d = i == update;
        for (uint32_t k = 0; k < j->eqn[i].n_in; k++)
            d |= kni_is_var(j->eqn[i].in[k]) && on[j->eqn[i].in[k]];
        for (uint32_t k = 0; k < j->eqn[i].n_out; k++)
            on[j->eqn[i].out + k] = d;
        yes_it_does = i == reader && d;
    }
    free(on);
    return yes_it_does;
}

/* With one update only, a value that is read later is read by something that needs the update. */
static void no_copy_is_made_for_a_reader_that_could_run_before(void **state)
{
    (void)state;
    static world w;
    int later = 0, in_place = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        memset(&w, 0, sizeof w);
        w.state = seed;
        knb_init(&w.b);
        add_value(&w, knb_invar(&w.b, MATRIX(4, 6)), 4, 6);
        for (int i = 0, n = 3 + below(&w, 12), u = below(&w, n); i < n; i++) {
            if (i == u)
                update_window(&w);
            below(&w, 2) ? read_view(&w) : compute(&w);
        }
        kni_atom out[3] = {w.at[w.n - 1].atom, w.at[w.n - 2].atom, pick(&w)->atom};
        made m = compile(test_finish(&w.b, 3, out), seed % 2, yes);
        for (uint32_t i = 0; i < m.p->program->n_update; i++) {
            const knc_update_note *u = &m.p->program->update[i];
            in_place += u->how == KNC_UPDATE_IN_PLACE;
            later += u->how == KNC_UPDATE_LATER;
            if (u->how == KNC_UPDATE_LATER && !depends(m.p->program->jaxpr, u->reader, u->eqn))
                fail_msg("seed %llu", (unsigned long long)seed);
        }
        drop(m);
    }
    assert_true(later > 50 && in_place > 200);
}

KN_TEST_GROUP(test_updates)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_donated_operand_is_written_where_it_lies),
        cmocka_unit_test(a_donated_operand_holds_temporaries),
        cmocka_unit_test(an_operand_of_the_caller_is_copied_once),
        cmocka_unit_test(temporaries_are_updated_in_one_buffer),
        cmocka_unit_test(scatters_are_in_place_too),
        cmocka_unit_test(readers_of_the_old_value_run_before),
        cmocka_unit_test(a_swap_copies_two_elements),
        cmocka_unit_test(kernels_are_not_merged_across_an_update),
        cmocka_unit_test(fills_are_made_again_rather_than_copied),
        cmocka_unit_test(every_copy_has_its_reason),
        cmocka_unit_test(copies_are_logged_with_their_place),
        cmocka_unit_test(a_circle_costs_one_copy),
        cmocka_unit_test(long_chains_are_planned_fast),
        cmocka_unit_test(compiling_and_running_without_memory_leaks_nothing),
        cmocka_unit_test(random_updates_are_what_loops_compute),
        cmocka_unit_test(no_copy_is_made_for_a_reader_that_could_run_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
