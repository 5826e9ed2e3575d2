/**
 * Confidence factors of monetary-unit sampling, as the tables of the AICPA's guide *Audit Sampling* (appendix C) have them: quantiles of
 * the gamma distribution, rounded up to two decimals (Stewart, *Technical Notes on the AICPA Audit Guide Audit Sampling*, 2012).
 */
import { present } from '../../contract/present.ts'

/** Lanczos' coefficients for g = 7; fifteen digits are right. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

function logGamma(x: number): number {
  const [first, ...others] = LANCZOS
  const sum = others.reduce((so, each, i) => so + each / (x + i), present(first, 'coefficient'))
  const t = x + 6.5
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum)
}

/** P(shape, x): the probability of a gamma-distributed value up to x, by its series. */
function probability(shape: number, x: number): number {
  let term = 1 / shape
  let sum = term
  for (let n = 1; term > sum * 1e-16; n++) {
    term *= x / (shape + n)
    sum += term
  }
  return x <= 0 ? 0 : sum * Math.exp(shape * Math.log(x) - x - logGamma(shape))
}

/** The value below 1,000 at which a rising function crosses zero. */
function crossing(of: (x: number) => number): number {
  let [low, high] = [0, 1000]
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2
    if (of(middle) < 0) low = middle
    else high = middle
  }
  return high
}

const quantile = (confidence: number, shape: number): number =>
  crossing((x) => probability(shape, x) - confidence)

const roundedUp = (factor: number): number => Math.ceil(Number((factor * 100).toFixed(6))) / 100

/** The factor for a number of misstatements found: 3.00, 4.75, 6.30, … at 95 %. `confidence` is between 0 and 1. */
export const factorFor = (confidence: number, misstatements: number): number =>
  roundedUp(quantile(confidence, 1 + misstatements))

/** The factor that gives the size of a sample: `ratio` is expected ÷ tolerable misstatement, below 0.7. */
export const sizeFactor = (confidence: number, ratio: number): number =>
  roundedUp(crossing((factor) => factor - quantile(confidence, 1 + ratio * factor)))
