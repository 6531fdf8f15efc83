#include <flowgraph/train/impl/optimizer.hpp>
