#include "session/storage_levels.h"

#include <google/protobuf/message.h>

#include <vector>

#include "base/check.h"
#include "session/plan_identity.h"
#include "spark/connect/common.pb.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {

using spark::connect::StorageLevel;

namespace {

bool names_tables(const google::protobuf::Message& message) {
  const std::string& name = message.GetDescriptor()->full_name();
  if (name == "spark.connect.Read.NamedTable" || name == "spark.connect.SQL") return true;
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE || field->is_map())
      continue;
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (names_tables(field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                            : reflection->GetMessage(message, field)))
        return true;
    }
  }
  return false;
}

}  // namespace

std::shared_ptr<const connector::Table> StorageLevels::rows(const Relation& plan,
                                                            const plan::NodePtr& node,
                                                            const MakeRows& make) {
  {
    const std::lock_guard lock(mutex_);
    if (!kinds_.contains(plan.rel_type_case())) return nullptr;
  }
  const std::string identity = identity_of(plan);
  const std::lock_guard lock(mutex_);
  if (!by_plan_.contains(identity)) return nullptr;
  Rows& rows = rows_[identity];
  if (rows.table == nullptr) rows = {make(node), names_tables(plan)};
  return rows.table;
}

void StorageLevels::tables_changed() {
  const std::lock_guard lock(mutex_);
  std::erase_if(rows_, [](const auto& entry) {
    return entry.second.by_name || entry.second.table->reads_tables();
  });
}

void StorageLevels::put(const Relation& plan, const StorageLevel* level) {
  StorageLevel kept;
  if (level != nullptr) {
    kept = *level;
  } else {
    kept.set_use_disk(true);
    kept.set_use_memory(true);
    kept.set_deserialized(true);
    kept.set_replication(1);
  }
  const std::lock_guard lock(mutex_);
  by_plan_.emplace(identity_of(plan), kept.SerializeAsString());
  kinds_.insert(plan.rel_type_case());
}

void StorageLevels::remove(const Relation& plan) {
  const std::lock_guard lock(mutex_);
  const std::string identity = identity_of(plan);
  by_plan_.erase(identity);
  rows_.erase(identity);
  if (by_plan_.empty()) kinds_.clear();
}

void StorageLevels::clear() {
  const std::lock_guard lock(mutex_);
  by_plan_.clear();
  rows_.clear();
  kinds_.clear();
}

bool StorageLevels::contains(const Relation& plan) const {
  const std::lock_guard lock(mutex_);
  return by_plan_.contains(identity_of(plan));
}

StorageLevel StorageLevels::get(const Relation& plan) const {
  StorageLevel level;
  level.set_replication(1);
  const std::lock_guard lock(mutex_);
  const auto found = by_plan_.find(identity_of(plan));
  if (found != by_plan_.end()) CHECK(level.ParseFromString(found->second));
  return level;
}

}  // namespace millstream::session
