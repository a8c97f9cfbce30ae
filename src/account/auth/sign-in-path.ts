import type { KeyholderError } from '../../service/error.ts'
import { type Operation, operations } from '../../service/operations.ts'
import type { SignInAnswer } from '../../service/responses/sessions.ts'
import type { Api } from '../../service/version.ts'

type SignInOperation = Operation<SignInAnswer>

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
   * Returns the path to use, and the one to try if the service does not have it.
   * @param isProven true if the service has accepted the secrets: it then has the path
   */
  candidates(api: Api, isProven: boolean): [SignInOperation, SignInOperation?] {
    if (this.#isElsewhere) return [elsewhere, operations.signIn]
    return api === 'service' || isProven ? [operations.signIn] : [operations.signIn, elsewhere]
  }

  /** Notes that the service has accepted or rejected the secrets at this path. */
  noteFound({ path }: SignInOperation): void {
    this.#isElsewhere = path === elsewhere.path
  }
}
