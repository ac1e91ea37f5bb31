/* SPDX-License-Identifier: Apache-2.0
 * rows.c -- the table of all rows, made from prims.def, and what a row must have. */
#include "base/lock.h"
#include "ir/prim.h"
#include <stdatomic.h>
#include <string.h>

const kni_prim *const kni_prims[] = {
#define KN_PRIM(id) &knp_prim_##id,
#include "ir/prims.def"
    NULL,
};

/* ---- Rows that users add: a list that only grows, so it is read without a lock. */

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
typedef struct added {
    const kni_prim *row;
    struct added *before;
} added;
static _Atomic(added *) newest;

const kni_prim *kni_prim_add(const kni_prim *p, bool (*same)(const kni_prim *a, const kni_prim *b), knx_error **error)
{
    size_t n = strlen(p->name);
    *error = NULL;
    if (kni_prim_is_builtin(p->name)) {
        *error = knx_error_new(KN_ERROR_VALUE, "%s is a primitive of Kiln's own", p->name);
        return NULL;
    }
    added *one = knx_alloc(sizeof *one);
    if (!one) {
        *error = knx_error_nomem();
        return NULL;
    }
    knx_global_lock_take(&lock);
    const kni_prim *known = kni_prim_find_n(p->name, n, false);
    if (!known) {
        *one = (added){p, atomic_load(&newest)};
        atomic_store(&newest, one);
    }
    knx_global_unlock(&lock);
    if (!known)
        return p;
    knx_free(one);
    if (!same(known, p))
        *error = knx_error_new(KN_ERROR_VALUE, "there is a primitive %s already, with another definition", p->name);
    return *error ? NULL : known;
}

static bool is_named(const char *name, const char *given, size_t n) { return !strncmp(name, given, n) && !name[n]; }

static const char *classic_name(const kni_prim *p)
{
    for (const kni_param_field *f = p->fields; f && f->name; f++)
        if (f->flags & KN_PF_PRIM_NAME)
            return f->text;
    return p->name;
}

const kni_prim *kni_prim_find_n(const char *name, size_t n, bool classic)
{
    for (const kni_prim *const *p = kni_prims; *p; p++)
        if (is_named(classic ? classic_name(*p) : (*p)->name, name, n))
            return *p;
    for (const added *a = atomic_load(&newest); a; a = a->before)
        if (is_named(a->row->name, name, n))
            return a->row;
    return NULL;
}

const kni_prim *kni_prim_find(const char *name) { return kni_prim_find_n(name, strlen(name), false); }

bool kni_prim_is_builtin(const char *name)
{
    for (const kni_prim *const *p = kni_prims; *p; p++)
        if (!strcmp((*p)->name, name) || !strcmp(classic_name(*p), name))
            return true;
    return false;
}

bool kni_prim_is_added(const kni_prim *p)
{
    const added *a = atomic_load(&newest);
    while (a && a->row != p)
        a = a->before;
    return a != NULL;
}

static const char *fields_fault(const kni_prim *p)
{
    static const uint16_t size[] = {
        [KN_P_INT] = sizeof(int64_t),
        [KN_P_BOOL] = sizeof(bool),
        [KN_P_DTYPE] = sizeof(kn_dtype),
        [KN_P_INTS] = sizeof(kni_ints),
        [KN_P_STRING] = sizeof(char *),
        [KN_P_JAXPR] = sizeof(kni_jaxpr *),
        [KN_P_ENUM] = sizeof(int64_t),
        [KN_P_DOUBLE] = sizeof(double),
        [KN_P_NAMES] = sizeof(kni_names),
        [KN_P_TEXT] = 0,
        [KN_P_THUNK] = sizeof(kni_thunk *),
        [KN_P_JAXPRS] = sizeof(kni_jaxprs),
        [KN_P_DOUBLES] = sizeof(kni_doubles),
        [KN_P_MESH] = sizeof(kni_mesh *),
        [KN_P_SHARDING] = sizeof(kni_sharding *),
        [KN_P_SHARDINGS] = sizeof(kni_shardings),
    };
    for (const kni_param_field *f = p->fields; f && f->name; f++) {
        if (f->kind == KN_P_TEXT ? !f->text && !f->show : f->offset + size[f->kind] > p->params_size)
            return "a field lies outside of the parameters, or shows nothing";
        if (f->kind == KN_P_ENUM && !f->names)
            return "an enumeration has no names";
    }
    return p->params_size && !p->fields ? "parameters without fields" : NULL;
}

/* The columns of derivatives: filled, or with a reason that fits. */
static const char *derivatives_fault(const kni_prim *p)
{
    bool differentiable = p->jvp || p->linearize;
    if (differentiable == (p->why_no_jvp != KN_WHY_NONE))
        return differentiable ? "a derivative, and a reason for having none"
                              : "no derivative (jvp or linearize), and no reason";
    if (p->linear_in && !p->transpose)
        return "linear, but no transpose";
    if (!p->linear_in && p->transpose)
        return "a transpose, but linear in no operand";
    if (p->transpose && p->no_transpose)
        return "a transpose, and a message that there is none";
    if (!p->transpose && !p->jvp && !p->linearize && p->why_no_transpose == KN_WHY_NONE && p->why_no_jvp == KN_WHY_NONE)
        return "no transpose, and no reason";
    return NULL;
}

const char *kni_prim_fault(const kni_prim *p)
{
    int lowerings = !!p->expr + !!p->map + (p->pull && !p->pulls) + !!p->reduction + !!p->run + !!p->product +
                    (p->expand && !p->expands);
    lowerings += !!(p->bits & KN_LOOPS);
    if (!p->name || !*p->name)
        return "no name";
    if (!p->doc || !*p->doc)
        return "no documentation";
    if (!p->type)
        return "no type rule";
    if (!p->batch)
        return "no batching rule";
    if ((p->n_out == 0 && !(p->bits & (KN_EFFECT | KN_CAN_FAIL))) || p->n_in < -1 || p->n_out < -1)
        return "impossible numbers of operands or results";
    if (lowerings != 1)
        return lowerings ? "more than one lowering" : "no lowering";
    if (!!(p->bits & KN_LOOPS) != (p->loops != KN_LOOP_NONE))
        return "the bit KN_LOOPS and the column loops disagree";
    if (!!(p->bits & KN_REDUCES) != !!p->reduction)
        return "the bit KN_REDUCES and the column reduction disagree";
    if (p->map && !(p->bits & KN_VIEW))
        return "lowered by map without the bit KN_VIEW";
    if (p->pulls && (!p->pull || !p->run || p->updates))
        return "pulls, but has not both pull and a routine, or one that updates";
    if (p->element && (!p->run || p->pull))
        return "has elements, but no routine, or pull beside it";
    if (p->looks && !p->pull)
        return "looks at elements without pull";
    if (p->expands && !p->expand)
        return "expands, but expand is missing";
    if (p->rows && (!p->run || p->updates))
        return "rows of a routine without a routine, or of one that replaces elements";
    if (p->workspace && !p->run)
        return "a workspace without a routine";
    bool halves = p->start && p->wait && p->run && p->workspace && p->n_in == 1 && !p->updates;
    if ((p->start || p->wait || p->bits & KN_FILLS_EARLY) && (!halves || p->bits & KN_THREADS))
        return "start and wait are halves of a routine of one operand with a workspace of its own";
    if (!!p->ready != !!p->done || (p->ready && !p->run))
        return "ready without a routine, or one of ready and done alone";
    if (p->bits & KN_THREADS && (!p->run || !p->cost))
        return "threads without a routine, or without a cost";
    if (p->product && (p->n_in != 2 || p->n_out != 1))
        return "a product, but not of two operands to one result";
    if (p->updates && (!p->run || p->updates < 0 || (p->n_in >= 0 && p->updates > p->n_in)))
        return "updates that no routine can do";
    if (p->local && !p->spread)
        return "local without the column that says of which factors";
    if (p->may_fail && !(p->bits & KN_CAN_FAIL))
        return "may_fail without the bit KN_CAN_FAIL";
    const char *fault = fields_fault(p);
    return fault ? fault : derivatives_fault(p);
}
