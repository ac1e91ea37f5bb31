/* SPDX-License-Identifier: Apache-2.0
 * regex.c -- RE2's regular expressions by PCRE2. What RE2 has and PCRE2 writes in another way is written so; what RE2
 * does not have is refused, as it refuses it. Whether a whole text matches does not depend on the order in which the
 * two look for a match. Source: RE2's table of its syntax. */
#include "models/onnx/ops/regex.h"
#ifdef KN_HAVE_TEXT
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdio.h>

enum { MOST_REPEATS = 1000 }; /* RE2's */

typedef struct translation {
    knonnx_call *c;
    const char *at; /* what is left of the pattern */
    knbeside_bytes out;
    bool in_class, repeatable, repeated; /* something stands before that can be repeated, or is already */
} translation;

static int refuse(const translation *t, const char *what)
{
    return knonnx_fail(t->c, KN_ERROR_VALUE, "RE2's regular expressions have no %s (at \"%.40s\")", what, t->at);
}

static void put(translation *t, const char *text) { knbeside_puts(&t->out, text); }

static void put_some(translation *t, size_t n)
{
    knbeside_put(&t->out, t->at, n);
    t->at += n;
}

/* \Q...\E: letters as they are. */
static void quoted(translation *t)
{
    for (t->at += 2; *t->at && strncmp(t->at, "\\E", 2);) {
        bool letter = (*t->at >= '0' && *t->at <= '9') || (*t->at >= 'A' && *t->at <= 'Z') ||
                      (*t->at >= 'a' && *t->at <= 'z') || (unsigned char)*t->at >= 0x80 || *t->at == '_';
        if (!letter)
            put(t, "\\");
        put_some(t, 1);
    }
    t->at += *t->at ? 2 : 0;
}

static bool is_octal(char c) { return c >= '0' && c <= '7'; }

static int escape(translation *t)
{
    char letter = t->at[1];
    if (letter == 'Q')
        return quoted(t), 0;
    if (!letter)
        return refuse(t, "backslash at the end");
    if (letter == 's' || letter == 'S' || letter == 'v') { /* no vertical tab in RE2's \s, which is \v */
        static const char *const blank[] = {"\\t\\n\\f\\r ", "\\x{0}-\\x{8}\\x{b}\\x{e}-\\x{1f}!-\\x{10ffff}",
                                            "\\x{b}"};
        int which = letter == 's' ? 0 : letter == 'S' ? 1 : 2;
        put(t, t->in_class ? "" : "[");
        put(t, blank[which]);
        put(t, t->in_class ? "" : "]");
        t->at += 2;
        return 0;
    }
    if (letter >= '1' && letter <= '9' && !(is_octal(letter) && is_octal(t->at[2])))
        return refuse(t, "references to groups");
    if (is_octal(letter)) {
        size_t n = 2;
        while (n < 4 && is_octal(t->at[n]))
            n++;
        put(t, "\\o{");
        t->at++;
        put_some(t, n - 1);
        put(t, "}");
        return 0;
    }
    bool alpha = (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
    if (alpha && !strchr(t->in_class ? "aftnrxdDwWpP" : "aftnrxdDwWpPAzbB", letter))
        return refuse(t, "such escape");
    if ((unsigned char)letter >= 0x80 || letter == '_')
        return refuse(t, "such escape");
    if (letter == 'x' && t->at[2] != '{' && !(t->at[2] && t->at[3]))
        return refuse(t, "such escape");
    const char *end = strchr("xpP", letter) && t->at[2] == '{' ? strchr(t->at, '}') : NULL;
    put_some(t, end ? (size_t)(end + 1 - t->at) : 2);
    return 0;
}

/* (?...: groups without a number, names and flags. */
static int group(translation *t)
{
    const char *a = t->at;
    if (a[1] == '*')
        return refuse(t, "verbs");
    if (a[1] != '?') {
        put_some(t, 1);
        return 0;
    }
    size_t n = a[2] == 'P' && a[3] == '<' ? 4 : a[2] == '<' && a[3] != '=' && a[3] != '!' ? 3 : 0;
    if (n) {
        while (a[n] && a[n] != '>')
            n++;
        put_some(t, a[n] ? n + 1 : n);
        return 0;
    }
    for (n = 2; a[n] && strchr("imsU-", a[n]); n++)
        ;
    if (a[n] != ':' && a[n] != ')')
        return refuse(t, "such groups");
    put_some(t, a[n] == ':' ? n + 1 : n); /* the parenthesis that ends flags is read as one */
    return 0;
}

/* {n}, {n,} and {n,m}; other braces are letters. The number of letters; 0: none of these, -1: an error. */
static int braces(translation *t)
{
    int n = 0, a = -1, b = -1;
    const char *at = t->at;
    if (sscanf(at, "{%d}%n", &a, &n) == 1 && n) {
        b = a;
    } else if (n = 0, sscanf(at, "{%d,}%n", &a, &n) == 1 && n) {
        b = 0;
    } else if (n = 0, sscanf(at, "{%d,%d}%n", &a, &b, &n) != 2 || !n) {
        return 0;
    }
    if (strspn(at + 1, "0123456789,") + 2 != (size_t)n)
        return 0;
    return a > MOST_REPEATS || b > MOST_REPEATS ? refuse(t, "repeats beyond 1000") : n;
}

static int repeat(translation *t, size_t n)
{
    if (!t->repeatable)
        return refuse(t, "repeats of nothing");
    if (t->repeated)
        return refuse(t, "repeats of repeats");
    put_some(t, n);
    if (*t->at == '?')
        put_some(t, 1);
    t->repeated = true;
    return 0;
}

static int class(translation *t)
{
    t->in_class = true;
    put_some(t, 1);
    if (*t->at == '^')
        put_some(t, 1);
    bool first = true;
    for (; *t->at && (*t->at != ']' || first); first = false) {
        if (*t->at == '\\') {
            if (escape(t) < 0)
                return -1;
        } else if (!strncmp(t->at, "[:", 2) && strstr(t->at, ":]")) {
            put_some(t, (size_t)(strstr(t->at, ":]") + 2 - t->at));
        } else {
            if (*t->at == '[' || *t->at == ']')
                put(t, "\\");
            put_some(t, 1);
        }
    }
    if (!*t->at)
        return refuse(t, "class without its end");
    put_some(t, 1);
    t->in_class = false;
    return 0;
}

static int translate(translation *t)
{
    while (*t->at) {
        char letter = *t->at;
        int n = letter == '{' ? braces(t) : 0;
        if (n < 0)
            return -1;
        if (n > 0 || letter == '*' || letter == '+' || letter == '?') {
            if (repeat(t, n > 0 ? (size_t)n : 1) < 0)
                return -1;
            continue;
        }
        t->repeated = false;
        t->repeatable = letter != '|' && letter != '(';
        if (letter == '\\' || letter == '(' || letter == '[') {
            if ((letter == '\\' ? escape(t) : letter == '(' ? group(t) : class(t)) < 0)
                return -1;
        } else {
            if (letter == '{')
                put(t, "\\");
            put_some(t, 1);
        }
    }
    return t->out.failed ? knonnx_fail(t->c, KN_ERROR_MEMORY, "no memory") : 0;
}

static pcre2_code *compiled(knonnx_call *c, const translation *t)
{
    int error;
    PCRE2_SIZE at;
    pcre2_compile_context *settings = pcre2_compile_context_create(NULL);
    if (!settings) {
        knonnx_fail(c, KN_ERROR_MEMORY, "no memory");
        return NULL;
    }
    pcre2_set_newline(settings, PCRE2_NEWLINE_LF);
    uint32_t flags = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_NEVER_BACKSLASH_C |
                     PCRE2_NO_AUTO_CAPTURE;
    pcre2_code *code =
        pcre2_compile(t->out.at ? t->out.at : (const uint8_t *)"", t->out.n, flags, &error, &at, settings);
    pcre2_compile_context_free(settings);
    if (!code) {
        PCRE2_UCHAR text[128] = "";
        pcre2_get_error_message(error, text, sizeof text);
        knonnx_fail(c, KN_ERROR_VALUE, "the pattern cannot be read: %s", (const char *)text);
    }
    return code;
}

static int match_all(knonnx_call *c, pcre2_code *code, size_t n, const char *const *text, bool *matches)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    if (!data)
        return knonnx_fail(c, KN_ERROR_MEMORY, "no memory");
    int status = 0;
    for (size_t k = 0; k < n && !status; k++) {
        int found = pcre2_match(code, (PCRE2_SPTR)text[k], strlen(text[k]), 0, 0, data, NULL);
        matches[k] = found >= 0;
        if (found < PCRE2_ERROR_PARTIAL) {
            PCRE2_UCHAR why[128] = "";
            pcre2_get_error_message(found, why, sizeof why);
            status = knonnx_fail(c, KN_ERROR_VALUE, "text %zu cannot be matched: %s", k, (const char *)why);
        }
    }
    pcre2_match_data_free(data);
    return status;
}

int knonnx_regex_full(knonnx_call *c, const char *pattern, size_t n, const char *const *text, bool *matches)
{
    translation t = {.c = c, .at = pattern};
    pcre2_code *code = translate(&t) < 0 ? NULL : compiled(c, &t);
    knbeside_bytes_free(&t.out);
    int status = code ? match_all(c, code, n, text, matches) : -1;
    pcre2_code_free(code);
    return status;
}
#else
int knonnx_regex_full(knonnx_call *c, const char *pattern, size_t n, const char *const *text, bool *matches)
{
    (void)pattern, (void)n, (void)text, (void)matches;
    return knonnx_cannot(c, "regular expressions need PCRE2, which this build is without");
}
#endif
