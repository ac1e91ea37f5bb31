/* SPDX-License-Identifier: Apache-2.0
 * narrow.c -- finds out whether a kernel that fills an operand of a product works out narrow numbers, less zero points,
 * times scales, each of one row and group of steps, and whether all of that lies in memory as the loops of
 * product_narrow.h read it. */
#include "device/host/narrow.h"
#include <string.h>

atomic_uint_fast64_t knd_narrow_found;

/* The kernel of the operand, its rows and its steps. */
typedef struct look {
    const knc_attached *x;
    const knk_kernel *k;
    knd_narrow *out;
} look;

static const knk_inst *node(const look *l, knk_node n) { return &l->k->node[n]; }

static int64_t stride(const look *l, int map, int dim)
{
    return l->x->stride[map * (l->x->n_batch + l->x->n_row + l->x->n_column) + dim];
}

static int first_row(const look *l) { return l->x->n_batch; }
static int first_step(const look *l) { return l->x->n_batch + l->x->n_row; }
static int end_of_steps(const look *l) { return first_step(l) + l->x->n_column; }

/* One stride for dimensions first .. end - 1 together; false: there is none. */
static bool joined(const look *l, int map, int first, int end, int64_t *out)
{
    int64_t each = 0, times = 1;
    bool any = false;
    for (int d = end - 1; d >= first; d--) {
        if (l->x->extent[d] == 1)
            continue;
        if (!any)
            each = stride(l, map, d);
        else if (stride(l, map, d) != each * times)
            return false;
        any = true;
        times *= l->x->extent[d];
    }
    *out = each;
    return true;
}

static int64_t product_of_extents(const look *l, int first, int end)
{
    int64_t n = 1;
    for (int d = first; d < end; d++)
        n *= l->x->extent[d];
    return n;
}

/* A load without an index or a predicate, of memory of the step. */
static bool is_load(const look *l, knk_node n)
{
    const knk_inst *i = n < 0 ? NULL : node(l, n);
    return i && i->op == KNK_LOAD && i->a == KNK_NONE && i->b == KNK_NONE && l->x->ref[i->buffer] != KNC_NO;
}

static knd_narrow_place place_of(const look *l, const knk_inst *load)
{
    return (knd_narrow_place){l->x->ref[load->buffer], l->x->offset[load->map] * knx_dtype_table[load->dtype].size};
}

/* What a node casts to float32, or the node itself. */
static knk_node cast_from(const look *l, knk_node n)
{
    const knk_inst *i = node(l, n);
    return i->op == KNK_CAST && i->dtype == KN_ID_F32 ? i->a : n;
}

/* Numbers of which there is one for each row and group: the inner dimensions of the steps do not move them. *steps: of
 * a group. */
static bool read_groups(const look *l, knk_node n, knr_narrow_groups *g, knd_narrow_place *at, int64_t *steps)
{
    n = cast_from(l, n);
    if (!is_load(l, n))
        return false;
    const knk_inst *i = node(l, n);
    int end = end_of_steps(l);
    while (end > first_step(l) && (l->x->extent[end - 1] == 1 || stride(l, i->map, end - 1) == 0))
        end--;
    *steps = product_of_extents(l, end, end_of_steps(l));
    g->dtype = &knx_dtype_table[i->dtype];
    *at = place_of(l, i);
    return joined(l, i->map, first_row(l), first_step(l), &g->row) && joined(l, i->map, first_step(l), end, &g->group);
}

/* One number for all: a constant, or a load that nothing moves. */
static bool read_number(const look *l, knk_node n)
{
    const knk_inst *i = node(l, n);
    int64_t row = 0, step = 0;
    if (i->op == KNK_CONST && i->dtype == KN_ID_F32) {
        uint32_t bits = (uint32_t)i->imm;
        memcpy(&l->out->number, &bits, sizeof bits);
        l->out->zero.ref = KNC_NO;
        return true;
    }
    if (!is_load(l, n) || i->dtype != KN_ID_F32 || !joined(l, i->map, first_row(l), first_step(l), &row) ||
        !joined(l, i->map, first_step(l), end_of_steps(l), &step) || row || step)
        return false;
    l->out->zero = place_of(l, i);
    return true;
}

static bool is_constant(const look *l, knk_node n, uint64_t value)
{
    return node(l, n)->op == KNK_CONST && node(l, n)->imm == value;
}

/* Does the node compare the index in the last dimension, which is one of two, with 1? below: index < 1, else 1 <= index
 * */
static bool is_half(const look *l, knk_node n, bool below)
{
    const knk_inst *i = node(l, n), *index = i->op == (below ? KNK_LT : KNK_LE) ? node(l, below ? i->a : i->b) : i;
    int last = end_of_steps(l) - 1;
    int64_t row, step;
    return index->op == KNK_INDEX && is_constant(l, below ? i->b : i->a, 1) && l->x->offset[index->map] == 0 &&
           l->x->extent[last] == 2 && stride(l, index->map, last) == 1 &&
           joined(l, index->map, first_row(l), first_step(l), &row) && row == 0 &&
           joined(l, index->map, first_step(l), last, &step) && step == 0;
}

/* A byte that is loaded for one of the two halves, masked or shifted to it; NULL: it is none. */
static const knk_inst *half_of(const look *l, knk_node n, knk_node pred, knk_op op, uint64_t number)
{
    const knk_inst *i = node(l, n), *load = i->op == op && is_constant(l, i->b, number) ? node(l, i->a) : NULL;
    bool is_byte = load && load->op == KNK_LOAD && load->dtype == KN_ID_U8 && load->a == KNK_NONE && load->b == pred;
    return is_byte && l->x->ref[load->buffer] != KNC_NO ? load : NULL;
}

/* The low halves of bytes where the index is 0, the high ones where it is 1, as a concatenation is lowered: the load of
 * the low ones. NULL: it is something else. */
static const knk_inst *low_halves(const look *l, knk_node n)
{
    const knk_inst *i = node(l, n), *low = i->op == KNK_SELECT ? node(l, i->c) : NULL;
    if (!low || low->op != KNK_SELECT || !is_constant(l, low->c, 0) || !is_half(l, i->a, false) ||
        !is_half(l, low->a, true))
        return NULL;
    const knk_inst *x = half_of(l, low->b, low->a, KNK_AND, 15), *y = half_of(l, i->b, i->a, KNK_SHR, 4);
    int last = end_of_steps(l) - 1;
    if (!x || !y || x->buffer != y->buffer || l->x->offset[x->map] != l->x->offset[y->map] + stride(l, y->map, last))
        return NULL;
    for (int d = 0; d < last; d++)
        if (stride(l, x->map, d) != stride(l, y->map, d))
            return NULL;
    return x;
}

/* The values: loads that follow one another along the steps. */
static bool read_values(look *l, knk_node n)
{
    const knk_inst *i = node(l, n);
    int end = end_of_steps(l);
    int64_t step = 0;
    if (i->op != KNK_CAST || i->dtype != KN_ID_F32)
        return false;
    knk_node from = i->a;
    i = low_halves(l, from);
    if (i) {
        l->out->how.kind = KNR_NARROW_NIBBLES;
        end--;
    } else {
        i = node(l, from);
        if (!is_load(l, from) || (i->dtype != KN_ID_I8 && i->dtype != KN_ID_F16 && i->dtype != KN_ID_BF16))
            return false;
        l->out->how.kind = i->dtype == KN_ID_I8    ? KNR_NARROW_I8
                           : i->dtype == KN_ID_F16 ? KNR_NARROW_F16
                                                   : KNR_NARROW_BF16;
    }
    l->out->values = place_of(l, i);
    bool lies = joined(l, i->map, first_row(l), first_step(l), &l->out->how.row) &&
                joined(l, i->map, first_step(l), end, &step);
    l->out->how.row *= knx_dtype_table[i->dtype].size;
    return lies && (step == 1 || product_of_extents(l, first_step(l), end) == 1);
}

/* The value less a zero point. */
static bool read_less(look *l, knk_node n, int64_t *steps)
{
    const knk_inst *i = node(l, n);
    knr_narrow *how = &l->out->how;
    *steps = how->k;
    if (i->op != KNK_SUB)
        return read_values(l, n);
    how->has_zero = true;
    how->zero.dtype = NULL;
    return (read_number(l, i->b) || read_groups(l, i->b, &how->zero, &l->out->zero, steps)) && read_values(l, i->a);
}

static bool read_expression(look *l, knk_node n)
{
    const knk_inst *i = node(l, n);
    knr_narrow *how = &l->out->how;
    int64_t zeros = 0;
    how->group = how->k;
    if (i->op != KNK_MUL)
        return read_less(l, n, &how->group);
    how->has_scale = true;
    for (int side = 0; side < 2; side++) {
        knk_node scale = side ? i->a : i->b, rest = side ? i->b : i->a;
        how->has_zero = false;
        if (read_groups(l, scale, &how->scale, &l->out->scale, &how->group) && read_less(l, rest, &zeros))
            return !how->has_zero || !how->zero.dtype || zeros == how->group;
    }
    return false;
}

/* The only store of a kernel that has one stage: the value that it stores. */
static knk_node stored(const knk_kernel *k)
{
    knk_node value = KNK_NONE;
    for (int i = 0; i < k->n_node; i++)
        if (k->node[i].op == KNK_STORE) {
            if (value != KNK_NONE)
                return KNK_NONE;
            value = k->node[i].a;
        }
    return value;
}

/* Dimensions of a group of the product, joined: their extent and their stride; false: they have no common stride. */
static bool join(const knk_dims *d, const int64_t *stride, int64_t *extent, int64_t *each)
{
    *extent = 1;
    *each = 0;
    for (int i = d->n - 1; i >= 0; i--) {
        if (d->extent[i] == 1)
            continue;
        if (*extent == 1)
            *each = stride[i];
        else if (stride[i] != *each * *extent)
            return false;
        *extent *= d->extent[i];
    }
    return true;
}

bool knd_find_narrow(const knc_step *s, const knk_product *q, knd_narrow *out)
{
    bool of_b = s->u.p.fill_b != NULL;
    const knc_attached *x = of_b ? s->u.p.fill_b : s->u.p.fill_a;
    *out = (knd_narrow){.zero.ref = KNC_NO, .scale.ref = KNC_NO};
    if (!x || (s->u.p.fill_a && s->u.p.fill_b) || s->u.p.finish || s->u.p.c == KNC_NO || q->n_window ||
        q->operand->id != KN_ID_F32 || q->result->id != KN_ID_F32 || x->kernel->n_stage != 1 || x->parts != 1)
        return false;
    const knk_dims *few = of_b ? &q->m : &q->n, *rows = of_b ? &q->n : &q->m;
    int64_t batch, unused, steps, k_each, n_each, a_offset = of_b ? q->a_offset : q->b_offset;
    knr_narrow *how = &out->how;
    look l = {.x = x, .k = x->kernel, .out = out};
    if (!join(&q->batch, q->batch.c, &batch, &unused) || batch != 1 || x->n_batch != 0 ||
        !join(few, of_b ? few->a : few->b, &how->m, &how->a_row) || !join(few, few->c, &how->m, &how->c_row) ||
        !join(rows, rows->c, &how->n, &n_each) || n_each != 1 ||
        !join(&q->k, of_b ? q->k.a : q->k.b, &steps, &k_each) || k_each != 1)
        return false;
    how->k = steps;
    knk_node value = stored(x->kernel);
    if (value == KNK_NONE || !read_expression(&l, value) || !knr_narrow_fits(how))
        return false;
    out->a = (knd_narrow_place){of_b ? s->u.p.a : s->u.p.b, a_offset * (int64_t)sizeof(float)};
    out->c = (knd_narrow_place){s->u.p.c, q->c_offset * (int64_t)sizeof(float)};
    atomic_fetch_add_explicit(&knd_narrow_found, 1, memory_order_relaxed);
    return true;
}

static const void *address(const knd_narrow_place *p, void *const *at)
{
    return p->ref == KNC_NO ? NULL : (const char *)at[p->ref] + p->bytes;
}

void knd_run_narrow(const knd_narrow *x, void *const *at, int threads)
{
    const void *zero = x->zero.ref == KNC_NO ? &x->number : address(&x->zero, at);
    knr_narrow_multiply(&x->how, &(knr_narrow_run){.a = address(&x->a, at),
                                                   .values = address(&x->values, at),
                                                   .scale = address(&x->scale, at),
                                                   .zero = zero,
                                                   .c = (float *)(uintptr_t)address(&x->c, at),
                                                   .threads = threads});
}
