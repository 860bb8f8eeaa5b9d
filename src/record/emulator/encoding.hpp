// Parses the parts of an x86-64 instruction for instruction.cpp: prefixes, ModRM and immediates.
#pragma once

#include <string.h>

#include "record/emulator/instruction.hpp"

namespace Atoll::record::dbi {

class Encoding {
 public:
  Encoding(const std::uint8_t* code, std::size_t bytes, std::uint64_t address)
      : code_(code), bytes_(bytes), address_(address) {}

 protected:
  /// Parses the prefixes up to the opcode. Returns false if there is no opcode.
  bool prefixes() {
    for (; at_ < bytes_; ++at_) {
      const std::uint8_t byte = code_[at_];
      if (byte == 0x66)
        narrow_ = true;
      else if (byte == 0xF2 || byte == 0xF3)
        repeat_ = byte;
      else if (byte == 0x64 || byte == 0x65)
        segment_ = byte;
      else if (byte != 0x2E && byte != 0x3E)
        break;
    }
    if (at_ < bytes_ && (code_[at_] & 0xF0) == 0x40) rex_ = code_[at_++];
    if (at_ + 1 < bytes_ && code_[at_] == 0xC5) {
      vex_ = true;
      rex_ = (code_[at_ + 1] >> 5 & 4) ^ 4;  // VEX.R, inverted
      repeat_ = pp(code_[at_ + 1]);
      map_ = 1;
      second_ = second(code_[at_ + 1]);
      at_ += 2;
    } else if (at_ + 2 < bytes_ && code_[at_] == 0xC4) {
      vex_ = true;
      rex_ = (code_[at_ + 1] >> 5) ^ 7;  // VEX.R, X and B, inverted
      map_ = code_[at_ + 1] & 0x1F;
      repeat_ = pp(code_[at_ + 2]);
      if ((code_[at_ + 2] & 0x80) != 0) rex_ |= 8;
      second_ = second(code_[at_ + 2]);
      at_ += 3;
    }
    return at_ < bytes_;
  }

  std::uint8_t pp(std::uint8_t byte) {
    narrow_ = (byte & 3) == 1;
    return (byte & 3) == 2 ? 0xF3 : (byte & 3) == 3 ? 0xF2 : 0;
  }

  static Register second(std::uint8_t byte) { return static_cast<Register>((~byte >> 3) & 15); }

  [[nodiscard]] bool wide() const { return (rex_ & 8) != 0; }
  /// Returns the size in bytes of an operand whose opcode isn't the 8-bit form.
  [[nodiscard]] std::uint8_t width() const { return wide() ? 8 : narrow_ ? 2 : 4; }

  template <typename T>
  std::int64_t immediate() {
    T value = 0;
    if (at_ + sizeof value <= bytes_) memcpy(&value, code_ + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::int64_t immediate(std::uint8_t bytes) {
    return bytes == 1   ? immediate<std::int8_t>()
           : bytes == 2 ? immediate<std::int16_t>()
                        : immediate<std::int32_t>();
  }

  bool skip(std::size_t constant_bytes) {
    at_ += constant_bytes;
    return true;
  }

  /// Parses ModRM, SIB and displacement. `immediate_bytes` more bytes follow in the instruction.
  void operand(std::size_t immediate_bytes) {
    const std::uint8_t modrm = at_ < bytes_ ? code_[at_] : 0xFF;
    ++at_;
    const unsigned mode = modrm >> 6;
    reg_ = static_cast<Register>(((modrm >> 3) & 7) | ((rex_ & 4) << 1));
    rm_ = static_cast<Register>((modrm & 7) | ((rex_ & 1) << 3));
    in_memory_ = mode != 3;
    if (!in_memory_) return;
    memory_.segment = segment_;
    if ((modrm & 7) == 4) {
      const std::uint8_t sib = at_ < bytes_ ? code_[at_] : 0;
      ++at_;
      const auto index = static_cast<Register>(((sib >> 3) & 7) | ((rex_ & 2) << 2));
      if (index != kRsp) {
        memory_.index = index;
        memory_.scale = static_cast<std::uint8_t>(1U << (sib >> 6));
      }
      memory_.base = static_cast<Register>((sib & 7) | ((rex_ & 1) << 3));
      if ((sib & 7) == kRbp && mode == 0) {
        memory_.base = kNoRegister;
        memory_.displacement = immediate<std::int32_t>();
      }
    } else if ((modrm & 7) == kRbp && mode == 0) {
      memory_.displacement = immediate<std::int32_t>();
      memory_.displacement += static_cast<std::int64_t>(address_ + at_ + immediate_bytes);
    } else {
      memory_.base = rm_;
    }
    if (mode == 1) memory_.displacement = immediate<std::int8_t>();
    if (mode == 2) memory_.displacement = immediate<std::int32_t>();
  }

  const std::uint8_t* code_;
  std::size_t bytes_;
  std::uint64_t address_;
  std::size_t at_ = 0;
  bool narrow_ = false;       // prefix 66
  std::uint8_t repeat_ = 0;   // prefix F2 or F3
  std::uint8_t segment_ = 0;  // prefix 64 or 65 (fs, gs)
  std::uint8_t rex_ = 0;
  bool vex_ = false;
  unsigned map_ = 1;
  Register second_ = kNoRegister;  // additional operand of VEX (vvvv)
  Register reg_ = 0, rm_ = 0;
  bool in_memory_ = false;
  Address memory_;
};

}  // namespace Atoll::record::dbi
