import type { Node, NodeAPI, NodeDef } from 'node-red'
import type { RawSettings } from '../src/account/settings.ts'
import { OnDemand } from '../src/on-demand.ts'
import type { Panel, PanelSettings } from '../src/panel/panel.ts'
import { asKeyholderError, KeyholderError } from '../src/service/error.ts'
import { configNode } from './shared/config-node.ts'
import { whenFlowsStarted } from './shared/flows-started.ts'
import { addFormRoute } from './shared/form-route.ts'
import { guard } from './shared/guard.ts'
import { type Layout, spokesmen } from './shared/spokesmen.ts'

interface PanelDef extends NodeDef {
  account?: string
  serial?: unknown
  stateEvery?: unknown
  eventsEvery?: unknown
  devicesEvery?: unknown
}

interface PanelCredentials {
  userCode: string
}

/** The config node `keyholder-panel`. */
export interface PanelNode extends Node<PanelCredentials> {
  /** Its settings as they are deployed, without its user code. */
  readonly deployed: RawSettings
  /** Node-RED hands the panel's errors on to the Catch nodes that hear one of these, by id. */
  users: Record<string, Node>
  /** Takes in a node that uses the panel; the answer lets it go. */
  join(node: Node): () => void
  /** Tells the log, and the Catch nodes on the tabs of the users, as soon as there are any. */
  report(error: KeyholderError): void
  /**
   * The panel's live view, made when it is first asked for.
   * @throws KeyholderError what is wrong with the settings of the panel or its account
   */
  open(): Promise<Panel>
}

/** Seconds below which no interval may go, unless settings.js lowers it for a lab. */
const pollFloor = 10

export default function register(RED: NodeAPI): void {
  function PanelNode(this: PanelNode & { deployed: RawSettings }, def: PanelDef): void {
    RED.nodes.createNode(this, def)
    this.deployed = { ...def }
    const members = new Set<Node>()
    this.users = {}
    this.join = (node) => {
      members.add(node)
      return () => members.delete(node)
    }
    const whenStarted = whenFlowsStarted(RED, this)
    this.report = (error) => {
      whenStarted(() => {
        const { nodes, isCaught } = spokesmen([...members], layout(RED))
        this.users = Object.fromEntries(nodes.map((node) => [node.id, node]))
        // Node-RED logs what no Catch node hears; the log is to have the loss as well as the recovery.
        if (isCaught) this.warn(error.message)
        this.error(error, {})
      })
    }
    let isReported = false
    const opened = new OnDemand(() =>
      open(this, def).catch((thrown) => {
        const error = asKeyholderError(thrown)
        // Said here once for all the nodes that use the panel; each of them shows it in its status.
        if (!isReported) this.report(error)
        isReported = true
        throw error
      }),
    )
    this.open = () => opened.get()

    this.on('close', (done: () => void) => {
      guard(
        this,
        async () => {
          const panel = await opened.made()
          await panel?.stream.close()
          done()
        },
        () => done(),
      )
    })
  }

  async function open(node: PanelNode, def: PanelDef): Promise<Panel> {
    const accountNode = configNode(RED, 'keyholder-account', def.account)
    if (accountNode === undefined) {
      throw new KeyholderError('NOT_CONFIGURED', 'account is missing: choose one in the alarm panel node.')
    }
    const { account, folder, demo } = await accountNode.open()
    const { panelSettings } = await import('../src/panel/settings.ts')
    const floor = (RED.settings as { keyholderPanelPollFloor?: number }).keyholderPanelPollFloor ?? pollFloor
    const settings: PanelSettings = panelSettings({ ...def, ...node.credentials }, demo, floor)
    const { Panel } = await import('../src/panel/panel.ts')
    return new Panel(settings, account, folder, {
      loss: (error) => node.report(error),
      recovery: () => guard(node, () => node.log(`${settings.name || settings.serial}: all is well again.`)),
      notice: (sentence) => guard(node, () => node.warn(sentence)),
    })
  }

  addFormRoute(RED, ['panel', 'account'], 'check', async () => {
    const { panelCheck } = await import('./dialogs/panel-check.ts')
    return panelCheck(RED)
  })
  addFormRoute(RED, ['panel', 'account'], 'choices', async () => {
    const { panelChoices } = await import('./dialogs/panel-choices.ts')
    return panelChoices(RED)
  })
  RED.nodes.registerType<PanelNode, PanelDef, { keyholderPanelPollFloor: number }, PanelCredentials>(
    'keyholder-panel',
    PanelNode,
    {
      credentials: { userCode: { type: 'password' } },
      settings: { keyholderPanelPollFloor: { value: pollFloor, exportable: true } },
    },
  )
}

/** What Catch nodes are placed by. */
function layout(RED: NodeAPI): Layout[] {
  const found: Layout[] = []
  RED.nodes.eachNode((def: NodeDef & { d?: boolean }) => {
    if (['tab', 'group', 'catch'].includes(def.type) && !def.d) found.push(def)
  })
  return found
}
