#include <flowgraph/ops/lookup/lookup_table.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/lookup/hash_table.hpp>

namespace fg = flowgraph;

TEST_CASE("a handle that names no table, or a table of other types, is an error that says so") {
  fg::graph g;
  fg::fifo_queue<float> q(g);
  fg::hash_table<std::int32_t, float> t(g);
  const fg::lookup_table<std::int64_t, float> wrong(q.handle()), mistyped(t.handle());
  const auto keys = g.constant(fg::tensor<std::int64_t>({1}, {1}));
  const auto none = wrong.find(keys, 0.f), other = mistyped.find(keys, 0.f);
  fg::session s{g};
  CHECK(s.try_run(fg::fetch(none)).error().code() == fg::error_code::invalid_argument);
  CHECK(s.try_run(fg::fetch(other)).error().code() == fg::error_code::invalid_argument);
}
