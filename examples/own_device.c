/* SPDX-License-Identifier: Apache-2.0
 * own_device.c -- a device of one's own (docs/providers.md): it keeps values in a heap that nobody else can read, has a
 * product of matrices and a sort of its own, and lets Kiln interpret kernels over its heap. What it refuses runs on the
 * host, with the copies that this needs. */
#include <kiln/kiln.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The heap: values have numbers, which are handed out in place of addresses. */

enum { HEAP = 1 << 20, PIECES = 256, UNIT = 64 };
typedef struct piece {
    size_t at, bytes; /* bytes: 0: nothing is there */
} piece;
typedef struct heap {
    _Alignas(UNIT) char memory[HEAP];
    piece piece[PIECES + 1]; /* number 0 is none */
    int kernels, products, sorts, refusals;
    const char *wrong;
} heap;

static piece *piece_of(heap *h, void *memory) { return &h->piece[(uintptr_t)memory]; }

/* The first room behind some other piece, or at the beginning. */
static bool is_free(const heap *h, size_t at, size_t bytes)
{
    for (int i = 1; i <= PIECES; i++)
        if (h->piece[i].bytes && at < h->piece[i].at + h->piece[i].bytes && h->piece[i].at < at + bytes)
            return false;
    return at + bytes <= HEAP;
}

static int take(void *env, size_t bytes, void **memory)
{
    heap *h = env;
    size_t whole = (bytes / UNIT + 1) * UNIT;
    for (int i = 0; i <= PIECES; i++) {
        size_t at = i ? h->piece[i].at + h->piece[i].bytes : 0;
        if ((i && !h->piece[i].bytes) || !is_free(h, at, whole))
            continue;
        for (int k = 1; k <= PIECES; k++)
            if (!h->piece[k].bytes) {
                h->piece[k] = (piece){at, whole};
                *memory = (void *)(uintptr_t)k;
                return 0;
            }
    }
    h->wrong = "the heap is full";
    return 1;
}

static void give_back(void *env, void *memory) { *piece_of(env, memory) = (piece){0}; }

static char *address(heap *h, void *memory, size_t at) { return h->memory + piece_of(h, memory)->at + at; }

static int copy_in(void *env, void *to, size_t at, const void *from, size_t bytes)
{
    memcpy(address(env, to, at), from, bytes);
    return 0;
}

static int copy_out(void *env, void *to, void *from, size_t at, size_t bytes)
{
    memcpy(to, address(env, from, at), bytes);
    return 0;
}

static int copy(void *env, void *to, size_t to_at, void *from, size_t from_at, size_t bytes)
{
    memmove(address(env, to, to_at), address(env, from, from_at), bytes);
    return 0;
}

/* ---- Products: c[m, n] += a[m, k] * b[n, k], over all dimensions of each group. */

static int64_t count(const kn_provider_group *g)
{
    int64_t n = 1;
    for (int d = 0; d < g->n; d++)
        n *= g->extent[d];
    return n;
}

/* Where index number i of a group is, with these strides. */
static int64_t position(const kn_provider_group *g, const int64_t *stride, int64_t i)
{
    int64_t at = 0;
    for (int d = g->n - 1; d >= 0; d--) {
        at += i % g->extent[d] * stride[d];
        i /= g->extent[d];
    }
    return at;
}

static void multiply(const kn_provider_product *p, const float *a, const float *b, float *c)
{
    a += p->a_offset, b += p->b_offset, c += p->c_offset;
    for (int64_t s = 0; s < count(&p->batch); s++)
        for (int64_t m = 0; m < count(&p->m); m++)
            for (int64_t n = 0; n < count(&p->n); n++) {
                const float *x = a + position(&p->batch, p->batch.a, s) + position(&p->m, p->m.a, m);
                const float *y = b + position(&p->batch, p->batch.b, s) + position(&p->n, p->n.b, n);
                float sum = 0;
                for (int64_t k = 0; k < count(&p->k); k++)
                    sum += x[position(&p->k, p->k.a, k)] * y[position(&p->k, p->k.b, k)];
                c[position(&p->batch, p->batch.c, s) + position(&p->m, p->m.c, m) + position(&p->n, p->n.c, n)] = sum;
            }
}

/* ---- Sorts along the last axis. */

/* NaNs come last. */
static int by_size(const void *x, const void *y)
{
    float a = *(const float *)x, b = *(const float *)y;
    return a != a || b != b ? (a != a) - (b != b) : (a > b) - (a < b);
}

static bool is_plain_sort(const kn_provider_step *s)
{
    char want[32];
    if (strcmp(s->name, "sort") != 0 || s->n_in != 1 || s->type[0].dtype != KN_F32)
        return false;
    snprintf(want, sizeof want, "dimension=%d", s->type[0].ndim - 1);
    return strstr(s->params, want) != NULL;
}

static void sort(const kn_provider_type *t, const float *x, float *y)
{
    int64_t n = t->dim[t->ndim - 1], rows = 1;
    for (int d = 0; d < t->ndim - 1; d++)
        rows *= t->dim[d];
    memcpy(y, x, (size_t)(rows * n) * sizeof *y);
    for (int64_t r = 0; r < rows; r++)
        qsort(y + r * n, (size_t)n, sizeof *y, by_size);
}

/* ---- Steps. */

static const char *refuses(void *env, const kn_provider_step *step)
{
    heap *h = env;
    if (step->kind == KN_STEP_KERNEL || step->kind == KN_STEP_COPY ||
        (step->kind == KN_STEP_ROUTINE && is_plain_sort(step)))
        return NULL;
    const kn_provider_product *p = step->product;
    if (p && p->operand == KN_F32 && p->result == KN_F32 && !p->n_window)
        return NULL;
    h->refusals++;
    return "it knows plain sorts and products of float32 only";
}

static int launch(void *env, const kn_provider_step *step, void *prepared, const kn_provider_place *at)
{
    heap *h = env;
    void *where[64];
    (void)prepared;
    if (step->n > 64) {
        h->wrong = "a step has too many values";
        return 1;
    }
    for (int i = 0; i < step->n; i++)
        where[i] = at[i].memory ? address(h, at[i].memory, at[i].offset) : (void *)(uintptr_t)at[i].bits;
    h->wrong = NULL;
    if (step->product) {
        h->products++;
        multiply(step->product, where[step->product->a], where[step->product->b], where[step->product->c]);
        return 0;
    }
    if (step->kind == KN_STEP_ROUTINE) {
        h->sorts++;
        sort(&step->type[0], where[0], where[1]);
        return 0;
    }
    h->kernels += step->kind == KN_STEP_KERNEL;
    return kn_provider_run_here(step, where);
}

static const char *wrong(void *env) { return ((heap *)env)->wrong; }

/* ---- A program that runs there. */

int main(void)
{
    static heap mine;
    const kn_provider table = {.size_ = sizeof table,
                               .name = "heap:0",
                               .env = &mine,
                               .no_dtypes = 1U << 12 | 1U << 14, /* float64, complex128: the host's */
                               .is_default = true,
                               .alloc = take,
                               .free = give_back,
                               .copy_in = copy_in,
                               .copy_out = copy_out,
                               .copy = copy,
                               .refuses = refuses,
                               .launch = launch,
                               .error = wrong};
    if (kn_register_device(&table))
        return 1;
    {
        KN_SCOPE;
        kn_array x = kn_reshape(kn_arange(0, 12, 1, KN_F32), KN_SHAPE(3, 4));
        kn_array w = kn_reshape(kn_sin(kn_arange(0, 20, 1, KN_F32)), KN_SHAPE(4, 5));
        kn_array y = kn_sort(kn_matmul(kn_div(x, 2), kn_rint(kn_mul(w, 8))));
        kn_print(y);
        kn_print(kn_argsort(kn_negative(y))); /* no sort that it knows */
        kn_print(kn_sum(kn_mul(kn_astype(y, KN_F64), 0.5)));
    }
    kn_device_counts c = {.size_ = sizeof c};
    kn_device_count("heap:0", &c);
    printf("%s kernels, %d product, %d sort there; %s\n", mine.kernels > 0 ? "some" : "no", mine.products, mine.sorts,
           mine.refusals ? "some steps on the host" : "all of it there");
    printf("launches are counted: %s\n", c.launches >= mine.kernels + mine.products + mine.sorts ? "yes" : "no");
    kn_unregister_device("heap:0");
    int left = 0;
    for (int i = 1; i <= PIECES; i++)
        left += mine.piece[i].bytes != 0;
    printf("%d pieces of the heap are left\n", left);
    return kn_finish();
}
