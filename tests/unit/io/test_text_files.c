/* SPDX-License-Identifier: Apache-2.0
 * test_text_files.c -- np.loadtxt, np.genfromtxt and np.savetxt as NumPy has them: golden/text_files.txt, which
 * scripts/golden/make_text_files.py makes. */
#include "support/expect.h"
#include "support/group.h"
#include <stdlib.h>
#include <unistd.h>

enum { LINE = 1 << 16, VALUES = 256, OPTIONS = 12, ITEMS = 16 };

/* ---- A case. */

typedef struct option {
    char *name, *value;
    size_t length;
} option;

typedef struct given {
    option option[OPTIONS];
    int n;
} given;

/* "\x0a" becomes a line feed, in place; the new length. */
static size_t unescape(char *s)
{
    char *to = s;
    for (char *at = s; *at; to++) {
        unsigned c;
        if (at[0] == '\\' && at[1] == 'x' && sscanf(at + 2, "%2x", &c) == 1) {
            *to = (char)c;
            at += 4;
        } else {
            *to = *at++;
        }
    }
    *to = '\0';
    return (size_t)(to - s);
}

static given read_options(char *text)
{
    given g = {.n = 0};
    while (text && *text) {
        char *next = strchr(text, '|'), *value = strchr(text, '=');
        if (next)
            *next++ = '\0';
        assert_non_null(value);
        *value++ = '\0';
        assert_true(g.n < OPTIONS);
        option *o = &g.option[g.n++];
        *o = (option){text, value, 0};
        o->length = unescape(value);
        text = next;
    }
    return g;
}

static const option *find(const given *g, const char *name)
{
    for (int i = 0; i < g->n; i++)
        if (strcmp(g->option[i].name, name) == 0)
            return &g->option[i];
    return NULL;
}

static const char *text_of(const given *g, const char *name, const char *otherwise)
{
    const option *o = find(g, name);
    return !o ? otherwise : strcmp(o->value, "None") == 0 ? NULL : o->value;
}

static int64_t int_of(const given *g, const char *name, int64_t otherwise)
{
    const option *o = find(g, name);
    return o ? strtoll(o->value, NULL, 10) : otherwise;
}

/* Items with \x01 between them. */
static int items_of(const given *g, const char *name, const char *item[ITEMS])
{
    const option *o = find(g, name);
    int n = 0;
    for (char *at = o ? o->value : NULL; at;) {
        char *next = strchr(at, 1);
        if (next)
            *next++ = '\0';
        item[n++] = at;
        at = next;
    }
    return n;
}

static const kn_int_list *ints_of(const given *g, const char *name, int64_t room[ITEMS], kn_int_list *list)
{
    const char *item[ITEMS];
    list->n = items_of(g, name, item);
    list->v = room;
    for (int i = 0; i < list->n; i++)
        room[i] = strtoll(item[i], NULL, 10);
    return find(g, name) ? list : NULL;
}

static kn_dtype dtype_of(const given *g)
{
    const option *o = find(g, "dtype");
    return o ? kn_dtype_named(o->value) : NULL;
}

/* ---- Results. */

static void check_values(kn_array x, char *want, const char *line)
{
    char shape[64] = "", *save, *word = strtok_r(want, " ", &save);
    assert_true(kn_ok(x));
    assert_string_equal(kn_dtype_name(kn_dtype_of(x)), word);
    for (int i = 0; i < kn_ndim(x); i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%lld", i ? "," : "", (long long)kn_dim(x, i));
    word = strtok_r(NULL, " ", &save);
    assert_string_equal(*shape ? shape : "-", word);
    kn_array wide = kn_iscomplexobj(x) ? kn_stack(KN_LIST(kn_real(x), kn_imag(x)), KN_AXIS(-1)) : x;
    bool floats = kn_dtype_kind(kn_dtype_of(wide)) == 'f';
    wide = kn_ravel(floats ? kn_astype(wide, KN_F64) : wide);
    int64_t n = kn_size(wide);
    for (int64_t i = 0; i < n; i++) {
        word = strtok_r(NULL, " ", &save);
        assert_non_null(word);
        if (floats) {
            double v = kn_item(wide, i), w = strtod(word, NULL);
            if ((v != v) != (w != w) || (v == v && (v != w || signbit(v) != signbit(w))))
                fail_msg("%s: element %lld is %a, not %a", line, (long long)i, v, w);
        } else if (kn_dtype_of(wide) == KN_U64) {
            assert_true(kn_data(wide, uint64_t)[i] == strtoull(word, NULL, 10));
        } else {
            assert_int_equal(kn_item_int(kn_astype(kn_at(wide, "%", i), KN_I64)), strtoll(word, NULL, 10));
        }
    }
    assert_null(strtok_r(NULL, " ", &save));
}

/* "Kind: text", as the pending error has it behind the function's name. */
static void check_error(const char *function, const char *want, const char *line)
{
    char have[4096];
    if (!kn_error_pending())
        fail_msg("%s: no error, but %s", line, want);
    const char *message = kn_error_message();
    size_t n = strlen(function);
    if (strncmp(message, function, n) == 0 && message[n] == ':')
        message += n + 2;
    snprintf(have, sizeof have, "%s: %s", kn_error_kind_name(), message);
    kn_error_clear();
    if (strcmp(have, want) != 0)
        fail_msg("%s\n have: %s\n want: %s", line, have, want);
}

/* ---- The functions. */

static char path[] = "/tmp/kiln-text-XXXXXX";

static kn_array load(const given *g, const char *text)
{
    int64_t room[ITEMS];
    kn_int_list usecols;
    const char *item[ITEMS];
    kn_text_list several = {items_of(g, "several_comments", item), item};
    kn_loadtxt_opts o = kn_loadtxt_opts_default();
    o.text = text;
    o.dtype = dtype_of(g);
    o.comments = text_of(g, "comments", "#");
    o.several_comments = several.n ? &several : NULL;
    o.delimiter = text_of(g, "delimiter", NULL);
    o.quotechar = text_of(g, "quotechar", NULL);
    o.skiprows = int_of(g, "skiprows", 0);
    o.max_rows = int_of(g, "max_rows", -1);
    o.ndmin = (int)int_of(g, "ndmin", 0);
    o.unpack = int_of(g, "unpack", 0);
    o.usecols = ints_of(g, "usecols", room, &usecols);
    return (kn_loadtxt)(NULL, &o);
}

static kn_array generate(const given *g, const char *text)
{
    int64_t room[ITEMS], widths_room[ITEMS];
    double fill[ITEMS];
    kn_int_list usecols, widths;
    const char *item[ITEMS];
    kn_genfromtxt_opts o = kn_genfromtxt_opts_default();
    int n = items_of(g, "filling_values", item);
    for (int i = 0; i < n; i++)
        fill[i] = strtod(item[i], NULL);
    o.text = text;
    o.dtype = dtype_of(g);
    o.detect = int_of(g, "detect", 0);
    o.comments = text_of(g, "comments", "#");
    o.delimiter = text_of(g, "delimiter", NULL);
    o.widths = ints_of(g, "widths", widths_room, &widths);
    o.skip_header = int_of(g, "skip_header", 0);
    o.skip_footer = int_of(g, "skip_footer", 0);
    o.missing_values = text_of(g, "missing_values", NULL);
    o.filling_values = n == 1 ? kn_num(fill[0]) : n ? kn_from(fill, KN_SHAPE(n)) : NULL;
    o.usecols = ints_of(g, "usecols", room, &usecols);
    o.autostrip = int_of(g, "autostrip", 0);
    o.unpack = int_of(g, "unpack", 0);
    o.loose = int_of(g, "loose", 1);
    o.invalid_raise = int_of(g, "invalid_raise", 1);
    o.max_rows = int_of(g, "max_rows", -1);
    o.ndmin = (int)int_of(g, "ndmin", 0);
    return (kn_genfromtxt)(NULL, &o);
}

/* The array of "float64 2,3 0x1p0 ...". */
static kn_array read_array(char *text)
{
    char *save, *word = strtok_r(text, " ", &save);
    kn_dtype d = kn_dtype_named(word);
    kn_shape shape = {0};
    word = strtok_r(NULL, " ", &save);
    for (char *at = word; at && *at != '-';) {
        shape.dim[shape.ndim++] = strtoll(at, &at, 10);
        at = *at == ',' ? at + 1 : NULL;
    }
    double v[VALUES];
    int64_t i[VALUES], n = 0;
    bool whole = kn_dtype_kind(d) == 'i' || kn_dtype_kind(d) == 'u';
    while ((word = strtok_r(NULL, " ", &save))) {
        i[n] = whole ? kn_dtype_kind(d) == 'u' ? (int64_t)strtoull(word, NULL, 10) : strtoll(word, NULL, 10) : 0;
        v[n++] = whole ? 0 : strtod(word, NULL);
    }
    kn_array flat = whole ? kn_from(i, KN_SHAPE(n)) : kn_from(v, KN_SHAPE(n));
    if (kn_dtype_kind(d) == 'c')
        flat = kn_ravel(kn_view(flat, KN_C128));
    return kn_reshape(kn_astype(flat, d), shape);
}

static int save(const given *g, char *array)
{
    const char *item[ITEMS];
    kn_text_list fmts = {items_of(g, "fmts", item), item};
    kn_savetxt_opts o = kn_savetxt_opts_default();
    o.fmt = text_of(g, "fmt", "%.18e");
    o.fmts = fmts.n ? &fmts : NULL;
    o.delimiter = text_of(g, "delimiter", " ");
    o.newline = text_of(g, "newline", "\n");
    o.header = text_of(g, "header", "");
    o.footer = text_of(g, "footer", "");
    o.comments = text_of(g, "comments", "# ");
    return (kn_savetxt)(path, read_array(array), &o);
}

static void check_text(char *want, const char *line)
{
    char have[LINE];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(have, 1, sizeof have, f);
    fclose(f);
    size_t length = unescape(want);
    if (n != length || memcmp(have, want, n) != 0)
        fail_msg("%s\n have: %.*s\n want: %s", line, (int)n, have, want);
}

static void run_case(char *line, const char *shown)
{
    KN_SCOPE;
    char *function = line, *options = strchr(function, '\t'), *input, *result;
    *options++ = '\0';
    input = strchr(options, '\t');
    *input++ = '\0';
    result = strchr(input, '\t');
    *result++ = '\0';
    given g = read_options(options);
    unescape(input);
    bool good = strncmp(result, "ok ", 3) == 0, saves = strcmp(function, "savetxt") == 0;
    kn_array x = NULL;
    if (saves)
        save(&g, input);
    else
        x = strcmp(function, "loadtxt") == 0 ? load(&g, input) : generate(&g, input);
    if (!good) {
        unescape(result);
        check_error(function, result, shown);
        return;
    }
    if (kn_error_pending())
        fail_msg("%s: %s", shown, kn_error_message());
    if (saves)
        check_text(result + 3, shown);
    else
        check_values(x, result + 3, shown);
}

static void texts_are_as_numpy_has_them(void **state)
{
    (void)state;
    static char line[LINE], shown[LINE];
    int cases = 0;
    FILE *f = fopen(KN_TEST_DIR "/golden/text_files.txt", "r");
    assert_non_null(f);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (; fgets(line, sizeof line, f); cases++) {
        line[strcspn(line, "\n")] = '\0';
        strcpy(shown, line);
        run_case(line, shown);
    }
    fclose(f);
    unlink(path);
    assert_true(cases > 400);
}

KN_TEST_GROUP(test_text_files)
{
    const struct CMUnitTest tests[] = {TEST(texts_are_as_numpy_has_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
