/** A company as `tieout add` sets it up from exports, with its questions answered. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addCompany } from '../../../builder/ingest/add/add.ts'
import { COMPANY, type Files, inWorkspace, writeFiles } from '../../support/workspace.ts'
import { type Parts, partsIn } from './corpus.ts'

const ANSWERS: Readonly<Record<string, string>> = {
  fiscalMonthEnd: '12',
  currency: 'USD',
  opening: 'none',
}

export const addedCompany = (exports: Files): Promise<Parts> =>
  inWorkspace({}, async (workspace) => {
    const folder = join(workspace.datasets, COMPANY)
    const from = mkdtempSync(join(tmpdir(), 'tieout-exports-'))
    rmSync(folder, { recursive: true, force: true })
    writeFiles(from, exports)
    await addCompany(
      workspace,
      COMPANY,
      Object.keys(exports).map((name) => join(from, name)),
    )
    const path = join(folder, 'company.yaml')
    const answered = readFileSync(path, 'utf8').replace(/^(\w+): FILL IN/gm, (line, key: string) =>
      ANSWERS[key] === undefined ? line : `${key}: ${ANSWERS[key]}`,
    )
    writeFileSync(path, answered)
    return partsIn(folder)
  })
