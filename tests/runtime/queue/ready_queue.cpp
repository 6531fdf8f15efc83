#include <flowgraph/runtime/queue/ready_queue.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace fg = flowgraph;
using fg::detail::iteration;
using fg::detail::ready_queue;

namespace {

std::vector<std::uint32_t> drain(ready_queue& queue, iteration& root) {
  std::vector<std::uint32_t> order;
  while (!queue.empty()) order.push_back(queue.pop(&root).record);
  return order;
}

}  // namespace

TEST_CASE("records outside loops come in the order of the plan") {
  ready_queue queue(200);
  iteration root;
  CHECK(queue.empty());
  for (const std::uint32_t record : {130u, 3u, 199u, 64u, 63u}) queue.push(record, root);
  CHECK(queue.pop(&root).record == 3);
  queue.push(0, root);  // before what has been taken: an answer that came late
  CHECK(drain(queue, root) == std::vector<std::uint32_t>{0, 63, 64, 130, 199});
}

TEST_CASE("records of loops come first, the latest of them first, each with its iteration") {
  ready_queue queue(10);
  iteration root, first, second;
  fg::detail::frame_instance frame;
  first.frame = second.frame = &frame;
  queue.push(1, root);
  queue.push(7, first);
  queue.push(7, second);
  CHECK(queue.pop(&root).at == &second);
  CHECK(queue.pop(&root).at == &first);
  CHECK(queue.pop(&root).at == &root);
  CHECK(queue.empty());
}

TEST_CASE("more records of loops than a queue has room for at first") {
  ready_queue queue(1000);
  iteration root, inner;
  fg::detail::frame_instance frame;
  inner.frame = &frame;
  for (std::uint32_t record = 0; record < 1000; ++record) queue.push(record, inner);
  CHECK(queue.inner_count() == 1000);
  for (std::uint32_t record = 1000; record-- > 0;) REQUIRE(queue.pop(&root).record == record);
  CHECK(queue.empty());
  queue.push(7, inner);
  CHECK(queue.pop(&root).record == 7);
}

TEST_CASE("a queue that was cleared is as it was made") {
  ready_queue queue(100);
  iteration root, inner;
  fg::detail::frame_instance frame;
  inner.frame = &frame;
  queue.push(99, root);
  queue.push(4, inner);
  queue.clear();
  CHECK(queue.empty());
  queue.push(2, root);
  queue.push(1, root);
  CHECK(drain(queue, root) == std::vector<std::uint32_t>{1, 2});
}
