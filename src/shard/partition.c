/* SPDX-License-Identifier: Apache-2.0
 * partition.c -- the jaxpr of one device. Each equation is written once, with the types of parts: its operands are
 * brought into the layouts that its factors ask for, and its results stay as they come until somebody needs them
 * otherwise. */
#include "shard/write.h"
#include "transform/transform.h"
#include <string.h>

typedef struct partition {
    knshard_writer w;
    const knshard_solution *s;
    knshard_value *value; /* per variable */
    uint32_t *readers;    /* per variable: equations and results */
    knx_str *report;      /* NULL: nobody asks */
} partition;

static knx_error *write_jaxpr(const knshard_solution *s, knx_str *report, kni_jaxpr **out);

/* ---- Values. */

static bool bind(partition *p, kni_atom var, kni_atom part, const knshard_lay *lay)
{
    knshard_value *v = &p->value[var];
    *v = (knshard_value){.part = part, .type = p->s->j->type[var]};
    return knshard_lay_copy(p->w.arena, lay, &v->lay);
}

static kni_atom literal(partition *p, kni_atom a)
{
    const kni_literal *l = &p->s->j->literal[a & ~KN_LITERAL_BIT];
    return knb_literal(&p->w.b, l->type.dtype, l->type.weak, l->bits);
}

/* The value in this layout; what was brought there once is known. */
static knx_error *get(partition *p, kni_atom a, const knshard_lay *lay, kni_atom *out)
{
    if (kni_is_literal(a)) {
        *out = literal(p, a);
        return NULL;
    }
    knshard_value *v = &p->value[a];
    for (const knshard_value *k = v; k; k = k->next)
        if (!k->partial && knshard_lay_equal(&k->lay, lay)) {
            *out = k->part;
            return NULL;
        }
    knshard_value *made = knx_arena_zero(p->w.arena, sizeof *made);
    if (!made || !knshard_lay_copy(p->w.arena, lay, &made->lay))
        return knx_error_nomem();
    KN_TRY(knshard_move(&p->w, v, lay, out));
    made->part = *out;
    made->type = v->type;
    made->next = v->next;
    v->next = made;
    return NULL;
}

/* ---- One equation. */

typedef struct one {
    const kni_eqn *e;
    const kni_mesh_axes *axes; /* per factor */
    kni_atom *in, *out;
    kni_type *xt, *yt;   /* of the parts */
    knshard_lay *result; /* per result */
    uint32_t partial;    /* axes over whose devices results have yet to be summed, as operands had ... */
    bool minus;          /* ... and one of them is a sum that may be -0 */
    const void *params;  /* of the part's equation; NULL: the equation's own */
} one;

static bool begin_one(partition *p, uint32_t i, const kni_mesh_axes *axes, one *o)
{
    const kni_eqn *e = &p->s->j->eqn[i];
    knx_arena *a = p->w.arena;
    *o = (one){e,
               axes,
               knx_arena_zero(a, ((size_t)e->n_in + 1) * sizeof *o->in),
               knx_arena_zero(a, ((size_t)e->n_out + 1) * sizeof *o->out),
               knx_arena_zero(a, ((size_t)e->n_in + 1) * sizeof *o->xt),
               knx_arena_zero(a, ((size_t)e->n_out + 1) * sizeof *o->yt),
               knx_arena_zero(a, ((size_t)e->n_out + 1) * sizeof *o->result),
               0,
               false,
               NULL};
    return o->in && o->out && o->xt && o->yt && o->result;
}

/* The types of a part of each operand and result. */
static bool part_types(const partition *p, uint32_t i, one *o)
{
    const knshard_cut *c = &p->s->cut[i];
    knx_arena *a = p->w.arena;
    bool fine = true;
    for (uint32_t k = 0; fine && k < o->e->n_in + o->e->n_out; k++) {
        bool result = k >= o->e->n_in;
        uint32_t n = result ? k - o->e->n_in : k;
        kni_type whole = result ? p->s->j->type[o->e->out + n] : kni_atom_type(p->s->j, o->e->in[n]), *t;
        int64_t dim[KN_MAX_NDIM + 1];
        memcpy(dim, whole.dim ? whole.dim : dim, (size_t)whole.ndim * sizeof *dim);
        for (int f = 0; f < c->spread.n; f++) {
            int d = result ? c->spread.v[f].out[n] : c->spread.v[f].in[n];
            if (d >= 0)
                dim[d] = knshard_part(&c->spread.v[f], kni_mesh_parts(p->w.mesh, o->axes[f]), whole.dim[d]);
        }
        t = result ? &o->yt[n] : &o->xt[n];
        whole.dim = dim;
        whole.sharding = NULL;
        fine = kni_type_copy(a, whole, t);
        if (fine && result)
            fine = knshard_needed(p->s, i, o->axes, true, n, &o->result[n]);
    }
    return fine;
}

static bool is_cut(const knshard_cut *c, const kni_mesh_axes *axes)
{
    for (int f = 0; f < c->spread.n; f++)
        if (axes[f].n)
            return true;
    return false;
}

/* Is a part written by the row's `local`? */
static bool by_position(const kni_mesh *m, const knshard_cut *c, const kni_mesh_axes *axes)
{
    for (int f = 0; f < c->spread.n; f++)
        if (kni_mesh_parts(m, axes[f]) > 1 && (c->spread.v[f].local || c->spread.v[f].kind >= KNI_POSITION))
            return true;
    return false;
}

/* Parameters for parts, and whether the row's rule gives their types: else the equation is not cut. */
static knx_error *fit_params(partition *p, one *o, bool *fits)
{
    const kni_prim *prim = o->e->prim;
    kni_rule r = kni_rule_of(o->e, o->xt, o->yt);
    r.b = &p->w.b;
    r.arena = p->w.arena;
    *fits = true;
    KN_TRY(knshard_resize(&r, p->w.arena, &o->params));
    r.params = o->params ? o->params : r.params;
    size_t room = kni_result_room(prim, r.params, (int)o->e->n_in);
    kni_type *y = knx_arena_zero(p->w.arena, (room + o->e->n_out + 1) * sizeof *y);
    if (!y)
        return knx_error_nomem();
    r.yt = NULL;
    r.n_out = prim->n_out < 0 ? (int)(room + o->e->n_out) : (int)o->e->n_out;
    knx_error *error = prim->type(&r, y);
    if (error && error->kind == KN_ERROR_MEMORY)
        return error;
    *fits = !error;
    knx_error_release(error);
    for (uint32_t k = 0; *fits && k < o->e->n_out; k++)
        *fits = kni_type_same_shape(y[k], o->yt[k]);
    return NULL;
}

/* Is the sum of parts in this dtype the part of a sum in that one? The same numbers, or integers that keep low bits. */
static bool sums_alike(kn_dtype from, kn_dtype to)
{
    bool integers = knx_is_integer(from) && knx_is_integer(to);
    return knx_component(from) == knx_component(to) || (integers && to->size <= from->size);
}

/* The axes over which this operand has yet to be summed if it can be taken as it is: it lies as it is needed, nobody
 * else needs its sum, and the equation does not use the axes. */
static uint32_t sum_ahead(partition *p, uint32_t i, const one *o, uint32_t k)
{
    const knshard_cut *c = &p->s->cut[i];
    const knshard_value *v = kni_is_var(o->e->in[k]) ? &p->value[o->e->in[k]] : NULL;
    knshard_lay need;
    uint32_t used = 0;
    if (!v || !v->partial || v->join != KNI_SUM || p->readers[o->e->in[k]] > 1 ||
        !knshard_needed(p->s, i, o->axes, false, k, &need) || !knshard_lay_equal(&need, &v->lay))
        return 0;
    for (int f = 0; f < c->spread.n; f++)
        used |= kni_mesh_axes_set(o->axes[f]);
    return v->partial & used ? 0 : v->partial;
}

/* Do parts of its results have to be joined otherwise than by adding? Then what is left open could not be told from
 * them: the bits of a part of a sum are no part of the sum's bits. */
static bool joins_otherwise(const knshard_cut *c, const kni_mesh_axes *axes)
{
    for (int f = 0; f < c->spread.n; f++)
        if (axes[f].n && c->spread.v[f].kind != KNI_SUM && kni_factor_joins((kni_factor_kind)c->spread.v[f].kind))
            return true;
    return false;
}

/* Sums stay open behind an equation that is linear: in all of its operands, and all are such sums; or in each for
 * itself, and one is. Nothing else may grow by it. */
static uint32_t sums_stay_open(partition *p, uint32_t i, const one *o)
{
    const kni_prim *prim = o->e->prim;
    uint32_t all = 0, some = 0, open = 0;
    double before = 0, after = 0;
    if (prim->loops || kni_must_stay(prim, o->e->params) || (prim->bits & KN_NAMES) ||
        joins_otherwise(&p->s->cut[i], o->axes))
        return 0;
    for (uint32_t k = 0; k < o->e->n_in; k++) {
        uint32_t set = kni_linear_in(prim, (int)k) ? sum_ahead(p, i, o, k) : 0;
        all = k ? all & set : set;
        open += set != 0;
        some |= set;
        before += set ? kni_type_count(o->xt[k]) * o->xt[k].dtype->size : 0;
    }
    for (uint32_t k = 0; k < o->e->n_out; k++)
        after += kni_type_count(o->yt[k]) * o->yt[k].dtype->size;
    for (uint32_t k = 0; some && k < o->e->n_in * o->e->n_out; k++)
        if (kni_linear_in(prim, (int)(k / o->e->n_out)) &&
            !sums_alike(o->xt[k / o->e->n_out].dtype, o->yt[k % o->e->n_out].dtype))
            return 0;
    bool fine = prim->bits & KN_MULTILINEAR ? open == 1 : open == o->e->n_in && all == some;
    return fine && after <= before ? some : 0;
}

static knx_error *get_operands(partition *p, uint32_t i, one *o)
{
    const knshard_cut *c = &p->s->cut[i];
    o->partial = sums_stay_open(p, i, o);
    for (uint32_t k = 0; k < o->e->n_in; k++) {
        knshard_lay need;
        if (!knshard_needed(p->s, i, o->axes, false, k, &need))
            return knx_error_nomem();
        if (o->partial && kni_is_var(o->e->in[k]) && p->value[o->e->in[k]].partial == o->partial &&
            kni_linear_in(o->e->prim, (int)k)) {
            o->in[k] = p->value[o->e->in[k]].part;
            o->minus = o->minus || p->value[o->e->in[k]].minus;
        } else {
            KN_TRY(get(p, o->e->in[k], &need, &o->in[k]));
        }
        for (int f = 0; f < c->spread.n && !p->w.b.error; f++) {
            const kni_factor *factor = &c->spread.v[f];
            if (factor->kind == KNI_HALO && factor->in[k] >= 0 && kni_mesh_parts(p->w.mesh, o->axes[f]) > 1) {
                o->in[k] = knshard_fetch(&p->w, o->in[k], factor->in[k], o->axes[f], factor, (int)k,
                                         c->xt[k].dim[factor->in[k]]);
                o->xt[k] = knb_type(&p->w.b, o->in[k]);
            }
            if (factor->in[k] >= 0 && o->axes[f].n && kni_factor_joins((kni_factor_kind)factor->kind))
                o->in[k] = knshard_mask(&p->w, o->in[k], factor->in[k], o->axes[f], factor->size,
                                        (kni_factor_kind)factor->kind);
        }
    }
    return knb_take_error(&p->w.b);
}

static int64_t source_of(const kni_mesh *m, const kni_factor *f, kni_mesh_axes axes)
{
    int64_t extent = kni_part_extent(f->size, kni_mesh_parts(m, axes));
    bool known = (f->kind == KNI_ONE || f->kind == KNI_OR) && f->high > f->low && axes.n == 1;
    return known && f->low / extent == (f->high - 1) / extent ? f->low / extent + 1 : 0;
}

static void mark_partial(const partition *p, uint32_t i, const one *o, knshard_value *v)
{
    const knshard_cut *c = &p->s->cut[i];
    v->partial = o->partial;
    v->join = KNI_SUM;
    v->minus = o->minus;
    for (int f = 0; f < c->spread.n; f++)
        if (o->axes[f].n && kni_factor_joins((kni_factor_kind)c->spread.v[f].kind)) {
            v->partial |= kni_mesh_axes_set(o->axes[f]);
            v->join = c->spread.v[f].kind;
            v->minus = v->minus || c->spread.v[f].minus;
            v->source = source_of(p->w.mesh, &c->spread.v[f], o->axes[f]);
        }
}

typedef struct sharing {
    knshard_writer *w;
    const kni_mesh_axes *axes; /* per factor */
} sharing;

static kni_atom gather_shares(const kni_local *l, kni_builder *b, int f, kni_atom x)
{
    const sharing *s = l->env;
    return b->error ? KN_ATOM_NONE : knshard_gather_front(s->w, x, s->axes[f]);
}

static knx_error *emit_by_position(partition *p, uint32_t i, one *o)
{
    const knshard_cut *c = &p->s->cut[i];
    knx_arena *a = p->w.arena;
    kni_builder *b = &p->w.b;
    kni_cut *part = knx_arena_zero(a, ((size_t)c->spread.n + 1) * sizeof *part);
    if (!part)
        return knx_error_nomem();
    for (int f = 0; f < c->spread.n; f++) {
        const kni_factor *factor = &c->spread.v[f];
        int64_t parts = kni_mesh_parts(p->w.mesh, o->axes[f]), extent = kni_part_extent(factor->size, parts);
        part[f] = (kni_cut){.parts = parts, .extent = extent, .first = knshard_first(&p->w, o->axes[f], extent)};
    }
    kni_rule r = kni_rule_of(o->e, o->xt, o->yt);
    r.b = b;
    r.arena = &b->arena;
    r.x = o->in;
    return o->e->prim->local(&r,
                             &(kni_local){.gather = gather_shares,
                                          .env = &(sharing){&p->w, o->axes},
                                          .spread = &c->spread,
                                          .cut = part,
                                          .xt = c->xt,
                                          .yt = p->s->j->type + o->e->out},
                             o->out);
}

static knx_error *emit(partition *p, uint32_t i, one *o)
{
    kni_builder *b = &p->w.b;
    const knshard_cut *c = &p->s->cut[i];
    b->place = o->e->place;
    KN_TRY(get_operands(p, i, o));
    if (by_position(p->w.mesh, c, o->axes))
        KN_TRY(emit_by_position(p, i, o));
    else if (kni_bits(o->e->prim, o->e->params) & (KN_EFFECT | KN_USER) && p->w.mesh->n_device > 1)
        KN_TRY(knshard_write_once(&p->w, o->e, o->xt, o->yt, o->in, o->out));
    else
        knb_emit(b, o->e->prim, o->params ? o->params : o->e->params, (int)o->e->n_in, o->in, o->out, (int)o->e->n_out);
    for (uint32_t k = 0; !b->error && k < o->e->n_out; k++) {
        if (!bind(p, o->e->out + k, o->out[k], &o->result[k]))
            return knx_error_nomem();
        mark_partial(p, i, o, &p->value[o->e->out + k]);
    }
    return knb_take_error(b);
}

static void tell(partition *p, uint32_t i, const char *text)
{
    const kni_eqn *e = &p->s->j->eqn[i];
    if (p->report)
        knx_str_printf(p->report, "%s: %s\n", e->prim->name, text);
}

static knx_error *write_equation(partition *p, uint32_t i)
{
    const knshard_cut *c = &p->s->cut[i];
    kni_mesh_axes *whole = knx_arena_zero(p->w.arena, ((size_t)c->spread.n + 1) * sizeof *whole);
    bool fits = true;
    one o;
    if (!whole || !begin_one(p, i, c->axes, &o) || !part_types(p, i, &o))
        return knx_error_nomem();
    knx_error *error = is_cut(c, c->axes) && !by_position(p->w.mesh, c, c->axes) ? fit_params(p, &o, &fits) : NULL;
    if (c->why)
        tell(p, i, c->why);
    if (!error && !fits) {
        tell(p, i, "is done as a whole on every device: its row has no parameters for parts");
        if (o.params)
            kni_params_drop(o.e->prim, o.params);
        if (!begin_one(p, i, whole, &o) || !part_types(p, i, &o))
            return knx_error_nomem();
    }
    error = error ? error : emit(p, i, &o);
    if (o.params)
        kni_params_drop(o.e->prim, o.params);
    return error;
}

/* ---- Constraints. */

static knx_error *write_constraint(partition *p, uint32_t i)
{
    const kni_eqn *e = &p->s->j->eqn[i];
    kni_atom y;
    KN_TRY(get(p, e->in[0], &p->s->var[e->out], &y));
    return bind(p, e->out, y, &p->s->var[e->out]) ? NULL : knx_error_nomem();
}

/* ---- Equations for one device. */

static knx_error *emit_manual(partition *p, one *o, const kni_manual *manual)
{
    for (uint32_t k = 0; k < o->e->n_in; k++) {
        knshard_lay lay;
        if (!knshard_lay_of_spec(p->w.arena, kni_atom_type(p->s->j, o->e->in[k]).ndim, manual->in[k], &lay))
            return knx_error_nomem();
        KN_TRY(get(p, o->e->in[k], &lay, &o->in[k]));
    }
    p->w.b.place = o->e->place;
    KN_TRY(knb_take_error(&p->w.b));
    KN_TRY(knshard_write_manual(&p->w, manual, o->in, o->out));
    for (uint32_t k = 0; k < o->e->n_out; k++)
        if (!bind(p, o->e->out + k, o->out[k], &p->s->var[o->e->out + k]))
            return knx_error_nomem();
    return NULL;
}

static knx_error *write_manual(partition *p, uint32_t i)
{
    const kni_eqn *e = &p->s->j->eqn[i];
    kni_rule r = kni_rule_of(e, p->s->cut[i].xt, p->s->j->type + e->out);
    kni_manual manual = {0};
    one o;
    r.arena = p->w.arena;
    if (!begin_one(p, i, NULL, &o))
        return knx_error_nomem();
    KN_TRY(e->prim->manual(&r, p->w.mesh, &manual));
    knx_error *error = emit_manual(p, &o, &manual);
    kni_release(manual.body);
    return error;
}

/* ---- Loops and branches. */

/* A copy of the parameters with the bodies of one device; they are the caller's. */
static knx_error *with_bodies(partition *p, const kni_eqn *e, kni_jaxpr **body, const void **out)
{
    knx_arena *a = p->w.arena;
    if (e->prim->loops == KN_LOOP_SCAN) {
        kni_p_scan *s = knx_arena_copy(a, e->params, sizeof *s);
        *out = s;
        if (s)
            s->jaxpr = body[0];
    } else if (e->prim->loops == KN_LOOP_WHILE) {
        kni_p_while *s = knx_arena_copy(a, e->params, sizeof *s);
        *out = s;
        if (s) {
            s->cond_jaxpr = body[0];
            s->body_jaxpr = body[1];
        }
    } else {
        kni_p_cond *s = knx_arena_copy(a, e->params, sizeof *s);
        *out = s;
        if (s)
            s->branches.v = body;
    }
    return *out ? NULL : knx_error_nomem();
}

static knx_error *emit_loop(partition *p, uint32_t i, one *o, kni_jaxpr **body)
{
    knshard_lay lay;
    KN_TRY(with_bodies(p, o->e, body, &o->params));
    for (uint32_t k = 0; k < o->e->n_in; k++) {
        if (!knshard_loop_lay(p->s, i, false, k, &lay))
            return knx_error_nomem();
        KN_TRY(get(p, o->e->in[k], &lay, &o->in[k]));
    }
    p->w.b.place = o->e->place;
    knb_emit(&p->w.b, o->e->prim, o->params, (int)o->e->n_in, o->in, o->out, (int)o->e->n_out);
    KN_TRY(knb_take_error(&p->w.b));
    for (uint32_t k = 0; k < o->e->n_out; k++)
        if (!knshard_loop_lay(p->s, i, true, k, &lay) || !bind(p, o->e->out + k, o->out[k], &lay))
            return knx_error_nomem();
    return NULL;
}

static knx_error *write_loop(partition *p, uint32_t i)
{
    const knshard_cut *c = &p->s->cut[i];
    uint32_t n = 0;
    one o;
    while (c->body[n])
        n++;
    kni_jaxpr **body = knx_arena_zero(p->w.arena, (n + 1) * sizeof *body);
    if (!body || !begin_one(p, i, NULL, &o))
        return knx_error_nomem();
    knx_error *error = NULL;
    for (uint32_t b = 0; !error && b < n; b++)
        error = write_jaxpr(c->body[b], p->report, &body[b]);
    if (!error)
        error = emit_loop(p, i, &o, body);
    for (uint32_t b = 0; b < n; b++)
        kni_release(body[b]);
    return error;
}

/* ---- The jaxpr. */

static knx_error *inputs(partition *p)
{
    const kni_jaxpr *j = p->s->j;
    for (uint32_t v = 0; v < j->n_const + j->n_in; v++) {
        kni_type t;
        const knshard_lay *l = &p->s->var[v];
        if (!kni_part_type(p->w.arena, j->type[v], p->w.mesh, l->ndim, l->dim, &t))
            return knx_error_nomem();
        kni_atom a = v < j->n_const ? knb_constvar(&p->w.b, t) : knb_invar(&p->w.b, t);
        if (!bind(p, v, a, &p->s->var[v]))
            return knx_error_nomem();
    }
    return knb_take_error(&p->w.b);
}

static void count_readers(partition *p)
{
    const kni_jaxpr *j = p->s->j;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_in; k++)
            if (kni_is_var(j->eqn[i].in[k]))
                p->readers[j->eqn[i].in[k]]++;
    for (uint32_t i = 0; i < j->n_out; i++)
        if (kni_is_var(j->out[i]))
            p->readers[j->out[i]]++;
}

static knx_error *write_all(partition *p, kni_jaxpr **out)
{
    const kni_jaxpr *j = p->s->j;
    kni_atom *y = knx_arena_zero(p->w.arena, ((size_t)j->n_out + 1) * sizeof *y);
    p->value = knx_arena_zero(p->w.arena, ((size_t)j->n_var + 1) * sizeof *p->value);
    p->readers = knx_arena_zero(p->w.arena, ((size_t)j->n_var + 1) * sizeof *p->readers);
    if (!y || !p->value || !p->readers)
        return knx_error_nomem();
    count_readers(p);
    KN_TRY(inputs(p));
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const knshard_cut *c = &p->s->cut[i];
        knx_error *error = c->body     ? write_loop(p, i)
                           : c->manual ? write_manual(p, i)
                           : c->want   ? write_constraint(p, i)
                                       : write_equation(p, i);
        if (error)
            return knx_error_placed(error, j->eqn[i].place);
    }
    p->w.b.place = NULL;
    for (uint32_t i = 0; i < j->n_out; i++)
        KN_TRY(get(p, j->out[i], &p->s->out[i], &y[i]));
    return knb_finish(&p->w.b, (int)j->n_out, y, j->name, true, out);
}

static knx_error *write_jaxpr(const knshard_solution *s, knx_str *report, kni_jaxpr **out)
{
    partition p = {.w = {.arena = s->arena, .mesh = s->mesh}, .s = s, .report = report};
    *out = NULL;
    knb_init(&p.w.b);
    kni_jaxpr *j = NULL;
    knx_error *error = write_all(&p, &j);
    knb_free(&p.w.b);
    if (!error)
        error = knshard_join_small(j, out);
    kni_release(j);
    return error;
}

/* ---- From outside. */

static knx_error *lays_of(knx_arena *a, uint32_t n, const kni_sharding *const *in, const kni_jaxpr *j,
                          knshard_lay **out)
{
    *out = knx_arena_zero(a, ((size_t)n + 1) * sizeof **out);
    bool fine = *out != NULL;
    for (uint32_t v = 0; fine && v < n; v++) {
        fine = knshard_lay_new(a, j->type[v].ndim, &(*out)[v]);
        for (int d = 0; fine && in[v] && d < j->type[v].ndim; d++)
            (*out)[v].dim[d] = in[v]->dim[d];
    }
    return fine ? NULL : knx_error_nomem();
}

static knx_error *partition_opened(const kni_jaxpr *j, const kni_mesh *mesh, const kni_sharding *const *in,
                                   knx_arena *arena, knx_str *report, kni_jaxpr **local, const kni_sharding **out)
{
    knshard_lay *lay;
    knshard_solution *s;
    KN_TRY(lays_of(arena, j->n_const + j->n_in, in, j, &lay));
    KN_TRY(knshard_solve(j, mesh, arena, lay, NULL, &s));
    KN_TRY(write_jaxpr(s, report, local));
    for (uint32_t i = 0; i < j->n_out; i++)
        KN_TRY(kni_sharding_of(mesh, s->out[i].ndim, s->out[i].dim, &out[i]));
    return NULL;
}

knx_error *knshard_partition(const kni_jaxpr *global, const kni_mesh *mesh, const kni_sharding *const *in,
                             kni_jaxpr **local, const kni_sharding **out, char **report)
{
    knx_arena arena = KN_ARENA_INIT;
    knx_str text = {0};
    kni_jaxpr *j = NULL;
    *local = NULL;
    knx_error *error = knshard_open(global, mesh, &j);
    if (!error)
        error = partition_opened(j, mesh, in, &arena, report ? &text : NULL, local, out);
    if (error) {
        kni_release(*local);
        *local = NULL;
    }
    if (report)
        *report = knx_str_take(&text);
    kni_release(j);
    knx_arena_free(&arena);
    return error;
}
