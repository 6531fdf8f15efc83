#include <flowgraph/train/scopes.hpp>

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

#include <cstring>

namespace fg = flowgraph;

namespace {

struct scoped_model {
  fg::graph g;
  fg::variable<float> a = g.variable("encoder/w", fg::tensor<float>(1.f)), b = g.variable("encoder_1/w", fg::tensor<float>(1.f)),
                      c = g.variable("head/w", fg::tensor<float>(1.f)),
                      d = g.variable("encoder/fixed", fg::tensor<float>(1.f), {.trainable = false});
  fg::out<float> loss = a * 1.f + b * 1.f + c * 1.f + d * 1.f;

  std::vector<float> after(fg::target train) {
    fg::session s{g};
    s.initialize();
    s.run(train);
    auto [x, y, z, w] = s.run(fg::fetch(a, b, c, d));
    return {x.scalar(), y.scalar(), z.scalar(), w.scalar()};
  }
};

}  // namespace

TEST_CASE("scopes are frozen for a while, and what was frozen before stays so") {
  scoped_model m;
  fg::target tune;
  {
    const fg::frozen_scopes frozen(m.g, {"encoder", "encoder/"});
    CHECK(frozen.variables() == fg::any_out_list{m.a});
    tune = fg::sgd{.rate = 1}.minimize(m.loss);
  }
  CHECK(m.after(tune) == std::vector<float>{1, 0, 0, 1});
  CHECK(m.g.trainable_variables() == fg::any_out_list{m.a, m.b, m.c});
  CHECK(m.after(fg::sgd{.rate = 1}.minimize(m.loss)) == std::vector<float>{0, 0, 0, 1});
}

TEST_CASE("scopes train each in its way") {
  scoped_model m;
  const auto parts = fg::sgd{.rate = 1}.gradients(m.loss);
  CHECK(fg::select_scopes(parts, {"encoder"}).size() == 1);
  CHECK(fg::select_scopes(parts, {"encoder", "head"}).size() == 2);
  CHECK(fg::select_scopes(parts, {""}).size() == 3);
  CHECK(fg::select_scopes(parts, {"enc"}).empty());
  auto both = fg::group(fg::sgd{.rate = 0.5f}.apply(fg::select_scopes(parts, {"encoder"})),
                        fg::sgd{.rate = 0.25f}.apply(fg::leave_out_scopes(parts, {"encoder"})));
  CHECK(m.after(both) == std::vector<float>{0.5f, 0.75f, 0.75f, 1});
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("a scope without variables is refused, and freezes nothing") {
  scoped_model m;
  try {
    const fg::frozen_scopes frozen(m.g, {"head", "haed"});
    FAIL("no error");
  } catch (const fg::error& e) {
    CHECK(e.code() == fg::error_code::not_found);
    CHECK(e.message() == "no variable is in the scope 'haed'");
    CHECK(std::strstr(e.where().file_name(), "scopes.cpp"));
  }
  CHECK(m.g.trainable_variables().size() == 3);
}
#endif
