import mqtt, { type MqttClient } from 'mqtt'
import { Recorder } from '../recorder.ts'

/** A message as Home Assistant gets it. */
export interface ReceivedMessage {
  topic: string
  payload: string
  retain: boolean
}

/** A client of a broker that records all messages and knows what the broker keeps, in the place of Home Assistant. */
export class BrokerClient {
  readonly #client: MqttClient
  readonly messages = new Recorder<ReceivedMessage>('messages of the broker')

  private constructor(client: MqttClient) {
    this.#client = client
    client.on('message', (topic, payload, { retain }) =>
      this.messages.add({ topic, payload: payload.toString('utf8'), retain }),
    )
  }

  /** Connects to a broker on loopback and subscribes to everything; close it after the test. */
  static async connect(port: number): Promise<BrokerClient> {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 50 })
    const connected = new BrokerClient(client)
    await client.subscribeAsync('#')
    return connected
  }

  /** The latest payload of each topic since the client has connected; without those that were removed. */
  get latest(): Map<string, string> {
    const latest = new Map<string, string>()
    for (const { topic, payload } of this.messages.all) {
      if (payload === '') latest.delete(topic)
      else latest.set(topic, payload)
    }
    return latest
  }

  /** Returns the JSON that a topic has now; undefined if it has none. */
  json(topic: string): Record<string, never> | undefined {
    const payload = this.latest.get(topic)
    return payload === undefined ? undefined : JSON.parse(payload)
  }

  async publish(topic: string, payload: string, retain = false): Promise<void> {
    await this.#client.publishAsync(topic, payload, { qos: 1, retain })
  }

  /** Waits until a condition holds that depends on the messages. */
  until(condition: () => boolean, what = `${condition}`): Promise<void> {
    return this.messages.until(condition, () => what)
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true)
  }
}

/** Returns all messages that a broker on loopback keeps now, by topic. */
export async function retainedOf(port: number): Promise<Map<string, string>> {
  const client = await BrokerClient.connect(port)
  try {
    // The broker has sent all that it keeps before it passes on a message that is published later.
    await client.publish('test/end', 'reached')
    await client.until(() => client.latest.has('test/end'), 'the end of the kept messages')
    const kept = client.messages.all.filter(({ retain }) => retain)
    return new Map(kept.map(({ topic, payload }) => [topic, payload]))
  } finally {
    await client.close()
  }
}
