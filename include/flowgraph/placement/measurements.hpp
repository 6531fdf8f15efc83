#pragma once
// How long nodes take, kept from runs that ask for it, saved and loaded: what a cost model knows better than by its figures.
//
//     fg::measurements seen;
//     s.run(fg::fetch(loss), {{x, images}}, {.measure = &seen});
//     std::ofstream("model.times") << seen.to_text();
//
// A measured run goes node by node on one thread of the session; kernels still divide their own work over its pool. Loops go by
// iterations. Other runs know nothing of it, and prepared steps are not measured.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/runtime/options.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// What runs of one node on one device took, summed. A node in a loop is called several times a run.
struct node_times {
  std::uint64_t runs = 0, calls = 0;
  std::uint64_t nanoseconds = 0;
  std::vector<std::uint64_t> bytes = {};  // of each output

  // Of a run, with all its calls.
  double seconds() const noexcept { return runs ? static_cast<double>(nanoseconds) * 1e-9 / static_cast<double>(runs) : 0; }
  // Of a call.
  std::uint64_t bytes_of(std::size_t port) const noexcept { return calls && port < bytes.size() ? bytes[port] / calls : 0; }
};

// Keeps what it is given; runs of several threads at once may add to it. Nodes are known by their names, devices by their full ones, so
// that what was measured in one program serves another. Asynchronous kernels, which wait for others, are not measured, nor what crosses
// between devices. A run that fails adds nothing.
class measurements final : public run_observer {
public:
  using key = std::pair<std::string, std::string>;  // node, device
  using table = std::map<key, node_times, std::less<>>;

  measurements() = default;
  measurements(const measurements& other) : all_(other.all()) {}
  measurements& operator=(const measurements&) = delete;

  // Adds runs of a node on a device.
  void add(std::string_view node, std::string_view device, const node_times& times);
  // All of another's, with its own.
  void add(const measurements& other);
  // A copy of all that it has.
  table all() const;
  // Those of a node, by device.
  std::vector<std::pair<std::string, node_times>> of(std::string_view node) const;
  // Forgets all.
  void clear();

  // A line for each node and device, in any locale. Reading is as strict as writing.
  std::string to_text() const;
  // What to_text wrote, in this program or another.
  static result<measurements> from_text(std::string_view text);

private:
  FLOWGRAPH_INLINE error drive(detail::executor& e) override;

  mutable threading::mutex mutex_;
  table all_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/measurements.hpp>
#endif
