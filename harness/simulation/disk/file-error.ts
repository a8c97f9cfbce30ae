import { getSystemErrorMap } from 'node:util'

/** The reason why a call fails, before its error names the call and its paths. */
export class Refusal extends Error {
  readonly code: string

  /** @param code the word of the system, such as ENOENT */
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** A call as the system knows it. */
export interface SystemCall {
  /** Its name, such as `open`. */
  readonly syscall: string
  readonly path?: string
  /** The second path of a call that has two. */
  readonly dest?: string
}

/** The number and the sentence of each error, by its word. */
const systemErrors = new Map(
  [...getSystemErrorMap()].map(([errno, [code, sentence]]) => [code, { errno, sentence }]),
)

/** Returns what `work` returns. @throws the error of `node:fs` if a call is refused in it */
export function inCall<T>(call: SystemCall, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw thrown instanceof Refusal ? fileError(thrown.code, call) : thrown
  }
}

/** Returns an error of `node:fs`, with the fields and the message that Node.js gives it. */
export function fileError(code: string, { syscall, path, dest }: SystemCall): NodeJS.ErrnoException {
  const known = systemErrors.get(code)
  if (known === undefined) throw new Error(`The system has no error ${code}.`)
  const at = path === undefined ? '' : ` '${path}'`
  const to = dest === undefined ? '' : ` -> '${dest}'`
  const error = new Error(`${code}: ${known.sentence}, ${syscall}${at}${to}`)
  return Object.assign(error, {
    errno: known.errno,
    code,
    syscall,
    ...(path !== undefined && { path }),
    ...(dest !== undefined && { dest }),
  })
}
