/* SPDX-License-Identifier: Apache-2.0
 * scale.c -- axes: limits, places of numbers, ticks at round ones and their texts. */
#include "media/plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double knmedia_place(const knmedia_scale *s, double v)
{
    if (s->log)
        v = v > 0 ? log10(v) : NAN;
    double t = (v / 2 - s->low / 2) / (s->high / 2 - s->low / 2); /* halves: no difference is too large */
    double p = s->from + t * (s->to - s->from);
    return p != p ? NAN : p > 1e7 ? 1e7 : p < -1e7 ? -1e7 : p;
}

void knmedia_limits(const knmedia_axis *axis, double low, double high, const bool padded[2], knmedia_scale *s)
{
    s->log = axis->log;
    if (!(low <= high)) {
        low = axis->log ? 1 : 0;
        high = axis->log ? 10 : 1;
    }
    if (axis->log) {
        low = log10(low);
        high = log10(high);
    }
    double width = high / 2 - low / 2, size = fmax(fabs(low), fabs(high));
    if (width < 1e-9 * size || width == 0) { /* one number: room around it */
        double more = size == 0 || axis->log ? 0.5 : 0.05 * size;
        low -= more;
        high += more;
    } else {
        low -= padded[0] ? 0.09 * width : 0;
        high += padded[1] ? 0.09 * width : 0;
    }
    bool given[2] = {false, false};
    for (int i = 0; i < 2; i++)
        if ((axis->limit[0] != 0 || axis->limit[1] != 0) && axis->limit[i] == axis->limit[i])
            given[i] = true;
    s->low = given[0] ? axis->log ? log10(axis->limit[0]) : axis->limit[0] : fmax(low, -1.7e308);
    s->high = given[1] ? axis->log ? log10(axis->limit[1]) : axis->limit[1] : fmin(high, 1.7e308);
    if (s->low == s->high ||
        (given[0] != given[1] && s->high < s->low)) { /* the data lie on the other side of a limit */
        double more = fmax(1e-9, fabs(s->low) * 0.1);
        *(given[1] ? &s->low : &s->high) = given[1] ? s->high - more : s->low + more;
    }
}

/* ---- Ticks. A tick is a whole number times a step of 10, 20, 25 or 50 tenths of a power of ten, so that its decimal
 * digits are exact. */

typedef struct steps {
    int64_t from, to; /* of them */
    int tenths, exponent;
} steps;

static double power(int e)
{
    double p = 1;
    for (int i = 0; i < (e < 0 ? -e : e); i++)
        p *= 10;
    return p;
}

static double value(const steps *s, int64_t k)
{
    double v = (double)(k * s->tenths);
    int e = s->exponent - 1;
    return e < -300 ? v / 1e300 / power(e + 300) : e < 0 ? v / power(e) : v * power(e);
}

static bool find_steps(double low, double high, double count, steps *s)
{
    static const int choices[] = {10, 20, 25, 50, 100};
    double raw = (high / count - low / count);
    if (!(raw > 1e-300) || !isfinite(raw))
        return false;
    s->exponent = (int)floor(log10(raw));
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        s->tenths = choices[i];
        double step = value(s, 1);
        if (step < raw * (1 - 1e-9))
            continue;
        double from = ceil(low / step - 1e-9), to = floor(high / step + 1e-9);
        if (fabs(from) > 1e13 || fabs(to) > 1e13 || to - from + 1 > KNMEDIA_MOST_TICKS)
            return false;
        s->from = (int64_t)from;
        s->to = (int64_t)to;
        if (s->tenths == 100) { /* the same with one decimal less */
            s->tenths = 10;
            s->exponent++;
        }
        return true;
    }
    return false;
}

int knmedia_round_numbers(double low, double high, int count, double to[KNMEDIA_MOST_TICKS])
{
    steps s;
    int n = 0;
    count = count < 1 ? 1 : count > KNMEDIA_MOST_TICKS / 2 ? KNMEDIA_MOST_TICKS / 2 : count;
    if (find_steps(low, high, count, &s))
        for (int64_t k = s.from; k <= s.to; k++)
            to[n++] = value(&s, k);
    return n;
}

static void add_digits(char *to, size_t room, int v)
{
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", v < 0 ? -v : v);
    if (v < 0)
        strncat(to, "\u207b", room - strlen(to) - 1);
    for (const char *d = digits; *d; d++)
        strncat(to, raised[*d - '0'], room - strlen(to) - 1);
}

/* The whole number n with its point `decimals` digits from the end. */
static void write_decimal(char *to, size_t room, int64_t n, int decimals)
{
    char digits[40];
    int length = snprintf(digits, sizeof digits, "%0*lld", decimals + 1, (long long)(n < 0 ? -n : n));
    snprintf(to, room, "%s%.*s%s%s", n < 0 ? "\u2212" : "", length - decimals, digits, decimals ? "." : "",
             digits + length - decimals);
}

static bool all_end_with(const steps *s, int64_t ten)
{
    for (int64_t k = s->from; k <= s->to; k++)
        if (k * s->tenths % ten)
            return false;
    return true;
}

static void linear_texts(const steps *s, knmedia_ticks *t)
{
    int64_t most = llabs(s->from) > llabs(s->to) ? llabs(s->from) : llabs(s->to);
    int unit = s->exponent - 1, digits = snprintf(NULL, 0, "%lld", (long long)(most * s->tenths));
    int size = most ? digits - 1 + unit : 0, factor = size >= 6 || size < -4 ? size : 0;
    int decimals = factor - unit; /* of the numbers as they are shown */
    int zeros = s->tenths % 10 == 0 ? 1 : 0;
    if (factor && decimals > 0) /* fewer if all numbers end with zeros */
        for (int64_t ten = zeros ? 100 : 10; zeros < decimals && all_end_with(s, ten); ten *= 10)
            zeros++;
    for (int64_t k = s->from; k <= s->to; k++) {
        int64_t n = k * s->tenths;
        int left = decimals;
        for (int i = 0; i < zeros && left > 0; i++, left--)
            n /= 10;
        for (; left < 0; left++)
            n *= 10;
        write_decimal(t->text[t->n], sizeof t->text[0], n, left);
        t->at[t->n++] = value(s, k);
    }
    if (factor) {
        snprintf(t->factor, sizeof t->factor, "\u00d710");
        add_digits(t->factor, sizeof t->factor, factor);
    }
}

static void log_ticks(double low, double high, double count, knmedia_ticks *t)
{
    int from = (int)ceil(low - 1e-9), to = (int)floor(high + 1e-9), step = 1;
    while ((to - from) / step + 1 > count || (to - from) / step + 1 > KNMEDIA_MOST_TICKS)
        step++;
    for (int e = from; e <= to; e += step) {
        snprintf(t->text[t->n], sizeof t->text[0], "10");
        add_digits(t->text[t->n], sizeof t->text[0], e);
        t->at[t->n++] = pow(10, e);
    }
    for (int e = from - 1; step == 1 && to - from < 9 && e <= to; e++)
        for (int k = 2; k < 10; k++) {
            double at = log10(k) + e;
            if (at >= low && at <= high && t->n_minor < KNMEDIA_MOST_MINOR)
                t->minor[t->n_minor++] = k * pow(10, e);
        }
}

void knmedia_ticks_of(const knmedia_axis *axis, const knmedia_scale *s, double every, knmedia_ticks *t)
{
    double low = fmin(s->low, s->high), high = fmax(s->low, s->high);
    double count = fmax(2, fabs(s->to - s->from) / every);
    steps found;
    *t = (knmedia_ticks){0};
    if (axis->n_names) {
        for (int i = 0; i < axis->n_names && t->n < KNMEDIA_MOST_TICKS; i++)
            if (i >= low && i <= high) {
                t->at[t->n] = i;
                snprintf(t->text[t->n++], sizeof t->text[0], "%s", axis->names[i]);
            }
        return;
    }
    if (s->log && floor(high + 1e-9) - ceil(low - 1e-9) >= 1) {
        log_ticks(low, high, count, t);
        return;
    }
    if (s->log) {
        low = pow(10, low);
        high = pow(10, high);
    }
    if (find_steps(low, high, count, &found))
        linear_texts(&found, t);
}
