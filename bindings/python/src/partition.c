/* SPDX-License-Identifier: Apache-2.0
 * partition.c -- how a jaxpr would run over a mesh, and checkpoints of arrays that are spread. */
#include "function.h"
#include "kiln/checkpoint.h"
#include "kiln/partition.h"
#include <string.h>

static kn_jaxpr jaxpr_of(PyObject *o)
{
    void *h = NULL;
    return kpy_handle_of(o, &h) == 0 ? h : NULL;
}

/* partition_jaxpr(jaxpr, mesh, in_specs) -> (jaxpr of a device, specs of the results, decisions) */
static PyObject *partition(PyObject *module, PyObject *args)
{
    PyObject *o, *capsule, *result = NULL;
    const char *specs;
    kn_mesh mesh;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOs", &o, &capsule, &specs) || !(mesh = PyCapsule_GetPointer(capsule, "kiln.mesh")))
        return NULL;
    kn_jaxpr j = jaxpr_of(o);
    if (!j || kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    kn_partitioned p = kn_partition_jaxpr(j, mesh, specs);
    PyObject *jaxpr = kpy_failed() ? NULL : kpy_wrap_handle(p.jaxpr);
    if (jaxpr)
        result = Py_BuildValue("Nss", jaxpr, p.out_specs, p.decisions);
    kpy_leave_scope();
    return result;
}

/* communication_of(jaxpr, latency, bandwidth) -> (bytes, messages, collectives, seconds, the same as a table) */
static PyObject *communication(PyObject *module, PyObject *args)
{
    PyObject *o, *result = NULL;
    kn_communication_opts opts = kn_communication_opts_default();
    (void)module;
    if (!PyArg_ParseTuple(args, "Odd", &o, &opts.latency, &opts.bandwidth))
        return NULL;
    kn_jaxpr j = jaxpr_of(o);
    if (!j || kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    kn_communication c = kn_communication_of(j, &opts);
    const char *text = kn_communication_text(j, &opts);
    if (!kpy_failed())
        result = Py_BuildValue("dddds", c.bytes, c.messages, c.collectives, c.seconds, text);
    kpy_leave_scope();
    return result;
}

/* ---- Trees with their structure: dicts with texts as keys, lists, tuples, None and arrays. */

static kn_tree tree_of(PyObject *o);

static kn_tree dict_of(PyObject *o)
{
    PyObject *items = PyDict_Items(o);
    Py_ssize_t n = items ? PyList_Size(items) : -1;
    kn_tree_item *item = n < 0 ? NULL : PyMem_Calloc((size_t)n + 1, sizeof *item);
    kn_tree tree = NULL;
    bool whole = item != NULL;
    for (Py_ssize_t i = 0; whole && i < n; i++) {
        PyObject *pair = PyList_GetItem(items, i);
        item[i].name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(pair, 0), NULL);
        item[i].tree = item[i].name ? tree_of(PyTuple_GetItem(pair, 1)) : NULL;
        whole = item[i].tree != NULL;
    }
    if (whole)
        tree = kn_tree_dict((int)n, item);
    PyMem_Free(item);
    Py_XDECREF(items);
    return tree;
}

static kn_tree tree_of(PyObject *o)
{
    if (o == Py_None)
        return kn_tree_none();
    if (KPY_IS_ARRAY(o))
        return kn_tree_leaf(KPY_HANDLE(o));
    if (PyDict_Check(o))
        return dict_of(o);
    bool tuple = PyTuple_Check(o);
    if (!tuple && !PyList_Check(o))
        return PyErr_Format(PyExc_TypeError, "no tree of dicts, lists, tuples and arrays: %R", o), NULL;
    Py_ssize_t n = tuple ? PyTuple_Size(o) : PyList_Size(o);
    kn_tree *child = PyMem_Calloc((size_t)n + 1, sizeof *child), tree = NULL;
    bool whole = child != NULL;
    for (Py_ssize_t i = 0; whole && i < n; i++)
        whole = (child[i] = tree_of(tuple ? PyTuple_GetItem(o, i) : PyList_GetItem(o, i))) != NULL;
    if (whole)
        tree = (tuple ? kn_tree_tuple : kn_tree_list)((int)n, child);
    PyMem_Free(child);
    return tree;
}

/* save_checkpoint(path, tree) */
static PyObject *save(PyObject *module, PyObject *args)
{
    const char *path;
    PyObject *o;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO", &path, &o) || kpy_enter_scope() < 0)
        return NULL;
    kn_tree tree = tree_of(o);
    if (tree && !PyErr_Occurred()) {
        kpy_here();
        KPY_WITHOUT_GIL(kn_save_checkpoint(path, tree));
    }
    bool failed = PyErr_Occurred() || kpy_failed();
    kpy_leave_scope();
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

/* load_checkpoint(path, like, sharding) -> leaves */
static PyObject *load(PyObject *module, PyObject *args)
{
    const char *path;
    PyObject *like, *sharding, *result = NULL;
    kn_load_checkpoint_opts opts = {.size_ = sizeof opts};
    (void)module;
    if (!PyArg_ParseTuple(args, "sOO", &path, &like, &sharding) ||
        (sharding != Py_None && !(opts.sharding = PyCapsule_GetPointer(sharding, "kiln.sharding"))) ||
        kpy_enter_scope() < 0)
        return NULL;
    opts.like = like == Py_None ? NULL : tree_of(like);
    if (!PyErr_Occurred() && (like == Py_None || opts.like)) {
        kn_tree tree = NULL;
        kpy_here();
        KPY_WITHOUT_GIL(tree = kn_load_checkpoint(path, &opts));
        result = kpy_list_of_tree(tree);
    } else
        kpy_failed();
    kpy_leave_scope();
    return result;
}

/* load_npy_sharded(path, sharding, max_header_size) */
static PyObject *load_npy(PyObject *module, PyObject *args)
{
    const char *path;
    PyObject *o;
    long long most;
    kn_sharding s;
    kn_load_npy_sharded_opts opts = kn_load_npy_sharded_opts_default();
    (void)module;
    if (!PyArg_ParseTuple(args, "sOL", &path, &o, &most) || !(s = PyCapsule_GetPointer(o, "kiln.sharding")) ||
        kpy_enter_scope() < 0)
        return NULL;
    opts.max_header_size = most;
    kpy_here();
    PyObject *result = kpy_wrap(kn_load_npy_sharded(path, s, &opts));
    kpy_leave_scope();
    return result;
}

static PyMethodDef functions[] = {
    {"partition_jaxpr", partition, METH_VARARGS, "partition_jaxpr(jaxpr, mesh, in_specs)\n--\n\nkn_partition_jaxpr"},
    {"communication_of", communication, METH_VARARGS,
     "communication_of(jaxpr, latency, bandwidth)\n--\n\nkn_communication_of and kn_communication_text"},
    {"save_checkpoint", save, METH_VARARGS, "save_checkpoint(path, tree)\n--\n\nkn_save_checkpoint"},
    {"load_checkpoint", load, METH_VARARGS, "load_checkpoint(path, like, sharding)\n--\n\nThe leaves, a list."},
    {"load_npy_sharded", load_npy, METH_VARARGS, "load_npy_sharded(path, sharding, max_header_size)\n--\n\nThe array."},
    {0}};

int kpy_partition_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
