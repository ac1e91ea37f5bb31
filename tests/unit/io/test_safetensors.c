/* SPDX-License-Identifier: Apache-2.0
 * test_safetensors.c -- files of safetensors: what the reference takes and refuses, arrays that are the file, trees,
 * names, files under an index. */
#include "support/expect.h"
#include "support/folder.h"
#include "support/group.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

REMOVE_FOLDER("a.safetensors", "b.safetensors", "model.safetensors.index.json", "model-00001-of-00002.safetensors",
              "model-00002-of-00002.safetensors", "model.safetensors")

enum { ROOM = 4096 };
static uint8_t bytes[ROOM];

/* A file with this header and n bytes of elements: 0, 1, 2, ... */
static size_t make_file(const char *header, size_t n)
{
    size_t length = strlen(header);
    assert_true(8 + length + n <= ROOM);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < n; i++)
        bytes[8 + length + i] = (uint8_t)i;
    return 8 + length + n;
}

static kn_safetensors parse(size_t n)
{
    kn_safetensors_parse_opts o = kn_safetensors_parse_opts_default();
    return kn_safetensors_parse(bytes, n, &o);
}

static kn_safetensors parse_header(const char *header, size_t n) { return parse(make_file(header, n)); }

/* Is the file these bytes? */
static void expect_file(const char *name, size_t n)
{
    static uint8_t there[ROOM + 1];
    FILE *f = fopen(path_of(name), "rb");
    assert_non_null(f);
    size_t got = fread(there, 1, sizeof there, f);
    fclose(f);
    assert_int_equal(got, n);
    assert_memory_equal(there, bytes, n);
}

static void what_the_reference_takes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_safetensors f = parse_header("{\"attn.0\":{\"dtype\":\"U8\",\"shape\":[1,2,3],\"data_offsets\":[0,6]}}   ", 6);
    assert_int_equal(kn_safetensors_count(f), 1);
    assert_string_equal(kn_safetensors_name(f, 0), "attn.0");
    kn_array x = kn_safetensors_get(f, "attn.0");
    assert_int_equal(kn_ndim(x), 3);
    expect_values(x, 0, 1, 2, 3, 4, 5);
    assert_int_equal(kn_safetensors_count(parse_header("{}      ", 0)), 0);
    assert_int_equal(kn_safetensors_count(parse_header("{}\r \t\n", 0)), 0);
    assert_int_equal(kn_safetensors_count(parse_header("\t\n{}\r ", 0)), 0);
    f = parse_header("{\"__metadata__\":{\"framework\":\"pt\"}}     ", 0);
    assert_int_equal(kn_safetensors_count(f), 0);
    assert_string_equal(kn_safetensors_metadata(f, "framework"), "pt");
    assert_null(kn_safetensors_metadata(f, "format"));
    f = parse_header("{\"test\":{\"dtype\":\"I32\",\"shape\":[2,0],\"data_offsets\":[0, 0]}}", 0);
    kn_shape s = kn_safetensors_shape(f, "test");
    assert_true(s.ndim == 2 && s.dim[0] == 2 && s.dim[1] == 0);
    assert_ptr_equal(kn_safetensors_dtype(f, "test"), KN_I32);
    assert_int_equal(kn_size(kn_safetensors_get(f, "test")), 0);
}

static void expect_refused(const char *header, size_t n, const char *why)
{
    KN_SCOPE;
    assert_null(parse_header(header, n));
    expect_error_with("ValueError", why);
}

static void what_the_reference_refuses(void **state)
{
    (void)state;
    KN_SCOPE;
    static const char plain[] = "{\"test\":{\"dtype\":\"I32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}";
    expect_refused(plain, 50, "<memory>: the tensors have 16 bytes, but 50 are there");
    expect_refused(plain, 14, "the tensors have 16 bytes, but 14 are there");
    size_t n = make_file(plain, 16);
    memset(bytes + 4, 0xff, 4);
    assert_null(parse(n));
    expect_error_with("ValueError", "the header is too large");
    assert_null(parse(0));
    expect_error_with("ValueError", "it has only 0 bytes");
    make_file(plain, 0);
    assert_null(parse(8));
    expect_error_with("ValueError", "the file was cut off: the header has 60 bytes, 0 are there");
    expect_refused("\xff", 0, "the header is no UTF-8");
    expect_refused("{", 0, "JSON: ");
    expect_refused("{\"test\":{\"dtype\":\"I32\",\"shape\":[2,2],\"data_offsets\":[0,4]}}", 4,
                   "test has 4 bytes, but its shape and dtype need 16");
    expect_refused("{\"test\":{\"dtype\":\"I32\",\"shape\":[2,18446744073709551614],\"data_offsets\":[0,16]}}", 16,
                   "a number that is no integer of 64 bits");
    expect_refused("{\"test\":{\"dtype\":\"I32\",\"shape\":[2,9223372036854775807],\"data_offsets\":[0,16]}}", 16,
                   "the shape of test is too large");
    expect_refused("{\"test\":{\"dtype\":\"I32\",\"shape\":[0,4611686018427387905],\"data_offsets\":[0,0]}}", 0,
                   "the shape of test is too large"); /* dimension variables are such numbers */
    expect_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]},"
                   "\"b\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}",
                   16, "b has the offsets 0 and 16, but the elements before it end at 16");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}", 3,
                   "a has the offsets 1 and 3, but the elements before it end at 0");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[2,0]}}", 2, "a has the offsets 2 and 0");
    expect_refused("{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, "end inside of a byte");
}

static void what_a_header_may_not_say(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_refused(
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},\"a\":{\"dtype\":\"U8\",\"shape\":[0],"
        "\"data_offsets\":[0,0]}}",
        0, "two tensors are called a");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0,
                   "a has two members dtype");
    expect_refused("{\"a\":{\"shape\":[0],\"data_offsets\":[0,0]}}", 0, "a has no dtype");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[0]}}", 0, "a has no data_offsets");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0]}}", 0, "two offsets are missing");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,0]}}", 0, "a negative number");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1.0],\"data_offsets\":[0,1]}}", 1, "no integer");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1e0],\"data_offsets\":[0,1]}}", 1, "no integer");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[01],\"data_offsets\":[0,1]}}", 1, "begins with 0");
    expect_refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[1,],\"data_offsets\":[0,1]}}", 1, "JSON: ");
    expect_refused("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__ is there twice");
    expect_refused("{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0, "the metadata have a twice");
    expect_refused("{\"__metadata__\":{\"a\":1}}", 0, "a text is missing");
    expect_refused("{} x", 0, "something behind the value");
    expect_refused("[]", 0, "'{' is missing");
    expect_refused("{\"a\":{\"x\":[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]}}", 0, "too many brackets");
    assert_null(parse_header("{\"a\":{\"dtype\":\"F7\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0));
    expect_error_with("TypeError", "a has the unknown dtype F7");
    char many[800] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[1";
    for (int i = 0; i < 64; i++)
        strcat(many, ",1");
    expect_refused(strcat(many, "],\"data_offsets\":[0,1]}}"), 1, "too many numbers in a list");
}

/* The first element of a file whose elements are 0, 1, 2, ... */
static void every_dtype_is_kilns(void **state)
{
    (void)state;
    KN_SCOPE;
    const struct {
        const char *name;
        kn_dtype dtype;
        int bits;
    } all[] = {{"BOOL", KN_BOOL, 8},
               {"U8", KN_U8, 8},
               {"I8", KN_I8, 8},
               {"F8_E5M2", KN_F8_E5M2, 8},
               {"F8_E4M3", KN_F8_E4M3FN, 8},
               {"I16", KN_I16, 16},
               {"U16", KN_U16, 16},
               {"F16", KN_F16, 16},
               {"BF16", KN_BF16, 16},
               {"F8_E8M0", KN_F8_E8M0FNU, 8},
               {"I32", KN_I32, 32},
               {"U32", KN_U32, 32},
               {"F32", KN_F32, 32},
               {"C64", KN_C64, 64},
               {"F8_E4M3FNUZ", KN_F8_E4M3FNUZ, 8},
               {"F64", KN_F64, 64},
               {"I64", KN_I64, 64},
               {"U64", KN_U64, 64},
               {"F4", KN_F4_E2M1FN, 4},
               {"F8_E5M2FNUZ", KN_F8_E5M2FNUZ, 8},
               {"F6_E2M3", KN_F6_E2M3FN, 6},
               {"F6_E3M2", KN_F6_E3M2FN, 6}};
    assert_int_equal(sizeof all / sizeof *all, 22);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        KN_SCOPE;
        char header[128];
        int n = all[i].bits; /* bytes of 8 elements */
        snprintf(header, sizeof header, "{\"x\":{\"dtype\":\"%s\",\"shape\":[8],\"data_offsets\":[0,%d]}}", all[i].name,
                 n);
        size_t size = make_file(header, (size_t)n);
        kn_safetensors f = parse(size);
        kn_array x = kn_safetensors_get(f, "x");
        assert_true(kn_ok(x));
        assert_ptr_equal(kn_dtype_of(x), all[i].dtype);
        if (all[i].dtype == KN_BOOL) /* bytes that are neither 0 nor 1 are true */
            expect_values(x, 0, 1, 1, 1, 1, 1, 1, 1);
        else { /* what is written is the same file */
            int status = kn_save_safetensors(path_of("a.safetensors"), kn_tree_dict("x", x));
            assert_int_equal(status, 0);
            kn_tree again = kn_load_safetensors(path_of("a.safetensors"));
            uint8_t a[64], b[64];
            assert_int_equal(kn_tobytes(kn_tree_at(again, "x"), a, sizeof a), kn_tobytes(x, b, sizeof b));
            assert_memory_equal(a, b, (size_t)kn_nbytes(x));
        }
    }
}

static void small_elements_begin_in_the_lowest_bits(void **state)
{
    (void)state;
    KN_SCOPE;
    size_t n = make_file("{\"x\":{\"dtype\":\"F4\",\"shape\":[4],\"data_offsets\":[0,2]}}", 2);
    bytes[n - 2] = 0x21; /* 0.5, 1 */
    bytes[n - 1] = 0xf7; /* 6, -6 */
    expect_values(kn_astype(kn_safetensors_get(parse(n), "x"), KN_F32), 0.5, 1, 6, -6);
}

static void arrays_are_the_file(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_save_safetensors(path_of("a.safetensors"),
                        kn_tree_dict("w", kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F32), KN_SHAPE(2, 3))));
    kn_array x, y;
    {
        KN_SCOPE;
        kn_safetensors f = kn_safetensors_open(path_of("a.safetensors")),
                       c = kn_safetensors_open(path_of("a.safetensors"), .mode = "c");
        x = kn_keep(kn_safetensors_get(f, "w"));
        y = kn_keep(kn_safetensors_get(c, "w"));
    } /* they outlive the handles */
    kn_set_at(x, 5, "0, 0");
    expect_error_with("ValueError", "read-only");
    kn_set_at(y, 5, "0, 0");
    expect_values(kn_at(y, "0"), 5, 1, 2);
    expect_values(kn_at(x, ":, 1"), 1, 4); /* the file is as it was */
    kn_safetensors_open(path_of("a.safetensors"), .mode = "w");
    expect_error_with("ValueError", "mode must be one of 'r' and 'c'");
}

static void elements_may_lie_anywhere(void **state)
{
    (void)state;
    KN_SCOPE;
    size_t n = make_file(
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"b\":{\"dtype\":\"F32\",\"shape\":[2],"
        "\"data_offsets\":[1,9]}}",
        9);
    memcpy(bytes + n - 8, "\0\0\xc0\x3f\0\0\0\xc0", 8);
    expect_values(kn_safetensors_get(parse(n), "b"), 1.5, -2);
}

/* In files that may not be written to, copies are as views. */
static void what_is_copied_is_read_only_too(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_safetensors_get(
        parse(make_file("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"b\":{\"dtype\":\"F32\","
                        "\"shape\":[2],\"data_offsets\":[1,9]}}",
                        9)),
        "b");
    kn_set_at(x, 5, "0");
    expect_error_with("ValueError", "read-only");
}

static int released;
static void count(void *data, void *env)
{
    (void)env;
    released += data == bytes;
}

static void given_memory_is_given_back_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_safetensors_parse_opts o = kn_safetensors_parse_opts_default();
    o.release = count;
    released = 0;
    size_t n = make_file("{\"x\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}", 3);
    {
        KN_SCOPE;
        kn_array x;
        {
            KN_SCOPE;
            x = kn_keep(kn_safetensors_get(kn_safetensors_parse(bytes, n, &o), "x"));
        }
        assert_int_equal(released, 0);
        expect_values(x, 0, 1, 2);
    }
    assert_int_equal(released, 1);
    assert_null(kn_safetensors_parse(bytes, n - 1, &o));
    expect_error_with("ValueError", "the tensors have 3 bytes");
    assert_int_equal(released, 2);
}

/* The bytes are those of safetensors 0.8: safetensors.numpy.save({"b": ..., "a": ..., "w": ...}, {"format": "pt"}). */
static void files_are_written_as_the_package_writes_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_dict("b", kn_astype(kn_of(int, 0, 1), KN_U8), "a", kn_astype(kn_of(int, 2, 3), KN_U8), "w\n\"",
                             kn_astype(kn_of(int, 0x100), KN_I16));
    assert_int_equal(kn_save_safetensors(path_of("a.safetensors"), t, .metadata = KN_TEXTS("format", "pt")), 0);
    size_t n = make_file(
        "{\"__metadata__\":{\"format\":\"pt\"},\"w\\n\\\"\":{\"dtype\":\"I16\",\"shape\":[1],\"data_offsets\":[0,2]},"
        "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]},"
        "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[4,6]}}       ",
        6);
    memcpy(bytes + n - 6, "\0\1\2\3\0\1", 6);
    expect_file("a.safetensors", n);
    assert_int_equal(kn_save_safetensors(path_of("a.safetensors"), kn_tree_dict("x", kn_transpose(kn_of(double)))), 0);
    kn_array m = kn_astype(kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3)), KN_U8);
    assert_int_equal(kn_save_safetensors(path_of("a.safetensors"), kn_tree_dict("x", kn_copy(m, .order = "F"))), 0);
    n = make_file("{\"x\":{\"dtype\":\"U8\",\"shape\":[2,3],\"data_offsets\":[0,6]}} ", 6);
    expect_file("a.safetensors", n);
}

static void what_cannot_be_written(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_save_safetensors(path_of("b.safetensors"), kn_tree_leaf(kn_num(1)));
    expect_error_with("ValueError", "the tree is one array, which has no name");
    kn_save_safetensors(path_of("b.safetensors"), kn_tree_dict("z", kn_zeros(KN_SHAPE(2), .dtype = KN_C128)));
    expect_error_with("TypeError", "z has dtype complex128, which the format does not have");
    kn_save_safetensors(path_of("b.safetensors"), kn_tree_dict("a.b", 1, "a", kn_tree_dict("b", 2)));
    expect_error_with("ValueError", "two leaves are called a.b");
    kn_save_safetensors(path_of("b.safetensors"), kn_tree_dict("__metadata__", 1));
    expect_error_with("ValueError", "no tensor may be called __metadata__");
    kn_save_safetensors(path_of("b.safetensors"), kn_tree_dict("x", 1), .metadata = KN_TEXTS("odd"));
    expect_error_with("ValueError", "pairs of a name and a text");
    kn_save_safetensors(path_of("b.safetensors"), kn_tree_dict("\xff", 1));
    expect_error_with("ValueError", "no UTF-8");
    kn_save_safetensors(path_of("none/b.safetensors"), kn_tree_dict("x", 1));
    expect_error_with("FileError", "No such file");
    assert_int_equal(access(path_of("b.safetensors"), F_OK), -1);
    kn_array bad = kn_add(kn_of(int, 1, 2), kn_of(int, 1, 2, 3));
    assert_int_equal(kn_save_safetensors(path_of("b.safetensors"), kn_tree_dict("x", bad)), -1);
    kn_error_clear();
}

static void trees_come_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t =
        kn_tree_dict("layers", kn_tree_list(kn_tree_dict("w", 1.5), kn_tree_dict("w", 2.5)), "scale", kn_of(float, 4));
    assert_int_equal(kn_save_safetensors(path_of("a.safetensors"), t), 0);
    kn_tree flat = kn_load_safetensors(path_of("a.safetensors")),
            nested = kn_load_safetensors(path_of("a.safetensors"), .nested = ".");
    assert_string_equal(kn_treedef_text(kn_tree_structure(flat)),
                        "PyTreeDef({'layers.0.w': *, 'layers.1.w': *, 'scale': *})");
    assert_true(kn_treedef_equal(kn_tree_structure(nested), kn_tree_structure(t)));
    expect_values(kn_tree_at(nested, "layers[1].w"), 2.5);
    kn_tree like = kn_tree_dict("layers", kn_tree_list(kn_tree_dict("w", 0)));
    kn_tree some = kn_load_safetensors(path_of("a.safetensors"), .like = like);
    assert_int_equal(kn_tree_count(some), 1);
    expect_values(kn_tree_at(some, "layers[0].w"), 1.5);
    assert_null(kn_load_safetensors(path_of("a.safetensors"), .like = kn_tree_dict("v", 0)));
    expect_error_with("KeyError", "there is no tensor v");
    assert_null(kn_load_safetensors(path_of("a.safetensors"), .like = kn_tree_dict("scale", 0)));
    expect_error_with("ValueError", "scale has shape (1,) in the file, but () is wanted");
    assert_null(kn_load_safetensors(path_of("none")));
    expect_error_with("FileError", "No such file");
}

static void names_make_trees(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_nested(kn_tree_dict("1", 1, "0", 0, "10", 10), ".");
    assert_int_equal(kn_treedef_kind(kn_tree_structure(t)), KN_TREE_DICT); /* 2 to 9 are not there */
    t = kn_tree_nested(kn_tree_dict("a::1", 1, "a::0", 0), "::");
    expect_values(kn_tree_at(t, "a[1]"), 1);
    assert_null(kn_tree_nested(kn_tree_dict("a", 1, "a-b", 1, "a.b", 0), "."));
    expect_error_with("ValueError", "'a' is given twice");
    char deep[400];
    for (int i = 0; i < 199; i++)
        strcpy(deep + 2 * i, "a.");
    assert_null(kn_tree_nested(kn_tree_dict(deep, 1), "."));
    expect_error_with("ValueError", "more than 100 levels");
    assert_null(kn_tree_flat(kn_tree_leaf(kn_num(1)), "."));
    expect_error_with("ValueError", "no name");
    assert_null(kn_tree_flat(kn_tree_dict("a", 1), ""));
    expect_error_with("ValueError", "the separator is empty");
}

static void weights_get_other_names(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree theirs = kn_tree_dict("model.fc_1.weight", 1, "model.fc_1.bias", 2, "lm_head", 3);
    const kn_rename_weights_opts rules = {.size_ = sizeof rules,
                                          .exact = KN_TEXTS("lm_head", "out.weight"),
                                          .prefix = KN_TEXTS("model.", "net."),
                                          .suffix = KN_TEXTS(".weight", ".w"),
                                          .substring = KN_TEXTS("fc", "dense"),
                                          .camel_case = true,
                                          .separator = "."};
    kn_tree ours = (kn_rename_weights)(theirs, &rules);
    assert_string_equal(kn_treedef_text(kn_tree_structure(ours)),
                        "PyTreeDef({'net.dense_1.bias': *, 'net.dense_1.w': *, 'out.w': *})");
    kn_rename_weights_opts back = rules;
    back.inverse = true;
    kn_tree again = (kn_rename_weights)(ours, &back);
    assert_true(kn_treedef_equal(kn_tree_structure(again), kn_tree_structure(theirs)));
    kn_rename_weights(theirs, .suffix = KN_TEXTS("weight", "x", "bias", "x"));
    expect_error_with("ValueError", "is given twice");
    assert_string_equal(
        kn_treedef_text(kn_tree_structure(kn_rename_weights(kn_tree_dict("in_proj_w", 1), .camel_case = true))),
        "PyTreeDef({'inProjW': *})");
}

static void index_says(const char *text)
{
    FILE *f = fopen(path_of("model.safetensors.index.json"), "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void several_files_are_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t =
        kn_tree_dict("a", kn_zeros(KN_SHAPE(4)), "b", kn_ones(KN_SHAPE(20)), "c", kn_arange(0, 4, 1, .dtype = KN_F32));
    assert_int_equal(kn_save_safetensors_sharded(folder, t, .max_shard_size = 48, .metadata = KN_TEXTS("step", "1")),
                     0);
    kn_safetensors f = kn_safetensors_open(folder);
    assert_int_equal(kn_safetensors_count(f), 3);
    assert_string_equal(kn_safetensors_metadata(f, "total_size"), "208");
    assert_string_equal(kn_safetensors_metadata(f, "step"), "1");
    expect_values(kn_at(kn_safetensors_get(f, "c"), "1:"), 1, 2, 3);
    /* what is larger than a file may be is closed first */
    assert_int_equal(kn_safetensors_count(kn_safetensors_open(path_of("model-00001-of-00002.safetensors"))), 1);
    index_says("{\"weight_map\":{\"c\":\"model-00002-of-00002.safetensors\"}}");
    assert_int_equal(kn_safetensors_count(kn_safetensors_open(path_of("model.safetensors.index.json"))), 1);
    index_says("{\"weight_map\":{\"d\":\"model-00002-of-00002.safetensors\"}}");
    assert_null(kn_safetensors_open(folder));
    expect_error_with("KeyError", "d is not in model-00002-of-00002.safetensors");
    index_says("{\"weight_map\":{\"d\":\"../x\"}}");
    assert_null(kn_safetensors_open(folder));
    expect_error_with("ValueError", "the file of d is not in the same folder: ../x");
    index_says("{}");
    assert_null(kn_safetensors_open(folder));
    expect_error_with("ValueError", "there is no weight_map");
    assert_int_equal(kn_save_safetensors_sharded(folder, t), 0); /* one file is enough: the others go away */
    assert_int_equal(access(path_of("model-00001-of-00002.safetensors"), F_OK), -1);
    assert_int_equal(access(path_of("model.safetensors.index.json"), F_OK), -1);
    assert_int_equal(kn_safetensors_count(kn_safetensors_open(folder)), 3);
    kn_save_safetensors_sharded(folder, t, .max_shard_size = 0);
    expect_error_with("ValueError", "files of at most 0 bytes");
}

static void handles_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_safetensors_count(NULL), -1);
    expect_error_with("TypeError", "null safetensors");
    kn_safetensors f = parse_header("{}", 0);
    assert_null(kn_safetensors_name(f, 0));
    expect_error_with("IndexError", "index 0 is out of bounds for a file of 0 tensors");
    assert_false(kn_safetensors_has(f, "x"));
    expect_no_error();
    assert_null(kn_safetensors_dtype(f, "x"));
    expect_error_with("KeyError", "there is no tensor x");
    assert_false(kn_ok(kn_safetensors_get(f, NULL)));
    expect_error_with("TypeError", "null name");
}

KN_TEST_GROUP(test_safetensors)
{
    const struct CMUnitTest tests[] = {
        TEST(what_the_reference_takes),
        TEST(what_the_reference_refuses),
        TEST(what_a_header_may_not_say),
        TEST(every_dtype_is_kilns),
        TEST(small_elements_begin_in_the_lowest_bits),
        TEST(arrays_are_the_file),
        TEST(elements_may_lie_anywhere),
        TEST(what_is_copied_is_read_only_too),
        TEST(given_memory_is_given_back_once),
        TEST(files_are_written_as_the_package_writes_them),
        TEST(what_cannot_be_written),
        TEST(trees_come_back),
        TEST(names_make_trees),
        TEST(weights_get_other_names),
        TEST(several_files_are_one),
        TEST(handles_are_checked),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
