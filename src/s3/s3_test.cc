#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "s3/answers.h"
#include "s3/client.h"
#include "s3/identity.h"
#include "s3/settings.h"
#include "s3/sign.h"
#include "s3/store.h"

namespace millstream::s3 {
namespace {

// The examples of Amazon's documentation of Signature Version 4 for S3.
const Credentials example{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};

ToSign example_request(std::string method, std::string path, Query query, std::string_view body) {
  ToSign out{std::move(method), std::move(path),    std::move(query), {},
             hex(sha256(body)), "20130524T000000Z", "us-east-1"};
  out.headers = {{"host", "examplebucket.s3.amazonaws.com"},
                 {"x-amz-content-sha256", out.payload_sha256},
                 {"x-amz-date", out.time}};
  return out;
}

std::string signature(const ToSign& request) {
  const std::string header = authorization(request, example);
  return header.substr(header.find("Signature=") + 10);
}

TEST(Sign, TheExamplesOfTheDocumentation) {
  auto get = example_request("GET", "/test.txt", {}, "");
  get.headers["range"] = "bytes=0-9";
  EXPECT_EQ(signature(get), "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  EXPECT_TRUE(
      authorization(get, example)
          .starts_with("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/"
                       "s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;"
                       "x-amz-date,Signature="));

  auto put =
      example_request("PUT", "/" + uri_encode("test$file.text", true), {}, "Welcome to Amazon S3.");
  put.headers["date"] = "Fri, 24 May 2013 00:00:00 GMT";
  put.headers["x-amz-storage-class"] = "REDUCED_REDUNDANCY";
  EXPECT_EQ(signature(put), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");

  EXPECT_EQ(signature(example_request("GET", "/", {{"lifecycle", ""}}, "")),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(signature(example_request("GET", "/", {{"max-keys", "2"}, {"prefix", "J"}}, "")),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(Sign, Encodings) {
  EXPECT_EQ(uri_encode("a b/ü~%+", true), "a%20b/%C3%BC~%25%2B");
  EXPECT_EQ(encode_query({{"prefix", "a/b c"}, {"delimiter", "/"}}),
            "delimiter=%2F&prefix=a%2Fb%20c");
  EXPECT_EQ(base64(md5("")), "1B2M2Y8AsgTpgAmY7PhCfg==");
  EXPECT_EQ(amz_time(1369353600000), "20130524T000000Z");
}

TEST(Answers, AListIsRead) {
  const auto page = parse_list(R"(<?xml version="1.0" encoding="UTF-8"?>
    <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name>
    <EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>
    <NextContinuationToken>a&amp;b</NextContinuationToken>
    <Contents><Key>t/a+b%2B%25.json</Key><LastModified>2009-10-12T17:50:30.250Z</LastModified>
    <ETag>&quot;x&quot;</ETag><Size>434234</Size></Contents>
    <CommonPrefixes><Prefix>t/p%3D1/</Prefix></CommonPrefixes></ListBucketResult>)");
  ASSERT_TRUE(page.ok()) << page.status().message();
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].key, "t/a b+%.json");
  EXPECT_EQ(page->objects[0].size, 434234);
  EXPECT_EQ(page->objects[0].modified_us, 1255369830250000);
  EXPECT_EQ(page->prefixes, std::vector<std::string>{"t/p=1/"});
  EXPECT_EQ(page->next, "a&b");
}

TEST(Answers, WhatIsNoListIsAnError) {
  const std::string good =
      "<ListBucketResult><Contents><Key>k</Key><LastModified>2009-10-12T17:50:30.000Z"
      "</LastModified><Size>1</Size></Contents></ListBucketResult>";
  ASSERT_TRUE(parse_list(good).ok());
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_FALSE(parse_list(good.substr(0, cut)).ok()) << cut;
  for (const std::string_view bad :
       {"", "<html/>", "<Error><Code>x</Code></Error>",
        "<!DOCTYPE x [<!ENTITY a 'b'>]><ListBucketResult>&a;</ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>k</Key><Size>-1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>k</Key><Size>1</Size><LastModified>2009-13-12T17:50:30Z"
        "</LastModified></Contents></ListBucketResult>"}) {
    EXPECT_FALSE(parse_list(bad).ok()) << bad;
  }
}

TEST(Answers, FaultsAndRequests) {
  EXPECT_EQ(parse_fault("<Error><Code>SlowDown</Code><Message>m</Message></Error>").code,
            "SlowDown");
  EXPECT_EQ(parse_fault("<html>proxy</html>").code, "");
  EXPECT_EQ(parse_fault("").code, "");
  EXPECT_EQ(delete_request({"a<b"}),
            "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>"
            "<Object><Key>a&lt;b</Key></Object></Delete>");
  EXPECT_FALSE(*parse_deleted("<DeleteResult/>"));
  EXPECT_EQ(**parse_deleted("<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code></Error>"
                            "</DeleteResult>"),
            "k: AccessDenied");
  EXPECT_EQ(*parse_upload_id("<InitiateMultipartUploadResult><UploadId>u</UploadId>"
                             "</InitiateMultipartUploadResult>"),
            "u");
  EXPECT_FALSE(parse_upload_id("<InitiateMultipartUploadResult/>").ok());
}

TEST(Client, WhenAndHowLongToWait) {
  for (const long status : {500, 502, 503, 504, 429, 408})
    EXPECT_TRUE(asks_for_patience(status, ""));
  EXPECT_TRUE(asks_for_patience(409, "ConditionalRequestConflict"));
  EXPECT_TRUE(asks_for_patience(400, "RequestTimeout"));
  for (const long status : {200, 206, 301, 400, 403, 404, 409, 412, 416, 501})
    EXPECT_FALSE(asks_for_patience(status, "")) << status;
  EXPECT_EQ(wait_ms(1, 0), 50);
  EXPECT_EQ(wait_ms(2, 0), 100);
  EXPECT_LE(wait_ms(100, 0.999), 5000);
  EXPECT_GE(wait_ms(100, 0), 2500);
}

Environment environment(std::map<std::string, std::string> values) {
  values.emplace("HOME", "/nowhere");
  return [values](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Settings, SparksComeBeforeTheEnvironment) {
  const auto env = environment({{"AWS_ACCESS_KEY_ID", "ea"},
                                {"AWS_SECRET_ACCESS_KEY", "es"},
                                {"AWS_SESSION_TOKEN", "et"},
                                {"AWS_REGION", "eu-west-1"},
                                {"AWS_ENDPOINT_URL", "http://127.0.0.1:9000/"}});
  const auto from_environment = read_settings({}, env);
  ASSERT_TRUE(from_environment.ok());
  EXPECT_EQ(from_environment->credentials->session_token, "et");
  EXPECT_EQ(from_environment->region, "eu-west-1");
  EXPECT_EQ(from_environment->endpoint, "http://127.0.0.1:9000");
  EXPECT_TRUE(from_environment->path_style);

  const auto given = read_settings({{"spark.hadoop.fs.s3a.access.key", "sa"},
                                    {"spark.hadoop.fs.s3a.secret.key", "ss"},
                                    {"spark.hadoop.fs.s3a.endpoint", "minio:9000"},
                                    {"spark.hadoop.fs.s3a.connection.ssl.enabled", "false"},
                                    {"spark.hadoop.fs.s3a.path.style.access", "false"},
                                    {"spark.hadoop.fs.s3a.endpoint.region", "us-west-2"},
                                    {"spark.hadoop.fs.s3a.attempts.maximum", "3"},
                                    {"spark.hadoop.fs.s3a.connection.timeout", "2s"}},
                                   env);
  ASSERT_TRUE(given.ok()) << given.status().message();
  EXPECT_EQ(given->credentials->access_key, "sa");
  EXPECT_EQ(given->credentials->session_token, "") << "keys of two places are mixed";
  EXPECT_EQ(given->endpoint, "http://minio:9000");
  EXPECT_FALSE(given->path_style);
  EXPECT_EQ(given->region, "us-west-2");
  EXPECT_EQ(given->attempts_max, 3);
  EXPECT_EQ(given->stall_timeout_ms, 2000);
}

TEST(Settings, TheProfile) {
  std::string folder = (std::filesystem::temp_directory_path() / "ms_aws_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/credentials") << "[default]\naws_access_key_id = a\n"
                                            "aws_secret_access_key = s\n[other]\n"
                                            "aws_access_key_id=b\naws_secret_access_key=t=u\n";
  std::ofstream(folder + "/config") << "[profile other]\nregion = ap-south-1\n";
  const auto read = [&](const char* profile) {
    return *read_settings({},
                          environment({{"AWS_PROFILE", profile},
                                       {"AWS_CONFIG_FILE", folder + "/config"},
                                       {"AWS_SHARED_CREDENTIALS_FILE", folder + "/credentials"}}));
  };
  EXPECT_EQ(profile_credentials(read("default").profile)->access_key, "a");
  EXPECT_EQ(profile_credentials(read("other").profile)->secret_key, "t=u");
  EXPECT_EQ(read("other").region, "ap-south-1");
  EXPECT_FALSE(profile_credentials(read("none").profile));
  std::filesystem::remove_all(folder);
}

TEST(Settings, WhatIsNotBuiltIsRefusedByName) {
  const auto refused = [](std::map<std::string, std::string> conf) {
    const auto read = read_settings(conf, environment({}));
    return read.ok() ? std::string() : read.status().message();
  };
  EXPECT_NE(refused({{"spark.hadoop.fs.s3a.committer.name", "magic"}}).find("committer.name"),
            std::string::npos);
  EXPECT_NE(refused({{"spark.hadoop.fs.s3a.endpoint", "ftp://x"}}), "");
  EXPECT_NE(refused({{"spark.hadoop.fs.s3a.endpoint", "http://u:p@x"}}), "");
  EXPECT_NE(refused({{"spark.hadoop.fs.s3a.attempts.maximum", "0"}}), "");
  EXPECT_NE(refused({{"spark.hadoop.fs.s3a.connection.timeout", "soon"}}), "");
  EXPECT_NE(refused({{"spark.hadoop.fs.s3a.endpoint.region", "x/y"}}), "");
  EXPECT_NE(refused({{"spark.hadoop.fs.s3a.aws.credentials.provider", "a.b.AssumedRoleProvider"}}),
            "");
  EXPECT_EQ(refused({{"spark.hadoop.fs.s3a.aws.credentials.provider",
                      "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"},
                     {"spark.hadoop.fs.s3a.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem"},
                     {"spark.sql.shuffle.partitions", "4"}}),
            "");
  EXPECT_TRUE(is_secret("spark.hadoop.fs.s3a.secret.key"));
  EXPECT_FALSE(is_secret("spark.hadoop.fs.s3a.endpoint"));
}

TEST(Identity, Leases) {
  const auto json =
      parse_lease_json(R"({"Code":"Success","AccessKeyId":"a","SecretAccessKey":"s","Token":"t",)"
                       R"("Expiration":"2026-01-01T00:00:00Z"})");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->session_token, "t");
  const auto xml = parse_lease_xml(
      "<R xmlns='x'><Q><Credentials><SessionToken>t</SessionToken><SecretAccessKey>s"
      "</SecretAccessKey><Expiration>2026-01-01T00:00:00Z</Expiration><AccessKeyId>a"
      "</AccessKeyId></Credentials></Q></R>");
  ASSERT_TRUE(xml.ok());
  EXPECT_EQ(xml->secret_key, "s");
  EXPECT_EQ(xml->expiration, "2026-01-01T00:00:00Z");
  for (const char* bad : {"", "{", "[]", "{\"AccessKeyId\":1}", "<a/>", "null"}) {
    EXPECT_FALSE(parse_lease_json(bad).ok()) << bad;
    EXPECT_FALSE(parse_lease_xml(bad).ok()) << bad;
  }
}

TEST(Store, APathSaysWhereItLies) {
  const auto store = store_of_all_paths(Settings{});
  EXPECT_TRUE(store->is_local("/dir/file"));
  EXPECT_EQ(store->medium("s3a://bucket/file"), io::Medium::objects);
}

TEST(Store, WithoutCredentialsItSaysWhatToDo) {
  const auto store = s3_store(Settings{});
  const auto status = store->get("s3://bucket/key").status();
  EXPECT_TRUE(status.is(ErrorKind::io));
  EXPECT_NE(status.message().find("AWS_ACCESS_KEY_ID"), std::string::npos);
}

TEST(Store, AStoreThatIsNotThereIsAnErrorInTime) {
  Settings settings;
  settings.endpoint = "http://127.0.0.1:9";
  settings.credentials = Credentials{"a", "s", ""};
  settings.attempts_max = 2;
  const auto status = s3_store(settings)->exists("s3://bucket/key").status();
  EXPECT_TRUE(status.is(ErrorKind::io));
  EXPECT_NE(status.message().find("HEAD s3://bucket/key"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("tried 2 times"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace millstream::s3
