// Imports a model that tests/peers/keras_models.py has frozen, and compares every tensor in it with TensorFlow's, by runs and by
// prepared steps.
//
//     imported_models FOLDER MODEL    prints a line per way to run; fails if the error of a tensor exceeds 1e-5 of its largest
//                                     element

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/ops/standard.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace {

namespace fg = flowgraph;

constexpr double tolerance = 1e-5;
// A step that fetches all tensors has no nodes to fuse. So further steps fetch every eighth tensor, eight times in total.
constexpr std::size_t parts = 8;

template <class T> T or_throw(fg::result<T> r) {
  if (!r) throw std::runtime_error(r.error().what());
  return *std::move(r);
}

std::ifstream open(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("'" + path + "' cannot be read");
  return in;
}

fg::any_tensor tensor_of(const std::string& proto) { return or_throw(fg::read_tensor(std::as_bytes(std::span(proto)))); }

struct recorded {
  std::string name;  // "node:0"
  fg::any_tensor value;
};

class model {
public:
  explicit model(const std::string& base) {
    fg::registry ops;
    fg::add_standard_ops(ops).value();
    made_ = or_throw(fg::import_graph(graph_, or_throw(fg::load_graph_def(base + ".pb")), ops));
    x_ = or_throw(made_.output("x"));
    std::ifstream input = open(base + ".input");
    input_ = tensor_of({std::istreambuf_iterator<char>(input), {}});
    read_tensors(open(base + ".tensors"));
  }
  std::size_t size() const { return tensors_.size(); }

  // Returns the distance of the worst tensor, whose name is in `worst`.
  double by_run(std::size_t first, std::size_t every) {
    worst_.clear();
    const std::vector<fg::fed> feeds{{x_, input_}};
    const auto edges = edges_of(first, every);
    const auto made = or_throw(session_.try_run({.feeds = feeds, .fetches = edges}));
    return furthest(made, first, every);
  }
  // Compares the first call and a warm one.
  double by_step(std::size_t first, std::size_t every) {
    worst_.clear();
    const auto edges = edges_of(first, every);
    auto step = or_throw(session_.try_prepare({&x_, 1}, edges, {}));
    double off = 0;
    for (int call = 0; call < 2; ++call) {
      std::vector<fg::any_tensor> made(edges.size());
      step.try_run({&input_, 1}, made).value();
      off = std::max(off, furthest(made, first, every));
    }
    return off;
  }
  const std::string& worst() const { return worst_; }

private:
  void read_tensors(std::ifstream in) {
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::string name;
      std::size_t bytes = 0;
      words >> name >> bytes;
      std::string proto(bytes, '\0');
      if (bytes == 0 || !in.read(proto.data(), static_cast<std::streamsize>(bytes)))
        throw std::runtime_error("the recorded tensors are cut");
      tensors_.push_back({name, tensor_of(proto)});
    }
    if (tensors_.empty() || tensors_.back().name != "y:0") throw std::runtime_error("the last recorded tensor is not the output");
  }

  std::vector<fg::any_out> edges_of(std::size_t first, std::size_t every) const {
    std::vector<fg::any_out> edges;
    for (std::size_t i = first; i < tensors_.size(); i += every) edges.push_back(or_throw(made_.output(tensors_[i].name)));
    return edges;
  }

  double furthest(std::span<const fg::any_tensor> made, std::size_t first, std::size_t every) {
    double furthest = 0;
    for (std::size_t k = 0; k < made.size(); ++k) {
      const recorded& expected = tensors_[first + k * every];
      const double off = distance(made[k], expected);
      if (off > furthest || std::isnan(off)) furthest = off, worst_ = expected.name;
      if (std::isnan(off)) break;
    }
    return furthest;
  }

  // Returns the largest difference divided by the largest element.
  static double distance(const fg::any_tensor& made, const recorded& expected) {
    const auto a = or_throw(fg::tensor<float>::from(made)), b = or_throw(fg::tensor<float>::from(expected.value));
    if (a.shape() != b.shape()) throw std::runtime_error(expected.name + ": another shape");
    double largest = 0, apart = 0;
    for (std::size_t i = 0; i < b.values().size(); ++i) {
      const double one = a.values()[i], other = b.values()[i];
      if (!std::isfinite(one)) return std::nan("");
      largest = std::max(largest, std::fabs(other));
      apart = std::max(apart, std::fabs(one - other));
    }
    return apart > 0 ? apart / largest : 0;
  }

  fg::graph graph_;
  fg::session session_{graph_};
  fg::imported made_;
  fg::any_out x_;
  fg::any_tensor input_;
  std::vector<recorded> tensors_;
  std::string worst_;
};

bool agrees(const char* way, const std::string& name, double off, const model& m) {
  const bool good = off <= tolerance;  // false for a NaN
  std::printf("%s, %s: %.2g of the largest element%s%s%s\n", name.c_str(), way, off, off > 0 ? " in " : "",
              off > 0 ? m.worst().c_str() : "", good ? "" : ": DIFFERS");
  std::fflush(stdout);
  return good;
}

bool compare(const std::string& folder, const std::string& name) {
  model m(folder + "/" + name);
  const std::size_t all = m.size(), output = m.size() - 1;
  bool good = agrees("a run, all tensors", name, m.by_run(0, 1), m);
  good &= agrees("a step, all tensors", name, m.by_step(0, 1), m);
  good &= agrees("a run, the output", name, m.by_run(output, all), m);
  good &= agrees("a step, the output", name, m.by_step(output, all), m);
  for (std::size_t part = 0; part < parts; ++part)
    good &= agrees("a step, an eighth of the tensors", name, m.by_step(part, parts), m);
  return good;
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count == 3) return compare(words[1], words[2]) ? 0 : 1;
    std::fprintf(stderr, "imported_models FOLDER MODEL\n");
  } catch (const std::exception& why) { std::fprintf(stderr, "imported_models: %s\n", why.what()); }
  return 2;
}
