/* SPDX-License-Identifier: Apache-2.0
 * unicode.h -- what tokenizers ask of characters: UTF-8, categories, normal forms. */
#ifndef KN_MODELS_TOKENIZER_UNICODE_H
#define KN_MODELS_TOKENIZER_UNICODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kntok_run {
    uint32_t from, value;
} kntok_run;
extern const kntok_run kntok_what[], kntok_script[];
extern const int kntok_what_count, kntok_script_count;
extern const int kntok_script_han, kntok_script_hiragana, kntok_script_katakana;

/* General categories, in the order of table.c. */
enum kntok_category {
    KNTOK_CN,
    KNTOK_CC,
    KNTOK_CF,
    KNTOK_CO,
    KNTOK_CS,
    KNTOK_LL,
    KNTOK_LM,
    KNTOK_LO,
    KNTOK_LT,
    KNTOK_LU,
    KNTOK_MC,
    KNTOK_ME,
    KNTOK_MN,
    KNTOK_ND,
    KNTOK_NL,
    KNTOK_NO,
    KNTOK_PC,
    KNTOK_PD,
    KNTOK_PE,
    KNTOK_PF,
    KNTOK_PI,
    KNTOK_PO,
    KNTOK_PS,
    KNTOK_SC,
    KNTOK_SK,
    KNTOK_SM,
    KNTOK_SO,
    KNTOK_ZL,
    KNTOK_ZP,
    KNTOK_ZS
};

/* What the splitters ask, as bits of one byte: letters, numbers, white space, what words have (\w),
 * letters and marks that stand in front (all but lower case) and those behind (all but upper case). */
enum { KNTOK_L = 1, KNTOK_N = 2, KNTOK_S = 4, KNTOK_W = 8, KNTOK_UPPER = 16, KNTOK_LOWER = 32, KNTOK_NUMERIC = 64 };

/* A character that PCRE2's tables do not know: a bit of what it is, which regex.c sets. */
enum { KNTOK_YOUNG = 128 };
void kntok_mark_young(uint32_t c);
void kntok_find_young(void);

/* The tables are expanded once; false: no memory. */
bool kntok_unicode_ready(void);
extern uint8_t *kntok_class_pages[0x1100]; /* of 256 code points each */
extern uint8_t *kntok_what_pages[0x1100];
static inline unsigned kntok_class(uint32_t c) { return kntok_class_pages[c >> 8][c & 255]; }
static inline unsigned kntok_what_of(uint32_t c) { return kntok_what_pages[c >> 8][c & 255]; }
static inline bool kntok_is_space(uint32_t c) { return kntok_class(c) & KNTOK_S; }

/* The properties as the reference has them, which come from tables of several ages. */
bool kntok_is_punctuation(uint32_t c); /* Unicode 8.0, and ASCII's symbols */
bool kntok_is_other(uint32_t c);       /* Unicode 8.0: control, format, private */
bool kntok_is_nonspacing(uint32_t c);  /* Unicode 8.0 */
bool kntok_is_mark(uint32_t c);        /* Unicode 9.0 */
int kntok_script_of(uint32_t c);       /* Unicode 9.0, as sentencepiece groups them; 0: any */
/* The lower case of c: how many code points (1 or 2). */
int kntok_lower(uint32_t c, uint32_t to[2]);

/* One code point of valid UTF-8; its bytes. */
static inline int kntok_read(const uint8_t *s, uint32_t *c)
{
    if (s[0] < 0x80) {
        *c = s[0];
        return 1;
    }
    if (s[0] < 0xe0) {
        *c = (uint32_t)(s[0] & 31) << 6 | (s[1] & 63);
        return 2;
    }
    if (s[0] < 0xf0) {
        *c = (uint32_t)(s[0] & 15) << 12 | (uint32_t)(s[1] & 63) << 6 | (s[2] & 63);
        return 3;
    }
    *c = (uint32_t)(s[0] & 7) << 18 | (uint32_t)(s[1] & 63) << 12 | (uint32_t)(s[2] & 63) << 6 | (s[3] & 63);
    return 4;
}
int kntok_write(uint32_t c, uint8_t to[4]);
static inline int kntok_width(uint8_t first) { return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }
static inline int kntok_bytes_of(uint32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }
/* How many bytes at s are well-formed UTF-8; and of what is not, the longest part that begins a character, for
 * which one U+FFFD stands. */
size_t kntok_valid(const uint8_t *s, size_t n);
size_t kntok_broken(const uint8_t *s, size_t n);

/* Characters of a transformation: change 0 takes the next character's place, 1 is inserted, -k takes k more away. */
typedef struct kntok_char {
    uint32_t c;
    int32_t change;
} kntok_char;
typedef struct kntok_chars {
    kntok_char *at;
    size_t n, room;
    bool failed;
} kntok_chars;
static inline void kntok_put(kntok_chars *to, uint32_t c, int32_t change);
void kntok_put_slow(kntok_chars *to, uint32_t c, int32_t change);
static inline void kntok_put(kntok_chars *to, uint32_t c, int32_t change)
{
    if (to->n < to->room)
        to->at[to->n++] = (kntok_char){c, change};
    else
        kntok_put_slow(to, c, change);
}

/* The normal forms of Unicode 9.0, which is the reference's: characters that came later stay as they are. */
bool kntok_compose_ready(void);
void kntok_normal_form(const uint8_t *s, size_t n, bool compatible, bool compose, kntok_chars *scratch,
                       kntok_chars *to);
#endif
