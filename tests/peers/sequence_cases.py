"""Records what TensorFlow does with the CTC loss and its decoders, and with the recurrent ops of whole steps, as sessions to be replayed.

    sequence_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of list_cases.py. tests/conformance/data/sequences.tar.xz holds the file. Ends in 77, and says so, where this Python
has no TensorFlow.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import record_file


def record_all(tf, np, rec):
    raw = tf.raw_ops

    def drawn(shape, seed, dtype="float32", size=1.0):
        # Few digits keep the file small.
        return np.asarray(np.round(np.random.RandomState(seed).uniform(-size, size, shape) * 64) / 64, dtype)

    def case(name, build, *values):
        def nodes():
            feeds = {tf.compat.v1.placeholder(tf.as_dtype(v.dtype), None): v for v in map(np.asarray, values)}
            made = build(*feeds)
            return tf.nest.flatten(made), feeds

        rec.case("sequences." + name, nodes)

    record_losses(tf, np, raw, drawn, case)
    record_greedy(np, raw, drawn, case)
    record_beams(tf, np, raw, drawn, case)
    record_lstm(tf, np, raw, drawn, case)
    record_gru(np, raw, drawn, case)


def record_losses(tf, np, raw, drawn, case):
    def rounded(loss, slope):
        # TensorFlow computes exponentials of doubles in floats.
        return tf.cast(loss, tf.float32), tf.cast(slope, tf.float32)

    def loss(name, x, places, labels, lengths, **attrs):
        case("CTCLoss/" + name,
             lambda a, b, c, d: rounded(*raw.CTCLoss(inputs=a, labels_indices=b, labels_values=c, sequence_length=d, **attrs)), x,
             np.array(places, np.int64), np.array(labels, np.int32), np.array(lengths, np.int32))

    x = drawn((6, 3, 5), 1, size=2)
    places, labels = [[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [2, 2]], [0, 1, 3, 2, 2, 1]
    for dtype in ("float32", "float64"):
        for merge in (True, False):
            for collapse in (True, False):
                for ignore in (True, False):
                    loss(f"{dtype}/{merge}/{collapse}/{ignore}".lower(), x.astype(dtype), places, labels, [6, 2, 5], ctc_merge_repeated=merge,
                         preprocess_collapse_repeated=collapse, ignore_longer_outputs_than_inputs=ignore)
        loss(dtype + "/one_frame", drawn((1, 1, 3), 2, dtype), [[0, 0]], [1], [1])
        loss(dtype + "/two_classes", drawn((4, 1, 2), 3, dtype), [[0, 0], [0, 1]], [0, 0], [4])
        loss(dtype + "/no_path", drawn((2, 1, 3), 4, dtype), [[0, 0], [0, 1]], [1, 1], [2])
        loss(dtype + "/ended", drawn((4, 1, 4), 5, dtype), [[0, 0], [0, 1], [0, 2]], [1, 3, 3], [4])
        loss(dtype + "/gaps", drawn((4, 2, 4), 6, dtype), [[0, 1], [0, 7], [1, 3]], [1, 0, 2], [4, 3])
        loss(dtype + "/far", drawn((4, 1, 4), 8, dtype, 90), [[0, 0], [0, 1]], [1, 0], [4])
        loss(dtype + "/no_frames", drawn((4, 2, 4), 9, dtype), [[0, 0], [1, 0]], [1, 0], [4, 0], ignore_longer_outputs_than_inputs=True)
        loss(dtype + "/too_long", drawn((4, 2, 4), 9, dtype), [[0, 0], [0, 1], [1, 0]], [1, 0, 1], [1, 4])
        loss(dtype + "/too_long_ignored", drawn((4, 2, 4), 9, dtype), [[0, 0], [0, 1], [1, 0]], [1, 0, 1], [1, 4],
             ignore_longer_outputs_than_inputs=True)
    # In floats, TensorFlow's sums over 60 frames are right to four digits.
    loss("long", drawn((60, 2, 20), 7, "float64", 3), [[b, i] for b in range(2) for i in range(15)],
         [(7 * i + b) % 19 for b in range(2) for i in range(15)], [60, 47])
    x = drawn((4, 2, 4), 10)
    at, values, lengths = [[0, 0], [0, 1], [1, 0]], [1, 0, 2], [4, 3]
    for name, a, v, n in (("negative_label", at, [1, -1, 2], lengths), ("label_after_end", at, [3, 0, 2], lengths),
                          ("no_labels", [[0, 0], [0, 1], [0, 2]], values, lengths), ("unordered", [[0, 1], [0, 0], [1, 0]], values, lengths),
                          ("repeated", [[0, 0], [0, 0], [1, 0]], values, lengths), ("batches", [[0, 0], [1, 0], [2, 0]], values, lengths),
                          ("negative_batch", [[-1, 0], [0, 1], [1, 0]], values, lengths),
                          ("negative_place", [[0, -1], [0, 1], [1, 0]], values, lengths), ("one_column", [[0], [0], [1]], values, lengths),
                          ("three_columns", [[0, 0, 0], [0, 1, 0], [1, 0, 0]], values, lengths), ("vector", [0, 0, 1], values, lengths),
                          ("counts", at, [1, 0], lengths), ("values_matrix", at, [values], lengths), ("frames", at, values, [5, 3]),
                          ("negative_frames", at, values, [4, -1]), ("few_lengths", at, values, [4]), ("many_lengths", at, values, [4, 3, 2]),
                          ("scalar_length", at, values, 4)):
        loss("wrong/" + name, x, a, v, n)
    loss("wrong/matrix", x[0], at, values, lengths)
    loss("wrong/no_batch", x[:, :0], np.zeros((0, 2)), [], [])

    def slopes(x, at, values, lengths):
        made = raw.CTCLoss(inputs=x, labels_indices=at, labels_values=values, sequence_length=lengths)[0]
        return tf.gradients(made * made, x)

    for seed in range(3):
        case(f"CTCLoss/gradient/{seed}", slopes, drawn((5, 2, 4), seed, size=2), np.array(at, np.int64), np.array(values, np.int32),
             np.array([5, 3 + seed % 2], np.int32))


def record_greedy(np, raw, drawn, case):
    def greedy(name, x, lengths, **attrs):
        case("CTCGreedyDecoder/" + name, lambda a, b: list(raw.CTCGreedyDecoder(inputs=a, sequence_length=b, **attrs)), x,
             np.array(lengths, np.int32))

    for dtype in ("float32", "float64"):
        for merge in (True, False):
            for blank in (-1, 0, 2, -3):
                greedy(f"{dtype}/{merge}/{blank}".lower(), drawn((7, 3, 4), 1, dtype), [7, 0, 4], merge_repeated=merge, blank_index=blank)
        greedy(dtype + "/one_class", drawn((3, 2, 1), 2, dtype), [3, 2])
        greedy(dtype + "/ties", np.zeros((3, 2, 3), dtype), [3, 2])
        greedy(dtype + "/long", drawn((40, 6, 12), 3, dtype), [40, 39, 20, 1, 0, -3], merge_repeated=True)
    x = drawn((4, 2, 3), 4)
    greedy("wrong/too_long", x, [4, 5])
    greedy("wrong/few", x, [4])
    greedy("wrong/many", x, [4, 4, 4])
    greedy("wrong/scalar", x, 4)
    greedy("wrong/matrix", x[0], [4, 4])
    greedy("wrong/blank", x, [4, 4], blank_index=3)
    greedy("wrong/negative_blank", x, [4, 4], blank_index=-4)
    greedy("wrong/no_frames", x[:0], [0, 0])
    greedy("wrong/no_batch", x[:, :0], [])
    greedy("wrong/no_classes", x[:, :, :0], [4, 4])
    greedy("negative", x, [-1, 2])
    odd = x.copy()
    odd[0, 0, 0], odd[1, 0, 1], odd[2, 1, 2] = np.inf, -np.inf, np.nan
    greedy("odd", odd, [4, 4])


def record_beams(tf, np, raw, drawn, case):
    def beams(name, x, lengths, width, paths, merge=False):
        def build(a, b):
            read = raw.CTCBeamSearchDecoder(inputs=a, sequence_length=b, beam_width=width, top_paths=paths, merge_repeated=merge)
            # TensorFlow computes exponentials of doubles in floats.
            return list(read[:3]) + [tf.cast(read[3], tf.float32)]

        case("CTCBeamSearchDecoder/" + name, build, x, np.array(lengths, np.int32))

    for dtype in ("float32", "float64"):
        for seed, (width, paths) in enumerate(((1, 1), (2, 1), (3, 3), (8, 2), (50, 5), (2**31 - 1, 2))):
            for merge in (True, False):
                beams(f"{dtype}/{width}/{paths}/{merge}".lower(), drawn((6, 2, 4), seed, dtype, 2), [6, 3], width, paths, merge)
        beams(dtype + "/two_classes", drawn((9, 1, 2), 11, dtype, 2), [9], 6, 3)
        beams(dtype + "/long", drawn((30, 3, 10), 12, dtype, 3), [30, 21, 8], 20, 3)
        beams(dtype + "/narrow", drawn((25, 2, 8), 13, dtype, 1), [25, 24], 4, 2)
        beams(dtype + "/no_frames", drawn((5, 2, 3), 14, dtype), [0, 5], 4, 1)
    x = drawn((4, 2, 3), 15)
    beams("wrong/too_long", x, [4, 5], 4, 1)
    beams("wrong/few", x, [4], 4, 1)
    beams("wrong/paths", x, [4, 4], 2, 3)
    beams("wrong/few_paths", x, [0, 4], 4, 2)
    beams("wrong/scalar", x, 4, 4, 1)
    beams("wrong/matrix", x[0], [4, 4], 4, 1)
    beams("wrong/no_frames", x[:0], [0, 0], 4, 1)
    beams("wrong/no_classes", x[:, :, :0], [4, 4], 4, 1)
    beams("wrong/one_class", x[:, :, :1], [4, 4], 4, 2)
    beams("one_class", x[:, :, :1], [4, 4], 4, 1)
    beams("negative", x, [-1, 2], 4, 1)


def record_lstm(tf, np, raw, drawn, case):
    sizes = ((1, 1, 1, 1), (2, 3, 2, 3), (4, 2, 3, 4), (3, 2, 1, 5), (6, 1, 4, 2))

    def inputs(steps, batch, size, units, dtype, seed=1):
        shapes = ((steps, batch, size), (batch, units), (batch, units), (size + units, 4 * units), (units,), (units,), (units,), (4 * units,))
        return [drawn(s, seed + i, dtype) for i, s in enumerate(shapes)]

    names = ("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b")

    def cell(name, values, **attrs):
        case("LSTMBlockCell/" + name, lambda *v: list(raw.LSTMBlockCell(**dict(zip(names, v)), **attrs)), *values)

    def block(op, name, steps, values, keep=(1, 6), **attrs):
        # The results after seq_len_max are memory that TensorFlow leaves as it was, except those of cs and h.
        def build(*v):
            made = list(getattr(raw, op)(seq_len_max=v[0], **dict(zip(names, v[1:])), **attrs))
            return made if keep is None else [made[i] for i in keep]

        case(f"{op}/{name}", build, np.array(steps, np.int64), *values)

    for dtype in ("float32", "float16"):
        for number, size in enumerate(sizes):
            for peephole in (False, True):
                values = inputs(*size, dtype, number + 3)
                label = f"{dtype}/{number}/{peephole}".lower()
                clip = (3.0, 0.25, -1.0)[number % 3]
                cell(label, [values[0][0]] + values[1:], use_peephole=peephole, cell_clip=clip, forget_bias=number / 2)
                block("BlockLSTM", label, size[0], values, None, use_peephole=peephole, cell_clip=clip, forget_bias=number / 2)
                block("BlockLSTMV2", label, size[0], values, None, use_peephole=peephole, cell_clip=clip)
                for op in ("BlockLSTM", "BlockLSTMV2"):
                    block(op, label + "/shorter", size[0] // 2, values, use_peephole=peephole)
                record_lstm_slopes(tf, np, raw, drawn, case, label, size, dtype, peephole, values)
    five = inputs(*sizes[2], "float32")
    for op in ("BlockLSTM", "BlockLSTMV2"):
        block(op, "steps/none", 0, five)  # TensorFlow aborts where there are too many, or fewer than none
        block(op, "steps/vector", [1], five)
        for batch in (0, 2):
            for units in (0, 3):
                for size in (0, 2):
                    if op == "BlockLSTM" and batch and units:
                        block(op, f"empty/{batch}/{units}/{size}", 3, inputs(3, batch, size, units, "float32"))
    for i, name in enumerate(names):
        for what, change in (("rank", lambda v: v[None]), ("longer", lambda v: np.concatenate([v, v[:1]]))):
            if name in ("wci", "wcf", "wco") and what == "longer":
                block("BlockLSTM", f"wrong/{name}/{what}", 2, [change(v) if k == i else v for k, v in enumerate(five)])
                continue
            wrong = [change(v) if k == i else v for k, v in enumerate(five)]
            if name != "x" or what == "rank":
                block("BlockLSTM", f"wrong/{name}/{what}", 2, wrong)
                block("BlockLSTMV2", f"wrong/{name}/{what}", 2, wrong)
            first = [five[0][0]] + five[1:]
            cell(f"wrong/{name}/{what}", [change(v) if k == i else v for k, v in enumerate(first)])
    empty = inputs(1, 0, 2, 3, "float32")
    cell("empty/batch", [empty[0][0]] + empty[1:])
    empty = inputs(1, 2, 2, 0, "float32")
    cell("empty/units", [empty[0][0]] + empty[1:])


def record_lstm_slopes(tf, np, raw, drawn, case, label, size, dtype, peephole, values):
    steps, batch, _, units = size
    names = ("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b")
    made_names = ("i", "cs", "f", "o", "ci", "co", "h")
    slopes = [drawn((steps, batch, units), 20 + k, dtype) for k in range(2)]
    for op, version in (("BlockLSTM", ""), ("BlockLSTMV2", "V2")):
        def build(n, *v):
            given = dict(zip(names, v[:8]))
            made = dict(zip(made_names, getattr(raw, op)(seq_len_max=n, use_peephole=peephole, **given)))
            return list(getattr(raw, "BlockLSTMGrad" + version)(seq_len_max=n, use_peephole=peephole, cs_grad=v[8], h_grad=v[9], **given, **made))

        for n in {steps, (steps + 1) // 2}:
            case(f"BlockLSTMGrad{version}/{label}/{n}", build, np.array(n, np.int64), *values, *slopes)
    if not version:
        return

    def cell(*v):
        given = dict(zip(names, v[:8]))
        made = dict(zip(made_names[:6], raw.LSTMBlockCell(use_peephole=peephole, **given)))
        found = list(raw.LSTMBlockCellGrad(use_peephole=peephole, cs_grad=v[8], h_grad=v[9], **given, **made))
        return found if peephole else found[:2]

    case(f"LSTMBlockCellGrad/{label}", cell, values[0][0], *values[1:], slopes[0][0], slopes[1][0])

    def gradients(n, *v):
        made = raw.BlockLSTM(seq_len_max=n, use_peephole=peephole, **dict(zip(names, v)))
        return [g for g in tf.gradients([made[1] * 0.5, made[6] * made[6]], list(v if peephole else v[:4] + v[7:]))]

    case(f"BlockLSTM/gradient/{label}", gradients, np.array(steps, np.int64), *values)


def record_gru(np, raw, drawn, case):
    names = ("x", "h_prev", "w_ru", "w_c", "b_ru", "b_c")

    def inputs(batch, size, units, seed=1):
        shapes = ((batch, size), (batch, units), (size + units, 2 * units), (size + units, units), (2 * units,), (units,))
        return [drawn(s, seed + i) for i, s in enumerate(shapes)]

    def slopes(*v):
        given = dict(zip(names, v[:6]))
        made = dict(zip("ruch", raw.GRUBlockCell(**given)))
        return list(raw.GRUBlockCellGrad(**given, r=made["r"], u=made["u"], c=made["c"], d_h=v[6]))

    def cell(name, values):
        case("GRUBlockCell/" + name, lambda *v: list(raw.GRUBlockCell(**dict(zip(names, v)))), *values)

    for number, size in enumerate(((1, 1, 1), (3, 4, 5), (2, 1, 7), (5, 6, 2), (4, 9, 17), (2, 3, 1), (0, 2, 3), (2, 0, 3), (17, 3, 20))):
        for seed in (1, 50):
            values = inputs(*size, seed)
            cell(f"{number}/{seed}", values)
            case(f"GRUBlockCellGrad/{number}/{seed}", slopes, *values, drawn((size[0], size[2]), 9 + seed))
    values = inputs(3, 4, 5)
    for i, name in enumerate(names):
        for what, change in (("rank", lambda v: v[None]), ("longer", lambda v: np.concatenate([v, v[:1]]))):
            cell(f"wrong/{name}/{what}", [change(v) if k == i else v for k, v in enumerate(values)])
    case("GRUBlockCellGrad/wrong/rank", slopes, *values, drawn((15,), 9))
    case("GRUBlockCellGrad/wrong/size", slopes, *values, drawn((3, 4), 9))


if __name__ == "__main__":
    sys.exit(record_file(record_all))
