import type { SituationFacts } from '../../src/panel/situation.ts'

/** The color of the dot below a node while its polls are answered. */
export type DotColor = 'red' | 'yellow' | 'green'

/**
 * Returns the color of the dot.
 * @param facts about the panel; undefined for a node that does not show a panel, such as one for commands
 * @param isPending true if what the node itself shows needs attention: it is not ready, or something is in its list
 */
export function dotColor(facts: SituationFacts | undefined, isPending = false): DotColor {
  if (facts !== undefined && facts.alarms.length > 0) return 'red'
  return (facts?.delay ?? null) !== null || isPending ? 'yellow' : 'green'
}
