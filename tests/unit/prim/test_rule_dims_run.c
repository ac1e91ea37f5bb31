/* SPDX-License-Identifier: Apache-2.0
 * test_rule_dims_run.c -- programs of jaxprs whose extents are expressions (support/dim_cases.h): compiled once, with the
 * numbers of a sample, and instantiated for several numbers, they give the bits that programs of these numbers give. */
#include "support/dim_cases.h"
#include "support/group.h"
#include "support/programs.h"

enum { SETS = 4, VARIABLES = 3 };
static const char *const names[VARIABLES] = {"b", "t", "n"};
static const int64_t sets[SETS][VARIABLES] = {
    {5, 7, 3}, {9, 6, 2}, {16, 33, 5}, {4, 12, 8}}; /* the first: the sample */

typedef struct tally {
    int programs, instances, other; /* other: a guard has another answer */
    int bad;
} tally;

/* --- numbers for variables -------------------------------------------------------------------- */

static int64_t number_of(const knx_dim_value *v, int64_t d)
{
    int64_t n = d;
    if (knx_is_symbolic(d))
        assert_true(knx_dim_evaluate(d, VARIABLES, v, &n));
    return n;
}

static kni_jaxpr *with_numbers(const kni_jaxpr *j, const knx_dim_value *v);

static void put_numbers(const kni_prim *p, void *params, const knx_dim_value *v)
{
    for (const kni_param_field *f = p->fields; params && f && f->name; f++) {
        void *at = (char *)params + f->offset;
        if (f->kind == KN_P_INT)
            *(int64_t *)at = number_of(v, *(int64_t *)at);
        if (f->kind == KN_P_INTS)
            for (int i = 0; i < ((kni_ints *)at)->n; i++) {
                int64_t *d = (int64_t *)(uintptr_t) & ((kni_ints *)at)->v[i];
                *d = number_of(v, *d);
            }
        kni_jaxprs inner = kni_field_jaxprs(f, params);
        for (int i = 0; i < inner.n; i++) {
            kni_jaxpr **one = f->kind == KN_P_JAXPR ? (kni_jaxpr **)at : (kni_jaxpr **)(uintptr_t)&inner.v[i];
            kni_jaxpr *before = *one;
            if (before) {
                *one = with_numbers(before, v);
                kni_release(before);
            }
        }
    }
}

static kni_atom atom_of(kni_builder *b, const kni_jaxpr *j, const kni_atom *map, kni_atom a)
{
    if (!kni_is_literal(a))
        return map[a];
    const kni_literal *l = &j->literal[a & ~KN_LITERAL_BIT];
    return knb_literal(b, l->type.dtype, l->type.weak, l->bits);
}

static kni_jaxpr *with_numbers(const kni_jaxpr *j, const knx_dim_value *v)
{
    kni_builder b;
    kni_jaxpr *y = NULL;
    kni_atom *map = calloc((size_t)j->n_var + 1, sizeof *map), in[64], out[64];
    knx_arena arena = KN_ARENA_INIT;
    knb_init(&b);
    for (uint32_t i = 0; i < j->n_in; i++) {
        kni_type t;
        assert_true(kni_type_copy(&arena, kni_in_type(j, i), &t));
        for (int d = 0; d < t.ndim; d++)
            ((int64_t *)(uintptr_t)t.dim)[d] = number_of(v, t.dim[d]);
        map[j->n_const + i] = knb_invar(&b, t);
    }
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        const kni_eqn *e = &j->eqn[k];
        const void *params = NULL;
        assert_true(e->n_in <= 64 && e->n_out <= 64);
        assert_true(kni_params_copy(&arena, e->prim, e->params, &params));
        put_numbers(e->prim, (void *)(uintptr_t)params, v);
        for (uint32_t i = 0; i < e->n_in; i++)
            in[i] = atom_of(&b, j, map, e->in[i]);
        knb_emit(&b, e->prim, params, (int)e->n_in, in, out, (int)e->n_out);
        if (params)
            kni_params_drop(e->prim, params);
        for (uint32_t i = 0; i < e->n_out; i++)
            map[e->out + i] = out[i];
    }
    for (uint32_t i = 0; !b.error && i < j->n_out; i++)
        out[i] = atom_of(&b, j, map, j->out[i]);
    test_ok(b.error ? knb_take_error(&b) : knb_finish(&b, (int)j->n_out, out, j->name, false, &y));
    knb_free(&b);
    knx_arena_free(&arena);
    free(map);
    return y;
}

/* --- running ---------------------------------------------------------------------------------- */

static bool guards_hold(const knx_dim_scope *s, const knx_dim_value *v)
{
    for (size_t i = 0; i < s->guard.n; i++) {
        const knx_dim_guard *g = &s->guard.at[i];
        int64_t n;
        if (!knx_dim_evaluate(g->e, VARIABLES, v, &n) || (g->equal ? n == 0 : n >= 0) != g->holds)
            return false;
    }
    return true;
}

static void run_both(const knd_loaded *symbolic, const kni_jaxpr *plain, const char *name, tally *t)
{
    knd_loaded *own = test_compile(plain, true);
    test_operands x = test_make_operands(plain, 7);
    knx_buffer *a[64] = {NULL}, *b[64] = {NULL};
    knx_error *e = knd_run(own, x.in, b, NULL), *f = knd_run(symbolic, x.in, a, NULL);
    if (!e != !f) {
        print_error("%s: %s\n", name, e ? e->message : f->message);
        t->bad++;
    }
    for (uint32_t i = 0; !e && !f && i < plain->n_out; i++) {
        int64_t at = test_difference(kni_out_type(plain, i), a[i]->data, b[i]->data);
        if (at >= 0) {
            print_error("%s: result %u differs at %lld\n", name, i, (long long)at);
            t->bad++;
        }
    }
    if (!e)
        test_release((int)plain->n_out, b);
    if (!f)
        test_release((int)plain->n_out, a);
    knx_error_release(e);
    knx_error_release(f);
    test_free_operands(&x);
    knd_release(own);
}

static void run_jaxpr(knx_dim_scope *s, const kni_jaxpr *j, const char *name, tally *t)
{
    const knc_target *target = knd_host.target(&knd_host);
    knc_program *p = NULL;
    knx_error *e = knc_compile(j, &(knc_compile_options){.target = target, .fuse = true}, &p);
    if (!e)
        e = knx_dim_take_error(s);
    if (e) {
        print_error("%s: %s\n", name, e->message);
        knx_error_release(e);
        t->bad++;
        return;
    }
    t->programs++;
    for (int k = 0; k < SETS; k++) {
        knx_dim_value v[VARIABLES];
        for (int i = 0; i < VARIABLES; i++)
            v[i] = (knx_dim_value){s->sample.at[i].var, sets[k][i]};
        if (!guards_hold(s, v)) {
            assert_true(k > 0);
            t->other++;
            continue;
        }
        knc_program *one = NULL;
        knd_loaded *loaded = NULL;
        knx_dim_leave(s);
        kni_jaxpr *plain = with_numbers(j, v);
        if (knc_has_variables(p))
            test_ok(knc_instantiate(p, VARIABLES, v, target->alignment, &one));
        else
            one = knc_retain(p);
        test_ok(knd_load(&knd_host, one, &loaded));
        run_both(loaded, plain, name, t);
        knd_release(loaded);
        knc_release(one);
        kni_release(plain);
        knx_dim_enter(s);
        t->instances++;
    }
    knc_release(p);
}

static void run_case(dim_case *c, void *env)
{
    knx_dim_scope s;
    kni_jaxpr *j = NULL, *y[2] = {NULL, NULL};
    tally *t = env;
    if (getenv("KILN_NAMES"))
        print_message("%s\n", c->name);
    knx_dim_scope_init(&s);
    s.assumes = true;
    for (int i = 0; i < VARIABLES; i++) {
        int64_t d;
        knx_dim_var var;
        assert_true(knx_dim_named(names[i], 1, &d) && knx_dim_is_var(d, &var) && knx_dim_sample(&s, var, sets[0][i]));
    }
    knx_dim_enter(&s);
    knx_error *e = kni_parse(c->jaxpr, &j);
    if (!e)
        e = dim_apply(c, j, y);
    bool in_chunks = strstr(c->name, "check") || strstr(c->name, "root"); /* their transposes do not run yet */
    for (int i = 0; !e && i < (in_chunks ? 1 : 2); i++)
        if (y[i])
            run_jaxpr(&s, y[i], c->name, t);
    knx_error_release(e); /* a case that is refused */
    for (int i = 0; i < 2; i++)
        kni_release(y[i]);
    kni_release(j);
    knx_dim_leave(&s);
    knx_dim_scope_free(&s);
}

static void cases_of(const char *family)
{
    tally t = {0};
    dim_each_case(family, run_case, &t);
    print_message("%s: %d programs, %d instances, %d with other guards\n", family, t.programs, t.instances, t.other);
    assert_int_equal(t.bad, 0);
    assert_true(t.instances > t.programs);
}

DIM_FAMILIES(DIM_TEST_OF_FAMILY)

KN_TEST_GROUP(test_rule_dims_run)
{
    const struct CMUnitTest tests[] = {DIM_FAMILIES(DIM_FAMILY_ROW)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
