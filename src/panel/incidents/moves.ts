import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { byTime, roleOf, type StoryEvent, shareAPartition } from './story-event.ts'

/** Returns true for an event that arms or disarms. */
export function isMove(event: StoryEvent, catalogue: Catalogue): boolean {
  const { isArm, isDisarm } = roleOf(event, catalogue)
  return isArm || isDisarm
}

/** Returns the latest of the moves of each partition, by time. */
export function latestMoves(moves: readonly StoryEvent[]): StoryEvent[] {
  const byPlace = [...moves]
    .sort(byTime)
    .flatMap((event) => placesOf(event).map((place) => [place, event] as const))
  return [...new Set(new Map(byPlace).values())].sort(byTime)
}

function placesOf({ partitions }: StoryEvent): number[] {
  return partitions.length === 0 ? [-1] : [...partitions]
}

/** Returns true if a partition of an event is armed at a time, as far as the arming and disarming tell. */
export function isArmedAt(
  time: number,
  event: StoryEvent,
  moves: readonly StoryEvent[],
  catalogue: Catalogue,
): boolean {
  const latest = moves.findLast((other) => {
    const { isArm, isDisarm } = roleOf(other, catalogue)
    return other.time <= time && (isArm || isDisarm) && shareAPartition(event, other)
  })
  return latest !== undefined && roleOf(latest, catalogue).isArm
}

/** Returns the latest arming of the moves that no later disarm has undone in all of the partitions. */
export function armingOf(
  moves: readonly StoryEvent[],
  partitions: readonly number[],
  catalogue: Catalogue,
): StoryEvent | undefined {
  return moves.findLast((event) => isArmed(event, moves, partitions, catalogue))
}

/** Returns true for an arming that no later disarm has undone in all of the partitions. */
function isArmed(
  arming: StoryEvent,
  moves: readonly StoryEvent[],
  partitions: readonly number[],
  catalogue: Catalogue,
): boolean {
  if (!roleOf(arming, catalogue).isArm) return false
  const armed = arming.partitions.length > 0 ? arming.partitions : partitions
  const undoes = ({ partitions: off }: StoryEvent) =>
    off.length === 0 || (armed.length > 0 && armed.every((id) => off.includes(id)))
  return !moves.some(
    (event) => byTime(arming, event) < 0 && roleOf(event, catalogue).isDisarm && undoes(event),
  )
}
