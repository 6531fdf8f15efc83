#include <flowgraph/ops/input/click_source.hpp>

#include "../../formats/folder.hpp"
#include "../../harness/engine_ops.hpp"

#include <fstream>
#include <numeric>

namespace fg = flowgraph;
using fg::error_code;

namespace {

// The file of a source: sample i has the label i % 2 and the keys i and 1000 + i.
struct source_files {
  test_folder folder;
  std::string text = folder / "clicks.txt";

  explicit source_files(int samples, bool has_fields = false) {
    std::ofstream to(text);
    for (int i = 0; i < samples; ++i)
      to << i % 2 << (has_fields ? " 3:" : " ") << i << ":1 " << (has_fields ? "4:" : "") << 1000 + i << ":0.5\n";
  }
};

struct source_reading {
  fg::graph g;
  fg::click_source from;
  fg::decoded_clicks clicks;
  fg::session s;

  source_reading(const std::string& path, const fg::click_source_options& o) : from(g, path, o), clicks(from.next()), s(g) {}
  // The first keys of the samples of a batch; empty at the end.
  std::vector<std::int64_t> next() {
    const auto found = s.try_run(fg::fetch(clicks.keys, clicks.labels));
    if (!found) {
      code = found.error().code();
      return {};
    }
    const auto& [keys, labels] = *found;
    std::vector<std::int64_t> made;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      made.push_back(keys[2 * i]);
      CHECK(keys[2 * i + 1] == keys[2 * i] + 1000);
      CHECK(labels[i] == static_cast<float>(keys[2 * i] % 2));
    }
    return made;
  }
  std::vector<std::int64_t> all() {
    std::vector<std::int64_t> made;
    for (auto batch = next(); !batch.empty(); batch = next()) made.insert(made.end(), batch.begin(), batch.end());
    return made;
  }
  error_code code = error_code::ok;
};

}  // namespace

TEST_CASE("a source of clicks hands out batches, epoch by epoch, and ends with out_of_range") {
  const source_files files(10);
  for (const bool without_cache : {false, true}) {
    source_reading r(files.text, {.rows = 4, .epochs = 2, .without_cache = without_cache});
    CHECK(r.clicks.keys.shape() == fg::shape{fg::any});
    CHECK(r.next() == std::vector<std::int64_t>{0, 1, 2, 3});
    CHECK(r.next() == std::vector<std::int64_t>{4, 5, 6, 7});
    CHECK(r.next() == std::vector<std::int64_t>{8, 9});
    CHECK(r.next() == std::vector<std::int64_t>{0, 1, 2, 3});
    CHECK(r.all().size() == 6);
    CHECK(r.code == error_code::out_of_range);
  }
  source_reading endless(files.text, {.rows = 10, .ahead = 0, .epochs = -1});
  for (int i = 0; i < 20; ++i) CHECK(endless.next().size() == 10);
}

TEST_CASE("a source of clicks has another order in each epoch, and the same one in each process") {
  const source_files files(200);
  const fg::click_source_options o{.rows = 32, .seed = 5, .epochs = 2};
  const auto first = source_reading(files.text, o).all(), second = source_reading(files.text, o).all();
  REQUIRE(first.size() == 400);
  CHECK(first == second);
  CHECK(!std::equal(first.begin(), first.begin() + 200, first.begin() + 200));
  for (const int epoch : {0, 200}) {
    std::vector<std::int64_t> sorted(first.begin() + epoch, first.begin() + epoch + 200), expected(200);
    std::sort(sorted.begin(), sorted.end());
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(sorted == expected);
  }
}

TEST_CASE("the state of a session contains the position of a source of clicks") {
  const source_files files(50);
  for (const bool without_cache : {false, true})
    for (const int taken : {0, 1, 5, 7, 9, 30}) {
      const fg::click_source_options o{.rows = 7, .seed = without_cache ? 0 : 9, .epochs = 3, .without_cache = without_cache};
      source_reading whole(files.text, o), resumed(files.text, o);
      for (int i = 0; i < taken; ++i) whole.next();
      const fg::saved_state state = whole.s.save_state();
      resumed.next();
      resumed.s.load_state(state);
      source_reading fresh(files.text, o);
      fresh.s.load_state(state);
      const auto rest = whole.all();
      if (taken > 0) CHECK(resumed.all() == rest);  // otherwise the state has no source
      CHECK(fresh.all() == rest);
    }
}

TEST_CASE("a source of clicks with fields, and lines that are left out") {
  const source_files files(4, true);
  std::ofstream(files.text, std::ios::app) << "no line\n";
  fg::graph g;
  const auto clicks = fg::click_source(g, files.text, {.format = fg::click_format::libffm, .skip_malformed = true}).next();
  const auto [splits, fields, values, skipped] =
      fg::session(g).run(fg::fetch(clicks.splits, clicks.fields, clicks.values, clicks.skipped));
  CHECK(std::vector<std::int64_t>(splits.begin(), splits.end()) == std::vector<std::int64_t>{0, 2, 4, 6, 8});
  CHECK(std::vector<std::int32_t>(fields.begin(), fields.begin() + 2) == std::vector<std::int32_t>{3, 4});
  CHECK(values[1] == 0.5f);
  CHECK(skipped.scalar() == 1);
}

TEST_CASE("a source of clicks that cannot be is refused") {
  const source_files files(3);
  const auto code_of = [](const std::string& path, const fg::click_source_options& o) {
    source_reading r(path, o);
    CHECK(r.next().empty());
    return r.code;
  };
  CHECK(code_of(files.folder / "none", {}) == error_code::not_found);
  CHECK(code_of(files.text, {.rows = 0}) == error_code::invalid_argument);
  CHECK(code_of(files.text, {.ahead = -1}) == error_code::invalid_argument);
  CHECK(code_of(files.text, {.epochs = -2}) == error_code::invalid_argument);
  CHECK(code_of(files.text, {.buckets = -2}) == error_code::invalid_argument);
  CHECK(code_of(files.text, {.seed = 3, .without_cache = true}) == error_code::invalid_argument);
  CHECK(code_of(files.text, {.epochs = 0}) == error_code::out_of_range);
  std::ofstream(files.text) << "\n\n";
  CHECK(code_of(files.text, {.epochs = -1}) == error_code::out_of_range);
  std::ofstream(files.text) << "1 7:1\n0 tea:1\n";
  CHECK(code_of(files.text, {}) == error_code::invalid_argument);
  fg::graph g;
  const auto a = fg::click_source(g, files.text, {.rows = 3, .shared_name = "same"}).next();
  const auto b = fg::click_source(g, files.text, {.skip_malformed = true, .rows = 4, .shared_name = "same"}).next();
  fg::session s(g);
  static_cast<void>(s.try_run(fg::fetch(a.keys)));
  CHECK(s.try_run(fg::fetch(b.keys)).error().code() == error_code::invalid_argument);
}
