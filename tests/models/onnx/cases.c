/* SPDX-License-Identifier: Apache-2.0
 * cases.c -- ONNX's own backend test cases, which scripts/onnx-cases.py writes. Each runs in a process of its own.
 * usage: cases [--jit] [--quiet] FOLDER [PATTERN...]    folders of cases below FOLDER whose paths contain a pattern
 * --jit: as one compiled function, where the inputs are no strings; what it cannot do node by node either counts once.
 * */
#include "values.h"
#include "models/onnx/model.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PASSED, FAILED, REFUSED, LIMIT_S = 120 };

static bool jit;

static int say(const char *what, const char *text)
{
    printf("%s: %s\n", what, text);
    return FAILED;
}

static int run_jitted(kn_onnx model, knonnx_model *m, knonnx_run *run, const knonnx_value *in, knonnx_value *out)
{
    kn_tree_item *item = calloc((size_t)m->n_inputs + 1, sizeof *item);
    bool trees = true;
    for (int i = 0; i < m->n_inputs; i++)
        trees = trees && in[i].kind == KNONNX_TENSOR_VALUE;
    for (int i = 0; i < m->proto.graph->n_out; i++)
        trees = trees && (!m->proto.graph->out[i].type || m->proto.graph->out[i].type->kind == KN_ONNX_TENSOR);
    if (!trees) {
        free(item);
        return knonnx_run_model(run, in, NULL, out);
    }
    for (int i = 0; i < m->n_inputs; i++)
        item[i] = (kn_tree_item){m->input[i]->name, kn_tree_leaf(in[i].array)};
    kn_tree outputs = kn_onnx_run(model, kn_tree_dict(m->n_inputs, item));
    free(item);
    for (int i = 0; outputs && i < m->proto.graph->n_out; i++) {
        char path[400];
        snprintf(path, sizeof path, "['%s']", m->proto.graph->out[i].name);
        out[i] = knonnx_of_array(kn_tree_at(outputs, path));
    }
    return outputs ? 0 : -1;
}

static int run_set(const char *folder, kn_onnx handle, double rtol, double atol)
{
    char path[4200], text[600] = "";
    knonnx_model *m = knonnx_model_get("cases", handle);
    const knonnx_graph *g = m->proto.graph;
    knonnx_run run = {.operation = "onnx_run", .model = m};
    knonnx_value *in = calloc((size_t)m->n_inputs + 1, sizeof *in), *out = calloc((size_t)g->n_out + 1, sizeof *out);
    int status = PASSED;
    for (int i = 0; i < m->n_inputs; i++) {
        snprintf(path, sizeof path, "%s/input_%d.pb", folder, i);
        if (read_value(&run, m->input[i]->type, path, &in[i]))
            return say("input", kn_error_message());
    }
    if (jit ? run_jitted(handle, m, &run, in, out) : knonnx_run_model(&run, in, NULL, out)) {
        bool refused = kn_error_get_kind() == KN_ERROR_NOT_IMPLEMENTED;
        say("run", kn_error_message());
        return refused ? REFUSED : FAILED;
    }
    for (int i = 0; i < g->n_out && status == PASSED; i++) {
        knonnx_value wanted;
        snprintf(path, sizeof path, "%s/output_%d.pb", folder, i);
        if (access(path, R_OK))
            continue;
        if (read_value(&run, g->out[i].type, path, &wanted))
            return say("output", kn_error_message());
        if (!same_value(&out[i], &wanted, rtol, atol, text, sizeof text))
            status = say(g->out[i].name, text);
    }
    free(in);
    free(out);
    knmodels_arena_free(&run.arena);
    return status;
}

static int run_case(const char *folder)
{
    char path[4096];
    double rtol = 1e-3, atol = 1e-7;
    snprintf(path, sizeof path, "%s/tolerance", folder);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%lf %lf", &rtol, &atol) != 2)
        return say("tolerance", "is no two numbers");
    if (f)
        fclose(f);
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    kn_scope scope = kn_scope_begin();
    kn_onnx model = kn_onnx_load(path, NULL);
    if (!model) {
        bool refused = kn_error_get_kind() == KN_ERROR_NOT_IMPLEMENTED;
        say("load", kn_error_message());
        return refused ? REFUSED : FAILED;
    }
    int status = PASSED;
    for (int i = 0; status == PASSED; i++) {
        snprintf(path, sizeof path, "%s/test_data_set_%d", folder, i);
        if (access(path, R_OK))
            break;
        status = run_set(path, model, rtol, atol);
    }
    kn_scope_end(&scope);
    return status;
}

static int in_process(const char *folder, const char *name, bool quiet, bool *crashed)
{
    int fds[2], status;
    char text[1500];
    *crashed = false;
    if (pipe(fds))
        return FAILED;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        dup2(fds[1], 1);
        dup2(fds[1], 2);
        close(fds[0]);
        alarm(LIMIT_S);
        status = run_case(folder);
        fflush(stdout);
        _exit(status);
    }
    close(fds[1]);
    size_t n = 0;
    for (ssize_t got; n < sizeof text - 1 && (got = read(fds[0], text + n, sizeof text - 1 - n)) > 0;)
        n += (size_t)got;
    text[n] = '\0';
    close(fds[0]);
    waitpid(pid, &status, 0);
    *crashed = !WIFEXITED(status) || WEXITSTATUS(status) > REFUSED;
    int result = *crashed ? FAILED : WEXITSTATUS(status);
    if (*crashed)
        printf("%s: CRASHED (%d) %s\n", name, WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), text);
    else if (result != PASSED && !quiet)
        printf("%s: %s %s", name, result == REFUSED ? "refused" : "failed", n ? text : "\n");
    return result;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static size_t folders_of(const char *folder, char ***out)
{
    DIR *d = opendir(folder);
    size_t n = 0;
    *out = NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[4096];
        struct stat s;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.' || stat(path, &s) || !S_ISDIR(s.st_mode))
            continue;
        *out = realloc(*out, (n + 1) * sizeof **out);
        (*out)[n++] = strdup(path);
    }
    if (d)
        closedir(d);
    if (n)
        qsort(*out, n, sizeof **out, by_text);
    return n;
}

int main(int argc, char **argv)
{
    bool quiet = false;
    int at = 1, count[3] = {0, 0, 0}, crashes = 0;
    for (; at < argc && argv[at][0] == '-'; at++) {
        jit = jit || !strcmp(argv[at], "--jit");
        quiet = quiet || !strcmp(argv[at], "--quiet");
    }
    if (at >= argc)
        return fprintf(stderr, "usage: cases [--jit] [--quiet] FOLDER [PATTERN...]\n"), 2;
    char **kind, **name;
    size_t kinds = folders_of(argv[at], &kind);
    for (size_t k = 0; k < kinds; k++) {
        size_t n = folders_of(kind[k], &name);
        for (size_t i = 0; i < n; i++) {
            bool wanted = at + 1 == argc, crashed;
            for (int p = at + 1; p < argc; p++)
                wanted = wanted || strstr(name[i] + strlen(argv[at]), argv[p]);
            if (wanted) {
                count[in_process(name[i], name[i] + strlen(argv[at]) + 1, quiet, &crashed)]++;
                crashes += crashed;
            }
            free(name[i]);
        }
        free(name);
        free(kind[k]);
    }
    free(kind);
    printf("%d passed, %d failed (%d crashed), %d refused\n", count[PASSED], count[FAILED], crashes, count[REFUSED]);
    return count[FAILED] != 0;
}
