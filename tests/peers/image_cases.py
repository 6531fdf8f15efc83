"""Records what TensorFlow does with images, as sessions to be replayed.

    image_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of list_cases.py. tests/conformance/data/pictures.tar.xz holds the file. Ends in 77, and says so, where this Python
has no TensorFlow.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import SKIPPED, Recorder

REAL = ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
RESIZED = ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16")
CENTERS = (dict(), dict(align_corners=True), dict(half_pixel_centers=True))
SIZES = (((1, 4, 3, 2), (7, 5)), ((2, 5, 4, 3), (3, 2)), ((1, 1, 1, 1), (3, 2)), ((1, 6, 7, 1), (6, 7)), ((2, 3, 2, 4), (1, 1)),
         ((1, 2, 9, 3), (5, 4)), ((1, 16, 5, 1), (3, 20)))
KERNELS = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic")


class Pictures:
    def __init__(self, tf, np, rec):
        self.tf, self.np, self.rec, self.raw = tf, np, rec, tf.raw_ops

    def drawn(self, shape, dtype="float32", seed=0, low=0, high=100):
        values = self.np.random.RandomState(seed).uniform(low, high, shape)
        dtype = self.tf.as_dtype(dtype).as_numpy_dtype
        return (values if low >= 0 else values).astype("float64").astype(dtype)

    def case(self, name, build, *values):
        """build() takes placeholders for the values."""
        tf, np = self.tf, self.np

        def nodes():
            feeds = {tf.compat.v1.placeholder(tf.as_dtype(v.dtype), None): v for v in map(np.asarray, values)}
            made = build(*feeds)
            return list(made) if isinstance(made, (tuple, list)) else [made], feeds

        self.rec.case("pictures." + name, nodes)

    def old(self, name, op, producer, inputs, **attributes):
        """An op that a later version of graphs has removed."""
        tf, np = self.tf, self.np
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
            node.attr[key].i = value
        graph.node.append(node)
        if not self.rec.wanted or ("pictures." + name).startswith(tuple(self.rec.wanted)):
            self.rec.record("pictures." + name, graph, ["y:0"], feeds)


def spelled(options):
    return "".join(f".{k}" for k in options) or ".plain"


def record_resizing(p):
    np, raw = p.np, p.raw
    ops = {"ResizeBilinear": (CENTERS, RESIZED), "ResizeNearestNeighbor": (CENTERS, RESIZED), "ResizeBicubic": (CENTERS, RESIZED),
           "ResizeArea": (CENTERS[:2], RESIZED)}
    for op, (forms, types) in ops.items():
        make = getattr(raw, op)
        for options in forms:
            resize = lambda x, n: make(images=x, size=n, **options)
            for i, (shape, size) in enumerate(SIZES):
                p.case(f"{op}{spelled(options)}.{i}", resize, p.drawn(shape, seed=i), np.int32(size))
            for dtype in types:
                p.case(f"{op}{spelled(options)}.{dtype}", resize, p.drawn((1, 3, 4, 3), dtype), np.int32((5, 3)))
            for label, x, size in (("no_images", (0, 2, 2, 1), (3, 3)), ("no_rows", (1, 0, 2, 1), (3, 3)), ("no_channels", (1, 2, 2, 0), (3, 3)),
                                   ("size_zero", (1, 2, 2, 1), (0, 3)), ("size_negative", (1, 2, 2, 1), (2, -3)),
                                   ("three_axes", (2, 2, 1), (3, 3)), ("one_size", (1, 2, 2, 1), (3,)), ("three_sizes", (1, 2, 2, 1), (3, 3, 3))):
                p.case(f"{op}{spelled(options)}.{label}", resize, np.zeros(x, np.float32), np.int32(size))
        if "Area" not in op:
            both = dict(align_corners=True, half_pixel_centers=True)
            p.case(f"{op}.both", lambda x, n: make(images=x, size=n, **both), p.drawn((1, 2, 2, 1)), np.int32((3, 3)))
        p.case(f"{op}.special", lambda x, n: make(images=x, size=n),
               np.float32([np.nan, np.inf, 1, -np.inf, 2, 3]).reshape(1, 2, 3, 1), np.int32((3, 5)))
    for op, types in (("ResizeBilinearGrad", ("float16", "float32", "float64")), ("ResizeBicubicGrad", ("float32", "float64"))):
        make = getattr(raw, op)
        for options in CENTERS:
            grad = lambda d, x: make(grads=d, original_image=x, **options)
            for dtype in types:
                for i, (shape, size) in enumerate(SIZES):
                    p.case(f"{op}{spelled(options)}.{dtype}.{i}", grad, p.drawn((shape[0],) + size + (shape[3],), seed=i, low=-2, high=2),
                           np.zeros(shape, dtype))
            p.case(f"{op}{spelled(options)}.no_rows", grad, np.zeros((1, 0, 2, 1), np.float32), np.zeros((1, 2, 2, 1), np.float32))
            p.case(f"{op}{spelled(options)}.none", grad, np.zeros((0, 3, 2, 1), np.float32), np.zeros((0, 2, 2, 1), np.float32))
            p.case(f"{op}{spelled(options)}.three_axes", grad, np.zeros((3, 2, 1), np.float32), np.zeros((1, 2, 2, 1), np.float32))
    for options in CENTERS:
        grad = lambda d, n: raw.ResizeNearestNeighborGrad(grads=d, size=n, **options)
        for i, (shape, size) in enumerate(SIZES):
            for dtype in ("float32", "float64", "int32", "uint8", "int8", "float16"):
                d = p.drawn((shape[0],) + size + (shape[3],), dtype, seed=i, high=9)
                p.case(f"ResizeNearestNeighborGrad{spelled(options)}.{dtype}.{i}", grad, d, np.int32(shape[1:3]))
        p.case(f"ResizeNearestNeighborGrad{spelled(options)}.zero", grad, np.zeros((1, 2, 2, 1), np.float32), np.int32((0, 2)))


def record_scaling(p):
    np, raw = p.np, p.raw
    forms = (((1, 6, 5, 2), (3, 9), (0.5, 1.8), (0, 0)), ((2, 9, 4, 1), (4, 4), (0.4, 1), (0.5, -1)), ((1, 3, 3, 3), (5, 5), (2, 2), (-1.5, 40)),
             ((1, 20, 12, 1), (2, 3), (0.1, 0.25), (0, 0)))
    for kernel in KERNELS:
        for antialias in (True, False):
            options = dict(kernel_type=kernel, antialias=antialias)
            for i, (shape, size, scale, move) in enumerate(forms):
                scale, move = np.float32(scale), np.float32(move)
                p.case(f"ScaleAndTranslate.{kernel}.{antialias}.{i}".lower(),
                       lambda x, n, s, t: raw.ScaleAndTranslate(images=x, size=n, scale=s, translation=t, **options),
                       p.drawn(shape, seed=i), np.int32(size), scale, move)
                p.case(f"ScaleAndTranslateGrad.{kernel}.{antialias}.{i}".lower(),
                       lambda d, x, s, t: raw.ScaleAndTranslateGrad(grads=d, original_image=x, scale=s, translation=t, **options),
                       p.drawn((shape[0],) + size + (shape[3],), seed=i, low=-2, high=2), np.zeros(shape, np.float32), scale, move)
    scaled = lambda x, n, s, t: raw.ScaleAndTranslate(images=x, size=n, scale=s, translation=t)
    one, zero, size = np.float32((1.5, 1.5)), np.float32((0, 0)), np.int32((4, 4))
    for dtype in RESIZED:
        p.case(f"ScaleAndTranslate.{dtype}", scaled, p.drawn((1, 3, 3, 2), dtype), size, one, zero)
    x = p.drawn((1, 3, 3, 2))
    for label, values in (("scale_zero", (x, size, np.float32((0, 1)), zero)), ("scale_negative", (x, size, -one, zero)),
                          ("scale_missing", (x, size, one * np.float32(np.nan), zero)), ("one_scale", (x, size, one[:1], zero)),
                          ("scalar", (x, size, one, np.float32(0))), ("no_images", (x[:0], size, one, zero)),
                          ("size_zero", (x, size * 0, one, zero)), ("far_away", (x, size, one, one * 1000)),
                          ("three_axes", (x[0], size, one, zero)), ("no_channels", (x[..., :0], size, one, zero))):
        p.case("ScaleAndTranslate." + label, scaled, *values)


BOXES = ((0, 0, 1, 1), (0.1, 0.2, 0.8, 0.6), (0.9, 0.7, 0.2, 0.1), (-0.5, -0.25, 1.5, 1.25), (0.5, 0.5, 0.5, 0.5), (2, 2, 3, 3))


def record_crops(p):
    np, raw = p.np, p.raw
    boxes, indices = np.float32(BOXES), np.int32([0, 1, 0, 1, 1, 0])
    for method in ("bilinear", "nearest"):
        crop = lambda x, b, i, n: raw.CropAndResize(image=x, boxes=b, box_ind=i, crop_size=n, method=method, extrapolation_value=-7)
        for k, size in enumerate(((3, 2), (1, 1), (1, 4), (6, 5))):
            p.case(f"CropAndResize.{method}.{k}", crop, p.drawn((2, 4, 5, 2)), boxes, indices, np.int32(size))
            back = lambda d, b, i, n: raw.CropAndResizeGradImage(grads=d, boxes=b, box_ind=i, image_size=n, T=p.tf.float32, method=method)
            p.case(f"CropAndResizeGradImage.{method}.{k}", back, p.drawn((6,) + size + (2,), low=-2, high=2), boxes, indices,
                   np.int32((2, 4, 5, 2)))
            for dtype in ("float16", "float64"):
                p.case(f"CropAndResizeGradImage.{method}.{dtype}.{k}",
                       lambda d, b, i, n: raw.CropAndResizeGradImage(grads=d, boxes=b, box_ind=i, image_size=n, T=p.tf.as_dtype(dtype), method=method),
                       p.drawn((6,) + size + (2,), low=-2, high=2), boxes, indices, np.int32((2, 4, 5, 2)))
        for dtype in ("uint8", "uint16", "int8", "int16", "int32", "int64", "float16", "float64"):
            p.case(f"CropAndResize.{method}.{dtype}", crop, p.drawn((2, 4, 5, 2), dtype), boxes, indices, np.int32((3, 2)))
    for k, size in enumerate(((3, 2), (1, 1), (1, 4), (6, 5))):
        for dtype in ("float32", "uint8", "float16", "float64", "int32"):
            p.case(f"CropAndResizeGradBoxes.{dtype}.{k}", lambda d, x, b, i: raw.CropAndResizeGradBoxes(grads=d, image=x, boxes=b, box_ind=i),
                   p.drawn((6,) + size + (2,), low=-2, high=2), p.drawn((2, 4, 5, 2), dtype), boxes, indices)
    x, size = p.drawn((2, 4, 5, 2)), np.int32((2, 2))
    crop = lambda x, b, i, n: raw.CropAndResize(image=x, boxes=b, box_ind=i, crop_size=n)
    for label, values in (("index", (x, boxes, indices + 1, size)), ("negative_index", (x, boxes, indices - 1, size)),
                          ("missing", (x, boxes * np.float32(np.nan), indices, size)), ("infinite", (x, boxes * np.float32(np.inf), indices, size)),
                          ("no_boxes", (x, boxes[:0], indices[:0], size)), ("counts", (x, boxes[:3], indices, size)),
                          ("columns", (x, boxes[:, :3], indices, size)), ("size_zero", (x, boxes, indices, size * 0)),
                          ("three_axes", (x[0], boxes, indices, size)), ("one_size", (x, boxes, indices, size[:1])),
                          ("no_rows", (x[:, :0], boxes, indices, size)), ("no_channels", (x[..., :0], boxes, indices, size)),
                          ("large", (x, boxes * np.float32(1e30), indices, size))):
        p.case("CropAndResize." + label, crop, *values)


def record_suppression(p):
    np, raw = p.np, p.raw
    random = np.random.RandomState(4)
    corners = random.uniform(0, 1, (30, 2))
    many = np.concatenate([corners, corners + random.uniform(0.05, 0.4, (30, 2))], 1).astype(np.float32)
    scores = (random.permutation(30) / 30).astype(np.float32)
    few = np.float32([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [1, 101, 0, 100]])
    few_scores = np.float32([0.9, 0.75, 0.6, 0.95, 0.5, 0.3])
    for dtype in ("float32", "float16"):
        t = np.dtype(dtype).type
        for label, boxes, s in (("few", few, few_scores), ("many", many, scores), ("equal", few, few_scores * 0 + np.float32(0.5))):
            boxes, s = boxes.astype(dtype), s.astype(dtype)
            for most, iou, least in ((3, 0.5, 0.0), (100, 0.3, 0.4), (0, 0.5, 0.0), (30, 0.0, -1.0), (30, 1.0, 0.0), (1, 0.5, 0.99)):
                tag = f"{dtype}.{label}.{most}.{iou}.{least}"
                given = (boxes, s, np.int32(most), t(iou))
                p.case("NonMaxSuppressionV2." + tag,
                       lambda b, s, n, i: raw.NonMaxSuppressionV2(boxes=b, scores=s, max_output_size=n, iou_threshold=i), *given)
                p.case("NonMaxSuppressionV3." + tag, lambda b, s, n, i, l: raw.NonMaxSuppressionV3(
                    boxes=b, scores=s, max_output_size=n, iou_threshold=i, score_threshold=l), *given, t(least))
                for pad in (False, True):
                    p.case(f"NonMaxSuppressionV4.{tag}.{pad}".lower(), lambda b, s, n, i, l: list(raw.NonMaxSuppressionV4(
                        boxes=b, scores=s, max_output_size=n, iou_threshold=i, score_threshold=l, pad_to_max_output_size=pad)),
                        *given, t(least))
                    for sigma in (0.0, 0.5):
                        p.case(f"NonMaxSuppressionV5.{tag}.{pad}.{sigma}".lower(), lambda b, s, n, i, l, g: list(raw.NonMaxSuppressionV5(
                            boxes=b, scores=s, max_output_size=n, iou_threshold=i, score_threshold=l, soft_nms_sigma=g,
                            pad_to_max_output_size=pad)), *given, t(least), t(sigma))
                if dtype == "float32":
                    p.case("NonMaxSuppression." + tag, lambda b, s, n: raw.NonMaxSuppression(
                        boxes=b, scores=s, max_output_size=n, iou_threshold=iou), *given[:3])
                    overlaps = random.uniform(0, 1, (len(s), len(s))).astype(np.float32)
                    p.case("NonMaxSuppressionWithOverlaps." + tag, lambda o, s, n, i, l: raw.NonMaxSuppressionWithOverlaps(
                        overlaps=o, scores=s, max_output_size=n, overlap_threshold=i, score_threshold=l), overlaps, *given[1:], t(least))
    v5 = lambda b, s, n, i, l, g: list(raw.NonMaxSuppressionV5(boxes=b, scores=s, max_output_size=n, iou_threshold=i, score_threshold=l,
                                                              soft_nms_sigma=g))
    half, none = np.float32(0.5), np.float32(0)
    for label, values in (("negative_size", (few, few_scores, np.int32(-1), half, none, none)), ("iou", (few, few_scores, np.int32(3), half * 3, none, none)),
                          ("sigma", (few, few_scores, np.int32(3), half, none, -half)), ("scores", (few, few_scores[:3], np.int32(3), half, none, none)),
                          ("columns", (few[:, :3], few_scores, np.int32(3), half, none, none)), ("vector", (few, few_scores, np.int32([3]), half, none, none)),
                          ("no_boxes", (few[:0], few_scores[:0], np.int32(3), half, none, none)),
                          ("missing", (few, few_scores * np.float32([1, np.nan, 1, np.nan, 1, 1]), np.int32(6), half, none, none)),
                          ("missing_boxes", (few * np.float32([[np.nan], [1], [1], [1], [1], [1]]), few_scores, np.int32(6), half, none, none))):
        p.case("NonMaxSuppressionV5." + label, v5, *values)
    for q in (1, 3):
        boxes = np.stack([many[:20]] * q, 1)[None] + np.float32(0.03) * np.arange(q, dtype=np.float32)[None, None, :, None]
        boxes = np.concatenate([boxes, boxes[:, ::-1]])
        class_scores = random.permutation(2 * 20 * 3).reshape(2, 20, 3).astype(np.float32) / 120
        for per_class, total, iou, least in ((3, 10, 0.5, 0.0), (20, 4, 0.3, 0.5), (2, 100, 0.0, 0.2), (1, 1, 1.0, 0.0), (5, 5, 0.5, 2.0)):
            for pad in (False, True):
                for clip in (False, True):
                    p.case(f"CombinedNonMaxSuppression.{q}.{per_class}.{total}.{iou}.{least}.{pad}.{clip}".lower(),
                           lambda b, s, m, t, i, l: list(raw.CombinedNonMaxSuppression(
                               boxes=b, scores=s, max_output_size_per_class=m, max_total_size=t, iou_threshold=i, score_threshold=l,
                               pad_per_class=pad, clip_boxes=clip)),
                           boxes, class_scores, np.int32(per_class), np.int32(total), np.float32(iou), np.float32(least))


def record_colors(p):
    np, raw = p.np, p.raw
    special = np.float32([[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1], [0.5, 0.5, 0.2], [-1, 0.2, 2]])
    for op in ("RGBToHSV", "HSVToRGB"):
        convert = lambda x: getattr(raw, op)(images=x)
        for dtype in ("float32", "float64", "float16", "bfloat16"):
            for i, shape in enumerate(((3,), (4, 3), (2, 3, 2, 3), (0, 3))):
                p.case(f"{op}.{dtype}.{i}", convert, p.drawn(shape, dtype, i, 0.05, 0.95))
            p.case(f"{op}.{dtype}.special", convert, special.astype(p.tf.as_dtype(dtype).as_numpy_dtype))
        for label, shape in (("two", (4, 2)), ("scalar", ()), ("four", (4,))):
            p.case(f"{op}.{label}", convert, np.zeros(shape, np.float32))
    pictures = [p.drawn(shape, seed=i, high=1) for i, shape in enumerate(((2, 3, 3), (2, 2, 3, 3), (1, 1, 3), (2, 1, 2, 2, 3), (0, 2, 3)))] + [special[None]]
    for op, name, values in (("AdjustHue", "delta", (0, 0.1, -0.3, 0.5, 1, -1, 2.7)), ("AdjustSaturation", "scale", (0, 0.5, 1, 2, 30, -1)),
                             ("AdjustContrastv2", "contrast_factor", (0, 0.5, 1, 2, -3))):
        change = lambda x, v: getattr(raw, op)(images=x, **{name: v})
        for value in values:
            for i, x in enumerate(pictures):
                p.case(f"{op}.{value}.{i}", change, x, np.float32(value))
        for label, x, v in (("two_axes", special, 0.5), ("vector", pictures[0], [0.5]), ("two_channels", pictures[0][..., :2], 0.5)):
            p.case(f"{op}.{label}", change, x, np.float32(v))
    for dtype in ("uint8", "int8", "int16", "int32", "float32", "float64"):
        for i, shape in enumerate(((2, 3, 3), (2, 2, 3, 1), (1, 1, 2), (0, 2, 2))):
            p.old(f"AdjustContrast.{dtype}.{i}", "AdjustContrast", 1,
                  dict(images=p.drawn(shape, dtype, i), contrast_factor=np.float32(1.5), min_value=np.float32(10), max_value=np.float32(80)))


def record_patches(p):
    np, raw, tf = p.np, p.raw, p.tf
    for padding in ("SAME", "VALID"):
        for i, (size, stride, rate) in enumerate((((2, 2), (1, 1), (1, 1)), ((3, 2), (2, 1), (1, 1)), ((2, 3), (1, 2), (2, 1)), ((1, 1), (2, 3), (1, 1)),
                                                  ((4, 4), (3, 3), (1, 2)), ((9, 2), (1, 1), (1, 1)))):
            options = dict(ksizes=(1,) + size + (1,), strides=(1,) + stride + (1,), rates=(1,) + rate + (1,), padding=padding)
            take = lambda x: raw.ExtractImagePatches(images=x, **options)
            p.case(f"ExtractImagePatches.{padding}.{i}".lower(), take, p.drawn((2, 5, 6, 2), seed=i))

            def slope(x, d):
                return tf.gradients(take(tf.ensure_shape(x, (2, 5, 6, 2))), x, d)
            if i < 4:
                rows = take(tf.zeros((2, 5, 6, 2))).shape
                p.case(f"ExtractImagePatches.gradient.{padding}.{i}".lower(), slope, p.drawn((2, 5, 6, 2)), p.drawn(rows, low=-2, high=2))
        for dtype in REAL + ("complex64", "complex128"):
            x = p.drawn((1, 3, 4, 2), dtype)
            p.case(f"ExtractImagePatches.{padding}.{dtype}".lower(), lambda x: raw.ExtractImagePatches(
                images=x, ksizes=(1, 2, 2, 1), strides=(1, 1, 2, 1), rates=(1, 1, 1, 1), padding=padding), x)
        for i, (size, stride) in enumerate((((2, 2, 2), (1, 1, 1)), ((1, 3, 2), (1, 2, 1)), ((3, 1, 1), (2, 2, 2)), ((1, 1, 1), (2, 3, 1)))):
            options = dict(ksizes=(1,) + size + (1,), strides=(1,) + stride + (1,), padding=padding)
            for dtype in ("float32", "float64", "int32", "uint8") if i else REAL:
                p.case(f"ExtractVolumePatches.{padding}.{i}.{dtype}".lower(), lambda x: raw.ExtractVolumePatches(input=x, **options),
                       p.drawn((1, 3, 4, 3, 2), dtype, i))
    for label, shape in (("none", (0, 3, 3, 1)), ("no_channels", (1, 3, 3, 0)), ("three_axes", (3, 3, 1)), ("no_rows", (1, 0, 3, 1))):
        p.case("ExtractImagePatches." + label, lambda x: raw.ExtractImagePatches(
            images=x, ksizes=(1, 2, 2, 1), strides=(1, 1, 1, 1), rates=(1, 1, 1, 1), padding="SAME"), np.zeros(shape, np.float32))


def record_boxes(p):
    np, raw = p.np, p.raw
    boxes = np.float32([BOXES, BOXES[::-1]])
    for dtype in ("float32", "float16"):
        for depth in (1, 3, 4, 2):
            for i, size in enumerate(((5, 6), (1, 1), (9, 4))):
                p.case(f"DrawBoundingBoxes.{dtype}.{depth}.{i}", lambda x, b: raw.DrawBoundingBoxes(images=x, boxes=b),
                       p.drawn((2,) + size + (depth,), dtype), boxes)
    x = p.drawn((2, 4, 4, 3))
    for label, b in (("one_image", boxes[:1]), ("two_axes", boxes[0]), ("columns", boxes[..., :3]), ("none", boxes[:, :0]),
                     ("many", np.tile(boxes / 2, (1, 2, 1)))):
        p.case("DrawBoundingBoxes." + label, lambda x, b: raw.DrawBoundingBoxes(images=x, boxes=b), x, b)
    for op in ("ExtractGlimpse", "ExtractGlimpseV2"):
        for centered in (False, True):
            for normalized in (False, True):
                take = lambda x, n, o: getattr(raw, op)(input=x, size=n, offsets=o, centered=centered, normalized=normalized, uniform_noise=False,
                                                        noise="zero")
                for i, size in enumerate(((3, 2), (1, 1), (4, 5), (9, 3))):
                    for k, offsets in enumerate((((0, 0), (0.3, -0.4)), ((-2.5, 3.2), (0.99, 1)), ((40, -40), (1.5, 2.5)))):
                        p.case(f"{op}.{centered}.{normalized}.{i}.{k}".lower(), take, p.drawn((2, 6, 7, 2)), np.int32(size), np.float32(offsets))
        take = lambda x, n, o, **more: getattr(raw, op)(input=x, size=n, offsets=o, **more)
        x, size, offsets = p.drawn((2, 6, 7, 2)), np.int32((2, 2)), np.zeros((2, 2), np.float32)
        for label, values in (("no_images", (x[:0], size, offsets[:0])), ("counts", (x, size, offsets[:1])), ("columns", (x, size, offsets[:, :1])),
                              ("one_size", (x, size[:1], offsets)), ("three_axes", (x[0], size, offsets)), ("inside", (x, size, offsets))):
            p.case(f"{op}.{label}", take, *values)
    for seeds in ((1, 0), (3, 5), (7, 11)):
        for i, (shape, size) in enumerate((((5, 4, 3), (2, 3)), ((5, 4, 3), (5, 4)), ((40, 50, 1), (7, 9)), ((3, 3, 2), (0, 2)), ((3, 3, 2), (4, 2)))):
            for dtype in ("uint8", "float32", "int64", "float64") if i == 0 else ("int32",):
                p.old(f"RandomCrop.{seeds[0]}.{i}.{dtype}", "RandomCrop", 7, dict(image=p.drawn(shape, dtype), size=np.int64(size)),
                      seed=seeds[0], seed2=seeds[1])
        for i, options in enumerate((dict(), dict(min_object_covered=0.9), dict(aspect_ratio_range=[0.5, 3.0], area_range=[0.2, 0.4]),
                                     dict(max_attempts=1, min_object_covered=1.0), dict(area_range=[0.9, 1.0]))):
            for dtype in ("int32", "uint8", "int64", "int16"):
                p.case(f"SampleDistortedBoundingBox.{seeds[0]}.{i}.{dtype}", lambda n, b: list(raw.SampleDistortedBoundingBox(
                    image_size=n, bounding_boxes=b, seed=seeds[0], seed2=seeds[1], **options)),
                    np.array([50, 60, 3], dtype), np.float32([[[0.1, 0.2, 0.6, 0.7], [0, 0, 1, 1]]]))
    sample = lambda n, b, **more: list(raw.SampleDistortedBoundingBox(image_size=n, bounding_boxes=b, seed=1, seed2=2, **more))
    n, b = np.int32([50, 60, 3]), np.float32([[[0.1, 0.2, 0.6, 0.7]]])
    for label, values, more in (("none", (n, b[:, :0]), {}), ("image", (n, b[:, :0]), dict(use_image_if_no_bounding_boxes=True)),
                                ("outside", (n, b * 2), {}), ("two_axes", (n, b[0]), {}), ("two_sizes", (n[:2], b), {}),
                                ("negative", (-n, b), {}), ("empty", (n * 0, b), {})):
        p.case("SampleDistortedBoundingBox." + label, lambda n, b: sample(n, b, **more), *values)


def main():
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    recorder = Recorder(tf, np, sys.argv[2:])
    pictures = Pictures(tf, np, recorder)
    for record in (record_resizing, record_scaling, record_crops, record_suppression, record_colors, record_patches, record_boxes):
        record(pictures)
    recorder.write(sys.argv[1])
    print(len(recorder.cases), "cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
