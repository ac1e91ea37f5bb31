/* SPDX-License-Identifier: Apache-2.0
 * dtype.c -- dtypes as Python objects: kiln.float32 and its kin. Called, one makes an array of that dtype. Texts,
 * Python's types, and dtypes of NumPy and ml_dtypes (by their names) are taken wherever a dtype is wanted. */
#include "kpy.h"
#include <string.h>

PyTypeObject *kpy_dtype_type;
static PyObject *made[64]; /* one object for each built-in dtype */
static const kn_dtype *builtin(int *n)
{
    static kn_dtype d[33];
    if (!d[0])
        for (int i = 0; i < 33; i++)
            d[i] = kn_dtype_builtin(i);
    *n = 33;
    return d;
}

PyObject *kpy_wrap_dtype(kn_dtype d)
{
    int n;
    const kn_dtype *all = builtin(&n);
    if (!d)
        Py_RETURN_NONE;
    for (int i = 0; i < n; i++)
        if (all[i] == d && made[i])
            return Py_NewRef(made[i]);
    allocfunc alloc = (allocfunc)PyType_GetSlot(kpy_dtype_type, Py_tp_alloc);
    kpy_dtype *o = (kpy_dtype *)alloc(kpy_dtype_type, 0);
    if (!o)
        return NULL;
    o->d = d;
    for (int i = 0; i < n; i++)
        if (all[i] == d)
            made[i] = Py_NewRef((PyObject *)o);
    return (PyObject *)o;
}

static int named(const char *name, kn_dtype *d)
{
    if (kpy_enter() < 0)
        return -1;
    *d = kn_dtype_named(name);
    bool failed = kpy_failed();
    kpy_leave();
    return failed ? -1 : 1;
}

/* The name that an object's class or the object itself has as a dtype of NumPy's. */
static int by_attribute(PyObject *o, kn_dtype *d)
{
    bool is_class = PyType_Check(o);
    PyObject *name = PyObject_GetAttrString(o, is_class ? "__name__" : "name");
    PyObject *module = is_class ? PyObject_GetAttrString(o, "__module__") : PyObject_GetAttrString(o, "itemsize");
    PyErr_Clear();
    const char *s = name && module && PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const char *m = is_class && module && PyUnicode_Check(module) ? PyUnicode_AsUTF8AndSize(module, NULL) : NULL;
    PyErr_Clear();
    int found = 0;
    if (s && (!is_class || (m && (!strncmp(m, "numpy", 5) || !strncmp(m, "ml_dtypes", 9))))) {
        if (is_class && !strcmp(s, "bool_"))
            s = "bool";
        found = named(s, d);
        /* a dtype in another byte order has the same name: it is taken for its values, which are converted */
    }
    Py_XDECREF(name);
    Py_XDECREF(module);
    return found;
}

int kpy_dtype_try(PyObject *o, kn_dtype *d)
{
    *d = NULL;
    if (Py_TYPE(o) == kpy_dtype_type) {
        *d = ((kpy_dtype *)o)->d;
        return 1;
    }
    if (PyUnicode_Check(o)) {
        const char *s = PyUnicode_AsUTF8AndSize(o, NULL);
        return s ? named(s, d) : -1;
    }
    if (o == (PyObject *)&PyFloat_Type)
        return named("float", d);
    if (o == (PyObject *)&PyLong_Type)
        return named("int", d);
    if (o == (PyObject *)&PyBool_Type)
        return named("bool", d);
    if (o == (PyObject *)&PyComplex_Type)
        return named("complex", d);
    return by_attribute(o, d);
}

int kpy_dtype_of(PyObject *o, kn_dtype *d)
{
    *d = NULL;
    if (o == Py_None)
        return 0;
    int found = kpy_dtype_try(o, d);
    if (!found)
        PyErr_Format(PyExc_TypeError, "Cannot interpret '%R' as a data type", o);
    return found > 0 ? 0 : -1;
}

static kn_dtype of(PyObject *o) { return ((kpy_dtype *)o)->d; }

static void drop(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    ((freefunc)PyType_GetSlot(t, Py_tp_free))(o);
    Py_DECREF(t);
}

static PyObject *repr(PyObject *o) { return PyUnicode_FromFormat("dtype('%s')", kn_dtype_name(of(o))); }
static PyObject *str(PyObject *o) { return PyUnicode_FromString(kn_dtype_name(of(o))); }
static Py_hash_t hash(PyObject *o) { return (Py_hash_t)((uintptr_t)of(o) >> 4); }

/* a < b and its kin: may every number of a be cast to b? (numpy.dtype.__lt__) */
static PyObject *order(kn_dtype a, PyObject *b, int how)
{
    kn_dtype d;
    bool greater = how == Py_GT || how == Py_GE;
    int found = b == Py_None ? 0 : kpy_dtype_try(b, &d);
    PyErr_Clear();
    if (found <= 0)
        Py_RETURN_NOTIMPLEMENTED;
    if (kpy_enter() < 0)
        return NULL;
    bool fits =
        kn_can_cast((kn_dtype_like){.dtype = greater ? d : a}, (kn_dtype_like){.dtype = greater ? a : d}, "safe");
    bool failed = kpy_failed();
    kpy_leave();
    return failed ? NULL : PyBool_FromLong(fits && (a != d || how == Py_LE || how == Py_GE));
}

static PyObject *compare(PyObject *a, PyObject *b, int how)
{
    kn_dtype d;
    if (how != Py_EQ && how != Py_NE)
        return order(of(a), b, how);
    int found = b == Py_None ? 0 : kpy_dtype_try(b, &d);
    if (found < 0)
        PyErr_Clear();
    return PyBool_FromLong((found > 0 && d == of(a)) == (how == Py_EQ));
}

/* float32(x) is an array, as jax.numpy's; dtype(x) of the class is a dtype. */
static PyObject *call(PyObject *self, PyObject *args, PyObject *kw)
{
    PyObject *x;
    if (kw && PyDict_Size(kw))
        return PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", kn_dtype_name(of(self)));
    if (!PyTuple_Size(args)) /* nothing is zero */
        x = PyLong_FromLong(0);
    else if (kn_dtype_kind(of(self)) == 'c' && PyTuple_Size(args) == 2) /* real and imaginary part */
        x = PyObject_CallObject((PyObject *)&PyComplex_Type, args);
    else
        x = PyArg_ParseTuple(args, "O", &x) ? Py_NewRef(x) : NULL;
    if (!x || kpy_enter() < 0) {
        Py_XDECREF(x);
        return NULL;
    }
    kpy_here();
    kn_array a = kpy_asarray(x, of(self));
    PyObject *result = a ? kpy_wrap(a) : NULL;
    kpy_leave();
    Py_DECREF(x);
    return result;
}

/* isinstance(x, float32): is x an element, an array of no axes, of that dtype? */
static PyObject *is_instance(PyObject *self, PyObject *x)
{
    if (!KPY_IS_ARRAY(x))
        Py_RETURN_FALSE;
    if (kpy_enter() < 0)
        return NULL;
    bool yes = kn_ndim(KPY_HANDLE(x)) == 0 && kn_dtype_of(KPY_HANDLE(x)) == of(self);
    kpy_leave();
    return PyBool_FromLong(yes);
}

/* The same dtype of NumPy's, which asks for it where it wants a dtype. ml_dtypes has those that NumPy has not. */
static PyObject *get_numpys(PyObject *o, void *u)
{
    (void)u;
    PyObject *numpy = PyImport_ImportModule("numpy"), *more = NULL, *class = NULL;
    PyObject *d = numpy ? PyObject_CallMethod(numpy, "dtype", "s", kn_dtype_name(of(o))) : NULL;
    if (numpy && !d) {
        PyErr_Clear();
        more = PyImport_ImportModule("ml_dtypes");
        class = more ? PyObject_GetAttrString(more, kn_dtype_name(of(o))) : NULL;
        d = class ? PyObject_CallMethod(numpy, "dtype", "O", class) : NULL;
    }
    Py_XDECREF(class);
    Py_XDECREF(more);
    Py_XDECREF(numpy);
    return d;
}

/* Arrays have the machine's order only: a text that means another one is the error that such a dtype is. */
static PyObject *newbyteorder(PyObject *self, PyObject *args)
{
    const char *order = "S";
    if (!PyArg_ParseTuple(args, "|s", &order))
        return NULL;
    const char *text = kn_dtype_str(of(self));
    if (!strchr("sSnN=iI|<>lLbB", *order) || !*order)
        return PyErr_Format(PyExc_ValueError, "byteorder not recognized (got '%s')", order);
    bool big = strchr(">bB", *order), swap = strchr("sS", *order), little = strchr("<lL", *order);
    bool other = *text != '|' && (swap || (big && *text == '<') || (little && *text == '>'));
    if (!other)
        return Py_NewRef(self);
    kn_dtype d;
    PyObject *wanted = PyUnicode_FromFormat("%c%s", *text == '<' ? '>' : '<', text + 1);
    int found = wanted ? kpy_dtype_of(wanted, &d) : -1;
    Py_XDECREF(wanted);
    return found < 0 ? NULL : kpy_wrap_dtype(d);
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *names[] = {"dtype", NULL};
    PyObject *o;
    kn_dtype d;
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O", names, &o))
        return NULL;
    if (o == Py_None)
        o = (PyObject *)&PyFloat_Type;
    return kpy_dtype_of(o, &d) < 0 ? NULL : kpy_wrap_dtype(d);
}

static PyObject *get_name(PyObject *o, void *u) { return (void)u, str(o); }
static PyObject *get_itemsize(PyObject *o, void *u) { return (void)u, PyLong_FromSize_t(kn_dtype_size(of(o))); }
static PyObject *get_str(PyObject *o, void *u) { return (void)u, PyUnicode_FromString(kn_dtype_str(of(o))); }
static PyObject *get_alignment(PyObject *o, void *u) { return (void)u, PyLong_FromSize_t(kn_dtype_alignment(of(o))); }
static PyObject *get_num(PyObject *o, void *u) { return (void)u, PyLong_FromLong(kn_dtype_num(of(o))); }
static PyObject *get_one(PyObject *o, void *u) { return (void)o, (void)u, PyLong_FromLong(1); }
static PyObject *get_false(PyObject *o, void *u) { return (void)o, (void)u, PyBool_FromLong(0); }
static PyObject *get_descr(PyObject *o, void *u) { return (void)u, Py_BuildValue("[(ss)]", "", kn_dtype_str(of(o))); }
static PyObject *get_same(PyObject *o, void *u) { return (void)u, Py_NewRef(o); }
static PyObject *get_zero(PyObject *o, void *u) { return (void)o, (void)u, PyLong_FromLong(0); }
static PyObject *get_true(PyObject *o, void *u) { return (void)o, (void)u, PyBool_FromLong(1); }
static PyObject *get_none(PyObject *o, void *u)
{
    (void)o, (void)u;
    Py_RETURN_NONE;
}
static PyObject *get_shape(PyObject *o, void *u) { return (void)o, (void)u, PyTuple_New(0); }
static PyObject *letter(char c) { return PyUnicode_FromStringAndSize(&c, 1); }
static PyObject *get_kind(PyObject *o, void *u) { return (void)u, letter(kn_dtype_kind(of(o))); }
static PyObject *get_char(PyObject *o, void *u) { return (void)u, letter(kn_dtype_char(of(o))); }
static PyObject *get_byteorder(PyObject *o, void *u) { return (void)u, letter(kn_dtype_byteorder(of(o))); }

static PyObject *reduce(PyObject *o, PyObject *unused)
{
    (void)unused;
    return Py_BuildValue("O(s)", (PyObject *)kpy_dtype_type, kn_dtype_name(of(o)));
}

static PyGetSetDef getset[] = {{"name", get_name, NULL, "the name, \"float32\"", NULL},
                               {"itemsize", get_itemsize, NULL, "bytes of an element", NULL},
                               {"str", get_str, NULL, "NumPy's text, \"<f4\"", NULL},
                               {"kind", get_kind, NULL, "b i u f c k", NULL},
                               {"char", get_char, NULL, "NumPy's letter", NULL},
                               {"num", get_num, NULL, "NumPy's number", NULL},
                               {"alignment", get_alignment, NULL, "in bytes", NULL},
                               {"byteorder", get_byteorder, NULL, "'=' or '|'", NULL},
                               {"base", get_same, NULL, "itself", NULL},
                               {"type", get_same, NULL, "what makes its elements: itself", NULL},
                               {"dtype", get_same, NULL, "itself", NULL},
                               {"__name__", get_name, NULL, "the name, as the one of a class", NULL},
                               {"__numpy_dtype__", get_numpys, NULL, "NumPy's dtype", NULL},
                               {"ndim", get_zero, NULL, "0", NULL},
                               {"shape", get_shape, NULL, "()", NULL},
                               {"isnative", get_true, NULL, "true", NULL},
                               {"names", get_none, NULL, "None: no dtype has fields", NULL},
                               {"fields", get_none, NULL, "None: no dtype has fields", NULL},
                               {"subdtype", get_none, NULL, "None", NULL},
                               {"descr", get_descr, NULL, "NumPy's list of fields, [('', '<f4')]", NULL},
                               {"isbuiltin", get_one, NULL, "1", NULL},
                               {"hasobject", get_false, NULL, "false: there are no Python objects in arrays", NULL},
                               {0}};
static PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, "for pickle"},
    {"__instancecheck__", is_instance, METH_O, "Is it an element of this dtype?"},
    {"newbyteorder", newbyteorder, METH_VARARGS,
     "newbyteorder($self, new_order='S', /)\n--\n\nThe dtype in another byte order, which arrays never have here."},
    {0}};
static PyType_Slot slots[] = {
    {Py_tp_dealloc, drop},
    {Py_tp_repr, repr},
    {Py_tp_str, str},
    {Py_tp_hash, hash},
    {Py_tp_richcompare, compare},
    {Py_tp_call, call},
    {Py_tp_new, new},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_doc,
     "dtype(dtype)\n--\n\nWhat elements of an array are; dtype(\"float32\"), dtype(int), dtype(np.float16)."},
    {0, NULL}};
static PyType_Spec spec = {"kiln.dtype", sizeof(kpy_dtype), 0, Py_TPFLAGS_DEFAULT, slots};

int kpy_dtype_make(PyObject *module)
{
    int n;
    const kn_dtype *all = builtin(&n);
    kpy_dtype_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!kpy_dtype_type || PyModule_AddObjectRef(module, "dtype", (PyObject *)kpy_dtype_type) < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        PyObject *o = kpy_wrap_dtype(all[i]);
        if (!o || PyModule_AddObjectRef(module, kn_dtype_name(all[i]), o) < 0)
            return -1;
        Py_DECREF(o);
    }
    return 0;
}
