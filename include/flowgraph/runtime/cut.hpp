#pragma once
// Cuts a plan where values cross from one device to another. Each device then has its own executor, and the executors exchange
// values with each other.
//
//     fg::session s{g, {.devices = cpus, .cut = fg::per_device}};
//
// Results are bit-identical. Devices of one process run faster with one plan, which is the default. A cut is for devices that
// need their own executor, and for parts on other machines. A program that does not name a cut does not contain the code.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/sequence.hpp>

#include <memory>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct run_services;

namespace detail {

class draft;
class plan_runner;
struct graph_state;
struct plan;
struct plan_request;

// The report of `explain` about a plan in parts. Places are indices of devices, and frames are indices in the whole plan.
struct parts_report {
  struct part {
    std::uint32_t place;
    std::size_t nodes;              // without sends and receives
    sequence<std::uint32_t> loops;  // frames of the loops that are cut
  };
  struct exchange {
    const char* kind;
    std::string name;
    std::uint32_t from, to, frame;
    bool is_alone;  // false: it is sent together with a value
  };
  sequence<part> parts;
  sequence<exchange> exchanges;
};

// A plan in parts.
class plan_parts {
public:
  // Creates a runner that runs the parts together. The whole plan owns the parts. Null: the parts are not run in this process.
  using runner_maker = std::shared_ptr<plan_runner> (*)(const plan_parts& of, std::shared_ptr<const plan> whole,
                                                        const run_services& services);
  // `maker` is a pointer and not a virtual function: if a compiler sees only one class that implements a virtual function, it
  // guesses that class, and compiles it into header-only programs that have no parts.
  explicit plan_parts(runner_maker maker = nullptr) : make_runner_(maker) {}
  virtual ~plan_parts() = default;
  virtual parts_report report() const = 0;
  std::shared_ptr<plan_runner> make_runner(std::shared_ptr<const plan> whole, const run_services& services) const {
    return make_runner_ ? make_runner_(*this, std::move(whole), services) : nullptr;
  }
  // For a partial run that another process plans: returns the result of detail::feeds_behind(). Null: the whole plan contains this
  // information, or partial runs are not possible there.
  virtual const std::string* feeds_behind() const { return nullptr; }

private:
  runner_maker make_runner_;
};

// `whole`: the plan of the draft, with the frame of each record. Null: one device is enough.
using divide_function = result<std::shared_ptr<const plan_parts>> (*)(const graph_state& g, const plan_request& request,
                                                                      const draft& d, const plan& whole);
result<std::shared_ptr<const plan_parts>> divide_by_device(const graph_state& g, const plan_request& request, const draft& d,
                                                           const plan& whole);

}  // namespace detail

// Specifies where plans are cut; by default, plans are not cut.
struct cutting {
  detail::divide_function divide = nullptr;
};
inline constexpr cutting per_device{&detail::divide_by_device};

}  // namespace flowgraph
