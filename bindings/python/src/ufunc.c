/* SPDX-License-Identifier: Apache-2.0
 * ufunc.c -- kiln.numpy.ufunc: NumPy's universal functions as objects. A call with operands alone is a call of the
 * generated function of that name; keywords and methods are bound by call.c, too, and
 * go to kn_ufunc_call and its kin. */
#include "kpy.h"
#include <string.h>

#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif
enum { MAX_OPERANDS = 8 };
typedef PyObject *(*vector_call)(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames);

/* The keywords of calls; the last ones are for generalized ufuncs alone. */
enum {
    K_OUT,
    K_WHERE,
    K_CASTING,
    K_ORDER,
    K_DTYPE,
    K_SUBOK,
    K_SIGNATURE,
    K_SIG,
    N_PLAIN,
    K_AXES = N_PLAIN,
    K_AXIS,
    K_KEEPDIMS,
    N_KEYWORDS
};
#define ONLY(text)                                          \
    {                                                       \
        .name = (text), .positional_only = 1, .required = 1 \
    }
#define MAYBE(text)                          \
    {                                        \
        .name = (text), .positional_only = 1 \
    }
#define KEYWORD(text)                     \
    {                                     \
        .name = (text), .keyword_only = 1 \
    }
#define BOTH(text)     \
    {                  \
        .name = (text) \
    }
#define ROW(text, table, positional, needed)                                                       \
    {                                                                                              \
        .name = (text), .n_params = sizeof(table) / sizeof *(table), .n_positional = (positional), \
        .n_required = (needed), .param = (table)                                                   \
    }
#define PLAIN_KEYWORDS                                                                                          \
    KEYWORD("out"), KEYWORD("where"), KEYWORD("casting"), KEYWORD("order"), KEYWORD("dtype"), KEYWORD("subok"), \
        KEYWORD("signature"), KEYWORD("sig")
static const knb_param keywords[] = {PLAIN_KEYWORDS, KEYWORD("axes"), KEYWORD("axis"), KEYWORD("keepdims")};

typedef struct ufunc {
    PyObject_HEAD vector_call call;
    const knb_row *row; /* of the generated function, if there is one */
    kn_ufunc u;
    int nin, nout;
    knb_row general; /* operands, results by position, keywords */
    knb_param param[MAX_OPERANDS + N_KEYWORDS];
} ufunc;
static PyTypeObject *ufunc_type;

static void describe_call(ufunc *f, const char *name)
{
    static const char *const operands[] = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"};
    int n = f->nin + f->nout, more = kn_ufunc_signature(f->u) ? N_KEYWORDS : N_PLAIN;
    for (int i = 0; i < n; i++)
        f->param[i] = (knb_param){.name = operands[i], .positional_only = 1, .required = i < f->nin};
    memcpy(f->param + n, keywords, (size_t)more * sizeof *keywords);
    f->param[n + K_WHERE].positional_only = more == N_KEYWORDS; /* not for generalized ones: no keyword reaches it */
    f->general = (knb_row){.name = name,
                           .n_params = (uint16_t)(n + more),
                           .n_positional = (uint16_t)n,
                           .n_required = (uint16_t)f->nin,
                           .param = f->param};
}

/* ---- Calls. */

/* The operands and options of one call; `out` has borrowed objects, NULL where no array was given. */
typedef struct request {
    kpy_operand in[MAX_OPERANDS];
    int n_in;
    PyObject *out[MAX_OPERANDS];
    kn_array outs[MAX_OPERANDS];
    bool has_out;
    kpy_operand where;
    kn_axes axes[MAX_OPERANDS];
    char signature[64];
    kn_ufunc_call_opts opts;
} request;

static void request_drop(request *r)
{
    for (int i = 0; i < r->n_in; i++)
        kpy_operand_drop(&r->in[i]);
    kpy_operand_drop(&r->where);
}

static int take_out(const ufunc *f, request *r, int i, PyObject *o)
{
    if (i >= f->nout) {
        PyErr_SetString(PyExc_ValueError, "The 'out' tuple must have exactly one entry per ufunc output");
        return -1;
    }
    if (o == Py_None)
        return 0;
    if (!KPY_IS_ARRAY(o)) {
        PyErr_SetString(PyExc_TypeError, "return arrays must be of ArrayType");
        return -1;
    }
    r->out[i] = o;
    r->outs[i] = KPY_HANDLE(o);
    r->has_out = true;
    return 0;
}

static int take_outs(const ufunc *f, request *r, PyObject *o)
{
    if (!PyTuple_Check(o) && f->nout > 1 && o != Py_None)
        return PyErr_SetString(PyExc_TypeError, "'out' must be a tuple of arrays"), -1;
    if (!PyTuple_Check(o))
        return take_out(f, r, 0, o);
    if (PyTuple_Size(o) != f->nout) {
        PyErr_SetString(PyExc_ValueError, "The 'out' tuple must have exactly one entry per ufunc output");
        return -1;
    }
    for (int i = 0; i < f->nout; i++)
        if (take_out(f, r, i, PyTuple_GetItem(o, i)) < 0)
            return -1;
    return 0;
}

static int take_text(PyObject *o, const char *name, const char **to)
{
    if (!PyUnicode_Check(o))
        return PyErr_Format(PyExc_TypeError, "%s must be a str", name), -1;
    *to = PyUnicode_AsUTF8AndSize(o, NULL);
    return *to ? 0 : -1;
}

/* signature='dd->d', a dtype of the result, or a tuple of dtypes for all */
static int take_signature(const ufunc *f, request *r, PyObject *o)
{
    if (PyUnicode_Check(o)) {
        const char *text = PyUnicode_AsUTF8AndSize(o, NULL);
        if (text && !strstr(text, "->"))
            return kpy_dtype_of(o, &r->opts.dtype);
        r->opts.signature = text;
        return text ? 0 : -1;
    }
    if (!PyTuple_Check(o))
        return kpy_dtype_of(o, &r->opts.dtype);
    if (PyTuple_Size(o) != f->nin + f->nout)
        return PyErr_SetString(PyExc_ValueError, "a tuple of dtypes has to have one for each operand and result"), -1;
    char *at = r->signature;
    for (int i = 0; i < f->nin + f->nout; i++) {
        kn_dtype d;
        PyObject *item = PyTuple_GetItem(o, i);
        if (i == f->nin)
            *at++ = '-', *at++ = '>';
        if (item == Py_None && i >= f->nin && f->nout == 1)
            return r->signature[0] = 0, 0;
        if (item == Py_None && i < f->nin) { /* only the result's dtype counts */
            return kpy_dtype_of(PyTuple_GetItem(o, f->nin + f->nout - 1), &r->opts.dtype);
        }
        if (kpy_dtype_of(item, &d) < 0)
            return -1;
        if (!d)
            return PyErr_SetString(PyExc_TypeError, "the signature object to ufunc must be a string or a tuple"), -1;
        *at++ = kn_dtype_char(d);
    }
    r->opts.signature = r->signature;
    return 0;
}

static int take_axes(request *r, PyObject *o)
{
    Py_ssize_t n = PyList_Check(o) ? PyList_Size(o) : -1;
    if (n < 0 || n > MAX_OPERANDS)
        return PyErr_SetString(PyExc_TypeError, "axes should be a list."), -1;
    for (Py_ssize_t i = 0; i < n; i++)
        if (kpy_axes_of(PyList_GetItem(o, i), &r->axes[i]) < 0)
            return -1;
    r->opts.axes = (kn_axes_list){(int)n, r->axes};
    return 0;
}

static int take_mask(request *r, PyObject *o)
{
    if (o == Py_True)
        return 0;
    if (kpy_operand_of(o, &r->where) < 0)
        return -1;
    r->opts.where = r->where.h;
    return 0;
}

static int take_keyword(const ufunc *f, request *r, int keyword, PyObject *o)
{
    switch (keyword) {
    case K_OUT: return take_outs(f, r, o);
    case K_WHERE: return take_mask(r, o);
    case K_CASTING: return take_text(o, "casting", &r->opts.casting);
    case K_ORDER: return take_text(o, "order", &r->opts.order);
    case K_DTYPE: return kpy_dtype_of(o, &r->opts.dtype);
    case K_SIGNATURE:
    case K_SIG: return o == Py_None ? 0 : take_signature(f, r, o);
    case K_AXES: return take_axes(r, o);
    case K_AXIS: return kpy_axes_of(o, &r->opts.axis);
    case K_KEEPDIMS: {
        int b = PyObject_IsTrue(o);
        r->opts.keepdims = b > 0;
        return b < 0 ? -1 : 0;
    }
    default: return 0; /* subok */
    }
}

/* value: N_PLAIN or N_KEYWORDS of them */
static int take_keywords(const ufunc *f, request *r, PyObject *const *value, int n)
{
    if (value[K_SIGNATURE] && value[K_SIG])
        return PyErr_SetString(PyExc_TypeError, "cannot specify both 'sig' and 'signature'"), -1;
    if (value[K_DTYPE] && (value[K_SIGNATURE] || value[K_SIG]))
        return PyErr_SetString(PyExc_TypeError, "cannot specify both 'signature' and 'dtype'"), -1;
    for (int k = 0; k < n; k++)
        if (value[k] && take_keyword(f, r, k, value[k]) < 0)
            return -1;
    return 0;
}

static PyObject *returned(PyObject *object, kn_array result)
{
    if (!object)
        return kpy_wrap(result);
    if (result && result != KPY_HANDLE(object))
        kn_release(result);
    return kpy_failed() ? NULL : Py_NewRef(object);
}

static PyObject *run(const ufunc *f, request *r)
{
    kn_array in[MAX_OPERANDS];
    for (int i = 0; i < f->nin; i++)
        in[i] = r->in[i].h;
    kn_operands operands = {f->nin, in};
    kpy_here();
    if (f->nout == 1) {
        r->opts.out = r->outs[0];
        return returned(r->out[0], kn_ufunc_call(f->u, operands, &r->opts));
    }
    r->opts.outs = r->has_out ? (kn_operands){f->nout, r->outs} : (kn_operands){0};
    if (kpy_enter_scope() < 0)
        return NULL;
    kn_list list = kn_ufunc_call_all(f->u, operands, &r->opts);
    PyObject *all = kpy_failed() ? NULL : PyTuple_New(f->nout);
    for (int i = 0; all && i < f->nout; i++) {
        PyObject *o = r->out[i] ? Py_NewRef(r->out[i]) : kpy_wrap(kn_list_get(list, i));
        if (!o || PyTuple_SetItem(all, i, o) < 0) {
            Py_DECREF(all);
            all = NULL;
        }
    }
    kpy_leave_scope();
    return all;
}

static int take_all(const ufunc *f, request *r, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *value[MAX_OPERANDS + N_KEYWORDS] = {NULL}, *rest = NULL;
    int n = f->nin + f->nout;
    if (nargs < f->nin || nargs > n) {
        PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd %s given",
                     kn_ufunc_name(f->u), f->nin, n, nargs, nargs == 1 ? "was" : "were");
        return -1;
    }
    if (kpy_bind(&f->general, NULL, args, nargs, kwnames, value, &rest) < 0)
        return -1;
    if (value[n + K_OUT] && nargs > f->nin) {
        PyErr_SetString(PyExc_TypeError, "cannot specify 'out' as both a positional and keyword argument");
        return -1;
    }
    for (; r->n_in < f->nin; r->n_in++)
        if (kpy_operand_of(value[r->n_in], &r->in[r->n_in]) < 0)
            return -1;
    for (int i = f->nin; i < nargs; i++)
        if (take_out(f, r, i - f->nin, value[i]) < 0)
            return -1;
    return take_keywords(f, r, value + n, f->general.n_params - n);
}

static PyObject *general(const ufunc *f, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    request r = {.opts = kn_ufunc_call_opts_default()};
    PyObject *result = NULL;
    if (kpy_enter() < 0)
        return NULL;
    if (take_all(f, &r, args, nargs, kwnames) == 0)
        result = run(f, &r);
    request_drop(&r);
    kpy_leave();
    return result;
}

static PyObject *vectorcall(PyObject *o, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    const ufunc *f = (const ufunc *)o;
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~((size_t)1 << (8 * sizeof nargsf - 1)));
    if (nargs == f->nin && f->row && (!kwnames || PyTuple_Size(kwnames) == 0))
        return kpy_invoke(f->row, NULL, args, nargs, NULL);
    return general(f, args, nargs, kwnames);
}

/* With a tuple and a dictionary; from the type's slot. */
static PyObject *slot_call(PyObject *o, PyObject *args, PyObject *kw)
{
    Py_ssize_t nargs = PyTuple_Size(args), n = kw ? PyDict_Size(kw) : 0, i = 0, pos = 0;
    PyObject **all = PyMem_Calloc((size_t)(nargs + n) + 1, sizeof *all), *names = PyTuple_New(n), *key, *value;
    PyObject *result = NULL;
    if (!all)
        PyErr_NoMemory();
    for (; all && i < nargs; i++)
        all[i] = PyTuple_GetItem(args, i);
    for (i = 0; all && names && n && PyDict_Next(kw, &pos, &key, &value); i++) {
        all[nargs + i] = value;
        PyTuple_SetItem(names, i, Py_NewRef(key));
    }
    if (all && names)
        result = vectorcall(o, all, (size_t)nargs, n ? names : NULL);
    Py_XDECREF(names);
    PyMem_Free(all);
    return result;
}

/* ---- Methods. */

static int optional_operand(PyObject *o, PyObject *nothing, kpy_operand *x)
{
    return !o || o == Py_None || o == nothing ? 0 : kpy_operand_of(o, x);
}

static PyObject *one_out(PyObject *out)
{
    if (out && PyTuple_Check(out) && PyTuple_Size(out) == 1)
        out = PyTuple_GetItem(out, 0);
    if (out == Py_None)
        return NULL;
    if (out && !KPY_IS_ARRAY(out))
        PyErr_SetString(PyExc_TypeError, "return arrays must be of ArrayType");
    return out;
}

static PyObject *reduce(PyObject *o, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    enum { A, AXIS, DTYPE, OUT, KEEPDIMS, INITIAL, WHERE, N };
    static const knb_param params[] = {{.name = "array", .required = 1},
                                       BOTH("axis"),
                                       BOTH("dtype"),
                                       BOTH("out"),
                                       BOTH("keepdims"),
                                       BOTH("initial"),
                                       BOTH("where")};
    static const knb_row row = ROW("reduce", params, N, 1);
    const ufunc *f = (const ufunc *)o;
    PyObject *v[N] = {NULL}, *rest = NULL, *out, *result = NULL;
    if (kpy_bind(&row, NULL, args, nargs, kwnames, v, &rest) < 0 || ((out = one_out(v[OUT])), PyErr_Occurred()))
        return NULL;
    int keepdims = v[KEEPDIMS] ? PyObject_IsTrue(v[KEEPDIMS]) : 0;
    if (keepdims < 0 || kpy_enter() < 0)
        return NULL;
    kn_ufunc_reduce_opts opts = kn_ufunc_reduce_opts_default();
    kpy_operand x = {0}, start = {0}, mask = {0};
    opts.keepdims = keepdims;
    if (kpy_operand_of(v[A], &x) == 0 && (!v[DTYPE] || kpy_dtype_of(v[DTYPE], &opts.dtype) == 0) &&
        (!v[AXIS] || kpy_axes_of(v[AXIS], &opts.axis) == 0) && optional_operand(v[INITIAL], NULL, &start) == 0 &&
        optional_operand(v[WHERE], Py_True, &mask) == 0) {
        opts.initial = start.h;
        opts.where = mask.h;
        opts.out = out ? KPY_HANDLE(out) : NULL;
        kpy_here();
        result = returned(out, kn_ufunc_reduce(f->u, x.h, &opts));
    }
    kpy_operand_drop(&x);
    kpy_operand_drop(&start);
    kpy_operand_drop(&mask);
    kpy_leave();
    return result;
}

/* accumulate, and reduceat with its indices */
static PyObject *along(const ufunc *f, PyObject *a, PyObject *indices, PyObject *axis, PyObject *dtype, PyObject *out)
{
    kn_ufunc_accumulate_opts opts = kn_ufunc_accumulate_opts_default();
    kpy_operand x = {0}, at = {0};
    PyObject *result = NULL;
    out = one_out(out);
    if (PyErr_Occurred() || kpy_enter() < 0)
        return NULL;
    if (kpy_operand_of(a, &x) == 0 && (!indices || kpy_positions_of(indices, &at) == 0) &&
        (!dtype || kpy_dtype_of(dtype, &opts.dtype) == 0) && (!axis || kpy_axes_of(axis, &opts.axis) == 0)) {
        opts.out = out ? KPY_HANDLE(out) : NULL;
        kpy_here();
        result =
            returned(out, indices ? kn_ufunc_reduceat(f->u, x.h, at.h, &opts) : kn_ufunc_accumulate(f->u, x.h, &opts));
    }
    kpy_operand_drop(&x);
    kpy_operand_drop(&at);
    kpy_leave();
    return result;
}

static PyObject *accumulate(PyObject *o, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const knb_param params[] = {{.name = "array", .required = 1}, BOTH("axis"), BOTH("dtype"), BOTH("out")};
    static const knb_row row = ROW("accumulate", params, 4, 1);
    PyObject *v[4] = {NULL}, *rest = NULL;
    return kpy_bind(&row, NULL, args, nargs, kwnames, v, &rest) == 0
               ? along((const ufunc *)o, v[0], NULL, v[1], v[2], v[3])
               : NULL;
}

static PyObject *reduceat(PyObject *o, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const knb_param params[] = {
        {.name = "array", .required = 1}, {.name = "indices", .required = 1}, BOTH("axis"), BOTH("dtype"), BOTH("out")};
    static const knb_row row = ROW("reduceat", params, 5, 2);
    PyObject *v[5] = {NULL}, *rest = NULL;
    return kpy_bind(&row, NULL, args, nargs, kwnames, v, &rest) == 0
               ? along((const ufunc *)o, v[0], v[1], v[2], v[3], v[4])
               : NULL;
}

static PyObject *outer(PyObject *o, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const knb_param params[] = {ONLY("A"), ONLY("B"), PLAIN_KEYWORDS};
    static const knb_row row = ROW("outer", params, 2, 2);
    const ufunc *f = (const ufunc *)o;
    request r = {.opts = kn_ufunc_call_opts_default()};
    PyObject *v[2 + N_PLAIN] = {NULL}, *rest = NULL, *result = NULL;
    if (kpy_bind(&row, NULL, args, nargs, kwnames, v, &rest) < 0 || kpy_enter() < 0)
        return NULL;
    bool sound = true;
    for (; sound && r.n_in < 2; r.n_in += sound)
        sound = kpy_operand_of(v[r.n_in], &r.in[r.n_in]) == 0;
    if (sound && take_keywords(f, &r, v + 2, N_PLAIN) == 0) {
        r.opts.out = r.outs[0];
        kpy_here();
        result = returned(r.out[0], kn_ufunc_outer(f->u, r.in[0].h, r.in[1].h, &r.opts));
    }
    request_drop(&r);
    kpy_leave();
    return result;
}

static PyObject *at(PyObject *o, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const knb_param params[] = {ONLY("a"), ONLY("indices"), MAYBE("b")};
    static const knb_row row = ROW("at", params, 3, 2);
    const ufunc *f = (const ufunc *)o;
    PyObject *given[3] = {NULL}, *rest = NULL;
    kpy_operand v = {0};
    kpy_index index;
    bool done = false;
    if (kpy_bind(&row, NULL, args, nargs, kwnames, given, &rest) < 0)
        return NULL;
    PyObject *a = given[0], *key = given[1], *b = given[2] ? given[2] : Py_None;
    if (!KPY_IS_ARRAY(a))
        return PyErr_SetString(PyExc_TypeError, "first operand must be array"), NULL;
    if ((b == Py_None) != (f->nin == 1))
        return PyErr_SetString(PyExc_ValueError, f->nin == 1 ? "second operand provided when ufunc is unary"
                                                             : "second operand needed for ufunc"),
               NULL;
    if (kpy_enter() < 0)
        return NULL;
    if (kpy_index_of(key, &index) == 0 && optional_operand(b, NULL, &v) == 0) {
        kpy_here();
        kn_ufunc_at(f->u, KPY_HANDLE(a), v.h, index.text, index.n, index.arg);
        done = !kpy_failed();
    }
    kpy_index_drop(&index);
    kpy_operand_drop(&v);
    kpy_leave();
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *resolve_dtypes(PyObject *o, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const knb_param params[] = {ONLY("dtypes"), KEYWORD("signature"), KEYWORD("casting"), KEYWORD("reduction")};
    static const knb_row row = ROW("resolve_dtypes", params, 1, 1);
    const ufunc *f = (const ufunc *)o;
    kn_ufunc_resolve_dtypes_opts opts = kn_ufunc_resolve_dtypes_opts_default();
    PyObject *v[4] = {NULL}, *rest = NULL, *result = NULL;
    int n = f->nin + f->nout;
    kn_dtype given[MAX_OPERANDS], resolved[MAX_OPERANDS];
    if (kpy_bind(&row, NULL, args, nargs, kwnames, v, &rest) < 0)
        return NULL;
    PyObject *dtypes = v[0];
    if (!PyTuple_Check(dtypes))
        return PyErr_SetString(PyExc_TypeError, "dtypes has to be a tuple"), NULL;
    if (PyTuple_Size(dtypes) != n)
        return PyErr_Format(PyExc_ValueError, "resolve_dtypes: %d dtypes are wanted", n), NULL;
    opts.casting = "same_kind";
    if ((v[1] && v[1] != Py_None && take_text(v[1], "signature", &opts.signature) < 0) ||
        (v[2] && v[2] != Py_None && take_text(v[2], "casting", &opts.casting) < 0))
        return NULL;
    int reduction = v[3] ? PyObject_IsTrue(v[3]) : 0;
    if (reduction < 0 || kpy_enter() < 0)
        return NULL;
    opts.reduction = reduction;
    bool sound = true;
    for (int i = 0; sound && i < n; i++) {
        PyObject *d = PyTuple_GetItem(dtypes, i);
        sound = kpy_dtype_of(d, &given[i]) == 0;
        if (d == (PyObject *)&PyLong_Type || d == (PyObject *)&PyFloat_Type || d == (PyObject *)&PyComplex_Type)
            opts.weak |= 1u << i;
    }
    if (sound)
        kn_ufunc_resolve_dtypes(f->u, n, given, resolved, &opts);
    if (sound && !kpy_failed() && (result = PyTuple_New(n)))
        for (int i = 0; i < n; i++)
            PyTuple_SetItem(result, i, kpy_wrap_dtype(resolved[i]));
    kpy_leave();
    return result;
}

/* ---- What it is. */

static PyObject *name_of(PyObject *o, void *u) { return (void)u, PyUnicode_FromString(kn_ufunc_name(((ufunc *)o)->u)); }
static PyObject *get_nin(PyObject *o, void *u) { return (void)u, PyLong_FromLong(((ufunc *)o)->nin); }
static PyObject *get_nout(PyObject *o, void *u) { return (void)u, PyLong_FromLong(((ufunc *)o)->nout); }
static PyObject *get_nargs(PyObject *o, void *u)
{
    return (void)u, PyLong_FromLong(((ufunc *)o)->nin + ((ufunc *)o)->nout);
}
static PyObject *get_ntypes(PyObject *o, void *u) { return (void)u, PyLong_FromLong(kn_ufunc_ntypes(((ufunc *)o)->u)); }
static PyObject *get_types(PyObject *o, void *unused)
{
    kn_ufunc u = ((ufunc *)o)->u;
    int n = kn_ufunc_ntypes(u);
    PyObject *list = PyList_New(n);
    (void)unused;
    for (int i = 0; list && i < n; i++)
        PyList_SetItem(list, i, PyUnicode_FromString(kn_ufunc_types(u, i)));
    return list;
}
static PyObject *get_signature(PyObject *o, void *unused)
{
    const char *s = kn_ufunc_signature(((ufunc *)o)->u);
    (void)unused;
    return s ? PyUnicode_FromString(s) : Py_NewRef(Py_None);
}
static PyObject *get_identity(PyObject *o, void *unused)
{
    (void)unused;
    if (kpy_enter() < 0)
        return NULL;
    kn_array x = kn_ufunc_identity(((ufunc *)o)->u);
    PyObject *value = x ? kpy_item(x) : kpy_failed() ? NULL : Py_NewRef(Py_None);
    if (x)
        kn_release(x);
    kpy_leave();
    return value;
}
static PyObject *get_doc(PyObject *o, void *unused)
{
    const knb_row *row = ((ufunc *)o)->row;
    const char *doc = row ? strstr(row->doc, "--\n\n") : NULL;
    (void)unused;
    return PyUnicode_FromString(doc ? doc + 4 : "");
}

static PyObject *repr(PyObject *o) { return PyUnicode_FromFormat("<ufunc '%s'>", kn_ufunc_name(((ufunc *)o)->u)); }

static PyObject *reduce_ex(PyObject *o, PyObject *unused)
{
    (void)unused;
    return Py_BuildValue("O(s)", (PyObject *)Py_TYPE(o), kn_ufunc_name(((ufunc *)o)->u));
}

static void drop(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    ((freefunc)PyType_GetSlot(t, Py_tp_free))(o);
    Py_DECREF(t);
}

static const knb_row *row_named(const char *name)
{
    for (const knb_table *t = knb_tables; t->name; t++)
        for (int i = 0; !strcmp(t->name, "kiln.numpy") && i < t->n; i++)
            if (!strcmp(t->row[i]->name, name))
                return t->row[i];
    return NULL;
}

/* ufunc(name): the one of that name, or of an alias of it. */
static PyObject *new (PyTypeObject *type, PyObject *args, PyObject *kw)
{
    const char *name;
    (void)kw;
    if (!PyArg_ParseTuple(args, "s", &name) || kpy_enter() < 0)
        return NULL;
    kn_ufunc u = kn_ufunc_named(name);
    bool failed = kpy_failed();
    int nin = u == kn_ufunc_none ? 0 : kn_ufunc_nin(u), nout = u == kn_ufunc_none ? 0 : kn_ufunc_nout(u);
    kpy_leave();
    if (failed)
        return NULL;
    if (u == kn_ufunc_none || nin + nout > MAX_OPERANDS)
        return PyErr_Format(PyExc_ValueError, "there is no ufunc of the name %s", name);
    ufunc *f = (ufunc *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (f) {
        f->call = vectorcall;
        f->row = row_named(name);
        f->u = u;
        f->nin = nin;
        f->nout = nout;
        describe_call(f, kn_ufunc_name(u));
    }
    return (PyObject *)f;
}

static PyGetSetDef getset[] = {{"__name__", name_of, NULL, "the name", NULL},
                               {"__qualname__", name_of, NULL, "the name", NULL},
                               {"__doc__", get_doc, NULL, NULL, NULL},
                               {"nin", get_nin, NULL, "the number of operands", NULL},
                               {"nout", get_nout, NULL, "the number of results", NULL},
                               {"nargs", get_nargs, NULL, "the number of operands and results", NULL},
                               {"ntypes", get_ntypes, NULL, "the number of loops", NULL},
                               {"types", get_types, NULL, "the loops, as 'dd->d'", NULL},
                               {"signature", get_signature, NULL, "of a generalized ufunc: its core dimensions", NULL},
                               {"identity", get_identity, NULL, "what a reduction of no elements is, or None", NULL},
                               {0}};
#define WITH_KEYWORDS(f) (PyCFunction)(void (*)(void))(f)
static PyMethodDef methods[] = {
    {"reduce", WITH_KEYWORDS(reduce), METH_FASTCALL | METH_KEYWORDS,
     "reduce($self, array, /, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True)\n--\n\n"
     "Joins the elements along axes."},
    {"accumulate", WITH_KEYWORDS(accumulate), METH_FASTCALL | METH_KEYWORDS,
     "accumulate($self, array, /, axis=0, dtype=None, out=None)\n--\n\nEvery element joined with all before it."},
    {"reduceat", WITH_KEYWORDS(reduceat), METH_FASTCALL | METH_KEYWORDS,
     "reduceat($self, array, /, indices, axis=0, dtype=None, out=None)\n--\n\nReductions of slices between indices."},
    {"outer", WITH_KEYWORDS(outer), METH_FASTCALL | METH_KEYWORDS,
     "outer($self, A, B, /, **kwargs)\n--\n\nOf each pair of elements of A and B."},
    {"at", WITH_KEYWORDS(at), METH_FASTCALL | METH_KEYWORDS,
     "at($self, a, indices, b=None, /)\n--\n\nIn place where indices are, again and again where they repeat."},
    {"resolve_dtypes", WITH_KEYWORDS(resolve_dtypes), METH_FASTCALL | METH_KEYWORDS,
     "resolve_dtypes($self, dtypes, *, signature=None, casting=None, reduction=False)\n--\n\n"
     "The dtypes that are worked with for these."},
    {"__reduce__", reduce_ex, METH_NOARGS, "for pickle"},
    {0}};
static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(ufunc, call), READONLY, NULL}, {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, drop},    {Py_tp_repr, repr},       {Py_tp_str, repr},
                              {Py_tp_call, slot_call},  {Py_tp_new, new},         {Py_tp_getset, getset},
                              {Py_tp_methods, methods}, {Py_tp_members, members}, {0, NULL}};
static PyType_Spec spec = {"kiln.numpy.ufunc", sizeof(ufunc), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
                           slots};

int kpy_ufunc_make(PyObject *module)
{
    ufunc_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return ufunc_type ? PyModule_AddObjectRef(module, "ufunc", (PyObject *)ufunc_type) : -1;
}
