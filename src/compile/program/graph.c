/* SPDX-License-Identifier: Apache-2.0
 * graph.c -- a program as a drawing for Graphviz: a box for each step with the operations that it computes, an edge for
 * each value that goes from one step to another through memory, with the reason why it is stored. */
#include "base/str.h"
#include "compile/plan.h"
#include <string.h>

static void add_label(knx_str *out, const char *s)
{
    knx_str_puts(out, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            knx_str_puts(out, "\\");
        knx_str_add(out, s, 1);
    }
    knx_str_puts(out, "\"");
}

static void add(knx_str *out, knx_text *t)
{
    knx_str_add(out, t->s, t->length);
    *t = (knx_text){0};
}

static void draw_step(const knc_program *p, uint32_t i, knx_str *out)
{
    static const char *const kinds[] = {
        [KNC_KERNEL] = "kernel",   [KNC_ROUTINE] = "routine", [KNC_COPY] = "copy",     [KNC_LOOP] = "loop",
        [KNC_PRODUCT] = "product", [KNC_BAND] = "band",       [KNC_BRANCH] = "branch", [KNC_PUT] = "kernel"};
    const knc_step *s = &p->step[i];
    const kn_place *place = s->eqn < p->jaxpr->n_eqn ? p->jaxpr->eqn[s->eqn].place : NULL;
    knx_text t = {0}, label = {0};
    knx_text_add(&t, "s%u [shape=box, style=%s, label=", (unsigned)i, s->kind == KNC_KERNEL ? "rounded" : "solid");
    add(out, &t);
    knx_text_add(&label, "%u: %s\n", (unsigned)i, kinds[s->kind]);
    knc_step_operations(p, i, &label);
    knx_text elements = {0};
    knx_text_add(&label, "\n%s %s", knx_dim_show(&elements, knc_step_elements(p, i)),
                 s->kind == KNC_COPY ? "bytes" : "elements");
    if (p->where) /* the device; why is in the text */
        knx_text_add(&label, "\non %.*s", (int)strcspn(p->where[i], " "), p->where[i]);
    add_label(out, label.s);
    if (place && place->file) {
        knx_text_add(&t, "%s:%d", place->file, place->line);
        knx_str_puts(out, ", tooltip=");
        add_label(out, t.s);
        t = (knx_text){0};
    }
    knx_str_puts(out, "];\n");
}

static void draw_edge(const knc_program *p, const knc_edge *e, knx_str *out)
{
    knx_text t = {0}, label = {0};
    if (e->from == KNC_NO)
        knx_text_add(&t, "x%u -> ", (unsigned)e->var);
    else
        knx_text_add(&t, "s%u -> ", (unsigned)e->from);
    if (e->to == KNC_NO)
        knx_text_add(&t, "y%u [label=", (unsigned)e->output);
    else
        knx_text_add(&t, "s%u [label=", (unsigned)e->to);
    add(out, &t);
    kni_type_text(&label, p->jaxpr->type[e->var], false);
    if (e->from != KNC_NO && e->to != KNC_NO)
        knx_text_add(&label, "\n%s", knc_why_text((knc_why)p->note[e->eqn].why));
    add_label(out, label.s);
    knx_str_puts(out, "];\n");
}

knx_error *knc_graphviz(const knc_program *p, char **out)
{
    knx_str s = {0};
    knx_text t = {0};
    *out = NULL;
    knx_str_puts(&s, "digraph ");
    add_label(&s, *p->jaxpr->name ? p->jaxpr->name : "program");
    knx_str_puts(&s, " {\nnode [fontname=\"monospace\"];\nedge [fontname=\"monospace\"];\n");
    for (uint32_t v = 0; v < p->n_operand; v++) {
        knx_text_add(&t, "x%u [shape=ellipse, label=", (unsigned)v);
        add(&s, &t);
        kni_type_text(&t, p->jaxpr->type[v], false);
        add_label(&s, t.s);
        t = (knx_text){0};
        knx_str_puts(&s, "];\n");
    }
    for (uint32_t i = 0; i < p->n_step; i++)
        draw_step(p, i, &s);
    for (uint32_t k = 0; k < p->n_output; k++) {
        knx_text_add(&t, "y%u [shape=doublecircle, label=\"%u\"];\n", (unsigned)k, (unsigned)k);
        add(&s, &t);
    }
    for (uint32_t i = 0; i < p->n_edge; i++)
        draw_edge(p, &p->edge[i], &s);
    knx_str_puts(&s, "}\n");
    *out = knx_str_take(&s);
    return *out ? NULL : knx_error_nomem();
}
