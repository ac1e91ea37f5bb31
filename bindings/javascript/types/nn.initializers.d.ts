// SPDX-License-Identifier: Apache-2.0
// needs: nn.js
    zeros(key: Array, shape: Shape, dtype?: DType): Array;
    ones(key: Array, shape: Shape, dtype?: DType): Array;
    constant(value: ArrayLike, dtype?: DType): Initializer;
    uniform(scale?: number, dtype?: DType): Initializer;
    normal(stddev?: number, dtype?: DType): Initializer;
    truncatedNormal(stddev?: number, dtype?: DType, lower?: number, upper?: number): Initializer;
    varianceScaling(scale: number, mode: string, distribution: string, inAxis?: Axes, outAxis?: Axes, batchAxis?: Axes,
        dtype?: DType): Initializer;
    orthogonal(scale?: number, columnAxis?: number, dtype?: DType): Initializer;
    deltaOrthogonal(scale?: number, columnAxis?: number, dtype?: DType): Initializer;
    glorotUniform(inAxis?: Axes | FanOptions, outAxis?: Axes, batchAxis?: Axes, dtype?: DType): Initializer;
    glorotNormal(inAxis?: Axes | FanOptions, outAxis?: Axes, batchAxis?: Axes, dtype?: DType): Initializer;
    xavierUniform(inAxis?: Axes | FanOptions, outAxis?: Axes, batchAxis?: Axes, dtype?: DType): Initializer;
    xavierNormal(inAxis?: Axes | FanOptions, outAxis?: Axes, batchAxis?: Axes, dtype?: DType): Initializer;
    lecunUniform(inAxis?: Axes | FanOptions, outAxis?: Axes, batchAxis?: Axes, dtype?: DType): Initializer;
    lecunNormal(inAxis?: Axes | FanOptions, outAxis?: Axes, batchAxis?: Axes, dtype?: DType): Initializer;
    heUniform(inAxis?: Axes | FanOptions, outAxis?: Axes, batchAxis?: Axes, dtype?: DType): Initializer;
    heNormal(inAxis?: Axes | FanOptions, outAxis?: Axes, batchAxis?: Axes, dtype?: DType): Initializer;
    kaimingUniform(inAxis?: Axes | FanOptions, outAxis?: Axes, batchAxis?: Axes, dtype?: DType): Initializer;
    kaimingNormal(inAxis?: Axes | FanOptions, outAxis?: Axes, batchAxis?: Axes, dtype?: DType): Initializer;
