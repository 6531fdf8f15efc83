#pragma once
// Where a session runs, if not in this process: what fg::tcp::connect and others give.
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

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class graph;
struct run_options;
struct saved_state;
struct session_options;

namespace detail {

class plan_parts;
struct plan;
struct plan_request;
struct session_state;

// Where the nodes of a graph stand there.
struct places_elsewhere {
  std::vector<std::string> devices;     // "/job:worker/task:0/device:cpu:0"
  sequence<std::uint32_t> nodes;        // by id: in `devices`
  sequence<std::uint8_t> reasons;       // of each, a placement_reason
  std::map<std::uint32_t, error> lost;  // nodes that stand nowhere
  bool is_improved = true;              // plans are
};

// A session that runs elsewhere, as the one in this process sees it. Any thread may call it.
class session_elsewhere {
public:
  virtual ~session_elsewhere() = default;
  // What runs these edges there: the runners that it makes are the runs.
  virtual result<std::shared_ptr<const plan_parts>> plan_for(const graph& g, const plan_request& request) = 0;
  // A plan of nothing but that.
  FLOWGRAPH_INLINE virtual result<std::shared_ptr<const plan>> make_plan(const graph& g, const plan_request& request);
  // "127.0.0.1:4000", for errors.
  virtual std::string address() const = 0;

  // Verbs that a place may lack: by default an error that says so, or nothing.

  // Where all its runs wait for others, they stay as they are until go_on(): how many. Nothing: some do not, and all go on.
  FLOWGRAPH_INLINE virtual result<std::optional<std::uint32_t>> hold(const run_options& limits);
  virtual void go_on() {}
  // As those of a session that is at rest.
  FLOWGRAPH_INLINE virtual result<saved_state> save(const graph& g);
  FLOWGRAPH_INLINE virtual error load(const graph& g, const saved_state& from);
  FLOWGRAPH_INLINE virtual result<places_elsewhere> places(const graph& g);
  // For verbs that it lacks.
  error cannot(std::string_view call) const;
};

// Opens sessions elsewhere. Must not fail: what is in the way is said by the first run.
class session_place {
public:
  virtual ~session_place() = default;
  virtual std::shared_ptr<session_elsewhere> open(const session_options& options) = 0;
};

}  // namespace detail

// By default this process. Copies name the same place.
class session_target {
public:
  session_target() = default;
  explicit session_target(std::shared_ptr<detail::session_place> place) noexcept : place_(std::move(place)) {}
  explicit operator bool() const noexcept { return place_ != nullptr; }

private:
  friend struct detail::session_state;
  std::shared_ptr<detail::session_place> place_;
};

}
}  // namespace flowgraph
