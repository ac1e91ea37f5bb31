/* SPDX-License-Identifier: Apache-2.0
 * python_number.c -- numbers in texts, as Python reads them. */
#include "io/python_number.h"
#include "base/memory.h"
#include "io/element.h"
#include "io/text_in.h"

#include <string.h>

enum { ROOM = 128 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A copy without white space around it and without underscores, which stand between digits only. */
typedef struct plain {
    char room[ROOM], *s;
    size_t n;
} plain;

static bool make_plain(const char *s, const char *end, plain *p)
{
    knio_strip(&s, &end);
    size_t n = (size_t)(end - s);
    *p = (plain){.s = p->room};
    if (n >= ROOM)
        p->s = knx_alloc(n + 1);
    if (!p->s)
        return false;
    for (const char *c = s; c < end; c++) {
        if (*c != '_') {
            p->s[p->n++] = *c;
        } else if (c == s || c + 1 == end || !is_digit(c[-1]) || !is_digit(c[1])) {
            p->n = 0;
            break;
        }
    }
    p->s[p->n] = '\0';
    return true;
}

static void drop_plain(plain *p)
{
    if (p->s != p->room)
        knx_free(p->s);
}

knio_read knio_python_bool(const char *s, const char *end, bool *v)
{
    static const char *const word[] = {"false", "true"};
    size_t n = (size_t)(end - s);
    for (int i = 0; i < 2; i++) {
        size_t k = 0;
        while (k < n && word[i][k] && (s[k] | 0x20) == word[i][k])
            k++;
        if (k == n && !word[i][k]) {
            *v = i;
            return KNIO_YES;
        }
    }
    return KNIO_NO;
}

static knio_read read_int(const plain *p, uint64_t *bits, bool *is_unsigned)
{
    const char *s = p->s, *end = p->s + p->n;
    bool negative = s < end && *s == '-', over = false;
    uint64_t v = 0;
    s += s < end && (*s == '-' || *s == '+');
    if (s == end)
        return KNIO_NO;
    for (; s < end; s++) {
        if (!is_digit(*s))
            return KNIO_NO;
        over |= __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v);
    }
    if (over || (negative && v > (uint64_t)1 << 63))
        return KNIO_TOO_LARGE;
    *is_unsigned = !negative && v > INT64_MAX;
    *bits = negative ? -v : v;
    return KNIO_YES;
}

knio_read knio_python_int(const char *s, const char *end, uint64_t *bits, bool *is_unsigned)
{
    plain p;
    if (!make_plain(s, end, &p))
        return KNIO_NO;
    knio_read r = read_int(&p, bits, is_unsigned);
    drop_plain(&p);
    return r;
}

knio_read knio_python_float(const char *s, const char *end, double *v)
{
    plain p;
    if (!make_plain(s, end, &p))
        return KNIO_NO;
    bool is = p.n && knio_read_double(p.s, p.s + p.n, v);
    drop_plain(&p);
    return is ? KNIO_YES : KNIO_NO;
}

/* The longest float at s; a sign alone is 1 if a 'j' is behind it. */
static const char *part(const char *s, const char *end, double *v)
{
    const char *last = NULL;
    bool sign = s < end && (*s == '-' || *s == '+');
    if (s + sign < end && s[sign] == 'j') {
        *v = sign && *s == '-' ? -1 : 1;
        return s + sign;
    }
    for (const char *stop = end; stop > s && !last; stop--)
        if ((stop == end || *stop == 'j' || *stop == 'J' || *stop == '+' || *stop == '-') &&
            knio_read_double(s, stop, v))
            last = stop;
    return last;
}

static bool read_complex(char *s, char *end, kn_c128 *v)
{
    const char *inner = s, *stop = end;
    if (s < end && *s == '(') {
        if (end[-1] != ')')
            return false;
        inner = s + 1;
        stop = end - 1;
        knio_strip(&inner, &stop);
    }
    for (char *c = s; c < end; c++)
        *c = *c == 'J' ? 'j' : *c;
    *v = (kn_c128){0};
    const char *at = part(inner, stop, &v->re);
    if (!at)
        return false;
    if (at < stop && *at == 'j') {
        v->im = v->re;
        v->re = 0;
        return at + 1 == stop;
    }
    if (at == stop)
        return true;
    if (*at != '+' && *at != '-')
        return false;
    at = part(at, stop, &v->im);
    return at && at + 1 == stop && *at == 'j';
}

knio_read knio_python_complex(const char *s, const char *end, kn_c128 *v)
{
    plain p;
    if (!make_plain(s, end, &p))
        return KNIO_NO;
    bool is = p.n && read_complex(p.s, p.s + p.n, v);
    drop_plain(&p);
    return is ? KNIO_YES : KNIO_NO;
}
