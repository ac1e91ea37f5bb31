/* SPDX-License-Identifier: Apache-2.0
 * params.c -- copies, drops, compares and hashes the parameters of any primitive by its field descriptors. */
#include "ir/host.h"
#include "base/hash.h"
#include "ir/prim.h"
#include <assert.h>
#include <stddef.h>
#include <string.h>

#define FIELD_AT(type, base, field) (*(type *)((uintptr_t)(base) + (field)->offset))
#define FIELD_OF(type, base, field) (*(const type *)((const char *)(base) + (field)->offset))
#define FOR_EACH_FIELD(f, p)        for (const kni_param_field *f = (p)->fields; f && f->name; f++)

kni_jaxprs kni_field_jaxprs(const kni_param_field *f, const void *params)
{
    if (f->kind == KN_P_JAXPRS)
        return FIELD_OF(kni_jaxprs, params, f);
    if (f->kind == KN_P_JAXPR && FIELD_AT(kni_jaxpr *, params, f))
        return (kni_jaxprs){1, &FIELD_AT(kni_jaxpr *, params, f)};
    return (kni_jaxprs){0, NULL};
}

static bool copy_field(knx_arena *a, const kni_param_field *f, void *params)
{
    switch (f->kind) {
    case KN_P_INTS: {
        kni_ints *v = &FIELD_AT(kni_ints, params, f);
        if (v->n <= 0)
            *v = (kni_ints){0, NULL};
        else
            v->v = knx_arena_copy(a, v->v, (size_t)v->n * sizeof *v->v);
        return !v->n || v->v;
    }
    case KN_P_DOUBLES: {
        kni_doubles *v = &FIELD_AT(kni_doubles, params, f);
        if (v->n <= 0)
            *v = (kni_doubles){0, NULL};
        else
            v->v = knx_arena_copy(a, v->v, (size_t)v->n * sizeof *v->v);
        return !v->n || v->v;
    }
    case KN_P_STRING: {
        const char **s = &FIELD_AT(const char *, params, f);
        if (*s)
            return (*s = knx_arena_string(a, *s)) != NULL;
        return true;
    }
    case KN_P_NAMES: {
        kni_names *v = &FIELD_AT(kni_names, params, f);
        const char **own = knx_arena_alloc(a, ((size_t)v->n + 1) * sizeof *own);
        for (int i = 0; own && i < v->n; i++)
            if (!(own[i] = knx_arena_string(a, v->v[i])))
                return false;
        v->v = own;
        return own != NULL;
    }
    case KN_P_JAXPRS: {
        kni_jaxprs *v = &FIELD_AT(kni_jaxprs, params, f);
        if (v->n <= 0)
            *v = (kni_jaxprs){0, NULL};
        else
            v->v = knx_arena_copy(a, v->v, (size_t)v->n * sizeof *v->v);
        return !v->n || v->v;
    }
    case KN_P_SHARDINGS: {
        kni_shardings *v = &FIELD_AT(kni_shardings, params, f);
        if (v->n <= 0)
            *v = (kni_shardings){0, NULL};
        else
            v->v = knx_arena_copy(a, v->v, (size_t)v->n * sizeof *v->v);
        return !v->n || v->v;
    }
    case KN_P_INT:
    case KN_P_BOOL:
    case KN_P_DTYPE:
    case KN_P_JAXPR:
    case KN_P_ENUM:
    case KN_P_DOUBLE:
    case KN_P_THUNK:
    case KN_P_MESH:
    case KN_P_SHARDING:
    case KN_P_TEXT: return true;
    }
    return true;
}

/* The list of numbers that a field holds; NULL: it holds none. */
static inline kni_ints *list_of(const kni_param_field *f, void *params)
{
    static_assert(sizeof(kni_doubles) == sizeof(kni_ints) && offsetof(kni_doubles, v) == offsetof(kni_ints, v) &&
                      sizeof(double) == sizeof(int64_t),
                  "lists of doubles are copied as lists of integers");
    return f->kind == KN_P_INTS || f->kind == KN_P_DOUBLES ? &FIELD_AT(kni_ints, params, f) : NULL;
}

/* Where lists begin behind parameters in one piece. */
static inline size_t lists_at(const kni_prim *p) { return (p->params_size + sizeof(int64_t) - 1) & -sizeof(int64_t); }

KNX_HOT size_t kni_params_room(const kni_prim *p, const void *params)
{
    enum {
        IN_ARENAS = 1u << KN_P_STRING | 1u << KN_P_JAXPR | 1u << KN_P_JAXPRS | 1u << KN_P_NAMES | 1u << KN_P_THUNK |
                    1u << KN_P_SHARDINGS
    };
    size_t bytes = lists_at(p);
    if (!params)
        return 0;
    FOR_EACH_FIELD (f, p) {
        if (IN_ARENAS >> f->kind & 1)
            return 0;
        const kni_ints *list = list_of(f, (void *)(uintptr_t)params);
        if (list && list->n > 0)
            bytes += (size_t)list->n * sizeof *list->v;
    }
    return bytes;
}

static KNX_HOT const void *copy_piece(const kni_prim *p, const void *params, void *room)
{
    int64_t *at = (int64_t *)((uintptr_t)room + lists_at(p));
    memcpy(room, params, p->params_size);
    FOR_EACH_FIELD (f, p) {
        kni_ints *list = list_of(f, room);
        if (!list)
            continue;
        if (list->n <= 0) {
            *list = (kni_ints){0, NULL};
            continue;
        }
        const int64_t *from = list->v;
        list->v = at;
        for (int i = 0; i < list->n; i++)
            *at++ = from[i];
    }
    return room;
}

KNX_HOT bool kni_params_keep(const kni_prim *p, const void *params, void *room, knx_arena *a, const void **out)
{
    enum { ARENA_BYTES = 256 }; /* most have few parameters, and many equations wait */
    *out = room && params ? copy_piece(p, params, room) : NULL;
    if (*out || !params || !p->params_size)
        return true;
    if (knx_arena_begin(a, ARENA_BYTES) && kni_params_copy(a, p, params, out))
        return true;
    knx_arena_free(a);
    return false;
}

KNX_HOT void kni_params_let_go(const kni_prim *p, const void *params, knx_arena *a)
{
    if (!a->block)
        return;
    kni_params_drop(p, params);
    knx_arena_free(a);
}

KNX_HOT bool kni_params_copy(knx_arena *a, const kni_prim *p, const void *params, const void **out)
{
    *out = NULL;
    if (!p->params_size || !params)
        return true;
    size_t piece = kni_params_room(p, params);
    if (piece) {
        void *room = knx_arena_alloc(a, piece);
        *out = room ? copy_piece(p, params, room) : NULL;
        return room != NULL;
    }
    void *copy = knx_arena_copy(a, params, p->params_size);
    if (!copy)
        return false;
    FOR_EACH_FIELD (f, p)
        if (!copy_field(a, f, copy))
            return false;
    FOR_EACH_FIELD (f, p) /* last, so that a failed copy holds nothing */
    {
        kni_jaxprs inner = kni_field_jaxprs(f, copy);
        for (int i = 0; i < inner.n; i++)
            kni_retain(inner.v[i]);
        if (f->kind == KN_P_THUNK)
            kni_thunk_retain(FIELD_AT(kni_thunk *, copy, f));
    }
    *out = copy;
    return true;
}

KNX_HOT void kni_params_drop(const kni_prim *p, const void *params)
{
    if (!params)
        return;
    FOR_EACH_FIELD (f, p) {
        kni_jaxprs inner = kni_field_jaxprs(f, params);
        for (int i = 0; i < inner.n; i++)
            kni_release(inner.v[i]);
        if (f->kind == KN_P_THUNK)
            kni_thunk_release(FIELD_AT(kni_thunk *, params, f));
    }
}

static bool equal_ints(kni_ints a, kni_ints b)
{
    return a.n == b.n && (a.n <= 0 || !memcmp(a.v, b.v, (size_t)a.n * sizeof *a.v));
}
static bool equal_doubles(kni_doubles a, kni_doubles b) /* by bits */
{
    return a.n == b.n && (a.n <= 0 || !memcmp(a.v, b.v, (size_t)a.n * sizeof *a.v));
}
static bool equal_strings(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool equal_names(kni_names a, kni_names b)
{
    bool equal = a.n == b.n;
    for (int i = 0; equal && i < a.n; i++)
        equal = !strcmp(a.v[i], b.v[i]);
    return equal;
}

static bool equal_shardings(kni_shardings a, kni_shardings b)
{
    return a.n == b.n && (a.n <= 0 || !memcmp(a.v, b.v, (size_t)a.n * sizeof *a.v));
}

static bool equal_jaxprs(kni_jaxprs a, kni_jaxprs b, knx_table *known)
{
    bool equal = a.n == b.n;
    for (int i = 0; equal && i < a.n; i++)
        equal = kni_equal_known(a.v[i], b.v[i], known);
    return equal;
}

static KNX_HOT bool equal_field(const kni_param_field *f, const void *a, const void *b, knx_table *known)
{
    switch (f->kind) {
    case KN_P_INT:
    case KN_P_ENUM: return FIELD_OF(int64_t, a, f) == FIELD_OF(int64_t, b, f);
    case KN_P_BOOL: return FIELD_OF(bool, a, f) == FIELD_OF(bool, b, f);
    case KN_P_DTYPE: return FIELD_OF(kn_dtype, a, f) == FIELD_OF(kn_dtype, b, f);
    case KN_P_INTS: return equal_ints(FIELD_OF(kni_ints, a, f), FIELD_OF(kni_ints, b, f));
    case KN_P_DOUBLES: return equal_doubles(FIELD_OF(kni_doubles, a, f), FIELD_OF(kni_doubles, b, f));
    case KN_P_STRING: return equal_strings(FIELD_OF(char *, a, f), FIELD_OF(char *, b, f));
    case KN_P_JAXPR: return kni_equal_known(FIELD_AT(kni_jaxpr *, a, f), FIELD_OF(kni_jaxpr *, b, f), known);
    case KN_P_JAXPRS: return equal_jaxprs(FIELD_OF(kni_jaxprs, a, f), FIELD_OF(kni_jaxprs, b, f), known);
    case KN_P_THUNK: return kni_thunk_equal(FIELD_AT(kni_thunk *, a, f), FIELD_AT(kni_thunk *, b, f));
    case KN_P_NAMES: return equal_names(FIELD_OF(kni_names, a, f), FIELD_OF(kni_names, b, f));
    case KN_P_DOUBLE: return !memcmp(&FIELD_OF(double, a, f), &FIELD_OF(double, b, f), sizeof(double)); /* by bits */
    case KN_P_MESH: return FIELD_OF(kni_mesh *, a, f) == FIELD_OF(kni_mesh *, b, f);
    case KN_P_SHARDING: return FIELD_OF(kni_sharding *, a, f) == FIELD_OF(kni_sharding *, b, f);
    case KN_P_SHARDINGS: return equal_shardings(FIELD_OF(kni_shardings, a, f), FIELD_OF(kni_shardings, b, f));
    case KN_P_TEXT: return true;
    }
    return true;
}

KNX_HOT bool kni_params_equal_known(const kni_prim *p, const void *a, const void *b, knx_table *known)
{
    if (a == b)
        return true;
    if (!a || !b)
        return false;
    FOR_EACH_FIELD (f, p)
        if (!(f->flags & KN_PF_NAME) && !equal_field(f, a, b, known))
            return false;
    return true;
}

static bool alike_field(const kni_param_field *f, const void *a, const void *b, knx_table *known)
{
    if (f->flags & (KN_PF_NAME | KN_PF_DERIVED))
        return true;
    if (!(f->flags & KN_PF_EXTENTS))
        return equal_field(f, a, b, known);
    return f->kind != KN_P_INTS || FIELD_OF(kni_ints, a, f).n == FIELD_OF(kni_ints, b, f).n;
}

bool kni_params_alike(const kni_prim *p, const void *a, const void *b)
{
    knx_table known = {0};
    bool alike = a == b || (a && b);
    for (const kni_param_field *f = a == b || !alike ? NULL : p->fields; alike && f && f->name; f++)
        alike = alike_field(f, a, b, &known);
    knx_table_free(&known);
    return alike;
}

bool kni_params_visit_extents(const kni_prim *p, const void *params, bool (*visit)(void *env, int64_t *extent),
                              void *env)
{
    FOR_EACH_FIELD (f, p) {
        if (!params || !(f->flags & KN_PF_EXTENTS) || (f->flags & KN_PF_DERIVED))
            continue;
        if (f->kind == KN_P_INT && !visit(env, &FIELD_AT(int64_t, params, f)))
            return false;
        kni_ints list = f->kind == KN_P_INTS ? FIELD_OF(kni_ints, params, f) : (kni_ints){0};
        for (int i = 0; i < list.n; i++)
            if (!visit(env, (int64_t *)(uintptr_t)&list.v[i]))
                return false;
    }
    return true;
}

KNX_HOT bool kni_params_equal(const kni_prim *p, const void *a, const void *b)
{
    knx_table known = {0};
    bool equal = kni_params_equal_known(p, a, b, &known);
    knx_table_free(&known);
    return equal;
}

bool kni_params_are_symbolic(const kni_prim *p, const void *params)
{
    for (const kni_param_field *f = params ? p->fields : NULL; f && f->name; f++) {
        if (f->kind == KN_P_INT && knx_is_symbolic(FIELD_OF(int64_t, params, f)))
            return true;
        if (f->kind == KN_P_INTS && knx_has_symbolic(FIELD_OF(kni_ints, params, f).n, FIELD_OF(kni_ints, params, f).v))
            return true;
    }
    return false;
}

/* By the mesh's number, so that a hash is the same in all processes. */
static uint64_t hash_shardings(kni_shardings v, uint64_t h)
{
    h = knx_hash_mix(h, (uint64_t)v.n);
    for (int i = 0; i < v.n; i++) {
        h = knx_hash_mix(knx_hash_mix(h, v.v[i]->mesh->number), (uint64_t)v.v[i]->ndim);
        for (int d = 0; d < v.v[i]->ndim; d++)
            h = knx_hash_bytes(v.v[i]->dim[d].axis, v.v[i]->dim[d].n, knx_hash_mix(h, v.v[i]->dim[d].n));
    }
    return h;
}

KNX_HOT uint64_t kni_field_hash(const kni_param_field *f, const void *params, uint64_t h)
{
    switch (f->kind) {
    case KN_P_INT:
    case KN_P_ENUM: return knx_hash_mix(h, (uint64_t)FIELD_OF(int64_t, params, f));
    case KN_P_BOOL: return knx_hash_mix(h, FIELD_OF(bool, params, f));
    case KN_P_DTYPE: {
        kn_dtype d = FIELD_OF(kn_dtype, params, f);
        return knx_hash_mix(h, d ? d->id + 1u : 0u);
    }
    case KN_P_INTS: {
        kni_ints v = FIELD_OF(kni_ints, params, f);
        h = knx_hash_mix(h, (uint64_t)v.n);
        for (int i = 0; i < v.n; i++)
            h = knx_hash_mix(h, (uint64_t)v.v[i]);
        return h;
    }
    case KN_P_DOUBLES: {
        kni_doubles v = FIELD_OF(kni_doubles, params, f);
        h = knx_hash_mix(h, (uint64_t)v.n);
        return v.n > 0 ? knx_hash_bytes(v.v, (size_t)v.n * sizeof *v.v, h) : h;
    }
    case KN_P_STRING: {
        const char *s = FIELD_OF(char *, params, f);
        return s ? knx_hash_bytes(s, strlen(s), h) : knx_hash_mix(h, 0);
    }
    case KN_P_JAXPR: {
        const kni_jaxpr *j = FIELD_AT(kni_jaxpr *, params, f);
        return knx_hash_mix(h, j ? j->hash : 0);
    }
    case KN_P_JAXPRS: {
        kni_jaxprs v = FIELD_OF(kni_jaxprs, params, f);
        h = knx_hash_mix(h, (uint64_t)v.n);
        for (int i = 0; i < v.n; i++)
            h = knx_hash_mix(h, v.v[i]->hash);
        return h;
    }
    case KN_P_THUNK: return knx_hash_mix(h, kni_thunk_hash(FIELD_AT(kni_thunk *, params, f)));
    case KN_P_NAMES: {
        kni_names v = FIELD_OF(kni_names, params, f);
        h = knx_hash_mix(h, (uint64_t)v.n);
        for (int i = 0; i < v.n; i++)
            h = knx_hash_bytes(v.v[i], strlen(v.v[i]) + 1, h);
        return h;
    }
    case KN_P_DOUBLE: return knx_hash_bytes(&FIELD_OF(double, params, f), sizeof(double), h);
    case KN_P_MESH: { /* by its number, so that a hash is the same in all processes */
        const kni_mesh *m = FIELD_OF(kni_mesh *, params, f);
        return knx_hash_mix(h, m ? m->number + 1u : 0u);
    }
    case KN_P_SHARDING: {
        const kni_sharding *s = FIELD_OF(kni_sharding *, params, f);
        h = knx_hash_mix(knx_hash_mix(h, s->mesh->number), (uint64_t)s->ndim);
        for (int d = 0; d < s->ndim; d++)
            h = knx_hash_mix(knx_hash_bytes(s->dim[d].axis, s->dim[d].n, h), s->dim[d].n);
        return h;
    }
    case KN_P_SHARDINGS: return hash_shardings(FIELD_OF(kni_shardings, params, f), h);
    case KN_P_TEXT: return h;
    }
    return h;
}

uint64_t kni_params_hash(const kni_prim *p, const void *params, uint64_t seed)
{
    if (!params)
        return seed;
    FOR_EACH_FIELD (f, p)
        if (!(f->flags & KN_PF_NAME))
            seed = kni_field_hash(f, params, seed);
    return seed;
}

/* Several jaxprs are alternatives of the same results. */
static size_t jaxpr_results(const kni_param_field *f, const void *params)
{
    kni_jaxprs inner = kni_field_jaxprs(f, params);
    return inner.n ? inner.v[0]->n_out : 0;
}

KNX_HOT size_t kni_result_room(const kni_prim *p, const void *params, int n_in)
{
    if (p->n_out >= 0)
        return (size_t)p->n_out;
    size_t room = (size_t)n_in;
    for (const kni_param_field *f = params ? p->fields : NULL; f && f->name; f++)
        room += jaxpr_results(f, params);
    if (params)
        FOR_EACH_FIELD (f, p)
            if (f->flags & KN_PF_TYPES) {
                int n = kni_types_count(FIELD_OF(kni_ints, params, f));
                room += n > 0 ? (size_t)n : 0;
            }
    return room;
}

KNX_HOT uint32_t kni_bits(const kni_prim *p, const void *params)
{
    uint32_t bits = p->bits;
    for (const kni_param_field *f = params ? p->fields : NULL; f && f->name; f++) {
        kni_jaxprs inner = kni_field_jaxprs(f, params);
        for (int i = 0; i < inner.n; i++)
            bits |= inner.v[i]->has;
    }
    return bits;
}

knx_error *kni_dim_fits(const kni_p_dim *p, int64_t number)
{
    if (!p->fits || knx_is_symbolic(number) || knx_int_fits(p->fits, false, (uint64_t)number))
        return NULL;
    return knx_error_new(KN_ERROR_OVERFLOW, "integer %lld out of bounds for %s", (long long)number, p->fits->name);
}
