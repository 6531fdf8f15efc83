// The ops of most programs and the optimizers, with their bodies.

#include <flowgraph/flowgraph.hpp>
