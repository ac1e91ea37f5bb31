/* SPDX-License-Identifier: Apache-2.0
 * convert_buffer.c -- arrays of other libraries that are operands: whatever shows its memory by Python's buffer
 * protocol is copied, with its strides and its byte order; dtypes that the protocol has no letter for (bfloat16 and
 * its kin) by their bytes and the name of their dtype. */
#include "kpy.h"
#include <stdlib.h>
#include <string.h>

static kn_dtype by_letter(char c, bool complex, size_t size)
{
    if (complex)
        return c == 'f' ? KN_C64 : c == 'd' ? KN_C128 : NULL;
    switch (c) {
    case '?': return KN_BOOL;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': return size == 1 ? KN_I8 : size == 2 ? KN_I16 : size == 4 ? KN_I32 : size == 8 ? KN_I64 : NULL;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
    case 'c': return size == 1 ? KN_U8 : size == 2 ? KN_U16 : size == 4 ? KN_U32 : size == 8 ? KN_U64 : NULL;
    case 'e': return KN_F16;
    case 'f': return KN_F32;
    case 'd': return KN_F64;
    default: return NULL;
    }
}

/* The dtype of a format of the struct module; *swapped: its bytes are in the other order. */
kn_dtype kpy_dtype_of_format(const char *f, size_t size, bool *swapped)
{
    *swapped = false;
    if (!f)
        return KN_U8;
    if (*f == '>' || *f == '!')
        *swapped = size > 1;
    if (strchr("<>=!@^", *f))
        f++;
    bool complex = *f == 'Z';
    f += complex;
    return *f && !f[1] ? by_letter(*f, complex, size) : NULL;
}

static void swap(unsigned char *at, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++, at += width)
        for (size_t k = 0; k < width / 2; k++) {
            unsigned char c = at[k];
            at[k] = at[width - 1 - k];
            at[width - 1 - k] = c;
        }
}

static kn_array copy(Py_buffer *v, kn_dtype dtype, bool swapped)
{
    unsigned char *memory = malloc((size_t)v->len + 16);
    kn_shape shape = {.ndim = v->ndim};
    kn_array x = NULL;
    if (!memory)
        return (kn_array)PyErr_NoMemory();
    for (int i = 0; i < v->ndim; i++)
        shape.dim[i] = v->shape ? v->shape[i] : v->len / v->itemsize;
    if (PyBuffer_ToContiguous(memory, v, v->len, 'C') == 0) {
        size_t width = kn_dtype_size(dtype) / (kn_dtype_kind(dtype) == 'c' ? 2 : 1);
        if (swapped)
            swap(memory, (size_t)v->len / width, width);
        x = kn_from_memory(memory, &shape, dtype);
        if (kpy_failed()) {
            if (x)
                kn_release(x);
            x = NULL;
        }
    }
    free(memory);
    return x;
}

/* Arrays of ml_dtypes do not show their memory; seen as bytes they do. */
static kn_array by_bytes(PyObject *o, bool *found)
{
    PyObject *dtype = PyObject_GetAttrString(o, "dtype");
    kn_dtype d = NULL;
    kn_array x = NULL;
    if (!dtype || kpy_dtype_try(dtype, &d) <= 0 || !PyObject_HasAttrString(o, "__array_interface__")) {
        PyErr_Clear();
        Py_XDECREF(dtype);
        return NULL;
    }
    *found = true;
    PyObject *bytes = PyObject_CallMethod(o, "tobytes", NULL), *shape = PyObject_GetAttrString(o, "shape");
    kn_shape s;
    char *at;
    Py_ssize_t n;
    if (bytes && shape && kpy_shape_of(shape, &s) == 0 && PyBytes_AsStringAndSize(bytes, &at, &n) == 0) {
        unsigned char *memory = malloc((size_t)n + 16); /* aligned as elements want it */
        if (memory) {
            memcpy(memory, at, (size_t)n);
            x = kn_from_memory(memory, &s, d);
        } else
            PyErr_NoMemory();
        free(memory);
        if (kpy_failed() && x) {
            kn_release(x);
            x = NULL;
        }
    }
    Py_XDECREF(bytes);
    Py_XDECREF(shape);
    Py_DECREF(dtype);
    return x;
}

kn_array kpy_from_buffer(PyObject *o, bool *found)
{
    Py_buffer v;
    bool swapped;
    *found = false;
    if (PyUnicode_Check(o) || PyBytes_Check(o) || PyList_Check(o) || PyTuple_Check(o) || PyDict_Check(o))
        return NULL;
    if (!PyObject_CheckBuffer(o) || PyObject_GetBuffer(o, &v, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        return by_bytes(o, found);
    }
    kn_dtype dtype = v.ndim <= KN_MAX_NDIM ? kpy_dtype_of_format(v.format, (size_t)v.itemsize, &swapped) : NULL;
    kn_array x = NULL;
    if (dtype) {
        *found = true;
        x = copy(&v, dtype, swapped);
    }
    PyBuffer_Release(&v);
    return dtype ? x : by_bytes(o, found);
}
