/** What `tieout doctor` finds out about one part of a workspace: a row of its table. */

export interface Check {
  /** The setting of tieout.yaml that it is about. */
  readonly part: string
  /** What is asked, as a few words: "answers", "clock". */
  readonly what: string
  /** `warning`: it works, but not as well as it should. */
  readonly outcome: 'holds' | 'warning' | 'fails'
  readonly found: string
  /** What to do; null where it holds. */
  readonly remedy: string | null
}

/** The checks of one part. */
export interface Checks {
  holds(what: string, found: string): void
  warn(what: string, found: string, remedy: string): void
  fail(what: string, found: string, remedy: string): void
  readonly all: readonly Check[]
}

export function checksOf(part: string): Checks {
  const all: Check[] = []
  const add =
    (outcome: Check['outcome']) =>
    (what: string, found: string, remedy: string | null = null): void =>
      void all.push({ part, what, outcome, found, remedy })
  return { holds: add('holds'), warn: add('warning'), fail: add('fails'), all }
}
