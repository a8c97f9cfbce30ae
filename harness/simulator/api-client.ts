import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { connectTo } from '../clock/memory-connections.ts'

/** A response, with its body parsed if it is JSON. */
export interface Reply {
  status: number
  // A test reads whatever members it is about.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests check
  body: any
  headers: Headers
}

/** A client of the simulator's API that reaches it without a socket; sends the tokens that are set. */
export class ApiClient {
  userToken = ''
  sessionToken = ''
  readonly simulator: Simulator
  readonly version: string

  constructor(simulator: Simulator, version = '14.0') {
    this.simulator = simulator
    this.version = version
  }

  async signIn(password = this.simulator.password, appId = 'app'): Promise<Reply> {
    const reply = await this.post('auth', { email: this.simulator.email, password, app_id: appId })
    this.userToken = reply.body.user_token ?? this.userToken
    return reply
  }

  async logIn(serial = this.simulator.serials[0], code = this.simulator.userCode): Promise<Reply> {
    const reply = await this.post('panel/login', { panel_serial: serial, user_code: code, app_id: 'app' })
    this.sessionToken = reply.body.session_token ?? this.sessionToken
    return reply
  }

  get(operation: string): Promise<Reply> {
    return this.request('GET', `/rest_api/${this.version}/${operation}`)
  }

  post(operation: string, body: unknown): Promise<Reply> {
    return this.request('POST', `/rest_api/${this.version}/${operation}`, JSON.stringify(body))
  }

  async request(method: string, path: string, body?: string | null): Promise<Reply> {
    const headers = { 'User-Token': this.userToken, 'Session-Token': this.sessionToken }
    const createConnection = () => {
      const connection = connectTo(this.simulator)
      if (connection) return connection
      throw new Error(`The simulator at ${this.simulator.url} is closed.`)
    }
    return new Promise((resolve, reject) => {
      request(this.simulator.url + path, { method, headers, createConnection }, (response) => {
        const reply = (body: string) => {
          const isJson = response.headers['content-type']?.startsWith('application/json') && body !== ''
          const replied = new Headers(response.headers as Record<string, string>)
          resolve({
            status: response.statusCode ?? 0,
            body: isJson ? JSON.parse(body) : body,
            headers: replied,
          })
        }
        text(response).then(reply).catch(reject)
      })
        .on('error', reject)
        .end(body ?? undefined)
    })
  }
}

/** The base path of the installer API, used as a version. */
const installer = 'installer/11.0'

/** Returns a client with a user token of the installer API. */
export async function signedInAsInstaller(simulator: Simulator): Promise<ApiClient> {
  const caller = new ApiClient(simulator, installer)
  const { email, password } = simulator
  const { body } = await caller.post('auth', { email, password, device_id: 'device', device_info: 'test' })
  caller.userToken = body.user_token
  return caller
}

/** Returns a client with a session of the installer API for a panel, the first one by default. */
export async function installerAt(simulator: Simulator, serial = simulator.serials[0]): Promise<ApiClient> {
  const caller = await signedInAsInstaller(simulator)
  const { installerCode } = simulator
  const login = { panel_serial: serial, installer_code: installerCode, app_id: 'device' }
  const { body } = await caller.post('panel/login', login)
  caller.sessionToken = body.session_token
  return caller
}

/** Returns a client with a session for a panel, the first one by default. */
export async function signedIn(simulator: Simulator, serial?: string, version?: string): Promise<ApiClient> {
  const caller = new ApiClient(simulator, version)
  await caller.signIn()
  await caller.logIn(serial)
  return caller
}
