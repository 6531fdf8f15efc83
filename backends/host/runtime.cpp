// Work that happens for every node of a run: the only source of the engine that is built for speed.
#include <flowgraph/core/impl/buffer.hpp>
#include <flowgraph/core/impl/far_memory.hpp>
#include <flowgraph/core/impl/sequence.hpp>
#include <flowgraph/core/impl/tensor.hpp>
#include <flowgraph/runtime/impl/call.hpp>
#include <flowgraph/runtime/impl/call_steps.hpp>
#include <flowgraph/runtime/impl/driving.hpp>
#include <flowgraph/runtime/impl/flow_rules.hpp>
#include <flowgraph/runtime/impl/kept_memory.hpp>
#include <flowgraph/runtime/impl/owned_root.hpp>
#include <flowgraph/runtime/impl/owned_schedule.hpp>
#include <flowgraph/runtime/impl/schedule.hpp>
#include <flowgraph/runtime/impl/values_in_arena.hpp>
