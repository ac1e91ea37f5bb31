/* SPDX-License-Identifier: Apache-2.0
 * test_whole_file.c -- files that several write at once: who reads sees all of what one of them wrote. */
#include "base/whole_file.h"
#include "support/group.h"
#include <glob.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { WRITERS = 3, TIMES = 40, BYTES = 1 << 16 };
static char folder[] = "/tmp/kiln-whole-XXXXXX", path[64];

static void *write_often(void *arg)
{
    char *bytes = malloc(BYTES);
    memset(bytes, 'a' + (int)(uintptr_t)arg, BYTES);
    uintptr_t well = 1;
    for (int i = 0; i < TIMES; i++)
        well = well && knx_write_whole_file(path, bytes, BYTES);
    free(bytes);
    return (void *)well;
}

static void check_file(char *bytes)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return; /* not there yet */
    assert_int_equal(fread(bytes, 1, BYTES + 1, f), BYTES);
    fclose(f);
    for (int i = 1; i < BYTES; i++)
        if (bytes[i] != bytes[0])
            fail_msg("byte %d is %c, the first is %c", i, bytes[i], bytes[0]);
}

static int files_there(void)
{
    glob_t g;
    char pattern[80];
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    int n = glob(pattern, 0, NULL, &g) ? 0 : (int)g.gl_pathc;
    globfree(&g);
    return n;
}

static void writers_do_not_meet_in_one_file(void **state)
{
    (void)state;
    pthread_t thread[WRITERS];
    char *bytes = malloc(BYTES + 1);
    for (uintptr_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_often, (void *)i), 0);
    for (int i = 0; i < 2 * TIMES; i++)
        check_file(bytes);
    for (int i = 0; i < WRITERS; i++) {
        void *well = NULL;
        assert_int_equal(pthread_join(thread[i], &well), 0);
        assert_non_null(well);
    }
    check_file(bytes);
    assert_int_equal(files_there(), 1);
    free(bytes);
}

static void what_cannot_be_written_leaves_nothing_behind(void **state)
{
    (void)state;
    char where[80];
    snprintf(where, sizeof where, "%s/none/file", folder);
    assert_false(knx_write_whole_file(where, "x", 1));
    assert_false(knx_write_whole_file(folder, "x", 1)); /* a folder is there */
    glob_t g;
    snprintf(where, sizeof where, "%s.*", folder);
    assert_int_equal(glob(where, 0, NULL, &g), GLOB_NOMATCH);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove(path);
    return rmdir(folder);
}

KN_TEST_GROUP(test_whole_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writers_do_not_meet_in_one_file),
        cmocka_unit_test(what_cannot_be_written_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
