#pragma once
// What the tasks of these tests know by name.

#include <flowgraph/op/registry.hpp>

namespace flowgraph_test {

// All that the library has where the tests link its tables; elsewhere, as under the sanitizers, the ops and element types that the tests use.
const flowgraph::registry& cluster_ops();

}  // namespace flowgraph_test
