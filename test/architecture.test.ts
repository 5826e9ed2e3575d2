/** The drawing of ARCHITECTURE.md as rules: which room may import which, who owns which package, what stands nowhere. */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { globSync } from 'tinyglobby'
import * as assert from 'uvu/assert'
import { suite } from './suite.ts'
import { FIRST_FILE, MAY_IMPORT } from './support/rooms.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const glob = (patterns: string[], ignore: string[] = []): string[] =>
  globSync(patterns, { cwd: root, ignore: ['**/node_modules', 'dist', ...ignore], dot: true }).sort()

interface Source {
  readonly file: string
  readonly text: string
  readonly imports: readonly string[]
}

/** `import … from '…'`, `export … from '…'`, `import '…'` and `import('…')`. */
const IMPORT =
  /^(?:import|export)\b[^'"`;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\(\s*'([^']+)'\s*,?\s*\)/gm
const importsOf = (text: string): string[] =>
  [...text.matchAll(IMPORT)].map((match) => (match[1] ?? match[2] ?? match[3])!)

const sources: readonly Source[] = glob(['{builder,serve,cli}/**/*.ts']).map((file) => {
  const text = read(file)
  return { file, text, imports: importsOf(text) }
})
const byFile = new Map(sources.map((source) => [source.file, source]))

const relative = ({ file, imports }: Source): string[] =>
  imports.filter((each) => each.startsWith('.')).map((each) => posix.join(posix.dirname(file), each))
/** `@scope/name` or `name`, without the path inside the package. */
const packagesOf = ({ imports }: Source): string[] =>
  imports
    .filter((each) => !each.startsWith('.') && !each.startsWith('node:'))
    .map((each) => /^(@[^/]+\/)?[^/]+/.exec(each)![0])

/** The innermost room of MAY_IMPORT in whose folder a file lies: `ingest/formats/sie`, `snapshot/places`, `serve`, `cli`. */
const roomOf = (file: string): string => {
  const [top, ...inside] = posix.dirname(file).split('/')
  if (top !== 'builder') return top!
  for (let length = inside.length; length > 0; length--)
    if (MAY_IMPORT[inside.slice(0, length).join('/')]) return inside.slice(0, length).join('/')
  return inside[0] ?? top
}

/** Who may import a package: beginnings of paths. */
const OWNERS: Record<string, readonly string[]> = {
  '@aws-sdk/client-s3': ['builder/snapshot/places/bucket/s3'],
  '@duckdb/node-api': ['builder/database/database.ts'],
  asn1js: ['builder/snapshot/keys/stamp.ts'],
  'apache-arrow': ['builder/contract/arrow.ts', 'builder/report/export/arrow.ts'],
  commander: ['cli/'],
  'd3-scale': ['builder/report/charts/'],
  'd3-shape': ['builder/report/charts/'],
  execa: ['builder/build/spark/'],
  hyparquet: ['builder/ingest/parquet/footer.ts'],
  jose: ['serve/oauth/', 'builder/snapshot/keys/sign.ts'],
  lmdb: ['serve/store/lmdb-file.ts'],
  'lru-cache': [
    'builder/report/source.ts',
    'serve/http/byte-cache.ts',
    'serve/http/files.ts',
    'serve/http/routes.ts',
    'serve/companies/pin.ts',
    'serve/oauth/tokens/access-token.ts',
    'serve/store/parsed.ts',
    'serve/store/postgres/recent.ts',
  ],
  pg: ['builder/build/queue/claims.ts', 'builder/workspace/database-checks.ts', 'serve/store/postgres/'],
  'pg-boss': ['builder/build/queue/queue.ts'],
  picomatch: ['builder/snapshot/places/bucket/tables.ts'],
  pkijs: ['builder/snapshot/keys/stamp.ts'],
  polka: ['serve/http/'],
  'prom-client': ['serve/http/metrics.ts'],
  'rate-limiter-flexible': ['serve/'],
  saxes: ['builder/ingest/workbook/xml.ts'],
  sirv: ['serve/http/'],
  tinyglobby: ['builder/ingest/', 'builder/workspace/'],
  yaml: ['builder/workspace/', 'builder/ingest/setting-lines.ts', 'builder/ingest/add/add.ts'],
  yauzl: ['builder/system/zip-'],
  yazl: ['builder/system/zip-file.ts'],
  zod: [
    'builder/books/reference/frame-schema.ts',
    'builder/snapshot/places/bucket/company-object.ts',
    'builder/snapshot/places/bucket/marks.ts',
    'builder/contract/',
    'builder/workspace/',
    'builder/snapshot/files/documents.ts',
    'builder/build/queue/',
    'builder/snapshot/keys/key-',
    'builder/snapshot/files/manifest-schema.ts',
    'serve/oauth/',
    'serve/store/',
    'serve/companies/pin.ts',
  ],
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** `file:line: text` of every place where the pattern stands. */
function places(
  files: readonly { readonly file: string; readonly text: string }[],
  pattern: RegExp,
): string[] {
  return files.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map((match) => `${file}:${lineOf(text, match.index)}: ${match[0].trim()}`),
  )
}
const inFolders = (...folders: string[]): Source[] =>
  sources.filter(({ file }) => folders.some((folder) => file.startsWith(folder)))

/** Blanks in place of comments: lines keep their numbers. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '))

/** All that is wrong at once, readable; an empty list is what is asked for. */
const none = (found: readonly string[], rule: string): void =>
  assert.is(found.length, 0, `${rule}:\n    ${found.join('\n    ')}`)

const rooms = suite('rooms')

rooms('imports point one way', () => {
  const wrong = sources.flatMap((source) => {
    const room = roomOf(source.file)
    return relative(source)
      .filter((target) => roomOf(target) !== room && !MAY_IMPORT[room]?.includes(roomOf(target)))
      .map((target) => `${source.file} imports ${target}`)
  })
  none(wrong, 'cli → serve → builder, and inside builder the order of ARCHITECTURE.md')
})

rooms('the order of the rooms is one, and each room stands in it', () => {
  const names = Object.keys(MAY_IMPORT)
  none(
    names.flatMap((room, i) =>
      MAY_IMPORT[room]!.filter((other) => names.indexOf(other) >= i).map(
        (other) => `${room} imports ${other}`,
      ),
    ),
    'a room imports only rooms that stand above it in MAY_IMPORT',
  )
  none(
    [...new Set(sources.map(({ file }) => roomOf(file)))].filter((room) => !names.includes(room)),
    'each file is in a room',
  )
})

rooms('builder/ has twelve rooms, whose inner rooms stand together', () => {
  const tops = sources
    .filter(({ file }) => file.startsWith('builder/'))
    .map(({ file }) => file.split('/')[1]!)
  assert.is(new Set(tops).size, 12)
  const order = Object.keys(MAY_IMPORT).map((room) => room.split('/')[0]!)
  assert.equal(
    order.filter((room, i) => room !== order[i - 1]),
    [...new Set(order)],
  )
})

rooms('no folder has more files than a person overlooks', () => {
  const counts = new Map<string, number>()
  for (const { file } of sources) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1)
  // The top of cli/ has a file for each command.
  const most = (folder: string): number => (folder === 'cli' ? 40 : 25)
  none(
    [...counts]
      .filter(([folder, count]) => count > most(folder))
      .map(([folder, count]) => `${folder}: ${count} files`),
    'a room with more than 25 files has rooms inside it',
  )
})

rooms('each room has a file to open first', () => {
  const wrong = Object.keys(MAY_IMPORT).filter((room) => {
    const text = byFile.get(FIRST_FILE[room] ?? '')?.text ?? ''
    const said = /\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? ''
    return !/\b[Oo]wns\b/.test(said) || !/\bMust\s[\s*]*not\b/.test(said)
  })
  none(wrong, 'its docstring says what the room owns ("Owns …") and what it must not do ("Must not …")')
})

rooms('every import names a file that is there', () => {
  const missing = sources.flatMap((source) =>
    relative(source)
      .filter((target) => !byFile.has(target))
      .map((target) => `${source.file} imports ${target}`),
  )
  none(missing, 'a relative import names a source file, with .ts')
})

rooms('there are no cycles', () => {
  const finished = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || finished.has(file)) return
    const source = byFile.get(file)
    for (const target of source ? relative(source) : []) visit(target, [...path, file])
    finished.add(file)
  }
  for (const { file } of sources) visit(file, [])
  none(cycles, 'no file imports itself, by whatever way')
})

rooms('each package has its owner', () => {
  const wrong = sources.flatMap((source) =>
    packagesOf(source)
      .filter((name) => !(OWNERS[name] ?? []).some((owner) => source.file.startsWith(owner)))
      .map((name) => `${source.file} imports ${name}`),
  )
  none(wrong, 'a package is imported by the room that owns it alone')
})

rooms('each dependency is imported', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const imported = new Set(sources.flatMap(packagesOf))
  const unused = Object.keys(dependencies).filter((name) => !imported.has(name))
  none(unused, 'what nothing imports is not installed')
})

/** Not what a file only names as a type, nor what it imports when it needs it. */
const LOADED = /^(?:import|export) (?!type\b)[^'"`;]*?\bfrom '([^']+)'|^import '([^']+)'/gm

const loadedBy = (source: Source): Source => ({
  ...source,
  imports: [...source.text.matchAll(LOADED)].map((match) => (match[1] ?? match[2])!),
})

/** Files, and all that are loaded with them. */
function filesLoadedWith(...files: readonly string[]): string[] {
  const found = new Set(files)
  for (const each of found) for (const target of relative(loadedBy(byFile.get(each)!))) found.add(target)
  return [...found]
}

const packagesLoadedWith = (...files: readonly string[]): string[] =>
  [...new Set(filesLoadedWith(...files).flatMap((each) => packagesOf(loadedBy(byFile.get(each)!))))].sort()

/** The files that a file imports when it needs them. */
const commandsOf = (file: string): string[] => {
  const now = new Set(filesLoadedWith(file))
  return relative(byFile.get(file)!).filter((target) => !now.has(target))
}

rooms('what is not needed is not loaded', () => {
  const commands = commandsOf('cli/main.ts')
  assert.ok(commands.length > 30)
  assert.equal(packagesLoadedWith('cli/main.ts', ...commands), ['commander'], 'for --help')
  assert.equal(
    packagesLoadedWith('builder/build/build.ts'),
    ['jose', 'yaml', 'zod'],
    'where there is nothing to do',
  )
  assert.equal(packagesLoadedWith('builder/build/batch-thread.ts'), [], 'in each thread of a build')
  const readers = (file: string): string[] =>
    filesLoadedWith(file).filter((each) => /^builder\/ingest\/formats\/.*\/read\.ts$/.test(each))
  assert.equal(readers('builder/build/pipeline.ts'), [], 'for a company whose files are tables')
  assert.equal(readers('builder/evidence/verify/prove.ts'), [], 'where sources are not read')
})

rooms('what a room must not know, it does not import', () => {
  const forbidden: [folder: string, modules: RegExp][] = [
    ['builder/contract/', /^node:(fs|http|net|child_process)/],
    ['builder/statements/', /^node:(fs|http|net|child_process)/],
    ['builder/', /^node:(http|https|http2|net|tls|dgram)/],
  ]
  const wrong = forbidden.flatMap(([folder, modules]) =>
    inFolders(folder).flatMap(({ file, imports }) =>
      imports.filter((each) => modules.test(each)).map((each) => `${file} imports ${each}`),
    ),
  )
  none(wrong, 'statements are data, the wire knows no HTTP, and a build needs no network')
})

rooms('nothing private of node:http is touched', () => {
  none(
    places(inFolders('serve/'), /\.parser\b|onIncoming|\._header\b|_httpMessage|\._handle\b/g),
    'what another version of Node may rename is not relied on',
  )
})

rooms('only the layout spells the paths of a snapshot', () => {
  const others = sources
    .filter(({ file }) => file !== 'builder/snapshot/files/layout.ts')
    .map(({ file, text }) => ({ file, text: withoutComments(text) }))
  none(
    places(
      others,
      /['"`](?:[^'"`\n]*\/)?(?:manifest|current)\.json['"`]|['"`]statements\/(?![^'"`\n]*\.ts)/g,
    ),
    'paths inside a snapshot come from builder/snapshot/files/layout.ts',
  )
})

rooms('only one file reads files, and refuses what is none', () => {
  none(
    places(
      inFolders('builder/', 'serve/').filter(({ file }) => file !== 'builder/system/plain-file.ts'),
      /^import \{[^}]*\b(?:readFile|readFileSync|createReadStream)\b[^}]*\} from 'node:fs[^']*'/gm,
    ),
    'a folder or a pipe in the place of a file is told by builder/system/plain-file.ts',
  )
})

rooms('only one file names files to DuckDB', () => {
  none(
    places(
      sources
        .filter(({ file }) => file !== 'builder/database/database.ts')
        .map(({ file, text }) => ({ file, text: withoutComments(text) })),
      /\b(?:read_(?:csv|parquet|json|ndjson|text|blob)\w*|parquet_\w+|sniff_csv|glob)\s*\(\s*(?:'|\$|\[)|[`'"]COPY\b|\bATTACH\b|\bFROM '/g,
    ),
    'csvSql, parquetSql, parquetFooters and copySql of builder/database/database.ts name files: DuckDB takes `[1]` in a path for a pattern, and `amount=5` for a column',
  )
})

rooms('only the command writes to the terminal', () => {
  none(
    places(inFolders('builder/', 'serve/'), /\bprocess\.(?:stdout|stderr)\b|\bconsole\./g),
    'builder and serve return values or call a log; cli prints',
  )
})

const code = suite('code')

code('named exports, and no syntax that only a compiler understands', () => {
  none(
    places(sources, /^export default\b|^(?:export )?(?:declare )?(?:const )?(?:enum|namespace) \w+/gm),
    'no default exports, enums or namespaces',
  )
})

code('every file says first what it owns', () => {
  const silent = sources.filter(({ text }) => !/^(?:#!.*\n)?(?:\/\*\*|\/\/)/.test(text))
  none(
    silent.map(({ file }) => file),
    'a source begins with a comment',
  )
})

const MOST_LINES = 400

code('no source is longer than a person reads at a sitting', () => {
  const long = sources
    .map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > MOST_LINES)
  none(
    long.map(({ file, lines }) => `${file}: ${lines} lines`),
    `at most ${MOST_LINES} lines`,
  )
})

code('nothing is left to be done later', () => {
  none(places(sources, /\b(?:TODO|FIXME|HACK)\b/g), 'no marks of unfinished work')
})

code('money never becomes a floating-point number inside DuckDB', () => {
  none(
    places(inFolders('builder/books/'), /\bgetRows(?:JS|ObjectsJS|ObjectJS)\b|\bgetColumnsJS\b|\bavg\s*\(/gi),
    'readers that turn decimals into doubles, and AVG, are not for money',
  )
})

const repository = suite('repository')

repository('no test keeps the others of its file from running', () => {
  const tests = glob(['test/**/*.test.ts']).map((file) => ({ file, text: read(file) }))
  none(places(tests, /^\s*\w+\.only\(/gm), 'all tests run')
})

repository('no file names a place on somebody’s computer', () => {
  const texts = glob(
    ['**/*.{ts,json,md,yaml,yml,sh}', '.ci/run', '.gitignore'],
    ['.git', '.tieout', 'snapshots/*/**', 'datasets', 'package-lock.json', 'test/output'],
  ).map((file) => ({ file, text: read(file) }))
  const folders = ['work', 'root', 'home', 'Users'].join('|')
  none(
    places(texts, new RegExp(`(?<![\\w.}*-])/(?:${folders})/[\\w.-]+`, 'g')),
    'paths are relative to the repository',
  )
})
