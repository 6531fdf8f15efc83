"""Records what TensorFlow's plain reads of reference variables show: its Identity of a reference shares the variable's memory, so a node
that runs after a write of the same run sees the written value, also through ops that hand their memory on.

    view_cases.py write OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of tests/conformance/cases.hpp. tests/conformance/data/views.tar.xz holds the file. Each case runs several times, and
only answers on which all times agree are written. Ends in 77, and says so, where this Python has no TensorFlow.
"""
import sys

from drawn_views import record_drawn
from list_cases import CLOSE, EXACT, SKIPPED, number, part, reason, varint

TIMES = 5


class Recorder:
    """The cases of one file: sessions of some runs over one graph."""

    def __init__(self, tf, np, wanted):
        self.tf, self.np, self.wanted, self.cases, self.to_record = tf, np, wanted, [], []

    def case(self, name, build, tags=("state",)):
        """build() adds nodes to the default graph; it returns the runs, each as (fetches, feeds, targets)."""
        if not self.wanted or name.startswith(tuple(self.wanted)):
            self.to_record.append((name, build, tags))

    def record(self, name, build, tags):
        v1 = self.tf.compat.v1
        with self.tf.Graph().as_default() as graph:
            runs = build()
            runs = [([t.name for t in fetches], {t.name: v for t, v in feeds.items()}, [o.name for o in targets])
                    for fetches, feeds, targets in runs]
            initializers = [v.initializer.name for v in v1.global_variables()]
            graph_def = graph.as_graph_def()
        runs = [([], {}, initializers)] + runs
        answers = [self.answers(graph_def, runs) for _ in range(TIMES)]
        if any(repr(a) != repr(answers[0]) for a in answers):
            raise SystemExit(f"{name}: TensorFlow answers now this and now that")
        data = part(1, name)
        for i, ((fetches, feeds, targets), (code, words, values)) in enumerate(zip(runs, answers[0])):
            step = part(1, graph_def.SerializeToString(deterministic=True)) if i == 0 else b""
            for tensor, value in feeds.items():
                step += part(2, part(1, tensor) + part(2, self.proto(value)))
            for k, tensor in enumerate(fetches):
                value = part(2, self.proto(values[k])) if values is not None else b""
                close = values is not None and self.np.asarray(values[k]).dtype.kind == "f"
                step += part(3, part(1, tensor) + value + number(3, CLOSE if close else EXACT))
            for target in targets:
                step += part(4, target)
            data += part(2, step + number(5, code) + (part(6, words) if words else b""))
            print(f"{name} {i}: {f'error {code}: {words}' if code else [self.np.asarray(v).tolist() for v in values or []]}"[:180])
        ops = sorted({node.op for node in graph_def.node})
        data += b"".join(part(3, op) for op in ops) + b"".join(part(4, tag) for tag in sorted(tags))
        self.cases.append(data)

    def answers(self, graph_def, runs):
        v1 = self.tf.compat.v1
        config = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=4)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
        made = []
        with self.tf.Graph().as_default() as graph:
            self.tf.import_graph_def(graph_def, name="")
            with v1.Session(graph=graph, config=config) as session:
                for fetches, feeds, targets in runs:
                    try:
                        operations = [graph.get_operation_by_name(name) for name in targets]
                        values, _ = session.run([fetches, operations], feeds)
                        made.append((0, "", values))
                    except self.tf.errors.OpError as error:
                        made.append((error.error_code, reason(error.message), None))
        return made

    def proto(self, value):
        return self.tf.make_tensor_proto(value).SerializeToString()

    def write(self, path):
        for made in self.to_record:
            self.record(*made)
        with open(path, "wb") as file:
            for data in self.cases:
                file.write(varint(len(data)) + data)


def record_views(tf, np, rec):
    v1, raw = tf.compat.v1, tf.raw_ops
    after = tf.control_dependencies

    def variable(value=(1., 2., 3., 4.), name="v", dtype=np.float32, **more):
        return v1.Variable(np.asarray(value, dtype), name=name, use_resource=False, **more)

    def read(v):
        return v1.identity(v._ref(), name="seen")  # pylint: disable=protected-access

    def copy(x, name=None):
        return tf.multiply(x, tf.ones([], x.dtype), name=name)

    def add(v, by=10.):
        return v1.assign_add(v, tf.fill(v.shape, tf.cast(by, v.dtype.base_dtype)))

    def later(make_write, show=lambda x: x, make=variable):
        """A node that reads before the write, and one that reads after it, each through `show`."""
        def build():
            v = make()
            seen = show(read(v))
            before = copy(seen, "before")
            with after([before]):
                write = make_write(v)
            with after([write]):
                behind = copy(seen, "behind")
            return [([before, behind], {}, [])] * 2
        return build

    one = np.float32(1)
    rec.case("views.assign", later(lambda v: v1.assign(v, [5., 6., 7., 8.])))
    rec.case("views.assign_add", later(add))
    rec.case("views.assign_sub", later(lambda v: v1.assign_sub(v, [1., 1., 1., 1.])))
    rec.case("views.scatter", later(lambda v: v1.scatter_update(v, [2], [9.])))
    rec.case("views.scatter_nd", later(lambda v: v1.scatter_nd_add(v, [[1], [3]], [9., 8.])))
    rec.case("views.strided_assign", later(lambda v: raw.StridedSliceAssign(
        ref=v._ref(), begin=[1], end=[3], strides=[1], value=[7., 8.])))
    rec.case("views.count", later(lambda v: v1.count_up_to(v, 100), make=lambda: variable(3, dtype=np.int32)))
    rec.case("views.gradient_descent", later(lambda v: raw.ApplyGradientDescent(var=v._ref(), alpha=one, delta=[1., 2., 3., 4.])))
    rec.case("views.momentum", later(lambda v: raw.ApplyMomentum(
        var=v._ref(), accum=variable([1.] * 4, "m")._ref(), lr=one, grad=[1., 2., 3., 4.], momentum=np.float32(.5))))
    rec.case("views.slot", lambda: momentum_slot())

    def momentum_slot():
        v, m = variable(), variable([1.] * 4, "m")
        seen = read(m)
        before = copy(seen)
        with after([before]):
            write = raw.ApplyMomentum(var=v._ref(), accum=m._ref(), lr=one, grad=[1., 2., 3., 4.], momentum=np.float32(.5))
        with after([write]):
            behind = copy(seen)
        return [([before, behind], {}, [])] * 2

    # What hands memory on.
    rec.case("views.reshape", later(add, lambda x: tf.reshape(x, [2, 2])))
    rec.case("views.expand", later(add, lambda x: tf.expand_dims(x, 0)))
    rec.case("views.squeeze", later(add, lambda x: tf.squeeze(tf.expand_dims(x, 1))))
    rec.case("views.stop_gradient", later(add, tf.stop_gradient))
    rec.case("views.identity_n", later(add, lambda x: tf.identity_n([tf.constant(1), x, x])[2]))
    rec.case("views.identities", later(add, lambda x: tf.identity(tf.identity(x))))
    rec.case("views.default", later(add, lambda x: v1.placeholder_with_default(x, [4])))
    rec.case("views.checked", later(add, lambda x: tf.debugging.check_numerics(x, "bad")))
    rec.case("views.chain", later(add, lambda x: tf.expand_dims(tf.stop_gradient(tf.reshape(tf.identity(x), [2, 2])), 1)))
    rec.case("views.ensure_shape", later(add, lambda x: tf.ensure_shape(x, [4])))
    rec.case("views.read_as_it_is_reshaped", lambda: reshaped_at_once())
    for taken in (True, False):
        rec.case(f"views.switch.{taken}", lambda taken=taken: switched(taken), ("state", "control_flow"))
        rec.case(f"views.reshape_and_switch.{taken}", lambda taken=taken: switched(taken, True), ("state", "control_flow"))
        rec.case(f"views.write_in_branch.{taken}", lambda taken=taken: write_in_branch(taken), ("state", "control_flow"))
        rec.case(f"views.condition_after_write.{taken}", lambda taken=taken: condition_after_write(taken), ("state", "control_flow"))

    def reshaped_at_once():
        v = variable()
        seen = raw.Reshape(tensor=v._ref(), shape=[2, 2])
        before = copy(seen)
        with after([before]):
            write = add(v)
        with after([write]):
            behind = copy(seen)
        return [([before, behind], {}, [])] * 2

    def switched(taken, reshapes=False):
        v = variable()
        p = v1.placeholder(tf.bool, [], "p")
        seen = tf.reshape(read(v), [2, 2]) if reshapes else read(v)
        no, yes = raw.Switch(data=seen, pred=p)
        before = raw.Merge(inputs=[copy(no), copy(yes)])[0]
        with after([before]):
            write = add(v)
        with after([write]):
            behind = raw.Merge(inputs=[copy(no) * 2., copy(yes) * 3.])[0]
        return [([before, behind], {p: np.bool_(taken)}, [])] * 2

    def write_in_branch(taken):
        v = variable()
        p = v1.placeholder(tf.bool, [], "p")
        seen = read(v)
        before = copy(seen)

        def write():
            with after([before]):
                made = add(v)
            with after([made]):
                return copy(seen)
        chosen = v1.cond(p, write, lambda: copy(seen) * 100.)
        with after([chosen]):
            behind = copy(seen)
        return [([before, chosen, behind], {p: np.bool_(taken)}, [])] * 2

    def condition_after_write(taken):
        v = variable()
        p = v1.placeholder(tf.bool, [], "p")
        seen = read(v)
        before = copy(seen)
        with after([before]):
            write = add(v)
        with after([write]):
            q = tf.logical_and(p, True)
        no, yes = raw.Switch(data=seen, pred=q)
        behind = raw.Merge(inputs=[-no, tf.exp(yes * .1)])[0]
        return [([before, behind], {p: np.bool_(taken)}, [])] * 2

    # Which nodes see it.
    rec.case("views.two_writes", lambda: two_writes())
    rec.case("views.two_variables", lambda: two_variables())
    rec.case("views.read_after_write", lambda: read_after_write())
    rec.case("views.moving_average", lambda: moving_average())
    rec.case("views.identity_after_write", lambda: identity_after_write())
    rec.case("views.write_of_read", lambda: write_of_read())
    rec.case("views.fed", lambda: fed())
    rec.case("views.fed_further_on", lambda: fed_further_on())

    def two_writes():
        v = variable()
        seen = read(v)
        shown = [copy(seen)]
        for by in (10., 100., 1000.):
            with after([shown[-1]]):
                write = add(v, by)
            with after([write]):
                shown.append(copy(seen))
        return [(shown, {}, [])] * 2

    def two_variables():
        v, w = variable(), variable([5.] * 4, "w")
        seen, other = read(v), read(w)
        before = seen + other
        with after([before]):
            write = add(v)
        with after([write]):
            middle = seen - other
        with after([middle]):
            second = v1.assign(w, middle)
        with after([second]):
            behind = seen * other
        return [([before, middle, behind], {}, [])] * 2

    def read_after_write():
        v = variable()
        with after([add(v)]):
            seen = read(v)
        before = copy(seen)
        with after([before]):
            write = add(v, 100.)
        with after([write]):
            behind = copy(seen)
        return [([before, behind], {}, [])] * 2

    def moving_average():
        v, a = variable(), variable([0.] * 4, "a")
        loss = tf.reduce_sum(tf.square(v))
        step = v1.train.GradientDescentOptimizer(.1).minimize(loss)
        average = tf.train.ExponentialMovingAverage(.9)
        with after([step]):
            train = average.apply([v])
        with after([train]):
            shown = tf.identity(average.average(v)) * 1.
        del a
        return [([shown], {}, [])] * 3

    def identity_after_write():
        v = variable()
        seen = read(v)
        before = copy(seen)
        with after([before]):
            write = add(v)
        with after([write]):
            again = tf.identity(seen)
        return [([before, copy(again)], {}, [])] * 2

    def write_of_read():
        v = variable()
        seen = read(v)
        first = v1.assign_add(v, seen)
        with after([first]):
            second = v1.assign_add(v, seen)
        with after([second]):
            behind = copy(seen)
        return [([behind], {}, [])] * 2

    def fed():
        v = variable()
        seen = read(v)
        before = copy(seen)
        with after([before]):
            write = add(v)
        with after([write]):
            behind = copy(seen)
        return [([before, behind], {seen: np.float32([-1, -2, -3, -4])}, []), ([before, behind], {}, [])]

    def fed_further_on():
        v = variable()
        seen = read(v)
        inner = tf.reshape(seen, [2, 2])
        before = copy(seen)
        with after([before]):
            write = add(v)
        with after([write]):
            behind, square = copy(seen), copy(inner)
        return [([before, behind, square], {inner: np.float32([[-1, -2], [-3, -4]])}, [])] * 2

    # Fetches.
    rec.case("views.fetched", lambda: fetched(lambda x: x))
    rec.case("views.fetched_reshaped", lambda: fetched(lambda x: tf.reshape(x, [2, 2])))
    rec.case("views.fetched_identity_n", lambda: fetched(lambda x: tf.identity_n([x])[0]))
    rec.case("views.fetched_with_loop", lambda: fetched_with_loop(), ("state", "control_flow"))

    def fetched(show):
        v = variable()
        seen = show(read(v))
        with after([seen]):
            write = add(v)
        return [([seen], {}, [write.op]), ([seen], {}, [])]

    def fetched_with_loop():
        v = variable()
        seen = read(v)
        with after([seen]):
            start = tf.constant(0) + 0

        def body(i):
            with after([add(v, 1.)]):
                return i + 1
        end = v1.while_loop(lambda i: i < 5, body, [start])
        return [([seen, end], {}, []), ([seen], {}, [])]

    # Loops.
    flow = ("state", "control_flow")
    rec.case("views.condition_reads", lambda: condition_reads(), flow)
    rec.case("views.body_reads", lambda: body_reads(), flow)
    rec.case("views.body_reads_reshaped", lambda: body_reads(lambda x: tf.reshape(x, [2, 2])), flow)
    rec.case("views.body_reshapes", lambda: body_reads(inside=lambda x: tf.reshape(x, [4, 1])), flow)
    rec.case("views.nested_loops", lambda: nested_loops(), flow)
    rec.case("views.loop_behind_write", lambda: loop_behind_write(), flow)
    rec.case("views.behind_loop", lambda: behind_loop(), flow)
    for taken in (True, False):
        rec.case(f"views.loop_in_branch.{taken}", lambda taken=taken: loop_in_branch(taken), flow)
        rec.case(f"views.branch_in_loop.{taken}", lambda taken=taken: branch_in_loop(taken), flow)

    def condition_reads():
        v = variable(0, dtype=np.int32)
        seen = read(v)

        def body(i):
            with after([v1.assign_add(v, 2)]):
                return i + 1
        count = v1.while_loop(lambda i: seen < 10, body, [0])
        return [([count], {}, []), ([tf.identity(v._ref()) * 1], {}, [])]

    def body_reads(outside=lambda x: x, inside=lambda x: x):
        v = variable()
        seen = outside(read(v))

        def body(i, total):
            with after([total]):
                write = add(v, 1.)
            with after([write]):
                return i + 1, total + tf.reduce_sum(inside(seen) * 2.)
        found = v1.while_loop(lambda i, t: i < 4, body, [0, 0.], parallel_iterations=1)
        return [(list(found), {}, [])] * 2

    def nested_loops():
        v = variable()
        seen = read(v)

        def inner(j, total):
            with after([total]):
                write = add(v, 1.)
            with after([write]):
                return j + 1, total + tf.reduce_sum(seen)

        def body(i, total):
            return i + 1, v1.while_loop(lambda j, t: j < 3, inner, [0, total], parallel_iterations=1)[1]
        found = v1.while_loop(lambda i, t: i < 2, body, [0, 0.], parallel_iterations=1)
        return [(list(found), {}, [])] * 2

    def loop_behind_write():
        v = variable()
        seen = read(v)
        before = copy(seen)
        with after([before]):
            write = add(v)
        with after([write]):
            start = tf.zeros([]) + 0.
        found = v1.while_loop(lambda t: t < 100., lambda t: t + tf.reduce_sum(seen), [start])
        return [([before, found], {}, [])] * 2

    def behind_loop():
        v = variable()
        seen = read(v)
        before = copy(seen)
        with after([before]):
            start = tf.constant(0) + 0

        def body(i):
            with after([add(v, 1.)]):
                return i + 1
        end = v1.while_loop(lambda i: i < 3, body, [start])
        with after([end]):
            behind = copy(seen)
        return [([before, behind], {}, [])] * 2

    def loop_in_branch(taken):
        v = variable()
        p = v1.placeholder(tf.bool, [], "p")
        seen = read(v)
        before = copy(seen)

        def loop():
            def body(i, total):
                with after([total]):
                    write = add(v, 1.)
                with after([write]):
                    return i + 1, total + tf.reduce_sum(seen)
            with after([before]):
                start = tf.constant(0.) + 0.
            return v1.while_loop(lambda i, t: i < 3, body, [0, start], parallel_iterations=1)[1]
        found = v1.cond(p, loop, lambda: tf.reduce_sum(seen) * 100.)
        with after([found]):
            behind = copy(seen)
        return [([before, found, behind], {p: np.bool_(taken)}, [])] * 2

    def branch_in_loop(taken):
        v = variable()
        p = v1.placeholder(tf.bool, [], "p")
        seen = read(v)

        def body(i, total):
            def write():
                with after([total]):
                    made = add(v, 1.)
                with after([made]):
                    return total + tf.reduce_sum(seen)
            return i + 1, v1.cond(p, write, lambda: total - tf.reduce_sum(seen))
        found = v1.while_loop(lambda i, t: i < 3, body, [0, 0.], parallel_iterations=1)
        return [(list(found), {p: np.bool_(taken)}, [])] * 2

    # Gradients that TensorFlow made, through views.
    rec.case("views.gradients", lambda: gradients(), ("state", "gradient"))
    rec.case("views.gradients_behind_write", lambda: gradients_behind_write(), ("state", "gradient"))

    def gradients():
        v = variable()
        seen = tf.reshape(read(v), [2, 2])
        loss = tf.reduce_sum(tf.matmul(seen, seen) * seen)
        [d] = tf.gradients(loss, v)
        with after([loss]):
            step = raw.ApplyGradientDescent(var=v._ref(), alpha=np.float32(.01), delta=d)
        with after([step]):
            again = tf.reduce_sum(tf.matmul(seen, seen) * seen)
        return [([loss, d, again], {}, [])] * 3

    def gradients_behind_write():
        v = variable()
        seen = tf.reshape(read(v), [2, 2])
        loss = tf.reduce_sum(tf.square(seen))
        with after([loss]):
            write = add(v)
        with after([write]):
            top = tf.ones([]) * 1.
        [d] = tf.gradients(loss, v, grad_ys=[top])
        return [([loss, d], {}, [])] * 2


def main():
    try:
        import tensorflow as tf
    except ImportError:
        print(f"skipped: {sys.executable} has no TensorFlow; FLOWGRAPH_PEERS_PYTHON may name a Python that has")
        return SKIPPED
    import numpy as np
    tf.compat.v1.disable_eager_execution()
    tf.compat.v1.disable_control_flow_v2()
    rec = Recorder(tf, np, sys.argv[3:])
    record_views(tf, np, rec)
    record_drawn(tf, np, rec)
    rec.write(sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
