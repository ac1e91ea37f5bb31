/* SPDX-License-Identifier: Apache-2.0
 * custom_rule.c -- rules of custom derivatives as jaxprs: are they linear, and the same over one more axis. */
#include "base/hash.h"
#include "prim/custom/custom.h"
#include <string.h>

knx_error *knp_not_forward(void)
{
    return knx_error_new(KN_ERROR_TYPE, "can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
}

knx_error *knp_closed_over(const char *what, const char *rule)
{
    return knx_error_new(
        KN_ERROR_TYPE,
        "Detected differentiation of a %s function with respect to a closed-over value. That isn't "
        "supported because the custom %s rule only specifies how to differentiate the %s function with "
        "respect to explicit input parameters. Try passing the closed-over value into the %s function as "
        "an argument, and adapting the custom %s.",
        what, *rule == 'J' ? "JVP" : "VJP", what, what, rule);
}

/* --- linearity -------------------------------------------------------------------------------- */

static knp_dependence of_equation(const kni_eqn *e, const bool *depends)
{
    int n = 0;
    bool linear = e->prim->transpose != NULL;
    if (!e->n_out) /* it shows a value */
        return KNP_LINEAR;
    for (uint32_t i = 0; i < e->n_in; i++)
        if (kni_is_var(e->in[i]) && depends[e->in[i]]) {
            n++;
            linear = linear && kni_linear_in(e->prim, (int)i);
        }
    if (n && e->prim->linearize)
        return KNP_MIXED;
    return !n || (linear && (n < 2 || !(e->prim->bits & KN_MULTILINEAR))) ? KNP_LINEAR : KNP_CURVED;
}

static bool reads(const kni_eqn *e, const bool *depends)
{
    for (uint32_t i = 0; i < e->n_in; i++)
        if (kni_is_var(e->in[i]) && depends[e->in[i]])
            return true;
    return false;
}

knx_error *knp_dependence_of(const kni_jaxpr *j, uint32_t first, uint32_t n_value, knp_dependence *d, const char **why)
{
    bool *depends = knx_alloc_zero((size_t)j->n_var + 1);
    *d = KNP_LINEAR;
    *why = NULL;
    if (!depends)
        return knx_error_nomem();
    for (uint32_t i = first; i < j->n_in; i++)
        depends[j->n_const + i] = kni_has_tangent(kni_in_type(j, i));
    for (uint32_t i = 0; i < j->n_eqn && *d == KNP_LINEAR; i++) {
        const kni_eqn *e = &j->eqn[i];
        *d = of_equation(e, depends);
        *why = *d == KNP_CURVED ? e->prim->name : NULL;
        bool from = reads(e, depends);
        for (uint32_t k = 0; k < e->n_out; k++)
            depends[e->out + k] = from;
    }
    for (uint32_t i = 0; i < n_value && *d == KNP_LINEAR; i++)
        if (kni_is_var(j->out[i]) && depends[j->out[i]])
            *d = KNP_CURVED;
    knx_free(depends);
    return NULL;
}

/* --- over one more axis ----------------------------------------------------------------------- */

typedef struct batched {
    kni_thunk base;
    kni_thunk *inner;
    int64_t size;
    char *name; /* of the axis, or NULL */
    int n, m;
    const int *in_axis, *out_axis; /* out_axis: NULL for all in front */
    int axes[];
} batched;

static int input_axis(const batched *t, int i) { return i < t->n ? t->in_axis[i] : 0; }

/* The types of one example. */
static knx_error *example_types(const batched *t, knx_arena *a, int n_in, const kni_type *in, kni_type *x)
{
    for (int i = 0; i < n_in; i++) {
        knp_dims d = knp_dims_without(in[i], input_axis(t, i));
        KN_TRY(knp_type_dims(a, in[i].dtype, in[i].weak, d.n, d.v, &x[i]));
    }
    return NULL;
}

/* Sums over the axis in front of the results that want it; the others move it. */
static knx_error *place_results(const batched *t, int n_in, const kni_type *in, const kni_jaxpr *j, kni_jaxpr **out)
{
    kni_builder b;
    knb_init(&b);
    kni_atom *x = knp_atoms(&b, (size_t)n_in), *y = knp_atoms(&b, j->n_out);
    knx_error *e = x && y ? NULL : knx_error_nomem();
    for (int i = 0; !e && i < n_in; i++)
        x[i] = knb_invar(&b, in[i]);
    if (!e)
        knb_inline(&b, j, x, y);
    for (uint32_t i = 0; !e && i < j->n_out && (int)i < t->m; i++)
        if (kni_has_tangent(knb_type(&b, y[i])))
            y[i] = t->out_axis[i] < 0 ? knb_reduce_sum(&b, y[i], 1, (int64_t[]){0})
                                      : knb_move_axis(&b, y[i], 0, t->out_axis[i]);
    if (!e)
        e = knb_finish(&b, (int)j->n_out, y, j->name, true, out);
    knb_free(&b);
    return e;
}

/* What one example gives, over the axis. */
static knx_error *over_axis(const batched *t, const kni_jaxpr *one, knx_arena *a, kni_jaxpr **out)
{
    int n_in = (int)one->n_in, *axis = knx_arena_alloc(a, ((size_t)n_in + 1) * sizeof *axis);
    kni_jaxpr *all = NULL;
    if (!axis)
        return knx_error_nomem();
    for (int i = 0; i < n_in; i++)
        axis[i] = input_axis(t, i);
    KN_TRY(knt_batch(one, t->size, t->name, axis, NULL, &all));
    if (!t->out_axis) {
        *out = all;
        return NULL;
    }
    knx_error *e = place_results(t, n_in, all->type, all, out);
    kni_release(all);
    return e;
}

static knx_error *batched_jaxpr(kni_thunk *base, int n_in, const kni_type *in, kni_jaxpr **out)
{
    const batched *t = (const batched *)base;
    knx_arena a = KN_ARENA_INIT;
    kni_type *x = knx_arena_alloc(&a, ((size_t)n_in + 1) * sizeof *x);
    kni_jaxpr *one = NULL;
    knx_error *e = x ? example_types(t, &a, n_in, in, x) : knx_error_nomem();
    if (!e)
        e = kni_thunk_jaxpr(t->inner, n_in, x, -1, &one);
    if (!e)
        e = over_axis(t, one, &a, out);
    kni_release(one);
    knx_arena_free(&a);
    return e;
}

static bool batched_equal(const kni_thunk *x, const kni_thunk *y)
{
    const batched *a = (const batched *)x, *b = (const batched *)y;
    bool named = a->name && b->name ? !strcmp(a->name, b->name) : a->name == b->name;
    return named && a->size == b->size && a->n == b->n && a->m == b->m && !a->out_axis == !b->out_axis &&
           !memcmp(a->axes, b->axes, (size_t)(a->n + a->m) * sizeof *a->axes) && kni_thunk_equal(a->inner, b->inner);
}

static uint64_t batched_hash(const kni_thunk *x)
{
    const batched *t = (const batched *)x;
    uint64_t h = knx_hash_mix(kni_thunk_hash(t->inner), (uint64_t)t->size);
    return knx_hash_bytes(t->axes, (size_t)(t->n + t->m) * sizeof *t->axes, h);
}

static const char *batched_leaf(const kni_thunk *x, int i, knx_text *text)
{
    const kni_thunk *inner = ((const batched *)x)->inner;
    return inner->kind->leaf ? inner->kind->leaf(inner, i, text) : "";
}

static void batched_free(kni_thunk *x)
{
    kni_thunk_release(((batched *)x)->inner);
    knx_free(((batched *)x)->name);
    knx_free(x);
}

/* Of a thunk that always gives the same jaxpr: another one. NULL without memory, or if it cannot be. */
static kni_thunk *batch_held(const batched *t)
{
    knx_arena a = KN_ARENA_INIT;
    kni_jaxpr *j = NULL;
    knx_error *e = over_axis(t, t->inner->held, &a, &j);
    kni_thunk *held = e ? NULL : kni_thunk_new(t->inner->name, j);
    knx_error_release(e);
    kni_release(j);
    knx_arena_free(&a);
    return held;
}

kni_thunk *knp_thunk_batched(kni_thunk *inner, int64_t size, const char *name, int n, const int *in_axis, int m,
                             const int *out_axis)
{
    static const kni_thunk_kind kind = {.jaxpr = batched_jaxpr,
                                        .equal = batched_equal,
                                        .hash = batched_hash,
                                        .free = batched_free,
                                        .leaf = batched_leaf};
    m = out_axis ? m : 0;
    batched *t = knx_alloc(sizeof *t + (size_t)(n + m) * sizeof *t->axes);
    char *own = name ? knx_alloc(strlen(name) + 1) : NULL;
    if (!t || (name && !own)) {
        knx_free(t);
        knx_free(own);
        return NULL;
    }
    *t = (batched){.base = {.kind = &kind, .name = inner->name}, .inner = kni_thunk_retain(inner), .size = size};
    atomic_init(&t->base.refs, 1);
    t->name = own ? strcpy(own, name) : NULL;
    t->n = n;
    t->m = m;
    if (n)
        memcpy(t->axes, in_axis, (size_t)n * sizeof *t->axes);
    if (m)
        memcpy(t->axes + n, out_axis, (size_t)m * sizeof *t->axes);
    t->in_axis = t->axes;
    t->out_axis = out_axis ? t->axes + n : NULL;
    kni_thunk *held = inner->held ? batch_held(t) : NULL;
    if (!held)
        return &t->base;
    kni_thunk_release(&t->base);
    return held;
}
