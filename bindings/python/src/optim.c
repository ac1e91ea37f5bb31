/* SPDX-License-Identifier: Apache-2.0
 * optim.c -- optimizers on flat lists of arrays: their states, steps, and the ways to put them together. */
#include "function.h"
#include <string.h>

/* The name of a struct's type, as the text of its structure has it; a new string. */
static PyObject *name_of(kn_treedef structure)
{
    static const char before[] = "PyTreeDef(CustomNode(namedtuple[";
    const char *text = kn_treedef_text(structure), *end = text ? strchr(text + sizeof before - 1, ']') : NULL;
    if (kpy_failed())
        return NULL;
    if (!end || strncmp(text, before, sizeof before - 1) != 0)
        return PyErr_Format(PyExc_SystemError, "the type of a state has no name");
    return PyUnicode_FromStringAndSize(text + sizeof before - 1, end - text - (Py_ssize_t)(sizeof before - 1));
}

/* None of a leaf, else (name of the struct or None, child, child, ...) */
static PyObject *node_of(kn_treedef structure)
{
    kn_tree_kind kind = kn_treedef_kind(structure);
    if (kpy_failed())
        return NULL;
    if (kind == KN_TREE_LEAF)
        return Py_NewRef(Py_None);
    int n = kn_treedef_children_count(structure);
    PyObject *node = PyTuple_New(n + 1);
    for (int i = -1; node && i < n; i++) {
        PyObject *o = i >= 0 ? NULL : kind == KN_TREE_STRUCT ? name_of(structure) : Py_NewRef(Py_None);
        if (i >= 0) {
            kn_treedef child = kn_treedef_child(structure, i);
            o = kpy_failed() ? NULL : node_of(child);
        }
        if (!o || PyTuple_SetItem(node, i + 1, o) < 0) {
            Py_DECREF(node);
            return NULL;
        }
    }
    return node;
}

/* optim_init(optimizer, params) -> (what the state is, see node_of, its leaves) */
static PyObject *init(PyObject *module, PyObject *args)
{
    PyObject *o, *params, *result = NULL;
    void *optimizer;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &o, &params) || kpy_handle_of(o, &optimizer) < 0 || kpy_enter_scope() < 0)
        return NULL;
    kn_tree tree = kpy_tree_of(params);
    if (tree) {
        kpy_here();
        kn_tree state = kn_optim_init(optimizer, tree);
        PyObject *node = kpy_failed() ? NULL : node_of(kn_tree_structure(state));
        PyObject *leaves = node ? kpy_tuple_of_list(kn_tree_leaves(state), true) : NULL;
        result = leaves ? PyTuple_Pack(2, node, leaves) : NULL;
        Py_XDECREF(node);
        Py_XDECREF(leaves);
    }
    kpy_leave_scope();
    return result;
}

/* optim_update(optimizer, grads, state, params or None, value or None) -> (updates, state), all of them leaves */
static PyObject *update(PyObject *module, PyObject *args)
{
    PyObject *o, *grads, *state, *params, *value, *result = NULL;
    void *optimizer;
    kpy_operand x = {0};
    kn_optim_update_opts opts = kn_optim_update_opts_default();
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOO", &o, &grads, &state, &params, &value) || kpy_handle_of(o, &optimizer) < 0 ||
        kpy_enter_scope() < 0)
        return NULL;
    kn_tree g = kpy_tree_of(grads), s = g ? kpy_tree_of(state) : NULL, p = NULL, updates = NULL, next = NULL;
    bool good = s && (params == Py_None || (p = kpy_tree_of(params)));
    if (good && value != Py_None && (good = kpy_operand_of(value, &x) == 0))
        opts.value = x.h;
    if (good) {
        kpy_here();
        kn_optim_update(optimizer, g, s, p, &updates, &next, &opts);
        PyObject *first = kpy_failed() ? NULL : kpy_tuple_of_list(kn_tree_leaves(updates), true);
        PyObject *second = first ? kpy_tuple_of_list(kn_tree_leaves(next), true) : NULL;
        result = second ? PyTuple_Pack(2, first, second) : NULL;
        Py_XDECREF(first);
        Py_XDECREF(second);
    }
    kpy_operand_drop(&x);
    kpy_leave_scope();
    return result;
}

/* The handles of a tuple, in memory of PyMem_Malloc. */
static void **handles_of(PyObject *tuple, int *n)
{
    *n = (int)PyTuple_Size(tuple);
    void **at = *n < 0 ? NULL : PyMem_Malloc(((size_t)*n + 1) * sizeof *at);
    for (int i = 0; at && i < *n; i++)
        if (kpy_handle_of(PyTuple_GetItem(tuple, i), &at[i]) < 0) {
            PyMem_Free(at);
            return NULL;
        }
    return at;
}

static PyObject *chain(PyObject *module, PyObject *parts)
{
    int n;
    void **at = handles_of(parts, &n);
    (void)module;
    PyObject *result = NULL;
    if (at && kpy_enter() == 0) {
        result = kpy_wrap_handle(kn_optim_chain(n, (const kn_optimizer *)at));
        kpy_leave();
    }
    PyMem_Free(at);
    return result;
}

/* optim_partition(optimizers, labels): a label for each parameter, the number of its optimizer */
static PyObject *partition(PyObject *module, PyObject *args)
{
    PyObject *parts, *labels, *result = NULL;
    int n;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &parts, &labels))
        return NULL;
    void **at = handles_of(parts, &n);
    if (at && kpy_enter_scope() == 0) {
        kn_tree tree = kpy_tree_of(labels);
        if (tree) {
            kpy_here();
            result = kpy_wrap_handle(kn_optim_partition(n, (const kn_optimizer *)at, tree));
        }
        kpy_leave_scope();
    }
    PyMem_Free(at);
    return result;
}

/* A pair of two new objects, either of which may be NULL after an error. */
static PyObject *pair_of(PyObject *first, PyObject *second)
{
    PyObject *pair = first && second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return pair;
}

/* optim_clip_examples(grads, norm, uniform or None) -> (the sum over examples, how many were scaled): lists, for
 * uniform not None (each leaf has a norm of its own), else a list and a number */
static PyObject *clip_examples(PyObject *module, PyObject *args)
{
    PyObject *grads, *uniform, *result = NULL;
    double norm;
    (void)module;
    if (!PyArg_ParseTuple(args, "OdO", &grads, &norm, &uniform) || kpy_enter_scope() < 0)
        return NULL;
    kn_tree g = kpy_tree_of(grads);
    if (g && uniform == Py_None) {
        kn_array n = NULL;
        kpy_here();
        kn_tree sum = kn_optim_per_example_global_norm_clip(g, norm, &n);
        PyObject *first = kpy_failed() ? NULL : kpy_list_of_tree(sum);
        result = pair_of(first, first ? kpy_wrap(n) : NULL);
    } else if (g) {
        kn_optim_per_example_layer_norm_clip_opts opts = kn_optim_per_example_layer_norm_clip_opts_default();
        kn_tree n = NULL;
        opts.uniform = uniform == Py_True;
        kpy_here();
        kn_tree sum = kn_optim_per_example_layer_norm_clip(g, norm, &n, &opts);
        PyObject *first = kpy_failed() ? NULL : kpy_list_of_tree(sum);
        result = pair_of(first, first ? kpy_list_of_tree(n) : NULL);
    }
    kpy_leave_scope();
    return result;
}

/* optim_skip(updates, max_squared_norm or None) -> (is the step to be left out, the square of the norm or, for None,
 * how many elements are not finite) */
static PyObject *skip(PyObject *module, PyObject *args)
{
    PyObject *updates, *most, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &updates, &most) || kpy_enter_scope() < 0)
        return NULL;
    double norm = most == Py_None ? 0 : PyFloat_AsDouble(most);
    kn_tree u = PyErr_Occurred() ? NULL : kpy_tree_of(updates);
    if (u) {
        kn_array n = NULL;
        kpy_here();
        kn_array yes = most == Py_None ? kn_optim_skip_not_finite(u, &n) : kn_optim_skip_large_updates(u, norm, &n);
        PyObject *first = kpy_wrap(yes);
        result = pair_of(first, first ? kpy_wrap(n) : NULL);
    }
    kpy_leave_scope();
    return result;
}

/* optim_join(schedules, boundaries) */
static PyObject *join(PyObject *module, PyObject *args)
{
    PyObject *schedules, *boundaries, *result = NULL;
    int n;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &schedules, &PyTuple_Type, &boundaries))
        return NULL;
    void **at = handles_of(schedules, &n);
    int64_t *step = at ? PyMem_Calloc((size_t)n + 1, sizeof *step) : NULL;
    bool good = step;
    if (good && PyTuple_Size(boundaries) != n - 1) {
        PyErr_Format(PyExc_ValueError, "join_schedules: %d schedules have %d boundaries, not %zd", n, n - 1,
                     PyTuple_Size(boundaries));
        good = false;
    }
    for (int i = 0; good && i < n - 1; i++)
        good = kpy_int_of(PyTuple_GetItem(boundaries, i), &step[i]) == 0;
    if (good && kpy_enter() == 0) {
        result = kpy_wrap_handle(kn_optim_join_schedules(n, (const kn_schedule *)at, step));
        kpy_leave();
    }
    PyMem_Free(at);
    PyMem_Free(step);
    return result;
}

/* optim_piecewise(type or None, init_value, ((step, scale), ...)) */
static PyObject *piecewise(PyObject *module, PyObject *args)
{
    PyObject *pairs, *result = NULL;
    const char *type;
    double start;
    (void)module;
    if (!PyArg_ParseTuple(args, "zdO!", &type, &start, &PyTuple_Type, &pairs))
        return NULL;
    int n = (int)PyTuple_Size(pairs);
    kn_optim_boundary *at = PyMem_Calloc((size_t)n + 1, sizeof *at);
    bool good = at;
    for (int i = 0; good && i < n; i++) {
        long long step;
        good = PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "Ld", &step, &at[i].scale);
        at[i].step = good ? step : 0;
    }
    if (good && kpy_enter() == 0) {
        result = kpy_wrap_handle(type ? kn_optim_piecewise_interpolate_schedule(type, start, n, at)
                                      : kn_optim_piecewise_constant_schedule(start, n, at));
        kpy_leave();
    }
    PyMem_Free(at);
    return result;
}

/* optim_sgdr(((init_value, peak_value, warmup_steps, decay_steps, end_value, exponent), ...)) */
static PyObject *sgdr(PyObject *module, PyObject *cycles)
{
    PyObject *result = NULL;
    int n = (int)PyTuple_Size(cycles);
    kn_optim_sgdr_cycle *at = n < 0 ? NULL : PyMem_Calloc((size_t)n + 1, sizeof *at);
    bool good = at;
    (void)module;
    for (int i = 0; good && i < n; i++) {
        long long warmup, decay;
        kn_optim_sgdr_cycle *c = &at[i];
        good = PyArg_ParseTuple(PyTuple_GetItem(cycles, i), "ddLLdd", &c->init_value, &c->peak_value, &warmup, &decay,
                                &c->end_value, &c->exponent);
        if (good) {
            c->warmup_steps = warmup;
            c->decay_steps = decay;
        }
    }
    if (good && kpy_enter() == 0) {
        result = kpy_wrap_handle(kn_optim_sgdr_schedule(n, at));
        kpy_leave();
    }
    PyMem_Free(at);
    return result;
}

static PyMethodDef functions[] = {
    {"optim_init", init, METH_VARARGS, "kn_optim_init"},
    {"optim_update", update, METH_VARARGS, "kn_optim_update"},
    {"optim_chain", chain, METH_O, "kn_optim_chain"},
    {"optim_partition", partition, METH_VARARGS, "kn_optim_partition"},
    {"optim_clip_examples", clip_examples, METH_VARARGS,
     "kn_optim_per_example_global_norm_clip, kn_optim_per_example_layer_norm_clip"},
    {"optim_skip", skip, METH_VARARGS, "kn_optim_skip_not_finite, kn_optim_skip_large_updates"},
    {"optim_join", join, METH_VARARGS, "kn_optim_join_schedules"},
    {"optim_piecewise", piecewise, METH_VARARGS, "kn_optim_piecewise_constant_schedule"},
    {"optim_sgdr", sgdr, METH_O, "kn_optim_sgdr_schedule"},
    {0}};

int kpy_optim_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
