// The instruction that sums up checksums is chosen when the program runs.
#include <flowgraph/formats/impl/crc32c.hpp>
