/** The message of a command that made a proposal, which awaits the approval of a second person. */
import { shortHash } from '../../builder/system/hash.ts'
import { wrap } from './terminal.ts'

export const waitingText = (company: string, candidate: string, width: number): string =>
  wrap(
    `${company}: waits for the approval of somebody else as ${shortHash(candidate)}; nothing is changed until then. To look at it: tieout review ${company}; to approve it: tieout approve ${company} ${shortHash(candidate)} --key FILE`,
    width,
  )
