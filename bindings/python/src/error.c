/* SPDX-License-Identifier: Apache-2.0
 * error.c -- errors of Kiln as Python's exceptions.
 *
 * Kinds that Python has are Python's; the others are classes of the module, under those that NumPy and JAX derive
 * theirs from. An error that was found later than the line that caused it carries that line as a note. */
#include "kpy.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static PyObject *classes[64]; /* by kn_error_kind */
static PyObject *kept_type, *kept_value, *kept_trace;

typedef struct own {
    kn_error_kind kind;
    const char *name;
    PyObject **base, **other;
    const char *doc;
} own;

static int make(PyObject *module, const own *o)
{
    char full[64];
    PyOS_snprintf(full, sizeof full, "kiln.%s", o->name);
    PyObject *bases = o->other ? PyTuple_Pack(2, *o->base, *o->other) : PyTuple_Pack(1, *o->base);
    PyObject *c = bases ? PyErr_NewExceptionWithDoc(full, o->doc, bases, NULL) : NULL;
    Py_XDECREF(bases);
    if (!c)
        return -1;
    classes[o->kind] = c;
    return PyModule_AddObjectRef(module, o->name, c);
}

int kpy_errors_make(PyObject *module)
{
    const own owns[] = {
        {KN_ERROR_AXIS, "AxisError", &PyExc_ValueError, &PyExc_IndexError, "An axis that the array does not have."},
        {KN_ERROR_LINALG, "LinAlgError", &PyExc_ValueError, NULL, "A matrix that the operation is not defined for."},
        {KN_ERROR_CONCRETIZATION, "ConcretizationTypeError", &PyExc_TypeError, NULL,
         "Looking at the value of something that is being traced (jax.errors.ConcretizationTypeError)."},
        {KN_ERROR_LEAKED_TRACER, "UnexpectedTracerError", &PyExc_TypeError, NULL,
         "A traced value outside of its function (jax.errors.UnexpectedTracerError)."},
        {KN_ERROR_MUTATION, "MutationError", &PyExc_ValueError, NULL,
         "A write, inside of a transformed function, to an array that came from outside."},
        {KN_ERROR_CONTEXT, "ContextError", &PyExc_RuntimeError, NULL, "A handle where another context is in use."},
        {KN_ERROR_DIMENSION, "InconclusiveDimensionOperation", &PyExc_ValueError, NULL,
         "A comparison of extents that is true for some numbers of their variables only."},
    };
    for (size_t i = 0; i < sizeof owns / sizeof *owns; i++)
        if (make(module, &owns[i]) < 0)
            return -1;
    classes[KN_ERROR_VALUE] = PyExc_ValueError;
    classes[KN_ERROR_TYPE] = PyExc_TypeError;
    classes[KN_ERROR_INDEX] = PyExc_IndexError;
    classes[KN_ERROR_KEY] = PyExc_KeyError;
    classes[KN_ERROR_OVERFLOW] = PyExc_OverflowError;
    classes[KN_ERROR_NOT_IMPLEMENTED] = PyExc_NotImplementedError;
    classes[KN_ERROR_FILE] = PyExc_OSError;
    classes[KN_ERROR_MEMORY] = PyExc_MemoryError;
    classes[KN_ERROR_NAME] = PyExc_NameError;
    classes[KN_ERROR_RUNTIME] = PyExc_RuntimeError;
    classes[KN_ERROR_ASSERTION] = PyExc_AssertionError;
    classes[KN_ERROR_ZERO_DIVISION] = PyExc_ZeroDivisionError;
    classes[KN_ERROR_FLOATING_POINT] = PyExc_FloatingPointError;
    return 0;
}

void kpy_keep_exception(void)
{
    if (kept_type) { /* the first one is the cause */
        PyErr_Clear();
        return;
    }
    PyErr_Fetch(&kept_type, &kept_value, &kept_trace);
}

bool kpy_exception_is_kept(void) { return kept_type != NULL; }

bool kpy_restore_exception(void)
{
    if (!kept_type)
        return false;
    PyObject *type = kept_type, *value = kept_value, *trace = kept_trace;
    kept_type = kept_value = kept_trace = NULL;
    PyErr_Restore(type, value, trace);
    return true;
}

void kpy_drop_exception(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (kpy_restore_exception())
        PyErr_WriteUnraisable(NULL);
    PyErr_Restore(type, value, trace);
}

/* Tells where the operation was called, if that is not the line that the exception shows anyway. */
static void add_line(const char *file, int line)
{
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    if (!file || !line || (frame && PyFrame_GetLineNumber((PyFrameObject *)frame) == line))
        return;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *note = value ? PyUnicode_FromFormat("called at %s:%d", file, line) : NULL;
    PyObject *done = note ? PyObject_CallMethod(value, "add_note", "O", note) : NULL;
    if (!done)
        PyErr_Clear();
    Py_XDECREF(done);
    Py_XDECREF(note);
    PyErr_Restore(type, value, trace);
}

/* An OSError whose text ends with the system's reason is the one of that number: FileNotFoundError and its kin. */
static void raise_of_file(const char *text)
{
    static const int known[] = {ENOENT, EACCES, EPERM, EEXIST, EISDIR, ENOTDIR, ENOSPC, EROFS, EMFILE};
    for (size_t i = 0, n = strlen(text); i < sizeof known / sizeof *known; i++) {
        const char *reason = strerror(known[i]);
        size_t length = strlen(reason);
        if (n < length || strcmp(text + n - length, reason))
            continue;
        PyObject *e = PyObject_CallFunction(PyExc_OSError, "is", known[i], text);
        if (e)
            PyErr_SetObject((PyObject *)Py_TYPE(e), e);
        Py_XDECREF(e);
        return;
    }
    PyErr_SetString(PyExc_OSError, text);
}

/* Messages name functions of C; in Python they have other names. A new str. */
static PyObject *spelled(const char *text)
{
    static const char *const first[][2] = {{"set_at: ", ""},
                                           {"copy_to: ", ""},
                                           {"find_device: ", ""},
                                           {"shard_map: shard_map ", "shard_map "},
                                           {"shard: ", "device_put: "},
                                           {"place_mask: ", "place: "},
                                           {"ufunc_outer: ", "outer: "},
                                           {"ufunc_reduce: ", "reduce: "},
                                           {"ufunc_accumulate: ", "accumulate: "},
                                           {"ufunc_reduceat: ", "reduceat: "},
                                           {"random_", "random."}};
    static const char *const named[][2] = {{"kn_lax_", "kiln.lax."},
                                           {"kn_random_", "kiln.random."},
                                           {"kn_load_npz", "kiln.numpy.load"},
                                           {"kn_eval_shape", "kiln.eval_shape"},
                                           {"kn_primitive_new", "kiln.primitive"},
                                           {"kn_distributed_init", "kiln.distributed.initialize"},
                                           {"kn_distributed_shutdown", "kiln.distributed.shutdown"},
                                           {"kn_set_local_device_count", "jax_num_cpu_devices"},
                                           {"kn_shard_map", "kiln.shard_map"},
                                           {"kn_shard", "kiln.device_put"},
                                           {"kn_make_mesh", "kiln.make_mesh"},
                                           {"kn_", "kiln.numpy."}};
    char out[2048];
    size_t n = 0;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (!strncmp(text, first[i][0], strlen(first[i][0]))) {
            n = (size_t)snprintf(out, sizeof out, "%s", first[i][1]);
            text += strlen(first[i][0]);
            break;
        }
    for (bool inside = false; *text && n < sizeof out - 64;
         inside = *text == '_' || isalnum((unsigned char)*text), text++) {
        const char *const(*k)[2] = named;
        while (!inside && k < named + sizeof named / sizeof *named && strncmp(text, (*k)[0], strlen((*k)[0])) != 0)
            k++;
        if (inside || k == named + sizeof named / sizeof *named)
            out[n++] = *text;
        else {
            n += (size_t)snprintf(out + n, sizeof out - n, "%s", (*k)[1]);
            text += strlen((*k)[0]) - 1;
        }
    }
    out[n] = 0;
    return PyUnicode_FromFormat("%s%s", out, text);
}

PyObject *kpy_raise(void)
{
    if (kpy_restore_exception()) {
        kn_error_clear();
        return NULL;
    }
    kn_error_kind kind = kn_error_get_kind();
    PyObject *c = kind > 0 && (size_t)kind < sizeof classes / sizeof *classes ? classes[kind] : NULL;
    if (kind == KN_ERROR_FILE)
        raise_of_file(kn_error_message());
    else {
        PyObject *text = spelled(kn_error_message());
        if (text)
            PyErr_SetObject(c ? c : PyExc_RuntimeError, text);
        Py_XDECREF(text);
    }
    add_line(kn_error_file(), kn_error_line());
    kn_error_clear();
    return NULL;
}

bool kpy_failed(void)
{
    if (!kn_error_pending() && !kept_type)
        return false;
    kpy_raise();
    return true;
}
