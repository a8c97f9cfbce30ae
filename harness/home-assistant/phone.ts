import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Recorder } from '../recorder.ts'
import type { HomeAssistant } from './home-assistant.ts'
import type { RegisteredDevice } from './home-assistant-client.ts'

/** A message as the app on a phone gets it. */
export interface PhoneMessage {
  title: string
  message: string
  data: { actions?: { action: string; uri?: string }[] } & Record<string, unknown>
}

/** A phone with the app of Home Assistant: the part of it that gets messages and tells which of their buttons was pressed. */
export class Phone {
  readonly messages = new Recorder<PhoneMessage>('messages on the phone')
  readonly #server: Server
  readonly #home: HomeAssistant
  #webhook = ''

  private constructor(server: Server, home: HomeAssistant) {
    this.#server = server
    this.#home = home
  }

  /** Registers a phone, as the app does after its user has signed in. */
  static async register(home: HomeAssistant): Promise<Phone> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part) => parts.push(part))
      request.on('end', () => {
        phone.messages.add(JSON.parse(Buffer.concat(parts).toString('utf8')))
        response.writeHead(201, { 'Content-Type': 'application/json' }).end('{}')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const phone = new Phone(server, home)
    const { port } = server.address() as AddressInfo
    const { webhook_id } = await home.post('mobile_app/registrations', {
      app_id: 'io.example.app',
      app_name: 'Test',
      app_version: '1',
      device_id: 'phone',
      device_name: 'Phone',
      manufacturer: 'Test',
      model: 'Test',
      os_name: 'Test',
      os_version: '1',
      supports_encryption: false,
      app_data: { push_token: 'token', push_url: `http://127.0.0.1:${port}/` },
    })
    phone.#webhook = webhook_id ?? ''
    return phone
  }

  /** The id of the device in Home Assistant, which an automation selects. */
  async deviceId(): Promise<string> {
    const devices = await this.#home.client.call<RegisteredDevice[]>('config/device_registry/list')
    const own = devices.find(({ identifiers }) => identifiers.some(([domain]) => domain === 'mobile_app'))
    if (own === undefined) throw new Error('The phone is not registered.')
    return own.id
  }

  /** Tells Home Assistant that a button of a message was pressed. */
  async press(action: string): Promise<void> {
    const data = { event_type: 'mobile_app_notification_action', event_data: { action } }
    await this.#home.post(`webhook/${this.#webhook}`, { type: 'fire_event', data })
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
