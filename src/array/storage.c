/* SPDX-License-Identifier: Apache-2.0
 * storage.c -- storages and views: how a handle becomes a view, and what a view's value is now. */
#include "array/storage.h"
#include "array/foreign.h"
#include "array/handle.h"
#include "array/layout.h"
#include "array/lift.h"
#include "array/state.h"
#include "base/log.h"
#include <string.h>

/* ---- Storages and steps. */

static void storage_release(kna_storage *s)
{
    if (!s || --s->refs != 0)
        return;
    kna_pin_storage_ends(s);
    kna_value_release(s->value);
    kna_pin_release(s->pin);
    knx_piece_free(s, sizeof *s);
}

static KNX_HOT void step_release(kna_view_op *s)
{
    while (s && --s->refs == 0) {
        kna_view_op *before = s->before;
        for (uint32_t i = 1; i < s->n_in; i++)
            kna_value_release(s->operand[i]);
        kni_params_let_go(s->prim, s->params, &s->arena);
        knx_piece_free(s, s->bytes);
        s = before;
    }
}

static kna_view_op *step_retain(kna_view_op *s)
{
    if (s)
        s->refs++;
    return s;
}

/* It is one of those that remember a value no more. */
static KNX_HOT void unlink_view(kna_array *a)
{
    if (a->prev)
        a->prev->next = a->next;
    else
        a->storage->views = a->next;
    if (a->next)
        a->next->prev = a->prev;
    a->prev = a->next = NULL;
}

KNX_HOT void kna_forget(kna_array *a)
{
    kna_value *v = a->value;
    if (!v)
        return;
    unlink_view(a);
    knx_share_lock();
    a->value = NULL;
    knx_share_unlock();
    kna_value_release(v);
}

static size_t bytes_of_array(kni_type type) { return sizeof(kna_array) + 2 * (size_t)type.ndim * sizeof(int64_t); }

/* Nobody else finds it any more. */
static KNX_HOT void drop_array(void *p)
{
    kna_array *a = p;
    if (a->value)
        unlink_view(a);
    kna_value_release(a->value);
    storage_release(a->storage);
    step_release(a->step);
    kna_value_release(a->exported);
    knx_piece_free(a, bytes_of_array(a->type));
}

static uint64_t serial_now(void)
{
    kna_recording *r = kna_recording_current();
    return r ? r->serial : 0;
}

/* Of a view that is looked at now: none, where others may write to the memory before it is looked at again, and where
 * its value is not on the tapes that the array is on. */
static inline KNX_HOT uint64_t version_seen(const kna_storage *s)
{
    bool once = __builtin_expect(s->pin != NULL, 0) && kna_state_get()->shared_at_once;
    if (__builtin_expect(kna_is_lifted(s->value), 0))
        once = once || kna_state_get()->lifting->off;
    return s->version - once;
}

/* v is the value of a now, which remembers none and which nobody else finds so far. Takes the reference over. */
static KNX_HOT void remember_first(kna_array *a, kna_value *v)
{
    if (!v)
        return;
    a->next = a->storage->views;
    if (a->next)
        a->next->prev = a;
    a->storage->views = a;
    a->value = v;
    a->seen = version_seen(a->storage);
    a->seen_by = serial_now();
}

/* The same whatever a remembers, and whoever finds it. */
static KNX_HOT void remember(kna_array *a, kna_value *v)
{
    kna_forget(a);
    knx_share_lock();
    remember_first(a, v);
    knx_share_unlock();
}

static KNX_HOT kna_array *new_array(kni_type type)
{
    kna_array *a = knx_piece_zero(bytes_of_array(type));
    if (!a)
        return NULL;
    a->type = type;
    a->type.weak = false;
    a->type.dim = a->dims;
    a->stride = a->dims + type.ndim;
    for (int d = 0; d < type.ndim; d++)
        a->dims[d] = type.dim[d];
    return a;
}

/* Which argument of the recorded function a tracer is: 1 + its number; 0: none. */
static int argument_number(const kna_value *v)
{
    kna_recording *r = v->state == KN_V_TRACER ? v->tracer.recording : NULL;
    if (!r || !r->active)
        return 0;
    for (size_t i = 0; i < r->b.invar.n; i++)
        if (r->b.invar.at[i] == v->tracer.atom)
            return 1 + kna_argument_of_input(r, (int)i);
    return 0;
}

/* A storage of its own for a value, and the array that shows all of it. Takes over the reference to v. */
static kna_array *whole_storage(kna_value *v, bool fresh)
{
    kna_array *a = new_array(v->type);
    kna_storage *s = knx_piece_zero(sizeof *s);
    if (!a || !s) {
        knx_piece_free(a, bytes_of_array(v->type));
        knx_piece_free(s, sizeof *s);
        return NULL;
    }
    s->refs = 1;
    s->value = v;
    s->recording = v->state == KN_V_TRACER ? v->tracer.recording->serial : fresh ? serial_now() : 0;
    s->argument = fresh ? 0 : argument_number(v);
    a->storage = s;
    a->writeable = a->owner = true;
    kna_contiguous_strides(a->type, a->stride);
    return a;
}

static kna_array *find_array(const void *handle, kna_value **bare, knx_error **error)
{
    kna_handle_kind kind = KN_H_NONE;
    void *object = kna_handle_peek(handle, &kind);
    *bare = kind == KN_H_ARRAY ? object : NULL;
    if (kind == KN_H_ARRAY || kind == KN_H_VIEW)
        return kind == KN_H_VIEW ? object : NULL;
    kna_handle_get(KN_H_ARRAY, handle, error); /* what is wrong with it */
    return NULL;
}

/* A bare value as an array; NULL with the op failed. */
static kna_array *array_of_value(kna_op *op, kna_value *given)
{
    KN_KNOWN(given);
    kna_value *v = kna_value_retain(given);
    knx_error *error = v->type.weak ? kna_value_as(&v, kna_strong_dtype(v->type)) : NULL; /* what a number is alone */
    kna_array *a = error ? NULL : whole_storage(v, false);
    if (!a) {
        kna_value_release(v);
        kna_fail_with(op, error ? error : knx_error_nomem());
        return NULL;
    }
    a->type.weak = given->type.weak && given->state != KN_V_NUMBER; /* it promotes as before, its views as arrays */
    if (v != given)                                                 /* somebody may have a pointer to its bits */
        a->exported = kna_value_retain(given);
    return a;
}

KNX_HOT kna_array *(kna_array_of)(kna_op *op, kn_array x)
{
    knx_error *error = NULL;
    kna_value *v;
    if (kna_failed(op))
        return NULL;
    kna_array *a = find_array(x, &v, &error);
    if (a)
        return a;
    if (!v || v->state == KN_V_ERROR) {
        bool known = false;
        kna_fail_with(op, v ? kna_error_of(v, &known) : error);
        op->known_error = known;
        return NULL;
    }
    a = array_of_value(op, v);
    if (a)
        kna_handle_replace(x, KN_H_VIEW, a, drop_array);
    return a;
}

/* ---- Values of views. */

kni_atom kna_emit_step(kna_op *op, const kna_view_op *s, kni_atom x, kni_atom *in)
{
    kni_atom few[8];
    if (!in && s->n_in <= 8)
        in = few;
    else if (!in && !(in = knx_arena_alloc(&op->b->arena, s->n_in * sizeof *in))) {
        knb_fail(op->b, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    in[0] = x;
    for (uint32_t i = 1; i < s->n_in; i++) {
        const kni_literal *l = &s->literal[i];
        in[i] = s->operand[i] ? kna_value_atom(op, s->operand[i])
                              : knb_literal(op->b, l->type.dtype, l->type.weak, l->bits);
    }
    return knb_emit1(op->b, s->prim, s->params, (int)s->n_in, in);
}

const kna_view_op **kna_view_ops(kna_op *op, const kna_array *a, int *n)
{
    *n = 0;
    for (const kna_view_op *s = a->step; s; s = s->before)
        ++*n;
    const kna_view_op **list = knx_arena_alloc(&op->b->arena, ((size_t)*n + 1) * sizeof *list);
    if (!list) {
        knb_fail(op->b, knx_error_nomem());
        *n = 0;
        return NULL;
    }
    int i = *n;
    for (const kna_view_op *s = a->step; s; s = s->before)
        list[--i] = s;
    return list;
}

KNX_HOT kna_value *kna_known_value(const kna_array *a)
{
    kna_value *whole = a->storage->value;
    bool now = a->value && a->seen == a->storage->version && a->seen_by == serial_now();
    return !a->step || whole->state == KN_V_ERROR ? whole : now ? a->value : NULL;
}

KNX_HOT kni_atom kna_view_atom(kna_op *op, kna_array *a)
{
    if (a->storage->value->state == KN_V_ERROR) {
        bool known;
        kna_fail_with(op, kna_error_of(a->storage->value, &known));
        op->known_error = known;
        return KN_ATOM_NONE;
    }
    kna_value *known = kna_known_value(a);
    if (known)
        return kna_value_atom(op, known);
    int n;
    const kna_view_op **list = kna_view_ops(op, a, &n);
    kni_atom atom = kna_value_atom(op, a->storage->value);
    for (int i = 0; i < n && !kna_failed(op); i++)
        atom = kna_emit_step(op, list[i], atom, NULL);
    if (kna_failed(op) || !list)
        return KN_ATOM_NONE;
    kna_value *v = kna_atom_value(op, atom);
    if (!v) {
        kna_fail_with(op, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    remember(a, v);
    return atom;
}

KNX_HOT knx_error *kna_array_value(const void *handle, kna_value **out)
{
    knx_error *error = NULL;
    kna_value *v;
    kna_array *a = find_array(handle, &v, &error);
    *out = NULL;
    if (!a && !v && kna_handle_is_foreign(handle)) {
        knx_error_release(error);
        return kna_foreign_value(handle, out);
    }
    if (!a) {
        if (!v)
            return error;
        bool known;
        if (v->state == KN_V_ERROR)
            return kna_error_of(v, &known);
        *out = kna_value_retain(v);
        return NULL;
    }
    *out = kna_value_retain(kna_known_value(a));
    if (!*out) {
        kna_op op;
        kna_begin(&op, "view");
        kna_view_atom(&op, a);
        error = kna_take_error(&op);
        if (!error)
            *out = kna_value_retain(a->value);
        kna_leave(&op);
    }
    if (*out && (*out)->state == KN_V_ERROR) {
        bool known;
        error = kna_error_of(*out, &known);
        kna_value_release(*out);
        *out = NULL;
    }
    return error;
}

bool kna_shows_elements(const void *handle)
{
    knx_error *error = NULL;
    kna_value *v;
    const kna_array *a = find_array(handle, &v, &error);
    knx_error_release(error);
    return a && a->step && a->storage->value->state == KN_V_BUFFER;
}

/* ---- New views. */

static kna_view_op *new_step(kna_op *op, const kni_draft_eqn *e, kna_view_op *before)
{
    size_t own = sizeof(kna_view_op) + e->n_in * (sizeof(kna_value *) + sizeof(kni_literal)),
           piece = kni_params_room(e->prim, e->params);
    kna_view_op *s = knx_piece_zero(own + piece);
    if (!s)
        return NULL;
    s->refs = 1;
    s->bytes = own + piece;
    s->prim = e->prim;
    s->n_in = e->n_in;
    s->literal = (kni_literal *)(s + 1);
    s->operand = (kna_value **)(s->literal + e->n_in);
    bool ok = kni_params_keep(e->prim, e->params, piece ? (char *)s + own : NULL, &s->arena, &s->params);
    for (uint32_t i = 1; ok && i < e->n_in; i++) {
        if (kni_is_literal(e->in[i]))
            s->literal[i] = op->b->literal.at[e->in[i] & ~KN_LITERAL_BIT];
        else
            ok = (s->operand[i] = kna_atom_value(op, e->in[i])) != NULL;
    }
    if (!ok) {
        step_release(s);
        return NULL;
    }
    s->before = step_retain(before);
    return s;
}

KNX_HOT const kni_draft_eqn **kna_find_chain(kna_op *op, kni_atom from, kni_atom result, int *n)
{
    enum { MOST = 64 };
    const kni_draft_eqn **chain = knx_arena_alloc(&op->b->arena, MOST * sizeof *chain);
    int at = MOST;
    for (size_t k = op->b->eqn.n; chain && result != from; k--) {
        if (k == 0 || at == 0)
            return NULL;
        const kni_draft_eqn *e = &op->b->eqn.at[k - 1];
        if (e->n_out != 1 || e->out != result)
            continue;
        if (!e->prim->put)
            return NULL;
        chain[--at] = e;
        result = e->in[0];
    }
    if (!chain)
        kna_fail_with(op, knx_error_nomem());
    *n = MOST - at;
    return chain ? chain + at : NULL;
}

/* The view of `storage` with these steps added to `before`; NULL without memory. */
static KNX_HOT kna_array *new_view(kna_op *op, kna_storage *storage, kna_view_op *before, const kni_draft_eqn **chain,
                                   int n, const kna_layout *l)
{
    kna_array *a = new_array(l->type);
    if (!a)
        return NULL;
    a->step = step_retain(before);
    for (int i = 0; i < n; i++) {
        kna_view_op *next = new_step(op, chain[i], a->step);
        step_release(a->step);
        a->step = next;
        if (!next) {
            drop_array(a);
            return NULL;
        }
    }
    storage->refs++;
    a->storage = storage;
    a->offset = l->offset;
    a->writeable = l->writeable;
    a->unplaced = l->unplaced;
    for (int d = 0; d < a->type.ndim; d++)
        a->stride[d] = l->stride[d];
    return a;
}

static kn_array end_view(kna_op *op, kna_array *a, kni_atom result)
{
    if (!a) {
        kna_fail_with(op, knx_error_nomem());
        return kna_end(op, KN_ATOM_NONE);
    }
    if (a->step) /* its value is there already */
        remember_first(a, kna_atom_value(op, result));
    kn_array out = kna_handle_new(KN_H_VIEW, a, drop_array);
    kna_end_plain(op);
    return out;
}

KNX_HOT void kna_layout_of(const kna_array *a, kna_layout *l)
{
    l->type = a->type;
    l->offset = a->offset;
    l->writeable = a->writeable;
    l->unplaced = a->unplaced;
    for (int d = 0; d < a->type.ndim; d++)
        l->stride[d] = a->stride[d];
}

/* What a view of x is a view of: for a C number, which stays one, an array of its own (*fresh). NULL: of another
 * context, what it is now, as a copy. */
static kna_array *viewed(kna_op *op, kn_array x, bool *fresh)
{
    kna_value *v;
    kna_handle_kind kind = KN_H_NONE;
    knx_error *error = NULL;
    void *object = kna_handle_peek(x, &kind);
    *fresh = false;
    if (kna_failed(op))
        return NULL;
    if (kind == KN_H_VIEW) /* which is no number */
        return object;
    *fresh = kna_is_number(op, x);
    if (kna_failed(op) || kna_handle_is_foreign(x))
        return NULL;
    if (!*fresh)
        return kna_array_of(op, x);
    find_array(x, &v, &error);
    kna_array *a = array_of_value(op, v);
    if (a)
        a->storage->recording = serial_now(); /* a trace may write to it */
    return a;
}

/* The layout of a slice of it, with the type y. */
static void slice_layout(kna_layout *l, const kni_p_slice *p, kni_type y)
{
    bool any = kni_type_size(y) > 0;
    for (int d = 0; d < y.ndim; d++) {
        if (any)
            l->offset += l->stride[d] * p->start_indices.v[d];
        if (p->strides.n)
            l->stride[d] *= p->strides.v[d];
    }
    l->type = y;
}

/* The array that x is, if its value is known outside of traces and speaks of an error neither. */
static kna_array *array_to_slice(kna_op *op, kn_array x, kna_value **v)
{
    kna_handle_kind kind = KN_H_NONE;
    void *object = kna_handle_peek(x, &kind);
    const kna_value *bare = kind == KN_H_ARRAY ? object : NULL;
    if (kna_failed(op) || knx_debug_level >= 5 || kna_state_get()->recording || (kind != KN_H_VIEW && !bare) ||
        (bare && (bare->type.weak || (bare->state != KN_V_BUFFER && bare->state != KN_V_PENDING))))
        return NULL;
    kna_array *a = bare ? kna_array_of(op, x) : object;
    *v = a ? kna_known_value(a) : NULL;
    return *v && !(*v)->type.weak && ((*v)->state == KN_V_BUFFER || (*v)->state == KN_V_PENDING) ? a : NULL;
}

/* Ends with the view of b, whose value is `whole`, through one equation; its layout is known. */
static KNX_HOT kn_array end_at_once(kna_op *op, const kna_array *b, kna_value *whole, const kni_draft_eqn *e,
                                    const kna_layout *l)
{
    kna_value *v = NULL;
    kna_array *a = NULL;
    knx_error *error =
        kna_node_new(e->prim, e->params, op->b->place, knx_context()->operation, 1, &whole, NULL, 1, &l->type, &v);
    if (!error)
        a = new_view(op, b->storage, b->step, &e, 1, l);
    if (!a) {
        kna_value_release(v);
        kna_fail_with(op, error ? error : knx_error_nomem());
        return kna_end(op, KN_ATOM_NONE);
    }
    remember_first(a, v);
    kn_array out = kna_handle_new(KN_H_VIEW, a, drop_array);
    kna_end_plain(op);
    return out;
}

KNX_HOT kn_array kna_end_slice(kna_op *op, kn_array x, const kni_p_slice *p)
{
    kna_value *whole;
    const kna_array *b = array_to_slice(op, x, &whole);
    int64_t dim[KN_MAX_NDIM];
    kna_layout l;
    if (!b)
        return NULL;
    kni_type y = kni_type_of(b->type.dtype, b->type.ndim, dim);
    for (int d = 0; d < y.ndim; d++) {
        int64_t step = p->strides.n ? p->strides.v[d] : 1, n = p->limit_indices.v[d] - p->start_indices.v[d];
        dim[d] = step == 1 ? n : (n + step - 1) / step;
    }
    const kni_draft_eqn e = {.prim = &knp_prim_slice, .params = p, .n_in = 1};
    kna_layout_of(b, &l);
    slice_layout(&l, p, y);
    return end_at_once(op, b, whole, &e, &l);
}

kn_array kna_end_step(kna_op *op, kn_array x, const kni_prim *prim, const void *params, kni_type y)
{
    kna_value *whole;
    const kna_array *b = array_to_slice(op, x, &whole);
    const kni_draft_eqn e = {.prim = prim, .params = params, .n_in = 1, .n_out = 1};
    kna_layout l;
    if (!b)
        return NULL;
    kna_layout_of(b, &l);
    return kna_layout_through(op, &e, y, &l) && !kna_failed(op) ? end_at_once(op, b, whole, &e, &l) : NULL;
}

typedef struct view_how {
    const kna_layout *layout; /* if it is known */
    bool of_storage;          /* the chain leads from the storage's value */
    const int64_t *order;     /* of a copy; NULL: C's */
} view_how;

static kn_array end_copy(kna_op *op, kni_atom result, const int64_t *order)
{
    bool ordered = order && !kna_failed(op) && knb_type(op->b, result).ndim > 1;
    return ordered ? kna_end_permuted(op, result, order) : kna_end(op, result);
}

static KNX_HOT kn_array view_of(kna_op *op, const kna_array *b, kni_atom base_atom, kni_atom result, view_how how)
{
    int n = 0;
    const kni_draft_eqn **chain = b ? kna_find_chain(op, base_atom, result, &n) : NULL;
    if (!chain)
        return end_copy(op, result, how.order);
    kna_layout found;
    if (!how.layout)
        kna_layout_of(b, &found);
    for (int i = 0; i < n && !how.layout; i++)
        if (!kna_layout_step(op, chain[i], &found))
            return end_copy(op, result, how.order);
    if (kna_failed(op))
        return kna_end(op, result);
    kna_array *a =
        new_view(op, b->storage, how.of_storage ? NULL : b->step, chain, n, how.layout ? how.layout : &found);
    return end_view(op, a, result);
}

static KNX_HOT kn_array end_view_how(kna_op *op, kn_array base, kni_atom base_atom, kni_atom result, view_how how)
{
    bool fresh;
    kna_array *b = viewed(op, base, &fresh);
    kn_array y = view_of(op, b, base_atom, result, how);
    if (b && fresh)
        drop_array(b);
    return y;
}

kn_array kna_end_view_as(kna_op *op, kn_array base, kni_atom base_atom, kni_atom result, const kna_layout *l,
                         bool of_storage)
{
    return end_view_how(op, base, base_atom, result, (view_how){l, of_storage, NULL});
}

KNX_HOT kn_array kna_end_view(kna_op *op, kn_array base, kni_atom base_atom, kni_atom result)
{
    return end_view_how(op, base, base_atom, result, (view_how){0});
}

kn_array kna_end_same(kna_op *op, kn_array x, kni_atom a)
{
    kna_handle_kind kind = KN_H_NONE, made = KN_H_NONE;
    kn_array y = end_view_how(op, x, a, a, (view_how){0});
    const kna_array *from = kna_handle_peek(x, &kind);
    kna_array *to = kna_handle_peek(y, &made);
    if (kind == KN_H_VIEW && made == KN_H_VIEW && to->storage == from->storage)
        to->owner = from->owner;
    return y;
}

kn_array kna_end_view_ordered(kna_op *op, kn_array base, kni_atom base_atom, kni_atom result, const int64_t *order)
{
    return end_view_how(op, base, base_atom, result, (view_how){.order = order});
}

/* The view of an array with `order`'s axes as an array with C's. */
static kna_array *permuted_view(kna_op *op, kna_array *whole, kni_type t, const int64_t *order)
{
    int64_t back[KN_MAX_NDIM];
    kna_layout l = {.type = t, .writeable = true};
    for (int i = 0; i < t.ndim; i++) {
        back[order[i]] = i;
        l.stride[order[i]] = whole->stride[i];
    }
    const kni_p_transpose p = {{t.ndim, back}};
    const kni_draft_eqn e = {.prim = &knp_prim_transpose, .params = &p, .n_in = 1}, *chain = &e;
    kna_array *a = new_view(op, whole->storage, NULL, &chain, 1, &l);
    whole->storage->permuted = true;
    if (a)
        a->owner = true;
    return a;
}

kn_array kna_end_permuted(kna_op *op, kni_atom result, const int64_t *order)
{
    kni_type t = knb_type(op->b, result);
    kni_atom stored = knb_transpose(op->b, result, order);
    if (kna_failed(op))
        return kna_end(op, KN_ATOM_NONE);
    kna_value *v = kna_atom_value(op, result), *s = kna_atom_value(op, stored);
    kna_array *whole = v && s ? whole_storage(s, true) : NULL;
    kna_array *a = whole ? permuted_view(op, whole, t, order) : NULL;
    knx_error *error = a ? kna_settle(1, &v) : knx_error_nomem();
    if (!whole)
        kna_value_release(s);
    else
        drop_array(whole);
    if (error) {
        kna_value_release(v);
        if (a)
            drop_array(a);
        kna_fail_with(op, error);
        return kna_end(op, KN_ATOM_NONE);
    }
    remember_first(a, v);
    kn_array out = kna_handle_new(KN_H_VIEW, a, drop_array);
    kna_end_plain(op);
    return out;
}

kn_array kna_from_permuted(kna_op *op, kni_type t, const int64_t *order, knx_buffer *stored, knx_buffer *plain)
{
    int64_t dim[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++)
        dim[i] = t.dim[order[i]];
    kna_value *s = stored ? kna_value_buffer(kni_type_of(t.dtype, t.ndim, dim), stored) : NULL;
    kna_value *v = plain ? kna_value_buffer(t, plain) : NULL;
    kna_array *whole = v && s ? whole_storage(s, true) : NULL, *a = whole ? permuted_view(op, whole, t, order) : NULL;
    if (whole)
        drop_array(whole);
    else
        kna_value_release(s);
    if (!a) {
        kna_value_release(v);
        kna_fail_with(op, knx_error_nomem());
        return kna_end(op, KN_ATOM_NONE);
    }
    remember_first(a, v);
    kn_array out = kna_handle_new(KN_H_VIEW, a, drop_array);
    kna_end_plain(op);
    return out;
}

void kna_set_readonly(kn_array x)
{
    knx_error *unused = NULL;
    kna_handle_kind kind = KN_H_NONE;
    if (kna_handle_alive(x, &kind) && kind == KN_H_VIEW)
        ((kna_array *)kna_handle_get(KN_H_VIEW, x, &unused))->writeable = false;
}

kn_array kna_own_handle(kna_value *v)
{
    kna_array *a = v ? whole_storage(v, true) : NULL;
    if (!a)
        kna_value_release(v);
    return a ? kna_handle_new(KN_H_VIEW, a, drop_array) : NULL;
}

kn_array kna_storage_handle(kna_storage *s)
{
    kna_array *a = new_array(s->value->type);
    if (!a)
        return NULL;
    s->refs++;
    a->storage = s;
    a->writeable = !s->readonly;
    kna_contiguous_strides(a->type, a->stride);
    return kna_handle_new(KN_H_VIEW, a, drop_array);
}

kn_array kna_base_handle(const kna_array *a)
{
    kna_storage *s = a->storage;
    kna_layout l = {.type = s->value->type, .writeable = !s->readonly && !s->locked};
    kna_view_op *first = s->permuted ? a->step : NULL;
    int64_t dim[KN_MAX_NDIM], stride[KN_MAX_NDIM];
    if (a->owner || (!a->step && s->pin && s->pin->foreign))
        return NULL;
    kna_contiguous_strides(l.type, l.stride);
    while (first && first->before)
        first = first->before;
    if (first) {
        const int64_t *order = ((const kni_p_transpose *)first->params)->permutation.v;
        for (int d = 0; d < l.type.ndim; d++) {
            dim[d] = l.type.dim[order[d]];
            stride[d] = l.stride[order[d]];
        }
        l.type = kni_type_of(l.type.dtype, l.type.ndim, dim);
        memcpy(l.stride, stride, (size_t)l.type.ndim * sizeof *stride);
    }
    kna_array *base = new_view(NULL, s, first, NULL, 0, &l);
    if (base)
        base->owner = !s->pin || !s->pin->foreign;
    return base ? kna_handle_new(KN_H_VIEW, base, drop_array) : NULL;
}

bool kna_end_become(kna_op *op, kn_array x, kni_atom value)
{
    kna_value *v = kna_failed(op) ? NULL : kna_atom_value(op, value);
    knx_error *error = v ? kna_settle(1, &v) : kna_failed(op) ? NULL : knx_error_nomem();
    kna_array *a = v && !error ? whole_storage(v, true) : NULL;
    if (a)
        kna_handle_replace(x, KN_H_VIEW, a, drop_array);
    else
        kna_value_release(v);
    if (!a && !kna_failed(op))
        kna_fail_with(op, error ? error : knx_error_nomem());
    return kna_end_plain(op);
}
