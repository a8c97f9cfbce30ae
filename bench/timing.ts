import { median } from './comparison.ts'

/** Works that are timed beside each other, by name. */
type Works<Name extends string> = Readonly<Record<Name, () => void>>

/**
 * Microseconds that each work takes, the median of many rounds in which they take turns: what else the machine does
 * befalls all of them.
 * @param prepare makes what the works of a round work on
 */
export function timed<Name extends string>(rounds: number, prepare: () => Works<Name>): Record<Name, number> {
  const times = new Map<Name, number[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(prepare()) as [Name, () => void][]) {
      const began = performance.now()
      work()
      const took = 1000 * (performance.now() - began)
      // The first rounds are for the compiler of the engine.
      if (round >= rounds / 4) times.set(name, [...(times.get(name) ?? []), took])
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)])) as Record<Name, number>
}
