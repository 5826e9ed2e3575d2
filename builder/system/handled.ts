/**
 * Returns a promise that may fail before anybody awaits it. Without a handler Node.js would end the process for an
 * unhandled rejection; whoever awaits the promise later still gets the failure.
 */
export function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {})
  return promise
}
