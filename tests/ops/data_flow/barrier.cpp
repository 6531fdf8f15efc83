#include <flowgraph/ops/data_flow/barrier.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/accumulate.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::chrono_literals;

namespace {

using texts = std::vector<std::string>;
using reals = std::vector<float>;
using numbers = std::vector<std::int64_t>;
constexpr std::int64_t first_index = std::numeric_limits<std::int64_t>::min();

template <class T> std::vector<T> list_of(const fg::tensor<T>& t) { return {t.begin(), t.end()}; }
template <class T> fg::tensor<T> tensor_of(const std::vector<T>& v) { return fg::tensor<T>(fg::shape{v.size()}, v); }

struct pairs {
  fg::graph g;
  fg::barrier<float, std::string> b;
  fg::out<std::string> keys = g.placeholder<std::string>("keys", {fg::any});
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown());
  fg::out<std::string> t = g.placeholder<std::string>("t", fg::shape::unknown());
  fg::out<std::int32_t> n = g.placeholder<std::int32_t>("n", {});
  fg::target first = b.insert_many<0>(keys, x), second = b.insert_many<1>(keys, t), close = b.close(), close_now = b.close(true);
  std::tuple<fg::out<std::int64_t>, fg::out<std::string>, fg::out<float>, fg::out<std::string>> taken = b.take_many(n),
                                                                                                rest = b.take_many(n, true);
  fg::out<std::int32_t> ready = b.ready_size(), incomplete = b.incomplete_size();
  fg::session s{g};

  explicit pairs(const fg::barrier_options& o = {.shapes = {{}, {}}}) : b(g, o) {}

  fg::result<void> add_first(const texts& k, const reals& values) {
    return s.try_run(first, {{keys, tensor_of(k)}, {x, tensor_of(values)}});
  }
  fg::result<void> add_second(const texts& k, const texts& values) {
    return s.try_run(second, {{keys, tensor_of(k)}, {t, tensor_of(values)}});
  }
  fg::result<fg::fetched<std::string>> take(std::int32_t count, const fg::run_options& o = {}, bool small = false) {
    return s.try_run(fg::fetch(std::get<1>(small ? rest : taken)), {{n, count}}, o);
  }
  std::int32_t ready_size() { return s.run(fg::fetch(ready)).scalar(); }
  std::int32_t incomplete_size() { return s.run(fg::fetch(incomplete)).scalar(); }
};

}  // namespace

TEST_CASE("a barrier: elements are put together by their keys, and leave in the order in which they were begun") {
  pairs t;
  CHECK(std::get<2>(t.taken).shape() == fg::shape{fg::any});
  CHECK(t.add_first({"a", "b"}, {1, 2}));
  CHECK(t.add_second({"c", "b"}, {"C", "B"}));
  CHECK(t.ready_size() == 1);
  CHECK(t.incomplete_size() == 2);
  CHECK(t.add_first({"c"}, {3}));
  CHECK(t.add_second({"a"}, {"A"}));
  CHECK(t.incomplete_size() == 0);
  auto [indices, keys, x, text] =
      t.s.run(fg::fetch(std::get<0>(t.taken), std::get<1>(t.taken), std::get<2>(t.taken), std::get<3>(t.taken)), {{t.n, 3}});
  CHECK(list_of(keys) == texts{"b", "a", "c"});
  CHECK(list_of(x) == reals{2, 1, 3});
  CHECK(list_of(text) == texts{"B", "A", "C"});
  CHECK(list_of(indices) == numbers{first_index, first_index, first_index + 1});
  CHECK(t.ready_size() == 0);
  // A key that has left is new again.
  CHECK(t.add_first({"a"}, {9}));
  CHECK(t.incomplete_size() == 1);
}

TEST_CASE("a barrier: whoever takes waits for elements that are ready, and can be cancelled") {
  pairs t;
  texts got;
  std::thread taker([&] { got = list_of(*t.take(2)); });
  std::this_thread::sleep_for(2ms);
  CHECK(t.add_first({"a", "b"}, {1, 2}));
  CHECK(t.add_second({"a"}, {"A"}));
  CHECK(t.ready_size() == 1);
  CHECK(t.add_second({"b"}, {"B"}));
  taker.join();
  CHECK(got == texts{"a", "b"});
  CHECK(t.take(1, fg::run_options::within(5ms)).error().code() == error_code::deadline_exceeded);
  CHECK(t.take(0)->size() == 0);
}

TEST_CASE("a closed barrier: what is begun may be completed, new keys are refused") {
  pairs t;
  CHECK(t.add_first({"a", "b"}, {1, 2}));
  CHECK(t.add_second({"a"}, {"A"}));
  t.s.run(t.close);
  CHECK(t.s.try_run(t.close).error().code() == error_code::cancelled);
  const fg::error fresh = t.add_first({"c"}, {3}).error();
  CHECK(fresh.code() == error_code::cancelled);
  CHECK(std::string_view(fresh.what()).find("Barrier '") != std::string_view::npos);
  CHECK(t.take(3).error().code() == error_code::out_of_range);
  texts got;
  std::thread taker([&] { got = list_of(*t.take(2)); });  // the second is begun
  std::this_thread::sleep_for(2ms);
  CHECK(t.add_second({"b"}, {"B"}));
  taker.join();
  CHECK(got == texts{"a", "b"});
  CHECK(t.take(1).error().code() == error_code::out_of_range);
  CHECK(t.add_second({"b"}, {"B"}).error().code() == error_code::cancelled);
}

TEST_CASE("closing a barrier ends those who wait, and drops what is begun where that is asked") {
  for (const bool small : {false, true}) {
    pairs t;
    CHECK(t.add_first({"a", "b"}, {1, 2}));
    CHECK(t.add_second({"a"}, {"A"}));
    fg::result<fg::fetched<std::string>> got = fg::error(error_code::internal, "nothing yet");
    std::thread taker([&] { got = t.take(2, {}, small); });
    std::this_thread::sleep_for(2ms);
    t.s.run(t.close);  // "b" may be completed
    CHECK(t.incomplete_size() == 1);
    t.s.run(t.close_now);
    taker.join();
    CHECK(t.incomplete_size() == 0);
    if (small) {
      CHECK(list_of(got.value()) == texts{"a"});
      CHECK(t.take(1, {}, true).error().code() == error_code::out_of_range);
    } else {
      CHECK(got.error().code() == error_code::out_of_range);
      CHECK(t.ready_size() == 1);
    }
    CHECK(t.add_second({"b"}, {"B"}).error().code() == error_code::cancelled);
    CHECK(t.s.try_run(t.close_now).error().code() == error_code::cancelled);
  }
}

TEST_CASE("a barrier: what is wrong is refused, and no key of it has got a value") {
  pairs t({.shapes = {{}, {}}, .shared_name = "b"});
  CHECK(t.add_first({"a"}, {1}));
  const auto refused = [&](const fg::result<void>& made, std::string_view part) {
    REQUIRE_FALSE(made);
    CHECK(made.error().code() == error_code::invalid_argument);
    CHECK_MESSAGE(std::string_view(made.error().what()).find(part) != std::string_view::npos, std::string(made.error().what()));
  };
  refused(t.add_first({"c", "a"}, {3, 4}), "key 'a'");
  refused(t.add_first({"c", "c"}, {3, 4}), "key 'c'");
  refused(t.add_first({"c"}, {3, 4}), "a key for each row");
  refused(t.s.try_run(t.first, {{t.keys, tensor_of(texts{"c"})}, {t.x, fg::tensor<float>({1, 2})}}), "component 0");
  refused(t.s.try_run(fg::target(std::get<0>(t.taken)), {{t.n, -1}}), "negative");
  fg::barrier_insert_many_op beyond;
  beyond.component_index = 2;
  fg::barrier_op same;
  same.component_types = {fg::dtype::float32, fg::dtype::string};
  same.shapes = {{}, {}};
  same.shared_name = "b";
  auto handle = fg::apply_in<>(t.g, same);
  refused(t.s.try_run(fg::apply(beyond, handle, t.keys, t.x), {{t.keys, tensor_of(texts{"c"})}, {t.x, tensor_of(reals{1})}}),
          "component_index 2");
  beyond.component_index = 1;
  refused(t.s.try_run(fg::apply(beyond, handle, t.keys, t.x), {{t.keys, tensor_of(texts{"c"})}, {t.x, tensor_of(reals{1})}}),
          "float");
  CHECK(t.incomplete_size() == 1);
  CHECK(t.ready_size() == 0);
  fg::barrier<float> narrow(t.g, {.shapes = {{}}, .shared_name = "b"});
  refused(t.s.try_run(fg::target(narrow.ready_size())), "component_types");
  fg::barrier<float, std::string> wide(t.g, {.shapes = {{2}, {}}, .shared_name = "b"});
  refused(t.s.try_run(fg::target(wide.ready_size())), "shapes");
  same.capacity = 3;
  refused(t.s.try_run(fg::target(fg::apply(fg::barrier_ready_size_op{}, fg::apply_in<>(t.g, same)))), "capacity");
}

TEST_CASE("a barrier of one component makes an element of each row, of rows of one shape a batch") {
  fg::graph g;
  fg::barrier<float> b(g);
  auto keys = g.placeholder<std::string>("keys", {fg::any});
  auto x = g.placeholder<float>("x", fg::shape::unknown());
  auto put = b.insert_many<0>(keys, x);
  auto [indices, names, rows] = b.take_many(2);
  fg::session s{g};
  s.run(put, {{keys, tensor_of(texts{"k", "k"})}, {x, fg::tensor<float>({2, 2}, {1, 2, 3, 4})}});
  CHECK(s.run(fg::fetch(b.ready_size())).scalar() == 2);
  {
    auto [r, k] = s.run(fg::fetch(rows, names));
    CHECK(r.shape() == fg::shape{2, 2});
    CHECK(list_of(r) == reals{1, 2, 3, 4});
    CHECK(list_of(k) == texts{"k", "k"});
  }
  s.run(put, {{keys, tensor_of(texts{"k"})}, {x, fg::tensor<float>({1, 2}, {1, 2})}});
  s.run(put, {{keys, tensor_of(texts{"l"})}, {x, fg::tensor<float>({1, 3}, {1, 2, 3})}});
  CHECK(s.try_run(fg::fetch(rows)).error().code() == error_code::invalid_argument);
  CHECK(s.run(fg::fetch(b.ready_size())).scalar() == 2);  // they stay
}

TEST_CASE("a barrier between threads: each element arrives once and whole") {
  constexpr int each = 150, threads = 3;
  pairs t;
  std::vector<std::thread> workers;
  std::vector<texts> got(threads);
  std::atomic<int> givers{2 * threads};
  for (int k = 0; k < threads; ++k) {
    const auto key = [k](int i) { return std::to_string(1000 * k + i); };
    workers.emplace_back([&, key] {
      for (int i = 0; i < each; ++i) CHECK(t.add_first({key(i)}, {1}));
      if (--givers == 0) t.s.run(t.close);
    });
    workers.emplace_back([&, key] {
      for (int i = each; i-- > 0;) CHECK(t.add_second({key(i)}, {key(i)}));
      if (--givers == 0) t.s.run(t.close);
    });
    workers.emplace_back([&, k] {
      for (;;) {
        auto made = t.s.try_run(fg::fetch(std::get<1>(t.rest), std::get<3>(t.rest)), {{t.n, k + 1}});
        if (!made) {
          CHECK(made.error().code() == error_code::out_of_range);
          return;
        }
        auto& [names, values] = *made;
        CHECK(list_of(names) == list_of(values));
        for (const std::string& name : names) got[static_cast<std::size_t>(k)].push_back(name);
      }
    });
  }
  for (auto& thread : workers) thread.join();
  texts all;
  for (const texts& part : got) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  CHECK(all.size() == each * threads);
}

TEST_CASE("a barrier: a run that may not wait ends at once with an error that names it") {
  pairs t({.shapes = {{}, {}}, .shared_name = "b"});
  const fg::run_options at_once{.may_wait = false};
  const fg::error why = t.take(1, at_once).error();
  CHECK(why.code() == error_code::unavailable);
  CHECK(std::string_view(why.what()).find("Barrier 'b'") != std::string_view::npos);
  CHECK(t.add_first({"a"}, {1}));
  CHECK(t.add_second({"a"}, {"A"}));
  CHECK(t.take(1, at_once)->size() == 1);
}
