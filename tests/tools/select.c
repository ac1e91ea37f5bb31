/* SPDX-License-Identifier: Apache-2.0
 * select.c -- a small set of kernels that covers a large one: operations by dtype, loops and neighbours in the graph,
 * reductions, casts, ways of access. */
#include "kernel/internal.h"
#include "tools/kernels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURES = 1 << 16, MOST_BYTES = 8000 };

typedef struct candidate {
    const char *path;
    char *text;
    size_t bytes;
} candidate;

static int by_size(const void *a_, const void *b_)
{
    const candidate *a = a_, *b = b_;
    return a->bytes != b->bytes ? (a->bytes < b->bytes ? -1 : 1) : strcmp(a->path, b->path);
}

static unsigned feature(unsigned kind, unsigned a, unsigned b, unsigned c, unsigned d)
{
    uint64_t x = ((uint64_t)kind << 40) + ((uint64_t)a << 32) + (b << 20) + (c << 10) + d;
    return (unsigned)((x * 0x9e3779b97f4a7c15u) >> 48);
}

/* Marks what a kernel has; returns how much of it was new. */
static int mark(const knk_kernel *k, uint8_t *seen)
{
    int fresh = 0;
#define FEATURE(...) (fresh += !seen[feature(__VA_ARGS__)], seen[feature(__VA_ARGS__)] = 1)
    for (int i = 0; i < k->n_node; i++) {
        const knk_inst *n = &k->node[i];
        unsigned loops = k->stage[n->stage].n_inner ? 1 : 0;
        FEATURE(0, n->op, n->dtype, n->sub, n->op == KNK_REDUCE && loops);
        if (n->map >= 0) {
            const uint8_t *cls = k->map[n->map].cls;
            int last = k->n_par + k->stage[n->stage].n_inner - 1;
            FEATURE(1, n->op, n->dtype, last >= 0 ? cls[last] : 3, (n->a >= 0) + 2 * (n->b >= 0));
        }
        for (int j = 0; j < 3; j++)
            if (knk_operand(n, j) >= 0) {
                const knk_inst *o = &k->node[knk_operand(n, j)];
                FEATURE(2, n->op, 0, o->stage == n->stage, 0);
            }
    }
    FEATURE(3, (unsigned)k->n_stage, (unsigned)(k->n_par < 3 ? k->n_par : 3), 0, 0);
    return fresh;
}

static bool copy(const candidate *c, const char *folder)
{
    char to[4600];
    const char *base = strrchr(c->path, '/');
    snprintf(to, sizeof to, "%s/%s", folder, base ? base + 1 : c->path);
    FILE *f = fopen(to, "w");
    if (!f)
        return false;
    bool fine = fputs(c->text, f) >= 0;
    return !fclose(f) && fine;
}

int tool_select(const char *folder, int n, char **path)
{
    candidate *c = calloc((size_t)n + 1, sizeof *c);
    uint8_t *seen = calloc(FEATURES, 1);
    int kept = 0;
    if (!c || !seen)
        return 1;
    for (int i = 0; i < n; i++) {
        c[i].path = path[i];
        c[i].text = tool_read(path[i]);
        c[i].bytes = c[i].text ? strlen(c[i].text) : 0;
    }
    qsort(c, (size_t)n, sizeof *c, by_size);
    for (int i = 0; i < n; i++) {
        kernel_case k;
        knx_error *e = c[i].text && c[i].bytes < MOST_BYTES ? kernel_case_parse(c[i].text, &k) : NULL;
        if (c[i].text && c[i].bytes < MOST_BYTES && !e) {
            if (kernel_case_points(&k) > 0 && mark(k.k, seen))
                kept += copy(&c[i], folder);
            kernel_case_free(&k);
        }
        knx_error_release(e);
        free(c[i].text);
    }
    printf("%d of %d kernels\n", kept, n);
    free(c);
    free(seen);
    return 0;
}
