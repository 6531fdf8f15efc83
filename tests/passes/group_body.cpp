#include <flowgraph/passes/group_elementwise.hpp>

#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include <algorithm>

#include "drafted.hpp"

using namespace engine;

namespace {

fg::tensor<float> fractions(const fg::shape& s) {
  fg::tensor<float> made(s);
  for (std::size_t i = 0; i < made.size(); ++i) made.writable()[i] = static_cast<float>(i % 1009) / 1009.f;
  return made;
}

// Two variables, and what a group computes from them: rows of v are reduced over axis `axis`.
struct changing_model {
  fg::graph g;
  fg::variable<float> v = g.variable("v", fractions({64, 8})), w = g.variable("w", fractions({64, 8}));
  fg::out<float> new_v = g.placeholder<float>("new_v", fg::shape::unknown()),
                 new_w = g.placeholder<float>("new_w", fg::shape::unknown());
  std::vector<fg::target> set{fg::apply(fg::assign_op{.validate_shape = false}, v, new_v),
                              fg::apply(fg::assign_op{.validate_shape = false}, w, new_w)};
  fg::out<float> t = fg::tanh(fg::identity(fg::out<float>(v))), centered, weighted;

  explicit changing_model(int axis)
      : centered(t - fg::mean(t, {axis}, true)),
        weighted(fg::sum(fg::tanh(fg::identity(fg::out<float>(v))), {axis}, true) * fg::identity(fg::out<float>(w))) {}

  // The bits of the result of a run and of a prepared step, after the variables have got these shapes.
  std::string bits(const fg::out<float>& y, const fg::shape& of_v, const fg::shape& of_w, const fg::pass_options& passes) {
    fg::session s{g, {.passes = passes}};
    s.initialize();
    s.run(set[0], {{new_v, fractions(of_v)}});
    s.run(set[1], {{new_w, fractions(of_w)}});
    std::string made;
    auto step = s.prepare(fg::feed(), fg::fetch(y));
    for (const fg::tensor<float>& found : {fg::tensor<float>(s.run(fg::fetch(y))), fg::tensor<float>(step())})
      made += to_string(found.shape()) + std::string(reinterpret_cast<const char*>(found.data()), found.size() * sizeof(float));
    return made;
  }
};

}  // namespace

TEST_CASE("group_body: a variable has another rank than it declares, and an axis that is not the last any more") {
  const fg::pass_options grouping{.further = {fg::passes::group_elementwise}};
  for (const int axis : {1, -1}) {
    CAPTURE(axis);
    changing_model m(axis);
    for (const auto& [y, group] : {std::pair{m.centered, "_Group(Tanh, Mean, Sub)"}, {m.weighted, "_Group(Tanh, Sum, Mul)"}}) {
      const auto told = fg::session(m.g, {.passes = grouping}).explain(fg::fetch(y));
      CHECK(std::ranges::any_of(told.nodes, [&](const fg::explained_node& n) { return n.op == group; }));
      for (const auto& [of_v, of_w] : std::vector<std::pair<fg::shape, fg::shape>>{
               {{64, 8}, {64, 8}},
               {{2, 64, 8}, {2, 1, 8}},
               {{3, 8, 8}, {3, 8, 8}},
               {{4, 8, 5, 1}, {4, 1, 5, 8}},  // in tiles, the sums would have the right shape
               {{1, 8}, {1, 8}}}) {
        CAPTURE(to_string(of_v));
        CHECK((m.bits(y, of_v, of_w, grouping) == m.bits(y, of_v, of_w, fg::pass_options::none())));
        CHECK((m.bits(y, of_v, of_w, {}) == m.bits(y, of_v, of_w, fg::pass_options::none())));
      }
    }
  }
}
