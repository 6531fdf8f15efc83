#include "remote_pieces.hpp"

#include "../tracing/trace_bytes.hpp"
#include "piece.hpp"

#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <algorithm>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

using namespace detail;

// The master counts the run from now on, and runs nothing before the first piece.
void remote_pieces::start(const run_options& options, bool) {
  options_ = &options;
  until_ = parts_.session().end_of(options_);
  const auto to = parts_.current(options);
  if (!to) {
    refused_ = to.error();
    return;
  }
  at_ = *to;
  body_of body(message_kind::run);
  body.bytes.number(at_.session);
  body.bytes.number(at_.number);
  const bool is_traced = traced_run::of(options) != nullptr;
  body.bytes.number(run_flags(options.may_wait, is_traced, true));
  if (is_traced) ask_time(at_.link);
  run_ = parts_.session().ask(*at_.link, std::move(body.text), {}, &asked_);
}

void remote_pieces::feed(std::size_t index, const any_tensor& value) {
  feeds_.push_back(static_cast<std::uint32_t>(index));
  values_.push_back(value);
}

error remote_pieces::drive() {
  const error why = next_piece();
  feeds_.clear();
  values_.clear();
  return why;
}

error remote_pieces::next_piece() {
  if (!run_) return refused_;
  piece p;
  for (const std::size_t f : wanted_)
    if (!fetches_[f].is_there) p.wanted.push_back(static_cast<std::uint32_t>(f));
  if (has_pieces_ && p.wanted.empty() && feeds_.empty()) return {};
  if (run_->is_there.load(std::memory_order_acquire) && run_->why) return run_->why;
  remote_session& session = parts_.session();
  if (const error why = session.check(options_, until_, &is_cancelled_)) return cause(why);
  body_of body(message_kind::next_piece);
  body.bytes.number(at_.session);
  body.bytes.number(asked_);
  p.feeds = std::move(feeds_);
  fed_ += p.feeds.size();
  write_piece(body.bytes, p);
  has_pieces_ = true;
  const auto a = session.ask(*at_.link, std::move(body.text), std::move(values_));
  if (const error why = session.wait(*a, options_, until_, &is_cancelled_)) return cause(why);
  if (run_->is_there.load(std::memory_order_acquire) && run_->why) return hear_of_end();
  if (a->why) return a->why;
  byte_reader from(a->came.body);
  std::size_t next = 0;
  for (const std::uint32_t f : p.wanted) {
    fetch& made = fetches_[f];
    made.why = read_error(from);
    if (made.why) continue;
    if (next == a->came.tensors.size()) return malformed("the fetches of a partial run");
    made.value = std::move(a->came.tensors[next++]);
    made.is_there = true;
    ++fetched_;
  }
  if (!from.is_done()) return malformed("the fetches of a partial run");
  if (fed_ < parts_.feeds() || fetched_ < fetches_.size()) return {};
  if (const error why = session.wait(*run_, options_, until_, &is_cancelled_)) return cause(why);
  return hear_of_end();
}

error remote_pieces::hear_of_end() {
  run_trace* const trace = traced_run::of(*options_);
  if (trace && !add_traces(run_->came.body, at_.link->clock.best(trace_clock()), *trace))
    return malformed("the records of tasks");
  return run_->why;
}

result<any_tensor> remote_pieces::take(std::size_t f) {
  if (error why = missing(f)) return why;
  return std::move(fetches_[f].value);
}

// Where it has not come to its end, nobody will go on with it.
void remote_pieces::end(bool) {
  if (run_ && !run_->is_there.load(std::memory_order_acquire))
    give_up(at_, asked_, cause(error(error_code::cancelled, "the partial run was given up")));
  options_ = nullptr;
  refused_ = {};
  at_ = {};
  run_.reset();
  has_pieces_ = false;
  fed_ = fetched_ = 0;
  for (fetch& f : fetches_) f = {};
  feeds_.clear();
  values_.clear();
  wanted_.clear();
}

}
}
}  // namespace flowgraph::distributed
