/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_corners.c -- NumPy's functions at the corners of what they take: no axes, no elements, every mode, dtypes
 * that results are asked for in (scripts/golden/make_numpy_corners.py). */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"

#define X    c->array[0]
#define Y    c->array[1]
#define AXIS numpy_axes(c, "axis")
#define ARRAY(name, call) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_one(call); }
/* What a write leaves in its first argument. */
#define WRITTEN(name, call) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_one(call == 0 ? X : NULL); }
#define OF_AXIS(name)  ARRAY(name, kn_##name(X, AXIS))
#define OF_DTYPE(name) ARRAY(name, kn_##name(X, AXIS, .dtype = numpy_dtype(c)))
#define IN_PLACE(name) WRITTEN(name, kn_##name(X, Y))
/* clang-format off */
#define EACH_OF_AXIS(F)                                                                                            \
    F(max)                                                                                                         \
    F(min)                                                                                                         \
    F(any)                                                                                                         \
    F(all)                                                                                                         \
    F(argmax)                                                                                                      \
    F(argmin) F(median) F(ptp) F(nanmax) F(nanmin) F(nanmedian) F(nanargmax) F(nanargmin) F(count_nonzero) F(flip) \
        F(sort) F(argsort) F(squeeze)
#define EACH_OF_DTYPE(F)                                                                                \
    F(sum)                                                                                              \
    F(prod)                                                                                             \
    F(mean)                                                                                             \
    F(var)                                                                                              \
    F(std)                                                                                              \
    F(cumsum) F(cumprod) F(nansum) F(nanprod) F(nanmean) F(nanvar) F(nanstd) F(nancumsum) F(nancumprod) \
        F(cumulative_sum) F(cumulative_prod)
#define EACH_IN_PLACE(F) F(iadd) F(isub) F(imul) F(idiv) F(ipow) F(ifloordiv) F(imod) F(iand) F(ilshift)
/* clang-format on */

EACH_OF_AXIS(OF_AXIS)
EACH_OF_DTYPE(OF_DTYPE)
EACH_IN_PLACE(IN_PLACE)

static kn_ufunc ufunc(const numpy_call *c)
{
    const char *name = numpy_option(c, "f");
    return *name == 'a'     ? kn_ufunc_add
           : *name == 's'   ? kn_ufunc_subtract
           : name[1] == 'u' ? kn_ufunc_multiply
                            : kn_ufunc_maximum;
}
ARRAY(ufunc_accumulate, kn_ufunc_accumulate(ufunc(c), X, AXIS))
ARRAY(ufunc_reduce, kn_ufunc_reduce(ufunc(c), X, AXIS))
ARRAY(expand_dims, kn_expand_dims(X, AXIS))
ARRAY(repeat, kn_repeat(X, Y, AXIS))
ARRAY(take, kn_take(X, Y, AXIS))
ARRAY(append, kn_append(X, Y, AXIS))
ARRAY(roll, kn_roll(X, Y, AXIS))
ARRAY(compress, kn_compress(Y, X, AXIS))
ARRAY(delete, kn_delete(X, Y, AXIS))
ARRAY(insert, kn_insert(X, Y, c->array[2], AXIS))
ARRAY(partition, kn_sort(kn_partition(X, Y, AXIS), AXIS))
ARRAY(argpartition, kn_argpartition(X, Y, AXIS))
ARRAY(diff, kn_diff(X, AXIS, .n = (int64_t)numpy_number(c, "n", 1), .prepend = numpy_array(c, "prepend"),
                    .append = numpy_array(c, "append")))
ARRAY(pad, kn_pad(X, Y, .mode = numpy_option(c, "mode"), .constant_values = numpy_array(c, "constant_values"),
                  .end_values = numpy_array(c, "end_values"), .reflect_type = numpy_option(c, "reflect_type")))
WRITTEN(put, kn_put(X, Y, c->array[2], .mode = numpy_option(c, "mode")))
WRITTEN(put_along_axis, kn_put_along_axis(X, Y, c->array[2], AXIS))
WRITTEN(putmask, kn_putmask(X, Y, c->array[2]))
WRITTEN(place_mask, kn_place_mask(X, Y, c->array[2]))

#define EXACT(name) {#name, call_##name, 0},
#define NEAR(name)  {#name, call_##name, 2},
static const numpy_entry table[] = {EACH_OF_AXIS(EXACT) EACH_OF_DTYPE(NEAR) EACH_IN_PLACE(NEAR) EXACT(ufunc_accumulate)
                                        EXACT(ufunc_reduce) EXACT(expand_dims) EXACT(repeat) EXACT(take) EXACT(append)
                                            EXACT(roll) EXACT(compress) EXACT(delete) EXACT(insert) EXACT(partition)
                                                EXACT(argpartition) EXACT(diff) NEAR(pad) EXACT(put)
                                                    EXACT(put_along_axis) EXACT(putmask) EXACT(place_mask)};

static void results_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_corners.txt", table, sizeof table / sizeof *table);
}

KN_TEST_GROUP(test_numpy_corners)
{
    const struct CMUnitTest tests[] = {
        TEST(results_are_those_of_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
