import type { FlowMessage } from '../../recorder.ts'

/** The topic on which the core node tells the broker that Node-RED is connected. */
export const bridgeTopic = 'keyholder/bridge'

/** A message broker with one bridge: it keeps what is to be retained, as Home Assistant reads it. */
export class Broker {
  readonly kept = new Map<string, string>()
  /** The objects in what is kept, by topic: parsed once. */
  readonly #objects = new Map<string, FlowMessage>()

  /** Takes a message of the bridge. */
  publish({ topic, payload, retain }: FlowMessage): void {
    if (!retain) return
    this.#objects.delete(topic)
    if (payload === '') this.kept.delete(topic)
    else this.kept.set(topic, payload)
  }

  /** Returns the object that is kept on a topic; undefined if nothing is. */
  object(topic: string): FlowMessage | undefined {
    const text = this.kept.get(topic)
    if (text === undefined) return undefined
    const object = this.#objects.get(topic) ?? JSON.parse(text)
    this.#objects.set(topic, object)
    return object
  }

  /** Returns what a new subscription to a topic and all below it gets, in the form of Node-RED's core node. */
  subscribe(base: string): FlowMessage[] {
    return [...this.kept]
      .filter(([topic]) => topic.startsWith(`${base}/`))
      .map(([topic, payload]) => ({ topic, payload, retain: true }))
  }
}
