/* SPDX-License-Identifier: Apache-2.0
 * product_text.c -- texts of products. Tiles: a workgroup loads 16 steps of its rows of a and of its columns of b into
 * memory that it shares, and each invocation makes some elements of c in registers. Where elements lie is worked out
 * once for each row, column and step, windows too, and kept in the shared memory. */
#include "webgpu/routine/product.h"

/* ---- Where arrays are. */

static void array(kng_code *c, const kng_product *x, int i, uint32_t use)
{
    static const char *const name[] = {"a", "b", "c"};
    const uint32_t ref[] = {x->a, x->b, x->c};
    kn_dtype d = i == 2 ? x->p->result : x->p->operand;
    if (x->part && x->part->in_room[i])
        kng_room(c, name[i], d, x->part->at[i], use);
    else
        kng_ref(c, name[i], d, ref[i], use);
}

/* ---- Where elements are. */

typedef struct group {
    const char *name;
    const knk_dims *d;
    const char *arrays; /* that it has strides in: "ac" */
    bool rows, steps;   /* it has a side of the windows */
    bool parted;        /* the first one is a word */
} group;

static int64_t stride_of(const knk_dims *d, char array, int i)
{
    return array == 'a' ? d->a[i] : array == 'b' ? d->b[i] : d->c[i];
}

static void place_words(kng_code *c, const kng_product *x, const group *g)
{
    char name[32];
    for (int i = 0; i < g->d->n; i++) {
        snprintf(name, sizeof name, "extent_%s", g->name);
        kng_words(c, name, i, (uint64_t)g->d->extent[i]);
        for (const char *a = g->arrays; *a; a++) {
            snprintf(name, sizeof name, "stride_%s%c", g->name, *a);
            kng_words(c, name, i, (uint64_t)stride_of(g->d, *a, i));
        }
    }
    for (int w = 0; w < x->p->n_window; w++) {
        if (g->rows)
            kng_words(c, "window_step", w, (uint64_t)x->p->window[w].step);
        if (g->steps)
            kng_words(c, "window_dilation", w, (uint64_t)x->p->window[w].dilation);
    }
}

/* Of index number `number` of a group: its part of the places in a, b, c, and of the windows' positions. */
static void place_function(kng_code *c, const kng_product *x, const group *g)
{
    place_words(c, x, g);
    KNG_HEAD(c, "fn place_%s(number: u32) -> Place {\n    var p = Place();\n", g->name);
    if (g->d->n && g->parted)
        KNG_HEAD(c, "    var rest = number + first_%s();\n    var d = 0u;\n", g->name);
    else if (g->d->n)
        KNG_HEAD(c, "    var rest = number;\n    var d = 0u;\n");
    for (int i = g->d->n - 1; i >= 0; i--) {
        if (i)
            KNG_HEAD(c, "    d = rest %% extent_%s%d();\n    rest = rest / extent_%s%d();\n", g->name, i, g->name, i);
        else
            KNG_HEAD(c, "    d = rest;\n");
        for (const char *a = g->arrays; *a; a++)
            KNG_HEAD(c, "    p.%c += d * stride_%s%c%d();\n", *a, g->name, *a, i);
        for (int w = 0; w < x->p->n_window; w++) {
            if (g->rows && x->p->window[w].m == i)
                KNG_HEAD(c, "    p.w%d = i32(d * window_step%d());\n", w, w);
            if (g->steps && x->p->window[w].k == i)
                KNG_HEAD(c, "    p.w%d = i32(d * window_dilation%d());\n", w, w);
        }
    }
    KNG_HEAD(c, "    return p;\n}\n");
}

/* One element of a: its place and the positions of the windows are sums of those of the row and of the step. */
static void read_a_function(kng_code *c, const kng_product *x)
{
    const char *type = kng_type(x->sum);
    array(c, x, 0, KNG_LOAD);
    for (int w = 0; w < x->p->n_window; w++) {
        kng_words(c, "window_low", w, (uint64_t)x->p->window[w].low);
        kng_words(c, "window_extent", w, (uint64_t)x->p->window[w].extent);
        kng_words(c, "window_stride", w, (uint64_t)x->p->window[w].stride);
        if (x->holes)
            kng_words(c, "window_base", w, (uint64_t)x->p->window[w].base);
    }
    KNG_HEAD(c, "fn read_a(place: u32");
    for (int w = 0; w < x->p->n_window; w++)
        KNG_HEAD(c, ", w%d: i32", w);
    KNG_HEAD(c, ") -> %s {\n    var at = place;\n", type);
    for (int w = 0; w < x->p->n_window; w++) {
        KNG_HEAD(c, "    %s p%d = w%d - i32(window_low%d());\n", x->holes ? "var" : "let", w, w, w);
        if (x->holes)
            KNG_HEAD(c,
                     "    if (p%d < 0 || p%d %% i32(window_base%d()) != 0) { return %s(); }\n"
                     "    p%d = p%d / i32(window_base%d());\n",
                     w, w, w, type, w, w, w);
        KNG_HEAD(c,
                 "    if (p%d < 0 || p%d >= i32(window_extent%d())) { return %s(); }\n"
                 "    at += u32(p%d) * window_stride%d();\n",
                 w, w, w, type, w, w);
    }
    KNG_HEAD(c, "    return widen(load_a(at));\n}\n");
}

static void read_functions(kng_code *c, const kng_product *x)
{
    kng_fn_convert(c, "widen", x->p->operand, x->sum);
    if (x->fill_a)
        kng_attach(c, "fill_a", x->fill_a, x->p->operand);
    else
        read_a_function(c, x);
    if (x->fill_b) {
        kng_attach(c, "fill_b", x->fill_b, x->p->operand);
        return;
    }
    array(c, x, 1, KNG_LOAD);
    KNG_HEAD(c, "fn read_b(place: u32) -> %s { return widen(load_b(place)); }\n", kng_type(x->sum));
}

static uint32_t numbered(kng_code *c, const char *name, uint64_t value)
{
    uint32_t word = (uint32_t)c->word.n;
    kng_word(c, name, value);
    return word;
}

static void part_words(kng_code *c, kng_product *x)
{
    const kng_part *part = x->part;
    if (!part)
        return;
    x->words.batch = numbered(c, "first_batch", part->batch);
    x->words.first = numbered(c, part->sums ? "first_k" : "first_m", part->first);
    x->words.continues = numbered(c, "continues", part->continues);
    x->words.goes_on = numbered(c, "goes_on", part->goes_on);
}

static void begin(kng_code *c, kng_maker *m, kng_product *x, uint32_t lanes)
{
    const knk_product *p = x->p;
    bool rows = x->part && !x->part->sums, steps = x->part && x->part->sums;
    const group groups[] = {{"batch", &p->batch, "abc", false, false, x->part},
                            {"m", &p->m, "ac", true, false, rows},
                            {"n", &p->n, "bc", false, false, false},
                            {"k", &p->k, "ab", false, true, steps}};
    kng_begin(c, m, lanes);
    part_words(c, x);
    KNG_HEAD(c, "struct Place { a: u32, b: u32, c: u32");
    for (int w = 0; w < p->n_window; w++)
        KNG_HEAD(c, ", w%d: i32", w);
    KNG_HEAD(c, " }\n");
    for (int g = 0; g < 4; g++)
        place_function(c, x, &groups[g]);
    x->words.begin[0] = numbered(c, "a_begin", (uint64_t)p->a_offset);
    x->words.begin[1] = numbered(c, "b_begin", (uint64_t)p->b_offset);
    x->words.begin[2] = numbered(c, "c_begin", (uint64_t)p->c_offset);
    kng_word(c, "rows", x->m);
    kng_word(c, "columns", x->n);
    kng_word(c, "steps", x->k);
    kng_word(c, "blocks", x->blocks);
    kng_word(c, "elements", x->batch * x->m * x->n);
}

/* Where a total goes: to the kernel that takes it, or to memory. */
static void total_function(kng_code *c, const kng_product *x)
{
    if (x->finish)
        kng_attach(c, "finish", x->finish, x->p->result);
    else
        array(c, x, 2, KNG_STORE);
    KNG_HEAD(c, "fn write_total(batch: u32, row: u32, column: u32, place: u32, x: %s) { %s }\n", kng_type(x->sum),
             x->finish ? "finish(batch, row, column, x);" : "store_c(place, x);");
}

/* Where a total or, with several blocks, the sum of one goes. */
static void write_function(kng_code *c, const kng_product *x)
{
    if (x->waits)
        kng_room(c, "sums", x->sum, x->place, KNG_STORE);
    else
        total_function(c, x);
    KNG_HEAD(c, "fn write(batch: u32, row: u32, column: u32, place: u32, block: u32, x: %s) {\n    %s\n}\n",
             kng_type(x->sum),
             x->waits ? "store_sums(block * elements() + (batch * rows() + row) * columns() + column, x);"
                      : "write_total(batch, row, column, place, x);");
}

static void arithmetic(kng_code *c, const kng_product *x)
{
    read_functions(c, x);
    kng_fn_multiply_add(c, "multiply_add", x->sum);
    kng_fn_binary(c, "add", KNK_ADD, x->sum);
    write_function(c, x);
}

/* ---- An invocation for each element (and block). */

void kng_product_elements(kng_maker *m, kng_product *x)
{
    kng_code c;
    const char *type = kng_type(x->sum);
    uint64_t n = x->batch * x->m * x->n * x->blocks;
    begin(&c, m, x, 64);
    arithmetic(&c, x);
    kng_each(&c, n);
    KNG_BODY(&c,
             "    let element = i / blocks();\n"
             "    let block = i %% blocks();\n"
             "    let batch = element / columns() / rows();\n"
             "    let row_number = element / columns() %% rows();\n"
             "    let column_number = element %% columns();\n"
             "    let of_batch = place_batch(batch);\n"
             "    let row = place_m(row_number);\n"
             "    let column = place_n(column_number);\n"
             "    let a = a_begin() + of_batch.a + row.a;\n"
             "    let b = b_begin() + of_batch.b + column.b;\n"
             "    let first = select(0u, block * %uu, blocks() > 1u);\n"
             "    let end = select(steps(), min(steps(), first + %uu), blocks() > 1u);\n"
             "    var total = %s();\n"
             "    for (var k0 = first; k0 < end; k0 += %uu) {\n"
             "        var sum = %s();\n"
             "        for (var k = k0; k < min(end, k0 + %uu); k++) {\n"
             "            let step = place_k(k);\n"
             "            sum = multiply_add(sum, ",
             KNG_BLOCK, KNG_BLOCK, type, KNG_BLOCK, type, KNG_BLOCK);
    if (x->fill_a)
        KNG_BODY(&c, "widen(fill_a(batch, row_number, k)");
    else
        KNG_BODY(&c, "read_a(a + step.a");
    for (int w = 0; w < x->p->n_window; w++)
        KNG_BODY(&c, ", row.w%d + step.w%d", w, w);
    KNG_BODY(&c, "), %s);\n", x->fill_b ? "widen(fill_b(batch, column_number, k))" : "read_b(b + step.b)");
    KNG_BODY(&c, "        }\n"
                 "        if (k0 == first) { total = sum; } else { total = add(total, sum); }\n"
                 "    }\n"
                 "    write(batch, row_number, column_number, c_begin() + of_batch.c + row.c + column.c, block, "
                 "total);\n");
    kng_end(&c, kng_groups(n, 64));
}

/* ---- The sums of blocks become totals. */

void kng_product_totals(kng_maker *m, kng_product *x)
{
    kng_code c;
    uint64_t n = x->batch * x->m * x->n;
    bool sums = x->part && x->part->sums;
    begin(&c, m, x, 64);
    kng_room(&c, "sums", x->sum, x->place, KNG_LOAD);
    total_function(&c, x);
    if (sums)
        kng_room(&c, "totals", x->sum, x->part->totals, KNG_LOAD | KNG_STORE);
    kng_fn_binary(&c, "add", KNK_ADD, x->sum);
    kng_each(&c, n);
    KNG_BODY(&c, "    var total = load_sums(i);\n");
    if (sums)
        KNG_BODY(&c, "    if (continues() != 0u) { total = add(load_totals(i), total); }\n");
    KNG_BODY(&c, "    for (var block = 1u; block < blocks(); block++) { total = add(total, load_sums(block * "
                 "elements() + i)); }\n");
    if (sums)
        KNG_BODY(&c, "    if (goes_on() != 0u) { store_totals(i, total); return; }\n");
    KNG_BODY(&c, "    let batch = i / columns() / rows();\n"
                 "    let row = i / columns() %% rows();\n"
                 "    let column = i %% columns();\n"
                 "    let place = c_begin() + place_batch(batch).c + place_m(row).c + place_n(column).c;\n"
                 "    write_total(batch, row, column, place, total);\n");
    kng_end(&c, kng_groups(n, 64));
}

/* ---- Tiles. */

static void shared_memory(kng_code *c, const kng_product *x)
{
    const kng_tile *t = &x->tile;
    const char *type = kng_type(x->sum);
    KNG_HEAD(c, "var<workgroup> tile_a: array<%s, %u>;\nvar<workgroup> tile_b: array<%s, %u>;\n", type,
             (unsigned)(KNG_STEPS * (t->rows + 1)), type, (unsigned)(KNG_STEPS * (t->columns + 1)));
    KNG_HEAD(c,
             "var<workgroup> row: array<Place, %u>;\nvar<workgroup> column: array<vec2<u32>, %u>;\n"
             "var<workgroup> step: array<Place, %u>;\n",
             (unsigned)t->rows, (unsigned)t->columns, KNG_STEPS);
}

static void places_of_tile(kng_code *c, const kng_product *x)
{
    const kng_tile *t = &x->tile;
    KNG_BODY(c,
             "    let block = group %% blocks();\n"
             "    let tile = group / blocks();\n"
             "    let tiles_across = (columns() + %uu) / %uu;\n"
             "    let tiles_down = (rows() + %uu) / %uu;\n"
             "    let batch = tile / (tiles_across * tiles_down);\n"
             "    let of_batch = place_batch(batch);\n"
             "    let row0 = tile / tiles_across %% tiles_down * %uu;\n"
             "    let column0 = tile %% tiles_across * %uu;\n"
             "    let first = select(0u, block * %uu, blocks() > 1u);\n"
             "    let end = select(steps(), min(steps(), first + %uu), blocks() > 1u);\n",
             (unsigned)t->columns - 1, (unsigned)t->columns, (unsigned)t->rows - 1, (unsigned)t->rows,
             (unsigned)t->rows, (unsigned)t->columns, KNG_BLOCK, KNG_BLOCK);
    KNG_BODY(c,
             "    for (var i = lane; i < %uu; i += %uu) {\n"
             "        var p = place_m(min(row0 + i, rows() - 1u));\n"
             "        p.a += a_begin() + of_batch.a;\n"
             "        p.c += c_begin() + of_batch.c;\n"
             "        row[i] = p;\n"
             "    }\n"
             "    for (var i = lane; i < %uu; i += %uu) {\n"
             "        let p = place_n(min(column0 + i, columns() - 1u));\n"
             "        column[i] = vec2<u32>(p.b + b_begin() + of_batch.b, p.c);\n"
             "    }\n",
             (unsigned)t->rows, (unsigned)c->lanes, (unsigned)t->columns, (unsigned)c->lanes);
}

static void load_tiles(kng_code *c, const kng_product *x)
{
    const kng_tile *t = &x->tile;
    unsigned rows = t->rows, columns = t->columns, lanes = c->lanes;
    KNG_BODY(c,
             "            workgroupBarrier();\n"
             "            if (lane < %uu) { step[lane] = place_k(min(k0 + lane, steps() - 1u)); }\n"
             "            workgroupBarrier();\n"
             "            for (var e = lane; e < %uu; e += %uu) {\n",
             KNG_STEPS, KNG_STEPS * rows, lanes);
    if (x->a_steps)
        KNG_BODY(c, "                let k = e %% %uu;\n                let i = e / %uu;\n", KNG_STEPS, KNG_STEPS);
    else
        KNG_BODY(c, "                let k = e / %uu;\n                let i = e %% %uu;\n", rows, rows);
    KNG_BODY(c, "                tile_a[k * %uu + i] = ", rows + 1);
    if (x->fill_a)
        KNG_BODY(c, "widen(fill_a(batch, min(row0 + i, rows() - 1u), min(k0 + k, steps() - 1u))");
    else
        KNG_BODY(c, "read_a(row[i].a + step[k].a");
    for (int w = 0; w < x->p->n_window; w++)
        KNG_BODY(c, ", row[i].w%d + step[k].w%d", w, w);
    KNG_BODY(c, ");\n            }\n            for (var e = lane; e < %uu; e += %uu) {\n", KNG_STEPS * columns, lanes);
    if (x->b_steps)
        KNG_BODY(c, "                let k = e %% %uu;\n                let i = e / %uu;\n", KNG_STEPS, KNG_STEPS);
    else
        KNG_BODY(c, "                let k = e / %uu;\n                let i = e %% %uu;\n", columns, columns);
    KNG_BODY(c,
             "                tile_b[k * %uu + i] = %s;\n"
             "            }\n"
             "            workgroupBarrier();\n",
             columns + 1,
             x->fill_b ? "widen(fill_b(batch, min(column0 + i, columns() - 1u), min(k0 + k, steps() - 1u)))"
                       : "read_b(column[i].x + step[k].b)");
}

static void multiply_tiles(kng_code *c, const kng_product *x)
{
    const kng_tile *t = &x->tile;
    unsigned down = t->rows / t->mine, wide = t->columns / t->across;
    KNG_BODY(c, "            for (var k = 0u; k < min(%uu, stop - k0); k++) {\n", KNG_STEPS);
    for (unsigned i = 0; i < t->mine; i++)
        KNG_BODY(c, "                let a%u = tile_a[k * %uu + my_row + %uu];\n", i, (unsigned)t->rows + 1, i * down);
    for (unsigned j = 0; j < t->across; j++)
        KNG_BODY(c, "                let b%u = tile_b[k * %uu + my_column + %uu];\n", j, (unsigned)t->columns + 1,
                 j * wide);
    for (unsigned i = 0; i < t->mine; i++)
        for (unsigned j = 0; j < t->across; j++)
            KNG_BODY(c, "                s%u_%u = multiply_add(s%u_%u, a%u, b%u);\n", i, j, i, j, i, j);
    KNG_BODY(c, "            }\n");
}

static void add_to_totals(kng_code *c, const kng_tile *t)
{
    KNG_BODY(c, "        if (k_block == first) {\n");
    for (unsigned e = 0; e < t->mine * t->across; e++)
        KNG_BODY(c, "            t%u_%u = s%u_%u;\n", e / t->across, e % t->across, e / t->across, e % t->across);
    KNG_BODY(c, "        } else {\n");
    for (unsigned e = 0; e < t->mine * t->across; e++) {
        unsigned i = e / t->across, j = e % t->across;
        KNG_BODY(c, "            t%u_%u = add(t%u_%u, s%u_%u);\n", i, j, i, j, i, j);
    }
    KNG_BODY(c, "        }\n");
}

/* What takes a total may be long: one loop over them keeps it in the text once. */
static void finish_tile(kng_code *c, const kng_product *x)
{
    const kng_tile *t = &x->tile;
    unsigned n = t->mine * t->across, across = t->across, down = t->rows / t->mine, wide = t->columns / across;
    KNG_BODY(c, "    var totals = array<%s, %u>(", kng_type(x->sum), n);
    for (unsigned e = 0; e < n; e++)
        KNG_BODY(c, "%st%u_%u", e ? ", " : "", e / across, e % across);
    KNG_BODY(c,
             ");\n    for (var e = 0u; e < %uu; e++) {\n"
             "        let i = my_row + e / %uu * %uu;\n        let j = my_column + e %% %uu * %uu;\n"
             "        if (row0 + i < rows() && column0 + j < columns()) {\n"
             "            write(batch, row0 + i, column0 + j, row[i].c + column[j].y, block, totals[e]);\n"
             "        }\n    }\n",
             n, across, down, across, wide);
}

static void write_tile(kng_code *c, const kng_product *x)
{
    const kng_tile *t = &x->tile;
    unsigned down = t->rows / t->mine, wide = t->columns / t->across;
    KNG_BODY(c, "    workgroupBarrier();\n");
    if (x->finish && x->blocks == 1) {
        finish_tile(c, x);
        return;
    }
    for (unsigned i = 0; i < t->mine; i++)
        for (unsigned j = 0; j < t->across; j++)
            KNG_BODY(c,
                     "    if (row0 + my_row + %uu < rows() && column0 + my_column + %uu < columns()) {\n"
                     "        write(batch, row0 + my_row + %uu, column0 + my_column + %uu, "
                     "row[my_row + %uu].c + column[my_column + %uu].y, block, t%u_%u);\n    }\n",
                     i * down, j * wide, i * down, j * wide, i * down, j * wide, i, j);
}

void kng_product_tiles(kng_maker *m, kng_product *x)
{
    kng_code c;
    const kng_tile *t = &x->tile;
    unsigned wide = t->columns / t->across;
    const char *type = kng_type(x->sum);
    begin(&c, m, x, t->rows / t->mine * (t->columns / t->across));
    arithmetic(&c, x);
    shared_memory(&c, x);
    places_of_tile(&c, x);
    KNG_BODY(&c, "    let my_row = lane / %uu;\n    let my_column = lane %% %uu;\n", wide, wide);
    for (unsigned e = 0; e < t->mine * t->across; e++)
        KNG_BODY(&c, "    var t%u_%u = %s();\n", e / t->across, e % t->across, type);
    KNG_BODY(&c,
             "    for (var k_block = first; k_block < end; k_block += %uu) {\n"
             "        let stop = min(end, k_block + %uu);\n",
             KNG_BLOCK, KNG_BLOCK);
    for (unsigned e = 0; e < t->mine * t->across; e++)
        KNG_BODY(&c, "        var s%u_%u = %s();\n", e / t->across, e % t->across, type);
    KNG_BODY(&c, "        for (var k0 = k_block; k0 < stop; k0 += %uu) {\n", KNG_STEPS);
    load_tiles(&c, x);
    multiply_tiles(&c, x);
    KNG_BODY(&c, "        }\n");
    add_to_totals(&c, t);
    KNG_BODY(&c, "    }\n");
    write_tile(&c, x);
    kng_end(&c, x->blocks * x->batch * kng_groups(x->m, t->rows) * kng_groups(x->n, t->columns));
}
