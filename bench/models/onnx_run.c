/* SPDX-License-Identifier: Apache-2.0
 * onnx_run.c -- runs a model again and again for whoever measures it: bench/models/onnx.py, which runs onnxruntime by turns with it.
 * usage: onnx_run MODEL.onnx INPUTS.npz THREADS     then lines on its input: "save OUT.npz", or a number of runs, each answered by a line */
#include <kiln/kiln.h>
#include <kiln/models.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static kn_tree read_inputs(const char *path)
{
    kn_archive a = kn_load_npz(path);
    int n = a ? kn_archive_count(a) : 0;
    kn_tree_item *item = calloc((size_t)n + 1, sizeof *item);
    for (int i = 0; i < n; i++)
        item[i] = (kn_tree_item){kn_archive_name(a, i), kn_tree_leaf(kn_archive_get(a, kn_archive_name(a, i)))};
    kn_tree t = a ? (kn_tree_dict)(n, item) : NULL;
    free(item);
    return t;
}

static int run(kn_onnx model, kn_tree inputs, const char *save)
{
    KN_SCOPE;
    kn_tree out = kn_onnx_run(model, inputs);
    for (int i = 0; out && i < kn_tree_count(out); i++)
        kn_eval(kn_tree_get(out, i));
    if (out && save)
        kn_save_tree(save, out);
    if (!out || kn_error_pending())
        printf("error: %s\n", kn_error_message());
    return out && !kn_error_pending() ? 0 : -1;
}

int main(int argc, char **argv)
{
    KN_SCOPE;
    char line[4096];
    if (argc != 4)
        return fprintf(stderr, "usage: onnx_run MODEL.onnx INPUTS.npz THREADS\n"), 2;
    kn_set_threads(atoi(argv[3]));
    double begin = now();
    kn_onnx model = kn_onnx_load(argv[1]);
    kn_tree inputs = model ? read_inputs(argv[2]) : NULL;
    if (!inputs)
        return printf("error: %s\n", kn_error_message()), 1;
    double loaded = now();
    if (run(model, inputs, NULL))
        return 1;
    printf("ready %.6f %.6f\n", loaded - begin, now() - loaded);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, "save ", 5)) {
            if (run(model, inputs, line + 5))
                return 1;
            printf("saved\n");
        } else {
            double least = 1e9, all = now();
            int n = atoi(line);
            for (int i = 0; i < n; i++) {
                double t = now();
                if (run(model, inputs, NULL))
                    return 1;
                t = now() - t;
                least = t < least ? t : least;
            }
            printf("%.9f %.9f\n", least, (now() - all) / (n ? n : 1));
        }
        fflush(stdout);
    }
    return 0;
}
