import type { KeyholderError } from '../../service/error.ts'
import { type Api, type Operation, operations } from '../../service/operations.ts'
import type { SignInAnswer } from '../../service/responses/sessions.ts'
import type { RequestLog } from '../requests/request-history.ts'
import { Refused, Rejected } from '../service-user/auth/judgement.ts'

type SignInOperation = Operation<SignInAnswer>

/** Signs in at a path, which may be one of two; throws PathUnknown if the service does not have it. */
type SignInAttempt = (operation: SignInOperation, isOneOfTwo: boolean) => Promise<SignInAnswer>

/** The end-user sign-in below the other path that the interface specification shows (4.2). */
const elsewhere: SignInOperation = { ...operations.signIn, path: '/apptype' }

/** Thrown by an attempt at a path that the service does not have: it has not looked at the secrets. */
export class PathUnknown {
  readonly error: KeyholderError

  constructor(error: KeyholderError) {
    this.error = error
  }
}

/**
 * The path of the sign-in. Interface specification 4.2 leaves open if the end-user sign-in is /auth or /apptype;
 * all known services have /auth (field fact). The sign-in of installers is /auth (4.1).
 */
export class SignInPath {
  #isElsewhere = false

  /**
   * Signs in at the path that the service has. The secrets are sent to the second path only if the service does
   * not have the first one; a refusal without a known reason there cannot reject them.
   * @param isProven true if the service has accepted the secrets: it then has the path
   * @throws PathUnknown with the error of the first path, if the service has neither
   */
  async signIn(
    { api, isProven, log }: { api: Api; isProven: boolean; log: RequestLog },
    attempt: SignInAttempt,
  ): Promise<SignInAnswer> {
    const [first, second] = this.#candidates(api, isProven)
    try {
      return await this.#signInAt(first, second !== undefined, attempt)
    } catch (thrown) {
      if (second === undefined || !(thrown instanceof PathUnknown)) throw thrown
      log.trace?.(`${first.name}: the service does not have ${first.path}; trying ${second.path}`)
      try {
        return await this.#signInAt(second, true, attempt)
      } catch (further) {
        if (further instanceof Refused) throw new Refused(further.error, further.isProven)
        throw further instanceof PathUnknown ? thrown : further
      }
    }
  }

  /** Returns the path to use, and the one to try if the service does not have it. */
  #candidates(api: Api, isProven: boolean): [SignInOperation, SignInOperation?] {
    if (this.#isElsewhere) return [elsewhere, operations.signIn]
    return api === 'service' || isProven ? [operations.signIn] : [operations.signIn, elsewhere]
  }

  /** Makes an attempt at a path, and remembers the path if the service accepts or rejects the secrets there. */
  async #signInAt(
    operation: SignInOperation,
    isOneOfTwo: boolean,
    attempt: SignInAttempt,
  ): Promise<SignInAnswer> {
    const isElsewhere = operation.path === elsewhere.path
    try {
      const session = await attempt(operation, isOneOfTwo)
      this.#isElsewhere = isElsewhere
      return session
    } catch (thrown) {
      if (thrown instanceof Rejected) this.#isElsewhere = isElsewhere
      throw thrown
    }
  }
}
