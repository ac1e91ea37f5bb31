/* SPDX-License-Identifier: Apache-2.0
 * checkpoint.c -- writing checkpoints. Where each part goes follows from the shardings alone, so all processes know all
 * of it without speaking of it; they come together before files are written, and before the new folder takes the old
 * one's place. */
#include "io/checkpoint.h"
#include "array/handle.h"
#include "array/state.h"
#include "array/storage.h"
#include "base/context.h"
#include "dist/dist.h"
#include "face/sharding.h"
#include "io/output.h"
#include "kiln/checkpoint.h"
#include "tree/tree.h"
#include <string.h>

static const char operation[] = "save_checkpoint";

/* ---- Together. */

typedef struct meeting {
    const kndist_group *all;
    knx_error *mine;
} meeting;

static knx_error *meet(void *env, int i)
{
    meeting *m = env;
    knx_error *mine = m->mine;
    m->mine = NULL;
    (void)i;
    return mine ? mine : kndist_barrier(m->all, (kndist_what){operation, knx_context()->here});
}

/* A device of each process: those of a mesh of their own. */
static knx_error *mesh_of_processes(const knd_mesh **d)
{
    const kndist_job *job = kndist_job_now();
    const kni_mesh *m;
    const int64_t n = job->n_process;
    int32_t *first = knx_alloc((size_t)n * sizeof *first);
    if (!first)
        return knx_error_nomem();
    for (int p = 0; p < n; p++)
        first[p] = p * job->n_local;
    knx_error *e = kni_mesh_of(1, (const char *const[]){"process"}, &n, first, &m);
    knx_free(first);
    return e ? e : knd_mesh_open(m, d);
}

/* All processes have come here: with an error of one of them, if there is one. */
static knx_error *together(knx_error *mine)
{
    const kndist_job *job = kndist_job_now();
    const knd_mesh *d;
    if (job->n_process == 1)
        return mine;
    knx_error *e = mesh_of_processes(&d);
    if (e) {
        knx_error_release(mine);
        return e;
    }
    const kndist_group all = {job->n_process, job->process, d->mesh->device};
    meeting m = {&all, mine};
    e = kndist_run_whole(d->mesh, &all, d->n_local, d->device, d->in_mesh, meet, &m);
    if (m.mine)
        knx_error_release(m.mine);
    return e;
}

/* ---- What there is. */

typedef struct held {
    kna_value *v;
    const kni_sharding *s; /* NULL: it lies in no mesh */
    const knd_parts *parts;
    const void *from;   /* the elements of what lies in no mesh */
    knx_buffer *buffer; /* where they are, if they have to stay as they are */
} held;

struct knio_checkpoint {
    kntree_tree *tree;
    held *held; /* one of each leaf */
    knio_manifest m;
};
typedef knio_checkpoint writer;

static knx_error *hold(kn_array x, held *h)
{
    kna_value *v;
    KN_TRY(knface_layout(x, &v, &h->s, &h->parts));
    h->v = v;
    if (v->type.weak)
        KN_TRY(kna_value_as(&h->v, kna_strong_dtype(v->type)));
    if (h->parts)
        return NULL;
    KN_TRY(kna_force_here(1, &h->v));
    h->from = kna_elements(h->v);
    return NULL;
}

/* The elements stay as they are, whatever becomes of the array: one that holds a buffer keeps others from writing to
 * it, but for memory that the program sees. */
static knx_error *freeze(held *h)
{
    const kna_value *v = h->v;
    if (v->state == KN_V_NUMBER)
        return NULL;
    if (!v->pin && !v->buffer->away) {
        h->buffer = knx_buffer_retain(v->buffer);
        return NULL;
    }
    size_t bytes = (size_t)kni_type_bytes(v->type);
    h->buffer = knx_buffer_new(bytes);
    if (!h->buffer)
        return knx_error_nomem();
    if (bytes)
        memcpy(h->buffer->data, h->from, bytes);
    h->from = h->buffer->data;
    return NULL;
}

/* Its place in the file that the process writes. */
static void place(knio_manifest *m, const knio_leaf *l, knio_piece *p, int process)
{
    uint64_t *end = &m->bytes[process];
    p->file = process;
    p->at = (*end + KNIO_CHECKPOINT_ALIGN - 1) / KNIO_CHECKPOINT_ALIGN * KNIO_CHECKPOINT_ALIGN;
    *end = p->at + knio_piece_bytes(l, p);
}

static bool add_piece(knio_manifest *m, knio_leaf *l, const knd_box *box, int process)
{
    size_t bytes = (size_t)l->type.ndim * sizeof(int64_t);
    knio_piece *p = &l->piece[l->n_piece];
    p->start = knx_arena_copy(&m->arena, box->start, bytes ? bytes : 1);
    p->count = knx_arena_copy(&m->arena, box->count, bytes ? bytes : 1);
    if (!p->start || !p->count)
        return false;
    if (knio_piece_bytes(l, p)) {
        place(m, l, p, process);
        l->n_piece++;
    }
    return true;
}

static bool is_first_copy(const kni_sharding *s, int64_t in_mesh)
{
    uint32_t cut = 0;
    for (int d = 0; d < s->ndim; d++)
        cut |= kni_mesh_axes_set(s->dim[d]);
    for (int a = 0; a < s->mesh->n_axis; a++)
        if (!(cut >> a & 1) && kni_mesh_position(s->mesh, in_mesh, a))
            return false;
    return true;
}

static bool describe(knio_manifest *m, const held *h, const char *path, knio_leaf *l)
{
    const kni_type t = h->v->type;
    const kndist_job *job = kndist_job_now();
    int64_t n = 1;
    for (int k = 0; h->s && k < t.ndim; k++)
        n *= kni_mesh_parts(h->s->mesh, h->s->dim[k]);
    const int64_t *dim = knx_arena_copy(&m->arena, t.dim, t.ndim ? (size_t)t.ndim * sizeof *dim : 0);
    *l = (knio_leaf){.path = path, .type = kni_type_of(t.dtype, t.ndim, dim)};
    if (h->s) {
        knx_str text = {0};
        kni_add_sharding(&text, h->s);
        l->sharding = text.failed ? NULL : knx_arena_string(&m->arena, text.s);
        knx_str_free(&text);
    }
    l->piece = knx_arena_alloc(&m->arena, (size_t)n * sizeof *l->piece);
    if (!dim || !l->piece || (h->s && !l->sharding))
        return false;
    knd_box box = {0};
    if (t.ndim && !h->s)
        memcpy(box.count, t.dim, (size_t)t.ndim * sizeof *t.dim);
    if (!h->s)
        return add_piece(m, l, &box, 0);
    for (int64_t i = 0; i < h->s->mesh->n_device; i++)
        if (is_first_copy(h->s, i)) {
            knd_box_of(&box, t, h->s, i);
            if (!add_piece(m, l, &box, h->s->mesh->device[i] / job->n_local))
                return false;
        }
    return true;
}

static knx_error *prepare(writer *w, const kntree_structure *s)
{
    const size_t n = (size_t)w->tree->n;
    knio_manifest *m = &w->m;
    m->n_file = kndist_job_now()->n_process;
    m->n_leaf = w->tree->n;
    m->bytes = knx_arena_zero(&m->arena, (size_t)m->n_file * sizeof *m->bytes);
    m->leaf = knx_arena_zero(&m->arena, (n + 1) * sizeof *m->leaf);
    w->held = knx_alloc_zero((n + 1) * sizeof *w->held);
    if (!m->bytes || !m->leaf || !w->held)
        return knx_error_nomem();
    m->structure = kntree_structure_retain((kntree_structure *)(uintptr_t)s);
    for (size_t i = 0; i < n; i++) {
        knx_str path = {0};
        KN_TRY(hold(w->tree->at[i], &w->held[i]));
        kntree_structure_keystr(&path, s, kntree_structure_leaf(s, (int)i), true, "/");
        const char *kept = path.failed ? NULL : knx_arena_string(&m->arena, path.s ? path.s : "");
        knx_str_free(&path);
        if (!kept || !describe(m, &w->held[i], kept, &m->leaf[i]))
            return knx_error_nomem();
    }
    return NULL;
}

/* ---- Written. */

static knx_error *fill(knio_output *o, uint64_t *at, uint64_t to)
{
    static const char zero[KNIO_CHECKPOINT_ALIGN];
    KN_TRY(knio_output_write(o, zero, (size_t)(to - *at)));
    *at = to;
    return NULL;
}

/* The local device that has the piece. */
static int device_of(const knd_mesh *d, const held *h, const knio_piece *p)
{
    knd_box box;
    for (int i = 0; i < d->n_local; i++) {
        knd_box_of(&box, h->v->type, h->s, d->in_mesh[i]);
        bool same = true;
        for (int k = 0; k < h->v->type.ndim; k++)
            same = same && box.start[k] == p->start[k] && box.count[k] == p->count[k];
        if (same)
            return i;
    }
    return -1;
}

static knx_error *write_piece(knio_output *o, const held *h, const knio_leaf *l, const knio_piece *p)
{
    size_t bytes = (size_t)knio_piece_bytes(l, p);
    if (!h->parts)
        return knio_output_write(o, h->from, bytes);
    const knd_mesh *d = knd_mesh_of(knd_site_at(h->v->site)->device);
    int i = device_of(d, h, p);
    if (i < 0)
        return knx_error_new(KN_ERROR_RUNTIME, "a part of %s is not where its sharding says", l->path);
    if (knd_part_bytes(h->v->type, h->s) == bytes)
        return knio_output_write(o, h->parts->part[i]->data, bytes);
    void *dense = knx_alloc(bytes);
    if (!dense)
        return knx_error_nomem();
    knd_copy_part(d, h->parts, i, dense);
    knx_error *e = knio_output_write(o, dense, bytes);
    knx_free(dense);
    return e;
}

static knx_error *write_pieces(const writer *w, knio_output *o, int process)
{
    uint64_t at = 0;
    for (int i = 0; i < w->m.n_leaf; i++) {
        const knio_leaf *l = &w->m.leaf[i];
        for (int k = 0; k < l->n_piece; k++) {
            const knio_piece *p = &l->piece[k];
            if (p->file != process)
                continue;
            KN_TRY(fill(o, &at, p->at));
            KN_TRY(write_piece(o, &w->held[i], l, p));
            at += knio_piece_bytes(l, p);
        }
    }
    return NULL;
}

/* The file of this process, if it has something to write. */
static knx_error *write_part(const writer *w, const char *folder)
{
    int process = kndist_job_now()->process;
    char name[24];
    knio_output o;
    if (!w->m.bytes[process])
        return NULL;
    knio_part_name(name, process);
    char *path = knio_in_folder(folder, ".new", name);
    knx_error *e = path ? knio_output_open(path, NULL, &o) : knx_error_nomem();
    if (!e)
        e = knio_output_close(&o, write_pieces(w, &o, process));
    knx_free(path);
    return e;
}

/* By the first process: are the files of the others there, too? */
static knx_error *check_parts(const writer *w, const char *folder)
{
    for (int p = 0; p < w->m.n_file; p++) {
        char name[24];
        knio_source s = {0};
        if (!w->m.bytes[p])
            continue;
        knio_part_name(name, p);
        char *path = knio_in_folder(folder, ".new", name);
        knx_error *e = path ? knio_source_open(path, &s) : knx_error_nomem();
        if (!e && s.size != w->m.bytes[p])
            e = knx_error_new(KN_ERROR_FILE, "%s: process %d has written %llu bytes, but there are %llu here", path, p,
                              (unsigned long long)w->m.bytes[p], (unsigned long long)s.size);
        knio_source_close(&s);
        knx_free(path);
        KN_TRY(e);
    }
    return NULL;
}

static knx_error *complete(const writer *w, const char *folder)
{
    KN_TRY(check_parts(w, folder));
    char *path = knio_in_folder(folder, ".new", "manifest.json");
    knx_error *e = path ? knio_manifest_write(path, &w->m) : knx_error_nomem();
    knx_free(path);
    return e ? e : knio_folder_commit(folder);
}

static knx_error *write_folder(const writer *w, knx_error *e, const char *folder)
{
    bool first = kndist_job_now()->process == 0, begun = false;
    if (!e && first) {
        e = knio_folder_begin(folder);
        begun = !e;
    }
    e = together(e);
    if (!e)
        e = together(write_part(w, folder));
    if (!e)
        e = together(first ? complete(w, folder) : NULL);
    if (e && begun)
        knio_folder_drop(folder);
    return e;
}

/* ---- A tree that is to be written. */

knx_error *knio_checkpoint_new(kntree_tree *t, const kntree_structure *s, knio_checkpoint **out)
{
    writer *w = *out = knx_alloc_zero(sizeof *w);
    if (!w)
        return knx_error_nomem();
    w->tree = t;
    knx_error *e = prepare(w, s);
    w->tree = NULL;
    return e;
}

bool knio_checkpoint_is_here(const knio_checkpoint *w)
{
    for (int i = 0; i < w->m.n_leaf; i++)
        if (w->held[i].parts)
            return false;
    return kndist_job_now()->n_process == 1;
}

knx_error *knio_checkpoint_freeze(knio_checkpoint *w)
{
    for (int i = 0; i < w->m.n_leaf; i++)
        KN_TRY(freeze(&w->held[i]));
    return NULL;
}

knx_error *knio_checkpoint_write(const knio_checkpoint *w, knx_error *e, const char *path)
{
    char *folder = path && *path ? knio_folder_real(path) : NULL;
    if (!folder && !e)
        e = knx_error_nomem();
    e = write_folder(w, e, folder);
    knx_free(folder);
    return e;
}

knx_error *knio_checkpoint_together(knx_error *mine) { return together(mine); }

void knio_checkpoint_free(knio_checkpoint *w)
{
    for (int i = 0; w && w->held && i < w->m.n_leaf; i++) {
        if (w->held[i].v)
            kna_value_release(w->held[i].v);
        knx_buffer_release(w->held[i].buffer);
    }
    if (!w)
        return;
    knx_free(w->held);
    knio_manifest_free(&w->m);
    knx_free(w);
}

int kn_save_checkpoint(const char *path, kn_tree tree)
{
    kna_op op;
    writer *w = NULL;
    kntree_tree *t = kntree_tree_get(operation, tree);
    const kntree_structure *s = t ? kntree_structure_in(operation, t) : NULL;
    if (!s) { /* the others do not wait for this one */
        knx_error_release(together(knx_error_new(KN_ERROR_TYPE, "it was given no tree")));
        return -1;
    }
    kna_begin(&op, operation);
    knx_error *e = !path    ? knx_error_new(KN_ERROR_TYPE, "null path")
                   : !*path ? knx_error_new(KN_ERROR_FILE, "the path is empty")
                            : knio_checkpoint_new(t, s, &w);
    e = knio_checkpoint_write(w, e, path);
    knio_checkpoint_free(w);
    if (e)
        kna_fail_with(&op, e);
    return kna_end_plain(&op) ? 0 : -1;
}
