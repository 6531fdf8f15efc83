#include <flowgraph/graph/stored_tables.hpp>

#include "ops.hpp"

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/ops/all.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/math/complex.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/standard.hpp>

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using namespace test;

namespace {

template <class... T, class... I> std::vector<std::pair<fg::dtype, fg::dtype>> pairs_of(fg::type_list<fg::type_list<T, I>...>) {
  return {{fg::dtype_of<T>, fg::dtype_of<I>}...};
}

}  // namespace

TEST_CASE("combinations of element types stand in the order of their places, those without a kernel have no table") {
  const auto seen = pairs_of(fg::detail::combinations_of<maximum_op>{});
  using pair = std::pair<fg::dtype, fg::dtype>;
  REQUIRE(seen.size() == fg::real_numbers::size * fg::index_types::size);
  CHECK(seen.size() == fg::detail::grid_of<maximum_op>::size);
  CHECK((seen[0] == pair{fg::dtype::float16, fg::dtype::int32}));
  CHECK((seen[1] == pair{fg::dtype::float16, fg::dtype::int64}));
  CHECK((seen[2] == pair{fg::dtype::bfloat16, fg::dtype::int32}));
  std::size_t place = 0;
  const auto stands_in_place = [&]<class T, class I>(fg::type_list<T, I>) {
    return fg::detail::grid_of<maximum_op>::place<T, I>() == place++;
  };
  const bool all = [&]<class... C>(fg::type_list<C...>) {
    return (stands_in_place(C{}) && ...);
  }(fg::detail::combinations_of<maximum_op>{});
  CHECK(all);
  CHECK(fg::tables_of<fg::complex_op>.size() == 2);
  CHECK(fg::detail::grid_of<fg::complex_op>::size > 2);
}

TEST_CASE("what an op is, whatever its element types, lies in flowgraph::compiled, and for ops of one's own in the program") {
  const auto is_made_here = []<class Op>(const fg::op_table& table, fg::detail::type_tag<Op>) {
    return table.description == &fg::detail::description_of<Op>;
  };
  const fg::op_table &standard = fg::table_of<fg::maximum_op, float>, &own = fg::table_of<sum_op, float>;
  CHECK(is_made_here(standard, fg::detail::type_tag<fg::maximum_op>{}) == (fg::detail::table_source<fg::maximum_op> == 0));
  CHECK(is_made_here(own, fg::detail::type_tag<sum_op>{}));
  CHECK(standard.description == fg::table_of<fg::maximum_op, fg::half>.description);
  CHECK(standard.description->size == sizeof(fg::maximum_op));
  const fg::shape column{2, 1}, row{3};
  const fg::shape* const given[] = {&column, &row};
  const fg::any_tensor* const values[] = {nullptr, nullptr};
  for (const fg::op_table* table : {&standard, &own}) {
    fg::shape_context context(values, 2);
    fg::shape made;
    const fg::maximum_op maximum;
    const sum_op sum;
    const void* const ops[] = {&maximum, &sum};
    table->infer(ops[table == &own], context, {given, nullptr}, {&made, 1});
    CHECK(made == fg::shape{2, 3});
  }
}

#ifdef FLOWGRAPH_BY_NAME
TEST_CASE("a program that links flowgraph::by_name names the tables that lie there") {
  fg::registry r;
  REQUIRE(fg::add_standard_ops(r));
  const fg::type_binding half[] = {{"T", fg::dtype::float16}};
  REQUIRE(r.find("Maximum", half));
  CHECK(*r.find("Maximum", half) == &fg::table_of<fg::maximum_op, fg::half>);
  CHECK(fg::table_of<fg::maximum_op, fg::half>.name() == "Maximum");
  const fg::type_binding rows[] = {{"Tparams", fg::dtype::string}, {"Tindices", fg::dtype::int64}};
  REQUIRE(r.find("Gather", rows));
  CHECK(*r.find("Gather", rows) == &fg::table_of<fg::gather_op, std::string, std::int64_t>);
  REQUIRE(fg::add_op<fg::maximum_op>(r));
}

TEST_CASE("the archives have every standard op, also those that are forms of a template") {
  const auto names_of_others = []<class... Op>(fg::type_list<Op...>) {
    std::string names;
    ((names += fg::detail::table_source<Op> == 0 ? std::string(Op::name) + ' ' : std::string()), ...);
    return names;
  };
  CHECK(names_of_others(fg::standard_ops{}) == "");
}

TEST_CASE("every stored table is the one of its element types") {
  fg::registry r;
  REQUIRE(fg::add_standard_ops(r));
  std::size_t wrong = 0, all = 0;
  for (const auto name : r.names())
    for (const fg::op_table* t : r.tables(name)) {
      std::vector<fg::type_binding> types;
      for (const fg::type_binding& b : t->types()) types.push_back(b);
      const auto found = r.find(name, types);
      wrong += t->name() != name || !found || *found != t;
      ++all;
    }
  CHECK(wrong == 0);
  CHECK(all > 5000);
}

TEST_CASE("a combination that an op does not exist for has a table without a kernel") {
  CHECK((fg::table_of<fg::complex_op, float, fg::complex64>.kernel.run != nullptr));
  CHECK((fg::table_of<fg::complex_op, float, fg::complex128>.kernel.run == nullptr));
  CHECK((fg::table_of<fg::complex_op, float, fg::complex128>.name() == "Complex"));
}
#endif
