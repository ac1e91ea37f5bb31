/* SPDX-License-Identifier: Apache-2.0
 * test_cond_rules.c -- the rules of cond. What a choice gives, and its derivatives and batches, are those of the branch
 * that is chosen, called directly, bit for bit; derivatives are compared with differences, too. */
#include "support/expect.h"
#include "support/group.h"
#include "base/dtype.h"

/* ---- Branches: of two vectors. */

static kn_array wave(const kn_array *x, const kn_array *y) { return kn_mul(kn_sin(*x), *y); }
static kn_array mixed(const kn_array *x, const kn_array *y)
{
    return kn_add(kn_exp(kn_mul(*x, *y)), kn_divide(*x, kn_add(kn_mul(*y, *y), 1)));
}
static kn_array constant(const kn_array *x, const kn_array *y)
{
    (void)x, (void)y;
    return kn_full(KN_SHAPE(3), 7, .dtype = KN_F64);
}
static kn_array first(const kn_array *x, const kn_array *y)
{
    (void)y;
    return *x;
}
/* not elementwise */
static kn_array sums(const kn_array *x, const kn_array *y)
{
    return kn_add(kn_cumsum(kn_mul(*x, *y)), kn_sum(kn_exp(*x)));
}
KN_FUNCTION(wave, kn_array, kn_array, kn_array)
KN_FUNCTION(mixed, kn_array, kn_array, kn_array)
KN_FUNCTION(constant, kn_array, kn_array, kn_array)
KN_FUNCTION(first, kn_array, kn_array, kn_array)
KN_FUNCTION(sums, kn_array, kn_array, kn_array)

enum { ALL = 5 };
static kn_fn branch(int k)
{
    return k == 0   ? KN_FN(wave)
           : k == 1 ? KN_FN(mixed)
           : k == 2 ? KN_FN(constant)
           : k == 3 ? KN_FN(first)
                    : KN_FN(sums);
}

/* The index is captured, so that functions of x and y can be checked alone. */
static kn_array chosen(const kn_array *index, const kn_array *x, const kn_array *y)
{
    kn_fn all[ALL];
    kn_array out = NULL;
    for (int k = 0; k < ALL; k++)
        all[k] = branch(k);
    kn_switch(*index, all, ALL, &out, x, y);
    return out;
}
KN_CLOSURE(chosen, kn_array, kn_array, kn_array, kn_array)
static kn_array chosen_by(const kn_array *x, const kn_array *y, const kn_array *index) { return chosen(index, x, y); }
KN_FUNCTION(chosen_by, kn_array, kn_array, kn_array, kn_array)

static int clamped(int index) { return index < 0 ? 0 : index >= ALL ? ALL - 1 : index; }
static const int indices[] = {-5, 0, 1, 2, 3, 4, 5, 100};
enum { INDICES = sizeof indices / sizeof *indices };

static kn_array row(kn_array x, int i) { return kn_squeeze(kn_take(x, kn_of(int, i), .axis = KN_AXIS(0)), KN_AXIS(0)); }
static kn_array vector(double a, double b, double c) { return kn_of(double, a, b, c); }

#define expect_bits(a, b) expect_bits_(a, b, __LINE__)
static void expect_bits_(kn_array a, kn_array b, int line)
{
    expect_no_error();
    if (kn_size(a) != kn_size(b) || kn_dtype_of(a) != kn_dtype_of(b))
        fail_msg("line %d: the types differ", line);
    size_t n = (size_t)kn_size(a) * kn_dtype_of(a)->size;
    if (n && memcmp(kn_data_bytes(a, kn_dtype_of(a)), kn_data_bytes(b, kn_dtype_of(b)), n))
        fail_msg("line %d: the bits differ", line);
}

static void each_index_gives_its_branch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = vector(0.5, -1.25, 2), y = vector(1.5, 0.75, -0.5), a, b, c;
    for (int i = 0; i < INDICES; i++) {
        kn_array index = kn_scalar(indices[i]);
        kn_call(branch(clamped(indices[i])), &a, &x, &y);
        kn_call(KN_CLOSE(chosen, &index), &b, &x, &y);
        kn_call(kn_jit(KN_FN(chosen_by)), &c, &x, &y, &index);
        expect_bits(a, b);
        expect_bits(a, c);
    }
}

/* ---- Derivatives. */

static void pullbacks_are_those_of_the_branch(void **state)
{
    (void)state;
    KN_SCOPE;
    typedef struct {
        kn_array x, y;
    } Both;
    kn_array x = vector(0.5, -1.25, 2), y = vector(1.5, 0.75, -0.5), ct = vector(1, -2, 0.5), value;
    for (int i = 0; i < INDICES; i++) {
        kn_array index = kn_scalar(indices[i]);
        Both a, b, c;
        kn_call(kn_vjp(branch(clamped(indices[i])), KN_ARGS(&x, &y), &value), &a, &ct);
        kn_call(kn_vjp(KN_CLOSE(chosen, &index), KN_ARGS(&x, &y), &value), &b, &ct);
        kn_call(kn_vjp(kn_jit(KN_CLOSE(chosen, &index)), KN_ARGS(&x, &y), &value), &c, &ct);
        expect_bits(a.x, b.x);
        expect_bits(a.y, b.y);
        expect_bits(a.x, c.x);
        expect_bits(a.y, c.y);
    }
}

static void tangents_are_those_of_the_branch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = vector(0.5, -1.25, 2), y = vector(1.5, 0.75, -0.5), t = vector(1, -2, 0.5), s = vector(0.25, 3, -1);
    for (int i = 0; i < INDICES; i++) {
        kn_array index = kn_scalar(indices[i]), a, da, b, db;
        kn_jvp(branch(clamped(indices[i])), KN_ARGS(&x, &y), KN_ARGS(&t, &s), &a, &da);
        kn_jvp(KN_CLOSE(chosen, &index), KN_ARGS(&x, &y), KN_ARGS(&t, &s), &b, &db);
        expect_bits(a, b);
        expect_bits(da, db);
    }
}

static void derivatives_are_what_differences_say(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = vector(0.5, -1.25, 1), y = vector(1.5, 0.75, -0.5);
    for (int i = 0; i < ALL; i++) {
        kn_array index = kn_scalar(i);
        kn_testing_check_grads(KN_CLOSE(chosen, &index), KN_ARGS(&x, &y), 2);
        expect_no_error();
    }
}

static kn_array cube_of(const kn_array *x) { return kn_mul(*x, kn_mul(*x, *x)); }
static kn_array minus_cube(const kn_array *x) { return kn_negative(kn_mul(*x, kn_mul(*x, *x))); }
KN_FUNCTION(cube_of, kn_array, kn_array)
KN_FUNCTION(minus_cube, kn_array, kn_array)
static kn_array cube_of_size(const kn_array *x)
{
    kn_array out = NULL;
    kn_cond(kn_greater(*x, 0), KN_FN(cube_of), KN_FN(minus_cube), &out, x);
    return out;
}
KN_FUNCTION(cube_of_size, kn_array, kn_array)

/* 3 x^2, 6 x, 6 and their opposites */
static void gradients_of_gradients(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn once = kn_grad(KN_FN(cube_of_size)), twice = kn_grad(once), three = kn_grad(twice);
    kn_array p = kn_scalar(2.0), m = kn_scalar(-3.0), y;
    kn_call(once, &y, &p);
    expect_values(y, 12);
    kn_call(once, &y, &m);
    expect_values(y, -27);
    kn_call(twice, &y, &p);
    expect_values(y, 12);
    kn_call(twice, &y, &m);
    expect_values(y, 18);
    kn_call(three, &y, &p);
    expect_values(y, 6);
    kn_call(kn_jit(three), &y, &m);
    expect_values(y, -6);
    kn_call(kn_jacfwd(kn_grad(once)), &y, &m);
    expect_values(y, -6);
    kn_call(kn_vmap(three), &y, &(kn_array){kn_of(double, 2, -3, 1)});
    expect_values(y, 6, -6, 6);
}

/* ---- An index for each lane. */

static void each_lane_has_its_branch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_linspace(-1, 1, 3 * INDICES), KN_SHAPE(INDICES, 3)),
             y = kn_reshape(kn_linspace(2, -1.5, 3 * INDICES), KN_SHAPE(INDICES, 3)),
             index = kn_of(int, -5, 0, 1, 2, 3, 4, 5, 100);
    kn_array all, jitted, of[INDICES];
    kn_call(kn_vmap(KN_FN(chosen_by)), &all, &x, &y, &index);
    kn_call(kn_jit(kn_vmap(KN_FN(chosen_by))), &jitted, &x, &y, &index);
    for (int i = 0; i < INDICES; i++) {
        kn_array xi = row(x, i), yi = row(y, i);
        kn_call(branch(clamped(indices[i])), &of[i], &xi, &yi);
    }
    kn_array want = kn_stack(KN_LIST(of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7]));
    expect_bits(all, want);
    expect_bits(jitted, want);
}

static kn_array squares_chosen(const kn_array *x, const kn_array *y, const kn_array *index)
{
    kn_array out = chosen(index, x, y);
    return kn_sum(kn_mul(out, out));
}
KN_FUNCTION(squares_chosen, kn_array, kn_array, kn_array, kn_array)

static void gradients_of_lanes_are_those_of_each(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_linspace(-1, 1, 3 * INDICES), KN_SHAPE(INDICES, 3)),
             y = kn_reshape(kn_linspace(2, -1.5, 3 * INDICES), KN_SHAPE(INDICES, 3)),
             index = kn_of(int, -5, 0, 1, 2, 3, 4, 5, 100);
    kn_array all;
    kn_call(kn_vmap(kn_grad(KN_FN(squares_chosen))), &all, &x, &y, &index);
    for (int i = 0; i < INDICES; i++) {
        kn_array xi = row(x, i), yi = row(y, i), ii = row(index, i), one;
        kn_call(kn_grad(KN_FN(squares_chosen)), &one, &xi, &yi, &ii);
        kn_testing_assert_allclose(row(all, i), one, .rtol = 1e-14);
        expect_no_error();
    }
}

static void one_index_for_all_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_linspace(-1, 1, 12), KN_SHAPE(4, 3)), y = vector(1, 2, -0.5);
    for (int k = 0; k < ALL; k++) {
        kn_array index = kn_scalar(k), a, b, c;
        kn_call(kn_vmap(branch(k), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &a, &x, &y);
        kn_call(kn_vmap(KN_FN(chosen_by), .in_axes = {KN_MAPPED(0), KN_UNMAPPED, KN_UNMAPPED}), &b, &x, &y, &index);
        expect_bits(a, b);
        kn_array turned = kn_transpose(x);
        kn_call(kn_vmap(KN_FN(chosen_by), .in_axes = {KN_MAPPED(1), KN_UNMAPPED, KN_UNMAPPED}), &c, &turned, &y,
                &index);
        expect_bits(a, c);
    }
}

static void no_lanes_at_all(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(0, 3)), index = kn_zeros(KN_SHAPE(0), .dtype = KN_I32), y;
    kn_call(kn_vmap(KN_FN(chosen_by)), &y, &x, &x, &index);
    expect_no_error();
    assert_int_equal(kn_ndim(y), 2);
    assert_int_equal(kn_size(y), 0);
}

static void lanes_of_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_linspace(-1, 1, 18), KN_SHAPE(2, 3, 3)),
             index = kn_reshape(kn_of(int, 0, 1, 2, 3, 4, 0), KN_SHAPE(2, 3)), all;
    kn_call(kn_vmap(kn_vmap(KN_FN(chosen_by))), &all, &x, &x, &index);
    for (int i = 0; i < 6; i++) {
        kn_array xi = row(row(x, i / 3), i % 3), one;
        kn_call(branch(i % 5), &one, &xi, &xi);
        expect_bits(row(row(all, i / 3), i % 3), one);
    }
}

/* ---- Errors, loops without an end, callbacks. */

static kn_array factor(const kn_array *x) { return kn_linalg_cholesky(*x); }
static kn_array twice_of(const kn_array *x) { return kn_add(*x, *x); }
KN_FUNCTION(factor, kn_array, kn_array)
KN_FUNCTION(twice_of, kn_array, kn_array)
static kn_array factor_if(const kn_array *x, const kn_array *good)
{
    kn_array out = NULL;
    kn_cond(*good, KN_FN(factor), KN_FN(twice_of), &out, x);
    return out;
}
KN_FUNCTION(factor_if, kn_array, kn_array, kn_array)

static void errors_of_branches_that_are_not_taken_do_not_surface(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array bad = kn_of(double, -4), good = kn_of(double, 4), y;
    bad = kn_reshape(bad, KN_SHAPE(1, 1)), good = kn_reshape(good, KN_SHAPE(1, 1));
    kn_call(KN_FN(factor_if), &y, &bad, &(kn_array){KN_FALSE});
    expect_values(y, -8);
    kn_call(KN_FN(factor_if), &y, &good, &(kn_array){KN_TRUE});
    expect_values(y, 2);
    kn_call(KN_FN(factor_if), &y, &bad, &(kn_array){KN_TRUE});
    kn_eval(y);
    expect_error_with("LinAlgError", "positive definite");
}

static void errors_come_from_lanes_that_took_the_branch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(double, -4, 9, -1, 16), KN_SHAPE(4, 1, 1)), y;
    kn_call(kn_vmap(KN_FN(factor_if)), &y, &x, &(kn_array){kn_of(bool, 0, 1, 0, 1)});
    expect_values(y, -8, 3, -2, 4);
    kn_call(kn_jit(kn_vmap(KN_FN(factor_if))), &y, &x, &(kn_array){kn_of(bool, 0, 0, 0, 0)});
    expect_values(y, -8, 18, -2, 32);
    kn_call(kn_vmap(KN_FN(factor_if)), &y, &x, &(kn_array){kn_of(bool, 1, 1, 0, 1)});
    kn_eval(y);
    expect_error_with("LinAlgError", "positive definite");
}

/* Halves it until it is 1: without an end for what is no power of two, or 0. */
static kn_array is_not_one(const kn_array *n) { return kn_not_equal(*n, 1); }
static kn_array half(const kn_array *n) { return kn_floor_divide(*n, 2); }
KN_FUNCTION(is_not_one, kn_array, kn_array)
KN_FUNCTION(half, kn_array, kn_array)
static kn_array halved(const kn_array *n)
{
    kn_array out = NULL;
    kn_while_loop(KN_FN(is_not_one), KN_FN(half), &out, n);
    return out;
}
static kn_array same(const kn_array *n) { return *n; }
KN_FUNCTION(halved, kn_array, kn_array)
KN_FUNCTION(same, kn_array, kn_array)
static kn_array halved_if_positive(const kn_array *n)
{
    kn_array out = NULL;
    kn_cond(kn_greater(*n, 0), KN_FN(halved), KN_FN(same), &out, n);
    return out;
}
KN_FUNCTION(halved_if_positive, kn_array, kn_array)

static void a_loop_is_not_run_for_lanes_that_do_not_take_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array n = kn_of(int, 8, 0, -7, 1, 64), y;
    kn_call(kn_vmap(KN_FN(halved_if_positive)), &y, &n);
    expect_values(y, 1, 0, -7, 1, 1);
    kn_call(kn_vmap(KN_FN(halved_if_positive)), &y, &(kn_array){kn_of(int, 0, -7)});
    expect_values(y, 0, -7);
}

static int calls;
static int count_call(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    calls++;
    out[0] = kn_mul(in[0], 10);
    return 0;
}
static kn_array asks(const kn_array *x)
{
    return kn_list_get(kn_pure_callback(count_call, NULL, KN_LIST(*x), KN_LIST(*x)), 0);
}
KN_FUNCTION(asks, kn_array, kn_array)
static kn_array asks_if(const kn_array *x, const kn_array *pred)
{
    kn_array out = NULL;
    kn_cond(*pred, KN_FN(asks), KN_FN(twice_of), &out, x);
    return out;
}
KN_FUNCTION(asks_if, kn_array, kn_array, kn_array)

static void a_branch_that_nobody_takes_is_not_run(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), y;
    calls = 0;
    kn_call(kn_jit(KN_FN(asks_if)), &y, &x, &(kn_array){KN_FALSE});
    expect_values(y, 2, 4, 6);
    kn_call(kn_vmap(KN_FN(asks_if)), &y, &x, &(kn_array){kn_of(bool, 0, 0, 0)});
    expect_values(y, 2, 4, 6);
    assert_int_equal(calls, 0);
    kn_call(kn_jit(KN_FN(asks_if)), &y, &x, &(kn_array){KN_TRUE});
    expect_values(y, 10, 20, 30);
    assert_int_equal(calls, 1);
    kn_call(kn_vmap(KN_FN(asks_if)), &y, &x, &(kn_array){kn_of(bool, 0, 1, 0)});
    expect_values(y, 2, 20, 6);
    assert_true(calls > 1);
}

static char printed[256];
static void note(void *env, const char *text)
{
    (void)env;
    strncat(printed, text, sizeof printed - strlen(printed) - 1);
}
static kn_array says_yes(const kn_array *x)
{
    kn_debug_print("yes {}", *x);
    return kn_add(*x, 1);
}
static kn_array says_no(const kn_array *x)
{
    kn_debug_print("no {}", *x);
    return kn_negative(*x);
}
KN_FUNCTION(says_yes, kn_array, kn_array)
KN_FUNCTION(says_no, kn_array, kn_array)
static kn_array says(const kn_array *x, const kn_array *y)
{
    kn_array out = NULL;
    kn_cond(kn_greater(*x, *y), KN_FN(says_yes), KN_FN(says_no), &out, x);
    return out;
}
KN_FUNCTION(says, kn_array, kn_array, kn_array)

static void each_lane_has_the_effects_of_its_branch(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y, limit = kn_scalar(2);
    printed[0] = '\0';
    kn_set_print(note, NULL);
    kn_call(kn_vmap(KN_FN(says), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &y, &(kn_array){kn_of(int, 3, 1, 5)}, &limit);
    expect_values(y, 4, -1, 6);
    kn_set_print(NULL, NULL);
    assert_string_equal(printed, "yes 3\nno 1\nyes 5\n");
}

static void effects_happen_once_in_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y, limit = kn_scalar(2.0);
    printed[0] = '\0';
    kn_set_print(note, NULL);
    kn_call(kn_grad(KN_FN(says)), &y, &(kn_array){kn_scalar(3.0)}, &limit);
    expect_values(y, 1);
    assert_string_equal(printed, "yes 3.0\n");
    printed[0] = '\0';
    kn_call(kn_vmap(kn_grad(KN_FN(says)), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &y, &(kn_array){kn_of(double, 3, 1)},
            &limit);
    expect_values(y, 1, -1);
    assert_string_equal(printed, "yes 3.0\nno 1.0\n");
    kn_set_print(NULL, NULL);
}

static kn_array says_total(const kn_array *x)
{
    kn_debug_print("{}", *x);
    return kn_lax_psum(*x, "i");
}
KN_FUNCTION(says_total, kn_array, kn_array)
static kn_array says_total_if(const kn_array *x, const kn_array *pred)
{
    kn_array out = NULL;
    kn_cond(*pred, KN_FN(says_total), KN_FN(twice_of), &out, x);
    return out;
}
KN_FUNCTION(says_total_if, kn_array, kn_array, kn_array)

static void effects_and_named_axes_do_not_go_together(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y;
    kn_call(kn_vmap(KN_FN(says_total_if), .axis_name = "i"), &y, &(kn_array){kn_of(double, 1, 2)},
            &(kn_array){kn_of(bool, 1, 0)});
    expect_error_with("NotImplementedError", "whose branches have effects and speak of named axes");
}

/* ---- Choices inside of choices. */

static kn_array innermost(const kn_array *x)
{
    kn_array out = NULL;
    kn_cond(kn_greater(*x, 2), KN_FN(cube_of), KN_FN(twice_of), &out, x);
    return out;
}
KN_FUNCTION(innermost, kn_array, kn_array)
static kn_array inner(const kn_array *x)
{
    kn_array out = NULL;
    kn_cond(kn_greater(*x, 1), KN_FN(innermost), KN_FN(minus_cube), &out, x);
    return out;
}
KN_FUNCTION(inner, kn_array, kn_array)
static kn_array outer(const kn_array *x)
{
    kn_array out = NULL;
    kn_cond(kn_greater(*x, 0), KN_FN(inner), KN_FN(same), &out, x);
    return out;
}
KN_FUNCTION(outer, kn_array, kn_array)

static void choices_in_choices_in_choices(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, -1, 0.5, 1.5, 3), y, one;
    kn_call(kn_vmap(KN_FN(outer)), &y, &x);
    expect_values(y, -1, -0.125, 3, 27);
    kn_call(kn_vmap(kn_grad(KN_FN(outer))), &y, &x);
    expect_values(y, 1, -0.75, 2, 27);
    kn_call(kn_vmap(kn_grad(kn_grad(KN_FN(outer)))), &y, &x);
    expect_values(y, 0, -3, 0, 18);
    for (int i = 0; i < 4; i++) {
        kn_array xi = row(x, i);
        kn_call(kn_jit(kn_grad(kn_grad(KN_FN(outer)))), &one, &xi);
        expect_bits(one, row(y, i));
    }
}

static kn_array count_up(const kn_array *n) { return kn_add(*n, 1); }
static kn_array count_down(const kn_array *n) { return kn_subtract(*n, 1); }
KN_FUNCTION(count_up, kn_array, kn_array)
KN_FUNCTION(count_down, kn_array, kn_array)
typedef struct {
    kn_array n, x;
} Counted;
static Counted up_and_double(const kn_array *n, const kn_array *x) { return (Counted){kn_add(*n, 1), kn_mul(*x, 2)}; }
static Counted down_and_square(const kn_array *n, const kn_array *x)
{
    return (Counted){kn_subtract(*n, 1), kn_mul(*x, *x)};
}
KN_FUNCTION(up_and_double, Counted, kn_array, kn_array)
KN_FUNCTION(down_and_square, Counted, kn_array, kn_array)
static kn_array counted(const kn_array *x, const kn_array *n)
{
    Counted out = {0};
    kn_cond(kn_greater(*n, 3), KN_FN(up_and_double), KN_FN(down_and_square), &out, n, x);
    return kn_mul(out.x, kn_astype(out.n, KN_F64));
}
KN_FUNCTION(counted, kn_array, kn_array, kn_array)

static void integer_results_have_no_tangents(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.5), n = kn_scalar(5), m = kn_scalar(2), y;
    kn_call(kn_grad(KN_FN(counted)), &y, &x, &n);
    expect_values(y, 12);
    kn_call(kn_grad(KN_FN(counted)), &y, &x, &m);
    expect_values(y, 3);
    kn_call(kn_vmap(KN_FN(counted)), &y, &(kn_array){kn_of(double, 1.5, 1.5)}, &(kn_array){kn_of(int, 5, 2)});
    expect_values(y, 18, 2.25);
    kn_array out = NULL;
    kn_cond(KN_TRUE, KN_FN(count_up), KN_FN(count_down), &out, &n);
    expect_values(out, 6);
}

/* ---- Slopes where a branch is not taken; keys; named axes; other rows inside and around. */

static kn_array root(const kn_array *x, const kn_array *w) { return kn_mul(*w, kn_sqrt(*x)); }
static kn_array weight(const kn_array *x, const kn_array *w)
{
    (void)x;
    return *w;
}
/* not elementwise, so it is run only for lanes that take it */
static kn_array far_root(const kn_array *x, const kn_array *w)
{
    return kn_sum(kn_mul(kn_mul(kn_ones(KN_SHAPE(4)), *w), kn_sqrt(*x)));
}
KN_FUNCTION(root, kn_array, kn_array, kn_array)
KN_FUNCTION(weight, kn_array, kn_array, kn_array)
KN_FUNCTION(far_root, kn_array, kn_array, kn_array)
static kn_array root_if(const kn_array *x, const kn_array *w)
{
    kn_array out = NULL;
    kn_cond(kn_greater(*x, 0), KN_FN(root), KN_FN(weight), &out, x, w);
    return out;
}
static kn_array far_root_if(const kn_array *x, const kn_array *w)
{
    kn_array out = NULL;
    kn_cond(kn_greater(*x, 0), KN_FN(far_root), KN_FN(weight), &out, x, w);
    return out;
}
KN_FUNCTION(root_if, kn_array, kn_array, kn_array)
KN_FUNCTION(far_root_if, kn_array, kn_array, kn_array)
static kn_array sum_of_roots(const kn_array *x, const kn_array *w)
{
    kn_array out = NULL;
    kn_call(kn_vmap(KN_FN(root_if), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &out, x, w);
    return kn_sum(out);
}
static kn_array sum_of_far_roots(const kn_array *x, const kn_array *w)
{
    kn_array out = NULL;
    kn_call(kn_vmap(KN_FN(far_root_if), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &out, x, w);
    return kn_sum(out);
}
KN_FUNCTION(sum_of_roots, kn_array, kn_array, kn_array)
KN_FUNCTION(sum_of_far_roots, kn_array, kn_array, kn_array)

/* The slope of the root is infinite at 0 and NaN below, where it is not taken. */
static void slopes_of_branches_that_are_not_taken_do_not_count(void **state)
{
    (void)state;
    KN_SCOPE;
    typedef struct {
        kn_array x, w;
    } Both;
    kn_array x = kn_of(double, 4, 0, -1, 16), w = kn_scalar(3.0);
    Both g;
    kn_call(kn_grad(KN_FN(sum_of_roots), .argnums = KN_ARGNUMS(0, 1)), &g, &x, &w);
    expect_values(g.x, 0.75, 0, 0, 0.375);
    expect_values(g.w, 2 + 1 + 1 + 4);
    kn_call(kn_jit(kn_grad(KN_FN(sum_of_far_roots), .argnums = KN_ARGNUMS(0, 1))), &g, &x, &w);
    expect_values(g.x, 3, 0, 0, 1.5);
    expect_values(g.w, 8 + 1 + 1 + 16);
}

static kn_array draw_of(const kn_array *key) { return kn_random_normal(*key, KN_SHAPE(3), .dtype = KN_F32); }
static kn_array nothing_of(const kn_array *key)
{
    (void)key;
    return kn_zeros(KN_SHAPE(3), .dtype = KN_F32);
}
KN_FUNCTION(draw_of, kn_array, kn_array)
KN_FUNCTION(nothing_of, kn_array, kn_array)
static kn_array draw_if(const kn_array *key, const kn_array *pred)
{
    kn_array out = NULL;
    kn_cond(*pred, KN_FN(draw_of), KN_FN(nothing_of), &out, key);
    return out;
}
static kn_array next_key(const kn_array *key) { return kn_random_fold_in(*key, 7); }
static kn_array same_key(const kn_array *key) { return *key; }
KN_FUNCTION(draw_if, kn_array, kn_array, kn_array)
KN_FUNCTION(next_key, kn_array, kn_array)
KN_FUNCTION(same_key, kn_array, kn_array)
static kn_array draw_next_if(const kn_array *key, const kn_array *pred)
{
    kn_array out = NULL;
    kn_cond(*pred, KN_FN(next_key), KN_FN(same_key), &out, key);
    return kn_random_normal(out, KN_SHAPE(3), .dtype = KN_F32);
}
KN_FUNCTION(draw_next_if, kn_array, kn_array, kn_array)

static void keys_are_operands_and_results(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array keys = kn_random_split(kn_random_key(3), 3), pred = kn_of(bool, 1, 0, 1), y, one;
    kn_call(kn_vmap(KN_FN(draw_if)), &y, &keys, &pred);
    for (int i = 0; i < 3; i++) {
        kn_array key = row(keys, i);
        kn_call(i == 1 ? KN_FN(nothing_of) : KN_FN(draw_of), &one, &key);
        expect_bits(row(y, i), one);
    }
    kn_call(kn_vmap(KN_FN(draw_next_if)), &y, &keys, &pred);
    for (int i = 0; i < 3; i++) {
        kn_array key = row(keys, i);
        if (i != 1)
            kn_call(KN_FN(next_key), &key, &key);
        expect_bits(row(y, i), kn_random_normal(key, KN_SHAPE(3), .dtype = KN_F32));
    }
}

static kn_array total(const kn_array *x) { return kn_lax_psum(*x, "i"); }
KN_FUNCTION(total, kn_array, kn_array)
static kn_array total_if(const kn_array *x, const kn_array *pred)
{
    kn_array out = NULL;
    kn_cond(*pred, KN_FN(total), KN_FN(twice_of), &out, x);
    return out;
}
KN_FUNCTION(total_if, kn_array, kn_array, kn_array)

/* As in JAX: a collective sees all lanes, whichever take its branch. */
static void collectives_in_branches_see_all_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 4), y;
    kn_call(kn_vmap(KN_FN(total_if), .axis_name = "i"), &y, &x, &(kn_array){kn_of(bool, 1, 0, 1)});
    expect_values(y, 7, 4, 7);
    kn_call(kn_vmap(KN_FN(total_if), .axis_name = "i", .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &y, &x,
            &(kn_array){KN_TRUE});
    expect_values(y, 7, 7, 7);
}

typedef struct {
    kn_array carry, y;
} Step;
static Step choose_and_step(const kn_array *carry, const kn_array *x)
{
    kn_array out = NULL;
    kn_cond(kn_greater(*x, 0), KN_FN(cube_of), KN_FN(twice_of), &out, carry);
    return (Step){kn_mul(out, 0.5), out};
}
KN_FUNCTION(choose_and_step, Step, kn_array, kn_array)
static kn_array last_of_steps(const kn_array *start, const kn_array *xs)
{
    Step out = {0};
    kn_scan(KN_FN(choose_and_step), &out, start, xs);
    return kn_add(out.carry, kn_sum(out.y));
}
KN_FUNCTION(last_of_steps, kn_array, kn_array, kn_array)

/* c -> c^3 / 2, c, c^3 / 2: the carries of 2 are 4, 4, 32 and the outputs 8, 8, 64. */
static void choices_in_scans(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array start = kn_scalar(2.0), xs = kn_of(double, 1, -1, 1), y;
    kn_call(KN_FN(last_of_steps), &y, &start, &xs);
    expect_values(y, 32 + 8 + 8 + 64);
    /* d carries: 3 c^2 / 2 = 6, 6, 6 * 24 = 144; outputs have twice these */
    kn_call(kn_grad(KN_FN(last_of_steps)), &y, &start, &xs);
    expect_values(y, 144 + 12 + 12 + 288);
    kn_call(kn_vmap(kn_grad(KN_FN(last_of_steps)), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &y,
            &(kn_array){kn_of(double, 2, 1)}, &xs);
    /* from 1: 1/2, 1/2, 1/16; slopes 3/2, 3/2, 3/2 * 3/8 = 9/16 */
    expect_values(y, 456, 9.0 / 16 + 3 + 3 + 9.0 / 8);
    kn_array lanes = kn_reshape(kn_of(double, 1, -1, 1, -1, -1, -1), KN_SHAPE(2, 3));
    kn_call(kn_vmap(kn_grad(KN_FN(last_of_steps)), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}), &y, &start, &lanes);
    expect_values(y, 456, 1 + 2 + 2 + 2);
}

static kn_array remembered(const kn_array *x)
{
    kn_array out = NULL;
    kn_call(kn_checkpoint(KN_FN(cube_of)), &out, x);
    return out;
}
static kn_array called(const kn_array *x)
{
    kn_array out = NULL;
    kn_call(kn_jit(KN_FN(minus_cube)), &out, x);
    return out;
}
KN_FUNCTION(remembered, kn_array, kn_array)
KN_FUNCTION(called, kn_array, kn_array)
static kn_array called_or_remembered(const kn_array *x)
{
    kn_array out = NULL;
    kn_cond(kn_greater(*x, 0), KN_FN(remembered), KN_FN(called), &out, x);
    return out;
}
KN_FUNCTION(called_or_remembered, kn_array, kn_array)

static void calls_and_checkpoints_in_branches(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 2, -3), y;
    kn_call(kn_vmap(kn_grad(KN_FN(called_or_remembered))), &y, &x);
    expect_values(y, 12, -27);
    kn_call(kn_vmap(kn_grad(kn_grad(KN_FN(called_or_remembered)))), &y, &x);
    expect_values(y, 12, 18);
    kn_call(kn_grad(kn_checkpoint(KN_FN(called_or_remembered))), &y, &(kn_array){kn_scalar(-3.0)});
    expect_values(y, -27);
}

KN_TEST_GROUP(test_cond_rules)
{
    const struct CMUnitTest tests[] = {
        TEST(each_index_gives_its_branch),
        TEST(pullbacks_are_those_of_the_branch),
        TEST(tangents_are_those_of_the_branch),
        TEST(derivatives_are_what_differences_say),
        TEST(gradients_of_gradients),
        TEST(each_lane_has_its_branch),
        TEST(gradients_of_lanes_are_those_of_each),
        TEST(one_index_for_all_lanes),
        TEST(no_lanes_at_all),
        TEST(lanes_of_lanes),
        TEST(errors_of_branches_that_are_not_taken_do_not_surface),
        TEST(errors_come_from_lanes_that_took_the_branch),
        TEST(a_loop_is_not_run_for_lanes_that_do_not_take_it),
        TEST(a_branch_that_nobody_takes_is_not_run),
        TEST(each_lane_has_the_effects_of_its_branch),
        TEST(effects_happen_once_in_derivatives),
        TEST(effects_and_named_axes_do_not_go_together),
        TEST(choices_in_choices_in_choices),
        TEST(integer_results_have_no_tangents),
        TEST(slopes_of_branches_that_are_not_taken_do_not_count),
        TEST(keys_are_operands_and_results),
        TEST(collectives_in_branches_see_all_lanes),
        TEST(choices_in_scans),
        TEST(calls_and_checkpoints_in_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
