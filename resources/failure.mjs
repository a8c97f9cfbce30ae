const account = '@keyholder/node-red-alarm-panel/account:account'

const line = (kind, text) => $('<div>').addClass(`keyholder-${kind}`).text(text)

/** The lines that tell of a failure: what failed and why, what to do about it, and what was said. */
export function failureLines(what, { code, message }) {
  return [
    line('title', `${what}: ${RED._(`${account}.status.error.${code}`)}`),
    line('remedy', RED._(`${account}.remedy.${code}`)),
    line('said', message),
  ]
}

/** What to say when Node-RED itself did not answer. */
export function refusal({ status }) {
  return status === 401 || status === 403
    ? RED._(`${account}.check.noRight`)
    : RED._(`${account}.check.noAnswer`)
}
