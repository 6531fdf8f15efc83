#include "levels.hpp"

#include <flowgraph/ops/kernel/steps.hpp>

using namespace levels;

namespace {

using kernel::element_step;

// Applies one functor by steps to whole blocks, and to fewer elements than a block: the bits of its loop, and nothing beyond.
template <class F> void check_steps(kernel::instruction_set at) {
  constexpr unsigned number = functor::grouped_numbers::of<F>();
  const auto run = kernel::dispatch([]<class L>(L) { return &L::template element_steps<float>; }, at);
  const std::int64_t block = kernel::floats_in_block(at);
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, block - 1, block, 3 * block}) {
    CAPTURE(n);
    const auto size = static_cast<std::size_t>(n);
    const auto a = uniform<float>(size, -3, 3, 5), b = uniform<float>(size, 0.5f, 9, 6);
    const auto by_steps = [&](element_step::form f, const float* held, const float* other) {
      std::vector<float> y(size + 1, -77.f);
      const bool is_number = f == element_step::form::number_left || f == element_step::form::number_right;
      const element_step steps[]{{held, ~std::int64_t{0}, element_step::load},
                                 {other, is_number ? 0 : ~std::int64_t{0}, element_step::code_of(number, f)},
                                 {y.data(), ~std::int64_t{0}, element_step::store},
                                 {nullptr, 0, element_step::end}};
      run(steps, n, nullptr);
      CHECK(y.back() == -77.f);
      y.pop_back();
      return y;
    };
    std::vector<float> expected(size);
    using form = element_step::form;
    if constexpr (functor::is_unary<F>) {
      kernel::unary_loop<F, float>(at)(b.data(), expected.data(), n);
      CHECK(bits_agree(by_steps(form::right, b.data(), b.data()), expected));
    } else {
      kernel::paired_loop<F, float>(at)(a.data(), b.data(), expected.data(), n);
      CHECK(bits_agree(by_steps(form::right, a.data(), b.data()), expected));
      CHECK(bits_agree(by_steps(form::left, b.data(), a.data()), expected));
      if constexpr (!functor::is_paired<F>) {
        const float left = -1.25f, right = 0.75f;
        const auto loops = kernel::binary_loop<F, float>(at);
        loops.scalar_right(a.data(), &right, expected.data(), n);
        CHECK(bits_agree(by_steps(form::number_right, a.data(), &right), expected));
        loops.scalar_left(&left, b.data(), expected.data(), n);
        CHECK(bits_agree(by_steps(form::number_left, b.data(), &left), expected));
      }
    }
  }
}

template <class... F> void check_all_steps(functor::functor_list<F...>, kernel::instruction_set at) { (check_steps<F>(at), ...); }

}  // namespace

TEST_CASE("element steps have the bits of the loops of their functors, at every level") {
  for_each_level([](kernel::instruction_set at) { check_all_steps(functor::grouped_functors{}, at); });
}

TEST_CASE("element steps add up the results of the last step in the order of a sum, at every level") {
  for_each_level([](kernel::instruction_set at) {
    const auto run = kernel::dispatch([]<class L>(L) { return &L::template element_steps<float>; }, at);
    const auto sum = kernel::dispatch([]<class L>(L) { return &L::template sum<float>; }, at);
    const std::int64_t block = kernel::floats_in_block(at);
    for (const std::int64_t n : {block, 2 * block, 7 * block, std::int64_t{2048}}) {
      CAPTURE(n);
      const auto x = uniform<float>(static_cast<std::size_t>(n), -3, 3, 5);
      std::vector<float> y(x.size());
      const element_step steps[]{
          {x.data(), ~std::int64_t{0}, element_step::load},
          {nullptr, 0, element_step::code_of(functor::grouped_numbers::of<functor::square>(), element_step::form::right)},
          {y.data(), ~std::int64_t{0}, element_step::store},
          {nullptr, 0, element_step::end}};
      float total = -77;
      run(steps, n, &total);
      CHECK(total == sum(y.data(), n));
      CHECK(total != 0);
    }
  });
}
