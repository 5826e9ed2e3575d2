/** Days as spreadsheets count them: a number, which only its format makes a date. */
import { dateOf } from '../../contract/calendar.ts'

const FIRST_DAY_1900 = Date.UTC(1899, 11, 30) / 86_400_000
const FIRST_DAY_1904 = Date.UTC(1904, 0, 1) / 86_400_000
/** 31 December 9999. */
const LAST_SERIAL = 2_958_465

/**
 * `YYYY-MM-DD` of a day that a workbook counts; null where it is none. The time of day is cut off, to the nearest second,
 * since it is a fraction. Excel takes 1900 for a leap year: days before its 29 February are one further on.
 */
export function dayOfSerial(serial: number, is1904: boolean): string | null {
  const day = Math.floor(Math.round(serial * 86_400) / 86_400)
  if (day < (is1904 ? 0 : 1) || day > LAST_SERIAL || (!is1904 && day === 60)) return null
  return dateOf(day + (is1904 ? FIRST_DAY_1904 : day < 60 ? FIRST_DAY_1900 + 1 : FIRST_DAY_1900))
}

/** How to correct a number that stands where a date is expected, if it counts to a day of 1982 to 2064; null for any other text. */
export function serialRemedy(text: string): string | null {
  const serial = /^\d{5}([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : 0
  const day = serial > 30_000 && serial < 60_000 ? dayOfSerial(serial, false) : null
  return day === null
    ? null
    : `spreadsheets count days: ${text} is ${day} in most of them. Give the cells a date format, and save or export again`
}
