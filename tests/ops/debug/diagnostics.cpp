#include <flowgraph/ops/debug/diagnostics.hpp>

#include "../evaluate.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace ops_test;

namespace {

fg::error error_of(fg::graph& g, const fg::target& wanted) {
  fg::session s{g};
  const fg::target targets[]{wanted};
  auto made = s.try_run({{}, {}, targets});
  return made ? fg::error() : made.error();
}
template <class T> fg::error error_of(fg::graph& g, const fg::out<T>& wanted) {
  fg::session s{g};
  const fg::any_out fetches[]{wanted};
  auto made = s.try_run({{}, fetches, {}});
  return made ? fg::error() : made.error();
}

}  // namespace

TEST_CASE("a failed assertion shows the first elements in brackets that follow the axes") {
  fg::graph g;
  const fg::any_out_list data{g.constant(fg::tensor<bool>({2}, {true, false})),
                              g.constant(0.1f),
                              g.constant(fg::tensor<std::int64_t>({2, 3}, {1, 2, 3, 4, 5, 6})),
                              g.constant(1e-20),
                              g.constant(std::string("words")),
                              g.constant(fg::tensor<float>({0})),
                              g.constant(1. / 3)};
  const fg::error why = error_of(g, fg::assert_that(g.constant(false), data));
  CHECK(why.code() == fg::error_code::invalid_argument);
  CHECK(says(why, "[1 0] [0.1] [[1 2 3]...] [1e-20] [words] [] [0.33333333333333331]"));
  CHECK(says(error_of(g, fg::assert_that(g.constant(false), {data[2]}, 5)), "[[1 2 3][4 5...]...]"));
  CHECK(says(error_of(g, fg::assert_that(g.constant(false), {data[2]}, -1)), "[[1 2 3][4 5 6]]"));
  CHECK(!error_of(g, fg::assert_that(g.constant(true), data)));
}

TEST_CASE("numbers that are not finite are told apart") {
  fg::graph g;
  const auto checked = [&](std::initializer_list<float> x) {
    return error_of(g, fg::check_numerics(g.constant(vector<float>(x)), "here"));
  };
  CHECK(!checked({1, -2, 3e38f}));
  CHECK(says(checked({1, no_number}), "here : the tensor has NaN values"));
  CHECK(says(checked({-infinity}), "has Inf values"));
  CHECK(says(checked({infinity, no_number}), "has Inf and NaN values"));
  CHECK(says(error_of(g, fg::check_numerics(g.constant(vector<fg::bfloat16>({infinity})), "")), "Inf"));
}

TEST_CASE("the gradient is checked as well") {
  fg::graph g;
  auto x = g.constant(0.f);
  fg::out<float> d = fg::gradients(fg::sqrt(fg::check_numerics(x, "x")), x);
  CHECK(says(error_of(g, d), "in the gradient: x"));
}

TEST_CASE("print hands its input and the gradient on") {
  fg::graph g;
  auto x = g.constant(vector<float>({1, 2}));
  auto y = fg::print(x, {x}, "", 0);
  fg::out<float> d = fg::gradients(y * 3.f, x);
  fg::session s{g};
  CHECK(values(s.run(fg::fetch(y))) == std::vector<float>{1, 2});
  CHECK(values(s.run(fg::fetch(d))) == std::vector<float>{3, 3});
}

TEST_CASE("text is added to a file; a stream that nobody knows is refused") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "flowgraph_print_test.txt";
  std::filesystem::remove(path);
  fg::graph g;
  auto put = fg::print_text(g.constant(std::string("line")), "file://" + path.string());
  CHECK(!error_of(g, put));
  CHECK(!error_of(g, put));
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  CHECK(text == "line\nline\n");
  file.close();
  std::filesystem::remove(path);
  CHECK(error_of(g, fg::print_text(g.constant(std::string("a")), "file:///no/such/folder/file")).code() ==
        fg::error_code::failed_precondition);
}

TEST_CASE("time goes on") {
  fg::graph g;
  auto t = fg::timestamp(g);
  fg::session s{g};
  const double first = s.run(fg::fetch(t)).scalar(), second = s.run(fg::fetch(t)).scalar();
  CHECK(first > 1.6e9);
  CHECK(second >= first);
}
