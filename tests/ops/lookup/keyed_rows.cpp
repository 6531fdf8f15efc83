#include <flowgraph/ops/lookup/keyed_rows.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/ops/lookup/detail/row_numbers.hpp>
#include <flowgraph/ops/training/detail/adagrad.hpp>
#include <flowgraph/ops/training/detail/ftrl.hpp>
#include <flowgraph/ops/training/detail/lazy_adam.hpp>
#include <flowgraph/ops/training/detail/rms_prop.hpp>
#include <flowgraph/ops/training/detail/training.hpp>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;

namespace {

using row_keys = std::vector<std::int64_t>;
using row_values = std::vector<float>;

// A rule with fixed scalars.
struct plain_rule {
  fg::row_rule rule;
  std::function<void(float* const*, const float*, std::int64_t)> step;
};
template <class Op, std::size_t States, std::size_t N>
plain_rule plain_rule_of(std::string_view name, std::array<float, fg::row_rule::most_states> initial,
                         std::array<float, N> scalars) {
  const typename Op::template step<float> step(Op{}, scalars);
  return {{name, States, initial}, [step](float* const* v, const float* g, std::int64_t n) {
            fg::detail::update_range<float>(step, v, g, n, std::make_index_sequence<States + 1>{});
          }};
}
std::vector<plain_rule> plain_rules() {
  return {
      plain_rule_of<fg::resource_apply_gradient_descent_op, 0, 1>("GradientDescent", {}, {0.1f}),
      plain_rule_of<fg::resource_sparse_apply_momentum_op, 1, 2>("Momentum", {}, {0.1f, 0.9f}),
      plain_rule_of<fg::resource_sparse_apply_adagrad_op, 1, 1>("Adagrad", {0.1f}, {0.1f}),
      plain_rule_of<fg::resource_sparse_apply_lazy_adam_op, 2, 6>("LazyAdam", {}, {0.9f, 0.999f, 0.1f, 0.9f, 0.999f, 1e-8f}),
      plain_rule_of<fg::resource_sparse_apply_rms_prop_op, 2, 4>("RMSProp", {1.f}, {0.1f, 0.9f, 0.5f, 1e-10f}),
      plain_rule_of<fg::resource_sparse_apply_adadelta_op, 2, 3>("Adadelta", {}, {0.1f, 0.95f, 1e-6f}),
      plain_rule_of<fg::resource_sparse_apply_ftrl_op, 2, 4>("Ftrl", {0.1f}, {0.1f, 0.001f, 0.01f, -0.5f}),
  };
}

float stored_as(fg::dtype t, float x) {
  return t == fg::dtype::float32 ? x : t == fg::dtype::float16 ? float(fg::half(x)) : float(fg::bfloat16(x));
}

// What the table must be equal to.
struct map_of_rows {
  struct row {
    std::vector<row_values> v;  // the row, and its state
    std::uint32_t age = 0;
  };
  fg::keyed_rows_options o;
  plain_rule rule;
  std::map<std::int64_t, row> rows = {};
  std::uint32_t step = 0;

  row begin(std::int64_t key) const {
    row made;
    made.v.resize(1 + rule.rule.states);
    for (std::int64_t c = 0; c < o.columns; ++c)
      made.v[0].push_back(stored_as(o.storage, fg::keyed_rows::initial_value(o.seed, key, c, o.initial_scale)));
    for (std::size_t i = 0; i < rule.rule.states; ++i)
      made.v[i + 1].assign(static_cast<std::size_t>(o.columns), rule.rule.initial[i]);
    return made;
  }
  row& named(std::int64_t key) {
    row& r = rows.try_emplace(key, begin(key)).first->second;
    r.age = step;
    return r;
  }
  row_values find(const row_keys& keys) {
    row_values all;
    for (const auto k : keys)
      for (const float x : named(k).v[0]) all.push_back(x);
    return all;
  }
  void update(const row_keys& keys, const row_values& gradients) {
    std::map<std::int64_t, row_values> sums;
    const auto n = static_cast<std::size_t>(o.columns);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const float* const g = gradients.data() + i * n;
      const auto [at, is_new] = sums.try_emplace(keys[i], g, g + n);
      for (std::size_t c = 0; c < n && !is_new; ++c) at->second[c] += g[c];
    }
    for (const auto& [key, sum] : sums) {
      row& r = named(key);
      float* v[1 + fg::row_rule::most_states] = {};
      for (std::size_t i = 0; i < r.v.size(); ++i) v[i] = r.v[i].data();
      rule.step(v, sum.data(), o.columns);
      for (float& x : r.v[0]) x = stored_as(o.storage, x);
    }
    ++step;
  }
  void evict_older_than(std::uint32_t steps) {
    std::erase_if(rows, [&](const auto& r) { return step - r.second.age > steps; });
  }
  void evict_to(std::size_t count) {
    std::vector<std::pair<std::uint32_t, std::int64_t>> order;
    for (const auto& [key, r] : rows) order.emplace_back(step - r.age, key);
    std::sort(order.begin(), order.end());
    for (std::size_t i = count; i < order.size(); ++i) rows.erase(order[i].second);
  }
};

struct rows_folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("keyed_rows_" + std::to_string(std::random_device()()));
  rows_folder() { std::filesystem::create_directories(path); }
  ~rows_folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

bool equal_rows(const row_values& a, const row_values& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Random calls of a table and of a map.
class rows_against_map {
public:
  rows_against_map(const fg::keyed_rows_options& o, const plain_rule& rule, int threads)
      : table_(std::make_unique<fg::keyed_rows>(o)), map_{o, rule}, pool_(threads) {}

  void run(std::int64_t operations) {
    for (std::int64_t done = 0; done < operations;) done += once();
    row_keys every;
    for (std::int64_t k = -400; k < 400; ++k) every.push_back(k * 977);
    row_values peeked(every.size() * columns());
    CHECK(!table_->peek(every, peeked.data()));
    CHECK(table_->size() == static_cast<std::int64_t>(map_.rows.size()));
    CHECK(equal_rows(peeked, map_.find(every)));
  }

private:
  std::size_t columns() const { return static_cast<std::size_t>(map_.o.columns); }
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }

  std::int64_t once() {
    const std::uint32_t what = below(40);
    if (what == 0) return evict();
    if (what == 1) return through_files();
    row_keys keys(1 + below(80));
    for (auto& k : keys) k = (static_cast<std::int64_t>(below(800)) - 400) * 977;
    if (what % 4 == 1) keys = looked_up_[below(looked_up_.size())];  // as a training step does
    if (what % 2 == 0) looked_up_[below(looked_up_.size())] = keys;
    row_values values(keys.size() * columns());
    std::vector<std::max_align_t> scratch(
        fg::keyed_rows::scratch_bytes(static_cast<std::int64_t>(keys.size()), map_.o.columns) / sizeof(std::max_align_t) + 1);
    const auto blocks = [&](std::int64_t n, fg::function_ref<void(std::int64_t)> f) { pool_.parallel_for(n, f); };
    if (what % 2 == 0) {
      CHECK(!table_->find(keys, values.data(), scratch.data(), blocks));
      CHECK(equal_rows(values, map_.find(keys)));
    } else {
      for (float& g : values) g = static_cast<float>(below(2001)) * 1e-3f - 1;
      CHECK(!table_->update(keys, values.data(), map_.rule.rule, map_.rule.step, scratch.data(), blocks));
      map_.update(keys, values);
    }
    return static_cast<std::int64_t>(keys.size());
  }
  std::int64_t evict() {
    const auto before = static_cast<std::int64_t>(map_.rows.size());
    std::int64_t removed = 0;
    if (below(2) == 0) {
      removed = table_->evict_older_than(5);
      map_.evict_older_than(5);
    } else {
      removed = table_->evict_to(150);
      map_.evict_to(150);
    }
    CHECK(table_->size() == static_cast<std::int64_t>(map_.rows.size()));
    CHECK(removed == before - table_->size());
    return 1;
  }
  std::int64_t through_files() {
    const std::uint32_t n = 1 + below(3);
    std::vector<std::string> paths;
    for (std::uint32_t i = 0; i < n; ++i) paths.push_back(folder_ / std::to_string(i));
    CHECK(table_->save(paths));
    auto other = std::make_unique<fg::keyed_rows>(map_.o);
    CHECK(other->restore(paths));
    table_ = std::move(other);
    return 1;
  }

  std::unique_ptr<fg::keyed_rows> table_;
  map_of_rows map_;
  fg::thread_pool pool_;
  std::mt19937_64 random_{20};
  std::array<row_keys, 6> looked_up_ = {row_keys{1}, {1}, {1}, {1}, {1}, {1}};  // keys of lookups, for updates
  rows_folder folder_;
};

// The whole comparison has a million operations; each run of the tests does a part.
std::int64_t row_operations() {
  const char* const asked = std::getenv("FLOWGRAPH_TEST_ROW_OPERATIONS");
  return asked ? std::atoll(asked) : 200'000;
}

}  // namespace

TEST_CASE("rows by key: random calls give the bits of a plain map, for each rule and each type of storage") {
  const fg::dtype types[] = {fg::dtype::float32, fg::dtype::float16, fg::dtype::bfloat16};
  const auto rules = plain_rules();
  for (const fg::dtype type : types)
    for (std::size_t i = 0; i < rules.size(); ++i) {
      CAPTURE(rules[i].rule.name);
      const std::int64_t columns = i % 2 == 0 ? 5 : 70;
      rows_against_map({.columns = columns, .storage = type, .seed = i, .initial_scale = 0.5f}, rules[i], i % 3 == 0 ? 8 : 1)
          .run(row_operations() / static_cast<std::int64_t>(3 * rules.size()));
    }
}

TEST_CASE("rows by key: a key that a call names twice is updated once, with the sum of its gradients") {
  const auto rules = plain_rules();
  fg::keyed_rows twice({.columns = 2}), once({.columns = 2});
  const row_values both{1, 2, 5, 5, 3, -4}, sum{4, -2, 5, 5};
  CHECK(!twice.update(row_keys{7, 8, 7}, both.data(), rules[2].rule, rules[2].step));
  CHECK(!once.update(row_keys{7, 8}, sum.data(), rules[2].rule, rules[2].step));
  row_values a(4), b(4);
  CHECK(!twice.find(row_keys{7, 8}, a.data()));
  CHECK(!once.find(row_keys{7, 8}, b.data()));
  CHECK(equal_rows(a, b));
  CHECK(twice.steps() == 1);
}

TEST_CASE("rows by key: keys of which the index sees equal bits have rows of their own") {
  // The inverse of the hash.
  const auto unmix = [](std::uint64_t x, int shift) {
    for (std::uint64_t y = x >> shift; y != 0; y >>= shift) x ^= y;
    return x;
  };
  const auto key_with_hash = [&](std::uint64_t hash) {
    hash = unmix(hash, 31) * 0x319642b2d24d8ec3u;
    hash = unmix(hash, 27) * 0x96de1b173f119089u;
    return static_cast<std::int64_t>(unmix(hash, 30) - 0x9e3779b97f4a7c15u);
  };
  row_keys keys;
  for (std::uint64_t i = 0; i < 40; ++i) keys.push_back(key_with_hash(0x3000000012345678u + (i << 40)));
  CHECK(fg::detail::hash_of_key(keys[3]) == 0x3000030012345678u);
  const plain_rule rule = plain_rules()[0];
  fg::keyed_rows rows({.columns = 1, .initial_scale = 0});
  row_values values(keys.size()), found(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = static_cast<float>(i);
  CHECK(!rows.find(keys, found.data()));
  CHECK(!rows.update(keys, values.data(), rule.rule, rule.step));
  CHECK(!rows.find(keys, found.data()));
  for (std::size_t i = 0; i < keys.size(); ++i) CHECK(found[i] == -0.1f * values[i]);
  CHECK(!rows.peek(keys, found.data()));
  for (std::size_t i = 0; i < keys.size(); ++i) CHECK(found[i] == -0.1f * values[i]);
  CHECK(rows.size() == 40);
}

TEST_CASE("rows by key: an initial value depends on seed and key alone, and peeking creates no row") {
  fg::keyed_rows rows({.columns = 3, .seed = 5, .initial_scale = 2});
  row_values all(6), one(3), other(3);
  CHECK(!rows.peek(row_keys{1, 2}, all.data()));
  CHECK(rows.size() == 0);
  CHECK(!rows.find(row_keys{2}, one.data()));
  CHECK(rows.size() == 1);
  CHECK(equal_rows(one, {all[3], all[4], all[5]}));
  for (const float x : all) CHECK((x >= -2 && x < 2));
  fg::keyed_rows seeded({.columns = 3, .seed = 6, .initial_scale = 2});
  CHECK(!seeded.find(row_keys{2}, other.data()));
  CHECK(!equal_rows(one, other));
}

TEST_CASE("rows by key: an evicted row loses its state") {
  const plain_rule rule = plain_rules()[1];
  fg::keyed_rows rows({.columns = 1, .initial_scale = 0}), fresh({.columns = 1, .initial_scale = 0});
  const float g = 1;
  CHECK(!rows.update(row_keys{3}, &g, rule.rule, rule.step));
  CHECK(rows.evict_older_than(1) == 0);
  CHECK(rows.evict_older_than(0) == 1);
  CHECK(rows.size() == 0);
  CHECK(!rows.update(row_keys{3}, &g, rule.rule, rule.step));
  CHECK(!fresh.update(row_keys{3}, &g, rule.rule, rule.step));
  float a = 0, b = 1;
  CHECK(!rows.find(row_keys{3}, &a));
  CHECK(!fresh.find(row_keys{3}, &b));
  CHECK(a == b);
}

TEST_CASE("rows by key: with evict_after, updates evict the rows that were not named for so long") {
  const plain_rule rule = plain_rules()[2];
  fg::keyed_rows own({.columns = 1, .evict_after = 5}), by_hand({.columns = 1});
  std::mt19937 random(3);
  for (int step = 1; step <= 100; ++step) {
    row_keys keys(8);
    for (auto& k : keys) k = static_cast<std::int64_t>(random() % 200);
    const row_values g(8, 1.f);
    CHECK(!own.update(keys, g.data(), rule.rule, rule.step));
    CHECK(!by_hand.update(keys, g.data(), rule.rule, rule.step));
    if (step % 5 == 0) by_hand.evict_older_than(5);
    CHECK(own.size() == by_hand.size());
  }
  CHECK(own.size() < 90);
  row_keys all(200);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  row_values a(200), b(200);
  CHECK(!own.peek(all, a.data()));
  CHECK(!by_hand.peek(all, b.data()));
  CHECK(equal_rows(a, b));
}

TEST_CASE("rows by key: memory is estimated before it is taken, and bounded") {
  fg::keyed_rows_options o{.columns = 16, .expected_rows = 100'000'000, .memory_limit = 1'000'000'000};
  const fg::error why = fg::keyed_rows::refusal(o);
  CHECK(why.code() == error_code::resource_exhausted);
  CHECK(why.message().find("100000000 rows of 16 columns need about") != why.message().npos);
  CHECK(fg::keyed_rows::estimated_bytes(o, 0, o.expected_rows) > 6.4e9);
  o.memory_limit = 20'000'000'000;
  CHECK(!fg::keyed_rows::refusal(o));
  // Adam's state has no room.
  o.memory_limit = 10'000'000'000;
  const auto rules = plain_rules();
  fg::keyed_rows large(o);
  const row_values g(16);
  CHECK(large.update(row_keys{1}, g.data(), rules[3].rule, rules[3].step).code() == error_code::resource_exhausted);
  CHECK(!large.update(row_keys{1}, g.data(), rules[0].rule, rules[0].step));

  fg::keyed_rows full({.columns = 16, .memory_limit = 600'000});
  row_keys keys(100);
  row_values rows(1600);
  fg::error stopped;
  for (std::int64_t n = 0; n < 200 && !stopped; ++n) {
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = n * 100 + static_cast<std::int64_t>(i);
    stopped = full.find(keys, rows.data());
  }
  CHECK(stopped.code() == error_code::resource_exhausted);
  CHECK(full.bytes() <= 600'000);
  CHECK(!full.find(row_keys{1, 2, 3}, rows.data()));
  CHECK(full.evict_to(10) > 0);
  CHECK(!full.find(keys, rows.data()));
}

TEST_CASE("rows by key: options and rules that cannot be are refused") {
  CHECK(fg::keyed_rows::refusal({.columns = 0}).code() == error_code::invalid_argument);
  CHECK(!fg::keyed_rows::refusal({.columns = 1 << 20}));
  CHECK(fg::keyed_rows::refusal({.columns = (1 << 20) + 1}).code() == error_code::invalid_argument);
  CHECK(fg::keyed_rows::refusal({.storage = fg::dtype::int32}).code() == error_code::invalid_argument);
  CHECK(fg::keyed_rows::refusal({.initial_scale = -1}).code() == error_code::invalid_argument);
  CHECK(fg::keyed_rows::refusal({.expected_rows = -1}).code() == error_code::invalid_argument);
  CHECK(fg::keyed_rows::refusal({.evict_after = -1}).code() == error_code::invalid_argument);
  const auto rules = plain_rules();
  fg::keyed_rows rows({.columns = 1});
  const float g = 1;
  CHECK(!rows.update(row_keys{1}, &g, rules[2].rule, rules[2].step));
  const fg::error why = rows.update(row_keys{1}, &g, rules[3].rule, rules[3].step);
  CHECK(why.code() == error_code::failed_precondition);
  CHECK(why.message() == "the rows have the state of Adagrad, found an update by LazyAdam");
  CHECK(!rows.update(row_keys{1}, &g, rules[0].rule, rules[0].step));
  rows.clear();
  CHECK(!rows.update(row_keys{1}, &g, rules[3].rule, rules[3].step));
}

TEST_CASE("rows by key: files are sorted by key, and damaged ones leave the table as it was") {
  const auto rules = plain_rules();
  rows_folder folder;
  fg::keyed_rows rows({.columns = 2, .storage = fg::dtype::bfloat16});
  const row_values g(8, 0.5f);
  CHECK(!rows.update(row_keys{9, -4, 100, 7}, g.data(), rules[2].rule, rules[2].step));
  const std::string path = folder / "rows";
  CHECK(rows.save(path));
  auto file = fg::safetensors::open(path).value();
  const fg::any_tensor held = file.read("keys").value();
  const auto keys = held.as<std::int64_t>();
  CHECK(row_keys(keys.begin(), keys.end()) == row_keys{-4, 7, 9, 100});
  CHECK(file.find("rows")->stored_type == "BF16");
  CHECK(file.metadata().at("rule") == "Adagrad");

  const auto code_of = [&](std::vector<std::string> paths) { return rows.restore(paths).error().code(); };
  CHECK(code_of({}) == error_code::invalid_argument);
  CHECK(code_of({folder / "none"}) == error_code::not_found);
  CHECK(fg::keyed_rows({.columns = 3}).restore(std::vector{path}).error().code() == error_code::data_loss);
  std::string bytes = fg::read_file(path).value();
  const auto at = static_cast<std::ptrdiff_t>(file.find("keys")->offset);
  std::swap_ranges(bytes.begin() + at, bytes.begin() + at + 8, bytes.begin() + at + 8);
  std::ofstream(folder / "unsorted", std::ios::binary) << bytes;
  CHECK(code_of({folder / "unsorted"}) == error_code::data_loss);
  for (std::size_t n = 0; n < bytes.size(); n += 7) {
    std::ofstream(folder / "cut", std::ios::binary) << bytes.substr(0, n);
    CHECK(code_of({folder / "cut"}) == error_code::data_loss);
  }
  CHECK(code_of({path, path}) == error_code::data_loss);
  CHECK(rows.size() == 4);
  const auto drop = [](std::span<const std::byte>) { return fg::result<void>(); };
  CHECK(rows.write(drop, {2, 2}).error().code() == error_code::invalid_argument);

  // The state in the file does not fit beside the expected rows.
  fg::keyed_rows small({.columns = 2, .storage = fg::dtype::bfloat16, .expected_rows = 10'000, .memory_limit = 450'000});
  CHECK(!small.update(row_keys{1}, g.data(), rules[0].rule, rules[0].step));
  CHECK(small.restore(std::vector{path}).error().code() == error_code::resource_exhausted);
  CHECK(small.size() == 1);
}

TEST_CASE("rows by key: stored numbers are converted as the types of 16 bits do") {
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  int wrong = 0;
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto half = fg::half::from_bits(static_cast<std::uint16_t>(i));
    wrong += bits(fg::detail::float_of(half)) != bits(float(half));
  }
  for (std::uint64_t i = 0; i < std::uint64_t{1} << 32; i += 4099) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(i));
    wrong += fg::detail::stored_of<fg::half>(x).bits != fg::half(x).bits;
    wrong += fg::detail::stored_of<fg::bfloat16>(x).bits != fg::bfloat16(x).bits;
  }
  CHECK(wrong == 0);
}

#ifndef FLOWGRAPH_NO_THREADS
TEST_CASE("rows by key: all files of a save are of one step, while another thread updates rows") {
  const auto rules = plain_rules();
  rows_folder folder;
  fg::keyed_rows rows({.columns = 2});
  const row_values g(200, 0.5f);
  row_keys keys(100);
  std::iota(keys.begin(), keys.end(), 0);
  REQUIRE(!rows.update(keys, g.data(), rules[2].rule, rules[2].step));
  const std::vector<std::string> paths{folder / "0", folder / "1", folder / "2", folder / "3"};
  std::atomic<bool> ended = false;
  std::thread other([&] {
    while (!ended) rows.update(keys, g.data(), rules[2].rule, rules[2].step);
  });
  int restored = 0;
  for (int i = 0; i < 20; ++i) restored += rows.save(paths) && fg::keyed_rows({.columns = 2}).restore(paths) ? 1 : 0;
  ended = true;
  other.join();
  CHECK(restored == 20);
}

TEST_CASE("rows by key: eight threads lose no update, and with locks none is torn") {
  const auto rules = plain_rules();
  for (const bool without_locks : {false, true}) {
    fg::keyed_rows rows({.columns = 4, .initial_scale = 0, .without_locks = without_locks});
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        row_keys keys(64);
        row_values values(256);
        for (int n = 0; n < 40; ++n) {
          for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i) * 31 % 50 + n;
          std::fill(values.begin(), values.end(), 10.f);
          CHECK(!rows.update(keys, values.data(), rules[0].rule, rules[0].step));
          CHECK(!rows.find(keys, values.data()));
          if (t == 0 && n % 10 == 9) CHECK(rows.evict_older_than(100000) == 0);
        }
      });
    for (auto& t : threads) t.join();
    row_values last(4);
    CHECK(rows.steps() == 320);
    CHECK(!rows.peek(row_keys{5}, last.data()));
    if (without_locks) continue;
    int named = 0;  // by each thread
    for (int n = 0; n < 40; ++n)
      for (std::int64_t i = 0; i < 64; ++i) named += i * 31 % 50 + n == 5;
    CHECK(last[0] == -8.f * static_cast<float>(named));
    CHECK(last[0] == last[3]);
  }
}
#endif
