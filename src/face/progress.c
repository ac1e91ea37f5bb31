/* SPDX-License-Identifier: Apache-2.0
 * progress.c -- how far a loop is, in one line. A line is made on the stack and goes out as one piece, so a step
 * allocates nothing. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#include "face/progress.h"
#include "array/op.h"
#include "base/clock.h"
#include "base/context.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/options.h"
#include "kiln/extend.h"
#include "kiln/progress.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

enum { LABEL = 64, UNIT = 16, VALUES = 256, LINE = 640, WIDTH = 24 };

typedef struct line {
    char label[LABEL], unit[UNIT], values[VALUES];
    int64_t total, done; /* total 0: not known */
    double start, last, interval;
    int columns; /* of what stands there now */
    FILE *file;
    bool shown, terminal, ended;
} line;

static bool is_terminal(FILE *f) { return isatty(fileno(f)) == 1; }
bool knface_progress_shows(void) { return knx_env()->progress || is_terminal(stderr); }

/* At most `room` bytes, whole letters of UTF-8. */
static void copy_text(char *to, size_t room, const char *from)
{
    size_t n = strlen(from);
    if (n >= room)
        for (n = room - 1; n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80; n--)
            continue;
    memcpy(to, from, n);
    to[n] = '\0';
}

/* ---- The line. */

static int put_time(char *to, size_t room, double seconds)
{
    if (!(seconds < 3.6e6))
        return snprintf(to, room, "--:--");
    int s = (int)seconds;
    return s >= 3600 ? snprintf(to, room, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60)
                     : snprintf(to, room, "%02d:%02d", s / 60, s % 60);
}

static size_t put_bar(char *to, double part)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int full = (int)(part * WIDTH * 8), n = 0, at = full / 8;
    char *p = to;
    for (; n < at; n++)
        p = strcpy(p, "█") + 3;
    if (n < WIDTH && full % 8) {
        p = strcpy(p, eighths[full % 8]) + 3;
        n++;
    }
    for (; n < WIDTH; n++)
        *p++ = ' ';
    *p = '\0';
    return (size_t)(p - to);
}

static int columns_of(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* "training  42% |...| 42/100 [00:12<00:17, 3.4 it/s] loss=0.231" */
static void make_line(const line *l, double now, char to[LINE])
{
    char elapsed[24], left[24], bar[3 * WIDTH + 1], rate[48];
    double seconds = now - l->start, speed = seconds > 0 ? (double)l->done / seconds : 0;
    put_time(elapsed, sizeof elapsed, seconds);
    if (speed >= 1 || speed == 0)
        snprintf(rate, sizeof rate, "%.4g %s/s", speed, l->unit);
    else
        snprintf(rate, sizeof rate, "%.4g s/%s", 1 / speed, l->unit);
    const char *space = *l->values ? " " : "";
    if (l->total > 0) {
        double part = l->done < l->total ? (double)l->done / (double)l->total : 1;
        put_time(left, sizeof left, speed > 0 ? (double)(l->total - l->done) / speed : NAN);
        put_bar(bar, part < 0 ? 0 : part);
        snprintf(to, LINE, "%s %3d%% |%s| %" PRId64 "/%" PRId64 " [%s<%s, %s]%s%s", l->label, (int)(100 * part), bar,
                 l->done, l->total, elapsed, l->done >= l->total ? "00:00" : left, rate, space, l->values);
    } else {
        snprintf(to, LINE, "%s: %" PRId64 " %s [%s, %s]%s%s", l->label, l->done, l->unit, elapsed, rate, space,
                 l->values);
    }
}

static void write_line(line *l, double now, bool last)
{
    char text[LINE], whole[2 * LINE];
    make_line(l, now, text);
    int columns = columns_of(text), blank = l->terminal && l->columns > columns ? l->columns - columns : 0;
    blank = blank < LINE / 2 ? blank : LINE / 2;
    int n = snprintf(whole, sizeof whole, "%s%s%*s%s", l->terminal ? "\r" : "", text, blank, "",
                     last || !l->terminal ? "\n" : "");
    fwrite(whole, 1, (size_t)n, l->file);
    fflush(l->file);
    l->columns = columns;
    l->last = now;
}

static void begin_line(line *l, const char *label, FILE *file, double interval)
{
    copy_text(l->label, sizeof l->label, label);
    l->file = file;
    l->terminal = is_terminal(file);
    /* Lines of a log follow one another: not ten a second. */
    l->interval = l->terminal || interval != 0.1 ? interval : 1;
    l->start = l->last = knx_seconds();
}

static void end_line(line *l)
{
    if (l->shown && !l->ended)
        write_line(l, knx_seconds(), true);
    l->ended = true;
}

/* ---- Handles. */

static void drop(void *object)
{
    end_line(object);
    free(object);
}

kn_progress kn_progress_begin(const char *label, const kn_progress_begin_opts *opts)
{
    static const char *const op = "progress_begin";
    KNX_OPTS(kn_progress_begin_opts, o, opts);
    const char *null = !label ? "label" : !o.unit ? "unit" : NULL;
    if (null)
        knx_report_new(op, KN_ERROR_TYPE, "null %s", null);
    else if (o.total < 0)
        knx_report_new(op, KN_ERROR_VALUE, "%" PRId64 " steps in all", o.total);
    else if (!(o.interval >= 0))
        knx_report_new(op, KN_ERROR_VALUE, "an interval of %g seconds", o.interval);
    if (null || o.total < 0 || !(o.interval >= 0))
        return NULL;
    line *l = calloc(1, sizeof *l);
    if (!l) {
        knx_report(knx_error_nomem());
        return NULL;
    }
    begin_line(l, label, o.file ? o.file : stderr, o.interval);
    copy_text(l->unit, sizeof l->unit, o.unit);
    l->total = o.total;
    l->shown = o.show > 0 || (o.show < 0 && (l->terminal || knx_env()->progress));
    return kn_object_new("progress", l, drop);
}

/* A value as text; false: the operation failed. */
static bool put_value(kna_op *op, char *to, size_t room, const kn_printf_arg *v)
{
    double number = v->number;
    kni_type t;
    switch (v->kind) {
    case KN_ARG_INT: snprintf(to, room, "%" PRId64, v->integer); return true;
    case KN_ARG_UINT: snprintf(to, room, "%" PRIu64, (uint64_t)v->integer); return true;
    case KN_ARG_BOOL: snprintf(to, room, "%s", v->integer ? "true" : "false"); return true;
    case KN_ARG_TEXT: snprintf(to, room, "%.40s", v->text ? v->text : "(null)"); return true;
    case KN_ARG_ARRAY: {
        const void *at = kna_look(op, v->array, &t);
        if (!at)
            return false;
        if (kni_type_size(t) != 1 || t.dtype->kind == KN_KIND_KEY) {
            knx_text shape = {0};
            kna_fail(op, KN_ERROR_TYPE, "a value of a line is a number, not %s", kni_type_text(&shape, t, true));
            return false;
        }
        knx_convert(t.dtype, at, KN_DT(F64), &number);
        break;
    }
    default: break;
    }
    snprintf(to, room, "%.4g", number);
    return true;
}

static bool put_values(kna_op *op, line *l, int n, const kn_printf_arg *values)
{
    size_t at = 0;
    char text[VALUES] = "", one[96];
    for (int i = 0; i < n; i += 2) {
        if (values[i].kind != KN_ARG_TEXT || !values[i].text) {
            kna_fail(op, KN_ERROR_TYPE, "each value has a name in front of it: argument %d is no text", i);
            return false;
        }
        if (!put_value(op, one, sizeof one, &values[i + 1]))
            return false;
        int added = snprintf(text + at, sizeof text - at, "%s%.40s=%s", i ? " " : "", values[i].text, one);
        at = at + (size_t)added < sizeof text ? at + (size_t)added : sizeof text - 1;
    }
    if (n)
        copy_text(l->values, sizeof l->values, text);
    return true;
}

int kn_progress_step(kn_progress bar, int64_t steps, int n, const kn_printf_arg *values)
{
    static const char *const name = "progress_step";
    line *l = kn_object_get(name, "progress", bar);
    if (!l)
        return -1;
    if (n < 0 || n > 2 * KN_PROGRESS_VALUES || n % 2 || (n && !values)) {
        knx_report_new(name, n && !values && n > 0 && n % 2 == 0 ? KN_ERROR_TYPE : KN_ERROR_VALUE,
                       n && !values ? "null values" : "%d arguments: up to %d names, each with its value", n,
                       KN_PROGRESS_VALUES);
        return -1;
    }
    if (steps > 0 ? l->done > INT64_MAX - steps : l->done < INT64_MIN - steps) {
        knx_report_new(name, KN_ERROR_OVERFLOW, "more steps than an int64 can count");
        return -1;
    }
    l->done += steps;
    if (!l->shown || l->ended)
        return 0;
    double now = knx_seconds();
    if (now - l->last < l->interval && !(l->total > 0 && l->done >= l->total && n))
        return 0;
    kna_op op;
    kna_begin(&op, name);
    bool ok = put_values(&op, l, n, values);
    ok = kna_end_plain(&op) && ok;
    if (ok && now - l->last >= l->interval)
        write_line(l, now, false);
    return ok ? 0 : -1;
}

int kn_progress_end(kn_progress bar)
{
    line *l = kn_object_get("progress_end", "progress", bar);
    if (l)
        end_line(l);
    return l ? 0 : -1;
}

/* ---- Scans. */

typedef struct label {
    struct label *next;
    char text[];
} label;

void *knface_progress_label(const char *text)
{
    static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
    static label *labels; /* for programs that are kept: few, and they stay */
    knx_global_lock_take(&lock);
    label *l = labels;
    while (l && strcmp(l->text, text) != 0)
        l = l->next;
    if (!l && (l = malloc(sizeof *l + strlen(text) + 1))) {
        strcpy(l->text, text);
        l->next = labels;
        labels = l;
    }
    knx_global_unlock(&lock);
    return l;
}

/* The line of a scan between two of its steps: few bytes, because memory of threads is scarce where Kiln is loaded
 * late. */
typedef struct turn {
    const label *whose;
    double start, last;
    int64_t done, length;
    int columns;
} turn;

static void tell(turn *t, bool last)
{
    if (!last && knx_seconds() - t->last < 0.1)
        return;
    line l = {.unit = "it", .total = t->length, .done = t->done, .columns = t->columns};
    begin_line(&l, t->whose->text, stderr, 0.1);
    l.start = t->start;
    double now = knx_seconds();
    if (last || now - t->last >= l.interval) {
        write_line(&l, now, last);
        t->last = l.last;
        t->columns = l.columns;
    }
}

void knface_progress_told(void *env, int64_t step, int64_t length)
{
    static KNX_TLS turn t; /* one scan with a line runs at a time, those inside of it have their own turn */
    if (step == 1 || t.whose != env || step < t.done) {
        if (t.whose)
            tell(&t, true);
        t = (turn){.whose = env, .length = length};
        t.start = t.last = knx_seconds();
    }
    t.done = step;
    tell(&t, step == length);
    if (step == length)
        t.whose = NULL;
}
