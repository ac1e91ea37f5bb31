# SPDX-License-Identifier: Apache-2.0
"""The programs of make_eager_torch.py: (name, text)."""
X = "new x 3 0.5 -1.25 2"
W = "new x 3 0.5 -1.25 2\nwatch x"
P = "new x 3 0.5 1.25 2\nwatch x"
M = "new x 2x3 0.1 0.9 -0.4 1.5 -2 0.3\nwatch x"
S = "new x 2x2 2 0.5 0.5 1.5\nwatch x"
PROGRAMS = []


def add(name, *lines):
    PROGRAMS.append((name, "\n".join(lines)))


# ---- One operation and its gradient, once, and of the gradient again.
for op in "sin cos exp tanh neg square sigmoid softplus expm1 arctan erf softmax logsoftmax cumsum flip sort copy".split():
    add(f"gradient of {op}", W, f"y = {op} x", "new c 3 1 -2 3", "z = mul y c", "s = sum z", "backward s", "grads x")
for op in "log sqrt log1p abs relu prod logsumexp max mean".split():
    add(f"gradient of {op}, twice", P, f"y = {op} x", "z = square y", "s = sum z", "backward s record", "grads x", "g = grad x", "clear x", "h = square g",
        "t = sum h", "backward t", "grads x")
for op in "add sub mul div pow maximum minimum atan2 hypot".split():
    add(f"gradients of {op}", P, "new w 3 1.5 0.25 2.5\nwatch w", f"y = {op} x w", "z = sin y", "s = sum z", "backward s", "grads x", "grads w")
for op in "inv det transpose".split():
    add(f"gradient of {op}", S, f"y = {op} x", "z = sin y", "s = sum z", "backward s", "grads x")

add("gradient of cholesky", S, "t = transpose x", "a = add x t", "y = cholesky a", "z = sin y", "s = sum z", "backward s", "grads x")

# ---- Accumulation.
add("gradients add up", W, "y = square x", "s = sum y", "backward s", "grads x", "z = sin x", "t = sum z", "backward t", "grads x")
add("a cleared gradient begins anew", W, "y = square x", "s = sum y", "backward s", "clear x", "grads x", "z = sin x", "t = sum z", "backward t", "grads x")
add("no backward, no gradient", W, "grads x")
add("a gradient of zeros is one", W, "y = mul x 0", "s = sum y", "backward s", "grads x")
add("what is not reached has none", W, "new w 3 1 2 3\nwatch w", "y = square x", "s = sum y", "backward s", "grads w", "grads x")
add("several uses", W, "y = mul x x", "z = mul y x", "a = add y z", "b = add a x", "s = sum b", "backward s", "grads x")
add("a diamond", W, "y = sin x", "a = exp y", "b = cos y", "z = mul a b", "s = sum z", "backward s", "grads x")
add("two losses of one input", W, "y = square x", "s = sum y", "z = exp x", "t = sum z", "backward s", "backward t", "grads x")
add("three times the same", W, "y = square x", "s = sum y", "backward s keep", "backward s keep", "backward s", "grads x")
add("broadcasting sums", "new x - 1.5\nwatch x", "new w 2x3 1 2 3 4 5 6", "y = mul x w", "s = sum y", "backward s", "grads x")
add("broadcasting of rows", W, "new w 2x3 1 2 3 4 5 6\nwatch w", "y = mul x w", "z = sin y", "s = sum z", "backward s", "grads x", "grads w")
add("a sum of a watched scalar with itself", "new x - 3\nwatch x", "y = add x x", "backward y", "grads x")
add("the watched array itself", "new x - 3\nwatch x", "backward x", "grads x", "backward x", "grads x")
add("twice into two inputs", W, "new w 3 1 2 3\nwatch w", "y = mul x w", "s = sum y", "backward s keep", "backward s", "grads x", "grads w")

# ---- Graphs that were let go.
add("a graph goes once", W, "y = square x", "s = sum y", "backward s", "backward s", "grads x")
add("a shared part is gone", W, "y = exp x", "s = sum y", "z = sin y", "t = sum z", "backward s", "backward t", "grads x")
add("a shared part is kept", W, "y = exp x", "s = sum y", "z = sin y", "t = sum z", "backward s keep", "backward t", "grads x")
add("kept, then let go", W, "y = exp x", "s = sum y", "backward s keep", "backward s", "backward s", "grads x")
add("made again is new", W, "y = exp x", "s = sum y", "backward s", "y = exp x", "s = sum y", "backward s", "grads x")
add("another branch is not gone", W, "y = exp x", "z = sin x", "s = sum y", "t = sum z", "backward s", "backward t", "grads x")

# ---- Seeds.
add("a seed", W, "y = square x", "new c 3 1 10 100", "backward y seed c", "grads x")
add("no seed", W, "y = square x", "backward y", "grads x")
add("a seed of a scalar", W, "y = square x", "s = sum y", "new c - 2.5", "backward s seed c", "grads x")
add("one element needs none", "new x 1 3\nwatch x", "y = square x", "backward y", "grads x")
add("a seed of one row", M, "y = tanh x", "new c 2x3 1 2 3 0 0 0", "backward y seed c", "grads x")
add("the seed may depend on the input", W, "y = square x", "c = sin x", "backward y seed c record", "grads x", "g = grad x", "clear x", "s = sum g",
    "backward s", "grads x")

# ---- Nothing watched.
add("nothing is watched", X, "y = square x", "s = sum y", "backward s")
add("what depends on it", W, "y = square x", "new w 3 1 2 3", "z = square w", "a = add y z", "asks x", "asks y", "asks w", "asks z", "asks a")
add("integers have none", W, "y = int x", "watch y")
add("watched late", X, "y = square x", "watch x", "s = sum y", "asks y", "backward s")
add("watched twice is watched", W, "y = square x", "watch x", "s = sum y", "backward s", "grads x")
add("through integers nothing goes", W, "y = int x", "asks y")

# ---- Gradients in between.
add("a gradient in between", W, "y = square x", "watch y", "z = sin y", "s = sum z", "backward s", "grads y", "grads x")
add("none where it is not watched", W, "y = square x", "z = sin y", "s = sum z", "backward s", "grads y", "grads x")
add("between, of two uses", W, "y = square x", "watch y", "z = sin y", "a = mul z y", "s = sum a", "backward s", "grads y", "grads x")
add("between, twice", W, "y = exp x", "watch y", "s = sum y", "backward s keep", "backward s", "grads y", "grads x")
add("two in between", W, "y = exp x", "watch y", "z = mul y y", "watch z", "s = sum z", "backward s", "grads z", "grads y", "grads x")

# ---- no_grad, detach.
add("nothing is recorded", W, "off", "y = square x", "on", "asks y", "asks x")
add("half is recorded", W, "y = square x", "off", "z = sin x", "on", "a = mul y z", "s = sum a", "backward s", "grads x")
add("backward of what was made before", W, "y = square x", "s = sum y", "off", "z = mul s 2", "on", "backward s", "grads x")
add("detached", W, "y = square x", "d = detach y", "asks d", "z = mul d x", "s = sum z", "backward s", "grads x")
add("detached is constant", W, "d = detach x", "y = mul x d", "s = sum y", "backward s", "grads x")
add("straight through", W, "y = tanh x", "a = sub y x", "d = detach a", "z = add x d", "c = square z", "s = sum c", "show z", "backward s", "grads x")
add("a step of descent", W, "y = square x", "s = sum y", "backward s", "g = grad x", "off", "u = mul g 0.1", "isub x u", "on", "asks x", "show x", "clear x",
    "y = square x", "s = sum y", "backward s", "grads x")
add("five steps of descent", W, *["y = sin x", "z = mul y x", "s = sum z", "backward s", "g = grad x", "off", "u = mul g 0.05", "isub x u", "on",
    "clear x"] * 5,
    "show x")
add("gradients stay after an update", W, "y = square x", "s = sum y", "backward s", "g = grad x", "off", "imul x 0.5", "on", "grads x", "y = square x",
    "s = sum y", "backward s", "grads x")
add("momentum", W, "new v 3 0 0 0", *["y = square x", "s = sum y", "clear x", "backward s", "g = grad x", "off", "imul v 0.9", "iadd v g", "u = mul v 0.1",
                                     "isub x u", "on"] * 4, "show x", "show v")
add("weights and bias", M, "new w 3x2 1 2 3 4 5 6\nwatch w", "new b 2 0.5 -0.5\nwatch b", "y = matmul x w", "z = add y b", "a = tanh z", "s = sum a",
    "backward s", "grads w", "grads b", "grads x")

# ---- Writes.
add("a write to a result", W, "y = mul x 2", "iadd y 1", "z = square y", "s = sum z", "backward s", "grads x")
add("a write with the input", W, "y = mul x 2", "imul y x", "s = sum y", "backward s", "grads x")
add("writes one after the other", W, "y = mul x 2", "iadd y 1", "imul y y", "isub y x", "idiv y 4", "s = sum y", "backward s", "grads x")
add("into an array of zeros", W, "new y 3 0 0 0", "put y 1: 2", "iadd y x", "z = square y", "s = sum z", "backward s", "grads x", "asks y")
add("elements one by one", W, "new y 3 0 0 0", "a = at x 0:1", "b = sin a", "put y 0:1 b", "c = at x 1:2", "d = exp c", "put y 1:2 d", "e = mul a c",
    "put y 2:3 e", "z = square y", "s = sum z", "backward s", "grads x")
add("overwritten is not used", W, "y = square x", "put y 0:2 5", "s = sum y", "backward s", "grads x")
add("all overwritten", W, "new w 3 1 2 3\nwatch w", "y = square x", "put y : w", "s = sum y", "backward s", "grads w", "grads x")
add("a write to what was needed", W, "y = square x", "z = square y", "imul y 10", "s = sum z", "backward s", "grads x")
add("a write to a result that was needed", W, "y = exp x", "s = sum y", "iadd y 1", "backward s", "grads x")
add("a write to a factor", W, "new w 3 1 2 3", "y = mul x w", "s = sum y", "backward s", "grads x")
add("a write after that needs nothing", W, "y = add x 1", "z = add y 2", "imul y 10", "s = sum z", "backward s", "grads x")
add("a write to a watched leaf", W, "iadd x 1")
add("a write to a part of a watched leaf", W, "put x 0:1 7")
add("an update and a new loss", W, "off", "imul x 3", "on", "y = square x", "s = sum y", "backward s", "grads x")

# ---- Views.
add("a view of the input", W, "y = at x 1:", "z = square y", "s = sum z", "backward s", "grads x")
add("overlapping views", W, "a = at x 0:2", "b = at x 1:3", "y = mul a b", "s = sum y", "backward s", "grads x")
add("rows and columns", M, "a = at x 0", "b = at x :,1", "c = sum a", "d = prod b", "e = mul c d", "backward e", "grads x")
add("a view of a view", M, "a = at x 1:", "b = at a 0,::2", "c = exp b", "s = sum c", "backward s", "grads x")
add("a write through a view", W, "y = mul x 2", "v = at y 1:", "imul v 3", "z = square y", "s = sum z", "backward s", "grads x", "show y")
add("a write beside a view", W, "y = mul x 2", "v = at y 1:", "imul y 3", "z = square v", "s = sum z", "backward s", "grads x", "show v")
add("a write to one view seen in another", W, "y = mul x 2", "v = at y 0:2", "w = at y 1:3", "imul v 5", "z = square w", "s = sum z", "backward s", "grads x")
add("a view written with the input", W, "new y 3 0 0 0", "v = at y 0:2", "a = at x 1:3", "put v : a", "z = square y", "s = sum z", "backward s", "grads x")
add("a view of a row, written", M, "y = mul x 1", "r = at y 0", "put r : 4", "z = square y", "s = sum z", "backward s", "grads x")
add("a column, written", M, "y = mul x 1", "r = at y :,0", "imul r 2", "e = exp y", "s = sum e", "backward s", "grads x")
add("rows taken are a copy", M, "y = pick x 1 1 0", "z = square y", "s = sum z", "backward s", "grads x")
add("a reshaped view", M, "y = reshape x 3 2", "a = at y 0", "z = exp a", "s = sum z", "backward s", "grads x")
add("a gradient between, of a view", W, "y = exp x", "v = at y 0:2", "z = square v", "s = sum z", "watch y", "t = sum y", "backward t", "grads y", "grads x")

# ---- Higher order.
for n in range(2, 5):
    lines = ["new x - 0.75\nwatch x", "y = sin x", "g = mul y x"]
    for _ in range(n - 1):
        lines += ["backward g record", "grads x", "g = grad x", "clear x"]
    add(f"derivative {n} of x sin x", *lines, "backward g", "grads x")
add("a penalty on the gradient", W, "y = tanh x", "s = sum y", "backward s record", "g = grad x", "clear x", "p = square g", "t = sum p",
    "backward t", "grads x")
add("a gradient used in a loss", W, "new w 3 1 2 3\nwatch w", "y = mul x w", "z = sin y", "s = sum z", "backward s record", "g = grad x", "clear x",
    "clear w",
    "h = square g", "t = sum h", "backward t", "grads x", "grads w")
add("a row of the second derivative", W, "y = sin x", "z = mul y y", "e = exp z", "s = sum e", "backward s record", "g = grad x", "clear x", "r = at g 1",
    "backward r keep", "grads x")
add("a gradient without a record is constant", W, "y = square x", "s = sum y", "backward s", "g = grad x", "asks g", "z = mul g x", "t = sum z", "clear x",
    "backward t", "grads x")
add("recorded gradients add up", W, "y = square x", "z = mul y x", "s = sum z", "backward s record", "backward s record", "g = grad x", "clear x",
    "t = sum g",
    "backward t", "grads x")
add("a product with the second derivative", P, "new v 3 1 0 -1", "y = log x", "z = mul y x", "s = sum z", "backward s record", "g = grad x", "clear x",
    "d = mul g v", "t = sum d", "backward t", "grads x")
add("an unrolled step of descent", W, "new r - 0.1\nwatch r", "y = square x", "s = sum y", "backward s record", "g = grad x", "clear x", "u = mul r g",
    "n = sub x u", "m = exp n", "t = sum m", "backward t", "grads r", "grads x")

# ---- Loops.
add("a loop run by hand", W, "y = mul x 1", *["z = sin y", "y = add z x"] * 6, "s = sum y", "backward s", "grads x")
add("a loop of writes", W, "y = mul x 1", *["z = sin y", "imul z 0.5", "iadd z x", "y = mul z 1"] * 4, "s = sum y", "backward s", "grads x")
add("a recurrence", "new x - 0.3\nwatch x", "new h - 0", *["a = mul h 0.5", "b = add a x", "h = tanh b"] * 8, "backward h", "grads x")
add("a hidden state that is cut", "new x - 0.3\nwatch x", "new h - 0", *["a = mul h 0.5", "b = add a x", "h = tanh b"] * 3, "h = detach h",
    *["a = mul h 0.5", "b = add a x", "h = tanh b"] * 3, "backward h", "grads x")
add("branches by elements", W, "a = exp x", "b = square x", "y = where x a b", "s = sum y", "backward s", "grads x")
add("joined", W, "new w 2 4 5\nwatch w", "y = concat x w", "z = square y", "a = at z 1:4", "s = sum a", "backward s", "grads x", "grads w")
add("stacked", W, "y = sin x", "z = stack x y x", "a = sum0 z", "b = square a", "s = sum b", "backward s", "grads x")
add("a linear system", S, "new b 2x1 1 2\nwatch b", "y = solve x b", "z = square y", "s = sum z", "backward s", "grads x", "grads b")

# ---- Dual numbers.
for op in "sin exp tanh softmax cumsum square sigmoid".split():
    add(f"tangent of {op}", X, "new t 3 1 -1 0.5", "level", "d = dual x t", f"y = {op} d", "a = tangent y", "show a", "b = primal y", "show b", "endlevel")
add("no tangent is zero", X, "level", "a = tangent x", "show a", "endlevel")
add("a product of duals", X, "new t 3 1 -1 0.5", "new w 3 3 4 5", "new u 3 0 1 0", "level", "d = dual x t", "e = dual w u", "y = mul d e", "a = tangent y",
    "show a", "endlevel")
add("a dual and a constant", X, "new t 3 1 -1 0.5", "new w 3 3 4 5", "level", "d = dual x t", "y = mul d w", "z = add y 1", "a = tangent z",
    "show a", "endlevel")
add("a dual's view", X, "new t 3 1 -1 0.5", "level", "d = dual x t", "v = at d 1:", "y = square v", "a = tangent y", "show a", "endlevel")
add("a write with a dual", X, "new t 3 1 -1 0.5", "level", "d = dual x t", "y = mul d 2", "imul y d", "a = tangent y", "show a", "endlevel")
add("tangents of a matrix product", "new x 2x2 1 2 3 4", "new t 2x2 0 1 0 0", "level", "d = dual x t", "y = matmul d d", "a = tangent y", "show a",
    "endlevel")
add("backward over tangents", W, "new t 3 1 0 -1", "level", "d = dual x t", "y = sin d", "z = mul y d", "s = sum z", "a = tangent s", "backward a", "grads x",
    "endlevel")
add("a tangent that is watched", X, "new t 3 1 -1 0.5\nwatch t", "level", "d = dual x t", "y = sin d", "a = tangent y", "s = sum a", "backward s", "grads t",
    "endlevel")
