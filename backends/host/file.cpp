// Files: not linked into programs that read and write no files.
#include <flowgraph/formats/impl/file.hpp>
