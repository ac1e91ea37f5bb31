/* SPDX-License-Identifier: Apache-2.0
 * test_orders.c -- strides and flags of results are NumPy's (orders.def, scripts/golden/make_orders.py). Strides of
 * arrays without elements are not compared: they mean nothing. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- Operands and calls. */

static bool some(kn_array x) { return kn_ndim(x) > 0; }
static bool even(kn_array x) { return kn_size(x) > 0 && kn_size(x) % 2 == 0; }

static kn_shape longer(kn_array x)
{
    kn_shape s = kn_shape_of(x);
    memmove(s.dim + 1, s.dim, (size_t)s.ndim++ * sizeof *s.dim);
    s.dim[0] = 2;
    return s;
}

#define LAYOUT(name, there, ...) \
    static kn_array layout_##name(void) { return __VA_ARGS__; }
#define CALL(name, there, ...)
#define MADE(name, there, ...)
#include "unit/numpy/orders.def"
#undef LAYOUT
#undef CALL
#undef MADE
#define LAYOUT(name, there, ...)
#define MADE(name, there, ...) CALL(name, there, __VA_ARGS__)
#define CALL(name, there, ...)                                                                          \
    static kn_array call_##name(__attribute__((unused)) kn_array x, __attribute__((unused)) kn_array y) \
    {                                                                                                   \
        return __VA_ARGS__;                                                                             \
    }
#include "unit/numpy/orders.def"
#undef LAYOUT
#undef CALL

static const struct layout {
    const char *name;
    kn_array (*make)(void);
} layouts[] = {
#define LAYOUT(name, there, ...) {#name, layout_##name},
#define CALL(name, there, ...)
#include "unit/numpy/orders.def"
#undef LAYOUT
#undef CALL
#undef MADE
};

static const struct call {
    const char *name, *text;
    kn_array (*f)(kn_array x, kn_array y);
    bool made;
} calls[] = {
#define LAYOUT(name, there, ...)
#define CALL(name, there, ...) {#name, there, call_##name, false},
#define MADE(name, there, ...) {#name, there, call_##name, true},
#include "unit/numpy/orders.def"
#undef LAYOUT
#undef CALL
};

static const struct layout *find_layout(const char *name)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (!strcmp(layouts[i].name, name))
            return &layouts[i];
    fail_msg("no layout %s", name);
    return NULL;
}

static const struct call *find_call(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, name))
            return &calls[i];
    fail_msg("no call %s", name);
    return NULL;
}

/* ---- What the results are. */

static void put_numbers(char *text, size_t room, int n, const int64_t *v, const int64_t *dim)
{
    size_t at = strlen(text);
    for (int i = 0; i < n; i++)
        if (dim && dim[i] < 2)
            at += (size_t)snprintf(text + at, room - at, i ? ",_" : "_");
        else
            at += (size_t)snprintf(text + at, room - at, i ? ",%lld" : "%lld", (long long)v[i]);
}

/* As the golden file writes it: "layout shape strides flags". */
static void describe(char text[512], const char *layout, kn_array x, kn_array r, bool made)
{
    kn_shape shape = kn_shape_of(r);
    kn_strides strides = kn_strides_of(r);
    kn_flags f = kn_flags_of(r);
    snprintf(text, 512, "%s ", layout);
    put_numbers(text, 512, shape.ndim, shape.dim, NULL);
    strcat(text, " ");
    put_numbers(text, 512, strides.ndim, strides.stride, shape.dim);
    strcat(text, " ");
    strcat(text, f.c_contiguous ? "C" : "");
    strcat(text, f.f_contiguous ? "F" : "");
    strcat(text, f.owndata && !made ? "O" : "");
    strcat(text, f.writeable ? "W" : "");
    strcat(text, f.aligned ? "A" : "");
    strcat(text, kn_shares_memory(x, r) ? "S" : "");
}

/* The text without its strides where there are no elements. */
static void drop_strides(char *text, kn_array r)
{
    char *strides = strchr(text, ' ');
    strides = strides ? strchr(strides + 1, ' ') : NULL;
    char *flags = strides ? strchr(strides + 1, ' ') : NULL;
    if (flags && kn_size(r) == 0)
        memmove(strides, flags, strlen(flags) + 1);
}

static bool same(const struct call *c, char *want)
{
    KN_SCOPE;
    char layout[32], have[512];
    snprintf(layout, sizeof layout, "%.*s", (int)strcspn(want, " "), want);
    kn_array x = find_layout(layout)->make();
    kn_shape shape = kn_shape_of(x);
    kn_array y = kn_copy(kn_reshape(kn_arange(0, kn_size(x), 1), shape)), r = c->f(x, y);
    if (!r) /* not for this layout */
        return true;
    if (!kn_ok(r)) {
        print_error("%s: %s\n", c->text, kn_error_message());
        kn_error_clear();
        return false;
    }
    describe(have, layout, x, r, c->made);
    drop_strides(have, r);
    drop_strides(want, r);
    if (!strcmp(have, want))
        return true;
    print_error("%s (%s): %s, NumPy has %s\n", c->text, c->name, have, want);
    return false;
}

static void results_lie_in_memory_as_numpys(void **state)
{
    (void)state;
    static char line[8192];
    int wrong = 0, lines = 0;
    FILE *file = fopen(KN_TEST_DIR "/golden/orders.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *at = strchr(line, ';'), *next;
        assert_non_null(at);
        *at++ = 0;
        for (; *at; at = next) {
            next = at + strcspn(at, ";");
            if (*next)
                *next++ = 0;
            wrong += !same(find_call(line), at);
        }
        lines++;
    }
    fclose(file);
    assert_int_equal(lines, sizeof calls / sizeof *calls);
    assert_int_equal(wrong, 0);
}

/* NumPy 2.4: letters of either case; a wrong one is told before one that is not permitted here. */
static void orders_are_read_alike(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_of(int64_t, 1), j = kn_of(int64_t, 1), x = kn_ones(KN_SHAPE(2, 3));
    assert_true(kn_flags_of(kn_zeros(KN_SHAPE(2, 3), .order = "f")).f_contiguous);
    expect_values(kn_ravel_multi_index(KN_LIST(i, j), KN_SHAPE(2, 2), .order = "f"), 3);
    static const char *const wrong[] = {"X", "CF", ""};
    for (int k = 0; k < 3; k++) {
        char text[4][120];
        static const char *const names[] = {"zeros", "ravel_multi_index", "nditer", "copy"};
        for (int n = 0; n < 4; n++)
            snprintf(text[n], sizeof text[n], "%s: order must be one of 'C', 'F', 'A', or 'K' (got '%s')", names[n],
                     wrong[k]);
        (void)kn_zeros(KN_SHAPE(2), .order = wrong[k]);
        expect_error("ValueError", text[0]);
        (void)kn_ravel_multi_index(KN_LIST(i, j), KN_SHAPE(2, 2), .order = wrong[k]);
        expect_error("ValueError", text[1]);
        (void)kn_nditer_new(KN_OPERANDS(x), .order = wrong[k]);
        expect_error("ValueError", text[2]);
        (void)kn_copy(x, .order = wrong[k]);
        expect_error("ValueError", text[3]);
    }
    (void)kn_zeros(KN_SHAPE(2), .order = "a");
    expect_error("ValueError", "zeros: only 'C' or 'F' order is permitted");
    (void)kn_ravel_multi_index(KN_LIST(i, j), KN_SHAPE(2, 2), .order = "K");
    expect_error("ValueError", "ravel_multi_index: only 'C' or 'F' order is permitted");
}

static void castings_are_read_alike(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2));
#define SAYS(name, more) \
    name ": casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe'" more " (got 'foo')"
    (void)kn_nditer_new(KN_OPERANDS(x), .casting = "foo");
    expect_error("ValueError", SAYS("nditer", ""));
    (void)kn_ufunc_call(kn_ufunc_add, KN_OPERANDS(x, x), .casting = "foo");
    expect_error("ValueError", SAYS("add", ""));
    (void)kn_concatenate(KN_LIST(x), .casting = "foo");
    expect_error("ValueError", SAYS("concatenate", ""));
    kn_copyto(x, 1, .casting = "foo");
    expect_error("ValueError", SAYS("copyto", ""));
    (void)kn_astype(x, KN_I32, .casting = "foo");
    expect_error("ValueError", SAYS("astype", ", 'same_value'"));
#undef SAYS
}

KN_TEST_GROUP(test_orders)
{
    const struct CMUnitTest tests[] = {TEST(results_lie_in_memory_as_numpys), TEST(orders_are_read_alike),
                                       TEST(castings_are_read_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
