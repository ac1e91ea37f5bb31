/* SPDX-License-Identifier: Apache-2.0
 * mesh.c -- meshes of devices, shardings, arrays that are spread, and functions that are written for one device.
 *
 * Meshes and shardings of Kiln's live as long as the process, and equal ones are one pointer: in Python each is one
 * capsule, so that equal ones are one object there, too. */
#include "function.h"
#include "kiln/distributed.h"
#include "kiln/shard_map.h"

static const char MESH[] = "kiln.mesh", SHARDING[] = "kiln.sharding";

/* The capsule of it; None of NULL. An exception if an error is pending. The context is entered. */
static PyObject *wrap(const void *p, const char *kind)
{
    static PyObject *known;
    if (kpy_failed() || (!known && !(known = PyDict_New())))
        return NULL;
    if (!p)
        Py_RETURN_NONE;
    PyObject *key = PyLong_FromVoidPtr((void *)(uintptr_t)p);
    PyObject *capsule = key ? Py_XNewRef(PyDict_GetItemWithError(known, key)) : NULL;
    if (key && !capsule && !PyErr_Occurred()) {
        capsule = PyCapsule_New((void *)(uintptr_t)p, kind, NULL);
        if (capsule && PyDict_SetItem(known, key, capsule) < 0)
            Py_CLEAR(capsule);
    }
    Py_XDECREF(key);
    return capsule;
}

static kn_mesh mesh_of(PyObject *o) { return PyCapsule_GetPointer(o, MESH); }
static kn_sharding sharding_of(PyObject *o) { return PyCapsule_GetPointer(o, SHARDING); }

static PyObject *text_of(const char *s) { return kpy_failed() ? NULL : PyUnicode_FromString(s ? s : ""); }

/* What is done with the arguments, while the context is entered. */
typedef PyObject *work(PyObject *args);

static PyObject *within(work *f, PyObject *args)
{
    if (kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    PyObject *result = f(args);
    if ((result || !PyErr_Occurred()) && kpy_failed())
        Py_CLEAR(result);
    kpy_leave_scope();
    return result;
}

#define FUNCTION(name)                                                                                          \
    static PyObject *name##_work(PyObject *args);                                                               \
    static PyObject *name(PyObject *module, PyObject *args) { return (void)module, within(name##_work, args); } \
    static PyObject *name##_work(PyObject *args)

static kn_array array_of(PyObject *o)
{
    if (KPY_IS_ARRAY(o))
        return KPY_HANDLE(o);
    PyErr_Format(PyExc_TypeError, "%R is not an array of Kiln's", o);
    return NULL;
}

/* ---- Meshes and shardings. */

FUNCTION(make_mesh)
{
    PyObject *sizes, *devices;
    kn_shape shape;
    kpy_operand numbers = {0};
    kn_make_mesh_opts opts = {.size_ = sizeof opts};
    const char *names;
    int abstract;
    if (!PyArg_ParseTuple(args, "OsOp", &sizes, &names, &devices, &abstract) || kpy_shape_of(sizes, &shape) < 0 ||
        (devices != Py_None && kpy_operand_of(devices, &numbers) < 0))
        return NULL;
    opts.devices = numbers.h;
    opts.abstract = abstract;
    PyObject *mesh = wrap(kn_make_mesh(&shape, names, &opts), MESH);
    if (devices != Py_None)
        kpy_operand_drop(&numbers);
    return mesh;
}

/* mesh_axes(mesh) -> ((name, size), ...) */
FUNCTION(mesh_axes)
{
    PyObject *o;
    kn_mesh m;
    if (!PyArg_ParseTuple(args, "O", &o) || !(m = mesh_of(o)))
        return NULL;
    kn_shape shape = kn_mesh_shape(m);
    PyObject *axes = PyTuple_New(shape.ndim);
    for (int i = 0; axes && i < shape.ndim; i++)
        PyTuple_SetItem(axes, i, Py_BuildValue("sL", kn_mesh_axis_name(m, i), (long long)shape.dim[i]));
    return axes;
}

FUNCTION(named_sharding)
{
    PyObject *o;
    const char *spec;
    kn_mesh m;
    if (!PyArg_ParseTuple(args, "Os", &o, &spec) || !(m = mesh_of(o)))
        return NULL;
    return wrap(kn_named_sharding(m, spec), SHARDING);
}

/* sharding_parts(sharding) -> (mesh, spec as a text) */
FUNCTION(sharding_parts)
{
    PyObject *o;
    kn_sharding s;
    if (!PyArg_ParseTuple(args, "O", &o) || !(s = sharding_of(o)))
        return NULL;
    PyObject *mesh = wrap(kn_sharding_mesh(s), MESH), *spec = mesh ? text_of(kn_sharding_spec(s)) : NULL;
    PyObject *both = spec ? PyTuple_Pack(2, mesh, spec) : NULL;
    Py_XDECREF(mesh);
    Py_XDECREF(spec);
    return both;
}

FUNCTION(sharding_is_equivalent)
{
    PyObject *a, *b;
    int ndim;
    kn_sharding x, y;
    if (!PyArg_ParseTuple(args, "OOi", &a, &b, &ndim) || !(x = sharding_of(a)) || !(y = sharding_of(b)))
        return NULL;
    return PyBool_FromLong(kn_sharding_is_equivalent(x, y, ndim));
}

FUNCTION(sharding_shard_shape)
{
    PyObject *o, *dims;
    kn_sharding s;
    kn_shape shape;
    if (!PyArg_ParseTuple(args, "OO", &o, &dims) || !(s = sharding_of(o)) || kpy_shape_of(dims, &shape) < 0)
        return NULL;
    shape = kn_sharding_shard_shape(s, &shape);
    return kpy_failed() ? NULL : kpy_tuple_of_shape(&shape);
}

FUNCTION(visualize_sharding)
{
    PyObject *o, *dims;
    kn_sharding s;
    kn_shape shape;
    if (!PyArg_ParseTuple(args, "OO", &dims, &o) || !(s = sharding_of(o)) || kpy_shape_of(dims, &shape) < 0)
        return NULL;
    return text_of(kn_visualize_sharding(&shape, s));
}

/* ---- Arrays. */

FUNCTION(shard)
{
    PyObject *x, *o;
    kn_sharding s;
    if (!PyArg_ParseTuple(args, "O!O", kpy_array_type, &x, &o) || !(s = sharding_of(o)))
        return NULL;
    return kpy_wrap(kn_shard(KPY_HANDLE(x), s));
}

FUNCTION(sharding_constraint)
{
    PyObject *x, *o;
    kn_sharding s;
    if (!PyArg_ParseTuple(args, "O!O", kpy_array_type, &x, &o) || !(s = sharding_of(o)))
        return NULL;
    return kpy_wrap(kn_with_sharding_constraint(KPY_HANDLE(x), s));
}

static PyObject *sharding_of_array_work(PyObject *x)
{
    kn_array h = array_of(x);
    return h ? wrap(kn_sharding_of(h), SHARDING) : NULL;
}

static PyObject *is_replicated_work(PyObject *x)
{
    kn_array h = array_of(x);
    return h ? PyBool_FromLong(kn_is_fully_replicated(h)) : NULL;
}

static PyObject *is_addressable_work(PyObject *x)
{
    kn_array h = array_of(x);
    return h ? PyBool_FromLong(kn_is_fully_addressable(h)) : NULL;
}

/* [(device, replica, start, shape, data), ...] */
static PyObject *shards_work(PyObject *x)
{
    kn_array h = array_of(x);
    int n = h ? kn_addressable_shards(h, 0, NULL) : -1;
    if (n < 0)
        return kpy_failed(), NULL;
    kn_shard_info *part = PyMem_Calloc((size_t)n + 1, sizeof *part);
    if (!part)
        return PyErr_NoMemory();
    kn_addressable_shards(h, n, part);
    PyObject *list = kpy_failed() ? NULL : PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *data = kpy_wrap(part[i].data);
        PyObject *one =
            data ? Py_BuildValue("LLNNN", (long long)part[i].device, (long long)part[i].replica,
                                 kpy_tuple_of_shape(&part[i].start), kpy_tuple_of_shape(&part[i].shape), data)
                 : NULL;
        if (!one || PyList_SetItem(list, i, one) < 0)
            Py_CLEAR(list);
    }
    PyMem_Free(part);
    return list;
}

static PyObject *sharding_of_array(PyObject *module, PyObject *x)
{
    return (void)module, within(sharding_of_array_work, x);
}
static PyObject *is_replicated(PyObject *module, PyObject *x) { return (void)module, within(is_replicated_work, x); }
static PyObject *is_addressable(PyObject *module, PyObject *x) { return (void)module, within(is_addressable_work, x); }
static PyObject *shards(PyObject *module, PyObject *x) { return (void)module, within(shards_work, x); }

static kn_array part_from(void *env, const kn_shape *start, const kn_shape *shape)
{
    kn_array x = NULL;
    kpy_user_begin();
    PyObject *part = PyObject_CallFunction(env, "NN", kpy_tuple_of_shape(start), kpy_tuple_of_shape(shape));
    PyObject *one = part ? PyTuple_Pack(1, part) : NULL;
    if (one && kpy_take_results(one, 1, &x) < 0)
        x = NULL;
    Py_XDECREF(one);
    Py_XDECREF(part);
    kpy_user_end();
    return x;
}

/* array_from_callback(shape, dtype, sharding, f): f(start, shape) gives the array of a part */
FUNCTION(array_from_callback)
{
    PyObject *dims, *d, *o, *f;
    kn_shape shape;
    kn_dtype dtype;
    kn_sharding s;
    if (!PyArg_ParseTuple(args, "OOOO", &dims, &d, &o, &f) || kpy_shape_of(dims, &shape) < 0 ||
        kpy_dtype_of(d, &dtype) < 0 || !(s = sharding_of(o)))
        return NULL;
    return kpy_wrap(kn_make_array_from_callback(&shape, dtype, s, part_from, f));
}

FUNCTION(array_from_local)
{
    PyObject *o, *x, *dims;
    kn_shape shape;
    kn_sharding s;
    kn_make_array_from_process_local_data_opts opts = {.size_ = sizeof opts};
    if (!PyArg_ParseTuple(args, "OO!O", &o, kpy_array_type, &x, &dims) || !(s = sharding_of(o)) ||
        (dims != Py_None && kpy_shape_of(dims, &shape) < 0))
        return NULL;
    opts.shape = dims == Py_None ? NULL : &shape;
    return kpy_wrap(kn_make_array_from_process_local_data(s, KPY_HANDLE(x), &opts));
}

/* ---- Functions for one device. */

/* shard_map(function, mesh, in_specs, out_specs, check): texts, each for all arrays, with semicolons between */
FUNCTION(shard_map)
{
    PyObject *o, *mesh;
    kn_shard_map_opts opts = kn_shard_map_opts_default();
    int check;
    kn_mesh m;
    if (!PyArg_ParseTuple(args, "O!Ossp", kpy_function_type, &o, &mesh, &opts.in_specs[0], &opts.out_specs[0],
                          &check) ||
        !(m = mesh_of(mesh)))
        return NULL;
    opts.check_vma = check;
    kpy_function *f = (kpy_function *)o;
    return kpy_derived(f, kn_shard_map(f->fn, m, &opts));
}

/* ---- The processes of a job. */

FUNCTION(distributed_init)
{
    kn_distributed_init_opts opts = kn_distributed_init_opts_default();
    unsigned long long communicator;
    if (!PyArg_ParseTuple(args, "dK", &opts.timeout, &communicator))
        return NULL;
    opts.communicator = (const void *)(uintptr_t)communicator;
    bool joined = false;
    KPY_WITHOUT_GIL(joined = kn_distributed_init(&opts));
    return PyBool_FromLong(joined);
}

FUNCTION(distributed_shutdown)
{
    bool left = false;
    (void)args;
    KPY_WITHOUT_GIL(left = kn_distributed_shutdown());
    return PyBool_FromLong(left);
}

/* job() -> (whether processes were joined, this process, how many, devices of each, devices of all) */
FUNCTION(job)
{
    (void)args;
    return Py_BuildValue("Niiii", PyBool_FromLong(kn_distributed_is_initialized()), kn_process_index(),
                         kn_process_count(), kn_local_device_count(), kn_global_device_count());
}

FUNCTION(set_local_device_count)
{
    int n;
    if (!PyArg_ParseTuple(args, "i", &n))
        return NULL;
    return PyBool_FromLong(kn_set_local_device_count(n));
}

#define ENTRY(f, doc)            \
    {                            \
#f, f, METH_VARARGS, doc \
    }
static PyMethodDef functions[] = {
    ENTRY(make_mesh, "make_mesh(shape, names, devices, abstract)\n--\n\nA capsule of it; names are a text."),
    ENTRY(mesh_axes, "mesh_axes(mesh)\n--\n\nPairs of a name and a size."),
    ENTRY(named_sharding, "named_sharding(mesh, spec)\n--\n\nA capsule of it; the spec is a text."),
    ENTRY(sharding_parts, "sharding_parts(sharding)\n--\n\nIts mesh and its spec as a text."),
    ENTRY(sharding_is_equivalent, "sharding_is_equivalent(a, b, ndim)\n--\n\nWhether both mean the same."),
    ENTRY(sharding_shard_shape, "sharding_shard_shape(sharding, shape)\n--\n\nThe shape of a part."),
    ENTRY(visualize_sharding, "visualize_sharding(shape, sharding)\n--\n\nA drawing."),
    ENTRY(shard, "shard(x, sharding)\n--\n\nThe array, spread."),
    ENTRY(sharding_constraint, "sharding_constraint(x, sharding)\n--\n\nx, which has to lie so."),
    {"sharding_of", sharding_of_array, METH_O, "sharding_of(x)\n--\n\nHow x lies; None on a single device."},
    {"is_fully_replicated", is_replicated, METH_O, "is_fully_replicated(x)\n--\n\nWhether all have all of it."},
    {"is_fully_addressable", is_addressable, METH_O, "is_fully_addressable(x)\n--\n\nWhether all is here."},
    {"addressable_shards", shards, METH_O, "addressable_shards(x)\n--\n\n(device, replica, start, shape, data)."},
    ENTRY(array_from_callback, "array_from_callback(shape, dtype, sharding, f)\n--\n\nAn array of parts."),
    ENTRY(array_from_local, "array_from_local(sharding, local, shape)\n--\n\nAn array of each process's block."),
    ENTRY(shard_map, "shard_map(function, mesh, in_specs, out_specs, check)\n--\n\nkn_shard_map"),
    ENTRY(distributed_init, "distributed_init(timeout, communicator)\n--\n\nJoins the other processes."),
    ENTRY(distributed_shutdown, "distributed_shutdown()\n--\n\nLeaves them."),
    ENTRY(job, "job()\n--\n\nWhat there is of processes and devices."),
    ENTRY(set_local_device_count, "set_local_device_count(n)\n--\n\nBefore the first mesh."),
    {0}};

int kpy_mesh_make(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) < 0 ? -1 : kpy_partition_make(module);
}
