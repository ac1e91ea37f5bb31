/* SPDX-License-Identifier: Apache-2.0
 * value.c -- values and the nodes of the lazy recording. */
#include "array/lift.h"
#include "array/value.h"
#include "array/recording.h"
#include "array/state.h"
#include "array/storage.h"

static size_t bytes_of_value(kni_type type) { return sizeof(kna_value) + (size_t)type.ndim * sizeof(int64_t); }

KNX_HOT kna_value *kna_value_new(kna_value_state state, kni_type type)
{
    kna_value *v = knx_piece(bytes_of_value(type));
    if (!v)
        return NULL;
    v->refs = 1;
    v->state = (uint8_t)state;
    v->kept = v->donated = v->needs_old = false;
    v->unused = 0;
    v->site = KND_NOWHERE;
    v->updated_in = v->n_readers = 0;
    v->pin = NULL;
    v->type = type;
    v->type.dim = v->dims;
    for (int d = 0; d < type.ndim; d++) /* few: no call */
        v->dims[d] = type.dim[d];
    return v;
}

KNX_HOT kna_value *kna_value_number(kn_dtype dtype, bool weak, knx_scalar_bits bits)
{
    kni_type type = kni_scalar_type(dtype);
    type.weak = weak;
    kna_value *v = kna_value_new(KN_V_NUMBER, type);
    if (v)
        v->bits = bits;
    return v;
}

KNX_HOT kna_value *kna_value_buffer(kni_type type, knx_buffer *buffer)
{
    kna_value *v = kna_value_new(KN_V_BUFFER, type);
    if (v)
        v->buffer = buffer;
    else
        knx_buffer_release(buffer);
    return v;
}

kna_value *kna_value_error(knx_error *error)
{
    static struct {
        kna_value v;
    } fixed = {.v = {.refs = -1, .state = KN_V_ERROR, .type.dtype = KN_DT(F32), .error = &knx_no_memory[0]}};
    kna_value *v = kna_value_new(KN_V_ERROR, kni_scalar_type(KN_DT(F32)));
    if (v) {
        v->error = error;
        return v;
    }
    knx_error_release(error); /* there is no memory even for this */
    return &fixed.v;
}

knx_error *kna_error_of(const kna_value *v, bool *known)
{
    *known = !v->donated;
    return v->donated ? knx_error_again(v->error) : knx_error_retain(v->error);
}

KNX_HOT kna_value *kna_value_retain(kna_value *v)
{
    if (v && v->refs > 0)
        v->refs++;
    return v;
}

static bool drop_reference(kna_value *v) { return v && v->refs >= 0 && --v->refs == 0; }

static KNX_HOT void free_node(kna_node *n)
{
    kna_state *s = kna_state_get();
    if (n->prev)
        n->prev->next = n->next;
    else if (s && s->waiting == n)
        s->waiting = n->next;
    if (n->next)
        n->next->prev = n->prev;
    kni_params_let_go(n->prim, n->params, &n->arena);
    knx_piece_free(n, n->bytes);
}

/* Frees a value whose last reference is gone; returns the node that dies with it, if one does. */
static KNX_HOT kna_node *free_value(kna_value *v)
{
    kna_node *dead = NULL;
    if (v->pin) {
        if (v->pin->holder == v)
            v->pin->holder = NULL;
        kna_pin_release(v->pin);
    }
    switch ((kna_value_state)v->state) {
    case KN_V_BUFFER: knx_buffer_release(v->buffer); break;
    case KN_V_TRACER: kna_recording_release(v->tracer.recording); break;
    case KN_V_ERROR: knx_error_release(v->error); break;
    case KN_V_LIFTED: kna_lift_free(v->lift); break;
    case KN_V_PENDING:
        v->pending.node->out[v->pending.index] = NULL;
        if (--v->pending.node->alive == 0)
            dead = v->pending.node;
        break;
    case KN_V_NUMBER:
    case KN_V_ABSTRACT: break;
    }
    knx_piece_free(v, bytes_of_value(v->type));
    return dead;
}

/* Releases dead nodes' operands; those that die with them are put on the list, so a chain of a million needs no
 * stack. */
static KNX_HOT void release_nodes(kna_node *list)
{
    while (list) {
        kna_node *n = list;
        list = n->next_dead;
        for (uint32_t i = 0; i < n->n_in; i++)
            if (drop_reference(n->in[i])) {
                kna_node *dead = free_value(n->in[i]);
                if (dead) {
                    dead->next_dead = list;
                    list = dead;
                }
            }
        kna_state_get()->pending--;
        kna_state_get()->bound.used -= n->used;
        free_node(n);
    }
}

KNX_HOT void kna_value_release(kna_value *v)
{
    if (!drop_reference(v))
        return;
    kna_node *dead = free_value(v);
    if (dead) {
        dead->next_dead = NULL;
        release_nodes(dead);
    }
}

KNX_HOT void kna_node_done(kna_node *n, kna_value *result)
{
    n->out[result->pending.index] = NULL;
    if (--n->alive == 0) {
        n->next_dead = NULL;
        release_nodes(n);
    }
}

void kna_node_drop(kna_node *n)
{
    n->next_dead = NULL;
    release_nodes(n);
}

/* One block: the node, operand and result pointers, result types, their dims, literals; so many bytes behind them. */
static kna_node *allocate_node(uint32_t n_in, uint32_t n_literals, uint32_t n_out, const kni_type *out_type,
                               size_t behind)
{
    size_t dims = 0;
    for (uint32_t i = 0; i < n_out; i++)
        dims += (size_t)out_type[i].ndim;
    size_t literal_bytes = n_literals ? n_in * sizeof(kni_literal) : 0;
    size_t bytes = sizeof(kna_node) + literal_bytes + n_out * sizeof(kni_type) + dims * sizeof(int64_t) +
                   ((size_t)n_in + n_out) * sizeof(void *) + behind;
    char *p = knx_piece(bytes);
    if (!p)
        return NULL;
    kna_node *n = (kna_node *)p;
    n->n_in = n_in;
    n->n_out = n_out;
    n->alive = n->collected_in = n->position = 0;
    n->ran = false;
    n->bytes = bytes;
    n->used = 0;
    n->arena = (knx_arena)KN_ARENA_INIT;
    n->prev = n->next = n->next_dead = NULL;
    p += sizeof *n;
    n->literal = literal_bytes ? (kni_literal *)p : NULL;
    p += literal_bytes;
    n->out_type = (kni_type *)p;
    p += n_out * sizeof(kni_type);
    int64_t *dim = (int64_t *)p;
    for (uint32_t i = 0; i < n_out; i++) {
        n->out_type[i] = out_type[i];
        n->out_type[i].dim = dim;
        for (int d = 0; d < out_type[i].ndim; d++)
            *dim++ = out_type[i].dim[d];
    }
    n->in = (kna_value **)dim;
    n->out = n->in + n_in;
    return n;
}

static bool make_results(kna_node *n, uint16_t site, kna_value **out)
{
    n->site = site;
    for (uint32_t i = 0; i < n->n_out; i++) {
        kna_value *v = kna_value_new(KN_V_PENDING, n->out_type[i]);
        if (!v) {
            while (i-- > 0)
                knx_piece_free(out[i], bytes_of_value(out[i]->type));
            return false;
        }
        v->site = site;
        v->pending.node = n;
        v->pending.index = i;
        n->out[i] = out[i] = v;
    }
    n->alive = n->n_out;
    return true;
}

static knx_error *without_numbers(kni_type t)
{
    knx_text text = {0};
    return knx_error_new(KN_ERROR_DIMENSION,
                         "an array of type %s has no elements: its dimension variables have numbers only where the "
                         "function that was recorded with them runs",
                         kni_type_text(&text, t, true));
}

KNX_HOT knx_error *kna_node_new(const kni_prim *prim, const void *params, const kn_place *place, const char *operation,
                                uint32_t n_in, kna_value *const *in, const kni_literal *literals, uint32_t n_out,
                                const kni_type *out_type, kna_value **out)
{
    uint32_t n_literals = 0, sites = kna_any_default_site();
    for (uint32_t i = 0; i < n_in; i++)
        if (in[i])
            sites |= in[i]->site;
        else
            n_literals++;
    for (uint32_t i = 0; i < n_out; i++)
        if (knx_has_symbolic(out_type[i].ndim, out_type[i].dim))
            return without_numbers(out_type[i]);
    if (__builtin_expect(sites != 0 || (prim->bits & (KN_ON_MESH | KN_MAY_MESH | KN_LOOPS | KN_CALLS)), 0)) {
        uint16_t site;
        KN_TRY(kna_site_of_node(prim, params, n_in, in, &site));
        sites = site;
    }
    size_t piece = params ? kni_params_room(prim, params) : 0;
    kna_node *n = allocate_node(n_in, n_literals, n_out, out_type, piece);
    if (!n)
        return knx_error_nomem();
    n->prim = prim;
    n->place = place;
    n->operation = operation;
    if (!kni_params_keep(prim, params, piece ? n->out + n_out : NULL, &n->arena, &n->params)) {
        knx_piece_free(n, n->bytes);
        return knx_error_nomem();
    }
    if (!make_results(n, (uint16_t)sites, out)) {
        free_node(n);
        return knx_error_nomem();
    }
    kna_state *s = kna_state_get();
    for (uint32_t i = 0; i < n_in; i++) {
        n->in[i] = kna_value_retain(in[i]);
        if (!in[i])
            n->literal[i] = literals[i];
        else if (__builtin_expect(in[i]->pin != NULL, 0))
            s->lazy_shared = true;
    }
    n->next = s->waiting;
    if (n->next)
        n->next->prev = n;
    s->waiting = n;
    s->pending++;
    s->bound.used += n->used = kna_pending_used(n);
    return NULL;
}
