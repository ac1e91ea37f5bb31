/* SPDX-License-Identifier: Apache-2.0
 * errcall.c -- numpy.seterrcall: a Python function that is told of floating-point events, or an object that a line
 * about each is written to. */
#include "kpy.h"
#include <string.h>

static PyObject *current; /* or NULL */

static void called(void *env, const char *kind, int flags)
{
    (void)env;
    kpy_user_begin();
    if (current)
        Py_XDECREF(PyObject_CallFunction(current, "si", kind, flags));
    kpy_user_end();
}

static void written(void *env, const char *text)
{
    (void)env;
    kpy_user_begin();
    if (current)
        Py_XDECREF(PyObject_CallMethod(current, "write", "s", text));
    kpy_user_end();
}

static PyObject *get(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return Py_NewRef(current ? current : Py_None);
}

static PyObject *set(PyObject *module, PyObject *func)
{
    (void)module;
    if (kpy_enter() < 0)
        return NULL;
    kn_errcall to = {.call = PyCallable_Check(func) ? called : NULL,
                     .write = PyObject_HasAttrString(func, "write") ? written : NULL};
    kn_seterrcall(&to);
    bool failed = kpy_failed();
    kpy_leave();
    if (failed)
        return NULL;
    PyObject *before = current;
    current = func == Py_None ? NULL : Py_NewRef(func);
    return before ? before : Py_NewRef(Py_None);
}

/* Lines of the log: those about floating-point events are Python's warnings, the others go where they went. */
static void logged(void *env, int level, const char *text)
{
    const char *warning = strstr(text, "RuntimeWarning: ");
    (void)env, (void)level;
    if (!warning) {
        size_t n = strlen(text);
        fprintf(stderr, n && text[n - 1] == '\n' ? "%s" : "%s\n", text);
        return;
    }
    kpy_user_begin();
    PyErr_WarnEx(PyExc_RuntimeWarning, warning + strlen("RuntimeWarning: "), 1); /* it may be an error, which is kept */
    kpy_user_end();
}

static PyMethodDef functions[] = {
    {"geterrcall", get, METH_NOARGS, "geterrcall()\n--\n\nThe function or object of seterrcall."},
    {"seterrcall", set, METH_O, "seterrcall(func)\n--\n\nThe one that is told of events; returns the one before."},
    {0}};

int kpy_errcall_make(PyObject *module)
{
    kn_set_log(logged, NULL);
    return PyModule_AddFunctions(module, functions);
}
