/* SPDX-License-Identifier: Apache-2.0
 * donate.c -- calls of jitted functions that are given some of their arguments for good: such an array's memory is the
 * program's to write over, and the array is an error from then on. As in JAX an array is given only if a result has its
 * type, and only by the outermost call: inside of what is recorded nothing is.
 *
 * The program finds the array's own buffer where no one else has it; else it copies, and what the user sees is the
 * same. */
#include "function/donate.h"
#include "function/symbolic.h"
#include "array/handle.h"
#include "array/pin.h"
#include "array/storage.h"
#include "base/log.h"

/* ---- Which of a recording's operands may be given. */

static bool is_donated_argument(const knf_core *f, int arg)
{
    for (int i = 0; i < f->o.argnums.n; i++)
        if (f->o.argnums.arg[i] == arg)
            return true;
    return false;
}

/* A result of the type of input i that no other input has. */
static bool find_result(const kni_jaxpr *j, uint32_t i, bool *taken)
{
    kni_type t = kni_in_type(j, i);
    for (uint32_t k = 0; k < j->n_out; k++)
        if (!taken[k] && kni_out_type(j, k).dtype == t.dtype && kni_type_same_shape(kni_out_type(j, k), t))
            return taken[k] = true;
    return false;
}

knx_error *knf_find_donated(const knf_core *f, const kni_jaxpr *j, knx_arena *a, bool **out)
{
    *out = NULL;
    if (f->kind != KNF_FN_JIT || !f->o.argnums.n)
        return NULL;
    bool *donated = *out = knx_arena_zero(a, (size_t)j->n_const + j->n_in + 1);
    bool *taken = knx_arena_zero(a, (size_t)j->n_out + 1);
    knx_text unusable = {0};
    if (!donated || !taken)
        return knx_error_nomem();
    uint32_t i = (uint32_t)f->n_captured;
    for (int arg = 0; arg < f->n_args; arg++)
        for (int k = 0; k < f->arrays[arg]; k++, i++) {
            knx_text type = {0};
            if (!is_donated_argument(f, arg))
                continue;
            donated[j->n_const + i] = find_result(j, i, taken);
            if (!donated[j->n_const + i])
                knx_text_add(&unusable, "%s%s", unusable.length ? ", " : "",
                             kni_type_text(&type, kni_in_type(j, i), false));
        }
    if (unusable.length)
        KN_LOG(1, "jit: %s: some donated arrays were not usable: %s", f->name, unusable.s);
    return NULL;
}

/* ---- A call. */

typedef struct given {
    kn_array handle;
    kna_value *value;
    bool whole; /* the program may have the buffer itself */
} given;

/* Arrays that are views of others, of other contexts, or C numbers are not given. */
static bool can_be_given(kn_array x, const kna_value *v)
{
    kna_handle_kind kind = KN_H_NONE;
    const kna_array *a = kna_handle_peek(x, &kind);
    return v->state == KN_V_BUFFER && (kind == KN_H_ARRAY || (kind == KN_H_VIEW && !a->step));
}

/* Arrays that only share memory (equal ones that were computed together do) are two: the program copies. */
static knx_error *find_second(const knf_core *f, const knf_entry *e, kna_value *const *in, int n, int i)
{
    const bool *donated = e->donated + e->closed.jaxpr->n_const;
    for (int k = 0; k < n; k++) {
        if (k == i || in[k] != in[i])
            continue;
        if (donated[k])
            return knx_error_new(KN_ERROR_VALUE, "%s was given the same array for good twice: f(donate(a), donate(a))",
                                 f->name);
        return knx_error_new(KN_ERROR_VALUE,
                             "%s was given an array for good that it is also given as another argument: "
                             "f(donate(a), a)",
                             f->name);
    }
    return NULL;
}

/* The array's memory is its own: no value and no one outside sees it. */
static bool has_memory_alone(const kna_value *v)
{
    const kna_pin *p = v->pin;
    if (!p)
        return atomic_load(&v->buffer->refs) == 1;
    return kna_lies_in_pin(v) && !p->foreign && !atomic_load(&p->exports) && atomic_load(&p->refs) == 2 &&
           atomic_load(&v->buffer->refs) == 2;
}

/* What was recorded before with the array runs before, and views remember nothing of it. */
static void prepare(given *g)
{
    kna_handle_kind kind = KN_H_NONE;
    kna_array *a = kna_handle_peek(g->handle, &kind);
    kna_storage *s = kind == KN_H_VIEW ? a->storage : NULL;
    kna_force_readers(g->value);
    while (s && s->views)
        kna_forget(s->views);
    g->whole = has_memory_alone(g->value);
}

/* From now on the array is an error, for whoever has it. */
static void mark(const given *g, knx_error *gone)
{
    kna_handle_kind kind = KN_H_NONE;
    kna_array *a = kna_handle_peek(g->handle, &kind);
    kna_value *v = g->value;
    knx_buffer *b = v->buffer;
    kna_pin *p = v->pin;
    knx_share_lock();
    if (kind == KN_H_VIEW)
        a->storage->version++;
    if (p && kind == KN_H_VIEW && a->storage->pin == p)
        a->storage->pin = NULL;
    else if (p)
        atomic_fetch_add(&p->refs, 1);
    v->pin = NULL;
    v->error = knx_error_retain(gone);
    v->donated = true;
    kna_publish(v, KN_V_ERROR);
    knx_share_unlock();
    if (p) {
        p->holder = NULL;
        p->storage = NULL;
        kna_pin_release(p);
        kna_pin_release(p);
    }
    knx_buffer_release(b);
}

static knx_error *text_of(const knf_core *f, const kna_value *v)
{
    const kn_place *here = knx_context()->here;
    knx_text shape = {0};
    return knx_error_new(KN_ERROR_RUNTIME, "Array has been deleted with shape=%s. It was donated to %s at %s:%d",
                         kni_type_text(&shape, v->type, true), f->name, here ? here->file : "?", here ? here->line : 0);
}

static knx_error *run(knf_core *f, knf_entry *e, const knf_dims *dims, kna_value **in, int n, int n_given, given *g,
                      kna_value **out)
{
    bool *give = knx_alloc_zero((size_t)n + 1);
    knx_error *error = give ? NULL : knx_error_nomem();
    for (int i = 0; !error && i < n_given; i++) {
        prepare(&g[i]);
        for (int k = 0; k < n; k++)
            give[k] = give[k] || (in[k] == g[i].value && g[i].whole);
    }
    if (!error)
        error = knf_run_entry(e, dims, in, give, out);
    for (int i = 0; give && i < n_given; i++)
        if (!error || g[i].whole) {
            knx_error *gone = text_of(f, g[i].value);
            mark(&g[i], gone);
            knx_error_release(gone);
        }
    knx_free(give);
    return error;
}

knx_error *knf_apply_donating(knf_core *f, const kn_array *handle, kna_value **in, kna_value **out)
{
    int n = f->n_captured + f->n_in, n_given = 0;
    knf_entry *e, *once;
    knf_dims dims;
    kni_type few[32], *types = knf_types_of(n, in, few);
    knx_error *error = types ? knf_find_entry(f, types, in, &dims, &e, &once) : knx_error_nomem();
    if (types != few)
        knx_free(types);
    if (error)
        return error;
    given *g = knx_alloc(((size_t)n + 1) * sizeof *g);
    e->running++;
    error = g ? kna_force(n, in) : knx_error_nomem();
    for (int i = f->n_captured; !error && i < n; i++)
        if (e->donated[e->closed.jaxpr->n_const + (uint32_t)i] && can_be_given(handle[i - f->n_captured], in[i])) {
            error = find_second(f, e, in, n, i);
            g[n_given++] = (given){handle[i - f->n_captured], in[i], false};
        }
    if (!error)
        error = run(f, e, &dims, in, n, n_given, g, out);
    e->running--;
    knx_free(g);
    knf_entry_free(once);
    return error;
}
