/* SPDX-License-Identifier: Apache-2.0
 * out.c -- what the user asked to be printed. */
#include "base/out.h"
#include "base/lock.h"
#include "base/str.h"
#include <stdio.h>

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static void (*callback)(void *env, const char *text);
static void *callback_env;

void knx_out_callback(void (*f)(void *env, const char *text), void *env)
{
    knx_global_lock_take(&lock);
    callback = f;
    callback_env = env;
    knx_global_unlock(&lock);
}

void knx_out(const char *text)
{
    knx_global_lock_take(&lock);
    void (*f)(void *, const char *) = callback;
    void *env = callback_env;
    knx_global_unlock(&lock);
    if (f) /* not under the lock: it may print or set another one */
        f(env, text);
    else
        fputs(text, stdout);
}

void knx_out_line(const char *text)
{
    knx_str line = {0};
    knx_str_puts(&line, text);
    knx_str_puts(&line, "\n");
    if (line.s && !line.failed)
        knx_out(line.s);
    knx_str_free(&line);
}

knx_error *knx_call_user(void (*f)(void *arg), void *arg)
{
    kn_context c = knx_context();
    if (c && c->call_user)
        return c->call_user(f, arg);
    f(arg);
    return NULL;
}
