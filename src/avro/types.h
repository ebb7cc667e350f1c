// Avro's schemas as Spark's types, and Spark's types as Avro's schemas. Pure functions.
#pragma once

#include <string>

#include "avro/schema.h"
#include "column/types.h"

namespace millstream::avro {

struct TypeRules {
  bool stable_union_names = false;  // enableStableIdentifiersForUnionType
  std::string stable_prefix = "member_";
  int recursive_depth_max = -1;  // recursiveFieldMaxDepth; less than 1: recursion is an error
};

struct SparkType {
  column::TypePtr type;  // null: a record within itself, too deep to be kept; left out
  bool nullable = false;
};

// Spark's IncompatibleSchemaException.
Status incompatible_schema(std::string message);

Result<SparkType> to_spark(const Type& type, const TypeRules& rules = {});

// Compact JSON of a type's schema. `name` and `space` name it if it is a struct.
Result<std::string> to_avro_schema(const column::TypePtr& type, bool nullable,
                                   const std::string& name = "topLevelRecord",
                                   const std::string& space = "");

int bytes_for_precision(int precision);  // of a fixed decimal

}  // namespace millstream::avro
