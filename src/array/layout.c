/* SPDX-License-Identifier: Apache-2.0
 * layout.c -- offsets and strides through view operations. A row's index map says for each result axis how far one step
 * along it goes along each operand axis, and that is all that strides are; general reshapes follow NumPy's rule for
 * whether a view will do (numpy/core/src/multiarray/shape.c describes it: runs of axes must be contiguous).
 *
 * Extents that are expressions of dimension variables occur in traced arrays only, which have no memory: their strides
 * say what is a view and in which order the axes lie, and their offsets are not computed (`unplaced`). */
#include "array/layout.h"
#include "array/state.h"
#include <string.h>

KNX_HOT void kna_contiguous_strides(kni_type t, int64_t *stride)
{
    int64_t step = t.dtype->size;
    for (int d = t.ndim; d-- > 0;) {
        stride[d] = step;
        step = knx_dim_mul(step, t.dim[d] > 0 ? t.dim[d] : 1);
    }
}

int64_t kna_stride_length(int64_t stride)
{
    int64_t lower, upper;
    if (!knx_is_symbolic(stride))
        return stride < 0 ? -stride : stride;
    knx_dim_bounds(stride, &lower, &upper);
    return upper < 0 ? knx_dim_mul(stride, -1) : stride;
}

/* Is a / b >= 1, or is it the same? The quotient of strides is a product of extents, most times. */
static bool is_multiple(int64_t a, int64_t b)
{
    int64_t lower, upper;
    if (!b || !knx_dim_same(knx_dim_mod(a, b), 0))
        return false;
    knx_dim_bounds(knx_dim_floordiv(a, b), &lower, &upper);
    return lower >= 1;
}

bool kna_is_longer(int64_t stride, int64_t than)
{
    int64_t lower, upper;
    if (!knx_any_symbolic(stride, than))
        return stride > than;
    if (stride == than)
        return false;
    knx_dim_bounds(knx_dim_sub(stride, than), &lower, &upper);
    return lower >= 0 || is_multiple(stride, than);
}

/* NumPy's reshape without a copy: walks over groups of old and new axes that hold equally many elements; inside a group
 * the old axes must be contiguous among themselves. */
static bool reshape_strides(const kna_layout *l, kni_type y, int64_t *stride)
{
    int64_t old[KN_MAX_NDIM], old_stride[KN_MAX_NDIM];
    int n = 0;
    for (int d = 0; d < l->type.ndim; d++)
        if (l->type.dim[d] != 1) {
            old[n] = l->type.dim[d];
            old_stride[n++] = l->stride[d];
        }
    int oi = 0, ni = 0;
    while (ni < y.ndim && oi < n) {
        int oj = oi + 1, nj = ni + 1;
        int64_t np = y.dim[ni], op = old[oi];
        while (np != op) {
            if (np < op) {
                if (nj >= y.ndim)
                    return false;
                np *= y.dim[nj++];
            } else {
                if (oj >= n)
                    return false;
                op *= old[oj++];
            }
        }
        for (int k = oi; k < oj - 1; k++)
            if (old_stride[k] != old[k + 1] * old_stride[k + 1])
                return false;
        stride[nj - 1] = old_stride[oj - 1];
        for (int k = nj - 1; k > ni; k--)
            stride[k - 1] = stride[k] * y.dim[k];
        ni = nj;
        oi = oj;
    }
    int64_t last = ni >= 1 ? stride[ni - 1] : l->type.dtype->size;
    for (int k = ni; k < y.ndim; k++)
        stride[k] = last;
    return true;
}

/* The next group of axes, old ones from *i to *i_end and new ones from *j on, that are of the same size whatever the
 * variables are. */
static bool next_group(int n, const int64_t *old, kni_type y, int i, int *i_end, int j, int *j_end)
{
    int64_t op = 1;
    for (int k = i; k < n; k++) {
        int64_t np = 1;
        op = knx_dim_mul(op, old[k]);
        for (int m = j; m < y.ndim; m++) {
            np = knx_dim_mul(np, y.dim[m]);
            if (knx_dim_same(np, op)) {
                *i_end = k + 1;
                *j_end = m + 1;
                return true;
            }
        }
    }
    return false;
}

/* The same where extents are expressions: sizes of which is not known which one is larger belong to one group. */
static bool symbolic_reshape_strides(const kna_layout *l, kni_type y, int64_t *stride)
{
    if (!y.ndim)
        return true; /* one element */
    int64_t old[KN_MAX_NDIM] = {0}, old_stride[KN_MAX_NDIM] = {0};
    int n = 0, i_end, j_end;
    for (int d = 0; d < l->type.ndim; d++)
        if (l->type.dim[d] != 1) {
            old[n] = l->type.dim[d];
            old_stride[n++] = l->stride[d];
        }
    int j = 0;
    for (int i = 0; i < n; i = i_end, j = j_end) {
        if (!next_group(n, old, y, i, &i_end, j, &j_end))
            return false;
        for (int k = i; k < i_end - 1; k++)
            if (!knx_dim_same(old_stride[k], knx_dim_mul(old[k + 1], old_stride[k + 1])))
                return false;
        stride[j_end - 1] = old_stride[i_end - 1];
        for (int k = j_end - 1; k > j; k--)
            stride[k - 1] = knx_dim_mul(stride[k], y.dim[k]);
    }
    for (int k = j; k < y.ndim; k++)
        stride[k] = j ? stride[j - 1] : l->type.dtype->size;
    return true;
}

static bool is_symbolic(kni_type t) { return knx_has_symbolic(t.ndim, t.dim); }

/* Can the offset be computed? */
static bool has_place(kni_type y, const kna_layout *l)
{
    return !is_symbolic(l->type) && !is_symbolic(y) && !knx_has_symbolic(l->type.ndim, l->stride);
}

static bool through_reshape(const kni_draft_eqn *e, kni_type y, kna_layout *l)
{
    int64_t stride[KN_MAX_NDIM] = {0};
    (void)e;
    if (kni_type_size(y) == 0)
        kna_contiguous_strides(y, stride);
    else if (!(is_symbolic(y) || is_symbolic(l->type) ? symbolic_reshape_strides : reshape_strides)(l, y, stride))
        return false;
    for (int d = 0; d < y.ndim; d++)
        l->stride[d] = stride[d];
    return true;
}

/* Rows with an index map. */
static void through_map(kna_op *op, const kni_draft_eqn *e, kni_type y, kna_layout *l, bool placed)
{
    const int rank = y.ndim;
    const int64_t *const dim = y.dim;
    int n = rank + l->type.ndim;
    kni_index_axis *axes = knx_arena_alloc(&op->b->arena, (size_t)(n + 1) * sizeof *axes);
    int64_t stride[KN_MAX_NDIM];
    if (!axes) {
        kna_fail_with(op, knx_error_nomem());
        return;
    }
    kni_index out = {.n_loop = rank, .ndim = rank, .axis = axes};
    kni_index in = {.n_loop = rank, .ndim = l->type.ndim, .axis = axes + rank};
    for (int d = 0; d < n; d++) { /* there is room for far more loops than there are */
        axes[d].offset = 0;
        axes[d].node = KNK_NONE;
        axes[d].fixed = false;
        memset(axes[d].coef, 0, (size_t)rank * sizeof *axes[d].coef);
    }
    for (int d = 0; d < rank; d++) {
        out.axis[d].coef[d] = 1;
        stride[d] = 0;
    }
    e->prim->map(&(kni_rule){.prim = e->prim, .params = e->params, .n_in = 1, .n_out = 1, .xt = &l->type, .yt = &y},
                 &out, &in);
    int64_t size = placed ? kni_type_size(y) : 0;
    for (int a = 0; a < l->type.ndim; a++) {
        if (placed && size)
            l->offset += l->stride[a] * in.axis[a].offset;
        for (int d = 0; d < rank; d++)
            if (in.axis[a].coef[d])
                stride[d] = knx_dim_add(stride[d], knx_dim_mul(l->stride[a], in.axis[a].coef[d]));
    }
    for (int d = 0; d < rank; d++) {
        if (stride[d] == 0 && dim[d] > 1)
            l->writeable = false; /* several elements lie on one */
        l->stride[d] = stride[d];
    }
}

/* Windows with positions that are operands: known numbers move the offset; inside a trace they are not known, and the
 * offset does not matter for what is a view. */
static void through_window(kna_op *op, const kni_draft_eqn *e, kni_type y, kna_layout *l, bool placed)
{
    kna_state *s = kna_state_get();
    for (uint32_t i = 1; i < e->n_in && (int)i <= l->type.ndim; i++) {
        knx_scalar_bits bits;
        kn_dtype d = knb_type(op->b, e->in[i]).dtype;
        int64_t at = 0;
        if (knb_literal_value(op->b, e->in[i], &bits)) {
            knx_convert(d, &bits, KN_DT(I64), &at);
        } else if (!s->recording && e->in[i] < s->lazy_value.n && s->lazy_value.at[e->in[i]] &&
                   s->lazy_value.at[e->in[i]]->state == KN_V_NUMBER) {
            knx_convert(d, &s->lazy_value.at[e->in[i]]->bits, KN_DT(I64), &at);
        } else {
            l->unplaced = true;
        }
        if (!placed)
            continue;
        int64_t most = l->type.dim[i - 1] - y.dim[i - 1];
        l->offset += l->stride[i - 1] * (at < 0 ? 0 : at > most ? most : at);
    }
}

/* Elements of another size, along a last axis whose elements lie side by side. */
static bool through_last_axis(kni_type y, kna_layout *l)
{
    int last = y.ndim - 1;
    if (l->type.dim[last] != 1 && kni_type_size(l->type) && l->stride[last] != l->type.dtype->size)
        return false;
    l->stride[last] = y.dtype->size;
    return true;
}

KNX_HOT bool kna_layout_step(kna_op *op, const kni_draft_eqn *e, kna_layout *l)
{
    return kna_layout_through(op, e, knb_type(op->b, e->out), l);
}

KNX_HOT bool kna_layout_through(kna_op *op, const kni_draft_eqn *e, kni_type y, kna_layout *l)
{
    const kni_prim *p = e->prim;
    bool view = true, placed = op->b->hook || has_place(y, l); /* outside of traces there are numbers only */
    l->unplaced = l->unplaced || !placed;
    const kni_rule r = {.prim = p, .params = e->params, .n_in = 1, .n_out = 1, .xt = &l->type, .yt = &y};
    if (p->map && (!p->map_exists || p->map_exists(&r)))
        through_map(op, e, y, l, placed);
    else if ((p->bits & KN_VIEW) && y.dtype->size != l->type.dtype->size)
        view = through_last_axis(y, l);
    else if (p->bits & KN_VIEW)
        view = through_reshape(e, y, l);
    else if (p->bits & KN_WINDOW)
        through_window(op, e, y, l, placed);
    else if (p->bits & KN_COMPONENT)
        l->offset += p->component * (int64_t)y.dtype->size; /* real, imag, another dtype of the same size */
    else
        view = false;
    l->type = y;
    return view;
}
