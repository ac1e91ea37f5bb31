#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# bundle.py -- the package's modules as one file without comments, for pages: they would fetch some fifty of them, row
# after row. Each module becomes a function whose result is what it exports.
#     bundle.py ENTRY.js OUT.js       OUT.js lies in the folder of ENTRY.js; other files are found as before
import os
import re
import sys

IDENT = re.compile(r'[#\w$\u0080-\uffff]+')
NUMBER = re.compile(r'0[xXbBoO][0-9a-fA-F_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?n?')
STRING = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\"""", re.S)
REGEX = re.compile(r'/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*')
PUNCTUATION = sorted('''{ } ( ) [ ] . ... ; , < > <= >= == != === !== + - * / % ** ++ -- << >> >>> & | ^ ! ~ && || ?? ?
    ?. : = += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??= =>'''.split(), key=len, reverse=True)
# What a `/` after it begins a regular expression, not a division.
BEFORE_REGEX = set('return typeof case in of delete void throw new else do await yield'.split())
AFTER_VALUE = {')', ']', '}', '++', '--'}
# Between these and their neighbour a line's end says nothing.
OPENS = set('{ ( [ , ; : ? = => && || ?? . ?.'.split())
CLOSES = set('} ) ] , ; : ? . ?. && || ??'.split())


def template_end(text, at, name):
    """Behind the template that begins at `at`."""
    at += 1
    while text[at] != '`':
        if text.startswith('${', at):
            at = scan(text, at + 2, name, inside=True)[1]
        else:
            at += 2 if text[at] == '\\' else 1
    return at + 1


def token_end(text, at, last, name):
    """Behind the token at `at`; `last` is the one before it."""
    c = text[at]
    if c == '`':
        return template_end(text, at, name)
    number = c.isdigit() or (c == '.' and text[at + 1].isdigit())
    for pattern, fits in ((STRING, c in '\'"'), (NUMBER, number), (IDENT, True)):
        found = fits and pattern.match(text, at)
        if found:
            return found.end()
    word = bool(last) and bool(re.match(r'[\w$#\'"`/]', last[-1]))
    value = last in AFTER_VALUE or (word and last not in BEFORE_REGEX | {'/'})
    if c == '/' and not value:
        return REGEX.match(text, at).end()
    p = next((p for p in PUNCTUATION if text.startswith(p, at)), None)
    if p is None:
        raise SystemExit(f'{name}: what is {text[at:at + 20]!r}?')
    return at + len(p)


def scan(text, at, name, inside=False):
    """[token, whether a line began before it] and where it ended: at the end, or behind the brace that closes what
    is inside of a template. Comments and spaces are gone."""
    out, fresh, depth = [], False, 0
    while at < len(text):
        if text[at].isspace():
            fresh = fresh or text[at] == '\n'
            at += 1
        elif text.startswith('//', at):
            at = text.find('\n', at) if '\n' in text[at:] else len(text)
        elif text.startswith('/*', at):
            end = text.index('*/', at) + 2
            fresh, at = fresh or '\n' in text[at:end], end
        elif inside and depth == 0 and text[at] == '}':
            return out, at + 1
        else:
            end = token_end(text, at, out[-1][0] if out else '', name)
            out.append((text[at:end], fresh))
            depth += {'{': 1, '}': -1}.get(text[at:end], 0)
            at, fresh = end, False
    return out, at


def joined(list_):
    """The text of tokens, with the spaces and lines that they need."""
    parts, last = [], ''
    for token, fresh in list_:
        if last:
            a, b = last[-1], token[0]
            if fresh and last not in OPENS and token not in CLOSES:
                parts.append('\n')
            elif (IDENT.match(a) and IDENT.match(b)) or (a == b and a in '+-/') or (a.isdigit() and b == '.') \
                    or (IDENT.match(a) and b == '`' and last in BEFORE_REGEX):
                parts.append(' ')
        parts.append(token)
        last = token
    return ''.join(parts)


def names(list_, at):
    """What stands between braces at `at`: [(name, as what)], and the place behind them."""
    end, found = at + 1, []
    while list_[end][0] != '}':
        name = list_[end][0]
        end += 1
        other = name
        if list_[end][0] == 'as':
            other = list_[end + 1][0]
            end += 2
        if list_[end][0] == ',':
            end += 1
        found.append((name, other))
    return found, end + 1


class Module:
    def __init__(self, path):
        self.path = path
        self.needs = []  # paths
        self.exports = []  # (name outside, expression)
        self.body = []
        with open(path, encoding='utf-8') as f:
            self.read(scan(f.read(), 0, path)[0])

    def from_(self, list_, at):
        """The path behind `from` at `at`, and the place behind the statement."""
        if list_[at][0] != 'from':
            raise SystemExit(f'{self.path}: "from" instead of {list_[at][0]}')
        path = os.path.normpath(os.path.join(os.path.dirname(self.path), list_[at + 1][0][1:-1]))
        if path not in self.needs:
            self.needs.append(path)
        return path, at + 3 if at + 2 < len(list_) and list_[at + 2][0] == ';' else at + 2

    def imported(self, list_, at):
        if list_[at + 1][0] == '*':
            path, end = self.from_(list_, at + 4)
            text = f'const {list_[at + 3][0]}={{{{{path}}}}};'
        else:
            what, end = names(list_, at + 1)
            path, end = self.from_(list_, end)
            text = 'const {' + ','.join(a if a == b else f'{a}:{b}' for a, b in what) + f'}}={{{{{path}}}}};'
        self.body.append((text, True))
        return end

    def exported(self, list_, at):
        """`export` at `at`; the place of what stays of it."""
        what = list_[at + 1][0]
        if what == '{':
            found, end = names(list_, at + 1)
            if end < len(list_) and list_[end][0] == 'from':
                path, end = self.from_(list_, end)
                self.exports += [(b, f'{{{{{path}}}}}.{a}') for a, b in found]
                return end
            self.exports += [(b, a) for a, b in found]
            return end + 1 if end < len(list_) and list_[end][0] == ';' else end
        if what in ('function', 'class', 'async'):
            name = next(t for t, _ in list_[at + 1:] if t not in ('function', 'class', 'async', '*'))
            self.exports.append((name, name))
        elif what == 'const':
            self.declared(list_, at + 2)
        else:  # a variable may change, which a copy of it does not show
            raise SystemExit(f'{self.path}: export {what}: functions, classes, constants and lists alone')
        return at + 1

    def declared(self, list_, at):
        """The names of a declaration: those before a `=` that is in no brackets, and in lists of names."""
        depth, begins = 0, True
        while at < len(list_):
            token, fresh = list_[at]
            if begins and token in '{[':
                if token == '[':
                    end = next(i for i in range(at, len(list_)) if list_[i][0] == ']')
                    found = [(t, t) for t, _ in list_[at + 1:end] if t != ',']
                    at = end + 1
                else:
                    found, at = names(list_, at)
                self.exports += [(b, b) for _, b in found]
                begins = False
                continue
            if begins:
                self.exports.append((token, token))
            begins = depth == 0 and token == ','
            depth += {'{': 1, '(': 1, '[': 1, '}': -1, ')': -1, ']': -1}.get(token, 0)
            if depth == 0 and token == ';':
                return
            at += 1

    def read(self, list_):
        at, depth = 0, 0
        while at < len(list_):
            token, fresh = list_[at]
            following = list_[at + 1][0] if at + 1 < len(list_) else ''
            if depth == 0 and token == 'import' and following not in '.(':
                at = self.imported(list_, at)
            elif depth == 0 and token == 'export':
                at = self.exported(list_, at)
            else:
                depth += {'{': 1, '(': 1, '[': 1, '}': -1, ')': -1, ']': -1}.get(token, 0)
                self.body.append((token, fresh))
                at += 1

    def text(self, number, folder):
        body = joined(self.body)
        where = os.path.relpath(self.path, folder)
        if os.path.dirname(where):  # a file that it names lies beside it
            body = body.replace('import.meta.url', f"new URL('{where}',import.meta.url).href")
        for path in self.needs:
            body = body.replace('{{' + path + '}}', f'$m{number[path]}')
        pairs = []
        for name, expression in self.exports:
            for path in self.needs:
                expression = expression.replace('{{' + path + '}}', f'$m{number[path]}')
            pairs.append(name if name == expression else f'{name}:{expression}')
        return f'const $m{number[self.path]}=(()=>{{{body}\nreturn{{__proto__:null,{",".join(pairs)}}}}})();\n'


def order(entry):
    """All modules, each behind those that it needs."""
    modules, done, open_ = {}, [], []

    def visit(path):
        if path in done:
            return
        if path in open_:
            raise SystemExit('a circle of modules: ' + ' -> '.join(open_[open_.index(path):] + [path]))
        open_.append(path)
        modules[path] = Module(path)
        for need in modules[path].needs:
            visit(need)
        open_.pop()
        done.append(path)
    visit(entry)
    return [modules[path] for path in done]


def main(entry, out):
    entry = os.path.normpath(entry)
    modules = order(entry)
    number = {m.path: i for i, m in enumerate(modules)}
    text = '// SPDX-License-Identifier: Apache-2.0\n// Made of the modules beside it (tools/bundle.py).\n'
    text += ''.join(m.text(number, os.path.dirname(entry)) for m in modules)
    last, exports = modules[-1], []
    for name, _ in last.exports:
        if name == 'default':
            text += f'export default $m{number[entry]}.default;\n'
        else:
            exports.append(name)
    # Names of the outside: those of its own stay out of the way by the `$`.
    text += 'const {' + ','.join(f'{n}:$e{i}' for i, n in enumerate(exports)) + f'}}=$m{number[entry]};\n'
    text += 'export {' + ','.join(f'$e{i} as {n}' for i, n in enumerate(exports)) + '};\n'
    with open(out, 'w', encoding='utf-8') as f:
        f.write(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
