/* SPDX-License-Identifier: Apache-2.0
 * text.c -- numbers in texts: loadtxt, genfromtxt and savetxt, of texts that Python has read or will write. Options
 * come as a dictionary of NumPy's names. */
#include "kpy.h"
#include <stdlib.h>
#include <string.h>

/* What the options point to, until the call is over. */
typedef struct kept {
    kn_int_list usecols, widths;
    kn_text_list comments;
    kn_text_columns columns;
    kn_dtype dtype;
    kpy_operand filling, *fillings;
    void *memory[8];
    int n_memory, n_fillings;
} kept;

static void *room(kept *k, size_t n, size_t each)
{
    void *at = k->n_memory < 8 ? PyMem_Calloc(n + 1, each) : NULL;
    if (at)
        k->memory[k->n_memory++] = at;
    else
        PyErr_NoMemory();
    return at;
}

static void drop(kept *k)
{
    kpy_operand_drop(&k->filling);
    for (int i = 0; i < k->n_fillings; i++)
        kpy_operand_drop(&k->fillings[i]);
    for (int i = 0; i < k->n_memory; i++)
        PyMem_Free(k->memory[i]);
}

static PyObject *given(PyObject *options, const char *name)
{
    PyObject *o = PyDict_GetItemString(options, name);
    return o == Py_None ? NULL : o;
}

static int words(PyObject *options, const char *name, const char **to)
{
    PyObject *o = given(options, name);
    *to = NULL;
    if (o && !PyUnicode_Check(o))
        return PyErr_Format(PyExc_TypeError, "%s has to be a str", name), -1;
    return o && !(*to = PyUnicode_AsUTF8AndSize(o, NULL)) ? -1 : 0;
}

static int number(PyObject *options, const char *name, int64_t *to)
{
    PyObject *o = given(options, name);
    return o ? kpy_int_of(o, to) : 0;
}

static int flag(PyObject *options, const char *name, bool *to)
{
    PyObject *o = given(options, name);
    int b = o ? PyObject_IsTrue(o) : *to;
    *to = b > 0;
    return b < 0 ? -1 : 0;
}

static int integers(kept *k, PyObject *o, kn_int_list *list)
{
    PyObject *all = PySequence_List(o);
    Py_ssize_t n = all ? PyList_Size(all) : -1;
    int64_t *v = n >= 0 ? room(k, (size_t)n, sizeof *v) : NULL;
    for (Py_ssize_t i = 0; v && i < n; i++)
        if (kpy_int_of(PyList_GetItem(all, i), &v[i]) < 0)
            v = NULL;
    Py_XDECREF(all);
    memcpy(list, &(kn_int_list){(int)n, v}, sizeof *list);
    return v ? 0 : -1;
}

static int texts(kept *k, PyObject *list, kn_text_list *to)
{
    Py_ssize_t n = PyList_Size(list);
    const char **v = n >= 0 ? room(k, (size_t)n, sizeof *v) : NULL;
    for (Py_ssize_t i = 0; v && i < n; i++)
        if (!(v[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL)))
            v = NULL;
    *to = (kn_text_list){(int)n, v};
    return v ? 0 : -1;
}

/* ---- Converters: Python functions of a field's text. */

typedef struct converter {
    PyObject *f;
    kn_dtype dtype;
} converter;

static bool convert(void *env, const char *field, size_t length, void *element)
{
    const converter *c = env;
    PyGILState_STATE gil = PyGILState_Ensure();
    kpy_user_begin();
    PyObject *value = PyObject_CallFunction(c->f, "s#", field, (Py_ssize_t)length);
    kn_array x = value ? kpy_asarray(value, c->dtype) : NULL;
    bool done = x && kn_copy_to(x, element, kn_dtype_size(c->dtype)) == 0;
    if (x)
        kn_release(x);
    Py_XDECREF(value);
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear(); /* the field is none: the error tells its row and column */
    else if (PyErr_Occurred())
        kpy_keep_exception();
    kpy_user_end();
    PyGILState_Release(gil);
    return done;
}

static converter *converter_of(kept *k, PyObject *f)
{
    converter *c = room(k, 1, sizeof *c);
    if (c)
        *c = (converter){f, k->dtype};
    return c;
}

/* {column: function} and {column: [missing, filling]} */
static int columns_of(kept *k, PyObject *converters, PyObject *per_column)
{
    Py_ssize_t n = converters ? PyDict_Size(converters) : 0, m = per_column ? PyDict_Size(per_column) : 0, at = 0,
               pos = 0;
    kn_text_column *v = room(k, (size_t)(n + m), sizeof *v);
    converter *c = v ? room(k, (size_t)n, sizeof *c) : NULL;
    PyObject *key, *value;
    k->fillings = c ? room(k, (size_t)m, sizeof *k->fillings) : NULL;
    if (!k->fillings)
        return -1;
    while (converters && PyDict_Next(converters, &pos, &key, &value)) {
        c[at] = (converter){value, k->dtype};
        v[at] = (kn_text_column){.convert = convert, .env = &c[at]};
        if (kpy_int_of(key, &v[at++].column) < 0)
            return -1;
    }
    for (pos = 0; per_column && PyDict_Next(per_column, &pos, &key, &value);) {
        int64_t column;
        Py_ssize_t i = 0;
        PyObject *missing = PyList_GetItem(value, 0), *filling = PyList_GetItem(value, 1);
        if (!missing || !filling || kpy_int_of(key, &column) < 0)
            return -1;
        while (i < at && v[i].column != column)
            i++;
        at += i == at;
        v[i].column = column;
        if (missing != Py_None && !(v[i].missing_values = PyUnicode_AsUTF8AndSize(missing, NULL)))
            return -1;
        if (filling != Py_None) {
            kpy_operand *x = &k->fillings[k->n_fillings];
            if (kpy_operand_of(filling, x) < 0)
                return -1;
            k->n_fillings++;
            v[i].filling_value = x->h;
        }
    }
    k->columns = (kn_text_columns){(int)at, v};
    return 0;
}

/* ---- The three functions. */

static int loadtxt_options(PyObject *d, kept *k, kn_loadtxt_opts *o)
{
    int64_t ndmin = 0;
    PyObject *dtype = PyDict_GetItemString(d, "dtype"), *cols = given(d, "usecols"), *f = given(d, "converters");
    if (kpy_dtype_of(dtype ? dtype : Py_None, &o->dtype) < 0 || words(d, "delimiter", &o->delimiter) < 0 ||
        words(d, "quotechar", &o->quotechar) < 0 || number(d, "skiprows", &o->skiprows) < 0 ||
        number(d, "max_rows", &o->max_rows) < 0 || number(d, "ndmin", &ndmin) < 0 ||
        flag(d, "unpack", &o->unpack) < 0 || texts(k, PyDict_GetItemString(d, "comments"), &k->comments) < 0)
        return -1;
    o->ndmin = (int)ndmin;
    o->comments = NULL;
    if (k->comments.n == 1)
        o->comments = k->comments.v[0];
    else if (k->comments.n > 1)
        o->several_comments = &k->comments;
    k->dtype = o->dtype ? o->dtype : kn_dtype_named("float");
    if (cols && integers(k, cols, &k->usecols) < 0)
        return -1;
    o->usecols = cols ? &k->usecols : NULL;
    if (f && !PyDict_Check(f)) {
        o->converter = convert;
        o->env = converter_of(k, f);
        return o->env ? 0 : -1;
    }
    if (f && columns_of(k, f, NULL) < 0)
        return -1;
    o->converters = f ? &k->columns : NULL;
    return 0;
}

static PyObject *loadtxt(PyObject *module, PyObject *args)
{
    kn_loadtxt_opts opts = kn_loadtxt_opts_default();
    kept k = {0};
    PyObject *d, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO!", &opts.text, &PyDict_Type, &d) || kpy_enter() < 0)
        return NULL;
    if (loadtxt_options(d, &k, &opts) == 0) {
        kpy_here();
        result = kpy_wrap(kn_loadtxt(NULL, &opts));
    }
    drop(&k);
    kpy_leave();
    return result;
}

static int genfromtxt_options(PyObject *d, kept *k, kn_genfromtxt_opts *o)
{
    int64_t ndmin = 0;
    PyObject *dtype = PyDict_GetItemString(d, "dtype"), *cols = given(d, "usecols"), *f = given(d, "converters"),
             *filling = given(d, "filling_values"), *delimiter = given(d, "delimiter"), *per = given(d, "per_column");
    o->detect = dtype == Py_None;
    if (kpy_dtype_of(dtype ? dtype : Py_None, &o->dtype) < 0 || words(d, "comments", &o->comments) < 0 ||
        number(d, "skip_header", &o->skip_header) < 0 || number(d, "skip_footer", &o->skip_footer) < 0 ||
        number(d, "max_rows", &o->max_rows) < 0 || number(d, "ndmin", &ndmin) < 0 ||
        flag(d, "unpack", &o->unpack) < 0 || flag(d, "autostrip", &o->autostrip) < 0 ||
        flag(d, "loose", &o->loose) < 0 || flag(d, "invalid_raise", &o->invalid_raise) < 0 ||
        words(d, "missing_values", &o->missing_values) < 0)
        return -1;
    o->ndmin = (int)ndmin;
    if (delimiter && PyUnicode_Check(delimiter))
        o->delimiter = PyUnicode_AsUTF8AndSize(delimiter, NULL);
    else if (delimiter) { /* widths of the fields: of all, or of each */
        PyObject *list = PySequence_Check(delimiter) ? Py_NewRef(delimiter) : Py_BuildValue("(O)", delimiter);
        int failed = list ? integers(k, list, &k->widths) : -1;
        Py_XDECREF(list);
        if (failed)
            return -1;
        o->widths = &k->widths;
    }
    k->dtype = o->dtype ? o->dtype : kn_dtype_named("float");
    if (cols && integers(k, cols, &k->usecols) < 0)
        return -1;
    o->usecols = cols ? &k->usecols : NULL;
    if (filling && kpy_operand_of(filling, &k->filling) < 0)
        return -1;
    o->filling_values = k->filling.h;
    if (columns_of(k, f && PyDict_Check(f) ? f : NULL, per) < 0)
        return -1;
    o->columns = k->columns.n ? &k->columns : NULL;
    return 0;
}

static PyObject *genfromtxt(PyObject *module, PyObject *args)
{
    kn_genfromtxt_opts opts = kn_genfromtxt_opts_default();
    kept k = {0};
    PyObject *d, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO!", &opts.text, &PyDict_Type, &d) || kpy_enter() < 0)
        return NULL;
    if (genfromtxt_options(d, &k, &opts) == 0) {
        kpy_here();
        result = kpy_wrap(kn_genfromtxt(NULL, &opts));
    }
    drop(&k);
    kpy_leave();
    return result;
}

static int savetxt_options(PyObject *d, kept *k, kn_savetxt_opts *o)
{
    PyObject *fmt = given(d, "fmt");
    if (words(d, "delimiter", &o->delimiter) < 0 || words(d, "newline", &o->newline) < 0 ||
        words(d, "header", &o->header) < 0 || words(d, "footer", &o->footer) < 0 ||
        words(d, "comments", &o->comments) < 0)
        return -1;
    if (fmt && PyList_Check(fmt)) {
        o->fmts = &k->comments;
        return texts(k, fmt, &k->comments);
    }
    return words(d, "fmt", &o->fmt);
}

static PyObject *savetxt(PyObject *module, PyObject *args)
{
    kn_savetxt_opts opts = kn_savetxt_opts_default();
    kept k = {0};
    PyObject *d, *o, *result = NULL;
    char *text = NULL;
    size_t size = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!", &o, &PyDict_Type, &d) || kpy_enter() < 0)
        return NULL;
    if (savetxt_options(d, &k, &opts) == 0 && kpy_operand_of(o, &k.filling) == 0) {
        opts.file = open_memstream(&text, &size);
        if (opts.file) {
            kpy_here();
            kn_savetxt(NULL, k.filling.h, &opts);
            fclose(opts.file);
            result = kpy_failed() ? NULL : PyUnicode_FromStringAndSize(text, (Py_ssize_t)size);
            free(text);
        } else
            PyErr_NoMemory();
    }
    drop(&k);
    kpy_leave();
    return result;
}

static PyMethodDef functions[] = {
    {"loadtxt", loadtxt, METH_VARARGS, "loadtxt(text, options)\n--\n\nRows of numbers."},
    {"genfromtxt", genfromtxt, METH_VARARGS,
     "genfromtxt(text, options)\n--\n\nRows of numbers, of which some are missing."},
    {"savetxt", savetxt, METH_VARARGS, "savetxt(x, options)\n--\n\nThe text of an array's rows."},
    {0}};

int kpy_text_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
