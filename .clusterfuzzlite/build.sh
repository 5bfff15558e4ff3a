#!/bin/bash -eu
# Builds the fuzz targets into $OUT, each with its seeds, dictionary and options.  The base image
# sets SRC, OUT and WORK, and has compile_python_fuzzer, which packs a program and what it imports.

pip3 install .

# What is only found when it runs: codecs by their document, data of the packages.
packed=()
for package in rpcrdma fuzz conformance targets reports; do
  packed+=(--collect-submodules "$package" --collect-data "$package")
done

for target in $(python3 -m fuzz.oss_fuzz.build "$WORK/targets" "$OUT"); do
  compile_python_fuzzer "$WORK/targets/$target.py" "${packed[@]}"
done
