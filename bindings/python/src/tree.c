/* SPDX-License-Identifier: Apache-2.0
 * tree.c -- pytrees: dicts, lists, tuples, named tuples, None and registered classes as a list of leaves and a
 * treedef, which can be compared, hashed and printed. (jax.tree_util) */
#include "kpy.h"
#include <string.h>

typedef enum node_kind { LEAF, NONE, TUPLE, LIST, DICT, NAMED, CUSTOM } node_kind;
/* Nodes in the order of a walk from the root. data: keys of a dict (list), class of a named tuple, (class, aux) of a
 * registered one. */
typedef struct node {
    node_kind kind;
    Py_ssize_t n;
    PyObject *data;
} node;
typedef struct treedef {
    PyObject_HEAD node *at;
    Py_ssize_t n, room, leaves;
} treedef;
static PyTypeObject *treedef_type;
static PyObject *registry; /* class -> (flatten, unflatten) */

void kpy_leaves_drop(kpy_leaves *l)
{
    for (Py_ssize_t i = 0; i < l->n; i++)
        Py_DECREF(l->at[i]);
    PyMem_Free(l->at);
    *l = (kpy_leaves){0};
}

static int add_leaf(kpy_leaves *l, PyObject *o)
{
    if (l->n == l->room) {
        Py_ssize_t room = l->room ? 2 * l->room : 16;
        PyObject **at = PyMem_Realloc(l->at, (size_t)room * sizeof *at);
        if (!at)
            return PyErr_NoMemory(), -1;
        l->at = at;
        l->room = room;
    }
    l->at[l->n++] = Py_NewRef(o);
    return 0;
}

static int add_node(treedef *t, node_kind kind, Py_ssize_t n, PyObject *data) /* takes data over */
{
    if (t->n == t->room) {
        Py_ssize_t room = t->room ? 2 * t->room : 16;
        node *at = PyMem_Realloc(t->at, (size_t)room * sizeof *at);
        if (!at) {
            Py_XDECREF(data);
            return PyErr_NoMemory(), -1;
        }
        t->at = at;
        t->room = room;
    }
    t->at[t->n++] = (node){kind, n, data};
    t->leaves += kind == LEAF;
    return 0;
}

static treedef *new_treedef(void)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(treedef_type, Py_tp_alloc);
    return (treedef *)alloc(treedef_type, 0);
}

static int walk(treedef *t, PyObject *o, kpy_leaves *l, PyObject *is_leaf);

static int walk_items(treedef *t, PyObject *sequence, kpy_leaves *l, PyObject *is_leaf, bool list)
{
    Py_ssize_t n = list ? PyList_Size(sequence) : PyTuple_Size(sequence);
    for (Py_ssize_t i = 0; i < n; i++)
        if (walk(t, list ? PyList_GetItem(sequence, i) : PyTuple_GetItem(sequence, i), l, is_leaf) < 0)
            return -1;
    return 0;
}

static int walk_dict(treedef *t, PyObject *o, kpy_leaves *l, PyObject *is_leaf)
{
    PyObject *keys = PyDict_Keys(o);
    if (!keys || PyList_Sort(keys) < 0) {
        if (keys && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            PyErr_SetString(PyExc_ValueError, "Comparator raised exception while sorting pytree dictionary keys.");
        }
        Py_XDECREF(keys);
        return -1;
    }
    Py_ssize_t n = PyList_Size(keys);
    if (add_node(t, DICT, n, Py_NewRef(keys)) < 0) {
        Py_DECREF(keys);
        return -1;
    }
    int failed = 0;
    for (Py_ssize_t i = 0; i < n && !failed; i++) {
        PyObject *value = PyDict_GetItemWithError(o, PyList_GetItem(keys, i));
        failed = !value || walk(t, value, l, is_leaf) < 0;
    }
    Py_DECREF(keys);
    return failed ? -1 : 0;
}

static int walk_custom(treedef *t, PyObject *o, PyObject *functions, kpy_leaves *l, PyObject *is_leaf)
{
    PyObject *pair = PyObject_CallFunctionObjArgs(PyTuple_GetItem(functions, 0), o, NULL);
    PyObject *children = NULL, *data = NULL;
    int result = -1;
    if (pair && (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2))
        PyErr_SetString(PyExc_TypeError,
                        "the flatten function of a registered class has to return (children, aux_data)");
    else if (pair)
        children = PySequence_Tuple(PyTuple_GetItem(pair, 0));
    if (children)
        data = PyTuple_Pack(2, (PyObject *)Py_TYPE(o), PyTuple_GetItem(pair, 1));
    if (data && add_node(t, CUSTOM, PyTuple_Size(children), data) == 0)
        result = walk_items(t, children, l, is_leaf, false);
    Py_XDECREF(children);
    Py_XDECREF(pair);
    return result;
}

static int walk(treedef *t, PyObject *o, kpy_leaves *l, PyObject *is_leaf)
{
    if (Py_TYPE(o) == kpy_array_type && !is_leaf)
        return add_node(t, LEAF, 0, NULL) < 0 ? -1 : add_leaf(l, o);
    if (is_leaf) {
        PyObject *answer = PyObject_CallFunctionObjArgs(is_leaf, o, NULL);
        int yes = answer ? PyObject_IsTrue(answer) : -1;
        Py_XDECREF(answer);
        if (yes)
            return yes < 0 || add_node(t, LEAF, 0, NULL) < 0 ? -1 : add_leaf(l, o);
    }
    if (o == Py_None)
        return add_node(t, NONE, 0, NULL);
    if (PyTuple_CheckExact(o))
        return add_node(t, TUPLE, PyTuple_Size(o), NULL) < 0 ? -1 : walk_items(t, o, l, is_leaf, false);
    if (PyList_CheckExact(o))
        return add_node(t, LIST, PyList_Size(o), NULL) < 0 ? -1 : walk_items(t, o, l, is_leaf, true);
    if (PyDict_CheckExact(o))
        return walk_dict(t, o, l, is_leaf);
    PyObject *functions = PyDict_GetItemWithError(registry, (PyObject *)Py_TYPE(o));
    if (functions)
        return walk_custom(t, o, functions, l, is_leaf);
    if (PyErr_Occurred())
        return -1;
    if (PyTuple_Check(o) && PyObject_HasAttrString(o, "_fields"))
        return add_node(t, NAMED, PyTuple_Size(o), Py_NewRef((PyObject *)Py_TYPE(o))) < 0
                   ? -1
                   : walk_items(t, o, l, is_leaf, false);
    return add_node(t, LEAF, 0, NULL) < 0 ? -1 : add_leaf(l, o);
}

static PyObject *flatten_until(PyObject *tree, kpy_leaves *leaves, PyObject *is_leaf)
{
    treedef *t = new_treedef();
    *leaves = (kpy_leaves){0};
    if (t && Py_EnterRecursiveCall(" in a pytree") == 0) {
        int failed = walk(t, tree, leaves, is_leaf);
        Py_LeaveRecursiveCall();
        if (!failed)
            return (PyObject *)t;
    }
    kpy_leaves_drop(leaves);
    Py_XDECREF((PyObject *)t);
    return NULL;
}

PyObject *kpy_flatten(PyObject *tree, kpy_leaves *leaves) { return flatten_until(tree, leaves, NULL); }

/* ---- And back. */

static PyObject *build(const treedef *t, Py_ssize_t *at, PyObject *const *leaves, Py_ssize_t *leaf)
{
    const node *v = &t->at[(*at)++];
    if (v->kind == LEAF)
        return Py_NewRef(leaves[(*leaf)++]);
    if (v->kind == NONE)
        Py_RETURN_NONE;
    PyObject *items = v->kind == LIST ? PyList_New(v->n) : PyTuple_New(v->n);
    for (Py_ssize_t i = 0; items && i < v->n; i++) {
        PyObject *item = build(t, at, leaves, leaf);
        if (!item || (v->kind == LIST ? PyList_SetItem(items, i, item) : PyTuple_SetItem(items, i, item)) < 0) {
            Py_DECREF(items);
            return NULL;
        }
    }
    if (!items || v->kind == LIST || v->kind == TUPLE)
        return items;
    PyObject *result = NULL;
    if (v->kind == NAMED)
        result = PyObject_CallObject(v->data, items);
    else if (v->kind == CUSTOM) {
        PyObject *functions = PyDict_GetItemWithError(registry, PyTuple_GetItem(v->data, 0));
        if (functions)
            result =
                PyObject_CallFunctionObjArgs(PyTuple_GetItem(functions, 1), PyTuple_GetItem(v->data, 1), items, NULL);
        else if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "the class of a pytree is no longer registered");
    } else if ((result = PyDict_New()))
        for (Py_ssize_t i = 0; i < v->n; i++)
            if (PyDict_SetItem(result, PyList_GetItem(v->data, i), PyTuple_GetItem(items, i)) < 0) {
                Py_DECREF(result);
                result = NULL;
                break;
            }
    Py_DECREF(items);
    return result;
}

PyObject *kpy_unflatten(PyObject *def, PyObject *const *leaves, Py_ssize_t n)
{
    const treedef *t = (const treedef *)def;
    Py_ssize_t at = 0, leaf = 0;
    if (n != t->leaves)
        return PyErr_Format(PyExc_ValueError, "Too %s leaves for PyTreeDef; expected %zd, got %zd.",
                            n < t->leaves ? "few" : "many", t->leaves, n);
    return build(t, &at, leaves, &leaf);
}

/* ---- The type. */

static void drop(PyObject *o)
{
    treedef *t = (treedef *)o;
    PyTypeObject *type = Py_TYPE(o);
    for (Py_ssize_t i = 0; i < t->n; i++)
        Py_XDECREF(t->at[i].data);
    PyMem_Free(t->at);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
    Py_DECREF(type);
}

static PyObject *compare(PyObject *a, PyObject *b, int how)
{
    if ((how != Py_EQ && how != Py_NE) || Py_TYPE(b) != treedef_type)
        Py_RETURN_NOTIMPLEMENTED;
    const treedef *x = (const treedef *)a, *y = (const treedef *)b;
    bool equal = x->n == y->n;
    for (Py_ssize_t i = 0; equal && i < x->n; i++) {
        equal = x->at[i].kind == y->at[i].kind && x->at[i].n == y->at[i].n;
        if (equal && x->at[i].data != y->at[i].data) {
            int same =
                x->at[i].data && y->at[i].data ? PyObject_RichCompareBool(x->at[i].data, y->at[i].data, Py_EQ) : 0;
            if (same < 0)
                return NULL;
            equal = same;
        }
    }
    return PyBool_FromLong(equal == (how == Py_EQ));
}

static Py_hash_t hash(PyObject *o)
{
    const treedef *t = (const treedef *)o;
    uint64_t h = 1469598103934665603u;
    for (Py_ssize_t i = 0; i < t->n; i++)
        h = (h ^ ((uint64_t)t->at[i].kind + 8 * (uint64_t)t->at[i].n)) * 1099511628211u;
    return h == (uint64_t)-1 ? -2 : (Py_hash_t)h; /* data is compared, not hashed: aux data need not be hashable here */
}

static PyObject *text(const treedef *t, Py_ssize_t *at)
{
    const node *v = &t->at[(*at)++];
    if (v->kind == LEAF)
        return PyUnicode_FromString("*");
    if (v->kind == NONE)
        return PyUnicode_FromString("None");
    PyObject *parts = PyList_New(0), *comma = PyUnicode_FromString(", "), *joined = NULL, *result = NULL;
    for (Py_ssize_t i = 0; parts && i < v->n; i++) {
        PyObject *part = text(t, at);
        if (part && v->kind == DICT) {
            PyObject *keyed = PyUnicode_FromFormat("%R: %U", PyList_GetItem(v->data, i), part);
            Py_DECREF(part);
            part = keyed;
        }
        if (!part || PyList_Append(parts, part) < 0)
            PyErr_Clear();
        Py_XDECREF(part);
    }
    if (parts && comma)
        joined = PyUnicode_Join(comma, parts);
    if (joined && v->kind == TUPLE)
        result = PyUnicode_FromFormat(v->n == 1 ? "(%U,)" : "(%U)", joined);
    else if (joined && v->kind == LIST)
        result = PyUnicode_FromFormat("[%U]", joined);
    else if (joined && v->kind == DICT)
        result = PyUnicode_FromFormat("{%U}", joined);
    else if (joined) {
        PyObject *c = v->kind == NAMED ? v->data : PyTuple_GetItem(v->data, 0),
                 *name = PyObject_GetAttrString(c, "__name__");
        if (name && v->kind == NAMED)
            result = PyUnicode_FromFormat("CustomNode(namedtuple[%U], [%U])", name, joined);
        else if (name)
            result = PyUnicode_FromFormat("CustomNode(%U[%S], [%U])", name, PyTuple_GetItem(v->data, 1), joined);
        Py_XDECREF(name);
    }
    Py_XDECREF(parts);
    Py_XDECREF(comma);
    Py_XDECREF(joined);
    return result;
}

static PyObject *repr(PyObject *o)
{
    Py_ssize_t at = 0;
    PyObject *s = text((treedef *)o, &at), *result = s ? PyUnicode_FromFormat("PyTreeDef(%U)", s) : NULL;
    Py_XDECREF(s);
    return result;
}

/* The end of the subtree at a node. */
static Py_ssize_t after(const treedef *t, Py_ssize_t i)
{
    Py_ssize_t n = t->at[i].n;
    i++;
    while (n--)
        i = after(t, i);
    return i;
}

static PyObject *subtree(const treedef *t, Py_ssize_t from)
{
    treedef *s = new_treedef();
    Py_ssize_t end = after(t, from);
    for (Py_ssize_t i = from; s && i < end; i++)
        if (add_node(s, t->at[i].kind, t->at[i].n, Py_XNewRef(t->at[i].data)) < 0) {
            Py_DECREF((PyObject *)s);
            s = NULL;
        }
    return (PyObject *)s;
}

static PyObject *children(PyObject *o, PyObject *unused)
{
    const treedef *t = (const treedef *)o;
    (void)unused;
    PyObject *list = t->n ? PyList_New(t->at[0].n) : PyList_New(0);
    Py_ssize_t at = 1;
    for (Py_ssize_t i = 0; list && t->n && i < t->at[0].n; i++) {
        PyObject *s = subtree(t, at);
        if (!s || PyList_SetItem(list, i, s) < 0) {
            Py_DECREF(list);
            return NULL;
        }
        at = after(t, at);
    }
    return list;
}

/* (kind, data) of the root, for code that walks treedefs in Python. */
static PyObject *node_data(PyObject *o, PyObject *unused)
{
    static const char *const names[] = {"leaf", "none", "tuple", "list", "dict", "named", "custom"};
    const treedef *t = (const treedef *)o;
    (void)unused;
    return Py_BuildValue("sO", names[t->at[0].kind], t->at[0].data ? t->at[0].data : Py_None);
}

static PyObject *unflatten(PyObject *o, PyObject *leaves)
{
    PyObject *all = PySequence_List(leaves), *result = NULL;
    Py_ssize_t n = all ? PyList_Size(all) : 0;
    PyObject **at = all ? PyMem_Malloc(((size_t)n + 1) * sizeof *at) : NULL;
    for (Py_ssize_t i = 0; at && i < n; i++)
        at[i] = PyList_GetItem(all, i);
    if (at)
        result = kpy_unflatten(o, at, n);
    PyMem_Free(at);
    Py_XDECREF(all);
    return result;
}

static PyObject *get_num_leaves(PyObject *o, void *u) { return (void)u, PyLong_FromSsize_t(((treedef *)o)->leaves); }
static PyObject *get_num_nodes(PyObject *o, void *u) { return (void)u, PyLong_FromSsize_t(((treedef *)o)->n); }
static PyGetSetDef getset[] = {{"num_leaves", get_num_leaves, NULL, "how many leaves", NULL},
                               {"num_nodes", get_num_nodes, NULL, "how many nodes, leaves among them", NULL},
                               {0}};
static PyMethodDef methods[] = {
    {"unflatten", unflatten, METH_O, "unflatten($self, leaves, /)\n--\n\nThe tree of these leaves."},
    {"children", children, METH_NOARGS, "children($self, /)\n--\n\nThe treedefs of the root's children."},
    {"node_data", node_data, METH_NOARGS,
     "node_data($self, /)\n--\n\nWhat the root is: (kind, keys, class or aux data)."},
    {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, drop},
                              {Py_tp_repr, repr},
                              {Py_tp_richcompare, compare},
                              {Py_tp_hash, hash},
                              {Py_tp_getset, getset},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "What a pytree is without its leaves."},
                              {0, NULL}};
static PyType_Spec spec = {"kiln.tree_util.PyTreeDef", sizeof(treedef), 0, Py_TPFLAGS_DEFAULT, slots};

/* ---- Functions. */

static PyObject *flatten(PyObject *module, PyObject *args)
{
    PyObject *tree, *is_leaf = Py_None;
    kpy_leaves l;
    (void)module;
    if (!PyArg_ParseTuple(args, "O|O", &tree, &is_leaf))
        return NULL;
    PyObject *def = flatten_until(tree, &l, is_leaf == Py_None ? NULL : is_leaf);
    PyObject *leaves = def ? PyList_New(l.n) : NULL;
    for (Py_ssize_t i = 0; leaves && i < l.n; i++)
        PyList_SetItem(leaves, i, Py_NewRef(l.at[i]));
    PyObject *result = leaves ? PyTuple_Pack(2, leaves, def) : NULL;
    kpy_leaves_drop(&l);
    Py_XDECREF(leaves);
    Py_XDECREF(def);
    return result;
}

static PyObject *register_node(PyObject *module, PyObject *args)
{
    PyObject *c, *to, *from;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &c, &to, &from))
        return NULL;
    if (PyDict_Contains(registry, c) > 0)
        return PyErr_Format(PyExc_ValueError, "Duplicate custom PyTreeDef type registration for %R.", c);
    PyObject *pair = PyTuple_Pack(2, to, from);
    int failed = !pair || PyDict_SetItem(registry, c, pair) < 0;
    Py_XDECREF(pair);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"flatten", flatten, METH_VARARGS, "flatten(tree, is_leaf=None)\n--\n\n(leaves, treedef)"},
    {"register_node", register_node, METH_VARARGS, "register_node(cls, flatten, unflatten)\n--\n\nA class as a node."},
    {0}};

int kpy_tree_make(PyObject *module)
{
    registry = PyDict_New();
    treedef_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!registry || !treedef_type || PyModule_AddObjectRef(module, "PyTreeDef", (PyObject *)treedef_type) < 0)
        return -1;
    return PyModule_AddFunctions(module, functions);
}
