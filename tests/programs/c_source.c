/* SPDX-License-Identifier: Apache-2.0
 * c_source.c -- kernels as C source through a compiler. A run asks for stage functions; those that are not there yet are
 * compiled together, and it runs again, until it has all of them. */
#include "programs.h"
#include "support/c_maker.h"

#include <stdlib.h>
#include <string.h>

typedef struct asked {
    knk_kernel *kernel; /* kept: equal structure means equal key */
    int stage, mode, n, number;
    bool nontemporal;
    uint8_t *cls;
    knh_function *f; /* NULL: not compiled yet */
} asked;
static struct {
    KN_VEC(asked) list;
    c_unit *unit;
    KN_VEC(c_unit *) compiled; /* they stay: their functions are used by kernels of later programs, too */
} made;

static bool is_same(const asked *a, const knh_request *r, int n)
{
    const knk_kernel *k = r->kernel;
    return a->kernel->key_bytes == k->key_bytes && !memcmp(a->kernel->key, k->key, k->key_bytes) &&
           a->stage == r->stage && a->mode == (int)r->mode && a->nontemporal == r->nontemporal && a->n == n &&
           !memcmp(a->cls, r->cls, (size_t)n);
}

static knx_error *make(const knh_generator *g, const knh_request *r, knh_function **out, void **keep)
{
    knh_stream stream[KNH_MAX_STREAMS];
    int n = knh_streams(r->kernel, r->stage, r->mode, stream);
    knx_error *later = knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "not compiled yet");
    (void)g;
    *keep = NULL;
    *out = NULL;
    for (size_t i = 0; n >= 0 && i < made.list.n; i++)
        if (is_same(&made.list.at[i], r, n)) {
            *out = made.list.at[i].f;
            if (!*out)
                return later;
            knx_error_release(later);
            return NULL;
        }
    if (!made.unit)
        made.unit = c_unit_new(C_MAKER_QUICK);
    int number = made.unit && n >= 0 ? c_unit_add(made.unit, r) : -1;
    asked a = {(knk_kernel *)(uintptr_t)r->kernel, r->stage, (int)r->mode, n, number, r->nontemporal, NULL, NULL};
    if (number < 0 || !(a.cls = knx_alloc((size_t)n + 1)))
        return later;
    memcpy(a.cls, r->cls, (size_t)n);
    knk_retain(a.kernel);
    KN_VEC_PUSH(&made.list, a);
    return later;
}

static const knh_generator c_functions = {.name = "C source", .make = make, .lanes = 16};

static bool compile(void)
{
    bool fine = KN_VEC_PUSH(&made.compiled, made.unit) && c_unit_compile(made.unit);
    for (size_t i = 0; fine && i < made.list.n; i++)
        if (!made.list.at[i].f)
            made.list.at[i].f = c_unit_get(made.unit, made.list.at[i].number);
    made.unit = NULL;
    return fine;
}

bool c_source_run(const program *p, knx_buffer **out, knx_error **error)
{
    const way w = {.name = c_functions.name, .fuse = true, .generator = &c_functions, .threads = 1};
    if (!c_maker_works())
        return false;
    for (int pass = 0; pass < 8; pass++) {
        *error = way_run(&w, p, 0, out);
        if (!made.unit || !compile())
            break;
        release_all((int)p->j->n_out, out);
        knx_error_release(*error);
    }
    return true;
}
