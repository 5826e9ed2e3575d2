/**
 * `npm run bench:pack [-- FILE]`: one compressed file with Node, the compiled program, the packages that it runs on and
 * the benchmarks, for a Linux machine of the same processor that has no network: `tar xf tieout-bench.tar.xz`, then
 * `tieout-bench/bench cores`.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NAME = 'tieout-bench'
/** Git ignores it. */
const OUTPUT = join(ROOT, 'test', 'output', `${NAME}.tar.xz`)

const START = `#!/bin/sh
# tieout-bench/bench cores [--case 1M]
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/node" "$here/app/test/bench/run.js" "$@"
`

interface Locked {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

type Lock = Readonly<Record<string, Locked>>

/** What benchmarks run on besides: servers are signed in to as the tests do, which assert by uvu. */
const OF_BENCHMARKS = ['node_modules/tinybench', 'node_modules/uvu']

/** Folders of the packages that the program and its benchmarks run on, as far as this machine has them. */
function packages(): string[] {
  const lock = (JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Lock })
    .packages
  const ofProgram = Object.keys(lock).filter((path) => {
    const { dev, devOptional } = lock[path]!
    return path !== '' && !dev && !devOptional
  })
  return [
    ...new Set([...ofProgram, ...OF_BENCHMARKS.flatMap((path) => withDependencies(path, lock))]),
  ].filter((path) => existsSync(join(ROOT, path)))
}

const withDependencies = (path: string, lock: Lock): string[] => [
  path,
  ...Object.keys(lock[path]!.dependencies ?? {}).flatMap((name) =>
    withDependencies(`node_modules/${name}`, lock),
  ),
]

function pack(file: string): void {
  const folder = mkdtempSync(join(tmpdir(), `${NAME}-`))
  try {
    const app = join(folder, NAME, 'app')
    const copy = (path: string) => cpSync(join(ROOT, path), join(app, path), { recursive: true })
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(ROOT, 'test/bench'), '--outDir', app])
    for (const path of ['dist', 'package.json', 'datasets/formats', 'test/bench/usage.cjs', ...packages()])
      copy(path)
    cpSync(process.execPath, join(folder, NAME, 'node'))
    writeFileSync(join(folder, NAME, 'bench'), START, { mode: 0o755 })
    mkdirSync(dirname(file), { recursive: true })
    execFileSync('tar', ['-cJf', file, '-C', folder, NAME], { env: { ...process.env, XZ_OPT: '-T0' } })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const file = resolve(process.argv[2] ?? OUTPUT)
pack(file)
process.stdout.write(`${file}: ${Math.round(statSync(file).size / 1e6)} MB\n`)
