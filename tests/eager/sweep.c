/* SPDX-License-Identifier: Apache-2.0
 * sweep.c -- the calls of ../coverage over arrays with tangents, watched arrays and batch axes: values, tangents along one and
 * along three directions, gradients and lanes have the bits of kn_jvp, kn_vjp and kn_vmap of the same C function. What these
 * refuse is left out, and so is what has no floats in its result; 300 calls at least have to be left. */
#include "coverage/operands.h"
#include <stdlib.h>

enum { DIRECTIONS = 3, LANES = 3, LEAST = 300 };

/* All operands of floats. */
typedef struct Floats {
    kn_array f, g, n, r, s, t, v, w, x, y, z, image, kernel, local;
} Floats;
enum { N_FLOATS = sizeof(Floats) / sizeof(kn_array) };

static const rows *const tables[] = {&rows_lax,         &rows_nn,     &rows_numpy,      &rows_optax,
                                     &rows_polynomials, &rows_random, &rows_transforms, &rows_ufunc};
enum { N_TABLES = sizeof tables / sizeof *tables };
static golden stored;
static const row *current;
static int with_tangents, with_gradients, with_lanes;

static kn_array call_row(const Floats *o)
{
    f = o->f, g = o->g, n = o->n, r = o->r, s = o->s, t = o->t, v = o->v, w = o->w, x = o->x, y = o->y, z = o->z;
    image = o->image, kernel = o->kernel, local = o->local;
    return current->call();
}
KN_FUNCTION(call_row, kn_array, Floats)

static Floats operands(void)
{
    read_operands(&stored);
    return (Floats){f, g, n, r, s, t, v, w, x, y, z, image, kernel, local};
}

/* Some numbers of the shape and the dtype of an array: others for each k. */
static kn_array some_like(kn_array like, int k)
{
    kn_array at = kn_reshape(kn_arange(0, (double)kn_size(like), 1.0), kn_shape_of(like));
    return kn_astype(kn_cos(kn_add(kn_mul(at, 1.7 + k), k)), kn_dtype_of(like));
}

/* A new struct of what `one` makes of each array. */
static Floats each(Floats from, kn_array (*one)(kn_array x, int k), int k)
{
    Floats to;
    for (int m = 0; m < N_FLOATS; m++)
        ((kn_array *)&to)[m] = one(((kn_array *)&from)[m], k + m);
    return to;
}

static kn_array copy_of(kn_array a, int k)
{
    (void)k;
    return kn_copy(a);
}

static bool refused(kn_array a)
{
    bool is = !a || kn_error_pending() || !kn_ok(a);
    kn_error_clear();
    return is;
}

static bool is_inexact(kn_array a) { return kn_issubdtype(kn_dtype_of(a), "inexact"); }

/* Where an array is has to be said before anything is at it; what a callback notes is no result. */
static const char *const left_out[] = {"jax.device_put",
                                       "jax.device_get",
                                       "jax.sharding.NamedSharding",
                                       "jax.sharding.PartitionSpec",
                                       "jax.lax.with_sharding_constraint",
                                       "jax.debug.callback"};

static bool is_left_out(const char *name)
{
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
        if (!strcmp(name, left_out[k]))
            return true;
    return false;
}

/* The same dtype, shape and bits; all NaNs are equal. */
static void same(const char *what, kn_array got, kn_array want)
{
    if (kn_error_pending() || !got || !want)
        fail_msg("%s, %s: %s", current->name, what, kn_error_message());
    kn_shape a = kn_shape_of(got), c = kn_shape_of(want);
    if (kn_dtype_of(got) != kn_dtype_of(want) || a.ndim != c.ndim ||
        memcmp(a.dim, c.dim, (size_t)a.ndim * sizeof *a.dim))
        fail_msg("%s, %s: another type", current->name, what);
    bool is = kn_dtype_of(want) == KN_C64 || kn_dtype_of(want) == KN_C128
                  ? kn_array_equal(kn_real(got), kn_real(want), .equal_nan = true) &&
                        kn_array_equal(kn_imag(got), kn_imag(want), .equal_nan = true)
                  : kn_array_equal(got, want, .equal_nan = is_inexact(want));
    size_t bytes = (size_t)kn_nbytes(want);
    char *p = malloc(2 * bytes + 1), *other = p ? p + bytes : NULL;
    assert_non_null(p);
    kn_copy_to(kn_nan_to_num(got, .nan = 0), p, bytes);
    kn_copy_to(kn_nan_to_num(want, .nan = 0), other, bytes);
    is = is && !memcmp(p, other, bytes); /* -0 is not 0 */
    free(p);
    if (!is)
        fail_msg("%s, %s:\n%s\nnot\n%s", current->name, what, kn_array_repr(got), kn_array_repr(want));
}

/* ---- Tangents. */

static bool check_tangents(Floats o, kn_array plain)
{
    Floats dual, slope[DIRECTIONS];
    bool depends = false;
    kn_array value, want[DIRECTIONS];
    for (int k = 0; k < DIRECTIONS; k++) {
        slope[k] = each(o, some_like, 10 * k);
        kn_jvp(KN_FN(call_row), KN_ARGS(&o), KN_ARGS(&slope[k]), &value, &want[k]);
        if (refused(want[k]))
            return false;
    }
    same("value of kn_jvp", value, plain);
    for (int several = 0; several < 2; several++) {
        for (int m = 0; m < N_FLOATS; m++) {
            kn_array along[DIRECTIONS];
            for (int k = 0; k < DIRECTIONS; k++)
                along[k] = ((kn_array *)&slope[k])[m];
            ((kn_array *)&dual)[m] =
                kn_with_tangent(((kn_array *)&o)[m], several ? kn_stack(kn_list_from(along, DIRECTIONS)) : along[0]);
        }
        kn_array got = call_row(&dual);
        same("value with a tangent", kn_primal_of(got), plain);
        kn_array tangent = kn_tangent_of(got);
        depends = kn_has_tangent(got);
        if (!several || !depends)
            same("tangent", tangent, want[0]);
        for (int k = 0; several && depends && k < DIRECTIONS; k++)
            same("tangent along one of three directions", kn_take(tangent, k, .axis = KN_AXIS(0)), want[k]);
    }
    return depends;
}

/* ---- Gradients. */

static bool check_gradients(Floats o, kn_array plain)
{
    Floats want, watched = each(o, copy_of, 0);
    kn_array value, seed = some_like(plain, 1);
    kn_fn pullback = kn_vjp(KN_FN(call_row), KN_ARGS(&o), &value);
    bool fine = !kn_error_pending() && !kn_call(pullback, &want, &seed);
    if (refused(fine ? want.f : NULL))
        return false;
    for (int m = 0; m < N_FLOATS; m++)
        kn_watch(((kn_array *)&watched)[m]);
    Floats used = watched;
    kn_array got = call_row(&used);
    same("value of watched arrays", kn_detach(got), plain);
    bool depends = kn_is_watched(got);
    if (depends)
        assert_int_equal(kn_backward(got, .seed = seed), 0);
    for (int m = 0; m < N_FLOATS; m++)
        same("gradient", kn_grad_of(((kn_array *)&watched)[m]), ((kn_array *)&want)[m]);
    return depends;
}

/* ---- Lanes. */

static kn_array lanes_of(kn_array a, int k)
{
    (void)k;
    return kn_stack(KN_LIST(a, kn_mul(a, 0.875), kn_mul(a, 0.75)));
}

static kn_array batched(kn_array a, int k)
{
    (void)k;
    return kn_batch_in(a, 0);
}

static bool check_lanes(Floats o)
{
    Floats many = each(o, lanes_of, 0);
    kn_array want = NULL;
    if (kn_call(kn_vmap(KN_FN(call_row)), &want, &many) || refused(want))
        return kn_error_clear(), false;
    Floats in = each(many, batched, 0);
    kn_array got = call_row(&in);
    if (kn_batch_dims_of(got) == 0) /* it depends on none of them */
        return same("lanes", kn_broadcast_to(got, kn_shape_of(want)), want), false;
    same("lanes", kn_batch_out(got, 0), want);
    return true;
}

/* ---- All rows. */

static void check_row(void **state)
{
    KN_SCOPE;
    current = *state;
    if (is_left_out(current->name))
        skip();
    Floats o = operands();
    kn_array plain = call_row(&o);
    if (refused(plain) || !is_inexact(plain))
        skip();
    with_tangents += check_tangents(o, plain);
    with_gradients += check_gradients(o, plain);
    with_lanes += check_lanes(o);
    kn_error_clear();
}

static void so_many_were_compared(void **state)
{
    (void)state;
    print_message("%d with tangents, %d with gradients, %d with lanes\n", with_tangents, with_gradients, with_lanes);
    assert_in_range(with_tangents, LEAST, 10000);
    assert_in_range(with_gradients, LEAST, 10000);
    assert_in_range(with_lanes, LEAST, 10000);
}

int main(int argc, char **argv)
{
    size_t count = 1, at = 0;
    for (int k = 0; k < N_TABLES; k++)
        count += (size_t)tables[k]->n;
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    if (!tests)
        return 1;
    stored = golden_read("coverage.npz");
    for (int k = 0; k < N_TABLES; k++)
        for (int m = 0; m < tables[k]->n; m++)
            tests[at++] =
                (struct CMUnitTest){tables[k]->at[m].name, check_row, NULL, NULL, (void *)(uintptr_t)&tables[k]->at[m]};
    tests[at++] = (struct CMUnitTest)cmocka_unit_test(so_many_were_compared);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    int failed = _cmocka_run_group_tests("eager_sweep", tests, at, NULL, NULL);
    golden_free(&stored);
    free(tests);
    return failed;
}
