/* SPDX-License-Identifier: Apache-2.0
 * printf.c -- printf of numbers and 0-d arrays. The arguments come with their kinds, so conversions are checked against
 * them. */
#include "base/out.h"
#include "base/str.h"
#include "array/op.h"
#include "kiln/print.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One conversion: "%-8.3f" without length modifiers, and its letter. */
typedef struct conversion {
    char spec[32];
    char letter;
} conversion;

enum { MAX_WIDTH = 65535, MAX_DIGITS = 5, MAX_FLAGS = 5 };

/* A width or a precision; NULL if it is too large. */
static const char *read_number(const char *s, conversion *c, size_t *n)
{
    const char *end = s + strspn(s, "0123456789");
    long v = end - s > MAX_DIGITS ? LONG_MAX : strtol(s, NULL, 10);
    if (v > MAX_WIDTH)
        return NULL;
    memcpy(c->spec + *n, s, (size_t)(end - s));
    *n += (size_t)(end - s);
    return end;
}

/* Reads the conversion at s (behind the %): flags, width, precision, letter. Returns what is behind it, NULL if there
 * is none to be had. What goes on to libc is what was understood here. */
static const char *read_conversion(const char *s, conversion *c)
{
    size_t flags = strspn(s, "-+ #0"), n = 0;
    c->spec[n++] = '%';
    if (flags > MAX_FLAGS)
        return NULL;
    memcpy(c->spec + n, s, flags);
    n += flags;
    s = read_number(s + flags, c, &n);
    if (s && *s == '.') {
        c->spec[n++] = '.';
        s = read_number(s + 1, c, &n);
    }
    if (!s)
        return NULL;
    while (*s && strchr("hlLqjzt", *s)) /* lengths are known from the arguments */
        s++;
    c->spec[n] = '\0';
    c->letter = *s;
    return *s ? s + 1 : NULL;
}

/* A 0-d array as a number of its own kind. */
static bool number_of(kna_op *op, const kn_printf_arg *a, kn_printf_arg *out)
{
    kni_type t;
    *out = *a;
    if (a->kind != KN_ARG_ARRAY)
        return true;
    const void *at = kna_look(op, a->array, &t);
    if (!at)
        return false;
    if (kni_type_size(t) != 1 || t.dtype->kind == KN_KIND_KEY) {
        knx_text shape = {0};
        kna_fail(op, KN_ERROR_TYPE, "only arrays with one element can be printed as numbers, not %s",
                 kni_type_text(&shape, t, true));
        return false;
    }
    out->kind = t.dtype->kind == KN_KIND_UINT ? KN_ARG_UINT : knx_is_inexact(t.dtype) ? KN_ARG_DOUBLE : KN_ARG_INT;
    if (out->kind == KN_ARG_DOUBLE)
        knx_convert(t.dtype, at, KN_DT(F64), &out->number);
    else
        knx_convert(t.dtype, at, out->kind == KN_ARG_UINT ? KN_DT(U64) : KN_DT(I64), &out->integer);
    return true;
}

static void add_formatted(knx_str *t, const char *spec, const kn_printf_arg *a, char letter)
{
    char small[128], *big = NULL, *to = small;
    size_t room = sizeof small;
    for (int attempt = 0; attempt < 2; attempt++) {
        int n = a->kind == KN_ARG_TEXT     ? snprintf(to, room, spec, a->text ? a->text : "(null)")
                : letter == 'c'            ? snprintf(to, room, spec, (int)a->integer)
                : a->kind == KN_ARG_DOUBLE ? snprintf(to, room, spec, a->number)
                                           : snprintf(to, room, spec, (intmax_t)a->integer);
        if (n >= 0 && (size_t)n < room) {
            knx_str_add(t, to, (size_t)n);
            break;
        }
        room = n < 0 ? 0 : (size_t)n + 1;
        to = big = n < 0 ? NULL : knx_alloc(room);
        if (!big) {
            t->failed = true;
            break;
        }
    }
    knx_free(big);
}

/* One argument by one conversion; fails if they do not go together. */
static void convert(kna_op *op, knx_str *t, const conversion *c, const kn_printf_arg *given, int i)
{
    static const char *const kinds[] = {"an integer", "an integer", "an integer", "a floating-point number",
                                        "an array",   "a string"};
    kn_printf_arg a;
    char spec[40];
    if (!number_of(op, given, &a))
        return;
    if (a.kind == KN_ARG_INT && knx_is_symbolic(a.integer) && knx_dim_now() && strchr("diu", c->letter)) {
        t->failed |= !knx_dim_text(t, a.integer); /* an extent that is an expression */
        return;
    }
    bool integer = strchr("diuxXoc", c->letter) != NULL, real = strchr("eEfFgGaA", c->letter) != NULL;
    if (real && (a.kind == KN_ARG_INT || a.kind == KN_ARG_UINT)) {
        a.number = a.kind == KN_ARG_UINT ? (double)(uint64_t)a.integer : (double)a.integer;
        a.kind = KN_ARG_DOUBLE;
    }
    bool fits = real      ? a.kind == KN_ARG_DOUBLE
                : integer ? a.kind == KN_ARG_INT || a.kind == KN_ARG_UINT
                          : c->letter == 's' && a.kind == KN_ARG_TEXT;
    if (!fits) {
        kna_fail(op, KN_ERROR_TYPE, "conversion %%%c does not take argument %d, which is %s", c->letter, i,
                 kinds[a.kind]);
        return;
    }
    char letter = a.kind == KN_ARG_UINT && (c->letter == 'd' || c->letter == 'i') ? 'u' : c->letter;
    snprintf(spec, sizeof spec, "%s%s%c", c->spec, integer && letter != 'c' ? "j" : "", letter);
    add_formatted(t, spec, &a, letter);
}

static void format_all(kna_op *op, knx_str *t, const char *format, int n, const kn_printf_arg *args)
{
    int used = 0;
    while (*format && !kna_failed(op)) {
        size_t plain = strcspn(format, "%");
        knx_str_add(t, format, plain);
        format += plain;
        if (!*format)
            break;
        if (format[1] == '%') {
            knx_str_add(t, "%", 1);
            format += 2;
            continue;
        }
        conversion c;
        const char *rest = read_conversion(format + 1, &c);
        if (!rest && strspn(format + 1, "-+ #0123456789."))
            kna_fail(op, KN_ERROR_VALUE, "a width or precision of the conversion \"%.40s\" is larger than %d", format,
                     MAX_WIDTH);
        else if (!rest || !strchr("diuxXoceEfFgGaAs", c.letter))
            kna_fail(op, KN_ERROR_VALUE, "cannot read the conversion \"%.8s\"", format);
        else if (used < n)
            convert(op, t, &c, &args[used], used);
        used++;
        format = rest ? rest : "";
    }
    if (!kna_failed(op) && used != n)
        kna_fail(op, KN_ERROR_TYPE, "the format has %d conversion%s, but was given %d argument%s", used,
                 used == 1 ? "" : "s", n, n == 1 ? "" : "s");
}

int kn_printf_args(const char *format, int n, const kn_printf_arg *args)
{
    kna_op op;
    knx_str text = {0};
    kna_begin(&op, "printf");
    kna_given_list(&op, n, args, INT_MAX, "args");
    if (format && !kna_failed(&op))
        format_all(&op, &text, format, n, args);
    else if (!format)
        kna_fail(&op, KN_ERROR_TYPE, "the format is missing");
    if (text.failed)
        kna_fail_with(&op, knx_error_nomem());
    bool ok = kna_end_plain(&op);
    if (ok && text.n)
        knx_out(text.s);
    int written = ok ? (int)text.n : -1;
    knx_str_free(&text);
    return written;
}
