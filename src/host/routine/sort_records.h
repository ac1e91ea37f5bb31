/* SPDX-License-Identifier: Apache-2.0
 * sort_records.h -- stable sorting of records of an image and a position: runs that insertion sorts, and their merging.
 * Included by sort.c for each kind of record: R, IMAGE(r), POSITION(r), MAKE(image, position), F(name). It has no
 * include guard: that is the point. */

#define IMAGES(type, value)                                            \
    for (int64_t i = 0; i < n; i++) {                                  \
        type v = ((const type *)x)[(int64_t)POSITION(r[i]) * step];    \
        r[i] = MAKE(value, POSITION(r[i]));                            \
    }                                                                  \
    break;

/* The images of word `word` (0 is compared first) of the keys at the records' positions, `step` elements apart. */
static void F(read)(kn_dtype d, const void *x, int64_t step, int word, int64_t n, R *r)
{
#if LONG
    typedef struct {
        uint32_t re, im;
    } bits64;
    typedef struct {
        uint64_t part[2];
    } bits128;
#endif
    (void)word;
    switch ((knx_dtype_id)d->id) {
    case KN_ID_BOOL:
    case KN_ID_U8: IMAGES(uint8_t, v)
    case KN_ID_I8: IMAGES(uint8_t, v ^ 0x80u)
    case KN_ID_U16: IMAGES(uint16_t, v)
    case KN_ID_I16: IMAGES(uint16_t, v ^ 0x8000u)
    case KN_ID_F16: IMAGES(uint16_t, knr_image_16(v, 0x7c00u))
    case KN_ID_BF16: IMAGES(uint16_t, knr_image_16(v, 0x7f80u))
    case KN_ID_U32: IMAGES(uint32_t, v)
    case KN_ID_I32: IMAGES(uint32_t, v ^ 0x80000000u)
    case KN_ID_F32: IMAGES(uint32_t, knr_image_f32(v))
#if LONG
    case KN_ID_U64: IMAGES(uint64_t, v)
    case KN_ID_I64: IMAGES(uint64_t, v ^ (uint64_t)1 << 63)
    case KN_ID_F64: IMAGES(uint64_t, knr_image_f64(v))
    case KN_ID_C64: IMAGES(bits64, (uint64_t)knr_image_f32(v.re) << 32 | knr_image_f32(v.im))
    case KN_ID_C128: IMAGES(bits128, knr_image_f64(v.part[word]))
#endif
    default: break; /* random keys have no order */
    }
}

static void F(insertion)(R *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        R r = a[i];
        int64_t k = i;
        for (; k > 0 && IMAGE(a[k - 1]) > IMAGE(r); k--)
            a[k] = a[k - 1];
        a[k] = r;
    }
}

static void F(merge)(const R *a, int64_t na, const R *b, int64_t nb, R *to)
{
    while (na && nb) {
        bool second = IMAGE(*b) < IMAGE(*a); /* of equal ones the first comes first */
        *to++ = second ? *b : *a;
        b += second, nb -= second;
        a += !second, na -= !second;
    }
    memcpy(to, na ? a : b, (size_t)(na + nb) * sizeof *to);
}

/* Returns where the sorted records are: in a or in spare. */
static R *F(merge_sort)(R *a, R *spare, int64_t n)
{
    for (int64_t i = 0; i < n; i += RUN)
        F(insertion)(a + i, n - i < RUN ? n - i : RUN);
    for (int64_t run = RUN; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t na = n - i < run ? n - i : run, nb = n - i - na < run ? n - i - na : run;
            F(merge)(a + i, na, a + i + na, nb, spare + i);
        }
        R *t = a;
        a = spare;
        spare = t;
    }
    return a;
}

static bool F(is_sorted)(const R *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (IMAGE(a[i - 1]) > IMAGE(a[i]))
            return false;
    return true;
}

/* y[i] = x[position of record i], `step` elements apart */
static void F(rearrange)(int size, const char *x, char *y, int64_t step, const R *r, int64_t n)
{
#define MOVE(bytes)                                                                              \
    for (int64_t i = 0; i < n; i++)                                                              \
        memcpy(y + i * step * (bytes), x + (int64_t)POSITION(r[i]) * step * (bytes), bytes);     \
    break
    switch (size) { /* constant sizes: each becomes one move */
    case 1: MOVE(1);
    case 2: MOVE(2);
    case 4: MOVE(4);
    case 8: MOVE(8);
    default: MOVE((size_t)size);
    }
#undef MOVE
}

#undef IMAGES
#undef R
#undef IMAGE
#undef POSITION
#undef MAKE
#undef LONG
#undef F
