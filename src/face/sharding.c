/* SPDX-License-Identifier: Apache-2.0
 * sharding.c -- meshes and shardings as the user sees them. */
#include "face/sharding.h"
#include "array/handle.h"
#include "array/state.h"
#include "base/str.h"
#include "dist/dist.h"
#include "face/text.h"
#include <inttypes.h>
#include <string.h>

static bool report(const char *operation, knx_error *error)
{
    if (error && atomic_load(&error->refs) > 0)
        error->operation = operation;
    knx_report(error);
    knx_error_release(error);
    return !error;
}

bool knface_is_mesh(const char *operation, kn_mesh m)
{
    if (kni_is_mesh(m))
        return true;
    knx_report_new(operation, KN_ERROR_TYPE, m ? "this is no mesh" : "null mesh");
    return false;
}

bool knface_is_sharding(const char *operation, kn_sharding s)
{
    if (kni_is_sharding(s))
        return true;
    knx_report_new(operation, KN_ERROR_TYPE, s ? "this is no sharding" : "null sharding");
    return false;
}

bool knface_takes_sharding(kna_op *op, kn_sharding s)
{
    if (!kni_is_sharding(s))
        kna_fail(op, KN_ERROR_TYPE, s ? "this is no sharding" : "null sharding");
    return !kna_failed(op);
}

static const char *own_text(knx_str *t) { return knface_own_text(knx_str_take(t)); }

/* ---- Meshes. */

/* Names with commas between them, cut where they stand. */
static knx_error *read_names(char *text, int n_axis, const char **name)
{
    static const char blanks[] = " \t\n";
    int n = 0;
    for (char *at = text, *end; at; at = end, n++) {
        if ((end = strchr(at, ',')))
            *end++ = 0;
        at += strspn(at, blanks);
        if (n < n_axis)
            name[n] = at;
        for (size_t k = strlen(at); k && strchr(blanks, at[k - 1]); k--)
            at[k - 1] = 0;
        if (!n && !end && !*at && !n_axis)
            return NULL;
    }
    return n == n_axis
               ? NULL
               : knx_error_new(KN_ERROR_VALUE, "the shape of the mesh has %d axes, but there are %d names", n_axis, n);
}

static knx_error *count_devices(const kn_shape *shape, bool named, int64_t *n)
{
    const kndist_job *job = kndist_job_now();
    int64_t all = (int64_t)job->n_process * job->n_local;
    *n = 1;
    for (int i = 0; i < shape->ndim; i++)
        if (__builtin_mul_overflow(*n, shape->dim[i], n))
            *n = INT64_MAX;
    if (*n > all && !named)
        return knx_error_new(KN_ERROR_VALUE,
                             "the mesh needs %" PRId64 " devices, there %s %" PRId64 " (KILN_DEVICES=%" PRId64
                             " gives a process so many)",
                             *n, all == 1 ? "is" : "are", all, *n);
    return NULL;
}

static knx_error *make_mesh(kna_op *op, const kn_shape *shape, const char *names, const kn_make_mesh_opts *o,
                            const kni_mesh **out)
{
    const char *name[KNI_MESH_AXES + 1];
    const knd_mesh *device;
    kn_array devices = o ? o->devices : NULL;
    bool abstract = o && o->abstract;
    int32_t *number = NULL;
    int64_t n = 0;
    if (abstract && devices)
        return knx_error_new(KN_ERROR_VALUE, "an abstract mesh has no devices");
    if (shape->ndim > KNI_MESH_AXES)
        return knx_error_new(KN_ERROR_VALUE, "a mesh of %d axes: it has at most %d", shape->ndim, KNI_MESH_AXES);
    char *text = knx_alloc(strlen(names) + 1);
    knx_error *error = text ? read_names(strcpy(text, names), shape->ndim, name) : knx_error_nomem();
    if (!error && !abstract)
        error = count_devices(shape, devices != NULL, &n);
    if (!error && devices)
        error = knface_read_devices(op, devices, &n, &number);
    if (!error && !kna_failed(op))
        error = kni_mesh_of(shape->ndim, name, shape->dim, number, out);
    if (!error && !abstract && !kna_failed(op))
        error = knd_mesh_open(*out, &device);
    knx_free(text);
    knx_free(number);
    return error;
}

kn_mesh kn_make_mesh(const kn_shape *shape, const char *names, const kn_make_mesh_opts *opts)
{
    kna_op op;
    const kni_mesh *mesh = NULL;
    kna_begin(&op, "make_mesh");
    shape = kna_shape(&op, shape);
    kna_given_pointer(&op, names, "names");
    knx_error *error = kna_failed(&op) ? NULL : make_mesh(&op, shape, names, opts, &mesh);
    if (error)
        kna_fail_with(&op, error);
    return kna_end_plain(&op) ? mesh : NULL;
}

kn_shape kn_mesh_shape(kn_mesh mesh)
{
    kn_shape s = {.ndim = -1};
    if (!knface_is_mesh("mesh_shape", mesh))
        return s;
    s.ndim = mesh->n_axis;
    for (int i = 0; i < mesh->n_axis; i++)
        s.dim[i] = mesh->size[i];
    return s;
}

const char *kn_mesh_axis_name(kn_mesh mesh, int axis)
{
    if (!knface_is_mesh("mesh_axis_name", mesh))
        return NULL;
    if (axis >= 0 && axis < mesh->n_axis)
        return mesh->name[axis];
    knx_report_new("mesh_axis_name", KN_ERROR_AXIS, "axis %d is out of bounds for a mesh of %d axes", axis,
                   mesh->n_axis);
    return NULL;
}

int64_t kn_mesh_axis_size(kn_mesh mesh, const char *name)
{
    knx_text t = {0};
    if (!knface_is_mesh("mesh_axis_size", mesh))
        return -1;
    int axis = name ? kni_mesh_axis(mesh, name, strlen(name)) : -1;
    if (!name)
        knx_report_new("mesh_axis_size", KN_ERROR_TYPE, "null name");
    else if (axis < 0)
        knx_report_new("mesh_axis_size", KN_ERROR_VALUE, "%s has no axis '%.60s'", kni_mesh_text(&t, mesh), name);
    return axis < 0 ? -1 : mesh->size[axis];
}

const char *kn_mesh_text(kn_mesh mesh)
{
    knx_str t = {0};
    if (!knface_is_mesh("mesh_text", mesh))
        return NULL;
    kni_add_mesh(&t, mesh);
    return own_text(&t);
}

kn_device kn_mesh_device(kn_mesh mesh)
{
    const knd_mesh *d = NULL;
    if (!knface_is_mesh("mesh_device", mesh) || !report("mesh_device", knd_mesh_open(mesh, &d)))
        return NULL;
    return &d->head;
}

/* ---- Shardings. */

kn_sharding kn_named_sharding(kn_mesh mesh, const char *spec)
{
    const kni_sharding *s = NULL;
    if (!knface_is_mesh("named_sharding", mesh))
        return NULL;
    if (spec)
        report("named_sharding", kni_parse_spec(mesh, -1, spec, &s));
    else
        knx_report_new("named_sharding", KN_ERROR_TYPE, "null spec");
    return s;
}

const char *kn_sharding_text(kn_sharding sharding)
{
    knx_str t = {0};
    if (!knface_is_sharding("sharding_text", sharding))
        return NULL;
    kni_add_sharding(&t, sharding);
    return own_text(&t);
}

const char *kn_sharding_spec(kn_sharding sharding)
{
    knx_str t = {0};
    if (!knface_is_sharding("sharding_spec", sharding))
        return NULL;
    kni_add_spec(&t, sharding);
    return own_text(&t);
}

kn_mesh kn_sharding_mesh(kn_sharding sharding)
{
    return knface_is_sharding("sharding_mesh", sharding) ? sharding->mesh : NULL;
}

/* Axes of the mesh of size 1 cut nothing. */
static kni_mesh_axes without_ones(const kni_mesh *m, kni_mesh_axes a)
{
    kni_mesh_axes all = {0};
    for (int i = 0; i < a.n; i++)
        if (m->size[a.axis[i]] > 1)
            all.axis[all.n++] = a.axis[i];
    return all;
}

static bool lie_alike(const kni_sharding *a, const kni_sharding *b)
{
    bool alike = a->mesh == b->mesh && a->ndim == b->ndim;
    for (int d = 0; alike && d < a->ndim; d++)
        alike = kni_mesh_axes_equal(without_ones(a->mesh, a->dim[d]), without_ones(a->mesh, b->dim[d]));
    return alike;
}

bool kn_sharding_is_equivalent(kn_sharding a, kn_sharding b, int ndim)
{
    static const char name[] = "sharding_is_equivalent";
    const kni_sharding *x, *y;
    if (!knface_is_sharding(name, a) || !knface_is_sharding(name, b))
        return false;
    if (ndim < 0 || ndim > KN_MAX_NDIM) {
        knx_report_new(name, KN_ERROR_VALUE, "an array of %d dimensions", ndim);
        return false;
    }
    return report(name, kni_sharding_for(a, ndim, &x)) && report(name, kni_sharding_for(b, ndim, &y)) &&
           lie_alike(x, y);
}

/* Rounded up; of whatever number. */
static int64_t part_of(int64_t extent, int64_t parts)
{
    return knx_is_symbolic(extent) ? knx_dim_ceildiv(extent, parts) : kni_part_extent(extent, parts);
}

kn_shape kn_sharding_shard_shape(kn_sharding sharding, const kn_shape *shape)
{
    kna_op op;
    const kni_sharding *s;
    kn_shape part = {.ndim = -1};
    kna_begin(&op, "sharding_shard_shape");
    shape = kna_shape(&op, shape);
    knx_error *error = knface_takes_sharding(&op, sharding) ? kni_sharding_for(sharding, shape->ndim, &s) : NULL;
    for (int d = 0; !error && !kna_failed(&op) && d < shape->ndim; d++)
        if (shape->dim[d] < 0)
            error = knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
    if (error)
        kna_fail_with(&op, error);
    if (!kna_failed(&op)) {
        part.ndim = shape->ndim;
        for (int d = 0; d < shape->ndim; d++)
            part.dim[d] = part_of(shape->dim[d], kni_mesh_parts(s->mesh, s->dim[d]));
    }
    if (!kna_end_plain(&op))
        part.ndim = -1;
    return part;
}
