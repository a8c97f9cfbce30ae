import type { Account } from '../../account/account.ts'
import type { Answer } from '../../account/answer.ts'
import type { PanelKey, ReadOptions } from '../../account/requests/request.ts'
import { operations } from '../../service/operations.ts'
import type { PanelAlarm, Trouble } from '../../service/responses/alarms.ts'
import type { Device } from '../../service/responses/devices.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import type { PanelInfo, StateDefinition } from '../../service/responses/panel-info.ts'
import type { ProcessStatus } from '../../service/responses/process-status.ts'
import {
  isNight,
  noEntryDelay,
  type PanelStatus,
  waysToArm,
  wholePanel,
} from '../../service/responses/status.ts'
import type { PanelDevices } from '../devices/readings.ts'
import type { PanelClient } from '../panel-client.ts'
import type { Snapshot } from '../snapshot.ts'
import {
  isOnline,
  type PartitionState,
  partitionSetup,
  requirePartitions,
  type StateView,
  stateDefinitions,
} from '../state/partition-state.ts'
import type { StateReader } from '../state/state-reader.ts'
import type { SetState } from './command.ts'

/** The panel, as far as commands use it. */
export interface CommandedPanel {
  readonly account: Account
  readonly settings: PanelKey & { allowCommands: boolean }
  readonly panelClient: PanelClient
  readonly polls: CommandedPolls
  /** The panel's name: the user's, else the service's, else the serial. */
  title(): string
}

/** The polls of the panel, as far as commands use them. */
interface CommandedPolls {
  /** Infers the state from events, for services that have no operation for it. */
  readonly stateReader: Pick<StateReader, 'infer'>
  /** Notes whether the service reaches the panel; null if it does not say. */
  noteOnline(online: boolean | null): void
  /** Announces that the state is about to change, so that its subscribers see the change soon. */
  settle(): void
  /** Reads the devices for a caller and for all subscribers. */
  readonly devices: { read(signal: AbortSignal): Promise<Snapshot<PanelDevices>> }
}

/**
 * The current data of the panel for a command. It is requested now, because a shared answer may be older than
 * the command.
 */
export class CurrentState {
  readonly #panel: CommandedPanel
  readonly #options: ReadOptions

  /** @param signal aborts the requests */
  constructor(panel: CommandedPanel, signal: AbortSignal) {
    this.#panel = panel
    this.#options = { lane: 'command', maxAge: 0, signal }
  }

  /** Returns the setup of the panel, which hardly ever changes. */
  async info(): Promise<PanelInfo> {
    const { panelClient } = this.#panel
    await panelClient.identify(this.#options)
    return (
      await panelClient.request(operations.panelInfo, {
        ...this.#options,
        maxAge: panelClient.descriptionAge,
      })
    ).value
  }

  /** Reads the limits of the panel, at most once an hour; a failure stops nothing. */
  async readLimits(): Promise<void> {
    const { panelClient } = this.#panel
    await panelClient.identify(this.#options)
    await panelClient.readLimits(this.#options)
  }

  /**
   * Returns the situation of the panel.
   * @param since milliseconds of the monotonic clock; answers requested earlier are not used
   */
  situation(since: number): Promise<Answer<Situation>> {
    return requestedSince(since, async () => {
      const { panelClient, polls } = this.#panel
      const info = await this.info()
      const status = await panelClient.requestIfSupported(operations.status, this.#options)
      if (status === undefined) {
        const { view, ...dates } = await polls.stateReader.infer(this.#options, info)
        return { ...dates, value: inferredSituation(view, info) }
      }
      const value = situationOf(status.value, info)
      polls.noteOnline(value.online)
      requirePartitions(status.value)
      return { ...status, value }
    })
  }

  /** Returns the panel's devices; `since` as for the situation. */
  devices(since: number): Promise<Answer<readonly Device[]>> {
    return requestedSince(since, () => this.#panel.panelClient.request(operations.devices, this.#options))
  }

  /** Returns the list of events; undefined if the service has none. */
  events(): Promise<Answer<readonly PanelEvent[]> | undefined> {
    return this.#panel.panelClient.requestIfSupported(operations.events, this.#options)
  }

  /** Returns the list of alarms; `since` as for the situation. */
  alarms(since: number): Promise<Answer<readonly PanelAlarm[]>> {
    return requestedSince(since, () => this.#panel.panelClient.request(operations.alarms, this.#options))
  }

  /** Returns the list of troubles, `since` as for the situation; undefined if the panel has none by its feature set, or the service. */
  async troubles(since: number): Promise<Answer<readonly Trouble[]> | undefined> {
    const { panelClient } = this.#panel
    if (!panelClient.limits.listsTroubles) return undefined
    return requestedSince(since, () => panelClient.requestIfSupported(operations.troubles, this.#options))
  }

  /** Returns the service's report on the commands with this token. */
  processes(token: string): Promise<Answer<ProcessStatus[]>> {
    const { account, settings } = this.#panel
    return account.sendRead(operations.processStatus, { ...this.#options, panel: settings, token })
  }
}

/**
 * Returns an answer that was requested no earlier than `since`. An answer shared with others may have been
 * requested earlier.
 */
async function requestedSince<A extends { sentAt: number } | undefined>(
  since: number,
  ask: () => Promise<A>,
): Promise<A> {
  for (;;) {
    const answer = await ask()
    if (answer === undefined || answer.sentAt >= since) return answer
  }
}

/** A partition before or after a command. */
export interface PartitionSituation
  extends Pick<PartitionState, 'id' | 'name' | 'status' | 'ready' | 'options' | 'settable'> {
  /**
   * The service's own word: during an alarm and the exit delay it is the armed state, unlike in messages to
   * flows.
   */
  state: string
  definitions: readonly StateDefinition[]
  /** True if the setup of the panel names the partition as one in use. */
  isInUse: boolean
}

/** A panel before or after a command. */
export interface Situation {
  /** Null if the service does not say. */
  online: boolean | null
  partitions: readonly PartitionSituation[]
  /** The ids of the partitions that the setup of the panel names. */
  defined: readonly number[]
  /** The panel's own word for how zones can be bypassed; empty if it names none. */
  bypassMode: string
}

/** The situation of a panel that could not be read. */
export const unknownSituation: Situation = {
  online: null,
  partitions: [],
  defined: [],
  bypassMode: '',
}

/** Returns the situation that the service reports. */
function situationOf(status: PanelStatus, info: PanelInfo): Situation {
  return {
    online: isOnline(status),
    partitions: status.partitions.map(({ id, state, status, ready, options }) => {
      const { name, settable } = partitionSetup(info, id, state)
      return { id, name, state, status, ready, options, settable, ...definitionOf(id, info) }
    }),
    defined: info.partitions.map(({ id }) => id),
    bypassMode: info.bypass_mode,
  }
}

/**
 * Returns the situation inferred from events, for services without an operation for the current state (field
 * fact).
 */
function inferredSituation({ online, partitions }: StateView, info: PanelInfo): Situation {
  return {
    online,
    partitions: partitions.map(({ id, name, value: state, status, ready, options, settable }) => {
      return { id, name, state, status, ready, options, settable, ...definitionOf(id, info) }
    }),
    defined: info.partitions.map(({ id }) => id),
    bypassMode: info.bypass_mode,
  }
}

function definitionOf(id: number, info: PanelInfo): Pick<PartitionSituation, 'definitions' | 'isInUse'> {
  const isInUse = info.partitions.some((partition) => partition.id === id && partition.active)
  return { definitions: stateDefinitions(info, id), isInUse }
}

/**
 * Returns the partitions that a partition id stands for; -1 stands for all that are in use: some services list others too. If
 * the setup names none of those that are listed, it stands for all of them.
 */
export function targets({ partitions }: Situation, id: number): readonly PartitionSituation[] {
  if (id !== wholePanel) return partitions.filter((partition) => partition.id === id)
  const used = partitions.filter(({ isInUse }) => isInUse)
  return used.length > 0 ? used : partitions
}

/**
 * Returns the command that arms for the night in the words of a panel: its own state, else HOME without entry delay. A panel
 * that has neither gets the command as it is, and refuses it.
 */
export function nightCommand(command: SetState, info: PanelInfo): SetState {
  const { partition, options } = command
  const active = info.partitions.filter((one) => one.active).map(({ id }) => id)
  const ids = partition === wholePanel && active.length > 0 ? active : [partition]
  const [night = null, ...others] = ids.map((id) => waysToArm(stateDefinitions(info, id), '').night)
  if (night === null || others.some((other) => other !== night)) return command
  const added = night === 'HOME' ? [noEntryDelay] : []
  return { ...command, state: night, options: [...new Set([...options, ...added])] }
}

/** Returns the name of a partition for a sentence. */
export function describePartition({ id, name }: Pick<PartitionSituation, 'id' | 'name'>): string {
  if (name !== '') return `${name} (partition ${id})`
  return id === wholePanel ? 'the panel' : `partition ${id}`
}

/** Returns a sentence about the commanded partitions, with a space at its end; empty if the panel has none. */
export function describeTargets({ partition }: SetState, situation: Situation): string {
  const partitions = targets(situation, partition).map(
    (one) => `${describePartition(one)} was ${describeState(one)}`,
  )
  return partitions.length === 0 ? '' : `After the command, ${partitions.join(', ')}. `
}

/** The states in words, for a sentence such as "the panel is disarmed". */
const stateWords: ReadonlyMap<string, string> = new Map([
  ['AWAY', 'armed AWAY'],
  ['HOME', 'armed HOME'],
  ['DISARM', 'disarmed'],
  ['ENTRY_DELAY', 'in the entry delay'],
  ['PROGRAMMING', 'in programming mode'],
  ['ARMING', 'arming (exit delay)'],
  ['ALARM', 'in alarm'],
  ['UNKNOWN', 'in an unknown state'],
])

/** Returns the state of a partition for a sentence such as "the panel is disarmed". */
export function describeState({ state, status, options }: PartitionSituation): string {
  const night = state !== 'NIGHT' && isNight(state, options) ? ' without entry delay' : ''
  if (status === 'EXIT') return `arming ${state}${night} (exit delay)`
  const words = `${stateWords.get(state) ?? `in the state ${state}`}${night}`
  return status === '' ? words : `${words} (${status})`
}
