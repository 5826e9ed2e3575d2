/** Books of a company that is written as files. */
import { type Books, makeBooks } from '../../builder/books/books.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { datasetFolder, readCompany } from '../../builder/workspace/workspace.ts'
import { COMPANY, type Files, inWorkspace } from './workspace.ts'

/** Makes the books of the company in {@link COMPANY}'s folder, and closes them afterwards. Throws where they have errors. */
export const inBooks = <T>(files: Files, look: (books: Books) => Promise<T>): Promise<T> =>
  inWorkspace(files, async (workspace) => {
    const company = readCompany(workspace, COMPANY).value!
    const intake = await ingest(company, datasetFolder(workspace, COMPANY))
    const { books, findings } = await makeBooks(company, intake)
    await intake.dispose()
    if (!books) throw new Error(JSON.stringify(findings))
    try {
      return await look(books)
    } finally {
      books.db.close()
    }
  })
