// RemoteRelation: rows that the server keeps for this program under an id (a checkpoint), until no
// DataFrame names them any more. A DataFrame is a tree of messages, so who reads the rows is told
// by the ids within.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace spark::connect {
class Relation;
}  // namespace spark::connect

namespace millstream::client {

class Connection;

class RemoteRelation {
 public:
  RemoteRelation(const std::shared_ptr<Connection>& connection, std::string id)
      : connection_(connection), id_(std::move(id)) {}
  ~RemoteRelation();  // tells the server; an error is not told
  RemoteRelation(const RemoteRelation&) = delete;
  RemoteRelation& operator=(const RemoteRelation&) = delete;

  const std::string& id() const { return id_; }

 private:
  const std::weak_ptr<Connection> connection_;  // whose end frees the rows too
  const std::string id_;
};

// The relation of a DataFrame: keeps what it reads.
std::shared_ptr<const spark::connect::Relation> keep_with_remotes(
    Connection& connection, std::shared_ptr<const spark::connect::Relation> relation);

}  // namespace millstream::client
