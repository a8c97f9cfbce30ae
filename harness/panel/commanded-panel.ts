import type { Command, SetState } from '../../src/panel/commands/command.ts'
import type { CompletedCommand } from '../../src/panel/commands/command-queue.ts'
import { Panel } from '../../src/panel/panel.ts'
import type { PanelSettings } from '../../src/panel/panel-settings.ts'
import { bypassFile } from '../../src/panel/panel-stores.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { Simulator, SimulatorOptions } from '../../src/simulator/simulator.ts'
import { type AccountHarness, neverAborted, startAccountHarness } from '../account.ts'

/** The result of a command and its time in milliseconds of the fake clock; empty while the command runs. */
export interface CommandEnd {
  done?: Snapshot<CompletedCommand>
  error?: KeyholderError
  at?: number
}

/** The operations that change the panel. */
const commanding = /\/(set_state|set_bypass_zone|activate_siren|disable_siren)$/

/** A panel with its own simulator and fake clock, for tests of commands. */
export class CommandedPanel {
  readonly harness: AccountHarness
  readonly panel: Panel
  /** The errors that the panels have reported beside the answers of commands. */
  readonly outages: KeyholderError[] = []
  /** The sentences that the panels have logged. */
  readonly notices: string[] = []

  private constructor(stage: AccountHarness, settings: Partial<PanelSettings>) {
    this.harness = stage
    this.panel = this.openPanel(settings)
  }

  /** Opens a panel and signs in; close it after the test. A request times out after two seconds. */
  static async open(
    options: SimulatorOptions = {},
    settings: Partial<PanelSettings> = {},
    account: RawSettings = {},
  ): Promise<CommandedPanel> {
    const at = await startAccountHarness(options, { timeout: 2, ...account })
    await at.account.openPanel(at.panel)
    return new CommandedPanel(at, settings)
  }

  /** Opens the same panel again, like another config node. */
  openPanel(settings: Partial<PanelSettings> = {}, account = this.harness.account): Panel {
    const every = { stateEvery: 30_000, eventsEvery: 60_000, devicesEvery: 300_000 }
    const usual = { id: 'p1', name: 'House', ...every, allowCommands: true, ...this.harness.panel }
    const outage = (error: KeyholderError) => this.outages.push(error)
    const notice = (sentence: string) => this.notices.push(sentence)
    const reports = { outage, recovery: () => {}, notice }
    return new Panel({ ...usual, ...settings }, account, this.harness.folder, reports)
  }

  /** Opens the panel in the next process, which has nothing of the killed one but its files. */
  async restart(settings: Partial<PanelSettings> = {}): Promise<Panel> {
    const panel = this.openPanel(settings, this.harness.openAfterRestart({ timeout: 2 }))
    await panel.start()
    return panel
  }

  /** The file in which version 0.2.0 has recorded bypasses. */
  get bypassFile(): string {
    return bypassFile(this.harness.account, this.harness.panel.serial, this.harness.folder)
  }

  /** All that the panels have told beside the answers of commands. */
  get said(): string {
    return [...this.outages.map(({ message }) => message), ...this.notices].join(' ')
  }

  /** The numbers of the zones that are bypassed in the panel. */
  get bypassed(): number[] {
    const zones = this.simulated.devices.filter(({ traits }) => traits.bypass?.enabled)
    return zones.map(({ device_number }) => device_number)
  }

  get simulator(): Simulator {
    return this.harness.simulator
  }

  /** The panel in the simulator. */
  get simulated(): ReturnType<Simulator['world']['panel']> {
    return this.simulator.world.panel(this.harness.panel.serial)
  }

  /** Gives a zone another type. */
  setZoneType(zone: number, zone_type: string): void {
    Object.assign(this.simulated.zone(zone), { zone_type })
  }

  /** The states of the partitions, in the words of the service. */
  get states(): string[] {
    return this.simulated.partitions.map(({ state }) => state)
  }

  /** The commands sent so far, as the last part of their paths. */
  get sent(): string[] {
    return this.simulator.requests.flatMap(({ path }) => commanding.exec(path)?.[1] ?? [])
  }

  /** Sends a command and records its end. */
  command(command: Command | Promise<Command>, signal = neverAborted(), panel = this.panel): CommandEnd {
    const ending: CommandEnd = {}
    const ended = (how: Omit<CommandEnd, 'at'>) =>
      Object.assign(ending, how, { at: this.harness.clock.monotonic() })
    panel.commands.execute(command, signal).then(
      (done) => ended({ done }),
      (error) => ended({ error }),
    )
    return ending
  }

  /** Sends a command and waits until it has ended. */
  async run(command: Command): Promise<CommandEnd> {
    const ending = this.command(command)
    await this.waitFor(ending)
    return ending
  }

  /**
   * Waits until commands have ended, however long that takes on the fake clock: they wait for one another, and one whose request
   * hangs is followed for a minute.
   */
  waitFor(...endings: readonly CommandEnd[]): Promise<void> {
    return this.harness.time.until(
      () => endings.every(({ at }) => at !== undefined),
      () => 'the end of a command',
      Number.POSITIVE_INFINITY,
    )
  }

  /** Lets `ms` milliseconds pass. */
  pass(ms: number): Promise<void> {
    return this.harness.time.pass(ms)
  }

  /** Waits for all I/O without advancing the clock. */
  settle(): Promise<void> {
    return this.harness.time.settle()
  }

  async close(): Promise<void> {
    await this.harness.close()
  }
}

/** Returns the command that requests a state for a partition. */
export function setState(state: string, partition = 1, options: readonly string[] = []): SetState {
  return { action: 'set_state', partition, state, options }
}
