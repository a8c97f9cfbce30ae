import { existsSync } from 'node:fs'
import type { NodeAPI, NodeDef } from 'node-red'
import { systemClock } from '../../src/clock.ts'
import { Lazy } from '../../src/concurrency.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { asKeyholderError, type KeyholderError, onOneLine } from '../../src/service/error.ts'
import { missingSetting, type RawSettings, refuseUnsetVariables } from '../../src/settings.ts'
import { addFormRoute } from '../admin/form-route.ts'
import {
  type AccountNode,
  configNode,
  Members,
  type PanelCredentials,
  type PanelNode,
} from '../config/config-nodes.ts'
import { guard } from '../shared/guard.ts'
import { whenFlowsStarted } from '../shared/node-lifecycle.ts'

interface PanelDef extends NodeDef {
  account?: string
  serial?: unknown
  stateEvery?: unknown
  eventsEvery?: unknown
  devicesEvery?: unknown
}

/** Settings of settings.js: seconds that replace the minimum of a poll interval in a test lab. */
interface PanelRuntimeSettings {
  keyholderPanelPollFloor: number | undefined
}

export default function register(RED: NodeAPI): void {
  function PanelNode(this: PanelNode & { deployed: RawSettings }, def: PanelDef): void {
    RED.nodes.createNode(this, def)
    this.deployed = { ...def }
    const members = new Members()
    this.users = {}
    this.join = (node, onClose) => members.join(node, onClose)
    this.flowNodes = () => members.nodes
    const whenStarted = whenFlowsStarted(RED, this)
    this.report = (error) =>
      guard(this, async () => {
        const { routeErrors } = await import('../shared/error-routing.ts')
        whenStarted(() => {
          // Node-RED logs an error only if no Catch node gets it; the log must contain the outage as well as
          // the recovery.
          if (routeErrors(RED, this, members.nodes)) this.warn(error.message)
          this.error(error, {})
        })
      })
    let isReported = false
    let leaveAccount = () => {}
    let ignoreCluster = () => {}
    const joinAccount = (accountNode: AccountNode) => {
      leaveAccount = accountNode.join(this, () => guard(this, end))
    }
    /** Pending while the panel before is closed: it may still write what the next one reads. */
    let closing = Promise.resolve()
    const lazyPanel = (): Lazy<Panel> => {
      const before = closing
      const lazy = new Lazy(() =>
        open(this, def, joinAccount, (stop) => {
          if (lazy === opened) ignoreCluster = stop
          else stop()
        })
          .then(async (panel) => {
            await before
            guard(this, () => panel.start())
            if (existsSync(panel.rehearsalFile)) whenStarted(() => this.tellRealState())
            return panel
          })
          .catch((thrown) => {
            const error = asKeyholderError(thrown)
            // Reported once for all nodes that use the panel; each of them shows it in its status.
            if (!isReported) this.report(error)
            isReported = true
            throw error
          }),
      )
      return lazy
    }
    let opened = lazyPanel()
    this.open = () => opened.get()
    this.opened = () => opened.made()
    this.rehearse = async (input) => (await import('../rehearsal/rehearsals.ts')).rehearse(RED, this, input)

    this.tellRealState = () =>
      guard(this, async () => {
        const { tellRealState } = await import('../rehearsal/real-state.ts')
        const panel = await this.open()
        await tellRealState(RED, this.id, panel.rehearsalFile, panel.account.clock)
      })

    /** Ends the use of the account; the next call of `open` begins anew. */
    const end = () => {
      const [ended, before] = [opened, closing]
      closing = ended.made().then(async (panel) => {
        await panel?.close()
        await before
      })
      opened = lazyPanel()
      isReported = false
      leaveAccount()
      ignoreCluster()
      members.close()
      return closing
    }

    this.on('close', (removed: boolean, done: () => void) => {
      guard(
        this,
        async () => {
          await end()
          if (removed) {
            const { forgetDestination } = await import('../config/stored-for.ts')
            await forgetDestination(RED, this)
          }
          done()
        },
        () => done(),
      )
    })
  }

  async function open(
    node: PanelNode,
    def: PanelDef,
    join: (accountNode: AccountNode) => void,
    watching: (stop: () => void) => void,
  ): Promise<Panel> {
    refuseUnsetVariables({ account: def.account })
    const accountNode = configNode(RED, 'keyholder-account', def.account)
    if (accountNode === undefined) {
      throw missingSetting('account', 'the alarm panel node')
    }
    join(accountNode)
    const opened = await accountNode.open()
    const { account, folder, demo } = opened
    if (demo === undefined) {
      const { ofPanel, refuseElsewhere } = await import('../config/stored-for.ts')
      await refuseElsewhere(RED, node, ofPanel(RED))
    }
    const { panelStoresOf } = await import('../config/open-account.ts')
    const { panelSettings } = await import('../../src/panel/panel-settings.ts')
    const { keyholderPanelPollFloor } = RED.settings as Partial<PanelRuntimeSettings>
    const settings = panelSettings({ ...def, ...node.credentials }, demo, keyholderPanelPollFloor)
    const { Panel } = await import('../../src/panel/panel.ts')
    const reports = {
      outage: (error: KeyholderError) => node.report(error),
      recovery: () =>
        guard(node, () => node.log(`${settings.name || settings.serial}: everything works again.`)),
      notice: (sentence: string) => guard(node, () => node.warn(onOneLine(sentence))),
    }
    if (opened.cluster !== undefined) {
      const { watchCluster } = await import('../config/cluster-outage.ts')
      watching(
        watchCluster(opened.cluster, systemClock, {
          outage: reports.outage,
          recovery: () =>
            guard(node, () => node.log('The shared state of the cluster can be reached again.')),
          notice: reports.notice,
        }),
      )
    }
    const panel = new Panel(
      settings,
      account,
      folder,
      reports,
      panelStoresOf(opened, settings, reports.notice),
    )
    if (demo !== undefined) {
      // What a command reads before it is sent is then a house at rest, and it is not refused.
      panel.commands.listeners.add(() => demo.world.panel(settings.serial).residents?.giveWay())
    }
    return panel
  }

  addFormRoute(RED, ['panel', 'account'], 'check', async () => {
    const { panelCheck } = await import('../admin/account-check.ts')
    return panelCheck(RED)
  })
  addFormRoute(RED, ['panel', 'account'], 'choices', async () => {
    const { panelChoices } = await import('../admin/panel-choices.ts')
    return panelChoices(RED)
  })
  addFormRoute(RED, ['panel', 'account'], 'known', async () => {
    const { knownChoices } = await import('../admin/panel-choices.ts')
    return knownChoices(RED)
  })
  addFormRoute(RED, ['panel', 'account'], 'diagnostics', async () => {
    const { panelDiagnostics } = await import('../admin/panel-diagnostics.ts')
    return panelDiagnostics(RED)
  })
  addFormRoute(RED, ['panel', 'account'], 'trace', async () => {
    const { panelTrace } = await import('../admin/panel-diagnostics.ts')
    return panelTrace(RED)
  })
  addFormRoute(RED, ['panel', 'account'], 'rehearsal', async () => {
    const { panelRehearsal } = await import('../rehearsal/rehearsals.ts')
    return panelRehearsal(RED)
  })
  RED.nodes.registerType<PanelNode, PanelDef, PanelRuntimeSettings, PanelCredentials>(
    'keyholder-panel',
    PanelNode,
    {
      credentials: { userCode: { type: 'password' }, storedFor: { type: 'password' } },
      settings: { keyholderPanelPollFloor: { value: undefined, exportable: true } },
    },
  )
}
