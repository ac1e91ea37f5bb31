/* SPDX-License-Identifier: Apache-2.0
 * test_contexts.c -- contexts made, pushed and freed; reading arrays of another one; defaults for a while; callbacks
 * that call Kiln; hosts with their own floating-point settings. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include <setjmp.h>
#include <stdlib.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/* ---- Making, pushing, freeing. */

static void a_context_has_its_own_handles_and_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_context c = kn_context_new(), outside = kn_context_current();
    int64_t before = kn_live_count();
    assert_int_equal(kn_context_push(c), 0);
    assert_ptr_equal(kn_context_current(), c);
    assert_int_equal(kn_live_count(), 0);
    kn_reshape(kn_ones(KN_SHAPE(3)), KN_SHAPE(2));
    assert_true(kn_error_pending());
    assert_int_equal(kn_context_pop(), 0);
    assert_ptr_equal(kn_context_current(), outside);
    assert_int_equal(kn_live_count(), before);
    expect_no_error();
    assert_int_equal(kn_context_free(c), 0);
}

static void use_and_free_a_context(void)
{
    kn_context c = kn_context_new();
    {
        KN_CONTEXT(c);
        kn_array x = kn_arange(0, 100, 1);
        kn_print(kn_sum(kn_mul(x, 2)));
        kn_add(x, 1); /* waits to run */
        kn_defaults_push(.dtype = KN_F32);
    }
    assert_int_equal(kn_context_free(c), 0);
}

static void nothing_of_a_freed_context_stays(void **state)
{
    (void)state;
    use_and_free_a_context(); /* the process has memory for code from now on */
    int64_t blocks = knx_alloc_live();
    use_and_free_a_context();
    assert_int_equal(knx_alloc_live(), blocks);
}

static void freeing_counts_what_was_forgotten(void **state)
{
    (void)state;
    kn_context c = kn_context_new();
    {
        KN_CONTEXT(c);
        kn_retain(kn_ones(KN_SHAPE(2)));
        kn_retain(kn_ones(KN_SHAPE(2)));
        kn_reshape(kn_ones(KN_SHAPE(3)), KN_SHAPE(2));
    }
    assert_int_equal(kn_context_free(c), 3);
}

static void a_context_that_is_gone_or_in_use_is_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_context c = kn_context_new();
    assert_int_equal(kn_context_push(c), 0);
    assert_int_equal(kn_context_push(c), 1); /* inside of itself */
    assert_int_equal(kn_context_free(c), -1);
    expect_error("ContextError", "context_free: this context is pushed");
    kn_context_pop();
    kn_context_pop();
    assert_int_equal(kn_context_free(c), 0);
    assert_int_equal(kn_context_free(c), -1);
    expect_error("ContextError", "context_free: this context was freed");
    assert_int_equal(kn_context_push(c), -1);
    expect_error("ContextError", "context_push: this context was freed");
    assert_int_equal(kn_context_push(NULL), -1);
    expect_error("TypeError", "context_push: null context");
    assert_int_equal(kn_context_free(kn_context_current()), -1);
    expect_error("ContextError", "context_free: this context is a thread's own: kn_shutdown closes it");
    assert_int_equal(kn_context_pop(), -1);
    expect_error("ContextError", "context_pop: no context was pushed here");
}

static kn_context leaves_early(kn_context c)
{
    KN_CONTEXT(c);
    KN_SCOPE;
    kn_ones(KN_SHAPE(2));
    kn_context_push(c); /* and forgets it */
    return kn_context_current();
}

static void a_block_leaves_its_context_however_it_ends(void **state)
{
    (void)state;
    kn_context c = kn_context_new(), outside = kn_context_current();
    assert_ptr_equal(leaves_early(c), c);
    assert_ptr_equal(kn_context_current(), outside);
    assert_int_equal(kn_context_free(c), 0);
}

static void a_scope_ends_in_its_own_context(void **state)
{
    (void)state;
    kn_context c = kn_context_new();
    int64_t left = -1;
    {
        kn_context_push(c);
        KN_SCOPE;
        kn_ones(KN_SHAPE(2));
        kn_context_pop(); /* before the scope's end */
    }
    {
        KN_CONTEXT(c);
        left = kn_live_count();
    }
    assert_int_equal(left, 0);
    {
        KN_SCOPE; /* outside, open while another context is current */
        kn_ones(KN_SHAPE(2));
        kn_context_push(c);
    }
    kn_context_pop();
    assert_int_equal(kn_context_free(c), 0);
}

static kn_array pushes_and_forgets(kn_context const *c, const kn_array *x)
{
    kn_context_push(*c);
    kn_context_pop();
    assert_int_equal(kn_context_pop(), -1); /* not this function's to pop */
    kn_context_push(*c);
    return *x;
}
KN_FUNCTION_ENV(pushes_and_forgets, kn_array, kn_context, kn_array)

static void a_function_leaves_the_stack_as_it_was(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_context c = kn_context_new(), outside = kn_context_current();
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(KN_FN_ENV(pushes_and_forgets, &c), &y, &x);
    assert_ptr_equal(kn_context_current(), outside);
    expect_error("ContextError", "context_pop: no context was pushed here");
    expect_values(y, 1, 2);
    kn_call(kn_jit(KN_FN_ENV(pushes_and_forgets, &c)), &y, &x);
    assert_ptr_equal(kn_context_current(), outside);
    kn_error_clear();
    expect_values(y, 1, 2);
    assert_int_equal(kn_context_free(c), 0);
}

static kn_array shuts_down(const kn_array *x)
{
    assert_int_equal(kn_shutdown(), 1);
    return *x;
}
KN_FUNCTION(shuts_down, kn_array, kn_array)

static void a_function_cannot_close_what_it_runs_in(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 5), y;
    kn_call(KN_FN(shuts_down), &y, &x);
    expect_error("ContextError", "shutdown: a function that Kiln calls cannot close what it runs in");
    expect_values(y, 5);
}

/* ---- Defaults. */

static void defaults_change_for_a_while(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_defaults_push(.dtype = KN_F32), 0);
    assert_ptr_equal(kn_dtype_of(kn_ones(KN_SHAPE(2))), KN_F32);
    assert_int_equal(kn_defaults_push(.threads = 1), 0);
    assert_ptr_equal(kn_dtype_of(kn_ones(KN_SHAPE(2))), KN_F32);
    kn_defaults_pop();
    kn_defaults_pop();
    assert_ptr_equal(kn_dtype_of(kn_ones(KN_SHAPE(2))), KN_F64);
    assert_int_equal(kn_defaults_pop(), -1);
    expect_error("ContextError", "defaults_pop: no defaults were pushed");
    assert_int_equal(kn_defaults_push(.dtype = KN_I32), -1);
    expect_error("TypeError", "defaults_push: the default float type is float32 or float64, not int32");
    assert_int_equal(kn_defaults_push(.threads = -1), -1);
    expect_error("ValueError", "defaults_push: -1 threads");
}

static void the_number_of_threads_changes_for_a_while(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_true(kn_threads_available() >= 1);
    assert_int_equal(kn_set_threads(3), 0);
    {
        KN_THREADS(1);
        {
            KN_THREADS(2);
            assert_int_equal(kn_set_threads(2), 2);
        }
        assert_int_equal(kn_set_threads(1), 1);
    }
    assert_int_equal(kn_set_threads(0), 3);
    assert_int_equal(kn_set_threads(-1), -1);
    expect_error("ValueError", "set_threads: -1 threads");
    {
        KN_THREADS(-2);
        expect_error("ValueError", "set_threads: -2 threads");
    }
    assert_int_equal(kn_set_threads(0), 0);
}

static void defaults_end_with_their_scope(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int i = 0; i < 3; i++) {
        KN_SCOPE;
        kn_defaults_push(.dtype = KN_F32);
        {
            KN_SCOPE;
            assert_ptr_equal(kn_dtype_of(kn_zeros(KN_SHAPE(1))), KN_F32);
        }
        assert_ptr_equal(kn_dtype_of(kn_zeros(KN_SHAPE(1))), KN_F32);
    }
    assert_ptr_equal(kn_dtype_of(kn_zeros(KN_SHAPE(1))), KN_F64);
}

static kn_array plus_ones(const kn_array *x) { return kn_add(*x, kn_ones(KN_SHAPE(2))); }
KN_FUNCTION(plus_ones, kn_array, kn_array)

static void jitted_functions_follow_the_default(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_fn f = kn_jit(KN_FN(plus_ones));
    kn_array x = kn_of(float, 1, 2), y;
    kn_call(f, &y, &x);
    assert_ptr_equal(kn_dtype_of(y), KN_F64);
    kn_defaults_push(.dtype = KN_F32);
    kn_call(f, &y, &x);
    assert_ptr_equal(kn_dtype_of(y), KN_F32);
    kn_defaults_pop();
    kn_call(f, &y, &x);
    assert_ptr_equal(kn_dtype_of(y), KN_F64);
    assert_int_equal(kn_fn_trace_count(f), 2);
}

static void a_context_has_its_defaults(void **state)
{
    (void)state;
    kn_context c = kn_context_new(.dtype = KN_F32, .threads = 2);
    {
        KN_CONTEXT(c);
        assert_ptr_equal(kn_dtype_of(kn_ones(KN_SHAPE(2))), KN_F32);
    }
    assert_int_equal(kn_context_free(c), 0);
    assert_null(kn_context_new(.dtype = KN_BOOL));
    expect_error("TypeError", "context_new: the default float type is float32 or float64, not bool");
}

/* ---- Allocators. */

typedef struct counts {
    int64_t allocs, frees, bytes;
} counts;

static void *count_alloc(void *env, size_t bytes, size_t alignment)
{
    counts *c = env;
    c->allocs++;
    c->bytes += (int64_t)bytes;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void count_free(void *env, void *p, size_t bytes)
{
    counts *c = env;
    c->frees++;
    c->bytes -= (int64_t)bytes;
    free(p);
}

static void a_context_takes_its_buffers_from_its_allocator(void **state)
{
    (void)state;
    KN_SCOPE;
    counts n = {0, 0, 0};
    kn_context c = kn_context_new(.allocator = {count_alloc, count_free, &n});
    kn_array x;
    {
        KN_CONTEXT(c);
        x = kn_mul(kn_arange(0, 1000, 1, .dtype = KN_F64), 2);
        kn_eval(x);
        assert_true(n.allocs > 0 && n.bytes >= 8000);
    }
    kn_array y = kn_add(x, 1), head = kn_positive(x);
    kn_eval(y);
    kn_eval(head);
    assert_int_equal(kn_context_free(c), 0);
    assert_true(n.bytes >= 8000); /* `head` may share them */
    assert_true(kn_item(kn_sum(head)) == 999000);
    assert_true(kn_item(kn_sum(y)) == 1000000);
    kn_release(head);
    assert_int_equal(n.allocs, n.frees);
    assert_int_equal(n.bytes, 0);
    assert_null(kn_context_new(.allocator = {count_alloc, NULL, NULL}));
    expect_error("TypeError", "context_new: an allocator has both functions, alloc and free");
}

/* ---- Arrays of another context. */

typedef struct other {
    kn_context c;
    kn_array x, view, number, waits;
} other;

static other make_other(void)
{
    other o = {.c = kn_context_new()};
    KN_CONTEXT(o.c);
    o.x = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(2, 3));
    kn_eval(o.x);
    o.view = kn_at(o.x, "1, ::-1");
    kn_eval(o.view);
    o.number = kn_num(7);
    o.waits = kn_add(o.x, 1);
    return o;
}

static kn_array twice(const kn_array *x) { return kn_mul(*x, 2); }
KN_FUNCTION(twice, kn_array, kn_array)
static kn_array times(const kn_array *by, const kn_array *x) { return kn_mul(*x, *by); }
KN_CLOSURE(times, kn_array, kn_array, kn_array)

static void arrays_of_another_context_can_be_read(void **state)
{
    (void)state;
    KN_SCOPE;
    other o = make_other();
    double out[6];
    assert_true(kn_item(kn_at(o.x, "1, 2")) == 5);
    assert_int_equal(kn_ndim(o.x), 2);
    assert_int_equal(kn_dim(o.view, 0), 3);
    assert_true(kn_ok(o.x));
    assert_string_equal(kn_error_of(o.x), "");
    assert_string_equal(kn_repr(o.view), "array([5., 4., 3.])");
    assert_true(kn_item(o.number) == 7);
    assert_int_equal(kn_copy_to(o.x, out, sizeof out), 0);
    assert_true(out[4] == 4);
    const double *p = kn_data(o.view, double);
    expect_values(kn_add(o.x, o.x), 0, 2, 4, 6, 8, 10);
    expect_values(kn_mul(o.view, o.number), 35, 28, 21);
    expect_values(kn_concatenate(KN_LIST(o.view, kn_of(double, 1))), 5, 4, 3, 1);
    expect_values(kn_copy(o.view), 5, 4, 3);
    expect_values(kn_ravel(o.x), 0, 1, 2, 3, 4, 5);
    expect_values(kn_ravel(o.x, .order = "F"), 0, 3, 1, 4, 2, 5);
    expect_values(kn_flatten(o.x, .order = "K"), 0, 1, 2, 3, 4, 5);
    expect_values(kn_ascontiguousarray(o.view), 5, 4, 3);
    expect_values(kn_asfortranarray(o.x), 0, 1, 2, 3, 4, 5);
    expect_values(kn_diagonal(o.x), 0, 4);
    expect_values(kn_einsum("ij->ji", o.x), 0, 3, 1, 4, 2, 5);
    expect_values(o.waits, 1, 2, 3, 4, 5, 6); /* nobody uses its context: it is run there */
    kn_array y;
    kn_call(kn_jit(KN_FN(twice)), &y, &o.view);
    expect_values(y, 10, 8, 6);
    kn_call(kn_jit(KN_CLOSE(times, &o.view)), &y, &o.view);
    expect_values(y, 25, 16, 9);
    kn_array own = kn_at(o.x, "0"); /* an array of this context: the other one is not written to */
    kn_set_at(own, 100, "0");
    expect_values(own, 100, 1, 2);
    expect_values(o.x, 0, 1, 2, 3, 4, 5);
    assert_int_equal(kn_context_free(o.c), 0);
    assert_true(p && p[0] == 5 && p[2] == 3); /* until this scope ends */
    kn_item(o.x);
    expect_error("ValueError", "item: this array was released: the scope that owned it has ended");
}

static void memory_that_is_seen_from_outside_is_copied(void **state)
{
    (void)state;
    KN_SCOPE;
    other o = make_other();
    double *p;
    {
        KN_CONTEXT(o.c);
        p = kn_data_mut(o.x, double);
    }
    kn_array mine = kn_positive(o.x);
    kn_eval(mine);
    {
        KN_CONTEXT(o.c);
        assert_int_equal(kn_touch(o.x), 0);
    }
    p[0] = 50;
    expect_values(mine, 0, 1, 2, 3, 4, 5);
    expect_values(kn_positive(o.x), 50, 1, 2, 3, 4, 5);
    assert_int_equal(kn_context_free(o.c), 0);
}

static void other_uses_of_foreign_handles_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    other o = make_other();
    kn_fn f;
    kn_tree t;
    {
        KN_CONTEXT(o.c);
        f = kn_jit(KN_FN(twice));
        t = kn_tree_from(1, &o.x);
    }
    kn_iadd(o.x, 1);
    expect_error("ContextError", "iadd: this array belongs to another context");
    kn_set_at(o.x, 1, "0");
    expect_error("ContextError", "set_at: this array belongs to another context");
    kn_release(o.x);
    expect_error("ContextError", "release: this handle belongs to another context");
    kn_retain(o.x);
    expect_error("ContextError", "retain: this handle belongs to another context");
    kn_keep(o.x);
    expect_error("ContextError", "keep: this handle belongs to another context");
    kn_array y;
    kn_call(f, &y, &o.x);
    expect_error("ContextError", "call: this function belongs to another context");
    assert_int_equal(kn_tree_count(t), -1);
    expect_error("ContextError", "tree_count: this tree belongs to another context");
    assert_int_equal(kn_context_free(o.c), 0);
}

static void an_error_is_heard_in_both_contexts(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_context c = kn_context_new();
    kn_array bad;
    {
        KN_CONTEXT(c);
        bad = kn_reshape(kn_ones(KN_SHAPE(3)), KN_SHAPE(2));
        kn_error_clear();
    }
    expect_no_error();
    assert_false(kn_ok(bad));
    assert_false(kn_ok(kn_add(bad, 1)));
    expect_error("ValueError", "reshape: cannot reshape array of size 3 into shape (2,)");
    assert_int_equal(kn_context_free(c), 0);
}

static kn_context inner;
static kn_array looks_from_inside(const kn_array *x)
{
    KN_CONTEXT(inner);
    assert_false(kn_ok(kn_add(*x, 1)));
    expect_error("ContextError", "add: this array belongs to another context, where a function is being traced");
    return *x;
}
KN_FUNCTION(looks_from_inside, kn_array, kn_array)

static void tracers_stay_where_they_are(void **state)
{
    (void)state;
    KN_SCOPE;
    inner = kn_context_new();
    kn_array x = kn_of(double, 1), y;
    kn_call(kn_jit(KN_FN(looks_from_inside)), &y, &x);
    expect_values(y, 1);
    assert_int_equal(kn_context_free(inner), 0);
}

/* ---- Callbacks. */

typedef struct ear {
    int heard;
    double value;
    char text[100];
} ear;

static void compute(void *env, kn_error_kind kind, const char *message, const kn_place *place)
{
    ear *e = env;
    (void)kind;
    (void)place;
    KN_SCOPE;
    e->heard++;
    snprintf(e->text, sizeof e->text, "%s", message);
    kn_array x = kn_arange(0, 5, 1);
    e->value = kn_item(kn_sum(kn_mul(x, x)));
    kn_reshape(x, KN_SHAPE(2)); /* fails: not told to this hook again */
}

static void a_hook_can_call_kiln(void **state)
{
    (void)state;
    KN_SCOPE;
    ear e = {0, 0, ""};
    int64_t before = kn_live_count();
    kn_on_error(compute, &e);
    kn_array bad = kn_add(kn_ones(KN_SHAPE(3, 4)), kn_ones(KN_SHAPE(3)));
    assert_int_equal(kn_live_count() - before, 3);
    assert_int_equal(e.heard, 1);
    assert_true(e.value == 30);
    assert_string_equal(e.text, "add: operands could not be broadcast together with shapes (3,4) (3,)");
    assert_false(kn_ok(bad));
    kn_sum(kn_ones(KN_SHAPE(3)), KN_AXIS(1));
    assert_int_equal(e.heard, 2);
    kn_array late = kn_take(kn_ones(KN_SHAPE(3)), kn_of(int64_t, 5)); /* found while it runs */
    kn_eval(late);
    assert_int_equal(e.heard, 3);
    expect_error("ValueError", "add: operands could not be broadcast together with shapes (3,4) (3,)");
    kn_on_error(NULL, NULL);
}

static kn_array fails_while_traced(const kn_array *x)
{
    kn_reshape(*x, KN_SHAPE(7));
    return kn_mul(*x, 3);
}
KN_FUNCTION(fails_while_traced, kn_array, kn_array)

static void what_a_hook_does_is_not_recorded(void **state)
{
    (void)state;
    KN_SCOPE;
    ear e = {0, 0, ""};
    kn_on_error(compute, &e);
    kn_array x = kn_of(double, 1, 2), y;
    kn_jaxpr j = kn_make_jaxpr(KN_FN(fails_while_traced), KN_ARGS(&x));
    assert_int_equal(e.heard, 1);
    assert_true(e.value == 30);
    assert_int_equal(kn_jaxpr_count(j).equations, 1);
    kn_error_clear();
    kn_call(kn_jit(KN_FN(fails_while_traced)), &y, &x);
    assert_int_equal(e.heard, 2);
    kn_on_error(NULL, NULL);
    kn_error_clear();
    expect_values(y, 3, 6);
}

static void clears(void *env, kn_error_kind kind, const char *message, const kn_place *place)
{
    (void)kind;
    (void)place;
    kn_error_clear();
    *(size_t *)env += strlen(message); /* still there */
    kn_on_error(NULL, NULL);
}

static void a_hook_can_clear_the_error_and_itself(void **state)
{
    (void)state;
    KN_SCOPE;
    size_t length = 0;
    kn_on_error(clears, &length);
    kn_reshape(kn_ones(KN_SHAPE(3)), KN_SHAPE(2));
    assert_true(length > 10);
    expect_no_error();
    kn_release(NULL);
    expect_error("TypeError", "release: null handle");
}

static jmp_buf back;
static volatile bool back_is_set;
static void jumps(int depth)
{
    KN_SCOPE;
    kn_ones(KN_SHAPE(2));
    kn_defaults_push(.dtype = KN_F32);
    if (depth)
        jumps(depth - 1);
    else if (back_is_set)
        longjmp(back, 1);
}

static void an_outer_scope_closes_what_a_longjmp_left_open(void **state)
{
    (void)state;
    int64_t before = kn_live_count();
    for (volatile int i = 0; i < 3; i++) {
        KN_SCOPE;
        kn_array x = kn_of(double, 1, 2);
        back_is_set = true;
        if (!setjmp(back))
            jumps(5);
        assert_true(kn_live_count() > before + 1);
        expect_values(x, 1, 2);
    }
    assert_int_equal(kn_live_count(), before);
    assert_ptr_equal(kn_set_default_float(KN_F64), KN_F64);
}

/* ---- Errors that are found late. */

static kn_array pick(kn_array x, kn_array i) { return kn_mul(kn_take(x, i), 2); }

static void a_late_error_has_the_place_of_its_own_line(void **state)
{
    for (int lazy = 1; lazy >= 0; lazy--) {
        (void)state;
        KN_SCOPE;
        bool old = kn_set_lazy(lazy);
        kn_array x = kn_of(double, 1, 2, 3), good = kn_of(int64_t, 1, 2), bad = kn_of(int64_t, 1, 3);
        expect_values(kn_add(kn_take(x, good), 1), 3, 4); /* the plan of all */
        int first = __LINE__ + 1;
        kn_array a = kn_add(kn_take(x, bad), 1);
        kn_eval(a);
        assert_int_equal(kn_error_line(), first);
        assert_string_equal(kn_error_kind_name(), "IndexError");
        assert_non_null(strstr(kn_error_message(), "take: "));
        kn_error_clear();
        int second = __LINE__ + 1;
        kn_array b = kn_add(kn_take(x, bad), 1);
        kn_eval(b);
        assert_int_equal(kn_error_line(), second);
        assert_non_null(strstr(kn_error_message(), "take: "));
        kn_error_clear();
        kn_eval(pick(x, bad));
        assert_string_equal(kn_error_kind_name(), "IndexError");
        kn_error_clear();
        kn_set_lazy(old);
    }
}

static int jit_line;
static kn_array picks(const kn_array *x, const kn_array *i)
{
    jit_line = __LINE__ + 1;
    kn_array y = kn_take(*x, *i);
    return kn_add(y, 1);
}
KN_FUNCTION(picks, kn_array, kn_array, kn_array)

static void a_late_error_in_a_jitted_function_has_its_line(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), good = kn_of(int64_t, 1, 2), bad = kn_of(int64_t, 1, 3), y;
    kn_fn f = kn_jit(KN_FN(picks));
    kn_call(f, &y, &x, &good);
    expect_values(y, 3, 4);
    kn_call(f, &y, &x, &bad);
    assert_false(kn_ok(y));
    assert_int_equal(kn_error_line(), jit_line);
    assert_string_equal(kn_error_kind_name(), "IndexError");
    kn_error_clear();
}

/* ---- The host's floating-point settings. */

#if defined(__SSE__)
static kn_array scaled(const kn_array *x) { return kn_div(kn_mul(*x, 0.5), kn_full(KN_SHAPE(3), 1e-3)); }
KN_FUNCTION(scaled, kn_array, kn_array)

static void compute_small(double *out, char *text)
{
    KN_SCOPE;
    const double tiny = 4.9406564584124654e-324, halves[3] = {2.5e-308, 1e-310, 3e-320};
    const float singles[2] = {1.5e-45f, 1e-39f};
    kn_array x = kn_from(halves, KN_SHAPE(3)), y, f = kn_from(singles, KN_SHAPE(2));
    kn_call(kn_jit(KN_FN(scaled)), &y, &x);
    kn_copy_to(y, out, 3 * sizeof *out);
    kn_copy_to(kn_mul(x, 0.25), out + 3, 3 * sizeof *out);
    out[6] = kn_item(kn_at(f, "0"));
    kn_copy_to(kn_astype(f, KN_F64), out + 7, 2 * sizeof *out);
    out[9] = kn_item(kn_astype(kn_mul(kn_full(KN_SHAPE(1), 1e-39), 1), KN_F32));
    out[10] = kn_item(kn_mul(kn_num(tiny), 3));
    kn_array third = kn_divide(kn_of(double, 1, 2), 3);
    kn_copy_to(third, out + 11, 2 * sizeof *out);
    strcpy(text, kn_repr(kn_concatenate(KN_LIST(x, f))));
}

static void a_host_that_flushes_to_zero_gets_the_same_bits(void **state)
{
    (void)state;
    double want[13] = {0}, have[13] = {0};
    char text[200], text_again[200];
    compute_small(want, text);
    static const unsigned settings[] = {0x8040, 0x6000, 0x2000}; /* flush and denormals are zero; other roundings */
    for (int i = 0; i < 3; i++) {
        unsigned before = _mm_getcsr();
        _mm_setcsr(before | settings[i]);
        compute_small(have, text_again);
        unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        assert_int_equal(after & 0xffc0, (before | settings[i]) & 0xffc0);
        assert_memory_equal(want, have, sizeof want);
        assert_string_equal(text, text_again);
    }
    assert_true(want[1] > 0 && want[6] > 0 && want[9] > 0 && want[10] > 0);
}
#endif

KN_TEST_GROUP(test_contexts)
{
    const struct CMUnitTest tests[] = {
        TEST(a_context_has_its_own_handles_and_errors),
        TEST(nothing_of_a_freed_context_stays),
        TEST(freeing_counts_what_was_forgotten),
        TEST(a_context_that_is_gone_or_in_use_is_refused),
        TEST(a_block_leaves_its_context_however_it_ends),
        TEST(a_scope_ends_in_its_own_context),
        TEST(a_function_leaves_the_stack_as_it_was),
        TEST(a_function_cannot_close_what_it_runs_in),
        TEST(defaults_change_for_a_while),
        TEST(the_number_of_threads_changes_for_a_while),
        TEST(defaults_end_with_their_scope),
        TEST(jitted_functions_follow_the_default),
        TEST(a_context_has_its_defaults),
        TEST(a_context_takes_its_buffers_from_its_allocator),
        TEST(arrays_of_another_context_can_be_read),
        TEST(memory_that_is_seen_from_outside_is_copied),
        TEST(other_uses_of_foreign_handles_are_refused),
        TEST(an_error_is_heard_in_both_contexts),
        TEST(tracers_stay_where_they_are),
        TEST(a_hook_can_call_kiln),
        TEST(what_a_hook_does_is_not_recorded),
        TEST(a_hook_can_clear_the_error_and_itself),
        TEST(an_outer_scope_closes_what_a_longjmp_left_open),
        TEST(a_late_error_has_the_place_of_its_own_line),
        TEST(a_late_error_in_a_jitted_function_has_its_line),
#if defined(__SSE__)
        TEST(a_host_that_flushes_to_zero_gets_the_same_bits),
#endif
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
