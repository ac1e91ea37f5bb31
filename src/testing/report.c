/* SPDX-License-Identifier: Apache-2.0
 * report.c -- how assertions begin and end, and NumPy's reports: see report.h. */
#include "testing/report.h"
#include "base/context.h"
#include "base/text_format.h"
#include "face/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kntesting_begin(kntesting_assertion *a, const char *name)
{
    *a = (kntesting_assertion){.failed = false};
    kna_begin(&a->op, name);
    a->scope = kn_scope_begin();
}

/* The report is the whole message: no operation stands in front of it. */
static void raise_report(knx_str *t, const kn_place *place)
{
    char *text = t->failed ? NULL : t->s;
    knx_error *e = t->failed ? knx_error_nomem() : knx_error_new(KN_ERROR_ASSERTION, "%s", text ? text : "");
    knx_report(knx_error_placed(e, place));
    knx_error_release(e);
}

int kntesting_end(kntesting_assertion *a)
{
    kn_context c = knx_context();
    const kn_place *place = c ? c->here : NULL;
    bool failed = a->failed && !kna_failed(&a->op);
    kn_scope_end(&a->scope);
    bool ok = kna_end_plain(&a->op);
    if (failed)
        raise_report(&a->report, place);
    knx_str_free(&a->report);
    return ok && !failed ? 0 : -1;
}

void kntesting_add(knx_str *t, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    knx_str_add(t, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* The first lines: header and text. */
static void add_header(knx_str *t, const char *header, const char *text)
{
    kntesting_add(t, "\n");
    knx_str_puts(t, header);
    if (!*text)
        return;
    size_t room = strlen(header) < 79 ? 79 - strlen(header) : 0;
    knx_str_puts(t, !strchr(text, '\n') && strlen(text) < room ? " " : "\n");
    knx_str_puts(t, text);
}

/* The array's repr: three lines of it and dots if there are many. */
static void add_array(kntesting_assertion *a, const kntesting_style *s, int i, kn_array x)
{
    const knx_text_form form = {.what = KNX_TEXT_REPR};
    kni_type t;
    kn_print_opts o = kn_print_opts_default();
    char *text = NULL;
    const void *data = kna_look(&a->op, x, &t);
    if (!data)
        return;
    o.precision = s->precision;
    kna_fail_with(&a->op, knx_array_text(kna_strong_dtype(t), t.ndim, t.dim, data, &o, &form, &text));
    if (!text)
        return;
    char *end = text;
    int lines = 0;
    for (char *p = text; *p; p++)
        if (*p == '\n' && ++lines <= 3)
            end = p;
    if (lines > 3)
        *end = '\0';
    kntesting_add(&a->report, "\n %s: ", s->names[i]);
    knx_str_puts(&a->report, text);
    knx_str_puts(&a->report, lines > 3 ? "..." : "");
    knx_free(text);
}

void kntesting_report(kntesting_assertion *a, const kntesting_style *s, const char *text, kn_array x, kn_array y)
{
    if (a->failed || kna_failed(&a->op))
        return;
    a->failed = true;
    add_header(&a->report, s->header, text);
    if (!s->verbose)
        return;
    add_array(a, s, 0, x);
    add_array(a, s, 1, y);
}

void kntesting_show_element(knx_str *t, kn_dtype d, const void *data, int64_t i)
{
    knx_text_format_scalar(d, t, (const char *)data + (size_t)i * d->size);
}

void kntesting_report_numbers(kntesting_assertion *a, const char *header, const char *text, bool verbose, kn_array x,
                              kn_array y)
{
    static const char *const names[] = {"ACTUAL", "DESIRED"};
    const kn_array both[] = {x, y};
    if (a->failed || kna_failed(&a->op))
        return;
    a->failed = true;
    add_header(&a->report, header, text);
    for (int i = 0; i < 2 && verbose; i++) {
        kni_type t;
        const void *at = kna_look(&a->op, both[i], &t);
        kntesting_add(&a->report, "\n %s: ", names[i]);
        if (at)
            kntesting_show_element(&a->report, t.dtype, at, 0);
    }
}

const char *kn_testing_build_err_msg(kn_array actual, kn_array desired, const char *err_msg,
                                     const kn_testing_err_msg_opts *opts)
{
    static const char *const names[] = {"ACTUAL", "DESIRED"};
    KNX_OPTS(kn_testing_err_msg_opts, o, opts);
    const char *const *name = o.names ? o.names : names;
    const kntesting_style style = {.names = {name[0] ? name[0] : "", name[1] ? name[1] : ""}, .precision = o.precision};
    const kn_array both[] = {actual, desired};
    kntesting_assertion a;
    kntesting_begin(&a, "testing_build_err_msg");
    add_header(&a.report, o.header ? o.header : "Items are not equal:", err_msg ? err_msg : "");
    for (int i = 0; i < 2 && o.verbose; i++) {
        kni_type t;
        const void *at = kna_look(&a.op, both[i], &t);
        if (!at || !kna_is_number(&a.op, both[i])) {
            add_array(&a, &style, i, both[i]);
            continue;
        }
        kntesting_add(&a.report, "\n %s: ", style.names[i]);
        kntesting_show_element(&a.report, t.dtype, at, 0);
    }
    char *text = kna_failed(&a.op) ? NULL : knx_str_take(&a.report);
    if (!text && !kna_failed(&a.op))
        kna_fail_with(&a.op, knx_error_nomem());
    return knface_own_text(kntesting_end(&a) == 0 ? text : NULL);
}

bool kntesting_true(kntesting_assertion *a, kn_array x)
{
    kni_type t;
    const char *at = kna_failed(&a->op) ? NULL : kna_look(&a->op, kn_all(x, NULL), &t);
    return at && *at;
}
