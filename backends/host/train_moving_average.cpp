#include <flowgraph/train/impl/moving_average.hpp>
