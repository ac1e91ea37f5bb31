#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the names that the headers of src/ declare with the table of prefixes in docs/words.md: a name with a prefix of
# Kiln's has that of its folder; one with the public prefix kn_ occurs under include/. (Constants and macros may begin with
# KN_ anywhere.) Needs universal-ctags.
# usage: check-words.sh
set -u
cd "$(dirname "$0")/.." || exit 2
ctags --version 2>/dev/null | grep -q Universal || { echo "no universal-ctags here: names were not checked"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# folder, prefix; a cell of prefixes may name two
sed -nE '/^## Prefixes/,/^## What/p' docs/words.md | grep -E '^\|' | awk -F'|' '
    { for (i = 2; i < NF; i++) {
        cell = $i; gsub(/[ `]/, "", cell)
        if (cell ~ /^[a-z\/]+$/ && cell != "folder") { folder = cell; rest = $(i + 1)
            while (match(rest, /`kn[a-z]*_`/)) { print folder, substr(rest, RSTART + 1, RLENGTH - 2); rest = substr(rest, RSTART + RLENGTH) } } } }' >"$work/table"
[ "$(cut -d' ' -f2 "$work/table" | sort | uniq -d | wc -l)" = 0 ] || { echo "two folders of docs/words.md have one prefix"; exit 1; }
find include -name '*.h' -print0 | xargs -0 grep -hoE '\bkn_[a-z0-9_]+' | sort -u >"$work/public"
find src -name '*.h' | sort | ctags -L - --languages=C --langmap=C:.c.h --kinds-C=fptsug --fields=+K -f - 2>/dev/null |
    awk -F'\t' '$1 ~ /^kn[a-z]*_/ { print $1, $2 }' | sort -u >"$work/names"
awk -v table="$work/table" -v public="$work/public" '
    BEGIN {
        while ((getline line <table) > 0) { split(line, part, " "); own[part[1], part[2]] = 1; known[part[1]] = 1 }
        while ((getline line <public) > 0) named[line] = 1
    }
    {
        match($1, /^kn[a-z]*_/)
        prefix = substr($1, 1, RLENGTH)
        folder = $2
        sub(/^src\//, "", folder)
        do sub(/\/[^\/]*$/, "", folder); while (!(folder in known) && folder ~ /\//)
        if (prefix == "kn_") {
            if (!($1 in named)) wrong[$1] = $2 ": " $1 " has the public prefix, and no public header names it"
        } else if (!((folder, prefix) in own))
            wrong[$1] = $2 ": " $1 " has not the prefix of " folder "/"
        else
            right[$1] = 1 # another folder may complete the type
    }
    END { for (name in wrong) if (!(name in right)) { print wrong[name]; bad = 1 }
          exit bad }' "$work/names" || exit 1
echo "$(wc -l <"$work/names") names of $(wc -l <"$work/table") prefixes"
