"""What bench/devices.cpp computes, in TensorFlow over as many CPU devices, in turns with it: each round measures TensorFlow, and then starts
the program bench for one sample. Prints a line of JSON for each variant, and how many times as long TensorFlow takes; fails if for a
prepared step or a run that is less than GOAL times.

    python devices.py --work devices_chain,devices_loop_2,devices_loop_3 --bench build/bench/bench/bench --samples 9
"""
import json
import os
import statistics
import subprocess
import time

from measuring import command_line

parser = command_line()
parser.add_argument("--bench", required=True, help="the program bench, of a Release build")
parser.add_argument("--goal", type=float, default=10)
args = parser.parse_args()

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.disable_control_flow_v2()
CHAIN, ITERATIONS = 10000, 1000


def on(place):
    return tf.device("/device:CPU:%d" % place)


def chain(x, places):
    for k in range(CHAIN):
        with on(k % places):
            x = tf.add(x, np.float32(0.5))
    return x


def loop(x, places):
    def body(i, a):
        for k in range(places):
            with on(k):
                a = a + np.float32(1)
        return i + 1, a
    with on(0):
        return v1.while_loop(lambda i, a: i < ITERATIONS, body, [0, x], parallel_iterations=1)[1]


def config(places, is_optimized):
    c = v1.ConfigProto(device_count={"CPU": places}, intra_op_parallelism_threads=args.threads,
                       inter_op_parallelism_threads=max(2, args.threads))
    if not is_optimized:
        c.graph_options.rewrite_options.disable_meta_optimizer = True
        c.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
    return c


def step_of(build, places, is_optimized):
    """The step, and what it gives."""
    with tf.Graph().as_default():
        with on(0):
            x = v1.placeholder(tf.float32, [])
        y = build(x, places)
        run = v1.Session(config=config(places, is_optimized)).make_callable(y, [x])
    one = np.float32(1)
    run(one)
    return lambda: run(one), float(run(one))


def sample(step, scale):
    began = time.perf_counter()
    step()
    inner = max(1, int(args.seconds / max(time.perf_counter() - began, 1e-9)))
    began = time.perf_counter()
    for _ in range(inner):
        step()
    return (time.perf_counter() - began) / inner * scale


def ours(work):
    """One sample of each variant."""
    command = [args.bench, "--work", work, "--threads", str(args.threads), "--samples", "1", "--seconds", str(args.seconds)]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {line["peer"].split("/")[1]: line for line in map(json.loads, lines)}


below = []


def compare(work, build, places, unit, per):
    steps = {name: step_of(build, places, name == "tensorflow_optimized") for name in ("tensorflow", "tensorflow_optimized")}
    samples, checks = {}, {name: check for name, (_, check) in steps.items()}
    for _ in range(args.samples):
        for name, (step, _) in steps.items():
            samples.setdefault(name, []).append(sample(step, 1e9 / per))
        for variant, line in ours(work).items():
            samples.setdefault(variant, []).append(line["median"])
            checks[variant] = line["check"]
    medians = {name: statistics.median(taken) for name, taken in samples.items()}
    for name, taken in samples.items():
        of_tensorflow = {peer + "_takes": round(medians[peer] / medians[name], 1) for peer in steps}
        print(json.dumps(dict(peer=name if name in steps else "flowgraph", variant=name, work=work, threads=args.threads, unit=unit,
                              median=medians[name], min=min(taken), max=max(taken), samples=len(taken), check=checks[name],
                              **of_tensorflow)), flush=True)
        if name in ("prepared", "run") and min(of_tensorflow.values()) < args.goal:
            below.append("%s/%s" % (work, name))


WORKS = dict(devices_chain=(chain, 2, "ns/node", CHAIN), devices_loop_2=(loop, 2, "ns/iteration", ITERATIONS),
             devices_loop_3=(loop, 3, "ns/iteration", ITERATIONS))
for name in args.work.split(","):
    compare(name, *WORKS[name])
if below:
    raise SystemExit("less than %g times: %s" % (args.goal, ", ".join(below)))
