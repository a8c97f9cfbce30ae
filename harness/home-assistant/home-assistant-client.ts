import { Recorder } from '../recorder.ts'
import { TextSocket } from './web-socket.ts'

/** The state of an entity, as Home Assistant knows it. */
export interface EntityState {
  entity_id: string
  state: string
  attributes: Record<string, unknown>
}

/** An event of the bus of Home Assistant. */
interface BusEvent {
  event_type: string
  data: Record<string, unknown>
}

/** A row of the registry of entities. */
export interface RegisteredEntity {
  entity_id: string
  unique_id: string
  platform: string
  device_id: string | null
  disabled_by: string | null
  entity_category: string | null
  /** The name without that of the device; null for the main entity of a device. */
  original_name: string | null
}

/** A row of the registry of devices. */
export interface RegisteredDevice {
  id: string
  identifiers: [string, string][]
  name: string
  model: string | null
  manufacturer: string | null
  area_id: string | null
  via_device_id: string | null
}

interface Answer {
  id: number
  type: string
  success?: boolean
  result?: unknown
  error?: { code: string; message: string }
  event?: BusEvent
}

/** A command that Home Assistant has refused, with its reason. */
export class RefusedError extends Error {}

/** A client of the WebSocket interface of Home Assistant: it knows all states and records all events of the bus. */
export class HomeAssistantClient {
  readonly #socket: TextSocket
  /** By entity id. */
  readonly #states = new Map<string, EntityState>()
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  readonly events = new Recorder<BusEvent>('events of Home Assistant')
  readonly #log: () => string
  #lastId = 0

  private constructor(socket: TextSocket, log: () => string) {
    this.#socket = socket
    this.#log = log
  }

  /**
   * Connects, and resolves when Home Assistant has started and its states are known.
   * @param log returns what Home Assistant has logged, which an error of a wait shows
   */
  static async connect(url: string, token: string, log: () => string): Promise<HomeAssistantClient> {
    let heed: (text: string) => void = () => {}
    let end = () => {}
    const socket = await TextSocket.connect(`${url}/api/websocket`, {
      text: (text) => heed(text),
      end: () => end(),
    })
    const client = new HomeAssistantClient(socket, log)
    end = () => client.#noteEnd()
    await new Promise<void>((resolve, reject) => {
      heed = (text) => {
        const { type } = JSON.parse(text)
        if (type === 'auth_required') socket.send(JSON.stringify({ type: 'auth', access_token: token }))
        else if (type === 'auth_ok') resolve()
        else reject(new Error(`Home Assistant answers ${type}.`))
      }
    })
    heed = (text) => client.#receive(JSON.parse(text))
    await client.call('subscribe_events')
    for (const state of await client.call<EntityState[]>('get_states'))
      client.#states.set(state.entity_id, state)
    const { state } = await client.call<{ state: string }>('get_config')
    if (state !== 'RUNNING')
      await client.events.first(({ event_type }) => event_type === 'homeassistant_started')
    return client
  }

  /** Returns the id of an entity that MQTT has announced, as soon as there is one with this unique id. */
  async idOf(uniqueId: string): Promise<string> {
    let entity: RegisteredEntity | undefined
    await this.until(async () => {
      entity = (await this.entities()).get(uniqueId)
      return entity !== undefined
    }, uniqueId)
    return entity?.entity_id ?? ''
  }

  /** Returns what Home Assistant shows for an entity id; undefined if there is none or it is off. */
  stateOf(entityId: string): EntityState | undefined {
    return this.#states.get(entityId)
  }

  /** Returns what Home Assistant shows for an entity that is announced; undefined if it is off. */
  async shown(uniqueId: string): Promise<EntityState | undefined> {
    return this.#states.get(await this.idOf(uniqueId))
  }

  /** Waits until an entity has a state; returns what Home Assistant shows then. */
  async untilShown(uniqueId: string, state: string): Promise<EntityState> {
    const id = await this.idOf(uniqueId)
    const shown = () => this.#states.get(id)
    await this.#untilEvent(
      () => shown()?.state === state,
      () => `${id} is ${state} and not ${shown()?.state}`,
    )
    return shown() as EntityState
  }

  /** Waits until a condition holds, which is looked at after each event. */
  async until(condition: () => boolean | Promise<boolean>, what = `${condition}`): Promise<void> {
    for (;;) {
      const { length } = this.events.all
      if (await condition()) return
      await this.#untilEvent(
        () => this.events.all.length > length,
        () => what,
      )
    }
  }

  /**
   * Sends a command of the WebSocket interface, and returns its result.
   * @throws RefusedError with the reason of Home Assistant
   */
  call<T = unknown>(type: string, data: object = {}): Promise<T> {
    this.#lastId += 1
    const id = this.#lastId
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (result) => resolve(result as T), reject })
      this.#socket.send(JSON.stringify({ id, type, ...data }))
    })
  }

  /**
   * Calls an action for an entity, as a card does.
   * @throws RefusedError with the reason of Home Assistant
   */
  async act(action: string, uniqueId: string, data: object = {}): Promise<void> {
    const [domain, service] = action.split('.')
    const target = { entity_id: await this.idOf(uniqueId) }
    await this.call('call_service', { domain, service, target, service_data: data })
  }

  /** Returns the entities that MQTT has announced, by unique id. */
  async entities(): Promise<ReadonlyMap<string, RegisteredEntity>> {
    const all = await this.call<RegisteredEntity[]>('config/entity_registry/list')
    const announced = all.filter(({ platform }) => platform === 'mqtt')
    return new Map(announced.map((entity) => [entity.unique_id, entity]))
  }

  /** Returns the devices that MQTT has announced, by identifier. */
  async devices(): Promise<ReadonlyMap<string, RegisteredDevice>> {
    const all = await this.call<RegisteredDevice[]>('config/device_registry/list')
    return new Map(
      all.flatMap((device) =>
        device.identifiers.flatMap(([domain, id]) => (domain === 'mqtt' ? [[id, device] as const] : [])),
      ),
    )
  }

  close(): void {
    this.#socket.close()
  }

  /** Waits until a condition holds that depends on the events. */
  #untilEvent(condition: () => boolean, describe: () => string): Promise<void> {
    return this.events.until(condition, () => `${describe()}. Its log: ${this.#log()}`)
  }

  #noteEnd(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('Home Assistant has ended.'))
  }

  #receive({ id, type, success, result, error, event }: Answer): void {
    if (type === 'event' && event !== undefined) {
      if (event.event_type === 'state_changed') this.#note(event.data)
      this.events.add(event)
      return
    }
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (success) waiting?.resolve(result)
    else waiting?.reject(new RefusedError(error?.message))
  }

  #note({ entity_id, new_state }: Record<string, unknown>): void {
    if (new_state === null) this.#states.delete(String(entity_id))
    else this.#states.set(String(entity_id), new_state as EntityState)
  }
}
