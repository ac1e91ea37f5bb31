/* SPDX-License-Identifier: Apache-2.0
 * graphviz.c -- a jaxpr as a drawing for Graphviz: a node for each input, constant, equation and result, an edge for
 * each operand that says what flows along it. Nested jaxprs are clusters beside the node that holds them. */
#include "ir/prim.h"
#include "ir/text/print.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 100 };

typedef struct drawing {
    knx_str t;
    uint64_t next; /* number of the next jaxpr: node names are j<jaxpr>_<variable or equation> */
    bool failed;
} drawing;

void kni_params_text(knx_str *t, const kni_jaxpr *j, const kni_eqn *e)
{
    const char *before = "";
    for (const kni_param_field *f = e->prim->fields; f && f->name; f++) {
        if (!kni_field_shown(KN_FORM_TYPED, f, e->params))
            continue;
        kni_jaxprs inner = kni_field_jaxprs(f, e->params);
        bool list = f->kind == KN_P_JAXPRS;
        knx_str_puts(t, before);
        knx_str_puts(t, f->name);
        knx_str_puts(t, list ? "=(" : "=");
        for (int i = 0; i < inner.n; i++) {
            knx_str_puts(t, i ? " " : "");
            knx_str_puts(t, *inner.v[i]->name ? inner.v[i]->name : "jaxpr");
        }
        if (list)
            knx_str_puts(t, ")");
        else if (!inner.n)
            kni_field_value(t, KN_FORM_TYPED, j, e, f);
        before = " ";
    }
}

static void add(drawing *d, const char *format, ...) KN_PRINTF_LIKE(2, 3);
static void add(drawing *d, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    knx_str_puts(&d->t, line);
}

/* In double quotes, as the language wants it. */
static void add_label(drawing *d, const char *s)
{
    knx_str_puts(&d->t, "\"");
    for (; s && *s; s++) {
        if (*s == '"' || *s == '\\')
            knx_str_puts(&d->t, "\\");
        knx_str_add(&d->t, s, 1);
    }
    knx_str_puts(&d->t, "\"");
}

static void add_type_label(drawing *d, kni_type type, bool weak)
{
    knx_str text = {0};
    kni_add_type(&text, weak ? KN_FORM_FULL : KN_FORM_TYPED, type);
    add_label(d, text.s);
    d->failed |= text.failed;
    knx_str_free(&text);
}

/* Where the value of a variable comes from: an input or constant, or an equation. */
static void add_source(drawing *d, const uint32_t *maker, const kni_jaxpr *j, uint64_t id, kni_atom a)
{
    if (a < j->n_const + j->n_in)
        add(d, "j%" PRIu64 "_v%u", id, a);
    else
        add(d, "j%" PRIu64 "_e%u", id, maker[a - j->n_const - j->n_in]);
}

static void add_edge(drawing *d, const uint32_t *maker, const kni_jaxpr *j, uint64_t id, kni_atom a, const char *to)
{
    if (kni_is_literal(a)) {
        knx_str text = {0};
        uint64_t node = d->next++;
        kni_literal_text(&text, KN_FORM_TYPED, &j->literal[a & ~KN_LITERAL_BIT]);
        add(d, "l%" PRIu64 " [shape=plaintext, label=", node);
        add_label(d, text.s);
        add(d, "]; l%" PRIu64 " -> %s;\n", node, to);
        d->failed |= text.failed;
        knx_str_free(&text);
        return;
    }
    add_source(d, maker, j, id, a);
    add(d, " -> %s [label=", to);
    add_type_label(d, j->type[a], false);
    add(d, "];\n");
}

static void draw(drawing *d, const kni_jaxpr *j, int depth);

/* The n-th jaxpr of a field, beside the node that holds it. */
static void draw_inside(drawing *d, const char *node, const kni_param_field *f, int n, const kni_jaxpr *j, int depth)
{
    uint64_t inner = d->next;
    char label[64];
    snprintf(label, sizeof label, f->kind == KN_P_JAXPRS ? "%s[%d]" : "%s", f->name, n);
    add(d, "subgraph cluster_%" PRIu64 " { label=", inner);
    add_label(d, label);
    add(d, ";\n");
    draw(d, j, depth + 1);
    add(d, "}\n%s -> j%" PRIu64 "_in [style=dashed, arrowhead=none];\n", node, inner);
}

static void draw_equation(drawing *d, const kni_jaxpr *j, const uint32_t *maker, uint64_t id, uint32_t i, int depth)
{
    const kni_eqn *e = &j->eqn[i];
    knx_str label = {0};
    char node[48];
    snprintf(node, sizeof node, "j%" PRIu64 "_e%u", id, i);
    knx_str_puts(&label, e->prim->name);
    if (e->prim->fields) {
        knx_str_puts(&label, "\n");
        kni_params_text(&label, j, e);
    }
    add(d, "%s [label=", node);
    add_label(d, label.s);
    if (e->place && e->place->file) {
        knx_str place = {0};
        char line[32];
        snprintf(line, sizeof line, ":%d", e->place->line);
        knx_str_puts(&place, e->place->file);
        knx_str_puts(&place, line);
        add(d, ", tooltip=");
        add_label(d, place.s);
        d->failed |= place.failed;
        knx_str_free(&place);
    }
    add(d, "];\n");
    d->failed |= label.failed;
    knx_str_free(&label);
    for (uint32_t k = 0; k < e->n_in; k++)
        add_edge(d, maker, j, id, e->in[k], node);
    for (const kni_param_field *f = e->prim->fields; f && f->name; f++) {
        kni_jaxprs inner = kni_field_jaxprs(f, e->params);
        for (int n = 0; n < inner.n && depth < DEEPEST; n++)
            draw_inside(d, node, f, n, inner.v[n], depth);
    }
}

static void draw(drawing *d, const kni_jaxpr *j, int depth)
{
    uint64_t id = d->next++;
    uint32_t first = j->n_const + j->n_in, *maker = knx_alloc((j->n_var - first + 1) * sizeof *maker);
    if (!maker) {
        d->failed = true;
        return;
    }
    for (uint32_t i = 0; i < j->n_eqn; i++)
        for (uint32_t k = 0; k < j->eqn[i].n_out; k++)
            maker[j->eqn[i].out + k - first] = i;
    add(d, "j%" PRIu64 "_in [shape=point, style=invis];\n", id);
    for (uint32_t v = 0; v < first; v++) {
        add(d, "j%" PRIu64 "_v%u [shape=ellipse, style=%s, label=", id, v, v < j->n_const ? "filled" : "solid");
        add_type_label(d, j->type[v], true);
        add(d, "];\n");
    }
    for (uint32_t i = 0; i < j->n_eqn && !d->failed && !d->t.failed; i++)
        draw_equation(d, j, maker, id, i, depth);
    for (uint32_t i = 0; i < j->n_out; i++) {
        char node[48];
        snprintf(node, sizeof node, "j%" PRIu64 "_o%u", id, i);
        add(d, "%s [shape=doublecircle, label=\"%u\"];\n", node, i);
        add_edge(d, maker, j, id, j->out[i], node);
    }
    knx_free(maker);
}

knx_error *kni_graphviz(const kni_jaxpr *j, char **out)
{
    drawing d = {0};
    *out = NULL;
    add(&d, "digraph ");
    add_label(&d, *j->name ? j->name : "jaxpr");
    add(&d, " {\nnode [shape=box, fontname=\"monospace\"];\nedge [fontname=\"monospace\"];\n");
    draw(&d, j, 0);
    add(&d, "}\n");
    if (d.failed || d.t.failed || !(*out = knx_str_take(&d.t))) {
        knx_str_free(&d.t);
        return knx_error_nomem();
    }
    return NULL;
}
