/* SPDX-License-Identifier: Apache-2.0
 * mesh.c -- meshes and shardings, each made once and kept for the life of the process. */
#include "ir/mesh.h"
#include "base/hash.h"
#include "base/lock.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 64 };
typedef struct known_mesh {
    struct known_mesh *next;
    uint64_t hash;
    kni_mesh mesh;
} known_mesh;
typedef struct known_sharding {
    struct known_sharding *next;
    uint64_t hash;
    kni_sharding sharding;
} known_sharding;
static known_mesh *meshes[BUCKETS];
static known_sharding *shardings[BUCKETS];
static uint32_t n_mesh;
static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;

/* Of the system's, so that what stays does not count among Kiln's; but a test that makes allocations fail meets it. */
static void *kept(size_t bytes) { return knx_alloc_must_fail() ? NULL : calloc(1, bytes); }

/* ---- Meshes. */

static bool is_identifier(const char *s)
{
    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    while (isalnum((unsigned char)*s) || *s == '_')
        s++;
    return !*s;
}

static knx_error *check_axis(int i, const char *const *name, int64_t size)
{
    if (!name[i] || !is_identifier(name[i]) || !strcmp(name[i], "None"))
        return knx_error_new(KN_ERROR_VALUE, "axis %d of a mesh is named '%.60s': a name is an identifier, not None", i,
                             name[i] ? name[i] : "");
    for (int j = 0; j < i; j++)
        if (!strcmp(name[i], name[j]))
            return knx_error_new(KN_ERROR_VALUE, "two axes of a mesh, %d and %d, are named '%.60s'", j, i, name[i]);
    if (size < 1)
        return knx_error_new(KN_ERROR_VALUE, "axis '%.60s' of a mesh has size %lld: at least 1 is needed", name[i],
                             (long long)size);
    return NULL;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sorted, those that are equal are neighbours. */
static knx_error *check_devices(int64_t n, const int32_t *device)
{
    knx_error *error = NULL;
    if (!device)
        return NULL;
    int32_t *sorted = knx_alloc((size_t)n * sizeof *sorted);
    if (!sorted)
        return knx_error_nomem();
    qsort(memcpy(sorted, device, (size_t)n * sizeof *sorted), (size_t)n, sizeof *sorted, by_number);
    if (sorted[0] < 0)
        error = knx_error_new(KN_ERROR_VALUE, "device %d in a mesh: numbers of devices begin at 0", sorted[0]);
    for (int64_t i = 1; !error && i < n; i++)
        if (sorted[i] == sorted[i - 1])
            error = knx_error_new(KN_ERROR_VALUE, "device %d is twice in a mesh", sorted[i]);
    knx_free(sorted);
    return error;
}

static knx_error *check_mesh(int n_axis, const char *const *name, const int64_t *size, const int32_t *device,
                             int64_t *n_device)
{
    *n_device = 1;
    if (n_axis < 0 || n_axis > KNI_MESH_AXES)
        return knx_error_new(KN_ERROR_VALUE, "a mesh of %d axes: it has at most %d", n_axis, KNI_MESH_AXES);
    for (int i = 0; i < n_axis; i++) {
        KN_TRY(check_axis(i, name, size[i]));
        if (__builtin_mul_overflow(*n_device, size[i], n_device) || *n_device > KNI_MESH_DEVICES)
            return knx_error_new(KN_ERROR_VALUE, "a mesh of more than %d devices", KNI_MESH_DEVICES);
    }
    return check_devices(*n_device, device);
}

static int32_t device_at(const int32_t *device, int64_t i) { return device ? device[i] : (int32_t)i; }

static uint64_t mesh_hash(int n_axis, const char *const *name, const int64_t *size, int64_t n, const int32_t *device)
{
    uint64_t h = knx_hash_bytes(size, (size_t)n_axis * sizeof *size, (uint64_t)n_axis);
    for (int i = 0; i < n_axis; i++)
        h = knx_hash_bytes(name[i], strlen(name[i]), h);
    for (int64_t i = 0; i < n; i++)
        h = knx_hash_mix(h, (uint64_t)device_at(device, i));
    return h;
}

static bool is_mesh(const kni_mesh *m, int n_axis, const char *const *name, const int64_t *size, const int32_t *device)
{
    if (m->n_axis != n_axis)
        return false;
    for (int i = 0; i < n_axis; i++)
        if (m->size[i] != size[i] || strcmp(m->name[i], name[i]))
            return false;
    for (int64_t i = 0; i < m->n_device; i++)
        if (m->device[i] != device_at(device, i))
            return false;
    return true;
}

/* One block: the record, sizes, pointers to names, devices, letters. NULL without memory. */
static known_mesh *new_mesh(int n_axis, const char *const *name, const int64_t *size, int64_t n, const int32_t *device)
{
    size_t letters = 0, axes = (size_t)n_axis;
    for (int i = 0; i < n_axis; i++)
        letters += strlen(name[i]) + 1;
    known_mesh *k = kept(sizeof *k + axes * (sizeof *size + sizeof *name) + (size_t)n * sizeof *device + letters);
    if (!k)
        return NULL;
    int64_t *sizes = (int64_t *)(k + 1);
    const char **names = (const char **)(sizes + axes);
    int32_t *devices = (int32_t *)(names + axes);
    char *to = (char *)(devices + n);
    for (int i = 0; i < n_axis; i++) {
        sizes[i] = size[i];
        names[i] = to;
        to = stpcpy(to, name[i]) + 1;
    }
    for (int64_t i = 0; i < n; i++)
        devices[i] = device_at(device, i);
    k->mesh = (kni_mesh){n_axis, names, sizes, n, devices, n_mesh};
    return k;
}

/* Under the lock. NULL without memory. */
static const kni_mesh *find_mesh(int n_axis, const char *const *name, const int64_t *size, int64_t n,
                                 const int32_t *device)
{
    uint64_t hash = mesh_hash(n_axis, name, size, n, device);
    known_mesh **bucket = &meshes[hash % BUCKETS], *k = *bucket;
    while (k && (k->hash != hash || !is_mesh(&k->mesh, n_axis, name, size, device)))
        k = k->next;
    if (k)
        return &k->mesh;
    if (!(k = new_mesh(n_axis, name, size, n, device)))
        return NULL;
    k->hash = hash;
    k->next = *bucket;
    *bucket = k;
    n_mesh++;
    return &k->mesh;
}

knx_error *kni_mesh_of(int n_axis, const char *const *name, const int64_t *size, const int32_t *device,
                       const kni_mesh **out)
{
    int64_t n;
    *out = NULL;
    KN_TRY(check_mesh(n_axis, name, size, device, &n));
    knx_global_lock_take(&lock);
    *out = find_mesh(n_axis, name, size, n, device);
    knx_global_unlock(&lock);
    return *out ? NULL : knx_error_nomem();
}

bool kni_is_mesh(const void *p)
{
    bool found = false;
    knx_global_lock_take(&lock);
    for (int i = 0; i < BUCKETS && p; i++)
        for (const known_mesh *k = meshes[i]; k && !found; k = k->next)
            found = &k->mesh == p;
    knx_global_unlock(&lock);
    return found;
}

int kni_mesh_axis(const kni_mesh *m, const char *name, size_t n)
{
    for (int i = 0; i < m->n_axis; i++)
        if (strlen(m->name[i]) == n && !memcmp(m->name[i], name, n))
            return i;
    return -1;
}

int64_t kni_mesh_position(const kni_mesh *m, int64_t i, int axis)
{
    for (int a = m->n_axis - 1; a > axis; a--)
        i /= m->size[a];
    return i % m->size[axis];
}

int64_t kni_mesh_parts(const kni_mesh *m, kni_mesh_axes a)
{
    int64_t n = 1;
    for (int i = 0; i < a.n; i++)
        n *= m->size[a.axis[i]];
    return n;
}

uint32_t kni_mesh_axes_set(kni_mesh_axes a)
{
    uint32_t set = 0;
    for (int i = 0; i < a.n; i++)
        set |= 1u << a.axis[i];
    return set;
}

int64_t kni_mesh_part(const kni_mesh *m, kni_mesh_axes a, int64_t i)
{
    int64_t part = 0;
    for (int k = 0; k < a.n; k++)
        part = part * m->size[a.axis[k]] + kni_mesh_position(m, i, a.axis[k]);
    return part;
}

/* ---- Shardings. */

static knx_error *check_dims(const kni_mesh *m, int ndim, const kni_mesh_axes *dim)
{
    uint32_t used = 0;
    for (int d = 0; d < ndim; d++)
        for (int i = 0; i < dim[d].n; i++) {
            uint32_t bit = 1u << dim[d].axis[i];
            if (used & bit)
                return knx_error_new(KN_ERROR_VALUE,
                                     "axis '%s' of the mesh is twice in a sharding: it cuts one "
                                     "dimension, once",
                                     m->name[dim[d].axis[i]]);
            used |= bit;
        }
    return NULL;
}

static uint64_t sharding_hash(const kni_mesh *m, int ndim, const kni_mesh_axes *dim)
{
    uint64_t h = knx_hash_mix((uint64_t)ndim, (uint64_t)(uintptr_t)m);
    for (int d = 0; d < ndim; d++)
        h = knx_hash_mix(knx_hash_bytes(dim[d].axis, dim[d].n, h), dim[d].n);
    return h;
}

static bool is_sharding(const kni_sharding *s, const kni_mesh *m, int ndim, const kni_mesh_axes *dim)
{
    bool same = s->mesh == m && s->ndim == ndim;
    for (int d = 0; same && d < ndim; d++)
        same = kni_mesh_axes_equal(s->dim[d], dim[d]);
    return same;
}

/* Under the lock. NULL without memory. */
static const kni_sharding *find_sharding(const kni_mesh *m, int ndim, const kni_mesh_axes *dim)
{
    uint64_t hash = sharding_hash(m, ndim, dim);
    known_sharding **bucket = &shardings[hash % BUCKETS], *k = *bucket;
    size_t bytes = (size_t)ndim * sizeof *dim;
    while (k && (k->hash != hash || !is_sharding(&k->sharding, m, ndim, dim)))
        k = k->next;
    if (k)
        return &k->sharding;
    if (!(k = kept(sizeof *k + bytes)))
        return NULL;
    k->hash = hash;
    k->sharding.mesh = m;
    k->sharding.ndim = ndim;
    if (bytes)
        memcpy(k->sharding.dim, dim, bytes);
    k->next = *bucket;
    *bucket = k;
    return &k->sharding;
}

knx_error *kni_sharding_of(const kni_mesh *m, int ndim, const kni_mesh_axes *dim, const kni_sharding **out)
{
    *out = NULL;
    KN_TRY(check_dims(m, ndim, dim));
    knx_global_lock_take(&lock);
    *out = find_sharding(m, ndim, dim);
    knx_global_unlock(&lock);
    return *out ? NULL : knx_error_nomem();
}

bool kni_is_sharding(const void *p)
{
    bool found = false;
    knx_global_lock_take(&lock);
    for (int i = 0; i < BUCKETS && p; i++)
        for (const known_sharding *k = shardings[i]; k && !found; k = k->next)
            found = &k->sharding == p;
    knx_global_unlock(&lock);
    return found;
}

knx_error *kni_sharding_for(const kni_sharding *s, int ndim, const kni_sharding **out)
{
    kni_mesh_axes dim[KN_MAX_NDIM] = {{0}};
    *out = s->ndim == ndim ? s : NULL;
    if (*out)
        return NULL;
    if (s->ndim > ndim) {
        knx_text t = {0};
        return knx_error_new(KN_ERROR_VALUE, "%s is for arrays of at least %d dimension%s, this one has %d",
                             kni_sharding_text(&t, s), s->ndim, s->ndim == 1 ? "" : "s", ndim);
    }
    memcpy(dim, s->dim, (size_t)s->ndim * sizeof *dim);
    return kni_sharding_of(s->mesh, ndim, dim, out);
}

const kni_sharding *kni_replicated(const kni_mesh *m, int ndim)
{
    kni_mesh_axes none[KN_MAX_NDIM] = {{0}};
    const kni_sharding *s;
    knx_error_release(kni_sharding_of(m, ndim, none, &s));
    return s;
}

bool kni_is_replicated(const kni_sharding *s)
{
    for (int d = 0; d < s->ndim; d++)
        if (kni_mesh_parts(s->mesh, s->dim[d]) > 1)
            return false;
    return true;
}

bool kni_part_type(knx_arena *a, kni_type t, const kni_mesh *m, int ndim, const kni_mesh_axes *by, kni_type *out)
{
    int64_t dim[KN_MAX_NDIM];
    for (int d = 0; d < t.ndim; d++)
        dim[d] = knx_dim_ceildiv(t.dim[d], d < ndim ? kni_mesh_parts(m, by[d]) : 1);
    t.dim = dim;
    t.sharding = NULL;
    return kni_type_copy(a, t, out);
}

bool kni_local_type(knx_arena *a, kni_type t, const kni_sharding *s, kni_type *out)
{
    return kni_part_type(a, t, s->mesh, s->ndim, s->dim, out);
}
