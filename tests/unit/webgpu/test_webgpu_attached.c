/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_attached.c -- kernels before and after products and convolutions are a part of their dispatches: so many
 * dispatches, and the host's bits. Programs of data/webgpu/attached.txt, and random ones (KILN_TEST_LONG=1: many;
 * KILN_ATTACH_SEEDS="first n"). */
#include "support/group.h"
#include "support/random_product.h"
#include "support/webgpu_run.h"
#include "device/steps/steps.h"
#include <inttypes.h>

enum { LINE = 4096 };
static kng_gpu *g;

static const char *text_of(const knd_loaded *l)
{
    char *text = NULL;
    test_ok(knc_text(l->program, &text));
    return text; /* of a test that fails */
}

static knd_loaded *load(const knd_device *d, const kni_jaxpr *j, bool fuse)
{
    knd_loaded *l = NULL;
    test_ok(knd_compile(d, j, &(knc_compile_options){.fuse = fuse}, &l));
    return l;
}

/* The program as it stands on the host, and with its kernels joined on the device. Dispatches of the second. */
static int64_t compare(const kni_jaxpr *j, uint64_t seed, const char *name)
{
    knd_loaded *plain = load(&knd_host, j, false), *there = load(&g->device, j, true);
    test_operands x = test_make_operands(j, seed);
    knx_buffer *a[MANY], *b[MANY];
    test_ok(knd_run(plain, x.in, a, NULL));
    int64_t before = g->counters.dispatches;
    test_ok(knd_run(there, x.in, b, NULL));
    int64_t made = g->counters.dispatches - before;
    for (uint32_t k = 0; k < j->n_out; k++) {
        test_ok(knd_fetch(b[k]));
        int64_t at = test_difference(kni_out_type(j, k), a[k]->data, b[k]->data);
        if (at >= 0)
            fail_msg("%s\n    result %u differs from part %lld on\n%s", name, (unsigned)k, (long long)at,
                     text_of(there));
    }
    test_release((int)j->n_out, a);
    test_release((int)j->n_out, b);
    test_free_operands(&x);
    knd_release(plain);
    knd_release(there);
    return made;
}

/* ---- Programs of the file. */

static void check_program(const char *text, int dispatches, uint64_t seed)
{
    kni_jaxpr *j = NULL;
    knx_error *error = kni_parse(text, &j);
    if (error)
        fail_msg("%s\n    %s", text, error->message);
    int64_t made = compare(j, seed, text);
    if (made != dispatches)
        fail_msg("%s\n    %lld dispatches, not %d\n%s", text, (long long)made, dispatches,
                 text_of(load(&g->device, j, true)));
    kni_release(j);
}

static void with_dtype(const char *program, const char *dtype, char *out)
{
    size_t n = 0;
    for (const char *x = program; *x && *x != '\n' && n < LINE - 16; x++) {
        bool new = x - program >= 10 && !strncmp(x - 10, "new_dtype=", 10);
        const char *name = !new ? dtype : !strcmp(dtype, "f16") ? "float16" : "bfloat16";
        if (*x == '@')
            n += (size_t)snprintf(out + n, 16, "%s", name);
        else
            out[n++] = *x;
    }
    out[n] = 0;
}

static void check_file(bool whole)
{
    char line[LINE], text[LINE];
    FILE *f = fopen(KN_TEST_DIR "/data/webgpu/attached.txt", "r");
    uint64_t seed = 1;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *dtypes = strchr(line, ';'), *program = dtypes ? strchr(dtypes + 1, ';') : NULL;
        if (*line == '#' || !program)
            continue;
        *program = 0;
        for (char *rest, *d = strtok_r(dtypes + 1, " ", &rest); d; d = strtok_r(NULL, " ", &rest)) {
            with_dtype(program + 1, d, text);
            if (whole && (*d == 'f' || *d == 'b' || *d == 'c' || strstr(text, ":f32")))
                continue;
            check_program(text, atoi(line), seed++);
        }
    }
    fclose(f);
}

static void kernels_are_a_part_of_dispatches(void **state)
{
    (void)state;
    g->exact = true;
    check_file(false);
}

/* With the device's own operations other tiles are used. */
static void whole_numbers_are_exact_in_fast_mode(void **state)
{
    (void)state;
    g->exact = false;
    check_file(true);
    g->exact = true;
}

/* ---- Kernels that do not join, products that the device refuses. */

static const char one_more[] =
    "{ lambda ; a:f32[40,30] b:f32[30,50] c:f32[40,50]. let d:f32[40,50] = dot_general[lhs_contract=(1,) "
    "rhs_contract=(0,) lhs_batch=() rhs_batch=() preferred_element_type=f32] a b; e:f32[40,50] = add d c in (e,) }";
static const char two_more[] =
    "{ lambda ; a:f32[40,30] b:f32[30,50] c:f32[40,50] d:f32[40,50]. let e:f32[40,50] = dot_general[lhs_contract=(1,) "
    "rhs_contract=(0,) lhs_batch=() rhs_batch=() preferred_element_type=f32] a b; f:f32[40,50] = add e c; g:f32[40,50] "
    "= mul f d in (g,) }";

static void a_dispatch_binds_no_more_than_the_device(void **state)
{
    uint16_t most = g->target.max_buffers;
    (void)state;
    g->target.max_buffers = 4;
    check_program(one_more, 1, 1);
    check_program(two_more, 2, 2);
    g->target.max_buffers = most;
    check_program(two_more, 1, 2);
}

static void a_refused_product_runs_on_the_host_with_its_kernels(void **state)
{
    uint32_t most = g->facts.most_turns;
    (void)state;
    g->facts.most_turns = 300;
    check_program(two_more, 0, 3);
    g->facts.most_turns = most;
}

/* ---- Random programs. */

static bool has_f64(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_in; i++)
        if (kni_in_type(j, i).dtype == KN_DT(F64))
            return true;
    return false;
}

static void count_products(const kni_jaxpr *j, int *products, int *attached)
{
    knd_loaded *l = load(&g->device, j, true);
    for (uint32_t i = 0; i < l->program->n_step; i++) {
        const knc_step *s = &l->program->step[i];
        if (s->kind != KNC_PRODUCT)
            continue;
        const char *why = knd_steps_reason(l, i);
        if (why)
            fail_msg("a product runs on the host: %s\n%s", why, text_of(l));
        ++*products;
        *attached += s->u.p.fill_a || s->u.p.fill_b || s->u.p.finish;
    }
    knd_release(l);
}

static void check_random(kni_jaxpr *make(uint64_t seed), uint64_t n)
{
    const char *wanted = getenv("KILN_ATTACH_SEEDS");
    uint64_t first = 1;
    int products = 0, attached = 0;
    char name[32];
    if (wanted)
        sscanf(wanted, "%" SCNu64 " %" SCNu64, &first, &n);
    else if (getenv("KILN_TEST_LONG"))
        n *= 40;
    for (uint64_t seed = first; seed < first + n; seed++) {
        kni_jaxpr *j = make(seed);
        snprintf(name, sizeof name, "seed %" PRIu64, seed);
        if (!has_f64(j)) {
            count_products(j, &products, &attached);
            compare(j, seed, name);
        }
        kni_release(j);
    }
    print_message("%d of %d products have kernels\n", attached, products);
    assert_true(attached > products / 3);
}

static void random_products_have_the_hosts_bits(void **state)
{
    (void)state;
    check_random(random_product, 24);
}

static void random_convolutions_have_the_hosts_bits(void **state)
{
    (void)state;
    check_random(random_convolution, 16);
}

KN_TEST_GROUP(test_webgpu_attached)
{
    if (!(g = webgpu_first()))
        return 77;
    test_ok(kng_bring_facts(g));
    g->exact = true; /* the probe is through */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_a_part_of_dispatches),
        cmocka_unit_test(whole_numbers_are_exact_in_fast_mode),
        cmocka_unit_test(a_dispatch_binds_no_more_than_the_device),
        cmocka_unit_test(a_refused_product_runs_on_the_host_with_its_kernels),
        cmocka_unit_test(random_products_have_the_hosts_bits),
        cmocka_unit_test(random_convolutions_have_the_hosts_bits),
    };
    (void)argc, (void)argv;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
