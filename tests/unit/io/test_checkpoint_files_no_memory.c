/* SPDX-License-Identifier: Apache-2.0
 * test_checkpoint_files_no_memory.c -- every allocation while a checkpoint is written and read fails once: a MemoryError or the right
 * elements, nothing is leaked, and what is at the path is whole. */
#define _GNU_SOURCE
#include "dist/dist.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static double program(void)
{
    KN_SCOPE;
    kn_sharding s = kn_named_sharding(kn_make_mesh(KN_SHAPE(2), "x"), "x, None");
    kn_sharding columns = kn_named_sharding(kn_make_mesh(KN_SHAPE(2), "x"), "None, x");
    kn_array x = kn_shard(kn_reshape(kn_arange(0., 15., 1.), KN_SHAPE(5, 3)), s);
    char npy[80];
    snprintf(npy, sizeof npy, "%s.npy", path);
    if (kn_save_checkpoint(path, kn_tree_dict("x", x, "n", 3)) || kn_save(npy, x))
        return NAN;
    kn_tree t = kn_load_checkpoint(path), u = kn_load_checkpoint(path, .like = kn_tree_dict("x", x));
    if (!t || !u)
        return NAN;
    kn_array y = kn_load_npy_sharded(npy, columns);
    double sum = kn_item(kn_sum(kn_tree_at(t, "x"))) + kn_item(kn_tree_at(t, "n")) +
                 kn_item(kn_at(kn_tree_at(u, "x"), "4, 2")) + kn_item(kn_at(y, "3, 1"));
    return kn_error_pending() ? NAN : sum;
}

static void every_allocation_may_fail(void **state)
{
    char command[200];
    (void)state;
    strcpy(path, "/tmp/kiln-checkpoint-XXXXXX");
    assert_non_null(mkdtemp(path));
    no_memory_check(program, 1, NULL);
    snprintf(command, sizeof command, "rm -r '%s' '%s.npy'", path, path);
    assert_int_equal(system(command), 0);
}

static int two_devices(void **state)
{
    (void)state;
    return kndist_set_local(2) != NULL;
}

KN_TEST_GROUP(test_checkpoint_files_no_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, two_devices, NULL);
}
