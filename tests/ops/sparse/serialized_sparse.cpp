#include <flowgraph/ops/sparse/serialized_sparse.hpp>

#include "sparse_run.hpp"

using namespace ops_test;

namespace {

const auto parts_of_sparse = [](const auto& y) { return fg::fetch(y.indices, y.values, y.dense_shape); };

}  // namespace

TEST_CASE("a sparse tensor is the same after its strings are read") {
  const auto [indices, elements, extents] =
      run_sparse([](auto x) { return parts_of_sparse(fg::deserialize_sparse<float>(fg::serialize_sparse(x))); }, sparse_matrix());
  CHECK(same_bits(indices, sparse_matrix().indices));
  CHECK(same_bits(elements, sparse_matrix().values));
  CHECK(values(extents) == std::vector<std::int64_t>{4, 4});
}

TEST_CASE("rows are serialized one by one, and read as rows of one sparse tensor") {
  const auto words = sparse_of<std::string>({0, 1, 2, 0, 2, 1}, {"ab", "", "c"}, {3, 2});
  const auto [texts, indices, elements, extents] = run_sparse(
      [](auto x) {
        const auto rows = fg::serialize_many_sparse(x);
        const auto y = fg::deserialize_sparse<std::string>(rows);
        return fg::fetch(rows, y.indices, y.values, y.dense_shape);
      },
      words);
  CHECK(texts.shape() == fg::shape{3, 3});
  CHECK(texts[1] == std::string("\x08\x07\x12\x04\x12\x02\x08\x01\"\x03\x02"
                                "ab",
                                13));
  CHECK(same_bits(indices, words.indices));
  CHECK(values(elements) == std::vector<std::string>{"ab", "", "c"});
  CHECK(values(extents) == std::vector<std::int64_t>{3, 2});
}

TEST_CASE("variants contain the parts without a conversion") {
  const auto [indices, elements] = run_sparse(
      [](auto x) {
        const auto kept =
            fg::apply_as<float, fg::variant>(fg::site{}, fg::serialize_many_sparse_op{}, x.indices, x.values, x.dense_shape);
        const auto [i, v, e] = fg::apply_as<float, fg::variant>(fg::site{}, fg::deserialize_sparse_op{}, kept);
        return fg::fetch(i, v);
      },
      sparse_matrix());
  CHECK(same_bits(indices, sparse_matrix().indices));
  CHECK(same_bits(elements, sparse_matrix().values));
}

TEST_CASE("strings that contain no sparse tensor, and rows out of order are refused") {
  const auto text_refusal = [](const fg::tensor<std::string>& texts) {
    fg::graph g;
    const auto x = g.placeholder<std::string>("texts", fg::shape::unknown());
    fg::session s{g};
    const auto found = s.try_run(fg::fetch(fg::deserialize_sparse<float>(x).values), {{x, texts}});
    REQUIRE_FALSE(found);
    CHECK(found.error().code() == fg::error_code::invalid_argument);
    return std::string(found.error().what());
  };
  CHECK(text_refusal(fg::tensor<std::string>({2}, {"a", "b"})).find("three elements") != std::string::npos);
  CHECK(text_refusal(fg::tensor<std::string>({3}, {"a", "b", "c"})).find("not a serialized tensor") != std::string::npos);
  CHECK(text_refusal(fg::tensor<std::string>({0, 3})).find("at least one sparse tensor") != std::string::npos);
  const auto one_number = [](auto x) { return fg::deserialize_sparse<std::int32_t>(fg::serialize_sparse(x)).values; };
  CHECK(refusal_of(one_number, sparse_matrix()).find("must have elements of int32, found float") != std::string::npos);
  const auto rows = [](auto x) { return fg::serialize_many_sparse(x); };
  CHECK(refusal_of(rows, sparse_of<float>({1, 0, 0, 0}, {1, 2}, {2, 2})).find("row-major order") != std::string::npos);
  CHECK(refusal_of(rows, sparse_of<float>({0}, {1}, {2})).find("at least two axes, found 1") != std::string::npos);
}
