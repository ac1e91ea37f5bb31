/* SPDX-License-Identifier: Apache-2.0
 * module.c -- kiln._core: puts the parts of the extension together. */
#include "kpy.h"

static PyObject *set_package(PyObject *module, PyObject *args)
{
    const char *folder;
    (void)module;
    if (!PyArg_ParseTuple(args, "s", &folder))
        return NULL;
    kpy_set_package(folder);
    Py_RETURN_NONE;
}

static PyObject *live_count(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    if (kpy_enter() < 0)
        return NULL;
    int64_t n = kn_live_count();
    kpy_leave();
    return PyLong_FromLongLong(n);
}

static PyMethodDef functions[] = {
    {"set_package", set_package, METH_VARARGS,
     "set_package(folder)\n--\n\nFrames of files in there are not the user's."},
    {"live_count", live_count, METH_NOARGS, "live_count()\n--\n\nHow many handles of Kiln's are alive."},
    {0}};

/* Arrays of a process live in one context, and types are there once. */
static int check_alone(void)
{
    static bool loaded;
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
        PyErr_SetString(PyExc_ImportError, "kiln can be imported in the main interpreter only, not in subinterpreters");
    else if (loaded)
        PyErr_SetString(PyExc_ImportError, "cannot load kiln more than once per process");
    loaded = true;
    return PyErr_Occurred() ? -1 : 0;
}

static int exec(PyObject *m)
{
    if (check_alone() < 0 || kpy_context_make() < 0 || kpy_lock_make(m) < 0 || kpy_errors_make(m) < 0 ||
        kpy_dtype_make(m) < 0 || kpy_array_make(m) < 0 || kpy_functions_make(m) < 0 || kpy_handle_make(m) < 0 ||
        kpy_tree_make(m) < 0 || kpy_function_make(m) < 0 || kpy_interchange_make(m) < 0 || kpy_ufunc_make(m) < 0 ||
        kpy_numpy_make(m) < 0 || kpy_printing_make(m) < 0 || kpy_errcall_make(m) < 0 || kpy_text_make(m) < 0 ||
        kpy_iteration_make(m) < 0 || kpy_device_make(m) < 0 || kpy_mesh_make(m) < 0)
        return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, exec}, {0, NULL}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_core", .m_doc = "The C library behind kiln.",
                                 .m_methods = functions, .m_slots = slots};
PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
