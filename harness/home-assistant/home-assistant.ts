import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { noteStarted } from '../mocha/suite-record.ts'
import { Mosquitto } from '../mosquitto.ts'
import { findFreePort } from '../redis-server.ts'
import { describeWithServer, findProgram } from '../server-program.ts'
import { HomeAssistantClient } from './home-assistant-client.ts'

/** Milliseconds between two tries to reach a Home Assistant that starts; it has no WebSocket that could tell. */
const pollInterval = 50

/** The settings: no integration but those of every installation, the app for phones, and automations that a test adds. */
const configuration = (port: number) => `
http:
  server_host: 127.0.0.1
  server_port: ${port}
mobile_app:
automation: !include automations.yaml
`

/** A step of the form with which an integration is added. */
interface Form {
  flow_id: string
  type: string
  data_schema: { name: string }[]
}

/** A real Home Assistant of a test, with a broker that it uses, on free ports of loopback. */
export class HomeAssistant {
  readonly broker: Mosquitto
  /** The path of its program. */
  readonly program: string
  readonly #folder = mkdtempSync(join(tmpdir(), 'keyholder-home-assistant-'))
  #port = 0
  #token = ''
  #process: ChildProcess | undefined
  #client: HomeAssistantClient | undefined
  #output = ''
  readonly #killAtExit = () => this.#process?.kill('SIGKILL')

  /** @param program path of `hass` */
  constructor(program: string, broker: Mosquitto) {
    this.program = program
    this.broker = broker
  }

  /** The client, as which the owner of the house is signed in. */
  get client(): HomeAssistantClient {
    if (this.#client === undefined) throw new Error('Home Assistant is not connected.')
    return this.#client
  }

  /** The warnings and errors that it has logged. */
  get output(): string {
    return this.#output
  }

  /** Starts the broker and Home Assistant, creates the owner as a new user does, and adds the integration MQTT. */
  async start(): Promise<void> {
    await this.broker.start()
    this.#port = await findFreePort()
    this.write('configuration.yaml', configuration(this.#port))
    this.write('automations.yaml', '[]\n')
    await this.#launch()
    const clientId = `${this.#url}/`
    const owner = { name: 'Anna', username: 'anna', password: 'owner of the house', language: 'en' }
    const { auth_code: code = '' } = await this.post('onboarding/users', { ...owner, client_id: clientId })
    const body = new URLSearchParams({ grant_type: 'authorization_code', code, client_id: clientId })
    const answer = await fetch(`${this.#url}/auth/token`, { method: 'POST', body })
    this.#token = ((await answer.json()) as { access_token: string }).access_token
    this.#client = await HomeAssistantClient.connect(this.#url, this.#token, () => this.#output)
    await this.#addBroker()
  }

  /** Stops it as a service manager does, and starts it again with what it has saved. */
  async restart(): Promise<void> {
    this.#client?.close()
    await this.#end('SIGTERM')
    await this.#launch()
    this.#client = await HomeAssistantClient.connect(this.#url, this.#token, () => this.#output)
  }

  /** Writes a file below the folder of its settings. */
  write(path: string, text: string): void {
    const file = join(this.#folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  /**
   * Posts to its HTTP interface; returns the answer.
   * @throws Error if it refuses
   */
  async post<T = Record<string, string>>(path: string, body: object): Promise<T> {
    const answer = await fetch(`${this.#url}/api/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.#token}` },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`Home Assistant answers ${path} with ${answer.status}: ${text}`)
    return text === '' ? ({} as T) : JSON.parse(text)
  }

  /** Ends both. */
  async stop(): Promise<void> {
    this.#client?.close()
    await this.#end('SIGKILL')
    await this.broker.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Adds the integration MQTT, as a user does in its form. */
  async #addBroker(): Promise<void> {
    const { flow_id, data_schema } = await this.post<Form>('config/config_entries/flow', { handler: 'mqtt' })
    // Newer versions have a section for the rest.
    const rest = { other_settings: { set_client_cert: false, set_ca_cert: 'off' } }
    const hasRest = data_schema.some(({ name }) => name === 'other_settings')
    const broker = { broker: '127.0.0.1', port: this.broker.port, ...(hasRest && rest) }
    const { type } = await this.post<Form>(`config/config_entries/flow/${flow_id}`, broker)
    if (type !== 'create_entry') throw new Error(`The integration MQTT was not added: ${type}.`)
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Starts the process, which installs nothing, and resolves when it answers. */
  async #launch(): Promise<void> {
    noteStarted('home-assistant')
    const child = spawn(this.program, ['--config', this.#folder, '--skip-pip'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#process = child
    process.once('exit', this.#killAtExit)
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        this.#output += data
      })
    let hasEnded = false
    for (const event of ['error', 'exit'])
      child.once(event, () => {
        hasEnded = true
      })
    while (!(await this.#answers())) {
      if (hasEnded) throw new Error(`Home Assistant does not start. It printed:\n${this.#output}`)
      await new Promise((resolve) => setTimeout(resolve, pollInterval))
    }
  }

  /** Tells if its HTTP interface is up: the first thing that a new user sees, the onboarding, comes last. */
  #answers(): Promise<boolean> {
    return fetch(`${this.#url}/api/onboarding`).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#process
    this.#process = undefined
    process.removeListener('exit', this.#killAtExit)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill(signal)
    await ended
  }
}

/**
 * Describes tests that need a real Home Assistant: the one that HASS names, or `hass` in the path, and a broker. Without one
 * of them the tests are skipped, and a line says so.
 */
export function describeWithHomeAssistant(title: string, tests: (home: HomeAssistant) => void): void {
  const hass = process.env.HASS || findProgram('hass')
  const mosquitto = process.env.MOSQUITTO || findProgram('mosquitto')
  const program = {
    path: mosquitto === undefined ? undefined : hass,
    create: (path: string) => new HomeAssistant(path, new Mosquitto(mosquitto ?? '')),
    missing:
      'The tests with a real Home Assistant are skipped: name its program hass in HASS, and install mosquitto or name it in MOSQUITTO.',
  }
  describeWithServer(title, program, tests)
}
