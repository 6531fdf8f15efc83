#pragma once
// Where a session runs, if not in this process: what fg::tcp::connect and others give.
//
//     fg::session s{g, fg::tcp::connect("127.0.0.1:4000")};

#include <flowgraph/config.hpp>

#include <memory>
#include <string>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class graph;
struct session_options;
template <class T> class result;

namespace detail {

class plan_parts;
struct plan_request;
struct session_state;

// A session that runs elsewhere, as the one in this process sees it. Any thread may call it.
class session_elsewhere {
public:
  virtual ~session_elsewhere() = default;
  // What runs these edges there: the runners that it makes are the runs.
  virtual result<std::shared_ptr<const plan_parts>> plan_for(const graph& g, const plan_request& request) = 0;
  // "127.0.0.1:4000", for errors.
  virtual std::string address() const = 0;
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
