/* SPDX-License-Identifier: Apache-2.0
 * save.c -- a function as an ONNX file: its jaxpr, names for inputs and outputs, the message around them. */
#include "models/onnx/export/control.h"
#include <stdio.h>
#include <string.h>

typedef struct leaf {
    const char *name;
    bool is_param;
    kn_array array;
} leaf;

typedef struct saving {
    knout_out out;
    knmodels_arena arena;
    int names, n_leaves;
    bool failed;
    leaf *leaf;
    const kn_onnx_save_opts *o;
} saving;

static int no_memory(const saving *s) { return knbeside_no_memory(s->out.operation); }

/* ---- The arrays among the arguments, and what they are called. */

static bool is_param(const saving *s, int arg)
{
    for (int i = 0; i < s->o->params.n; i++)
        if (s->o->params.arg[i] == arg)
            return true;
    return false;
}

static int leaves_of(kn_const_part p)
{
    return p.bytes <= 2 ? kn_tree_count(p.bytes == 1 ? (kn_tree)(uintptr_t)p.at : *(const kn_tree *)p.at)
                        : (int)(p.bytes / sizeof(kn_array));
}

static const char *name_of(saving *s, const char *text)
{
    char own[300];
    snprintf(own, sizeof own, "%s", text);
    for (int again = 1;; again++) {
        bool taken = false;
        for (int i = 0; i < s->n_leaves; i++)
            taken = taken || !strcmp(s->leaf[i].name, own);
        if (!taken)
            return knmodels_take_text(&s->arena, own, strlen(own));
        snprintf(own, sizeof own, "%.280s_%d", text, again);
    }
}

static int add_leaves(saving *s, kn_const_part p, int arg, int n)
{
    kn_tree tree = p.bytes == 1 ? (kn_tree)(uintptr_t)p.at : p.bytes == 2 ? *(const kn_tree *)p.at : NULL;
    kn_tree_keystr_opts key = kn_tree_keystr_opts_default();
    key.simple = true;
    key.separator = "/";
    for (int i = 0; i < n; i++) {
        char text[300];
        const char *path = tree ? kn_tree_keystr(tree, i, &key) : NULL;
        if (path && *path)
            snprintf(text, sizeof text, "%s", path);
        else if (n > 1)
            snprintf(text, sizeof text, "input_%d_%d", arg, i);
        else
            snprintf(text, sizeof text, "input_%d", arg);
        leaf l = {NULL, is_param(s, arg), tree ? kn_tree_get(tree, i) : ((const kn_array *)p.at)[i]};
        int inputs = 0;
        for (int k = 0; k < s->n_leaves; k++)
            inputs += !s->leaf[k].is_param;
        const kn_text_list *given = s->o->inputs;
        l.name = name_of(s, !l.is_param && given && inputs < given->n && given->v[inputs] ? given->v[inputs] : text);
        if (!l.name)
            return no_memory(s);
        s->leaf[s->n_leaves++] = l;
    }
    return 0;
}

static int list_leaves(saving *s, const kn_args *args)
{
    int n[KN_MAX_ARGS], all = 0, inputs = 0;
    for (int i = 0; i < args->n; i++) {
        n[i] = leaves_of(args->part[i]);
        if (n[i] < 0)
            return -1;
        all += n[i];
    }
    s->leaf = knmodels_take(&s->arena, (uint64_t)all + 1, sizeof *s->leaf);
    if (!s->leaf)
        return no_memory(s);
    for (int i = 0; i < args->n; i++)
        if (add_leaves(s, args->part[i], i, n[i]))
            return -1;
    for (int i = 0; i < s->n_leaves; i++)
        inputs += !s->leaf[i].is_param;
    if (s->o->inputs && s->o->inputs->n != inputs)
        return knbeside_fail(s->out.operation, KN_ERROR_VALUE, "%d names of inputs are given, and there are %d inputs",
                             s->o->inputs->n, inputs);
    for (int i = 0; i < s->o->params.n; i++)
        if (s->o->params.arg[i] < 0 || s->o->params.arg[i] >= args->n)
            return knbeside_fail(s->out.operation, KN_ERROR_VALUE, "params: there is no argument %d",
                                 (int)s->o->params.arg[i]);
    return 0;
}

/* ---- The graph. */

static knout_var type_of(saving *s, kn_jaxpr j, uint32_t atom)
{
    kn_variable v = {.size_ = sizeof v};
    int64_t *dim =
        kn_jaxpr_variable(j, atom, &v) ? NULL : knmodels_take(&s->arena, (uint64_t)v.shape.ndim, sizeof *dim);
    if (!dim) {
        s->failed = true;
        return (knout_var){KN_F32, 0, NULL};
    }
    memcpy(dim, v.shape.dim, (size_t)v.shape.ndim * sizeof *dim);
    return (knout_var){v.dtype, v.shape.ndim, dim};
}

/* Names that are made here begin as none of the user's does, with a number behind it. */
static bool is_made(const saving *s, const char *name)
{
    size_t n = strlen(s->out.prefix);
    return !strncmp(name, s->out.prefix, n) && name[n] >= '0' && name[n] <= '9';
}

static int choose_prefix(saving *s)
{
    const kn_text_list *outputs = s->o->outputs;
    for (size_t n = 1; n < sizeof s->out.prefix - 1; n++) {
        bool taken = false;
        memset(s->out.prefix, 'v', n);
        for (int i = 0; i < s->n_leaves; i++)
            taken = taken || is_made(s, s->leaf[i].name);
        for (int i = 0; outputs && i < outputs->n; i++)
            taken = taken || (outputs->v[i] && is_made(s, outputs->v[i]));
        if (!taken)
            return 0;
    }
    return knbeside_fail(s->out.operation, KN_ERROR_VALUE, "inputs and outputs have names such as \"%s1\": give others",
                         s->out.prefix);
}

/* The name of output i, which nothing else has. */
static const char *output_name(saving *s, int i, int n, const char *const *before)
{
    char text[32];
    const kn_text_list *given = s->o->outputs;
    snprintf(text, sizeof text, n > 1 ? "output_%d" : "output", i);
    if (!given || !given->v[i])
        return name_of(s, text);
    bool taken = !*given->v[i];
    for (int k = 0; k < s->n_leaves; k++)
        taken = taken || !strcmp(s->leaf[k].name, given->v[i]);
    for (int k = 0; k < i; k++)
        taken = taken || !strcmp(before[k], given->v[i]);
    if (taken)
        knbeside_fail(s->out.operation, KN_ERROR_VALUE, "\"%s\" is no name for output %d: %s", given->v[i], i,
                      *given->v[i] ? "an input, a parameter or another output has it" : "it is empty");
    return taken ? NULL : given->v[i];
}

/* Each variable of unknown extents is found as the extent of an input's axis. */
static void find_extents(saving *s, const knout_var *v, const char *input)
{
    knout_out *w = &s->out;
    for (int i = 0; i < v->ndim; i++) {
        const char *text = knout_is_number(v->dim[i]) ? NULL : kn_dim_text(v->dim[i]);
        bool plain =
            text && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(text);
        for (int k = 0; k < w->n_dims; k++)
            plain = plain && strcmp(w->dim[k].text, text);
        if (!plain || w->n_dims == w->room_dims)
            continue;
        knout_put_attr_int(w, "start", i);
        knout_put_attr_int(w, "end", i + 1);
        w->dim[w->n_dims].name = OP(w, "Shape", input);
        if (!(w->dim[w->n_dims].text = knmodels_take_text(&s->arena, text, strlen(text))))
            s->failed = no_memory(s);
        else
            w->n_dims++;
    }
}

static int check_types(saving *s, const knout_var *v, const char *name)
{
    if (knonnx_elem_of(v->dtype))
        return 0;
    return knbeside_fail(s->out.operation, KN_ERROR_NOT_IMPLEMENTED, "\"%s\" is %s, which ONNX does not have", name,
                         kn_dtype_name(v->dtype));
}

static int write_graph(saving *s, kn_jaxpr j, knbeside_bytes *infos)
{
    kn_jaxpr_counts n = kn_jaxpr_count(j);
    if (n.invars < 0)
        return -1;
    if (n.invars != s->n_leaves)
        return knbeside_fail(s->out.operation, KN_ERROR_VALUE,
                             "the function has %d inputs, and the arguments %d arrays", n.invars, s->n_leaves);
    if (s->o->outputs && s->o->outputs->n != n.outvars)
        return knbeside_fail(s->out.operation, KN_ERROR_VALUE,
                             "%d names of outputs are given, and there are %d outputs", s->o->outputs->n, n.outvars);
    const char **in = knmodels_take(&s->arena, (uint64_t)n.invars, sizeof *in),
               **out = knmodels_take(&s->arena, (uint64_t)n.outvars, sizeof *out),
               **names = knmodels_take(&s->arena, (uint64_t)n.outvars, sizeof *names);
    if (!in || !out || !names)
        return no_memory(s);
    if (choose_prefix(s))
        return -1;
    for (int i = 0; i < n.invars; i++) {
        knout_var v = type_of(s, j, (uint32_t)(n.constvars + i));
        in[i] = s->leaf[i].name;
        if (s->failed || check_types(s, &v, in[i]))
            return -1;
        if (s->leaf[i].is_param)
            knout_initializer(&s->out, in[i], s->leaf[i].array);
        else
            knout_put_info(infos, 11, in[i], &v);
        find_extents(s, &v, in[i]);
    }
    if (knout_write_jaxpr(&s->out, j, in, out))
        return -1;
    for (int i = 0; i < n.outvars; i++) {
        knout_var v = type_of(s, j, kn_jaxpr_outvar(j, i));
        const char *name = names[i] = output_name(s, i, n.outvars, names);
        if (!name || s->failed || check_types(s, &v, name))
            return -1;
        knout_emit_many(&s->out, "Identity", 1, &out[i], 1, &name);
        knout_put_info(infos, 12, name, &v);
    }
    return s->failed ? -1 : 0;
}

static void write_model(saving *s, const knbeside_bytes *infos, knbeside_bytes *model)
{
    knbeside_bytes opset = {0}, graph = {0};
    knbeside_put(&graph, s->out.nodes.at, s->out.nodes.n);
    knonnx_put_text(&graph, 2, s->o->name ? s->o->name : "kiln");
    knbeside_put(&graph, s->out.init.at, s->out.init.n);
    knbeside_put(&graph, infos->at, infos->n);
    knonnx_put_text(&opset, 1, "");
    knonnx_put_int(&opset, 2, s->out.opset);
    knonnx_put_int(model, 1, s->out.opset > 25 ? 13 : s->out.opset > 20 ? 10 : s->out.opset > 18 ? 9 : 8);
    knonnx_put_text(model, 2, "kiln");
    knonnx_put_text(model, 3, kn_version());
    knonnx_put_bytes(model, 7, graph.at, graph.n);
    knonnx_put_bytes(model, 8, opset.at, opset.n);
    model->failed =
        model->failed || opset.failed || graph.failed || infos->failed || s->out.nodes.failed || s->out.init.failed;
    knbeside_bytes_free(&graph);
    knbeside_bytes_free(&opset);
}

static int save(saving *s, const char *path, kn_fn fn, const kn_args *args)
{
    kn_make_jaxpr_opts how = {.size_ = sizeof how, .symbolic = s->o->symbolic, .constraints = s->o->constraints};
    knbeside_bytes infos = {0}, model = {0};
    if (list_leaves(s, args))
        return -1;
    kn_jaxpr j = kn_make_jaxpr(fn, args, &how);
    int status = j ? write_graph(s, j, &infos) : -1;
    if (!status)
        write_model(s, &infos, &model);
    status = knbeside_write(s->out.operation, path, s->o->file, &model, status);
    knbeside_bytes_free(&infos);
    return status;
}

int kn_onnx_save(const char *path, kn_fn fn, const kn_args *args, const kn_onnx_save_opts *opts)
{
    enum { DIMS = 256 };
    KNX_OPTS(kn_onnx_save_opts, o, opts);
    const char *op = "onnx_save";
    saving s = {.o = &o};
    if (knbeside_check_target(op, path, o.file))
        return -1;
    if (!fn || !args || args->n < 0 || args->n > KN_MAX_ARGS)
        return knbeside_null(op, fn ? "arguments" : "function");
    if (o.opset < 18 || o.opset > 26)
        return knbeside_fail(op, KN_ERROR_VALUE, "opset %lld: it is between 18 and 26", (long long)o.opset);
    s.out = (knout_out){.operation = op,
                        .arena = &s.arena,
                        .outermost = &s.out,
                        .names = &s.names,
                        .failed = &s.failed,
                        .opset = o.opset,
                        .room_dims = DIMS};
    kn_scope scope = kn_scope_begin();
    s.out.dim = knmodels_take(&s.arena, DIMS, sizeof *s.out.dim);
    int status = s.out.dim ? save(&s, path, fn, args) : no_memory(&s);
    knbeside_bytes_free(&s.out.nodes);
    knbeside_bytes_free(&s.out.init);
    knbeside_bytes_free(&s.out.attrs);
    knmodels_arena_free(&s.arena);
    kn_scope_end(&scope);
    return status;
}
