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
#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/dropout.hpp>
#include <flowgraph/ops/initializer.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/optimizer.hpp>
#include <flowgraph/version.hpp>
