/* SPDX-License-Identifier: Apache-2.0
 * group.h -- the tests of one file. The files of a folder of unit/ are one program, which is linked once: `unit_base test_dtype` runs the
 * tests of test_dtype.c, in a process of their own. */
#ifndef KN_TEST_GROUP_H
#define KN_TEST_GROUP_H

/* KN_TEST_GROUP(test_dtype) { ... } is to test_dtype.c what main is to a program, with the arguments that follow the group's name;
 * argv[0] is the program. A test that starts itself again gives the program this name first. */
#define KN_TEST_GROUP(name) \
    int kn_group_##name(int argc, char **argv); \
    int kn_group_##name(__attribute__((unused)) int argc, __attribute__((unused)) char **argv)
#endif
