#pragma once
// A session that runs at a master, as its client sees it.

#include "peers.hpp"
#include "state/held_state.hpp"

#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/runtime/options.hpp>
#include <flowgraph/runtime/plan.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// What one request of this thread waits for.
struct awaited {
  std::atomic<bool> is_there{false};
  error why;
  frame came;
};

class remote_session final : public detail::session_elsewhere, public std::enable_shared_from_this<remote_session> {
public:
  remote_session(std::shared_ptr<transport> by, std::string address, const connect_options& options, const session_options& here)
      : transport_(std::move(by)), address_(std::move(address)), options_(options), soft_placement_(here.soft_placement),
        improves_(!here.dynamic) {}
  ~remote_session() override {
    if (link_) link_->close(error(error_code::cancelled, "the session has ended"));
  }

  std::string address() const override { return address_; }
  result<std::optional<std::uint32_t>> hold(const run_options& limits) override;
  void go_on() override;
  result<saved_state> save(const graph& g) override;
  error load(const graph& g, const saved_state& from) override;
  result<detail::places_elsewhere> places(const graph& g) override;
  result<std::shared_ptr<const detail::plan_parts>> plan_for(const graph& g, const detail::plan_request& request) override;

  // A run as the master knows it.
  struct handle {
    std::shared_ptr<asking_link> link;  // it is good for this link alone
    std::uint64_t session = 0;
    std::uint32_t number = 0;
  };
  // `needs`: gets detail::feeds_behind() where it is to run in pieces; may be null.
  result<handle> prepare(const graph& g, const detail::plan_request& request, const run_options* options,
                         std::string* needs = nullptr);

  // When waiting is over by these options, which may be null.
  std::chrono::nanoseconds end_of(const run_options* options) const;
  // Why there is no more waiting, if so. `cancelled`: another thread ends it; may be null.
  error check(const run_options* options, std::chrono::nanoseconds until, const std::atomic<bool>* cancelled) const;
  // Waits so long. `opening`: a link that may not be open yet, of which the user is told; may be null.
  error wait(const awaited& a, const run_options* options, std::chrono::nanoseconds until, const std::atomic<bool>* cancelled,
             const asking_link* opening = nullptr);
  // Asks, and goes on at once. `number`: gets that of the request; may be null.
  std::shared_ptr<awaited> ask(asking_link& to, recycled_text body, recycled_tensors tensors, std::uint64_t* number = nullptr);

  // The losses of state that its runs have reported.
  known_state& known() noexcept { return *known_; }
  // Of a run that has ended so: the error for whoever waits for it. `number`: as the master has it, 0: it tells of no loss.
  error tell(const asking_link& over, const error& why, std::uint64_t number);

  // Whoever waits looks again.
  void wake();

private:
  error connect_locked(const run_options* options);
  // Sends what the graph has got, and `more` behind it. The answer begins behind the master's own error.
  using written = function_ref<void(byte_writer& to, recycled_tensors& tensors)>;
  result<frame> ask_of_graph(message_kind kind, const graph& g, written more, const run_options* options = nullptr);
  error ask_and_wait(asking_link& to, body_of body, recycled_tensors tensors, frame& came, const run_options* options);

  std::shared_ptr<transport> transport_;
  std::string address_;
  connect_options options_;
  bool soft_placement_, improves_;
  const std::shared_ptr<known_state> known_ = std::make_shared<known_state>();

  std::mutex mutex_;  // guards what follows
  std::shared_ptr<asking_link> link_;
  std::uint64_t session_ = 0;
  std::size_t sent_ = 0;  // nodes of the graph
  std::uint64_t connections_ = 0;
  error loss_;  // of the last one
};

}
}
}  // namespace flowgraph::distributed
