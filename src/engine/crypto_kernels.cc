// aes_encrypt and aes_decrypt, by OpenSSL. The text of a ciphered value begins with its
// initialization vector, where the mode has one; GCM's ends with its tag.
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <memory>

#include "base/text.h"
#include "engine/kernels.h"

namespace millstream::engine {
namespace {

constexpr std::size_t tag_bytes = 16;
constexpr std::size_t block_bytes = 16;

enum class Mode : std::uint8_t { ecb, cbc, gcm };

std::size_t iv_bytes(Mode mode) { return mode == Mode::ecb ? 0 : mode == Mode::cbc ? 16 : 12; }

std::string_view name_of(Mode mode) {
  return mode == Mode::ecb ? "ECB" : mode == Mode::cbc ? "CBC" : "GCM";
}

constexpr std::string_view both_names = "`aes_encrypt`/`aes_decrypt`";

Result<Mode> mode_of(std::string_view mode, std::string_view padding) {
  const std::string name = to_upper(mode);
  const std::string pad = to_upper(padding);
  const bool pkcs = pad == "DEFAULT" || pad == "PKCS";
  if (name == "ECB" && pkcs) return Mode::ecb;
  if (name == "CBC" && pkcs) return Mode::cbc;
  if (name == "GCM" && (pad == "DEFAULT" || pad == "NONE")) return Mode::gcm;
  return Status::error("UNSUPPORTED_FEATURE.AES_MODE", {{"mode", std::string(mode)},
                                                        {"padding", std::string(padding)},
                                                        {"functionName", std::string(both_names)}});
}

Result<const EVP_CIPHER*> cipher_of(Mode mode, std::size_t key_bytes) {
  switch (key_bytes) {
    case 16:
      return mode == Mode::ecb   ? EVP_aes_128_ecb()
             : mode == Mode::cbc ? EVP_aes_128_cbc()
                                 : EVP_aes_128_gcm();
    case 24:
      return mode == Mode::ecb   ? EVP_aes_192_ecb()
             : mode == Mode::cbc ? EVP_aes_192_cbc()
                                 : EVP_aes_192_gcm();
    case 32:
      return mode == Mode::ecb   ? EVP_aes_256_ecb()
             : mode == Mode::cbc ? EVP_aes_256_cbc()
                                 : EVP_aes_256_gcm();
    default:
      return Status::error("INVALID_PARAMETER_VALUE.AES_KEY_LENGTH",
                           {{"parameter", "`key`"},
                            {"functionName", std::string(both_names)},
                            {"actualLength", std::to_string(key_bytes)}});
  }
}

Status crypto_error(std::string_view message) {
  return Status::error("INVALID_PARAMETER_VALUE.AES_CRYPTO_ERROR",
                       {{"parameter", "`expr`, `key`"},
                        {"functionName", std::string(both_names)},
                        {"detailMessage", std::string(message)}});
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

class Cipher {
 public:
  Cipher(Mode mode, bool encrypts) : mode_(mode), encrypts_(encrypts) {}

  Status begin(std::string_view key, std::string_view iv, std::string_view aad) {
    TRY_ASSIGN(const EVP_CIPHER* cipher, cipher_of(mode_, key.size()));
    const bool ok = EVP_CipherInit_ex(context_.get(), cipher, nullptr, bytes_of(key),
                                      iv.empty() ? nullptr : bytes_of(iv), encrypts_ ? 1 : 0) == 1;
    if (!ok) return Status::internal("OpenSSL refused a cipher");
    int ignored = 0;
    if (!aad.empty()) {
      EVP_CipherUpdate(context_.get(), nullptr, &ignored, bytes_of(aad),
                       static_cast<int>(aad.size()));
    }
    return Status::OK();
  }

  // Nothing when the last block is not what it should be.
  std::optional<std::string> run(std::string_view text) {
    std::string out(text.size() + block_bytes, '\0');
    int size = 0;
    int rest = 0;
    if (EVP_CipherUpdate(context_.get(), bytes_of(out), &size, bytes_of(text),
                         static_cast<int>(text.size())) != 1)
      return std::nullopt;
    if (EVP_CipherFinal_ex(context_.get(), bytes_of(out) + size, &rest) != 1) {
      ERR_clear_error();
      return std::nullopt;
    }
    out.resize(static_cast<std::size_t>(size + rest));
    return out;
  }

  std::string tag() {
    std::string out(tag_bytes, '\0');
    EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_GCM_GET_TAG, tag_bytes, out.data());
    return out;
  }
  void expect_tag(std::string tag) {
    EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_GCM_SET_TAG, tag_bytes, tag.data());
  }

 private:
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  Mode mode_;
  bool encrypts_;
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_{EVP_CIPHER_CTX_new()};
};

// The vector that is given, or a new one.
Result<std::string> vector_for(Mode mode, std::string_view given) {
  if (mode == Mode::ecb && !given.empty()) {
    return Status::error("UNSUPPORTED_FEATURE.AES_MODE_IV",
                         {{"mode", "ECB"}, {"functionName", "`aes_encrypt`"}});
  }
  std::string out(given);
  if (given.empty() && mode != Mode::ecb) {
    out.resize(iv_bytes(mode));
    if (RAND_bytes(bytes_of(out), static_cast<int>(out.size())) != 1)
      return Status::internal("OpenSSL has no random bytes");
  }
  if (out.size() == iv_bytes(mode)) return out;
  return Status::error("INVALID_PARAMETER_VALUE.AES_IV_LENGTH",
                       {{"parameter", "`iv`"},
                        {"functionName", std::string(both_names)},
                        {"actualLength", std::to_string(out.size())},
                        {"mode", std::string(name_of(mode))}});
}

Status check_aad(Mode mode, std::string_view aad, std::string_view function) {
  if (aad.empty() || mode == Mode::gcm) return Status::OK();
  return Status::error(
      "UNSUPPORTED_FEATURE.AES_MODE_AAD",
      {{"mode", std::string(name_of(mode))}, {"functionName", std::string(function)}});
}

Result<std::string> encrypted(std::string_view text, std::string_view key, std::string_view mode,
                              std::string_view padding, std::string_view iv, std::string_view aad) {
  TRY_ASSIGN(const Mode kind, mode_of(mode, padding));
  TRY(cipher_of(kind, key.size()).status());
  TRY_ASSIGN(const std::string vector, vector_for(kind, iv));
  TRY(check_aad(kind, aad, "`aes_encrypt`"));
  Cipher cipher(kind, true);
  TRY(cipher.begin(key, vector, aad));
  const auto out = cipher.run(text);
  if (!out) return Status::internal("OpenSSL could not encrypt");
  return vector + *out + (kind == Mode::gcm ? cipher.tag() : "");
}

Result<std::string> decrypted(std::string_view text, std::string_view key, std::string_view mode,
                              std::string_view padding, std::string_view aad) {
  TRY_ASSIGN(const Mode kind, mode_of(mode, padding));
  TRY(cipher_of(kind, key.size()).status());
  TRY(check_aad(kind, aad, "`aes_decrypt`"));
  const std::size_t vector_size = iv_bytes(kind);
  if (text.size() < vector_size) return crypto_error("Invalid buffer arguments");
  const auto vector = text.substr(0, vector_size);
  auto body = text.substr(vector_size);
  Cipher cipher(kind, false);
  TRY(cipher.begin(key, vector, aad));
  if (kind == Mode::gcm) {
    if (body.size() < tag_bytes)
      return crypto_error("Input data too short to contain an expected tag length of 16bytes");
    cipher.expect_tag(std::string(body.substr(body.size() - tag_bytes)));
    body.remove_suffix(tag_bytes);
  } else if (body.size() % block_bytes != 0) {
    return crypto_error("Input length must be multiple of 16 when decrypting with padded cipher");
  }
  if (body.empty() && kind != Mode::gcm) return std::string();
  const auto out = cipher.run(body);
  if (out) return *out;
  return crypto_error(kind == Mode::gcm
                          ? "Tag mismatch!"
                          : "Given final block not properly padded. Such issues can arise if a bad "
                            "key is used during decryption.");
}

std::optional<OwnedBlob> aes_encrypt(Failure& fail, Blob text, Blob key, std::string_view mode,
                                     std::string_view padding, Blob iv, Blob aad) {
  auto out = encrypted(text.bytes, key.bytes, mode, padding, iv.bytes, aad.bytes);
  if (!out.ok()) return fail(out.status());
  return OwnedBlob{std::move(out).value()};
}

std::optional<OwnedBlob> aes_decrypt(Failure& fail, Blob text, Blob key, std::string_view mode,
                                     std::string_view padding, Blob aad) {
  auto out = decrypted(text.bytes, key.bytes, mode, padding, aad.bytes);
  if (!out.ok()) return fail(out.status());
  return OwnedBlob{std::move(out).value()};
}

}  // namespace

Status register_crypto_kernels(duckdb_connection c) {
  TRY(add_kernel<aes_encrypt>(c, "ms_aes_encrypt", KernelKind::volatile_));
  TRY(add_kernel<aes_decrypt>(c, "ms_aes_decrypt"));
  return add_kernel<aes_decrypt, true>(c, "ms_try_aes_decrypt");
}

}  // namespace millstream::engine
