/* SPDX-License-Identifier: Apache-2.0
 * convert.c -- Python's values as operands, arrays, shapes and axes, and back.
 *
 * A Python number is an operand that waits for its dtype, as a C number does. Other arrays come through the buffer
 * protocol (convert_buffer.c); nested sequences become one array, of the dtype that NumPy finds for them. */
#include "kpy.h"
#include <stdlib.h>
#include <string.h>

/* ---- Operands. */

/* An integer of any size, as a weak number of 64 bits. */
static kn_array weak_int(PyObject *o)
{
    int overflow;
    long long i = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (!overflow)
        return kn_like_int(i);
    unsigned long long u = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C long");
        return NULL;
    }
    return kn_like_uint(u);
}

static int owned(kn_array h, kpy_operand *x)
{
    if (!h)
        return PyErr_Occurred() ? -1 : kpy_failed() ? -1 : (PyErr_NoMemory(), -1);
    *x = (kpy_operand){h, true};
    return 1;
}

static int by_method(PyObject *o, const char *method, kpy_operand *x)
{
    PyObject *a = PyObject_HasAttrString(o, method) ? PyObject_CallMethod(o, method, NULL) : NULL;
    if (!a)
        return PyErr_Occurred() ? -1 : 0;
    int found = KPY_IS_ARRAY(a);
    if (found)
        *x = (kpy_operand){kn_retain(KPY_HANDLE(a)), true};
    Py_DECREF(a);
    return found;
}

int kpy_operand_try(PyObject *o, kpy_operand *x)
{
    if (Py_TYPE(o) == kpy_array_type) {
        *x = (kpy_operand){KPY_HANDLE(o), false};
        return 1;
    }
    if (PyFloat_CheckExact(o))
        return owned(kn_like_double(PyFloat_AsDouble(o)), x);
    if (PyLong_CheckExact(o))
        return owned(weak_int(o), x);
    if (PyBool_Check(o)) { /* NumPy's has a dtype, unlike numbers */
        const bool b = o == Py_True;
        return owned(kn_strong(&b, KN_BOOL), x);
    }
    if (PyComplex_CheckExact(o))
        return owned(kn_like_complex(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)), x);
    if (PyObject_TypeCheck(o, kpy_array_type)) {
        *x = (kpy_operand){KPY_HANDLE(o), false};
        return 1;
    }
    int found = by_method(o, "__kiln_array__", x);
    if (found)
        return found;
    bool shows;
    kn_array h = kpy_from_buffer(o, &shows);
    if (shows || PyErr_Occurred())
        return owned(h, x);
    if (PyLong_Check(o)) /* its subclasses: enumerations of integers */
        return owned(weak_int(o), x);
    if (PyFloat_Check(o))
        return owned(kn_like_double(PyFloat_AsDouble(o)), x);
    return 0;
}

int kpy_operand_of(PyObject *o, kpy_operand *x)
{
    int found = kpy_operand_try(o, x);
    if (found)
        return found > 0 ? 0 : -1;
    kn_array h = kpy_asarray(o, NULL);
    if (!h)
        return -1;
    *x = (kpy_operand){h, true};
    return 0;
}

int kpy_positions_of(PyObject *o, kpy_operand *x)
{
    bool empty = (PyList_Check(o) || PyTuple_Check(o)) && PySequence_Size(o) == 0;
    kn_array h = empty ? kpy_asarray(o, KN_I64) : NULL;
    if (!empty)
        return kpy_operand_of(o, x);
    *x = (kpy_operand){h, true};
    return h ? 0 : -1;
}

int kpy_value_for(kn_array x, PyObject *o, kpy_operand *v)
{
    kn_dtype d = kn_dtype_of(x);
    const char kind = d ? kn_dtype_kind(d) : 0;
    if ((kind == 'i' || kind == 'u') && (PyList_Check(o) || PyTuple_Check(o))) { /* each number has to fit */
        kn_array h = kpy_asarray(o, d);
        *v = (kpy_operand){h, h != NULL};
        return h ? 0 : -1;
    }
    if (kpy_operand_of(o, v) < 0)
        return -1;
    const char *name = d ? kn_dtype_name(d) : "";
    bool narrow = !strncmp(name, "float8", 6) || !strcmp(name + (*name == 'u'), "int4") || !strcmp(name, "bfloat16");
    if (!narrow || kn_dtype_of(v->h) == d)
        return 0;
    kn_astype_opts opts = kn_astype_opts_default();
    kpy_here();
    kn_array y = kn_astype(v->h, d, &opts);
    kpy_operand_drop(v);
    *v = (kpy_operand){y, y != NULL};
    return kpy_failed() ? -1 : 0;
}

void kpy_operand_drop(kpy_operand *x)
{
    if (x->owned && x->h)
        kn_release(x->h);
    *x = (kpy_operand){NULL, false};
}

void kpy_operands_drop(kpy_operand *x, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        kpy_operand_drop(&x[i]);
    PyMem_Free(x);
}

int kpy_operands_of(PyObject *o, kpy_operand **x, Py_ssize_t *n)
{
    PyObject *all = PySequence_List(o); /* an array is the sequence of its rows */
    *x = NULL;
    *n = 0;
    if (!all)
        return -1;
    Py_ssize_t count = PyList_Size(all);
    kpy_operand *at = PyMem_Calloc((size_t)count + 1, sizeof *at);
    if (!at)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; at && i < count; i++)
        if (kpy_operand_of(PyList_GetItem(all, i), &at[i]) < 0) {
            kpy_operands_drop(at, i);
            at = NULL;
        }
    /* rows of an array are there as long as their objects, which are in the list: the operands own them from here on;
     * of what was made now the scope around is an owner, too, if there is one */
    for (Py_ssize_t i = 0; at && i < count; i++)
        if (!at[i].owned || kpy_scoped()) {
            kn_retain(at[i].h);
            at[i].owned = true;
        }
    Py_DECREF(all);
    *x = at;
    *n = at ? count : 0;
    return at ? 0 : -1;
}

/* ---- Nested sequences. */

typedef struct nested {
    kn_shape shape;
    int depth; /* of the axes that are known: set by the first leaf */
    bool leaf_seen, arrays, others;
    int rank;          /* of the leaves: 0 none, 1 bool, 2 int, 3 uint, 4 float, 5 complex */
    bool negative;     /* an integer below zero */
    unsigned char *at; /* where the next element goes */
    kn_dtype dtype;
} nested;

static bool is_sequence(PyObject *o)
{
    return PyList_Check(o) || PyTuple_Check(o) ||
           (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !PyDict_Check(o) &&
            PyObject_HasAttrString(o, "__len__"));
}

static int inhomogeneous(const nested *s, int axis)
{
    kn_shape known = {.ndim = axis < s->shape.ndim ? axis : s->shape.ndim};
    memcpy(known.dim, s->shape.dim, (size_t)known.ndim * sizeof *known.dim);
    PyObject *shape = kpy_tuple_of_shape(&known);
    if (shape)
        PyErr_Format(
            PyExc_ValueError,
            "setting an array element with a sequence. The requested array has an inhomogeneous shape after %d "
            "dimensions. The detected shape was %R + inhomogeneous part.",
            axis, shape);
    Py_XDECREF(shape);
    return -1;
}

static int note_number(nested *s, PyObject *o)
{
    int rank = 0;
    if (PyBool_Check(o))
        rank = 1;
    else if (PyLong_CheckExact(o)) {
        int overflow;
        long long i = PyLong_AsLongLongAndOverflow(o, &overflow);
        rank = overflow ? 3 : 2;
        s->negative = s->negative || overflow < 0 || (!overflow && i < 0);
        if (overflow < 0 || (overflow && (PyLong_AsUnsignedLongLong(o), PyErr_Occurred()))) {
            PyErr_Clear();
            PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C long");
            return -1;
        }
    } else if (PyFloat_CheckExact(o))
        rank = 4;
    else if (PyComplex_CheckExact(o))
        rank = 5;
    else if (o == Py_None || PyUnicode_Check(o) || PyBytes_Check(o))
        s->others = true;
    else
        s->arrays = true;
    if (rank > s->rank)
        s->rank = rank;
    return 0;
}

/* Shape and kind of what is nested. Arrays among the leaves are stacked later. */
static int survey(nested *s, PyObject *o, int axis)
{
    if (KPY_IS_ARRAY(o) || (!PyUnicode_Check(o) && !PyBytes_Check(o) && PyObject_CheckBuffer(o))) {
        s->arrays = true; /* they and what stands beside them are stacked */
        return 0;
    }
    if (!is_sequence(o)) {
        if (!s->leaf_seen) {
            s->leaf_seen = true;
            s->shape.ndim = s->depth = axis;
        } else if (axis != s->depth)
            return inhomogeneous(s, axis);
        return note_number(s, o);
    }
    Py_ssize_t n = PySequence_Size(o);
    if (n < 0)
        return -1;
    if (axis >= KN_MAX_NDIM)
        return PyErr_SetString(PyExc_ValueError, "too many dimensions: a sequence that contains itself?"), -1;
    if (axis >= s->shape.ndim && !s->leaf_seen) {
        s->shape.ndim = axis + 1;
        s->shape.dim[axis] = n;
    } else if (axis >= s->shape.ndim || s->shape.dim[axis] != n)
        return inhomogeneous(s, axis);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(o, i);
        int failed = item ? survey(s, item, axis + 1) : -1;
        Py_XDECREF(item);
        if (failed)
            return -1;
    }
    return 0;
}

static int put(nested *s, PyObject *o, int axis)
{
    if (axis < s->shape.ndim) {
        for (Py_ssize_t i = 0; i < s->shape.dim[axis]; i++) {
            PyObject *item = PySequence_GetItem(o, i);
            int failed = item ? put(s, item, axis + 1) : -1;
            Py_XDECREF(item);
            if (failed)
                return -1;
        }
        return 0;
    }
    double v[2] = {0, 0};
    switch (s->rank) {
    case 1: *s->at++ = o == Py_True; return 0;
    case 2: {
        int64_t i = PyLong_AsLongLong(o);
        memcpy(s->at, &i, 8);
        break;
    }
    case 3: {
        uint64_t u = PyLong_AsUnsignedLongLong(o);
        memcpy(s->at, &u, 8);
        break;
    }
    case 4:
        v[0] = PyFloat_AsDouble(o);
        memcpy(s->at, v, 8);
        break;
    default:
        v[0] = PyComplex_RealAsDouble(o);
        v[1] = PyComplex_ImagAsDouble(o);
        memcpy(s->at, v, 16);
        s->at += 8;
    }
    s->at += 8;
    return PyErr_Occurred() ? -1 : 0;
}

/* Integers have to fit into a dtype of integers that was asked for. */
static int check_fits(PyObject *o, kn_dtype dtype)
{
    char kind = kn_dtype_kind(dtype);
    if (PyLong_Check(o) && !PyBool_Check(o) && (kind == 'i' || kind == 'u')) {
        int bits = (int)kn_dtype_size(dtype) * 8, overflow;
        long long i = PyLong_AsLongLongAndOverflow(o, &overflow);
        long long high =
            kind == 'u' ? (bits < 64 ? (1LL << bits) - 1 : INT64_MAX) : (long long)(UINT64_MAX >> (65 - bits));
        long long low = kind == 'u' ? 0 : -high - 1;
        bool fits = overflow ? overflow > 0 && kind == 'u' && bits == 64
                             : i >= low && (i <= high || (kind == 'u' && bits == 64));
        if (!fits) {
            PyErr_Format(PyExc_OverflowError, "Python integer %S out of bounds for %s", o, kn_dtype_name(dtype));
            return -1;
        }
        return 0;
    }
    if (!is_sequence(o) || KPY_IS_ARRAY(o) || PyObject_CheckBuffer(o))
        return 0;
    Py_ssize_t n = PySequence_Size(o);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(o, i);
        int failed = item ? check_fits(item, dtype) : -1;
        Py_XDECREF(item);
        if (failed)
            return -1;
    }
    return n < 0 ? -1 : 0;
}

static kn_array stacked(PyObject *o, kn_dtype dtype)
{
    Py_ssize_t n = PySequence_Size(o), done = 0;
    kn_array *x = n >= 0 ? PyMem_Calloc((size_t)n + 1, sizeof *x) : NULL, y = NULL;
    if (!x)
        return n < 0 ? NULL : (kn_array)PyErr_NoMemory();
    for (; done < n; done++) {
        PyObject *item = PySequence_GetItem(o, done);
        x[done] = item ? kpy_asarray(item, dtype) : NULL;
        Py_XDECREF(item);
        if (!x[done])
            break;
    }
    if (done == n) {
        kn_list list = kn_list_from(x, (int)n);
        kn_concatenate_opts opts = kn_concatenate_opts_default();
        y = kn_stack(list, &opts);
        if (list)
            kn_release(list);
        if (kpy_failed()) {
            if (y)
                kn_release(y);
            y = NULL;
        }
    }
    for (Py_ssize_t i = 0; i < done; i++)
        kn_release(x[i]);
    PyMem_Free(x);
    return y;
}

/* The array in another dtype, or itself; takes x over. */
static kn_array as_dtype(kn_array x, kn_dtype dtype)
{
    if (!x || !dtype)
        return x;
    kn_astype_opts opts = kn_astype_opts_default();
    kn_array y = kn_astype(x, dtype, &opts);
    kn_release(x);
    if (kpy_failed()) {
        if (y)
            kn_release(y);
        return NULL;
    }
    return y;
}

static kn_array of_numbers(PyObject *o, kn_dtype dtype)
{
    nested s = {.rank = 0};
    if (survey(&s, o, 0) < 0 && !(s.arrays && !s.others && PyErr_ExceptionMatches(PyExc_ValueError)))
        return NULL;
    PyErr_Clear();
    if (s.arrays && !s.others && is_sequence(o))
        return stacked(o, dtype);
    if (s.arrays || s.others)
        return PyErr_Format(PyExc_TypeError, "Value '%R' with dtype object is not a valid array type.", o), NULL;
    if (s.rank == 3 && s.negative)
        s.rank = 4; /* as in NumPy, no integer dtype has both */
    if (s.rank == 0)
        s.rank = 4;
    static const size_t bytes[] = {0, 1, 8, 8, 8, 16};
    size_t total = bytes[s.rank];
    for (int i = 0; i < s.shape.ndim; i++)
        total *= (size_t)s.shape.dim[i];
    unsigned char *memory = malloc(total + 16);
    if (!memory)
        return (kn_array)PyErr_NoMemory();
    kn_dtype dtypes[] = {NULL, KN_BOOL, KN_I64, KN_U64, KN_F64, KN_C128};
    s.at = memory;
    kn_array x = NULL;
    if ((!dtype || check_fits(o, dtype) == 0) && put(&s, o, 0) == 0) {
        x = kn_from_memory(memory, &s.shape, dtypes[s.rank]);
        if (kpy_failed()) {
            if (x)
                kn_release(x);
            x = NULL;
        }
    }
    free(memory);
    kn_dtype narrow = s.rank < 4 ? NULL : kn_dtype_named(s.rank == 4 ? "float" : "complex"); /* the context's default */
    return as_dtype(x, dtype ? dtype : narrow == dtypes[s.rank] ? NULL : narrow);
}

kn_array kpy_asarray(PyObject *o, kn_dtype dtype)
{
    kpy_operand x;
    if (!KPY_IS_ARRAY(o) &&
        (PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || PyComplex_CheckExact(o)))
        return of_numbers(o, dtype);
    int found = kpy_operand_try(o, &x);
    if (found < 0)
        return NULL;
    if (!found)
        return of_numbers(o, dtype);
    if (!x.owned)
        kn_retain(x.h);
    if (kpy_failed()) {
        kn_release(x.h);
        return NULL;
    }
    return as_dtype(x.h, dtype && kn_dtype_of(x.h) != dtype ? dtype : NULL);
}

/* ---- Integers, shapes, axes. */

int kpy_int_of(PyObject *o, int64_t *x)
{
    if (PyFloat_Check(o)) {
        PyErr_SetString(PyExc_TypeError, "'float' object cannot be interpreted as an integer");
        return -1;
    }
    PyObject *i = PyNumber_Index(o);
    if (!i)
        return -1;
    *x = PyLong_AsLongLong(i);
    Py_DECREF(i);
    return *x == -1 && PyErr_Occurred() ? -1 : 0;
}

static int integers_of(PyObject *o, int64_t *at, const char *what)
{
    if (PyIndex_Check(o) && !(KPY_IS_ARRAY(o) && kn_ndim(KPY_HANDLE(o)) > 0))
        return kpy_int_of(o, at) < 0 ? -1 : 1;
    PyObject *all = PySequence_List(o);
    if (!all) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "expected a sequence of integers or a single integer, got '%R'", o);
        return -1;
    }
    Py_ssize_t n = PyList_Size(all);
    if (n > KN_MAX_NDIM) {
        PyErr_Format(PyExc_ValueError, "maximum supported dimension for an ndarray is currently %d, found %zd",
                     KN_MAX_NDIM, n);
        n = -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (kpy_int_of(PyList_GetItem(all, i), &at[i]) < 0)
            n = -1;
    (void)what;
    Py_DECREF(all);
    return (int)n;
}

int kpy_shape_of(PyObject *o, kn_shape *shape)
{
    shape->ndim = integers_of(o, shape->dim, "shape");
    return shape->ndim < 0 ? -1 : 0;
}

int kpy_axes_of(PyObject *o, kn_axes *axes)
{
    int64_t at[KN_MAX_NDIM];
    if (o == Py_None) {
        axes->n = -1;
        return 0;
    }
    int n = integers_of(o, at, "axis");
    if (n < 0)
        return -1;
    axes->n = n + 1;
    for (int i = 0; i < n; i++)
        axes->axis[i] = at[i] > INT32_MAX ? INT32_MAX : at[i] < INT32_MIN ? INT32_MIN : (int32_t)at[i];
    return 0;
}

/* ---- To Python. */

PyObject *kpy_tuple_of_shape(const kn_shape *s)
{
    PyObject *t = PyTuple_New(s->ndim < 0 ? 0 : s->ndim);
    for (int i = 0; t && i < s->ndim; i++) {
        PyObject *n = PyLong_FromLongLong(s->dim[i]);
        if (!n || PyTuple_SetItem(t, i, n) < 0) {
            Py_DECREF(t);
            return NULL;
        }
    }
    return t;
}

PyObject *kpy_tuple_of_list(kn_list list, bool as_list)
{
    if (kpy_failed())
        return NULL;
    int n = kn_list_count(list);
    PyObject *t = as_list ? PyList_New(n) : PyTuple_New(n);
    for (int i = 0; t && i < n; i++) {
        PyObject *o = kpy_wrap(kn_list_get(list, i));
        if (!o || (as_list ? PyList_SetItem(t, i, o) : PyTuple_SetItem(t, i, o)) < 0) {
            Py_DECREF(t);
            t = NULL;
        }
    }
    return t; /* the list goes with the scope of the call */
}

PyObject *kpy_item(kn_array x)
{
    kn_dtype d = kn_dtype_of(x);
    char kind = d ? kn_dtype_kind(d) : 0;
    PyObject *o = NULL;
    kpy_here();
    if (kind == 'b')
        o = PyBool_FromLong(kn_item_bool(x));
    else if (kind == 'u' && kn_dtype_size(d) == 8)
        o = PyLong_FromUnsignedLongLong((uint64_t)kn_item_int(x));
    else if (kind == 'i' || kind == 'u')
        o = PyLong_FromLongLong(kn_item_int(x));
    else if (kind == 'c') {
        kn_c128 z = kn_item_complex(x);
        o = PyComplex_FromDoubles(z.re, z.im);
    } else
        o = PyFloat_FromDouble(kn_item(x));
    if (kpy_failed()) {
        Py_XDECREF(o);
        return NULL;
    }
    return o;
}
