/**
 * `npm run mutants`: changes one thing of the program at a time (an operator, a bound, a condition, a sign, a returned constant), in the
 * rooms that compute, verify and guard, and runs the tests of that room until one fails. A change that no test notices is printed: a
 * test is missing, or the code is. `--count 120` makes so many, `--seed 7` others, `--all` runs the tests of test:all too; what was
 * tried before is kept in test/output/, and not tried again.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { globSync } from 'tinyglobby'
import { seeded } from '../support/random.ts'
import { type Change, changesIn } from './changes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** A file of tests that takes longer hangs. */
const LIMIT_SECONDS = 200

/** Room → the tests that hold it, those first that take least. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'builder/contract': ['contract', 'statements', 'build/golden'],
  'builder/ingest/text': ['ingest/text', 'ingest/tables'],
  'builder/ingest/claims': ['ingest/claims', 'ingest/cases'],
  'builder/ingest/tables': ['ingest/tables', 'ingest/cases', 'ingest/claims'],
  'builder/books': ['books', 'statements', 'build/golden', 'ingest/cases', 'report/layout'],
  'builder/statements': ['statements', 'tieouts', 'build/golden', 'report'],
  'builder/statements/tie-outs': ['tieouts', 'verify'],
  'builder/snapshot': ['snapshot', 'verify', 'evidence/approvals'],
  'builder/snapshot/signing': ['signing', 'snapshot', 'verify'],
  'builder/evidence/verify': ['verify', 'evidence', 'archive'],
  'builder/evidence/archive': ['archive', 'evidence'],
  'builder/evidence/approval': ['evidence/approvals', 'cli/approval', 'cli/transcripts'],
  'builder/snapshot/closing': ['period-lock', 'cli/transcripts'],
  'builder/report': ['report', 'export'],
  'serve/http': ['serve/http', 'serve/attacks'],
  'serve/oauth': ['serve/oauth'],
  'serve/companies': ['serve/companies', 'serve'],
}

interface Tried extends Change {
  readonly number: number
  readonly file: string
  /** The file of tests that failed; null where none did. */
  readonly caughtBy: string | null
  readonly seconds: number
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
  },
})
const all = values.all ? ['--all'] : []
const kept = join(root, 'test/output', `mutants-${values.seed}${values.all ? '-all' : ''}.json`)

function triedBefore(): Tried[] {
  try {
    return JSON.parse(readFileSync(kept, 'utf8')) as Tried[]
  } catch {
    return []
  }
}

/** A copy of what runs, so that a mutant never stands in the checkout. */
function copied(): string {
  const copy = mkdtempSync(join(tmpdir(), 'tieout-mutants-'))
  for (const path of [
    'dist',
    'test',
    'datasets',
    'docs',
    'cli',
    'builder',
    'serve',
    'snapshots',
    'package.json',
  ])
    cpSync(join(root, path), join(copy, path), {
      recursive: true,
      // What is compiled stays newer than its sources, so that a mutant is not compiled away.
      preserveTimestamps: true,
      filter: (from) => !from.includes('test/output'),
    })
  for (const file of globSync(['*.{md,json,yaml}'], { cwd: root }))
    cpSync(join(root, file), join(copy, file), { preserveTimestamps: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** How many imports lead from a file to others; files that it does not reach are left out. */
function distancesFrom(file: string): ReadonlyMap<string, number> {
  const found = new Map([[file, 0]])
  for (const [each, distance] of found)
    for (const target of importsOf(each)) if (!found.has(target)) found.set(target, distance + 1)
  return found
}

const imports = new Map<string, readonly string[]>()

function importsOf(file: string): readonly string[] {
  const known = imports.get(file)
  if (known !== undefined || !existsSync(join(root, file))) return known ?? []
  const named = [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
  const targets = named.map(([, path]) => posix.join(posix.dirname(file), path!))
  imports.set(file, targets)
  return targets
}

/** The tests of a room; first those from which the fewest imports lead to the changed file, since they are the likeliest to notice. */
function testsOf(room: string, source: string): string[] {
  const all = globSync('test/**/*.test.ts', { cwd: root }).sort()
  const own = ROOMS[room]!.flatMap((part) => all.filter((file) => file.startsWith(`test/${part}`)))
  const distance = new Map(own.map((file) => [file, distancesFrom(file).get(source) ?? Infinity]))
  return [...distance.keys()]
    .filter((file) => values.all || !file.endsWith('.all.test.ts'))
    .sort((a, b) => Math.min(distance.get(a)!, 9) - Math.min(distance.get(b)!, 9))
}

const sourceOf = (compiled: string): string => compiled.replace(/^dist\/(.*)\.js$/, '$1.ts')

/** The first of these files in which a test fails, or that hangs; undefined where all pass. */
function failedOf(copy: string, files: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'test/run.ts', ...all, ...files],
    {
      cwd: copy,
      env: { ...process.env, TEST_SEED: values.seed, TEST_LIMIT_SECONDS: String(LIMIT_SECONDS) },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  return status === 0 ? undefined : files.find((file) => !stdout.includes(`• ${file}: `))
}

/** Some files at a time, since a run of one takes longer to begin than most files take. */
const FILES = 6

/** The file of tests that fails with the change and not without it; null where there is none. */
function catcher(copy: string, tests: readonly string[], change: (isMade: boolean) => void): string | null {
  const left = [...tests]
  while (left.length > 0) {
    change(true)
    const failed = failedOf(copy, left.slice(0, FILES))
    change(false)
    if (failed === undefined) left.splice(0, FILES)
    else if (failedOf(copy, [failed]) === undefined) return failed
    else {
      // A test that fails without a change says nothing about one.
      broken.add(failed)
      left.splice(left.indexOf(failed), 1)
    }
  }
  return null
}

/** Mutants are drawn by number: each room in its turn, in it a file, in that a change. */
function drawn(
  copy: string,
  number: number,
): { readonly room: string; readonly file: string; readonly change: Change } {
  const rooms = Object.keys(ROOMS)
  const room = rooms[number % rooms.length]!
  const random = seeded(`mutant ${values.seed} ${number}`)
  const sites = globSync(`dist/${room}/**/*.js`, { cwd: copy })
    .sort()
    .flatMap((file) => changesIn(readFileSync(join(copy, file), 'utf8')).map((change) => ({ file, change })))
  return { room, ...random.pick(sites) }
}

const tried = triedBefore()
const copy = copied()
const broken = new Set<string>()
try {
  for (let number = 0; number < Number(values.count); number++) {
    if (tried.some((mutant) => mutant.number === number)) continue
    const { room, file, change } = drawn(copy, number)
    const [path, begun] = [join(copy, file), Date.now()]
    const text = readFileSync(path, 'utf8')
    const tests = testsOf(room, sourceOf(file)).filter((test) => !broken.has(test))
    const caughtBy = catcher(copy, tests, (isMade) =>
      writeFileSync(
        path,
        isMade ? text.slice(0, change.start) + change.after + text.slice(change.end) : text,
      ),
    )
    const seconds = Math.round((Date.now() - begun) / 1000)
    tried.push({ number, file, ...change, caughtBy, seconds })
    mkdirSync(dirname(kept), { recursive: true })
    writeFileSync(kept, `${JSON.stringify(tried, null, 2)}\n`)
    const where = `${file}:${change.line}  ${change.before} → ${change.after}`
    process.stdout.write(
      `${caughtBy === null ? '✘ survived' : '• caught  '}  ${where}  ${caughtBy ?? ''}, ${seconds} s\n`,
    )
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
if (broken.size > 0)
  process.stdout.write(`\nLeft out, since they fail without a change: ${[...broken].join(', ')}\n`)
const caught = tried.filter(({ caughtBy }) => caughtBy !== null).length
process.stdout.write(`\n${caught} of ${tried.length} mutants were caught.\n`)
