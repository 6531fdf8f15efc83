#include "symbolic_gradient.hpp"

#include <flowgraph/graph/by_name.hpp>
#include <flowgraph/graph/gradients.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

result<any_out> add(const graph& g, const registry& ops, std::string op, std::vector<any_out> inputs,
                    std::vector<std::pair<std::string, attribute_value>> attributes, const site& s) {
  named_node wanted;
  wanted.op = std::move(op);
  wanted.inputs = std::move(inputs);
  wanted.attributes = std::move(attributes);
  auto result = add_by_name(g, ops, wanted, {"", s.location});
  if (!result) return result.error();
  return any_out{*result, 0};
}

result<any_out> dense(const graph& g, const registry& ops, const any_slices& slices, const site& s) {
  auto integers = [&](tensor<std::int64_t> value) {
    return add(g, ops, "Const", {}, {{"dtype", dtype::int64}, {"value", std::move(value).erased()}}, s);
  };
  const auto zero = integers(tensor<std::int64_t>(std::int64_t{0})), one = integers(tensor<std::int64_t>(std::int64_t{1}));
  if (!zero || !one) return zero ? one : zero;
  const auto rows = add(g, ops, "GatherV2", {slices.dense_shape, *zero, *zero}, {}, s);
  if (!rows) return rows;
  return add(g, ops, "UnsortedSegmentSum", {slices.values, slices.indices, *rows}, {}, s);
}

}  // namespace

result<std::vector<any_out>> add_gradients(const graph& g, const registry& ops, std::span<const any_out> outputs,
                                           std::span<const any_out> inputs, std::span<const any_out> arrived,
                                           const site& name) try {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (arrived[i].is_usable() && arrived[i].type() != outputs[i].type())
      return detail::invalid_argument({"the gradient of output ", i, " must be ", name_of(outputs[i].type()), ", found ",
                                       arrived[i].name(), " of type ", name_of(arrived[i].type())});
  const auto below = graph(g).in_scope(name.name);
  const site here{"", name.location};
  std::vector<any_out> losses;
  gradient_list starts;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!is_differentiable(outputs[i].type())) continue;
    losses.push_back(outputs[i]);
    starts.push_back(arrived[i]);
  }
  detail::sequence<gradient_list> parts(inputs.size());
  if (!losses.empty()) {
    auto found = gradient_contributions(losses, inputs, {.starts = starts, .allow_none = true}, here);
    if (!found) return found.error();
    parts = *std::move(found);
  }
  std::vector<any_out> outcome;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const node& n = *inputs[i].source;
    any_grad sum;
    if (n.op->sum) n.op->sum(n, inputs[i].port, parts[i], sum);
    auto one = sum.kind == any_grad::form::dense    ? result<any_out>(sum.dense)
               : sum.kind == any_grad::form::slices ? dense(g, ops, sum.slices, here)
                                                    : add(g, ops, "ZerosLike", {inputs[i]}, {}, here);
    if (!one) return one.error();
    outcome.push_back(*one);
  }
  return outcome;
} catch (const error& why) {  // gradients of ops throw their errors, as programs do when they build graphs
  return why;
}

}  // namespace flowgraph::protobuf
