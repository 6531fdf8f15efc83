#include <flowgraph/op/work_figure.hpp>

#include <flowgraph/op/make_table.hpp>

#include <doctest/doctest.h>

#include <array>

namespace {

namespace fg = flowgraph;

constexpr double count(fg::work_figure w, std::initializer_list<fg::shape> in, std::initializer_list<fg::shape> out) {
  return w.operations({in.begin(), in.size()}, {out.begin(), out.size()});
}

}  // namespace

namespace work_figures {

struct declares_work {
  static constexpr std::string_view name = "DeclaresWork";
  static constexpr fg::op_facts facts{.work = fg::work_figure(3).elements_of_input(0)};
  void operator()(fg::cpu) const {}
};
struct declares_none {
  static constexpr std::string_view name = "DeclaresNone";
  void operator()(fg::cpu) const {}
};

}  // namespace work_figures

TEST_CASE("work figure: operations for each element, or for each pair of rows, columns or elements of two operands") {
  CHECK(count(fg::work_figure(20).elements_of_output(0), {{7}}, {{4, 5}}) == 400);
  CHECK(count(fg::work_figure(2).elements_of_input(0).columns_of_output(0), {{3, 4}, {4, 5}}, {{3, 5}}) == 2 * 3 * 4 * 5);
  CHECK(count(fg::work_figure(2).elements_of_input(1).rows_of_output(0), {{1, 8, 8, 3}, {3, 3, 3, 16}}, {{1, 6, 6, 16}}) ==
        2.0 * 3 * 3 * 3 * 16 * 36);
  CHECK(count(fg::work_figure(1).columns_of_input(0).rows_of_input(1), {{2, 3}, {4, 5, 6}}, {}) == 60);
}

TEST_CASE("work figure: scalars have one element, operands that are not there count once") {
  CHECK(count(fg::work_figure(5).elements_of_output(0), {}, {{}}) == 5);
  CHECK(count(fg::work_figure(5).elements_of_input(3), {}, {}) == 5);
  CHECK(count(fg::work_figure(5), {}, {}) == 5);
}

TEST_CASE("work figure: an op's description has what it declares, in space that was there") {
  static_assert(sizeof(fg::work_figure) == 4);
  CHECK(fg::detail::description_of<work_figures::declares_work>.work.is_declared());
  CHECK_FALSE(fg::detail::description_of<work_figures::declares_none>.work.is_declared());
  struct without_work {
    std::string_view name;
    std::span<const fg::argument> inputs, outputs;
    std::span<const std::string_view> type_attributes;
    std::span<const fg::attribute_info> attributes;
    std::uint32_t size, alignment;
    bool is_described;
    void* functions[16];
  };
  static_assert(sizeof(fg::op_description) == sizeof(without_work) || sizeof(void*) < 8);
}
