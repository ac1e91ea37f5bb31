#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every function and object that a file under src/ uses is one of its own folder or of the folders above it in layers.txt: what the objects of
# the library say, so that a declaration that is repeated, or that lies in a header of another floor, hides nothing.
# usage: check-calls.sh BUILD    BUILD: a build folder
set -u
layers=$(cd "$(dirname "$0")" && pwd)/layers.txt
cd "${1:?usage: check-calls.sh BUILD}" || exit 2
# The objects that the build has now; what lies there of files that moved is not among them.
sed -n 's|.* -o \([^ ]*/src/[^ ]*\.o\) -c .*|\1|p' compile_commands.json | xargs nm -A | awk -v layers="$layers" '
    BEGIN {
        while ((getline line < layers) > 0) {
            n = split(line, word, " ")
            if (n == 0 || word[1] ~ /^#/ || word[1] == "allow") continue
            if (word[1] != "calls") { floor_of[word[1]] = ++floors; continue }
            exception[++exceptions] = line
            from[exceptions] = word[2]; to[exceptions] = word[3]; names[exceptions] = word[4]
        }
    }
    {
        match($0, /\/src\/[^:]*\.c\.o:/)
        file = substr($0, RSTART + 5, RLENGTH - 8)
        type = $(NF - 1)
        if (type == "U") uses[file " " $NF] = 1
        else if (type ~ /[A-Z]/) home[$NF] = file
        folder = file
        while (sub(/\/[^\/]*$/, "", folder)) built[folder] = 1
    }
    # A folder without a line of its own belongs to the floor of the folder that it lies in.
    function floor(folder) {
        while (!(folder in floor_of) && sub(/\/[^\/]*$/, "", folder)) {}
        return folder
    }
    function excused(f, g, name,   i) {
        for (i = 1; i <= exceptions; i++)
            if (index(f "/", from[i] "/") == 1 && index(g "/", to[i] "/") == 1 && index(name, names[i]) == 1) {
                used[i] = 1
                return 1
            }
        return 0
    }
    END {
        for (u in uses) {
            split(u, at, " ")
            if (!(at[2] in home)) continue
            f = at[1]; g = home[at[2]]
            sub(/\/[^\/]*$/, "", f); sub(/\/[^\/]*$/, "", g)
            f = floor(f); g = floor(g)
            calls++
            if (!(f in floor_of) || !(g in floor_of)) { print "scripts/layers.txt has no floor for " at[1] " or " home[at[2]]; bad++; continue }
            if (floor_of[g] <= floor_of[f] || excused(f, g, at[2])) continue
            print "src/" at[1] ": uses " at[2] " of src/" home[at[2]] ", a floor below its own"
            bad++
        }
        for (i = 1; i <= exceptions; i++) if (!used[i] && to[i] in built) { # a build may be without a folder
            print "scripts/layers.txt: the exception is not used: " exception[i]; bad++ }
        if (!calls) { print "no calls were found"; bad++ }
        if (bad) { print bad " breaches of the layers"; exit 1 }
        print "calls: " calls " names of other files, all upwards"
    }'
