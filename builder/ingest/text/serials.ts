/** Days as spreadsheets store them: numbers, which only their format makes dates. */
import { dateOf } from '../../contract/calendar.ts'

const FIRST_DAY_1900 = Date.UTC(1899, 11, 30) / 86_400_000
const FIRST_DAY_1904 = Date.UTC(1904, 0, 1) / 86_400_000
/** 31 December 9999. */
const LAST_SERIAL = 2_958_465

/**
 * `YYYY-MM-DD` of a workbook's day number; null where it is not a day. The time of day is a fraction, which is
 * dropped after rounding to the second. Excel takes 1900 for a leap year, so that days before its 29 February are
 * one further on.
 */
export function dayOfSerial(serial: number, is1904: boolean): string | null {
  const day = Math.floor(Math.round(serial * 86_400) / 86_400)
  if (day < (is1904 ? 0 : 1) || day > LAST_SERIAL || (!is1904 && day === 60)) return null
  return dateOf(day + (is1904 ? FIRST_DAY_1904 : day < 60 ? FIRST_DAY_1900 + 1 : FIRST_DAY_1900))
}

/** The day of a number that a spreadsheet wrote as text, if it stands for a day of 1982 to 2064; else null. */
export function dayOfText(text: string): string | null {
  const serial = /^\d{5}([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : 0
  return serial > FIRST_TEXT && serial < LAST_TEXT ? dayOfSerial(serial, false) : null
}
export const [FIRST_TEXT, LAST_TEXT] = [30_000, 60_000]

/** The remedy for a number where a date is expected; null for any other text. */
export function serialRemedy(text: string): string | null {
  const day = dayOfText(text)
  return day === null
    ? null
    : `spreadsheets count days: ${text} is ${day} in most of them. Give the cells a date format, and save or export again; in a ledger, "dateFormat: SERIAL" reads them`
}
