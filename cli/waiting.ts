/** What a command says that proposed something: it waits for the approval of somebody else. */
import { wrap } from './terminal.ts'

/** As a person types it: more of a hash than anybody could match by trying. */
export const shortHash = (hash: string): string => hash.slice(0, 16)

export const waitingText = (company: string, candidate: string, width: number): string =>
  wrap(
    `${company}: waits for the approval of somebody else as ${shortHash(candidate)}; nothing is changed until then. To look at it: tieout review ${company}; to approve it: tieout approve ${company} ${shortHash(candidate)} --key FILE`,
    width,
  )
