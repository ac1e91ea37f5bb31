/* SPDX-License-Identifier: Apache-2.0
 * microbatch.c -- optax.microbatch: a function of a batch, called for one part of it after the other in a loop. Part i
 * has the elements i, i + n, i + 2n, ... of each batch axis, where there are n parts: which these are is optax's, too.
 */
#include "function/made.h"
#include "kiln/control.h"
#include "kiln/lax.h"
#include "kiln/optim.h"
#include "optim/compose.h"
#include "optim/trees.h"
#include <limits.h>

static const char name[] = "optim_microbatch";

typedef struct settings {
    const char *accumulators; /* a letter for each leaf of the structure, of knf_intern_name; NULL: `accumulator` */
    int64_t size;
    int32_t n, argument[KN_MAX_ARGS], axis[KN_MAX_ARGS]; /* which have a batch, and where */
    int32_t accumulator, early, gap;                     /* early: the captured array says how many parts there are */
} settings;

/* ---- Parts of the arguments. */

static bool in_batch(const settings *o, int argument, int *axis)
{
    for (int i = 0; i < o->n; i++)
        if (o->argument[i] == argument) {
            *axis = o->axis[i];
            return true;
        }
    return false;
}

typedef struct split {
    int axis;
    int64_t size;
} split;

/* (..., B, ...) as (..., size, B / size, ...): part i has index i behind the batch axis. */
static kn_array split_leaf(kn_array x, kn_array y, int i, const void *env)
{
    const split *s = env;
    kn_shape from = kn_shape_of(x), to = {.ndim = from.ndim + 1};
    (void)y, (void)i;
    for (int d = 0; d < to.ndim && to.ndim <= KN_MAX_NDIM; d++)
        to.dim[d] = d < s->axis ? from.dim[d] : d == s->axis ? s->size : from.dim[d - 1];
    if (to.ndim <= KN_MAX_NDIM)
        to.dim[s->axis + 1] = from.dim[s->axis] / s->size;
    return kn_reshape(x, &to, NULL);
}

typedef struct taken {
    kn_array index;
    int axis;
} taken;

static kn_array take_leaf(kn_array x, kn_array y, int i, const void *env)
{
    const taken *t = env;
    (void)y, (void)i;
    return kn_take(x, t->index, KNL_WITH(kn_take_opts, .axis = knl_one_axis(t->axis + 1), .mode = "clip"));
}

/* The function of part `index`; all: a tuple of its arguments, with their batches split. */
static kn_tree value_at(const knf_made *m, kn_array index, kn_tree all)
{
    const settings *o = m->options;
    kn_args args = {.n = 0};
    kn_tree y = NULL;
    for (int i = 0, axis = 0; i < KN_MAX_ARGS; i++) {
        char path[16];
        snprintf(path, sizeof path, "[%d]", i);
        kn_tree x = kn_tree_has(all, path) ? kn_tree_sub(all, path) : NULL;
        if (!x)
            break;
        if (in_batch(o, i, &axis))
            x = kno_map_trees(name, x, NULL, take_leaf, &(const taken){index, axis});
        if (!x)
            return NULL;
        args.part[args.n++] = (kn_const_part){x, 1};
    }
    return kn_call(m->of, &(const kn_outs){1, {{&y, 2}}}, &args) ? NULL : y;
}

/* (index, all) */
static void part_call(const void *env, void *out, const void *const *in)
{
    *(kn_tree *)out = value_at(env, *(const kn_array *)in[0], *(const kn_tree *)in[1]);
}

/* ---- Accumulators. */

typedef struct accumulation {
    const char *letter; /* one for each leaf; NULL: `all` for each */
    int all;
    int64_t parts;
    kn_array index;
} accumulation;

static int accumulator_of(const accumulation *a, int i) { return a->letter ? a->letter[i] : a->all; }

/* The letters of the leaves of a tree, of which the structure is a prefix. False after reporting an error. */
static bool read_letters(const knf_made *m, kn_tree tree, accumulation *a, char **room)
{
    const settings *o = m->options;
    *a = (accumulation){.all = o->accumulator};
    *room = NULL;
    if (!o->accumulators)
        return true;
    kntree_tree *t = kntree_tree_get(name, tree);
    const kntree_structure *s = t ? kntree_structure_in(name, t) : NULL, *p = m->structure;
    if (!s)
        return false;
    knx_error *e = kntree_structure_compare("accumulators", p, s, true);
    *room = e ? NULL : knx_alloc((size_t)t->n + 1);
    if (!e && !*room)
        e = knx_error_nomem();
    if (e) {
        kntree_tree_failed(name, e);
        return false;
    }
    for (int i = 0, at = 0, leaf = 0, n = 0; i < p->n; i++) {
        bool is_leaf = p->node[i].kind == KN_TREE_LEAF;
        for (int k = 0; is_leaf && k < s->node[at].leaves; k++)
            (*room)[n++] = o->accumulators[leaf];
        leaf += is_leaf;
        at += is_leaf ? s->node[at].nodes : 1;
    }
    a->letter = *room;
    return true;
}

static kn_tree accumulate(const knf_made *m, kn_tree a, kn_tree b, kn_array index, int64_t parts, kno_leaf_function f)
{
    accumulation how;
    char *room;
    if (!read_letters(m, a, &how, &room))
        return NULL;
    how.parts = parts;
    how.index = index;
    kn_tree made = kno_map_trees(name, a, b, f, &how);
    knx_free(room);
    return made;
}

static kn_array first_leaf(kn_array x, kn_array y, int i, const void *env)
{
    const accumulation *a = env;
    kn_shape shape = kn_shape_of(x);
    kn_dtype d = kn_dtype_of(x);
    int how = accumulator_of(a, i);
    (void)y;
    kna_op op;
    kna_begin(&op, name);
    if (d && !knx_is_float(d) && (how == KN_OPTIM_MEAN || how == KN_OPTIM_RUNNING_MEAN))
        kna_fail(&op, KN_ERROR_VALUE, "MEAN and RUNNING_MEAN Accumulators require floating-point values.");
    else if (how == KN_OPTIM_CONCAT && shape.ndim >= KN_MAX_NDIM)
        kna_fail(&op, KN_ERROR_VALUE, "CONCAT needs one axis more than the %d of a result", shape.ndim);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kna_end_plain(&op);
    if (how == KN_OPTIM_CONCAT && shape.ndim >= 0) {
        for (int k = shape.ndim++; k > 0; k--)
            shape.dim[k] = shape.dim[k - 1];
        shape.dim[0] = a->parts;
    }
    return kn_zeros(&shape, KNL_WITH(kn_zeros_opts, .dtype = d));
}

static kn_array next_leaf(kn_array carry, kn_array value, int i, const void *env)
{
    const accumulation *a = env;
    if (accumulator_of(a, i) == KN_OPTIM_CONCAT)
        return kn_lax_dynamic_update_index_in_dim(carry, value, a->index, 0, NULL);
    if (accumulator_of(a, i) != KN_OPTIM_RUNNING_MEAN)
        return kn_add(carry, value);
    kn_dtype d = kn_dtype_of(carry);
    kn_array p = kn_divide(a->index, kn_add(a->index, kn_like_int(1))), q = kn_subtract(kno_num(1), p);
    return kn_add(kn_multiply(carry, kn_astype(p, d, NULL)), kn_multiply(value, kn_astype(q, d, NULL)));
}

static kn_array last_leaf(kn_array x, kn_array y, int i, const void *env)
{
    const accumulation *a = env;
    int how = accumulator_of(a, i);
    kn_shape shape = kn_shape_of(x);
    (void)y;
    if (how == KN_OPTIM_MEAN)
        return kn_divide(x, kno_num((double)a->parts));
    if (how != KN_OPTIM_CONCAT || shape.ndim < 2)
        return x;
    shape.dim[1] *= shape.dim[0];
    for (int k = 0; k + 1 < shape.ndim; k++)
        shape.dim[k] = shape.dim[k + 1];
    shape.ndim--;
    return kn_reshape(kn_swapaxes(x, 0, 1), &shape, NULL);
}

/* ---- The loop. */

/* (i, (carry, all)): the same with the part's value in the carry. */
static void round_call(const void *env, void *out, const void *const *in)
{
    const knf_made *m = env;
    kn_array index = *(const kn_array *)in[0];
    kn_tree state = *(const kn_tree *)in[1], pair[2] = {kn_tree_sub(state, "[0]"), kn_tree_sub(state, "[1]")};
    kn_tree value = pair[0] && pair[1] ? value_at(m, index, pair[1]) : NULL;
    pair[0] = value ? accumulate(m, pair[0], value, index, 0, next_leaf) : NULL;
    *(kn_tree *)out = pair[0] ? kn_tree_tuple(2, pair) : NULL;
}

static kn_fn made_of(const knf_made *m, const kn_function *c)
{
    kna_op op;
    kna_begin(&op, name);
    return knf_make_of(&op, c, m->options, m->structure, m->of, 0, NULL);
}

static kn_tree run(const knf_made *m, kn_tree all, int64_t parts)
{
    static const kn_function part = {.size_ = sizeof(kn_function),
                                     .name = "part",
                                     .call = part_call,
                                     .env_bytes = sizeof(settings),
                                     .out_bytes = 2,
                                     .n_args = 2,
                                     .arg_bytes = {sizeof(kn_array), 2}},
                             one_round = {.size_ = sizeof(kn_function),
                                          .name = "round",
                                          .call = round_call,
                                          .env_bytes = sizeof(settings),
                                          .out_bytes = 2,
                                          .n_args = 2,
                                          .arg_bytes = {sizeof(kn_array), 2}};
    const settings *o = m->options;
    kn_array zero = kn_astype(kn_like_int(0), KN_DT(I64), NULL), end = kn_astype(kn_like_int(parts), KN_DT(I64), NULL);
    kn_fn value = made_of(m, &part), body = value ? made_of(m, &one_round) : NULL;
    kn_tree like = NULL, state = NULL;
    if (!body ||
        kn_eval_shape(value, &(const kn_args){2, {{&zero, sizeof zero}, {all, 1}}}, &(const kn_outs){1, {{&like, 2}}}))
        return NULL;
    kn_tree pair[2] = {accumulate(m, like, NULL, NULL, parts, first_leaf), all};
    kn_tree first = pair[0] ? kn_tree_tuple(2, pair) : NULL;
    if (o->early)
        end = kn_minimum(kn_astype(m->captured[0], KN_DT(I64), NULL), end);
    else
        end = kn_like_int(parts);
    if (!first || kn_fori_loop(o->early ? zero : kn_like_int(0), end, body, &(const kn_outs){1, {{&state, 2}}},
                               &(const kn_args){1, {{first, 1}}}, NULL))
        return NULL;
    kn_tree sums = kn_tree_sub(state, "[0]");
    return sums ? accumulate(m, sums, NULL, NULL, parts, last_leaf) : NULL;
}

/* The number of elements of all batches; false with the op failed. */
static bool batch_size(kna_op *op, const settings *o, const void *const *in, int64_t *size)
{
    knx_text sizes = {0};
    bool same = true, any = false;
    for (int i = 0; i < o->n && !kna_failed(op); i++) {
        kntree_tree *t = kntree_tree_get(name, *(const kn_tree *)in[o->argument[i]]);
        for (int k = 0; t && k < t->n && !kna_failed(op); k++) {
            kni_type x = kna_type(op, t->at[k]);
            if (!kna_failed(op) && o->axis[i] >= x.ndim) {
                kna_fail(op, KN_ERROR_INDEX, "argument %d has no axis %d: it has %d dimensions", o->argument[i],
                         o->axis[i], x.ndim);
            } else if (!kna_failed(op)) {
                int64_t own = x.dim[o->axis[i]];
                knx_text_add(&sizes, any ? ", %lld" : "%lld", (long long)own);
                same = same && (!any || own == *size);
                *size = any ? *size : own;
                any = true;
            }
        }
    }
    if (!kna_failed(op) && !any)
        kna_fail(op, KN_ERROR_VALUE, "the batch arguments have no arrays");
    else if (!kna_failed(op) && !same)
        kna_fail(op, KN_ERROR_VALUE, "Batch Arguments must have equal-size batch axes, found [%s].", sizes.s);
    else if (!kna_failed(op) && *size % o->size)
        kna_fail(op, KN_ERROR_VALUE, "batch_size=%lld must be divisible by microbatch_size=%lld.", (long long)*size,
                 (long long)o->size);
    else if (!kna_failed(op) && !*size)
        kna_fail(op, KN_ERROR_VALUE, "num_microbatches=0 must be positive.");
    return !kna_failed(op);
}

static kn_tree whole(const knf_made *m, int n, const void *const *in)
{
    const settings *o = m->options;
    kn_tree arguments[KN_MAX_ARGS];
    int64_t size = 0;
    kna_op op;
    kna_begin(&op, name);
    batch_size(&op, o, in, &size);
    if (!kna_end_handle(&op))
        return NULL;
    for (int i = 0, axis = 0; i < n; i++) {
        arguments[i] = *(const kn_tree *)in[i];
        if (in_batch(o, i, &axis))
            arguments[i] = kno_map_trees(name, arguments[i], NULL, split_leaf, &(const split){axis, o->size});
        if (!arguments[i])
            return NULL;
    }
    kn_tree all = kn_tree_tuple(n, arguments);
    return all ? run(m, all, size / o->size) : NULL;
}

/* ---- The function, by its number of arguments. */

#define WHOLE(count)                                                             \
    static void whole_##count(const void *env, void *out, const void *const *in) \
    {                                                                            \
        *(kn_tree *)out = whole(env, count, in);                                 \
    }
#define DESCRIBE(count)                                                                                             \
    {                                                                                                               \
        .size_ = sizeof(kn_function), .name = "microbatched", .call = whole_##count, .env_bytes = sizeof(settings), \
        .out_bytes = 2, .n_args = count, .arg_bytes = {2, 2, 2, 2, 2, 2, 2, 2},                                     \
    }
WHOLE(1)
WHOLE(2)
WHOLE(3)
WHOLE(4)
WHOLE(5)
WHOLE(6)
WHOLE(7)
WHOLE(8)

static const kn_function functions[] = {DESCRIBE(1), DESCRIBE(2), DESCRIBE(3), DESCRIBE(4),
                                        DESCRIBE(5), DESCRIBE(6), DESCRIBE(7), DESCRIBE(8)};
_Static_assert(KN_MAX_ARGS == sizeof functions / sizeof *functions, "a function for each number of arguments");

static bool check_kind(kna_op *op, int64_t kind)
{
    if (kind < KN_OPTIM_MEAN || kind > KN_OPTIM_CONCAT)
        kna_fail(op, KN_ERROR_VALUE, "Unknown accumulator: %lld", (long long)kind);
    return !kna_failed(op);
}

/* A letter for each leaf of the tree, and its structure, borrowed. */
static const kntree_structure *read_accumulators(kna_op *op, kn_tree tree, settings *s)
{
    kntree_tree *t = tree && !kna_failed(op) ? kntree_tree_get(name, tree) : NULL;
    const kntree_structure *structure = t ? kntree_structure_in(name, t) : NULL;
    char *letters = structure ? knx_alloc_zero((size_t)t->n + 1) : NULL;
    for (int i = 0; letters && i < t->n && !kna_failed(op); i++) {
        int64_t n = 0, *v = knl_look_integers(op, t->at[i], &n, NULL, "an accumulator is an integer (KN_OPTIM_SUM)");
        if (v && check_kind(op, n == 1 ? v[0] : 0))
            letters[i] = (char)v[0];
        knx_free(v);
    }
    if (letters && !kna_failed(op))
        s->accumulators = knf_intern_name(letters);
    if (tree && !kna_failed(op) && !s->accumulators)
        kna_fail_with(op, knx_error_nomem());
    knx_free(letters);
    return structure;
}

static void read_arguments(kna_op *op, const knf_fn *f, const kn_argnums *argnums, const kn_axes *axes, settings *s)
{
    const char *of = f ? f->core->name : "";
    if (kna_failed(op) || !kna_axes_fit(op, *axes, "in_axes"))
        return;
    int n = argnums->n ? argnums->n : 1, n_axes = axes->n - 1;
    if (argnums->n < 0 || argnums->n > KN_MAX_ARGS)
        kna_fail(op, KN_ERROR_VALUE, "argnums has %d entries", argnums->n);
    else if (axes->n && n_axes != 1 && n_axes != n)
        kna_fail(op, KN_ERROR_VALUE, "in_axes has %d entries for %d argnums", n_axes, n);
    for (int i = 0, axis = 0; i < n && !kna_failed(op); i++) {
        int argument = argnums->n ? argnums->arg[i] : 0;
        s->axis[i] = axes->n ? axes->axis[n_axes == 1 ? 0 : i] : 0;
        if (argument < 0 || argument >= f->core->n_args)
            kna_fail(op, KN_ERROR_VALUE, "argnums %d is out of range: %s has %d argument%s", argument, of,
                     f->core->n_args, f->core->n_args == 1 ? "" : "s");
        else if (in_batch(s, argument, &axis))
            kna_fail(op, KN_ERROR_VALUE, "argnums has %d twice", argument);
        else if (s->axis[i] < 0 || s->axis[i] >= KN_MAX_NDIM)
            kna_fail(op, KN_ERROR_VALUE, "in_axes has %d, which is no axis from 0 on", s->axis[i]);
        s->argument[s->n++] = argument;
    }
}

kn_fn kn_optim_microbatch(kn_fn fun, kn_argnums argnums, int64_t microbatch_size, const kn_optim_microbatch_opts *opts)
{
    kna_op op;
    kna_begin(&op, name);
    KNX_OPTS(kn_optim_microbatch_opts, o, opts);
    const knf_fn *f = knf_fn_get(&op, fun);
    settings s = {.size = microbatch_size, .accumulator = o.accumulator, .early = o.num_real_microbatches != NULL};
    if (f && microbatch_size < 0)
        kna_fail(&op, KN_ERROR_VALUE, "microbatch_size must not be negative, but is %lld", (long long)microbatch_size);
    else if (f && f->core->n_args < 1)
        kna_fail(&op, KN_ERROR_TYPE, "%s has no arguments", f->core->name);
    read_arguments(&op, f, &argnums, &o.in_axes, &s);
    if (!kna_failed(&op) && !o.accumulators)
        check_kind(&op, o.accumulator);
    const kntree_structure *structure = read_accumulators(&op, o.accumulators, &s);
    if (s.early && !kna_failed(&op)) {
        kni_type t = kna_type(&op, o.num_real_microbatches);
        if (!kna_failed(&op) && (t.ndim || !knx_is_integer(t.dtype)))
            kna_fail(&op, KN_ERROR_TYPE, "num_real_microbatches is one integer");
    }
    if (kna_failed(&op) || microbatch_size) {
        const kn_function *c = f && !kna_failed(&op) ? &functions[f->core->n_args - 1] : functions;
        return knf_make_of(&op, c, &s, structure, fun, s.early, &o.num_real_microbatches);
    }
    knf_core *core = f->core;
    atomic_fetch_add(&core->refs, 1);
    kna_end_plain(&op);
    return knf_fn_handle(core, core->n_captured, f->captured);
}
