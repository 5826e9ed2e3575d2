/**
 * Every parser against damaged files: a fixed number of mutants of small valid ones, the same on every machine; in `npm test` of a tenth of the parsers.
 * `FUZZ_RUNS=2000 npm test -- fuzz` for longer, `FUZZ_SEED=7` for others. A mutant that fails is kept; what it taught
 * becomes a case under corpus/<parser>/found.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../../builder/build/build.ts'
import { FORMATS } from '../../../builder/ingest/formats.ts'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { REQUIRED } from '../../../builder/ingest/tables/header.ts'
import { type Finding, hasErrors } from '../../../builder/workspace/findings/finding.ts'
import { datasetFolder, readCompany, type Workspace } from '../../../builder/workspace/workspace.ts'
import { alike, chosen } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { COMPANY, inWorkspace, writeFiles } from '../../support/workspace.ts'
import { foundOf, type Parts, packed, parsers, seedOf } from './corpus.ts'
import { mutate, randomFrom } from './mutate.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 24)
const SEED = Number(process.env.FUZZ_SEED ?? 1)
/** Of the mutants that are read without error, so many are built too, which takes longest. */
const BUILDS = Math.ceil(RUNS / 12)
/** Of some formats hardly a mutant is read: more are made until one is. */
const MOST = Math.max(RUNS, 200)
/** What all of them may take, since the seeds are a few kilobytes: beside what earlier test files took, which stays with the process. */
const MEMORY = process.memoryUsage().rss + 1024 ** 3

const fuzz = suite('fuzz')

/** Tables of a group, which are read beside what its members have published (`test/group`). */
const OF_GROUPS = ['mapping', 'departmentMapping', 'rates', 'historical', 'intercompany']

fuzz('every format, and every kind of table, has a seed', () => {
  const formats = FORMATS.map(({ id }) => id as string).filter((id) => Object.keys(seedOf(id)).length === 0)
  assert.equal(formats, [], `write a small company for each of these under test/ingest/corpus/<format>/seed`)
  const tables = seedOf('tables')['company.yaml']!.toString()
  for (const kind of Object.keys(REQUIRED).filter((kind) => !OF_GROUPS.includes(kind)))
    assert.match(tables, kind === 'chart' ? 'chartOfAccounts' : kind)
})

/** What is wrong with findings, as findings: each says where, what, and what would mend it. */
const speechless = (findings: readonly Finding[]): Finding[] =>
  findings.filter(
    ({ code, message, file, remedy }) =>
      !/^[a-z][a-z0-9-]*$/.test(code) || message.trim() === '' || file === null || !remedy?.trim(),
  )

/** Reads the company, and builds it where asked to; throws where it did what no input may make it do. */
async function examine(workspace: Workspace, mayBuild: boolean): Promise<'refused' | 'read' | 'built'> {
  const parsed = readCompany(workspace, COMPANY)
  if (parsed.value === null) return 'refused'
  const intake = await ingest(parsed.value, datasetFolder(workspace, COMPANY))
  await intake.dispose()
  assert.equal(speechless(intake.findings), [], 'findings without a place or a remedy')
  assert.ok(process.memoryUsage().rss < MEMORY, 'memory')
  if (hasErrors(intake.findings)) return 'refused'
  if (!mayBuild) return 'read'
  // An identity that does not hold is an error, and so is an amount that is not exact: what is not refused ties out.
  const result = await build(workspace, COMPANY, { publish: false })
  assert.is(result.outcome, hasErrors(result.findings) ? 'refused' : 'checked')
  assert.ok(result.outcome === 'refused' || result.tieOuts.length > 0)
  return 'built'
}

function keep(parts: Parts): string {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-fuzz-'))
  writeFiles(folder, packed(parts))
  return folder
}

async function survive(workspace: Workspace, parts: Parts, name: string, mayBuild: boolean) {
  writeFiles(datasetFolder(workspace, COMPANY), packed(parts))
  try {
    return await examine(workspace, mayBuild)
  } catch (problem) {
    throw new Error(`${name}, kept in ${keep(parts)}: ${(problem as Error).stack}`)
  }
}

const isMutable = (path: string): boolean => path !== 'company.yaml'

for (const parser of alike(parsers()))
  fuzz(`${parser}: ${RUNS} mutants are refused, or their books tie out`, () =>
    inWorkspace(packed(seedOf(parser)), async (workspace) => {
      const seed = seedOf(parser)
      const paths = Object.keys(seed).filter(isMutable)
      const told = { refused: 0, read: 0, built: 0 }
      for (let run = 0; run < RUNS || (told.built === 0 && run < MOST); run++) {
        const random = randomFrom(SEED * 1_000_003 + run)
        const path = paths[random(paths.length)]!
        const other = seed[paths[random(paths.length)]!]!
        const parts = { ...seed, [path]: mutate(seed[path]!, other, random) }
        told[
          await survive(
            workspace,
            parts,
            `${parser}, FUZZ_SEED=${SEED}, run ${run}, ${path}`,
            told.built < BUILDS,
          )
        ]++
      }
      // A fuzzer whose mutants are all refused at the door tests nothing behind it.
      assert.ok(told.built > 0, JSON.stringify(told))
    }),
  )

for (const parser of chosen(parsers()))
  for (const [name, parts] of Object.entries(foundOf(parser)))
    fuzz(`${parser}: found before, ${name}`, () =>
      inWorkspace(
        packed(seedOf(parser)),
        async (workspace) => void (await survive(workspace, parts, name, true)),
      ),
    )
