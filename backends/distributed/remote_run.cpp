#include "remote_run.hpp"

#include "tracing/trace_bytes.hpp"

#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

using namespace detail;

result<remote_session::handle> remote_parts::current(const run_options& options) const {
  const std::lock_guard lock(mutex_);
  if (!handle_.link->is_lost()) return handle_;
  auto result = session_->prepare(
      edges_.of,
      {.feeds = edges_.feeds, .fetches = edges_.fetches, .targets = edges_.targets, .is_partial_run = edges_.is_partial_run},
      &options);
  if (result) handle_ = *result;
  return result;
}

namespace {

// Runs a plan at the master with one request, which is answered at the end of the run. A partial run also sends a request per
// piece.
class remote_runner final : public plan_runner {
public:
  remote_runner(std::shared_ptr<const plan> whole, const remote_parts& parts)
      : whole_(std::move(whole)), parts_(parts), session_(parts.session()), feeds_(parts.edges().feeds.size()),
        fetches_(parts.edges().fetches.size()) {}

  std::span<random_ordinal> ordinals() noexcept override { return {}; }
  // For a partial run, the master counts the run from now on, but runs nothing before the first piece.
  void start(const run_options& options, bool in_pieces) override {
    options_ = &options;
    losses_ = session_.known().losses();
    until_ = session_.end_of(options_);
    in_pieces_ = in_pieces;
    if (in_pieces) pieces_.refused = ask();
  }
  void feed(std::size_t index, const any_tensor& value) override {
    feeds_[index] = value;
    if (in_pieces_) pieces_.fed.push_back(static_cast<std::uint32_t>(index));
  }
  void want(std::span<const std::size_t> fetches) override {
    pieces_.wanted.clear();
    for (const std::size_t f : fetches)
      if (!fetches_[f].is_there) pieces_.wanted.push_back(static_cast<std::uint32_t>(f));
  }
  error drive() override {
    if (in_pieces_) return pieces_.refused ? pieces_.refused : next_piece();
    error why = ask();
    if (why) return why;
    if ((why = wait(*run_))) {
      give_up(why);
      return why;
    }
    for (std::size_t f = 0; f < fetches_.size() && f < run_->came.tensors.size(); ++f)
      fetches_[f] = {true, {}, std::move(run_->came.tensors[f])};
    return hear_of_end();
  }
  result<any_tensor> take(std::size_t f) override {
    if (error why = missing(f)) return why;
    return std::move(fetches_[f].value);
  }
  error missing(std::size_t f) const override {
    if (fetches_[f].is_there || fetches_[f].why) return fetches_[f].why;
    return error(error_code::internal, message{"the master has answered without fetch ", f});
  }
  // Cancels a partial run that has not ended yet.
  void end(bool) override {
    if (in_pieces_ && run_ && !is_there(*run_)) give_up(cause(error(error_code::cancelled, "the partial run was given up")));
    options_ = nullptr;
    run_.reset();
    to_ = {};
    has_ended_ = pieces_.has_begun = false;
    pieces_.count = 0;
    for (fetch& f : fetches_) f = {};
    for (any_tensor& f : feeds_) f.reset();
    pieces_.fed.clear();
  }
  void cancel(const error& why) override {
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = why;
    }
    is_cancelled_ = true;
    session_.wake();
  }
  resting rests() override { return resting::no; }
  void close() override {}

private:
  struct fetch {
    bool is_there = false;
    error why = {};  // of the last piece that requested it
    any_tensor value = {};
  };
  static bool is_there(const awaited& a) { return a.is_there.load(std::memory_order_acquire); }

  // A deadline that has passed refuses the run here: the answer may come before wait() reads the clock.
  error ask() {
    if (error why = session_.check(options_, until_, &is_cancelled_)) return cause(why);
    const auto to = parts_.current(*options_);
    if (!to) return to.error();
    to_ = *to;
    body_of body(message_kind::run);
    body.bytes.number(to_.session);
    body.bytes.number(to_.number);
    const bool is_traced = traced_run::of(*options_) != nullptr;
    body.bytes.number(run_flags(options_->may_wait, is_traced, in_pieces_));
    body.bytes.number(losses_);
    if (is_traced) ask_time(to_.link);
    run_ = session_.ask(*to_.link, std::move(body.text), in_pieces_ ? recycled_tensors() : feeds_, &asked_);
    return {};
  }
  error next_piece() {
    if (pieces_.has_begun && pieces_.wanted.empty() && pieces_.fed.empty()) return {};
    if (is_there(*run_) && run_->why) return hear_of_end();
    if (error why = session_.check(options_, until_, &is_cancelled_)) return cause(why);
    body_of body(message_kind::next_piece);
    body.bytes.number(to_.session);
    body.bytes.number(asked_);
    write_numbers(body.bytes, pieces_.fed);
    write_numbers(body.bytes, pieces_.wanted);
    recycled_tensors values;
    for (const std::uint32_t f : pieces_.fed) values.push_back(std::move(feeds_[f]));
    pieces_.count += std::exchange(pieces_.fed, {}).size();
    pieces_.has_begun = true;
    const auto a = session_.ask(*to_.link, std::move(body.text), std::move(values));
    if (error why = wait(*a)) return why;
    if (is_there(*run_) && run_->why) return hear_of_end();
    if (a->why) return a->why;
    for (const std::uint32_t f : pieces_.wanted) fetches_[f] = {};
    std::size_t next = 0;
    for (byte_reader from(a->came.body); from.left() > 0;) {
      const auto f = from.number<std::uint32_t>();
      error why = read_error(from);
      if (!from.ok() || f >= fetches_.size() || (!why && next == a->came.tensors.size()))
        return malformed("the fetches of a partial run");
      fetches_[f] = {!why, why, why ? any_tensor() : std::move(a->came.tensors[next])};
      if (!why) ++next, ++pieces_.count;
    }
    if (pieces_.count < feeds_.size() + fetches_.size()) return {};
    if (error why = wait(*run_)) return why;
    return hear_of_end();
  }
  // Reads the end of a run. After an error come its number as a loss of state, and then the records of tasks.
  error hear_of_end() {
    if (std::exchange(has_ended_, true)) return run_->why;
    byte_reader from(run_->came.body);
    if (run_->why && from.left() > 0) run_->why = session_.tell(*to_.link, run_->why, from.number<std::uint64_t>());
    else if (run_->why) run_->why = session_.tell(*to_.link, run_->why, 0);
    run_trace* const trace = traced_run::of(*options_);
    if (trace && !add_traces(from.raw(from.left()), to_.link->clock.best(trace_clock()), *trace))
      return malformed("the records of tasks");
    return run_->why;
  }
  error wait(const awaited& a) {
    const error why = session_.wait(a, options_, until_, &is_cancelled_);
    return why ? cause(why) : why;
  }
  // Returns the error of cancel() if another thread has cancelled the run, else `why`.
  error cause(const error& why) {
    const std::lock_guard lock(mutex_);
    return is_cancelled_ ? cancelled_ : why;
  }
  void give_up(const error& why) {
    body_of ending(message_kind::cancel);
    ending.bytes.number(to_.session);
    ending.bytes.number(asked_);
    write_error(ending.bytes, why);
    frame f;
    f.body = std::move(ending.text);
    to_.link->send(std::move(f));
  }

  std::shared_ptr<const plan> whole_;  // owns the parts
  const remote_parts& parts_;
  remote_session& session_;
  const run_options* options_ = nullptr;
  std::chrono::nanoseconds until_ = {};
  std::uint64_t losses_ = 0;  // losses of state that were known when the run began
  bool in_pieces_ = false;
  remote_session::handle to_;
  std::uint64_t asked_ = 0;
  std::shared_ptr<awaited> run_;
  recycled_tensors feeds_;
  std::vector<fetch> fetches_;
  bool has_ended_ = false;
  // The state of a partial run.
  struct piece_state {
    error refused;  // why it has not begun
    bool has_begun = false;
    std::vector<std::uint32_t> fed, wanted;  // feeds and fetches of the next piece
    std::size_t count = 0;                   // number of feeds and fetches that are done
  };
  piece_state pieces_;
  std::atomic<bool> is_cancelled_{false};
  std::mutex mutex_;
  error cancelled_;
};

}  // namespace

std::shared_ptr<plan_runner> remote_parts::make_runner(const plan_parts& of, std::shared_ptr<const plan> whole,
                                                       const run_services&) {
  return std::make_shared<remote_runner>(std::move(whole), static_cast<const remote_parts&>(of));
}

}  // namespace flowgraph::distributed
