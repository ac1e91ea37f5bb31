#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How many lines of the rules the tests run: builds with gcc --coverage, without optimisation, in a directory of its own, runs the tests
# of rules, and prints for each file its lines with code, how many ran and their part; below that the sums. The exit status is 1 if a test
# fails or less than 99 % of the lines of src/prim (or of src/transform) ran.
# usage: rule-coverage.sh [-v] [DIRECTORY]
#   -v          also each line that no test ran
#   DIRECTORY   builds there and leaves it; without one the directory is a temporary one
set -u
export LC_ALL=C
unset KILN_TEST_LONG # the short sweeps must do
verbose=0
if [ "${1-}" = -v ]; then
    verbose=1
    shift
fi
build=${1-}
cd "$(dirname "$0")/.." || exit 2
root=$PWD
if [ -z "$build" ]; then
    build=$(mktemp -d) || exit 2
    trap 'rm -rf "$build"' EXIT
else
    mkdir -p "$build" && build=$(cd "$build" && pwd) || exit 2
fi

# The tests of rules: the table of cases, the rows with bodies, named axes and functions of the user, what they say of wrong calls.
programs=(rules)
for name in test_prim test_scalar test_transform test_custom test_checkpoint test_named_axes test_callbacks test_while test_special \
    test_complex_math test_kernel_math test_functions test_linalg test_routine test_random test_no_memory test_scan test_cond \
    test_control test_guard test_determinants test_derivatives test_index test_windows test_writes test_strided_writes test_searches \
    test_conversions; do
    for source in tests/unit/"$name"*.c; do
        programs+=("$(basename "$source" .c)")
    done
done

cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
    -DCMAKE_C_FLAGS="--coverage -fprofile-update=prefer-atomic" -DKILN_TESTS=ON -DKILN_EXAMPLES=OFF -DKILN_BENCH=OFF >/dev/null || exit 1
if ! ninja -C "$build" "${programs[@]}" >"$build/build.log" 2>&1; then
    tail -n 40 "$build/build.log"
    exit 1
fi
find "$build" -name '*.gcda' -delete
printf '%s\n' "${programs[@]}" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I NAME \
    sh -c "'$build/tests/NAME' >'$build/NAME.log' 2>&1 || { echo 'FAIL NAME'; tail -n 20 '$build/NAME.log'; exit 1; }"
failed=$?

# gcov's texts: "count: number:text" for each line with code, ##### or ===== where nothing ran; a header comes with each object.
find "$build/CMakeFiles/kiln_objects.dir/src/prim" "$build/CMakeFiles/kiln_objects.dir/src/transform" \
    "$build/CMakeFiles/kiln_objects.dir/src/kernel" -name '*.gcda' | sort |
    (cd "$build" && xargs gcov --stdout 2>/dev/null) |
    awk -F: -v root="$root/" -v verbose="$verbose" -v failed="$failed" '
    function percent(part, all) { return all ? 100 * part / all : 100 }
    function row(name) { printf "%-36s %6d %6d %7.2f\n", name, lines[name], run[name], percent(run[name], lines[name]) }
    $2 + 0 == 0 && $3 == "Source" {
        file = $4
        sub(/^.*\/src\//, "src/", file)
        wanted = file ~ /^src\/(prim|transform)\// || file ~ /^src\/kernel\/math_[^\/]*\.c$/ || file == "src/ir/unary.def"
        next
    }
    !wanted || $1 ~ /^ *-$/ || $2 + 0 == 0 { next }
    {
        at = file ":" $2 + 0
        if (!(at in seen)) {
            seen[at] = ++n
            name[n] = at
            file_of[n] = file
            text[n] = substr($0, length($1 $2) + 3)
        }
        if ($1 !~ /[#=]/) ran[at] = 1
    }
    END {
        for (i = 1; i <= n; i++) {
            folder = file_of[i] ~ /^src\/ir/ ? "src/prim" : substr(file_of[i], 1, match(file_of[i], /\/[^\/]*$/) - 1)
            hit = name[i] in ran
            if (!(file_of[i] in lines)) files[++n_files] = file_of[i]
            lines[file_of[i]]++; run[file_of[i]] += hit
            lines[folder]++; run[folder] += hit
            if (!hit && verbose) print name[i] ": " text[i]
        }
        printf "%-36s %6s %6s %7s\n", "file", "lines", "run", "%"
        for (i = 1; i <= n_files; i++) row(files[i])
        row("src/kernel"); row("src/transform"); row("src/prim")
        if (!n) print "no lines were counted"
        exit failed || !n || percent(run["src/prim"], lines["src/prim"]) < 99 || percent(run["src/transform"], lines["src/transform"]) < 99
    }'
