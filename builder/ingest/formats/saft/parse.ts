/**
 * The records of a SAF-T Financial file, one after the other, as text. Norway, Portugal and the OECD's schema 2.00 differ in
 * names and nesting only; here they become one form. Knows no years, kinds of accounts or amounts.
 */
import type { Finding } from '../../../workspace/findings/finding.ts'
import type { SourceFile } from '../../format/format.ts'
import { recordSteps, rootName, textOf, type XmlNode } from '../../format/xml-records.ts'
import type { Encoding } from '../../text/decode.ts'

export interface SaftHeader {
  readonly row: number
  /** Two letters; null where neither the header nor the namespace has them. */
  readonly country: string | null
  readonly version: string
  readonly name: string
  /** Who the books are of: registration or tax number. */
  readonly registration: string
  readonly currency: string
  /** Portugal: C accounting, I accounting and invoices; all others hold no ledger. */
  readonly basis: string
  /** Texts that may say what the whole file is. */
  readonly titles: readonly string[]
  readonly fiscalYear: string
  /** Selected by date, or by accounting period; each empty where the other is used. */
  readonly startDate: string
  readonly endDate: string
  readonly start: SaftPeriod
  readonly end: SaftPeriod
}

/** Period and year of it, as written. */
export interface SaftPeriod {
  readonly period: string
  readonly year: string
}

export interface SaftAccount {
  readonly row: number
  readonly id: string
  readonly name: string
  /** Norway up to 1.20: number in the standard chart, two or four digits. */
  readonly standard: string
  /** Norway: which list `code` is of. Portugal: GR, GA (headers), GM (posting), AR, AA, AM (the same of cost accounting). */
  readonly category: string
  /** Norway: code of the income statement. Portugal: the account above. */
  readonly code: string
  /** Null where the file states none; net where it states both sides. */
  readonly opening: SaftBalance | null
  readonly closing: SaftBalance | null
}

export interface SaftBalance {
  readonly debit: string
  readonly credit: string
}

/** A code of a dimension, from the table of them or on a line. */
export interface SaftAnalysis {
  readonly row: number
  readonly type: string
  readonly typeName: string
  readonly id: string
  readonly name: string
  /** On a line: the part of it that the code stands for; empty for all. In 1.30 each side has its own element. */
  readonly debit: string
  readonly credit: string
  readonly amount: string
}

export interface SaftTransaction {
  readonly row: number
  readonly journal: string
  readonly id: string
  readonly period: SaftPeriod
  /** The date of the document; that of posting where a file has only that. */
  readonly date: string
  /** Norway 1.30: of the voucher; else that of the transaction. */
  readonly type: string
  readonly text: string
  readonly document: string
  readonly party: string
  /** When and by whom it was entered; empty where the file does not say. */
  readonly entered: string
  readonly user: string
}

export interface SaftLine {
  /** Line of the text; where several begin on one, counted on from it, so that no two lines of a file share a number. */
  readonly row: number
  readonly account: string
  readonly debit: string
  readonly credit: string
  readonly text: string
  readonly reference: string
  readonly party: string
  readonly due: string
  readonly entered: string
  readonly user: string
  readonly analyses: readonly SaftAnalysis[]
}

/** What the file states about its own entries. */
export interface SaftTotals {
  readonly row: number
  readonly entries: string
  readonly debit: string
  readonly credit: string
}

export interface SaftVisitor {
  readonly onRoot?: (name: string, uri: string) => void
  readonly onHeader?: (header: SaftHeader) => void
  /** Portugal: the framework that the accounts follow, one letter. */
  readonly onTaxonomy?: (letter: string) => void
  readonly onAccount?: (account: SaftAccount) => void
  readonly onParty?: (id: string, name: string) => void
  readonly onAnalysis?: (analysis: SaftAnalysis) => void
  readonly onLine?: (line: SaftLine, transaction: SaftTransaction) => void
  /** After its last line. */
  readonly onTransaction?: (transaction: SaftTransaction, lines: number) => void
  readonly onTotals?: (totals: SaftTotals) => void
  /** An element of journals, transactions and lines that is not read. */
  readonly onOther?: (name: string, text: string) => void
}

/** All audit files, also those of cash registers, so that these are refused with a clear message. */
export const looksLikeSaft = (head: string): boolean => rootName(head)?.toLowerCase() === 'auditfile'

const LINES: ReadonlySet<string> = new Set(['Line', 'TransactionLine', 'DebitLine', 'CreditLine'])
/** Section → container → its records; a container of its own name is a record without one (Portugal). */
const RECORDS: Readonly<Record<string, string>> = {
  GeneralLedgerAccounts: 'Account',
  Customers: 'Customer',
  Customer: 'Customer',
  Suppliers: 'Supplier',
  Supplier: 'Supplier',
  AnalysisTypeTable: 'AnalysisTypeTableEntry',
}

/** Elements of transactions and lines that are read, or that name, date or explain a record by the schemas. */
const CLAIMED: ReadonlySet<string> = new Set(
  `TransactionID Period PeriodYear TransactionDate GLPostingDate SystemEntryDate SystemEntryTime ModificationDate
  Description VoucherDescription DocArchivalNumber CustomerID SupplierID SystemID SourceID BatchID VoucherNo OwnerID
  Lines Line TransactionLine DebitLine CreditLine RecordID AccountID DebitAmount CreditAmount Analysis ReferenceNumber
  SourceDocumentID ValueDate DueDate CID CrossReference Quantity TaxInformation TaxPointDate`.split(/\s+/),
)

export interface SaftText extends Pick<SourceFile, 'file' | 'path'> {
  readonly encoding: Encoding
}

/** Gives the records to `visit` in the order of the file, in steps; what is returned is null where all was read. */
export const saftSteps = (text: SaftText, visit: SaftVisitor): AsyncGenerator<undefined, Finding | null> =>
  recordSteps(text, text.encoding, new SaftReader(visit))

type Fields = Record<string, string>

class SaftReader {
  readonly #visit: SaftVisitor
  #uri = ''
  /** Names of the open elements below the root, down to the container of records. */
  #section = ''
  #container = ''
  #journal = ''
  #fields: Fields = {}
  #totals: Fields = {}
  #transaction: SaftTransaction | null = null
  #transactionRow = 0
  #lines = 0
  /** The last number that a line was given. */
  #row = 0

  constructor(visit: SaftVisitor) {
    this.#visit = visit
  }

  root = (name: string, uri: string): void => {
    this.#uri = uri
    this.#visit.onRoot?.(name, uri)
  }

  open = (name: string, depth: number, row: number): boolean => {
    if (depth === 2) {
      this.#section = name
      return name === 'Header'
    }
    if (this.#section === 'MasterFiles') {
      if (depth === 3) this.#container = name
      return RECORDS[this.#container] === name
    }
    if (this.#section !== 'GeneralLedgerEntries') return false
    if (depth === 3) this.#container = name
    if (depth === 3 && name === 'Journal') this.#journal = ''
    if (depth === 4 && name === 'Transaction') {
      this.#fields = {}
      this.#transaction = null
      this.#transactionRow = row
      this.#lines = 0
    }
    return depth >= 5 && LINES.has(name)
  }

  close = (name: string, depth: number, text: string, row: number): void => {
    if (name === 'TaxonomyReference') this.#visit.onTaxonomy?.(text)
    if (this.#section !== 'GeneralLedgerEntries') return
    if (depth === 3 && name !== 'Journal') this.#totals[name] = text
    else if (depth === 4 && name === 'JournalID') this.#journal = text
    else if (depth === 4 && name === 'Transaction') {
      for (const [field, value] of Object.entries(this.#fields)) this.#see(field, value)
      this.#visit.onTransaction?.(this.#head(), this.#lines)
    } else if (depth === 4) this.#see(`Journal ${name}`, text)
    else if (depth === 5) this.#fields[name] ??= text
    else if (depth === 2)
      this.#visit.onTotals?.({
        row,
        entries: this.#totals.NumberOfEntries ?? '',
        debit: decimal(this.#totals.TotalDebit ?? ''),
        credit: decimal(this.#totals.TotalCredit ?? ''),
      })
  }

  record = (node: XmlNode): void => {
    if (node.name === 'Header') this.#visit.onHeader?.(headerOf(node, this.#uri))
    else if (node.name === 'Account') this.#visit.onAccount?.(accountOf(node))
    else if (node.name === 'Customer' || node.name === 'Supplier')
      this.#visit.onParty?.(
        textOf(node, `${node.name}ID`),
        textOf(node, 'Name') || textOf(node, 'CompanyName') || textOf(node, 'CompanyStructure', 'Name'),
      )
    else if (node.name === 'AnalysisTypeTableEntry') this.#visit.onAnalysis?.(analysisOf(node))
    else {
      const line = lineOf(node, Math.max(node.row, this.#row + 1))
      // A line that is split becomes as many as it has codes: their numbers stay inside its element.
      this.#row = line.row + line.analyses.length
      this.#lines++
      for (const { name, text } of node.children) this.#see(name, text)
      this.#visit.onLine?.(line, this.#head())
    }
  }

  #see(name: string, text: string): void {
    if (!CLAIMED.has(name)) this.#visit.onOther?.(name, text)
  }

  #head(): SaftTransaction {
    const fields = this.#fields
    this.#transaction ??= {
      row: this.#transactionRow,
      journal: this.#journal,
      id: fields.TransactionID ?? '',
      period: { period: fields.Period ?? '', year: fields.PeriodYear ?? '' },
      date: dayOf(fields.TransactionDate ?? '') || dayOf(fields.GLPostingDate ?? ''),
      type: fields.VoucherType || (fields.TransactionType ?? ''),
      text: fields.Description ?? '',
      document: fields.DocArchivalNumber ?? '',
      party: fields.CustomerID || fields.SupplierID || '',
      entered: dayOf(fields.SystemEntryDate ?? ''),
      user: fields.SourceID ?? '',
    }
    return this.#transaction
  }
}

/** xs:date may carry a time zone, and some programs write a time: the day is what stands there. */
const dayOf = (text: string): string => /^(\d{4}-\d{2}-\d{2})(?:[TZ+-].*)?$/.exec(text)?.[1] ?? text

function headerOf(node: XmlNode, uri: string): SaftHeader {
  const selection = (name: string) => textOf(node, 'SelectionCriteria', name)
  const company = (name: string) => textOf(node, 'Company', name)
  return {
    row: node.row,
    country:
      textOf(node, 'AuditFileCountry').toUpperCase() || (/:([A-Z]{2})(?:_[\w.]*)?$/.exec(uri)?.[1] ?? null),
    version: textOf(node, 'AuditFileVersion'),
    name: company('Name') || textOf(node, 'CompanyName'),
    registration:
      company('RegistrationNumber') || textOf(node, 'TaxRegistrationNumber') || textOf(node, 'CompanyID'),
    currency: textOf(node, 'DefaultCurrencyCode') || textOf(node, 'CurrencyCode'),
    basis: textOf(node, 'TaxAccountingBasis'),
    titles: [textOf(node, 'HeaderComment'), textOf(node, 'TaxAccountingBasis'), selection('OtherCriteria')],
    fiscalYear: textOf(node, 'FiscalYear'),
    startDate: dayOf(selection('SelectionStartDate') || textOf(node, 'StartDate')),
    endDate: dayOf(selection('SelectionEndDate') || textOf(node, 'EndDate')),
    start: { period: selection('PeriodStart'), year: selection('PeriodStartYear') },
    end: { period: selection('PeriodEnd'), year: selection('PeriodEndYear') },
  }
}

function accountOf(node: XmlNode): SaftAccount {
  const balance = (which: 'Opening' | 'Closing'): SaftBalance | null => {
    const debit = decimal(textOf(node, `${which}DebitBalance`))
    const credit = decimal(textOf(node, `${which}CreditBalance`))
    return debit === '' && credit === '' ? null : { debit, credit }
  }
  return {
    row: node.row,
    id: textOf(node, 'AccountID'),
    name: plain(textOf(node, 'AccountDescription')),
    standard: textOf(node, 'StandardAccountID'),
    category: textOf(node, 'GroupingCategory'),
    code: textOf(node, 'GroupingCode'),
    opening: balance('Opening'),
    closing: balance('Closing'),
  }
}

const analysisOf = (node: XmlNode): SaftAnalysis => ({
  row: node.row,
  type: textOf(node, 'AnalysisType'),
  typeName: plain(textOf(node, 'AnalysisTypeDescription')),
  id: textOf(node, 'AnalysisID'),
  name: plain(textOf(node, 'AnalysisIDDescription')),
  debit: decimal(textOf(node, 'DebitAnalysisAmount', 'Amount')),
  credit: decimal(textOf(node, 'CreditAnalysisAmount', 'Amount')),
  amount: decimal(textOf(node, 'AnalysisAmount', 'Amount') || textOf(node, 'AnalysisAmount')),
})

function lineOf(node: XmlNode, row: number): SaftLine {
  // Norway has the amount one element further down, beside the foreign one, which is information.
  const amount = (name: string) => decimal(textOf(node, name, 'Amount') || textOf(node, name))
  return {
    row,
    account: textOf(node, 'AccountID'),
    debit: amount('DebitAmount'),
    credit: amount('CreditAmount'),
    text: plain(textOf(node, 'Description')),
    reference: textOf(node, 'ReferenceNumber') || textOf(node, 'SourceDocumentID'),
    party: textOf(node, 'CustomerID') || textOf(node, 'SupplierID'),
    due: dayOf(textOf(node, 'DueDate')),
    entered: dayOf(textOf(node, 'SystemEntryDate')),
    user: textOf(node, 'SourceID'),
    analyses: node.children.filter(({ name }) => name === 'Analysis').map(analysisOf),
  }
}

/** xs:decimal allows `.50`, as some databases print it. */
const decimal = (text: string): string => text.replace(/^([+-]?)\./, '$10.')

/** One line of text. */
const plain = (text: string): string => text.replace(/\s+/g, ' ')
