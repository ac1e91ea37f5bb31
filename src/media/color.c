/* SPDX-License-Identifier: Apache-2.0
 * color.c -- colours by name, the cycle of lines, and numbers as colours. */
#include "media/canvas.h"
#include "kiln/extend.h"
#include "kiln/media/plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Petroff's ten, which readers with any kind of colour vision tell apart (arXiv:2107.02270). */
static const char *const cycle[] = {"3f90da", "ffa90e", "bd1f01", "94a4a2", "832db6",
                                    "a96b59", "e76300", "b9ac70", "717581", "92dadd"};

static const struct {
    const char *name, *hex;
} names[] = {
    {"aliceblue", "f0f8ff"},
    {"antiquewhite", "faebd7"},
    {"aqua", "00ffff"},
    {"aquamarine", "7fffd4"},
    {"azure", "f0ffff"},
    {"beige", "f5f5dc"},
    {"bisque", "ffe4c4"},
    {"black", "000000"},
    {"blanchedalmond", "ffebcd"},
    {"blue", "0000ff"},
    {"blueviolet", "8a2be2"},
    {"brown", "a52a2a"},
    {"burlywood", "deb887"},
    {"cadetblue", "5f9ea0"},
    {"chartreuse", "7fff00"},
    {"chocolate", "d2691e"},
    {"coral", "ff7f50"},
    {"cornflowerblue", "6495ed"},
    {"cornsilk", "fff8dc"},
    {"crimson", "dc143c"},
    {"cyan", "00ffff"},
    {"darkblue", "00008b"},
    {"darkcyan", "008b8b"},
    {"darkgoldenrod", "b8860b"},
    {"darkgray", "a9a9a9"},
    {"darkgreen", "006400"},
    {"darkgrey", "a9a9a9"},
    {"darkkhaki", "bdb76b"},
    {"darkmagenta", "8b008b"},
    {"darkolivegreen", "556b2f"},
    {"darkorange", "ff8c00"},
    {"darkorchid", "9932cc"},
    {"darkred", "8b0000"},
    {"darksalmon", "e9967a"},
    {"darkseagreen", "8fbc8f"},
    {"darkslateblue", "483d8b"},
    {"darkslategray", "2f4f4f"},
    {"darkslategrey", "2f4f4f"},
    {"darkturquoise", "00ced1"},
    {"darkviolet", "9400d3"},
    {"deeppink", "ff1493"},
    {"deepskyblue", "00bfff"},
    {"dimgray", "696969"},
    {"dimgrey", "696969"},
    {"dodgerblue", "1e90ff"},
    {"firebrick", "b22222"},
    {"floralwhite", "fffaf0"},
    {"forestgreen", "228b22"},
    {"fuchsia", "ff00ff"},
    {"gainsboro", "dcdcdc"},
    {"ghostwhite", "f8f8ff"},
    {"gold", "ffd700"},
    {"goldenrod", "daa520"},
    {"gray", "808080"},
    {"green", "008000"},
    {"greenyellow", "adff2f"},
    {"grey", "808080"},
    {"honeydew", "f0fff0"},
    {"hotpink", "ff69b4"},
    {"indianred", "cd5c5c"},
    {"indigo", "4b0082"},
    {"ivory", "fffff0"},
    {"khaki", "f0e68c"},
    {"lavender", "e6e6fa"},
    {"lavenderblush", "fff0f5"},
    {"lawngreen", "7cfc00"},
    {"lemonchiffon", "fffacd"},
    {"lightblue", "add8e6"},
    {"lightcoral", "f08080"},
    {"lightcyan", "e0ffff"},
    {"lightgoldenrodyellow", "fafad2"},
    {"lightgray", "d3d3d3"},
    {"lightgreen", "90ee90"},
    {"lightgrey", "d3d3d3"},
    {"lightpink", "ffb6c1"},
    {"lightsalmon", "ffa07a"},
    {"lightseagreen", "20b2aa"},
    {"lightskyblue", "87cefa"},
    {"lightslategray", "778899"},
    {"lightslategrey", "778899"},
    {"lightsteelblue", "b0c4de"},
    {"lightyellow", "ffffe0"},
    {"lime", "00ff00"},
    {"limegreen", "32cd32"},
    {"linen", "faf0e6"},
    {"magenta", "ff00ff"},
    {"maroon", "800000"},
    {"mediumaquamarine", "66cdaa"},
    {"mediumblue", "0000cd"},
    {"mediumorchid", "ba55d3"},
    {"mediumpurple", "9370db"},
    {"mediumseagreen", "3cb371"},
    {"mediumslateblue", "7b68ee"},
    {"mediumspringgreen", "00fa9a"},
    {"mediumturquoise", "48d1cc"},
    {"mediumvioletred", "c71585"},
    {"midnightblue", "191970"},
    {"mintcream", "f5fffa"},
    {"mistyrose", "ffe4e1"},
    {"moccasin", "ffe4b5"},
    {"navajowhite", "ffdead"},
    {"navy", "000080"},
    {"oldlace", "fdf5e6"},
    {"olive", "808000"},
    {"olivedrab", "6b8e23"},
    {"orange", "ffa500"},
    {"orangered", "ff4500"},
    {"orchid", "da70d6"},
    {"palegoldenrod", "eee8aa"},
    {"palegreen", "98fb98"},
    {"paleturquoise", "afeeee"},
    {"palevioletred", "db7093"},
    {"papayawhip", "ffefd5"},
    {"peachpuff", "ffdab9"},
    {"peru", "cd853f"},
    {"pink", "ffc0cb"},
    {"plum", "dda0dd"},
    {"powderblue", "b0e0e6"},
    {"purple", "800080"},
    {"rebeccapurple", "663399"},
    {"red", "ff0000"},
    {"rosybrown", "bc8f8f"},
    {"royalblue", "4169e1"},
    {"saddlebrown", "8b4513"},
    {"salmon", "fa8072"},
    {"sandybrown", "f4a460"},
    {"seagreen", "2e8b57"},
    {"seashell", "fff5ee"},
    {"sienna", "a0522d"},
    {"silver", "c0c0c0"},
    {"skyblue", "87ceeb"},
    {"slateblue", "6a5acd"},
    {"slategray", "708090"},
    {"slategrey", "708090"},
    {"snow", "fffafa"},
    {"springgreen", "00ff7f"},
    {"steelblue", "4682b4"},
    {"tan", "d2b48c"},
    {"teal", "008080"},
    {"thistle", "d8bfd8"},
    {"tomato", "ff6347"},
    {"turquoise", "40e0d0"},
    {"violet", "ee82ee"},
    {"wheat", "f5deb3"},
    {"white", "ffffff"},
    {"whitesmoke", "f5f5f5"},
    {"yellow", "ffff00"},
    {"yellowgreen", "9acd32"},
};

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool from_hex(const char *hex, knmedia_rgba *out)
{
    uint8_t v[4] = {0, 0, 0, 255};
    size_t n = strlen(hex);
    if (n != 6 && n != 8)
        return false;
    for (size_t i = 0; i < n / 2; i++) {
        int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        v[i] = (uint8_t)(16 * high + low);
    }
    *out = (knmedia_rgba){v[0], v[1], v[2], v[3]};
    return true;
}

knmedia_rgba knmedia_turn(int i)
{
    knmedia_rgba c = {0, 0, 0, 255};
    from_hex(cycle[i % 10], &c);
    return c;
}

bool knmedia_color(const char *text, knmedia_rgba *out)
{
    if (text[0] == '#')
        return from_hex(text + 1, out);
    if (text[0] == 'C' && text[1] >= '0' && text[1] <= '9' && !text[2]) {
        *out = knmedia_turn(text[1] - '0');
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, text))
            return from_hex(names[i].hex, out);
    return false;
}

/* ---- Maps: 33 colours of each, with straight lines between them. viridis, magma, inferno and plasma are those of
 * matplotlib (public domain), coolwarm is Moreland's, turbo Mikhailov's. */
enum { KEYS = 33 };
static const struct {
    const char *name, *key;
} maps[] = {
    {"viridis", "440154460c5f47186a482273472c7b4536814240853e49893a528b365a8c32628d2f6a8d2c728e287a8e26818e23898d209"
                "08c1e978a1e9e8821a68527ad8031b47a3dbb744cc26c5cc8626ece5881d34c95d73faadb32bfdf24d4e11ae9e419fde724"},
    {"magma", "0000030303110a0722120d331c1046281159350f6a430f7550127b5c177e691c807521818225818e2a809b2e7fa8327cb63"
              "679c23a75cf4070db4769e55063ee5c5ef4695bf8785cfb8660fd9567fda470feb37bfec286fdd193fddfa1fceeb0fbfcbf"},
    {"inferno", "0000030302120a0723140b36200c4a2e0a5a3c09654a0b6a560f6d63146e6f196e7c1d6c892269962666a22b61af315bba3"
                "654c63d4dd04544da4e3be35932ea6428f0711ef57f13f98c09fb9b06fbaa0efbb91ef8c931f5d948f1e864f2f485fcfea4"},
    {"plasma", "0c078621058f3104963f039c4c02a15901a46500a77200a87e03a78908a59411a19f1a9ba92395b22c8ebb3586c33e7fca4"
               "678d14f71d8586adf6163e56b5cea7555ef7f4ef48947f79441fa9f3afcaa33fdb62dfdc328fbd024f8dd24f4ea26eff821"},
    {"turbo", "30123b3929724040a14456c7466be3467ff64193fe36a7f928baec1cccd817dbc31ee8b031f1984cf97e6bfd6389fe4ca2f"
              "c3cb7f635cbec33dedf36ecd039f7bf39fcad34fe972cfb7f22f56717ec520ee04008d23005c02302ac1601940c017a0402"},
    {"coolwarm", "3a4cc0435acc4d67d75775e16182ea6c8ef1779af682a5fb8caffd98b9fea3c1feadc9fcb8cff8c2d4f3cbd8edd4dbe5dcd"
                 "cdce4d8d1ebd3c5f0ccb9f4c4acf6bba0f7b193f6a587f49a7af08d6feb7f63e57057dd604cd44f42ca3d38bf282eb30326"},
    {"gray", NULL},
};
enum { MAPS = sizeof maps / sizeof *maps };

int knmedia_map_named(const char *name)
{
    size_t n = strlen(name);
    bool reversed = n > 2 && !strcmp(name + n - 2, "_r");
    n -= reversed ? 2 : 0;
    for (int i = 0; i < MAPS; i++)
        if (strlen(maps[i].name) == n && !memcmp(maps[i].name, name, n))
            return reversed ? i + MAPS : i;
    return -1;
}

knmedia_rgba knmedia_map_color(int map, double t)
{
    if (t != t)
        return (knmedia_rgba){255, 255, 255, 255};
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    t = map >= MAPS ? 1 - t : t;
    const char *key = maps[map % MAPS].key;
    uint8_t v[3];
    double at = t * (KEYS - 1);
    int k = at < KEYS - 1 ? (int)at : KEYS - 2;
    for (int c = 0; c < 3; c++) {
        double a = 0, b = 0;
        if (key) {
            const char *s = key + 6 * k + 2 * c;
            a = 16 * hex_digit(s[0]) + hex_digit(s[1]);
            b = 16 * hex_digit(s[6]) + hex_digit(s[7]);
        }
        v[c] = (uint8_t)(key ? a + (b - a) * (at - k) + 0.5 : 255 * t + 0.5);
    }
    return (knmedia_rgba){v[0], v[1], v[2], 255};
}

void knmedia_map_values(int map, int64_t n, const double *v, double *vmin, double *vmax, knmedia_rgba *color)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(v[i])) {
            low = v[i] < low ? v[i] : low;
            high = v[i] > high ? v[i] : high;
        }
    *vmin = *vmin == *vmin ? *vmin : low <= high ? low : 0;
    *vmax = *vmax == *vmax ? *vmax : low <= high ? high : 1;
    double width = *vmax / 2 - *vmin / 2; /* half of it: the whole may be too large for a number */
    for (int64_t i = 0; i < n; i++)
        color[i] = knmedia_map_color(map, v[i] != v[i]    ? v[i]
                                          : v[i] <= *vmin ? 0
                                          : v[i] >= *vmax ? 1
                                                          : (v[i] / 2 - *vmin / 2) / width);
}

kn_array kn_colormap(kn_array x, const char *name, const kn_colormap_opts *opts)
{
    static const char *const op = "colormap";
    KNX_OPTS(kn_colormap_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    int map = name ? knmedia_map_named(name) : -1;
    int64_t n = 0;
    int status = !name     ? knbeside_null(op, "name")
                 : map < 0 ? knbeside_fail(op, KN_ERROR_VALUE, "there is no colour map \"%.40s\"", name)
                           : 0;
    const double *v = status ? NULL : knmedia_doubles(op, "x", x, &n);
    knmedia_rgba *color = v ? knbeside_alloc((uint64_t)n, sizeof *color) : NULL;
    kn_shape shape = color ? kn_shape_of(x) : (kn_shape){0};
    if (color && shape.ndim == KN_MAX_NDIM)
        status = knbeside_fail(op, KN_ERROR_VALUE, "the result would have more than %d axes", KN_MAX_NDIM);
    kn_array y = NULL;
    if (color && !status) {
        uint8_t *to = (uint8_t *)color;
        knmedia_map_values(map, n, v, &o.vmin, &o.vmax, color);
        for (int64_t i = 0; i < n; i++) { /* three of four bytes, in place */
            knmedia_rgba c = color[i];
            memcpy(to + 3 * i, &c, 3);
        }
        shape.dim[shape.ndim++] = 3;
        y = kn_from_memory(color, &shape, KN_U8);
    } else if (status) {
        y = knbeside_failed();
    } else {
        y = v ? kn_fail(KN_ERROR_MEMORY, op, "no memory") : x ? kn_astype(x, KN_F64, NULL) : knbeside_failed();
    }
    free(color);
    kn_keep(y);
    kn_scope_end(&scope);
    return y;
}
