/* SPDX-License-Identifier: Apache-2.0
 * scan_checkpoint.c -- a scan that keeps the carry before every k-th step only, as a function of its operands:
 *
 *     a scan over chunks of k steps, each a scan behind remat2; then a scan of the steps that are left
 *
 * What is left comes last in the order of the steps, so with .reverse it is what stands in front. Neither scan has a
 * checkpoint, so all rules are those of any scan. Of an unknown number of steps either scan may have none.
 */
#include "prim/control/scan.h"

enum { STEPS_OF_UNKNOWN = 32 }; /* of a chunk, where no one knows the root of their number */

typedef struct chunks {
    knp_scan s;
    int64_t size, n, taken, left; /* steps of a chunk (a number), chunks, steps in these, steps that are left */
    int64_t first, first_left;
} chunks;

static int64_t root(int64_t n)
{
    int64_t k = 1;
    while (k * k < n)
        k++;
    return k;
}

/* The root of n, of its sample or of its largest number, of an expression: how many steps are in a chunk changes no
 * result. */
static int64_t steps_of_chunks(int64_t n)
{
    const knx_dim_scope *s = knx_dim_now();
    int64_t least, most;
    if (!knx_is_symbolic(n))
        return root(n);
    if (s && knx_dim_evaluate(n, (int)s->sample.n, s->sample.at, &most))
        return root(most);
    knx_dim_bounds(n, &least, &most);
    return most == INT64_MAX ? STEPS_OF_UNKNOWN : root(most);
}

static chunks divide(const kni_rule *r)
{
    chunks c = {.s = knp_scan_of(r->params)};
    int64_t n = c.s.p->length, k = c.s.p->checkpoint;
    k = k == KN_CHECKPOINT_ROOT ? steps_of_chunks(n) : k;
    c.size = k < 1 ? 1 : !knx_is_symbolic(n) && k > n ? n : k;
    c.n = knx_dim_floordiv(n, c.size);
    c.taken = knx_dim_mul(c.n, c.size);
    c.left = knx_dim_sub(n, c.taken); /* not mod: of a product of floordiv it is known that it is no more than n */
    c.first = c.s.p->reverse ? c.left : 0;
    c.first_left = c.s.p->reverse ? 0 : c.taken;
    return c;
}

/* Of the whole arrays, n steps from `first` on; with `each` so many to a chunk. */
static kni_atom steps(kni_builder *b, kni_atom x, int64_t first, int64_t n, int64_t each)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {first}, end[KN_MAX_NDIM], dim[KN_MAX_NDIM + 1];
    if (b->error)
        return KN_ATOM_NONE;
    for (int d = 0; d < t.ndim; d++)
        end[d] = d ? t.dim[d] : knx_dim_add(first, n);
    if (n != t.dim[0])
        x = knb_slice(b, x, start, end, NULL);
    if (!each)
        return x;
    if (t.ndim >= KN_MAX_NDIM) {
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d",
                                  KN_MAX_NDIM, t.ndim + 1));
        return KN_ATOM_NONE;
    }
    dim[0] = knx_dim_floordiv(n, each);
    dim[1] = each;
    for (int d = 1; d < t.ndim; d++)
        dim[d + 1] = t.dim[d];
    return knb_reshape(b, x, t.ndim + 1, dim);
}

/* The chunks' steps one after the other again. */
static kni_atom joined(kni_builder *b, kni_atom y)
{
    kni_type t = knb_type(b, y);
    int64_t dim[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    dim[0] = knx_dim_mul(t.dim[0], t.dim[1]);
    for (int d = 2; d < t.ndim; d++)
        dim[d - 1] = t.dim[d];
    return knb_reshape(b, y, t.ndim - 1, dim);
}

static kni_p_scan plain(const knp_scan *s, int64_t length, kni_jaxpr *j)
{
    return (kni_p_scan){.jaxpr = j,
                        .length = length,
                        .num_carry = s->n_carry,
                        .num_consts = s->n_const,
                        .reverse = s->p->reverse,
                        .unroll = s->p->unroll};
}

/* constants, carries, elements of a chunk -> carries, outputs of the chunk */
static knx_error *steps_of_chunk(const kni_rule *r, const chunks *c, kni_jaxpr **out)
{
    const knp_scan *s = &c->s;
    if (c->size == 1) {
        *out = kni_retain(s->j);
        return NULL;
    }
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, s->n_in, s->n_out) ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < s->n_in; i++) {
        kni_type t = i < s->first_x ? kni_in_type(s->j, i) : r->xt[i];
        int64_t dim[KN_MAX_NDIM];
        for (int d = 0; d < t.ndim; d++)
            dim[d] = d || i < s->first_x ? t.dim[d] : c->size;
        t.dim = dim;
        knp_frame_input(&f, t);
    }
    if (!error) {
        kni_p_scan p = plain(s, c->size, (kni_jaxpr *)s->j);
        knb_scan(&f.b, &p, f.in, f.out);
        error = knp_frame_finish(&f, s->n_out, f.out, s->j->name, out);
    }
    knp_frame_end(&f);
    return error;
}

/* That behind remat2. The bodies of the loops that are made of it share nothing, so there is nothing to be held apart,
 * unless there is one chunk alone, which is no loop. */
static knx_error *body_of_chunks(const kni_rule *r, const chunks *c, kni_jaxpr **out)
{
    const knp_scan *s = &c->s;
    kni_p_remat p = {.policy = KN_SAVE_NOTHING, .prevent_cse = c->n == 1};
    KN_TRY(steps_of_chunk(r, c, &p.jaxpr));
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, s->n_in, s->n_out) ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < s->n_in; i++)
        knp_frame_input(&f, kni_in_type(p.jaxpr, i));
    if (!error) {
        knb_emit(&f.b, &knp_prim_remat2, &p, (int)s->n_in, f.in, f.out, (int)s->n_out);
        error = knp_frame_finish(&f, s->n_out, f.out, s->j->name, out);
    }
    knp_frame_end(&f);
    kni_release(p.jaxpr);
    return error;
}

static void write_chunks(const chunks *c, knp_frame *f, kni_jaxpr *body, kni_atom *in, kni_atom *rest)
{
    const knp_scan *s = &c->s;
    kni_builder *b = &f->b;
    for (uint32_t i = 0; i < s->n_in; i++)
        in[i] = i < s->first_x ? f->in[i] : steps(b, f->in[i], c->first, c->taken, c->size > 1 ? c->size : 0);
    kni_p_scan p = plain(s, c->n, body);
    knb_scan(b, &p, in, f->out);
    for (uint32_t i = s->n_carry; c->size > 1 && i < s->n_out; i++)
        f->out[i] = joined(b, f->out[i]);
    if (!c->left)
        return;
    for (uint32_t i = 0; i < s->n_in; i++)
        in[i] = i < s->n_const   ? f->in[i]
                : i < s->first_x ? f->out[i - s->n_const]
                                 : steps(b, f->in[i], c->first_left, c->left, 0);
    p = plain(s, c->left, (kni_jaxpr *)s->j);
    knb_scan(b, &p, in, rest);
    for (uint32_t i = 0; i < s->n_carry; i++)
        f->out[i] = rest[i];
    for (uint32_t i = s->n_carry; i < s->n_out; i++) {
        const kni_atom both[2] = {s->p->reverse ? rest[i] : f->out[i], s->p->reverse ? f->out[i] : rest[i]};
        f->out[i] = knb_concatenate(b, 2, both, 0);
    }
}

knx_error *knp_scan_in_chunks(const kni_rule *r, kni_jaxpr **out)
{
    chunks c = divide(r);
    const knp_scan *s = &c.s;
    kni_jaxpr *body = NULL;
    KN_TRY(body_of_chunks(r, &c, &body));
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, s->n_in, s->n_out) ? NULL : knx_error_nomem();
    kni_atom *in = error ? NULL : knx_arena_alloc(&f.arena, ((size_t)s->n_in + 1) * sizeof *in),
             *rest = error ? NULL : knx_arena_alloc(&f.arena, ((size_t)s->n_out + 1) * sizeof *rest);
    if (!error && !(in && rest))
        error = knx_error_nomem();
    for (uint32_t i = 0; !error && i < s->n_in; i++)
        knp_frame_input(&f, r->xt[i]);
    if (!error) {
        write_chunks(&c, &f, body, in, rest);
        error = knp_frame_finish(&f, s->n_out, f.out, s->j->name, out);
    }
    knp_frame_end(&f);
    kni_release(body);
    return error;
}
