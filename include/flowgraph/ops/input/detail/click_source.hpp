#pragma once

#include <flowgraph/ops/input/click_source.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/click_source.hpp>
#endif
