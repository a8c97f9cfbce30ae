import type { Random } from '../../src/simulator/random.ts'

export const minute = 60_000
export const day = 24 * 60 * minute

/** Disturbances of service, connection or panel, one at a time, with their number per week. */
const disturbances = {
  'port closed': 5,
  'status 500': 4,
  '503 with Retry-After': 4,
  '503 without Retry-After': 3,
  'status 429': 4,
  'panel offline': 6,
  'event list empty': 3,
  'event list half': 3,
  'event list twice': 3,
  'event list shuffled': 3,
  'burst of events': 6,
  'more events than the list holds': 3,
  'ids begin again': 2,
} as const

/** Incidents that happen at any time, also during disturbances, with their number per week. */
const incidents = {
  'session expires, 440': 4,
  'session expires, 400': 4,
  'session expires, 401': 4,
  'session expires, 403': 4,
  'user token expires': 8,
  deploy: 8,
  'deploy in the middle of a poll': 8,
  'node removed and put back': 6,
  'button pressed again and again': 6,
  restart: 6,
  'restart right after an event': 6,
  'wall clock steps': 8,
} as const

/** The name of a step. */
export type StepName = keyof typeof disturbances | keyof typeof incidents

/** A step, with times in milliseconds since the start of the week. */
export interface ScenarioStep {
  name: StepName
  at: number
  lasts: number
}

/** Milliseconds without new steps at the end of each day, so that everything can recover. */
const rest = 90 * minute

/** Returns the steps of a week in order. There are none on the quiet day, nor in the last hour of the other days. */
export function planWeek(random: Random, quietDay: number): ScenarioStep[] {
  const busyDays = [0, 1, 2, 3, 4, 5, 6].filter((one) => one !== quietDay)
  const deck = shuffled(dealt(disturbances), random)
  const slots = Math.ceil(deck.length / busyDays.length)
  const slot = (day - rest) / slots
  const inTurn = deck.map((name, nth): ScenarioStep => {
    const start = (busyDays[Math.floor(nth / slots)] ?? 0) * day + (nth % slots) * slot
    const spare = Math.floor(slot / minute) - 5
    return { name, at: start + random.between(0, 4 * minute), lasts: random.between(2, spare) * minute }
  })
  const anytime = dealt(incidents).map((name): ScenarioStep => {
    const start = (random.pick(busyDays) ?? 0) * day
    return { name, at: start + random.between(0, day - rest), lasts: random.between(1, 30) * minute }
  })
  return [...inTurn, ...anytime].sort((one, other) => one.at - other.at)
}

function dealt<Name extends string>(often: Readonly<Record<Name, number>>): Name[] {
  return (Object.keys(often) as Name[]).flatMap((name) => Array.from({ length: often[name] }, () => name))
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, rank: random.next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}
