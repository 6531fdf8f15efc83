#pragma once
// Builds gradients: walks from losses back to the wanted handles within one loop frame. From an open body, it also walks through
// the enclosing bodies. A closed loop is one step of this walk. The ops of loops implement this step with a second walk in the
// loop's body.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/gradient_options.hpp>
#include <flowgraph/graph/loop_map.hpp>

#include <memory>
#include <unordered_map>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class body_scope;

// A closed loop as one step of the walk around it.
struct loop_gradient_request {
  loop_map* loops = nullptr;
  std::uint32_t frame = 0;                                         // the frame of the loop's body
  std::span<const any_out> stop;                                   // as in gradient_options
  sequence<std::pair<const node*, const gradient_list*>> arrived;  // gradients that arrived at the Exits
  sequence<const node*> wanted;                                    // Enters whose gradients are wanted, including constant Enters
  sequence<std::pair<const node*, any_grad>> gradients;            // the gradients of the inputs of Enters
  error why;
};

class gradient_walk {
public:
  gradient_walk(std::span<const any_out> losses, std::span<const any_out> wanted, const gradient_options& options)
      : losses_(losses), wanted_(wanted), options_(options), wants_handles_(names_resource(wanted)) {}
  // While bodies are open, the walk continues from a captured value to the handle that was captured. It ends at the variables of
  // the open loops, and all gradient nodes are added to the innermost open body. Inside the body of a closed loop, the walk ends
  // at the variables and constants of the loop.
  gradient_walk(loop_map& loops, std::uint32_t frame, std::span<const any_out> losses, std::span<const any_out> wanted,
                const gradient_options& options)
      : losses_(losses), wanted_(wanted), options_(options), wants_handles_(names_resource(wanted)), is_step_(true),
        loops_(&loops), frame_(frame) {}

  // Returns the contributions that arrived at each wanted handle, not yet summed.
  result<sequence<gradient_list>> run();
  // Returns, for each wanted handle, whether a gradient would arrive at it. Adds no node.
  sequence<bool> reach();

private:
  struct visit {
    bool leads_to_wanted = false;
    std::uint32_t consumers = 0;          // number of consumers through which the walk reaches the node
    const node* toward_loss = nullptr;    // the consumer through which the walk reached the node first
    const node* toward_wanted = nullptr;  // an input that depends on a wanted handle
  };

  static bool names_resource(std::span<const any_out> wanted);
  // Returns whether an edge carries a gradient. This is so if it carries numbers or the history of a loop, or if it is a wanted
  // handle of a variable; the gradient of such a handle comes from the reads of the variable. A stopped edge carries its gradient
  // only if the caller wants it, and then nothing is passed on from there.
  bool carries(const edge& e) const;
  bool is_stopped(const edge& e) const;
  bool is_wanted_by_caller(const edge& e) const;
  bool is_end(const node& n) const;
  // Returns whether the walk begins in this frame, or in a frame inside it.
  bool is_around(std::uint32_t frame) const;
  // If the node captures a handle into an open body, returns the captured handle; otherwise returns an empty handle.
  any_out behind(const node& n) const;
  void find_open_loop();
  // Returns the first Merge of the loop that an Exit belongs to. This node represents the loop in the walk, and leads to the inputs
  // of the loop.
  const node* loop_behind(const node& exit) const;
  const loop_of_graph* loop_for(const node& n) const;
  template <class F> void for_each_input(const node& n, F&& f) const;

  void map_loops();
  void collect();
  void mark();
  void arrive(const edge& e, const any_grad& g);
  error pass_on(const node* n);
  error check_shape(const node& n, std::size_t input, const any_grad& g);
  bool pass_handle(const node& n, const sequence<gradient_list>& arrived);
  error pass_through(const node& stand_in);
  std::string path_through(const node* n);
  error no_gradient(const node* n);
  error no_path(const any_out& x);
  const loop_variable* variable_that_depends_on(const any_out& x) const;

  std::span<const any_out> losses_, wanted_;
  const gradient_options& options_;
  const bool wants_handles_;
  const bool is_step_ = false;  // true inside a closed loop, whose variables are wanted by the loop, not by the caller
  body_scope* open_ = nullptr;  // the body that the caller is adding nodes to; null inside a closed loop
  loop_map* loops_ = nullptr;   // null if the walk meets no loop
  std::unique_ptr<loop_map> own_loops_;
  std::uint32_t frame_ = 0;
  sequence<const node*> order_;  // consumers before producers
  std::unordered_map<const node*, visit> visits_;
  std::unordered_map<const node*, sequence<gradient_list>> arrived_, arrived_at_stop_;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/gradient_walk.hpp>
#endif
