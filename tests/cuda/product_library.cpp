// Products of matrices by cuBLASLt, with a stand-in for this library on emulated GPUs.

#include "emulation/devices.hpp"

#include <flowgraph/cuda/cuda.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>

namespace {

namespace fg = flowgraph;
namespace lt = fg::cuda::cublaslt;
using emulation::stand_in::counted;

emulation::emulated with_library(std::uint64_t seed, const fg::cuda::memory_options& options = {}) {
  return emulation::try_open(seed, std::make_shared<emulation::state>(), options, true).value();
}

template <class T> fg::tensor<T> fractions(const fg::shape& s) {
  fg::tensor<T> made(s);
  std::uint32_t at = 99;
  for (T& e : made.writable()) {
    at = at * 1664525u + 1013904223u;
    e = static_cast<T>(static_cast<float>(at >> 20) / 2048.f - 1.f);
  }
  return made;
}

// A product of two variables, and what the host and a GPU with the library compute.
template <class T> struct one_product {
  fg::graph g;
  fg::out<T> y;
  fg::any_tensor wanted;

  one_product(const fg::shape& a, const fg::shape& b, bool turned_a = false, bool turned_b = false) {
    const fg::out<T> x = g.variable<T>("a", fractions<T>(a)), z = g.variable<T>("b", fractions<T>(b));
    y = a.rank == 2 && b.rank == 2 ? fg::matmul(x, z, {.transpose_a = turned_a, .transpose_b = turned_b})
                                   : fg::batch_matmul(x, z, {.adj_x = turned_a, .adj_y = turned_b});
    fg::session here{g};
    here.initialize();
    wanted = here.run(fg::fetch(y)).erased();
  }
  fg::result<fg::any_tensor> run(const emulation::emulated& gpu) const {
    fg::session s{g, {.devices = gpu.devices}};
    if (auto begun = s.try_initialize(); !begun) return begun.error();
    auto made = s.try_run(fg::fetch(y));
    if (!made) return made.error();
    return made->erased();
  }
  bool is_close(const fg::any_tensor& found) const {
    if (!(found.shape() == wanted.shape())) return false;
    const double tolerance = sizeof(T) == 8 ? 1e-13 : sizeof(T) == 4 ? 1e-5 : 1e-2;
    using number = std::conditional_t<std::is_integral_v<T> || sizeof(T) >= 4, T, float>;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto x = static_cast<double>(static_cast<number>(found.as<T>()[i]));
      const auto z = static_cast<double>(static_cast<number>(wanted.as<T>()[i]));
      if (!(std::abs(x - z) <= tolerance * std::max(1.0, std::abs(z)))) return false;
    }
    return true;
  }
};

// Returns how many products the library gets, and checks the result under three seeds.
template <class T>
std::uint64_t products_of(const fg::shape& a, const fg::shape& b, bool turned_a = false, bool turned_b = false) {
  const one_product<T> p(a, b, turned_a, turned_b);
  std::uint64_t requested = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const emulation::emulated gpu = with_library(seed);
    const std::uint64_t before = counted().products;
    const auto found = p.run(gpu);
    REQUIRE_MESSAGE(found.has_value(), std::string(found.error().what()));
    CHECK(p.is_close(*found));
    requested = counted().products - before;
  }
  return requested;
}

template <class T> void compute_by_library() {
  for (const bool turned_a : {false, true})
    for (const bool turned_b : {false, true}) {
      CAPTURE(turned_a);
      CAPTURE(turned_b);
      const auto shape_of = [](std::initializer_list<std::int64_t> before, std::int64_t rows, std::int64_t columns, bool turned) {
        fg::shape s;
        for (const std::int64_t n : before) s.push_back(n);
        s.push_back(turned ? columns : rows);
        s.push_back(turned ? rows : columns);
        return s;
      };
      const auto run = [&](std::initializer_list<std::int64_t> of_a, std::initializer_list<std::int64_t> of_b, std::int64_t rows,
                           std::int64_t inner, std::int64_t columns) {
        return products_of<T>(shape_of(of_a, rows, inner, turned_a), shape_of(of_b, inner, columns, turned_b), turned_a,
                              turned_b);
      };
      CHECK(run({}, {}, 3, 5, 7) == 1);
      CHECK(run({}, {}, 1, 20, 4) == 1);
      CHECK(run({}, {}, 6, 1, 1) == 1);
      CHECK(run({4}, {4}, 3, 5, 2) == 1);
      CHECK(run({2, 3}, {2, 3}, 2, 9, 3) == 1);
      CHECK(run({5}, {1}, 3, 4, 2) == 1);
      CHECK(run({}, {5}, 3, 4, 2) == 1);
      CHECK(run({2, 1}, {1, 3}, 2, 3, 2) == 0);  // the steps are not constant
    }
}

std::string error_of(const one_product<float>& p, const emulation::emulated& gpu) {
  const auto found = p.run(gpu);
  REQUIRE_FALSE(found.has_value());
  CHECK(found.error().op() == "MatMul");
  return std::string(found.error().message());
}

}  // namespace

TEST_CASE("cuBLASLt computes products of each type, in each order, and of stacks") {
  compute_by_library<float>();
  compute_by_library<double>();
  compute_by_library<fg::half>();
  CHECK(counted().objects == 0);
}

TEST_CASE("flowgraph's own kernel computes the products that cuBLASLt does not") {
  CHECK(products_of<std::int32_t>({3, 5}, {5, 2}) == 0);
  CHECK(products_of<float>({3, 0}, {0, 2}) == 0);
  CHECK(products_of<float>({0, 3}, {3, 2}) == 0);
  CHECK(products_of<float>({3, 13}, {13, 2}) == 0);  // emulation::stand_in::refused_inner
  CHECK(products_of<float>({3, 14}, {14, 2}) == 0);  // divided_inner
  const one_product<float> p({4, 9}, {9, 3});
  const std::uint64_t before = counted().calls;
  CHECK(p.run(emulation::open(1)).has_value());  // without the library
  CHECK(counted().calls == before);
}

TEST_CASE("the algorithm fits the addresses of the operands") {
  fg::graph g;
  const fg::out<float> rows = g.variable<float>("rows", fractions<float>({9, 5}));
  auto x = g.placeholder<float>("x", {fg::any, 5});
  const auto y = fg::matmul(x, rows, {.transpose_b = true});
  const emulation::emulated gpu = with_library(1);
  fg::session s{g, {.devices = gpu.devices}};
  s.initialize();
  const std::uint64_t before = counted().with_packs;
  s.run(fg::fetch(y), {{x, fractions<float>({2, 5})}});
  CHECK(counted().with_packs == before + 1);

  fg::cuda::device_memory& memory = gpu.gpu().own_memory();
  auto& library = *gpu.gpu().products();
  const fg::cuda::product_sizes sizes{fg::dtype::float32, 2, 3, 4};
  auto moved = sizes;
  moved.aligned = false;
  auto* const block = static_cast<float*>(memory.allocate(1024));
  const auto multiply = [&](const fg::cuda::product_sizes& p) {
    const auto plan = library.plan(p).value();
    return memory.launch(
        [&](fg::cuda::stream to) { return library.multiply(*plan, block + 1, block + 33, block + 65, nullptr, to); });
  };
  CHECK(multiply(sizes).code() == fg::error_code::internal);
  CHECK_FALSE(multiply(moved));
  CHECK(counted().with_packs == before + 1);
  memory.deallocate(block, 1024);
}

TEST_CASE("an algorithm is chosen once for a product, and the results of all runs are equal") {
  const one_product<float> p({17, 33}, {33, 9});
  std::vector<float> first;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const emulation::emulated gpu = with_library(seed);
    fg::session s{p.g, {.devices = gpu.devices}};
    s.initialize();
    const std::uint64_t before = counted().searches;
    for (int i = 0; i < 5; ++i) {
      const auto found = s.run(fg::fetch(p.y));
      const std::vector<float> elements(found.data(), found.data() + found.size());
      if (first.empty()) first = elements;
      CHECK(found.size() == first.size());
      CHECK(elements == first);
    }
    CHECK(counted().searches == before + 1);
  }
  // The plans that are kept have a limit.
  const emulation::emulated gpu = with_library(1);
  for (std::int64_t i = 1; i <= static_cast<std::int64_t>(fg::cuda::product_library::most_plans) + 5; ++i)
    CHECK(gpu.gpu().products()->plan({fg::dtype::float32, i, 2, 3}).has_value());
  CHECK(counted().objects < 5000);
}

TEST_CASE("a library that fails at any call ends in an error, and nothing leaks") {
  const one_product<float> p({4, 9}, {9, 3});
  for (const bool by_driver : {false, true}) {
    CAPTURE(by_driver);
    std::uint64_t refused = 0, made = 0, at_open = 0;
    bool has_failed = true;
    for (std::uint64_t failing = 1; has_failed; ++failing) {
      CAPTURE(failing);
      const auto counts = std::make_shared<emulation::state>();
      counted().calls = 0;
      (by_driver ? counts->failing : counted().failing) = failing;
      {
        auto gpu = emulation::try_open(1, counts, {}, true);
        if (gpu) {
          const auto found = p.run(*gpu);
          found ? ++made : ++refused;
          if (!found && !by_driver) CHECK(found.error().op() == "MatMul");
          has_failed = (by_driver ? counts->calls.load() : counted().calls.load()) >= failing;
          counts->failing = counted().failing = 0;
          static_cast<void>(gpu->gpu().own_memory().finish());  // reports a block that was not freed
          const auto again = p.run(*gpu);
          REQUIRE(again.has_value());
          CHECK(p.is_close(*again));
        } else {
          CHECK(gpu.error().code() == fg::error_code::unavailable);
          ++at_open;
        }
      }
      counts->failing = counted().failing = 0;
      CHECK(counted().objects == 0);
      CHECK(counts->bytes == 0);
      CHECK(counts->streams == 0);
    }
    CHECK(at_open > 0);
    CHECK(refused > 10);
    CHECK(made < 6);  // what is freed or destroyed fails unnoticed
  }
}

TEST_CASE("an error of cuBLASLt names the function, the status and the op") {
  const one_product<float> p({4, 9}, {9, 3});
  const emulation::emulated gpu = with_library(1);
  const auto fail_at = [&](std::uint64_t call, int status) {
    counted().calls = 0;
    counted().failing = call;
    counted().status = status;
    const std::string why = error_of(p, gpu);
    counted().failing = 0;
    counted().status = lt::status::execution_failed;
    return why;
  };
  CHECK(fail_at(1, lt::status::allocation_failed) == "cublasLtMatmulDescCreate: CUBLAS_STATUS_ALLOC_FAILED");
  CHECK(fail_at(2, lt::status::invalid_value) == "cublasLtMatrixLayoutCreate: CUBLAS_STATUS_INVALID_VALUE");
  CHECK(p.run(gpu).has_value());
  CHECK(fail_at(1, lt::status::execution_failed) == "cublasLtMatmul: CUBLAS_STATUS_EXECUTION_FAILED");
  CHECK(p.run(gpu).has_value());
}

TEST_CASE("the libraries of two GPUs compute on their own GPU") {
  const one_product<float> p({4, 9}, {9, 3});
  const emulation::emulated first = with_library(1);
  const auto counts = std::make_shared<emulation::state>();
  counts->index = 1;
  const auto second = emulation::try_open(2, counts, {}, true).value();
  fg::session here{p.g, {.devices = first.devices}}, there{p.g, {.devices = second.devices}};
  here.initialize();
  there.initialize();
  for (int i = 0; i < 3; ++i) {
    CHECK(p.is_close(here.run(fg::fetch(p.y)).erased()));
    CHECK(p.is_close(there.run(fg::fetch(p.y)).erased()));
  }
}

TEST_CASE("the memory of an algorithm counts towards the limit of the GPU") {
  const one_product<float> p({4, 9}, {9, 3});
  CHECK(p.run(with_library(1, {.memory_limit = 8192})).has_value());
  const emulation::emulated gpu = with_library(1, {.memory_limit = 2048});
  CHECK(error_of(p, gpu) == "there is no memory for 4096 bytes of intermediate results");
  CHECK(gpu.gpu().own_memory().in_use() < 2048);
}

TEST_CASE("a GPU without cuBLASLt is not opened with libraries, and the error names the library") {
  const auto counts = std::make_shared<emulation::state>();
  counts->has_library = false;
  const auto opened = emulation::try_open(1, counts, {}, true);
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code() == fg::error_code::unavailable);
  CHECK(opened.error().message() == "cuBLASLt is missing: there is no libno_library.so.1, and no libno_library.so.2");
  CHECK(counts->streams == 0);
  CHECK(emulation::try_open(1, counts).has_value());
}

TEST_CASE("a device reports the version of its library") {
  CHECK(fg::cuda::libraries_of(with_library(1).devices[0]) == "cuBLASLt 13.1.2");
  CHECK(fg::cuda::libraries_of(emulation::open(1).devices[0]).empty());
  CHECK(fg::cuda::libraries_of(fg::cpu_devices(1)[0]).empty());
}

TEST_CASE("a function that a library does not have is named") {
  lt::functions all = lt::find_functions([](const char* name) { return emulation::stand_in::find(name); }).value();
  CHECK(std::memcmp(&all, &emulation::stand_in::functions(), sizeof all) == 0);
  int functions = 0;
  lt::each_function(all, [&](const char* missing, auto&) {
    ++functions;
    const auto found = lt::find_functions(
        [&](const char* name) { return std::strcmp(name, missing) == 0 ? nullptr : emulation::stand_in::find(name); });
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().message() == std::string("cuBLASLt has no function ") + missing);
  });
  CHECK(sizeof all == static_cast<std::size_t>(functions) * sizeof(void*));
}

// The library itself is not a part of the tests. Where there is one, it has all functions.
TEST_CASE("cuBLASLt has all functions, or the error names the missing part") {
  constexpr std::array names{"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib/libcublasLt.so.13",
                             "/usr/local/cuda/lib64/libcublasLt.so.12"};
  const auto opened = lt::open_library(names);
  if (!opened) {
    const std::string why = opened.error().what();
    MESSAGE(why);
    CHECK(why.find("there is no libcublasLt.so.13") != why.npos);
    return;
  }
  MESSAGE("version ", opened->version());
  CHECK(opened->version() >= 120000);
  CHECK(std::string(opened->name_of(lt::status::not_supported)) == "CUBLAS_STATUS_NOT_SUPPORTED");
  // Descriptions of matrices need no GPU.
  lt::layout made = nullptr;
  REQUIRE(opened->create_layout(&made, lt::type::float32, 3, 4, 3) == lt::status::success);
  const std::int32_t count = 5;
  const std::int64_t step = 12;
  CHECK(opened->set_layout(made, lt::of_layout::batch_count, &count, sizeof count) == lt::status::success);
  CHECK(opened->set_layout(made, lt::of_layout::batch_step, &step, sizeof step) == lt::status::success);
  CHECK(opened->set_layout(made, lt::of_layout::batch_step, &count, sizeof count) == lt::status::invalid_value);
  CHECK(opened->destroy_layout(made) == lt::status::success);
}
