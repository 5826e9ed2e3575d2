/** Small FEC files for tests. */

export const COLUMNS =
  'JournalCode JournalLib EcritureNum EcritureDate CompteNum CompteLib CompAuxNum CompAuxLib PieceRef PieceDate EcritureLib Debit Credit EcritureLet DateLet ValidDate Montantdevise Idevise'.split(
    ' ',
  )
export type Line = Readonly<Record<string, string>>

const NAMES: Readonly<Record<string, string>> = {
  '101000': 'Capital',
  '411000': 'Clients',
  '401000': 'Fournisseurs',
  '445710': 'TVA collectée',
  '512000': 'Banque',
  '607000': 'Achats',
  '707000': 'Ventes',
}

/** `VE 1 20230105 707000 -100,00 F1 Vente`: journal, number, date, account, amount (debit positive), document, label. */
export const lines = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [journal, number, date, account, amount, document = '', ...label] = line.trim().split(' ')
      const isCredit = amount!.startsWith('-')
      return {
        JournalCode: journal!,
        JournalLib: journal === 'AN' ? 'A NOUVEAUX' : 'JOURNAL',
        EcritureNum: number!,
        EcritureDate: date!,
        CompteNum: account!,
        CompteLib: NAMES[account!] ?? account!,
        PieceRef: document,
        PieceDate: date!,
        EcritureLib: label.join(' '),
        Debit: isCredit ? '0,00' : amount!,
        Credit: isCredit ? amount!.slice(1) : '0,00',
        ValidDate: '20231231',
      }
    })

export interface Form {
  readonly delimiter?: string
  readonly columns?: readonly string[]
  readonly end?: string
}
export const fecOf = (
  rows: readonly Line[],
  { delimiter = '\t', columns = COLUMNS, end = '\r\n' }: Form = {},
) =>
  [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
    .map((cells) => cells.join(delimiter) + end)
    .join('')
