"""Writes the files of this folder that show what TensorFlow 2 and NumPy hold beyond plain numbers, by TensorFlow and NumPy: make_exchange.py FOLDER."""
import os, sys, shutil
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
import numpy as np, tensorflow as tf
v1 = tf.compat.v1
to = sys.argv[1]
w = np.arange(6, dtype=np.float32).reshape(2, 3) / 4 - .5
b = np.array([.5, -.25, 1], np.float32)


class Model(tf.Module):
    def __init__(self):
        self.w, self.b = tf.Variable(w), tf.Variable(b)
        self.half = tf.Variable(tf.cast(b, tf.bfloat16))
        self.words = tf.Variable(["a", "grün"])


# A checkpoint of objects, and one as flowgraph's saver writes it.
tf.train.Checkpoint(model=Model(), step=tf.Variable(7, dtype=tf.int64)).write(f"{to}/objects")
tf.raw_ops.SaveV2(prefix=f"{to}/saver", tensor_names=["w", "b", "_flowgraph_state"], shape_and_slices=["", "", ""],
                  tensors=[tf.constant(w), tf.constant(b), tf.constant(b"state")])
# An archive with arrays that flowgraph cannot read.
np.savez(f"{to}/mixed.npz", w=w, words=np.array(["a", "grün"]), things=np.array([None, None], object))
np.savez(f"{to}/square.npz", w=np.eye(2, dtype=np.float32), b=b)
np.save(f"{to}/two.npy", np.float32(2))
np.save(f"{to}/label.npy", np.array([[1, 2]], np.int64))

# A first checkpoint in several files, with variables that the answer does not need.
with tf.Graph().as_default() as g, v1.Session() as s:
    x = v1.placeholder(tf.float32, [None, 2], "x")
    parts = [v1.get_variable(n, initializer=value, use_resource=False) for n, value in (("w", w), ("b", b))]
    tf.nn.relu(tf.matmul(x, parts[0]) + parts[1], name="y")
    v1.global_variables_initializer().run()
    v1.train.Saver(parts, write_version=1, sharded=True).save(s, f"{to}/sharded.ckpt", write_meta_graph=False, write_state=False)
    momentum = v1.get_variable("momentum", initializer=w, use_resource=False)
    tf.identity(momentum * 2, name="twice")
    tf.io.write_graph(g.as_graph_def(), to, "more_variables.pb", as_text=False)


class Words(tf.Module):
    def __init__(self):
        self.scale = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None, 1], tf.string, name="words"), tf.TensorSpec([], tf.float32, name="by")])
    def __call__(self, words, by):
        return {"length": tf.cast(tf.strings.length(words), tf.float32) * self.scale * by, "upper": tf.strings.upper(words)}


# A model of texts; twice, so that the names of its functions differ.
for name in ("words", "words_again"):
    model = Words()
    if name == "words_again":
        for _ in range(3):  # other functions before it: its own get other numbers
            tf.function(lambda: tf.constant(1)).get_concrete_function()
    tf.saved_model.save(model, f"{to}/{name}", signatures={"serving_default": model.__call__})
    shutil.rmtree(f"{to}/{name}/assets", ignore_errors=True)
    os.remove(f"{to}/{name}/fingerprint.pb")
