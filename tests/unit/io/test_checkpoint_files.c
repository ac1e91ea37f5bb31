/* SPDX-License-Identifier: Apache-2.0
 * test_checkpoint_files.c -- what was saved of arrays over eight devices comes back over any others, or over none, to the bit; and what
 * goes wrong is told and leaves the older checkpoint as it was. */
#define _GNU_SOURCE
#include "base/dtype.h"
#include "dist/dist.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/own_folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[80];

static int set_up(void **state)
{
    int failed = make_own_folder(state);
    snprintf(path, sizeof path, "%s/state", folder);
    return failed;
}

static char *file_in(const char *name)
{
    static char text[160];
    snprintf(text, sizeof text, "%s/%s", path, name);
    return text;
}

static bool is_there(const char *ending)
{
    char text[120];
    snprintf(text, sizeof text, "%s%s", path, ending);
    return access(text, F_OK) == 0;
}

static void write_text(const char *name, const char *text)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void expect_same(kn_array x, kn_array y, const char *what)
{
    kn_array a = kn_device_get(kn_copy(x)), b = kn_device_get(kn_copy(y));
    assert_ptr_equal(kn_dtype_of(a), kn_dtype_of(b));
    size_t bytes = (size_t)kn_nbytes(a);
    assert_int_equal(bytes, kn_nbytes(b));
    void *p = malloc(bytes + 1), *q = malloc(bytes + 1);
    kn_copy_to(a, p, bytes), kn_copy_to(b, q, bytes);
    expect_no_error();
    if (memcmp(p, q, bytes) != 0)
        fail_msg("%s: %s\nis not %s", what, kn_repr(a), kn_repr(b));
    free(p), free(q);
}

static kn_array matrix(int64_t rows, int64_t columns)
{
    return kn_reshape(kn_arange(0., (double)(rows * columns), 1.), KN_SHAPE(rows, columns));
}

/* Meshes of 8, 2, 8 and 3 devices, and how a matrix may lie there. */
static const struct lie {
    int ndim, size[3];
    const char *names, *spec;
} lies[] = {{2, {4, 2}, "x, y", "x, y"},
            {2, {4, 2}, "x, y", "y, x"},
            {2, {4, 2}, "x, y", "None, (y, x)"},
            {2, {4, 2}, "x, y", "y"},
            {2, {4, 2}, "x, y", ""},
            {1, {2}, "x", "x"},
            {1, {2}, "x", "None, x"},
            {1, {8}, "x", "x"},
            {1, {8}, "x", "None, x"},
            {1, {3}, "x", "x"},
            {3, {2, 2, 2}, "x, y, z", "(z, x), y"}};
enum { LIES = sizeof lies / sizeof *lies };

static kn_sharding lie(int i)
{
    kn_shape s = {.ndim = lies[i].ndim};
    for (int k = 0; k < s.ndim; k++)
        s.dim[k] = lies[i].size[k];
    return kn_named_sharding((kn_make_mesh)(&s, lies[i].names, NULL), lies[i].spec);
}

/* From everywhere to everywhere, with extents that parts divide, do not divide, and of which some parts are empty. */
static void from_any_mesh_to_any(void **state)
{
    static const int extents[][2] = {{8, 8}, {7, 5}, {1, 9}, {3, 1}, {0, 4}, {17, 300}};
    (void)state;
    KN_SCOPE;
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++)
        for (int i = 0; i < LIES; i++) {
            KN_SCOPE;
            kn_array x = matrix(extents[e][0], extents[e][1]);
            char what[80];
            snprintf(what, sizeof what, "%d x %d, lie %d", extents[e][0], extents[e][1], i);
            assert_int_equal(kn_save_checkpoint(path, kn_tree_leaf(kn_shard(x, lie(i)))), 0);
            expect_same(kn_tree_get(kn_load_checkpoint(path), 0), x, what);
            for (int k = 0; k < LIES; k++) {
                kn_array y = kn_tree_get(kn_load_checkpoint(path, .sharding = lie(k)), 0);
                assert_true(kn_sharding_is_equivalent(kn_sharding_of(y), lie(k), 2));
                expect_same(y, x, what);
            }
        }
}

static kn_tree of_all_dtypes(kn_sharding s)
{
    kn_tree_item item[2 * KN_ID_COUNT];
    int n = 0;
    for (int i = 0; i < KN_ID_COUNT; i++) {
        kn_dtype d = &knx_dtype_table[i];
        kn_array x = d->kind == KN_KIND_KEY ? kn_random_split(kn_random_key(i), .num = 6)
                                            : kn_astype(kn_sub(kn_arange(0., 6., 1.), 2.), d);
        if (!kn_ok(x)) { /* one that has no arrays */
            kn_error_clear();
            continue;
        }
        item[n++] = (kn_tree_item){d->name, kn_tree_leaf(s ? kn_shard(x, s) : x)};
        item[n++] = (kn_tree_item){d->code, kn_tree_leaf(kn_at(x, "1"))};
    }
    assert_true(n > 20);
    return (kn_tree_dict)(n, item);
}

static void every_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_sharding s = kn_named_sharding(kn_make_mesh(KN_SHAPE(4, 2), "x, y"), "x");
    kn_tree plain = of_all_dtypes(NULL), spread = of_all_dtypes(s), back;
    assert_int_equal(kn_save_checkpoint(path, spread), 0);
    back = kn_load_checkpoint(path);
    assert_non_null(back);
    assert_true(kn_treedef_equal(kn_tree_structure(back), kn_tree_structure(plain)));
    kn_tree again = kn_load_checkpoint(path, .like = spread);
    assert_non_null(again);
    for (int i = 0; i < kn_tree_count(plain); i++) {
        kn_array x = kn_tree_get(plain, i);
        expect_same(kn_tree_get(back, i), x, "plain");
        expect_same(kn_tree_get(again, i), x, "spread");
        assert_ptr_equal(kn_sharding_of(kn_tree_get(again, i)), kn_sharding_of(kn_tree_get(spread, i)));
    }
}

typedef struct {
    kn_array w, b;
} Layer;
KN_FIELDS(Layer, w, b);

static void trees_have_their_structure_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_sharding s = kn_named_sharding(kn_make_mesh(KN_SHAPE(3), "x"), "x");
    kn_tree t = kn_tree_dict("a \"b\"\n/", kn_tree_tuple(kn_ones(KN_SHAPE(2)), kn_tree_none()), "e",
                             kn_tree_list(1, 2.5), "u\xc3\xa4", kn_shard(kn_zeros(KN_SHAPE(2, 0)), s));
    assert_int_equal(kn_save_checkpoint(path, t), 0);
    kn_tree u = kn_load_checkpoint(path);
    assert_string_equal(kn_treedef_text(kn_tree_structure(u)), kn_treedef_text(kn_tree_structure(t)));
    for (int i = 0; i < kn_tree_count(t); i++)
        assert_string_equal(kn_repr(kn_tree_get(u, i)), kn_repr(kn_tree_get(t, i)));
    Layer layer = {kn_of(double, 1, 2), kn_num(3)}, like = {kn_zeros(KN_SHAPE(2)), kn_num(0)};
    assert_int_equal(kn_save_checkpoint(path, KN_TREE(&layer, Layer)), 0);
    expect_same(kn_tree_at(kn_load_checkpoint(path, .like = KN_TREE(&like, Layer)), "w"), layer.w, "a struct");
    expect_same(kn_tree_at(kn_load_checkpoint(path), "w"), layer.w, "a struct of the file");
    assert_int_equal(kn_save_checkpoint(path, kn_tree_none()), 0);
    assert_int_equal(kn_tree_count(kn_load_checkpoint(path)), 0);
}

static void leaves_are_found_by_their_paths(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_dict("a", 1, "b", kn_tree_list(kn_of(int, 1, 2), kn_of(float, 3)));
    assert_int_equal(kn_save_checkpoint(path, t), 0);
    kn_tree some = kn_load_checkpoint(path, .like = kn_tree_dict("b", kn_tree_list(kn_of(int, 0, 0))));
    assert_int_equal(kn_tree_count(some), 1);
    expect_values(kn_tree_get(some, 0), 1, 2);
    assert_null(kn_load_checkpoint(path, .like = kn_tree_dict("c", 1)));
    expect_error_with("KeyError", "state: the checkpoint has no leaf c");
    assert_null(kn_load_checkpoint(path, .like = kn_tree_dict("b", kn_tree_list(kn_of(int, 1)))));
    expect_error_with("ValueError", "state: b/0 has shape (2,) in the checkpoint, but (1,) is wanted");
    assert_null(kn_load_checkpoint(path, .like = kn_tree_dict("b", kn_tree_list(kn_of(float, 1, 2)))));
    expect_error_with("TypeError", "state: b/0 has dtype int32 in the checkpoint, but float32 is wanted");
    kn_sharding s = kn_named_sharding(kn_make_mesh(KN_SHAPE(3), "x"), "x");
    assert_null(kn_load_checkpoint(path, .sharding = s));
    expect_error_with("ValueError", "is for arrays of at least 1 dimension, this one has 0");
}

static void save_matrix(void)
{
    KN_SCOPE;
    kn_sharding s = kn_named_sharding(kn_make_mesh(KN_SHAPE(4, 2), "x, y"), "x, y");
    assert_int_equal(kn_save_checkpoint(path, kn_tree_dict("w", kn_shard(matrix(8, 6), s))), 0);
}

static void what_is_wrong_with_files_is_told(void **state)
{
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    assert_null(kn_load_checkpoint(path));
    expect_error_with("FileError", "state/manifest.json: No such file or directory");
    save_matrix();
    assert_int_equal(truncate(file_in("part-00000.bin"), 100), 0);
    assert_null(kn_load_checkpoint(path));
    expect_error_with("ValueError", "state/part-00000.bin: the file has 100 bytes, but the manifest says 496");
    unlink(file_in("part-00000.bin"));
    assert_null(kn_load_checkpoint(path));
    expect_error_with("FileError", "state/part-00000.bin: No such file or directory");
    assert_null(kn_load_checkpoint(NULL));
    expect_error_with("TypeError", "path");
    assert_int_equal(kn_save_checkpoint(NULL, kn_tree_none()), -1);
    expect_error_with("TypeError", "null path");
    assert_int_equal(kn_save_checkpoint("", kn_tree_none()), -1);
    expect_error_with("FileError", "empty");
    assert_int_equal(kn_save_checkpoint("/no/such/folder", kn_tree_none()), -1);
    expect_error_with("FileError", "/no/such/folder.new: No such file or directory");
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER "big"
#else
#define ORDER "little"
#endif
#define HEAD               "{\"format\": \"kiln checkpoint\", \"version\": 1, \"byte_order\": \"" ORDER "\", "
#define LEAF               "\"tree\": [{\"kind\": \"leaf\", \"children\": 0}], \"leaves\": [{\"path\": \"\", \"dtype\": \"int8\", "
#define PART(start, shape) "{\"file\": 0, \"offset\": 0, \"start\": [" start "], \"shape\": [" shape "]}"

static void manifests_that_make_no_sense(void **state)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"", "JSON: no value at byte 0"},
        {"{", "JSON: a key or an end is missing"},
        {"{\"a", "JSON: a text without an end"},
        {"[1.5]", "no integer of 64 bits"},
        {"[99999999999999999999]", "no integer of 64 bits"},
        {"[\"\\ud800\"]", "no such character"},
        {"[\"\\u0000\"]", "no such character"},
        {"[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]", "too many brackets"},
        {"{} x", "something behind the value"},
        {"[]", "this is no manifest"},
        {"{\"format\": \"kiln checkpoint\", \"version\": 2}", "has version 2, and this Kiln reads version 1"},
        {HEAD "\"files\": []}", "no files, no tree or no leaves"},
        {HEAD "\"files\": [-1], \"tree\": [], \"leaves\": []}", "a file has no size"},
        {HEAD "\"files\": [], \"tree\": [], \"leaves\": []}", "not as many leaves"},
        {HEAD "\"files\": [], \"tree\": [{\"kind\": \"list\", \"children\": 2}], \"leaves\": []}",
         "without its children"},
        {HEAD "\"files\": [], " LEAF "\"shape\": [2], \"parts\": []}]}", "not all of it"},
        {HEAD "\"files\": [], " LEAF "\"shape\": [-2], \"parts\": []}]}", "no extent"},
        {HEAD "\"files\": [], " LEAF "\"shape\": [9223372036854775807, 9223372036854775807], \"parts\": []}]}",
         "larger than any memory"},
        {HEAD "\"files\": [], " LEAF "\"shape\": [0, 9223372036854775807], \"parts\": []}]}", "larger than any memory"},
        {HEAD "\"files\": [9], " LEAF
              "\"shape\": [2], \"parts\": [{\"file\": 1, \"offset\": 0, \"start\": [0], \"shape\": [2]}]}]}",
         "a part is in no file"},
        {HEAD "\"files\": [9], " LEAF
              "\"shape\": [2], \"parts\": [{\"file\": 0, \"offset\": 8, \"start\": [0], \"shape\": [2]}]}]}",
         "behind the end of its file"},
        {HEAD "\"files\": [9], " LEAF
              "\"shape\": [2], \"parts\": [{\"file\": 0, \"offset\": 0, \"start\": [1], \"shape\": [2]}]}]}",
         "outside of its array"},
        {HEAD "\"files\": [9], " LEAF "\"shape\": [2], \"parts\": [" PART("0", "1") ", " PART("0", "1") "]}]}",
         "two parts of an array have the same elements"},
        {HEAD "\"files\": [9], " LEAF "\"shape\": [5], \"parts\": [" PART("0", "3") ", " PART("2", "2") "]}]}",
         "two parts of an array have the same elements"},
        {HEAD "\"files\": [9], " LEAF
              "\"shape\": [2, 2], \"parts\": [" PART("0, 0", "2, 1") ", " PART("0, 0", "1, 2") "]}]}",
         "two parts of an array have the same elements"},
        {HEAD "\"files\": [9], " LEAF
              "\"shape\": [2, 2], \"parts\": [" PART("1, 0", "1, 2") ", " PART("1, 0", "1, 2") "]}]}",
         "two parts of an array have the same elements"},
    };
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    assert_int_equal(mkdir(path, 0777), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(file_in("manifest.json"), bad[i].text);
        assert_null(kn_load_checkpoint(path));
        expect_error_with("ValueError", bad[i].error);
        kn_load_checkpoint(path);
        expect_error_with("ValueError", "state/manifest.json: ");
    }
}

/* Parts as no mesh has them. */
static void parts_of_a_manifest_need_not_be_a_grid(void **state)
{
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    assert_int_equal(mkdir(path, 0777), 0);
    write_text(file_in("manifest.json"),
               HEAD "\"files\": [5], " LEAF "\"shape\": [2, 3], \"parts\": [" PART("1, 1", "1, 2") ", " PART(
                   "0, 0", "2, 1") ", " PART("0, 2", "1, 1") ", " PART("0, 1", "1, 1") "]}]}");
    write_text(file_in("part-00000.bin"), "\x01\x02\x03\x04\x05");
    expect_values(kn_tree_get(kn_load_checkpoint(path), 0), 1, 1, 1, 2, 1, 2);
}

/* The folder that everybody is in would be gone. */
static void the_working_directory_is_not_replaced(void **state)
{
    static const char *const places[] = {".", "..", "./", "../"};
    char here[4096], name[160];
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(chdir(path), 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_int_equal(kn_save_checkpoint(places[i], kn_tree_none()), -1);
        expect_error_with("ValueError", "this one holds the working directory: give it a name of its own");
    }
    assert_int_equal(kn_save_checkpoint(path, kn_tree_none()), -1);
    expect_error_with("ValueError", "this one holds the working directory");
    assert_int_equal(kn_save_checkpoint("state", kn_tree_none()), 0);
    snprintf(name, sizeof name, "%s-2", path);
    assert_int_equal(kn_save_checkpoint(name, kn_tree_none()), 0);
    assert_int_equal(chdir(here), 0);
}

static void an_older_one_stays_until_a_new_one_is_complete(void **state)
{
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    save_matrix();
    kn_array bad = kn_at(kn_arange(0, 3, 1), "7");
    kn_error_clear();
    assert_int_equal(kn_save_checkpoint(path, kn_tree_list(1, bad)), -1);
    kn_error_clear();
    expect_same(kn_tree_get(kn_load_checkpoint(path), 0), matrix(8, 6), "after an error");
    assert_false(is_there(".new"));
    /* What a crash leaves: a folder that was not complete, ... */
    char name[160];
    snprintf(name, sizeof name, "%s.new", path);
    assert_int_equal(mkdir(name, 0777), 0);
    snprintf(name, sizeof name, "%s.new/part-00003.bin", path);
    write_text(name, "half");
    expect_same(kn_tree_get(kn_load_checkpoint(path), 0), matrix(8, 6), "after a crash");
    /* ... or the older one beside its place, where a system cannot exchange two folders. */
    snprintf(name, sizeof name, "%s.old", path);
    assert_int_equal(rename(path, name), 0);
    expect_same(kn_tree_get(kn_load_checkpoint(path), 0), matrix(8, 6), "between two renames");
    assert_int_equal(kn_save_checkpoint(path, kn_tree_leaf(kn_num(5))), 0);
    expect_values(kn_tree_get(kn_load_checkpoint(path), 0), 5);
    assert_false(is_there(".new"));
    assert_false(is_there(".old"));
    assert_true(is_there(""));
}

static void a_symbolic_link_stays_one(void **state)
{
    char other[120];
    struct stat s;
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(mkdir(other, 0777), 0);
    assert_int_equal(symlink(other, path), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kn_save_checkpoint(path, kn_tree_leaf(kn_num(i))), 0);
        expect_values(kn_tree_get(kn_load_checkpoint(other), 0), i);
    }
    assert_int_equal(lstat(path, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
}

/* What a link beside it leads to is somebody else's. */
static void a_link_in_the_place_of_the_new_one_is_left_alone(void **state)
{
    char other[120], made[120];
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    snprintf(other, sizeof other, "%s/other", folder);
    snprintf(made, sizeof made, "%s.new", path);
    assert_int_equal(kn_save_checkpoint(other, kn_tree_leaf(kn_num(3))), 0);
    assert_int_equal(symlink(other, made), 0);
    assert_int_equal(kn_save_checkpoint(path, kn_tree_leaf(kn_num(4))), -1);
    assert_int_equal(kn_error_get_kind(), KN_ERROR_VALUE);
    kn_error_clear();
    expect_values(kn_tree_get(kn_load_checkpoint(other), 0), 3);
    unlink(made);
}

static void names_with_strokes_are_no_paths(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree both = kn_tree_dict("a", kn_tree_dict("b", 1), "a/b", 2), like = kn_tree_dict("a/b", kn_num(0));
    assert_int_equal(kn_save_checkpoint(path, both), 0);
    kn_tree back = kn_load_checkpoint(path, .like = both);
    assert_int_equal(kn_tree_count(back), 2);
    expect_values(kn_tree_get(back, 0), 1);
    expect_values(kn_tree_get(back, 1), 2);
    assert_null(kn_load_checkpoint(path, .like = like));
    assert_int_equal(kn_error_get_kind(), KN_ERROR_VALUE);
    kn_error_clear();
}

static void what_is_no_checkpoint_is_not_replaced(void **state)
{
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    write_text(path, "mine");
    assert_int_equal(kn_save_checkpoint(path, kn_tree_none()), -1);
    expect_error_with("FileError", "state: Not a directory");
    unlink(path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(kn_save_checkpoint(path, kn_tree_none()), 0); /* an empty folder */
    write_text(file_in("thesis.tex"), "mine");
    assert_int_equal(kn_save_checkpoint(path, kn_tree_none()), -1);
    expect_error_with("ValueError", "not replaced, as it has something that is of no checkpoint: thesis.tex");
    assert_int_equal(access(file_in("thesis.tex"), F_OK), 0);
    assert_int_equal(access(file_in("manifest.json"), F_OK), 0);
    assert_false(is_there(".new"));
}

static kn_array saves(const kn_array *x)
{
    kn_save_checkpoint(path, kn_tree_list(*x));
    return *x;
}
KN_FUNCTION(saves, kn_array, kn_array)

static void traced_arrays_are_not_saved(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2)), y;
    kn_call(kn_jit(KN_FN(saves)), &y, &x);
    expect_error_with("ConcretizationError", "traced");
    assert_false(is_there(""));
}

/* ---- npy files. */

static void npy_files_part_by_part(void **state)
{
    static const char *const dtypes[] = {"bool",    "int8",    "uint16",    "int32",      "int64",   "float16",
                                         "float32", "float64", "complex64", "complex128", "bfloat16"};
    char name[120];
    (void)state;
    KN_SCOPE;
    snprintf(name, sizeof name, "%s/x.npy", folder);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int fortran = 0; fortran < 2; fortran++) {
            KN_SCOPE;
            kn_array x = kn_astype(kn_sub(matrix(13, 7), 40.), knx_dtype_find(dtypes[d]));
            kn_array y = fortran ? kn_transpose(kn_copy(kn_transpose(x))) : x;
            assert_int_equal(kn_save(name, y), 0);
            for (int i = 0; i < LIES; i++)
                expect_same(kn_load_npy_sharded(name, lie(i)), kn_load(name), dtypes[d]);
        }
    for (int n = 0; n < 3; n++) {
        kn_array x = n == 0   ? kn_num(2.5)
                     : n == 1 ? kn_zeros(KN_SHAPE(0, 3))
                              : kn_reshape(kn_arange(0, 4000, 1), KN_SHAPE(20, 10, 20));
        assert_int_equal(kn_save(name, n == 2 ? kn_transpose(x) : x), 0);
        expect_same(
            kn_load_npy_sharded(name, kn_named_sharding(kn_make_mesh(KN_SHAPE(3), "x"), n == 2 ? "None, x" : "")),
            kn_load(name), "of other dimensions");
    }
}

/* Rows and columns of a file that is much larger than what is read at a time, in both orders. */
static void large_npy_files(void **state)
{
    char name[120];
    (void)state;
    KN_SCOPE;
    snprintf(name, sizeof name, "%s/x.npy", folder);
    kn_array x = kn_reshape(kn_arange(0, 3000 * 601, 1), KN_SHAPE(3000, 601));
    for (int fortran = 0; fortran < 2; fortran++) {
        assert_int_equal(kn_save(name, fortran ? kn_transpose(x) : x), 0);
        for (int i = 0; i < LIES; i++)
            assert_true(
                kn_array_equal(kn_device_get(kn_load_npy_sharded(name, lie(i))), fortran ? kn_transpose(x) : x));
    }
}

static void npy_files_of_the_other_byte_order(void **state)
{
    char name[120];
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    snprintf(name, sizeof name, "%s/x.npy", folder);
    FILE *f = fopen(name, "wb");
    char text[119];
    snprintf(text, sizeof text, "%-117s\n", "{'descr': '>i2', 'fortran_order': False, 'shape': (5,), }");
    fwrite("\x93NUMPY\1\0\x76\0", 1, 10, f);
    fwrite(text, 1, 118, f);
    for (int i = 0; i < 5; i++)
        fwrite((char[]){1, (char)i}, 1, 2, f);
    fclose(f);
    expect_values(kn_load_npy_sharded(name, kn_named_sharding(kn_make_mesh(KN_SHAPE(3), "x"), "x")), 256, 257, 258, 259,
                  260);
}

static void npy_files_with_mistakes(void **state)
{
    char name[120];
    (void)state;
    FOR_ONE_PROCESS();
    KN_SCOPE;
    kn_sharding s = kn_named_sharding(kn_make_mesh(KN_SHAPE(3), "x"), "x");
    snprintf(name, sizeof name, "%s/x.npy", folder);
    kn_load_npy_sharded(name, s);
    expect_error_with("FileError", "x.npy: No such file or directory");
    write_text(name, "no array");
    kn_load_npy_sharded(name, s);
    expect_error_with("ValueError", "the magic string is not correct");
    kn_save(name, kn_zeros(KN_SHAPE(4)));
    kn_load_npy_sharded(name, NULL);
    expect_error_with("TypeError", "null sharding");
    kn_load_npy_sharded(NULL, s);
    expect_error_with("TypeError", "path");
    kn_load_npy_sharded(name, kn_named_sharding(kn_sharding_mesh(s), "None, x"));
    expect_error_with("ValueError", "at least 2 dimensions");
    assert_int_equal(truncate(name, 140), 0);
    kn_load_npy_sharded(name, s);
    expect_error_with("ValueError", "Expected (4,) = 4 elements, could only read 1 elements");
}

static int all_devices(void **state)
{
    (void)state;
    return kndist_set_local(8) != NULL;
}

KN_TEST_GROUP(test_checkpoint_files)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(from_any_mesh_to_any),
        IN_OWN_FOLDER(every_dtype),
        IN_OWN_FOLDER(trees_have_their_structure_back),
        IN_OWN_FOLDER(leaves_are_found_by_their_paths),
        IN_OWN_FOLDER(what_is_wrong_with_files_is_told),
        IN_OWN_FOLDER(manifests_that_make_no_sense),
        IN_OWN_FOLDER(parts_of_a_manifest_need_not_be_a_grid),
        IN_OWN_FOLDER(the_working_directory_is_not_replaced),
        IN_OWN_FOLDER(an_older_one_stays_until_a_new_one_is_complete),
        IN_OWN_FOLDER(a_symbolic_link_stays_one),
        IN_OWN_FOLDER(a_link_in_the_place_of_the_new_one_is_left_alone),
        IN_OWN_FOLDER(names_with_strokes_are_no_paths),
        IN_OWN_FOLDER(what_is_no_checkpoint_is_not_replaced),
        IN_OWN_FOLDER(traced_arrays_are_not_saved),
        IN_OWN_FOLDER(npy_files_part_by_part),
        IN_OWN_FOLDER(large_npy_files),
        IN_OWN_FOLDER(npy_files_of_the_other_byte_order),
        IN_OWN_FOLDER(npy_files_with_mistakes),
    };
    return cmocka_run_group_tests(tests, all_devices, NULL);
}
