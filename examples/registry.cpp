// Ops by name, as an importer meets them: a registry leads from a name and types to a table, a table to a node.
//
//     "Mul", T = float ──> registry ──> op_table ──> node_request ──> node        2 ──> Mul ──> y
//                                                                                 21 ────^

#include <flowgraph/flowgraph.hpp>

#include <cstddef>
#include <cstdio>

namespace fg = flowgraph;

// Adds a node of op `name` for elements of `type`. The op's attributes keep their defaults.
static fg::result<fg::node*> add(fg::graph& g, const fg::registry& ops, std::string_view name, fg::dtype type,
                                 std::span<const fg::any_out> inputs) {
  const fg::type_binding types[]{{"T", type}};
  auto found = ops.find(name, types);
  if (!found) return found.error();

  const fg::op_table& table = **found;
  alignas(std::max_align_t) std::byte op[256];
  if (table.size > sizeof(op)) return fg::error(fg::error_code::internal, "the op's attributes are larger than expected");
  table.construct(op);
  fg::node_request request;
  request.table = &table;
  request.op = op;
  request.inputs = inputs;
  auto made = g.try_add(request, {});
  table.destroy(op);
  return made;
}

int main() {
  fg::registry ops;
  fg::add_ops<fg::math_ops>(ops).value();
  std::printf("%zu ops, among them %zu tables of Mul\n", ops.names().size(), ops.tables("Mul").size());

  fg::graph g;
  const fg::any_out inputs[]{g.constant(2.f), g.constant(21.f)};
  fg::node* product = add(g, ops, "Mul", fg::dtype::float32, inputs).value();

  fg::session s{g};
  const float y = s.run(fg::fetch(fg::out<float>(product, 0))).scalar();
  std::printf("%s = %g\n", std::string(product->name).c_str(), y);

  // What is not there is an error that lists what is.
  auto unknown = add(g, ops, "Mul", fg::dtype::string, inputs);
  auto mistyped = add(g, ops, "Mul", fg::dtype::int32, inputs);
  std::printf("%s\n%s\n", unknown.error().what(), mistyped.error().what());
  return y == 42 && !unknown && !mistyped ? 0 : 1;
}
