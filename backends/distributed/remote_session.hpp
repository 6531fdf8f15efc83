#pragma once
// The client's end of a session that runs at a master.

#include "peers.hpp"
#include "state/held_state.hpp"

#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/runtime/options.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// The answer to one request, for which a thread waits.
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
    if (!link_) return;
    const error why(error_code::cancelled, "the session has ended");
    link_->close(why);
    link_->lost(why);  // drops the requests that nobody waits for any more: the transport may end before it calls lost()
  }

  std::string address() const override { return address_; }
  result<std::optional<std::uint32_t>> hold(const run_options& limits) override;
  void go_on() override;
  result<saved_state> save(const graph& g) override;
  error load(const graph& g, const saved_state& from) override;
  result<detail::places_elsewhere> places(const graph& g) override;
  result<std::shared_ptr<const detail::plan_parts>> plan_for(const graph& g, const detail::plan_request& request) override;

  // Identifies a prepared run at the master.
  struct handle {
    std::shared_ptr<asking_link> link;  // the handle is valid only for this link
    std::uint64_t session = 0;
    std::uint32_t number = 0;
  };
  // If the run proceeds in pieces, `needs` receives detail::feeds_behind(). It may be null.
  result<handle> prepare(const graph& g, const detail::plan_request& request, const run_options* options,
                         std::string* needs = nullptr);

  // Returns the time at which waiting ends by these options, which may be null.
  std::chrono::nanoseconds end_of(const run_options* options) const;
  // Returns an error if waiting must end now. `cancelled` is set by another thread that ends the run; it may be null.
  error check(const run_options* options, std::chrono::nanoseconds until, const std::atomic<bool>* cancelled) const;
  // Waits for `a` until `until`. `opening` is a link that may not be open yet; after some time the user is notified that it is not.
  // It may be null.
  error wait(const awaited& a, const run_options* options, std::chrono::nanoseconds until, const std::atomic<bool>* cancelled,
             const asking_link* opening = nullptr);
  // Sends a request without waiting for its answer. `number` receives the number of the request; it may be null.
  std::shared_ptr<awaited> ask(asking_link& to, recycled_text body, recycled_tensors tensors, std::uint64_t* number = nullptr);

  // The losses of state that the session's runs have reported.
  known_state& known() noexcept { return *known_; }
  // Returns the error to report for a run that has failed with `why`. `number` is the number of the loss at the master; 0: the
  // error is not a loss of state.
  error tell(const asking_link& over, const error& why, std::uint64_t number);

  // Makes all waiting threads check their conditions again.
  void wake();

private:
  error connect_locked(const run_options* options);
  void open_link_locked();
  // Sends the new nodes of the graph and then `more`. The returned answer begins after the error that the master has written into
  // it.
  using written = function_ref<void(byte_writer& to, recycled_tensors& tensors)>;
  result<frame> ask_of_graph(message_kind kind, const graph& g, written more, const run_options* options = nullptr);
  // Waits for the answer to `asked_`. If a deadline or a stop ends the wait, the next call goes on with it: until the answer has come,
  // it is unknown which nodes the master has. After another error the link is closed, and the next run connects again.
  result<frame> answer_locked(const run_options* options);
  // Reads the beginning of an answer: how many nodes the master has, and why it has refused the request.
  error begin_answer_locked(byte_reader& from);

  std::shared_ptr<transport> transport_;
  std::string address_;
  connect_options options_;
  bool soft_placement_, improves_;
  const std::shared_ptr<known_state> known_ = std::make_shared<known_state>();

  std::mutex mutex_;  // guards the following members
  std::shared_ptr<asking_link> link_;
  std::uint64_t session_ = 0;
  std::size_t sent_ = 0;  // number of nodes of the graph
  std::uint64_t connections_ = 0;
  error loss_;  // why the last link was lost
  // The last request over the link that opens a session or sends nodes; without `answer`: it has been answered.
  struct last_request {
    std::shared_ptr<awaited> answer;
    message_kind kind{};
    std::size_t nodes = 0;
    recycled_text wanted;

    bool opens() const noexcept { return answer && kind == message_kind::open; }
  };
  last_request asked_;
};

}  // namespace flowgraph::distributed
