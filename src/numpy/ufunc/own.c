/* SPDX-License-Identifier: Apache-2.0
 * own.c -- ufuncs of the user's own: their table, what a definition must be, and calls. */
#include "base/lock.h"
#include "function/primitive.h"
#include "kiln/memory.h"
#include "numpy/ufunc/own.h"
#include <stdatomic.h>
#include <string.h>

/* ---- The table: it only grows, and is read without a lock. */

enum { MOST_OWN = 4096 };
static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static _Atomic(const knn_own *) table[MOST_OWN];
static atomic_int count;

const knn_ufunc *knn_own_of(kn_ufunc f)
{
    int i = f - kn_ufunc_own_;
    return i >= 0 && i < atomic_load(&count) ? &atomic_load(&table[i])->u : NULL;
}

kn_ufunc knn_own_named(const char *name)
{
    for (int i = 0, n = atomic_load(&count); i < n; i++)
        if (!strcmp(atomic_load(&table[i])->u.name, name))
            return (kn_ufunc)(kn_ufunc_own_ + i);
    return kn_ufunc_none;
}

static bool same_text(const char *a, const char *b) { return !a == !b && (!a || !strcmp(a, b)); }

static bool same(const knn_own *a, const knn_own *b)
{
    const kn_ufunc_opts *p = &a->o, *q = &b->o;
    bool is = p->n_in == q->n_in && p->n_out == q->n_out && p->loops.n == q->loops.n && same_text(p->types, q->types) &&
              p->expression == q->expression && p->compute == q->compute && same_text(p->signature, q->signature) &&
              p->jvp == q->jvp && p->linear_in == q->linear_in && p->multilinear_in == q->multilinear_in &&
              p->transpose == q->transpose && p->env == q->env && a->u.reorderable == b->u.reorderable &&
              a->u.identity_kind == b->u.identity_kind && a->u.identity == b->u.identity;
    for (int l = 0; is && l < p->loops.n; l++)
        is = !strcmp(p->loops.at[l].types, q->loops.at[l].types) && p->loops.at[l].strip == q->loops.at[l].strip &&
             p->loops.at[l].data == q->loops.at[l].data;
    return is;
}

/* ---- Definitions. */

/* "dd->d" with as many letters as there are operands and results; how long it is, 0 after an error. */
static size_t check_types(kna_op *op, const knn_own *o, const char *types)
{
    size_t n = strcspn(types, " "), n_in = (size_t)o->u.n_in, n_out = (size_t)o->u.n_out;
    bool ok = n == n_in + 2 + n_out && types[n_in] == '-' && types[n_in + 1] == '>';
    for (size_t i = 0; ok && i < n; i++)
        ok = i == n_in || i == n_in + 1 || knn_dtype_of_letter(types[i]);
    if (!ok)
        kna_fail(op, KN_ERROR_VALUE, "a type-string for %s, %d typecode(s) before and %d after the -> sign", o->u.name,
                 o->u.n_in, o->u.n_out);
    return ok ? n : 0;
}

/* The texts of all loops, each with a zero behind it. */
static void make_loops(kna_op *op, knn_own *o, knx_arena *a)
{
    size_t each = (size_t)(o->u.n_in + o->u.n_out) + 3, most = 1;
    for (const char *p = o->o.types ? o->o.types : ""; *p; p++)
        most += *p == ' ' ? each : 0;
    char *text = knx_arena_zero(a, each * (most + (size_t)o->o.loops.n) + 1), *to = text;
    kn_ufunc_loop *own = knx_arena_zero(a, ((size_t)o->o.loops.n + 1) * sizeof *own);
    if (!text || !own) {
        kna_fail_with(op, knx_error_nomem());
        return;
    }
    for (const char *p = o->o.types; p && *p && !kna_failed(op);) {
        size_t n = check_types(op, o, p);
        memcpy(to, p, n);
        to += n ? n + 1 : 0;
        p += n;
        p += strspn(p, " ");
    }
    for (int l = 0; l < o->o.loops.n && !kna_failed(op); l++) {
        own[l] = o->o.loops.at[l];
        if (!own[l].types || !own[l].strip) {
            kna_fail(op, KN_ERROR_TYPE, "null loop");
            return;
        }
        size_t n = check_types(op, o, own[l].types);
        if (own[l].types[n])
            kna_fail(op, KN_ERROR_VALUE, "a loop has one type-string, not '%s'", own[l].types);
        own[l].types = memcpy(to, own[l].types, n);
        to += n + 1;
    }
    o->u.loops = text;
    o->o.loops.at = own;
}

static void read_identity(kna_op *op, knn_own *o)
{
    if (!o->o.identity || kna_failed(op))
        return;
    kni_type t = kna_type(op, o->o.identity);
    const void *at = kna_failed(op) ? NULL : kna_look(op, o->o.identity, &t);
    if (at && (t.ndim || knx_is_complex(t.dtype) || t.dtype->kind == KN_KIND_KEY))
        kna_fail(op, KN_ERROR_TYPE, "the identity has to be a real number");
    if (kna_failed(op))
        return;
    knx_convert(t.dtype, at, KN_DT(F64), &o->u.identity);
    o->u.identity_kind = t.dtype->kind == KN_KIND_BOOL ? 'b' : knx_is_integer(t.dtype) ? 'i' : 'f';
    o->u.reorderable = true;
}

static void check(kna_op *op, knn_own *o, const char *name)
{
    const kn_ufunc_opts *d = &o->o;
    int n_ways = (d->loops.n != 0 || d->loops.at) + !!d->expression + !!d->compute, at = 0;
    knn_signature s;
    bool linear = d->linear_in || d->multilinear_in;
    if (!kna_given_list(op, d->loops.n, d->loops.at, 1024, "loops"))
        return;
    if (n_ways != 1)
        kna_fail(op, KN_ERROR_TYPE, "a ufunc needs exactly one of .loops, .expression and .compute");
    else if (d->n_in < 1 || d->n_out < 1 || d->n_in > KNN_MOST_OPERANDS / 2 || d->n_out > KNN_MOST_OPERANDS / 2)
        kna_fail(op, KN_ERROR_VALUE, "a ufunc has 1 to %d operands and 1 to %d results, not %d and %d",
                 KNN_MOST_OPERANDS / 2, KNN_MOST_OPERANDS / 2, d->n_in, d->n_out);
    else if (!d->compute != !d->signature && !d->loops.n)
        kna_fail(op, KN_ERROR_TYPE, "%s", d->compute ? ".compute needs .signature" : "an expression has no .signature");
    else if (d->types && d->loops.n)
        kna_fail(op, KN_ERROR_TYPE, "each of the loops has its types: there are no .types beside");
    const char *wrong =
        d->signature && !kna_failed(op) ? knn_parse_signature(d->signature, d->n_in, d->n_out, &s, &at) : NULL;
    if (wrong)
        kna_fail(op, KN_ERROR_VALUE, "%s at position %d in \"%s\"", wrong, at, d->signature);
    if (!kna_failed(op) && d->transpose && !linear)
        kna_fail(op, KN_ERROR_TYPE, ".transpose needs .linear_in or .multilinear_in: the operands that it is for");
    kn_ufunc known = kna_failed(op) ? kn_ufunc_none : kn_ufunc_named(name);
    if (known >= 0 && !knn_is_own(known))
        kna_fail(op, KN_ERROR_VALUE, "%s is a ufunc of NumPy's", name);
}

/* What is more than Kiln's calls is a primitive of the same name. */
static void make_primitive(kna_op *op, knn_own *o)
{
    kn_primitive_opts p = {.size_ = sizeof p,
                           .n_in = o->u.n_in,
                           .n_out = o->u.n_out,
                           .jvp = o->o.jvp ? knn_lift_jvp : NULL,
                           .linear_in = o->o.linear_in,
                           .multilinear_in = o->o.multilinear_in,
                           .transpose = o->o.transpose ? knn_lift_transpose : NULL,
                           .env = o};
    if (o->o.loops.n) {
        p.run = knn_strips_run;
        p.shape = knn_strips_shape;
        p.vmap_method = "expand_dims";
    } else if (!o->o.jvp && !o->o.linear_in && !o->o.multilinear_in)
        return;
    else if (o->o.compute) {
        p.compute = knn_lift_compute;
        p.vmap_method = "expand_dims";
    } else
        p.expression = knn_lift_expression;
    o->primitive = kn_primitive_new(o->u.name, &p);
    if (!o->primitive) {
        kna_fail(op, KN_ERROR_VALUE, "%s is no primitive", o->u.name);
        op->known_error = true; /* kn_primitive_new has said why */
    }
}

static kn_ufunc add(kna_op *op, const knn_own *o, bool *kept)
{
    knx_global_lock_take(&lock);
    kn_ufunc known = knn_own_named(o->u.name);
    int n = atomic_load(&count);
    *kept = known < 0 && n < MOST_OWN;
    if (*kept) {
        known = (kn_ufunc)(kn_ufunc_own_ + n);
        atomic_store(&table[n], o);
        atomic_store(&count, n + 1);
    }
    knx_global_unlock(&lock);
    if (known < 0)
        kna_fail(op, KN_ERROR_RUNTIME, "there are %d ufuncs already", MOST_OWN);
    else if (!*kept && !same(atomic_load(&table[known - kn_ufunc_own_]), o))
        kna_fail(op, KN_ERROR_VALUE, "there is a ufunc %s already, with another definition", o->u.name);
    return kna_failed(op) ? kn_ufunc_none : known;
}

/* A definition that is known already needs no second primitive. */
static kn_ufunc make(kna_op *op, const char *name, const kn_ufunc_opts *given, knx_arena *a, bool *kept)
{
    knn_own *o = knx_arena_zero(a, sizeof *o);
    kn_ufunc f = kn_ufunc_none;
    if (!o) {
        kna_fail_with(op, knx_error_nomem());
        return f;
    }
    o->o = *given;
    o->o.n_out = o->o.n_out ? o->o.n_out : 1;
    check(op, o, name);
    o->u = (knn_ufunc){.name = knx_arena_string(a, name),
                       .n_in = o->o.n_in,
                       .n_out = o->o.n_out,
                       .signature = o->o.signature ? knx_arena_string(a, o->o.signature) : NULL,
                       .reorderable = o->o.reorderable,
                       .own = o};
    o->o.signature = o->u.signature;
    if (!kna_failed(op) && (!o->u.name || (given->signature && !o->u.signature)))
        kna_fail_with(op, knx_error_nomem());
    if (kna_failed(op))
        return f;
    make_loops(op, o, a);
    read_identity(op, o);
    if (o->o.types && !kna_failed(op) && !(o->o.types = knx_arena_string(a, o->o.types)))
        kna_fail_with(op, knx_error_nomem());
    o->o.identity = NULL;
    knn_lift_describe(o);
    if (!kna_failed(op) && knn_own_named(name) < 0)
        make_primitive(op, o);
    return kna_failed(op) ? f : add(op, o, kept);
}

kn_ufunc kn_ufunc_new(const char *name, const kn_ufunc_opts *opts)
{
    kna_op op;
    knx_arena arena = KN_ARENA_INIT;
    bool kept = false;
    kn_ufunc_opts o = {0};
    kn_ufunc f = kn_ufunc_none;
    kna_begin(&op, "ufunc_new");
    if (kna_given_pointer(&op, name, "name") && kna_given_pointer(&op, opts, "definition")) {
        knx_read_options(&o, sizeof o, opts);
        f = make(&op, name, &o, &arena, &kept);
    }
    if (!kept)
        knx_arena_free(&arena);
    return kna_end_plain(&op) ? f : kn_ufunc_none;
}

/* ---- Calls. */

/* Operands in the dtypes of the loop; without loops numbers take the dtype that they have beside the arrays. */
static void convert(kna_op *op, const knn_ufunc *u, kn_array *x, kn_dtype *loop)
{
    kni_type in[KNN_MOST_OPERANDS] = {0};
    int weak = 0;
    for (int i = 0; i < u->n_in; i++) {
        in[i] = kna_type(op, x[i]);
        weak += in[i].weak;
    }
    if (kna_failed(op) || (*u->loops && !knn_resolve(op, u, in, NULL, KN_CAST_SAME_KIND, loop)))
        return;
    kn_dtype d = !*u->loops && weak && weak < u->n_in ? kna_result_type_of(op, u->n_in, in) : NULL;
    for (int i = 0; i < u->n_in && !kna_failed(op); i++) {
        kn_dtype to = *u->loops ? loop[i] : in[i].weak && d ? d : kna_strong_dtype(in[i]);
        if (in[i].weak || in[i].dtype != to)
            x[i] = knl_in_order(u->name, x[i], to, 'K', false);
    }
}

/* The operands of a primitive: those of strips and of core arrays have as many loop axes. */
static void read_atoms(kna_op *op, const knn_own *o, const kn_array *x, kni_atom *a)
{
    kn_shape shape = {.ndim = 0};
    knn_core core = {.s = {.n_dim = 0}};
    kni_type in[KNN_MOST_OPERANDS] = {0};
    for (int i = 0; i < o->u.n_in; i++)
        in[i] = kna_type(op, x[i]);
    if (o->u.signature && !kna_failed(op))
        knn_core_fit(op, &o->u, in, &core);
    else if (!kna_failed(op))
        kna_common_shape(op, o->u.n_in, x, &shape);
    for (int i = 0; i < o->u.n_in && !kna_failed(op); i++) {
        int n = core.s.core[i].n, loops = o->u.signature ? core.loop.ndim : shape.ndim,
            missing = loops - (in[i].ndim - n);
        kn_shape wide = {.ndim = in[i].ndim + missing};
        a[i] = kna_in(op, x[i]);
        for (int d = 0; d < wide.ndim; d++)
            wide.dim[d] = d < missing ? 1 : in[i].dim[d - missing];
        if (o->o.expression)
            a[i] = knl_spread(op, a[i], &shape);
        else if (missing)
            a[i] = knl_reshape(op, a[i], &wide);
    }
}

static bool emit(kna_op *op, kni_builder *b, const knn_own *o, const kni_atom *x, kni_atom *y)
{
    const kni_prim *row = (const kni_prim *)o->primitive;
    const void *params = kna_failed(op) ? NULL : knx_arena_zero(&b->arena, row->params_size);
    if (!params && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    if (params)
        knb_emit(b, row, params, o->u.n_in, x, y, o->u.n_out);
    return !kna_failed(op);
}

static void call_primitive(const knn_own *o, const kn_array *x, kn_array *y)
{
    kna_op op;
    kni_atom a[KNN_MOST_OPERANDS], z[KNN_MOST_OPERANDS];
    kna_begin(&op, o->u.name);
    read_atoms(&op, o, x, a);
    bool ok = !kna_failed(&op) && emit(&op, op.b, o, a, z);
    if (!o->u.signature && o->u.n_out == 1)
        y[0] = kna_end_in_order(&op, ok ? z[0] : KN_ATOM_NONE, o->u.n_in, x);
    else
        kna_end_n(&op, o->u.n_out, ok ? z : NULL, y);
}

/* Operands with as many loop axes each, which mapping goes over. */
static void align(kna_op *op, const knn_own *o, kn_array *x)
{
    kni_type in[KNN_MOST_OPERANDS] = {0};
    knn_core core;
    for (int i = 0; i < o->u.n_in; i++)
        in[i] = kna_type(op, x[i]);
    if (!kna_failed(op))
        knn_core_fit(op, &o->u, in, &core);
    for (int i = 0; i < o->u.n_in && !kna_failed(op); i++) {
        kn_shape wide = {.ndim = core.loop.ndim + core.s.core[i].n};
        int missing = wide.ndim - in[i].ndim;
        for (int d = 0; d < wide.ndim; d++)
            wide.dim[d] = d < missing ? 1 : in[i].dim[d - missing];
        if (missing)
            x[i] = kn_reshape(x[i], &wide, NULL);
    }
}

/* A result of this shape (NULL: its own) that is no view of an operand. */
static kn_array of_its_own(const knn_own *o, const kn_array *x, kn_array y, const kn_shape *shape)
{
    kn_shape own = kn_shape_of(y);
    bool view = !kn_flags_of(y).owndata;
    if (shape && (own.ndim != shape->ndim || memcmp(own.dim, shape->dim, (size_t)own.ndim * sizeof *own.dim) != 0)) {
        y = kn_broadcast_to(y, shape);
        view = true;
    }
    for (int i = 0; i < o->u.n_in; i++)
        view = view || y == x[i];
    return view ? kn_copy(y, NULL) : y;
}

/* Kiln's calls, at once. */
static void call_user(kna_op *op, const knn_own *o, kn_array *x, kn_array *y)
{
    kn_aval avals[KNN_MOST_OPERANDS];
    kn_shape shape = {.ndim = KN_MAX_NDIM};
    for (int k = 0; k < o->u.n_out; k++)
        y[k] = NULL;
    if (o->u.signature)
        align(op, o, x);
    else
        kna_common_shape(op, o->u.n_in, x, &shape);
    for (int i = 0; i < o->u.n_in && !kna_failed(op); i++)
        avals[i] = (kn_aval){kn_dtype_of(x[i]), kn_shape_of(x[i])};
    if (kna_failed(op))
        return;
    knf_primitive_calling c = {
        .call = {
            .size_ = sizeof c.call, .env = (void *)(uintptr_t)o, .n_in = o->u.n_in, .n_out = o->u.n_out, .in = avals}};
    knf_speaker before = knf_primitive_listen();
    int status = o->o.compute ? knn_lift_compute(&c.call, x, y) : knn_lift_expression(&c.call, x, y);
    knf_primitive_heard(before, o->o.compute ? "compute" : "expression", status, &c);
    if (c.error)
        kna_fail_with(op, c.error);
    for (int k = 0; k < o->u.n_out && !kna_failed(op); k++) {
        if (!y[k])
            kna_fail(op, KN_ERROR_TYPE, "gives no result %d", k);
        else if (kna_type(op, y[k]).ndim > shape.ndim && !kna_failed(op))
            kna_fail(op, KN_ERROR_VALUE, "result %d has more axes than the operands together", k);
        else if (!kna_failed(op))
            y[k] = of_its_own(o, x, y[k], o->u.signature ? NULL : &shape);
    }
}

void knn_own_apply(const knn_ufunc *u, const kn_array *given, kn_array *y)
{
    knl_body c;
    kn_array x[KNN_MOST_OPERANDS];
    kn_dtype loop[KNN_MOST_OPERANDS];
    knl_begin(&c, u->name);
    memcpy(x, given, (size_t)u->n_in * sizeof *x);
    convert(&c.op, u, x, loop);
    if (!kna_failed(&c.op) && u->own->primitive)
        call_primitive(u->own, x, y);
    else if (!kna_failed(&c.op))
        call_user(&c.op, u->own, x, y);
    for (int k = 0; k < u->n_out && *u->loops && !kna_failed(&c.op); k++) {
        kni_type t = kna_type(&c.op, y[k]);
        if (!kna_failed(&c.op) && (t.dtype != loop[u->n_in + k] || t.weak))
            y[k] = kn_astype(y[k], loop[u->n_in + k], NULL);
    }
    knl_end_n(&c, u->n_out, y);
}

bool knn_own_is_primitive(const knn_ufunc *u) { return u->own->primitive != NULL; }

kni_atom knn_own_formula(kna_op *op, kni_builder *b, const knn_ufunc *u, const kni_atom *x)
{
    kni_atom y[KNN_MOST_OPERANDS];
    return emit(op, b, u->own, x, y) ? y[0] : KN_ATOM_NONE;
}
