// A model of sparse features: each user has a few items with ratings, and a hidden preference that the model learns from them.
//
//     ids ──────> embedding_lookup_sparse ──> lines ──┐
//     ratings ──────────^                             ├──> + ──> logits ──> loss
//     ratings ──> sparse_tensor_dense_matmul ─────────┘
//                           ^ one weight per item

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/sparse/embedding.hpp>
#include <flowgraph/ops/sparse/matmul.hpp>
#include <flowgraph/train/adagrad.hpp>

#include <cstdio>
#include <random>

namespace fg = flowgraph;

constexpr std::int64_t items = 5000, users_a_batch = 64;

// Each user has one to six items, in ascending order. The user likes items of an even number.
struct ratings_of_users {
  std::mt19937 random{1};
  fg::tensor<std::int64_t> places, ids;
  fg::tensor<float> ratings, labels{{users_a_batch, 1}};

  void next() {
    std::vector<std::int64_t> place, id;
    std::vector<float> rating;
    for (std::int64_t user = 0; user < users_a_batch; ++user) {
      float score = 0;
      std::int64_t item = 0;
      for (std::size_t n = 1 + random() % 6; n > 0; --n) {
        item += 1 + static_cast<std::int64_t>(random() % (items / 6 - 1));
        place.insert(place.end(), {user, item});
        id.push_back(item);
        rating.push_back(static_cast<float>(1 + random() % 5));
        score += item % 2 == 0 ? rating.back() : -rating.back();
      }
      labels.writable()[static_cast<std::size_t>(user)] = score > 0 ? 1.f : 0.f;
    }
    places = {{id.size(), 2}, std::span<const std::int64_t>(place)};
    ids = {{id.size()}, std::span<const std::int64_t>(id)};
    ratings = {{id.size()}, std::span<const float>(rating)};
  }
};

int main() {
  fg::graph g;
  g.set_seed(1);
  auto x = fg::sparse_placeholder<float>(g, "ratings", {users_a_batch, items});
  auto id = g.placeholder<std::int64_t>("id", {fg::any});
  auto label = g.placeholder<float>("label", {users_a_batch, 1});

  auto table = g.variable("table", fg::random_normal<float>({items, 8}, 0, 0.1));
  auto hidden = g.variable("hidden", fg::random_normal<float>({8, 1}, 0, 0.5));
  auto of_item = g.variable("of_item", fg::zeros<float>({items, 1}));
  auto lines = fg::embedding_lookup_sparse(table, x.with_values(id), x, fg::combiner::sum);
  auto logits = fg::matmul(lines, hidden) + fg::sparse_tensor_dense_matmul(x, of_item);
  auto loss = fg::mean(fg::sigmoid_cross_entropy(logits, label));
  auto right = fg::mean(fg::cast<float>(fg::equal(logits > 0.f, label > 0.5f)));
  auto train = fg::adagrad{.rate = 0.3f}.minimize(loss);

  fg::session s{g};
  s.initialize();
  ratings_of_users batch;
  float accuracy = 0;
  for (int i = 1; i <= 400; ++i) {
    batch.next();
    auto [now, share] = s.run(fg::fetch(loss, right), train,
                              {{x.indices, batch.places}, {x.values, batch.ratings}, {id, batch.ids}, {label, batch.labels}});
    accuracy = 0.95f * accuracy + 0.05f * share.scalar();
    if (i % 100 == 0) std::printf("step %3d  loss %.4f  accuracy %.2f\n", i, now.scalar(), accuracy);
  }
  return accuracy > 0.85f ? 0 : 1;
}
