/* SPDX-License-Identifier: Apache-2.0
 * interchange.c -- memory that other libraries see: the buffer protocol and DLPack, both ways, without a copy. */
#include "kpy.h"
#include "kiln/dlpack.h"
#include <stdlib.h>
#include <string.h>

/* ---- The buffer protocol. The memory of an array that is shown stays; writes through the buffer count as after
 * kn_touch. */

typedef struct shown {
    DLManagedTensorVersioned *tensor;
    Py_ssize_t dim[2 * KN_MAX_NDIM];
} shown;

/* What DLPack has from 1.1 on, and the library as bytes. */
static const struct {
    const char *name;
    uint8_t code;
} float8[] = {{"float8_e3m4", 7},      {"float8_e4m3", 8},  {"float8_e4m3b11fnuz", 9}, {"float8_e4m3fn", 10},
              {"float8_e4m3fnuz", 11}, {"float8_e5m2", 12}, {"float8_e5m2fnuz", 13},   {"float8_e8m0fnu", 14}};
enum { N_FLOAT8 = sizeof float8 / sizeof *float8 };

static uint8_t float8_code(kn_dtype d)
{
    for (int i = 0; d && i < N_FLOAT8; i++)
        if (!strcmp(kn_dtype_name(d), float8[i].name))
            return float8[i].code;
    return 0;
}

/* An error of the library's for what the protocol has no type or no flag for. */
static void as_buffer_error(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (type && PyErr_GivenExceptionMatches(type, PyExc_TypeError))
        PyErr_Format(PyExc_BufferError, "%S", value);
    else {
        PyErr_Restore(type, value, trace);
        return;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

static const char *format_of(DLDataType d)
{
    switch (d.code) {
    case kDLBool: return "?";
    case kDLInt: return d.bits == 8 ? "b" : d.bits == 16 ? "h" : d.bits == 32 ? "i" : d.bits == 64 ? "q" : NULL;
    case kDLUInt: return d.bits == 8 ? "B" : d.bits == 16 ? "H" : d.bits == 32 ? "I" : d.bits == 64 ? "Q" : NULL;
    case kDLFloat: return d.bits == 16 ? "e" : d.bits == 32 ? "f" : d.bits == 64 ? "d" : NULL;
    case kDLComplex: return d.bits == 64 ? "Zf" : d.bits == 128 ? "Zd" : NULL;
    default: return NULL;
    }
}

static bool contiguous(const DLTensor *t, bool fortran)
{
    int64_t want = 1;
    for (int k = 0; k < t->ndim; k++) {
        int i = fortran ? k : t->ndim - 1 - k;
        if (t->shape[i] == 0)
            return true;
        if (t->strides && t->shape[i] > 1 && t->strides[i] != want)
            return false;
        want *= t->shape[i];
    }
    return true;
}

static int refuse(DLManagedTensorVersioned *t, const char *why)
{
    t->deleter(t);
    PyErr_SetString(PyExc_BufferError, why);
    return -1;
}

bool kpy_is_spread(kn_array x)
{
    kn_device d = kn_device_of(x);
    const char *name = d ? kn_device_name(d) : NULL;
    return name && !strncmp(name, "mesh:", 5);
}

int kpy_get_buffer(PyObject *o, Py_buffer *v, int flags)
{
    v->obj = NULL;
    if (kpy_enter() < 0)
        return -1;
    kpy_here();
    bool spread = kpy_is_spread(KPY_HANDLE(o));
    kn_array whole = spread ? kn_device_get(KPY_HANDLE(o)) : NULL;
    DLManagedTensorVersioned *m = kn_to_dlpack(spread ? whole : KPY_HANDLE(o));
    if (m && spread)
        m->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
    if (whole)
        kn_release(whole);
    bool failed = kpy_failed();
    if (!failed && m && !(m->flags & DLPACK_FLAG_BITMASK_READ_ONLY) && (flags & PyBUF_WRITABLE)) {
        kn_touch(KPY_HANDLE(o));
        failed = kpy_failed();
    }
    kpy_leave();
    if (failed || !m)
        return as_buffer_error(), -1;
    const DLTensor *t = &m->dl_tensor;
    const char *format = format_of(t->dtype);
    bool readonly = m->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
    bool c = contiguous(t, false), f = contiguous(t, true);
    if (!format)
        return refuse(m, "elements of this dtype have no format in the buffer protocol");
    if (readonly && (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE)
        return refuse(m, "the array is read-only");
    if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !c)
        return refuse(m, "ndarray is not C-contiguous");
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !f)
        return refuse(m, "ndarray is not Fortran contiguous");
    if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !c && !f)
        return refuse(m, "ndarray is not contiguous");
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !c)
        return refuse(m, "ndarray is not C-contiguous");
    shown *s = calloc(1, sizeof *s);
    if (!s) {
        m->deleter(m);
        PyErr_NoMemory();
        return -1;
    }
    s->tensor = m;
    Py_ssize_t size = t->dtype.bits / 8, n = size;
    for (int i = t->ndim - 1; i >= 0; i--) {
        s->dim[i] = (Py_ssize_t)t->shape[i];
        s->dim[KN_MAX_NDIM + i] = t->strides ? (Py_ssize_t)t->strides[i] * size : n;
        n *= (Py_ssize_t)t->shape[i];
    }
    *v = (Py_buffer){.buf = (char *)t->data + t->byte_offset,
                     .obj = Py_NewRef(o),
                     .len = n,
                     .itemsize = size,
                     .readonly = readonly,
                     .ndim = t->ndim,
                     .format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)format : NULL,
                     .shape = flags & PyBUF_ND ? s->dim : NULL,
                     .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? s->dim + KN_MAX_NDIM : NULL,
                     .internal = s};
    return 0;
}

void kpy_release_buffer(PyObject *o, Py_buffer *v)
{
    shown *s = v->internal;
    (void)o;
    if (s)
        s->tensor->deleter(s->tensor);
    free(s);
    v->internal = NULL;
}

/* ---- DLPack, outwards. */

static void drop_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        DLManagedTensorVersioned *m = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        m->deleter(m);
    } else if (PyCapsule_IsValid(capsule, "dltensor")) {
        DLManagedTensor *m = PyCapsule_GetPointer(capsule, "dltensor");
        m->deleter(m);
    }
}

static kn_array copy_of(kn_array x)
{
    kn_copy_opts opts = kn_copy_opts_default();
    return kn_copy(x, &opts);
}

static PyObject *spread_refused(void)
{
    kpy_leave();
    PyErr_SetString(PyExc_BufferError,
                    "to_dlpack can only pack a dlpack tensor from an array on a singular device, but "
                    "this array is spread over the devices of a mesh; kiln.device_get brings it to "
                    "the host");
    return NULL;
}

PyObject *kpy_dlpack(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    if (PyTuple_Size(args) || !PyArg_ParseTupleAndKeywords(args, kw, "|OOOO", names, &stream, &version, &device, &copy))
        return PyErr_Occurred() ? NULL
                                : (PyErr_SetString(PyExc_TypeError, "__dlpack__() takes keyword arguments only"), NULL);
    if (stream != Py_None)
        return PyErr_SetString(PyExc_BufferError, "memory of the CPU has no stream"), NULL;
    long type = 1, id = 0, major = 0, minor = 0;
    if (device != Py_None && !PyArg_ParseTuple(device, "ll", &type, &id))
        return NULL;
    if (type != 1 || id != 0)
        return PyErr_SetString(PyExc_BufferError, "the array is in memory of the CPU"), NULL;
    if (version != Py_None && (!PyTuple_Check(version) || PyTuple_Size(version) < 1))
        return PyErr_SetString(PyExc_TypeError, "max_version has to be a tuple of two integers"), NULL;
    if (version != Py_None)
        major = PyLong_AsLong(PyTuple_GetItem(version, 0));
    if (major != -1 && version != Py_None && PyTuple_Size(version) > 1)
        minor = PyLong_AsLong(PyTuple_GetItem(version, 1));
    if (((major == -1 || minor == -1) && PyErr_Occurred()) || kpy_enter() < 0)
        return NULL;
    PyObject *capsule = NULL;
    kpy_here();
    if (kpy_is_spread(KPY_HANDLE(self)))
        return spread_refused();
    kn_array x = KPY_HANDLE(self), copied = copy == Py_True ? copy_of(x) : NULL, bytes = NULL;
    x = copied ? copied : x;
    uint8_t code = major == 1 && minor < 1 ? 0 : float8_code(kn_dtype_of(x)); /* without a version as JAX does it */
    if (code)
        x = bytes = kn_view(x, KN_U8);
    if (major >= 1) {
        DLManagedTensorVersioned *m = kn_to_dlpack(x);
        if (!kpy_failed() && m) {
            if (code) {
                m->version.minor = 1;
                m->dl_tensor.dtype.code = code;
            }
            if (copied)
                m->flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
            if (!(capsule = PyCapsule_New(m, "dltensor_versioned", drop_capsule)))
                m->deleter(m);
        }
    } else {
        DLManagedTensor *m = kn_to_dlpack_unversioned(x);
        if (m && code)
            m->dl_tensor.dtype.code = code;
        if (kpy_failed()) {
            if (PyErr_ExceptionMatches(PyExc_ValueError)) {
                PyErr_Clear();
                PyErr_SetString(PyExc_BufferError,
                                "Cannot export readonly array since signalling readonly is unsupported "
                                "by DLPack (supported by newer DLPack version).");
            }
        } else if (m && !(capsule = PyCapsule_New(m, "dltensor", drop_capsule)))
            m->deleter(m);
    }
    if (copied)
        kn_release(copied);
    if (bytes)
        kn_release(bytes);
    kpy_leave();
    if (!capsule)
        as_buffer_error();
    return capsule;
}

PyObject *kpy_dlpack_device(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (kpy_enter() < 0)
        return NULL;
    if (kpy_is_spread(KPY_HANDLE(self)))
        return spread_refused();
    kpy_leave();
    return Py_BuildValue("ii", 1, 0);
}

/* ---- DLPack, inwards. */

/* A capsule in memory of the CPU, of the newest version that the object makes. */
static PyObject *capsule_of(PyObject *x, PyObject *copy)
{
    PyObject *f = PyObject_GetAttrString(x, "__dlpack__"), *none = PyTuple_New(0), *capsule = NULL;
    PyObject *kw = Py_BuildValue("{s:(ii),s:O}", "max_version", 1, 1, "copy", copy);
    if (f && none && kw)
        capsule = PyObject_Call(f, none, kw);
    if (!capsule && f && kw && PyErr_ExceptionMatches(PyExc_TypeError)) { /* from before the version had a say */
        PyErr_Clear();
        capsule = PyObject_Call(f, none, NULL);
    }
    Py_XDECREF(f);
    Py_XDECREF(none);
    Py_XDECREF(kw);
    return capsule;
}

/* The array of a tensor, in either form; floats of eight bits go by as bytes. */
static kn_array of_tensor(DLDataType *d, DLManagedTensorVersioned *m, DLManagedTensor *old,
                          const kn_from_dlpack_opts *opts)
{
    kn_dtype seen = NULL;
    for (int i = 0; i < N_FLOAT8; i++)
        if (d->code == float8[i].code && d->bits == 8 && d->lanes == 1)
            seen = kn_dtype_named(float8[i].name);
    if (seen)
        d->code = kDLUInt;
    kn_array bytes = m ? kn_from_dlpack(m, opts) : kn_from_dlpack_unversioned(old, opts);
    if (!seen || !bytes)
        return bytes;
    kn_array x = kn_view(bytes, seen);
    kn_release(bytes);
    return x;
}

/* What was taken over, at the place; takes x over. */
static PyObject *put_at(const kpy_place *place, kn_array x, const kn_from_dlpack_opts *opts)
{
    if (x && opts->copy < 0 && place->device && place->device != kn_device_of(x)) {
        kn_release(x);
        return PyErr_Format(PyExc_BufferError, "from_dlpack: copy=False, but the array is not on %s",
                            kn_device_name(place->device));
    }
    return kpy_wrap(kpy_put_at(place, x));
}

static PyObject *from_dlpack(PyObject *module, PyObject *args, PyObject *kw)
{
    static char *names[] = {"x", "device", "copy", NULL};
    PyObject *x, *device = Py_None, *copy = Py_None;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O|$OO", names, &x, &device, &copy))
        return NULL;
    PyObject *capsule = capsule_of(x, copy), *result = NULL;
    if (!capsule)
        return NULL;
    kn_from_dlpack_opts opts = kn_from_dlpack_opts_default();
    opts.copy = copy == Py_None ? 0 : PyObject_IsTrue(copy) ? 1 : -1;
    kpy_place place;
    if (kpy_enter() == 0) {
        kpy_here();
        if (kpy_place_of(device, &place) < 0) {
            result = NULL;
        } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
            DLManagedTensorVersioned *m = PyCapsule_GetPointer(capsule, "dltensor_versioned");
            PyCapsule_SetName(capsule, "used_dltensor_versioned");
            result = put_at(&place, of_tensor(&m->dl_tensor.dtype, m, NULL, &opts), &opts);
        } else if (PyCapsule_IsValid(capsule, "dltensor")) {
            DLManagedTensor *m = PyCapsule_GetPointer(capsule, "dltensor");
            PyCapsule_SetName(capsule, "used_dltensor");
            result = put_at(&place, of_tensor(&m->dl_tensor.dtype, NULL, m, &opts), &opts);
        } else
            PyErr_SetString(PyExc_BufferError, "__dlpack__ returned no capsule of DLPack that is unused");
        kpy_leave();
    }
    Py_DECREF(capsule);
    return result;
}

static PyMethodDef functions[] = {
    {"from_dlpack", (PyCFunction)(void (*)(void))from_dlpack, METH_VARARGS | METH_KEYWORDS,
     "from_dlpack(x, /, *, device=None, copy=None)\n--\n\nThe memory of an array of another library, without a copy."},
    {0}};

int kpy_interchange_make(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) < 0 || kpy_memory_make(module) < 0 ? -1 : kpy_progress_make(module);
}
