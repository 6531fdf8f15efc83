// A sparse table at a task of a cluster: it trains with the bits of one process. Its contents cannot be saved from there: each way to
// save the state of the session refuses it by its name.

#include "../../formats/folder.hpp"
#include "../simulated_cluster.hpp"

#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/saver.hpp>

// Otherwise the tasks of tests have only the ops that cluster_ops.cpp lists.
#ifdef FLOWGRAPH_BY_NAME

using namespace flowgraph_test;

namespace {

// Without tasks, the graph requires no device.
struct far_table {
  fg::graph g;
  fg::sparse_table<float> table;
  fg::out<std::int64_t> size;
  fg::out<float> rows;
  fg::target train;

  explicit far_table(bool is_far) {
    const auto on = g.on_device(is_far ? on_worker(1) : std::string());
    table = fg::sparse_table<float>(g, {.columns = 2, .seed = 3, .initial_scale = 1});
    const auto keys = g.constant(fg::tensor<std::int64_t>({3}, {7, -9, 7}));
    rows = table.lookup(keys);
    train = fg::adagrad{.rate = 0.5f}.minimize(fg::sum(rows * rows));
    size = table.size();
  }
  std::vector<float> trained(fg::session& s) const {
    s.initialize();
    for (int step = 0; step < 3; ++step) s.run(train);
    const auto [found, count] = s.run(fg::fetch(rows, size));
    CHECK(count.scalar() == 2);
    return {found.begin(), found.end()};
  }
};

void check_refusal(const fg::error& why) {
  CHECK(why.code() == fg::error_code::unimplemented);
  CAPTURE(why.what());
  CHECK(std::string_view(why.what()).find("resource 'SparseTable") != std::string_view::npos);
  CHECK(std::string_view(why.what()).find("not in a task of a cluster") != std::string_view::npos);
}

}  // namespace

TEST_CASE("a sparse table at a task trains with the bits of one process, and the session's state refuses it by name") {
  const far_table far(true), here(false);
  simulated_cluster cluster(2);
  fg::session there{far.g, cluster.connect()}, local{here.g};
  CHECK(far.trained(there) == here.trained(local));

  const auto rest = there.try_pause();
  REQUIRE(rest.has_value());
  const auto state = there.try_save_state();
  REQUIRE_FALSE(state.has_value());
  check_refusal(state.error());
}

TEST_CASE("a saver does not leave out a sparse table of a task silently") {
  const test_folder folder;
  far_table far(true);
  simulated_cluster cluster(2, 2);
  fg::session there{far.g, cluster.connect()};
  far.trained(there);
  fg::saver saver(far.g, {.directory = folder / "kept"});
  const auto saved = saver.save(there, 1);
  REQUIRE_FALSE(saved.has_value());
  check_refusal(saved.error());
  CHECK_FALSE(std::filesystem::exists(folder / "kept/checkpoint"));
  // The table is as before.
  CHECK(there.run(fg::fetch(far.size)).scalar() == 2);
}

#endif
