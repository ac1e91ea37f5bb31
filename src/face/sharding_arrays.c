/* SPDX-License-Identifier: Apache-2.0
 * sharding_arrays.c -- arrays that are spread over a mesh: put there, made there, and looked at by their parts. */
#include "face/sharding.h"
#include "array/lift.h"
#include "array/handle.h"
#include "array/pin.h"
#include "array/recording.h"
#include "array/state.h"
#include "array/storage.h"
#include "dist/dist.h"
#include <string.h>

static bool is_traced(kna_value *v)
{
    kna_value_state ground = kna_lift_ground(v)->state;
    return ground == KN_V_TRACER || ground == KN_V_ABSTRACT;
}

knx_error *knface_layout(kn_array x, kna_value **v, const kni_sharding **s, const knd_parts **parts)
{
    knx_error *error = NULL;
    *s = NULL;
    *parts = NULL;
    KN_TRY(kna_array_value(x, v));
    if (is_traced(*v))
        error = knx_error_new(KN_ERROR_CONCRETIZATION,
                              "how a traced array lies is known when the recorded function has run");
    if (!error)
        error = kna_lift_drop(v);
    if (!error)
        error = kna_force(1, v);
    const knd_mesh *d = error ? NULL : knd_mesh_of(knd_site_at((*v)->site)->device);
    if (d && (*v)->state == KN_V_BUFFER)
        *parts = knd_parts_of(d, (*v)->buffer, (*v)->type);
    if (d && !(*s = *parts ? (*parts)->sharding : kni_replicated(d->mesh, (*v)->type.ndim)))
        error = knx_error_nomem();
    if (error)
        kna_value_release(*v);
    return error;
}

/* ---- Putting them there. */

/* Of what the mesh has in parts already a program makes the others: *moved; also of what has something at it. */
static knx_error *spread_value(kna_value **v, const kni_sharding *s, bool *moved)
{
    const knd_mesh *d;
    const knd_parts *there;
    knx_buffer *b = NULL;
    kna_value *old = *v, *ground = kna_lift_ground(old), *fresh;
    KN_TRY(kna_settle_lifted(old));
    KN_TRY(knd_mesh_open(s->mesh, &d));
    uint16_t site = knd_site_of(&d->head, true, knx_context()->here);
    there = ground->state == KN_V_BUFFER ? knd_parts_of(d, ground->buffer, ground->type) : NULL;
    bool here = there && kna_are_together(ground->site, site) && knd_site_at(ground->site)->committed;
    *moved = here && (old != ground || there->sharding != s);
    if (here)
        return NULL;
    if (old != ground)
        return knx_error_new(
            KN_ERROR_VALUE,
            "an array that is watched, or has a tangent or batch axes, cannot be spread: spread it first");
    KN_TRY(kna_force_here(1, v));
    bool share = old->state == KN_V_BUFFER && !kna_lies_in_pin(old);
    KN_TRY(knd_cut_whole(d, old->type, s, kna_elements(old), share ? old->buffer : NULL, &b));
    kni_type t = old->type;
    t.weak = false;
    if (!(fresh = kna_value_buffer(t, b)))
        return knx_error_nomem();
    fresh->site = site;
    kna_value_release(old);
    *v = fresh;
    return NULL;
}

static knx_error *spread_array(kna_op *op, kn_array x, kn_sharding given, kni_atom *out)
{
    kna_value *v;
    const kni_sharding *s = NULL;
    bool program = false;
    KN_TRY(kna_array_value(x, &v));
    knx_error *error = kni_sharding_for(given, v->type.ndim, &s);
    if (!error && is_traced(v)) {
        program = true;
    } else if (!error) {
        error = v->type.weak ? kna_value_as(&v, kna_strong_dtype(v->type)) : NULL;
        if (!error)
            error = kna_force(1, &v);
        if (!error)
            error = spread_value(&v, s, &program);
    }
    if (!error) {
        *out = is_traced(v) ? kna_in(op, x) : kna_value_atom(op, v);
        *out = program ? knb_sharding_constraint(op->b, *out, &(kni_p_sharding_constraint){s}) : *out;
    }
    kna_value_release(v);
    return error;
}

static kn_array spread(const char *name, kn_array x, kn_sharding s)
{
    kna_op op;
    kni_atom y = KN_ATOM_NONE;
    kna_begin(&op, name);
    kna_type(&op, x);
    knx_error *error = knface_takes_sharding(&op, s) ? spread_array(&op, x, s, &y) : NULL;
    if (error)
        kna_fail_with(&op, error);
    return kna_end(&op, y);
}

kn_array kn_shard(kn_array x, kn_sharding sharding) { return spread("shard", x, sharding); }

kn_array kn_with_sharding_constraint(kn_array x, kn_sharding sharding)
{
    return spread("with_sharding_constraint", x, sharding);
}

/* ---- Looking. */

typedef struct seen {
    kna_op op;
    kna_value *v; /* NULL after an error */
    const kni_sharding *s;
    const knd_parts *parts;
} seen;

static bool look(seen *l, const char *name, kn_array x)
{
    *l = (seen){0};
    kna_begin(&l->op, name);
    kna_type(&l->op, x);
    knx_error *error = kna_failed(&l->op) ? NULL : knface_layout(x, &l->v, &l->s, &l->parts);
    if (error) {
        l->v = NULL;
        kna_fail_with(&l->op, error);
    }
    return !kna_failed(&l->op);
}

static bool end_look(seen *l)
{
    kna_value_release(l->v);
    return kna_end_plain(&l->op);
}

kn_sharding kn_sharding_of(kn_array x)
{
    seen l;
    look(&l, "sharding_of", x);
    return end_look(&l) ? l.s : NULL;
}

bool kn_is_fully_replicated(kn_array x)
{
    seen l;
    look(&l, "is_fully_replicated", x);
    return end_look(&l) && (!l.s || kni_is_replicated(l.s));
}

bool kn_is_fully_addressable(kn_array x)
{
    seen l;
    look(&l, "is_fully_addressable", x);
    const knd_mesh *d = l.s ? knd_mesh_of(knd_site_at(l.v->site)->device) : NULL;
    bool all = !d || d->n_local == d->mesh->n_device;
    return end_look(&l) && all;
}

/* ---- Parts. */

static int64_t replica_of(const kni_sharding *s, int64_t in_mesh)
{
    uint32_t cut = 0;
    int64_t r = 0;
    for (int d = 0; d < s->ndim; d++)
        cut |= kni_mesh_axes_set(s->dim[d]);
    for (int a = 0; a < s->mesh->n_axis; a++)
        if (!(cut >> a & 1))
            r = r * s->mesh->size[a] + kni_mesh_position(s->mesh, in_mesh, a);
    return r;
}

/* Where local device i's part lies, without its elements. */
static void describe(const seen *l, const knd_mesh *d, int i, kn_shard_info *to)
{
    kni_type t = l->v->type;
    knd_box box;
    *to = (kn_shard_info){.device = d ? d->device[i] : 0, .start.ndim = t.ndim, .shape.ndim = t.ndim};
    if (d) {
        knd_box_of(&box, t, l->s, d->in_mesh[i]);
        to->replica = replica_of(l->s, d->in_mesh[i]);
    }
    for (int k = 0; k < t.ndim; k++) {
        to->start.dim[k] = d ? box.start[k] : 0;
        to->shape.dim[k] = d ? box.count[k] : t.dim[k];
    }
}

/* The elements of one as a value of the host. */
static knx_error *elements_of(seen *l, const knd_mesh *d, int i, const kn_shard_info *info, kna_value **out)
{
    kni_type t = kni_type_of(l->v->type.dtype, info->shape.ndim, info->shape.dim);
    uint64_t bytes = kni_type_bytes(t);
    if (!l->parts)
        KN_TRY(kna_force_here(1, &l->v));
    knx_buffer *b = knx_buffer_new(bytes);
    if (!b)
        return knx_error_nomem_for(bytes, t.ndim, t.dim, t.dtype->name);
    if (l->parts)
        knd_copy_part(d, l->parts, i, b->data);
    else if (bytes)
        memcpy(b->data, kna_elements(l->v), bytes);
    *out = kna_value_buffer(t, b);
    return *out ? NULL : knx_error_nomem();
}

static knx_error *give_parts(seen *l, const knd_mesh *d, int n, kn_shard_info *out)
{
    knx_error *error = NULL;
    for (int i = 0; !error && i < n; i++) {
        kna_value *v = NULL;
        kna_op op;
        describe(l, d, i, &out[i]);
        if (!(error = elements_of(l, d, i, &out[i], &v))) {
            kna_begin(&op, "addressable_shards");
            out[i].data = kna_end(&op, kna_value_atom(&op, v));
            kna_value_release(v);
        }
    }
    return error;
}

int kn_addressable_shards(kn_array x, int n, kn_shard_info *out)
{
    seen l;
    int all = -1;
    look(&l, "addressable_shards", x);
    if (n < 0)
        kna_fail(&l.op, KN_ERROR_VALUE, "room for %d parts", n);
    else if (n && !out)
        kna_null(&l.op, "out");
    if (!kna_failed(&l.op)) {
        const knd_mesh *d = l.s ? knd_mesh_of(knd_site_at(l.v->site)->device) : NULL;
        all = d ? d->n_local : 1;
        knx_error *error = give_parts(&l, d, n < all ? n : all, out);
        if (error)
            kna_fail_with(&l.op, error);
    }
    return end_look(&l) ? all : -1;
}

/* ---- Made of parts. */

knx_error *knface_array_on_mesh(kna_op *op, const knd_mesh *d, kni_type t, knx_buffer *b, kni_atom *out)
{
    kna_value *v = kna_value_buffer(t, b);
    if (!v)
        return knx_error_nomem();
    v->site = knd_site_of(&d->head, true, knx_context()->here);
    *out = kna_value_atom(op, v);
    kna_value_release(v);
    return NULL;
}

typedef struct made {
    kna_op op;
    const knd_mesh *d;
    const kni_sharding *s;
    kni_type t;
    kn_array *given; /* per local device; NULL: another one has the same part */
} made;

/* The elements that the user gave for it, as the dtype of the whole. */
static knx_error *take_part(void *env, int i, knx_buffer **out)
{
    made *m = env;
    knd_box box;
    knx_text is = {0}, wants = {0};
    kni_atom given = kna_in_as(&m->op, m->given[i], m->t.dtype);
    if (kna_failed(&m->op))
        return kna_take_error(&m->op);
    kna_value *v = kna_atom_value(&m->op, given);
    if (!v)
        return knx_error_nomem();
    knd_box_of(&box, m->t, m->s, m->d->in_mesh[i]);
    knx_error *error = NULL;
    if (!kni_type_same_shape(v->type, kni_type_of(m->t.dtype, m->t.ndim, box.count)))
        error =
            knx_error_new(KN_ERROR_VALUE, "the function gave an array of shape %s, not %s",
                          knx_show_shape(&is, v->type.ndim, v->type.dim), knx_show_shape(&wants, m->t.ndim, box.count));
    if (!error && is_traced(v))
        error = knx_error_new(KN_ERROR_CONCRETIZATION, "the function gave a traced array");
    if (!error)
        error = kna_lift_drop(&v);
    if (!error)
        error = kna_force_here(1, &v);
    if (!error)
        *out = knd_pad_part(m->d, m->t, m->s, i, kna_elements(v));
    kna_value_release(v);
    return error;
}

/* The user's function is called while no operation is on. */
static knx_error *ask(made *m, kn_shard_callback f, void *env)
{
    m->given = knx_alloc_zero(((size_t)m->d->n_local + 1) * sizeof *m->given);
    if (!m->given)
        return knx_error_nomem();
    for (int i = 0; i < m->d->n_local; i++) {
        knd_box box;
        kn_shape start = {.ndim = m->t.ndim}, shape = {.ndim = m->t.ndim};
        if (knd_first_with_part(m->d, m->s, i) < i)
            continue;
        knd_box_of(&box, m->t, m->s, m->d->in_mesh[i]);
        memcpy(start.dim, box.start, (size_t)m->t.ndim * sizeof *box.start);
        memcpy(shape.dim, box.count, (size_t)m->t.ndim * sizeof *box.count);
        m->given[i] = f(env, &start, &shape);
    }
    return NULL;
}

/* What the function made goes with a scope of its own. */
static knx_error *collect(made *m, const char *name, kn_shard_callback f, void *env, knx_buffer **out)
{
    kn_scope scope = kn_scope_begin();
    knx_error *error = ask(m, f, env);
    kna_begin(&m->op, name);
    if (!error)
        error = knd_make_parts(m->d, m->t, m->s, take_part, m, out);
    kna_leave(&m->op);
    kn_scope_end(&scope);
    knx_free(m->given);
    return error;
}

static knx_error *check_shape(const kn_shape *shape)
{
    for (int d = 0; d < shape->ndim; d++)
        if (shape->dim[d] < 0)
            return knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
        else if (knx_is_symbolic(shape->dim[d]))
            return knx_error_new(KN_ERROR_DIMENSION, "the extents of an array on a mesh are numbers");
    return NULL;
}

static knx_error *begin_made(made *m, kn_sharding s, kn_dtype dtype, const kn_shape *shape)
{
    m->t = kni_type_of(dtype, shape->ndim, shape->dim);
    KN_TRY(check_shape(shape));
    KN_TRY(kni_type_check_size(m->t));
    KN_TRY(kni_sharding_for(s, shape->ndim, &m->s));
    return knd_mesh_open(s->mesh, &m->d);
}

kn_array kn_make_array_from_callback(const kn_shape *shape, kn_dtype dtype, kn_sharding sharding, kn_shard_callback f,
                                     void *env)
{
    static const char name[] = "make_array_from_callback";
    made m = {0};
    knx_buffer *b = NULL;
    kni_atom y = KN_ATOM_NONE;
    kna_begin(&m.op, name);
    shape = kna_shape(&m.op, shape);
    if (!f || !dtype)
        kna_null(&m.op, f ? "dtype" : "f");
    knx_error *error = knface_takes_sharding(&m.op, sharding) ? begin_made(&m, sharding, dtype, shape) : NULL;
    if (error)
        kna_fail_with(&m.op, error);
    if (kna_failed(&m.op))
        return kna_end(&m.op, y);
    kna_end_plain(&m.op);
    error = collect(&m, name, f, env, &b);
    kna_begin(&m.op, name);
    if (!error)
        error = knface_array_on_mesh(&m.op, m.d, m.t, b, &y);
    if (error)
        kna_fail_with(&m.op, error);
    return kna_end(&m.op, y);
}

/* ---- Of the block of a process. */

typedef struct block {
    int64_t first[KN_MAX_NDIM], extent[KN_MAX_NDIM];
} block;

/* Number of different parts along dimension k that this process has. */
static int64_t parts_along(const knd_mesh *d, const kni_sharding *s, int k)
{
    int64_t n = 0;
    for (int i = 0; i < d->n_local; i++) {
        int64_t part = kni_mesh_part(s->mesh, s->dim[k], d->in_mesh[i]);
        bool seen_before = false;
        for (int j = 0; j < i && !seen_before; j++)
            seen_before = kni_mesh_part(s->mesh, s->dim[k], d->in_mesh[j]) == part;
        n += !seen_before;
    }
    return n;
}

/* What lies between the first and the last element of this process, if it has all of that. */
static knx_error *find_block(const made *m, block *b)
{
    int64_t parts = 1, here = 0;
    for (int k = 0; k < m->t.ndim; k++) {
        int64_t end = 0;
        b->first[k] = m->t.dim[k];
        for (int i = 0; i < m->d->n_local; i++) {
            knd_box box;
            knd_box_of(&box, m->t, m->s, m->d->in_mesh[i]);
            b->first[k] = box.start[k] < b->first[k] ? box.start[k] : b->first[k];
            end = box.start[k] + box.count[k] > end ? box.start[k] + box.count[k] : end;
        }
        b->extent[k] = end > b->first[k] ? end - b->first[k] : 0;
        int64_t first = INT64_MAX, last = -1, n = parts_along(m->d, m->s, k);
        for (int i = 0; i < m->d->n_local; i++) {
            int64_t part = kni_mesh_part(m->s->mesh, m->s->dim[k], m->d->in_mesh[i]);
            first = part < first ? part : first;
            last = part > last ? part : last;
        }
        parts *= n;
        if (n && last - first + 1 != n)
            parts = -1;
    }
    for (int i = 0; i < m->d->n_local; i++)
        here += knd_first_with_part(m->d, m->s, i) == i;
    if (parts == here)
        return NULL;
    knx_text t = {0};
    return knx_error_new(KN_ERROR_VALUE, "the parts that this process has of %s are no block",
                         kni_sharding_text(&t, m->s));
}

/* The shape of all blocks together. */
static void whole_shape(const knd_mesh *d, const kni_sharding *s, kni_type local, kn_shape *shape)
{
    shape->ndim = local.ndim;
    for (int k = 0; k < local.ndim; k++) {
        int64_t all = kni_mesh_parts(s->mesh, s->dim[k]), mine = parts_along(d, s, k);
        shape->dim[k] = mine && mine < all ? local.dim[k] / mine * all : local.dim[k];
    }
}

static knx_error *cut_local(made *m, kn_sharding given, kna_value **v, const kn_shape *shape, kni_atom *out)
{
    kn_shape whole;
    block b;
    knx_buffer *buffer = NULL;
    knx_text is = {0}, wants = {0};
    if (!shape) {
        KN_TRY(kni_sharding_for(given, (*v)->type.ndim, &m->s));
        KN_TRY(knd_mesh_open(given->mesh, &m->d));
        whole_shape(m->d, m->s, (*v)->type, &whole);
        shape = &whole;
    }
    KN_TRY(begin_made(m, given, (*v)->type.dtype, shape));
    KN_TRY(find_block(m, &b));
    if (!kni_type_same_shape((*v)->type, kni_type_of(m->t.dtype, m->t.ndim, b.extent)))
        return knx_error_new(KN_ERROR_VALUE, "the part of this process has shape %s, the array that was given %s",
                             knx_show_shape(&wants, m->t.ndim, b.extent),
                             knx_show_shape(&is, (*v)->type.ndim, (*v)->type.dim));
    KN_TRY(kna_lift_drop(v));
    KN_TRY(kna_force_here(1, v));
    KN_TRY(knd_cut_block(m->d, m->t, m->s, b.first, b.extent, kna_elements(*v), &buffer));
    return knface_array_on_mesh(&m->op, m->d, m->t, buffer, out);
}

kn_array kn_make_array_from_process_local_data(kn_sharding sharding, kn_array local,
                                               const kn_make_array_from_process_local_data_opts *opts)
{
    const kn_shape *shape = opts ? opts->shape : NULL;
    made m = {0};
    kna_value *v = NULL;
    kni_atom y = KN_ATOM_NONE;
    kna_begin(&m.op, "make_array_from_process_local_data");
    kna_type(&m.op, local);
    shape = kna_shape_or_null(&m.op, shape);
    knx_error *error = knface_takes_sharding(&m.op, sharding) ? kna_array_value(local, &v) : NULL;
    if (!error && v && is_traced(v))
        error = knx_error_new(KN_ERROR_CONCRETIZATION, "a traced array has no elements yet");
    if (!error && v && v->type.weak)
        error = kna_value_as(&v, kna_strong_dtype(v->type));
    if (!error && v)
        error = cut_local(&m, sharding, &v, shape, &y);
    kna_value_release(v);
    if (error)
        kna_fail_with(&m.op, error);
    return kna_end(&m.op, y);
}
