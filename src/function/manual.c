/* SPDX-License-Identifier: Apache-2.0
 * manual.c -- functions that are written for one device: kn_shard_map and kn_pmap. Each becomes one equation around
 * what its function is for the parts of the arguments; the axes of the mesh, or the one of pmap, have their names
 * while that is recorded. */
#include "function/manual.h"
#include "base/options.h"
#include "dist/dist.h"
#include "face/sharding.h"
#include "ir/ops.h"
#include "kiln/shard_map.h"
#include "prim/collective/shard_map.h"
#include <string.h>

/* ---- Specs. Those of the arguments, and those of the results, are one text: a line for each that was given. An entry
 * for an argument, or for all results, may be several, with semicolons between them: one for each array. */

typedef struct text_part {
    const char *at;
    size_t n;
} text_part;

static text_part piece(text_part all, char between, int number)
{
    const char *end = all.at + all.n, *at = all.at;
    for (; number > 0; number--) {
        at = memchr(at, between, (size_t)(end - at));
        if (!at)
            return (text_part){NULL, 0};
        at++;
    }
    const char *to = memchr(at, between, (size_t)(end - at));
    return (text_part){at, (size_t)((to ? to : end) - at)};
}

static int pieces(text_part all, char between)
{
    int n = 1;
    for (size_t i = 0; i < all.n; i++)
        n += all.at[i] == between;
    return n;
}

/* As many entries as it has: commas that are in no parentheses. */
static int length_of(text_part spec)
{
    int depth = 0, n = 0;
    bool any = false;
    for (size_t i = 0; i < spec.n; i++) {
        char c = spec.at[i];
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        any = any || c != ' ';
        n += c == ',' && !depth;
    }
    return any ? n + 1 : 0;
}

static knx_error *read_spec(const kni_mesh *m, const char *which, text_part spec, const kni_sharding **out)
{
    char few[256], *text = spec.n < sizeof few ? few : knx_alloc(spec.n + 1);
    if (!text)
        return knx_error_nomem();
    memcpy(text, spec.at, spec.n);
    text[spec.n] = 0;
    int n = length_of(spec);
    knx_error *error = n > KN_MAX_NDIM ? knx_error_new(KN_ERROR_VALUE, "%s: a spec of %d dimensions", which, n)
                                       : kni_parse_spec(m, n, text, out);
    if (text != few)
        knx_free(text);
    return error;
}

/* The specs of `arrays` arrays: all of one text, or one each. */
static knx_error *read_specs(const kni_mesh *m, const char *which, int number, text_part all, int arrays,
                             const kni_sharding **out)
{
    int n = pieces(all, ';');
    if (n != 1 && n != arrays)
        return knx_error_new(KN_ERROR_VALUE, "%s %d has %d specs, but %d array%s", which, number, n, arrays,
                             arrays == 1 ? "" : "s");
    for (int i = 0; i < arrays; i++)
        KN_TRY(read_spec(m, which, piece(all, ';', n == 1 ? 0 : i), &out[i]));
    return NULL;
}

static text_part whole_text(const char *s) { return (text_part){s, strlen(s)}; }

static knx_error *in_specs_of(const knf_core *f, const kni_sharding **out)
{
    text_part all = whole_text(f->o.in_specs);
    int lines = pieces(all, '\n'), at = 0;
    for (int i = 0; i < f->n_captured; i++)
        KN_TRY(kni_sharding_of(f->o.mesh, 0, NULL, &out[at++]));
    for (int arg = 0; arg < f->n_args; arg++) {
        KN_TRY(
            read_specs(f->o.mesh, "in_specs", arg, piece(all, '\n', lines == 1 ? 0 : arg), f->arrays[arg], out + at));
        at += f->arrays[arg];
    }
    return NULL;
}

static knx_error *out_specs_of(const knf_core *f, int n, const kni_sharding **out)
{
    text_part all = whole_text(f->o.out_specs);
    int lines = pieces(all, '\n');
    if (lines == 1)
        return read_specs(f->o.mesh, "out_specs", 0, all, n, out);
    if (lines != n)
        return knx_error_new(KN_ERROR_VALUE, "out_specs has %d entries, but %s returns %d array%s", lines, f->name, n,
                             n == 1 ? "" : "s");
    for (int i = 0; i < n; i++)
        KN_TRY(read_specs(f->o.mesh, "out_specs", i, piece(all, '\n', i), 1, &out[i]));
    return NULL;
}

/* ---- Messages, in JAX's words. */

static void show_spec(knx_text *t, const kni_sharding *s)
{
    knx_text_add(t, "P(");
    for (int d = 0; d < s->ndim; d++) {
        kni_mesh_axes a = s->dim[d];
        knx_text_add(t, "%s%s", d ? ", " : "", !a.n ? "None" : a.n > 1 ? "(" : "");
        for (int i = 0; i < a.n; i++)
            knx_text_add(t, "%s'%s'", i ? ", " : "", s->mesh->name[a.axis[i]]);
        knx_text_add(t, a.n > 1 ? ")" : "");
    }
    knx_text_add(t, s->ndim == 1 ? ",)" : ")");
}

static void show_mesh(knx_text *t, const kni_mesh *m)
{
    knx_text_add(t, "The mesh given has shape (");
    for (int a = 0; a < m->n_axis; a++)
        knx_text_add(t, "%s%lld", a ? ", " : "", (long long)m->size[a]);
    knx_text_add(t, "%s) with corresponding axis names (", m->n_axis == 1 ? "," : "");
    for (int a = 0; a < m->n_axis; a++)
        knx_text_add(t, "%s'%s'", a ? ", " : "", m->name[a]);
    knx_text_add(t, "%s).", m->n_axis == 1 ? "," : "");
}

static void show_set(knx_text *t, const kni_mesh *m, uint32_t set)
{
    const char *between = "";
    knx_text_add(t, "{");
    for (int a = 0; a < m->n_axis; a++)
        if (set >> a & 1) {
            knx_text_add(t, "%s%s", between, m->name[a]);
            between = ", ";
        }
    knx_text_add(t, "}");
}

/* args[0], or args[0].w1 of one with names */
static void show_argument(knx_text *t, const knf_core *f, int i)
{
    knx_text name = {0};
    int arg = 0, k = i - f->n_captured;
    if (k < 0) {
        knx_text_add(t, "captured array %d", i);
        return;
    }
    while (arg < f->n_args && k >= f->arrays[arg])
        k -= f->arrays[arg++];
    const char *leaf = knf_leaf_name(&name, f, arg, k);
    knx_text_add(t, "args[%d]%s", arg, *leaf ? leaf + 1 : "");
    if (!*leaf && f->arrays[arg] > 1)
        knx_text_add(t, "[%d]", k);
}

static knx_error *too_long_in(const knf_core *f, int i, const kni_sharding *s, kni_type t)
{
    knx_text spec = {0}, arg = {0}, type = {0};
    show_spec(&spec, s);
    show_argument(&arg, f, i);
    return knx_error_new(KN_ERROR_VALUE,
                         "shard_map applied to the function '%s' was given an in_specs entry which is too long to be "
                         "compatible with the corresponding input value from the function: in_specs is %s which has "
                         "length %d, but the passed %s has shape %s, which has rank %d (and %d < %d)",
                         f->name, spec.s, s->ndim, arg.s, kni_type_text(&type, t, true), t.ndim, t.ndim, s->ndim);
}

static knx_error *too_long_out(const knf_core *f, uint32_t i, const kni_sharding *s, kni_type t)
{
    knx_text spec = {0}, type = {0};
    show_spec(&spec, s);
    return knx_error_new(KN_ERROR_VALUE,
                         "shard_map applied to the function '%s' was given an out_specs entry which is too long to be "
                         "compatible with the corresponding output value from the function: out_specs is %s which has "
                         "length %d, but array %u of the result has shape %s, which has rank %d (and %d < %d)%s",
                         f->name, spec.s, s->ndim, i, kni_type_text(&type, t, true), t.ndim, t.ndim, s->ndim,
                         t.ndim ? ""
                                : ". For scalar values, consider an out_specs entry of \"\", or add an axis of "
                                  "one element, so that they can be put together");
}

static knx_error *uneven(const knf_core *f, int i, const kni_sharding *s, kni_type t, int d)
{
    knx_text spec = {0}, arg = {0}, type = {0}, axes = {0}, extent = {0};
    long long parts = kni_mesh_parts(s->mesh, s->dim[d]);
    show_spec(&spec, s);
    show_argument(&arg, f, i);
    for (int k = 0; k < s->dim[d].n; k++)
        knx_text_add(&axes, "%s'%s' (of size %lld)", k ? ", " : "", s->mesh->name[s->dim[d].axis[k]],
                     (long long)s->mesh->size[s->dim[d].axis[k]]);
    knx_dim_show(&extent, t.dim[d]);
    return knx_error_new(KN_ERROR_VALUE,
                         "shard_map applied to the function '%s' was given argument arrays with axis sizes that are "
                         "not evenly divisible by the corresponding mesh axis sizes: the passed %s of shape %s "
                         "corresponds to in_specs of value %s, which maps array axis %d (of size %s) to mesh axis %s, "
                         "but %lld does not evenly divide %s",
                         f->name, arg.s, kni_type_text(&type, t, true), spec.s, d, extent.s, axes.s, parts, extent.s);
}

static knx_error *not_replicated(const knf_core *f, uint32_t i, uint32_t n, const kni_sharding *s, uint32_t has)
{
    knx_text spec = {0}, mesh = {0}, may = {0}, more = {0}, was = {0}, which = {0};
    uint32_t only = knp_spec_set(s);
    show_spec(&spec, s);
    show_mesh(&mesh, s->mesh);
    show_set(&may, s->mesh, only);
    show_set(&more, s->mesh, has & ~only);
    show_set(&was, s->mesh, has);
    if (n > 1)
        knx_text_add(&which, "[%u]", i);
    return knx_error_new(KN_ERROR_VALUE,
                         "shard_map applied to the function '%s' was given out_specs which require replication which "
                         "can't be statically inferred given the mesh: %s out_specs%s is %s which implies that the "
                         "corresponding output value is only varying across mesh axes %s and not %s, but it was "
                         "inferred to be possibly varying over %s. Check if these output values are meant to be "
                         "replicated over those mesh axes. If not, consider revising the corresponding out_specs "
                         "entries. If so, consider disabling the check by passing .check_vma = false to kn_shard_map.",
                         f->name, mesh.s, which.s, spec.s, may.s, more.s, was.s);
}

/* ---- The types and names that the function sees. */

static knx_error *part_of(const knf_core *f, int i, const kni_sharding *s, kni_type t, knx_arena *a, kni_type *part)
{
    if (s->ndim > t.ndim)
        return too_long_in(f, i, s, t);
    for (int d = 0; d < s->ndim; d++)
        if (!knx_dim_eq(knx_dim_mod(t.dim[d], kni_mesh_parts(s->mesh, s->dim[d])), 0))
            return uneven(f, i, s, t, d);
    return kni_local_type(a, t, s, part) ? NULL : knx_error_nomem();
}

static knx_error *parts_of(const knf_core *f, const kni_type *in, knx_arena *a, const kni_sharding **spec,
                           kni_type *part)
{
    KN_TRY(in_specs_of(f, spec));
    for (int i = 0; i < f->n_captured + f->n_in; i++)
        KN_TRY(part_of(f, i, spec[i], in[i], a, &part[i]));
    return NULL;
}

knx_error *knf_map_begin(const knf_core *f, const kni_type *in, knx_arena *a, knf_mapped *m)
{
    size_t n = (size_t)f->n_captured + (size_t)f->n_in;
    kna_state *s = kna_state_get();
    m->outer = s->axes;
    m->element = knx_arena_alloc(a, (n + 1) * sizeof *m->element);
    m->axis = knx_arena_alloc(a, (n + 1) * sizeof *m->axis);
    m->spec = knx_arena_alloc(a, (n + 1) * sizeof *m->spec);
    m->size = -1;
    if (!m->element || !m->axis || !m->spec)
        return knx_error_nomem();
    if (f->kind == KNF_FN_SHARD_MAP) {
        KN_TRY(parts_of(f, in, a, m->spec, m->element));
        for (int i = 0; i < f->o.mesh->n_axis; i++) {
            m->bound[i] = (kna_named_axis){f->o.mesh->name[i], f->o.mesh->size[i], s->axes};
            s->axes = &m->bound[i];
        }
        return NULL;
    }
    KN_TRY(knf_map_inputs(f, in, m->axis, m->element, a, &m->size));
    if (f->o.mesh && !knx_dim_eq(m->size, f->o.mesh->n_device)) {
        knx_text size = {0};
        return knx_error_new(
            KN_ERROR_VALUE,
            "Leading axis size of input to pmapped function must equal the number of devices passed to "
            "pmap. Got axis_size=%s, num_devices=%lld.",
            knx_dim_show(&size, m->size), (long long)f->o.mesh->n_device);
    }
    if (f->o.axis_name) {
        m->bound[0] = (kna_named_axis){f->o.axis_name, m->size, s->axes};
        s->axes = &m->bound[0];
    }
    return NULL;
}

void knf_map_end(knf_mapped *m) { kna_state_get()->axes = m->outer; }

/* ---- Equations. */

static knx_error *check_results(const knf_core *f, const kni_jaxpr *body, const kni_sharding *const *in,
                                const kni_sharding *const *out, knx_arena *a)
{
    uint32_t *varies = knx_arena_alloc(a, ((size_t)body->n_in + 1) * sizeof *varies),
             *result = knx_arena_alloc(a, ((size_t)body->n_out + 1) * sizeof *result);
    if (!varies || !result)
        return knx_error_nomem();
    for (uint32_t i = 0; i < body->n_out; i++)
        if (out[i]->ndim > kni_out_type(body, i).ndim)
            return too_long_out(f, i, out[i], kni_out_type(body, i));
    if (!f->o.check_vma)
        return NULL;
    for (uint32_t i = 0; i < body->n_in; i++)
        varies[i] = knp_spec_set(in[i]);
    KN_TRY(knp_varying(body, f->o.mesh, varies, result));
    for (uint32_t i = 0; i < body->n_out; i++) {
        uint32_t along = 0; /* more than one device */
        for (int k = 0; k < f->o.mesh->n_axis; k++)
            along |= (uint32_t)(f->o.mesh->size[k] >= 1) << k;
        if (result[i] & along & ~knp_spec_set(out[i]))
            return not_replicated(f, i, body->n_out, out[i], result[i]);
    }
    return NULL;
}

static knx_error *emit_shard_map(const knf_core *f, kni_builder *b, kni_jaxpr *body, uint32_t n_const,
                                 const kni_sharding *const *spec, knx_arena *a, const kni_atom *x, kni_atom *y)
{
    const kni_sharding **in = knx_arena_alloc(a, ((size_t)body->n_in + 1) * sizeof *in),
                       **out = knx_arena_alloc(a, ((size_t)body->n_out + 1) * sizeof *out);
    if (!in || !out)
        return knx_error_nomem();
    for (uint32_t i = 0; i < n_const; i++)
        KN_TRY(kni_sharding_of(f->o.mesh, 0, NULL, &in[i]));
    for (uint32_t i = n_const; i < body->n_in; i++)
        in[i] = spec[i - n_const];
    KN_TRY(out_specs_of(f, (int)body->n_out, out));
    KN_TRY(check_results(f, body, in, out, a));
    const kni_p_shard_map p = {.check_vma = f->o.check_vma,
                               .in_specs = {(int)body->n_in, in},
                               .jaxpr = body,
                               .mesh = f->o.mesh,
                               .out_specs = {(int)body->n_out, out},
                               .num_consts = n_const + f->n_captured};
    knb_emit(b, &knp_prim_shard_map, &p, (int)body->n_in, x, y, (int)body->n_out);
    return NULL;
}

void knf_take_devices(kna_op *op, kn_array devices, knf_core *draft)
{
    int32_t *number = NULL;
    int64_t n = -1;
    uint16_t site = KND_NOWHERE;
    if (draft->kind != KNF_FN_PMAP) {
        kna_fail(op, KN_ERROR_VALUE, "devices are for kn_pmap");
        return;
    }
    if (!draft->o.axis_name)
        draft->o.axis_name = "devices";
    knx_error *error = knface_read_devices(op, devices, &n, &number);
    if (!error && !kna_failed(op))
        error = n ? kni_mesh_of(1, &draft->o.axis_name, &n, number, &draft->o.mesh)
                  : knx_error_new(KN_ERROR_VALUE, "no devices are named");
    if (!error && !kna_failed(op))
        error = kna_join_mesh(&site, draft->o.mesh); /* it has to be there */
    knx_free(number);
    if (error)
        kna_fail_with(op, error);
}

/* A device for each lane: those that were named, or in a call the first ones, if there are so many; NULL: there are
 * not, or it is recorded. */
static const kni_mesh *mesh_of_lanes(const knf_core *f, int64_t size)
{
    const kndist_job *job = kndist_job_now();
    const kni_mesh *mesh = f->o.mesh;
    if (mesh || !f->o.axis_name || kna_recording_current() || size < 2 || size > (int64_t)job->n_process * job->n_local)
        return mesh;
    knx_error_release(kni_mesh_of(1, &f->o.axis_name, &size, NULL, &mesh)); /* a name that is none of a mesh */
    return mesh;
}

/* Lanes go to the front, and where out_axes says. */
static knx_error *emit_pmap(const knf_core *f, kni_builder *b, kni_jaxpr *body, uint32_t n_const, const knf_mapped *m,
                            knx_arena *a, kni_atom *x, kni_atom *y)
{
    int64_t *mapped = knx_arena_zero(a, ((size_t)body->n_in + 1) * sizeof *mapped);
    int *axis = knx_arena_alloc(a, ((size_t)body->n_out + 1) * sizeof *axis);
    if (!mapped || !axis)
        return knx_error_nomem();
    KN_TRY(knf_map_outputs(f, body, axis));
    for (uint32_t i = n_const; i < body->n_in; i++)
        if (m->axis[i - n_const] >= 0) {
            mapped[i] = 1;
            x[i] = knb_move_axis(b, x[i], m->axis[i - n_const], 0);
        }
    const kni_p_pmap p = {.axis_name = f->o.axis_name,
                          .axis_size = m->size,
                          .call_jaxpr = body,
                          .mapped = {(int)body->n_in, mapped},
                          .name = f->name,
                          .num_consts = n_const + f->n_captured,
                          .mesh = mesh_of_lanes(f, m->size)};
    knb_emit(b, &knp_prim_xla_pmap, &p, (int)body->n_in, x, y, (int)body->n_out);
    for (uint32_t i = 0; i < body->n_out && !b->error; i++) {
        kni_type t = knb_type(b, y[i]);
        int64_t start[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM], zero = 0;
        if (axis[i] >= 0) {
            y[i] = knb_move_axis(b, y[i], 0, axis[i]);
            continue;
        }
        memcpy(limit, t.dim, (size_t)t.ndim * sizeof *limit);
        limit[0] = 1;
        y[i] = knb_squeeze(b, knb_slice(b, y[i], start, limit, NULL), 1, &zero);
    }
    return NULL;
}

/* A jaxpr of one equation around the body, which takes the constants in front. */
static knx_error *around(const knf_core *f, kni_jaxpr *body, const kni_type *in, const knf_mapped *m, knx_arena *a,
                         kna_closed *out)
{
    kni_builder b;
    uint32_t n_const = out->n_const;
    kni_jaxpr *j = NULL;
    knb_init(&b);
    b.place = knx_context()->here;
    kni_atom *x = knx_arena_alloc(a, ((size_t)body->n_in + 1) * sizeof *x),
             *y = knx_arena_alloc(a, ((size_t)body->n_out + 1) * sizeof *y);
    knx_error *e = x && y ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !e && i < body->n_in; i++)
        x[i] = i < n_const ? knb_constvar(&b, body->type[i]) : knb_invar(&b, in[i - n_const]);
    if (!e)
        e = f->kind == KNF_FN_SHARD_MAP ? emit_shard_map(f, &b, body, n_const, m->spec, a, x, y)
                                        : emit_pmap(f, &b, body, n_const, m, a, x, y);
    if (!e)
        e = knb_finish(&b, (int)body->n_out, y, f->name, true, &j);
    knb_free(&b);
    kni_release(out->jaxpr);
    out->jaxpr = j;
    return e;
}

knx_error *knf_derive_manual(knf_core *f, const kni_type *in, kna_closed *out)
{
    knx_arena a = KN_ARENA_INIT;
    knf_mapped m;
    kni_jaxpr *body = NULL;
    knx_error *error = knf_map_begin(f, in, &a, &m);
    if (!error)
        error = knf_derive(f->inner, m.element, NULL, f->kind == KNF_FN_PMAP ? "pmap" : "shard_map", out);
    knf_map_end(&m);
    if (!error)
        error = knf_constants_as_inputs(out->jaxpr, &body);
    if (!error)
        error = around(f, body, in, &m, &a, out);
    kni_release(body);
    if (error)
        kna_closed_free(out);
    knx_arena_free(&a);
    return error;
}

/* ---- The public functions. */

/* How many were given; others than the first ones are none. */
static int given(const char *const *specs)
{
    int n = 0;
    for (int i = 0; i < KN_MAX_ARGS; i++)
        n = specs[i] ? i + 1 : n;
    return n;
}

static const char *joined(kna_op *op, const char *which, const char *const *specs)
{
    int n = given(specs);
    size_t room = 1;
    if (!n)
        kna_fail(op, KN_ERROR_VALUE, "shard_map %s argument must be given", which);
    for (int i = 0; i < n && !kna_failed(op); i++) {
        if (!specs[i])
            kna_fail(op, KN_ERROR_VALUE, "%s has entry %d, but not entry %d", which, n - 1, i);
        else if (strchr(specs[i], '\n'))
            kna_fail(op, KN_ERROR_VALUE, "%s %d has more than one line", which, i);
        else
            room += strlen(specs[i]) + 1;
    }
    char *text = kna_failed(op) ? NULL : knx_alloc(room), *to = text;
    for (int i = 0; text && i < n; i++) {
        to = stpcpy(to, specs[i]);
        *to++ = i + 1 < n ? '\n' : 0;
    }
    const char *own = text ? knf_intern_name(text) : NULL;
    if (!own && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    knx_free(text);
    return own;
}

/* Of all specs, so that mistakes are told where they are made. */
static knx_error *check_texts(const knf_core *draft)
{
    const char *const which[] = {"in_specs", "out_specs"};
    const kni_sharding *s;
    for (int k = 0; k < 2; k++) {
        text_part all = whole_text(k ? draft->o.out_specs : draft->o.in_specs);
        for (int i = 0; i < pieces(all, '\n'); i++) {
            text_part line = piece(all, '\n', i);
            for (int n = 0; n < pieces(line, ';'); n++)
                KN_TRY(read_spec(draft->o.mesh, which[k], piece(line, ';', n), &s));
        }
    }
    int lines = pieces(whole_text(draft->o.in_specs), '\n');
    return lines == 1 || lines == draft->n_args
               ? NULL
               : knx_error_new(KN_ERROR_VALUE, "in_specs has %d entries, but %s takes %d argument%s", lines,
                               draft->name, draft->n_args, draft->n_args == 1 ? "" : "s");
}

kn_fn kn_shard_map(kn_fn fn, kn_mesh mesh, const kn_shard_map_opts *opts)
{
    kna_op op;
    kn_shard_map_opts o = kn_shard_map_opts_default();
    kna_begin(&op, "shard_map");
    knx_read_options(&o, sizeof o, opts);
    knf_core draft = {0};
    knf_fn *f = knf_fn_get(&op, fn);
    if (f && !kni_is_mesh(mesh))
        kna_fail(&op, KN_ERROR_TYPE, mesh ? "this is no mesh" : "shard_map: the mesh is null");
    if (f && !kna_failed(&op)) {
        draft = knf_transformed(KNF_FN_SHARD_MAP, f->core);
        draft.o.mesh = mesh;
        draft.o.check_vma = o.check_vma;
        draft.o.in_specs = joined(&op, "in_specs", o.in_specs);
        if (!kna_failed(&op))
            draft.o.out_specs = joined(&op, "out_specs", o.out_specs);
        knx_error *error = kna_failed(&op) ? NULL : check_texts(&draft);
        if (error)
            kna_fail_with(&op, error);
    }
    return knf_make(&op, f, &draft);
}
