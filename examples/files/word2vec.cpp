// Words as vectors, learnt from a text file: words are numbered, and pairs of neighbours made and mixed in the background.
//
//     name ──> queue ──> TextLineReader ──> words ──> HashTable ──> pairs ──> shuffled queue ──> model ──> step
//       (thread 1)                    (threads 2 and 3)                               (this thread)

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/input/record_reader.hpp>
#include <flowgraph/ops/input/shuffled_batches.hpp>
#include <flowgraph/ops/lookup/hash_table.hpp>
#include <flowgraph/ops/strings/regex.hpp>
#include <flowgraph/ops/strings/split.hpp>
#include <flowgraph/ops/strings/text.hpp>
#include <flowgraph/train/queue_runner.hpp>

#include <algorithm>
#include <cstdio>
#include <map>

namespace fg = flowgraph;
constexpr std::int64_t vocabulary = 300, dimensions = 32;

int main(int count, char** arguments) {
  const std::string text = std::string(count > 1 ? arguments[1] : "examples/data") + "/alice.txt";
  fg::graph g;
  g.set_seed(1);
  const auto names = fg::file_names(g, {text}, {.epochs = 20});
  const auto lines = fg::text_line_reader(g).read_up_to(names.between, 100).values;
  const auto words = fg::string_split(fg::regex_replace(fg::string_lower(lines), "[^a-z]+", " ")).values;
  const fg::fixed_table<std::string, std::int64_t> numbers(g);
  const auto keys = g.placeholder<std::string>("keys", {vocabulary - 1});
  const auto fill =
      numbers.initialize(keys, fg::range(g.constant(std::int64_t{1}), g.constant(vocabulary), g.constant(std::int64_t{1})));
  const auto ids = numbers.find(words, 0);  // 0: a rare word

  // Each word with the next one, and with the one after that.
  using part = fg::slice_spec;
  const auto cut = [&](const part& p) { return fg::strided_slice(ids, {p}); };
  const auto ready = fg::shuffled_batches({.size = 256, .min_after_dequeue = 5000, .of_batches = true, .shapes = {{}, {}}},
                                          fg::concat({cut(part::to(-1)), cut(part::to(-2))}, 0),
                                          fg::concat({cut(part::from(1)), cut(part::from(2))}, 0));
  // A pair should have a large product, a word and what is near others a small one.
  auto [word, near] = ready.components;
  auto table = g.variable("table", fg::random_uniform<float>({vocabulary, dimensions}, -0.5, 0.5));
  auto contexts = g.variable("contexts", fg::zeros<float>({vocabulary, dimensions}));
  auto e = fg::gather(table, word), c = fg::gather(contexts, near);
  auto wrong = fg::matmul(e, fg::slice(c, {0, 0}, {16, dimensions}), {.transpose_b = true});
  auto loss = fg::mean(fg::softplus(-fg::sum(e * c, {1}))) + fg::mean(fg::sum(fg::softplus(wrong), {1}));
  auto train = fg::adam{.rate = 0.01f}.minimize(loss);

  // The most frequent words of the text are numbered.
  fg::session s{g};
  s.initialize();
  std::map<std::string, int> counts;
  const fg::tensor<std::string> whole({1}, {fg::read_file(text).value()});
  for (const std::string& w : s.run(fg::fetch(words), {{lines, whole}})) ++counts[w];
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [w, n] : counts) order.emplace_back(-n, w);
  std::sort(order.begin(), order.end());
  fg::tensor<std::string> known({vocabulary - 1});
  for (std::size_t i = 0; i < known.size(); ++i) known.writable()[i] = order[i].second;
  s.run(fill, {{keys, known}});
  fg::coordinator workers;
  fg::queue_runner(names.filling).start(s, workers);
  fg::queue_runner(ready.filling).start(s, workers, 2);
  int steps = 0;
  for (; const auto made = s.try_run(fg::fetch(loss), train); ++steps)
    if (steps % 500 == 0) std::printf("step %4d   loss %.3f\n", steps, static_cast<double>(made->scalar()));
  workers.join();  // raises what went wrong in the background

  const auto best = fg::argmax<std::int64_t>(fg::matmul(fg::gather(table, ids), contexts, {.transpose_b = true}), 1);
  const auto found = s.run(fg::fetch(best), {{words, fg::tensor<std::string>({3}, {"white", "mock", "march"})}});
  const auto is_word = [&](std::size_t i, const char* w) {
    return found[i] > 0 && known[static_cast<std::size_t>(found[i] - 1)] == w;
  };
  const int right = is_word(0, "rabbit") + is_word(1, "turtle") + is_word(2, "hare");
  std::printf("after %d steps %d of 3 words are near the ones that follow them\n", steps, right);
  return steps > 2000 && right >= 1 ? 0 : 1;  // the order of the threads decides which words are learned first
}
