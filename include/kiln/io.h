/* SPDX-License-Identifier: Apache-2.0
 * kiln/io.h -- NumPy's files: npy and npz, texts, raw elements, and files as memory. A file is given by its path, or
 * as an open stream (.file, the path is NULL then), which is read and written from where it stands and goes on
 * behind what was used. What is written to a path is there as a whole or not at all: an older file stays until the
 * new one is complete (docs/files.md). */
/* Made by scripts/make-api.py from api/io.api. */
/* clang-format off */
#ifndef KILN_IO_H
#define KILN_IO_H
#include "kiln/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading. */
typedef struct kn_load_opts {
    size_t size_;
    const char *mmap_mode;   /* "r", "r+", "c": as memory, see kn_memmap */
    bool allow_pickle;       /* NotImplementedError */
    int64_t max_header_size; /* 10000: -1: no limit */
    int64_t offset;          /* where the array begins, of several that were appended */
    FILE *file;
} kn_load_opts;
KN_API kn_load_opts kn_load_opts_default(void);
/* np.load: the array of an npy file, or of an npz file with one array in it. From an open stream one array after the
 * other. FileError if there is no such file, ValueError if it is no such file */
KN_API kn_array kn_load(const char *path, const kn_load_opts *opts);
/* np.lib.npyio.NpzFile: the archive of an npz file; arrays are read when asked for. NULL with an error if it is none */
KN_API kn_archive kn_load_npz(const char *path);
/* the array of that name in an archive, z[name]; KeyError if it is not there */
KN_API kn_array kn_archive_get(kn_archive archive, const char *name);
KN_API int kn_archive_count(kn_archive archive); /* the number of arrays in an archive, len(z); -1 for an error */
/* the name of array i of an archive, z.files[i], as long as z lives; NULL if there is none */
KN_API const char *kn_archive_name(kn_archive archive, int i);

/* ---- Writing. It runs what is recorded; 0, or -1 with an error. As in NumPy the ending .npy or .npz is added if it
 * is missing. In C: kn_savez("a.npz", KN_NAMED("x", x), KN_NAMED("y", y)). A name that is NULL is arr_0, arr_1, ...,
 * by position. */
typedef struct kn_named { const char *name; kn_array array; } kn_named;
typedef struct kn_save_opts { size_t size_; FILE *file; } kn_save_opts; /* several arrays one after the other */
KN_API kn_save_opts kn_save_opts_default(void);
/* np.save: writes an array to an npy file, with its dtype and shape; from an open stream (.file) one array after the
 * other. 0, or -1 with an error */
KN_API int kn_save(const char *path, kn_array x, const kn_save_opts *opts);
/* np.savez: writes named arrays to one npz file; 0, or -1 with an error */
KN_API int kn_savez(const char *path, int n, const kn_named *arrays);
/* np.savez_compressed: writes named arrays to one npz file, compressed; NotImplementedError without zlib */
KN_API int kn_savez_compressed(const char *path, int n, const kn_named *arrays);
/* writes the leaves of a tree to an npz file, named by their paths: net/first/w1, layers/0. 0, or -1 with an error */
KN_API int kn_save_tree(const char *path, kn_tree tree);
/* the arrays of a file that kn_save_tree wrote, in the structure of `like`; NULL with KeyError if one is missing, or
 * ValueError if one has another shape than in `like`. Dtypes are the file's. */
KN_API kn_tree kn_load_tree(const char *path, kn_tree like);

/* ---- Texts. A text to read is a file (.gz through zlib), an open stream, or .text, which ends with NUL. */
/* KN_TEXTS("#", "//"), as KN_INTS(0, -1) is for integers. */
typedef struct kn_text_list { int n; const char *const *v; } kn_text_list;
/* Reads a field, `length` bytes and a NUL, into an element of the array's dtype; false: it is none (ValueError). */
typedef bool (*kn_converter)(void *env, const char *field, size_t length, void *element);
/* Of one column: its own converter; for kn_genfromtxt also texts that are no value, with commas between them, and what
 * stands for them. KN_TEXT_COLUMNS({.column = 2, .convert = f}). */
typedef struct kn_text_column {
    int64_t column; kn_converter convert; void *env; const char *missing_values; kn_array filling_value;
} kn_text_column;
typedef struct kn_text_columns { int n; const kn_text_column *v; } kn_text_columns;
typedef struct kn_loadtxt_opts {
    size_t size_;
    kn_dtype dtype;                       /* the context's default float */
    const char *comments;                 /* "#": NULL: none */
    const char *delimiter;                /* NULL, white space: one character */
    kn_converter converter;               /* for all columns */
    void *env;                            /* of it */
    const kn_text_columns *converters;    /* for some */
    int64_t skiprows;
    const kn_int_list *usecols;           /* negative ones count from the last column */
    bool unpack;
    int ndmin;
    const char *encoding;                 /* NULL, "utf-8"; or "utf-8-sig", "ascii", "latin1" */
    int64_t max_rows;                     /* -1: all */
    const char *quotechar;                /* one character */
    const kn_text_list *several_comments; /* instead of `comments` */
    const char *text;
    FILE *file;
} kn_loadtxt_opts;
KN_API kn_loadtxt_opts kn_loadtxt_opts_default(void);
/* np.loadtxt: the numbers of a text in rows, a matrix (one row or column: a vector); ValueError in NumPy's words,
 * with row and column, for what is none */
KN_API kn_array kn_loadtxt(const char *fname, const kn_loadtxt_opts *opts);
typedef struct kn_genfromtxt_opts {
    size_t size_;
    kn_dtype dtype;                 /* the context's default float */
    bool detect;                    /* NumPy's dtype=None: bool, int64, float64 or complex128, by what is there */
    const char *comments;           /* "#": of any length; NULL: none */
    const char *delimiter;          /* NULL, white space: of any length */
    const kn_int_list *widths;      /* instead of a delimiter: of all fields, or of each; in characters */
    int64_t skip_header;
    int64_t skip_footer;
    const kn_text_columns *columns; /* converters, missing and filling values of columns */
    const char *missing_values;     /* texts with commas between them, of all columns */
    kn_array filling_values;        /* a number, or one for each of the first columns */
    const kn_int_list *usecols;     /* negative ones count from the last column */
    const char *names;              /* NotImplementedError, as all of the next five and usemask */
    const char *excludelist;
    const char *deletechars;
    const char *replace_space;
    const char *case_sensitive;
    const char *defaultfmt;
    bool usemask;
    bool autostrip;
    bool unpack;
    bool loose;                     /* true: what is no value is as if it were missing */
    /* true: lines with other numbers of columns are a ValueError; false: they are left out */
    bool invalid_raise;
    int64_t max_rows;               /* -1: all */
    const char *encoding;           /* NULL, "utf-8"; or "utf-8-sig", "ascii", "latin1" */
    int ndmin;
    const char *text;
    FILE *file;
} kn_genfromtxt_opts;
KN_API kn_genfromtxt_opts kn_genfromtxt_opts_default(void);
/* np.genfromtxt: the numbers of a text in rows, of which some are missing: NaN (-1 of integers), or the filling
 * values. A converter that says false leaves its column's filling value */
KN_API kn_array kn_genfromtxt(const char *fname, const kn_genfromtxt_opts *opts);
typedef struct kn_savetxt_opts {
    size_t size_;
    const char *fmt;          /* "%.18e": for each number, or for a row */
    const char *delimiter;    /* " " */
    const char *newline;      /* "\n" */
    const char *header;       /* "" */
    const char *footer;       /* "" */
    const char *comments;     /* "# " */
    const char *encoding;     /* NULL, "utf-8"; or "ascii", "latin1" */
    const kn_text_list *fmts; /* one for each column */
    FILE *file;
} kn_savetxt_opts;
KN_API kn_savetxt_opts kn_savetxt_opts_default(void);
/* np.savetxt: writes the rows of a vector or a matrix as text, in Python's % formats; through gzip where fname ends
 * in .gz. 0, or -1 with an error */
KN_API int kn_savetxt(const char *fname, kn_array X, const kn_savetxt_opts *opts);

/* ---- Raw elements, without a header. */
typedef struct kn_fromfile_opts {
    size_t size_;
    kn_dtype dtype;  /* the context's default float */
    int64_t count;   /* -1: all there are */
    const char *sep; /* "": between texts; empty: bytes */
    int64_t offset;  /* bytes to leave out */
    FILE *file;
} kn_fromfile_opts;
KN_API kn_fromfile_opts kn_fromfile_opts_default(void);
/* np.fromfile: the raw elements of a file, a vector: as many as there are, if they are fewer than count; native byte
 * order */
KN_API kn_array kn_fromfile(const char *fname, const kn_fromfile_opts *opts);
typedef struct kn_tofile_opts {
    size_t size_;
    const char *sep;    /* "": between texts; empty: bytes */
    const char *format; /* "%s": of an element as Python has it */
    FILE *file;
} kn_tofile_opts;
KN_API kn_tofile_opts kn_tofile_opts_default(void);
/* np.ndarray.tofile: writes the elements, without shape and dtype, in C order to a file, as bytes or as texts with a
 * separator; 0, or -1 with an error */
KN_API int kn_tofile(kn_array x, const char *fname, const kn_tofile_opts *opts);
typedef struct kn_tobytes_opts { size_t size_; const char *order; } kn_tobytes_opts; /* NULL, "C"; or "F", "A" */
KN_API kn_tobytes_opts kn_tobytes_opts_default(void);
/* np.ndarray.tobytes: writes the bytes of the elements to memory with room for so many, or nowhere (NULL and 0);
 * returns how many they are. ValueError for too little room */
KN_API int64_t kn_tobytes(kn_array x, void *to, size_t bytes, const kn_tobytes_opts *opts);

/* ---- Files as memory (POSIX; NotImplementedError elsewhere). What is written to the array, or through a view of
 * it, is in the file after kn_memmap_flush, and at the latest when the last array of that memory dies. A file that
 * others make shorter meanwhile ends the program where the array is read (SIGBUS), as with NumPy. */
typedef struct kn_memmap_opts {
    size_t size_;
    kn_dtype dtype;        /* NULL, uint8 */
    const char *mode;      /* NULL, "r+"; or "r", "w+", "c", "readonly", "readwrite", "write", "copyonwrite" */
    int64_t offset;        /* bytes; a multiple of the dtype's alignment */
    const kn_shape *shape; /* all there are, in one axis */
    const char *order;     /* NULL, "C"; or "F" */
} kn_memmap_opts;
KN_API kn_memmap_opts kn_memmap_opts_default(void);
/* np.memmap: an array whose elements are the bytes of a file; the file grows to what the shape needs with "r+" and
 * "w+"; writes are a ValueError with "r", and stay in memory with "c" */
KN_API kn_array kn_memmap(const char *filename, const kn_memmap_opts *opts);
/* np.memmap.flush: puts what was written to an array of kn_memmap, or through a view of it, into its file: 0, or -1
 * with an error; TypeError if x is no such array or view */
KN_API int kn_memmap_flush(kn_array x);
/* np.memmap.filename: the absolute path of the file that x lies in, as long as an array of that memory lives; NULL
 * for other arrays */
KN_API const char *kn_memmap_filename(kn_array x);
/* np.memmap.offset: where in its file an array of kn_memmap begins, in bytes; -1 for other arrays */
KN_API int64_t kn_memmap_offset(kn_array x);
/* np.memmap.mode: how the file of an array of kn_memmap was opened: "r", "r+", "w+" or "c"; NULL for other arrays */
KN_API const char *kn_memmap_mode(kn_array x);

/* ---- The parts of npy files in open streams: numpy.lib.format. */
#define KN_FORMAT_MAGIC_PREFIX "\x93NUMPY"
enum { KN_FORMAT_MAGIC_LEN = 8, KN_FORMAT_ARRAY_ALIGN = 64, KN_FORMAT_GROWTH_AXIS_MAX_DIGITS = 21 };
/* What a header says; dtype is NULL after an error. swapped: the elements have not the machine's byte order. */
typedef struct kn_npy_header { kn_dtype dtype; kn_shape shape; bool fortran_order, swapped; } kn_npy_header;
/* np.lib.format.magic: the 8 bytes that begin an npy file of a version, as uint8. ValueError for numbers that are no
 * bytes */
KN_API kn_array kn_format_magic(int major, int minor);
/* np.lib.format.dtype_to_descr: how an npy header names a dtype, as "<f8"; NULL for an error */
KN_API const char *kn_format_dtype_to_descr(kn_dtype dtype);
/* np.lib.format.descr_to_dtype: the dtype that an npy header names; NotImplementedError for byte-swapped ones; NULL
 * for an error */
KN_API kn_dtype kn_format_descr_to_dtype(const char *descr);
/* np.lib.format.header_data_from_array_1_0: what the header of an npy file says of an array: its dtype, shape and
 * order */
KN_API kn_npy_header kn_format_header_data_from_array_1_0(kn_array array);
/* np.lib.format.read_magic: reads the first 8 bytes of an npy file: the version; 0, or -1 with a ValueError if it is
 * none */
KN_API int kn_format_read_magic(FILE *fp, int *major, int *minor);
typedef struct kn_format_read_opts {
    size_t size_;
    int64_t max_header_size; /* 10000: -1: no limit */
} kn_format_read_opts;
KN_API kn_format_read_opts kn_format_read_opts_default(void);
/* np.lib.format.read_array_header_1_0: reads the header of an npy file of version 1.0, behind kn_format_read_magic;
 * its elements follow. .dtype is NULL after an error */
KN_API kn_npy_header kn_format_read_array_header_1_0(FILE *fp, const kn_format_read_opts *opts);
/* np.lib.format.read_array_header_2_0: reads the header of an npy file of version 2.0, which may be longer than
 * 65,535 bytes, behind kn_format_read_magic */
KN_API kn_npy_header kn_format_read_array_header_2_0(FILE *fp, const kn_format_read_opts *opts);
/* np.lib.format.write_array_header_1_0: writes the beginning of an npy file of version 1.0, the magic bytes and the
 * header; the elements go behind it. 0, or -1 with an error */
KN_API int kn_format_write_array_header_1_0(FILE *fp, const kn_npy_header *d);
/* np.lib.format.write_array_header_2_0: writes the beginning of an npy file of version 2.0, as
 * kn_format_write_array_header_1_0 */
KN_API int kn_format_write_array_header_2_0(FILE *fp, const kn_npy_header *d);
/* np.lib.format.read_array: reads an array, header and elements, from an open stream, which stands behind it
 * afterwards */
KN_API kn_array kn_format_read_array(FILE *fp, const kn_format_read_opts *opts);
typedef struct kn_format_write_array_opts {
    size_t size_;
    int version;  /* the oldest that can hold it; or 1, 2, 3 */
} kn_format_write_array_opts;
KN_API kn_format_write_array_opts kn_format_write_array_opts_default(void);
/* np.lib.format.write_array: writes an array, header and elements, to an open stream; 0, or -1 with an error */
KN_API int kn_format_write_array(FILE *fp, kn_array array, const kn_format_write_array_opts *opts);
typedef struct kn_format_open_memmap_opts {
    size_t size_;
    const char *mode;        /* NULL, "r+"; or "r", "w+", "c" */
    kn_dtype dtype;          /* of a new file; the context's default float */
    const kn_shape *shape;   /* of a new file */
    bool fortran_order;      /* of a new file */
    int64_t max_header_size; /* 10000: -1: no limit */
} kn_format_open_memmap_opts;
KN_API kn_format_open_memmap_opts kn_format_open_memmap_opts_default(void);
/* np.lib.format.open_memmap: an npy file as memory, as kn_memmap: its header says dtype and shape; "w+" makes a new
 * file */
KN_API kn_array kn_format_open_memmap(const char *filename, const kn_format_open_memmap_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define KN_INTS(...)                                                                                                   \
    (&(const kn_int_list){sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__}})
#define KN_TEXTS(...)                                                                                                  \
    (&(const kn_text_list){sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),                                \
                           (const char *const[]){__VA_ARGS__}})
#define KN_TEXT_COLUMNS(...)                                                                                           \
    (&(const kn_text_columns){sizeof((const kn_text_column[]){__VA_ARGS__}) / sizeof(kn_text_column),                  \
                              (const kn_text_column[]){__VA_ARGS__}})
/* Up to 32 arrays. */
#define KN_NAMED(name, x) KN_NAMED_(__COUNTER__, name, x)
#define KN_NAMED_(c, text, x)                                                                                          \
    __extension__({ const char *const KN_V(1, c) = (text); kn_array KN_V(2, c) = KN_LIKE(x);                           \
        (kn_named){KN_V(1, c), KN_V(2, c)}; })
#define KN_NAMED_PUT_(c, named) KN_V(vec, c)[KN_V(cnt, c)++] = (named);
#define KN_SAVEZ_(c, f, count, path, ...)                                                                              \
    __extension__({ const char *const KN_V(1, c) = (path); kn_named KN_V(vec, c)[(count) + 1]; int KN_V(cnt, c) = 0;   \
        KN_EACH(KN_NAMED_PUT_, c, __VA_ARGS__) KN_HERE(); (f)(KN_V(1, c), KN_V(cnt, c), KN_V(vec, c)); })
#define kn_savez(path, ...) KN_SAVEZ_(__COUNTER__, kn_savez, KN_COUNT(__VA_ARGS__), path, __VA_ARGS__)
#define kn_savez_compressed(path, ...)                                                                                 \
    KN_SAVEZ_(__COUNTER__, kn_savez_compressed, KN_COUNT(__VA_ARGS__), path, __VA_ARGS__)
#define kn_load(path, ...) KN_G1O(kn_load, kn_load_opts, (.max_header_size = 10000, ), const char *, path, __VA_ARGS__)
#define kn_load_npz(path) KN_G1(kn_load_npz, const char *, path)
#define kn_archive_get(archive, name) KN_G2(kn_archive_get, kn_archive, archive, const char *, name)
#define kn_archive_name(archive, i) KN_G2(kn_archive_name, kn_archive, archive, int, i)
#define kn_save(path, x, ...) KN_SAVE_(__COUNTER__, path, x, __VA_ARGS__)
#define KN_SAVE_(c, path, x, ...)                                                                                      \
    __extension__({ KN_TAKE(const char *, 1, c, path) kn_array KN_V(2, c) = KN_LIKE(x); KN_OPTS(c, kn_save_opts, (),   \
    __VA_ARGS__) KN_HERE(); (kn_save)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_save_tree(path, tree) KN_G2(kn_save_tree, const char *, path, kn_tree, tree)
#define kn_load_tree(path, like) KN_G2(kn_load_tree, const char *, path, kn_tree, like)
#define kn_loadtxt(fname, ...)                                                                                         \
    KN_G1O(kn_loadtxt, kn_loadtxt_opts, (.comments = "#", .max_rows = -1, ), const char *, fname, __VA_ARGS__)
#define kn_genfromtxt(fname, ...)                                                                                      \
    KN_G1O(kn_genfromtxt, kn_genfromtxt_opts, (.comments = "#", .loose = true, .invalid_raise = true, .max_rows = -1,  \
    ), const char *, fname, __VA_ARGS__)
#define kn_savetxt(fname, X, ...) KN_SAVETXT_(__COUNTER__, fname, X, __VA_ARGS__)
#define KN_SAVETXT_(c, fname, X, ...)                                                                                  \
    __extension__({ KN_TAKE(const char *, 1, c, fname) kn_array KN_V(2, c) = KN_LIKE(X); KN_OPTS(c, kn_savetxt_opts,   \
    (.fmt = "%.18e", .delimiter = " ", .newline = "\n", .header = "", .footer = "", .comments = "# ", ), __VA_ARGS__)  \
    KN_HERE(); (kn_savetxt)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_fromfile(fname, ...)                                                                                        \
    KN_G1O(kn_fromfile, kn_fromfile_opts, (.count = -1, .sep = "", ), const char *, fname, __VA_ARGS__)
#define kn_tofile(x, fname, ...)                                                                                       \
    KN_H1O(kn_tofile, kn_tofile_opts, (.sep = "", .format = "%s", ), x, const char *, fname, __VA_ARGS__)
#define kn_tobytes(x, to, bytes, ...) KN_TOBYTES_(__COUNTER__, x, to, bytes, __VA_ARGS__)
#define KN_TOBYTES_(c, x, to, bytes, ...)                                                                              \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(x); KN_TAKE(void *, 2, c, to) KN_TAKE(size_t, 3, c, bytes)           \
    KN_OPTS(c, kn_tobytes_opts, (), __VA_ARGS__) KN_HERE(); (kn_tobytes)(KN_V(1, c), KN_V(2, c), KN_V(3, c),           \
    KN_V(opt, c)); })
#define kn_memmap(filename, ...) KN_G1O(kn_memmap, kn_memmap_opts, (), const char *, filename, __VA_ARGS__)
#define kn_memmap_flush(x) KN_F1(kn_memmap_flush, x)
#define kn_memmap_filename(x) KN_F1(kn_memmap_filename, x)
#define kn_memmap_offset(x) KN_F1(kn_memmap_offset, x)
#define kn_memmap_mode(x) KN_F1(kn_memmap_mode, x)
#define kn_format_magic(major, minor) KN_G2(kn_format_magic, int, major, int, minor)
#define kn_format_dtype_to_descr(dtype) KN_G1(kn_format_dtype_to_descr, kn_dtype, dtype)
#define kn_format_descr_to_dtype(descr) KN_G1(kn_format_descr_to_dtype, const char *, descr)
#define kn_format_header_data_from_array_1_0(array) KN_F1(kn_format_header_data_from_array_1_0, array)
#define kn_format_read_magic(fp, major, minor) KN_FORMAT_READ_MAGIC_(__COUNTER__, fp, major, minor)
#define KN_FORMAT_READ_MAGIC_(c, fp, major, minor)                                                                     \
    __extension__({ KN_TAKE(FILE *, 1, c, fp) KN_TAKE(int *, 2, c, major) KN_TAKE(int *, 3, c, minor) KN_HERE();       \
    (kn_format_read_magic)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_format_read_array_header_1_0(fp, ...)                                                                       \
    KN_G1O(kn_format_read_array_header_1_0, kn_format_read_opts, (.max_header_size = 10000, ), FILE *, fp,             \
    __VA_ARGS__)
#define kn_format_read_array_header_2_0(fp, ...)                                                                       \
    KN_G1O(kn_format_read_array_header_2_0, kn_format_read_opts, (.max_header_size = 10000, ), FILE *, fp,             \
    __VA_ARGS__)
#define kn_format_write_array_header_1_0(fp, d)                                                                        \
    KN_G2(kn_format_write_array_header_1_0, FILE *, fp, const kn_npy_header *, d)
#define kn_format_write_array_header_2_0(fp, d)                                                                        \
    KN_G2(kn_format_write_array_header_2_0, FILE *, fp, const kn_npy_header *, d)
#define kn_format_read_array(fp, ...)                                                                                  \
    KN_G1O(kn_format_read_array, kn_format_read_opts, (.max_header_size = 10000, ), FILE *, fp, __VA_ARGS__)
#define kn_format_write_array(fp, array, ...) KN_FORMAT_WRITE_ARRAY_(__COUNTER__, fp, array, __VA_ARGS__)
#define KN_FORMAT_WRITE_ARRAY_(c, fp, array, ...)                                                                      \
    __extension__({ KN_TAKE(FILE *, 1, c, fp) kn_array KN_V(2, c) = KN_LIKE(array); KN_OPTS(c,                         \
    kn_format_write_array_opts, (), __VA_ARGS__) KN_HERE(); (kn_format_write_array)(KN_V(1, c), KN_V(2, c),            \
    KN_V(opt, c)); })
#define kn_format_open_memmap(filename, ...)                                                                           \
    KN_G1O(kn_format_open_memmap, kn_format_open_memmap_opts, (.max_header_size = 10000, ), const char *, filename,    \
    __VA_ARGS__)
#endif
#endif
