/* SPDX-License-Identifier: Apache-2.0
 * index.c -- Python's indices: x[1:, None, ..., mask] becomes the text "%:,None,...,%" with its arguments, which is
 * what kn_at and its kin take. Bounds are arguments, so a loop over them compiles once. */
#include "kpy.h"
#include <string.h>

enum { ITEM_TEXT = 16 };

static void add_text(kpy_index *x, const char *text) { strcat(x->text, text); }

static void add_int(kpy_index *x, int64_t i) { x->arg[x->n++] = (kn_index_arg){.kind = KN_ARG_INT, .integer = i}; }

static int add_array(kpy_index *x, PyObject *o)
{
    kpy_operand *a = &x->owned[x->n_owned];
    if (KPY_IS_ARRAY(o))
        *a = (kpy_operand){KPY_HANDLE(o), false};
    else {
        kn_array h = kpy_asarray(o, NULL);
        if (!h)
            return -1;
        *a = (kpy_operand){h, true};
        if (kn_size(h) == 0 && PyList_Check(o)) { /* an empty list indexes nothing, whatever its dtype is */
            kn_astype_opts opts = kn_astype_opts_default();
            a->h = kn_astype(h, KN_I64, &opts);
            kn_release(h);
        }
    }
    x->n_owned++;
    x->arg[x->n++] = (kn_index_arg){.kind = KN_ARG_ARRAY, .array = a->h};
    add_text(x, "%");
    return 0;
}

static int add_bound(kpy_index *x, PyObject *o)
{
    if (o == Py_None)
        return 0;
    if (KPY_IS_ARRAY(o)) {
        x->arg[x->n++] = (kn_index_arg){.kind = KN_ARG_ARRAY, .array = KPY_HANDLE(o)};
        add_text(x, "%");
        return 0;
    }
    if (!PyIndex_Check(o)) {
        PyErr_SetString(PyExc_TypeError, "slice indices must be integers or None or have an __index__ method");
        return -1;
    }
    PyObject *i = PyNumber_Index(o);
    if (!i)
        return -1;
    int overflow;
    long long n = PyLong_AsLongLongAndOverflow(i, &overflow);
    Py_DECREF(i);
    add_int(x, overflow > 0 ? INT64_MAX : overflow < 0 ? INT64_MIN + 1 : n);
    add_text(x, "%");
    return 0;
}

static int add_slice(kpy_index *x, PyObject *o)
{
    static const char *const names[] = {"start", "stop", "step"};
    for (int i = 0; i < 3; i++) {
        PyObject *bound = PyObject_GetAttrString(o, names[i]);
        if (!bound)
            return -1;
        if (i == 1 || (i == 2 && bound != Py_None))
            add_text(x, ":");
        int failed = add_bound(x, bound);
        Py_DECREF(bound);
        if (failed)
            return -1;
    }
    return 0;
}

static int add_item(kpy_index *x, PyObject *o)
{
    if (o == Py_None)
        return add_text(x, "None"), 0;
    if (o == Py_Ellipsis)
        return add_text(x, "..."), 0;
    if (PySlice_Check(o))
        return add_slice(x, o);
    if (PyBool_Check(o)) {
        x->arg[x->n++] = (kn_index_arg){.kind = KN_ARG_BOOL, .integer = o == Py_True};
        return add_text(x, "%"), 0;
    }
    if (PyLong_Check(o) || (!KPY_IS_ARRAY(o) && PyIndex_Check(o) && !PyObject_CheckBuffer(o))) {
        int64_t i;
        if (kpy_int_of(o, &i) < 0) {
            if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
                PyErr_Clear();
                PyErr_SetString(PyExc_IndexError, "cannot fit 'int' into an index-sized integer");
            }
            return -1;
        }
        add_int(x, i);
        return add_text(x, "%"), 0;
    }
    if (PyUnicode_Check(o) || PyFloat_Check(o)) {
        PyErr_SetString(PyExc_IndexError, "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
                                          "integer or boolean arrays are valid indices");
        return -1;
    }
    return add_array(x, o);
}

int kpy_index_of(PyObject *key, kpy_index *x)
{
    bool many = PyTuple_Check(key);
    Py_ssize_t n = many ? PyTuple_Size(key) : 1;
    *x = (kpy_index){0};
    if (n > 4 * KN_MAX_NDIM) {
        PyErr_SetString(PyExc_IndexError, "too many indices for array");
        return -1;
    }
    size_t room = (size_t)n + 1;
    char *memory = PyMem_Calloc(1, room * (ITEM_TEXT + 3 * sizeof(kn_index_arg) + sizeof(kpy_operand)));
    if (!memory) {
        PyErr_NoMemory();
        return -1;
    }
    x->arg = (kn_index_arg *)memory;
    x->owned = (kpy_operand *)(x->arg + 3 * room);
    x->text = (char *)(x->owned + room);
    for (Py_ssize_t i = 0; i < n; i++) {
        if (i)
            add_text(x, ",");
        if (add_item(x, many ? PyTuple_GetItem(key, i) : key) < 0)
            return -1;
    }
    if (n == 0) /* x[()] is all of it */
        add_text(x, "...");
    return 0;
}

void kpy_index_drop(kpy_index *x)
{
    for (int i = 0; i < x->n_owned; i++)
        kpy_operand_drop(&x->owned[i]);
    PyMem_Free(x->arg);
}

PyObject *kpy_get_item(PyObject *self, PyObject *key)
{
    kpy_index index;
    PyObject *result = NULL;
    if (kpy_enter() < 0)
        return NULL;
    if (kpy_index_of(key, &index) == 0) {
        kpy_here();
        kn_array y = kn_at(KPY_HANDLE(self), index.text, index.n, index.arg);
        if (PyTuple_Check(key) && PyTuple_Size(key) == 0 && y == KPY_HANDLE(self))
            kn_retain(y);
        result = kpy_wrap(y);
    }
    kpy_index_drop(&index);
    kpy_leave();
    return result;
}

int kpy_set_item(PyObject *self, PyObject *key, PyObject *value)
{
    kpy_index index;
    kpy_operand v = {0};
    int result = -1;
    if (!value) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
    if (kpy_enter() < 0)
        return -1;
    if (kpy_index_of(key, &index) == 0 && kpy_value_for(KPY_HANDLE(self), value, &v) == 0) {
        kpy_here();
        kn_set_at(KPY_HANDLE(self), v.h, index.text, index.n, index.arg);
        result = kpy_failed() ? -1 : 0;
    }
    kpy_operand_drop(&v);
    kpy_index_drop(&index);
    kpy_leave();
    return result;
}
