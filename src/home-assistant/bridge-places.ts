import { badSetting } from '../settings.ts'
import type { Setup } from './setup.ts'
import { panelTopic } from './topics.ts'

/** The nodes that publish below the topics of panels, by these topics. */
const nodes = new Map<string, string>()

/**
 * Takes the topics of a panel for a node; returns a function that leaves them. Two nodes there would take the list of each
 * other's announcements for their own and remove them, and carry out each command twice: also with other prefixes or forms.
 * @throws KeyholderError BAD_SETTING if another node has them
 */
export function takePlace(setup: Pick<Setup, 'base' | 'serial'>, nodeId: string): () => void {
  const place = panelTopic(setup, '')
  if ((nodes.get(place) ?? nodeId) !== nodeId) throw refusal(setup.base)
  nodes.set(place, nodeId)
  return () => {
    if (nodes.get(place) === nodeId) nodes.delete(place)
  }
}

/** Tells if a node of this process publishes below the topics of a panel. */
export function isServed(place: Pick<Setup, 'base' | 'serial'>): boolean {
  return nodes.has(panelTopic(place, ''))
}

function refusal(base: string): Error {
  const why = `another Home Assistant node uses "${base}" for this panel, so this one publishes nothing`
  return badSetting(
    'base',
    `${why}. Enter another base topic, or delete one of them and deploy both flows again`,
  )
}
