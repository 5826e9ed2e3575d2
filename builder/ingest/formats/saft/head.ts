/** What a SAF-T file says above its entries: header, accounts, codes. */
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { Declared } from './dimensions.ts'
import type { SaftAccount, SaftAnalysis, SaftHeader, SaftVisitor } from './parse.ts'

/** What reading the entries needs of it. */
export type Above = Pick<SaftHead, 'header' | 'accounts'>

/** Far more than any real chart has: a file made to exhaust memory is refused here. */
export const MOST_ACCOUNTS = 200_000
const MOST_CODES = 1_000_000

export const tooMany = (file: string, most: number, what: string): Finding =>
  error('too-many-ids', `the file has more than ${most} ${what}`, {
    file,
    remedy: 'this is not an accounting file, or a damaged one: export it again',
  })

export class SaftHead {
  readonly #file: string
  /** Why the file cannot be read at all; null where it can. */
  refusal: Finding | null = null
  /** Null where the file has none. */
  header: SaftHeader | null = null
  readonly accounts = new Map<string, SaftAccount>()
  /** Portugal: O says that the accounts follow neither the SNC nor its parts. */
  taxonomy = ''
  readonly declared: Declared[] = []
  readonly findings: Finding[] = []

  constructor(file: string) {
    this.#file = file
  }

  /** What is to be told of the file. */
  readonly visitor: SaftVisitor = {
    root: (name, uri) => this.#root(name, uri),
    header: (header) => {
      this.header ??= header
    },
    taxonomy: (letter) => {
      this.taxonomy ||= letter.trim()
    },
    account: (account) => this.#account(account),
    analysis: (analysis) => this.#analysis(analysis),
  }

  #root(name: string, uri: string): void {
    const other = /cashregister/i.test(uri)
      ? 'a Norwegian SAF-T Cash Register file'
      : name !== 'AuditFile'
        ? `an audit file of another kind (<${name}${uri === '' ? '' : ` xmlns="${uri}"`}>)`
        : null
    if (other !== null)
      this.refusal = error('no-financial-saft', `this is ${other}, not SAF-T Financial: it is not read`, {
        file: this.#file,
        row: 1,
        text: uri || name,
        remedy: 'export SAF-T Financial (Regnskap, Contabilidade), with the general ledger entries',
      })
  }

  #account(account: SaftAccount): void {
    const { id, row } = account
    const known = this.accounts.get(id)
    if (known !== undefined && JSON.stringify({ ...known, row }) !== JSON.stringify(account))
      this.findings.push(
        error(
          'duplicate-account',
          `account ${id} is declared in line ${known.row} already, with other values`,
          {
            file: this.#file,
            row,
            column: 'AccountID',
            text: id,
            remedy: 'export the file again: it does not show which of the two balances is right',
          },
        ),
      )
    if (known !== undefined) return
    if (this.accounts.size < MOST_ACCOUNTS) this.accounts.set(id, account)
    else this.refusal ??= tooMany(this.#file, MOST_ACCOUNTS, 'accounts')
  }

  #analysis(analysis: SaftAnalysis): void {
    if (this.declared.length < MOST_CODES) this.declared.push({ ...analysis, file: this.#file })
    else this.refusal ??= tooMany(this.#file, MOST_CODES, 'analysis codes')
  }
}
