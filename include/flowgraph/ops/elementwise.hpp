#pragma once
// The former place of ops/shared/elementwise.hpp.

#include <flowgraph/ops/shared/elementwise.hpp>
