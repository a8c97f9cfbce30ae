import type { Node } from 'node-red'
import type { Panel } from '../../src/panel/panel.ts'
import type { StateView } from '../../src/panel/state/partition-state.ts'
import { guard } from '../shared/guard.ts'

/** An occurrence at the real panel: a new event or an alarm, another state, or a command of a flow. */
export type RealNews = 'event' | 'state' | 'command'

/**
 * Has a panel polled, and calls `onNews` when something happens there that is news from now on. Returns a function that ends
 * this.
 */
export function watchRealNews(
  node: Pick<Node, 'error'>,
  panel: Panel,
  onNews: (news: RealNews) => void,
): () => void {
  const valuesOf = ({ partitions }: StateView) => partitions.map(({ id, value }) => `${id} ${value}`).join()
  let before = panel.state.latest && valuesOf(panel.state.latest.view)
  const listener = {
    snapshot: ({ view }: { view: StateView }) =>
      guard(node, () => {
        const now = valuesOf(view)
        if (before !== undefined && before !== now) onNews('state')
        before = now
      }),
    condition: () => {},
  }
  const stops = [
    panel.onNews((news) => guard(node, () => onNews(news))),
    panel.state.subscribe(listener, { id: 'rehearsal', instances: 'every' }),
    panel.situation.onChange(() =>
      guard(node, () => {
        if (panel.situation.facts.alarms.length > 0) onNews('event')
      }),
    ),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
