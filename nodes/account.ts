import type { Node, NodeAPI, NodeDef } from 'node-red'
import type { RawSettings } from '../src/account/settings.ts'
import { OnDemand } from '../src/on-demand.ts'
import { endDemo } from './shared/demo.ts'
import { addFormRoute } from './shared/form-route.ts'
import { guard } from './shared/guard.ts'
import type { OpenAccount } from './shared/open-account.ts'

interface AccountCredentials {
  email: string
  password: string
}

/** The config node `keyholder-account`. */
export interface AccountNode extends Node<AccountCredentials> {
  /** Its settings as they are deployed, without its credentials; what was `${NAME}` is filled in. */
  readonly deployed: RawSettings
  /**
   * The account, made when it is first asked for, so that Node-RED starts as fast as without us.
   * @throws KeyholderError what is wrong with the settings
   */
  open(): Promise<OpenAccount>
}

export default function register(RED: NodeAPI): void {
  function AccountNode(this: AccountNode & { deployed: RawSettings }, def: NodeDef): void {
    RED.nodes.createNode(this, def)
    const opened = new OnDemand(() => open(this, def))
    this.deployed = { ...def }
    this.open = () => opened.get()

    this.on('close', (removed: boolean, done: () => void) => {
      guard(
        this,
        async () => {
          const account = await opened.made()
          account?.release()
          if (removed) await endDemo(this.id)
          done()
        },
        () => done(),
      )
    })
  }

  async function open(node: AccountNode, def: NodeDef): Promise<OpenAccount> {
    const { isDemo, openAccount } = await import('./shared/open-account.ts')
    const raw = { ...def, ...node.credentials }
    if (!isDemo(raw)) await endDemo(node.id)
    return openAccount(RED, node.id, raw, (sentence) => node.warn(sentence), 'deployed')
  }

  addFormRoute(RED, ['account'], 'check', async () => {
    const { accountCheck } = await import('./dialogs/account-check.ts')
    return accountCheck(RED)
  })
  RED.nodes.registerType<AccountNode, NodeDef, Record<string, never>, AccountCredentials>(
    'keyholder-account',
    AccountNode,
    { credentials: { email: { type: 'text' }, password: { type: 'password' } } },
  )
}
