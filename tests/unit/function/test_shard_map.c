/* SPDX-License-Identifier: Apache-2.0
 * test_shard_map.c -- functions of one device, put over meshes by kn_shard_map: numbers, derivatives and jaxprs that
 * JAX gives for the same ones (scripts/golden/make_shard_map.py). */
#include "support/expect.h"
#include "support/golden.h"
#include "support/golden_text.h"
#include "support/group.h"
#include "dist/dist.h"
#include "ir/mesh.h"

typedef struct {
    kn_array a, b;
} Two;

static golden stored;

/* ---- Meshes. */

/* Of devices that are there, or of others: then functions are worked out for all of them together. */
static bool there;

static kn_mesh mesh_of(int n, const char *names, const int64_t *size)
{
    static const char *const name[] = {"x", "y", "z"};
    const int32_t far[] = {100, 101, 102, 103, 104, 105, 106, 107};
    kn_shape shape = {.ndim = n};
    const kni_mesh *m = NULL;
    for (int i = 0; i < n; i++)
        shape.dim[i] = size[i];
    if (there)
        return (kn_make_mesh)(&shape, names, NULL);
    knx_error *e = kni_mesh_of(n, name, size, far, &m);
    if (e)
        fail_msg("%s", e->message);
    return m;
}
static kn_mesh mesh_of_x(int64_t n) { return mesh_of(1, "x", &n); }
static kn_mesh x4(void) { return mesh_of_x(4); }
static kn_mesh x8(void) { return mesh_of_x(8); }
static kn_mesh x3(void) { return mesh_of_x(3); }
static kn_mesh xy(void) { return mesh_of(2, "x, y", (const int64_t[]){4, 2}); }
static kn_mesh xyz(void) { return mesh_of(3, "x, y, z", (const int64_t[]){2, 2, 2}); }

/* ---- Programs: functions of one device. */

#define RING KN_PAIRS({0, 1}, {1, 2}, {2, 3}, {3, 0})

static kn_array ring(const kn_array *x)
{
    kn_array a = *x, y = *x;
    for (int k = 0; k < 3; k++) {
        a = kn_lax_ppermute(a, "x", RING);
        y = kn_add(y, kn_mul(k + 2.0, kn_sin(a)));
    }
    return y;
}
static kn_array shifted(const kn_array *a) { return kn_mul(*a, kn_lax_ppermute(*a, "x", KN_PAIRS({0, 1}, {2, 3}))); }
static kn_array exchange(const kn_array *a) { return kn_lax_all_to_all(kn_cos(*a), "x", 1, 0, .tiled = true); }
static kn_array swap_blocks(const kn_array *a) { return kn_lax_all_to_all(kn_mul(*a, *a), "x", 0, 0); }
static kn_array scatter_sum(const kn_array *a) { return kn_lax_psum_scatter(kn_exp(*a), "x", .tiled = true); }
static kn_array gathered(const kn_array *a)
{
    return kn_mul(*a, kn_sum(kn_lax_all_gather(*a, "x", .tiled = true), .axis = KN_AXIS(0)));
}
static kn_array stacked(const kn_array *a) { return kn_mul(kn_lax_all_gather(*a, "x"), 2.0); }
static kn_array numbered(const kn_array *a) { return kn_mul(*a, kn_astype(kn_lax_axis_index("x"), kn_dtype_of(*a))); }
static kn_array product(const kn_array *a, const kn_array *b) { return kn_lax_psum(kn_matmul(*a, *b), "y"); }
static kn_array summed_rows(const kn_array *a, const kn_array *b) { return kn_lax_psum(kn_mul(*a, *b), "x"); }
static kn_array total(const kn_array *a) { return kn_lax_psum(kn_sum(kn_mul(*a, *a)), KN_NAMES("x", "y")); }
static kn_array minor_first(const kn_array *a) { return kn_lax_psum(kn_tanh(*a), "x"); }
static kn_array mean(const kn_array *a) { return kn_sub(*a, kn_lax_pmean(*a, "x")); }
static kn_array largest(const kn_array *a) { return kn_add(kn_lax_pmax(*a, "x"), kn_lax_pmin(kn_mul(*a, *a), "x")); }
static kn_array three_axes(const kn_array *a)
{
    kn_array first = kn_at(kn_lax_all_gather(kn_sin(*a), "z", .tiled = true), ":1");
    return kn_add(first, kn_mul(kn_at(kn_lax_psum(*a, "z"), ":1"), kn_at(*a, ":1, :1")));
}
static kn_array three_devices(const kn_array *a) { return kn_div(*a, kn_lax_psum(kn_add(kn_mul(*a, *a), 1.0), "x")); }
static Two two_results(const kn_array *a, const kn_array *b)
{
    kn_array next = kn_lax_ppermute(*a, "x", RING);
    kn_array y = kn_mul(next, kn_expand_dims(*b, KN_AXIS(1))), s = kn_sin(*b);
    return (Two){y, kn_add(s, kn_lax_psum(*b, "x"))};
}
static Two step(const kn_array *c, const kn_array *x)
{
    kn_array next = kn_add(kn_mul(0.5, kn_lax_ppermute(*c, "x", RING)), kn_sin(kn_mul(*x, *c)));
    return (Two){next, kn_add(next, kn_lax_psum(kn_sum(next), "x"))};
}
KN_FUNCTION(step, Two, kn_array, kn_array)
static kn_array scanned(const kn_array *xs, const kn_array *c)
{
    Two out;
    kn_scan(KN_FN(step), &out, c, xs);
    return out.b;
}
static kn_array with_weights(const kn_array *a, const kn_array *w)
{
    return kn_mul(kn_tanh(kn_matmul(*a, *w)), kn_astype(kn_lax_axis_index("x"), kn_dtype_of(*a)));
}
static kn_array normalised(const kn_array *a)
{
    kn_array m = kn_stop_gradient(kn_lax_pmax(kn_max(kn_stop_gradient(*a), .axis = KN_AXIS(0)), "x"));
    kn_array e = kn_exp(kn_sub(*a, m));
    return kn_div(e, kn_lax_psum(kn_sum(e, .axis = KN_AXIS(0)), "x"));
}
static kn_array sine(const kn_array *a) { return kn_sin(*a); }
static kn_array thrice(const kn_array *a) { return kn_mul(*a, 3.0); }
KN_FUNCTION(sine, kn_array, kn_array)
KN_FUNCTION(thrice, kn_array, kn_array)
static kn_array branched(const kn_array *a)
{
    kn_array y;
    kn_cond(kn_equal(kn_mod(kn_lax_axis_index("x"), 2), 0), KN_FN(sine), KN_FN(thrice), &y, a);
    return y;
}
static kn_array halo(const kn_array *a)
{
    kn_array left = kn_lax_ppermute(kn_at(*a, "-1:"), "x", KN_PAIRS({0, 1}, {1, 2}, {2, 3}));
    kn_array right = kn_lax_ppermute(kn_at(*a, ":1"), "x", KN_PAIRS({1, 0}, {2, 1}, {3, 2}));
    kn_array b = kn_concatenate(KN_LIST(left, *a, right));
    return kn_add(kn_sub(kn_at(b, "2:"), kn_mul(2.0, kn_at(b, "1:-1"))), kn_at(b, ":-2"));
}

enum { TEXT = 1, GRAD = 2, UNCHECKED = 4 };
/* name, mesh, type of the result, spec of one or two arguments and of the results, what is asked of it */
#define ONES(X)                                                  \
    X(ring, x4, kn_array, "x", "x", GRAD)                        \
    X(shifted, x4, kn_array, "x", "x", GRAD | TEXT)              \
    X(exchange, x4, kn_array, "x", "None, x", GRAD | TEXT)       \
    X(swap_blocks, x4, kn_array, "x", "x", GRAD | TEXT)          \
    X(scatter_sum, x4, kn_array, "None, x", "x", GRAD | TEXT)    \
    X(gathered, x4, kn_array, "x", "x", GRAD)                    \
    X(stacked, x4, kn_array, "x", "x", GRAD | TEXT)              \
    X(numbered, x4, kn_array, "x", "x", GRAD | TEXT)             \
    X(total, xy, kn_array, "(x, y)", "", GRAD | TEXT)            \
    X(minor_first, xy, kn_array, "(y, x)", "y", GRAD | TEXT)     \
    X(mean, xy, kn_array, "x", "x", GRAD | TEXT)                 \
    X(largest, x8, kn_array, "x", "", TEXT)                      \
    X(three_axes, xyz, kn_array, "x, (y, z)", "(x, z), y", GRAD) \
    X(three_devices, x3, kn_array, "x", "x", GRAD | TEXT)        \
    X(normalised, x4, kn_array, "x", "x", GRAD)                  \
    X(branched, x4, kn_array, "x", "x", GRAD | UNCHECKED)        \
    X(halo, x4, kn_array, "x", "x", GRAD)
#define TWOS(X)                                                          \
    X(product, xy, kn_array, "x, y", "y", "x", GRAD | TEXT)              \
    X(summed_rows, xy, kn_array, "x, y", "x, y", "None, y", GRAD | TEXT) \
    X(two_results, x4, Two, "x", "x", "x", GRAD)                         \
    X(scanned, x4, kn_array, "None, x", "x", "None, x", GRAD | TEXT)     \
    X(with_weights, x4, kn_array, "x", "", "x", GRAD | TEXT)

/* The sum of result * cos(0, 1, 2, ...). */
static kn_array weighted(kn_array y)
{
    kn_array w = kn_cos(kn_arange(0, kn_size(y), 1, .dtype = KN_F64));
    return kn_sum(kn_mul(y, kn_reshape(w, kn_shape_of(y))));
}
static kn_array weighted_all(const kn_array *y, int n)
{
    kn_array t = weighted(y[0]);
    for (int i = 1; i < n; i++)
        t = kn_add(t, weighted(y[i]));
    return t;
}

#define MAKE_ONE(f, mesh, R, in, out, what)                                                              \
    KN_FUNCTION(f, R, kn_array)                                                                          \
    static kn_fn mapped_##f(bool check)                                                                  \
    {                                                                                                    \
        return kn_shard_map(KN_FN(f), mesh(), .in_specs = {in}, .out_specs = {out}, .check_vma = check); \
    }                                                                                                    \
    static kn_array sum_of_##f(const kn_array *a)                                                        \
    {                                                                                                    \
        R y;                                                                                             \
        kn_call(mapped_##f(!((what)&UNCHECKED)), &y, a);                                                 \
        return weighted_all((const kn_array *)&y, sizeof y / sizeof(kn_array));                          \
    }                                                                                                    \
    KN_FUNCTION(sum_of_##f, kn_array, kn_array)                                                          \
    static kn_fn derived_##f(void) { return kn_grad(KN_FN(sum_of_##f)); }
#define MAKE_TWO(f, mesh, R, in0, in1, out, what)                                                              \
    KN_FUNCTION(f, R, kn_array, kn_array)                                                                      \
    static kn_fn mapped_##f(bool check)                                                                        \
    {                                                                                                          \
        return kn_shard_map(KN_FN(f), mesh(), .in_specs = {in0, in1}, .out_specs = {out}, .check_vma = check); \
    }                                                                                                          \
    static kn_array sum_of_##f(const kn_array *a, const kn_array *b)                                           \
    {                                                                                                          \
        R y;                                                                                                   \
        kn_call(mapped_##f(!((what)&UNCHECKED)), &y, a, b);                                                    \
        return weighted_all((const kn_array *)&y, sizeof y / sizeof(kn_array));                                \
    }                                                                                                          \
    KN_FUNCTION(sum_of_##f, kn_array, kn_array, kn_array)                                                      \
    static kn_fn derived_##f(void) { return kn_grad(KN_FN(sum_of_##f), .argnums = KN_ARGNUMS(0, 1)); }
ONES(MAKE_ONE)
TWOS(MAKE_TWO)

typedef struct program {
    const char *name;
    kn_fn (*mapped)(bool check);
    kn_fn (*derived)(void);
    int n_in, n_out, what;
} program;

enum { MOST = 2 };

static const knio_npy *find(const program *p, const char *what, int i)
{
    char text[64];
    snprintf(text, sizeof text, "%s %s %d", p->name, what, i);
    return golden_find(&stored, text);
}

static kn_args args_of(const kn_array *a, int n)
{
    kn_args args = {n, {{0}}};
    for (int i = 0; i < n; i++)
        args.part[i] = (kn_const_part){&a[i], sizeof a[i]};
    return args;
}
static kn_outs outs_of(kn_array *a, int n) { return (kn_outs){1, {{a, (size_t)n * sizeof *a}}}; }

static void compare(const program *p, const char *what, const kn_array *got, int n)
{
    for (int i = 0; i < n; i++) {
        char text[80];
        snprintf(text, sizeof text, "%s: %s %d", p->name, what, i);
        if (!kn_ok(got[i]))
            fail_msg("%s: %s", text, kn_error_message());
        if (there && strcmp(what, "out") == 0)
            assert_non_null(strstr(kn_device_name(kn_device_of(got[i])), "mesh:"));
        golden_close(text, got[i], find(p, what, i), 1e-12, 1e-12);
    }
}

/* How a function is called: as it is, compiled, compiled inside of another one that is. */
static kn_fn in_way(kn_fn f, int way) { return way == 0 ? f : way == 1 ? kn_jit(f) : kn_jit(kn_jit(f)); }

static void check(const program *p)
{
    for (int way = 0; way < 6; way++) {
        KN_SCOPE;
        there = way > 2;
        kn_array in[MOST], out[MOST];
        for (int i = 0; i < p->n_in; i++)
            in[i] = golden_array(find(p, "in", i));
        kn_args args = args_of(in, p->n_in);
        kn_outs outs = outs_of(out, p->n_out), gradients = outs_of(out, p->n_in);
        (kn_call)(in_way(p->mapped(!(p->what & UNCHECKED)), way % 3), &outs, &args);
        compare(p, "out", out, p->n_out);
        if (p->what & GRAD) {
            (kn_call)(in_way(p->derived(), way % 3), &gradients, &args);
            compare(p, "grad", out, p->n_in);
        }
    }
}

/* Of three arguments at once, the last one being zeros. */
static void check_vmap(const program *p, bool on_devices)
{
    KN_SCOPE;
    there = on_devices;
    kn_array in[MOST], some[MOST], out[MOST], one[MOST];
    for (int i = 0; i < p->n_in; i++) {
        in[i] = golden_array(find(p, "in", i));
        some[i] = kn_stack(KN_LIST(kn_mul(in[i], 0.5), in[i], kn_zeros_like(in[i])));
    }
    kn_args args = args_of(some, p->n_in), args_of_one = args_of(in, p->n_in);
    kn_outs outs = outs_of(out, p->n_out), outs_of_one = outs_of(one, p->n_out);
    kn_fn f = p->mapped(!(p->what & UNCHECKED));
    (kn_call)(kn_vmap(f), &outs, &args);
    (kn_call)(f, &outs_of_one, &args_of_one);
    for (int i = 0; i < p->n_out; i++)
        assert_true(kn_item_bool(kn_all(kn_isclose(kn_at(out[i], "1"), one[i], .rtol = 1e-14, .atol = 1e-15))));
}

static void check_text(const program *p)
{
    KN_SCOPE;
    kn_array in[MOST];
    for (int i = 0; i < p->n_in; i++)
        in[i] = kn_ones(kn_shape_of(golden_array(find(p, "in", i))), .dtype = KN_F32);
    kn_args args = args_of(in, p->n_in);
    golden_same_text_in(KN_TEST_DIR "/golden/shard_map_texts.txt", p->name, p->mapped(false), &args);
}

#define TESTS_OF(f, n, R, asked)                                                                              \
    static const program program_##f = {#f, mapped_##f, derived_##f, n, sizeof(R) / sizeof(kn_array), asked}; \
    static void values_of_##f(void **state)                                                                   \
    {                                                                                                         \
        (void)state;                                                                                          \
        check(&program_##f);                                                                                  \
    }                                                                                                         \
    static void lanes_of_##f(void **state)                                                                    \
    {                                                                                                         \
        (void)state;                                                                                          \
        check_vmap(&program_##f, false);                                                                      \
        check_vmap(&program_##f, true);                                                                       \
    }                                                                                                         \
    static void text_of_##f(void **state)                                                                     \
    {                                                                                                         \
        (void)state;                                                                                          \
        if (program_##f.what & TEXT)                                                                          \
            check_text(&program_##f);                                                                         \
    }
#define X(f, mesh, R, in, out, what) TESTS_OF(f, 1, R, what)
ONES(X)
#undef X
#define X(f, mesh, R, in0, in1, out, what) TESTS_OF(f, 2, R, what)
TWOS(X)
#undef X

static int read_stored(void **state)
{
    (void)state;
    stored = golden_read("shard_map.npz");
    knx_error *e = kndist_set_local(8);
    if (e)
        fail_msg("%s", e->message);
    return 0;
}
static int free_stored(void **state)
{
    (void)state;
    golden_free(&stored);
    return 0;
}

KN_TEST_GROUP(test_shard_map)
{
#define X(f, ...) TEST(values_of_##f), TEST(lanes_of_##f), TEST(text_of_##f),
    const struct CMUnitTest tests[] = {ONES(X) TWOS(X)};
#undef X
    return cmocka_run_group_tests(tests, read_stored, free_stored);
}
