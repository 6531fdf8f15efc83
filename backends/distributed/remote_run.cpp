#include "remote_run.hpp"

#include "pieces/remote_pieces.hpp"
#include "tracing/trace_bytes.hpp"

#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

using namespace detail;

result<remote_session::handle> remote_parts::current(const run_options& options) const {
  const std::lock_guard lock(mutex_);
  if (!handle_.link->is_lost()) return handle_;
  auto made = session_->prepare(
      edges_.of,
      {.feeds = edges_.feeds, .fetches = edges_.fetches, .targets = edges_.targets, .is_in_pieces = edges_.is_in_pieces},
      &options);
  if (made) handle_ = *made;
  return made;
}

void remote_run::cancel(const error& why) {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = why;
  }
  is_cancelled_ = true;
  parts_.session().wake();
}

error remote_run::cause(const error& why) {
  if (!is_cancelled_) return why;
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

void remote_run::give_up(const remote_session::handle& at, std::uint64_t asked, const error& why) {
  body_of ending(message_kind::cancel);
  ending.bytes.number(at.session);
  ending.bytes.number(asked);
  write_error(ending.bytes, why);
  frame f;
  f.body = std::move(ending.text);
  at.link->send(std::move(f));
}

namespace {

// A run as a whole: one request.
class remote_runner final : public remote_run {
public:
  remote_runner(std::shared_ptr<const plan> whole, const remote_parts& parts)
      : remote_run(std::move(whole), parts), feeds_(parts.feeds()) {}

  void start(const run_options& options, bool) override { options_ = &options; }
  void feed(std::size_t index, const any_tensor& value) override { feeds_[index] = value; }
  error drive() override {
    const auto to = parts_.current(*options_);
    if (!to) return to.error();
    body_of body(message_kind::run);
    body.bytes.number(to->session);
    body.bytes.number(to->number);
    run_trace* const trace = traced_run::of(*options_);
    body.bytes.number(run_flags(options_->may_wait, trace != nullptr));
    if (trace) ask_time(to->link);
    std::uint64_t asked = 0;
    remote_session& at = parts_.session();
    const auto a = at.ask(*to->link, std::move(body.text), feeds_, &asked);
    if (error why = at.wait(*a, options_, at.end_of(options_), &is_cancelled_)) {
      why = cause(why);
      give_up(*to, asked, why);
      return why;
    }
    fetched_ = std::move(a->came.tensors);
    if (trace && !add_traces(a->came.body, to->link->clock.best(trace_clock()), *trace)) return malformed("the records of tasks");
    return a->why;
  }
  result<any_tensor> take(std::size_t fetch) override {
    if (error why = missing(fetch)) return why;
    return std::move(fetched_[fetch]);
  }
  error missing(std::size_t fetch) const override {
    if (fetch < fetched_.size()) return {};
    return error(error_code::internal, message{"the master has answered without fetch ", fetch});
  }
  void end(bool) override {
    options_ = nullptr;
    fetched_.clear();
    for (any_tensor& f : feeds_) f.reset();
  }

private:
  const run_options* options_ = nullptr;
  std::vector<any_tensor> feeds_, fetched_;
};

}  // namespace

std::shared_ptr<plan_runner> remote_parts::make_runner(std::shared_ptr<const plan> whole, const run_services&) const {
  if (edges_.is_in_pieces) return std::make_shared<remote_pieces>(std::move(whole), *this);
  return std::make_shared<remote_runner>(std::move(whole), *this);
}

}
}
}  // namespace flowgraph::distributed
