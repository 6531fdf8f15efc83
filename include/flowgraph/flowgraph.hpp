#pragma once
// The main header, for programs that build, run and train graphs: the engine, the common ops, and the optimizers.
//
//     #include <flowgraph/flowgraph.hpp>
//     namespace fg = flowgraph;
//
// Each header below can also be included by itself.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/elsewhere.hpp>
#include <flowgraph/graph/apply.hpp>
#include <flowgraph/graph/by_name.hpp>
#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/graph/print.hpp>
#include <flowgraph/graph/registration.hpp>
#include <flowgraph/graph/summary.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/op/registry.hpp>
#include <flowgraph/ops/common.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/for_range.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/ops/random/initializer.hpp>
#include <flowgraph/ops/standard.hpp>
#include <flowgraph/passes/arithmetic.hpp>
#include <flowgraph/passes/dead_switches.hpp>
#include <flowgraph/passes/dependencies.hpp>
#include <flowgraph/passes/group_elementwise.hpp>
#include <flowgraph/passes/known_shapes.hpp>
#include <flowgraph/runtime/feed.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/optimizer.hpp>
#include <flowgraph/version.hpp>
