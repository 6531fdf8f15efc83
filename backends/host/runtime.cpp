// What happens at every node of a run: the one part of the engine that is built for speed.
#include <flowgraph/core/impl/buffer.hpp>
#include <flowgraph/core/impl/tensor.hpp>
#include <flowgraph/runtime/impl/call.hpp>
#include <flowgraph/runtime/impl/driving.hpp>
#include <flowgraph/runtime/impl/flow_line.hpp>
#include <flowgraph/runtime/impl/flow_rules.hpp>
#include <flowgraph/runtime/impl/kept_memory.hpp>
#include <flowgraph/runtime/impl/loop_walk.hpp>
