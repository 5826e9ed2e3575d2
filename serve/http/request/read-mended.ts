/** Reads what is published of a company, and once more where damaged files could be brought again. */
import type { Companies } from '../../companies/companies.ts'
import { isUnreadable } from '../problems.ts'

/** What `read` gives. A company whose files stay unreadable is noted as failing. `mayRepeat` is false once part of an answer was sent. */
export async function readMended<T>(
  companies: Pick<Companies, 'failed' | 'mended'>,
  company: string,
  read: () => Promise<T>,
  mayRepeat: () => boolean = () => true,
): Promise<T> {
  try {
    return await read().catch(async (problem: unknown) => {
      if (!isUnreadable(problem) || !mayRepeat() || !(await companies.mended(company))) throw problem
      return read()
    })
  } catch (problem) {
    if (isUnreadable(problem)) companies.failed(company, problem)
    throw problem
  }
}
