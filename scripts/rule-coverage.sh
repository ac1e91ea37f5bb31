#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How many lines of the rules the tests of preset `coverage` ran: prints for each file its lines with code, how many ran and their part; below
# that the sums. The exit status is 1 if less than 99 % of the lines of src/prim (or of src/transform) ran. `make check-all` runs all tests of
# the preset before; `scripts/run-tests.sh coverage` does so alone, and what was run by hand in build/coverage counts, too.
# usage: rule-coverage.sh [-v]
#   -v          also each line that no test ran
set -u
export LC_ALL=C
verbose=0
[ "${1-}" = -v ] && verbose=1
cd "$(dirname "$0")/.." || exit 2
root=$PWD build=$PWD/build/coverage
if [ ! -d "$build" ]; then
    echo "there is no $build: scripts/run-tests.sh coverage"
    exit 2
fi

# gcov's texts: "count: number:text" for each line with code, ##### or ===== where nothing ran; a header comes with each object.
find "$build/CMakeFiles/kiln_core_objects.dir/src/prim" "$build/CMakeFiles/kiln_core_objects.dir/src/transform" \
    "$build/CMakeFiles/kiln_core_objects.dir/src/kernel" -name '*.gcda' | sort |
    (cd "$build" && xargs gcov --stdout 2>/dev/null) |
    awk -F: -v root="$root/" -v verbose="$verbose" '
    function percent(part, all) { return all ? 100 * part / all : 100 }
    function row(name) { printf "%-36s %6d %6d %7.2f\n", name, lines[name], run[name], percent(run[name], lines[name]) }
    $2 + 0 == 0 && $3 == "Source" {
        file = $4
        sub(/^.*\/src\//, "src/", file)
        wanted = file ~ /^src\/(prim|transform)\// || file ~ /^src\/kernel\/math\// || file == "src/ir/unary.def"
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
            folder = file_of[i] ~ /^src\/ir/ ? "src/prim" : substr(file_of[i], 1, index(substr(file_of[i], 5), "/") + 3)
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
        exit !n || percent(run["src/prim"], lines["src/prim"]) < 99 || percent(run["src/transform"], lines["src/transform"]) < 99
    }'
