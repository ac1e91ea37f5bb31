/* SPDX-License-Identifier: Apache-2.0
 * dump.c -- kernels and launches as files. */
#include "host/dump.h"
#include "base/log.h"
#include "base/str.h"
#include "kernel/internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_row(knx_str *t, const char *name, int number, const int64_t *v, int n)
{
    knx_str_printf(t, "%s", name);
    if (number >= 0)
        knx_str_printf(t, " %d", number);
    for (int i = 0; i < n; i++)
        knx_str_printf(t, " %" PRId64, v[i]);
    knx_str_printf(t, "\n");
}

knx_error *knh_dump_text(const knk_kernel *k, const knk_launch *l, char **out)
{
    char *kernel = NULL;
    knx_str t = {0};
    *out = NULL;
    KN_TRY(knk_text(k, &kernel));
    knx_str_add(&t, kernel, strlen(kernel));
    knx_free(kernel);
    knx_str_printf(&t, "launch\n");
    add_row(&t, "par", -1, l->par, k->n_par);
    for (int s = 0; s < k->n_stage; s++)
        if (k->stage[s].n_inner + k->stage[s].n_loop)
            add_row(&t, "inner", s, l->inner[s], k->stage[s].n_inner + k->stage[s].n_loop);
    for (int m = 0; m < k->n_map; m++) {
        int64_t row[KNK_MAX_LOOPS + 1] = {l->map[m].offset};
        int loops = knk_map_loops(k, m);
        for (int d = 0; d < loops; d++)
            row[1 + d] = l->map[m].stride[d];
        add_row(&t, "map", m, row, 1 + loops);
    }
    for (int b = 0; b < k->n_buffer; b++)
        for (int a = 0; a < b; a++)
            if (l->buffer[a] == l->buffer[b]) {
                knx_str_printf(&t, "alias %d %d\n", b, a);
                break;
            }
    if (t.failed) {
        knx_free(t.s);
        return knx_error_nomem();
    }
    *out = t.s;
    return NULL;
}

static void write_new(const char *path, const knk_kernel *k, const knk_launch *l)
{
    char *text = NULL;
    FILE *f = fopen(path, "wx"); /* only if it does not exist */
    if (!f)
        return;
    knx_error *e = knh_dump_text(k, l, &text);
    if (!e)
        fputs(text, f);
    knx_error_release(e);
    knx_free(text);
    fclose(f);
}

atomic_int knh_dumps = -1;

void knh_dump_new(const knk_kernel *k, const knk_launch *l)
{
    static _Atomic uint64_t seen[1 << 14]; /* by hash; a collision only asks the file system again */
    char path[4200];
    if (knh_dumps < 0)
        knh_dumps = knx_env()->dump_kernels != NULL;
    if (!knh_dumps)
        return;
    _Atomic uint64_t *place = &seen[k->hash % (sizeof seen / sizeof *seen)];
    if (*place == k->hash)
        return;
    *place = k->hash;
    snprintf(path, sizeof path, "%s/%016" PRIx64 ".kernel", knx_env()->dump_kernels, k->hash);
    write_new(path, k, l);
}
