import { minute, second } from '../../../src/duration.ts'
import { type Deed, type House, type Life, type Step, usualHouse } from '../life.ts'
import { type DeedOf, isUnusual } from './sentences.ts'

/** Offers simpler lives, and is told of each if it fails as the first one does; it goes on from the latest that does. */
type Way = (life: Life) => Generator<Life, void, boolean>

/**
 * The simplest values of fields of deeds, the simplest first. Only values that lives are drawn with: another life could fail
 * for another reason, such as a clock of the panel that is put back among events.
 */
const simplest: {
  readonly [What in Deed['what']]?: {
    readonly [Field in Exclude<keyof DeedOf<What>, 'what'>]?: readonly DeedOf<What>[Field][]
  }
} = {
  arm: { person: ['Anna'], partition: [1], state: ['AWAY'], exitDelay: [0] },
  disarm: { person: ['Anna'], partition: [1], isThreatened: [false] },
  open: { zone: [2] },
  close: { zone: [2] },
  'panel offline': { lasts: [minute] },
  'late events': { seconds: [45], lasts: [2 * minute] },
  restart: { lasts: [0, 30 * second] },
  kill: { steps: [0], lasts: [0, 30 * second] },
  'power cut': { steps: [0], lasts: [0, 30 * second] },
  stall: { lasts: [second, 20 * second] },
  deploy: { kind: ['full'], change: ['nothing'] },
  command: { from: ['flow'] },
  'command fault': { times: [1] },
  'node off': { how: ['disabled'], lasts: [2 * minute] },
}

/** Pauses that a person reads at once, in milliseconds, the shortest first. */
const roundPauses = [0, 10 * second, 30 * second, minute, 2 * minute, 3 * minute, 5 * minute, 10 * minute]

/**
 * Returns the simplest life found that fails as a life does: fewer steps, a house more like the usual one, plainer deeds,
 * shorter pauses. The same life and the same answers lead to the same result.
 * @param failsAgain lives a simpler life, and returns true if it fails in the same way
 * @param most the number of lives that are lived at most
 */
export async function shrink(
  life: Life,
  failsAgain: (simpler: Life) => Promise<boolean>,
  most = 120,
): Promise<Life> {
  const tried = new Set([textOf(life)])
  let simplestLife = life
  const attempt = async (simpler: Life): Promise<boolean> => {
    if (tried.has(textOf(simpler)) || tried.size > most) return false
    tried.add(textOf(simpler))
    return await failsAgain(simpler)
  }
  let before: Life | undefined
  while (before !== simplestLife && tried.size <= most) {
    before = simplestLife
    for (const way of [dropSteps, takeUsualOrder, simplifyHouse, simplifyDeeds, shortenPauses]) {
      const lives = way(simplestLife)
      for (let next = lives.next(); !next.done; ) {
        const fails = await attempt(next.value)
        if (fails) simplestLife = next.value
        next = lives.next(fails)
      }
    }
  }
  return simplestLife
}

/** Leaves out halves of the steps, then quarters, at last single ones; the last steps first, which often come too late. */
const dropSteps: Way = function* (life) {
  let { steps } = life
  for (let size = Math.ceil(steps.length / 2); size > 0; size = size > 1 ? Math.ceil(size / 2) : 0)
    for (let end = steps.length; end > 0; end -= size) {
      const fewer = without(steps, Math.max(0, end - size), end)
      if (yield { ...life, steps: fewer }) steps = fewer
    }
}

/** Returns the steps without some; the time until those that follow stays. */
function without(steps: readonly Step[], from: number, to: number): readonly Step[] {
  const pause = steps.slice(from, to).reduce((sum, { after }) => sum + after, 0)
  const behind = steps
    .slice(to)
    .map((step, nth) => (nth === 0 ? { ...step, after: step.after + pause } : step))
  return [...steps.slice(0, from), ...behind]
}

/** Takes the usual order of what can happen at the same moment. */
const takeUsualOrder: Way = function* ({ order, ...life }) {
  if (order !== undefined) yield life
}

/** The fields of a house that are made usual together: the hour that clocks repeat is one only where they are put back. */
const together: readonly (readonly (keyof House)[])[] = [['startsAt', 'timeZone']]

/** Makes a house the usual one, or one field of it after the other. */
const simplifyHouse: Way = function* (life) {
  let { house } = life
  const single = (Object.keys(usualHouse) as (keyof House)[]).filter(
    (name) => !together.flat().includes(name),
  )
  const unusual = [...together, ...single.map((name) => [name])].filter((names) =>
    names.some((name) => isUnusual(house, name)),
  )
  if (unusual.length > 1 && (yield { ...life, house: usualHouse })) return
  for (const names of unusual) {
    const plainer = { ...house, ...Object.fromEntries(names.map((name) => [name, usualHouse[name]])) }
    if (yield { ...life, house: plainer }) house = plainer
  }
  for (const name of Object.keys(house.panelOptions)) {
    const { [name as keyof House['panelOptions']]: _, ...panelOptions } = house.panelOptions
    if (yield { ...life, house: { ...house, panelOptions } }) house = { ...house, panelOptions }
  }
}

/** Gives the fields of deeds their simplest values: of a deed all at once, or else one after the other. */
const simplifyDeeds: Way = function* (life) {
  let { steps } = life
  for (const [nth, step] of life.steps.entries()) {
    let { deed } = step
    const change = (fields: object) => ({ ...step, deed: { ...deed, ...fields } as Deed })
    const simpler = simplerValues(deed)
    const firsts = Object.fromEntries(simpler.map(([name, values]) => [name, values[0]]))
    if (simpler.length > 1) {
      const changed = steps.with(nth, change(firsts))
      if (yield { ...life, steps: changed }) {
        steps = changed
        continue
      }
    }
    for (const [name, values] of simpler)
      for (const value of values) {
        const changed = change({ [name]: value })
        if (!(yield { ...life, steps: steps.with(nth, changed) })) continue
        deed = changed.deed
        steps = steps.with(nth, changed)
        break
      }
  }
}

/** Returns the fields of a deed that can have a simpler value, each with these values. */
function simplerValues(deed: Deed): [name: string, values: readonly unknown[]][] {
  const known: Readonly<Record<string, readonly unknown[]>> = simplest[deed.what] ?? {}
  return Object.entries(deed).flatMap(([name, value]) => {
    const values = name === 'instance' ? [0] : (known[name] ?? [])
    const simpler = values.includes(value) ? values.slice(0, values.indexOf(value)) : values
    return simpler.length > 0 ? [[name, simpler]] : []
  })
}

/** Shortens the pauses to the shortest round ones. */
const shortenPauses: Way = function* (life) {
  let { steps } = life
  for (const [nth, step] of life.steps.entries())
    for (const after of roundPauses.filter((pause) => pause < step.after)) {
      const shorter = steps.with(nth, { ...step, after })
      if (!(yield { ...life, steps: shorter })) continue
      steps = shorter
      break
    }
}

function textOf(life: Life): string {
  return JSON.stringify(life, (_, value) => (value === Number.POSITIVE_INFINITY ? 'for ever' : value))
}
