/* SPDX-License-Identifier: Apache-2.0
 * iteration.c -- np.nditer: what is not a function of the generated table: iterators of operands with options for each
 * of them, and arrays over the elements at which an iterator is. */
#include "kpy.h"
#include <string.h>

typedef struct request {
    kpy_operand *given;
    Py_ssize_t n;
    kn_array op[KN_MAX_OPERANDS];
    kn_nditer_opts opts;
    kn_shape itershape;
} request;

/* Item i of a list, borrowed; NULL behind its end. */
static PyObject *item(PyObject *list, Py_ssize_t i) { return i < PyList_Size(list) ? PyList_GetItem(list, i) : NULL; }

static int take_operands(request *r, PyObject *operands)
{
    r->n = PyList_Size(operands);
    if (r->n > KN_MAX_OPERANDS)
        return PyErr_Format(PyExc_ValueError,
                            "Cannot construct an iterator with more than %d operands (%zd were "
                            "requested)",
                            KN_MAX_OPERANDS, r->n),
               -1;
    r->given = PyMem_Calloc((size_t)r->n + 1, sizeof *r->given);
    if (!r->given)
        return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < r->n; i++) {
        PyObject *o = item(operands, i);
        if (o != Py_None && kpy_operand_of(o, &r->given[i]) < 0)
            return -1;
        r->op[i] = o == Py_None ? NULL : r->given[i].h;
    }
    return 0;
}

/* Lists of the words, dtypes and axes of each operand, as Python has brought them into form. */
static int take_options(request *r, PyObject *flags, PyObject *dtypes, PyObject *axes, PyObject *itershape)
{
    for (Py_ssize_t i = 0; i < KN_MAX_OPERANDS; i++) {
        PyObject *o = item(flags, i);
        if (o && !(r->opts.op_flags[i] = PyUnicode_AsUTF8AndSize(o, NULL)))
            return -1;
        o = item(dtypes, i);
        if (o && kpy_dtype_of(o, &r->opts.op_dtypes[i]) < 0)
            return -1;
        o = item(axes, i);
        if (o && o != Py_None && kpy_axes_of(o, &r->opts.op_axes[i]) < 0)
            return -1;
    }
    if (itershape != Py_None) {
        if (kpy_shape_of(itershape, &r->itershape) < 0)
            return -1;
        r->opts.itershape = &r->itershape;
    }
    return 0;
}

static PyObject *made(const request *r) { return kpy_wrap_handle(kn_nditer_new((int)r->n, r->op, &r->opts)); }

static PyObject *nested(const request *r, PyObject *axes)
{
    kn_nested_axes a = {.n = (int)PyList_Size(axes)};
    if (a.n > KN_MAX_NESTED)
        return PyErr_Format(PyExc_ValueError, "nested_iters: at most %d iterators", KN_MAX_NESTED);
    for (int i = 0; i < a.n; i++)
        if (kpy_axes_of(item(axes, i), &a.axes[i]) < 0)
            return NULL;
    kn_nested_iters_result all = kn_nested_iters((int)r->n, r->op, &a, &r->opts);
    PyObject *list = kpy_failed() ? NULL : PyList_New(all.n);
    for (int i = 0; list && i < all.n; i++) {
        PyObject *o = kpy_wrap_handle(all.iter[i]);
        if (!o || PyList_SetItem(list, i, o) < 0)
            return Py_DECREF(list), NULL;
    }
    return list;
}

/* nditer(operands, flags, op_flags, op_dtypes, order, casting, op_axes, itershape, buffersize, nested axes or None) */
static PyObject *nditer(PyObject *module, PyObject *args)
{
    request r = {.opts = kn_nditer_opts_default()};
    PyObject *operands, *flags, *dtypes, *axes, *itershape, *nest, *result = NULL;
    long long buffersize;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!sO!O!ssO!OLO", &PyList_Type, &operands, &r.opts.flags, &PyList_Type, &flags,
                          &PyList_Type, &dtypes, &r.opts.order, &r.opts.casting, &PyList_Type, &axes, &itershape,
                          &buffersize, &nest) ||
        kpy_enter() < 0)
        return NULL;
    r.opts.buffersize = buffersize;
    if (take_operands(&r, operands) == 0 && take_options(&r, flags, dtypes, axes, itershape) == 0) {
        kpy_here();
        result = nest == Py_None ? made(&r) : nested(&r, nest);
    }
    for (Py_ssize_t i = 0; r.given && i < r.n; i++)
        kpy_operand_drop(&r.given[i]);
    PyMem_Free(r.given);
    kpy_leave();
    return result;
}

/* nditer_view(iterator, i, writes, many): the elements at which it is, as an array over their memory. */
static PyObject *nditer_view(PyObject *module, PyObject *args)
{
    PyObject *o, *result = NULL;
    void *h;
    int i, writes, many;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oipp", &o, &i, &writes, &many) || kpy_handle_of(o, &h) < 0 || kpy_enter() < 0)
        return NULL;
    kn_nditer it = h;
    kn_dtype dtype = kn_nditer_dtypes(it, i);
    void *data = dtype ? kn_nditer_data_bytes(it, i, dtype) : NULL;
    int64_t stride = data ? kn_nditer_stride(it, i) : 0, n = data ? kn_nditer_inner_size(it) : -1;
    if (!kpy_failed() && data)
        result = kpy_wrap(kpy_over_memory(o, data, dtype, many ? n : -1, stride, writes));
    kpy_leave();
    return result;
}

/* nditer_operand(iterator, i): the array that was given, or the one that was made for it. */
static PyObject *nditer_operand(PyObject *module, PyObject *args)
{
    PyObject *o, *result = NULL;
    void *h;
    int i;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oi", &o, &i) || kpy_handle_of(o, &h) < 0 || kpy_enter_scope() < 0)
        return NULL;
    result = kpy_wrap(kn_nditer_operands(h, i));
    kpy_leave_scope();
    return result;
}

static PyMethodDef functions[] = {{"nditer", nditer, METH_VARARGS, NULL},
                                  {"nditer_view", nditer_view, METH_VARARGS, NULL},
                                  {"nditer_operand", nditer_operand, METH_VARARGS, NULL},
                                  {0}};

int kpy_iteration_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
