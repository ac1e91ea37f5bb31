/* SPDX-License-Identifier: Apache-2.0
 * kpy.h -- what the files of the Python extension share. It is written against the limited API of CPython 3.11, so that
 * one build serves all later versions, and has no numerical logic: it converts, calls the C library, and wraps. */
#ifndef KPY_H
#define KPY_H
#define PY_SSIZE_T_CLEAN
#include <pyconfig.h>
#if !defined(Py_GIL_DISABLED) && !defined(KPY_FULL_API) /* interpreters without the lock have no limited API */
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>
#include <structmember.h>
#include "rows.h"

/* ---- The context (lock.c). All arrays of a process live in one context of Kiln. A thread has it from kpy_enter to
 * kpy_leave; another one waits meanwhile, without the interpreter's lock. */
int kpy_context_make(void); /* 0, or -1 with an exception */
int kpy_lock_make(PyObject *module);
int kpy_enter(void); /* 0, or -1 with an exception */
void kpy_leave(void);
bool kpy_entered(void);         /* by this thread */
void kpy_release(void *handle); /* kn_release, by a thread that may not have the context */
/* Around a callback in a thread that does not have the context, whose thread waits for it: a context of its own. False:
 * this thread has the context. Handles that are made meanwhile belong to that one. */
bool kpy_visit_begin(void);
void kpy_visit_leave(void); /* back in the context of the thread, which may still read those of the visit */
void kpy_visit_end(void);   /* the next one may come */
bool kpy_visiting(void);
void kpy_release_visitor(void *handle); /* one of these */
void kpy_forget(void *function); /* kn_forget, by such a thread, when the context is entered next */
/* Code that may run long: without the interpreter's lock. */
#define KPY_WITHOUT_GIL(code)                             \
    do {                                                  \
        PyThreadState *kpy_thread_ = PyEval_SaveThread(); \
        code;                                             \
        PyEval_RestoreThread(kpy_thread_);                \
    } while (0)
/* The one way from the library into Python code, and back: with the interpreter's lock; an exception that was set
 * waits, and what the code raises is kept for the call of Kiln around it. Handles that are made meanwhile belong to a
 * scope that ends with it. */
void kpy_user_begin(void);
void kpy_user_end(void);
bool kpy_in_user(void);
/* The same as kpy_enter and kpy_leave, with a scope of Kiln's: what the calls between them made ends with it, but what
 * Python has objects of. For calls that return lists, trees and functions. */
int kpy_enter_scope(void);
void kpy_leave_scope(void);
bool kpy_scoped(void); /* handles belong to a scope that ends before their objects may: these retain them */

/* ---- Places and errors (place.c, error.c). */
void kpy_here(void);                      /* notes the line of the Python code that calls (kn_here) */
void kpy_set_package(const char *folder); /* frames of files in there are skipped */
int kpy_errors_make(PyObject *module);
PyObject *kpy_raise(void);     /* the pending error of Kiln as an exception; NULL */
bool kpy_failed(void);         /* raises if an error is pending */
void kpy_keep_exception(void); /* the current one is what the call of Kiln around it will raise */
bool kpy_exception_is_kept(void);
bool kpy_restore_exception(void); /* raises the one that was kept; false: there was none */
void kpy_drop_exception(void);    /* nobody will raise it: it is told as unraisable */

/* ---- Objects that the library knows by a number (living.c). */
uint64_t kpy_live(PyObject *o);        /* its number; 0 with an exception */
PyObject *kpy_living(uint64_t serial); /* borrowed; NULL: it is gone */
void kpy_die(uint64_t serial);         /* from its deallocation */

/* ---- Arrays (array.c). */
typedef struct kpy_array {
    PyObject_HEAD kn_array h;
    bool visitor; /* made by a callback that had a context of its own */
    PyObject *weak;
} kpy_array;
extern PyTypeObject *kpy_array_type;
int kpy_array_make(PyObject *module);
PyObject *kpy_wrap(kn_array x); /* takes the handle over; NULL with an exception if it carries an error */
#define KPY_IS_ARRAY(o) (Py_TYPE(o) == kpy_array_type || PyObject_TypeCheck(o, kpy_array_type))
#define KPY_HANDLE(o)   (((kpy_array *)(o))->h)

/* ---- From Python's values (convert.c). 0, or -1 with an exception. */
typedef struct kpy_operand {
    kn_array h;
    bool owned;
} kpy_operand;                                   /* owned: to be released after the call */
int kpy_operand_of(PyObject *o, kpy_operand *x); /* an array; numbers wait for their dtype */
/* 1: an operand; 0: this object is none (no exception); -1 */
int kpy_operand_try(PyObject *o, kpy_operand *x);
int kpy_positions_of(PyObject *o, kpy_operand *x);    /* the same; an empty list is of integers */
/* what is written to x, of its dtype where that has no promotion of its own: float8, int4 and bfloat16 */
int kpy_value_for(kn_array x, PyObject *o, kpy_operand *v);
void kpy_operand_drop(kpy_operand *x);
kn_array kpy_asarray(PyObject *o, kn_dtype dtype); /* a new handle of an array with a dtype; NULL with an exception */
int kpy_int_of(PyObject *o, int64_t *x);
int kpy_shape_of(PyObject *o, kn_shape *shape);
int kpy_axes_of(PyObject *o, kn_axes *axes);
/* arrays of a sequence; *n of them in memory of PyMem_Malloc */
int kpy_operands_of(PyObject *o, kpy_operand **x, Py_ssize_t *n);
void kpy_operands_drop(kpy_operand *x, Py_ssize_t n);
kn_array kpy_from_buffer(PyObject *o, bool *found); /* convert_buffer.c: memory that the object shows; a copy */

/* ---- To Python's values. */
PyObject *kpy_tuple_of_shape(const kn_shape *s);
PyObject *kpy_tuple_of_list(kn_list list, bool as_list);
PyObject *kpy_item(kn_array x); /* the one element as a Python number */

/* ---- dtypes (dtype.c). */
typedef struct kpy_dtype {
    PyObject_HEAD kn_dtype d;
} kpy_dtype;
extern PyTypeObject *kpy_dtype_type;
int kpy_dtype_make(PyObject *module);
PyObject *kpy_wrap_dtype(kn_dtype d);
int kpy_dtype_of(PyObject *o, kn_dtype *d);  /* None: NULL */
int kpy_dtype_try(PyObject *o, kn_dtype *d); /* 1, or 0 where the object names no dtype; -1 */

/* ---- Indexing (index.c). */
PyObject *kpy_get_item(PyObject *self, PyObject *key);
int kpy_set_item(PyObject *self, PyObject *key, PyObject *value);
typedef struct kpy_index {
    char *text;
    kn_index_arg *arg;
    kpy_operand *owned;
    int n, n_owned;
} kpy_index;
int kpy_index_of(PyObject *key, kpy_index *index); /* to be dropped in either case */
void kpy_index_drop(kpy_index *index);
/* f(x, v, index) of the writes of kiln/numpy/indexing.h */
typedef int (*kpy_write_at)(kn_array x, kn_array v, const char *index, int n, const kn_index_arg *args);

/* ---- The public functions (call.c); the table of them is made by bindings/shared/generate.py. */
extern PyMethodDef kpy_array_methods[]; /* generated: rows whose first parameter is self */

/* ---- Arguments of kiln.lax and kiln.optim (convert_lax.c). */
typedef void *kpy_room(void *state, size_t bytes); /* zeros that live as long as the call; NULL with an exception */
size_t kpy_special_bytes(knb_kind kind);
int kpy_put_special(knb_kind kind, PyObject *o, void *to, kpy_room *room, void *state);
PyObject *kpy_wrap_handle(void *handle); /* takes it over */
int kpy_handle_of(PyObject *o, void **handle);
int kpy_handle_make(PyObject *module);

/* each parameter's object, borrowed, into `value`, whose places are NULL before; what *args takes into `rest`, owned */
int kpy_bind(const knb_row *row, PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
             PyObject **value, PyObject **rest);
PyObject *kpy_invoke(const knb_row *row, PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
int kpy_functions_make(PyObject *module);
PyObject *kpy_struct_result(const knb_struct *s, const void *at);

/* ---- Trees (tree.c) and functions (function.c). */
int kpy_tree_make(PyObject *module);
int kpy_function_make(PyObject *module);
typedef struct kpy_leaves {
    PyObject **at;
    Py_ssize_t n, room;
} kpy_leaves;                                              /* owned references */
PyObject *kpy_flatten(PyObject *tree, kpy_leaves *leaves); /* the treedef, or NULL */
/* What a treedef of kpy_flatten is kept by: equal ones are of the same trees, with dicts whose keys have the same
 * types. */
PyObject *kpy_tree_key(PyObject *treedef);
PyObject *kpy_unflatten(PyObject *treedef, PyObject *const *leaves, Py_ssize_t n);
void kpy_leaves_drop(kpy_leaves *leaves);

/* ---- Other libraries' memory (interchange.c). */
bool kpy_is_spread(kn_array x); /* over the devices of a mesh: nobody can have its memory, but a copy */
extern PyType_Slot kpy_buffer_slots[];
int kpy_get_buffer(PyObject *o, Py_buffer *view, int flags);
void kpy_release_buffer(PyObject *o, Py_buffer *view);
PyObject *kpy_dlpack(PyObject *self, PyObject *args, PyObject *kw);
PyObject *kpy_dlpack_device(PyObject *self, PyObject *unused);
int kpy_interchange_make(PyObject *module);
int kpy_memory_make(PyObject *module); /* memory.c */
/* n elements (-1: one, without an axis) in memory that stays as long as the owner does; the stride is in bytes */
kn_array kpy_over_memory(PyObject *owner, void *data, kn_dtype dtype, int64_t n, int64_t stride, bool writes);
int kpy_iteration_make(PyObject *module); /* iteration.c */
/* device.c: what device= of a function that makes arrays says, a name or an object with one; None: NULL. 0, or -1 */
typedef struct kpy_place {
    kn_device device;
    kn_sharding sharding;
    bool commits; /* NumPy's "cpu", as any word for the default device, commits nothing that is there */
} kpy_place;
int kpy_place_of(PyObject *o, kpy_place *place);
kn_array kpy_put_at(const kpy_place *place, kn_array x); /* takes x over */
int kpy_device_make(PyObject *module);
int kpy_mesh_make(PyObject *module); /* mesh.c, partition.c */
int kpy_partition_make(PyObject *module);
/* progress.c: what a scan tells, if anybody wants to hear of it */
int kpy_progress_make(PyObject *module);
bool kpy_shows_progress(void);
void kpy_scan_told(void *env, int64_t step, int64_t length);
/* convert_buffer.c: of a format of the struct module; *swapped: its bytes are in the other order */
kn_dtype kpy_dtype_of_format(const char *f, size_t size, bool *swapped);

/* NumPy's: ufuncs as objects (ufunc.c), functions of vectors of arguments (numpy.c), printing (printing.c). */
int kpy_ufunc_make(PyObject *module);
int kpy_numpy_make(PyObject *module);
int kpy_printing_make(PyObject *module);
int kpy_text_make(PyObject *module); /* text.c */
int kpy_errcall_make(PyObject *module);
#endif
