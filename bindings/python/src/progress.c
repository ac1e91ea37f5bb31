/* SPDX-License-Identifier: Apache-2.0
 * progress.c -- scans that tell how far they are: kiln.progress. */
#include "kpy.h"
#include <time.h>

static PyObject *teller; /* f(step, length), or NULL: nobody wants to hear */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Some times a second, and of the last step. */
void kpy_scan_told(void *env, int64_t step, int64_t length)
{
    static _Thread_local double last;
    (void)env;
    double now = seconds();
    if ((step != length && now - last < 0.05) || !Py_IsInitialized())
        return;
    last = now;
    kpy_user_begin();
    PyObject *f = Py_XNewRef(teller);
    PyObject *done = f ? PyObject_CallFunction(f, "LL", (long long)step, (long long)length) : NULL;
    if (f && !done && PyErr_ExceptionMatches(PyExc_Exception)) /* what shows progress ends no program; Ctrl-C does */
        PyErr_WriteUnraisable(f);
    Py_XDECREF(done);
    Py_XDECREF(f);
    kpy_user_end();
}

bool kpy_shows_progress(void) { return teller != NULL; }

static PyObject *set_progress(PyObject *module, PyObject *f)
{
    PyObject *before = teller;
    (void)module;
    teller = f == Py_None ? NULL : Py_NewRef(f);
    return before ? before : Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {{"set_progress", set_progress, METH_O,
                                   "set_progress(f, /)\n--\n\nf(step, length) hears of scans that are recorded from "
                                   "now on; returns what did before."},
                                  {0}};

int kpy_progress_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
