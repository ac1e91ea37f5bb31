/* SPDX-License-Identifier: Apache-2.0
 * text.c -- polynomials as np.poly1d shows them: powers of the variable in a line of their own, above the others. */
#include "base/format.h"
#include "function/jaxpr_handle.h"
#include "numpy/polynomials/coefficients.h"
#include <string.h>

static void add_number(knl_body *c, knx_str *s, double v)
{
    knx_error *e = knx_format_scalar(s, KN_DT(F64), &v, ".4g", 3);
    if (e)
        kna_fail_with(&c->op, e);
}

static void add_coefficient(knl_body *c, knx_str *s, kn_c128 v)
{
    bool both = v.im != 0 && v.re != 0;
    knx_str_puts(s, both ? "(" : "");
    if (v.im == 0 || both)
        add_number(c, s, v.re);
    knx_str_puts(s, both ? " + " : "");
    if (v.im != 0) {
        add_number(c, s, v.im);
        knx_str_puts(s, both ? "j)" : "j");
    }
}

/* The sum of the terms in one line, powers as in Python. */
static void add_terms(knl_body *c, knx_str *s, const kn_c128 *v, int64_t n, const char *variable)
{
    for (int64_t k = 0; k < n && !kna_failed(&c->op); k++) {
        knx_str number = {0};
        int64_t power = n - 1 - k;
        add_coefficient(c, &number, v[k]);
        const char *shown = number.s ? number.s : "";
        if (strcmp(shown, "0") != 0 || n == 1) {
            bool minus = k && *shown == '-';
            if (k)
                knx_str_puts(s, minus ? " - " : " + ");
            knx_str_puts(s, shown + minus);
            if (power)
                knx_str_printf(s, " %s", variable);
            if (power > 1)
                knx_str_printf(s, "**%lld", (long long)power);
        }
        s->failed = s->failed || number.failed;
        knx_str_free(&number);
    }
}

static void end_lines(knx_str *s, knx_str *above, knx_str *below)
{
    knx_str_add(s, above->s, above->n);
    knx_str_puts(s, "\n");
    knx_str_add(s, below->s, below->n);
    above->n = below->n = 0;
}

/* Numbers behind ** go into the line above; both lines end before they are longer than 70 characters. */
static void raise_powers(knx_str *s, const char *terms)
{
    enum { WIDTH = 70 };
    knx_str above = {0}, below = {0};
    knx_str_puts(s, " ");
    for (const char *at; (at = strstr(terms, "**"));) {
        int64_t part = at - terms, digits = (int64_t)strspn(at + 2, "0123456789");
        int64_t more = digits > 1 ? digits - 1 : 0, before = part > 1 ? part - 1 : 0;
        if ((int64_t)below.n + part + more > WIDTH || (int64_t)above.n + before + digits > WIDTH) {
            end_lines(s, &above, &below);
            knx_str_puts(s, "\n ");
        }
        knx_str_add(&below, terms, (size_t)part);
        knx_str_pad(&below, ' ', more);
        knx_str_pad(&above, ' ', before);
        knx_str_add(&above, at + 2, (size_t)digits);
        terms = at + 2 + digits;
    }
    s->failed = s->failed || above.failed || below.failed;
    end_lines(s, &above, &below);
    knx_str_puts(s, terms);
    knx_str_free(&above);
    knx_str_free(&below);
}

const char *kn_poly1d_str(kn_array p, const kn_poly1d_str_opts *opts)
{
    KNX_OPTS(kn_poly1d_str_opts, o, opts);
    knl_body c;
    kni_type t;
    knx_str terms = {0}, text = {0};
    knl_begin(&c, "poly1d_str");
    kn_array a = knn_coefficients(&c, p, true);
    const kn_c128 *v = kna_failed(&c.op) ? NULL : kna_look(&c.op, kn_astype(a, KN_C128, NULL), &t);
    if (v)
        add_terms(&c, &terms, v, t.dim[0], o.variable ? o.variable : "x");
    if (v)
        raise_powers(&text, terms.s ? terms.s : "");
    text.failed = text.failed || terms.failed;
    char *shown = kna_failed(&c.op) ? NULL : knx_str_take(&text);
    if (!kna_failed(&c.op) && !shown)
        kna_fail_with(&c.op, knx_error_nomem());
    knx_str_free(&terms);
    knx_str_free(&text);
    kn_scope_end(&c.scope);
    if (!kna_end_plain(&c.op)) {
        knx_free(shown);
        return "";
    }
    return knf_text_handle(shown);
}
