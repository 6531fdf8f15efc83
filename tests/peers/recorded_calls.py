"""Calls of single ops, recorded from TensorFlow: what several scripts share."""
from list_cases import CLOSE, EXACT, number, part


class Calls:
    """Records calls under names that begin with `prefix`."""

    def __init__(self, tf, np, rec, prefix):
        self.tf, self.np, self.rec, self.raw, self.prefix = tf, np, rec, tf.raw_ops, prefix

    def drawn(self, shape, dtype="float32", seed=0, low=0, high=100):
        values = self.np.random.RandomState(seed).uniform(low, high, shape)
        return self.np.asarray(values).astype(self.tf.as_dtype(dtype).as_numpy_dtype)

    def case(self, name, build, *values):
        """build() takes placeholders for the values."""
        tf, np = self.tf, self.np

        def nodes():
            feeds = {tf.compat.v1.placeholder(tf.as_dtype(v.dtype), None): v for v in map(np.asarray, values)}
            made = build(*feeds)
            return list(made) if isinstance(made, (tuple, list)) else [made], feeds

        try:
            self.rec.case(self.prefix + name, nodes)
        except (ValueError, TypeError) as refused:  # when it is built
            print(f"{self.prefix + name}: not built: {str(refused)[:100]}", flush=True)

    def old(self, name, op, producer, inputs, **attributes):
        """An op that a later version of graphs has removed."""
        tf, np = self.tf, self.np
        if self.rec.wanted and not (self.prefix + name).startswith(tuple(self.rec.wanted)):
            return
        graph = tf.compat.v1.GraphDef()
        graph.versions.producer = producer
        node = tf.compat.v1.NodeDef(name="y", op=op)
        feeds = {}
        for key, value in inputs.items():
            value = np.asarray(value)
            given = graph.node.add(name=key, op="Placeholder")
            given.attr["dtype"].type = tf.as_dtype(value.dtype).as_datatype_enum
            node.input.append(key)
            feeds[key + ":0"] = value
        node.attr["T"].type = tf.as_dtype(np.asarray(next(iter(inputs.values()))).dtype).as_datatype_enum
        for key, value in attributes.items():
            kind = "b" if isinstance(value, bool) else "i" if isinstance(value, int) else "f"
            setattr(node.attr[key], kind, value)
        graph.node.append(node)
        try:
            self.rec.record(self.prefix + name, graph, ["y:0"], feeds)
        except ValueError as refused:
            print(f"{self.prefix + name}: not built: {str(refused)[:100]}", flush=True)

    def runs(self, name, build, values):
        """Several runs of one session: build() takes a placeholder, which has another value in each run."""
        tf, np, v1, name = self.tf, self.np, self.tf.compat.v1, self.prefix + name
        if self.rec.wanted and not name.startswith(tuple(self.rec.wanted)):
            return
        with tf.Graph().as_default() as graph, v1.Session(graph=graph) as session:
            given = v1.placeholder(tf.as_dtype(np.asarray(values[0]).dtype), None)
            fetches = build(given)
            definition = graph.as_graph_def()
            data = part(1, name)
            for i, value in enumerate(values):
                step = part(1, definition.SerializeToString(deterministic=True) if i == 0 else b"")
                step += part(2, part(1, given.name) + part(2, self.rec.proto(np.asarray(value))))
                for fetched, answer in zip(fetches, session.run(fetches, {given: value})):
                    how = CLOSE if np.asarray(answer).dtype.kind == "f" else EXACT
                    step += part(3, part(1, fetched.name) + part(2, self.rec.proto(answer)) + number(3, how))
                data += part(2, step)
        self.rec.cases.append(data + b"".join(part(3, op) for op in sorted({node.op for node in definition.node})))
        print(f"{name}: {len(values)} runs", flush=True)
