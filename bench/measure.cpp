#include "measure.hpp"

#include <algorithm>
#include <cstdio>

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

}  // namespace

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
  std::sort(samples.begin(), samples.end());

  auto text = [](std::string_view v) { return std::string(v); };
  std::printf("{\"peer\": \"flowgraph/%s\", \"work\": \"%s\", \"threads\": %d, \"unit\": \"%s\", \"median\": %.4f, \"min\": %.4f, "
              "\"max\": %.4f, \"samples\": %zu, \"check\": %.7g",
              text(s.variant).c_str(), text(s.work).c_str(), o.threads, text(s.unit).c_str(), median(samples), samples.front(),
              samples.back(), samples.size(), check);
  if (s.import_ms >= 0) std::printf(", \"import_ms\": %.1f", s.import_ms);
  if (s.first_ms >= 0) std::printf(", \"first_ms\": %.1f", s.first_ms);
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace bench
