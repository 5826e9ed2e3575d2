/** Damage of the kinds that files really meet, and of those that break parsers; the same for the same seed. */

/** mulberry32: small, seeded, the same on every machine. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
type Random = ReturnType<typeof randomFrom>

/** Texts that stand at the edge of some rule: of numbers, dates, encodings, formulas, XML, quoting. */
const TOKENS = [
  ...['0', '-0', '-', '1e308', '1E+05', '9'.repeat(40), '90071992547409.93', '-90071992547409.91'],
  ...['0.005', '1.005', '.', ',', 'NaN', 'Infinity', '0x10', '(1)', '$-1', '€', '12.5%', '1,2,3', "'1"],
  ...['--1', '1-', '٣', '½', '1 000', '1\u2009000', '2025-02-30', '0000-00-00', '9999-12-31', '20240229'],
  ...['45672', '2025-13', 'Jan', '2025', 'FY2025-Q4', '2025-01-01T00:00:00Z', '"', '""', "'", '\\'],
  ...['\\"', '{', '}', '{}', '#', ';', '\t', '|', '\r', '\n', '\r\n', '\n\n', '\0', '\u001a', '\u0085'],
  ...['\u2028', '\ufeff', '\ufffd', '\ud800', '\u202e', '\u0301', 'é', 'é', '😀', 'İ', '\u00a0', '\u200b'],
  ...['Ж'.repeat(300), '=1+1', '@SUM(A1)', '#REF!', 'null', 'undefined', '__proto__', 'constructor'],
  ...['toString', 'all', 'unassigned', '%s%n', '<', '>', '&', '&amp;', '&#0;', '&x;', ']]>', '<!--'],
  ...['<!DOCTYPE a [<!ENTITY x "y">]>', '<a>', '</a>', '/>'],
  ...["'; DROP TABLE line; --", '../../etc/passwd', '\x1b[31m', 'a'.repeat(70_000)],
]

type Mutation = (bytes: Buffer, random: Random, other: Buffer) => Buffer

const at = (bytes: Buffer, random: Random): number => random(bytes.length + 1)
const pick = <Item>(items: readonly Item[], random: Random): Item => items[random(items.length)]!
const splice = (bytes: Buffer, from: number, to: number, by: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(to)])

const linesOf = (bytes: Buffer): string[] => bytes.toString('latin1').split(/(?<=\n)/)
const fromLines = (lines: readonly string[]): Buffer => Buffer.from(lines.join(''), 'latin1')

/** Places of the values: words, numbers, quoted texts, between the signs that formats put around them. */
function values(bytes: Buffer): { readonly from: number; readonly to: number }[] {
  return [...bytes.toString('latin1').matchAll(/[^\s,;|"<>{}=/]+/g)].map((match) => ({
    from: match.index,
    to: match.index + match[0].length,
  }))
}

const MUTATIONS: readonly Mutation[] = [
  // A flipped bit.
  (bytes, random) => {
    const copy = Buffer.from(bytes)
    if (copy.length > 0) copy[random(copy.length)]! ^= 1 << random(8)
    return copy
  },
  // Cut off.
  (bytes, random) => bytes.subarray(0, at(bytes, random)),
  // The beginning is lost.
  (bytes, random) => bytes.subarray(at(bytes, random)),
  // A piece is lost.
  (bytes, random) => {
    const from = at(bytes, random)
    return splice(bytes, from, Math.min(bytes.length, from + random(40)), Buffer.alloc(0))
  },
  // A piece of another file.
  (bytes, random, other) => {
    const from = at(other, random)
    const place = at(bytes, random)
    return splice(bytes, place, place, other.subarray(from, from + random(200)))
  },
  // Two files put together, as by `cat`.
  (bytes, random) => Buffer.concat([bytes, random(2) === 0 ? Buffer.from('\ufeff') : Buffer.alloc(0), bytes]),
  // A line twice, lost, or at another place.
  (bytes, random) => {
    const lines = linesOf(bytes)
    const line = pick(lines, random)
    lines.splice(random(lines.length), random(2), line)
    return fromLines(lines)
  },
  (bytes, random) => {
    const lines = linesOf(bytes)
    lines.splice(random(lines.length), 1)
    return fromLines(lines)
  },
  // A value in the place of another.
  (bytes, random) => {
    const found = values(bytes)
    if (found.length === 0) return bytes
    const [a, b] = [pick(found, random), pick(found, random)]
    return splice(bytes, a.from, a.to, bytes.subarray(b.from, b.to))
  },
  // An extreme value, in the place of one or between two.
  (bytes, random) => {
    const found = values(bytes)
    const token = Buffer.from(pick(TOKENS, random))
    if (found.length === 0) return token
    const { from, to } = pick(found, random)
    return splice(bytes, from, random(4) === 0 ? from : to, token)
  },
  // Another encoding, other line ends, zeros.
  (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
  (bytes) => Buffer.from(bytes.toString('latin1').replace(/\r?\n/g, '\r'), 'latin1'),
  (bytes, random) => {
    const place = at(bytes, random)
    return splice(bytes, place, place, Buffer.alloc(random(2000)))
  },
]

/** One to four of them, one after the other. */
export function mutate(bytes: Buffer, other: Buffer, random: Random): Buffer {
  let mutant = bytes
  // Values are what most parsers are about: every other mutation is of one.
  for (let left = 1 + random(4); left > 0; left--)
    mutant = (random(2) === 0 ? MUTATIONS[9 - random(2)]! : pick(MUTATIONS, random))(mutant, random, other)
  return mutant
}
