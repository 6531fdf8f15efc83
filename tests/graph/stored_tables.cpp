#include <flowgraph/graph/stored_tables.hpp>

#include "ops.hpp"

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/math/complex.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/standard.hpp>

#include <doctest/doctest.h>

using namespace test;

TEST_CASE("combinations of element types are visited in order, those without a kernel left out") {
  using pair = std::pair<fg::dtype, fg::dtype>;
  std::vector<pair> seen;
  fg::detail::for_each_combination<maximum_op>(
      [&]<class T, class I>(fg::type_list<T, I>) { seen.emplace_back(fg::dtype_of<T>, fg::dtype_of<I>); });
  REQUIRE(seen.size() == fg::real_numbers::size * fg::index_types::size);
  CHECK((seen[0] == pair{fg::dtype::float16, fg::dtype::int32}));
  CHECK((seen[1] == pair{fg::dtype::float16, fg::dtype::int64}));
  CHECK((seen[2] == pair{fg::dtype::bfloat16, fg::dtype::int32}));
}

#ifdef FLOWGRAPH_BY_NAME
TEST_CASE("a program that links flowgraph::by_name names the tables that lie there") {
  fg::registry r;
  REQUIRE(fg::add_standard_ops(r));
  const fg::type_binding half[] = {{"T", fg::dtype::float16}};
  REQUIRE(r.find("Maximum", half));
  CHECK(*r.find("Maximum", half) == &fg::table_of<fg::maximum_op, fg::half>);
  CHECK(fg::table_of<fg::maximum_op, fg::half>.name == "Maximum");
  const fg::type_binding rows[] = {{"Tparams", fg::dtype::string}, {"Tindices", fg::dtype::int64}};
  REQUIRE(r.find("Gather", rows));
  CHECK(*r.find("Gather", rows) == &fg::table_of<fg::gather_op, std::string, std::int64_t>);
  REQUIRE(fg::add_op<fg::maximum_op>(r));
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
      wrong += t->name != name || !found || *found != t;
      ++all;
    }
  CHECK(wrong == 0);
  CHECK(all > 5000);
}

TEST_CASE("a combination that an op does not exist for has a table without a kernel") {
  CHECK((fg::table_of<fg::complex_op, float, fg::complex64>.kernel != nullptr));
  CHECK((fg::table_of<fg::complex_op, float, fg::complex128>.kernel == nullptr));
  CHECK((fg::table_of<fg::complex_op, float, fg::complex128>.name == "Complex"));
}
#endif
