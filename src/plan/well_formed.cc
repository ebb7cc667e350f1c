#include "plan/well_formed.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "plan/refusals.h"
#include "spark/connect/expressions.pb.h"
#include "spark/connect/relations.pb.h"
#include "sql/own_calls.h"

namespace millstream::plan {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::Reflection;

// Messages that are nothing without a member of their oneof, and Spark's name for its absence.
const char* absence_of(const Descriptor* kind) {
  if (kind == spark::connect::Relation::descriptor()) return "RELTYPE_NOT_SET";
  if (kind == spark::connect::Expression::descriptor()) return "EXPRTYPE_NOT_SET";
  return nullptr;
}

// Relations and expressions that may be missing, though the message cannot say so.
bool may_be_absent(const FieldDescriptor& field) {
  static constexpr std::string_view names[] = {
      "spark.connect.Project.input",
      "spark.connect.Expression.UpdateFields.value_expression",  // dropFields
      "spark.connect.Join.join_condition",
      "spark.connect.LateralJoin.join_condition",
      "spark.connect.AsOfJoin.join_expr",
      "spark.connect.AsOfJoin.tolerance",
      "spark.connect.GroupMap.initial_input",
      "spark.connect.SqlCommand.input",
      "spark.connect.WriteOperationV2.overwrite_condition"};
  return field.containing_oneof() != nullptr ||
         std::find(std::begin(names), std::end(names), field.full_name()) != std::end(names);
}

bool names_routine(const FieldDescriptor& field) {
  return field.name() == "function_name" || field.full_name() == "spark.connect.Hint.name";
}

class Check {
 public:
  // Plans nest deep: what is still to be looked at is a list, not the stack.
  Status all_of(const Message& root) {
    pending_ = {&root};
    while (!pending_.empty()) {
      const Message& message = *pending_.back();
      pending_.pop_back();
      TRY(one(message));
    }
    return Status::OK();
  }

 private:
  Status one(const Message& message) {
    const Descriptor* kind = message.GetDescriptor();
    const Reflection* reflection = message.GetReflection();
    if (const char* absence = absence_of(kind)) {
      if (!reflection->HasOneof(message, kind->oneof_decl(0)))
        return oneof_not_set(message, absence);
    }
    for (int i = 0; i < kind->field_count(); ++i)
      TRY(member(message, *reflection, *kind->field(i)));
    return Status::OK();
  }

  Status member(const Message& message, const Reflection& reflection,
                const FieldDescriptor& field) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING && names_routine(field)) {
      std::string copy;
      const auto& name = reflection.GetStringReference(message, &field, &copy);
      return sql::is_own_call(name) ? sql::unknown_routine(name) : Status::OK();
    }
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return Status::OK();
    if (field.is_repeated()) {
      const int size = reflection.FieldSize(message, &field);
      for (int i = 0; i < size; ++i)
        pending_.push_back(&reflection.GetRepeatedMessage(message, &field, i));
      return Status::OK();
    }
    if (reflection.HasField(message, &field)) {
      pending_.push_back(&reflection.GetMessage(message, &field));
      return Status::OK();
    }
    const char* absence = absence_of(field.message_type());
    if (absence == nullptr || may_be_absent(field)) return Status::OK();
    return oneof_not_set(*MessageFactory::generated_factory()->GetPrototype(field.message_type()),
                         absence);
  }

  std::vector<const Message*> pending_;
};

}  // namespace

Status check_well_formed(const Message& message) { return Check().all_of(message); }

}  // namespace millstream::plan
