#pragma once
// The target of a session that runs in other processes: fg::tcp::connect and other functions return it.
//
//     fg::session s{g, fg::tcp::connect("127.0.0.1:4000")};

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/sequence.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

class graph;
struct run_options;
struct saved_state;
struct session_options;

namespace detail {

class plan_parts;
struct plan;
struct plan_request;
struct session_state;

// The devices of a graph's nodes in a remote session.
struct places_elsewhere {
  // Full device names: "/job:worker/task:0/device:cpu:0".
  std::vector<std::string> devices;
  sequence<std::uint32_t> nodes;        // index in `devices`, by node id
  sequence<std::uint8_t> reasons;       // for each node, a placement_reason
  std::map<std::uint32_t, error> lost;  // nodes that cannot be placed
  bool is_improved = true;              // whether plans are improved by passes
};

// A remote session, as this process sees it. Any thread may call it.
class session_elsewhere {
public:
  virtual ~session_elsewhere() = default;
  // Returns the remote plan of these edges. Its runners execute the runs.
  virtual result<std::shared_ptr<const plan_parts>> plan_for(const graph& g, const plan_request& request) = 0;
  // Returns a local plan that only starts the remote plan.
  FLOWGRAPH_INLINE virtual result<std::shared_ptr<const plan>> make_plan(const graph& g, const plan_request& request);
  // Returns the address for error messages: "127.0.0.1:4000".
  virtual std::string address() const = 0;

  // Functions that an implementation need not support: by default they return an error that says so, or do nothing.

  // If all runs of the session wait for other runs, pauses them until go_on() and returns their number. If some runs do not wait,
  // returns an empty optional, and all runs continue.
  FLOWGRAPH_INLINE virtual result<std::optional<std::uint32_t>> hold(const run_options& limits);
  virtual void go_on() {}
  // Save and load state as session::save_state and load_state do. Precondition: the session is paused.
  FLOWGRAPH_INLINE virtual result<saved_state> save(const graph& g);
  FLOWGRAPH_INLINE virtual error load(const graph& g, const saved_state& from);
  FLOWGRAPH_INLINE virtual result<places_elsewhere> places(const graph& g);
  // Returns the error for a function that is not supported.
  error cannot(std::string_view call) const;
};

// Opens remote sessions. Opening must not fail: the first run reports errors.
class session_place {
public:
  virtual ~session_place() = default;
  virtual std::shared_ptr<session_elsewhere> open(const session_options& options) = 0;
};

}  // namespace detail

// The process in which a session runs; by default this process. Copies refer to the same target.
class session_target {
public:
  session_target() = default;
  explicit session_target(std::shared_ptr<detail::session_place> place) noexcept : place_(std::move(place)) {}
  explicit operator bool() const noexcept { return place_ != nullptr; }

private:
  friend struct detail::session_state;
  std::shared_ptr<detail::session_place> place_;
};

}  // namespace flowgraph
