/* SPDX-License-Identifier: Apache-2.0
 * rows_error_state.c -- the calls of error_state.def. */
#include "coverage/coverage.h"
#include <stdio.h>

static kn_array modes(kn_geterr_result m)
{
    char text[64];
    snprintf(text, sizeof text, "%s,%s,%s,%s", m.divide, m.over, m.under, m.invalid);
    return text_array(text);
}

static kn_array is_raised(kn_array result)
{
    bool yes = !kn_ok(result) && !strcmp(kn_error_kind_name(), "FloatingPointError");
    kn_error_clear();
    return kn_asarray(yes);
}

static int heard_flags[8], n_heard;

static void hear(void *env, const char *kind, int flags)
{
    (void)env, (void)kind;
    heard_flags[n_heard++ & 7] = flags;
}

static kn_array heard(void) { return kn_from(heard_flags, KN_SHAPE(n_heard)); }

#define MODES(state)  modes(state)
#define IS_RAISED(x_) is_raised(x_)
/* what is done in a block of this state */
#define IN_STATE(scope, ...)                                                              \
    __extension__({                                                                       \
        kn_errstate_scope at __attribute__((cleanup(kn_errstate_leave), unused)) = scope; \
        __VA_ARGS__;                                                                      \
    })
static const kn_errcall listener = {.call = hear};
#define HEARD(listen, ...)          \
    __extension__({                 \
        KN_ERRSTATE(.all = "call"); \
        kn_errcall before = listen; \
        n_heard = 0;                \
        kn_eval(__VA_ARGS__);       \
        kn_seterrcall(&before);     \
        heard();                    \
    })

#define TABLE "coverage/error_state.def"
#define NAME  rows_error_state
#include "coverage/table.h"
