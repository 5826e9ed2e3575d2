/** Why an archive is not written, or not taken back: each a sentence for people. Without imports, as the command loads it always. */

/** The place where something should be written is taken, or cannot be one; the message says what to do. */
export class PlaceError extends Error {
  readonly code = 'place'
}

/** The archive asks for more than can be given; the message says how much. */
export class NoRoomError extends Error {
  readonly code = 'no-room'
}
