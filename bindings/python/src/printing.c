/* SPDX-License-Identifier: Apache-2.0
 * printing.c -- NumPy's print options, with formatters that are Python functions, and arrays as text by them. */
#include "kpy.h"
#include <string.h>

/* ---- Formatters: a dictionary of functions that NumPy's names of kinds lead to. */

static PyObject *text_of_element; /* of the function that was called last */

static const char *element_text(void *env, kn_array element, const char *kind)
{
    PyObject *f = PyDict_GetItemString((PyObject *)env, kind), *x, *text = NULL;
    const char *s = NULL;
    kpy_user_begin();
    x = kpy_item(element);
    if (x && f)
        text = PyObject_CallFunctionObjArgs(f, x, NULL);
    if (text && !PyUnicode_Check(text))
        PyErr_Format(PyExc_TypeError, "the formatter of '%s' has to return a str", kind);
    else if (text)
        s = PyUnicode_AsUTF8AndSize(text, NULL);
    Py_XDECREF(x);
    PyObject *before = text_of_element;
    text_of_element = text;
    Py_XDECREF(before);
    if (PyErr_Occurred())
        kpy_keep_exception();
    kpy_user_end();
    return s ? s : "";
}

#define ELEMENT(name, kind) \
    static const char *name(void *env, kn_array element) { return element_text(env, element, kind); }
ELEMENT(of_all, "all")
ELEMENT(of_int_kind, "int_kind")
ELEMENT(of_float_kind, "float_kind")
ELEMENT(of_complex_kind, "complex_kind")
ELEMENT(of_bool, "bool")
ELEMENT(of_int, "int")
ELEMENT(of_float, "float")
ELEMENT(of_complexfloat, "complexfloat")

/* f: of the functions in the dictionary, which has to outlive it. */
static void formatter_of(PyObject *dict, kn_formatter *f)
{
    struct {
        const char *kind;
        kn_element_text *at, text;
    } all[] = {{"all", &f->all, of_all},
               {"int_kind", &f->int_kind, of_int_kind},
               {"float_kind", &f->float_kind, of_float_kind},
               {"complex_kind", &f->complex_kind, of_complex_kind},
               {"bool", &f->bool_, of_bool},
               {"int", &f->int_, of_int},
               {"float", &f->float_, of_float},
               {"complexfloat", &f->complexfloat, of_complexfloat}};
    *f = (kn_formatter){.env = dict};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (PyDict_GetItemString(dict, all[i].kind))
            *all[i].at = all[i].text;
}

/* ---- Options: a dictionary; what is not in there, or None, is as set. */

static PyObject *given(PyObject *dict, const char *name)
{
    PyObject *o = PyDict_GetItemString(dict, name);
    return o == Py_None ? NULL : o;
}

static int number(PyObject *dict, const char *name, int64_t *to)
{
    PyObject *o = given(dict, name);
    double x;
    if (!o)
        return 0;
    if (PyFloat_Check(o) && (x = PyFloat_AsDouble(o)) > 9e15) /* infinity: all of them */
        return *to = INT64_MAX, 0;
    return kpy_int_of(o, to);
}

static int small(PyObject *dict, const char *name, int *to)
{
    int64_t i = *to;
    if (number(dict, name, &i) < 0)
        return -1;
    *to = i > INT32_MAX ? INT32_MAX : i < INT32_MIN ? INT32_MIN : (int)i;
    return 0;
}

static int words(PyObject *dict, const char *name, const char **to)
{
    PyObject *o = given(dict, name);
    if (o && !PyUnicode_Check(o))
        return PyErr_Format(PyExc_TypeError, "%s has to be a str", name), -1;
    if (o)
        *to = PyUnicode_AsUTF8AndSize(o, NULL);
    return o && !*to ? -1 : 0;
}

static int options_of(PyObject *dict, kn_print_opts *opts, kn_formatter *formatter)
{
    const char *sign = NULL;
    PyObject *f = given(dict, "formatter");
    *opts = kn_print_opts_default();
    if (small(dict, "precision", &opts->precision) < 0 || number(dict, "threshold", &opts->threshold) < 0 ||
        small(dict, "edgeitems", &opts->edgeitems) < 0 || small(dict, "linewidth", &opts->linewidth) < 0 ||
        small(dict, "suppress", &opts->suppress) < 0 || words(dict, "floatmode", &opts->floatmode) < 0 ||
        words(dict, "sign", &sign) < 0 || words(dict, "nanstr", &opts->nanstr) < 0 ||
        words(dict, "infstr", &opts->infstr) < 0)
        return -1;
    opts->sign = sign ? *sign : 0;
    if (f && PyDict_Check(f)) {
        formatter_of(f, formatter);
        opts->formatter = formatter;
    }
    return 0;
}

static PyObject *set_options(PyObject *module, PyObject *dict)
{
    static kn_formatter kept;
    static PyObject *kept_dict;
    kn_print_opts opts;
    PyObject *f = given(dict, "formatter");
    (void)module;
    if (kpy_enter() < 0)
        return NULL;
    bool done = false;
    if (options_of(dict, &opts, &kept) == 0) {
        kn_set_printoptions(&opts);
        done = !kpy_failed();
    }
    if (done) {
        Py_XINCREF(f);
        PyObject *before = kept_dict;
        kept_dict = f;
        Py_XDECREF(before);
    }
    kpy_leave();
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *get_options(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    if (kpy_enter() < 0)
        return NULL;
    kn_scope scope = kn_scope_begin(); /* of the texts */
    kn_print_opts o = kn_get_printoptions();
    char sign[2] = {o.sign, 0};
    PyObject *result =
        Py_BuildValue("{s:i,s:L,s:i,s:i,s:N,s:s,s:s,s:s,s:s,s:O}", "precision", o.precision, "threshold",
                      (long long)o.threshold, "edgeitems", o.edgeitems, "linewidth", o.linewidth, "suppress",
                      PyBool_FromLong(o.suppress), "nanstr", o.nanstr, "infstr", o.infstr, "sign", sign, "floatmode",
                      o.floatmode, "formatter", o.formatter ? (PyObject *)o.formatter->env : Py_None);
    if (kpy_failed()) {
        Py_XDECREF(result);
        result = NULL;
    }
    kn_scope_end(&scope);
    kpy_leave();
    return result;
}

/* array_text(x, kind, options): kind "repr", "str", or "elements" for array2string. */
static PyObject *array_text(PyObject *module, PyObject *args)
{
    PyObject *o, *dict, *result = NULL;
    const char *kind, *text = NULL;
    kn_print_opts opts;
    kn_formatter formatter;
    kpy_operand x = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "OsO!", &o, &kind, &PyDict_Type, &dict) || kpy_enter() < 0)
        return NULL;
    kpy_here();
    kn_scope scope = kn_scope_begin(); /* of the text */
    if (options_of(dict, &opts, &formatter) == 0 && kpy_operand_of(o, &x) == 0) {
        if (!strcmp(kind, "repr"))
            text = kn_array_repr(x.h, &opts);
        else if (!strcmp(kind, "str"))
            text = kn_array_str(x.h, &opts);
        else {
            kn_array2string_opts o2 = kn_array2string_opts_default();
            o2.max_line_width = opts.linewidth;
            o2.precision = opts.precision;
            o2.suppress_small = opts.suppress;
            o2.formatter = opts.formatter;
            o2.threshold = opts.threshold;
            o2.edgeitems = opts.edgeitems;
            o2.sign = opts.sign;
            o2.floatmode = opts.floatmode;
            if (words(dict, "separator", &o2.separator) == 0 && words(dict, "prefix", &o2.prefix) == 0 &&
                words(dict, "suffix", &o2.suffix) == 0)
                text = kn_array2string(x.h, &o2);
        }
        if (!PyErr_Occurred() && !kpy_failed())
            result = PyUnicode_FromString(text ? text : "");
    }
    kpy_operand_drop(&x);
    kn_scope_end(&scope);
    kpy_leave();
    return result;
}

static PyMethodDef functions[] = {
    {"set_printoptions", set_options, METH_O, "set_printoptions(options)\n--\n\nA dictionary of NumPy's names."},
    {"get_printoptions", get_options, METH_NOARGS, "get_printoptions()\n--\n\nAll of them."},
    {"array_text", array_text, METH_VARARGS, "array_text(x, kind, options)\n--\n\nAn array as text."},
    {0}};

int kpy_printing_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
