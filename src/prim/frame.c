/* SPDX-License-Identifier: Apache-2.0
 * frame.c -- jaxprs around jaxprs, and the types of carries. */
#include "prim/body.h"
#include "prim/frame.h"
#include "transform/replay.h"

bool knp_frame_begin(knp_frame *f, size_t inputs, size_t outputs)
{
    *f = (knp_frame){0};
    knb_init(&f->b);
    f->in = knx_arena_alloc(&f->arena, (inputs + 1) * sizeof *f->in);
    f->out = knx_arena_alloc(&f->arena, (outputs + 1) * sizeof *f->out);
    return f->in && f->out;
}

void knp_frame_input(knp_frame *f, kni_type t) { f->in[f->n_in++] = knb_invar(&f->b, t); }

knx_error *knp_frame_finish(knp_frame *f, uint32_t n, const kni_atom *out, const char *name, kni_jaxpr **j)
{
    KN_TRY(knb_take_error(&f->b));
    return knb_finish(&f->b, (int)n, out, name, true, j);
}

void knp_frame_end(knp_frame *f)
{
    knb_free(&f->b);
    knx_arena_free(&f->arena);
}

/* needed: per variable, with the results marked; the others that they need are marked, too. */
static bool stays(const kni_eqn *e, const bool *needed)
{
    for (uint32_t i = 0; i < e->n_out; i++)
        if (needed[e->out + i])
            return true;
    return kni_must_stay(e->prim, e->params);
}

static void mark(const kni_jaxpr *j, bool *needed)
{
    for (uint32_t k = j->n_eqn; k-- > 0;) {
        const kni_eqn *e = &j->eqn[k];
        for (uint32_t i = 0; stays(e, needed) && i < e->n_in; i++)
            if (kni_is_var(e->in[i]))
                needed[e->in[i]] = true;
    }
}

knx_error *knp_needs(const kni_jaxpr *j, const bool *out, bool *in)
{
    bool *needed = knx_alloc_zero((size_t)j->n_var + 1);
    if (!needed)
        return knx_error_nomem();
    for (uint32_t i = 0; i < j->n_out; i++)
        if (out[i] && kni_is_var(j->out[i]))
            needed[j->out[i]] = true;
    mark(j, needed);
    for (uint32_t i = 0; i < j->n_in; i++)
        in[i] = needed[j->n_const + i];
    knx_free(needed);
    return NULL;
}

knx_error *knp_pick(const kni_jaxpr *j, uint32_t n_in, const uint32_t *in, uint32_t n_out, const uint32_t *out,
                    kni_jaxpr **y)
{
    knt_replay r;
    knx_error *error = knt_replay_begin(&r, j, false);
    bool *needed = error ? NULL : knx_arena_zero(&r.arena, (size_t)j->n_var + 1);
    kni_atom *atom = error ? NULL : knx_arena_alloc(&r.arena, ((size_t)n_out + 1) * sizeof *atom);
    if (!error && !(needed && atom))
        error = knx_error_nomem();
    for (uint32_t i = 0; !error && i < n_out; i++)
        if (kni_is_var(j->out[out[i]]))
            needed[j->out[out[i]]] = true;
    if (!error)
        mark(j, needed);
    for (uint32_t i = 0; !error && i < n_in; i++)
        r.map[j->n_const + in[i]] = knb_invar(&r.b, kni_in_type(j, in[i]));
    for (uint32_t k = 0; !error && k < j->n_eqn; k++)
        if (stays(&j->eqn[k], needed)) {
            knt_operands(&r, &j->eqn[k]);
            knt_emit_same(&r, &j->eqn[k]);
        }
    for (uint32_t i = 0; !error && i < n_out; i++)
        atom[i] = knt_atom(&r, j->out[out[i]]);
    if (!error)
        error = knb_finish(&r.b, (int)n_out, atom, j->name, true, y);
    knt_replay_end(&r);
    return error;
}

knx_error *knp_flag_as(const kni_jaxpr *j, kni_type flag, kni_jaxpr **y)
{
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, j->n_in, j->n_out) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < j->n_in; i++)
            knp_frame_input(&f, kni_in_type(j, i));
        knb_inline(&f.b, j, f.in, f.out);
        kni_atom *last = &f.out[j->n_out - 1];
        *last = knt_failed_over(&f.b, *last, flag);
        if (!knb_type(&f.b, *last).ndim && flag.ndim)
            *last = knb_broadcast_in_dim(&f.b, *last, flag.ndim, flag.dim, NULL);
        error = knp_frame_finish(&f, j->n_out, f.out, j->name, y);
    }
    knp_frame_end(&f);
    return error;
}

static knx_error *emit_both(const kni_rule *r, const knt_linearized *l, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    kni_atom *out = knp_atoms(r->b, l->primal->n_out), *in = knp_atoms(r->b, l->linear->n_in),
             *t = knp_atoms(r->b, l->linear->n_out);
    if (!out || !in || !t)
        return knx_error_nomem();
    knb_inline(r->b, l->primal, r->x, out);
    uint32_t n = 0, results = (uint32_t)r->n_out;
    knp_put_all(y, &n, out, results);
    n = 0;
    knp_put_all(in, &n, out + results, l->n_residual);
    for (int i = 0; i < r->n_in; i++)
        if (tx[i] != KN_ATOM_ZERO)
            in[n++] = tx[i];
    if (l->n_tangent_out)
        knb_inline(r->b, l->linear, in, t);
    for (uint32_t i = 0, k = 0; i < results; i++)
        if (l->out_tangent[i])
            ty[i] = t[k++];
    return NULL;
}

knx_error *knp_linearize_instead(const kni_rule *r, const kni_jaxpr *j, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    bool *tangent = knx_arena_alloc(&r->b->arena, (size_t)r->n_in + 1);
    knt_linearized l = {0};
    if (!tangent)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        tangent[i] = tx[i] != KN_ATOM_ZERO;
    knx_error *error = knt_linearize(j, tangent, &l);
    if (!error)
        error = emit_both(r, &l, tx, y, ty);
    knt_linearized_free(&l);
    return error;
}

knx_error *knp_lane_by_lane(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    knp_frame f;
    kni_jaxpr *body = NULL;
    kni_builder *b = r->b;
    kni_atom *in = knp_atoms(b, (size_t)r->n_in);
    knx_error *error = knp_frame_begin(&f, 2 * (size_t)r->n_in, (size_t)r->n_out) && in ? NULL : knx_error_nomem();
    kni_atom *x = f.in + r->n_in;
    uint32_t n = 0, n_const = 0;
    f.b.place = b->place;
    for (int lanes = 0; !error && !b->error && lanes < 2; lanes++) /* operands that all lanes share come first */
        for (int i = 0; i < r->n_in; i++) {
            if ((axis[i] >= 0) != lanes)
                continue;
            kni_atom all = lanes ? knb_move_axis(b, r->x[i], axis[i], 0) : r->x[i];
            kni_type one = knb_type(b, all);
            if (b->error)
                break;
            one.ndim -= lanes;
            one.dim += lanes;
            n_const += !lanes;
            in[n++] = all;
            knp_frame_input(&f, one);
            x[i] = f.in[f.n_in - 1];
        }
    if (!error)
        error = knb_take_error(b);
    if (!error) {
        knb_emit(&f.b, r->prim, r->params, r->n_in, x, f.out, r->n_out);
        error = knp_frame_finish(&f, (uint32_t)r->n_out, f.out, r->prim->name, &body);
    }
    knp_frame_end(&f);
    if (!error) {
        knb_scan(b, &(kni_p_scan){.jaxpr = body, .length = size, .num_consts = n_const, .unroll = 1}, in, y);
        for (int i = 0; i < r->n_out; i++)
            axis_out[i] = 0;
    }
    kni_release(body);
    return error;
}

void knp_put_all(kni_atom *to, uint32_t *n, const kni_atom *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[(*n)++] = from[i];
}

bool knp_same_type(kni_type a, kni_type b) { return a.dtype == b.dtype && kni_type_same_shape(a, b); }

knx_error *knp_check_carry(const char *name, uint32_t i, kni_type in, kni_type out)
{
    if (knp_same_type(in, out))
        return NULL;
    knx_text s = {0}, t = {0}, leaf = {0};
    bool dtypes = in.dtype != out.dtype, shapes = !kni_type_same_shape(in, out);
    if (!name)
        snprintf(leaf.s, sizeof leaf.s, "carry[%u]", i);
    return knx_error_new(
        KN_ERROR_TYPE,
        "body function carry input and carry output must have equal types, but they differ: the input "
        "carry component %s has type %s but the corresponding output carry component has type %s, so %s",
        name ? name : leaf.s, kni_type_text(&s, in, true), kni_type_text(&t, out, true),
        dtypes && shapes ? "the dtypes do not match, and the shapes do not match"
        : dtypes         ? "the dtypes do not match"
                         : "the shapes do not match");
}
