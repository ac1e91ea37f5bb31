/* SPDX-License-Identifier: Apache-2.0
 * callback.c -- Python functions that run when a compiled program runs, and what Kiln prints as Python's output. */
#include "function.h"

static PyObject *kept; /* callables of recordings: programs may call them as long as the process lives */

static PyObject *arguments_of(int n, const kn_array *in)
{
    PyObject *args = PyTuple_New(n);
    for (int i = 0; args && i < n; i++) {
        PyObject *x = kpy_wrap(in[i]);
        if (!x || PyTuple_SetItem(args, i, x) < 0) {
            Py_DECREF(args);
            return NULL;
        }
    }
    return args;
}

static int take_results(PyObject *results, int n, kn_array *out)
{
    PyObject *all = PySequence_Tuple(results);
    if (!all)
        return -1;
    if (PyTuple_Size(all) != n) {
        PyErr_Format(PyExc_TypeError, "the callback returned %zd arrays, but %d were promised", PyTuple_Size(all), n);
        Py_DECREF(all);
        return -1;
    }
    for (int i = 0; i < n && !PyErr_Occurred(); i++)
        out[i] = kpy_asarray(PyTuple_GetItem(all, i), NULL);
    Py_DECREF(all);
    return PyErr_Occurred() ? -1 : 0;
}

static int run(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    kpy_user_begin();
    PyObject *args = arguments_of(n_in, in), *results = args ? PyObject_CallObject(env, args) : NULL;
    int failed = !results || (n_out && take_results(results, n_out, out) < 0);
    Py_XDECREF(args);
    Py_XDECREF(results);
    if (PyErr_Occurred())
        kpy_keep_exception();
    kpy_user_end();
    PyGILState_Release(gil);
    return failed;
}

/* A callable lives as long as what may call it. Outside of recordings that is this call. */
static int keep(PyObject *callable)
{
    if (!PyCallable_Check(callable)) {
        PyErr_Format(PyExc_TypeError, "a callback has to be callable, not %R", callable);
        return -1;
    }
    if (!kpy_in_user())
        return 0;
    if (!kept && !(kept = PyDict_New()))
        return -1;
    PyObject *key = PyLong_FromVoidPtr(callable);
    int failed = !key || PyDict_SetItem(kept, key, callable) < 0;
    Py_XDECREF(key);
    return failed ? -1 : 0;
}

static kn_list list_of(PyObject *sequence)
{
    kpy_part part;
    if (kpy_part_of(sequence, &part) < 0)
        return NULL;
    kn_list list = kn_list_from(part.at, (int)part.n);
    kpy_part_drop(&part);
    return kpy_failed() ? NULL : list;
}

static PyObject *nothing(void)
{
    if (kpy_failed())
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *debug_print(PyObject *module, PyObject *args)
{
    const char *format;
    PyObject *operands, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO", &format, &operands) || kpy_enter_scope() < 0)
        return NULL;
    kn_list list = list_of(operands);
    if (list) {
        kpy_here();
        kn_debug_print(format, list);
        result = nothing();
    }
    kpy_leave_scope();
    return result;
}

static PyObject *debug_callback(PyObject *module, PyObject *args)
{
    PyObject *callable, *operands, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &callable, &operands) || keep(callable) < 0 || kpy_enter_scope() < 0)
        return NULL;
    kn_list list = list_of(operands);
    if (list) {
        kpy_here();
        kn_debug_callback(run, callable, list);
        result = nothing();
    }
    kpy_leave_scope();
    return result;
}

/* results: arrays without values */
static PyObject *with_results(PyObject *callable, PyObject *results, PyObject *operands, const char *method, int io,
                              int ordered)
{
    kn_pure_callback_opts pure = {.size_ = sizeof pure, .vmap_method = method};
    kn_io_callback_opts impure = {.size_ = sizeof impure, .ordered = ordered};
    PyObject *result = NULL;
    if (keep(callable) < 0 || kpy_enter_scope() < 0)
        return NULL;
    kn_list y = list_of(results), x = y ? list_of(operands) : NULL;
    if (x) {
        kpy_here();
        kn_list out = io ? kn_io_callback(run, callable, y, x, &impure) : kn_pure_callback(run, callable, y, x, &pure);
        if (!kpy_failed())
            result = kpy_tuple_of_list(out, true);
    }
    kpy_leave_scope();
    return result;
}

static PyObject *pure_callback(PyObject *module, PyObject *args)
{
    PyObject *callable, *results, *operands;
    const char *method;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOz", &callable, &results, &operands, &method))
        return NULL;
    return with_results(callable, results, operands, method, 0, 0);
}

static PyObject *io_callback(PyObject *module, PyObject *args)
{
    PyObject *callable, *results, *operands;
    int ordered;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOp", &callable, &results, &operands, &ordered))
        return NULL;
    return with_results(callable, results, operands, NULL, 1, ordered);
}

/* ---- What Kiln prints goes where Python's print goes. */

static void to_stdout(void *env, const char *text)
{
    (void)env;
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *type, *value, *trace, *out = PySys_GetObject("stdout"); /* borrowed */
    PyErr_Fetch(&type, &value, &trace);
    PyObject *done = out && out != Py_None ? PyObject_CallMethod(out, "write", "s", text) : NULL;
    if (!done)
        PyErr_Clear();
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
}

static PyMethodDef functions[] = {{"debug_print", debug_print, METH_VARARGS, "kn_debug_print"},
                                  {"debug_callback", debug_callback, METH_VARARGS, "kn_debug_callback"},
                                  {"pure_callback", pure_callback, METH_VARARGS, "kn_pure_callback"},
                                  {"io_callback", io_callback, METH_VARARGS, "kn_io_callback"},
                                  {0}};

int kpy_callback_make(PyObject *module)
{
    kn_set_print(to_stdout, NULL);
    return PyModule_AddFunctions(module, functions);
}
