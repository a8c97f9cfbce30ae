const account = '@keyholder/node-red-alarm-panel/account:account'

const line = (kind, text) => $('<div>').addClass(`keyholder-${kind}`).text(text)

/** Returns the lines that describe a failure: what failed and why, the remedy, and the original message. */
export function createFailureLines(what, { code, message }) {
  return [
    line('title', `${what}: ${RED._(`${account}.status.error.${code}`)}`),
    line('remedy', RED._(`${account}.remedy.${code}`)),
    line('said', message),
  ]
}

/** Returns the text for a request that Node-RED itself did not answer. */
export function describeRequestFailure({ status }) {
  return status === 401 || status === 403
    ? RED._(`${account}.check.noRight`)
    : RED._(`${account}.check.noAnswer`)
}
