/** Reads the values of metrics as exact decimal text, and as integers where sums are checked. */
import { displayDecimal } from '../../../contract/currency.ts'
import type { MetricSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import type { MetricRow } from '../../format/intake.ts'
import { NO_CURRENCY, plainNumber, shiftPoint } from '../../text/amount.ts'
import { shortened } from '../../text/amount-remedy.ts'
import { type TextRow, textAt } from '../../text/csv.ts'
import { formulaRemedy } from '../../text/formulas.ts'
import { zerosOf } from '../../text/scale.ts'
import { cellPlace, type Table } from '../table.ts'

/** The number with a decimal point, where the text is one; a percentage becomes hundredths, as workbooks store it, unless its unit says percent. */
function decimalOf(
  text: string,
  { decimal = '.', thousands = '', scale = 1 }: MetricSetting,
  isInPercent = false,
): string {
  const percent = PERCENT.exec(text.trim())
  const plain = plainNumber(percent?.[1] ?? text, { decimal, thousands, currency: NO_CURRENCY })
  const places = percent === null ? zerosOf(scale) : isInPercent ? 0 : -2
  return places !== 0 && PLAIN.test(plain) ? shiftPoint(plain, places) : plain
}

const PERCENT = /^(.*\d)\s*%$/
/** Most values, which are published as they are written. */
const USUAL = /^(?:0|-?[1-9]\d{0,8}(?:\.\d{0,5}[1-9])?|-?0\.\d{0,5}[1-9])$/
const PLAIN = /^[+-]?\d+(\.\d*)?$/

/** Reads and shows values as exact integers, to check sums. */
export const inMillionths = (setting: MetricSetting) => ({
  read: (text: string) => millionths(decimalOf(text, setting)),
  show: (value: bigint) => displayDecimal(shiftPoint(String(value), -6)),
})

/** Null for more than 6 decimals, which the finding about the value itself reports. */
function millionths(text: string): bigint | null {
  const moved = PLAIN.test(text) ? shiftPoint(text, 6) : ''
  return /^[+-]?\d+$/.test(moved) ? BigInt(moved.replace('+', '')) : null
}

/** The value as plain decimal text with at most 6 decimals and 15 digits, which stays exact in every client. */
export function readValue(
  table: Table,
  row: TextRow,
  column: number,
  setting: MetricSetting,
  findings: Finding[],
  isInPercent: boolean,
): Pick<MetricRow, 'value' | 'scale'> | null {
  const { scale = 1 } = setting
  const text = textAt(row.cells, column)
  if (scale === 1 && setting.decimal !== ',' && USUAL.test(text)) return { value: text }
  const place = cellPlace(table, row, column)
  const match = /^([+-]?)0*(\d+)(?:\.(\d*))?$/.exec(decimalOf(text, setting, isInPercent))
  if (match === null) {
    findings.push(
      error('unreadable-value', `"${place.text}" is not a number`, {
        ...place,
        remedy:
          formulaRemedy(place.text) ??
          shortened(place.text) ??
          (/^-?\d+(:\d\d){1,2}$/.test(place.text)
            ? 'write a time as a number, such as 1.5 for 1:30, and its unit under "nonFinancial" in company.yaml'
            : null) ??
          'write digits with "." before the decimals, without unit; or leave it empty',
      }),
    )
    return null
  }
  const [, sign = '', whole = '', decimals = ''] = match
  const fraction = decimals.replace(/0+$/, '')
  if (fraction.length > 6 || `${whole}${fraction}`.replace(/^0+/, '').length > 15) {
    findings.push(
      error('too-many-digits', `"${place.text}" has more than 6 decimals, or more than 15 digits`, {
        ...place,
        remedy: 'round it in the spreadsheet: nothing is rounded here',
      }),
    )
    return null
  }
  const isZero = whole === '0' && fraction === ''
  const value = `${sign === '-' && !isZero ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
  return scale === 1 || PERCENT.test(place.text.trim()) ? { value } : { value, scale }
}
