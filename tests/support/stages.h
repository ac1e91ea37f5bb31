/* SPDX-License-Identifier: Apache-2.0
 * stages.h -- random kernels with everything that a launch of them needs, and running their stage functions one by one,
 * in any of the modes, to be compared with the interpreter. */
#ifndef KN_TEST_STAGES_H
#define KN_TEST_STAGES_H
#include "host/stage/stage.h"

enum { SCENE_BUFFERS = 24, SCENE_MAPS = 48, SCENE_STAGES = 4, SCENE_LOOPS = 3, SCENE_TURNS = 12 };

/* A kernel over par[0] x par[1] points whose stages have at most one inner loop, and a launch of it. */
typedef struct scene {
    knk_builder *b;
    knk_kernel *k;
    knk_launch launch;
    int n_buffer, n_map, n_stage;
    void *buffer[SCENE_BUFFERS];
    size_t bytes[SCENE_BUFFERS];
    int dtype[SCENE_BUFFERS];
    int alias[SCENE_BUFFERS]; /* 1 + the buffer whose memory it is; 0: its own */
    knk_map_values map[SCENE_MAPS];
    int64_t stride[SCENE_MAPS][2 + SCENE_TURNS]; /* of par, then of the inner loop, or of the loops of the stage */
    int map_stage[SCENE_MAPS];
    int64_t par[2], inner[SCENE_STAGES], turns[SCENE_STAGES][SCENE_TURNS];
    int n_turns[SCENE_STAGES];
    const int64_t *inner_at[SCENE_STAGES];
    bool has_inner[SCENE_STAGES];
} scene;

void scene_begin(scene *s, int64_t rows, int64_t lanes);
void scene_stage(scene *s, int64_t inner); /* -1: no inner loop */
int scene_map(scene *s, int64_t offset, const int64_t *stride);
void scene_loop(scene *s, int64_t turns); /* begins a loop of the stage, which has no inner one */
int scene_loop_map(scene *s, int64_t offset, const int64_t *stride); /* par, then the loops that have begun */
int scene_buffer(scene *s, int dtype, bool written, int64_t elements, uint64_t *seed); /* random elements */
void scene_end(scene *s);                                                              /* finishes the kernel */
void scene_random(scene *s, uint64_t seed);
void scene_random_loops(scene *s, uint64_t seed); /* with loops, which end */
void scene_free(scene *s);

typedef struct scene_way { /* how a stage is run */
    knh_mode mode;
    bool swap;     /* the lanes of POINTS and COLUMNS run along par[0] */
    bool any;      /* all streams that may be are of class ANY */
    uint64_t seed; /* of the cuts of RUNS */
    bool nontemporal;
} scene_way;

/* Makes a stage function of a request. env: for the maker. NULL: the stage has none. */
typedef knh_function *scene_maker(void *env, const knh_request *r);
/* Runs the kernel through stage functions; false if one could not be made. buffer: instead of the launch's. */
bool scene_run(const scene *s, void *const *buffer, const scene_way *way, scene_maker *make, void *env);
/* Runs the kernel in both ways and fails the test if a written buffer differs. Returns false if nothing was compared. */
bool scene_check(const scene *s, const scene_way *way, scene_maker *make, void *env, const char *what);
#endif
