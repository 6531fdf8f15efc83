#!/bin/sh
# tidy.sh CLANG_TIDY SOURCE_TREE FILE: fails where clang-tidy finds a fault in a header that FILE includes.
set -eu
case $1 in *-NOTFOUND | '') echo "there is no clang-tidy-16: skipped"; exit 77 ;; esac
cd "$2"
"$1" --quiet "$3" -- -std=c++20 -Iinclude -Wno-pragma-once-outside-header
