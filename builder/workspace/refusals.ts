/** Why something asked for is not written: each a sentence for people. Without imports, as the command loads it always. */

/** The place where something should be written is taken, or cannot be one; the message says what to do. */
export class PlaceError extends Error {
  readonly code = 'place'
}

/** An address and port that cannot be listened on; the message names the setting that changes them. */
export class AddressError extends Error {
  readonly code = 'system'
}

/** It asks for more than can be given: of the disk, or of the format; the message says how much. */
export class NoRoomError extends Error {
  readonly code = 'no-room'
}

/** It cannot be done, for a reason that a person can see and correct; nothing was changed. */
export class ChangeRefusedError extends Error {
  readonly code = 'refused'
}

/** It was done, but could not be entered in the log: the next build does. */
export class UnloggedError extends Error {
  readonly code = 'not-logged'
}
