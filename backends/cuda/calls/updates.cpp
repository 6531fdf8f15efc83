// Calls of ops that change variables. A call locks and checks the variables, and one kernel changes them.
#include <cuda/calls/gpu_call.hpp>

#include <flowgraph/op/make_table.hpp>
#include <flowgraph/ops/state/detail/gather_layout.hpp>
#include <flowgraph/ops/state/detail/variable_access.hpp>
#include <flowgraph/ops/state/detail/scatter_rows.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

// The variables that a call changes, locked in the order of their addresses.
class locked_variables {
public:
  explicit locked_variables(const gpu_call& c) {
    const auto inputs = c.call().at->op->inputs();
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].writes) continue;
      const edge_value& e = *c.call().inputs[i];
      all_[count_++] = inputs[i].is_handle ? detail::parameter_reader::variable_of(e) : e.variable;
      if (!all_[count_ - 1]) {
        c.fail(error_code::failed_precondition, message{"input ", i, " does not name a variable"});
        count_ = 0;
        return;
      }
      is_handle_ = inputs[i].is_handle;
    }
    // Sorts by insertion: g++ 12 warns of std::sort for so few elements.
    for (std::uint32_t i = 0; i < count_; ++i) {
      variable_state** at = locked_ + i;
      for (; at > locked_ && std::less<>()(all_[i], at[-1]); --at) *at = at[-1];
      *at = all_[i];
    }
    last_ = std::unique(locked_, locked_ + count_);
    std::for_each(locked_, last_, [&](variable_state* v) { v->lock(); });
    std::for_each(locked_, last_, [&](variable_state* v) {
      if (v->set()) detail::refuse_member(c.call(), *v);
    });
  }
  ~locked_variables() {
    std::for_each(locked_, last_, [](variable_state* v) { v->unlock(); });
  }
  locked_variables(const locked_variables&) = delete;
  locked_variables& operator=(const locked_variables&) = delete;

  std::uint32_t size() const { return count_; }
  bool are_handles() const { return is_handle_; }
  variable_state& operator[](std::uint32_t i) const { return *all_[i]; }

private:
  static constexpr int most = update_arguments::most_variables;
  variable_state* all_[most] = {};
  variable_state* locked_[most] = {};
  variable_state** last_ = locked_;
  std::uint32_t count_ = 0;
  bool is_handle_ = false;
};

// Returns TensorFlow's error code for a variable without a value: failed_precondition for a reference; for a handle not_found in
// assignments and scatters, and internal in optimizers.
error_code code_without_value(const gpu_call& c, const locked_variables& variables) {
  if (!variables.are_handles()) return error_code::failed_precondition;
  const bool is_assignment = c.record().form == kernel_form::scatter || c.input_count() == variables.size() + 1;
  return is_assignment ? error_code::not_found : error_code::internal;
}

// Checks that the variables have values of the same shape.
bool check_variables(const gpu_call& c, const locked_variables& variables) {
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    variable_state& v = variables[i];
    if (v.type() != c.record().types[0]) {
      c.fail(message{"expected a variable of type ", name_of(c.record().types[0]), ", found type ", name_of(v.type())});
    } else if (!v.value().has_value()) {
      c.fail(code_without_value(c, variables),
             message{"attempting to use uninitialized value: run its initializer (session::initialize) first"});
    } else if (!(v.value().shape() == variables[0].value().shape())) {
      c.fail(message{"the variables of an update must have one shape, found ", variables[0].value().shape(), " and ",
                     v.value().shape()});
    }
    if (c.failed()) return false;
  }
  return true;
}

bool is_gradient_of_rows(const shape& variable, const shape& gradient, const shape& rows) {
  bool fits_rows = rows.rank == 1 && variable.rank >= 1 && gradient.rank == variable.rank && gradient[0] == rows[0];
  for (int i = 1; fits_rows && i < variable.rank; ++i) fits_rows = gradient[i] == variable[i];
  return fits_rows;
}
// Checks the gradient of a variable. `rows`: the indices of a sparse gradient, or null for a dense gradient.
bool check_gradient(const gpu_call& c, const shape& variable, const shape& gradient, const any_tensor* rows) {
  if (!rows && !(gradient == variable)) {
    c.fail(message{"the gradient must have the variable's shape ", variable, ", found ", gradient});
  } else if (rows && !is_gradient_of_rows(variable, gradient, rows->shape())) {
    c.fail(message{"the gradient must have a row of the variable for each index; found gradient ", gradient, ", indices ",
                   rows->shape(), ", variable ", variable});
  } else if (rows && c.record().wants_columns && product_of(variable, 1, variable.rank) == 0) {
    c.fail(message{"a variable of shape ", variable, " has no columns to update"});
  }
  return !c.failed();
}

// Requests a kernel that reports indices outside of [0, rows).
void check_rows_of(const gpu_call& c, device_memory::launches& all, const any_tensor& index, std::int64_t rows) {
  scatter_arguments s;
  s.index = index.data();
  s.count = size_of_tensor(index);
  s.rows = rows;
  c.launch_checked_in(all, c.record().check, gpu_call::parts_of(s.count, elements_per_block), s, "indices", range_of_rows(rows));
}

// The output of an op whose variable is a reference is this reference.
void name_variable(const gpu_call& c) {
  for (std::uint32_t k = 0; k < c.output_count(); ++k)
    if (c.call().at->op->outputs()[k].is_reference) c.call().outputs[k]->variable = c.call().inputs[0]->variable;
}

}  // namespace

void run_update(const gpu_call& c) {
  const locked_variables variables(c);
  if (c.failed() || variables.size() == 0) return;
  const bool has_rows = c.record().form == kernel_form::sparse_update;
  const std::uint32_t count = variables.size(), after = c.record().after_gradient + (has_rows ? 1u : 0u);
  const std::uint32_t gradient = c.input_count() - 1 - after, rows = has_rows ? gradient + 1 : gradient;
  if (!check_variables(c, variables)) return;
  update_arguments u;
  for (std::uint32_t i = count, at = 0; i < c.input_count(); ++i) {
    if (i == gradient || i == rows) continue;
    if (c.in(i).shape().rank != 0) return c.fail(message{"input ", i, " must be a scalar, found shape ", c.in(i).shape()});
    u.scalars[at++] = c.in(i).data();
  }
  const shape changed = variables[0].value().shape();
  if (!check_gradient(c, changed, c.in(gradient).shape(), has_rows ? &c.in(rows) : nullptr)) return;
  u.gradient = c.in(gradient).data();
  u.fault = c.memory().fault();
  u.size = size_of_tensor(c.in(gradient));
  u.flag = c.attribute<bool>("use_nesterov") || c.attribute<bool>("update_slots") || c.attribute<bool>("multiply_linear_by_lr");
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto own = variables[i].own(true);
    if (!own) return c.fail(own.error());
    u.variables[i] = (*own)->data();
  }
  name_variable(c);
  device_memory::launches all(c.memory());
  if (has_rows) check_rows_of(c, all, c.in(rows), changed[0]);
  if (c.record().scalars) c.launch_checked_in(all, c.record().scalars, 1, u, "scalars", "the range that the op accepts");
  if (!has_rows) return c.launch_in(all, c.record().function, gpu_call::parts_of(u.size, elements_per_block), u);
  u.index = c.in(rows).data();
  u.rows = changed[0];
  u.count = size_of_tensor(c.in(rows));
  u.inner = product_of(changed, 1, changed.rank);
  u.stripes = stripes_of_rows(u.inner);
  if (u.count > 0) c.launch_in(all, c.record().function, gpu_call::parts_of(u.inner * u.stripes, threads_per_block), u);
}

void run_gather_variable(const gpu_call& c) {
  const cpu host(c.call());
  variable_state* const v = detail::variable_of_handle(host, c.in(0).as<resource>(), c.record().types[0]);
  if (!v) return;
  const any_tensor value = host.read(*v), &index = c.in(1);
  if (!value.has_value()) return detail::fail_uninitialized(host, 0, error_code::not_found);
  detail::gather_sizes sizes{};
  const shape result = detail::layout_gather(host, value.shape(), index.shape(), c.attribute<std::int64_t>("batch_dims"), sizes);
  if (c.failed()) return;
  auto rows = any_tensor::allocate(value.type(), result, host.memory());
  if (!rows) return c.fail(rows.error());
  host.set_output(0, *std::move(rows));
  gather_arguments g;
  g.x = value.data();
  g.index = index.data();
  g.y = c.out().data();
  g.batches = sizes.batch;
  g.outer = sizes.outer;
  g.rows = sizes.extent;
  g.inner = sizes.inner;
  g.count = sizes.count;
  launch_gather(c, g, size_of(value.type()));
}

void run_scatter(const gpu_call& c) {
  const locked_variables variables(c);
  if (c.failed() || variables.size() == 0 || !check_variables(c, variables)) return;
  const shape changed = variables[0].value().shape();
  const any_tensor &index = c.in(1), &updates = c.in(2);
  if (!detail::check_scatter_shapes(cpu(c.call()), changed, index.shape(), updates.shape())) return;
  const auto own = variables[0].own(true);
  if (!own) return c.fail(own.error());
  name_variable(c);
  scatter_arguments s;
  s.x = updates.data();
  s.index = index.data();
  s.y = (*own)->data();
  s.fault = c.memory().fault();
  s.rows = changed[0];
  s.count = size_of_tensor(index);
  s.inner = product_of(changed, 1, changed.rank);
  s.stripes = stripes_of_rows(s.inner);
  s.x_row = updates.shape().rank == 0 ? 0 : s.inner;
  s.x_column = updates.shape().rank == 0 ? 0 : 1;
  device_memory::launches all(c.memory());
  check_rows_of(c, all, index, changed[0]);
  if (s.count > 0) c.launch_in(all, c.record().function, gpu_call::parts_of(s.inner * s.stripes, threads_per_block), s);
}

}
}
}  // namespace flowgraph::cuda
