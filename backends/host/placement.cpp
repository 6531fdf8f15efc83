// Placement by cost: built for size, and linked only into programs that name it.
#include <flowgraph/placement/impl/placer.hpp>
#include <flowgraph/placement/impl/simulation.hpp>
