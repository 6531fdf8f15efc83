// An embedding of 100,000 words in two tables, trained by the rows that a batch looks up: no step touches the rest.
//
//     words ──> Unique ──> Gather (a part of the table each) ──> SparseSegmentMean ──> lines ──> MatMul ──> logits
//                                                                       ^
//                                                                 line of word

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/array/embedding.hpp>

#include <cstdio>
#include <random>

namespace fg = flowgraph;

constexpr std::int64_t words_known = 100'000, words_used = 2'000, lines_a_batch = 64, topics = 4;

// Lines of three to eight words, most of them of one topic.
struct text {
  std::mt19937 random{1};
  fg::tensor<std::int64_t> words, line_of_word;
  fg::tensor<std::int32_t> topic_of_line{{lines_a_batch}};

  void next() {
    std::vector<std::int64_t> word, line;
    for (std::int64_t l = 0; l < lines_a_batch; ++l) {
      const auto topic = static_cast<std::int32_t>(random() % topics);
      topic_of_line.writable()[static_cast<std::size_t>(l)] = topic;
      for (std::size_t n = 3 + random() % 6; n > 0; --n) {
        const std::int64_t about = random() % 8 == 0 ? random() % topics : topic;
        word.push_back((static_cast<std::int64_t>(random() % (words_used / topics)) * topics + about) *
                       (words_known / words_used));
        line.push_back(l);
      }
    }
    words = {{word.size()}, std::span<const std::int64_t>(word)};
    line_of_word = {{line.size()}, std::span<const std::int64_t>(line)};
  }
};

int main() {
  fg::graph g;
  g.set_seed(1);
  auto words = g.placeholder<std::int64_t>("words", {fg::any}),
       line_of_word = g.placeholder<std::int64_t>("line_of_word", {fg::any});
  auto topic_of_line = g.placeholder<std::int32_t>("topic_of_line", {fg::any});

  auto even = g.variable("table/part_0", fg::random_normal<float>({words_known / 2, 16}, 0, 0.1));
  auto odd = g.variable("table/part_1", fg::random_normal<float>({words_known / 2, 16}, 0, 0.1));
  const fg::out_list<float> table{even, odd};
  auto lines = fg::embedding_lookup_sparse(table, words, line_of_word, fg::combiner::mean);

  auto w = g.variable("w", fg::glorot_uniform<float>({16, topics}));
  auto logits = fg::matmul(lines, w);
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, topic_of_line));
  auto right = fg::mean(fg::cast<float>(fg::equal(fg::argmax<std::int32_t>(logits, 1), topic_of_line)));
  auto train = fg::momentum{.rate = 2.f}.minimize(loss);

  // The table's gradient names the rows of its words; the optimizer has an op for that.
  auto slope = fg::gradients(loss, even);
  bool good = slope.is_slices() && g.find("Momentum/update_table/part_0/SparseApplyMomentum");

  fg::session s{g};
  s.initialize();
  const fg::tensor<float> before = s.run(fg::fetch(even));
  text batch;
  float accuracy = 0;
  for (int i = 1; i <= 300; ++i) {
    batch.next();
    auto [now, share] = s.run(fg::fetch(loss, right), train,
                              {{words, batch.words}, {line_of_word, batch.line_of_word}, {topic_of_line, batch.topic_of_line}});
    accuracy = share.scalar();
    if (i % 50 == 0) std::printf("step %3d  loss %.4f  accuracy %.2f\n", i, now.scalar(), accuracy);
  }

  // Row 0 is a word that was used, row 1 is one that was not.
  const fg::tensor<float> after = s.run(fg::fetch(even));
  good = good && after[0] != before[0] && after[16] == before[16];
  return good && accuracy > 0.9f ? 0 : 1;
}
