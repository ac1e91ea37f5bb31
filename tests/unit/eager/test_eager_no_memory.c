/* SPDX-License-Identifier: Apache-2.0
 * test_eager_no_memory.c -- every allocation of small programs over arrays with tangents, on tapes and with batch axes fails
 * once: what comes out is a MemoryError or the right answer, and nothing is lost or leaked. */
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"

static double result(double x) { return kn_error_pending() ? NAN : x; }

static double going_backward(void)
{
    KN_SCOPE;
    kn_array w = kn_watch(kn_of(double, 1, 2)), z = kn_zeros(KN_SHAPE(2));
    kn_set_at(z, kn_at(w, "0"), "1");
    kn_array y = kn_sum(kn_mul(kn_sin(z), kn_exp(w)));
    if (kn_backward(y, .record = true))
        return NAN;
    kn_array g = kn_grad_of(w);
    kn_clear_grad(w);
    if (kn_backward(kn_sum(g)))
        return NAN;
    {
        KN_NO_TAPE;
        kn_isub(w, kn_mul(0.1, kn_grad_of(w)));
    }
    return result(kn_item(kn_sum(w)) + kn_item(kn_sum(kn_detach(g))));
}

static double with_tangents(void)
{
    KN_SCOPE;
    KN_TANGENTS;
    kn_array x = kn_of(double, 1, 2), inner;
    kn_array t = kn_with_tangent(x, kn_eye(2));
    {
        KN_TANGENTS;
        inner = kn_tangent_of(kn_mul(kn_with_tangent(t, kn_of(double, 1, 1)), kn_exp(t)));
    }
    kn_iadd(t, inner);
    return result(kn_item(kn_sum(kn_tangent_of(t))) + kn_item(kn_sum(kn_primal_of(inner))));
}

static double with_batch_axes(void)
{
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0., 6., 1), KN_SHAPE(2, 3)), w = kn_watch(kn_of(double, 1, 2, 3));
    kn_array b = kn_batch_in(x, 0), y = kn_sum(kn_mul(w, kn_sin(b)));
    kn_set_at(b, 1.0, "0");
    if (kn_backward(kn_sum(kn_batch_out(y, 0))))
        return NAN;
    kn_array o = kn_batch_out(kn_add(b, kn_decr_batch_dims(kn_incr_batch_dims(kn_of(double, 1, 2, 3)))), 1);
    return result(kn_item(kn_sum(kn_grad_of(w))) + kn_item(kn_sum(o)));
}

static double several_results(void)
{
    KN_SCOPE;
    kn_array a = kn_reshape(kn_of(double, 2, 1, 1, 3, 4, 1, 0, 2), KN_SHAPE(2, 2, 2)), m = kn_at(a, "0");
    kn_linalg_qr_result b = kn_linalg_qr(kn_batch_in(a, 0)), t = kn_linalg_qr(kn_with_tangent(m, kn_eye(2))),
                        w = kn_linalg_qr(kn_watch(kn_copy(m)));
    kn_array sum = kn_add(kn_sum(kn_batch_out(b.q, 0)), kn_sum(kn_batch_out(b.r, 0)));
    sum = kn_add(sum, kn_add(kn_sum(kn_tangent_of(t.q)), kn_sum(kn_tangent_of(t.r))));
    return result(kn_item(kn_add(sum, kn_sum(kn_detach(w.r)))));
}

static double many_operands(void)
{
    KN_SCOPE;
    kn_array w = kn_watch(kn_of(double, 1, 2)), t = kn_with_tangent(w, kn_of(double, 1, 2)),
             y = kn_concatenate(KN_LIST(w, t, w, t, w, t, w, t, w, t));
    if (kn_backward(kn_sum(kn_square(y))))
        return NAN;
    return result(kn_item(kn_sum(kn_grad_of(w))) + kn_item(kn_sum(kn_tangent_of(y))));
}

static double what_waits(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = kn_exp(kn_add(x, x));
    kn_jaxpr j = kn_pending_jaxpr(y);
    kn_list p = kn_parents_of(y), s = kn_siblings_of(y);
    if (!j || kn_list_count(p) != 1 || kn_list_count(s) != 1 || !kn_operation_of(y) || kn_pending_step(y) != 1 ||
        kn_pending_memory_of(y).operations != 1)
        return NAN;
    return result(kn_item(y, 1));
}

static void every_allocation_may_fail(void **state)
{
    double (*program)(void) = (double (*)(void))(uintptr_t)*state;
    no_memory_check(program, 1, NULL);
}

#define PROGRAM(f)                                                      \
    {                                                                   \
#f, every_allocation_may_fail, NULL, NULL, (void *)(uintptr_t)f \
    }

KN_TEST_GROUP(test_eager_no_memory)
{
    const struct CMUnitTest tests[] = {
        PROGRAM(going_backward),  PROGRAM(with_tangents), PROGRAM(with_batch_axes),
        PROGRAM(several_results), PROGRAM(many_operands), PROGRAM(what_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
