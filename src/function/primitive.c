/* SPDX-License-Identifier: Apache-2.0
 * primitive.c -- making primitives of the user's own: what a definition must be, and its row. */
#include "function/primitive.h"
#include "ir/host.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_RESULTS = 64, MOST_OPERANDS = 64, MOST_PARAMS = 16, LARGEST_PARAMS = 4096, LONGEST_NAME = 63 };

/* ---- Names. */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static knx_error *check_name(const char *what, const char *name)
{
    static const char *const words[] = {"in", "let", "lambda"};
    if (!name)
        return knx_error_new(KN_ERROR_TYPE, "null name of %s", what);
    size_t n = strnlen(name, LONGEST_NAME + 1);
    if (n > LONGEST_NAME)
        return knx_error_new(KN_ERROR_VALUE, "the name of %s has more than %d characters", what, LONGEST_NAME);
    bool fine = is_letter(*name);
    for (size_t i = 0; i < n; i++)
        fine = fine && (is_letter(name[i]) || is_digit(name[i]));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        fine = fine && strcmp(name, words[i]);
    return fine ? NULL : knx_error_new(KN_ERROR_VALUE, "'%s' is no name for %s", name, what);
}

/* ---- Parameters. */

typedef struct kind {
    kni_param_kind kind;
    size_t size, align;
    uint32_t flags;
} kind;
#define KIND(k, T, ...)                               \
    {                                                 \
        KN_P_##k, sizeof(T), _Alignof(T), __VA_ARGS__ \
    }
static const kind kinds[] = {
    [KN_PARAM_INT] = KIND(INT, int64_t, 0),
    [KN_PARAM_DOUBLE] = KIND(DOUBLE, double, 0),
    [KN_PARAM_BOOL] = KIND(BOOL, bool, 0),
    [KN_PARAM_TEXT] = KIND(STRING, const char *, KN_PF_QUOTED),
    [KN_PARAM_DTYPE] = KIND(DTYPE, kn_dtype, 0),
    [KN_PARAM_INTS] = KIND(INTS, kn_int_list, 0),
    [KN_PARAM_DOUBLES] = KIND(DOUBLES, kn_double_list, 0),
};
_Static_assert(sizeof(kn_int_list) == sizeof(kni_ints) && offsetof(kn_int_list, v) == offsetof(kni_ints, v),
               "the same");
_Static_assert(sizeof(kn_double_list) == sizeof(kni_doubles) && offsetof(kn_double_list, v) == offsetof(kni_doubles, v),
               "the same");

static int by_offset(const void *a, const void *b)
{
    size_t x = ((const kn_param *)a)->offset, y = ((const kn_param *)b)->offset;
    return (x > y) - (x < y);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const kn_param *)a)->name, ((const kn_param *)b)->name);
}

/* A member that is no parameter would be there and not be compared. Gaps are there for alignment only. */
static knx_error *check_layout(const kn_params *p, const kn_param *sorted)
{
    size_t end = 0;
    for (int i = 0; i < p->n; i++) {
        const kind *k = &kinds[sorted[i].kind];
        if (sorted[i].offset % k->align || sorted[i].offset > p->bytes || k->size > p->bytes - sorted[i].offset ||
            sorted[i].offset < end)
            return knx_error_new(KN_ERROR_VALUE, "parameter %s does not lie in a struct of %zu bytes with the others",
                                 sorted[i].name, p->bytes);
        if (sorted[i].offset - end >= k->align)
            return knx_error_new(KN_ERROR_VALUE, "%zu bytes of the struct in front of parameter %s are no parameter",
                                 sorted[i].offset - end, sorted[i].name);
        end = sorted[i].offset + k->size;
    }
    size_t align = 1;
    for (int i = 0; i < p->n; i++)
        align = kinds[sorted[i].kind].align > align ? kinds[sorted[i].kind].align : align;
    if (p->bytes - end >= align)
        return knx_error_new(KN_ERROR_VALUE, "%zu bytes at the end of the struct are no parameter", p->bytes - end);
    return NULL;
}

static knx_error *check_params(const kn_params *p)
{
    kn_param sorted[MOST_PARAMS];
    if (!p->n && !p->bytes)
        return NULL;
    if (p->n <= 0 || p->n > MOST_PARAMS)
        return knx_error_new(KN_ERROR_VALUE, "a primitive has up to %d parameters, not %d", MOST_PARAMS, p->n);
    if (!p->at)
        return knx_error_new(KN_ERROR_TYPE, "null parameters");
    if (p->bytes > LARGEST_PARAMS)
        return knx_error_new(KN_ERROR_VALUE, "a struct of parameters has up to %d bytes, not %zu", LARGEST_PARAMS,
                             p->bytes);
    for (int i = 0; i < p->n; i++) {
        sorted[i] = p->at[i];
        KN_TRY(check_name("a parameter", sorted[i].name));
        if (sorted[i].kind < KN_PARAM_INT || sorted[i].kind > KN_PARAM_DOUBLES)
            return knx_error_new(KN_ERROR_VALUE, "parameter %s is of kind %d, which is none", sorted[i].name,
                                 sorted[i].kind);
    }
    qsort(sorted, (size_t)p->n, sizeof *sorted, by_name);
    for (int i = 1; i < p->n; i++)
        if (!strcmp(sorted[i].name, sorted[i - 1].name))
            return knx_error_new(KN_ERROR_VALUE, "there are two parameters %s", sorted[i].name);
    qsort(sorted, (size_t)p->n, sizeof *sorted, by_offset);
    return check_layout(p, sorted);
}

/* ---- What a definition must be. */

static knx_error *check_computation(const kn_primitive_opts *o)
{
    if (!!o->expression + !!o->compute + !!o->run != 1)
        return knx_error_new(KN_ERROR_TYPE, "a primitive needs exactly one of .expression, .compute and .run");
    if (o->expression && (o->shape || o->batch || o->vmap_method))
        return knx_error_new(KN_ERROR_TYPE, "an expression is elementwise: it takes no %s",
                             o->shape   ? ".shape"
                             : o->batch ? ".batch"
                                        : ".vmap_method");
    if (o->run && !o->shape)
        return knx_error_new(KN_ERROR_TYPE, ".run needs .shape, the types of its results");
    if (o->effect && !o->run)
        return knx_error_new(KN_ERROR_TYPE, ".effect is for .run; what others are made of says its effects itself");
    if (o->batch && o->vmap_method)
        return knx_error_new(KN_ERROR_TYPE, "a primitive takes .batch or .vmap_method, not both");
    return NULL;
}

static knx_error *check_derivatives(const kn_primitive_opts *o)
{
    uint32_t bits = o->linear_in | o->multilinear_in;
    if (o->linear_in && o->multilinear_in)
        return knx_error_new(KN_ERROR_TYPE, "a primitive takes .linear_in or .multilinear_in, not both");
    if (o->n_in >= 0 && o->n_in < 31 && bits >> o->n_in)
        return knx_error_new(KN_ERROR_VALUE, "linear in more than %d operands", o->n_in);
    if (o->transpose && !bits)
        return knx_error_new(KN_ERROR_TYPE,
                             ".transpose needs .linear_in or .multilinear_in: the operands that it is for");
    if (o->run && bits && !o->transpose)
        return knx_error_new(KN_ERROR_TYPE, ".run that is linear needs .transpose");
    if (o->effect && (o->jvp || bits))
        return knx_error_new(KN_ERROR_TYPE, "a primitive with an effect has no derivative");
    return NULL;
}

static knx_error *check(const char *name, kn_primitive_opts *o)
{
    int method = 0;
    KN_TRY(check_name("a primitive", name));
    o->n_out = o->n_out ? o->n_out : 1;
    if (o->n_in < -1 || o->n_in > MOST_OPERANDS)
        return knx_error_new(KN_ERROR_VALUE, "a primitive has up to %d operands or any number (-1), not %d",
                             MOST_OPERANDS, o->n_in);
    if (o->n_out < 1 || o->n_out > MOST_RESULTS)
        return knx_error_new(KN_ERROR_VALUE, "a primitive has up to %d results, not %d", MOST_RESULTS, o->n_out);
    KN_TRY(check_computation(o));
    KN_TRY(check_derivatives(o));
    KN_TRY(check_params(&o->params));
    if (o->defaults && !o->params.n)
        return knx_error_new(KN_ERROR_TYPE, ".defaults without .params");
    while (o->vmap_method && kni_vmap_methods[method] && strcmp(kni_vmap_methods[method], o->vmap_method))
        method++;
    if (!kni_vmap_methods[method])
        return knx_error_new(
            KN_ERROR_VALUE,
            "vmap_method must be 'sequential', 'sequential_unrolled', 'expand_dims' or 'broadcast_all', "
            "not '%s'",
            o->vmap_method);
    o->vmap_method = kni_vmap_methods[method];
    return NULL;
}

/* ---- The row. */

static bool make_fields(knf_primitive *p)
{
    const kn_params *from = &p->o.params;
    kni_param_field *f = knx_arena_zero(&p->arena, ((size_t)from->n + 2) * sizeof *f);
    kn_param *own = knx_arena_alloc(&p->arena, ((size_t)from->n + 1) * sizeof *own);
    bool ok = f && own;
    for (int i = 0; ok && i < from->n; i++) {
        own[i] = from->at[i];
        ok = (own[i].name = knx_arena_string(&p->arena, from->at[i].name)) != NULL;
    }
    if (!ok)
        return false;
    qsort(own, (size_t)from->n, sizeof *own, by_name);
    p->o.params.at = own;
    p->row.fields = f;
    p->row.params_size = (uint16_t)(KNF_PARAMS_AT + from->bytes);
    for (int i = 0; i < from->n; i++)
        *f++ = (kni_param_field){.name = own[i].name,
                                 .kind = kinds[own[i].kind].kind,
                                 .offset = (uint16_t)(KNF_PARAMS_AT + own[i].offset),
                                 .flags = kinds[own[i].kind].flags};
    if (!p->o.run)
        *f = (kni_param_field){
            .name = "body", .kind = KN_P_JAXPR, .offset = offsetof(knf_primitive_params, body), .flags = KN_PF_DERIVED};
    return true;
}

static knx_error *take_defaults(knf_primitive *p, const void *given)
{
    if (!given)
        return NULL;
    char *params = knx_arena_zero(&p->arena, p->row.params_size);
    if (!params)
        return knx_error_nomem();
    memcpy(params + KNF_PARAMS_AT, given, p->o.params.bytes);
    KN_TRY(knf_primitive_check_params(p, params));
    return kni_params_copy(&p->arena, &p->row, params, &p->defaults) ? NULL : knx_error_nomem();
}

static bool same_params(const kn_params *a, const kn_params *b)
{
    bool same = a->n == b->n && a->bytes == b->bytes;
    for (int i = 0; same && i < a->n; i++)
        same = a->at[i].kind == b->at[i].kind && a->at[i].offset == b->at[i].offset &&
               !strcmp(a->at[i].name, b->at[i].name);
    return same;
}

static bool same(const kni_prim *x, const kni_prim *y)
{
    const knf_primitive *p = knf_primitive_of(x), *q = knf_primitive_of(y);
    kn_primitive_opts a = p->o, b = q->o;
    if (!same_params(&a.params, &b.params) || !p->defaults != !q->defaults ||
        (p->defaults && !kni_params_equal(x, p->defaults, q->defaults)))
        return false;
    return a.n_in == b.n_in && a.n_out == b.n_out && a.expression == b.expression && a.compute == b.compute &&
           a.run == b.run && a.shape == b.shape && a.jvp == b.jvp && a.linear_in == b.linear_in &&
           a.multilinear_in == b.multilinear_in && a.transpose == b.transpose && a.batch == b.batch &&
           a.vmap_method == b.vmap_method && a.effect == b.effect && a.env == b.env;
}

static knx_error *make(const char *name, const kn_primitive_opts *opts, const knf_primitive **out)
{
    kn_primitive_opts o = *opts;
    KN_TRY(check(name, &o));
    knx_arena arena = KN_ARENA_INIT;
    knf_primitive *p = knx_arena_zero(&arena, sizeof *p);
    if (!p)
        return knx_error_nomem();
    p->o = o;
    p->arena = arena;
    p->row.name = knx_arena_string(&p->arena, name);
    knx_error *e = p->row.name && make_fields(p) ? take_defaults(p, o.defaults) : knx_error_nomem();
    p->o.defaults = NULL;
    const kni_prim *row = NULL;
    if (!e) {
        knf_primitive_rules(p);
        row = kni_prim_add(&p->row, same, &e);
    }
    if (row != &p->row) {
        arena = p->arena;
        knx_arena_free(&arena);
    }
    *out = (const knf_primitive *)row;
    return e;
}

kn_primitive kn_primitive_new(const char *name, const kn_primitive_opts *opts)
{
    kna_op op;
    const knf_primitive *p = NULL;
    kna_begin(&op, "primitive_new");
    knx_error *e = opts ? NULL : knx_error_new(KN_ERROR_TYPE, "null definition");
    if (!e && !kna_failed(&op))
        e = make(name, opts, &p);
    if (e)
        kna_fail_with(&op, e);
    return kna_end_plain(&op) ? (kn_primitive)p : NULL;
}

kn_primitive kn_primitive_named(const char *name)
{
    kna_op op;
    kna_begin(&op, "primitive_named");
    if (!name)
        kna_fail(&op, KN_ERROR_TYPE, "null name");
    const kni_prim *row = name ? kni_prim_find(name) : NULL;
    return kna_end_plain(&op) && row && kni_prim_is_added(row) ? (kn_primitive)row : NULL;
}
