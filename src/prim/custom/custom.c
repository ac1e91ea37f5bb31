/* SPDX-License-Identifier: Apache-2.0
 * custom.c -- functions whose derivatives their author gives.
 *
 *     type       the body's; custom_lin: those of out_avals
 *     linearize  custom_jvp_call: the rule's values and tangents. custom_vjp_call: the forward rule's values, and
 *                custom_lin of its residuals and the tangents, which is known by its transpose only
 *     transpose  the body's; custom_lin: the backward rule
 *     batch      body and rules, all results with the axis in front
 *     lower      expand to the body; custom_lin is JAX's TypeError for forward mode
 */
#include "prim/custom/custom.h"
#include "ir/ops.h"

static const kni_jaxpr *jvp_body(const void *params) { return ((const kni_p_custom_jvp *)params)->call_jaxpr; }
static const kni_jaxpr *vjp_body(const void *params) { return ((const kni_p_custom_vjp *)params)->call_jaxpr; }

static knx_error *custom_jvp_type(kni_rule *r, kni_type *y)
{
    return knp_body_type("custom_jvp_call", jvp_body(r->params), r, y);
}
static knx_error *custom_vjp_type(kni_rule *r, kni_type *y)
{
    return knp_body_type("custom_vjp_call", vjp_body(r->params), r, y);
}

static void inline_body(const kni_rule *r, kni_jaxpr *j, const kni_atom *in, kni_atom *out)
{
    knb_inline(r->b, j, in, out);
}

/* What stands for no tangent or cotangent in a rule: zeros; for keys, that of zero words. */
static kni_atom instantiated(kni_builder *b, kni_atom a, kni_type t)
{
    if (a != KN_ATOM_ZERO || t.dtype != KN_DT(KEY))
        return knb_instantiate(b, a, t);
    int64_t dim[KN_MAX_NDIM + 1];
    for (int i = 0; i < t.ndim; i++)
        dim[i] = t.dim[i];
    dim[t.ndim] = 2;
    return knb_random_wrap(b, knb_zeros(b, kni_type_of(KN_DT(U32), t.ndim + 1, dim)));
}

/* --- what rules give -------------------------------------------------------------------------- */

static bool same_type(kni_type a, kni_type b) { return a.dtype == b.dtype && kni_type_same_shape(a, b); }

/* A number that waits for its dtype takes the one that is wanted. */
static kni_atom settled(kni_builder *b, kni_atom a, kni_type wanted)
{
    knx_scalar_bits bits, to = {{0}};
    kni_type t = knb_type(b, a);
    if (!t.weak || !knb_literal_value(b, a, &bits) || wanted.dtype->kind == KN_KIND_KEY)
        return a;
    knx_convert(t.dtype, &bits, wanted.dtype, &to);
    return knb_literal(b, wanted.dtype, false, to);
}

static knx_error *check_value(const kni_rule *r, const char *kind, const kni_thunk *rule, const char *f, int i,
                              kni_atom *y)
{
    *y = settled(r->b, *y, r->yt[i]);
    kni_type t = knb_type(r->b, *y);
    if (r->b->error || same_type(t, r->yt[i]))
        return NULL;
    knx_text has = {0}, wants = {0}, leaf = {0};
    return knx_error_new(
        KN_ERROR_TYPE,
        "Custom %s rule %s for function %s must produce primal outputs with the same shapes and dtypes as "
        "the function, but %s is %s while the function's is %s.",
        kind, rule->name, f, kni_thunk_leaf(rule, i, "array ", " of them", &leaf), kni_type_text(&has, t, true),
        kni_type_text(&wants, r->yt[i], true));
}

static knx_error *check_tangent(const kni_rule *r, const kni_thunk *rule, const char *f, int i, kni_atom *t)
{
    *t = settled(r->b, *t, r->yt[i]);
    kni_type has = knb_type(r->b, *t), wants = r->yt[i];
    if (r->b->error || same_type(has, wants))
        return NULL;
    knx_text a = {0}, b = {0}, c = {0}, leaf = {0};
    return knx_error_new(
        KN_ERROR_TYPE,
        "Custom JVP rule %s for function %s must produce primal and tangent outputs with corresponding "
        "shapes and dtypes. Expected %s (tangent type of %s) as %s but got %s.",
        rule->name, f, kni_type_text(&a, wants, true), kni_type_text(&b, wants, true),
        kni_thunk_leaf(rule, r->n_out + i, "array ", " of the rule's result", &leaf), kni_type_text(&c, has, true));
}

static knx_error *check_cotangent(const kni_rule *r, const kni_thunk *rule, const char *f, int i, kni_type wants,
                                  kni_atom *ct)
{
    *ct = settled(r->b, *ct, wants);
    kni_type has = knb_type(r->b, *ct);
    if (r->b->error || same_type(has, wants))
        return NULL;
    knx_text a = {0}, b = {0}, leaf = {0};
    return knx_error_new(KN_ERROR_VALUE,
                         "Custom VJP bwd rule %s for function %s must produce an output with the same type as the args "
                         "tuple of the primal function, but at output%s the bwd rule produced an output of type %s "
                         "corresponding to an input of type %s, so the %s do not match",
                         rule->name, f, kni_thunk_leaf(rule, i, "[", "]", &leaf), kni_type_text(&a, has, true),
                         kni_type_text(&b, wants, true), kni_type_same_shape(has, wants) ? "dtypes" : "shapes");
}

/* --- custom_jvp_call -------------------------------------------------------------------------- */

/* Values and tangents by the derivative of the rule along its tangents: where loops or calls take both together, so
 * that no equation of theirs is linear. */
static knx_error *by_derivative(const kni_rule *r, const kni_jaxpr *rule, const kni_atom *in, kni_atom *out)
{
    uint32_t first = (uint32_t)r->n_in, n_out = rule->n_out;
    knt_linearized l = {0};
    bool *tangent = knx_arena_zero(&r->b->arena, rule->n_in + 1);
    kni_atom *x = knp_atoms(r->b, rule->n_in);
    if (!tangent || !x)
        return knx_error_nomem();
    for (uint32_t i = 0; i < rule->n_in; i++) {
        tangent[i] = i >= first && kni_has_tangent(kni_in_type(rule, i));
        x[i] = tangent[i] ? knb_zeros(r->b, kni_in_type(rule, i)) : in[i];
    }
    knx_error *e = knt_linearize(rule, tangent, &l);
    kni_atom *y = e ? NULL : knp_atoms(r->b, l.primal->n_out), *lx = e ? NULL : knp_atoms(r->b, l.linear->n_in),
             *t = e ? NULL : knp_atoms(r->b, l.linear->n_out);
    if (!e && (!y || !lx || !t))
        e = knx_error_nomem();
    if (!e) {
        uint32_t n = 0;
        knb_inline(r->b, l.primal, x, y);
        for (uint32_t i = 0; i < l.n_residual; i++)
            lx[n++] = y[n_out + i];
        for (uint32_t i = 0; i < rule->n_in; i++)
            if (tangent[i])
                lx[n++] = in[i];
        knb_inline(r->b, l.linear, lx, t);
        for (uint32_t i = 0, k = 0; i < n_out; i++) {
            kni_atom ty = l.out_tangent[i] ? t[k++] : KN_ATOM_ZERO;
            out[i] = i < n_out / 2 ? y[i] : knb_instantiate(r->b, ty, kni_out_type(rule, i));
        }
    }
    knt_linearized_free(&l);
    return e;
}

static knx_error *not_linear(const kni_p_custom_jvp *p, const char *why)
{
    if (why)
        return knx_error_new(
            KN_ERROR_TYPE,
            "Custom JVP rule %s for function %s must be linear in the tangents, but it uses %s of one of "
            "them.",
            p->jvp->name, p->name, why);
    return knx_error_new(KN_ERROR_TYPE,
                         "Custom JVP rule %s for function %s must produce primal outputs that do not depend on the "
                         "tangents.",
                         p->jvp->name, p->name);
}

static knx_error *apply_rule(const kni_rule *r, const kni_jaxpr *rule, const kni_atom *in, kni_atom *out)
{
    knp_dependence d;
    const char *why;
    KN_TRY(knp_dependence_of(rule, (uint32_t)r->n_in, rule->n_out / 2, &d, &why));
    if (d == KNP_MIXED && !r->forward)
        return by_derivative(r, rule, in, out);
    if (d == KNP_CURVED && !r->forward)
        return not_linear(r->params, why);
    knb_inline(r->b, rule, in, out);
    return NULL;
}

/* The rule as a jaxpr, calls inlined: operands, tangents of those behind the constants. */
static knx_error *jvp_jaxpr(const kni_rule *r, kni_jaxpr **out)
{
    const kni_p_custom_jvp *p = r->params;
    int n_arg = r->n_in - (int)p->num_consts, n = r->n_in + n_arg;
    kni_type *type = knx_arena_alloc(&r->b->arena, ((size_t)n + 1) * sizeof *type);
    kni_jaxpr *rule = NULL;
    if (!type)
        return knx_error_nomem();
    for (int i = 0; i < n; i++)
        type[i] = r->xt[i < r->n_in ? i : i - n_arg];
    KN_TRY(kni_thunk_jaxpr(p->jvp, n, type, 2 * r->n_out, &rule));
    knx_error *e = knt_inline_calls(rule, out);
    kni_release(rule);
    return e;
}

static knx_error *custom_jvp_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    const kni_p_custom_jvp *p = r->params;
    int consts = (int)p->num_consts, n_arg = r->n_in - consts;
    for (int i = 0; i < consts; i++)
        if (tx[i] != KN_ATOM_ZERO)
            return knp_closed_over("custom_jvp", "JVP rule");
    kni_atom *in = knp_atoms(r->b, (size_t)r->n_in + (size_t)n_arg), *out = knp_atoms(r->b, 2 * (size_t)r->n_out);
    kni_jaxpr *rule = NULL;
    if (!in || !out)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        in[i] = r->x[i];
    for (int i = 0; i < n_arg; i++)
        in[r->n_in + i] = instantiated(r->b, tx[consts + i], r->xt[consts + i]);
    KN_TRY(jvp_jaxpr(r, &rule));
    knx_error *e = apply_rule(r, rule, in, out);
    kni_release(rule);
    for (int i = 0; !e && i < r->n_out; i++) {
        y[i] = out[i];
        e = check_value(r, "JVP", p->jvp, p->name, i, &y[i]);
        if (e || !kni_has_tangent(r->yt[i]))
            continue;
        ty[i] = out[r->n_out + i];
        e = check_tangent(r, p->jvp, p->name, i, &ty[i]);
    }
    return e;
}

/* The body over one more axis, all results with it in front; y and axis_out of the call are set by the caller. */
static knx_error *batch_body(const kni_rule *r, const kni_jaxpr *j, int64_t size, const int *axis, int *axis_out,
                             kni_jaxpr **out)
{
    for (int i = 0; i < r->n_out; i++)
        axis_out[i] = 0;
    return knt_batch(j, size, r->axis_name, axis, NULL, out);
}

static knx_error *custom_jvp_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_custom_jvp p = *(const kni_p_custom_jvp *)r->params;
    int n = r->n_in, n_arg = n - (int)p.num_consts;
    int *in_axis = knx_arena_alloc(&r->b->arena, ((size_t)(n + n_arg) + 1) * sizeof *in_axis);
    if (!in_axis)
        return knx_error_nomem();
    for (int i = 0; i < n + n_arg; i++)
        in_axis[i] = axis[i < n ? i : i - n_arg];
    KN_TRY(batch_body(r, p.call_jaxpr, size, axis, axis_out, &p.call_jaxpr));
    kni_thunk *rule = p.jvp = knp_thunk_batched(p.jvp, size, r->axis_name, n + n_arg, in_axis, 0, NULL);
    if (rule)
        knb_emit(r->b, r->prim, &p, n, r->x, y, r->n_out);
    kni_thunk_release(rule);
    kni_release(p.call_jaxpr);
    return rule ? NULL : knx_error_nomem();
}

static knx_error *custom_jvp_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    return knp_body_transpose(r, jvp_body(r->params), inline_body, ct, ct_in);
}

static knx_error *custom_jvp_expand(const kni_rule *r, kni_atom *y)
{
    knb_inline(r->b, jvp_body(r->params), r->x, y);
    return NULL;
}

static bool custom_jvp_may_fail(const kni_rule *r) { return knp_body_may_fail(jvp_body(r->params)); }
static double custom_jvp_cost(const kni_rule *r) { return knp_body_cost(jvp_body(r->params)); }

const kni_prim knp_prim_custom_jvp_call = {
    .name = "custom_jvp_call",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_CAN_FAIL,
    .linear_in = UINT32_MAX,
    .fields = kni_fields_custom_jvp,
    .params_size = sizeof(kni_p_custom_jvp),
    .doc = "calls a jaxpr whose derivative another function gives (jax.custom_jvp)",
    .type = custom_jvp_type,
    .linearize = custom_jvp_linearize,
    .transpose = custom_jvp_transpose,
    .batch = custom_jvp_batch,
    .expand = custom_jvp_expand,
    .may_fail = custom_jvp_may_fail,
    .cost = custom_jvp_cost,
};

/* --- custom_vjp_call -------------------------------------------------------------------------- */

/* A jaxpr that returns its inputs, for their types. */
static knx_error *types_as_jaxpr(int n, const kni_type *t, kni_jaxpr **out)
{
    kni_builder b;
    knb_init(&b);
    kni_atom *x = knp_atoms(&b, (size_t)n);
    for (int i = 0; x && i < n; i++)
        x[i] = knb_invar(&b, t[i]);
    knx_error *e = x ? knb_finish(&b, n, x, "", false, out) : knx_error_nomem();
    knb_free(&b);
    return e;
}

/* custom_lin of the residuals and of the tangents that there are. */
static knx_error *emit_lin(const kni_rule *r, int n_res, const kni_atom *res, const kni_atom *tx, kni_atom *ty)
{
    const kni_p_custom_vjp *p = r->params;
    int consts = (int)p->num_consts, n_arg = r->n_in - consts, n = 0;
    int64_t *zero = knx_arena_alloc(&r->b->arena, ((size_t)n_arg + 1) * sizeof *zero);
    kni_atom *in = knp_atoms(r->b, (size_t)n_res + (size_t)n_arg), *out = knp_atoms(r->b, (size_t)r->n_out);
    if (!zero || !in || !out)
        return knx_error_nomem();
    for (int i = 0; i < n_res; i++)
        in[n++] = res[i];
    for (int i = 0; i < n_arg; i++) {
        zero[i] = tx[consts + i] == KN_ATOM_ZERO;
        if (!zero[i])
            in[n++] = tx[consts + i];
    }
    kni_p_custom_lin lin = {.name = p->name, .bwd = p->bwd, .in_zeros = {n_arg, zero}, .num_res = n_res};
    KN_TRY(types_as_jaxpr(r->n_out, r->yt, &lin.out_avals));
    knb_emit(r->b, &knp_prim_custom_lin, &lin, n, in, out, r->n_out);
    kni_release(lin.out_avals);
    for (int i = 0; i < r->n_out; i++)
        if (kni_has_tangent(r->yt[i]))
            ty[i] = out[i];
    return NULL;
}

static knx_error *custom_vjp_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    const kni_p_custom_vjp *p = r->params;
    kni_jaxpr *fwd = NULL;
    if (r->forward)
        return knp_not_forward();
    for (int64_t i = 0; i < p->num_consts; i++)
        if (tx[i] != KN_ATOM_ZERO)
            return knp_closed_over("custom_vjp", "VJP fwd and bwd rules");
    KN_TRY(kni_thunk_jaxpr(p->fwd, r->n_in, r->xt, -1, &fwd));
    knx_error *e = NULL;
    if (fwd->n_out < (uint32_t)r->n_out)
        e = knx_error_new(KN_ERROR_TYPE,
                          "Custom VJP fwd rule %s for function %s must produce %d values and the residuals",
                          p->fwd->name, p->name, r->n_out);
    kni_atom *out = e ? NULL : knp_atoms(r->b, fwd->n_out);
    if (!e && !out)
        e = knx_error_nomem();
    if (!e)
        knb_inline(r->b, fwd, r->x, out);
    for (int i = 0; !e && i < r->n_out; i++) {
        y[i] = out[i];
        e = check_value(r, "VJP fwd", p->fwd, p->name, i, &y[i]);
    }
    if (!e)
        e = emit_lin(r, (int)fwd->n_out - r->n_out, out + r->n_out, tx, ty);
    kni_release(fwd);
    return e;
}

static knx_error *custom_vjp_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_custom_vjp p = *(const kni_p_custom_vjp *)r->params;
    int consts = (int)p.num_consts;
    KN_TRY(batch_body(r, p.call_jaxpr, size, axis, axis_out, &p.call_jaxpr));
    kni_thunk *fwd = p.fwd = knp_thunk_batched(p.fwd, size, r->axis_name, r->n_in, axis, 0, NULL);
    kni_thunk *bwd = p.bwd = knp_thunk_batched(p.bwd, size, r->axis_name, 0, NULL, r->n_in - consts, axis + consts);
    if (fwd && bwd)
        knb_emit(r->b, r->prim, &p, r->n_in, r->x, y, r->n_out);
    bool ok = fwd && bwd;
    kni_thunk_release(fwd);
    kni_thunk_release(bwd);
    kni_release(p.call_jaxpr);
    return ok ? NULL : knx_error_nomem();
}

static knx_error *custom_vjp_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    return knp_body_transpose(r, vjp_body(r->params), inline_body, ct, ct_in);
}

static knx_error *custom_vjp_expand(const kni_rule *r, kni_atom *y)
{
    knb_inline(r->b, vjp_body(r->params), r->x, y);
    return NULL;
}

static bool custom_vjp_may_fail(const kni_rule *r) { return knp_body_may_fail(vjp_body(r->params)); }
static double custom_vjp_cost(const kni_rule *r) { return knp_body_cost(vjp_body(r->params)); }

const kni_prim knp_prim_custom_vjp_call = {
    .name = "custom_vjp_call",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_CAN_FAIL,
    .linear_in = UINT32_MAX,
    .fields = kni_fields_custom_vjp,
    .params_size = sizeof(kni_p_custom_vjp),
    .doc = "calls a jaxpr whose reverse derivative two other functions give (jax.custom_vjp)",
    .type = custom_vjp_type,
    .linearize = custom_vjp_linearize,
    .transpose = custom_vjp_transpose,
    .batch = custom_vjp_batch,
    .expand = custom_vjp_expand,
    .may_fail = custom_vjp_may_fail,
    .cost = custom_vjp_cost,
};

/* --- custom_lin ------------------------------------------------------------------------------- */

static knx_error *custom_lin_type(kni_rule *r, kni_type *y)
{
    const kni_p_custom_lin *p = r->params;
    const kni_jaxpr *j = p->out_avals;
    int64_t n = p->num_res;
    for (int i = 0; i < p->in_zeros.n; i++)
        n += !p->in_zeros.v[i];
    if (!j || j->n_const || p->num_res < 0)
        return knx_error_new(KN_ERROR_VALUE, "custom_lin needs the types of its results");
    if (n != r->n_in)
        return knx_error_new(KN_ERROR_TYPE, "custom_lin takes %lld operands here, not %d", (long long)n, r->n_in);
    if ((uint32_t)r->n_out < j->n_out)
        return knx_error_new(KN_ERROR_VALUE, "custom_lin has more results than there is room for");
    for (uint32_t i = 0; i < j->n_out; i++)
        if (!kni_type_copy(r->arena, kni_out_type(j, i), &y[i]))
            return knx_error_nomem();
    r->n_out = (int)j->n_out;
    return NULL;
}

/* Linear in the tangents; a tangent of a residual would need the transpose of the transpose. */
static knx_error *custom_lin_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    const kni_p_custom_lin *p = r->params;
    kni_atom *in = knp_atoms(r->b, (size_t)r->n_in), *out = knp_atoms(r->b, (size_t)r->n_out);
    if (!in || !out)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++) {
        if (i < p->num_res && tx[i] != KN_ATOM_ZERO)
            return knp_not_forward();
        in[i] = i < p->num_res ? r->x[i] : knb_instantiate(r->b, tx[i], r->xt[i]);
    }
    knb_emit(r->b, r->prim, p, r->n_in, r->x, y, r->n_out);
    knb_emit(r->b, r->prim, p, r->n_in, in, out, r->n_out);
    for (int i = 0; i < r->n_out; i++)
        if (kni_has_tangent(r->yt[i]))
            ty[i] = out[i];
    return NULL;
}

static knx_error *custom_lin_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const kni_p_custom_lin *p = r->params;
    int n_res = (int)p->num_res, n = n_res + r->n_out;
    kni_type *type = knx_arena_alloc(&r->b->arena, ((size_t)n + 1) * sizeof *type);
    kni_atom *in = knp_atoms(r->b, (size_t)n), *out = knp_atoms(r->b, (size_t)p->in_zeros.n);
    kni_jaxpr *bwd = NULL;
    if (!type || !in || !out)
        return knx_error_nomem();
    for (int i = 0; i < n; i++) {
        if (i < n_res && r->x[i] == KN_ATOM_LINEAR)
            return knx_error_new(KN_ERROR_TYPE, "%s is not linear in what its forward rule keeps", p->name);
        type[i] = i < n_res ? r->xt[i] : r->yt[i - n_res];
        in[i] = i < n_res ? r->x[i] : instantiated(r->b, ct[i - n_res], type[i]);
    }
    KN_TRY(kni_thunk_jaxpr(p->bwd, n, type, p->in_zeros.n, &bwd));
    knb_inline(r->b, bwd, in, out);
    kni_release(bwd);
    for (int i = 0, at = n_res; i < p->in_zeros.n; i++) {
        if (p->in_zeros.v[i])
            continue;
        KN_TRY(check_cotangent(r, p->bwd, p->name, i, r->xt[at], &out[i]));
        if (r->x[at] == KN_ATOM_LINEAR)
            ct_in[at] = out[i];
        at++;
    }
    return NULL;
}

static knx_error *custom_lin_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    (void)r, (void)size, (void)axis, (void)y, (void)axis_out;
    return knp_not_forward();
}

static knx_error *custom_lin_expand(const kni_rule *r, kni_atom *y)
{
    (void)r, (void)y;
    return knp_not_forward();
}

const kni_prim knp_prim_custom_lin = {
    .name = "custom_lin",
    .n_in = -1,
    .n_out = -1,
    .linear_in = UINT32_MAX,
    .fields = kni_fields_custom_lin,
    .params_size = sizeof(kni_p_custom_lin),
    .doc = "the derivative of custom_vjp_call: a linear function that is known by its transpose only",
    .type = custom_lin_type,
    .linearize = custom_lin_linearize,
    .transpose = custom_lin_transpose,
    .batch = custom_lin_batch,
    .expand = custom_lin_expand,
};
