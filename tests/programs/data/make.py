"""Writes the files of this folder anew, by TensorFlow, NumPy and safetensors: make.py FOLDER."""
import os, sys, glob, shutil
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
import numpy as np, tensorflow as tf
from safetensors.numpy import save_file
to = sys.argv[1]
w = np.arange(6, dtype=np.float32).reshape(2, 3) / 4 - .5
b = np.array([.5, -.25, 1], np.float32)
x = np.array([[1, 2], [-3, 4]], np.float32)
np.save(f"{to}/x.npy", x)
np.savez(f"{to}/weights.npz", w=w, b=b)
save_file({"w": w, "b": b}, f"{to}/weights.safetensors")
with tf.Graph().as_default() as g:
    px = tf.compat.v1.placeholder(tf.float32, [None, 2], "x")
    y = tf.nn.relu(tf.matmul(px, tf.constant(w, name="w"), name="product") + tf.constant(b, name="b"), name="y")
    tf.io.write_graph(g.as_graph_def(), to, "graph.pb", as_text=False)
    tf.io.write_graph(g.as_graph_def(), to, "graph.pbtxt", as_text=True)
with tf.Graph().as_default() as g:
    px = tf.compat.v1.placeholder(tf.float32, [None, 2], "x")
    vw = tf.compat.v1.get_variable("w", initializer=w, use_resource=False)
    vb = tf.compat.v1.get_variable("b", initializer=b, use_resource=False)
    y = tf.nn.relu(tf.matmul(px, vw) + vb, name="y")
    init = tf.compat.v1.global_variables_initializer()
    with tf.compat.v1.Session() as s:
        s.run(init)
        tf.compat.v1.train.Saver().save(s, f"{to}/model.ckpt", write_meta_graph=False, write_state=False)
        tf.compat.v1.train.Saver(write_version=1).save(s, f"{to}/first.ckpt", write_meta_graph=False, write_state=False)
    tf.io.write_graph(g.as_graph_def(), to, "variables.pb", as_text=False)
class M(tf.Module):
    def __init__(self):
        self.w = tf.Variable(w); self.b = tf.Variable(b)
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def __call__(self, x):
        return {"scores": tf.nn.relu(tf.matmul(x, self.w) + self.b)}
m = M()
tf.saved_model.save(m, f"{to}/saved", signatures={"serving_default": m.__call__})
shutil.rmtree(f"{to}/saved/assets", ignore_errors=True)
for f in glob.glob(f"{to}/saved/fingerprint.pb"): os.remove(f)
with tf.io.TFRecordWriter(f"{to}/samples.tfrecord") as t:
    for i in range(3):
        t.write(tf.train.Example(features=tf.train.Features(feature={
            "image": tf.train.Feature(float_list=tf.train.FloatList(value=[.5] * 4)),
            "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))})).SerializeToString())
with tf.io.TFRecordWriter(f"{to}/packed.tfrecord", options="GZIP") as t:
    for i in range(3): t.write(b"record %d" % i)
with tf.Graph().as_default(), tf.compat.v1.Session():
    ev = tf.compat.v1.summary.FileWriter(f"{to}")
    for i in range(3): ev.add_summary(tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="loss", simple_value=1 / (1 + i))]), i)
    h = tf.compat.v1.summary.histogram("weights", tf.constant(w))
    ev.add_summary(tf.compat.v1.Session().run(h), 2)
    ev.close()
os.rename(glob.glob(f"{to}/events.out.tfevents.*")[0], f"{to}/events.out.tfevents.1")
