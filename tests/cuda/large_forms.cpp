// Kernels for large tensors at the sizes where they begin: sums by several blocks, transposes by tiles, gathers of rows by packs.
// Also what these forms and segments report.

#include "emulation/devices.hpp"

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/reduction/segment.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

namespace {

namespace fg = flowgraph;

template <class T> fg::tensor<T> numbered(const fg::shape& s) {
  fg::tensor<T> made(s);
  std::uint32_t at = 4711;
  for (T& e : made.writable()) {
    at = at * 1664525u + 1013904223u;
    if constexpr (std::is_same_v<T, fg::complex128>) e = {static_cast<double>(at >> 16), static_cast<double>(at & 255)};
    else if constexpr (std::is_integral_v<T>) e = static_cast<T>(at >> 16);
    else e = static_cast<T>(static_cast<float>(at >> 16) / 32768.f - 1.f);
  }
  return made;
}

bool have_same_elements(const fg::any_tensor& a, const fg::any_tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

// Runs on the CPU, and on a GPU for each of three seeds. Calls check(on the CPU, on the GPU).
template <class Check> void compare_with_cpu(const fg::graph& g, const std::vector<fg::any_out>& fetches, const Check& check) {
  fg::session here{g};
  here.initialize();
  const auto wanted = here.try_run({{}, fetches, {}}).value();
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    const emulation::emulated gpu = emulation::open(seed);
    fg::session s{g, {.devices = gpu.devices}};
    s.initialize();
    const auto found = s.try_run({{}, fetches, {}});
    REQUIRE_MESSAGE(found.has_value(), std::string(found.error().what()));
    CHECK(gpu.counts->launches > 0);
    for (std::size_t i = 0; i < fetches.size(); ++i) {
      CAPTURE(i);
      check(i, wanted[i], (*found)[i]);
    }
  }
}
void compare_elements(const fg::graph& g, const std::vector<fg::any_out>& fetches) {
  compare_with_cpu(g, fetches,
                   [](std::size_t, const fg::any_tensor& a, const fg::any_tensor& b) { CHECK(have_same_elements(a, b)); });
}

template <class T> void compare_transposes() {
  fg::graph g;
  std::vector<fg::any_out> fetches;
  int number = 0;
  const auto add = [&](const fg::shape& s, const fg::shape& order) {
    const auto x = g.variable<T>("x" + std::to_string(++number), numbered<T>(s));
    fetches.push_back(fg::transpose(fg::out<T>(x), order));
  };
  add({70, 45}, {1, 0});
  add({16, 33}, {1, 0});
  add({3, 40, 65}, {0, 2, 1});
  add({17, 3, 33}, {2, 1, 0});
  add({4, 33, 3, 50}, {3, 0, 1, 2});
  add({5, 2, 40, 18}, {1, 3, 0, 2});
  add({200, 5}, {1, 0});
  compare_elements(g, fetches);
}

}  // namespace

TEST_CASE("a GPU reduces many elements by several blocks") {
  fg::graph g;
  std::vector<fg::any_out> close, equal;
  for (const std::int64_t n : {65535, 65536, 200003}) {
    const std::string name = std::to_string(n);
    const fg::out<float> x = g.variable<float>("x" + name, numbered<float>(fg::shape{n}));
    const fg::out<std::int32_t> k = g.variable<std::int32_t>("k" + name, numbered<std::int32_t>(fg::shape{n}));
    close.insert(close.end(), {fg::sum(x), fg::mean(x)});
    equal.insert(equal.end(), {fg::max(x), fg::min(x), fg::sum(k), fg::mean(k), fg::max(k)});
  }
  const fg::out<float> volume = g.variable<float>("volume", numbered<float>({300, 3, 250}));
  close.push_back(fg::sum(volume, {0, 2}));
  equal.push_back(fg::max(volume, {0, 2}));
  for (const fg::shape& s : {fg::shape{64, 32}, fg::shape{700, 33}, fg::shape{70000, 40}, fg::shape{65, 1000}}) {
    const std::string name = std::to_string(s[0]);
    const fg::out<float> x = g.variable<float>("matrix" + name, numbered<float>(s));
    const fg::out<std::int32_t> k = g.variable<std::int32_t>("numbers" + name, numbered<std::int32_t>(s));
    close.insert(close.end(), {fg::sum(x, {0}), fg::mean(x, {0})});
    equal.insert(equal.end(), {fg::max(x, {0}), fg::sum(k, {0}), fg::mean(k, {0}), fg::prod(k, {0})});
  }
  compare_elements(g, equal);
  compare_with_cpu(g, close, [](std::size_t, const fg::any_tensor& a, const fg::any_tensor& b) {
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a.as<float>()[i] - b.as<float>()[i]) < 0.05f);
  });
}

TEST_CASE("a GPU reduces several axes by columns and by runs") {
  struct form {
    fg::shape x;
    std::vector<std::int32_t> axes;
  };
  const std::vector<form> forms = {
      {{5, 70, 40}, {1}},         // a stack of matrices
      {{3, 9, 11, 36}, {1, 2}},   // the means of channels of images
      {{3, 2, 300, 33}, {0, 2}},  // rows of two axes, and columns without packs
      {{2, 65, 3, 40, 32}, {1, 3}},
      {{2, 3, 80, 130}, {0, 2}},
      {{6, 7, 8, 8}, {0, 2, 3}},  // the sums of a bias: runs of packs
      {{6, 4, 7, 7}, {0, 2, 3}},  // runs that end within a pack
      {{40, 3, 3}, {0, 2}},       // runs shorter than a pack
      {{5, 3, 4, 2, 16}, {0, 2, 4}},
      {{30, 2, 4096}, {0, 2}},  // by several blocks
      {{70, 2, 1001}, {0, 2}},
      {{4, 100, 3}, {1}},  // too few columns for a strip
  };
  fg::graph g;
  std::vector<fg::any_out> close, equal;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const std::string name = std::to_string(i);
    const auto& [shape, axes] = forms[i];
    const fg::out<float> x = g.variable<float>("x" + name, numbered<float>(shape));
    const fg::out<std::int32_t> k = g.variable<std::int32_t>("k" + name, numbered<std::int32_t>(shape));
    const fg::out<fg::half> h = g.variable<fg::half>("h" + name, numbered<fg::half>(shape));
    close.insert(close.end(), {fg::sum(x, axes), fg::mean(x, axes)});
    equal.insert(equal.end(), {fg::max(x, axes), fg::sum(k, axes), fg::prod(k, axes), fg::max(h, axes), fg::min(h, axes)});
  }
  compare_elements(g, equal);
  compare_with_cpu(g, close, [](std::size_t, const fg::any_tensor& a, const fg::any_tensor& b) {
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a.as<float>()[i] - b.as<float>()[i]) < 0.05f);
  });
}

TEST_CASE("sums on a GPU do not depend on the alignment of their elements") {
  for (const std::int64_t n : {70001, 1003}) {
    fg::tensor<float> row = numbered<float>(fg::shape{n}), rows({5, n});
    for (std::size_t i = 0; i < rows.size(); ++i) rows.writable()[i] = row[i % row.size()];
    fg::graph g;
    const fg::out<float> made = fg::sum(fg::out<float>(g.variable<float>("rows", rows)), {1});
    const emulation::emulated gpu = emulation::open(2);
    fg::session s{g, {.devices = gpu.devices}};
    s.initialize();
    const auto found = s.run(fg::fetch(made));
    for (std::size_t i = 1; i < 5; ++i) CHECK(found[i] == found[0]);
  }
}

TEST_CASE("a GPU transposes by tiles") {
  compare_transposes<std::int8_t>();
  compare_transposes<fg::half>();
  compare_transposes<float>();
  compare_transposes<double>();
  compare_transposes<fg::complex128>();
}

TEST_CASE("a GPU gathers rows by packs, and reports the first bad index") {
  fg::graph g;
  fg::tensor<std::int32_t> at({9}, {3, 0, 6, 6, 1, 5, 2, 4, 0});
  const fg::out<std::int32_t> rows = g.variable<std::int32_t>("at", at);
  std::vector<fg::any_out> fetches;
  for (const std::int64_t width : {4, 12, 40, 1028, 17000}) {
    const std::string name = std::to_string(width);
    const fg::out<float> x = g.variable<float>("x" + name, numbered<float>({7, width}));
    fetches.push_back(fg::gather(x, rows));
  }
  fetches.push_back(fg::gather(fg::out<float>(g.variable<float>("y", numbered<float>({3, 7, 20}))), rows, 1));
  fetches.push_back(fg::gather(fg::out<std::int8_t>(g.variable<std::int8_t>("z", numbered<std::int8_t>({7, 48}))), rows));
  compare_elements(g, fetches);

  fg::graph bad;
  const fg::out<float> x = bad.variable<float>("x", numbered<float>({7, 40}));
  const auto named = bad.placeholder<std::int64_t>("named", {fg::any});
  const emulation::emulated gpu = emulation::open(1);
  fg::session s{bad, {.devices = gpu.devices}};
  s.initialize();
  const auto run = [&](std::int64_t last) {
    return s.try_run(fg::fetch(fg::gather(x, named)), {{named, fg::tensor<std::int64_t>({4}, {0, 6, 2, last})}});
  };
  CHECK(run(7).error().message() == "indices[3] is not in [0, 7)");
  CHECK(run(-1).error().message() == "indices[3] is not in [0, 7)");
  CHECK(run(6).has_value());
}

TEST_CASE("a GPU reports ids of segments that do not ascend") {
  fg::graph g;
  const fg::out<float> x = g.variable<float>("x", numbered<float>({4, 5}));
  const auto ids = g.placeholder<std::int32_t>("ids", {4});
  const auto y = fg::segment_mean(x, ids);
  const emulation::emulated gpu = emulation::open(1);
  fg::session s{g, {.devices = gpu.devices}};
  fg::session here{g};
  s.initialize();
  here.initialize();
  const auto run = [&](fg::session& in, std::initializer_list<std::int32_t> i) {
    return in.try_run(fg::fetch(y), {{ids, fg::tensor<std::int32_t>({4}, i)}});
  };
  CHECK(run(s, {0, 2, 1, 3}).error().message() == "segment_ids[2] is not in ascending order from 0");
  CHECK(run(s, {-1, 0, 0, 3}).error().message() == "segment_ids[0] is not in ascending order from 0");
  CHECK(run(s, {0, 0, 0, -3}).error().code() == fg::error_code::invalid_argument);
  const auto wanted = run(here, {0, 0, 0, 3}), found = run(s, {0, 0, 0, 3});
  REQUIRE(found.has_value());
  CHECK(have_same_elements(wanted->erased(), found->erased()));
}
