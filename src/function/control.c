/* SPDX-License-Identifier: Apache-2.0
 * control.c -- what loops and branches share: functions are recorded abstractly, and what they capture becomes operands
 * of one equation. */
#include "function/control.h"
#include "array/handle.h"
#include "tree/tree.h"
#include "prim/frame.h"

/* ---- A function as a jaxpr. */

static void forget(knf_part *p)
{
    kna_closed_free(&p->closed);
    kni_release(p->jaxpr);
    knx_free(p->constant);
    p->jaxpr = NULL;
    p->constant = NULL;
    p->n_const = 0;
}

void knf_part_free(knf_part *p)
{
    forget(p);
    knf_fit_end(p->fitted.core);
    p->fitted.core = NULL;
}

static void becomes(knf_part *p, knf_core *core)
{
    knf_fn now = {core, p->f->captured};
    knf_core *before = p->fitted.core;
    p->fitted = now;
    p->f = &p->fitted;
    knf_core_release(before);
}

knx_error *knf_part_fit(knf_part *p, const char *by, const kn_args *args)
{
    knf_core *core = NULL;
    if (!p->f->core->open_in)
        return NULL;
    KN_TRY(knf_fit_inputs(p->f->core, args, by, &core));
    becomes(p, core);
    return NULL;
}

knx_error *knf_part_fit_types(knf_part *p, const char *by, int n, const kni_type *t)
{
    knf_core *core = NULL;
    int skip = p->f->core->n_captured;
    if (!p->f->core->open_out)
        return NULL;
    kni_type *type = knx_alloc(((size_t)skip + (size_t)n + 1) * sizeof *type);
    if (!type)
        return knx_error_nomem();
    for (int i = 0; i < skip + n; i++) {
        type[i] = i < skip ? p->f->captured[i]->type : t[i - skip];
        type[i].dtype = type[i].weak ? kna_strong_dtype(type[i]) : type[i].dtype;
        type[i].weak = false;
    }
    knx_error *error = knf_fit_outputs(p->f->core, type, NULL, by, &core);
    knx_free(type);
    if (!error)
        becomes(p, core);
    return error;
}

knx_error *knf_part_fit_values(knf_part *p, const char *by, int n, kna_value *const *v, int first)
{
    if (!p->f->core->open_out)
        return NULL;
    kni_type *type = knx_alloc(((size_t)n + 1) * sizeof *type);
    if (!type)
        return knx_error_nomem();
    for (int i = 0; i < n; i++) {
        type[i] = v[i]->type;
        if (i >= first && type[i].ndim > 0) {
            type[i].ndim--;
            type[i].dim++;
        }
    }
    knx_error *error = knf_part_fit_types(p, by, n, type);
    knx_free(type);
    return error;
}

knx_error *knf_check_tree(const knf_part *p, int first, int end, bool pair)
{
    const knf_core *f = p->f->core;
    while (f->inner)
        f = f->inner;
    const kntree_structure *out = f->out_structure, *carry = end == first + 1 ? f->in_structure[first] : NULL;
    if (!out || !carry)
        return NULL;
    if (pair && out->node[0].children != 2)
        return knx_error_new(KN_ERROR_TYPE, "%s must return a tree of two, the carry and the outputs", f->name);
    kntree_structure *returned = pair ? kntree_structure_sub(out, kntree_structure_child(out, 0, 0))
                                      : kntree_structure_retain((kntree_structure *)(uintptr_t)out);
    knx_error *error =
        !returned ? knx_error_nomem()
        : kntree_structure_equal(carry, returned)
            ? NULL
            : knx_error_new(KN_ERROR_TYPE, "%s: carry input and carry output must have the same pytree structure",
                            f->name);
    kntree_structure_release(returned);
    return error;
}

/* Notes a constant that is read for the first time. */
static void note(uint32_t n, kni_atom a, bool *read, uint32_t *order, int *found)
{
    if (kni_is_var(a) && a < n && !read[a]) {
        read[a] = true;
        order[(*found)++] = a;
    }
}

/* Which of the first n variables the jaxpr reads, in that order: their number. */
static int find_read(const kni_jaxpr *j, uint32_t n, bool *read, uint32_t *order)
{
    int found = 0;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_in; k++)
            note(n, j->eqn[i].in[k], read, order, &found);
    for (uint32_t i = 0; i < j->n_out; i++)
        note(n, j->out[i], read, order, &found);
    return found;
}

static knx_error *make_jaxpr(knf_part *p, const uint32_t *order)
{
    const kni_jaxpr *j = p->closed.jaxpr;
    uint32_t first = j->n_const + (uint32_t)p->f->core->n_captured;
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, (size_t)j->n_const + j->n_in, j->n_out) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < first; i++)
            f.in[i] = KN_ATOM_NONE;
        for (int i = 0; i < p->n_const; i++)
            f.in[order[i]] = knb_invar(&f.b, j->type[order[i]]);
        for (uint32_t i = first; i < j->n_const + j->n_in; i++)
            f.in[i] = knb_invar(&f.b, j->type[i]);
        knb_inline(&f.b, j, f.in, f.out);
        error = knp_frame_finish(&f, j->n_out, f.out, j->name, &p->jaxpr);
    }
    knp_frame_end(&f);
    return error;
}

/* The jaxpr with what it captured as inputs in front: what it reads, in the order of reading, as in JAX. */
static knx_error *without_constants(knf_part *p)
{
    const kni_jaxpr *j = p->closed.jaxpr;
    uint32_t n = j->n_const + (uint32_t)p->f->core->n_captured;
    bool *read = knx_alloc_zero((size_t)n + 1);
    uint32_t *order = knx_alloc(((size_t)n + 1) * sizeof *order);
    p->constant = knx_alloc(((size_t)n + 1) * sizeof(kna_value *));
    knx_error *error = read && order && p->constant ? NULL : knx_error_nomem();
    if (!error) {
        p->n_const = find_read(j, n, read, order);
        for (int i = 0; i < p->n_const; i++)
            p->constant[i] = order[i] < j->n_const ? p->closed.consts[order[i]] : p->f->captured[order[i] - j->n_const];
        error = make_jaxpr(p, order);
    }
    knx_free(read);
    knx_free(order);
    return error;
}

/* Where what depends on no recording is computed, captured arrays are what they are; else they are operands. */
static kna_value *as_it_is(kna_value *captured)
{
    return kna_state_get()->how.fold && captured->state != KN_V_TRACER ? captured : NULL;
}

knx_error *knf_part_record(knf_part *p, const char *by, const kni_type *t, kna_value *const *given)
{
    knf_core *f = p->f->core;
    size_t n = (size_t)f->n_captured + (size_t)f->n_in;
    forget(p);
    kni_type *type = knx_alloc((n + 1) * sizeof *type);
    kna_value **all = knx_alloc_zero((n + 1) * sizeof *all);
    knx_error *error = type && all ? NULL : knx_error_nomem();
    for (size_t i = 0; !error && i < n; i++) {
        size_t k = i - (size_t)f->n_captured; /* of the arguments */
        bool captured = i < (size_t)f->n_captured;
        type[i] = captured ? p->f->captured[i]->type : t[k];
        type[i].weak = false;
        all[i] = captured ? as_it_is(p->f->captured[i]) : given ? given[k] : NULL;
    }
    if (!error)
        error = knf_derive_given(f, type, all, by, &p->closed);
    if (!error)
        error = without_constants(p);
    knx_free(type);
    knx_free(all);
    return error;
}

knx_error *knf_record_for(knf_part *p, const char *by, int n, kna_value *const *arg)
{
    kni_type *t = knx_alloc(((size_t)n + 1) * sizeof *t);
    if (!t)
        return knx_error_nomem();
    for (int i = 0; i < n; i++)
        t[i] = arg[i]->type;
    knx_error *error = knf_part_record(p, by, t, NULL);
    knx_free(t);
    return error;
}

/* ---- Numbers that wait for a dtype. */

bool knf_may_become(kni_type number, kn_dtype d)
{
    if (!number.weak || number.dtype == d || number.dtype == KN_DT(BOOL) || d == KN_DT(BOOL) || d->kind == 'k')
        return false;
    return knx_is_complex(d) || (!knx_is_complex(number.dtype) && (knx_is_float(d) || !knx_is_float(number.dtype)));
}

knx_error *knf_part_settle(knf_part *p, const kn_dtype *dtype)
{
    const kni_jaxpr *j = p->jaxpr;
    bool any = false;
    for (uint32_t i = 0; i < j->n_out; i++)
        any = any || (dtype[i] && knf_may_become(kni_out_type(j, i), dtype[i]));
    if (!any)
        return NULL;
    knp_frame f;
    kni_jaxpr *settled = NULL;
    knx_error *error = knp_frame_begin(&f, j->n_in, j->n_out) ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < j->n_in; i++)
        knp_frame_input(&f, kni_in_type(j, i));
    if (!error) {
        knb_inline(&f.b, j, f.in, f.out);
        for (uint32_t i = 0; i < j->n_out; i++)
            if (dtype[i] && knf_may_become(kni_out_type(j, i), dtype[i]))
                f.out[i] = knb_convert(&f.b, f.out[i], dtype[i]);
        error = knp_frame_finish(&f, j->n_out, f.out, j->name, &settled);
    }
    knp_frame_end(&f);
    if (!error) {
        kni_release(p->jaxpr);
        p->jaxpr = settled;
    }
    return error;
}

knx_error *knf_settle_body(knf_part *body, int skip, int n)
{
    const kni_jaxpr *j = body->jaxpr;
    kn_dtype *d = knx_alloc_zero(((size_t)j->n_out + 1) * sizeof *d);
    if (!d)
        return knx_error_nomem();
    for (uint32_t i = 0; i < j->n_out; i++) {
        kni_type t = kni_out_type(j, i);
        d[i] = i < (uint32_t)n ? kni_in_type(j, (uint32_t)(body->n_const + skip) + i).dtype
               : t.weak        ? kna_strong_dtype(t)
                               : NULL;
    }
    knx_error *error = knf_part_settle(body, d);
    knx_free(d);
    return error;
}

knx_error *knf_number_as(kna_value **v, kn_dtype d)
{
    const kna_value *from = *v;
    bool is_unsigned = from->type.dtype == KN_DT(U64), number = from->state == KN_V_NUMBER;
    if (number && knx_is_integer(from->type.dtype) && knx_is_integer(d) &&
        !knx_int_fits(d, is_unsigned, from->bits.u64)) {
        if (is_unsigned)
            return knx_error_new(KN_ERROR_OVERFLOW, "integer %llu out of bounds for %s",
                                 (unsigned long long)from->bits.u64, d->name);
        return knx_error_new(KN_ERROR_OVERFLOW, "integer %lld out of bounds for %s", (long long)from->bits.i64,
                             d->name);
    }
    return kna_value_as(v, d);
}

knx_error *knf_settle_values(int n, kna_value **v)
{
    for (int i = 0; i < n; i++)
        if (v[i]->type.weak)
            KN_TRY(knf_number_as(&v[i], kna_strong_dtype(v[i]->type)));
    return NULL;
}

static char weak_kind(kn_dtype d) { return d->kind == 'u' ? 'i' : d->kind; }

/* The dtype of a number where something of type t comes back for it; NULL: they do not mix. A truth value is a bool. */
static kn_dtype promoted(const kna_value *number, kni_type t)
{
    if (number->type.dtype == KN_DT(BOOL))
        return NULL;
    if (t.weak && (t.dtype == number->type.dtype || !knf_may_become(number->type, t.dtype)))
        return kna_strong_dtype(number->type);
    kn_dtype strong = t.weak ? kna_strong_dtype(t) : t.dtype;
    return strong->kind == 'k' ? NULL : knx_promote_weak(strong, weak_kind(number->type.dtype), kna_default_float());
}

knx_error *knf_promote_carry(knf_part *p, const char *by, int skip, int n_carry, kna_value **arg)
{
    int n = p->f->core->n_in;
    bool any = false;
    knf_fn *f = p->f, plain = *f;
    while (plain.core->kind == KNF_FN_JIT) /* which would give numbers their dtypes */
        plain.core = plain.core->inner;
    for (int i = skip; i < skip + n_carry; i++)
        any = any || arg[i]->type.weak;
    if (!any)
        return NULL;
    kni_type *type = knx_alloc(((size_t)n + 1) * sizeof *type);
    kna_value **given = knx_alloc_zero(((size_t)n + 1) * sizeof *given);
    knx_error *error = type && given ? NULL : knx_error_nomem();
    for (int i = 0; !error && i < n; i++) {
        type[i] = arg[i]->type;
        given[i] = type[i].weak ? arg[i] : NULL;
    }
    p->f = &plain;
    if (!error)
        error = knf_part_record(p, by, type, given);
    p->f = f;
    for (int i = 0; !error && i < n_carry; i++) {
        kna_value **v = &arg[skip + i];
        kn_dtype d = (*v)->type.weak ? promoted(*v, kni_out_type(p->jaxpr, (uint32_t)i)) : NULL;
        if (d)
            error = knf_number_as(v, d);
    }
    knx_free(type);
    knx_free(given);
    return error;
}

/* ---- Operands and results. */

knx_error *knf_put_values(kna_op *op, int n, kna_value *const *v, kni_atom *atom)
{
    for (int i = 0; i < n; i++) {
        atom[i] = kna_value_atom(op, v[i]);
        if (kna_failed(op))
            return kna_take_error(op);
    }
    return NULL;
}

knx_error *knf_put_constants(kna_op *op, const knf_part *p, kni_atom *atom)
{
    return knf_put_values(op, p->n_const, p->constant, atom);
}

knx_error *knf_take_results(kna_op *op, int n, const kni_atom *atom, kna_value **out)
{
    int made = 0;
    knx_error *error = kna_take_error(op);
    for (; !error && made < n; made++)
        if (!(out[made] = kna_atom_value(op, atom[made]))) {
            error = knx_error_nomem();
            break;
        }
    if (!error)
        error = kna_settle(n, out);
    if (error)
        knf_release_values(made, out);
    return error;
}

int knf_end_control(kna_op *op, knx_error *error, const kn_outs *outs)
{
    if (!error)
        error = kna_take_error(op);
    if (error)
        knf_write_error(outs, error);
    knx_error_release(error);
    kna_leave(op);
    return error ? -1 : 0;
}

/* ---- Carries. */

static const char *tree_path(knx_text *t, const kn_const_part *part, int i)
{
    if (part->bytes == 1)
        return kntree_tree_leaf_path(t, (kn_tree)(uintptr_t)part->at, i);
    return part->bytes == 2 ? kntree_tree_leaf_path(t, *(const kn_tree *)part->at, i) : "";
}

const char *knf_carry_name(knx_text *t, const knf_core *f, const kn_args *args, int first, int end, int i)
{
    int arg = first, n = 0;
    for (int k = first; k < end; k++)
        n += f->arrays[k];
    knx_text_add(t, "carry");
    int k = i;
    while (arg < end - 1 && k >= f->arrays[arg])
        k -= f->arrays[arg++];
    knx_text path = {0};
    const char *name = knf_leaf_name(&path, f, arg, k);
    name = *name ? name + 1 : args && arg - first < args->n ? tree_path(&path, &args->part[arg - first], k) : "";
    if (!*name && n > 1)
        knx_text_add(t, "[%d]", i);
    else if (end - first > 1)
        knx_text_add(t, "[%d]", arg - first);
    knx_text_add(t, "%s", name);
    return t->s;
}

knx_error *knf_check_count(const knf_core *body, int n_carry, bool more)
{
    if (body->n_out == n_carry || (more && body->n_out > n_carry))
        return NULL;
    if (more)
        return knx_error_new(KN_ERROR_TYPE,
                             "body function must return the carry, then outputs, but %s takes a carry of %d arrays and "
                             "returns %d",
                             body->name, n_carry, body->n_out);
    return knx_error_new(KN_ERROR_TYPE,
                         "body function carry input and carry output must have the same structure, but they differ: "
                         "%s takes %d array%s and returns %d",
                         body->name, n_carry, n_carry == 1 ? "" : "s", body->n_out);
}

knx_error *knf_check_carries(const knf_part *p, const kn_args *args, int first, int skip, int n)
{
    const knf_core *f = p->f->core;
    int end = first, left = n;
    while (end < f->n_args && left > 0)
        left -= f->arrays[end++];
    for (int i = 0; i < n; i++) {
        knx_text name = {0};
        kni_type in = kni_in_type(p->jaxpr, (uint32_t)(p->n_const + skip + i)),
                 out = kni_out_type(p->jaxpr, (uint32_t)i);
        if (!knp_same_type(in, out))
            return knp_check_carry(knf_carry_name(&name, f, args, first, end, i), (uint32_t)i, in, out);
    }
    return NULL;
}

knx_error *knf_check_checkpoint(int64_t checkpoint)
{
    return checkpoint >= KN_CHECKPOINT_ROOT
               ? NULL
               : knx_error_new(KN_ERROR_VALUE,
                               "checkpoint must be a number of steps, 0 or KN_CHECKPOINT_SQRT, but is %lld",
                               (long long)checkpoint);
}
