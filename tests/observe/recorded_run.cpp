#include <flowgraph/observe/recorded_run.hpp>

#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("recorded run: all tensors with iterations, and the fetched ones; a text of hashes that is read again") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto y = fg::exp(x, {"y"});
  auto [n] = fg::while_loop(
      std::tuple{g.constant(0.f)}, [](auto v) { return v < 2.f; }, [](auto v) { return std::tuple{v + 1.f}; });
  fg::session s{g, {.passes = fg::pass_options::none()}};
  const fg::any_out fetches[]{y, n};
  const fg::fed feeds[]{{x, fg::tensor<float>({2}, {0, 1})}};
  const fg::recorded_run run = fg::record_run(s, {.feeds = feeds, .fetches = fetches}).value();
  REQUIRE(run.fetched.size() == 2);
  CHECK(run.fetched[1].as<float>()[0] == 2);
  const fg::recorded_tensor* found = run.find("y");
  REQUIRE(found);
  CHECK(found->op == "Exp<float>");
  CHECK(found->value.as<float>()[0] == 1);
  CHECK(found->hash == fg::hash_of(run.fetched[0]));
  CHECK(run.find("x")->op == "feed");
  CHECK_FALSE(run.find("nothing"));
  std::size_t in_loop = 0;
  for (const auto& t : run.tensors()) in_loop += t.iteration.empty() ? 0 : 1;
  CHECK(in_loop >= 2 * 2);

  const fg::recorded_run light = fg::record_run(s, {.feeds = feeds, .fetches = fetches}, {.keep_values = false}).value();
  CHECK_FALSE(light.find("y")->value.has_value());
  CHECK(light.to_text() == run.to_text());
  const fg::recorded_run again = fg::recorded_run::from_text(run.to_text()).value();
  CHECK(again.to_text() == run.to_text());
  CHECK(again.find("y")->hash == found->hash);
  CHECK(again.find("y")->shape == fg::shape{2});
}

TEST_CASE("recorded run: text that to_text did not write is refused with its line") {
  const std::string good = "flowgraph hashes 1\n1f 1 1 2 1:y 10:Exp<float> 0:\n";
  CHECK(fg::recorded_run::from_text(good).has_value());
  for (std::size_t size = 0; size < good.size(); ++size)
    if (size != 19) CHECK_FALSE(fg::recorded_run::from_text(good.substr(0, size)).has_value());
  for (const char* bad : {"flowgraph hashes 1\n1f 99 0 1:y 1:z 0:\n", "flowgraph hashes 1\n1f 1 13 1:y 1:z 0:\n",
                          "flowgraph hashes 1\n1f 1 1 -2 1:y 1:z 0:\n",
                          "flowgraph hashes 1\n1f 1 0 99999999999999999999:y 1:z 0:\n", "flowgraph hashes 2\n", ""})
    CHECK_FALSE(fg::recorded_run::from_text(bad).has_value());
  CHECK(std::string(fg::recorded_run::from_text("flowgraph hashes 1\nq\n").error().message()).starts_with("line 2 "));
}

TEST_CASE(
    "recorded run: hashes tell types, shapes, signs of zero and borders of texts apart, and are the same on every machine") {
  const auto hash = [](const auto& t) { return fg::hash_of(t.erased()); };
  CHECK(hash(fg::tensor<float>({2}, {1, 2})) == hash(fg::tensor<float>({2}, {1, 2})));
  CHECK(hash(fg::tensor<float>({2}, {1, 2})) != hash(fg::tensor<float>({1, 2}, {1, 2})));
  CHECK(hash(fg::tensor<float>({1}, {0.f})) != hash(fg::tensor<float>({1}, {-0.f})));
  CHECK(hash(fg::tensor<std::int32_t>({1}, {0})) != hash(fg::tensor<float>({1}, {0.f})));
  CHECK(hash(fg::tensor<std::string>({2}, {"ab", "c"})) != hash(fg::tensor<std::string>({2}, {"a", "bc"})));
  CHECK(hash(fg::tensor<std::uint8_t>({3}, {1, 2, 3})) != hash(fg::tensor<std::uint8_t>({3}, {1, 2, 4})));
  CHECK(hash(fg::tensor<float>({2}, {1, 2})) == 10064375910846747290u);
}
