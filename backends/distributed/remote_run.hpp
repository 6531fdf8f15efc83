#pragma once
// Runs of a remote session.

#include "remote_session.hpp"

#include <flowgraph/runtime/queue/plan_runner.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// The edges of a run, in the client's graph.
struct remote_edges {
  graph of;
  std::vector<any_out> feeds, fetches;
  std::vector<target> targets;
  bool is_partial_run = false;
};

class remote_parts final : public detail::plan_parts {
public:
  remote_parts(std::shared_ptr<remote_session> in, remote_edges edges, remote_session::handle known, std::string needs)
      : plan_parts(&make_runner), session_(std::move(in)), edges_(std::move(edges)), needs_(std::move(needs)),
        handle_(std::move(known)) {}

  detail::parts_report report() const override { return {}; }
  static std::shared_ptr<detail::plan_runner> make_runner(const plan_parts& of, std::shared_ptr<const detail::plan> whole,
                                                          const run_services&);
  const std::string* feeds_behind() const override { return edges_.is_partial_run ? &needs_ : nullptr; }

  remote_session& session() const noexcept { return *session_; }
  const remote_edges& edges() const noexcept { return edges_; }
  // Returns the master's handle of this run. Prepares the run again if the master was lost since.
  result<remote_session::handle> current(const run_options& options) const;

private:
  std::shared_ptr<remote_session> session_;
  remote_edges edges_;
  std::string needs_;
  mutable std::mutex mutex_;
  mutable remote_session::handle handle_;
};

}  // namespace flowgraph::distributed
