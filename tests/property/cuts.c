/* SPDX-License-Identifier: Apache-2.0
 * cuts.c -- how each row can be cut, over all of its samples: that there is some way, or a reason why there is none;
 * and docs/factors.md, which lists them. */
#include "bench.h"
#include "shard/factors.h"

#include <stdlib.h>
#include <string.h>

/* Bits beside those of kni_factor_kind. */
enum { GROUPS = 1 << 16, LOCAL = 1 << 17, EVEN = 1 << 18, WHOLE = 1 << 19, COPIES = 1 << 20 };

static bool in_factor(const kni_spread *s, bool result, uint32_t i, int d)
{
    for (int k = 0; k < s->n; k++)
        if ((result ? s->v[k].out[i] : s->v[k].in[i]) == d)
            return true;
    return false;
}

static unsigned ways_of_factor(const kni_rule *r, const kni_factor *f)
{
    bool copies = true;
    for (int i = 0; i < r->n_in; i++)
        copies = copies && f->in[i] < 0;
    unsigned ways = 1u << f->kind;
    if (copies && f->kind == KNI_PARALLEL)
        return COPIES;
    if (f->local && f->kind != KNI_HALO && f->kind != KNI_POSITION && f->kind != KNI_SHARES)
        ways |= LOCAL;
    if (f->even)
        ways |= EVEN;
    else if (f->kind != KNI_HALO && !knshard_allows(f, r, f->size + 1))
        ways |= GROUPS;
    return ways;
}

/* Of the equations of the row in j. */
static unsigned ways_of_jaxpr(const kni_jaxpr *j, const kni_prim *p)
{
    unsigned ways = 0;
    knx_arena a = KN_ARENA_INIT;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        kni_type xt[MAX_VALUES];
        kni_spread s;
        if (e->prim != p || e->n_in > MAX_VALUES)
            continue;
        for (uint32_t k = 0; k < e->n_in; k++)
            xt[k] = kni_atom_type(j, e->in[k]);
        kni_rule r = kni_rule_of(e, xt, &j->type[e->out]);
        knx_error *error = knshard_factors(&r, &a, &s);
        for (int k = 0; !error && k < s.n; k++)
            ways |= ways_of_factor(&r, &s.v[k]);
        for (uint32_t k = 0; !error && k < e->n_in + e->n_out; k++) {
            bool result = k >= e->n_in;
            uint32_t n = result ? k - e->n_in : k;
            kni_type t = result ? r.yt[n] : xt[n];
            for (int d = 0; d < t.ndim; d++)
                if (t.dim[d] > 1 && !in_factor(&s, result, n, d))
                    ways |= WHOLE;
        }
        knx_error_release(error);
    }
    knx_arena_free(&a);
    return ways;
}

static unsigned ways_of_sample(const sample *from, const char *text, kn_dtype t)
{
    bench b = {0};
    unsigned ways = 0;
    if (bench_open(&b, from, t, text) && (b.j = from->lanes ? bench_one_lane(&b) : bench_build(&b, false)))
        ways = ways_of_jaxpr(b.j, from->prim);
    for (int alone = 0; b.j && b.n_in && !from->lanes && alone < 2; alone++) {
        int axis[MAX_OPERANDS] = {0};
        kni_jaxpr *batched = NULL;
        for (int i = 1; i < b.n_in; i++)
            axis[i] = alone ? -1 : 0;
        knx_error_release(knt_batch(b.j, 3, NULL, axis, NULL, &batched));
        if (batched)
            ways |= ways_of_jaxpr(batched, from->prim);
        kni_release(batched);
    }
    bench_close(&b);
    return ways;
}

/* Of all samples, each with its first dtype. */
static unsigned ways_of(const kni_prim *p)
{
    unsigned ways = 0;
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *from = *list; from->prim; from++) {
            operand x[MAX_OPERANDS];
            int id = 0, n;
            while (from->dtypes && id < KN_ID_COUNT - 1 && !bench_has_dtype(from, &knx_dtype_table[id]))
                id++;
            for (const char *text = from->operands, *next; from->prim == p && text; text = next) {
                next = bench_operands(text, KN_DT(F32), x, &n);
                ways |= from->flags & LONG ? 0 : ways_of_sample(from, text, from->dtypes ? &knx_dtype_table[id] : NULL);
            }
        }
    return ways;
}

static bool may_be_expanded(const kni_prim *p)
{
    return p->expand && !p->spread && !p->map && !p->rows && !p->product && !(p->bits & (KN_ELEMENTWISE | KN_REDUCES));
}

/* Why a row has no factors; NULL: it has to have some. */
static const char *reason(const kni_prim *p)
{
    return p->loops                      ? "its bodies are cut"
           : p->bits & KN_NAMES          ? "speaks of the devices itself"
           : p->bits & KN_USER           ? "the user's code gets whole arrays, on one device"
           : may_be_expanded(p)          ? "what it expands into is cut"
           : p->lays                     ? "says itself how its result lies"
           : p == &knp_prim_dim_as_value ? "has no axes"
                                         : NULL;
}

void check_cuts(bench *b, const kni_prim *p)
{
    bool any = ways_of(p) & ~(unsigned)WHOLE;
    if (!any && !reason(p))
        bench_fail(b, "no sample can be cut, and there is no reason");
}

/* --- the page --------------------------------------------------------------------------------- */

static void words_of(unsigned ways, FILE *out)
{
    static const struct {
        unsigned way;
        const char *word;
    } words[] = {{1u << KNI_PARALLEL, "parallel"},
                 {GROUPS, "in whole groups"},
                 {COPIES, "copies"},
                 {1u << KNI_SUM, "sum"},
                 {1u << KNI_ONE, "one of them"},
                 {1u << KNI_PROD, "product"},
                 {1u << KNI_MAX, "max"},
                 {1u << KNI_MIN, "min"},
                 {1u << KNI_AND, "and"},
                 {1u << KNI_OR, "or"},
                 {1u << KNI_XOR, "xor"},
                 {EVEN, "without padding"},
                 {1u << KNI_POSITION, "position"},
                 {1u << KNI_HALO, "halo"},
                 {1u << KNI_SHARES, "shares"},
                 {LOCAL, "by what falls into the part"},
                 {WHOLE, "whole"}};
    const char *comma = "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ways & words[i].way) {
            fprintf(out, "%s%s", comma, words[i].word);
            comma = ", ";
        }
}

static const char head[] =
    "# How primitives are cut\n"
    "\n"
    "Along which axes an equation can be spread over devices ([sharding.md](sharding.md)): what the samples of the "
    "rules' tests show of each\n"
    "row. Made by `KILN_WRITE_PAGE=1 rules -s docs/factors.md`; a test compares. The second column has the kinds of "
    "axes\n"
    "([how-to-add-a-primitive.md](how-to-add-a-primitive.md#factors)).\n"
    "\n"
    "- *parallel*: a part of the operands gives that part of the results. *In whole groups*: of some axes only between "
    "groups of elements (those that a\n"
    "  reshape joins, groups of a convolution, windows that do not meet), so the number of parts divides the number of "
    "groups.\n"
    "- *copies*: new axes of the result, along which all is the same.\n"
    "- *one of them*: no result has the axis; each element comes from the device that has it.\n"
    "- *sum*, *product*, *max*, *min*, *and*, *or*, *xor*: no result has the axis; what the devices get is joined so. "
    "*Without padding*: the number of\n"
    "  parts divides the extent.\n"
    "- *position*: elements that depend on where they are, and on nothing else along the axis.\n"
    "- *halo*: elements of neighbours are fetched.\n"
    "- *shares*: each device makes something small of its part, which all of them get.\n"
    "- *by what falls into the part*: each device does what its part of the operand or the update is concerned by.\n"
    "- *whole*: some axes are there as a whole on each device.\n"
    "\n"
    "All elementwise rows are parallel along all axes; scalars beside arrays are whole.\n"
    "\n"
    "| primitive | axes | cut |\n"
    "| --- | --- | --- |\n";

static void write_page(FILE *out)
{
    fputs(head, out);
    for (const kni_prim *const *p = kni_prims; *p; p++) {
        if ((*p)->bits & KN_ELEMENTWISE)
            continue;
        unsigned ways = ways_of(*p);
        const char *why = ways & ~(unsigned)WHOLE ? NULL : reason(*p), *tick = (*p)->factors ? "`" : "";
        fprintf(out, "| `%s` | %s%s%s | ", (*p)->name, tick, (*p)->factors ? (*p)->factors : "", tick);
        if (why)
            fputs(why, out);
        else
            words_of(ways, out);
        fputs(" |\n", out);
    }
}

bool cuts_page(const char *path)
{
    char *made = NULL, *read = NULL;
    size_t n = 0;
    FILE *text = open_memstream(&made, &n), *file;
    if (!text)
        return false;
    write_page(text);
    fclose(text);
    bool write = getenv("KILN_WRITE_PAGE") != NULL, same = false;
    if ((file = fopen(path, write ? "w" : "r")) && write) {
        same = fwrite(made, 1, n, file) == n;
    } else if (file && (read = calloc(1, n + 2))) {
        same = fread(read, 1, n + 1, file) == n && !memcmp(read, made, n);
    }
    if (file)
        fclose(file);
    if (!same)
        printf("%s is not what KILN_WRITE_PAGE=1 rules -s %s writes\n", path, path);
    free(made);
    free(read);
    return same;
}
