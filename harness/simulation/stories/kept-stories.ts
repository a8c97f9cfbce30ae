import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type Deed, type House, type Life, type Step, usualHouse } from '../life.ts'
import { isKnown, isUnusual } from './sentences.ts'

/** The folder of the stories that failed once, from the root of the project. */
const folder = 'test/stories'

const root = new URL('../../../', import.meta.url)

/** A life in which something untrue was told once. */
export interface KeptStory {
  /** The sentence that must be true. */
  readonly title: string
  readonly life: Life
}

/** The text for something that lasts for ever: JSON has no Infinity. */
const forEver = 'for ever'

/**
 * Returns the text of a story: of its house what differs from the usual one, the order of what happens at the same moment, and each step on a line, with the milliseconds
 * that pass before it. The same story always has the same text.
 */
export function formatStory({ title, life: { house, steps, order } }: KeptStory): string {
  const names = (Object.keys(usualHouse) as (keyof House)[]).filter((name) => isUnusual(house, name))
  const lines = steps.map(({ after, deed: { what, ...fields } }) =>
    inLine({ after, what, ...sorted(fields) }),
  )
  return `{
  "title": ${JSON.stringify(title)},
  "house": ${inLine(Object.fromEntries(names.map((name) => [name, house[name]])))},${
    order === undefined
      ? ''
      : `
  "order": ${order},`
  }
  "steps": [${lines.map((line) => `\n    ${line}`).join(',')}
  ]
}
`
}

/** Returns the story of a text; throws an Error that names what no life has. */
export function parseStory(text: string): KeptStory {
  const { title, house, steps, order } = JSON.parse(text, (_, value) =>
    value === forEver ? Number.POSITIVE_INFINITY : value,
  )
  const unknown = Object.keys(house).find((name) => !(name in usualHouse))
  if (unknown !== undefined) throw new Error(`No house has a field "${unknown}": rename it in the story.`)
  return {
    title,
    life: {
      house: { ...usualHouse, ...house },
      steps: steps.map(parseStep),
      ...(order === undefined ? {} : { order }),
    },
  }
}

function parseStep({ after, ...deed }: { after: number } & Deed): Step {
  if (!isKnown(deed.what)) throw new Error(`No life has a deed "${deed.what}": rename it in the story.`)
  return { after, deed }
}

/** Returns the stories of the project by the paths of their files from its root, in the order of their names. */
export function readStories(): ReadonlyMap<string, KeptStory> {
  const files = readdirSync(new URL(folder, root)).filter((file) => file.endsWith('.json'))
  return new Map(files.sort().map((file) => [`${folder}/${file}`, readStory(`${folder}/${file}`)]))
}

/** Returns the story of a file by its path from the root of the project. */
export function readStory(path: string): KeptStory {
  try {
    return parseStory(readFileSync(new URL(path, root), 'utf8'))
  } catch (error) {
    throw new Error(`${path} cannot be told: ${(error as Error).message}`)
  }
}

/** Keeps a story in the project, and returns the path of its file from the root. */
export function keepStory(name: string, story: KeptStory): string {
  const path = `${folder}/${name}.json`
  writeFileSync(new URL(path, root), formatStory(story))
  return path
}

/** Returns the command that lives the story of a file again. */
export function commandOfStory(path: string): string {
  return `npm run simulate -- --story ${path}`
}

function sorted(fields: object): object {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function inLine(value: unknown): string {
  if (value === Number.POSITIVE_INFINITY) return JSON.stringify(forEver)
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const known = Object.entries(value).filter(([, field]) => field !== undefined)
  const fields = known.map(([name, field]) => `${JSON.stringify(name)}: ${inLine(field)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}
