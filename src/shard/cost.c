/* SPDX-License-Identifier: Apache-2.0
 * cost.c -- what it costs to bring values into place: bytes that one device receives, which is what propagation decides
 * conflicts by. */
#include "shard/solve.h"

double knshard_bytes(const kni_mesh *m, kni_type t, const knshard_lay *l)
{
    return kni_type_count(t) * (double)t.dtype->size / (double)knshard_lay_parts(m, l);
}

/* Axes that cut a dimension now and do not at its end, in that place: what has to be gathered. */
static uint32_t leaving(const knshard_lay *from, const knshard_lay *to)
{
    uint32_t set = 0;
    for (int d = 0; d < from->ndim; d++) {
        int keep = 0;
        while (keep < from->dim[d].n && keep < to->dim[d].n && from->dim[d].axis[keep] == to->dim[d].axis[keep])
            keep++;
        for (int i = keep; i < from->dim[d].n; i++)
            set |= 1u << from->dim[d].axis[i];
    }
    return set;
}

double knshard_move_cost(const kni_mesh *m, kni_type t, const knshard_lay *from, const knshard_lay *to)
{
    uint32_t left = leaving(from, to);
    double now = knshard_bytes(m, t, from), growth = 1;
    if (!left)
        return 0; /* cutting costs nothing */
    for (int a = 0; a < m->n_axis; a++)
        if ((left & ~knshard_lay_set(to)) >> a & 1)
            growth *= (double)m->size[a];
    return now * growth; /* axes that only change their dimension move what there is */
}

/* Axes of the factors of which each device's result is a part. */
static uint32_t joined(const knshard_cut *c, const kni_mesh_axes *axes)
{
    uint32_t set = 0;
    for (int f = 0; f < c->spread.n; f++) {
        bool out = false;
        for (int k = 0; k < c->spread.n_out; k++)
            out |= c->spread.v[f].out[k] >= 0;
        if (!out && c->spread.v[f].kind != KNI_POSITION && c->spread.v[f].kind != KNI_SHARES)
            set |= kni_mesh_axes_set(axes[f]);
    }
    return set;
}

bool knshard_needed(const knshard_solution *s, uint32_t i, const kni_mesh_axes *axes, bool result, uint32_t k,
                    knshard_lay *out)
{
    const kni_eqn *e = &s->j->eqn[i];
    const knshard_cut *c = &s->cut[i];
    kni_type t = result ? s->j->type[e->out + k] : kni_atom_type(s->j, e->in[k]);
    if (!knshard_lay_new(s->arena, t.ndim, out))
        return false;
    for (int f = 0; f < c->spread.n; f++) {
        int d = result ? c->spread.v[f].out[k] : c->spread.v[f].in[k];
        if (d >= 0)
            out->dim[d] = axes[f];
    }
    return true;
}

/* What parts tell of themselves, about: two elements for each line of an operand. */
static double shared_bytes(const knshard_solution *s, uint32_t i, const kni_mesh_axes *axes, uint32_t k)
{
    const knshard_cut *c = &s->cut[i];
    double bytes = 0;
    knshard_lay need;
    for (int f = 0; f < c->spread.n; f++) {
        int64_t parts = kni_mesh_parts(s->mesh, axes[f]);
        if (c->spread.v[f].kind == KNI_SHARES && c->spread.v[f].in[k] >= 0 && parts > 1 &&
            knshard_needed(s, i, axes, false, k, &need))
            bytes += 2 * knshard_bytes(s->mesh, c->xt[k], &need) * (double)(parts - 1) /
                     (double)kni_part_extent(c->spread.v[f].size, parts);
    }
    return bytes;
}

double knshard_cut_cost(const knshard_solution *s, uint32_t i, const kni_mesh_axes *axes)
{
    const kni_eqn *e = &s->j->eqn[i];
    bool partial = joined(&s->cut[i], axes) != 0;
    double cost = 0;
    knshard_lay need;
    for (uint32_t k = 0; k < e->n_in; k++) {
        if (!kni_is_var(e->in[k]) || !knshard_needed(s, i, axes, false, k, &need))
            continue;
        cost +=
            knshard_move_cost(s->mesh, s->j->type[e->in[k]], &s->var[e->in[k]], &need) + shared_bytes(s, i, axes, k);
    }
    for (uint32_t k = 0; k < e->n_out; k++) {
        if (!knshard_needed(s, i, axes, true, k, &need))
            continue;
        kni_type t = s->j->type[e->out + k];
        if (partial)
            cost += 2 * knshard_bytes(s->mesh, t, &need);
        if (s->var[e->out + k].fixed)
            cost += knshard_move_cost(s->mesh, t, &need, &s->var[e->out + k]);
    }
    return cost;
}
