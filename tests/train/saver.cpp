#include <flowgraph/train/saver.hpp>

#include "../formats/folder.hpp"
#include "../formats/tensors.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <thread>

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

using file_tests::equal;
using file_tests::says;

namespace fg = flowgraph;

namespace {

// A model with an optimizer that has variables of its own.
struct kept_model {
  fg::graph g;
  fg::variable<float> w = g.variable<float>("layer/w", fg::tensor<float>({3, 2}, {1, -2, 3, -4, 5, -6}));
  fg::variable<float> b = g.variable<float>("layer/b", fg::tensor<float>({2}, {0, 0}));
  fg::variable<std::int64_t> step = g.variable<std::int64_t>("step", fg::tensor<std::int64_t>(std::int64_t{0}));
  fg::target train;

  kept_model() {
    const auto x = g.constant(fg::tensor<float>({4, 3}, {.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f, .9f, 1, 1.1f, 1.2f}));
    const auto loss = fg::sum(fg::square(fg::matmul(x, w) + b));
    train = fg::group(fg::target(fg::adam{.rate = 0.05f}.minimize(loss)), fg::assign_add(step, g.constant(std::int64_t{1})));
  }
  std::vector<fg::any_tensor> values(fg::session& s) const {
    const auto all = g.variables();
    return s.try_run({{}, std::span<const fg::any_out>(all), {}}).value();
  }
};

bool same(const std::vector<fg::any_tensor>& a, const std::vector<fg::any_tensor>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!equal(a[i], b[i])) return false;
  return true;
}

bool exists(const std::string& path) { return std::filesystem::exists(path); }

}  // namespace

TEST_CASE("a run that was stopped goes on to the bit") {
  const test_folder folder;
  std::vector<fg::any_tensor> expected;
  {
    kept_model m;
    fg::session s{m.g};
    s.initialize();
    for (int i = 0; i < 20; ++i) s.run(m.train);
    expected = m.values(s);
  }
  for (int start = 0; start < 20; start += 5) {
    kept_model m;
    fg::saver saver(m.g, {.directory = folder / "checkpoints"});
    fg::session s{m.g};
    s.initialize();
    const auto found = saver.restore_latest(s);
    if (start == 0) CHECK(found.error().code() == fg::error_code::not_found);
    else CHECK(found.value() == start);
    for (int i = 0; i < 5; ++i) s.run(m.train);
    CHECK(saver.save(s, start + 5).value() == folder / ("checkpoints/model-" + std::to_string(start + 5)));
    s.run(m.train);  // is lost
  }
  kept_model m;
  fg::saver saver(m.g, {.directory = folder / "checkpoints"});
  fg::session s{m.g};
  CHECK(saver.restore_latest(s).value() == 20);  // without `initialize`: all is there
  CHECK(same(m.values(s), expected));
}

TEST_CASE("the last ones are kept, and one for every so much time") {
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  fg::saver few(m.g, {.directory = folder / "few", .name = "net", .keep = 2});
  for (const int step : {1, 2, 3, 4}) few.save(s, step).value();
  CHECK(few.checkpoints() == std::vector<std::string>{folder / "few/net-3", folder / "few/net-4"});
  CHECK_FALSE(exists(folder / "few/net-2.index"));
  CHECK_FALSE(exists(folder / "few/net-2.data-00000-of-00001"));
  CHECK(exists(folder / "few/net-3.data-00000-of-00001"));
  few.save(s, 3).value();  // again: the latest now
  CHECK(few.checkpoints() == std::vector<std::string>{folder / "few/net-4", folder / "few/net-3"});
  CHECK(fg::latest_checkpoint(folder / "few").value() == folder / "few/net-3");
  fg::saver later(m.g, {.directory = folder / "few", .name = "net", .keep = 2});
  later.save(s, 5).value();
  CHECK(later.checkpoints() == std::vector<std::string>{folder / "few/net-3", folder / "few/net-5"});

  fg::saver all(m.g, {.directory = folder / "all", .keep = 0});
  for (const int step : {1, 2, 3}) all.save(s, step).value();
  CHECK(all.checkpoints().size() == 3);

  // As if they had been saved long ago, at different times.
  std::filesystem::copy(folder / "all", folder / "hourly");
  auto state = fg::file_writer::open(folder / "hourly/checkpoint").value();
  state
      .write(
          "model_checkpoint_path: \"model-3\"\nall_model_checkpoint_paths: \"model-1\"\nall_model_checkpoint_paths: \"model-2\"\n"
          "all_model_checkpoint_paths: \"model-3\"\nall_model_checkpoint_timestamps: 1000\nall_model_checkpoint_timestamps: "
          "4000\n"
          "all_model_checkpoint_timestamps: 4001\nlast_preserved_timestamp: 1\n")
      .value();
  state.close().value();
  fg::saver hourly(m.g, {.directory = folder / "hourly", .keep = 1, .keep_every = std::chrono::hours(1)});
  hourly.save(s, 4).value();
  CHECK_FALSE(exists(folder / "hourly/model-1.index"));
  CHECK(exists(folder / "hourly/model-2.index"));
  CHECK_FALSE(exists(folder / "hourly/model-3.index"));
  CHECK(hourly.checkpoints().size() == 1);
}

TEST_CASE("saving by steps and by time") {
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  fg::saver by_steps(m.g, {.directory = folder / "steps", .every_steps = 10});
  std::vector<int> when;
  for (int step = 0; step < 35; ++step)
    if (by_steps.save_if_due(s, step).value()) when.push_back(step);
  CHECK(when == std::vector<int>{10, 20, 30});
  fg::saver by_time(m.g, {.directory = folder / "time", .every = std::chrono::milliseconds(1)});
  CHECK_FALSE(by_time.save_if_due(s, 0).value());
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2)) continue;
  CHECK(by_time.save_if_due(s, 1).value());
  fg::saver never(m.g, {.directory = folder / "never"});
  for (int step = 0; step < 3; ++step) CHECK_FALSE(never.save_if_due(s, step).value());
}

TEST_CASE("the latest is found again without the file that names it, and one that was cut is passed over") {
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  fg::saver saver(m.g, {.directory = folder.path()});
  for (const int step : {9, 10, 8}) saver.save(s, step).value();
  CHECK(fg::latest_checkpoint(folder.path()).value() == folder / "model-8");
  std::filesystem::remove(folder / "checkpoint");
  CHECK(fg::latest_checkpoint(folder.path()).value() == folder / "model-10");
  std::filesystem::remove(folder / "model-10.index");  // killed before it was written
  CHECK(saver.restore_latest(s).value() == 9);
}

TEST_CASE("variables of other names, and those that a checkpoint lacks") {
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  for (int i = 0; i < 3; ++i) s.run(m.train);
  fg::saver only(m.g, {.directory = folder.path(), .variables = {m.w}, .names = {{"layer/w", "old/w"}}});
  const std::string prefix = only.save(s, 1).value();
  CHECK(fg::tensor_bundle::open(prefix).value().tensors().size() == 2);  // and the state
  const auto trained = s.run(fg::fetch(m.w));
  s.initialize();
  const auto initial = m.values(s);

  fg::saver strict(m.g, {.names = {{"layer/w", "old/w"}}});
  const auto refused = strict.restore(s, prefix);
  CHECK(refused.error().code() == fg::error_code::not_found);
  CHECK(says(refused.error(), "has no tensor 'layer/b' for variable 'layer/b'"));
  CHECK(same(m.values(s), initial));
  fg::saver some(m.g, {.names = {{"layer/w", "old/w"}}, .allow_missing = true});
  some.restore(s, prefix).value();
  CHECK(equal(s.run(fg::fetch(m.w)).erased(), trained.erased()));
  CHECK(equal(s.run(fg::fetch(m.b)).erased(), fg::tensor<float>({2}, {0, 0}).erased()));
}

TEST_CASE("a first checkpoint of TensorFlow is restored from its file, or from its several files") {
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  s.run(m.train);
  const auto all = m.g.variables();
  const auto trained = m.values(s);
  std::vector<fg::saved_slices_writer> shards;
  shards.push_back(fg::saved_slices_writer::create(folder / "parts-00000-of-00002").value());
  shards.push_back(fg::saved_slices_writer::create(folder / "parts-00001-of-00002").value());
  auto one = fg::saved_slices_writer::create(folder / "whole").value();
  for (std::size_t i = 0; i < all.size(); ++i) {
    one.add(all[i].source->name, trained[i]).value();
    shards[i % 2].add(all[i].source->name, trained[i]).value();
  }
  one.finish().value();
  for (auto& shard : shards) shard.finish().value();
  fg::saver saver(m.g, {.directory = folder / "checkpoints"});
  for (const char* name : {"whole", "parts"}) {
    s.run(m.train);
    CHECK_FALSE(same(m.values(s), trained));
    saver.restore(s, folder / name).value();
    CHECK(same(m.values(s), trained));
  }
  std::filesystem::create_directory(folder / "checkpoints");
  std::ofstream(folder / "checkpoints/checkpoint") << "model_checkpoint_path: \"../whole\"\n";
  CHECK(std::filesystem::equivalent(fg::latest_checkpoint(folder / "checkpoints").value(), folder / "whole"));

  auto few = fg::saved_slices_writer::create(folder / "few").value();
  few.add("layer/w", fg::tensor<float>({3, 2}).erased()).value();
  few.finish().value();
  CHECK(says(saver.restore(s, folder / "few").error(), "few': has no tensor 'layer/b' for variable 'layer/b'"));
  auto bad = fg::saved_slices_writer::create(folder / "bad").value();
  for (std::size_t i = 0; i < all.size(); ++i)
    bad.add(all[i].source->name, i == 1 ? fg::tensor<float>({7}).erased() : fg::tensor<float>({3, 2}).erased()).value();
  bad.finish().value();
  CHECK(says(saver.restore(s, folder / "bad").error(), "tensor 'layer/b' is float[7]; variable 'layer/b' is float[2]"));
  CHECK(same(m.values(s), trained));
  CHECK_FALSE(saver.restore(s, folder / "none"));
}

TEST_CASE("what a killed program left half written is removed, and nothing else") {
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  for (const char* name :
       {"model-3.index.12ab.partial", "checkpoint.12ab.partial", "checkpoint.cd34.partial", "other-3.index.12ab.partial",
        "model-ema-3.index.12ab.partial", "model-ema-3.rows-00000", "model-3.rows-00000", "notes.partial"})
    fg::file_writer::open(folder / name).value().close().value();
  const auto hour_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(folder / "checkpoint.12ab.partial", hour_ago);
  fg::saver saver(m.g, {.directory = folder.path()});
  CHECK(saver.checkpoints().empty());
  CHECK(exists(folder / "model-3.index.12ab.partial"));  // perhaps of a program that saves now
  saver.save(s, 4).value();
  CHECK_FALSE(exists(folder / "model-3.index.12ab.partial"));
  CHECK_FALSE(exists(folder / "model-3.rows-00000"));
  CHECK_FALSE(exists(folder / "checkpoint.12ab.partial"));
  for (const char* name : {"checkpoint.cd34.partial", "other-3.index.12ab.partial", "model-ema-3.index.12ab.partial",
                           "model-ema-3.rows-00000", "notes.partial"})
    CHECK_MESSAGE(exists(folder / name), name);
}

TEST_CASE("savers of other names keep their checkpoints in the same directory") {
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  fg::saver model(m.g, {.directory = folder.path()}), best(m.g, {.directory = folder.path(), .name = "best", .keep = 1});
  for (const std::int64_t step : {1, 2, 3}) model.save(s, step).value();
  best.save(s, 4).value();
  model.save(s, 5).value();
  best.save(s, 6).value();
  CHECK_FALSE(exists(folder / "best-4.index"));
  for (const std::int64_t step : {1, 2, 3, 5}) CHECK(exists(folder / ("model-" + std::to_string(step) + ".index")));
  CHECK(fg::latest_checkpoint(folder.path()).value() == folder / "best-6");
  fg::saver again(m.g, {.directory = folder.path(), .keep = 2});
  CHECK(again.checkpoints().size() == 4);
  again.save(s, 7).value();
  CHECK(again.checkpoints() == std::vector<std::string>{folder / "model-5", folder / "model-7"});
  CHECK_FALSE(exists(folder / "model-3.index"));
  CHECK(fg::saver(m.g, {.directory = folder.path(), .name = "best"}).checkpoints() == std::vector{folder / "best-6"});
}

TEST_CASE("a saver removes no checkpoint of another directory, which absolute paths name") {
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  fg::saver first(m.g, {.directory = folder / "a"});
  for (const std::int64_t step : {1, 2}) first.save(s, step).value();
  std::ofstream(folder / "a/checkpoint") << "model_checkpoint_path: \"" << folder / "a/model-2"
                                         << "\"\n"
                                         << "all_model_checkpoint_paths: \"" << folder / "a/model-1"
                                         << "\"\n"
                                         << "all_model_checkpoint_paths: \"" << folder / "a/model-2"
                                         << "\"\n";
  std::filesystem::copy(folder / "a", folder / "b");
  fg::saver(m.g, {.directory = folder / "b", .keep = 1}).save(s, 3).value();
  for (const char* name : {"a/model-1.index", "a/model-2.index", "b/model-3.index"}) CHECK_MESSAGE(exists(folder / name), name);
  CHECK(fg::read_file(folder / "b/checkpoint").value().find(folder / "a/model-1") != std::string::npos);
  fg::saver(m.g, {.directory = folder / "a", .keep = 1}).save(s, 3).value();  // those are its own
  CHECK_FALSE(exists(folder / "a/model-1.index"));
  CHECK_FALSE(exists(folder / "a/model-2.index"));
}

TEST_CASE("a directory without a name is the current one, and a name may have folders") {
  const test_folder folder;
  struct in_folder {
    std::filesystem::path before = std::filesystem::current_path();
    explicit in_folder(const std::string& path) { std::filesystem::current_path(path); }
    ~in_folder() { std::filesystem::current_path(before); }
  } const here(folder.path());
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  fg::saver saver(m.g, {.directory = "", .name = "run/model", .keep = 1});
  for (const std::int64_t step : {1, 2}) saver.save(s, step).value();
  CHECK(fg::latest_checkpoint("").value() == "./run/model-2");
  fg::saver(m.g, {.directory = "", .name = "run/model", .keep = 1}).save(s, 3).value();
  CHECK(std::distance(std::filesystem::directory_iterator("run"), std::filesystem::directory_iterator()) == 2);
  fg::saver(m.g, {.directory = "", .name = "m"}).save(s, 4).value();
  std::filesystem::remove("checkpoint");
  CHECK(fg::latest_checkpoint("").value() == "./m-4");
}

TEST_CASE("the file that names the checkpoints is the same under every locale") {
  if (!std::setlocale(LC_NUMERIC, "de_DE.UTF-8")) return;
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  fg::saver(m.g, {.directory = folder.path()}).save(s, 1).value();
  std::setlocale(LC_NUMERIC, "C");
  CHECK(fg::read_file(folder / "checkpoint").value().find(',') == std::string::npos);
}

TEST_CASE("another shape is refused before any variable changes") {
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  fg::saver saver(m.g, {.directory = folder.path(), .variables = {m.w, m.b}});
  const std::string prefix = saver.save(s, 1).value();
  fg::graph g;
  const auto w = g.variable<float>("layer/w", fg::tensor<float>({3, 2}));
  g.variable<float>("layer/b", fg::tensor<float>({3}));
  fg::session other{g};
  other.initialize();
  fg::saver wrong(g, {.directory = folder.path()});
  const auto refused = wrong.restore(other, prefix);
  CHECK(says(refused.error(), "tensor 'layer/b' is float[2]; variable 'layer/b' is float[3]"));
  CHECK(other.run(fg::fetch(w))[0] == 0);
}

TEST_CASE("a damaged checkpoint is an error, and the one before is still there") {
  const test_folder folder;
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  fg::saver saver(m.g, {.directory = folder.path()});
  saver.save(s, 1).value();
  s.run(m.train);
  const std::string latest = saver.save(s, 2).value();
  const std::string data = latest + ".data-00000-of-00001";
  std::string bytes = fg::read_file(data).value();
  bytes[7] ^= 1;
  auto file = fg::file_writer::open(data).value();
  file.write(bytes).value();
  file.close().value();
  const auto before = m.values(s);
  const auto damaged = saver.restore_latest(s);
  CHECK(damaged.error().code() == fg::error_code::data_loss);
  CHECK(says(damaged.error(), data));
  CHECK(same(m.values(s), before));
  saver.restore(s, saver.checkpoints().front()).value();
}

TEST_CASE("variables behind handles") {
  const test_folder folder;
  fg::graph g;
  const auto v = fg::apply_in<float>(g, fg::var_handle_op{.declared = {2}, .shared_name = "v"});
  g.add_variable(v, true);
  const auto assign = fg::apply_as<float>({}, fg::assign_variable_op{}, v, g.constant(fg::tensor<float>({2}, {3, 4})));
  const auto read = fg::apply_as<float>({}, fg::read_variable_op{}, v);
  fg::saver saver(g, {.directory = folder.path()});
  fg::session s{g};
  CHECK_FALSE(saver.save(s, 1));  // it has no value
  s.run(assign);
  saver.save(s, 1).value();
  fg::session other{g};
  CHECK(saver.restore_latest(other).value() == 1);
  CHECK(other.run(fg::fetch(read))[1] == 4);
  auto to = fg::tensor_bundle_writer::create(folder / "longer-2").value();
  to.add(std::string(v.source->name), fg::tensor<float>({3}, {7, 8, 9}).erased()).value();
  to.finish().value();
  CHECK(says(saver.restore(other, folder / "longer-2").error(), "is float[3]; variable 'VarHandleOp' is float[2]"));
  CHECK(other.run(fg::fetch(read))[1] == 4);
}

namespace {

// What a program of its own needs to be resumed to the bit: a producer that draws its examples, a queue that shuffles them, dropout, and an
// optimizer. The queue is full whenever an element is drawn from it, so that threads do not change its choice.
struct fed_model {
  fg::graph g;
  fg::random_shuffle_queue<float> examples{g, {.capacity = 17, .min_after_dequeue = 16, .seed = 11, .shapes = {{3}}}};
  fg::target produce =
      examples.enqueue_many(fg::random_uniform<float>(g, g.constant(fg::tensor<std::int32_t>({2}, {5, 3})), {.seed = 4}));
  fg::target end = examples.close(true);
  fg::out<std::int32_t> there = examples.size();
  fg::variable<float> w = g.variable<float>("w", fg::tensor<float>({3, 2}, {1, -2, 3, -4, 5, -6}));
  fg::variable<std::int64_t> step = g.variable<std::int64_t>("step", fg::tensor<std::int64_t>(std::int64_t{0}));
  fg::target train;

  fed_model() {
    const auto x = examples.dequeue_many(8);
    const auto loss = fg::sum(fg::square(fg::dropout(fg::matmul(x, w), 0.5f, 9)));
    const auto once_taken = g.after(loss);  // so that a run that waits for its batch has counted nothing
    train = fg::group(fg::target(fg::adam{.rate = 0.05f}.minimize(loss)), fg::assign_add(step, g.constant(std::int64_t{1})));
  }
  std::vector<fg::any_tensor> values(fg::session& s) const {
    const auto all = g.variables();
    return s.try_run({{}, std::span<const fg::any_out>(all), {}}).value();
  }
};

// Puts examples in until the queue is closed.
std::thread producer_of(const fed_model& m, fg::session& s) {
  return std::thread([&] {
    while (s.try_run(m.produce)) {}
  });
}

}  // namespace

TEST_CASE("queues, random numbers and what waits are saved too: a resumed program goes on to the bit") {
  const test_folder folder;
  std::vector<fg::any_tensor> expected;
  {
    fed_model m;
    fg::session s{m.g};
    s.initialize();
    auto producer = producer_of(m, s);
    for (int i = 0; i < 24; ++i) s.run(m.train);
    expected = m.values(s);
    s.run(m.end);
    producer.join();
  }
  for (int start = 0; start < 24; start += 4) {
    fed_model m;
    fg::saver saver(m.g, {.directory = folder / "fed", .concurrent = start % 8 == 0});
    fg::session s{m.g};
    s.initialize();
    if (start > 0) CHECK(saver.restore_latest(s).value() == start);
    auto producer = producer_of(m, s);
    for (int i = 0; i < 4; ++i) s.run(m.train);
    if (start % 3 == 0)  // with a full queue; else as it happens to be
      while (s.run(fg::fetch(m.there)).scalar() < 17) std::this_thread::yield();
    saver.save(s, start + 4).value();
    s.run(m.train);  // is lost
    s.run(m.end);
    producer.join();
  }
  fed_model m;
  fg::session s{m.g};
  CHECK(fg::saver(m.g, {.directory = folder / "fed"}).restore_latest(s).value() == 24);
  CHECK(same(m.values(s), expected));
}

// A thread trains, another saves while the first one waits for the rest of its batch.
TEST_CASE("a run that waits with half a batch is begun anew by the program that resumes") {
  const test_folder folder;
  std::vector<fg::any_tensor> expected;
  const auto run_once = [&](fed_model& m, fg::session& s, bool saves) {
    for (int i = 0; i < 3; ++i) s.run(m.produce);
    std::thread trainer([&] { s.run(m.train); });
    s.run(m.produce);  // 20 examples by now: 16 stay, 4 of 8 are gathered
    if (saves) {
      while (s.run(fg::fetch(m.there)).scalar() != 16) std::this_thread::yield();
      fg::saver(m.g, {.directory = folder / "half"}).save(s, 1).value();
    }
    s.run(m.produce);
    trainer.join();
    return m.values(s);
  };
  {
    fed_model m;
    fg::session s{m.g};
    s.initialize();
    expected = run_once(m, s, false);
  }
  {
    fed_model m;
    fg::saver first(m.g, {.directory = folder / "half"});
    fg::session s{m.g};
    s.initialize();
    CHECK(same(run_once(m, s, true), expected));
  }
  fed_model m;
  fg::saver saver(m.g, {.directory = folder / "half"});
  fg::session s{m.g};
  CHECK(saver.restore_latest(s).value() == 1);
  std::thread trainer([&] { s.run(m.train); });
  s.run(m.produce);
  trainer.join();
  CHECK(same(m.values(s), expected));
}

namespace {

// A queue whose elements runs wait for, and a variable.
struct waited_queue {
  fg::graph g;
  fg::variable<float> w = g.variable("w", fg::tensor<float>({2}, {1, 2}));
  fg::fifo_queue<float> queue{g, {.capacity = 2, .shapes = {{}}}};
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::target put = queue.enqueue(x);
  fg::out<float> one = queue.dequeue(), three = queue.dequeue_many(3);
  fg::out<std::int32_t> size = queue.size();
  fg::session s{g};

  waited_queue() { s.initialize(); }
  void add(float value) { s.run(put, {{x, fg::tensor<float>(value)}}); }
  std::int32_t there() { return s.run(fg::fetch(size)).scalar(); }
  // Damages the variable in the checkpoint, which still opens.
  static void damage(const std::string& prefix) {
    const std::uint64_t at = fg::tensor_bundle::open(prefix).value().find("w")->offset;
    std::fstream file(prefix + ".data-00000-of-00001", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put('\x55');
  }
};

}  // namespace

TEST_CASE("a run that has gathered elements of a queue loses them when other contents are restored") {
  const test_folder folder;
  waited_queue m;
  fg::saver saver(m.g, {.directory = folder.path()});
  m.add(1);
  std::vector<float> taken;
  std::thread taker([&] {
    const auto all = m.s.run(fg::fetch(m.three));
    for (std::size_t i = 0; i < 3; ++i) taken.push_back(all[i]);
  });
  while (m.there() != 0) std::this_thread::yield();
  saver.restore(m.s, saver.save(m.s, 1).value()).value();
  for (const float value : {2.f, 3.f}) m.add(value);
  taker.join();
  CHECK(taken == std::vector<float>{1, 2, 3});
  CHECK(m.there() == 0);
}

TEST_CASE("a damaged checkpoint changes no queue, whatever waits for it") {
  const test_folder folder;
  waited_queue m;
  fg::saver saver(m.g, {.directory = folder.path()});
  m.add(1);
  const std::string prefix = saver.save(m.s, 1).value();
  waited_queue::damage(prefix);
  m.add(2);
  std::thread giver([&] { m.add(3); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(saver.restore(m.s, prefix).error().code() == fg::error_code::data_loss);
  for (const float expected : {1.f, 2.f, 3.f}) CHECK(m.s.run(fg::fetch(m.one)).scalar() == expected);
  giver.join();
  CHECK(m.there() == 0);
}

TEST_CASE("a restore that a member of a set refuses changes no variable, and the step of a checkpoint may be negative") {
  const test_folder folder;
  fg::graph g;
  const auto a = g.variable("a", fg::tensor<float>(1.f)), b = g.variable("b", fg::tensor<float>(2.f));
  fg::saver keeper(g, {.directory = folder.path()});
  fg::session s{g};
  s.initialize();
  REQUIRE(keeper.save(s, -5));
  s.assign({{a, 10.f}, {b, 20.f}});
  CHECK(keeper.restore_latest(s).value() == -5);
  s.assign({{a, 10.f}, {b, 20.f}});
  const auto set = s.make_set("weights", b);
  const auto refused = keeper.restore_latest(s);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == fg::error_code::failed_precondition);
  CHECK(s.run(fg::fetch(a)).scalar() == 10);
}

TEST_CASE("a variable without a declared shape is restored with the shape of the checkpoint") {
  const test_folder folder;
  fg::graph g;
  fg::variable<float> v;
  static_cast<fg::out<float>&>(v) = fg::apply_in<float>(g, fg::variable_v2_op{fg::shape{fg::any}, {}, {}}, {"v"});
  g.add_variable(v, true);
  const auto x = g.placeholder<float>("x", {fg::any});
  const fg::target put = fg::apply(fg::assign_op{.validate_shape = false}, v, x).source;
  fg::saver keeper(g, {.directory = folder.path()});
  fg::session s{g};
  s.run(put, {{x, fg::tensor<float>({3}, {1, 2, 3})}});
  REQUIRE(keeper.save(s, 1));
  s.run(put, {{x, fg::tensor<float>({2}, {7, 8})}});
  REQUIRE(keeper.restore_latest(s));
  CHECK(equal(s.run(fg::fetch(v)).erased(), fg::tensor<float>({3}, {1, 2, 3}).erased()));
}

TEST_CASE("a full or locked folder is an error that names it") {
  kept_model m;
  fg::session s{m.g};
  s.initialize();
  fg::saver saver(m.g, {.directory = "/proc/none"});
  CHECK(says(saver.save(s, 1).error(), "/proc/none"));
  fg::graph empty;
  fg::session nothing{empty};
  CHECK(fg::saver(empty, {.state = false}).save(nothing, 1).error().code() == fg::error_code::failed_precondition);
}

#if __has_include(<sys/wait.h>)
namespace {

// So many processes are killed: ten, or what FLOWGRAPH_TEST_KILLS says.
int wanted_kills() {
  const char* const said = std::getenv("FLOWGRAPH_TEST_KILLS");
  return said ? std::max(1, std::atoi(said)) : 10;
}

// Runs a program in processes of its own, which are killed at any moment; then once more, until it has made a few steps beyond the latest
// checkpoint: how many that are in all. Looks at what each has left. One that was killed while it wrote a checkpoint has left a partial file.
std::int64_t run_and_kill(
    unsigned seed, const std::string& folder, const std::function<void(std::int64_t last)>& program,
    const std::function<void()>& look = [] {}) {
  std::mt19937 random(seed);
  int kills = 0, kills_in_saves = 0;
  const auto partial_files = [&] {
    std::set<std::string> names;
    for (const auto& f : std::filesystem::directory_iterator(folder))
      if (f.path().extension() == ".partial") names.insert(f.path().filename().string());
    return names;
  };
  const auto start = [&](std::int64_t last) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      program(last);
      ::_exit(0);
    }
    return child;
  };
  int status = 0;
  for (; kills < wanted_kills(); ++kills) {
    const auto before = partial_files();
    const pid_t child = start(std::numeric_limits<std::int64_t>::max());
    ::usleep(static_cast<useconds_t>(random() % 60000));
    // Every second one while it writes: once there is a new file.
    for (int i = 0; kills % 2 == 1 && i < 2000 && partial_files() == before; ++i) ::usleep(50);
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    const auto after = partial_files();
    kills_in_saves += std::includes(before.begin(), before.end(), after.begin(), after.end()) ? 0 : 1;
    look();
  }
  const auto latest = fg::latest_checkpoint(folder);
  const std::int64_t last = 10 + (latest ? std::stoll(latest->substr(latest->rfind('-') + 1)) : 0);
  ::waitpid(start(last), &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  MESSAGE("killed " << kills << " times, " << kills_in_saves << " of them while a checkpoint was written; " << last << " steps");
  if (wanted_kills() >= 100) CHECK(kills_in_saves >= 30);
  return last;
}

// Trains to a step, saving after each one, from the latest checkpoint on.
void train_and_save(const std::string& directory, std::int64_t last) {
  kept_model m;
  fg::saver saver(m.g, {.directory = directory, .keep = 2});
  fg::session s{m.g};
  s.initialize();
  std::int64_t step = saver.restore_latest(s) ? s.run(fg::fetch(m.step)).scalar() : 0;
  while (step < last) {
    s.run(m.train);
    saver.save(s, ++step).value();
  }
}

}  // namespace

TEST_CASE("a program that is killed at any moment resumes from a whole checkpoint, and ends with the same bits") {
  const test_folder folder;
  const std::int64_t last = run_and_kill(
      3, folder.path(), [&](std::int64_t steps) { train_and_save(folder.path(), steps); },
      [&] {
        kept_model m;
        fg::saver saver(m.g, {.directory = folder.path()});
        fg::session s{m.g};
        const auto found = saver.restore_latest(s);  // whatever there is, is whole
        if (!found) CHECK(found.error().code() == fg::error_code::not_found);
        else CHECK(s.run(fg::fetch(m.step)).scalar() == *found);
      });
  kept_model resumed, whole;
  fg::session s{resumed.g}, expected{whole.g};
  CHECK(fg::saver(resumed.g, {.directory = folder.path()}).restore_latest(s).value() == last);
  expected.initialize();
  for (std::int64_t i = 0; i < last; ++i) expected.run(whole.train);
  CHECK(same(resumed.values(s), whole.values(expected)));
}

namespace {

// The same with a producer in a thread of its own, a queue that shuffles, and dropout.
void feed_train_and_save(const std::string& directory, std::int64_t last) {
  fed_model m;
  fg::saver saver(m.g, {.directory = directory, .keep = 2, .concurrent = true});
  fg::session s{m.g};
  s.initialize();
  const auto found = saver.restore_latest(s);
  std::int64_t step = found ? *found : 0;
  auto producer = producer_of(m, s);
  while (step < last) {
    s.run(m.train);
    saver.save(s, ++step).value();
  }
  s.run(m.end);
  producer.join();
}

}  // namespace

TEST_CASE("a program with a producer, a shuffled queue and dropout that is killed at any moment ends with the same bits") {
  const test_folder folder;
  const std::int64_t last =
      run_and_kill(5, folder.path(), [&](std::int64_t steps) { feed_train_and_save(folder.path(), steps); });
  fed_model resumed, whole;
  fg::session s{resumed.g}, expected{whole.g};
  CHECK(fg::saver(resumed.g, {.directory = folder.path()}).restore_latest(s).value() == last);
  expected.initialize();
  auto producer = producer_of(whole, expected);
  for (std::int64_t i = 0; i < last; ++i) expected.run(whole.train);
  CHECK(same(resumed.values(s), whole.values(expected)));
  expected.run(whole.end);
  producer.join();
}
#endif
