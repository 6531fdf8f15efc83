"""The models that tests/peers/keras_models.py froze, in TensorFlow's sessions: what bench/imported runs in flowgraph."""
import os

import numpy as np

from measuring import command_line, measure

parser = command_line()
parser.add_argument("--models", required=True, help="folder with the frozen models")
args = parser.parse_args()

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
import tensorflow as tf  # noqa: E402
from tensorflow.core.framework.tensor_pb2 import TensorProto  # noqa: E402

v1 = tf.compat.v1


def read(path, message):
    with open(path, "rb") as file:
        return message.FromString(file.read())


for work in args.work.split(","):
    base = os.path.join(args.models, work.removeprefix("keras_"))
    x = tf.make_ndarray(read(base + ".input", TensorProto))
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(read(base + ".pb", v1.GraphDef), name="")
        config = v1.ConfigProto(intra_op_parallelism_threads=args.threads, inter_op_parallelism_threads=1)
        with v1.Session(graph=graph, config=config) as session:
            call = session.make_callable("y:0", ["x:0"])
            call(x)
            check = np.linalg.norm(call(x).astype(np.float64))
            onednn = "+onednn" if os.environ["TF_ENABLE_ONEDNN_OPTS"] == "1" else ""
            measure(args, f"tensorflow{onednn}/graph", work, lambda: call(x), check, "ms/run", 1e3)
