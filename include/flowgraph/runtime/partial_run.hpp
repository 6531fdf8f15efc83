#pragma once
// A run in several calls: feeds are passed as they become known, and fetches are returned as soon as they can be computed.
//
//     auto p = s.try_begin_partial(edges_to_feed, edges_to_fetch).value();
//     auto first = p.try_continue({{x, value}}, {y});          // y must not depend on edges that are not fed yet
//     auto rest = p.try_continue({{z, other}}, {w});
//
// It belongs to one thread. Each edge is fed once and fetched once. An error ends the run, and destroying the handle cancels it.

#include <flowgraph/core/owned.hpp>
#include <flowgraph/runtime/feed.hpp>

#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {
struct session_state;
struct partial_state;
}  // namespace detail

// A run that continues in several calls.
class partial_run {
public:
  explicit partial_run(owned<detail::partial_state> state) noexcept;
  partial_run(partial_run&&) noexcept;
  partial_run& operator=(partial_run&&) noexcept;
  ~partial_run();

  // Feeds these edges, and returns these fetches as soon as they are computed. If a fetch depends on an edge that is not fed yet,
  // the call returns an error before anything is fed or runs.
  result<std::vector<any_tensor>> try_continue(std::span<const fed> feeds, std::span<const any_out> fetches);

private:
  owned<detail::partial_state> state_;
};

}  // namespace flowgraph
