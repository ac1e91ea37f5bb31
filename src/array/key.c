/* SPDX-License-Identifier: Apache-2.0
 * key.c -- what cuts are found by: their structure, and apart from it their extents; and whether a plan is a cut's. */
#include "array/plans.h"
#include <string.h>

/* ---- Keys. */

static KNX_HOT bool add_node(kna_cut *c, const kna_node *n, const kni_atom *a)
{
    kni_key *k = &c->key;
    enum { WORDS = 5 }; /* of a literal */
    if (!KN_VEC_RESERVE(&k->word, 2 + WORDS * (size_t)n->n_in))
        return false;
    uint64_t *w = k->word.at + k->word.n;
    *w++ = (uintptr_t)n->prim;
    *w++ = (uint64_t)n->n_out << 32 | n->n_in;
    for (uint32_t i = 0; i < n->n_in; i++) {
        bool two = i + 1 < n->n_in && n->in[i] && n->in[i + 1];
        *w++ = two ? (uint64_t)1 << 63 | (uint64_t)a[i] << 32 | a[i + 1] : n->in[i] ? a[i] : KN_LITERAL_BIT;
        i += two;
        if (two || n->in[i])
            continue;
        const kni_literal *l = &n->literal[i];
        *w++ = (uintptr_t)l->type.dtype;
        *w++ = l->type.weak;
        *w++ = l->bits.u[0];
        *w++ = l->bits.u[1];
    }
    k->word.n = (size_t)(w - k->word.at);
    return kni_key_params(k, n->prim, n->params);
}

static KNX_HOT bool add_leaf(kna_cut *c, size_t i)
{
    kni_key *k = &c->key;
    const kni_type *t = &c->leaf.at[i]->type;
    if (!KN_VEC_RESERVE(&k->word, 2) || !KN_VEC_RESERVE(&k->extent, t->ndim))
        return false;
    k->word.at[k->word.n++] = (uintptr_t)t->dtype;
    k->word.at[k->word.n++] = (uint64_t)t->ndim << 1 | (c->donated && c->donated[i]);
    for (int d = 0; d < t->ndim; d++)
        k->extent.at[k->extent.n++] = t->dim[d];
    return true;
}

KNX_HOT bool kna_cut_key(kna_cut *c)
{
    kni_key *k = &c->key;
    k->word.n = k->extent.n = 0;
    k->loose = false;
    if (!KN_VEC_RESERVE(&k->word, 4 + c->out_atom.n))
        return false;
    k->word.at[k->word.n++] = (uintptr_t)c->device;
    k->word.at[k->word.n++] = c->leaf.n << 1 | c->key.fuse;
    k->word.at[k->word.n++] = c->node.n;
    k->word.at[k->word.n++] = c->out_atom.n;
    for (size_t i = 0; i < c->out_atom.n; i++)
        k->word.at[k->word.n++] = c->out_atom.at[i];
    for (size_t i = 0; i < c->leaf.n; i++)
        if (!add_leaf(c, i))
            return false;
    const kni_atom *a = c->atom.at;
    for (size_t i = 0; i < c->node.n; a += c->node.at[i]->n_in, i++)
        if (!add_node(c, c->node.at[i], a))
            return false;
    uint64_t h = kni_key_hash(k), e = 1;
    for (size_t i = 0; i < k->extent.n; i++) { /* 0, 1 and what is below them belong to the kind */
        int64_t x = k->extent.at[i];
        h = knx_hash_mix(h, x < 2 ? (uint64_t)x : 2);
        e = knx_hash_mix(e, (uint64_t)x);
    }
    c->kind = h;
    c->hash = knx_hash_mix(e, h);
    return true;
}

uint64_t kna_cut_likeness(const kna_cut *c)
{
    uint64_t h = c->leaf.n;
    const kni_atom *a = c->atom.at;
    for (size_t k = 0; k < c->node.n; k++) {
        const kna_node *n = c->node.at[k];
        h = knx_hash_mix(h, (uint64_t)(uintptr_t)n->prim);
        for (uint32_t i = 0; i < n->n_in; i++, a++)
            h = knx_hash_mix(h, n->in[i] ? *a : KN_LITERAL_BIT);
    }
    return h;
}

/* ---- Comparisons. */

static bool same_literal(const kni_jaxpr *j, kni_atom a, const kni_literal *l)
{
    const kni_literal *m = &j->literal[a & ~KN_LITERAL_BIT];
    return m->type.dtype == l->type.dtype && m->type.weak == l->type.weak &&
           memcmp(&m->bits, &l->bits, sizeof l->bits) == 0;
}

typedef bool params_test(const kni_prim *p, const void *a, const void *b);

static KNX_HOT bool same_equation(const kni_jaxpr *j, const kni_eqn *e, const kna_node *n, const kni_atom *a,
                                  params_test *same_params)
{
    if (e->prim != n->prim || e->n_in != n->n_in || e->n_out != n->n_out)
        return false;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (n->in[i] ? e->in[i] != a[i] : !kni_is_literal(e->in[i]) || !same_literal(j, e->in[i], &n->literal[i]))
            return false;
    return same_params(n->prim, e->params, n->params);
}

static bool type_matches(kni_type a, kni_type b) { return a.dtype == b.dtype && kni_type_same_shape(a, b); }

static bool donates(const bool *donated, size_t i) { return donated && donated[i]; }

/* Are the cut's equations, operands and results the plan's, whatever their extents? */
static KNX_HOT bool structure_fits(const kna_plan *p, const kna_cut *c, params_test *same_params)
{
    const kni_jaxpr *j = p->jaxpr;
    if (p->fuse != c->key.fuse || p->device != c->device || j->n_in != c->leaf.n || j->n_eqn != c->node.n ||
        j->n_out != c->out_atom.n)
        return false;
    for (size_t i = 0; i < c->leaf.n; i++) {
        kni_type t = c->leaf.at[i]->type;
        if (j->type[i].dtype != t.dtype || j->type[i].ndim != t.ndim ||
            donates(p->donated, i) != donates(c->donated, i))
            return false;
    }
    for (size_t i = 0; i < c->out_atom.n; i++)
        if (j->out[i] != c->out_atom.at[i])
            return false;
    const kni_atom *a = c->atom.at;
    for (size_t k = 0; k < c->node.n; a += c->node.at[k]->n_in, k++)
        if (!same_equation(j, &j->eqn[k], c->node.at[k], a, same_params))
            return false;
    return true;
}

KNX_HOT bool kna_plan_fits_kind(const kna_plan *p, const kna_cut *c)
{
    return kni_key_same_words(&p->key, &c->key) && (!c->key.loose || structure_fits(p, c, kni_params_alike));
}

KNX_HOT bool kna_plan_fits(const kna_plan *p, const kna_cut *c)
{
    return kni_key_same_words(&p->key, &c->key) && kni_key_same_extents(&p->key, &c->key) &&
           (!c->key.loose || structure_fits(p, c, kni_params_equal));
}

/* ---- Differences, for people. */

/* The type of leaf i in the cut that the plan was made for. dim: room. */
static kni_type leaf_type(const kna_plan *p, size_t i, int64_t *dim)
{
    kni_type t = p->jaxpr->type[i];
    const int64_t *at = p->kind ? p->kind->sample : NULL;
    for (size_t k = 0; at && k < i; k++)
        at += p->jaxpr->type[k].ndim;
    if (at && t.ndim)
        t.dim = memcpy(dim, at, (size_t)t.ndim * sizeof *dim);
    return t;
}

size_t kna_count_differences(const kna_plan *p, const kna_cut *c)
{
    int64_t dim[KN_MAX_NDIM];
    size_t differ = 0;
    if (p->jaxpr->n_eqn != c->node.n || p->jaxpr->n_in != c->leaf.n)
        return SIZE_MAX;
    for (size_t i = 0; i < c->leaf.n; i++)
        differ += !type_matches(leaf_type(p, i, dim), c->leaf.at[i]->type);
    return differ;
}

void kna_show_difference(knx_text *t, const kna_plan *p, const kna_cut *c)
{
    const kni_jaxpr *j = p->jaxpr;
    for (size_t i = 0; i < c->leaf.n; i++) {
        knx_text now = {0}, before = {0};
        int64_t dim[KN_MAX_NDIM];
        kni_type a = c->leaf.at[i]->type, b = leaf_type(p, i, dim);
        a.weak = false;
        if (type_matches(a, b))
            continue;
        knx_text_add(t, "new %s of operand %zu: %s was %s", a.dtype != b.dtype ? "dtype" : "shape", i,
                     kni_type_text(&now, a, false), kni_type_text(&before, b, false));
        return;
    }
    const kni_atom *a = c->atom.at;
    for (size_t k = 0; k < c->node.n; a += c->node.at[k]->n_in, k++)
        if (!same_equation(j, &j->eqn[k], c->node.at[k], a, p->kind ? kni_params_alike : kni_params_equal)) {
            knx_text_add(t, "new parameters or constants of %s", c->node.at[k]->prim->name);
            return;
        }
    if (p->fuse != c->key.fuse)
        knx_text_add(t, "different option: %s", c->key.fuse ? "fused" : "not fused");
    else if (j->n_out != c->out_atom.n || memcmp(j->out, c->out_atom.at, j->n_out * sizeof *j->out))
        knx_text_add(t, "other results are wanted");
    else
        knx_text_add(t, "other operands may be written over");
}
