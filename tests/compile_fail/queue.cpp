// The components of a queue's elements have the queue's types.
// expect: the enqueued values do not fit the components of the queue
// expect: out<float>

#include <flowgraph/ops/data_flow/fifo_queue.hpp>

#include "swish.hpp"

void build(fg::graph& g, fg::out<float> x, fg::out<std::int64_t> n) {
  fg::fifo_queue<float, std::int64_t> q(g, {.capacity = 32});
#ifdef CONTROL
  q.enqueue(x, n);
#else
  q.enqueue(n, x);
#endif
}
