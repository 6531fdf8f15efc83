// Sparse tables in checkpoints.

#include <flowgraph/train/saver.hpp>

#include "../formats/folder.hpp"

#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/state_bytes.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

namespace fg = flowgraph;
using fg::error_code;

namespace {

// A training whose rows are in a sparse table. New keys come in every step, and old rows are evicted.
struct table_training {
  fg::graph g;
  fg::sparse_table<fg::half> table{g, {.columns = 3, .seed = 5, .initial_scale = 0.5f}};
  fg::variable<float> bias = g.variable("bias", fg::zeros<float>({}));
  fg::out<std::int64_t> keys = g.placeholder<std::int64_t>("keys", {fg::any});
  fg::out<float> loss = fg::sum(fg::square(fg::sum(table.lookup(keys), {1}) + bias - 1.f));
  fg::target train = fg::adagrad{.rate = 0.1f}.minimize(loss);
  fg::out<std::int64_t> evict = table.evict_older_than(12);
  fg::saver saver;
  fg::session s;

  explicit table_training(const std::string& folder, std::size_t keep = 2)
      : saver(g, {.directory = folder, .keep = keep, .every_steps = 3}), s(g) {
    s.initialize();
  }
  void step(std::int64_t i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i));
    fg::tensor<std::int64_t> batch({50});
    for (auto& k : batch.writable()) k = static_cast<std::int64_t>(random() % 400) * i % 1009;
    s.run(train, {{keys, batch}});
    if (i % 7 == 0) s.run(fg::fetch(evict));
  }
  std::int64_t run(std::int64_t last) {
    const auto found = saver.restore_latest(s);
    const std::int64_t first = found ? *found : 0;
    for (std::int64_t i = first + 1; i <= last; ++i) {
      step(i);
      if (i % 3 == 0) saver.save(s, i).value();
    }
    return first;
  }
  // The file of the table contains keys, rows, state and ages.
  std::string table_bytes(const std::string& path) {
    s.run(table.save(g.constant(path)));
    return fg::read_file(path).value();
  }
  std::vector<std::string> files(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace

TEST_CASE("a checkpoint contains sparse tables: a stopped training goes on to the bit") {
  const test_folder folder;
  table_training whole(folder / "whole");
  CHECK(whole.run(20) == 0);
  const std::string expected = whole.table_bytes(folder / "whole.rows");
  for (const std::int64_t stops : {3, 10, 18}) {
    const std::string here = folder / std::to_string(stops);
    table_training(here).run(stops);
    table_training resumed(here);
    CHECK(resumed.run(20) == stops / 3 * 3);
    CHECK(resumed.table_bytes(folder / "resumed.rows") == expected);
    CHECK(resumed.s.run(fg::fetch(resumed.bias)).scalar() == whole.s.run(fg::fetch(whole.bias)).scalar());
    CHECK(resumed.files(here) == std::vector<std::string>{"checkpoint", "model-15.data-00000-of-00001", "model-15.index",
                                                          "model-15.rows-00000", "model-18.data-00000-of-00001", "model-18.index",
                                                          "model-18.rows-00000"});
  }
}

TEST_CASE("a checkpoint of a sparse table that no step has used yet is kept by the next save") {
  const test_folder folder;
  table_training first(folder / "a");
  first.run(6);
  const std::string expected = first.table_bytes(folder / "rows");
  table_training second(folder / "a");
  CHECK(second.saver.restore_latest(second.s).value() == 6);
  second.saver.save(second.s, 6).value();  // over the checkpoint that it has read
  CHECK(second.files(folder / "a").back() == "model-6.rows-00001");
  second.saver.save(second.s, 7).value();
  table_training third(folder / "a");
  CHECK(third.saver.restore_latest(third.s).value() == 7);
  CHECK(third.table_bytes(folder / "again") == expected);
  CHECK(third.saver.restore_latest(third.s).value() == 7);  // into a table with rows
  CHECK(third.table_bytes(folder / "again") == expected);
}

TEST_CASE("a checkpoint of a graph whose only state is a sparse table goes on to the bit") {
  const test_folder folder;
  for (const bool concurrent : {false, true}) {
    fg::graph g;
    const fg::sparse_table<float> table(g, {.columns = 3, .seed = 5, .initial_scale = 0.5f});
    const auto keys = g.placeholder<std::int64_t>("keys", {fg::any});
    const auto train = fg::sgd{.rate = 0.1f}.minimize(fg::sum(fg::square(table.lookup(keys) - 1.f)));
    fg::saver saver(g, {.directory = folder / (concurrent ? "b" : "a"), .concurrent = concurrent});
    const auto step = [&](fg::session& s, std::int64_t i) {
      s.run(train, {{keys, fg::tensor<std::int64_t>({3}, {i, 2 * i, 7})}});
    };
    const auto bytes = [&](fg::session& s) {
      s.run(table.save(g.constant(folder / "rows")));
      return fg::read_file(folder / "rows").value();
    };
    fg::session whole(g), resumed(g), late(g);
    for (std::int64_t i = 0; i < 10; ++i) {
      step(whole, i);
      if (i == 6) saver.save(whole, i).value();
    }
    CHECK(saver.restore_latest(resumed).value() == 6);
    for (std::int64_t i = 7; i < 10; ++i) step(resumed, i);
    CHECK(bytes(resumed) == bytes(whole));

    fg::graph with_variable;
    with_variable.variable("bias", fg::zeros<float>({}));
    fg::session other(with_variable);
    fg::saver wrong(with_variable, {.directory = saver.options().directory});
    CHECK(wrong.restore_latest(other).error().code() == error_code::not_found);
    fg::saver without_state(g, {.directory = folder / "c", .state = false});
    CHECK(without_state.save(late, 1).error().code() == error_code::failed_precondition);
  }
}

TEST_CASE("a save that fails leaves no file of a sparse table") {
  const test_folder folder;
  table_training t(folder / "a");
  t.run(3);
  const auto before = t.files(folder / "a");
  std::filesystem::create_directories(folder / "a/model-4.data-00000-of-00001/x");  // what cannot be replaced
  CHECK(!t.saver.save(t.s, 4));
  std::filesystem::remove_all(folder / "a/model-4.data-00000-of-00001");
  CHECK(t.files(folder / "a") == before);
}

TEST_CASE("a checkpoint with a sparse table may have a folder in its name") {
  const test_folder folder;
  table_training t(".");
  t.step(1);
  fg::saver saver(t.g, {.directory = folder / "a", .name = "run/model"});
  const std::string prefix = saver.save(t.s, 1).value();
  CHECK(t.files(folder / "a/run").back() == "model-1.rows-00000");
  saver.restore(t.s, prefix).value();
}

TEST_CASE("a state without files does not leave a sparse table out silently") {
  table_training t(".");
  t.s.run(fg::fetch(t.loss), {{t.keys, fg::tensor<std::int64_t>({1}, {3})}});
  const auto state = t.s.try_save_state();
  REQUIRE(!state);
  CHECK(state.error().code() == error_code::unimplemented);
  CHECK(state.error().message().find("resource 'SparseTable' cannot be saved") != state.error().message().npos);
  CHECK(t.s.try_save_state(fg::container::large_contents::left_out));
}

TEST_CASE("a damaged file of a sparse table is an error that names it, and changes nothing") {
  const test_folder folder;
  table_training t(folder / "a");
  t.run(6);
  const std::string path = folder / "a/model-6.rows-00000", bytes = fg::read_file(path).value();
  t.step(7);
  const std::string before = t.table_bytes(folder / "before");
  const float bias = t.s.run(fg::fetch(t.bias)).scalar();
  const auto refused = [&] {
    const auto done = t.saver.restore_latest(t.s);
    CHECK(!done);
    CHECK(done.error().message().find("model-6.rows-00000") != done.error().message().npos);
    CHECK(t.table_bytes(folder / "now") == before);
    CHECK(t.s.run(fg::fetch(t.bias)).scalar() == bias);
    return done.error().code();
  };
  for (std::size_t at = 0; at < bytes.size(); at += bytes.size() / 9) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream(path, std::ios::binary) << damaged;
    CHECK(refused() == error_code::data_loss);
    std::ofstream(path, std::ios::binary) << bytes.substr(0, at);
    CHECK(refused() == error_code::data_loss);
  }
  std::filesystem::remove(path);
  CHECK(refused() == error_code::not_found);
}

TEST_CASE("the bytes of a state name the files of a checkpoint") {
  fg::saved_state state;
  state.files.push_back({"section", "name", "model-3.rows-00000", 123456789012, 0xfedcba98u});
  const auto read = fg::parse_saved_state(fg::to_bytes(state)).value();
  REQUIRE(read.files.size() == 1);
  CHECK(read.files[0].section == "section");
  CHECK(read.files[0].name == "name");
  CHECK(read.files[0].path == "model-3.rows-00000");
  CHECK(read.files[0].size == 123456789012);
  CHECK(read.files[0].checksum == 0xfedcba98u);
}

#if __has_include(<sys/wait.h>)
TEST_CASE("a training of a sparse table that is killed at any moment ends with the bits of one that was not") {
  constexpr std::int64_t last = 90;
  constexpr int most_kills = 20;
  const test_folder folder;
  std::mt19937 random(11);
  int kills = 0;
  for (bool is_done = false; !is_done;) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      table_training(folder / "killed").run(last);
      ::_exit(0);
    }
    if (kills < most_kills) {
      ::usleep(static_cast<useconds_t>(random() % 25000));
      ::kill(child, SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    is_done = WIFEXITED(status);
    if (is_done) CHECK(WEXITSTATUS(status) == 0);
    kills += is_done ? 0 : 1;
  }
  table_training resumed(folder / "killed"), whole(folder / "whole");
  CHECK(resumed.run(last) == last);
  whole.run(last);
  CHECK(resumed.table_bytes(folder / "a") == whole.table_bytes(folder / "b"));
  CHECK(resumed.s.run(fg::fetch(resumed.bias)).scalar() == whole.s.run(fg::fetch(whole.bias)).scalar());
  MESSAGE("killed " << kills << " times");
}
#endif
