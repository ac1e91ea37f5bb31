#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The variables that these files read, one of the core and one of kiln_models, are those of docs/environment.md, and no other file of src/ reads any.
set -u
cd "$(dirname "$0")/.." || exit 2
files="src/base/env.c src/models/cache/folder.c"
# shellcheck disable=SC2086 # two files
read_=$(grep -oh '"KILN_[A-Z_]*"' $files | tr -d '"' | sort -u)
told=$(grep -o '^| `KILN_[A-Z_]*`' docs/environment.md | tr -d '|` ' | sort -u)
bad=0
diff <(echo "$read_") <(echo "$told") >/dev/null || { echo "read (<) and told (>) differ:"; diff <(echo "$read_") <(echo "$told"); bad=1; }
others=$(grep -rlE '\b(knx_|secure_)?getenv *\(' src --include=*.c --include=*.h | grep -vxF "$(printf '%s\n' $files src/base/getenv.h)")
[ -z "$others" ] || { echo "these read the environment, too: $others"; bad=1; }
[ $bad -eq 0 ] && echo "$(echo "$read_" | wc -l) variables"
exit $bad
