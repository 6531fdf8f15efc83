// Programs that read and write none of NumPy's files do not link it.
#include <flowgraph/formats/impl/npz.hpp>
