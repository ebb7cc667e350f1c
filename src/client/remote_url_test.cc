#include "client/remote_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millstream::client {
namespace {

TEST(RemoteUrl, HasAHostAndAPort) {
  const auto target = parse_remote_url("sc://db.example:15003");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->address(), "db.example:15003");
  EXPECT_EQ(parse_remote_url("sc://localhost").value().address(), "localhost:15002");
  EXPECT_EQ(parse_remote_url("sc://[::1]:9/").value().address(), "[::1]:9");
}

TEST(RemoteUrl, TakesParameters) {
  const auto target = parse_remote_url("sc://h/;user_id=ann;token=a%3Db;x-team=etl;");
  ASSERT_TRUE(target.ok()) << target.status().to_string();
  EXPECT_EQ(target->user_id, "ann");
  EXPECT_EQ(target->token, "a=b");
  EXPECT_TRUE(target->use_ssl);  // of the token
  EXPECT_FALSE(parse_remote_url("sc://localhost/;token=a").value().use_ssl);
  EXPECT_EQ(target->headers.at("x-team"), "etl");
}

TEST(RemoteUrl, RefusesWhatIsNone) {
  for (const char* url :
       {"", "http://h", "sc://", "sc://:1", "sc://h:0", "sc://h:99999", "sc://h:1x", "sc://h/path",
        "sc://h/;novalue", "sc://h/;use_ssl=maybe", "sc://[::1", "sc://h/;session_id=1"}) {
    const auto target = parse_remote_url(url);
    ASSERT_FALSE(target.ok()) << url;
    EXPECT_THAT(target.status().message(), testing::HasSubstr("INVALID_CONNECT_URL")) << url;
  }
}

}  // namespace
}  // namespace millstream::client
