// What happens once a signature: built for size, as cmake/compiled.cmake says.

#include <flowgraph/runtime/impl/plan.hpp>
#include <flowgraph/runtime/impl/session.hpp>
#include <flowgraph/runtime/impl/step.hpp>
