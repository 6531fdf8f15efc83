#pragma once
// Plans the bodies of loops, and the body of the root.

#include <flowgraph/runtime/planning/impl/body_planner.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Plans the bodies of all loops that can have a schedule. A loop that threads can speed up keeps the ready queue.
inline void plan_loop_bodies(plan& p, bool has_threads) {
  p.loops = std::make_shared<sequence<body_plan>>();
  for (auto frame = static_cast<std::uint32_t>(p.frames.size()); frame-- > 1;) {
    body_plan result;
    body_planner maker(p, frame);
    p.frames[frame].queued = maker.make(result);
    if (p.frames[frame].queued) continue;
    if (has_threads && maker.overlap().is_possible()) {
      p.frames[frame].queued = "threads can run iterations of the loop, or kernels of one iteration, at the same time";
      continue;
    }
    result.is_heavy = maker.overlap().is_heavy();
    p.frames[frame].loop = static_cast<std::uint32_t>(p.loops->size());
    p.loops->push_back(std::move(result));
  }
  for (std::uint32_t k = 0; k < p.loops->size(); ++k) {
    body_plan& loop = (*p.loops)[k];
    plan_frame& around = p.frames[p.frames[loop.frame].parent];
    plan_record whole;
    whole.site = p.records[loop.enters.front().record].site;
    whole.table = whole.site->op;
    whole.kind = record_kind::loop, whole.control = control_flow::loop;
    whole.loop = k;
    whole.frame = whole.output_frame = p.frames[loop.frame].parent;
    whole.local = static_cast<std::uint32_t>(around.records.size());
    loop.record = static_cast<std::uint32_t>(p.records.size());
    around.records.push_back(loop.record);
    p.records.push_back(whole);
  }
}

// Plans the root's body. Returns null, or why it has no schedule: for example, threads could run inner loops at the same time.
inline const char* plan_root_body(const plan& p, bool has_threads, body_plan& body) {
  body_planner maker(p, 0);
  const char* const why = maker.make(body);
  return why || !has_threads || !maker.overlap().is_possible_for_loops() ? why : "threads can run loops at the same time";
}

}  // namespace flowgraph::detail
