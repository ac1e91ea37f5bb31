/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/io.hpp -- the functions of kiln/io.h in C++. */
/* Made by scripts/make-api.py from api/io.api. */
/* clang-format off */
#ifndef KILN_CPP_IO_HPP
#define KILN_CPP_IO_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct load_opts {
    KILN_OPTION((::kiln::text), mmap_mode, {}) /* as memory, see kn_memmap */
    KILN_OPTION((bool), allow_pickle, {}) /* NotImplementedError */
    KILN_OPTION((int64_t), max_header_size, 10000) /* -1: no limit */
    KILN_OPTION((int64_t), offset, {}) /* where the array begins, of several that were appended */
    KILN_OPTION((FILE *), file, {})
    kn_load_opts c() const {
        kn_load_opts to_ = {}; to_.size_ = sizeof to_; to_.mmap_mode = detail::c_of(mmap_mode);
        to_.allow_pickle = detail::c_of(allow_pickle); to_.max_header_size = detail::c_of(max_header_size);
        to_.offset = detail::c_of(offset); to_.file = detail::c_of(file); return to_; }
};
/* np.load: the array of an npy file, or of an npz file with one array in it. From an open stream one array after the
 * other. FileError if there is no such file, ValueError if it is no such file */
inline array load(const ::kiln::text &path, const ::kiln::load_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_load_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_load(path.c(),
    &opts_c))); }
/* np.lib.npyio.NpzFile: the archive of an npz file; arrays are read when asked for. NULL with an error if it is none */
inline handle<kn_archive> load_npz(const ::kiln::text &path, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_archive>(c_.take(kn_load_npz(path.c()))); }
/* the array of that name in an archive, z[name]; KeyError if it is not there */
inline array archive_get(const ::kiln::handle<kn_archive> &archive, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_archive_get(archive.c(), name.c()))); }
/* the number of arrays in an archive, len(z); -1 for an error */
inline int archive_count(const ::kiln::handle<kn_archive> &archive, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_archive_count(archive.c())); }
/* the name of array i of an archive, z.files[i], as long as z lives; NULL if there is none */
inline std::string archive_name(const ::kiln::handle<kn_archive> &archive, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_archive_name(archive.c(), i)); }
struct save_opts {
    KILN_OPTION((FILE *), file, {}) /* several arrays one after the other */
    kn_save_opts c() const {
        kn_save_opts to_ = {}; to_.size_ = sizeof to_; to_.file = detail::c_of(file); return to_; }
};
/* np.save: writes an array to an npy file, with its dtype and shape; from an open stream (.file) one array after the
 * other. 0, or -1 with an error */
inline int save(const ::kiln::text &path, const ::kiln::operand &x, const ::kiln::save_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_save_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_save(path.c(), x_h, &opts_c)); }
/* writes the leaves of a tree to an npz file, named by their paths: net/first/w1, layers/0. 0, or -1 with an error */
inline int save_tree(const ::kiln::text &path, const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_save_tree(path.c(), tree.c())); }
/* the arrays of a file that kn_save_tree wrote, in the structure of `like`; NULL with KeyError if one is missing, or
 * ValueError if one has another shape than in `like`. Dtypes are the file's. */
inline pytree load_tree(const ::kiln::text &path, const ::kiln::pytree &like, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_load_tree(path.c(), like.c()))); }
struct loadtxt_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* the context's default float */
    KILN_OPTION((::kiln::text), comments, "#") /* NULL: none */
    KILN_OPTION((::kiln::text), delimiter, {}) /* one character */
    KILN_OPTION((kn_converter), converter, {}) /* for all columns */
    KILN_OPTION((void *), env, {}) /* of it */
    KILN_OPTION((const kn_text_columns *), converters, {}) /* for some */
    KILN_OPTION((int64_t), skiprows, {})
    KILN_OPTION((const kn_int_list *), usecols, {}) /* negative ones count from the last column */
    KILN_OPTION((bool), unpack, {})
    KILN_OPTION((int), ndmin, {})
    KILN_OPTION((::kiln::text), encoding, {}) /* "utf-8" */
    KILN_OPTION((int64_t), max_rows, -1) /* all */
    KILN_OPTION((::kiln::text), quotechar, {}) /* one character */
    KILN_OPTION((const kn_text_list *), several_comments, {}) /* instead of `comments` */
    KILN_OPTION((::kiln::text), text, {})
    KILN_OPTION((FILE *), file, {})
    kn_loadtxt_opts c() const {
        kn_loadtxt_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.comments = detail::c_of(comments); to_.delimiter = detail::c_of(delimiter);
        to_.converter = detail::c_of(converter); to_.env = detail::c_of(env); to_.converters = detail::c_of(converters);
        to_.skiprows = detail::c_of(skiprows); to_.usecols = detail::c_of(usecols); to_.unpack = detail::c_of(unpack);
        to_.ndmin = detail::c_of(ndmin); to_.encoding = detail::c_of(encoding); to_.max_rows = detail::c_of(max_rows);
        to_.quotechar = detail::c_of(quotechar); to_.several_comments = detail::c_of(several_comments);
        to_.text = detail::c_of(text); to_.file = detail::c_of(file); return to_; }
};
/* np.loadtxt: the numbers of a text in rows, a matrix (one row or column: a vector); ValueError in NumPy's words,
 * with row and column, for what is none */
inline array loadtxt(const ::kiln::text &fname, const ::kiln::loadtxt_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_loadtxt_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_loadtxt(fname.c(), &opts_c))); }
struct genfromtxt_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* the context's default float */
    KILN_OPTION((bool), detect, {}) /* NumPy's dtype=None: bool, int64, float64 or complex128, by what is there */
    KILN_OPTION((::kiln::text), comments, "#") /* of any length; NULL: none */
    KILN_OPTION((::kiln::text), delimiter, {}) /* of any length */
    KILN_OPTION((const kn_int_list *), widths, {})
    KILN_OPTION((int64_t), skip_header, {})
    KILN_OPTION((int64_t), skip_footer, {})
    KILN_OPTION((const kn_text_columns *), columns, {}) /* converters, missing and filling values of columns */
    KILN_OPTION((::kiln::text), missing_values, {}) /* texts with commas between them, of all columns */
    KILN_OPTION((::kiln::array), filling_values, {}) /* a number, or one for each of the first columns */
    KILN_OPTION((const kn_int_list *), usecols, {}) /* negative ones count from the last column */
    KILN_OPTION((::kiln::text), names, {}) /* NotImplementedError, as all of the next five and usemask */
    KILN_OPTION((::kiln::text), excludelist, {})
    KILN_OPTION((::kiln::text), deletechars, {})
    KILN_OPTION((::kiln::text), replace_space, {})
    KILN_OPTION((::kiln::text), case_sensitive, {})
    KILN_OPTION((::kiln::text), defaultfmt, {})
    KILN_OPTION((bool), usemask, {})
    KILN_OPTION((bool), autostrip, {})
    KILN_OPTION((bool), unpack, {})
    KILN_OPTION((bool), loose, true) /* what is no value is as if it were missing */
    KILN_OPTION((bool), invalid_raise, true)
    KILN_OPTION((int64_t), max_rows, -1) /* all */
    KILN_OPTION((::kiln::text), encoding, {}) /* "utf-8" */
    KILN_OPTION((int), ndmin, {})
    KILN_OPTION((::kiln::text), text, {})
    KILN_OPTION((FILE *), file, {})
    kn_genfromtxt_opts c() const {
        kn_genfromtxt_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.detect = detail::c_of(detect); to_.comments = detail::c_of(comments);
        to_.delimiter = detail::c_of(delimiter); to_.widths = detail::c_of(widths);
        to_.skip_header = detail::c_of(skip_header); to_.skip_footer = detail::c_of(skip_footer);
        to_.columns = detail::c_of(columns); to_.missing_values = detail::c_of(missing_values);
        to_.filling_values = detail::c_of(filling_values); to_.usecols = detail::c_of(usecols);
        to_.names = detail::c_of(names); to_.excludelist = detail::c_of(excludelist);
        to_.deletechars = detail::c_of(deletechars); to_.replace_space = detail::c_of(replace_space);
        to_.case_sensitive = detail::c_of(case_sensitive); to_.defaultfmt = detail::c_of(defaultfmt);
        to_.usemask = detail::c_of(usemask); to_.autostrip = detail::c_of(autostrip); to_.unpack = detail::c_of(unpack);
        to_.loose = detail::c_of(loose); to_.invalid_raise = detail::c_of(invalid_raise);
        to_.max_rows = detail::c_of(max_rows); to_.encoding = detail::c_of(encoding); to_.ndmin = detail::c_of(ndmin);
        to_.text = detail::c_of(text); to_.file = detail::c_of(file); return to_; }
};
/* np.genfromtxt: the numbers of a text in rows, of which some are missing: NaN (-1 of integers), or the filling
 * values. A converter that says false leaves its column's filling value */
inline array genfromtxt(const ::kiln::text &fname, const ::kiln::genfromtxt_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_genfromtxt_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_genfromtxt(fname.c(), &opts_c))); }
struct savetxt_opts {
    KILN_OPTION((::kiln::text), fmt, "%.18e") /* for each number, or for a row */
    KILN_OPTION((::kiln::text), delimiter, " ")
    KILN_OPTION((::kiln::text), newline, "\n")
    KILN_OPTION((::kiln::text), header, "")
    KILN_OPTION((::kiln::text), footer, "")
    KILN_OPTION((::kiln::text), comments, "# ")
    KILN_OPTION((::kiln::text), encoding, {}) /* "utf-8" */
    KILN_OPTION((const kn_text_list *), fmts, {}) /* one for each column */
    KILN_OPTION((FILE *), file, {})
    kn_savetxt_opts c() const {
        kn_savetxt_opts to_ = {}; to_.size_ = sizeof to_; to_.fmt = detail::c_of(fmt);
        to_.delimiter = detail::c_of(delimiter); to_.newline = detail::c_of(newline); to_.header = detail::c_of(header);
        to_.footer = detail::c_of(footer); to_.comments = detail::c_of(comments); to_.encoding = detail::c_of(encoding);
        to_.fmts = detail::c_of(fmts); to_.file = detail::c_of(file); return to_; }
};
/* np.savetxt: writes the rows of a vector or a matrix as text, in Python's % formats; through gzip where fname ends
 * in .gz. 0, or -1 with an error */
inline int savetxt(const ::kiln::text &fname, const ::kiln::operand &X, const ::kiln::savetxt_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array X_h = X.c(); kn_savetxt_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_savetxt(fname.c(), X_h, &opts_c)); }
struct fromfile_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* the context's default float */
    KILN_OPTION((int64_t), count, -1) /* all there are */
    KILN_OPTION((::kiln::text), sep, "") /* between texts; empty: bytes */
    KILN_OPTION((int64_t), offset, {}) /* bytes to leave out */
    KILN_OPTION((FILE *), file, {})
    kn_fromfile_opts c() const {
        kn_fromfile_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.count = detail::c_of(count); to_.sep = detail::c_of(sep); to_.offset = detail::c_of(offset);
        to_.file = detail::c_of(file); return to_; }
};
/* np.fromfile: the raw elements of a file, a vector: as many as there are, if they are fewer than count; native byte
 * order */
inline array fromfile(const ::kiln::text &fname, const ::kiln::fromfile_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_fromfile_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_fromfile(fname.c(), &opts_c))); }
struct tofile_opts {
    KILN_OPTION((::kiln::text), sep, "") /* between texts; empty: bytes */
    KILN_OPTION((::kiln::text), format, "%s") /* of an element as Python has it */
    KILN_OPTION((FILE *), file, {})
    kn_tofile_opts c() const {
        kn_tofile_opts to_ = {}; to_.size_ = sizeof to_; to_.sep = detail::c_of(sep); to_.format = detail::c_of(format);
        to_.file = detail::c_of(file); return to_; }
};
/* np.ndarray.tofile: writes the elements, without shape and dtype, in C order to a file, as bytes or as texts with a
 * separator; 0, or -1 with an error */
inline int tofile(const ::kiln::operand &x, const ::kiln::text &fname, const ::kiln::tofile_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_tofile_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_tofile(x_h, fname.c(), &opts_c)); }
struct tobytes_opts {
    KILN_OPTION((::kiln::text), order, {}) /* "C" */
    kn_tobytes_opts c() const {
        kn_tobytes_opts to_ = {}; to_.size_ = sizeof to_; to_.order = detail::c_of(order); return to_; }
};
/* np.ndarray.tobytes: writes the bytes of the elements to memory with room for so many, or nowhere (NULL and 0);
 * returns how many they are. ValueError for too little room */
inline int64_t tobytes(const ::kiln::operand &x, void *to, size_t bytes, const ::kiln::tobytes_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_tobytes_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_tobytes(x_h, to, bytes, &opts_c)); }
struct memmap_opts {
    KILN_OPTION((::kiln::dtype), dtype, {}) /* uint8 */
    KILN_OPTION((::kiln::text), mode, {}) /* "r+" */
    KILN_OPTION((int64_t), offset, {}) /* bytes; a multiple of the dtype's alignment */
    KILN_OPTION((::kiln::optional_shape), shape, {}) /* all there are, in one axis */
    KILN_OPTION((::kiln::text), order, {}) /* "C" */
    kn_memmap_opts c() const {
        kn_memmap_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype); to_.mode = detail::c_of(mode);
        to_.offset = detail::c_of(offset); to_.shape = detail::c_of(shape); to_.order = detail::c_of(order); return to_;
        }
};
/* np.memmap: an array whose elements are the bytes of a file; the file grows to what the shape needs with "r+" and
 * "w+"; writes are a ValueError with "r", and stay in memory with "c" */
inline array memmap(const ::kiln::text &filename, const ::kiln::memmap_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_memmap_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_memmap(filename.c(), &opts_c))); }
/* np.memmap.flush: puts what was written to an array of kn_memmap, or through a view of it, into its file: 0, or -1
 * with an error; TypeError if x is no such array or view */
inline int memmap_flush(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_memmap_flush(x_h)); }
/* np.memmap.filename: the absolute path of the file that x lies in, as long as an array of that memory lives; NULL
 * for other arrays */
inline std::string memmap_filename(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.text(kn_memmap_filename(x_h)); }
/* np.memmap.offset: where in its file an array of kn_memmap begins, in bytes; -1 for other arrays */
inline int64_t memmap_offset(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_memmap_offset(x_h)); }
/* np.memmap.mode: how the file of an array of kn_memmap was opened: "r", "r+", "w+" or "c"; NULL for other arrays */
inline std::string memmap_mode(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.text(kn_memmap_mode(x_h)); }
namespace format {
/* np.lib.format.magic: the 8 bytes that begin an npy file of a version, as uint8. ValueError for numbers that are no
 * bytes */
inline array magic(int major, int minor, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_format_magic(major, minor))); }
/* np.lib.format.dtype_to_descr: how an npy header names a dtype, as "<f8"; NULL for an error */
inline std::string dtype_to_descr(const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_format_dtype_to_descr(dtype)); }
/* np.lib.format.descr_to_dtype: the dtype that an npy header names; NotImplementedError for byte-swapped ones; NULL
 * for an error */
inline ::kiln::dtype descr_to_dtype(const ::kiln::text &descr, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_format_descr_to_dtype(descr.c())); }
/* np.lib.format.header_data_from_array_1_0: what the header of an npy file says of an array: its dtype, shape and
 * order */
inline kn_npy_header header_data_from_array_1_0(const ::kiln::operand &array, place where = here())
{ detail::call c_(where); kn_array array_h = array.c(); c_.here(); return
    c_.value(kn_format_header_data_from_array_1_0(array_h)); }
/* np.lib.format.read_magic: reads the first 8 bytes of an npy file: the version; 0, or -1 with a ValueError if it is
 * none */
inline int read_magic(FILE *fp, int *major, int *minor, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_format_read_magic(fp, major, minor)); }
struct read_opts {
    KILN_OPTION((int64_t), max_header_size, 10000) /* -1: no limit */
    kn_format_read_opts c() const {
        kn_format_read_opts to_ = {}; to_.size_ = sizeof to_; to_.max_header_size = detail::c_of(max_header_size);
        return to_; }
};
using read_array_header_1_0_opts = ::kiln::format::read_opts;
/* np.lib.format.read_array_header_1_0: reads the header of an npy file of version 1.0, behind kn_format_read_magic;
 * its elements follow. .dtype is NULL after an error */
inline kn_npy_header read_array_header_1_0(FILE *fp, const ::kiln::format::read_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_format_read_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_format_read_array_header_1_0(fp, &opts_c)); }
using read_array_header_2_0_opts = ::kiln::format::read_opts;
/* np.lib.format.read_array_header_2_0: reads the header of an npy file of version 2.0, which may be longer than
 * 65,535 bytes, behind kn_format_read_magic */
inline kn_npy_header read_array_header_2_0(FILE *fp, const ::kiln::format::read_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_format_read_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_format_read_array_header_2_0(fp, &opts_c)); }
/* np.lib.format.write_array_header_1_0: writes the beginning of an npy file of version 1.0, the magic bytes and the
 * header; the elements go behind it. 0, or -1 with an error */
inline int write_array_header_1_0(FILE *fp, const kn_npy_header &d, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_format_write_array_header_1_0(fp, &d)); }
/* np.lib.format.write_array_header_2_0: writes the beginning of an npy file of version 2.0, as
 * kn_format_write_array_header_1_0 */
inline int write_array_header_2_0(FILE *fp, const kn_npy_header &d, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_format_write_array_header_2_0(fp, &d)); }
using read_array_opts = ::kiln::format::read_opts;
/* np.lib.format.read_array: reads an array, header and elements, from an open stream, which stands behind it
 * afterwards */
inline array read_array(FILE *fp, const ::kiln::format::read_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_format_read_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_format_read_array(fp, &opts_c))); }
struct write_array_opts {
    KILN_OPTION((int), version, {}) /* the oldest that can hold it */
    kn_format_write_array_opts c() const {
        kn_format_write_array_opts to_ = {}; to_.size_ = sizeof to_; to_.version = detail::c_of(version); return to_; }
};
/* np.lib.format.write_array: writes an array, header and elements, to an open stream; 0, or -1 with an error */
inline int write_array(FILE *fp, const ::kiln::operand &array, const ::kiln::format::write_array_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array array_h = array.c(); kn_format_write_array_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_format_write_array(fp, array_h, &opts_c)); }
struct open_memmap_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "r+" */
    KILN_OPTION((::kiln::dtype), dtype, {}) /* of a new file; the context's default float */
    KILN_OPTION((::kiln::optional_shape), shape, {}) /* of a new file */
    KILN_OPTION((bool), fortran_order, {}) /* of a new file */
    KILN_OPTION((int64_t), max_header_size, 10000) /* -1: no limit */
    kn_format_open_memmap_opts c() const {
        kn_format_open_memmap_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode);
        to_.dtype = detail::c_of(dtype); to_.shape = detail::c_of(shape);
        to_.fortran_order = detail::c_of(fortran_order); to_.max_header_size = detail::c_of(max_header_size); return
        to_; }
};
/* np.lib.format.open_memmap: an npy file as memory, as kn_memmap: its header says dtype and shape; "w+" makes a new
 * file */
inline array open_memmap(const ::kiln::text &filename, const ::kiln::format::open_memmap_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_format_open_memmap_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_format_open_memmap(filename.c(), &opts_c))); }
} // namespace format
} // namespace kiln
#endif
