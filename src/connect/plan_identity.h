// When two unresolved plans count as the same one: everything but the client's numbering of
// DataFrames. Pure.
#pragma once

#include <string>

#include "column/types.h"

namespace spark::connect {
class Relation;
}  // namespace spark::connect

namespace millstream::connect {

std::string identity_of(const spark::connect::Relation& relation);

// Relations that the connect layer answers itself (show strings): their schema.
bool is_text_relation(const spark::connect::Relation& relation, column::Schema* schema);

}  // namespace millstream::connect
