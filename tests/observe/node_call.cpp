#include <flowgraph/observe/node_call.hpp>

#include <flowgraph/formats/fields.hpp>

#include <doctest/doctest.h>

#include <map>
#include <vector>

namespace fg = flowgraph;

namespace {

// The whole numbers of a NodeExecStats, and its texts.
struct run_message {
  std::map<std::uint32_t, std::uint64_t> numbers;
  std::map<std::uint32_t, std::string> texts;
};

std::map<std::string, std::vector<run_message>> runs_in(std::string_view metadata) {
  std::map<std::string, std::vector<run_message>> made;
  fg::detail::field_reader outer(metadata);
  REQUIRE(outer.next());
  fg::detail::field_reader devices(outer.bytes());
  while (devices.next()) {
    std::string name;
    fg::detail::field_reader device(devices.bytes());
    while (device.next()) {
      if (device.is_bytes(1)) {
        name = device.bytes();
        continue;
      }
      run_message run;
      fg::detail::field_reader fields(device.bytes());
      while (fields.next())
        if (fields.form() == fg::detail::field_form::bytes) run.texts[fields.number()] = fields.bytes();
        else run.numbers[fields.number()] = fields.value();
      CHECK_FALSE(fields.is_broken());
      made[name].push_back(run);
    }
  }
  return made;
}

}  // namespace

TEST_CASE("calls stand with their devices, in nanoseconds and in microseconds of at least one") {
  const fg::node_call calls[]{{.node = "a",
                               .device = "/device:cpu:0",
                               .thread = 2,
                               .ready = 900'000,
                               .start = 1'000'000,
                               .end = 3'500'500,
                               .allocated_bytes = 64},
                              {.node = "b", .device = "/device:cpu:1", .start = 2'000'000, .end = 2'000'100},
                              {.node = "a",
                               .op = "Add",
                               .device = "/device:cpu:0",
                               .start = 4'000'000,
                               .end = 4'001'000,
                               .inputs = "x, w:1",
                               .outputs = {{fg::dtype::float32, {2, 3}}}}};
  auto made = runs_in(fg::run_metadata_of(calls));
  REQUIRE(made["/device:cpu:0"].size() == 2);
  REQUIRE(made["/device:cpu:1"].size() == 1);
  run_message& first = made["/device:cpu:0"][0];
  CHECK(first.texts[1] == "a");
  CHECK(first.texts[8] == "a");
  CHECK(first.numbers[2] == 1000);
  CHECK(first.numbers[5] == 2501);
  CHECK(first.numbers[9] == 900);
  CHECK(first.numbers[10] == 2);
  CHECK(first.numbers[13] == 1'000'000);
  CHECK(first.numbers[16] == 2'500'500);
  CHECK(first.texts[6] == std::string("\n\x03"
                                      "cpu\x10\x40\x18\x40"));
  CHECK(made["/device:cpu:1"][0].numbers[5] == 1);
  CHECK(made["/device:cpu:1"][0].texts.count(6) == 0);
  CHECK(made["/device:cpu:0"][1].texts[8] == "a = Add(x, w:1)");
  // Slot 0, and a description of a float with the axes 2 and 3.
  CHECK(made["/device:cpu:0"][1].texts[7] == std::string("\x08\0\x1a\x0c\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x03", 16));
}

TEST_CASE("a step without nodes is a message too") { CHECK(fg::run_metadata_of({}) == std::string("\n\0", 2)); }
