/* SPDX-License-Identifier: Apache-2.0
 * test_plot.c -- plots: what stands in the SVG, what pixels the PNG has, the same bytes each time, colours as matplotlib's, wrong
 * calls. */
#include "support/expect.h"
#include "support/folder.h"
#include "support/group.h"
#include <kiln/media.h>
#ifndef KN_HAVE_PNG
#define KN_HAVE_PNG 0 /* was kiln_media built with libpng? */
#endif

REMOVE_FOLDER("a.svg", "a.png", "b.svg")

static bool has(kn_plot p, const char *part)
{
    const char *text = kn_plot_svg(p);
    return text && strstr(text, part) != NULL;
}

static void ticks_stand_at_round_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_plot p = kn_plot_new(.xlim = {0, 10}, .ylim = {-0.5, 0.5}, .title = "a < b & c");
    kn_plot_line(p, KN_NONE, kn_of(double, 0, 0.1), .label = "first");
    const char *const parts[] = {">0</text>",         ">2</text>",   ">4</text>",   ">10</text>",
                                 ">\u22120.4</text>", ">0.0</text>", ">0.4</text>", ">a &lt; b &amp; c</text>",
                                 ">first</text>"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_true(has(p, parts[i]));
    assert_false(has(p, ">12</text>"));
    kn_plot large = kn_plot_new(.xlim = {0, 4e6}, .yscale = "log", .ylim = {1e-3, 1e3});
    assert_true(has(large, ">\u00d710\u2076</text>"));
    assert_true(has(large, ">10\u207b\u00b9</text>") || has(large, ">10\u207b\u00b2</text>"));
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
}

static void gaps_divide_lines(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_plot p = kn_plot_new(.no_axes = true, .xlim = {0, 5}, .ylim = {0, 5});
    kn_plot_line(p, KN_NONE, kn_of(double, 1, 2, NAN, 3, 4), .color = "#010203");
    const char *path = strstr(kn_plot_svg(p), "<path");
    assert_non_null(path);
    assert_true(strstr(path, "stroke=\"#010203\"") != NULL);
    assert_int_equal(count(path, "M"), 2);
    kn_plot far = kn_plot_new(.no_axes = true, .xlim = {0, 1}, .ylim = {0, 1});
    kn_plot_line(far, kn_of(double, -1e300, 1e300), kn_of(double, 0.5, 0.5));
    assert_null(strstr(kn_plot_svg(far), "999999"));
    assert_true(has(far, "<path d=\"M-"));
}

/* The pixel at (x, y) of the picture. */
static void expect_pixel(kn_array pixels, int64_t x, int64_t y, int r, int g, int b)
{
    assert_true(abs((int)kn_item(pixels, y, x, 0) - r) <= 1);
    assert_true(abs((int)kn_item(pixels, y, x, 1) - g) <= 1);
    assert_true(abs((int)kn_item(pixels, y, x, 2) - b) <= 1);
}

static void pixels_are_covered_by_area(void **state)
{
    (void)state;
    KN_SCOPE;
    /* 100 by 100 pixels, the frame from 10.5 to 90.5: a bar from 0 to 1 in both directions of 0 to 2 fills its lower left part. */
    kn_plot p = kn_plot_new(.width = 100, .height = 100, .no_axes = true, .xlim = {0, 2}, .ylim = {0, 2});
    kn_plot_bars(p, kn_of(double, 0.5), kn_of(double, 1), .width = 1, .color = "black");
    kn_array x = kn_plot_pixels(p, .scale = 1);
    assert_int_equal(kn_dim(x, 0), 100);
    expect_pixel(x, 20, 80, 0, 0, 0);
    expect_pixel(x, 20, 40, 255, 255, 255);
    expect_pixel(x, 70, 80, 255, 255, 255);
    expect_pixel(x, 50, 80, 128, 128, 128); /* half of it */
    expect_pixel(x, 20, 50, 128, 128, 128);
    expect_pixel(x, 50, 50, 191, 191, 191); /* a quarter */
    kn_plot half = kn_plot_new(.width = 100, .height = 100, .no_axes = true, .xlim = {0, 2}, .ylim = {0, 2});
    kn_plot_bars(half, kn_of(double, 0.5), kn_of(double, 1), .width = 1, .color = "#ff0000", .alpha = 0.5);
    expect_pixel(kn_plot_pixels(half, .scale = 1), 20, 80, 255, 127, 127);
}

static void images_lie_as_they_should(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array im = kn_reshape(kn_of(uint8_t, 255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9), KN_SHAPE(2, 2, 3));
    kn_plot p = kn_plot_new(.width = 100, .height = 100, .no_axes = true);
    kn_plot_image(p, im);
    kn_array x = kn_plot_pixels(p, .scale = 1);
    expect_pixel(x, 30, 30, 255, 0, 0);
    expect_pixel(x, 70, 30, 0, 255, 0);
    expect_pixel(x, 30, 70, 0, 0, 255);
    expect_pixel(x, 70, 70, 9, 9, 9);
    kn_plot q = kn_plot_new(.width = 100, .height = 100, .no_axes = true);
    kn_plot_image(q, im, .origin = "lower");
    expect_pixel(kn_plot_pixels(q, .scale = 1), 30, 70, 255, 0, 0);
}

static void maps_are_matplotlibs(void **state)
{
    (void)state;
    KN_SCOPE;
    /* matplotlib.colormaps[name]([0, 64, 128, 255], bytes=True) */
    static const struct {
        const char *name;
        double want[12];
    } maps[] = {{"viridis", {68, 1, 84, 58, 82, 139, 32, 144, 140, 253, 231, 36}},
                {"magma", {0, 0, 3, 81, 18, 124, 183, 55, 121, 251, 252, 191}},
                {"coolwarm", {58, 76, 192, 141, 176, 254, 221, 220, 219, 179, 3, 38}},
                {"gray", {0, 0, 0, 64, 64, 64, 128, 128, 128, 255, 255, 255}}};
    kn_array x = kn_div(kn_of(double, 0, 64, 128, 255), 255);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        kn_array y = kn_colormap(x, maps[i].name, .vmin = 0, .vmax = 1);
        assert_int_equal(kn_dim(y, 1), 3);
        expect_values_(kn_ravel(y), maps[i].want, 12, 3, maps[i].name, __FILE__, __LINE__);
    }
    expect_values(kn_colormap(kn_of(double, 1, 3, NAN), "gray_r"), 255, 255, 255, 0, 0, 0, 255, 255, 255);
    assert_false(kn_ok(kn_colormap(x, "rainbows")));
    expect_error("ValueError", "colormap: there is no colour map \"rainbows\"");
}

static kn_plot everything(void)
{
    kn_plot g = kn_plot_grid(2, 2, .title = "all");
    kn_array x = kn_linspace(0.1, 5, 40), z = kn_outer(kn_sin(x), kn_cos(x));
    kn_plot a = kn_plot_panel(g, 0, 0, .xscale = "log", .legend = "lower left");
    kn_plot_line(a, x, kn_sin(x), .label = "sine", .style = "--", .marker = "s");
    kn_plot_points(a, x, kn_cos(x), .values = x, .colorbar = true, .marker = "x");
    kn_plot b = kn_plot_panel(g, 0, 1, .xticks = KN_TEXTS("a", "b"));
    kn_plot_bars(b, KN_NONE, kn_of(double, 1, 2), .label = "bars");
    kn_plot_hline(b, 1.5);
    kn_plot_text(b, 0, 1, "é θ", .anchor = "center");
    kn_plot c = kn_plot_panel(g, 1, 0);
    kn_plot_contour(c, x, x, z, .colorbar = true);
    kn_plot_area(c, x, KN_NONE, x);
    kn_plot_histogram(kn_plot_panel(g, 1, 1), x, .outline = true);
    return g;
}

static void the_same_plot_gives_the_same_bytes(void **state)
{
    (void)state;
    KN_SCOPE;
    char *first = strdup(kn_plot_svg(everything()));
    kn_plot again = everything();
    assert_string_equal(first, kn_plot_svg(again));
    free(first);
    assert_true(kn_array_equal(kn_plot_pixels(again, .scale = 1), kn_plot_pixels(everything(), .scale = 1)));
    assert_int_equal(kn_plot_save(again, path_of("a.svg")), 0);
    kn_array bytes = kn_fromfile(path_of("a.svg"), .dtype = KN_U8);
    assert_int_equal(kn_size(bytes), (int64_t)strlen(kn_plot_svg(again)));
    if (KN_HAVE_PNG) {
        assert_int_equal(kn_plot_save(again, path_of("a.png"), .scale = 1), 0);
        assert_true(kn_array_equal(kn_image_load(path_of("a.png")), kn_plot_pixels(again, .scale = 1)));
    }
}

static void odd_data_are_drawn(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_plot p = kn_plot_new(.yscale = "log");
    kn_plot_line(p, KN_NONE, kn_of(double, -1, 0, NAN, INFINITY));
    kn_plot_line(p, kn_zeros(KN_SHAPE(0)), kn_zeros(KN_SHAPE(0)), .label = "nothing");
    kn_plot q = kn_plot_new();
    kn_plot_line(q, kn_of(double, -1.7e308, 1.7e308), kn_of(double, 1e-310, 5e-310));
    kn_plot_points(q, kn_of(double, 3, 3), kn_of(double, 7, 7));
    kn_plot r = kn_plot_new(.xlim = {5, 0}, .width = 16, .height = 16);
    kn_plot_line(r, KN_NONE, kn_of(double, 1e15, 1e15 + 1));
    kn_plot s = kn_plot_new();
    kn_plot_area(s, KN_NONE, kn_of(double, NAN, 2, 1), kn_of(double, 1, 1, 2));
    kn_plot_contour(s, KN_NONE, KN_NONE, kn_full(KN_SHAPE(3, 3), NAN));
    kn_plot_contour(s, KN_NONE, KN_NONE, kn_zeros(KN_SHAPE(0, 3)));
    kn_plot const all[] = {p, q, r, s};
    for (int i = 0; i < 4; i++) {
        assert_non_null(kn_plot_svg(all[i]));
        assert_true(kn_ok(kn_plot_pixels(all[i])));
    }
    expect_no_error();
}

static void wrong_calls_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_plot p = kn_plot_new();
    assert_null(kn_plot_new(.width = 1e9));
    expect_error_with("ValueError", "plot_new: a picture has 16 to 16384 pixels");
    assert_null(kn_plot_new(.xscale = "cubic"));
    expect_error("ValueError", "plot_new: a scale is one of \"linear\", \"log\", not \"cubic\"");
    assert_null(kn_plot_new(.xscale = "log", .xlim = {-1, 1}));
    expect_error("ValueError", "plot_new: -1 cannot be a limit of the x axis");
    assert_int_equal(kn_plot_line(p, kn_of(double, 1, 2), kn_of(double, 1, 2, 3)), -1);
    expect_error("ValueError", "plot_line: x has 2 elements and y 3");
    kn_plot_line(p, KN_NONE, kn_of(double, 1, 2), .color = "blu");
    expect_error("ValueError", "plot_line: there is no colour \"blu\"");
    kn_plot_line(p, KN_NONE, KN_NONE);
    expect_error("TypeError", "plot_line: null y");
    kn_plot_points(p, KN_NONE, kn_of(double, 1), .marker = "*");
    expect_error_with("ValueError", "marker is one of");
    assert_null(kn_plot_panel(p, 0, 1));
    expect_error("IndexError", "plot_panel: panel (0, 1) is out of bounds for 1 rows of 1");
    kn_plot_save(p, path_of("a.gif"));
    expect_error("ValueError", "plot_save: plots are saved as svg or png, not as \"gif\"");
    kn_plot_line((kn_plot)kn_tree_none(), KN_NONE, kn_of(double, 1));
    expect_error("TypeError", "plot_line: a handle of a tree was given where a plot is wanted");
    kn_plot dead;
    {
        KN_SCOPE;
        dead = kn_plot_new();
    }
    kn_plot_svg(dead);
    expect_error("ValueError", "plot_svg: this plot was released: the scope that owned it has ended");
    assert_false(kn_ok(kn_plot_pixels(NULL)));
    expect_error("TypeError", "plot_pixels: null plot");
}

KN_TEST_GROUP(test_plot)
{
    const struct CMUnitTest tests[] = {
        TEST(ticks_stand_at_round_numbers), TEST(gaps_divide_lines),      TEST(pixels_are_covered_by_area),
        TEST(images_lie_as_they_should),    TEST(maps_are_matplotlibs),   TEST(the_same_plot_gives_the_same_bytes),
        TEST(odd_data_are_drawn),           TEST(wrong_calls_are_errors),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
