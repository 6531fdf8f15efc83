#pragma once

#include <flowgraph/ops/strings/detail/pattern.hpp>
#include <flowgraph/ops/strings/regex.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/regex.hpp>
#endif
