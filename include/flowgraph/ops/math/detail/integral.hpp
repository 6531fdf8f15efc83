#pragma once

#include <flowgraph/functors/integrals.hpp>
#include <flowgraph/ops/shared/detail/pointwise.hpp>
#include <flowgraph/ops/math/integral.hpp>
