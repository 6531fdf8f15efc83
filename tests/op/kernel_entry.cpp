#include <flowgraph/op/kernel_entry.hpp>

#include <flowgraph/op/completion.hpp>
#include <flowgraph/op/make_table.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace fg = flowgraph;

TEST_CASE("kernel_entry: without functions there is no kernel, and no fact holds") {
  const fg::kernel_entry none;
  CHECK_FALSE(none.exists());
  CHECK((none.scratch == nullptr));
  CHECK_FALSE(none.facts.in_place);
  CHECK_FALSE(none.facts.expensive);
}

TEST_CASE("kernel_entry: a synchronous or an asynchronous function makes a kernel") {
  const fg::kernel_entry plain{.run = [](const void*, fg::detail::kernel_call&) {}};
  const fg::kernel_entry later{.start = [](const void*, fg::detail::kernel_call&, fg::done answer) { answer(); }};
  CHECK(plain.exists());
  CHECK(later.exists());
  CHECK(std::is_trivially_copyable_v<fg::kernel_entry>);  // a table of an op is a constant
}
