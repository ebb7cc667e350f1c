// Relations are changed as trees, since changed bytes are seldom a message: a field goes, comes
// again, is taken from elsewhere in the tree or gets another value.
#include <google/protobuf/message.h>

#include <random>

#include "plan/well_formed.h"
#include "tables.h"
#include "targets.h"

namespace millstream::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

struct Place {
  Message* message;
  const FieldDescriptor* field;
};

void collect(Message* message, std::vector<Place>* places, std::vector<Message*>* messages) {
  messages->push_back(message);
  std::vector<const FieldDescriptor*> fields;
  const Reflection* reflection = message->GetReflection();
  reflection->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    places->push_back({message, field});
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) continue;
    if (!field->is_repeated()) {
      collect(reflection->MutableMessage(message, field), places, messages);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(*message, field); ++i)
      collect(reflection->MutableRepeatedMessage(message, field, i), places, messages);
  }
}

class Mutation {
 public:
  Mutation(Message* root, unsigned seed) : random_(seed) { collect(root, &places_, &messages_); }

  void apply() {
    if (places_.empty()) return;
    const Place place = places_[pick(places_.size())];
    const Reflection* reflection = place.message->GetReflection();
    switch (pick(5)) {
      case 0:
        reflection->ClearField(place.message, place.field);
        return;
      case 1:
        replace_by_another();
        return;
      case 2:
        if (place.field->is_repeated() && !place.field->is_map()) shorten_or_lengthen(place);
        return;
      default:
        set_value(place);
    }
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }

  void replace_by_another() {
    Message* target = messages_[pick(messages_.size())];
    Message* source = messages_[pick(messages_.size())];
    if (target->GetDescriptor() != source->GetDescriptor() || target == source) return;
    // A copy first: one may be a part of the other.
    const std::unique_ptr<Message> copy(source->New());
    copy->CopyFrom(*source);
    if (copy->ByteSizeLong() < 20'000) target->CopyFrom(*copy);
  }

  void shorten_or_lengthen(const Place& place) {
    const Reflection* reflection = place.message->GetReflection();
    const int size = reflection->FieldSize(*place.message, place.field);
    if (pick(2) == 0 || place.field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      reflection->RemoveLast(place.message, place.field);
      return;
    }
    const std::unique_ptr<Message> copy(
        reflection
            ->GetRepeatedMessage(*place.message, place.field,
                                 static_cast<int>(pick(static_cast<std::size_t>(size))))
            .New());
    copy->CopyFrom(reflection->GetRepeatedMessage(*place.message, place.field, 0));
    reflection->AddMessage(place.message, place.field)->CopyFrom(*copy);
  }

  void set_value(const Place& place) {
    if (place.field->is_repeated()) return;
    static const std::int64_t numbers[] = {0,  1,    -1,        2,         7,         38,
                                           39, 1000, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    static const char* const texts[] = {"",       "i",     "s",     "t.i",           "`",
                                        "*",      "count", "sum",   "st.p",          "m",
                                        "a",      "nope",  "inner", "window",        "explode",
                                        "x -> x", "1",     "int",   "decimal(39,1)", "\xff"};
    const Reflection* reflection = place.message->GetReflection();
    const std::int64_t number = numbers[pick(std::size(numbers))];
    switch (place.field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection->SetBool(place.message, place.field, pick(2) == 0);
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->SetInt32(place.message, place.field, static_cast<std::int32_t>(number));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->SetInt64(place.message, place.field, number);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->SetDouble(place.message, place.field, static_cast<double>(number));
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->SetString(place.message, place.field, texts[pick(std::size(texts))]);
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->SetEnumValue(place.message, place.field, static_cast<int>(pick(9)));
      default:
        return;
    }
  }

  std::mt19937 random_;
  std::vector<Place> places_;
  std::vector<Message*> messages_;
};

bool parse(const std::uint8_t* data, std::size_t size, spark::connect::Relation* relation) {
  return relation->ParsePartialFromArray(data, static_cast<int>(size));
}

}  // namespace

void plan(const std::uint8_t* data, std::size_t size) {
  spark::connect::Relation relation;
  if (parse(data, size, &relation) && plan::check_well_formed(relation).ok())
    analyze_and_optimize(relation);
}

std::size_t mutate_plan(std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  spark::connect::Relation relation;
  if (!parse(data, size, &relation)) relation.Clear();
  if (relation.ByteSizeLong() == 0)
    relation.mutable_read()->mutable_named_table()->set_unparsed_identifier("t");
  for (unsigned i = 0; i <= seed % 4; ++i) Mutation(&relation, seed + i).apply();
  const std::string bytes = relation.SerializePartialAsString();
  if (bytes.size() > size_max) return size;
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

}  // namespace millstream::fuzz

extern "C" __attribute__((weak)) int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                                            std::size_t size) {
  millstream::fuzz::plan(data, size);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  return millstream::fuzz::mutate_plan(data, size, size_max, seed);
}
