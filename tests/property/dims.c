/* SPDX-License-Identifier: Apache-2.0
 * dims.c -- every rule of every primitive with dimension variables: the samples of `rules` once more, with the extents
 * of 2 and more replaced by variables, of operands and of parameters that are extents (KN_PF_EXTENTS), equal numbers by
 * the same one. The scope in force assumes what holds for the sample's own numbers. What the rules make of it, with those
 * numbers put in, has to be what they make of the numbers.
 *
 *     dims                      everything; the exit status is 0 if all passed
 *     dims 'reduce_sum*' vmap  one stage of some cases; -v: a line for each row
 *
 * Stages: type (the types of the results), map and put of views, cost and workspace; the types of the results of
 * simplify, expand, unfailing, vmap, jvp and vjp, of the last two the values, too; value and other: a program made of
 * the variables gives the same bits as one of numbers, of those of the sample and of others for which the guards hold. */
#include "bench.h"
#include "variables.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum {
    BATCH = 7,
    SECONDS = 30
}; /* the extent of the new axis of vmap; a case that takes longer counts an expression */

/* One case: the equation as it is, and with variables, in a scope of its own. */
typedef struct subject {
    bench b;
    variables v;
    kni_jaxpr *plain, *symbolic;
} subject;

static struct {
    const char *only_case, *only_stage;
    bool verbose;
    long cases, symbolic, others, failed;
} all;

/* What became of a row. */
static struct {
    const kni_prim *prim;
    long cases, symbolic, refused, failed;
} row[512];

/* --- comparing -------------------------------------------------------------------------------- */

static bool agrees(const subject *s, int64_t symbolic, int64_t number)
{
    int64_t n;
    return knx_dim_evaluate(symbolic, (int)s->v.scope.sample.n, s->v.scope.sample.at, &n) && n == number;
}

static void same_type(subject *s, const char *what, uint32_t i, kni_type symbolic, kni_type number)
{
    bool same = symbolic.dtype == number.dtype && symbolic.ndim == number.ndim;
    for (int d = 0; same && d < number.ndim; d++)
        same = agrees(s, symbolic.dim[d], number.dim[d]);
    knx_text a = {0}, b = {0};
    if (!same)
        bench_fail(&s->b, "%s %u is %s, which should be %s", what, i, kni_type_text(&a, symbolic, false),
                   kni_type_text(&b, number, false));
}

static void same_results(subject *s, const kni_jaxpr *symbolic, const kni_jaxpr *plain)
{
    if (symbolic && plain && symbolic->n_out != plain->n_out)
        bench_fail(&s->b, "%u results instead of %u", symbolic->n_out, plain->n_out);
    for (uint32_t i = 0; symbolic && plain && !s->b.failed && i < plain->n_out; i++)
        same_type(s, "result", i, kni_out_type(symbolic, i), kni_out_type(plain, i));
}

/* --- stages ----------------------------------------------------------------------------------- */

/* From a jaxpr to another; NULL without an error: there is none. `symbolic`: which of the two it is made of. */
typedef knx_error *transform_fn(subject *s, const kni_jaxpr *j, bool symbolic, kni_jaxpr **out);

static knx_error *by_type(subject *s, const kni_jaxpr *j, bool symbolic, kni_jaxpr **out)
{
    (void)s, (void)symbolic;
    *out = kni_retain((kni_jaxpr *)(uintptr_t)j);
    return NULL;
}

static knx_error *by_simplify(subject *s, const kni_jaxpr *j, bool symbolic, kni_jaxpr **out)
{
    (void)s, (void)symbolic;
    return knt_simplify(j, out);
}

static knx_error *by_expand(subject *s, const kni_jaxpr *j, bool symbolic, kni_jaxpr **out)
{
    (void)s, (void)symbolic;
    return knt_expand(j, out);
}

static knx_error *by_unfailing(subject *s, const kni_jaxpr *j, bool symbolic, kni_jaxpr **out)
{
    (void)s, (void)symbolic;
    return knt_unfailing(j, out);
}

static knx_error *by_vmap(subject *s, const kni_jaxpr *j, bool symbolic, kni_jaxpr **out)
{
    static const int front[MAX_VALUES];
    return j->n_in ? knt_batch(j, symbolic ? variable_for(&s->v, BATCH) : BATCH, NULL, front, NULL, out) : NULL;
}

static knx_error *by_jvp(subject *s, const kni_jaxpr *j, bool symbolic, kni_jaxpr **out)
{
    bool tangent[MAX_VALUES];
    (void)symbolic;
    return bench_tangents(&s->b, tangent) && j->n_in == (uint32_t)s->b.n_in ? knt_jvp(j, tangent, out) : NULL;
}

static knx_error *by_vjp(subject *s, const kni_jaxpr *j, bool symbolic, kni_jaxpr **out)
{
    bool tangent[MAX_VALUES];
    int n = 0;
    (void)symbolic;
    if (!bench_tangents(&s->b, tangent) || j->n_in != (uint32_t)s->b.n_in)
        return NULL;
    knx_error *e = bench_pull(j, tangent, &n, out);
    if (!n) { /* of nothing */
        kni_release(*out);
        *out = NULL;
    }
    return e;
}

static const struct {
    const char *name;
    transform_fn *run;
} transforms[] = {{"type", by_type}, {"simplify", by_simplify}, {"expand", by_expand}, {"unfailing", by_unfailing},
                  {"vmap", by_vmap}, {"jvp", by_jvp},           {"vjp", by_vjp}};

static kni_rule rule_of(subject *s, const kni_jaxpr *j)
{
    const kni_eqn *e = &j->eqn[0];
    kni_type *x = knx_arena_alloc(&s->v.arena, ((size_t)e->n_in + 1) * sizeof *x);
    for (uint32_t i = 0; i < e->n_in; i++)
        x[i] = kni_atom_type(j, e->in[i]);
    return kni_rule_of(e, x, j->type + e->out);
}

static kni_index identity(subject *s, int ndim, int n_loop)
{
    kni_index i = {.n_loop = n_loop, .ndim = ndim};
    i.axis = knx_arena_zero(&s->v.arena, KN_MAX_NDIM * sizeof *i.axis);
    for (int d = 0; d < KN_MAX_NDIM; d++) {
        i.axis[d].node = KNK_NONE;
        i.axis[d].offset = d < ndim && ndim == n_loop ? d + 1 : 0;
        if (d < ndim && ndim == n_loop)
            i.axis[d].coef[d] = 1;
    }
    return i;
}

static void stage_map(subject *s)
{
    kni_rule plain = rule_of(s, s->plain), symbolic = rule_of(s, s->symbolic);
    const kni_prim *p = plain.prim;
    if (!p->map || plain.yt->ndim >= KNK_MAX_LOOPS ||
        (p->map_exists && !(p->map_exists(&plain) && p->map_exists(&symbolic))))
        return;
    kni_index out = identity(s, plain.yt->ndim, plain.yt->ndim), want = identity(s, plain.xt->ndim, -1),
              has = identity(s, plain.xt->ndim, -1);
    p->map(&plain, &out, &want);
    p->map(&symbolic, &out, &has);
    for (int d = 0; d < plain.xt->ndim; d++) {
        if (!agrees(s, has.axis[d].offset, want.axis[d].offset))
            bench_fail(&s->b, "axis %d begins elsewhere", d);
        for (int k = 0; k < out.n_loop; k++)
            if (!agrees(s, has.axis[d].coef[k], want.axis[d].coef[k]))
                bench_fail(&s->b, "axis %d goes in other steps along loop %d", d, k);
    }
}

static void stage_put(subject *s)
{
    kni_rule r = rule_of(s, s->symbolic), plain = rule_of(s, s->plain);
    kni_builder b;
    if (!r.prim->put)
        return;
    for (int symbolic = 0; symbolic < 2; symbolic++) {
        kni_rule *now = symbolic ? &r : &plain;
        kni_atom x[MAX_OPERANDS];
        knb_init(&b);
        for (int i = 0; i < now->n_in && i < MAX_OPERANDS; i++)
            x[i] = knb_invar(&b, now->xt[i]);
        now->x = x;
        now->b = &b;
        kni_atom y = now->prim->put(now, knb_invar(&b, now->yt[0]));
        bool read_only = y == KN_ATOM_NONE && !b.error;
        if (!bench_ok(&s->b, knb_take_error(&b), "put") || read_only) {
            knb_free(&b);
            return;
        }
        same_type(s, "the operand", 0, knb_type(&b, y), plain.xt[0]);
        knb_free(&b);
    }
}

static void stage_cost(subject *s)
{
    kni_rule plain = rule_of(s, s->plain), symbolic = rule_of(s, s->symbolic);
    double want = plain.prim->cost ? plain.prim->cost(&plain) : 0,
           has = plain.prim->cost ? plain.prim->cost(&symbolic) : 0;
    if (has < 0.99 * want || has > 1.01 * want)
        bench_fail(&s->b, "costs %g, not %g", has, want);
}

static void stage_workspace(subject *s)
{
    kni_rule plain = rule_of(s, s->plain), symbolic = rule_of(s, s->symbolic);
    if (!plain.prim->workspace)
        return;
    size_t want = plain.prim->workspace(&plain), has = plain.prim->workspace(&symbolic);
    knx_text t = {0};
    if (has && !agrees(s, (int64_t)has, (int64_t)want)) /* 0: it takes its memory when it runs */
        bench_fail(&s->b, "a workspace of %s, not %zu", knx_dim_show(&t, (int64_t)has), want);
}

/* Programs of the variables, made once, and of them those for these numbers. */
static bool open_instances(subject *s, const kni_jaxpr *j, size_t n, const knx_dim_value *value, prog *out)
{
    const knc_target *target = knd_host.target(&knd_host);
    bool ok = true;
    *out = (prog){.n_in = (int)j->n_in, .n_out = (int)j->n_out};
    for (int fuse = 0; fuse < 2 && ok; fuse++) {
        knc_program *program = NULL, *instance = NULL;
        ok = bench_ok(&s->b, knc_compile(j, &(knc_compile_options){.target = target, .fuse = fuse}, &program),
                      "compile");
        if (ok && knc_has_variables(program)) {
            ok = bench_ok(&s->b, knc_instantiate(program, (int)n, value, target->alignment, &instance), "instantiate");
            knc_release(program);
            program = instance;
        }
        ok = ok && bench_ok(&s->b, knd_load(&knd_host, program, &out->p[fuse]), "load");
        knc_release(program);
    }
    return ok;
}

/* Of the jaxpr with numbers, and of the one of variables with these numbers: the same bits. What is behind the sample's
 * own inputs is a tangent or a cotangent. */
static void compare_values(subject *s, const kni_jaxpr *symbolic, const kni_jaxpr *plain, size_t n,
                           const knx_dim_value *value)
{
    tensor in[MAX_VALUES], want[MAX_VALUES], has[MAX_VALUES];
    uint64_t seed = s->b.seed;
    prog p, q = {0};
    bench_fill(&s->b, s->b.n_in < (int)plain->n_in, 1, in);
    for (uint32_t i = (uint32_t)s->b.n_in; i < plain->n_in; i++)
        in[i] = bench_direction(&s->b, kni_in_type(plain, i), &seed);
    if (prog_open(&s->b, plain, &p) && open_instances(s, symbolic, n, value, &q) && prog_run(&s->b, &p, in, want) &&
        prog_run(&s->b, &q, in, has))
        bench_same(&s->b, "with numbers and with variables", q.n_out, want, has);
    prog_close(&p);
    prog_close(&q);
}

static bool runs_alone(const subject *s)
{
    return !(s->symbolic->has & (KN_EFFECT | KN_USER)) && s->plain->n_in == (uint32_t)s->b.n_in;
}

static void stage_value(subject *s)
{
    if (runs_alone(s))
        compare_values(s, s->symbolic, s->plain, s->v.scope.sample.n, s->v.scope.sample.at);
}

static int64_t other_number(int64_t n) { return n + 1 + n % 2; }

static void to_other_numbers(tensor *t)
{
    t->n = 1;
    for (int d = 0; d < t->ndim; d++)
        t->n *= t->dim[d] = t->dim[d] < 2 ? t->dim[d] : other_number(t->dim[d]);
}

/* The same variables with other numbers, where the guards allow it: what the equation gives that has these. */
static void stage_other(subject *s)
{
    size_t n = s->v.scope.sample.n;
    knx_dim_value *value = knx_arena_copy(&s->v.arena, s->v.scope.sample.at, n * sizeof *value);
    knx_error *e = NULL;
    bench before = s->b;
    if (!runs_alone(s))
        return;
    int64_t *instead = knx_arena_alloc(&s->v.arena, (n + 1) * sizeof *instead);
    for (size_t i = 0; i < n; i++)
        value[i].value = instead[i] = other_number(value[i].value);
    /* the planner may ask, too: its guards are there when the program is made */
    prog trial;
    bool made = open_instances(s, s->symbolic, n, s->v.scope.sample.at, &trial);
    prog_close(&trial);
    if (!made || !guards_hold(&s->v, value))
        return;
    knx_dim_leave(&s->v.scope);
    s->v.instead = instead;
    kni_jaxpr *plain = with_variables(&s->v, s->plain, &e);
    s->v.instead = NULL;
    for (int i = 0; i < s->b.n_operand; i++)
        to_other_numbers(&s->b.operand[i].shape);
    knx_dim_enter(&s->v.scope);
    if (bench_ok(&s->b, e, "the equation with other numbers"))
        compare_values(s, s->symbolic, plain, n, value);
    all.others++;
    memcpy(s->b.operand, before.operand, sizeof before.operand);
    kni_release(plain);
}

static const struct {
    const char *name;
    void (*run)(subject *s);
    bool single; /* only of one equation */
} stages[] = {{"map", stage_map, true},      {"put", stage_put, true},
              {"cost", stage_cost, true},    {"workspace", stage_workspace, true},
              {"value", stage_value, false}, {"other", stage_other, false}};

/* --- cases ------------------------------------------------------------------------------------ */

static size_t row_of(const kni_prim *p)
{
    size_t i = 0;
    while (row[i].prim && row[i].prim != p)
        i++;
    row[i].prim = p;
    return i;
}

/* Prints what went wrong in a stage, and counts it. */
static void finish_stage(subject *s, const char *stage, bool refused)
{
    size_t i = row_of(s->b.s->prim);
    if (s->b.failed) {
        printf("dims '%s' %s   # %s\n", s->b.name, stage, s->b.message);
        ++*(refused ? &row[i].refused : &row[i].failed);
        all.failed++;
    }
    s->b.failed = false;
}

static bool wanted_stage(const char *name) { return !all.only_stage || !strcmp(all.only_stage, name); }

static void run_transform(subject *s, const char *name, transform_fn *run)
{
    kni_jaxpr *plain = NULL, *symbolic = NULL;
    knx_dim_leave(&s->v.scope);
    knx_error *e = run(s, s->plain, false, &plain);
    knx_dim_enter(&s->v.scope);
    if (e || !plain) { /* nothing to compare with */
        knx_error_release(e);
        kni_release(plain);
        return;
    }
    e = run(s, s->symbolic, true, &symbolic);
    knx_error *kept = knx_dim_take_error(&s->v.scope);
    if (kept) {
        knx_error_release(e);
        e = kept;
    }
    bool refused = e && e->kind == KN_ERROR_DIMENSION;
    if (bench_ok(&s->b, e, name)) {
        if (!symbolic)
            bench_fail(&s->b, "no jaxpr");
        same_results(s, symbolic, plain);
        if (!s->b.failed && (run == by_jvp || run == by_vjp) && runs_alone(s))
            compare_values(s, symbolic, plain, s->v.scope.sample.n, s->v.scope.sample.at);
    }
    kni_release(plain);
    kni_release(symbolic);
    finish_stage(s, name, refused);
}

static void run_stages(subject *s)
{
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++)
        if (wanted_stage(transforms[i].name))
            run_transform(s, transforms[i].name, transforms[i].run);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        if (!wanted_stage(stages[i].name) || (stages[i].single && s->plain->n_eqn != 1))
            continue;
        stages[i].run(s);
        knx_error *kept = knx_dim_take_error(&s->v.scope);
        bool refused = kept && kept->kind == KN_ERROR_DIMENSION;
        bench_ok(&s->b, kept, stages[i].name);
        finish_stage(s, stages[i].name, refused);
    }
}

static sigjmp_buf before_case;
static void on_signal(int number) { siglongjmp(before_case, number); }

static void run_subject(subject *s)
{
    knx_error *e = NULL;
    size_t i = row_of(s->b.s->prim);
    knx_dim_enter(&s->v.scope);
    s->symbolic = with_variables(&s->v, s->plain, &e);
    bool refused = e && e->kind == KN_ERROR_DIMENSION, symbolic = s->v.scope.sample.n && !s->v.rule;
    all.cases++;
    row[i].cases++;
    row[i].symbolic += symbolic;
    all.symbolic += symbolic;
    if (!symbolic)
        knx_error_release(e);
    else if (bench_ok(&s->b, e, "type"))
        run_stages(s);
    else
        finish_stage(s, "type", refused);
    knx_dim_leave(&s->v.scope);
}

/* What a case holds that crashes or takes too long is lost: an expression in a loop of C, or as an address. */
static void run_in_time(subject *s)
{
    int number = sigsetjmp(before_case, 1);
    if (number) {
        bench_fail(&s->b, number == SIGPROF ? "it takes longer than %d seconds" : "it crashes within %d seconds",
                   SECONDS);
        finish_stage(s, "*", false);
        knx_dim_leave(&s->v.scope);
        return;
    }
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {SECONDS, 0}}, NULL); /* of the processor */
    run_subject(s);
    setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    kni_release(s->symbolic);
    knx_arena_free(&s->v.arena);
    knx_dim_scope_free(&s->v.scope);
    bench_close(&s->b);
}

static void run_case(const sample *one, kn_dtype t, const char *operands)
{
    subject s = {.v = {.arena = KN_ARENA_INIT, .least = 2}};
    if (bench_open(&s.b, one, t, operands) &&
        (!all.only_case || !strcmp(all.only_case, s.b.name) || !fnmatch(all.only_case, s.b.name, 0)))
        s.plain = bench_build(&s.b, false);
    if (!s.plain) {
        bench_close(&s.b);
        return;
    }
    knx_dim_scope_init(&s.v.scope);
    s.v.scope.assumes = true;
    s.v.scope.least = 2;
    run_in_time(&s);
    kni_release(s.plain);
}

/* One dtype of each list of operands: types with other ones have the same extents. */
static void run_sample(const sample *s)
{
    for (const char *text = s->operands, *next; text; text = next) {
        operand x[MAX_OPERANDS];
        int n;
        next = bench_operands(text, KN_DT(F32), x, &n);
        kn_dtype t = NULL;
        for (int id = 0; id < KN_ID_COUNT; id++)
            if (bench_has_dtype(s, &knx_dtype_table[id]) && (!t || knx_is_inexact(&knx_dtype_table[id])))
                t = &knx_dtype_table[id];
        if (t || !s->dtypes)
            run_case(s, t, text);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "-v")) {
        all.verbose = true;
        argv++, argc--;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPROF, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGFPE, on_signal);
    all.only_case = argc > 1 ? argv[1] : NULL;
    all.only_stage = argc > 2 ? argv[2] : NULL;
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *s = *list; s->prim; s++)
            run_sample(s);
    for (size_t i = 0; row[i].prim; i++)
        if (all.verbose || row[i].refused || row[i].failed)
            printf("%s: %ld cases, %ld with variables, %ld stages refused, %ld wrong\n", row[i].prim->name,
                   row[i].cases, row[i].symbolic, row[i].refused, row[i].failed);
    printf("%ld cases, %ld with variables, %ld of them run with other numbers, %ld stages failed\n", all.cases,
           all.symbolic, all.others, all.failed);
    kni_places_free();
    knx_dims_free();
    return all.failed || !all.symbolic ? 1 : 0;
}
