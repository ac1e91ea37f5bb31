/* SPDX-License-Identifier: Apache-2.0
 * log.c -- the one way out for debug text. */
#include "base/log.h"
#include "base/lock.h"
#include "base/memory.h"
#include <stdarg.h>
#include <string.h>

atomic_int knx_debug_level;

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static void (*callback)(void *env, int level, const char *text);
static void *callback_env;

void knx_log_callback(void (*f)(void *env, int level, const char *text), void *env)
{
    knx_global_lock_take(&lock);
    callback = f;
    callback_env = env;
    knx_global_unlock(&lock);
}

static void send(int level, const char *text)
{
    knx_global_lock_take(&lock);
    void (*f)(void *, int, const char *) = callback;
    void *env = callback_env;
    knx_global_unlock(&lock);
    size_t n = strlen(text);
    if (f) /* not under the lock: a callback may log or set another one */
        f(env, level, text);
    else
        fprintf(stderr, n && text[n - 1] == '\n' ? "%s" : "%s\n", text);
}

void knx_log_(int level, const char *format, ...)
{
    char small[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length < 0)
        return;
    size_t room = (size_t)length + 1;
    char *large = room > sizeof small ? knx_alloc(room) : NULL;
    if (large) {
        va_start(args, format);
        vsnprintf(large, room, format, args);
        va_end(args);
    }
    send(level, large ? large : small); /* without memory the beginning must do */
    knx_free(large);
}
