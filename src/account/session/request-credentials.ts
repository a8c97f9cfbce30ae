import { hasCode, KeyholderError } from '../../service/error.ts'
import type { Operation } from '../../service/operations.ts'
import type { PanelKey } from '../requests/request.ts'
import { type Credential, Credentials } from '../service-user/auth/token-holder.ts'
import type { AccountKnowledge, Session } from './session.ts'
import type { SignIn } from './sign-in.ts'

/**
 * The tokens that each operation needs. Some operations are read with the user token alone where no panel can be
 * opened (interface specification 5.4).
 */
export class RequestCredentials {
  readonly #signIn: SignIn
  readonly #session: Session
  readonly #knowledge: AccountKnowledge

  constructor(signIn: SignIn, session: Session, knowledge: AccountKnowledge) {
    this.#signIn = signIn
    this.#session = session
    this.#knowledge = knowledge
  }

  /**
   * Returns the tokens that an operation needs, and creates the missing ones.
   * @throws KeyholderError
   */
  async collect({ name, tokens }: Operation<unknown>, panel: PanelKey | undefined): Promise<Credentials> {
    if (tokens === 'none') return new Credentials()
    if (tokens === 'user') return new Credentials([await this.#signIn.userCredential()])
    const mayBeAlone = tokens === 'user, or both'
    if (panel === undefined) {
      if (!mayBeAlone || this.#session.isRefusedAlone(name)) throw panelNeeded(name)
      return this.#userAlone()
    }
    let session: Credential
    try {
      session = await this.#signIn.sessionCredential(panel)
    } catch (thrown) {
      if (!mayBeAlone || !hasCode(thrown, 'NOT_FOUND') || this.#session.hasAccepted(panel)) throw thrown
      // The service has no operation to open a panel, and the specification shows none (5.6).
      const { panelCount } = this.#knowledge
      if (panelCount > 1 || this.#session.isRefusedAlone(name)) throw panelNotOpened(name, thrown, panelCount)
      return this.#userAlone()
    }
    // After the session token, because its creation may have renewed the user token.
    return new Credentials([await this.#signIn.userCredential(), session])
  }

  /** Notes that the service refused an operation with a valid user token alone; returns the error. */
  noteRefusedAlone(name: string, panel: PanelKey | undefined, error: KeyholderError): KeyholderError {
    this.#session.noteRefusedAlone(name)
    return panel === undefined ? panelNeeded(name) : panelNotOpened(name, error, 1)
  }

  /** Returns the user token for a request about a panel; a refusal may then mean that a session is missing. */
  async #userAlone(): Promise<Credentials> {
    return new Credentials([await this.#signIn.userCredential()], true)
  }
}

/** Returns the error for an operation that cannot be answered before a panel is opened. */
function panelNeeded(operation: string): KeyholderError {
  return new KeyholderError(
    'NOT_CONFIGURED',
    `Panel: the service answers "${operation}" only for a panel. Choose one in the node.`,
  )
}

/** Returns the error for a panel that cannot be opened, because the service has no operation for it. */
function panelNotOpened(operation: string, opening: KeyholderError, panels: number): KeyholderError {
  const { status } = opening
  const cause =
    panels > 1
      ? `The account has ${panels} panels, and the service has no operation to open one of them, so "${operation}" could be about any`
      : `The service answers "${operation}" only for an opened panel, and has no operation to open one`
  return new KeyholderError('NOT_FOUND', `${cause}. Ask your provider.`, { status })
}
