import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../../nodes/locales/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8')

/** The folders of the languages. */
export const languages = readdirSync(folder)

/** The files of a language, in the order of the alphabet. */
export function filesOf(language: string): string[] {
  return readdirSync(new URL(language, folder)).toSorted()
}

/** Every text of a node set by its key, such as `state.label.name`. */
export function catalogue(language: string, set: string): Map<string, string> {
  return new Map(texts(JSON.parse(read(`${language}/${set}.json`))))
}

function texts(part: object, path = ''): [key: string, text: string][] {
  return Object.entries(part).flatMap(([name, value]): [string, string][] => {
    const key = path ? `${path}.${name}` : name
    return typeof value === 'object' && value !== null ? texts(value, key) : [[key, String(value)]]
  })
}

/** A text of a help page, and the tags around it. */
export interface Piece {
  /** The tag before it. */
  readonly tag: string
  readonly text: string
  /** The tag after it. */
  readonly next: string
}

/** The help of a node set, cut at its tags; what has no text between two tags has an empty one. */
export function help(language: string, set: string): Piece[] {
  const [, ...parts] = read(`${language}/${set}.html`).split(/(<[^>]+>)/)
  return parts.flatMap((tag, index) => {
    if (index % 2 === 1) return []
    return [{ tag, text: (parts[index + 1] ?? '').replace(/\s+/g, ' ').trim(), next: parts[index + 2] ?? '' }]
  })
}
