#include <flowgraph/runtime/schedule/arena_schedule.hpp>

#include <flowgraph/runtime/schedule/detail/arena_plan.hpp>

#include "../../harness/engine_ops.hpp"

#include <random>

using namespace engine;
namespace detail = fg::detail;

namespace {

struct doubled {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
  std::shared_ptr<detail::session_state> session = std::make_shared<detail::session_state>(g, fg::session_options());
  fg::any_out feeds[1]{x}, fetches[1]{add(x, x)};
  std::shared_ptr<detail::planned> plan = *session->plan_for({.feeds = feeds, .fetches = fetches, .targets = {}, .devices = {}});

  std::unique_ptr<detail::root_schedule> schedule(std::int64_t size) {
    return *detail::arena_schedule::make(*session, *plan, {fg::shape{size}});
  }
};

}  // namespace

TEST_CASE("arena_schedule: fits feeds of its types and shapes, until resources are cleared") {
  doubled d;
  const auto made = d.schedule(3);
  const fg::any_tensor three = filled(3, 1).erased(), four = filled(4, 1).erased(),
                       whole = fg::tensor<int>(fg::shape{3}).erased();
  const auto fits = [&](const fg::any_tensor& t) {
    const fg::any_tensor* const feeds[]{&t};
    return made->fits(feeds);
  };
  CHECK(fits(three));
  CHECK_FALSE(fits(four));
  CHECK_FALSE(fits(whole));
  CHECK(made->body() == nullptr);
  d.session->services.resources->clear();
  CHECK(made->is_outdated());
  CHECK_FALSE(fits(three));
}

namespace {

// Storages in the order in which they are written, each alive for some records.
detail::sequence<detail::storage> storages_of(std::initializer_list<std::array<std::uint32_t, 3>> bytes_first_last) {
  detail::sequence<detail::storage> all;
  for (const auto& [bytes, first, last] : bytes_first_last) all.push_back({bytes, first, last, {}, nullptr});
  return all;
}

}  // namespace

TEST_CASE("arena_schedule: what ends makes room, beside what was free in front of it, behind it, and on both sides") {
  constexpr std::uint32_t grain = fg::buffer::alignment;
  // Three in a row, of which the outer two end first, then the one between: a fourth takes the room of all.
  auto joined = storages_of({{grain, 0, 1}, {grain, 0, 2}, {grain, 0, 1}, {3 * grain, 3, 4}});
  CHECK(place_storages(joined, nullptr) == 3 * grain);
  CHECK(joined[3].offset == 0);
  // The smallest gap that is large enough, and what is left of it for the next.
  auto fitted = storages_of({{3 * grain, 0, 0}, {grain, 0, 9}, {2 * grain, 0, 0}, {grain, 0, 9}, {grain, 1, 9}, {grain, 1, 9}});
  CHECK(place_storages(fitted, nullptr) == 7 * grain);
  CHECK(fitted[4].offset == 4 * grain);
  CHECK(fitted[5].offset == 5 * grain);
  // The grain of another memory.
  auto coarse = storages_of({{1, 0, 9}, {257, 0, 9}, {1, 0, 9}});
  CHECK(place_storages(coarse, nullptr, 256) == 1024);
  CHECK(coarse[1].offset == 256);
  CHECK(coarse[2].offset == 768);
}

TEST_CASE("arena_schedule: a size that no memory has stays so when it is rounded up") {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  auto one = storages_of({{fg::buffer::alignment, 0, 1}});
  one[0].bytes = most - 3;
  CHECK(place_storages(one, nullptr) > most / 2);
}

TEST_CASE("arena_schedule: large tensors are placed first if the order of time leaves gaps, and not in very large plans") {
  constexpr std::uint32_t grain = fg::buffer::alignment;
  // In order of time, the third does not fit into the place of the first.
  auto few = storages_of({{grain, 0, 0}, {grain, 0, 2}, {2 * grain, 1, 2}});
  detail::arena_plan plan(few, nullptr, grain);
  CHECK(plan.place() == 3 * grain);
  CHECK(plan.most_alive() == 3 * grain);
  CHECK(few[2].offset == 0);
  CHECK(few[1].offset == 2 * grain);
  // Only the order of lives has no gaps.
  auto lives =
      storages_of({{2 * grain, 0, 3}, {2 * grain, 0, 3}, {3 * grain, 1, 1}, {2 * grain, 2, 5}, {2 * grain, 3, 5}, {grain, 4, 5}});
  CHECK(detail::arena_plan(lives, nullptr, grain).place() == 8 * grain);
  // The order of time.
  detail::sequence<detail::storage> many;
  for (std::uint32_t i = 0; i < 700; ++i)
    for (const auto& [bytes, first, last] : {std::array<std::uint32_t, 3>{grain, 0, 0}, {grain, 0, 2}, {2 * grain, 1, 2}})
      many.push_back({bytes, 3 * i + first, 3 * i + last, {}, nullptr});
  CHECK(place_storages(many, nullptr) == 4 * grain);
}

TEST_CASE("arena_schedule: no two tensors that are alive at once share bytes, and the arena is no larger than all of them") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    detail::sequence<detail::storage> all;
    std::size_t bytes = 0;
    for (std::uint32_t first = 0; first < 60; ++first) {
      all.push_back({random() % 2000, first, first + static_cast<std::uint32_t>(random() % 12), {}, nullptr});
      bytes += all.back().bytes + 2 * fg::buffer::alignment;
    }
    detail::arena_plan plan(all, nullptr, fg::buffer::alignment);
    const std::size_t top = plan.place();
    CHECK(top <= bytes);
    CHECK(top >= plan.most_alive());
    CHECK(static_cast<double>(top) <= 1.25 * static_cast<double>(plan.most_alive()));
    bool is_apart = true;
    for (const detail::storage& a : all) {
      is_apart = is_apart && a.offset % fg::buffer::alignment == 0 && a.offset + a.bytes <= top;
      for (const detail::storage& b : all)
        if (&a != &b && a.first <= b.last && b.first <= a.last && a.bytes > 0 && b.bytes > 0)
          is_apart = is_apart && (a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
    }
    CHECK(is_apart);
  }
}
