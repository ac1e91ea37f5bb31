/* SPDX-License-Identifier: Apache-2.0
 * thunk.c -- what all thunks have, and those that hold a jaxpr or just a name. */
#include "ir/thunk.h"
#include "base/hash.h"
#include "base/memory.h"
#include <string.h>

kni_thunk *kni_thunk_retain(const kni_thunk *t)
{
    kni_thunk *mine = (kni_thunk *)(uintptr_t)t;
    if (mine)
        atomic_fetch_add_explicit(&mine->refs, 1, memory_order_relaxed);
    return mine;
}

void kni_thunk_release(kni_thunk *t)
{
    if (t && atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) == 1)
        t->kind->free(t);
}

bool kni_thunk_equal(const kni_thunk *a, const kni_thunk *b)
{
    return a == b || (a && b && a->kind == b->kind && a->kind->equal(a, b));
}

uint64_t kni_thunk_hash(const kni_thunk *t) { return t ? t->kind->hash(t) : 0; }

knx_error *kni_thunk_jaxpr(kni_thunk *t, int n_in, const kni_type *in, int n_out, kni_jaxpr **out)
{
    *out = NULL;
    knx_error *e = t->kind->jaxpr(t, n_in, in, out);
    const kni_jaxpr *j = *out;
    if (!e && (j->n_const || j->n_in != (uint32_t)n_in || (n_out >= 0 && j->n_out != (uint32_t)n_out)))
        e = knx_error_new(KN_ERROR_TYPE, "the rule %s takes %u arrays and gives %u; %d and %d are wanted", t->name,
                          j->n_in, j->n_out, n_in, n_out < 0 ? (int)j->n_out : n_out);
    if (e) {
        kni_release(*out);
        *out = NULL;
    }
    return e;
}

const char *kni_thunk_leaf(const kni_thunk *t, int i, const char *before, const char *behind, knx_text *text)
{
    size_t from = text->length;
    const char *name = t->kind->leaf ? t->kind->leaf(t, i, text) : "";
    if (*name)
        return name;
    knx_text_add(text, "%s%d%s", before, i, behind);
    return text->s + from;
}

static knx_error *give(kni_thunk *t, int n_in, const kni_type *in, kni_jaxpr **out)
{
    (void)n_in, (void)in;
    if (!t->held)
        return knx_error_new(
            KN_ERROR_VALUE,
            "the rule %s is known by its name only: a text does not carry rules, so what was read from "
            "one can be called but not differentiated",
            t->name);
    *out = kni_retain(t->held);
    return NULL;
}

static bool same(const kni_thunk *a, const kni_thunk *b)
{
    return !strcmp(a->name, b->name) && !a->held == !b->held && (!a->held || kni_equal(a->held, b->held));
}

static uint64_t hash(const kni_thunk *t)
{
    return knx_hash_mix(knx_hash_bytes(t->name, strlen(t->name), 3), t->held ? t->held->hash : 0);
}

static void drop(kni_thunk *t)
{
    kni_release((kni_jaxpr *)(uintptr_t)t->held);
    knx_free(t);
}

kni_thunk *kni_thunk_new(const char *name, const kni_jaxpr *j)
{
    static const kni_thunk_kind held = {.jaxpr = give, .equal = same, .hash = hash, .free = drop};
    size_t n = strlen(name) + 1;
    kni_thunk *t = knx_alloc(sizeof *t + n);
    if (!t)
        return NULL;
    *t = (kni_thunk){.kind = &held, .name = memcpy((char *)(t + 1), name, n), .held = j ? kni_retain(j) : NULL};
    atomic_init(&t->refs, 1);
    return t;
}
