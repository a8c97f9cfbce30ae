/** The messages of buttons. No flow can make one, so no other message can pass for one. */
const presses = new WeakSet<object>()

/** Returns the message that a node gets when its button is pressed. */
export function newPress(): { payload: string } {
  const message = { payload: 'test' }
  presses.add(message)
  return message
}

/** Tells if a message is that of a button. */
export function isPress(message: object): boolean {
  return presses.has(message)
}
