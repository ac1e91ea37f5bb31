/* SPDX-License-Identifier: Apache-2.0
 * stacks.c -- the column `rows`, proved: a routine run for some slices of its first axes gives these slices of what it
 * gives for all of them, to the bit, however they are cut. */
#include "bench.h"

#include <string.h>

/* The equation with the row's routine: of each array its type, its elements, and the bytes of a slice. */
typedef struct stack {
    kni_rule r;
    int lead, n, input[MAX_OPERANDS];
    int64_t slices;
    kni_type type[MAX_OPERANDS];
    int64_t dim[MAX_OPERANDS][MAX_RANK];
    void *data[MAX_OPERANDS];
    size_t bytes[MAX_OPERANDS];
} stack;

/* Runs slices first .. first + n - 1; y: where results of all slices begin. */
static bool run(bench *b, stack *s, int64_t first, int64_t n, void **y)
{
    const void *x[MAX_OPERANDS];
    void *to[MAX_OPERANDS];
    for (int k = 0; k < s->n; k++) {
        for (int d = 0; d < s->lead; d++)
            s->dim[k][d] = d == s->lead - 1 ? n : 1;
        if (k < s->r.n_in)
            x[k] = (char *)s->data[k] + s->bytes[k] * (size_t)first;
        else
            to[k - s->r.n_in] = (char *)y[k - s->r.n_in] + s->bytes[k] * (size_t)first;
    }
    s->r.threads = 1;
    size_t bytes = s->r.prim->workspace ? (size_t)s->r.prim->workspace(&s->r) : 0;
    const kni_routine_args args = {.x = x, .y = to, .workspace = tensor_alloc(&b->arena, bytes + 64), .threads = 1};
    kni_routine_args aligned = args;
    aligned.workspace = (char *)args.workspace + -(uintptr_t)args.workspace % 64;
    return bench_ok(b, s->r.prim->run(&s->r, &aligned), "a part of the stack");
}

/* The first equation of which a routine with rows does the work, if its operands are inputs. */
static bool find(const bench *b, stack *s, kni_type *xt)
{
    const kni_jaxpr *j = b->j;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        bool fits = e->prim->rows && e->n_in + e->n_out <= MAX_OPERANDS;
        for (uint32_t k = 0; fits && k < e->n_in; k++) {
            fits = kni_is_var(e->in[k]) && e->in[k] < j->n_const + j->n_in;
            xt[k] = kni_atom_type(j, e->in[k]);
            s->input[k] = fits ? (int)e->in[k] : 0;
        }
        if (!fits)
            continue;
        s->r = kni_rule_of(e, xt, &j->type[e->out]);
        s->lead = e->prim->rows(&s->r);
        s->n = (int)(e->n_in + e->n_out);
        return s->lead > 0;
    }
    return false;
}

void check_stack(bench *b)
{
    stack s = {.lead = 0};
    tensor x[MAX_VALUES];
    kni_type xt[MAX_OPERANDS];
    if (!find(b, &s, xt))
        return;
    bench_fill(b, false, 0, x);
    kni_type was[MAX_OPERANDS];
    void *whole[MAX_OPERANDS], *parts[MAX_OPERANDS];
    s.slices = 1;
    for (int k = 0; k < s.n; k++) {
        kni_type t = was[k] = k < s.r.n_in ? s.r.xt[k] : s.r.yt[k - s.r.n_in];
        if (t.ndim < s.lead || t.ndim > MAX_RANK) {
            bench_fail(b, "rows count %d axes, array %d has %d", s.lead, k, t.ndim);
            return;
        }
        int64_t slices = 1;
        s.bytes[k] = t.dtype->size;
        for (int d = 0; d < t.ndim; d++) {
            s.dim[k][d] = t.dim[d];
            slices *= d < s.lead ? t.dim[d] : 1;
            s.bytes[k] *= d < s.lead ? 1 : (size_t)t.dim[d];
            if (d < s.lead && t.dim[d] != was[0].dim[d])
                bench_fail(b, "array %d has other rows", k);
        }
        s.slices = slices;
        s.type[k] = t;
        s.type[k].dim = s.dim[k];
        size_t bytes = kni_type_bytes(t) + 1;
        if (k < s.r.n_in)
            s.data[k] = x[s.input[k]].data;
        else
            whole[k - s.r.n_in] = tensor_alloc(&b->arena, bytes), parts[k - s.r.n_in] = tensor_alloc(&b->arena, bytes);
    }
    s.r.xt = s.type;
    s.r.yt = s.type + s.r.n_in;
    if (b->failed || !s.slices || !run(b, &s, 0, s.slices, whole))
        return;
    for (int64_t n = 1; n < s.slices; n++) {
        for (int64_t first = 0; first < s.slices; first += n)
            if (!run(b, &s, first, first + n > s.slices ? s.slices - first : n, parts))
                return;
        for (int k = s.r.n_in; k < s.n; k++)
            if (memcmp(whole[k - s.r.n_in], parts[k - s.r.n_in], kni_type_bytes(was[k])) != 0)
                bench_fail(b, "result %d in parts of %d rows has other bits", k - s.r.n_in, (int)n);
    }
}
