/* SPDX-License-Identifier: Apache-2.0
 * test_dlpack.c -- arrays that go to other libraries and come from them. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include <kiln/dlpack.h>
#include <pthread.h>

/* ---- DLPack. */

static void a_round_trip_shares_memory(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F32), KN_SHAPE(2, 3)), t = kn_transpose(x);
    DLManagedTensorVersioned *d = kn_to_dlpack(t);
    assert_non_null(d);
    assert_int_equal(d->version.major, 1);
    assert_int_equal(d->flags, 0);
    assert_int_equal(d->dl_tensor.device.device_type, kDLCPU);
    assert_int_equal(d->dl_tensor.ndim, 2);
    assert_int_equal(d->dl_tensor.dtype.code, kDLFloat);
    assert_int_equal(d->dl_tensor.dtype.bits, 32);
    assert_int_equal(d->dl_tensor.dtype.lanes, 1);
    assert_true(d->dl_tensor.shape[0] == 3 && d->dl_tensor.shape[1] == 2);
    assert_true(d->dl_tensor.strides[0] == 1 && d->dl_tensor.strides[1] == 3);
    assert_true(((float *)d->dl_tensor.data)[5] == 5);
    kn_array y = kn_from_dlpack(d);
    expect_values(y, 0, 3, 1, 4, 2, 5);
    assert_true(kn_shares_memory(x, y));
    kn_set_at(y, 50, "2, 0");
    expect_values(x, 0, 1, 50, 3, 4, 5);
    kn_set_at(x, 30, "1, 0");
    expect_values(y, 0, 30, 1, 4, 50, 5);
    kn_array whole = kn_from_dlpack(kn_to_dlpack_unversioned(x));
    assert_true(kn_flags_of(whole).c_contiguous);
    kn_set_at(whole, 7, "0, 0");
    expect_values(x, 7, 1, 50, 30, 4, 5);
}

static void a_consumer_sees_writes_and_is_seen(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), copy = kn_copy(x);
    DLManagedTensorVersioned *d = kn_to_dlpack(x);
    double *p = d->dl_tensor.data;
    kn_set_at(x, 10, "0");
    kn_eval(x);
    assert_true(p[0] == 10);
    kn_touch(x);
    p[1] = 20;
    expect_values(x, 10, 20, 3);
    expect_values(copy, 1, 2, 3);
    kn_array late = kn_copy(x);
    kn_set_at(x, 30, "2");
    kn_release(x); /* the write lands all the same, and copies are nobody else's */
    assert_true(p[2] == 30);
    p[0] = -1;
    expect_values(late, 10, 20, 3);
    d->deleter(d);
}

static void *delete_elsewhere(void *tensor)
{
    DLManagedTensorVersioned *d = tensor;
    d->deleter(d);
    return NULL;
}

static void an_export_outlives_everything(void **state)
{
    (void)state;
    kn_shutdown();
    int64_t live = knx_alloc_live();
    kn_array x = kn_ones(KN_SHAPE(1000));
    kn_set_at(x, 5, "0");
    DLManagedTensorVersioned *d = kn_to_dlpack(x);
    const double *p = d->dl_tensor.data;
    kn_set_at(x, 6, "1");
    kn_shutdown();
    assert_true(p[0] == 5 && p[1] == 6 && p[999] == 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, delete_elsewhere, d), 0);
    pthread_join(thread, NULL);
    assert_int_equal(knx_alloc_live(), live);
}

static void read_only_arrays_say_so(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_broadcast_to(kn_of(double, 1, 2), KN_SHAPE(3, 2));
    assert_null(kn_to_dlpack_unversioned(x));
    expect_error("ValueError",
                 "to_dlpack: a read-only array cannot be exported without a version: the older form cannot "
                 "say that it is one");
    DLManagedTensorVersioned *d = kn_to_dlpack(x);
    assert_int_equal(d->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
    assert_true(d->dl_tensor.strides[0] == 0 && d->dl_tensor.strides[1] == 1);
    kn_array y = kn_from_dlpack(d);
    expect_values(y, 1, 2, 1, 2, 1, 2);
    kn_set_at(y, 1, "0");
    expect_error("ValueError", "set_at: assignment destination is read-only");
}

static void parts_of_complex_numbers_keep_their_strides(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_c128 z[] = {{1, 2}, {3, 4}};
    kn_shape two = KN_SHAPE(2);
    kn_array x = kn_from_memory(z, &two, KN_C128), im = kn_imag(x);
    DLManagedTensorVersioned *d = kn_to_dlpack(im);
    assert_int_equal(d->dl_tensor.strides[0], 2);
    assert_true(((double *)d->dl_tensor.data)[2] == 4);
    d->deleter(d);
    d = kn_to_dlpack(x);
    assert_int_equal(d->dl_tensor.dtype.code, kDLComplex);
    assert_int_equal(d->dl_tensor.dtype.bits, 128);
    kn_array back = kn_from_dlpack(d);
    assert_ptr_equal(kn_dtype_of(back), KN_C128);
    expect_values(kn_imag(back), 2, 4);
}

static void every_dtype_goes_round(void **state)
{
    (void)state;
    for (int id = 0; id < 15; id++) {
        KN_SCOPE;
        kn_array x = kn_ones(KN_SHAPE(2), .dtype = kn_dtype_builtin(id));
        DLManagedTensor *d = kn_to_dlpack_unversioned(x);
        kn_release(x);
        kn_array y = kn_from_dlpack(d);
        assert_ptr_equal(kn_dtype_of(y), kn_dtype_builtin(id));
        expect_values(y, 1, 1);
    }
    KN_SCOPE;
    assert_null(kn_to_dlpack(kn_random_key(1)));
    expect_error("TypeError", "to_dlpack: DLPack has no dtype key<fry>");
}

/* Somebody else's tensor. */
typedef struct {
    DLManagedTensorVersioned tensor;
    int deleted;
} Foreign;

static void delete_foreign(DLManagedTensorVersioned *self) { ((Foreign *)self)->deleted++; }

static Foreign foreign(void *data, int ndim, int64_t *shape, int64_t *strides)
{
    Foreign f = {0};
    f.tensor.version = (DLPackVersion){1, 1};
    f.tensor.deleter = delete_foreign;
    f.tensor.dl_tensor = (DLTensor){.data = data,
                                    .device = {kDLCPU, 0},
                                    .ndim = ndim,
                                    .shape = shape,
                                    .strides = strides,
                                    .dtype = {kDLFloat, 64, 1}};
    return f;
}

static void dense_tensors_are_used_where_they_are(void **state)
{
    (void)state;
    double m[6] = {0, 1, 2, 3, 4, 5};
    int64_t shape[] = {3, 1, 2}, turned[] = {1, 77, 3}, back[] = {-2, 5, 1}, plain[] = {2, 2, 1};
    int64_t *strides[] = {turned, back, plain, NULL};
    double want[][6] = {{0, 3, 1, 4, 2, 5}, {4, 5, 2, 3, 0, 1}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}};
    for (int i = 0; i < 4; i++) {
        Foreign f = foreign(i == 1 ? m + 4 : m, 3, shape, strides[i]);
        {
            KN_SCOPE;
            kn_array x = kn_from_dlpack(&f.tensor, .copy = -1);
            assert_int_equal(kn_live_count(), 1);
            expect_values_(x, want[i], 6, 0, "x", __FILE__, __LINE__);
            kn_set_at(x, 10 + i, "1, 0, 1");
            assert_int_equal(f.deleted, 0);
        }
        assert_int_equal(f.deleted, 1);
        int at = i == 0 ? 4 : 3;
        assert_true(m[at] == 10 + i);
        m[at] = at;
    }
}

static void tensors_with_gaps_are_copied(void **state)
{
    (void)state;
    KN_SCOPE;
    double m[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    int64_t shape[] = {2, 3}, gaps[] = {4, 1}, repeated[] = {0, 2}, lines[] = {-4, -1};
    Foreign f = foreign(m, 2, shape, gaps);
    kn_array x = kn_from_dlpack(&f.tensor);
    assert_int_equal(f.deleted, 1);
    expect_values(x, 0, 1, 2, 4, 5, 6);
    f = foreign(m, 2, shape, repeated);
    expect_values(kn_from_dlpack(&f.tensor), 0, 2, 4, 0, 2, 4);
    f = foreign(m, 2, shape, lines);
    f.tensor.dl_tensor.byte_offset = 7 * sizeof(double);
    expect_values(kn_from_dlpack(&f.tensor), 7, 6, 5, 3, 2, 1);
    f = foreign(m, 2, shape, gaps);
    f.deleted = 0;
    assert_false(kn_ok(kn_from_dlpack(&f.tensor, .copy = -1)));
    expect_error("ValueError",
                 "from_dlpack: the tensor cannot be used without a copy: its elements do not lie side by side");
    assert_int_equal(f.deleted, 1);
    char bytes[17] __attribute__((aligned(8))) = {0};
    double v[2] = {1.5, 2.5};
    memcpy(bytes + 1, v, sizeof v);
    int64_t two = 2;
    f = foreign(bytes, 1, &two, NULL);
    f.tensor.dl_tensor.byte_offset = 1;
    expect_values(kn_from_dlpack(&f.tensor), 1.5, 2.5);
    f = foreign(m, 1, &two, NULL);
    kn_array copy = kn_from_dlpack(&f.tensor, .copy = 1);
    m[0] = 99;
    expect_values(copy, 0, 1);
    f = foreign(NULL, 2, (int64_t[]){0, 3}, NULL);
    assert_int_equal(kn_dim(kn_from_dlpack(&f.tensor), 1), 3);
    assert_int_equal(f.deleted, 1);
    f = foreign(m + 1, 0, NULL, NULL);
    expect_values(kn_from_dlpack(&f.tensor), 1);
}

static void expect_refused(Foreign *f, const char *kind, const char *message)
{
    f->deleted = 0;
    assert_false(kn_ok(kn_from_dlpack(&f->tensor)));
    expect_error(kind, message);
    assert_int_equal(f->deleted, 1);
}

static void tensors_are_refused_with_a_reason(void **state)
{
    (void)state;
    KN_SCOPE;
    double m[4] = {0};
    int64_t shape[] = {2, 2}, far[] = {INT64_MAX / 2, 1}, bad[] = {2, -2};
    Foreign f = foreign(m, 2, shape, NULL);
    f.tensor.version.major = 2;
    expect_refused(&f, "ValueError", "from_dlpack: a tensor of DLPack 2.1; version 1 is known here");
    f = foreign(m, 2, shape, NULL);
    f.tensor.dl_tensor.device.device_type = kDLCUDA;
    expect_refused(&f, "ValueError",
                   "from_dlpack: the tensor is in the memory of device type 2; only the CPU's (1) can be imported");
    f = foreign(m, 2, shape, NULL);
    f.tensor.dl_tensor.dtype = (DLDataType){kDLFloat, 8, 1};
    expect_refused(&f, "TypeError", "from_dlpack: no dtype for DLPack's code 2 with 8 bits and 1 lanes");
    f.tensor.dl_tensor.dtype = (DLDataType){kDLFloat, 32, 4};
    expect_refused(&f, "TypeError", "from_dlpack: no dtype for DLPack's code 2 with 32 bits and 4 lanes");
    f = foreign(m, 2, bad, NULL);
    expect_refused(&f, "ValueError", "from_dlpack: negative dimensions are not allowed");
    f = foreign(m, 2, shape, far);
    expect_refused(&f, "ValueError", "from_dlpack: the tensor's strides are too large");
    f = foreign(m, 65, shape, NULL);
    expect_refused(&f, "ValueError", "from_dlpack: maximum supported dimension for an array is 64, found 65");
    f = foreign(NULL, 2, shape, NULL);
    expect_refused(&f, "ValueError", "from_dlpack: the tensor has no memory");
    kn_from_dlpack((DLManagedTensorVersioned *)NULL);
    expect_error("TypeError", "from_dlpack: null tensor");
}

static void read_only_tensors_stay_so(void **state)
{
    (void)state;
    KN_SCOPE;
    double m[4] = {1, 2, 3, 4};
    int64_t shape[] = {2, 2}, turned[] = {1, 2};
    Foreign f = foreign(m, 2, shape, turned);
    f.tensor.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    kn_array x = kn_from_dlpack(&f.tensor);
    assert_false(kn_flags_of(x).writeable);
    assert_true(kn_flags_of(x).f_contiguous);
    kn_set_at(x, 1, "0");
    expect_error("ValueError", "set_at: assignment destination is read-only");
    kn_release(x);
    assert_int_equal(f.deleted, 1);
}

KN_TEST_GROUP(test_dlpack)
{
    const struct CMUnitTest tests[] = {
        TEST(a_round_trip_shares_memory),
        TEST(a_consumer_sees_writes_and_is_seen),
        TEST(an_export_outlives_everything),
        TEST(read_only_arrays_say_so),
        TEST(parts_of_complex_numbers_keep_their_strides),
        TEST(every_dtype_goes_round),
        TEST(dense_tensors_are_used_where_they_are),
        TEST(tensors_with_gaps_are_copied),
        TEST(tensors_are_refused_with_a_reason),
        TEST(read_only_tensors_stay_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
