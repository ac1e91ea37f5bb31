/* SPDX-License-Identifier: Apache-2.0
 * test_safetensors_no_memory.c -- every allocation while files of safetensors are written and read fails once: a MemoryError or
 * the right elements, nothing is leaked, no file is left open. */
#define _GNU_SOURCE
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"
#include <math.h>
#include <stdlib.h>

static char folder[64];

static double program(void)
{
    KN_SCOPE;
    char file[80];
    snprintf(file, sizeof file, "%s/a.safetensors", folder);
    kn_tree t = kn_tree_dict("layers", kn_tree_list(kn_of(float, 1, 2), kn_of(float, 3, 4)), "b", kn_of(double, 0.5));
    if (kn_save_safetensors(file, t, .metadata = KN_TEXTS("format", "pt")) ||
        kn_save_safetensors_sharded(folder, t, .max_shard_size = 10))
        return NAN;
    kn_tree whole = kn_load_safetensors(file, .nested = "."), sharded = kn_load_safetensors(folder);
    kn_tree like = kn_load_safetensors(file, .like = kn_tree_dict("layers", kn_tree_list(kn_zeros(KN_SHAPE(2)))));
    kn_tree renamed = sharded ? kn_rename_weights(sharded, .prefix = KN_TEXTS("layers.", "l")) : NULL;
    if (!whole || !like || !renamed)
        return NAN;
    double sum = kn_item(kn_at(kn_tree_at(whole, "layers[1]"), "0")) + kn_item(kn_tree_at(whole, "b")) +
                 kn_item(kn_at(kn_tree_at(like, "layers[0]"), "1")) + kn_item(kn_at(kn_tree_at(renamed, "l1"), "1"));
    return kn_error_pending() ? NAN : sum;
}

static void every_allocation_may_fail(void **state)
{
    char command[120];
    (void)state;
    strcpy(folder, "/tmp/kiln-safetensors-XXXXXX");
    assert_non_null(mkdtemp(folder));
    no_memory_check(program, 1, NULL);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

KN_TEST_GROUP(test_safetensors_no_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
