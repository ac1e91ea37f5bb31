/* SPDX-License-Identifier: Apache-2.0
 * parse_literal.c -- literals of the classic form. */
#include "ir/text/parse_literal.h"
#include "base/digits.h"
#include <string.h>

literal_kind kni_kind_of_text(kni_word w)
{
    if (kni_word_is(w, "True") || kni_word_is(w, "False"))
        return L_BOOL;
    if (w.s[0] == 'b')
        return L_KEY;
    if (w.s[w.n - 1] == 'j' || (w.n > 1 && w.s[w.n - 2] == 'j'))
        return L_COMPLEX;
    for (size_t i = w.s[0] == '-'; i < w.n; i++)
        if (w.s[i] < '0' || w.s[i] > '9')
            return L_FLOAT;
    return L_INT;
}

bool kni_is_literal_text(kni_word w)
{
    if (!w.n)
        return false;
    return strchr("0123456789-(", w.s[0]) || kni_word_is(w, "True") || kni_word_is(w, "False") ||
           kni_word_is(w, "nan") || kni_word_is(w, "inf") || (w.n > 5 && !memcmp(w.s, "bits(", 5));
}

/* 2j, (1+2j): Python's text */
static bool complex_value(kni_word w, kn_dtype d, knx_scalar_bits *bits)
{
    const char *s = w.s + (w.s[0] == '('), *end;
    double re = 0, im;
    if (!knx_parse_double(s, &end, &im))
        return false;
    if (*end != 'j') {
        re = im;
        if (!knx_parse_double(end + (*end == '+'), &end, &im))
            return false;
    }
    if (*end != 'j')
        return false;
    kn_dtype part = knx_component(d);
    knx_scalar_bits half[2] = {knx_scalar_from_double(part, re), knx_scalar_from_double(part, im)};
    memcpy(bits->bytes, &half[0], part->size);
    memcpy(bits->bytes + part->size, &half[1], part->size);
    return true;
}

bool kni_literal_bits(kni_word w, kn_dtype d, bool exact, knx_scalar_bits *bits)
{
    const char *end = w.s;
    char text[48];
    double v;
    *bits = (knx_scalar_bits){.u = {0}};
    switch (d->kind) {
    case KN_KIND_BOOL: bits->u8 = w.s[0] == 'T'; return true;
    case KN_KIND_INT:
    case KN_KIND_UINT: {
        uint64_t m = 0;
        bool negative = w.s[0] == '-';
        for (end += negative; end < w.s + w.n; end++)
            if (__builtin_mul_overflow(m, (uint64_t)10, &m) || __builtin_add_overflow(m, (uint64_t)(*end - '0'), &m))
                return false;
        if (negative && m > (uint64_t)1 << 63)
            return false;
        m = negative ? 0 - m : m;
        if (!knx_int_fits(d, !negative || !m, m))
            return false;
        *bits = knx_scalar_from_int(d, (int64_t)m);
        return true;
    }
    case KN_KIND_FLOAT:
        if (!knx_parse_double(w.s, &end, &v) || end != w.s + w.n)
            return false;
        *bits = knx_scalar_from_double(d, v);
        knx_format_shortest(text, d, knx_scalar_to_double(d, *bits));
        return !exact || (strlen(text) == w.n && !memcmp(text, w.s, w.n));
    case KN_KIND_COMPLEX: return complex_value(w, d, bits);
    case KN_KIND_KEY: return kni_bits_value(&end, d->size, bits) && end == w.s + w.n;
    }
    return false;
}

literal_kind kni_kind_of_dtype(kn_dtype d)
{
    switch (d->kind) {
    case KN_KIND_BOOL: return L_BOOL;
    case KN_KIND_INT:
    case KN_KIND_UINT: return L_INT;
    case KN_KIND_FLOAT: return L_FLOAT;
    case KN_KIND_COMPLEX: return L_COMPLEX;
    case KN_KIND_KEY: return L_KEY;
    }
    return L_KEY;
}
