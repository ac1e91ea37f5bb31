/* SPDX-License-Identifier: Apache-2.0
 * own_folder.h -- for tests of files: a new folder for each test, which goes with all that is left in it. */
#ifndef KN_TEST_OWN_FOLDER_H
#define KN_TEST_OWN_FOLDER_H
#include "support/expect.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64];

static int make_own_folder(void **state)
{
    strcpy(folder, "/tmp/kiln-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return expect_setup(state);
}

static int remove_own_folder(void **state)
{
    char command[120];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    int failed = system(command);
    return expect_teardown(state) | failed;
}

/* A test whose setup is `set_up`, which calls make_own_folder. */
#define IN_OWN_FOLDER(f) cmocka_unit_test_setup_teardown(f, set_up, remove_own_folder)
#endif
