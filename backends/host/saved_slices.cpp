// Checkpoints of the first kind, for old graphs.
#include <flowgraph/formats/impl/saved_slices.hpp>
