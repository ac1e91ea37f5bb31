/* SPDX-License-Identifier: Apache-2.0
 * public.c -- a program through the public face: read back from its text as a function, and called eagerly, lazily and
 * jitted. */
#include "programs.h"
#define KN_NO_PLACES
#include "kiln/kiln.h"

#include <stdlib.h>
#include <string.h>

kni_jaxpr *program_open(const kni_jaxpr *j, int only, bool drop_dead)
{
    kni_builder b;
    kni_atom x[MAX_VALUES], y[MAX_VALUES];
    kni_jaxpr *open = NULL;
    knb_init(&b);
    for (uint32_t i = 0; i < j->n_const + j->n_in; i++)
        x[i] = knb_invar(&b, j->type[i]);
    knb_inline(&b, j, x, y);
    knx_error_release(
        knb_finish(&b, only < 0 ? (int)j->n_out : 1, only < 0 ? y : y + only, "program", drop_dead, &open));
    knb_free(&b);
    return open;
}

char *program_text(const kni_jaxpr *open)
{
    char *text = NULL;
    knx_error_release(open ? kni_text(open, KN_FORM_FULL, &text) : NULL);
    return text;
}

kn_array operand_array(const program *p, int i)
{
    kni_type t = p->j->type[i];
    kn_shape s = {.ndim = t.ndim};
    memcpy(s.dim, t.dim ? t.dim : (int64_t[]){0}, (size_t)t.ndim * sizeof *s.dim);
    return (kn_from_memory)(p->x[i]->data, &s, t.dtype);
}

static void try_call(const char *name, kn_fn f, const program *p, knx_buffer *const *want, const knx_error *error,
                     verdict *v)
{
    kn_args args = {.n = program_operands(p)};
    kn_outs outs = {.n = (int)p->j->n_out};
    kn_array x[KN_MAX_ARGS], y[KN_MAX_ARGS];
    knx_buffer *got[KN_MAX_ARGS] = {NULL};
    for (int i = 0; i < args.n; i++) {
        x[i] = operand_array(p, i);
        args.part[i] = (kn_const_part){&x[i], sizeof x[i]};
    }
    for (int k = 0; k < outs.n; k++)
        outs.part[k] = (kn_part){&y[k], sizeof y[k]};
    int status = (kn_call)(f, &outs, &args);
    for (int k = 0; k < outs.n && !status; k++) {
        size_t bytes = kni_type_bytes(kni_out_type(p->j, (uint32_t)k));
        got[k] = knx_buffer_new(bytes);
        if (!got[k] || (kn_copy_to)(y[k], got[k]->data, bytes))
            status = -1;
    }
    if (kn_error_pending()) /* also that of a result that nothing reads */
        status = -1;
    if (status && !error)
        fails(v, "%s: %s", name, kn_error_message());
    else if (!status && error)
        fails(v, "%s: no error, but unfused: %s", name, error->message);
    else if (!status)
        compare(v, name, p->j, want, NULL, got, NULL);
    kn_error_clear();
    release_all(outs.n, got);
}

void check_public(const program *p, uint64_t seed, knx_buffer *const *want, knx_error *error, verdict *v)
{
    if (program_operands(p) > KN_MAX_ARGS || p->j->n_out > KN_MAX_ARGS || (p->j->has & KN_NAMES) || !p->j->n_out)
        return;
    for (int i = 0; i < program_operands(p); i++)
        if (p->j->type[i].dtype->kind == KN_KIND_KEY)
            return;
    kni_jaxpr *open = program_open(p->j, -1, false);
    char *text = program_text(open);
    kni_release(open);
    if (!text)
        return;
    KN_SCOPE;
    kn_fn f = (kn_fn_from_jaxpr)((kn_jaxpr_parse)(text));
    if (kn_error_pending())
        fails(v, "the text is not read: %s", kn_error_message());
    bool lazy = kn_set_lazy(false);
    if (!v->failed)
        try_call("eager", f, p, want, error, v);
    kn_set_lazy(true);
    if (!v->failed)
        try_call("lazy", f, p, want, error, v);
    if (!v->failed)
        try_call("jit", (kn_jit)(f, NULL), p, want, error, v);
    if (!v->failed && !error && !(p->j->has & KN_ON_MESH)) /* which says itself where it runs */
        check_placed(p, text, want, seed, v);
    kn_set_lazy(lazy);
    kn_error_clear();
    knx_free(text);
}
