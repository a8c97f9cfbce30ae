import type { Node, NodeAPI, NodeDef } from 'node-red'
import { Lazy } from '../../src/concurrency.ts'
import { type ErrorCode, KeyholderError, logDefectsTo } from '../../src/service/error.ts'
import type { RawSettings } from '../../src/settings.ts'
import { addConsoleRoutes } from '../admin/console-routes.ts'
import { addFormRoute } from '../admin/form-route.ts'
import {
  type AccountCredentials,
  type AccountNode,
  configNode,
  isPanelNode,
  Members,
  type OpenAccount,
} from '../config/config-nodes.ts'
import { guard } from '../shared/guard.ts'
import { whenFlowsStarted } from '../shared/node-lifecycle.ts'

interface AccountDef extends NodeDef {
  cluster?: string
}

export default function register(RED: NodeAPI): void {
  logDefectsTo((line) => RED.log.debug(line))

  function AccountNode(this: AccountNode & { deployed: RawSettings }, def: AccountDef): void {
    RED.nodes.createNode(this, def)
    let leaveCluster = () => {}
    const lazyAccount = () =>
      new Lazy(() => {
        leaveCluster()
        leaveCluster = joinCluster(this, def, () => guard(this, end))
        return open(this, def, notice)
      })
    let opened = lazyAccount()
    this.deployed = { ...def }
    this.open = () => opened.get()
    const members = new Members()
    this.join = (node, onClose) => members.join(node, onClose)
    this.users = {}
    const whenStarted = whenFlowsStarted(RED, this)
    /** Writes a sentence to the log; one with a code is an error that the Catch nodes of all panels get, each once. */
    const notice = (sentence: string, code?: ErrorCode) =>
      guard(this, async () => {
        this.warn(sentence)
        if (code === undefined) return
        const { routeErrors } = await import('../shared/error-routing.ts')
        const usersOf = (node: Node) => (isPanelNode(node) ? node.flowNodes() : [node])
        whenStarted(() => {
          if (routeErrors(RED, this, members.nodes.flatMap(usersOf)))
            this.error(new KeyholderError(code, sentence), {})
        })
      })

    /** Ends the use of the cluster; the next call of `open` begins anew. */
    const end = async () => {
      const ended = opened
      opened = lazyAccount()
      leaveCluster()
      members.close()
      const account = await ended.made()
      await account?.release()
    }

    this.on('close', (removed: boolean, done: () => void) => {
      guard(
        this,
        async () => {
          await end()
          if (removed) {
            const { endDemo } = await import('../config/demo.ts')
            await endDemo(this.id)
            const { forgetDestination } = await import('../config/stored-for.ts')
            await forgetDestination(RED, this)
          }
          done()
        },
        () => done(),
      )
    })
  }

  /** Calls `onClose` when the cluster of the account closes; returns a function that ends this. */
  function joinCluster(node: AccountNode, { cluster }: AccountDef, onClose: () => void): () => void {
    return configNode(RED, 'keyholder-cluster', cluster)?.join(node, onClose) ?? (() => {})
  }

  async function open(
    node: AccountNode,
    def: AccountDef,
    onNotice: (sentence: string, code?: ErrorCode) => void,
  ): Promise<OpenAccount> {
    const { openAccount } = await import('../config/open-account.ts')
    const raw = { ...def, ...node.credentials }
    const { endDemo, isDemo } = await import('../config/demo.ts')
    if (!isDemo(raw)) {
      await endDemo(node.id)
      const { ofAccount, refuseElsewhere } = await import('../config/stored-for.ts')
      await refuseElsewhere(RED, node, ofAccount)
    }
    return openAccount(RED, node.id, raw, { mode: 'deployed', log: node, onNotice })
  }

  addFormRoute(RED, ['account'], 'check', async () => {
    const { accountCheck } = await import('../admin/account-check.ts')
    return accountCheck(RED)
  })
  addConsoleRoutes(RED)
  RED.nodes.registerType<AccountNode, AccountDef, Record<string, never>, AccountCredentials>(
    'keyholder-account',
    AccountNode,
    {
      credentials: {
        email: { type: 'text' },
        password: { type: 'password' },
        storedFor: { type: 'password' },
      },
    },
  )
}
