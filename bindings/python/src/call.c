/* SPDX-License-Identifier: Apache-2.0
 * call.c -- calls of the public functions. A row of the generated table says what a function takes under which names;
 * the code here binds Python's arguments to it, converts each by its kind, calls, and wraps the result by its kind. */
#include "function.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_HELD = KNB_MAX_PARAMETERS };

/* What one call needs besides its arguments. */
typedef struct state {
    const knb_row *row;
    PyObject *rest; /* what *args took; owned */
    PyObject *out;  /* borrowed: NumPy's out= */
    kpy_place place;
    int n_held, n_lists, n_memory, n_out;
    union {
        kn_array array;
        kn_list list;
        int64_t integer;
        double number;
        const char *string;
        bool truth;
        char character;
        kn_dtype dtype;
        kn_dtype_like like;
        kn_tree tree;
    } argument[KNB_MAX_ARGUMENTS];
    /* What follows is not cleared: of it there is as much as is counted above and in the row. */
    PyObject *value[KNB_MAX_PARAMETERS]; /* borrowed; NULL: not given */
    kpy_operand held[MAX_HELD];
    kn_list lists[4];
    void *memory[KNB_MAX_PARAMETERS]; /* shapes and axes */
    kn_array out_array[4];            /* what options of the kind KNB_OUT_ARRAY get */
    knb_call call;
    max_align_t options[KNB_OPTION_BYTES / sizeof(max_align_t)];
} state;

static int fail_type(const char *format, const char *name, const char *word)
{
    PyErr_Format(PyExc_TypeError, format, name, word);
    return -1;
}

/* ---- Binding: to each parameter its object, borrowed; NULL where none was given. */

int kpy_bind(const knb_row *row, PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
             PyObject **value, PyObject **rest)
{
    Py_ssize_t at = 0, given = nargs + (self != NULL);
    if (self)
        value[at++] = self;
    for (Py_ssize_t i = 0; i < nargs; i++, at++) {
        if (at < row->n_positional && !row->param[at].rest) {
            value[at] = args[i];
            continue;
        }
        if (at < row->n_params && row->param[at].rest) { /* *args: the rest of them */
            *rest = PyTuple_New(nargs - i);
            for (Py_ssize_t k = i; *rest && k < nargs; k++)
                if (PyTuple_SetItem(*rest, k - i, Py_NewRef(args[k])) < 0)
                    return -1;
            value[at] = *rest;
            if (!*rest)
                return -1;
            break;
        }
        PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd were given", row->name,
                     (int)row->n_required, (int)row->n_positional, given);
        return -1;
    }
    Py_ssize_t n = kwnames ? PyTuple_Size(kwnames) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(kwnames, i), NULL);
        int p = 0;
        if (!name)
            return -1;
        while (p < row->n_params &&
               (row->param[p].positional_only || row->param[p].rest || strcmp(row->param[p].name, name)))
            p++;
        if (p == row->n_params)
            return fail_type("%s() got an unexpected keyword argument '%s'", row->name, name);
        if (value[p])
            return fail_type("%s() got multiple values for argument '%s'", row->name, name);
        value[p] = args[nargs + i];
    }
    for (int p = 0; p < row->n_params; p++)
        if (row->param[p].required && !value[p])
            return fail_type("%s() missing required argument '%s'", row->name, row->param[p].name);
    return 0;
}

/* ---- Conversion. */

static void *room(state *s, size_t bytes)
{
    void *memory = PyMem_Calloc(1, bytes);
    if (memory)
        s->memory[s->n_memory++] = memory;
    else
        PyErr_NoMemory();
    return memory;
}

static void *special_room(void *s, size_t bytes) { return room(s, bytes); }

static int to_array(state *s, PyObject *o, kn_array *to, int (*convert)(PyObject *, kpy_operand *))
{
    kpy_operand *x = &s->held[s->n_held];
    if (convert(o, x) < 0)
        return -1;
    s->n_held++;
    *to = x->h;
    return 0;
}

static int to_list(state *s, PyObject *o, kn_list *to)
{
    kpy_operand *x;
    Py_ssize_t n;
    if (kpy_operands_of(o, &x, &n) < 0)
        return -1;
    kn_array few[16], *at = n <= 16 ? few : PyMem_Malloc((size_t)n * sizeof *at);
    for (Py_ssize_t i = 0; at && i < n; i++)
        at[i] = x[i].h;
    kn_list list = at ? kn_list_from(at, (int)n) : NULL;
    if (at != few)
        PyMem_Free(at);
    kpy_operands_drop(x, n);
    if (kpy_failed())
        return -1;
    if (!list)
        return PyErr_NoMemory(), -1;
    s->lists[s->n_lists++] = list;
    *to = list;
    return 0;
}

static int to_like(state *s, PyObject *o, kn_dtype_like *to)
{
    kn_dtype d;
    *to = (kn_dtype_like){0};
    if (PyUnicode_Check(o)) {
        to->text = PyUnicode_AsUTF8AndSize(o, NULL);
        return to->text ? 0 : -1;
    }
    if (!KPY_IS_ARRAY(o) && !PyNumber_Check(o)) {
        int found = kpy_dtype_try(o, &d);
        if (found) {
            to->dtype = d;
            return found > 0 ? 0 : -1;
        }
    }
    return to_array(s, o, &to->array, kpy_operand_of);
}

static int to_float(PyObject *o, double *x)
{
    *x = PyFloat_AsDouble(o);
    return *x == -1 && PyErr_Occurred() ? -1 : 0;
}

static int to_interval(PyObject *o, double *x)
{
    for (int i = 0; i < 2; i++) {
        PyObject *item = PySequence_GetItem(o, i);
        int failed = item ? to_float(item, &x[i]) : -1;
        Py_XDECREF(item);
        if (failed)
            return -1;
    }
    return 0;
}

static int to_intervals(PyObject *o, double *x)
{
    for (int i = 0; i < 2; i++) {
        PyObject *item = PySequence_GetItem(o, i);
        int failed = item ? to_interval(item, x + 2 * i) : -1;
        Py_XDECREF(item);
        if (failed)
            return -1;
    }
    return 0;
}

static int to_string(const state *s, const knb_param *p, PyObject *o, const char **to)
{
    if (o != Py_None && !PyUnicode_Check(o))
        return fail_type("%s(): %s has to be a str", s->row->name, p->name);
    *to = o == Py_None ? NULL : PyUnicode_AsUTF8AndSize(o, NULL);
    return o != Py_None && !*to ? -1 : 0;
}

/* Puts the value where the kind has it: `to` is a member of the options, or the place of an argument. */
static int put(state *s, const knb_param *p, PyObject *o, void *to)
{
    int64_t i;
    double x;
    switch ((knb_kind)p->kind) {
    case KNB_ARRAY: return to_array(s, o, to, kpy_operand_of);
    case KNB_POSITIONS: return to_array(s, o, to, kpy_positions_of);
    case KNB_VALUES:
        if (kpy_value_for(s->held[0].h, o, &s->held[s->n_held]) < 0)
            return -1;
        *(kn_array *)to = s->held[s->n_held++].h;
        return 0;
    case KNB_OPTIONAL_ARRAY:
        if (o == Py_None)
            return *(kn_array *)to = NULL, 0;
        return to_array(s, o, to, kpy_operand_of);
    case KNB_ARRAYS: return to_list(s, o, to);
    case KNB_SHAPE: return kpy_shape_of(o, to);
    case KNB_AXES: return kpy_axes_of(o, to);
    case KNB_SHAPE_POINTER:
    case KNB_AXES_POINTER: {
        bool shape = p->kind == KNB_SHAPE_POINTER;
        if (shape && o == Py_None)
            return *(void **)to = NULL, 0;
        void *memory = room(s, shape ? sizeof(kn_shape) : sizeof(kn_axes));
        *(void **)to = memory;
        return !memory ? -1 : shape ? kpy_shape_of(o, memory) : kpy_axes_of(o, memory);
    }
    case KNB_DTYPE: return kpy_dtype_of(o, to);
    case KNB_BOOL: {
        int b = PyObject_IsTrue(o);
        if (b >= 0)
            *(bool *)to = b;
        return b < 0 ? -1 : 0;
    }
    case KNB_INT: return kpy_int_of(o, to);
    case KNB_DIAGONAL:
        if (kpy_int_of(o, to) == 0)
            return 0;
        if (!PyErr_ExceptionMatches(PyExc_OverflowError))
            return -1;
        PyErr_Clear();
        *(int64_t *)to = PyObject_RichCompareBool(o, Py_False, Py_LT) > 0 ? -(INT64_C(1) << 62) : INT64_C(1) << 62;
        return 0;
    case KNB_INT32:
        if (kpy_int_of(o, &i) < 0)
            return -1;
        *(int32_t *)to = i > INT32_MAX ? INT32_MAX : i < INT32_MIN ? INT32_MIN : (int32_t)i;
        return 0;
    case KNB_FLOAT: return to_float(o, to);
    case KNB_FLOAT32:
        if (to_float(o, &x) < 0)
            return -1;
        *(float *)to = (float)x;
        return 0;
    case KNB_STRING: return to_string(s, p, o, to);
    case KNB_CHARACTER: {
        const char *text = NULL;
        if (to_string(s, p, o, &text) < 0)
            return -1;
        *(char *)to = text ? *text : 0;
        return 0;
    }
    case KNB_DTYPE_LIKE: return to_like(s, o, to);
    case KNB_INTERVAL: return to_interval(o, to);
    case KNB_INTERVALS: return to_intervals(o, to);
    case KNB_OUT_PAIR:
    case KNB_OUT_ARRAY: {
        int b = PyObject_IsTrue(o);
        for (int k = 0; b > 0 && k < 1 + (p->kind == KNB_OUT_PAIR); k++) {
            s->out_array[s->n_out] = NULL;
            ((kn_array **)to)[k] = &s->out_array[s->n_out++];
        }
        return b < 0 ? -1 : 0;
    }
    case KNB_OUT:
        if (PyTuple_Check(o) && PyTuple_Size(o) == 1)
            o = PyTuple_GetItem(o, 0);
        if (o != Py_None && !KPY_IS_ARRAY(o))
            return fail_type("%s(): return arrays must be of ArrayType (%s)", s->row->name, p->name);
        s->out = o == Py_None ? NULL : o;
        return 0;
    case KNB_HINT: return 0;
    case KNB_DEVICE: return kpy_place_of(o, &s->place);
    case KNB_TREE:
        if (kpy_put_special(KNB_TREE, o, to, special_room, s) < 0)
            return -1;
        s->lists[s->n_lists++] = *(kn_list *)to; /* to be released, as they are */
        return 0;
    default:
        if (KNB_IS_SPECIAL(p->kind))
            return kpy_put_special((knb_kind)p->kind, o, to, special_room, s);
        /* KNB_IGNORED */
        if (o == Py_None || o == Py_False || (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, "cpu") == 0))
            return 0;
        return fail_type("%s(): the argument '%s' is not supported", s->row->name, p->name);
    }
}

/* None stands for what is not given, but where it is a value of its own. */
static bool means_not_given(const knb_param *p, PyObject *o)
{
    return o == Py_None && p->option && p->kind != KNB_AXES && p->kind != KNB_AXES_POINTER && p->kind != KNB_BOOL;
}

static int convert(state *s)
{
    for (int p = 0; p < s->row->n_params; p++) {
        const knb_param *param = &s->row->param[p];
        PyObject *o = s->value[p];
        if (param->kind == KNB_SHAPE_OR_NULL && !param->option)
            s->call.arg[param->at] = NULL;
        if (!o && param->rest) {
            s->rest = PyTuple_New(0);
            o = s->rest;
        }
        if (!o && !param->option && KNB_IS_SPECIAL(param->kind) && param->kind != KNB_SHAPE_OR_NULL)
            o = Py_None; /* the default of an argument */
        if (!o || means_not_given(param, o))
            continue;
        bool list = param->kind == KNB_SHAPE || param->kind == KNB_AXES || param->kind == KNB_AXES_POINTER;
        if (param->rest && list && PyTuple_Size(o) == 1 && !PyIndex_Check(PyTuple_GetItem(o, 0)))
            o = PyTuple_GetItem(o, 0); /* x.reshape((2, 3)) is x.reshape(2, 3) */
        else if (param->rest && list && param->option && PyTuple_Size(o) == 0)
            continue;
        void *to = param->option ? (char *)s->options + param->at : (void *)&s->argument[param->at];
        if (param->kind == KNB_SHAPE_OR_NULL && o == Py_None)
            continue;
        size_t bytes = param->option                 ? 0
                       : param->kind == KNB_SHAPE    ? sizeof(kn_shape)
                       : param->kind == KNB_AXES     ? sizeof(kn_axes)
                       : KNB_IS_SPECIAL(param->kind) ? kpy_special_bytes((knb_kind)param->kind)
                                                     : 0;
        if (bytes) { /* too large for an argument */
            to = room(s, bytes);
            s->call.arg[param->at] = to;
            if (!to)
                return -1;
        }
        if (put(s, param, o, to) < 0)
            return -1;
    }
    return 0;
}

/* ---- Results. */

static PyObject *value_of(knb_kind kind, const void *at, bool as_list)
{
    switch (kind) {
    case KNB_ARRAY:
    case KNB_OPTIONAL_ARRAY:
        return *(const kn_array *)at || kn_error_pending() ? kpy_wrap(*(const kn_array *)at) : Py_NewRef(Py_None);
    case KNB_ARRAYS: return kpy_tuple_of_list(*(const kn_list *)at, as_list);
    case KNB_SHAPE: return kpy_tuple_of_shape(at);
    case KNB_DTYPE: return kpy_wrap_dtype(*(const kn_dtype *)at);
    case KNB_BOOL: return PyBool_FromLong(*(const bool *)at);
    case KNB_INT: return PyLong_FromLongLong(*(const int64_t *)at);
    case KNB_INT32: return PyLong_FromLong(*(const int32_t *)at);
    case KNB_FLOAT: return PyFloat_FromDouble(*(const double *)at);
    case KNB_STRING:
        return *(const char *const *)at ? PyUnicode_FromString(*(const char *const *)at) : Py_NewRef(Py_None);
    case KNB_CHARACTER: return PyUnicode_FromStringAndSize(at, 1);
    case KNB_OBJECT: return kpy_wrap_handle(*(void *const *)at);
    case KNB_TREE: return kpy_list_of_tree(*(const kn_tree *)at);
    case KNB_AXES: {
        const kn_axes *a = at;
        kn_shape s = {.ndim = a->n > 0 ? a->n - 1 : 0};
        for (int i = 0; i < s.ndim; i++)
            s.dim[i] = a->axis[i];
        return kpy_tuple_of_shape(&s);
    }
    default: Py_RETURN_NONE;
    }
}

static PyObject *struct_types; /* name -> namedtuple class */

static PyObject *class_of(const knb_struct *s)
{
    if (!struct_types && !(struct_types = PyDict_New()))
        return NULL;
    PyObject *known = PyDict_GetItemString(struct_types, s->name);
    if (known)
        return known;
    PyObject *collections = PyImport_ImportModule("collections"), *names = PyList_New(0), *c = NULL;
    for (int i = 0; names && i < s->n; i++) {
        PyObject *name = PyUnicode_FromString(s->member[i].name);
        if (!name || PyList_Append(names, name) < 0)
            PyErr_Clear();
        Py_XDECREF(name);
    }
    if (collections && names)
        c = PyObject_CallMethod(collections, "namedtuple", "sO", s->name, names);
    if (c && PyDict_SetItemString(struct_types, s->name, c) < 0) {
        Py_DECREF(c);
        c = NULL;
    }
    Py_XDECREF(collections);
    Py_XDECREF(names);
    Py_XDECREF(c); /* the dictionary has it */
    return c;
}

PyObject *kpy_struct_result(const knb_struct *s, const void *at)
{
    PyObject *c = class_of(s), *values = c ? PyTuple_New(s->n) : NULL;
    for (int i = 0; values && i < s->n; i++) {
        PyObject *o = value_of((knb_kind)s->member[i].kind, (const char *)at + s->member[i].at, false);
        if (!o || PyTuple_SetItem(values, i, o) < 0) {
            Py_DECREF(values);
            values = NULL;
        }
    }
    PyObject *result = values ? PyObject_CallObject(c, values) : NULL;
    Py_XDECREF(values);
    return result;
}

/* NumPy's out=: the result is cast to the array as it is, if its kind allows that. */
static PyObject *written(state *s, PyObject *result)
{
    if (!result || !s->out || !KPY_IS_ARRAY(result))
        return result;
    kn_copyto_opts opts = kn_copyto_opts_default();
    kn_copyto(KPY_HANDLE(s->out), KPY_HANDLE(result), &opts);
    Py_DECREF(result);
    return kpy_failed() ? NULL : Py_NewRef(s->out);
}

/* What options asked for beside the result comes behind it. */
static PyObject *with_outs(state *s, PyObject *result)
{
    if (!result || !s->n_out)
        return result;
    PyObject *all = PyTuple_New(1 + s->n_out);
    if (!all || PyTuple_SetItem(all, 0, result) < 0)
        return NULL;
    for (int i = 0; i < s->n_out; i++) {
        PyObject *o = kpy_wrap(s->out_array[i]);
        if (!o || PyTuple_SetItem(all, 1 + i, o) < 0) {
            Py_DECREF(all);
            return NULL;
        }
    }
    return all;
}

static PyObject *result_of(state *s)
{
    const knb_row *row = s->row;
    knb_kind kind = (knb_kind)row->result;
    if (kind == KNB_ARRAY) {
        for (int i = 0; i < s->n_held; i++)
            if (s->held[i].h == s->call.result.array && s->held[i].h) /* an operand itself, which has an owner */
                kn_retain(s->held[i].h);
        return with_outs(s, written(s, kpy_wrap(kpy_put_at(&s->place, s->call.result.array))));
    }
    if (kpy_failed()) {
        if (kind == KNB_OBJECT && s->call.result.handle)
            kn_release(s->call.result.handle);
        return NULL;
    }
    if (kind == KNB_STRUCT)
        return kpy_struct_result(row->structure, &s->call.result);
    return value_of(kind, &s->call.result, row->as_list);
}

/* Work on many elements goes on without the interpreter's lock. */
static bool is_large(const state *s)
{
    if (s->row->looks)
        return true;
    for (int i = 0; i < s->n_held; i++)
        if (kn_size(s->held[i].h) > 32768)
            return true;
    return s->n_lists > 0;
}

static void clean(state *s)
{
    for (int i = 0; i < s->n_held; i++)
        kpy_operand_drop(&s->held[i]);
    for (int i = 0; i < s->n_lists; i++)
        kn_release(s->lists[i]);
    for (int i = 0; i < s->n_memory; i++)
        PyMem_Free(s->memory[i]);
    Py_XDECREF(s->rest);
}

PyObject *kpy_invoke(const knb_row *row, PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    state s;
    PyObject *result = NULL;
    memset(&s, 0, offsetof(state, value));
    for (int p = 0; p < row->n_params; p++)
        s.value[p] = NULL;
    for (int i = 0; i < KNB_MAX_ARGUMENTS; i++)
        s.call.arg[i] = &s.argument[i];
    s.row = row;
    if (kpy_bind(row, self, args, nargs, kwnames, s.value, &s.rest) < 0) {
        Py_XDECREF(s.rest);
        return NULL;
    }
    bool scoped =
        row->result == KNB_ARRAYS || row->result == KNB_STRUCT || row->result == KNB_STRING || row->result == KNB_TREE;
    if (scoped ? kpy_enter_scope() < 0 : kpy_enter() < 0) {
        Py_XDECREF(s.rest);
        return NULL;
    }
    if (row->defaults)
        row->defaults(s.options);
    s.call.options = s.options;
    if (convert(&s) == 0) {
        bool lets_others_go_on = !kpy_in_user() && is_large(&s);
        kpy_here(); /* of the next call, whichever it is */
        kn_device before = s.place.device ? kn_set_default_device(s.place.device) : NULL;
        if (lets_others_go_on)
            KPY_WITHOUT_GIL(row->call(&s.call));
        else
            row->call(&s.call);
        result = result_of(&s);
        if (s.place.device)
            kn_set_default_device(before);
    }
    clean(&s);
    if (scoped)
        kpy_leave_scope();
    else
        kpy_leave();
    return result;
}

/* ---- The functions as objects: one for each row, by the modules of the table. */

typedef struct holder {
    PyObject_HEAD const knb_row *row;
    PyMethodDef def; /* of the function that holds this */
} holder;
static PyTypeObject *holder_type;
static PyType_Slot holder_slots[] = {{Py_tp_doc, "a row of the table"}, {0, NULL}};
static PyType_Spec holder_spec = {"kiln._core.Row", sizeof(holder), 0, Py_TPFLAGS_DEFAULT, holder_slots};

static PyObject *invoke(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return kpy_invoke(((holder *)self)->row, NULL, args, nargs, kwnames);
}

static PyObject *function_of(const knb_row *row, PyObject *module_name)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(holder_type, Py_tp_alloc);
    holder *h = (holder *)alloc(holder_type, 0);
    if (!h)
        return NULL;
    h->row = row;
    h->def = (PyMethodDef){row->name, (PyCFunction)(void (*)(void))invoke, METH_FASTCALL | METH_KEYWORDS, row->doc};
    PyObject *f = PyCFunction_NewEx(&h->def, (PyObject *)h, module_name);
    Py_DECREF((PyObject *)h);
    return f;
}

/* functions(name) -> dict: the functions of a table. */
static PyObject *functions(PyObject *module, PyObject *args)
{
    const char *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    for (const knb_table *t = knb_tables; t->name; t++) {
        if (strcmp(t->name, name))
            continue;
        PyObject *all = PyDict_New(), *module_name = PyUnicode_FromString(name);
        for (int i = 0; all && module_name && i < t->n; i++) {
            PyObject *f = function_of(t->row[i], module_name);
            if (!f || PyDict_SetItemString(all, t->row[i]->name, f) < 0) {
                Py_DECREF(all);
                all = NULL;
            }
            Py_XDECREF(f);
        }
        Py_XDECREF(module_name);
        return all;
    }
    return PyErr_Format(PyExc_KeyError, "%s", name);
}

static PyMethodDef module_functions[] = {
    {"functions", functions, METH_VARARGS, "functions(table)\n--\n\nname: function"}, {0}};

int kpy_functions_make(PyObject *module)
{
    holder_type = (PyTypeObject *)PyType_FromSpec(&holder_spec);
    return holder_type ? PyModule_AddFunctions(module, module_functions) : -1;
}
