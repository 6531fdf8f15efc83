// Memory is the user's to give: a resource for all that a session makes, samples that are read where they lie, and a hard limit.
//
//     samples (the program's) ──> Mul ──> Sum ──> y
//                                          all tensors come from `counted`

#include <flowgraph/flowgraph.hpp>

#include <array>
#include <cstdio>
#include <memory_resource>

namespace fg = flowgraph;

// Counts the bytes that are out.
class counting_resource : public std::pmr::memory_resource {
public:
  std::size_t in_use = 0, peak = 0;

private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    in_use += bytes;
    peak = in_use > peak ? in_use : peak;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    in_use -= bytes;
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto y = fg::sum(x * x);

  alignas(64) std::array<float, 1024> samples;
  samples.fill(0.5f);
  int released = 0;
  auto borrowed = fg::tensor<float>::borrow({1024}, samples.data(), [&released] { ++released; });

  counting_resource counted;
  float energy = 0;
  {
    fg::session s{g, {.memory = &counted}};
    energy = s.run(fg::fetch(y), {{x, borrowed}}).scalar();
  }
  borrowed = {};
  const bool returned = counted.peak > 0 && counted.in_use == 0 && released == 1;
  std::printf("energy %g; at most %zu bytes, %zu left; samples given back: %d\n", energy, counted.peak, counted.in_use, released);

  // Beyond the limit a run ends in an error; smaller ones go on.
  fg::session small{g, {.memory_limit = 64 * 1024}};
  auto refused = small.try_run(fg::fetch(y), {{x, fg::tensor<float>({100000})}});
  std::printf("%s\n", refused.error().what());
  const bool limited = refused.error().code() == fg::error_code::resource_exhausted;
  const bool usable = small.try_run(fg::fetch(y), {{x, fg::tensor<float>({100})}}).has_value();
  return energy == 256 && returned && limited && usable ? 0 : 1;
}
