/* SPDX-License-Identifier: Apache-2.0
 * groups.c -- the steps of a jaxpr's program as structures that the user walks. */
#include "function/function.h"
#include "array/handle.h"
#include "function/jaxpr_handle.h"
#include "function/symbolic.h"
#include "compile/step.h"
#include "device/device.h"
#include <string.h>

typedef struct groups {
    knc_program *program; /* places and names are its */
    knd_loaded *loaded;   /* the same; of variables, with numbers for them */
    knx_arena arena;
} groups;

static void drop_groups(void *p)
{
    groups *g = p;
    knd_release(g->loaded);
    knc_release(g->program);
    knx_arena_free(&g->arena);
    knx_free(g);
}

static bool fill_nodes(groups *g, uint32_t step, kn_group *to)
{
    const knc_program *p = g->program;
    uint32_t first = p->first_eqn[step], n = p->first_eqn[step + 1] - first;
    kn_group_node *node = knx_arena_alloc(&g->arena, ((size_t)n + 1) * sizeof *node);
    for (uint32_t i = 0; node && i < n; i++) {
        uint32_t id = p->step_eqn[first + i];
        node[i] = (kn_group_node){(int)id, p->jaxpr->eqn[id].prim->name, p->jaxpr->eqn[id].place};
    }
    to->node = node;
    to->n_node = (int)n;
    return node != NULL;
}

static void fill_type(const knc_program *p, uint32_t step, kn_group *to)
{
    uint32_t at = to->n_node ? (uint32_t)to->node[to->n_node - 1].id : p->step[step].eqn;
    if (at >= p->jaxpr->n_eqn || !p->jaxpr->eqn[at].n_out)
        return;
    kni_type t = p->jaxpr->type[p->jaxpr->eqn[at].out];
    to->dtype = t.dtype;
    to->shape.ndim = t.ndim;
    for (int d = 0; d < t.ndim; d++)
        to->shape.dim[d] = t.dim[d];
}

static bool fill(groups *g, uint32_t step, kn_group *to)
{
    const knc_program *p = g->program;
    knx_text operations = {0};
    knc_span span = knc_step_span(p, step);
    knc_step_operations(p, step, &operations);
    *to = (kn_group){.size_ = sizeof *to,
                     .id = (int64_t)(p->first_group + step),
                     .kind = knc_is_kernel(&p->step[step]) ? KN_STEP_KERNEL : p->step[step].kind,
                     .support = knd_step_support(g->loaded, step),
                     .operations = knx_arena_string(&g->arena, operations.s),
                     .elements = knc_step_elements(p, step),
                     .file = span.file,
                     .first_line = span.first,
                     .last_line = span.last};
    if (!to->operations || !fill_nodes(g, step, to))
        return false;
    fill_type(p, step, to);
    return true;
}

static knx_error *load(groups *g, const knf_dims *dims)
{
    knc_program *p = NULL;
    if (!knc_has_variables(g->program))
        return knd_load(&knd_host, g->program, &g->loaded);
    KN_TRY(knc_instantiate(g->program, dims->n, dims->value, knd_host.target(&knd_host)->alignment, &p));
    knx_error *error = knd_load(&knd_host, p, &g->loaded);
    knc_release(p);
    return error;
}

static knx_error *make_groups(const kni_jaxpr *j, groups **made, kn_group **list)
{
    groups *g = *made = knx_alloc_zero(sizeof *g);
    if (!g)
        return knx_error_nomem();
    const knc_compile_options o = {
        .target = knd_host.target(&knd_host), .fuse = true, .kernels = kna_state_get()->caches->kernels};
    knf_dims dims;
    KN_TRY(knf_jaxpr_program(j, &o, &g->program, &dims));
    KN_TRY(load(g, &dims));
    uint32_t n = g->program->n_step;
    *list = knx_arena_alloc(&g->arena, ((size_t)n + 1) * sizeof **list);
    for (uint32_t i = 0; *list && i < n; i++)
        if (!fill(g, i, &(*list)[i]))
            return knx_error_nomem();
    return *list ? NULL : knx_error_nomem();
}

const kn_group *kn_jaxpr_groups(kn_jaxpr jaxpr, int *n)
{
    kna_op op;
    groups *g = NULL;
    kn_group *list = NULL;
    kna_begin(&op, "jaxpr_groups");
    kna_closed *c = n ? knf_jaxpr_get(&op, jaxpr) : NULL;
    if (!n)
        kna_fail(&op, KN_ERROR_TYPE, "the number is null");
    else
        *n = 0;
    knx_error *error = c ? make_groups(c->jaxpr, &g, &list) : NULL;
    if (error)
        kna_fail_with(&op, error);
    bool ok = kna_end_plain(&op) && g;
    if (g && (!ok || !kna_handle_new(KN_H_TEXT, g, drop_groups))) {
        if (!ok)
            drop_groups(g);
        return NULL;
    }
    if (ok)
        *n = (int)g->program->n_step;
    return ok ? list : NULL;
}
