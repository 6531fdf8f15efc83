#pragma once
// The former location of ops/shared/elementwise.hpp.

#include <flowgraph/ops/shared/elementwise.hpp>
