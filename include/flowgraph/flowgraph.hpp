#pragma once
// Everything a program that builds, runs and trains graphs needs: the engine, the standard ops, the optimizers.
//
//     #include <flowgraph/flowgraph.hpp>
//     namespace fg = flowgraph;
//
// Each header below can be included alone as well.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/graph/apply.hpp>
#include <flowgraph/graph/by_name.hpp>
#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/graph/print.hpp>
#include <flowgraph/graph/registration.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/op/registry.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/activation.hpp>
#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/array.hpp>
#include <flowgraph/ops/bias.hpp>
#include <flowgraph/ops/cast.hpp>
#include <flowgraph/ops/comparison.hpp>
#include <flowgraph/ops/concat.hpp>
#include <flowgraph/ops/constant.hpp>
#include <flowgraph/ops/control_flow.hpp>
#include <flowgraph/ops/convolution.hpp>
#include <flowgraph/ops/dropout.hpp>
#include <flowgraph/ops/fill.hpp>
#include <flowgraph/ops/gather.hpp>
#include <flowgraph/ops/identity.hpp>
#include <flowgraph/ops/initializer.hpp>
#include <flowgraph/ops/math.hpp>
#include <flowgraph/ops/matmul.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/pool.hpp>
#include <flowgraph/ops/random.hpp>
#include <flowgraph/ops/reduction.hpp>
#include <flowgraph/ops/reshape.hpp>
#include <flowgraph/ops/resource_variable.hpp>
#include <flowgraph/ops/scatter.hpp>
#include <flowgraph/ops/slice.hpp>
#include <flowgraph/ops/softmax.hpp>
#include <flowgraph/ops/training.hpp>
#include <flowgraph/ops/transpose.hpp>
#include <flowgraph/ops/unique.hpp>
#include <flowgraph/ops/variable.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/optimizer.hpp>
#include <flowgraph/version.hpp>
