#include <flowgraph/ops/data_flow/stage.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/accumulate.hpp>

#include <atomic>
#include <chrono>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::chrono_literals;

namespace {

// An area of pairs, and all that can be done with it.
struct area {
  fg::graph g;
  fg::staging_area<float, std::string> a;
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown());
  fg::out<std::string> t = g.placeholder<std::string>("t", fg::shape::unknown());
  fg::out<std::int32_t> i = g.placeholder<std::int32_t>("i", fg::shape::unknown());
  fg::target put = a.put(x, t), clear = a.clear();
  std::tuple<fg::out<float>, fg::out<std::string>> got = a.get(), read = a.peek(i);
  fg::session s{g};

  explicit area(const fg::staging_options& o = {}) : a(g, o) {}

  fg::result<void> lay_down(float value, const char* text, const fg::run_options& o = {}) {
    return s.try_run(put, {{x, value}, {t, std::string(text)}}, o);
  }
  // The number that has been taken, with its text; negative: an error.
  fg::result<fg::fetched<float>> take(const fg::run_options& o = {}) { return s.try_run(fg::fetch(std::get<0>(got)), {}, o); }
  fg::result<fg::fetched<float>> peek(int index, const fg::run_options& o = {}) {
    return s.try_run(fg::fetch(std::get<0>(read)), {{i, index}}, o);
  }
  std::int32_t size() { return s.run(fg::fetch(a.size())).scalar(); }
};

}  // namespace

TEST_CASE("a staging area: lists leave in the order in which they came, and are read where they lie") {
  area t;
  CHECK(t.size() == 0);
  for (const float value : {1.f, 2.f, 3.f}) CHECK(t.lay_down(value, "text"));
  CHECK(t.size() == 3);
  CHECK(t.peek(2)->scalar() == 3.f);
  {
    auto [x, text] = t.s.run(fg::fetch(std::get<0>(t.got), std::get<1>(t.got)));
    CHECK(x.scalar() == 1.f);
    CHECK(text.scalar() == "text");
  }
  CHECK(t.peek(0)->scalar() == 2.f);
  CHECK(t.size() == 2);
  t.s.run(t.clear);
  CHECK(t.size() == 0);
  CHECK(t.lay_down(4.f, "d"));
  CHECK(t.take()->scalar() == 4.f);
}

TEST_CASE("a staging area: whoever takes or reads waits for what is not there yet") {
  area t;
  float taken = 0, read = 0;
  std::thread reader([&] { read = t.peek(1)->scalar(); });
  std::this_thread::sleep_for(2ms);
  std::thread taker([&] { taken = t.take()->scalar(); });
  std::this_thread::sleep_for(2ms);
  CHECK(t.lay_down(1.f, "a"));  // for the one that takes, though the other waits for longer
  taker.join();
  CHECK(taken == 1.f);
  CHECK(t.lay_down(2.f, "b"));
  CHECK(t.lay_down(3.f, "c"));
  reader.join();
  CHECK(read == 3.f);
  CHECK(t.size() == 2);
}

TEST_CASE("a staging area: whoever lays down waits for room, of lists and of bytes, in the order of asking") {
  area t({.capacity = 2});
  CHECK(t.lay_down(1.f, "a"));
  CHECK(t.lay_down(2.f, "b"));
  CHECK(t.lay_down(9.f, "z", fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  std::thread giver([&] { CHECK(t.lay_down(3.f, "c")); });
  std::this_thread::sleep_for(2ms);
  CHECK(t.take()->scalar() == 1.f);
  giver.join();
  CHECK(t.size() == 2);
  std::thread late([&] { CHECK(t.lay_down(4.f, "d")); });
  std::this_thread::sleep_for(2ms);
  t.s.run(t.clear);
  late.join();
  CHECK(t.take()->scalar() == 4.f);

  const std::size_t pair = sizeof(float) + sizeof(std::string);
  area small({.memory_limit = static_cast<std::int64_t>(2 * pair + 10)});
  CHECK(small.lay_down(1.f, "0123456789"));
  CHECK(small.lay_down(2.f, "0123456789", fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  CHECK(small.lay_down(2.f, ""));
  const fg::error never =
      small.s.try_run(small.put, {{small.x, fg::tensor<float>(fg::shape{100})}, {small.t, std::string()}}).error();
  CHECK(never.code() == error_code::resource_exhausted);
  CHECK(std::string_view(never.what()).find("memory_limit") != std::string_view::npos);
  CHECK(small.size() == 2);
}

TEST_CASE("a staging area: nodes that name it share it, and wrong ones are refused without taking anything") {
  fg::graph g;
  fg::staging_area<float> one(g, {.shared_name = "area"}), same(g, {.shared_name = "area"}), other(g), another(g);
  fg::staging_area<std::int32_t> mistaken(g, {.shared_name = "area"});
  fg::staging_area<float, float> longer(g, {.shared_name = "area"});
  auto x = g.placeholder<float>("x", {});
  auto i = g.placeholder<std::int32_t>("i", {});
  auto put = one.put(x);
  auto wrong = mistaken.get();
  auto too_many = std::get<0>(longer.get());
  auto peeked = same.peek(i);
  auto taken = same.get();
  fg::session s{g};
  s.run(put, {{x, 5.f}});
  CHECK(s.run(fg::fetch(other.size())).scalar() == 0);
  CHECK(s.run(fg::fetch(another.size())).scalar() == 0);
  for (const fg::target& t : {fg::target(wrong), fg::target(too_many)}) {
    const fg::error why = s.try_run(t).error();
    CHECK(why.code() == error_code::invalid_argument);
    CHECK(std::string_view(why.what()).find("staging area 'area' holds tensors of types [float]") != std::string_view::npos);
  }
  CHECK(s.try_run(fg::target(peeked), {{i, -1}}).error().code() == error_code::invalid_argument);
  CHECK(s.run(fg::fetch(taken)).scalar() == 5.f);
#ifdef FLOWGRAPH_EXCEPTIONS
  fg::unstage_op negative;
  negative.capacity = -1;
  CHECK_THROWS_WITH_AS(fg::apply_in<>(g, negative), doctest::Contains("capacity"), fg::error);
#endif
}

TEST_CASE("a staging area that is dropped answers those who wait with an error that names it") {
  fg::container resources;
  area t({.shared_name = "area"});
  fg::session s{t.g, {.resources = &resources}};
  std::atomic<bool> ended = false;
  fg::error why;
  std::thread taker([&] {
    why = s.try_run(fg::fetch(std::get<0>(t.got)), {}, fg::run_options::within(20s)).error();
    ended = true;
  });
  while (!ended) {
    std::this_thread::sleep_for(1ms);
    resources.clear();
  }
  taker.join();
  CHECK(why.code() == error_code::cancelled);
  for (const char* part : {"staging area 'area'", "container of the staging area was cleared"})
    CHECK(std::string_view(why.what()).find(part) != std::string_view::npos);
}

TEST_CASE("a staging area between threads: each list arrives once, also where some give up") {
  constexpr int each = 200, threads = 3;
  area t({.capacity = 3});
  std::atomic<int> given{0}, late{0};
  std::vector<std::vector<float>> got(threads);
  std::vector<std::thread> givers, takers;
  for (int k = 0; k < threads; ++k) {
    givers.emplace_back([&, k] {
      for (int n = 0; n < each; ++n) {
        const auto o = n % 7 == 3 ? fg::run_options::within(30us) : fg::run_options{};
        if (t.lay_down(static_cast<float>(1000 * k + n + 1), "text", o)) ++given;
      }
    });
    takers.emplace_back([&, k] {
      for (int round = 0;; ++round) {
        const auto made = t.take(round % 3 == 0 ? fg::run_options::within(50us) : fg::run_options::within(20s));
        if (!made) ++late;
        else if (made->scalar() == 0.f) return;
        else got[static_cast<std::size_t>(k)].push_back(made->scalar());
      }
    });
  }
  for (auto& thread : givers) thread.join();
  for (int k = 0; k < threads + 1; ++k) CHECK(t.lay_down(0.f, "end"));
  std::thread ends([&] {
    while (t.size() > 0) std::this_thread::sleep_for(1ms);
  });
  // One that ended late may have taken an end with it.
  std::atomic<bool> done = false;
  std::thread more([&] {
    while (!done) {
      static_cast<void>(t.lay_down(0.f, "end", fg::run_options::within(1ms)));
      std::this_thread::sleep_for(1ms);
    }
  });
  for (auto& thread : takers) thread.join();
  done = true;
  more.join();
  t.s.run(t.clear);
  ends.join();
  std::vector<float> all;
  for (const auto& part : got) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  CHECK(static_cast<int>(all.size()) + late >= given);
  CHECK(all.size() <= each * threads);
}

TEST_CASE("a staging area: a run that may not wait ends at once with an error that names it") {
  area t({.capacity = 1, .shared_name = "area"});
  const fg::run_options at_once{.may_wait = false};
  const auto check = [](const fg::error& why) {
    CHECK(why.code() == error_code::unavailable);
    CHECK(std::string_view(why.what()).find("staging area 'area'") != std::string_view::npos);
  };
  check(t.take(at_once).error());
  check(t.peek(0, at_once).error());
  CHECK(t.lay_down(1.f, "a", at_once));
  check(t.lay_down(2.f, "b", at_once).error());
  CHECK(t.take(at_once)->scalar() == 1.f);
}
