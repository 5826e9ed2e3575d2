/**
 * `npm run bench -- formats [--against FOLDER] [--case 'sie 1M']`: one business of many postings, as each program would export it, built as a
 * whole process. With `--against`, the compiled program of another checkout builds the same files by turns, and the figure
 * that counts is the ratio of the two.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { present } from '../../builder/contract/present.ts'
import type { Exporter } from '../peers/business/exported.ts'
import { fec } from '../peers/business/fec.ts'
import { plainText } from '../peers/business/plain-text.ts'
import { onlineLedger, onlineWorkbook } from '../peers/business/quickbooks.ts'
import { saftNo130 } from '../peers/business/saft.ts'
import { sie } from '../peers/business/sie.ts'
import { accountTransactions } from '../peers/business/xero.ts'
import { type Business, makeBusiness } from '../support/business.ts'
import { writeFiles } from '../support/workspace.ts'
import { MEASURED, writeCompany, writeWorkspace } from './ledger.ts'
import { tieout, tieoutOf, type Usage } from './processes.ts'
import { median, type Result } from './results.ts'

/** Those of plain text that need no other program begin with the second. */
const EXPORTERS: Readonly<Record<string, Exporter>> = {
  sie,
  fec,
  saft: saftNo130,
  'plain-text': present(plainText[1], 'exporter of plain text'),
  quickbooks: onlineLedger,
  'quickbooks-xlsx': onlineWorkbook,
  xero: accountTransactions,
}

/** The synthetic business of tests, with the trade of as many businesses as have so many postings. */
function businessOf(postings: number): Business {
  const transactions: Business['transactions'][number][] = []
  for (let seed = 1, count = 0; count < postings; seed++)
    for (const each of makeBusiness(seed).transactions) {
      transactions.push(each)
      count += each.lines.length
    }
  transactions.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
  const numbered = transactions.map((each, i) => ({ ...each, id: i + 1, document: `${100_000 + i}` }))
  return { ...makeBusiness(), transactions: numbered }
}

/** The company `bench` of a workspace, of so many postings, as a program of that format exports it. */
export async function writeExport(folder: string, format: string, postings: number): Promise<void> {
  const exported = await present(EXPORTERS[format], format)(businessOf(postings))
  const { 'company.yaml': settings = '', ...files } = present(exported, format).files
  const company = join(folder, 'datasets', 'bench')
  mkdirSync(company, { recursive: true })
  writeFiles(company, { ...files, 'company.yaml': String(settings).replace('id: acme', 'id: bench') })
}

const ROUNDS = 3
const BUILD = ['build', 'bench']

/** Each build is a first one, in a workspace of its own; the versions take turns, so that a busy moment hits both. */
async function besides(
  name: string,
  versions: readonly (string | null)[],
  write: (folder: string) => Promise<void>,
) {
  const usages: Usage[][] = versions.map(() => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, checkout] of versions.entries()) {
      const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
      try {
        writeWorkspace(folder)
        await write(folder)
        usages[i]!.push(
          await (checkout === null ? tieout(folder, ...BUILD) : tieoutOf(checkout, folder, ...BUILD)),
        )
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
  const figures = (of: readonly Usage[]) => ({
    wall: median(of.map(({ wall }) => wall)),
    cpu: median(of.map(({ cpu }) => cpu)),
    peak: median(of.map(({ peak }) => peak)),
  })
  const [ours, theirs] = usages.map(figures)
  process.stderr.write(
    `${name}: ${usages.map((of) => of.map(({ wall }) => wall.toFixed(1)).join(' ')).join(' s; other version ')} s\n`,
  )
  const results: Result[] = [
    { part: 'formats', name: `${name}, first build`, value: ours!.wall, unit: 's', target: null },
  ]
  if (theirs)
    for (const [key, target] of [
      ['wall', name.startsWith('csv') ? '≤ 1.05' : '≤ 1.15'],
      ['cpu', null],
      ['peak', '≤ 1.1'],
    ] as const)
      results.push({
        part: 'formats',
        name: `${name}, ${key} beside the other version`,
        value: ours![key] / theirs[key],
        unit: '×',
        target,
      })
  return results
}

const CSV = 'csv 1M'

/** `cases`: such as `sie 200k`, `saft 1M`; if none are named, each format once. */
export async function formats({
  against,
  cases,
}: {
  readonly against: string | null
  readonly cases: readonly string[]
}): Promise<Result[]> {
  const versions = against === null ? [null] : [null, against]
  const results: Result[] = []
  for (const name of cases.length > 0
    ? cases
    : [CSV, ...Object.keys(EXPORTERS).map((format) => `${format} 200k`)]) {
    const [, format = '', count = '', unit = ''] = /^(\S+) (\d+)([kM])$/.exec(name) ?? []
    if (name !== CSV && !(format in EXPORTERS))
      throw new Error(
        `no such case: ${name}; there are ${CSV}, and such as ${Object.keys(EXPORTERS).join(' 200k, ')} 1M`,
      )
    const postings = Number(count) * (unit === 'k' ? 1000 : 1_000_000)
    const write = (folder: string) =>
      name === CSV ? writeCompany(folder, 'bench', MEASURED) : writeExport(folder, format, postings)
    results.push(...(await besides(name, versions, write)))
  }
  return results
}
