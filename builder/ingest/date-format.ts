/** Checks what company.yaml says of the form of dates. */
import { error, type Finding } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import { isDateFormat } from './text/months.ts'

export const dateFormatFindings = (
  setting: { readonly dateFormat?: string | undefined },
  key: string,
): Finding[] =>
  setting.dateFormat === undefined || isDateFormat(setting.dateFormat)
    ? []
    : [
        error('invalid-date-format', `"${setting.dateFormat}" does not say where year, month and day stand`, {
          file: COMPANY_FILE,
          column: `${key}.dateFormat`,
          text: setting.dateFormat,
          remedy:
            'write YYYY or YY, MM or M or MMM (Jan), DD or D with what stands between them, such as DD.MM.YYYY; or SERIAL for the day numbers of a spreadsheet, YYYY-MM-DDThh:mm:ssZ for the day of an instant',
        }),
      ]
