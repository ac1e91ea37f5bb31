/* SPDX-License-Identifier: Apache-2.0
 * optim.c -- optimizers on flat lists of arrays: their states, steps, and the ways to put them together. */
#include "function.h"

static kn_tree tree_of(PyObject *leaves)
{
    kn_tree tree = NULL;
    return kpy_put_special(KPY_TREE, leaves, &tree, NULL, NULL) == 0 ? tree : NULL;
}

/* (structure, leaves) */
static PyObject *state_of(kn_tree tree)
{
    if (kpy_failed())
        return NULL;
    PyObject *structure = kpy_wrap_handle(kn_tree_structure(tree));
    PyObject *leaves = structure ? kpy_tuple_of_list(kn_tree_leaves(tree), true) : NULL;
    PyObject *pair = leaves ? PyTuple_Pack(2, structure, leaves) : NULL;
    Py_XDECREF(structure);
    Py_XDECREF(leaves);
    return pair;
}

static kn_tree given_state(PyObject *structure, PyObject *leaves)
{
    void *s;
    kpy_part part;
    if (kpy_handle_of(structure, &s) < 0 || kpy_part_of(leaves, &part) < 0)
        return NULL;
    kn_list list = kn_list_from(part.at, (int)part.n);
    kn_tree tree = kn_tree_unflatten(s, list);
    kpy_part_drop(&part);
    return kpy_failed() ? NULL : tree;
}

/* optim_init(optimizer, params) -> (structure, leaves) of the state */
static PyObject *init(PyObject *module, PyObject *args)
{
    PyObject *o, *params, *result = NULL;
    void *optimizer;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &o, &params) || kpy_handle_of(o, &optimizer) < 0 || kpy_enter_scope() < 0)
        return NULL;
    kn_tree tree = tree_of(params);
    if (tree) {
        kpy_here();
        result = state_of(kn_optim_init(optimizer, tree));
    }
    kpy_leave_scope();
    return result;
}

/* optim_update(optimizer, grads, structure, leaves, params or None, value or None) -> (updates, structure, leaves) */
static PyObject *update(PyObject *module, PyObject *args)
{
    PyObject *o, *grads, *structure, *leaves, *params, *value, *result = NULL;
    void *optimizer;
    kpy_operand x = {0};
    kn_optim_update_opts opts = kn_optim_update_opts_default();
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOO", &o, &grads, &structure, &leaves, &params, &value) ||
        kpy_handle_of(o, &optimizer) < 0 || kpy_enter_scope() < 0)
        return NULL;
    kn_tree g = tree_of(grads), s = g ? given_state(structure, leaves) : NULL, p = NULL, updates = NULL, next = NULL;
    bool good = s && (params == Py_None || (p = tree_of(params)));
    if (good && value != Py_None && (good = kpy_operand_of(value, &x) == 0))
        opts.value = x.h;
    if (good) {
        kpy_here();
        kn_optim_update(optimizer, g, s, p, &updates, &next, &opts);
        PyObject *state = state_of(next);
        PyObject *list = state ? kpy_tuple_of_list(kn_tree_leaves(updates), true) : NULL;
        if (list)
            result = PyTuple_Pack(3, list, PyTuple_GetItem(state, 0), PyTuple_GetItem(state, 1));
        Py_XDECREF(state);
        Py_XDECREF(list);
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

static PyObject *treedef_equal(PyObject *module, PyObject *args)
{
    PyObject *a, *b;
    void *x, *y;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &a, &b) || kpy_handle_of(a, &x) < 0 || kpy_handle_of(b, &y) < 0 ||
        kpy_enter() < 0)
        return NULL;
    bool equal = x == y || kn_treedef_equal(x, y);
    PyObject *result = kpy_failed() ? NULL : PyBool_FromLong(equal);
    kpy_leave();
    return result;
}

/* treedef_names(structure, leaves) -> the leaves' names, "[0].mu[1]" */
static PyObject *treedef_names(PyObject *module, PyObject *args)
{
    PyObject *structure, *leaves, *names = NULL;
    kn_tree_keystr_opts opts = {.size_ = sizeof opts};
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &structure, &leaves) || kpy_enter_scope() < 0)
        return NULL;
    kn_tree tree = given_state(structure, leaves);
    Py_ssize_t n = tree ? PySequence_Size(leaves) : -1;
    names = tree ? PyList_New(n) : NULL;
    for (Py_ssize_t i = 0; names && i < n; i++) {
        const char *s = kn_tree_keystr(tree, (int)i, &opts);
        PyObject *name = kpy_failed() ? NULL : PyUnicode_FromString(s);
        if (!name || PyList_SetItem(names, i, name) < 0) {
            Py_DECREF(names);
            names = NULL;
        }
    }
    kpy_leave_scope();
    return names;
}

static PyMethodDef functions[] = {{"optim_init", init, METH_VARARGS, "kn_optim_init"},
                                  {"optim_update", update, METH_VARARGS, "kn_optim_update"},
                                  {"optim_chain", chain, METH_O, "kn_optim_chain"},
                                  {"optim_join", join, METH_VARARGS, "kn_optim_join_schedules"},
                                  {"optim_piecewise", piecewise, METH_VARARGS, "kn_optim_piecewise_constant_schedule"},
                                  {"optim_sgdr", sgdr, METH_O, "kn_optim_sgdr_schedule"},
                                  {"treedef_equal", treedef_equal, METH_VARARGS, "kn_treedef_equal"},
                                  {"treedef_names", treedef_names, METH_VARARGS, "kn_tree_keystr"},
                                  {0}};

int kpy_optim_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
