// How the leaves of a Parquet file are encoded, going by their values: which get a dictionary,
// which are compressed; and the dictionary of a column of texts. Pure functions over Arrow arrays.
#pragma once

#include <arrow/type_fwd.h>
#include <parquet/properties.h>

#include <optional>

namespace millstream::format {

// Sets for each leaf, by the first values of a file: a dictionary where fewer than an eighth of
// them are different; no compression where the codec would save less than an eighth.
void choose_encodings(const arrow::RecordBatch& sample, parquet::Compression::type codec,
                      parquet::WriterProperties::Builder& properties);

// A column of STRING, all chunks with one dictionary between them, in the order of first
// occurrence: Parquet's writer then hashes nothing, and finds the range among the different values
// alone. Nothing when there are too many of them for a dictionary page.
std::optional<arrow::ArrayVector> dictionary_chunks(const arrow::ArrayVector& chunks);

}  // namespace millstream::format
