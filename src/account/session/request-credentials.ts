import type { Clock } from '../../clock.ts'
import { hasCode, type KeyholderError } from '../../service/error.ts'
import type { Operation } from '../../service/operations.ts'
import type { SignInState } from '../account-registry.ts'
import type { PanelKey } from '../requests/request.ts'
import { type Credential, Credentials } from '../service-user/auth/credentials.ts'
import type { SignIn } from './sign-in.ts'
import { panelNeeded, panelNotOpened } from './unopened-reads.ts'

/**
 * The tokens that each operation needs. Some operations are read with the user token alone where no panel can be
 * opened (interface specification 5.4).
 */
export class RequestCredentials {
  readonly #signIn: SignIn
  readonly #signInState: SignInState
  readonly #clock: Clock

  constructor(signIn: SignIn, signInState: SignInState, clock: Clock) {
    this.#signIn = signIn
    this.#signInState = signInState
    this.#clock = clock
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
      if (!mayBeAlone || this.#isRefusedAlone(name)) throw panelNeeded(name)
      return this.#userAlone()
    }
    let session: Credential
    try {
      session = await this.#signIn.sessionCredential(panel)
    } catch (thrown) {
      if (!mayBeAlone || !hasCode(thrown, 'NOT_FOUND') || this.#signIn.hasAccepted(panel)) throw thrown
      // The service has no operation to open a panel, and the specification shows none (5.6).
      const { size } = this.#signInState.serials
      if (size > 1 || this.#isRefusedAlone(name)) throw panelNotOpened(name, thrown, size)
      return this.#userAlone()
    }
    // After the session token, because its creation may have renewed the user token.
    return new Credentials([await this.#signIn.userCredential(), session])
  }

  /** Notes that the service refused an operation with a valid user token alone; returns the error. */
  noteRefusedAlone(name: string, panel: PanelKey | undefined, error: KeyholderError): KeyholderError {
    this.#signInState.unopenedReads.noteRefusal(name, this.#clock.monotonic())
    return panel === undefined ? panelNeeded(name) : panelNotOpened(name, error, 1)
  }

  /** Returns the user token for a request about a panel; a refusal may then mean that a session is missing. */
  async #userAlone(): Promise<Credentials> {
    return new Credentials([await this.#signIn.userCredential()], true)
  }

  #isRefusedAlone(name: string): boolean {
    return this.#signInState.unopenedReads.isRefused(name, this.#clock.monotonic())
  }
}
