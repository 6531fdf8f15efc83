"""Records what TensorFlow does with lists and optionals, and with recurrent Keras models, as sessions to be replayed.

    list_cases.py write OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given
    list_cases.py compare REPLAY              recurrent models that are larger, recorded anew and replayed by that program, by runs and
                                              by prepared steps
    list_cases.py serve PROGRAM               the same models as SavedModels with their variables, which `PROGRAM run`, the program
                                              flowgraph, answers as TensorFlow does

The format is that of tests/conformance/cases.hpp: a Case message after its length, a step with its nodes, feeds and fetches, and what
came out, values or an error code. tests/conformance/data/lists.tar.xz holds the file. Ends in 77, and says so, where this Python has no
TensorFlow.
"""
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
EXACT, CLOSE = 0, 1
os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")


# ---- messages

def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def part(number, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(number << 3 | 2) + varint(len(data)) + data


def number(field, n):
    return varint(field << 3) + varint(n) if n else b""


def reason(message):
    """The line of an error that says what was wrong."""
    lines = [line.strip() for line in message.splitlines()]
    return next((line for line in lines if line and not line.startswith(("Graph execution", "Detected at", "Node:"))), "")


class Recorder:
    """The cases of one file."""

    def __init__(self, tf, np, wanted):
        self.tf, self.np, self.wanted, self.cases = tf, np, wanted, []

    def proto(self, value):
        return self.tf.make_tensor_proto(value).SerializeToString()

    def case(self, name, build, tags=()):
        """build() adds nodes to the default graph; it returns what to fetch and what to feed."""
        if self.wanted and not name.startswith(tuple(self.wanted)):
            return
        with self.tf.Graph().as_default() as graph:
            fetches, feeds = build()
            self.record(name, graph.as_graph_def(), [t.name for t in fetches], {t.name: v for t, v in feeds.items()}, tags)

    def record(self, name, graph_def, fetches, feeds, tags=()):
        """One run of a graph in a session without optimizations."""
        v1 = self.tf.compat.v1
        config = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
        code, words, values = 0, "", None
        with self.tf.Graph().as_default() as graph:
            self.tf.import_graph_def(graph_def, name="")
            with v1.Session(graph=graph, config=config) as session:
                try:
                    values = session.run(fetches, feeds)
                except self.tf.errors.OpError as error:
                    code, words = error.error_code, reason(error.message)
        step = part(1, graph_def.SerializeToString(deterministic=True))
        for tensor, value in feeds.items():
            step += part(2, part(1, tensor) + part(2, self.proto(value)))
        for i, tensor in enumerate(fetches):
            value = part(2, self.proto(values[i])) if values is not None else b""
            dtype = self.np.asarray(values[i]).dtype if values is not None else None
            is_close = dtype is not None and (dtype.kind in "fc" or dtype.name == "bfloat16")
            step += part(3, part(1, tensor) + value + number(3, CLOSE if is_close else EXACT))
        step += number(5, code) + (part(6, words) if words else b"")
        ops = {node.op for node in graph_def.node}
        ops |= {node.op for function in graph_def.library.function for node in function.node_def}
        tags = set(tags) | ({"error"} if code else set())
        data = part(1, name) + part(2, step)
        data += b"".join(part(3, op) for op in sorted(ops)) + b"".join(part(4, tag) for tag in sorted(tags))
        self.cases.append(data)
        shown = f"error {code}: {words}" if code else str([self.np.asarray(v).tolist() for v in values])
        print(f"{name}: {shown[:150]}", flush=True)

    def write(self, path):
        with open(path, "wb") as file:
            for data in self.cases:
                file.write(varint(len(data)) + data)


# ---- ops

def record_ops(tf, np, rec):
    raw = tf.raw_ops
    f32, i32 = tf.float32, tf.int32

    def inputs(feeds):
        """Makes inputs: constants, or placeholders that are fed."""
        def given(value, dtype=None):
            value = np.asarray(value, dtype)
            if feeds is None:
                return tf.constant(value)
            made = tf.compat.v1.placeholder(tf.as_dtype(value.dtype), None)
            feeds[made] = value
            return made
        return given

    def both(name, build, tags=()):
        """The case with inputs that are fed, and, where TensorFlow builds that, with constants."""
        def fed():
            feeds = {}
            fetches = build(inputs(feeds))
            return fetches, feeds

        rec.case("lists." + name, fed, tags)
        try:
            rec.case("lists.constant." + name, lambda: (build(inputs(None)), {}), tags)
        except (ValueError, TypeError):
            pass  # refused when it is built

    def blurred(handle):
        """A list of which the graph knows nothing."""
        return raw.PlaceholderWithDefault(input=handle, shape=None)

    x = np.arange(1, 13, dtype=np.float32).reshape(4, 3)

    def rows(c, value=x, shape=(3,), dtype=f32):
        return raw.TensorListFromTensor(tensor=c(value), element_shape=c(shape, np.int32))

    def reserve(c, n=3, shape=(2,), dtype=f32):
        return raw.TensorListReserve(element_shape=c(shape, np.int32), num_elements=c(n, np.int32), element_dtype=dtype)

    def empty(c, shape=(2,), most=-1, dtype=f32):
        return raw.EmptyTensorList(element_shape=c(shape, np.int32), max_num_elements=c(most, np.int32), element_dtype=dtype)

    def push(c, handle, value):
        return raw.TensorListPushBack(input_handle=handle, tensor=c(value))

    def stack(c, handle, shape=-1, dtype=f32, n=-1):
        return raw.TensorListStack(input_handle=handle, element_shape=c(shape, np.int32), element_dtype=dtype, num_elements=n)

    def get(c, handle, i, shape=-1, dtype=f32):
        return raw.TensorListGetItem(input_handle=handle, index=c(i, np.int32), element_shape=c(shape, np.int32), element_dtype=dtype)

    def put(c, handle, i, value, grows=False):
        return raw.TensorListSetItem(input_handle=handle, index=c(i, np.int32), item=c(value), resize_if_index_out_of_bounds=grows)

    def pop(c, handle, shape=-1, dtype=f32):
        return raw.TensorListPopBack(input_handle=handle, element_shape=c(shape, np.int32), element_dtype=dtype)

    def length(handle):
        return raw.TensorListLength(input_handle=handle)

    def element_shape(handle, dtype=i32):
        return raw.TensorListElementShape(input_handle=handle, shape_type=dtype)

    def gather(c, handle, indices, shape=-1, dtype=f32):
        return raw.TensorListGather(input_handle=handle, indices=c(indices, np.int32), element_shape=c(shape, np.int32),
                                    element_dtype=dtype)

    def concat2(c, handle, shape=-1, dims=(), dtype=f32):
        return raw.TensorListConcatV2(input_handle=handle, element_shape=c(shape, np.int32), leading_dims=c(dims, np.int64),
                                      element_dtype=dtype)

    two = np.float32([1, 2])
    both("from_tensor.stack", lambda c: [stack(c, rows(c)), length(rows(c)), element_shape(rows(c))])
    both("from_tensor.open_shape", lambda c: [stack(c, rows(c, shape=-1)), element_shape(rows(c, shape=-1), tf.int64)])
    both("from_tensor.partly_open", lambda c: [stack(c, rows(c, shape=(-1,))), element_shape(rows(c, shape=(-1,)))])
    both("from_tensor.other_shape", lambda c: [stack(c, rows(c, shape=(2,)))])
    both("from_tensor.scalar", lambda c: [length(rows(c, np.float32(1), ()))])
    both("from_tensor.no_rows", lambda c: [stack(c, rows(c, x[:0]))])
    both("from_tensor.shape_is_number", lambda c: [length(rows(c, shape=3))])
    both("from_tensor.shape_is_matrix", lambda c: [length(rows(c, shape=[[3]]))])
    both("from_tensor.negative_extent", lambda c: [length(rows(c, shape=(-2,)))])
    both("from_tensor.strings", lambda c: [get(c, rows(c, np.array([b"a", b"bc"], object), ()), 1, (), tf.string)])
    both("from_tensor.integers", lambda c: [stack(c, rows(c, np.int64([[5, 6], [7, 8]]), (2,)), dtype=tf.int64)])
    both("from_tensor.booleans", lambda c: [stack(c, rows(c, np.array([True, False]), ()), dtype=tf.bool)])
    both("reserve.stack", lambda c: [stack(c, reserve(c)), length(reserve(c)), element_shape(reserve(c))])
    both("reserve.stack_without_shape", lambda c: [stack(c, reserve(c, shape=-1))])
    both("reserve.stack_with_shape", lambda c: [stack(c, reserve(c, shape=-1), (4, 2))])
    both("reserve.none", lambda c: [length(reserve(c, 0)), stack(c, reserve(c, 0))])
    both("reserve.none_without_shape", lambda c: [stack(c, reserve(c, 0, -1))])
    both("reserve.negative", lambda c: [length(reserve(c, -1))])
    both("reserve.strings", lambda c: [stack(c, reserve(c, 2, (), tf.string), dtype=tf.string)])
    both("get.set", lambda c: [get(c, put(c, reserve(c), 1, two), 1)])
    both("get.not_set", lambda c: [get(c, reserve(c), 2)])
    both("get.not_set_like_others", lambda c: [get(c, put(c, reserve(c, shape=-1), 0, x), 2)])
    both("get.not_set_shape_given", lambda c: [get(c, reserve(c, shape=-1), 2, (3, 1))])
    both("get.not_set_shape_unknown", lambda c: [get(c, reserve(c, shape=-1), 2)])
    both("get.not_set_others_differ", lambda c: [get(c, put(c, put(c, reserve(c, shape=-1), 0, x), 1, two), 2)])
    both("get.shape_differs", lambda c: [get(c, reserve(c), 2, (3,))])
    both("get.set_shape_differs", lambda c: [get(c, put(c, reserve(c), 2, two), 2, (3,))])
    both("get.too_far", lambda c: [get(c, rows(c), 4)])
    both("get.other_type", lambda c: [get(c, blurred(rows(c)), 0, dtype=tf.float64)])
    both("set.keeps_before", lambda c: [stack(c, put(c, rows(c), 1, two[[0, 0, 1]])), stack(c, rows(c))])
    both("set.twice", lambda c: [stack(c, put(c, put(c, reserve(c), 1, two), 1, two * 3))])
    both("set.last_to_first", lambda c: [stack(c, put(c, put(c, put(c, reserve(c), 2, two), 1, two * 2), 0, two * 3))])
    both("set.too_far", lambda c: [length(put(c, reserve(c), 3, two))])
    both("set.grows", lambda c: [stack(c, put(c, reserve(c), 4, two, True))])
    both("set.negative", lambda c: [length(put(c, reserve(c), -1, two))])
    both("set.other_shape", lambda c: [length(put(c, blurred(reserve(c)), 0, x))])
    both("set.other_type", lambda c: [length(put(c, blurred(reserve(c)), 0, np.float64([1, 2])))])
    both("push_pop", lambda c: [t for p in [pop(c, push(c, push(c, empty(c), two), two * 2))]
                                for t in (p.tensor, length(p.output_handle), stack(c, p.output_handle))])
    both("pop.empty", lambda c: [pop(c, empty(c)).tensor])
    both("pop.not_set", lambda c: [pop(c, reserve(c)).tensor])
    both("pop.not_set_without_shape", lambda c: [pop(c, reserve(c, shape=-1)).tensor])
    both("pop.not_set_shape_given", lambda c: [pop(c, reserve(c, shape=-1), (2, 2)).tensor])
    both("push.full", lambda c: [length(push(c, push(c, empty(c, most=1), two), two))])
    both("push.up_to_most", lambda c: [length(push(c, empty(c, most=1), two))])
    both("push.other_shape", lambda c: [length(push(c, blurred(empty(c)), x))])
    both("push.other_type", lambda c: [length(push(c, blurred(empty(c)), np.int32([1, 2])))])
    both("push.shapes_differ", lambda c: [length(push(c, push(c, empty(c, -1), two), x))])
    both("stack.shapes_differ", lambda c: [stack(c, push(c, push(c, empty(c, -1), two), x))])
    both("stack.some_not_set", lambda c: [stack(c, put(c, reserve(c, shape=-1), 1, two))])
    both("stack.number_wrong", lambda c: [stack(c, rows(c), n=3)])
    both("stack.number_right", lambda c: [stack(c, rows(c), n=4)])
    both("stack.shape_wrong", lambda c: [stack(c, rows(c), (2,))])
    both("stack.other_type", lambda c: [stack(c, blurred(rows(c)), dtype=tf.int32)])
    both("resize.shorter", lambda c: [stack(c, raw.TensorListResize(input_handle=rows(c), size=c(2, np.int32)))])
    both("resize.longer", lambda c: [stack(c, raw.TensorListResize(input_handle=rows(c), size=c(6, np.int32)))])
    both("resize.negative", lambda c: [length(raw.TensorListResize(input_handle=rows(c), size=c(-1, np.int32)))])
    both("gather", lambda c: [gather(c, rows(c), [2, 0, 2])])
    both("gather.some_not_set", lambda c: [gather(c, put(c, reserve(c), 1, two), [0, 1, 2, 1])])
    both("gather.none", lambda c: [gather(c, rows(c), [])])
    both("gather.none_without_shape", lambda c: [gather(c, rows(c, shape=-1), [])])
    both("gather.too_far", lambda c: [gather(c, rows(c), [4])])
    both("gather.negative_open", lambda c: [gather(c, rows(c, shape=-1), [-1])])
    both("scatter", lambda c: [stack(c, raw.TensorListScatter(tensor=c(x), indices=c([5, 0, 2, 1], np.int32),
                                                              element_shape=c((3,), np.int32)))])
    both("scatter.negative", lambda c: [length(raw.TensorListScatter(tensor=c(x), indices=c([5, 0, -2, 1], np.int32),
                                                                     element_shape=c((3,), np.int32)))])
    both("scatter.index_missing", lambda c: [length(raw.TensorListScatter(tensor=c(x), indices=c([5, 0, 1], np.int32),
                                                                          element_shape=c((3,), np.int32)))])
    for n in (-1, 6, 7, 5, -2):
        both(f"scatter_v2.{n}", lambda c: [stack(c, raw.TensorListScatterV2(
            tensor=c(x), indices=c([5, 0, 2, 1], np.int32), element_shape=c((3,), np.int32), num_elements=c(n, np.int32)))])
    both("scatter_into.existing", lambda c: [stack(c, raw.TensorListScatterIntoExistingList(
        input_handle=rows(c), tensor=c(x[:2] * 10), indices=c([3, 1], np.int32)))])
    # Of a list that grows so TensorFlow takes the elements between for tensors of none: stacked, they leave memory as it was.
    both("scatter_into.grows", lambda c: [t for h in [raw.TensorListScatterIntoExistingList(
        input_handle=rows(c), tensor=c(x[:2] * 10), indices=c([3, 6], np.int32))] for t in (length(h), get(c, h, 6), get(c, h, 3))])
    both("scatter_into.same_index", lambda c: [stack(c, raw.TensorListScatterIntoExistingList(
        input_handle=rows(c), tensor=c(x[:2] * 10), indices=c([1, 1], np.int32)))])
    both("scatter_into.index_missing", lambda c: [length(raw.TensorListScatterIntoExistingList(
        input_handle=rows(c), tensor=c(x[:2]), indices=c([3], np.int32)))])

    def split(c, lengths, shape=(-1, 3)):
        return raw.TensorListSplit(tensor=c(x), element_shape=c(shape, np.int32), lengths=c(lengths, np.int64))

    both("split.concat", lambda c: [t for h in [split(c, [2, 0, 1, 1])]
                                    for t in (*concat2(c, h, (-1, 3)), length(h), get(c, h, 0), get(c, h, 1), element_shape(h))])
    both("split.open_shape", lambda c: list(concat2(c, split(c, [1, 3], -1))))
    both("split.too_long", lambda c: [length(split(c, [2, 3]))])
    both("split.too_short", lambda c: [length(split(c, [2, 1]))])
    both("split.negative", lambda c: [length(split(c, [5, -1]))])
    both("split.other_shape", lambda c: [length(split(c, [2, 2], (-1, 2)))])
    both("split.scalar_elements", lambda c: [length(split(c, [2, 2], ()))])
    both("concat.v1", lambda c: list(raw.TensorListConcat(input_handle=split(c, [1, 3]), element_dtype=f32)))
    both("concat.v1_shape", lambda c: list(raw.TensorListConcat(input_handle=split(c, [1, 3]), element_dtype=f32,
                                                                element_shape=[None, 3])))
    both("concat.v1_empty", lambda c: list(raw.TensorListConcat(input_handle=empty(c, -1), element_dtype=f32)))
    both("concat.v1_empty_shape", lambda c: list(raw.TensorListConcat(input_handle=empty(c, -1), element_dtype=f32,
                                                                      element_shape=[None, 2])))
    both("concat.rows", lambda c: list(concat2(c, rows(c))))
    both("concat.scalars", lambda c: list(concat2(c, rows(c, two, ()))))
    both("concat.not_set_lengths", lambda c: list(concat2(c, put(c, reserve(c, shape=(-1, 3)), 1, x), (-1, 3), [1, 4, 2])))
    both("concat.not_set_few_lengths", lambda c: list(concat2(c, put(c, reserve(c, shape=(-1, 3)), 1, x), (-1, 3), [1])))
    both("concat.not_set_no_lengths", lambda c: list(concat2(c, reserve(c, shape=(-1, 3)), (-1, 3), [])))
    both("concat.not_set_shape", lambda c: list(concat2(c, reserve(c, shape=(2, 3)), -1, [])))
    both("concat.rows_differ", lambda c: list(concat2(c, push(c, push(c, empty(c, -1), x), x[:, :2]))))
    both("concat.first_differs", lambda c: list(concat2(c, push(c, push(c, empty(c, -1), x), x[:2]), (4, 3))))
    both("concat_lists", lambda c: [stack(c, raw.TensorListConcatLists(input_a=rows(c), input_b=rows(c, x[:1]), element_dtype=f32))])
    both("concat_lists.other_type", lambda c: [length(raw.TensorListConcatLists(input_a=blurred(rows(c)), input_b=blurred(rows(c, np.int32(x))),
                                                                                element_dtype=f32))])
    both("concat_lists.same", lambda c: [stack(c, raw.TensorListConcatLists(input_a=h, input_b=h, element_dtype=f32))
                                         for h in [rows(c)]])
    both("of_lists", lambda c: [stack(c, get(c, push(c_of(c), push(c_of(c), empty(c, -1, dtype=tf.variant), rows(c)), reserve(c)),
                                             0, dtype=tf.variant))])
    both("push_each", lambda c: [t for many in [stack(c, push(c_of(c), push(c_of(c), empty(c, (), dtype=tf.variant), rows(c)),
                                                              empty(c, (3,))), (), tf.variant)]
                                 for batch in [raw.TensorListPushBackBatch(input_handles=many, tensor=c(x[:2]))]
                                 for one in [raw.TensorListFromTensor(tensor=batch, element_shape=c((), np.int32))]
                                 for t in (stack(c, get(c, one, 0, dtype=tf.variant)), stack(c, get(c, one, 1, dtype=tf.variant)))])
    both("push_each.rows_missing", lambda c: [tf.shape(raw.TensorListPushBackBatch(
        input_handles=stack(c, push(c_of(c), empty(c, (), dtype=tf.variant), rows(c)), (), tf.variant), tensor=c(x[:2])))])
    both("zeros_like", lambda c: [stack(c, tf.zeros_like(rows(c)))])
    both("zeros_like.some_not_set", lambda c: [stack(c, raw.ZerosLike(x=put(c, reserve(c, shape=-1), 1, two)))])
    both("add_n", lambda c: [stack(c, raw.AddN(inputs=[rows(c), rows(c, x * 2), rows(c, x * 3)]))])
    both("add_n.some_not_set", lambda c: [stack(c, raw.AddN(inputs=[put(c, reserve(c), 1, two), put(c, reserve(c), 1, two),
                                                                    put(c, reserve(c), 2, two)]))])
    both("add_n.sizes_differ", lambda c: [length(raw.AddN(inputs=[rows(c), rows(c, x[:2])]))])
    both("add_n.types_differ", lambda c: [length(raw.AddN(inputs=[blurred(rows(c)), blurred(rows(c, np.int32(x)))]))])
    both("add_n.shapes_differ", lambda c: [length(raw.AddN(inputs=[rows(c), rows(c, x[:, :2], (2,))]))])
    both("add_n.open_shapes_differ", lambda c: [length(raw.AddN(inputs=[rows(c, shape=-1), rows(c, x[:, :2], -1)]))])
    both("not_a_list", lambda c: [length(raw.OptionalNone())])

    def some(c, *values):
        return raw.OptionalFromValue(components=[c(v) for v in values])

    def parts(o, types, shapes):
        return list(raw.OptionalGetValue(optional=o, output_types=types, output_shapes=shapes))

    both("optional.value", lambda c: parts(some(c, two, np.int32(7)), [f32, i32], [[2], []]))
    both("optional.value_open", lambda c: parts(some(c, two, b"word"), [f32, tf.string], [None, None]))
    both("optional.has", lambda c: [raw.OptionalHasValue(optional=some(c, two)), raw.OptionalHasValue(optional=raw.OptionalNone())])
    both("optional.none", lambda c: parts(raw.OptionalNone(), [f32], [None]))
    both("optional.other_type", lambda c: parts(some(c, two), [i32], [None]))
    both("optional.other_shape", lambda c: parts(some(c, two), [f32], [[3]]))
    both("optional.other_number", lambda c: parts(some(c, two), [f32, f32], [None, None]))
    both("optional.zeros_like", lambda c: parts(raw.ZerosLike(x=some(c, two, np.int32(4))), [f32, i32], [None, None]))
    both("optional.zeros_like_none", lambda c: [raw.OptionalHasValue(optional=raw.ZerosLike(x=raw.OptionalNone()))])
    both("optional.add_n", lambda c: parts(raw.AddN(inputs=[some(c, two), some(c, two * 3)]), [f32], [None]))
    both("optional.add_n_none", lambda c: [raw.OptionalHasValue(optional=raw.AddN(inputs=[raw.OptionalNone(), raw.OptionalNone()]))])
    both("optional.add_n_one_none", lambda c: [raw.OptionalHasValue(optional=raw.AddN(inputs=[raw.OptionalNone(), some(c, two)]))])
    both("optional.of_list", lambda c: [stack(c, parts(raw.OptionalFromValue(components=[rows(c)]), [tf.variant], [[]])[0])])
    both("optional.not_one", lambda c: [raw.OptionalHasValue(optional=rows(c))])


def c_of(c):
    """Inputs that are tensors already stay what they are."""
    def given(value, *rest):
        return value if hasattr(value, "op") else c(value, *rest)
    return given


# ---- gradients

def record_gradients(tf, np, rec):
    from tensorflow.python.ops import list_ops as lists
    x = np.arange(1, 13, dtype=np.float32).reshape(4, 3) / 4

    def gradient(name, f, value=x):
        def build():
            given = tf.compat.v1.placeholder(tf.float32, value.shape, name="x")
            y = f(given)
            weights = tf.constant(np.cos(np.arange(int(np.prod(y.shape)), dtype=np.float32)).reshape(y.shape))
            loss = tf.identity(tf.reduce_sum(y * y * weights), name="loss")
            return [loss, tf.identity(tf.gradients(loss, given)[0], name="dx")], {given: value}
        rec.case("gradients." + name, build, ["gradient"])

    def fixed(t, shape):
        return tf.ensure_shape(t, shape)

    def items(h, n, shape=(3,)):
        return tf.stack([lists.tensor_list_get_item(h, i, tf.float32, shape) for i in range(n)])

    gradient("stack", lambda v: fixed(lists.tensor_list_stack(lists.tensor_list_from_tensor(v, [3]), tf.float32), [4, 3]))
    gradient("items", lambda v: items(lists.tensor_list_from_tensor(v * v, [3]), 3))
    gradient("set", lambda v: fixed(lists.tensor_list_stack(
        lists.tensor_list_set_item(lists.tensor_list_from_tensor(v, [3]), 1, v[0] * v[2]), tf.float32), [4, 3]))
    gradient("set_growing", lambda v: fixed(lists.tensor_list_stack(lists.tensor_list_set_item(
        lists.tensor_list_from_tensor(v, [3]), 5, v[0] * v[2], resize_if_index_out_of_bounds=True), tf.float32), [6, 3]))
    gradient("push_pop", lambda v: (lambda h: (lambda p: p[1] + fixed(lists.tensor_list_stack(p[0], tf.float32), [4, 3])[2])(
        lists.tensor_list_pop_back(h, tf.float32)))(lists.tensor_list_push_back(lists.tensor_list_from_tensor(v, [3]), v[1] * v[1])))
    gradient("gather", lambda v: fixed(lists.tensor_list_gather(lists.tensor_list_from_tensor(v * 2, [3]), [3, 0], tf.float32), [2, 3]))
    gradient("scatter", lambda v: fixed(lists.tensor_list_stack(
        lists.tensor_list_scatter(v * v, [3, 0, 5, 1], [3]), tf.float32), [6, 3]))
    gradient("scatter_into", lambda v: fixed(lists.tensor_list_stack(lists.tensor_list_scatter(
        v[:2] * v[2:], [3, 1], input_handle=lists.tensor_list_from_tensor(v, [3])), tf.float32), [4, 3]))
    gradient("split", lambda v: fixed(lists.tensor_list_get_item(
        lists.tensor_list_split(v * v, [None, 3], [1, 3]), 1, tf.float32), [3, 3]))
    gradient("concat", lambda v: fixed(lists.tensor_list_concat(
        lists.tensor_list_split(v * v, [None, 3], [1, 3]), tf.float32, [None, 3]), [4, 3]))
    gradient("resize", lambda v: fixed(lists.tensor_list_stack(
        lists.tensor_list_resize(lists.tensor_list_from_tensor(v * v, [3]), 2), tf.float32), [2, 3]))
    raw = tf.raw_ops
    gradient("optional", lambda v: raw.OptionalGetValue(
        optional=raw.OptionalFromValue(components=[v * v, v * 3]), output_types=[tf.float32] * 2,
        output_shapes=[[4, 3]] * 2)[0])

    def running(v, v2):
        """Sums of rows so far: a list is read, another one written."""
        if v2:
            tf.compat.v1.enable_control_flow_v2()
        else:
            tf.compat.v1.disable_control_flow_v2()
        rows_in = lists.tensor_list_from_tensor(v, [3])
        rows_out = lists.tensor_list_reserve([3], 4, tf.float32)

        def body(i, sum_so_far, made):
            sum_so_far = tf.tanh(sum_so_far * 0.5 + lists.tensor_list_get_item(rows_in, i, tf.float32, [3]))
            return i + 1, sum_so_far, lists.tensor_list_set_item(made, i, sum_so_far)

        made = tf.compat.v1.while_loop(lambda i, *_: i < 4, body, (0, tf.zeros([3]), rows_out))
        tf.compat.v1.disable_control_flow_v2()
        return fixed(lists.tensor_list_stack(made[2], tf.float32), [4, 3])

    gradient("loop.functional", lambda v: running(v, True))
    for name, n in (("first", 1), ("none", 0)):
        gradient("branch." + name, lambda v: tf.compat.v1.cond(
            v[0, 0] > n,
            lambda: items(lists.tensor_list_from_tensor(v, [3]), 2),
            lambda: items(lists.tensor_list_from_tensor(v * v, [3]), 2)))


# ---- models

def keras_models(keras, steps, size):
    """Recurrent models by name: one of each kind that today's Keras makes, of sequences of so many steps."""
    layers = keras.layers

    def ends(x, y):
        return keras.Model(x, layers.Dense(3)(y))

    def inputs():
        return keras.Input((steps, 4))

    def lstm(x):
        return ends(x, layers.LSTM(size)(x))

    def gru(x):
        return ends(x, layers.GRU(size, return_sequences=True)(x))

    def simple(x):
        return ends(x, layers.SimpleRNN(size, go_backwards=True, return_sequences=True)(x))

    def bidirectional(x):
        return ends(x, layers.Bidirectional(layers.LSTM(size))(x))

    def stacked(x):
        return ends(x, layers.GRU(size)(layers.LSTM(size, return_sequences=True)(x)))

    def masked(x):
        return ends(x, layers.Bidirectional(layers.GRU(size, return_sequences=True))(layers.Masking(0.0)(x)))

    def attention(x):
        h = layers.LSTM(size, return_sequences=True)(x)
        return ends(x, layers.GlobalAveragePooling1D()(layers.Attention()([h, h])))

    def words(_):
        x = keras.Input((steps,), dtype="int32")
        return ends(x, layers.LSTM(size)(layers.Embedding(9, 4, mask_zero=True)(x)))

    def time_distributed(x):
        cell = layers.RNN([layers.LSTMCell(size), layers.GRUCell(size)], return_sequences=True)
        return ends(x, layers.TimeDistributed(layers.Dense(2, activation="tanh"))(cell(x)))

    return {f.__name__: (lambda f=f: f(inputs())) for f in
            (lstm, gru, simple, bidirectional, stacked, masked, attention, words, time_distributed)}


def frozen(tf, np, model, lower, batch):
    """A graph of constants: the placeholder is x, the output y. Its control flow is Switch and Merge, or functions."""
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
    function = tf.function(lambda x: tf.identity(model(x, training=False), name="y"), autograph=False)
    spec = tf.TensorSpec((batch,) + model.input.shape[1:], model.input.dtype, name="x")
    concrete = function.get_concrete_function(spec)
    graph_def = convert_variables_to_constants_v2(concrete, lower_control_flow=lower).graph.as_graph_def()
    for node in graph_def.node:
        node.device = ""
        for name in [n for n in node.attr if n.startswith("_")]:
            del node.attr[name]
    return graph_def


def example_input(np, name, model):
    random = np.random.default_rng(3)
    shape = (2,) + model.input.shape[1:]
    if name == "words":
        x = random.integers(1, 9, shape).astype(np.int32)
        x[0, 3:] = 0
        x[1, 5:] = 0
        return x
    x = random.uniform(-1, 1, shape).astype(np.float32)
    if name == "masked":
        x[0, 4:] = 0
        x[1, 2] = 0
    return x


def record_models(tf, np, rec, steps=6, size=3):
    import keras
    for name, make in keras_models(keras, steps, size).items():
        keras.utils.set_random_seed(1)
        model = make()
        x = example_input(np, name, model)
        for lower in (True, False):
            for batch in (2,) if lower else (2, None):
                form = ("loops" if lower else "functions") + ("" if batch else ".any_batch")
                if rec.wanted and not f"keras.{name}.{form}".startswith(tuple(rec.wanted)):
                    continue
                rec.record(f"keras.{name}.{form}", frozen(tf, np, model, lower, batch), ["y:0"], {"x:0": x})


def serve_models(tf, np, program, steps=40, size=32):
    """How many recurrent SavedModels are answered otherwise than by TensorFlow."""
    import keras
    wrong = 0
    for name, make in keras_models(keras, steps, size).items():
        keras.utils.set_random_seed(1)
        model = make()
        x = example_input(np, name, model)
        with tempfile.TemporaryDirectory() as folder:
            saved, fed, answers = (os.path.join(folder, part) for part in ("saved", "x.npy", "answers"))
            model.export(saved, verbose=False)
            serving = tf.saved_model.load(saved).signatures["serving_default"]
            [given] = serving.structured_input_signature[1]
            [[output, expected]] = serving(**{given: tf.constant(x)}).items()
            np.save(fed, x)
            ran = subprocess.run([program, "run", saved, "--feed", f"{given}={fed}", "--output", answers], check=False,
                                 capture_output=True, text=True)
            found = np.load(os.path.join(answers, output + ".npy")) if ran.returncode == 0 else None
        apart = float(np.max(np.abs(found - expected.numpy()))) if found is not None else float("inf")
        is_equal = apart <= 1e-5 * float(np.max(np.abs(expected.numpy())))
        wrong += not is_equal
        print(f"{name}: {'equal' if is_equal else 'DIFFERS'}, at most {apart:.2g} apart {ran.stderr}", flush=True)
    return wrong


def record_file(record_all):
    """The main function of a script OUT.cases [NAME...] whose cases record_all(tf, np, recorder) records."""
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    recorder = Recorder(tf, np, sys.argv[2:])
    record_all(tf, np, recorder)
    recorder.write(sys.argv[1])
    print(len(recorder.cases), "cases")
    return 0


def main():
    try:
        import tensorflow as tf
        import keras
    except ImportError:
        print(f"skipped: {sys.executable} has no TensorFlow and Keras; FLOWGRAPH_PEERS_PYTHON may name a Python that has")
        return SKIPPED
    import numpy as np
    command, where = sys.argv[1:3]
    if command == "write":
        rec = Recorder(tf, np, sys.argv[3:])
        record_ops(tf, np, rec)
        record_gradients(tf, np, rec)
        record_models(tf, np, rec)
        rec.write(where)
        return 0
    if command == "serve":
        return 1 if serve_models(tf, np, where) else 0
    rec = Recorder(tf, np, [])
    record_models(tf, np, rec, steps=40, size=32)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recurrent.cases")
        rec.write(path)
        none = os.path.join(folder, "none.txt")  # no case may differ
        open(none, "w").close()
        by_run = subprocess.run([where, "--failed", "--known", none, path], check=False).returncode
        by_step = subprocess.run([where, "--prepared", "--failed", "--known", none, path], check=False).returncode
    return 1 if by_run or by_step else 0


if __name__ == "__main__":
    sys.exit(main())
