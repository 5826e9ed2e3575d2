/**
 * Commands as people type them, with all that they print and the code that they end with. Each file of `cases/` is a workspace that is
 * followed from its first command to its last; `UPDATE=1 npm test -- transcripts` writes anew what is printed.
 *
 * A line that begins with `$` is a command, and below it stands what it prints, without empty lines, and what it ends with where that is
 * not 0, then with what goes to stderr behind `!`. `> file` keeps what it prints, `| path` is one member of its JSON. Of a command behind
 * `&` nothing is shown but such an end. `%` changes a file or the folder, `|` adds a line to what was written, and `#` says what follows.
 * `$ figures acme ProfitAndLoss classId=a` shows a published statement.
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
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import type { StatementName } from '../../builder/contract/vocabulary.ts'
import { POINTER, statementPath } from '../../builder/snapshot/files/layout.ts'
import { publicKeys, signingKeyPath } from '../../builder/snapshot/keys/key-file.ts'
import { suite } from '../suite.ts'
import { heldTo, memberOf } from '../support/cases.ts'
import { GROUP, groupYaml, memberYaml } from '../support/group.ts'
import { CHART, companyYaml, ledgerCsv, readStatement, scopeOf, writeFiles } from '../support/workspace.ts'
import { goodCompany, inFolder, type Ran, tieout, wordsOf } from './command.ts'

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
    .replace(/\b[0-9a-f]{16}\b(?!\.\d)|^[\w-]{12}(?= +(active|revoked) )/gm, 'ID')
    .replace(/^! \S+: [a-z]+ing .*\n/gm, '')
    .replace(/\b[\d.,]+ (?=(bytes|[kKMG]?B)\b)/g, 'SO MANY ')
    .replace(/\b\d+\.\d+\.\d+\+[0-9a-f]{8}\b/g, 'VERSION')
    .replace(/(?<= \d+ {2,})\d+\.\d$/gm, 'SECONDS')
    .replace(/ +$/gm, '')
    .replace(/\n{2,}/g, '\n')

const goodLedger = (id: string, entries = '') => ({
  'ledger.csv': String(goodCompany(id, entries)['ledger.csv']),
})

class Folder {
  readonly root: string
  cwd: string
  readonly #noted = new Map<string, string>()
  readonly #signed = new Set<string>()
  #written = ''
  #write: () => void = () => {}
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

  /** `| text` is one more line of what the line before wrote. */
  change(line: string): void {
    if (line.startsWith('|')) {
      this.#written += `\n${this.#filled(line.slice(2))}`
      this.#write()
      return
    }
    const [, what = '', to = '', rest = ''] = /^% (\w+) ([^:\s]+)(?:: ?(.*))?$/.exec(line) ?? []
    const text = this.#filled(rest).replaceAll('\\n', '\n')
    const path = this.path(to)
    const company = join(this.root, 'datasets', to)
    const writes = (file: string, as: (all: string) => string): void => {
      this.#written = text
      this.#write = () => writeFiles(dirname(file), { [basename(file)]: as(this.#written) })
      this.#write()
    }
    const settings = (yaml: (more: string) => string): void => {
      writes(join(company, 'company.yaml'), yaml)
      if (!existsSync(join(company, 'chart.csv'))) writeFiles(company, { 'chart.csv': CHART })
    }
    const changes: Readonly<Record<string, () => void>> = {
      // A small company that ties out, its settings, and what it has booked besides.
      company: () => {
        settings((more) => companyYaml(`id: ${to}\n${more}`))
        if (!existsSync(join(company, 'ledger.csv'))) writeFiles(company, goodLedger(to))
      },
      ledger: () => writes(join(company, 'ledger.csv'), (all) => goodLedger(to, all)['ledger.csv']),
      // Nothing but these entries.
      entries: () => writes(join(company, 'ledger.csv'), ledgerCsv),
      chart: () => writes(join(company, 'chart.csv'), (all) => `${CHART}${all}\n`),
      member: () => settings((more) => memberYaml(to, `${more}\n`)),
      group: () => settings((members) => groupYaml(members).replace(GROUP, to)),
      write: () => writes(path, (all) => `${all}\n`),
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
    const args = wordsOf(this.#filled(command))
    const { code, out, err } = await this.#ran(program!, args)
    if (into) writeFileSync(this.path(into), out)
    const printed = into || sign === '&' ? '' : member ? memberOf(JSON.parse(out), member) : out
    const failed = sign === '&' ? '' : err.replace(/^(?=.)/gm, '! ')
    const told = code === 0 ? printed : `${printed}\n${failed}\nends with ${code}\n`
    const shown = settled(told, this.root, await this.#keys())
    // Nothing is another one each time in a statement, whose columns stand where they stand.
    return (args[0] === 'show' ? shown : shown.replace(/(?<=\S) {2,}/g, '  ')).trim()
  }

  async #ran(program: string, args: readonly string[]): Promise<Ran> {
    if (program === 'tieout') this.#last = await tieout(args, { cwd: this.cwd, env: { COLUMNS: '1000' } })
    else {
      const programs: Readonly<Record<string, () => string>> = {
        cat: () => readFileSync(this.path(args[0]!), 'utf8'),
        ls: () => readdirSync(this.path(args[0]!)).sort().join('\n'),
        figures: () => this.#figures(args),
      }
      this.#last = { code: 0, out: programs[program]!(), err: '' }
    }
    return this.#last
  }

  /** What the current snapshot publishes of a statement: `acme ProfitAndLoss classId=a`. */
  #figures([company = '', statement = '', ...filters]: readonly string[]): string {
    const folder = join(this.root, 'snapshots', company)
    const { SnapshotId } = JSON.parse(readFileSync(join(folder, POINTER), 'utf8')) as { SnapshotId: string }
    const scope = scopeOf(
      statement as StatementName,
      Object.fromEntries(filters.map((each) => each.split('='))),
    )
    const { months, rows, totals } = readStatement(
      readFileSync(join(folder, SnapshotId, statementPath(scope)), 'utf8'),
    )
    const all = Object.entries({ Month: months, ...rows, ...totals })
    return all.map(([name, cells]) => [name, ...cells.map((cell) => cell ?? '–')].join('  ')).join('\n')
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
  if (/^[%|]/.test(line)) folder.change(line)
  return /^[$&] /.test(line) ? folder.run(line) : ''
}

/** The cases whose names these are. */
export function follow(title: string, isOne = (_: string) => true, of = import.meta.url): void {
  const test = suite(title)
  const cases = fileURLToPath(new URL('cases/', of))
  for (const name of readdirSync(cases).filter(isOne))
    test(name.replace('.txt', ''), () =>
      inFolder((root) => {
        writeFileSync(join(root, 'tieout.yaml'), '')
        const folder = new Folder(root)
        return heldTo(cases + name, (line) => followed(folder, line))
      }),
    )
}

/** They build and sign much. */
export const isOfApprovals = (name: string): boolean => name.startsWith('approv')
