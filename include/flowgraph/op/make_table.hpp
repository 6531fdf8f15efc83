#pragma once
// Makes the parts of an op_table from an op struct: the functions through which the engine calls it.

#include <flowgraph/op/table.hpp>

#include <new>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class Op>
concept has_attrs = requires { Op::attrs; };

// ---- attributes

template <class Op, std::size_t I>
constexpr attribute_info attribute_info_of() {
  using member = std::remove_cvref_t<decltype(std::declval<Op>().*(attribute_at<I>(Op::attrs).member))>;
  return {attribute_at<I>(Op::attrs).name, attribute_traits<member>::kind, attribute_at<I>(Op::attrs).required,
          [](const void* op) { return attribute_traits<member>::to(static_cast<const Op*>(op)->*(attribute_at<I>(Op::attrs).member)); },
          [](void* op, const attribute_value& value) {
            return attribute_traits<member>::from(value, static_cast<Op*>(op)->*(attribute_at<I>(Op::attrs).member));
          }};
}

template <class Op>
struct attribute_table {
  static constexpr std::array<attribute_info, 0> all{};
};
template <has_attrs Op>
struct attribute_table<Op> {
  static constexpr auto all = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<attribute_info, sizeof...(I)>{attribute_info_of<Op, I>()...};
  }(std::make_index_sequence<std::remove_cvref_t<decltype(Op::attrs)>::size>{});
};

// ---- type attributes

template <class List, class... Ts>
struct binding_table;
template <class... A, class... Ts>
struct binding_table<type_attrs<A...>, Ts...> {
  static constexpr std::array<type_binding, sizeof...(A)> all{type_binding{A::name, dtype_of<Ts>}...};
};

// ---- kernel

// Where the next parameter's tensors are.
struct cursor {
  kernel_call& call;
  std::uint32_t input = 0, output = 0, list = 0;

  // The size of the next list argument: noted in the node, or what the single ones leave.
  std::uint32_t next_list(std::uint32_t present, std::uint32_t singles) {
    return call.list_sizes ? call.list_sizes[list++] : present - singles;
  }
};

template <class Signature>
struct parameter_maker {
  template <bool Output>
  static constexpr std::uint32_t singles() {
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < (Output ? Signature::output_count : Signature::input_count); ++i)
      n += (Output ? Signature::output(i) : Signature::input(i)).kind == argument::form::single ? 1u : 0u;
    return n;
  }

  template <class T>
  static view<T> make(type_tag<view<T>>, cursor& c) {
    if constexpr (std::is_const_v<T>) return c.call.inputs[c.input++]->tensor.template as<std::remove_const_t<T>>();
    else return c.call.outputs[c.output++]->tensor.template as_writable<T>();
  }
  template <class T>
  static view_list<T> make(type_tag<view_list<T>>, cursor& c) {
    constexpr bool output = !std::is_const_v<T>;
    const std::uint32_t n = c.next_list(output ? c.call.output_count : c.call.input_count, singles<output>());
    std::uint32_t& at = output ? c.output : c.input;
    at += n;
    return view_list<T>(c.call, at - n, n);
  }
  static any_list make(type_tag<any_list>, cursor& c) {
    const std::uint32_t n = c.next_list(c.call.input_count, singles<false>());
    c.input += n;
    return any_list(c.call.inputs + (c.input - n), n);
  }
  static any_output_list make(type_tag<any_output_list>, cursor& c) {
    const std::uint32_t n = c.next_list(c.call.output_count, singles<true>());
    c.output += n;
    return any_output_list(cpu(c.call), c.output - n, n);
  }
  template <class T>
  static unsized<T> make(type_tag<unsized<T>>, cursor& c) {
    return unsized<T>(cpu(c.call), c.output++);
  }
  template <class T>
  static reference<T> make(type_tag<reference<T>>, cursor& c) {
    return reference<T>(cpu(c.call), c.call.inputs[c.input++]->variable);
  }
  template <class T>
  static reference_in<T> make(type_tag<reference_in<T>>, cursor& c) {
    return reference_in<T>(c.call.inputs[c.input++]->variable);
  }
  template <class T>
  static variable_handle<T> make(type_tag<variable_handle<T>>, cursor& c) {
    return variable_handle<T>(cpu(c.call), variable_of(*c.call.inputs[c.input++]));
  }
  template <class T>
  static reference_out<T> make(type_tag<reference_out<T>>, cursor& c) {
    edge_value* out = c.call.outputs[c.output++];
    for (std::uint32_t i = 0; i < c.call.input_count && !out->variable; ++i) out->variable = c.call.inputs[i]->variable;
    return reference_out<T>(c.call, out);
  }
  static variable_state* variable_of(const edge_value& e) {
    return e.tensor.size() == 1 ? e.tensor.as<resource>().scalar().as<variable_state>() : nullptr;
  }
};

// Locks the variables that a kernel changes, in the order of their addresses, once each; unlocks on the way out.
template <std::size_t N>
class write_locks {
public:
  template <class Signature>
  explicit write_locks(kernel_call& call, type_tag<Signature>) {
    for (std::size_t i = 0; i < Signature::input_count; ++i) {
      if (!Signature::input(i).writes) continue;
      const edge_value& e = *call.inputs[i];
      variable_state* v = Signature::input(i).is_handle ? parameter_maker<Signature>::variable_of(e) : e.variable;
      if (!v) {
        cpu(call).fail(error_code::failed_precondition, "input " + std::to_string(i) + " does not name a variable");
        size_ = 0;
        return;
      }
      insert(v);
    }
    for (std::size_t i = 0; i < size_; ++i) held_[i]->lock();
  }
  ~write_locks() {
    for (std::size_t i = size_; i-- > 0;) held_[i]->unlock();
  }
  write_locks(const write_locks&) = delete;
  write_locks& operator=(const write_locks&) = delete;

private:
  void insert(variable_state* v) {
    if constexpr (N == 1) {
      held_[0] = v;
      size_ = 1;
    } else {
      if (size_ == N) return;
      std::size_t at = 0;
      while (at < size_ && std::less<>{}(held_[at], v)) ++at;
      if (at < size_ && held_[at] == v) return;
      for (std::size_t i = size_++; i > at; --i) held_[i] = held_[i - 1];
      held_[at] = v;
    }
  }
  variable_state* held_[N] = {};
  std::size_t size_ = 0;
};

template <class Signature>
inline constexpr std::size_t writes_of = [] {
  std::size_t n = 0;
  for (std::size_t i = 0; i < Signature::input_count; ++i) n += Signature::input(i).writes ? 1 : 0;
  return n;
}();

// Calls `f` with arguments that are made left to right, as braces promise and parentheses do not.
struct ordered_call {
  template <class F, class... A>
  ordered_call(F&& f, A&&... a) {
    f(a...);
  }
};

template <class Op, class... Ts>
struct kernel_thunk {
  using signature = signature_of<Op>;
  using parameters = typename parameters_for<Op, Ts...>::list;

  template <class... P>
  static void invoke(const Op& op, kernel_call& call, parameter_list<P...>) {
    [[maybe_unused]] cursor c{call};
    ordered_call{[&](P&... p) {
                   if constexpr (sizeof...(Ts) == 0) op(cpu(call), p...);
                   else op.template operator()<Ts...>(cpu(call), p...);
                 },
                 parameter_maker<signature>::make(type_tag<P>{}, c)...};
  }
  static void run(const void* op, kernel_call& call) {
    if constexpr (writes_of<signature> == 0) {
      invoke(*static_cast<const Op*>(op), call, parameters{});
    } else {
      write_locks<writes_of<signature>> locks(call, type_tag<signature>{});
      if (!*call.failure) invoke(*static_cast<const Op*>(op), call, parameters{});
    }
  }

  template <class... P>
  static void start(const Op& op, kernel_call& call, done answer, parameter_list<P...>) {
    [[maybe_unused]] cursor c{call};
    auto make = [&]<class T>(type_tag<T> tag) {
      if constexpr (std::is_same_v<T, done>) return std::move(answer);
      else return parameter_maker<signature>::make(tag, c);
    };
    ordered_call{[&](P&... p) {
                   if constexpr (sizeof...(Ts) == 0) op(cpu(call), std::move(p)...);
                   else op.template operator()<Ts...>(cpu(call), std::move(p)...);
                 },
                 make(type_tag<P>{})...};
  }
  static void run_async(const void* op, kernel_call& call, done answer) {
    start(*static_cast<const Op*>(op), call, std::move(answer), parameters{});
  }
};

// ---- shape rule

template <class Signature, std::size_t I>
using shape_parameter = std::conditional_t<Signature::input(I).kind == argument::form::single, const shape&, std::span<const shape>>;

// Splits the node's input shapes into the rule's parameters.
template <class Op>
struct rule_caller {
  using signature = signature_of<Op>;

  static constexpr std::uint32_t singles() { return parameter_maker<signature>::template singles<false>(); }

  template <class F>
  static void call(const shape_inputs& in, F&& f) {
    std::vector<shape> lists;  // list arguments want their shapes side by side
    if constexpr (singles() != signature::input_count) {
      lists.reserve(in.shapes.size());
      for (const shape* s : in.shapes) lists.push_back(*s);
    }
    std::uint32_t at = 0, list = 0;
    auto next = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) -> shape_parameter<signature, I> {
      if constexpr (signature::input(I).kind == argument::form::single) {
        return *in.shapes[at++];
      } else {
        const std::uint32_t n = in.list_sizes ? in.list_sizes[list++] : static_cast<std::uint32_t>(in.shapes.size()) - singles();
        at += n;
        return std::span<const shape>(lists.data() + (at - n), n);
      }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ordered_call{f, next(std::integral_constant<std::size_t, I>{})...};
    }(std::make_index_sequence<signature::input_count>{});
  }
};

template <class Op>
concept has_shape_rule = requires { &Op::shape; };
template <class Op>
concept has_scratch_rule = requires { &Op::scratch; };

template <class List>
void store_shapes(const List& made, std::span<shape> out) {
  std::size_t i = 0;
  for (const shape& s : made)
    if (i < out.size()) out[i++] = s;
}
inline void store_shapes(const shape& made, std::span<shape> out) {
  if (!out.empty()) out[0] = made;
}

template <class Op>
void run_shape_rule(const void* op, shape_context& context, const shape_inputs& in, std::span<shape> out) {
  rule_caller<Op>::call(in, [&](const auto&... s) {
    const Op& self = *static_cast<const Op*>(op);
    if constexpr (requires { self.shape(context, s...); }) store_shapes(self.shape(context, s...), out);
    else store_shapes(self.shape(s...), out);
  });
}

template <class Op>
std::size_t run_scratch_rule(const void* op, const shape_inputs& in) {
  std::size_t bytes = 0;
  rule_caller<Op>::call(in, [&](const auto&... s) { bytes = static_cast<const Op*>(op)->scratch(s...); });
  return bytes;
}

// ---- flags, each a static member of the op when it is set

template <class Op>
constexpr op_table describe_op() {
  op_table t{};
  t.name = Op::name;
  t.size = sizeof(Op);
  t.alignment = alignof(Op);
  t.construct = [](void* op) { ::new (op) Op{}; };
  t.copy = [](const void* from, void* to) { ::new (to) Op(*static_cast<const Op*>(from)); };
  t.destroy = [](void* op) noexcept { static_cast<Op*>(op)->~Op(); };
  t.attributes = attribute_table<Op>::all;
  if constexpr (has_shape_rule<Op>) t.infer = &run_shape_rule<Op>;
  if constexpr (has_scratch_rule<Op>) t.scratch = &run_scratch_rule<Op>;
  if constexpr (requires { Op::not_differentiable; }) t.not_differentiable = Op::not_differentiable;
  if constexpr (requires { Op::control; }) t.control = Op::control;
  if constexpr (requires { Op::stateful; }) t.stateful = Op::stateful;
  if constexpr (requires { Op::alias; }) t.alias = Op::alias;
  if constexpr (requires { Op::elementwise; }) t.elementwise = Op::elementwise;
  if constexpr (requires { Op::in_place; }) t.in_place = Op::in_place;
  if constexpr (requires { Op::random; }) t.random = Op::random;
  if constexpr (requires { Op::expensive; }) t.expensive = Op::expensive;
  if constexpr (requires { Op::shape_only; }) t.shape_only = Op::shape_only;
  if constexpr (requires(const Op& op) { op.output_count(); })
    t.output_count = [](const void* op) { return static_cast<std::size_t>(static_cast<const Op*>(op)->output_count()); };
  if constexpr (requires(const Op& op) { op.output_types(); })
    t.output_types = [](const void* op) { return static_cast<const Op*>(op)->output_types(); };
  if constexpr (requires(const Op& op) { op.constant(); })
    t.constant = [](const void* op) -> const any_tensor* { return &static_cast<const Op*>(op)->constant(); };
  if constexpr (requires(const Op& op) { op.placeholder(); })
    t.placeholder = [](const void* op) -> const shape* { return &static_cast<const Op*>(op)->placeholder(); };
  return t;
}

template <class Op, class... Ts>
constexpr void bind_types(op_table& t) {
  using arguments = typename signature_of<Op>::arguments;
  t.inputs = std::span<const argument>(arguments::all).first(arguments::inputs);
  t.outputs = std::span<const argument>(arguments::all).subspan(arguments::inputs);
  t.types = binding_table<types_of<Op>, Ts...>::all;
  if constexpr (parameters_for<Op, Ts...>::has_kernel) {
    if constexpr (signature_of<Op>::asynchronous) t.async_kernel = &kernel_thunk<Op, Ts...>::run_async;
    else t.kernel = &kernel_thunk<Op, Ts...>::run;
  }
}

}  // namespace detail

}  // namespace flowgraph
