#pragma once
// The measured times of nodes, which can be saved and loaded. A cost model uses them instead of its estimates.
//
//     fg::measurements seen;
//     s.run(fg::fetch(loss), {{x, images}}, {.measure = &seen});
//     std::ofstream("model.times") << seen.to_text();
//
// A measured run executes node by node on one thread of the session; kernels still use its pool. Loops are executed iteration by
// iteration. Other runs are not affected, and prepared steps are not measured.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/runtime/options.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The total times of a node on a device. A node in a loop is called several times per run.
struct node_times {
  std::uint64_t runs = 0;                 // number of measured runs that called the node
  std::uint64_t calls = 0;                // number of calls of the node in these runs
  std::uint64_t nanoseconds = 0;          // total duration
  std::vector<std::uint64_t> bytes = {};  // total bytes of each output

  // Returns the time per run, with all calls.
  double seconds() const noexcept { return runs ? static_cast<double>(nanoseconds) * 1e-9 / static_cast<double>(runs) : 0; }
  // Returns the bytes of an output per call.
  std::uint64_t bytes_of(std::size_t port) const noexcept { return calls && port < bytes.size() ? bytes[port] / calls : 0; }
};

// Collects times; runs on several threads may add to it at the same time. Nodes are identified by name, and devices by full name,
// so that measurements can be used in other programs. Asynchronous kernels, which wait for others, and transfers between devices
// are not measured. A failed run adds nothing.
class measurements final : public run_observer {
public:
  using key = std::pair<std::string, std::string>;  // node, device
  using table = std::map<key, node_times, std::less<>>;

  measurements() = default;
  measurements(const measurements& other) : all_(other.all()) {}
  measurements& operator=(const measurements&) = delete;

  // Adds runs of a node on a device.
  void add(std::string_view node, std::string_view device, const node_times& times);
  // Adds all measurements of another object.
  void add(const measurements& other);
  // Returns a copy of all measurements.
  table all() const;
  // Returns the measurements of a node, by device.
  std::vector<std::pair<std::string, node_times>> of(std::string_view node) const;
  // Discards all measurements.
  void clear();

  // Returns a text with one line per node and device, independent of the locale. from_text accepts only this format.
  std::string to_text() const;
  // Parses a text that to_text has written.
  static result<measurements> from_text(std::string_view text);

private:
  FLOWGRAPH_INLINE error drive(detail::executor& e) override;

  mutable threading::mutex mutex_;
  table all_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/measurements.hpp>
#endif
