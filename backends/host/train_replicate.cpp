#include <flowgraph/train/impl/replicate.hpp>
