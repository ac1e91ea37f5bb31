/* SPDX-License-Identifier: Apache-2.0
 * test_glsl_text.c -- kernels as GLSL without a device: those that docs/webgl.md shows have the texts that it shows;
 * each stored kernel has passes or a reason, and glslangValidator, if it is there, compiles them; the inverse of a
 * map leads from each element to the point that writes it. */
#include "glsl/plan.h"
#include "support/group.h"
#include "support/kernel_case.h"
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST_TEXTS = 64, PAGE = 1 << 20 };

static const kngl_facts fast = {
    .numbers = {.joins = true, .splits_fma = true}, .width = 4096, .samplers = 16, .uniforms = 224};

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, PAGE);
    assert_non_null(text);
    assert_true(fread(text, 1, PAGE - 1, f) > 0);
    fclose(f);
    return text;
}

static char *text_of(const kngl_plan *p, int pass)
{
    char *text, *again;
    uint64_t memories, twice;
    assert_null(kngl_text(p, pass, &text, &memories));
    assert_null(kngl_text(p, pass, &again, &twice));
    assert_string_equal(text, again);
    assert_int_equal(memories, twice);
    knx_free(again);
    return text;
}

/* The plan of a launch; NULL: it is refused, and *why says why. */
static bool plan(const kernel_case *c, const kngl_facts *facts, knw_launch *l, kngl_plan *p, const char **why)
{
    *l = (knw_launch){.map = c->l.map, .par = c->l.par, .inner = c->l.inner};
    assert_null(kngl_make_plan(c->k, facts, l, p, why));
    return !*why;
}

/* ---- the page ---- */

static char *shown[MOST_TEXTS];
static int n_shown;

static void add_texts(const char *kernel)
{
    kernel_case c;
    knw_launch l;
    kngl_plan p;
    const char *why;
    assert_null(kernel_case_parse(kernel, &c));
    assert_true(plan(&c, &fast, &l, &p, &why));
    for (int i = 0; i < p.n_pass; i++) {
        assert_true(n_shown < MOST_TEXTS);
        shown[n_shown++] = text_of(&p, i);
    }
    kngl_free_plan(&p);
    kernel_case_free(&c);
}

/* The next block of the page that begins with such a line; cut out of it, and *page is behind it. */
static char *next_block(char **page, const char *fence)
{
    char *from = strstr(*page, fence);
    if (!from)
        return NULL;
    from += strlen(fence);
    char *end = strstr(from, "\n```");
    assert_non_null(end);
    end[1] = 0;
    *page = end + 2;
    return from;
}

static void the_page_shows_what_is_made(void **state)
{
    (void)state;
    int blocks = 0;
    char *text = read_text(KN_TEST_DIR "/../docs/webgl.md"), *page = text, *block;
    while ((block = next_block(&page, "\n```\nkernel"))) {
        memcpy(block -= 6, "kernel", 6);
        add_texts(block);
    }
    free(text);
    assert_true(n_shown > 0);
    page = text = read_text(KN_TEST_DIR "/../docs/webgl.md");
    while ((block = next_block(&page, "\n```glsl\n"))) {
        bool there = false;
        for (int i = 0; i < n_shown; i++)
            there |= strstr(shown[i], block) != NULL;
        if (!there)
            fail_msg("no text has:\n%s", block);
        blocks++;
    }
    assert_true(blocks > 0);
    free(text);
    while (n_shown)
        knx_free(shown[--n_shown]);
}

/* ---- stored kernels ---- */

static void write_text(const char *folder, size_t kernel, int pass, bool exact, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%zu_%d_%d.frag", folder, kernel, pass, exact);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int write_kernel(const char *folder, const kernel_case *c, size_t number, bool exact)
{
    kngl_facts facts = fast;
    knw_launch l;
    kngl_plan p;
    const char *why;
    int n = 0;
    facts.exact = exact;
    if (plan(c, &facts, &l, &p, &why))
        for (; n < p.n_pass; n++) {
            char *text = text_of(&p, n);
            write_text(folder, number, n, exact, text);
            knx_free(text);
        }
    else
        assert_true(strcmp(why, "64-bit floats") == 0 ||
                    strcmp(why, "elements do not tell which point writes them") == 0);
    kngl_free_plan(&p);
    return n;
}

static void stored_kernels_compile(void **state)
{
    (void)state;
    glob_t all;
    char folder[] = "/tmp/kiln-glsl-XXXXXX", command[256];
    int texts = 0;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(glob(KN_TEST_DIR "/data/kernels/*.kernel", 0, NULL, &all), 0);
    for (size_t i = 0; i < all.gl_pathc; i++) {
        char *text = read_text(all.gl_pathv[i]);
        kernel_case c;
        assert_null(kernel_case_parse(text, &c));
        texts += write_kernel(folder, &c, i, false) + write_kernel(folder, &c, i, true);
        kernel_case_free(&c);
        free(text);
    }
    globfree(&all);
    assert_true(texts > 800);
    snprintf(command, sizeof command,
             "command -v glslangValidator >/dev/null || exit 0; ls %s/*.frag | xargs -n 50 glslangValidator | grep -m "
             "5 ERROR && exit 1; exit 0",
             folder);
    int status = system(command);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(status, 0);
}

/* ---- inverses ---- */

static const char two_loops[] =
    "kernel 2\nbuffer 0 f32 read\nbuffer 1 f32 write\nstage 0 inner 0\nmap 0 * *\nmap 1 * *\n"
    "  %%0 = load f32 b0 m0\n  store b1 m1 %%0\nlaunch\npar %d %d\nmap 0 0 1 1\nmap 1 %d %d %d\n";

static kernel_case case_of(int n0, int n1, int offset, int stride0, int stride1)
{
    char text[512];
    kernel_case c;
    snprintf(text, sizeof text, two_loops, n0, n1, offset, stride0, stride1);
    assert_null(kernel_case_parse(text, &c));
    return c;
}

/* What the shader does with the words: the point of an element; -1: none. */
static int point_of(const uint32_t *launch, const uint32_t *own, uint32_t element)
{
    uint32_t rest = element - own[0], point = own[2];
    bool inside = rest <= own[1];
    for (uint32_t d = 0; d < launch[KNGL_DIMENSIONS]; d++) {
        const uint32_t *by = own + 4 + 4 * d;
        uint32_t index = rest / by[0];
        inside = inside && index < by[1];
        rest -= index * by[0];
        point += index * by[2];
    }
    return inside && rest == 0 ? (int)point : -1;
}

static void check_inverse(int n0, int n1, int offset, int stride0, int stride1)
{
    kernel_case c = case_of(n0, n1, offset, stride0, stride1);
    knw_launch l;
    kngl_plan p;
    const char *why;
    int want[256], n = 0;
    uint32_t words[256];
    memset(want, 255, sizeof want);
    for (int i = 0; i < n0; i++)
        for (int j = 0; j < n1; j++)
            want[offset + i * stride0 + j * stride1] = i * n1 + j;
    assert_true(plan(&c, &fast, &l, &p, &why));
    assert_int_equal(p.n_pass, 1);
    assert_true(kngl_n_words(&p, 0) <= 256);
    kngl_words(&p, 0, words);
    for (uint32_t e = 0; e < 256; e++) {
        assert_int_equal(point_of(words, words + kngl_layout(&p)->n_words, e), want[e]);
        n += want[e] >= 0;
    }
    assert_int_equal(n, n0 * n1);
    kngl_free_plan(&p);
    kernel_case_free(&c);
}

static void elements_lead_back_to_their_points(void **state)
{
    (void)state;
    check_inverse(3, 5, 0, 5, 1);   /* adjacent */
    check_inverse(3, 5, 7, 1, 3);   /* transposed, within a larger array */
    check_inverse(3, 5, 20, -5, 1); /* turned round */
    check_inverse(4, 3, 100, 20, -6);
    check_inverse(1, 9, 3, 0, 4); /* gaps */
    check_inverse(7, 1, 200, -11, 0);
}

static void maps_that_overlap_are_refused(void **state)
{
    (void)state;
    const int strides[][2] = {{2, 3}, {1, 1}, {0, 1}, {4, 1}};
    for (int i = 0; i < 4; i++) {
        kernel_case c = case_of(3, 5, 0, strides[i][0], strides[i][1]);
        knw_launch l;
        kngl_plan p;
        const char *why;
        assert_false(plan(&c, &fast, &l, &p, &why));
        assert_string_equal(why, "elements do not tell which point writes them");
        kngl_free_plan(&p);
        kernel_case_free(&c);
    }
}

KN_TEST_GROUP(test_glsl_text)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_shows_what_is_made),
        cmocka_unit_test(stored_kernels_compile),
        cmocka_unit_test(elements_lead_back_to_their_points),
        cmocka_unit_test(maps_that_overlap_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
