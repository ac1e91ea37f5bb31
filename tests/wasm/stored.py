# SPDX-License-Identifier: Apache-2.0
"""An archive with the same files, none of them compressed, for modules that have no zlib: stored.py FROM TO"""
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as source, zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_STORED) as target:
    for name in source.namelist():
        target.writestr(name, source.read(name))
