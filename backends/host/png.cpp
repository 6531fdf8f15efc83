// With zlib where the build has it: cmake/zlib.cmake.
#include <flowgraph/formats/impl/png_reader.hpp>
