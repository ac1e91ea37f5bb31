/* SPDX-License-Identifier: Apache-2.0
 * watch.c -- what Kiln tells of its work, for JavaScript: lines of the log, and each step that ran. */
#include "export.h"
#include <kiln/kiln.h>

KJS_IMPORT(log) void kjs_log(int level, const char *text);
KJS_IMPORT(step)
void kjs_step(const char *operations, double elements, double seconds, const char *file, int line, const char *device);

static void heard(void *env, int level, const char *text)
{
    (void)env;
    kjs_log(level, text);
}

static void ran(void *env, const kn_step *s)
{
    (void)env;
    kjs_step(s->operations, (double)s->elements, s->seconds, s->place ? s->place->file : NULL,
             s->place ? s->place->line : 0, s->device);
}

KJS_EXPORT(void, kjs_watch, int level, int log, int steps)
{
    kn_set_debug(level);
    kn_set_log(log ? heard : NULL, NULL);
    kn_on_step(steps ? ran : NULL, NULL);
}
