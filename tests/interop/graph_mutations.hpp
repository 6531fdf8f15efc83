#pragma once
// Changes to a graph that was good, by seed: what the nodes of a file say of themselves and of each other stops being true.

#include "random_values.hpp"

#include <flowgraph/interop/graph_def.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace fuzz_targets {

class graph_mutations {
public:
  explicit graph_mutations(random_values& random) : random_(random) {}

  // One to three changes.
  void change(fg::graph_def& g) {
    for (std::size_t n = 1 + random_.below(3); n > 0 && !g.nodes.empty(); --n) change_once(g);
  }

private:
  using node_def = fg::node_def;
  using attribute_def = fg::attribute_def;

  void change_once(fg::graph_def& g) {
    node_def& n = random_.of(g.nodes);
    switch (random_.below(12)) {
      case 0: return swap_attributes(n, random_.of(g.nodes));
      case 1: return rewire(g, n);
      case 2: return change_inputs(n);
      case 3: return change_op(g, n);
      case 4: return add_or_drop(g, n);
      case 5: return change_function(g);
      case 6:
      case 7: return change_constant(g);
      default: return change_attribute(n);
    }
  }

  // Of one name where both nodes have it, else of any: also of another kind.
  void swap_attributes(node_def& a, node_def& b) {
    if (a.attributes.empty() || b.attributes.empty()) return;
    attribute_def& from = random_.of(a.attributes);
    attribute_def* to = &random_.of(b.attributes);
    if (!random_.one_in(4))
      for (attribute_def& other : b.attributes)
        if (other.name == from.name) to = &other;
    std::swap(from.kind, to->kind);
    std::swap(from.value, to->value);
  }

  void rewire(const fg::graph_def& g, node_def& n) {
    if (n.inputs.empty()) return;
    const node_def& from = random_.of(g.nodes);
    std::string& input = random_.of(n.inputs);
    const bool control = input.starts_with('^') != random_.one_in(8);
    input = control ? '^' + from.name : random_.one_in(3) ? from.name + ':' + std::to_string(random_.below(3)) : from.name;
  }

  void change_inputs(node_def& n) {
    if (n.inputs.empty()) return;
    const auto at = n.inputs.begin() + static_cast<std::ptrdiff_t>(random_.below(n.inputs.size()));
    switch (random_.below(3)) {
      case 0: n.inputs.erase(at); break;
      case 1: n.inputs.insert(at, std::string(*at)); break;
      default: std::swap(*at, random_.of(n.inputs));
    }
  }

  // That of another node: often its kin, since groups of recorded graphs are of one.
  void change_op(const fg::graph_def& g, node_def& n) {
    const node_def& other = random_.of(g.nodes);
    n.op = other.op;
    if (random_.one_in(2)) n.attributes = other.attributes;
  }

  void add_or_drop(fg::graph_def& g, node_def& n) {
    if (random_.one_in(2)) {
      node_def more = n;
      more.name += "_again";
      if (random_.one_in(2)) rewire(g, more);
      g.nodes.push_back(std::move(more));
    } else if (!n.attributes.empty()) {
      n.attributes.erase(n.attributes.begin() + static_cast<std::ptrdiff_t>(random_.below(n.attributes.size())));
    }
  }

  void change_function(fg::graph_def& g) {
    if (g.library.empty()) return change_constant(g);
    char& c = random_.of(g.library);
    c = random_.one_in(2) ? static_cast<char>(random_.below(256)) : static_cast<char>(c ^ (1 << random_.below(8)));
  }

  void change_constant(fg::graph_def& g) {
    std::vector<attribute_def*> tensors;
    for (node_def& n : g.nodes)
      for (attribute_def& a : n.attributes)
        if (a.value.get<fg::any_tensor>()) tensors.push_back(&a);
    if (!tensors.empty()) change_tensor(*random_.of(tensors));
  }
  void change_tensor(attribute_def& a) {
    const fg::any_tensor& held = *a.value.get<fg::any_tensor>();
    fg::any_tensor made;
    switch (random_.below(4)) {
      case 0: made = random_.tensor(random_.type(), held.shape(), heap()); break;
      case 1: made = random_.tensor(held.type(), random_.shape_like(held.shape()), heap()); break;
      case 2: made = cut(held); break;
      default:
        if (auto copy = held.copy(heap())) made = *std::move(copy);
        if (made.has_value()) random_.set(made, 1 + random_.below(3));
    }
    if (made.has_value()) a.value = made;
  }
  // As its bytes say after one of them has changed or the last ones are gone.
  fg::any_tensor cut(const fg::any_tensor& held) {
    auto written = fg::write_tensor(held);
    if (!written || written->empty()) return {};
    if (random_.one_in(2)) written->resize(random_.below(written->size()));
    else random_.of(*written) = static_cast<char>(random_.below(256));
    auto read = fg::read_tensor(std::as_bytes(std::span(*written)), {.expanded_bytes = 1 << 16, .nesting = 32});
    return read ? *std::move(read) : fg::any_tensor();
  }

  void change_attribute(node_def& n) {
    if (n.attributes.empty()) return;
    attribute_def& a = random_.of(n.attributes);
    if (a.kind != attribute_def::form::value) return;
    fg::attribute_value& v = a.value;
    if (const auto* i = v.get<std::int64_t>()) v = random_.one_in(3) ? random_.integer() : beside(*i);
    else if (v.get<float>()) v = static_cast<float>(random_.real());
    else if (const auto* b = v.get<bool>()) v = !*b;
    else if (const auto* s = v.get<std::string>()) v = other_text(*s);
    else if (v.get<fg::dtype>()) v = random_.type();
    else if (const auto* e = v.get<fg::shape>()) v = random_.shape_like(*e);
    else if (v.get<fg::any_tensor>()) change_tensor(a);
    else if (const auto* is = v.get<std::vector<std::int64_t>>()) v = other_list(*is, [&](auto) { return random_.integer(); });
    else if (const auto* ts = v.get<std::vector<fg::dtype>>()) v = other_list(*ts, [&](auto) { return random_.type(); });
    else if (const auto* es = v.get<std::vector<fg::shape>>())
      v = other_list(*es, [&](auto item) { return random_.shape_like(item); });
    else if (const auto* fs = v.get<std::vector<float>>())
      v = other_list(*fs, [&](auto) { return static_cast<float>(random_.real()); });
    else if (const auto* ss = v.get<std::vector<std::string>>()) v = other_list(*ss, [&](auto item) { return other_text(item); });
  }
  // One more or one less, which wraps around.
  std::int64_t beside(std::int64_t n) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(n) + (random_.one_in(2) ? 1u : ~std::uint64_t{0}));
  }
  // An item changed, put in or taken out.
  template <class T, class F> std::vector<T> other_list(std::vector<T> list, F&& changed) {
    const std::size_t at = random_.below(list.size() + 1);
    const auto where = list.begin() + static_cast<std::ptrdiff_t>(at);
    if (at == list.size() || random_.one_in(4)) list.insert(where, changed(list.empty() ? T{} : T(list.front())));
    else if (random_.one_in(3)) list.erase(where);
    else list[at] = changed(T(list[at]));
    return list;
  }
  std::string other_text(const std::string& text) {
    static constexpr std::string_view known[] = {"",      "SAME",     "VALID", "NHWC",    "NCHW",
                                                 "NDHWC", "EXPLICIT", "frame", "min_max", "ij,jk->ik"};
    return random_.one_in(4) && !text.empty() ? text.substr(random_.below(text.size())) : std::string(random_.of(known));
  }

  static std::pmr::memory_resource* heap() { return std::pmr::new_delete_resource(); }

  random_values& random_;
};

}  // namespace fuzz_targets
