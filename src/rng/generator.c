/* SPDX-License-Identifier: Apache-2.0
 * generator.c -- generators as handles; uniform and standard numbers of two dtypes, and the methods that check
 * more than a row can say. */
#include "array/handle.h"
#include "rng/continuous.h"
#include "rng/draw.h"
#include "rng/pieces.h"
#include <math.h>
#include <string.h>

/* ---- Handles. */

kn_rng kn_default_rng(kn_array seed)
{
    kna_op op;
    kna_begin(&op, "default_rng");
    knrng_seed *s = knrng_seed_of(&op, seed);
    return kna_end_plain(&op) && s ? knrng_generator_new(knrng_bits_new(&knrng_kind_pcg64, s), false) : NULL;
}

kn_rng kn_Generator(kn_bit_generator bit_generator)
{
    kna_op op;
    kna_begin(&op, "Generator");
    knrng_bits *g = knrng_bits_in(&op, bit_generator);
    return kna_end_plain(&op) && g ? knrng_generator_new(knrng_bits_retain(g), false) : NULL;
}

kn_bit_generator kn_rng_bit_generator(kn_rng rng)
{
    kna_op op;
    kna_begin(&op, "bit_generator");
    knrng_generator *g = knrng_generator_in(&op, rng, false);
    return kna_end_plain(&op) && g ? knrng_bits_handle(knrng_bits_retain(g->bits)) : NULL;
}

static knx_error *make_child(void *parent, void *children, int i)
{
    knrng_bits *child = NULL;
    kn_rng *to = (kn_rng *)children + i;
    *to = NULL;
    KN_TRY(knrng_bits_child(((knrng_generator *)parent)->bits, &child));
    *to = knrng_generator_new(child, false);
    return *to ? NULL : knx_error_nomem();
}

int kn_rng_spawn(kn_rng rng, int n, kn_rng *children)
{
    kna_op op;
    kna_begin(&op, "spawn");
    return knrng_spawn(&op, knrng_generator_in(&op, rng, false), n, children, make_child);
}

/* ---- Fills: no parameters, two dtypes. */

typedef struct filler {
    const char *name;
    void (*wide)(knrng_reader *r, size_t n, double *out);
    void (*narrow)(knrng_reader *r, size_t n, float *out);
    bool single; /* each number takes one word, or half of one */
} filler;

static void fill_wide(knrng_reader *r, size_t n, void *out, const void *f) { ((const filler *)f)->wide(r, n, out); }

static void fill_narrow(knrng_reader *r, size_t n, void *out, const void *f) { ((const filler *)f)->narrow(r, n, out); }

static kn_array fill(const filler *f, kn_rng rng, const kn_shape *size, kn_dtype dtype, kn_array out)
{
    knrng_call c;
    kn_dtype d = dtype ? dtype : KN_DT(F64);
    if (!knrng_begin(&c, f->name, rng, false, size))
        return knrng_failed(&c);
    if (d != KN_DT(F64) && d != KN_DT(F32))
        kna_fail(&c.op, KN_ERROR_TYPE, "Unsupported dtype dtype('%s') for %s", d->name, f->name);
    void *data = out && !kna_failed(&c.op) ? knrng_out(&c, out, d, true) : NULL;
    knx_buffer *b = out || kna_failed(&c.op) ? NULL : knrng_room(&c, d);
    kni_type t = kni_type_of(d, c.shape.ndim, c.shape.dim);
    size_t n = (size_t)kni_type_size(t);
    data = b ? b->data : data;
    bool narrow = d == KN_DT(F32);
    knrng_task task = {narrow ? fill_narrow : fill_wide, f, d->size, narrow};
    if (data && f->single)
        knrng_fill_in_pieces(&c.r, &task, n, data);
    else if (data)
        task.fill(&c.r, n, data, f);
    if (!b)
        return kna_failed(&c.op) ? knrng_failed(&c) : kna_end_plain(&c.op) ? out : NULL;
    return kna_from_buffer(&c.op, t, b);
}

kn_array kn_rng_random(kn_rng rng, const kn_shape *size, const kn_rng_random_opts *opts)
{
    static const filler f = {"random", knrng_fill_units, knrng_fill_units32, true};
    return fill(&f, rng, size, opts ? opts->dtype : NULL, opts ? opts->out : NULL);
}

kn_array kn_rng_standard_normal(kn_rng rng, const kn_shape *size, const kn_rng_random_opts *opts)
{
    static const filler f = {"standard_normal", knrng_fill_normals, knrng_fill_normals32, false};
    return fill(&f, rng, size, opts ? opts->dtype : NULL, opts ? opts->out : NULL);
}

kn_array kn_rng_standard_exponential(kn_rng rng, const kn_shape *size, const kn_rng_standard_exponential_opts *opts)
{
    static const filler zig = {"standard_exponential", knrng_fill_exponentials, knrng_fill_exponentials32, false};
    static const filler inv = {"standard_exponential", knrng_fill_inverse_exponentials,
                               knrng_fill_inverse_exponentials32, true};
    bool inverse = opts && opts->method && strcmp(opts->method, "zig") != 0; /* NumPy takes any other text for "inv" */
    return fill(inverse ? &inv : &zig, rng, size, opts ? opts->dtype : NULL, opts ? opts->out : NULL);
}

static kn_array units(const char *name, kn_random_state state, const kn_shape *size)
{
    knrng_call c;
    if (!knrng_begin(&c, name, state, true, size))
        return knrng_failed(&c);
    knx_buffer *b = knrng_room(&c, KN_DT(F64));
    kni_type t = kni_type_of(KN_DT(F64), c.shape.ndim, c.shape.dim);
    if (b)
        knrng_fill_units(&c.r, (size_t)kni_type_size(t), b->data);
    return b ? kna_from_buffer(&c.op, t, b) : knrng_failed(&c);
}

kn_array kn_random_state_random_sample(kn_random_state state, const kn_shape *size)
{
    return units("random_sample", state, size);
}

kn_array kn_random_state_random(kn_random_state state, const kn_shape *size) { return units("random", state, size); }

kn_array kn_random_state_rand(kn_random_state state, const kn_shape *size) { return units("rand", state, size); }

/* ---- Gamma numbers of two dtypes. */

static const knrng_distribution standard_gamma = {
    .name = "standard_gamma",
    .n = 1,
    .rule = {{"shape", KNRNG_NOT_NEGATIVE, false, NAN}},
    .real = knrng_standard_gamma_real,
    .legacy_real = knrng_legacy_standard_gamma_real,
};

kn_array kn_random_state_standard_gamma(kn_random_state state, kn_array shape, const kn_shape *size)
{
    return knrng_draw(&standard_gamma, state, true, size, shape, NULL, NULL);
}

static void fill_gamma32(knrng_call *c, const knrng_param *shape, size_t n, float *out)
{
    knrng_walk w;
    knrng_walk_begin(&w, &c->shape, 1, shape);
    knrng_expect(&c->r, n);
    for (size_t i = 0; i < n; i++) {
        out[i] = knrng_gamma32(&c->r, (float)shape->v[w.at[0]].d);
        knrng_walk_next(&w);
    }
    knrng_give_back(&c->r);
}

kn_array kn_rng_standard_gamma(kn_rng rng, kn_array shape, const kn_shape *size, const kn_rng_random_opts *opts)
{
    knrng_call c;
    knrng_param p = {0};
    kn_array out = opts ? opts->out : NULL;
    kn_dtype d = opts && opts->dtype ? opts->dtype : KN_DT(F64);
    bool ok = knrng_begin(&c, "standard_gamma", rng, false, size);
    if (ok && d != KN_DT(F64) && d != KN_DT(F32))
        kna_fail(&c.op, KN_ERROR_TYPE, "Unsupported dtype dtype('%s') for standard_gamma", d->name);
    void *data = out && !kna_failed(&c.op) ? knrng_out(&c, out, d, false) : NULL;
    ok = !kna_failed(&c.op) && knrng_take(&c, shape, false, NAN, &p) &&
         knrng_check(&c.op, &p, "shape", KNRNG_NOT_NEGATIVE, p.shape.ndim == 0, false) &&
         knrng_result_shape(&c, 1, &p, true);
    knx_buffer *b = !ok || out ? NULL : knrng_room(&c, d);
    kni_type t = kni_type_of(d, c.shape.ndim, c.shape.dim);
    data = b ? b->data : data;
    if (ok && data && d == KN_DT(F64))
        knrng_fill_real(&c, &standard_gamma, &p, (size_t)kni_type_size(t), data);
    else if (ok && data)
        fill_gamma32(&c, &p, (size_t)kni_type_size(t), data);
    knrng_forget(1, &p);
    if (b)
        return kna_from_buffer(&c.op, t, b);
    return kna_failed(&c.op) ? knrng_failed(&c) : kna_end_plain(&c.op) ? out : NULL;
}

/* ---- Methods with checks of their own. */

static const knrng_distribution uniform = {
    .name = "uniform", .n = 2, .real = knrng_uniform_real, .standard = knrng_fill_units};

/* The width of an interval takes the place of its end. */
static bool widths(knrng_call *c, knrng_param *p)
{
    bool scalars = knrng_all_scalars(2, p);
    kn_shape shape = p[1].shape;
    bool ok = knrng_join_or_fail(&c->op, &shape, &p[0].shape);
    kni_type t = kni_type_of(KN_DT(F64), shape.ndim, shape.dim);
    knrng_param width = {.n = ok ? kni_type_size(t) : 0, .shape = shape};
    width.v = width.owned = ok ? knx_alloc((size_t)width.n * sizeof *width.v + 1) : NULL;
    if (ok && !width.owned)
        kna_fail_with(&c->op, knx_error_nomem());
    knrng_walk w;
    knrng_walk_begin(&w, &shape, ok ? 2 : 0, p);
    bool finite = true;
    for (int64_t i = 0; i < width.n && width.owned; i++) {
        width.owned[i].d = p[1].v[w.at[1]].d - p[0].v[w.at[0]].d;
        finite = finite && isfinite(width.owned[i].d);
        knrng_walk_next(&w);
    }
    if (!finite)
        kna_fail(&c->op, KN_ERROR_OVERFLOW,
                 scalars && !c->g->legacy ? "high - low range exceeds valid bounds" : "Range exceeds valid bounds");
    knrng_forget(1, &p[1]);
    p[1] = width;
    if (!kna_failed(&c->op) && !c->g->legacy)
        knrng_check(&c->op, &p[1], "high - low", KNRNG_NOT_NEGATIVE, scalars, false);
    return !kna_failed(&c->op);
}

static kn_array draw_uniform(const void *handle, bool legacy, const kn_shape *size, const kn_rng_uniform_opts *opts)
{
    knrng_call c;
    knrng_param p[2] = {{0}};
    bool ok = knrng_begin(&c, "uniform", handle, legacy, size) &&
              knrng_take(&c, opts ? opts->low : NULL, false, 0, &p[0]) &&
              knrng_take(&c, opts ? opts->high : NULL, false, 1, &p[1]) && widths(&c, p);
    if (ok)
        return knrng_draw_taken(&c, &uniform, p);
    knrng_forget(2, p);
    return knrng_failed(&c);
}

kn_array kn_rng_uniform(kn_rng rng, const kn_shape *size, const kn_rng_uniform_opts *opts)
{
    return draw_uniform(rng, false, size, opts);
}

kn_array kn_random_state_uniform(kn_random_state state, const kn_shape *size, const kn_rng_uniform_opts *opts)
{
    return draw_uniform(state, true, size, opts);
}

/* Is `holds` true of all pairs of elements of two parameters, broadcast? Also where they do not fit, which fails. */
static bool every_pair(kna_op *op, const knrng_param *x, const knrng_param *y,
                       bool (*holds)(knrng_number x, knrng_number y))
{
    knrng_param both[2] = {*x, *y};
    kn_shape shape = x->shape;
    bool ok = true, fit = knrng_join_or_fail(op, &shape, &y->shape);
    knrng_walk w;
    knrng_walk_begin(&w, &shape, 2, both);
    int64_t n = fit ? kni_type_size(kni_type_of(KN_DT(F64), shape.ndim, shape.dim)) : 0;
    for (int64_t i = 0; i < n && ok; i++) {
        ok = holds(x->v[w.at[0]], y->v[w.at[1]]);
        knrng_walk_next(&w);
    }
    return ok;
}

static bool not_above(knrng_number x, knrng_number y) { return !(x.d > y.d); }

static bool not_equal(knrng_number x, knrng_number y) { return !(x.d == y.d); }

static kn_array draw_triangular(const void *handle, bool legacy, const kn_shape *size, kn_array left, kn_array mode,
                                kn_array right)
{
    static const knrng_distribution d = {.name = "triangular", .n = 3, .real = knrng_triangular_real};
    knrng_call c;
    knrng_param p[3] = {{0}};
    bool ok = knrng_begin(&c, "triangular", handle, legacy, size) && knrng_take(&c, left, false, NAN, &p[0]) &&
              knrng_take(&c, mode, false, NAN, &p[1]) && knrng_take(&c, right, false, NAN, &p[2]);
    if (ok && !every_pair(&c.op, &p[0], &p[1], not_above))
        kna_fail(&c.op, KN_ERROR_VALUE, "left > mode");
    else if (ok && !every_pair(&c.op, &p[1], &p[2], not_above))
        kna_fail(&c.op, KN_ERROR_VALUE, "mode > right");
    else if (ok && !every_pair(&c.op, &p[0], &p[2], not_equal))
        kna_fail(&c.op, KN_ERROR_VALUE, "left == right");
    if (ok && !kna_failed(&c.op))
        return knrng_draw_taken(&c, &d, p);
    knrng_forget(3, p);
    return knrng_failed(&c);
}

kn_array kn_rng_triangular(kn_rng rng, kn_array left, kn_array mode, kn_array right, const kn_shape *size)
{
    return draw_triangular(rng, false, size, left, mode, right);
}

kn_array kn_random_state_triangular(kn_random_state state, kn_array left, kn_array mode, kn_array right,
                                    const kn_shape *size)
{
    return draw_triangular(state, true, size, left, mode, right);
}
