#include <flowgraph/formats/impl/byte_stream.hpp>
#include <flowgraph/formats/impl/record_file.hpp>
