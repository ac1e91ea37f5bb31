/* SPDX-License-Identifier: Apache-2.0
 * rows_files.c -- the calls of files.def. */
#define _DEFAULT_SOURCE /* mkstemps */
#include "coverage/coverage.h"
#include <stdlib.h>
#include <unistd.h>

static void scratch_name(char *path)
{
    strcpy(path, "/tmp/kiln-coverage-XXXXXX.npz");
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
}

/* What `make` gives, with a file at `path` that goes away. */
#define WITH_PATH(make)         \
    __extension__({             \
        char path[32];          \
        scratch_name(path);     \
        kn_array made = (make); \
        unlink(path);           \
        made;                   \
    })

#define WRITTEN(write)      WITH_PATH((write) ? NULL : kn_fromfile(path, .dtype = KN_U8))
#define READ(bytes, read)   WITH_PATH(kn_tofile(bytes, path) ? NULL : kn_copy(read))
#define THROUGH(save, load) WITH_PATH((save) ? NULL : kn_copy(load))
/* With an open file. */
#define WITH_FILE(write)                \
    __extension__({                     \
        FILE *file = fopen(path, "wb"); \
        int failed = (write);           \
        fclose(file);                   \
        failed;                         \
    })
/* What is read of a file behind what was written there. */
#define STREAM(write, read)                     \
    __extension__({                             \
        FILE *file = tmpfile();                 \
        int failed = (write);                   \
        rewind(file);                           \
        kn_array back = failed ? NULL : (read); \
        fclose(file);                           \
        back;                                   \
    })

#define VERSION(read)                            \
    __extension__({                              \
        int major = 0, minor = 0;                \
        int bad = (read);                        \
        kn_of(int64_t, bad ? -1 : major, minor); \
    })
#define HEADER(read)                                \
    __extension__({                                 \
        int major = 0, minor = 0;                   \
        kn_format_read_magic(file, &major, &minor); \
        EXTENTS((read).shape);                      \
    })
#define BYTES(write)                                                      \
    __extension__({                                                       \
        char bytes[96];                                                   \
        (write) == 96 ? kn_frombuffer(bytes, 96, .dtype = KN_F64) : NULL; \
    })

static kn_array change(kn_array m, kn_array value, const char *index)
{
    kn_set_at(m, value, index);
    return m;
}
#define CHANGE(map, value, index) change(map, kn_num(value), index)

#define TABLE                     "coverage/files.def"
#define NAME                      rows_files
#include "coverage/table.h"
