/* SPDX-License-Identifier: Apache-2.0
 * bench.c -- making a case: operands from their texts, the equation, programs and their runs. */
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_fail(bench *b, const char *format, ...)
{
    va_list args;
    if (b->failed)
        return;
    b->failed = true;
    va_start(args, format);
    vsnprintf(b->message, sizeof b->message, format, args);
    va_end(args);
}

bool bench_ok(bench *b, knx_error *e, const char *what)
{
    if (!e)
        return true;
    bench_fail(b, "%s: %s: %s", what, knx_error_kind_name(e->kind), e->message);
    knx_error_release(e);
    return false;
}

/* --- operands from their texts ---------------------------------------------------------------- */

static kn_dtype dtype_named(const char *name, kn_dtype t)
{
    if (!strcmp(name, "T"))
        return t;
    return !strcmp(name, "R") && t ? knx_component(t) : knx_dtype_find(name);
}

static double number(const char **s) /* 5 or 5+4 */
{
    char *end;
    double v = strtod(*s, &end);
    if (*end == '+' || (*end == '-' && end != *s))
        v += strtod(end, &end);
    *s = end;
    return v;
}

static const char *one_operand(const char *s, kn_dtype t, operand *x)
{
    char name[16] = {0};
    size_t n = strcspn(s, "[= ;{");
    memcpy(name, s, n < sizeof name ? n : sizeof name - 1);
    *x = (operand){.shape = {.dtype = dtype_named(name, t), .n = 1}};
    s += n;
    if (*s == '=') {
        s++;
        x->literal = true;
        x->value = number(&s);
    }
    if (*s == '[') {
        for (s++; *s && *s != ']'; s += *s == ',') {
            char *end;
            int64_t extent = strtoll(s, &end, 10);
            x->shape.dim[x->shape.ndim++] = extent;
            x->shape.n *= extent;
            s = end;
        }
        s++;
    }
    if (*s == '{') {
        x->has_domain = true;
        s++;
        x->lo = number(&s);
        x->distinct = *s == '}';
        s += *s == ',';
        x->hi = x->distinct ? x->lo : number(&s);
        s += *s == '}';
    }
    return s;
}

const char *bench_operands(const char *text, kn_dtype t, operand *x, int *n)
{
    *n = 0;
    text += strspn(text, " ");
    while (*text && *text != ';' && *n < MAX_OPERANDS) {
        text = one_operand(text, t, &x[*n]);
        if (!x[(*n)++].shape.dtype || (*text && *text != ' ' && *text != ';')) {
            *n = -1;
            return NULL;
        }
        text += strspn(text, " ");
    }
    return *text == ';' ? text + 1 : NULL;
}

static bool letters_have(const char *letters, kn_dtype d)
{
    bool numbers = strchr(letters, 'n') != NULL, no_complex = strchr(letters, 's') != NULL;
    if (strchr(letters, 'k') && !knx_is_complex(d))
        return false;
    if (knx_is_complex(d))
        return !no_complex && (numbers || strchr(letters, 'c'));
    return knx_is_float(d) || (numbers && knx_is_integer(d));
}

bool bench_has_dtype(const sample *s, kn_dtype d)
{
    if (!s->dtypes)
        return false;
    if (*s->dtypes == '@')
        return letters_have(s->dtypes + 1, d);
    size_t n = strlen(d->short_name);
    for (const char *p = s->dtypes; (p = strstr(p, d->short_name)); p += n)
        if ((p == s->dtypes || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}

/* --- a case ----------------------------------------------------------------------------------- */

static void add_text(bench *b, const char *format, ...) KN_PRINTF_LIKE(2, 3);
static void add_text(bench *b, const char *format, ...)
{
    size_t n = strlen(b->name);
    va_list args;
    va_start(args, format);
    vsnprintf(b->name + n, sizeof b->name - n, format, args);
    va_end(args);
}

static void name_case(bench *b)
{
    snprintf(b->name, sizeof b->name, "%s", b->s->prim->name);
    if (b->t)
        add_text(b, "/%s", b->t->short_name);
    for (int i = 0; i < b->n_operand; i++) {
        const operand *x = &b->operand[i];
        add_text(b, "%s", i ? "," : "/");
        if (x->shape.dtype != b->t)
            add_text(b, "%s:", x->shape.dtype->short_name);
        if (x->literal)
            add_text(b, "%g", x->value);
        else if (!x->shape.ndim)
            add_text(b, "scalar");
        for (int k = 0; k < x->shape.ndim; k++)
            add_text(b, "%s%lld", k ? "x" : "", (long long)x->shape.dim[k]);
    }
    if (b->s->label)
        add_text(b, "/%s", b->s->label);
}

static int emit(bench *b, kni_builder *k, const kni_atom *x, kni_atom *y)
{
    if (b->s->build)
        return b->s->build(k, x, y);
    return knb_emit(k, b->s->prim, b->s->params, b->n_operand, x, y, MAX_RESULTS + MAX_OPERANDS);
}

kni_jaxpr *bench_map_lanes(bench *b, kni_jaxpr *j)
{
    int zero[4 * MAX_VALUES] = {0};
    kni_jaxpr *mapped = NULL;
    int64_t lanes = b->n_in ? b->operand[b->input[0]].shape.dim[0] : b->s->lanes;
    if (j)
        bench_ok(b, knt_batch(j, lanes, "i", zero, zero, &mapped), "mapping the lanes");
    kni_release(j);
    return mapped;
}

kni_jaxpr *bench_one_lane(bench *b)
{
    kni_builder k;
    kni_atom x[MAX_OPERANDS], y[MAX_RESULTS + MAX_OPERANDS];
    kni_jaxpr *j = NULL;
    knb_init(&k);
    for (int i = 0; i < b->n_operand; i++) {
        kni_type t = tensor_type(&b->operand[i].shape);
        t.ndim--;
        t.dim++;
        x[i] = knb_invar(&k, t);
    }
    int n_out = emit(b, &k, x, y);
    bench_ok(b, k.error ? knb_take_error(&k) : knb_finish(&k, n_out, y, "case", false, &j), "making the equation");
    knb_free(&k);
    return j;
}

kni_jaxpr *bench_build(bench *b, bool wrapped)
{
    kni_builder k;
    kni_atom x[MAX_OPERANDS], y[MAX_RESULTS + MAX_OPERANDS], in[MAX_OPERANDS];
    kni_jaxpr *j = NULL, *outer = NULL;
    int n_out = 1;
    knb_init(&k);
    for (int i = 0, n = 0; i < b->n_operand && !b->s->lanes; i++) {
        const operand *o = &b->operand[i];
        x[i] = o->literal ? knb_number(&k, o->shape.dtype, o->value) : knb_invar(&k, tensor_type(&o->shape));
        if (!o->literal)
            in[n++] = x[i];
    }
    if (b->s->lanes) {
        j = bench_map_lanes(b, bench_one_lane(b));
    } else {
        n_out = emit(b, &k, x, y);
        bench_ok(b, k.error ? knb_take_error(&k) : knb_finish(&k, n_out, y, "case", false, &j), "making the equation");
    }
    knb_free(&k);
    if (!j || !wrapped)
        return j;
    knb_init(&k);
    for (int i = 0; i < b->n_in; i++)
        in[i] = knb_invar(&k, tensor_type(&b->operand[b->input[i]].shape));
    knb_jit(&k, "case", j, 0, in, y);
    bench_ok(b, k.error ? knb_take_error(&k) : knb_finish(&k, n_out, y, "wrapped", false, &outer),
             "making a jit equation");
    knb_free(&k);
    kni_release(j);
    return outer;
}

bool bench_open(bench *b, const sample *s, kn_dtype t, const char *operands)
{
    b->s = s;
    b->t = t;
    b->arena = (knx_arena)KN_ARENA_INIT;
    b->j = NULL;
    b->failed = false;
    b->n_in = 0;
    bench_operands(operands, t, b->operand, &b->n_operand);
    if (b->n_operand < 0)
        bench_fail(b, "operands not understood: %s", operands);
    for (int i = 0; i < b->n_operand; i++) {
        operand *x = &b->operand[i];
        if (!x->has_domain) {
            bool given = s->lo != 0 || s->hi != 0;
            x->lo = given ? s->lo : -4;
            x->hi = given ? s->hi : 4;
        }
        if (!x->literal)
            b->input[b->n_in++] = i;
    }
    name_case(b);
    b->seed = test_hash(b->name);
    return !b->failed;
}

void bench_close(bench *b)
{
    kni_release(b->j);
    b->j = NULL;
    knx_arena_free(&b->arena);
}

/* --- operands' values ------------------------------------------------------------------------- */

bool bench_tangent(const bench *b, int i)
{
    return !(b->s->flags & NO_RULE) && (!b->only || b->only == i + 1) &&
           knx_is_inexact(b->operand[b->input[i]].shape.dtype);
}

int bench_tangents(const bench *b, bool *mask)
{
    int n = 0;
    for (int i = 0; i < b->n_in; i++)
        n += mask[i] = bench_tangent(b, i);
    return n;
}

bool check_needs_tangent(const bench *b)
{
    bool mask[MAX_OPERANDS];
    if ((b->s->flags & (SPECIAL | NO_SLOPE)) ==
        (SPECIAL | NO_SLOPE)) /* there are plain cases beside those of special values */
        return false;
    return bench_tangents(b, mask) > 0;
}

int64_t bench_size(const bench *b)
{
    int64_t n = 0;
    for (int i = 0; i < b->n_in; i++)
        n += b->operand[b->input[i]].shape.n;
    return n;
}

void bench_fill(bench *b, bool for_slopes, uint64_t seed, tensor *x)
{
    for (int i = 0; i < b->n_in; i++) {
        const operand *o = &b->operand[b->input[i]];
        unsigned flags = b->s->flags, how = flags & (FILL_SPECIAL | FILL_EXTREME | FILL_DISTINCT);
        if (o->has_domain) /* indices and the like: nothing else */
            how = o->distinct ? FILL_DISTINCT : 0;
        if (for_slopes && knx_is_inexact(o->shape.dtype))
            how = FILL_APART | (flags & (DISTINCT | DISTINCT_SLOPE) ? FILL_DISTINCT : 0);
        uint64_t state = b->seed ^ seed * 0x9e3779b97f4a7c15u ^ (uint64_t)i << 32;
        x[i] = tensor_new(&b->arena, o->shape.dtype, o->shape.ndim, o->shape.dim);
        tensor_fill(&x[i], o->lo, o->hi, how, i, &state);
    }
}

tensor bench_direction(bench *b, kni_type like, uint64_t *seed)
{
    tensor t = tensor_new(&b->arena, like.dtype, like.ndim, like.dim);
    tensor_fill(&t, -1, 1, 0, 0, seed);
    return t;
}

/* --- programs --------------------------------------------------------------------------------- */

bool prog_open(bench *b, const kni_jaxpr *j, prog *p)
{
    *p = (prog){.n_in = (int)j->n_in, .n_out = (int)j->n_out};
    for (int k = 0; k < 2; k++)
        if (!bench_ok(b, knd_compile(&knd_host, j, &(knc_compile_options){.fuse = k}, &p->p[k]), "compile"))
            return false;
    return true;
}

void prog_close(prog *p)
{
    knd_release(p->p[0]);
    knd_release(p->p[1]);
}

static bool run_one(bench *b, const knd_loaded *p, int n_in, const tensor *in, int n_out, tensor *out)
{
    knd_operand x[MAX_VALUES];
    knx_buffer *y[MAX_VALUES] = {0};
    for (int i = 0; i < n_in; i++)
        x[i] = (knd_operand){.data = in[i].data};
    if (!bench_ok(b, knd_run(p, x, y, NULL), "run"))
        return false;
    for (int k = 0; k < n_out; k++) {
        kni_type t = knc_output_type(p->program, k);
        out[k] = tensor_new(&b->arena, t.dtype, t.ndim, t.dim);
        if (out[k].n)
            memcpy(out[k].data, y[k]->data, (size_t)out[k].n * t.dtype->size);
        knx_buffer_release(y[k]);
    }
    return true;
}

bool bench_same(bench *b, const char *what, int n, const tensor *a, const tensor *c)
{
    char s[96], t[96];
    for (int k = 0; k < n; k++) {
        if (!tensor_has_type(&a[k], tensor_type(&c[k]))) {
            knx_text text = {0}, other = {0};
            bench_fail(b, "%s: result %d has type %s and %s", what, k, kni_type_text(&text, tensor_type(&a[k]), false),
                       kni_type_text(&other, tensor_type(&c[k]), false));
            return false;
        }
        int64_t i = tensor_difference(&a[k], &c[k]);
        if (i >= 0) {
            kn_dtype d = a[k].dtype;
            bench_fail(b, "%s: result %d element %lld is %s and %s", what, k, (long long)i,
                       tensor_show(d, tensor_load(d, tensor_at(&a[k], i)), s),
                       tensor_show(d, tensor_load(d, tensor_at(&c[k], i)), t));
            return false;
        }
    }
    return true;
}

bool prog_run(bench *b, const prog *p, const tensor *in, tensor *out)
{
    tensor unfused[MAX_VALUES];
    return run_one(b, p->p[1], p->n_in, in, p->n_out, out) && run_one(b, p->p[0], p->n_in, in, p->n_out, unfused) &&
           bench_same(b, "fused and unfused", p->n_out, out, unfused);
}

bool bench_run(bench *b, const kni_jaxpr *j, const tensor *in, tensor *out)
{
    prog p;
    bool ok = prog_open(b, j, &p) && prog_run(b, &p, in, out);
    prog_close(&p);
    return ok;
}

/* --- jaxprs ----------------------------------------------------------------------------------- */

/* Do numbers of two dtypes of one kind occur? Then a literal alone may have either in the classic form. */
static bool several_dtypes(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_var; i++)
        for (uint32_t k = 0; k < i; k++) {
            kn_dtype a = j->type[i].dtype, b = j->type[k].dtype;
            if (a != b && knx_is_integer(a) == knx_is_integer(b) && knx_is_float(a) == knx_is_float(b))
                return true;
        }
    return false;
}

/* Is there an equation of literals alone? The classic form does not say their dtype. */
static bool of_literals(const kni_jaxpr *j)
{
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < j->eqn[k].n_in; i++)
            n += kni_is_literal(j->eqn[k].in[i]);
        if (n && n == j->eqn[k].n_in)
            return true;
    }
    return false;
}

FILE *bench_texts;

/* The classic form reads back, given the types, and prints the same again. */
static void inspect_classic(bench *b, const kni_jaxpr *j, const char *what)
{
    char *text = NULL, *again = NULL;
    kni_jaxpr *parsed = NULL;
    if (bench_ok(b, kni_text(j, KN_FORM_CLASSIC, &text), what)) {
        knx_error *e = kni_parse_classic(text, (int)j->n_const, j->type, (int)j->n_in, j->type + j->n_const, &parsed);
        if (e && !(e->kind == KN_ERROR_TYPE && (several_dtypes(j) || of_literals(j))))
            bench_fail(b, "%s: %s in\n%s", what, e->message, text);
        else if (!e && bench_ok(b, kni_check(parsed), what) &&
                 bench_ok(b, kni_text(parsed, KN_FORM_CLASSIC, &again), what) && strcmp(text, again))
            bench_fail(b, "%s: the classic form reads back differently:\n%s\n%s", what, text, again);
        knx_error_release(e);
    }
    knx_free(text);
    knx_free(again);
    kni_release(parsed);
}

static void inspect_costs(bench *b, const kni_jaxpr *j, const char *what)
{
    kni_type x[MAX_VALUES];
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        const kni_eqn *e = &j->eqn[k];
        if (!e->prim->cost || e->n_in > MAX_VALUES)
            continue;
        for (uint32_t i = 0; i < e->n_in; i++)
            x[i] = kni_atom_type(j, e->in[i]);
        kni_rule r = kni_rule_of(e, x, j->type + e->out);
        double cost = e->prim->cost(&r);
        if (!(cost >= 0) || isinf(cost))
            bench_fail(b, "%s: %s costs %g", what, e->prim->name, cost);
    }
}

void bench_inspect(bench *b, const kni_jaxpr *j, const char *what)
{
    char *text = NULL, *again = NULL;
    kni_jaxpr *parsed = NULL;
    bool ok = bench_ok(b, kni_check(j), what) && bench_ok(b, kni_text(j, KN_FORM_FULL, &text), what) &&
              bench_ok(b, kni_parse(text, &parsed), what) && bench_ok(b, kni_check(parsed), what);
    if (ok && !kni_equal(j, parsed))
        bench_fail(b, "%s: parsed back it is another jaxpr:\n%s", what, text);
    if (ok && kni_hash(j) != kni_hash(parsed))
        bench_fail(b, "%s: parsed back it has another hash:\n%s", what, text);
    if (ok && bench_ok(b, kni_text(parsed, KN_FORM_FULL, &again), what) && strcmp(text, again))
        bench_fail(b, "%s: printed again it reads differently:\n%s", what, text);
    knx_free(text);
    knx_free(again);
    kni_release(parsed);
    text = NULL;
    if (bench_ok(b, kni_text(j, KN_FORM_TYPED, &text), what) && !*text)
        bench_fail(b, "%s: an empty text", what);
    if (text && bench_texts)
        fprintf(bench_texts, "%s, %s\n%s\n", b->name, what, text);
    knx_free(text);
    inspect_classic(b, j, what);
    inspect_costs(b, j, what);
}

knx_error *bench_pull(const kni_jaxpr *j, const bool *tangent, int *n_cotangent, kni_jaxpr **out)
{
    bool linear[8 * MAX_VALUES] = {0};
    kni_atom in[MAX_VALUES], y[8 * MAX_VALUES], ct[MAX_VALUES];
    knt_linearized l = {0};
    kni_jaxpr *back = NULL;
    kni_builder k;
    *out = NULL;
    knx_error *e = knt_linearize(j, tangent, &l);
    size_t n = e ? 0 : l.n_residual + l.n_tangent_in + j->n_out;
    for (uint32_t i = 0; i < l.n_tangent_in && n <= sizeof linear; i++)
        linear[l.n_residual + i] = true;
    if (!e && n <= sizeof linear)
        e = knt_transpose(l.linear, linear, &back);
    if (!e && back) {
        knb_init(&k);
        for (uint32_t i = 0; i < j->n_in; i++)
            in[i] = knb_invar(&k, kni_in_type(j, i));
        knb_inline(&k, l.primal, in, y);
        for (uint32_t i = 0; i < l.n_tangent_out; i++)
            y[j->n_out + l.n_residual + i] = knb_invar(&k, kni_out_type(l.linear, i));
        knb_inline(&k, back, y + j->n_out, ct);
        e = knb_finish(&k, (int)back->n_out, ct, "pullback", true, out);
    }
    *n_cotangent = (int)l.n_tangent_out;
    kni_release(back);
    knt_linearized_free(&l);
    return e;
}

kni_jaxpr *bench_pullback(bench *b, const kni_jaxpr *j, const bool *tangent, int *n_cotangent)
{
    kni_jaxpr *all = NULL;
    if (bench_ok(b, bench_pull(j, tangent, n_cotangent, &all), "pullback") && !all)
        bench_fail(b, "the pullback has too many values");
    return all;
}
