#include <flowgraph/graph/impl/gradients.hpp>
#include <flowgraph/graph/impl/graph.hpp>
#include <flowgraph/graph/impl/node.hpp>
