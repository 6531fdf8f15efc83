#include <flowgraph/functors/result_finish.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

TEST_CASE("result finish: operations that are not set are left out") {
  const float result[3]{};
  const flowgraph::functor::result_finish f{result, 3};
  for (const float* operand : {f.shift, f.factor, f.offset, f.other}) CHECK(operand == nullptr);
  CHECK(f.bound == flowgraph::functor::result_finish::limit::none);
}
