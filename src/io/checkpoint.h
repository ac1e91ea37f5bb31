/* SPDX-License-Identifier: Apache-2.0
 * checkpoint.h -- inside of checkpoints: what a manifest says (checkpoint_manifest.c, as JSON), and folders that take
 * another one's place (checkpoint_folder.c). docs/files.md has the format. */
#ifndef KN_IO_CHECKPOINT_H
#define KN_IO_CHECKPOINT_H
#include "io/file.h"
#include "io/json.h"
#include "io/spread.h"
#include "tree/structure.h"

enum { KNIO_CHECKPOINT_VERSION = 1, KNIO_CHECKPOINT_ALIGN = 64 };

/* Elements of a leaf, in C order, and where they are. */
typedef struct knio_piece {
    int file;
    int ndim; /* of a manifest that was read */
    uint64_t at;
    const int64_t *start, *count; /* as many as the leaf has dimensions */
} knio_piece;

typedef struct knio_leaf {
    const char *path; /* "layers/0"; "": the tree is one leaf */
    kni_type type;
    const char *sharding; /* as it was, for readers; NULL: on the host */
    int n_piece;
    knio_piece *piece;
} knio_leaf;

typedef struct knio_manifest {
    knx_arena arena; /* of all that it points to */
    int n_file;      /* of process 0, 1, ...: part-00000.bin, part-00001.bin, ... */
    uint64_t *bytes; /* of each; 0: it is not there */
    int n_leaf;
    knio_leaf *leaf;
    kntree_structure *structure; /* a reference */
} knio_manifest;

void knio_manifest_free(knio_manifest *m); /* fine when zeroed */
void knio_manifest_text(knx_str *t, const knio_manifest *m);
knx_error *knio_manifest_write(const char *path, const knio_manifest *m);
/* ValueError with the path: it is none, or of another version, or does not agree with itself. */
knx_error *knio_manifest_parse(const char *text, size_t n, knio_manifest *m); /* without the path */
knx_error *knio_manifest_read(const char *path, knio_manifest *m);
/* Number of bytes of a piece. */
uint64_t knio_piece_bytes(const knio_leaf *l, const knio_piece *p);

/* ---- A tree that is to be written (checkpoint.c). Its arrays have been run, and are held. */

struct kntree_tree;
typedef struct knio_checkpoint knio_checkpoint;
/* *out is to be freed after an error, too; NULL: no memory. By the thread of the arrays' context, as is the freeing. */
knx_error *knio_checkpoint_new(struct kntree_tree *t, const kntree_structure *s, knio_checkpoint **out);
/* Another thread may write it: this process has all of it, in its own memory, which `freeze` makes stay as it is. */
bool knio_checkpoint_is_here(const knio_checkpoint *w);
knx_error *knio_checkpoint_freeze(knio_checkpoint *w);
/* Takes `e`, an error from before or NULL, and tells it to the other processes; w may be NULL then. */
knx_error *knio_checkpoint_write(const knio_checkpoint *w, knx_error *e, const char *path);
void knio_checkpoint_free(knio_checkpoint *w); /* NULL is fine */
knx_error *knio_checkpoint_together(knx_error *mine); /* all processes come here; an error of one of them */

/* ---- Checkpoints by their steps in one folder (checkpoint_steps.c). */

/* There is such a folder, without what a crash has left of checkpoints in it. */
knx_error *knio_steps_open(const char *folder);
/* The steps of which there are whole checkpoints, ascending; to be freed. */
knx_error *knio_steps_read(const char *folder, int64_t **step, size_t *n);
char *knio_step_path(const char *folder, int64_t step); /* NULL without memory */

/* ---- Folders. */

/* The path of a file in it, knx_alloc'ed: `ending` behind the folder's path (".new", "" or NULL), file NULL: the folder
 * itself. NULL without memory. */
char *knio_in_folder(const char *folder, const char *ending, const char *file);
void knio_part_name(char text[24], int process);
/* The path, or where it leads if it is a symbolic link, as the functions below want it; knx_alloc'ed, NULL without
 * memory. */
char *knio_folder_real(const char *path);
/* Where nothing but a checkpoint or an empty folder is, or nothing at all: an empty folder path.new. What a crash has
 * left goes away. */
knx_error *knio_folder_begin(const char *path);
/* path.new becomes `path`; the older one goes away. */
knx_error *knio_folder_commit(const char *path);
void knio_folder_drop(const char *path); /* path.new goes away */
/* A checkpoint goes away, at once for whoever looks for it: as path.gone, then its files. */
knx_error *knio_folder_remove(const char *path);
void knio_folder_clear(const char *path); /* what a crash has left of path.new, path.old and path.gone */
/* The folder to read from: `path`, or what a crash has left of it; knx_alloc'ed, NULL without memory. */
char *knio_folder_to_read(const char *path);
#endif
