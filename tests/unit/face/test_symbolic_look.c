/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_look.c -- what is asked of arrays whose extents are expressions, and texts of extents. */
#include "base/dim.h"
#include "support/group.h"
#include "support/symbolic.h"

static bool same;

static void *ask(const kn_array *x)
{
    int64_t b = kn_dim(x[0], 0), t = kn_dim(x[0], -1);
    kn_shape s = kn_shape_of(x[0]);
    kn_strides v = kn_strides_of(x[0]);
    kn_flags f = kn_flags_of(x[0]);
    same = kn_ndim(x[0]) == 3 && s.ndim == 3 && s.dim[0] == b && s.dim[1] == 4 && s.dim[2] == t &&
           kn_size(x[0]) == knx_dim_mul(knx_dim_mul(b, t), 4) &&
           kn_nbytes(x[0]) == knx_dim_mul(knx_dim_mul(b, t), 16) && kn_itemsize(x[0]) == 4 && v.stride[2] == 4 &&
           v.stride[1] == knx_dim_mul(t, 4) && v.stride[0] == knx_dim_mul(t, 16) && f.c_contiguous && !f.f_contiguous &&
           !strcmp(kn_array_str(kn_like_int(knx_dim_mul(b, 2) + 1)), "2*b + 1") && kn_item_int(kn_like_int(b)) == b &&
           kn_printf("%s has %d rows\n", "x", b) == (int)strlen("x has b rows\n");
    return x[0];
}

static void extents_are_handed_on(void **state)
{
    (void)state;
    const symbolic_case c = {"ask", "f32[b,4,t]", "f32[b,4,t]", ask, "ask"};
    symbolic_check(&c, 1);
    assert_true(same);
}

#define REFUSED(CASE)                                                                                                \
    CASE(shown, "f32[b]", "ConcretizationError: the value of float32[b] is not known while shown is traced by jit",  \
         (kn_repr(x[0]), x[0]))                                                                                      \
    CASE(one, "f32[b]", "ValueError: can only convert an array of size 1 to a scalar, not one of shape (b,)",        \
         kn_add(x[0], kn_item(x[0])))                                                                                \
    CASE(element, "f32[b,t]", "ConcretizationError: the value of float32[b,t] is not known",                         \
         kn_add(x[0], kn_item(x[0], 1, 2)))                                                                          \
    CASE(number, "f32[b]", "InconclusiveDimensionOperation: Symbolic dimension 'b' used in a context that requires", \
         kn_add(x[0], kn_item(kn_like_int(kn_dim(x[0], 0)))))
REFUSED(SYMBOLIC_FUNCTION)
static const symbolic_case refused[] = {REFUSED(SYMBOLIC_ROW)};

static void values_are_refused(void **state)
{
    (void)state;
    symbolic_check(refused, sizeof refused / sizeof *refused);
}

KN_TEST_GROUP(test_symbolic_look)
{
    const struct CMUnitTest tests[] = {TEST(extents_are_handed_on), TEST(values_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
