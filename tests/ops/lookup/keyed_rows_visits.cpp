// Reads rows without a copy (visit), and prepares rows for a later call (prepare).

#include <flowgraph/ops/lookup/keyed_rows.hpp>

#include "../../harness/engine_ops.hpp"

#include <cmath>
#include <vector>

namespace fg = flowgraph;

namespace {

using row_keys = std::vector<std::int64_t>;
using row_values = std::vector<float>;

const fg::row_rule with_sums{"Sums", 1, {0.1f}}, rule_of_halves{"Halves"};

// Row steps: Adagrad, and half of the gradient without state.
void add_squares(float* const* v, const float* g, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    v[1][i] += g[i] * g[i];
    v[0][i] -= g[i] / std::sqrt(v[1][i]);
  }
}
void take_half(float* const* v, const float* g, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) v[0][i] -= g[i] / 2;
}

// Memory for the calls of a few keys that run on one thread.
struct plain_calls {
  std::vector<std::max_align_t> memory = std::vector<std::max_align_t>(256);
  static void blocks(std::int64_t n, fg::function_ref<void(std::int64_t)> call) {
    for (std::int64_t i = 0; i < n; ++i) call(i);
  }
  fg::error prepare(fg::keyed_rows& t, const row_keys& keys) { return t.prepare(keys, memory.data(), blocks); }
  std::vector<row_values> visit(fg::keyed_rows& t, const row_keys& keys) {
    std::vector<row_values> found;
    const fg::error why = t.visit(keys, memory.data(), blocks, [&](const fg::row_list& rows) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        found.emplace_back(static_cast<std::size_t>(t.options().columns));
        t.load(rows, static_cast<std::int64_t>(i), found.back().data());
        if (rows.are_floats)
          CHECK(*reinterpret_cast<const float*>(static_cast<const std::byte*>(rows.rows[i]) + rows.offset) == found.back()[0]);
      }
    });
    CHECK(!why);
    return found;
  }
};

}  // namespace

TEST_CASE("rows by key: prepared rows have their initial values, and a visit finds them after an update of other rows") {
  plain_calls calls;
  for (const fg::dtype storage : {fg::dtype::float32, fg::dtype::float16}) {
    fg::keyed_rows t({.columns = 2, .storage = storage, .seed = 3, .initial_scale = 1}), u(t.options());
    const row_keys first{1, 2, 1}, second{2, 5, 7, 5};
    const auto update = [&](fg::keyed_rows& of, const row_keys& keys) {
      CHECK(!of.update(keys, row_values(keys.size() * 2, 0.5f).data(), with_sums, add_squares));
    };
    for (int step = 0; step < 3; ++step)
      for (const auto& [now, next] : {std::pair(first, second), {second, first}}) {
        CHECK(!calls.prepare(t, next));
        CHECK(calls.visit(t, now) == calls.visit(u, now));
        update(t, now);
        update(u, now);
      }
    CHECK(calls.visit(t, second) == calls.visit(u, second));
    CHECK(t.size() == u.size());
  }
}

TEST_CASE("rows by key: a visit names the rows that were prepared before an update") {
  plain_calls calls;
  fg::keyed_rows t({.columns = 1});
  CHECK(!calls.prepare(t, {1, 2}));
  CHECK(!t.update(row_keys{9}, row_values{1}.data(), rule_of_halves, take_half));
  CHECK(!t.update(row_keys{9}, row_values{1}.data(), rule_of_halves, take_half));
  calls.visit(t, {1, 2});
  CHECK(t.evict_older_than(1) == 0);
  CHECK(!t.update(row_keys{9}, row_values{1}.data(), rule_of_halves, take_half));
  CHECK(!t.update(row_keys{9}, row_values{1}.data(), rule_of_halves, take_half));
  CHECK(t.evict_older_than(1) == 2);
  CHECK(calls.visit(t, {1, 2}).size() == 2);
  CHECK(t.size() == 3);
}

TEST_CASE("rows by key: a table of many rows takes memory in larger parts, and returns all of it") {
  fg::keyed_rows t({.columns = 64, .initial_scale = 1});
  row_keys keys(20'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i * 7);
  std::vector<float> rows(keys.size() * 64), again(rows.size());
  REQUIRE(!t.find(keys, rows.data()));
  const double of_rows = fg::keyed_rows::estimated_bytes(t.options(), 0, 20'000);
  CHECK(static_cast<double>(t.bytes()) < 1.4 * of_rows + (4 << 20));
  CHECK(!t.update(row_keys{7}, row_values(64).data(), with_sums, add_squares));
  REQUIRE(!t.find(keys, again.data()));
  CHECK(again == rows);
  const double with_state = fg::keyed_rows::estimated_bytes(t.options(), 1, 20'000);
  CHECK(static_cast<double>(t.bytes()) < 1.4 * with_state + (4 << 20));
  t.clear();
  CHECK(t.bytes() == 0);
}
