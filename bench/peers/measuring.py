"""What the peers' scripts share: the values of the works, which every language computes, and lines of JSON as flowgraph prints them."""
import argparse
import json
import statistics
import time

import numpy as np


def bits(t, count):
    """Element i of tensor t: a hash of both."""
    u = np.arange(count, dtype=np.uint32) * np.uint32(0x9E3779B1) + np.uint32(t * 0x85EBCA77 & 0xFFFFFFFF)
    u ^= u >> np.uint32(16)
    u *= np.uint32(0x85EBCA6B)
    u ^= u >> np.uint32(13)
    u *= np.uint32(0xC2B2AE35)
    return u ^ (u >> np.uint32(16))


def fill(t, shape, scale=1.0):
    """Floats in [-scale, scale)."""
    v = (bits(t, int(np.prod(shape))) >> np.uint32(8)).astype(np.float64) * 2.0**-23 - 1.0
    return (v * scale).astype(np.float32).reshape(shape)


def command_line():
    """The options that flowgraph's bench has too."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True, help="names with commas between")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1)
    return parser


def measure(args, peer, work, step, check, unit, scale):
    """Prints the line of a step that has run before; `scale` makes its seconds the unit."""
    began = time.perf_counter()
    step()
    inner = max(1, int(args.seconds / max(time.perf_counter() - began, 1e-9)))
    samples, processor = [], []
    for _ in range(args.samples):
        began, used = time.perf_counter(), time.process_time()
        for _ in range(inner):
            step()
        samples.append((time.perf_counter() - began) / inner * scale)
        processor.append((time.process_time() - used) / inner * scale)
    print(json.dumps(dict(peer=peer, work=work, threads=args.threads, unit=unit, median=statistics.median(samples),
                          min=min(samples), max=max(samples), samples=len(samples), check=float("%.7g" % check),
                          processor=min(processor))), flush=True)
