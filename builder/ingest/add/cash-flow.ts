/**
 * Proposes what the cash flow needs to know of accounts and no type says (accounting.md §5): gains and losses on disposals,
 * liabilities that are financing, overdrafts. Names and numbers are no proof, so that each line is for the owner to check.
 */

import { readTableSetting } from '../../workspace/company.ts'
import { CHECK, type CompanyEdit } from '../../workspace/company-edit.ts'
import { readChart } from '../tables/chart.ts'
import { readTables } from '../tables/table.ts'

/** An account as a chart or an export describes it. */
interface DescribedAccount {
  readonly id: string
  readonly name: string
  readonly classification: string
  readonly type: string
}

/** Numbers of gains and losses on disposals in the national chart of a format. */
const DISPOSAL_NUMBERS: Readonly<Record<string, RegExp>> = { fec: /^([67]75|[67]57)/, sie: /^[37]97/ }

const any = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'))

const DISPOSAL = any(
  /\b(gains?|loss(es)?|profits?)\b.*\b(disposals?|dispositions?|retirements?|sales? of (the )?(fixed |capital |non current )?(assets?|equipment|property|plant|machinery|vehicles?|land|buildings?))\b/,
  /(vinst|förlust).*(avyttring|utrangering|försäljning av (anl|mask|inv|bygg|mark|fast|bil))/,
  /(gevinst|tap|tab).*(avgang|salg|afhændelse).*(anlegg|anlæg|driftsm)/,
  /éléments d.actif (cédés|immobilisés cédés)|cessions? d.(éléments d.actif|immobilisations?)/,
  /anlagenabg|(erlöse|gewinne?|verluste?) aus .*anlage/,
  /boek(winst|verlies|resultaat).*(activa|verkoop)/,
  /(beneficios|pérdidas) procedentes.*inmovilizado/,
  /(plus|minus)valenz|(mais|menos) valias/,
  /(myynti|luovutus)(voit|tappi).*(käyttöomais|pysyv)/,
)

const FINANCING = any(
  /\b(dividends?|distributions?) payable|\b(shareholders?|stockholders?|owners?|directors?|members?)s? loans?\b|\bloans? (from|payable|due)\b|\bdue to (share|stock)holders?\b|\bbank loans?\b/,
  /\bnotes? payable|\blease (liabilit|obligation)|\b(finance|capital) leases?\b|\bcurrent (portion|part|maturit)/,
  /utdelning|aktieägar|delägar|leasingskuld|kortfristig(a)? (del av|lån|skulder till kredit)/,
  /utbytte|udbytte|(lån|gjeld|gæld) (fra|til) (aksj|akti|anpart|kredit|eier|ejer)|leasing(gjeld|forplig)/,
  /dividendes|associés|emprunts?/,
  /dividende|ausschüttung|gesellschaftern?\b|gesellschafterdarlehen|darlehen|leasingverbindl|gegenüber kreditinst/,
  /dividend|aandeelhouder|leaseverpl|aflossing|kortlopend deel/,
  /préstamo|deudas .*(entidades de crédito|socios)|arrendamiento financiero/,
  /soci c.?finanz|mutu[oi]\b|empréstimo|financiamentos obtidos|osinko|osakaslaina/,
)
const NOT_FINANCING =
  /\btrade\b|interest|accrued|supplier|vendor|ränt|rente|intérêts|zinsen|inter[eé]s|steuer|tax\b|skatt|leverant|leverand|fournisseur|lieferant|proveedor/

const LINE_OF_CREDIT = /\b(lines? of credit|credit lines?|revolving credit|revolver)\b/
const OVERDRAFT =
  /overdraft|overdrawn|checkräkning|kassekredit|kassakredit|découvert|concours bancaires|kontokorrent|rekening courant krediet|descubierto|scoperto|luotollinen/

/** Writes proposals for the accounts of the company's chart that state no category themselves. */
export async function proposeForChart(edit: CompanyEdit, folder: string): Promise<void> {
  const setting = readTableSetting(edit.get('chartOfAccounts'))
  if (setting === null) return
  const { tables } = await readTables(folder, setting, 'chart', 'chartOfAccounts')
  proposeCashFlow(
    edit,
    readChart(tables, setting, []).accounts.filter(({ cashFlow }) => cashFlow === null),
  )
}

/** Of a longer name this many characters are looked at, since some patterns take time with the square of its length. */
const NAME = 500

/** Writes proposals for accounts that this `add` brings; `format` is that of the files, or null for a chart. */
export function proposeCashFlow(
  edit: CompanyEdit,
  all: readonly DescribedAccount[],
  format: string | null = null,
): void {
  const accounts = all.map((account) => ({
    ...account,
    words: account.name
      .slice(0, NAME)
      .toLowerCase()
      .replace(/[-_\s]+/g, ' '),
    isLiability: account.classification === 'Liability',
  }))
  const named = (some: readonly DescribedAccount[]) => some.map(({ id, name }) => `${id} ${name}`).join(', ')
  const numbers = DISPOSAL_NUMBERS[format ?? '']
  const disposals = accounts.filter(
    ({ id, words, classification }) =>
      /Income|Expense|CostOfSales/.test(classification) && (numbers?.test(id) || DISPOSAL.test(words)),
  )
  if (disposals.length > 0)
    edit.answer(
      'disposals',
      { gainsAndLosses: disposals.map(({ id }) => id) },
      `gains and losses on disposals, by name or number, ${CHECK}: ${named(disposals)}`,
    )
  const lines = accounts.filter(({ isLiability, words }) => isLiability && LINE_OF_CREDIT.test(words))
  const overdrafts = accounts.filter(({ isLiability, words }) => isLiability && OVERDRAFT.test(words))
  if (lines.length + overdrafts.length > 0)
    edit.answer(
      'overdrafts',
      lines.map(({ id }) => id),
      `liabilities that one pays by, ${CHECK}: financing where they are listed here${overdrafts.map(({ id, name }) => `; ${id} ${name} counts as its type says: list it for financing, or write cashFlow: { "${id}": Cash } where it is a part of cash (IAS 7.8)`).join('')}`,
    )
  const financing = accounts.filter(
    ({ type, words, isLiability }) =>
      isLiability &&
      (type === '' || type === 'OtherCurrentLiability') &&
      FINANCING.test(words) &&
      !NOT_FINANCING.test(words) &&
      !LINE_OF_CREDIT.test(words),
  )
  for (const { id, name } of financing)
    if (edit.addToMap('cashFlow', id, 'Financing', `${name}: by its name, ${CHECK}`, CASH_FLOW_ABOUT))
      edit.changes.push(`cashFlow.${id}: Financing`)
}
const CASH_FLOW_ABOUT = 'Where the cash flow puts an account, if not where its type would.'
