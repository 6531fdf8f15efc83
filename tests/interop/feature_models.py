"""Writes models with features, texts and pictures that tests/interop/feature_models.cpp runs, and what TensorFlow answers.

    feature_models.py FOLDER [MODEL...]   the models whose names are given; all but those of WAITING where none is

For each model: FOLDER/<model>/saved, a SavedModel, and for each call with the number N, FOLDER/<model>/N.in.<input> and
FOLDER/<model>/N.out.<output>, which are TensorProtos. Needs TensorFlow 2 with Keras 3; tests need neither.
"""
import os
import shutil
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0", KERAS_BACKEND="tensorflow")
import keras
import numpy as np
import tensorflow as tf

L = keras.layers
random = np.random.default_rng(1)
MODELS = {}
# flowgraph cannot load these yet: they map functions over ragged rows, which are variants then.
WAITING = {"mapped_ragged_rows"}


def model(make):
    """Registers a function that returns a model, a Keras model or what `graph` returns, and a list of calls."""
    MODELS[make.__name__] = make
    return make


def graph(function, *specs, **fields):
    """A function with what it holds: variables, tables, layers."""
    module = tf.Module()
    for name, value in fields.items():
        setattr(module, name, value)
    module.call = tf.function(lambda *inputs: function(module, *inputs), input_signature=specs, autograph=True)
    return module


def spec(name, shape, dtype="float32"):
    return tf.TensorSpec(shape, dtype, name=name)


def floats(*shape, low=-1, high=1):
    return random.uniform(low, high, shape).astype("float32")


def weights(*shape):
    return tf.Variable(floats(*shape))


def texts(*rows):
    return np.array(rows, object)


# ---- pictures

PICTURE = (13, 11, 3)


def resized(kind, **options):
    x = L.Input(PICTURE, name="picture")
    return keras.Model(x, L.Resizing(8, 9, interpolation=kind, **options)(x)), [[floats(2, *PICTURE, high=255)], [floats(0, *PICTURE)]]


@model
def resize_bilinear():
    return resized("bilinear")


@model
def resize_bicubic():
    return resized("bicubic")


@model
def resize_nearest():
    return resized("nearest")


@model
def resize_lanczos3():
    return resized("lanczos3")


@model
def resize_lanczos5():
    return resized("lanczos5")


@model
def resize_area():
    return resized("area")


@model
def resize_cropped():
    return resized("bilinear", crop_to_aspect_ratio=True)


@model
def resize_padded():
    return resized("bilinear", pad_to_aspect_ratio=True)


@model
def resize_smoothed():
    def call(self, picture):
        return {kind: tf.image.resize(picture, [5, 6], kind, antialias=True)
                for kind in ("bilinear", "bicubic", "gaussian", "mitchellcubic", "lanczos3", "area", "nearest")}

    return graph(call, spec("picture", (None,) + PICTURE)), [[floats(2, *PICTURE, high=255)]]


@model
def prepared_picture():
    x = L.Input((None, None, 3), name="picture")
    norm = L.Normalization()
    norm.adapt(floats(10, 8, 8, 3))
    h = L.CenterCrop(6, 6)(L.Rescaling(1 / 127.0)(norm(L.Resizing(8, 8)(x))))
    return keras.Model(x, L.Dense(3)(L.Flatten()(h))), [[floats(2, *PICTURE, high=255)], [floats(1, 7, 6, 3, high=255)]]


@model
def changed_picture():
    def call(self, picture):
        crops = tf.image.crop_and_resize(picture, [[0.1, 0.2, 0.8, 0.9], [0.5, 0.5, 1.2, 1.0]], [0, 1], [4, 5])
        return {"crops": crops, "hue": tf.image.adjust_hue(picture, 0.2), "grey": tf.image.rgb_to_grayscale(picture),
                "contrast": tf.image.adjust_contrast(picture, 1.5), "turned": tf.image.rot90(picture),
                "edges": tf.image.sobel_edges(picture), "variation": tf.image.total_variation(picture),
                "patches": tf.image.extract_patches(picture, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
                "standard": tf.image.per_image_standardization(picture), "mirrored": tf.image.flip_left_right(picture),
                "similar": tf.image.ssim(picture, picture * 0.9, 1.0), "padded": tf.image.pad_to_bounding_box(picture, 1, 2, 16, 16)}

    return graph(call, spec("picture", (None,) + PICTURE)), [[floats(2, *PICTURE, low=0)]]


@model
def decoded_picture():
    def call(self, files):
        def one(file):
            return tf.image.resize(tf.image.convert_image_dtype(tf.io.decode_png(file, 3), tf.float32), [4, 4])

        return {"pictures": tf.map_fn(one, files, fn_output_signature=tf.float32)}

    files = [tf.io.encode_png(random.integers(0, 255, (h, 5, 3)).astype("uint8")).numpy() for h in (4, 7)]
    return graph(call, spec("files", (None,), "string")), [[texts(*files)]]


@model
def compressed_picture():
    def call(self, picture):
        return {"file": tf.io.encode_png(tf.cast(picture[0], tf.uint8)),
                "same": tf.io.decode_png(tf.io.encode_png(tf.cast(picture[0], tf.uint8)))}

    return graph(call, spec("picture", (None, 8, 8, 3))), [[floats(1, 8, 8, 3, low=0, high=255)]]


@model
def boxes():
    def call(self, boxes, scores):
        kept, soft = tf.image.non_max_suppression_with_scores(boxes, scores, 5, soft_nms_sigma=0.5)
        few = tf.image.combined_non_max_suppression(boxes[None, :, None], scores[None, :, None], 3, 4)
        return {"first": tf.image.non_max_suppression(boxes, scores, 5), "kept": kept, "soft": soft, "few": few[0],
                "classes": few[2], "spectrum": tf.math.real(tf.signal.fft(tf.cast(scores, tf.complex64))),
                "singular": tf.linalg.svd(boxes, compute_uv=False)}

    corner = floats(9, 2, low=0)
    return graph(call, spec("boxes", (None, 4)), spec("scores", (None,))), [
        [np.concatenate([corner, corner + floats(9, 2, low=0.2, high=0.8)], 1), floats(9, low=0)]]


# ---- texts

@model
def looked_up():
    def call(self, words):
        return {"ids": self.look(words), "rows": tf.gather(self.rows, self.look(words))}

    look = L.StringLookup(vocabulary=["a", "b", "grün"], num_oov_indices=2)
    return graph(call, spec("words", (None, 2), "string"), look=look, rows=weights(5, 4)), [
        [texts(["a", "zz"], ["grün", "b"])], [texts(["", "c"])]]


@model
def embedded_words():
    x = L.Input((2,), dtype="string", name="words")
    h = L.Embedding(5, 3)(L.StringLookup(vocabulary=["a", "b", "c"], num_oov_indices=1)(x))
    return keras.Model(x, h), [[texts(["a", "zz"], ["c", "b"])]]


@model
def numbers_looked_up():
    x = L.Input((3,), dtype="int64", name="numbers")
    y = L.IntegerLookup(vocabulary=[7, 9, 11], num_oov_indices=2, output_mode="multi_hot")(x)
    return keras.Model(x, y), [[np.array([[7, 9, 1], [11, 8, 9]], "int64")]]


@model
def words_back():
    def call(self, numbers):
        return {"words": self.look(numbers)}

    look = L.StringLookup(vocabulary=["a", "b", "grün"], invert=True)
    return graph(call, spec("numbers", (None,), "int64"), look=look), [[np.array([0, 3, 1, 2], "int64")]]


def vectorized(**options):
    layer = L.TextVectorization(**options)
    layer.adapt(["the cat sat", "on the mat!", "A dog."])
    return layer


SENTENCES = texts(["The cat, on dogs"], [""], ["Mat mat MAT on the mat sat a dog?"])


@model
def vectors_of_text():
    x = L.Input((1,), dtype="string", name="text")
    return keras.Model(x, L.Embedding(20, 3)(vectorized(max_tokens=20, output_sequence_length=6)(x))), [[SENTENCES]]


@model
def weighted_text():
    x = L.Input((1,), dtype="string", name="text")
    return keras.Model(x, vectorized(max_tokens=20, output_mode="tf_idf", ngrams=2)(x)), [[SENTENCES]]


@model
def counted_text():
    x = L.Input((1,), dtype="string", name="text")
    return keras.Model(x, vectorized(max_tokens=20, output_mode="count", split="character")(x)), [[SENTENCES]]


@model
def text_of_any_length():
    def call(self, text):
        ragged = self.layer(text)
        return {"values": ragged.values, "splits": ragged.row_splits}

    layer = vectorized(max_tokens=20, ragged=True)
    return graph(call, spec("text", (None,), "string"), layer=layer), [[SENTENCES[:, 0]]]


@model
def parts_of_text():
    def call(self, text):
        words = tf.strings.split(text)
        letters = tf.strings.unicode_decode(text, "UTF-8")
        pairs = tf.strings.ngrams(words, 2)
        return {"words": words.to_tensor(""), "letters": letters.to_tensor(-1), "pairs": pairs.to_tensor("none"),
                "small": tf.strings.lower(text, "utf-8"), "length": tf.strings.length(text, "UTF8_CHAR"),
                "part": tf.strings.substr(text, 0, 3), "clean": tf.strings.regex_replace(text, r"[^a-z ]+", "_"),
                "whole": tf.strings.regex_full_match(text, r".*\bcat\b.*"), "joined": tf.strings.reduce_join(words, separator="-"),
                "bucket": tf.strings.to_hash_bucket_strong(text, 100, [1, 2]), "count": tf.strings.as_string(tf.size(text))}

    return graph(call, spec("text", (None,), "string")), [[texts("The cat sat", "Grün  ist gut", "", "x")]]


@model
def hashed():
    x = L.Input((2,), dtype="string", name="words")
    return keras.Model(x, L.Hashing(11, salt=[3, 4], output_mode="one_hot")(x[:, :1])), [[texts(["a", "b"], ["c", "grün"])]]


@model
def crossed():
    a, b = L.Input((1,), dtype="string", name="first"), L.Input((1,), dtype="int64", name="second")
    return keras.Model([a, b], L.HashedCrossing(13, output_mode="one_hot")((a, b))), [
        [texts(["a"], ["b"]), np.array([[5], [7]], "int64")]]


@model
def in_buckets():
    x = L.Input((1,), name="age")
    y = L.CategoryEncoding(num_tokens=4, output_mode="one_hot")(L.Discretization(bin_boundaries=[10.0, 20.0, 30.0])(x))
    return keras.Model(x, y), [[np.array([[5.0], [25.0], [99.0], [10.0]], "float32")]]


@model
def parsed():
    def call(self, examples):
        features = tf.io.parse_example(examples, {
            "x": tf.io.FixedLenFeature([2], tf.float32), "n": tf.io.FixedLenFeature([], tf.int64, 7),
            "words": tf.io.VarLenFeature(tf.string), "rows": tf.io.RaggedFeature(tf.float32)})
        return {"x": features["x"], "n": features["n"], "words": tf.sparse.to_dense(features["words"], ""),
                "rows": features["rows"].to_tensor(), "sums": tf.reduce_sum(features["rows"], 1)}

    def example(x, n, words, rows):
        train, features = tf.train, {"x": tf.train.Feature(float_list=tf.train.FloatList(value=x))}
        features["words"] = train.Feature(bytes_list=train.BytesList(value=words))
        features["rows"] = train.Feature(float_list=train.FloatList(value=rows))
        if n is not None:
            features["n"] = train.Feature(int64_list=train.Int64List(value=[n]))
        return train.Example(features=train.Features(feature=features)).SerializeToString(deterministic=True)

    return graph(call, spec("examples", (None,), "string")), [
        [texts(example([1, 2], 3, [b"a", b"b"], [1, 2, 3]), example([4, 5], None, [], [4]))]]


# ---- sparse and ragged

INDICES = np.array([[0, 0], [0, 1], [2, 0]], "int64")
VALUES = np.array([3, 1, 7], "int64")
SPARSE = (spec("indices", (None, 2), "int64"), spec("values", (None,), "int64"), spec("shape", (2,), "int64"))


@model
def sparse_lookup():
    def call(self, indices, values, shape):
        ids = tf.SparseTensor(indices, values, shape)
        return {"mean": tf.nn.embedding_lookup_sparse(self.table, ids, None, combiner="mean"),
                "safe": tf.nn.safe_embedding_lookup_sparse(self.table, ids, None, combiner="sqrtn"),
                "dense": tf.sparse.to_dense(tf.sparse.reorder(ids))}

    return graph(call, *SPARSE, table=weights(10, 4)), [[INDICES, VALUES, np.array([4, 2], "int64")]]


@model
def sparse_input():
    def call(self, ids):
        return {"sum": tf.nn.embedding_lookup_sparse(self.table, ids, None, combiner="sum")}

    return graph(call, tf.SparseTensorSpec((None, 2), tf.int64), table=weights(10, 4)), [
        [tf.SparseTensor(INDICES, VALUES, [4, 2])]]


@model
def sparse_algebra():
    def call(self, indices, values, shape):
        x = tf.SparseTensor(indices, tf.cast(values, tf.float32), shape)
        both = tf.sparse.concat(1, [x, tf.sparse.add(x, x)])
        return {"product": tf.sparse.sparse_dense_matmul(x, self.table), "rows": tf.sparse.reduce_sum(both, 1),
                "slice": tf.sparse.to_dense(tf.sparse.slice(both, [0, 1], [3, 3])), "most": tf.sparse.reduce_max(x, 0),
                "soft": tf.sparse.softmax(x).values, "turned": tf.sparse.to_dense(tf.sparse.transpose(both)),
                "filled": tf.sparse.fill_empty_rows(x, 9.0)[0].values, "kept": tf.sparse.retain(x, values > 1).indices,
                "bag": tf.sparse.bincount(tf.SparseTensor(indices, values, shape), axis=-1, minlength=9).values,
                "crossed": tf.sparse.cross_hashed([tf.SparseTensor(indices, values, shape)] * 2, 50).values}

    return graph(call, *SPARSE, table=weights(2, 4)), [[INDICES, VALUES, np.array([3, 2], "int64")]]


@model
def ragged_lookup():
    def call(self, values, splits):
        ids = tf.RaggedTensor.from_row_splits(values, splits)
        return {"mean": tf.reduce_mean(tf.nn.embedding_lookup(self.table, ids), axis=1), "dense": ids.to_tensor()}

    return graph(call, spec("values", (None,), "int64"), spec("splits", (None,), "int64"), table=weights(10, 4)), [
        [VALUES, np.array([0, 2, 2, 3], "int64")]]


@model
def ragged_rows():
    def call(self, values, splits, chosen):
        x = tf.RaggedTensor.from_row_splits(values, splits)
        some = tf.gather(x, chosen)
        deep = tf.RaggedTensor.from_row_splits(x, [0, 1, tf.cast(x.nrows(), tf.int64)])
        both = tf.concat([x, x * 2], axis=1)
        return {"some": some.values, "of": some.row_splits, "deep": tf.gather(deep, [1, 0, 1]).flat_values,
                "both": both.to_tensor(), "most": tf.reduce_max(x, 1),
                "part": x[:, :1].values, "last": x[:, -1:].to_tensor(), "rows": tf.stack([x, x]).flat_values,
                "mask": tf.ragged.boolean_mask(x, x > 2).values, "range": tf.ragged.range(chosen).values,
                "turned": tf.reverse(x, [1]).values, "sparse": x.to_sparse().indices, "lengths": x.row_lengths(),
                "counts": tf.math.bincount(x, minlength=9), "where": tf.where(x > 2, x, -x).values}

    return graph(call, spec("values", (None,), "int64"), spec("splits", (None,), "int64"), spec("chosen", (None,), "int64")), [
        [VALUES, np.array([0, 2, 2, 3], "int64"), np.array([2, 0, 0], "int64")]]


@model
def mapped_ragged_rows():
    def call(self, values, splits):
        return {"sorted": tf.map_fn(tf.sort, tf.RaggedTensor.from_row_splits(values, splits)).values}

    return graph(call, spec("values", (None,), "int64"), spec("splits", (None,), "int64")), [
        [VALUES, np.array([0, 2, 2, 3], "int64")]]


@model
def ragged_input():
    def call(self, x):
        return {"sums": tf.reduce_sum(x, 1), "dense": x.to_tensor(9.0), "some": tf.gather(x, [1, 0]).values}

    return graph(call, tf.RaggedTensorSpec((None, None), tf.float32, 1)), [[tf.ragged.constant([[1.0, 2.0], [], [3.0]])]]


# ---- control flow

@model
def loop_with_list():
    def call(self, x, n):
        def step(i, h, rows):
            h = tf.tanh(h @ self.w)
            return i + 1, h, tf.cond(tf.reduce_sum(h) > 0, lambda: rows.write(i, h), lambda: rows.write(i, -h))

        rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False, element_shape=(None, 3))
        _, last, rows = tf.while_loop(lambda i, h, rows: i < n, step, (0, x, rows))
        return {"all": rows.stack(), "last": last}

    return graph(call, spec("x", (None, 3)), spec("n", (), "int32"), w=weights(3, 3)), [
        [floats(2, 3), np.int32(5)], [floats(1, 3), np.int32(1)]]


@model
def mapped_and_folded():
    def call(self, x):
        return {"mapped": tf.map_fn(lambda row: tf.reduce_sum(row) * row, x), "folded": tf.foldl(lambda a, row: a + row, x),
                "scanned": tf.scan(lambda a, row: a * 0.5 + row, x), "chosen": tf.switch_case(
                    tf.shape(x)[0] % 3, [lambda: x, lambda: -x, lambda: x * 2]),
                "vector": tf.vectorized_map(lambda row: tf.linalg.normalize(row)[0], x)}

    return graph(call, spec("x", (None, 3))), [[floats(2, 3)], [floats(4, 3)]]


@model
def tables():
    def call(self, words):
        return {"ids": self.table.lookup(words), "sizes": self.dense.size(), "dense": self.dense.lookup(words)}

    keys = tf.constant(["a", "b"])
    table = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(keys, tf.constant([0, 1], tf.int64)), 3)
    dense = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, "empty", "deleted")
    dense.insert(keys, tf.constant([5, 6], tf.int64))
    return graph(call, spec("words", (None,), "string"), table=table, dense=dense), [[texts("a", "c", "b")]]


# ---- numbers

@model
def spectrum():
    def call(self, sound):
        short = tf.signal.stft(sound, 16, 8, 16)
        mel = tf.tensordot(tf.abs(short), tf.signal.linear_to_mel_weight_matrix(4, 9, 16, 1.0, 8.0), 1)
        return {"magnitude": tf.abs(short), "mel": mel, "cepstrum": tf.signal.mfccs_from_log_mel_spectrograms(tf.math.log(mel + 1)),
                "back": tf.signal.inverse_stft(short, 16, 8, 16), "frames": tf.signal.frame(sound, 8, 4), "cosine": tf.signal.dct(sound)}

    return graph(call, spec("sound", (None, 40))), [[floats(2, 40)]]


@model
def statistics():
    def call(self, x):
        values, places = tf.math.top_k(x, 3)
        unique, index, count = tf.unique_with_counts(tf.cast(x[0] * 4, tf.int32))
        mean, variance = tf.nn.moments(x, [0])
        return {"top": values, "places": places, "unique": unique, "index": index, "count": count, "mean": mean,
                "variance": variance, "sum": tf.cumsum(x, 1, exclusive=True), "order": tf.argsort(x),
                "log": tf.math.cumulative_logsumexp(x, 1), "histogram": tf.histogram_fixed_width(x, [-1.0, 1.0], 5),
                "counts": tf.math.bincount(tf.cast(x * 4 + 4, tf.int32), minlength=8), "special": tf.math.lgamma(x + 2),
                "bessel": tf.math.bessel_i0e(x), "segment": tf.math.unsorted_segment_mean(x[0], tf.cast(x[0] > 0, tf.int32), 2),
                "matrix": tf.linalg.inv(tf.matmul(x, x, transpose_a=True) + tf.eye(6)), "where": tf.where(x > 0)}

    return graph(call, spec("x", (None, 6))), [[floats(3, 6)]]


@model
def random_layers():
    x = L.Input((6, 6, 2), name="picture")
    h = L.RandomRotation(0.2)(L.RandomFlip()(x))
    h = L.SpectralNormalization(L.Conv2D(3, 3))(L.RandomContrast(0.2)(L.RandomZoom(0.2)(L.GaussianNoise(0.1)(h))))
    h = L.GroupNormalization(3)(L.Dropout(0.5)(h))
    h = L.UpSampling2D(2, interpolation="bilinear")(L.DepthwiseConv2D(3, padding="same")(h))
    return keras.Model(x, L.UnitNormalization()(L.GlobalMaxPooling2D()(L.Conv2DTranspose(2, 3, strides=2)(h)))), [[floats(2, 6, 6, 2)]]


def clean(folder):
    """Leaves what loaders read."""
    for name in ("fingerprint.pb", "keras_metadata.pb"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    if os.path.isdir(os.path.join(folder, "assets")) and not os.listdir(os.path.join(folder, "assets")):
        os.rmdir(os.path.join(folder, "assets"))


def flat(value):
    """The tensors that a signature takes for a sparse or ragged one."""
    return tf.nest.flatten(value, expand_composites=True)


def record(folder, name):
    keras.utils.set_random_seed(3)
    made, calls = MODELS[name]()
    where, saved = os.path.join(folder, name), os.path.join(folder, name, "saved")
    shutil.rmtree(where, ignore_errors=True)
    if isinstance(made, keras.Model):
        made.export(saved, verbose=False)
    else:
        tf.saved_model.save(made, saved, signatures=made.call.get_concrete_function())
    loaded = tf.saved_model.load(saved)
    serving = loaded.signatures["serving_default"]
    clean(saved)
    declared = serving.structured_input_signature[1]
    for number, inputs in enumerate(calls):
        given = [tf.constant(t) for value in inputs for t in flat(value)]
        # A Keras model names its inputs, others have the names of their specs in the order of these.
        names = list(declared) if len(declared) == 1 else order_of(made, declared)
        fed = dict(zip(names, given, strict=True))
        for kind, tensors in (("in", fed), ("out", serving(**fed))):
            for key, value in tensors.items():
                with open(os.path.join(where, f"{number}.{kind}.{key}"), "wb") as file:
                    file.write(tf.make_tensor_proto(value.numpy()).SerializeToString(deterministic=True))


def order_of(made, declared):
    if isinstance(made, keras.Model):
        return [x.name for x in made.inputs]
    specs = [s.name for s in flat(made.call.input_signature)]
    return specs if set(specs) == set(declared) else sorted(declared, key=lambda n: (len(n), n))


def main(folder, *names):
    for name in names or [name for name in MODELS if name not in WAITING]:
        record(folder, name)
        print(name, flush=True)


main(*sys.argv[1:])
