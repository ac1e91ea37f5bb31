/* SPDX-License-Identifier: Apache-2.0
 * function.c -- Python functions as functions of Kiln's, and the transformations of them.
 *
 * A function takes a few parts, each a flat tuple of arrays, and returns a sequence of arrays. What it is to Kiln
 * is its number (living.c), so that recordings of a function that is gone are never found for another one. */
#include "function.h"
#include "describe.h"
#include <stdlib.h>
#include <string.h>

PyTypeObject *kpy_function_type;

/* ---- What Kiln calls. */

/* A tuple of the arrays of a part: a tree where its size is not known. */
static PyObject *part_of(const void *in, int size)
{
    if (size < 0)
        return kpy_tuple_of_list(kn_tree_leaves(*(const kn_tree *)in), false);
    PyObject *part = PyTuple_New(size);
    for (int i = 0; part && i < size; i++) {
        PyObject *x = kpy_wrap(((const kn_array *)in)[i]);
        if (!x || PyTuple_SetItem(part, i, x) < 0) {
            Py_DECREF(part);
            return NULL;
        }
    }
    return part;
}

static PyObject *arguments_of(const kpy_function *f, const void *const *in)
{
    PyObject *parts = PyTuple_New(f->n_parts);
    for (int p = 0; parts && p < f->n_parts; p++) {
        PyObject *part = part_of(in[p], f->size[p]);
        if (!part || PyTuple_SetItem(parts, p, part) < 0) {
            Py_DECREF(parts);
            return NULL;
        }
    }
    return parts;
}

kn_tree kpy_tree_of(PyObject *sequence)
{
    kpy_part part;
    kn_tree tree = NULL;
    if (kpy_part_of(sequence, &part) < 0)
        return NULL;
    kn_tree *leaves = PyMem_Calloc((size_t)part.n + 1, sizeof *leaves);
    for (Py_ssize_t i = 0; leaves && i < part.n; i++)
        leaves[i] = kn_tree_leaf(part.at[i]);
    if (leaves)
        tree = kn_tree_tuple((int)part.n, leaves);
    else
        PyErr_NoMemory();
    PyMem_Free(leaves);
    kpy_part_drop(&part);
    return PyErr_Occurred() || kpy_failed() ? NULL : tree;
}

/* Of a pair of sequences. */
static kn_tree pair_of(PyObject *results)
{
    PyObject *first, *second;
    if (!PyArg_ParseTuple(results, "OO", &first, &second))
        return NULL;
    kn_tree y = kpy_tree_of(first), rest = y ? kpy_tree_of(second) : NULL;
    kn_tree pair = rest ? kn_tree_tuple(2, (const kn_tree[]){y, rest}) : NULL;
    return pair && !kpy_failed() ? pair : NULL;
}

/* As many arrays as were promised: handles of the scope around the call. */
static void fill(kpy_function *f, kn_tree tree, kn_array *out)
{
    kn_list list = tree ? kn_tree_leaves(tree) : NULL;
    if (list && kn_list_count(list) != f->promised)
        PyErr_Format(PyExc_TypeError, "the function has to return %d arrays, not %d", f->promised, kn_list_count(list));
    for (int i = 0; i < f->promised; i++)
        out[i] = list && !PyErr_Occurred() ? kn_list_get(list, i) : NULL;
}

/* The functions that are being called and recorded, the innermost first. */
static _Thread_local kpy_calling *innermost;

void kpy_call_begins(kpy_calling *c, kpy_function *f)
{
    *c = (kpy_calling){f, innermost};
    Py_INCREF((PyObject *)f);
    innermost = c;
}

void kpy_call_ends(kpy_calling *c)
{
    innermost = c->outer;
    Py_DECREF((PyObject *)c->f);
}

int kpy_keep_with_callers(PyObject *o)
{
    for (const kpy_calling *c = innermost; c; c = c->outer) {
        if (!c->f->kept && !(c->f->kept = PyList_New(0)))
            return -1;
        if (PyList_Append(c->f->kept, o) < 0)
            return -1;
    }
    return 0;
}

static void called(const void *env, void *out, const void *const *in)
{
    uint64_t serial;
    memcpy(&serial, env, sizeof serial);
    kpy_user_begin();
    kpy_function *f = (kpy_function *)Py_XNewRef(kpy_living(serial));
    PyObject *parts = NULL, *results = NULL;
    kn_tree tree = NULL;
    if (!f)
        PyErr_SetString(PyExc_ReferenceError, "a Python function that is gone was to be traced");
    else {
        kpy_calling c;
        kpy_call_begins(&c, f);
        parts = arguments_of(f, in);
        results = parts ? PyObject_CallObject(f->callable, parts) : NULL;
        tree = !results ? NULL : f->pair ? pair_of(results) : kpy_tree_of(results);
        kpy_call_ends(&c);
    }
    if (f && f->promised >= 0)
        fill(f, tree, out);
    else
        *(kn_tree *)out = tree;
    Py_XDECREF(parts);
    Py_XDECREF(results);
    Py_XDECREF((PyObject *)f);
    kpy_user_end();
}

/* ---- The type. */

static kpy_function *new_function(void)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(kpy_function_type, Py_tp_alloc);
    kpy_function *f = (kpy_function *)alloc(kpy_function_type, 0);
    if (f)
        f->n_out = -1;
    return f;
}

static int clear(PyObject *o)
{
    kpy_function *f = (kpy_function *)o;
    PyObject *all[] = {f->callable, f->base, f->kept};
    f->callable = f->base = f->kept = NULL;
    for (int i = 0; i < 3; i++)
        Py_XDECREF(all[i]);
    return 0;
}

static int traverse(PyObject *o, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)Py_TYPE(o));
    Py_VISIT(((kpy_function *)o)->callable);
    Py_VISIT(((kpy_function *)o)->base);
    Py_VISIT(((kpy_function *)o)->kept);
    return 0;
}

static void drop(PyObject *o)
{
    kpy_function *f = (kpy_function *)o;
    PyTypeObject *t = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    if (f->weak)
        PyObject_ClearWeakRefs(o);
    if (f->serial)
        kpy_die(f->serial);
    if (f->fn) /* a number never comes again: nor does what was recorded of its function */
        (f->serial ? kpy_forget : kpy_release)(f->fn);
    clear(o);
    ((freefunc)PyType_GetSlot(t, Py_tp_free))(o);
    Py_DECREF(t);
}

/* Names stay for good: recordings and errors point to them. */
static const char *name_of(PyObject *callable)
{
    static PyObject *names;
    PyObject *name = PyObject_GetAttrString(callable, "__name__");
    const char *s = "function";
    if (!name)
        PyErr_Clear();
    if (!names)
        names = PyDict_New();
    if (names && name && PyUnicode_Check(name)) {
        PyObject *kept = PyDict_GetItemWithError(names, name);
        if (!kept && PyDict_SetItem(names, name, name) == 0)
            kept = name;
        s = kept ? PyUnicode_AsUTF8AndSize(kept, NULL) : s;
    }
    PyErr_Clear();
    Py_XDECREF(name);
    return s ? s : "function";
}

static int sizes_of(PyObject *sizes, int *n, int *at)
{
    *n = (int)PyTuple_Size(sizes);
    if (*n < 0 || *n > KN_MAX_ARGS)
        return PyErr_Format(PyExc_ValueError, "a function has at most %d parts", KN_MAX_ARGS), -1;
    for (int i = 0; i < *n; i++) {
        int64_t size;
        if (kpy_int_of(PyTuple_GetItem(sizes, i), &size) < 0)
            return -1;
        at[i] = (int)size;
    }
    return 0;
}

static void own(kpy_function *f, kn_fn fn)
{
    if (fn && kpy_scoped())
        kn_retain(fn);
    f->fn = fn;
}

static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kw)
{
    static char *names[] = {"callable", "sizes", "like", "n_out", "pair", NULL};
    PyObject *callable, *sizes, *like = NULL;
    int promised = -1, pair = 0;
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "OO!|Oip", names, &callable, &PyTuple_Type, &sizes, &like, &promised,
                                     &pair) ||
        kpy_enter_scope() < 0)
        return NULL;
    kpy_function *f = new_function();
    if (f && sizes_of(sizes, &f->n_parts, f->size) == 0 && (f->serial = kpy_live((PyObject *)f))) {
        const kn_function *c = knb_description_of(name_of(like ? like : callable), f->n_parts, f->size, promised,
                                                  called, sizeof(uint64_t));
        f->callable = Py_NewRef(callable);
        f->promised = promised;
        f->pair = pair;
        kpy_here();
        if (c)
            own(f, kn_fn_of(c, &f->serial));
        else
            PyErr_NoMemory();
    }
    if (f && (PyErr_Occurred() || kpy_failed())) {
        Py_DECREF((PyObject *)f);
        f = NULL;
    }
    kpy_leave_scope();
    return (PyObject *)f;
}

PyObject *kpy_derived(kpy_function *base, kn_fn fn)
{
    if (kpy_failed())
        return NULL;
    kpy_function *f = new_function();
    if (!f)
        return NULL;
    own(f, fn);
    f->base = Py_NewRef((PyObject *)base);
    f->n_parts = base->n_parts;
    memcpy(f->size, base->size, sizeof f->size);
    return (PyObject *)f;
}

PyObject *kpy_function_of(PyObject *base, kn_fn fn, int n_parts, int size)
{
    kpy_function *f = new_function();
    if (!f)
        return NULL;
    own(f, fn);
    f->base = Py_NewRef(base);
    f->n_parts = n_parts;
    for (int i = 0; i < n_parts; i++)
        f->size[i] = size;
    return (PyObject *)f;
}

/* ---- Calls. */

int kpy_part_of(PyObject *sequence, kpy_part *part)
{
    *part = (kpy_part){0};
    if (kpy_operands_of(sequence, &part->operand, &part->n) < 0)
        return -1;
    part->at = PyMem_Malloc(((size_t)part->n + 1) * sizeof *part->at);
    if (!part->at) {
        kpy_part_drop(part);
        return PyErr_NoMemory(), -1;
    }
    for (Py_ssize_t i = 0; i < part->n; i++)
        part->at[i] = part->operand[i].h;
    return 0;
}

void kpy_part_drop(kpy_part *part)
{
    kpy_operands_drop(part->operand, part->n);
    PyMem_Free(part->at);
    *part = (kpy_part){0};
}

PyObject *kpy_list_of_tree(kn_tree tree)
{
    if (kpy_failed())
        return NULL;
    kn_list leaves = kn_tree_leaves(tree);
    return kpy_tuple_of_list(leaves, true);
}

/* Whether something has to live for what was recorded of f. */
static bool keeps(const kpy_function *f)
{
    while (f && !f->kept) {
        if (f->base && Py_TYPE(f->base) != kpy_function_type)
            return true; /* several functions, a jaxpr */
        f = (const kpy_function *)f->base;
    }
    return f;
}

PyObject *kpy_function_call(kpy_function *f, const kn_args *args, bool large)
{
    if (innermost && keeps(f) && kpy_keep_with_callers((PyObject *)f) < 0)
        return NULL;
    kn_array few[32], *y = NULL;
    kn_tree tree = NULL;
    int n = f->n_out;
    kn_outs outs = {1, {{n < 0 ? (void *)&tree : (void *)few, n < 0 ? 2 : (size_t)n * sizeof *y}}};
    if (n > 32) {
        if (!(y = PyMem_Malloc((size_t)n * sizeof *y)))
            return PyErr_NoMemory();
        outs.part[0].at = y;
    }
    if (n == 0)
        outs.n = 0;
    kpy_calling c;
    kpy_call_begins(&c, f);
    if (large && !kpy_in_user())
        KPY_WITHOUT_GIL(kn_call(f->fn, &outs, args));
    else
        kn_call(f->fn, &outs, args);
    kpy_call_ends(&c);
    const kn_array *result = y ? y : few;
    PyObject *list = NULL;
    if (n < 0) {
        if ((list = kpy_list_of_tree(tree)))
            f->n_out = (int)PyList_Size(list);
    } else if (!kpy_failed())
        list = PyList_New(n);
    for (int i = 0; list && n > 0 && i < n; i++)
        PyList_SetItem(list, i, kpy_wrap(result[i]));
    PyMem_Free(y);
    return list;
}

void kpy_parts_drop(kpy_parts *p)
{
    for (int i = 0; i < p->args.n; i++)
        kpy_part_drop(&p->part[i]);
}

int kpy_parts_of(PyObject *sequences, kpy_parts *p)
{
    Py_ssize_t n = PyTuple_Check(sequences) ? PyTuple_Size(sequences) : -1;
    memset(p, 0, sizeof *p);
    if (n < 0 || n > KN_MAX_ARGS)
        return PyErr_SetString(PyExc_TypeError, "a tuple of parts is wanted"), -1;
    for (Py_ssize_t i = 0; i < n; i++, p->args.n++) {
        if (kpy_part_of(PyTuple_GetItem(sequences, i), &p->part[i]) < 0) {
            kpy_parts_drop(p);
            return -1;
        }
        p->args.part[i] = (kn_const_part){p->part[i].at, (size_t)p->part[i].n * sizeof(kn_array)};
    }
    return 0;
}

static PyObject *call(PyObject *self, PyObject *args, PyObject *kw)
{
    kpy_parts p;
    PyObject *result = NULL;
    (void)kw;
    if (kpy_enter_scope() < 0)
        return NULL;
    if (kpy_parts_of(args, &p) == 0) {
        kpy_here();
        result = kpy_function_call((kpy_function *)self, &p.args, true);
        kpy_parts_drop(&p);
    }
    kpy_leave_scope();
    return result;
}

/* ---- Transformations. */

static int argnums_of(PyObject *o, kn_argnums *a)
{
    if (!o || o == Py_None)
        return 0;
    int n;
    if (sizes_of(o, &n, (int *)a->arg) < 0)
        return -1;
    a->n = n;
    return 0;
}

static PyObject *jit(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"donate", "symbolic", "constraints", "checks", NULL};
    kn_jit_opts opts = {.size_ = sizeof opts};
    PyObject *donate = NULL;
    int checks = 0;
    kpy_function *f = (kpy_function *)self;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "|Ozzp", names, &donate, &opts.symbolic, &opts.constraints, &checks) ||
        argnums_of(donate, &opts.donate_argnums) < 0 || kpy_enter_scope() < 0)
        return NULL;
    opts.checks = checks;
    kpy_here();
    PyObject *result = kpy_derived(f, kn_jit(f->fn, &opts));
    kpy_leave_scope();
    return result;
}

static PyObject *grad(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"argnums", "has_aux", "holomorphic", "allow_int", "value", NULL};
    kn_grad_opts opts = {.size_ = sizeof opts};
    PyObject *argnums = NULL;
    int aux = 0, holomorphic = 0, allow_int = 0, value = 0;
    kpy_function *f = (kpy_function *)self;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "|Opppp", names, &argnums, &aux, &holomorphic, &allow_int, &value) ||
        argnums_of(argnums, &opts.argnums) < 0 || kpy_enter_scope() < 0)
        return NULL;
    opts.has_aux = aux;
    opts.holomorphic = holomorphic;
    opts.allow_int = allow_int;
    kpy_here();
    PyObject *result = kpy_derived(f, value ? kn_value_and_grad(f->fn, &opts) : kn_grad(f->fn, &opts));
    kpy_leave_scope();
    return result;
}

static PyObject *jacobian(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"mode", "argnums", "n_aux", "holomorphic", "allow_int", NULL};
    kn_jac_opts opts = {.size_ = sizeof opts};
    PyObject *argnums = NULL;
    const char *mode;
    int n_aux = 0, holomorphic = 0, allow_int = 0;
    kpy_function *f = (kpy_function *)self;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "s|Oipp", names, &mode, &argnums, &n_aux, &holomorphic, &allow_int) ||
        argnums_of(argnums, &opts.argnums) < 0 || kpy_enter_scope() < 0)
        return NULL;
    opts.has_aux = n_aux > 0;
    opts.n_aux = n_aux;
    opts.holomorphic = holomorphic;
    opts.allow_int = allow_int;
    kpy_here();
    kn_fn fn = !strcmp(mode, "fwd")   ? kn_jacfwd(f->fn, &opts)
               : !strcmp(mode, "rev") ? kn_jacrev(f->fn, &opts)
                                      : kn_hessian(f->fn, &opts);
    PyObject *result = kpy_derived(f, fn);
    kpy_leave_scope();
    return result;
}

static int mapping_of(PyObject *o, kn_mapping *m)
{
    int64_t axis;
    if (o == Py_None) {
        m->code = 1;
        return 0;
    }
    if (kpy_int_of(o, &axis) < 0)
        return -1;
    m->code = (int32_t)(axis >= 0 ? axis + 2 : axis);
    return 0;
}

/* vmap(axes, axis_name, axis_size, unmapped, pmap): an axis, or None, for each part. Results are mapped at axis 0, or
 * none is, which is an error if one depends on what is mapped (of pmap: they are what the first device has). */
static PyObject *vmap(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"axes", "axis_name", "axis_size", "unmapped", "pmap", NULL};
    kn_vmap_opts opts = {.size_ = sizeof opts};
    PyObject *axes;
    long long size = 0;
    int unmapped = 0, pmap = 0;
    kpy_function *f = (kpy_function *)self;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "O!|zLpp", names, &PyTuple_Type, &axes, &opts.axis_name, &size,
                                     &unmapped, &pmap))
        return NULL;
    if (unmapped)
        mapping_of(Py_None, &opts.out_axes[0]);
    opts.axis_size = size;
    if (PyTuple_Size(axes) != f->n_parts)
        return PyErr_SetString(PyExc_ValueError, "vmap: axes of another number of parts"), NULL;
    for (int p = 0; p < f->n_parts; p++)
        if (mapping_of(PyTuple_GetItem(axes, p), &opts.in_axes[p]) < 0)
            return NULL;
    if (kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    PyObject *result = kpy_derived(f, (pmap ? kn_pmap : kn_vmap)(f->fn, &opts));
    kpy_leave_scope();
    return result;
}

/* jvp(primals, tangents) -> (results, tangents of results, aux), the last n_aux results being aux */
static PyObject *jvp(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"primals", "tangents", NULL};
    PyObject *primals, *tangents, *result = NULL;
    kpy_parts p, t;
    kn_tree y = NULL, dy = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "OO", names, &primals, &tangents) || kpy_enter_scope() < 0)
        return NULL;
    if (kpy_parts_of(primals, &p) == 0) {
        if (kpy_parts_of(tangents, &t) == 0) {
            kn_outs ys = {1, {{&y, 2}}}, dys = {1, {{&dy, 2}}};
            kpy_calling c;
            kpy_here();
            kpy_call_begins(&c, (kpy_function *)self);
            kn_jvp(((kpy_function *)self)->fn, &p.args, &t.args, &ys, &dys);
            kpy_call_ends(&c);
            PyObject *first = kpy_list_of_tree(y), *second = first ? kpy_list_of_tree(dy) : NULL;
            if (second)
                result = PyTuple_Pack(2, first, second);
            Py_XDECREF(first);
            Py_XDECREF(second);
            kpy_parts_drop(&t);
        }
        kpy_parts_drop(&p);
    }
    kpy_leave_scope();
    return result;
}

/* vjp(primals) -> (results, a function of the results' cotangents), linearize(primals) of the tangents */
static PyObject *at_point(PyObject *self, PyObject *primals, bool reverse)
{
    kpy_parts p;
    PyObject *result = NULL;
    kpy_function *f = (kpy_function *)self;
    kn_tree y = NULL;
    if (kpy_enter_scope() < 0)
        return NULL;
    if (kpy_parts_of(primals, &p) == 0) {
        kn_outs ys = {1, {{&y, 2}}};
        kpy_calling c;
        kpy_here();
        kpy_call_begins(&c, f);
        kn_fn fn = reverse ? kn_vjp(f->fn, &p.args, &ys) : kn_linearize(f->fn, &p.args, &ys);
        kpy_call_ends(&c);
        PyObject *list = kpy_list_of_tree(y);
        kpy_function *g = list ? (kpy_function *)kpy_derived(f, fn) : NULL;
        if (g) {
            if (reverse) {
                g->n_parts = 1;
                g->size[0] = (int)PyList_Size(list);
            }
            result = PyTuple_Pack(2, list, (PyObject *)g);
        }
        Py_XDECREF(list);
        Py_XDECREF((PyObject *)g);
        kpy_parts_drop(&p);
    }
    kpy_leave_scope();
    return result;
}

static PyObject *vjp(PyObject *self, PyObject *primals) { return at_point(self, primals, true); }
static PyObject *linearize(PyObject *self, PyObject *primals) { return at_point(self, primals, false); }

static PyObject *linear_transpose(PyObject *self, PyObject *examples)
{
    kpy_parts p;
    PyObject *result = NULL;
    kpy_function *f = (kpy_function *)self;
    if (kpy_enter_scope() < 0)
        return NULL;
    if (kpy_parts_of(examples, &p) == 0) {
        kpy_calling c;
        kpy_here();
        kpy_call_begins(&c, f);
        kn_fn fn = kn_linear_transpose(f->fn, &p.args);
        kpy_call_ends(&c);
        result = kpy_derived(f, fn);
        kpy_parts_drop(&p);
    }
    kpy_leave_scope();
    return result;
}

static PyObject *custom_jvp(PyObject *self, PyObject *rule)
{
    kpy_function *f = (kpy_function *)self, *r = (kpy_function *)rule;
    if (Py_TYPE(rule) != kpy_function_type)
        return PyErr_SetString(PyExc_TypeError, "the rule has to be a Function"), NULL;
    if (kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    PyObject *pair = PyTuple_Pack(2, self, rule), *result = pair ? kpy_derived(f, kn_custom_jvp(f->fn, r->fn)) : NULL;
    if (result) {
        Py_DECREF(((kpy_function *)result)->base);
        ((kpy_function *)result)->base = Py_NewRef(pair);
    }
    Py_XDECREF(pair);
    kpy_leave_scope();
    return result;
}

static PyObject *custom_vjp(PyObject *self, PyObject *args)
{
    PyObject *forward, *backward;
    kpy_function *f = (kpy_function *)self;
    if (!PyArg_ParseTuple(args, "O!O!", kpy_function_type, &forward, kpy_function_type, &backward) ||
        kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    PyObject *all = PyTuple_Pack(3, self, forward, backward);
    PyObject *result =
        all ? kpy_derived(f, kn_custom_vjp(f->fn, ((kpy_function *)forward)->fn, ((kpy_function *)backward)->fn))
            : NULL;
    if (result) {
        Py_DECREF(((kpy_function *)result)->base);
        ((kpy_function *)result)->base = Py_NewRef(all);
    }
    Py_XDECREF(all);
    kpy_leave_scope();
    return result;
}

static PyObject *checkpoint(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *names[] = {"kind", "names", "prevent_cse", NULL};
    kn_checkpoint_opts opts = kn_checkpoint_opts_default();
    PyObject *policy_names = NULL;
    int kind = KN_POLICY_NOTHING, prevent = 1;
    kpy_function *f = (kpy_function *)self;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "|iOp", names, &kind, &policy_names, &prevent))
        return NULL;
    opts.policy.kind = kind;
    opts.prevent_cse = prevent;
    for (Py_ssize_t i = 0; policy_names && i < PySequence_Size(policy_names); i++) {
        PyObject *name = PySequence_GetItem(policy_names, i);
        const char *s = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        Py_XDECREF(name); /* the sequence has it */
        if (!s)
            return NULL;
        if (i == KN_MAX_POLICY_NAMES)
            return PyErr_Format(PyExc_ValueError, "a policy has at most %d names", KN_MAX_POLICY_NAMES);
        opts.policy.name[opts.policy.n++] = s;
    }
    if (kpy_enter_scope() < 0)
        return NULL;
    kpy_here();
    PyObject *result = kpy_derived(f, kn_checkpoint(f->fn, &opts));
    kpy_leave_scope();
    return result;
}

static PyObject *get_trace_count(PyObject *self, void *unused)
{
    (void)unused;
    if (kpy_enter_scope() < 0)
        return NULL;
    int n = kn_fn_trace_count(((kpy_function *)self)->fn);
    kpy_leave_scope();
    return PyLong_FromLong(n);
}

static PyObject *explain(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (kpy_enter_scope() < 0)
        return NULL;
    const char *s = kn_fn_explain(((kpy_function *)self)->fn);
    PyObject *text = kpy_failed() ? NULL : PyUnicode_FromString(s ? s : "");
    kpy_leave_scope();
    return text;
}

static PyGetSetDef getset[] = {{"trace_count", get_trace_count, NULL, "how often it was recorded", NULL}, {0}};
static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(kpy_function, weak), READONLY, NULL},
    {"n_out", T_INT, offsetof(kpy_function, n_out), READONLY, "how many results; -1: not called yet"},
    {0}};
#define WITH_KEYWORDS(f) (PyCFunction)(void (*)(void)) f, METH_VARARGS | METH_KEYWORDS
static PyMethodDef methods[] = {{"jit", WITH_KEYWORDS(jit), "kn_jit"},
                                {"grad", WITH_KEYWORDS(grad), "kn_grad"},
                                {"jacobian", WITH_KEYWORDS(jacobian), "kn_jacfwd, kn_jacrev, kn_hessian"},
                                {"vmap", WITH_KEYWORDS(vmap), "kn_vmap"},
                                {"jvp", WITH_KEYWORDS(jvp), "kn_jvp"},
                                {"vjp", vjp, METH_O, "kn_vjp"},
                                {"linearize", linearize, METH_O, "kn_linearize"},
                                {"linear_transpose", linear_transpose, METH_O, "kn_linear_transpose"},
                                {"custom_jvp", custom_jvp, METH_O, "kn_custom_jvp"},
                                {"custom_vjp", custom_vjp, METH_VARARGS, "kn_custom_vjp"},
                                {"checkpoint", WITH_KEYWORDS(checkpoint), "kn_checkpoint"},
                                {"explain", explain, METH_NOARGS, "kn_fn_explain"},
                                {0}};
static PyType_Slot slots[] = {
    {Py_tp_dealloc, drop},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_new, new},
    {Py_tp_call, call},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_doc,
     "Function(callable, sizes, like=None, n_out=-1, pair=False)\n--\n\nA function of flat tuples of arrays, as Kiln "
     "sees it. A size of -1 is any; pair: it returns two sequences."},
    {0, NULL}};
static PyType_Spec spec = {"kiln._core.Function", sizeof(kpy_function), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           slots};
int kpy_function_make(PyObject *module)
{
    kpy_function_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!kpy_function_type || PyModule_AddObjectRef(module, "Function", (PyObject *)kpy_function_type) < 0 ||
        kpy_control_make(module) < 0 || kpy_callback_make(module) < 0 || kpy_optim_make(module) < 0 ||
        kpy_jaxpr_make(module) < 0 || kpy_linear_make(module) < 0)
        return -1;
    return kpy_jit_make(module);
}
