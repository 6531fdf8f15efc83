#include <flowgraph/ops/checkpoint/tensor_bundle.hpp>

#include "../../formats/folder.hpp"
#include "../evaluate.hpp"

#include <flowgraph/formats/tensor_bundle.hpp>

using namespace ops_test;

namespace {

fg::error run(fg::session& s, const fg::target& wanted) {
  const fg::target targets[]{wanted};
  const auto made = s.try_run({{}, {}, targets});
  return made ? fg::error() : made.error();
}
fg::result<std::vector<fg::any_tensor>> fetch(fg::session& s, const fg::any_out_list& wanted) {
  return s.try_run({{}, std::span<const fg::any_out>(wanted), {}});
}

}  // namespace

TEST_CASE("tensors of several types are saved and restored, in any order") {
  const test_folder folder;
  fg::graph g;
  const auto prefix = g.constant(folder / "made/by/save");
  const auto x = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  const auto text = g.constant(std::string("text"));
  // In docs/reference:
  const fg::target save = fg::save_v2(prefix, {"x", "text"}, {x, text});
  // In docs/reference:
  const fg::any_out_list back = fg::restore_v2(prefix, {"text", "x"}, {fg::dtype::string, fg::dtype::float32});
  fg::session s{g};
  CHECK(fetch(s, back).error().code() == fg::error_code::not_found);
  CHECK_FALSE(run(s, save));
  const auto values = fetch(s, back).value();
  CHECK(values[0].as<std::string>()[0] == "text");
  CHECK(same_bits(fg::tensor<float>::from(values[1]).value(), fg::tensor<float>({2, 2}, {1, 2, 3, 4})));
}

TEST_CASE("parts of a tensor are saved by several nodes, merged, and read whole or in other parts") {
  const test_folder folder;
  fg::graph g;
  const auto texts = [&](std::initializer_list<std::string> all) {
    return g.constant(fg::tensor<std::string>({all.size()}, all));
  };
  const std::string parts[] = {folder / "temporary/0", folder / "temporary/1"};
  const auto first = fg::apply({}, fg::save_v2_op{}, g.constant(parts[0]), texts({"w"}), texts({"4 2 0,1:-"}),
                               fg::any_out_list{g.constant(fg::tensor<int>({1, 2}, {0, 1}))});
  const auto second = fg::apply({}, fg::save_v2_op{}, g.constant(parts[1]), texts({"w", "b"}), texts({"4 2 1,3:-", ""}),
                                fg::any_out_list{g.constant(fg::tensor<int>({3, 2}, {2, 3, 4, 5, 6, 7})), g.constant(1.5)});
  const auto merge = fg::merge_v2_checkpoints(texts({parts[0], parts[1]}), g.constant(folder / "all"));
  const auto back = fg::apply({}, fg::restore_v2_op{{fg::dtype::int32, fg::dtype::int32, fg::dtype::float64}},
                              g.constant(folder / "all"), texts({"w", "w", "b"}), texts({"", "4 2 0,2:1,1", ""}));
  fg::session s{g};
  CHECK_FALSE(run(s, first));
  CHECK(run(s, merge).code() == fg::error_code::invalid_argument);
  CHECK_FALSE(run(s, second));
  CHECK_FALSE(run(s, merge));
  CHECK_FALSE(std::filesystem::exists(folder / "temporary"));
  const auto values = fetch(s, back).value();
  CHECK(values[0].shape() == fg::shape{4, 2});
  CHECK(values[0].as<int>()[7] == 7);
  CHECK(values[1].shape() == fg::shape{2, 1});
  CHECK(values[1].as<int>()[1] == 3);
  CHECK(values[2].as<double>()[0] == 1.5);
}

TEST_CASE("what the checkpoint does not have is an error that names the tensor") {
  const test_folder folder;
  fg::graph g;
  const auto prefix = g.constant(folder / "c");
  const auto save = fg::save_v2(prefix, {"x"}, {g.constant(fg::tensor<float>({2}, {1, 2}))});
  const auto texts = [&](std::string text) { return g.constant(fg::tensor<std::string>({1}, {std::move(text)})); };
  const auto part = fg::apply({}, fg::restore_v2_op{{fg::dtype::float32}}, prefix, texts("x"), texts("3 0,1"));
  fg::session s{g};
  CHECK_FALSE(run(s, save));
  const auto missing = fetch(s, fg::restore_v2(prefix, {"y"}, {fg::dtype::float32})).error();
  CHECK(missing.code() == fg::error_code::not_found);
  CHECK(says(missing, "tensor 'y'"));
  const auto mistyped = fetch(s, fg::restore_v2(prefix, {"x"}, {fg::dtype::int32})).error();
  CHECK(says(mistyped, "tensor 'x': expected int32, found float in the checkpoint"));
  CHECK(fetch(s, part).error().code() == fg::error_code::invalid_argument);
  CHECK_THROWS(fg::save_v2(prefix, {"x", "y"}, {g.constant(1.f)}));
}

TEST_CASE("a folder that cannot be written fails the run, with the file's name") {
  fg::graph g;
  const auto save = fg::save_v2(g.constant(std::string("/proc/none/c")), {"x"}, {g.constant(1.f)});
  fg::session s{g};
  CHECK(says(run(s, save), "/proc/none"));
}
