#include <flowgraph/ops/state/scatter.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

struct rows {
  fg::graph g;
  fg::variable<float> w = g.variable("w", fg::tensor<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  fg::out<std::int32_t> i = g.placeholder<std::int32_t>("i", fg::shape::unknown());
  fg::out<float> u = g.placeholder<float>("u", fg::shape::unknown());
  fg::session s{g};

  std::vector<float> run(const fg::out<float>& change, const fg::tensor<std::int32_t>& indices,
                         const fg::tensor<float>& updates) {
    s.initialize();
    const fg::tensor<float> made = s.run(fg::fetch(change), {{i, indices}, {u, updates}});
    return {made.begin(), made.end()};
  }
};

}  // namespace

TEST_CASE("rows are set, grow and shrink; a row named twice gets both updates") {
  rows r;
  const fg::tensor<std::int32_t> twice({3}, {3, 0, 3});
  const fg::tensor<float> updates({3, 2}, {10, 20, 30, 40, 50, 60});
  CHECK(r.run(fg::scatter_update(r.w, r.i, r.u), twice, updates) == std::vector<float>{30, 40, 3, 4, 5, 6, 50, 60});
  CHECK(r.run(fg::scatter_add(r.w, r.i, r.u), twice, updates) == std::vector<float>{31, 42, 3, 4, 5, 6, 67, 88});
  CHECK(r.run(fg::scatter_sub(r.w, r.i, r.u), twice, updates) == std::vector<float>{-29, -38, 3, 4, 5, 6, -53, -72});
}

TEST_CASE("one update for all rows, indices of any shape, and none") {
  rows r;
  auto add = fg::scatter_add(r.w, r.i, r.u);
  CHECK(r.run(add, fg::tensor<std::int32_t>({2}, {1, 1}), 10.f) == std::vector<float>{1, 2, 23, 24, 5, 6, 7, 8});
  CHECK(r.run(add, 2, fg::tensor<float>({2}, {1, 2})) == std::vector<float>{1, 2, 3, 4, 6, 8, 7, 8});
  CHECK(r.run(add, fg::tensor<std::int32_t>(fg::shape{0}), fg::tensor<float>(fg::shape{0, 2})) ==
        std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("an index out of range or updates of a wrong shape change nothing") {
  rows r;
  auto add = fg::scatter_add(r.w, r.i, r.u);
  r.s.initialize();
  auto refused = [&](const fg::tensor<std::int32_t>& indices, const fg::tensor<float>& updates, std::string_view text) {
    const auto result = r.s.try_run(fg::fetch(add), {{r.i, indices}, {r.u, updates}});
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == fg::error_code::invalid_argument);
    CHECK(result.error().message().find(text) != std::string_view::npos);
    CHECK(r.s.run(fg::fetch(r.w))[0] == 1.f);
  };
  refused(fg::tensor<std::int32_t>({2}, {0, 4}), fg::tensor<float>({2, 2}, {1, 1, 1, 1}), "indices[1] = 4 is not in [0, 4)");
  refused(fg::tensor<std::int32_t>({1, 2}, {0, -1}), 1.f, "indices[0,1] = -1 is not in [0, 4)");
  refused(fg::tensor<std::int32_t>({1}, {0}), fg::tensor<float>({2, 2}, {1, 1, 1, 1}), "[1,2], or a scalar");
}

TEST_CASE("the same bits on any number of threads") {
  auto run = [](fg::thread_pool* pool) {
    fg::graph g;
    auto w = g.variable("w", fg::zeros<float>({3, 50001}));
    auto u = g.placeholder<float>("u", {5, 50001});
    auto add = fg::scatter_add(w, g.constant(fg::tensor<std::int64_t>({5}, {2, 0, 2, 2, 0})), u);
    fg::session s{g, {.pool = pool}};
    s.initialize();
    fg::tensor<float> updates({5, 50001});
    float x = 0.1f;
    for (float& e : updates.writable()) e = x = x * 3.7f * (1 - x);
    return fg::tensor<float>(s.run(fg::fetch(add), {{u, updates}}));
  };
  fg::thread_pool pool(4);
  const auto alone = run(nullptr), together = run(&pool);
  std::size_t different = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) different += alone[i] != together[i];
  CHECK(different == 0);
  CHECK(alone[0] != 0.f);
}
