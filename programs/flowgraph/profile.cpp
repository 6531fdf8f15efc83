#include "model.hpp"

#include <flowgraph/observe/trace.hpp>
#include <flowgraph/placement/measurements.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <map>

namespace command {

namespace {

constexpr auto profile_options = options_of_runs({
    {"--shape", "NAME=2,3", "of a placeholder that is not fed: numbers of this shape are made for it", true},
    {"--runs", "N", "so many runs are timed, 100"},
    {"--seconds", "S", "and no longer than so many seconds, 10"},
    {"--prepared", "", "prepare the run once, as programs do that run it often"},
    {"--top", "N", "lines of the table by op and of that by node, 10"},
    {"--trace", "FILE", "write the events of a further run on a timeline, as a trace of Chrome or Perfetto (JSON)"},
});

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

fg::shape shape_of(const std::string& text) {
  fg::shape made;
  std::string_view left = text == "scalar" ? "" : std::string_view(text);
  while (!left.empty()) {
    std::int64_t extent = -1;
    const auto [end, fault] = std::from_chars(left.data(), left.data() + left.size(), extent);
    left.remove_prefix(static_cast<std::size_t>(end - left.data()));
    const bool goes_on = left.starts_with(',') && left.size() > 1;
    if (fault != std::errc() || extent < 0 || made.rank == fg::shape::max_rank || (!left.empty() && !goes_on))
      throw failure{bad_usage, "--shape " + text + ": expected extents as in 2,3"};
    made.push_back(extent);
    if (goes_on) left.remove_prefix(1);
  }
  return made;
}

// Creates a tensor of numbers from 0 to 1, the same numbers each time. Integers are zeros, so that they are valid indices.
fg::any_tensor made_up(fg::dtype type, const fg::shape& shape) {
  if (fg::is_counted(type)) throw failure{bad_usage, "a tensor of " + std::string(fg::name_of(type)) + " cannot be made up"};
  fg::any_tensor t = take(fg::any_tensor::allocate(type, shape));
  fg::visit_type(
      type,
      [&]<class T>() {
        if constexpr (fg::in_list<T, fg::plain_types>) {
          std::uint32_t state = 1;
          for (T& e : t.as_writable<T>()) {
            state = state * 1664525u + 1013904223u;
            const float number = static_cast<float>(state >> 8) / 16777216.f;
            if constexpr (fg::in_list<T, fg::differentiable_numbers>) e = static_cast<T>(number);
            else e = T{};
          }
        }
      },
      [] {});
  return t;
}

void feed_the_rest(const arguments& given, const model& m, std::vector<fg::fed>& feeds) {
  for (const auto& [name, text] : given.pairs("--shape")) {
    const fg::any_out at = m.edge(name, true);
    feeds.emplace_back(at, made_up(at.type(), shape_of(text)));
  }
  for (std::size_t id = 0; id < m.size_of_file(); ++id) {
    fg::node* const n = m.graph().at(id);
    if (!n->op->description->placeholder) continue;
    const fg::any_out at{n, 0};
    if (std::any_of(feeds.begin(), feeds.end(), [&](const fg::fed& f) { return f.where == at; })) continue;
    if (at.shape().is_known() && !fg::is_counted(at.type())) feeds.emplace_back(at, made_up(at.type(), at.shape()));
  }
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", seconds * 1e3);
  return text;
}

void print_percentiles(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  double sum = 0;
  for (const double t : times) sum += t;
  const auto at = [&](double part) {
    return milliseconds(times[std::min(times.size() - 1, static_cast<std::size_t>(part * static_cast<double>(times.size())))]);
  };
  std::printf("%zu runs, %.6g runs/s\n", times.size(), static_cast<double>(times.size()) / sum);
  std::fputs(table({{"", "least", "median", "90 %", "99 %", "greatest"},
                    {"ms", milliseconds(times.front()), at(0.5), at(0.9), at(0.99), milliseconds(times.back())}},
                   std::vector<std::size_t>{1, 2, 3, 4, 5})
                 .c_str(),
             stdout);
}

struct share {
  std::string name, what;
  double seconds = 0, calls = 0;
};

void print_shares(std::string_view title, std::vector<share> all, std::size_t most, double total) {
  std::sort(all.begin(), all.end(),
            [](const share& a, const share& b) { return a.seconds != b.seconds ? a.seconds > b.seconds : a.name < b.name; });
  std::vector<std::vector<std::string>> rows{{std::string(title), "", "calls", "ms", "%"}};
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) {
    char calls[32], part[32];
    std::snprintf(calls, sizeof calls, "%g", all[i].calls);
    std::snprintf(part, sizeof part, "%.1f", total > 0 ? 100 * all[i].seconds / total : 0.0);
    rows.push_back({all[i].name, all[i].what, calls, milliseconds(all[i].seconds), part});
  }
  std::fputs(table(rows, std::vector<std::size_t>{2, 3, 4}).c_str(), stdout);
}

void print_tables(const model& m, const fg::measurements& seen, std::size_t most) {
  std::map<std::string, share> by_op;
  std::vector<share> by_node;
  double total = 0;
  for (const auto& [at, times] : seen.all()) {
    const fg::node* const n = m.graph().find(at.first);
    if (!n || n->op->description->placeholder || times.runs == 0) continue;
    const double calls = static_cast<double>(times.calls) / static_cast<double>(times.runs);
    const std::string op(n->op->name());
    share& sum = by_op[op];
    sum.name = op;
    sum.seconds += times.seconds();
    sum.calls += calls;
    by_node.push_back({at.first, op, times.seconds(), calls});
    total += times.seconds();
  }
  std::vector<share> ops;
  for (auto& [op, sum] : by_op) ops.push_back(sum);
  std::printf("kernels of a run, one after the other: %s ms\n", milliseconds(total).c_str());
  print_shares("op", std::move(ops), most, total);
  print_shares("node", std::move(by_node), most, total);
}

exit_code carry_out_profile(const arguments& given) {
  model m(given);
  std::vector<fg::fed> feeds = m.feeds();
  feed_the_rest(given, m, feeds);
  const auto runs = static_cast<std::size_t>(given.whole_number("--runs", 100, 1));
  const double limit = given.number("--seconds", 10);
  const auto most = static_cast<std::size_t>(given.whole_number("--top", 10, 0));
  const auto targets = m.targets();
  const auto fetches = model::edges_of(m.fetches(), targets);
  std::vector<fg::any_out> fed_edges;
  std::vector<fg::any_tensor> values, made(fetches.size());
  for (const fg::fed& f : feeds) fed_edges.push_back(f.where), values.push_back(f.value);

  std::optional<fg::any_step> step;
  if (given.has("--prepared")) step = m.run_value(m.session().try_prepare(fed_edges, fetches, targets));
  const auto once = [&](const fg::run_options& options = {}) {
    if (step) m.run_value(step->try_run(values, made, options));
    else m.run_value(m.session().try_run({feeds, fetches, targets}, options));
  };
  const auto first = clock::now();
  once();
  std::printf("first run, with planning: %s ms\n", milliseconds(seconds_since(first)).c_str());
  std::vector<double> times;
  for (const auto start = clock::now(); times.size() < runs && (times.empty() || seconds_since(start) < limit);) {
    const auto now = clock::now();
    once();
    times.push_back(seconds_since(now));
  }
  print_percentiles(times);
  fg::measurements seen;
  const std::size_t measured = std::clamp<std::size_t>(times.size() / 10, 1, 20);
  for (std::size_t i = 0; i < measured; ++i) m.run_value(m.session().try_run({feeds, fetches, targets}, {.measure = &seen}));
  print_tables(m, seen, most);
  if (given.has("--trace")) {
    fg::trace_recorder recorder;
    once({.trace = &recorder});
    take(recorder.write_chrome_trace(given.text("--trace")));
    std::printf("%s: the events of a run, for https://ui.perfetto.dev or chrome://tracing\n", given.text("--trace").c_str());
  }
  return right;
}

}  // namespace

const verb profile{
    "profile",
    "MODEL",
    "times a graph, by op and by node",
    1,
    1,
    "Runs a graph many times and tells how long a run takes; then some runs more, node by node, tell which ops and nodes take "
    "how long.\n"
    "--trace tells when and on which thread each kernel ran, and how long it had been ready before.\n"
    "Placeholders that are not fed and whose shape is known, or told by --shape, are fed numbers from 0 to 1, and zeros of "
    "integers.\n\n"
    "  flowgraph profile model.pb --shape x=32,784 --fetch y --prepared --threads 2\n",
    profile_options,
    carry_out_profile,
};

}  // namespace command
