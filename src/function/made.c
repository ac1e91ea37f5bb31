/* SPDX-License-Identifier: Apache-2.0
 * made.c -- C functions that are made of another function. What they are made of is the first rule of their core. */
#include "function/made.h"
#include "array/handle.h"
#include "array/storage.h"
#include "function/manual.h"

knx_error *knf_made_begin(const knf_core *f, const kn_array *in, knf_made *made)
{
    knf_core *of = f->rule[0];
    int n = of->n_captured;
    kna_value **v = knx_alloc_zero(((size_t)n + 1) * sizeof *v);
    knx_error *error = v ? NULL : knx_error_nomem();
    for (int i = 0; !error && i < n; i++)
        error = kna_array_value(in[i], &v[i]);
    *made = (knf_made){.options = f->env, .structure = f->captured_structure, .captured = in + n};
    if (!error) {
        atomic_fetch_add(&of->refs, 1);
        made->of = knf_fn_handle(of, n, v);
        if (!made->of)
            error = knx_error_nomem();
    }
    for (int i = 0; v && i < n; i++)
        kna_value_release(v[i]);
    knx_free(v);
    return error;
}

/* What the handle has: the captured arrays of f, then these. */
static knx_error *read_all(const knf_fn *f, int n, const kn_array *captured, kna_value **v)
{
    int own = f->core->n_captured;
    for (int i = 0; i < own; i++)
        v[i] = kna_value_retain(f->captured[i]);
    for (int i = 0; i < n; i++)
        KN_TRY(kna_array_value(captured[i], &v[own + i]));
    return NULL;
}

static void describe(const kn_function *c, knf_core *draft)
{
    draft->n_args = c->n_args;
    draft->n_out = (int)(c->out_bytes / sizeof(kn_array));
    draft->open_out = draft->tree_out = c->out_bytes == 2;
    for (int i = 0; i < c->n_args; i++) {
        draft->n_in += draft->arrays[i] = (int)(c->arg_bytes[i] / sizeof(kn_array));
        draft->open_in = draft->open_in || c->arg_bytes[i] == 2;
    }
}

kn_fn knf_make_of(kna_op *op, const kn_function *c, const void *options, const kntree_structure *structure, kn_fn of,
                  int n, const kn_array *captured)
{
    knf_fn *f = knf_fn_get(op, of);
    int n_all = f ? f->core->n_captured + n : 0;
    knf_core draft = {.kind = KNF_FN_C,
                      .c = c,
                      .env = c->env_bytes ? (void *)(uintptr_t)options : NULL,
                      .n_captured = n_all,
                      .captured_structure = (kntree_structure *)(uintptr_t)structure};
    knf_core *core = NULL;
    kna_value **v = f && !kna_failed(op) ? knx_alloc_zero(((size_t)n_all + 1) * sizeof *v) : NULL;
    knx_error *error = v ? read_all(f, n, captured, v) : knx_error_nomem();
    if (!error && f) {
        draft.rule[0] = f->core;
        draft.name = f->core->name;
        describe(c, &draft);
        core = knf_core_intern(&draft);
        error = core ? NULL : knx_error_nomem();
    }
    if (error && !kna_failed(op))
        kna_fail_with(op, error);
    else
        knx_error_release(error);
    bool well = kna_end_handle(op) && core;
    kn_fn made = well ? knf_fn_handle(core, n_all, v) : NULL;
    for (int i = 0; v && i < n_all; i++)
        kna_value_release(v[i]);
    knx_free(v);
    return made;
}
