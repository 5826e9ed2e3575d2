/**
 * Commands as people type them, with all that they print and the code that they end with. Each file of `cases/` is a workspace that is
 * followed from its first command to its last; `UPDATE=1 npm test -- transcripts` writes anew what is printed.
 *
 * A line that begins with `$` is a command, and below it stands what it prints, without empty lines, and what it ends with where that is
 * not 0, then with what goes to stderr behind `!`. `> file` keeps what it prints, `| path` is one member of its JSON. Of a command behind
 * `&` nothing is shown but such an end. `%` changes a file or the folder, and `#` says what follows.
 */
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { publicKeys, signingKeyPath } from '../../builder/snapshot/keys/key-file.ts'
import { suite } from '../suite.ts'
import { heldTo, memberOf } from '../support/cases.ts'
import { companyYaml, writeFiles } from '../support/workspace.ts'
import { goodCompany, inFolder, type Ran, tieout, wordsOf } from './command.ts'

const CASES = fileURLToPath(new URL('cases/', import.meta.url))

const DAY_MS = 24 * 3600 * 1000
/** Today, and tomorrow where a test runs past midnight. */
const DAYS = [0, DAY_MS].map((later) => new Date(Date.now() + later).toISOString().slice(0, 10))

/** What is another one each time, or on another computer, by what it is. */
const settled = (text: string, root: string, keys: ReadonlySet<string>): string =>
  [...keys]
    .reduce((all, key) => all.replaceAll(key, 'KEY').replaceAll(key.slice(0, 8), 'KEY'), text)
    .replaceAll(root, '…')
    .replaceAll(`${userInfo().username}@${hostname()}`, 'WHO')
    .replace(/\b[0-9a-f]{64}\b/g, 'SHA-256')
    .replace(/(?<=-r\d+-)[0-9a-f]{6}\b/g, 'HASH')
    .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, 'KEY')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\b\d{4}-\d\d-\d\d \d\d:\d\d\b/g, 'TIME')
    .replace(new RegExp(DAYS.join('|'), 'g'), 'TODAY')
    .replaceAll(`${userInfo().username}, TODAY`, 'WHO, TODAY')
    .replace(/\b[0-9a-f]{16}\b|^[\w-]{12}(?= +(active|revoked) )/gm, 'ID')
    .replace(/^! \S+: [a-z]+ing .*\n/gm, '')
    .replace(/\b[\d.,]+ (?=(bytes|[kKMG]?B)\b)/g, 'SO MANY ')
    .replace(/\b\d+\.\d+\.\d+\+[0-9a-f]{8}\b/g, 'VERSION')
    .replace(/(?<= )\d+\.\d$/gm, 'SECONDS')
    .replace(/(?<=\S) {2,}/g, '  ')
    .replace(/ +$/gm, '')
    .replace(/\n{2,}/g, '\n')

class Folder {
  readonly root: string
  cwd: string
  readonly #noted = new Map<string, string>()
  readonly #signed = new Set<string>()
  #last: Ran = { code: 0, out: '', err: '' }

  constructor(root: string) {
    this.root = root
    this.cwd = root
  }

  /** `*` stands for what completes the name of a file that is there, `{name}` for what was noted. */
  path(name: string): string {
    return this.#filled(name)
      .split('/')
      .reduce((at, part) => {
        if (!part.endsWith('*')) return join(at, part)
        return join(at, readdirSync(at).find((each) => each.startsWith(part.slice(0, -1))) ?? part)
      }, this.cwd)
  }

  #filled(text: string): string {
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => this.#noted.get(name) ?? whole)
  }

  change(line: string): void {
    const [, what = '', to = '', rest = ''] = /^% (\w+) ([^:\s]+)(?:: ?(.*))?$/.exec(line) ?? []
    const text = this.#filled(rest).replaceAll('\\n', '\n')
    const path = this.path(to)
    const changes: Readonly<Record<string, () => void>> = {
      ledger: () =>
        writeFiles(join(this.root, 'datasets', to), { 'ledger.csv': goodCompany(to, text)['ledger.csv']! }),
      company: () =>
        writeFiles(join(this.root, 'datasets', to), {
          ...goodCompany(to),
          'company.yaml': companyYaml(`id: ${to}\n${text}`),
        }),
      write: () => {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, `${text}\n`)
      },
      append: () => appendFileSync(path, `${text}\n`),
      // `old → new`, also in what is published and read-only.
      replace: () => {
        const [old = '', now = ''] = text.split(' → ')
        const before = readFileSync(path, 'utf8')
        assert.ok(before.includes(old), line)
        chmodSync(path, 0o644)
        writeFileSync(path, before.replace(old, now))
      },
      copy: () => cpSync(path, this.path(rest), { recursive: true }),
      remove: () => rmSync(path, { recursive: true }),
      cd: () => {
        this.cwd = join(this.root, to)
        mkdirSync(this.cwd, { recursive: true })
      },
      note: () => this.#noted.set(to, new RegExp(rest).exec(this.#last.out)![1]!),
    }
    assert.ok(changes[what], line)
    changes[what]!()
  }

  /** What is shown below a command. */
  async run(line: string): Promise<string> {
    const [, sign, program, command = '', into, member] =
      /^([$&]) (\w+) ?(.*?)(?: > (\S+)| \| (\S+))?$/.exec(line) ?? []
    const { code, out, err } = await this.#ran(program!, wordsOf(this.#filled(command)))
    if (into) writeFileSync(this.path(into), out)
    const printed = into || sign === '&' ? '' : member ? memberOf(JSON.parse(out), member) : out
    const failed = sign === '&' ? '' : err.replace(/^(?=.)/gm, '! ')
    const told = code === 0 ? printed : `${printed}\n${failed}\nends with ${code}\n`
    return settled(told, this.root, await this.#keys()).trim()
  }

  async #ran(program: string, args: readonly string[]): Promise<Ran> {
    if (program === 'tieout') this.#last = await tieout(args, { cwd: this.cwd, env: { COLUMNS: '1000' } })
    else {
      const path = this.path(args[0] ?? '')
      const out = program === 'cat' ? readFileSync(path, 'utf8') : readdirSync(path).sort().join('\n')
      this.#last = { code: 0, out, err: '' }
    }
    return this.#last
  }

  /** Those that ever signed here. */
  async #keys(): Promise<ReadonlySet<string>> {
    const path = signingKeyPath(join(this.cwd, '.tieout'))
    if (existsSync(path)) for (const { kid } of await publicKeys(path)) this.#signed.add(kid!)
    return this.#signed
  }
}

/** Follows the line in the folder; what it prints. */
async function followed(folder: Folder, line: string): Promise<string> {
  if (line.startsWith('% ')) folder.change(line)
  return /^[$&] /.test(line) ? folder.run(line) : ''
}

/** The cases whose names these are. */
export function follow(title: string, isOne: (name: string) => boolean): void {
  const test = suite(title)
  for (const name of readdirSync(CASES).filter(isOne))
    test(name.replace('.txt', ''), () =>
      inFolder((root) => {
        writeFileSync(join(root, 'tieout.yaml'), '')
        const folder = new Folder(root)
        return heldTo(CASES + name, (line) => followed(folder, line))
      }),
    )
}

/** They build and sign much. */
export const isOfApprovals = (name: string): boolean => name.startsWith('approv')
