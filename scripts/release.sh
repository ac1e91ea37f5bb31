#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The release checklist: each line is a step that is done, shown and noted; a step that fails ends it. What passed for the same sources is not done
# again (build/release-steps). Nothing is published: what there is to publish lies in build/dist at the end.
# usage: release.sh VERSION [STEP...]      all steps, or these; `release.sh list` names them
set -u
cd "$(dirname "$0")/.." || exit 2
version=${1:?usage: release.sh VERSION [STEP...]}
notes=build/release-steps
fail() { echo "FAIL: $1"; exit 1; }

steps=(clean versions changelog abi tests sanitized all packages wheel array_api bench dist)
clean() { [ -z "$(git status --porcelain)" ] || { git status --short; return 1; }; }
versions() { # one number everywhere
    grep -q "^project(kiln VERSION $version " CMakeLists.txt || { echo "CMakeLists.txt has another version"; return 1; }
    grep -q "^version = \"$version\"" bindings/python/pyproject.toml || { echo "bindings/python/pyproject.toml has another version"; return 1; }
    grep -q "\"version\": \"$version\"" packaging/vcpkg/kiln/vcpkg.json || { echo "packaging/vcpkg/kiln/vcpkg.json has another version"; return 1; }
}
changelog() { # its first section is this version, with a date
    grep -m 1 '^## ' CHANGELOG.md | grep -Eq "^## $version( |, |\$).*[0-9]{4}-[0-9]{2}-[0-9]{2}" || { echo "CHANGELOG.md begins with: $(grep -m 1 '^## ' CHANGELOG.md)"; return 1; }
}
abi() { # what compiled programs rely on; a patch version changes nothing of it
    cmake --preset release >/dev/null && cmake --build --preset release --target kiln_shared kiln_media_shared kiln_models_shared &&
        python3 scripts/check-abi.py build/release/libkiln.so build/release/libkiln_media.so build/release/libkiln_models.so
}
tests() { make test; }
sanitized() { make test-sanitized; }
all() { make check-all; }
packages() { make package && { scripts/check-newcomer.sh build/package; [ $? -ne 1 ]; }; }
wheel() { rm -rf build/wheels && bindings/python/tools/make-wheel.sh build/release build/wheels && ls -l build/wheels; }
array_api() { # fewer than ten failures without a reason that the standard allows; its tests lie in ARRAY_API_TESTS
    [ -n "${ARRAY_API_TESTS-}" ] || { echo "ARRAY_API_TESTS names the folder of array-api-tests (with its submodule)"; return 1; }
    local python=$PWD/build/release/python/venv/bin/python skips=$PWD/bindings/python/tests/array-api-skips.txt
    "$python" -m pip install -q -r "$ARRAY_API_TESTS/requirements.txt" || return 1
    (cd "$ARRAY_API_TESTS" && ARRAY_API_TESTS_MODULE=kiln.numpy "$python" -m pytest -q -p no:cacheprovider array_api_tests --max-examples=20 --xfails-file "$skips")
}
bench() { make bench && scripts/bench-tables.py build/bench.json; }
dist() { # what is published, with its sums
    rm -rf build/dist && mkdir -p build/dist && git archive --prefix="kiln-$version/" -o "build/dist/kiln-$version.tar.gz" HEAD &&
        cp build/package/*.deb build/wheels/*.whl build/dist/ && (cd build/dist && sha256sum ./* >SHA256SUMS && cat SHA256SUMS)
}

[ "$version" = list ] && { printf '%s\n' "${steps[@]}"; exit 0; }
shift
[ $# -gt 0 ] && steps=("$@")
mkdir -p "$notes"
now=$(git rev-parse HEAD)
for step in "${steps[@]}"; do
    declare -F "$step" >/dev/null || fail "there is no step $step (release.sh list)"
    [ "$step" != clean ] && [ -e "$notes/$step" ] && [ "$(cat "$notes/$step")" = "$now" ] && { echo "passed before: $step"; continue; }
    echo "=== $step"
    "$step" || fail "$step"
    echo "$now" >"$notes/$step"
done
echo "version $version: ${#steps[@]} steps passed"
