/* SPDX-License-Identifier: Apache-2.0
 * propagate.c -- how each value of a jaxpr lies. Operands and constraints are known; equations are walked forwards and
 * backwards, and each hands on along its factors what one of its operands or results has, until nothing changes.
 *
 * The axes along one factor are the longest list among its operands and results of which the others are beginnings;
 * of lists that exclude each other the one that more bytes have. An axis of the mesh that several factors of one
 * equation want goes to the one with which the equation costs least communication. In the end an axis of the mesh that
 * cuts an operand where it is needed whole is offered to its other axes: parts are exchanged, and nobody gathers. */
#include "shard/solve.h"
#include <string.h>

enum { MOST_SWEEPS = 12, MOST_WAYS = 64 };

/* ---- The axes of one factor. */

typedef struct proposal {
    kni_mesh_axes axes;
    double weight; /* bytes of the values that have it */
} proposal;

static void propose(proposal *list, int *n, kni_mesh_axes axes, double weight)
{
    if (!axes.n)
        return;
    for (int i = 0; i < *n; i++)
        if (knshard_is_prefix(list[i].axes, axes) || knshard_is_prefix(axes, list[i].axes)) {
            list[i].weight += weight;
            if (axes.n > list[i].axes.n)
                list[i].axes = axes;
            return;
        }
    if (*n < KNI_MESH_AXES)
        list[(*n)++] = (proposal){axes, weight};
}

static kni_mesh_axes axes_of_factor(const knshard_solution *s, const kni_eqn *e, const kni_factor *f, int n_in)
{
    proposal list[KNI_MESH_AXES];
    int n = 0, best = 0;
    for (int k = 0; k < n_in; k++)
        if (f->in[k] >= 0 && kni_is_var(e->in[k])) {
            const knshard_lay *l = &s->var[e->in[k]];
            kni_type t = s->j->type[e->in[k]];
            propose(list, &n, l->dim[f->in[k]], (l->fixed ? 2 : 1) * kni_type_count(t) * (double)t.dtype->size);
        }
    for (uint32_t k = 0; k < e->n_out; k++)
        if (f->out[k] >= 0) {
            const knshard_lay *l = &s->var[e->out + k];
            kni_type t = s->j->type[e->out + k];
            propose(list, &n, l->dim[f->out[k]], (l->fixed ? 2 : 1) * kni_type_count(t) * (double)t.dtype->size);
        }
    for (int i = 1; i < n; i++)
        best = list[i].weight > list[best].weight ? i : best;
    return n ? list[best].axes : (kni_mesh_axes){0};
}

/* Could another axis be cut into so many parts instead? */
static bool has_other(const knshard_cut *c, const kni_factor *f, int64_t parts)
{
    for (int k = 0; k < c->spread.n; k++)
        if (&c->spread.v[k] != f && c->spread.v[k].kind == KNI_PARALLEL && c->spread.v[k].size % parts == 0)
            return true;
    return false;
}

static bool is_near(const knshard_solution *s, uint32_t i, const kni_factor *f, int64_t parts)
{
    const knshard_cut *c = &s->cut[i];
    bool far = !has_other(c, f, parts);
    bool near = f->kind != KNI_HALO || s->j->eqn[i].prim->local;
    for (int k = 0; near && f->kind == KNI_HALO && k < c->spread.n_in; k++)
        near = f->in[k] < 0 || (c->xt[k].dtype->kind != KN_KIND_KEY && /* of which there is no padding */
                                (knshard_halo_is_near(f, k, c->xt[k].dim[f->in[k]], parts) ||
                                 (far && knshard_halo_is_far(f, k, c->xt[k].dim[f->in[k]], parts))));
    return near;
}

/* As much of the list, from the front, as the factor can be cut by. What pads an uneven extent must not make an
 * equation fail. */
static kni_mesh_axes possible(const knshard_solution *s, uint32_t i, const kni_factor *f, kni_mesh_axes a)
{
    const kni_eqn *e = &s->j->eqn[i];
    const kni_rule r = kni_rule_of(e, s->cut[i].xt, s->j->type + e->out);
    bool even = kni_must_stay(e->prim, e->params);
    a = knshard_fitting(s->mesh, a, f->size);
    while (a.n) {
        int64_t parts = kni_mesh_parts(s->mesh, a);
        if (knshard_allows(f, &r, parts) && !(even && f->size % parts) && is_near(s, i, f, parts))
            break;
        a.n--;
    }
    return a;
}

/* ---- Axes that several factors want. */

static bool has_axis(kni_mesh_axes a, int axis, int *at)
{
    for (*at = 0; *at < a.n; ++*at)
        if (a.axis[*at] == axis)
            return true;
    return false;
}

static const char *tell(const knshard_solution *s, const kni_eqn *e, const kni_mesh_axes *axes, double cost, int ways)
{
    knx_text t = {0};
    const knshard_cut *c = &s->cut[e - s->j->eqn];
    knx_text_add(&t, "%d ways to use the mesh; the one that moves least, %.0f bytes a device, cuts", ways, cost);
    for (int f = 0; f < c->spread.n; f++)
        for (int i = 0; i < axes[f].n; i++)
            knx_text_add(&t, " factor %d (of %lld) by %s", f, (long long)c->spread.v[f].size,
                         s->mesh->name[axes[f].axis[i]]);
    return knx_arena_string(s->arena, t.s);
}

/* Gives each contested axis to one of its factors, in all ways, and keeps the cheapest: what is behind an axis that a
 * factor does not get goes, too. */
static void settle(const knshard_solution *s, uint32_t i)
{
    knshard_cut *c = &s->cut[i];
    kni_mesh_axes *axes = c->axes;
    kni_mesh_axes *best = c->axes + c->spread.n, *way = best + c->spread.n;
    int wanted[KNI_MESH_AXES] = {0}, ways = 1, at;
    double least = 0;
    for (int a = 0; a < s->mesh->n_axis; a++) {
        for (int f = 0; f < c->spread.n; f++)
            wanted[a] += has_axis(axes[f], a, &at);
        if (wanted[a] > 1 && ways * wanted[a] <= MOST_WAYS)
            ways *= wanted[a];
        else if (wanted[a] > 1)
            wanted[a] = -1; /* too many ways: the first one has it */
    }
    for (int w = 0; w < ways; w++) {
        memcpy(way, axes, (size_t)c->spread.n * sizeof *way);
        for (int a = 0, rest = w; a < s->mesh->n_axis; a++) {
            int choice = wanted[a] > 1 ? rest % wanted[a] : 0, seen = 0;
            rest = wanted[a] > 1 ? rest / wanted[a] : rest;
            for (int f = 0; f < c->spread.n; f++)
                if (has_axis(axes[f], a, &at) && seen++ != choice && has_axis(way[f], a, &at))
                    way[f].n = (uint8_t)at;
        }
        double cost = ways > 1 ? knshard_cut_cost(s, i, way) : 0;
        if (!w || cost < least) {
            least = cost;
            memcpy(best, way, (size_t)c->spread.n * sizeof *best);
        }
    }
    memcpy(axes, best, (size_t)c->spread.n * sizeof *axes);
    c->why = ways > 1 ? tell(s, &s->j->eqn[i], axes, least, ways) : NULL;
}

/* ---- Axes that no factor has. */

typedef struct offer {
    const knshard_solution *s;
    uint32_t i;
    kni_mesh_axes come; /* they cut dimension d of operand k, which needs it whole */
    int k, d;
    double least;
    int factor; /* that does best with them, and has these axes then; -1: none does */
    kni_mesh_axes axes;
} offer;

static bool divides(const kni_mesh *m, kni_mesh_axes a, int64_t extent) { return extent % kni_mesh_parts(m, a) == 0; }

/* A factor takes them if the operand has an axis of it that is no other's, so that one exchange is enough. */
static void ask_factor(offer *o, int f)
{
    knshard_cut *c = &o->s->cut[o->i];
    const kni_factor *factor = &c->spread.v[f];
    const knshard_lay *l = &o->s->var[o->s->j->eqn[o->i].in[o->k]];
    kni_mesh_axes *way = c->axes + c->spread.n, more = c->axes[f];
    int d = factor->in[o->k];
    if (factor->kind != KNI_PARALLEL || d < 0 || d == o->d || !kni_mesh_axes_equal(l->dim[d], more) ||
        more.n + o->come.n > KNI_MESH_AXES)
        return;
    for (int a = 0; a < o->come.n; a++)
        more.axis[more.n++] = o->come.axis[a];
    if (!divides(o->s->mesh, more, c->xt[o->k].dim[d]) || possible(o->s, o->i, factor, more).n < more.n)
        return;
    memcpy(way, c->axes, (size_t)c->spread.n * sizeof *way);
    way[f] = more;
    double cost = knshard_cut_cost(o->s, o->i, way);
    if (cost < o->least) {
        o->least = cost;
        o->factor = f;
        o->axes = more;
    }
}

/* The axes that cut dimension d of operand k, all or the last ones, if nobody has them. */
static void offer_dimension(offer *o, int k, int d)
{
    const knshard_cut *c = &o->s->cut[o->i];
    kni_mesh_axes has = o->s->var[o->s->j->eqn[o->i].in[k]].dim[d];
    uint32_t used = 0;
    for (int f = 0; f < c->spread.n; f++)
        used |= kni_mesh_axes_set(c->axes[f]);
    if (!divides(o->s->mesh, has, c->xt[k].dim[d]))
        return;
    for (int first = 0; first < has.n; first++) {
        o->come = (kni_mesh_axes){0};
        for (int a = first; a < has.n; a++)
            o->come.axis[o->come.n++] = has.axis[a];
        o->k = k;
        o->d = d;
        for (int f = 0; !(kni_mesh_axes_set(o->come) & used) && f < c->spread.n; f++)
            ask_factor(o, f);
    }
}

static void offer_axes(const knshard_solution *s, uint32_t i)
{
    const kni_eqn *e = &s->j->eqn[i];
    knshard_cut *c = &s->cut[i];
    for (int turn = 0; turn < s->mesh->n_axis; turn++) {
        double before = knshard_cut_cost(s, i, c->axes);
        offer o = {.s = s, .i = i, .least = before, .factor = -1};
        for (int k = 0; k < c->spread.n_in; k++)
            for (int d = 0; kni_is_var(e->in[k]) && d < s->var[e->in[k]].ndim; d++)
                offer_dimension(&o, k, d);
        if (o.factor < 0)
            return;
        c->axes[o.factor] = o.axes;
        knx_text t = {0};
        knx_text_add(&t,
                     "an operand that is needed whole along an axis is cut along another one, factor %d, instead: "
                     "%.0f bytes a device, not %.0f",
                     o.factor, o.least, before);
        c->why = knx_arena_string(s->arena, t.s);
    }
}

static void cut_equation(const knshard_solution *s, uint32_t i)
{
    const kni_eqn *e = &s->j->eqn[i];
    const knshard_cut *c = &s->cut[i];
    for (int f = 0; f < c->spread.n; f++)
        c->axes[f] = possible(s, i, &c->spread.v[f], axes_of_factor(s, e, &c->spread.v[f], c->spread.n_in));
    settle(s, i);
    if (s->offers && c->spread.n)
        offer_axes(s, i);
}

/* ---- Handing on. */

/* Longer lists only, so that it ends; and no axis that cuts another dimension. */
bool knshard_extend(const knshard_solution *s, kni_atom v, int d, kni_mesh_axes axes)
{
    knshard_lay *l = &s->var[v];
    if (l->fixed || !knshard_is_prefix(l->dim[d], axes) || l->dim[d].n == axes.n)
        return false;
    uint32_t others = knshard_lay_set(l) & ~kni_mesh_axes_set(l->dim[d]);
    if (others & kni_mesh_axes_set(axes))
        return false;
    l->dim[d] = axes;
    return true;
}

static bool hand_on(knshard_solution *s, uint32_t i, bool backwards)
{
    const kni_eqn *e = &s->j->eqn[i];
    knshard_cut *c = &s->cut[i];
    bool any = false;
    if (c->body)
        return false;
    cut_equation(s, i);
    for (int f = 0; f < c->spread.n; f++) {
        const kni_factor *factor = &c->spread.v[f];
        for (uint32_t k = 0; k < e->n_out; k++)
            any |= factor->out[k] >= 0 && knshard_extend(s, e->out + k, factor->out[k], c->axes[f]);
        for (uint32_t k = 0; backwards && k < e->n_in; k++)
            any |= factor->in[k] >= 0 && kni_is_var(e->in[k]) && knshard_extend(s, e->in[k], factor->in[k], c->axes[f]);
    }
    return any;
}

/* ---- All equations. */

static knx_error *find_factors(knshard_solution *s, uint32_t i)
{
    const kni_eqn *e = &s->j->eqn[i];
    knshard_cut *c = &s->cut[i];
    kni_type *xt = c->xt = knx_arena_alloc(s->arena, ((size_t)e->n_in + 1) * sizeof *xt);
    if (!xt)
        return knx_error_nomem();
    for (uint32_t k = 0; k < e->n_in; k++)
        xt[k] = kni_atom_type(s->j, e->in[k]);
    kni_rule r = kni_rule_of(e, xt, s->j->type + e->out);
    KN_TRY(knshard_factors(&r, s->arena, &c->spread));
    c->axes = knx_arena_zero(s->arena, 3 * ((size_t)c->spread.n + 1) * sizeof *c->axes);
    c->want = e->prim->lays ? e->prim->lays(&r) : NULL;
    for (int d = 0; c->want && c->want->mesh == s->mesh && d < c->want->ndim; d++)
        s->var[e->out].dim[d] = c->want->dim[d];
    if (c->want)
        s->var[e->out].fixed = true;
    return c->axes ? knshard_solve_manual(s, i) : knx_error_nomem();
}

static knx_error *sweep(knshard_solution *s, bool backwards, bool *any)
{
    for (uint32_t n = s->j->n_eqn, k = 0; k < n; k++) {
        uint32_t i = backwards ? n - 1 - k : k;
        *any |= hand_on(s, i, backwards);
        if (!backwards && s->cut[i].body)
            KN_TRY(knshard_solve_bodies(s, i));
    }
    return NULL;
}

static knx_error *begin(knshard_solution *s, const knshard_lay *in)
{
    const kni_jaxpr *j = s->j;
    s->var = knx_arena_zero(s->arena, ((size_t)j->n_var + 1) * sizeof *s->var);
    s->cut = knx_arena_zero(s->arena, ((size_t)j->n_eqn + 1) * sizeof *s->cut);
    s->out = knx_arena_zero(s->arena, ((size_t)j->n_out + 1) * sizeof *s->out);
    bool fine = s->var && s->cut && s->out;
    for (uint32_t v = 0; fine && v < j->n_var; v++) {
        fine = v < j->n_const + j->n_in ? knshard_lay_copy(s->arena, &in[v], &s->var[v])
                                        : knshard_lay_new(s->arena, j->type[v].ndim, &s->var[v]);
        s->var[v].fixed = v < j->n_const + j->n_in;
    }
    return fine ? NULL : knx_error_nomem();
}

static knx_error *settle_results(knshard_solution *s, const knshard_lay *want)
{
    for (uint32_t i = 0; i < s->j->n_out; i++) {
        kni_atom a = s->j->out[i];
        const knshard_lay *l = want && want[i].dim ? &want[i] : kni_is_var(a) ? &s->var[a] : NULL;
        if (!(l ? knshard_lay_copy(s->arena, l, &s->out[i])
                : knshard_lay_new(s->arena, kni_atom_type(s->j, a).ndim, &s->out[i])))
            return knx_error_nomem();
    }
    return NULL;
}

/* Results that have to lie in some way: the values behind them had better do so from the start. */
static void ask_for(const knshard_solution *s, const knshard_lay *want)
{
    for (uint32_t i = 0; want && i < s->j->n_out; i++)
        for (int d = 0; want[i].dim && kni_is_var(s->j->out[i]) && d < want[i].ndim; d++)
            knshard_extend(s, s->j->out[i], d, want[i].dim[d]);
}

knx_error *knshard_solve(const kni_jaxpr *j, const kni_mesh *m, knx_arena *arena, const knshard_lay *in,
                         const knshard_lay *want, knshard_solution **out)
{
    knshard_solution *s = *out = knx_arena_zero(arena, sizeof *s);
    bool any = true;
    if (!s)
        return knx_error_nomem();
    *s = (knshard_solution){.j = j, .mesh = m, .arena = arena};
    KN_TRY(begin(s, in));
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        KN_TRY(find_factors(s, i));
        if (j->eqn[i].prim->loops)
            KN_TRY(knshard_solve_bodies(s, i));
    }
    ask_for(s, want);
    for (int offers = 0; offers < 2; offers++, any = true) {
        s->offers = offers;
        for (int k = 0; k < MOST_SWEEPS && any; k++) {
            any = false;
            KN_TRY(sweep(s, false, &any));
            KN_TRY(sweep(s, true, &any));
        }
    }
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (!s->cut[i].body)
            cut_equation(s, i);
    return settle_results(s, want);
}
