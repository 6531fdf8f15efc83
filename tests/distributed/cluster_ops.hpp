#pragma once
// The ops that the tasks of these tests have.

#include <flowgraph/op/registry.hpp>

namespace flowgraph_test {

// Returns all standard ops if the tests link their tables. Otherwise, as under sanitizers, it returns the ops and element types
// that the tests use.
const flowgraph::registry& cluster_ops();

}  // namespace flowgraph_test
