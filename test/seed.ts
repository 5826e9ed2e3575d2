/**
 * Which of many random or similar cases run: in `npm test` a tenth, which the seed of the day chooses, in `npm run test:all` every one, and
 * of those that are alike a third. The closing lines of a run name the seed; TEST_SEED repeats it.
 */
const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')

export const seed = Number(process.env.TEST_SEED ?? today)
export const seedText = `The seed was ${seed}: TEST_SEED=${seed} repeats it.`

const isAll = process.env.TEST_ALL === '1'
const PART = isAll ? 1 : 10
const PART_OF_ALIKE = isAll ? 3 : 10

/** How many of `all` random cases run. */
export const times = (all: number): number => Math.ceil(all / PART_OF_ALIKE)

/** Some of the cases, at least one, each as likely as another. */
export const chosen = <Case>(cases: readonly Case[]): Case[] => oneIn(PART, cases)

/** Of cases that ask the same of one input after another: three days in a row try each of them. */
export const alike = <Case>(cases: readonly Case[]): Case[] => oneIn(PART_OF_ALIKE, cases)

/** One in ten of the thousands of states that a disk can be left in, in `npm run test:all` too: ten days in a row try each of them. */
export const drawn = <State>(states: readonly State[]): State[] => oneIn(10, states)

const oneIn = <Case>(part: number, cases: readonly Case[]): Case[] =>
  cases.filter(
    (_, place) => (place + seed) % part === 0 || (cases.length < part && place === seed % cases.length),
  )
