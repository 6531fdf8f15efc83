#include <flowgraph/ops/checkpoint/saved_slices.hpp>

#include "../../formats/folder.hpp"
#include "../evaluate.hpp"

#include <flowgraph/ops/checkpoint/tensor_bundle.hpp>

using namespace ops_test;

namespace {

fg::error error_of(fg::session& s, const fg::target& wanted) {
  const fg::target targets[]{wanted};
  const auto made = s.try_run({{}, {}, targets});
  return made ? fg::error() : made.error();
}
template <class T> fg::result<std::vector<fg::any_tensor>> value_of(fg::session& s, const fg::out<T>& wanted) {
  const fg::any_out fetches[]{wanted};
  return s.try_run({{}, fetches, {}});
}

}  // namespace

TEST_CASE("a file of the first format is restored by the ops of both versions") {
  const test_folder folder;
  fg::graph g;
  const auto path = g.constant(folder / "old"), name = g.constant(std::string("x"));
  const auto names = g.constant(fg::tensor<std::string>({2}, {"x", "y"}));
  const fg::any_out_list values{g.constant(fg::tensor<float>({3}, {1, 2, 3})), g.constant(std::int64_t{-4})};
  const auto save = fg::apply({}, fg::save_op{}, path, names, values);
  const auto whole = fg::apply_as<float>({}, fg::restore_op{}, path, name);
  const auto part = fg::apply_as<float>({}, fg::restore_slice_op{}, path, name, g.constant(std::string("3 1,2")));
  const auto mistyped = fg::apply_as<int>({}, fg::restore_op{}, path, name);
  const auto missing = fg::apply_as<float>({}, fg::restore_op{}, path, g.constant(std::string("z")));
  const auto by_v2 = fg::restore_v2(path, {"y"}, {fg::dtype::int64});
  fg::session s{g};
  CHECK(value_of(s, whole).error().code() == fg::error_code::not_found);
  CHECK_FALSE(error_of(s, save));
  CHECK(value_of(s, whole).value()[0].as<float>()[2] == 3);
  CHECK(value_of(s, part).value()[0].shape() == fg::shape{2});
  CHECK(value_of(s, part).value()[0].as<float>()[0] == 2);
  CHECK(value_of(s, mistyped).error().code() == fg::error_code::invalid_argument);
  CHECK(value_of(s, missing).error().code() == fg::error_code::not_found);
  CHECK(s.try_run({{}, std::span<const fg::any_out>(by_v2), {}}).value()[0].as<std::int64_t>()[0] == -4);
}

TEST_CASE("parts in several files, which a pattern names") {
  const test_folder folder;
  fg::graph g;
  const auto base = g.constant(folder / "parts");
  const auto names = g.constant(fg::tensor<std::string>({1}, {"w"}));
  fg::session s{g};
  for (const int i : {0, 1}) {
    const auto path = fg::sharded_filename(base, g.constant(i), g.constant(2));
    const auto slice = g.constant(fg::tensor<std::string>({1}, {"2 2 " + std::to_string(i) + ",1:-"}));
    const fg::any_out_list rows{g.constant(fg::tensor<int>({1, 2}, {i, i + 10}))};
    CHECK_FALSE(error_of(s, fg::apply({}, fg::save_slices_op{}, path, names, slice, rows)));
  }
  const auto pattern = fg::apply(fg::sharded_filespec_op{}, base, g.constant(2));
  CHECK(value_of(s, pattern).value()[0].as<std::string>()[0] == folder / "parts-\?\?\?\?\?-of-00002");
  const auto whole = value_of(s, fg::apply_as<int>({}, fg::restore_op{}, pattern, g.constant(std::string("w")))).value()[0];
  CHECK(whole.shape() == fg::shape{2, 2});
  CHECK(whole.as<int>()[3] == 11);
}

TEST_CASE("patterns of files") {
  const test_folder folder;
  fg::graph g;
  const auto pattern = g.placeholder<std::string>("pattern", {});
  const auto name = g.constant(fg::tensor<std::string>({1}, {"x"}));
  const fg::any_out_list values{g.constant(1.f)};
  const auto save = fg::apply({}, fg::save_op{}, g.constant(folder / "abc"), name, values);
  const auto restore = fg::apply_as<float>({}, fg::restore_op{}, pattern, g.constant(std::string("x")));
  fg::session s{g};
  CHECK_FALSE(error_of(s, save));
  for (const std::string fits : {"*", "a*c", "abc", "a\?c", "*b*", "\?\?\?", "a*b*c*", "**c"})
    CHECK(s.try_run(fg::fetch(restore), {{pattern, fg::tensor<std::string>(folder / fits)}}));
  for (const std::string not_fits : {"", "a*b", "\?\?", "\?\?\?\?", "abcd", "b*", "*d", "a\?", "none/*"})
    CHECK(s.try_run(fg::fetch(restore), {{pattern, fg::tensor<std::string>(folder / not_fits)}}).error().code() ==
          fg::error_code::not_found);
}

TEST_CASE("Save makes no folder") {
  const test_folder folder;
  fg::graph g;
  const fg::any_out_list values{g.constant(1.f)};
  const auto save =
      fg::apply({}, fg::save_op{}, g.constant(folder / "none/c"), g.constant(fg::tensor<std::string>({1}, {"x"})), values);
  fg::session s{g};
  CHECK(error_of(s, save).code() == fg::error_code::not_found);
}
