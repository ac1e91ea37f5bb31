/* SPDX-License-Identifier: Apache-2.0
 * store.c -- programs as text files: lines of comment, an operand a line ("= f32[2,3] 0000803f...": its elements as bytes
 * of memory), then the jaxpr in full form. */
#include "programs.h"

#include <stdlib.h>
#include <string.h>

static void write_operands(const program *p, FILE *f)
{
    for (int i = 0; i < program_operands(p); i++) {
        knx_text text = {0};
        size_t bytes = kni_type_bytes(p->j->type[i]);
        fprintf(f, "= %s ", kni_type_text(&text, p->j->type[i], false));
        for (size_t k = 0; k < bytes; k++)
            fprintf(f, "%02x", ((const unsigned char *)p->x[i]->data)[k]);
        fputc('\n', f);
    }
}

bool program_write(const program *p, const char *why, const char *path)
{
    char *text = NULL;
    knx_error *e = kni_text(p->j, KN_FORM_FULL, &text);
    FILE *f = e ? NULL : fopen(path, "w");
    if (f) {
        fprintf(f, "# %s\n", why);
        write_operands(p, f);
        fprintf(f, "%s\n", text);
        fclose(f);
    }
    knx_error_release(e);
    knx_free(text);
    return f != NULL;
}

void program_print(const program *p)
{
    char *text = NULL;
    knx_error *e = kni_text(p->j, KN_FORM_TYPED, &text);
    size_t bytes = 0;
    for (int i = 0; i < program_operands(p); i++)
        bytes += kni_type_bytes(p->j->type[i]);
    if (text)
        printf("%s\n", text);
    if (bytes < 4000)
        write_operands(p, stdout);
    knx_error_release(e);
    knx_free(text);
}

static char *whole_file(const char *path)
{
    FILE *f = fopen(path, "r");
    size_t n = 0, room = 1 << 16;
    char *text = f ? malloc(room) : NULL;
    while (text && (n += fread(text + n, 1, room - n - 1, f)) == room - 1) {
        char *more = realloc(text, room *= 2);
        if (!more)
            free(text);
        text = more;
    }
    if (text)
        text[n] = 0;
    if (f)
        fclose(f);
    return text;
}

static bool read_bytes(const char *hex, knx_buffer *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned v;
        if (sscanf(hex + 2 * i, "%2x", &v) != 1)
            return false;
        ((unsigned char *)to->data)[i] = (unsigned char)v;
    }
    return true;
}

bool program_read(const char *path, program *p)
{
    char *text = whole_file(path), *line = text, *hex_of[MAX_VALUES];
    int n = 0;
    *p = (program){0};
    for (; line && (*line == '#' || *line == '='); line = strchr(line, '\n'), line += line != NULL)
        if (*line == '=' && n < MAX_VALUES)
            hex_of[n++] = line;
    knx_error *e = line ? kni_parse(line, &p->j) : NULL;
    if (e)
        fprintf(stderr, "%s: %s\n", path, e->message);
    bool fine = line && !e && program_operands(p) == n && (p->x = calloc((size_t)n + 1, sizeof *p->x));
    for (int i = 0; fine && i < n; i++) {
        size_t bytes = kni_type_bytes(p->j->type[i]);
        const char *hex = strchr(hex_of[i] + 2, ' ');
        p->x[i] = knx_buffer_new(bytes);
        fine = p->x[i] && hex && read_bytes(hex + 1, p->x[i], bytes);
    }
    knx_error_release(e);
    free(text);
    if (!fine)
        program_free(p);
    return fine;
}
