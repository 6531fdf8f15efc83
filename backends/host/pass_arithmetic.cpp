// A pass of its own: programs that do not name it do not link it.
#include <flowgraph/passes/impl/arithmetic.hpp>
