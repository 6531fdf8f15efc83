#include <flowgraph/ops/sampling/accidental_hits.hpp>

#include "../evaluate.hpp"

#include <limits>

using namespace ops_test;

TEST_CASE("a hit is named by its row and the last place of its class") {
  fg::graph g;
  const auto labels = g.placeholder<std::int64_t>("labels", {2, 2}), sampled = g.placeholder<std::int64_t>("sampled", {fg::any});
  const auto hits = fg::compute_accidental_hits(labels, sampled);
  fg::session s{g};
  const auto run = [&](const fg::tensor<std::int64_t>& drawn) {
    return s.run(fg::fetch(hits.rows, hits.places, hits.weights),
                 {{labels, fg::tensor<std::int64_t>({2, 2}, {7, 2, -3, 7})}, {sampled, drawn}});
  };
  const auto [rows, places, weights] = run(vector<std::int64_t>({7, 1, -3, 7}));
  CHECK(values(rows) == std::vector<std::int32_t>{0, 1, 1});
  CHECK(values(places) == std::vector<std::int64_t>{3, 2, 3});
  CHECK(values(weights) == std::vector<float>(3, std::numeric_limits<float>::lowest()));
  CHECK(std::get<0>(run(vector<std::int64_t>({0, 1}))).size() == 0);
  CHECK(std::get<0>(run(fg::tensor<std::int64_t>(fg::shape{0}))).size() == 0);
}

TEST_CASE("hits of many classes are found, and labels of another form refused") {
  std::vector<std::int64_t> all(5000), some;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i * 7 << 20);
  for (std::size_t i = 0; i < all.size(); i += 3) some.push_back(all[i]);
  const auto places = evaluate([](auto labels, auto sampled) { return fg::compute_accidental_hits(labels, sampled).places; },
                               fg::tensor<std::int64_t>({5000, 1}, all), fg::tensor<std::int64_t>({some.size()}, some));
  REQUIRE(places.size() == some.size());
  for (std::size_t i = 0; i < some.size(); ++i) CHECK(places.data()[i] == static_cast<std::int64_t>(i));
  fg::graph g;
  const auto row = g.placeholder<std::int64_t>("labels", {4});
  CHECK(says(refusal(g, [&] { fg::compute_accidental_hits(row, row); }), "true_classes must be a matrix with 1 columns"));
}
