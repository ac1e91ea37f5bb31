# SPDX-License-Identifier: Apache-2.0
"""What modules are known to do otherwise than the standard says: parts of the names of tests, and why.

A test whose name contains one of the parts is expected to fail. Of what a module does on purpose (DEVIATIONS), one that
passes nevertheless is an error, so that a line that is no longer true is taken out; what is to be mended, or
depends on the machine (OPEN), may pass.
"""

ROOTS = "x ** 0.5 with a Python number or an array of no axes is sqrt(x), as in NumPy: nan at -inf, -0.0 at -0.0"
CORRECTED = "as in NumPy, the variance of fewer elements than the correction takes away is inf"

DEVIATIONS = {
    "kiln.numpy": {
        "test_clip_by_keyword": "clip(x, min) needs max",
        "test_binary_with_a_python_number[pow": ROOTS,
        "test_operator_with_a_python_number[pow": ROOTS,
        "test_corrections_that_leave_nothing": CORRECTED,
        "test_eig[float32-(1, 1)": "real where all eigenvalues are",
        "test_eig[float64-(1, 1)": "real where all eigenvalues are",
        "test_eigvals[float": "real where all eigenvalues are",
    },
    "numpy": {
        "test_data_types.py::test_finfo[float32-array": "finfo takes no arrays",
        "test_data_types.py::test_finfo[float64-array": "finfo takes no arrays",
        "test_data_types.py::test_finfo[complex64-array": "finfo takes no arrays",
        "test_data_types.py::test_finfo[complex128-array": "finfo takes no arrays",
        "test_finfo_gives_floats[float32": "a NumPy scalar, which is a float for float64 alone",
        "test_finfo_gives_floats[complex64": "a NumPy scalar, which is a float for float64 alone",
        **{f"test_iinfo[{d}-array": "iinfo takes no arrays" for d in "int8 int16 int32 int64".split()},
        **{f"test_iinfo[{d}-array": "iinfo takes no arrays" for d in "uint8 uint16 uint32 uint64".split()},
        "test_functions_near_zero_are_accurate[complex128": "complex log1p is log(1 + x)",
        "test_namespace.py::test_version": "of version 2024.12",
        "test_array_namespace_of_a_version[2025.12": "of version 2024.12",
        "test_devices_is_a_tuple": "of version 2024.12",
        "test_indices_of_every_dtype[uint64": "repeats of uint64 are refused",
        "sort-descending": "no descending",
        "test_sort_descending": "no descending",
        "test_descending_argsort_is_stable": "no descending",
        "test_argsort_is_stable": "not stable unless it is asked for",
        "freq-dtype": "no dtype",
        "test_frequencies_with_a_dtype": "no dtype",
        "test_default_given_explicitly[diff-prepend": "None is no value for it",
        "test_default_given_explicitly[diff-append": "None is no value for it",
        "test_clip_by_keyword": "clip(x, min) needs max",
        "test_binary_of_arrays_without_axes[pow": ROOTS,
        "test_binary_with_a_python_number[pow": ROOTS,
        "test_operator_with_a_python_number[pow": ROOTS,
        "test_complex_in_an_array[expm1": "complex expm1 by exp, sin and cos",
        "test_complex_of_one_value[expm1": "complex expm1 by exp, sin and cos",
        "test_corrections_that_leave_nothing": CORRECTED,
        "test_eig[float32-(1, 1)": "real where all eigenvalues are",
        "test_eig[float64-(1, 1)": "real where all eigenvalues are",
        "test_eigvals[float": "real where all eigenvalues are",
    },
}

OPEN = {
    "numpy": {"ary_function_of_views": "vectors and single elements differ in the last bit"},
}
