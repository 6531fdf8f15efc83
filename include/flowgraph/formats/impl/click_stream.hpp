#pragma once

#include <flowgraph/formats/click_stream.hpp>

#include <deque>
#include <exception>
#include <variant>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct click_stream::state {
  // A batch, or the end of the stream.
  struct item {
    click_batch samples;
    click_position behind;
    bool is_end = false;
    error why;
  };

  std::variant<click_reader, click_cache_reader> from;
  click_stream_options how;
  error refused;  // the reader could not begin
  click_position passed;
  item last;  // once is_end: what each further call returns

  threading::mutex mutex;
  threading::condition_variable changed;
  std::deque<item> ready;         // at most how.ahead
  std::vector<click_batch> used;  // memory for further batches; with `ready` and the thread's batch, at most how.ahead + 1
  bool reads = true;              // the thread reads until `ready` is full, and again when half of it is used
  bool stops = false;
#ifndef FLOWGRAPH_NO_THREADS
  threading::thread thread;
#endif

  template <class From> state(From reader, const click_stream_options& o) : from(std::move(reader)), how(o), passed(o.from) {
    start();
  }
  ~state() {
#ifndef FLOWGRAPH_NO_THREADS
    if (!thread.joinable()) return;
    {
      const threading::lock_guard lock(mutex);
      stops = true;
    }
    changed.notify_all();
    thread.join();
#endif
  }

  // Begins at the position, and starts the thread. Not a template: libraries would show the type of the thread's function.
  void start();
  result<void> begin();
  // Reads the next batch into `to`.
  void read(item& to);
  void read_ahead();
  item take();
};

FLOWGRAPH_INLINE void click_stream::state::start() {
  if (auto begun = begin(); !begun) refused = begun.error();
#ifndef FLOWGRAPH_NO_THREADS
  if (!refused && how.ahead > 0) thread = threading::thread([this] { read_ahead(); });
#endif
}

FLOWGRAPH_INLINE result<void> click_stream::state::begin() {
  if (how.rows == 0) return detail::invalid_argument("a batch must have at least one sample, found rows = 0");
  const bool resumes = how.from != click_position();
  if (auto* const text = std::get_if<click_reader>(&from)) {
    if (how.seed != 0 || how.from.seed != 0)
      return detail::invalid_argument({"'", text->path(), "': a text is read in its order; expected seed 0, found ",
                                       how.seed != 0 ? how.seed : how.from.seed});
    if (resumes) return text->resume(how.from);
    return {};
  }
  auto& cache = std::get<click_cache_reader>(from);
  auto begun = resumes ? cache.resume(how.from) : cache.rewind(how.seed);
  passed = cache.position();
  return begun;
}

FLOWGRAPH_INLINE void click_stream::state::read(item& to) {
  std::visit(
      [&](auto& reader) {
        auto more = reader.next(to.samples, how.rows);
        if (!more) to.why = more.error();
        to.is_end = !more || !*more;
        to.behind = reader.position();
      },
      from);
}

FLOWGRAPH_INLINE void click_stream::state::read_ahead() {
  for (;;) {
    item result;
    {
      threading::unique_lock lock(mutex);
      reads = reads && ready.size() < how.ahead;
      changed.wait(lock, [&] { return stops || reads; });
      if (stops) return;
      if (!used.empty()) {
        result.samples = std::move(used.back());
        used.pop_back();
      }
    }
#ifdef FLOWGRAPH_EXCEPTIONS
    try {
      read(result);
    } catch (const std::exception& e) {  // not enough memory
      result.why = error(error_code::resource_exhausted, message{"the thread of a stream of clicks has thrown: ", e.what()});
      result.is_end = true;
    }
#else
    read(result);
#endif
    const bool is_end = result.is_end;
    {
      const threading::lock_guard lock(mutex);
      ready.push_back(std::move(result));
    }
    changed.notify_one();
    if (is_end) return;
  }
}

FLOWGRAPH_INLINE click_stream::state::item click_stream::state::take() {
  threading::unique_lock lock(mutex);
  changed.wait(lock, [&] { return !ready.empty(); });
  item result = std::move(ready.front());
  ready.pop_front();
  if (!reads && ready.size() <= how.ahead / 2) {
    reads = true;
    lock.unlock();
    changed.notify_all();
  }
  return result;
}

FLOWGRAPH_INLINE click_stream::click_stream(click_reader from, const click_stream_options& how)
    : state_(std::make_unique<state>(std::move(from), how)) {}
FLOWGRAPH_INLINE click_stream::click_stream(click_cache_reader from, const click_stream_options& how)
    : state_(std::make_unique<state>(std::move(from), how)) {}
FLOWGRAPH_INLINE click_stream::~click_stream() = default;
FLOWGRAPH_INLINE click_stream::click_stream(click_stream&&) noexcept = default;
FLOWGRAPH_INLINE click_stream& click_stream::operator=(click_stream&&) noexcept = default;

FLOWGRAPH_INLINE click_position click_stream::position() const noexcept { return state_->passed; }

FLOWGRAPH_INLINE result<bool> click_stream::next(click_batch& to) {
  state& s = *state_;
  if (s.refused) return s.refused;
  if (!s.last.is_end) {
#ifdef FLOWGRAPH_NO_THREADS
    const bool is_ahead = false;
#else
    const bool is_ahead = s.thread.joinable();
#endif
    if (is_ahead) {
      state::item result = s.take();
      std::swap(to, result.samples);
      s.last.is_end = result.is_end;
      s.last.why = result.why;
      s.passed = result.why ? s.passed : result.behind;
      {
        const threading::lock_guard lock(s.mutex);
        if (s.used.size() + s.ready.size() < s.how.ahead) s.used.push_back(std::move(result.samples));
      }
    } else {
      std::swap(to, s.last.samples);
      s.read(s.last);
      std::swap(to, s.last.samples);
      if (!s.last.why) s.passed = s.last.behind;
    }
  }
  if (!s.last.is_end) return true;
  to.clear();
  if (s.last.why) return s.last.why;
  return false;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
