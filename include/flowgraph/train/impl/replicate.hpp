#pragma once

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/op/device_name.hpp>
#include <flowgraph/ops/debug/diagnostics.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/train/replicate.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM device_names::device_names(std::span<const device* const> devices) {
  for (const device* d : devices) names.push_back(to_string(d->name()));
}

namespace detail {

FLOWGRAPH_SELDOM replica_nodes::replica_nodes(const graph& g, const device_names& devices, const replicate_options& options,
                                              const site& s)
    : graph_(g), devices_(devices.names), variables_on_(options.variables), around_(g.state().scope.prefix), site_(s),
      body_(g.state().bodies.number), controls_(g.state().scope.control) {
  if (devices_.empty()) {
    refuse(invalid_argument("replicate needs at least one device, found none"), s);
    return;
  }
  if (variables_on_.empty()) variables_on_ = devices_.front();
  const graph::scope opened = graph_.in_scope(s.name.empty() ? "replicate" : s.name);
  prefix_ = g.state().scope.prefix;
}

FLOWGRAPH_SELDOM void replica_nodes::refuse(const error& why, const site& s) const { detail::refuse(graph_, why.at(s.location)); }
FLOWGRAPH_SELDOM std::string replica_nodes::named(std::size_t number) const {
  return message{"replica ", number, " on ", devices_[number]};
}

FLOWGRAPH_SELDOM replica_nodes::surroundings::surroundings(replica_nodes& nodes, std::string prefix, std::string_view device,
                                                           const node* beside)
    : state_(nodes.graph_.state()) {
  state_.push();
  state_.scope.prefix = std::move(prefix);
  state_.constrain_scope(device);
  state_.scope.control = nodes.controls_;
  state_.scope.colocation.clear();
  if (beside) state_.scope.colocation.push_back(beside->name);
}
FLOWGRAPH_SELDOM replica_nodes::surroundings::~surroundings() { state_.pop(); }

FLOWGRAPH_SELDOM replica_nodes::surroundings replica_nodes::inside(std::size_t number) {
  current_ = number;
  variables_seen_ = 0;
  return {*this, message{prefix_, "replica_", number, '/'}, devices_[number], nullptr};
}
FLOWGRAPH_SELDOM replica_nodes::surroundings replica_nodes::beside(const any_out& with, std::string_view part) {
  return {*this, message{prefix_, part}, {}, with.source};
}
FLOWGRAPH_SELDOM replica_nodes::surroundings replica_nodes::for_all() { return {*this, prefix_, {}, nullptr}; }

// Returns whether nodes may be added here. In the body of a loop or a branch, only that body could read the parts, and other
// replicas have other bodies.
FLOWGRAPH_SELDOM bool replica_nodes::is_in_place(const site& s) const {
  if (graph_.state().bodies.number == body_) return true;
  refuse(
      invalid_argument({named(current_), ": rows and in_turn are called before the loop or the branch that reads their result"}),
      s);
  return false;
}

FLOWGRAPH_SELDOM bool replica_nodes::can_be_cut(const any_out& batch, const site& s) const {
  if (!is_in_place(s)) return false;
  if (batch.source && batch.source->is_poison()) return false;
  if (!batch.source || batch.source->graph != &graph_.state())
    refuse(invalid_argument({named(current_), ": the batch is not a handle of the graph"}), s);
  else if (batch.shape().rank == 0)
    refuse(invalid_argument({named(current_), ": '", batch.name(), "' is a scalar and has no rows"}), s);
  else return true;
  return false;
}

FLOWGRAPH_SELDOM bool replica_nodes::count_rows(const any_out& batch, const out<std::int32_t>& rows, const site& s) {
  const auto all = static_cast<std::int32_t>(count());
  const any_tensor* const known = constant_value(rows);
  tensor<std::int32_t> more({count()});
  for (std::int32_t i = 0; i < all; ++i) more.writable()[static_cast<std::size_t>(i)] = all - 1 - i;
  if (known) {
    known_rows_ = known->as<std::int32_t>()[0];
    if (known_rows_ < all) {
      refuse(invalid_argument({"'", batch.name(), "' of shape ", batch.shape(), " has fewer rows than the ", all,
                               " replicas: each needs at least one"}),
             s);
      return false;
    }
    for (std::int32_t& size : more.writable()) size = static_cast<std::int32_t>((known_rows_ + size) / all);
    sizes_ = constant_in(graph_.state(), more, {"sizes"});
    return true;
  }
  const std::string text =
      message{"'", batch.name(), "' has fewer rows than there are replicas, each of which needs one; rows, replicas:"};
  const any_out_list report{constant_in(graph_.state(), tensor<std::string>(text)), rows,
                            constant_in(graph_.state(), tensor<std::int32_t>(all))};
  checks_.push_back(assert_that(rows >= all, report, 3, {"enough_rows", s.location}));
  rows_ = rows;
  sizes_ = (rows + constant_in(graph_.state(), more)) / all;
  return true;
}

FLOWGRAPH_SELDOM void replica_nodes::make_weights() {
  if (known_rows_ >= 0) return;
  const surroundings here = beside(rows_, {});
  weights_ = unpack(cast<double>(sizes_) / cast<double>(rows_), static_cast<int>(count()), 0, at("weights"));
}

FLOWGRAPH_SELDOM double replica_nodes::part(std::size_t number) const {
  const auto all = static_cast<std::int64_t>(count()), i = static_cast<std::int64_t>(number);
  if (known_rows_ < 0) return 1. / static_cast<double>(all);
  return static_cast<double>((known_rows_ + all - 1 - i) / all) / static_cast<double>(known_rows_);
}

FLOWGRAPH_SELDOM replica_nodes::turn::turn(replica_nodes& nodes, const site& s)
    : nodes_(nodes), first_(nodes.graph_.size()), after_(nodes.graph_.after_all(nodes.turn_)) {
  nodes.is_in_place(s);
}
FLOWGRAPH_SELDOM replica_nodes::turn::~turn() {
  std::vector<target> result;
  for (std::size_t id = first_; id < nodes_.graph_.size(); ++id)
    if (node* const n = nodes_.graph_.at(id); n->op->stateful && n->body == nodes_.body_) result.push_back(n);
  if (!result.empty()) nodes_.turn_ = std::move(result);
}

FLOWGRAPH_SELDOM std::string replica_nodes::name_of_variable(std::string_view name) const {
  std::string_view prefix = graph_.state().scope.prefix;
  const std::string own = message{prefix_, "replica_", current_, '/'};
  if (!prefix.starts_with(own)) return message{prefix, name};
  prefix.remove_prefix(own.size());
  return message{around_, prefix, name};
}
FLOWGRAPH_SELDOM replica_nodes::surroundings replica_nodes::for_variables(const std::string& full_name) {
  const std::size_t end = full_name.rfind('/');
  return {*this, end == full_name.npos ? std::string() : full_name.substr(0, end + 1), variables_on_, nullptr};
}

FLOWGRAPH_SELDOM const replica_nodes::shared_variable* replica_nodes::next_variable(const std::string& name, dtype type,
                                                                                    const shape& declared, const site& s) {
  if (current_ == 0) return nullptr;
  if (variables_seen_ >= variables_.size()) {
    refuse(invalid_argument(
               {named(current_), " has a variable '", name, "' more than ", named(0), ", which has ", variables_.size()}),
           s);
    return nullptr;
  }
  const shared_variable& known = variables_[variables_seen_++];
  if (known.name == name && known.handle.type() == type && known.handle.shape() == declared) return &known;
  refuse(
      invalid_argument({"variable ", variables_seen_, " of ", named(current_), " is '", name, "', ", name_of(type), declared,
                        ", that of ", named(0), " is '", known.name, "', ", name_of(known.handle.type()), known.handle.shape()}),
      s);
  return nullptr;
}
FLOWGRAPH_SELDOM void replica_nodes::keep(const std::string& name, const any_out& handle, node* initializer) {
  if (current_ == 0 && handle.is_usable()) variables_.push_back({name, handle, initializer});
}

FLOWGRAPH_SELDOM bool replica_nodes::is_loss(std::size_t number, const any_out& loss) const {
  if (loss.is_usable() && loss.shape().rank <= 0) return true;
  if (loss.source && loss.source->is_poison()) return false;  // the graph has the reason
  if (!loss.source) refuse(invalid_argument({named(number), " gave no loss, but an empty handle"}), site_);
  else
    refuse(invalid_argument({named(number), " gave '", loss.name(), "' of shape ", loss.shape(),
                             " as its loss, which is a scalar, as fg::mean makes it"}),
           site_);
  return false;
}

FLOWGRAPH_SELDOM bool replica_nodes::agree(const std::vector<any_out_list>& trained) const {
  const auto lacks = [](const any_out_list& list, const any_out& v) { return std::ranges::find(list, v) == list.end(); };
  for (std::size_t i = 0; i < trained.size(); ++i) {
    if (trained[i].empty()) {
      refuse(invalid_argument({named(i), " gave no gradients"}), site_);
      return false;
    }
    for (const auto& [one, other] : {std::pair{std::size_t(0), i}, std::pair{i, std::size_t(0)}})
      for (const any_out& v : trained[one]) {
        if (!lacks(trained[other], v)) continue;
        refuse(invalid_argument({named(one), " gave ", trained[one].size(), " gradients, one of them for '", v.name(), "', ",
                                 named(other), " gave ", trained[other].size(),
                                 " and none for it: variables of all replicas are made before, or by replica::variable"}),
               site_);
        return false;
      }
  }
  return true;
}

}  // namespace detail

}  // namespace flowgraph
