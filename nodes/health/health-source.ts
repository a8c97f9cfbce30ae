import type { Node, NodeAPI, NodeDef } from 'node-red'
import type { Account } from '../../src/account/account.ts'
import { type AccountHealth, unopenedAccount } from '../../src/account/account-health.ts'
import { type Failure, failureOf } from '../../src/account/requests/request-history.ts'
import { systemClock } from '../../src/clock.ts'
import { Lazy } from '../../src/concurrency.ts'
import type { ClusterFacts } from '../../src/messages/health-message.ts'
import type { AccountSource } from '../../src/panel/account-queries.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { type PanelHealth, unopenedPanel } from '../../src/panel/panel-health.ts'
import { asKeyholderError, KeyholderError } from '../../src/service/error.ts'
import { refuseUnsetVariables } from '../../src/settings.ts'
import { type Bindable, bindToConfig } from '../binding/config-binding.ts'
import { type AccountNode, type OpenCluster, type PanelNode, selectedNode } from '../config/config-nodes.ts'

/** The settings of a health node that select the config nodes. */
export interface ChosenDef extends NodeDef {
  account?: string
  panel?: string
}

/** The account and the optional panel of a health node; they may be impossible to open. */
export class HealthSources {
  readonly #RED: NodeAPI
  readonly #def: ChosenDef
  readonly #hasPanel: boolean
  readonly #report: (error: KeyholderError) => void
  readonly #binding: ReturnType<typeof bindToConfig<void>>
  #accountNode: AccountNode | undefined
  #panelNode: PanelNode | undefined
  #account: Account | undefined
  #cluster: OpenCluster | undefined
  #panel: Panel | undefined
  #unusable: Failure | undefined
  #refusal: KeyholderError | undefined
  #opening = this.#openOnce()
  #isReported = false

  /** @param whenStarted runs a callback when all flows have started */
  constructor(RED: NodeAPI, node: Node, def: ChosenDef, whenStarted: (say: () => void) => void) {
    this.#RED = RED
    this.#def = def
    this.#hasPanel = Boolean(def.panel)
    this.#report = (error) => whenStarted(() => node.error(error, {}))
    const find = () => this.#find()
    this.#binding = bindToConfig(RED, node, find, () => {
      this.#opening = this.#openOnce()
      this.#isReported = false
      return () => {
        this.#account = undefined
        this.#cluster = undefined
        this.#panel = undefined
        void this.open()
      }
    })
  }

  /** Opens the selected config nodes; the next call retries after a failure. Never rejects. */
  open(): Promise<void> {
    return this.#opening.get().catch((thrown) => {
      this.#refusal = asKeyholderError(thrown)
      this.#unusable = failureOf(this.#refusal, systemClock)
    })
  }

  /** The reason why the selected config nodes cannot be used, or nothing if they can. */
  get unusable(): Failure | undefined {
    return this.#unusable
  }

  /** The same as an error, for the status. */
  get refusal(): KeyholderError | undefined {
    return this.#unusable && this.#refusal
  }

  get account(): AccountHealth {
    return this.#account?.health ?? unopenedAccount
  }

  /** The status of the account's cluster; undefined if the account has none. */
  get cluster(): ClusterFacts | undefined {
    return this.#cluster?.cluster.status
  }

  /** The health of the panel, or nothing if no panel is selected. */
  get panel(): PanelHealth | undefined {
    if (!this.#hasPanel) return undefined
    return this.#panel?.health ?? unopenedPanel
  }

  /**
   * The source of a message sent now. With a panel, it has the time of the latest answer; with no answer yet,
   * or with no panel, it has the current time.
   */
  get source(): AccountSource {
    const times = { fetchedAt: new Date(systemClock.wall()).toISOString(), stale: false }
    if (!this.#hasPanel) {
      const { name } = this.#accountNode ?? {}
      return { name: name || hostOf(this.#account) || 'account', panel: null, ...times }
    }
    const panel = this.#panel
    const snapshot = panel?.latest
    if (panel === undefined) {
      const unknown = { serial: '', alias: '', online: false }
      return { name: this.#panelNode?.name || 'panel', panel: unknown, ...times, stale: true }
    }
    if (snapshot !== undefined) return panel.sourceOf(snapshot)
    const { title, alias, online, settings } = panel
    return { name: title, panel: { serial: settings.serial, alias, online }, ...times, stale: true }
  }

  close(): void {
    this.#binding.close()
  }

  #openOnce(): Lazy<void> {
    return new Lazy(async () => this.#binding.open())
  }

  #find(): Bindable<void> {
    try {
      refuseUnsetVariables(this.#def)
      this.#accountNode = selectedNode(this.#RED, 'account', this.#def.account)
      if (this.#hasPanel) this.#panelNode = selectedNode(this.#RED, 'panel', this.#def.panel)
    } catch (thrown) {
      throw this.#reported(thrown)
    }
    const [accountNode, panelNode] = [this.#accountNode, this.#panelNode]
    return {
      join: (node, onClose) => {
        const leaves = [accountNode, panelNode].map((one) => one?.join(node, onClose))
        return () => {
          for (const leave of leaves) leave?.()
        }
      },
      open: () => this.#openNodes(accountNode, panelNode),
    }
  }

  async #openNodes(accountNode: AccountNode, panelNode: PanelNode | undefined): Promise<void> {
    const [account, panel] = await Promise.allSettled([accountNode.open(), panelNode?.open()])
    if (account.status === 'fulfilled') {
      this.#account = account.value.account
      this.#cluster = account.value.cluster
    }
    // The panel node has already reported this error for all nodes.
    if (panel.status === 'rejected') throw panel.reason
    if (account.status === 'rejected') throw this.#reported(account.reason)
    if (panel.value !== undefined && panel.value.account !== this.#account) {
      const said =
        'Panel: the panel belongs to another account. Choose a panel of the selected account, or leave the field empty.'
      throw this.#reported(new KeyholderError('BAD_SETTING', said))
    }
    this.#panel = panel.value
    this.#unusable = undefined
  }

  /** Reports an error once to the log and to Catch nodes, as soon as the flows have started. */
  #reported(thrown: unknown): KeyholderError {
    const error = asKeyholderError(thrown)
    if (!this.#isReported) this.#report(error)
    this.#isReported = true
    return error
  }
}

function hostOf(account: Account | undefined): string | undefined {
  return account && new URL(account.settings.url).host
}
