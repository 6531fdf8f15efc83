#pragma once
// Runs of a session that runs at a master.

#include "remote_session.hpp"

#include <flowgraph/runtime/plan_runner.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// The edges of a run, of the client's graph.
struct remote_edges {
  graph of;
  std::vector<any_out> feeds, fetches;
  std::vector<target> targets;
  bool is_in_pieces = false;
};

class remote_parts final : public detail::plan_parts {
public:
  remote_parts(std::shared_ptr<remote_session> in, remote_edges edges, remote_session::handle known,
               remote_session::feeds_of_fetches needs)
      : session_(std::move(in)), edges_(std::move(edges)), needs_(std::move(needs)), handle_(std::move(known)) {}

  detail::parts_report report() const override { return {}; }
  std::shared_ptr<detail::plan_runner> make_runner(std::shared_ptr<const detail::plan> whole, const run_services&) const override;
  const remote_session::feeds_of_fetches* feeds_behind() const override { return edges_.is_in_pieces ? &needs_ : nullptr; }

  remote_session& session() const noexcept { return *session_; }
  std::size_t feeds() const noexcept { return edges_.feeds.size(); }
  std::size_t fetches() const noexcept { return edges_.fetches.size(); }
  // Prepares anew where the master has been lost since.
  result<remote_session::handle> current(const run_options& options) const;

private:
  std::shared_ptr<remote_session> session_;
  remote_edges edges_;
  remote_session::feeds_of_fetches needs_;
  mutable std::mutex mutex_;
  mutable remote_session::handle handle_;
};

// What all runs have.
class remote_run : public detail::plan_runner {
public:
  std::span<detail::random_ordinal> ordinals() noexcept override { return {}; }
  void cancel(const error& why) override;
  resting rests() override { return resting::no; }
  void close() override {}

protected:
  remote_run(std::shared_ptr<const detail::plan> whole, const remote_parts& parts) : parts_(parts), whole_(std::move(whole)) {}

  // Why it is over, where another thread has ended it; else `why`.
  error cause(const error& why);
  // The master need not go on with it.
  static void give_up(const remote_session::handle& at, std::uint64_t asked, const error& why);

  const remote_parts& parts_;
  std::atomic<bool> is_cancelled_{false};

private:
  std::shared_ptr<const detail::plan> whole_;  // owns the parts
  std::mutex mutex_;
  error cancelled_;
};

}
}
}  // namespace flowgraph::distributed
