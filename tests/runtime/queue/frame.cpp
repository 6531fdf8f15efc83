#include <flowgraph/runtime/queue/frame.hpp>

#include <doctest/doctest.h>

#include <set>

namespace fg = flowgraph;
using fg::detail::iteration;
using fg::detail::slot;

namespace {

// A root with two outputs, and a loop in it with one record and one output.
fg::detail::plan two_frames() {
  fg::detail::plan p;
  p.frames.resize(2);
  p.frames[0].slots = 2;
  p.frames[0].children = {1};
  p.frames[1].parent = 0;
  p.frames[1].name = "rounds";
  p.frames[1].slots = 1;
  p.frames[1].enters = 3;
  p.frames[1].records = {0};
  p.records.resize(1);
  p.records[0].pending = 5;
  p.uses = {{1, 2}, {4}};
  return p;
}

}  // namespace

TEST_CASE("frame: an iteration that was closed is the next one, and as if it had never run") {
  const fg::detail::plan p = two_frames();
  fg::detail::frame_pool pool(p);
  iteration* const first = pool.open(1);
  REQUIRE(first->slots.size() == 1);
  CHECK(first->slots[0].uses == 4);
  REQUIRE(first->records.size() == 1);
  CHECK(first->records[0].left == 5);
  CHECK(first->records[0].chosen == fg::detail::progress::none);
  first->slots[0].value.tensor = fg::tensor<float>(1.f).erased();
  first->slots[0].become(slot::live);
  first->slots[0].uses = 1;
  first->records[0] = {0, 2, 1};
  CHECK(pool.open(1) != first);
  pool.close(1, first);
  iteration* const again = pool.open(1);
  CHECK(again == first);
  CHECK_FALSE(again->slots[0].value.tensor.has_value());
  CHECK(again->slots[0].state() == slot::empty);
  CHECK(again->slots[0].uses == 4);
  CHECK(again->records[0].left == 5);
  CHECK(again->records[0].dead == 0);
}

TEST_CASE("frame: keys of iterations depend on names and numbers alone, and differ from one another") {
  fg::detail::plan_frame rounds, others;
  rounds.name_key = 17;
  others.name_key = 18;
  iteration root;
  std::set<std::uint64_t> keys;
  for (const fg::detail::plan_frame* f : {&rounds, &others}) {
    const std::uint64_t frame = fg::detail::key_of_frame(*f, root);
    for (std::uint64_t i = 0; i < 100; ++i) {
      iteration outer;
      outer.key = fg::detail::key_of_iteration(frame, i);
      keys.insert(outer.key);
      const std::uint64_t inner = fg::detail::key_of_frame(rounds, outer);
      for (std::uint64_t k = 0; k < 10; ++k) keys.insert(fg::detail::key_of_iteration(inner, k));
    }
  }
  CHECK(keys.size() == 2 * 100 * 11);
  CHECK_FALSE(keys.contains(0));  // the root's
  fg::detail::plan_frame same = rounds;
  same.position = 9;  // where a loop stands among others
  CHECK(fg::detail::key_of_frame(same, root) == fg::detail::key_of_frame(rounds, root));
}
