/** Looks up once what many requests ask for at the same moment. */

/**
 * Remembers the answers of `ask` for one turn of the event loop: requests that arrive together share an answer,
 * later ones ask again. A withdrawn grant is therefore never used for longer than a turn.
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
