// Ops by name, as files, tools and other languages speak. A registry leads from a name, types and attributes to a node.
//
//     7 ──> Mul ──> Scale ──> y        "Mul" is one of the library's, "Scale" is the program's own;
//     2 ─────^    factor = 3           both are known here by their names alone

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

// factor * x
struct scale {
  static constexpr std::string_view name = "Scale";
  using types = fg::type_list<float, double>;
  float factor = 1;
  static constexpr auto attrs = fg::attrs(fg::attr("factor", &scale::factor));

  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = T(factor) * x[i];
  }
  template <class T> fg::out<T> gradient(fg::out<T>, fg::out<T>, fg::out<T> dy) const { return fg::apply(scale{factor}, dy); }
};

int main() {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::add_op<scale>(ops).value();
  std::printf("%zu ops, %zu of them named Mul, by element type\n", ops.names().size(), ops.tables("Mul").size());

  fg::graph g;
  const auto seven = g.constant(7.f), two = g.constant(2.f);
  fg::node* product = fg::add_by_name(g, ops, {.op = "Mul", .inputs = {seven, two}}).value();
  fg::node* scaled = fg::add_by_name(g, ops, {.op = "Scale", .inputs = {{product, 0}}, .attributes = {{"factor", 3.f}}}).value();

  fg::session s{g};
  const float y = s.run(fg::fetch(fg::out<float>(scaled, 0))).scalar();
  std::printf("%s = %g\n", std::string(scaled->name).c_str(), y);

  // What is not known is refused, with what is.
  auto unknown = fg::add_by_name(g, ops, {.op = "Mull", .inputs = {seven, two}});
  auto untyped = fg::add_by_name(g, ops, {.op = "Scale", .inputs = {g.constant(1)}});
  auto wrong = fg::add_by_name(g, ops, {.op = "Scale", .inputs = {seven}, .attributes = {{"factor", std::string("three")}}});
  std::printf("%s\n%s\n%s\n", unknown.error().what(), untyped.error().what(), wrong.error().what());
  return y == 42 && !unknown && !untyped && !wrong ? 0 : 1;
}
