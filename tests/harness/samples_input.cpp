// Ops that read other programs' formats. Random bytes are not in these formats; the ops' own tests contain valid inputs.

#include "samples.hpp"

namespace harness {

namespace {

constexpr std::string_view of_bytes = "its input is bytes of a format: tests/ops/input/decode.cpp";
constexpr std::string_view of_examples = "its input is serialized examples: tests/ops/input/parse_example.cpp";
constexpr std::string_view of_sequences = "its input is serialized examples: tests/ops/input/parse_sequence.cpp";
constexpr std::string_view of_files = "its input names files: tests/ops/input/files.cpp";
constexpr std::string_view of_readers = "its input is a reader: tests/ops/input/reader.cpp";
constexpr std::string_view of_tables = "its input is a table: tests/ops/lookup/hash_table.cpp";
constexpr std::string_view of_rows = "it uses a table of rows by key: tests/ops/lookup/sparse_table.cpp";
constexpr std::string_view makes_tables = "it makes a table: tests/ops/lookup/hash_table.cpp";
constexpr std::string_view of_maps = "its sparse tensors outlive the run: tests/ops/data_flow/sparse_tensors_map.cpp";
constexpr std::string_view of_text = "random strings say little: tests/ops/strings";
constexpr std::string_view makes_readers = "it has no input: tests/ops/input/record_reader.cpp";

}  // namespace

std::vector<sample> input_samples() {
  return {
      {"DecodeRaw", skip(of_bytes)},
      {"DecodePaddedRaw", skip(of_bytes)},
      {"DecodeCSV", skip(of_bytes)},
      {"DecodeCompressed", skip(of_bytes)},
      {"DecodeJSONExample", skip(of_bytes)},
      {"StringToNumber", skip(of_bytes)},
      {"DecodeLibsvm", skip("its input is lines of a format: tests/ops/input/clicks.cpp")},
      {"ClickSource", skip("it reads a file: tests/ops/input/click_source.cpp")},
      {"ClickSourceNext", skip("it reads a file: tests/ops/input/click_source.cpp")},
      {"DecodeLibffm", skip("its input is lines of a format: tests/ops/input/clicks.cpp")},
      {"DecodePng", skip("its input is a PNG file: tests/ops/input/png.cpp")},
      {"EncodePng",
       {call(random({2, 3, 1})), call(random({2, 2, 1, 4})), call(random({0, 2, 2, 3}))},
       {},
       {internal_code("what TensorFlow calls an image without pixels")}},

      {"ParseTensor", skip("its input is a serialized tensor: tests/ops/input/serialized_tensor.cpp")},
      {"SerializeTensor", unary()},
      {"ParseExample", skip(of_examples)},
      {"ParseExampleV2", skip(of_examples)},
      {"ParseSingleExample", skip(of_examples)},
      {"ParseSequenceExample", skip(of_sequences)},
      {"ParseSequenceExampleV2", skip(of_sequences)},
      {"ParseSingleSequenceExample", skip(of_sequences)},

      {"ReadFile", skip(of_files)},
      {"WriteFile", skip(of_files)},
      {"MatchingFiles", skip(of_files)},
      {"ShardedFilename", {call{random({}), number(3), number(10)}}},
      {"ShardedFilespec", {call{random({}), number(10)}}},

      {"ReaderReadV2", skip(of_readers)},
      {"ReaderReadUpToV2", skip(of_readers)},
      {"ReaderNumRecordsProducedV2", skip(of_readers)},
      {"ReaderNumWorkUnitsCompletedV2", skip(of_readers)},
      {"ReaderSerializeStateV2", skip(of_readers)},
      {"ReaderRestoreStateV2", skip(of_readers)},
      {"ReaderResetV2", skip(of_readers)},
      {"ReaderRead", skip(of_readers)},
      {"ReaderReadUpTo", skip(of_readers)},
      {"ReaderNumRecordsProduced", skip(of_readers)},
      {"ReaderNumWorkUnitsCompleted", skip(of_readers)},
      {"ReaderSerializeState", skip(of_readers)},
      {"ReaderRestoreState", skip(of_readers)},
      {"ReaderReset", skip(of_readers)},

      {"WholeFileReaderV2", skip(makes_readers)},
      {"WholeFileReader", skip(makes_readers)},
      {"IdentityReaderV2", skip(makes_readers)},
      {"IdentityReader", skip(makes_readers)},
      {"TextLineReaderV2", skip(makes_readers)},
      {"TextLineReader", skip(makes_readers)},
      {"TFRecordReaderV2", skip(makes_readers)},
      {"TFRecordReader", skip(makes_readers)},
      {"FixedLengthRecordReaderV2", skip(makes_readers)},
      {"FixedLengthRecordReader", skip(makes_readers)},

      {"LookupTableFindV2", skip(of_tables)},
      {"LookupTableFind", skip(of_tables)},
      {"LookupTableInsertV2", skip(of_tables)},
      {"LookupTableInsert", skip(of_tables)},
      {"LookupTableRemoveV2", skip(of_tables)},
      {"LookupTableSizeV2", skip(of_tables)},
      {"LookupTableSize", skip(of_tables)},
      {"LookupTableExportV2", skip(of_tables)},
      {"LookupTableExport", skip(of_tables)},
      {"LookupTableImportV2", skip(of_tables)},
      {"LookupTableImport", skip(of_tables)},
      {"InitializeTableV2", skip(of_tables)},
      {"InitializeTable", skip(of_tables)},
      {"InitializeTableFromTextFileV2", skip(of_tables)},
      {"InitializeTableFromTextFile", skip(of_tables)},
      {"HashTableV2", skip(makes_tables)},
      {"HashTable", skip(makes_tables)},
      {"MutableHashTableV2", skip(makes_tables)},
      {"MutableHashTable", skip(makes_tables)},
      {"MutableHashTableOfTensorsV2", skip(makes_tables)},
      {"MutableHashTableOfTensors", skip(makes_tables)},
      {"MutableDenseHashTableV2", skip(makes_tables)},
      {"MutableDenseHashTable", skip(makes_tables)},
      {"SparseTable", skip(of_rows)},
      {"SparseTableAnchor", skip(of_rows)},
      {"SparseTableLookup", skip(of_rows)},
      {"SparseTablePrepare", skip(of_rows)},
      {"SparseTableInteractions", skip(of_rows)},
      {"SparseTableInteractionsGrad", skip(of_rows)},
      {"SparseTableFieldInteractions", skip(of_rows)},
      {"SparseTableFieldInteractionsGrad", skip(of_rows)},
      {"SparseTableApplyGradientDescent", skip(of_rows)},
      {"SparseTableApplyMomentum", skip(of_rows)},
      {"SparseTableApplyAdagrad", skip(of_rows)},
      {"SparseTableApplyAdam", skip(of_rows)},
      {"SparseTableApplyRMSProp", skip(of_rows)},
      {"SparseTableApplyAdadelta", skip(of_rows)},
      {"SparseTableApplyFtrl", skip(of_rows)},
      {"SparseTableInteractionsApplyAdagrad", skip(of_rows)},
      {"SparseTableFieldInteractionsApplyAdagrad", skip(of_rows)},
      {"SparseTableEvict", skip(of_rows)},
      {"SparseTableSave", skip(of_rows)},
      {"SparseTableRestore", skip(of_rows)},
      {"SparseTableSize", skip(of_rows)},
      {"AddSparseToTensorsMap", skip(of_maps)},
      {"AddManySparseToTensorsMap", skip(of_maps)},
      {"TakeManySparseFromTensorsMap", skip(of_maps)},
      {"StringStrip", skip(of_text)},
      {"StringLower", skip(of_text)},
      {"StringUpper", skip(of_text)},
      {"StringLength", skip(of_text)},
      {"UnicodeScript", skip(of_text)},
      {"Substr", skip(of_text)},
      {"EncodeBase64", skip(of_text)},
      {"DecodeBase64", skip(of_text)},
      {"StringJoin", skip(of_text)},
      {"ReduceJoin", skip(of_text)},
      {"UnsortedSegmentJoin", skip(of_text)},
      {"StringSplit", skip(of_text)},
      {"StringSplitV2", skip(of_text)},
      {"StringToHashBucketFast", skip(of_text)},
      {"StringToHashBucketStrong", skip(of_text)},
      {"StringToHashBucket", skip(of_text)},
      {"AsString", skip(of_text)},
      {"StringFormat", skip(of_text)},
      {"RegexFullMatch", skip(of_text)},
      {"StaticRegexFullMatch", skip(of_text)},
      {"RegexReplace", skip(of_text)},
      {"StaticRegexReplace", skip(of_text)},
      {"EditDistance", skip(of_text)},
      {"StringNGrams", skip(of_text)},
      {"UnicodeDecode", skip(of_text)},
      {"UnicodeDecodeWithOffsets", skip(of_text)},
      {"UnicodeEncode", skip(of_text)},
      {"UnicodeTranscode", skip(of_text)},
      {"SparseCross", skip(of_text)},
      {"SparseCrossV2", skip(of_text)},
      {"SparseCrossHashed", skip(of_text)},
  };
}

}  // namespace harness
