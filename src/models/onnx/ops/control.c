/* SPDX-License-Identifier: Apache-2.0
 * control.c -- If, and running a graph again and again as kn_scan and kn_while_loop have it. Values around a graph are
 * captured as the arrays that they are: where they are traced they become operands. Each recording has a number of its
 * own, so that nothing that was recorded for one node is taken for another's. */
#include "models/onnx/ops/control.h"
#include "models/onnx/run.h"
#include <stdatomic.h>
#include <stdio.h>

const knonnx_graph *knonnx_body(knonnx_call *c, const char *name)
{
    const knonnx_attr *a = knonnx_attr_of(c, name);
    if (a && a->kind == KNONNX_A_GRAPH)
        return a->graphs[0];
    knonnx_fail(c, KN_ERROR_VALUE, "the attribute %s, a graph, is missing", name);
    return NULL;
}

/* ---- The arrays in values. */

int knonnx_leaves(const knonnx_value *v, int n, kn_array *to)
{
    int count = 0;
    for (int k = 0; k < n; k++) {
        if (v[k].kind == KNONNX_TENSOR_VALUE) {
            if (to)
                to[count] = v[k].array;
            count++;
        } else if (v[k].kind == KNONNX_SEQUENCE_VALUE || v[k].kind == KNONNX_OPTIONAL_VALUE) {
            count += knonnx_leaves(v[k].item, (int)v[k].n, to ? to + count : NULL);
        }
    }
    return count;
}

static const knonnx_value *rebuilt(knonnx_call *c, const knonnx_value *v, int n, const kn_array **from)
{
    knonnx_value *out = knonnx_take(c, (uint64_t)n + 1, sizeof *out);
    for (int k = 0; out && k < n; k++) {
        out[k] = v[k];
        if (v[k].kind == KNONNX_TENSOR_VALUE)
            out[k].array = *(*from)++;
        else if (v[k].kind == KNONNX_SEQUENCE_VALUE || v[k].kind == KNONNX_OPTIONAL_VALUE)
            if (!(out[k].item = rebuilt(c, v[k].item, (int)v[k].n, from)))
                return NULL;
    }
    return out;
}

const knonnx_value *knonnx_with_leaves(knonnx_call *c, const knonnx_value *v, int n, const kn_array *from)
{
    return rebuilt(c, v, n, &from);
}

bool knonnx_all_tensors(const knonnx_value *v, int n)
{
    for (int k = 0; k < n; k++)
        if (v[k].kind != KNONNX_TENSOR_VALUE)
            return false;
    return true;
}

bool knonnx_all_known(const knonnx_value *v, int n)
{
    for (int k = 0; k < n; k++) {
        if (v[k].kind == KNONNX_TENSOR_VALUE && !kn_is_concrete(v[k].array))
            return false;
        if ((v[k].kind == KNONNX_SEQUENCE_VALUE || v[k].kind == KNONNX_OPTIONAL_VALUE) &&
            !knonnx_all_known(v[k].item, (int)v[k].n))
            return false;
    }
    return true;
}

const char *knonnx_types_text(knonnx_call *c, const knonnx_value *v, int n)
{
    int count = knonnx_leaves(v, n, NULL);
    size_t room = (size_t)count * 32 + 1, used = 0;
    kn_array *x = knonnx_take(c, (uint64_t)count + 1, sizeof *x);
    if (!x)
        return NULL;
    knonnx_leaves(v, n, x);
    for (int k = 0; k < count; k++)
        room += (size_t)(kn_ndim(x[k]) < 0 ? 0 : kn_ndim(x[k])) * 24;
    char *text = knonnx_take(c, room, 1);
    for (int k = 0; text && k < count; k++) {
        kn_shape shape = kn_shape_of(x[k]);
        used += (size_t)snprintf(text + used, room - used, "%.24s[", kn_dtype_name(kn_dtype_of(x[k])));
        for (int i = 0; i < shape.ndim; i++)
            used += (size_t)snprintf(text + used, room - used, "%lld,", (long long)shape.dim[i]);
        used += (size_t)snprintf(text + used, room - used, "]");
    }
    return text;
}

/* What did not come out because types are others than before: known values would do. -1. */
static int types_differ(knonnx_call *c, const char *what)
{
    if (!c->run->pending)
        kn_error_clear();
    return knonnx_fail(c, KN_ERROR_CONCRETIZATION,
                       "%s, and which ones it is to be depends on values that are being traced: run it without "
                       "transformations (kn_onnx_run)",
                       what);
}

/* A tree of the arrays, behind one that means nothing: no tree is empty. */
static kn_tree tree_of_values(knonnx_call *c, const knonnx_value *v, int n)
{
    int count = knonnx_leaves(v, n, NULL);
    kn_array *x = knonnx_take(c, (uint64_t)count + 1, sizeof *x);
    bool nothing = false;
    if (!x)
        return NULL;
    x[0] = kn_strong(&nothing, KN_BOOL);
    knonnx_leaves(v, n, x + 1);
    return kn_tree_from(count + 1, x);
}

/* The leaves of a tree from one on; NULL with an error. */
static kn_array *tree_leaves(knonnx_call *c, kn_tree tree, int from)
{
    int n = tree ? kn_tree_count(tree) : -1;
    kn_array *x = n < 0 ? NULL : knonnx_take(c, (uint64_t)n + 1, sizeof *x);
    for (int k = from; x && k < n; k++)
        x[k - from] = kn_tree_get(tree, k);
    return x;
}

/* ---- Functions that run a graph. */

typedef struct recording {
    uint64_t number;
    knonnx_call *c;
    const knonnx_graph *g; /* of a branch */
    knonnx_value *made;    /* of a branch: what it gave */
    const knonnx_repeat *repeat;
    const knonnx_value *state; /* what the carry stands for */
    kn_array most;
    int64_t uses_condition;
    const char **types; /* of what was made, for whoever finds out why there is an error */
} recording;

static recording recording_of(knonnx_call *c)
{
    static atomic_uint_fast64_t last;
    recording r;
    memset(&r, 0, sizeof r); /* its bytes say which function it is */
    r.number = atomic_fetch_add(&last, 1) + 1;
    r.c = c;
    return r;
}

/* What describes a function has to live as long as the function. */
#define FUNCTION(call_name, text, result_bytes, count)                               \
    static const kn_function call_name##_function = {.size_ = sizeof(kn_function),   \
                                                     .name = text,                   \
                                                     .call = call_name,              \
                                                     .env_bytes = sizeof(recording), \
                                                     .out_bytes = result_bytes,      \
                                                     .n_args = count,                \
                                                     .arg_bytes = {2, 2}}

static void give_tree(void *out, kn_tree tree) { memcpy(out, &tree, sizeof tree); }

static kn_tree tree_arg(const void *const *in, int i)
{
    kn_tree t;
    memcpy(&t, in[i], sizeof t);
    return t;
}

/* ---- If. */

static void run_branch(const void *env, void *out, const void *const *in)
{
    recording r;
    memcpy(&r, env, sizeof r);
    (void)in;
    bool ran = knonnx_run_graph(r.c, r.g, NULL, r.made) == 0;
    *r.types = ran ? knonnx_types_text(r.c, r.made, r.g->n_out) : NULL;
    give_tree(out, ran ? tree_of_values(r.c, r.made, r.g->n_out) : NULL);
}

FUNCTION(run_branch, "branch", 2, 0);

/* Whether two branches give values of one structure, with the same texts: what is not an array cannot depend on the
 * condition. */
static bool same_structure(const knonnx_value *a, const knonnx_value *b, int n)
{
    for (int k = 0; k < n; k++) {
        if (a[k].kind != b[k].kind || a[k].n != b[k].n || a[k].kind == KNONNX_MAP_VALUE)
            return false;
        if (a[k].kind == KNONNX_STRINGS_VALUE) {
            if (a[k].strings->n != b[k].strings->n || a[k].strings->ndim != b[k].strings->ndim)
                return false;
            for (size_t i = 0; i < a[k].strings->n; i++)
                if (strcmp(a[k].strings->text[i], b[k].strings->text[i]))
                    return false;
        }
        if ((a[k].kind == KNONNX_SEQUENCE_VALUE || a[k].kind == KNONNX_OPTIONAL_VALUE) &&
            !same_structure(a[k].item, b[k].item, (int)a[k].n))
            return false;
    }
    return true;
}

static int either(knonnx_call *c, kn_array condition, const knonnx_graph *const g[2])
{
    recording r[2];
    kn_fn fn[2];
    const char *types[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        r[k] = recording_of(c);
        r[k].g = g[k];
        r[k].types = &types[k];
        r[k].made = knonnx_take(c, (uint64_t)g[k]->n_out + 1, sizeof *r[k].made);
        if (!r[k].made)
            return -1;
        fn[k] = kn_fn_of(&run_branch_function, &r[k]);
    }
    kn_tree result = NULL;
    kn_outs outs = {1, {{&result, 2}}};
    kn_args none = {0};
    int status = kn_cond(condition, fn[1], fn[0], &outs, &none);
    kn_forget(fn[0]);
    kn_forget(fn[1]);
    if (types[0] && types[1] && (strcmp(types[0], types[1]) || !same_structure(r[0].made, r[1].made, c->n_out)))
        return types_differ(c, "the branches give values of different types or shapes");
    if (status < 0)
        return knonnx_done(c), -1;
    const kn_array *x = tree_leaves(c, result, 1);
    const knonnx_value *v = x ? knonnx_with_leaves(c, r[1].made, c->n_out, x) : NULL;
    for (int k = 0; v && k < c->n_out; k++)
        if (knonnx_set_value(c, k, v[k]) < 0)
            return -1;
    return v ? 0 : -1;
}

static int op_if(knonnx_call *c)
{
    kn_array condition = knonnx_in(c, 0);
    const knonnx_graph *g[2] = {knonnx_body(c, "else_branch"), knonnx_body(c, "then_branch")};
    if (!condition || !g[0] || !g[1])
        return -1;
    if (g[0]->n_out != c->n_out || g[1]->n_out != c->n_out || g[0]->n_in || g[1]->n_in)
        return knonnx_fail(c, KN_ERROR_VALUE, "the branches give %d and %d values, the node has %d", g[1]->n_out,
                           g[0]->n_out, c->n_out);
    if (kn_size(condition) != 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "the condition has %lld elements", (long long)kn_size(condition));
    if (!knonnx_known(c, 0))
        return either(c, kn_reshape(condition, &(kn_shape){0}, NULL), g);
    knonnx_value *out = knonnx_take(c, (uint64_t)c->n_out + 1, sizeof *out);
    if (!out || knonnx_run_graph(c, g[kn_item_bool(condition)], NULL, out) < 0)
        return -1;
    for (int k = 0; k < c->n_out; k++)
        if (knonnx_set_value(c, k, out[k]) < 0)
            return -1;
    return 0;
}

/* ---- Steps. */

/* A scalar as the graph declares it: some want one axis. */
static kn_array as_declared(const knonnx_info *info, kn_array x)
{
    kn_shape shape = {.ndim = info->type && info->type->ndim == 1, .dim = {1}};
    return kn_reshape(x, &shape, NULL);
}

int knonnx_step(const knonnx_repeat *r, kn_array counter, kn_array go_on, const knonnx_value *state,
                const kn_array *item, knonnx_value *out)
{
    knonnx_value *in = knonnx_take(r->c, (uint64_t)r->g->n_in + 1, sizeof *in);
    int n = 0;
    if (!in)
        return -1;
    if (r->loop) {
        in[n++] = knonnx_of_array(as_declared(&r->g->in[0], counter));
        in[n++] = knonnx_of_array(as_declared(&r->g->in[1], go_on));
    }
    for (int k = 0; k < r->n_state; k++)
        in[n++] = state[k];
    for (int k = 0; k < r->n_items; k++)
        in[n++] = knonnx_of_array(item[k]);
    return knonnx_run_graph(r->c, r->g, in, out);
}

static kn_array truth(bool yes) { return kn_strong(&yes, KN_BOOL); }

static kn_tree collected_tree(const knonnx_repeat *r, const knonnx_value *v)
{
    kn_array *x = knonnx_take(r->c, (uint64_t)r->n_collected + 1, sizeof *x);
    if (!x)
        return NULL;
    if (!knonnx_all_tensors(v, r->n_collected)) {
        knonnx_fail(r->c, KN_ERROR_TYPE, "what the body gives is no tensor");
        return NULL;
    }
    knonnx_leaves(v, r->n_collected, x);
    return kn_tree_from(r->n_collected, x);
}

/* The carry is the state. What is scanned is the counter, or the items. */
static void scan_step(const void *env, void *out, const void *const *in)
{
    recording rec;
    memcpy(&rec, env, sizeof rec);
    const knonnx_repeat *r = rec.repeat;
    const kn_array *carry = tree_leaves(r->c, tree_arg(in, 0), 1), *item = tree_leaves(r->c, tree_arg(in, 1), 0);
    const knonnx_value *state = carry ? knonnx_with_leaves(r->c, rec.state, r->n_state, carry) : NULL;
    knonnx_value *made = knonnx_take(r->c, (uint64_t)r->g->n_out + 1, sizeof *made);
    bool ran = state && item && made && knonnx_step(r, item[0], truth(true), state, item, made) == 0;
    kn_tree parts[2] = {ran ? tree_of_values(r->c, made + r->loop, r->n_state) : NULL,
                        ran ? collected_tree(r, made + r->loop + r->n_state) : NULL};
    give_tree(out, parts[0] && parts[1] ? kn_tree_tuple(2, parts) : NULL);
}

FUNCTION(scan_step, "body", 2, 2);

static kn_tree items_tree(const knonnx_repeat *r, int64_t length, const kn_array *items)
{
    kn_array counter = r->loop ? kn_lax_iota(KN_I64, length) : NULL;
    return r->loop ? kn_tree_from(1, &counter) : kn_tree_from(r->n_items, items);
}

int knonnx_scan(const knonnx_repeat *r, int64_t length, const knonnx_value *state, const kn_array *items,
                knonnx_value *state_out, kn_array *collected)
{
    recording rec = recording_of(r->c);
    rec.repeat = r;
    rec.state = state;
    kn_fn fn = kn_fn_of(&scan_step_function, &rec);
    kn_tree carry = tree_of_values(r->c, state, r->n_state), xs = items_tree(r, length, items), result = NULL;
    if (!carry || !xs)
        return knonnx_done(r->c), -1;
    kn_outs outs = {1, {{&result, 2}}};
    kn_args init = {1, {{&carry, 2}}}, over = {1, {{&xs, 2}}};
    int status = kn_scan(fn, &outs, &init, &over, NULL);
    kn_forget(fn);
    if (status < 0)
        return knonnx_done(r->c), -1;
    const kn_array *x = tree_leaves(r->c, result, 1);
    const knonnx_value *v = x ? knonnx_with_leaves(r->c, state, r->n_state, x) : NULL;
    if (!v)
        return -1;
    memcpy(state_out, v, (size_t)r->n_state * sizeof *v);
    memcpy(collected, x + knonnx_leaves(state, r->n_state, NULL), (size_t)r->n_collected * sizeof *collected);
    return 0;
}

int knonnx_collect_none(const knonnx_repeat *r, const knonnx_value *state, const kn_array *items, kn_array *collected)
{
    recording rec = recording_of(r->c);
    rec.repeat = r;
    rec.state = state;
    kn_fn fn = kn_fn_of(&scan_step_function, &rec);
    kn_tree carry = tree_of_values(r->c, state, r->n_state), xs = NULL, result = NULL;
    kn_array *item = knonnx_take(r->c, (uint64_t)r->n_items + 1, sizeof *item);
    if (!item || !carry)
        return knonnx_done(r->c), -1;
    item[0] = kn_lax_full(&(kn_shape){0}, kn_like_int(0), &(kn_lax_full_opts){sizeof(kn_lax_full_opts), KN_I64});
    for (int k = 0; k < r->n_items; k++) {
        kn_shape shape = kn_shape_of(items[k]);
        memmove(shape.dim, shape.dim + 1, (size_t)(shape.ndim < 1 ? 0 : --shape.ndim) * sizeof *shape.dim);
        item[k] = kn_shape_dtype_struct(&shape, kn_dtype_of(items[k]));
    }
    xs = kn_tree_from(r->loop ? 1 : r->n_items, item);
    kn_outs outs = {1, {{&result, 2}}};
    kn_args args = {2, {{&carry, 2}, {&xs, 2}}};
    int status = kn_eval_shape(fn, &args, &outs);
    kn_forget(fn);
    const kn_array *x = status < 0 ? NULL : tree_leaves(r->c, result, 1 + knonnx_leaves(state, r->n_state, NULL));
    if (!x)
        return knonnx_done(r->c), -1;
    for (int k = 0; k < r->n_collected; k++) {
        kn_shape shape = kn_shape_of(x[k]);
        memmove(shape.dim + 1, shape.dim, (size_t)shape.ndim * sizeof *shape.dim);
        shape.dim[0] = 0;
        shape.ndim++;
        kn_zeros_opts o = kn_zeros_opts_default();
        o.dtype = kn_dtype_of(x[k]);
        collected[k] = kn_zeros(&shape, &o);
    }
    return 0;
}

/* ---- Loops whose number of rounds is not known. The carry is the counter, the condition and the state. */

static void give_array(void *out, kn_array x) { memcpy(out, &x, sizeof x); }

static void while_goes_on(const void *env, void *out, const void *const *in)
{
    recording rec;
    memcpy(&rec, env, sizeof rec);
    kn_tree carry = tree_arg(in, 0);
    kn_array go_on = kn_tree_get(carry, 2);
    if (rec.most)
        go_on = kn_logical_and(kn_less(kn_tree_get(carry, 1), rec.most), go_on);
    give_array(out, go_on);
}

static void while_step(const void *env, void *out, const void *const *in)
{
    recording rec;
    memcpy(&rec, env, sizeof rec);
    const knonnx_repeat *r = rec.repeat;
    kn_tree carry = tree_arg(in, 0);
    const kn_array *x = tree_leaves(r->c, carry, 3);
    const knonnx_value *state = x ? knonnx_with_leaves(r->c, rec.state, r->n_state, x) : NULL;
    knonnx_value *made = knonnx_take(r->c, (uint64_t)r->g->n_out + 2, sizeof *made);
    kn_array counter = kn_tree_get(carry, 1), go_on = kn_tree_get(carry, 2);
    bool ran = state && made && knonnx_step(r, counter, go_on, state, NULL, made + 1) == 0;
    if (ran) {
        rec.types[0] = knonnx_types_text(r->c, state, r->n_state);
        rec.types[1] = knonnx_types_text(r->c, made + 2, r->n_state);
        go_on = rec.uses_condition ? kn_reshape(made[1].array, &(kn_shape){0}, NULL) : go_on;
        made[0] = knonnx_of_array(kn_add(counter, kn_like_int(1)));
        made[1] = knonnx_of_array(go_on);
    }
    give_tree(out, ran ? tree_of_values(r->c, made, 2 + r->n_state) : NULL);
}

FUNCTION(while_goes_on, "condition", sizeof(kn_array), 1);
FUNCTION(while_step, "body", 2, 1);

int knonnx_while(const knonnx_repeat *r, kn_array most, int64_t known_most, bool uses_condition, kn_array go_on,
                 const knonnx_value *state, knonnx_value *state_out)
{
    enum { MOST_RECORDED = 1 << 20 }; /* rounds whose carries reverse mode may keep */
    knonnx_value *start = knonnx_take(r->c, (uint64_t)r->n_state + 2, sizeof *start);
    int64_t zero = 0;
    if (!start)
        return -1;
    start[0] = knonnx_of_array(kn_strong(&zero, KN_I64));
    start[1] = knonnx_of_array(kn_reshape(go_on, &(kn_shape){0}, NULL));
    memcpy(start + 2, state, (size_t)r->n_state * sizeof *state);
    recording rec = recording_of(r->c);
    rec.repeat = r;
    rec.state = state;
    rec.most = most;
    rec.uses_condition = uses_condition;
    const char *types[2] = {NULL, NULL};
    rec.types = types;
    kn_fn goes_on = kn_fn_of(&while_goes_on_function, &rec);
    kn_fn step = kn_fn_of(&while_step_function, &rec);
    kn_tree carry = tree_of_values(r->c, start, r->n_state + 2), result = NULL;
    if (!carry)
        return knonnx_done(r->c), -1;
    kn_outs outs = {1, {{&result, 2}}};
    kn_args init = {1, {{&carry, 2}}};
    kn_while_opts o = {.size_ = sizeof o, .max_steps = known_most <= MOST_RECORDED ? known_most : 0};
    int status = kn_while_loop(goes_on, step, &outs, &init, &o);
    kn_forget(goes_on);
    kn_forget(step);
    if (status < 0 && types[0] && types[1] && strcmp(types[0], types[1]))
        return types_differ(r->c, "the body gives a state of other types or shapes than it takes");
    const kn_array *x = status < 0 ? NULL : tree_leaves(r->c, result, 3);
    const knonnx_value *v = x ? knonnx_with_leaves(r->c, state, r->n_state, x) : NULL;
    if (!v)
        return knonnx_done(r->c), -1;
    memcpy(state_out, v, (size_t)r->n_state * sizeof *v);
    return 0;
}

const knonnx_row knonnx_rows_control[] = {
    {"If", 1, op_if, 1, 1, 1, -1},
    {0},
};
