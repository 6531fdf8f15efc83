#pragma once
// The control inputs of a new node: nodes that must run before it.

#include <flowgraph/config.hpp>

#include <concepts>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

class graph;
struct node;

namespace detail {

// The rules according to which passes treat nodes with control inputs. Only programs that add such nodes link these rules.
struct waiting_rules;
FLOWGRAPH_INLINE const waiting_rules& rules_of_waiting_nodes();
using waiting_function = const waiting_rules& (*)();
inline constexpr waiting_function rules_for_waiting = FLOWGRAPH_FROM_ABOVE(rules_of_waiting_nodes);

}  // namespace detail

// A list of nodes. A program that passes no such list does not link the rules for control inputs.
class control_nodes : public std::span<node* const> {
public:
  control_nodes() = default;
  template <class List>
    requires(std::convertible_to<const List&, std::span<node* const>> && !std::same_as<List, control_nodes>)
  control_nodes(const List& all) : std::span<node* const>(all), rules_(detail::rules_for_waiting) {}

private:
  friend class graph;
  detail::waiting_function rules_ = nullptr;  // null if there are no nodes
};

}  // namespace flowgraph
