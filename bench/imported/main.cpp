// Models that tests/peers/keras_models.py has frozen, imported and run in turns by `run` and by a prepared step.
// Prints a line of JSON for each.
//
//     bench_imported --models FOLDER --work keras_MODEL[,keras_MODEL] [--threads N] [--samples 5] [--seconds 0.1]

#include "../measure.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/ops/standard.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace {

namespace fg = flowgraph;

constexpr std::string_view of_keras = "keras_";

template <class T> T or_throw(fg::result<T> r) {
  if (!r) throw std::runtime_error(r.error().what());
  return *std::move(r);
}

fg::any_tensor read_input(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("'" + path + "' cannot be read");
  const std::string proto{std::istreambuf_iterator<char>(in), {}};
  return or_throw(fg::read_tensor(std::as_bytes(std::span(proto))));
}

// The mean magnitude of a softmax is the same for all of them, so the check is its length as a vector.
double length(const fg::any_tensor& t) {
  double sum = 0;
  for (const float e : or_throw(fg::tensor<float>::from(t)).values()) sum += static_cast<double>(e) * static_cast<double>(e);
  return std::sqrt(sum);
}

void measure_model(const bench::options& o, const std::string& folder, const std::string& work) {
  const std::string base = folder + "/" + work.substr(of_keras.size());
  const double began = bench::now();
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::graph g;
  const fg::imported made = or_throw(fg::import_graph(g, or_throw(fg::load_graph_def(base + ".pb")), ops));
  const double import_ms = (bench::now() - began) * 1e3;

  const fg::any_out x = or_throw(made.output("x")), y = or_throw(made.output("y"));
  const fg::any_tensor input = read_input(base + ".input");
  const auto pool = o.threads > 1 ? std::make_unique<fg::thread_pool>(o.threads) : nullptr;
  fg::session session{g, {.pool = pool.get()}};

  const std::vector<fg::fed> feeds{{x, input}};
  fg::any_tensor fetched;
  const auto run = [&] { fetched = std::move(or_throw(session.try_run({.feeds = feeds, .fetches = {&y, 1}}))[0]); };
  double first = bench::now();
  run();
  const double run_ms = (bench::now() - first) * 1e3, run_check = length(fetched);

  first = bench::now();
  auto prepared = or_throw(session.try_prepare({&x, 1}, {&y, 1}, {}));
  fg::any_tensor result;
  const auto step = [&] { prepared.try_run({&input, 1}, {&result, 1}).value(); };
  step();
  const double step_ms = (bench::now() - first) * 1e3;

  const bench::contender both[] = {
      {{.variant = "prepared", .work = work, .unit = "ms/run", .import_ms = import_ms, .first_ms = step_ms},
       length(result),
       step},
      {{.variant = "run", .work = work, .unit = "ms/run", .import_ms = import_ms, .first_ms = run_ms}, run_check, run}};
  bench::measure_in_turns(o, both);
}

}  // namespace

int main(int count, char** arguments) {
  bench::options o;
  std::string folder;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    const char* value = arguments[i + 1];
    if (name == "--models") folder = value;
    else if (name == "--work") o.works = bench::split(value);
    else if (name == "--threads") o.threads = std::atoi(value);
    else if (name == "--samples") o.samples = std::atoi(value);
    else if (name == "--seconds") o.seconds = std::atof(value);
    else folder.clear(), count = 0;
  }
  if (count % 2 == 0 || folder.empty() || o.works.empty() || o.threads < 1 || o.samples < 1 || !(o.seconds > 0)) {
    std::fprintf(stderr,
                 "usage: %s --models FOLDER --work keras_MODEL[,keras_MODEL] [--threads N] [--samples 5] [--seconds 0.1]\n",
                 arguments[0]);
    return 2;
  }
  try {
    for (const std::string& work : o.works) {
      if (!work.starts_with(of_keras)) throw std::runtime_error("'" + work + "' is none of the works here: they are keras_MODEL");
      measure_model(o, folder, work);
    }
  } catch (const std::exception& why) {
    std::fprintf(stderr, "bench_imported: %s\n", why.what());
    return 1;
  }
}
