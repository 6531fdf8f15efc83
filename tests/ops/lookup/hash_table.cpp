#include <flowgraph/ops/lookup/hash_table.hpp>

#include "../../harness/engine_ops.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;

namespace {

template <class T> std::vector<T> table_elements(const fg::tensor<T>& t) { return std::vector<T>(t.begin(), t.end()); }

// A table of numbers under words, and all that can be done with it.
struct word_table {
  fg::graph g;
  fg::hash_table<std::string, std::int64_t> t;
  fg::out<std::string> keys = g.placeholder<std::string>("keys", {fg::any});
  fg::out<std::int64_t> numbers = g.placeholder<std::int64_t>("numbers", {fg::any});
  fg::target put = t.insert(keys, numbers), drop = t.remove(keys), anew = t.replace(keys, numbers);
  fg::out<std::int64_t> found = t.find(keys, -1), size = t.size();
  fg::table_contents<std::string, std::int64_t> all = t.contents();
  fg::session s;

  explicit word_table(const fg::table_options& o = {}, const fg::session_options& so = {}) : t(g, o), s(g, so) {}

  static fg::tensor<std::string> words(const std::vector<std::string>& w) { return fg::tensor<std::string>({w.size()}, w); }
  fg::result<void> change(fg::target what, const std::vector<std::string>& w, const std::vector<std::int64_t>& n) {
    return s.try_run(what, {{keys, words(w)}, {numbers, fg::tensor<std::int64_t>({n.size()}, n)}});
  }
  std::vector<std::int64_t> look(const std::vector<std::string>& w) {
    return table_elements<std::int64_t>(s.run(fg::fetch(found), {{keys, words(w)}}));
  }
  std::int64_t count() { return s.run(fg::fetch(size)).scalar(); }
};

}  // namespace

TEST_CASE("a table: keys are inserted, found, replaced, removed and given out") {
  word_table w;
  CHECK(w.found.shape() == fg::shape{fg::any});
  CHECK(w.look({"a"}) == std::vector<std::int64_t>{-1});
  CHECK(w.change(w.put, {"a", "b", "a"}, {1, 2, 3}));
  CHECK(w.look({"b", "a", "c"}) == std::vector<std::int64_t>{2, 3, -1});
  CHECK(w.count() == 2);
  CHECK(w.s.try_run(w.drop, {{w.keys, word_table::words({"a", "x"})}}));
  CHECK(w.look({"a", "b"}) == std::vector<std::int64_t>{-1, 2});
  CHECK(w.change(w.anew, {"z", "y"}, {26, 25}));
  auto [keys, values] = w.s.run(fg::fetch(w.all.keys, w.all.values));
  CHECK(table_elements<std::string>(keys) == std::vector<std::string>{"z", "y"});
  CHECK(table_elements<std::int64_t>(values) == std::vector<std::int64_t>{26, 25});
  const auto refused = w.change(w.put, {"a", "b"}, {1});
  CHECK(refused.error().code() == error_code::invalid_argument);
  CHECK(w.count() == 2);
}

TEST_CASE("a table: many keys come and go, as those of a map") {
  word_table w;
  std::map<std::string, std::int64_t> expected;
  std::uint32_t random = 1;
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> keys;
    std::vector<std::int64_t> values;
    for (int k = 0; k < 40; ++k) {
      random = random * 1664525u + 1013904223u;
      keys.push_back("k" + std::to_string(random >> 23));
      values.push_back(round);
    }
    if (round % 3 == 2) {
      CHECK(w.s.try_run(w.drop, {{w.keys, word_table::words(keys)}}));
      for (const auto& k : keys) expected.erase(k);
    } else {
      CHECK(w.change(w.put, keys, values));
      for (const auto& k : keys) expected[k] = round;
    }
  }
  CHECK(w.count() == static_cast<std::int64_t>(expected.size()));
  std::vector<std::string> keys;
  std::vector<std::int64_t> values;
  for (int k = 0; k < 512; ++k) {
    keys.push_back("k" + std::to_string(k));
    const auto at = expected.find(keys.back());
    values.push_back(at == expected.end() ? -1 : at->second);
  }
  CHECK(w.look(keys) == values);
}

TEST_CASE("a table whose values are vectors") {
  fg::graph g;
  fg::hash_table<std::int64_t, float> t(g, {.value_shape = {2}});
  const auto keys = g.constant(fg::tensor<std::int64_t>({2}, {1, 2}));
  const auto put = t.insert(keys, g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4})));
  const auto found = t.find(g.constant(fg::tensor<std::int64_t>({1, 2}, {2, 7})), g.constant(fg::tensor<float>({2}, {8, 9})));
  CHECK(found.shape() == fg::shape{1, 2, 2});
  fg::session s{g};
  s.run(put);
  CHECK(table_elements<float>(s.run(fg::fetch(found))) == std::vector<float>{3, 4, 8, 9});
}

TEST_CASE("a fixed table is filled once, from tensors or from a file") {
  fg::graph g;
  fg::fixed_table<std::string, std::int64_t> t(g), lines(g);
  const auto keys = g.constant(fg::tensor<std::string>({2}, {"a", "b"}));
  const auto fill = t.initialize(keys, g.constant(fg::tensor<std::int64_t>({2}, {1, 2})));
  const auto more = t.initialize(g.constant(fg::tensor<std::string>({3}, {"a", "b", "c"})),
                                 g.constant(fg::tensor<std::int64_t>({3}, {1, 2, 3})));
  const auto found = t.find(keys, 0), numbers = lines.find(keys, -1);
  const auto name = (std::filesystem::temp_directory_path() / "flowgraph_hash_table_words.txt").string();
  const auto path = g.placeholder<std::string>("path", {});
  const auto read = lines.initialize_from_file(path);
  fg::session s{g};
  CHECK(s.try_run(fg::fetch(found)).error().code() == error_code::failed_precondition);
  s.run(fill);
  CHECK(table_elements<std::int64_t>(s.run(fg::fetch(found))) == std::vector<std::int64_t>{1, 2});
  CHECK(s.try_run(more).error().code() == error_code::failed_precondition);
  s.run(fill);

  const auto read_text = [&](const char* text) {
    std::ofstream(name, std::ios::binary) << text;
    return s.try_run(read, {{path, name}});
  };
  CHECK(read_text("").error().code() == error_code::out_of_range);
  CHECK(read_text("a\n\nb\n").error().code() == error_code::invalid_argument);
  CHECK(read_text("x\r\na\nb"));
  CHECK(table_elements<std::int64_t>(s.run(fg::fetch(numbers))) == std::vector<std::int64_t>{1, 2});
  std::filesystem::remove(name);
}

TEST_CASE("tables lie in the session's container: shared by name, their memory back when it is cleared") {
  engine::counting_memory heap;
  {
    fg::container shared(&heap);
    const fg::table_options named{.container = "words", .shared_name = "vocabulary"};
    word_table a(named, {.resources = &shared}), b(named, {.resources = &shared});
    std::vector<std::string> keys;
    std::vector<std::int64_t> values;
    for (std::int64_t k = 0; k < 1000; ++k) {
      keys.push_back(std::to_string(k));
      values.push_back(k);
    }
    // What the sessions keep for their next runs is there after the first round.
    std::size_t before = 0;
    for (int round = 0; round < 3; ++round) {
      CHECK(b.count() == 0);
      CHECK(a.change(a.put, keys, values));
      CHECK(b.look({"77"}) == std::vector<std::int64_t>{77});
      shared.clear("others");
      CHECK(b.count() == 1000);
      const std::size_t filled = heap.in_use();
      shared.clear("words");
      CHECK(heap.in_use() + 1000 * (sizeof(std::string) + sizeof(std::int64_t)) <= filled);
      if (round > 0) CHECK(heap.in_use() == before);
      before = heap.in_use();
    }
  }
  CHECK(heap.in_use() == 0);
}

TEST_CASE("threads find and insert at the same time: each find sees all of an insertion or none") {
  word_table w;
  std::vector<std::jthread> threads;
  std::atomic<int> torn = 0;
  for (int n = 0; n < 2; ++n)
    threads.emplace_back([&, n] {
      for (std::int64_t k = 0; k < 100; ++k)
        if (!w.change(w.put, {"left", "right", "k" + std::to_string(k * 2 + n)}, {k, k, k})) ++torn;
    });
  for (int n = 0; n < 2; ++n)
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) {
        const auto pair = w.look({"left", "right"});
        if (pair[0] != pair[1]) ++torn;
      }
    });
  threads.clear();
  CHECK(torn == 0);
  CHECK(w.count() == 202);
}

TEST_CASE("tables of each kind are saved with the session, and loaded into another") {
  struct all_kinds {
    fg::graph g;
    fg::out<std::int64_t> keys = g.constant(fg::tensor<std::int64_t>({2}, {1, 2}));
    fg::out<float> rows = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4})), none = g.constant(fg::tensor<float>({2}, {8, 9}));
    fg::hash_table<std::int64_t, float> vectors{g, {.value_shape = {2}}};
    fg::fixed_table<std::int64_t, std::int64_t> fixed{g}, unfilled{g};
    fg::lookup_table<std::int64_t, float> dense;
    fg::target fill;
    fg::out<float> in_vectors = vectors.find(keys, none), in_dense;
    fg::out<std::int64_t> in_fixed = fixed.find(keys, 0), in_unfilled = unfilled.find(keys, 0);
    fg::session s{g};

    all_kinds() {
      fg::mutable_dense_hash_table_v2_op op;
      op.value_dtype = fg::dtype::float32;
      op.value_shape = {2};
      dense =
          fg::lookup_table<std::int64_t, float>(fg::apply(op, g.constant(std::int64_t{-1}), g.constant(std::int64_t{-2})), {2});
      in_dense = dense.find(keys, none);
      fill = fg::group(vectors.insert(keys, rows), fixed.initialize(keys, keys),
                       fg::target(fg::apply(fg::lookup_table_insert_v2_op{}, dense.handle(), keys, rows)));
    }
  } a, b;
  a.s.run(a.fill);
  CHECK_FALSE(a.s.try_run(fg::fetch(a.in_unfilled)));  // is there, and has nothing
  const fg::saved_state state = a.s.save_state();
  CHECK(state.resources.size() == 4);
  b.s.load_state(state);
  const std::vector<float> values{1, 2, 3, 4};
  CHECK(table_elements<float>(b.s.run(fg::fetch(b.in_vectors))) == values);
  CHECK(table_elements<float>(b.s.run(fg::fetch(b.in_dense))) == values);
  CHECK(table_elements<std::int64_t>(b.s.run(fg::fetch(b.in_fixed))) == std::vector<std::int64_t>{1, 2});
  CHECK(b.s.try_run(fg::fetch(b.in_unfilled)).error().code() == error_code::failed_precondition);
  b.s.load_state(state);  // into tables that are there
  CHECK(table_elements<float>(b.s.run(fg::fetch(b.in_dense))) == values);
}

TEST_CASE("a table whose keys are removed in any order keeps all others, each of them once") {
  using id = std::int64_t;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    fg::graph g;
    fg::hash_table<id, id> t(g);
    const auto keys = g.placeholder<id>("keys", {fg::any});
    const fg::target insert = t.insert(keys, keys), remove = t.remove(keys);
    const auto found = t.find(keys, id{-1}), size = t.size();
    fg::session s{g};
    std::mt19937_64 draw(seed);
    std::vector<id> all(64);
    for (id& k : all) k = static_cast<id>(draw() % 1'000'000);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::shuffle(all.begin(), all.end(), draw);
    s.run(insert, {{keys, fg::tensor<id>({all.size()}, all)}});
    while (!all.empty()) {
      s.run(remove, {{keys, fg::tensor<id>({1}, {all.back()})}});
      all.pop_back();
      REQUIRE(table_elements<id>(s.run(fg::fetch(found), {{keys, fg::tensor<id>({all.size()}, all)}})) == all);
    }
    CHECK(s.run(fg::fetch(size)).scalar() == 0);
  }
}
