#pragma once

#include <flowgraph/functors/bessel.hpp>
#include <flowgraph/ops/shared/detail/pointwise.hpp>
#include <flowgraph/ops/math/bessel.hpp>
