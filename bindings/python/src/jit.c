/* SPDX-License-Identifier: Apache-2.0
 * jit.c -- kiln.jit: a Python function with its compiled programs, found by the structure of the arguments and the
 * values of the static ones. The way of a call that was seen before stays in C. */
#include "function.h"
#include <string.h>

typedef struct jit {
    PyObject_HEAD PyObject *fun,
        *make;                        /* make(treedef, statics, leaves) -> (Function, holder of the result's treedef) */
    PyObject *cache;                  /* (treedef, statics) or treedef -> what make returned */
    PyObject *static_names, *resolve; /* resolve(args, kwargs) -> (args, kwargs, statics), where some are static */
    PyObject *dict, *weak;
} jit;
static PyTypeObject *jit_type;

static int clear(PyObject *o)
{
    jit *j = (jit *)o;
    PyObject **all[] = {&j->fun, &j->make, &j->cache, &j->static_names, &j->resolve, &j->dict};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        PyObject *before = *all[i];
        *all[i] = NULL;
        Py_XDECREF(before);
    }
    return 0;
}

static int traverse(PyObject *o, visitproc visit, void *arg)
{
    jit *j = (jit *)o;
    Py_VISIT((PyObject *)Py_TYPE(o));
    Py_VISIT(j->fun);
    Py_VISIT(j->make);
    Py_VISIT(j->cache);
    Py_VISIT(j->resolve);
    Py_VISIT(j->dict);
    return 0;
}

static void drop(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    if (((jit *)o)->weak)
        PyObject_ClearWeakRefs(o);
    clear(o);
    ((freefunc)PyType_GetSlot(t, Py_tp_free))(o);
    Py_DECREF(t);
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *names[] = {"fun", "make", "resolve", NULL};
    PyObject *fun, *make, *resolve = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "OO|O", names, &fun, &make, &resolve))
        return NULL;
    jit *j = (jit *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!j)
        return NULL;
    j->fun = Py_NewRef(fun);
    j->make = Py_NewRef(make);
    j->resolve = resolve == Py_None ? NULL : Py_NewRef(resolve);
    j->cache = PyDict_New();
    j->dict = PyDict_New();
    if (!j->cache || !j->dict) {
        Py_DECREF((PyObject *)j);
        return NULL;
    }
    return (PyObject *)j;
}

/* What functions may read when they are recorded, beside their arguments: the mesh of the block, or NULL. */
static _Thread_local PyObject *context;

static PyObject *set_context(PyObject *module, PyObject *o)
{
    PyObject *before = context;
    (void)module;
    context = o == Py_None ? NULL : Py_NewRef(o);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static PyObject *key_of(PyObject *tree, PyObject *statics)
{
    if (context)
        return PyTuple_Pack(3, tree, statics ? statics : Py_None, context);
    return statics ? PyTuple_Pack(2, tree, statics) : Py_NewRef(tree);
}

/* What is known for this key, or made for it; borrowed. */
static PyObject *entry_of(jit *j, PyObject *def, PyObject *statics, const kpy_leaves *leaves)
{
    PyObject *tree = kpy_tree_key(def), *key = tree ? key_of(tree, statics) : NULL;
    PyObject *entry = key ? PyDict_GetItemWithError(j->cache, key) : NULL;
    if (!entry && key && !PyErr_Occurred()) {
        PyObject *made = PyObject_CallFunction(j->make, "OOn", def, statics ? statics : Py_None, leaves->n);
        if (made && PyDict_SetItem(j->cache, key, made) == 0)
            entry = made;
        Py_XDECREF(made); /* the dictionary has it */
    }
    Py_XDECREF(key);
    Py_XDECREF(tree);
    return entry;
}

static PyObject *run(PyObject *entry, const kpy_leaves *leaves)
{
    kpy_function *f = (kpy_function *)PyTuple_GetItem(entry, 0);
    PyObject *holder = PyTuple_GetItem(entry, 1), *split = PyTuple_GetItem(entry, 2), *list = NULL, *result = NULL;
    kpy_operand few[16], *x = leaves->n <= 16 ? few : PyMem_Malloc((size_t)leaves->n * sizeof *x);
    kn_array few_handles[32], *h = leaves->n <= 16 ? few_handles : PyMem_Malloc(2 * (size_t)leaves->n * sizeof *h);
    Py_ssize_t n = 0, n_first = 0, n_second = 0;
    bool large = f->n_out < 0 || f->large || ++f->calls % 64 == 0;
    if (!x || !h) {
        PyErr_NoMemory();
        goto end;
    }
    for (; n < leaves->n; n++) {
        if (kpy_operand_of(leaves->at[n], &x[n]) < 0)
            goto end;
    }
    /* `split` says by a byte which leaves are donated: they are the second part */
    const char *donated = split == Py_None ? NULL : PyBytes_AsString(split);
    for (Py_ssize_t i = 0; i < n; i++)
        if (donated && donated[i])
            h[leaves->n + n_second++] = x[i].h;
        else
            h[n_first++] = x[i].h;
    if (large) { /* whether it is worth letting other threads go on; sizes are looked at now and then */
        f->large = f->n_out < 0;
        for (Py_ssize_t i = 0; i < n; i++)
            f->large = f->large || kn_size(x[i].h) > 32768;
        large = f->large;
    }
    kn_args args = {donated ? 2 : 1, {{h, (size_t)n_first * sizeof *h}, {h + leaves->n, (size_t)n_second * sizeof *h}}};
    kpy_here();
    list = kpy_function_call(f, &args, large);
    PyObject *def = list ? PyDict_GetItemString(holder, "tree") : NULL;
    if (def == Py_None) { /* the structure depends on the types of the arguments */
        PyObject *find = PyDict_GetItemString(holder, "find"), *all = PyTuple_New(leaves->n);
        for (Py_ssize_t i = 0; all && i < leaves->n; i++)
            PyTuple_SetItem(all, i, Py_NewRef(leaves->at[i]));
        PyObject *found = find && all ? PyObject_CallFunctionObjArgs(find, all, NULL) : NULL;
        Py_XDECREF(all);
        if (found) {
            PyObject *at[1] = {list};
            (void)at;
            result = PyObject_CallMethod(found, "unflatten", "O", list);
            Py_DECREF(found);
        }
    } else if (def) {
        Py_ssize_t count = PyList_Size(list);
        PyObject *few_items[32], **items = count <= 32 ? few_items : PyMem_Malloc((size_t)count * sizeof *items);
        for (Py_ssize_t i = 0; items && i < count; i++)
            items[i] = PyList_GetItem(list, i);
        result = items ? kpy_unflatten(def, items, count) : PyErr_NoMemory();
        if (items != few_items)
            PyMem_Free(items);
    } else if (list)
        PyErr_SetString(PyExc_RuntimeError, "the structure of the result is not known");
end:
    for (Py_ssize_t i = 0; x && i < n; i++)
        kpy_operand_drop(&x[i]);
    if (x != few)
        PyMem_Free(x);
    if (h != few_handles)
        PyMem_Free(h);
    Py_XDECREF(list);
    return result;
}

static PyObject *call(PyObject *self, PyObject *args, PyObject *kw)
{
    jit *j = (jit *)self;
    PyObject *statics = NULL, *resolved = NULL, *pair = NULL, *def = NULL, *result = NULL, *empty = NULL;
    kpy_leaves leaves = {0};
    if (!kw && !(kw = empty = PyDict_New()))
        return NULL;
    if (j->resolve) {
        resolved = PyObject_CallFunctionObjArgs(j->resolve, args, kw, NULL);
        if (!resolved || !PyTuple_Check(resolved) || PyTuple_Size(resolved) != 3)
            goto end;
        args = PyTuple_GetItem(resolved, 0);
        kw = PyTuple_GetItem(resolved, 1);
        statics = PyTuple_GetItem(resolved, 2);
    }
    pair = PyTuple_Pack(2, args, kw);
    def = pair ? kpy_flatten(pair, &leaves) : NULL;
    if (def && kpy_enter_scope() == 0) {
        PyObject *entry = entry_of(j, def, statics, &leaves);
        if (entry) {
            Py_INCREF(entry); /* a function that clears the cache while it is traced */
            result = run(entry, &leaves);
            Py_DECREF(entry);
        }
        kpy_leave_scope();
    }
end:
    kpy_leaves_drop(&leaves);
    Py_XDECREF(def);
    Py_XDECREF(pair);
    Py_XDECREF(resolved);
    Py_XDECREF(empty);
    return result;
}

/* As a function in a class: bound to the instance. */
static PyObject *get(PyObject *self, PyObject *instance, PyObject *type)
{
    (void)type;
    if (!instance || instance == Py_None)
        return Py_NewRef(self);
    PyObject *types = PyImport_ImportModule("types");
    PyObject *bound = types ? PyObject_CallMethod(types, "MethodType", "OO", self, instance) : NULL;
    Py_XDECREF(types);
    return bound;
}

static PyObject *clear_cache(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyDict_Clear(((jit *)self)->cache);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"clear_cache", clear_cache, METH_NOARGS, "clear_cache($self, /)\n--\n\nForgets all compiled programs."}, {0}};
static PyMethodDef functions[] = {
    {"set_jit_context", set_context, METH_O,
     "set_jit_context(o)\n--\n\nPrograms of this thread are kept for each such object; None: for none."},
    {0}};
static PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(jit, weak), READONLY, NULL},
                                {"__dictoffset__", T_PYSSIZET, offsetof(jit, dict), READONLY, NULL},
                                {"__wrapped__", T_OBJECT, offsetof(jit, fun), 0, "the function"},
                                {"cache", T_OBJECT, offsetof(jit, cache), READONLY, "what was compiled"},
                                {0}};
static PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL}, {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, drop},
                              {Py_tp_traverse, traverse},
                              {Py_tp_clear, clear},
                              {Py_tp_new, new},
                              {Py_tp_call, call},
                              {Py_tp_descr_get, get},
                              {Py_tp_methods, methods},
                              {Py_tp_members, members},
                              {Py_tp_getset, getset},
                              {Py_tp_doc, "A function that is compiled when it is called."},
                              {0, NULL}};
static PyType_Spec spec = {"kiln.PjitFunction", sizeof(jit), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

int kpy_jit_make(PyObject *module)
{
    jit_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!jit_type || PyModule_AddFunctions(module, functions) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "Jit", (PyObject *)jit_type);
}
