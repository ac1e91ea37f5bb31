/* SPDX-License-Identifier: Apache-2.0
 * jaxpr.c -- jaxprs of Python functions: made, walked, run. What takes and gives plain values is in the table of
 * bindings/shared/names/core.txt. */
#include "function.h"
#include <string.h>

static int axes_of(PyObject *o, kn_axis_size *axes)
{
    Py_ssize_t n = PyTuple_Size(o);
    if (n < 0 || n >= KN_MAX_ARGS)
        return PyErr_SetString(PyExc_ValueError, "axis_env: too many axes"), -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        long long size;
        if (!PyArg_ParseTuple(PyTuple_GetItem(o, i), "sL", &axes[i].name, &size))
            return -1;
        axes[i].size = size;
    }
    return 0;
}

/* make_jaxpr(f, parts, axis_env, fold, symbolic, constraints) */
static PyObject *make_jaxpr(PyObject *module, PyObject *args)
{
    PyObject *f, *operands, *axis_env, *result = NULL;
    kn_make_jaxpr_opts opts = {.size_ = sizeof opts};
    int fold;
    kpy_parts p;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OO!pzz", kpy_function_type, &f, &operands, &PyTuple_Type, &axis_env, &fold,
                          &opts.symbolic, &opts.constraints) ||
        axes_of(axis_env, opts.axis_env) < 0 || kpy_enter_scope() < 0)
        return NULL;
    opts.fold = fold;
    if (kpy_parts_of(operands, &p) == 0) {
        kpy_calling c;
        kpy_here();
        kpy_call_begins(&c, (kpy_function *)f);
        kn_jaxpr jaxpr = kn_make_jaxpr(((kpy_function *)f)->fn, &p.args, &opts);
        kpy_call_ends(&c);
        result = kpy_wrap_handle(jaxpr);
        kpy_parts_drop(&p);
    }
    kpy_leave_scope();
    return result;
}

static kn_jaxpr jaxpr_of(PyObject *o)
{
    void *h = NULL;
    return kpy_handle_of(o, &h) == 0 ? h : NULL;
}

/* jaxpr_counts(jaxpr) -> (constants, inputs, equations, results) */
static PyObject *counts(PyObject *module, PyObject *o)
{
    kn_jaxpr j = jaxpr_of(o);
    (void)module;
    if (!j || kpy_enter() < 0)
        return NULL;
    kn_jaxpr_counts c = kn_jaxpr_count(j);
    PyObject *result = kpy_failed() ? NULL : Py_BuildValue("iiii", c.constvars, c.invars, c.equations, c.outvars);
    kpy_leave();
    return result;
}

/* jaxpr_equation(jaxpr, i) -> (primitive, operands, first result, number of results, (file, line, function)) */
static PyObject *equation(PyObject *module, PyObject *args)
{
    PyObject *o, *result = NULL;
    int i;
    kn_equation e = {.size_ = sizeof e};
    (void)module;
    if (!PyArg_ParseTuple(args, "Oi", &o, &i))
        return NULL;
    kn_jaxpr j = jaxpr_of(o);
    if (!j || kpy_enter_scope() < 0)
        return NULL;
    kn_jaxpr_equation(j, i, &e);
    PyObject *in = kpy_failed() ? NULL : PyTuple_New(e.n_in);
    for (int k = 0; in && k < e.n_in; k++)
        PyTuple_SetItem(in, k, PyLong_FromUnsignedLong(e.in[k]));
    if (in && e.place)
        result = Py_BuildValue("sNIi(ziz)", e.primitive, in, (unsigned)e.first_out, e.n_out, e.place->file,
                               e.place->line, e.place->function);
    else if (in)
        result = Py_BuildValue("sNIiO", e.primitive, in, (unsigned)e.first_out, e.n_out, Py_None);
    kpy_leave_scope();
    return result;
}

/* jaxpr_variable(jaxpr, atom) -> (dtype, shape, literal's value or None) */
static PyObject *variable(PyObject *module, PyObject *args)
{
    PyObject *o, *result = NULL;
    unsigned atom;
    kn_variable v = {.size_ = sizeof v};
    (void)module;
    if (!PyArg_ParseTuple(args, "OI", &o, &atom))
        return NULL;
    kn_jaxpr j = jaxpr_of(o);
    if (!j || kpy_enter() < 0)
        return NULL;
    kn_jaxpr_variable(j, atom, &v);
    PyObject *dtype = kpy_failed() ? NULL : kpy_wrap_dtype(v.dtype),
             *shape = dtype ? kpy_tuple_of_shape(&v.shape) : NULL;
    PyObject *value = v.literal ? PyFloat_FromDouble(v.value) : Py_NewRef(Py_None);
    if (shape && value)
        result = PyTuple_Pack(3, dtype, shape, value);
    Py_XDECREF(dtype);
    Py_XDECREF(shape);
    Py_XDECREF(value);
    kpy_leave();
    return result;
}

/* jaxpr_function(jaxpr) -> a Function of it, with a part for each input; one part if there are more than MAX_PARTS */
static PyObject *function(PyObject *module, PyObject *o)
{
    kn_jaxpr j = jaxpr_of(o);
    (void)module;
    if (!j || kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    kn_fn fn = kn_fn_from_jaxpr(j);
    int n = kn_jaxpr_count(j).invars;
    PyObject *result = kpy_failed() ? NULL : kpy_function_of(o, fn, n > KN_MAX_ARGS ? 1 : n, n > KN_MAX_ARGS ? n : 1);
    kpy_leave_scope();
    return result;
}

/* ---- A jaxpr with other constants: equation by equation. */

/* The number of variables. */
static size_t variables_of(kn_jaxpr j, const kn_jaxpr_counts *c)
{
    size_t n = (size_t)c->constvars + (size_t)c->invars;
    for (int i = 0; i < c->equations; i++) {
        kn_equation e = {.size_ = sizeof e};
        kn_jaxpr_equation(j, i, &e);
        n = e.first_out + (size_t)e.n_out > n ? e.first_out + (size_t)e.n_out : n;
    }
    return n;
}

static kn_array value_of(kn_jaxpr j, const kn_array *values, uint32_t atom)
{
    return atom & KN_JAXPR_LITERAL ? kn_jaxpr_constant(j, atom) : values[atom];
}

static int run_equations(kn_jaxpr j, const kn_jaxpr_counts *c, kn_array *values)
{
    for (int i = 0; i < c->equations; i++) {
        kn_equation e = {.size_ = sizeof e};
        kn_jaxpr_equation(j, i, &e);
        kn_array *in = kpy_failed() ? NULL : PyMem_Malloc(((size_t)e.n_in + 1) * sizeof *in);
        if (!in)
            return PyErr_Occurred() ? -1 : (PyErr_NoMemory(), -1);
        for (int k = 0; k < e.n_in; k++)
            in[k] = value_of(j, values, e.in[k]);
        kn_jaxpr_bind(j, i, in, &values[e.first_out]);
        PyMem_Free(in);
        if (kpy_failed())
            return -1;
    }
    return 0;
}

/* jaxpr_eval(jaxpr, constants, arguments) -> results */
static PyObject *eval(PyObject *module, PyObject *args)
{
    PyObject *o, *both[2], *result = NULL;
    kpy_part part[2] = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &o, &both[0], &both[1]))
        return NULL;
    kn_jaxpr j = jaxpr_of(o);
    if (!j || kpy_enter_scope() < 0)
        return NULL;
    kn_jaxpr_counts c = kn_jaxpr_count(j);
    kn_array *values = NULL;
    if (kpy_part_of(both[0], &part[0]) == 0 && kpy_part_of(both[1], &part[1]) == 0) {
        if (part[0].n != c.constvars || part[1].n != c.invars)
            PyErr_Format(PyExc_TypeError, "the jaxpr takes %d constants and %d arguments, but %zd and %zd were given",
                         c.constvars, c.invars, part[0].n, part[1].n);
        else if (!(values = PyMem_Calloc(variables_of(j, &c) + 1, sizeof *values)))
            PyErr_NoMemory();
    }
    if (values) {
        memcpy(values, part[0].at, (size_t)c.constvars * sizeof *values);
        memcpy(values + c.constvars, part[1].at, (size_t)c.invars * sizeof *values);
        kpy_here();
        result = run_equations(j, &c, values) < 0 ? NULL : PyList_New(c.outvars);
        for (int i = 0; result && i < c.outvars; i++) {
            PyObject *x = kpy_wrap(value_of(j, values, kn_jaxpr_outvar(j, i)));
            if (!x || PyList_SetItem(result, i, x) < 0) {
                Py_DECREF(result);
                result = NULL;
            }
        }
    }
    PyMem_Free(values);
    kpy_part_drop(&part[0]);
    kpy_part_drop(&part[1]);
    kpy_leave_scope();
    return result;
}

static PyMethodDef functions[] = {{"jaxpr_eval", eval, METH_VARARGS, "kn_jaxpr_bind of each equation"},
                                  {"make_jaxpr", make_jaxpr, METH_VARARGS, "kn_make_jaxpr"},
                                  {"jaxpr_counts", counts, METH_O, "kn_jaxpr_count"},
                                  {"jaxpr_equation", equation, METH_VARARGS, "kn_jaxpr_equation"},
                                  {"jaxpr_variable", variable, METH_VARARGS, "kn_jaxpr_variable"},
                                  {"jaxpr_function", function, METH_O, "kn_fn_from_jaxpr"},
                                  {0}};

int kpy_jaxpr_make(PyObject *module)
{
    if (PyModule_AddIntConstant(module, "MAX_PARTS", KN_MAX_ARGS) < 0)
        return -1;
    return PyModule_AddFunctions(module, functions);
}
