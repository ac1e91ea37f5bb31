/* SPDX-License-Identifier: Apache-2.0
 * accuracy.c -- how far elementwise functions are from their exact values, at most.
 *
 *     accuracy [FUNCTION] [f32|f64|c64|c128] [--all] [--count N] [--seed N]
 *     accuracy [FUNCTION] [f32|f64] --speed
 *
 * prints for each function the largest error that was found, in units of the last place, and the argument; a function
 * that exceeds the bound of its row makes the program fail. --all looks at all arguments of float32 (of functions of
 * one argument), and at 10^7 ones of float64; else 25,000 are taken, 500,000 with KILN_TEST_LONG=1. --speed prints how
 * long the interpreter takes for a result instead. */
#include "accuracy.h"
#include "kernel/kernel.h"
#include "support/scratch.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNARY(name, public, letters, derivative, expr, cexpr, libm, low, high, error, text) \
    {&knp_prim_##name, low, high, error},
static const function functions[] = {
#include "ir/unary.def"
    {&knp_prim_pow, 0.01, 9, 1},
    {&knp_prim_atan2, -2, 2, 1},
    {&knp_prim_hypot, -9, 9, 1},
};
#undef UNARY
enum { N_FUNCTION = sizeof functions / sizeof *functions, LANES = 4096 };

typedef struct machine {
    knk_kernel *kernel;
    void *scratch;
    bool f32;
    union {
        float f[LANES];
        double d[LANES];
    } x[2], y;
} machine;

typedef struct worst {
    double ulp, x[2], got;
} worst;

static machine *machine_of(const function *f, bool f32)
{
    static const uint8_t cls[] = {KNK_STRIDE_ONE};
    machine *m = calloc(1, sizeof *m);
    knk_builder *k = knk_new(1);
    if (!m || !k)
        return NULL;
    knx_dtype_id d = f32 ? KN_ID_F32 : KN_ID_F64;
    m->f32 = f32;
    knk_begin_stage(k, 0);
    int buffer[] = {knk_add_buffer(k, d, false), knk_add_buffer(k, d, false)}, out = knk_add_buffer(k, d, true);
    int map = knk_add_map(k, cls);
    kni_type t[2] = {kni_scalar_type(f32 ? KN_DT(F32) : KN_DT(F64)), kni_scalar_type(f32 ? KN_DT(F32) : KN_DT(F64))};
    kni_pair x[2], y = {KNK_NONE, KNK_NONE};
    for (int i = 0; i < 2; i++)
        x[i] = (kni_pair){i < f->prim->n_in ? knk_load(k, buffer[i], map, KNK_NONE, KNK_NONE, KNK_NONE) : KNK_NONE,
                          KNK_NONE};
    kni_rule e = {.n_in = f->prim->n_in, .n_out = 1, .v = x, .xt = t, .yt = t};
    f->prim->expr(k, &e, &y);
    knk_store(k, out, map, y.re);
    knx_error *error = knk_finish(k, &m->kernel);
    if (error) {
        fprintf(stderr, "%s: %s\n", f->prim->name, error->message);
        exit(2);
    }
    m->scratch = aligned_alloc(64, (interpreter_scratch(m->kernel) + 63) / 64 * 64);
    return m->scratch ? m : NULL;
}

static void machine_free(machine *m)
{
    knk_release(m->kernel);
    free(m->scratch);
    free(m);
}

static void run(machine *m, int64_t n)
{
    int64_t stride[] = {1};
    knk_map_values map = {0, stride};
    void *buffer[] = {&m->x[0], &m->x[1], &m->y};
    knk_launch l = {buffer, &map, &n, NULL};
    knk_interpret(m->kernel, &l, m->scratch);
}

static double exact_distance(const reference *r, const double *x, double got, bool f32)
{
    static mpfr_t a, b, y;
    static bool ready;
    if (!ready)
        mpfr_inits2(PRECISION, a, b, y, (mpfr_ptr)0), ready = true;
    mpfr_set_d(a, x[0], MPFR_RNDN);
    if (r->one)
        r->one(y, a, MPFR_RNDN);
    else
        mpfr_set_d(b, x[1], MPFR_RNDN), r->two(y, a, b, MPFR_RNDN);
    double u = distance(got, y, f32);
    if (!r->reflected || !(x[0] < 0) || !(u > 0) || !mpfr_regular_p(y))
        return u;
    mpfr_neg(a, a, MPFR_RNDN);
    r->one(b, a, MPFR_RNDN);
    long e = mpfr_regular_p(b) && mpfr_get_exp(b) > 1 ? (long)mpfr_get_exp(b) : 1, here = (long)mpfr_get_exp(y);
    return here < e ? ldexp(u, (int)(here - e)) : u;
}

static void note(worst *w, const reference *r, const double *x, double got, bool f32)
{
    double u = exact_distance(r, x, got, f32);
    if (u > w->ulp)
        *w = (worst){u, {x[0], x[1]}, got};
}

/* The value of the last place of a float32 near x. */
static double place_of(double x)
{
    uint64_t bits;
    double place;
    memcpy(&bits, &x, 8);
    bits = bits & (uint64_t)0x7ff << 52;
    bits = bits > (uint64_t)(1023 - 126) << 52 ? bits - ((uint64_t)23 << 52) : (uint64_t)(1023 - 149) << 52;
    memcpy(&place, &bits, 8);
    return place;
}

/* All floats. libm's double says which are worth a closer look; errors of up to half a unit are not. */
static worst all_floats(machine *m, const reference *r)
{
    worst w = {.ulp = 0.5};
    for (uint64_t first = 0; first < (uint64_t)1 << 32; first += LANES) {
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t b = (uint32_t)first + i;
            memcpy(&m->x[0].f[i], &b, 4);
        }
        run(m, LANES);
        for (int i = 0; i < LANES; i++) {
            double x = m->x[0].f[i], got = m->y.f[i], want = r->libm(x);
            bool same = isnan(got) ? isnan(want) : got == (double)(float)want && !signbit(got) == !signbit(want);
            bool special = isnan(got) || isinf(got) || got == 0 || isnan(want);
            if (special ? !same : fabs(got - want) >= (w.ulp - 1e-6) * place_of(want))
                note(&w, r, (double[]){x, 0}, got, true);
        }
    }
    return w;
}

static worst samples(machine *m, const function *f, const reference *r, uint64_t count, uint64_t seed)
{
    worst w = {0};
    inputs in;
    if (!inputs_begin(&in, f, r, m->f32, seed))
        return (worst){.ulp = NAN};
    for (uint64_t done = 0; done < count; done += LANES) {
        for (int i = 0; i < LANES; i++) {
            double x[2];
            inputs_next(&in, x);
            for (int o = 0; o < 2; o++)
                if (m->f32)
                    m->x[o].f[i] = (float)x[o];
                else
                    m->x[o].d[i] = x[o];
        }
        run(m, LANES);
        for (int i = 0; i < LANES && m->f32; i++)
            note(&w, r, (double[]){m->x[0].f[i], m->x[1].f[i]}, m->y.f[i], true);
        for (int i = 0; i < LANES && !m->f32; i++)
            note(&w, r, (double[]){m->x[0].d[i], m->x[1].d[i]}, m->y.d[i], false);
    }
    inputs_end(&in);
    return w;
}

/* Nanoseconds per result, for arguments of the tests' domain: the fastest of some runs. */
static double speed(machine *m, const function *f)
{
    double best = INFINITY;
    for (int i = 0; i < LANES; i++)
        for (int o = 0; o < 2; o++) {
            double x = f->lo + (f->hi - f->lo) * ((double)((i * 2654435761u + (unsigned)o * 40503u) & 0xffff) / 65536);
            if (m->f32)
                m->x[o].f[i] = (float)x;
            else
                m->x[o].d[i] = x;
        }
    for (int round = 0; round < 200; round++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        for (int i = 0; i < 10; i++)
            run(m, LANES);
        clock_gettime(CLOCK_MONOTONIC, &to);
        double ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
        best = fmin(best, ns / (10.0 * LANES));
    }
    return best;
}

typedef struct options {
    const char *name, *dtype;
    bool all, speed;
    uint64_t count, seed;
} options;

static bool measure(const function *f, bool f32, const options *o)
{
    const reference *r = reference_of(f->prim->name);
    if (!r)
        return printf("%-10s has no reference here\n", f->prim->name), true;
    machine *m = machine_of(f, f32);
    if (!m)
        return false;
    if (o->speed) {
        printf("%-10s %s %7.2f ns, %d nodes\n", f->prim->name, f32 ? "f32" : "f64", speed(m, f), m->kernel->n_node);
        machine_free(m);
        return true;
    }
    bool all = o->all && f32 && r->libm;
    worst w = all ? all_floats(m, r) : samples(m, f, r, o->count, o->seed);
    bool fine = w.ulp <= (f->ulp > 0.5 ? f->ulp : 0.5); /* 0: rounded as they should be */
    printf("%-10s %s %7.4f ulp of %g allowed, at %a", f->prim->name, f32 ? "f32" : "f64", w.ulp, f->ulp, w.x[0]);
    if (r->two)
        printf(", %a", w.x[1]);
    printf(": %a; %d nodes%s%s\n", w.got, m->kernel->n_node, all ? ", all arguments" : "", fine ? "" : "  TOO MUCH");
    fflush(stdout);
    machine_free(m);
    return fine;
}

int main(int argc, char **argv)
{
    options o = {.count = getenv("KILN_TEST_LONG") ? 500000 : 25000, .seed = 1};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--all"))
            o.all = true, o.count = 10000000;
        else if (!strcmp(argv[i], "--speed"))
            o.speed = true;
        else if (!strcmp(argv[i], "--count") && i + 1 < argc)
            o.count = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            o.seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "f32") || !strcmp(argv[i], "f64") || !strcmp(argv[i], "c64") ||
                 !strcmp(argv[i], "c128"))
            o.dtype = argv[i];
        else
            o.name = argv[i];
    }
    bool fine = true, known = !o.name;
    for (int i = 0; i < N_FUNCTION; i++) {
        if (o.name && strcmp(o.name, functions[i].prim->name) != 0)
            continue;
        known = true;
        for (int f32 = 1; f32 >= 0; f32--)
            if (!o.dtype || !strcmp(o.dtype, f32 ? "f32" : "f64"))
                fine &= measure(&functions[i], f32, &o);
    }
    if (!known)
        fprintf(stderr, "there is no function %s\n", o.name);
#ifdef KN_HAVE_MPC
    fine &= (o.dtype && o.dtype[0] == 'f') || measure_complex(o.name, o.dtype, o.count / 10, o.seed);
#endif
    mpfr_free_cache();
    return fine && known ? 0 : 1;
}
