import type { NodeAPI, NodeDef } from 'node-red'
import { Lazy } from '../src/lazy.ts'
import { logDefectsTo } from '../src/service/error.ts'
import type { RawSettings } from '../src/settings.ts'
import { addConsoleRoutes } from './admin/console-routes.ts'
import { addFormRoute } from './admin/form-route.ts'
import { type AccountCredentials, type AccountNode, Members } from './shared/config-nodes.ts'
import { guard } from './shared/guard.ts'
import type { OpenAccount } from './shared/open-account.ts'

export default function register(RED: NodeAPI): void {
  logDefectsTo((line) => RED.log.debug(line))

  function AccountNode(this: AccountNode & { deployed: RawSettings }, def: NodeDef): void {
    RED.nodes.createNode(this, def)
    const opened = new Lazy(() => open(this, def))
    this.deployed = { ...def }
    this.open = () => opened.get()
    const members = new Members()
    this.join = (node, onClose) => members.join(node, onClose)

    this.on('close', (removed: boolean, done: () => void) => {
      guard(
        this,
        async () => {
          members.close()
          const account = await opened.made()
          account?.release()
          if (removed) {
            const { endDemo } = await import('./shared/demo.ts')
            await endDemo(this.id)
          }
          done()
        },
        () => done(),
      )
    })
  }

  async function open(node: AccountNode, def: NodeDef): Promise<OpenAccount> {
    const { isDemo, openAccount } = await import('./shared/open-account.ts')
    const { requestLog } = await import('./shared/request-log.ts')
    const raw = { ...def, ...node.credentials }
    const { endDemo } = await import('./shared/demo.ts')
    if (!isDemo(raw)) await endDemo(node.id)
    const onNotice = (sentence: string) => node.warn(sentence)
    return openAccount(RED, node.id, raw, onNotice, 'deployed', requestLog(RED, node))
  }

  addFormRoute(RED, ['account'], 'check', async () => {
    const { accountCheck } = await import('./admin/account-check.ts')
    return accountCheck(RED)
  })
  addConsoleRoutes(RED)
  RED.nodes.registerType<AccountNode, NodeDef, Record<string, never>, AccountCredentials>(
    'keyholder-account',
    AccountNode,
    { credentials: { email: { type: 'text' }, password: { type: 'password' } } },
  )
}
