#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What newcomers do wrong is answered: each program of tests/mistakes is refused by the compilers, or the library says what is wrong and where, or it runs
# and does something that surprises. (scripts/check-refusals.sh has more that does not compile.) The head of a program says
#     answer: ANCHOR           of a heading of docs/guides/faq.md
#     gcc: TEXT, clang: TEXT   a part of what the compiler says; it does not compile
#     says: KIND: TEXT         what kn_finish writes, with the line that has the comment `here`; the status is not 0
#     prints: TEXT             what it prints; the status is 0
# usage: check-mistakes.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
build=$(realpath "${1:?a folder with libkiln.so}") || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
bad=0 count=0

fail() { echo "FAIL $1"; bad=1; }

# field NAME FILE: what its head says of it
field() { sed -n "1,/\*\//s/^ \* $1: \(.*\)/\1/p" "$2" | sed 's, \*/$,,'; }

# compile COMPILER FILE MORE...: what it says goes to $work/said
compile() { "$1" -std=gnu17 -Wall -Wextra -Werror -I "$root/include" "$2" "${@:3}" >"$work/said" 2>&1; }

# anchors PAGE: of its headings, as GitHub makes them
anchors() { sed -nE 's/^#+ //p' "$1" | tr 'A-Z' 'a-z' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'; }

# refused COMPILER FILE TEXT
refused() {
    command -v "$1" >/dev/null || { echo "skipped: no $1"; return; }
    if compile "$1" "$2" -fsyntax-only; then
        fail "$1 takes $2"
    elif ! grep -qF -e "$3" "$work/said"; then
        fail "$1 says nothing of \"$3\" about $2"
        cat "$work/said"
    fi
}

# runs FILE SAYS PRINTS: both compilers take it; it ends as its head says
runs() {
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        compile $compiler "$1" -fsyntax-only || { fail "$compiler does not take $1"; cat "$work/said"; return; }
    done
    compile "${CC:-cc}" "$1" -o "$work/program" -L "$build" -Wl,-rpath,"$build" -lkiln -lm -lpthread || { fail "$1 is not linked"; cat "$work/said"; return; }
    "$work/program" >"$work/printed" 2>"$work/error"
    status=$?
    if [ -n "$2" ]; then
        line=$(grep -n '/\* here \*/' "$1" | cut -d: -f1)
        [ $status != 0 ] || fail "$1 ends with status 0"
        [ "$(cat "$work/error")" = "$1:$line: $2" ] || { fail "$1 says something else than line $line: $2"; cat "$work/error"; }
    else
        [ $status = 0 ] || { fail "$1 ends with status $status"; cat "$work/error"; }
        [ "$(cat "$work/printed")" = "$3" ] || { fail "$1 prints something else than $3"; cat "$work/printed"; }
    fi
}

anchors docs/guides/faq.md >"$work/anchors"
for file in tests/mistakes/*.c; do
    count=$((count + 1))
    answer=$(field answer "$file")
    grep -qxF -e "$answer" "$work/anchors" || fail "docs/guides/faq.md has no heading #$answer for $file"
    gcc=$(field gcc "$file") clang=$(field clang "$file") says=$(field says "$file") prints=$(field prints "$file")
    if [ -n "$gcc$clang" ]; then
        refused gcc "$file" "$gcc"
        refused clang "$file" "$clang"
    elif [ -n "$says$prints" ]; then
        runs "$file" "$says" "$prints"
    else
        fail "$file does not say what becomes of it"
    fi
done
[ $bad = 0 ] && echo "$count mistakes, each with its message and its answer"
exit $bad
