// The subset of qemu's plugin interface (version 1, qemu 7.2 and later) that Atoll uses. It is
// declared here since Debian doesn't package qemu's header. The functions are defined in the qemu
// executable that loads the plugin.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct qemu_plugin_tb;    // a block of translated code
struct qemu_plugin_insn;  // an instruction in it

/// Information that qemu passes at the start; only the first member is declared.
struct qemu_info_t {
  const char* target_name;  ///< "x86_64", "i386"
};

using qemu_plugin_id_t = std::uint64_t;
/// Describes an access: bits 4 to 6 are log2 of its size in bytes, bit 16 means a load, bit 17 a
/// store.
using qemu_plugin_meminfo_t = std::uint32_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS = 0 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };

std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb* block);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb* block, std::size_t index);
const void* qemu_plugin_insn_data(const qemu_plugin_insn* instruction);
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn* instruction);
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn* instruction);
void* qemu_plugin_insn_haddr(const qemu_plugin_insn* instruction);
std::uint64_t qemu_plugin_start_code();

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*call)(qemu_plugin_id_t, qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb* block,
                                          void (*call)(unsigned cpu, void* data),
                                          qemu_plugin_cb_flags flags, void* data);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn* instruction,
                                      void (*call)(unsigned cpu, qemu_plugin_meminfo_t access,
                                                   std::uint64_t address, void* data),
                                      qemu_plugin_cb_flags flags, qemu_plugin_mem_rw which,
                                      void* data);
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn* instruction,
                                            void (*call)(unsigned cpu, void* data),
                                            qemu_plugin_cb_flags flags, void* data);
void qemu_plugin_register_vcpu_syscall_cb(
    qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t, unsigned cpu, std::int64_t number,
                                      std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                                      std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t));
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
                                              void (*call)(qemu_plugin_id_t, unsigned cpu,
                                                           std::int64_t number,
                                                           std::int64_t result));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t, void*),
                                    void* data);

/// Every plugin must define this.
extern __attribute__((visibility("default"))) int qemu_plugin_version;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
                                                               const qemu_info_t* info, int argc,
                                                               char** argv);
}
