// Changes of rows: bad indices while other threads end their runs.

#include "emulation/devices.hpp"
#include "emulation/launch.hpp"

#include <cuda/kernels/scatters.hpp>

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/state/scatter.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

namespace {

namespace fg = flowgraph;
namespace cuda = flowgraph::cuda;

// Memory of a GPU with six numbers, of which the middle four are the rows of a variable, and with indices for these rows.
struct rows_of_four {
  std::unique_ptr<cuda::device_memory> memory =
      cuda::device_memory::make(std::make_unique<emulation::driver>(1, std::make_shared<emulation::state>()), {.most_checked = 3})
          .value();
  std::array<float, 6> numbers{1, 1, 1, 1, 1, 1};
  std::array<std::int32_t, 5> indices{0, -1, 4, 3, 1};
  float* all = static_cast<float*>(memory->allocate(sizeof numbers));
  void* index = memory->allocate(sizeof indices);

  rows_of_four() {
    memory->copy_in(numbers.data(), all, sizeof numbers);
    memory->copy_in(indices.data(), index, sizeof indices);
  }
  ~rows_of_four() {
    memory->deallocate(all, sizeof numbers);
    memory->deallocate(index, sizeof indices);
  }
  std::array<float, 6> read() {
    memory->copy_out(all, numbers.data(), sizeof numbers);
    return numbers;
  }
};

// Reports a bad position of a call: the number of the call is too large by `inner`.
struct reports_a_fault {
  template <class Block> void operator()(Block& b, const cuda::scatter_arguments& s) const {
    b.each(1, [&](std::int64_t) { b.report(s.fault, s.call + static_cast<std::uint32_t>(s.inner), s.count); });
  }
};
// Requests such a kernel.
void request_fault(cuda::device_memory& memory, std::int64_t position, std::int64_t too_large, std::string_view node) {
  cuda::scatter_arguments s;
  s.count = position;
  s.inner = too_large;
  CHECK_FALSE(cuda::device_memory::launches(memory).launch(
      emulation::of_host::function<reports_a_fault, cuda::scatter_arguments>(), 1, s,
      {fg::error(fg::error_code::invalid_argument, "").at(node, "Op", {}), "indices", "[0, 4)"}));
}

}  // namespace

TEST_CASE("kernels that change rows skip bad rows, also if the word of faults is empty") {
  const std::array<float, 6> wanted{1, 2, 2, 1, 2, 1};
  {
    rows_of_four r;
    cuda::scatter_arguments s;
    s.x = r.all;  // the number before the variable is added
    s.index = r.index;
    s.y = r.all + 1;
    s.fault = r.memory->fault();
    s.rows = 4;
    s.count = 5;
    s.inner = 1;
    s.x_row = s.x_column = 0;
    using body = cuda::scatter_rows<cuda::changed_by<fg::functor::add>, float, std::int32_t>;
    CHECK_FALSE(r.memory->launch(emulation::of_host::function<body, cuda::scatter_arguments>(), 1, s));
    CHECK(r.read() == wanted);
  }
  rows_of_four r;
  auto* const ones = static_cast<float*>(r.memory->allocate(5 * sizeof(float)));
  r.memory->copy_within(r.all, ones, 5 * sizeof(float));
  cuda::update_arguments u;
  u.variables[0] = r.all + 1;
  u.gradient = ones;
  u.index = r.index;
  u.fault = r.memory->fault();
  u.rows = 4;
  u.count = 5;
  u.inner = 1;
  using body = cuda::update_rows<cuda::joined_with<fg::functor::add>, float, std::int32_t>;
  CHECK_FALSE(r.memory->launch(emulation::of_host::function<body, cuda::update_arguments>(), 1, u));
  CHECK(r.read() == wanted);
  r.memory->deallocate(ones, 5 * sizeof(float));
}

TEST_CASE("no row changes after a bad index, also while another thread ends runs") {
  const emulation::emulated gpu = emulation::open(1);
  fg::graph g;
  const auto v = g.variable<float>("v", fg::tensor<float>({4}, {1, 2, 3, 4}));
  const auto at = g.placeholder<std::int32_t>("at", {2});
  const auto changed = fg::scatter_add(v, at, g.constant(fg::tensor<float>({2}, {1, 1})));
  fg::session s{g, {.devices = gpu.devices}};
  s.initialize();
  std::atomic<bool> is_over = false;
  std::atomic<int> found = 0;
  std::thread other([&] {
    while (!is_over) found += static_cast<bool>(gpu.gpu().own_memory().finish());
  });
  const fg::target change = changed;
  for (int i = 0; i < 2000; ++i) {
    const auto ran = s.try_run({std::vector<fg::fed>{{at, fg::tensor<std::int32_t>({2}, {1, 7}).erased()}}, {}, {&change, 1}});
    found += !ran.has_value();
  }
  is_over = true;
  other.join();
  CHECK(found > 0);
  const auto kept = s.run(fg::fetch(v));
  CHECK(kept[1] == 2);
}

TEST_CASE("a fault of a call that does not exist is an internal error, reported once") {
  rows_of_four r;
  request_fault(*r.memory, 7, 5, "a");
  const fg::error found = r.memory->finish();
  CHECK(found.code() == fg::error_code::internal);
  CHECK(found.message() == "a kernel reported a bad index of call 5, expected a call below 1");
  CHECK_FALSE(r.memory->finish());
  request_fault(*r.memory, 7, 0, "b");
  CHECK(r.memory->finish().message() == "indices[7] is not in [0, 4)");
  CHECK_FALSE(r.memory->finish());
}

TEST_CASE("many checked calls of a run are forgotten before their end, but not the first fault") {
  rows_of_four r;
  cuda::scatter_arguments good;
  good.index = r.index;
  good.rows = 1;
  good.count = 1;
  for (int i = 0; i < 20; ++i) {
    if (i == 4 || i == 9) request_fault(*r.memory, i, 0, i == 4 ? "first" : "second");
    else
      CHECK_FALSE(cuda::device_memory::launches(*r.memory).launch(
          emulation::of_host::function<cuda::check_rows<std::int32_t>, cuda::scatter_arguments>(), 1, good,
          cuda::checked_call{}));
    CHECK(r.memory->checked() <= 3);
  }
  std::array<fg::cuda::fault_word, 1> word{};
  r.memory->copy_out(r.memory->fault(), word.data(), sizeof word);
  CHECK(word[0] != cuda::no_fault);  // no variable changes until the fault is reported
  const fg::error found = r.memory->finish();
  CHECK(found.message() == "indices[4] is not in [0, 4)");
  CHECK(found.node() == "first");
  CHECK_FALSE(r.memory->finish());
  r.memory->copy_out(r.memory->fault(), word.data(), sizeof word);
  CHECK(word[0] == cuda::no_fault);
}
