#pragma once
// The walk that makes gradients: from losses back to the handles that are asked for, within one frame; from a body that is open also
// through the bodies around. A loop that is closed is one step of the walk, which the ops of loops take; in its body they walk again.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/gradient_options.hpp>
#include <flowgraph/graph/loop_map.hpp>

#include <memory>
#include <unordered_map>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class body_scope;

// A loop, as a step of the walk around it.
struct loop_gradient_request {
  loop_map* loops = nullptr;
  std::uint32_t frame = 0;                                         // of the loop's body
  std::span<const any_out> stop;                                   // as in gradient_options
  sequence<std::pair<const node*, const gradient_list*>> arrived;  // at Exits
  sequence<const node*> wanted;                                    // Enters, constant ones among them
  sequence<std::pair<const node*, any_grad>> made;                 // of what goes into Enters
  error why;
};

class gradient_walk {
public:
  gradient_walk(std::span<const any_out> losses, std::span<const any_out> wanted, const gradient_options& options)
      : losses_(losses), wanted_(wanted), options_(options), wants_handles_(names_resource(wanted)) {}
  // In the bodies that are open the walk passes from what a body took from outside to the handle it took; the variables of their loops
  // are where it ends. The gradients' nodes are all added to the body that is open.
  // Within the body of a loop that is closed, whose variables and constants are where it ends.
  gradient_walk(loop_map& loops, std::uint32_t frame, std::span<const any_out> losses, std::span<const any_out> wanted,
                const gradient_options& options)
      : losses_(losses), wanted_(wanted), options_(options), wants_handles_(names_resource(wanted)), loops_(&loops),
        frame_(frame) {}

  // What arrived at each of the wanted handles, not yet summed.
  result<sequence<gradient_list>> run();
  // The same without adding a node: which wanted handles gradients would arrive at.
  sequence<bool> reach();

private:
  struct visit {
    bool leads_to_wanted = false;
    std::uint32_t consumers = 0;          // that the walk comes from
    const node* toward_loss = nullptr;    // the consumer through which the walk came first
    const node* toward_wanted = nullptr;  // an input that depends on a wanted handle
  };

  static bool names_resource(std::span<const any_out> wanted);
  // Numbers carry gradients, and histories of loops; handles of variables do where one is wanted: what reads the variable gives them.
  bool carries(const edge& e) const;
  bool is_end(const node& n) const;
  // Is it the frame that the walk begins in, or one around it?
  bool is_around(std::uint32_t frame) const;
  // For a node that captures a handle into an open body: that handle. Empty for all other nodes.
  any_out behind(const node& n) const;
  void find_open_loop();
  // A loop's Exit leads to the loop, for which its first Merge stands, and that to what enters the loop.
  const node* loop_behind(const node& exit) const;
  const loop_of_graph* loop_for(const node& n) const;
  template <class F> void for_each_input(const node& n, F&& f) const;

  void map_loops();
  void collect();
  void mark();
  void arrive(const edge& e, const any_grad& g);
  error pass_on(const node* n);
  bool pass_handle(const node& n, const sequence<gradient_list>& arrived);
  error pass_through(const node& stand_in);
  std::string path_through(const node* n);
  error no_gradient(const node* n);
  error no_path(const any_out& x);
  const loop_variable* variable_that_depends_on(const any_out& x) const;

  std::span<const any_out> losses_, wanted_;
  const gradient_options& options_;
  const bool wants_handles_;
  body_scope* open_ = nullptr;  // that the caller is adding nodes to; null within a loop that is closed
  loop_map* loops_ = nullptr;   // null: the walk meets no loop
  std::unique_ptr<loop_map> own_loops_;
  std::uint32_t frame_ = 0;
  sequence<const node*> order_;  // consumers before producers
  std::unordered_map<const node*, visit> visits_;
  std::unordered_map<const node*, sequence<gradient_list>> arrived_;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/gradient_walk.hpp>
#endif
