// Calls of random numbers. The host finds the position of the first block in its stream, as for a kernel of the CPU.
#include <cuda/calls/gpu_call.hpp>

#include <flowgraph/ops/random/detail/draw.hpp>
#include <flowgraph/ops/random/detail/seed.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

void begin_at(random_arguments& r, const detail::philox& source) {
  r.key = source.key();
  r.low = source.place_low();
  r.high = source.place_high();
}

// The key and the counter are on the GPU.
void read_key(const gpu_call& c, random_arguments& r) {
  const std::int64_t algorithm = c.integers(3).scalar();
  if (algorithm != 1 && algorithm != 3) return c.fail(message{"unsupported algorithm ", algorithm, ", expected 1 (Philox)"});
  if (c.in(2).size() < 2) return c.fail(message{"the counter must have 2 elements, found ", c.in(2).shape()});
  r.key_at = static_cast<const std::uint64_t*>(c.in(1).data());
  r.counter = static_cast<const std::uint64_t*>(c.in(2).data());
}

}  // namespace

void run_random(const gpu_call& c) {
  const std::string_view op = c.record().op;
  random_arguments r;
  r.y = c.out().data();
  r.size = size_of_tensor(c.out());
  if (c.record().form == kernel_form::random_range) {
    const std::int64_t first = c.integers(c.input_count() - 2).scalar(), end = c.integers(c.input_count() - 1).scalar();
    if (!detail::check_bounds(cpu(c.call()), first, end)) return;
    r.first_value = first;
    r.values = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(first);
  }
  if (!op.starts_with("Stateless")) {
    const detail::random_seeds seeds{c.attribute<std::int64_t>("seed"), c.attribute<std::int64_t>("seed2")};
    begin_at(r, detail::source_of(cpu(c.call()), seeds, c.out().size()));
  } else if (op.ends_with("V2")) {
    read_key(c, r);
  } else {
    begin_at(r, detail::source_at(c.integers(1)));
  }
  if (c.failed()) return;
  const std::int64_t each = size_of(c.out().type()) == 8 ? 2 : 4;
  c.launch_each(c.record().function, gpu_call::parts_of(r.size, each), r);
}

}
}
}  // namespace flowgraph::cuda
