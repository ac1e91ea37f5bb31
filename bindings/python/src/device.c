/* SPDX-License-Identifier: Apache-2.0
 * device.c -- devices by their names: kiln.devices, kiln.device_put, kiln.default_device and what stands on them. */
#include "kpy.h"

/* None: NULL. Else a name of the library's, NumPy's "cpu" for the host, or an object with such a name as `name`. The
 * context is this thread's. */
static int device_of(PyObject *o, kn_device *d)
{
    PyObject *own = o == Py_None || PyUnicode_Check(o) ? NULL : PyObject_GetAttrString(o, "name");
    PyObject *said = own ? own : o;
    const char *name = PyUnicode_Check(said) ? PyUnicode_AsUTF8AndSize(said, NULL) : NULL;
    PyErr_Clear();
    *d = name ? kn_find_device(PyUnicode_CompareWithASCIIString(said, "cpu") ? name : "host") : NULL;
    if (!name && o != Py_None)
        PyErr_Format(PyExc_ValueError, "Device not understood: %R", o);
    else
        kpy_failed();
    Py_XDECREF(own);
    return PyErr_Occurred() ? -1 : 0;
}

/* A sharding, or a device that a mesh alone has, by the handle that Python's objects of these have; NULL: neither. */
static kn_sharding sharding_of(PyObject *o)
{
    PyObject *handle = o == Py_None || PyUnicode_Check(o) ? NULL : PyObject_GetAttrString(o, "_handle");
    kn_sharding s = handle ? PyCapsule_GetPointer(handle, "kiln.sharding") : NULL;
    PyErr_Clear();
    Py_XDECREF(handle);
    return s;
}

int kpy_place_of(PyObject *o, kpy_place *place)
{
    *place = (kpy_place){.sharding = sharding_of(o)};
    if (place->sharding)
        return 0;
    if (device_of(o, &place->device) < 0)
        return -1;
    place->commits = place->device && !(PyUnicode_Check(o) && place->device == kn_default_device());
    return 0;
}

kn_array kpy_put_at(const kpy_place *place, kn_array x)
{
    if (x && place->sharding) {
        kpy_here();
        kn_array spread = kn_shard(x, place->sharding);
        kn_release(x);
        return spread;
    }
    if (!x || !place->device || (!place->commits && place->device == kn_device_of(x)))
        return x;
    kpy_here(); /* the call before has taken it */
    kn_array y = kn_device_put(x, place->device);
    kn_release(x);
    return y;
}

/* What is done for one device, or one array. */
typedef PyObject *work(kn_device d, kn_array x);

static PyObject *with_device(PyObject *o, kn_array x, work *f)
{
    kn_device d;
    PyObject *y = NULL;
    if (kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    if (device_of(o, &d) == 0)
        y = f(d, x);
    if (kpy_failed()) {
        Py_XDECREF(y);
        y = NULL;
    }
    kpy_leave_scope();
    return y;
}

static PyObject *name_of(kn_device d) { return d ? PyUnicode_FromString(kn_device_name(d)) : Py_NewRef(Py_None); }

static PyObject *list(PyObject *module, PyObject *kind)
{
    enum { MOST = 64 };
    kn_device d[MOST];
    const char *name = kind == Py_None ? NULL : PyUnicode_AsUTF8AndSize(kind, NULL);
    (void)module;
    if ((kind != Py_None && !name) || kpy_enter() < 0)
        return NULL;
    int n = kn_devices(name, MOST, d);
    PyObject *all = kpy_failed() ? NULL : PyList_New(0);
    for (int i = 0; all && i < n && i < MOST; i++) {
        PyObject *one = name_of(d[i]);
        if (!one || PyList_Append(all, one) < 0)
            Py_CLEAR(all);
        Py_XDECREF(one);
    }
    kpy_leave();
    return all;
}

static PyObject *put_there(kn_device d, kn_array x) { return kpy_wrap(kn_device_put(x, d ? d : kn_default_device())); }

static PyObject *put(PyObject *module, PyObject *args)
{
    PyObject *x, *device;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O", kpy_array_type, &x, &device))
        return NULL;
    kn_sharding s = sharding_of(device);
    if (!s)
        return with_device(device, KPY_HANDLE(x), put_there);
    PyObject *y = NULL;
    if (kpy_enter_scope() == 0) {
        kpy_here();
        y = kpy_wrap(kn_shard(KPY_HANDLE(x), s));
        kpy_leave_scope();
    }
    return y;
}

/* As device= of functions of the table does. */
static PyObject *put_at(PyObject *module, PyObject *args)
{
    PyObject *x, *device, *y = NULL;
    kpy_place place;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O", kpy_array_type, &x, &device))
        return NULL;
    if (device == Py_None)
        return Py_NewRef(x);
    if (kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    if (kpy_place_of(device, &place) == 0) {
        kn_retain(KPY_HANDLE(x));
        kn_array there = kpy_put_at(&place, KPY_HANDLE(x));
        if (there == KPY_HANDLE(x)) {
            kn_release(there);
            y = Py_NewRef(x);
        } else {
            y = kpy_wrap(there);
        }
    }
    kpy_leave_scope();
    return y;
}

static PyObject *get_here(kn_device d, kn_array x)
{
    (void)d;
    return kpy_wrap(kn_device_get(x));
}

static PyObject *name_of_device_of(kn_device d, kn_array x)
{
    (void)d;
    d = kn_device_of(x);
    return d ? name_of(d) : NULL;
}

static PyObject *is_committed(kn_device d, kn_array x)
{
    (void)d;
    return PyBool_FromLong(kn_is_committed(x));
}

static PyObject *of_array(PyObject *x, work *f)
{
    if (!KPY_IS_ARRAY(x))
        return PyErr_Format(PyExc_TypeError, "%R is not an array of Kiln's", x);
    return with_device(Py_None, KPY_HANDLE(x), f);
}

static PyObject *get(PyObject *module, PyObject *x) { return (void)module, of_array(x, get_here); }
static PyObject *where(PyObject *module, PyObject *x) { return (void)module, of_array(x, name_of_device_of); }
static PyObject *committed(PyObject *module, PyObject *x) { return (void)module, of_array(x, is_committed); }

static PyObject *set_it(kn_device d, kn_array x)
{
    (void)x;
    return name_of(kn_set_default_device(d));
}

static PyObject *default_name(kn_device d, kn_array x)
{
    (void)d, (void)x;
    return name_of(kn_default_device());
}

static PyObject *text_of(kn_device d, kn_array x)
{
    (void)x;
    const char *text = d ? kn_device_text(d) : "";
    return text ? PyUnicode_FromString(text) : NULL;
}

static PyObject *info_of(kn_device d, kn_array x)
{
    kn_device_info i = {.size_ = sizeof i};
    (void)x;
    if (!d || kn_device_get_info(d, &i))
        return NULL;
    return Py_BuildValue("{s:z,s:z,s:z,s:z,s:K,s:K,s:i,s:i,s:i}", "description", i.description, "vendor", i.vendor,
                         "driver", i.driver, "features", i.features, "memory_bytes", (unsigned long long)i.memory_bytes,
                         "most_buffer_bytes", (unsigned long long)i.most_buffer_bytes, "most_buffers", i.most_buffers,
                         "alignment", i.alignment, "index_bits", i.index_bits);
}

static PyObject *set_default(PyObject *module, PyObject *o) { return (void)module, with_device(o, NULL, set_it); }
static PyObject *get_default(PyObject *module, PyObject *o) { return (void)module, with_device(o, NULL, default_name); }
static PyObject *text(PyObject *module, PyObject *o) { return (void)module, with_device(o, NULL, text_of); }
static PyObject *info(PyObject *module, PyObject *o) { return (void)module, with_device(o, NULL, info_of); }

static PyMethodDef functions[] = {
    {"devices", list, METH_O, "devices(kind)\n--\n\nThe names of the devices, of a kind or (None) all."},
    {"device_put", put, METH_VARARGS, "device_put(x, device)\n--\n\nThe array there, committed; None: the default."},
    {"put_at", put_at, METH_VARARGS,
     "put_at(x, device)\n--\n\nx for device= of a function that makes arrays: \"cpu\" commits nothing."},
    {"device_get", get, METH_O, "device_get(x)\n--\n\nThe array on the host, uncommitted."},
    {"device_of", where, METH_O, "device_of(x)\n--\n\nThe name of the device where x is."},
    {"is_committed", committed, METH_O, "is_committed(x)\n--\n\nWhether x was put where it is."},
    {"set_default_device", set_default, METH_O,
     "set_default_device(device)\n--\n\nOf this process's arrays; None: as KILN_DEVICE says. The name before, or "
     "None."},
    {"default_device", get_default, METH_O, "default_device(None)\n--\n\nThe name of the default device."},
    {"device_text", text, METH_O, "device_text(device)\n--\n\nWhat is known of it, for people."},
    {"device_info", info, METH_O, "device_info(device)\n--\n\nWhat is known of it, as a dictionary."},
    {0}};

int kpy_device_make(PyObject *module) { return PyModule_AddFunctions(module, functions); }
