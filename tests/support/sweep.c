/* SPDX-License-Identifier: Apache-2.0
 * sweep.c -- pseudo-random cases: their numbers, operands and judges. */
#define _GNU_SOURCE
#include "support/sweep.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers. */

static uint64_t state;
void sweep_begin(uint64_t seed) { state = seed * 0x2545f4914f6cdd1du; }
uint64_t sweep_random64(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
int64_t sweep_below(int64_t n) { return (int64_t)(sweep_random64() % (uint64_t)n); }
int64_t sweep_one_of(int n, const int64_t *of) { return of[sweep_below(n)]; }

int64_t sweep_product(int64_t n, const int64_t *x)
{
    int64_t all = 1;
    for (int64_t i = 0; i < n; i++)
        all *= x[i];
    return all;
}

void sweep_unravel(int64_t i, int64_t n, const int64_t *extent, int64_t *to)
{
    for (int64_t d = n - 1; d >= 0; d--) {
        to[d] = i % extent[d];
        i /= extent[d];
    }
}

/* ---- Operands. */

static void choose_axis(sweep_axis *x, bool plain, int *wide)
{
    x->step = plain ? 1 : SWEEP_ONE_OF(1, 1, 1, 2, -1, -2, 3);
    if (x->extent > 40 && (x->step > 1 || x->step < -1) && (*wide)++) /* one long axis with gaps is enough */
        x->step = 1;
    x->spread = !plain && sweep_below(8) == 0;
    int64_t size = x->step < 0 ? -x->step : x->step;
    int64_t covered = x->extent ? (x->extent - 1) * size + 1 : 0;
    x->start = plain ? 0 : x->step < 0 ? sweep_below(size) : SWEEP_ONE_OF(0, 0, 1, 3);
    x->stored = x->start + covered + (plain || x->step < 0 ? 0 : sweep_below(3));
    if (x->step < 0 && !x->extent)
        x->stored = 0;
    if (x->spread)
        x->stored = 1;
}

void sweep_lay_out(sweep_operand *o)
{
    int wide = 0;
    for (int64_t i = 0; i < o->n; i++)
        o->order[i] = i;
    for (int64_t i = o->n - 1; i > 0 && sweep_below(3); i--) {
        int64_t j = sweep_below(i + 1), held = o->order[i];
        o->order[i] = o->order[j];
        o->order[j] = held;
    }
    bool plain = sweep_below(2);
    for (int64_t i = 0; i < o->n; i++)
        choose_axis(&o->axis[i], plain, &wide);
}

void sweep_show(const char *name, const sweep_operand *o)
{
    fprintf(stderr, "  %s:", name);
    for (int64_t i = 0; i < o->n; i++)
        fprintf(stderr, " [%lld start %lld step %lld of %lld%s] stored as %lld", (long long)o->axis[i].extent,
                (long long)o->axis[i].start, (long long)o->axis[i].step, (long long)o->axis[i].stored,
                o->axis[i].spread ? ", spread" : "", (long long)o->order[i]);
    fprintf(stderr, "\n");
}

int64_t sweep_place(const sweep_operand *o, const int64_t *at)
{
    int64_t step = 1, offset = 0;
    for (int64_t i = o->n - 1; i >= 0; i--) {
        const sweep_axis *x = &o->axis[o->order[i]];
        int64_t index = at[o->order[i]] * x->step + (x->step > 0 ? x->start : x->stored - 1);
        offset += x->spread ? 0 : step * index;
        step *= x->stored;
    }
    return offset;
}

kn_shape sweep_stored_shape(const sweep_operand *o)
{
    kn_shape shape = {.ndim = (int)o->n};
    for (int64_t i = 0; i < o->n; i++)
        shape.dim[i] = o->axis[o->order[i]].stored;
    return shape;
}
int64_t sweep_stored_size(const sweep_operand *o)
{
    kn_shape shape = sweep_stored_shape(o);
    return sweep_product(o->n, shape.dim);
}

kn_array sweep_view(const sweep_operand *o, kn_array x)
{
    char index[64 * SWEEP_MAX_AXES] = "";
    kn_axes back = {.n = (int)o->n + 1};
    kn_shape shape = {.ndim = (int)o->n};
    bool whole = true, spread = false, turned = false;
    for (int64_t i = 0; i < o->n; i++) {
        const sweep_axis *v = &o->axis[o->order[i]];
        char one[64] = ":";
        if (!v->spread && v->extent == 0)
            snprintf(one, sizeof one, ":0");
        else if (!v->spread && v->step > 0)
            snprintf(one, sizeof one, "%lld:%lld:%lld", (long long)v->start,
                     (long long)(v->start + (v->extent - 1) * v->step + 1), (long long)v->step);
        else if (!v->spread)
            snprintf(one, sizeof one, "%lld::%lld", (long long)(v->stored - 1), (long long)v->step);
        whole = whole && (v->spread || (v->step == 1 && v->stored == v->extent));
        spread = spread || v->spread;
        turned = turned || o->order[i] != i;
        snprintf(index + strlen(index), sizeof index - strlen(index), "%s%s", i ? "," : "", one);
        back.axis[o->order[i]] = (int32_t)i;
        shape.dim[i] = o->axis[i].extent;
    }
    if (!whole)
        x = kn_at(x, index);
    if (turned)
        x = kn_transpose(x, back);
    return spread ? kn_broadcast_to(x, shape) : x;
}

static double float_value(int kind, int64_t k)
{
    double x = (double)(sweep_random64() >> 40) * 0x1p-23 - 1;
    if (kind == SWEEP_ODD && sweep_below(k + 2) == 0)
        return (const double[]){-0.0, 0.0, INFINITY, -INFINITY, NAN, 1e-310, 0x1p-149, 3e38}[sweep_below(8)];
    if (kind == SWEEP_UNEVEN)
        return ldexp(x, (int)sweep_below(60) - 30);
    return x;
}

char *sweep_elements(kn_dtype d, int64_t n, int64_t k, int kind)
{
    kn_dtype part = knx_component(d);
    char *all = malloc((size_t)n * d->size + 1), *p = all;
    for (int64_t i = 0; i < n * (int64_t)(d->size / part->size); i++, p += part->size) {
        knx_scalar_bits s = d->kind == 'f' || d->kind == 'c' ? knx_scalar_from_double(part, float_value(kind, k))
                                                             : (knx_scalar_bits){.u64 = sweep_random64()};
        if (d->kind == 'b') /* so that sums are sometimes false */
            s.u8 = sweep_below(1 + (int64_t)sqrt((double)k)) == 0;
        memcpy(p, &s, part->size);
    }
    return all;
}

kn_array sweep_array(const char *elements, const kn_shape *shape, kn_dtype d)
{
    return (kn_from_memory)(elements, shape, d);
}

/* ---- Judging. */

void sweep_complain(uint64_t seed, const char *what, int64_t i, kn_dtype d, const void *got, const void *want)
{
    char x[96], y[96];
    fold_show(d, got, x, sizeof x);
    fold_show(d, want, y, sizeof y);
    fprintf(stderr, "KILN_TEST_SEED=%llu: %s: element %lld (%s) is %s, not %s\n", (unsigned long long)seed, what,
            (long long)i, kn_dtype_name(d), x, y);
}

sweep_values sweep_take(kn_array x)
{
    kn_eval(x);
    if (!kn_ok(x))
        return (sweep_values){0};
    sweep_values v = {kn_dtype_of(x), kn_size(x), NULL};
    v.at = malloc((size_t)v.n * v.d->size + 1);
    kn_copy_to(x, v.at, (size_t)v.n * v.d->size);
    return v;
}

bool sweep_equals(uint64_t seed, const char *what, kn_array x, const sweep_values *want)
{
    sweep_values got = sweep_take(x);
    bool good = got.at && got.d == want->d && got.n == want->n;
    int64_t i = good ? fold_differs(got.d, got.at, want->at, got.n) : 0;
    if (!good)
        fprintf(stderr, "KILN_TEST_SEED=%llu: %s: %s\n", (unsigned long long)seed, what,
                got.at ? "another shape or dtype" : kn_error_message());
    else if (i >= 0)
        sweep_complain(seed, what, i, got.d, got.at + i * (int64_t)got.d->size, want->at + i * (int64_t)got.d->size);
    free(got.at);
    return good && i < 0;
}

bool sweep_as_defined(uint64_t seed, int64_t i, const fold *f, const void *got)
{
    char want[16];
    fold_end(f, want);
    if (fold_differs(f->result, got, want, 1) >= 0)
        sweep_complain(seed, "not the bits of the definition", i, f->result, got, want);
    else if (fold_error(f, got) > 1)
        sweep_complain(seed, "less accurate than its order of additions allows", i, f->result, got, want);
    else
        return true;
    return false;
}

int sweep_failures(sweep_range seeds, bool (*check)(uint64_t seed))
{
    int bad = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; seed++)
        bad += !check(seed);
    return bad;
}

bool sweep_has_error(uint64_t seed)
{
    if (!kn_error_pending())
        return false;
    fprintf(stderr, "KILN_TEST_SEED=%llu: %s\n", (unsigned long long)seed, kn_error_message());
    kn_error_clear();
    return true;
}

bool sweep_chosen(void) { return getenv("KILN_TEST_SEED") != NULL; }
sweep_range sweep_seeds(uint64_t rounds, uint64_t thorough)
{
    if (!sweep_chosen())
        return (sweep_range){1, 1 + (getenv("KILN_TEST_LONG") ? thorough : rounds)};
    uint64_t seed = strtoull(getenv("KILN_TEST_SEED"), NULL, 0);
    return (sweep_range){seed, seed + 1};
}

/* ---- Backends. */

bool sweep_is_child(int argc, char **argv) { return argc == 4 && strcmp(argv[1], "--hashes") == 0; }

int sweep_print_hashes(char **argv, uint64_t (*hash)(uint64_t seed))
{
    const sweep_range all = {strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0)};
    for (uint64_t seed = all.first; seed < all.end; seed++) {
        KN_SCOPE;
        printf("%llu %llx\n", (unsigned long long)seed, (unsigned long long)hash(seed));
    }
    fflush(stdout);
    return kn_shutdown();
}

uint64_t sweep_hash(const sweep_values *v) { return v->at ? fold_hash(v->d, v->at, v->n) : 0; }

int sweep_backends(const char *program, const char *group, sweep_range seeds)
{
    static const char *const backends[] = {"avx512", "avx2", "base", "interp"};
    enum { BACKENDS = 4 };
    const char *emulator = getenv("KILN_TEST_EMULATOR"); /* of another CPU: tests/CMakeLists.txt */
    FILE *from[BACKENDS];
    int bad = 0;
    for (int i = 0; i < BACKENDS; i++) {
        char command[4096];
        snprintf(command, sizeof command, "KILN_BACKEND=%s %s '%s' %s --hashes %llu %llu", backends[i],
                 emulator ? emulator : "", program, group, (unsigned long long)seeds.first,
                 (unsigned long long)seeds.end);
        from[i] = popen(command, "r");
    }
    for (uint64_t seed = seeds.first; seed < seeds.end; seed++) {
        char line[BACKENDS][64] = {{0}};
        for (int i = 0; i < BACKENDS; i++) {
            bool same = from[i] && fgets(line[i], sizeof line[i], from[i]) && strcmp(line[i], line[0]) == 0;
            if (!same && bad++ < 20)
                fprintf(stderr, "KILN_TEST_SEED=%llu: %s differs from %s\n", (unsigned long long)seed, backends[i],
                        backends[0]);
        }
    }
    for (int i = 0; i < BACKENDS; i++)
        bad += !from[i] || pclose(from[i]) != 0;
    return bad;
}
