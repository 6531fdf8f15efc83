#pragma once
// Trains with samples that a program produces, for example from a sensor: ranges, callbacks and coroutines feed a queue.
//
//     auto sound = fg::samples<float, std::int64_t>(g, {.size = 16, .capacity = 256, .shapes = {{400}, {}}});
//     auto [waves, labels] = sound.components;                           // batches of 16 samples
//     fg::session s{g};
//     fg::coordinator workers;
//     fg::start_feeding(s, workers, sound, [&](std::span<float> wave, std::span<std::int64_t> label) {
//       return microphone.read(wave.data(), wave.size()) && (label[0] = button.state(), true);      // false: no more samples
//     });
//
// Samples that a callback writes, or that are moved out of a range, become elements of the queue without a copy. They are copied
// only when they leave the queue in a batch.

#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>
#include <flowgraph/ops/input/batch.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/coordinator.hpp>

#include <algorithm>
#include <array>
#include <ranges>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of samples.
struct sample_options {
  std::int64_t size = 0;                  // number of samples in a batch; 0: samples leave the queue one by one
  std::int64_t capacity = 0;              // largest number of waiting samples; 0: 32, or min_after_dequeue plus two batches
  std::int64_t min_after_dequeue = 0;     // number of samples that remain in the queue for shuffling; 0: samples keep their order
  std::optional<std::int64_t> seed = {};  // seed of the random order
  bool allow_smaller = false;             // true: the last batch may be smaller; false: its samples are dropped
  std::vector<shape> shapes = {};         // shapes of the components
};

// The result of `samples`: the batches, the queue, the targets that fill and close it, and the edges to which samples are fed.
template <class... T> struct sampled : batched<T...> {
  std::tuple<out<T>...> given;  // the edges to which samples are fed
  std::vector<shape> shapes;    // shapes of the components
};

// Adds a queue that the program feeds with samples. The components of a sample have the types T.
template <class... T> sampled<T...> samples(graph g, const sample_options& o) {
  static_assert(sizeof...(T) > 0, "flowgraph: a sample has one component or more");
  sampled<T...> result;
  result.shapes = o.shapes;
  std::size_t i = 0;
  const auto given = [&]<class U>(std::type_identity<U>) {
    const shape s = i < o.shapes.size() ? o.shapes[i] : shape::unknown();
    ++i;
    return g.placeholder<U>("sample", s);
  };
  result.given = std::tuple<out<T>...>{given(std::type_identity<T>())...};
  const std::int64_t capacity =
      o.capacity > 0 ? o.capacity : std::max<std::int64_t>(32, o.min_after_dequeue + 2 * std::max<std::int64_t>(o.size, 1));
  result.between =
      o.min_after_dequeue > 0
          ? queue<T...>(random_shuffle_queue<T...>(
                g, {.capacity = capacity, .min_after_dequeue = o.min_after_dequeue, .seed = o.seed, .shapes = o.shapes}))
          : queue<T...>(fifo_queue<T...>(g, {.capacity = capacity, .shapes = o.shapes}));
  result.filling = {std::apply([&](const auto&... x) { return result.between.enqueue(x...); }, result.given),
                    result.between.close(),
                    result.between.close(true),
                    -1,
                    "samples",
                    {}};
  const auto n = static_cast<std::int32_t>(o.size);
  result.components = o.size == 0       ? result.between.dequeue()
                      : o.allow_smaller ? result.between.dequeue_up_to(n)
                                        : result.between.dequeue_many(n);
  return result;
}

// A feeder that adds samples to a queue, from one thread. Several feeders may feed one queue.
template <class... T> class sample_feeder {
public:
  // Prepares the feeding step. The memory of samples that a callback writes is allocated from `memory`, which must outlive the
  // contents of the queue.
  sample_feeder(session& s, const sampled<T...>& to, std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : session_(&s), close_(to.filling.close), cancel_(to.filling.cancel), shapes_(to.shapes), memory_(memory),
        step_(std::apply([&](const auto&... x) { return s.prepare(feed(x...), to.filling.enqueue); }, to.given)) {}

  // Adds one sample. If the queue is full, waits until it has room. The sample's tensors are shared, not copied, unless they
  // borrow their memory.
  result<void> try_feed(const run_options& options, const tensor<T>&... sample) { return step_.try_run(options, sample...); }
  // Like try_feed, but raises errors.
  void operator()(const tensor<T>&... sample) { step_(sample...); }

  // Feeds all samples of a source, until a stop is requested. The source is a callback or a range. A callback
  // `bool(std::span<T>... sample)` writes a sample and returns true, or returns false if there are no more samples. A range (for
  // example a generator) contains tensors or scalars, or tuples of them if a sample has several components.
  template <class Source> result<void> feed_all(Source&& source, const stop_token& stop = {}) {
    if constexpr (std::is_invocable_r_v<bool, Source&, std::span<T>...>) return feed_written(source, stop);
    else return feed_range(source, stop);
  }

  // Closes the queue. Readers get the remaining samples, and then the end of the input. If `at_once` is true, also ends feeders
  // that wait.
  result<void> close(bool at_once = false) { return session_->try_run(at_once ? cancel_ : close_); }

private:
  template <class Callback> result<void> feed_written(Callback& write, const stop_token& stop) {
    if (shapes_.size() != sizeof...(T))
      return detail::invalid_argument("a callback can write samples only where the shapes of their components are given");
    while (!stop.stop_requested()) {
      std::array<any_tensor, sizeof...(T)> outcome;
      constexpr std::array<dtype, sizeof...(T)> types{dtype_of<T>...};
      for (std::size_t i = 0; i < outcome.size(); ++i) {
        auto memory = any_tensor::allocate(types[i], shapes_[i], memory_);
        if (!memory) return memory.error();
        outcome[i] = *std::move(memory);
      }
      const auto feeds = [&]<std::size_t... I>(std::index_sequence<I...>) -> result<bool> {
        if (!write(std::span<T>(static_cast<T*>(outcome[I].data()), outcome[I].size())...)) return false;
        if (auto fed = try_feed({.stop = stop}, tensor<T>::from(std::move(outcome[I])).value()...); !fed) return fed.error();
        return true;
      };
      const result<bool> fed = feeds(std::index_sequence_for<T...>());
      if (!fed) return fed.error();
      if (!*fed) break;
    }
    return {};
  }
  template <class Range> result<void> feed_range(Range& range, const stop_token& stop) {
    static_assert(std::ranges::input_range<Range>, "flowgraph: samples come from a callback or a range");
    for (auto&& sample : range) {
      if (stop.stop_requested()) break;
      result<void> fed;
      if constexpr (sizeof...(T) == 1 && (std::is_convertible_v<decltype(sample), tensor<T>> && ...))
        fed = try_feed({.stop = stop}, tensor<T>(std::forward<decltype(sample)>(sample))...);
      else
        fed =
            std::apply([&](auto&&... part) { return try_feed({.stop = stop}, tensor<T>(std::forward<decltype(part)>(part))...); },
                       std::forward<decltype(sample)>(sample));
      if (!fed) return fed;
    }
    return {};
  }

  session* session_;
  target close_, cancel_;
  std::vector<shape> shapes_;
  std::pmr::memory_resource* memory_;
  step<feed_list<T...>, fetch_list<>> step_;
};

// Feeds all samples of a source in a new thread of the coordinator, and closes the queue at the end of the source. After a stop
// or an error, the thread closes the queue immediately and cancels pending enqueues. The session must outlive the thread, so
// create it first.
template <class... T, class Source> void start_feeding(session& s, coordinator& workers, const sampled<T...>& to, Source source) {
  workers.start("feeding of samples", [&s, &workers, to, from = std::move(source)](stop_token stop) mutable {
    sample_feeder<T...> feeder(s, to);
    const result<void> fed = feeder.feed_all(from, stop);
    const bool stopped = stop.stop_requested();
    if (const auto closed = feeder.close(stopped || !fed); !closed && closed.error().code() != error_code::cancelled)
      workers.fail(closed.error());
    if (!fed && !stopped) workers.fail(fed.error());
  });
  // A thread that could not be started has requested a stop and never closes the queue.
  if (workers.stop_requested()) (void)s.try_run(to.filling.cancel);
}

}  // namespace flowgraph
