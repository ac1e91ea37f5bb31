/* SPDX-License-Identifier: Apache-2.0
 * vmap.c -- a program mapped over a few lanes against the program run lane by lane. */
#include "programs.h"

#include <stdlib.h>
#include <string.h>

bool program_is_pure(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        if (kni_can_fail(e->prim, e->params) || kni_bits(e->prim, e->params) & (KN_EFFECT | KN_USER | KN_NAMES))
            return false;
        for (const kni_param_field *f = e->params ? e->prim->fields : NULL; f && f->name; f++)
            for (int n = 0; n < kni_field_jaxprs(f, e->params).n; n++)
                if (!program_is_pure(kni_field_jaxprs(f, e->params).v[n]))
                    return false;
    }
    return true;
}

/* Lane l has the elements turned by l places: they stay legal positions and counts. */
static knx_buffer *turned(const knx_buffer *x, kni_type t, int l)
{
    size_t bytes = kni_type_bytes(t), by = t.dtype->size * (size_t)l;
    knx_buffer *b = knx_buffer_new(bytes);
    if (b && bytes) {
        by %= bytes;
        memcpy(b->data, (const char *)x->data + by, bytes - by);
        memcpy((char *)b->data + bytes - by, x->data, by);
    }
    return b;
}

/* Copies lane l between an array and one with an axis of LANES more, at `axis`. */
static void move_lane(kni_type t, int axis, int l, char *one, char *many, bool into_many)
{
    size_t outer = 1, inner = t.dtype->size;
    for (int d = 0; d < axis; d++)
        outer *= (size_t)t.dim[d];
    for (int d = axis; d < t.ndim; d++)
        inner *= (size_t)t.dim[d];
    for (size_t i = 0; inner && i < outer; i++) {
        char *a = one + i * inner, *b = many + (i * LANES + (size_t)l) * inner;
        memcpy(into_many ? b : a, into_many ? a : b, inner);
    }
}

knx_buffer *lanes_of_operand(const program *p, int i, int axis, kni_type many)
{
    knx_buffer *all = knx_buffer_new(kni_type_bytes(many));
    for (int l = 0; all && l < LANES; l++) {
        knx_buffer *lane = turned(p->x[i], p->j->type[i], l);
        if (lane)
            move_lane(p->j->type[i], axis, l, lane->data, all->data, true);
        knx_buffer_release(lane);
    }
    return all;
}

static void compare_lane(const program *p, program *lane, const kni_jaxpr *mapped, knx_buffer *const *all,
                         const int *out_axis, int l, verdict *v)
{
    knx_buffer *want[MAX_VALUES] = {NULL}, *got[MAX_VALUES] = {NULL};
    knx_error *e = way_run(&(way){.name = "lane", .fuse = true, .cached = true}, lane, 0, want);
    char name[32];
    (void)mapped;
    for (uint32_t k = 0; !e && k < p->j->n_out; k++) {
        kni_type t = kni_out_type(p->j, k);
        got[k] = knx_buffer_new(kni_type_bytes(t));
        if (got[k])
            move_lane(t, out_axis[k], l, got[k]->data, all[k]->data, false);
    }
    snprintf(name, sizeof name, "vmap, lane %d", l);
    if (!e)
        compare(v, name, p->j, want, NULL, got, NULL);
    release_all((int)p->j->n_out, want);
    release_all((int)p->j->n_out, got);
    knx_error_release(e);
}

static void run_mapped(const program *p, kni_jaxpr *mapped, const int *in_axis, const int *out_axis, verdict *v)
{
    int n = program_operands(p), n_const = (int)p->j->n_const;
    knx_buffer *lane[LANES][MAX_VALUES], *many[MAX_VALUES], *all[MAX_VALUES] = {NULL};
    for (int i = 0; i < n; i++) {
        bool is_mapped = i >= n_const && in_axis[i - n_const] >= 0;
        many[i] = is_mapped ? knx_buffer_new(kni_type_bytes(mapped->type[i])) : knx_buffer_retain(p->x[i]);
        for (int l = 0; l < LANES; l++) {
            lane[l][i] = is_mapped ? turned(p->x[i], p->j->type[i], l) : knx_buffer_retain(p->x[i]);
            if (is_mapped && lane[l][i] && many[i])
                move_lane(p->j->type[i], in_axis[i - n_const], l, lane[l][i]->data, many[i]->data, true);
        }
    }
    program whole = {mapped, many};
    knx_error *e = way_run(&(way){.name = "vmap", .fuse = true}, &whole, 0, all);
    if (e)
        fails(v, "vmap: %s", e->message);
    for (int l = 0; l < LANES && !e && !v->failed; l++)
        compare_lane(p, &(program){p->j, lane[l]}, mapped, all, out_axis, l, v);
    knx_error_release(e);
    release_all((int)mapped->n_out, all);
    release_all(n, many);
    for (int l = 0; l < LANES; l++)
        release_all(n, lane[l]);
}

void check_lanes_alone(const program *p, uint64_t seed, verdict *v)
{
    int in_axis[MAX_VALUES], out_axis[MAX_VALUES], batched = 0;
    kni_jaxpr *mapped = NULL;
    if (!program_is_pure(p->j))
        return;
    for (uint32_t i = 0; i < p->j->n_in; i++) {
        int ndim = kni_in_type(p->j, i).ndim;
        in_axis[i] = test_random(&seed) % 5 == 0 ? -1 : (int)(test_random(&seed) % (uint64_t)(ndim + 1));
        batched += in_axis[i] >= 0;
    }
    for (uint32_t k = 0; k < p->j->n_out; k++)
        out_axis[k] = (int)(test_random(&seed) % (uint64_t)(kni_out_type(p->j, k).ndim + 1));
    if (!batched)
        return;
    knx_error *e = knt_batch(p->j, LANES, NULL, in_axis, out_axis, &mapped);
    if (e)
        fails(v, "vmap: %s", e->message);
    knx_error_release(e);
    if (mapped)
        run_mapped(p, mapped, in_axis, out_axis, v);
    kni_release(mapped);
}
