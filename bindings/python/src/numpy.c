/* SPDX-License-Identifier: Apache-2.0
 * numpy.c -- functions of NumPy's that take any number of arrays, dtypes or shapes, or write by an index, which the
 * generated table has no kinds for. kiln/numpy/ gives them NumPy's signatures. */
#include "kpy.h"
#include <stdlib.h>
#include <string.h>

/* ---- Making arrays. */

/* Is the array what is asked for, without a copy? */
static bool is_as_wanted(kn_array x, const kn_asarray_opts *opts)
{
    char order = opts->order && *opts->order ? (char)(*opts->order & ~32) : 'K';
    if (opts->copy == 1 || kn_ndim(x) < opts->ndmin || (opts->dtype && kn_dtype_of(x) != opts->dtype))
        return false;
    if (order != 'C' && order != 'F')
        return order == 'K' || order == 'A';
    kn_flags flags = kn_flags_of(x);
    return order == 'C' ? flags.c_contiguous : flags.f_contiguous;
}

/* as_array(a, dtype, order, copy, ndmin): an array as it is, if it is one of that dtype and order. */
static PyObject *as_array(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    kn_asarray_opts opts = kn_asarray_opts_default();
    kn_array x = NULL;
    PyObject *o = args[0], *result = NULL;
    int64_t ndmin;
    (void)module;
    if (nargs != 5 || kpy_int_of(args[4], &ndmin) < 0)
        return NULL;
    int copy = args[3] == Py_None ? -1 : PyObject_IsTrue(args[3]);
    if ((copy < 0 && args[3] != Py_None) || kpy_enter() < 0)
        return NULL;
    opts.copy = copy;
    opts.ndmin = (int)ndmin;
    if (args[2] != Py_None)
        opts.order = PyUnicode_Check(args[2]) ? PyUnicode_AsUTF8AndSize(args[2], NULL) : "";
    kpy_here();
    if (!PyErr_Occurred() && kpy_dtype_of(args[1], &opts.dtype) == 0) {
        if (!KPY_IS_ARRAY(o)) {
            x = kpy_asarray(o, opts.dtype);
            if (opts.copy == 1) /* it is a new one */
                opts.copy = -1;
            else if (x && opts.copy == 0)
                PyErr_SetString(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.\n"
                                                  "If using `np.array(obj, copy=False)` replace it with "
                                                  "`np.asarray(obj)` to allow a copy when needed (no behavior change "
                                                  "in NumPy 1.x).\nFor more details, see "
                                                  "https://numpy.org/devdocs/numpy_2_0_migration_guide.html"
                                                  "#adapting-to-changes-in-the-copy-keyword.");
        } else
            x = kn_retain(KPY_HANDLE(o));
        if (x && !PyErr_Occurred())
            result = KPY_IS_ARRAY(o) && is_as_wanted(x, &opts) ? Py_NewRef(o) : kpy_wrap(kn_asarray(x, &opts));
        if (x)
            kn_release(x);
    }
    kpy_leave();
    return result;
}

/* ---- Dtypes and shapes of several. */

static PyObject *result_type(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    kn_dtype_like *like = PyMem_Calloc((size_t)nargs + 1, sizeof *like);
    kpy_operand *held = PyMem_Calloc((size_t)nargs + 1, sizeof *held);
    PyObject *result = NULL;
    Py_ssize_t n = 0;
    (void)module;
    if (!like || !held)
        PyErr_NoMemory();
    else if (kpy_enter() == 0) {
        for (; n < nargs; n++) {
            PyObject *o = args[n];
            int found = 0;
            if (!KPY_IS_ARRAY(o) && !PyFloat_CheckExact(o) && !PyLong_Check(o) && !PyComplex_CheckExact(o))
                found = kpy_dtype_try(o, &like[n].dtype);
            if (!found)
                found = kpy_operand_of(o, &held[n]) == 0 ? 1 : -1;
            if (found < 0)
                break;
            like[n].array = held[n].h;
        }
        if (n == nargs) {
            kpy_here();
            kn_dtype d = kn_result_type((int)n, like);
            result = kpy_failed() ? NULL : kpy_wrap_dtype(d);
        }
        for (Py_ssize_t i = 0; i < nargs; i++)
            kpy_operand_drop(&held[i]);
        kpy_leave();
    }
    PyMem_Free(like);
    PyMem_Free(held);
    return result;
}

typedef PyObject *(*of_arrays)(const kn_array *x, int n, const void *env);

/* f of the handles of these objects. */
static PyObject *with_arrays(PyObject *objects, of_arrays f, const void *env)
{
    kpy_operand *x;
    Py_ssize_t n;
    PyObject *result = NULL;
    if (kpy_enter() < 0)
        return NULL;
    if (kpy_operands_of(objects, &x, &n) == 0) {
        kn_array *h = PyMem_Calloc((size_t)n + 1, sizeof *h);
        for (Py_ssize_t i = 0; h && i < n; i++)
            h[i] = x[i].h;
        kpy_here();
        result = h ? f(h, (int)n, env) : PyErr_NoMemory();
        PyMem_Free(h);
        kpy_operands_drop(x, n);
    }
    kpy_leave();
    return result;
}

static PyObject *common(const kn_array *x, int n, const void *env)
{
    (void)env;
    kn_dtype d = kn_common_type(n, x);
    return kpy_failed() ? NULL : kpy_wrap_dtype(d);
}

static PyObject *common_type(PyObject *module, PyObject *arrays)
{
    (void)module;
    return with_arrays(arrays, common, NULL);
}

static PyObject *broadcast_shapes(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    kn_shape *s = PyMem_Calloc((size_t)nargs + 1, sizeof *s);
    PyObject *result = NULL;
    Py_ssize_t n = 0;
    (void)module;
    if (!s)
        return PyErr_NoMemory();
    while (n < nargs && kpy_shape_of(args[n], &s[n]) == 0)
        n++;
    if (n == nargs && kpy_enter() == 0) {
        kpy_here();
        kn_shape all = kn_broadcast_shapes((int)n, s);
        result = kpy_failed() ? NULL : kpy_tuple_of_shape(&all);
        kpy_leave();
    }
    PyMem_Free(s);
    return result;
}

/* ---- einsum(subscripts, operands, optimize, memory_limit, dtype), and its path. */

typedef struct contraction {
    const char *subscripts;
    kn_einsum_opts opts;
} contraction;

static PyObject *contracted(const kn_array *x, int n, const void *env)
{
    const contraction *c = env;
    kn_array y = NULL;
    if (kpy_in_user())
        y = kn_einsum(c->subscripts, n, x, &c->opts);
    else
        KPY_WITHOUT_GIL(y = kn_einsum(c->subscripts, n, x, &c->opts));
    return kpy_wrap(y);
}

static PyObject *planned(const kn_array *x, int n, const void *env)
{
    const contraction *c = env;
    kn_scope scope = kn_scope_begin(); /* of the texts */
    kn_einsum_path_result r = kn_einsum_path(c->subscripts, n, x, &c->opts);
    PyObject *result = kpy_failed() ? NULL : Py_BuildValue("ss", r.path, r.string_repr);
    kn_scope_end(&scope);
    return result;
}

static PyObject *contract(PyObject *args, of_arrays f)
{
    contraction c = {.opts = kn_einsum_opts_default()};
    PyObject *operands, *dtype;
    long long limit;
    if (!PyArg_ParseTuple(args, "sOzLO", &c.subscripts, &operands, &c.opts.optimize, &limit, &dtype) ||
        kpy_dtype_of(dtype, &c.opts.dtype) < 0)
        return NULL;
    c.opts.memory_limit = limit;
    return with_arrays(operands, f, &c);
}

static PyObject *einsum(PyObject *module, PyObject *args) { return (void)module, contract(args, contracted); }
static PyObject *einsum_path(PyObject *module, PyObject *args) { return (void)module, contract(args, planned); }

/* ---- Writes by an index: x[key] op= v, or ufunc.at, each of which changes x. */

/* write_at(x, key, v, name): "set", or a ufunc's name for ufunc.at. */
static PyObject *write_at(PyObject *module, PyObject *args)
{
    PyObject *x, *key, *value;
    const char *name;
    kpy_operand v = {0};
    kpy_index index;
    bool done = false;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOs", &x, &key, &value, &name))
        return NULL;
    if (!KPY_IS_ARRAY(x))
        return PyErr_SetString(PyExc_TypeError, "an array is wanted"), NULL;
    if (kpy_enter() < 0)
        return NULL;
    if (kpy_index_of(key, &index) == 0 && kpy_value_for(KPY_HANDLE(x), value, &v) == 0) {
        kpy_here();
        if (!strcmp(name, "set"))
            kn_set_at(KPY_HANDLE(x), v.h, index.text, index.n, index.arg);
        else
            kn_ufunc_at(kn_ufunc_named(name), KPY_HANDLE(x), v.h, index.text, index.n, index.arg);
        done = !kpy_failed();
    }
    kpy_operand_drop(&v);
    kpy_index_drop(&index);
    kpy_leave();
    return done ? Py_NewRef(Py_None) : NULL;
}

/* ---- NumPy's files in memory: npy_of(x) -> bytes; of_npy(bytes, max_header_size) -> (array, bytes used). */

static PyObject *npy_of(PyObject *module, PyObject *o)
{
    kpy_operand x = {0};
    kn_save_opts opts = kn_save_opts_default();
    char *text = NULL;
    size_t size = 0;
    PyObject *result = NULL;
    (void)module;
    if (kpy_enter() < 0)
        return NULL;
    if (kpy_operand_of(o, &x) == 0 && (opts.file = open_memstream(&text, &size))) {
        kpy_here();
        kn_save(NULL, x.h, &opts);
        fclose(opts.file);
        result = kpy_failed() ? NULL : PyBytes_FromStringAndSize(text, (Py_ssize_t)size);
        free(text);
    } else if (!PyErr_Occurred())
        PyErr_NoMemory();
    kpy_operand_drop(&x);
    kpy_leave();
    return result;
}

static PyObject *of_npy(PyObject *module, PyObject *args)
{
    kn_load_opts opts = kn_load_opts_default();
    Py_buffer v;
    long long limit;
    int pickle;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*Lp", &v, &limit, &pickle))
        return NULL;
    opts.max_header_size = limit;
    opts.allow_pickle = pickle;
    opts.file = fmemopen(v.buf, (size_t)v.len + !v.len, "rb");
    if (opts.file && kpy_enter() == 0) {
        kpy_here();
        PyObject *x = kpy_wrap(kn_load(NULL, &opts));
        result = x ? Py_BuildValue("NL", x, (long long)ftell(opts.file)) : NULL;
        kpy_leave();
    } else if (!PyErr_Occurred())
        PyErr_SetFromErrno(PyExc_OSError);
    if (opts.file)
        fclose(opts.file);
    PyBuffer_Release(&v);
    return result;
}

/* savez(path, names, arrays, compressed), two lists of the same length */
static PyObject *savez(PyObject *module, PyObject *args)
{
    const char *path;
    PyObject *names, *arrays;
    int compressed;
    bool sound = true;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO!O!p", &path, &PyList_Type, &names, &PyList_Type, &arrays, &compressed))
        return NULL;
    Py_ssize_t n = PyList_Size(names);
    kn_named *named = PyMem_Calloc((size_t)n + 1, sizeof *named);
    if (!named)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; sound && i < n; i++) {
        named[i] = (kn_named){PyUnicode_AsUTF8AndSize(PyList_GetItem(names, i), NULL), NULL};
        sound = named[i].name && KPY_IS_ARRAY(PyList_GetItem(arrays, i));
        if (sound)
            named[i].array = KPY_HANDLE(PyList_GetItem(arrays, i));
    }
    if (sound && (sound = kpy_enter() == 0)) {
        kpy_here();
        KPY_WITHOUT_GIL((compressed ? kn_savez_compressed : kn_savez)(path, (int)n, named));
        sound = !kpy_failed();
        kpy_leave();
    } else if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "arrays are wanted");
    PyMem_Free(named);
    return sound ? Py_NewRef(Py_None) : NULL;
}

#define FAST(f) (PyCFunction)(void (*)(void))(f), METH_FASTCALL
static PyMethodDef functions[] = {{"as_array", FAST(as_array), "as_array(a, dtype, order, copy, ndmin, /)\n--\n\n"},
                                  {"result_type", FAST(result_type), NULL},
                                  {"common_type", common_type, METH_O, NULL},
                                  {"broadcast_shapes", FAST(broadcast_shapes), NULL},
                                  {"einsum", einsum, METH_VARARGS, NULL},
                                  {"einsum_path", einsum_path, METH_VARARGS, NULL},
                                  {"write_at", write_at, METH_VARARGS, NULL},
                                  {"npy_of", npy_of, METH_O, NULL},
                                  {"savez", savez, METH_VARARGS, NULL},
                                  {"of_npy", of_npy, METH_VARARGS, NULL},
                                  {0}};

int kpy_numpy_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
