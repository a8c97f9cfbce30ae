import type { Node, NodeAPI } from 'node-red'
import type { Message } from '../../src/messages/source.ts'
import type { Which } from '../../src/messages/which.ts'
import type { News, Panel } from '../../src/panel/panel.ts'
import type { Condition, Watch } from '../../src/panel/watch.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { type Behaviour, laidOver } from './attach.ts'
import { guard } from './guard.ts'

/** How a node reports something that is polled. */
export interface Reporting<V> {
  /** `change`: what changed; `poll`: everything at every poll. */
  emit: 'change' | 'poll'
  /** Whether everything is sent once after the start. */
  initial: boolean
  watch(panel: Panel): Watch<News<V>>
  /** The messages that the news gives, and the memory of what was told. */
  messages(panel: Panel, news: News<V>, which: Which): Message<unknown>[]
  /** What the node shows while all is well; the usual word where it is left out. */
  text?(view: V): string
}

/** The behaviour of nodes that report a polled view: on change or at every poll, and whole on demand. */
export function reporting<V>(
  RED: NodeAPI,
  node: Node,
  { emit, initial, watch, messages, text }: Reporting<V>,
): Behaviour {
  let hasBegun = false
  let answering = 0
  let latest: News<V> | undefined

  const which = (): Which => {
    if (!hasBegun) return initial ? 'all' : 'none'
    return emit === 'poll' ? 'all' : 'changed'
  }

  return {
    listen(panel, light) {
      const news = (news: News<V>) => {
        latest = news
        // Whoever asked gets all of it as the answer; what changed would reach the flow twice.
        if (answering > 0) return
        const sent = messages(panel, news, which())
        hasBegun = true
        if (sent.length > 0) node.send([sent.map((message) => ({ ...message }))])
      }
      const condition = (condition: Condition) => {
        light.condition(panel, condition, latest && text?.(latest.view))
      }
      return watch(panel).listen({
        news: (value) => guard(node, () => news(value)),
        condition: (value) => guard(node, () => condition(value)),
      })
    },

    async answer(panel, message, send, signal) {
      answering += 1
      try {
        const news = await watch(panel).readNow(signal)
        const answer = messages(panel, news, 'all')
        hasBegun = true
        if (answer.length === 0) {
          throw new KeyholderError('NOT_FOUND', 'The panel reports nothing of what this node has chosen.')
        }
        send(laidOver(RED, message, answer))
      } finally {
        answering -= 1
      }
    },
  }
}
