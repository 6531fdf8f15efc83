// Calls of updates: the variables are locked, checked, and changed by one kernel.
#include <cuda/calls/gpu_call.hpp>

#include <flowgraph/op/make_table.hpp>

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

bool check_variables(const gpu_call& c, const locked_variables& variables, const shape& gradient) {
  const bool is_assignment = c.input_count() == variables.size() + 1;
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    const variable_state& v = variables[i];
    const any_tensor& value = variables[i].value();
    if (v.type() != c.record().types[0]) {
      c.fail(error_code::invalid_argument,
             message{"expected a variable of type ", name_of(c.record().types[0]), ", found type ", name_of(v.type())});
    } else if (!value.has_value()) {
      const error_code code = !variables.are_handles() ? error_code::failed_precondition
                              : is_assignment          ? error_code::not_found
                                                       : error_code::internal;
      c.fail(code, message{"attempting to use uninitialized value: run its initializer (session::initialize) first"});
    } else if (!(value.shape() == variables[0].value().shape())) {
      c.fail(error_code::invalid_argument, message{"the variables of an update must have one shape, found ",
                                                   variables[0].value().shape(), " and ", value.shape()});
    } else if (!(value.shape() == gradient)) {
      c.fail(error_code::invalid_argument,
             message{"the gradient must have the variable's shape ", value.shape(), ", found ", gradient});
    }
    if (c.failed()) return false;
  }
  return true;
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
  const std::uint32_t count = variables.size(), gradient = c.input_count() - 1 - c.record().after_gradient;
  if (!check_variables(c, variables, c.in(gradient).shape())) return;
  update_arguments u;
  u.gradient = c.in(gradient).data();
  u.fault = c.memory().fault();
  u.size = size_of_tensor(c.in(gradient));
  u.flag = c.attribute<bool>("use_nesterov") || c.attribute<bool>("update_slots");
  for (std::uint32_t i = count, at = 0; i < c.input_count(); ++i) {
    if (i == gradient) continue;
    if (c.in(i).shape().rank != 0)
      return c.fail(error_code::invalid_argument, message{"input ", i, " must be a scalar, found shape ", c.in(i).shape()});
    u.scalars[at++] = c.in(i).data();
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto own = variables[i].own(true);
    if (!own) return c.fail(own.error());
    u.variables[i] = (*own)->data();
  }
  name_variable(c);
  c.launch_each(c.record().function, u.size, u);
}

}
}
}  // namespace flowgraph::cuda
