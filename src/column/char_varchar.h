// CHAR(n) and VARCHAR(n) as the schemas of tables keep them: the column is a STRING, and its
// metadata says what it was declared as. Pure functions.
#pragma once

#include "column/types.h"

namespace millstream::column {

bool has_char_or_varchar(const TypePtr& type);
// The same with STRING in the place of CHAR and VARCHAR, at every depth.
TypePtr as_strings(const TypePtr& type);
// Columns that hold CHAR or VARCHAR become STRING, with a note.
Schema with_char_notes(Schema schema);
// Without what a declaration before left.
Field with_char_note(Field field);
// What the column was declared as; null: there is no note.
TypePtr declared_type(const Field& field);
// The same of the metadata of a column.
TypePtr declared_type(const std::string& metadata);

}  // namespace millstream::column
