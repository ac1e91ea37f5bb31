/* SPDX-License-Identifier: Apache-2.0
 * compile.c -- from a jaxpr to a program: the list of passes. */
#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "compile/plan.h"
#include "compile/program/instance.h"
#include "transform/transform.h"
#include <string.h>

/* In order. A jaxpr pass makes another jaxpr; a plan pass works on the plan of the last jaxpr. */
static const struct pass {
    const char *name;
    knx_error *(*jaxpr)(const kni_jaxpr *j, kni_jaxpr **out);
    knx_error *(*trial)(const kni_jaxpr *j, const knc_compile_options *o, kni_jaxpr **out); /* tries parts of it */
    knx_error *(*plan)(knc_plan *p);
    bool only_fused; /* left out with `fuse` off, where each equation is a step of its own */
    bool optional;   /* left out if its expressions of dimension variables get too long */
} passes[] = {
    {"inline calls", .jaxpr = knt_inline_calls},
    {"expand rows", .jaxpr = knt_expand},
    {"inline calls of expanded rows", .jaxpr = knt_inline_calls},
    {"simplify", .jaxpr = knt_simplify_opened, .only_fused = true},
    {"hand numbers to loops", .jaxpr = knc_hand_numbers, .only_fused = true},
    {"guard loops that may fail", .trial = knc_guard_loops, .only_fused = true},
    {"carry reshapes to operands", .jaxpr = knc_carry_reshapes, .only_fused = true},
    {"delay reshapes", .jaxpr = knc_delay_reshapes, .only_fused = true},
    {"separate fills", .jaxpr = knc_separate_fills, .only_fused = true},
    {"group equations", .plan = knc_group_equations},
    {"give values their places", .plan = knc_place_values},
    {"lower groups to kernels", .plan = knc_lower},
    {"make bands", .plan = knc_make_bands, .only_fused = true, .optional = true},
    {"attach kernels to products", .plan = knc_attach, .only_fused = true, .optional = true},
    {"order steps", .plan = knc_order_steps},
    {"cut kernels into segments", .plan = knc_cut_kernels, .optional = true},
    {"settle products", .plan = knc_settle_products},
    {"plan memory", .plan = knc_plan_memory},
    {"record decisions", .plan = knc_record},
    {"lay out instances", .plan = knc_finish_variables},
};
enum { N_PASSES = sizeof passes / sizeof passes[0] };

static void log_jaxpr(const knc_compile_options *o, const char *pass, const kni_jaxpr *j)
{
    char *text = NULL;
    if (knx_debug_level < 3 || o->quiet)
        return;
    knx_error_release(kni_text(j, KN_FORM_TYPED, &text));
    KN_LOG(3, "after %s: %s", pass, text ? text : "(no memory to print it)");
    knx_free(text);
}

static knx_error *run_jaxpr_pass(const struct pass *pass, const knc_compile_options *o, kni_jaxpr **j)
{
    kni_jaxpr *next = NULL;
    KN_TRY(pass->trial ? pass->trial(*j, o, &next) : pass->jaxpr(*j, &next));
    bool same = next == *j;
    kni_release(*j);
    *j = next;
    if (same)
        return NULL;
    log_jaxpr(o, pass->name, next);
#ifdef KN_DEBUG
    KN_TRY(kni_check(next));
#endif
    return NULL;
}

/* What a program tells of its jaxpr. */
static bool describe(knc_program *p, kni_jaxpr *j)
{
    kni_type *out = knx_arena_alloc(&p->arena, (j->n_out + 1) * sizeof *out);
    knc_note *note = knx_arena_zero(&p->arena, (j->n_eqn + 1) * sizeof *note);
    p->jaxpr = kni_retain(j);
    p->note = note;
    p->n_operand = j->n_const + j->n_in;
    p->n_output = j->n_out;
    p->operand_type = j->type;
    for (uint32_t i = 0; out && i < j->n_out; i++)
        out[i] = kni_out_type(j, i);
    p->output_type = out;
    return out && note;
}

static knx_error *begin_plan(knc_plan *p, kni_jaxpr *j)
{
    p->j = j;
    p->value = knx_arena_zero(&p->scratch, (j->n_var + 1) * sizeof *p->value);
    p->literal_slot = knx_arena_alloc(&p->scratch, (j->n_literal + 1) * sizeof *p->literal_slot);
    if (!p->value || !p->literal_slot || !describe(p->p, j))
        return knx_error_nomem();
    memset(p->literal_slot, 0xff, (j->n_literal + 1) * sizeof *p->literal_slot);
    for (uint32_t v = 0; v < j->n_var && !p->symbolic; v++)
        p->symbolic = kni_type_is_symbolic(j->type[v]);
    for (uint32_t i = 0; i < j->n_eqn && !p->symbolic; i++)
        p->symbolic = kni_params_are_symbolic(j->eqn[i].prim, j->eqn[i].params);
    return NULL;
}

/* bare: without the optional passes. p->left_out: one of them has failed; it has to begin again, bare. */
static knx_error *run_passes(knc_plan *p, kni_jaxpr **j, bool bare)
{
    log_jaxpr(p->o, "recording", *j);
    for (int i = 0; i < N_PASSES; i++) {
        const struct pass *pass = &passes[i];
        if (pass->only_fused && !p->o->fuse)
            continue;
        if (pass->jaxpr || pass->trial) {
            KN_TRY(run_jaxpr_pass(pass, p->o, j));
            continue;
        }
        if (!p->j)
            KN_TRY(begin_plan(p, *j));
        if (bare && pass->optional)
            continue;
        bool failed = knc_dims_failed();
        KN_TRY(pass->plan(p));
        if (p->failed) /* a pass ran out of memory in the middle */
            return knx_error_nomem();
        p->left_out = p->symbolic && pass->optional && knc_dims_forgive(failed);
        if (p->left_out)
            return NULL;
    }
    return NULL;
}

static void log_program(const knc_program *p)
{
    knc_log_copies(p);
    knc_log_paths(p);
    char *text = NULL;
    if (knx_debug_level < 4)
        return;
    knx_error_release(knc_text(p, &text));
    KN_LOG(4, "%s", text ? text : "(no memory to print the program)");
    knx_free(text);
}

static knx_error *compile(const kni_jaxpr *j, const knc_compile_options *o, bool bare, knc_program **out)
{
    knc_program *program = knx_alloc_zero(sizeof *program);
    if (!program)
        return knx_error_nomem();
    atomic_init(&program->refs, 1);
    knc_plan plan = {.o = o, .p = program};
    kni_jaxpr *now = kni_retain(j);
    double began = knx_tracing() ? knx_seconds() : 0;
    size_t guards = knc_guards();
    knx_error *e = run_passes(&plan, &now, bare);
    if (knx_tracing() && !o->quiet)
        knx_trace_event("compile", j->name, knx_seconds() - began, "\"equations\": %u, \"steps\": %u", j->n_eqn,
                        e ? 0 : program->n_step);
    if (e || plan.left_out) { /* until the steps have an order the plan, not the program, holds their kernels */
        for (size_t i = 0; !program->step && i < plan.step.n; i++)
            knc_drop_step(&plan.step.at[i]);
        knc_release(program);
    } else {
        program->first_group = knc_new_groups(program->n_step);
        *out = program;
        if (!o->quiet)
            log_program(program);
    }
    kni_release(now);
    knx_arena_free(&plan.scratch);
    KN_VEC_FREE(&plan.group);
    KN_VEC_FREE(&plan.use);
    KN_VEC_FREE(&plan.row);
    KN_VEC_FREE(&plan.slot);
    KN_VEC_FREE(&plan.step);
    KN_VEC_FREE(&plan.reuse);
    KN_VEC_FREE(&plan.update);
    if (e || !plan.left_out)
        return e;
    knc_drop_guards(guards);
    return compile(j, o, true, out);
}

knx_error *knc_compile(const kni_jaxpr *j, const knc_compile_options *o, knc_program **out)
{
    *out = NULL;
    return compile(j, o, false, out);
}

knx_error *knc_outline(const kni_jaxpr *j, knc_program **out)
{
    knc_program *p = *out = knx_alloc_zero(sizeof *p);
    if (!p)
        return knx_error_nomem();
    atomic_init(&p->refs, 1);
    uint32_t *first = knx_arena_zero(&p->arena, sizeof *first);
    p->first_eqn = p->step_eqn = first;
    if (first && describe(p, (kni_jaxpr *)(uintptr_t)j))
        return NULL;
    knc_release(p);
    *out = NULL;
    return knx_error_nomem();
}

knc_program *knc_retain(const knc_program *p)
{
    knc_program *mine = (knc_program *)(uintptr_t)p;
    if (p)
        atomic_fetch_add_explicit(&mine->refs, 1, memory_order_relaxed);
    return mine;
}

void knc_release(knc_program *p)
{
    if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; p->step && i < p->n_step; i++)
        if (!p->made_from)
            knc_drop_step(&p->step[i]);
        else
            for (uint32_t k = 0; k < knc_n_inside(&p->step[i]); k++)
                knc_release(knc_inner_program(&p->step[i], k));
    if (p->made_from)
        knc_release((knc_program *)(uintptr_t)p->made_from);
    else
        kni_release(p->jaxpr);
    if (p->code)
        knx_dim_code_free(p->code);
    if (p->image)
        knc_free_image(p->image);
    knx_arena_free(&p->arena);
    knx_free(p);
}

KNX_HOT size_t knc_bytes(const knc_program *p, const kni_jaxpr *counted)
{
    size_t bytes = sizeof *p + p->arena.total + (p->jaxpr == counted || p->made_from ? 0 : kni_bytes(p->jaxpr));
    if (p->image || p->made_from) /* an instance is its image; the program has it twice, with what is filled in */
        bytes += (p->image ? 2 : 1) * knc_image_bytes(p->image ? p->image : p->made_from->image);
    for (uint32_t i = 0; i < p->n_step; i++)
        for (uint32_t k = 0; k < knc_n_inside(&p->step[i]); k++)
            bytes += knc_bytes(knc_inner_program(&p->step[i], k), counted);
    return bytes;
}
int knc_n_operands(const knc_program *p) { return (int)p->n_operand; }
int knc_n_outputs(const knc_program *p) { return (int)p->n_output; }
kni_type knc_operand_type(const knc_program *p, int i) { return p->operand_type[i]; }
KNX_HOT kni_type knc_output_type(const knc_program *p, int i) { return p->output_type[i]; }
bool knc_has_variables(const knc_program *p) { return p->code != NULL; }
int knc_n_steps(const knc_program *p) { return (int)p->n_step; }
knx_bytes knc_workspace_bytes(const knc_program *p) { return p->workspace; }
knx_bytes knc_copied_bytes(const knc_program *p) { return p->copied; }
