#pragma once

#include <flowgraph/deploy/detail/graph_copy.hpp>
#include <flowgraph/graph/registration.hpp>
#include <flowgraph/observe/graph_part.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class part_cutter {
public:
  explicit part_cutter(const graph& g) : graph_(g), copy_(g) {}

  result<graph_part> cut(std::span<const any_out> outputs, std::span<const fed_shape> feeds) {
    if (outputs.empty()) return invalid_argument("a part without outputs has no nodes");
    for (const any_out& o : outputs)
      if (error why = check(o)) return why;
    for (const fed_shape& f : feeds)
      if (error why = add_feed(f)) return why;
    find_needed(outputs);
    for (node* n : copy_.nodes()) {
      if (error why = put_feeds(*n)) return why;
      if (!needed_[n->id]) continue;
      auto result = copy_.copy(*n);
      if (!result) return result.error();
      for (const feed& f : feeds_)
        if (f.at.source == n) copy_.stands_for(*n, f.at.port, f.copy);
    }
    auto result = copy_.finish();
    if (!result) return result.error();
    keep_variables(*result);
    graph_part part{*result, {}, {}};
    for (const any_out& o : outputs) part.fetches.push_back(copy_.at({o.source, o.port}));
    for (const feed& f : feeds_) part.feeds.push_back(f.copy);
    return part;
  }

private:
  struct feed {
    any_out at, copy;
    shape extents;
  };

  error check(const any_out& o) const {
    if (!o.is_usable() || o.port >= o.source->outputs.size()) return refused_handle(o, dtype::invalid, {});
    if (o.source->graph != &graph_.state()) return invalid_argument({"'", o.name(), "' belongs to another graph"});
    return {};
  }
  error add_feed(const fed_shape& f) {
    auto found = f.where.name.empty() ? result<any_out>(f.where.edge) : graph_.output(f.where.name);
    if (!found) return found.error();
    const any_out at = *found;
    if (error why = check(at)) return why;
    const output_info& o = at.source->outputs[at.port];
    if (o.is_reference || is_counted(o.type))
      return invalid_argument({"'", at.name(), "' carries a variable or a handle, for which no placeholder can stand"});
    if (at.source->body != 0) return invalid_argument({"'", at.name(), "' stands in a loop or on a branch, and cannot be fed"});
    if (feed_of({at.source, at.port})) return invalid_argument({"'", at.name(), "' is fed twice"});
    const shape extents = f.extents.rank < 0 ? o.shape : f.extents;
    if (!fits(extents, o.shape))
      return invalid_argument({"'", at.name(), "' has the shape ", o.shape, ", which ", extents, " does not fit"});
    feeds_.push_back({at, {}, extents});
    return {};
  }
  const feed* feed_of(const edge& e) const {
    for (const feed& f : feeds_)
      if (f.at.source == e.from && f.at.port == e.port) return &f;
    return nullptr;
  }

  // Finds the nodes that outputs need. An output that is fed needs no other nodes. A variable needs its initializer.
  void find_needed(std::span<const any_out> outputs) {
    std::vector<any_out> ends;
    for (const any_out& o : outputs)
      if (!feed_of({o.source, o.port})) ends.push_back(o);
    const auto find = [&] {
      needed_ = needed_by(
          ends, copy_.nodes().size(), [](const node&) { return false; }, [&](const edge& e) { return feed_of(e) ? edge() : e; });
    };
    find();
    for (bool is_more = true; is_more;) {
      is_more = false;
      for (node* const i : graph_.initializers()) {
        const bool has_variable = !i->inputs.empty() && needed_[i->inputs[0].from->id];
        if (needed_[i->id] || !has_variable) continue;
        ends.push_back({i, 0});
        is_more = true;
      }
      if (is_more) find();
    }
  }

  // Adds the placeholders for outputs of a node, in the place of the node.
  error put_feeds(const node& n) {
    for (feed& f : feeds_) {
      if (f.at.source != &n) continue;
      placeholder_op op;
      op.declared = f.extents;
      const op_table* table = nullptr;
      for (const op_table& t : forward_tables_of<placeholder_op>)
        if (t.bound_types[0] == f.at.type()) table = &t;
      if (!table)
        return error(error_code::unimplemented, message{"no placeholder for elements of ", name_of(f.at.type())})
            .at(n.name, n.op->name(), n.where);
      std::string name(n.name);
      if (f.at.port > 0) name += message{'_', f.at.port}.string();
      else if (needed_[n.id]) name += "_fed";
      while ((name != n.name && graph_.find(name)) || graph(copy_.state().shared_from_this()).find(name)) name += '_';
      node_request r;
      r.table = table;
      r.op = &op;
      r.keep_name = true;
      auto result = graph(copy_.state().shared_from_this()).try_add(r, {name, n.where});
      if (!result) return result.error();
      f.copy = {*result, 0};
      copy_.stands_for(n, f.at.port, f.copy);
    }
    return {};
  }

  void keep_variables(graph& result) const {
    for (const any_out& v : graph_.variables())
      if (needed_[v.source->id]) result.add_variable(copy_.at({v.source, v.port}), graph_.is_trainable(v));
    for (node* const i : graph_.initializers())
      if (needed_[i->id])
        if (node* const twin = result.find(i->name)) result.add_initializer(twin);
  }

  const graph& graph_;
  graph_copy copy_;
  std::vector<feed> feeds_;
  std::vector<char> needed_;
};

}  // namespace detail

FLOWGRAPH_INLINE result<graph_part> cut_part(const graph& g, std::span<const any_out> outputs, std::span<const fed_shape> feeds) {
  return detail::part_cutter(g).cut(outputs, feeds);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
