/* SPDX-License-Identifier: Apache-2.0
 * join.c -- small collectives that wait for nothing of each other become one: their arrays go one behind the other.
 * What a message costs before its first byte is paid once.
 *
 * The level of an equation is the number of such collectives on the longest way to it. Those of one level cannot depend
 * on each other, so equations are written level by level, and the collectives of a level at its end. Effects keep their
 * order: each is a step on the way to the next one. */
#include "shard/write.h"
#include "transform/replay.h"
#include <string.h>

enum { SMALL_BYTES = 64 << 10, JOINED_BYTES = 1 << 20 };

typedef struct joiner {
    knt_replay r;
    uint32_t *level; /* per variable */
    uint32_t *at;    /* per equation */
    bool *done;      /* per equation: a collective that was written with others */
} joiner;

static bool is_small(const kni_jaxpr *j, const kni_eqn *e)
{
    if (!(e->prim->bits & KN_ACROSS) || e->n_in != 1 || e->n_out != 1)
        return false;
    double bytes = kni_type_count(j->type[e->out]) * j->type[e->out].dtype->size;
    return bytes > 0 && bytes <= SMALL_BYTES;
}

static bool any_pair(const kni_jaxpr *j)
{
    int n = 0;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        n += is_small(j, &j->eqn[i]);
    return n > 1;
}

static uint32_t find_levels(joiner *t)
{
    const kni_jaxpr *j = t->r.j;
    uint32_t most = 0, effect = 0; /* of the last effect */
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        bool acts = kni_bits(e->prim, e->params) & KN_EFFECT;
        uint32_t level = acts ? effect : 0;
        for (uint32_t k = 0; k < e->n_in; k++)
            if (kni_is_var(e->in[k]) && t->level[e->in[k]] > level)
                level = t->level[e->in[k]];
        t->at[i] = level;
        effect = acts ? level : effect;
        most = level > most ? level : most;
        for (uint32_t k = 0; k < e->n_out; k++)
            t->level[e->out + k] = level + is_small(j, e);
    }
    return most;
}

static bool fits(const joiner *t, uint32_t i, uint32_t k)
{
    const kni_jaxpr *j = t->r.j;
    const kni_eqn *a = &j->eqn[i], *b = &j->eqn[k];
    return !t->done[k] && t->at[k] == t->at[i] && is_small(j, b) && a->prim == b->prim &&
           j->type[a->out].dtype == j->type[b->out].dtype && kni_params_equal(a->prim, a->params, b->params);
}

/* The results of equations which[0 .. n - 1] out of one. */
static void write_together(joiner *t, uint32_t n, const uint32_t *which, kni_atom *x, int64_t *size)
{
    kni_builder *b = &t->r.b;
    const kni_jaxpr *j = t->r.j;
    int64_t start = 0;
    b->place = j->eqn[which[0]].place;
    for (uint32_t k = 0; k < n; k++) {
        const kni_eqn *e = &j->eqn[which[k]];
        size[k] = kni_type_size(j->type[e->out]);
        x[k] = knb_reshape(b, knt_atom(&t->r, e->in[0]), 1, &size[k]);
    }
    const kni_eqn *first = &j->eqn[which[0]];
    kni_atom all = knb_concatenate(b, (int)n, x, 0);
    all = knb_emit1(b, first->prim, first->params, 1, &all);
    for (uint32_t k = 0; k < n; k++) {
        const kni_eqn *e = &j->eqn[which[k]];
        int64_t limit = start + size[k];
        kni_atom y = knb_slice(b, all, &start, &limit, NULL);
        y = knb_reshape(b, y, j->type[e->out].ndim, j->type[e->out].dim);
        knt_bind(&t->r, e, &y);
        start = limit;
    }
}

static knx_error *join_from(joiner *t, uint32_t i)
{
    const kni_jaxpr *j = t->r.j;
    uint32_t n = 0, *which = knx_arena_alloc(&t->r.arena, j->n_eqn * sizeof *which);
    kni_atom *x = knx_arena_alloc(&t->r.arena, j->n_eqn * sizeof *x);
    int64_t *size = knx_arena_alloc(&t->r.arena, j->n_eqn * sizeof *size);
    double bytes = 0;
    if (!which || !x || !size)
        return knx_error_nomem();
    for (uint32_t k = i; k < j->n_eqn; k++) {
        double more =
            k == i || fits(t, i, k) ? kni_type_count(j->type[j->eqn[k].out]) * j->type[j->eqn[k].out].dtype->size : 0;
        if (more <= 0 || bytes + more > JOINED_BYTES)
            continue;
        bytes += more;
        which[n++] = k;
        t->done[k] = true;
    }
    if (n > 1) {
        write_together(t, n, which, x, size);
    } else {
        knt_operands(&t->r, &j->eqn[i]);
        knt_emit_same(&t->r, &j->eqn[i]);
    }
    return NULL;
}

static knx_error *write_level(joiner *t, uint32_t level)
{
    const kni_jaxpr *j = t->r.j;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (t->at[i] == level && !is_small(j, &j->eqn[i])) {
            knt_operands(&t->r, &j->eqn[i]);
            knt_emit_same(&t->r, &j->eqn[i]);
        }
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (t->at[i] == level && is_small(j, &j->eqn[i]) && !t->done[i])
            KN_TRY(join_from(t, i));
    return NULL;
}

knx_error *knshard_join_small(const kni_jaxpr *j, kni_jaxpr **out)
{
    joiner t = {0};
    if (!any_pair(j)) {
        *out = kni_retain(j);
        return NULL;
    }
    knx_error *error = knt_replay_begin(&t.r, j, true);
    t.level = knx_arena_zero(&t.r.arena, ((size_t)j->n_var + 1) * sizeof *t.level);
    t.at = knx_arena_zero(&t.r.arena, ((size_t)j->n_eqn + 1) * sizeof *t.at);
    t.done = knx_arena_zero(&t.r.arena, ((size_t)j->n_eqn + 1) * sizeof *t.done);
    if (!error && (!t.level || !t.at || !t.done))
        error = knx_error_nomem();
    uint32_t most = error ? 0 : find_levels(&t);
    for (uint32_t level = 0; !error && level <= most; level++)
        error = write_level(&t, level);
    if (!error)
        error = knt_replay_finish(&t.r, out);
    knt_replay_end(&t.r);
    return error;
}
