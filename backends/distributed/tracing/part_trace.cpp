#include "part_trace.hpp"

#include "trace_bytes.hpp"

#include <flowgraph/observe/trace.hpp>
#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <map>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {
namespace distributed {

namespace {

constexpr std::size_t most_records = 1 << 16;  // per part; later records are only counted

// Adds to the records of sends and receives the name of the other task.
void name_peers(collected_trace& t, const cluster& all, std::span<const std::uint32_t> peers) {
  std::map<std::uint32_t, std::uint32_t> names;
  for (trace_event& e : t.events) {
    if ((e.kind != trace_kind::send && e.kind != trace_kind::receive) || e.edge >= peers.size()) continue;
    const auto [at, is_new] = names.try_emplace(peers[e.edge], static_cast<std::uint32_t>(t.texts.size()));
    if (is_new) t.texts.push_back(all.name_of(peers[e.edge]));
    e.text = at->second;
  }
}

// Ends the records of memory that is still allocated: it leaves the part with the values that were sent and fetched, and its later
// owner is not recorded.
void release_rest(collected_trace& t, const trace_event& whole) {
  std::map<std::uint64_t, trace_event> held;
  for (const trace_event& e : t.events) {
    if (e.kind == trace_kind::allocation) held[e.key] = e;
    if (e.kind == trace_kind::release) held.erase(e.key);
  }
  for (auto& [block, e] : held) {
    e.kind = trace_kind::release;
    e.thread = whole.thread;
    e.start = e.end = whole.end;
    t.events.push_back(e);
  }
}

class recorded_part final : public part_trace {
public:
  recorded_part(const cluster& all, std::uint32_t task, std::uint64_t step, std::function<void(const collected_trace&)> listener)
      : all_(all), task_(task), step_(static_cast<std::uint32_t>(step)), listener_(std::move(listener)) {}

  run_tracer& begin() override;
  void end(std::span<const std::uint32_t> peers) override;
  recycled_text bytes() const override { return bytes_; }

private:
  const cluster& all_;
  std::uint32_t task_, step_;
  std::function<void(const collected_trace&)> listener_;
  std::shared_ptr<detail::trace_log> log_;
  std::unique_ptr<detail::run_recording> run_;
  std::int64_t begun_ = 0;
  recycled_text bytes_;
};

run_tracer& recorded_part::begin() {
  log_ = std::make_shared<detail::trace_log>(most_records);
  run_ = std::make_unique<detail::run_recording>(log_, false);
  begun_ = detail::trace_clock();
  return *run_;
}

void recorded_part::end(std::span<const std::uint32_t> peers) {
  detail::trace_record whole;
  whole.kind = trace_kind::step;
  whole.run = run_->number();
  whole.start = begun_;
  whole.end = detail::trace_clock();
  log_->lane().add(whole);
  run_.reset();
  log_->close();
  collected_trace result = detail::collect_log(detail::this_process({.process = all_.name_of(task_)}), *log_);
  log_.reset();
  name_peers(result, all_, peers);
  for (std::size_t i = result.events.size(); i-- > 0;)
    if (result.events[i].kind == trace_kind::step) {
      release_rest(result, trace_event(result.events[i]));
      break;
    }
  for (trace_event& e : result.events)
    if (e.step != 0) e.step = step_;
  byte_writer to(bytes_);
  write_trace(to, result);
  if (listener_) listener_(result);
}

}  // namespace

}

std::shared_ptr<distributed::part_trace> record_parts(const cluster& all, std::uint32_t task, std::uint64_t step,
                                                      const std::function<void(const collected_trace&)>& listener) {
  return std::make_shared<distributed::recorded_part>(all, task, step, listener);
}

}  // namespace flowgraph
