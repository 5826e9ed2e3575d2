/**
 * Files that users often add and that are not read: how each is known, what it is, and what to export instead. The one place
 * for them, whether they are added, checked or put into the folder by hand.
 */
import { error, type Finding } from '../../workspace/findings/finding.ts'

interface Foreign {
  /** Matches the beginning of the file, as text. */
  readonly begins: RegExp
  readonly what: string
  readonly instead: string
}

/** The first element of an XML file, behind its declaration and comments. */
const root = (name: string): RegExp =>
  new RegExp(`^\\s*(<\\?xml[^>]*\\?>\\s*)?(<!--[\\s\\S]*?-->\\s*)*<([\\w.-]+:)?${name}`)

const AS_TABLE = 'export the same report as .xlsx or CSV'
const THE_LEDGER = 'export the general ledger of the accounting program as .xlsx or CSV'
const UNPACK = 'unpack it, and add the file inside'

const FOREIGN: readonly Foreign[] = [
  {
    begins: /^"?(EXTF|DTVF)"?;/,
    what: 'is a DATEV file (EXTF): each row names account and contra account, and leaves the tax to keys that only DATEV knows',
    instead:
      'export the journal with its lines (Buchungsjournal: number, date, account, Soll and Haben) as CSV or .xlsx, and add it with --map',
  },
  {
    begins: root('JPK\\b'),
    what: 'is a Polish JPK file, of which none is read, JPK_KR neither',
    instead:
      'export the journal with its lines (dziennik: number, date, account, Wn and Ma) and the list of accounts as CSV or .xlsx, and add them with --map',
  },
  {
    begins: root('Sie(Entry)?\\s[^>]*sie5'),
    what: 'is SIE 5, which is XML; SIE 4 is read',
    instead: 'export SIE type 4 (4E) for the whole fiscal year',
  },
  {
    begins: root('comptabilite\\b'),
    what: 'is a FEC as XML; the FEC as text is read',
    instead: 'export the FEC as text, with tabs or | between its columns (a .txt file)',
  },
  {
    begins: root('auditfile\\s[^>]*auditfiles\\.nl'),
    what: 'is a Dutch XML Auditfile Financieel (XAF)',
    instead:
      'export the journal with its lines (number, date, account, debit and credit) and the list of accounts as CSV or .xlsx, and add them with --map',
  },
  { begins: root('Document\\s[^>]*camt\\.05'), what: 'is a statement of a bank (camt)', instead: THE_LEDGER },
  {
    begins: root('xbrl\\b'),
    what: 'is a report as XBRL, which holds totals and no entries',
    instead: THE_LEDGER,
  },
  { begins: /^\s*%PDF-/, what: 'is a PDF, which shows figures and holds no table', instead: AS_TABLE },
  {
    begins: /^\s*(<!doctype html|<html|<head|<meta|<table|<style)/i,
    what: 'is a web page (HTML), although it may be called .xls',
    instead: 'open it in a spreadsheet program and save it as .xlsx, then add that',
  },
  {
    begins: /^\s*(<\?xml[^>]*\?>\s*)?(<\?mso-application|<(ss:)?Workbook\b)/i,
    what: 'is a workbook in XML (Excel 2003)',
    instead: 'open it in a spreadsheet program and save it as .xlsx, then add that',
  },
  {
    begins: /^!(Type|Account|Option):/i,
    what: 'is a QIF file: payments of one account, and no entries',
    instead: THE_LEDGER,
  },
  {
    begins: /^\s*(OFXHEADER|<\?OFX|<OFX>)/i,
    what: 'is a statement of a bank (OFX)',
    instead: THE_LEDGER,
  },
  {
    begins: /^(Rar!|7z\xbc\xaf|7z¼¯|\x1f[\x8b‹]|BZh\d|\xfd7zXZ)/,
    what: 'is a compressed archive',
    instead: UNPACK,
  },
  { begins: /^.PNG\r\n|^ÿØÿ|^GIF8\d/s, what: 'is a picture', instead: AS_TABLE },
  { begins: /^\s*\{\\rtf/, what: 'is a text document (RTF)', instead: AS_TABLE },
]

/** The finding about such a file; null where it may be a table or of a ledger format. */
export function foreignFile(head: string, file: string): Finding | null {
  const text = head.slice(0, 2000).replace(/^\uFEFF/, '')
  const found = FOREIGN.find(({ begins }) => begins.test(text))
  return found === undefined ? null : error('unreadable-file', found.what, { file, remedy: found.instead })
}

/** A report of an accounting program, known by its title in any of the languages that are read. */
interface Report {
  readonly titled: RegExp
  readonly what: string
  readonly instead: string
  /** Such a title may stand above a budget. */
  readonly mayBeBudget: boolean
  /** What it is as a control of the books, where its figures are held against them. */
  readonly control?: (title: string) => Control
}

/** A report whose figures can be held against the books. */
export type Control = 'profit and loss' | 'balance sheet' | 'aged receivables' | 'aged payables'

const titles = (words: string): RegExp => new RegExp(`^(?:${words})$`, 'i')

const ENTRIES =
  'export the report with every entry for all dates: the General Ledger (QuickBooks, Odoo, Sage: Nominal Activity), General Ledger Detail (Xero), GL Detail (NetSuite), and the list of accounts'

const AS_CONTROL = `${ENTRIES}; then add this report again, and its figures are held against the books`

const REPORTS: readonly Report[] = [
  {
    titled: titles(
      'budget (vs\\.?|versus|and|compared to) actuals?\\b.*|actuals? (vs\\.?|versus) budgets?\\b.*|budget variance\\b.*|.* budget (vs\\.?|versus) actuals?|budgetuppföljning\\b.*|soll-ist-vergleich\\b.*|plan-ist-vergleich\\b.*',
    ),
    what: 'sets a budget beside actual figures',
    instead: 'export the budget alone, month by month: Budget Overview (QuickBooks), Budget Manager (Xero)',
    mayBeBudget: false,
  },
  {
    titled: titles(
      'profit (and|&) loss\\b.*|income statement\\b.*|statement of (income|operations|activities|comprehensive income|profit (and|or) loss)|p ?& ?l\\b.*|resultatrapport|resultaträkning|resultatregnskap|resultatopgørelse|gewinn- und verlustrechnung|guv|betriebswirtschaftliche auswertung|compte de résultats?|winst- en verliesrekening|conto economico|cuenta de pérdidas y ganancias|estado de resultados|demonstração (de|dos) resultados|tuloslaskelma',
    ),
    what: 'is a profit and loss: it holds totals, and not the entries behind them',
    instead: AS_CONTROL,
    mayBeBudget: true,
    control: () => 'profit and loss',
  },
  {
    titled: titles(
      'balance sheet\\b.*|statement of financial position|balansrapport|balansräkning|balanserapport|bilanz|bilan( comptable)?|balans|stato patrimoniale|balance de situación|balanço|tase',
    ),
    what: 'is a balance sheet: it holds totals, and not the entries behind them',
    instead: AS_CONTROL,
    mayBeBudget: true,
    control: () => 'balance sheet',
  },
  {
    titled: titles(
      '(statement of )?cash flows?( statement)?|kassaflödesanalys|kontantstrømoppstilling|pengestrømsopgørelse|kapitalflussrechnung|tableau des flux de trésorerie',
    ),
    what: 'is a cash flow statement: it holds totals, and not the entries behind them',
    instead: ENTRIES,
    mayBeBudget: true,
  },
  {
    titled: titles(
      '(a/[rp]|accounts (receivable|payable)) age?ing\\b.*|aged (accounts )?(receivables?|payables?|debtors?|creditors?)\\b.*|(customer|vendor|supplier) balance (summary|detail)|open invoices|unpaid bills|kundreskontra|leverantörsreskontra|offene posten\\b.*|op-liste\\b.*|balance âgée\\b.*|antigüedad de saldos\\b.*',
    ),
    what: 'lists open invoices of customers or vendors, and no entries',
    instead: AS_CONTROL,
    mayBeBudget: false,
    control: (title) =>
      /a\/p|payable|vendor|creditor|bill|supplier/i.test(title) ? 'aged payables' : 'aged receivables',
  },
]

/** What a report with this title is as a control; null where it is none. */
export function controlOf(title: string): Control | null {
  const plain = title
    .replace(/\.\w{2,4}$/, '')
    .replace(/_/g, ' ')
    .replace(/ \(\d+\)$/, '')
    .trim()
  return REPORTS.find(({ titled }) => titled.test(plain))?.control?.(plain) ?? null
}

/**
 * The finding about a report that is known by a title, which stands alone in one of its first rows; null for any other table.
 * `isBudget`: company.yaml says that it is a budget, or the file calls itself one.
 */
export function wrongReport(
  rows: readonly (readonly string[])[],
  file: string,
  isBudget: boolean,
): Finding | null {
  for (const [i, cells] of rows.slice(0, TITLES).entries()) {
    const [title = '', ...others] = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
    const found =
      others.length > 0
        ? undefined
        : REPORTS.find(({ titled, mayBeBudget }) => titled.test(title) && !(isBudget && mayBeBudget))
    if (found !== undefined)
      return error('wrong-report', found.what, { file, row: i + 1, text: title, remedy: found.instead })
  }
  return null
}
/** The finding about a report that could be held against the books, where there are none; `title` is the one that it has. */
export function aloneReport(control: Control, file: string, title: Finding | undefined): Finding {
  const report = REPORTS.find(
    (each) => each.control?.('') === control || each.control?.('payable') === control,
  )
  return title ?? error('wrong-report', report?.what ?? '', { file, remedy: AS_CONTROL })
}

/** Rows in which a report has its title, its company and its period. */
export const TITLES = 6

/**
 * Describes an OLE compound file by the names in it: Excel before 2007, a workbook with a password, or another
 * program's file.
 */
export function compoundFile(bytes: Buffer): { readonly what: string; readonly instead: string } {
  const holds = (name: string) => bytes.includes(Buffer.from(name, 'utf16le'))
  if (holds('EncryptedPackage'))
    return {
      what: 'it is protected by a password',
      instead:
        'open it in a spreadsheet program, save it as .xlsx without a password, and copy it here again',
    }
  if (holds('Workbook') || holds('Book'))
    return {
      what: 'it is a workbook of the old form (.xls)',
      instead: 'open it in a spreadsheet program and save it as .xlsx, then add that',
    }
  return {
    what: 'it is protected by a password, or an old .xls file',
    instead: 'open it in a spreadsheet program, save it as .xlsx without a password, and copy it here again',
  }
}

/** Describes a zip archive that is not a workbook, by the names of its files. */
export function foreignArchive(names: readonly string[]): {
  readonly what: string
  readonly instead: string
} {
  if (names.includes('mimetype') && names.includes('content.xml'))
    return {
      what: 'it is an OpenDocument file (.ods)',
      instead: 'open it in a spreadsheet program and save it as .xlsx, then add that',
    }
  if (names.some((name) => name.startsWith('Index/') && name.endsWith('.iwa')))
    return { what: 'it is a Numbers file', instead: 'export it from Numbers as .xlsx or CSV, then add that' }
  return { what: `it is a zip archive of ${names.join(', ')}`, instead: UNPACK }
}
