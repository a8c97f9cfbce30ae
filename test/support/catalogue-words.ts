import { readFileSync } from 'node:fs'

const folder = new URL('../../nodes/locales/en-US/', import.meta.url)

/**
 * The English text of a catalogue key, as `RED._` finds it in a real Node-RED: with the name of the set in front
 * (`<module>/<set>:<key>`), or without, where the key begins with the set's own name.
 * @throws Error for a key that the catalogue does not have, which Node-RED would show as it is
 */
export function word(key: string, values: Record<string, string> = {}): string {
  const [path = '', space = path.split('.')[0] ?? ''] = key.split(':').reverse()
  const file = new URL(`${space.split('/').at(-1)}.json`, folder)
  let found: unknown = JSON.parse(readFileSync(file, 'utf8'))
  for (const name of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[name]
  if (typeof found !== 'string') throw new Error(`The catalogue has no ${key}`)
  return found.replace(/__(\w+)__/g, (all, name) => values[name] ?? all)
}
