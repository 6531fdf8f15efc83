#pragma once
// Times a step as the peers' benchmarks do, and prints one line of JSON a work and variant.

#include <flowgraph/core/function.hpp>

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct options {
  std::vector<std::string> works = {};     // empty: all
  std::vector<std::string> variants = {};  // empty: all
  int threads = 1;
  int spin = 0;  // microseconds for which an idle thread of a pool looks for work
  int samples = 5;
  double seconds = 0.1;    // aimed length of one sample
  std::string files = {};  // the folder of those that works read and write
  int megabytes = 64;      // of the checkpoints that works write

  bool wants(std::string_view variant) const;
};

// "a,b" as {"a", "b"}: how works and variants are named on a command line.
std::vector<std::string> split(std::string_view list);

inline double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// What is measured, and how it is printed.
struct subject {
  std::string_view variant = {}, work = {}, unit = {};  // unit: "ns/node", "us/run", ...
  double per = 1;                                       // units of work in a step
  int limit = 1'000'000'000;                            // steps in all
  std::string_view peer = "flowgraph/";                 // what comes before the variant
  double import_ms = -1, first_ms = -1, peak_mb = -1;   // printed when not negative
};

// `step` runs twice, then as often as fills `samples` samples. `check` proves that the same was computed.
void measure(const options& o, const subject& s, double check, flowgraph::function_ref<void()> step);

// Steps that have run before, of which each gives one sample before any gives the next: what slows the machine for a while slows
// them all. Their lines also have `processor`, the least processor time of a step, which does not grow while others compute.
struct contender {
  subject what;
  double check;
  flowgraph::function_ref<void()> step;
};
void measure_in_turns(const options& o, std::span<const contender> contenders);

// The most memory that the process has had.
double peak_megabytes();

// Prints the line of a step that the caller has timed: seconds a step.
void print_times(const options& o, const subject& s, std::vector<double> seconds, double check);

}  // namespace bench
