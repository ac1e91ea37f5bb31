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
    bool mixed; /* made by a walk: some key of a dict is no str, so an equal key may be another one: 1, 1.0, True */
} treedef;
/* A tree that is deeper than this is refused, whatever Python's limit of recursion is: what has a treedef walks it with
 * the machine's stack. */
enum { DEEPEST = 5000 };
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

/* A walk that makes a treedef and a list of leaves. */
typedef struct walker {
    treedef *t;
    kpy_leaves *leaves;
    PyObject *is_leaf; /* or NULL */
    int depth;
} walker;
static int walk(walker *w, PyObject *o);

static int enter_level(int *depth)
{
    if (*depth >= DEEPEST)
        return PyErr_Format(PyExc_RecursionError, "a pytree is deeper than %d nodes, or contains itself", DEEPEST), -1;
    if (Py_EnterRecursiveCall(" in a pytree, which may contain itself") != 0)
        return -1;
    ++*depth;
    return 0;
}

static void leave_level(int *depth)
{
    --*depth;
    Py_LeaveRecursiveCall();
}

/* The functions of registered classes, and is_leaf, may change what is walked: children are counted again. */
static int walk_items(walker *w, PyObject *sequence, Py_ssize_t n)
{
    bool list = PyList_Check(sequence);
    for (Py_ssize_t i = 0; i < n; i++) {
        if (list && PyList_Size(sequence) != n)
            return PyErr_SetString(PyExc_RuntimeError, "a list changed its size while it was flattened"), -1;
        PyObject *item = Py_NewRef(list ? PyList_GetItem(sequence, i) : PyTuple_GetItem(sequence, i));
        int failed = walk(w, item);
        Py_DECREF(item);
        if (failed)
            return -1;
    }
    return 0;
}

static PyObject *sorted_keys(PyObject *dict)
{
    PyObject *keys = PyDict_Keys(dict);
    if (keys && PyList_Sort(keys) == 0)
        return keys;
    if (keys && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        PyErr_SetString(PyExc_ValueError, "Comparator raised exception while sorting pytree dictionary keys.");
    }
    Py_XDECREF(keys);
    return NULL;
}

static int walk_dict(walker *w, PyObject *o)
{
    PyObject *keys = sorted_keys(o);
    Py_ssize_t n = keys ? PyList_Size(keys) : 0;
    if (!keys || add_node(w->t, DICT, n, Py_NewRef(keys)) < 0) {
        Py_XDECREF(keys);
        return -1;
    }
    int failed = 0;
    for (Py_ssize_t i = 0; i < n && !failed; i++) {
        PyObject *key = PyList_GetItem(keys, i), *value = PyDict_GetItemWithError(o, key);
        if (!value && !PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError, "a dict lost a key while it was flattened");
        Py_XINCREF(value);
        w->t->mixed |= !PyUnicode_CheckExact(key);
        failed = !value || walk(w, value) < 0;
        Py_XDECREF(value);
    }
    Py_DECREF(keys);
    return failed ? -1 : 0;
}

/* What the flatten function of a registered class gives: its children as a tuple, and (class, aux data); 0 or -1. */
static int flatten_custom(PyObject *o, PyObject *functions, PyObject **children, PyObject **data)
{
    PyObject *flatten = Py_NewRef(PyTuple_GetItem(functions, 0));
    PyObject *pair = PyObject_CallFunctionObjArgs(flatten, o, NULL);
    *children = *data = NULL;
    if (pair && (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2))
        PyErr_SetString(PyExc_TypeError,
                        "the flatten function of a registered class has to return (children, aux_data)");
    else if (pair)
        *children = PySequence_Tuple(PyTuple_GetItem(pair, 0));
    if (*children)
        *data = PyTuple_Pack(2, (PyObject *)Py_TYPE(o), PyTuple_GetItem(pair, 1));
    Py_XDECREF(pair);
    Py_DECREF(flatten);
    if (*data)
        return 0;
    Py_XDECREF(*children);
    return -1;
}

static int walk_custom(walker *w, PyObject *o, PyObject *functions)
{
    PyObject *children, *data;
    if (flatten_custom(o, functions, &children, &data) < 0)
        return -1;
    Py_ssize_t n = PyTuple_Size(children);
    int failed = add_node(w->t, CUSTOM, n, data) < 0 || walk_items(w, children, n) < 0;
    Py_DECREF(children);
    return failed ? -1 : 0;
}

static int walk_node(walker *w, PyObject *o)
{
    Py_ssize_t n;
    if (o == Py_None)
        return add_node(w->t, NONE, 0, NULL);
    if (PyTuple_CheckExact(o))
        return add_node(w->t, TUPLE, n = PyTuple_Size(o), NULL) < 0 ? -1 : walk_items(w, o, n);
    if (PyList_CheckExact(o))
        return add_node(w->t, LIST, n = PyList_Size(o), NULL) < 0 ? -1 : walk_items(w, o, n);
    if (PyDict_CheckExact(o))
        return walk_dict(w, o);
    PyObject *functions = PyDict_GetItemWithError(registry, (PyObject *)Py_TYPE(o));
    if (functions)
        return walk_custom(w, o, functions);
    if (PyErr_Occurred())
        return -1;
    if (PyTuple_Check(o) && PyObject_HasAttrString(o, "_fields"))
        return add_node(w->t, NAMED, n = PyTuple_Size(o), Py_NewRef((PyObject *)Py_TYPE(o))) < 0 ? -1
                                                                                                 : walk_items(w, o, n);
    return add_node(w->t, LEAF, 0, NULL) < 0 ? -1 : add_leaf(w->leaves, o);
}

static int walk(walker *w, PyObject *o)
{
    if (Py_TYPE(o) == kpy_array_type && !w->is_leaf)
        return add_node(w->t, LEAF, 0, NULL) < 0 ? -1 : add_leaf(w->leaves, o);
    if (w->is_leaf) {
        PyObject *answer = PyObject_CallFunctionObjArgs(w->is_leaf, o, NULL);
        int yes = answer ? PyObject_IsTrue(answer) : -1;
        Py_XDECREF(answer);
        if (yes)
            return yes < 0 || add_node(w->t, LEAF, 0, NULL) < 0 ? -1 : add_leaf(w->leaves, o);
    }
    if (enter_level(&w->depth) < 0)
        return -1;
    int result = walk_node(w, o);
    leave_level(&w->depth);
    return result;
}

static PyObject *flatten_until(PyObject *tree, kpy_leaves *leaves, PyObject *is_leaf)
{
    treedef *t = new_treedef();
    *leaves = (kpy_leaves){0};
    if (t && walk(&(walker){t, leaves, is_leaf, 0}, tree) == 0)
        return (PyObject *)t;
    kpy_leaves_drop(leaves);
    Py_XDECREF((PyObject *)t);
    return NULL;
}

PyObject *kpy_flatten(PyObject *tree, kpy_leaves *leaves) { return flatten_until(tree, leaves, NULL); }

/* ---- And back. */

typedef struct builder {
    const treedef *t;
    Py_ssize_t at, leaf; /* the next node, the next leaf */
    PyObject *const *leaves;
    int depth;
} builder;

static PyObject *build_dict(const node *v, PyObject *items)
{
    PyObject *result = PyDict_New();
    for (Py_ssize_t i = 0; result && i < v->n; i++)
        if (PyDict_SetItem(result, PyList_GetItem(v->data, i), PyTuple_GetItem(items, i)) < 0) {
            Py_DECREF(result);
            return NULL;
        }
    return result;
}

static PyObject *build_custom(const node *v, PyObject *items)
{
    PyObject *functions = PyDict_GetItemWithError(registry, PyTuple_GetItem(v->data, 0));
    if (functions)
        return PyObject_CallFunctionObjArgs(PyTuple_GetItem(functions, 1), PyTuple_GetItem(v->data, 1), items, NULL);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "the class of a pytree is no longer registered");
    return NULL;
}

static PyObject *build(builder *b);

/* The node of these children, a list or a tuple of them. */
static PyObject *build_node(builder *b, const node *v)
{
    PyObject *items = v->kind == LIST ? PyList_New(v->n) : PyTuple_New(v->n);
    for (Py_ssize_t i = 0; items && i < v->n; i++) {
        PyObject *item = build(b);
        if (!item || (v->kind == LIST ? PyList_SetItem(items, i, item) : PyTuple_SetItem(items, i, item)) < 0) {
            Py_DECREF(items);
            return NULL;
        }
    }
    if (!items || v->kind == LIST || v->kind == TUPLE)
        return items;
    PyObject *result = v->kind == NAMED    ? PyObject_CallObject(v->data, items)
                       : v->kind == CUSTOM ? build_custom(v, items)
                                           : build_dict(v, items);
    Py_DECREF(items);
    return result;
}

static PyObject *build(builder *b)
{
    const node *v = &b->t->at[b->at++];
    if (v->kind == LEAF)
        return Py_NewRef(b->leaves[b->leaf++]);
    if (v->kind == NONE)
        Py_RETURN_NONE;
    if (enter_level(&b->depth) < 0)
        return NULL;
    PyObject *result = build_node(b, v);
    leave_level(&b->depth);
    return result;
}

PyObject *kpy_unflatten(PyObject *def, PyObject *const *leaves, Py_ssize_t n)
{
    const treedef *t = (const treedef *)def;
    if (n != t->leaves)
        return PyErr_Format(PyExc_ValueError, "Too %s leaves for PyTreeDef; expected %zd, got %zd.",
                            n < t->leaves ? "few" : "many", t->leaves, n);
    return build(&(builder){.t = t, .leaves = leaves});
}

/* ---- The type. */

/* Like a tuple it needs no clear: it cannot change, so a cycle through it goes through something that can. */
static int traverse(PyObject *o, visitproc visit, void *arg)
{
    const treedef *t = (const treedef *)o;
    Py_VISIT((PyObject *)Py_TYPE(o));
    for (Py_ssize_t i = 0; i < t->n; i++)
        Py_VISIT(t->at[i].data);
    return 0;
}

static void drop(PyObject *o)
{
    treedef *t = (treedef *)o;
    PyTypeObject *type = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
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

static PyObject *text(const treedef *t, Py_ssize_t *at, int *depth);

/* The texts of a node's children, joined; those of a dict with their keys. */
static PyObject *joined_children(const treedef *t, const node *v, Py_ssize_t *at, int *depth)
{
    PyObject *parts = PyList_New(v->n), *comma = PyUnicode_FromString(", "), *joined = NULL;
    for (Py_ssize_t i = 0; parts && i < v->n; i++) {
        PyObject *part = text(t, at, depth);
        if (part && v->kind == DICT) {
            PyObject *keyed = PyUnicode_FromFormat("%R: %U", PyList_GetItem(v->data, i), part);
            Py_DECREF(part);
            part = keyed;
        }
        if (!part || PyList_SetItem(parts, i, part) < 0) {
            Py_DECREF(parts);
            parts = NULL;
        }
    }
    if (parts && comma)
        joined = PyUnicode_Join(comma, parts);
    Py_XDECREF(parts);
    Py_XDECREF(comma);
    return joined;
}

static PyObject *text(const treedef *t, Py_ssize_t *at, int *depth)
{
    const node *v = &t->at[(*at)++];
    if (v->kind == LEAF)
        return PyUnicode_FromString("*");
    if (v->kind == NONE)
        return PyUnicode_FromString("None");
    if (enter_level(depth) < 0)
        return NULL;
    PyObject *joined = joined_children(t, v, at, depth), *result = NULL;
    leave_level(depth);
    if (!joined)
        return NULL;
    if (v->kind == TUPLE)
        result = PyUnicode_FromFormat(v->n == 1 ? "(%U,)" : "(%U)", joined);
    else if (v->kind == LIST)
        result = PyUnicode_FromFormat("[%U]", joined);
    else if (v->kind == DICT)
        result = PyUnicode_FromFormat("{%U}", joined);
    else {
        PyObject *c = v->kind == NAMED ? v->data : PyTuple_GetItem(v->data, 0),
                 *name = PyObject_GetAttrString(c, "__name__");
        if (name && v->kind == NAMED)
            result = PyUnicode_FromFormat("CustomNode(namedtuple[%U], [%U])", name, joined);
        else if (name)
            result = PyUnicode_FromFormat("CustomNode(%U[%S], [%U])", name, PyTuple_GetItem(v->data, 1), joined);
        Py_XDECREF(name);
    }
    Py_DECREF(joined);
    return result;
}

static PyObject *repr(PyObject *o)
{
    Py_ssize_t at = 0;
    int depth = 0;
    PyObject *s = text((treedef *)o, &at, &depth), *result = s ? PyUnicode_FromFormat("PyTreeDef(%U)", s) : NULL;
    Py_XDECREF(s);
    return result;
}

/* The end of the subtree at a node. */
static Py_ssize_t after(const treedef *t, Py_ssize_t i)
{
    for (Py_ssize_t wanted = 1; wanted; wanted--)
        wanted += t->at[i++].n;
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

/* (class, keys or aux data) of the root, None of a leaf. */
static PyObject *node_data(PyObject *o, PyObject *unused)
{
    const node *v = ((const treedef *)o)->at;
    (void)unused;
    switch (v->kind) {
    case LEAF: Py_RETURN_NONE;
    case NONE: return PyTuple_Pack(2, (PyObject *)Py_TYPE(Py_None), Py_None);
    case TUPLE: return PyTuple_Pack(2, (PyObject *)&PyTuple_Type, Py_None);
    case LIST: return PyTuple_Pack(2, (PyObject *)&PyList_Type, Py_None);
    case NAMED: return PyTuple_Pack(2, v->data, Py_None);
    case CUSTOM: return Py_NewRef(v->data);
    case DICT: break;
    }
    PyObject *keys = PySequence_List(v->data), *pair = keys ? PyTuple_Pack(2, (PyObject *)&PyDict_Type, keys) : NULL;
    Py_XDECREF(keys);
    return pair;
}

/* Two tuples: the classes of named tuples, and the types of dicts' keys, in the order of the nodes. None: there are
 * nodes of registered classes. */
static PyObject *types(PyObject *o, PyObject *unused)
{
    const treedef *t = (const treedef *)o;
    PyObject *named = PyList_New(0), *keys = PyList_New(0), *pair = NULL;
    int failed = !named || !keys;
    bool registered = false;
    (void)unused;
    for (Py_ssize_t i = 0; !failed && !registered && i < t->n; i++) {
        const node *v = &t->at[i];
        registered = v->kind == CUSTOM;
        if (v->kind == NAMED)
            failed = PyList_Append(named, v->data) < 0;
        for (Py_ssize_t k = 0; !failed && v->kind == DICT && k < v->n; k++)
            failed = PyList_Append(keys, (PyObject *)Py_TYPE(PyList_GetItem(v->data, k))) < 0;
    }
    if (!failed)
        pair = registered ? Py_NewRef(Py_None) : Py_BuildValue("(NN)", PyList_AsTuple(named), PyList_AsTuple(keys));
    Py_XDECREF(named);
    Py_XDECREF(keys);
    return pair;
}

PyObject *kpy_tree_key(PyObject *def)
{
    const treedef *t = (const treedef *)def;
    if (!t->mixed)
        return Py_NewRef(def);
    PyObject *of_keys = PyList_New(0);
    int failed = !of_keys;
    for (Py_ssize_t i = 0; !failed && i < t->n; i++)
        for (Py_ssize_t k = 0; !failed && t->at[i].kind == DICT && k < t->at[i].n; k++)
            failed = PyList_Append(of_keys, (PyObject *)Py_TYPE(PyList_GetItem(t->at[i].data, k))) < 0;
    PyObject *key = failed ? NULL : Py_BuildValue("(ON)", def, PyList_AsTuple(of_keys));
    Py_XDECREF(of_keys);
    return key;
}

/* ---- The subtrees of another tree that stand where a treedef has its leaves. */

static int wrong(PyObject *message)
{
    if (message)
        PyErr_SetObject(PyExc_ValueError, message);
    Py_XDECREF(message);
    return -1;
}

static int check_count(const char *what, const char *label, Py_ssize_t got, Py_ssize_t want, PyObject *o)
{
    if (got == want)
        return 0;
    return wrong(PyUnicode_FromFormat("%s arity mismatch: %zd != %zd; %s: %R.", what, got, want, label, o));
}

/* The children as a new tuple, where o is a node like v; NULL with a ValueError where it is another. */
static PyObject *children_like(const node *v, PyObject *o)
{
    if (v->kind == TUPLE || v->kind == LIST) {
        bool list = v->kind == LIST;
        if (list ? !PyList_CheckExact(o) : !PyTuple_CheckExact(o))
            return wrong(PyUnicode_FromFormat("Expected %s, got %R.", list ? "list" : "tuple", o)), NULL;
        PyObject *items = PySequence_Tuple(o);
        if (items && check_count(list ? "List" : "Tuple", list ? "list" : "tuple", PyTuple_Size(items), v->n, o) < 0) {
            Py_DECREF(items);
            return NULL;
        }
        return items;
    }
    if (v->kind == NAMED) {
        if (!PyTuple_Check(o) || !PyObject_HasAttrString(o, "_fields"))
            return wrong(PyUnicode_FromFormat("Expected named tuple, got %R.", o)), NULL;
        if (check_count("Named tuple", "tuple", PyTuple_Size(o), v->n, o) < 0)
            return NULL;
        if ((PyObject *)Py_TYPE(o) != v->data)
            return wrong(PyUnicode_FromFormat("Named tuple type mismatch: expected type: %R, tuple: %R.", v->data, o)),
                   NULL;
        return PySequence_Tuple(o);
    }
    PyObject *children, *data, *functions = PyDict_GetItemWithError(registry, PyTuple_GetItem(v->data, 0));
    if (!functions || (PyObject *)Py_TYPE(o) != PyTuple_GetItem(v->data, 0)) {
        if (!PyErr_Occurred())
            wrong(PyUnicode_FromFormat("Custom node type mismatch: expected type: %R, value: %R.",
                                       PyTuple_GetItem(v->data, 0), o));
        return NULL;
    }
    if (flatten_custom(o, functions, &children, &data) < 0)
        return NULL;
    int same = PyObject_RichCompareBool(v->data, data, Py_EQ);
    if (same == 0)
        wrong(PyUnicode_FromFormat("Mismatch custom node data: %R != %R; value: %R.", PyTuple_GetItem(v->data, 1),
                                   PyTuple_GetItem(data, 1), o));
    if (same <= 0 || check_count("Custom type", "value", PyTuple_Size(children), v->n, o) < 0) {
        Py_DECREF(children);
        children = NULL;
    }
    Py_DECREF(data);
    return children;
}

static PyObject *values_like(const node *v, PyObject *o)
{
    if (!PyDict_CheckExact(o))
        return wrong(PyUnicode_FromFormat("Expected dict, got %R.", o)), NULL;
    PyObject *keys = sorted_keys(o), *values = NULL;
    int same = keys ? PyObject_RichCompareBool(keys, v->data, Py_EQ) : -1;
    if (same == 0)
        wrong(PyUnicode_FromFormat("Dict key mismatch; expected keys: %R; present keys: %R.", v->data, keys));
    if (same > 0)
        values = PyTuple_New(v->n);
    for (Py_ssize_t i = 0; values && i < v->n; i++) {
        PyObject *value = PyDict_GetItemWithError(o, PyList_GetItem(v->data, i));
        if (!value) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_RuntimeError, "a dict lost a key while it was flattened");
            Py_DECREF(values);
            values = NULL;
        } else
            PyTuple_SetItem(values, i, Py_NewRef(value));
    }
    Py_XDECREF(keys);
    return values;
}

static int walk_up_to(const treedef *t, Py_ssize_t *at, PyObject *o, PyObject *out, int *depth)
{
    const node *v = &t->at[(*at)++];
    if (v->kind == LEAF)
        return PyList_Append(out, o);
    if (v->kind == NONE)
        return o == Py_None ? 0 : wrong(PyUnicode_FromFormat("Expected None, got %R.", o));
    if (enter_level(depth) < 0)
        return -1;
    PyObject *items = v->kind == DICT ? values_like(v, o) : children_like(v, o);
    int failed = !items;
    for (Py_ssize_t i = 0; !failed && i < v->n; i++)
        failed = walk_up_to(t, at, PyTuple_GetItem(items, i), out, depth) < 0;
    Py_XDECREF(items);
    leave_level(depth);
    return failed ? -1 : 0;
}

static PyObject *flatten_up_to(PyObject *o, PyObject *tree)
{
    PyObject *out = PyList_New(0);
    Py_ssize_t at = 0;
    int depth = 0;
    if (out && walk_up_to((const treedef *)o, &at, tree, out, &depth) < 0) {
        Py_DECREF(out);
        return NULL;
    }
    return out;
}

/* The treedef of trees of another one in the places of the leaves. */
static PyObject *compose(PyObject *o, PyObject *inner)
{
    const treedef *t = (const treedef *)o, *u = (const treedef *)inner;
    if (Py_TYPE(inner) != treedef_type)
        return PyErr_Format(PyExc_TypeError, "compose: a PyTreeDef is wanted, not %R", inner);
    treedef *s = new_treedef();
    int failed = !s;
    for (Py_ssize_t i = 0; !failed && i < t->n; i++) {
        if (t->at[i].kind != LEAF)
            failed = add_node(s, t->at[i].kind, t->at[i].n, Py_XNewRef(t->at[i].data)) < 0;
        else
            for (Py_ssize_t k = 0; !failed && k < u->n; k++)
                failed = add_node(s, u->at[k].kind, u->at[k].n, Py_XNewRef(u->at[k].data)) < 0;
    }
    if (failed) {
        Py_XDECREF((PyObject *)s);
        return NULL;
    }
    return (PyObject *)s;
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
     "node_data($self, /)\n--\n\nWhat the root is: (class, keys or aux data); None of a leaf."},
    {"types", types, METH_NOARGS,
     "types($self, /)\n--\n\n(The classes of named tuples, the types of dicts' keys); None if there are registered "
     "classes."},
    {"flatten_up_to", flatten_up_to, METH_O,
     "flatten_up_to($self, tree, /)\n--\n\nThe subtrees of a tree that stand in the places of the leaves."},
    {"compose", compose, METH_O,
     "compose($self, inner, /)\n--\n\nThe treedef with trees of another one in the places of its leaves."},
    {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, drop},
                              {Py_tp_traverse, traverse},
                              {Py_tp_repr, repr},
                              {Py_tp_richcompare, compare},
                              {Py_tp_hash, hash},
                              {Py_tp_getset, getset},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "What a pytree is without its leaves."},
                              {0, NULL}};
static PyType_Spec spec = {"kiln.tree_util.PyTreeDef", sizeof(treedef), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           slots};

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
    if (!PyType_Check(c))
        return PyErr_Format(PyExc_TypeError, "a class is wanted, not %R", c);
    if (PyDict_Contains(registry, c) > 0 || c == (PyObject *)&PyTuple_Type || c == (PyObject *)&PyList_Type ||
        c == (PyObject *)&PyDict_Type || c == (PyObject *)Py_TYPE(Py_None))
        return PyErr_Format(PyExc_ValueError, "Duplicate custom PyTreeDef type registration for %R.", c);
    PyObject *pair = PyTuple_Pack(2, to, from);
    int failed = !pair || PyDict_SetItem(registry, c, pair) < 0;
    Py_XDECREF(pair);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *is_registered(PyObject *module, PyObject *c)
{
    int yes = PyDict_Contains(registry, c);
    (void)module;
    return yes < 0 ? NULL : PyBool_FromLong(yes);
}

static PyMethodDef functions[] = {
    {"is_registered", is_registered, METH_O, "is_registered(cls)\n--\n\nIs this class a node?"},
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
