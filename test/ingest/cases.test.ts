/**
 * Inputs that once came out wrong: what `tieout add`, the obvious answers and a build make of them now. `cases/cases.yaml` says of
 * each what is right and what comes: the questions that stay open, the findings, and every figure that is not zero. `UPDATE=1`
 * writes what comes anew, and then a person reads the difference against what is right.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseDocument } from 'yaml'
import { addCompany } from '../../builder/ingest/add/add.ts'
import type { Finding } from '../../builder/workspace/findings/finding.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { chosen } from '../seed.ts'
import { suite } from '../suite.ts'
import { answered } from '../support/added.ts'
import { buildIn, inWorkspace } from '../support/workspace.ts'

const CASES = resolve(import.meta.dirname, 'cases')
const FILE = join(CASES, 'cases.yaml')
const UPDATE = process.env.UPDATE === '1'

interface Case {
  readonly right: string
  /** Of the files, where several cases share one. */
  readonly folder?: string
  readonly currency?: string
  /** What is added one after another, in place of the files of before where these are replaced; a company's folder as it is where left out. */
  readonly add?: readonly (readonly string[])[]
  /** Text of company.yaml → the answer in its place. */
  readonly answers?: Readonly<Record<string, string>>
  readonly comes?: string
}

/** What an accountant would answer without looking anything up. */
const ANSWERS = {
  opening: 'none',
  basis: 'accrual',
  sign: 'natural',
  equity: 'without-result',
  aggregation: 'last',
  unit: 'units',
}

async function setUp(workspace: Workspace, name: string, given: Case): Promise<readonly string[]> {
  const folder = join(CASES, given.folder ?? name)
  const company = join(workspace.datasets, 'acme')
  const yaml = join(company, 'company.yaml')
  rmSync(company, { recursive: true, force: true })
  if (given.add === undefined) {
    cpSync(folder, company, { recursive: true })
    writeFileSync(yaml, readFileSync(yaml, 'utf8').replace(/^id: .*/m, 'id: acme'))
    return []
  }
  mkdirSync(workspace.datasets, { recursive: true })
  for (const [i, files] of given.add.entries()) {
    const stated = {
      name: 'Acme',
      currency: given.currency ?? 'USD',
      fiscalMonthEnd: 12,
      basis: 'accrual' as const,
    }
    const add = (how: object) =>
      addCompany(
        workspace,
        'acme',
        files.map((file) => join(folder, file)),
        { replace: i > 0, ...how },
      )
    let { findings } = await add({ stated })
    // Some formats say themselves what is stated here.
    if (findings.some(({ code }) => code === 'already-set')) findings = (await add({})).findings
    if (findings.length > 0) return [`add ${i + 1}: nothing was added`, ...findings.map(said)]
    const text = answered(readFileSync(yaml, 'utf8'), ANSWERS)
    const own = Object.entries(given.answers ?? {})
    writeFileSync(
      yaml,
      own.reduce((all, [question, answer]) => all.replace(question, answer), text),
    )
  }
  return [...readFileSync(yaml, 'utf8').matchAll(/^ *(?:- )?([^#\n]*)FILL IN/gm)].map(
    ([, asked]) => `asked: ${asked!.trim()}`,
  )
}

/** The message is in the tests of the finding. */
const said = ({ severity, code, file, row }: Finding): string =>
  `${severity} ${code}${file === null ? '' : ` ${file}`}${row === null ? '' : `:${row}`}`

/** What the documents of the whole company say of each account and metric that is not zero throughout, without what follows from these. */
function figures(folder: string): string[] {
  const paths = (readdirSync(folder, { recursive: true }) as string[]).filter((path) =>
    /^(statements\/(balance-sheet|profit-loss)\/accrual|metrics)\/.*all\/all\.json$/.test(path),
  )
  return paths.sort().flatMap((path) => {
    // Figures are kept as the text that stands there.
    const text = readFileSync(join(folder, path), 'utf8').replace(
      /"Values":\[([^\]]*)\]/g,
      (_, values: string) => `"Values":"${values.replaceAll(',', ' ')}"`,
    )
    const { Periods, Data } = JSON.parse(text) as {
      Periods?: readonly { Month: string }[]
      Data: readonly Record<string, string>[]
    }
    const rows = Data.filter(({ Values }) => /[1-9]/.test(Values!))
    const months = Periods ? ` ${Periods[0]!.Month} to ${Periods.at(-1)!.Month}` : ''
    const title = path.replace(/^statements\//, '').replace(/\/all\/all\.json$/, '')
    return rows.length === 0
      ? []
      : [`${title}${months}`, ...rows.map((row) => `  ${row.AccountId ?? row.NonFinancialId}: ${row.Values}`)]
  })
}

const outcome = (name: string, given: Case): Promise<string> =>
  inWorkspace(
    {},
    async (workspace) => {
      const asked = await setUp(workspace, name, given)
      const company = join(workspace.datasets, 'acme')
      if (!statSync(company, { throwIfNoEntry: false })?.isDirectory()) return asked.join('\n')
      const { result, path } = await buildIn(workspace, 'acme')
      const counted = new Map<string, number>()
      for (const each of result.findings.map(said)) counted.set(each, (counted.get(each) ?? 0) + 1)
      return [
        ...asked,
        result.outcome,
        ...[...counted].map(([each, count]) => (count === 1 ? each : `${each}, ${count} times`)),
        ...(result.snapshotId === null ? [] : figures(path('.'))),
      ].join('\n')
    },
    'acme',
  )

const cases = suite('cases')
const document = parseDocument(readFileSync(FILE, 'utf8'))
const all = Object.entries(parse(readFileSync(FILE, 'utf8')) as Record<string, Case>)
for (const [name, given] of UPDATE ? all : chosen(all))
  cases(`${name}: ${given.right}`, async () => {
    const comes = `${await outcome(name, given)}\n`
    if (UPDATE) document.setIn([name, 'comes'], comes)
    else assert.is(comes, given.comes)
  })
cases.after(() => {
  if (UPDATE) writeFileSync(FILE, document.toString({ lineWidth: 0 }))
})
