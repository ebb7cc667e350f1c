#include "session/plan_identity.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <vector>

#include "spark/connect/relations.pb.h"

namespace millstream::session {
namespace {

namespace proto = spark::connect;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void strip(Message* message) {
  if (auto* common = dynamic_cast<proto::RelationCommon*>(message)) {
    common->clear_plan_id();
    return;
  }
  if (auto* common = dynamic_cast<proto::ExpressionCommon*>(message)) {
    common->Clear();
    return;
  }
  if (auto* attribute = dynamic_cast<proto::Expression_UnresolvedAttribute*>(message))
    attribute->clear_plan_id();
  const auto* reflection = message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) continue;
    if (!field->is_repeated()) {
      strip(reflection->MutableMessage(message, field));
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
      strip(reflection->MutableRepeatedMessage(message, field, i));
    }
  }
}

}  // namespace

std::string identity_of(const proto::Relation& relation) {
  proto::Relation copy = relation;
  strip(&copy);
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);  // maps in one order
    copy.SerializeToCodedStream(&out);
  }
  return bytes;
}

}  // namespace millstream::session
