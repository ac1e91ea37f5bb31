/* SPDX-License-Identifier: Apache-2.0
 * test_bands_routines.c -- routines that work on each row by itself (Fourier transforms) run block by block beside
 * kernels and products over the same rows: the bits of the program without fusion, for every number of threads. */
#include "host/routine/fft.h"
#include "support/bands.h"
#include "support/group.h"

typedef struct {
    kn_array x, z, h; /* real and complex rows; one row */
} Signals;

static kn_array filtered(const Signals *s) { return kn_fft_ifft(kn_mul(kn_fft_fft(s->z), s->h)); }
static kn_array filtered_real(const Signals *s)
{
    return kn_fft_irfft(kn_mul(kn_fft_rfft(kn_sin(s->x)), 0.5), .n = kn_dim(s->x, -1));
}
static kn_array powers(const Signals *s) { return kn_square(kn_abs(kn_fft_rfft(s->x))); }
static kn_array summed(const Signals *s) { return kn_sum(kn_abs(kn_fft_fft(s->z)), .axis = KN_AXIS(-1)); }
static kn_array two_axes(const Signals *s) { return kn_fft_ifft2(kn_mul(kn_fft_fft2(s->z), 2)); }
static kn_array before_a_product(const Signals *s)
{
    kn_array p = kn_abs(kn_fft_fft(s->z));
    return kn_matmul(kn_exp(kn_neg(p)), kn_ones(KN_SHAPE(kn_dim(p, -1), 5), .dtype = kn_dtype_of(p)));
}
static kn_array read_twice(const Signals *s)
{
    kn_array f = kn_fft_fft(s->z);
    return kn_add(kn_fft_ifft(kn_mul(f, s->h)), kn_fft_fft(kn_conj(f)));
}
/* The first axis is the transformed one: no row stands by itself. */
static kn_array down(const Signals *s) { return kn_mul(kn_fft_fft(s->z, .axis = 0), 2); }

#define EACH(X)   X(filtered) X(filtered_real) X(powers) X(summed) X(two_axes) X(before_a_product) X(read_twice) X(down)
#define DEFINE(f) KN_FUNCTION(f, kn_array, Signals)
EACH(DEFINE)
static const struct {
    const char *name;
    kn_fn (*fn)(void);
} all[] = {
#define NAMES(f) {#f, NULL},
    EACH(NAMES)};
enum { ALL = sizeof all / sizeof *all };
static kn_fn function(int i)
{
    const kn_fn f[] = {
#define FUNCTIONS(f) KN_FN(f),
        EACH(FUNCTIONS)};
    return f[i];
}

static kn_array wave(kn_shape shape, kn_dtype d)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++)
        n *= shape.dim[i];
    return (kn_reshape)(kn_astype(kn_sin(kn_mul(kn_arange(0, (double)n, 1, .dtype = KN_F64), 1.7)), d), &shape, NULL);
}
static Signals signals(kn_shape shape, kn_dtype d)
{
    kn_array x = wave(shape, d), z = kn_lax_complex(x, kn_cos(x)),
             h = kn_exp(kn_neg(kn_arange(0, (double)shape.dim[shape.ndim - 1], 1, .dtype = d)));
    return (Signals){x, z, kn_lax_complex(h, kn_mul(h, 0.5))};
}

static void bits_do_not_depend_on_bands(void **state)
{
    static const kn_shape shapes[] = {{2, {37, 29}},      {2, {1, 16}}, {2, {130, 8}},    {3, {3, 7, 64}},
                                      {4, {2, 3, 5, 12}}, {2, {5, 1}},  {4, {1, 0, 3, 8}}};
    (void)state;
    for (int i = 0; i < ALL; i++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int wide = 0; wide < 2; wide++) {
                KN_SCOPE;
                Signals s = signals(shapes[k], wide ? KN_F64 : KN_F32);
                kni_jaxpr *j = traced(function(i), KN_ARGS(&s));
                expect_same_bits(all[i].name, j, 1, true);
                kni_release(j);
            }
}

static bool has_band(kn_fn f, kn_shape shape, int bands)
{
    KN_SCOPE;
    Signals s = signals(shape, KN_F32);
    kni_jaxpr *j = traced(f, KN_ARGS(&s));
    knd_loaded *p = compiled(j, true, bands);
    char *text = text_of(p);
    bool has = strstr(text, ": band of") && strstr(text, "     fft;");
    knx_free(text);
    knd_release(p);
    kni_release(j);
    return has;
}

static void a_transform_shares_a_band_with_its_neighbours(void **state)
{
    (void)state;
    for (int i = 0; i < ALL; i++)
        if (has_band(function(i), KN_SHAPE(3, 7, 64), 1) != (strcmp(all[i].name, "down") != 0))
            fail_msg("%s", all[i].name);
}

static void small_values_and_rows_that_fill_a_cache_make_no_band(void **state)
{
    (void)state;
    assert_true(has_band(KN_FN(filtered), KN_SHAPE(2048, 512), 0));
    assert_false(has_band(KN_FN(filtered), KN_SHAPE(64, 64), 0));
    assert_false(has_band(KN_FN(filtered), KN_SHAPE(4, 1 << 18), 0));
}

static void spectra_of_a_band_are_not_stored(void **state)
{
    KN_SCOPE;
    Signals s = signals(KN_SHAPE(4096, 512), KN_F32);
    kni_jaxpr *j = traced(KN_FN(summed), KN_ARGS(&s));
    knd_loaded *p = compiled(j, true, 0);
    (void)state;
    assert_true(knd_workspace_bytes(p, 1) < 4u << 20); /* the spectrum has 16 MiB */
    knd_release(p);
    kni_release(j);
}

/* Transforms of unknown lengths and numbers. */
static void of_unknown_extents(void **state)
{
    static const int64_t sizes[][2] = {{2048, 512}, {3, 5}, {2047, 360}, {1, 1}, {5000, 97}};
    (void)state;
    for (int i = 0; i < ALL; i++) {
        KN_SCOPE;
        kn_fn one = kn_jit(function(i), .symbolic = "b n, b n, n"), each = kn_jit(function(i));
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            KN_SCOPE;
            Signals s = signals(KN_SHAPE(sizes[k][0], sizes[k][1]), KN_F32);
            kn_array y, z;
            kn_call(one, &y, &s);
            kn_call(each, &z, &s);
            if (!kn_array_equal(y, z))
                fail_msg("%s differs for %d x %d", all[i].name, (int)sizes[k][0], (int)sizes[k][1]);
        }
        expect_no_error();
    }
}

/* Whichever allocation fails while transforms are planned by a run: an error of the run, and nothing is lost. */
static void without_memory_for_a_plan(void **state)
{
    KN_SCOPE;
    Signals s = signals(KN_SHAPE(40, 94), KN_F32);
    kni_jaxpr *j = traced(KN_FN(filtered), KN_ARGS(&s));
    knd_loaded *p = compiled(j, true, 1);
    test_operands x = test_make_operands(j, 3);
    bool failed = true, ever = false;
    (void)state;
    for (int64_t k = 0; failed; k++) {
        knx_buffer *out[MANY] = {NULL};
        knr_fft_forget();
        int64_t live = knx_alloc_live();
        knx_fail_after(k, true);
        knx_error *e = knd_run_with(p, x.in, out, &(knd_options){.threads = 2});
        knx_fail_after(-1, false);
        failed = e != NULL;
        ever = ever || failed;
        assert_true(!e || e->kind == KN_ERROR_MEMORY);
        knx_error_release(e);
        if (!failed)
            test_release((int)j->n_out, out);
        knr_fft_forget();
        assert_true(knx_alloc_live() <= live); /* caches may have been emptied */
    }
    assert_true(ever);
    test_free_operands(&x);
    knd_release(p);
    kni_release(j);
}

/* What a transform needs beside its operands is asked for when a program is loaded, and takes a plan to know: without
 * memory for one the program is not loaded. */
static void without_memory_to_know_the_workspace(void **state)
{
    KN_SCOPE;
    Signals s = signals(KN_SHAPE(4, 3 * 1009), KN_F32);
    kni_jaxpr *j = traced(KN_FN(filtered), KN_ARGS(&s));
    test_operands x = test_make_operands(j, 3);
    knx_buffer *want[MANY], *got[MANY];
    knd_loaded *p = compiled(j, false, 0);
    test_ok(knd_run(p, x.in, want, NULL));
    knd_release(p);
    bool failed = true;
    (void)state;
    for (int64_t k = 0; failed; k++) {
        knr_fft_forget();
        p = NULL;
        knx_fail_after(k, true);
        knx_error *e = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true, .bands = k % 2 ? 1 : -1}, &p);
        knx_fail_after(-1, false);
        failed = e != NULL || k % 2;
        assert_true(!e || e->kind == KN_ERROR_MEMORY);
        knx_error_release(e);
        if (!p)
            continue;
        test_ok(knd_run(p, x.in, got, NULL));
        for (uint32_t i = 0; i < j->n_out; i++)
            assert_true(test_difference(kni_out_type(j, i), want[i]->data, got[i]->data) < 0);
        test_release((int)j->n_out, got);
        knd_release(p);
    }
    test_release((int)j->n_out, want);
    test_free_operands(&x);
    kni_release(j);
}

KN_TEST_GROUP(test_bands_routines)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_bands),
        cmocka_unit_test(a_transform_shares_a_band_with_its_neighbours),
        cmocka_unit_test(small_values_and_rows_that_fill_a_cache_make_no_band),
        cmocka_unit_test(spectra_of_a_band_are_not_stored),
        cmocka_unit_test(of_unknown_extents),
        cmocka_unit_test(without_memory_for_a_plan),
        cmocka_unit_test(without_memory_to_know_the_workspace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
