/* SPDX-License-Identifier: Apache-2.0
 * test_text.c -- arrays as text against NumPy's own (tests/golden/repr.txt), numbers there and back, locales, lack of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digits.h"
#include "base/memory.h"
#include "base/text.h"
#include "support/bits.h"
#include "support/group.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KN_TEST_DIR
#define KN_TEST_DIR "tests"
#endif

enum { MAX_LINE = 1 << 16 };

/* One line of the golden file, taken apart. */
typedef struct golden {
    kn_dtype dtype;
    int ndim;
    int64_t dim[KN_MAX_NDIM];
    kn_print_opts opts;
    uint8_t *data;
    char *str, *repr;
} golden;

static void unescape(char *s)
{
    char *out = s;
    for (; *s; s++) {
        if (s[0] == '\\' && s[1] == 'n')
            *out++ = '\n', s++;
        else
            *out++ = *s;
    }
    *out = '\0';
}

static void read_option(kn_print_opts *o, const char *name, const char *value)
{
    if (!strcmp(name, "precision"))
        o->precision = atoi(value);
    else if (!strcmp(name, "threshold"))
        o->threshold = atoi(value);
    else if (!strcmp(name, "edgeitems"))
        o->edgeitems = atoi(value);
    else if (!strcmp(name, "linewidth"))
        o->linewidth = atoi(value);
    else if (!strcmp(name, "suppress"))
        o->suppress = atoi(value);
    else if (!strcmp(name, "floatmode"))
        o->floatmode = value;
    else if (!strcmp(name, "sign"))
        o->sign = value[0];
    else if (!strcmp(name, "nanstr"))
        o->nanstr = value;
    else if (!strcmp(name, "infstr"))
        o->infstr = value;
    else
        fail_msg("unknown option %s", name);
}

static uint8_t *read_hex(const char *hex)
{
    size_t n = strcmp(hex, "-") ? strlen(hex) / 2 : 0;
    uint8_t *bytes = malloc(n ? n : 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++) {
        unsigned byte = 0;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (uint8_t)byte;
    }
    return bytes;
}

static golden read_case(char *line)
{
    golden g = {.opts = kn_print_opts_default()};
    char *field[6];
    for (int i = 0; i < 6; i++) {
        field[i] = line;
        line = line + strcspn(line, "\t\n");
        *line++ = '\0';
    }
    for (int i = 0; i < KN_ID_COUNT; i++)
        if (!strcmp(knx_dtype_table[i].name, field[0]))
            g.dtype = &knx_dtype_table[i];
    assert_non_null(g.dtype);
    for (char *s = strcmp(field[1], "()") ? strtok(field[1], ",") : NULL; s; s = strtok(NULL, ","))
        g.dim[g.ndim++] = atoi(s);
    for (char *s = strcmp(field[2], "-") ? strtok(field[2], ";") : NULL; s; s = strtok(NULL, ";")) {
        char *value = strchr(s, '=');
        *value++ = '\0';
        read_option(&g.opts, s, value);
    }
    g.data = read_hex(field[3]);
    size_t part = g.dtype == KN_DT(KEY) ? sizeof(uint32_t) : knx_component(g.dtype)->size;
    bits_from_little(g.data, part, strcmp(field[3], "-") ? strlen(field[3]) / 2 / part : 0);
    g.str = field[4];
    g.repr = field[5];
    unescape(g.str);
    unescape(g.repr);
    return g;
}

static char *text_of(const golden *g, bool repr)
{
    const knx_text_form form = {.what = repr ? KNX_TEXT_REPR : KNX_TEXT_STR};
    char *text = NULL;
    assert_null(knx_array_text(g->dtype, g->ndim, g->dim, g->data, &g->opts, &form, &text));
    assert_non_null(text);
    return text;
}

/* Calls f with every case; returns their number. */
static int for_each_case(void (*f)(const golden *g, int line))
{
    FILE *file = fopen(KN_TEST_DIR "/golden/repr.txt", "r");
    char *line = malloc(MAX_LINE);
    int n = 0;
    assert_non_null(file);
    assert_non_null(line);
    while (fgets(line, MAX_LINE, file)) {
        assert_non_null(strchr(line, '\n'));
        golden g = read_case(line);
        f(&g, ++n);
        free(g.data);
    }
    free(line);
    fclose(file);
    return n;
}

static int different;

static void compare_case(const golden *g, int line)
{
    for (int repr = 0; repr < 2; repr++) {
        char *text = text_of(g, repr);
        const char *expected = repr ? g->repr : g->str;
        if (strcmp(text, expected) && different++ < 20)
            print_error("repr.txt:%d (%s)\n--- NumPy\n%s\n--- Kiln\n%s\n", line, g->dtype->name, expected, text);
        knx_free(text);
    }
}

static void arrays_look_as_in_numpy(void **state)
{
    (void)state;
    different = 0;
    assert_true(for_each_case(compare_case) > 1000);
    assert_int_equal(different, 0);
}

static void another_locale_changes_nothing(void **state)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char *found = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !found; i++)
        found = setlocale(LC_ALL, locales[i]);
    if (!found)
        skip();
    double v = 0;
    char text[40];
    knx_format_shortest(text, KN_DT(F64), 0.5);
    assert_string_equal(text, "0.5");
    assert_true(knx_parse_double("1.25", NULL, &v) && v == 1.25);
    setlocale(LC_ALL, "C");
}

static void live_is(int64_t before) { assert_int_equal(knx_alloc_live(), before); }

static int swept;

static void fail_every_allocation(const golden *g, int line)
{
    if (line % 97 && g->ndim < 3)
        return;
    swept++;
    int64_t before = knx_alloc_live();
    for (int64_t k = 0;; k++) {
        const knx_text_form form = {.what = KNX_TEXT_REPR};
        char *text = NULL;
        knx_fail_after(k, true);
        knx_error *e = knx_array_text(g->dtype, g->ndim, g->dim, g->data, &g->opts, &form, &text);
        knx_fail_after(-1, false);
        if (!e) {
            assert_string_equal(text, g->repr);
            knx_free(text);
            break;
        }
        assert_int_equal(e->kind, KN_ERROR_MEMORY);
        knx_error_release(e);
        live_is(before);
    }
    live_is(before);
}

static void lack_of_memory_is_an_error(void **state)
{
    (void)state;
    for_each_case(fail_every_allocation);
    assert_true(swept > 10);
}

static void expect_option_error(kn_print_opts opts, const char *message)
{
    const knx_text_form form = {.what = KNX_TEXT_REPR};
    char *text = NULL;
    double one = 1;
    knx_error *e = knx_array_text(KN_DT(F64), 0, NULL, &one, &opts, &form, &text);
    assert_non_null(e);
    assert_int_equal(e->kind, KN_ERROR_VALUE);
    assert_string_equal(e->message, message);
    knx_error_release(e);
}

static void bad_options_are_named(void **state)
{
    (void)state;
    kn_print_opts o = kn_print_opts_default();
    o.sign = 'x';
    expect_option_error(o, "sign option must be one of ' ', '+', or '-'");
    o = kn_print_opts_default();
    o.floatmode = "most";
    expect_option_error(o, "floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", \"maxprec_equal\"");
    o = kn_print_opts_default();
    o.precision = -1;
    expect_option_error(o, "precision must be >= 0");
}

/* ---- numbers ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static double random_double(uint64_t *state)
{
    uint64_t bits = next_random(state);
    double v;
    memcpy(&v, &bits, sizeof v);
    return isfinite(v) ? v : 1;
}

static void expect_shortest(double v)
{
    char text[40], c[40];
    double back = 0;
    const char *end = NULL;
    int n = knx_format_shortest(text, KN_DT(F64), v), precision = 0;
    assert_int_equal(n, strlen(text));
    assert_true(knx_parse_double(text, &end, &back));
    assert_int_equal(*end, '\0');
    assert_memory_equal(&back, &v, sizeof v);
    do
        snprintf(c, sizeof c, "%.*e", precision++, v);
    while (strtod(c, NULL) != v);
    int digits = 0, significant = 0; /* no more digits than C needs */
    for (const char *s = text; *s && *s != 'e'; s++)
        if (*s >= '0' && *s <= '9' && (digits || *s != '0') && ++digits && *s != '0')
            significant = digits;
    assert_true(significant <= precision);
}

static void doubles_are_written_shortly_and_read_back(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++)
        expect_shortest(random_double(&seed));
    for (int e = -1074; e < 1024; e++)
        expect_shortest(ldexp(1, e));
    for (int i = 0; i < 2000; i++)
        expect_shortest((double)(next_random(&seed) % 1000000) / 1000);
}

static void every_half_and_bfloat16_reads_back(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        char text[40];
        double v = 0, half = (double)knx_half_to_float((uint16_t)bits),
               brain = (double)knx_bf16_to_float((uint16_t)bits);
        if (!isnan(half)) {
            knx_format_shortest(text, KN_DT(F16), half);
            assert_true(knx_parse_double(text, NULL, &v));
            assert_int_equal(knx_double_to_half(v), bits);
        }
        if (!isnan(brain)) {
            knx_format_shortest(text, KN_DT(BF16), brain);
            assert_true(knx_parse_double(text, NULL, &v));
            assert_int_equal(knx_double_to_bf16(v), bits);
        }
    }
}

static void floats_are_written_shortly(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        uint32_t bits = (uint32_t)next_random(&seed);
        float f;
        char text[40];
        memcpy(&f, &bits, sizeof f);
        if (!isfinite(f))
            continue;
        assert_true(knx_format_shortest(text, KN_DT(F32), (double)f) <= 15);
        assert_true(strtof(text, NULL) == f);
    }
}

/* The C library (in the "C" locale) is the reference. */
static void expect_as_strtod(const char *s)
{
    char *c_end;
    const char *end = s;
    double c = strtod(s, &c_end), v = 0;
    bool ok = knx_parse_double(s, &end, &v);
    if (ok != (c_end != s) || (ok && (end != c_end || memcmp(&c, &v, sizeof v))))
        fail_msg("%s: %a (%d characters), expected %a (%d)", s, v, (int)(end - s), c, (int)(c_end - s));
}

/* clang-format off */
static const char *const number_texts[] = {
    "0", "-0", "1", "+1", "1.", ".5", ".", "", "-", "e5", "1e", "1e+", "1e5", "1E-5x", "1.5.5", "00012", "0.000",
    "1e400", "-1e400", "1e-400", "5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.47e-324",
    "4.9e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308",
    "1.7976931348623158e308", "1.7976931348623159e308", "179769313486231580793728971405301e276", "9007199254740993",
    "9007199254740992.99999999999999999999999999", "9007199254740993.000000000001", "1e22", "1e23", "8.5e22",
    "123456789012345678901234567890", "0x", "0x.", "0x1", "0x1p", "0x1.8p1", "0x.8p-3", "0X1.FFFFFFFFFFFFFp1023",
    "0x1.fffffffffffff8p1023", "0x1.fffffffffffff7p1023", "0x1p-1074", "0x1p-1075", "0x1.000001p-1075", "0x3p-1075",
    "0x123456789abcdef123456789p-40", "0x1.00000000000008p0", "0x1.000000000000080000000000001p0",
    "0x1.00000000000018p0", "inf", "-INF", "Infinity", "infinit", "in", "1e99999999999", "1e-99999999999",
    "0e99999999999", "0x1p99999999999", "0x0p-99999999999", "1_000", "12e0005", "0.1e1",
};
/* clang-format on */

static void numbers_are_read_as_in_c(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof number_texts / sizeof *number_texts; i++)
        expect_as_strtod(number_texts[i]);
    double v = 0;
    const char *end = NULL;
    assert_true(knx_parse_double("nan(1)", &end, &v) && isnan(v));
    assert_string_equal(end, "(1)");
    assert_false(knx_parse_double(" 1", NULL, &v));
}

static void random_numbers_are_read_as_in_c(void **state)
{
    (void)state;
    uint64_t seed = 5;
    char text[1400];
    for (int i = 0; i < 5000; i++) {
        double v = random_double(&seed);
        snprintf(text, sizeof text, "%.*e", (int)(next_random(&seed) % 25), v);
        expect_as_strtod(text);
        snprintf(text, sizeof text, "%.17g%llu", fabs(v) < 1e10 && fabs(v) > 1e-4 ? v : 0.5,
                 (unsigned long long)next_random(&seed));
        expect_as_strtod(text);
        snprintf(text, sizeof text, "%a", v);
        expect_as_strtod(text);
    }
    for (int i = 0; i < 300; i++) { /* the exact middle between two doubles, and a little more */
        double v = ldexp((double)(next_random(&seed) >> 11), (int)(next_random(&seed) % 1100) - 1074);
        double next = nextafter(v, INFINITY), half = (next - v) / 2;
        if (v < DBL_MIN * 4)
            continue;
        snprintf(text, sizeof text, "%.1200f", v + half == v ? v : next);
        expect_as_strtod(text);
        text[strlen(text) - 1] = '1';
        expect_as_strtod(text);
    }
}

static void halfway_cases_go_to_even(void **state)
{
    (void)state;
    char text[1200];
    for (int e = 1; e <= 1000; e++) { /* 1 + 2^-53 and 1 + 3 * 2^-53 with digits behind, far beyond any buffer */
        snprintf(text, sizeof text, "1.00000000000000011102230246251565404236316680908203125%0*d", e, e % 2);
        expect_as_strtod(text);
        snprintf(text, sizeof text, "1.00000000000000033306690738754696212708950042724609375%0*d", e, e % 2);
        expect_as_strtod(text);
    }
}

KN_TEST_GROUP(test_text)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_look_as_in_numpy),
        cmocka_unit_test(another_locale_changes_nothing),
        cmocka_unit_test(lack_of_memory_is_an_error),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(doubles_are_written_shortly_and_read_back),
        cmocka_unit_test(every_half_and_bfloat16_reads_back),
        cmocka_unit_test(floats_are_written_shortly),
        cmocka_unit_test(numbers_are_read_as_in_c),
        cmocka_unit_test(random_numbers_are_read_as_in_c),
        cmocka_unit_test(halfway_cases_go_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
