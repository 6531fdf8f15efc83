#pragma once
// Makes the parts of an op_table from an op struct: the functions through which the engine calls the op.

#include <flowgraph/op/facts_of.hpp>
#include <flowgraph/op/kernel_types.hpp>
#include <flowgraph/op/result_finish.hpp>
#include <flowgraph/op/stored.hpp>
#include <flowgraph/op/table.hpp>

#include <cstring>
#include <new>
#include <type_traits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class Op> concept has_attrs = requires { Op::attrs; };

// ---- attributes

// One function per op finds the op's members. The functions that read and set a member depend only on its C++ type, because all
// ops together have 800 attributes.
template <class Owner, class M>
constexpr attribute_info describe_attribute(const attribute<Owner, M>& a, std::size_t number,
                                            const void* (*member)(const void* op, std::size_t number)) {
  return {a.name, attribute_traits<M>::kind, a.required, static_cast<std::uint8_t>(number), member, &access_to<M>::all};
}
template <class Op, class Indices> struct attribute_list_of;
template <class Op, std::size_t... I> struct attribute_list_of<Op, std::index_sequence<I...>> {
  FLOWGRAPH_COLD static const void* member(const void* op, std::size_t number) {
    const void* found = nullptr;
    (void)((number == I && (found = std::addressof(static_cast<const Op*>(op)->*(attribute_at<I>(Op::attrs).member)))) || ...);
    return found;
  }
  static constexpr std::array<attribute_info, sizeof...(I)> all{describe_attribute(attribute_at<I>(Op::attrs), I, &member)...};
};

template <class Op> struct attribute_table {
  static constexpr std::array<attribute_info, 0> all{};
};
template <has_attrs Op>
struct attribute_table<Op> : attribute_list_of<Op, std::make_index_sequence<std::remove_cvref_t<decltype(Op::attrs)>::size>> {};

// Whether a member is equal whenever its attribute is equal. An attribute of kind real is a float.
template <class M> inline constexpr bool is_held_to_the_bit = !std::is_floating_point_v<M> || sizeof(M) <= sizeof(float);
template <class Item> inline constexpr bool is_held_to_the_bit<std::vector<Item>> = is_held_to_the_bit<Item>;

// Returns whether the members that `attrs` names fill the struct if they are placed one after the other. An op is not described
// if it has another member, such as a pointer to state, or if `attrs` names the members in an order that needs a different amount
// of space.
template <class Op, std::size_t... I> constexpr bool do_attributes_fill(std::index_sequence<I...>) {
  std::size_t end = 0;
  bool is_exact = true;
  const auto place = [&]<class M>(type_tag<M>) {
    end = (end + alignof(M) - 1) / alignof(M) * alignof(M) + sizeof(M);
    is_exact = is_exact && is_held_to_the_bit<M>;
  };
  (place(type_tag<std::remove_cvref_t<decltype(std::declval<Op>().*(attribute_at<I>(Op::attrs).member))>>{}), ...);
  return is_exact && (end + alignof(Op) - 1) / alignof(Op) * alignof(Op) == sizeof(Op);
}
template <class Op> constexpr bool is_described() {
  if constexpr (has_attrs<Op>)
    return do_attributes_fill<Op>(std::make_index_sequence<std::remove_cvref_t<decltype(Op::attrs)>::size>{});
  else return std::is_empty_v<Op>;
}

// ---- type attributes

// The names of type attributes. The type depends only on the names, so that ops share it.
template <fixed_string... Name> struct attribute_names {
  static constexpr std::array<std::string_view, sizeof...(Name)> all{Name.view()...};
};
template <class List> struct type_attribute_names;
template <fixed_string... Name, class... Types>
struct type_attribute_names<type_attrs<type_attr<Name, Types>...>> : attribute_names<Name...> {};

// ---- kernel

// The positions of the tensors of a parameter among the inputs or the outputs of a call.
struct parameter_place {
  std::uint32_t first = 0, count = 1;
};

// Makes the parameters of a kernel from the tensors of a call. It depends only on element types, so that ops share it.
struct parameter_reader {
  template <class T> static view<T> make(type_tag<view<T>>, kernel_call& call, parameter_place p) {
    if constexpr (std::is_const_v<T>) return call.inputs[p.first]->tensor.template as<std::remove_const_t<T>>();
    else return call.outputs[p.first]->tensor.template as_writable<T>();
  }
  template <class I> static index_view<I> make(type_tag<index_view<I>>, kernel_call& call, parameter_place p) {
    static_assert(in_list<I, type_list<any_index, std::int16_t, std::int32_t, std::int64_t>>,
                  "flowgraph: an index_view is of int16, int32 or int64");
    const any_tensor& t = call.inputs[p.first]->tensor;
    return index_view<I>(t.data(), static_cast<std::size_t>(t.size()), t.shape(), t.type());
  }
  template <class T> static view_list<T> make(type_tag<view_list<T>>, kernel_call& call, parameter_place p) {
    return view_list<T>(call, p.first, p.count);
  }
  static any_list make(type_tag<any_list>, kernel_call& call, parameter_place p) {
    return any_list(call.inputs + p.first, p.count);
  }
  static any_output_list make(type_tag<any_output_list>, kernel_call& call, parameter_place p) {
    return any_output_list(cpu(call), p.first, p.count);
  }
  template <class T> static unsized_list<T> make(type_tag<unsized_list<T>>, kernel_call& call, parameter_place p) {
    return unsized_list<T>(cpu(call), p.first, p.count);
  }
  template <class T> static unsized<T> make(type_tag<unsized<T>>, kernel_call& call, parameter_place p) {
    return unsized<T>(cpu(call), p.first);
  }
  template <class T> static reference<T> make(type_tag<reference<T>>, kernel_call& call, parameter_place p) {
    return reference<T>(cpu(call), call.inputs[p.first]->variable);
  }
  template <class T> static reference_in<T> make(type_tag<reference_in<T>>, kernel_call& call, parameter_place p) {
    return reference_in<T>(call.inputs[p.first]->variable);
  }
  template <class T> static reference_list<T> make(type_tag<reference_list<T>>, kernel_call& call, parameter_place p) {
    return reference_list<T>(call.inputs + p.first, p.count);
  }
  template <class T> static variable_handle<T> make(type_tag<variable_handle<T>>, kernel_call& call, parameter_place p) {
    return variable_handle<T>(cpu(call), variable_of(*call.inputs[p.first]));
  }
  template <class T> static reference_out<T> make(type_tag<reference_out<T>>, kernel_call& call, parameter_place p) {
    edge_value* out = call.outputs[p.first];
    out->variable = nullptr;  // an earlier iteration may have passed on another reference
    for (std::uint32_t i = 0; i < call.input_count && !out->variable; ++i) out->variable = call.inputs[i]->variable;
    return reference_out<T>(call, out);
  }
  static variable_state* variable_of(const edge_value& e) {
    return e.tensor.size() == 1 ? e.tensor.as<resource>().scalar().as<variable_state>() : nullptr;
  }
};

// Makes the parameters of the kernels of all ops that have these arguments.
template <class Arguments> struct parameter_maker : parameter_reader {
  static constexpr std::uint32_t count_singles(bool outputs) {
    std::uint32_t n = 0;
    for (const argument& a : Arguments::all) n += a.is_output == outputs && a.kind == argument::form::single ? 1u : 0u;
    return n;
  }
  static constexpr std::uint32_t single_inputs = count_singles(false), single_outputs = count_singles(true);
  static constexpr bool has_lists = single_inputs + single_outputs != Arguments::size;
  using place_list = std::array<parameter_place, Arguments::size + 1>;  // one entry per parameter, and one for `done`

  // Returns the positions of all parameters. `list_sizes` contains the length of each list; if it is null, a list has all inputs
  // or outputs that are not single arguments. If `of_inputs_alone` is true, outputs are skipped: a caller that knows only the
  // inputs may not know the lengths of output lists.
  static constexpr place_list count_places(const std::uint32_t* list_sizes, std::uint32_t inputs, std::uint32_t outputs,
                                           bool of_inputs_alone = false) {
    place_list result{};
    std::uint32_t at[2] = {0, 0}, list = 0;
    for (std::size_t i = 0; i < Arguments::size; ++i) {
      const argument& a = Arguments::all[i];
      parameter_place& p = result[i];
      if (a.is_output && of_inputs_alone) continue;
      if (a.kind != argument::form::single)
        p.count = list_sizes ? list_sizes[list++] : a.is_output ? outputs - single_outputs : inputs - single_inputs;
      p.first = at[a.is_output];
      at[a.is_output] += p.count;
    }
    return result;
  }
  static constexpr place_list places_without_lists = count_places(nullptr, 0, 0);
  static decltype(auto) places(const std::uint32_t* list_sizes, std::uint32_t inputs, std::uint32_t outputs) {
    if constexpr (has_lists) return count_places(list_sizes, inputs, outputs);
    else return (places_without_lists);
  }
  static decltype(auto) input_places(const std::uint32_t* list_sizes, std::uint32_t inputs) {
    if constexpr (has_lists) return count_places(list_sizes, inputs, 0, true);
    else return (places_without_lists);
  }
  static decltype(auto) places(const kernel_call& call) {
    if constexpr (has_lists) return count_places(call.list_sizes, call.input_count, call.output_count);
    else return (places_without_lists);
  }
};

// Locks the variables that a kernel changes, each once and in the order of their addresses. The destructor unlocks them.
template <std::size_t N> class write_locks {
public:
  template <class Signature> explicit write_locks(kernel_call& call, type_tag<Signature>) {
    for (std::size_t i = 0; i < Signature::input_count; ++i) {
      if (!Signature::input(i).writes) continue;
      const edge_value& e = *call.inputs[i];
      variable_state* v = Signature::input(i).is_handle ? parameter_reader::variable_of(e) : e.variable;
      if (!v) {
        cpu(call).fail(error_code::failed_precondition, message{"input ", i, " does not name a variable"});
        size_ = 0;
        return;
      }
      insert(v);
    }
    for (std::size_t i = 0; i < size_; ++i) held_[i]->lock();
    for (std::size_t i = 0; i < size_; ++i)
      if (held_[i]->set()) [[unlikely]]
        refuse_member(call, *held_[i]);
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
  for (std::size_t i = 0; i < Signature::input_count; ++i)
    if (Signature::input(i).writes) ++n;
  return n;
}();

// Calls `f` with arguments that are evaluated from left to right. Braces guarantee this order; parentheses do not.
struct ordered_call {
  template <class F, class... A> ordered_call(F&& f, A&&... a) { f(a...); }
};

// Calls the kernel of an op with the tensors of a call. It is inlined into functions with short names, because its own name
// contains all parameters.
template <class Op, class Parameters, class Indices, class... Ts> struct kernel_caller;
template <class Op, class... P, std::size_t... I, class... Ts>
struct kernel_caller<Op, parameter_list<P...>, std::index_sequence<I...>, Ts...> {
  using signature = signature_of<Op>;
  using maker = parameter_maker<typename signature::arguments>;

  // The arguments are made in the call itself: a view that is made before and then copied costs as much as a small kernel.
  FLOWGRAPH_ALWAYS_INLINE static void call_op(const void* op, kernel_call& call) {
    [[maybe_unused]] const auto& places = maker::places(call);
    const Op& self = *static_cast<const Op*>(op);
    if constexpr (sizeof...(Ts) == 0) self(cpu(call), maker::make(type_tag<P>{}, call, places[I])...);
    else self.template operator()<Ts...>(cpu(call), maker::make(type_tag<P>{}, call, places[I])...);
  }
  FLOWGRAPH_ALWAYS_INLINE static void run(const void* op, kernel_call& call) {
    if constexpr (writes_of<signature> == 0) {
      call_op(op, call);
    } else {
      write_locks<writes_of<signature>> locks(call, type_tag<signature>{});
      if (!*call.failure) call_op(op, call);
    }
  }
  FLOWGRAPH_ALWAYS_INLINE static void run_async(const void* op, kernel_call& call, done answer) {
    [[maybe_unused]] const auto& places = maker::places(call);
    auto make = [&]<class T>(type_tag<T> tag, [[maybe_unused]] parameter_place p) {
      if constexpr (std::is_same_v<T, done>) return std::move(answer);
      else return maker::make(tag, call, p);
    };
    const Op& self = *static_cast<const Op*>(op);
    if constexpr (sizeof...(Ts) == 0) self(cpu(call), make(type_tag<P>{}, places[I])...);
    else self.template operator()<Ts...>(cpu(call), make(type_tag<P>{}, places[I])...);
  }
};
template <class Op, class... Ts>
using caller_of_kernel = kernel_caller<Op, typename parameters_for<Op, Ts...>::list,
                                       std::make_index_sequence<parameters_for<Op, Ts...>::list::size>, Ts...>;

template <class Op, class... Ts> struct kernel_thunk {
  static void run(const void* op, kernel_call& call) { caller_of_kernel<Op, Ts...>::run(op, call); }
  static void run_async(const void* op, kernel_call& call, done answer) {
    caller_of_kernel<Op, Ts...>::run_async(op, call, std::move(answer));
  }
};

// The same functions for kernels of standard ops. Only flowgraph::compiled defines them.
template <class Op, class... Ts> void stored_kernel(const void* op, kernel_call& call);
template <class Op, class... Ts> void stored_async_kernel(const void* op, kernel_call& call, done answer);

// ---- shape rule

// Returns the shapes of an argument in the form that the shape rule takes: one shape for a single argument, contiguous shapes for
// a list.
inline const shape& shapes_at(std::false_type, const shape_inputs& in, const shape*, parameter_place p) {
  return *in.shapes[p.first];
}
inline std::span<const shape> shapes_at(std::true_type, const shape_inputs&, const shape* all, parameter_place p) {
  return {all + p.first, p.count};
}

template <class Op> concept has_scratch_rule = requires { &Op::scratch; };

template <class List> void store_shapes(const List& result, std::span<shape> out) {
  std::size_t i = 0;
  for (const shape& s : result)
    if (i < out.size()) out[i++] = s;
}
inline void store_shapes(const shape& result, std::span<shape> out) {
  if (!out.empty()) out[0] = result;
}

// Calls the rules of an op. There is one function per rule, and its name is short: a library of many ops has hundreds of them.
template <class Op, class Inputs = std::make_index_sequence<signature_of<Op>::input_count>> struct rule_caller;
template <class Op, std::size_t... I> struct rule_caller<Op, std::index_sequence<I...>> {
  using signature = signature_of<Op>;
  using maker = parameter_maker<typename signature::arguments>;
  template <std::size_t At> using is_list = std::bool_constant<signature::input(At).kind != argument::form::single>;
  static constexpr bool has_lists = (is_list<I>::value || ... || false);
  using all_shapes = std::conditional_t<has_lists, side_by_side, std::span<const shape>>;

  template <class... Ts>
  FLOWGRAPH_ALWAYS_INLINE static void infer(const void* op, shape_context& context, const shape_inputs& in,
                                            std::span<shape> out) {
    const Op& self = *static_cast<const Op*>(op);
    [[maybe_unused]] const auto& places = maker::input_places(in.list_sizes, static_cast<std::uint32_t>(in.shapes.size()));
    [[maybe_unused]] all_shapes all;
    if constexpr (has_lists) all.lay(in);
    if constexpr (sizeof...(Ts) > 0)
      store_shapes(self.template shape<Ts...>(context, shapes_at(is_list<I>{}, in, all.data(), places[I])...), out);
    else if constexpr (requires { self.shape(context, shapes_at(is_list<I>{}, in, all.data(), places[I])...); })
      store_shapes(self.shape(context, shapes_at(is_list<I>{}, in, all.data(), places[I])...), out);
    else store_shapes(self.shape(shapes_at(is_list<I>{}, in, all.data(), places[I])...), out);
  }

  // `rule` returns the bytes of scratch for an op and the shapes of its inputs.
  template <class Rule> FLOWGRAPH_ALWAYS_INLINE static std::size_t scratch(const void* op, const shape_inputs& in, Rule rule) {
    [[maybe_unused]] const auto& places = maker::input_places(in.list_sizes, static_cast<std::uint32_t>(in.shapes.size()));
    [[maybe_unused]] all_shapes all;
    if constexpr (has_lists) all.lay(in);
    return rule(*static_cast<const Op*>(op), shapes_at(is_list<I>{}, in, all.data(), places[I])...);
  }
};

template <class Op, class... Ts>
void run_shape_rule(const void* op, shape_context& context, const shape_inputs& in, std::span<shape> out) {
  rule_caller<Op>::template infer<Ts...>(op, context, in, out);
}
template <class Op> std::size_t run_scratch_rule(const void* op, const shape_inputs& in) {
  return rule_caller<Op>::scratch(op, in, [](const Op& self, const auto&... shapes) { return self.scratch(shapes...); });
}

// Creates, copies and destroys op structs that need no code of their own. Such ops share this code.
struct plain_life {
  template <std::size_t Size> static void live(op_life_step step, const void* from, void* op) {
    if (step == op_life_step::copy) std::memcpy(op, from, Size);
  }
};
// Creates, copies and destroys the structs of one op. It runs once per node and exists for every op, so its code is small.
template <class Op> struct op_life {
  FLOWGRAPH_COLD static void live(op_life_step step, [[maybe_unused]] const void* from, void* op) {
    switch (step) {
      case op_life_step::construct: ::new (op) Op{}; break;
      case op_life_step::copy: ::new (op) Op(*static_cast<const Op*>(from)); break;
      case op_life_step::destroy: static_cast<Op*>(op)->~Op(); break;
    }
  }
};

template <class Op>
inline constexpr column_normalization normalization_of{
    [](const void* op) { return static_cast<const Op*>(op)->normalizes_columns(); },
    [](const void* op, const edge_value* const* others, float* factors, result_finish& f) {
      static_cast<const Op*>(op)->set_normalization(others, factors, f);
    }};

template <class Op> constexpr op_description make_description() {
  op_description d{};
  using names = type_attribute_names<types_of<Op>>;
  using attributes = attribute_table<Op>;
  using arguments = typename signature_of<Op>::arguments;
  static_assert(are_host_arguments_there<Op>,
                "flowgraph: host_inputs(...) and host_outputs(...) name inputs and outputs of the op, counted from 0");
  d.name = Op::name;
  d.inputs = {arguments::all.data(), arguments::inputs};
  d.outputs = {arguments::all.data() + arguments::inputs, arguments::all.size() - arguments::inputs};
  d.type_attributes = {names::all.data(), names::all.size()};
  d.attributes = {attributes::all.data(), attributes::all.size()};
  d.size = sizeof(Op);
  d.alignment = alignof(Op);
  d.is_described = is_described<Op>();
  d.meaning = facts_of<Op>.meaning;
  d.work = facts_of<Op>.work;
  if constexpr (std::is_empty_v<Op> && std::is_trivially_copyable_v<Op>) d.live = &plain_life::live<sizeof(Op)>;
  else d.live = &op_life<Op>::live;
  if constexpr (requires(const Op& op, const shape& weights) { op.column_factors(weights); })
    d.column_factors = [](const void* op, const shape& weights) { return static_cast<const Op*>(op)->column_factors(weights); };
  if constexpr (requires(const Op& op) { op.computes_rows(); })
    d.computes_rows = [](const void* op) { return static_cast<const Op*>(op)->computes_rows(); };
  if constexpr (requires(const Op& op) { op.keeps_reduced_axes(); })
    d.keeps_reduced_axes = [](const void* op) { return static_cast<const Op*>(op)->keeps_reduced_axes(); };
  if constexpr (requires { Op::in_group; }) d.in_group = Op::in_group;
  if constexpr (requires(const Op& op) { op.normalizes_columns(); }) d.normalization = &normalization_of<Op>;
  if constexpr (requires(const Op& op, const shape& x, const any_tensor& weights) { op.packed(x, weights); })
    d.packed = [](const void* op, const shape& x, const any_tensor& weights) {
      return static_cast<const Op*>(op)->packed(x, weights);
    };
  if constexpr (requires(const Op& op) { op.output_count(); })
    d.output_count = [](const void* op) { return static_cast<std::size_t>(static_cast<const Op*>(op)->output_count()); };
  if constexpr (requires(const Op& op) { op.output_types(); })
    d.output_types = [](const void* op) { return static_cast<const Op*>(op)->output_types(); };
  if constexpr (requires(const Op& op) { op.output_sizes(); })
    d.output_sizes = [](const void* op) { return static_cast<const Op*>(op)->output_sizes(); };
  if constexpr (requires(const Op& op) { op.constant(); })
    d.constant = [](const void* op) -> const any_tensor* { return &static_cast<const Op*>(op)->constant(); };
  if constexpr (requires(const Op& op) { op.placeholder(); })
    d.placeholder = [](const void* op) -> const shape* { return &static_cast<const Op*>(op)->placeholder(); };
  constexpr control_flow control = facts_of<Op>.engine.control;
  if constexpr (control == control_flow::send || control == control_flow::receive) d.flow = &rules_of_exchange;
  else if constexpr (control != control_flow::none) d.flow = &rules_of_flow;
  else d.flow = facts_of<Op>.engine.step_rules;
  if constexpr (control != control_flow::none || facts_of<Op>.per_run) d.runner = ready_queue_runner;
  if constexpr (has_signature<Op>)
    if constexpr (signature_of<Op>::asynchronous) d.runner = answering_runner;
  return d;
}
template <class Op> inline constexpr op_description description_of = make_description<Op>();

// The description and the rules of a standard op. Only flowgraph::compiled defines them.
template <class Op> extern const op_description stored_description;
template <class Op> void stored_shape_rule(const void* op, shape_context& context, const shape_inputs& in, std::span<shape> out);
template <class Op> std::size_t stored_scratch_rule(const void* op, const shape_inputs& in);

// Intentionally, no source file of the program contains a definition. Clang would warn about this.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <class Op> constexpr const op_description& find_description() {
  if constexpr (table_source<Op> != 0) return stored_description<Op>;
  else return description_of<Op>;
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif
template <class Op> constexpr op_table::shape_function find_shape_rule() {
  if constexpr (!has_shape_rule<Op>) return nullptr;
  else if constexpr (table_source<Op> != 0) return &stored_shape_rule<Op>;
  else return &run_shape_rule<Op>;
}
template <class Op> constexpr kernel_entry::scratch_function find_scratch_rule() {
  if constexpr (!has_scratch_rule<Op>) return nullptr;
  else if constexpr (table_source<Op> != 0) return &stored_scratch_rule<Op>;
  else return &run_scratch_rule<Op>;
}

// ---- facts

constexpr void write_facts(op_table& t, const op_facts& facts) {
  t.control = facts.engine.control;
  t.in_history = facts.engine.in_history;
  t.in_array = facts.engine.in_array;
  t.of_variable = facts.engine.of_variable;
  t.not_differentiable = facts.not_differentiable;
  t.stateful = facts.stateful;
  t.alias = facts.alias;
  t.passes_value = facts.passes_value;
  t.elementwise = facts.elementwise;
  t.may_fail = facts.may_fail;
  t.counts_runs = facts.counts_runs;
  t.shape_only = facts.shape_only;
  t.per_run = facts.per_run;
  t.outputs_stay = facts.outputs_stay;
  t.may_be_fed = facts.may_be_fed;
  t.kernel.facts = {.in_place = facts.in_place, .expensive = facts.expensive, .finishes = facts.engine.finishes};
}

template <class Op> constexpr op_table describe_op() {
  static_assert(!has_old_flag<Op>, "flowgraph: an op's flag 'random' is named 'counts_runs' now");
  static_assert(facts_of<Op>.declared_twice == nullptr, "flowgraph: an op declares a fact in `facts` and as a static member");
  op_table t{};
  t.description = &find_description<Op>();
  t.infer = find_shape_rule<Op>();
  t.kernel.scratch = find_scratch_rule<Op>();
  write_facts(t, facts_of<Op>);
  return t;
}
// The part of a table that all element types of the op share.
template <class Op> inline constexpr op_table description_without_types = describe_op<Op>();

// Whether a binary element-wise op checks the elements of its second input (ops/shared/elementwise.hpp).
template <class Op, class... Ts> concept checks_elements = sizeof...(Ts) == 1 && requires { &Op::template check<Ts...>; };

template <class Op, class... Ts> constexpr void bind_kernel(op_table& t, type_list<Ts...>) {
  if constexpr (checks_elements<Op, Ts...>) t.may_fail = true;
  if constexpr (has_typed_shape_rule<Op, Ts...>) t.infer = &run_shape_rule<Op, Ts...>;
  if constexpr (parameters_for<Op, Ts...>::has_kernel) {
    if constexpr (signature_of<Op>::asynchronous && is_stored<Op, Ts...>) t.kernel.start = &stored_async_kernel<Op, Ts...>;
    else if constexpr (signature_of<Op>::asynchronous) t.kernel.start = &kernel_thunk<Op, Ts...>::run_async;
    else if constexpr (is_stored<Op, Ts...>) t.kernel.run = &stored_kernel<Op, Ts...>;
    else t.kernel.run = &kernel_thunk<Op, Ts...>::run;
  }
}
}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
