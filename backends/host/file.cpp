// Programs that read and write no file do not link it.
#include <flowgraph/formats/impl/file.hpp>
