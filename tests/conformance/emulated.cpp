#include "emulated.hpp"

#include <flowgraph/graph/node.hpp>

#include <algorithm>
#include <cmath>

namespace conformance {

namespace {

namespace fg = flowgraph;
using fg::cuda::kernel_form;

bool is_exact_form(kernel_form form) {
  constexpr kernel_form all[] = {kernel_form::unary,   kernel_form::binary, kernel_form::paired,       kernel_form::bias,
                                 kernel_form::cast,    kernel_form::select, kernel_form::transpose,    kernel_form::slice,
                                 kernel_form::pad,     kernel_form::tile,   kernel_form::broadcast_to, kernel_form::reverse,
                                 kernel_form::strided, kernel_form::concat, kernel_form::split,        kernel_form::pack,
                                 kernel_form::unpack,  kernel_form::fill,   kernel_form::fill_like,    kernel_form::gather,
                                 kernel_form::update};
  return std::ranges::find(all, form) != std::end(all);
}

// An op without a record belongs to variables or optionals: such ops only move tensors. The emulated GPU calls the same functions
// of the C++ library as the CPU.
bool is_exact_op(std::string_view op) {
  const auto is_inexact = [](const fg::cuda::kernel_record& k) {
    return !is_exact_form(k.form) || (emulation::real_driver && k.of_results != fg::cuda::accuracy::bits);
  };
  return std::ranges::none_of(emulation::kernels(), [&](const auto& k) { return k.op == op && is_inexact(k); });
}

template <class T> bool has_same_elements(const fg::any_tensor& a, const fg::any_tensor& b) {
  const auto x = a.as<T>(), y = b.as<T>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto p = static_cast<double>(x[i]), q = static_cast<double>(y[i]);
    if (!(std::isnan(p) && std::isnan(q)) && !(p == q && std::signbit(p) == std::signbit(q))) return false;
  }
  return true;
}

}  // namespace

emulated_gpu::emulated_gpu(unsigned seed) {
  const auto open = [seed] {
    constexpr std::size_t bytes = std::size_t{1} << 31;
    emulation::emulated made;
    auto by = emulation::make_driver(seed, made.counts, bytes).value();
    made.devices.push_back(fg::cuda::make_device("gpu:0", std::move(by), emulation::in_environment()).value());
    made.devices[0].set_priority(1);
    return std::make_shared<const emulation::emulated>(std::move(made));
  };
  // A process opens a real GPU once, because this takes long.
  static std::shared_ptr<const emulation::emulated> real;
  if (emulation::real_driver && !real) real = open();
  gpu_ = emulation::real_driver ? real : open();
}

std::set<std::string> emulated_gpu::count(const fg::graph& g, node_places& ran) {
  const fg::collected_trace t = seen_.collect();
  seen_.clear();
  std::set<std::uint32_t> nodes;
  for (const fg::trace_event& e : t.events)
    if (e.node != fg::trace_event::none && (e.kind == fg::trace_kind::kernel || e.kind == fg::trace_kind::later))
      nodes.insert(e.node);
  std::set<std::string> missed;
  for (const std::uint32_t index : nodes) {
    const fg::traced_node& n = t.nodes[index];
    if (n.is_transfer) continue;
    if (n.device.find("gpu:0") != n.device.npos) {
      ++ran.on_gpu;
      is_exact_ = is_exact_ && is_exact_op(n.op);
      continue;
    }
    ++ran.on_host;
    const fg::node* const known = g.find(n.name);
    if (known && known->op && gpu_->devices[0].find(*known->op)) missed.insert(n.name);
  }
  return missed;
}

bool has_same_numbers(const fg::any_tensor& a, const fg::any_tensor& b) {
  if (is_same_to_the_bit(a, b)) return true;
  if (a.type() != b.type() || !(a.shape() == b.shape())) return false;
  switch (a.type()) {
    case fg::dtype::float32: return has_same_elements<float>(a, b);
    case fg::dtype::float64: return has_same_elements<double>(a, b);
    case fg::dtype::float16: return has_same_elements<fg::half>(a, b);
    default: return false;
  }
}

}  // namespace conformance
