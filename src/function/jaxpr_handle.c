/* SPDX-License-Identifier: Apache-2.0
 * jaxpr_handle.c -- jaxprs as public values: making, printing, reading back, comparing, and functions made of them. */
#include "function/symbolic.h"
#include "array/handle.h"
#include "function/jaxpr_handle.h"
#include <string.h>

static void drop_closed(void *p)
{
    kna_closed_free(p);
    knx_free(p);
}

kn_jaxpr knf_jaxpr_handle(kna_closed *from)
{
    kna_closed *c = knx_alloc(sizeof *c);
    if (!c) {
        kna_closed_free(from);
        knx_error *e = knx_error_nomem();
        knx_report(e);
        knx_error_release(e);
        return NULL;
    }
    *c = *from;
    *from = (kna_closed){0};
    return kna_handle_new(KN_H_JAXPR, c, drop_closed);
}

kna_closed *knf_jaxpr_get(kna_op *op, kn_jaxpr jaxpr) { return kna_handle_in(op, KN_H_JAXPR, jaxpr); }

/* ---- Types of example arguments: any arrays, also those of kn_eval_shape. */

static knx_error *example_types(knf_core *f, const knf_fn *fn, const kn_args *args, kna_value **in, kni_type *type)
{
    KN_TRY(knf_read_args(f->name, f, args, in + f->n_captured));
    for (int i = 0; i < f->n_captured; i++)
        in[i] = kna_value_retain(fn->captured[i]);
    for (int i = 0; i < f->n_captured + f->n_in; i++) {
        type[i] = in[i]->type;
        type[i].weak = false;
    }
    return NULL;
}

/* With variables for extents, if something is said of them. */
static knx_error *derive(knf_core *f, const kni_type *in, const char *why, knf_extents *x, kna_closed *out)
{
    kni_type *types = NULL;
    if (!x || !x->symbolic)
        return knf_derive(f, in, NULL, why, out);
    KN_TRY(knf_extents_begin(x, f, in, &types));
    knx_dim_scope *scope = knf_symbolic_rules(x->s);
    knx_dim_enter(scope);
    knx_error *error = knf_derive(f, types, NULL, why, out);
    knx_dim_leave(scope);
    knx_error *refused = knx_dim_take_error(scope);
    knx_free(types);
    if (error || !refused) {
        knx_error_release(refused);
        return error;
    }
    kna_closed_free(out);
    return refused;
}

knx_error *knf_derive_for(kna_op *op, kn_fn fn, const kn_args *args, const char *why, knf_extents *x, kna_closed *out,
                          knf_core **core)
{
    knf_fn *h = knf_fn_get(op, fn);
    if (!h)
        return kna_take_error(op);
    knf_core *f = NULL;
    KN_TRY(knf_fit_call(h, args, KNF_FIT_ABSTRACT, &f));
    *core = f;
    int n = f->n_captured + f->n_in;
    kna_value **in = knx_alloc_zero(((size_t)n + 1) * sizeof *in);
    kni_type *type = knx_alloc(((size_t)n + 1) * sizeof *type);
    knx_error *error = in && type ? example_types(f, h, args, in, type) : knx_error_nomem();
    if (!error) {
        error = derive(f, type, why, x, out);
        knf_release_values(n, in);
    }
    knx_free(in);
    knx_free(type);
    if (error) {
        knf_fit_end(f);
        *core = NULL;
    }
    return error;
}

/* Ends the operation with what it made. */
static kn_jaxpr end(kna_op *op, kna_closed *c)
{
    if (kna_end_plain(op))
        return c->jaxpr ? knf_jaxpr_handle(c) : NULL;
    kna_closed_free(c);
    return NULL;
}

kn_jaxpr kn_make_jaxpr(kn_fn fn, const kn_args *args, const kn_make_jaxpr_opts *opts)
{
    kna_op op;
    kna_closed c = {0};
    knf_core *core = NULL;
    kna_begin(&op, "make_jaxpr");
    kna_state *s = kna_state_get();
    if (!s)
        return kna_end_plain(&op), NULL;
    bool given = opts && opts->size_ >= offsetof(kn_make_jaxpr_opts, symbolic);
    knf_extents x = {0};
    if (opts && opts->size_ >= sizeof *opts)
        x = (knf_extents){.symbolic = opts->symbolic, .constraints = opts->constraints};
    if (x.constraints && !x.symbolic)
        kna_fail(&op, KN_ERROR_VALUE, ".constraints are of dimension variables, which .symbolic names");
    kna_named_axis axis[KN_MAX_ARGS], *outer = s->axes;
    uint8_t folds = s->how.fold;
    bool whole = s->how.whole;
    for (int i = 0; given && i < KN_MAX_ARGS && opts->axis_env[i].name; i++) {
        axis[i] = (kna_named_axis){opts->axis_env[i].name, opts->axis_env[i].size, s->axes};
        s->axes = &axis[i];
        if (axis[i].size < 0)
            kna_fail(&op, KN_ERROR_VALUE, "axis %s has a negative size", axis[i].name);
    }
    s->how.fold = given && opts->fold;
    s->how.whole = !s->how.fold;
    knx_error *error =
        kna_failed(&op) ? kna_take_error(&op) : knf_derive_for(&op, fn, args, "make_jaxpr", &x, &c, &core);
    knf_symbolic_drop(x.s);
    s->axes = outer;
    s->how.fold = folds;
    s->how.whole = whole;
    knf_fit_end(core);
    if (error)
        kna_fail_with(&op, error);
    return end(&op, &c);
}

static void write_types(const kn_outs *outs, const knf_core *f, const kn_args *args, int n, kna_value **v)
{
    kntree_structure *whole = knf_result_structure(f, args);
    knf_write_results(outs, 0, n, v, whole);
    kntree_structure_release(whole);
}

int kn_eval_shape(kn_fn fn, const kn_args *args, const kn_outs *outs)
{
    kna_op op;
    kna_closed c = {0};
    knf_core *core = NULL;
    kna_begin(&op, "eval_shape");
    knx_error *error = knf_derive_for(&op, fn, args, "eval_shape", NULL, &c, &core);
    KN_KNOWN(error || core);
    if (!error)
        error = knf_check_outs(core->name, core->n_out, outs);
    kna_value **v = error ? NULL : knx_alloc(((size_t)c.jaxpr->n_out + 1) * sizeof *v);
    uint32_t made = 0;
    while (v && made < c.jaxpr->n_out && (v[made] = kna_value_new(KN_V_ABSTRACT, kni_out_type(c.jaxpr, made))))
        made++;
    if (!error && (!v || made < c.jaxpr->n_out)) {
        knf_release_values((int)made, v);
        error = knx_error_nomem();
    }
    if (error)
        knf_write_error(outs, error);
    else
        write_types(outs, core, args, (int)made, v);
    knf_fit_end(core);
    knx_free(v);
    kna_closed_free(&c);
    knx_error_release(error);
    kna_leave(&op);
    return error ? -1 : 0;
}

/* ---- Texts. */

static knx_error *full_text(const kna_closed *c, char **text)
{
    char **consts = NULL;
    knx_error *error = knf_constant_texts(c, &consts);
    if (!error)
        error = kni_text_consts(c->jaxpr, KN_FORM_FULL, (const char *const *)consts, text);
    knf_free_texts(c->n_const, consts);
    return error;
}

static char *text_of(kna_op *op, kn_jaxpr jaxpr, int form)
{
    char *text = NULL;
    kna_closed *c = knf_jaxpr_get(op, jaxpr);
    if (c && (form < KN_JAXPR_CLASSIC || form > KN_JAXPR_FULL))
        kna_fail(op, KN_ERROR_VALUE, "form %d is none of KN_JAXPR_CLASSIC, KN_JAXPR_TYPED, KN_JAXPR_FULL", form);
    knx_error *error = !c || kna_failed(op)    ? NULL
                       : form == KN_JAXPR_FULL ? full_text(c, &text)
                                               : kni_text(c->jaxpr, (kni_jaxpr_form)form, &text);
    if (error)
        kna_fail_with(op, error);
    return text;
}

static void drop_text(void *p) { knx_free(p); }

const char *knf_text_handle(char *text) { return kna_handle_new(KN_H_TEXT, text, drop_text) ? text : ""; }

const char *kn_jaxpr_text(kn_jaxpr jaxpr, int form)
{
    kna_op op;
    kna_begin(&op, "jaxpr_text");
    char *text = text_of(&op, jaxpr, form);
    if (!kna_end_plain(&op))
        return "";
    return knf_text_handle(text);
}

int kn_jaxpr_print(kn_jaxpr jaxpr, FILE *file, int form)
{
    kna_op op;
    kna_begin(&op, "jaxpr_print");
    if (!file)
        kna_fail(&op, KN_ERROR_TYPE, "null file");
    char *text = kna_failed(&op) ? NULL : text_of(&op, jaxpr, form);
    if (text && (fputs(text, file) == EOF || fputc('\n', file) == EOF))
        kna_fail(&op, KN_ERROR_FILE, "the text could not be written");
    knx_free(text);
    return kna_end_plain(&op) ? 0 : -1;
}

kn_jaxpr kn_jaxpr_parse(const char *text)
{
    kna_op op;
    kna_closed c = {0};
    kna_begin(&op, "jaxpr_parse");
    char **consts = NULL;
    knx_error *error = text ? kni_parse_consts(text, &c.jaxpr, &consts) : knx_error_new(KN_ERROR_TYPE, "null text");
    if (!error)
        error = knf_read_constants(&c, consts);
    knx_free(consts);
    if (error)
        kna_fail_with(&op, error);
    return end(&op, &c);
}

/* Number i of the examples as a value; NULL with an error in op. */
static kna_value *example(kna_op *op, kn_list examples, int i)
{
    kni_atom a = kna_in(op, kn_list_get(examples, i));
    return kna_failed(op) ? NULL : kna_atom_value(op, a);
}

/* How many constants the text has: the words between lambda and the semicolon. Where that is missing, those before a,
 * the first input. */
static int constants_in(const char *text)
{
    const char *s = strstr(text, "lambda");
    int n = 0;
    for (bool word = false; s && *s && !strchr(";.", *s); s++) {
        bool letter = !strchr(" \n\t\r", *s), begins = letter && !word;
        if (begins && *s == 'a' && strchr(" \n\t\r.", s[1]) && s[strcspn(s, ";.}")] == '.')
            break;
        n += begins;
        word = letter;
    }
    return n > 0 ? n - 1 : 0;
}

static void parse_classic(kna_op *op, const char *text, kn_list examples, kna_closed *c)
{
    int n = kn_list_count(examples), n_const = constants_in(text);
    kna_value **v = knx_alloc_zero(((size_t)n + 1) * sizeof *v);
    kni_type *type = knx_alloc(((size_t)n + 1) * sizeof *type);
    knx_error *error = v && type ? NULL : knx_error_nomem();
    for (int i = 0; !error && i < n && !kna_failed(op); i++) {
        v[i] = example(op, examples, i);
        if (!v[i])
            continue;
        type[i] = v[i]->type;
        type[i].weak = false;
    }
    n_const = n_const < n ? n_const : n;
    if (!error && !kna_failed(op))
        error = kni_parse_classic(text, n_const, type, n - n_const, type + n_const, &c->jaxpr);
    if (error)
        kna_fail_with(op, error);
    bool ok = !kna_failed(op);
    for (int i = ok ? n_const : 0; v && i < n; i++)
        kna_value_release(v[i]);
    if (ok && n_const) {
        c->consts = v;
        c->n_const = (uint32_t)n_const;
    } else {
        knx_free(v);
    }
    knx_free(type);
}

kn_jaxpr kn_jaxpr_parse_classic(const char *text, kn_list examples)
{
    kna_op op;
    kna_closed c = {0};
    kna_begin(&op, "jaxpr_parse_classic");
    if (!text)
        kna_fail(&op, KN_ERROR_TYPE, "null text");
    else if (kn_list_count(examples) >= 0)
        parse_classic(&op, text, examples, &c);
    return end(&op, &c);
}

/* ---- Comparing. */

static bool same_constants(kna_op *op, const kna_closed *a, const kna_closed *b)
{
    knx_error *error = kna_force_here((int)a->n_const, a->consts);
    if (!error)
        error = kna_force_here((int)b->n_const, b->consts);
    if (error) {
        kna_fail_with(op, error);
        return false;
    }
    for (uint32_t i = 0; i < a->n_const; i++) {
        const kna_value *v = a->consts[i], *w = b->consts[i];
        if (v == w)
            continue;
        if (v->state != KN_V_BUFFER || w->state != KN_V_BUFFER ||
            memcmp(v->buffer->data, w->buffer->data, kni_type_bytes(v->type)) != 0)
            return false;
    }
    return true;
}

bool kn_jaxpr_equal(kn_jaxpr a, kn_jaxpr b)
{
    kna_op op;
    kna_begin(&op, "jaxpr_equal");
    kna_closed *x = knf_jaxpr_get(&op, a), *y = x ? knf_jaxpr_get(&op, b) : NULL;
    bool equal = y && kni_equal(x->jaxpr, y->jaxpr) && same_constants(&op, x, y);
    return kna_end_plain(&op) && equal;
}

kn_fn kn_fn_from_jaxpr(kn_jaxpr jaxpr)
{
    kna_op op;
    kni_jaxpr *j = NULL;
    knf_core *core = NULL;
    kna_begin(&op, "fn_from_jaxpr");
    kna_closed *c = knf_jaxpr_get(&op, jaxpr);
    if (c) {
        knx_error *error = knf_constants_as_inputs(c->jaxpr, &j);
        knf_core draft = {.kind = KNF_FN_JAXPR,
                          .jaxpr = j,
                          .name = *c->jaxpr->name ? c->jaxpr->name : "jaxpr",
                          .n_captured = (int)c->n_const,
                          .n_in = (int)c->jaxpr->n_in,
                          .n_out = (int)c->jaxpr->n_out};
        bool one_each = draft.n_in <= KN_MAX_ARGS;
        draft.n_args = one_each ? draft.n_in : 1;
        for (int i = 0; i < draft.n_args; i++)
            draft.arrays[i] = one_each ? 1 : draft.n_in;
        core = error ? NULL : knf_core_intern(&draft);
        if (!core)
            kna_fail_with(&op, error ? error : knx_error_nomem());
    }
    kni_release(j);
    return kna_end_plain(&op) && core ? knf_fn_handle(core, core->n_captured, c->consts) : NULL;
}
