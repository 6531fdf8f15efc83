#include <flowgraph/formats/impl/crc32c.hpp>
