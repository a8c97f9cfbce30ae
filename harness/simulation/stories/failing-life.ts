import { withoutInstance } from '../instance/instances.ts'
import type { Life, Lived, Untruth } from '../life.ts'
import { LifeRecord } from '../life-record.ts'
import { live } from '../live.ts'
import { shrink } from './shrink.ts'
import { tellStory } from './story.ts'

/** A life in which something untrue was told, and what was told in it. */
export interface FailingLife {
  readonly life: Life
  readonly lived: Lived
}

/** Lives a life; an error that ends it is an untruth, too. */
export async function liveToItsEnd(life: Life): Promise<Lived> {
  try {
    return await live(life)
  } catch (error) {
    const sentence = `it ended with an error: ${error instanceof Error ? error.message : error}`
    const untruth: Untruth = { subject: sentence.split('\n', 1)[0] ?? '', sentence, at: 0 }
    return { untrue: [untruth], times: [], record: new LifeRecord() }
  }
}

/**
 * Returns the simplest life found in which the first untruth of a failing life is told again.
 * @param onAttempt is called before each life that is lived
 */
export async function shrinkFailingLife(
  { life, lived }: FailingLife,
  onAttempt: () => void = () => {},
): Promise<FailingLife> {
  const [first] = lived.untrue
  const failing = new Map([[life, lived]])
  const simplest = await shrink(life, async (simpler) => {
    onAttempt()
    const again = await liveToItsEnd(simpler)
    if (!again.untrue.some((untruth) => first !== undefined && isSameUntruth(untruth, first))) return false
    failing.set(simpler, again)
    return true
  })
  return { life: simplest, lived: failing.get(simplest) ?? lived }
}

/**
 * Returns true if two untruths are about the same claim and say the same of it, numbers, times and the instance aside: of one
 * claim, such as the state of a partition, different things can be untrue.
 */
export function isSameUntruth(one: Untruth, other: Untruth): boolean {
  const kindOf = ({ subject, sentence }: Untruth) =>
    `${withoutInstance(subject)}: ${withoutInstance(sentence).replace(/\d+/g, '0')}`
  return kindOf(one) === kindOf(other)
}

/** Returns the story of a failing life as a text. */
export function describeFailure({ life, lived }: FailingLife, command: string): string {
  return tellStory(life, lived, command).join('\n')
}
