/* SPDX-License-Identifier: Apache-2.0
 * on_device.c -- see on_device.h. */
#include "support/on_device.h"
#include "kiln/offload.h"
#include "support/expect.h"

int on_device_setup(void **state)
{
    knd_set_default(*state);
    return expect_setup(state);
}

int on_device_teardown(void **state)
{
    int failed = expect_teardown(state);
    knd_set_default(NULL);
    return failed;
}

static kn_array counted(int64_t n) { return kn_arange(0, n, 1, KN_F32); }

static int64_t launches(void)
{
    kn_device_counts c = {.size_ = sizeof c};
    assert_int_equal(kn_device_count(knd_default()->name, &c), 0);
    return c.launches;
}

void on_device_results_are_read_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counted(6), y = kn_add(kn_mul(x, x), 1);
    kn_eval(x);
    int64_t before = launches();
    expect_values(y, 1, 2, 5, 10, 17, 26);
    assert_true(launches() > before);
    assert_true(kn_item(kn_at(y, "3")) == 10);
}

void on_device_views_are_written_to_and_seen(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(counted(6), 2);
    expect_values(x, 0, 2, 4, 6, 8, 10);
    kn_set_at(x, kn_negative(counted(3)), "::2");
    expect_values(x, 0, 2, -1, 6, -2, 10);
    kn_set_at(kn_at(x, "::-1"), 7, "4");
    expect_values(kn_add(x, 1), 1, 8, 0, 7, -1, 11);
}

void on_device_memory_that_the_user_sees_is_sent_each_time(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_mul(counted(4), 1);
    float *p = kn_data_mut(x, float);
    assert_non_null(p);
    for (int i = 0; i < 4; i++) {
        p[0] = (float)(10 * i);
        expect_values(kn_add(x, 1), 10 * i + 1, 2, 3, 4);
        if (i == 1) /* nothing is kept there of what is put where it is */
            kn_eval(kn_device_put(x, knd_default()));
    }
    kn_set_at(x, 5, "2");
    kn_eval(x);
    assert_true(p[2] == 5);
}

/* Through a kernel with elements of part of a word that are no whole words. */
void on_device_dtypes_and_odd_sizes(void **state)
{
    (void)state;
    const kn_dtype dtypes[] = {KN_I8,  KN_U8,  KN_I16, KN_U16,  KN_I32, KN_U32,
                               KN_I64, KN_U64, KN_F16, KN_BF16, KN_F32, KN_C64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (int64_t n = 1; n < 8; n++) {
            KN_SCOPE;
            kn_array x = kn_arange(0, n, 1, dtypes[d]), y = kn_add(kn_mul(x, x), x);
            kn_array sum = kn_sum(kn_astype(kn_real(y), KN_I32));
            assert_true(kn_item(sum) == (double)((n - 1) * n * (n + 1) / 3));
        }
    }
}

static kn_array energy(const kn_array *x) { return kn_sum(kn_mul(*x, kn_sub(*x, kn_mul(kn_sin(*x), 0.5)))); }
KN_FUNCTION(energy, kn_array, kn_array)

void on_device_functions_give_the_hosts_bits(void **state)
{
    (void)state;
    KN_SCOPE;
    float there[2][5];
    for (int i = 0; i < 2; i++) {
        if (i)
            knd_set_default(&knd_host);
        kn_array x = kn_mul(counted(5), 0.3), y;
        kn_call(kn_jit(kn_grad(KN_FN(energy))), &y, &x);
        const float *p = kn_data(y, float);
        assert_non_null(p);
        memcpy(there[i], p, sizeof there[i]);
    }
    assert_memory_equal(there[0], there[1], sizeof there[0]);
}
