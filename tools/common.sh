# Shared by the tools: what they need is found, or installed and said so.

say() { printf '\n== %s\n' "$*"; }
have() { command -v "$1" > /dev/null 2>&1; }

# Installs the Debian or Ubuntu packages named, as root or with sudo. With none named it does nothing.
install_packages() {
  [ $# -gt 0 ] || return 0
  say "installing: $*"
  if ! have apt-get; then
    echo "this system has no apt-get; install by hand what corresponds to: $*" >&2
    exit 1
  fi
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    have sudo || { echo "not root and no sudo; have somebody install: $*" >&2; exit 1; }
    as_root=sudo
  fi
  $as_root apt-get update -qq
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# Prints the package $2 if there is no command $1.
unless_command() { have "$1" || echo "$2"; }

# Prints what a build needs and this machine lacks.
missing_for_build() {
  unless_command g++ g++
  unless_command cmake cmake
  unless_command ninja ninja-build
}

# Prints what reading the headers for the reference needs: clang's syntax tree, from Python.
missing_for_reference() {
  [ -x /usr/bin/python3 ] || echo python3
  [ -e /usr/lib/python3/dist-packages/clang/cindex.py ] || echo python3-clang-16
}

# Prints what the tests need beyond that; clang-tidy is for the full suite alone ($suite of tools/test).
missing_for_tests() {
  unless_command pkg-config pkg-config
  unless_command nm binutils
  unless_command awk mawk
  unless_command valgrind valgrind
  [ -n "${FETCHCONTENT_SOURCE_DIR_DOCTEST-}" ] || [ -e /usr/include/doctest/doctest.h ] || [ -e /usr/local/include/doctest/doctest.h ] ||
    echo doctest-dev
  [ -e /usr/include/zlib.h ] || [ -e /usr/local/include/zlib.h ] || echo zlib1g-dev
  [ -e /usr/include/jpeglib.h ] || [ -e /usr/local/include/jpeglib.h ] || echo libjpeg-dev
  [ -e /usr/include/gif_lib.h ] || [ -e /usr/local/include/gif_lib.h ] || echo libgif-dev
  [ -e /usr/include/protozero/pbf_reader.hpp ] || [ -e /usr/local/include/protozero/pbf_reader.hpp ] || echo libprotozero-dev
  [ -e /usr/include/asio.hpp ] || [ -e /usr/local/include/asio.hpp ] || echo libasio-dev
  [ -e /usr/include/openssl/ssl.h ] || [ -e /usr/local/include/openssl/ssl.h ] || echo libssl-dev
  unless_command openssl openssl
  # What cuts the links of hosts that only root can make.
  [ "$(id -u)" -ne 0 ] || { unless_command ip iproute2; unless_command nft nftables; }
  [ -e /usr/include/cereal/cereal.hpp ] || [ -e /usr/local/include/cereal/cereal.hpp ] || echo libcereal-dev
  unless_command clang++-16 clang-16
  unless_command clang-format-16 clang-format-16
  missing_for_reference
  if [ "${suite-}" = full ]; then
    unless_command clang-tidy-16 clang-tidy-16
    unless_command mpirun.openmpi openmpi-bin
    unless_command mpirun.mpich mpich
    unless_command srun slurm-wlm
  fi
  [ -e "$(clang++-16 --print-file-name="libclang_rt.tsan-$(uname -m).a" 2> /dev/null)" ] || echo libclang-rt-16-dev
}

# Whether there is a compiler cache that is as good as empty.
has_empty_cache() {
  have ccache && [ "$(ccache --print-stats 2> /dev/null | awk '$1 == "files_in_cache" { print $2 }')" -lt 200 ] 2> /dev/null
}

# Arguments for every configuration of CMake: a compiler cache where there is one that is wanted.
use_build_tools() {
  export CMAKE_GENERATOR=Ninja
  launcher=
  [ -n "${FLOWGRAPH_WITHOUT_CACHE-}" ] || ! have ccache || launcher=ccache
  jobs=$(nproc 2> /dev/null || echo 2)
}
