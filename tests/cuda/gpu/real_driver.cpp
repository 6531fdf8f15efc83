// A test program that contains this file uses the first real GPU if the environment variable FLOWGRAPH_TEST_GPU is set.

#include "../emulation/devices.hpp"

#include <cuda/runtime/driver.hpp>

#include <cstdlib>

namespace {

namespace fg = flowgraph;
namespace cuda = flowgraph::cuda;

// Counts launches.
class counted_driver final : public cuda::driver {
public:
  counted_driver(std::unique_ptr<cuda::driver> by, std::shared_ptr<emulation::state> counts)
      : by_(std::move(by)), counts_(std::move(counts)) {}

  std::span<const cuda::kernel_record> kernels() const override { return by_->kernels(); }
  fg::result<int> select() override { return by_->select(); }
  void restore(int former) override { by_->restore(former); }
  fg::result<const cuda::cublaslt::functions*> product_functions() override { return by_->product_functions(); }
  fg::result<void*> allocate(std::size_t bytes, cuda::stream s) override { return by_->allocate(bytes, s); }
  fg::error free(void* p, cuda::stream s) override { return by_->free(p, s); }
  fg::error copy_in(const void* host, void* device, std::size_t bytes, cuda::stream s) override {
    return by_->copy_in(host, device, bytes, s);
  }
  fg::error copy_out(const void* device, void* host, std::size_t bytes, cuda::stream s) override {
    return by_->copy_out(device, host, bytes, s);
  }
  fg::error fill(void* device, unsigned char byte, std::size_t bytes, cuda::stream s) override {
    return by_->fill(device, byte, bytes, s);
  }
  fg::error copy_within(const void* from, void* to, std::size_t bytes, cuda::stream s) override {
    return by_->copy_within(from, to, bytes, s);
  }
  fg::error launch(const void* function, std::int64_t blocks, const cuda::kernel_arguments& a, cuda::stream s) override {
    ++counts_->launches;
    return by_->launch(function, blocks, a, s);
  }
  fg::result<cuda::stream> make_stream() override { return by_->make_stream(); }
  void destroy_stream(cuda::stream s) override { by_->destroy_stream(s); }
  fg::result<cuda::event> make_event() override { return by_->make_event(); }
  void destroy_event(cuda::event e) override { by_->destroy_event(e); }
  fg::error record(cuda::event e, cuda::stream s) override { return by_->record(e, s); }
  fg::result<bool> has_passed(cuda::event e) override { return by_->has_passed(e); }
  fg::error wait(cuda::stream s, cuda::event e) override { return by_->wait(s, e); }
  fg::error synchronize(cuda::stream s) override { return by_->synchronize(s); }

private:
  std::unique_ptr<cuda::driver> by_;
  std::shared_ptr<emulation::state> counts_;
};

fg::result<std::unique_ptr<cuda::driver>> open_real(std::shared_ptr<emulation::state> counts) {
  auto by = cuda::open_driver(0);
  if (!by) return by.error();
  return std::unique_ptr<cuda::driver>(std::make_unique<counted_driver>(*std::move(by), std::move(counts)));
}

[[maybe_unused]] const bool is_real = [] {
  if (std::getenv("FLOWGRAPH_TEST_GPU") != nullptr) emulation::real_driver = &open_real;
  return true;
}();

}  // namespace
