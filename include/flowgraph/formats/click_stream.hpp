#pragma once
// Streams batches of clicks from a text or a cache. A thread reads the next batches while the program computes.
//
//     auto from = fg::open_clicks("train.txt", {.format = fg::click_format::libffm}).value();
//     fg::click_stream stream(std::move(from), {.rows = 1024, .seed = 7});
//     fg::click_batch batch;
//     while (stream.next(batch).value()) {
//       ...                                                                     // one step
//       if (saves) save(stream.position());                                     // to continue here later: .from = position
//     }
//
// Memory: `ahead` + 2 batches including the batch of the program, and the memory of the reader. It does not depend on the size of the file. The batches and their order
// do not depend on the speed of the threads.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/formats/click_cache.hpp>

#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct click_stream_options {
  std::size_t rows = 1024;   // the samples of a batch; the last batch may be smaller
  std::size_t ahead = 2;     // the batches that are read in advance; 0: `next` reads the batch, without a thread
  std::uint64_t seed = 0;    // the order of blocks and of the samples in them; 0: as written. Only for caches
  click_position from = {};  // where to begin; all numbers 0: at the beginning. Otherwise it also determines the seed
};

// Only one thread at a time may use the stream. The destructor waits until the thread has read its current batch.
class click_stream {
public:
  // Streams from a text. It is read in its order, so `seed` must be 0.
  click_stream(click_reader from, const click_stream_options& how);
  // Streams from a cache.
  click_stream(click_cache_reader from, const click_stream_options& how);
  ~click_stream();
  click_stream(click_stream&&) noexcept;
  click_stream& operator=(click_stream&&) noexcept;

  // Replaces the contents of `to` by the next batch, and reuses the memory of `to`. Returns false at the end. After an error, each
  // further call returns the same error.
  result<bool> next(click_batch& to);
  // Returns the position behind the last batch that `next` returned.
  click_position position() const noexcept;

private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/click_stream.hpp>
#endif
