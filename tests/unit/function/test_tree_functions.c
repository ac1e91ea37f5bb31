/* SPDX-License-Identifier: Apache-2.0
 * test_tree_functions.c -- functions that take and return trees of any structure (kn_tree): every transformation, over
 * trees of several structures, gives what the same function of each leaf gives; the structures are kept. */
#include "support/expect.h"
#include "support/group.h"

/* ---- The trees. Leaves are vectors of three, all different. */

static kn_array leaf(int i) { return kn_of(double, 0.1 + i, 0.2 - 0.3 * i, 1.5 / (i + 1)); }

static kn_tree many(int n)
{
    kn_tree of[40];
    for (int i = 0; i < n; i++)
        of[i] = kn_tree_leaf(leaf(i));
    return (kn_tree_list)(n, of);
}
static kn_tree a_list(void) { return kn_tree_list(leaf(0), kn_tree_list(leaf(1), kn_tree_tuple(leaf(2)))); }
static kn_tree a_dict(void) { return kn_tree_dict("w", leaf(0), "b", kn_tree_dict("x", leaf(1), "a", leaf(2))); }
static kn_tree with_none(void) { return kn_tree_list(kn_tree_none(), leaf(0), kn_tree_dict("n", kn_tree_none())); }
static kn_tree single(void) { return kn_tree_leaf(leaf(0)); }
static kn_tree empty(void) { return kn_tree_list(); }
static kn_tree forty(void) { return many(40); }

static const struct {
    const char *name;
    kn_tree (*make)(void);
} shapes[] = {{"list", a_list},   {"dict", a_dict}, {"none", with_none},
              {"single", single}, {"empty", empty}, {"forty", forty}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* ---- The functions: of a tree, and of one leaf. */

static kn_array wave(kn_array x) { return kn_mul(kn_sin(x), x); }
static kn_tree waves(const kn_tree *t) { return kn_tree_map(wave, *t); }
KN_FUNCTION(waves, kn_tree, kn_tree)
static kn_array one_wave(const kn_array *x) { return wave(*x); }
KN_FUNCTION(one_wave, kn_array, kn_array)

static kn_array loss(const kn_tree *t)
{
    kn_array sum = kn_scalar(0.0);
    for (int i = 0; i < kn_tree_count(*t); i++)
        sum = kn_add(sum, kn_mul(i + 1, kn_sum(wave(kn_tree_get(*t, i)))));
    return sum;
}
KN_FUNCTION(loss, kn_array, kn_tree)
static kn_array one_loss(const kn_array *x) { return kn_sum(wave(*x)); }
KN_FUNCTION(one_loss, kn_array, kn_array)

/* ---- Comparing. */

static void same_array(const char *what, kn_array got, kn_array want)
{
    if (!kn_allclose(got, want, .rtol = 1e-12, .atol = 1e-12))
        fail_msg("%s differs: %s", what, kn_error_pending() ? kn_error_message() : "values");
}

static void same_structure(const char *what, kn_tree a, kn_tree b)
{
    if (kn_error_pending())
        fail_msg("%s: %s", what, kn_error_message());
    assert_non_null(a);
    if (!kn_treedef_equal(kn_tree_structure(a), kn_tree_structure(b)))
        fail_msg("%s: %s, not %s", what, kn_treedef_text(kn_tree_structure(a)), kn_treedef_text(kn_tree_structure(b)));
}

/* Each leaf of `got` is what fn gives for that leaf of t, times its number if `weighted`. */
static void same_by_leaf(const char *what, kn_tree got, kn_tree t, kn_fn fn, bool weighted)
{
    same_structure(what, got, t);
    for (int i = 0; i < kn_tree_count(t); i++) {
        kn_array x = kn_tree_get(t, i), want = NULL;
        kn_call(fn, &want, &x);
        same_array(what, kn_tree_get(got, i), weighted ? kn_mul(i + 1, want) : want);
    }
}

static void each_shape(void (*check)(const char *name, kn_tree t))
{
    for (int i = 0; i < N_SHAPES; i++) {
        KN_SCOPE;
        check(shapes[i].name, shapes[i].make());
        expect_no_error();
    }
}

/* ---- The transformations. */

static void check_calls(const char *name, kn_tree t)
{
    kn_tree y = NULL;
    assert_int_equal(kn_call(KN_FN(waves), &y, t), 0);
    same_by_leaf(name, y, t, KN_FN(one_wave), false);
    kn_fn fast = kn_jit(KN_FN(waves));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kn_call(fast, &y, t), 0);
        same_by_leaf(name, y, t, KN_FN(one_wave), false);
    }
    assert_int_equal(kn_call(kn_checkpoint(KN_FN(waves)), &y, t), 0);
    same_by_leaf(name, y, t, KN_FN(one_wave), false);
    assert_int_equal(kn_eval_shape(KN_FN(waves), KN_ARGS(&t), &y), 0);
    same_structure(name, y, t);
}
static void calls_and_jit(void **state) { (void)state, each_shape(check_calls); }

static void check_gradients(const char *name, kn_tree t)
{
    kn_tree g = NULL;
    kn_array value = NULL, want = NULL;
    kn_fn flat = kn_grad(KN_FN(one_loss));
    if (kn_tree_count(t) == 0)
        return;
    assert_int_equal(kn_call(kn_grad(KN_FN(loss)), &g, t), 0);
    same_by_leaf(name, g, t, flat, true);
    assert_int_equal(kn_call(kn_jit(kn_grad(KN_FN(loss))), &g, t), 0);
    same_by_leaf(name, g, t, flat, true);
    assert_int_equal(kn_call(kn_grad(kn_jit(KN_FN(loss))), &g, t), 0);
    same_by_leaf(name, g, t, flat, true);
    assert_int_equal(kn_call(kn_grad(kn_checkpoint(KN_FN(loss))), &g, t), 0);
    same_by_leaf(name, g, t, flat, true);
    assert_int_equal(kn_call(kn_value_and_grad(KN_FN(loss)), KN_OUT(&value, &g), t), 0);
    same_by_leaf(name, g, t, flat, true);
    kn_call(KN_FN(loss), &want, t);
    same_array(name, value, want);
}
static void gradients(void **state) { (void)state, each_shape(check_gradients); }

static kn_array tangent_of(const kn_array *x)
{
    return kn_mul(2, kn_mul(*x, kn_add(kn_sin(*x), kn_mul(*x, kn_cos(*x)))));
}
KN_FUNCTION(tangent_of, kn_array, kn_array)

static void check_points(const char *name, kn_tree t)
{
    kn_tree tangent = kn_tree_map(KN_FN(one_wave), t), y = NULL, dy = NULL;
    (void)tangent;
    kn_tree twice = kn_tree_map(kn_add, t, t);
    assert_int_equal(kn_jvp(KN_FN(waves), KN_ARGS(&t), KN_ARGS(&twice), &y, &dy), 0);
    same_by_leaf(name, y, t, KN_FN(one_wave), false);
    same_by_leaf(name, dy, t, KN_FN(tangent_of), false);
    kn_fn linear = kn_linearize(KN_FN(waves), KN_ARGS(&t), &y);
    same_by_leaf(name, y, t, KN_FN(one_wave), false);
    assert_int_equal(kn_call(linear, &dy, twice), 0);
    same_by_leaf(name, dy, t, KN_FN(tangent_of), false);
    kn_fn back = kn_vjp(KN_FN(waves), KN_ARGS(&t), &y);
    assert_int_equal(kn_call(back, &dy, twice), 0);
    same_by_leaf(name, dy, t, KN_FN(tangent_of), false);
}
static void derivatives_at_a_point(void **state) { (void)state, each_shape(check_points); }

static void check_jacobians(const char *name, kn_tree t)
{
    int n = kn_tree_count(t);
    kn_fn transformations[] = {kn_jacfwd(KN_FN(waves)), kn_jacrev(KN_FN(waves)), kn_hessian(KN_FN(loss)),
                               kn_jit(kn_jacrev(KN_FN(waves)))};
    kn_fn flat[] = {kn_jacfwd(KN_FN(one_wave)), kn_jacfwd(KN_FN(one_wave)), kn_hessian(KN_FN(one_loss)),
                    kn_jacfwd(KN_FN(one_wave))};
    if (n == 0 || n > 3)
        return;
    for (int k = 0; k < 4; k++) {
        kn_tree j = NULL;
        assert_int_equal(kn_call(transformations[k], &j, t), 0);
        assert_int_equal(kn_tree_count(j), n * n);
        same_structure(name, j, kn_tree_unflatten(kn_tree_structure(j), kn_tree_leaves(j)));
        for (int i = 0; i < n * n; i++) {
            kn_array x = kn_tree_get(t, i / n), want = NULL;
            kn_call(flat[k], &want, &x);
            want = i / n == i % n ? kn_mul(k == 2 ? i / n + 1 : 1, want) : kn_zeros_like(want);
            same_array(name, kn_tree_get(j, i), want);
        }
    }
}
static void jacobians(void **state) { (void)state, each_shape(check_jacobians); }

static void a_jacobian_is_a_tree_of_trees(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_dict("a", leaf(0), "b", kn_tree_list(leaf(1))), j = NULL;
    kn_call(kn_jacrev(KN_FN(waves)), &j, t);
    assert_string_equal(kn_treedef_text(kn_tree_structure(j)),
                        "PyTreeDef({'a': {'a': *, 'b': [*]}, 'b': [{'a': *, 'b': [*]}]})");
}

static kn_array stacked(kn_array x) { return kn_stack(KN_LIST(x, kn_mul(2, x))); }

static void check_batches(const char *name, kn_tree t)
{
    if (kn_tree_count(t) == 0)
        return;
    kn_tree batch = kn_tree_map(stacked, t), y = NULL;
    assert_int_equal(kn_call(kn_vmap(KN_FN(waves)), &y, batch), 0);
    same_by_leaf(name, y, batch, KN_FN(one_wave), false);
    assert_int_equal(kn_call(kn_jit(kn_vmap(KN_FN(waves))), &y, batch), 0);
    same_by_leaf(name, y, batch, KN_FN(one_wave), false);
    assert_int_equal(kn_call(kn_vmap(kn_grad(KN_FN(loss))), &y, batch), 0);
    same_by_leaf(name, y, batch, kn_vmap(kn_grad(KN_FN(one_loss))), true);
}
static void batches(void **state) { (void)state, each_shape(check_batches); }

/* ---- Loops and branches. */

static kn_tree step(const kn_tree *carry, const kn_tree *x)
{
    return kn_tree_tuple(kn_tree_map(kn_add, *carry, *x), kn_tree_map(kn_multiply, *carry, *x));
}
KN_FUNCTION(step, kn_tree, kn_tree, kn_tree)
typedef struct {
    kn_array carry, out;
} Pair;
static Pair one_step(const kn_array *carry, const kn_array *x)
{
    return (Pair){kn_add(*carry, *x), kn_mul(*carry, *x)};
}
KN_FUNCTION(one_step, Pair, kn_array, kn_array)

static void check_scan(const char *name, kn_tree t)
{
    if (kn_tree_count(t) == 0)
        return;
    kn_tree xs = kn_tree_map(stacked, t), both = NULL;
    assert_int_equal(kn_scan(KN_FN(step), &both, t, xs), 0);
    assert_int_equal(kn_tree_count(both), 2 * kn_tree_count(t));
    kn_tree carry = kn_tree_sub(both, "[0]"), out = kn_tree_sub(both, "[1]");
    same_structure(name, carry, t);
    same_structure(name, out, t);
    for (int i = 0; i < kn_tree_count(t); i++) {
        kn_array init = kn_tree_get(t, i), x = kn_tree_get(xs, i);
        Pair want;
        kn_scan(KN_FN(one_step), &want, &init, &x);
        same_array(name, kn_tree_get(carry, i), want.carry);
        same_array(name, kn_tree_get(out, i), want.out);
    }
    kn_tree y = NULL;
    assert_int_equal(kn_lax_map(KN_FN(waves), &y, xs), 0);
    same_by_leaf(name, y, xs, KN_FN(one_wave), false);
}
static void scans(void **state) { (void)state, each_shape(check_scan); }

static kn_array is_small(const kn_tree *t) { return kn_less(kn_sum(kn_tree_get(*t, 0)), 40); }
KN_FUNCTION(is_small, kn_array, kn_tree)
static kn_tree doubled(const kn_tree *t) { return kn_tree_map(kn_add, *t, *t); }
KN_FUNCTION(doubled, kn_tree, kn_tree)
static kn_tree doubled_at(const kn_array *i, const kn_tree *t)
{
    (void)i;
    return doubled(t);
}
KN_FUNCTION(doubled_at, kn_tree, kn_array, kn_tree)
static kn_array eight_times(const kn_array *x) { return kn_mul(8, *x); }
KN_FUNCTION(eight_times, kn_array, kn_array)

static void check_loops(const char *name, kn_tree t)
{
    kn_tree y = NULL;
    if (kn_tree_count(t) == 0)
        return;
    assert_int_equal(kn_while_loop(KN_FN(is_small), KN_FN(doubled), &y, t), 0);
    same_structure(name, y, t);
    assert_int_equal(kn_fori_loop(0, 3, KN_FN(doubled_at), &y, t), 0);
    same_by_leaf(name, y, t, KN_FN(eight_times), false);
    for (int yes = 0; yes < 2; yes++) {
        assert_int_equal(kn_cond(kn_scalar((int64_t)yes), KN_FN(waves), KN_FN(doubled), &y, t), 0);
        kn_tree want = NULL;
        kn_call(yes ? KN_FN(waves) : KN_FN(doubled), &want, t);
        same_structure(name, y, want);
        for (int i = 0; i < kn_tree_count(t); i++)
            same_array(name, kn_tree_get(y, i), kn_tree_get(want, i));
    }
}
static void loops_and_branches(void **state) { (void)state, each_shape(check_loops); }

static kn_tree sums(const kn_tree *a, const kn_tree *b) { return kn_tree_map(kn_add, *a, *b); }
KN_FUNCTION(sums, kn_tree, kn_tree, kn_tree)

static void check_associative(const char *name, kn_tree t)
{
    kn_tree y = NULL;
    if (kn_tree_count(t) == 0)
        return;
    assert_int_equal(kn_associative_scan(KN_FN(sums), &y, t), 0);
    same_structure(name, y, t);
    for (int i = 0; i < kn_tree_count(t); i++)
        same_array(name, kn_tree_get(y, i), kn_cumsum(kn_tree_get(t, i)));
}
static void associative_scans(void **state) { (void)state, each_shape(check_associative); }

/* ---- Custom derivatives: ten times the true ones, so that one sees whose they are. */

static kn_array tenfold(kn_array x) { return kn_mul(10, x); }
static kn_tree waves_rule(const kn_tree *t, const kn_tree *dt)
{
    return kn_tree_tuple(waves(t), kn_tree_map(tenfold, *dt));
}
KN_FUNCTION(waves_rule, kn_tree, kn_tree, kn_tree)
static kn_tree waves_forward(const kn_tree *t) { return kn_tree_tuple(waves(t), *t); }
KN_FUNCTION(waves_forward, kn_tree, kn_tree)
static kn_tree waves_backward(const kn_tree *kept, const kn_tree *ct)
{
    (void)kept;
    return kn_tree_map(tenfold, *ct);
}
KN_FUNCTION(waves_backward, kn_tree, kn_tree, kn_tree)
static kn_array twenty_times(const kn_array *x) { return kn_mul(20, *x); }
KN_FUNCTION(twenty_times, kn_array, kn_array)

static void check_rules(const char *name, kn_tree t)
{
    kn_fn ruled = kn_custom_jvp(KN_FN(waves), KN_FN(waves_rule));
    kn_fn pulled = kn_custom_vjp(KN_FN(waves), KN_FN(waves_forward), KN_FN(waves_backward));
    kn_tree twice = kn_tree_map(kn_add, t, t), y = NULL, dy = NULL;
    assert_int_equal(kn_call(ruled, &y, t), 0);
    same_by_leaf(name, y, t, KN_FN(one_wave), false);
    if (kn_tree_count(t) == 0)
        return;
    assert_int_equal(kn_jvp(ruled, KN_ARGS(&t), KN_ARGS(&twice), &y, &dy), 0);
    same_by_leaf(name, dy, t, KN_FN(twenty_times), false);
    kn_fn back = kn_vjp(pulled, KN_ARGS(&t), &y);
    same_by_leaf(name, y, t, KN_FN(one_wave), false);
    assert_int_equal(kn_call(back, &dy, twice), 0);
    same_by_leaf(name, dy, t, KN_FN(twenty_times), false);
    assert_int_equal(kn_call(kn_jit(kn_custom_vjp(KN_FN(waves), KN_FN(waves_forward), KN_FN(waves_backward))), &y, t),
                     0);
    same_by_leaf(name, y, t, KN_FN(one_wave), false);
}
static void custom_derivatives(void **state) { (void)state, each_shape(check_rules); }

/* Rules of a function of structs that keep more residuals of vectors than of scalars. */
typedef struct Both {
    kn_array x, y;
} Both;
static kn_array product(const Both *in) { return kn_mul(in->x, in->y); }
KN_FUNCTION(product, kn_array, Both)
static kn_tree product_forward(const Both *in)
{
    kn_tree leaf[3] = {kn_tree_leaf(in->x), kn_tree_leaf(in->y), kn_tree_leaf(in->x)};
    int n = kn_ndim(in->x) ? 3 : 2;
    return kn_tree_tuple(kn_tree_leaf(product(in)),
                         n == 3 ? kn_tree_tuple(leaf[0], leaf[1], leaf[2]) : kn_tree_tuple(leaf[0], leaf[1]));
}
KN_FUNCTION(product_forward, kn_tree, Both)
static kn_tree product_backward(const kn_tree *kept, const kn_tree *ct)
{
    int n = kn_tree_count(*kept); /* times as much as it is */
    kn_array g = kn_mul(n, kn_tree_get(*ct, 0));
    return kn_tree_tuple(kn_tree_leaf(kn_mul(g, kn_tree_get(*kept, 1))),
                         kn_tree_leaf(kn_mul(g, kn_tree_get(*kept, 0))));
}
KN_FUNCTION(product_backward, kn_tree, kn_tree, kn_tree)
static Both product_backward_struct(const kn_tree *kept, const kn_tree *ct)
{
    kn_tree t = product_backward(kept, ct);
    return (Both){kn_tree_get(t, 0), kn_tree_get(t, 1)};
}
KN_FUNCTION(product_backward_struct, Both, kn_tree, kn_tree)
static kn_array product_backward_one(const kn_tree *kept, const kn_tree *ct)
{
    return product_backward_struct(kept, ct).x;
}
KN_FUNCTION(product_backward_one, kn_array, kn_tree, kn_tree)
static kn_tree waves_of_one(const kn_array *x) { return kn_tree_tuple(kn_tree_leaf(*x), kn_tree_leaf(*x)); }
KN_FUNCTION(waves_of_one, kn_tree, kn_array)

static kn_fn product_with_rules;
static kn_array product_of(const Both *in)
{
    kn_array y;
    kn_call(product_with_rules, &y, in);
    return kn_sum(y);
}
KN_FUNCTION(product_of, kn_array, Both)

static void rules_of_a_function_of_structs_may_keep_trees(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn backward[] = {KN_FN(product_backward), KN_FN(product_backward_struct)};
    for (int k = 0; k < 2; k++) {
        Both x = {kn_scalar(2.0), kn_scalar(5.0)}, many = {kn_of(double, 1, 2), kn_of(double, 3, 4)}, g;
        kn_array y;
        product_with_rules = kn_custom_vjp(KN_FN(product), KN_FN(product_forward), backward[k]);
        kn_call(kn_jit(product_with_rules), &y, &x);
        expect_values(y, 10);
        for (int again = 0; again < 2; again++) {
            kn_call(kn_grad(KN_FN(product_of)), &g, &x);
            expect_values(g.x, 10);
            expect_values(g.y, 4);
            kn_call(kn_jit(kn_grad(KN_FN(product_of))), &g, &many);
            expect_values(g.x, 9, 12);
            expect_values(g.y, 3, 6);
        }
        kn_call(kn_vmap(kn_grad(KN_FN(product_of))), &g, &many);
        expect_values(g.x, 6, 8);
    }
}

/* Rules that keep the same types in trees of two kinds, by which argument is small. */
static kn_tree either_forward(const Both *in)
{
    kn_array x = in->x, y = kn_astype(in->y, KN_F64);
    bool small = kn_dtype_of(in->y) == KN_F32;
    return kn_tree_tuple(kn_tree_leaf(kn_mul(x, y)), small ? kn_tree_list(kn_tree_leaf(y), kn_tree_leaf(x))
                                                           : kn_tree_tuple(kn_tree_leaf(x), kn_tree_leaf(y)));
}
KN_FUNCTION(either_forward, kn_tree, Both)
static Both either_backward(const kn_tree *kept, const kn_tree *ct)
{
    kn_array g = kn_tree_get(*ct, 0);
    bool small = kn_treedef_kind(kn_tree_structure(*kept)) == KN_TREE_LIST;
    kn_array x = kn_tree_get(*kept, small), y = kn_tree_get(*kept, !small), dy = kn_mul(g, x);
    return (Both){kn_mul(kn_mul(g, y), small ? 100 : 1), small ? kn_astype(dy, KN_F32) : dy};
}
KN_FUNCTION(either_backward, Both, kn_tree, kn_tree)
static kn_array both_kinds(const Both *in)
{
    kn_array a, b;
    Both small = {in->x, kn_astype(in->y, KN_F32)};
    kn_call(product_with_rules, &a, in);
    kn_call(product_with_rules, &b, &small);
    return kn_add(a, b);
}
KN_FUNCTION(both_kinds, kn_array, Both)

static void residuals_of_equal_types_in_other_trees_are_told_apart(void **state)
{
    (void)state;
    KN_SCOPE;
    Both x = {kn_scalar(2.0), kn_scalar(5.0)}, many = {kn_of(double, 2, 3), kn_of(double, 5, 7)}, g;
    product_with_rules = kn_custom_vjp(KN_FN(product), KN_FN(either_forward), KN_FN(either_backward));
    for (int again = 0; again < 2; again++) {
        kn_call(kn_grad(KN_FN(both_kinds)), &g, &x);
        expect_values(g.x, 505);
        expect_values(g.y, 4);
        kn_call(kn_jit(kn_grad(KN_FN(both_kinds))), &g, &x);
        expect_values(g.x, 505);
        kn_call(kn_vmap(kn_grad(KN_FN(both_kinds))), &g, &many);
        expect_values(g.x, 505, 707);
        expect_values(g.y, 4, 6);
    }
}

static void rules_of_trees_of_a_function_of_structs_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_custom_vjp(KN_FN(product), KN_FN(waves_of_one), KN_FN(product_backward)));
    expect_error_with("TypeError", "Custom VJP fwd rule waves_of_one for function product must take the arguments of "
                                   "product: 2 arrays, but it takes 1");
    assert_null(kn_custom_vjp(KN_FN(product), KN_FN(product_forward), KN_FN(product_backward_one)));
    expect_error_with("TypeError", "2 arrays, but it produces 1");
    assert_null(kn_custom_vjp(KN_FN(product), KN_FN(product), KN_FN(product_backward)));
    expect_error_with("TypeError", "the forward one takes what product does and returns a tree of two");
    assert_null(kn_custom_vjp(KN_FN(product), KN_FN(product_forward), KN_FN(product_of)));
    expect_error_with("TypeError", "the backward one takes these residuals and the cotangents, both as trees");
    assert_null(kn_custom_vjp(KN_FN(product), KN_FN(waves_forward), KN_FN(waves_backward)));
    expect_error_with("TypeError", "the rules of product take trees (kn_tree), but product does not");
}

static kn_array thirty(kn_array x) { return kn_multiply(x, 30); }

/* Rules that call their function, which is theirs for derivatives of derivatives. They are recorded when a derivative
 * asks for them, not at each call. */
static kn_fn with_jvp, with_vjp;
static int rules_called;
static kn_tree cubes(const kn_tree *t) { return kn_tree_map(kn_multiply, *t, kn_tree_map(kn_multiply, *t, *t)); }
KN_FUNCTION(cubes, kn_tree, kn_tree)

static kn_tree pair_of(kn_tree x, kn_tree y) { return kn_tree_tuple(x, y); }

/* ten times the derivative; by the function itself, x^3 / x */
static kn_tree slope(const kn_tree *t, kn_fn f)
{
    kn_tree y = NULL;
    kn_call(f, &y, *t);
    return kn_tree_map(kn_divide, kn_tree_map(thirty, y), *t);
}
static kn_tree cubes_rule(const kn_tree *t, const kn_tree *dt)
{
    kn_tree y = NULL;
    rules_called++;
    kn_call(with_jvp, &y, *t);
    return pair_of(y, kn_tree_map(kn_multiply, slope(t, with_jvp), *dt));
}
KN_FUNCTION(cubes_rule, kn_tree, kn_tree, kn_tree)
static kn_tree cubes_forward(const kn_tree *t)
{
    kn_tree y = NULL;
    rules_called++;
    kn_call(with_vjp, &y, *t);
    return pair_of(y, slope(t, with_vjp));
}
KN_FUNCTION(cubes_forward, kn_tree, kn_tree)
static kn_tree cubes_backward(const kn_tree *slopes, const kn_tree *ct)
{
    rules_called++;
    return kn_tree_tuple(kn_tree_map(kn_multiply, *slopes, *ct));
}
KN_FUNCTION(cubes_backward, kn_tree, kn_tree, kn_tree)

typedef struct Two {
    kn_array x, y;
} Two;
static kn_array of_two(kn_fn f, const Two *x)
{
    kn_tree t = pair_of(kn_tree_leaf(x->x), kn_tree_leaf(x->y)), y = NULL;
    kn_call(f, &y, t);
    return kn_add(kn_sum(kn_tree_get(y, 0)), kn_sum(kn_tree_get(y, 1)));
}
static kn_array forwards(const Two *x) { return of_two(with_jvp, x); }
static kn_array backwards(const Two *x) { return of_two(with_vjp, x); }
KN_FUNCTION(forwards, kn_array, Two)
KN_FUNCTION(backwards, kn_array, Two)

static kn_array slope_of(kn_fn f, const Two *x)
{
    Two g;
    kn_call(kn_grad(f), &g, x);
    return kn_add(kn_sum(g.x), g.y);
}
static kn_array forwards_twice(const Two *x) { return slope_of(KN_FN(forwards), x); }
static kn_array backwards_twice(const Two *x) { return slope_of(KN_FN(backwards), x); }
KN_FUNCTION(forwards_twice, kn_array, Two)
KN_FUNCTION(backwards_twice, kn_array, Two)

static void rules_may_call_their_function(void **state)
{
    (void)state;
    KN_SCOPE;
    with_jvp = kn_custom_jvp(KN_FN(cubes), KN_FN(cubes_rule));
    with_vjp = kn_custom_vjp(KN_FN(cubes), KN_FN(cubes_forward), KN_FN(cubes_backward));
    for (int k = 0; k < 2; k++) {
        kn_fn f = k ? KN_FN(backwards) : KN_FN(forwards);
        Two x = {kn_of(double, 1, 2), kn_scalar(3.0)}, g;
        kn_array y;
        rules_called = 0;
        kn_call(kn_jit(f), &y, &x);
        expect_values(y, 1 + 8 + 27);
        assert_int_equal(rules_called, 0);
        kn_call(kn_grad(f), &g, &x);
        expect_values(g.x, 30, 120);
        expect_values(g.y, 270);
        assert_in_range(rules_called, 1, 2);
        kn_call(kn_grad(k ? KN_FN(backwards_twice) : KN_FN(forwards_twice)), &g, &x);
        expect_values(g.x, 870, 1740); /* of 30 f(x) / x, where the derivative of f is 30 x^2 */
        expect_values(g.y, 2610);
        kn_call(kn_jit(kn_grad(f)), &g, &x);
        expect_values(g.y, 270);
        Two many = {kn_of(double, 1, 2), kn_of(double, 4, 3)};
        kn_call(kn_vmap(f), &y, &many);
        expect_values(y, 65, 35);
        kn_call(kn_vmap(kn_grad(f)), &g, &many);
        expect_values(g.x, 30, 120);
        expect_values(g.y, 480, 270);
    }
}

/* ---- More. */

static kn_tree with_captured(const kn_tree *captured, const kn_tree *t)
{
    return kn_tree_map(kn_multiply, *captured, *t);
}
KN_CLOSURE(with_captured, kn_tree, kn_tree, kn_tree)
static kn_array squared(const kn_array *x) { return kn_square(*x); }
KN_FUNCTION(squared, kn_array, kn_array)

static void check_captured(const char *name, kn_tree t)
{
    kn_tree y = NULL;
    assert_int_equal(kn_call(kn_jit(KN_CLOSE(with_captured, &t)), &y, t), 0);
    same_by_leaf(name, y, t, KN_FN(squared), false);
}
static void captured_trees(void **state) { (void)state, each_shape(check_captured); }

static int n_called;
static kn_tree counting(const kn_tree *t)
{
    n_called++;
    return waves(t);
}
KN_FUNCTION(counting, kn_tree, kn_tree)

static void a_structure_is_recorded_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn fast = kn_jit(KN_FN(counting));
    kn_tree y = NULL;
    n_called = 0;
    for (int i = 0; i < 3; i++)
        kn_call(fast, &y, a_list());
    assert_int_equal(n_called, 1);
    assert_int_equal(kn_fn_trace_count(fast), 1);
    kn_call(fast, &y, a_dict());
    assert_int_equal(n_called, 2);
    assert_int_equal(kn_fn_trace_count(fast), 2);
    kn_call(kn_grad(KN_FN(loss)), &y, a_list());
    kn_jaxpr j = kn_make_jaxpr(KN_FN(counting), KN_ARGS(&y));
    assert_int_equal(n_called, 3);
    assert_int_equal(kn_jaxpr_count(j).invars, 3);
    assert_int_equal(kn_jaxpr_count(j).outvars, 3);
}

/* What a jitted function became for the types of a call is found again; it may have gone meanwhile. */
static void what_it_became_is_found_again_or_made_again(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn fast = kn_jit(KN_FN(counting));
    kn_tree y = NULL;
    n_called = 0;
    for (int round = 0; round < 3; round++)
        for (int n = 1; n <= 3; n++) {
            KN_SCOPE;
            kn_tree t = many(n);
            kn_tree one = NULL;
            kn_call(fast, &one, t);
            same_by_leaf("again", one, t, KN_FN(one_wave), false);
        }
    assert_int_equal(n_called, 3);
    size_t limit = kn_set_cache_limit(KN_CACHE_TRACES, 0);
    for (int round = 0; round < 2; round++)
        for (int n = 1; n <= 3; n++) {
            KN_SCOPE;
            kn_tree t = many(n);
            kn_tree one = NULL;
            kn_call(fast, &one, t);
            same_by_leaf("without a cache", one, t, KN_FN(one_wave), false);
        }
    kn_set_cache_limit(KN_CACHE_TRACES, limit);
    kn_call(fast, &y, many(2));
    assert_false(kn_error_pending());
}

static kn_tree by_value(const kn_tree *t)
{
    kn_array x = kn_tree_get(*t, 0);
    return kn_item(x, 0) > 0 ? kn_tree_list(x, x) : kn_tree_list(x);
}
KN_FUNCTION(by_value, kn_tree, kn_tree)

static void structures_may_depend_on_known_values(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree up = kn_tree_list(leaf(0)), down = kn_tree_list(kn_negative(leaf(0))), y = NULL, dy = NULL;
    for (int i = 0; i < 2; i++) {
        kn_jvp(KN_FN(by_value), KN_ARGS(&up), KN_ARGS(&up), &y, &dy);
        assert_int_equal(kn_tree_count(dy), 2);
        kn_jvp(KN_FN(by_value), KN_ARGS(&down), KN_ARGS(&up), &y, &dy);
        assert_int_equal(kn_tree_count(dy), 1);
    }
    expect_no_error();
    kn_call(kn_jit(KN_FN(by_value)), &y, up);
    expect_error_with("ConcretizationError", "by_value");
}

static void structs_go_where_trees_go(void **state)
{
    (void)state;
    KN_SCOPE;
    Pair p = {leaf(0), leaf(1)}, q, g;
    assert_int_equal(kn_call(kn_jit(KN_FN(waves)), &q, &p), 0);
    same_array("a struct", q.out, wave(p.out));
    assert_int_equal(kn_call(kn_grad(KN_FN(loss)), &g, &p), 0);
    kn_array want = NULL;
    kn_call(kn_grad(KN_FN(one_loss)), &want, &p.carry);
    same_array("its gradient", g.carry, want);
}

static kn_tree none_left(const kn_tree *t)
{
    (void)t;
    return NULL;
}
KN_FUNCTION(none_left, kn_tree, kn_tree)
static kn_tree grows(const kn_tree *t) { return kn_tree_list(*t, *t); }
KN_FUNCTION(grows, kn_tree, kn_tree)

static void errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = a_list(), y = NULL, nothing = NULL;
    kn_call(kn_jit(KN_FN(none_left)), &y, t);
    expect_error_with("TypeError", "none_left returned no tree");
    kn_call(kn_jit(KN_FN(waves)), &y, &nothing);
    expect_error_with("TypeError", "argument 0 is no tree");
    kn_call(kn_jit(KN_FN(waves)), &y, t, t);
    expect_error_with("TypeError", "takes 1 argument, but was given 2");
    kn_while_loop(KN_FN(is_small), KN_FN(grows), &y, t);
    expect_error_with("TypeError", "");
    kn_cond(1, KN_FN(grows), KN_FN(waves), &y, t);
    expect_error_with("TypeError", "branch outputs must have the same pytree structure");
    kn_call(kn_grad(KN_FN(waves)), &y, t);
    expect_error_with("TypeError", "must return one scalar");
    kn_call(kn_vmap(KN_FN(waves), .in_leaves = {KN_LEAVES(KN_MAPPED(0), KN_MAPPED(0))}), &y, t);
    expect_error_with("ValueError", "in_leaves of argument 0 has 2 axes, but it has 3 arrays");
    kn_array few[2];
    kn_call(KN_FN(waves), &few, t);
    expect_error_with("TypeError", "returns 3 arrays, but there is room for 2");
}

KN_TEST_GROUP(test_tree_functions)
{
    const struct CMUnitTest tests[] = {
        TEST(calls_and_jit),
        TEST(gradients),
        TEST(derivatives_at_a_point),
        TEST(jacobians),
        TEST(a_jacobian_is_a_tree_of_trees),
        TEST(batches),
        TEST(scans),
        TEST(loops_and_branches),
        TEST(associative_scans),
        TEST(custom_derivatives),
        TEST(rules_of_a_function_of_structs_may_keep_trees),
        TEST(residuals_of_equal_types_in_other_trees_are_told_apart),
        TEST(rules_of_trees_of_a_function_of_structs_are_checked),
        TEST(rules_may_call_their_function),
        TEST(captured_trees),
        TEST(a_structure_is_recorded_once),
        TEST(what_it_became_is_found_again_or_made_again),
        TEST(structures_may_depend_on_known_values),
        TEST(structs_go_where_trees_go),
        TEST(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
