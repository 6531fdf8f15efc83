#include <flowgraph/formats/tensor_slice.hpp>

#include <doctest/doctest.h>

#include <string>

namespace fg = flowgraph;

TEST_CASE("the part of a tensor, as text") {
  const auto part = fg::tensor_slice::parse("2,3:-", {10, 4}).value();
  CHECK(part.begin == fg::shape{2, 0});
  CHECK(part.extents == fg::shape{3, -1});
  CHECK(part.text() == "2,3:-");
  CHECK(part.within({10, 4}).extents == fg::shape{3, 4});
  CHECK_FALSE(part.is_all_of({10, 4}));
  CHECK(fg::tensor_slice::all(2).text() == "-:-");
  CHECK(fg::tensor_slice::all(2).is_all_of({10, 4}));
  CHECK(fg::tensor_slice::parse("0,10:0,4", {10, 4}).value().is_all_of({10, 4}));
}

TEST_CASE("what is no part of the tensor is refused") {
  for (const char* text : {"", "-", "-:-:-", "2,9:-", "11,1:-", "-1,2:-", "2,0:-", "2:-", "2,x:-", "2,3,4:-", "-:-:", "a:-"})
    CHECK_MESSAGE(fg::tensor_slice::parse(text, {10, 4}).error().code() == fg::error_code::invalid_argument, std::string(text));
}

TEST_CASE("shapes and parts in one text") {
  const auto both = fg::shape_and_slice::parse("10 4 2,3:-").value();
  CHECK_FALSE(both.is_whole);
  CHECK(both.whole == fg::shape{10, 4});
  CHECK(both.part.text() == "2,3:-");
  CHECK(fg::shape_and_slice::parse("").value().is_whole);
  for (const char* text :
       {"10 4", "10 x -:-", "10 4 ", "10  4 -:-", "-:-", "1 1 1 1 1 1 1 1 1 1 1 1 1 -:-:-:-:-:-:-:-:-:-:-:-:-"})
    CHECK_MESSAGE(!fg::shape_and_slice::parse(text), std::string(text));
}

TEST_CASE("what two parts have in common is copied") {
  fg::tensor<int> from({2, 3}, {1, 2, 3, 4, 5, 6});      // rows 1 to 2, columns 0 to 2
  fg::any_tensor to = fg::tensor<int>({3, 2}).erased();  // rows 0 to 2, columns 1 to 2
  const fg::tensor_slice a{{1, 0}, {2, 3}}, b{{0, 1}, {3, 2}};
  CHECK(fg::detail::common_part_size(a, b) == 4);
  fg::detail::copy_common_part(from.erased(), a, to, b);
  CHECK(fg::tensor<int>::from(to).value().values()[2] == 2);
  const int expected[] = {0, 0, 2, 3, 5, 6};
  for (std::size_t i = 0; i < 6; ++i) CHECK(to.as<int>()[i] == expected[i]);
  CHECK(fg::detail::common_part_size({{0}, {2}}, {{2}, {5}}) == 0);
}
