/* SPDX-License-Identifier: Apache-2.0
 * processes.c -- each sample over all devices of the job, which may be those of several processes (`mpirun ... rules mpi '*' devices`): its
 * inputs are cut along each of its factors, and the program runs on the mesh. What each device of this process has then is, to the bit, what
 * the same program of one device gives here, where one run is all devices: its mesh's axis is one of a vmap. */
#include "bench.h"
#include "device/mesh/mesh.h"
#include "dist/dist.h"
#include "shard/factors.h"
#include "shard/shard.h"
#include "support/mesh_lanes.h"

#include <string.h>

typedef struct cutting {
    const kni_mesh *m;
    const kni_jaxpr *j;
    const kni_sharding *in[MAX_VALUES], *out[MAX_VALUES];
} cutting;

typedef struct piece {
    const char *whole;
    char *part;
    size_t size;
} piece;

static bool into_part(void *data, int64_t whole, int64_t part)
{
    const piece *p = data;
    memcpy(p->part + (size_t)part * p->size, p->whole + (size_t)whole * p->size, p->size);
    return true;
}

/* The parts of all devices, one behind the other, with zeros behind their ends, as a mesh has them. */
static tensor parts_of(bench *b, const tensor *x, const kni_sharding *s)
{
    kni_type t = tensor_type(x), part;
    int64_t dim[MAX_RANK + 1] = {s->mesh->n_device};
    kni_local_type(&b->arena, t, s, &part);
    memcpy(dim + 1, part.dim, (size_t)part.ndim * sizeof *dim);
    tensor all = tensor_new(&b->arena, x->dtype, x->ndim + 1, dim);
    for (int64_t i = 0; i < s->mesh->n_device; i++) {
        piece p = {x->data, (char *)tensor_at(&all, i * kni_type_size(part)), x->dtype->size};
        mesh_each_inside(t, part, s, i, into_part, &p);
    }
    return all;
}

/* Every device's results, in one run of this process alone; false: no, or there was an error, which b has. */
static bool run_lanes(bench *b, cutting *c, const tensor *in, tensor *y)
{
    kni_jaxpr *local = NULL, *all = NULL;
    tensor x[MAX_VALUES];
    bool ok = bench_ok(b, knshard_partition(c->j, c->m, c->in, &local, c->out, NULL), "partition") &&
              bench_ok(b, mesh_lanes(local, c->m, &all), "lanes");
    for (uint32_t i = 0; ok && i < c->j->n_in; i++)
        x[i] = parts_of(b, &in[i], c->in[i]);
    ok = ok && bench_run(b, all, x, y);
    kni_release(all);
    kni_release(local);
    return ok;
}

typedef struct comparing {
    const char *want, *got;
    size_t size;
} comparing;

static bool same_bits(void *data, int64_t whole, int64_t part)
{
    const comparing *c = data;
    (void)whole;
    return !memcmp(c->want + (size_t)part * c->size, c->got + (size_t)part * c->size, c->size);
}

static void compare(bench *b, const cutting *c, const knd_mesh *d, uint32_t k, const knx_buffer *got,
                    const tensor *want)
{
    kni_type t = kni_out_type(c->j, k), part;
    const knd_parts *p = knd_parts_of(d, got, t);
    kni_local_type(&b->arena, t, c->out[k], &part);
    if (!p || p->sharding != c->out[k]) {
        bench_fail(b, "result %u lies otherwise than the partition says", k);
        return;
    }
    for (int i = 0; i < d->n_local && !b->failed; i++) {
        comparing both = {(char *)tensor_at(want, d->in_mesh[i] * kni_type_size(part)), p->part[i]->data,
                          t.dtype->size};
        if (!mesh_each_inside(t, part, c->out[k], d->in_mesh[i], same_bits, &both))
            bench_fail(b, "result %u has other bits on device %d", k, (int)d->device[i]);
    }
}

/* By the mesh's devices. */
static void run_mesh(bench *b, const cutting *c, const tensor *in, const tensor *want)
{
    const knd_mesh *d = NULL;
    knd_loaded *l = NULL;
    knd_operand x[MAX_VALUES] = {{0}};
    knx_buffer *y[MAX_VALUES] = {NULL};
    bool ok = bench_ok(b, knd_mesh_open(c->m, &d), "mesh") &&
              bench_ok(b, knd_compile(&d->head, c->j, &(knc_compile_options){.fuse = true}, &l), "compile");
    for (uint32_t i = 0; ok && i < c->j->n_in; i++)
        ok = bench_ok(b, knd_cut_whole(d, tensor_type(&in[i]), c->in[i], in[i].data, NULL, &x[i].buffer), "cut");
    ok = ok && bench_ok(b, knd_run(l, x, y, NULL), "run");
    for (uint32_t k = 0; ok && k < c->j->n_out && !b->failed; k++)
        compare(b, c, d, k, y[k], &want[k]);
    for (uint32_t i = 0; i < c->j->n_in; i++)
        knx_buffer_release(x[i].buffer);
    for (uint32_t k = 0; k < c->j->n_out; k++)
        knx_buffer_release(y[k]);
    knd_release(l);
}

/* Inputs that the equation has as operands, cut along the factor; false: none is. */
static bool cut_inputs(cutting *c, const kni_eqn *e, const kni_factor *f)
{
    bool any = false;
    for (uint32_t i = 0; i < c->j->n_in; i++) {
        kni_mesh_axes dim[KN_MAX_NDIM + 1] = {{0}};
        for (uint32_t k = 0; k < e->n_in; k++)
            if (!kni_is_literal(e->in[k]) && e->in[k] == i && f->in[k] >= 0 && !dim[f->in[k]].n) {
                bool other = false; /* an operand that is there twice is cut once */
                for (int d = 0; d < c->j->type[i].ndim; d++)
                    other = other || dim[d].n;
                if (!other)
                    dim[f->in[k]] = (kni_mesh_axes){.n = 1, .axis = {0}};
                any = true;
            }
        knx_error *error = kni_sharding_of(c->m, c->j->type[i].ndim, dim, &c->in[i]);
        if (error) {
            knx_error_release(error);
            return false;
        }
    }
    return any;
}

static void check_factors_of(bench *b, cutting *c, const kni_eqn *e, const tensor *in)
{
    kni_type xt[MAX_OPERANDS];
    kni_spread s;
    for (uint32_t k = 0; k < e->n_in; k++)
        xt[k] = kni_atom_type(c->j, e->in[k]);
    kni_rule r = kni_rule_of(e, xt, &c->j->type[e->out]);
    if (!bench_ok(b, knshard_factors(&r, &b->arena, &s), "factors"))
        return;
    for (int k = 0; k < s.n && !b->failed; k++) {
        tensor y[MAX_VALUES];
        if (s.v[k].size < 2 || !cut_inputs(c, e, &s.v[k]) || !run_lanes(b, c, in, y))
            continue;
        run_mesh(b, c, in, y);
        if (b->failed) {
            char why[sizeof b->message];
            memcpy(why, b->message, sizeof why);
            b->failed = false;
            bench_fail(b, "factor %d over %d devices: %.900s", k, (int)c->m->n_device, why);
        }
    }
}

void check_devices(bench *b)
{
    static const char *const name[] = {"d"};
    const kndist_job *job = kndist_job_now();
    tensor in[MAX_VALUES];
    static cutting c;
    c = (cutting){.j = b->j};
    if (b->s->lanes || b->j->n_const || b->j->n_in > MAX_VALUES || b->j->n_out > MAX_VALUES)
        return;
    if (!bench_ok(b, kni_mesh_of(1, name, &(int64_t){(int64_t)job->n_process * job->n_local}, NULL, &c.m), "mesh"))
        return;
    for (uint32_t i = 0; i < b->j->n_eqn; i++)
        if (kni_bits(b->j->eqn[i].prim, b->j->eqn[i].params) & (KN_EFFECT | KN_USER | KN_ON_MESH | KN_NAMES))
            return;
    bench_fill(b, false, 0, in);
    for (uint32_t i = 0; i < b->j->n_eqn && !b->failed; i++)
        if (b->j->eqn[i].n_in <= MAX_OPERANDS)
            check_factors_of(b, &c, &b->j->eqn[i], in);
}
