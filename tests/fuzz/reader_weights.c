/* SPDX-License-Identifier: Apache-2.0
 * reader_weights.c -- readers of files of models: safetensors, whose files are written again and read again, and
 * gguf. */
#define KN_BUILD /* the functions, not the macros of the same names */
#include "readers.h"
#include "kiln/models.h"
#include <stdlib.h>
#include <string.h>

/* ---- safetensors. */

static kn_safetensors parse(const void *bytes, size_t n)
{
    kn_safetensors_parse_opts o = kn_safetensors_parse_opts_default();
    return kn_safetensors_parse(bytes, n, &o);
}

static bool same_elements(kn_array x, kn_array y)
{
    int64_t n = kn_nbytes(x);
    if (kn_dtype_of(x) != kn_dtype_of(y) || n != kn_nbytes(y) || n < 0)
        return false;
    char *a = malloc((size_t)n + 1), *b = malloc((size_t)n + 1);
    kn_tobytes_opts o = kn_tobytes_opts_default();
    bool same =
        kn_tobytes(x, a, (size_t)n, &o) == n && kn_tobytes(y, b, (size_t)n, &o) == n && !memcmp(a, b, (size_t)n);
    free(a);
    free(b);
    return same;
}

static const char *same_files(kn_safetensors a, kn_safetensors b)
{
    int n = kn_safetensors_count(a);
    if (kn_safetensors_count(b) != n || kn_safetensors_metadata_count(a) != kn_safetensors_metadata_count(b))
        return "a file has another number of tensors when it is written and read again";
    for (int i = 0; i < n; i++) {
        const char *name = kn_safetensors_name(a, i);
        if (strcmp(name, kn_safetensors_name(b, i)) != 0)
            return "a tensor has another name when it is written and read again";
        if (!same_elements(kn_safetensors_get(a, name), kn_safetensors_get(b, name)))
            return "a tensor is another one when it is written and read again";
    }
    return NULL;
}

/* The file as it is written; free() it. */
static char *written(kn_safetensors f, size_t *n)
{
    enum { MOST = 64 };
    int tensors = kn_safetensors_count(f), texts = kn_safetensors_metadata_count(f);
    kn_tree_item item[MOST];
    const char *text[2 * MOST];
    char *bytes = NULL;
    if (tensors > MOST || texts > MOST)
        return NULL;
    for (int i = 0; i < tensors; i++) {
        const char *name = kn_safetensors_name(f, i);
        item[i] = (kn_tree_item){name, kn_tree_leaf(kn_safetensors_get(f, name))};
    }
    for (int i = 0; i < texts; i++) {
        text[2 * i] = kn_safetensors_metadata_name(f, i);
        text[2 * i + 1] = kn_safetensors_metadata(f, text[2 * i]);
    }
    const kn_text_list metadata = {2 * texts, text};
    kn_save_safetensors_opts o = kn_save_safetensors_opts_default();
    o.metadata = &metadata;
    o.file = open_memstream(&bytes, n);
    int status = kn_save_safetensors(NULL, kn_tree_dict(tensors, item), &o);
    fclose(o.file);
    if (status)
        free(bytes);
    return status ? NULL : bytes;
}

const char *readers_run_safetensors(const readers_input *in, uint64_t *accepted)
{
    char *exact = malloc(in->n + !in->n); /* so that the sanitizer sees the end */
    const char *wrong = NULL;
    memcpy(exact, in->bytes, in->n);
    kn_scope scope = kn_scope_begin();
    kn_safetensors f = parse(exact, in->n);
    if (f) {
        size_t n = 0;
        ++*accepted;
        char *bytes = written(f, &n);
        kn_safetensors again = bytes ? parse(bytes, n) : NULL;
        if (again)
            wrong = same_files(f, again);
        else if (bytes)
            wrong = "a file that was written cannot be read";
        kn_scope_end(&scope); /* arrays look into the bytes */
        free(bytes);
    } else
        kn_scope_end(&scope);
    free(exact);
    return wrong;
}

/* ---- gguf. */

static uint64_t look_at_texts(kn_gguf f, const char *name)
{
    uint64_t n = 0;
    int64_t length = kn_gguf_metadata_length(f, name);
    for (int64_t i = 0; i < length; i++) {
        const char *s = kn_gguf_metadata_text(f, name, i);
        if (!s)
            break;
        n += strlen(s);
    }
    return n;
}

const char *readers_run_gguf(const readers_input *in, uint64_t *accepted)
{
    kn_gguf f = kn_gguf_parse(in->bytes, in->n);
    if (!f)
        return NULL;
    ++*accepted;
    uint64_t bytes = 0;
    for (int i = 0; i < kn_gguf_metadata_count(f); i++) {
        const char *name = kn_gguf_metadata_name(f, i);
        bytes += look_at_texts(f, name);
        kn_gguf_metadata(f, name);
    }
    kn_error_clear();
    for (int i = 0; i < kn_gguf_count(f); i++) {
        kn_array x = kn_gguf_blocks(f, kn_gguf_name(f, i));
        if (!kn_ok(x)) /* as many axes of length 0 as would be too large without them */
            continue;
        kn_array copy = kn_copy(x, NULL);
        bytes += (uint64_t)kn_nbytes(x);
        if (!same_elements(x, copy))
            return "a tensor is not there";
    }
    return bytes > 64 * (uint64_t)READERS_ROOM ? "there is more than the file has" : NULL;
}

/* ---- Good inputs. */

static void add_safetensors(reader *r, void (*add)(reader *r, const void *bytes, size_t n))
{
    static const char *const headers[] = {
        "{}      ",
        "{\"__metadata__\":{\"format\":\"pt\",\"\\u00e4\":\"\"},\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_"
        "offsets\":[0,24]}}",
        "{\"a.0\":{\"dtype\":\"BF16\",\"shape\":[4],\"data_offsets\":[0,8]},\"a.1\":{\"dtype\":\"BOOL\",\"shape\":[2,2]"
        ","
        "\"data_offsets\":[8,12]},\"b\":{\"shape\":[],\"dtype\":\"U8\",\"data_offsets\":[12,13],\"x\":[1.5,null,{}]}}",
        "{\"e\":{\"dtype\":\"I64\",\"shape\":[0,7],\"data_offsets\":[0,0]},\"f\":{\"dtype\":\"F4\",\"shape\":[2,2],"
        "\"data_offsets\":[0,2]},\"g\":{\"dtype\":\"F6_E2M3\",\"shape\":[8],\"data_offsets\":[2,8]}}"};
    static const size_t elements[] = {0, 24, 13, 8};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char file[512] = "";
        size_t n = strlen(headers[i]);
        file[0] = (char)n;
        file[1] = (char)(n >> 8);
        memcpy(file + 8, headers[i], n);
        for (size_t k = 0; k < elements[i]; k++)
            file[8 + n + k] = (char)(k * 37);
        add(r, file, 8 + n + elements[i]);
    }
}

typedef struct bytes {
    char at[1024];
    size_t n;
} bytes;

static void put(bytes *b, uint64_t v, int n)
{
    for (int i = 0; i < n; i++)
        b->at[b->n++] = (char)(v >> 8 * i);
}

static void put_text(bytes *b, const char *s)
{
    put(b, strlen(s), 8);
    memcpy(b->at + b->n, s, strlen(s));
    b->n += strlen(s);
}

static void put_entry(bytes *b, const char *name, uint64_t type)
{
    put_text(b, name);
    put(b, type, 4);
}

static void add_gguf(reader *r, void (*add)(reader *r, const void *bytes, size_t n))
{
    static const uint64_t kinds[] = {0, 1, 2, 8, 24, 30, 39};
    for (int i = 0; i < 7; i++) {
        bytes b = {.n = 0};
        memcpy(b.at, "GGUF", b.n = 4);
        put(&b, 2 + (uint64_t)i % 2, 4);
        put(&b, 1, 8), put(&b, 4, 8);
        put_entry(&b, "general.alignment", 4), put(&b, 8, 4);
        put_entry(&b, "a", 9), put(&b, 8, 4), put(&b, 2, 8), put_text(&b, "x"), put_text(&b, "yz");
        put_entry(&b, "b", 9), put(&b, 9, 4), put(&b, 1, 8), put(&b, 5, 4), put(&b, 1, 8), put(&b, 7, 4);
        put_entry(&b, "c", 12), put(&b, 0, 8);
        put_text(&b, "w"), put(&b, 2, 4), put(&b, 32, 8), put(&b, 2, 8), put(&b, kinds[i], 4), put(&b, 0, 8);
        put(&b, 0, (int)(-b.n & 7));
        for (int k = 0; k < 32; k++)
            put(&b, (uint64_t)k * 0x0123456789abcdefu, 8);
        add(r, b.at, b.n);
    }
}

void readers_add_weights(reader *safetensors, reader *gguf, void (*add)(reader *r, const void *bytes, size_t n))
{
    add_safetensors(safetensors, add);
    add_gguf(gguf, add);
}
