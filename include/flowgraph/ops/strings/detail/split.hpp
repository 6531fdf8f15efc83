#pragma once

#include <flowgraph/ops/strings/split.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/split.hpp>
#endif
