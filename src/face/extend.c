/* SPDX-License-Identifier: Apache-2.0
 * extend.c -- errors and handles for libraries that stand on Kiln. */
#include "array/op.h"
#include "array/handle.h"
#include "kiln/extend.h"
#include <string.h>

kn_array kn_fail(kn_error_kind kind, const char *operation, const char *message)
{
    kna_op op;
    bool known = kind > KN_NO_ERROR && *knx_error_kind_name(kind);
    kna_begin(&op, operation && known ? operation : "fail");
    if (!operation || !message)
        kna_null(&op, operation ? "message" : "operation");
    else if (!known)
        kna_fail(&op, KN_ERROR_VALUE, "%d is no kind of error", (int)kind);
    else
        kna_fail(&op, kind, "%s", message);
    return kna_end(&op, KN_ATOM_NONE);
}

typedef struct object {
    const char *type;
    void *object;
    void (*drop)(void *object);
} object;

static void drop_object(void *p)
{
    object *o = p;
    o->drop(o->object);
    knx_free(o);
}

void *kn_object_new(const char *type, void *mine, void (*drop)(void *object))
{
    const char *null = !type ? "type" : !mine ? "object" : !drop ? "drop" : NULL;
    if (null) {
        knx_report_new("object_new", KN_ERROR_TYPE, "null %s", null);
        return NULL;
    }
    object *o = knx_alloc(sizeof *o);
    if (!o) {
        drop(mine);
        knx_report_new("object_new", KN_ERROR_MEMORY, "no memory");
        return NULL;
    }
    *o = (object){type, mine, drop};
    return kna_handle_new(KN_H_OBJECT, o, drop_object);
}

void *kn_object_get(const char *operation, const char *type, const void *handle)
{
    knx_error *e = NULL;
    if (!operation || !type) {
        knx_report_new("object_get", KN_ERROR_TYPE, "null %s", operation ? "type" : "operation");
        return NULL;
    }
    object *o = kna_handle_get_named(KN_H_OBJECT, type, handle, &e);
    if (o && strcmp(o->type, type) != 0)
        e = knx_error_new(KN_ERROR_TYPE, "a handle of a %s was given where a %s is wanted", o->type, type);
    if (!e)
        return o ? o->object : NULL;
    if (atomic_load(&e->refs) > 0)
        e->operation = operation;
    knx_report(e);
    knx_error_release(e);
    return NULL;
}
