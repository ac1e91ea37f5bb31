/* SPDX-License-Identifier: Apache-2.0
 * control.c -- loops and branches of Python functions. */
#include "function.h"

#define FUNCTION(o) ((kpy_function *)(o))
static bool is_function(PyObject *o)
{
    if (Py_TYPE(o) == kpy_function_type)
        return true;
    PyErr_SetString(PyExc_TypeError, "a Function is wanted");
    return false;
}

/* scan(body, init, xs, length, reverse, unroll, checkpoint) */
static PyObject *scan(PyObject *module, PyObject *args)
{
    PyObject *body, *init, *xs, *result = NULL;
    kn_scan_opts opts = {.size_ = sizeof opts};
    long long length, unroll, checkpoint_;
    int reverse;
    kpy_parts p, x;
    kn_tree tree = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOLpLL", &body, &init, &xs, &length, &reverse, &unroll, &checkpoint_) ||
        !is_function(body) || kpy_enter_scope() < 0)
        return NULL;
    opts.length = length;
    opts.reverse = reverse;
    opts.unroll = unroll;
    opts.checkpoint = checkpoint_;
    if (kpy_shows_progress())
        opts.on_step = kpy_scan_told;
    if (kpy_parts_of(init, &p) == 0) {
        if (kpy_parts_of(xs, &x) == 0) {
            kn_outs outs = {1, {{&tree, 2}}};
            kpy_here();
            kn_scan(FUNCTION(body)->fn, &outs, &p.args, &x.args, &opts);
            result = kpy_list_of_tree(tree);
            kpy_parts_drop(&x);
        }
        kpy_parts_drop(&p);
    }
    kpy_leave_scope();
    return result;
}

static PyObject *while_loop(PyObject *module, PyObject *args)
{
    PyObject *condition, *body, *init, *result = NULL;
    kn_while_opts opts = {.size_ = sizeof opts};
    long long max_steps;
    kpy_parts p;
    kn_tree tree = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOL", &condition, &body, &init, &max_steps) || !is_function(condition) ||
        !is_function(body) || kpy_enter_scope() < 0)
        return NULL;
    opts.max_steps = max_steps;
    if (kpy_parts_of(init, &p) == 0) {
        kn_outs outs = {1, {{&tree, 2}}};
        kpy_here();
        kn_while_loop(FUNCTION(condition)->fn, FUNCTION(body)->fn, &outs, &p.args, &opts);
        result = kpy_list_of_tree(tree);
        kpy_parts_drop(&p);
    }
    kpy_leave_scope();
    return result;
}

static PyObject *fori_loop(PyObject *module, PyObject *args)
{
    PyObject *lower, *upper, *body, *init, *result = NULL;
    kn_fori_opts opts = {.size_ = sizeof opts};
    kpy_operand a = {0}, b = {0};
    kpy_parts p;
    kn_tree tree = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOO", &lower, &upper, &body, &init) || !is_function(body) || kpy_enter_scope() < 0)
        return NULL;
    if (kpy_operand_of(lower, &a) == 0 && kpy_operand_of(upper, &b) == 0 && kpy_parts_of(init, &p) == 0) {
        kn_outs outs = {1, {{&tree, 2}}};
        kpy_here();
        kn_fori_loop(a.h, b.h, FUNCTION(body)->fn, &outs, &p.args, &opts);
        result = kpy_list_of_tree(tree);
        kpy_parts_drop(&p);
    }
    kpy_operand_drop(&a);
    kpy_operand_drop(&b);
    kpy_leave_scope();
    return result;
}

/* switch(index, branches, args, is_cond): cond is kn_cond, whose predicate is a truth value */
static PyObject *switch_(PyObject *module, PyObject *args)
{
    PyObject *index, *branches, *operands, *result = NULL;
    kpy_operand i = {0};
    int is_cond;
    kpy_parts p;
    kn_tree tree = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!Op", &index, &PyTuple_Type, &branches, &operands, &is_cond) ||
        kpy_enter_scope() < 0)
        return NULL;
    int n = (int)PyTuple_Size(branches);
    kn_fn *fn = PyMem_Calloc((size_t)n + 1, sizeof *fn);
    bool good = fn && kpy_operand_of(index, &i) == 0;
    for (int k = 0; good && k < n; k++) {
        good = is_function(PyTuple_GetItem(branches, k));
        fn[k] = good ? FUNCTION(PyTuple_GetItem(branches, k))->fn : NULL;
    }
    if (good && kpy_parts_of(operands, &p) == 0) {
        kn_outs outs = {1, {{&tree, 2}}};
        kpy_here();
        if (is_cond)
            kn_cond(i.h, fn[0], fn[1], &outs, &p.args);
        else
            kn_switch(i.h, fn, n, &outs, &p.args);
        result = kpy_list_of_tree(tree);
        kpy_parts_drop(&p);
    } else if (!fn)
        PyErr_NoMemory();
    PyMem_Free(fn);
    kpy_operand_drop(&i);
    kpy_leave_scope();
    return result;
}

/* map(f, xs, batch_size) */
static PyObject *map_(PyObject *module, PyObject *args)
{
    PyObject *body, *xs, *result = NULL;
    kn_lax_map_opts opts = {.size_ = sizeof opts};
    long long batch;
    kpy_parts p;
    kn_tree tree = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOL", &body, &xs, &batch) || !is_function(body) || kpy_enter_scope() < 0)
        return NULL;
    opts.batch_size = batch;
    if (kpy_parts_of(xs, &p) == 0) {
        kn_outs outs = {1, {{&tree, 2}}};
        kpy_here();
        kn_lax_map(FUNCTION(body)->fn, &outs, &p.args, &opts);
        result = kpy_list_of_tree(tree);
        kpy_parts_drop(&p);
    }
    kpy_leave_scope();
    return result;
}

/* eval_shape(f, args) -> arrays without values */
static PyObject *eval_shape(PyObject *module, PyObject *args)
{
    PyObject *f, *operands, *result = NULL;
    kpy_parts p;
    kn_tree tree = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &f, &operands) || !is_function(f) || kpy_enter_scope() < 0)
        return NULL;
    if (kpy_parts_of(operands, &p) == 0) {
        kn_outs outs = {1, {{&tree, 2}}};
        kpy_here();
        kn_eval_shape(FUNCTION(f)->fn, &p.args, &outs);
        result = kpy_list_of_tree(tree);
        kpy_parts_drop(&p);
    }
    kpy_leave_scope();
    return result;
}

/* associative_scan(f, elems, axis, reverse): f(a, b) of two parts */
static PyObject *associative_scan(PyObject *module, PyObject *args)
{
    PyObject *f, *elems, *result = NULL;
    kn_lax_cumulative_opts opts = kn_lax_cumulative_opts_default();
    int axis, reverse;
    kpy_parts p;
    kn_tree tree = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOip", &f, &elems, &axis, &reverse) || !is_function(f) || kpy_enter_scope() < 0)
        return NULL;
    opts.axis.n = 2;
    opts.axis.axis[0] = axis;
    opts.reverse = reverse;
    if (kpy_parts_of(elems, &p) == 0) {
        kn_outs outs = {1, {{&tree, 2}}};
        kpy_here();
        kn_associative_scan(FUNCTION(f)->fn, &outs, &p.args, &opts);
        result = kpy_list_of_tree(tree);
        kpy_parts_drop(&p);
    }
    kpy_leave_scope();
    return result;
}

static PyObject *tracing(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kpy_in_user());
}

static PyObject *keep_with_callers(PyObject *module, PyObject *o)
{
    (void)module;
    if (kpy_keep_with_callers(o) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"scan", scan, METH_VARARGS, "kn_scan"},
    {"while_loop", while_loop, METH_VARARGS, "kn_while_loop"},
    {"fori_loop", fori_loop, METH_VARARGS, "kn_fori_loop"},
    {"switch", switch_, METH_VARARGS, "kn_switch, kn_cond"},
    {"map", map_, METH_VARARGS, "kn_lax_map"},
    {"associative_scan", associative_scan, METH_VARARGS, "kn_associative_scan"},
    {"keep_with_callers", keep_with_callers, METH_O, "while the functions live that Kiln calls now"},
    {"tracing", tracing, METH_NOARGS, "is this inside of a function that Kiln calls?"},
    {"eval_shape", eval_shape, METH_VARARGS, "kn_eval_shape"},
    {0}};

int kpy_control_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
