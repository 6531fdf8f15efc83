#include <flowgraph/train/state_bytes.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("state_bytes: a state is what it was, and damaged bytes are an error or another state") {
  fg::saved_state state;
  state.random = {{"a/random_uniform", 3, 17}, {"b", 0, std::uint64_t{1} << 63}};
  state.resources = {{"", "q", std::string("\0\1\xff", 3)}, {"section", "reader", ""}};
  const std::string bytes = to_bytes(state);
  const fg::saved_state made = fg::parse_saved_state(bytes).value();
  REQUIRE(made.random.size() == 2);
  CHECK(made.random[0].node == "a/random_uniform");
  CHECK(made.random[0].runs == 3);
  CHECK(made.random[1].numbers == std::uint64_t{1} << 63);
  REQUIRE(made.resources.size() == 2);
  CHECK(made.resources[0].bytes == state.resources[0].bytes);
  CHECK(made.resources[1].section == "section");
  CHECK(fg::parse_saved_state("")->random.empty());
  for (std::size_t size = 1; size < bytes.size(); ++size)
    if (const auto cut = fg::parse_saved_state(std::string_view(bytes).substr(0, size)); !cut)
      CHECK(cut.error().code() == fg::error_code::data_loss);
}
