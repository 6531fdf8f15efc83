#include <flowgraph/core/buffer.hpp>

#include "memory.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace fg = flowgraph;

TEST_CASE("a buffer is aligned and gives all its memory back when nobody counts it") {
  test::counting_memory memory;
  {
    fg::buffer_ref a(*fg::buffer::allocate(fg::dtype::float32, 10, &memory));
    CHECK(memory.allocations() == 1);  // header and elements are one block
    CHECK(reinterpret_cast<std::uintptr_t>(a->data()) % fg::buffer::alignment == 0);
    CHECK(a->bytes() == 40);
    CHECK(a->is_unique());
    CHECK_FALSE(a->is_borrowed());

    fg::buffer_ref b = a;
    CHECK_FALSE(a->is_unique());
    const fg::buffer_ref c = std::move(b);
    CHECK_FALSE(b);
    a.reset();
    CHECK(c->is_unique());
    CHECK(memory.in_use() > 40);
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("a buffer of large pages is memory as any other") {
  constexpr std::size_t n = 1'500'000;
  const fg::buffer_ref a(*fg::buffer::allocate(fg::dtype::float32, n, std::pmr::new_delete_resource()));
  float* const elements = static_cast<float*>(a->data());
  for (std::size_t i = 0; i < n; ++i) elements[i] = static_cast<float>(i);
  bool kept = true;
  for (std::size_t i = 0; i < n; ++i) kept = kept && elements[i] == static_cast<float>(i);
  CHECK(kept);
  CHECK(a->bytes() == n * sizeof(float));
}

TEST_CASE("a buffer of strings constructs and destroys each") {
  test::counting_memory memory;
  {
    const fg::buffer_ref b(*fg::buffer::allocate(fg::dtype::string, 3, &memory));
    auto* strings = static_cast<std::string*>(b->data());
    CHECK(strings[2].empty());
    strings[1] = std::string(1000, 'x');  // leaks unless it is destroyed
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("a buffer of nothing is a buffer") {
  test::counting_memory memory;
  { const fg::buffer_ref b(*fg::buffer::allocate(fg::dtype::float64, 0, &memory)); }
  CHECK(memory.allocations() == 1);
  CHECK(memory.in_use() == 0);
}

TEST_CASE("memory that is refused is an error, and so is a size that overflows") {
  test::refusing_memory none;
  const auto refused = fg::buffer::allocate(fg::dtype::float32, 10, &none);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == fg::error_code::resource_exhausted);
  CHECK(refused.error().message() == "no memory for 10 elements of float");

  test::counting_memory memory;
  const auto huge = fg::buffer::allocate(fg::dtype::float64, SIZE_MAX / 4, &memory);
  REQUIRE_FALSE(huge);
  CHECK(huge.error().code() == fg::error_code::resource_exhausted);
  CHECK(memory.allocations() == 0);
}

TEST_CASE("borrowed memory is handed back once, when the last user is gone") {
  int released = 0;
  float samples[4] = {1, 2, 3, 4};
  {
    fg::buffer_ref b(fg::buffer::borrow(samples, sizeof samples, [&released] { ++released; }));
    CHECK(b->data() == samples);
    CHECK(b->is_borrowed());
    const fg::buffer_ref other = b;
    b.reset();
    CHECK(released == 0);
  }
  CHECK(released == 1);
  const fg::buffer_ref without_release(fg::buffer::borrow(samples, sizeof samples, {}));
  CHECK(without_release->bytes() == 16);
}

TEST_CASE("threads share a buffer, and one of them frees it") {
  test::counting_memory memory;
  int released = 0;
  {
    fg::buffer_ref counted(*fg::buffer::allocate(fg::dtype::int32, 1, &memory));
    fg::buffer_ref borrowed(fg::buffer::borrow(&released, sizeof released, [&released] { ++released; }));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([counted, borrowed] {
        for (int i = 0; i < 1000; ++i) { const fg::buffer_ref a = counted, b = borrowed; }
      });
    counted.reset();
    borrowed.reset();
    for (std::thread& t : threads) t.join();
  }
  CHECK(memory.in_use() == 0);
  CHECK(released == 1);
}
