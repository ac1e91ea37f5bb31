/* SPDX-License-Identifier: Apache-2.0
 * font.c -- letters of strokes. Their widths are those of Helvetica; units are hundredths of the size.
 *
 * A letter is a text: M x y begins a line, L goes straight on, h and v go on in a quarter of an ellipse that begins
 * horizontally or vertically, C in a cubic curve of two control points. */
#include "media/canvas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct letter {
    uint16_t code;
    uint8_t width;
    const char *strokes;
} letter;

static const letter ascii[] = {
    {' ', 28, ""},
    {'!', 28, "M14 68L14 24M14 4L14 7"},
    {'"', 36, "M11 68L11 50M24 68L24 50"},
    {'#', 56, "M19 4L26 68M34 4L41 68M7 46L51 46M4 25L49 25"},
    {'$', 56, "M48 52v28 65h9 51v28 37h49 21v28 7h6 22M28 74L28 -2"},
    {'%', 89, "M22 68h8 52v22 36h36 52v22 68M67 36h53 20v67 4h81 20v67 36M65 68L25 4"},
    {'&', 67, "M62 4L20 52C14 62 20 68 30 68h42 56C42 44 8 42 8 20v25 4C42 4 54 14 58 32"},
    {'\'', 19, "M10 68L10 50"},
    {'(', 33, "M27 74C10 56 10 8 27 -17"},
    {')', 33, "M6 74C23 56 23 8 6 -17"},
    {'*', 39, "M20 70L20 46M9 64L30 52M30 64L9 52"},
    {'+', 58, "M29 8L29 52M7 30L51 30"},
    {',', 28, "M14 6L14 3C14 -4 11 -9 8 -12"},
    {'-', 33, "M6 27L27 27"},
    {'.', 28, "M14 4L14 5"},
    {'/', 28, "M2 2L26 70"},
    {'0', 56, "M28 68h7 36v28 4h49 36v28 68"},
    {'1', 56, "M12 55L30 68L30 4"},
    {'2', 56, "M8 50v28 68h48 50C48 34 10 26 7 4L50 4"},
    {'3', 56, "M8 53v27 68h46 52v26 38h49 21v27 4h6 20"},
    {'4', 56, "M38 4L38 68L5 23L51 23"},
    {'5', 56, "M46 68L14 68L10 38C16 44 22 46 27 46h50 25v27 4h6 19"},
    {'6', 56, "M46 54v29 68h7 33v28 4h49 24v28 44h7 24"},
    {'7', 56, "M6 68L50 68C36 48 24 28 21 4"},
    {'8', 56, "M28 68h10 52v28 38h46 52v28 68M28 38h7 21v28 4h49 21v28 38"},
    {'9', 56, "M10 18v27 4h49 39v28 68h7 48v28 28h49 48"},
    {':', 28, "M14 4L14 5M14 46L14 47"},
    {';', 28, "M14 46L14 47M14 6L14 3C14 -4 11 -9 8 -12"},
    {'<', 58, "M51 52L8 30L51 8"},
    {'=', 58, "M7 39L51 39M7 21L51 21"},
    {'>', 58, "M7 52L50 30L7 8"},
    {'?', 56, "M9 51v28 68h48 51C48 38 28 40 28 22M28 4L28 6"},
    {'@', 102, "M70 34v52 49h34 30v50 14h70 34L74 48M70 30C68 8 94 14 94 40v51 69h8 27v51 -15C60 -15 68 -13 74 -9"},
    {'A', 67, "M5 4L33 68L62 4M15 26L52 26"},
    {'B', 67, "M9 4L9 68L36 68h55 53v36 38L9 38M36 38h59 21v36 4L9 4"},
    {'C', 72, "M65 48v38 68h8 36v38 4h65 24"},
    {'D', 72, "M9 4L9 68L32 68h64 36v32 4L9 4"},
    {'E', 67, "M59 4L9 4L9 68L58 68M9 37L54 37"},
    {'F', 61, "M9 4L9 68L55 68M9 37L48 37"},
    {'G', 78, "M67 50v39 68h7 36v38 4h68 24L68 34L41 34"},
    {'H', 72, "M9 4L9 68M63 4L63 68M9 37L63 37"},
    {'I', 28, "M14 4L14 68"},
    {'J', 50, "M41 68L41 22v22 4h5 22"},
    {'K', 67, "M9 4L9 68M60 68L9 27M28 42L62 4"},
    {'L', 56, "M9 68L9 4L52 4"},
    {'M', 83, "M9 4L9 68L42 10L74 68L74 4"},
    {'N', 72, "M9 4L9 68L63 4L63 68"},
    {'O', 78, "M39 68h7 36v39 4h71 36v39 68"},
    {'P', 67, "M9 4L9 68L38 68h59 50v38 32L9 32"},
    {'Q', 78, "M39 68h7 36v39 4h71 36v39 68M47 18L70 0"},
    {'R', 72, "M9 4L9 68L40 68h61 51v40 35L9 35M42 35L62 4"},
    {'S', 67, "M58 52v33 68h9 52v33 37h59 20v33 4h7 22"},
    {'T', 61, "M3 68L58 68M30 68L30 4"},
    {'U', 72, "M9 68L9 27v36 4h63 27L63 68"},
    {'V', 67, "M5 68L33 4L62 68"},
    {'W', 94, "M4 68L25 4L47 66L69 4L90 68"},
    {'X', 67, "M6 68L61 4M61 68L6 4"},
    {'Y', 67, "M5 68L33 33L62 68M33 33L33 4"},
    {'Z', 61, "M6 68L55 68L6 4L56 4"},
    {'[', 28, "M22 70L10 70L10 -15L22 -15"},
    {'\\', 28, "M2 70L26 2"},
    {']', 28, "M6 70L18 70L18 -15L6 -15"},
    {'^', 47, "M6 38L24 68L41 38"},
    {'_', 56, "M0 -12L56 -12"},
    {'`', 33, "M8 70L20 56"},
    {'a', 56, "M9 37v26 49h44 35L44 4M44 29L26 28h8 16v22 4h44 20"},
    {'b', 56, "M9 4L9 68M9 27v29 49h49 27v29 4h9 27"},
    {'c', 50, "M45 35v26 49h6 27v26 4h46 18"},
    {'d', 56, "M47 4L47 68M47 27v27 49h7 27v27 4h47 27"},
    {'e', 56, "M8 28L48 28v28 49h7 27v28 4h47 16"},
    {'f', 28, "M10 4L10 57v22 68L26 68M2 47L25 47"},
    {'g', 56, "M47 27v27 49h7 27v27 4h47 27M47 49L47 2v28 -17h9 -5"},
    {'h', 56, "M9 4L9 68M9 29v29 49h47 31L47 4"},
    {'i', 22, "M11 4L11 49M11 64L11 68"},
    {'j', 22, "M11 49L11 -7v3 -17L0 -17M11 64L11 68"},
    {'k', 50, "M8 4L8 68M43 49L8 19M22 31L45 4"},
    {'l', 22, "M11 4L11 68"},
    {'m', 83, "M8 4L8 49M8 31v26 49h42 33L42 4M42 31v59 49h75 33L75 4"},
    {'n', 56, "M9 4L9 49M9 29v29 49h47 31L47 4"},
    {'o', 56, "M28 49h7 27v28 4h49 27v28 49"},
    {'p', 56, "M9 -17L9 49M9 27v29 49h49 27v29 4h9 27"},
    {'q', 56, "M47 -17L47 49M47 27v27 49h7 27v27 4h47 27"},
    {'r', 33, "M8 4L8 49M8 30v25 49L31 49"},
    {'s', 50, "M42 38v25 49h9 38v25 27h44 15v25 4h7 16"},
    {'t', 28, "M11 62L11 14v20 4L26 4M2 48L25 48"},
    {'u', 56, "M9 49L9 22v26 4h47 24M47 49L47 4"},
    {'v', 50, "M5 49L25 4L45 49"},
    {'w', 72, "M4 49L20 4L36 48L52 4L68 49"},
    {'x', 50, "M6 49L44 4M44 49L6 4"},
    {'y', 50, "M5 49L26 4M46 49L26 4C22 -8 20 -17 8 -17"},
    {'z', 50, "M6 49L44 49L6 4L45 4"},
    {'{', 33, "M29 71h17 60L17 40v6 28h17 16L17 -5v29 -16"},
    {'|', 26, "M13 72L13 -15"},
    {'}', 33, "M4 71h16 60L16 40v27 28h16 16L16 -5v4 -16"},
    {'~', 58, "M7 25C12 40 24 36 29 30C36 22 46 20 51 35"},
};

static const letter others[] = {
    {0xb0, 40, "M20 68h9 57v20 46h31 57v20 68"},             /* degree */
    {0xb1, 58, "M29 18L29 58M7 38L51 38M7 6L51 6"},          /* plus or minus */
    {0xb5, 56, "M9 49L9 -15M9 22v26 4h47 24M47 49L47 4"},    /* micro */
    {0xb7, 28, "M14 29L14 30"},                              /* dot in the middle */
    {0xd7, 58, "M11 12L47 48M11 48L47 12"},                  /* times */
    {0xdf, 61, "M9 4L9 50v30 68h49 53v30 40h54 21v24 4"},    /* sharp s */
    {0xf7, 58, "M7 30L51 30M29 50L29 51M29 9L29 10"},        /* divided by */
    {0x393, 55, "M9 4L9 68L52 68"},                          /* Gamma */
    {0x394, 67, "M5 4L33 68L62 4L5 4"},                      /* Delta */
    {0x398, 78, "M39 68h7 36v39 4h71 36v39 68M24 36L54 36"}, /* Theta */
    {0x39b, 67, "M5 4L33 68L62 4"},                          /* Lambda */
    {0x3a0, 72, "M9 4L9 68L63 68L63 4"},                     /* Pi */
    {0x3a3, 60, "M55 68L8 68L32 36L8 4L56 4"},               /* Sigma */
    {0x3a6, 80, "M40 68L40 4M40 58h9 36v40 14h71 36v40 58"}, /* Phi */
    {0x3a9, 75, "M8 4L26 4C12 16 8 30 8 40v37 68h66 40C66 30 62 16 48 4L67 4"},
    {0x3b1, 57, "M49 49C44 16 38 4 26 4h7 27v26 49C40 49 42 12 52 4"},
    {0x3b2, 56, "M9 -17L9 50v27 68h45 53v28 40h49 22v29 4h9 20"},
    {0x3b3, 50, "M5 49C16 49 24 20 24 -17M45 49L24 0"},
    {0x3b4, 56, "M28 44h7 24v28 4h49 24v28 44C20 50 12 58 18 64v28 68L42 66"},
    {0x3b5, 45, "M39 40v24 49h9 38v24 28h7 16v24 4h40 14M24 28L32 28"},
    {0x3b7, 56, "M9 4L9 49M9 29v29 49h47 31L47 -17"},
    {0x3b8, 56, "M28 68h9 36v28 4h47 36v28 68M9 36L47 36"},
    {0x3ba, 50, "M8 4L8 49M43 49L8 19M22 31L45 4"},
    {0x3bb, 50, "M8 68L14 68L43 4M24 44L6 4"},
    {0x3bc, 56, "M9 49L9 -15M9 22v26 4h47 24M47 49L47 4"},
    {0x3bd, 50, "M5 49L23 4C36 14 45 30 45 49"},
    {0x3c0, 60, "M4 49L56 49M18 49L17 4M42 49L42 14v50 4"},
    {0x3c1, 57, "M8 -17L8 27v29 49h49 27v29 4h8 20"},
    {0x3c3, 60, "M56 49L28 49h7 27v28 4h49 27v28 49"},
    {0x3c4, 45, "M3 49L42 49M22 49L22 14v30 4"},
    {0x3c6, 65, "M33 68L33 -17M33 49h7 27v33 4h59 27v33 49"},
    {0x3c7, 52, "M6 49L46 -17M46 49L6 -17"},
    {0x3c8, 70, "M35 62L35 -17M7 49L7 28v35 4h63 28L63 49"},
    {0x3c9, 74, "M20 49C2 38 4 4 20 4h37 20L37 32M37 20v54 4C70 4 72 38 54 49"},
    {0x2013, 56, "M2 27L54 27"}, /* dashes */
    {0x2014, 100, "M2 27L98 27"},
    {0x2018, 22, "M14 68L8 54"},
    {0x2019, 22, "M14 68L8 54"},
    {0x201c, 33, "M12 54L8 68M24 54L20 68"},
    {0x201d, 33, "M12 68L8 54M24 68L20 54"},
    {0x2026, 100, "M17 4L17 5M50 4L50 5M83 4L83 5"},
    {0x2190, 100, "M12 30L92 30M28 44L12 30L28 16"},
    {0x2192, 100, "M8 30L88 30M72 44L88 30L72 16"},
    {0x2202, 52, "M14 62C30 74 44 56 44 34v24 4h7 22v24 40C34 40 42 34 44 28"},
    {0x2207, 67, "M5 68L33 4L62 68L5 68"},
    {0x2212, 58, "M7 30L51 30"}, /* minus */
    {0x221a, 55, "M4 30L14 34L24 4L38 72L54 72"},
    {0x221e, 70,
     "M35 30C28 40 22 46 16 46h6 30v16 14C24 14 28 20 35 30C42 40 48 46 54 46h64 30v54 14C46 14 42 20 35 30"},
    {0x2248, 58, "M7 34C12 48 24 44 29 40C36 34 46 32 51 44M7 14C12 28 24 24 29 20C36 14 46 12 51 24"},
    {0x2260, 58, "M7 39L51 39M7 21L51 21M40 54L18 6"},
    {0x2264, 58, "M51 60L8 40L51 20M8 8L51 8"},
    {0x2265, 58, "M7 60L50 40L7 20M7 8L50 8"},
};

static const char unknown[] = "M8 0L48 0L48 68L8 68L8 0";
/* Latin letters from U+00C0 on, as one of ASCII and a sign above it. */
static const char latin[] = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYPsaaaaaaaceeeeiiiidnooooo*ouuuuypy";
static const char sign[] = "`'^~\"o ,`'^\"`'^\" ~`'^~\" /`'^\"'  `'^~\"o ,`'^\"`'^\" ~`'^~\" /`'^\"' \"";

uint32_t knmedia_next_letter(const char **s)
{
    const unsigned char *p = (const unsigned char *)*s;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    int more = *p < 0x80                 ? 0
               : *p >= 0xc2 && *p < 0xe0 ? 1
               : *p >= 0xe0 && *p < 0xf0 ? 2
               : *p >= 0xf0 && *p < 0xf5 ? 3
                                         : -1;
    uint32_t v = more <= 0 ? *p : *p & (0x3fu >> more);
    if (!*p)
        return 0;
    int k = 1;
    for (; k <= more && (p[k] & 0xc0) == 0x80; k++)
        v = v << 6 | (p[k] & 0x3f);
    *s += k;
    bool good = more >= 0 && k == more + 1 && v >= least[more] && v <= 0x10ffff && (v < 0xd800 || v > 0xdfff);
    return good ? v : 0xfffd;
}

/* What a raised or lowered letter is a small one of; 0: it is none. */
static uint32_t small_of(uint32_t c, double *rise)
{
    static const uint16_t raised[] = {0x2070, 0xb9, 0xb2, 0xb3, 0x2074, 0x2075, 0x2076, 0x2077, 0x2078, 0x2079};
    *rise = 0.3;
    for (uint32_t i = 0; i < 10; i++)
        if (raised[i] == c)
            return '0' + i;
    if (c == 0x207a || c == 0x207b)
        return c == 0x207a ? '+' : 0x2212;
    *rise = -0.14;
    return c >= 0x2080 && c <= 0x2089 ? '0' + (c - 0x2080) : 0;
}

static const letter *find(uint32_t c)
{
    static const letter none = {0xfffd, 56, unknown};
    if (c >= ' ' && c <= '~')
        return &ascii[c - ' '];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].code == c)
            return &others[i];
    if (c == 0xa0)
        return &ascii[0];
    if (c >= 0xc0 && c <= 0xff && latin[c - 0xc0] != '*')
        return &ascii[latin[c - 0xc0] - ' '];
    return &none;
}

static double advance_of(uint32_t c)
{
    double rise;
    uint32_t small = small_of(c, &rise);
    return small ? 0.6 * find(small)->width / 100.0 : find(c)->width / 100.0;
}

double knmedia_text_width(const char *text, double size)
{
    double width = 0;
    for (uint32_t c; (c = knmedia_next_letter(&text)) != 0;)
        width += advance_of(c);
    return width * size;
}

typedef struct drawing {
    knmedia_point *to;
    int n;
    knmedia_point at, shift;
    double scale;
} drawing;

static void add(drawing *d, double x, double y)
{
    if (d->n < KNMEDIA_MOST_STROKES)
        d->to[d->n++] = (knmedia_point){d->shift.x + d->scale * x / 100, d->shift.y + d->scale * y / 100};
}

static void curve(drawing *d, knmedia_point a, knmedia_point b, knmedia_point c)
{
    enum { PIECES = 7 };
    knmedia_point p = d->at;
    for (int i = 1; i <= PIECES; i++) {
        double t = (double)i / PIECES, u = 1 - t;
        double k0 = u * u * u, k1 = 3 * u * u * t, k2 = 3 * u * t * t, k3 = t * t * t;
        add(d, k0 * p.x + k1 * a.x + k2 * b.x + k3 * c.x, k0 * p.y + k1 * a.y + k2 * b.y + k3 * c.y);
    }
    d->at = c;
}

static knmedia_point read_point(const char **s)
{
    char *end;
    double x = (double)strtol(*s, &end, 10);
    double y = (double)strtol(end, &end, 10);
    *s = end;
    return (knmedia_point){x, y};
}

static void draw(drawing *d, const char *s)
{
    const double k = 0.5523; /* of the tangents of a quarter */
    while (*s) {
        char command = *s++;
        knmedia_point a = read_point(&s), p = d->at;
        if (command == 'M' && d->n && d->n < KNMEDIA_MOST_STROKES)
            d->to[d->n++] = (knmedia_point){NAN, NAN};
        if (command == 'M' || command == 'L') {
            add(d, a.x, a.y);
            d->at = a;
        } else if (command == 'h') {
            curve(d, (knmedia_point){p.x + k * (a.x - p.x), p.y}, (knmedia_point){a.x, a.y - k * (a.y - p.y)}, a);
        } else if (command == 'v') {
            curve(d, (knmedia_point){p.x, p.y + k * (a.y - p.y)}, (knmedia_point){a.x - k * (a.x - p.x), a.y}, a);
        } else {
            knmedia_point b = read_point(&s), c = read_point(&s);
            curve(d, a, b, c);
        }
    }
}

static void draw_sign(drawing *d, uint32_t c)
{
    static const struct {
        char sign;
        const char *strokes;
    } signs[] = {{'`', "M-8 14L2 4"},         {'\'', "M8 14L-2 4"},
                 {'^', "M-9 4L0 13L9 4"},     {'~', "M-11 6C-6 14 4 2 11 11"},
                 {'"', "M-8 8L-8 9M8 8L8 9"}, {'o', "M0 16h-6 9v0 3h6 9v0 16"}};
    bool upper = c < 0xdf;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].sign == sign[c - 0xc0]) {
            d->shift = (knmedia_point){find(c)->width / 200.0, upper ? 0.70 : 0.53};
            draw(d, signs[i].strokes);
        }
    d->shift = (knmedia_point){0, 0};
    if (sign[c - 0xc0] == ',')
        draw(d, upper ? "M38 4L32 -12" : "M27 4L22 -12");
    else if (sign[c - 0xc0] == '/')
        draw(d, upper ? "M12 2L66 70" : "M8 2L48 51");
}

int knmedia_letter(uint32_t c, knmedia_point to[KNMEDIA_MOST_STROKES], double *advance)
{
    drawing d = {.to = to, .scale = 1};
    double rise;
    uint32_t small = small_of(c, &rise);
    *advance = advance_of(c);
    if (small) {
        d.scale = 0.6;
        d.shift.y = rise;
    }
    draw(&d, find(small ? small : c)->strokes);
    if (c >= 0xc0 && c <= 0xff && latin[c - 0xc0] != '*')
        draw_sign(&d, c);
    return d.n;
}
