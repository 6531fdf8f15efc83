// Samples of normalization, activations, the largest elements and einsum.

#include "samples.hpp"

namespace harness {

namespace {

call format(call c, const char* f, bool training = true) { return c.with("data_format", f).with("is_training", training); }

// Batches, and vectors with an element per channel.
struct batch {
  fg::shape images;
  std::int64_t channels;
  const char* format;
};
const std::vector<batch>& batches(bool volumes) {
  static const std::vector<batch> images = {
      {{2, 2, 1, 3}, 3, "NHWC"}, {{2, 3, 2, 1}, 3, "NCHW"},     {{1, 1, 1, 1}, 1, "NHWC"},     {{0, 2, 2, 3}, 3, "NHWC"},
      {{2, 2, 2, 0}, 0, "NHWC"}, {{3, 40, 41, 17}, 17, "NHWC"}, {{3, 17, 40, 41}, 17, "NCHW"}, {{70, 1, 1, 600}, 600, "NHWC"}};
  static const std::vector<batch> all = [] {
    std::vector<batch> made = images;
    made.push_back({{2, 1, 2, 1, 3}, 3, "NDHWC"});
    made.push_back({{2, 3, 1, 2, 2}, 3, "NCDHW"});
    return made;
  }();
  return volumes ? all : images;
}
calls normalized(bool volumes) {
  calls made;
  for (const batch& b : batches(volumes)) {
    const input v = random({b.channels});
    made.push_back(format(call(random(b.images), v, v, random({0}), random({0})), b.format));
    made.push_back(
        format(call(random(b.images), v, v, v, v), b.format).with("exponential_avg_factor", fg::attribute_value(0.25f)));
    made.push_back(format(call(random(b.images), v, v, v, v), b.format, false));
  }
  return made;
}
calls normalization_gradients(bool volumes) {
  calls made;
  for (const batch& b : batches(volumes))
    for (const bool training : {true, false}) {
      const input v = random({b.channels});
      std::vector<input> in{random(b.images), random(b.images), v, v, v};
      if (volumes) in.push_back(random({}));
      made.push_back(format(call(in), b.format, training));
    }
  return made;
}
calls globally_normalized(bool gradient) {
  calls made;
  for (const fg::shape& s :
       {fg::shape{2, 1, 2, 3}, fg::shape{1, 1, 1, 1}, fg::shape{0, 2, 2, 3}, fg::shape{2, 2, 2, 0}, fg::shape{2, 30, 31, 65}})
    for (const bool scaled : {true, false}) {
      const input v = random({s[3]});
      const call c = gradient ? call(random(s), v, v, v, random(s)) : call(random(s), v, v, v, v);
      made.push_back(c.with("variance_epsilon", fg::attribute_value(0.001f)).with("scale_after_normalization", scaled));
    }
  return made;
}

calls local_responses(int count) {
  calls made;
  const auto add = [&](const fg::shape& s, int radius) {
    made.push_back(call(std::vector<input>(static_cast<std::size_t>(count), random(s)))
                       .with("depth_radius", radius)
                       .with("alpha", fg::attribute_value(0.5f))
                       .with("beta", fg::attribute_value(0.75f)));
  };
  for (const int radius : {0, 1, 5, 1000})
    for (const fg::shape& s : {fg::shape{1, 1, 1, 1}, fg::shape{2, 1, 2, 3}, fg::shape{0, 2, 2, 3}, fg::shape{2, 2, 2, 0}})
      add(s, radius);
  add({2, 20, 21, 40}, 5);
  add({1, 2, 3, 600}, 3);
  return made;
}

calls largest(bool attribute) {
  struct one {
    fg::shape x;
    int k;
  };
  calls made;
  for (const one& o : {one{{5}, 2}, one{{3, 4}, 4}, one{{2, 2, 3}, 1}, one{{2, 3}, 0}, one{{0, 3}, 2}, one{{2, 0}, 0},
                       one{{1}, 1}, one{{40, 700}, 9}, one{{40, 700}, 650}})
    made.push_back(attribute ? call(random(o.x)).with("k", o.k) : call(random(o.x), number(o.k)));
  made.push_back(attribute ? call(given({1, 5, 3, 0, 4})).with("k", 4) : call(given({1, 5, 3, 0, 4}), number(4)));
  return made;
}
calls among_largest(bool attribute) {
  calls made;
  for (const int k : {0, 1, 2, 9}) {
    const call c = attribute ? call(random({4, 5}), given({0, 4, 5, -1})) : call(random({4, 5}), given({0, 4, 5, -1}), number(k));
    made.push_back(attribute ? c.with("k", k) : c);
  }
  made.push_back(attribute ? call(random({0, 5}), given({})).with("k", 1) : call(random({0, 5}), given({}), number(1)));
  return made;
}

calls sums_of_products() {
  struct one {
    const char* equation;
    std::vector<fg::shape> shapes;
  };
  calls made;
  for (const one& o : std::vector<one>{{"ij->ji", {{2, 3}}},
                                       {"ij->j", {{2, 3}}},
                                       {"ij->", {{2, 3}}},
                                       {"->", {{}}},
                                       {"iij->j", {{2, 2, 3}}},
                                       {"ii->i", {{3, 3}}},
                                       {"i->ii", {{3}}},
                                       {"...ij->...ji", {{2, 2, 3}}},
                                       {"i...->...", {{3, 2}}},
                                       {"ij->i", {{2, 0}}},
                                       {"ij,jk->ik", {{2, 3}, {3, 2}}},
                                       {"ij,kj->ki", {{2, 3}, {2, 3}}},
                                       {"bij,bjk->bik", {{2, 1, 3}, {2, 3, 2}}},
                                       {"aibj,bjak->bkai", {{2, 1, 2, 2}, {2, 2, 2, 2}}},
                                       {"...ij,...jk->...ik", {{1, 2, 2}, {2, 2, 2, 1}}},
                                       {"b...i,bij->...bj", {{2, 2, 1}, {2, 1, 2}}},
                                       {"i,j->ij", {{2}, {3}}},
                                       {"ij,j->ij", {{2, 3}, {3}}},
                                       {"ij,ij->", {{2, 2}, {2, 2}}},
                                       {"iij,jk->k", {{2, 2, 2}, {2, 2}}},
                                       {"ij,k->ki", {{2, 2}, {3}}},
                                       {"ii,jj->ijj", {{2, 2}, {2, 2}}},
                                       {"ij,jk->ik", {{2, 0}, {0, 3}}},
                                       {"ij,jk->ik", {{0, 2}, {2, 3}}},
                                       {"ij,jk->ik", {{130, 70}, {70, 140}}},
                                       {"bij,bjk->bki", {{9, 40, 30}, {9, 30, 50}}},
                                       {"ijk->kj", {{30, 40, 50}}}}) {
    std::vector<input> in;
    for (const fg::shape& s : o.shapes) in.push_back(random(s));
    made.push_back(call(in).with("equation", o.equation).with("N", static_cast<int>(in.size())));
  }
  return made;
}

constexpr std::string_view no_double = "there is no kernel for doubles; tests/ops/nn/batch_norm.cpp has the gradients";

calls format_maps() {
  return {call(given({0, 1, 2, 3, -1, -4})), call(number(2)), call(given({0}, {})),
          call(given({2, 3}, {0, 1, 2, 3, 4, -2})).with("src_format", "NDHWC").with("dst_format", "NCDHW")};
}
calls format_permutations() {
  return {call(given({7, 4, 9, 3})),
          call(given({1, 2})),
          call(given({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})),
          call(given({2, 2}, {1, 2, 3, 4})),
          call(given({1, 2, 3, 4, 5})).with("src_format", "NDHWC").with("dst_format", "NCDHW"),
          call(given({1, 2})).with("src_format", "NHWC").with("dst_format", "WHCN")};
}

calls with_slope(calls all) {
  for (call& c : all) c = c.with("alpha", fg::attribute_value(0.3f));
  return all;
}

}  // namespace

std::vector<sample> normalization_samples() {
  return {
      {"FusedBatchNorm", normalized(false), {{}, {}, {}, {}, between(0.5, 2)}, {no_gradient(no_double)}},
      {"FusedBatchNormV2", normalized(false), {{}, {}, {}, {}, between(0.5, 2)}, {no_gradient(no_double)}},
      {"FusedBatchNormV3", normalized(true), {{}, {}, {}, {}, between(0.5, 2)}, {no_gradient(no_double)}},
      {"FusedBatchNormGrad", normalization_gradients(false), {{}, {}, {}, {}, between(0.5, 2)}, {no_gradient(no_double)}},
      {"FusedBatchNormGradV2", normalization_gradients(false), {{}, {}, {}, {}, between(0.5, 2)}, {no_gradient(no_double)}},
      {"FusedBatchNormGradV3", normalization_gradients(true), {{}, {}, {}, {}, between(0.5, 2)}, {no_gradient(no_double)}},
      {"BatchNormWithGlobalNormalization",
       globally_normalized(false),
       {{}, {}, between(0.5, 2), {}},
       {first_order_only("its gradient has none, as in TensorFlow")}},
      {"BatchNormWithGlobalNormalizationGrad", globally_normalized(true), {{}, {}, between(0.5, 2), {}}},

      {"LRN",
       local_responses(1),
       {},
       {no_gradient("there is no kernel for doubles; tests/ops/nn/local_response.cpp has the gradient")}},
      {"LRNGrad", local_responses(3)},

      {"LeakyRelu", with_slope(unary()), {avoid(0)}},
      {"LeakyReluGrad", with_slope(paired()), {avoid(0)}},
      {"Relu6", unary(), {avoid(0)}},
      {"Relu6Grad", paired(), {avoid(0)}},
      {"Selu", unary(), {avoid(0)}},
      {"SeluGrad", paired(), {avoid(0)}},
      {"Softsign", unary(), {avoid(0)}, {first_order_only("its gradient has none, as in TensorFlow")}},
      {"SoftsignGrad", paired()},
      {"L2Loss", unary()},
      {"BiasAddV1",
       {call(random({2, 3}), random({3})), call(random({2, 2, 1, 3}), random({3})), call(random({0, 2}), random({2})),
        call(random({2, 0}), random({0})), call(random({400, 200}), random({200}))}},

      {"TopK", largest(true)},
      {"TopKV2", largest(false)},
      {"InTopK", among_largest(true)},
      {"InTopKV2", among_largest(false)},
      {"NthElement",
       {call(random({5}), number(2)), call(random({3, 4}), number(0)), call(random({2, 2, 3}), number(2)).with("reverse", true),
        call(random({0, 3}), number(1)), call(random({1}), number(0)), call(random({40, 700}), number(9))}},

      {"DataFormatDimMap", format_maps()},
      {"DataFormatVecPermute", format_permutations()},

      {"Einsum", sums_of_products()},
  };
}

}  // namespace harness
