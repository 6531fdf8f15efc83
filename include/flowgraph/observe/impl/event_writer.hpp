#pragma once

#include <flowgraph/core/threads.hpp>
#include <flowgraph/formats/detail/json_text.hpp>
#include <flowgraph/observe/described_graph.hpp>
#include <flowgraph/observe/event_writer.hpp>

#if defined(_WIN32)
#include <process.h>
#elif __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The numbers of the fields of Event.
enum event_field : std::uint32_t {
  event_time = 1,
  event_step = 2,
  event_version = 3,
  event_graph = 4,
  event_summary = 5,
  event_session_log = 7,
  event_run_metadata = 8
};

// Returns a name such as "1700000000.host.1234.0000". The number of digits is fixed, because TensorBoard reads the files of a
// folder in the order of their names.
inline std::string unique_event_name() {
  static std::atomic<unsigned> result{0};
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  char host[256] = "localhost";
  long process = 0;
#if defined(_WIN32)
  if (const char* const name = std::getenv("COMPUTERNAME")) std::snprintf(host, sizeof host, "%s", name);
  process = _getpid();
#elif __has_include(<unistd.h>)
  if (gethostname(host, sizeof host - 1) != 0) std::snprintf(host, sizeof host, "localhost");
  process = static_cast<long>(getpid());
#endif
  char time[24], number[24];
  std::snprintf(time, sizeof time, "%010lld", static_cast<long long>(seconds));
  std::snprintf(number, sizeof number, "%04u", result++);
  return message{std::string_view(time), '.', std::string_view(host), '.', process, '.', std::string_view(number)};
}

// A reader refuses a message with a text that is not UTF-8, and so the rest of its file.
inline result<void> check_tag(std::string_view tag) {
  if (is_utf8(tag)) return {};
  return invalid_argument("the tag of a summary must be UTF-8");
}

}  // namespace detail

struct event_writer::state {
  using clock = std::chrono::steady_clock;

  state(record_writer file, std::chrono::milliseconds after) : to(std::move(file)), flush_after(after) {}

  result<void> write(std::uint32_t field, std::string_view content, std::int64_t step) {
    const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
    std::string event;
    event.reserve(content.size() + 32);
    detail::put_fixed_field(event, detail::event_time, now.count());
    if (step != 0) detail::put_varint_field(event, detail::event_step, static_cast<std::uint64_t>(step));
    detail::put_bytes_field(event, field, content);
    const threading::lock_guard lock(mutex);
    if (is_closed) return error(error_code::failed_precondition, message{"'", to.path(), "': the file of events is closed"});
    if (auto written = to.write(event); !written) return written;
    return clock::now() - flushed < flush_after ? result<void>() : flush_now();
  }
  result<void> flush_now() {
    flushed = clock::now();
    return to.flush();
  }
  result<void> close() {
    const threading::lock_guard lock(mutex);
    if (std::exchange(is_closed, true)) return {};
    return to.close();
  }

  threading::mutex mutex;
  record_writer to;
  std::chrono::milliseconds flush_after;
  clock::time_point flushed = clock::now();
  bool is_closed = false;
};

FLOWGRAPH_INLINE event_writer::event_writer(std::unique_ptr<state> s) : state_(std::move(s)) {}
FLOWGRAPH_INLINE event_writer::~event_writer() {
  if (state_) (void)state_->close();
}
FLOWGRAPH_INLINE event_writer::event_writer(event_writer&&) noexcept = default;
FLOWGRAPH_INLINE event_writer& event_writer::operator=(event_writer&& other) noexcept {
  state_.swap(other.state_);
  return *this;
}

FLOWGRAPH_INLINE result<event_writer> event_writer::create(const std::string& folder, event_writer_options options) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return error(error_code::failed_precondition, message{"'", folder, "': cannot be made: ", code.message()});
  const auto path = std::filesystem::path(folder) / ("events.out.tfevents." + detail::unique_event_name() + options.suffix);
  auto file = record_writer::create(path.string());
  if (!file) return file.error();
  event_writer result(std::make_unique<state>(*std::move(file), options.flush_after));
  if (auto written = result.put(detail::event_version, "brain.Event:2", 0); !written) return written.error();
  if (auto written = result.flush(); !written) return written.error();
  return result;
}

FLOWGRAPH_INLINE result<void> event_writer::put(std::uint32_t field, std::string_view content, std::int64_t step) {
  return state_->write(field, content, step);
}

FLOWGRAPH_INLINE result<void> event_writer::add(std::string_view tag, float value, std::int64_t step) {
  if (auto checked = detail::check_tag(tag); !checked) return checked;
  summary_writer writer;
  writer.add(tag, value);
  return put(detail::event_summary, writer.bytes(), step);
}
FLOWGRAPH_INLINE result<void> event_writer::add_histogram(std::string_view tag, const any_tensor& values, std::int64_t step) {
  if (auto checked = detail::check_tag(tag); !checked) return checked;
  summary_writer writer;
  if (auto added = writer.add_histogram(tag, values); !added) return added;
  return put(detail::event_summary, writer.bytes(), step);
}
FLOWGRAPH_INLINE result<void> event_writer::add_image(std::string_view tag, const any_tensor& images, std::int64_t step,
                                                      const image_options& options) {
  if (auto checked = detail::check_tag(tag); !checked) return checked;
  const auto& s = images.shape();
  const bool is_one = s.rank == 3;
  image_options chosen = options;
  if (is_one) chosen.max_images = 1;
  summary_writer writer;
  if (auto added = writer.add_images(tag, is_one ? images.reshaped({1, s[0], s[1], s[2]}) : images, chosen); !added) return added;
  return put(detail::event_summary, writer.bytes(), step);
}
FLOWGRAPH_INLINE result<void> event_writer::add_audio(std::string_view tag, const any_tensor& sounds, float rate,
                                                      std::int64_t step, std::int64_t max_outputs) {
  if (auto checked = detail::check_tag(tag); !checked) return checked;
  const auto& s = sounds.shape();
  const bool is_one = s.rank == 2;
  summary_writer writer;
  if (auto added = writer.add_audio(tag, is_one ? sounds.reshaped({1, s[0], s[1]}) : sounds, rate, is_one ? 1 : max_outputs);
      !added)
    return added;
  return put(detail::event_summary, writer.bytes(), step);
}
FLOWGRAPH_INLINE result<void> event_writer::add_text(std::string_view tag, std::string_view text, std::int64_t step) {
  if (auto checked = detail::check_tag(tag); !checked) return checked;
  summary_writer writer;
  writer.add_text(tag, flowgraph::tensor<std::string>({}, {std::string(text)}).erased());
  return put(detail::event_summary, writer.bytes(), step);
}
FLOWGRAPH_INLINE result<void> event_writer::add_tensor(std::string_view tag, const any_tensor& value, std::int64_t step,
                                                       const summary_metadata& about) {
  if (auto checked = detail::check_tag(tag); !checked) return checked;
  if (!value.has_value() || is_counted(value.type()))
    return detail::invalid_argument({"a file cannot hold a tensor of ", name_of(value.type())});
  summary_writer writer;
  writer.add_tensor(tag, value, about.bytes());
  return put(detail::event_summary, writer.bytes(), step);
}
FLOWGRAPH_INLINE result<void> event_writer::add(std::string_view summary, std::int64_t step) {
  if (auto read = read_summary(summary, [](const summary_value&) {}); !read)
    return error(error_code::invalid_argument, std::string(read.error().message()));
  return put(detail::event_summary, summary, step);
}

FLOWGRAPH_INLINE result<void> event_writer::add_graph(const graph& g) { return put(detail::event_graph, described_graph(g), 0); }
FLOWGRAPH_INLINE result<void> event_writer::add_run(std::string_view tag, std::span<const node_call> calls, std::int64_t step) {
  if (auto checked = detail::check_tag(tag); !checked) return checked;
  std::string tagged;
  detail::put_bytes_field(tagged, 1, tag);
  detail::put_bytes_field(tagged, 2, run_metadata_of(calls));
  return put(detail::event_run_metadata, tagged, step);
}
FLOWGRAPH_INLINE result<void> event_writer::resume_at(std::int64_t step) {
  std::string log;
  detail::put_varint_field(log, 1, 1);  // SessionLog: start
  // TensorBoard ignores the first start in a folder, so two are written.
  if (auto written = put(detail::event_session_log, log, step); !written) return written;
  return put(detail::event_session_log, log, step);
}

FLOWGRAPH_INLINE result<void> event_writer::flush() {
  const threading::lock_guard lock(state_->mutex);
  return state_->is_closed ? result<void>() : state_->flush_now();
}
FLOWGRAPH_INLINE result<void> event_writer::close() { return state_->close(); }
FLOWGRAPH_INLINE const std::string& event_writer::path() const noexcept { return state_->to.path(); }

}  // namespace flowgraph
