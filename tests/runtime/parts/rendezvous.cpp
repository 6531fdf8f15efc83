#include <flowgraph/runtime/parts/rendezvous.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using fg::detail::iteration_name;
using fg::detail::rendezvous;
using fg::detail::rendezvous_parcel;
using fg::detail::waiting_record;

namespace {

rendezvous_parcel parcel_of(float value) { return {false, fg::edge_value(fg::tensor<float>({}, {value}).erased())}; }
// Nothing here runs: an address is enough.
fg::detail::executor* somebody() { return reinterpret_cast<fg::detail::executor*>(64); }

}  // namespace

TEST_CASE("rendezvous: a value waits for its receiver, and goes once") {
  rendezvous r(2);
  rendezvous_parcel given = parcel_of(3), taken;
  CHECK_FALSE(r.send(1, {}, given).by);
  CHECK_FALSE(r.receive(0, {}, {somebody(), 4, nullptr}, taken));
  CHECK(r.anyone_waits());
  CHECK(r.waiting_edge() == 0);
  REQUIRE(r.receive(1, {}, {somebody(), 5, nullptr}, taken));
  CHECK(taken.value.tensor.as<float>().scalar() == 3);
  CHECK_FALSE(r.receive(1, {}, {somebody(), 5, nullptr}, taken));
}

TEST_CASE("rendezvous: a receiver waits for its value, by edge and iteration") {
  rendezvous r(1);
  rendezvous_parcel given = parcel_of(3), taken;
  const iteration_name first{77, 0}, second{77, 1}, elsewhere{78, 0};
  CHECK_FALSE(r.receive(0, second, {somebody(), 9, nullptr}, taken));
  CHECK_FALSE(r.send(0, first, given).by);
  given = parcel_of(4);
  CHECK_FALSE(r.send(0, elsewhere, given).by);
  given = parcel_of(5);
  const waiting_record waits = r.send(0, second, given);
  CHECK(waits.by == somebody());
  CHECK(waits.record == 9);
  CHECK(given.value.tensor.as<float>().scalar() == 5);  // for who waits
  CHECK_FALSE(r.anyone_waits());
  CHECK(r.waiting_edge() == fg::detail::no_index);
  REQUIRE(r.receive(0, elsewhere, {somebody(), 1, nullptr}, taken));
  CHECK(taken.value.tensor.as<float>().scalar() == 4);
}

TEST_CASE("rendezvous: many at once, sent and received in different orders") {
  constexpr std::uint32_t edges = 3, iterations = 250;
  rendezvous r(edges);
  const auto value_of = [](std::uint32_t edge, std::uint64_t frame, std::uint64_t index) {
    return static_cast<float>(edge * 10'000 + frame % 2 * 1000 + index);
  };
  rendezvous_parcel taken;
  const auto is_taken = [&](std::uint32_t edge, const iteration_name& in) {
    return r.receive(edge, in, {somebody(), 0, nullptr}, taken) &&
           taken.value.tensor.as<float>().scalar() == value_of(edge, in.frame, in.index);
  };
  std::size_t equal = 0, wanted = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < iterations; ++i)
      for (std::uint32_t e = 0; e < edges; ++e)
        for (const std::uint64_t frame : {1000u, 2001u}) {
          rendezvous_parcel given = parcel_of(value_of(e, frame, i));
          CHECK_FALSE(r.send(e, {frame, i}, given).by);
          // Some go at once, so that gaps arise between those that stay.
          if (i % 3 == 1) ++wanted, equal += is_taken(e, {frame, i - 1});
        }
    for (std::uint32_t e = edges; e-- > 0;)
      for (const std::uint64_t frame : {2001u, 1000u})
        for (std::uint64_t i = iterations; i-- > 0;)
          if (i % 3 != 0 || i + 1 == iterations) ++wanted, equal += is_taken(e, {frame, i});
  }
  CHECK(equal == wanted);
  CHECK(wanted == 2 * 2 * edges * iterations);
  CHECK_FALSE(r.anyone_waits());
  r.clear();  // gives the memory of so many back
  rendezvous_parcel given = parcel_of(value_of(1, 1000, 7));
  CHECK_FALSE(r.send(1, {1000, 7}, given).by);
  CHECK(is_taken(1, {1000, 7}));
}

TEST_CASE("rendezvous: the news of a dead value, and nothing is left after an end") {
  rendezvous r(1);
  rendezvous_parcel dead{true, {}}, taken;
  CHECK_FALSE(r.send(0, {}, dead).by);
  REQUIRE(r.receive(0, {}, {somebody(), 0, nullptr}, taken));
  CHECK(taken.dead);
  rendezvous_parcel given = parcel_of(1);
  r.send(0, {5, 5}, given);
  CHECK_FALSE(r.receive(0, {6, 6}, {somebody(), 0, nullptr}, taken));
  CHECK_FALSE(r.receive(0, {6, 6}, {somebody(), 1, nullptr}, taken));  // in the other's place
  CHECK(r.anyone_waits());
  r.clear();
  CHECK_FALSE(r.anyone_waits());
  CHECK(r.waiting_edge() == fg::detail::no_index);
  CHECK_FALSE(r.receive(0, {5, 5}, {somebody(), 0, nullptr}, taken));
}
