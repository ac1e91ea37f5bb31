#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every file under src/ includes only headers of its own folder and of the folders above it in layers.txt, which names no other folders than
# there are; docs/architecture.md tells all folders of src/ and tests/.
# usage: check-layers.sh [ROOT]
set -u
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
layers=$(cd "$(dirname "$0")" && pwd)/layers.txt
cd "$root/src" || exit 2
bad=0
for floor in $(grep -v '^#' "$layers" | awk '$1 != "allow" && $1 != "calls" { print $1 }'); do
    [ -d "$floor" ] || { echo "scripts/layers.txt: there is no floor $floor"; bad=1; }
done
for folder in $(find . -mindepth 1 -type d | cut -c3- | sort) ../tests/*/; do
    name=${folder#../tests/}
    grep -qF "\`${name%/}/\`" ../docs/architecture.md || { echo "docs/architecture.md does not tell $folder"; bad=1; }
done
[ $bad -eq 0 ] || exit 1
find . -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \) | sed 's|^\./||' | LC_ALL=C sort | xargs grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' |
    awk -F: -v layers="$layers" '
    BEGIN {
        while ((getline line < layers) > 0) {
            n = split(line, word, " ")
            if (n == 0 || word[1] ~ /^#/ || word[1] == "calls") continue
            if (word[1] == "allow") { allowed[word[2] " " word[3]] = 1; continue }
            floor_of[word[1]] = ++floors
        }
    }
    function complain(text) { print "src/" file ":" line_number ": " text; bad++ }
    {
        file = $1; line_number = $2
        match($0, /["<][^">]*[">]/)
        header = substr($0, RSTART + 1, RLENGTH - 2)
        system_header = substr($0, RSTART, 1) == "<"
        folder = file; sub(/\/.*/, "", folder)
        if (!(folder in floor_of)) {
            if (!(folder in reported)) complain("the folder \"" folder "\" is not in scripts/layers.txt")
            reported[folder] = 1
            next
        }
        if (header ~ /\.\.\//) { complain("\"" header "\": write the path from src/ on"); next }
        target = header
        if (!sub(/\/.*/, "", target)) next              # in the same folder, or of the system
        if (!(target in floor_of)) {
            if (!system_header && target != "kiln") complain("\"" header "\" is in no folder of scripts/layers.txt")
            next
        }
        if (system_header) { complain("<" header ">: write \"" header "\""); next }
        if (floor_of[target] <= floor_of[folder]) next
        if ((file " " header) in allowed) { used[file " " header] = 1; next }
        complain("includes \"" header "\" of a floor below its own")
    }
    END {
        for (pair in allowed) if (!(pair in used)) { print "scripts/layers.txt: the exception is not used: " pair; bad++ }
        if (bad) { print bad " breaches of the layers"; exit 1 }
        print "layers: " NR " includes, all of them upwards"
    }'
