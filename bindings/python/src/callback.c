/* SPDX-License-Identifier: Apache-2.0
 * callback.c -- Python functions that run when a compiled program runs, and what Kiln prints as Python's output. */
#include "function.h"
#include <stdlib.h>

/* What programs call by its number: recordings of it keep it alive in the functions that they are of. */
typedef struct callback {
    PyObject_HEAD uint64_t serial;
    PyObject *callable;
} callback;
static PyTypeObject *callback_type;

static int traverse(PyObject *o, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)Py_TYPE(o));
    Py_VISIT(((callback *)o)->callable);
    return 0;
}

static int clear(PyObject *o)
{
    PyObject *callable = ((callback *)o)->callable;
    ((callback *)o)->callable = NULL;
    Py_XDECREF(callable);
    return 0;
}

static void drop(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    if (((callback *)o)->serial)
        kpy_die(((callback *)o)->serial);
    clear(o);
    ((freefunc)PyType_GetSlot(t, Py_tp_free))(o);
    Py_DECREF(t);
}

static PyType_Slot slots[] = {{Py_tp_dealloc, drop},
                              {Py_tp_traverse, traverse},
                              {Py_tp_clear, clear},
                              {Py_tp_doc, "a function that programs call"},
                              {0, NULL}};
static PyType_Spec spec = {"kiln._core.Callback", sizeof(callback), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

PyObject *kpy_callback_of(PyObject *callable, uint64_t *serial)
{
    callback *c = (callback *)((allocfunc)PyType_GetSlot(callback_type, Py_tp_alloc))(callback_type, 0);
    if (c) {
        c->callable = Py_NewRef(callable);
        c->serial = *serial = kpy_live((PyObject *)c);
    }
    if (c && (!c->serial || kpy_keep_with_callers((PyObject *)c) < 0)) {
        Py_DECREF((PyObject *)c);
        return NULL;
    }
    return (PyObject *)c;
}

PyObject *kpy_callback_callable(uint64_t serial)
{
    const callback *c = (const callback *)kpy_living(serial);
    if (!c || !c->callable)
        return PyErr_SetString(PyExc_ReferenceError, "a Python function that is gone was to be called"), NULL;
    return Py_NewRef(c->callable);
}

PyObject *kpy_wrapped(int n, const kn_array *in)
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

int kpy_take_results(PyObject *results, Py_ssize_t n, kn_array *out)
{
    kpy_part part;
    if (kpy_part_of(results, &part) < 0)
        return -1;
    if (part.n != n)
        PyErr_Format(PyExc_TypeError, "the callback returned %zd arrays, but %zd were promised", part.n, n);
    kn_list list = part.n == n ? kn_list_from(part.at, (int)n) : NULL;
    for (int i = 0; list && i < n; i++)
        out[i] = kn_list_get(list, i);
    kpy_part_drop(&part);
    return PyErr_Occurred() || kpy_failed() ? -1 : 0;
}

static int run_here(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    kpy_user_begin();
    PyObject *callable = kpy_callback_callable((uint64_t)(uintptr_t)env), *results = NULL;
    PyObject *args = callable ? kpy_wrapped(n_in, in) : NULL;
    if (args)
        results = PyObject_CallObject(callable, args);
    int failed = !results || (n_out && kpy_take_results(results, n_out, out) < 0);
    Py_XDECREF(args);
    Py_XDECREF(results);
    Py_XDECREF(callable);
    kpy_user_end();
    return failed;
}

/* Into this context; NULL with a pending error. */
static kn_array brought(kn_array x)
{
    kn_copy_opts opts = kn_copy_opts_default();
    kn_array y = kn_copy(x, &opts);
    if (y)
        kn_eval(y);
    return y;
}

/* On the thread of a device of a mesh: arguments go over into the visitors' context, results come back from there. */
static int run(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    if (!kpy_visit_begin())
        return run_here(env, n_in, in, n_out, out);
    kn_scope scope = kn_scope_begin();
    kn_array *x = calloc((size_t)n_in + (size_t)n_out + 1, sizeof *x), *y = x ? x + n_in : NULL;
    int failed = !x;
    for (int i = 0; !failed && i < n_in; i++)
        failed = !(x[i] = brought(in[i]));
    failed = failed || kn_error_pending() || run_here(env, n_in, x, n_out, y);
    for (int i = 0; !failed && i < n_out; i++)
        failed = !(y[i] = brought(y[i])) || kn_error_pending();
    kn_error_clear(); /* the exception says it, or that the callback failed */
    kpy_visit_leave();
    for (int i = 0; !failed && i < n_out; i++)
        failed = !(out[i] = brought(y[i]));
    kn_scope_end(&scope);
    free(x);
    kpy_visit_end();
    return failed;
}

static PyObject *checked(PyObject *callable, uint64_t *serial)
{
    if (PyCallable_Check(callable))
        return kpy_callback_of(callable, serial);
    return PyErr_Format(PyExc_TypeError, "a callback has to be callable, not %R", callable);
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
    if (!PyArg_ParseTuple(args, "OO", &callable, &operands) || kpy_enter_scope() < 0)
        return NULL;
    uint64_t serial;
    PyObject *c = checked(callable, &serial);
    kn_list list = c ? list_of(operands) : NULL;
    if (list) {
        kpy_here();
        kn_debug_callback(run, (void *)(uintptr_t)serial, list);
        result = nothing();
    }
    Py_XDECREF(c);
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
    if (kpy_enter_scope() < 0)
        return NULL;
    uint64_t serial;
    PyObject *c = checked(callable, &serial);
    kn_list y = c ? list_of(results) : NULL, x = y ? list_of(operands) : NULL;
    if (x) {
        void *env = (void *)(uintptr_t)serial;
        kpy_here();
        kn_list out = io ? kn_io_callback(run, env, y, x, &impure) : kn_pure_callback(run, env, y, x, &pure);
        if (!kpy_failed())
            result = kpy_tuple_of_list(out, true);
    }
    Py_XDECREF(c);
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
    kpy_user_begin();
    PyObject *out = Py_XNewRef(PySys_GetObject("stdout"));
    if (out && out != Py_None)
        Py_XDECREF(PyObject_CallMethod(out, "write", "s", text));
    Py_XDECREF(out);
    kpy_user_end();
}

static PyMethodDef functions[] = {{"debug_print", debug_print, METH_VARARGS, "kn_debug_print"},
                                  {"debug_callback", debug_callback, METH_VARARGS, "kn_debug_callback"},
                                  {"pure_callback", pure_callback, METH_VARARGS, "kn_pure_callback"},
                                  {"io_callback", io_callback, METH_VARARGS, "kn_io_callback"},
                                  {0}};

int kpy_callback_make(PyObject *module)
{
    callback_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!callback_type)
        return -1;
    kn_set_print(to_stdout, NULL);
    return PyModule_AddFunctions(module, functions);
}
