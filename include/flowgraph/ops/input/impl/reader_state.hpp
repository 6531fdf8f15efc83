#pragma once

#include <flowgraph/formats/fields.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/data_flow/detail/queue_state.hpp>
#include <flowgraph/ops/input/detail/reader_state.hpp>

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD FLOWGRAPH_INLINE error reader_state::cancelled() const {
  return error(error_code::cancelled, message{"reading was cancelled: ", kind_, " '", name_, "'"});
}

// ---- requests

FLOWGRAPH_INLINE void reader_state::submit(const std::shared_ptr<request>& r) {
  r->answer.waits(false);
  r->answer.on_cancel([r] { static_cast<reader_state*>(r->reader.base)->cancel(r); });
  bool is_late = false;
  {
    const threading::lock_guard lock(requests_mutex_);
    is_late = r->is_cancelled;
    if (!is_late) {
      requests_.push_back(r);
      if (is_serving_) return;
      is_serving_ = true;
    }
  }
  if (is_late) return r->answer(cancelled());
  serve();
}

// Runs on one thread at a time: the thread that finds no other serving, or the thread that brings work.
FLOWGRAPH_INLINE void reader_state::serve() {
  for (;;) {
    std::shared_ptr<request> r;
    {
      const threading::lock_guard lock(requests_mutex_);
      if (requests_.empty()) {
        is_serving_ = false;
        return;
      }
      r = requests_.front();
    }
    const resource held = r->reader;
    if (r->arrived.load() != 0) {
      r->arrived = 0;
      take_work(*r);
    }
    if (r->why || give_records(*r)) finish(r, r->why);
    else if (!ask_queue(r)) return;
  }
}

FLOWGRAPH_INLINE void reader_state::finish(const std::shared_ptr<request>& r, error why) {
  {
    const threading::lock_guard lock(requests_mutex_);
    requests_.pop_front();
  }
  const auto set = [&](std::size_t output, std::vector<std::string>& from) {
    const shape s = r->is_batch ? shape{from.size()} : shape{};
    const view<std::string> y = r->context.output<std::string>(output, s);
    if (r->context.failed()) return;
    for (std::size_t i = 0; i < from.size(); ++i) y[i] = std::move(from[i]);
  };
  if (!why) {
    set(0, r->keys);
    if (!r->context.failed()) set(1, r->values);
  }
  r->answer(std::move(why));
}

FLOWGRAPH_INLINE void reader_state::cancel(const std::shared_ptr<request>& r) {
  std::shared_ptr<completion> waiting;
  bool is_ended = false;
  {
    const threading::lock_guard lock(requests_mutex_);
    r->is_cancelled = true;
    const auto at = std::find(requests_.begin(), requests_.end(), r);
    is_ended = at != requests_.end() && at != requests_.begin();
    if (is_ended) requests_.erase(at);
    else waiting = r->waiting;
  }
  if (is_ended) r->answer(cancelled());
  else if (waiting) waiting->cancel();
}

// ---- work

// Returns true if the answer has already arrived. If false, the thread that brings the answer continues.
FLOWGRAPH_INLINE bool reader_state::ask_queue(const std::shared_ptr<request>& r) {
  const auto answered = std::make_shared<completion>([r](error why) {
    r->why = std::move(why);
    auto* const self = static_cast<reader_state*>(r->reader.base);
    const resource held = r->reader;
    {
      const threading::lock_guard lock(self->requests_mutex_);
      r->waiting.reset();
    }
    if (r->arrived.fetch_add(1) == 1) self->serve();
  });
  bool is_late = false;
  {
    const threading::lock_guard lock(requests_mutex_);
    is_late = r->is_cancelled;
    if (!is_late) r->waiting = answered;
  }
  if (is_late) {
    r->why = cancelled();
    return true;
  }
  r->call = r->context.call();
  r->call.outputs = &r->output;
  r->call.output_count = 1;
  r->call.failure = &r->failure;
  auto w = std::make_shared<queue_state::wish>(cpu(r->call), done(answered), queue_state::wish::act::dequeue);
  static_cast<queue_state*>(r->queue.base)->submit(w);
  return r->arrived.fetch_add(1) == 1;
}

FLOWGRAPH_INLINE void reader_state::take_work(request& r) {
  if (r.why) return;
  const any_tensor element = std::move(r.element.tensor);
  r.element.tensor.reset();
  const threading::lock_guard lock(mutex_);
  if (element.type() != dtype::string || element.size() != 1)
    r.why = invalid_argument(
        {"the work of ", kind_, " '", name_, "' must be one string, found ", name_of(element.type()), element.shape()});
  else next_work_ = element.as<std::string>().scalar();
}
FLOWGRAPH_INLINE error reader_state::begin(const std::string& work) {
  work_ = work;
  given_ = 0;
  error why = reads_->begin(work);
  if (!why) ++started_;
  return why;
}

// Takes one record, or the end of the work. Returns false after an error.
FLOWGRAPH_INLINE bool reader_state::take_record(request& r, error& why) {
  std::string key, value;
  work_reader::outcome result = reads_->next(key, value);
  if (result.why) return why = std::move(result.why), false;
  if (result.has_record) {
    r.keys.push_back(std::move(key));
    r.values.push_back(std::move(value));
    ++produced_;
    ++given_;
  }
  if (result.is_at_end) {
    finished_ = started_;
    reads_->end();
  }
  return true;
}

// Returns true if the request is complete or has failed, and false if it needs work.
FLOWGRAPH_INLINE bool reader_state::give_records(request& r) {
  const threading::lock_guard lock(mutex_);
  while (static_cast<std::int64_t>(r.keys.size()) < r.wanted) {
    if (started_ == finished_) {
      if (!r.keys.empty() || !next_work_) break;
      const std::string work = *std::exchange(next_work_, std::nullopt);
      if ((r.why = begin(work))) return true;
    }
    if (error why; !take_record(r, why)) {
      if (r.keys.empty()) r.why = std::move(why);  // otherwise the records are given, and the next request gets the error
      return true;
    }
  }
  return !r.keys.empty() || r.wanted == 0;
}

// ---- state

FLOWGRAPH_INLINE std::int64_t reader_state::records_produced() const {
  const threading::lock_guard lock(mutex_);
  return produced_;
}
FLOWGRAPH_INLINE std::int64_t reader_state::work_units_completed() const {
  const threading::lock_guard lock(mutex_);
  return finished_;
}
FLOWGRAPH_INLINE void reader_state::reset() {
  const threading::lock_guard lock(mutex_);
  started_ = finished_ = produced_ = given_ = 0;
  work_.clear();
  reads_->end();
}

// TensorFlow's ReaderBaseState, and in a field of our own the number of records of the current work that were given.
FLOWGRAPH_INLINE std::string reader_state::serialize() const {
  const threading::lock_guard lock(mutex_);
  std::string text;
  const auto put = [&](std::uint32_t field, std::int64_t value) {
    if (value != 0) put_varint_field(text, field, static_cast<std::uint64_t>(value));
  };
  put(1, started_);
  put(2, finished_);
  put(3, produced_);
  if (!work_.empty()) put_bytes_field(text, 4, work_);
  if (started_ > finished_) put(1000, given_);
  return text;
}

FLOWGRAPH_INLINE error reader_state::restore(std::string_view state) {
  std::int64_t counts[3] = {0, 0, 0}, given = 0;
  std::string work;
  field_reader fields(state);
  while (fields.next()) {
    if (fields.form() == field_form::varint && fields.number() <= 3)
      counts[fields.number() - 1] = static_cast<std::int64_t>(fields.value());
    else if (fields.is_bytes(4)) work = fields.bytes();
    else if (fields.is_varint(1000)) given = static_cast<std::int64_t>(fields.value());
  }
  const bool is_state = !fields.is_broken() && counts[0] >= counts[1] && counts[1] >= 0 && counts[2] >= 0 && given >= 0;
  if (!is_state) return invalid_argument({"the bytes are not a state of ", kind_, " '", name_, "'"});
  const threading::lock_guard lock(mutex_);
  // Another one reads the work again, so that this reader is as it was if the work is not.
  std::unique_ptr<work_reader> result = reads_->fresh();
  if (counts[0] == counts[1]) given = 0;
  else if (error why = read_again(*result, work, given)) return why;
  reads_ = std::move(result);
  started_ = counts[0];
  finished_ = counts[1];
  produced_ = counts[2];
  work_ = work;
  given_ = given;
  return {};
}

// Begins a piece of work, and passes over the records that were given before.
FLOWGRAPH_INLINE error reader_state::read_again(work_reader& by, const std::string& work, std::int64_t given) const {
  if (error why = by.begin(work)) return why;
  std::string key, value;
  for (std::int64_t i = 0; i < given; ++i) {
    work_reader::outcome result = by.next(key, value);
    if (result.why) return result.why;
    if (!result.has_record || result.is_at_end)
      return error(error_code::failed_precondition, message{"'", work, "' has fewer records than ", kind_, " '", name_,
                                                            "' had read of it: ", given, ", found ", i});
  }
  return {};
}

// ---- names

FLOWGRAPH_INLINE resource find_or_make_reader(cpu ctx, std::string_view kind, const std::string& section,
                                              const std::string& shared_name, work_reader_maker make) {
  const std::string name = shared_name.empty() ? std::string(ctx.at()->name) : shared_name;
  auto found = ctx.resources().find_or_make(section, name, kind_of<reader_state>(),
                                            [&]() -> resource_base* { return new reader_state(kind, name, make()); });
  if (!found) return ctx.fail(found.error()), resource();
  if (found->as<reader_state>()->kind() == kind) return *std::move(found);
  ctx.fail(message{"the reader '", name, "' exists with kind ", found->as<reader_state>()->kind(), ", expected ", kind});
  return {};
}

FLOWGRAPH_INLINE resource reference_to_reader(cpu ctx, const std::string& section, const std::string& shared_name) {
  auto handle = any_tensor::allocate(dtype::string, {2}, ctx.memory());
  if (!handle) return ctx.fail(handle.error()), resource();
  handle->as_writable<std::string>()[0] = section;
  handle->as_writable<std::string>()[1] = shared_name.empty() ? std::string(ctx.at()->name) : shared_name;
  const resource object(new variable_state(dtype::string, {2}, ctx.memory()));
  object.as<variable_state>()->value() = *std::move(handle);
  return object;
}

// Returns the resource that input `i` names, by a resource or by strings behind a reference.
inline resource named_by(cpu ctx, std::size_t i) {
  const edge_value& given = *ctx.call().inputs[i];
  const any_tensor handle = given.variable ? given.variable->read() : given.tensor;
  if (handle.type() == dtype::string && handle.size() == 2)
    return ctx.resources().find(handle.as<std::string>()[0], handle.as<std::string>()[1]);
  return handle.type() == dtype::resource && handle.size() == 1 ? handle.as<resource>().scalar() : resource();
}

FLOWGRAPH_INLINE reader_state* named_reader(cpu ctx, resource& keep) {
  keep = named_by(ctx, 0);
  auto* const found = keep.as<reader_state>();
  if (!found) ctx.fail("input 0 is not the handle of a reader");
  return found;
}

FLOWGRAPH_INLINE void read_records(cpu ctx, std::int64_t wanted, bool is_batch, done answer) {
  resource reader;
  reader_state* const from = named_reader(ctx, reader);
  if (!from) return answer();
  resource queue = named_by(ctx, 1);
  const auto* const work = queue.as<queue_state>();
  if (!work) return answer(invalid_argument("input 1 is not the handle of a queue"));
  if (work->description().types != std::vector<dtype>{dtype::string})
    return answer(invalid_argument({"a reader takes strings; the elements of ", work->description().kind, " '", work->name(),
                                    "' are of types ", to_string(attribute_value(work->description().types))}));
  if (wanted < 0) return answer(invalid_argument({"num_records must not be negative, found ", wanted}));
  from->submit(std::make_shared<reader_state::request>(ctx, std::move(answer), reader, std::move(queue), wanted, is_batch));
}

}  // namespace flowgraph::detail
