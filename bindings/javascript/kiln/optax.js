// SPDX-License-Identifier: Apache-2.0
// optax.js -- what optim has, by name: import {adam, applyUpdates} from 'kiln-arrays/optim', as of @jax-js/optax.
import {optim} from './optim.js';
export const {
    MultiSteps, chain, adabelief, adadelta, adafactor, adagrad, adam, adamax, adamaxw, adamw, adan, adaptiveGradClip,
    addDecayedWeights, addNoise, amsgrad, applyEvery, applyIfFinite, applyUpdates, centralize, clip, clipByBlockRms,
    clipByGlobalNorm, constantSchedule, cosineDecaySchedule, cosineOnecycleSchedule, ema, exponentialDecay, freeze,
    fromage, globalNorm, identity, incrementalUpdate, joinSchedules, keepParamsNonnegative, lamb, lars,
    linearOnecycleSchedule, linearSchedule, lion, lookahead, masked, nadam, nadamw, noisySgd, normalizeByUpdateNorm,
    novograd, ntxent, optimisticGradientDescent, periodicUpdate, piecewiseConstantSchedule,
    piecewiseInterpolateSchedule, polyLossCrossEntropy, polyakSgd, polynomialSchedule, radam, rmsprop, rprop, scale,
    scaleByAdam, scaleByLearningRate, scaleByLion, scaleByParamBlockNorm, scaleByParamBlockRms, scaleByRms,
    scaleByRss, scaleBySchedule, scaleBySign, scaleByTrustRatio, setToZero, sgd, sgdrSchedule, signSgd, signum, sm3,
    trace, treeBiasCorrection, treeMax, treeNorm, treeOnesLike, treeSum, treeUpdateMoment, treeZerosLike,
    warmupConstantSchedule, warmupCosineDecaySchedule, warmupExponentialDecaySchedule, yogi, zeroNans,
} = optim;
// Rows of the table, which is there when the module is loaded.
const loss = name => (...args) => optim[name](...args);
export const squaredError = loss('squaredError'),
    l2Loss = loss('l2Loss'),
    huberLoss = loss('huberLoss'),
    logCosh = loss('logCosh'),
    cosineSimilarity = loss('cosineSimilarity'),
    cosineDistance = loss('cosineDistance'),
    sigmoidBinaryCrossEntropy = loss('sigmoidBinaryCrossEntropy'),
    hingeLoss = loss('hingeLoss'),
    perceptronLoss = loss('perceptronLoss'),
    softmaxCrossEntropy = loss('softmaxCrossEntropy'),
    softmaxCrossEntropyWithIntegerLabels = loss('softmaxCrossEntropyWithIntegerLabels'),
    safeSoftmaxCrossEntropy = loss('safeSoftmaxCrossEntropy'),
    klDivergence = loss('klDivergence'),
    klDivergenceWithLogTargets = loss('klDivergenceWithLogTargets'),
    generalizedKlDivergence = loss('generalizedKlDivergence'),
    smoothLabels = loss('smoothLabels'),
    sigmoidFocalLoss = loss('sigmoidFocalLoss');
export default optim;
