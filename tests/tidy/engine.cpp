// The engine, with all of its bodies.

#include <flowgraph/deploy/freeze.hpp>
#include <flowgraph/graph/summary.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/interop/saved_model.hpp>
#include <flowgraph/runtime/session.hpp>
