// The passes that a session asks for by name: programs that name none do not link them.
#include <flowgraph/passes/impl/arithmetic.hpp>
#include <flowgraph/passes/impl/dead_switches.hpp>
#include <flowgraph/passes/impl/dependencies.hpp>
#include <flowgraph/passes/impl/known_shapes.hpp>
