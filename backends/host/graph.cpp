#include <flowgraph/graph/impl/body_scope.hpp>
#include <flowgraph/graph/impl/by_name.hpp>
#include <flowgraph/graph/impl/gradient_walk.hpp>
#include <flowgraph/graph/impl/gradients.hpp>
#include <flowgraph/graph/impl/graph.hpp>
#include <flowgraph/graph/impl/loop_map.hpp>
#include <flowgraph/graph/impl/node.hpp>
#include <flowgraph/graph/impl/print.hpp>
