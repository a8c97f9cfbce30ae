import { median } from './comparison.ts'

/** Functions that are timed together, by name. */
type Works<Name extends string> = Readonly<Record<Name, () => void>>

/**
 * Returns the microseconds for each function: the median of many rounds in which they alternate, so that
 * other load on the machine affects all of them.
 * @param prepare creates the input of a round
 */
export function timeFunctions<Name extends string>(
  rounds: number,
  prepare: () => Works<Name>,
): Record<Name, number> {
  const times = new Map<Name, number[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(prepare()) as [Name, () => void][]) {
      const began = performance.now()
      work()
      const took = 1000 * (performance.now() - began)
      // The first rounds warm up the JIT compiler.
      if (round >= rounds / 4) times.set(name, [...(times.get(name) ?? []), took])
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)])) as Record<Name, number>
}
