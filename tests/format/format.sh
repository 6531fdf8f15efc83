#!/bin/sh
# format.sh CLANG_FORMAT SOURCE: fails, and shows the places, where a source below SOURCE is not as .clang-format has it.
set -eu
case $1 in *-NOTFOUND | '') echo "there is no clang-format-16: skipped"; exit 77 ;; esac
cd "$2"
# elsewhere.hpp and the single header are written by tools; fixtures hold faults on purpose.
find include backends tests bench examples programs tools \( -name '*.hpp' -o -name '*.cpp' \) ! -name elsewhere.hpp ! -path '*/fixture/*' -print |
  xargs "$1" --dry-run -Werror
