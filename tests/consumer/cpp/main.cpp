/* SPDX-License-Identifier: Apache-2.0
 * main.cpp -- the smallest program of a user: prints [1. 1. 1.]. */
#include <iostream>
#include <kiln/kiln.hpp>

int main()
{
    auto f = kiln::jit([](kiln::array x) { return x + 1; });
    std::cout << f(kiln::zeros({3})) << '\n';
}
