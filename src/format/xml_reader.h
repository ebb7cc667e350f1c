// XML files as Arrow batches, with the semantics of Spark's XML source: a record is an element of
// the row tag. Used by one thread.
#pragma once

#include <memory>
#include <vector>

#include "connector/batches.h"
#include "format/xml_options.h"
#include "io/store.h"

namespace millstream::format {

// Types that XML cannot hold are refused by name.
Status check_xml_schema(const column::Schema& schema, const XmlOptions& options);

// `own`: the columns that are wanted, of the file's.
Result<std::unique_ptr<connector::BatchReader>> open_xml(const std::shared_ptr<io::Store>& store,
                                                         const io::FileInfo& file,
                                                         const XmlOptions& options,
                                                         const column::Schema& own);

Result<column::Schema> infer_xml_schema(const std::shared_ptr<io::Store>& store,
                                        const std::vector<io::FileInfo>& files,
                                        const XmlOptions& options);

}  // namespace millstream::format
