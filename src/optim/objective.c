/* SPDX-License-Identifier: Apache-2.0
 * objective.c -- the function that a line search evaluates: how it is recorded, and how it is called in a loop. */
#include "optim/objective.h"
#include "optim/mixed.h"
#include "prim/frame.h"
#include "tree/tree.h"

unsigned kno_searches(const kno_transform *t)
{
    unsigned ways = 0;
    if (t->rule == &kno_zoom)
        ways |= 1u << KNO_VALUE_AND_GRAD;
    if (t->rule == &kno_backtracking)
        ways |= 1u << KNO_VALUE | (t->flag[0] ? 1u << KNO_VALUE_AND_GRAD : 0);
    for (int i = 0; i < t->n_child; i++)
        ways |= kno_searches(t->child[i]);
    return ways;
}

/* The types of the parameters, to be freed; NULL after a failure. */
static kni_type *types_of(kna_op *op, kn_tree params, int n)
{
    kn_array *x = knx_alloc(((size_t)n + 1) * sizeof *x);
    kni_type *type = knx_alloc(((size_t)n + 1) * sizeof *type);
    if (!x || !type)
        kna_fail_with(op, knx_error_nomem());
    else
        kntree_tree_read(op, params, n, x);
    for (int i = 0; i < n && !kna_failed(op); i++) {
        type[i] = kna_type(op, x[i]);
        type[i].dtype = type[i].weak ? kna_strong_dtype(type[i]) : type[i].dtype;
        type[i].weak = false;
    }
    knx_free(x);
    if (!kna_failed(op))
        return type;
    knx_free(type);
    return NULL;
}

static knx_error *check_value(const knf_part *p)
{
    const kni_jaxpr *j = p->jaxpr;
    knx_text t = {0};
    if (j->n_out == 1 && !kni_out_type(j, 0).ndim && knx_is_float(kni_out_type(j, 0).dtype))
        return NULL;
    if (j->n_out != 1)
        return knx_error_new(KN_ERROR_TYPE, "value_fn %s must return one real scalar, but it returns %u arrays",
                             p->f->core->name, (unsigned)j->n_out);
    return knx_error_new(KN_ERROR_TYPE, "value_fn %s must return a real scalar, but it returns %s", p->f->core->name,
                         kni_type_text(&t, kni_out_type(j, 0), true));
}

static knx_error *record(knf_part *p, kno_way way, kn_tree params, int n, const kni_type *type)
{
    const kn_args at = {1, {{params, 1}}};
    KN_TRY(knf_part_fit(p, "optim_update", &at));
    const knf_core *f = p->f->core;
    if (f->n_args != 1 || f->n_in != n)
        return knx_error_new(
            KN_ERROR_TYPE, "value_fn must take the parameters, %d array%s, but %s takes %d argument%s of %d array%s", n,
            n == 1 ? "" : "s", f->name, f->n_args, f->n_args == 1 ? "" : "s", f->n_in, f->n_in == 1 ? "" : "s");
    KN_TRY(knf_part_fit_types(p, "optim_update", n, type));
    KN_TRY(knf_part_record(p, "optim_update", type, NULL));
    if (way == KNO_VALUE)
        return check_value(p);
    for (int i = 0; i < n; i++)
        if (!knp_same_type(kni_out_type(p->jaxpr, (uint32_t)i + 1), type[i]))
            return knx_error_new(KN_ERROR_TYPE, "the gradient of value_fn is not of the type of the parameters");
    return NULL;
}

void kno_objective_begin(kna_op *op, struct kno_objective *o, const kno_transform *t, kn_fn value_fn, kn_tree params)
{
    unsigned ways = t ? kno_searches(t) : 1u << KNO_VALUE_AND_GRAD;
    int n = kna_failed(op) || !ways || !value_fn || !params ? -1 : kntree_tree_size(params);
    o->given = value_fn != NULL;
    kni_type *type = n >= 0 ? types_of(op, params, n) : NULL;
    if (!type)
        return;
    if (ways & 1u << KNO_VALUE_AND_GRAD)
        o->slope = (kn_value_and_grad)(value_fn, NULL);
    for (int way = 0; way < KNO_WAYS && !kna_failed(op); way++) {
        knf_part *p = &o->part[way];
        if (!(ways & 1u << way))
            continue;
        p->f = knf_fn_get(op, way == KNO_VALUE ? value_fn : o->slope);
        knx_error *error = p->f ? record(p, (kno_way)way, params, n, type) : NULL;
        if (error)
            kna_fail_with(op, error);
    }
    knx_free(type);
}

void kno_objective_end(struct kno_objective *o)
{
    for (int way = 0; way < KNO_WAYS; way++)
        knf_part_free(&o->part[way]);
    if (o->slope)
        kn_release(o->slope);
    *o = (struct kno_objective){0};
}

struct kno_objective *kno_objective_of(kno_pass *s)
{
    struct kno_objective *o = s->objective;
    const char *missing = s->value == KN_ATOM_NONE ? "value" : !o || !o->given ? "value_fn" : NULL;
    if (missing) {
        kna_fail(s->op, KN_ERROR_TYPE, "update_fn() missing 1 required keyword-only argument: '%s'", missing);
        return NULL;
    }
    bool all = s->n == o->n;
    for (int i = 0; all && i < s->n; i++)
        all = s->param[i] == o->param[i];
    if (!all)
        kna_fail(s->op, KN_ERROR_VALUE,
                 "a line search inside of a transformation that shows it other parameters than value_fn takes (a mask, "
                 "flatten, sam)");
    return all ? o : NULL;
}

int kno_objective_constants(kno_pass *s, kno_way way, kni_atom *to)
{
    const knf_part *p = &s->objective->part[way];
    knx_error *error = to ? knf_put_constants(s->op, p, to) : NULL;
    if (error)
        kna_fail_with(s->op, error);
    return p->n_const;
}

void kno_objective_call(kno_pass *s, kni_builder *b, kno_way way, const kni_atom *constant, const kni_atom *param,
                        kni_atom *y)
{
    const knf_part *p = &s->objective->part[way];
    int n = s->objective->n;
    kni_atom *in = kno_room(s, (size_t)p->n_const + (size_t)n, sizeof *in);
    if (kna_failed(s->op))
        return;
    for (int i = 0; i < p->n_const; i++)
        in[i] = constant[i];
    for (int i = 0; i < n; i++)
        in[p->n_const + i] = param[i];
    knb_inline(b, p->jaxpr, in, y);
}

void kno_points(kni_builder *b, int n, const kni_atom *param, kni_atom rate, const kni_atom *update, kni_atom *to)
{
    for (int i = 0; i < n; i++)
        to[i] = kno_spread(b, kno_mixed_add(b, param[i], kno_mixed_mul(b, rate, update[i])), param[i]);
}

kni_atom kno_search_value(kno_pass *s)
{
    kni_type t = knb_type(s->b, s->value);
    knx_text text = {0};
    if (!kna_failed(s->op) && (t.ndim || knx_is_complex(t.dtype)))
        kna_fail(s->op, KN_ERROR_TYPE, "value must be a real scalar, but is %s", kni_type_text(&text, t, true));
    return knx_is_float(t.dtype) ? s->value : knb_convert(s->b, s->value, kna_default_float());
}

kn_dtype kno_search_dtype(const kno_layout *l) { return l->n ? knx_component(l->type[0].dtype) : kna_default_float(); }

void kno_scale_updates(kno_pass *s, kni_atom rate)
{
    for (int i = 0; i < s->n; i++)
        s->u[i] = kno_spread(s->b, kno_mixed_mul(s->b, rate, s->u[i]), s->u[i]);
}
