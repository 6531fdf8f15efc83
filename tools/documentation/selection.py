"""Which declarations are for users, and on which page each header is."""

import re

# The headers that are read: folders, and single headers of the layers below the graph.
FOLDERS = ("ops", "train", "graph", "passes", "runtime", "placement", "interop", "deploy", "io", "distributed", "formats", "observe")
HEADERS = ("core/tensor core/shape core/error core/thread_pool core/view core/type core/resource op/container op/registry op/kernel"
           " op/attribute op/signature op/shape_rule op/host_arguments op/work_figure op/saved_state op/device op/kernel_set"
           " op/kernel_entry op/device_context op/facts").split()
# Headers whose names elsewhere.hpp does not have: they are for the engine, or their names are common words.
WITHOUT_HINTS = re.compile(r"flowgraph/(formats/|observe/(?!trace\.hpp)|core/|op/(?!container\.hpp|registry\.hpp))")

# Attributes of ops that functions for users take as their options.
PUBLIC_ATTRIBUTES = "(fractional_pool|argmax_pool|max_pool_v2|resize|crop|scale|glimpse|distortion|decode|decode_jpeg|encode_jpeg|decode_image|decode_clicks|fake_quantize)_attributes"

# In the library's namespace for its own gradients and bases: no function that programs call.
INTERNAL_FUNCTIONS = set("""attribute_names attributes_of concat_parts pad_like sum_of_tiles inverse_permutation product_gradients
 stacked_product_gradients mirror_pad_grad gradient_contributions shape_of_rows shape_of_batch cast_to repeated_bias
 bias_add_grad max_pool_grad max_pool_grad_grad avg_pool_grad max_pool3d_grad max_pool3d_grad_grad avg_pool3d_grad
 max_pool_grad_with_argmax max_pool_grad_v2 max_pool_grad_grad_v2 conv2d_backprop_input conv2d_backprop_filter
 conv3d_backprop_input conv3d_backprop_filter depthwise_conv2d_backprop_input depthwise_conv2d_backprop_filter
 dilation2d_backprop_input dilation2d_backprop_filter get name_of cross_entropy_gradients logits_gradient attribute_at visit_type
 is_counted carries_gradient""".split())
INTERNAL_TYPES = set("""node_request operand none_type any_slices edge output_info node reference_list
 unary_elementwise binary_elementwise paired_elementwise unary_pointwise binary_pointwise comparison equality complex_part reduction
 numeric_reduction logical_reduction segment_reduction unsorted_segment_reduction segment_scale sparse_segment_gradient
 sliced_sparse_segment_gradient sparse_segment_reduction counted_sparse_segment_reduction update_form kept_memory memory_budget
 sparse_dense_elementwise sparse_extreme sparse_reduction sparse_reduction_to_sparse
 stop_signal steady_time fetched edge_value run_services fixed_string attribute attribute_list attribute_info function_name
 argument_numbers host_input_numbers host_output_numbers generator promise_type iterator limited_memory scope""".split())
# Optimizers share the first three, docs/training.md; cells and attentions the second line: `recurrent_cell` in ops/rnn/cell.hpp.
OF_OPTIMIZERS = set("minimize gradients apply".split())
OF_CELLS = set("operator() zero_state output_size tiled depth".split())
OF_ENGINE = set("state shared_state try_add add set_back_edge add_initializer".split())
ENGINE_MEMBERS = set("""any_tensor::emplace any_tensor::over any_tensor::owner any_tensor::is_owned any_tensor::is_unique any_tensor::share
 any_tensor::take any_tensor::point_to any_tensor::reset shape::fill_unused shape::of shape::begin shape::end tensor::begin tensor::end
 container::generation container::memory container::large_resources container::check_files container::load_files
 container::move_files registry::add registry::find registry::tables error::at error::because error::error
 result::result shape::push_back tensor::rank tensor::dim error::op""".split())
# Members that are called alike in all options, and the text for them.
SHARED_MEANINGS = {
    "location": "where it was written: the caller's line",
    "parallel_iterations": "iterations of its loop that may overlap",
    "name": "the name of the scope of its nodes or variables; empty: the name that TensorFlow uses",
    "seed": "the seed of the random numbers; empty: a seed derived from the seed of the graph",
    "lengths": "the number of steps of each sequence; empty: all steps of the inputs",
    "time_major": "whether inputs and outputs have the shape {time, batch, ...}",
    "initial_forward initial_backward": "the initial state; empty: the zero_state of the cell",
    "kernel": "a function that returns the initial weights for their shape",
    "bias": "a function that returns the initial bias for its shape; empty: the initial bias of TensorFlow's cells",
    "activation": "the activation function of the output",
    "forget_bias": "added to the forget gate",
    "stop": "ends the run from another thread",
    "deadline": "ends the run at that time",
    "rate": "the learning rate: a number, or a scalar of the graph",
    "momentum": "the fraction of the previous update that is added to the next update",
    "nesterov": "whether to use Nesterov momentum",
    "beta1 beta2": "the decay per step of the means of gradients and of squared gradients",
    "epsilon": "a small number that prevents division by zero",
    "weight_decay": "weights shrink by this factor times the rate in each step",
    "initial_accumulator": "the initial sums of squares",
    "l1 l2": "the strength of the L1 or L2 regularization",
    "l2_shrinkage": "this number times the weight is added to the gradient",
    "rate_power": "the rate is divided by the sums to the power of this number",
    "rho decay": "the decay of the mean per step",
    "centered": "whether to divide by the standard deviation instead of the mean square",
    "global_step": "the step counter; empty: the optimizer creates a counter",
    "end": "the rate at the end",
    "power": "the exponent of the remaining share of steps",
    "alpha": "the final rate as a fraction of the initial rate, or the fraction by which the rate is raised",
    "beta": "a constant that is added to the cosine wave",
    "num_periods": "the number of periods of the cosine wave",
    "initial_variance variance_decay": "the noise has variance initial_variance / (1 + step) ^ variance_decay",
}
MEANING_OF = {name: text for names, text in SHARED_MEANINGS.items() for name in names.split()}


def is_read(path):
    """Whether a header, given below include/, is part of the reference."""
    short = path.removeprefix("flowgraph/").removesuffix(".hpp")
    if re.search(r"/(detail|impl|kernel)/", path) or short.endswith("graph_archive"):
        return False
    return short.split("/")[0] in FOLDERS and "/" in short or short in HEADERS or short == "flowgraph"


def page_of(path):
    short = path.removeprefix("flowgraph/")
    folder, _, rest = short.partition("/")
    if folder == "ops":
        return rest.split("/")[0] if "/" in rest else "graph"
    if folder in ("core", "op"):
        return "tensors" if re.match(r"(core/(tensor|shape|error|thread_pool)|op/(container|registry))\.hpp", short) else "own_ops"
    return {"interop": "files", "runtime": "session", "passes": "session", "placement": "session", "train": "optimizers"}.get(folder, folder)


def is_message(function):
    """An overload that is there for its message."""
    return function.comment.startswith(("Chosen for", "What does not fit is refused here"))


def is_shown_function(function):
    if function.header.endswith("ops/operators.hpp") or function.name.startswith("operator") or is_message(function):
        return False
    types = [p.type for p in function.parameters]
    if function.name in INTERNAL_FUNCTIONS or any(re.fullmatch(r"out<[A-Z]>", p.text) for p in function.parameters):
        return False
    return not any(t.endswith("_attributes&") and not re.search(PUBLIC_ATTRIBUTES, t) for t in types)


def is_op(type_):
    return type_.op != "" and "/train/" not in type_.header


def is_shown_type(type_):
    if is_op(type_) or type_.name in INTERNAL_TYPES or re.search(r"ops/[a-z_]+\.hpp$", type_.header):
        return False
    return not type_.name.endswith("_attributes") or re.match(PUBLIC_ATTRIBUTES, type_.name) is not None


def is_shown_method(type_, method):
    page = page_of(type_.header)
    name = method.name
    if is_message(method) or page == "optimizers" and name in OF_OPTIMIZERS or type_.name == "graph" and name in OF_ENGINE:
        return False
    if f"{type_.name}::{name}" in ENGINE_MEMBERS or re.search(r"&&(,|\)$)|detail::(graph_state|kernel_call)", method.signature()):
        return False
    if name == type_.name and len(method.parameters) == 1 and type_.name in method.parameters[0].type.replace("&", " ").split():
        return False  # a copy
    if name.startswith("operator") and name not in ("operator()", "operator[]"):
        return type_.name == "out" and name != "operator==" and name != "operator="
    return not method.suffix.startswith(("const&", "const &")) or name not in ("value", "error")
