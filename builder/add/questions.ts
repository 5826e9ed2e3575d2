/** What a company.yaml leaves open, and the file itself where the questions are answered. */
import { join } from 'node:path'
import { MAY_WAIT } from '../workspace/company.ts'
import { CHECK, CompanyEdit } from '../workspace/company-edit.ts'
import { replaceFile } from '../workspace/durable.ts'
import type { Finding } from '../workspace/finding.ts'
import { COMPANY_FILE, companyFolder, readCompany, type Workspace } from '../workspace/workspace.ts'
import { readYamlText } from '../workspace/yaml-file.ts'

export interface CompanyFileLine {
  readonly row: number
  readonly text: string
}

/** The company.yaml of a company, to be edited; `save` writes it as it is then. */
export function companyEdit(
  workspace: Workspace,
  companyId: string,
): { readonly edit: CompanyEdit; readonly save: () => void } {
  const path = join(companyFolder(workspace, companyId), COMPANY_FILE)
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
