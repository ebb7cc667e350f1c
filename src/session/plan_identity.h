// When two unresolved plans count as the same one: everything but the client's numbering of
// DataFrames. Pure.
#pragma once

#include <string>

namespace spark::connect {
class Relation;
}  // namespace spark::connect

namespace millstream::session {

std::string identity_of(const spark::connect::Relation& relation);

}  // namespace millstream::session
