#include <flowgraph/flowgraph.hpp>

flowgraph::out<float> doubled(flowgraph::out<float> x);
flowgraph::out<float> doubled(flowgraph::out<float> x) { return x + x; }
