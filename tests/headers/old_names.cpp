// Names that were replaced still work for one release.

#include <flowgraph/placement/hold_transfers.hpp>
#include <flowgraph/runtime/explain.hpp>
#include <flowgraph/runtime/joint_run.hpp>
#include <flowgraph/train/schedule.hpp>
#include <flowgraph/train/schedule_hook.hpp>

#include <type_traits>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

namespace fg = flowgraph;

static_assert(std::is_same_v<fg::hold_transfers, fg::delay_transfers>);
static_assert(std::is_same_v<fg::joint_part, fg::joint_graph>);
static_assert(std::is_same_v<fg::explained_frame, fg::explained_loop>);
static_assert(std::is_same_v<fg::schedule_hook, fg::rate_schedule_hook>);
static_assert(std::is_same_v<fg::schedule_options, fg::rate_schedule_options>);
