/* SPDX-License-Identifier: Apache-2.0
 * jaxpr.c -- life, equality and hash of jaxprs. Loops over equations; recursion only into jaxprs held as parameters. */
#include "ir/jaxpr.h"
#include "base/hash.h"
#include "ir/params.h"
#include "ir/prim.h"
#include <string.h>

kni_jaxpr *kni_retain(const kni_jaxpr *j)
{
    kni_jaxpr *own = (kni_jaxpr *)(uintptr_t)j; /* the count is the one thing that changes */
    if (own)
        atomic_fetch_add_explicit(&own->refs, 1, memory_order_relaxed);
    return own;
}

size_t kni_bytes(const kni_jaxpr *j)
{
    size_t bytes = sizeof *j + j->arena.total;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const void *params = j->eqn[i].params;
        for (const kni_param_field *f = params ? j->eqn[i].prim->fields : NULL; f && f->name; f++) {
            kni_jaxprs inner = kni_field_jaxprs(f, params);
            for (int k = 0; k < inner.n; k++)
                bytes += kni_bytes(inner.v[k]);
        }
    }
    return bytes;
}

void kni_release(kni_jaxpr *j)
{
    if (!j || atomic_fetch_sub_explicit(&j->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        kni_params_drop(j->eqn[i].prim, j->eqn[i].params);
    knx_arena_free(&j->arena);
    knx_free(j);
}

/* To the letter: other expressions are other types, even if their numbers agree wherever the scope in force allows. */
static bool equal_type(kni_type a, kni_type b)
{
    return a.dtype == b.dtype && a.weak == b.weak && a.sharding == b.sharding && a.ndim == b.ndim &&
           (!a.ndim || !memcmp(a.dim, b.dim, (size_t)a.ndim * sizeof *a.dim));
}

static bool equal_literal(const kni_literal *a, const kni_literal *b)
{
    return equal_type(a->type, b->type) && !memcmp(&a->bits, &b->bits, sizeof a->bits);
}

/* Variables are numbered the same way everywhere, so equal structure means equal numbers; literals are compared by
 * what they are. */
static bool equal_atoms(const kni_jaxpr *a, const kni_atom *x, const kni_jaxpr *b, const kni_atom *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (kni_is_literal(x[i]) != kni_is_literal(y[i]))
            return false;
        if (!kni_is_literal(x[i])
                ? x[i] != y[i]
                : !equal_literal(&a->literal[x[i] & ~KN_LITERAL_BIT], &b->literal[y[i] & ~KN_LITERAL_BIT]))
            return false;
    }
    return true;
}

static bool equal_equation(const kni_jaxpr *a, const kni_eqn *x, const kni_jaxpr *b, const kni_eqn *y, knx_table *known)
{
    return x->prim == y->prim && x->n_in == y->n_in && x->n_out == y->n_out && x->out == y->out &&
           equal_atoms(a, x->in, b, y->in, x->n_in) && kni_params_equal_known(x->prim, x->params, y->params, known);
}

static bool is_known(const knx_table *known, const kni_jaxpr *a, const kni_jaxpr *b)
{
    size_t cursor;
    for (const void *v = knx_table_first(known, (uintptr_t)a, &cursor); v;
         v = knx_table_next(known, (uintptr_t)a, &cursor))
        if (v == b)
            return true;
    return false;
}

bool kni_equal_known(const kni_jaxpr *a, const kni_jaxpr *b, knx_table *known)
{
    if (a == b)
        return true;
    if (!a || !b || a->hash != b->hash || a->n_const != b->n_const || a->n_in != b->n_in || a->n_var != b->n_var ||
        a->n_eqn != b->n_eqn || a->n_out != b->n_out)
        return false;
    if (is_known(known, a, b))
        return true;
    for (uint32_t i = 0; i < a->n_var; i++)
        if (!equal_type(a->type[i], b->type[i]))
            return false;
    for (uint32_t i = 0; i < a->n_eqn; i++)
        if (!equal_equation(a, &a->eqn[i], b, &b->eqn[i], known))
            return false;
    if (!equal_atoms(a, a->out, b, b->out, a->n_out))
        return false;
    (void)knx_table_add(known, (uintptr_t)a,
                        (void *)(uintptr_t)b); /* without memory it is compared again, that is all */
    return true;
}

bool kni_equal(const kni_jaxpr *a, const kni_jaxpr *b)
{
    knx_table known = {0};
    bool equal = kni_equal_known(a, b, &known);
    knx_table_free(&known);
    return equal;
}

uint64_t kni_type_hash(kni_type t, uint64_t h)
{
    h = knx_hash_mix(h, t.dtype->id | (uint64_t)t.weak << 8 | (uint64_t)(uint16_t)t.ndim << 16);
    h = t.sharding ? knx_hash_mix(h, (uintptr_t)t.sharding) : h;
    for (int i = 0; i < t.ndim; i++)
        h = knx_hash_mix(h, (uint64_t)t.dim[i]);
    return h;
}

static uint64_t hash_atoms(const kni_jaxpr *j, const kni_atom *x, uint32_t n, uint64_t h)
{
    h = knx_hash_mix(h, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!kni_is_literal(x[i])) {
            h = knx_hash_mix(h, x[i]);
            continue;
        }
        const kni_literal *l = &j->literal[x[i] & ~KN_LITERAL_BIT];
        h = kni_type_hash(l->type, knx_hash_mix(h, KN_LITERAL_BIT));
        h = knx_hash_mix(knx_hash_mix(h, l->bits.u[0]), l->bits.u[1]);
    }
    return h;
}

/* Types of results follow from the rest, so only those of constants and inputs are hashed. */
uint64_t kni_hash(const kni_jaxpr *j)
{
    uint64_t h = knx_hash_mix(knx_hash_mix(knx_hash_mix(0, j->n_const), j->n_in), j->n_eqn);
    for (uint32_t i = 0; i < j->n_const + j->n_in; i++)
        h = kni_type_hash(j->type[i], h);
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        h = knx_hash_bytes(e->prim->name, strlen(e->prim->name), h);
        h = knx_hash_mix(kni_params_hash(e->prim, e->params, h), e->n_out);
        h = hash_atoms(j, e->in, e->n_in, h);
    }
    return hash_atoms(j, j->out, j->n_out, h);
}
