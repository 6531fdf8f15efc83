#include "measure.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include <sys/resource.h>

namespace bench {

namespace {

double scale_of(std::string_view unit) {
  if (unit.starts_with("ns")) return 1e9;
  if (unit.starts_with("us")) return 1e6;
  return unit.starts_with("ms") ? 1e3 : 1.0;
}

double median(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// Of the whole process.
double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void print(const options& o, const subject& s, std::vector<double>& samples, double check, double processor) {
  std::sort(samples.begin(), samples.end());
  auto text = [](std::string_view v) { return std::string(v); };
  std::printf(
      "{\"peer\": \"%s%s\", \"work\": \"%s\", \"threads\": %d, \"unit\": \"%s\", \"median\": %.4f, "
      "\"min\": %.4f, \"max\": %.4f, \"samples\": %zu, \"check\": %.7g",
      text(s.peer).c_str(), text(s.variant).c_str(), text(s.work).c_str(), o.threads, text(s.unit).c_str(), median(samples),
      samples.front(), samples.back(), samples.size(), check);
  if (o.spin > 0) std::printf(", \"spin_us\": %d", o.spin);
  if (processor >= 0) std::printf(", \"processor\": %.4f", processor);
  if (s.import_ms >= 0) std::printf(", \"import_ms\": %.1f", s.import_ms);
  if (s.first_ms >= 0) std::printf(", \"first_ms\": %.1f", s.first_ms);
  if (s.peak_mb >= 0) std::printf(", \"peak_mb\": %.0f", s.peak_mb);
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

bool options::wants(std::string_view variant) const {
  return variants.empty() || std::find(variants.begin(), variants.end(), variant) != variants.end();
}

void measure(const options& o, const subject& s, double check, flowgraph::function_ref<void()> step) {
  constexpr int warm = 2;
  for (int i = 0; i < warm; ++i) step();
  double started = now();
  step();
  const double once = std::max(now() - started, 1e-9);
  const auto fits = static_cast<int>(std::min(o.seconds / once, 1e9));
  const int inner = std::max(1, std::min(fits, (s.limit - warm - 1) / o.samples));

  std::vector<double> samples;
  for (int k = 0; k < o.samples; ++k) {
    started = now();
    for (int i = 0; i < inner; ++i) step();
    samples.push_back((now() - started) / inner / s.per * scale_of(s.unit));
  }
  print(o, s, samples, check, -1);
}

void measure_in_turns(const options& o, std::span<const contender> contenders) {
  struct taken {
    int inner;
    std::vector<double> samples, processor;
  };
  std::vector<taken> all;
  for (const contender& c : contenders) {
    const double started = now();
    c.step();
    all.push_back({std::max(1, static_cast<int>(std::min(o.seconds / std::max(now() - started, 1e-9), 1e9))), {}, {}});
  }
  for (int k = 0; k < o.samples; ++k) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      taken& t = all[i];
      const subject& s = contenders[i].what;
      const double unit = scale_of(s.unit) / t.inner / s.per, started = now(), used = processor_time();
      for (int n = 0; n < t.inner; ++n) contenders[i].step();
      t.samples.push_back((now() - started) * unit);
      t.processor.push_back((processor_time() - used) * unit);
    }
  }
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    taken& t = all[i];
    print(o, contenders[i].what, t.samples, contenders[i].check, *std::min_element(t.processor.begin(), t.processor.end()));
  }
}

double peak_megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1000;
}

void print_times(const options& o, const subject& s, std::vector<double> seconds, double check) {
  for (double& t : seconds) t *= scale_of(s.unit) / s.per;
  print(o, s, seconds, check, -1);
}

}  // namespace bench
