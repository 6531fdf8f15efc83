#pragma once
// The gradients of Einsum: each is an Einsum of the other operand.

#include <flowgraph/ops/array/broadcast.hpp>
#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/linear_algebra/einsum.hpp>
#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the letters of `from`, each once, that the others do not contain.
std::string letters_apart(std::string_view from, std::string_view others);
// Returns the axis of the first place of a letter, or of the ellipsis: counted from the end if it follows an ellipsis.
int axis_of_letter(std::string_view subscript, char letter);
int letters_in(std::string_view subscript);
// One equation: "a,b->c", or "a->c" without b.
struct einsum_parts {
  std::string first, second, output;
};
einsum_parts parts_of_equation(const std::string& equation);
// Returns whether the axes of the ellipsis are known and equal for both operands, so that they do not broadcast.
bool same_ellipsis(const shape& x, std::string_view x_letters, const shape& y, std::string_view y_letters);

// Returns the extent of one axis, in a vector.
template <class T> out<std::int32_t> extent_along(const out<T>& x, int axis) {
  if (axis < 0 && !x.shape().has_rank()) return slice(shape_of(x), reshape(rank_of(x) + axis, {1}), shape_constant(x, {1}, {}));
  return slice(shape_like(x), {axis < 0 ? axis + x.shape().rank : axis}, {1});
}

// Repeats the gradient of an output with these letters for an operand that also has the letters that were summed over.
template <class T>
out<T> einsum_spread(const out<T>& dy, const std::string& output, const out<T>& x, const std::string& letters,
                     const std::string& summed) {
  if (summed.empty()) return output == letters ? dy : einsum(output + "->" + letters, {dy});
  out_list<std::int32_t> narrow, wide;
  for (const char letter : summed) {
    narrow.push_back(shape_constant(x, {1}, {}));
    wide.push_back(extent_along(x, axis_of_letter(letters, letter)));
  }
  for (out_list<std::int32_t>* list : {&narrow, &wide}) list->push_back(shape_like(dy));
  const out<T> spread = broadcast_to(reshape(dy, concat(narrow, 0)), concat(wide, 0));
  return summed + output == letters ? spread : einsum(summed + output + "->" + letters, {spread});
}

template <class T>
out<T> einsum_gradient_of(const out<T>& dy, const std::string& output, const out<T>& x, const std::string& letters,
                          const out<T>& other, const std::string& other_letters) {
  const std::string summed = letters_apart(letters, output + other_letters);
  std::string left;
  for (const char letter : letters)
    if (summed.find(letter) == summed.npos) left += letter;
  return einsum_spread(einsum(output + "," + other_letters + "->" + left, {dy, other}), left, x, letters, summed);
}

// Returns the axes of the ellipsis, as a vector.
template <class T> out<std::int32_t> ellipsis_extents(const out<T>& x, std::string_view letters) {
  const int first = axis_of_letter(letters, '.'), named = letters_in(letters);
  if (x.shape().has_rank()) return slice(shape_like(x), {first}, {x.shape().rank - named});
  return slice(shape_of(x), shape_constant(x, {first}, {}), reshape(rank_of(x) - named, {1}));
}

template <class T> out_list<T> einsum_gradients(const std::string& equation, const out_list<T>& inputs, const out<T>& dy) {
  einsum_parts e = parts_of_equation(equation);
  if (inputs.size() == 1) return {einsum_spread(dy, e.output, inputs[0], e.first, letters_apart(e.first, e.output))};
  const bool broadcasts = e.output.find('.') != e.output.npos;
  for (std::string* letters : {&e.first, &e.second})
    if (broadcasts && letters->find('.') == letters->npos) *letters += "...";
  const out<T>&x = inputs[0], &y = inputs[1];
  const out<T> dx = einsum_gradient_of(dy, e.output, x, e.first, conjugated(y), e.second);
  const out<T> dy_other = einsum_gradient_of(dy, e.output, y, e.second, conjugated(x), e.first);
  if (!broadcasts || same_ellipsis(x.shape(), e.first, y.shape(), e.second)) return {dx, dy_other};
  const auto [of_x, of_y] = apply(broadcast_gradient_args_op{}, ellipsis_extents(x, e.first), ellipsis_extents(y, e.second));
  const out<std::int32_t> x_axes = of_x + axis_of_letter(e.first, '.'), y_axes = of_y + axis_of_letter(e.second, '.');
  return {reshape_like(sum(dx, x_axes), x), reshape_like(sum(dy_other, y_axes), y)};
}

}  // namespace flowgraph::detail
