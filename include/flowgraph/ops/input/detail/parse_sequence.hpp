#pragma once

#include <flowgraph/ops/input/detail/features.hpp>
#include <flowgraph/ops/input/parse_sequence.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/parse_sequence.hpp>
#endif
