import { second } from '../../duration.ts'
import type { Command } from '../../panel/commands/command.ts'
import type { Panel } from '../../panel/panel.ts'
import { asKeyholderError, KeyholderError } from '../../service/error.ts'
import type { Device } from '../../service/responses/devices.ts'
import { needsDevices } from '../announced-entities.ts'
import { partitionOf } from '../entities/partition-entities.ts'
import type { EntityGroup, Setup } from '../setup.ts'
import { deviceObject, isDeviceObject, panelTopic } from '../topics.ts'
import type { CodeCheck } from './code-check.ts'

/** A request of Home Assistant. */
type HomeAssistantRequest =
  | { action: 'refresh' }
  /** `code` is what was typed; undefined if no code is asked for. */
  | { action: 'command'; command: Command; code: string | undefined }

/** The words of the alarm control panel, with what they request; the last one only where the node offers it. */
const requestOfWord = {
  ARM_AWAY: { state: 'AWAY', options: [] },
  ARM_HOME: { state: 'HOME', options: [] },
  ARM_NIGHT: { state: 'NIGHT', options: [] },
  DISARM: { state: 'DISARM', options: [] },
  ARM_CUSTOM_BYPASS: { state: 'AWAY', options: [], openZones: 'bypass' },
} as const

/** The devices of a panel, as far as they are known. */
export interface KnownDevices {
  /** Those that are there; undefined before the first list. */
  listed: readonly Device[] | undefined
  /** Tells if a device is announced; the latest list may lack it. */
  isAnnounced(object: string): boolean
}

/**
 * Returns what a message of the broker asks for; undefined if it is none of the commands of this panel.
 * @throws KeyholderError BAD_SETTING if the payload is not understood, COMMANDS_DISABLED if the group is not chosen,
 * COMMAND_FAILED for a zone that is not in the list of devices now
 */
export function parseRequest(
  setup: Setup,
  topic: string,
  payload: string,
  devices: KnownDevices,
): HomeAssistantRequest | undefined {
  const below = panelTopic(setup, '')
  if (!topic.startsWith(below) || !topic.endsWith('/set')) return undefined
  const path = topic.slice(below.length, -'/set'.length)
  if (path === 'refresh') {
    requireGroup(setup, 'diagnostics')
    return { action: 'refresh' }
  }
  const partition = partitionOf(path)
  if (partition !== undefined) return setState(setup, partition, payload)
  if (path === 'siren') {
    requireGroup(setup, 'siren')
    return command({ action: flag(payload) ? 'siren_on' : 'siren_off' })
  }
  const [object = '', action, ...more] = path.split('/')
  if (action !== 'bypass' || more.length > 0 || !isDeviceObject(object)) return undefined
  const device = devices.listed?.find(({ id }) => object === deviceObject(id))
  if (device === undefined && devices.listed !== undefined && !devices.isAnnounced(object)) return undefined
  requireGroup(setup, 'bypass')
  if (device === undefined) throw unlisted()
  if (device.device_number === null) throw bad('the zone has no number, so it cannot be bypassed.')
  return command({ action: 'bypass', zone: device.device_number, enabled: flag(payload) })
}

function setState(setup: Setup, partition: number, payload: string): HomeAssistantRequest {
  requireGroup(setup, 'alarm_panel')
  const { word, code } = setup.code === 'remote' ? withCode(payload) : { word: payload, code: undefined }
  const offered = Object.entries(requestOfWord).filter(
    ([, request]) => !('openZones' in request) || setup.openZones === 'bypass',
  )
  const [, request] = offered.find(([name]) => name === word) ?? []
  if (request === undefined) throw bad(`send one of ${offered.map(([name]) => name).join(', ')}.`)
  return { action: 'command', command: { action: 'set_state', partition, ...request }, code }
}

function withCode(payload: string): { word: string; code: string } {
  try {
    const { action, code } = JSON.parse(payload)
    return { word: String(action), code: String(code) }
  } catch {
    throw bad('with "Code" set to the user code, send {"action": "ARM_AWAY", "code": "…"} as JSON.')
  }
}

function command(one: Command): HomeAssistantRequest {
  return { action: 'command', command: one, code: undefined }
}

function flag(payload: string): boolean {
  if (payload === 'ON') return true
  if (payload === 'OFF') return false
  throw bad('send ON or OFF.')
}

function requireGroup({ groups }: Setup, group: EntityGroup): void {
  if (groups.has(group)) return
  const sentence =
    'This command is turned off. Choose its group in "Entities" of the Home Assistant node if you want it.'
  throw new KeyholderError('COMMANDS_DISABLED', sentence)
}

function unlisted(): KeyholderError {
  const sentence =
    'Nothing was sent, because the zone is not in a list of devices that was read from the panel. Try again in a minute.'
  return new KeyholderError('COMMAND_FAILED', sentence)
}

function bad(why: string): KeyholderError {
  return new KeyholderError('BAD_SETTING', `payload: ${why}`)
}

/** Milliseconds between two refreshes: each is sent before the polls, and a flood would take all requests of the account. */
const refreshInterval = 10 * second

/** Executes what Home Assistant asks for, if the panel allows it and the code is right. */
export class RequestExecution {
  readonly #setup: Setup
  readonly #panel: Panel
  readonly #codeCheck: CodeCheck
  readonly #nodeId: string
  readonly #tell: (result: object) => void
  /** Milliseconds of the monotonic clock. */
  #refreshedAt = Number.NEGATIVE_INFINITY

  /** @param tell gets the result of each command */
  constructor(
    setup: Setup,
    panel: Panel,
    codeCheck: CodeCheck,
    nodeId: string,
    tell: (result: object) => void,
  ) {
    this.#setup = setup
    this.#panel = panel
    this.#codeCheck = codeCheck
    this.#nodeId = nodeId
    this.#tell = tell
  }

  /**
   * Executes a message of the broker; one that asks this panel for nothing is ignored.
   * @throws KeyholderError the reason why it was refused
   */
  async execute(topic: string, payload: string, devices: KnownDevices, signal: AbortSignal): Promise<void> {
    let command: Command | undefined
    try {
      const request = parseRequest(this.#setup, topic, payload, devices)
      if (request === undefined) return
      const { commands, settings, account } = this.#panel
      commands.refuseUnlessAllowed()
      if (request.action === 'refresh') return await this.#refresh(signal)
      command = request.command
      if (request.code !== undefined)
        this.#codeCheck.check(request.code, settings.userCode, account.clock.monotonic())
      await commands.execute(command, signal, this.#nodeId)
      this.#tell({ event_type: 'done', ...command })
      if (command.action === 'bypass') this.#panel.devices.refresh()
    } catch (thrown) {
      const { code, message } = asKeyholderError(thrown)
      this.#tell({ event_type: 'refused', ...command, code, reason: message })
      throw thrown
    }
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    const { state, devices, account } = this.#panel
    const now = account.clock.monotonic()
    if (now - this.#refreshedAt < refreshInterval) return
    this.#refreshedAt = now
    await Promise.all([state.read(signal), ...(needsDevices(this.#setup) ? [devices.read(signal)] : [])])
  }
}
