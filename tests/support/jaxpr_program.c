/* SPDX-License-Identifier: Apache-2.0
 * jaxpr_program.c -- reading programs, and their functions as C functions that Kiln records. */
#include "support/jaxpr_program.h"
#include "support/expect.h"
#include <stdlib.h>

static kn_dtype dtype_of(const char *s)
{
    static const struct {
        const char *name;
        const char *full;
    } names[] = {{"f16", "float16"},   {"f32", "float32"},    {"f64", "float64"}, {"i32", "int32"},
                 {"i64", "int64"},     {"u8", "uint8"},       {"u32", "uint32"},  {"bool", "bool"},
                 {"c64", "complex64"}, {"c128", "complex128"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(s, names[i].name, strlen(names[i].name)))
            return kn_dtype_named(names[i].full);
    fail_msg("the dtype %s is not known", s);
    return NULL;
}

static program_operand operand_of(const char *s)
{
    program_operand o = {.var = -1};
    if (*s == 'v') {
        o.var = atoi(s + 1);
        return o;
    }
    s++;
    o.is_bool = *s == 'T' || *s == 'F';
    o.is_integer = !strpbrk(s, ".e");
    o.number = o.is_bool ? *s == 'T' : atof(s);
    return o;
}

static void read_list(const char *s, program_line *l)
{
    int k = l->n_list++;
    for (s++; *s && *s != ']'; s += *s == ',') {
        char *end;
        l->list[k].v[l->list[k].n++] = strtoll(s, &end, 10);
        s = end;
    }
}

static void read_line(program_line *l, char *text)
{
    bool behind = false, named = false;
    for (char *save, *word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
        if (!strcmp(word, "="))
            behind = true;
        else if (!behind)
            l->out[l->n_out++] = atoi(word + 1);
        else if (!named)
            snprintf(l->op, sizeof l->op, "%s", word), named = true;
        else if (*word == '@')
            l->fn[l->n_fn++] = atoi(word + 1);
        else if (*word == '[')
            read_list(word, l);
        else if (*word == ':')
            l->dtype = dtype_of(word + 1);
        else
            l->in[l->n_in++] = operand_of(word);
    }
}

static void read_parameter(program *p, program_function *f, const char *word)
{
    const char *type = strchr(word, ':');
    f->in[f->n_in++] = atoi(word + 1);
    if (!type)
        return;
    p->arg[p->n_arg].dtype = dtype_of(type + 1);
    kn_shape *shape = &p->arg[p->n_arg++].shape;
    for (const char *s = strchr(type, '[') + 1; *s && *s != ']'; s += *s == ',') {
        char *end;
        shape->dim[shape->ndim++] = strtoll(s, &end, 10);
        s = end;
    }
}

static program_function *read_head(program *p, char *text)
{
    char *save, *word = strtok_r(text + 3, " \n", &save);
    program_function *f = &p->fn[atoi(word)];
    snprintf(f->name, sizeof f->name, "f%d", atoi(word));
    while ((word = strtok_r(NULL, " \n", &save)))
        read_parameter(p, f, word);
    return f;
}

static void read_results(program_function *f, char *text)
{
    char *save;
    strtok_r(text, " \n", &save);
    for (char *word; (word = strtok_r(NULL, " \n", &save));)
        f->out[f->n_out++] = operand_of(word);
}

bool program_read(FILE *file, program *p)
{
    static char line[1 << 12];
    program_function *f = NULL;
    bool text = false;
    memset(p, 0, sizeof *p);
    while (fgets(line, sizeof line, file) && strncmp(line, "== ", 3)) {}
    if (feof(file) || sscanf(line, "== %d %15s", &p->number, p->kind) != 2)
        return false;
    while (fgets(line, sizeof line, file) && *line != '\n') {
        if (text)
            strncat(p->text, line, sizeof p->text - 1 - strlen(p->text));
        else if (!strcmp(line, "--\n"))
            text = true;
        else if (!strncmp(line, "fn ", 3))
            f = read_head(p, line);
        else if (!strncmp(line, "ret", 3))
            read_results(f, line);
        else
            read_line(&f->line[f->n_line++], line);
    }
    if (*p->text)
        p->text[strlen(p->text) - 1] = '\0';
    return true;
}

/* ---- Functions. */

typedef struct which {
    program *p;
    int k, number;
} which;

kn_array program_value(program *p, const program_operand *o)
{
    if (o->var >= 0)
        return p->var[o->var];
    return o->is_bool      ? (o->number != 0 ? KN_TRUE : KN_FALSE)
           : o->is_integer ? kn_num((int64_t)o->number)
                           : kn_num(o->number);
}

void program_run(program *p, int k, const void *const *in, kn_array *out)
{
    const program_function *f = &p->fn[k];
    for (int i = 0; i < f->n_in; i++)
        p->var[f->in[i]] = *(const kn_array *)in[i];
    for (int i = 0; i < f->n_line; i++)
        program_step(p, &f->line[i]);
    for (int i = 0; i < f->n_out; i++)
        out[i] = program_value(p, &f->out[i]);
}

static void call(const void *env, void *out, const void *const *in)
{
    const which *w = env;
    program_run(w->p, w->k, in, out);
}

kn_fn program_fn(program *p, int k)
{
    program_function *f = &p->fn[k];
    f->c = (kn_function){.size_ = sizeof f->c,
                         .name = f->name,
                         .call = call,
                         .env_bytes = sizeof(which),
                         .out_bytes = (size_t)f->n_out * sizeof(kn_array),
                         .n_args = f->n_in};
    for (int i = 0; i < f->n_in; i++)
        f->c.arg_bytes[i] = sizeof(kn_array);
    return kn_fn_of(&f->c, &(which){p, k, p->number});
}
