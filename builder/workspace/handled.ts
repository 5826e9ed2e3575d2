/** A promise whose failure is told where it is awaited later: until then it would be an unhandled rejection, which ends the process. */
export function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {})
  return promise
}
