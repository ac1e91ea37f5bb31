/* SPDX-License-Identifier: Apache-2.0
 * from_state.c -- the loss and its gradient that a line search left in the state. */
#include "array/handle.h"
#include "optim/objective.h"
#include "prim/frame.h"
#include "tree/tree.h"
#include <string.h>

/* The node of this name in a state, -1: there is none; with the op failed where there are several, as in optax. */
static int find(kna_op *op, const kntree_structure *s, const char *name)
{
    int at = -1;
    for (int i = 0; i < s->n && !kna_failed(op); i++) {
        if (!s->node[i].key || strcmp(s->node[i].key, name) != 0)
            continue;
        if (at >= 0)
            kna_fail(op, KN_ERROR_KEY, "Found multiple values for '%s' in the state", name);
        at = i;
    }
    return at;
}

/* The leaf number `first` and those behind it as atoms. */
static void leaves_in(kna_op *op, const kntree_tree *t, int first, int n, kni_atom *to)
{
    for (int i = 0; i < n; i++)
        to[i] = kna_in(op, t->at[first + i]);
}

/* Where the state has value and gradients. */
typedef struct found {
    int value, grad; /* first leaves */
} found;

static found look(kna_op *op, const kntree_structure *s, int n)
{
    int value = find(op, s, "value"), grad = find(op, s, "grad");
    bool both = value >= 0 && grad >= 0 && s->node[value].leaves == 1;
    if (!kna_failed(op) && (!both || s->node[grad].kind == KN_TREE_NONE))
        kna_fail(op, KN_ERROR_VALUE,
                 "Value or gradient not found in the state. Make sure that these values are stored in the state by the "
                 "optimizer.");
    if (!kna_failed(op) && s->node[grad].leaves != n)
        kna_fail(op, KN_ERROR_VALUE, "the state has gradients of %d parameters, but there are %d", s->node[grad].leaves,
                 n);
    return kna_failed(op) ? (found){0, 0}
                          : (found){kntree_structure_first_leaf(s, value), kntree_structure_first_leaf(s, grad)};
}

/* Both branches take the constants, the parameters, the value and the gradients. */
static knx_error *make_branch(const kni_builder *outer, const knf_part *p, int n, const kni_atom *in, bool stored,
                              kni_jaxpr **j)
{
    knp_frame f;
    int inputs = p->n_const + 2 * n + 1;
    knx_error *error = knp_frame_begin(&f, (size_t)inputs, (size_t)n + 1) ? NULL : knx_error_nomem();
    for (int i = 0; !error && i < inputs; i++)
        knp_frame_input(&f, knb_type(outer, in[i]));
    if (!error && !stored)
        knb_inline(&f.b, p->jaxpr, f.in, f.out);
    for (int i = 0; !error && stored && i <= n; i++)
        f.out[i] = f.in[p->n_const + n + i];
    if (!error)
        error = knp_frame_finish(&f, (uint32_t)n + 1, f.out, stored ? "stored" : "value_and_grad", j);
    knp_frame_end(&f);
    return error;
}

/* in: what the branches take. */
static void choose(kna_op *op, const knf_part *p, int n, kni_atom *in, kni_atom *y)
{
    kni_builder *b = op->b;
    kni_atom *with_index = in - 1, *stored = in + p->n_const + n, size = knb_abs(b, stored[0]);
    kni_atom known = knb_lt(b, size, knb_like(b, size, __builtin_inf()));
    kni_jaxpr *branch[2] = {NULL, NULL};
    for (int i = 0; i <= n; i++) /* as the function gives them */
        stored[i] = knb_convert(b, stored[i], kni_out_type(p->jaxpr, (uint32_t)i).dtype);
    with_index[0] = knb_convert(b, known, KN_DT(I32));
    for (int i = 0; i < 2 && !kna_failed(op); i++) {
        knx_error *error = make_branch(b, p, n, in, i == 1, &branch[i]);
        if (error)
            kna_fail_with(op, error);
    }
    if (branch[0] && branch[1])
        knb_cond(b, &(kni_p_cond){.branches = {2, branch}}, with_index, y);
    kni_release(branch[0]);
    kni_release(branch[1]);
}

/* The shapes of what was stored are those of the parameters. */
static void check_shapes(kna_op *op, int n, const kni_atom *param, const kni_atom *stored)
{
    for (int i = 0; i <= n && !kna_failed(op); i++) {
        kni_type have = knb_type(op->b, stored[i]),
                 want = i ? knb_type(op->b, param[i - 1]) : kni_scalar_type(have.dtype);
        knx_text s = {0}, t = {0};
        if (!kni_type_same_shape(have, want))
            kna_fail(op, KN_ERROR_VALUE, "%s in the state has shape %s, but %s is wanted",
                     i ? "a gradient" : "the value", knx_show_shape(&s, have.ndim, have.dim),
                     knx_show_shape(&t, want.ndim, want.dim));
    }
}

int kn_optim_value_and_grad_from_state(kn_fn value_fn, kn_tree params, kn_tree state, kn_array *value, kn_tree *grad)
{
    static const char name[] = "optim_value_and_grad_from_state";
    kntree_tree *p = kntree_tree_get(name, params), *s = p ? kntree_tree_get(name, state) : NULL;
    const kntree_structure *like = s ? kntree_structure_in(name, p) : NULL,
                           *in_state = like ? kntree_structure_in(name, s) : NULL;
    struct kno_objective o = {0};
    kna_op op;
    if (!in_state)
        return -1;
    kna_begin(&op, name);
    if (!value || !grad)
        kna_fail(&op, KN_ERROR_TYPE, "null result");
    found at = look(&op, in_state, p->n);
    kno_objective_begin(&op, &o, NULL, value_fn, params);
    if (!kna_failed(&op) && !value_fn)
        kna_fail(&op, KN_ERROR_TYPE, "null function");
    const knf_part *part = &o.part[KNO_VALUE_AND_GRAD];
    size_t n = (size_t)p->n, constants = (size_t)part->n_const;
    kni_atom *all = knx_alloc_zero((1 + constants + 2 * n + 1 + n + 1) * sizeof *all), *in = all + 1,
             *y = in + constants + 2 * n + 1;
    kn_array *out = knx_alloc_zero((n + 1) * sizeof *out);
    if (!all || !out)
        kna_fail_with(&op, knx_error_nomem());
    knx_error *error = kna_failed(&op) ? NULL : knf_put_constants(&op, part, in);
    if (error)
        kna_fail_with(&op, error);
    if (!kna_failed(&op)) {
        leaves_in(&op, p, 0, p->n, in + constants);
        leaves_in(&op, s, at.value, 1, in + constants + n);
        leaves_in(&op, s, at.grad, p->n, in + constants + n + 1);
        check_shapes(&op, p->n, in + constants, in + constants + n);
    }
    if (!kna_failed(&op))
        choose(&op, part, p->n, in, y);
    bool ok = !kna_failed(&op);
    if (ok)
        kna_end_n(&op, p->n + 1, y, out);
    else
        kna_end_plain(&op);
    kn_tree t =
        ok ? kntree_tree_new(name, kntree_structure_retain((kntree_structure *)(uintptr_t)like), out + 1) : NULL;
    if (t) {
        *value = out[0];
        *grad = t;
    }
    kno_objective_end(&o);
    knx_free(all);
    knx_free(out);
    return t ? 0 : -1;
}
