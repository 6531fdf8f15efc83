#pragma once

#include <flowgraph/ops/linear_algebra/detail/einsum.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The letters of one operand, and the index of the letter after the ellipsis; -1 without an ellipsis.
struct einsum_term {
  label_list letters;
  int ellipsis = -1;
};
// The content of an equation: one or two operands, then the output.
struct einsum_equation {
  einsum_term terms[3];
  int inputs = 0;
  char letters[first_ellipsis_label];
  int letter_count = 0;

  const einsum_term& output() const { return terms[2]; }
};

// Returns null, or an error text.
FLOWGRAPH_COLD inline const char* parse_term(einsum_equation& e, std::string_view text, einsum_term& term) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      if (term.ellipsis >= 0 || text.substr(i, 3) != "...")
        return "expected at most one ellipsis of three dots in each subscript";
      term.ellipsis = term.letters.size;
      i += 2;
      continue;
    }
    if (term.letters.size == shape::max_rank) return "expected subscripts of fewer letters";
    const char* known = std::find(e.letters, e.letters + e.letter_count, text[i]);
    if (known == e.letters + e.letter_count) e.letters[e.letter_count++] = text[i];
    term.letters.push(static_cast<einsum_label>(known - e.letters));
  }
  return nullptr;
}
FLOWGRAPH_COLD inline const char* parse_einsum(std::string_view equation, einsum_equation& e) {
  const std::size_t arrow = equation.find("->");
  if (arrow == equation.npos || equation.find("->", arrow + 2) != equation.npos) return "expected one -> in the equation";
  const std::string_view left = equation.substr(0, arrow), right = equation.substr(arrow + 2);
  const std::size_t comma = left.find(',');
  e.inputs = comma == left.npos ? 1 : 2;
  if (e.inputs == 2 && left.find(',', comma + 1) != left.npos) return "expected one or two operands in the equation";
  if (right.find(',') != right.npos) return "expected one output in the equation";
  const char* wrong = parse_term(e, left.substr(0, comma), e.terms[0]);
  if (!wrong && e.inputs == 2) wrong = parse_term(e, left.substr(comma + 1), e.terms[1]);
  const int known = e.letter_count;
  if (!wrong) wrong = parse_term(e, right, e.terms[2]);
  return wrong ? wrong : e.letter_count > known ? "expected an output of letters that an operand has" : nullptr;
}

// Returns the axes of a tensor of that rank; the rank must fit.
inline label_list labels_of(const einsum_term& term, int ellipsis_rank) {
  label_list labels;
  for (int i = 0; i <= term.letters.size; ++i) {
    if (i == term.ellipsis)
      for (int k = ellipsis_rank - 1; k >= 0; --k) labels.push(first_ellipsis_label + k);
    if (i < term.letters.size) labels.push(term.letters.at[i]);
  }
  return labels;
}

// Returns the steps of contiguous labels in an order.
inline label_steps packed_steps(const einsum_plan& plan, const label_list& order) {
  label_steps result;
  std::int64_t step = 1;
  for (int i = order.size - 1; i >= 0; --i) {
    result.along[order.at[i]] = step;
    result.moves[order.at[i]] = true;
    step *= plan.extents[order.at[i]];
  }
  return result;
}
// Returns the steps in the given tensor: a repeated label advances on a diagonal, and an axis of the ellipsis may repeat.
inline label_steps given_steps(const einsum_plan& plan, const label_list& labels, const shape& s) {
  label_steps result;
  std::int64_t step = 1;
  for (int i = labels.size - 1; i >= 0; --i) {
    const einsum_label l = labels.at[i];
    if (s[i] == plan.extents[l]) {
      result.along[l] += step;
      result.moves[l] = true;
    }
    step *= s[i];
  }
  return result;
}

// Several labels as one axis.
struct merged_axis {
  std::int64_t extent = 1, step = 1;
  bool fits = true;
};
inline merged_axis merge_labels(const einsum_plan& plan, const label_list& list, const label_steps& steps) {
  merged_axis result;
  for (int i = list.size - 1; i >= 0; --i) {
    const std::int64_t extent = plan.extents[list.at[i]], step = steps.along[list.at[i]];
    if (extent == 1) continue;
    if (result.extent == 1) result.step = step;
    else if (step != result.step * result.extent) result.fits = false;
    result.extent *= extent;
  }
  return result;
}
inline matrix_layout layout_of_matrix(const merged_axis& rows, const merged_axis& columns) {
  const bool fits = rows.fits && columns.fits;
  if (columns.extent == 1 || columns.step == 1)
    return {rows.extent == 1 ? std::max<std::int64_t>(1, columns.extent) : rows.step, false, fits};
  return {columns.step, true, fits && (rows.extent == 1 || rows.step == 1)};
}

inline std::int64_t take_room(einsum_plan& plan, std::int64_t elements) {
  constexpr std::size_t largest_element = 16;
  const auto at = static_cast<std::int64_t>(plan.bytes);
  plan.bytes += round_up_bytes(static_cast<std::size_t>(elements) * largest_element);
  return at;
}

// Plans the diagonals, and the sums over labels that neither the output nor the other operand has.
inline void plan_operand(einsum_plan& plan, einsum_plan::operand& o, const label_list& labels, const shape& s,
                         const label_steps* other) {
  const label_list distinct = labels.distinct();
  o.steps = given_steps(plan, labels, s);
  o.size = s.size();
  label_list kept;
  for (const einsum_label l : distinct) {
    if (!o.steps.moves[l]) continue;
    o.order.push(l);
    if (plan.output.has(l) || (other && other->moves[l])) kept.push(l);
  }
  if (kept.size == o.order.size) return;
  if (distinct.size < labels.size) {
    o.diagonal_order = o.order;
    o.diagonal_steps = o.steps;
    o.diagonal = take_room(plan, plan.extent_of(o.order));
  }
  for (int i = 0; i < o.order.size; ++i) {
    o.summed_shape.push_back(plan.extents[o.order.at[i]]);
    if (!kept.has(o.order.at[i])) o.summed_axes.push_back(i);
  }
  o.size = plan.extent_of(kept);
  o.sum = take_room(plan, o.size);
  o.order = kept;
  o.steps = packed_steps(plan, kept);
}
inline void pack_operand(einsum_plan& plan, einsum_plan::operand& o, const label_list& order) {
  o.packed_order = order;
  o.packed_from = o.steps;
  o.packed = take_room(plan, o.size);
  o.steps = packed_steps(plan, order);
}

// Returns whether the axes of the operand are in that order, without gaps.
inline bool is_in_order(const einsum_plan& plan, const einsum_plan::operand& o, const label_list& order) {
  std::int64_t step = 1;
  for (int i = order.size - 1; i >= 0; --i) {
    const einsum_label l = order.at[i];
    if (!o.steps.moves[l] || plan.extents[l] == 1) continue;
    if (o.steps.along[l] != step) return false;
    step *= plan.extents[l];
  }
  return true;
}

inline label_list chosen(const label_list& from, const label_list& among) {
  label_list labels;
  for (const einsum_label l : from)
    if (among.has(l)) labels.push(l);
  return labels;
}
inline label_list joined_lists(const label_list& a, const label_list& b) {
  label_list labels = a;
  for (const einsum_label l : b) labels.push(l);
  return labels;
}

inline void plan_multiply(einsum_plan& plan) {
  for (einsum_plan::operand& o : plan.in)
    if (!is_in_order(plan, o, plan.order)) {
      label_list own;
      for (const einsum_label l : plan.order)
        if (o.steps.moves[l]) own.push(l);
      pack_operand(plan, o, own);
    }
  plan.what = einsum_plan::form::multiply;
}

// The labels of the rows of the left matrices, of the columns of the right ones, and of the sums, each in an order.
struct product_groups {
  label_list rows, columns, inner;
};
struct product_layouts {
  merged_axis rows[2], columns[2], inner[2];  // rows: left operand and result; columns: right operand and result
  matrix_layout left, right;
  bool direct, swapped;  // the result is computed in the output, perhaps transposed

  product_layouts(const einsum_plan& plan, const product_groups& g, const label_steps& output)
      : rows{merge_labels(plan, g.rows, plan.in[0].steps), merge_labels(plan, g.rows, output)},
        columns{merge_labels(plan, g.columns, plan.in[1].steps), merge_labels(plan, g.columns, output)},
        inner{merge_labels(plan, g.inner, plan.in[0].steps), merge_labels(plan, g.inner, plan.in[1].steps)},
        left(layout_of_matrix(rows[0], inner[0])), right(layout_of_matrix(inner[1], columns[0])) {
    const bool fits = rows[1].fits && columns[1].fits && !plan.repeats;
    const bool plain = fits && (columns[1].extent == 1 || columns[1].step == 1);
    const bool turned = fits && (rows[1].extent == 1 || rows[1].step == 1);
    direct = plain || turned;
    swapped = !plain && turned;
    if (plain && turned) swapped = rows[1].extent > columns[1].extent;  // rows of vectors, not columns
  }
  std::int64_t copied(const einsum_plan& plan, std::int64_t result_size) const {
    return (left.fits ? 0 : plan.in[0].size) + (right.fits ? 0 : plan.in[1].size) + (direct || plan.repeats ? 0 : result_size);
  }
};

// Returns the order of axes within the groups that needs the fewest copies.
inline product_groups best_groups(const einsum_plan& plan, const label_list& rows, const label_list& columns,
                                  const label_list& inner, const label_steps& output) {
  product_groups best;
  std::int64_t least = -1;
  const std::int64_t result_size = plan.extent_of(plan.order);
  for (int choice = 0; choice < 8; ++choice) {
    const product_groups g{choice & 1 ? chosen(plan.order, rows) : rows, choice & 2 ? chosen(plan.order, columns) : columns,
                           choice & 4 ? chosen(plan.in[1].order, inner) : inner};
    const std::int64_t copied = product_layouts(plan, g, output).copied(plan, result_size);
    if (least >= 0 && copied >= least) continue;
    least = copied;
    best = g;
  }
  return best;
}

inline void plan_product(einsum_plan& plan, const label_steps& output) {
  label_list rows, columns, inner;
  for (const einsum_label l : plan.in[0].order) {
    const bool shared = plan.in[1].steps.moves[l], outcome = plan.output.has(l);
    if (plan.in[0].steps.moves[l] && !(shared && outcome)) (outcome ? rows : inner).push(l);
  }
  for (const einsum_label l : plan.in[1].order)
    if (plan.in[1].steps.moves[l] && !plan.in[0].steps.moves[l]) columns.push(l);
  for (const einsum_label l : plan.order)
    if (!rows.has(l) && !columns.has(l)) plan.stack.push(l);

  const product_groups g = best_groups(plan, rows, columns, inner, output);
  {
    const product_layouts found(plan, g, output);
    if (!found.left.fits) pack_operand(plan, plan.in[0], joined_lists(plan.stack, joined_lists(g.rows, g.inner)));
    if (!found.right.fits) pack_operand(plan, plan.in[1], joined_lists(plan.stack, joined_lists(g.inner, g.columns)));
  }
  const product_layouts l(plan, g, output);
  plan.swapped = l.direct && l.swapped;
  plan.result = output;
  if (!l.direct) {
    plan.result_at = take_room(plan, plan.extent_of(plan.order));
    plan.result = packed_steps(plan, joined_lists(plan.stack, joined_lists(g.rows, g.columns)));
  }
  const std::int64_t m = l.rows[0].extent, n = l.columns[0].extent, k = l.inner[0].extent;
  const merged_axis& lines = plan.swapped ? l.columns[1] : l.rows[1];
  const std::int64_t c_step = !l.direct ? n : lines.extent == 1 ? std::max(m, n) : lines.step;
  if (plan.swapped) plan.product = {n, m, k, l.right.step, l.left.step, c_step, !l.right.transposed, !l.left.transposed, false};
  else plan.product = {m, n, k, l.left.step, l.right.step, c_step, l.left.transposed, l.right.transposed, false};
  plan.products = plan.extent_of(plan.stack);
  const std::int64_t per_block = products_per_block(plan.product, plan.products);
  plan.product_at = static_cast<std::int64_t>(plan.bytes);
  plan.bytes += product_grid(plan.product).blocks() > 1 || plan.products == 1
                    ? parallel_product_scratch(plan.product)
                    : static_cast<std::size_t>((plan.products + per_block - 1) / per_block) * product_scratch(plan.product);
  plan.what = einsum_plan::form::product;
}

}  // namespace detail

FLOWGRAPH_INLINE void detail::plan_einsum(einsum_plan& plan, std::string_view equation, std::span<const shape* const> inputs) {
  einsum_equation e;
  (void)parse_einsum(equation, e);
  label_list labels[2];
  int ellipsis_rank = 0;
  std::fill_n(plan.extents, einsum_labels, 1);
  plan.inputs = static_cast<int>(inputs.size());
  for (int i = 0; i < plan.inputs; ++i) {
    const shape& s = *inputs[static_cast<std::size_t>(i)];
    const int own = s.rank - e.terms[i].letters.size;
    ellipsis_rank = std::max(ellipsis_rank, own);
    labels[i] = labels_of(e.terms[i], own);
    for (int axis = 0; axis < s.rank; ++axis) {
      std::int64_t& extent = plan.extents[labels[i].at[axis]];
      if (extent == 1) extent = s[axis];
      plan.is_zero = plan.is_zero || s[axis] == 0;
    }
  }
  plan.output = labels_of(e.output(), ellipsis_rank);
  plan.order = plan.output.distinct();
  plan.repeats = plan.order.size < plan.output.size;
  if (plan.is_zero) return;

  // The reductions take their working memory from the beginning.
  label_steps given[2];
  for (int i = 0; i < plan.inputs; ++i) {
    given[i] = given_steps(plan, labels[i], *inputs[static_cast<std::size_t>(i)]);
    plan.bytes = std::max(plan.bytes, round_up_bytes(reduction_scratch(*inputs[static_cast<std::size_t>(i)])));
  }
  for (int i = 0; i < plan.inputs; ++i)
    plan_operand(plan, plan.in[i], labels[i], *inputs[static_cast<std::size_t>(i)], plan.inputs == 2 ? &given[1 - i] : nullptr);
  plan.result = packed_steps(plan, plan.order);
  bool sums = false;
  for (const einsum_label l : plan.in[0].order) sums = sums || !plan.output.has(l);
  if (plan.inputs == 2) {
    if (sums) plan_product(plan, plan.result);
    else plan_multiply(plan);
  }
  const einsum_plan::operand& first = plan.in[0];
  plan.sums_to_output = plan.inputs == 1 && first.sum >= 0 && !plan.repeats &&
                        std::equal(first.order.begin(), first.order.end(), plan.order.begin(), plan.order.end());
  if (plan.repeats && plan.result_at < 0) plan.result_at = take_room(plan, plan.extent_of(plan.order));
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::einsum_shape(shape_context& c, std::string_view equation,
                                                           std::span<const shape> inputs) {
  einsum_equation e;
  if (const char* wrong = parse_einsum(equation, e)) return c.fail(message{wrong, ", found ", equation});
  if (inputs.size() != static_cast<std::size_t>(e.inputs))
    return c.fail(message{"expected ", e.inputs, " inputs for the equation ", equation});
  std::int64_t extents[einsum_labels];
  std::fill_n(extents, einsum_labels, -1);
  shape broadcasting;
  for (int i = 0; i < e.inputs; ++i) {
    const shape& s = inputs[static_cast<std::size_t>(i)];
    const einsum_term& term = e.terms[i];
    if (!s.has_rank()) {
      if (term.ellipsis >= 0) broadcasting = shape::unknown();
      continue;
    }
    const int own = s.rank - term.letters.size;
    if (own < 0 || (own > 0 && term.ellipsis < 0)) return c.fail(message{"expected as many axes as ", equation, " has letters"});
    const label_list labels = labels_of(term, own);
    shape its_own;
    for (int axis = 0; axis < s.rank; ++axis) {
      const einsum_label l = labels.at[axis];
      if (l >= first_ellipsis_label) {
        its_own.push_back(s[axis]);
      } else {
        if (extents[l] >= 0 && s[axis] >= 0 && extents[l] != s[axis])
          return c.fail(
              message{"expected one extent for ", std::string_view(e.letters + l, 1), ", found ", extents[l], " and ", s[axis]});
        if (s[axis] >= 0) extents[l] = s[axis];
      }
    }
    const shape before = broadcasting;
    if (!broadcast(before, its_own, broadcasting)) return c.fail("expected axes of the ellipsis that broadcast");
  }
  const einsum_term& output = e.output();
  if (output.ellipsis < 0 && broadcasting.rank > 0) return c.fail("expected an output with the ellipsis that an operand has");
  if (output.ellipsis >= 0 && !broadcasting.has_rank()) return broadcasting;
  const int ellipsis_rank = output.ellipsis < 0 ? 0 : broadcasting.rank;
  if (output.letters.size + ellipsis_rank > shape::max_rank) return c.fail("expected an output of fewer axes");
  shape result;
  for (const einsum_label l : labels_of(output, ellipsis_rank))
    result.push_back(l < first_ellipsis_label ? extents[l] : broadcasting[ellipsis_rank - 1 - (l - first_ellipsis_label)]);
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape einsum_op::shape(shape_context& c, std::span<const flowgraph::shape> inputs) const {
  return detail::einsum_shape(c, equation, inputs);
}
FLOWGRAPH_INLINE std::size_t einsum_op::scratch(std::span<const flowgraph::shape> inputs) const {
  const flowgraph::shape* shapes[]{&inputs[0], &inputs[inputs.size() - 1]};
  detail::einsum_plan plan;
  detail::plan_einsum(plan, equation, {shapes, inputs.size()});
  return plan.bytes;
}

FLOWGRAPH_INLINE void detail::copy_labels(cpu ctx, element_layout e, const einsum_plan& plan, const void* from,
                                          const label_steps& steps, const label_list& order, void* to) {
  strided_axes axes;
  for (const einsum_label l : order) axes.push(plan.extents[l], steps.moves[l] ? steps.along[l] : 0);
  copy_strided(ctx, e, from, axes, to);
}

FLOWGRAPH_INLINE void detail::put_on_diagonal(cpu ctx, element_layout e, const einsum_plan& plan, const void* from, void* y) {
  shape whole;
  for (const einsum_label l : plan.output) whole.push_back(plan.extents[l]);
  const label_steps to = given_steps(plan, plan.output, whole);
  const std::int64_t size = plan.extent_of(plan.order), zero[2] = {};
  fill_elements(ctx, e, zero, y, whole.size());
  for (std::int64_t i = 0; i < size; ++i) {
    std::int64_t rest = i, at = 0, source = 0;
    for (int k = plan.order.size - 1; k >= 0; --k) {
      const einsum_label l = plan.order.at[k];
      at += rest % plan.extents[l] * to.along[l];
      source += rest % plan.extents[l] * plan.result.along[l];
      rest /= plan.extents[l];
    }
    copy_elements(e, element_at(e, from, source), element_at(e, y, at), 1);
  }
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::string detail::letters_apart(std::string_view from, std::string_view others) {
  std::string text;
  for (const char letter : from)
    if (letter != '.' && others.find(letter) == others.npos && text.find(letter) == text.npos) text += letter;
  return text;
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE int detail::axis_of_letter(std::string_view subscript, char letter) {
  const std::size_t at = subscript.find(letter), dots = subscript.find('.');
  return dots < at ? static_cast<int>(at) - static_cast<int>(subscript.size()) : static_cast<int>(at);
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE int detail::letters_in(std::string_view subscript) {
  return static_cast<int>(subscript.size()) - (subscript.find('.') == subscript.npos ? 0 : 3);
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE detail::einsum_parts detail::parts_of_equation(const std::string& equation) {
  const std::size_t arrow = equation.find("->"), comma = equation.find(',');
  const std::string second = comma < arrow ? equation.substr(comma + 1, arrow - comma - 1) : std::string();
  return {equation.substr(0, std::min(arrow, comma)), second, equation.substr(arrow + 2)};
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE bool detail::same_ellipsis(const shape& x, std::string_view x_letters, const shape& y,
                                                           std::string_view y_letters) {
  const int n = x.rank - letters_in(x_letters), first = axis_of_letter(x_letters, '.'), other = axis_of_letter(y_letters, '.');
  if (!x.is_known() || !y.is_known() || y.rank - letters_in(y_letters) != n) return false;
  for (int i = 0; i < n; ++i)
    if (x[first + i] != y[other + i]) return false;
  return true;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
