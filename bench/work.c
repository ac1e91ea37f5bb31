/* SPDX-License-Identifier: Apache-2.0
 * work.c -- what a table's row says is made and run. */
#include "work.h"
#include "inputs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct work_state {
    kn_scope scope;
    const bench_work *w;
    double tolerance;
    work_arrays in;
    kn_fn f;
    work_memory memory;
    char path[WORK_INPUTS][64], text[512];
} work_state;

typedef struct call {
    kn_array (*f)(const work_arrays *);
} call;
static kn_array apply(const call *c, const work_arrays *in) { return c->f(in); }
KN_FUNCTION_ENV(apply, kn_array, call, work_arrays)

/* ---- Inputs. */

typedef struct words {
    char dtype[16], kind[16];
    kn_shape shape;
    int64_t n;
    double low, high;
} words;

static words words_of(const char *text)
{
    words w = {.kind = "uniform", .n = 1, .high = 1};
    char shape[64] = "";
    int numbers = sscanf(text, "%15s %63s %15s %lf %lf", w.dtype, shape, w.kind, &w.low, &w.high);
    for (char *p = shape; *p; p += *p == 'x') {
        w.shape.dim[w.shape.ndim++] = (int64_t)strtod(p, &p);
        w.n *= w.shape.dim[w.shape.ndim - 1];
    }
    if (numbers < 4 && strchr("iu", *w.dtype)) { /* all that the dtype has, within what int64 has */
        int bits = atoi(w.dtype + strcspn(w.dtype, "0123456789"));
        w.low = *w.dtype == 'u' ? 0 : -ldexp(1, bits - 1);
        w.high = w.low + ldexp(1, bits);
    }
    return w;
}

/* Sixty-four bits of a position: splitmix64. */
static uint64_t bits_of(int64_t i, int salt)
{
    uint64_t z = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)salt * UINT64_C(0xd1342543de82ef95);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double unit_of(int64_t i, int salt) { return (double)(bits_of(i, salt) >> 11) * 0x1p-53; }

/* Between 0 and 1, 1 left out. */
static double part_of(const words *w, int64_t i, int salt)
{
    double n = (double)w->n;
    switch (*w->kind) {
    case 'r': return (double)i / n;
    case 'f': return w->kind[1] == 'a' ? (double)(w->n - 1 - i) / n : (double)(bits_of(i, salt) >> 60) / 16;
    case 'p': return (double)(i < w->n - i ? 2 * i : 2 * (w->n - i) - 1) / n;
    case 's': return 0.5;
    case 'n': return i % 100 == 7 ? NAN : unit_of(i, salt);
    default: return unit_of(i, salt);
    }
}

static double real_of(const words *w, int64_t i, int salt)
{
    if (*w->kind == 'w')
        return sin((double)i * (1.7 + 0.1 * salt));
    return *w->kind == 't' ? unit_of(i, salt) < w->low : w->low + (w->high - w->low) * part_of(w, i, salt);
}

static kn_array made_of(const words *w, int salt)
{
    bool integer = strchr("iu", *w->dtype) != NULL, is_complex = *w->dtype == 'c';
    double *to = malloc((size_t)w->n * (is_complex ? 16 : 8));
    int64_t *whole = (int64_t *)(void *)to;
    if (!to)
        return NULL;
    for (int64_t i = 0; i < w->n; i++)
        if (is_complex)
            to[2 * i] = real_of(w, i, salt), to[2 * i + 1] = real_of(w, i, salt + 50);
        else if (integer && w->high - w->low >= 0x1p63)
            whole[i] = *w->kind == 'u' ? (int64_t)bits_of(i, salt) : (int64_t)((part_of(w, i, salt) - 0.5) * 0x1p63);
        else if (integer)
            whole[i] = (int64_t)floor(real_of(w, i, salt));
        else
            to[i] = real_of(w, i, salt);
    kn_array x = kn_from_memory(to, &w->shape, integer ? KN_I64 : is_complex ? KN_C128 : KN_F64);
    free(to);
    x = kn_astype(x, kn_dtype_named(w->dtype));
    kn_eval(x);
    return x;
}

/* The file is of a type that NumPy has. */
static void save(work_state *s, int i, kn_array x)
{
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(s->path[i], sizeof s->path[i], "%s/kiln-bench-%d-%d.npy", folder, (int)getpid(), i);
    kn_save(s->path[i], kn_dtype_of(x) == KN_BF16 ? kn_astype(x, KN_F32) : x);
    size_t end = strlen(s->text);
    snprintf(s->text + end, sizeof s->text - end, " %s %s", s->path[i], kn_dtype_name(kn_dtype_of(x)));
}

static void tell_memory(work_state *s, int i, kn_array x)
{
    s->memory.in[i] = kn_data_bytes(x, kn_dtype_of(x));
    s->memory.n[i] = kn_size(x);
    for (int k = 0; k < kn_ndim(x) && k < WORK_MAX_NDIM; k++)
        s->memory.dim[i][k] = kn_dim(x, k);
}

void *work_setup(const bench_case *c)
{
    work_state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->scope = kn_scope_begin();
    s->w = c->work;
    s->tolerance = c->tolerance;
    snprintf(s->text, sizeof s->text, "%s %s", c->name, c->work->function);
    kn_array *in[WORK_INPUTS] = {&s->in.a, &s->in.b, &s->in.c};
    for (int i = 0; i < WORK_INPUTS; i++) {
        *in[i] = s->in.a;
        if (!c->work->in[i])
            continue;
        words w = words_of(c->work->in[i]);
        *in[i] = made_of(&w, i);
        save(s, i, *in[i]);
        if (c->work->c)
            tell_memory(s, i, *in[i]);
    }
    if (!c->work->eager)
        s->f = kn_jit(KN_FN_ENV(apply, &((call){c->work->f})));
    return s;
}

const char *work_text(void *state) { return ((work_state *)state)->text; }

void work_teardown(void *state)
{
    work_state *s = state;
    for (int i = 0; i < WORK_INPUTS; i++)
        if (*s->path[i])
            unlink(s->path[i]);
    free(s->memory.out);
    kn_scope_end(&s->scope);
    free(s);
}

/* ---- Running. */

static kn_array result(const work_state *s)
{
    kn_array y;
    if (s->w->eager)
        kn_eval(y = s->w->f(&s->in));
    else
        kn_call(s->f, &y, &s->in);
    return y;
}

double work_run(void *state, int times)
{
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        result(state);
    }
    return bench_now() - start;
}

int work_values(void *state, double *out)
{
    KN_SCOPE;
    const work_state *s = state;
    kn_array y = result(s);
    if (s->w->shown)
        y = s->w->shown(y, &s->in);
    if (kn_size(y) == 0)
        return 0;
    if (kn_dtype_kind(kn_dtype_of(y)) == 'c')
        return bench_picks(kn_real(y), out, 4) + bench_picks(kn_imag(y), out + 4, 4);
    return bench_picks(y, out, BENCH_MAX_VALUES);
}

kn_array work_moments(kn_array y, const work_arrays *in)
{
    (void)in;
    kn_array x = kn_astype(y, KN_F64);
    return kn_stack(KN_LIST(kn_mean(x), kn_mean(kn_mul(x, x))));
}

/* ---- Plain C. */

double work_run_c(void *state, int times)
{
    const work_state *s = state;
    if (!s->w->c || !s->memory.out)
        return -1;
    double start = bench_now();
    for (int i = 0; i < times; i++)
        s->w->c(&s->memory);
    return bench_now() - start;
}

/* All elements are compared, as parts of the largest one. */
double work_differs(void *state, int other)
{
    KN_SCOPE;
    work_state *s = state;
    (void)other;
    if (!s->w->c)
        return -1;
    kn_array y = result(s);
    s->memory.n_out = kn_size(y);
    s->memory.out = calloc((size_t)kn_nbytes(y) / 64 + 2, 64);
    if (!s->memory.out)
        return -1;
    s->w->c(&s->memory);
    kn_shape shape = kn_shape_of(y);
    kn_dtype wide = kn_dtype_kind(kn_dtype_of(y)) == 'c' ? KN_C128 : KN_F64;
    kn_array theirs = kn_astype(kn_from_memory(s->memory.out, &shape, kn_dtype_of(y)), wide);
    double gap = kn_item(kn_max(kn_abs(kn_sub(kn_astype(y, wide), theirs))));
    return gap == 0 ? 0 : gap / (s->tolerance * kn_item(kn_max(kn_abs(theirs))));
}
