#pragma once

#include <flowgraph/ops/input/clicks.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/clicks.hpp>
#endif
