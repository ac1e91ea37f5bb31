/* SPDX-License-Identifier: Apache-2.0
 * guard.c -- makes kernels of loops with operations that may fail. A kernel cannot report an error, so the column
 * `unfailing` writes the loop without errors, but with one more result: a flag that says whether an operation has
 * failed. If this form becomes a kernel it replaces the loop. A branch follows it, which runs the loop itself where the
 * flag is set, so that the user gets the loop's error. */
#include "compile/plan.h"
#include "ir/ops.h"
#include "prim/frame.h"
#include "transform/replay.h"

/* Can the equation be a guarded kernel? It is a loop that can fail, without effects and without a hook on its turns,
 * whose `.accept` allows the compiled path. */
static bool may_guard(const kni_eqn *e)
{
    int64_t accept = 0, on_step = 0;
    if (e->prim->loops == KN_LOOP_SCAN) {
        accept = ((const kni_p_scan *)e->params)->accept;
        on_step = ((const kni_p_scan *)e->params)->on_step;
    } else if (e->prim->loops == KN_LOOP_WHILE) {
        accept = ((const kni_p_while *)e->params)->accept;
    } else {
        return false;
    }
    bool asked = (!accept || (accept & KN_PATH_COMPILED)) && !on_step;
    return asked && e->prim->unfailing && kni_can_fail(e->prim, e->params) &&
           !(kni_bits(e->prim, e->params) & KN_EFFECT);
}

/* Begins a frame with the operands of the equation: literals are literals, the others its inputs. */
static knx_error *begin_with_operands(knp_frame *f, const kni_jaxpr *j, const kni_eqn *e)
{
    if (!knp_frame_begin(f, e->n_in, e->n_out))
        return knx_error_nomem();
    f->b.place = e->place;
    for (uint32_t i = 0; i < e->n_in; i++) {
        const kni_literal *l = kni_is_literal(e->in[i]) ? &j->literal[e->in[i] & ~KN_LITERAL_BIT] : NULL;
        if (l)
            f->in[f->n_in++] = knb_literal(&f->b, l->type.dtype, l->type.weak, l->bits);
        else
            knp_frame_input(f, j->type[e->in[i]]);
    }
    return NULL;
}

/* Writes the equation without errors into the frame; *failed: the flag. */
static knx_error *emit_unfailing(knp_frame *f, const kni_jaxpr *j, const kni_eqn *e, kni_atom *failed)
{
    kni_type *xt = knx_arena_alloc(&f->arena, ((size_t)e->n_in + 1) * sizeof *xt);
    if (!xt)
        return knx_error_nomem();
    for (uint32_t i = 0; i < e->n_in; i++)
        xt[i] = kni_atom_type(j, e->in[i]);
    for (uint32_t i = 0; i < e->n_out; i++)
        f->out[i] = KN_ATOM_NONE;
    const kni_rule r = {.b = &f->b,
                        .prim = e->prim,
                        .params = e->params,
                        .n_in = (int)e->n_in,
                        .n_out = (int)e->n_out,
                        .x = f->in,
                        .xt = xt,
                        .yt = j->type + e->out};
    return e->prim->unfailing(&r, f->out, failed);
}

/* A jaxpr of the equation without errors: from its operands that are no literals to its results and the flag. *out
 * stays NULL if the equation has no such form. */
static knx_error *write_alone(const kni_jaxpr *j, const kni_eqn *e, kni_jaxpr **out)
{
    knp_frame f;
    kni_atom failed = KN_ATOM_NONE;
    knx_error *error = begin_with_operands(&f, j, e);
    if (!error)
        error = emit_unfailing(&f, j, e, &failed);
    if (!error && failed != KN_ATOM_NONE) {
        f.out[e->n_out] = knb_convert(&f.b, knt_any_failed(&f.b, failed), KN_DT(I32));
        error = knp_frame_finish(&f, e->n_out + 1, f.out, "", out);
    } else if (!error) {
        error = knb_take_error(&f.b);
    }
    knp_frame_end(&f);
    return error;
}

/* Compiles the jaxpr on trial; *works: all its loops have become kernels. */
static knx_error *try_alone(const kni_jaxpr *j, const knc_compile_options *o, bool *works)
{
    knc_program *p = NULL;
    knc_compile_options options = {.target = o->target,
                                   .quiet = true,
                                   .kernels = o->kernels,
                                   .fuse = true,
                                   .bands = o->bands,
                                   .max_buffers = o->max_buffers};
    size_t guards = knc_guards();
    knx_error *error = knc_compile(j, &options, &p);
    knc_drop_guards(guards); /* the program is compiled again as a part of the whole */
    *works = !error && p->path;
    for (const knc_path_note *n = error ? NULL : p->path; n; n = n->next)
        *works = *works && n->path == KN_PATH_COMPILED;
    knc_release(p);
    if (error && !knx_error_passes(error)) { /* .accept excludes all paths that are possible */
        knx_error_release(error);
        error = NULL;
    }
    return error;
}

/* Writes the loop into the frame, on any path but as a kernel. */
static void emit_loop(knp_frame *f, const kni_eqn *e)
{
    if (e->prim->loops == KN_LOOP_SCAN) {
        kni_p_scan p = *(const kni_p_scan *)e->params;
        p.accept = KN_PATH_CALLS | KN_PATH_STEPWISE;
        knb_emit(&f->b, e->prim, &p, (int)e->n_in, f->in, f->out, (int)e->n_out);
    } else {
        kni_p_while p = *(const kni_p_while *)e->params;
        p.accept = KN_PATH_CALLS | KN_PATH_STEPWISE;
        knb_emit(&f->b, e->prim, &p, (int)e->n_in, f->in, f->out, (int)e->n_out);
    }
}

/* A branch: a jaxpr with the equation's operands and no results; with `runs` it runs the loop, else nothing. */
static knx_error *write_branch(const kni_jaxpr *j, const kni_eqn *e, bool runs, kni_jaxpr **out)
{
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, e->n_in, e->n_out) ? NULL : knx_error_nomem();
    if (!error) {
        f.b.place = e->place;
        for (uint32_t i = 0; i < e->n_in; i++)
            knp_frame_input(&f, kni_atom_type(j, e->in[i]));
        if (runs)
            emit_loop(&f, e);
        error = knp_frame_finish(&f, 0, f.out, "", out);
    }
    knp_frame_end(&f);
    return error;
}

/* Writes the `cond` behind the kernel: where `failed` is 1 it runs the loop itself, else nothing. */
static knx_error *emit_branch(knt_replay *r, const kni_eqn *e, kni_atom failed)
{
    kni_jaxpr *way[2] = {NULL, NULL};
    kni_atom *in = knx_arena_alloc(&r->arena, ((size_t)e->n_in + 1) * sizeof *in);
    knx_error *error = in ? write_branch(r->j, e, false, &way[0]) : knx_error_nomem();
    if (!error)
        error = write_branch(r->j, e, true, &way[1]);
    if (!error) {
        in[0] = failed;
        for (uint32_t i = 0; i < e->n_in; i++)
            in[i + 1] = r->in[i];
        knb_cond(&r->b, &(kni_p_cond){.branches = {2, way}}, in, NULL);
    }
    kni_release(way[0]);
    kni_release(way[1]);
    return error;
}

static knx_error *guard(knt_replay *r, const kni_eqn *e, const kni_jaxpr *alone)
{
    kni_atom *in = knx_arena_alloc(&r->arena, ((size_t)e->n_in + 1) * sizeof *in),
             *out = knx_arena_alloc(&r->arena, ((size_t)e->n_out + 1) * sizeof *out);
    uint32_t n = 0;
    if (!in || !out)
        return knx_error_nomem();
    for (uint32_t i = 0; i < e->n_in; i++)
        if (!kni_is_literal(e->in[i]))
            in[n++] = r->in[i];
    knb_inline(&r->b, alone, in, out);
    r->b.place = e->place;
    KN_TRY(emit_branch(r, e, out[e->n_out]));
    knt_bind(r, e, out);
    return NULL;
}

static knx_error *write_equation(knt_replay *r, const kni_eqn *e, const knc_compile_options *o, bool *any)
{
    kni_jaxpr *written = NULL, *alone = NULL;
    bool works = false;
    knx_error *error = may_guard(e) ? write_alone(r->j, e, &written) : NULL;
    if (!error && written)
        error = knt_simplify(written, &alone);
    if (!error && alone)
        error = try_alone(alone, o, &works);
    if (!error && works)
        error = guard(r, e, alone);
    else if (!error)
        knt_emit_same(r, e);
    *any |= works;
    kni_release(written);
    kni_release(alone);
    return error ? error : knb_take_error(&r->b);
}

knx_error *knc_guard_loops(const kni_jaxpr *j, const knc_compile_options *o, kni_jaxpr **out)
{
    bool any = false;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        any |= may_guard(&j->eqn[i]);
    *out = any ? NULL : kni_retain(j);
    if (!any)
        return NULL;
    knt_replay r;
    knx_error *error = knt_replay_begin(&r, j, true);
    any = false;
    for (uint32_t i = 0; !error && i < j->n_eqn; i++) {
        knt_operands(&r, &j->eqn[i]);
        error = write_equation(&r, &j->eqn[i], o, &any);
    }
    if (!error && any)
        error = knt_replay_finish(&r, out);
    else if (!error)
        *out = kni_retain(j);
    knt_replay_end(&r);
    return error;
}
