/* SPDX-License-Identifier: Apache-2.0
 * function.h -- functions of Kiln's that call Python functions. */
#ifndef KPY_FUNCTION_H
#define KPY_FUNCTION_H
#include "kpy.h"

/* A function of flat lists of arrays, its parts: what Python's trees become is the business of those who make one. */
typedef struct kpy_function {
    PyObject_HEAD kn_fn fn;
    uint64_t serial;    /* of the Python function behind it; 0: derived from `base` */
    PyObject *callable; /* takes a tuple of arrays for each part, returns a sequence of arrays */
    PyObject *base;     /* what it was derived from, which has to live as long */
    int n_parts, n_out; /* n_out -1: a call shows */
    int size[KN_MAX_ARGS]; /* -1: a call shows */
    int promised;          /* how many results it says it has; -1: a call shows */
    bool pair;             /* it returns a tuple of two sequences, as trees in a tree */
    PyObject *kept; /* rules that its recordings may ask for, a list or NULL */
    unsigned calls;
    bool large; /* its arguments had many elements when that was looked at last */
    PyObject *weak;
} kpy_function;
extern PyTypeObject *kpy_function_type;

/* Arrays of one part, as operands. */
typedef struct kpy_part {
    kn_array *at;
    kpy_operand *operand;
    Py_ssize_t n;
} kpy_part;
int kpy_part_of(PyObject *sequence, kpy_part *part);
void kpy_part_drop(kpy_part *part);
/* All arguments of a call. */
typedef struct kpy_parts {
    kpy_part part[KN_MAX_ARGS];
    kn_args args;
} kpy_parts;
int kpy_parts_of(PyObject *tuple, kpy_parts *p);
void kpy_parts_drop(kpy_parts *p);
PyObject *kpy_derived(kpy_function *base, kn_fn fn);                        /* fn is taken over */
PyObject *kpy_function_of(PyObject *base, kn_fn fn, int n_parts, int size); /* the same, with parts of one size */
/* Calls fn; a new list of its results. The context is entered. */
PyObject *kpy_function_call(kpy_function *f, const kn_args *args, bool large);
kn_tree kpy_tree_of(PyObject *sequence);  /* a tuple of arrays, of the scope around; NULL with an exception */
PyObject *kpy_list_of_tree(kn_tree tree); /* the leaves */
/* Around calls of the library that record f, or something derived from it: what is made meanwhile lives as long. */
typedef struct kpy_calling {
    kpy_function *f;
    struct kpy_calling *outer;
} kpy_calling;
void kpy_call_begins(kpy_calling *c, kpy_function *f);
void kpy_call_ends(kpy_calling *c);
int kpy_keep_with_callers(PyObject *o); /* for as long as one of the functions lives that are being called now */
/* What programs call by a number (callback.c): a callable, an object with methods. */
PyObject *kpy_callback_of(PyObject *callable, uint64_t *serial); /* lives as long as what is being recorded, at least */
PyObject *kpy_callback_callable(uint64_t serial);                /* new; NULL with an exception: it is gone */
PyObject *kpy_wrapped(int n, const kn_array *in);                /* a tuple of arrays */
/* n arrays of a sequence, handles of the scope around */
int kpy_take_results(PyObject *results, Py_ssize_t n, kn_array *out);
int kpy_linear_make(PyObject *module);
int kpy_jit_make(PyObject *module);
int kpy_control_make(PyObject *module);
int kpy_jaxpr_make(PyObject *module);
int kpy_callback_make(PyObject *module);
int kpy_optim_make(PyObject *module);
#endif
