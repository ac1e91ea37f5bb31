/* SPDX-License-Identifier: Apache-2.0
 * control.c -- steps of control flow: which path a loop or a branch takes, and why. */
#include "compile/loops/control.h"
#include "compile/loops/scalar.h"

KNX_HOT uint32_t knc_n_inside(const knc_step *s)
{
    if (s->kind == KNC_LOOP)
        return s->u.r.loop->cond ? 2 : 1;
    return s->kind == KNC_BRANCH ? s->u.r.branch->n : 0;
}

knc_program *knc_inner_program(const knc_step *s, uint32_t i)
{
    if (s->kind == KNC_BRANCH)
        return s->u.r.branch->program[i];
    return i ? s->u.r.loop->cond : s->u.r.loop->body;
}

void knc_drop_step(const knc_step *s)
{
    for (uint32_t i = 0; s->kind == KNC_BAND && i < s->u.band->n_step; i++)
        knc_drop_step(&s->u.band->step[i].step);
    if (knc_is_kernel(s)) {
        knk_release(s->u.k.kernel);
        for (uint32_t i = 0; i < s->u.k.n_segment; i++)
            knk_release(s->u.k.segment[i].kernel);
    } else if (s->kind == KNC_PRODUCT) {
        const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
        for (int i = 0; i < 3; i++)
            knk_release(all[i] ? all[i]->kernel : NULL);
    }
    for (uint32_t i = 0; i < knc_n_inside(s); i++)
        knc_release(knc_inner_program(s, i));
}

const char *knc_path_text(kni_loop_path path, bool branch)
{
    return path == KN_PATH_COMPILED ? (branch ? "a kernel" : "a compiled loop")
           : branch                 ? "programs that are run"
           : path == KN_PATH_CALLS  ? "a loop with routine calls"
                                    : "stepwise";
}

/* ---- A kernel. */

/* Makes s the step of a kernel. Its references are those references of s that the kernel's buffers name. */
static knx_error *become_kernel(const knc_plan *p, const knc_scalar *k, knc_step *s)
{
    knk_kernel *kernel = k->kernel;
    knx_error *error = p->o->kernels ? knc_share_kernel(p->o->kernels, &kernel) : NULL;
    knc_ref *ref = knx_arena_alloc(&p->p->arena, ((size_t)k->n_buffer + 1) * sizeof *ref);
    if (error || !ref) {
        knk_release(kernel);
        return error ? error : knx_error_nomem();
    }
    for (int b = 0; b < k->n_buffer; b++)
        ref[b] = s->ref[k->buffer[b]];
    s->kind = KNC_KERNEL;
    s->ref = ref;
    s->n_ref = (uint32_t)k->n_buffer;
    s->u.k.kernel = kernel;
    s->u.k.map = k->map;
    s->u.k.par = k->par;
    s->u.k.inner = k->inner;
    s->u.k.segment = NULL;
    s->u.k.n_segment = 0;
    return NULL;
}

/* ---- Programs. */

static knx_error *become_loop(const knc_plan *p, const kni_eqn *e, uint8_t path, knc_step *s)
{
    knc_loop *l = knx_arena_zero(&p->p->arena, sizeof *l);
    if (!l)
        return knx_error_nomem();
    knx_error *error = e->prim->loops == KN_LOOP_SCAN ? knc_make_scan(p, e, path, l) : knc_make_while(p, e, path, l);
    if (error) {
        knc_release(l->cond);
        knc_release(l->body);
        return error;
    }
    s->kind = KNC_LOOP;
    s->u.r.loop = l;
    s->u.r.workspace = l->workspace;
    return NULL;
}

static knx_error *become_branch(const knc_plan *p, const kni_eqn *e, knc_step *s)
{
    knc_branch *b = knx_arena_zero(&p->p->arena, sizeof *b);
    if (!b)
        return knx_error_nomem();
    knx_error *error = knc_make_branch(p, e, b);
    s->kind = KNC_BRANCH;
    s->u.r.branch = b;
    s->u.r.workspace = b->workspace;
    if (error)
        knc_drop_step(s);
    return error;
}

/* ---- Paths. */

typedef struct choice {
    int64_t accept, on_step;
    bool branch;
    uint8_t path;
    knx_text why;
} choice;

static knx_error *refuse(const kni_eqn *e, const choice *c)
{
    return knx_error_placed(knx_error_new(KN_ERROR_VALUE, "%s would run %s%s, which .accept does not allow: %s",
                                          e->prim->name, c->path == KN_PATH_STEPWISE ? "" : "as ",
                                          knc_path_text(c->path, c->branch), c->why.s),
                            e->place);
}

/* Chooses the best of the accepted paths, and notes in c->why what excludes a better one. If the path is a kernel s
 * is its step already. */
static knx_error *choose(knc_plan *p, const kni_eqn *e, choice *c, knc_step *s)
{
    int64_t accept = c->accept ? c->accept : KN_PATH_COMPILED | KN_PATH_CALLS | KN_PATH_STEPWISE;
    c->path = p->o->fuse ? KN_PATH_CALLS : KN_PATH_STEPWISE;
    if (!p->o->fuse) {
        knx_text_add(&c->why, "fusion is off");
    } else if (!(accept & KN_PATH_COMPILED)) {
        knx_text_add(&c->why, ".accept excludes what is better");
        c->path = accept & KN_PATH_CALLS ? KN_PATH_CALLS : KN_PATH_STEPWISE;
    } else if (c->on_step) {
        knx_text_add(&c->why, ".on_step hears of each step");
    } else {
        knc_scalar k = {0};
        bool failed = knc_dims_failed();
        KN_TRY(knc_scalar_kernel(p, e, &k));
        c->why = k.why;
        if (p->symbolic && knc_dims_forgive(failed)) {
            knx_text_add(&c->why, "its dimensions are too long expressions");
            knk_release(k.kernel);
            k.kernel = NULL;
        }
        if (k.kernel) {
            c->path = KN_PATH_COMPILED;
            return become_kernel(p, &k, s);
        }
    }
    if (!(accept & c->path) && c->path == KN_PATH_CALLS && (accept & KN_PATH_STEPWISE))
        c->path = KN_PATH_STEPWISE;
    return accept & c->path ? NULL : refuse(e, c);
}

/* Notes the path of equation number `eqn`, and the reason, for the program's text. Equations come here in order. */
static knx_error *note(knc_plan *p, uint32_t eqn, const choice *c)
{
    knc_path_note *n = knx_arena_zero(&p->p->arena, sizeof *n);
    const char *why = n ? knx_arena_string(&p->p->arena, c->why.s) : NULL;
    if (!why)
        return knx_error_nomem();
    *n = (knc_path_note){.eqn = eqn, .path = c->path, .why = why};
    *(p->path_end ? p->path_end : &p->p->path) = n;
    p->path_end = &n->next;
    return NULL;
}

knx_error *knc_make_control(knc_plan *p, const kni_eqn *e, knc_step *s)
{
    choice c = {.branch = e->prim->loops == KN_LOOP_COND};
    if (e->prim->loops == KN_LOOP_SCAN) {
        const kni_p_scan *params = e->params;
        c.accept = params->accept;
        c.on_step = params->on_step;
    } else if (e->prim->loops == KN_LOOP_WHILE) {
        c.accept = ((const kni_p_while *)e->params)->accept;
    }
    KN_TRY(choose(p, e, &c, s));
    knx_error *error = note(p, s->eqn, &c);
    if (c.path == KN_PATH_COMPILED) {
        if (error)
            knc_drop_step(s);
        return error;
    }
    return error ? error : c.branch ? become_branch(p, e, s) : become_loop(p, e, c.path, s);
}
