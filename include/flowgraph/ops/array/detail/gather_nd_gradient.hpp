#pragma once
// The gradient of GatherNd scatters: it is defined with ScatterNd, whose header needs GatherNd declared.

#include <flowgraph/ops/array/scatter_nd.hpp>
