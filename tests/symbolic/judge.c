/* SPDX-License-Identifier: Apache-2.0
 * judge.c -- see judge.h. */
#include "judge.h"
#include "array/handle.h"
#include "compile/program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const way_name[WAYS] = {"values", "gradients", "lanes"};

/* Compilations, counted: the linker sends all calls here. */
static int compilations, inside;
knx_error *__real_knc_compile(const kni_jaxpr *j, const knc_compile_options *o, knc_program **out);
knx_error *__wrap_knc_compile(const kni_jaxpr *j, const knc_compile_options *o, knc_program **out);
knx_error *__wrap_knc_compile(const kni_jaxpr *j, const knc_compile_options *o, knc_program **out)
{
    compilations += !inside++; /* not those of loops in it */
    knx_error *error = __real_knc_compile(j, o, out);
    inside--;
    return error;
}

static const struct exception {
    enum { REFUSAL, NEAR, SMALL, DEFECT } kind;
    int n; /* the way, or the most */
    const char *call, *message;
} exceptions[] = {
#define REFUSAL(way, message, ...) {REFUSAL, way, #__VA_ARGS__, message},
#define NEAR(why, ...)             {NEAR, 0, #__VA_ARGS__, why},
#define SMALL(most, ...)           {SMALL, most, #__VA_ARGS__, NULL},
#define DEFECT(way, what, ...)     {DEFECT, way, #__VA_ARGS__, what},
#include "exceptions.def"
#undef REFUSAL
#undef NEAR
#undef SMALL
#undef DEFECT
    {SMALL, 0, NULL, NULL}};

static const struct exception *exception_for(const symbolic_case *c, int kind, way w)
{
    for (const struct exception *e = exceptions; e->call; e++)
        if ((int)e->kind == kind && (w == WAYS || e->n == (int)w) &&
            (!strcmp(e->call, c->call) || !strcmp(e->call, c->name)))
            return e;
    return NULL;
}

const char *known_defect(const symbolic_case *c, way w)
{
    const struct exception *e = exception_for(c, DEFECT, w);
    return e ? e->message : NULL;
}

/* ---- A case as a function of arrays. */

typedef struct subject {
    const symbolic_case *c;
    kn_function function, loss;
    int n_in, n_out;
    struct subject *before;
} subject;

static int results_of(void *result, kn_array *y)
{
    kna_handle_kind kind = KN_H_NONE;
    kna_handle_peek(result, &kind);
    int n = kind == KN_H_LIST ? (kn_list_count)(result) : 1;
    for (int i = 0; i < n && i < KN_MAX_ARGS; i++)
        y[i] = kind == KN_H_LIST ? (kn_list_get)(result, i) : result;
    return n;
}

static int call_case(const subject *s, const void *const *in, kn_array *y)
{
    kn_array x[SYMBOLIC_MAX_ARGS];
    for (int i = 0; i < s->n_in; i++)
        x[i] = *(const kn_array *)in[i];
    return results_of(s->c->f(x), y);
}

static void call_function(const void *env, void *out, const void *const *in)
{
    const subject *s = *(const subject *const *)env;
    kn_array y[KN_MAX_ARGS];
    int n = call_case(s, in, y);
    for (int i = 0; i < s->n_out; i++)
        ((kn_array *)out)[i] = i < n ? y[i] : NULL;
}

/* The sum of the squares of all results that are floats or complex. */
static void call_loss(const void *env, void *out, const void *const *in)
{
    const subject *s = *(const subject *const *)env;
    kn_array y[KN_MAX_ARGS], sum = kn_num(0.0f);
    int n = call_case(s, in, y);
    for (int i = 0; i < n && i < s->n_out; i++) {
        kn_dtype t = kn_dtype_of(y[i]);
        if (t && t->kind == KN_KIND_COMPLEX)
            sum = kn_add(sum, kn_sum(kn_real(kn_mul(y[i], kn_conj(y[i])))));
        else if (t && t->kind == KN_KIND_FLOAT)
            sum = kn_add(sum, kn_sum(kn_mul(y[i], y[i])));
    }
    *(kn_array *)out = sum;
}

static void describe(kn_function *f, const subject *s, const char *name, int n_out,
                     void (*call)(const void *env, void *out, const void *const *in))
{
    *f = (kn_function){.size_ = sizeof *f,
                       .name = name,
                       .call = call,
                       .env_bytes = sizeof(void *),
                       .out_bytes = (size_t)n_out * sizeof(kn_array),
                       .n_args = s->n_in};
    for (int i = 0; i < s->n_in; i++)
        f->arg_bytes[i] = sizeof(kn_array);
}

static bool differentiable(kn_dtype t) { return t && (t->kind == KN_KIND_FLOAT || t->kind == KN_KIND_COMPLEX); }

/* As the way has it; NULL: there is no such function. */
static kn_fn function_of(const subject *s, way w, const symbolic_arguments *a)
{
    if (w != GRADIENTS) {
        kn_fn f = (kn_fn_of)(&s->function, &s);
        return w == LANES ? kn_vmap(f) : f;
    }
    kn_grad_opts o = {.size_ = sizeof o};
    for (int i = 0; i < s->n_in; i++)
        if (differentiable(a->type[i].dtype))
            o.argnums.arg[o.argnums.n++] = i;
    return o.argnums.n ? (kn_grad)((kn_fn_of)(&s->loss, &s), &o) : NULL;
}

static int results_in(const subject *s, way w, const symbolic_arguments *a)
{
    int n = 0;
    for (int i = 0; i < s->n_in; i++)
        n += differentiable(a->type[i].dtype);
    return w == GRADIENTS ? n : s->n_out;
}

/* ---- Comparing. */

static char *bytes_of(kn_array x, kn_dtype as, size_t *n)
{
    kn_array y = as ? (kn_astype)(x, as, NULL) : x;
    *n = (size_t)(kn_nbytes)(y);
    char *p = malloc(*n + 1);
    if (!p || (kn_copy_to)(y, p, *n)) {
        free(p);
        return NULL;
    }
    return p;
}

typedef struct allowance {
    bool near, zeros; /* the last digits may differ; the signs of zeros may: sums over one element begin with 0 */
} allowance;

static bool equal_numbers(double x, double y, double largest, allowance a)
{
    return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y)) || (a.zeros && x == 0 && y == 0) ||
           (a.near && fabs(x - y) <= 2e-3 * (fabs(x) + 1e-2 * largest));
}

/* Equal bits; all NaNs are equal. */
static bool same_bits(kn_array x, kn_array y, allowance allowed, char *what, size_t room)
{
    knx_text a = {0}, b = {0};
    kn_shape p = (kn_shape_of)(x), q = (kn_shape_of)(y);
    kn_dtype t = (kn_dtype_of)(x);
    if (t != (kn_dtype_of)(y) || p.ndim != q.ndim || memcmp(p.dim, q.dim, (size_t)p.ndim * sizeof *p.dim) != 0) {
        snprintf(what, room, "%s%s instead of %s%s", kn_dtype_name((kn_dtype_of)(y)), knx_show_shape(&b, q.ndim, q.dim),
                 kn_dtype_name(t), knx_show_shape(&a, p.ndim, p.dim));
        return false;
    }
    if (t->kind == KN_KIND_KEY) {
        x = kn_random_key_data(x);
        y = kn_random_key_data(y);
    }
    bool real = differentiable(t);
    size_t n, m;
    char *u = bytes_of(x, NULL, &n), *v = bytes_of(y, NULL, &m);
    bool same = u && v && n == m && memcmp(u, v, n) == 0;
    free(u), free(v);
    if (same || !real || kn_error_pending()) {
        if (!same)
            snprintf(what, room, "other elements %s", kn_error_pending() ? kn_error_message() : "");
        return same;
    }
    double *f = (void *)bytes_of(x, t->kind == KN_KIND_COMPLEX ? KN_C128 : KN_F64, &n);
    double *g = (void *)bytes_of(y, t->kind == KN_KIND_COMPLEX ? KN_C128 : KN_F64, &m);
    same = f && g && n == m;
    double largest = 0;
    for (size_t i = 0; same && i < n / sizeof *f; i++)
        largest = fabs(f[i]) > largest ? fabs(f[i]) : largest;
    for (size_t i = 0; same && i < n / sizeof *f; i++)
        if (!equal_numbers(f[i], g[i], largest, allowed)) {
            snprintf(what, room, "element %zu is %.17g, not %.17g", i, g[i], f[i]);
            same = false;
        }
    free(f), free(g);
    return same;
}

/* ---- A set of extents. */

typedef struct called {
    bool failed, refused; /* refused: an error of dimensions */
    kn_array y[KN_MAX_ARGS];
    char message[240];
} called;

static void call(kn_fn f, const symbolic_arguments *a, kn_array *x, int n_out, called *r)
{
    kn_args in = {.n = a->n};
    kn_outs out = {.n = 1};
    for (int i = 0; i < a->n; i++)
        in.part[i] = (kn_const_part){&x[i], sizeof x[i]};
    memset(r->y, 0, sizeof r->y);
    out.part[0] = (kn_part){r->y, (size_t)n_out * sizeof(kn_array)};
    (kn_call)(f, &out, &in);
    for (int i = 0; i < n_out && !kn_error_pending(); i++)
        kn_eval(r->y[i]);
    r->failed = kn_error_pending();
    r->refused = r->failed && kn_error_get_kind() == KN_ERROR_DIMENSION;
    snprintf(r->message, sizeof r->message, "%s: %s", r->failed ? kn_error_kind_name() : "",
             r->failed ? kn_error_message() : "");
    kn_error_clear();
}

static void show_set(const char *types, const int64_t *number, char *text, size_t room)
{
    symbolic_arguments a;
    knx_text shape = {0};
    size_t n = 0;
    text[0] = 0;
    if (symbolic_with_numbers(types, number, &a))
        for (int i = 0; i < a.n && n < room; i++, shape = (knx_text){0})
            n += (size_t)snprintf(text + n, room - n, "%s", knx_show_shape(&shape, a.type[i].ndim, a.dim[i]));
}

/* false: it failed, and says what. */
static bool compare_set(const subject *s, way w, const char *types, const int64_t *number, kn_fn one, kn_fn each,
                        outcome *o)
{
    symbolic_arguments a;
    kn_array x[SYMBOLIC_MAX_ARGS];
    called p, q;
    char set[120], *what = o->what;
    size_t room = sizeof o->what;
    if (!symbolic_with_numbers(types, number, &a))
        return true;
    show_set(types, number, set, sizeof set);
    for (int i = 0; i < a.n; i++) {
        x[i] = symbolic_sample(a.type[i]);
        kn_eval(x[i]); /* what it compiles is not the function's */
    }
    allowance allowed = {.near = exception_for(s->c, NEAR, WAYS)};
    for (int i = 0; w == GRADIENTS && i < a.n; i++)
        for (int d = 0; d < a.type[i].ndim; d++)
            allowed.zeros |= a.dim[i][d] == 1;
    int n = results_in(s, w, &a), before = compilations;
    call(one, &a, x, n, &q);
    o->compiles += compilations - before;
    call(each, &a, x, n, &p);
    o->sets++;
    o->errors += p.failed && q.failed;
    if (q.failed && !p.failed)
        snprintf(what, room, "%s: %s", set, q.message);
    else if (p.failed && !q.failed)
        snprintf(what, room, "%s: no error, but without variables %s", set, p.message);
    if (p.failed || q.failed)
        return p.failed && q.failed;
    for (int i = 0; i < n; i++) {
        size_t used = (size_t)snprintf(what, room, "%s: result %d: ", set, i);
        if (!same_bits(p.y[i], q.y[i], allowed, what + used, room - used))
            return false;
    }
    what[0] = 0;
    return true;
}

/* ---- A case. */

/* How many results it has, from a call with numbers; 0: none of them suits it. */
static int count_results(const symbolic_case *c)
{
    for (int k = 1; k < MOST_SETS; k++) {
        int64_t number[26];
        symbolic_arguments a;
        kn_array x[SYMBOLIC_MAX_ARGS], y[KN_MAX_ARGS];
        KN_SCOPE;
        if (!set_of_extents(c->types, c->want, k == 1 ? 8 : k, number) || !symbolic_with_numbers(c->types, number, &a))
            continue;
        for (int i = 0; i < a.n; i++)
            x[i] = symbolic_sample(a.type[i]);
        int n = results_of(c->f(x), y);
        bool failed = kn_error_pending();
        kn_error_clear();
        if (!failed)
            return n;
    }
    return 0;
}

static const char *expected_refusal(const symbolic_case *c, way w)
{
    if (c->want && strstr(c->want, ": "))
        return c->want;
    const struct exception *e = exception_for(c, REFUSAL, w);
    return e ? e->message : NULL;
}

/* "KindOfError: a part of the message" */
static bool says(const char *message, const char *want)
{
    const char *colon = strstr(want, ": ");
    size_t kind = colon ? (size_t)(colon + 2 - want) : 0;
    return !strncmp(message, want, kind) && strstr(message + kind, want + kind);
}

static void judge_refusal(const subject *s, way w, const char *types, kn_fn one, const char *want, outcome *o)
{
    for (int k = 1; k < MOST_SETS; k++) {
        int64_t number[26];
        symbolic_arguments a;
        kn_array x[SYMBOLIC_MAX_ARGS];
        called q;
        bool zero = false;
        KN_SCOPE;
        if (!set_of_extents(types, NULL, k, number) || !symbolic_with_numbers(types, number, &a))
            continue;
        for (int i = 0; i < 26; i++)
            zero |= number[i] == 0;
        if (zero)
            continue;
        for (int i = 0; i < a.n; i++)
            x[i] = symbolic_sample(a.type[i]);
        call(one, &a, x, w == VALUES || w == LANES ? s->n_out : results_in(s, w, &a), &q);
        o->verdict = q.failed && says(q.message, want) ? REFUSED : WRONG;
        snprintf(o->what, sizeof o->what, "%s", q.failed ? q.message : "is not refused");
        return;
    }
    o->verdict = NONE;
}

void judge(const symbolic_case *c, way w, int sets, bool talk, outcome *o)
{
    char types[512], shapes[512], constraints[512];
    symbolic_arguments a;
    int64_t number[26];
    KN_SCOPE;
    *o = (outcome){.verdict = NONE};
    snprintf(types, sizeof types, "%s", c->types);
    if (w == LANES && !types_of_lanes(c->types, types, sizeof types))
        return;
    shapes_of_types(types, shapes, constraints, sizeof shapes);
    const char *refusal = expected_refusal(c, w);
    const struct exception *small = exception_for(c, SMALL, WAYS);
    if ((w != VALUES && c->want && strstr(c->want, ": ")) || !set_of_extents(types, NULL, 8, number) ||
        !symbolic_with_numbers(types, number, &a))
        return;
    static subject *all; /* functions are known by it as long as they are there */
    subject *s = calloc(1, sizeof *s);
    *s = (subject){.c = c, .n_in = a.n, .n_out = count_results(c), .before = all};
    all = s;
    if (!s->n_out && !refusal)
        return;
    s->n_out += !s->n_out;
    describe(&s->function, s, c->name, s->n_out, call_function);
    describe(&s->loss, s, c->name, 1, call_loss);
    kn_fn f = function_of(s, w, &a);
    if (!f || !a.n || kn_error_pending()) {
        kn_error_clear();
        return;
    }
    kn_fn one = kn_jit(f, .symbolic = shapes, .constraints = constraints), each = kn_jit(f);
    if (refusal) {
        judge_refusal(s, w, types, one, refusal, o);
        return;
    }
    o->verdict = SAME;
    for (int i = 0; i < sets && o->verdict == SAME; i++) {
        KN_SCOPE;
        int k = (i * MOST_SETS / sets + (sets < MOST_SETS) * 7) % MOST_SETS; /* a few: from among all kinds */
        if (!set_of_extents(types, w == LANES ? NULL : c->want, k, number))
            continue;
        for (int v = 0; small && v < 26; v++)
            number[v] = number[v] > small->n ? 1 + number[v] % small->n : number[v];
        if (talk) {
            char set[200];
            show_set(types, number, set, sizeof set);
            printf("  %s %s\n", way_name[w], set), fflush(stdout);
        }
        if (!compare_set(s, w, types, number, one, each, o))
            o->verdict = WRONG;
    }
    if (o->verdict == SAME && o->errors == o->sets)
        o->verdict = NONE;
    kn_error_clear();
}
