"""TensorFlow loads what flowgraph exports, and computes the same.

    exported_graphs.py REPLAY OWN_GRAPHS FILE.cases...

OWN_GRAPHS is a program that writes graphs made in flowgraph, with what they answer. REPLAY runs recorded sessions in flowgraph and writes
the ones that are equal again, with flowgraph's graphs and flowgraph's answers; TensorFlow repeats both. Ends in 77, and says so, where
this Python has no TensorFlow.
"""
import os
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
CLOSE, SHAPE = 1, 2
TOLERANCE = {"float16": (1e-2, 1e-3), "bfloat16": (2e-2, 1e-2), "float32": (1e-4, 1e-6), "float64": (1e-10, 1e-12)}


def tensorflow():
    """tensorflow.compat.v1 in its old mode; None where there is none."""
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
    try:
        import tensorflow.compat.v1 as tf
    except ImportError:
        return None
    tf.logging.set_verbosity(tf.logging.FATAL)
    tf.disable_v2_behavior()
    tf.disable_resource_variables()
    tf.disable_control_flow_v2()
    return tf


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of each field of a message: an int, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = 8 if key & 7 == 1 else 4
            value, at = struct.unpack("<Q" if size == 8 else "<I", data[at:at + size])[0], at + size
        yield key >> 3, value


def cases(path):
    """Each case as (name, steps); the messages are described in tests/conformance/cases.hpp."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        size, at = varint(data, at)
        case, at = data[at:at + size], at + size
        name, steps = "", []
        for number, value in fields(case):
            if number == 1:
                name = value.decode()
            elif number == 2:
                steps.append(step_of(value))
        yield name, steps


def step_of(data):
    step = {"extend": b"", "feeds": [], "fetches": [], "targets": [], "error": 0}
    for number, value in fields(data):
        if number == 1:
            step["extend"] = value
        elif number in (2, 3):
            parts = dict(fields(value))
            step["feeds" if number == 2 else "fetches"].append((parts[1].decode(), parts.get(2), parts.get(3, 0)))
        elif number == 4:
            step["targets"].append(value.decode())
        elif number == 5:
            step["error"] = value
    return step


def array(tf, np, data):
    from tensorflow.core.framework.tensor_pb2 import TensorProto
    value = tf.make_ndarray(TensorProto.FromString(data))
    return np.asarray(value, object if isinstance(value, bytes) else None)


def differ(np, expected, found, how):
    """Whether two arrays are not equal, as a fetch's comparison means it."""
    if expected.dtype != found.dtype and not (expected.dtype.kind in "OSU" and found.dtype.kind in "OSU"):
        return True
    if expected.shape != found.shape:
        return True
    if how == SHAPE or not expected.size:
        return False
    if expected.dtype.kind == "c":
        return any(differ(np, part(expected), part(found), how) for part in (np.real, np.imag))
    if expected.dtype.name in TOLERANCE:
        relative, absolute = TOLERANCE[expected.dtype.name] if how == CLOSE else (0, 0)
        a, b = found.astype(np.float64), expected.astype(np.float64)
        with np.errstate(all="ignore"):
            same = (a == b) | ((a != a) & (b != b)) | (np.isfinite(b) & (np.abs(a - b) <= absolute + relative * np.abs(b)))
        return not np.all(same)
    return not np.all(expected == found)


def extend(tf, graph, data):
    """Adds nodes that may read nodes which the graph has."""
    graph_def = tf.GraphDef.FromString(data)
    new = {node.name for node in graph_def.node}
    outside = {}
    for node in graph_def.node:
        for name in node.input:
            of, _, port = name.lstrip("^").partition(":")
            if of in new:
                continue
            if not name.startswith("^"):
                outside[f"{of}:{port or 0}"] = graph.get_tensor_by_name(f"{of}:{port or 0}")
                continue
            operation = graph.get_operation_by_name(of)
            if operation.outputs:
                outside[name] = operation.outputs[0]
            else:
                with tf.control_dependencies([operation]):
                    outside[name] = tf.constant(0, name="anchor")
        if "_class" in node.attr:
            near = [c for c in node.attr["_class"].list.s if not c.startswith(b"loc:@") or c[5:].decode() in new]
            del node.attr["_class"].list.s[:]
            node.attr["_class"].list.s.extend(near)
    tf.import_graph_def(graph_def, input_map=outside or None, name="")


def replay(tf, np, steps):
    """What is wrong with a case; None when nothing is."""
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1, operation_timeout_in_ms=60000)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    graph = tf.Graph()
    with graph.as_default(), tf.Session(graph=graph, config=config) as session:
        for number, step in enumerate(steps):
            code, values = 0, []
            try:
                extend(tf, graph, step["extend"])
                feeds = {name: array(tf, np, data) for name, data, _ in step["feeds"]}
                values = session.run([name for name, _, _ in step["fetches"]] + step["targets"], feeds)
            except tf.errors.OpError as error:
                code, words = error.error_code, error.message
            except (ValueError, TypeError, KeyError, RuntimeError) as error:
                code, words = 5 if isinstance(error, KeyError) else 3, str(error)
            if code != step["error"]:
                return f"step {number}: code {code}, flowgraph has {step['error']}" + (f": {words[:300]}" if code else "")
            for (name, data, how), value in zip(step["fetches"], values):
                if data is not None and not code:
                    found = np.asarray(value, object if isinstance(value, bytes) else None)
                    if differ(np, array(tf, np, data), found, how):
                        return f"step {number}: {name} differs"
    return None


def main():
    tf = tensorflow()
    if tf is None:
        print(f"skipped: {sys.executable} has no TensorFlow; FLOWGRAPH_PEERS_PYTHON may name a Python that has")
        return SKIPPED
    import numpy as np
    program, own, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    wrong = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in ["own.cases"] + files:
            exported = os.path.join(folder, os.path.basename(file))
            command = [program, "--export", exported, file] if file != "own.cases" else [own, exported]
            subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
            equal = here = 0
            for name, steps in cases(exported):
                why = replay(tf, np, steps)
                here += 1
                equal += not why
                if why:
                    print(f"  {name}: {why}")
            print(f"{os.path.basename(file)}: {here} exported, {equal} equal in TensorFlow", flush=True)
            count, wrong = count + here, wrong + here - equal
    print(f"total: {count} exported, {count - wrong} equal in TensorFlow")
    return 0 if count and wrong * 100 <= count else 1


if __name__ == "__main__":
    sys.exit(main())
