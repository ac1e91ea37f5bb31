/* SPDX-License-Identifier: Apache-2.0
 * select_find.h -- finding ranks among numbers of BITS bits, 32 or 64. Included by select_ranks.c behind
 * select_loops.h; it has no include guard: that is the point. A sample tells two numbers between which the one at the
 * rank lies almost surely; a pass over the line counts what is below and keeps what is between, in which the rank is
 * looked for the same way. Where the sample was wrong, or too much is kept, digits are counted instead, so the
 * work is linear always. */
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define T            PASTE(PASTE(uint, BITS), _t)
#define S            PASTE(PASTE(int, BITS), _t)
#define F(name)      PASTE(name##_, BITS)

/* One pass over numbers on all threads. */
typedef struct F(pass) {
    const knr_sort_vector *by;
    const knr_image_code *code;
    const T *from;
    S *to, low, high;
    int64_t n, below[MOST_PARTS], kept[MOST_PARTS];
    int parts;
} F(pass);

static int64_t F(between)(const knr_image_code *code, const T *x, int64_t n, S low, S high, S *to, int64_t *below)
{
    int64_t kept = 0, less = 0;
    for (int64_t i = 0; i < n; i++) {
        S v = F(image)(code, x[i]);
        to[kept] = v;
        kept += (v >= low) & (v <= high);
        less += v < low;
    }
    *below = less;
    return kept;
}

static int64_t F(begin_of)(const F(pass) *p, int64_t part) { return p->n * part / p->parts + part * SLACK; }

static void F(run_part)(void *arg, int64_t part, int worker)
{
    F(pass) *p = arg;
    int64_t from = p->n * part / p->parts, many = p->n * (part + 1) / p->parts - from;
    S *to = p->to + F(begin_of)(p, part);
    (void)worker;
    p->kept[part] = p->by ? p->by->between(p->code, p->from + from, many, &p->low, &p->high, to, &p->below[part])
                          : F(between)(p->code, p->from + from, many, p->low, p->high, to, &p->below[part]);
}

/* How many numbers are kept in `to`. */
static int64_t F(keep)(F(pass) *p, int threads, int64_t *below)
{
    int64_t kept = 0;
    *below = 0;
    knx_parallel(threads, p->parts, F(run_part), p);
    for (int k = 0; k < p->parts; k++) {
        memmove(p->to + kept, p->to + F(begin_of)(p, k), (size_t)p->kept[k] * sizeof(S));
        kept += p->kept[k], *below += p->below[k];
    }
    return kept;
}

static void F(by_digits)(const knr_image_code *code, const T *x, int64_t n, int64_t rank, knr_found *found)
{
    const T sign = (T)1 << (BITS - 1);
    T known = 0, mask = 0;
    int64_t below = 0;
    for (int shift = BITS - 8; shift >= 0; shift -= 8) {
        int64_t count[256] = {0};
        int digit = 0;
        for (int64_t i = 0; i < n; i++) {
            T v = (T)F(image)(code, x[i]) ^ sign;
            if ((v & mask) == known)
                count[v >> shift & 255]++;
        }
        while (below + count[digit] <= rank)
            below += count[digit++];
        known |= (T)digit << shift;
        mask |= (T)255 << shift;
    }
    *found = (knr_found){(S)(known ^ sign), below};
}

/* All numbers in order: those of x as images. */
static const S *F(in_order)(const finding *f, const knr_image_code *code, const T *x, int64_t n, S *room, int threads)
{
    for (int64_t i = 0; i < n; i++)
        room[i] = F(image)(code, x[i]);
    knr_sort_keys(BITS == 32 ? KN_DT(I32) : KN_DT(I64), room, room + n, n, 1, f->sorting, threads);
    return room + n;
}

static void F(look_up)(const S *sorted, int64_t n, const int64_t *rank, int64_t m, int64_t skip, knr_found *found)
{
    for (int64_t k = 0; k < m; k++) {
        S v = sorted[rank[k] - skip];
        int64_t low = 0, high = n;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (sorted[middle] < v)
                low = middle + 1;
            else
                high = middle;
        }
        found[k] = (knr_found){v, skip + low};
    }
}

typedef struct F(range) {
    S low, high;
    int64_t ranks;
} F(range);

/* Numbers between which those at the ranks lie, almost surely: ranges that do not touch, rising. Returns how many. */
static int F(guess)(const finding *f, const knr_image_code *code, const T *x, int64_t n, const int64_t *rank, int64_t m,
                    int64_t skip, S *room, F(range) *range)
{
    const S least = PASTE(PASTE(INT, BITS), _MIN), most = PASTE(PASTE(INT, BITS), _MAX);
    bool many = n >= MANY;
    int64_t looked = many ? SAMPLES : SAMPLES / 8, sure = many ? 128 : 45, step = n / looked, last = -1;
    T *some = (T *)room;
    int ranges = 0;
    uint32_t random = 1;
    for (int64_t i = 0; i < looked; i++) {
        random = random * 1664525u + 1013904223u;
        some[i] = x[i * step + (int64_t)(random >> 8) % step];
    }
    const S *sorted = F(in_order)(f, code, some, looked, room, 1);
    for (int64_t k = 0; k < m; k++) {
        int64_t at = (int64_t)((double)(rank[k] - skip) / (double)n * (double)looked);
        int64_t low = at - sure, high = at + sure;
        S high_number = high < looked ? sorted[high] : most;
        if (ranges && (last >= low || sorted[low] <= range[ranges - 1].high)) {
            range[ranges - 1].high = high_number;
            range[ranges - 1].ranks++;
        } else {
            range[ranges++] = (F(range)){low >= 0 ? sorted[low] : least, high_number, 1};
        }
        last = high;
    }
    return ranges;
}

/* Numbers at m ranks of the line, which are `skip` less here: so many numbers of the line are below all of these. */
static void F(find)(const finding *f, const knr_image_code *code, const T *x, int64_t n, const int64_t *rank, int64_t m,
                    int64_t skip, knr_found *found, S *room)
{
    if (n <= SORTED || m > KNR_FEW_RANKS) {
        F(look_up)(F(in_order)(f, code, x, n, room, m > KNR_FEW_RANKS ? f->threads : 1), n, rank, m, skip, found);
        return;
    }
    F(range) range[KNR_FEW_RANKS];
    int ranges = F(guess)(f, code, x, n, rank, m, skip, room, range);
    for (int r = 0; r < ranges; rank += range[r].ranks, found += range[r].ranks, r++) {
        int64_t below, kept, here = range[r].ranks, parts = n / PART < f->threads ? n / PART : f->threads;
        F(pass) p = {f->by[BITS == 64], code, x, room, range[r].low, range[r].high, .n = n};
        p.parts = parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : (int)parts;
        kept = F(keep)(&p, f->threads, &below);
        bool right = rank[0] - skip >= below && rank[here - 1] - skip < below + kept;
        if (right && p.low == p.high) {
            for (int64_t k = 0; k < here; k++)
                found[k] = (knr_found){p.low, skip + below};
        } else if (right && kept <= n / 2) {
            const knr_image_code same = {.bias = (uint64_t)1 << (BITS - 1)};
            F(find)(f, &same, (const T *)room, kept, rank, here, skip + below, found, room + kept + SLACK);
        } else {
            for (int64_t k = 0; k < here; k++) {
                F(by_digits)(code, x, n, rank[k] - skip, &found[k]);
                found[k].below += skip;
            }
        }
    }
}

#undef PASTE_
#undef PASTE
#undef T
#undef S
#undef F
#undef BITS
