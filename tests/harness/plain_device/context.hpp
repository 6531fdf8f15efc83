#pragma once
// A second kind of device, with kernels of its own: plain loops over floats, in memory that the host can read. The kernels count
// their calls by op, so that a test knows which of them ran.

#include <flowgraph/graph/node.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/op/device_context.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace plain {

namespace fg = flowgraph;

class device final : public fg::device {
public:
  device(std::string_view name, std::shared_ptr<const fg::kernel_set> kernels) : fg::device(name, std::move(kernels)) {}

  void count(std::string_view op) const {
    const std::lock_guard lock(mutex_);
    ++calls_[std::string(op)];
  }
  std::map<std::string, int> calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

private:
  mutable std::mutex mutex_;
  mutable std::map<std::string, int> calls_;
};

class context : public fg::device_context {
public:
  explicit context(fg::detail::kernel_call& call) : device_context(call) { here().count(call.at->op->name()); }
  const device& here() const { return static_cast<const device&>(on()); }
};

}  // namespace plain
