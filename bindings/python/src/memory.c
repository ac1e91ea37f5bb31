/* SPDX-License-Identifier: Apache-2.0
 * memory.c -- memory without a copy, where Python's own words for it end: arrays over whatever shows a buffer, and
 * what an array's memory is, whatever its dtype. */
#include "kpy.h"
#include "kiln/dlpack.h"
#include <stdlib.h>
#include <string.h>

/* ---- Arrays over a buffer: as a tensor of DLPack, which the library takes as it is. */

typedef struct lent {
    DLManagedTensorVersioned tensor;
    Py_buffer view;
    int64_t dim[2 * KN_MAX_NDIM];
} lent;

/* In any thread, and perhaps when Python is gone: then the memory stays. */
static void give_back(DLManagedTensorVersioned *t)
{
    lent *m = t->manager_ctx;
    if (Py_IsInitialized()) {
        PyGILState_STATE gil = PyGILState_Ensure();
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyBuffer_Release(&m->view);
        PyErr_Restore(type, value, trace);
        PyGILState_Release(gil);
    }
    free(m);
}

static bool dl_type(kn_dtype d, DLDataType *t)
{
    static const struct {
        char kind;
        uint8_t code;
    } known[] = {{'b', kDLBool}, {'i', kDLInt}, {'u', kDLUInt}, {'f', kDLFloat}, {'c', kDLComplex}};
    *t = (DLDataType){.bits = (uint8_t)(8 * kn_dtype_size(d)), .lanes = 1};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].kind == kn_dtype_kind(d)) {
            t->code = known[i].code;
            return true;
        }
    return false;
}

static bool is_common(kn_dtype d)
{
    kn_dtype known[] = {KN_BOOL, KN_I8,  KN_I16, KN_I32, KN_I64, KN_U8,  KN_U16,
                        KN_U32,  KN_U64, KN_F16, KN_F32, KN_F64, KN_C64, KN_C128};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == d)
            return true;
    return false;
}

/* The strides in elements; false where they are no multiples of the size. */
static bool describe(lent *m)
{
    Py_buffer *v = &m->view;
    Py_ssize_t dense = v->itemsize;
    for (int i = v->ndim - 1; i >= 0; i--) {
        m->dim[i] = v->shape ? v->shape[i] : v->len / v->itemsize;
        Py_ssize_t stride = v->strides ? v->strides[i] : dense;
        if (m->dim[i] > 1 && stride % v->itemsize)
            return false;
        m->dim[KN_MAX_NDIM + i] = stride / v->itemsize;
        dense *= (Py_ssize_t)m->dim[i];
    }
    return true;
}

/* 1: *x is an array over the memory; 0: it cannot be used as it is; -1 with an exception. */
static int over(PyObject *o, kn_dtype dtype, kn_array *x)
{
    lent *m = calloc(1, sizeof *m);
    bool swapped = false;
    if (!m)
        return PyErr_NoMemory(), -1;
    if (PyObject_GetBuffer(o, &m->view, PyBUF_FULL) < 0) {
        PyErr_Clear();
        if (PyObject_GetBuffer(o, &m->view, PyBUF_FULL_RO) < 0) {
            PyErr_Clear();
            free(m);
            return 0;
        }
    }
    Py_buffer *v = &m->view;
    bool fits = v->ndim <= KN_MAX_NDIM && !v->suboffsets;
    kn_dtype seen = fits ? kpy_dtype_of_format(v->format, (size_t)v->itemsize, &swapped) : NULL;
    DLDataType type;
    if (dtype) { /* the same bytes as elements of another dtype, or bytes of an axis */
        size_t size = kn_dtype_size(dtype), bytes = (size_t)v->itemsize;
        fits = fits && (bytes == size || (bytes == 1 && v->ndim == 1 && (size_t)v->len % size == 0)) &&
               (uintptr_t)v->buf % kn_dtype_alignment(dtype) == 0;
    } else
        fits = fits && seen;
    fits = fits && !swapped;
    if (!fits || !dl_type(seen ? seen : KN_U8, &type) || !describe(m)) {
        PyBuffer_Release(v);
        free(m);
        return 0;
    }
    m->tensor = (DLManagedTensorVersioned){.version = {1, 0},
                                           .manager_ctx = m,
                                           .deleter = give_back,
                                           .flags = v->readonly ? DLPACK_FLAG_BITMASK_READ_ONLY : 0,
                                           .dl_tensor = {.data = v->buf,
                                                         .device = {kDLCPU, 0},
                                                         .ndim = v->ndim,
                                                         .dtype = type,
                                                         .shape = m->dim,
                                                         .strides = m->dim + KN_MAX_NDIM}};
    kn_from_dlpack_opts opts = kn_from_dlpack_opts_default();
    opts.copy = -1;
    *x = kn_from_dlpack(&m->tensor, &opts);
    if (!kn_error_pending() && *x && dtype && dtype != kn_dtype_of(*x)) { /* the same bytes as another dtype */
        kn_array y = kn_view(*x, dtype);
        kn_release(*x);
        *x = y;
    }
    if (!kn_error_pending())
        return 1;
    if (*x)
        kn_release(*x);
    bool refused = kn_error_get_kind() == KN_ERROR_VALUE || kn_error_get_kind() == KN_ERROR_TYPE;
    if (!refused)
        return kpy_raise(), -1;
    kn_error_clear(); /* gaps between elements, misaligned ones */
    return 0;
}

/* Side by side the elements from the first to the last one in memory, and of these every one that is meant. */
static kn_array strided(kn_array dense, int64_t n, int64_t step)
{
    if (n < 0 || step == 1)
        return kn_retain(dense);
    kn_index_arg by = {.kind = KN_ARG_INT, .integer = step};
    kn_as_strided_opts opts = kn_as_strided_opts_default();
    kn_shape shape = {1, {n}}, stride = {1, {0}};
    return step ? kn_at(dense, "::%", 1, &by) : kn_as_strided(dense, &shape, &stride, &opts);
}

kn_array kpy_over_memory(PyObject *owner, void *data, kn_dtype dtype, int64_t n, int64_t stride, bool writes)
{
    lent *m = calloc(1, sizeof *m);
    kn_dtype bits[] = {NULL, KN_U8, KN_U16, NULL, KN_U32};
    int64_t size = (int64_t)kn_dtype_size(dtype), step = stride / size, count = n > 0 ? (n - 1) * llabs(step) + 1 : n;
    DLDataType type;
    if (!m || PyBuffer_FillInfo(&m->view, owner, data, (Py_ssize_t)size, 0, PyBUF_FULL) < 0) {
        free(m);
        return PyErr_Occurred() ? NULL : (kn_array)PyErr_NoMemory();
    }
    kn_dtype seen = is_common(dtype) ? dtype : bits[size]; /* bfloat16 and its kin: by their bits */
    dl_type(seen, &type);
    m->dim[0] = count;
    m->dim[1] = 1;
    char *first = (char *)data + (step < 0 && n > 0 ? (n - 1) * stride : 0);
    m->tensor = (DLManagedTensorVersioned){.version = {1, 0},
                                           .manager_ctx = m,
                                           .deleter = give_back,
                                           .flags = writes ? 0 : DLPACK_FLAG_BITMASK_READ_ONLY,
                                           .dl_tensor = {first, {kDLCPU, 0}, n >= 0, type, m->dim, m->dim + 1, 0}};
    kn_from_dlpack_opts opts = kn_from_dlpack_opts_default();
    opts.copy = -1;
    kn_array x = kn_from_dlpack(&m->tensor, &opts), y = x && seen != dtype ? kn_view(x, dtype) : x;
    kn_array z = y ? strided(y, n, step) : NULL;
    if (x && y != x)
        kn_release(x);
    if (y)
        kn_release(y);
    return z;
}

static PyObject *share(PyObject *module, PyObject *args)
{
    PyObject *o, *name = Py_None;
    kn_dtype dtype = NULL;
    kn_array x = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O|O", &o, &name) || kpy_dtype_of(name, &dtype) < 0 || kpy_enter() < 0)
        return NULL;
    kpy_here();
    int found = over(o, dtype, &x);
    PyObject *result = found > 0 ? kpy_wrap(x) : found ? NULL : Py_NewRef(Py_None);
    kpy_leave();
    return result;
}

/* ---- The memory of an array. */

static void drop_capsule(PyObject *capsule)
{
    DLManagedTensorVersioned *m = PyCapsule_GetPointer(capsule, "kiln.memory");
    if (m)
        m->deleter(m);
}

static DLManagedTensorVersioned *memory_of(PyObject *o)
{
    DLManagedTensorVersioned *m = NULL;
    if (!KPY_IS_ARRAY(o))
        return PyErr_SetString(PyExc_TypeError, "an Array is wanted"), NULL;
    if (kpy_enter() < 0)
        return NULL;
    kpy_here();
    bool spread = kpy_is_spread(KPY_HANDLE(o));
    kn_array whole = spread ? kn_device_get(KPY_HANDLE(o)) : NULL, x = spread ? whole : KPY_HANDLE(o), bits = NULL;
    kn_dtype d = x ? kn_dtype_of(x) : NULL;
    if (d && !is_common(d)) /* bfloat16 and its kin: by their bits */
        x = bits = kn_view(x, kn_dtype_size(d) == 1 ? KN_U8 : kn_dtype_size(d) == 2 ? KN_U16 : KN_U32);
    m = kn_to_dlpack(x);
    if (m && spread)
        m->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
    if (bits)
        kn_release(bits);
    if (whole)
        kn_release(whole);
    if (kpy_failed() && m) {
        m->deleter(m);
        m = NULL;
    } else if (!m && !PyErr_Occurred())
        PyErr_NoMemory();
    kpy_leave();
    return m;
}

/* memory(x) -> (keeper, address, read-only, strides in bytes): the memory stays for as long as the keeper does. */
static PyObject *memory(PyObject *module, PyObject *o)
{
    (void)module;
    DLManagedTensorVersioned *m = memory_of(o);
    if (!m)
        return NULL;
    const DLTensor *t = &m->dl_tensor;
    kn_shape strides = {.ndim = t->ndim};
    int64_t size = t->dtype.bits / 8, dense = size;
    for (int i = t->ndim - 1; i >= 0; i--) {
        strides.dim[i] = t->strides ? t->strides[i] * size : dense;
        dense *= t->shape[i];
    }
    PyObject *keeper = PyCapsule_New(m, "kiln.memory", drop_capsule);
    if (!keeper) {
        m->deleter(m);
        return NULL;
    }
    return Py_BuildValue("NNNN", keeper, PyLong_FromVoidPtr((char *)t->data + t->byte_offset),
                         PyBool_FromLong(m->flags & DLPACK_FLAG_BITMASK_READ_ONLY), kpy_tuple_of_shape(&strides));
}

/* Bytes(x): the bytes of a C-contiguous array, as a buffer of one axis, for pickles. */
typedef struct bytes_object {
    PyObject_HEAD DLManagedTensorVersioned *m;
    Py_ssize_t n;
} bytes_object;

static PyObject *bytes_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    PyObject *o;
    static char *names[] = {"x", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O", names, &o))
        return NULL;
    DLManagedTensorVersioned *m = memory_of(o);
    if (!m)
        return NULL;
    const DLTensor *t = &m->dl_tensor;
    int64_t n = t->dtype.bits / 8, dense = 1;
    bool contiguous = true;
    for (int i = t->ndim - 1; i >= 0; i--) {
        contiguous = contiguous && (!t->strides || t->shape[i] <= 1 || t->strides[i] == dense);
        dense *= t->shape[i];
    }
    if (!contiguous && dense) {
        m->deleter(m);
        return PyErr_SetString(PyExc_ValueError, "the array is not C-contiguous"), NULL;
    }
    bytes_object *b = (bytes_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!b) {
        m->deleter(m);
        return NULL;
    }
    b->m = m;
    b->n = (Py_ssize_t)(n * dense);
    return (PyObject *)b;
}

static void bytes_drop(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    bytes_object *b = (bytes_object *)o;
    if (b->m)
        b->m->deleter(b->m);
    ((freefunc)PyType_GetSlot(t, Py_tp_free))(o);
    Py_DECREF(t);
}

static int bytes_buffer(PyObject *o, Py_buffer *v, int flags)
{
    static char nothing[1];
    bytes_object *b = (bytes_object *)o;
    char *at = b->n ? (char *)b->m->dl_tensor.data + b->m->dl_tensor.byte_offset : nothing;
    return PyBuffer_FillInfo(v, o, at, b->n, (b->m->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0, flags);
}

static PyType_Slot bytes_slots[] = {{Py_tp_new, bytes_new},
                                    {Py_tp_dealloc, bytes_drop},
                                    {Py_bf_getbuffer, bytes_buffer},
                                    {Py_tp_doc, "Bytes(x)\n--\n\nThe bytes of a C-contiguous array."},
                                    {0, NULL}};
static PyType_Spec bytes_spec = {"kiln._core.Bytes", sizeof(bytes_object), 0, Py_TPFLAGS_DEFAULT, bytes_slots};

static PyMethodDef functions[] = {
    {"share", share, METH_VARARGS,
     "share(o, dtype=None, /)\n--\n\nAn array over the memory that o shows, or None where it cannot be used as it is."},
    {"memory", memory, METH_O,
     "memory(x, /)\n--\n\n(keeper, address, read-only, strides): the memory of an array, for as long as the keeper "
     "lives."},
    {0}};

int kpy_memory_make(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&bytes_spec);
    return !type || PyModule_AddObjectRef(module, "Bytes", type) < 0 ? -1 : PyModule_AddFunctions(module, functions);
}
