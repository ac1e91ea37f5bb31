/* SPDX-License-Identifier: Apache-2.0
 * dim_scope.h -- a scope of dimension variables around each test, dimensions from texts and back; nothing stays. */
#ifndef KN_TESTS_DIM_SCOPE_H
#define KN_TESTS_DIM_SCOPE_H
#include "base/dim.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LOW  INT64_MIN
#define HIGH INT64_MAX

static knx_dim_scope scope;
static int64_t live;

static inline int setup(void **state)
{
    (void)state;
    live = knx_alloc_live();
    knx_dim_scope_init(&scope);
    knx_dim_enter(&scope);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    knx_dim_leave(&scope);
    knx_dim_scope_free(&scope);
    knx_dims_free();
    return knx_alloc_live() == live ? 0 : -1;
}

/* The dimension of this text. */
static inline int64_t dim(const char *text)
{
    const char *at = text;
    int64_t d = 0;
    knx_error *e = knx_dim_parse(&at, &d);
    if (e)
        fail_msg("%s: %s", text, e->message);
    if (*at)
        fail_msg("%s: '%s' is not read", text, at);
    return d;
}

static inline knx_dim_var var(const char *name)
{
    knx_dim_var v = 0;
    assert_true(knx_dim_is_var(dim(name), &v));
    return v;
}

static inline void text_is(int64_t d, const char *want)
{
    knx_str t = {0};
    assert_true(knx_dim_text(&t, d));
    assert_string_equal(t.s, want);
    knx_str_free(&t);
}

static inline void prints(const char *from, const char *want) { text_is(dim(from), want); }

/* The scope has refused something, in these words. */
static inline void refused(kn_error_kind kind, const char *message)
{
    knx_error *e = knx_dim_take_error(&scope);
    assert_non_null(e);
    assert_string_equal(e->message, message);
    assert_int_equal(e->kind, kind);
    knx_error_release(e);
}

/* The number of a variable in the sample. */
static inline void sample(const char *name, int64_t value) { assert_true(knx_dim_sample(&scope, var(name), value)); }

static inline void given(const char *constraint)
{
    knx_error *e = knx_dim_constrain(&scope, constraint);
    if (e)
        fail_msg("%s: %s", constraint, e->message);
}
#endif
