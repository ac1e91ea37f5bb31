/* SPDX-License-Identifier: Apache-2.0
 * array.c -- the type Array: a handle of Kiln's with Python's operators. Methods that are functions of NumPy's come
 * from the generated table (kpy_array_methods); here is what Python itself asks of an object. */
#include "kpy.h"
#include <stdlib.h>
#include <string.h>

PyTypeObject *kpy_array_type;

PyObject *kpy_wrap(kn_array x)
{
    if (kn_error_pending() || !x || kpy_exception_is_kept()) {
        if (x)
            kn_release(x);
        if (!kpy_failed())
            PyErr_SetString(PyExc_RuntimeError, "no result");
        return NULL;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(kpy_array_type, Py_tp_alloc);
    kpy_array *a = (kpy_array *)alloc(kpy_array_type, 0);
    if (!a) {
        kn_release(x);
        return NULL;
    }
    if (kpy_scoped()) /* the scope around has it, too, and may end before the object */
        kn_retain(x);
    a->h = x;
    a->visitor = kpy_visiting();
    return (PyObject *)a;
}

static void drop(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    if (((kpy_array *)o)->weak)
        PyObject_ClearWeakRefs(o);
    if (KPY_HANDLE(o))
        (((kpy_array *)o)->visitor ? kpy_release_visitor : kpy_release)(KPY_HANDLE(o));
    ((freefunc)PyType_GetSlot(t, Py_tp_free))(o);
    Py_DECREF(t);
}

/* ---- Operators. */

/* Work on many elements goes on without the interpreter's lock. */
static bool is_long(kn_array x, kn_array y)
{
    return (kn_size(x) > 32768 || (y && kn_size(y) > 32768)) && !kpy_in_user();
}

/* Lists are operands, too, as NumPy's. As kpy_operand_try. */
static int operand_of(PyObject *o, kpy_operand *x)
{
    int known = kpy_operand_try(o, x);
    if (known || !(PyList_Check(o) || PyTuple_Check(o) || Py_TYPE(o) == &PyRange_Type))
        return known;
    return kpy_operand_of(o, x) < 0 ? -1 : 1;
}

static PyObject *binary(PyObject *a, PyObject *b, kn_array (*f)(kn_array, kn_array))
{
    kpy_operand x = {0}, y = {0};
    PyObject *result = NULL;
    if (kpy_enter() < 0)
        return NULL;
    int known = operand_of(a, &x);
    known = known > 0 ? operand_of(b, &y) : known;
    if (known == 0 && !PyErr_Occurred())
        result = Py_NewRef(Py_NotImplemented);
    else if (known > 0) {
        kn_array z;
        bool lets_others_go_on = is_long(x.h, y.h);
        kpy_here(); /* of the next call, whichever it is */
        if (lets_others_go_on)
            KPY_WITHOUT_GIL(z = f(x.h, y.h));
        else
            z = f(x.h, y.h);
        result = kpy_wrap(z);
    }
    kpy_operand_drop(&x);
    kpy_operand_drop(&y);
    kpy_leave();
    return result;
}

static PyObject *unary(PyObject *a, kn_array (*f)(kn_array))
{
    if (kpy_enter() < 0)
        return NULL;
    kn_array x = KPY_HANDLE(a), y;
    kpy_here();
    if (is_long(x, NULL))
        KPY_WITHOUT_GIL(y = f(x));
    else
        y = f(x);
    PyObject *result = kpy_wrap(y);
    kpy_leave();
    return result;
}

static PyObject *in_place(PyObject *a, PyObject *b, int (*f)(kn_array, kn_array))
{
    kpy_operand y = {0};
    PyObject *result = NULL;
    if (kpy_enter() < 0)
        return NULL;
    int known = operand_of(b, &y);
    if (known == 0 && !PyErr_Occurred())
        result = Py_NewRef(Py_NotImplemented);
    else if (known > 0) {
        kpy_here();
        if (is_long(KPY_HANDLE(a), y.h))
            KPY_WITHOUT_GIL(f(KPY_HANDLE(a), y.h));
        else
            f(KPY_HANDLE(a), y.h);
        result = kpy_failed() ? NULL : Py_NewRef(a);
    }
    kpy_operand_drop(&y);
    kpy_leave();
    return result;
}

#define BINARY(name, f) \
    static PyObject *name(PyObject *a, PyObject *b) { return binary(a, b, f); }
#define IN_PLACE(name, f) \
    static PyObject *name(PyObject *a, PyObject *b) { return in_place(a, b, f); }
#define UNARY(name, f) \
    static PyObject *name(PyObject *a) { return unary(a, f); }
BINARY(add, kn_add)
BINARY(subtract, kn_subtract)
BINARY(multiply, kn_multiply)
BINARY(divide, kn_divide)
BINARY(floor_divide, kn_floor_divide)
BINARY(remainder_, kn_remainder)
BINARY(matmul, kn_matmul)
BINARY(bit_and, kn_bitwise_and)
BINARY(bit_or, kn_bitwise_or)
BINARY(bit_xor, kn_bitwise_xor)
BINARY(left_shift, kn_left_shift)
BINARY(right_shift, kn_right_shift)
IN_PLACE(iadd, kn_iadd)
IN_PLACE(isub, kn_isub)
IN_PLACE(imul, kn_imul)
IN_PLACE(idiv, kn_idiv)
IN_PLACE(ifloordiv, kn_ifloordiv)
IN_PLACE(imod, kn_imod)
IN_PLACE(iand, kn_iand)
IN_PLACE(ior, kn_ior)
IN_PLACE(ixor, kn_ixor)
IN_PLACE(ilshift, kn_ilshift)
IN_PLACE(irshift, kn_irshift)
IN_PLACE(imatmul, kn_imatmul)
UNARY(negative, kn_negative)
UNARY(positive, kn_positive)
UNARY(absolute, kn_absolute)
UNARY(invert, kn_invert)

static PyObject *power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return binary(a, b, kn_power);
}

static PyObject *ipow(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return in_place(a, b, kn_ipow);
}

static PyObject *divmod_(PyObject *a, PyObject *b)
{
    PyObject *q = floor_divide(a, b), *r = q && q != Py_NotImplemented ? remainder_(a, b) : NULL;
    if (q == Py_NotImplemented)
        return q;
    PyObject *pair = q && r ? PyTuple_Pack(2, q, r) : NULL;
    Py_XDECREF(q);
    Py_XDECREF(r);
    return pair;
}

static PyObject *compare(PyObject *a, PyObject *b, int how)
{
    static kn_array (*const f[])(kn_array, kn_array) = {
        [Py_LT] = kn_less,      [Py_LE] = kn_less_equal, [Py_EQ] = kn_equal,
        [Py_NE] = kn_not_equal, [Py_GT] = kn_greater,    [Py_GE] = kn_greater_equal};
    if (b == Py_None) /* nothing of an array is None */
        return how == Py_EQ || how == Py_NE ? PyBool_FromLong(how == Py_NE) : Py_NewRef(Py_NotImplemented);
    if (PyList_Check(b) || PyTuple_Check(b)) {
        if (kpy_enter() < 0)
            return NULL;
        kn_array y = kpy_asarray(b, NULL);
        kpy_here();
        PyObject *result = y ? kpy_wrap(f[how](KPY_HANDLE(a), y)) : NULL;
        if (y)
            kn_release(y);
        kpy_leave();
        return result;
    }
    return binary(a, b, f[how]);
}

/* ---- Values. */

/* Runs what x waits for, while other Python threads go on. */
static void evaluate(kn_array x)
{
    if (kpy_in_user())
        return;
    KPY_WITHOUT_GIL(kn_eval(x));
}

static int truth(PyObject *o)
{
    if (kpy_enter() < 0)
        return -1;
    kpy_here();
    int64_t n = kn_size(KPY_HANDLE(o));
    bool b = false;
    if (n > 1)
        PyErr_SetString(PyExc_ValueError, "The truth value of an array with more than one element is ambiguous. Use "
                                          "a.any() or a.all()");
    else if (n == 0)
        PyErr_SetString(PyExc_ValueError,
                        "The truth value of an empty array is ambiguous. Use `array.size > 0` to check "
                        "that an array is not empty.");
    else {
        evaluate(KPY_HANDLE(o));
        b = kn_item_bool(KPY_HANDLE(o));
    }
    int result = PyErr_Occurred() || kpy_failed() ? -1 : b;
    kpy_leave();
    return result;
}

static PyObject *number(PyObject *o, PyObject *(*as)(PyObject *))
{
    if (kpy_enter() < 0)
        return NULL;
    kpy_here();
    PyObject *x = NULL, *y = NULL;
    if (kn_size(KPY_HANDLE(o)) != 1 && !kn_error_pending())
        PyErr_SetString(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
    else {
        evaluate(KPY_HANDLE(o));
        x = kpy_item(KPY_HANDLE(o));
    }
    kpy_leave();
    if (x && PyComplex_Check(x))
        PyErr_SetString(PyExc_TypeError, "int() and float() of a complex array: take .real");
    else if (x)
        y = as(x);
    Py_XDECREF(x);
    return y;
}

static PyObject *as_int(PyObject *o) { return number(o, PyNumber_Long); }
static PyObject *as_float(PyObject *o) { return number(o, PyNumber_Float); }

static PyObject *as_index(PyObject *o)
{
    if (kpy_enter() < 0)
        return NULL;
    kn_dtype d = kn_dtype_of(KPY_HANDLE(o));
    char kind = d ? kn_dtype_kind(d) : 0;
    int ndim = kn_ndim(KPY_HANDLE(o));
    bool failed = kpy_failed();
    kpy_leave();
    if (failed)
        return NULL;
    if ((kind != 'i' && kind != 'u') || ndim != 0) {
        PyErr_SetString(PyExc_TypeError, "only integer scalar arrays can be converted to a scalar index");
        return NULL;
    }
    return number(o, PyNumber_Long);
}

static PyObject *complex_(PyObject *o, PyObject *unused)
{
    PyObject *x = NULL, *y = NULL;
    (void)unused;
    if (kpy_enter() < 0)
        return NULL;
    kpy_here();
    if (kn_size(KPY_HANDLE(o)) != 1 && !kn_error_pending())
        PyErr_SetString(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
    else {
        kn_c128 z = kn_item_complex(KPY_HANDLE(o));
        y = kpy_failed() ? NULL : PyComplex_FromDoubles(z.re, z.im);
    }
    kpy_leave();
    Py_XDECREF(x);
    return y;
}

/* 2,3 */
static PyObject *extents_text(const kn_shape *shape)
{
    PyObject *text = PyUnicode_FromString("");
    for (int i = 0; text && i < shape->ndim; i++) {
        PyObject *more = PyUnicode_FromFormat(i ? "%U,%lld" : "%U%lld", text, (long long)shape->dim[i]);
        Py_DECREF(text);
        text = more;
    }
    return text;
}

static PyObject *text(PyObject *o, const char *(*f)(kn_array, const kn_print_opts *))
{
    if (kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    evaluate(KPY_HANDLE(o));
    kn_print_opts opts = kn_print_opts_default();
    const char *s = f(KPY_HANDLE(o), &opts);
    PyObject *result = NULL;
    if (kn_error_pending() && kn_error_get_kind() == KN_ERROR_CONCRETIZATION) {
        kn_error_clear(); /* a value that is not known has a type */
        kn_shape shape = kn_shape_of(KPY_HANDLE(o));
        PyObject *dtype = kpy_wrap_dtype(kn_dtype_of(KPY_HANDLE(o)));
        PyObject *dims = extents_text(&shape);
        if (dtype && dims)
            result = PyUnicode_FromFormat("%s(%S[%U])", kpy_in_user() ? "JitTracer" : "AbstractArray", dtype, dims);
        Py_XDECREF(dtype);
        Py_XDECREF(dims);
    } else if (!kpy_failed())
        result = PyUnicode_FromString(s ? s : "");
    kpy_leave_scope();
    return result;
}

static PyObject *repr(PyObject *o) { return text(o, kn_array_repr); }
static PyObject *str(PyObject *o) { return text(o, kn_array_str); }

static Py_ssize_t length(PyObject *o)
{
    if (kpy_enter() < 0)
        return -1;
    int64_t n = -1;
    if (kn_ndim(KPY_HANDLE(o)) == 0)
        PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    else
        n = kn_dim(KPY_HANDLE(o), 0);
    if (kpy_failed())
        n = -1;
    kpy_leave();
    return (Py_ssize_t)n;
}

static PyObject *item_at(PyObject *o, Py_ssize_t i)
{
    PyObject *key = PyLong_FromSsize_t(i), *x = key ? kpy_get_item(o, key) : NULL;
    Py_XDECREF(key);
    return x;
}

static PyObject *iterate(PyObject *o)
{
    if (kpy_enter() < 0)
        return NULL;
    int ndim = kn_ndim(KPY_HANDLE(o));
    bool failed = kpy_failed();
    kpy_leave();
    if (failed)
        return NULL;
    if (ndim == 0)
        return PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array"), NULL;
    return PySeqIter_New(o);
}

static int contains(PyObject *o, PyObject *x)
{
    PyObject *equal = compare(o, x, Py_EQ);
    if (!equal || equal == Py_NotImplemented || !KPY_IS_ARRAY(equal)) {
        int result = equal ? 0 : -1;
        Py_XDECREF(equal);
        return result;
    }
    PyObject *any = PyObject_CallMethod(equal, "any", NULL);
    Py_DECREF(equal);
    int result = any ? PyObject_IsTrue(any) : -1;
    Py_XDECREF(any);
    return result;
}

/* x.item(), x.item(i), x.item(i, j) */
static PyObject *item(PyObject *o, PyObject *args)
{
    Py_ssize_t n = PyTuple_Size(args);
    PyObject *x = NULL, *result = NULL, *flat = NULL;
    if (n == 1 && PyTuple_Check(PyTuple_GetItem(args, 0)))
        return item(o, PyTuple_GetItem(args, 0));
    if (kpy_enter() < 0)
        return NULL;
    kpy_here();
    if (n == 0) {
        if (kn_size(KPY_HANDLE(o)) != 1 && !kn_error_pending())
            PyErr_SetString(PyExc_ValueError, "can only convert an array of size 1 to a Python scalar");
        else {
            evaluate(KPY_HANDLE(o));
            result = kpy_item(KPY_HANDLE(o));
        }
    } else if (n == 1 && kn_ndim(KPY_HANDLE(o)) != 1) {
        flat = PyObject_CallMethod(o, "ravel", NULL);
        x = flat ? kpy_get_item(flat, PyTuple_GetItem(args, 0)) : NULL;
    } else if (n > 1 && n != kn_ndim(KPY_HANDLE(o)))
        PyErr_SetString(PyExc_ValueError, "incorrect number of indices for array");
    else
        x = kpy_get_item(o, args);
    if (x)
        result = kpy_item(KPY_HANDLE(x));
    kpy_leave();
    Py_XDECREF(x);
    Py_XDECREF(flat);
    return result;
}

#define BIG_ENDIAN_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* An element in memory as a Python number. */
static PyObject *element_of(const unsigned char *at, kn_dtype d)
{
    char kind = kn_dtype_kind(d);
    size_t size = kn_dtype_size(d);
    float f[2];
    double v[2];
    int64_t i = 0;
    if (kind == 'b')
        return PyBool_FromLong(*at);
    if (kind == 'i' || kind == 'u') {
        memcpy((char *)&i + (BIG_ENDIAN_HERE ? 8 - size : 0), at, size);
        if (kind == 'u')
            return PyLong_FromUnsignedLongLong((uint64_t)i);
        int unused = 64 - 8 * (int)size;
        return PyLong_FromLongLong((int64_t)((uint64_t)i << unused) >> unused);
    }
    if (size == (kind == 'c' ? 16 : 8))
        memcpy(v, at, size);
    else if (size == (kind == 'c' ? 8 : 4)) {
        memcpy(f, at, size);
        v[0] = (double)f[0];
        v[1] = kind == 'c' ? (double)f[1] : 0;
    } else { /* half precision and its kin */
        kn_array x = kn_strong(at, d);
        PyObject *o = kpy_item(x);
        if (x)
            kn_release(x);
        return o;
    }
    return kind == 'c' ? PyComplex_FromDoubles(v[0], v[1]) : PyFloat_FromDouble(v[0]);
}

/* Nested lists of Python numbers, by rows of memory. */
static PyObject *listed(const unsigned char **at, kn_dtype d, const kn_shape *s, int axis)
{
    if (axis == s->ndim) {
        PyObject *o = element_of(*at, d);
        *at += kn_dtype_size(d);
        return o;
    }
    PyObject *list = PyList_New((Py_ssize_t)s->dim[axis]);
    for (int64_t i = 0; list && i < s->dim[axis]; i++) {
        PyObject *o = listed(at, d, s, axis + 1);
        if (!o || PyList_SetItem(list, (Py_ssize_t)i, o) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *tolist(PyObject *o, PyObject *unused)
{
    PyObject *result = NULL;
    (void)unused;
    if (kpy_enter() < 0)
        return NULL;
    kpy_here();
    kn_array x = KPY_HANDLE(o);
    kn_shape s = kn_shape_of(x);
    kn_dtype d = kn_dtype_of(x);
    int64_t bytes = kn_nbytes(x);
    unsigned char *memory = d && bytes >= 0 ? malloc((size_t)bytes + 16) : NULL;
    if (memory)
        evaluate(x);
    if (memory && kn_copy_to(x, memory, (size_t)bytes) == 0) {
        const unsigned char *at = memory;
        result = listed(&at, d, &s, 0);
    }
    if (kpy_failed()) {
        Py_XDECREF(result);
        result = NULL;
    } else if (!memory)
        PyErr_NoMemory();
    free(memory);
    kpy_leave();
    return result;
}

static PyObject *tobytes(PyObject *o, PyObject *args, PyObject *kw)
{
    static char *names[] = {"order", NULL};
    const char *order = "C";
    if (!PyArg_ParseTupleAndKeywords(args, kw, "|z", names, &order) || kpy_enter() < 0)
        return NULL;
    kpy_here();
    kn_array x = KPY_HANDLE(o), y = NULL;
    PyObject *result = NULL;
    if (order && (*order == 'F' || *order == 'f')) {
        kn_transpose_opts opts = kn_transpose_opts_default();
        y = kn_transpose(x, &opts);
        x = y;
    }
    int64_t bytes = kn_nbytes(x);
    if (bytes >= 0 && (result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes))) {
        evaluate(x);
        kn_copy_to(x, PyBytes_AsString(result), (size_t)bytes);
    }
    if (kpy_failed()) {
        Py_XDECREF(result);
        result = NULL;
    }
    if (y)
        kn_release(y);
    kpy_leave();
    return result;
}

static PyObject *block_until_ready(PyObject *o, PyObject *unused)
{
    (void)unused;
    if (kpy_enter() < 0)
        return NULL;
    kpy_here();
    evaluate(KPY_HANDLE(o));
    bool failed = kpy_failed();
    kpy_leave();
    return failed ? NULL : Py_NewRef(o);
}

static PyObject *hash_refused(PyObject *o, PyObject *unused)
{
    (void)o, (void)unused;
    return PyErr_SetString(PyExc_TypeError, "unhashable type: 'Array'"), NULL;
}

/* ---- Attributes. */

#define GETTER(name, expression)                     \
    static PyObject *name(PyObject *o, void *unused) \
    {                                                \
        (void)unused;                                \
        if (kpy_enter() < 0)                         \
            return NULL;                             \
        kpy_here();                                  \
        kn_array x = KPY_HANDLE(o);                  \
        PyObject *result = expression;               \
        if (kpy_failed()) {                          \
            Py_XDECREF(result);                      \
            result = NULL;                           \
        }                                            \
        kpy_leave();                                 \
        return result;                               \
    }

static PyObject *shape_of(kn_array x)
{
    kn_shape s = kn_shape_of(x);
    return kpy_tuple_of_shape(&s);
}

static PyObject *strides_of(kn_array x)
{
    kn_strides s = kn_strides_of(x);
    kn_shape t = {.ndim = s.ndim};
    for (int i = 0; i < s.ndim; i++)
        t.dim[i] = s.stride[i];
    return kpy_tuple_of_shape(&t);
}

static PyObject *flags_of(kn_array x)
{
    kn_flags f = kn_flags_of(x);
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N}", "C_CONTIGUOUS", PyBool_FromLong(f.c_contiguous), "F_CONTIGUOUS",
                         PyBool_FromLong(f.f_contiguous), "OWNDATA", PyBool_FromLong(f.owndata), "WRITEABLE",
                         PyBool_FromLong(f.writeable), "ALIGNED", PyBool_FromLong(f.aligned));
}

static kn_array transposed(kn_array x)
{
    kn_transpose_opts opts = kn_transpose_opts_default();
    return kn_transpose(x, &opts);
}

static PyObject *base_of(kn_array x)
{
    kn_array base = kn_base(x);
    return base ? kpy_wrap(base) : Py_NewRef(Py_None);
}

GETTER(get_shape, shape_of(x))
GETTER(get_strides, strides_of(x))
GETTER(get_flags, flags_of(x))
GETTER(get_dtype, kpy_wrap_dtype(kn_dtype_of(x)))
GETTER(get_ndim, PyLong_FromLong(kn_ndim(x)))
GETTER(get_size, PyLong_FromLongLong(kn_size(x)))
GETTER(get_itemsize, PyLong_FromLongLong(kn_itemsize(x)))
GETTER(get_nbytes, PyLong_FromLongLong(kn_nbytes(x)))
GETTER(get_transposed, kpy_wrap(transposed(x)))
GETTER(get_matrix_transposed, kpy_wrap(kn_matrix_transpose(x)))
GETTER(get_real, kpy_wrap(kn_real(x)))
GETTER(get_imag, kpy_wrap(kn_imag(x)))
GETTER(get_base, base_of(x))

static int set_part(PyObject *o, PyObject *value, const char *name, kn_array (*part)(kn_array))
{
    PyObject *view;
    if (!value)
        return PyErr_Format(PyExc_AttributeError, "cannot delete attribute '%s'", name), -1;
    view = unary(o, part);
    int result = view ? kpy_set_item(view, Py_Ellipsis, value) : -1;
    Py_XDECREF(view);
    return result;
}

static int set_real(PyObject *o, PyObject *v, void *u) { return (void)u, set_part(o, v, "real", kn_real); }
static int set_imag(PyObject *o, PyObject *v, void *u) { return (void)u, set_part(o, v, "imag", kn_imag); }

/* x.shape = shape: Python's part is kiln/numpy/_at.py. */
static int set_shape(PyObject *o, PyObject *value, void *unused)
{
    (void)unused;
    if (!value)
        return PyErr_SetString(PyExc_AttributeError, "Cannot delete array shape"), -1;
    PyObject *done = PyObject_CallMethod(o, "_set_shape", "(O)", value);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static PyGetSetDef getset[] = {{"shape", get_shape, set_shape, "the extents, a tuple; another one may be set", NULL},
                               {"strides", get_strides, NULL, "NumPy's strides, in bytes", NULL},
                               {"flags", get_flags, NULL, "how it lies in memory", NULL},
                               {"dtype", get_dtype, NULL, "what its elements are", NULL},
                               {"ndim", get_ndim, NULL, "the number of axes", NULL},
                               {"size", get_size, NULL, "the number of elements", NULL},
                               {"itemsize", get_itemsize, NULL, "bytes of an element", NULL},
                               {"nbytes", get_nbytes, NULL, "bytes of all elements", NULL},
                               {"T", get_transposed, NULL, "axes reversed: a view", NULL},
                               {"mT", get_matrix_transposed, NULL, "the last two axes swapped: a view", NULL},
                               {"real", get_real, set_real, "real parts: a view", NULL},
                               {"imag", get_imag, set_imag, "imaginary parts: a view", NULL},
                               {"base", get_base, NULL, "the array that it is a view of, or None", NULL},
                               {0}};

/* x._exchange(y): x is what y was, and y what x was. (x.shape = shape) */
static PyObject *exchange(PyObject *x, PyObject *y)
{
    if (!KPY_IS_ARRAY(y))
        return PyErr_Format(PyExc_TypeError, "_exchange: not an array: %R", y);
    if (kpy_enter() < 0)
        return NULL;
    kn_array h = KPY_HANDLE(x);
    bool visitor = ((kpy_array *)x)->visitor;
    KPY_HANDLE(x) = KPY_HANDLE(y);
    ((kpy_array *)x)->visitor = ((kpy_array *)y)->visitor;
    KPY_HANDLE(y) = h;
    ((kpy_array *)y)->visitor = visitor;
    kpy_leave();
    Py_RETURN_NONE;
}

static PyMethodDef own_methods[] = {
    {"_exchange", exchange, METH_O, NULL},
    {"item", item, METH_VARARGS, "item($self, /, *args)\n--\n\nThe element as a Python number."},
    {"tolist", tolist, METH_NOARGS, "tolist($self, /)\n--\n\nNested lists of Python numbers."},
    {"tobytes", (PyCFunction)(void (*)(void))tobytes, METH_VARARGS | METH_KEYWORDS,
     "tobytes($self, /, order='C')\n--\n\nThe elements' bytes."},
    {"block_until_ready", block_until_ready, METH_NOARGS,
     "block_until_ready($self, /)\n--\n\nRuns what the array waits for; returns it."},
    {"__complex__", complex_, METH_NOARGS, NULL},
    {"__dlpack__", (PyCFunction)(void (*)(void))kpy_dlpack, METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "The memory as a capsule of DLPack."},
    {"__dlpack_device__", kpy_dlpack_device, METH_NOARGS, "__dlpack_device__($self, /)\n--\n\n(1, 0): the CPU."},
    {0}};

static Py_hash_t no_hash(PyObject *o) { return hash_refused(o, NULL), -1; }

/* weak references, as caches by identity want them */
static PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(kpy_array, weak), READONLY, NULL}, {0}};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, drop},
    {Py_tp_repr, repr},
    {Py_tp_str, str},
    {Py_tp_hash, no_hash},
    {Py_tp_richcompare, compare},
    {Py_tp_iter, iterate},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {Py_tp_doc, "An array of Kiln's: kiln.numpy makes them. Operations wait until somebody looks, and run fused."},
    {Py_nb_add, add},
    {Py_nb_subtract, subtract},
    {Py_nb_multiply, multiply},
    {Py_nb_true_divide, divide},
    {Py_nb_floor_divide, floor_divide},
    {Py_nb_remainder, remainder_},
    {Py_nb_divmod, divmod_},
    {Py_nb_power, power},
    {Py_nb_matrix_multiply, matmul},
    {Py_nb_and, bit_and},
    {Py_nb_or, bit_or},
    {Py_nb_xor, bit_xor},
    {Py_nb_lshift, left_shift},
    {Py_nb_rshift, right_shift},
    {Py_nb_negative, negative},
    {Py_nb_positive, positive},
    {Py_nb_absolute, absolute},
    {Py_nb_invert, invert},
    {Py_nb_inplace_add, iadd},
    {Py_nb_inplace_subtract, isub},
    {Py_nb_inplace_multiply, imul},
    {Py_nb_inplace_true_divide, idiv},
    {Py_nb_inplace_floor_divide, ifloordiv},
    {Py_nb_inplace_remainder, imod},
    {Py_nb_inplace_power, ipow},
    {Py_nb_inplace_and, iand},
    {Py_nb_inplace_or, ior},
    {Py_nb_inplace_xor, ixor},
    {Py_nb_inplace_lshift, ilshift},
    {Py_nb_inplace_rshift, irshift},
    {Py_nb_inplace_matrix_multiply, imatmul},
    {Py_nb_bool, truth},
    {Py_nb_int, as_int},
    {Py_nb_float, as_float},
    {Py_nb_index, as_index},
    {Py_mp_length, length},
    {Py_mp_subscript, kpy_get_item},
    {Py_mp_ass_subscript, kpy_set_item},
    {Py_sq_length, length},
    {Py_sq_item, item_at},
    {Py_sq_contains, contains},
    {Py_bf_getbuffer, kpy_get_buffer},
    {Py_bf_releasebuffer, kpy_release_buffer},
    {Py_tp_methods, NULL /* set below */},
    {0, NULL}};
static PyType_Spec spec = {"kiln.Array", sizeof(kpy_array), 0, Py_TPFLAGS_DEFAULT, slots};

int kpy_array_make(PyObject *module)
{
    size_t generated = 0, own = sizeof own_methods / sizeof *own_methods;
    while (kpy_array_methods[generated].ml_name)
        generated++;
    PyMethodDef *all = PyMem_Calloc(generated + own, sizeof *all); /* lives as long as the type: for good */
    if (!all)
        return PyErr_NoMemory(), -1;
    memcpy(all, kpy_array_methods, generated * sizeof *all);
    memcpy(all + generated, own_methods, own * sizeof *all);
    for (size_t i = 0; slots[i].slot; i++)
        if (slots[i].slot == Py_tp_methods)
            slots[i].pfunc = all;
    kpy_array_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return kpy_array_type ? PyModule_AddObjectRef(module, "Array", (PyObject *)kpy_array_type) : -1;
}
