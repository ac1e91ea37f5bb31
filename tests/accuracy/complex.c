/* SPDX-License-Identifier: Apache-2.0
 * complex.c -- how far functions of complex numbers are from their exact values, by MPC: the distance in the plane, in
 * units of the last place of the larger part. */
#include "accuracy.h"
#include "kernel/kernel.h"
#include "support/scratch.h"
#include <math.h>
#include <mpc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 2048, KINDS = 5, DIGITS = 400, EXACT_DIGITS = 2300 };

static mpc_t help; /* of the precision of the result */

static int mpc_log1p(mpc_ptr y, mpc_srcptr x, mpc_rnd_t how)
{
    mpc_add_ui(help, x, 1, how);
    return mpc_log(y, help, how);
}

static int mpc_expm1(mpc_ptr y, mpc_srcptr x, mpc_rnd_t how)
{
    mpc_exp(help, x, how);
    return mpc_sub_ui(y, help, 1, how);
}

static int mpc_exp2(mpc_ptr y, mpc_srcptr x, mpc_rnd_t how)
{
    mpfr_const_log2(mpc_realref(y), MPFR_RNDN);
    mpc_mul_fr(help, x, mpc_realref(y), how);
    return mpc_exp(y, help, how);
}

static int log_to_base(mpc_ptr y, mpc_srcptr x, unsigned long base, mpc_rnd_t how)
{
    mpc_log(help, x, how);
    mpfr_set_ui(mpc_realref(y), base, MPFR_RNDN);
    mpfr_log(mpc_imagref(y), mpc_realref(y), MPFR_RNDN);
    mpfr_div(mpc_realref(y), mpc_realref(help), mpc_imagref(y), MPFR_RNDN);
    return mpfr_div(mpc_imagref(y), mpc_imagref(help), mpc_imagref(y), MPFR_RNDN);
}
static int mpc_log2(mpc_ptr y, mpc_srcptr x, mpc_rnd_t how) { return log_to_base(y, x, 2, how); }
static int mpc_log_10(mpc_ptr y, mpc_srcptr x, mpc_rnd_t how) { return log_to_base(y, x, 10, how); }

static int mpc_rsqrt(mpc_ptr y, mpc_srcptr x, mpc_rnd_t how)
{
    mpc_sqrt(help, x, how);
    return mpc_ui_div(y, 1, help, how);
}

/* Largest parts of the arguments: beyond, the exact values take too long. */
typedef struct row {
    const kni_prim *prim;
    int (*exact)(mpc_ptr, mpc_srcptr, mpc_rnd_t);
    double bound, most;
} row;
#define ALL INFINITY
static const row rows[] = {
    {&knp_prim_sqrt, mpc_sqrt, 2, ALL},    {&knp_prim_rsqrt, mpc_rsqrt, 4, ALL},  {&knp_prim_exp, mpc_exp, 3, 700},
    {&knp_prim_exp2, mpc_exp2, 3, 1000},   {&knp_prim_expm1, mpc_expm1, 3, 700},  {&knp_prim_log, mpc_log, 2, ALL},
    {&knp_prim_log2, mpc_log2, 3, ALL},    {&knp_prim_log10, mpc_log_10, 3, ALL}, {&knp_prim_log1p, mpc_log1p, 3, 1e60},
    {&knp_prim_sin, mpc_sin, 4, 700},      {&knp_prim_cos, mpc_cos, 4, 700},      {&knp_prim_tan, mpc_tan, 6, 700},
    {&knp_prim_sinh, mpc_sinh, 4, 700},    {&knp_prim_cosh, mpc_cosh, 4, 700},    {&knp_prim_tanh, mpc_tanh, 6, 700},
    {&knp_prim_asin, mpc_asin, 3, 1e60},   {&knp_prim_acos, mpc_acos, 3, 1e60},   {&knp_prim_atan, mpc_atan, 3, 1e60},
    {&knp_prim_asinh, mpc_asinh, 3, 1e60}, {&knp_prim_acosh, mpc_acosh, 3, 1e60}, {&knp_prim_atanh, mpc_atanh, 3, 1e60},
};

typedef struct machine {
    knk_kernel *kernel;
    void *scratch;
    union {
        float f[LANES];
        double d[LANES];
    } part[4];
} machine;

static void machine_free(machine *m)
{
    if (m)
        knk_release(m->kernel), free(m->scratch);
    free(m);
}

static machine *machine_of(const kni_prim *prim, bool f32)
{
    static const uint8_t cls[] = {KNK_STRIDE_ONE};
    machine *m = calloc(1, sizeof *m);
    knk_builder *k = knk_new(1);
    if (!m || !k)
        return free(m), knk_delete(k), NULL;
    knx_dtype_id d = f32 ? KN_ID_F32 : KN_ID_F64;
    knk_begin_stage(k, 0);
    int buffer[4], map = knk_add_map(k, cls);
    for (int i = 0; i < 4; i++)
        buffer[i] = knk_add_buffer(k, d, i >= 2);
    kni_type t = kni_scalar_type(f32 ? KN_DT(C64) : KN_DT(C128));
    kni_pair x = {knk_load(k, buffer[0], map, KNK_NONE, KNK_NONE, KNK_NONE),
                  knk_load(k, buffer[1], map, KNK_NONE, KNK_NONE, KNK_NONE)};
    kni_pair y = {KNK_NONE, KNK_NONE};
    kni_rule e = {.n_in = 1, .n_out = 1, .v = &x, .xt = &t, .yt = &t};
    prim->expr(k, &e, &y);
    knk_store(k, buffer[2], map, y.re);
    knk_store(k, buffer[3], map, y.im);
    knx_error *error = knk_finish(k, &m->kernel);
    if (error) {
        fprintf(stderr, "%s: %s\n", prim->name, error->message);
        return free(m), NULL;
    }
    m->scratch = aligned_alloc(64, (interpreter_scratch(m->kernel) + 63) / 64 * 64);
    return m->scratch ? m : (machine_free(m), NULL);
}

static void run(machine *m)
{
    int64_t stride[] = {1}, n = LANES;
    knk_map_values map = {0, stride};
    void *buffer[] = {&m->part[0], &m->part[1], &m->part[2], &m->part[3]};
    knk_launch l = {buffer, &map, &n, NULL};
    knk_interpret(m->kernel, &l, m->scratch);
}

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 29 ^ *state >> 43;
}

/* A part of an argument: moderate, of any exponent, beside an interesting point, small, or zero. */
static double part(uint64_t *state, int kind, bool f32, double most)
{
    static const double points[] = {1, 0.5, 2, M_PI_2, M_PI, 1.5, 1e-300, 1e-20};
    double u = (double)(next(state) >> 11) * 0x1p-53, v = 0, point = points[next(state) >> 30 & 7];
    int top = f32 ? 126 : 1020, e = (int)(next(state) >> 33) % (2 * top) - top;
    switch (kind) {
    case 0: v = 4 * u; break;
    case 1: v = ldexp(1 + u, e); break;
    case 2: v = point + point * ldexp(u, -(int)(next(state) >> 33 & 63)); break;
    case 3: v = ldexp(u, -(int)(next(state) >> 33 & 63)); break;
    default: break;
    }
    v = v > most ? 100 * u : v;
    return next(state) >> 40 & 1 ? -v : v;
}

static void fill(machine *m, uint64_t *state, bool f32, double most)
{
    int kind[2] = {(int)(next(state) >> 33) % KINDS, (int)(next(state) >> 33) % KINDS};
    bool on_circle = next(state) >> 40 & 1;
    for (int i = 0; i < LANES; i++) {
        double re = part(state, kind[0], f32, most), im = part(state, kind[1], f32, most);
        double size = on_circle && kind[0] == 0 && kind[1] == 0 ? hypot(re, im) : 1;
        if (f32)
            m->part[0].f[i] = (float)(re / size), m->part[1].f[i] = (float)(im / size);
        else
            m->part[0].d[i] = re / size, m->part[1].d[i] = im / size;
    }
}

static double at(const machine *m, int i, int lane, bool f32)
{
    return f32 ? (double)m->part[i].f[lane] : m->part[i].d[lane];
}

/* Of two finite numbers; results that overflow or are poles do not count, the tests of the rules look at those. */
static double distance_in_plane(mpc_srcptr want, double re, double im, bool f32)
{
    double most = f32 ? (double)3.4028234663852886e38f : 1.7976931348623157e308;
    double want_re = fabs(mpfr_get_d(mpc_realref(want), MPFR_RNDN)),
           want_im = fabs(mpfr_get_d(mpc_imagref(want), MPFR_RNDN));
    if (!(want_re < most) || !(want_im < most))
        return 0;
    if (!isfinite(re) || !isfinite(im))
        return INFINITY;
    long e = f32 ? -149 : -1074, e_re = mpfr_regular_p(mpc_realref(want)) ? (long)mpfr_get_exp(mpc_realref(want)) : e,
         e_im = mpfr_regular_p(mpc_imagref(want)) ? (long)mpfr_get_exp(mpc_imagref(want)) : e;
    long place = (e_re > e_im ? e_re : e_im) - (f32 ? 24 : 53);
    mpfr_sub_d(mpc_realref(help), mpc_realref(want), re, MPFR_RNDN);
    mpfr_sub_d(mpc_imagref(help), mpc_imagref(want), im, MPFR_RNDN);
    mpc_mul_2si(help, help, -(place > e ? place : e), MPC_RNDNN);
    return hypot(mpfr_get_d(mpc_realref(help), MPFR_RNDN), mpfr_get_d(mpc_imagref(help), MPFR_RNDN));
}

static bool measure(const row *r, bool f32, uint64_t count, uint64_t seed)
{
    machine *m = machine_of(r->prim, f32);
    if (!m)
        return false;
    bool cancels = r->exact == mpc_log1p || r->exact == mpc_expm1;
    mpc_t x, y;
    mpc_init2(x, 64);
    mpc_init2(y, cancels ? EXACT_DIGITS : DIGITS);
    mpc_init2(help, cancels ? EXACT_DIGITS : DIGITS);
    double worst = 0, where[4] = {0};
    for (uint64_t done = 0; done < count; done += LANES) {
        fill(m, &seed, f32, r->most);
        run(m);
        for (int i = 0; i < LANES; i++) {
            double v[4];
            for (int p = 0; p < 4; p++)
                v[p] = at(m, p, i, f32);
            mpc_set_d_d(x, v[0], v[1], MPC_RNDNN);
            r->exact(y, x, MPC_RNDNN);
            double u = distance_in_plane(y, v[2], v[3], f32);
            if (u > worst)
                worst = u, memcpy(where, v, sizeof v);
        }
    }
    printf("%-10s %-4s %7.4f ulp of %g allowed, at %a%+ai: %a%+ai; %d nodes%s\n", r->prim->name, f32 ? "c64" : "c128",
           worst, r->bound, where[0], where[1], where[2], where[3], m->kernel->n_node,
           worst <= r->bound ? "" : "  TOO MUCH");
    fflush(stdout);
    mpc_clear(x), mpc_clear(y), mpc_clear(help);
    machine_free(m);
    return worst <= r->bound;
}

bool measure_complex(const char *name, const char *dtype, uint64_t count, uint64_t seed)
{
    bool fine = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int f32 = 1; f32 >= 0; f32--)
            if ((!name || !strcmp(name, rows[i].prim->name)) && (!dtype || !strcmp(dtype, f32 ? "c64" : "c128")))
                fine &= measure(&rows[i], f32, count, seed);
    return fine;
}
