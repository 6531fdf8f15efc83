#include <flowgraph/train/impl/moving_average.hpp>
#include <flowgraph/train/impl/optimizer.hpp>
