#pragma once

#include <flowgraph/observe/graph_part.hpp>
#include <flowgraph/observe/impl/difference.hpp>
#include <flowgraph/observe/model_account.hpp>

#include <algorithm>
#include <map>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class accountant {
public:
  void count(const node& n) {
    if (n.op->description->constant || n.op->description->placeholder) return add(n, {.nodes = 1});
    account_row row{.nodes = 1};
    if (n.op->of_variable == variable_role::reference || n.op->of_variable == variable_role::handle) {
      const shape extents = extents_of(n);
      if (extents.is_known()) row.parameters = static_cast<std::uint64_t>(extents.size());
      else forget(n, row);
    } else if (n.op->control == control_flow::none && !n.op->alias && !n.op->passes_value && n.op->kernel.run) {
      count_work(n, row);
    }
    if (n.op->control == control_flow::enter)
      if (const attribute_value name = attribute_of(n, "frame_name"); const std::string* frame = name.get<std::string>())
        if (std::find(result_.in_loops.begin(), result_.in_loops.end(), *frame) == result_.in_loops.end())
          result_.in_loops.push_back(*frame);
    add(n, row);
  }
  model_account take() {
    for (auto& [scope, row] : rows_) result_.rows.push_back(std::move(row));
    return std::move(result_);
  }

private:
  static shape extents_of(const node& n) {
    const attribute_value declared = attribute_of(n, "shape");
    const shape* const extents = declared.get<shape>();
    return n.op->of_variable == variable_role::handle && extents ? *extents : n.outputs[0].shape;
  }
  void forget(const node& n, account_row& row) {
    row.unknown = 1;
    result_.unknown.emplace_back(n.name);
  }
  // The shape of an operand may be unknown if no figure depends on it.
  void count_work(const node& n, account_row& row) {
    std::vector<shape> inputs, outputs;
    bool are_known = true;
    for (const edge& e : n.inputs) inputs.push_back(e.from->outputs[e.port].shape);
    for (const output_info& o : n.outputs) outputs.push_back(o.shape);
    for (const auto* list : {&inputs, &outputs})
      for (const shape& s : *list) are_known = are_known && s.is_known();
    if (!are_known) return forget(n, row);
    const work_figure& work = n.op->description->work;
    if (!work.is_declared()) {
      for (const shape& s : outputs) row.operations += static_cast<double>(s.size());
      return;
    }
    row.operations = work.operations(inputs, outputs);
    // An op with two operations per pair of elements multiplies and adds.
    if (work.operations({}, {}) == 2) row.multiply_adds = static_cast<std::uint64_t>(row.operations / 2);
  }
  void add(const node& n, const account_row& row) {
    for (std::size_t end = 0; end != std::string_view::npos;) {
      account_row& sum = rows_[parts_of(n.name.substr(0, end))];
      sum.scope = n.name.substr(0, end);
      sum.nodes += row.nodes;
      sum.parameters += row.parameters;
      sum.multiply_adds += row.multiply_adds;
      sum.operations += row.operations;
      sum.unknown += row.unknown;
      end = end == n.name.size() ? std::string_view::npos : std::min(n.name.find('/', end + 1), n.name.size());
    }
  }
  // Splits a name, so that a scope precedes its contents, and these precede the next scope.
  static std::vector<std::string> parts_of(std::string_view name) {
    std::vector<std::string> names;
    while (!name.empty()) {
      const std::size_t slash = std::min(name.find('/'), name.size());
      names.emplace_back(name.substr(0, slash));
      name.remove_prefix(std::min(slash + 1, name.size()));
    }
    return names;
  }

  std::map<std::vector<std::string>, account_row> rows_;
  model_account result_;
};

}  // namespace detail

FLOWGRAPH_INLINE const account_row* model_account::find(std::string_view scope) const {
  for (const account_row& row : rows)
    if (row.scope == scope) return &row;
  return nullptr;
}

FLOWGRAPH_INLINE result<model_account> account_of(const graph& g, std::span<const any_out> outputs,
                                                  std::span<const fed_shape> feeds) {
  // Nodes that only initializers need are not part of the model.
  auto part = cut_part(g, outputs, feeds);
  if (!part) return part.error();
  std::vector<char> needed(part->graph.size(), false);
  std::vector<const node*> open;
  const auto need = [&](const node* n) {
    if (!std::exchange(needed[n->id], true)) open.push_back(n);
  };
  for (const any_out& o : part->fetches) need(o.source);
  while (!open.empty()) {
    const node* const n = open.back();
    open.pop_back();
    for (const edge& e : n->inputs) need(e.from);
    for (const node* c : n->control_inputs) need(c);
  }
  detail::accountant counts;
  for (std::size_t id = 0; id < needed.size(); ++id)
    if (needed[id]) counts.count(*part->graph.at(id));
  return counts.take();
}

FLOWGRAPH_INLINE std::string to_text(const model_account& account, int depth) {
  std::vector<std::array<std::string, 5>> lines{{"scope", "nodes", "parameters", "multiply-adds", "operations"}};
  for (const account_row& row : account.rows) {
    const auto level = row.scope.empty() ? 0 : 1 + static_cast<int>(std::count(row.scope.begin(), row.scope.end(), '/'));
    const bool is_scope = row.nodes > 1 || row.parameters > 0 || row.multiply_adds > 0;
    if (level > depth || !is_scope) continue;
    const std::string more = row.unknown ? "+" : "";
    const std::string name = row.scope.empty() ? "(all)" : row.scope.substr(row.scope.rfind('/') + 1);
    lines.push_back({std::string(static_cast<std::size_t>(2 * level), ' ') + name, std::to_string(row.nodes),
                     std::to_string(row.parameters) + more, std::to_string(row.multiply_adds) + more,
                     detail::number_text(row.operations, 6) + more});
  }
  std::array<std::size_t, 5> widths{};
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  std::string text;
  for (const auto& line : lines) {
    std::string result = line[0] + std::string(widths[0] - line[0].size(), ' ');
    for (std::size_t c = 1; c < line.size(); ++c) result += "  " + std::string(widths[c] - line[c].size(), ' ') + line[c];
    text += result + '\n';
  }
  if (!account.unknown.empty())
    text += message{account.unknown.size(), " nodes have shapes that only a run tells, the first is ", account.unknown[0], '\n'}
                .string();
  for (const std::string& loop : account.in_loops)
    text += message{"loop ", loop, ": its nodes count as if they ran once\n"}.string();
  return text;
}

FLOWGRAPH_INLINE std::vector<std::string> faults_of(const model_account& account, std::span<const stated_scope> stated) {
  std::vector<std::string> names;
  for (const stated_scope& s : stated) {
    const std::string scope = s.scope.empty() ? "(all)" : s.scope;
    const account_row* const row = account.find(s.scope);
    if (!row) {
      names.push_back(message{scope, ": there is no such scope"});
      continue;
    }
    const auto compare = [&](std::string_view what, std::uint64_t found, const std::optional<std::uint64_t>& expected) {
      if (!expected || *expected == found) return;
      const char* const least = row->unknown ? "at least " : "";
      names.push_back(message{scope, ": ", least, found, ' ', what, ", stated ", *expected});
    };
    compare("parameters", row->parameters, s.parameters);
    compare("multiply-adds", row->multiply_adds, s.multiply_adds);
  }
  return names;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
