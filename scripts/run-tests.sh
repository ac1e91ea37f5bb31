#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests the presets named, and ends with the time of each phase and one line: N passed, M failed (the tests of all presets together).
# usage: run-tests.sh [--all] PRESET...
#   --all: in the first preset tests and fuzzers sweep further (they see KILN_TEST_LONG=1: one build is enough for that, the sweeps take
#          hours under sanitizers); in all of them those labelled `long` run, too; the format, clang-tidy, the lines of the rules that
#          tests run, other ways to build, other CPUs and the kernels of all tests through every backend count as a test each.
#          It takes hours on two cores, so it may be stopped and called again: what passed for the same sources is not run again
#          (build/passed has what that is; `make clean` forgets it)
set -u
cd "$(dirname "$0")/.." || exit 2
# The engine that scripts/setup-webgpu.sh has brought; without one its tests are skipped.
if [ -z "${KILN_WEBGPU_LIBRARY-}" ] && [ -s build/webgpu/library ]; then
    KILN_WEBGPU_LIBRARY=$(cat build/webgpu/library)
    export KILN_WEBGPU_LIBRARY
fi
passed=0 failed=0 skipped=0
times=$(mktemp)
names=$(mktemp) # of what failed, for the end: logs are read from there
trap 'rm -f "$times" "$names"' EXIT
# bad NAME: one more that failed
bad() {
    failed=$((failed + 1))
    echo "FAIL $1" | tee -a "$names"
}
# phase NAME COMMAND...: runs it and notes how long it took, and how much of the processors it and its children used.
phase() {
    local name=$1 TIMEFORMAT='%R %U %S' status
    shift
    { time "$@" 2>&3; } 3>&2 2>"$times.one"
    status=$?
    tail -n 1 "$times.one" | awk -v name="$name" '{ printf "%-34s %7.0f s %7.0f s\n", name, $1, $2 + $3 }' >>"$times"
    rm -f "$times.one"
    return $status
}
short="-LE ^long\$" # without --all
all=
# Of --all: a name for these sources, committed or not; whether a phase passed for them already, and that it did.
sources() { { git rev-parse HEAD && git diff HEAD --binary && git ls-files -o --exclude-standard -z | xargs -0 -r sha256sum; } 2>/dev/null | sha256sum; }
before() {
    [ -n "$all" ] && [ -s "build/passed/${1// /-}" ] && [ "$(head -n 1 "build/passed/${1// /-}")" = "$now" ] || return
    echo "passed before for the same sources: $1"
    passed=$((passed + $(tail -n 1 "build/passed/${1// /-}")))
}
note() { # note NAME PASSED: after a phase without a failure
    [ -n "$all" ] && [ "$(sources)" = "$now" ] && mkdir -p build/passed && printf '%s\n%s\n' "$now" "$2" >"build/passed/${1// /-}"
    return 0
}
# piece NAME COMMAND...: a phase that counts as one test.
piece() {
    before "$1" && return
    echo "=== $1"
    if phase "$@"; then
        passed=$((passed + 1))
        note "$1" 1
    else
        bad "$1"
    fi
}
if [ "${1-}" = --all ]; then
    shift
    all=1
    short=
    now=$(sources)
    piece format scripts/format.sh --check
    piece tidy scripts/tidy.sh
    piece builds scripts/check-builds.sh
    piece cross scripts/check-cross.sh
fi
# Number NAME of the first <testsuite ...> in a JUnit file.
count() { tr '\n\t' '  ' <"$2" | grep -o '<testsuite [^>]*' | head -n 1 | grep -o "[ ]$1=\"[0-9]*\"" | tr -dc 0-9; }

[ -n "$all" ] && export KILN_TEST_LONG=1
for preset in "$@"; do
    before "$preset" && { unset KILN_TEST_LONG; continue; }
    was=$failed
    echo "=== $preset"
    if ! phase "$preset: configure" cmake --preset "$preset" -DKILN_TESTS=ON >/dev/null; then # its errors go to standard error
        bad "$preset does not configure"
        continue
    fi
    if ! phase "$preset: build" cmake --build --preset "$preset" -- -k 0; then
        bad "$preset does not build" # and on to the tests of what was built
    fi
    junit=$PWD/build/$preset/junit.xml
    rm -f "$junit"
    find "build/$preset" -name '*.gcda' -delete # counts of earlier runs
    # shellcheck disable=SC2086
    phase "$preset: tests" ctest --preset "$preset" $short -j "$(getconf _NPROCESSORS_ONLN)" --output-junit "$junit"
    if [ ! -s "$junit" ]; then
        bad "$preset: the tests did not run"
        continue
    fi
    # The tests of each kind: their times one after the other.
    tr '\n\t' '  ' <"$junit" | grep -o '<testcase [^>]*' | sed -E 's|.* name="([^/"]*).* time="([0-9.]*)".*|\1 \2|' |
        awk '{ n[$1]++; t[$1] += $2 } END { for (k in n) printf "%-34s %7.0f s\n", "    " k " (" n[k] ")", t[k] }' | sort >>"$times"
    tests=$(count tests "$junit") wrong=$(count failures "$junit") out=$(count skipped "$junit") off=$(count disabled "$junit")
    passed=$((passed + tests - wrong - out - off)) failed=$((failed + wrong)) skipped=$((skipped + out + off))
    tr '\n\t' '  ' <"$junit" | grep -o '<testcase [^>]*status="fail"' | sed -E "s|.* name=\"([^\"]*)\".*|FAIL $preset: \1|" >>"$names"
    unset KILN_TEST_LONG
    [ "$failed" -eq "$was" ] && note "$preset" $((tests - wrong - out - off))
    [ "$preset" = coverage ] && piece rule-coverage scripts/rule-coverage.sh
done
# Packages, in a bare system of their own; skipped (77) where none can be made.
newcomer() {
    make package && scripts/check-newcomer.sh build/package
    local status=$?
    [ $status -eq 77 ] && return 0
    return $status
}
[ -n "$all" ] && piece "packages in a bare system" newcomer
# In WebAssembly: the JavaScript package and stored kernels in Node; with --all everything, in browsers, too; skipped (77) without its compiler.
web() {
    if [ -n "$all" ]; then make test-web; else scripts/test-web.sh --short; fi
    local status=$?
    [ $status -eq 77 ] && return 0
    return $status
}
case " $* " in *" release "*) piece web web ;; esac
if [ -n "$all" ] && [ -x build/release/tests/rules ] && [ -x build/clang/tests/rules ]; then
    piece "texts of the two compilers" scripts/check-texts.sh build/release/tests/rules build/clang/tests/rules
fi
# With eight virtual devices in each process.
if [ -n "$all" ] && [ -d build/release ]; then
    piece "eight devices" scripts/check-devices.sh build/release
fi
# Every kernel that the (short) tests run, through every backend.
if [ -n "$all" ] && [ -x build/release/tests/kernels ]; then
    piece "kernels of the tests" scripts/check-kernels.sh build/release
fi
echo
printf '%-34s %9s %9s\n' "" time "CPU time"
cat "$times"
[ "$skipped" -gt 0 ] && echo "$skipped skipped (the lines above say why)"
cat "$names"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
