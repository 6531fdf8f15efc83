// Passes that a session names in its options: not linked into programs that name no pass.
#include <flowgraph/passes/impl/arithmetic.hpp>
#include <flowgraph/passes/impl/dead_switches.hpp>
#include <flowgraph/passes/impl/dependencies.hpp>
#include <flowgraph/passes/impl/known_shapes.hpp>
