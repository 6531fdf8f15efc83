// What happens once a signature or once a run: built for size, as cmake/compiled.cmake says.
#include <flowgraph/runtime/impl/executor.hpp>
#include <flowgraph/runtime/impl/frame.hpp>
#include <flowgraph/passes/impl/improve.hpp>
#include <flowgraph/passes/impl/merge_common.hpp>
#include <flowgraph/passes/impl/prune.hpp>
#include <flowgraph/passes/impl/prune_identities.hpp>
#include <flowgraph/passes/impl/waiting_constant.hpp>
#include <flowgraph/runtime/impl/plan.hpp>
#include <flowgraph/runtime/impl/placement.hpp>
#include <flowgraph/runtime/impl/assign.hpp>
#include <flowgraph/runtime/impl/arena_schedule.hpp>
#include <flowgraph/runtime/impl/root_schedule.hpp>
#include <flowgraph/runtime/impl/session.hpp>
#include <flowgraph/runtime/impl/step.hpp>
#include <flowgraph/runtime/impl/variable_set.hpp>
#include <flowgraph/runtime/impl/interruption_checks.hpp>
