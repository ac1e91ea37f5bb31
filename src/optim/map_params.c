/* SPDX-License-Identifier: Apache-2.0
 * map_params.c -- a map over those arrays of an optimizer's state that belong to one parameter each: moments, traces,
 * sums of gradients, and not counts, rates and keys. The layout of the state says which they are. */
#include "kiln/optim.h"
#include "lib/compose.h"
#include "optim/optimizer.h"

static const char name[] = "optim_tree_map_params";

enum { MOST = KN_MAX_ARGS - 1 };

typedef struct map {
    int n, n_rest; /* parameters, trees of the rest */
    kn_tree state_handle;
    const kn_tree *rest_handle;
    kntree_tree *state, *rest[MOST];
    int *owner; /* of each array of the state: 1 + a parameter, or 0 */
} map;

/* Which parameter each array of the state belongs to. */
static void find_owners(kna_op *op, const kno_transform *t, kn_tree params, map *m)
{
    kntree_tree *p = kntree_tree_get(name, params);
    kni_type *type = p ? knx_alloc(((size_t)p->n + 1) * sizeof *type) : NULL;
    if (!p)
        kna_fail(op, KN_ERROR_TYPE, "params is no tree");
    else if (!type)
        kna_fail_with(op, knx_error_nomem());
    if (!type)
        return;
    m->n = t->rule == &kno_lookahead && p->n % 2 == 0 ? p->n / 2 : p->n;
    for (int i = 0; i < m->n && !kna_failed(op); i++)
        type[i] = kna_type(op, p->at[i]);
    kno_layout l = {.n = m->n, .type = type};
    if (!kna_failed(op))
        t->rule->layout(&l, t);
    if (!kna_failed(op) && (l.failed || !(m->owner = knx_alloc((l.entry.n + 1) * sizeof *m->owner))))
        kna_fail_with(op, knx_error_nomem());
    if (!kna_failed(op) && (size_t)m->state->n != l.entry.n)
        kna_fail(op, KN_ERROR_VALUE, "the state: %d array%s where %zu are wanted for the %d parameters", m->state->n,
                 m->state->n == 1 ? "" : "s", l.entry.n, m->n);
    for (size_t i = 0; m->owner && i < l.entry.n; i++)
        m->owner[i] = l.entry.at[i].owner;
    kno_layout_free(&l);
    knx_free(type);
}

static void read_rest(kna_op *op, int n, const kn_tree *rest, map *m)
{
    m->n_rest = n;
    for (int i = 0; i < n && !kna_failed(op); i++) {
        m->rest[i] = kntree_tree_get(name, rest[i]);
        if (!m->rest[i])
            kna_fail(op, KN_ERROR_TYPE, "tree %d of the rest is no tree", i);
        else if (m->rest[i]->n != m->n)
            kna_fail(op, KN_ERROR_VALUE, "tree %d of the rest has %d leaves, but there are %d parameters", i,
                     m->rest[i]->n, m->n);
    }
}

/* The arguments of f for array i of the state. f may have released the trees: false after reporting that. */
static bool arguments(map *m, int i, kn_array *x, kn_args *args)
{
    int owner = m->owner[i];
    m->state = kntree_tree_get(name, m->state_handle);
    if (!m->state)
        return false;
    x[0] = m->state->at[i];
    for (int k = 0; owner && k < m->n_rest; k++) {
        m->rest[k] = kntree_tree_get(name, m->rest_handle[k]);
        if (!m->rest[k])
            return false;
        x[k + 1] = m->rest[k]->at[owner - 1];
    }
    args->n = owner ? 1 + m->n_rest : 1;
    for (int k = 0; k < args->n; k++)
        args->part[k] = (kn_const_part){&x[k], sizeof *x};
    return true;
}

static kn_tree map_state(map *m, int n, kntree_structure *s, kn_fn f, kn_fn other)
{
    kn_array *y = knx_alloc(((size_t)n + 1) * sizeof *y), x[KN_MAX_ARGS];
    bool well = y;
    if (!y)
        kntree_tree_failed(name, knx_error_nomem());
    for (int i = 0; i < n && well; i++) {
        kn_args args;
        kn_fn call = m->owner[i] ? f : other;
        well = arguments(m, i, x, &args);
        if (well)
            y[i] = x[0];
        if (well && call)
            well = !kn_call(call, &(const kn_outs){1, {{&y[i], sizeof y[i]}}}, &args);
    }
    kn_tree made = well ? kntree_tree_new(name, kntree_structure_retain(s), y) : NULL;
    knx_free(y);
    return made;
}

kn_tree kn_optim_tree_map_params(kn_optimizer initable, kn_fn f, kn_tree state, kn_tree params, int n,
                                 const kn_tree *rest, const kn_optim_tree_map_params_opts *opts)
{
    kna_op op;
    map m = {.state_handle = state, .rest_handle = rest};
    kna_begin(&op, name);
    KNX_OPTS(kn_optim_tree_map_params_opts, o, opts);
    const kno_transform *t = kno_get(&op, initable);
    m.state = t ? kntree_tree_get(name, state) : NULL;
    const kntree_structure *own = m.state ? kntree_structure_in(name, m.state) : NULL;
    kntree_structure *s = kntree_structure_retain((kntree_structure *)(uintptr_t)own);
    int n_state = m.state ? m.state->n : 0;
    if (t && !s)
        kna_fail(&op, KN_ERROR_TYPE, "state is no tree");
    if (t && s && !f)
        kna_fail(&op, KN_ERROR_TYPE, "null function");
    if (s && !kna_failed(&op))
        find_owners(&op, t, params, &m);
    if (s && !kna_failed(&op) && kna_given_list(&op, n, rest, MOST, "rest"))
        read_rest(&op, n, rest, &m);
    kn_tree made = kna_end_handle(&op) ? map_state(&m, n_state, s, f, o.transform_non_params) : NULL;
    kntree_structure_release(s);
    knx_free(m.owner);
    return made;
}
