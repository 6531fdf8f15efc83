"""Graphs of views and writes, drawn at random, for view_cases.py."""
import random


def record_drawn(tf, np, rec, count=60):
    """Graphs drawn at random: all nodes but views run one after the other, so that TensorFlow has one answer."""
    v1, raw = tf.compat.v1, tf.raw_ops

    def build(seed):
        draw = random.Random(seed)
        variables = [v1.Variable(np.float32(range(i + 1, i + 5)), name=f"v{i}", use_resource=False) for i in range(2)]
        pred = v1.placeholder(tf.bool, [], "p")
        views, shown, last = [], [], []

        def read():
            v = draw.choice(variables)
            with tf.control_dependencies(last if draw.random() < .5 else []):
                views.append(v1.identity(v._ref()))

        def view():
            x = draw.choice(views)
            with tf.control_dependencies(last if draw.random() < .3 else []):
                kind = draw.randrange(7)
                if kind == 0:
                    views.append(tf.identity(x))
                elif kind == 1:
                    views.append(tf.reshape(x, draw.choice([[2, 2], [4], [1, 4], [4, 1]])))
                elif kind == 2:
                    views.append(tf.expand_dims(x, 0))
                elif kind == 3:
                    views.append(tf.stop_gradient(x))
                elif kind == 4:
                    views.append(tf.squeeze(x))
                elif kind == 5:
                    views.extend(tf.identity_n([x, draw.choice(views)]))
                else:
                    views.append(raw.Switch(data=x, pred=pred)[1])

        def consume():
            with tf.control_dependencies(last):
                made = tf.reshape(draw.choice(views), [-1]) * draw.choice([1., 2., .5])
            shown.append(made)
            last[:] = [made]

        def write():
            v = draw.choice(variables)
            kind = draw.randrange(4)
            with tf.control_dependencies(last):
                if kind == 0:
                    made = v1.assign_add(v, np.float32([1, 2, 3, 4]))
                elif kind == 1:
                    made = v1.assign(v, np.float32([draw.randrange(9) for _ in range(4)]))
                elif kind == 2:
                    made = v1.scatter_update(v, [draw.randrange(4)], [50.])
                else:
                    made = v1.assign_sub(v, tf.reshape(draw.choice(views), [4]))
            last[:] = [made.op]
        read()
        consume()
        for _ in range(draw.randrange(8, 24)):
            draw.choice([read, view, view, consume, consume, write, write])()
        consume()
        with tf.control_dependencies(last):
            ends = [raw.Identity(input=v._ref()) * 1. for v in variables]
        return [(shown + ends, {pred: np.bool_(True)}, [])] * 2

    for seed in range(count):
        rec.case(f"views.drawn.{seed}", lambda seed=seed: build(seed), ("state", "control_flow"))
