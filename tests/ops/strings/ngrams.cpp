#include <flowgraph/ops/strings/ngrams.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

// The n-grams of two rows: a b c d, and e f.
auto try_ngrams(std::vector<std::int64_t> widths, fg::ngram_options options = {},
                const fg::tensor<std::int64_t>& splits = vector<std::int64_t>({0, 4, 6})) {
  fg::graph g;
  const auto words = g.constant(fg::tensor<std::string>({6}, {"a", "b", "c", "d", "e", "f"}));
  const auto rows = g.placeholder<std::int64_t>("splits", fg::shape::unknown());
  const auto y = fg::string_ngrams(fg::ragged_tensor<std::string>{{rows}, words}, std::move(widths), std::move(options));
  fg::session s{g};
  return s.try_run(fg::fetch(y.values, y.row_splits[0]), {{rows, splits}});
}
std::vector<std::string> ngrams_of(std::vector<std::int64_t> widths, fg::ngram_options options = {}) {
  const auto found = try_ngrams(std::move(widths), std::move(options));
  return values(std::get<0>(found.value()));
}

}  // namespace

TEST_CASE("n-grams of each row, one width after the other") {
  const auto [ngrams, splits] = try_ngrams({2, 3}).value();
  CHECK(values(ngrams) == std::vector<std::string>{"a b", "b c", "c d", "a b c", "b c d", "e f"});
  CHECK(values(splits) == std::vector<std::int64_t>{0, 5, 6});
}

TEST_CASE("pads are added at both ends, and short rows are kept if that is requested") {
  CHECK(ngrams_of({3}, {.left_pad = "<", .right_pad = ">", .pad_width = 1}) ==
        std::vector<std::string>{"< a b", "a b c", "b c d", "c d >", "< e f", "e f >"});
  CHECK(ngrams_of({3}, {.separator = "", .left_pad = "<", .right_pad = ">", .pad_width = -1}) ==
        std::vector<std::string>{"<<a", "<ab", "abc", "bcd", "cd>", "d>>", "<<e", "<ef", "ef>", "f>>"});
  CHECK(ngrams_of({7}).empty());
  CHECK(ngrams_of({7, 9}, {.left_pad = "<", .right_pad = ">", .pad_width = 1, .preserve_short_sequences = true}) ==
        std::vector<std::string>{"< a b c d >", "< e f >"});
}

TEST_CASE("splits that do not describe the strings, and widths without words are refused") {
  const auto refusal = [](std::initializer_list<std::int64_t> splits) {
    const auto found = try_ngrams({2}, {}, vector<std::int64_t>(splits));
    REQUIRE_FALSE(found);
    CHECK(found.error().code() == fg::error_code::invalid_argument);
    return std::string(found.error().what());
  };
  CHECK(refusal({1, 6}).find("begin with 0, found 1") != std::string::npos);
  CHECK(refusal({0, 4, 3, 6}).find("in [4, 6], found 3") != std::string::npos);
  CHECK(refusal({0, 5}).find("6, found 5") != std::string::npos);
  CHECK(refusal({0, 7}).find("in [0, 6], found 7") != std::string::npos);
  CHECK_THROWS(try_ngrams({0}));
  CHECK_THROWS(try_ngrams({}, {.pad_width = -1, .preserve_short_sequences = true}));
  CHECK(try_ngrams({std::int64_t{1} << 30}, {.pad_width = -1}).error().code() == fg::error_code::resource_exhausted);
}
