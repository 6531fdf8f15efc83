#include <flowgraph/core/index_view.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace fg = flowgraph;

namespace {

template <class I> void check_read() {
  const fg::shape shape{3};
  const I elements[] = {3, -1, 12345};
  const fg::any_indices indices = fg::view<const I>(elements, shape);
  CHECK(indices.size() == 3);
  CHECK(indices.rank() == 1);
  CHECK(indices.dim(0) == 3);
  CHECK(&indices.shape() == &shape);
  CHECK(indices.data() == elements);
  CHECK(indices.type() == fg::dtype_of<I>);
  CHECK(indices.scalar() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(indices[i] == elements[i]);
}

// Neither widths that no index has nor reals.
static_assert(!std::is_constructible_v<fg::any_indices, fg::view<const std::int8_t>>);
static_assert(!std::is_constructible_v<fg::any_indices, fg::view<const std::uint64_t>>);
static_assert(!std::is_constructible_v<fg::any_indices, fg::view<const float>>);

}  // namespace

TEST_CASE("indices of every width read alike") {
  check_read<std::int16_t>();
  check_read<std::int32_t>();
  check_read<std::int64_t>();
}

TEST_CASE("a large index is not cut") {
  const fg::shape scalar;
  const std::int64_t far = std::int64_t{1} << 40;
  CHECK(fg::any_indices(fg::view<const std::int64_t>(&far, scalar)).scalar() == far);
}

TEST_CASE("visit gives the elements in their own type") {
  const fg::shape shape{2};
  const std::int32_t narrow[] = {1, 2};
  const std::int64_t wide[] = {3, 4};
  const auto sum = [](const auto* p) { return static_cast<std::int64_t>(p[0] + p[1]) * 100 + static_cast<int>(sizeof(*p)); };
  CHECK(fg::any_indices(fg::view<const std::int32_t>(narrow, shape)).visit(sum) == 304);
  CHECK(fg::any_indices(fg::view<const std::int64_t>(wide, shape)).visit(sum) == 708);
}

TEST_CASE("no indices are none") { CHECK(fg::any_indices().size() == 0); }
