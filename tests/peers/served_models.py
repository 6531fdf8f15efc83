"""TensorFlow loads the models that flowgraph writes, and answers as flowgraph does: equal to the bit.

    served_models.py PROGRAM      runs PROGRAM FOLDER: tests/conformance/written_models.cpp

Each model is loaded as today's TensorFlow does, by tf.saved_model.load, and as its elder one and its servers do, into a session; saved
again by the session's saver and restored. Ends in 77, and says so, where this Python has no TensorFlow.
"""
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")


def differences(np, way, expected, found):
    """What differs in type, shape or a bit, by name."""
    wrong = [] if set(expected) == set(found) else [f"{way}: {sorted(found)} instead of {sorted(expected)}"]
    for name in set(expected) & set(found):
        a, b = np.asarray(expected[name]), np.asarray(found[name])
        if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
            wrong.append(f"{way}, {name}: {b.dtype}{list(b.shape)} {b.ravel()[:4]} instead of {a.dtype}{list(a.shape)} {a.ravel()[:4]}")
    return wrong


def by_function(tf, folder, asked):
    serve = tf.saved_model.load(folder).signatures["serving_default"]
    return {name: value.numpy() for name, value in serve(**{name: tf.constant(value) for name, value in asked.items()}).items()}


def by_session(tf, folder, asked, saved):
    """The answers, and those after the variables were saved, changed and restored by the file's own nodes."""
    v1 = tf.compat.v1
    with v1.Session(graph=tf.Graph()) as session:
        graph = v1.saved_model.load(session, ["serve"], folder)
        serve = graph.signature_def["serving_default"]
        fetches = {name: info.name for name, info in serve.outputs.items()}
        feeds = {serve.inputs[name].name: value for name, value in asked.items()}
        first = session.run(fetches, feeds)
        session.run(graph.saver_def.save_tensor_name, {graph.saver_def.filename_tensor_name: saved})
        for variable in v1.global_variables():
            session.run(variable.assign(variable.read_value() * 2))
        session.run(graph.saver_def.restore_op_name, {graph.saver_def.filename_tensor_name: saved})
        return first, session.run(fetches, feeds)


def main(program):
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError:
        print("skipped: this Python has no TensorFlow")
        return SKIPPED
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.FATAL)
    wrong, models = [], 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder], check=True)
        for name in sorted(n for n in os.listdir(folder) if os.path.isdir(os.path.join(folder, n))):
            at = os.path.join(folder, name)
            asked, expected = dict(np.load(at + ".asked.npz")), dict(np.load(at + ".answered.npz"))
            wrong += differences(np, f"{name} by tf.saved_model.load", expected, by_function(tf, at, asked))
            first, restored = by_session(tf, at, asked, at + ".saved")
            wrong += differences(np, f"{name} in a session", expected, first)
            wrong += differences(np, f"{name} restored", expected, restored)
            models += 1
    print(*wrong, f"{models} models served by TensorFlow {tf.__version__}, {len(wrong)} differences", sep="\n")
    return 1 if wrong or models == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
