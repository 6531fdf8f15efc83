// Work that happens for every node of a run: the only source of the engine that is built for speed.
#include <flowgraph/core/impl/buffer.hpp>
#include <flowgraph/core/impl/far_memory.hpp>
#include <flowgraph/core/impl/large_blocks.hpp>
#include <flowgraph/core/impl/sequence.hpp>
#include <flowgraph/core/impl/tensor.hpp>
#include <flowgraph/runtime/queue/impl/call.hpp>
#include <flowgraph/runtime/impl/call_steps.hpp>
#include <flowgraph/runtime/queue/impl/driving.hpp>
#include <flowgraph/runtime/schedule/impl/flow_rules.hpp>
#include <flowgraph/runtime/schedule/impl/kept_memory.hpp>
#include <flowgraph/runtime/schedule/impl/owned_root.hpp>
#include <flowgraph/runtime/schedule/impl/owned_schedule.hpp>
#include <flowgraph/runtime/schedule/impl/schedule.hpp>
#include <flowgraph/runtime/schedule/impl/scalar_loop.hpp>
#include <flowgraph/runtime/schedule/impl/values_in_arena.hpp>
