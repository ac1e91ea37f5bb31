/* SPDX-License-Identifier: Apache-2.0
 * numbers_helpers.c -- which helper functions a text needs: a number for each, and a bit for each that is wanted. */
#include "wgsl/numbers_internal.h"
#include <string.h>

/* These two depend on the unit. Compilers of drivers change chains of operations: they take x - x for 0 and (a + b) - a
 * for b, or join a product and a sum. A result that has been xored with a word of which they know nothing is a number of
 * its own for them. It is also how a NaN is written: WGSL has no constant for it. */
static const knw_helper made[] = {{"kn_f32", NULL}, {"kn_hide", NULL}};
static const knw_helper_list made_helpers = {made, 2};

static const knw_helper_list *const lists[] = {&made_helpers, &knw_integer_helpers, &knw_wide_helpers,
                                               &knw_float_helpers, &knw_convert_helpers};
enum { LISTS = sizeof lists / sizeof *lists };

static const knw_helper *helper(int number)
{
    for (int i = 0; i < LISTS; number -= lists[i++]->n)
        if (number < lists[i]->n)
            return &lists[i]->row[number];
    return NULL;
}

static int number_of(const char *name, size_t n)
{
    const knw_helper *h;
    for (int i = 0; (h = helper(i)); i++)
        if (strlen(h->name) == n && memcmp(h->name, name, n) == 0)
            return i;
    return -1;
}

static size_t name_length(const char *s)
{
    return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

void knw_want_calls(knw_unit *u, const char *text)
{
    while ((text = strstr(text, "kn_"))) {
        size_t n = name_length(text);
        int number = text[n] == '(' ? number_of(text, n) : -1;
        if (number >= 0)
            u->want[number / 64] |= (uint64_t)1 << number % 64;
        text += n;
    }
}

void knw_want(knw_unit *u, const char *name)
{
    int number = number_of(name, strlen(name));
    if (number >= 0)
        u->want[number / 64] |= (uint64_t)1 << number % 64;
}

static void put(const knw_unit *u, knx_str *t, const knw_helper *h)
{
    const char *hidden = knw_hides(u) ? u->hidden : NULL, *by = hidden ? " ^ " : "";
    if (h == &made[0])
        knx_str_printf(t, "fn kn_f32(bits: u32) -> f32 {\n    return bitcast<f32>(bits%s%s);\n}\n", by,
                       hidden ? hidden : "");
    else if (h == &made[1])
        knx_str_printf(t, "fn kn_hide(x: f32) -> f32 {\n    return bitcast<f32>(bitcast<u32>(x)%s%s);\n}\n", by,
                       hidden ? hidden : "");
    else
        knx_str_puts(t, h->text);
}

void knw_helpers(const knw_unit *u, knx_str *t)
{
    knw_unit all = *u;
    uint64_t before[4];
    do { /* what they call, and what that calls */
        memcpy(before, all.want, sizeof before);
        const knw_helper *h;
        for (int i = 0; (h = helper(i)); i++)
            if (h->text && (before[i / 64] >> i % 64 & 1))
                knw_want_calls(&all, h->text);
    } while (memcmp(before, all.want, sizeof before) != 0);
    const knw_helper *h;
    for (int i = 0; (h = helper(i)); i++)
        if (all.want[i / 64] >> i % 64 & 1)
            put(u, t, h);
}
