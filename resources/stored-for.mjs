import { unchanged } from './unsaved-form.mjs'

/** Returns another text each time. */
const createEntry = () => Date.now().toString(36) + Math.random().toString(36).slice(2, 8)

function entryOf(note, secret) {
  try {
    const { secret: noted, entry } = JSON.parse(note)
    return noted === secret ? entry : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the note that goes with a secret into the credentials of a config node: the settings that say where it is sent. At run
 * time the secret is refused to any other address. The note repeats the secret, so that nobody can write one who does not
 * know it. A secret of an environment variable has none.
 * @param before the note until now
 */
export function noteOf(secret, settings, before = '') {
  if (secret === '' || /^\$(\{\S+\}|\(\S+\))$/.test(secret.trim())) return ''
  return JSON.stringify({ secret, entry: entryOf(before, secret) ?? createEntry(), ...settings })
}

/**
 * Keeps the note in the open dialog of a config node up to date while its secret or the settings beside it are edited.
 * @param field the name of the secret
 * @param settings the names of the settings that say where it is sent
 */
export function bindNote(field, settings) {
  const [secret, note, ...inputs] = [field, 'storedFor', ...settings].map((name) =>
    $(`#node-config-input-${name}`),
  )
  const update = () => {
    if (secret.val() === unchanged) return
    // The editor's value for a config node that is not selected is no ID.
    const values = settings.map((name, index) => [name, inputs[index].val().replace('_ADD_', '')])
    note.val(noteOf(secret.val(), Object.fromEntries(values), note.val()))
  }
  for (const input of [secret, ...inputs]) input.on('input change', update)
  update()
}
