/* SPDX-License-Identifier: Apache-2.0
 * halo.c -- elements of neighbouring parts: the window of an operand that a device's part of a result reads (KNI_HALO).
 * What a device lacks comes from the devices a few places before and behind it along the axis, by ppermute, and no more
 * of it than some device needs. Where that is far for some of them (two arrays, one behind the other) whole parts are
 * sent to who reads something of them. */
#include "shard/write.h"
#include <string.h>

enum { MOST_HOPS = 4 };

/* Device p of n has elements p * extent, ... of the operand, and reads `width` elements from start_of(p) on. Devices
 * are numbered from home_of(p) on, so that for a result in reverse order the hops are as few. */
typedef struct reach {
    const kni_factor *f;
    int operand;
    int64_t n, whole, extent, result, width;
    int first, last;        /* hops */
    int64_t from, to;       /* the first element of the first piece; the end of the last piece */
    int64_t before, behind; /* room that some device needs around the pieces: outside of the operand */
} reach;

static int64_t start_of(const reach *r, int64_t p)
{
    return kni_halo_start(r->f, r->result, p * r->result, r->operand);
}

static int64_t home_of(const reach *r, int64_t p) { return r->f->reversed ? r->n - 1 - p : p; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* The hops, and the pieces of the first and the last one. False: no device reads anything. */
static bool find_hops(reach *r)
{
    bool any = false;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t p = 0; p < r->n; p++) {
            int64_t from = most(start_of(r, p), 0), to = least(start_of(r, p) + r->width, r->whole);
            if (from >= to)
                continue;
            int64_t a = from / r->extent, b = (to - 1) / r->extent;
            int first = (int)(a - home_of(r, p)), last = (int)(b - home_of(r, p));
            if (!pass) {
                r->first = !any || first < r->first ? first : r->first;
                r->last = !any || last > r->last ? last : r->last;
                any = true;
            } else {
                r->from = first == r->first ? least(r->from, from - a * r->extent) : r->from;
                r->to = last == r->last ? most(r->to, to - b * r->extent) : r->to;
            }
        }
    return any;
}

static int64_t base_of(const reach *r, int64_t p) { return (home_of(r, p) + r->first) * r->extent + r->from; }
static int64_t length_of(const reach *r) { return (r->last - r->first) * r->extent + r->to - r->from; }

static bool look(const kni_factor *f, int operand, int64_t whole, int64_t parts, reach *r)
{
    *r = (reach){.f = f, .operand = operand, .n = parts, .whole = whole};
    r->extent = kni_part_extent(whole, parts);
    r->result = kni_part_extent(f->size, parts);
    r->width = kni_halo_width(f, r->result);
    r->from = r->extent;
    if (r->width < 1 || r->extent < 1 || !find_hops(r))
        return false;
    for (int64_t p = 0; p < r->n; p++) {
        r->before = most(r->before, base_of(r, p) - start_of(r, p));
        r->behind = most(r->behind, start_of(r, p) + r->width - base_of(r, p) - length_of(r));
    }
    return true;
}

/* ---- Far away: device p reads parts first_of(p), first_of(p) + 1, ... of the operand, and nobody else has the same
 * first one. */

static int64_t first_of(const reach *r, int64_t p)
{
    int64_t at = start_of(r, p), part = at / r->extent;
    return part - (at % r->extent < 0);
}

/* Does device p read something of the part? */
static bool reads(const reach *r, int64_t p, int64_t part)
{
    int64_t from = most(start_of(r, p), part * r->extent), to = start_of(r, p) + r->width;
    return part >= 0 && part < r->n && from < least(least(to, (part + 1) * r->extent), r->whole);
}

/* How many parts a device reads at most; 0: it cannot be done so. */
static int parts_read(const reach *r)
{
    int all = 0;
    if (r->f->reversed || r->result * r->f->step < r->extent)
        return 0;
    for (int64_t p = 0; p < r->n; p++)
        for (int64_t k = 0; first_of(r, p) * r->extent + k * r->extent < start_of(r, p) + r->width; k++)
            all = reads(r, p, first_of(r, p) + k) && k >= all ? (int)least(k + 1, MOST_HOPS + 1) : all;
    return all > MOST_HOPS ? 0 : all;
}

bool knshard_halo_is_far(const kni_factor *f, int operand, int64_t whole, int64_t parts)
{
    reach r;
    if (!look(f, operand, whole, parts, &r))
        return false;
    int n = parts_read(&r);
    return n && n < parts - 1;
}

bool knshard_halo_is_near(const kni_factor *f, int operand, int64_t whole, int64_t parts)
{
    reach r;
    if (!look(f, operand, whole, parts, &r) || r.last - r.first >= MOST_HOPS)
        return false;
    return r.last - r.first < parts || length_of(&r) < whole; /* of two devices each has both neighbours of the other */
}

/* ---- Writing. */

/* Of part part_of(p) + k for each device p, zeros where there is none. */
static kni_atom from_part(knshard_writer *w, const reach *r, kni_atom x, int64_t (*part_of)(const reach *, int64_t),
                          int k, kni_mesh_axes axes, bool all)
{
    int64_t *pairs = knx_arena_alloc(w->arena, (size_t)r->n * 2 * sizeof *pairs);
    int n = 0;
    bool own = true;
    for (int64_t p = 0; pairs && p < r->n; p++) {
        int64_t q = part_of(r, p) + k;
        own = own && p == q;
        if (q < 0 || q >= r->n || (!all && !reads(r, p, q)))
            continue;
        pairs[n++] = q;
        pairs[n++] = p;
    }
    if (pairs && own)
        return x;
    if (!pairs) {
        knb_fail(&w->b, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    const kni_p_ppermute p = {.axis_name = knshard_names(w, axes),
                              .perm = {n, pairs},
                              .mesh = w->mesh,
                              .sizes = axes.n > 1 ? knshard_sizes(w, axes) : (kni_ints){0, NULL}};
    return knb_ppermute(&w->b, x, &p);
}

/* The window: it begins at a place that is the same on all devices, or moves on evenly from one to the next. */
static kni_atom window(knshard_writer *w, const reach *r, kni_atom x, int d, kni_mesh_axes axes)
{
    int64_t at = start_of(r, 0) - base_of(r, 0) + r->before;
    int64_t slope = r->n > 1 ? start_of(r, 1) - base_of(r, 1) + r->before - at : 0;
    if (!slope)
        return knshard_slice(w, x, d, at, at + r->width);
    kni_atom first = knb_add(&w->b, knshard_first(w, axes, slope), knb_integer(&w->b, KN_DT(I64), at));
    return knshard_slice_at(w, x, d, first, r->width);
}

/* The parts that a device reads, one behind the other, and the window of them. */
static kni_atom fetch_parts(knshard_writer *w, const reach *r, kni_atom part, int d, kni_mesh_axes axes)
{
    kni_builder *b = &w->b;
    kni_atom have[MOST_HOPS + 1];
    int n = parts_read(r);
    for (int k = 0; k < n; k++)
        have[k] = from_part(w, r, part, first_of, k, axes, false);
    kni_atom x = n == 1 ? have[0] : knb_concatenate(b, n, have, d), extent = knb_integer(b, KN_DT(I64), r->extent);
    int64_t first = start_of(r, 0), up = (first < 0 ? -first / r->extent + 1 : 0) * r->extent; /* not below 0 */
    kni_atom at = knb_add(b, knshard_first(w, axes, r->result * r->f->step), knb_integer(b, KN_DT(I64), first + up));
    return knshard_slice_at(w, knshard_widen(w, x, d, 0, r->width), d, knb_rem(b, at, extent), r->width);
}

kni_atom knshard_fetch(knshard_writer *w, kni_atom part, int d, kni_mesh_axes axes, const kni_factor *f, int operand,
                       int64_t whole)
{
    kni_builder *b = &w->b;
    kni_atom have[MOST_HOPS + 1];
    int n = 0;
    reach r;
    int64_t parts = kni_mesh_parts(w->mesh, axes);
    if (b->error || !look(f, operand, whole, parts, &r))
        return part;
    if (!knshard_halo_is_near(f, operand, whole, parts))
        return fetch_parts(w, &r, part, d, axes);
    for (int hop = r.first; hop <= r.last && n <= MOST_HOPS; hop++) {
        int64_t from = hop == r.first ? r.from : 0, to = hop == r.last ? r.to : r.extent;
        have[n++] = from_part(w, &r, knshard_slice(w, part, d, from, to), home_of, hop, axes, true);
    }
    kni_atom x = n == 1 ? have[0] : knb_concatenate(b, n, have, d);
    return window(w, &r, knshard_widen(w, x, d, r.before, r.behind), d, axes);
}
