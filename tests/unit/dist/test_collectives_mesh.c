/* SPDX-License-Identifier: Apache-2.0
 * test_collectives_mesh.c -- collectives over meshes of virtual devices have the bits of collectives of vmaps. */
#include "support/group.h"
#include "support/programs.h"

#include "dist/dist.h"
#include "support/collectives.h"
#include <stdio.h>

static void agree(int x, int y, int z)
{
    const kni_mesh *mesh = collectives_mesh(x, y, z);
    char fault[600] = "";
    int checked = 0;
    for (int id = 0; id < KN_ID_COUNT; id++)
        if (!collectives_agree(mesh, &knx_dtype_table[id], fault, sizeof fault, &checked))
            fail_msg("%s", fault);
    assert_true(checked > 200);
}

static void one_axis_of_one_to_eight_devices(void **state)
{
    (void)state;
    for (int n = 1; n <= 8; n++)
        agree(n, 0, 0);
}

static void more_lanes_than_accumulators(void **state)
{
    (void)state;
    agree(17, 0, 0);
    agree(33, 0, 0);
    agree(64, 0, 0);
}

static void several_axes(void **state)
{
    (void)state;
    agree(2, 2, 0);
    agree(3, 2, 0);
    agree(2, 4, 0);
    agree(2, 2, 3);
}

static void axes_of_one_device(void **state)
{
    (void)state;
    agree(1, 4, 0);
    agree(4, 1, 0);
    agree(1, 3, 1);
}

KN_TEST_GROUP(test_collectives_mesh)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_axis_of_one_to_eight_devices),
        cmocka_unit_test(more_lanes_than_accumulators),
        cmocka_unit_test(several_axes),
        cmocka_unit_test(axes_of_one_device),
    };
    if (kndist_set_local(64))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
