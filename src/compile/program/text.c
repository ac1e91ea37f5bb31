/* SPDX-License-Identifier: Apache-2.0
 * text.c -- a program as text: how each equation was lowered and why, then the steps and the values between them. */
#include "base/log.h"
#include "base/str.h"
#include "compile/plan.h"

static const char *const reasons[] = {
#define KNC_X(id, text) text,
    KNC_REASONS(KNC_X)
#undef KNC_X
};
static const char *const states[] = {[KNC_DEAD] = "dropped",
                                     [KNC_GIVEN] = "given",
                                     [KNC_INLINE] = "inlined",
                                     [KNC_STORED] = "stored",
                                     [KNC_ALIAS] = "alias"};
static const char *const updates[] = {
#define KNC_X(id, text) text,
    KNC_UPDATES(KNC_X)
#undef KNC_X
};
static const char *const spaces[] = {
    [KNC_AT_OPERAND] = "operand", [KNC_AT_OUTPUT] = "output", [KNC_AT_WORK] = "work",
    [KNC_AT_LITERAL] = "literal", [KNC_NOWHERE] = "nowhere",  [KNC_AT_BLOCK] = "block"};

const char *knc_why_text(knc_why why) { return reasons[why]; }

static void add(knx_str *out, knx_text *t)
{
    knx_str_add(out, t->s, t->length);
    t->length = 0;
}

static void note_text(const knc_program *p, uint32_t i, knx_str *out)
{
    const kni_eqn *e = &p->jaxpr->eqn[i];
    const knc_note *n = &p->note[i];
    knx_text t = {0};
    knx_text_add(&t, "  %u: %s", (unsigned)i, e->prim->name);
    if (e->n_out) {
        knx_text_add(&t, " -> ");
        kni_type_text(&t, p->jaxpr->type[e->out], false);
    }
    knx_text_add(&t, ": %s", states[n->state]);
    if (n->step != KNC_NO)
        knx_text_add(&t,
                     n->in_blocks             ? ", a block at a time, by step %u"
                     : n->state != KNC_STORED ? " in step %u"
                     : n->joined              ? " by step %u, which reads it"
                                              : " by step %u",
                     (unsigned)n->step);
    knx_text_add(&t, ": %s\n", reasons[n->why]);
    add(out, &t);
}

static void add_eqn(knx_text *t, const kni_eqn *e)
{
    knx_text_add(t, "%s", e->prim->name);
    if (e->place)
        knx_text_add(t, " (%s:%d)", e->place->file, e->place->line);
}

/* Says that the update is in place, or how many bytes it copies and why. */
static void update_text(const knc_program *p, const knc_update_note *u, knx_text *t)
{
    knx_text bytes = {0};
    if (u->how > KNC_UPDATE_IN_OPERAND)
        knx_text_add(t, "copies %s bytes: ", knx_dim_show(&bytes, (int64_t)u->bytes));
    knx_text_add(t, "%s", updates[u->how]);
    if (u->how != KNC_UPDATE_LATER)
        return;
    knx_text_add(t, " ");
    if (u->reader == KNC_NO) /* the copy of an output */
        knx_text_add(t, "an output");
    else
        add_eqn(t, &p->jaxpr->eqn[u->reader]);
}

void knc_log_copies(const knc_program *p)
{
    for (uint32_t i = 0; knx_debug_level >= 1 && i < p->n_update; i++) {
        const kni_eqn *e = &p->jaxpr->eqn[p->update[i].eqn];
        knx_text t = {0};
        if (p->update[i].how <= KNC_UPDATE_IN_OPERAND)
            continue;
        if (e->place)
            knx_text_add(&t, "%s:%d: ", e->place->file, e->place->line);
        knx_text_add(&t, "%s ", e->prim->name);
        update_text(p, &p->update[i], &t);
        KN_LOG(1, "copy: %s", t.s);
    }
}

static void path_text(const knc_program *p, const knc_path_note *n, knx_text *t)
{
    const kni_prim *prim = p->jaxpr->eqn[n->eqn].prim;
    knx_text_add(t, "%s%s%s", knc_path_text((kni_loop_path)n->path, prim->loops == KN_LOOP_COND), *n->why ? ": " : "",
                 n->why);
}

void knc_log_paths(const knc_program *p)
{
    for (const knc_path_note *n = p->path; knx_debug_level >= 1 && n; n = n->next) {
        const kni_eqn *e = &p->jaxpr->eqn[n->eqn];
        knx_text t = {0};
        if (e->place)
            knx_text_add(&t, "%s:%d: ", e->place->file, e->place->line);
        path_text(p, n, &t);
        KN_LOG(1, "%s: %s", e->prim->name, t.s);
    }
}

static void extents(knx_text *t, const char *name, int n, const int64_t *extent)
{
    knx_text_add(t, " %s", name);
    knx_show_shape(t, n, extent);
}

static void product_text(const knc_program *p, const knc_step *s, knx_text *t)
{
    const char *const what[] = {"first operand by", "second operand by", "result to"};
    const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    knx_text_add(t, "%s", p->jaxpr->eqn[s->u.p.eqn].prim->name);
    for (int i = 0; i < 3; i++)
        if (all[i])
            knx_text_add(t, ", %s kernel %016llx, %d nodes", what[i], (unsigned long long)all[i]->kernel->hash,
                         all[i]->kernel->n_node);
}

static void step_head(const knc_program *p, const knc_step *s, knx_text *t)
{
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL:
    case KNC_PUT:
        knx_text_add(t, "kernel %016llx, %d nodes,", (unsigned long long)s->u.k.kernel->hash, s->u.k.kernel->n_node);
        extents(t, "points", s->u.k.kernel->n_par, s->u.k.par);
        for (int k = 0; k < s->u.k.kernel->n_stage; k++)
            if (s->u.k.kernel->stage[k].n_inner)
                extents(t, "joins", s->u.k.kernel->stage[k].n_inner, s->u.k.inner[k]);
        if (s->u.k.n_segment)
            knx_text_add(t, " in %u segments", (unsigned)s->u.k.n_segment);
        break;
    case KNC_PRODUCT: product_text(p, s, t); break;
    case KNC_LOOP:
    case KNC_BRANCH:
    case KNC_ROUTINE: knx_text_add(t, "%s%s", p->jaxpr->eqn[s->eqn].prim->name, knc_half_text(s)); break;
    case KNC_COPY: {
        knx_text bytes = {0};
        knx_text_add(t, "copy of %s bytes", knx_dim_show(&bytes, (int64_t)s->u.bytes));
        break;
    }
    case KNC_BAND: {
        const knc_band *b = s->u.band;
        knx_text of[5] = {0};
        knx_text_add(t, "band of %s x %s rows, %s at a time%s, %s bytes for each thread, %s not stored",
                     knx_dim_show(&of[0], b->batches), knx_dim_show(&of[1], b->rows), knx_dim_show(&of[2], b->height),
                     b->chunk ? " in order" : "", knx_dim_show(&of[4], (int64_t)b->kept),
                     knx_dim_show(&of[3], (int64_t)b->saved));
    }
    }
}

static void references(const knc_step *s, knx_str *out)
{
    knx_text t = {0};
    for (uint32_t r = 0; r < s->n_ref && s->kind != KNC_BAND; r++) {
        const knc_ref *ref = &s->ref[r];
        knx_text_add(&t, "%s %s%s", r ? "," : ";", knc_is_written(s, r) ? "> " : "", spaces[ref->space]);
        if (ref->space != KNC_AT_WORK)
            knx_text_add(&t, " %u", (unsigned)ref->index);
        knx_text offset = {0};
        if (ref->offset || ref->space == KNC_AT_WORK)
            knx_text_add(&t, "+%s", knx_dim_show(&offset, (int64_t)ref->offset));
        add(out, &t);
    }
    knx_str_puts(out, "\n");
}

static void step_text(const knc_program *p, uint32_t i, knx_str *out)
{
    const knc_step *s = &p->step[i];
    knx_text t = {0};
    knx_text_add(&t, "  %u: ", (unsigned)i);
    step_head(p, s, &t);
    add(out, &t);
    if (knc_is_kernel(s) || (s->kind == KNC_PRODUCT && p->first_eqn[i] + 1 < p->first_eqn[i + 1])) {
        knx_text_add(&t, " of ");
        knc_step_operations(p, i, &t);
        add(out, &t);
    }
    references(s, out);
    if (p->where) {
        knx_text_add(&t, "     on %s\n", p->where[i]);
        add(out, &t);
    }
    for (uint32_t k = 0; s->kind == KNC_BAND && k < s->u.band->n_step; k++) {
        const knc_band_step *b = &s->u.band->step[k];
        knx_text_add(&t, "     %s", b->again ? "again: " : "");
        step_head(p, &b->step, &t);
        if (b->sums)
            knx_text_add(&t, " over the rows");
        add(out, &t);
        references(&b->step, out);
    }
}

/* Lists the values that go from one step to another through memory. */
static void edges_text(const knc_program *p, knx_str *out)
{
    knx_text t = {0};
    bool any = false;
    for (uint32_t i = 0; i < p->n_edge; i++) {
        const knc_edge *e = &p->edge[i];
        if (e->from == KNC_NO || e->to == KNC_NO)
            continue;
        knx_text_add(&t, any ? "  %u -> %u: " : "not fused\n  %u -> %u: ", (unsigned)e->from, (unsigned)e->to);
        any = true;
        add_eqn(&t, &p->jaxpr->eqn[e->eqn]);
        knx_text_add(&t, " -> ");
        kni_type_text(&t, p->jaxpr->type[e->var], false);
        knx_text bytes = {0};
        knx_text_add(&t, ", %s bytes: %s\n", knx_dim_show(&bytes, (int64_t)kni_type_bytes(p->jaxpr->type[e->var])),
                     reasons[p->note[e->eqn].why]);
        add(out, &t);
    }
}

static void program_text(const knc_program *p, knx_str *s);

/* The programs inside of step i, if it is a loop or a branch. */
static void inside_text(const knc_program *p, uint32_t i, knx_str *out)
{
    const knc_step *s = &p->step[i];
    knx_text t = {0};
    for (uint32_t k = 0; k < knc_n_inside(s); k++) {
        if (s->kind == KNC_BRANCH)
            knx_text_add(&t, "step %u, branch %u: ", (unsigned)i, (unsigned)k);
        else
            knx_text_add(&t, "step %u, %s: ", (unsigned)i, k ? "condition" : "body");
        add(out, &t);
        program_text(knc_inner_program(s, k), out);
    }
}

static void program_text(const knc_program *p, knx_str *s)
{
    knx_text t = {0};
    knx_text_add(&t, "program %s: %u operands, %u outputs, %u steps", p->jaxpr->name, (unsigned)p->n_operand,
                 (unsigned)p->n_output, (unsigned)p->n_step);
    if (!knc_has_variables(p)) /* else they are an instance's */
        knx_text_add(&t, ", workspace %llu bytes, peak %llu bytes", (unsigned long long)p->workspace,
                     (unsigned long long)p->values + (unsigned long long)p->workspace);
    knx_text copied = {0};
    if (p->copied)
        knx_text_add(&t, ", copied %s bytes", knx_dim_show(&copied, (int64_t)p->copied));
    knx_text_add(&t, "\nequations\n");
    add(s, &t);
    for (uint32_t i = 0; i < p->jaxpr->n_eqn; i++)
        note_text(p, i, s);
    for (uint32_t i = 0; i < p->n_update; i++) {
        if (!i)
            knx_str_puts(s, "updates\n");
        knx_text_add(&t, "  %u: %s ", (unsigned)p->update[i].eqn, p->jaxpr->eqn[p->update[i].eqn].prim->name);
        update_text(p, &p->update[i], &t);
        knx_text_add(&t, "\n");
        add(s, &t);
    }
    for (const knc_path_note *n = p->path; n; n = n->next) {
        knx_text_add(&t, n == p->path ? "loops and branches\n  %u: %s: " : "  %u: %s: ", (unsigned)n->eqn,
                     p->jaxpr->eqn[n->eqn].prim->name);
        path_text(p, n, &t);
        knx_text_add(&t, "\n");
        add(s, &t);
    }
    knx_str_puts(s, "steps\n");
    for (uint32_t i = 0; i < p->n_step; i++)
        step_text(p, i, s);
    edges_text(p, s);
    for (uint32_t i = 0; i < p->n_step; i++)
        inside_text(p, i, s);
}

knx_error *knc_text(const knc_program *p, char **out)
{
    knx_str s = {0};
    program_text(p, &s);
    *out = knx_str_take(&s);
    return *out ? NULL : knx_error_nomem();
}
