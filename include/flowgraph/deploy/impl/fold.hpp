#pragma once
// What depends on constants alone, computed once and put in its place.

#include <flowgraph/deploy/freeze.hpp>
#include <flowgraph/deploy/impl/graph_copy.hpp>

#include <algorithm>
#include <unordered_map>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class folder {
public:
  folder(const graph& g, const freeze_options& options) : graph_(g), options_(options), copy_(g) {}

  result<graph> fold(std::span<const any_out> fetches) {
    compute(fetches);
    const auto needed = needed_by(
        fetches, copy_.nodes().size(), [&](const node& n) { return is_replaced(n); },
        [&](const edge& e) { return is_known(behind(e)) ? behind(e) : e; });
    for (const node* n : copy_.nodes())
      if (needed[n->id])
        if (error why = put(*n)) return why;
    return copy_.finish();
  }

private:
  // May its value take the node's place? A node that waits for others may be dead, or in a loop.
  static bool may_fold(const node& n) {
    const op_table& t = *n.op;
    if (t.stateful || t.counts_runs || t.per_run || t.async_kernel || t.placeholder || t.constant ||
        t.control != control_flow::none)
      return false;
    if (t.name == "PlaceholderWithDefault" || !(t.kernel || t.alias) || n.outputs.empty() || !n.control_inputs.empty())
      return false;
    return std::none_of(n.outputs.begin(), n.outputs.end(), [](const output_info& o) {
      return o.is_reference || o.type == dtype::resource || o.type == dtype::variant;
    });
  }
  // Hands its input on as it is: who reads it can read the constant behind it, which then stands once in the graph.
  static bool only_passes(const node& n) {
    const std::string_view op = n.op->name;
    return n.control_inputs.empty() && (op == "Identity" || op == "StopGradient" || op == "PreventGradient");
  }
  edge behind(edge e) const {
    while (only_passes(*e.from)) e = e.from->inputs[0];
    return e;
  }
  bool is_known(const edge& e) const { return is_free(*e.from) || values_.contains(e.from->id); }
  bool is_replaced(const node& n) const { return values_.contains(n.id) && !kept_.contains(n.id); }
  const any_tensor& value_of(const edge& e) const {
    const auto folded = values_.find(e.from->id);
    return folded != values_.end() ? folded->second[e.port] : *e.from->op->constant(e.from->attributes);
  }

  // The values of nodes, in the order of their creation. What fails, or is too large, stays a node.
  void compute(std::span<const any_out> fetches) {
    for (const any_out& o : fetches)
      if (o.source->outputs.size() > 1) kept_.emplace(o.source->id, true);  // a constant has one output
    std::size_t constants = 0;
    for (const node* n : copy_.nodes())
      if (is_free(*n)) constants += n->op->constant(n->attributes)->bytes();
    const std::size_t limit_of_all = options_.folded_bytes < (std::size_t{1} << 40) ? 2 * (options_.folded_bytes + constants) : 0;
    session s(graph_, {.memory_limit = limit_of_all});
    for (node* n : copy_.nodes()) {
      if (!may_fold(*n) || only_passes(*n)) continue;
      if (!std::all_of(n->inputs.begin(), n->inputs.end(), [&](const edge& e) { return is_known(behind(e)); })) continue;
      std::size_t limit = options_.folded_bytes, known = 0, read = 0;
      for (const edge& e : n->inputs) read += value_of(behind(e)).bytes();
      limit = std::max(limit, read);
      for (const output_info& o : n->outputs)
        if (o.shape.is_known()) known += static_cast<std::size_t>(o.shape.size()) * size_of(o.type);
      if (known > limit) continue;
      if (auto made = run(s, *n)) {
        std::size_t bytes = 0;
        for (const any_tensor& t : *made) bytes += t.bytes();
        if (bytes <= limit) values_.emplace(n->id, *std::move(made));
      }
    }
  }
  result<std::vector<any_tensor>> run(session& s, node& n) {
    std::vector<fed> feeds;
    std::vector<any_out> outputs;
    for (const edge& e : n.inputs) {
      const any_out where{e.from, e.port};
      if (std::none_of(feeds.begin(), feeds.end(), [&](const fed& f) { return f.where == where; }))
        feeds.push_back({where, value_of(behind(e))});
    }
    for (std::uint32_t port = 0; port < n.outputs.size(); ++port) outputs.push_back({&n, port});
    auto made = s.try_run(run_request{.feeds = feeds, .fetches = outputs});
    if (!made) return made.error();
    std::vector<any_tensor> own;
    for (const any_tensor& t : *made) {  // the session's memory ends with it
      auto kept = t.copy();
      if (!kept) return kept.error();
      own.push_back(*std::move(kept));
    }
    return own;
  }

  error put(const node& n) {
    if (is_replaced(n)) {
      auto made = copy_.add_constant(n, values_.at(n.id)[0], n.op->sum);
      return made ? error() : made.error();
    }
    std::vector<any_out> inputs;
    for (const edge& e : n.inputs) {
      auto from = input(e);
      if (!from) return from.error();
      inputs.push_back(*from);
    }
    auto made = copy_.add(n, *n.op, n.attributes, inputs);
    return made ? error() : made.error();
  }
  // What a node reads now: the constant behind an Identity, a constant of its own for an output beyond the first one.
  result<any_out> input(const edge& e) {
    const edge source = behind(e);
    if (!is_known(source)) return copy_.at(e);
    if (values_.contains(source.from->id) && (source.port > 0 || kept_.contains(source.from->id))) {
      any_out& part = parts_[{source.from->id, source.port}];
      if (!part.source) {
        auto made = copy_.add_part(*source.from, message{"output_", source.port}.string(), value_of(source));
        if (!made) return made.error();
        part = any_out{*made, 0};
      }
      return part;
    }
    return copy_.at(source);
  }

  struct hash {
    std::size_t operator()(const std::pair<std::uint32_t, std::uint32_t>& e) const noexcept {
      return e.first * std::size_t{31} + e.second;
    }
  };

  const graph& graph_;
  const freeze_options& options_;
  graph_copy copy_;
  std::unordered_map<std::uint32_t, std::vector<any_tensor>> values_;  // by node id: all outputs
  std::unordered_map<std::uint32_t, bool> kept_;                       // nodes that stay though their values are known
  std::unordered_map<std::pair<std::uint32_t, std::uint32_t>, any_out, hash> parts_;
};

}  // namespace detail

}
}  // namespace flowgraph
