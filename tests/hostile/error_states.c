/* SPDX-License-Identifier: Apache-2.0
 * error_states.c -- functions that hear of events, and error states that there are and are not. */
#include "values.h"
#include <limits.h>

static void hear(void *env, const char *kind, int flags) { (void)env, (void)kind, (void)flags; }

p_kn_errcall take_p_kn_errcall(const char *name)
{
    static const kn_errcall hears = {.call = hear}, none = {0};
    int i = pick_null(name, 1, 2);
    return i == 0 ? &hears : i == 1 ? NULL : &none;
}

m_kn_errstate_scope take_m_kn_errstate_scope(const char *name)
{
    static kn_errstate_scope s;
    int i = pick_null(name, 1, 3);
    s = (kn_errstate_scope){.open = true, .state = i == 0 ? 0 : i == 2 ? 01234 : UINT_MAX};
    return i == 1 ? NULL : &s;
}
