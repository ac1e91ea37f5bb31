/* SPDX-License-Identifier: Apache-2.0
 * sort_records.c -- records in the scratch, sorted line by line: chunks by a bitonic network in the memory of a
 * workgroup, then runs are merged in pairs, twice as long with each pass: every record finds its place by a search
 * in the other run. */
#include "webgpu/routine/sort.h"

enum { SHORT = 64, MIDDLE = 256, LONG = 1024 };

uint64_t kng_sorter_bytes(kng_lines l, int words) { return 2 * 4 * l.lines * l.length * ((uint64_t)words + 1); }

void kng_sorter_make(kng_sorter *s, kng_maker *m, kng_lines l, int words)
{
    *s = (kng_sorter){.m = m, .l = l, .words = words};
    s->at = kng_scratch(m, kng_sorter_bytes(l, words) / 2);
    s->other = kng_scratch(m, kng_sorter_bytes(l, words) / 2);
}

void kng_record_type(kng_code *c, int words)
{
    KNG_HEAD(c, "struct Record { ");
    for (int k = 0; k < words; k++)
        KNG_HEAD(c, "k%d: u32, ", k);
    KNG_HEAD(c, "at: u32 }\nfn before(a: Record, b: Record) -> bool {\n");
    for (int k = 0; k < words; k++)
        KNG_HEAD(c, "    if (a.k%d != b.k%d) { return a.k%d < b.k%d; }\n", k, k, k, k);
    KNG_HEAD(c, "    return a.at < b.at;\n}\n");
}

void kng_records(kng_code *c, const kng_sorter *s, const char *name, uint64_t place, uint32_t use)
{
    kng_room(c, name, KN_DT(U32), place, use);
    if (use & KNG_BITS) {
        KNG_HEAD(c, "fn read_%s(i: u32) -> Record { return Record(", name);
        for (int k = 0; k <= s->words; k++)
            KNG_HEAD(c, "%sbits_%s(i * %du + %du)", k ? ", " : "", name, s->words + 1, k);
        KNG_HEAD(c, "); }\n");
    }
    if (use & KNG_PUT) {
        KNG_HEAD(c, "fn write_%s(i: u32, r: Record) {\n", name);
        for (int k = 0; k < s->words; k++)
            KNG_HEAD(c, "    put_%s(i * %du + %du, r.k%d);\n", name, s->words + 1, k, k);
        KNG_HEAD(c, "    put_%s(i * %du + %du, r.at);\n}\n", name, s->words + 1, s->words);
    }
}

void kng_sorter_key(const kng_sorter *s, uint32_t ref, kn_dtype d, int first, bool falling)
{
    kng_code c;
    const char *not = falling ? "~" : "";
    uint64_t n = s->l.lines * s->l.length;
    kng_begin(&c, s->m, 64);
    kng_along(&c, &s->l);
    kng_ref(&c, "x", d, ref, KNG_LOAD);
    kng_room(&c, "records", KN_DT(U32), s->at, KNG_PUT);
    kng_fn_image(&c, "image", d);
    kng_word(&c, "first", (uint64_t)first);
    kng_word(&c, "size", (uint64_t)s->words + 1);
    kng_each(&c, n);
    /* neighbours in memory by neighbours */
    KNG_BODY(&c, "    let line = i / (length() * inner()) * inner() + i %% inner();\n"
                 "    let k = i / inner() %% length();\n"
                 "    let at = (line * length() + k) * size();\n"
                 "    let b = image(load_x(i));\n");
    if (kng_image_words(d) == 2)
        KNG_BODY(&c, "    put_records(at + first(), %sb.x);\n    put_records(at + first() + 1u, %sb.y);\n", not, not );
    else
        KNG_BODY(&c, "    put_records(at + first(), %sb);\n", not );
    KNG_BODY(&c, "    if (first() == 0u) { put_records(at + size() - 1u, k); }\n");
    kng_end(&c, kng_groups(n, 64));
}

static unsigned chunk_of(const kng_sorter *s)
{
    if (s->l.length <= SHORT)
        return SHORT;
    uint64_t long_bytes = (uint64_t)LONG * 4 * ((uint64_t)s->words + 1);
    return s->l.length <= MIDDLE || long_bytes > s->m->facts->workgroup_bytes ? MIDDLE : LONG;
}

static void sort_chunks(const kng_sorter *s, unsigned chunk)
{
    kng_code c;
    unsigned lanes = chunk == LONG && s->m->facts->lanes >= 256 ? 256 : chunk == SHORT ? 32 : 64;
    uint64_t chunks = kng_groups(s->l.length, chunk);
    kng_begin(&c, s->m, lanes);
    kng_word(&c, "length", s->l.length);
    kng_word(&c, "chunks", chunks);
    kng_record_type(&c, s->words);
    kng_records(&c, s, "records", s->at, KNG_BITS | KNG_PUT);
    KNG_HEAD(&c, "var<workgroup> t: array<Record, %u>;\n", chunk);
    KNG_BODY(&c,
             "    let first = group %% chunks() * %uu;\n"
             "    let n = min(%uu, length() - first);\n"
             "    let at = group / chunks() * length() + first;\n"
             "    for (var i = lane; i < %uu; i += %uu) {\n"
             "        if (i < n) { t[i] = read_records(at + i); } else { t[i] = Record(",
             chunk, chunk, chunk, lanes);
    for (int k = 0; k <= s->words; k++)
        KNG_BODY(&c, "%s0xffffffffu", k ? ", " : "");
    KNG_BODY(&c,
             "); }\n    }\n"
             "    for (var size = 2u; size <= %uu; size <<= 1u) {\n"
             "        for (var step = size >> 1u; step > 0u; step >>= 1u) {\n"
             "            workgroupBarrier();\n"
             "            for (var p = lane; p < %uu; p += %uu) {\n"
             "                let i = 2u * p - (p & (step - 1u));\n"
             "                let a = t[i];\n"
             "                let b = t[i + step];\n"
             "                if (before(b, a) == ((i & size) == 0u)) { t[i] = b; t[i + step] = a; }\n"
             "            }\n        }\n    }\n"
             "    workgroupBarrier();\n"
             "    for (var i = lane; i < n; i += %uu) { write_records(at + i, t[i]); }\n",
             chunk, chunk / 2, lanes, lanes);
    kng_end(&c, s->l.lines * chunks);
}

static void merge(const kng_sorter *s, uint64_t run)
{
    kng_code c;
    uint64_t n = s->l.lines * s->l.length;
    kng_begin(&c, s->m, 64);
    kng_word(&c, "length", s->l.length);
    kng_word(&c, "run", run);
    kng_record_type(&c, s->words);
    kng_records(&c, s, "from", s->at, KNG_BITS);
    kng_records(&c, s, "to", s->other, KNG_PUT);
    kng_each(&c, n);
    KNG_BODY(&c, "    let k = i %% length();\n"
                 "    let begin = i - k;\n"
                 "    let mine = k / run();\n"
                 "    let r = read_from(i);\n"
                 "    let other = (mine ^ 1u) * run();\n"
                 "    var low = min(other, length());\n"
                 "    var high = min(other + run(), length());\n"
                 "    let first = low;\n"
                 "    while (low < high) {\n"
                 "        let middle = (low + high) / 2u;\n"
                 "        if (before(read_from(begin + middle), r)) { low = middle + 1u; } else { high = middle; }\n"
                 "    }\n"
                 "    write_to(begin + (mine & ~1u) * run() + k - mine * run() + low - first, r);\n");
    kng_end(&c, kng_groups(n, 64));
}

void kng_sort_records(kng_sorter *s)
{
    unsigned chunk = chunk_of(s);
    sort_chunks(s, chunk);
    for (uint64_t run = chunk; run < s->l.length; run *= 2) {
        merge(s, run);
        uint64_t t = s->at;
        s->at = s->other;
        s->other = t;
    }
}
