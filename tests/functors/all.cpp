#include <flowgraph/functors/all.hpp>

#include <doctest/doctest.h>

namespace functor = flowgraph::functor;

namespace {

struct cube {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(x * x * x); }
};

template <class... F> constexpr bool only_packets(functor::functor_list<F...>) {
  return (... && !requires { F::by_number; });
}
template <class... F> constexpr int count(functor::functor_list<F...>) { return sizeof...(F); }

}  // namespace

TEST_CASE("the list of functors of packets has the lists of the families, and no functor of plain numbers") {
  CHECK(functor::packet_functors::contains<functor::add>);
  CHECK(functor::packet_functors::contains<functor::xlog1py>);
  CHECK(functor::packet_functors::contains<functor::relu_grad>);
  CHECK_FALSE(functor::packet_functors::contains<functor::sin>);
  CHECK_FALSE(functor::packet_functors::contains<cube>);
  CHECK(only_packets(functor::packet_functors{}));
  CHECK(count(functor::packet_functors{}) > 40);
}

TEST_CASE("the loops of a functor follow from its form") {
  CHECK(functor::is_unary<cube>);
  CHECK_FALSE(functor::is_unary<functor::add>);
  CHECK_FALSE(functor::is_paired<functor::add>);
  CHECK(functor::is_paired<functor::tanh_grad>);
}
