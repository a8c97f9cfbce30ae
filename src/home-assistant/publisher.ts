import type { Publication } from './discovery.ts'

/** A message to the broker. */
export interface BrokerMessage extends Publication {
  qos: 1
  retain: boolean
}

/** Sends messages to the broker; what the broker keeps is sent only if it has changed. */
export class Publisher {
  readonly #sent: Map<string, string>
  readonly #send: (messages: BrokerMessage[]) => void

  /** @param sent the latest payload of each topic that the broker keeps */
  constructor(sent: Map<string, string>, send: (messages: BrokerMessage[]) => void) {
    this.#sent = sent
    this.#send = send
  }

  /** Sends what differs from what was sent before, for the broker to keep. */
  keep(publications: readonly Publication[]): void {
    const changed = publications.filter(({ topic, payload }) => this.#sent.get(topic) !== payload)
    for (const { topic, payload } of changed) this.#sent.set(topic, payload)
    this.#publish(changed, true)
  }

  /** Sends what the broker keeps, even if it was sent before; what follows on the same topic replaces it. */
  replace(publications: readonly Publication[]): void {
    for (const { topic } of publications) this.#sent.delete(topic)
    this.#publish(publications, true)
  }

  /** Sends what the broker only passes on. */
  pass(publications: readonly Publication[]): void {
    this.#publish(publications, false)
  }

  /** Forgets what was sent on some topics, so that it is sent again. */
  forget(isMeant: (topic: string) => boolean): void {
    for (const topic of [...this.#sent.keys()]) if (isMeant(topic)) this.#sent.delete(topic)
  }

  #publish(publications: readonly Publication[], retain: boolean): void {
    if (publications.length > 0)
      this.#send(publications.map((publication) => ({ ...publication, qos: 1, retain })))
  }
}
