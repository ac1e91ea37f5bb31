/* SPDX-License-Identifier: Apache-2.0
 * convert_lax.c -- arguments that kiln.lax and kiln.optim have beside arrays: padding, dimension numbers, names of
 * axes, functions, optimizers. */
#include "function.h"
#include <string.h>

/* ---- Handles of the library as objects: optimizers, schedules, structures of trees. */

typedef struct handle {
    PyObject_HEAD void *h;
} handle;
static PyTypeObject *handle_type;

static void drop(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    if (((handle *)o)->h)
        kpy_release(((handle *)o)->h);
    ((freefunc)PyType_GetSlot(t, Py_tp_free))(o);
    Py_DECREF(t);
}

PyObject *kpy_wrap_handle(void *h)
{
    if (kpy_failed()) {
        if (h)
            kn_release(h);
        return NULL;
    }
    handle *o = (handle *)((allocfunc)PyType_GetSlot(handle_type, Py_tp_alloc))(handle_type, 0);
    if (!o)
        return NULL;
    if (h && kpy_scoped()) /* the scope around has it, too */
        kn_retain(h);
    o->h = h;
    return (PyObject *)o;
}

int kpy_handle_of(PyObject *o, void **h)
{
    if (Py_TYPE(o) != handle_type) {
        PyErr_Format(PyExc_TypeError, "a handle of Kiln is wanted, not %R", o);
        return -1;
    }
    *h = ((handle *)o)->h;
    return 0;
}

static PyType_Slot slots[] = {{Py_tp_dealloc, drop}, {Py_tp_doc, "An object of the library."}, {0, NULL}};
static PyType_Spec spec = {"kiln._core.Handle", sizeof(handle), 0, Py_TPFLAGS_DEFAULT, slots};

int kpy_handle_make(PyObject *module)
{
    handle_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return handle_type ? PyModule_AddObjectRef(module, "Handle", (PyObject *)handle_type) : -1;
}

/* ---- Lists of numbers. */

/* The items of a sequence, a new tuple or list; n is their number. */
static PyObject *items_of(PyObject *o, Py_ssize_t *n, const char *what)
{
    PyObject *items = PyUnicode_Check(o) ? NULL : PySequence_Tuple(o);
    if (!items) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s has to be a sequence, not %R", what, o);
        return NULL;
    }
    *n = PyTuple_Size(items);
    return items;
}

/* Rows of `columns` numbers each: memory of `room`, *n rows. */
static int64_t *rows_of(PyObject *o, int columns, int *n, const char *what, kpy_room *room, void *state)
{
    Py_ssize_t count;
    PyObject *rows = items_of(o, &count, what);
    int64_t *at = rows ? room(state, ((size_t)count * (size_t)columns + 1) * sizeof *at) : NULL;
    bool good = at;
    for (Py_ssize_t i = 0; good && i < count; i++) {
        Py_ssize_t k;
        PyObject *row = items_of(PyTuple_GetItem(rows, i), &k, what);
        good = row;
        if (row && k != columns) {
            PyErr_Format(PyExc_ValueError, "%s has to consist of groups of %d numbers, got %R", what, columns, row);
            good = false;
        }
        for (int j = 0; good && j < columns; j++)
            good = kpy_int_of(PyTuple_GetItem(row, j), &at[i * columns + j]) == 0;
        Py_XDECREF(row);
    }
    Py_XDECREF(rows);
    *n = (int)count;
    return good ? at : NULL;
}

static int pads_of(PyObject *o, kn_lax_pads *pads, kpy_room *room, void *state)
{
    if (o == Py_None)
        return 0;
    if (PyUnicode_Check(o)) {
        pads->type = PyUnicode_AsUTF8AndSize(o, NULL);
        return pads->type ? 0 : -1;
    }
    int64_t *at = rows_of(o, 2, &pads->n, "padding", room, state);
    pads->pair = (const kn_lax_pad_pair *)at;
    _Static_assert(sizeof(kn_lax_pad_pair) == 2 * sizeof(int64_t), "two numbers");
    return at ? 0 : -1;
}

static int axes_list(PyObject *o, kn_axes *axes) /* an empty one, too */
{
    if (o == Py_None)
        return *axes = (kn_axes){0}, 0;
    return kpy_axes_of(o, axes);
}

static int conv_numbers_of(PyObject *o, kn_lax_conv_numbers *numbers)
{
    if (o == Py_None)
        return 0;
    Py_ssize_t n;
    PyObject *items = items_of(o, &n, "dimension_numbers");
    const char **word[] = {&numbers->lhs, &numbers->rhs, &numbers->out};
    kn_axes *axes[] = {&numbers->lhs_spec, &numbers->rhs_spec, &numbers->out_spec};
    bool good = items;
    if (items && n != 3) {
        PyErr_Format(PyExc_TypeError, "convolution dimension_numbers list/tuple must be length 3, got %zd.", n);
        good = false;
    }
    for (int i = 0; good && i < 3; i++) {
        PyObject *item = PyTuple_GetItem(items, i);
        if (PyUnicode_Check(item))
            good = (*word[i] = PyUnicode_AsUTF8AndSize(item, NULL)) != NULL;
        else if (item != Py_None)
            good = kpy_axes_of(item, axes[i]) == 0;
    }
    Py_XDECREF(items); /* o has the texts */
    return good ? 0 : -1;
}

/* ((a, b), (c, d)) or (a, b, c, d, ...): lists of axes, one behind the other. */
static int many_axes(PyObject *o, kn_axes *axes, int n)
{
    Py_ssize_t count, inner;
    PyObject *items = items_of(o, &count, "dimension_numbers");
    bool good = items;
    if (items && n == 4 && count == 2) {
        for (int i = 0; good && i < 2; i++) {
            PyObject *pair = items_of(PyTuple_GetItem(items, i), &inner, "dimension_numbers");
            good = pair && inner == 2;
            if (pair && !good)
                PyErr_SetString(PyExc_TypeError,
                                "dimension_numbers have to be ((lhs_contract, rhs_contract), (lhs_batch, rhs_batch))");
            for (int j = 0; good && j < 2; j++)
                good = axes_list(PyTuple_GetItem(pair, j), &axes[2 * i + j]) == 0;
            Py_XDECREF(pair);
        }
    } else if (items && count != n) {
        PyErr_Format(PyExc_TypeError, "dimension_numbers have to be %d lists of axes, got %R", n, o);
        good = false;
    } else
        for (int i = 0; good && i < n; i++)
            good = axes_list(PyTuple_GetItem(items, i), &axes[i]) == 0;
    Py_XDECREF(items);
    return good ? 0 : -1;
}

static int axis_names_of(PyObject *o, kn_axis_names *names)
{
    PyObject *single = PyUnicode_Check(o) ? PyTuple_Pack(1, o) : NULL;
    Py_ssize_t n;
    PyObject *items = single ? single : items_of(o, &n, "axis_name");
    if (!items)
        return -1;
    n = PyTuple_Size(items);
    bool good = n <= KN_MAX_ARGS;
    if (!good)
        PyErr_Format(PyExc_ValueError, "at most %d names of axes", KN_MAX_ARGS);
    for (Py_ssize_t i = 0; good && i < n; i++) {
        PyObject *item = PyTuple_GetItem(items, i);
        if (!PyUnicode_Check(item))
            PyErr_Format(PyExc_TypeError, "the name of an axis has to be a str, not %R", item);
        good = PyUnicode_Check(item) && (names->name[i] = PyUnicode_AsUTF8AndSize(item, NULL));
    }
    names->n = (int)n;
    Py_DECREF(items);
    return good ? 0 : -1;
}

static int groups_of(PyObject *o, kn_axis_groups *groups, kpy_room *room, void *state)
{
    if (o == Py_None)
        return 0;
    Py_ssize_t n, size = 0;
    PyObject *rows = items_of(o, &n, "axis_index_groups");
    PyObject *first = rows && n ? items_of(PyTuple_GetItem(rows, 0), &size, "axis_index_groups") : NULL;
    bool good = rows && (!n || first);
    Py_XDECREF(first);
    Py_XDECREF(rows);
    int count;
    int64_t *at = good ? rows_of(o, (int)size, &count, "axis_index_groups", room, state) : NULL;
    int *lane = at ? room(state, ((size_t)n * (size_t)size + 1) * sizeof *lane) : NULL;
    for (Py_ssize_t i = 0; lane && i < n * size; i++)
        lane[i] = (int)at[i];
    *groups = (kn_axis_groups){(int)n, (int)size, lane};
    return lane ? 0 : -1;
}

static int lanes_of(PyObject *o, kn_lanes *lanes, kpy_room *room, void *state)
{
    Py_ssize_t n;
    PyObject *items = items_of(o, &n, "perm");
    int64_t *at = items ? room(state, ((size_t)n + 1) * sizeof *at) : NULL;
    bool good = at;
    for (Py_ssize_t i = 0; good && i < n; i++)
        good = kpy_int_of(PyTuple_GetItem(items, i), &at[i]) == 0;
    Py_XDECREF(items);
    *lanes = (kn_lanes){(int)n, at};
    return good ? 0 : -1;
}

size_t kpy_special_bytes(knb_kind kind)
{
    switch (kind) {
    case KNB_SHAPE_OR_NULL: return sizeof(kn_shape);
    case KNB_PADS: return sizeof(kn_lax_pads);
    case KNB_PADDING: return sizeof(kn_lax_padding_config);
    case KNB_CONV_NUMBERS: return sizeof(kn_lax_conv_numbers);
    case KNB_FOUR_AXES: return 4 * sizeof(kn_axes);
    case KNB_FIVE_AXES: return 5 * sizeof(kn_axes);
    case KNB_AXIS_NAMES: return sizeof(kn_axis_names);
    case KNB_AXIS_GROUPS: return sizeof(kn_axis_groups);
    case KNB_LANE_PAIRS: return sizeof(kn_lane_pairs);
    case KNB_LANES: return sizeof(kn_lanes);
    default: return 0; /* a pointer */
    }
}

int kpy_put_special(knb_kind kind, PyObject *o, void *to, kpy_room *room, void *state)
{
    switch (kind) {
    case KNB_SHAPE_OR_NULL: return kpy_shape_of(o, to);
    case KNB_FUNCTION:
        if (Py_TYPE(o) != kpy_function_type)
            return PyErr_Format(PyExc_TypeError, "a Function is wanted, not %R", o), -1;
        *(kn_fn *)to = ((kpy_function *)o)->fn;
        return 0;
    case KNB_OBJECT: return kpy_handle_of(o, to);
    case KNB_PADS: return pads_of(o, to, room, state);
    case KNB_PADDING: {
        kn_lax_padding_config *c = to;
        c->axis = (const kn_lax_padding *)rows_of(o, 3, &c->n, "padding_config", room, state);
        return c->axis ? 0 : -1;
    }
    case KNB_CONV_NUMBERS: return conv_numbers_of(o, to);
    case KNB_FOUR_AXES: return many_axes(o, to, 4);
    case KNB_FIVE_AXES: return many_axes(o, to, 5);
    case KNB_AXIS_NAMES: return axis_names_of(o, to);
    case KNB_AXIS_GROUPS: return groups_of(o, to, room, state);
    case KNB_LANE_PAIRS: {
        kn_lane_pairs *p = to;
        p->pair = (const kn_lane_pair *)rows_of(o, 2, &p->n, "perm", room, state);
        return p->pair ? 0 : -1;
    }
    case KNB_LANES: return lanes_of(o, to, room, state);
    case KNB_TREE:
        if (o != Py_None)
            *(kn_tree *)to = kpy_tree_of(o);
        return o == Py_None || *(kn_tree *)to ? 0 : -1;
    default: PyErr_SetString(PyExc_SystemError, "no such kind of argument"); return -1;
    }
}
