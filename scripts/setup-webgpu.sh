#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings what the devices webgpu:N need to a machine: a driver in software, if there is no Vulkan (Debian's mesa-vulkan-drivers, by apt-get where
# it may), and an engine below build/webgpu: wgpu-native out of the wheel `wgpu` of PyPI. Prints KILN_WEBGPU_LIBRARY=... for the shell, and
# writes the path to build/webgpu/library, where scripts/run-tests.sh looks. What is there already is not brought again.
# usage: setup-webgpu.sh [--dawn]      --dawn: prints Dawn's library instead, out of npm's package bun-webgpu-linux-x64
set -u
cd "$(dirname "$0")/.." || exit 2
folder=$PWD/build/webgpu version=0.32.0 dawn=0.1.7
mkdir -p "$folder"
have() { command -v "$1" >/dev/null 2>&1; }
fail() { echo "no WebGPU: $1" >&2; exit 1; }

has_driver() {
    [ -n "${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-}" ] && return
    [ "$(uname -s)" = Linux ] || return 0 # Metal and D3D12 come with the system
    [ -n "$(ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json 2>/dev/null)" ]
}
bring_driver() {
    local as_root=() packages=(mesa-vulkan-drivers libvulkan1)
    has_driver && return
    have apt-get || fail "there is no Vulkan driver, and no apt-get to install one with (Debian: ${packages[*]})"
    if [ "$(id -u)" -ne 0 ]; then
        have sudo || fail "there is no Vulkan driver, and installing one needs root (Debian: ${packages[*]})"
        as_root=(sudo -n)
    fi
    echo "installing with apt-get: ${packages[*]}" >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >&2 ||
        fail "apt-get could not install ${packages[*]}"
}

# The library out of the wheel; what the wheel needs for Python is not installed.
bring_wgpu() {
    library=$(ls "$folder"/wgpu-$version/*wgpu_native* 2>/dev/null | head -n 1)
    [ -n "$library" ] && return
    local pip=(python3 -m pip)
    if ! python3 -m pip --version >/dev/null 2>&1; then
        python3 -m venv "$folder/venv" >&2 || fail "there is no pip for python3"
        pip=("$folder/venv/bin/pip")
    fi
    "${pip[@]}" download -q --disable-pip-version-check --no-deps --only-binary :all: -d "$folder" "wgpu==$version" >&2 ||
        fail "pip could not download wgpu $version"
    python3 - "$folder" $version <<'PYTHON' || fail "the wheel has no library"
import glob, os, sys, zipfile
folder, version = sys.argv[1:]
to = os.path.join(folder, "wgpu-" + version)
os.makedirs(to, exist_ok=True)
found = False
for wheel in glob.glob(os.path.join(folder, f"wgpu-{version}-*.whl")):
    with zipfile.ZipFile(wheel) as z:
        for name in z.namelist():
            base = os.path.basename(name)
            if "wgpu_native" in base or base in ("webgpu.h", "wgpu.h"):
                with open(os.path.join(to, base), "wb") as f:
                    f.write(z.read(name))
                found |= "wgpu_native" in base
    os.remove(wheel)
sys.exit(not found)
PYTHON
    library=$(ls "$folder"/wgpu-$version/*wgpu_native* | head -n 1)
}

bring_dawn() {
    library=$folder/dawn-$dawn/libwebgpu_wrapper.so
    [ -f "$library" ] && return
    have npm || fail "there is no npm to bring Dawn with"
    (cd "$folder" && npm pack --silent "bun-webgpu-linux-x64@$dawn" >&2 && tar -xzf "bun-webgpu-linux-x64-$dawn.tgz" &&
        rm -rf "dawn-$dawn" && mv package "dawn-$dawn" && rm "bun-webgpu-linux-x64-$dawn.tgz") || fail "npm could not download Dawn"
}

bring_driver
if [ "${1-}" = --dawn ]; then
    bring_dawn
else
    bring_wgpu
    echo "$library" >"$folder/library"
fi
echo "KILN_WEBGPU_LIBRARY=$library"
