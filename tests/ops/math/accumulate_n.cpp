#include <flowgraph/ops/math/accumulate_n.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("the inputs decide the shape of the sum") {
  fg::graph g;
  auto x = g.placeholder<std::int32_t>("x", {2});
  auto y = fg::apply(fg::accumulate_n_v2_op{2, {3}}, fg::out_list<std::int32_t>{x, x});
  CHECK(y.shape() == fg::shape{2});
  fg::session s{g};
  CHECK(values(s.run(fg::fetch(y), {{x, vector<std::int32_t>({1, 5})}})) == std::vector<std::int32_t>{2, 10});
}
