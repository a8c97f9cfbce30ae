import { parseArgs } from 'node:util'
import { type KindOfHouses, kindsOfHouses } from '../arbitraries/any-house.ts'
import type { Life } from '../life.ts'
import { commandOfSeed, drawLife } from './drawn-life.ts'
import { commandOfStory, readStory } from './kept-stories.ts'

/** A life to live, with the command that lives it alone. */
export interface RequestedLife {
  readonly life: Life
  readonly command: string
  /** True for a life whose story is told as it is. */
  readonly isStory: boolean
}

/** The lives that the arguments of `npm run simulate` ask for. */
export interface Request {
  readonly lives: Iterable<RequestedLife>
  /** Seconds of processor time after which no further life begins. */
  readonly seconds: number
  /** True if each life is lived twice, and both records are compared. */
  readonly isTwice: boolean
  /** The name under which the story of the first life that fails is kept, which ends the run; undefined for none. */
  readonly keptAs: string | undefined
}

const options = {
  seed: { type: 'string' },
  count: { type: 'string' },
  minutes: { type: 'string' },
  kind: { type: 'string', default: 'houses' },
  story: { type: 'string' },
  twice: { type: 'boolean', default: false },
  keep: { type: 'string' },
} as const

/**
 * Reads the arguments of `npm run simulate`.
 * @throws Error whose message says what is wrong with them
 */
export function readRequest(args: readonly string[]): Request {
  const { values } = parseArgs({ args: [...args], options })
  const { kind, story, keep, twice, minutes } = values
  if (!isKind(kind))
    throw new Error(`No houses are named "${kind}". There are: ${Object.keys(kindsOfHouses).join(', ')}.`)
  if (keep !== undefined && !/^[a-z0-9-]+$/.test(keep))
    throw new Error(`--keep takes a name of small letters, digits and hyphens, not "${keep}".`)
  const seed = numberOf('seed', values.seed ?? '1')
  // A run of some minutes takes as many seeds as it can live.
  const count = values.count ?? (minutes === undefined ? '1' : `${2 ** 31}`)
  return {
    lives: story === undefined ? drawLives(kind, seed, numberOf('count', count)) : [storyOf(story)],
    seconds: minutes === undefined ? Number.POSITIVE_INFINITY : 60 * numberOf('minutes', minutes),
    isTwice: twice,
    keptAs: keep,
  }
}

function* drawLives(kind: KindOfHouses, seed: number, count: number): Generator<RequestedLife> {
  for (let one = seed; one < seed + count; one += 1)
    yield { life: drawLife(kind, one), command: commandOfSeed(kind, one), isStory: false }
}

function storyOf(path: string): RequestedLife {
  return { life: readStory(path).life, command: commandOfStory(path), isStory: true }
}

function isKind(name: string): name is KindOfHouses {
  return Object.hasOwn(kindsOfHouses, name)
}

function numberOf(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} takes a whole number, not "${text}".`)
  return Number(text)
}
