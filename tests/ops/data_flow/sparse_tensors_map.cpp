#include <flowgraph/ops/data_flow/sparse_tensors_map.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;

TEST_CASE("sparse tensors are laid down and taken away by their numbers, once") {
  fg::graph g;
  fg::add_sparse_to_tensors_map_op add;
  fg::take_many_sparse_from_tensors_map_op take;
  add.shared_name = take.shared_name = "map";
  const auto indices = g.placeholder<std::int64_t>("indices", {fg::any, 1});
  const auto values = g.constant(fg::tensor<float>({2}, {5, 6}));
  const auto handle = fg::apply(add, indices, values, g.constant(fg::tensor<std::int64_t>({1}, {9})));
  const auto handles = g.placeholder<std::int64_t>("handles", {fg::any});
  const auto [places, elements, extents] = fg::apply_as<float>(fg::site{}, take, handles);
  fg::session s{g};
  const auto number = s.run(fg::fetch(handle), {{indices, fg::tensor<std::int64_t>({2, 1}, {3, 4})}}).scalar();
  const fg::tensor<std::int64_t> numbers({1}, {number});
  {
    auto [p, e, x] = s.run(fg::fetch(places, elements, extents), {{handles, numbers}});
    CHECK(std::vector<std::int64_t>(p.begin(), p.end()) == std::vector<std::int64_t>{0, 3, 0, 4});
    CHECK(std::vector<float>(e.begin(), e.end()) == std::vector<float>{5, 6});
    CHECK(std::vector<std::int64_t>(x.begin(), x.end()) == std::vector<std::int64_t>{1, 9});
  }
  CHECK(s.try_run(fg::fetch(extents), {{handles, numbers}}).error().code() == fg::error_code::invalid_argument);
  const auto cut = s.try_run(fg::fetch(handle), {{indices, fg::tensor<std::int64_t>({1, 1}, {3})}});
  CHECK(cut.error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("a prepared step writes the number of a sparse tensor to its own memory") {
  fg::graph g;
  const auto indices = g.constant(fg::tensor<std::int64_t>({1, 1}, {3}));
  const auto values = g.constant(fg::tensor<float>({1}, {5}));
  const auto handle =
      fg::apply(fg::add_sparse_to_tensors_map_op{}, indices, values, g.constant(fg::tensor<std::int64_t>({1}, {9})));
  fg::session s{g};
  auto step = s.prepare(fg::feed(), fg::fetch(handle));
  for (const std::int64_t expected : {0, 1, 2}) CHECK(step().scalar() == expected);
}

TEST_CASE("many sparse tensors are laid down only if their indices are in order, different and inside") {
  fg::graph g;
  fg::add_many_sparse_to_tensors_map_op add;
  const auto indices = g.placeholder<std::int64_t>("indices", {2, 2});
  const auto handles =
      fg::apply(add, indices, g.constant(fg::tensor<float>({2}, {5, 6})), g.constant(fg::tensor<std::int64_t>({2}, {2, 3})));
  fg::session s{g};
  const auto laid = [&](std::vector<std::int64_t> at) {
    return s.try_run(fg::fetch(handles), {{indices, fg::tensor<std::int64_t>({2, 2}, at)}}).has_value();
  };
  CHECK(laid({0, 1, 0, 2}));
  CHECK_FALSE(laid({0, 1, 0, 1}));
  CHECK_FALSE(laid({0, 2, 0, 1}));
  CHECK_FALSE(laid({0, 1, 1, 3}));
}
