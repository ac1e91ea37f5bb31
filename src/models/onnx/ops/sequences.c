/* SPDX-License-Identifier: Apache-2.0
 * sequences.c -- sequences, optionals and the operators on them. They are lists of values while the graph is recorded:
 * their lengths are known, their elements may be traced. */
#include "models/onnx/ops/control.h"
#include "models/onnx/ops/slicing.h"

/* A position in a sequence of n elements, of which `room` are allowed; -1 with an error. */
static int64_t position(knonnx_call *c, int i, size_t n, size_t room)
{
    int64_t at;
    if (knonnx_int_in(c, i, &at) < 0)
        return -1;
    if (at < -(int64_t)n || at >= (int64_t)room) {
        knonnx_fail(c, KN_ERROR_INDEX, "position %lld in a sequence of %zu", (long long)at, n);
        return -1;
    }
    return at < 0 ? at + (int64_t)n : at;
}

/* A sequence that takes over the list. */
static int set_sequence(knonnx_call *c, int i, const knonnx_value *item, size_t n, const knonnx_type *type)
{
    return knonnx_set_value(c, i, (knonnx_value){.kind = KNONNX_SEQUENCE_VALUE, .n = n, .item = item, .type = type});
}

static int construct(knonnx_call *c)
{
    knonnx_value *item = knonnx_take(c, (uint64_t)c->n_in, sizeof *item);
    if (!item)
        return -1;
    for (int k = 0; k < c->n_in; k++) {
        if (c->in[k].kind != c->in[0].kind ||
            (c->in[k].kind != KNONNX_TENSOR_VALUE && c->in[k].kind != KNONNX_STRINGS_VALUE))
            return knonnx_fail(c, KN_ERROR_TYPE, "input %d is no tensor as the others are", k);
        item[k] = c->in[k];
    }
    return set_sequence(c, 0, item, (size_t)c->n_in, NULL);
}

static int empty(knonnx_call *c)
{
    knonnx_type *t = knonnx_take(c, 1, sizeof *t);
    int64_t elem = knonnx_int(c, "dtype", KNONNX_FLOAT);
    if (!t)
        return -1;
    if (elem < 1 || elem >= KNONNX_ELEM_COUNT)
        return knonnx_fail(c, KN_ERROR_VALUE, "dtype %lld", (long long)elem);
    *t = (knonnx_type){
        .kind = elem == KNONNX_STRING ? KN_ONNX_STRINGS : KN_ONNX_TENSOR, .elem = (knonnx_elem)elem, .ndim = -1};
    return set_sequence(c, 0, NULL, 0, t);
}

static int length(knonnx_call *c)
{
    const knonnx_value *s = knonnx_sequence_in(c, 0);
    if (!s)
        return -1;
    int64_t n = (int64_t)s->n;
    return knonnx_set(c, 0, kn_strong(&n, KN_I64));
}

/* A traced position: the elements have one type, then it is an index. */
static int at_traced(knonnx_call *c, const knonnx_value *s)
{
    const char *first = knonnx_types_text(c, s->item, 1);
    for (size_t k = 1; first && k < s->n; k++) {
        const char *types = knonnx_types_text(c, &s->item[k], 1);
        if (!types || strcmp(first, types))
            return types ? knonnx_look(c, 1, "position") : -1;
    }
    knonnx_value all = knonnx_stacked(c, s->item, s->n, 0);
    kn_array at = all.kind == KNONNX_TENSOR_VALUE ? knonnx_in(c, 1) : NULL;
    if (!at)
        return knonnx_done(c), -1;
    kn_take_opts o = kn_take_opts_default();
    o.axis = knonnx_single_axis(0);
    return knonnx_set(c, 0, kn_take(all.array, kn_reshape(at, &(kn_shape){0}, NULL), &o));
}

static int at(knonnx_call *c)
{
    const knonnx_value *s = knonnx_sequence_in(c, 0);
    if (!s)
        return -1;
    if (!knonnx_known(c, 1) && s->n && s->item[0].kind == KNONNX_TENSOR_VALUE)
        return at_traced(c, s);
    int64_t k = position(c, 1, s->n, s->n);
    return k < 0 ? -1 : knonnx_set_value(c, 0, s->item[k]);
}

static int erase(knonnx_call *c)
{
    const knonnx_value *s = knonnx_sequence_in(c, 0);
    if (!s)
        return -1;
    if (!s->n)
        return knonnx_fail(c, KN_ERROR_INDEX, "nothing can be erased from an empty sequence");
    int64_t k = knonnx_has(c, 1) ? position(c, 1, s->n, s->n) : (int64_t)s->n - 1;
    knonnx_value *item = k < 0 ? NULL : knonnx_take(c, s->n, sizeof *item);
    if (!item)
        return -1;
    memcpy(item, s->item, (size_t)k * sizeof *item);
    memcpy(item + k, s->item + k + 1, (s->n - (size_t)k - 1) * sizeof *item);
    return set_sequence(c, 0, item, s->n - 1, s->type);
}

static int insert(knonnx_call *c)
{
    const knonnx_value *s = knonnx_sequence_in(c, 0);
    if (!s)
        return -1;
    if (c->in[1].kind != KNONNX_TENSOR_VALUE && c->in[1].kind != KNONNX_STRINGS_VALUE)
        return knonnx_fail(c, KN_ERROR_TYPE, "only tensors can be put into a sequence");
    int64_t k = knonnx_has(c, 2) ? position(c, 2, s->n, s->n + 1) : (int64_t)s->n;
    knonnx_value *item = k < 0 ? NULL : knonnx_take(c, s->n + 1, sizeof *item);
    if (!item)
        return -1;
    if (k)
        memcpy(item, s->item, (size_t)k * sizeof *item);
    item[k] = c->in[1];
    if ((size_t)k < s->n)
        memcpy(item + k + 1, s->item + k, (s->n - (size_t)k) * sizeof *item);
    return set_sequence(c, 0, item, s->n + 1, s->type);
}

static int concat_from(knonnx_call *c)
{
    knonnx_pool pool = {0};
    const knonnx_value *s = knonnx_sequence_in(c, 0);
    if (!s)
        return -1;
    if (!s->n)
        return knonnx_fail(c, KN_ERROR_VALUE, "an empty sequence cannot be concatenated");
    kn_array *x = knonnx_take(c, s->n, sizeof *x);
    if (!x)
        return -1;
    for (size_t k = 0; k < s->n; k++) {
        x[k] = knonnx_movable_value(c, &pool, &s->item[k]);
        if (!x[k] || knonnx_same_dtype(c, x[0], x[k]) < 0)
            return -1;
    }
    bool new_axis = knonnx_int(c, "new_axis", 0);
    kn_concatenate_opts o = kn_concatenate_opts_default();
    int axis = knonnx_axis(c, knonnx_int(c, "axis", 0), kn_ndim(x[0]) + new_axis);
    if (axis < 0)
        return -1;
    o.axis = knonnx_single_axis(axis);
    kn_list list = kn_list_from(x, (int)s->n);
    return knonnx_set_moved(c, &pool, 0, new_axis ? kn_stack(list, &o) : kn_concatenate(list, &o));
}

/* ---- Splitting. */

/* The sizes that `split` says: one number is that of each part but the last, which may be shorter. */
static const int64_t *part_sizes(knonnx_call *c, int64_t extent, int *n)
{
    const int64_t *given = knonnx_ints_in(c, 1, n);
    if (!given || kn_ndim(c->in[1].array) > 0)
        return given && knonnx_split_check(c, extent, *n, given) == 0 ? given : NULL;
    if (given[0] < 1) {
        knonnx_fail(c, KN_ERROR_VALUE, "split is %lld", (long long)given[0]);
        return NULL;
    }
    *n = (int)(extent / given[0] + (extent % given[0] != 0));
    int64_t *size = knonnx_take(c, (uint64_t)*n + 1, sizeof *size);
    for (int k = 0; size && k < *n; k++)
        size[k] = extent - k * given[0] < given[0] ? extent - k * given[0] : given[0];
    return size;
}

static int split_to(knonnx_call *c)
{
    int n = 0;
    knonnx_pool pool = {0};
    kn_array x = knonnx_movable(c, &pool, 0);
    int axis = x ? knonnx_axis(c, knonnx_int(c, "axis", 0), kn_ndim(x)) : -1;
    if (axis < 0 || knonnx_look(c, 1, "split") < 0)
        return -1;
    bool each = !knonnx_has(c, 1), squeezes = each && !knonnx_int(c, "keepdims", 1);
    const int64_t *size = each ? NULL : part_sizes(c, kn_dim(x, axis), &n);
    if (!each && !size)
        return -1;
    n = each ? (int)kn_dim(x, axis) : n;
    knonnx_value *item = knonnx_take(c, (uint64_t)n + 1, sizeof *item);
    kn_squeeze_opts o = kn_squeeze_opts_default();
    o.axis = knonnx_single_axis(axis);
    int64_t from = 0;
    for (int k = 0; item && k < n; k++) {
        int64_t to = from + (each ? 1 : size[k]);
        kn_array part = knonnx_cut(x, axis, from, to);
        item[k] = knonnx_moved(c, &pool, squeezes ? kn_squeeze(part, &o) : part);
        if (item[k].kind == KNONNX_ABSENT)
            return knonnx_done(c), -1;
        from = to;
    }
    return item ? set_sequence(c, 0, item, (size_t)n, NULL) : -1;
}

/* ---- A graph for each element. */

static int map(knonnx_call *c)
{
    const knonnx_attr *body = knonnx_attr_of(c, "body");
    const knonnx_value *s = knonnx_sequence_in(c, 0);
    if (!s || !body || body->kind != KNONNX_A_GRAPH)
        return s ? knonnx_fail(c, KN_ERROR_VALUE, "the attribute body is missing") : -1;
    const knonnx_graph *g = body->graphs[0];
    size_t n = s->n;
    int outs = c->n_out;
    if (g->n_in != c->n_in || g->n_out != outs)
        return knonnx_fail(c, KN_ERROR_VALUE, "the body has %d inputs and %d outputs, the node %d and %d", g->n_in,
                           g->n_out, c->n_in, c->n_out);
    knonnx_value *in = knonnx_take(c, (uint64_t)g->n_in + 1, sizeof *in),
                 *out = knonnx_take(c, (uint64_t)outs + 1, sizeof *out);
    knonnx_value *item = knonnx_take(c, n * (uint64_t)outs + 1, sizeof *item);
    if (!in || !out || !item)
        return -1;
    for (size_t k = 0; k < n; k++) {
        for (int i = 0; i < c->n_in; i++) {
            const knonnx_value *v = &c->in[i];
            if (v->kind == KNONNX_SEQUENCE_VALUE && v->n != n)
                return knonnx_fail(c, KN_ERROR_VALUE, "sequences of %zu and %zu elements", n, v->n);
            in[i] = v->kind == KNONNX_SEQUENCE_VALUE ? v->item[k] : *v;
        }
        if (knonnx_run_graph(c, g, in, out) < 0)
            return -1;
        for (int i = 0; i < outs; i++) {
            if (out[i].kind != KNONNX_TENSOR_VALUE && out[i].kind != KNONNX_STRINGS_VALUE)
                return knonnx_fail(c, KN_ERROR_TYPE, "output %d of the body is no tensor", i);
            item[(size_t)i * n + k] = out[i];
        }
    }
    for (int i = 0; i < outs; i++)
        if (set_sequence(c, i, item + (size_t)i * n, n, NULL) < 0)
            return -1;
    return 0;
}

/* ---- Optionals. */

static int optional(knonnx_call *c)
{
    bool has = c->n_in > 0 && knonnx_has(c, 0);
    const knonnx_attr *type = knonnx_attr_of(c, "type");
    knonnx_value *item = knonnx_take(c, 1, sizeof *item);
    if (!item)
        return -1;
    if (!has && !type)
        return knonnx_fail(c, KN_ERROR_VALUE, "there is neither an input nor a type");
    if (has && c->in[0].kind == KNONNX_OPTIONAL_VALUE) /* a loop could nest them without end */
        return knonnx_fail(c, KN_ERROR_TYPE, "an optional of an optional is none of ONNX's types");
    if (has)
        *item = c->in[0];
    return knonnx_set_value(
        c, 0, (knonnx_value){.kind = KNONNX_OPTIONAL_VALUE, .n = has, .item = item, .type = type ? type->type : NULL});
}

static int get_element(knonnx_call *c)
{
    const knonnx_value *v = &c->in[0];
    if (v->kind != KNONNX_OPTIONAL_VALUE)
        return v->kind == KNONNX_ABSENT ? knonnx_fail(c, KN_ERROR_VALUE, "the input is missing")
                                        : knonnx_set_value(c, 0, *v);
    return v->n ? knonnx_set_value(c, 0, v->item[0]) : knonnx_fail(c, KN_ERROR_VALUE, "the optional has no element");
}

static int has_element(knonnx_call *c)
{
    bool has = c->n_in > 0 && c->in[0].kind != KNONNX_ABSENT && (c->in[0].kind != KNONNX_OPTIONAL_VALUE || c->in[0].n);
    return knonnx_set(c, 0, kn_strong(&has, KN_BOOL));
}

const knonnx_row knonnx_rows_sequences[] = {
    {"SequenceConstruct", 11, construct, 1, -1, 1, 1},
    {"SequenceEmpty", 11, empty, 0, 0, 1, 1},
    {"SequenceLength", 11, length, 1, 1, 1, 1},
    {"SequenceAt", 11, at, 2, 2, 1, 1},
    {"SequenceErase", 11, erase, 1, 2, 1, 1},
    {"SequenceInsert", 11, insert, 2, 3, 1, 1},
    {"ConcatFromSequence", 11, concat_from, 1, 1, 1, 1},
    {"SplitToSequence", 11, split_to, 1, 2, 1, 1},
    {"SequenceMap", 17, map, 1, -1, 1, -1},
    {"Optional", 15, optional, 0, 1, 1, 1},
    {"OptionalGetElement", 15, get_element, 1, 1, 1, 1},
    {"OptionalHasElement", 15, has_element, 0, 1, 1, 1},
    {0},
};
