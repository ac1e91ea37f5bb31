/* SPDX-License-Identifier: Apache-2.0
 * variants.c -- the programs of a function that was recorded with dimension variables. A variant is a program of
 * variables and the conditions under which it holds; of it programs are made for the numbers of each call, and some are
 * kept. */
#include "function/symbolic.h"
#include "array/plans.h"
#include "base/dim_expr.h"
#include "base/log.h"
#include <string.h>

typedef struct knf_variant {
    struct knf_variant *next;
    const knd_device *device;
    knc_program *program;
    knf_conditions conditions;
    kna_instances *instances;
    size_t bytes; /* without its instances */
} knf_variant;

void knf_variants_free(knf_variant **first)
{
    for (knf_variant *v = *first, *next; v; v = next) {
        next = v->next;
        kna_instances_free(v->instances);
        knc_release(v->program);
        knx_dim_conditions_free(&v->conditions.held);
        knx_free(v);
    }
    *first = NULL;
}

size_t knf_variants_bytes(const knf_entry *e)
{
    size_t bytes = 0;
    for (const knf_variant *v = e->variant; v; v = v->next)
        bytes += v->bytes + kna_instances_bytes(v->instances);
    return bytes;
}

/* ---- Conditions. */

bool knf_assume(knx_dim_scope *s, const knf_dims *dims)
{
    s->sample.n = s->guard.n = s->told.n = 0;
    s->assumes = true;
    for (int i = 0; i < dims->n; i++)
        if (!knx_dim_sample(s, dims->value[i].var, dims->value[i].value))
            return false;
    return true;
}

bool knf_conditions_of(const knx_dim_scope *s, const knf_dims *dims, knf_conditions *out)
{
    *out = (knf_conditions){.n = dims->n};
    for (int i = 0; i < dims->n; i++)
        out->var[i] = dims->value[i].var;
    return knx_dim_conditions_of(s, &out->held);
}

bool knf_conditions_hold(const knf_conditions *c, const knf_dims *dims, int64_t *value)
{
    for (int i = 0; i < c->n; i++) {
        int k = 0;
        while (k < dims->n && dims->value[k].var != c->var[i])
            k++;
        if (k == dims->n)
            return false;
        value[i] = dims->value[k].value;
    }
    return knx_dim_conditions_hold(&c->held, value);
}

/* What is negative stands on the right, and numbers do. */
const char *knf_show_guard(knx_text *t, const knx_dim_guard *g)
{
    static const char *const sign[2][4] = {{"<", ">=", "!=", "=="}, {">", "<=", "!=", "=="}};
    knx_dim_part part[KNX_DIM_PARTS], side[2][KNX_DIM_PARTS];
    int n = knx_dim_terms(g->e, part), count[2] = {0, 0};
    for (int i = 0; i < n; i++) {
        int right = part[i].times < 0;
        side[right][count[right]++] = (knx_dim_part){part[i].term, right ? -part[i].times : part[i].times};
    }
    int64_t left = knx_dim_of_parts(side[0], count[0]), right = knx_dim_of_parts(side[1], count[1]);
    bool turn = !knx_is_symbolic(left);
    knx_text one = {0}, other = {0};
    size_t from = t->length;
    knx_text_add(t, "%s %s %s", knx_dim_show(&one, turn ? right : left), sign[turn][2 * g->equal + g->holds],
                 knx_dim_show(&other, turn ? left : right));
    return t->s + from;
}

/* ---- Variants. */

static knx_error *new_variant(const knf_variants *x, const knf_dims *dims, knf_variant **out)
{
    knx_dim_scope *scope = x->scope;
    knf_variant *v = knx_alloc_zero(sizeof *v);
    knx_error *error = v && knf_assume(scope, dims) ? NULL : knx_error_nomem();
    if (!error) {
        v->device = x->device;
        const knc_compile_options o = {.target = v->device->target(v->device),
                                       .kernels = kna_state_get()->caches->kernels,
                                       .fuse = true,
                                       .donated = x->donated};
        knx_dim_enter(scope);
        error = knc_compile(x->jaxpr, &o, &v->program);
        knx_dim_leave(scope);
        scope->assumes = false;
        knx_error *refused = knx_dim_take_error(scope);
        error = error ? (knx_error_release(refused), error) : refused;
    }
    if (!error && !knf_conditions_of(scope, dims, &v->conditions))
        error = knx_error_nomem();
    if (error) {
        if (v)
            knc_release(v->program);
        knx_free(v);
        return error;
    }
    const kn_place *here = knx_context()->here;
    KN_LOG(1, "jit: %s:%d: %s is compiled for all extents that meet %zu conditions", here ? here->file : "?",
           here ? here->line : 0, x->jaxpr->name, v->conditions.held.n);
    v->bytes = sizeof *v + knc_bytes(v->program, x->jaxpr) + knx_dim_conditions_bytes(&v->conditions.held);
    v->next = *x->first;
    *x->first = v;
    *out = v;
    return NULL;
}

static knx_error *variant_for(const knf_variants *x, const knf_dims *dims, int64_t *value, knf_variant **out)
{
    for (knf_variant *v = *x->first; v; v = v->next)
        if (v->device == x->device && knf_conditions_hold(&v->conditions, dims, value)) {
            *out = v;
            return NULL;
        }
    KN_TRY(new_variant(x, dims, out));
    knf_conditions_hold(&(*out)->conditions, dims, value); /* for the numbers */
    return NULL;
}

knx_error *knf_variant_program(const knf_variants *from, const knf_dims *dims, bool *fresh, knd_loaded **out)
{
    int64_t value[KNF_MAX_DIM_VARS] = {0};
    knx_dim_value pair[KNF_MAX_DIM_VARS];
    knf_variant *v = NULL;
    *out = NULL;
    *fresh = false;
    KN_TRY(variant_for(from, dims, value, &v));
    *out = kna_instance_find(v->instances, value);
    if (*out)
        return NULL;
    *fresh = true;
    KN_TRY(knf_check_numbers(from->jaxpr, dims));
    for (int i = 0; i < v->conditions.n; i++)
        pair[i] = (knx_dim_value){v->conditions.var[i], value[i]};
    const kna_instance_of of = {v->device, v->program, (uint32_t)v->conditions.n, pair};
    return kna_instance_make(&v->instances, &of, out);
}

void knf_variants_show(knx_str *t, const knf_entry *e)
{
    int n = 0;
    for (const knf_variant *v = e->variant; v; v = v->next)
        n++;
    knx_str_printf(t, ", %d program%s", n, n == 1 ? "" : "s");
}
