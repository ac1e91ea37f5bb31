/* SPDX-License-Identifier: Apache-2.0
 * linear.c -- a call that is linear in some operands, with a transpose and derivatives of its own: a primitive of the
 * library for each number of linear operands and results, whose functions are methods of a Python object. */
#include "function.h"
#include <string.h>

enum { MOST = 32 }; /* linear operands, results */
typedef struct linear {
    int n_linear, n_out;
    kn_primitive primitive;
} linear;
typedef struct params {
    int64_t serial; /* of the Python function */
} params;
static linear *all[MOST + 1][MOST + 1];

static PyObject *function_of(const kn_primitive_call *c)
{
    return kpy_callback_callable((uint64_t)((const params *)c->params)->serial);
}

static int ended(bool failed)
{
    kpy_user_end();
    return failed ? kn_primitive_error(KN_ERROR_RUNTIME, "a Python function failed") : 0;
}

/* f.name(linear operands or cotangents, the others) -> results */
static int call(const kn_primitive_call *c, const char *name, int n, const kn_array *x, const kn_array *rest, int n_out,
                kn_array *out)
{
    kpy_user_begin();
    PyObject *f = function_of(c), *results = NULL;
    PyObject *first = f ? kpy_wrapped(n, x) : NULL;
    PyObject *second = first ? kpy_wrapped(c->n_in - ((const linear *)c->env)->n_linear, rest) : NULL;
    if (second)
        results = PyObject_CallMethod(f, name, "OO", first, second);
    bool failed = !results || kpy_take_results(results, n_out, out) < 0;
    Py_XDECREF(f);
    Py_XDECREF(first);
    Py_XDECREF(second);
    Py_XDECREF(results);
    return ended(failed);
}

static int compute(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    const linear *l = c->env;
    return call(c, "compute", l->n_linear, x, x + l->n_linear, l->n_out, y);
}

static int transpose(const kn_primitive_call *c, const kn_array *x, int i, const kn_array *ct, kn_array *ct_x)
{
    const linear *l = c->env;
    kn_array back[MOST];
    if (call(c, "transpose", l->n_out, ct, x + l->n_linear, l->n_linear, back) != 0)
        return -1;
    *ct_x = back[i];
    return 0;
}

/* f.jvp(i, linear operands, the others, results, tangent of the i-th of the others) -> tangents of the first
 * results, or None */
static int jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t, kn_array *ty)
{
    const linear *l = c->env;
    kpy_user_begin();
    PyObject *f = function_of(c), *results = NULL, *at[4] = {0};
    bool good = f && (at[0] = kpy_wrapped(l->n_linear, x)) &&
                (at[1] = kpy_wrapped(c->n_in - l->n_linear, x + l->n_linear)) && (at[2] = kpy_wrapped(l->n_out, y)) &&
                (at[3] = kpy_wrap(t));
    if (good)
        results = PyObject_CallMethod(f, "jvp", "iOOOO", i - l->n_linear, at[0], at[1], at[2], at[3]);
    bool failed = !results || (results != Py_None && kpy_take_results(results, PySequence_Size(results), ty) < 0);
    for (int k = 0; k < 4; k++)
        Py_XDECREF(at[k]);
    Py_XDECREF(f);
    Py_XDECREF(results);
    return ended(failed);
}

static linear *linear_of(int n_linear, int n_out)
{
    if (n_linear < 1 || n_linear > MOST || n_out < 1 || n_out > MOST)
        return PyErr_Format(PyExc_ValueError, "a linear call has 1 to %d linear operands and results", MOST), NULL;
    linear *l = all[n_linear][n_out];
    if (l)
        return l;
    if (!(l = PyMem_Calloc(1, sizeof *l)))
        return (void)PyErr_NoMemory(), NULL;
    *l = (linear){.n_linear = n_linear, .n_out = n_out};
    static const kn_param param = {"serial", KN_PARAM_INT, offsetof(params, serial)};
    kn_primitive_opts opts = {.size_ = sizeof opts,
                              .n_in = -1,
                              .n_out = n_out,
                              .compute = compute,
                              .linear_in = (uint32_t)((1ull << n_linear) - 1),
                              .transpose = transpose,
                              .jvp = jvp,
                              .params = {sizeof(params), 1, &param},
                              .env = l};
    char name[48];
    PyOS_snprintf(name, sizeof name, "linear_call_%d_%d", n_linear, n_out);
    l->primitive = kn_primitive_new(name, &opts);
    if (kpy_failed()) {
        PyMem_Free(l);
        return NULL;
    }
    return all[n_linear][n_out] = l;
}

/* linear_call(f, linear operands, other operands, n_out) -> results. f has the methods compute, transpose and jvp. */
static PyObject *linear_call(PyObject *module, PyObject *args)
{
    PyObject *f, *x, *rest, *result = NULL;
    int n_out;
    kpy_part part[2] = {0};
    params p;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOi", &f, &x, &rest, &n_out) || kpy_enter_scope() < 0)
        return NULL;
    uint64_t serial;
    PyObject *callback = kpy_callback_of(f, &serial);
    if (callback && kpy_part_of(x, &part[0]) == 0 && kpy_part_of(rest, &part[1]) == 0) {
        size_t n = (size_t)part[0].n, m = (size_t)part[1].n;
        linear *l = linear_of((int)n, n_out);
        kn_array *operands = l ? PyMem_Malloc((n + m) * sizeof *operands) : NULL;
        if (operands) {
            memcpy(operands, part[0].at, n * sizeof *operands);
            memcpy(operands + n, part[1].at, m * sizeof *operands);
            p.serial = (int64_t)serial;
            kpy_here();
            kn_list list = kn_bind_all(l->primitive, kn_list_from(operands, (int)(n + m)), &p);
            if (!kpy_failed())
                result = kpy_tuple_of_list(list, true);
        } else if (l)
            PyErr_NoMemory();
        PyMem_Free(operands);
    }
    kpy_part_drop(&part[0]);
    kpy_part_drop(&part[1]);
    Py_XDECREF(callback);
    kpy_leave_scope();
    return result;
}

static PyMethodDef functions[] = {{"linear_call", linear_call, METH_VARARGS, "kn_bind of a primitive of one's own"},
                                  {0}};

int kpy_linear_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
