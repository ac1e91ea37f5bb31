/* SPDX-License-Identifier: Apache-2.0
 * words.c -- the numbers of a launch as the words of its uniform block; which dispatches a kernel is. */
#include "wgsl/gen.h"
#include <string.h>

enum { BLOCK = KNW_SUM_BLOCK, MOST_WORDS = 16384 };

bool knw_ordered(const knk_inst *n) { return n->dtype == KN_ID_F32; }

bool knw_reduces(const knk_kernel *k, int stage)
{
    for (int i = k->stage[stage].first; i < k->stage[stage].end; i++)
        if (k->node[i].op == KNK_REDUCE)
            return true;
    return false;
}

/* ---- fours ---- */

static bool stores_adjacent(const knk_kernel *k, int stage, int loop)
{
    for (int i = k->stage[stage].first; i < k->stage[stage].end && loop >= 0; i++) {
        const knk_inst *n = &k->node[i];
        if (n->op == KNK_STORE && knk_size(k->node[n->a].dtype) < 4 && k->map[n->map].cls[loop] == KNK_STRIDE_ONE)
            return true;
    }
    return false;
}

bool knw_fours_of_points(const knk_kernel *k)
{
    return k->n_stage == 1 && !k->stage[0].n_inner && !k->stage[0].n_loop && stores_adjacent(k, 0, k->n_par - 1);
}

bool knw_fours_of_row(const knk_kernel *k, int stage)
{
    int inner = k->stage[stage].n_inner;
    return inner && !knw_reduces(k, stage) && stores_adjacent(k, stage, k->n_par + inner - 1);
}

/* ---- dispatches ---- */

/* The dispatch after `p`, which begins as {.first = 0, .end = 0, .join = -1}. */
static bool next_part(const knk_kernel *k, knw_part *p)
{
    int s = p->end, join = p->blocks && knw_reduces(k, p->first) ? p->first : -1;
    if (s == k->n_stage && join < 0)
        return false;
    *p = (knw_part){.join = join, .first = s, .end = s};
    while (p->end < k->n_stage && !k->stage[p->end].n_inner)
        p->end++;
    if (p->end == s && join < 0)
        *p = (knw_part){.blocks = true, .join = -1, .first = s, .end = s + 1};
    return true;
}

bool knw_part_of(const knk_kernel *k, int part, knw_part *to)
{
    *to = (knw_part){.join = -1};
    while (part-- >= 0)
        if (!next_part(k, to))
            return false;
    return true;
}

int knw_parts(const knk_kernel *k)
{
    knw_part p = {.join = -1};
    int n = 0;
    while (next_part(k, &p))
        n++;
    return n;
}

/* The dispatch in which a value is known: that of its stage; of a reduction the one that joins its blocks. */
static int made_in(const knk_kernel *k, const knk_inst *n)
{
    knw_part p = {.join = -1};
    for (int i = 0; next_part(k, &p); i++)
        if (n->op == KNK_REDUCE ? p.join == n->stage : n->stage >= p.first && n->stage < p.end)
            return i;
    return -1;
}

/* ---- the layout ---- */

static void mark_kept(knw_layout *l)
{
    const knk_kernel *k = l->k;
    for (int i = 0; i < k->n_node; i++)
        for (int j = 0; j < 3; j++) {
            int x = knk_operand(&k->node[i], j);
            if (x < 0 || k->node[x].op == KNK_CONST || k->node[x].stage == k->node[i].stage)
                continue;
            const knk_inst user = {.op = KNK_ADD, .stage = k->node[i].stage};
            if (made_in(k, &k->node[x]) != made_in(k, &user))
                l->kept[x] = 1;
        }
}

static void number_words(knw_layout *l, bool parts)
{
    const knk_kernel *k = l->k;
    uint32_t n = l->begin + (uint32_t)k->n_buffer + parts;
    l->par = n;
    n += (uint32_t)k->n_par;
    for (int s = 0; s < k->n_stage; s++) {
        const knk_stage *st = &k->stage[s];
        l->inner[s] = n;
        n += (uint32_t)(st->n_inner + st->n_loop) + (st->n_inner ? 2 : 0);
    }
    for (int i = 0; i < k->n_node; i++)
        if (k->node[i].op == KNK_INDEX)
            l->wide[k->node[i].map] = 1;
    for (int m = 0; m < k->n_map; m++) {
        uint32_t size = l->wide[m] ? 2 : 1;
        l->map[m] = n;
        n += size;
        for (int d = 0; d < knk_map_loops(k, m); d++)
            n += k->map[m].cls[d] == KNK_STRIDE_ANY ? size : 0;
    }
    if (parts)
        mark_kept(l);
    for (int i = 0; i < k->n_node && parts; i++) {
        if (l->kept[i])
            l->kept[i] = n++;
        if (k->node[i].op == KNK_REDUCE)
            l->partial[i] = n++;
    }
    l->n_words = (n + 3) / 4 * 4;
}

knx_error *knw_lay_out(const knk_kernel *k, uint32_t begin, bool parts, knw_layout *to)
{
    size_t stages = (size_t)k->n_stage + 1, maps = (size_t)k->n_map + 1, nodes = (size_t)k->n_node + 1;
    uint32_t *at = knx_alloc_zero((stages + maps + 2 * nodes) * sizeof *at + maps);
    *to = (knw_layout){.k = k, .begin = begin, .memory = at};
    if (!at)
        return knx_error_nomem();
    to->inner = at;
    to->map = to->inner + stages;
    to->kept = to->map + maps;
    to->partial = to->kept + nodes;
    to->wide = (uint8_t *)(to->partial + nodes);
    number_words(to, parts);
    return NULL;
}

void knw_layout_free(knw_layout *l) { knx_free(l->memory); }

/* ---- what is refused ---- */

static bool has_dtype(const knk_kernel *k, int dtype)
{
    for (int i = 0; i < k->n_node; i++)
        if (knk_op_table[k->node[i].op].result != 'V' && k->node[i].dtype == dtype)
            return true;
    return false;
}

const char *knw_refuses(const knk_kernel *k)
{
    if (has_dtype(k, KN_ID_F64))
        return "64-bit floats";
    if (k->n_buffer > 255)
        return "more than 255 buffers";
    uint64_t words = KNW_AT + (uint64_t)k->n_buffer + 2 * (uint64_t)k->n_node + (uint64_t)k->n_par;
    for (int s = 0; s < k->n_stage; s++)
        words += (uint64_t)(k->stage[s].n_inner + k->stage[s].n_loop) + 2;
    for (int m = 0; m < k->n_map; m++)
        words += 2 * (uint64_t)knk_map_loops(k, m) + 2;
    return words > MOST_WORDS ? "more numbers than a uniform block has room for" : NULL;
}

/* Extents multiplied; UINT64_MAX: they are too many. */
uint64_t knw_product(const int64_t *extent, int n)
{
    uint64_t p = 1;
    for (int d = 0; d < n; d++)
        if (!extent[d])
            return 0;
    for (int d = 0; d < n; d++)
        if (__builtin_mul_overflow(p, (uint64_t)extent[d], &p))
            return UINT64_MAX;
    return p;
}

static uint64_t points_of(const knk_kernel *k, const knw_launch *l) { return knw_product(l->par, k->n_par); }
static uint64_t inner_of(const knk_kernel *k, const knw_launch *l, int s)
{
    return knw_product(l->inner[s], k->stage[s].n_inner);
}
static uint64_t blocks_of(const knk_kernel *k, const knw_launch *l, int s)
{
    return inner_of(k, l, s) / BLOCK + (inner_of(k, l, s) % BLOCK != 0);
}

/* ---- the words of a launch ---- */

static void put(uint32_t *words, uint32_t *at, int64_t value, bool wide)
{
    words[(*at)++] = (uint32_t)value;
    if (wide)
        words[(*at)++] = (uint32_t)((uint64_t)value >> 32);
}

static void put_map(const knw_layout *a, const knw_launch *l, int m, uint32_t *words)
{
    uint32_t at = a->map[m];
    put(words, &at, l->map[m].offset, a->wide[m]);
    for (int d = 0; d < knk_map_loops(a->k, m); d++)
        if (a->k->map[m].cls[d] == KNK_STRIDE_ANY)
            put(words, &at, l->map[m].stride[d], a->wide[m]);
}

static uint32_t turns(int64_t extent) { return extent > UINT32_MAX ? UINT32_MAX : (uint32_t)extent; }

static void put_stage(const knw_layout *a, const knw_launch *l, int s, uint32_t *words)
{
    const knk_stage *st = &a->k->stage[s];
    uint32_t at = a->inner[s];
    for (int d = 0; d < st->n_inner + st->n_loop; d++)
        words[at++] = turns(l->inner[s][d]);
    if (st->n_inner) {
        words[at++] = (uint32_t)inner_of(a->k, l, s);
        words[at] = (uint32_t)blocks_of(a->k, l, s);
    }
}

void knw_put_numbers(const knw_layout *a, const knw_launch *l, uint32_t *words)
{
    for (int d = 0; d < a->k->n_par; d++)
        words[a->par + (uint32_t)d] = (uint32_t)l->par[d];
    for (int s = 0; s < a->k->n_stage; s++)
        put_stage(a, l, s, words);
    for (int m = 0; m < a->k->n_map; m++)
        put_map(a, l, m, words);
}

/* Places in the scratch, in words; their number. */
static uint64_t put_scratch(const knw_layout *a, const knw_launch *l, uint32_t *words)
{
    uint64_t n = 0, points = points_of(a->k, l);
    for (int i = 0; i < a->k->n_node; i++) {
        const knk_inst *x = &a->k->node[i];
        uint64_t size = knw_is_wide(x->dtype) ? 2 : 1;
        if (a->kept[i]) {
            if (words)
                words[a->kept[i]] = (uint32_t)n;
            n += points * size;
        }
        if (a->partial[i]) {
            if (words)
                words[a->partial[i]] = (uint32_t)n;
            n += points * size * blocks_of(a->k, l, x->stage);
        }
    }
    return n;
}

uint64_t knw_scratch_bytes(const knk_kernel *k, const knw_launch *l)
{
    knw_layout a;
    knx_error *e = knw_lay_out(k, KNW_AT, true, &a);
    uint64_t n = e ? UINT64_MAX : 4 * put_scratch(&a, l, NULL);
    knx_error_release(e);
    knw_layout_free(&a);
    return n;
}

/* Workgroups of the request's dispatch; *count: what they number, points or groups. */
static uint64_t groups_of(const knw_request *r, const knw_launch *l, uint64_t *count)
{
    knw_part p;
    *count = points_of(r->kernel, l);
    if (r->mode == KNW_ROWS)
        return *count;
    if (r->mode == KNW_COLUMNS)
        return (*count + KNW_ADJACENT - 1) / KNW_ADJACENT;
    if (r->mode == KNW_PARTS && knw_part_of(r->kernel, r->part, &p) && (p.blocks || p.join >= 0))
        return *count *= p.blocks ? blocks_of(r->kernel, l, p.first) : 1;
    uint64_t each = r->mode == KNW_POINTS && knw_fours_of_points(r->kernel) ? 4 * KNW_LANES : KNW_LANES;
    return (*count + each - 1) / each;
}

/* Words of buffers from b on that are given in them: none where nobody has said yet in which memories they lie. */
static uint32_t given_words(const knw_request *r, int b)
{
    uint32_t n = 0;
    for (; r->memory && b < r->kernel->n_buffer; b++)
        n += r->memory[b] == KNW_GIVEN ? KNW_GIVEN_BYTES / 4 : 0;
    return n;
}

uint32_t knw_given_word(const knw_request *r, uint32_t n_words, int b) { return n_words - given_words(r, b); }

knx_error *knw_n_words(const knw_request *r, uint32_t *out)
{
    knw_layout a;
    knx_error *e = knw_lay_out(r->kernel, KNW_AT, r->mode == KNW_PARTS, &a);
    *out = a.n_words + given_words(r, 0);
    knw_layout_free(&a);
    return e;
}

knx_error *knw_words(const knw_request *r, const knw_launch *l, uint32_t *words, uint32_t grid[2])
{
    knw_layout a;
    uint64_t count, groups = groups_of(r, l, &count), most = r->facts->most_groups;
    KN_TRY(knw_lay_out(r->kernel, KNW_AT, r->mode == KNW_PARTS, &a));
    memset(words, 0, (a.n_words + given_words(r, 0)) * sizeof *words);
    uint64_t rows = (groups + most - 1) / most, across = groups ? (groups + rows - 1) / rows : 0;
    grid[0] = (uint32_t)across;
    grid[1] = (uint32_t)rows;
    words[KNW_ACROSS] = (uint32_t)across;
    words[KNW_COUNT] = (uint32_t)count;
    for (int b = 0; b < r->kernel->n_buffer; b++)
        words[KNW_AT + b] = l->at[b];
    if (r->mode == KNW_PARTS)
        words[KNW_AT + r->kernel->n_buffer] = l->at[r->kernel->n_buffer];
    knw_put_numbers(&a, l, words);
    if (r->mode == KNW_PARTS)
        put_scratch(&a, l, words);
    knw_layout_free(&a);
    return NULL;
}
