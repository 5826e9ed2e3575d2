/** What the accountant states when a company is added: answers that no file gives. */

import { join } from 'node:path'
import { replaceFile } from '../../system/durable.ts'
import { companyId, companySchema, MAY_WAIT } from '../../workspace/company.ts'
import { CHECK, CompanyEdit } from '../../workspace/company-edit.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE, datasetFolder, readCompany, type Workspace } from '../../workspace/workspace.ts'
import { parseYaml, readYamlText } from '../../workspace/yaml-file.ts'
import type { Survey } from '../format/format.ts'

export interface StatedSettings {
  readonly name?: string
  /** ISO 4217. */
  readonly currency?: string
  /** 1 to 12. */
  readonly fiscalMonthEnd?: number
  /** Of ledgers that do not say it. */
  readonly basis?: 'accrual' | 'cash'
}

/** Why a text cannot be the id of a company. */
export const idFindings = (text: string): Finding[] =>
  (companyId.safeParse(text).error?.issues ?? []).slice(0, 1).map(({ message }) =>
    error('company-id', `"${text}" cannot be a company's id: it ${message}`, {
      ...{ text, remedy: 'choose another id; it names the folder and stands in URLs' },
    }),
  )

const KEYS = ['name', 'currency', 'fiscalMonthEnd'] as const

/** What contradicts company.yaml, or what the files themselves say. A name may be another than that of the files. */
export function contradictions(
  stated: StatedSettings,
  edit: CompanyEdit,
  surveys: readonly Survey[],
): Finding[] {
  return KEYS.flatMap((key) => {
    const value = stated[key]
    if (value === undefined) return []
    const written = edit.get(key)
    const byFiles = key === 'name' ? undefined : surveys.find((survey) => survey[key] !== null)?.[key]
    const differs = (other: unknown) =>
      other !== undefined && other !== null && String(other) !== String(value)
    if (differs(written) && !edit.isAssumed(key))
      return [contradiction(key, value, `company.yaml says ${written}`, 'change it there')]
    return differs(byFiles)
      ? [contradiction(key, value, `the files say ${byFiles}`, 'leave the option out')]
      : []
  })
}

const contradiction = (key: string, value: string | number, says: string, remedy: string): Finding =>
  error('already-set', `${key} cannot be ${value}: ${says}`, {
    file: COMPANY_FILE,
    column: key,
    text: String(value),
    remedy,
  })

/** Writes it over blanks and assumptions. */
export function writeStated(stated: StatedSettings, edit: CompanyEdit): void {
  for (const key of KEYS) {
    const value = stated[key]
    if (value !== undefined && edit.state(key, value)) edit.answered(key)
  }
  if (stated.basis !== undefined)
    for (const { key } of edit.blanks().filter((blank) => /^ledger\.\d+\.basis$/.test(blank.key))) {
      edit.fill(key, stated.basis)
      edit.answered(key)
    }
}

/** Why an answer to a question cannot be; null where it can. `edit` holds the answer. */
export function problemWith(edit: CompanyEdit, key: string): string | null {
  const { findings } = parseYaml(edit.toString(), COMPANY_FILE, companySchema, MAY_WAIT)
  return findings.find(({ code, column }) => code !== 'blank' && column === key)?.message ?? null
}

export interface CompanyFileLine {
  readonly row: number
  readonly text: string
}

/** The company.yaml of a company, to be edited; `save` writes it as it is then. */
export function companyEdit(
  workspace: Workspace,
  companyId: string,
): { readonly edit: CompanyEdit; readonly save: () => void } {
  const path = join(datasetFolder(workspace, companyId), COMPANY_FILE)
  const edit = new CompanyEdit(readYamlText(path, COMPANY_FILE).value)
  return { edit, save: () => replaceFile(path, edit.toString()) }
}

/** What company.yaml leaves open as it is now. */
export function openQuestions(
  workspace: Workspace,
  companyId: string,
): { readonly questions: readonly Finding[]; readonly mayWait: readonly CompanyFileLine[] } {
  const { edit } = companyEdit(workspace, companyId)
  return {
    questions: readCompany(workspace, companyId).findings,
    mayWait: linesIn(edit.toString(), (text) => MAY_WAIT.has(text.replace(/: FILL IN.*$/, ''))),
  }
}

/** The lines of a YAML text that are asked for, with their numbers. */
const linesIn = (yaml: string, are: (line: string) => boolean): CompanyFileLine[] =>
  yaml.split('\n').flatMap((text, i) => (are(text) ? [{ row: i + 1, text: text.trim() }] : []))

/** The lines that hold an assumption which the text did not hold before. */
export function assumedIn(after: string, before: string): CompanyFileLine[] {
  const old = new Set(before.split('\n'))
  return linesIn(after, (text) => text.includes(CHECK) && !old.has(text))
}
