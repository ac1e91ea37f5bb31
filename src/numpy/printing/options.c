/* SPDX-License-Identifier: Apache-2.0
 * options.c -- arrays as text with all options, and the print options of a context. */
#include "array/handle.h"
#include "base/print_options.h"
#include "face/text.h"
#include "kiln/numpy/printing.h"
#include "lib/internal.h"
#include <string.h>

const char *kn_array2string(kn_array a, const kn_array2string_opts *opts)
{
    KNX_OPTS(kn_array2string_opts, o, opts);
    const kn_print_opts print = {.size_ = sizeof print,
                                 .precision = o.precision,
                                 .threshold = o.threshold,
                                 .edgeitems = o.edgeitems,
                                 .linewidth = o.max_line_width,
                                 .suppress = o.suppress_small,
                                 .floatmode = o.floatmode,
                                 .sign = o.sign,
                                 .nanstr = o.nanstr,
                                 .infstr = o.infstr,
                                 .formatter = o.formatter};
    const knx_text_form form = {.what = KNX_TEXT_ARRAY,
                                .separator = o.separator ? o.separator : " ",
                                .prefix = o.prefix ? o.prefix : "",
                                .suffix = o.suffix ? o.suffix : ""};
    kna_op op;
    kna_begin(&op, "array2string");
    char *text = knface_text(&op, a, &print, &form);
    return knface_own_text(kna_end_plain(&op) ? text : NULL);
}

/* ---- The options of a context. */

static char *put_text(const char **text, char *to)
{
    size_t n = strlen(*text) + 1;
    memcpy(to, *text, n);
    *text = to;
    return to + n;
}

/* A set of its own of complete options; NULL without memory. */
static knx_print_set *new_set(const kn_print_opts *full)
{
    size_t texts = strlen(full->floatmode) + strlen(full->nanstr) + strlen(full->infstr) + 3;
    knx_print_set *s = knx_alloc(sizeof *s + texts);
    if (!s)
        return NULL;
    *s = (knx_print_set){.refs = 1, .opts = *full};
    char *to = put_text(&s->opts.floatmode, (char *)(s + 1));
    to = put_text(&s->opts.nanstr, to);
    put_text(&s->opts.infstr, to);
    if (full->formatter) {
        s->formatter = *full->formatter;
        s->opts.formatter = &s->formatter;
    }
    return s;
}

/* These options over those of the context, as ones that can be its own; a formatter is not kept. */
static knx_print_set *changed(kna_op *op, const kn_print_opts *opts)
{
    KNX_OPTS(kn_print_opts, o, opts);
    kn_print_opts full;
    kna_fail_with(op, knx_print_options(&o, &full));
    if (kna_failed(op))
        return NULL;
    full.formatter = o.formatter;
    knx_print_set *s = new_set(&full);
    if (!s)
        kna_fail_with(op, knx_error_nomem());
    return s;
}

static void put_set(kn_context c, knx_print_set *s)
{
    knx_print_set_release(c->print);
    c->print = s;
}

int kn_set_printoptions(const kn_print_opts *opts)
{
    kna_op op;
    kna_begin(&op, "set_printoptions");
    kn_context c = knx_context();
    knx_print_set *s = changed(&op, opts);
    if (s && c)
        put_set(c, s);
    return kna_end_plain(&op) ? 0 : -1;
}

static void drop_set(void *s) { knx_print_set_release(s); }

kn_print_opts kn_get_printoptions(void)
{
    kn_context c = knx_context();
    kn_print_opts full;
    knx_error_release(knx_print_options(NULL, &full)); /* those of a context are good */
    if (c && c->print)
        kna_handle_new(KN_H_TEXT, knx_print_set_retain(c->print), drop_set);
    return full;
}

int kn_printoptions(const kn_print_opts *opts)
{
    kna_op op;
    kna_begin(&op, "printoptions");
    kn_context c = knx_context();
    int before = c ? (int)c->defaults.n : 0;
    knx_print_set *s = changed(&op, opts);
    if (s)
        kna_fail_with(&op, knx_defaults_push(c, kna_scopes_open()));
    if (kna_failed(&op))
        knx_print_set_release(s);
    else
        put_set(c, s);
    return kna_end_plain(&op) ? before : -1;
}

int kn_printoptions_pop(void)
{
    if (knx_defaults_pop(knx_context()))
        return 0;
    knx_report_new("printoptions_pop", KN_ERROR_CONTEXT, "no print options were pushed");
    return -1;
}

void kn_printoptions_leave(int *pushed)
{
    kn_context c = knx_context();
    if (!pushed)
        return;
    while (*pushed >= 0 && c && c->defaults.n > (size_t)*pushed && knx_defaults_pop(c))
        continue;
    *pushed = -1;
}
