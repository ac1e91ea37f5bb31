/* SPDX-License-Identifier: Apache-2.0
 * sharded.c -- a program cut for the devices of a random mesh, its operands lying at random, against the whole program.
 * The jaxpr of one device is batched over each axis of the mesh by its name, so one run on the host is a run of all devices;
 * and it is run on as many devices, each on its thread.
 * Bits are equal, but for results that sums over devices reach: those may be as far off as noise.c says.
 *
 * Left out are programs with effects (debug_print, callbacks), with the user's own code, and with meshes of their own. */
#include "sharded.h"
#include "device/device.h"
#include "dist/dist.h"
#include "support/mesh_lanes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 12, LARGE = 100000 };
static const char *const axis_names[] = {"x", "y", "z"};

typedef struct placement {
    const kni_mesh *mesh;
    const kni_sharding *in[MAX_VALUES], *out[MAX_VALUES];
    uint32_t passed[MAX_VALUES]; /* axes of the mesh that the operand is given with, a bit each; all that cut it */
    uint8_t padding;             /* the byte behind an operand's end */
    kni_jaxpr *j;                /* the program with constraints */
} placement;

/* ---- At random. */

static const kni_mesh *any_mesh(uint64_t *state, int64_t most)
{
    int64_t size[3], n;
    int axes;
    const kni_mesh *m = NULL;
    do {
        axes = 1 + (int)(test_random(state) % 3);
        n = 1;
        for (int i = 0; i < axes; i++)
            n *= size[i] = 1 + (int64_t)(test_random(state) % 4);
    } while (n > most || (n == 1 && test_random(state) % 8));
    knx_error_release(kni_mesh_of(axes, axis_names, size, NULL, &m));
    return m;
}

kni_mesh_axes any_axes(const kni_mesh *m, uint64_t *state, uint32_t *used)
{
    static const uint8_t many[] = {0, 0, 0, 1, 1, 1, 1, 2};
    kni_mesh_axes a = {0};
    for (int want = many[test_random(state) % 8], tries = 0; a.n < want && tries < 6; tries++) {
        int axis = (int)(test_random(state) % (uint64_t)m->n_axis);
        if (*used >> axis & 1)
            continue;
        *used |= 1u << axis;
        a.axis[a.n++] = (uint8_t)axis;
    }
    return a;
}

static bool place(const program *p, uint64_t seed, placement *s)
{
    static const uint8_t paddings[] = {0xff, 0x7f, 0, 0x3c}, how_often[] = {0, 1, 3, 10};
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 5;
    int64_t size = 0;
    for (int i = 0; i < program_operands(p); i++)
        size += kni_type_size(p->j->type[i]);
    s->mesh = any_mesh(&state, size > LARGE ? 4 : MAX_DEVICES);
    s->padding = paddings[test_random(&state) % 4];
    uint64_t whole = test_random(&state) % 3;
    for (int i = 0; s->mesh && i < program_operands(p); i++) {
        kni_mesh_axes dim[KN_MAX_NDIM + 1];
        uint32_t used = 0;
        int ndim = p->j->type[i].ndim, first = ndim ? (int)(test_random(&state) % (uint64_t)ndim) : 0;
        for (int d = 0; d < ndim; d++)
            dim[(d + first) % ndim] = any_axes(s->mesh, &state, &used);
        s->passed[i] = !whole || test_random(&state) % 4 == 0 ? (1u << s->mesh->n_axis) - 1 : used;
        knx_error *e = kni_sharding_of(s->mesh, ndim, dim, &s->in[i]);
        knx_error_release(e);
        if (e)
            return false;
    }
    int often = how_often[test_random(&state) % 4];
    s->j = s->mesh && often ? with_constraints(p->j, s->mesh, state, often) : kni_retain(p->j);
    return s->j != NULL;
}

static const char *placement_text(knx_text *t, const program *p, const placement *s)
{
    kni_mesh_text(t, s->mesh);
    for (int i = 0; i < program_operands(p); i++) {
        knx_text_add(t, i ? "; " : " of ");
        knx_text spec = {0};
        knx_text_add(t, "(%s)", kni_spec_text(&spec, s->in[i]));
    }
    return t->s;
}

/* ---- Parts. */

typedef struct copying {
    char *whole, *part;
    size_t size;
    kn_dtype dtype;
    uint8_t *seen; /* of the whole's elements; NULL: the part is written */
} copying;

static bool into_part(void *data, int64_t whole, int64_t part)
{
    const copying *c = data;
    memcpy(c->part + (size_t)part * c->size, c->whole + (size_t)whole * c->size, c->size);
    return true;
}

/* Devices that have the same element have the same bits. */
static bool into_whole(void *data, int64_t whole, int64_t part)
{
    const copying *c = data;
    char *to = c->whole + (size_t)whole * c->size;
    const char *from = c->part + (size_t)part * c->size;
    if (c->seen[whole])
        return first_difference(kni_scalar_type(c->dtype), to, from) < 0;
    memcpy(to, from, c->size);
    c->seen[whole] = 1;
    return true;
}

/* The device whose positions along the axes of the set are number i of them in C order, 0 along the others. */
static int64_t device_of(const kni_mesh *m, uint32_t set, int64_t i)
{
    int64_t device = 0, step = 1;
    for (int a = m->n_axis - 1; a >= 0; step *= m->size[a--])
        if (set >> a & 1) {
            device += i % m->size[a] * step;
            i /= m->size[a];
        }
    return device;
}

static int64_t count_of(const kni_mesh *m, uint32_t set)
{
    int64_t n = 1;
    for (int a = 0; a < m->n_axis; a++)
        n *= set >> a & 1 ? m->size[a] : 1;
    return n;
}

static knx_buffer *parts_of(kni_type t, const kni_sharding *s, uint32_t passed, uint8_t padding, knx_buffer *whole)
{
    knx_arena arena = KN_ARENA_INIT;
    kni_type part;
    kni_local_type(&arena, t, s, &part);
    size_t bytes = (size_t)kni_type_bytes(part);
    int64_t n = count_of(s->mesh, passed);
    knx_buffer *b = knx_buffer_new(bytes * (size_t)n + 1);
    memset(b->data, t.dtype->kind == KN_KIND_BOOL ? padding & 1 : padding, bytes * (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        copying c = {whole->data, (char *)b->data + (size_t)i * bytes, t.dtype->size, t.dtype, NULL};
        mesh_each_inside(t, part, s, device_of(s->mesh, passed, i), into_part, &c);
    }
    knx_arena_free(&arena);
    return b;
}

/* NULL: devices differ. */
static knx_buffer *whole_of(kni_type t, const kni_sharding *s, const knx_buffer *parts)
{
    knx_arena arena = KN_ARENA_INIT;
    kni_type part;
    kni_local_type(&arena, t, s, &part);
    size_t bytes = (size_t)kni_type_bytes(part);
    knx_buffer *b = knx_buffer_new((size_t)kni_type_bytes(t) + 1);
    uint8_t *seen = calloc((size_t)kni_type_size(t) + 1, 1);
    bool same = true;
    for (int64_t i = 0; same && i < s->mesh->n_device; i++) {
        copying c = {b->data, (char *)parts->data + (size_t)i * bytes, t.dtype->size, t.dtype, seen};
        same = mesh_each_inside(t, part, s, i, into_whole, &c);
    }
    free(seen);
    knx_arena_free(&arena);
    if (same)
        return b;
    knx_buffer_release(b);
    return NULL;
}

/* ---- All devices in one run. */

static knx_error *without_constants(const kni_jaxpr *j, kni_jaxpr **out)
{
    kni_builder b;
    kni_atom *x = calloc(j->n_var + 1, sizeof *x), *y = calloc(j->n_out + 1, sizeof *y);
    knb_init(&b);
    for (uint32_t i = 0; i < j->n_const + j->n_in; i++)
        x[i] = knb_invar(&b, j->type[i]);
    knb_inline(&b, j, x, y);
    knx_error *e = knb_finish(&b, (int)j->n_out, y, "all", false, out);
    knb_free(&b);
    free(x);
    free(y);
    return e;
}

static knx_error *over_all(const kni_jaxpr *local, const placement *s, kni_jaxpr **out)
{
    int in[MAX_VALUES], back[MAX_VALUES] = {0};
    kni_jaxpr *next = NULL, *unbound = NULL;
    knx_error *e = mesh_unbind(local, &unbound);
    if (!e)
        e = without_constants(unbound, out);
    kni_release(unbound);
    for (int a = s->mesh->n_axis - 1; !e && a >= 0; a--) {
        for (uint32_t i = 0; i < (*out)->n_in; i++)
            in[i] = s->passed[i] >> a & 1 ? 0 : -1;
        e = knt_batch(*out, s->mesh->size[a], s->mesh->name[a], in, back, &next);
        kni_release(*out);
        *out = e ? NULL : next;
    }
    return e;
}

static knx_error *run_all(const program *p, const placement *s, const kni_jaxpr *local, knx_buffer **y)
{
    program all = {NULL, calloc((size_t)program_operands(p) + 1, sizeof *all.x)};
    knx_error *e = over_all(local, s, &all.j);
    for (int i = 0; !e && i < program_operands(p); i++)
        all.x[i] = parts_of(p->j->type[i], s->in[i], s->passed[i], s->padding, p->x[i]);
    if (!e)
        e = way_run(&(way){.name = "sharded", .fuse = true, .as_used = true, .threads = 1}, &all, 0, y);
    if (all.j)
        program_free(&all);
    else
        free(all.x);
    return e;
}

/* ---- Each device on a thread of its own, of this process or of another one. */

typedef struct crew {
    knd_loaded *l;
    int n_in, n_out;
    int32_t device[MAX_DEVICES]; /* of the mesh */
    kndist_group all;
    int first;          /* device of this process */
    knd_operand *x;     /* per device of the mesh and operand */
    knx_buffer **y;     /* per device and result: of this process's */
    knx_buffer **parts; /* per result: of all devices, one behind the other; made by the first device of this process */
} crew;

static size_t part_bytes(const crew *c, int k) { return (size_t)kni_type_bytes(knc_output_type(c->l->program, k)); }

static knx_error *on_device(void *env, int i)
{
    const crew *c = env;
    int d = c->first + i;
    KN_TRY(knd_run(c->l, c->x + d * c->n_in, c->y + d * c->n_out, NULL));
    for (int k = 0; k < c->n_out; k++) {
        size_t bytes = part_bytes(c, k);
        kndist_group g = c->all;
        knx_buffer *own = i ? knx_buffer_new(bytes * (size_t)g.n + 1) : NULL;
        g.me = d;
        knx_error *e = kndist_all_gather(&g, (kndist_what){"look", NULL}, c->y[d * c->n_out + k]->data, bytes,
                                         (i ? own : c->parts[k])->data);
        knx_buffer_release(own);
        KN_TRY(e);
    }
    return NULL;
}

/* An operand's parts, each in a buffer of its own. */
static void give_parts(const program *p, const placement *s, crew *c, int i)
{
    int64_t n = s->mesh->n_device;
    knx_buffer *all = parts_of(p->j->type[i], s->in[i], (1u << s->mesh->n_axis) - 1, s->padding, p->x[i]);
    size_t bytes = all->bytes ? (size_t)kni_type_bytes(knc_operand_type(c->l->program, i)) : 0;
    for (int64_t d = 0; d < n; d++) {
        knx_buffer *part = knx_buffer_new(bytes + 1);
        memcpy(part->data, (char *)all->data + (size_t)d * bytes, bytes);
        c->x[d * c->n_in + i] = (knd_operand){.buffer = part};
    }
    knx_buffer_release(all);
}

/* The results' parts one behind the other, as run_all has them; y[0] NULL without an error: no device is of this process. */
static knx_error *run_devices(const program *p, const placement *s, const kni_jaxpr *local, knx_buffer **y)
{
    const kndist_job *job = kndist_job_now();
    int64_t in_mesh[MAX_DEVICES];
    int n = (int)s->mesh->n_device, first = job->process * job->n_local, here = 0;
    crew c = {.n_in = program_operands(p), .n_out = (int)p->j->n_out, .first = first, .parts = y};
    knx_error *e = knd_compile(&knd_host, local, &(knc_compile_options){.fuse = true}, &c.l);
    if (e)
        return e;
    c.x = calloc((size_t)(n * c.n_in) + 1, sizeof *c.x);
    c.y = calloc((size_t)(n * c.n_out) + 1, sizeof *c.y);
    for (int d = 0; d < n; d++) {
        in_mesh[d] = c.device[d] = d;
        here += d >= first && d < first + job->n_local;
    }
    c.all = (kndist_group){n, 0, c.device};
    for (int i = 0; i < c.n_in; i++)
        give_parts(p, s, &c, i);
    for (int k = 0; here && k < c.n_out; k++)
        y[k] = knx_buffer_new(part_bytes(&c, k) * (size_t)n + 1);
    if (here)
        e = kndist_run_whole(s->mesh, &c.all, here, c.device + first, in_mesh + first, on_device, &c);
    for (int k = 0; k < n * c.n_in; k++)
        knx_buffer_release(c.x[k].buffer);
    release_all(n * c.n_out, c.y);
    knd_release(c.l);
    free(c.x);
    free(c.y);
    return e;
}

/* ---- One placement. */

typedef struct whole {
    knx_buffer *y[MAX_VALUES];
    knx_error *error;
    noise noise;
} whole;

static FILE *looks; /* what devices have is written down: dtype and a hash of the bits */

static void write_down(kni_type t, const knx_buffer *b)
{
    const unsigned char *p = b->data;
    uint64_t hash = 14695981039346656037u;
    for (knx_bytes i = 0; i < kni_type_bytes(t); i++)
        hash = (hash ^ p[i]) * 1099511628211u;
    fprintf(looks, "%s %016llx\n", t.dtype->name, (unsigned long long)hash);
}

static void compare_result(const program *p, whole *w, const placement *s, uint32_t k, bool inexact,
                           const knx_buffer *parts, verdict *v)
{
    kni_type t = kni_out_type(p->j, k);
    char a[96], b[96];
    knx_buffer *got = whole_of(t, s->out[k], parts);
    if (!got) {
        fails(v, "result %u has not the same bits on all devices", k);
        return;
    }
    if (looks)
        write_down(t, got);
    int64_t i = first_difference(t, w->y[k]->data, got->data);
    if (i >= 0 && inexact)
        i = noise_exceeded(p, &w->noise, k, w->y[k]->data, got->data);
    if (i >= 0) {
        kn_dtype part = knx_component(t.dtype);
        size_t at = (size_t)i * part->size;
        tensor_show(part, tensor_load(part, (char *)got->data + at), a);
        tensor_show(part, tensor_load(part, (char *)w->y[k]->data + at), b);
        fails(v, "result %u, part %lld is %s, not %s%s", k, (long long)i, a, b, inexact ? ", nor near it" : "");
    }
    knx_buffer_release(got);
}

typedef knx_error *run_fn(const program *p, const placement *s, const kni_jaxpr *local, knx_buffer **y);

/* All devices at once, or each by itself: the whole's results. */
static void check_run(const program *p, whole *w, const placement *s, const kni_jaxpr *local, run_fn *run, verdict *v)
{
    knx_buffer *y[MAX_VALUES] = {NULL};
    bool inexact[MAX_VALUES] = {false};
    sums_reach(local, inexact);
    knx_error *e = run(p, s, local, y);
    if (!e && p->j->n_out && !y[0]) /* it is not of this mesh */
        return;
    if ((e != NULL) != (w->error != NULL) || (e && e->kind != w->error->kind))
        fails(v, "%s, but whole %s", e ? e->message : "no error", w->error ? w->error->message : "no error");
    for (uint32_t k = 0; !e && !v->failed && k < p->j->n_out; k++)
        compare_result(p, w, s, k, inexact[k], y[k], v);
    knx_error_release(e);
    release_all((int)p->j->n_out, y);
}

static void check_cut(const program *p, whole *w, placement *s, verdict *v)
{
    kni_jaxpr *local = NULL;
    knx_error *e = knshard_partition(s->j, s->mesh, s->in, &local, s->out, NULL);
    if (e)
        fails(v, "it cannot be cut: %s", e->message);
    if (!e)
        e = kni_check(local);
    if (e)
        fails(v, "the part is wrong: %s", e->message);
    if (!e)
        check_run(p, w, s, local, run_all, v);
    if (!e && !v->failed) {
        check_run(p, w, s, local, run_devices, v);
        if (v->failed)
            strncat(v->what, "; on devices", sizeof v->what - strlen(v->what) - 1);
    }
    knx_error_release(e);
    if (v->failed || getenv("SHOW")) {
        knx_text t = {0};
        char *text = NULL;
        size_t n = strlen(v->what);
        if (v->failed)
            snprintf(v->what + n, sizeof v->what - n, "; over %s", placement_text(&t, p, s));
        if (local && getenv("SHOW")) {
            knx_error_release(kni_text(local, KN_FORM_TYPED, &text));
            printf("%s\n%s\n", t.s, text ? text : "");
            knx_free(text);
        }
    }
    kni_release(local);
}

static bool is_left_out(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (kni_bits(j->eqn[i].prim, j->eqn[i].params) & (KN_EFFECT | KN_USER | KN_ON_MESH))
            return true;
    return false;
}

bool sharded;

bool sharded_begin(bool processes)
{
    const char *path = getenv("KILN_TEST_LOOKS");
    knx_error *e = processes ? kndist_join(NULL) : kndist_set_local(MAX_DEVICES);
    const kndist_job *job = kndist_job_now();
    if (!e && job->n_process * job->n_local < MAX_DEVICES)
        e = knx_error_new(KN_ERROR_VALUE, "%d devices are wanted: KILN_DEVICES says how many a process has",
                          MAX_DEVICES);
    if (e)
        printf("%s\n", e->message);
    if (!e && path && !job->process) /* which has devices of every mesh */
        looks = fopen(path, "w");
    knx_error_release(e);
    return !e;
}

int sharded_end(void)
{
    bool well = !looks || fclose(looks) == 0;
    knx_error *e = kndist_is_joined() ? kndist_leave_job() : NULL;
    if (e)
        printf("%s\n", e->message);
    well = well && !e;
    knx_error_release(e);
    return !well;
}

void check_sharded(const program *p, uint64_t seed, bool all, verdict *v)
{
    whole w = {{NULL}, NULL, {0, false, {{NULL}}}};
    *v = (verdict){0};
    if (program_operands(p) > MAX_VALUES || p->j->n_out > MAX_VALUES)
        return;
    if (is_left_out(p->j)) {
        v->refused = true;
        return;
    }
    w.error = way_run(&(way){.name = "whole", .fuse = true, .as_used = true, .threads = 1}, p, 0, w.y);
    v->ran = !w.error;
    for (int k = 0; k < (all ? 24 : 2) && !v->failed; k++) {
        placement s = {0};
        if (!place(p, seed * 32 + (uint64_t)k, &s))
            fails(v, "no memory");
        else
            check_cut(p, &w, &s, v);
        kni_release(s.j);
        v->sets++;
    }
    v->taken = true;
    noise_free(p, &w.noise);
    knx_error_release(w.error);
    release_all((int)p->j->n_out, w.y);
}
