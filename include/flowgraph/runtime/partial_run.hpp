#pragma once
// A run in pieces: feeds arrive as they become known, fetches leave as soon as they can.
//
//     auto p = s.try_begin_partial(edges_to_feed, edges_to_fetch).value();
//     auto first = p.try_continue({{x, value}}, {y});          // y must not need what has not been fed yet
//     auto rest = p.try_continue({{z, other}}, {w});
//
// Belongs to one thread. Each edge is fed once and fetched once; an error ends the run, dropping the handle cancels it.

#include <flowgraph/core/owned.hpp>
#include <flowgraph/runtime/feed.hpp>

#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {
struct session_state;
struct partial_state;
}  // namespace detail

// A run that goes on piece by piece.
class partial_run {
public:
  explicit partial_run(owned<detail::partial_state> state) noexcept;
  partial_run(partial_run&&) noexcept;
  partial_run& operator=(partial_run&&) noexcept;
  ~partial_run();

  // Feeds these edges and gives those, as soon as they are computed. A fetch that depends on an edge not fed yet is refused before
  // anything is fed or runs.
  result<std::vector<any_tensor>> try_continue(std::span<const fed> feeds, std::span<const any_out> fetches);

private:
  owned<detail::partial_state> state_;
};

}
}  // namespace flowgraph
