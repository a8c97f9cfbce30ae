import type { Node, NodeAPI } from 'node-red'
import type { Account } from '../../src/account/account.ts'
import { type AccountHealth, unopenedAccount } from '../../src/account/account-health.ts'
import { type Failure, failureOf } from '../../src/account/failure.ts'
import { systemClock } from '../../src/clock.ts'
import type { HealthSource } from '../../src/messages/health.ts'
import { sourceOf } from '../../src/messages/source.ts'
import { OnDemand } from '../../src/on-demand.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { type PanelHealth, unopenedPanel } from '../../src/panel/panel-health.ts'
import { asKeyholderError, KeyholderError } from '../../src/service/error.ts'
import type { AccountNode } from '../account.ts'
import type { PanelNode } from '../panel.ts'
import { configNode } from '../shared/config-node.ts'

/** What of a flow file is chosen; the ids of config nodes. */
interface Chosen {
  account: string
  /** Empty: none. */
  panel: string
}

/** What a health node looks at: an account and perhaps a panel, also when they cannot be opened. */
export class HealthSubject {
  readonly #RED: NodeAPI
  readonly #node: Node
  readonly #chosen: Chosen
  readonly #whenStarted: (say: () => void) => void
  #accountNode: AccountNode | undefined
  #panelNode: PanelNode | undefined
  #account: Account | undefined
  #panel: Panel | undefined
  #unusable: Failure | undefined
  readonly #opening = new OnDemand(() => this.#open())
  #leave = () => {}
  #isReported = false

  /** @param whenStarted has something said as soon as all the flows are there */
  constructor(RED: NodeAPI, node: Node, chosen: Chosen, whenStarted: (say: () => void) => void) {
    this.#RED = RED
    this.#node = node
    this.#chosen = chosen
    this.#whenStarted = whenStarted
  }

  /** Opens what is chosen; what could not be opened is tried anew by the next call. Never rejects. */
  open(): Promise<void> {
    return this.#opening.get().catch((thrown) => {
      this.#unusable = failureOf(asKeyholderError(thrown), systemClock)
    })
  }

  /** Why what is chosen cannot be used; nothing where it can. */
  get unusable(): Failure | undefined {
    return this.#unusable
  }

  get account(): AccountHealth {
    return this.#account?.health ?? unopenedAccount
  }

  /** Nothing where no panel is chosen. */
  get panel(): PanelHealth | undefined {
    if (this.#chosen.panel === '') return undefined
    return this.#panel?.health ?? unopenedPanel
  }

  /**
   * Where a message of this moment comes from. What is known of a panel is as old as the newest answer; where there is
   * none, and without a panel, it is of this moment.
   */
  get source(): HealthSource {
    const ofNow = { fetchedAt: new Date().toISOString(), stale: false }
    if (this.#chosen.panel === '') {
      const { name } = this.#accountNode ?? {}
      return { name: name || hostOf(this.#account) || 'account', panel: null, ...ofNow }
    }
    const panel = this.#panel
    const news = panel?.latest
    if (panel === undefined) {
      const unknown = { serial: '', alias: '', online: false }
      return { name: this.#panelNode?.name || 'panel', panel: unknown, ...ofNow, stale: true }
    }
    if (news !== undefined) return sourceOf(panel, news)
    const { title, alias, online, settings } = panel
    return { name: title, panel: { serial: settings.serial, alias, online }, ...ofNow, stale: true }
  }

  close(): void {
    this.#leave()
  }

  async #open(): Promise<void> {
    try {
      const { account, panel } = this.#chosen
      this.#accountNode = configNode(this.#RED, 'keyholder-account', account) ?? missing('account')
      if (panel !== '') this.#panelNode = configNode(this.#RED, 'keyholder-panel', panel) ?? missing('panel')
    } catch (thrown) {
      throw this.#reported(thrown)
    }
    this.#leave = this.#panelNode?.join(this.#node) ?? (() => {})
    const [account, panel] = await Promise.allSettled([this.#accountNode.open(), this.#panelNode?.open()])
    if (account.status === 'fulfilled') this.#account = account.value.account
    // The panel node has said it for all.
    if (panel.status === 'rejected') throw panel.reason
    if (account.status === 'rejected') throw this.#reported(account.reason)
    if (panel.value !== undefined && panel.value.account !== this.#account) {
      const said =
        'panel: it belongs to another account than the one in account. Choose one of this account, or none.'
      throw this.#reported(new KeyholderError('BAD_SETTING', said))
    }
    this.#panel = panel.value
    this.#unusable = undefined
  }

  /** Tells log and Catch nodes once, as soon as there are any. */
  #reported(thrown: unknown): KeyholderError {
    const error = asKeyholderError(thrown)
    if (!this.#isReported) this.#whenStarted(() => this.#node.error(error, {}))
    this.#isReported = true
    return error
  }
}

function missing(field: keyof Chosen): never {
  throw new KeyholderError('NOT_CONFIGURED', `${field} is missing: choose one in this node.`)
}

function hostOf(account: Account | undefined): string | undefined {
  return account && new URL(account.settings.url).host
}
