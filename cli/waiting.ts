/** The message of a command that made a proposal, which awaits the approval of a second person. */
import { wrap } from './terminal.ts'

/**
 * The beginning of a hash, as a person types it: too long for anybody to find another candidate that begins like
 * it.
 */
export const shortHash = (hash: string): string => hash.slice(0, 16)

export const waitingText = (company: string, candidate: string, width: number): string =>
  wrap(
    `${company}: waits for the approval of somebody else as ${shortHash(candidate)}; nothing is changed until then. To look at it: tieout review ${company}; to approve it: tieout approve ${company} ${shortHash(candidate)} --key FILE`,
    width,
  )
