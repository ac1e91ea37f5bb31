/* SPDX-License-Identifier: Apache-2.0
 * shard_map_linear.c -- derivatives of shard_map, made of those of its body.
 *
 *     forward    one shard_map of the body's values and tangents; a tangent has the spec of its value
 *     reverse    a shard_map of values and residuals, and one of the linear part. A residual differs from device to
 *                device: its first dimension is cut by all axes. Those that are operands, or results that are the same
 *                wherever their spec says so, are not kept again
 *     transpose  of the linear body, with the specs of operands and results swapped. Cotangents of results that all
 *                devices along an axis have are shared among those devices; what each device contributes to an operand
 *                that all have is summed
 */
#include "prim/collective/shard_map.h"

/* Operands or results in the making. */
typedef struct list {
    kni_atom *atom;
    const kni_sharding **spec;
    int n;
} list;

static bool list_begin(kni_builder *b, list *l, size_t room)
{
    *l = (list){knp_atoms(b, room), knx_arena_alloc(&b->arena, (room + 1) * sizeof *l->spec), 0};
    return l->atom && l->spec;
}

static void put(list *l, kni_atom a, const kni_sharding *s)
{
    l->atom[l->n] = a;
    l->spec[l->n++] = s;
}

static void emit(const kni_rule *r, kni_jaxpr *j, const list *in, list *out)
{
    kni_p_shard_map p = *(const kni_p_shard_map *)r->params;
    p.jaxpr = j;
    p.in_specs = (kni_shardings){in->n, in->spec};
    p.out_specs = (kni_shardings){out->n, out->spec};
    p.num_consts = 0;
    knb_emit(r->b, r->prim, &p, in->n, in->atom, out->atom, out->n);
}

/* ---- Forward mode. */

static knx_error *emit_jvp(const kni_rule *r, kni_jaxpr *j, const bool *out_tangent, const kni_atom *tx, kni_atom *y,
                           kni_atom *ty)
{
    const kni_p_shard_map *p = r->params;
    list in, out;
    if (!list_begin(r->b, &in, 2 * (size_t)r->n_in) || !list_begin(r->b, &out, 2 * (size_t)r->n_out))
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        put(&in, r->x[i], p->in_specs.v[i]);
    for (int i = 0; i < r->n_in; i++)
        if (tx[i] != KN_ATOM_ZERO)
            put(&in, tx[i], p->in_specs.v[i]);
    for (int i = 0; i < r->n_out; i++)
        put(&out, KN_ATOM_NONE, p->out_specs.v[i]);
    for (int i = 0; i < r->n_out; i++)
        if (out_tangent[i])
            put(&out, KN_ATOM_NONE, p->out_specs.v[i]);
    emit(r, j, &in, &out);
    for (int i = 0, n = r->n_out; i < r->n_out; i++) {
        y[i] = out.atom[i];
        if (out_tangent[i])
            ty[i] = out.atom[n++];
    }
    return NULL;
}

static knx_error *forward(const kni_rule *r, const bool *tangent, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    bool *none = knx_arena_zero(&r->b->arena, (size_t)r->n_out + 1),
         *out_tangent = knx_arena_zero(&r->b->arena, (size_t)r->n_out + 1);
    kni_jaxpr *j = NULL;
    if (!none || !out_tangent)
        return knx_error_nomem();
    KN_TRY(knt_jvp_lazily(((const kni_p_shard_map *)r->params)->jaxpr, tangent, none, out_tangent, &j));
    knx_error *error = emit_jvp(r, j, out_tangent, tx, y, ty);
    kni_release(j);
    return error;
}

/* ---- Reverse mode. */

/* Where the linear body has each residual from. */
typedef struct residual {
    kni_atom whole; /* operand of the linear equation; KN_ATOM_NONE: a literal of the primal body */
    const kni_sharding *spec;
    int operand, result; /* of the primal equation that it is; -1: none */
    bool scalar;         /* it was given a dimension, to be cut */
} residual;
typedef struct both {
    const kni_rule *r;
    const kni_p_shard_map *p;
    kni_jaxpr *primal; /* results, then residuals */
    const kni_jaxpr *linear;
    uint32_t n_residual;
    residual *residual;
    const kni_sharding *all; /* one dimension, cut by all axes */
} both;

static knx_error *cut_by_all(const kni_mesh *m, const kni_sharding **out)
{
    kni_mesh_axes all = {0};
    for (int a = 0; a < m->n_axis; a++)
        all.axis[all.n++] = (uint8_t)a;
    return kni_sharding_of(m, 1, &all, out);
}

static void find_residuals(both *t)
{
    const kni_jaxpr *j = t->primal;
    for (uint32_t k = 0; k < t->n_residual; k++) {
        residual *e = &t->residual[k];
        kni_atom a = j->out[(uint32_t)t->r->n_out + k];
        *e = (residual){.whole = KN_ATOM_NONE, .spec = t->all, .operand = -1, .result = -1};
        e->scalar = !kni_atom_type(j, a).ndim;
        if (kni_is_var(a) && a >= j->n_const && a < j->n_const + j->n_in)
            e->operand = (int)(a - j->n_const);
        for (int i = 0; t->p->check_vma && kni_is_var(a) && e->operand < 0 && e->result < 0 && i < t->r->n_out; i++)
            e->result = j->out[i] == a ? i : -1;
        if (e->operand >= 0) {
            e->whole = t->r->x[e->operand];
            e->spec = t->p->in_specs.v[e->operand];
        } else if (e->result >= 0) {
            e->spec = t->p->out_specs.v[e->result];
        }
        e->scalar = e->scalar && e->operand < 0 && e->result < 0;
    }
}

static bool is_kept(const both *t, uint32_t k)
{
    return t->residual[k].operand < 0 && t->residual[k].result < 0 &&
           kni_is_var(t->primal->out[(uint32_t)t->r->n_out + k]);
}

static kni_atom as_row(kni_builder *b, kni_atom x)
{
    const int64_t one = 1;
    return knb_broadcast_in_dim(b, x, 1, &one, NULL);
}

static knx_error *primal_body(const both *t, kni_jaxpr **out)
{
    knp_frame f;
    const kni_jaxpr *j = t->primal;
    uint32_t n = 0;
    knx_error *error = knp_frame_begin(&f, j->n_in, j->n_out) ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < j->n_in; i++)
        knp_frame_input(&f, kni_in_type(j, i));
    if (!error)
        knb_inline(&f.b, j, f.in, f.out);
    n = (uint32_t)t->r->n_out;
    for (uint32_t k = 0; !error && k < t->n_residual; k++)
        if (is_kept(t, k)) {
            kni_atom a = f.out[(uint32_t)t->r->n_out + k];
            f.out[n++] = t->residual[k].scalar ? as_row(&f.b, a) : a;
        }
    if (!error)
        error = knp_frame_finish(&f, n, f.out, t->p->jaxpr->name, out);
    knp_frame_end(&f);
    return error;
}

static knx_error *emit_primal(both *t, kni_atom *y)
{
    const kni_rule *r = t->r;
    list in, out;
    kni_jaxpr *body = NULL;
    if (!list_begin(r->b, &in, (size_t)r->n_in) || !list_begin(r->b, &out, (size_t)r->n_out + t->n_residual))
        return knx_error_nomem();
    KN_TRY(primal_body(t, &body));
    for (int i = 0; i < r->n_in; i++)
        put(&in, r->x[i], t->p->in_specs.v[i]);
    for (int i = 0; i < r->n_out; i++)
        put(&out, KN_ATOM_NONE, t->p->out_specs.v[i]);
    for (uint32_t k = 0; k < t->n_residual; k++)
        if (is_kept(t, k))
            put(&out, KN_ATOM_NONE, t->all);
    emit(r, body, &in, &out);
    kni_release(body);
    for (int i = 0; i < r->n_out; i++)
        y[i] = out.atom[i];
    for (uint32_t k = 0, n = (uint32_t)r->n_out; k < t->n_residual; k++)
        if (is_kept(t, k))
            t->residual[k].whole = out.atom[n++];
        else if (t->residual[k].result >= 0)
            t->residual[k].whole = y[t->residual[k].result];
    return NULL;
}

static kni_atom literal_of(kni_builder *b, const kni_jaxpr *j, kni_atom a)
{
    const kni_literal *l = &j->literal[a & ~KN_LITERAL_BIT];
    return knb_literal(b, l->type.dtype, l->type.weak, l->bits);
}

static knx_error *linear_body(const both *t, kni_jaxpr **out)
{
    knp_frame f;
    const kni_jaxpr *j = t->linear;
    const int64_t zero = 0;
    kni_atom *x = knp_atoms(t->r->b, j->n_in);
    knx_error *error = knp_frame_begin(&f, j->n_in, j->n_out) && x ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < j->n_in; i++) {
        kni_type type = kni_in_type(j, i);
        kni_atom a = i < t->n_residual ? t->primal->out[(uint32_t)t->r->n_out + i] : KN_ATOM_NONE;
        if (kni_is_literal(a)) {
            x[i] = literal_of(&f.b, t->primal, a);
            continue;
        }
        bool scalar = i < t->n_residual && t->residual[i].scalar;
        const int64_t one = 1;
        if (scalar)
            type = kni_type_of(type.dtype, 1, &one);
        knp_frame_input(&f, type);
        x[i] = f.in[f.n_in - 1];
    }
    for (uint32_t i = 0; !error && i < t->n_residual; i++)
        if (t->residual[i].scalar && !kni_is_literal(x[i]))
            x[i] = knb_squeeze(&f.b, x[i], 1, &zero);
    if (!error) {
        knb_inline(&f.b, j, x, f.out);
        error = knp_frame_finish(&f, j->n_out, f.out, t->p->jaxpr->name, out);
    }
    knp_frame_end(&f);
    return error;
}

static knx_error *emit_linear(const both *t, const bool *out_tangent, const kni_atom *tx, kni_atom *ty)
{
    const kni_rule *r = t->r;
    list in, out;
    kni_jaxpr *body = NULL;
    if (!list_begin(r->b, &in, (size_t)r->n_in + t->n_residual) || !list_begin(r->b, &out, (size_t)r->n_out))
        return knx_error_nomem();
    KN_TRY(linear_body(t, &body));
    for (uint32_t k = 0; k < t->n_residual; k++)
        if (t->residual[k].whole != KN_ATOM_NONE)
            put(&in, t->residual[k].whole, t->residual[k].spec);
    for (int i = 0; i < r->n_in; i++)
        if (tx[i] != KN_ATOM_ZERO)
            put(&in, tx[i], t->p->in_specs.v[i]);
    for (int i = 0; i < r->n_out; i++)
        if (out_tangent[i])
            put(&out, KN_ATOM_NONE, t->p->out_specs.v[i]);
    emit(r, body, &in, &out);
    kni_release(body);
    for (int i = 0, n = 0; i < r->n_out; i++)
        if (out_tangent[i])
            ty[i] = out.atom[n++];
    return NULL;
}

static knx_error *reverse(const kni_rule *r, const bool *tangent, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    knt_linearized l = {0};
    both t = {.r = r, .p = r->params};
    KN_TRY(cut_by_all(t.p->mesh, &t.all));
    KN_TRY(knt_linearize(t.p->jaxpr, tangent, &l));
    t.linear = l.linear;
    t.n_residual = l.n_residual;
    t.residual = knx_arena_alloc(&r->b->arena, ((size_t)l.n_residual + 1) * sizeof *t.residual);
    t.primal = l.primal;
    knx_error *error = t.residual ? NULL : knx_error_nomem();
    if (!error) {
        find_residuals(&t);
        error = emit_primal(&t, y);
    }
    if (!error && l.n_tangent_out)
        error = emit_linear(&t, l.out_tangent, tx, ty);
    knt_linearized_free(&l);
    return error;
}

knx_error *knp_shard_map_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    bool *tangent = knx_arena_alloc(&r->b->arena, (size_t)r->n_in + 1);
    if (!tangent)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        tangent[i] = tx[i] != KN_ATOM_ZERO;
    return (r->forward ? forward : reverse)(r, tangent, tx, y, ty);
}

/* ---- Transposition. */

/* Of the devices that have the same by this spec. */
static int64_t copies(const kni_mesh *m, const kni_sharding *s)
{
    int64_t n = 1;
    for (int a = 0; a < m->n_axis; a++)
        n *= knp_spec_set(s) >> a & 1 ? 1 : m->size[a];
    return n;
}

/* The transposed body: operands with a value, cotangents that there are -> cotangents of the others, summed. */
static knx_error *transposed_body(const kni_rule *r, const kni_jaxpr *j, const kni_atom *ct, kni_jaxpr **out)
{
    const kni_p_shard_map *p = r->params;
    knp_frame f;
    kni_atom *x = knp_atoms(r->b, j->n_in);
    knx_error *error = knp_frame_begin(&f, j->n_in, j->n_out) && x ? NULL : knx_error_nomem();
    uint32_t n = 0;
    for (int i = 0; !error && i < r->n_in; i++)
        if (r->x[i] != KN_ATOM_LINEAR) {
            knp_frame_input(&f, kni_in_type(j, n));
            x[n++] = f.in[f.n_in - 1];
        }
    for (int i = 0; !error && i < r->n_out; i++, n++) {
        if (ct[i] == KN_ATOM_ZERO) {
            x[n] = knb_zeros(&f.b, kni_in_type(j, n));
            continue;
        }
        knp_frame_input(&f, kni_in_type(j, n));
        x[n] = f.in[f.n_in - 1];
    }
    if (!error)
        knb_inline(&f.b, j, x, f.out);
    n = 0;
    for (int i = 0; !error && i < r->n_in; i++) {
        uint32_t set = knp_mesh_set(p->mesh) & ~knp_spec_set(p->in_specs.v[i]);
        if (r->x[i] != KN_ATOM_LINEAR)
            continue;
        if (set)
            f.out[n] = knb_psum(&f.b, f.out[n], knp_axis_names(&f.b, p->mesh, set), NULL);
        n++;
    }
    if (!error)
        error = knp_frame_finish(&f, n, f.out, p->jaxpr->name, out);
    knp_frame_end(&f);
    return error;
}

static knx_error *emit_transposed(const kni_rule *r, kni_jaxpr *body, const kni_atom *ct, kni_atom *ct_in)
{
    const kni_p_shard_map *p = r->params;
    kni_builder *b = r->b;
    list in, out;
    if (!list_begin(b, &in, (size_t)r->n_in + (size_t)r->n_out) || !list_begin(b, &out, (size_t)r->n_in))
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        if (r->x[i] != KN_ATOM_LINEAR)
            put(&in, r->x[i], p->in_specs.v[i]);
        else
            put(&out, KN_ATOM_NONE, p->in_specs.v[i]);
    for (int i = 0; i < r->n_out; i++) {
        int64_t n = copies(p->mesh, p->out_specs.v[i]);
        if (ct[i] != KN_ATOM_ZERO)
            put(&in, n == 1 ? ct[i] : knb_div(b, ct[i], knb_number(b, r->yt[i].dtype, (double)n)), p->out_specs.v[i]);
    }
    emit(r, body, &in, &out);
    for (int i = 0, n = 0; i < r->n_in; i++)
        if (r->x[i] == KN_ATOM_LINEAR)
            ct_in[i] = out.atom[n++];
    return NULL;
}

knx_error *knp_shard_map_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    bool *linear = knx_arena_alloc(&r->b->arena, (size_t)r->n_in + 1);
    kni_jaxpr *transposed = NULL, *body = NULL;
    if (!linear)
        return knx_error_nomem();
    for (int i = 0; i < r->n_in; i++)
        linear[i] = r->x[i] == KN_ATOM_LINEAR;
    KN_TRY(knt_transpose(((const kni_p_shard_map *)r->params)->jaxpr, linear, &transposed));
    knx_error *error = transposed_body(r, transposed, ct, &body);
    kni_release(transposed);
    if (!error)
        error = emit_transposed(r, body, ct, ct_in);
    kni_release(body);
    return error;
}
