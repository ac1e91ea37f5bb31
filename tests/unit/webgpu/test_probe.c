/* SPDX-License-Identifier: Apache-2.0
 * test_probe.c -- what the probe says of a device, where a text can tell. */
#include "support/group.h"
#include "support/webgpu_run.h"
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static kng_gpu *g;

static void fine(knx_error *error)
{
    if (error)
        print_message("%s\n", error->message);
    assert_null(error);
}

static void facts_are_found_once(void **state)
{
    (void)state;
    knd_lock();
    feclearexcept(FE_ALL_EXCEPT);
    fine(kng_bring_facts(g));
    assert_int_equal(fetestexcept(FE_OVERFLOW | FE_UNDERFLOW | FE_DIVBYZERO), 0); /* the caller's flags */
    int64_t made = g->counters.pipelines;
    fine(kng_bring_facts(g));
    assert_int_equal(g->counters.pipelines, made);
    knd_unlock();
    assert_true(g->facts.lanes >= 64);
    assert_true(g->facts.workgroup_bytes >= 16384);
    assert_true(g->facts.most_groups >= 65535);
}

/* x OP y on the device, for operands that the probe has not. */
static uint32_t on_device(const char *expression, float x, float y, float z)
{
    char text[512];
    float in[64] = {x, y, z};
    uint32_t out[64] = {0};
    snprintf(text, sizeof text,
             "@group(0) @binding(1) var<storage, read> x: array<f32>;\n"
             "@group(0) @binding(2) var<storage, read_write> y: array<u32>;\n"
             "@compute @workgroup_size(1) fn main() {\n"
             "    let a = x[0]; let b = x[1]; let c = x[2];\n"
             "    y[0] = bitcast<u32>(%s);\n}\n",
             expression);
    fine(webgpu_run(g, text, 2, (webgpu_array[]){{in, sizeof in}, {out, sizeof out}}, NULL, 0, 1, 1));
    return out[0];
}

static uint32_t bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static void exact_operations_are_exact(void **state)
{
    (void)state;
    uint32_t exact = g->facts.exact;
    volatile float a = 0x1.234568p-130f, b = 0x1.8p-3f, c = 0x1.fffffep1f;
    if (exact >> KNW_ADD & 1)
        assert_int_equal(on_device("a + b", c, b, 0), bits(c + b));
    if (exact >> KNW_MUL & 1)
        assert_int_equal(on_device("a * b", a, b, 0), bits(a * b));
    if (exact >> KNW_DIV & 1)
        assert_int_equal(on_device("a / b", b, c, 0), bits(b / c));
    if (exact >> KNW_SQRT & 1)
        assert_int_equal(on_device("sqrt(a)", a, 0, 0), bits(sqrtf(a)));
    if (exact >> KNW_FMA & 1)
        assert_int_equal(on_device("fma(a, b, c)", c, c, -c * c), bits(fmaf(c, c, -c * c)));
}

static void a_device_that_is_not_exact_is_told_so(void **state)
{
    (void)state;
    volatile float a = 0x1.000002p0f, c = -0x1.000004p0f;
    bool once = on_device("fma(a, b, c)", a, a, c) == bits(fmaf(a, a, c));
    if (!once)
        assert_false(g->facts.exact >> KNW_FMA & 1);
    volatile float inf = INFINITY;
    bool folded = on_device("a - a", inf, 0, 0) == 0;
    if (folded)
        assert_true(g->facts.joins);
}

KN_TEST_GROUP(test_probe)
{
    if (!(g = webgpu_first()))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_found_once),
        cmocka_unit_test(exact_operations_are_exact),
        cmocka_unit_test(a_device_that_is_not_exact_is_told_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
