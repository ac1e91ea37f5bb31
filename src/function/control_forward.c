/* SPDX-License-Identifier: Apache-2.0
 * control_forward.c -- the equations of loops and branches as JAX makes them: what a body hands on unchanged is no
 * carry of it but a constant, and what all branches hand on is no result. */
#include "function/control.h"
#include "ir/ops.h"
#include "prim/frame.h"

/* One equation on its way: what becomes of the inputs and results of its jaxpr. Outside of traces it runs once, and
 * nothing is gained. */
typedef struct forwarding {
    int n_in, n_out, n_kept;
    int *from;    /* per result: the input that it is, -1: none */
    int *kept;    /* which results stay */
    int *order;   /* per input of the new jaxpr: which it was */
    kni_atom *in; /* the operands in that order */
    kni_atom *y;  /* room for results */
} forwarding;

static bool begin(forwarding *w, kni_builder *b, const kni_jaxpr *j)
{
    *w = (forwarding){.n_in = (int)j->n_in, .n_out = (int)j->n_out};
    size_t n = (size_t)j->n_in + 1, m = (size_t)j->n_out + 1;
    w->from = knx_arena_alloc(&b->arena, m * sizeof *w->from);
    w->kept = knx_arena_alloc(&b->arena, m * sizeof *w->kept);
    w->order = knx_arena_alloc(&b->arena, n * sizeof *w->order);
    w->in = knx_arena_alloc(&b->arena, n * sizeof *w->in);
    w->y = knx_arena_alloc(&b->arena, m * sizeof *w->y);
    if (w->from && w->kept && w->order && w->in && w->y)
        return true;
    knb_fail(b, knx_error_nomem());
    return false;
}

static int input_of(const kni_jaxpr *j, int result)
{
    kni_atom a = j->out[result];
    return kni_is_var(a) && a >= j->n_const && a < j->n_const + j->n_in ? (int)(a - j->n_const) : -1;
}

/* The jaxpr with its inputs in this order (-1: it has one less) and these results. */
static kni_jaxpr *rearranged(kni_builder *b, const kni_jaxpr *j, const int *order, int n_in, const int *kept,
                             int n_kept, bool whole)
{
    knp_frame f;
    kni_jaxpr *y = NULL;
    knx_error *error = knp_frame_begin(&f, j->n_in, 2 * (size_t)j->n_out) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < j->n_in; i++)
            f.in[i] = KN_ATOM_NONE;
        for (int i = 0; i < n_in; i++)
            f.in[order[i]] = knb_invar(&f.b, kni_in_type(j, (uint32_t)order[i]));
        knb_inline(&f.b, j, f.in, f.out);
        for (int i = 0; i < n_kept; i++)
            f.out[j->n_out + (uint32_t)i] = f.out[kept[i]];
        f.b.whole &= whole;
        error = knp_frame_finish(&f, (uint32_t)n_kept, f.out + j->n_out, j->name, &y);
    }
    knp_frame_end(&f);
    if (error)
        knb_fail(b, error);
    return y;
}

/* Inputs that became constants in front, then the others; all but results `moved` are kept. */
static int move_to_front(forwarding *w, int first, int n, const bool *moved, const kni_atom *in)
{
    int at = 0, count = 0;
    for (int i = 0; i < n; i++)
        if (moved[i])
            w->order[at++] = first + i;
    count = at;
    for (int i = 0; i < w->n_in; i++)
        if (i < first || i >= first + n || !moved[i - first])
            w->order[at++] = i;
    for (int i = 0; i < w->n_in; i++)
        w->in[i] = in[w->order[i]];
    return count;
}

static void keep_others(forwarding *w)
{
    for (int i = 0; i < w->n_out; i++)
        if (w->from[i] < 0)
            w->kept[w->n_kept++] = i;
}

static void put_results(const forwarding *w, const kni_atom *in, kni_atom *y)
{
    for (int i = 0, k = 0; i < w->n_out; i++)
        y[i] = w->from[i] < 0 ? w->y[k++] : in[w->from[i]];
}

static bool is_constant(const kni_builder *b, kni_atom a)
{
    for (size_t i = 0; i < b->constvar.n; i++)
        if (b->constvar.at[i] == a)
            return true;
    return false;
}

static void emit_scan(kni_builder *b, const kni_p_scan *p, const kni_atom *in, kni_atom *y);

/* What is computed is no element of its own but one more behind the others, as JAX of 2020 wrote it down: the input
 * in its place is not read. */
static void emit_old_scan(kni_builder *b, const kni_p_scan *p, int known, const kni_atom *in, kni_atom *y)
{
    const kni_jaxpr *j = p->jaxpr;
    int n = (int)j->n_in, first = (int)(p->num_consts + p->num_carry), at = n;
    kni_atom *all = knx_arena_alloc(&b->arena, ((size_t)n + (size_t)known) * sizeof *all);
    knp_frame f;
    kni_p_scan q = *p;
    knx_error *error = all && knp_frame_begin(&f, (size_t)n + (size_t)known, j->n_out) ? NULL : knx_error_nomem();
    if (error) {
        knb_fail(b, error);
        return;
    }
    for (int i = 0; i < n; i++) {
        all[i] = in[i];
        knp_frame_input(&f, kni_in_type(j, (uint32_t)i));
    }
    for (int i = first; i < n; i++)
        if (is_constant(b, in[i])) {
            f.in[i] = knb_invar(&f.b, kni_in_type(j, (uint32_t)i));
            all[at++] = in[i];
        }
    knb_inline(&f.b, j, f.in, f.out);
    error = knp_frame_finish(&f, j->n_out, f.out, j->name, &q.jaxpr);
    knp_frame_end(&f);
    if (error)
        knb_fail(b, error);
    else
        emit_scan(b, &q, all, y);
    kni_release(error ? NULL : q.jaxpr);
}

void knf_emit_scan(kni_builder *b, const kni_p_scan *p, const kni_atom *in, kni_atom *y)
{
    int known = 0;
    for (int i = (int)(p->num_consts + p->num_carry); b->fold && i < (int)p->jaxpr->n_in; i++)
        known += is_constant(b, in[i]);
    if (known)
        emit_old_scan(b, p, known, in, y);
    else
        emit_scan(b, p, in, y);
}

static void emit_scan(kni_builder *b, const kni_p_scan *p, const kni_atom *in, kni_atom *y)
{
    const kni_jaxpr *j = p->jaxpr;
    int first = (int)p->num_consts, n = (int)p->num_carry, xs = first + n;
    forwarding w;
    bool *moved = b->hook ? NULL : knx_arena_zero(&b->arena, (size_t)n + 1);
    if (!moved || !begin(&w, b, j)) {
        knb_scan(b, p, in, y);
        return;
    }
    for (int i = 0; i < w.n_out; i++) { /* a carry that stays what it is, an output that is its element */
        int from = input_of(j, i);
        bool same = i < n ? from == first + i : from >= xs;
        w.from[i] = same ? from : -1;
        if (i < n)
            moved[i] = same;
    }
    keep_others(&w);
    int constants = move_to_front(&w, first, n, moved, in);
    kni_p_scan q = *p;
    q.jaxpr = w.n_kept == w.n_out ? kni_retain(j) : rearranged(b, j, w.order, w.n_in, w.kept, w.n_kept, true);
    q.num_consts += constants;
    q.num_carry -= constants;
    if (q.jaxpr) {
        knb_scan(b, &q, w.in, w.y);
        put_results(&w, in, y);
    }
    kni_release(q.jaxpr);
}

/* Which inputs of the condition it reads. */
static void find_read(const kni_jaxpr *j, bool *read)
{
    bool *needed = knx_alloc_zero((size_t)j->n_out + 1);
    for (uint32_t i = 0; needed && i < j->n_out; i++)
        needed[i] = true;
    knx_error *error = needed ? knp_needs(j, needed, read) : knx_error_nomem();
    for (uint32_t i = 0; error && i < j->n_in; i++) /* nothing is moved then */
        read[i] = true;
    knx_error_release(error);
    knx_free(needed);
}

static void emit_while(kni_builder *b, const kni_p_while *p, const kni_atom *in, forwarding *w, const bool *moved,
                       kni_atom *y)
{
    int cond = (int)p->cond_nconsts, body = (int)p->body_nconsts, n = w->n_out;
    int constants = move_to_front(w, body, n, moved, in + cond);
    int *order = knx_arena_alloc(&b->arena, ((size_t)cond + (size_t)n + 1) * sizeof *order), at = 0;
    kni_atom *all = knx_arena_alloc(&b->arena, ((size_t)cond + (size_t)w->n_in + 1) * sizeof *all);
    if (!order || !all) {
        knb_fail(b, knx_error_nomem());
        return;
    }
    for (int i = 0; i < cond + n; i++)
        if (i < cond || !moved[i - cond])
            order[at++] = i;
    for (int i = 0; i < cond; i++)
        all[i] = in[i];
    for (int i = 0; i < w->n_in; i++)
        all[cond + i] = w->in[i];
    kni_p_while q = *p;
    q.body_nconsts += constants;
    q.body_jaxpr = rearranged(b, p->body_jaxpr, w->order, w->n_in, w->kept, w->n_kept, true);
    q.cond_jaxpr = rearranged(b, p->cond_jaxpr, order, at, (const int[]){0}, 1, false);
    if (q.body_jaxpr && q.cond_jaxpr) {
        knb_while(b, &q, all, w->y);
        put_results(w, in + cond, y);
    }
    kni_release(q.body_jaxpr);
    kni_release(q.cond_jaxpr);
}

void knf_emit_while(kni_builder *b, const kni_p_while *p, const kni_atom *in, kni_atom *y)
{
    const kni_jaxpr *j = p->body_jaxpr;
    forwarding w;
    bool *moved = b->hook ? NULL : knx_arena_zero(&b->arena, (size_t)j->n_out + 1),
         *read = moved ? knx_arena_zero(&b->arena, (size_t)p->cond_jaxpr->n_in + 1) : NULL;
    if (!read || !begin(&w, b, j)) {
        knb_while(b, p, in, y);
        return;
    }
    find_read(p->cond_jaxpr, read);
    for (int i = 0; i < w.n_out; i++) {
        moved[i] = input_of(j, i) == (int)p->body_nconsts + i && !read[p->cond_nconsts + i];
        w.from[i] = moved[i] ? (int)p->body_nconsts + i : -1;
    }
    keep_others(&w);
    if (w.n_kept == w.n_out)
        knb_while(b, p, in, y);
    else
        emit_while(b, p, in, &w, moved, y);
}

void knf_emit_cond(kni_builder *b, const kni_p_cond *p, const kni_atom *in, kni_atom *y)
{
    const kni_jaxpr *j = p->branches.v[0];
    forwarding w;
    kni_jaxpr **branch = b->hook ? NULL : knx_arena_zero(&b->arena, (size_t)p->branches.n * sizeof(kni_jaxpr *));
    if (!branch || !begin(&w, b, j)) {
        knb_cond(b, p, in, y);
        return;
    }
    for (int i = 0; i < w.n_out; i++) {
        w.from[i] = input_of(j, i);
        for (int k = 1; k < p->branches.n; k++)
            w.from[i] = input_of(p->branches.v[k], i) == w.from[i] ? w.from[i] : -1;
    }
    keep_others(&w);
    for (int i = 0; i < w.n_in; i++)
        w.order[i] = i;
    bool same = w.n_kept == w.n_out;
    for (int k = 0; k < p->branches.n; k++)
        branch[k] = same ? kni_retain(p->branches.v[k])
                         : rearranged(b, p->branches.v[k], w.order, w.n_in, w.kept, w.n_kept, true);
    kni_p_cond q = *p;
    q.branches = (kni_jaxprs){p->branches.n, branch};
    if (!b->error) {
        knb_cond(b, &q, in, w.y);
        put_results(&w, in + 1, y);
    }
    for (int k = 0; k < p->branches.n; k++)
        kni_release(branch[k]);
}
