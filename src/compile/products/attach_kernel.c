/* SPDX-License-Identifier: Apache-2.0
 * attach_kernel.c -- kernels as parts of a product's step: by which loops and maps a kernel reads or writes an operand
 * or the result, and the same kernel made again for rectangles, with one loop and a map of its own for each buffer. */
#include "compile/products/attach.h"
#include "kernel/internal.h"
#include <string.h>

static bool is_plain(const knk_kernel *k) { return k->n_stage == 1 && !k->stage[0].n_inner && !k->stage[0].n_loop; }

/* Adds the map of one more access to the meeting. The two parts of a complex number are two accesses, whose maps may
 * differ in the part alone. False: the accesses are at different elements. */
static bool add_map(knc_meeting *m, const knc_step *s, int map)
{
    const knk_map_values *v = &s->u.k.map[map];
    int64_t part = knx_dim_mod(v->offset, m->parts), offset = knx_dim_floordiv(v->offset, m->parts);
    bool first = m->map[0] < 0 && m->map[1] < 0;
    if (knx_is_symbolic(part))
        return false;
    for (int d = 0; d < m->n_loop; d++) {
        int64_t stride = knx_dim_floordiv(v->stride[d], m->parts);
        if (!knc_divides(m->parts, v->stride[d]) || (!first && m->extent[d] != 1 && stride != m->stride[d]))
            return false;
        m->stride[d] = stride;
    }
    if (!first && offset != m->offset)
        return false;
    m->offset = offset;
    m->map[part] = map;
    return true;
}

bool knc_meets(const knc_step *s, uint32_t slot, kn_dtype d, bool written, knc_meeting *m)
{
    const knk_kernel *k = s->u.k.kernel;
    *m = (knc_meeting){.slot = slot, .n_loop = k->n_par, .parts = knc_parts(d), .map = {-1, -1}, .extent = s->u.k.par};
    if (!is_plain(k))
        return false;
    for (int i = 0; i < k->n_node; i++) {
        const knk_inst *n = &k->node[i];
        if ((n->op != KNK_LOAD && n->op != KNK_STORE) || s->ref[n->buffer].index != slot)
            continue;
        bool plain = n->op == KNK_STORE ? written : !written && n->a < 0 && n->b < 0;
        if (!plain || s->ref[n->buffer].offset || k->buffer[n->buffer].dtype != knc_part(d) || !add_map(m, s, n->map))
            return false;
    }
    return m->map[0] >= 0 || m->map[1] >= 0;
}

/* The load whose value is stored unchanged (casts to float32 and back change no 16-bit float); NULL: there is none. */
static const knk_inst *loaded(const knk_kernel *k, const knk_inst *store)
{
    const knk_inst *x = &k->node[store->a];
    knx_dtype_id d = (knx_dtype_id)x->dtype;
    if (x->op == KNK_CAST && knk_is_half_id(d) && k->node[x->a].op == KNK_CAST && k->node[x->a].dtype == KN_ID_F32)
        x = &k->node[k->node[x->a].a];
    return x->op == KNK_LOAD && x->a < 0 && x->b < 0 && x->dtype == d ? x : NULL;
}

bool knc_only_moves(const knc_step *s, kn_dtype d, knc_meeting *from, knc_meeting *to)
{
    const knk_kernel *k = s->u.k.kernel;
    int read = -1, written = -1, stores = 0;
    if (!is_plain(k))
        return false;
    for (int i = 0; i < k->n_node; i++) {
        if (k->node[i].op != KNK_STORE)
            continue;
        const knk_inst *x = loaded(k, &k->node[i]);
        if (!x || (stores && (read != x->buffer || written != k->node[i].buffer)))
            return false;
        read = x->buffer;
        written = k->node[i].buffer;
        stores++;
        if (knc_parts(d) == 2 &&
            !knc_divides(2, knx_dim_sub(s->u.k.map[x->map].offset, s->u.k.map[k->node[i].map].offset)))
            return false; /* it stores a part as the other one */
    }
    if (stores != knc_parts(d) || k->buffer[read].dtype != knc_part(d) ||
        !knc_meets(s, s->ref[written].index, d, true, to))
        return false;
    /* the elements that are read may begin anywhere in their slot: knc_meets gets a reference without the offset */
    knc_ref ref = s->ref[read];
    knc_step at_begin = *s;
    knc_ref few[2] = {{.index = KNC_NO}, {.index = KNC_NO}};
    if (k->n_buffer != 2)
        return false;
    few[read] = (knc_ref){.index = ref.index};
    few[written] = (knc_ref){.index = KNC_NO};
    at_begin.ref = few;
    bool fine = knc_meets(&at_begin, ref.index, d, false, from);
    from->ref_offset = ref.offset;
    return fine;
}

/* --- the kernel again ------------------------------------------------------------------------- */

/* A map of the new kernel: the number of the old kernel's map, and the buffer that uses it here. */
typedef struct use {
    int map, buffer; /* buffer -1: the map of an INDEX node */
} use;
typedef struct copier {
    const knk_kernel *k;
    knk_builder *b;
    int n_use;
    use use[KNC_ATTACHED_MAPS + 2];
} copier;

static int map_for(copier *c, int map, int buffer)
{
    static const uint8_t any = KNK_STRIDE_ANY;
    for (int i = 0; i < c->n_use; i++)
        if (c->use[i].map == map && c->use[i].buffer == buffer)
            return i;
    if (c->n_use >= KNC_ATTACHED_MAPS)
        return -1;
    c->use[c->n_use] = (use){map, buffer};
    knk_add_map(c->b, &any);
    return c->n_use++;
}

/* Copies the nodes of the kernel. part: the loads of elements that the product hands over, one per part. */
static bool copy_nodes(copier *c, const knc_step *s, const knc_meeting *m, knk_node part[2])
{
    part[0] = part[1] = KNK_NONE;
    for (int i = 0; i < c->k->n_node; i++) {
        knk_inst n = c->k->node[i];
        bool memory = n.op == KNK_LOAD || n.op == KNK_STORE;
        if (n.op == KNK_LOAD && s->ref[n.buffer].index == m->slot)
            part[n.map == m->map[0] ? 0 : 1] = i;
        if (memory || n.op == KNK_INDEX) {
            n.map = (int16_t)map_for(c, n.map, memory ? n.buffer : -1);
            if (n.map < 0)
                return false;
        }
        knk_append_raw(c->b, n);
    }
    return true;
}

/* Adds a buffer, and stores there of the elements that the product hands over. False: a part is not read. */
static bool add_stores(copier *c, const knc_meeting *m, const knk_node part[2])
{
    int buffer = knk_add_buffer(c->b, (knx_dtype_id)c->k->node[part[part[0] < 0]].dtype, true);
    for (int q = 0; q < m->parts; q++) {
        if (part[q] < 0)
            return false;
        int map = map_for(c, m->map[q], buffer);
        if (map < 0)
            return false;
        knk_store(c->b, buffer, map, part[q]);
    }
    return true;
}

/* False: the kernel has too many maps, or cannot keep what it reads. */
static bool copy_kernel(copier *c, const knc_step *s, const knc_meeting *m, bool keep)
{
    knk_node part[2];
    knk_begin_stage(c->b, 0);
    for (int i = 0; i < c->k->n_buffer; i++)
        knk_add_buffer(c->b, (knx_dtype_id)c->k->buffer[i].dtype, c->k->buffer[i].written);
    return copy_nodes(c, s, m, part) && (!keep || add_stores(c, m, part));
}

/* --- its dimensions --------------------------------------------------------------------------- */

/* Dimensions of the attached kernel, the outermost first. Each is one or more parts (knc_piece) of the dimensions of a
 * group of the product: neighbours that every map walks as if they were one become one. */
typedef struct dims {
    int n;
    const knc_piece *last[KNC_MAX_PIECES]; /* the innermost part of the dimension; NULL: an added extent of 1 */
    int64_t extent[KNC_MAX_PIECES];
} dims;

static int64_t step_of(const knc_step *s, int map, const knc_piece *x)
{
    return knx_dim_mul(s->u.k.map[map].stride[x->loop], x->turns);
}

static bool is_handed(const copier *c, const knc_step *s, const knc_meeting *m, int map)
{
    int b = c->use[map].buffer;
    return b >= 0 && b < c->k->n_buffer && s->ref[b].index == m->slot;
}

static bool continues(const copier *c, const knc_step *s, const knc_meeting *m, const knc_piece *outer,
                      const knc_piece *inner)
{
    for (int i = 0; i < c->n_use; i++)
        if (!is_handed(c, s, m, i) && !knx_dim_same(step_of(s, c->use[i].map, outer),
                                                    knx_dim_mul(step_of(s, c->use[i].map, inner), inner->extent)))
            return false;
    return true;
}

static void list_group(const copier *c, const knc_step *s, const knc_meeting *m, const knc_fit *fit, int group, dims *d)
{
    int first = d->n;
    for (int number = 0; number < KN_MAX_NDIM; number++)
        for (int i = fit->n - 1; i >= 0; i--) {
            const knc_piece *x = &fit->piece[i];
            if (x->group != group || x->dim != number)
                continue;
            bool joins = d->n > first && continues(c, s, m, d->last[d->n - 1], x);
            int to = joins ? d->n - 1 : d->n++;
            d->extent[to] = joins ? knx_dim_mul(d->extent[to], x->extent) : x->extent;
            d->last[to] = x;
        }
}

static int count_group(const copier *c, const knc_step *s, const knc_meeting *m, const knc_fit *fit, int group,
                       bool least, dims *d)
{
    int before = d->n;
    list_group(c, s, m, fit, group, d);
    if (least && d->n == before) {
        d->extent[d->n] = 1;
        d->last[d->n++] = NULL;
    }
    return d->n - before;
}

/* A score: each map, but of elements that are handed over, counts 2 where its elements are adjacent along the
 * dimension, 1 where it stays at one. */
static int adjacent(const knc_attached *x, int n_map, int dim)
{
    int n = x->n_batch + x->n_row + x->n_column, score = 0;
    for (int m = 0; m < n_map; m++) {
        int64_t stride = x->stride[m * n + dim];
        score += x->handed[m] ? 0 : stride == 1 ? 2 : stride == 0;
    }
    return score;
}

/* The product hands over elements that are adjacent along columns, or along rows. For each case: are the kernel's other
 * elements mostly adjacent the other way? Then blocks of the handed elements are transposed before or after the
 * kernel. */
static void choose_lanes(knc_attached *x, int n_map)
{
    int row = x->n_batch + x->n_row - 1, column = x->n_batch + x->n_row + x->n_column - 1, element = 0;
    int along_rows = adjacent(x, n_map, row), along_columns = adjacent(x, n_map, column);
    for (int b = 0; b < x->kernel->n_buffer; b++)
        if (x->ref[b] == KNC_NO)
            element = knx_dtype_table[x->kernel->buffer[b].dtype].size * x->parts;
    bool turns = element <= 8;
    x->across[0] = turns && along_rows >= along_columns + 2 && x->extent[row] != 1;
    x->across[1] = turns && along_columns >= along_rows + 2 && x->extent[column] != 1;
    x->element = element;
}

static bool describe(knx_arena *a, const copier *c, const knc_step *s, const knc_meeting *m, const knc_fit *fit,
                     const dims *d, const uint32_t *ref, uint32_t keep, knc_attached *x)
{
    const knk_kernel *k = c->k;
    uint32_t *refs = knx_arena_alloc(a, (size_t)(k->n_buffer + 1) * sizeof *refs);
    bool *handed = knx_arena_zero(a, (size_t)c->n_use + 1);
    int64_t *offset = knx_arena_zero(a, (size_t)(c->n_use + 1) * sizeof *offset);
    int64_t *stride = knx_arena_zero(a, (size_t)(c->n_use * d->n + 1) * sizeof *stride);
    if (!refs || !handed || !offset || !stride)
        return false;
    for (int b = 0; b < k->n_buffer; b++)
        refs[b] = s->ref[b].index == m->slot ? KNC_NO : *ref++;
    refs[k->n_buffer] = keep;
    for (int i = 0; i < c->n_use; i++) {
        const knk_map_values *v = &s->u.k.map[c->use[i].map];
        handed[i] = is_handed(c, s, m, i);
        offset[i] = handed[i] ? c->use[i].map == m->map[1] : v->offset;
        for (int l = 0; !handed[i] && fit->back >> l; l++)
            if (fit->back >> l & 1)
                offset[i] = knx_dim_add(offset[i], knx_dim_mul(m->extent[l] - 1, v->stride[l]));
        for (int k2 = 0; k2 < d->n; k2++)
            stride[i * d->n + k2] = d->last[k2] ? step_of(s, c->use[i].map, d->last[k2]) : 0;
    }
    x->ref = refs;
    x->handed = handed;
    x->offset = offset;
    x->stride = stride;
    x->parts = m->parts;
    x->extent = knx_arena_copy(a, d->extent, (size_t)d->n * sizeof *d->extent);
    if (x->extent)
        choose_lanes(x, c->n_use);
    return x->extent != NULL;
}

knx_error *knc_attach_kernel(knc_plan *p, const knc_step *s, knc_side side, const knc_meeting *m, const knc_fit *fit,
                             const uint32_t *ref, uint32_t keep, const knc_attached **out)
{
    copier c = {.k = s->u.k.kernel, .b = knk_new(1)};
    knk_kernel *copy = NULL;
    *out = NULL;
    if (!c.b)
        return knx_error_nomem();
    if (!copy_kernel(&c, s, m, keep != KNC_NO)) {
        knk_delete(c.b);
        return NULL;
    }
    KN_TRY(knk_finish(c.b, &copy));
    bool fits = p->o->target->attaches(copy);
    knx_error *e = fits && p->o->kernels ? knc_share_kernel(p->o->kernels, &copy) : NULL;
    dims d = {0};
    knc_attached *x = knx_arena_zero(&p->p->arena, sizeof *x);
    if (!e && x && fits) {
        x->kernel = copy;
        x->n_batch = count_group(&c, s, m, fit, 0, false, &d);
        x->n_row = count_group(&c, s, m, fit, side == KNC_SIDE_B ? 2 : 1, true, &d);
        x->n_column = count_group(&c, s, m, fit, side == KNC_SIDE_C ? 2 : 3, true, &d);
        if (describe(&p->p->arena, &c, s, m, fit, &d, ref, keep, x)) {
            *out = x;
            return NULL;
        }
        x = NULL;
    }
    knk_release(copy);
    return e || x ? e : knx_error_nomem();
}
