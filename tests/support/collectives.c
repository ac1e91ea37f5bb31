/* SPDX-License-Identifier: Apache-2.0
 * collectives.c -- collectives over meshes against collectives of vmaps. */
#include "support/collectives.h"
#include "device/device.h"
#include "dist/dist.h"
#include "ir/ops.h"
#include "transform/transform.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test {
    const kni_mesh *mesh;
    kni_names names;
    int64_t size[3], lanes;
    kn_dtype dtype;
    int which;
    const char *what;
} test;

enum { CASES = 31, SAME = 7 };
/* Devices of a test are in one process or in a few. */
enum { MOST = 64 };

static kni_type type(const test *t, int ndim, int64_t a, int64_t b, int64_t c)
{
    static int64_t dim[CASES][3];
    memcpy(dim[t->which], (int64_t[]){a, b, c}, sizeof dim[0]);
    return kni_type_of(t->dtype, ndim, dim[t->which]);
}

static bool is_number(kn_dtype d) { return d->kind != KN_KIND_BOOL && d->kind != KN_KIND_KEY; }
static bool is_real(kn_dtype d) { return d->kind != KN_KIND_KEY && d->kind != KN_KIND_COMPLEX; }

static kni_atom reduced(test *t, kni_builder *b, kni_atom (*f)(kni_builder *, kni_atom, kni_names, const kni_mesh *),
                        const kni_mesh *mesh, int shape)
{
    static const int ndim[SAME] = {0, 1, 2, 2, 3, 1, 1};
    static const int64_t dim[SAME][3] = {{0}, {3}, {5, 7}, {0, 3}, {23, 11, 9}, {5001}, {1}};
    return f(b, knb_invar(b, kni_type_of(t->dtype, ndim[shape], dim[shape])), t->names, mesh);
}

static kni_atom gathered(test *t, kni_builder *b, const kni_mesh *mesh, kni_type x, int dimension, bool tiled)
{
    t->what = "all_gather";
    return knb_all_gather(b, knb_invar(b, x),
                          &(kni_p_all_gather){.all_gather_dimension = dimension,
                                              .axis_name = t->names,
                                              .sizes = {t->names.n, t->size},
                                              .axis_size = t->lanes,
                                              .tiled = tiled,
                                              .mesh = mesh});
}

static kni_atom scattered(test *t, kni_builder *b, const kni_mesh *mesh, kni_type x, int dimension, bool tiled)
{
    t->what = "reduce_scatter";
    if (!is_number(t->dtype))
        return KN_ATOM_NONE;
    return knb_reduce_scatter(b, knb_invar(b, x),
                              &(kni_p_reduce_scatter){.scatter_dimension = dimension,
                                                      .axis_name = t->names,
                                                      .sizes = {t->names.n, t->size},
                                                      .axis_size = t->lanes,
                                                      .tiled = tiled,
                                                      .mesh = mesh});
}

static kni_atom exchanged(test *t, kni_builder *b, const kni_mesh *mesh, kni_type x, int split, int concat)
{
    t->what = "all_to_all";
    return knb_all_to_all(b, knb_invar(b, x),
                          &(kni_p_all_to_all){.split_axis = split,
                                              .concat_axis = concat,
                                              .axis_name = t->names,
                                              .sizes = {t->names.n, t->size},
                                              .axis_size = t->lanes,
                                              .tiled = true,
                                              .mesh = mesh});
}

/* Lane i to lane i + by, around or not. */
static kni_atom permuted(test *t, kni_builder *b, const kni_mesh *mesh, int by, bool around)
{
    int64_t pair[2 * MOST];
    int n = 0;
    t->what = "ppermute";
    if (t->dtype->kind == KN_KIND_KEY)
        return KN_ATOM_NONE;
    for (int64_t i = 0; i < t->lanes; i++)
        if (around || i + by < t->lanes) {
            pair[n++] = i;
            pair[n++] = (i + by) % t->lanes;
        }
    return knb_ppermute(b, knb_invar(b, type(t, 2, 4, 3, 0)),
                        &(kni_p_ppermute){.axis_name = t->names,
                                          .perm = {n, pair},
                                          .mesh = mesh,
                                          .sizes = {t->names.n > 1 ? t->names.n : 0, t->size}});
}

static kni_atom other(test *t, kni_builder *b, const kni_mesh *mesh)
{
    int64_t n = t->lanes;
    switch (t->which) {
    case 14: return gathered(t, b, mesh, type(t, 2, 3, 4, 0), 0, true);
    case 15: return gathered(t, b, mesh, type(t, 2, 3, 4, 0), 1, true);
    case 16: return gathered(t, b, mesh, type(t, 2, 3, 4, 0), 2, false);
    case 17: return gathered(t, b, mesh, type(t, 0, 0, 0, 0), 0, false);
    case 18: return scattered(t, b, mesh, type(t, 2, 2 * n, 5, 0), 0, true);
    case 19: return scattered(t, b, mesh, type(t, 3, 3, 2 * n, 7), 1, true);
    case 20: return scattered(t, b, mesh, type(t, 2, 6, n, 0), 1, false);
    case 21: return exchanged(t, b, mesh, type(t, 2, 2 * n, 3, 0), 0, 0);
    case 22: return exchanged(t, b, mesh, type(t, 3, 2, 3 * n, 5), 1, 0);
    case 23: return exchanged(t, b, mesh, type(t, 3, n, 2, 4), 0, 2);
    case 24: return exchanged(t, b, mesh, type(t, 2, 0, n, 0), 1, 0);
    case 25: return permuted(t, b, mesh, 1, true);
    case 26: return permuted(t, b, mesh, 1, false);
    case 27: return permuted(t, b, mesh, 3, true);
    case 28: return permuted(t, b, mesh, MOST, false);
    case 29:
        t->what = "pbroadcast";
        return t->names.n > 1 ? KN_ATOM_NONE
                              : knb_pbroadcast(b, knb_invar(b, type(t, 2, 2, 3, 0)), t->names, t->lanes - 1, mesh);
    default:
        t->what = "axis_index";
        knb_invar(b, type(t, 1, 1, 0, 0));
        return t->names.n > 1 ? KN_ATOM_NONE : knb_axis_index(b, t->names, mesh);
    }
}

/* One case; KN_ATOM_NONE: there is none of this dtype and these names. */
static kni_atom build(test *t, kni_builder *b, const kni_mesh *mesh)
{
    if (t->which >= 14)
        return other(t, b, mesh);
    t->what = t->which < SAME ? "psum" : t->which % 2 ? "pmax" : "pmin";
    if (t->which < SAME ? !is_number(t->dtype) : !is_real(t->dtype))
        return KN_ATOM_NONE;
    return reduced(t, b, t->which < SAME ? knb_psum : t->which % 2 ? knb_pmax : knb_pmin, mesh, t->which % SAME);
}

/* ---- Running. */

typedef struct run {
    const test *t;
    const knd_loaded *program;
    const char *x;
    size_t x_bytes;
    knx_buffer *y[MOST];
    int64_t in_mesh[MOST];
} run;

static knx_error *run_one(void *env, int i)
{
    run *r = env;
    return knd_run(r->program, &(knd_operand){.data = r->x + (size_t)r->in_mesh[i] * r->x_bytes}, &r->y[i], NULL);
}

int collectives_here(const kni_mesh *mesh, int32_t *device, int64_t *in_mesh)
{
    const kndist_job *job = kndist_job_now();
    int n = 0;
    for (int64_t i = 0; i < mesh->n_device; i++)
        if (mesh->device[i] / job->n_local == job->process) {
            device[n] = mesh->device[i];
            in_mesh[n++] = i;
        }
    return n;
}

static bool same(kn_dtype d, const char *a, const char *b)
{
    kn_dtype part = knx_component(d);
    for (size_t i = 0; i < d->size; i += part->size) {
        knx_scalar_bits x = {.u = {0, 0}}, y = x;
        memcpy(&x, a + i, part->size);
        memcpy(&y, b + i, part->size);
        bool nans = knx_is_float(part) && isnan(knx_scalar_to_double(part, x)) && isnan(knx_scalar_to_double(part, y));
        if (!nans && memcmp(a + i, b + i, part->size))
            return false;
    }
    return true;
}

static void fill(kn_dtype d, size_t n, char *to)
{
    static const double odd[] = {0.0, -0.0, 1e30, -1e-30, INFINITY, NAN, 65504, 1e-7, -0.0, -0.0};
    uint64_t state = 17;
    kn_dtype part = knx_component(d);
    size_t parts = d->kind == KN_KIND_KEY ? 0 : n * (d->size / part->size);
    for (size_t i = 0; i < n * d->size && d->kind == KN_KIND_KEY; i++)
        to[i] = (char)(i * 37 + 11);
    for (size_t i = 0; i < parts; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double v = (double)((int64_t)(state >> 40) - (1 << 23)) / 4096;
        if (knx_is_float(part) && state % 9 == 0)
            v = odd[(state >> 33) % 10];
        knx_scalar_bits s = knx_scalar_from_double(part, d->kind == KN_KIND_BOOL ? v > 0
                                                         : knx_is_float(part)    ? v
                                                                                 : fmod(v, 60));
        memcpy(to + i * part->size, s.bytes, part->size);
    }
}

/* The batched program over all lanes: one vmap for each axis of the mesh, the last one inside. */
static knx_error *reference(test *t, knx_buffer **y, const char *x)
{
    kni_builder b;
    kni_jaxpr *j = NULL, *batched = NULL;
    knd_loaded *p = NULL;
    knb_init(&b);
    kni_atom out = build(t, &b, NULL);
    knx_error *error = knb_finish(&b, 1, &out, "f", false, &j);
    knb_free(&b);
    for (int axis = t->mesh->n_axis - 1; axis >= 0 && !error; axis--) {
        error = knt_batch(j, t->mesh->size[axis], t->mesh->name[axis], (int[]){0}, NULL, &batched);
        kni_release(j);
        j = batched;
        batched = NULL;
    }
    if (!error)
        error = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &p);
    if (!error)
        error = knd_run(p, &(knd_operand){.data = x}, y, NULL);
    knd_release(p);
    kni_release(j);
    return error;
}

static knx_error *over_mesh(test *t, run *r, kni_type *x, kni_type *y)
{
    kni_builder b;
    kni_jaxpr *j = NULL;
    knd_loaded *p = NULL;
    int32_t device[MOST];
    knb_init(&b);
    kni_atom out = build(t, &b, t->mesh);
    knx_error *error = knb_finish(&b, 1, &out, "f", false, &j);
    knb_free(&b);
    if (error)
        return error;
    static int64_t dim[2][KN_MAX_NDIM];
    *x = j->type[0];
    if (x->ndim)
        memcpy(dim[0], x->dim, (size_t)x->ndim * sizeof *x->dim);
    x->dim = dim[0];
    *y = kni_atom_type(j, j->out[0]);
    if (y->ndim)
        memcpy(dim[1], y->dim, (size_t)y->ndim * sizeof *y->dim);
    y->dim = dim[1];
    r->x_bytes = (size_t)kni_type_bytes(*x);
    size_t n = (size_t)t->mesh->n_device;
    char *data = malloc(n * r->x_bytes + 64);
    fill(t->dtype, n * r->x_bytes / t->dtype->size, data);
    r->x = data;
    error = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &p);
    r->program = p;
    if (!error)
        error = kndist_run_whole(t->mesh, &(kndist_group){(int)n, 0, t->mesh->device},
                                 collectives_here(t->mesh, device, r->in_mesh), device, r->in_mesh, run_one, r);
    knd_release(p);
    kni_release(j);
    return error;
}

static bool check(test *t, char *fault, size_t room)
{
    run r = {.t = t};
    kni_type x, y;
    int32_t device[MOST];
    int n = collectives_here(t->mesh, device, r.in_mesh);
    knx_buffer *want = NULL;
    knx_text mesh = {0};
    bool well = true;
    knx_error *error = over_mesh(t, &r, &x, &y);
    if (!error)
        error = reference(t, &want, r.x);
    if (error)
        snprintf(fault, room, "%s, case %d of %s over %s: %s", t->what, t->which, t->dtype->name,
                 kni_mesh_text(&mesh, t->mesh), error->message);
    size_t bytes = error ? 0 : (size_t)kni_type_bytes(y);
    for (int i = 0; i < n && !error; i++)
        for (size_t k = 0; k < bytes && well; k += y.dtype->size) {
            well = same(y.dtype, (char *)r.y[i]->data + k, (char *)want->data + (size_t)r.in_mesh[i] * bytes + k);
            if (!well)
                snprintf(fault, room, "%s, case %d of %s over %d of %s: device %d, element %zu differs", t->what,
                         t->which, t->dtype->name, t->names.n, kni_mesh_text(&mesh, t->mesh), device[i],
                         k / y.dtype->size);
        }
    well &= !error;
    knx_error_release(error);
    knx_buffer_release(want);
    for (int i = 0; i < n; i++)
        knx_buffer_release(r.y[i]);
    free((void *)(uintptr_t)r.x);
    return well;
}

/* Is there such a case? */
static bool exists(test *t)
{
    kni_builder b;
    knb_init(&b);
    kni_atom out = build(t, &b, t->mesh);
    bool well = !b.error && out != KN_ATOM_NONE;
    knx_error_release(knb_take_error(&b));
    knb_free(&b);
    return well;
}

bool collectives_take(kn_dtype d) { return !knx_is_stored(d); }

bool collectives_agree(const kni_mesh *mesh, kn_dtype d, char *fault, size_t room, int *checked)
{
    const char *names[3], *back[3];
    for (int i = 0; i < mesh->n_axis; i++)
        back[mesh->n_axis - 1 - i] = names[i] = mesh->name[i];
    for (int axes = 0; axes < mesh->n_axis + 2; axes++) { /* each axis, all, all in the other order */
        test t = {.mesh = mesh, .dtype = d, .lanes = 1};
        t.names = axes < mesh->n_axis    ? (kni_names){1, &names[axes]}
                  : axes == mesh->n_axis ? (kni_names){mesh->n_axis, names}
                                         : (kni_names){mesh->n_axis, back};
        for (int i = 0; i < t.names.n; i++)
            t.lanes *= t.size[i] = mesh->size[kni_mesh_axis(mesh, t.names.v[i], strlen(t.names.v[i]))];
        for (t.which = 0; t.which < CASES; t.which++) {
            if (!exists(&t))
                continue;
            ++*checked;
            if (!check(&t, fault, room))
                return false;
        }
        if (mesh->n_axis == 1)
            break;
    }
    return true;
}

const kni_mesh *collectives_mesh(int x, int y, int z)
{
    static const char *const name[] = {"x", "y", "z"};
    const kni_mesh *mesh = NULL;
    knx_error *error = kni_mesh_of(z ? 3 : y ? 2 : 1, name, (int64_t[]){x, y, z}, NULL, &mesh);
    if (error)
        fprintf(stderr, "%s\n", error->message);
    knx_error_release(error);
    return mesh;
}
