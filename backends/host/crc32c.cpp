// The checksum CRC-32C. At run time it uses the processor's instruction for CRC-32C if there is one, else a table.
#include <flowgraph/formats/impl/crc32c.hpp>
