/* SPDX-License-Identifier: Apache-2.0
 * test_printing.c -- arrays and numbers as text with all options, byte by byte as NumPy writes them
 * (scripts/golden/make_printing.py), and read again. */
#include "support/bits.h"
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>
#include <stdlib.h>

#ifndef KN_TEST_DIR
#define KN_TEST_DIR "tests"
#endif

enum { MAX_LINE = 1 << 16 };

/* ---- The file. */

static size_t put_code(char *to, unsigned code) /* UTF-8 */
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    to[0] = (char)(0xe0 | code >> 12);
    to[1] = (char)(0x80 | (code >> 6 & 0x3f));
    to[2] = (char)(0x80 | (code & 0x3f));
    return 3;
}

/* Python's unicode_escape, undone in place. */
static void unescape(char *s)
{
    char *out = s;
    while (*s) {
        if (*s != '\\') {
            *out++ = *s++;
            continue;
        }
        char kind = s[1];
        size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 0;
        unsigned code = 0;
        for (size_t i = 0; i < digits; i++)
            code = code * 16 + (unsigned)(s[2 + i] <= '9' ? s[2 + i] - '0' : (s[2 + i] | 0x20) - 'a' + 10);
        if (digits)
            out += put_code(out, code);
        else
            *out++ = kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == 'r' ? '\r' : kind;
        s += 2 + digits;
    }
    *out = '\0';
}

/* ---- The functions that the script has in Python. */

static char answer[400];

static const char *two(void *env, kn_array x)
{
    (void)env;
    snprintf(answer, sizeof answer, "%.2f", kn_item(x));
    return answer;
}

static const char *angle(void *env, kn_array x)
{
    (void)env;
    snprintf(answer, sizeof answer, "<%s>", kn_array_str(x));
    return answer;
}

static const char *in_lines(void *env, kn_array x)
{
    (void)env;
    const char *text = kn_array_str(x);
    snprintf(answer, sizeof answer, "%s\n[%s]\n!", text, text);
    return answer;
}

/* "float_kind:two,all:lines" */
static void set_formatter(kn_formatter *f, char *text)
{
    *f = (kn_formatter){.env = NULL};
    for (char *next = NULL; text && *text; text = next) {
        next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        char *name = strchr(text, ':');
        *name++ = '\0';
        kn_element_text one = !strcmp(name, "two") ? two : !strcmp(name, "angle") ? angle : in_lines;
        kn_element_text *slot = !strcmp(text, "all")            ? &f->all
                                : !strcmp(text, "int_kind")     ? &f->int_kind
                                : !strcmp(text, "float_kind")   ? &f->float_kind
                                : !strcmp(text, "complex_kind") ? &f->complex_kind
                                : !strcmp(text, "bool")         ? &f->bool_
                                : !strcmp(text, "int")          ? &f->int_
                                : !strcmp(text, "float")        ? &f->float_
                                                                : &f->complexfloat;
        *slot = one;
    }
}

/* ---- Options. */

typedef struct options {
    int n;
    char *name[16], *value[16];
    kn_formatter formatter;
} options;

static void read_options(options *o, char *text)
{
    o->n = 0;
    for (char *s = strcmp(text, "-") ? text : NULL; s && *s;) {
        char *next = strchr(s, ';'), *value = strchr(s, '=');
        if (next)
            *next++ = '\0';
        *value++ = '\0';
        unescape(value);
        o->name[o->n] = s;
        o->value[o->n++] = value;
        s = next;
    }
}

static char *text_option(const options *o, const char *name)
{
    for (int i = 0; i < o->n; i++)
        if (!strcmp(o->name[i], name))
            return o->value[i];
    return NULL;
}

static int int_option(const options *o, const char *name, int otherwise)
{
    const char *text = text_option(o, name);
    return text ? atoi(text) : otherwise;
}

static char char_option(const options *o, const char *name, char otherwise)
{
    const char *text = text_option(o, name);
    return text ? *text : otherwise;
}

static const kn_formatter *formatter_option(options *o)
{
    char *text = text_option(o, "formatter");
    if (!text)
        return NULL;
    set_formatter(&o->formatter, text);
    return &o->formatter;
}

static kn_print_opts print_options(options *o)
{
    return (kn_print_opts){.size_ = sizeof(kn_print_opts),
                           .precision = int_option(o, "precision", KN_AS_SET),
                           .threshold = int_option(o, "threshold", KN_AS_SET),
                           .edgeitems = int_option(o, "edgeitems", KN_AS_SET),
                           .linewidth = int_option(o, "linewidth", KN_AS_SET),
                           .suppress = int_option(o, "suppress", KN_AS_SET),
                           .floatmode = text_option(o, "floatmode"),
                           .sign = char_option(o, "sign", 0),
                           .nanstr = text_option(o, "nanstr"),
                           .infstr = text_option(o, "infstr"),
                           .formatter = formatter_option(o)};
}

/* ---- One line. */

static int calls; /* of str and repr */

/* Every other time as options of the context. */
static const char *text_of(kn_array x, options *o, bool repr)
{
    kn_print_opts p = print_options(o);
    if (calls++ % 2)
        return repr ? (kn_repr)(x, &p) : (kn_array_str)(x, &p);
    if ((kn_printoptions)(&p) < 0)
        return "";
    const char *text = repr ? (kn_array_repr)(x, NULL) : (kn_array_str)(x, NULL);
    assert_int_equal((kn_printoptions_pop)(), 0);
    return text;
}

static const char *lines_of(kn_array x, options *o)
{
    return kn_array2string(
        x, .max_line_width = int_option(o, "max_line_width", KN_AS_SET),
        .precision = int_option(o, "precision", KN_AS_SET),
        .suppress_small = int_option(o, "suppress_small", KN_AS_SET), .separator = text_option(o, "separator"),
        .prefix = text_option(o, "prefix"), .suffix = text_option(o, "suffix"), .formatter = formatter_option(o),
        .threshold = int_option(o, "threshold", KN_AS_SET), .edgeitems = int_option(o, "edgeitems", KN_AS_SET),
        .sign = char_option(o, "sign", 0), .floatmode = text_option(o, "floatmode"));
}

static const char *positional(kn_array x, const options *o)
{
    return kn_format_float_positional(
        x, .precision = int_option(o, "precision", -1), .unique = int_option(o, "unique", 1),
        .fractional = int_option(o, "fractional", 1), .trim = char_option(o, "trim", 'k'),
        .sign = int_option(o, "sign", 0), .pad_left = int_option(o, "pad_left", -1),
        .pad_right = int_option(o, "pad_right", -1), .min_digits = int_option(o, "min_digits", -1));
}

static const char *scientific(kn_array x, const options *o)
{
    return kn_format_float_scientific(x, .precision = int_option(o, "precision", -1),
                                      .unique = int_option(o, "unique", 1), .trim = char_option(o, "trim", 'k'),
                                      .sign = int_option(o, "sign", 0), .pad_left = int_option(o, "pad_left", -1),
                                      .exp_digits = int_option(o, "exp_digits", -1),
                                      .min_digits = int_option(o, "min_digits", -1));
}

static const char *ratio_of(kn_array x)
{
    kn_integer_ratio r = kn_as_integer_ratio(x);
    snprintf(answer, sizeof answer, "%lld/%lld", (long long)r.numerator, (long long)r.denominator);
    return answer;
}

static const char *answer_to(const char *name, kn_array x, options *o)
{
    return !strcmp(name, "str")            ? text_of(x, o, false)
           : !strcmp(name, "repr")         ? text_of(x, o, true)
           : !strcmp(name, "array2string") ? lines_of(x, o)
           : !strcmp(name, "positional")   ? positional(x, o)
           : !strcmp(name, "scientific")   ? scientific(x, o)
           : !strcmp(name, "hex")          ? kn_float_hex(x)
           : !strcmp(name, "ratio")        ? ratio_of(x)
           : !strcmp(name, "base")
               ? kn_base_repr(x, .base = int_option(o, "base", 2), .padding = int_option(o, "padding", 0))
           : !strcmp(name, "binary") ? kn_binary_repr(x, .width = int_option(o, "width", -1))
                                     : NULL;
}

static kn_array read_array(const char *dtype, char *shape, char *hex)
{
    static uint8_t data[1 << 14];
    kn_dtype d = kn_dtype_named(dtype);
    kn_shape s = {.ndim = 0};
    for (char *e = strcmp(shape, "()") ? strtok(shape, ",") : NULL; e; e = strtok(NULL, ","))
        s.dim[s.ndim++] = atoi(e);
    size_t n = strcmp(hex, "-") ? strlen(hex) / 2 : 0, part = kn_dtype_size(d) / (kn_dtype_kind(d) == 'c' ? 2 : 1);
    for (size_t i = 0; i < n; i++) {
        unsigned byte = 0;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        data[i] = (uint8_t)byte;
    }
    bits_from_little(data, part, n / part);
    return (kn_from_memory)(data, &s, d);
}

/* What came out, or "[ValueError] its message" without the name of the function, as the script writes it. */
static const char *outcome(const char *text)
{
    static char error[1000];
    if (!kn_error_pending())
        return text;
    const char *message = strstr(kn_error_message(), ": ");
    snprintf(error, sizeof error, "[%s] %s", kn_error_kind_name(), message ? message + 2 : kn_error_message());
    kn_error_clear();
    return error;
}

typedef void (*case_reader)(kn_array x, const char *name, options *o, const char *want, int line);

static int for_each_case(case_reader f)
{
    FILE *file = fopen(KN_TEST_DIR "/golden/printing.txt", "r");
    char *line = malloc(MAX_LINE);
    int n = 0, number = 0;
    kn_array x = NULL;
    assert_non_null(file);
    assert_non_null(line);
    while (fgets(line, MAX_LINE, file)) {
        char *field[4] = {line, NULL, NULL, NULL};
        line[strcspn(line, "\n")] = '\0';
        number++;
        for (int i = 1; i < 4 && field[i - 1]; i++) {
            field[i] = strchr(field[i - 1], '\t');
            if (field[i])
                *field[i]++ = '\0';
        }
        KN_SCOPE;
        if (!strcmp(field[0], "array") || !strcmp(field[0], "number")) {
            char scalar[] = "()";
            kn_assign(&x, field[3] ? read_array(field[1], field[2], field[3]) : read_array(field[1], scalar, field[2]));
            continue;
        }
        options o;
        read_options(&o, field[1]);
        unescape(field[2]);
        f(x, field[0], &o, field[2], number);
        n++;
    }
    free(line);
    fclose(file);
    return n;
}

static int different;

static void compare(kn_array x, const char *name, options *o, const char *want, int line)
{
    const char *have = outcome(answer_to(name, x, o));
    if (strcmp(have, want) && different++ < 20)
        print_error("printing.txt:%d (%s)\n--- NumPy\n%s\n--- Kiln\n%s\n", line, name, want, have);
}

static void texts_are_those_of_numpy(void **state)
{
    (void)state;
    KN_SCOPE;
    different = 0;
    assert_true(for_each_case(compare) > 5000);
    assert_int_equal(different, 0);
}

/* ---- There and back. */

static int read_back;

static bool tells_all(const options *o)
{
    return !text_option(o, "precision") && !text_option(o, "threshold") && !text_option(o, "formatter") &&
           !text_option(o, "nanstr") && !text_option(o, "infstr") && !text_option(o, "suppress");
}

/* Their repr with all digits is read as the same array. */
static void read_again(kn_array x, const char *name, options *o, const char *want, int line)
{
    if (strcmp(name, "repr") || !tells_all(o))
        return;
    (void)want;
    char sign = char_option(o, "sign", 0);
    const char *text = kn_repr(x, .floatmode = "unique", .sign = sign,
                               .linewidth = int_option(o, "linewidth", KN_AS_SET), .threshold = 2000);
    kn_array y = kn_array_parse(text);
    bool same = kn_ok(y) && kn_dtype_of(y) == kn_dtype_of(x) && kn_ndim(x) == kn_ndim(y) &&
                kn_array_equal(x, y, .equal_nan = true);
    if (!same && different++ < 20)
        print_error("printing.txt:%d\n%s\n--- is read as %s\n%s\n", line, text, kn_repr(y), kn_error_message());
    kn_error_clear();
    read_back++;
}

static void what_was_printed_is_read_again(void **state)
{
    (void)state;
    KN_SCOPE;
    different = read_back = 0;
    for_each_case(read_again);
    assert_int_equal(different, 0);
    assert_true(read_back > 400);
}

KN_TEST_GROUP(test_printing)
{
    const struct CMUnitTest tests[] = {TEST(texts_are_those_of_numpy), TEST(what_was_printed_is_read_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
