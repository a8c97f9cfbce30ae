import type { Node, NodeAPI, NodeDef } from 'node-red'
import type { Panel, PanelSettings } from '../src/panel/panel.ts'
import { asKeyholderError, KeyholderError } from '../src/service/error.ts'
import type { AccountNode } from './account.ts'
import { flowsStarted } from './shared/flows-started.ts'
import { guard } from './shared/guard.ts'

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
  /** Nodes that use the panel, by id: Node-RED hands the panel's errors on to the Catch nodes of their tabs. */
  users: Record<string, Node>
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
  function PanelNode(this: PanelNode, def: PanelDef): void {
    RED.nodes.createNode(this, def)
    this.users = {}
    const started = flowsStarted(RED)
    let isClosed = false
    this.report = (error) => {
      guard(this, async () => {
        await started
        if (!isClosed) this.error(error, {})
      })
    }
    let opened: Promise<Panel> | undefined
    let isReported = false
    this.open = () => {
      opened ??= open(this, def).catch((thrown) => {
        // Not kept: what was missing may be there the next time somebody asks.
        opened = undefined
        const error = asKeyholderError(thrown)
        // Said here once for all the nodes that use the panel; each of them shows it in its status.
        if (!isReported) this.report(error)
        isReported = true
        throw error
      })
      return opened
    }

    this.on('close', (done: () => void) => {
      guard(
        this,
        async () => {
          isClosed = true
          await opened?.then(
            (panel) => panel.stream.close(),
            () => {},
          )
          done()
        },
        () => done(),
      )
    })
  }

  async function open(node: PanelNode, def: PanelDef): Promise<Panel> {
    const accountNode = def.account ? (RED.nodes.getNode(def.account) as AccountNode | null) : null
    if (accountNode?.type !== 'keyholder-account') {
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

  RED.nodes.registerType<PanelNode, PanelDef, { keyholderPanelPollFloor: number }, PanelCredentials>(
    'keyholder-panel',
    PanelNode,
    {
      credentials: { userCode: { type: 'password' } },
      settings: { keyholderPanelPollFloor: { value: pollFloor, exportable: true } },
    },
  )
}
