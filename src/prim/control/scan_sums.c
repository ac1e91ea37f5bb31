/* SPDX-License-Identifier: Apache-2.0
 * scan_sums.c -- the cotangent of a constant of a scan is a sum over the steps. Where each step's part is a product of
 * two arrays that are few numbers beside it (the gradient of a matrix of weights: an outer product over a small batch),
 * adding it up step by step reads and writes the whole sum each time. Then the two factors are stacked instead (most
 * often one of them is stacked already: a residual), and one product over all steps, after the loop, is the sum.
 *
 * The rule looks for products itself, as the sum over a batch of products is one product for no other row.
 */
#include "prim/control/scan.h"
#include "transform/replay.h"

enum { LARGE = 256, TERMS = 16 }; /* elements of a sum that is worth it; terms that a sum has at most */

knx_error *knp_scan_sums_begin(knp_scan_sums *u, const kni_jaxpr *j, knx_arena *a)
{
    size_t room = (size_t)j->n_var + 1;
    *u = (knp_scan_sums){.j = j};
    u->made_by = knx_arena_zero(a, room * sizeof *u->made_by);
    u->outside = knx_arena_alloc(a, room * sizeof *u->outside);
    u->constant = knx_arena_zero(a, room);
    u->is_stacked = knx_arena_zero(a, room);
    u->stacked = knx_arena_alloc(a, room * sizeof *u->stacked);
    if (!u->made_by || !u->outside || !u->constant || !u->is_stacked || !u->stacked)
        return knx_error_nomem();
    for (uint32_t v = 0; v < j->n_var; v++)
        u->outside[v] = KN_ATOM_NONE;
    for (uint32_t k = 0; k < j->n_eqn; k++)
        for (uint32_t i = 0; i < j->eqn[k].n_out; i++)
            u->made_by[j->eqn[k].out + i] = &j->eqn[k];
    return NULL;
}

static const kni_eqn *maker(const knp_scan_sums *u, kni_atom a) { return kni_is_var(a) ? u->made_by[a] : NULL; }

/* The product that a shows, perhaps with its axes in another order. */
static const kni_eqn *product(const knp_scan_sums *u, kni_atom a)
{
    const kni_eqn *e = maker(u, a);
    while (e && e->prim == &knp_prim_transpose)
        e = maker(u, e->in[0]);
    return e && e->prim == &knp_prim_dot_general ? e : NULL;
}

/* Are few numbers to be stacked for a product? Not if one factor is the same in all steps. */
static bool is_worth_it(const knp_scan_sums *u, const kni_eqn *e)
{
    int64_t n = 0;
    for (int i = 0; i < 2; i++) {
        kni_atom a = e->in[i];
        if (!kni_is_var(a) || u->constant[a] || u->j->type[a].ndim >= KN_MAX_NDIM)
            return false;
        if (u->outside[a] == KN_ATOM_NONE && !u->is_stacked[a])
            n = knx_dim_add(n, kni_type_size(u->j->type[a]));
    }
    return knx_dim_known_le(n, kni_type_size(u->j->type[e->out]));
}

/* The terms that a is the sum of; 0: too many, or one that is no such product. */
static int terms_of(const knp_scan_sums *u, kni_atom a, kni_atom *terms)
{
    kni_atom left[TERMS] = {a};
    int n_left = 1, n = 0;
    while (n_left) {
        kni_atom at = left[--n_left];
        const kni_eqn *e = maker(u, at), *p = product(u, at);
        if (n + n_left + 2 > TERMS || !e)
            return 0;
        if (e->prim == &knp_prim_add_any) {
            left[n_left++] = e->in[1]; /* the first one is met first */
            left[n_left++] = e->in[0];
        } else if (p && is_worth_it(u, p)) {
            terms[n++] = at;
        } else {
            return 0;
        }
    }
    return n;
}

bool knp_scan_sums_take(knp_scan_sums *u, kni_atom a)
{
    kni_atom terms[TERMS];
    int n = kni_is_var(a) && knx_dim_known_le(LARGE, kni_type_size(u->j->type[a])) ? terms_of(u, a, terms) : 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 2; i++) {
            kni_atom x = product(u, terms[k])->in[i];
            if (u->outside[x] != KN_ATOM_NONE || u->is_stacked[x])
                continue;
            u->is_stacked[x] = true;
            u->stacked[u->n_stacked++] = x;
        }
    return n > 0;
}

knx_error *knp_scan_sums_extend(const knp_scan_sums *u, kni_jaxpr **out)
{
    const kni_jaxpr *j = u->j;
    knt_replay r;
    knx_error *error = knt_replay_begin(&r, j, true);
    kni_atom *y = error ? NULL : knx_arena_alloc(&r.arena, ((size_t)j->n_out + u->n_stacked + 1) * sizeof *y);
    uint32_t n = 0;
    if (!error && !y)
        error = knx_error_nomem();
    for (uint32_t k = 0; !error && k < j->n_eqn; k++) {
        knt_operands(&r, &j->eqn[k]);
        knt_emit_same(&r, &j->eqn[k]);
    }
    for (uint32_t i = 0; !error && i < j->n_out; i++)
        y[n++] = knt_atom(&r, j->out[i]);
    for (uint32_t i = 0; !error && i < u->n_stacked; i++)
        y[n++] = r.map[u->stacked[i]];
    if (!error)
        error = knb_finish(&r.b, (int)n, y, j->name, true, out);
    knt_replay_end(&r);
    return error;
}

/* Axes of an element as axes of all steps' elements; with the steps themselves in front if they are joined. */
static kni_ints lifted(kni_ints axes, bool steps, int64_t *room)
{
    int n = 0;
    if (steps)
        room[n++] = 0;
    for (int i = 0; i < axes.n; i++)
        room[n++] = axes.v[i] + 1;
    return (kni_ints){n, room};
}

static kni_atom product_of_all_steps(const knp_scan_sums *u, kni_builder *b, kni_atom term)
{
    const kni_eqn *e = product(u, term), *view[TERMS];
    kni_p_dot_general p = *(const kni_p_dot_general *)e->params;
    int64_t room[4][KN_MAX_NDIM + 1];
    p.lhs_contract = lifted(p.lhs_contract, true, room[0]);
    p.rhs_contract = lifted(p.rhs_contract, true, room[1]);
    p.lhs_batch = lifted(p.lhs_batch, false, room[2]);
    p.rhs_batch = lifted(p.rhs_batch, false, room[3]);
    kni_atom y = knb_dot_general(b, u->outside[e->in[0]], u->outside[e->in[1]], &p);
    int n = 0;
    for (const kni_eqn *at = maker(u, term); at != e && n < TERMS; at = maker(u, at->in[0]))
        view[n++] = at;
    while (n--)
        y = knb_emit1(b, view[n]->prim, view[n]->params, 1, &y);
    return y;
}

kni_atom knp_scan_sums_write(const knp_scan_sums *u, kni_builder *b, kni_atom a)
{
    kni_atom terms[TERMS], sum = KN_ATOM_ZERO;
    int n = terms_of(u, a, terms);
    for (int k = 0; k < n; k++)
        sum = knb_add_any(b, sum, product_of_all_steps(u, b, terms[k]));
    return sum;
}
