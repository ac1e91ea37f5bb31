/* SPDX-License-Identifier: Apache-2.0
 * spread.c -- pieces of files become the parts of arrays: see spread.h. */
#include "io/spread.h"
#include "array/handle.h"
#include "face/sharding.h"
#include <string.h>

/* Pieces with less than GAP bytes between them are read together, at most WINDOW bytes. */
enum { WINDOW = 1 << 18, GAP = 1 << 12 };

typedef struct walk {
    knio_source *s;
    int n; /* axes, those of the file's order: the last one's elements are adjacent there */
    size_t item;
    int64_t count[KN_MAX_NDIM], in_file[KN_MAX_NDIM], in_memory[KN_MAX_NDIM]; /* steps in bytes */
    uint64_t end;                                                             /* of all pieces */
    char *window;  /* bytes of the file from `from` on; NULL: each piece is read alone */
    uint64_t from; /* of the window */
    size_t have;
    bool near; /* pieces are read together */
} walk;

/* Axes that go on behind each other on both sides become one. */
static void add_axis(walk *w, int64_t count, int64_t in_file, int64_t in_memory)
{
    int k = w->n - 1;
    if (count == 1 && w->n)
        return;
    if (w->n && w->in_file[k] == count * in_file && w->in_memory[k] == count * in_memory) {
        w->count[k] *= count;
        w->in_file[k] = in_file;
        w->in_memory[k] = in_memory;
        return;
    }
    if (w->n && w->count[k] == 1)
        w->n--; /* one element of an outer axis: it has been counted in `at` */
    w->count[w->n] = count;
    w->in_file[w->n] = in_file;
    w->in_memory[w->n] = in_memory;
    w->n++;
}

/* Gives the place of the first element in the file. */
static uint64_t plan(walk *w, const knio_block *b, const knio_box *box, const int64_t *stride)
{
    int64_t step[KN_MAX_NDIM], next = (int64_t)b->item;
    uint64_t at = b->at;
    for (int k = 0; k < b->ndim; k++) {
        int d = b->fortran ? k : b->ndim - 1 - k;
        step[d] = next;
        next *= b->dim[d];
    }
    for (int k = 0; k < b->ndim; k++) {
        int d = b->fortran ? b->ndim - 1 - k : k;
        at += (uint64_t)(box->start[d] * step[d]);
        add_axis(w, box->count[d], step[d], stride[d]);
    }
    if (!w->n || w->in_file[w->n - 1] != (int64_t)b->item) { /* one element at a time */
        w->count[w->n] = 1;
        w->in_file[w->n] = w->in_memory[w->n] = (int64_t)b->item;
        w->n++;
    }
    w->end = at + b->item;
    for (int k = 0; k < w->n; k++)
        w->end += (uint64_t)((w->count[k] - 1) * w->in_file[k]);
    return at;
}

/* The bytes of the file from `at` on, which stay until the next ones are asked for. */
static knx_error *see(walk *w, uint64_t at, size_t bytes, const char **out)
{
    if (at < w->from || at + bytes > w->from + w->have) {
        w->have = !w->near ? bytes : w->end - at < WINDOW ? (size_t)(w->end - at) : WINDOW;
        w->from = at;
        KN_TRY(knio_source_read(w->s, at, w->window, w->have));
    }
    *out = w->window + (at - w->from);
    return NULL;
}

/* Some elements that are adjacent in the file. */
static knx_error *read_piece(walk *w, uint64_t at, char *to)
{
    int k = w->n - 1;
    bool straight = w->in_memory[k] == (int64_t)w->item;
    int64_t most = straight && !w->window ? w->count[k] : (int64_t)(WINDOW / w->item);
    for (int64_t done = 0; done < w->count[k]; done += most) {
        int64_t n = w->count[k] - done < most ? w->count[k] - done : most;
        size_t bytes = (size_t)n * w->item;
        char *x = to + done * w->in_memory[k];
        const char *y;
        if (!w->window) {
            KN_TRY(knio_source_read(w->s, at, x, bytes));
            continue;
        }
        KN_TRY(see(w, at + (uint64_t)done * w->item, bytes, &y));
        if (straight)
            memcpy(x, y, bytes);
        else
            for (int64_t i = 0; i < n; i++)
                memcpy(x + i * w->in_memory[k], y + (size_t)i * w->item, w->item);
    }
    return NULL;
}

static knx_error *read_pieces(walk *w, uint64_t at, char *to)
{
    int64_t i[KN_MAX_NDIM + 1] = {0};
    for (;;) {
        KN_TRY(read_piece(w, at, to));
        int k = w->n - 2;
        for (; k >= 0 && i[k] == w->count[k] - 1; k--) {
            at -= (uint64_t)(i[k] * w->in_file[k]);
            to -= i[k] * w->in_memory[k];
            i[k] = 0;
        }
        if (k < 0)
            return NULL;
        i[k]++;
        at += (uint64_t)w->in_file[k];
        to += w->in_memory[k];
    }
}

knx_error *knio_read_box(knio_source *s, const knio_block *b, const knio_box *box, char *to, const int64_t *stride)
{
    walk w = {.s = s, .item = b->item};
    for (int d = 0; d < b->ndim; d++)
        if (!box->count[d])
            return NULL;
    uint64_t at = plan(&w, b, box, stride);
    int k = w.n - 1;
    int64_t piece = w.count[k] * w.in_file[k];
    w.near = k > 0 && piece < WINDOW && w.in_file[k - 1] - piece < GAP;
    if (w.near || w.in_memory[k] != (int64_t)b->item) {
        w.window = knx_alloc(WINDOW);
        if (!w.window)
            return knx_error_nomem();
    }
    knx_error *error = read_pieces(&w, at, to);
    knx_free(w.window);
    return error;
}

/* ---- Arrays. */

typedef struct made {
    const knd_mesh *d;
    const kni_sharding *s;
    kni_type t;
    knio_box_reader read;
    void *env;
} made;

static void set_strides(int64_t *stride, kni_type t, const int64_t *extent)
{
    int64_t step = t.dtype->size;
    for (int k = t.ndim - 1; k >= 0; k--) {
        stride[k] = step;
        step *= extent[k];
    }
}

/* What is behind the elements is zero, so that no number there slows arithmetic down. */
static knx_error *read_to(const made *m, const knd_box *box, uint64_t bytes, knx_buffer **out)
{
    knio_box b;
    int64_t stride[KN_MAX_NDIM];
    knx_buffer *buffer = *out = knx_buffer_new(bytes);
    if (!buffer)
        return knx_error_nomem_for(bytes, 0, NULL, NULL);
    if (!bytes)
        return NULL;
    memset(buffer->data, 0, bytes);
    set_strides(stride, m->t, box->extent);
    memcpy(b.start, box->start, sizeof b.start);
    memcpy(b.count, box->count, sizeof b.count);
    knx_error *error = m->read(m->env, &b, buffer->data, (size_t)bytes, stride);
    if (error) {
        knx_buffer_release(buffer);
        *out = NULL;
    }
    return error;
}

static knx_error *read_part(void *env, int i, knx_buffer **out)
{
    const made *m = env;
    knd_box box = {0};
    knd_box_of(&box, m->t, m->s, m->d->in_mesh[i]);
    return read_to(m, &box, knd_part_bytes(m->t, m->s), out);
}

static knx_error *read_whole(const made *m, knx_buffer **out)
{
    knd_box box = {0};
    for (int k = 0; k < m->t.ndim; k++)
        box.count[k] = box.extent[k] = m->t.dim[k];
    return read_to(m, &box, kni_type_bytes(m->t), out);
}

knx_error *knio_read_array(kna_op *op, kni_type t, const kni_sharding *s, knio_box_reader read, void *env,
                           kni_atom *out)
{
    made m = {.t = t, .read = read, .env = env};
    knx_buffer *b = NULL;
    if (s) {
        KN_TRY(kni_sharding_for(s, t.ndim, &m.s));
        KN_TRY(knd_mesh_open(s->mesh, &m.d));
        KN_TRY(knd_make_parts(m.d, t, m.s, read_part, &m, &b));
        return knface_array_on_mesh(op, m.d, t, b, out);
    }
    KN_TRY(read_whole(&m, &b));
    kna_value *v = kna_value_buffer(t, b);
    if (!v)
        return knx_error_nomem();
    *out = kna_value_atom(op, v);
    kna_value_release(v);
    return NULL;
}
