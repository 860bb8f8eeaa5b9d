// Figures of tests that sanitizers change.
#pragma once

namespace Atoll {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif
/// Sanitizers slow the project's code down, but not the standard library's code that tests compare
/// it with.
inline constexpr double kSlowdown = kSanitized ? 10 : 1;

}  // namespace Atoll
