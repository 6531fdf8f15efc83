// Every op of the standard registry, by its sample: see tests/harness/sample.hpp for how to add one.

#include <flowgraph/ops/all.hpp>

#include "../harness/accelerator/kernels.hpp"
#include "../harness/check.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

namespace {

namespace fg = flowgraph;

const fg::registry& standard_registry() {
  static const fg::registry made = [] {
    fg::registry r;
    fg::add_standard_ops(r).value();
    return r;
  }();
  return made;
}

void check_all(void (*check)(harness::workshop&, const harness::sample&, harness::report&)) {
  harness::workshop w(standard_registry());
  harness::report r;
  for (const harness::sample& s : harness::standard_samples()) {
    INFO("op ", std::string(s.op));
    check(w, s, r);
  }
  for (const std::string& failure : r.failures()) FAIL_CHECK(failure);
  CHECK(r.failed() == 0);
  CHECK(r.checks() > 0);
  std::string skipped;
  for (const auto& [op, why] : r.skipped()) skipped += "\n  " + op + ": " + why;
  MESSAGE(r.checks(), " checks; left out: ", r.skipped().size(), " ops", skipped);
}

}  // namespace

TEST_CASE("every op has a sample, every sample an op") {
  for (const std::string& problem : harness::unmatched(standard_registry(), harness::standard_samples())) FAIL_CHECK(problem);
  CHECK(standard_registry().names().size() > 80);
}

TEST_CASE("shapes in the graph hold in the run; what is known of inputs and who owns them changes no result") {
  check_all(&harness::check_shapes);
}

TEST_CASE("inputs whose values a shape rule looks for are host inputs") { check_all(&harness::check_host_arguments); }

TEST_CASE("the emulated accelerator, one of the ways to run, has kernels for most ops") {
  std::size_t ops = 0;
  for (const std::string_view name : standard_registry().names())
    if (std::ranges::any_of(standard_registry().tables(name),
                            [](const fg::op_table* t) { return accelerator::has_kernel_for(*t); }))
      ++ops;
  CHECK(ops > 300);
  MESSAGE(ops, " of ", standard_registry().names().size(), " ops");
}

TEST_CASE("threads and ways to run change no bit") { check_all(&harness::check_ways); }

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("gradients are derivatives, and can be differentiated again") { check_all(&harness::check_gradients); }
#endif

TEST_CASE("wrong inputs and attributes end in an error, wild ones never in a crash") { check_all(&harness::check_refusals); }

// FLOWGRAPH_MUTATIONS says how many, FLOWGRAPH_MUTATION_SEED which.
TEST_CASE("calls changed at random end in an error or a result") {
  const auto number_in = [](const char* variable, std::uint64_t otherwise) -> std::uint64_t {
    const char* text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  harness::workshop w(standard_registry());
  harness::report r;
  const std::uint64_t count = number_in("FLOWGRAPH_MUTATIONS", 20000);
  harness::check_mutations(w, harness::standard_samples(), number_in("FLOWGRAPH_MUTATION_SEED", 1), count, r);
  for (const std::string& failure : r.failures()) FAIL_CHECK(failure);
  CHECK(r.checks() == count);
}
