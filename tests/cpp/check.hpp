/* SPDX-License-Identifier: Apache-2.0
 * check.hpp -- facts of the C++ tests: a program states them and ends with the number of those that failed; at its end nothing is alive. */
#ifndef CHECK_HPP
#define CHECK_HPP
#include <cstdio>
#include <cstring>
#include <kiln/kiln.hpp>
#include <sstream>

inline int failures;
inline void fact(bool holds, const char *what, int line)
{
    if (holds)
        return;
    std::printf("line %d: not so: %s\n", line, what);
    failures++;
}
#define CHECK(...) fact((__VA_ARGS__), #__VA_ARGS__, __LINE__)
/* The array prints as this text. */
inline void prints(const kiln::array &x, const char *text, int line)
{
    std::ostringstream out;
    out << x;
    if (out.str() == text)
        return;
    std::printf("line %d: printed\n%s\ninstead of\n%s\n", line, out.str().c_str(), text);
    failures++;
}
#define PRINTS(x, text) prints(x, text, __LINE__)
/* The expression throws that, with this message, and the error has the line of the expression. */
#define THROWS(type, text, ...)                                                                                        \
    do {                                                                                                               \
        bool thrown = false;                                                                                           \
        try {                                                                                                          \
            (void)(__VA_ARGS__);                                                                                       \
        } catch (const kiln::type &e) {                                                                                \
            thrown = true;                                                                                             \
            if (std::strcmp(e.what(), text) != 0 || e.line() != __LINE__ || !std::strstr(e.file(), ".cpp"))            \
                std::printf("line %d: %s (%s:%d)\n", __LINE__, e.what(), e.file(), e.line()), failures++;              \
        } catch (const std::exception &e) {                                                                            \
            std::printf("line %d: %s\n", __LINE__, e.what());                                                          \
        }                                                                                                              \
        fact(thrown, "throws " #type ": " #__VA_ARGS__, __LINE__);                                                     \
    } while (0)

static void tests();
int main()
{
    try {
        tests();
    } catch (const std::exception &e) {
        std::printf("thrown: %s\n", e.what());
        failures++;
    }
    CHECK(kiln::live_count() == 0);
    CHECK(!kn_error_pending());
    return kn_finish() + failures != 0;
}
#endif
