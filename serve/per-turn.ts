/** What many requests ask at one moment is looked up once. */

/**
 * `ask`, remembered until the event loop has taken in what is waiting now: requests that arrive together share one
 * answer, a later one asks anew. So nothing that was withdrawn is ever used for longer than one turn.
 */
export function oncePerTurn<Key, Value>(ask: (key: Key) => Value): (key: Key) => Value {
  const answers = new Map<Key, { readonly value: Value }>()
  return (key) => {
    const known = answers.get(key)
    if (known !== undefined) return known.value
    if (answers.size === 0) setImmediate(() => answers.clear())
    const answer = ask(key)
    answers.set(key, { value: answer })
    return answer
  }
}
