/* SPDX-License-Identifier: Apache-2.0
 * sets.c -- sets of extents: 0, 1, 2, primes, powers of two, large ones, as far as the constraints of a case and the
 * memory allow; the texts of types as .symbolic has them. */
#include "judge.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ELEMENTS = 300000, TRIES = 300 };

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

/* Is it a variable, one letter alone? */
static bool is_letter(const char *text, const char *at)
{
    return islower((unsigned char)*at) && (at == text || !isalnum((unsigned char)at[-1])) &&
           !isalnum((unsigned char)at[1]);
}

static uint32_t letters(const char *types)
{
    uint32_t found = 0;
    for (const char *at = types; *at; at++)
        if (is_letter(types, at))
            found |= 1u << (*at - 'a');
    return found;
}

/* For variable number i of a set of kind k. `one`: the variable that may be large. */
static int64_t extent(int k, int i, bool one, uint64_t random)
{
    static const int64_t prime[] = {2, 3, 5, 7, 11, 13, 17}, some[] = {31, 64, 100, 127, 257},
                         large[] = {100003, 99999, 65536, 4099, 1000, 100000};
    switch (k) {
    case 0:
    case 1:
    case 2: return k;
    case 3: return (int64_t)(random % 3);
    case 4:
    case 5:
    case 6:
    case 7: return prime[random % 7];
    case 8:
    case 9:
    case 10: return 1 + (int64_t)(random % 17);
    case 11:
    case 12: return some[random % 5];
    case 13: return i % 2 ? 1 : some[random % 5];
    case 19: return one ? 0 : 1 + (int64_t)(random % 9);
    default: return one ? large[(k - 14) % 6] : 1 + (int64_t)(random % 3);
    }
}

/* Elements of all arguments and results; -1: not allowed. */
static double elements(const char *types, const char *want, const int64_t *number)
{
    double all = 0;
    symbolic_arguments a;
    for (int k = 0; k < 2; k++) {
        const char *text = k ? want : types;
        if (!text || strstr(text, ": ") || strstr(text, "key<"))
            continue;
        if (!symbolic_with_numbers(text, number, &a))
            return k ? all : -1;
        for (int i = 0; i < a.n; i++) {
            double size = 1;
            for (int d = 0; d < a.type[i].ndim; d++)
                size *= (double)a.dim[i][d];
            all += size;
        }
    }
    return all;
}

static int largest(uint32_t found, const int64_t *number)
{
    int best = -1;
    for (int i = 0; i < 26; i++)
        if (found >> i & 1 && (best < 0 || number[i] > number[best]))
            best = i;
    return best;
}

bool set_of_extents(const char *types, const char *want, int k, int64_t number[26])
{
    uint32_t found = letters(types);
    int count = __builtin_popcount(found);
    for (int i = 0; i < 26; i++)
        number[i] = 1;
    if (!found)
        return k == 0;
    for (uint64_t attempt = 0; attempt < TRIES; attempt++) {
        int kind = attempt < TRIES / 2 ? k : 8, n = 0;
        for (int i = 0; i < 26; i++) {
            if (!(found >> i & 1))
                continue;
            uint64_t random = mixed((uint64_t)k * 1000003 + attempt * 7919 + (uint64_t)i * 31 + 1);
            number[i] = extent(kind, n, n == (k + (int)attempt) % count, random);
            n++;
        }
        double all = elements(types, want, number);
        for (int b = largest(found, number); all > MOST_ELEMENTS && number[b] > 1; b = largest(found, number)) {
            number[b] = number[b] / 2 + number[b] % 2;
            all = elements(types, want, number);
        }
        if (all >= 0 && all <= MOST_ELEMENTS)
            return true;
    }
    return false;
}

bool types_of_lanes(const char *types, char *out, size_t room)
{
    uint32_t found = letters(types);
    int lane = 'v' - 'a';
    size_t n = 0;
    while (lane > 0 && found >> lane & 1)
        lane--;
    bool behind = false; /* of the bar */
    for (const char *at = types; *at && n + 4 < room; at++) {
        behind |= *at == '|';
        out[n++] = *at;
        if (*at == '[' && !behind) {
            out[n++] = (char)('a' + lane);
            if (at[1] != ']')
                out[n++] = ',';
        }
    }
    out[n] = 0;
    return n + 4 < room;
}

void shapes_of_types(const char *types, char *shapes, char *constraints, size_t room)
{
    size_t n = 0, m = 0;
    int depth = 0; /* of parentheses: commas inside do not separate extents */
    bool inside = false, first = true;
    const char *at = types;
    for (; *at && *at != '|' && n + 3 < room; at++) {
        if (*at == '[') {
            if (!first)
                shapes[n++] = ',';
            inside = true;
            first = false;
        } else if (*at == ']')
            inside = false;
        else if (inside && *at != ' ') {
            depth += (*at == '(') - (*at == ')');
            shapes[n++] = *at == ',' && !depth ? ' ' : *at;
        }
    }
    shapes[n] = 0;
    for (at += *at == '|'; *at && m + 1 < room; at++)
        constraints[m++] = *at == '|' ? ';' : *at;
    constraints[m] = 0;
}
