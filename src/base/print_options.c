/* SPDX-License-Identifier: Apache-2.0
 * print_options.c -- the print options of a context, and those of a call over them. */
#include "base/print_options.h"
#include "base/context.h"
#include "base/options.h"

#include <string.h>

knx_print_set *knx_print_set_retain(knx_print_set *s)
{
    if (s)
        s->refs++;
    return s;
}

void knx_print_set_release(knx_print_set *s)
{
    if (s && --s->refs == 0)
        knx_free(s);
}

static knx_error *check(const kn_print_opts *o)
{
    static const char *const modes[] = {"fixed", "unique", "maxprec", "maxprec_equal"};
    int mode = 0;
    while (mode < 4 && strcmp(modes[mode], o->floatmode) != 0)
        mode++;
    if (mode == 4)
        return knx_error_new(KN_ERROR_VALUE,
                             "floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", \"maxprec_equal\"");
    if (o->sign != '-' && o->sign != '+' && o->sign != ' ')
        return knx_error_new(KN_ERROR_VALUE, "sign option must be one of ' ', '+', or '-'");
    return NULL;
}

knx_error *knx_print_options(const kn_print_opts *given, kn_print_opts *full)
{
    static const kn_print_opts numpy = {sizeof numpy, 8, 1000, 3, 75, 0, "maxprec", '-', "nan", "inf", NULL};
    kn_context c = knx_context();
    kn_print_opts g = kn_print_opts_default();
    knx_read_options(&g, sizeof g, given);
    *full = c && c->print ? c->print->opts : numpy;
    if (g.precision != KN_AS_SET)
        full->precision = g.precision;
    if (g.threshold != KN_AS_SET)
        full->threshold = g.threshold;
    if (g.edgeitems != KN_AS_SET)
        full->edgeitems = g.edgeitems;
    if (g.linewidth != KN_AS_SET)
        full->linewidth = g.linewidth;
    if (g.suppress != KN_AS_SET)
        full->suppress = g.suppress;
    full->floatmode = g.floatmode ? g.floatmode : full->floatmode;
    full->sign = g.sign ? g.sign : full->sign;
    full->nanstr = g.nanstr ? g.nanstr : full->nanstr;
    full->infstr = g.infstr ? g.infstr : full->infstr;
    full->formatter = g.formatter ? g.formatter : full->formatter;
    return check(full);
}

kn_element_text knx_print_function(const kn_formatter *f, char kind)
{
    kn_element_text one = NULL, some = NULL;
    if (!f)
        return NULL;
    switch (kind) {
    case 'b': one = f->bool_; break;
    case 'f':
        one = f->float_;
        some = f->float_kind;
        break;
    case 'c':
        one = f->complexfloat;
        some = f->complex_kind;
        break;
    default: one = f->int_; some = f->int_kind;
    }
    return one ? one : some ? some : f->all;
}
